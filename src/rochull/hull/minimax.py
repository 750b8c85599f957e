"""The rule that risks least over a range of conditions: its largest regret against the hull is the least."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from rochull.conditions.base import Condition, as_condition
from rochull.conditions.frontier import Choice
from rochull.conditions.ranges import ImpreciseConditionError
from rochull.conditions.rules import OperatingPoint
from rochull.conditions.worst_case import CostRegret
from rochull.hull.hull import RocHull, point_at, point_on_curve

Found: TypeAlias = tuple[OperatingPoint, Fraction, Fraction]  # a point, and its exact rates


def found_at(hull: RocHull, choice: Choice) -> Found:
    """The point of a choice on a hull."""
    return point_at(hull, choice), *choice.exact_rates(hull.frontier)


def least_worst(stakes: CostRegret, hull: RocHull, condition: Condition) -> Found | None:
    """The point of a hull, mixed or not, of least worst regret; None if that of every point is infinite.

    An error if no point keeps the limits of the condition, where it has some besides costs.
    """
    stretch = condition.stretch(hull.frontier)
    choice = stakes.minimax(stretch.frontier)
    return None if choice is None else found_at(hull, stretch.restored(choice))


def least_worst_single(stakes: CostRegret, hull: RocHull, condition: Condition) -> Found | None:
    """The same of single thresholds: those of the vertices, and of the raw curves that are held."""
    vertex = stakes.minimax_single(hull.frontier, condition.allowed(hull.frontier))
    best, least = (None, None) if vertex is None else (found_at(hull, Choice(vertex[0])), vertex[1])
    for name, curve in hull.curves.items():
        points = curve.frontier
        other = stakes.minimax_single(points, condition.allowed(points))
        if other is not None and (least is None or other[1] < least):
            i, least = other
            best = point_on_curve(name, curve, i), *points.point(i)
    return best


def minimax_point(hull: RocHull, asked: Condition, deterministic: bool = False) -> OperatingPoint:
    """The rule that risks least over the range of a condition; the best one, if it is precise.

    Under a limit it is the best point at the strictest end: no other is allowed everywhere.
    """
    condition = as_condition(asked).at_prevalence(hull.prevalence)
    own = condition.own_point(hull.alone(), deterministic, minimax=True)
    if own is not None:
        return own.under(asked)
    costs = condition.costs
    if costs is None or not condition.intervals:
        return hull.at(asked.ends()[0] if condition.intervals else asked, deterministic)
    stakes = CostRegret(costs, condition.stretch(hull.frontier).frontier)
    found = (least_worst_single if deterministic else least_worst)(stakes, hull, condition)
    if found is None:
        raise ImpreciseConditionError(f"every rule can lose without bound under {condition!r}.")
    return found[0].under(asked)
