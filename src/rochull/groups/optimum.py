"""The cheapest points of groups whose rates must agree, exactly; and the mixtures that reach them.

With one constrained rate, the cost of a group as a function of that rate is convex and linear between
the vertices of its hull, so the best common rate is found among them. With both rates constrained, the
common point is on the least of the hulls, which is concave.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from rochull.groups.linear_program import NOTHING, GroupHull, Levels, Point, nearest

Mixture = tuple[tuple[int, Fraction], ...]  # vertices, ascending, with their probabilities

CONSTRAINTS = ("none", "demographic_parity", "equal_tpr", "equal_fpr", "equalised_odds")
FPR, TPR = (Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))


def constrained_rates(groups: Sequence[GroupHull], constraint: str) -> list[list[Point]]:
    """For each rate that is constrained, the (a, b) of every group: the rate is a fpr + b tpr."""
    selected = [(1 - group.prevalence, group.prevalence) for group in groups]
    fpr, tpr = [FPR] * len(groups), [TPR] * len(groups)
    found = {
        "none": [],
        "demographic_parity": [selected],
        "equal_tpr": [tpr],
        "equal_fpr": [fpr],
        "equalised_odds": [fpr, tpr],
    }
    return found[constraint]


def most_parts(groups: Sequence[GroupHull], rates: Sequence[Sequence[Point]]) -> int:
    """The largest denominator that a rate's difference between two groups may have, at vertices."""
    found = 1
    for pairs in rates:
        parts = [1, 1]
        for group, (a, b) in zip(groups, pairs, strict=True):
            steps = a / group.frontier.n_neg, b / group.frontier.n_pos
            parts.append(math.lcm(*(step.denominator for step in steps)))
        found = max(found, math.prod(sorted(parts)[-2:]))
    return found


def optimal_points(groups: Sequence[GroupHull], constraint: str, tolerance: Fraction) -> list[Point]:
    """The cheapest (fpr, tpr) of every group; of equals, the lower fpr of the population."""
    rates = constrained_rates(groups, constraint)
    if not rates:
        return [group.vertices[group.best()] for group in groups]
    if len(rates) == 1:
        return _at_common_rate(groups, rates[0], tolerance)
    if tolerance:
        return nearest(groups, rates, tolerance)
    return [_on_least_hull(groups)] * len(groups)


# --- one rate ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Ladder:
    """A group's hull by its constrained rate, which ascends from 0 to 1: the best point at each."""

    rates: list[Fraction]  # k constrained rates, ascending
    points: list[Point]  # k vertices
    slopes: list[Levels]  # k - 1 changes, by level, of each edge for one unit of the rate; they ascend
    best: Fraction  # the rate at which the group is best

    @classmethod
    def of(cls, group: GroupHull, rate: Point) -> _Ladder:
        """The ladder of a group for the rate a fpr + b tpr."""
        a, b = rate
        steps: dict[Fraction, Point] = {}
        for x, y in group.vertices:
            r = a * x + b * y
            if r not in steps or x == steps[r][0]:  # of equals the leftmost, and there the highest
                steps[r] = x, y
        rates, points = list(steps), list(steps.values())
        slopes = []
        for i, (x, y) in enumerate(points[1:]):
            length = rates[i + 1] - rates[i]
            cost, fp, tp = group.change(x - points[i][0], y - points[i][1])
            slopes.append((cost / length, fp / length, tp / length))
        return cls(rates, points, slopes, rates[bisect_left(slopes, NOTHING)])

    def rise(self, rate: Fraction) -> Levels:
        """The change by one more unit of the rate, to the right of a rate below 1."""
        return self.slopes[bisect_right(self.rates, rate) - 1]

    def at(self, rate: Fraction) -> Point:
        """The best point at a rate."""
        i = bisect_right(self.rates, rate) - 1
        (x, y), share = self.points[i], rate - self.rates[i]
        if share:
            x1, y1 = self.points[i + 1]
            share /= self.rates[i + 1] - self.rates[i]
            x, y = x + share * (x1 - x), y + share * (y1 - y)
        return x, y


def _at_common_rate(groups: Sequence[GroupHull], rates: Sequence[Point], tolerance: Fraction) -> list[Point]:
    """The best points whose rates lie in a window as long as the tolerance.

    Every group is as near to its own best as the window lets it. The sum of the costs is convex in the
    window's lower end, and linear between the places where one of its ends is a vertex's rate.
    """
    ladders = [_Ladder.of(group, rate) for group, rate in zip(groups, rates, strict=True)]
    last = 1 - tolerance

    def rises(low: Fraction) -> bool:
        """Whether a higher window is no better."""
        total = NOTHING
        for ladder in ladders:
            if low + tolerance < ladder.best:
                step = ladder.rise(low + tolerance)
            elif low >= ladder.best:
                step = ladder.rise(low)
            else:
                continue
            total = total[0] + step[0], total[1] + step[1], total[2] + step[2]
        return total >= NOTHING

    lows = [low for ladder in ladders for low in ladder.rates]
    if tolerance:
        lows += [low - tolerance for ladder in ladders for low in ladder.rates]
    lows = sorted(low for low in lows if 0 <= low < last)  # ascending runs, which sort fast
    i = bisect_left(lows, True, key=rises)
    low = lows[i] if i < len(lows) else last
    return [ladder.at(min(max(ladder.best, low), low + tolerance)) for ladder in ladders]


