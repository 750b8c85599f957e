"""What stands below the answer; pages and terminal are compared in the tests of the answer and of limits."""

import pytest

import report_cases as cases
import rochull as rh
from rochull.report.data_wording import on_few
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


@pytest.mark.parametrize("first", [1, 4, 5])
def test_a_precision_that_rests_on_few_cases_says_so(first: int) -> None:
    """The first cases are all positive; below them the precision is one half."""
    labels = [1] * first + [1, 0] * 20
    scores = [9] * first + [1] * 40
    hybrid = rh.Hybrid().add("score", labels, scores)
    report = rh.Report(hybrid, rh.MinimumPrecision(1.0))
    told = on_few(report.facts)
    assert (
        told
        == {
            1: "That share of the flagged cases rests on 1 past case that is flagged: too few to tell.",
            4: "That share of the flagged cases rests on 4 past cases that are flagged: too few to tell.",
            5: None,
        }[first]
    )
    assert ("rests on" in " ".join(report.to_text().split())) == (first < 5)
    assert on_few(rh.Report(hybrid, rh.ExpectedCost(9, 1)).facts) is None
    assert on_few(rh.Report(hybrid).facts) is None
