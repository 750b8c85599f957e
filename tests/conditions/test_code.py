"""The Python that makes a condition, which makes it again."""

from dataclasses import dataclass
from typing import Any

import pytest
import scipy.stats

import rochull as rh
from rochull.conditions.code import code
from rochull.conditions.within import as_condition


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (rh.ExpectedCost(1, 5, prevalence=0.2), "ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.2)"),
        (rh.ExpectedCost(1, (2, 7.5)), "ExpectedCost(cost_fp=1, cost_fn=(2, 7.5))"),
        (rh.Accuracy(0.1), "Accuracy(prevalence=0.1)"),
        (rh.NeymanPearson(0.1, confidence=0.95), "NeymanPearson(max_fpr=0.1, confidence=0.95)"),
        (rh.Capacity(cases=137), "Capacity(cases=137)"),
        (rh.Recall(), "Recall()"),
        (rh.FBeta(2, prevalence=0.1), "FBeta(beta=2, prevalence=0.1)"),
        (
            rh.Review(max_share=0.1, reviewer=(0.1, 0.9)),
            "Review(cost_fp=1, cost_fn=1, cost_review=0.1, max_share=0.1, reviewer=(0.1, 0.9))",
        ),
        (
            rh.conditions.ChurnProfit(prevalence=0.2),
            "ChurnProfit(lifetime_value=200, incentive=10, contact=1, acceptance=(6, 14), prevalence=0.2)",
        ),
        (
            rh.Within(rh.ExpectedCost(1, 5), [rh.Precision(0.1) >= 0.5, rh.Capacity(cases=9)], 0.9),
            "Within(rh.conditions.ExpectedCost(cost_fp=1, cost_fn=5), [rh.conditions.Precision(prevalence=0.1) >= 0.5, "
            "rh.conditions.Capacity(cases=9)], confidence=0.9)",
        ),
    ],
)
def test_it_makes_the_same(condition: Any, text: str) -> None:
    made = as_condition(condition)
    assert code(made) == f"rh.conditions.{text}"
    assert as_condition(eval(f"rh.conditions.{text}", {"rh": rh})) == made


@dataclass(frozen=True)
class Mine(rh.NeymanPearson):
    """A condition of somebody else."""


@pytest.mark.parametrize(
    "condition",
    [
        None,
        rh.Utility(lambda fpr, tpr: tpr - fpr),
        rh.ExpectedCost(1, scipy.stats.uniform(1, 2)),
        Mine(0.1),
        rh.Within(Mine(0.1), [rh.Recall() >= 0.1]),
    ],
)
def test_what_no_text_makes(condition: Any) -> None:
    assert code(condition) is None
