"""Expectations over imprecise conditions: what the best of a hull loses on average, and how regret spreads.

With independent numbers the mean cost of a rule needs their means only. What is left is the mean of
the least cost, which is the same for all rules. On a hull it is a sum over the edges,
``sum of min(w d_fpr, m d_tpr)``: an edge is taken if and only if that is cheaper. Each term is a
minimum of two linear functions of one number, and so has a mean in closed form if that number is
uniform. All quadrature is on fixed points: the same in every run.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from rochull._core.threads import share_out
from rochull._core.validation import Array
from rochull.conditions.cost_spans import NUMBERS
from rochull.conditions.costs import ExpectedCost
from rochull.conditions.frontier import Frontier
from rochull.conditions.question import Question
from rochull.conditions.ranges import Distribution, exact

_POINTS = 1 << 14  # of the sample that quantiles are read from, to 1/1000 of probability
_FEW_POINTS = 1 << 9  # where each is expensive
_BLOCK = 1 << 21  # floats held at once
Number = float | Fraction


@dataclass(frozen=True)
class Panels:
    """How finely [0, 1] is divided: halved towards both ends, each part in panels of so many nodes."""

    halvings: int
    parts: int
    nodes: int = 6


# By the number of dimensions of the quadrature, with and without a number that is integrated exactly.
_FINE = {
    (1, True): Panels(40, 2), (2, True): Panels(8, 1),
    (1, False): Panels(40, 16), (2, False): Panels(10, 4), (3, False): Panels(5, 1),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class CostMeans:
    """Averages under an imprecise ExpectedCost.

    Attributes
    ----------
    weights : mean of ``w`` and ``m``, exact for numbers and intervals; may be inf.
    least : mean of the least cost over the hull.
    accuracy : how far `least` may be off; 0 if it is exact.
    sample : (3, s) ``w``, ``m`` and the least cost at fixed points of equal probability.
    """

    weights: tuple[Number, Number]
    least: Number
    accuracy: float
    sample: Array

    def mean(self, x: Fraction, y: Fraction) -> float:
        """The mean regret at given rates."""
        parts = [weight * rate for weight, rate in zip(self.weights, (x, 1 - y), strict=True) if rate]
        return max(0.0, float(sum(parts) - self.least))

    def quantile(self, fpr: Array, tpr: Array, q: float) -> Array:
        """A quantile of the regret at each of many rates."""
        w, m, least = self.sample
        rates, where = np.unique(np.column_stack((fpr, tpr)), axis=0, return_inverse=True)
        step = max(1, _BLOCK // w.size)

        def part(start: int) -> Array:
            x, y = rates[start : start + step].T
            lost = np.outer(x, w) + np.outer(1 - y, m) - least
            return np.asarray(np.quantile(lost, q, axis=1, method="hazen", overwrite_input=True))

        found = share_out(part, range(0, len(rates), step))
        return np.maximum(0.0, np.concatenate(found))[where.ravel()] if found else np.empty(0)


def cost_means(condition: ExpectedCost, frontier: Frontier) -> CostMeans:
    """The means of an imprecise condition against the best of a hull."""
    values = {name: getattr(condition, name) for name in NUMBERS}
    a, b, p = map(mean_of, values.values())
    of_fpr, of_miss = ((1 - p) * a if p != 1 else p * 0), (p * b if p else p)
    least, accuracy = _mean_least(values, frontier)
    # The sum over the edges is all of it where a hull goes from (0, 0) to (1, 1).
    begin, end = frontier.point(0)[0], 1 - frontier.point(-1)[1]
    least += of_fpr * begin if begin else 0
    least += of_miss * end if end else 0
    names = [*condition.question.spread]
    drawn = dict(zip(names, sobol(len(names), _POINTS), strict=True))
    at = [quantiles(value, drawn[name]) if name in drawn else value for name, value in values.items()]
    w, m = np.broadcast_arrays((1 - at[2]) * at[0], at[2] * at[1])
    sample = np.vstack([w.ravel(), m.ravel(), least_costs(w.ravel(), m.ravel(), frontier)])
    return CostMeans((of_fpr, of_miss), least, accuracy, sample)


def mean_of(value: Any) -> Number:
    """The mean of a number, of an interval read as uniform, or of a distribution."""
    if isinstance(value, tuple):
        return (exact(value[0]) + exact(value[1])) / 2
    if not isinstance(value, Distribution):
        return exact(value)
    if callable(getattr(value.given, "mean", None)):
        found = float(value.given.mean())
    else:
        nodes, weights = _nodes(value, _FINE[1, False])
        found = float(nodes @ weights)
    if math.isnan(found):
        raise ValueError(f"{value!r} has no mean, so there is no mean regret; give an interval.")
    return found if math.isinf(found) else Fraction(found)


def least_costs(w: Array, m: Array, frontier: Frontier) -> Array:
    """The least cost over a hull at each pair of weights (n,)."""
    fpr, tpr = frontier.fpr, frontier.tpr
    with np.errstate(divide="ignore", invalid="ignore"):
        wanted = np.where(m > 0, w / m, np.inf)
    best = np.searchsorted(-frontier.slopes, -wanted, side="left")
    return np.asarray(w * fpr[best] + m * (1 - tpr[best]))


# --- the mean of the least cost -----------------------------------------------------------------------


def _mean_least(values: dict[str, Any], frontier: Frontier) -> tuple[Number, float]:
    """The mean of the least cost, and how far it may be off."""
    inner = next((name for name in NUMBERS if isinstance(values[name], tuple)), None)
    outer = [n for n in NUMBERS if n != inner and isinstance(values[n], (tuple, Distribution))]
    if not outer:
        return _exact_mean(values, inner, frontier), 0.0
    panels = _FINE[len(outer), inner is not None]
    half = replace(panels, nodes=panels.nodes // 2)  # a coarse rule, which tells the accuracy
    fine, coarse = (_quadrature(values, inner, outer, frontier, rule) for rule in (panels, half))
    return Fraction(fine), abs(fine - coarse)


def _ends(values: dict[str, Any], inner: str | None) -> list[tuple[Any, Any]]:
    """The weights (w, m) at the lower and the upper end of the inner number; twice the same without one."""
    found = []
    for end in (0, 1):
        a, b, p = (values[n][end] if n == inner else values[n] for n in NUMBERS)
        found.append(((1 - p) * a, p * b))
    return found


def _exact_mean(values: dict[str, Any], inner: str | None, frontier: Frontier) -> Fraction:
    """In rationals, where one number at most is an interval."""
    numbers = {n: tuple(map(exact, v)) if isinstance(v, tuple) else exact(v) for n, v in values.items()}
    (w0, m0), (w1, m1) = _ends(numbers, inner)
    total = Fraction(0)
    for dx, dy in zip(np.diff(frontier.fp).tolist(), np.diff(frontier.tp).tolist(), strict=True):
        run, rise = Fraction(dx, frontier.n_neg), Fraction(dy, frontier.n_pos)
        start, stop = w0 * run - m0 * rise, w1 * run - m1 * rise
        begin, end = min(w0 * run, m0 * rise), min(w1 * run, m1 * rise)
        if start * stop < 0:
            t = start / (start - stop)
            total += (t * begin + (w0 + t * (w1 - w0)) * run + (1 - t) * end) / 2
        else:
            total += (begin + end) / 2
    return total


def _quadrature(
    values: dict[str, Any], inner: str | None, outer: list[str], frontier: Frontier, panels: Panels
) -> float:
    """By Gauss's rule on panels for the outer numbers; exact in the inner one, if there is one."""
    axes = [_nodes(values[name], panels) for name in outer]
    grids = np.meshgrid(*(nodes for nodes, _ in axes), indexing="ij")
    weight = np.ones(1)
    for _, weights in axes:
        weight = np.outer(weight, weights).ravel()
    at = values | {name: grid.ravel() for name, grid in zip(outer, grids, strict=True)}
    w0, m0, w1, m1 = (np.broadcast_to(part, weight.shape) for pair in _ends(at, inner) for part in pair)
    if inner is None:
        low, high = frontier.fpr[0], 1 - frontier.tpr[-1]
        return float(weight @ (least_costs(w0, m0, frontier) - w0 * low - m0 * high))
    run, rise = np.diff(frontier.fpr), np.diff(frontier.tpr)
    step = max(1, _BLOCK // (8 * max(1, run.size)))  # one vertex has no edges
    return math.fsum(
        float(
            weight[i : i + step] @ _edge_means([part[i : i + step] for part in (w0, m0, w1, m1)], run, rise)
        )
        for i in range(0, weight.size, step)
    )


def _edge_means(ends: list[Array], run: Array, rise: Array) -> Array:
    """The mean of the least cost (n,) as the weights go evenly from the first pair to the second."""
    w0, m0, w1, m1 = (part[:, None] for part in ends)
    start, stop = w0 * run - m0 * rise, w1 * run - m1 * rise
    begin, end = np.minimum(w0 * run, m0 * rise), np.minimum(w1 * run, m1 * rise)
    crossing = (start < 0) != (stop < 0)
    t = np.divide(start, start - stop, out=np.zeros_like(start), where=crossing)
    straight = begin + end
    bent = t * begin + (w0 + t * (w1 - w0)) * run + (1 - t) * end
    return np.asarray(np.where(crossing, bent, straight).sum(axis=1) / 2)


def _nodes(value: Any, panels: Panels) -> tuple[Array, Array]:
    """Nodes and weights for the mean of a function of one number.

    Panels are equal for an interval. For a distribution they are narrower towards both ends of
    [0, 1], the probabilities, because its quantiles may be steep there.
    """
    x, v = np.polynomial.legendre.leggauss(panels.nodes)
    if isinstance(value, tuple):
        edges = np.linspace(0, 1, 2 * panels.halvings * panels.parts + 1)
    else:
        left = np.concatenate(([0.0], 0.5 ** np.arange(panels.halvings, 0, -1)))
        left = np.unique(
            np.concatenate([np.linspace(*ends, panels.parts + 1) for ends in itertools.pairwise(left)])
        )
        edges = np.concatenate((left, 1 - left[-2::-1]))
    middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    u = (middle[:, None] + half[:, None] * x).ravel()
    return quantiles(value, u), (half[:, None] * v).ravel()


def quantiles(value: Any, u: Array) -> Array:
    """Quantiles of an interval, read as uniform, or of a distribution."""
    if isinstance(value, tuple):
        return np.asarray(value[0] + (value[1] - value[0]) * u)
    return np.asarray(value.ppf(u), dtype=float)


# The numbers that Sobol's recursion starts with, and which of them it combines, by dimension.
_SOBOL: tuple[tuple[list[int], list[int]], ...] = (([1], []), ([1], [1]), ([1, 3], [1, 1]))


def sobol(dimensions: int, size: int) -> Array:
    """Points (dimensions, size) that fill the unit cube evenly: Sobol's, at the middle of their cells.

    `size` is a power of two, and there are three dimensions at most. One by itself has equal steps.
    """
    bits = size.bit_length() - 1
    index = np.arange(size)
    points = np.zeros((dimensions, size), np.int64)
    for point, (start, taps) in zip(points, _SOBOL, strict=False):
        numbers = list(start)
        for k in range(len(numbers), bits):
            if not taps:
                numbers.append(1)
                continue
            degree = len(taps)
            number = numbers[k - degree] ^ (numbers[k - degree] << degree)
            for j, tap in enumerate(taps[:-1], start=1):
                number ^= tap * (numbers[k - j] << j)
            numbers.append(number)
        for k, number in enumerate(numbers[:bits]):
            point ^= ((index >> k) & 1) * (number << (bits - 1 - k))
    return np.asarray((points + 0.5) / size)


# --- constraints ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LimitMeans:
    """Averages of the objective at the best point, where a limit is imprecise.

    Attributes
    ----------
    best : mean of the objective at the best point.
    accuracy : how far that may be off; 0 if it is exact.
    sample : (s,) the objective at the best point, at fixed points of equal probability.
    """

    best: Number
    accuracy: float
    sample: Array


_PANELS = {1: 64, 2: 8, 3: 3, 4: 2}  # of two nodes each


Turns = list[tuple[Fraction, Number]]


def limit_means(
    question: Question,
    best: Callable[[Question], Number],
    turns: Turns | None,
    frontier: Frontier | None,
) -> LimitMeans:
    """The means of an imprecise constraint.

    `best` tells the objective at the best point under a precise question. It is straight between
    the `turns` of the only interval, where it is known; None if that is not so, or if there are
    several intervals. It is the best point of the `frontier`, if there is one.
    """
    names = [*question.spread]
    if not names:
        only = best(question)
        return LimitMeans(only, 0.0, np.array([float(only)]))

    def at(u: Array) -> float:
        ends = question.box
        numbers = {
            n: float(ends[n][0] + (ends[n][1] - ends[n][0]) * x) for n, x in zip(names, u, strict=True)
        }
        return float(best(question.with_numbers(**numbers)))

    spread = None
    if frontier is not None:
        drawn = zip(names, sobol(len(names), _POINTS), strict=True)
        spread = question.span.best_values(frontier, {n: quantiles(question.box[n], x) for n, x in drawn})
    if spread is None:
        spread = np.array([at(u) for u in sobol(len(names), _FEW_POINTS).T])
    if turns is not None:
        return LimitMeans(_straight_mean(question, best, turns), 0.0, spread)
    x, v = np.polynomial.legendre.leggauss(2)
    found = []
    for panels in (_PANELS[len(names)], max(1, _PANELS[len(names)] // 2)):
        u = ((np.arange(panels)[:, None] + (1 + x) / 2) / panels).ravel()
        weight = np.tile(v / 2, panels) / panels
        grid = itertools.product(zip(u, weight, strict=True), repeat=len(names))
        found.append(
            math.fsum(math.prod(w for _, w in node) * at(np.array([q for q, _ in node])) for node in grid)
        )
    return LimitMeans(found[0], abs(found[0] - found[1]), spread)


def _straight_mean(question: Question, best: Callable[[Question], Number], turns: Turns) -> Number:
    """The mean of a function that is straight between its turns: the trapezoid rule."""
    (name,) = question.spread
    ends = question.box[name]
    low, high = ((exact(end), best(question.with_numbers(**{name: end}))) for end in ends)
    stops = [low, *(turn for turn in turns if low[0] < turn[0] < high[0]), high]
    areas = [(t1 - t0) * (v0 + v1) / 2 for (t0, v0), (t1, v1) in itertools.pairwise(stops)]
    return sum(areas) / (high[0] - low[0])
