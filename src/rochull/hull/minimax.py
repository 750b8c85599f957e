"""The rule that risks least over a range of conditions: its largest regret against the hull is the least."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TypeAlias

import numpy as np

from rochull._core.validation import Array
from rochull.conditions.assurance import needs_every_threshold
from rochull.conditions.base import Condition
from rochull.conditions.frontier import Choice, Frontier
from rochull.conditions.objectives import Objective
from rochull.conditions.question import Question
from rochull.conditions.ranges import ImpreciseConditionError
from rochull.conditions.rules import OperatingPoint
from rochull.conditions.worst_case import CostRegret
from rochull.hull.blocks import upper_hull
from rochull.hull.hull import RocHull, held_rules, point_at, point_on_curve
from rochull.hull.ways import OverRange, way_of

Found: TypeAlias = tuple[OperatingPoint, Fraction, Fraction]  # a point, and its exact rates


def found_at(hull: RocHull, choice: Choice) -> Found:
    """The point of a choice on a hull."""
    return point_at(hull, choice), *choice.exact_rates(hull.frontier)


def least_worst(stakes: CostRegret, hull: RocHull, question: Question) -> Found | None:
    """The point of a hull, mixed or not, of least worst regret; None if that of every point is infinite.

    An error if no point keeps the limits of the condition, where it has some besides costs.
    """
    for stretch in (question.stretch(hull.frontier, closed=True), question.stretch(hull.frontier)):
        choice = stakes.minimax(stretch.frontier)
        if choice is None:
            return None
        found = found_at(hull, stretch.restored(choice))
        if question.is_met(*found[1:]):  # not where it would be best to flag next to nothing
            break
    return found


@dataclass(frozen=True, eq=False)
class SingleRules:
    """Points of a hull or of a raw curve that keep some limits, each of which is a single rule.

    Attributes
    ----------
    points : the hull or the curve.
    among : int (m,) those that keep the limits.
    made : makes the operating point of one.
    """

    points: Frontier
    among: Array
    made: Callable[[int], OperatingPoint]

    def found(self, i: int) -> Found:
        """One of the points."""
        return self.made(i), *self.points.point(i)


def single_rules(hull: RocHull, question: Question) -> list[SingleRules]:
    """The single rules that keep the limits of a condition: vertices, and points of the curves that are held.

    With a stated confidence those are meant with which the population keeps the limits, all of them at once.
    """
    held = [*held_rules(hull)]
    if needs_every_threshold(question, hull.frontier):
        every = hull.known_thresholds()
        held = [(every.frontier, partial(point_on_curve, every.name, every.curve))]
    return [SingleRules(points, question.allowed(points), made) for points, made in held]


def least_worst_single(stakes: CostRegret, rules: Iterable[SingleRules]) -> Found | None:
    """The single rule of least worst regret; None if that of every one is infinite."""
    best, least = None, None
    for part in rules:
        other = stakes.minimax_single(part.points, part.among)
        if other is not None and (least is None or other[1] < least):
            best, least = part.found(other[0]), other[1]
    return best


def hull_over(rules: Iterable[SingleRules]) -> tuple[Frontier, list[Found]]:
    """The upper hull of single rules on the same examples, with a rule at each vertex."""
    parts = [part for part in rules if part.among.size]
    fp, tp = (np.concatenate([getattr(p.points, axis)[p.among] for p in parts]) for axis in ("fp", "tp"))
    order = np.lexsort((tp, fp))
    order = order[: int(np.argmax(tp[order])) + 1]  # what is right of the highest is beneath it
    order = order[upper_hull(fp[order], tp[order])]
    ends = np.cumsum([part.among.size for part in parts])
    made = []
    for j in order.tolist():
        part = parts[k := int(np.searchsorted(ends, j, side="right"))]
        made.append(part.found(int(part.among[j - ends[k]])))
    n_neg, n_pos = parts[0].points.n_neg, parts[0].points.n_pos
    return Frontier(fp[order], tp[order], n_neg, n_pos), made


def minimax_point(hull: RocHull, asked: Condition | Question, deterministic: bool = False) -> OperatingPoint:
    """The rule that risks least over the range of a condition; the best one, if it is precise.

    Under a limit it is the best point at the strictest end: no other is allowed everywhere.
    """
    question = asked.question.at_prevalence(hull.prevalence)
    way = way_of(question, deterministic)
    if not isinstance(way, OverRange):
        return way.point(hull).under(asked.question)
    own = question.own_point(hull.alone(), deterministic, minimax=True)
    if own is not None:
        return own.under(asked.question)
    if isinstance(question.goal, Objective):
        return way_of(question.ends()[0], deterministic).point(hull).under(asked.question)
    stakes = CostRegret(question.costs, question.stretch(hull.frontier, closed=True).frontier)
    if deterministic:
        found = least_worst_single(stakes, single_rules(hull, question))
    else:
        found = least_worst(stakes, hull, question)
    if found is None:
        raise ImpreciseConditionError(f"every rule can lose without bound under {question!r}.")
    return found[0].under(asked.question)
