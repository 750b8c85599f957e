"""What a classifier alone loses against several together."""

from __future__ import annotations

from dataclasses import dataclass

from rochull.conditions import Condition, ExpectedCost, MinimumRecall
from rochull.rules import OperatingPoint


@dataclass(frozen=True)
class Regret:
    """How one classifier, alone, compares with the hybrid under a condition (in-sample).

    Attributes
    ----------
    point : OperatingPoint or None
        Its own best operating point; None if the condition is infeasible for it.
    value : float
        What is lost against the hybrid: expected cost a case for linear costs, false positive rate
        for a minimum recall, else true positive rate (or utility); inf if infeasible.
    """

    point: OperatingPoint | None
    value: float


def loss(point: OperatingPoint, condition: Condition) -> float:
    """What the condition minimises, at a point that it chose."""
    if isinstance(condition, ExpectedCost):
        return point.expected_cost(condition)
    if isinstance(condition, MinimumRecall):
        return point.fpr
    utility = getattr(condition, "utility", condition)
    if hasattr(utility, "function"):
        return -float(utility.function(point.fpr, point.tpr))
    return -point.tpr
