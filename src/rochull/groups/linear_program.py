"""The exact linear programme of points that groups may take when their rates must be near each other.

Lexicographic dual simplex in rational arithmetic. It starts where every group is at its own best, and
adds one violated inequality at a time; the edges of the hulls are looked up when they are violated, so
that most of them are never touched.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rochull._core.cached import cached_property
from rochull.conditions.frontier import Frontier

Point = tuple[Fraction, Fraction]
Levels = tuple[Fraction, Fraction, Fraction]
Row = tuple[dict[int, Fraction], Fraction]  # coefficients by variable, and what their sum may be at most

NOTHING: Levels = (Fraction(0), Fraction(0), Fraction(0))


@dataclass(frozen=True, eq=False)
class GroupHull:
    """The vertices of a group's hull, and what its rates weigh in the whole population."""

    frontier: Frontier  # the vertices, as counts
    neg_share: Fraction  # these two: of all negatives and of all positives, the part that is in this group
    pos_share: Fraction
    # these two: cost per case of the population where the group's fpr is 1, and where its tpr is 0
    of_fpr: Fraction
    of_miss: Fraction
    share: Fraction  # of the cases to be decided, the part that is in this group
    prevalence: Fraction  # of positives among the group's cases to be decided

    @cached_property
    def vertices(self) -> list[Point]:
        """Rates of the vertices, exactly."""
        return [self.frontier.point(i) for i in range(len(self.frontier.fp))]

    @cached_property
    def tops(self) -> tuple[list[Fraction], list[int]]:
        """The false positive rates that vertices have, ascending, and the highest vertex at each."""
        at = {x: i for i, (x, _) in enumerate(self.vertices)}
        return list(at), list(at.values())

    def edge(self, x: Fraction) -> int:
        """The edge above a false positive rate; the one to the right of a vertex, the first left of 0."""
        rates, vertices = self.tops
        if x < 0:
            return 0
        return min(vertices[bisect_right(rates, x) - 1], len(self.vertices) - 2)

    def change(self, dx: Fraction, dy: Fraction) -> Levels:
        """The changes by a step: first the cost, then the population's fpr, then minus its tpr.

        The levels behind the first settle ties: the lower false positive rate, then the higher true one.
        """
        return self.of_fpr * dx - self.of_miss * dy, self.neg_share * dx, -self.pos_share * dy

    def best(self) -> int:
        """The group's own best vertex."""
        low, high = 0, len(self.vertices) - 1
        while low < high:  # edges are sorted by slope
            middle = (low + high) // 2
            (x0, y0), (x1, y1) = self.vertices[middle : middle + 2]
            if self.change(x1 - x0, y1 - y0) < NOTHING:
                low = middle + 1
            else:
                high = middle
        return low


def nearest(
    groups: Sequence[GroupHull], rates: Sequence[Sequence[Point]], tolerance: Fraction
) -> list[Point]:
    """The cheapest points whose constrained rates differ by the tolerance at most.

    `rates` holds, for each constraint, the pair (a, b) of every group: the rate a fpr + b tpr is
    constrained. Every group may be anywhere between its hull and the diagonal.
    """
    programme = _Programme(groups, rates, tolerance)
    simplex = _DualSimplex(programme)
    while (row := programme.violated(simplex.point)) is not None:
        simplex.enter(row)
    found = simplex.point
    return [(found[2 * g], found[2 * g + 1]) for g in range(len(groups))]


