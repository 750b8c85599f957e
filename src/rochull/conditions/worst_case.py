"""Exact losses of rules under imprecise conditions: worst cases, and the rule that risks least.

The expected cost ``w fpr + m (1 - tpr)``, with ``w = (1 - prevalence) cost_fp`` and ``m = prevalence
cost_fn``, is affine in each number of the condition separately. The least cost over a hull is a
minimum of such functions. So the regret, which is their difference, is convex in each number, and
its largest value over a box is at a corner. Along a hull it is convex too, and straight between the
places where another corner becomes the worst; so is the maximum over the corners.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rochull._core.validation import Array
from rochull.conditions.base import Condition
from rochull.conditions.cost_spans import CostSpan
from rochull.conditions.costs import ExpectedCost
from rochull.conditions.frontier import Choice, Frontier, least_cost_vertex

_ROUNDING = 1e-9  # of the largest cost: floats nearer than this are compared exactly


@dataclass(frozen=True)
class Worst:
    """The largest regret of a point over a box, and a corner where it is attained."""

    value: float
    corner: Condition | None


class CostRegret:
    """Regret in expected cost against the best of a hull, over the box of an ExpectedCost.

    Parameters
    ----------
    condition : ExpectedCost
        Of one number a parameter, intervals, or distributions.
    frontier : Frontier
        The vertices of the hull that regret is measured against.
    """

    def __init__(self, condition: ExpectedCost, frontier: Frontier) -> None:
        self.condition, self.frontier = condition, frontier
        self.is_rough = bool(condition.question.ranges)
        self.corners = condition.corners(finite=True)
        self.weights = [corner.weights for corner in self.corners]
        self.least = []
        for w, m in self.weights:
            i = least_cost_vertex((w, m), frontier)
            if not self.is_rough:  # what the condition calls best, ties to rounding included
                i = condition.question.best(frontier).left
            x, y = frontier.point(i)
            self.least.append(w * x + m * (1 - y))
        # A cost without bound, on an error that occurs, allows the rules only that never make it.
        self.never_alarm, self.never_miss = CostSpan(condition).unbounded_error
        self._lines: dict[tuple[int, int], tuple[list[tuple[int, int, int]], int]] = {}

    def worst(self, x: Fraction, y: Fraction) -> Worst:
        """The largest regret at given rates."""
        if (self.never_miss and y < 1) or (self.never_alarm and x > 0):
            return Worst(math.inf, None)
        terms = zip(self.weights, self.least, strict=True)
        values = [w * x + m * (1 - y) - least for (w, m), least in terms]
        if not values:  # both costs from nothing to without bound, and a rule that never errs
            return Worst(0.0, None)
        at = max(range(len(values)), key=values.__getitem__)
        return Worst(max(0.0, float(values[at])), self.corners[at])

    def lines(self, frontier: Frontier) -> tuple[list[tuple[int, int, int]], int]:
        """(a, b, c) of each corner: its regret at a vertex is ``(a fp - b tp + c) / scale``."""
        totals = frontier.n_neg, frontier.n_pos
        if totals not in self._lines:
            n_neg, n_pos = totals
            parts = [
                (w / n_neg, m / n_pos, m - least)
                for (w, m), least in zip(self.weights, self.least, strict=True)
            ]
            scale = math.lcm(*(number.denominator for part in parts for number in part))
            whole = [(int(a * scale), int(b * scale), int(c * scale)) for a, b, c in parts]
            self._lines[totals] = list(dict.fromkeys(whole)), scale
        return self._lines[totals]

    def approximately(self, fpr: Array, tpr: Array) -> Array:
        """The largest regret at many rates, in floats."""
        found = np.full(fpr.shape, -np.inf)
        for (w, m), least in zip(self.weights, self.least, strict=True):
            np.maximum(found, float(w) * fpr + float(m) * (1 - tpr) - float(least), out=found)
        return found if self.weights else np.zeros(fpr.shape)

    def minimax(self, frontier: Frontier) -> Choice | None:
        """The point of a hull whose largest regret is least; None if that of every point is infinite."""
        if not self.is_rough:
            return self.condition.question.best(frontier)
        first, last = self._allowed(frontier)
        if first > last:
            return None
        i = self._best_vertex(frontier, first, last)
        best, least = Choice(i), Fraction(self._value(frontier, i))
        for left in (i - 1, i):
            if first <= left and left + 1 <= last and frontier.fp[left] < frontier.fp[left + 1]:
                share, value = self._within(frontier, left)
                if value < least and 0 < share < 1:
                    best, least = Choice(left, share), value
        return best

    def minimax_single(self, points: Frontier, among: Array) -> tuple[int, Fraction] | None:
        """The same of some single points (m,), which need not be a hull's, and that regret."""
        indices = among
        if self.never_miss:
            indices = indices[points.tp[indices] == points.n_pos]
        if self.never_alarm:
            indices = indices[points.fp[indices] == 0]
        if not indices.size:
            return None
        values = self.approximately(points.fpr[indices], points.tpr[indices])
        near = indices[values <= values.min() + _ROUNDING * max(1e-300, float(np.abs(values).max()))]
        found = {int(i): self._value(points, int(i)) for i in near}
        i = min(found, key=lambda j: (found[j], points.fp[j], -points.tp[j]))
        return i, Fraction(found[i], self.lines(points)[1])

    def _allowed(self, frontier: Frontier) -> tuple[int, int]:
        first, last = 0, len(frontier.fp) - 1
        if self.never_miss:
            first = int(np.searchsorted(frontier.tp, frontier.n_pos, side="left"))
        if self.never_alarm:
            last = int(np.searchsorted(frontier.fp, 0, side="right")) - 1
        return first, last

    def _value(self, frontier: Frontier, i: int) -> int:
        fp, tp = int(frontier.fp[i]), int(frontier.tp[i])
        return max((a * fp - b * tp + c for a, b, c in self.lines(frontier)[0]), default=0)

    def _best_vertex(self, frontier: Frontier, first: int, last: int) -> int:
        """The first vertex of least value: convex, so a descent from where floats have it is enough.

        Going up a vertical edge costs nothing and finds more, so that is done on equal values too.
        """
        values = self.approximately(frontier.fpr[first : last + 1], frontier.tpr[first : last + 1])
        i = first + int(np.argmin(values))
        here = self._value(frontier, i)
        while i < last:
            after = self._value(frontier, i + 1)
            if after > here or (after == here and frontier.fp[i] < frontier.fp[i + 1]):
                break
            i, here = i + 1, after
        while i > first:
            before = self._value(frontier, i - 1)
            if before > here or (before == here and frontier.fp[i - 1] == frontier.fp[i]):
                break
            i, here = i - 1, before
        return i

    def _within(self, frontier: Frontier, left: int) -> tuple[Fraction, Fraction]:
        """The share of the right end at which the largest of the lines along an edge is least, and it.

        The two lines that are largest left and right of the minimum are found by turns: where they
        cross, another is larger, and replaces one of them; at most once for each line.
        """
        (x0, x1), (y0, y1) = map(int, frontier.fp[left : left + 2]), map(int, frontier.tp[left : left + 2])
        lines = self.lines(frontier)[0]
        starts = [(a * x0 - b * y0 + c, a * (x1 - x0) - b * (y1 - y0)) for a, b, c in lines]

        def top(t: Fraction | int, sign: int) -> tuple[int, int]:
            return max(starts, key=lambda line: (line[0] + t * line[1], sign * line[1]))

        falling, rising = top(0, 1), top(1, -1)
        if falling[1] >= 0:
            return Fraction(0), Fraction(falling[0])
        if rising[1] < 0:
            return Fraction(1), Fraction(sum(rising))
        while True:
            share = Fraction(falling[0] - rising[0], rising[1] - falling[1])
            value = falling[0] + share * falling[1]
            higher = top(share, -1)
            if higher[0] + share * higher[1] <= value:
                return share, value
            if higher[1] >= 0:
                rising = higher
            else:
                falling = higher