# --- both rates -------------------------------------------------------------------------------------


def _line(group: GroupHull, x: Fraction) -> Point:
    """Height of a hull at a false positive rate, and its slope to the right of it."""
    j = group.edge(x)
    (x0, y0), (x1, y1) = group.vertices[j : j + 2]
    slope = (y1 - y0) / (x1 - x0)
    return y0 + slope * (x - x0), slope


def _on_least_hull(groups: Sequence[GroupHull]) -> Point:
    """The best point that all groups can reach: a vertex of the least of their hulls."""
    of_fpr, of_miss = sum(group.of_fpr for group in groups), sum(group.of_miss for group in groups)

    def falls(line: Point) -> bool:
        """Whether going right is no better: a tie has the lower false positive rate."""
        return of_miss * line[1] <= of_fpr

    stops = sorted(x for group in groups for x in group.tops[0] if x < 1)
    i = bisect_left(stops, True, key=lambda x: falls(min(_line(group, x) for group in groups)))
    if i == 0:
        return Fraction(0), min(_line(group, Fraction(0))[0] for group in groups)
    x, end = stops[i - 1], stops[i] if i < len(stops) else Fraction(1)
    lines = [_line(group, x) for group in groups]  # straight up to the next stop
    here = min(lines)
    while True:
        height, slope = here
        crossings = [((h - height) / (slope - s), s) for h, s in lines if s < slope]
        reach, flatter = min(crossings, default=(end - x, slope))
        if reach >= end - x:
            return end, height + slope * (end - x)
        x, height = x + reach, height + slope * reach
        lines = [(h + s * reach, s) for h, s in lines]
        here = height, flatter
        if falls(here):
            return x, height


# --- mixtures ---------------------------------------------------------------------------------------


def mixture(group: GroupHull, point: Point) -> Mixture:
    """Vertices and probabilities that reach a point between the hull and the diagonal, exactly.

    On the hull they are a vertex, or the two ends of an edge. Below it a constant is added: the ray from
    (0, 0), or (1, 1), through the point leaves the region through an edge. Of the two ways the one with
    fewer rules is taken, and of these the one that relies on constants less.
    """
    vertices = group.vertices
    x, y = point
    j = group.edge(x)
    (x0, y0), (x1, y1) = vertices[j : j + 2]
    if x1 > x0 and (y - y0) * (x1 - x0) == (x - x0) * (y1 - y0):
        share = (x - x0) / (x1 - x0)
        return _without_zeros([(j, 1 - share), (j + 1, share)])
    last = len(vertices) - 1
    mirrored = [(1 - b, 1 - a) for a, b in reversed(vertices)]
    ways = [_from_corner(vertices, point)]
    ways.append([(last - i, share) for i, share in reversed(_from_corner(mirrored, (1 - y, 1 - x)))])

    def worth(way: Mixture) -> tuple[int, Fraction]:
        return len(way), sum((share for i, share in way if i in (0, last)), Fraction(0))

    return min(map(_without_zeros, ways), key=worth)


def _from_corner(vertices: list[Point], point: Point) -> list[tuple[int, Fraction]]:
    """A mixture of vertex 0, which is at (0, 0), with the edge that the ray to a point goes through."""
    x, y = point
    if y == 0:
        return [(0, Fraction(1))]

    def beyond(i: int) -> Fraction:
        """How far a vertex is to the right of the ray, as an area; it ascends from vertex 1 on."""
        a, b = vertices[i]
        return a * y - b * x

    last = len(vertices) - 1
    j = bisect_right(range(1, last + 1), Fraction(0), key=beyond)  # the last one that is not
    if j == last:
        return [(0, 1 - y), (last, y)]
    share = -beyond(j) / (beyond(j + 1) - beyond(j))
    part = y / (vertices[j][1] + share * (vertices[j + 1][1] - vertices[j][1]))
    return [(0, 1 - part), (j, part * (1 - share)), (j + 1, part * share)]


def _without_zeros(way: Sequence[tuple[int, Fraction]]) -> Mixture:
    return tuple((i, share) for i, share in way if share)
