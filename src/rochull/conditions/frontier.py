"""A frontier of operating points, a choice on it, and where straight lines touch and cut it.

Linear questions are settled in integers, so ties and limits that fall on a vertex are exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.validation import Array

NEAR = 1e-12  # excesses of rates nearer to zero than this are computed without rounding


@dataclass(frozen=True, eq=False)
class Frontier:
    """Points from (0, 0) to (1, 1), ascending in both rates: vertices of a hull, or a raw curve.

    Attributes
    ----------
    fp, tp : int64 (k,) counts, units, or rates on a grid; Python's integers where 64 bits are too few.
    n_neg, n_pos : the totals.
    """

    fp: Array
    tp: Array
    n_neg: int
    n_pos: int

    @property
    def fpr(self) -> Array:
        """False positive rates (k,)."""
        return np.asarray(self.fp / self.n_neg, float)

    @property
    def tpr(self) -> Array:
        """True positive rates (k,)."""
        return np.asarray(self.tp / self.n_pos, float)

    @property
    def slopes(self) -> Array:
        """Slope of each edge (k - 1,) in rates, correctly rounded; inf for a vertical one."""
        steps = zip(np.diff(self.tp).tolist(), np.diff(self.fp).tolist(), strict=True)
        return np.array([quotient(rise * self.n_neg, run * self.n_pos) for rise, run in steps])

    def point(self, i: int) -> tuple[Fraction, Fraction]:
        """Rates of vertex i, exactly."""
        return Fraction(int(self.fp[i]), self.n_neg), Fraction(int(self.tp[i]), self.n_pos)

    def point_of(self, totals: tuple[int, int], i: int) -> tuple[Fraction, Fraction]:
        """Rates of vertex i in shares of some totals, so that what ties with others is a tie."""
        if totals == (self.n_neg, self.n_pos):
            return self.point(i)
        n_neg, n_pos = totals
        fpr, tpr = map(float, self.point(i))
        return Fraction(round(fpr * n_neg), n_neg), Fraction(round(tpr * n_pos), n_pos)

    def points(self) -> list[tuple[Fraction, Fraction]]:
        """Rates of all vertices, exactly."""
        return [self.point(i) for i in range(len(self.fp))]

    def highest_with_fp(self, i: int) -> int:
        """The last point with the same false positives as point i: the better end of a vertical run."""
        return int(np.searchsorted(self.fp, self.fp[i], side="right")) - 1

    def leftmost_with_tp(self, i: int) -> int:
        """The first point as high as point i: the better end of a horizontal run."""
        return int(np.searchsorted(self.tp, self.tp[i], side="left"))

    def mirrored(self) -> Frontier:
        """The frontier with (fpr, tpr) at (1 - tpr, 1 - fpr): its heights are distances to the left here."""
        fp, tp = self.n_pos - self.tp[::-1], self.n_neg - self.fp[::-1]
        return Frontier(fp, tp, self.n_pos, self.n_neg)

    def gap_above(self, other: Frontier, low: Fraction, high: Fraction) -> tuple[float, float]:
        """The largest height of this hull above another between two abscissas, and where.

        Between neighbouring abscissas of vertices the difference is straight. Floats find the place,
        fractions the height.
        """
        every = [Fraction(fp, f.n_neg) for f in (self, other) for fp in f.fp.tolist()]
        places = sorted({low, high, *(x for x in every if low < x < high)})
        at = np.array([float(x) for x in places])
        place = places[int(np.argmax(self._float_heights(at) - other._float_heights(at)))]
        return max(0.0, float(self._height(place) - other._height(place))), float(place)

    def _float_heights(self, at: Array) -> Array:
        top = self.highest_with_fp(0)  # of a vertical edge, the upper end
        return np.interp(at, self.fpr[top:], self.tpr[top:])

    def _height(self, x: Fraction) -> Fraction:
        """The height of a hull at an abscissa, exactly."""
        i = int(np.searchsorted(self.fp, math.floor(x * self.n_neg), side="right")) - 1
        x0, y0 = self.point(i)
        if x == x0:
            return y0
        x1, y1 = self.point(i + 1)
        return y0 + (x - x0) / (x1 - x0) * (y1 - y0)


@dataclass(frozen=True, order=True)
class Choice:
    """Point `left` of a frontier, or its mixture with the next one: `share` of the latter, below 1."""

    left: int
    share: Fraction = Fraction(0)

    def exact_rates(self, frontier: Frontier) -> tuple[Fraction, Fraction]:
        """False and true positive rate of the choice, as fractions."""
        x, y = frontier.point(self.left)
        if self.share:
            x1, y1 = frontier.point(self.left + 1)
            x, y = x + self.share * (x1 - x), y + self.share * (y1 - y)
        return x, y

    def rates(self, frontier: Frontier) -> tuple[float, float]:
        """False and true positive rate of the choice."""
        i, n_neg, n_pos = self.left, frontier.n_neg, frontier.n_pos
        fp, tp, (of, parts) = int(frontier.fp[i]), int(frontier.tp[i]), self.share.as_integer_ratio()
        if of:  # a quotient of integers is rounded as that of a fraction, which costs more to make
            fp = fp * parts + of * (int(frontier.fp[i + 1]) - fp)
            tp = tp * parts + of * (int(frontier.tp[i + 1]) - tp)
        return fp / (parts * n_neg), tp / (parts * n_pos)


@dataclass(frozen=True, eq=False)
class ClippedHull:
    """Part of a hull that keeps limits.

    Attributes
    ----------
    whole : the hull.
    low, high : where it begins and ends.
    """

    whole: Frontier
    low: Choice
    high: Choice

    @property
    def frontier(self) -> Frontier:
        """Its points: the vertices within, and the ends."""
        if (self.low, self.high) == (Choice(0), Choice(len(self.whole.fp) - 1)):
            return self.whole
        first, last = self.low.left + (self.low.share > 0), self.high.left
        points = [self.low.exact_rates(self.whole)] * (self.low.share > 0)
        points += [self.whole.point(i) for i in range(first, last + 1)]
        points += [self.high.exact_rates(self.whole)] * (self.high.share > 0 and self.high != self.low)
        fp, tp = zip(*points, strict=True)
        n_neg, n_pos = (math.lcm(*(rate.denominator for rate in rates)) for rates in (fp, tp))
        x, y = ([int(rate * n) for rate in rates] for rates, n in ((fp, n_neg), (tp, n_pos)))
        return Frontier(np.array(x, object), np.array(y, object), n_neg, n_pos)

    def nearest(self, choice: Choice) -> Choice:
        """The choice on it that is nearest to one of the whole hull."""
        return min(max(choice, self.low), self.high)

    def restored(self, choice: Choice) -> Choice:
        """A choice among the points of :attr:`frontier`, as one of the whole hull."""
        left = self.low.left + choice.left
        if left > self.high.left or (choice.left and self.low.left == self.high.left):
            return self.high
        start = Fraction(0) if choice.left else self.low.share
        stop = self.high.share if left == self.high.left else Fraction(1)
        return Choice(left, start + choice.share * (stop - start))


def quotient(above: int, below: int) -> float:
    """A quotient of integers that are not both 0, correctly rounded; inf beyond float64, as of 0."""
    try:
        return above / below
    except (OverflowError, ZeroDivisionError):
        return math.inf


def first_where(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The first index from low to high where something holds that holds from there on; else high."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def in_integers(*parts: Fraction | int) -> tuple[int, ...]:
    """Fractions times their common denominator."""
    scale = math.lcm(*(part.denominator for part in parts))
    return tuple(part.numerator * (scale // part.denominator) for part in parts)


def least_cost_vertex(
    weights: tuple[Fraction | int, Fraction | int], frontier: Frontier, level: bool = False
) -> int:
    """The first vertex of least cost, or with `level` the last; the weights are of fpr and of a miss."""
    of_fpr, of_miss = in_integers(*weights)
    of_fp, of_tp = of_fpr * frontier.n_pos, of_miss * frontier.n_neg
    fp, tp = frontier.fp, frontier.tp

    def is_flat(i: int) -> bool:
        """Whether edge i is flatter than the iso-performance lines (or as flat): not worth climbing.

        A vertical edge never is: it adds no false positive, even where misses cost nothing.
        """
        run, gain = int(fp[i + 1]) - int(fp[i]), (int(tp[i + 1]) - int(tp[i])) * of_tp
        return run > 0 and (gain < run * of_fp if level else gain <= run * of_fp)

    return first_where(0, len(fp) - 1, is_flat)  # edges are sorted by slope


@dataclass(frozen=True)
class Plane:
    """The points with ``a tpr + b fpr <= c``, and those that round to it.

    Attributes
    ----------
    coefficients : tuple of 3 Fraction
        a, b and c: mixtures end there.
    slack : float
        Points that are farther beyond than this are not within. (Those that are not beyond are.)
    turns : bool
        Whether the rates may pull another way at the line up to which points are within.
    reached : callable, optional
        Gives the line up to which points that occur are within, since the double nearest to what is limited
        is, and whether the points on it are. Arithmetic of fractions is most of what a new limit costs, so it
        is called only if a point is beyond, and not by more than the slack.
    """

    coefficients: tuple[Any, Any, Any]
    slack: float = 0.0
    turns: bool = False
    reached: Callable[[], tuple[tuple[Any, Any, Any], bool]] | None = field(default=None, compare=False)

    @cached_property
    def reach(self) -> tuple[tuple[Any, Any, Any], bool]:
        """The line up to which points are within (3 Fraction), and whether those on it are."""
        return (self.coefficients, True) if self.reached is None else self.reached()

    def holds(self, fpr: Fraction, tpr: Fraction) -> bool:
        """Tell whether rates are within, exactly."""
        (a, b, c), is_within = self.reach
        excess = a * tpr + b * fpr - c
        return excess < 0 or (is_within and not excess)


class HalfPlane:
    """The points of a frontier with ``a tpr + b fpr <= c``, in integers.

    Parameters
    ----------
    plane : Plane or tuple of 3 Fraction
        a, b and c. Unless ``a > 0 > b``, a hull keeps it on one stretch.
    frontier : Frontier
        A hull, or the points of a raw curve.
    start : int
        Points before this one are left out.
    """

    def __init__(self, plane: Plane | tuple[Any, Any, Any], frontier: Frontier, start: int = 0) -> None:
        self.plane = plane if isinstance(plane, Plane) else Plane(plane)
        self.frontier, self.start, self.end = frontier, start, len(frontier.fp) - 1
        n_neg, n_pos = frontier.n_neg, frontier.n_pos
        scale = math.lcm(*[part.denominator for part in self.plane.coefficients])
        a, b, c = (part.numerator * (scale // part.denominator) for part in self.plane.coefficients)
        self._of_tp, self._of_fp, self._most = a * n_neg, b * n_pos, c * n_neg * n_pos
        # Rates pull by these signs, unless they turn at the line up to which points are within.
        self._pull = in_integers(*self.plane.reach[0][:2]) if self.plane.turns else (a, b)
        above, below = self.plane.slack.as_integer_ratio()
        self._slack = -(-above * scale * n_neg * n_pos // below)

    def excess(self, i: int) -> int:
        """By how much point i is beyond where mixtures end, in some unit."""
        found: int = (
            self._of_tp * int(self.frontier.tp[i]) + self._of_fp * int(self.frontier.fp[i]) - self._most
        )
        return found

    def is_beyond(self, i: int) -> bool:
        """Whether point i is not within."""
        excess = self.excess(i)
        if excess < 0 or excess > self._slack:
            return excess > 0
        # A precision is undefined where nothing is flagged, but near there it is that of the first vertex.
        is_never = not (self.frontier.fp[i] or self.frontier.tp[i])
        return not (is_never and not excess) and not self.plane.holds(*self.frontier.point(i))

    def last(self, hull: bool = True) -> int | None:
        """The last point within; None if there is none."""
        if self._is_mixed and not hull:
            return self._scanned(-1)
        low = self._inside(self.start)
        if low is None:
            return None
        return first_where(low, self.end, lambda i: self.is_beyond(i + 1))

    def first(self, hull: bool = True) -> int | None:
        """The first point within; None if there is none."""
        if self._is_mixed and not hull:
            return self._scanned(1)
        high = self._inside(self.end)
        return None if high is None else first_where(self.start, high, lambda i: not self.is_beyond(i))

    def leaving(self) -> Choice | None:
        """Where a hull leaves the half-plane, or ends within it; None if it is never within."""
        i = self.last()
        if i is None and self.start and self.excess(self.start - 1) < 0:
            i = self.start - 1
        if i is None or i == self.end:
            return None if i is None else Choice(i)
        here, after = self.excess(i), self.excess(i + 1)
        return Choice(i, Fraction(here, here - after)) if here < 0 else Choice(i)

    def entering(self) -> Choice | None:
        """Where a hull enters the half-plane, or begins within it; None if it is never within."""
        i = self.first()
        if i is None or i == self.start or self.excess(i) >= 0:
            return None if i is None else Choice(i)
        before, here = self.excess(i - 1), self.excess(i)
        return Choice(i - 1, Fraction(before, before - here))

    @property
    def _is_mixed(self) -> bool:
        """Whether the rates pull two ways: the points of a raw curve within need not be neighbours."""
        a, b = self._pull
        return a * b < 0

    def _inside(self, end: int) -> int | None:
        """Return this end of the frontier if it is within, else a point that is, or None."""
        a, b = self._pull
        if a > 0 > b:
            raise ValueError("a limit a tpr + b fpr <= c with a > 0 > b is kept on two stretches of a hull.")
        if end <= self.end and not self.is_beyond(end):
            return end
        if self._is_mixed:
            i = max(self.start, least_cost_vertex((b, -a), self.frontier))
        else:  # the excess rises, or falls, all along
            i = self.end if a < 0 or b < 0 else self.start
        return i if i <= self.end and not self.is_beyond(i) else None

    def _scanned(self, step: int) -> int | None:
        """The first (step 1) or the last (-1) point within; floats sort out those that are clearly not."""
        a, b, c = map(float, self.plane.coefficients)
        slack = NEAR * max(abs(a), abs(b), abs(c), 1.0)
        excess = a * self.frontier.tpr + b * self.frontier.fpr - c
        near = np.flatnonzero(excess <= slack)
        known = near[near >= self.start][::step]
        return next((int(i) for i in known if excess[i] < -slack or not self.is_beyond(i)), None)


def common_stretch(limits: Sequence[Any], frontier: Frontier, closed: bool = False) -> ClippedHull | None:
    """The stretch of a hull that keeps all of some limits; None if no point does.

    Where limits need somebody flagged, "never" is an end of it only if it is to be closed.
    """
    low, high = Choice(0), Choice(len(frontier.fp) - 1)
    for limit in limits:
        for plane in limit.planes():
            half = HalfPlane(plane, frontier)
            entering, leaving = half.entering(), half.leaving()
            if entering is None or leaving is None:
                return None
            low, high = max(low, entering), min(high, leaving)
    if any(limit.needs_alarms for limit in limits):
        if high == Choice(0):
            return None
        if low == Choice(0) and not closed:  # no point is the first with alarms
            low = min(Choice(1), high)
    return None if low > high else ClippedHull(frontier, low, high)


def cut_at_many(frontier: Frontier, a: Any, b: Any, c: Any, start: int = 0) -> tuple[Array, Array, Array]:
    """Where a hull leaves each of many half-planes ``a tpr + b fpr <= c``, in floats.

    Point `start` is within all of them, and the excess crosses zero once from there on: gives the last point
    within, the next one, and the share of that at which the hull leaves.
    """
    fpr, tpr = frontier.fpr, frontier.tpr
    size = np.broadcast(a, b, c).shape
    low, high = (np.full(size, i) for i in (start, len(fpr) - 1))
    while (low < high).any():
        middle = (low + high + 1) // 2
        met = a * tpr[middle] + b * fpr[middle] <= c
        low, high = np.where(met, middle, low), np.where(met, high, middle - 1)
    after = np.minimum(low + 1, len(fpr) - 1)
    begin = a * tpr[low] + b * fpr[low]
    rise = a * tpr[after] + b * fpr[after] - begin
    share = np.divide(c - begin, rise, out=np.zeros(low.shape), where=rise > 0)
    return low, after, np.clip(share, 0, 1)
