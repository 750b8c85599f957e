"""The best point of a frontier under any utility: a climb by branch and bound."""

from __future__ import annotations

import contextlib
import heapq
import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from rochull._core.messages import refused
from rochull._core.warned import warn
from rochull.conditions.frontier import Choice, Frontier

Rates = tuple[float, float]
_TOLERANCE = 1e-9
_MAX_STEPS = 200_000
_STEPS_TO_CHECK = 2_000
_SHORTEST = 2.0**-52  # of an edge
_NEAR_ORIGIN = 2.0**-20  # of the first edge: beyond it a ratio of the rates is known to the tolerance
_GRID = 16  # steps each way, on which the direction of a function is checked


def _checked(function: Callable[[float, float], float]) -> Callable[[float, float], float]:
    """The function, with an error where its value is not a number: nothing is best there."""

    def value(fpr: float, tpr: float) -> float:
        try:
            found = float(function(fpr, tpr))
        except ZeroDivisionError:
            if fpr or tpr:
                raise refused(
                    "function",
                    "divides by zero at fpr {}, tpr {}; define its value there, such as by its limit.",
                    f"{fpr:g}",
                    f"{tpr:g}",
                ) from None
            return -math.inf  # such as a precision: where nothing is called positive, it is not best
        if math.isnan(found):
            raise refused("function", "is not a number at fpr {}, tpr {}.", f"{fpr:g}", f"{tpr:g}")
        return found

    return value


def check_direction(function: Callable[[float, float], float]) -> None:
    """Raise if the function is seen to rise with fpr, or to fall with tpr, above the diagonal."""
    grid = np.arange(_GRID + 1) / _GRID
    values = np.full((grid.size, grid.size), math.nan)  # by fpr and tpr
    for i, j in itertools.combinations_with_replacement(range(grid.size), 2):
        with contextlib.suppress(ArithmeticError, ValueError):  # it may be undefined at the border
            values[i, j] = function(float(grid[i]), float(grid[j]))
    with np.errstate(invalid="ignore"):
        slack = _TOLERANCE * np.fmax(1, np.abs(values))
        rises = np.argwhere(values[1:] > values[:-1] + slack[:-1])
        falls = np.argwhere(values[:, 1:] < values[:, :-1] - slack[:, :-1])
    for found, step, what in ((rises, (1, 0), "rise with fpr"), (falls, (0, 1), "fall with tpr")):
        if len(found):
            at = [tuple(found[0]), tuple(found[0] + step)]
            shown = (f"{values[p]:g} at fpr {grid[p[0]]:g}, tpr {grid[p[1]]:g}" for p in at)
            raise _misdirected(what, *shown)


def _misdirected(what: str, first: str, second: str) -> ValueError:
    return ValueError(f"function must not {what}, but is {first}, and {second}.")


def climb(function: Callable[[float, float], float], frontier: Frontier, end: Choice) -> Choice:
    """The best point of a hull up to `end`, by branch and bound.

    On a stretch the function is at most ``f(fpr of its left end, tpr of its right end)``, because
    it does not rise with fpr nor fall with tpr. Along an edge on which it is constant and best the
    bound would need 10^9 steps. So after some steps edges are closed along which the function is
    found to be straight, for there the best is at a stop; and after `_MAX_STEPS`, or where it jumps, the
    search ends with a warning that says what is proven. A value above its bound is an error.
    """
    function = _checked(function)

    stops = [Choice(i) for i in range(end.left + 1)] + ([end] if end.share else [])
    points = [stop.rates(frontier) for stop in stops]
    values = [function(*point) for point in points]
    top = max(range(len(stops)), key=lambda i: (values[i], -points[i][0], points[i][1]))
    best_value, best = values[top], stops[top]

    unproven = best_value
    # Minus the bound; from share to share of a stretch. What is sorted is a heap.
    heap = sorted((-function(points[i][0], points[i + 1][1]), i, 0.0, 1.0) for i in range(len(stops) - 1))
    for step in itertools.count():
        if not heap or -heap[0][0] <= best_value + _TOLERANCE:
            break
        if step == _STEPS_TO_CHECK:
            straight = {i for i in {entry[1] for entry in heap} if _is_straight(function, *points[i : i + 2])}
            heap = sorted(entry for entry in heap if entry[1] not in straight)
            continue
        if step == _MAX_STEPS:
            unproven = max(unproven, -heap[0][0])
            break
        minus, i, left, right = heapq.heappop(heap)
        middle = (left + right) / 2
        start, point, stop = (_within(points[i], points[i + 1], share) for share in (left, middle, right))
        if point in (start, stop) or right - left < _SHORTEST:  # the function jumps here
            if i or left > _NEAR_ORIGIN:  # at (0, 0) it may, as a precision does
                unproven = max(unproven, -minus)
            continue
        value = function(*point)
        _check_bound(-minus, (start[0], stop[1]), value, point)
        if value > best_value + _TOLERANCE / 2:  # else a mixture could win by a rounding error
            whole = end.share if i == end.left and end.share else 1
            best_value, best = value, Choice(i, Fraction(middle) * whole)
        for one, other, p, q in ((left, middle, start, point), (middle, right, point, stop)):
            bound = function(p[0], q[1])
            if bound > best_value + _TOLERANCE:
                heapq.heappush(heap, (-bound, i, one, other))
    if unproven > best_value + _TOLERANCE:
        gap = unproven - best_value
        warn(f"utility: the optimum is proven to within {gap:.1g} only.")
    return best


def _within(start: Rates, stop: Rates, share: float) -> Rates:
    """So far along an edge."""
    (x0, y0), (x1, y1) = start, stop
    return x0 + share * (x1 - x0), y0 + share * (y1 - y0)


def _check_bound(bound: float, corner: Rates, value: float, point: Rates) -> None:
    """Raise if a value is above that at a corner with fewer false alarms and more hits."""
    if value > bound + _TOLERANCE * max(1.0, abs(bound)):
        shown = (f"{v:g} at fpr {x:g}, tpr {y:g}" for v, (x, y) in ((bound, corner), (value, point)))
        raise _misdirected("rise with fpr or fall with tpr", *shown)


def _is_straight(function: Callable[[float, float], float], start: Rates, stop: Rates) -> bool:
    """Whether the function is linear along an edge, as far as 1,025 points on it tell."""
    begin = 0 if math.isfinite(function(*start)) else 1  # such as a precision, undefined at (0, 0)
    values = [function(*_within(start, stop, k / 1024)) for k in range(begin, 1025)]
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

    def bound_of(left: int, right: int) -> float:
        """The most that is possible between two points; where the corner is undefined, anything."""
        corner = float(fpr[left]), float(tpr[right])
        return function(*corner) if any(corner) else math.inf

    heap = [(-bound_of(0, end), 0, end)]
    while heap:
        bound, left, right = heapq.heappop(heap)
        # Of equals, the first.
        if right - left < 2 or -bound < best_value or (-bound == best_value and left >= top):
            continue
        middle = (left + right) // 2
        here = value(middle)
        corner, point = (float(fpr[left]), float(tpr[right])), (float(fpr[middle]), float(tpr[middle]))
        if any(corner):
            _check_bound(-bound, corner, here, point)
        if here > best_value or (here == best_value and middle < top):
            best_value, top = here, middle
        for one, other in ((left, middle), (middle, right)):
            bound = bound_of(one, other)
            if bound >= best_value:
                heapq.heappush(heap, (-bound, one, other))
    return min(end, int(np.searchsorted(frontier.fp, frontier.fp[top], side="right")) - 1)
