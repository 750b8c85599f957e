"""A frontier of operating points, and the climb to the best of them under any utility."""

from __future__ import annotations

import heapq
import itertools
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rochull._validation import Array

_TOLERANCE = 1e-9
_MAX_STEPS = 200_000
_SHORTEST = 2.0**-52  # of an edge


@dataclass(frozen=True, eq=False)
class Frontier:
    """Points from (0, 0) to (1, 1), ascending in both rates: vertices of a hull, or a raw curve.

    Attributes
    ----------
    fp, tp : int64 (k,) counts, units, or rates on a grid.
    n_neg, n_pos : the totals.
    """

    fp: Array
    tp: Array
    n_neg: int
    n_pos: int

    @property
    def fpr(self) -> Array:
        """False positive rates (k,)."""
        return self.fp / self.n_neg

    @property
    def tpr(self) -> Array:
        """True positive rates (k,)."""
        return self.tp / self.n_pos

    def point(self, i: int) -> tuple[Fraction, Fraction]:
        """Rates of vertex i, exactly."""
        return Fraction(int(self.fp[i]), self.n_neg), Fraction(int(self.tp[i]), self.n_pos)


@dataclass(frozen=True)
class Choice:
    """Point `left` of a frontier, or its mixture with the next one: `share` of the latter."""

    left: int
    share: Fraction = Fraction(0)

    def rates(self, frontier: Frontier) -> tuple[float, float]:
        """False and true positive rate of the choice."""
        (x, y) = frontier.point(self.left)
        if self.share:
            x1, y1 = frontier.point(self.left + 1)
            x, y = x + self.share * (x1 - x), y + self.share * (y1 - y)
        return float(x), float(y)


def _checked(function: Callable[[float, float], float]) -> Callable[[float, float], float]:
    """The function, with an error where its value is not a number: nothing is best there."""

    def value(fpr: float, tpr: float) -> float:
        found = float(function(fpr, tpr))
        if math.isnan(found):
            raise ValueError(f"function is not a number at fpr {fpr:g}, tpr {tpr:g}.")
        return found

    return value


def climb(function: Callable[[float, float], float], frontier: Frontier, end: Choice) -> Choice:
    """The best point of a hull up to `end`, by branch and bound.

    On a stretch the function is at most ``f(fpr of its left end, tpr of its right end)``, because
    it does not rise with fpr nor fall with tpr. A function that is affine has its maximum at a
    stop (and may be constant along an edge, where the bound would need 10^9 steps).
    """
    function = _checked(function)

    stops = [Choice(i) for i in range(end.left + 1)] + ([end] if end.share else [])
    points = [stop.rates(frontier) for stop in stops]
    values = [function(*point) for point in points]
    top = max(range(len(stops)), key=lambda i: (values[i], -points[i][0], points[i][1]))
    best_value, best = values[top], stops[top]

    def within(i: int, share: float) -> tuple[float, float]:
        (x0, y0), (x1, y1) = points[i], points[i + 1]
        return x0 + share * (x1 - x0), y0 + share * (y1 - y0)

    heap: list[tuple[float, int, float, float]] = []  # minus the bound; from share to share of a stretch
    for i in range(0 if _is_affine(function) else len(stops) - 1):
        heapq.heappush(heap, (-function(points[i][0], points[i + 1][1]), i, 0.0, 1.0))
    for step in itertools.count():
        if not heap or -heap[0][0] <= best_value + _TOLERANCE:
            break
        if step == _MAX_STEPS:
            gap = -heap[0][0] - best_value
            warnings.warn(f"utility: the optimum is proven to within {gap:.1g} only.", stacklevel=5)
            break
        _, i, left, right = heapq.heappop(heap)
        middle = (left + right) / 2
        start, point, stop = within(i, left), within(i, middle), within(i, right)
        if point in (start, stop) or right - left < _SHORTEST:  # the function jumps here
            continue
        value = function(*point)
        if value > best_value + _TOLERANCE / 2:  # else a mixture could win by a rounding error
            whole = end.share if i == end.left and end.share else 1
            best_value, best = value, Choice(i, Fraction(middle) * whole)
        for one, other, p, q in ((left, middle, start, point), (middle, right, point, stop)):
            bound = function(p[0], q[1])
            if bound > best_value + _TOLERANCE:
                heapq.heappush(heap, (-bound, i, one, other))
    return best


def _is_affine(function: Callable[[float, float], float]) -> bool:
    """Whether the function is a plane, judged at a dozen scattered points."""
    try:
        origin = function(0.0, 0.0)
    except ZeroDivisionError:  # such as a precision, undefined there
        return False
    along_x, along_y = function(1.0, 0.0) - origin, function(0.0, 1.0) - origin
    scale = abs(origin) + abs(along_x) + abs(along_y)
    if not math.isfinite(scale):  # such as a logarithm
        return False
    for k in range(1, 13):
        x, y = (k * 0.7548776662466927) % 1, (k * 0.5698402909980532) % 1
        if not abs(function(x, y) - origin - x * along_x - y * along_y) <= 1e-12 * scale:
            return False
    return True


def climb_points(function: Callable[[float, float], float], frontier: Frontier, end: int) -> int:
    """The best single point up to index `end`, with the same bound on runs of points."""
    function = _checked(function)
    fpr, tpr = frontier.fpr, frontier.tpr

    def value(i: int) -> float:
        return function(float(fpr[i]), float(tpr[i]))

    top = max((0, end), key=lambda i: (value(i), -i))
    best_value = value(top)
    heap = [(-function(float(fpr[0]), float(tpr[end])), 0, end)]
    while heap:
        bound, left, right = heapq.heappop(heap)
        # Of equals, the first.
        if right - left < 2 or -bound < best_value or (-bound == best_value and left >= top):
            continue
        middle = (left + right) // 2
        here = value(middle)
        if here > best_value or (here == best_value and middle < top):
            best_value, top = here, middle
        for one, other in ((left, middle), (middle, right)):
            bound = function(float(fpr[one]), float(tpr[other]))
            if bound >= best_value:
                heapq.heappush(heap, (-bound, one, other))
    return min(end, int(np.searchsorted(frontier.fp, frontier.fp[top], side="right")) - 1)
