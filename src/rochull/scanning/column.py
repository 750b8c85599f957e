"""The result of two passes over one column of scores: its blocks, a thinned curve, and bounds of its area."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from rochull._core.validation import Array
from rochull.hull.blocks import Blocks, cumulative
from rochull.hull.buckets import BucketMap
from rochull.hull.curve import RocCurve
from rochull.hull.refine import ChangedError, CollectedRows, assemble, most_buckets, rounds, settle
from rochull.hull.tallies import Tally, Units, no_counts, ratio
from rochull.hull.tasks import BucketCounts, BucketGroups, Buckets, LowestScores, Task

SMALL = 1 << 15  # rows of a column that are collected whole
MOST_BUCKETS = 1 << 22  # of all columns together, where a table does not say
_ROWS_A_BUCKET = 5


@dataclass(frozen=True, eq=False)
class ScannedColumn:
    """The findings of two passes over one column of scores.

    Attributes
    ----------
    blocks : the PAV blocks, exactly.
    curve : the raw curve, within `curve.max_error` in both rates; complete where that is 0.
    twice_area : twice the area under the raw curve in units: at least, with ties in every bucket, at most.
    n_pos, n_neg : units of each class.
    """

    blocks: Blocks
    curve: RocCurve
    twice_area: tuple[int, int, int]
    n_pos: int
    n_neg: int


def n_buckets(rows: int, budget: int) -> int:
    """How many buckets a column of so many rows gets, if all columns together may have `budget`."""
    wanted = min(most_buckets(rows), max(budget, 1 << 10), max(1 << 10, rows // _ROWS_A_BUCKET))
    power = 1 << int(math.log2(wanted))
    return 3 * power // 2 if wanted >= 3 * power // 2 else power


def scan_column(
    rows: int,
    units: Units,
    sample: Array,
    size: int,
    *,
    max_error: float,
    limit: int,
    most: int = 0,
    buckets: Buckets | None = None,
) -> Generator[list[Task], list[Any], ScannedColumn]:
    """Scan one column, whoever does the scanning: yields tasks, and is sent their answers.

    `rows` is how many it has, `size` the number of buckets, if they are not given because they have been
    counted, and `most` how many there may be for them to be of equal length; a column of few rows is
    collected whole, in the first pass that reads rows.
    """
    small = rows <= SMALL
    if small:
        found = yield from _collected(buckets, units, max(limit, SMALL))
    else:
        if buckets is None:
            even = min(size, most)
            buckets = BucketMap.learn(sample, size, even, most) if sample.size else _few_buckets()
        want = partial(_want, max_error=max_error, units=units)
        # Of several columns that refine at once, each may collect what is allowed.
        found = yield from rounds(buckets, units, want, lambda: limit, strict=True)
    blocks = assemble(found)  # which makes sure that the groups are those that were counted
    curve, area = _walked(found, 0.0 if small else max_error)
    return ScannedColumn(blocks, curve, area, int(found.pos.sum()), int(found.neg.sum()))


def column_of(pos: Array, neg: Array, units: Units, max_error: float) -> ScannedColumn:
    """The findings of a column whose scores are all there, ascending in each class; the area is exact."""
    from rochull._core.kernels import held as kernels

    hull, kept, area = kernels.walk_sorted(pos, neg, _half(max_error))
    (fp, tp), either = kept, np.concatenate((pos[:1], neg[:1]))

    def at(below: int, ends: Array) -> tuple[Array, Array]:
        """The scores of both classes at points, or below; where one has none, that of the other."""
        counts = [ends[1] + below, ends[0] + below]
        found = [
            own[own.size - np.clip(count, 1, own.size)] if own.size else np.full(count.size, either[0])
            for own, count in zip((pos, neg), counts, strict=True)
        ]
        there = [(count > 0) & (count <= own.size) for own, count in zip((pos, neg), counts, strict=True)]
        return np.where(there[0], found[0], found[1]), np.where(there[1], found[1], found[0])

    blocks = Blocks(
        low=_plain_zero(np.minimum(*at(0, hull[:, 1:]))),
        high=_plain_zero(np.maximum(*at(1, hull[:, :-1]))),
        pos_units=np.diff(hull[1]), neg_units=np.diff(hull[0]), units=units,
    )  # fmt: skip
    score = _plain_zero(np.minimum(*at(0, kept)))
    curve = RocCurve(score, np.append(0, tp), np.append(0, fp), units, max_error)
    return ScannedColumn(blocks, curve, (int(area),) * 3, pos.size, neg.size)


def _plain_zero(score: Array) -> Array:
    """Scores in which -0.0 is 0.0."""
    if score.dtype.kind == "f":
        score += 0
    return score


@cache
def _few_buckets() -> BucketMap:
    """A map that tells nothing apart but 0: as there may be very many small columns, one for all."""
    return BucketMap.learn(np.zeros(1), 1)


def _collected(
    counted: Buckets | None, units: Units, most: int
) -> Generator[list[Task], list[Any], CollectedRows]:
    """All groups of a column, in one pass; those of counted buckets with what other columns collect."""
    buckets = counted or _few_buckets()
    wanted = np.ones(buckets.size, bool)
    count, collect = BucketCounts(buckets, units), BucketGroups(buckets, units, wanted, most)
    if counted is not None:
        ((pos, neg),) = yield [count]
        (groups,) = yield [collect]
    else:
        (pos, neg), groups = yield [count, collect]
    if not isinstance(groups, Tally):
        raise ChangedError()
    return CollectedRows(buckets, pos, neg, (pos > 0) | (neg > 0), groups, [], [])


def _want(
    buckets: Buckets, pos: Array, neg: Array, *, max_error: float, units: Units
) -> tuple[Array, list[Task]]:
    """The buckets that blocks and the curve need, and the thresholds of kept points between them."""
    wanted = settle(pos, neg, both_classes=False) > 0
    for count in (pos, neg):
        wanted |= count > max_error / 2 * count.sum()
    ends = _kept(pos, neg, max_error) & ((pos > 0) | (neg > 0))
    return wanted, [LowestScores(buckets, units, ends & ~wanted)]


def _kept(pos: Array, neg: Array, max_error: float) -> Array:
    """Which points (k,) after steps of so many units stay on a thinned curve.

    A point stays if it is in another half of `max_error` than the one before; what is dropped inside of a
    step that is not looked into is another half away at most.
    """
    from rochull._core.kernels import buckets as bucket_kernels

    keep = np.zeros(pos.size, bool)
    if pos.dtype == object:
        above, right = (ratio(cumulative(part)[1:], max(part.sum(), 1)) for part in (pos, neg))
        cells = np.floor((above + right) / _half(max_error))
        return np.asarray(np.diff(cells, prepend=0.0) != 0)
    bucket_kernels.keep_points(
        pos, neg, max(int(pos.sum()), 1), max(int(neg.sum()), 1), _half(max_error), keep
    )
    return keep


def _half(max_error: float) -> float:
    """The width of cells, in each of which one point is kept."""
    return max(max_error / 2, 5e-324)


def _walked(found: CollectedRows, max_error: float) -> tuple[RocCurve, tuple[int, int, int]]:
    """The thinned curve, through ends of buckets where no groups were collected, and twice the area under the
    raw one: at least, with every bucket as one tie, at most.
    """
    from rochull._core.kernels import buckets as bucket_kernels

    if not all(np.all(seen) for _, seen in found.more):
        raise ChangedError()
    rows, width = found.rows, _half(max_error)
    if rows.units.is_wide:
        walked, bounds = _wide_walk(found, width)
        return _walked_curve(found, *walked, max_error), bounds
    most = found.pos.size + rows.score.size
    most = min(most, int(min(2 / width, most)) + 3)  # one in every cell, and the last
    places, tp, fp = np.empty((3, most), np.int64)
    kept, areas = bucket_kernels.walk_steps(
        found.pos, found.neg, found.wanted, rows.pos_units, rows.neg_units, max(int(found.pos.sum()), 1),
        max(int(found.neg.sum()), 1), width, places, tp, fp,
    )  # fmt: skip
    low, tied, high = (_whole(*area) for area in areas.tolist())
    return _walked_curve(found, places[:kept], tp[:kept], fp[:kept], max_error), (low, tied, high)


def _wide_walk(found: CollectedRows, width: float) -> tuple[tuple[Array, Array, Array], tuple[int, int, int]]:
    """Run the kernel in Python's integers."""
    rows, wanted, buckets = found.rows, found.wanted, np.arange(found.pos.size)
    held = np.zeros(buckets.size, np.int64)  # groups of each bucket
    at = buckets.size - 1 - found.buckets.locate(rows.score)
    np.add.at(held, at, 1)
    alone = ~wanted & ((found.pos > 0) | (found.neg > 0)).astype(bool)
    steps = np.where(wanted, held, alone)
    place = np.repeat(-1 - buckets, steps)
    place[np.repeat(wanted, steps)] = np.arange(rows.score.size)
    inside = place < 0
    tops = []
    for counts, groups in ((found.pos, rows.pos_units), (found.neg, rows.neg_units)):
        step = no_counts(place.size, True)
        step[inside], step[~inside] = counts[-1 - place[inside]], groups[place[~inside]]
        tops.append(cumulative(step))
    tp, fp = tops
    p, q, above = np.diff(tp), np.diff(fp), tp[:-1]
    low, tied, high = (int((q * (2 * above + np.where(inside, way, 1) * p)).sum()) for way in range(3))
    with np.errstate(over="ignore", invalid="ignore"):
        cells = np.floor((ratio(tp, max(tp[-1], 1)) + ratio(fp, max(fp[-1], 1))) / width)
        keep = np.diff(cells) != 0  # a NaN is kept: cells beyond all numbers
    keep[-1:] = True
    return (place[keep], tp[1:][keep], fp[1:][keep]), (low, tied, high)


def _walked_curve(found: CollectedRows, places: Array, tp: Array, fp: Array, max_error: float) -> RocCurve:
    """The curve through kept points, of which some are ends of buckets."""
    rows, kept = found.rows, places.size
    score, ends = np.empty(kept, rows.score.dtype), places < 0
    score[~ends] = rows.score[places[~ends]]
    for task, (low, _) in zip(found.asked, found.more, strict=True):  # the lowest scores of the buckets
        assert isinstance(task, LowestScores)
        score[ends] = low[::-1][np.searchsorted(np.flatnonzero(task.wanted), -1 - places[ends])]
    score = _plain_zero(score)
    tp, fp = (np.concatenate((np.zeros(1, column.dtype), column)) for column in (tp, fp))
    return RocCurve(score, tp, fp, rows.units, max_error)


def _whole(high: int, low: int) -> int:
    """A sum that a kernel keeps in two parts."""
    return (high << 62) + low
