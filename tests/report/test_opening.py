"""The state that the page begins with, of every kind of condition."""

from typing import Any

import pytest

import report_cases as cases
import rochull as rh
from rochull.report.opening import opening

COSTS = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3)
RANGE = rh.ExpectedCost(cost_fp=1, cost_fn=(2, 10), prevalence=0.3)
STAKES = {"goal": "cost", "cost_fp": 1, "cost_fn": 5, "prevalence": 0.3}
SHOWN: dict[str, tuple[Any, dict[str, Any]]] = {
    "costs": (COSTS, STAKES),
    "range": (RANGE, STAKES | {"cost_fn": [2, 10]}),
    "limits": (
        rh.Within(COSTS, [rh.NeymanPearson(0.4), rh.MinimumRecall(0.7)]),
        STAKES | {"max_fpr": 0.4, "min_recall": 0.7} | {"within": {"max_fpr": 0.4, "min_recall": 0.7}},
    ),
    "fpr": (rh.NeymanPearson(0.1), {"goal": "max_fpr", "max_fpr": 0.1}),
    "recall": (rh.MinimumRecall(0.8), {"goal": "min_recall", "min_recall": 0.8}),
    "precision": (
        rh.MinimumPrecision(0.6, prevalence=0.3),
        {"goal": "min_precision", "min_precision": 0.6, "prevalence": 0.3},
    ),
    "capacity": (
        rh.Capacity(20, population=80, prevalence=0.2),
        {"goal": "capacity", "fraction": 0.25, "prevalence": 0.2},
    ),
    "review": (rh.Review(cost_fp=1, cost_fn=5, cost_review=0.3, prevalence=0.3), STAKES),
}
OTHERS: dict[str, tuple[Any, dict[str, Any], dict[str, Any]]] = {
    "youden": (rh.Youden(), {}, {"otherwise": "cost", "priced": False, "limits": 0}),
    "both costs": (
        rh.ExpectedCost(cost_fp=(1, 2), cost_fn=5, prevalence=0.3),
        {"cost_fp": 1.5, "cost_fn": 5},
        {"range": True, "priced": True},
    ),
    "sure": (
        rh.NeymanPearson(0.1, confidence=0.9),
        {"max_fpr": 0.1},
        {"otherwise": "max_fpr", "sure": 0.9, "limits": 1},
    ),
    "reviews of few errors": (
        rh.Review(cost_fp=1, cost_fn=5, prevalence=0.3, max_error=0.1),
        {"cost_fn": 5},
        {"review": True, "limits": 0},
    ),
}


def facts_of(condition: Any) -> dict[str, Any]:
    hybrid = cases.shipped("german_credit_scores", "class", "bad")
    return dict(rh.Report(hybrid, condition).facts)


@pytest.mark.parametrize("kind", SHOWN)
def test_the_controls_show_what_they_can(kind: str) -> None:
    condition, wanted = SHOWN[kind]
    assert facts_of(condition)["opening"] == {"movable": True, "state": wanted}


@pytest.mark.parametrize("kind", OTHERS)
def test_other_conditions_show_the_numbers_that_the_controls_have(kind: str) -> None:
    condition, numbers, own = OTHERS[kind]
    found = facts_of(condition)["opening"]
    assert not found["movable"]
    assert found["state"]["goal"] == "report"
    assert found["state"].items() >= numbers.items()
    assert found["state"]["own"].items() >= own.items()


def test_a_draw_under_a_range_within_limits_is_not_theirs() -> None:
    within = rh.Within(RANGE, [rh.NeymanPearson(0.3)])
    asked = facts_of(within)
    assert asked["opening"]["movable"]
    assert not opening(asked | {"mixtures": True, "answer": None})["movable"]


def test_there_is_none_without_a_condition() -> None:
    assert facts_of(None)["opening"] is None
