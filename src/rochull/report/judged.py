"""Cases that judge the rules of a report and did not choose them, and rules to compare with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rochull.conditions.costs import ExpectedCost, costs_of
from rochull.conditions.rules import ALWAYS, NEVER, Rule
from rochull.conditions.within import as_condition
from rochull.hull.ways import Assured, OverRange, WithReviews, way_of

if TYPE_CHECKING:
    from rochull.conditions.base import Condition
    from rochull.hybrid.hybrid import Hybrid


def judged_under(condition: Condition | None, prevalence: float | None) -> Condition:
    """Give the condition, if rules can be judged under it; else that both errors cost 1."""
    even = ExpectedCost(1.0, 1.0, prevalence)
    if condition is not None:
        known = as_condition(condition).question.at_prevalence(prevalence)
        way = way_of(known, deterministic=True)
        if isinstance(way, Assured | OverRange | WithReviews):
            return even
        if costs_of(known) is not None or known.objective.key in {"tpr", "fpr"}:
            asked: Condition = known.asked
            return asked
    return even


def against_of(hybrid: Hybrid, condition: Condition | None) -> Rule:
    """The rule that the best single one is compared with, unless the reader names it."""
    asked = judged_under(condition, hybrid.hull.prevalence)
    costs = costs_of(asked)
    own = hybrid.at(asked, deterministic=True).rules[0][0]
    alarm, miss = (1.0, 1.0) if costs is None else map(float, costs.weights)
    return usual_rule(hybrid, own, (alarm, miss))[1]


def usual_rule(hybrid: Hybrid, own: Rule | None, costs: tuple[float, float] | None) -> tuple[str, Rule]:
    """The rule to compare with unless the reader names one, by what all errors of a class cost.

    The rule's score at 0.5, if its scores are within [0, 1]; else the cheaper of flagging nobody and
    everybody.
    """
    known = []
    if own is not None and own.classifier in hybrid.hundredths:
        known.append(("half", Rule("threshold", own.classifier, 0.5, own.lower_is_positive)))
    ends = [("none", NEVER), ("all", ALWAYS)]
    alarm, miss = costs or (1.0, 1.0)
    ends = ends if miss <= alarm else ends[::-1]
    return next(each for each in (*known, *ends) if each[1] != own)
