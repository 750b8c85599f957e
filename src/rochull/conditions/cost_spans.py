"""Costs over the ranges of their numbers: which slopes there are, and which vertices are best somewhere."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

from rochull.conditions.frontier import Frontier, least_cost_vertex
from rochull.conditions.objectives import raised_weights
from rochull.conditions.ranges import Distribution, exact
from rochull.conditions.spans import Span
from rochull.conditions.vertices import unsaid

NUMBERS = ("cost_fp", "cost_fn", "prevalence")


class CostSpan(Span):
    """Effect of the numbers of costs, over their ranges and one by one.

    Parameters
    ----------
    condition : ExpectedCost
        Of one number a parameter, intervals, or distributions.
    names : tuple of str
        The numbers that can be varied.
    """

    amounts = ("cost_fp", "cost_fn")

    def __init__(self, condition: Any, names: tuple[str, ...] = NUMBERS) -> None:
        super().__init__(condition)
        self.names = names

    @property
    def spans(self) -> tuple[tuple[Any, Any], ...]:
        """The ends (low, high) of `cost_fp`, `cost_fn` and `prevalence`; of one number twice the same."""
        if self.condition.prevalence is None:
            raise unsaid()
        return tuple(map(_ends, (getattr(self.condition, name) for name in NUMBERS)))

    @property
    def unbounded_error(self) -> tuple[bool, bool]:
        """Whether a false alarm, and a miss, can cost more than any bound."""
        low, high = self.extreme_weights
        (_, most_fp), (_, most_fn), _ = self.spans
        return math.isinf(most_fp) and not high[1] and bool(high[0]), (
            math.isinf(most_fn) and not low[0] and bool(low[1])
        )

    @property
    def extreme_weights(self) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
        """The weights at the smallest and the largest slope; beside an infinite one the other is zero."""
        fp, fn, p = self.spans
        found = []
        for cost_fp, cost_fn, share, degenerate in (
            (fp[0], fn[1], p[1], (1, 0)),
            (fp[1], fn[0], p[0], (0, 1)),
        ):
            weights = (1 - exact(share), cost_fp), (exact(share), cost_fn)
            if any(part and math.isinf(cost) for part, cost in weights):
                pair = tuple(Fraction(bool(part) and math.isinf(cost)) for part, cost in weights)
            else:
                pair = tuple(part * exact(cost) if part else part for part, cost in weights)
            # Both are zero only at the end of a range, where one of the costs is zero everywhere.
            of_fpr, of_miss = pair if any(pair) else map(Fraction, degenerate)
            found.append((of_fpr, of_miss))
        return found[0], found[1]

    def segment(self, frontier: Frontier) -> tuple[int, int]:
        low, high = self.extreme_weights  # a slope of 0 that is only approached is not reached
        _, is_approached = self.unbounded_error
        last = least_cost_vertex(raised_weights(low, -1), frontier, level=not is_approached)
        return least_cost_vertex(raised_weights(high), frontier), last

    def varied(self) -> tuple[str, ...]:
        return self.names

    def turning_points(self, name: str, frontier: Frontier) -> list[tuple[Fraction, int]]:
        a, b, p = (exact(getattr(self.condition, part)) for part in NUMBERS)
        found = []
        for i, ((x0, y0), (x1, y1)) in enumerate(itertools.pairwise(frontier.points())):
            run, rise = x1 - x0, y1 - y0
            top, bottom = {
                "cost_fp": (p * b * rise, (1 - p) * run),
                "cost_fn": ((1 - p) * a * run, p * rise),
                "prevalence": (a * run, a * run + b * rise),
            }[name]
            if bottom:
                found.append((top / bottom, i))
        return sorted(found)


def _ends(value: Any) -> tuple[Any, Any]:
    if isinstance(value, Distribution):
        return value.support()
    return value if isinstance(value, tuple) else (value, value)
