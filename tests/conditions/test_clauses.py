"""Conditions in words: each in every vocabulary, and one sentence for all spellings of one question."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import scipy.stats

import rochull as rh
from rochull.conditions import clauses
from rochull.conditions.base import Condition
from rochull.conditions.objectives import Objective
from rochull.conditions.within import as_condition
from rochull.words.clauses import Clause, WordlessError, catalogue

COSTS = rh.ExpectedCost(1, 5, prevalence=0.2)


def gain(fpr: float, tpr: float) -> float:
    """Return Youden's index, as a function."""
    return tpr - fpr


@pytest.mark.parametrize(
    ("condition", "reference", "legend", "options"),
    [
        (
            COSTS,
            "lowest expected cost: a false positive costs 1, a false negative 5, prevalence 0.2",
            "costs 1 : 5",
            "--cost-fp 1 --cost-fn 5 --prevalence 0.2",
        ),
        (
            rh.ExpectedCost(1, (2, 1500)),
            "lowest expected cost: a false positive costs 1, a false negative 2 to 1500, prevalence that of the data",
            "costs 1 : 2 to 1500",
            "--cost-fp 1 --cost-fn 2:1500",
        ),
        (
            rh.ExpectedCost(1, scipy.stats.uniform(2, 3), 0.5),
            "lowest expected cost: a false positive costs 1, a false negative uniform(2, 3), prevalence 0.5",
            "costs 1 : uniform(2, 3)",
            "--cost-fp 1 --cost-fn uniform(2, 3) --prevalence 0.5",
        ),
        (
            rh.Accuracy(0.1),
            "lowest expected cost: a false positive costs 1, a false negative 1, prevalence 0.1",
            "highest accuracy",
            "--cost-fp 1 --cost-fn 1 --prevalence 0.1",
        ),
        (
            rh.NeymanPearson(0.05, confidence=0.95),
            "highest true positive rate with a false positive rate of at most 0.05; kept in the population with "
            "confidence 0.95",
            "FPR ≤ 5 %",
            "--max-fpr 0.05 --confidence 0.95",
        ),
        (
            rh.NeymanPearson((0.05, 0.1)),
            "highest true positive rate with a false positive rate of at most 0.05 to 0.1",
            "FPR ≤ 5 to 10 %",
            "--max-fpr 0.05:0.1",
        ),
        (
            rh.MinimumRecall(0.9),
            "lowest false positive rate with a true positive rate of at least 0.9",
            "TPR ≥ 90 %",
            "--min-recall 0.9",
        ),
        (
            rh.MinimumPrecision(0.8, prevalence=0.1),
            "highest true positive rate with a precision of at least 0.8, prevalence 0.1",
            "precision ≥ 80 %",
            "--min-precision 0.8 --prevalence 0.1",
        ),
        (
            rh.Capacity(fraction=0.05),
            "highest true positive rate with an alarm rate of at most 0.05, prevalence that of the data",
            "5 % flagged",
            "--max-share 0.05",
        ),
        (
            rh.Capacity(cases=137),
            "highest true positive rate with at most 137 cases flagged",
            "137 cases flagged",
            "--max-cases 137",
        ),
        (
            rh.Capacity(cases=200, population=10_000, prevalence=0.1),
            "highest true positive rate with at most 200 of 10000 cases flagged, prevalence 0.1",
            "200 of 10000 flagged",
            "--max-cases 200 --population 10000 --prevalence 0.1",
        ),
        (rh.Utility(gain), "highest utility", "Utility", None),
        (
            rh.Constrained(gain, 0.5, 0.25, 0.1),
            "highest utility with 0.5 tpr + 0.25 fpr <= 0.1",
            "Utility, 0.5 tpr + 0.25 fpr <= 0.1",
            None,
        ),
        (rh.Youden(), "highest Youden's index", "highest Youden's index", "--maximise youden"),
        (
            rh.FBeta(2, prevalence=0.1),
            "highest F2, prevalence 0.1",
            "highest F2",
            "--maximise f-beta --beta 2 --prevalence 0.1",
        ),
        (
            rh.Precision(0.25),
            "highest precision, prevalence 0.25",
            "highest precision",
            None,
        ),
        (
            rh.Within(COSTS, [rh.Precision() >= 0.5, rh.FBeta(2) >= 0.4, rh.Youden() >= 0.3], confidence=0.9),
            "lowest expected cost: a false positive costs 1, a false negative 5; with a precision of at least 0.5, an "
            "F2 of at least 0.4 and a Youden's index of at least 0.3; prevalence 0.2; kept in the population with "
            "confidence 0.9",
            "costs 1 : 5, precision ≥ 50 %, F2 ≥ 40 % and Youden's index ≥ 0.3",
            None,
        ),
        (
            rh.Within(COSTS, [rh.Precision(0.1) >= 0.5, rh.ExpectedCost(2, 3) <= 0.4]),
            "lowest expected cost: a false positive costs 1, a false negative 5; with a precision of at least 0.5 "
            "(prevalence 0.1) and an expected cost per case of at most 0.4 (a false positive costs 2, a false negative "
            "3); prevalence 0.2",
            "costs 1 : 5, precision ≥ 50 % and cost ≤ 0.4",
            None,
        ),
        (
            rh.Within(COSTS, [rh.FalsePositiveRate() <= 0.1, rh.Recall() >= 0.6]),
            "lowest expected cost: a false positive costs 1, a false negative 5; with a false positive rate of at most "
            "0.1 and a true positive rate of at least 0.6; prevalence 0.2",
            "costs 1 : 5, FPR ≤ 10 % and TPR ≥ 60 %",
            "--cost-fp 1 --cost-fn 5 --max-fpr 0.1 --min-recall 0.6 --prevalence 0.2",
        ),
        (
            rh.Review(max_share=0.1, max_error=0.05, reviewer=(0.1, 0.9), prevalence=0.2),
            "lowest expected cost: a false positive costs 1, a false negative 1, a review 0.1, prevalence 0.2; at most "
            "0.1 of the cases reviewed; at most 0.05 errors among the others; a reviewer with fpr 0.1 and tpr 0.9",
            "review",
            "--cost-fp 1 --cost-fn 1 --cost-review 0.1 --prevalence 0.2 --max-review-share 0.1 --max-decided-error 0.05 "
            "--reviewer-fpr 0.1 --reviewer-tpr 0.9",
        ),
        (
            rh.Review(max_cases=50),
            "lowest expected cost: a false positive costs 1, a false negative 1, a review 0.1, prevalence that of the "
            "data; at most 50 cases of a batch reviewed",
            "review",
            "--cost-fp 1 --cost-fn 1 --cost-review 0.1 --max-reviews 50",
        ),
        (
            rh.conditions.ChurnProfit(prevalence=0.2),
            "highest expected profit of a campaign against churn: a false positive costs 11, a hit brings 56 on average, "
            "prevalence 0.2",
            "highest profit against churn",
            None,
        ),
        (
            rh.conditions.CreditProfit(prevalence=0.2),
            "highest expected profit of lending: a false positive costs 0.2644, a hit saves 0.275 on average, "
            "prevalence 0.2",
            "highest profit of lending",
            None,
        ),
    ],
)
def test_in_words(condition: Any, reference: str, legend: str, options: str | None) -> None:
    condition = as_condition(condition)
    assert condition.describe() == reference
    assert condition.label == legend
    if options is None:
        with pytest.raises(WordlessError, match="command has no words for"):
            clauses.OPTIONS.told(condition.question.clause)
    else:
        assert clauses.OPTIONS.told(condition.question.clause) == options
    written = json.loads(json.dumps(condition.question.clause.to_dict()))
    assert Clause.from_dict(written).to_dict() == condition.question.clause.to_dict()


