"""Rules that the training parts of a partition choose, from counts of some parts at once.

A rule is two numbers here: whose score it looks at, and which of that classifier's thresholds it has.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.validation import Array, Labelled
from rochull.conditions.ranges import exact
from rochull.conditions.rules import ALWAYS, NEVER, Rule
from rochull.hull.blocks import Blocks, upper_hull
from rochull.hull.hull import RocHull
from rochull.hull.point_hull import vertices_of
from rochull.hull.tallies import UNIT

_POINTS = 1 << 20  # of all classifiers and parts that are counted at once
_FEW = 32  # points of a hull, which are not thinned out any more


@dataclass(frozen=True, eq=False)
class Cuts:
    """Thresholds of a classifier that some part can choose: the scores of positive cases, strictest first.

    The first is never reached, the last always; threshold i of the others is ``level[i - 1]``.

    Attributes
    ----------
    name : str
    lower_is_positive : bool
        Levels are scores negated then.
    level : ndarray of shape (g,)
    place : ndarray of int of shape (n,)
        The last threshold that a case does not reach.
    counts : ndarray of int of shape (2, g + 1)
        Negatives and positives in each place.
    positive : ndarray of bool of shape (n,)
    """

    name: str
    lower_is_positive: bool
    level: Array
    place: Array
    counts: Array
    positive: Array

    @classmethod
    def of(cls, name: str, data: Labelled) -> Cuts:
        """Find the thresholds of unweighted examples."""
        positive = data.positive == 1
        rising = np.unique(data.scores[positive])
        if rising.dtype.kind == "f":
            rising += 0  # -0.0 becomes 0.0
        place = rising.size - np.searchsorted(rising, data.scores, side="right")
        size = rising.size + 1
        counts = np.bincount(positive * size + place, minlength=2 * size).reshape(2, size)
        return cls(name, data.lower_is_positive, rising[::-1], place, counts, positive)

    def __len__(self) -> int:
        return self.level.size + 2

    def rule(self, i: int) -> Rule:
        """Make the rule of a threshold."""
        if i in (0, len(self) - 1):
            return ALWAYS if i else NEVER
        return Rule.at_level(self.level[i - 1].item(), self.name, self.lower_is_positive)

    def without(self, rows: Array, part: Array, n_parts: int) -> Array:
        """Negatives and positives that reach each threshold (parts, 2, g + 2), without rows of each part."""
        size = len(self) - 1
        own = (2 * part + self.positive[rows]) * size + self.place[rows]
        left_out = np.bincount(own, minlength=2 * n_parts * size).reshape(n_parts, 2, size)
        sums = np.zeros((n_parts, 2, size + 1), np.int64)
        np.cumsum(self.counts - left_out, axis=2, out=sums[:, :, 1:])
        return sums


@dataclass(frozen=True, eq=False)
class PartRules:
    """Rules that parts choose for m numbers.

    Attributes
    ----------
    who, at : ndarray of int of shape (parts, m)
        Whose score, and which threshold of that.
    left_out : ndarray of int of shape (2, m)
        Negatives and positives that they flag of the cases that their parts leave out, of all parts together.
    """

    who: Array
    at: Array
    left_out: Array

    @classmethod
    def joined(cls, some: Sequence[PartRules]) -> PartRules:
        """Put together what the parts of a partition chose."""
        who, at = (np.concatenate([getattr(each, name) for each in some]) for name in ("who", "at"))
        return cls(who, at, np.sum([each.left_out for each in some], axis=0))


class _Owners(Sequence[tuple[Rule, ...]]):
    """The rules at the vertices of a union; those of the vertices that nobody asks for are not made."""

    def __init__(self, cuts: Sequence[Cuts], who: Array, at: Array, equal: Sequence[Array]) -> None:
        self.cuts, self.who, self.at, self.equal = cuts, who, at, equal

    def __len__(self) -> int:
        return len(self.equal) + 2

    def __getitem__(self, i: int) -> tuple[Rule, ...]:  # type: ignore[override]
        if i in (0, len(self) - 1):
            return (ALWAYS if i else NEVER,)
        return tuple(self.cuts[self.who[j]].rule(int(self.at[j])) for j in self.equal[i - 1].tolist())

    def first(self) -> tuple[Array, Array]:
        """Whose the first rule at each vertex is, and which threshold it has."""
        j = np.array([group[0] for group in self.equal], np.int64)
        ends = 0, len(self.cuts[0]) - 1
        return np.concatenate(([0], self.who[j], [0])), np.concatenate((ends[:1], self.at[j], ends[1:]))


@dataclass(frozen=True, eq=False)
class Parts:
    """Some training parts of a partition, and what every classifier can do on them.

    Attributes
    ----------
    cuts : sequence of Cuts
    sums : sequence of ndarray of int of shape (parts, 2, g + 2)
        Negatives and positives of each part that reach each threshold, for each classifier.
    """

    cuts: Sequence[Cuts]
    sums: Sequence[Array]

    @cached_property
    def hulls(self) -> list[dict[str, RocHull]]:
        """Hulls of every classifier on each part (parts)."""
        return [dict(zip(self._names, each, strict=True)) for each in zip(*self._alone, strict=True)]

    @property
    def _names(self) -> list[str]:
        return [each.name for each in self.cuts]

    @cached_property
    def _vertices(self) -> list[list[Array]]:
        return [upper_hulls(sums[:, 0], sums[:, 1]) for sums in self.sums]

    @property
    def _alone(self) -> Iterator[list[RocHull]]:
        for cuts, sums, each in zip(self.cuts, self.sums, self._vertices, strict=True):
            yield [_hull_of(cuts, points[:, at], at) for points, at in zip(sums, each, strict=True)]

    @property
    def unions(self) -> list[RocHull]:
        """Hulls of all classifiers on each part (parts)."""
        return [hull for hull, _ in self._unions]

    @cached_property
    def _unions(self) -> list[tuple[RocHull, _Owners]]:
        return [self._union(k) for k in range(len(self.sums[0]))]

    def _union(self, k: int) -> tuple[RocHull, _Owners]:
        inner = [each[k][1:-1] for each in self._vertices]
        who = np.repeat(np.arange(len(inner)), [len(each) for each in inner])
        fp, tp = (
            np.concatenate([sums[k, axis, at] for sums, at in zip(self.sums, inner, strict=True)])
            for axis in (0, 1)
        )
        n_neg, n_pos = self.sums[0][k, :, -1].tolist()
        vertices, equal = vertices_of(fp, tp, n_neg, n_pos)
        owners = _Owners(self.cuts, who, np.concatenate(inner), equal)
        return RocHull(*vertices, n_neg, n_pos, UNIT).with_owners(owners), owners

    def by_slope(self, slopes: Array) -> PartRules:
        """The best rule at each slope: the vertex where the edges turn flatter than that."""
        found = []
        for hull, owners in self._unions:
            steeper = np.searchsorted(-edges(hull), -slopes, side="left")
            found.append([each[steeper] for each in owners.first()])
        who, at = np.moveaxis(np.array(found), 1, 0)
        return self._chosen(who, at)

    def by_limit(self, kind: str, values: Array, prevalence: float) -> PartRules:
        """The best single rule at each value of a limit, of all thresholds of all classifiers."""
        at = np.array([[_places(part, kind, values, prevalence) for part in sums] for sums in self.sums])
        fp, tp = (
            np.array([np.take_along_axis(sums[:, axis], i, 1) for sums, i in zip(self.sums, at, strict=True)])
            for axis in (0, 1)
        )
        first, then = (fp, -tp) if kind == "min_recall" else (-tp, fp)
        order = np.broadcast_to(np.arange(len(at))[:, None, None], fp.shape)  # the last key counts first
        who = np.lexsort((order, then, first), axis=0)[0]
        return self._chosen(who, np.take_along_axis(at, who[None], 0)[0])

    def _chosen(self, who: Array, at: Array) -> PartRules:
        left_out = np.zeros((2, at.shape[1]), np.int64)
        for j, (cuts, sums) in enumerate(zip(self.cuts, self.sums, strict=True)):
            part, m = np.nonzero(who == j)
            every = np.concatenate((np.zeros((2, 1), np.int64), np.cumsum(cuts.counts, axis=1)), axis=1)
            i = at[part, m]
            for own, reached, trained in zip(left_out, every, np.moveaxis(sums, 1, 0), strict=True):
                np.add.at(own, m, reached[i] - trained[part, i])
        return PartRules(who, at, left_out)


def members(folds: Array) -> list[Array]:
    """Rows of each fold."""
    few_bytes = folds.astype(np.min_scalar_type(int(folds.max())))  # which are sorted fast
    order = np.argsort(few_bytes, kind="stable")
    return np.split(order, np.cumsum(np.bincount(folds))[:-1])


def parts_of(cuts: Sequence[Cuts], folds: Array) -> Iterator[tuple[Parts, list[Array]]]:
    """Give the training parts of a partition, some at a time, with the rows that each leaves out."""
    left_out = members(folds)
    step = max(1, _POINTS // sum(map(len, cuts)))
    for first in range(0, len(left_out), step):
        some = left_out[first : first + step]
        rows, part = np.concatenate(some), np.repeat(np.arange(len(some)), [each.size for each in some])
        yield Parts(cuts, [each.without(rows, part, len(some)) for each in cuts]), some


def upper_hulls(x: Array, y: Array) -> list[Array]:
    """Indices of the vertices of the upper hull of each row of points (r, m), which ascend in both."""
    kept = np.ones(x.shape, bool)
    kept[:, 1:-1] = y[:, 1:-1] > y[:, :-2]  # the others have alarms more, or nothing
    at, firsts = np.flatnonzero(kept), np.arange(len(x)) * x.shape[1]
    x_at, y_at = x.ravel()[at], y.ravel()[at]
    before = 2 * at.size
    while _FEW * len(x) < at.size < 0.9 * before:
        right, up = np.diff(x_at), np.diff(y_at)
        turns = np.empty(at.size, bool)  # else not above the neighbours' line
        np.greater(up[:-1] * right[1:], up[1:] * right[:-1], out=turns[1:-1])
        begins = np.searchsorted(at, firsts)
        turns[begins] = turns[begins - 1] = True
        before, some = at.size, np.flatnonzero(turns)
        at, x_at, y_at = at[some], x_at[some], y_at[some]
    begins = np.searchsorted(at, firsts[1:])
    rows = (np.split(each, begins) for each in (at % x.shape[1], x_at, y_at))
    return [i[upper_hull(*points)] for i, *points in zip(*rows, strict=True)]


def _hull_of(cuts: Cuts, vertices: Array, at: Array) -> RocHull:
    """The hull of one classifier on a part. Its blocks are known by the ends that are thresholds."""
    fp, tp = vertices
    low = cuts.level[np.minimum(at[1:], cuts.level.size) - 1]
    blocks = Blocks(low, low, np.diff(tp), np.diff(fp))
    n_neg, n_pos = int(fp[-1]), int(tp[-1])
    return RocHull(
        fp, tp, n_neg, n_pos, blocks=blocks, classifier=cuts.name, lower_is_positive=cuts.lower_is_positive
    )


def edges(hull: RocHull) -> Array:
    """Slopes of the edges, which descend."""
    rise, run = np.diff(hull.tp) / hull.n_pos, np.diff(hull.fp) / hull.n_neg
    with np.errstate(divide="ignore"):
        return np.asarray(rise.astype(float) / run.astype(float))


def _places(sums: Array, kind: str, values: Array, prevalence: float) -> Array:
    """The threshold at each value: the last that is allowed, or has no more alarms than the first enough."""
    fp, tp = sums
    if kind in {"max_fpr", "min_recall"}:
        bounds = _bounds(kind, tuple(values.tolist()), int((fp if kind == "max_fpr" else tp)[-1]))
        if kind == "min_recall":
            bounds = fp[np.searchsorted(tp, bounds, side="left")]  # which may find more than is enough
        at = np.searchsorted(fp, bounds, side="right") - 1
    else:
        caught, alarms = prevalence * tp / tp[-1], (1 - prevalence) * fp / fp[-1]
        if kind == "fraction":
            at = np.searchsorted(caught + alarms, values, side="right") - 1
        else:
            precise = np.divide(caught, caught + alarms, out=np.ones(len(tp)), where=caught + alarms > 0)
            later = np.maximum.accumulate(precise[::-1])  # the best from a point on, from the last point
            at = np.maximum(0, len(later) - 1 - np.searchsorted(later, values, side="left"))
    found: Array = np.searchsorted(tp, tp[at], side="left")  # which finds as many with fewer false alarms
    return found


@functools.lru_cache(maxsize=64)
def _bounds(kind: str, values: tuple[float, ...], total: int) -> list[int]:
    """Counts that shares of a total come to: the most that is allowed, or the least that is enough."""
    sign = -1 if kind == "min_recall" else 1
    return [sign * (sign * each.numerator * total // each.denominator) for each in _exact(values)]


@functools.lru_cache(maxsize=8)
def _exact(values: tuple[float, ...]) -> list[Fraction]:
    return [exact(value) for value in values]
