"""What stands below the answer; pages and terminal are compared in the tests of the answer and of limits."""

import pytest

import report_cases as cases
import rochull as rh
from rochull.report.data_wording import on_few
from rochull.report.verdict_notes import approached_note, limit_note, meaning


@pytest.mark.usefixtures("keys")
def test_what_the_words_of_the_sentence_mean() -> None:
    german = cases.shipped("german_credit_scores", "class", "bad")
    for condition, positive, keys in (
        (rh.ExpectedCost(1, 5), "bad", "scores, flag named, costs, unit, half"),
        (rh.ExpectedCost(10, 50), "bad", "scores, flag named, costs, same unit, half"),
        (rh.NeymanPearson(0.1), "positive", "scores, flag, errors, half"),
        (rh.Review(), "bad", "scores, flag named, reviews, unit"),
    ):
        told = str(meaning(rh.Report(german, condition, about={"positive": positive}).facts))
        assert told == " ".join(f"answer.meaning.{key}" for key in keys.split(", "))
    assert meaning(rh.Report(german).facts) is None


@pytest.mark.parametrize("first", [1, 4, 5])
def test_a_precision_that_rests_on_few_cases_says_so(first: int) -> None:
    """The first cases are all positive; below them the precision is one half."""
    labels = [1] * first + [1, 0] * 20
    scores = [9] * first + [1] * 40
    hybrid = rh.Hybrid().add("score", labels, scores)
    report = rh.Report(hybrid, rh.MinimumPrecision(1.0))
    told = on_few(report.facts)
    assert (told is None) == (first == 5)
    assert told is None or f"on {first} past case" in told
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