@dataclass(frozen=True, eq=False)
class _Programme:
    """Inequalities on (fpr, tpr) of every group and on the lower end of every constrained rate."""

    groups: Sequence[GroupHull]
    rates: Sequence[Sequence[Point]]
    tolerance: Fraction

    @property
    def size(self) -> int:
        """The number of variables."""
        return 2 * len(self.groups) + len(self.rates)

    def costs(self) -> list[list[Fraction]]:
        """The objectives (3, n), from the first to the last: minimised one after the other."""
        costs = [[Fraction(0)] * self.size for _ in NOTHING]
        for g, group in enumerate(self.groups):
            steps = group.change(Fraction(1), Fraction(0)), group.change(Fraction(0), Fraction(1))
            for level, cost in enumerate(costs):
                cost[2 * g], cost[2 * g + 1] = steps[0][level], steps[1][level]
        return costs

    def start(self) -> list[Row]:
        """The inequalities (n) that hold with equality where every group is at its own best."""
        rows = []
        for g, group in enumerate(self.groups):
            best, last = group.best(), len(group.vertices) - 1
            beside = self._in_box(g)[bool(best)] if last == 1 else self._on_diagonal(g)
            rows.append(self._on_edge(g, best - 1) if best else beside)
            rows.append(self._on_edge(g, best) if best < last else beside)
        return rows + [self._window(c, 0)[0] for c in range(len(self.rates))]

    def violated(self, point: Sequence[Fraction]) -> Row | None:
        """The inequality that is violated most, or None."""
        most, found = Fraction(0), None
        for row in self._near(point):
            excess = _total(row[0], point) - row[1]
            if excess > most:
                most, found = excess, row
        return found

    def _near(self, point: Sequence[Fraction]) -> Iterator[Row]:
        """All inequalities, but of each hull only the edge above the point."""
        for g, group in enumerate(self.groups):
            yield self._on_edge(g, group.edge(point[2 * g]))
            yield self._on_diagonal(g)
            if len(group.vertices) == 2:
                yield from self._in_box(g)
            for c in range(len(self.rates)):
                yield from self._window(c, g)

    def _on_edge(self, g: int, j: int) -> Row:
        (x0, y0), (x1, y1) = self.groups[g].vertices[j : j + 2]
        dx, dy = x1 - x0, y1 - y0
        return {2 * g: -dy, 2 * g + 1: dx}, dx * y0 - dy * x0

    def _on_diagonal(self, g: int) -> Row:
        return {2 * g: Fraction(1), 2 * g + 1: Fraction(-1)}, Fraction(0)

    def _in_box(self, g: int) -> tuple[Row, Row]:
        """From 0 to 1: needed only where the hull is the diagonal, else its edges see to it."""
        return ({2 * g: Fraction(-1)}, Fraction(0)), ({2 * g: Fraction(1)}, Fraction(1))

    def _window(self, c: int, g: int) -> tuple[Row, Row]:
        """The group's rate is not below the lower end, and not more than the tolerance above it."""
        a, b = self.rates[c][g]
        end = 2 * len(self.groups) + c
        below = {2 * g: -a, 2 * g + 1: -b, end: Fraction(1)}, Fraction(0)
        above = {2 * g: a, 2 * g + 1: b, end: Fraction(-1)}, self.tolerance
        return below, above


class _DualSimplex:
    """A vertex that is best under the inequalities seen so far: its rows, and their inverse.

    The multipliers of the rows are compared level by level: of the objectives, and then of one more for
    each row of the start, -(its coefficients), of which that row's multiplier is 1 there and the others'
    are 0. So no two ratios are ever equal, no multiplier becomes negative, and no vertex returns.
    """

    def __init__(self, programme: _Programme) -> None:
        rows = programme.start()
        self.costs = programme.costs()
        for row, _ in rows:
            self.costs.append([-row.get(k, Fraction(0)) for k in range(programme.size)])
        self.columns = _inverse([[row.get(k, Fraction(0)) for k in range(programme.size)] for row, _ in rows])
        self.point = [Fraction(0)] * programme.size
        for (_, bound), column in zip(rows, self.columns, strict=True):
            for k, value in enumerate(column):
                self.point[k] += bound * value

    def enter(self, row: Row) -> None:
        """Take a violated inequality in, and let go the one whose multiplier would be negative first."""
        coefficients, bound = row
        weights = [_total(coefficients, column) for column in self.columns]
        rising = [i for i, weight in enumerate(weights) if weight > 0]
        levels = iter(self.costs)
        while len(rising) > 1:  # the least ratio, level by level
            cost = next(levels)
            ratios = [-_dot(cost, self.columns[i]) / weights[i] for i in rising]
            least = min(ratios)
            rising = [i for i, ratio in zip(rising, ratios, strict=True) if ratio == least]
        (out,) = rising
        pivot = [value / weights[out] for value in self.columns[out]]
        step = bound - _total(coefficients, self.point)
        self.point = [old + step * value for old, value in zip(self.point, pivot, strict=True)]
        for i, weight in enumerate(weights):
            if weight and i != out:
                pairs = zip(self.columns[i], pivot, strict=True)
                self.columns[i] = [old - weight * value if value else old for old, value in pairs]
        self.columns[out] = pivot


def _total(coefficients: dict[int, Fraction], values: Sequence[Fraction]) -> Fraction:
    return sum((c * values[k] for k, c in coefficients.items() if c and values[k]), Fraction(0))


def _dot(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(left, right, strict=True) if a and b), Fraction(0))


def _inverse(rows: list[list[Fraction]]) -> list[list[Fraction]]:
    """The columns of the inverse of a regular matrix (n, n)."""
    n = len(rows)
    wide = [[*row, *(Fraction(i == k) for k in range(n))] for i, row in enumerate(rows)]
    for i in range(n):
        first = next(k for k in range(i, n) if wide[k][i])
        wide[i], wide[first] = wide[first], wide[i]
        wide[i] = [value / wide[i][i] if value else value for value in wide[i]]
        for k in range(n):
            factor = wide[k][i]
            if k != i and factor:
                pairs = zip(wide[k], wide[i], strict=True)
                wide[k] = [a - factor * b if b else a for a, b in pairs]
    return [[row[n + k] for row in wide] for k in range(n)]
