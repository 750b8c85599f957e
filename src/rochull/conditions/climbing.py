"""The best point of a frontier under any utility: a climb by branch and bound."""

from __future__ import annotations

import heapq
import itertools
import math
import warnings
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from rochull.conditions.frontier import Choice, Frontier

_TOLERANCE = 1e-9
_MAX_STEPS = 200_000
_STEPS_TO_CHECK = 2_000
_SHORTEST = 2.0**-52  # of an edge


def _checked(function: Callable[[float, float], float]) -> Callable[[float, float], float]:
    """The function, with an error where its value is not a number: nothing is best there."""

    def value(fpr: float, tpr: float) -> float:
        try:
            found = float(function(fpr, tpr))
        except ZeroDivisionError:  # such as a precision at (0, 0): what is undefined is not best
            return -math.inf
        if math.isnan(found):
            raise ValueError(f"function is not a number at fpr {fpr:g}, tpr {tpr:g}.")
        return found

    return value


def climb(function: Callable[[float, float], float], frontier: Frontier, end: Choice) -> Choice:
    """The best point of a hull up to `end`, by branch and bound.

    On a stretch the function is at most ``f(fpr of its left end, tpr of its right end)``, because
    it does not rise with fpr nor fall with tpr. Along an edge on which it is constant and best the
    bound would need 10^9 steps. So after some steps edges are closed along which the function is
    found to be straight, for there the best is at a stop; and after `_MAX_STEPS` the search ends
    with a warning that says what is proven.
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
    for i in range(len(stops) - 1):
        heapq.heappush(heap, (-function(points[i][0], points[i + 1][1]), i, 0.0, 1.0))
    for step in itertools.count():
        if not heap or -heap[0][0] <= best_value + _TOLERANCE:
            break
        if step == _STEPS_TO_CHECK:
            straight = {i for i in {entry[1] for entry in heap} if _is_straight(function, *points[i : i + 2])}
            heap = sorted(entry for entry in heap if entry[1] not in straight)  # sorted is a heap
            continue
        if step == _MAX_STEPS:
            gap = -heap[0][0] - best_value
            warnings.warn(f"utility: the optimum is proven to within {gap:.1g} only.", stacklevel=4)
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


def _is_straight(
    function: Callable[[float, float], float], start: tuple[float, float], stop: tuple[float, float]
) -> bool:
    """Whether the function is linear along an edge, as far as 1,025 points on it tell."""
    (x0, y0), (x1, y1) = start, stop
    begin = 0 if math.isfinite(function(x0, y0)) else 1  # such as a precision, undefined at (0, 0)
    values = [function(x0 + k / 1024 * (x1 - x0), y0 + k / 1024 * (y1 - y0)) for k in range(begin, 1025)]
    if not all(map(math.isfinite, values)):
        return False
    step = (values[-1] - values[0]) / (len(values) - 1)
    return all(abs(value - values[0] - k * step) <= _TOLERANCE / 10 for k, value in enumerate(values))


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
