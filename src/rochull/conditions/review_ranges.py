"""Reviews under conditions that are known roughly: what is done under all of them, and what risks least.

The expected cost of a rule is affine in each number separately, so its regret against the best rule is convex
in each, and is largest at a corner of their box. The mixture whose largest regret is least is that of a game
between bands and corners, solved in rationals: bands are added until none is better against the corners'
weights, each the exact answer of the hull at the weighed costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from rochull._core.results import Result
from rochull.conditions.bands import Amounts, Review1D, ReviewBand
from rochull.conditions.frontier import Frontier
from rochull.conditions.ranges import exact
from rochull.conditions.review_rules import BandRule
from rochull.conditions.rules import Rule
from rochull.conditions.vertices import InfeasibleConditionError, Vertices

_HALF = Fraction(1, 2)
Mixed = list[tuple[int, int, Fraction]]


class RangedReview(Protocol):
    """A condition with reviews, some of whose numbers may be intervals."""

    @property
    def own_prevalence(self) -> Any:
        """Proportion of positives."""

    @property
    def cost_amounts(self) -> Amounts:
        """Costs of each action."""

    @property
    def uses(self) -> list[tuple[str, Amounts, Fraction]]:
        """Resources that are used, and the most that may be."""

    def uses_among(self, parts: int) -> list[tuple[str, Amounts, Fraction]]:
        """Give the same where what rounds to a limit meets it."""

    def corners(self) -> tuple[Any, ...]:
        """The precise conditions at the corners of its box."""

    def best_band(self, frontier: Frontier, deterministic: bool = False) -> ReviewBand:
        """Return the band that is best reviewed."""


@dataclass(frozen=True)
class ReviewRange(Result):
    """Decisions that are the same under all conditions of a range; the rest depend on the condition.

    Attributes
    ----------
    positive : Rule
        What it passes is called positive under all.
    review : BandRule or None
        What is reviewed under all: what it passes on; None if nothing is.
    negative : Rule
        What it does not pass is called negative under all.

    Examples
    --------
    >>> import rochull as rh
    >>> hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> print(hull.review_range(rh.Review(cost_review=(0.1, 0.6))))
    positive under all conditions: score >= 0.9
    reviewed under all: nothing
    negative under all: all but score >= 0.7
    """

    positive: Rule
    review: BandRule | None
    negative: Rule

    def __str__(self) -> str:
        reviewed = "nothing"
        if self.review is not None:
            reviewed = f"{self.review.low}, but not {self.review.high}"
        return (
            f"positive under all conditions: {self.positive}\nreviewed under all: {reviewed}\n"
            f"negative under all: all but {self.negative}"
        )


def review_range_of(review: RangedReview, hull: Vertices) -> ReviewRange:
    """Find decisions common to all conditions of a range, on the hull of one classifier; without limits."""
    if review.uses:
        raise ValueError(
            f"condition: {review.uses[0][0]} moves the band as a whole, so no part of it is told apart for "
            "each of several conditions; leave the limits out."
        )
    # Inequalities that are affine in each number state where each action is best: corners are extreme.
    bands = [corner.best_band(hull.frontier) for corner in review.corners()]
    highs, lows = ([getattr(band, end).left for band in bands] for end in ("high", "low"))
    rules = [owners[0] for owners in hull.owners]
    reviewed = None
    if max(highs) < min(lows):
        reviewed = BandRule(high=rules[max(highs)], low=rules[min(lows)])
    return ReviewRange(rules[min(highs)], reviewed, rules[max(lows)])


def least_worst_band(
    review: RangedReview, hulls: Sequence[Vertices], deterministic: bool
) -> tuple[Vertices, Mixed]:
    """The hull, and the band or mixture on it, whose largest regret over the range is least.

    Regret is against the best of all hulls under each condition without its limits, which the answer keeps
    under all conditions.
    """
    corners = review.corners()
    games = [_Game(corners, hull) for hull in hulls]
    least = [min(bests) for bests in zip(*(game.bests for game in games), strict=True)]
    found = []
    for hull, game in zip(hulls, games, strict=True):
        answer = game.single(least) if deterministic else game.mixed(least)
        if answer is not None:
            found.append((answer[1], hull, answer[0]))
    if not found:
        raise InfeasibleConditionError(
            f"no {'single rule' if deterministic else 'rule'} keeps the limits of {review!r} throughout."
        )
    _, hull, mixed = min(found, key=lambda each: each[0])
    return hull, mixed


class _Game:
    """Bands on one hull against the corners of a range.

    Attributes
    ----------
    bests : the least cost at each corner, without limits.
    """

    def __init__(self, corners: Sequence[RangedReview], hull: Vertices) -> None:
        self.shares = [exact(corner.own_prevalence) for corner in corners]
        self.costs = [c.cost_amounts.folded(p) for c, p in zip(corners, self.shares, strict=True)]
        limits = []
        for p in dict.fromkeys(self.shares):
            parts = Review1D(hull.frontier, p, self.costs[0]).total
            limits += [(use.folded(p), most) for _, use, most in corners[0].uses_among(parts)]
        self.limits = limits
        self.here = self._line(self.costs[0], hull)
        self.hull = hull
        self.bests = []
        for cost in self.costs:
            line = self._line(cost, hull)
            self.bests.append(line.cost(line.cheapest(_NOTHING)))

    def _line(self, cost: Amounts, hull: Vertices | None = None) -> Review1D:
        return Review1D((hull or self.hull).frontier, _HALF, cost)

    def single(self, least: Sequence[Fraction]) -> tuple[Mixed, Fraction] | None:
        """The same without mixtures."""
        found = self.here.single(list(zip(self.costs, least, strict=True)), self.limits)
        if found is None:
            return None
        band, worst = found
        return [(band.high.left, band.low.left, Fraction(1))], worst

    def mixed(self, least: Sequence[Fraction]) -> tuple[Mixed, Fraction] | None:
        """The mixture of bands whose largest regret is least, and that; None if none keeps the limits."""
        lift = Fraction(1)  # makes all losses positive: no regret is negative
        bands: list[ReviewBand] = []
        rows: list[list[Fraction]] = []
        weights = [Fraction(1)] * len(self.costs) + [Fraction(0)] * len(self.limits)
        while True:
            parts = [*self.costs, *(use for use, _ in self.limits)]
            line = self._line(_weighed(parts, weights))
            band = line.cheapest(_NOTHING)
            losses = [
                self.here.amount(band, cost) - less + lift
                for cost, less in zip(self.costs, least, strict=True)
            ]
            losses += [self.here.amount(band, use) - most for use, most in self.limits]
            if bands and sum(w * loss for w, loss in zip(weights, losses, strict=True)) >= 1:
                break
            bands.append(band)
            rows.append(losses)
            counts, weights = _largest_sum(rows, len(self.costs))
        total = sum(counts, Fraction(0))
        if not total:
            return None
        shares = [
            (band.high.left, band.low.left, n / total) for band, n in zip(bands, counts, strict=True) if n
        ]
        return sorted(shares), 1 / total - lift


_NOTHING = Amounts((0, 0), (0, 0), (0, 0))


def _weighed(parts: Sequence[Amounts], weights: Sequence[Fraction]) -> Amounts:
    def summed(name: str) -> tuple[Any, Any]:
        of = [getattr(part, name) for part in parts]
        a, b = (sum(w * pair[k] for w, pair in zip(weights, of, strict=True)) for k in (0, 1))
        return a, b

    return Amounts(summed("negative"), summed("positive"), summed("review"))


def _largest_sum(columns: Sequence[Sequence[Fraction]], ones: int) -> tuple[list[Fraction], list[Fraction]]:
    """The x >= 0 of largest sum with ``columns x <= b``, and the prices of the rows; exactly.

    Of b the first numbers are 1, the others 0. By the simplex method, which Bland's rule keeps from cycling.
    """
    m, n = len(columns[0]), len(columns)
    table = [
        [*(column[i] for column in columns), *(Fraction(i == k) for k in range(m)), Fraction(i < ones)]
        for i in range(m)
    ]
    goal = [*[Fraction(-1)] * n, *[Fraction(0)] * (m + 1)]
    basis = list(range(n, n + m))
    while (enter := next((j for j in range(n + m) if goal[j] < 0), None)) is not None:
        ratios = [(table[i][-1] / table[i][enter], basis[i], i) for i in range(m) if table[i][enter] > 0]
        leave = min(ratios)[2]  # there is one: all entries of the first rows are positive
        pivot = table[leave][enter]
        table[leave] = [value / pivot for value in table[leave]]
        for row in (*(table[i] for i in range(m) if i != leave), goal):
            factor = row[enter]
            if factor:
                row[:] = [a - factor * b for a, b in zip(row, table[leave], strict=True)]
        basis[leave] = enter
    found = dict(zip(basis, (row[-1] for row in table), strict=True))
    return [found.get(j, Fraction(0)) for j in range(n)], goal[n : n + m]
