"""Bands of review on a hull: from one vertex to another, cases are passed on; found exactly, in integers.

In each block (an edge of the hull) the cost of each action is linear in its negatives and positives. So
along the hull the cheapest action is positive first, then perhaps review, then negative: what is reviewed is
an interval of scores. That stays so where each use of what is limited (reviews, or errors) has a price, and
while the price rises the actions change block by block.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from rochull._core.cached import cached_property
from rochull.conditions.frontier import Choice, Frontier, first_where, in_integers

Weights: TypeAlias = tuple[Fraction | int, Fraction | int]  # of a case of each class: negative, positive
NEGATIVE, POSITIVE, REVIEW = range(3)  # as Action numbers them; of equally good ones the first is taken
_PAIRS = (POSITIVE, REVIEW), (REVIEW, NEGATIVE), (POSITIVE, NEGATIVE)


@dataclass(frozen=True)
class Amounts:
    """An amount that is linear in what is done, such as a cost: of a case of each class, by action."""

    negative: Weights
    positive: Weights
    review: Weights

    def folded(self, prevalence: Fraction) -> Amounts:
        """Return amounts that at a prevalence of 1/2 equal these at another one."""
        of_neg, of_pos = 2 * (1 - prevalence), 2 * prevalence
        made = ((of_neg * a, of_pos * b) for a, b in (self.negative, self.positive, self.review))
        return Amounts(*made)

    def scaled(self, of_neg: int, of_pos: int) -> tuple[list[tuple[int, int]], int]:
        """The same of a unit of each class in integers, by action, and how many times too large."""
        parts = [Fraction(x) for pair in (self.negative, self.positive, self.review) for x in pair]
        scale = math.lcm(*(part.denominator for part in parts))
        n = [int(part * scale) for part in parts]
        return [(n[i] * of_neg, n[i + 1] * of_pos) for i in (0, 2, 4)], scale


@dataclass(frozen=True, order=True)
class ReviewBand:
    """Band of reviewed cases: from the choice `high` of a frontier, above which all is positive, to `low`."""

    high: Choice
    low: Choice

    def mixed(self) -> Iterator[tuple[int, int, Fraction]]:
        """The pairs of vertices that it is a mixture of, with their shares: one, or up to three.

        The least share of a randomised end is used up by whoever is drawn first, so that no pair crosses.
        """
        (i, a), (j, b) = ((end.left, end.share) for end in (self.high, self.low))
        both, one = min(a, b), abs(a - b)
        middle = (i + 1, j) if a > b else (i, j + 1)
        for at, share in (((i, j), 1 - both - one), (middle, one), ((i + 1, j + 1), both)):
            if share:
                yield *at, share


class Review1D:
    """Decisions along one frontier with a third action.

    Parameters
    ----------
    frontier : Frontier
        Vertices of a hull.
    prevalence : Fraction
    cost : Amounts
        What is to be small.
    """

    def __init__(self, frontier: Frontier, prevalence: Fraction, cost: Amounts) -> None:
        self.frontier = frontier
        self.units = in_integers((1 - prevalence) / frontier.n_neg, prevalence / frontier.n_pos)
        self.x: list[int] = frontier.fp.tolist()
        self.y: list[int] = frontier.tp.tolist()
        self.total = self.units[0] * frontier.n_neg + self.units[1] * frontier.n_pos
        self.end = len(self.x) - 1
        self._cost, self._scale = cost.scaled(*self.units)

    # --- one block -----------------------------------------------------------------------------

    def _of(self, weights: tuple[int, int], i: int) -> int:
        """An amount in block i, if one thing is done in it."""
        return weights[0] * (self.x[i + 1] - self.x[i]) + weights[1] * (self.y[i + 1] - self.y[i])

    def _vertices(self, use: Sequence[tuple[int, int]], price: Fraction, side: int) -> tuple[int, int]:
        """Between which vertices to review at a price of use: just above it (side 1) or below (-1)."""
        top, bottom = price.numerator, price.denominator

        def best(i: int) -> int:
            """The best action in a block."""
            costs, uses = ([self._of(w, i) for w in each] for each in (self._cost, use))
            return min((bottom * costs[a] + top * uses[a], side * uses[a], a) for a in range(3))[2]

        # On a vertical edge nothing is wrong with calling all positive, even where misses cost nothing.
        high = first_where(0, self.end, lambda i: self.x[i + 1] > self.x[i] and best(i) != POSITIVE)
        return high, first_where(high, self.end, lambda i: best(i) == NEGATIVE)

    # --- a whole band --------------------------------------------------------------------------

    def _total(self, weights: Sequence[tuple[int, int]], band: ReviewBand) -> Fraction:
        """An amount of a whole band, in units."""
        ends = [self._counts(end) for end in (band.high, band.low)]
        begins = [(Fraction(0), Fraction(0)), *ends]
        ends.append((Fraction(self.x[-1]), Fraction(self.y[-1])))
        done = weights[POSITIVE], weights[REVIEW], weights[NEGATIVE]
        found = Fraction(0)
        for (of_neg, of_pos), (x0, y0), (x1, y1) in zip(done, begins, ends, strict=True):
            found += of_neg * (x1 - x0) + of_pos * (y1 - y0)
        return found

    def _counts(self, end: Choice) -> tuple[Fraction, Fraction]:
        i, share = end.left, end.share
        if not share:
            return Fraction(self.x[i]), Fraction(self.y[i])
        found = (axis[i] + share * (axis[i + 1] - axis[i]) for axis in (self.x, self.y))
        x, y = found
        return x, y

    def amount(self, band: ReviewBand, of: Amounts) -> Fraction:
        """An amount a case, exactly."""
        weights, scale = of.scaled(*self.units)
        return self._total(weights, band) / (scale * self.total)

    def cost(self, band: ReviewBand) -> Fraction:
        """The cost per case, exactly."""
        return self._total(self._cost, band) / (self._scale * self.total)

    # --- the best band -------------------------------------------------------------------------

    def cheapest(self, use: Amounts) -> ReviewBand:
        """The band of least cost, of equals that of least use."""
        high, low = self._vertices(use.scaled(*self.units)[0], Fraction(0), 1)
        return ReviewBand(Choice(high), Choice(low))

    def within(self, use: Amounts, most: Fraction) -> ReviewBand:
        """The cheapest band that uses at most so much a case; some band must."""
        weights, scale = use.scaled(*self.units)
        budget = most * scale * self.total

        def used(vertices: tuple[int, int]) -> Fraction:
            return self._total(weights, ReviewBand(*map(Choice, vertices)))

        start = self._vertices(weights, Fraction(0), 1)
        if used(start) <= budget:
            return ReviewBand(*map(Choice, start))
        price = self._price(weights, lambda price: used(self._vertices(weights, price, 1)) <= budget)
        path = _path(*(self._vertices(weights, price, side) for side in (-1, 1)))
        i = first_where(1, len(path) - 1, lambda i: used(path[i]) <= budget)
        before, after = used(path[i - 1]), used(path[i])
        share = (before - budget) / (before - after)
        high, low = (_between(a, b, share) for a, b in zip(path[i - 1], path[i], strict=True))
        return ReviewBand(high, low)

    def _price(self, use: Sequence[tuple[int, int]], is_enough: Callable[[Fraction], bool]) -> Fraction:
        """The least price of use that is enough, of those at which what is best changes in some block."""
        prices: list[tuple[float, int, int]] = []
        for one, other in _PAIRS:
            gain = [use[one][k] - use[other][k] for k in (0, 1)]
            loss = [self._cost[other][k] - self._cost[one][k] for k in (0, 1)]
            for i in range(self.end):
                run, rise = self.x[i + 1] - self.x[i], self.y[i + 1] - self.y[i]
                top, bottom = loss[0] * run + loss[1] * rise, gain[0] * run + gain[1] * rise
                if top * bottom > 0:
                    prices.append((top / bottom, top, bottom))
        prices.sort(key=lambda each: each[0])  # quotients of integers are correctly rounded, so in order
        at = first_where(0, len(prices) - 1, lambda i: is_enough(Fraction(*prices[i][1:])))
        low, high = (prices[i][0] for i in (max(at - 1, 0), at))
        near = sorted({Fraction(*each[1:]) for each in prices if low <= each[0] <= high})
        return near[first_where(0, len(near) - 1, lambda i: is_enough(near[i]))]

    # --- a share of reviews that is used up ------------------------------------------------------

    @cached_property
    def _masses(self) -> list[int]:
        """The weight of all cases up to each vertex, in units."""
        a, b = self.units
        return [a * x + b * y for x, y in zip(self.x, self.y, strict=True)]

    def _place(self, mass: Fraction) -> Choice:
        """Where so much weight is reached."""
        i = min(bisect.bisect_right(self._masses, mass) - 1, self.end)
        if self._masses[i] == mass:
            return Choice(i)
        return Choice(i, (mass - self._masses[i]) / (self._masses[i + 1] - self._masses[i]))

    def at_share(self, share: Fraction, use: Amounts, most: Fraction) -> tuple[ReviewBand | None, Fraction]:
        """The cheapest band that reviews this share and uses at most so much a case; and the least use.

        Along the bands that review this share, costs and uses are convex in where they begin.
        """
        weights, scale = use.scaled(*self.units)
        budget, width = most * scale * self.total, share * self.total
        starts = sorted(
            {
                Fraction(at)
                for mass in self._masses
                for at in (mass, mass - width)
                if 0 <= at <= self.total - width
            }
        )

        def band(start: Fraction) -> ReviewBand:
            return ReviewBand(self._place(start), self._place(start + width))

        def used(i: int) -> Fraction:
            return self._total(weights, band(starts[i]))

        def cost(i: int) -> Fraction:
            return self._total(self._cost, band(starts[i]))

        last = len(starts) - 1
        least = first_where(0, last, lambda i: used(i + 1) >= used(i))
        if used(least) > budget:
            return None, used(least) / (scale * self.total)
        first = first_where(0, least, lambda i: used(i) <= budget)
        final = first_where(least, last, lambda i: used(i + 1) > budget)
        best = first_where(0, last, lambda i: cost(i + 1) >= cost(i))
        if first <= best <= final:
            return band(starts[best]), used(least) / (scale * self.total)
        inside, outside = (first, first - 1) if best < first else (final, final + 1)
        part = (budget - used(inside)) / (used(outside) - used(inside))
        at = starts[inside] + part * (starts[outside] - starts[inside])
        return band(at), used(least) / (scale * self.total)

    # --- without mixtures ------------------------------------------------------------------------

    def single(
        self, costs: Sequence[tuple[Amounts, Fraction]], limits: Sequence[tuple[Amounts, Fraction]]
    ) -> tuple[ReviewBand, Fraction] | None:
        """The band between two vertices within limits, the largest of whose costs is least; and that.

        None if no band keeps the limits. Each cost has what is taken off it. For each upper end costs and
        uses are convex in the lower end, if that is measured by counts, say.
        """
        unit = math.lcm(
            *(of.scaled(*self.units)[1] * self.total for of, _ in (*costs, *limits)),
            *(number.denominator for _, number in (*costs, *limits)),
        )
        goals, uses = ([self._halves(*each, unit) for each in given] for given in (costs, limits))
        best: tuple[int, int, int] | None = None
        for high in range(self.end + 1):
            lows = self._lows(high, uses)
            if lows is None:
                continue
            starts = [(above[high], below) for above, below in goals]

            def worst(low: int, starts: list[tuple[int, list[int]]] = starts) -> int:
                return max(start + below[low] for start, below in starts)

            low = first_where(*lows, lambda i, worst=worst: worst(i + 1) >= worst(i))  # type: ignore[misc]
            if best is None or worst(low) < best[0]:
                best = worst(low), high, low
        return best and (ReviewBand(Choice(best[1]), Choice(best[2])), Fraction(best[0], unit))

    def _halves(self, of: Amounts, less: Fraction, unit: int) -> tuple[list[int], list[int]]:
        """An amount, less some number, as a sum of what its upper end and its lower end add, in integers."""
        weights, scale = of.scaled(*self.units)
        times = unit // (scale * self.total)
        (p0, p1), (r0, r1), (n0, n1) = (
            (times * a, times * b) for a, b in (weights[POSITIVE], weights[REVIEW], weights[NEGATIVE])
        )
        rest = n0 * self.x[-1] + n1 * self.y[-1] - int(less * unit)
        points = list(zip(self.x, self.y, strict=True))
        above = [(p0 - r0) * x + (p1 - r1) * y for x, y in points]
        return above, [(r0 - n0) * x + (r1 - n1) * y + rest for x, y in points]

    def _lows(self, high: int, uses: Sequence[tuple[list[int], list[int]]]) -> tuple[int, int] | None:
        """The first and the last lower end of bands from `high` that keep limits; None if there is none."""
        begin, end = high, self.end
        for above, below in uses:
            kept = _kept(below, -above[high], begin, end)
            if kept is None:
                return None
            begin, end = kept
        return begin, end

    # --- all shares ------------------------------------------------------------------------------

    @cached_property
    def start(self) -> int:
        """The vertex above which all blocks are called positive, where nothing is reviewed."""
        negative, positive = self._cost[NEGATIVE], self._cost[POSITIVE]
        return first_where(
            0,
            self.end,
            lambda i: self.x[i + 1] > self.x[i] and self._of(negative, i) <= self._of(positive, i),
        )

    def steps(self) -> Iterator[tuple[int, int, int]]:
        """The blocks as they come to be reviewed: which, its weight, and what a review costs more there.

        Without a review each block is decided as it is cheapest; the blocks next to where that changes are
        the first to be reviewed, whatever it costs, and reviewing costs more and more, block by block, on
        either side.
        """

        def step(i: int, base: int) -> tuple[int, int, int] | None:
            if not 0 <= i < self.end:
                return None
            extra = self._of(self._cost[REVIEW], i) - self._of(self._cost[base], i)
            return i, self._masses[i + 1] - self._masses[i], extra

        above, below = step(self.start - 1, POSITIVE), step(self.start, NEGATIVE)
        while above or below:
            if below is None or (above is not None and above[2] * below[1] <= below[2] * above[1]):
                assert above is not None
                yield above
                above = step(above[0] - 1, POSITIVE)
            else:
                yield below
                below = step(below[0] + 1, NEGATIVE)

    def frontier_of_shares(self) -> tuple[list[float], list[float]]:
        """The least cost per case for every share that is reviewed, at its turning points, ascending."""
        share, cost = 0, int(self._total(self._cost, ReviewBand(Choice(self.start), Choice(self.start))))
        shares, costs, scale = [0.0], [cost / (self._scale * self.total)], self._scale * self.total
        for _, mass, extra in self.steps():
            share, cost = share + mass, cost + extra
            if mass:
                shares.append(share / self.total)
                costs.append(cost / scale)
        return shares, costs


def _kept(values: Sequence[int], most: int, begin: int, end: int) -> tuple[int, int] | None:
    """Where values that fall and then rise are at most so much, from `begin` to `end`; None if nowhere."""
    least = first_where(begin, end, lambda i: values[i + 1] >= values[i])
    if values[least] > most:
        return None
    first = first_where(begin, least, lambda i: values[i] <= most)
    return first, first_where(least, end, lambda i: values[i + 1] > most)


def _path(before: tuple[int, int], after: tuple[int, int]) -> list[tuple[int, int]]:
    """Pairs of vertices from one to another, of which each differs from the one before it in one block."""
    (a0, b0), (a1, b1) = before, after
    if a0 == b0 and a1 == b1:  # blocks that are called the opposite
        return [(i, i) for i in _steps(a0, a1)]
    if a1 <= b0:
        return [(i, b0) for i in _steps(a0, a1)] + [(a1, j) for j in _steps(b0, b1)][1:]
    return [(a0, j) for j in _steps(b0, b1)] + [(i, b1) for i in _steps(a0, a1)][1:]


def _steps(start: int, stop: int) -> range:
    return range(start, stop + 1) if start <= stop else range(start, stop - 1, -1)


def _between(start: int, stop: int, share: Fraction) -> Choice:
    """The choice at a share of the way from one vertex to itself or a neighbour."""
    if start == stop or not share:
        return Choice(start)
    if share == 1:
        return Choice(stop)
    return Choice(start, share) if start < stop else Choice(stop, 1 - share)
