"""What becomes of one column of scores in two passes: its blocks, a thinned curve, and bounds of its area."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rochull._core.validation import Array
from rochull.hull.blocks import Blocks
from rochull.hull.buckets import BucketMap
from rochull.hull.curve import RocCurve
from rochull.hull.refine import CHANGED, CollectedRows, assemble, rounds, settle
from rochull.hull.tallies import Units
from rochull.hull.tasks import LowestScores, Task

SMALL = 1 << 15  # rows of a column that are collected whole
_ROWS_A_BUCKET = 20
_MAX_BUCKETS = 1 << 18
# Of more rows a fixed number of buckets leaves more undecided: of normal scores 2^18 leave 4.5 % of 2 x 10^7
# rows, but 28 % of 2 x 10^8, where 2^21 leave 2 %.
_MANY_ROWS, _ROWS_OF_MANY, _MOST_BUCKETS = 1 << 24, 96, 1 << 21


@dataclass(frozen=True, eq=False)
class ScannedColumn:
    """What two passes tell of one column of scores.

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
    most = _MAX_BUCKETS
    if rows > _MANY_ROWS:
        most = max(most, min(_MOST_BUCKETS, 1 << math.ceil(math.log2(rows / _ROWS_OF_MANY))))
    wanted = min(most, max(budget, 1 << 10), max(1 << 10, rows // _ROWS_A_BUCKET))
    return 1 << int(math.log2(wanted))


def scan_column(
    rows: int, units: Units, sample: Array, size: int, *, max_error: float, limit: int
) -> Generator[list[Task], list[Any], ScannedColumn]:
    """Scan one column, whoever does the scanning: yields tasks, and is sent their answers.

    `rows` is how many it has, `size` the number of buckets; a column of few rows is collected whole.
    """
    small = rows <= SMALL
    if small or not sample.size:
        sample, size = np.zeros(1), 1
    want = _everything if small else partial(_want, max_error=max_error, units=units)
    # Of several columns that refine at once, each may collect what is allowed.
    most = max(limit, SMALL) if small else limit
    found = yield from rounds(BucketMap.learn(sample, size), units, want, lambda: most, strict=True)
    blocks = assemble(found)  # which makes sure that the groups are those that were counted
    curve, area = _walked(found, 0.0 if small else max_error)
    return ScannedColumn(blocks, curve, area, int(found.pos.sum()), int(found.neg.sum()))


def _everything(buckets: BucketMap, pos: Array, neg: Array) -> tuple[Array, list[Task]]:
    return (pos > 0) | (neg > 0), []


def _want(
    buckets: BucketMap, pos: Array, neg: Array, *, max_error: float, units: Units
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
        raise RuntimeError(CHANGED)
    rows, width = found.rows, _half(max_error)
    most = found.pos.size + rows.score.size
    most = min(most, int(min(2 / width, most)) + 3)  # one in every cell, and the last
    places, tp, fp = np.empty((3, most), np.int64)
    kept, areas = bucket_kernels.walk_steps(
        found.pos, found.neg, found.wanted, rows.pos_units, rows.neg_units, max(int(found.pos.sum()), 1),
        max(int(found.neg.sum()), 1), width, places, tp, fp,
    )  # fmt: skip
    places = places[:kept]
    score, ends = np.empty(kept, rows.score.dtype), places < 0
    score[~ends] = rows.score[places[~ends]]
    for task, (low, _) in zip(found.asked, found.more, strict=True):  # the lowest scores of the buckets
        assert isinstance(task, LowestScores)
        score[ends] = low[::-1][np.searchsorted(np.flatnonzero(task.wanted), -1 - places[ends])]
    if score.dtype.kind == "f":
        score += 0  # -0.0 becomes 0.0
    tp, fp = (np.concatenate(([0], column[:kept])) for column in (tp, fp))
    low_area, tied, high_area = (_whole(*area) for area in areas.tolist())
    return RocCurve(score, tp, fp, rows.units, max_error), (low_area, tied, high_area)


def _whole(high: int, low: int) -> int:
    """A sum that a kernel keeps in two parts."""
    return (high << 62) + low
