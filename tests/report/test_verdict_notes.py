"""What stands below the answer; pages and terminal are compared in the tests of the answer and of limits."""

import report_cases as cases
import rochull as rh
from rochull.report.verdict_notes import meaning

ABOUT = {"positive": "bad"}


def test_what_the_words_of_the_sentence_mean() -> None:
    german = cases.shipped("german_credit_scores", "class", "bad")
    assert meaning(rh.Report(german, rh.ExpectedCost(1, 5), about=ABOUT).facts) == (
        "naive_bayes is a score: the higher, the more likely a case is bad. To flag a case is to treat it as bad. Positives are the bad cases, negatives all others. A false alarm (not bad, "
        "but flagged) costs 1, a miss (bad, but not flagged) 5, a correct decision nothing. All costs are in units of one false alarm. 0.5 is a common "
        "threshold, not chosen for your goal."
    )
    dear = meaning(rh.Report(german, rh.ExpectedCost(10, 50), about=ABOUT).facts)
    assert "a correct decision nothing. All other costs are in the same unit." in str(dear)
    bare = meaning(rh.Report(german, rh.NeymanPearson(0.1), about={"positive": "positive"}).facts)
    assert bare is not None
    assert bare.startswith(
        "boosted and naive_bayes are scores: the higher, the more likely a case is positive. To flag a case is to treat it as positive, the class that is looked for. A false alarm is negative"
    )
    assert meaning(rh.Report(german).facts) is None