def test_a_prevalence_of_the_data_says_so() -> None:
    hull = rh.roc_hull([1, 0, 0] * 5, [3, 2, 1] * 5)
    known = rh.MinimumPrecision(0.5).at_prevalence(hull.prevalence)
    assert known.describe().endswith("of at least 0.5, prevalence 0.3333 (that of the data)")
    assert clauses.OPTIONS.told(known.question.clause) == "--min-precision 0.5"


FPR, AT = rh.FalsePositiveRate() <= 0.1, 0.25


@pytest.mark.parametrize(
    "spellings",
    [
        (
            lambda: rh.NeymanPearson(0.1),
            lambda: rh.Within(rh.Recall(), FPR),
            lambda: rh.Within(rh.Recall(), [rh.NeymanPearson(0.1)]),
            lambda: rh.Within(rh.NeymanPearson(0.1), [FPR]),
        ),
        (
            lambda: rh.MinimumRecall(0.8),
            lambda: rh.Within(rh.FalsePositiveRate(), rh.Recall() >= 0.8),
        ),
        (
            lambda: rh.MinimumPrecision(0.8),
            lambda: rh.Within(rh.Recall(), rh.Precision() >= 0.8),
        ),
        (
            lambda: rh.MinimumPrecision(0.8, prevalence=AT),
            lambda: rh.Within(rh.Recall(), rh.Precision(AT) >= 0.8),
            lambda: rh.Within(rh.Recall(), [rh.MinimumPrecision(0.8, AT)]),
        ),
        (
            lambda: rh.Capacity(fraction=0.05, prevalence=AT, confidence=0.9),
            lambda: rh.Within(rh.Recall(), rh.AlarmRate(AT) <= 0.05, confidence=0.9),
        ),
        (
            lambda: rh.Within(COSTS, [FPR, rh.Recall() >= 0.5]),
            lambda: rh.Within(rh.Within(COSTS, FPR), rh.Recall() >= 0.5),
            lambda: rh.Within(COSTS, [rh.NeymanPearson(0.1), rh.MinimumRecall(0.5)]),
        ),
        (lambda: rh.Accuracy(AT), lambda: rh.ExpectedCost(1, 1, AT)),
    ],
)
def test_one_sentence_for_all_spellings(spellings: tuple[Callable[[], Condition], ...]) -> None:
    said = {spelling().describe() for spelling in spellings}
    assert len(said) == 1


def measures(of: type[Objective] = Objective) -> Iterator[type[Objective]]:
    """Yield the measures of the package."""
    for each in of.__subclasses__():
        if hasattr(each, "key") and each.__module__.startswith("rochull."):
            yield each
        yield from measures(each)


def test_every_measure_has_its_word() -> None:
    keys = {each.key for each in measures()}
    assert {f"measure.{key}" for key in keys} <= set(catalogue())


def test_a_measure_that_is_not_in_the_catalogue_is_spoken_of_by_its_key() -> None:
    class Height(rh.Youden):
        key = "height above chance"

    assert as_condition(Height()).describe() == "highest height above chance"
    assert rh.Within(rh.Recall(), Height() >= 0.25).describe() == (
        "highest true positive rate with a height above chance of at least 0.25"
    )
