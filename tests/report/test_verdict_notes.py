"""What stands below the answer; pages and terminal are compared in the tests of the answer and of limits."""

import pytest

import report_cases as cases
import rochull as rh
from rochull.report.data_wording import on_few
from rochull.report.verdict_notes import approached_note, limit_note, meaning

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


@pytest.mark.filterwarnings("ignore:no rule is the best within")
def test_a_best_value_that_is_only_come_near_to_is_told() -> None:
    """Flagging none costs .4 and has no precision, so it breaks the limit; mixtures with it come near to .4."""
    hybrid = rh.Hybrid().add("s", [1, 0, 1, 1, 0, 0, 0, 1, 0, 0], [5, 5, 5, 4, 4, 4, 3, 3, 2, 1])
    costs, half = rh.ExpectedCost(10, 1, 0.4), rh.Precision(prevalence=0.4) >= 0.5
    report = rh.Report(hybrid, rh.conditions.Within(costs, half))
    found = report.facts
    assert found["condition"]["approached"] == 0.4
    assert found["chosen"]["expected_cost"] == pytest.approx(1.2)
    told = approached_note(found)
    assert told is not None
    assert "nearer the expected cost comes to 0.4, that of flagging none, which has no precision" in told
    assert told in " ".join(report.to_text().split())
    assert [row["breaks"] for row in found["baselines"][:2]] == [True, True]
    assert found["condition"]["limited"]
    assert str(limit_note(found)).startswith("The limit is kept")
    for other in (costs, rh.conditions.Within(costs, [half, rh.AlarmRate() >= 0.1]), rh.NeymanPearson(0.2)):
        facts = rh.Report(hybrid, other).facts
        assert facts["condition"]["approached"] is approached_note(facts) is None
        assert not [row for row in facts["baselines"] if row["kind"] == "best" and row["breaks"]]


def test_a_least_share_is_not_shown_as_the_most_that_is_flagged() -> None:
    hybrid = rh.Hybrid().add("s", [1, 0, 1, 0, 0], [5, 4, 3, 2, 1])
    for limit, shown in ((rh.AlarmRate() >= 0.3, None), (rh.AlarmRate() <= 0.3, {"fraction": 0.3})):
        facts = rh.Report(hybrid, rh.conditions.Within(rh.ExpectedCost(9, 1), limit)).facts
        assert facts["condition"]["limits"] == shown
