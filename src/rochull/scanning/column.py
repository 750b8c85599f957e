"""What becomes of one column of scores in two passes: its blocks, a thinned curve, and bounds of its area."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rochull._bucketmap import BucketMap
from rochull._gather import Lows, Task
from rochull._tally import Units
from rochull._validation import Array
from rochull.blocks import Blocks, cumulative
from rochull.curve import RocCurve
from rochull.refine import CHANGED, Looked, assemble, rounds, settle

SMALL = 1 << 15  # rows of a column that are collected whole
_ROWS_A_BUCKET = 20
_MAX_BUCKETS = 1 << 18
# Of more rows a fixed number of buckets leaves more undecided: of normal scores 2^18 leave 4.5 % of 2 x 10^7
# rows, but 28 % of 2 x 10^8, where 2^21 leave 2 %.
_MANY_ROWS, _ROWS_OF_MANY, _MOST_BUCKETS = 1 << 24, 96, 1 << 21


@dataclass(frozen=True, eq=False)
class Scanned:
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


def steps(
    rows: int, units: Units, sample: Array, size: int, *, max_error: float, limit: int
) -> Generator[list[Task], list[Any], Scanned]:
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
    blocks, way = assemble(found), _Steps.of(found)
    curve = RocCurve.from_tally(found.rows) if small else way.curve(found, max_error)
    return Scanned(blocks, curve, way.twice_area(), int(found.pos.sum()), int(found.neg.sum()))


def _everything(buckets: BucketMap, pos: Array, neg: Array) -> tuple[Array, list[Task]]:
    return (pos > 0) | (neg > 0), []


def _want(
    buckets: BucketMap, pos: Array, neg: Array, *, max_error: float, units: Units
) -> tuple[Array, list[Task]]:
    """The buckets that blocks and the curve need, and the thresholds of kept points between them."""
    wanted = settle(pos, neg, both_classes=False) > 0
    for count in (pos, neg):
        wanted |= count > max_error / 2 * count.sum()
    ends = _kept(pos, neg, max_error)
    return wanted, [Lows(buckets, units, ends & ~wanted)]


def _kept(pos: Array, neg: Array, max_error: float) -> Array:
    """Which points (k,) after steps of so many units stay on a thinned curve.

    A point stays if it is in another half of `max_error` than the one before; what is dropped inside of a
    step that is not looked into is another half away at most.
    """
    from rochull import _scan_kernels

    keep = np.zeros(pos.size, bool)
    _scan_kernels.keep_points(pos, neg, max(int(pos.sum()), 1), max(int(neg.sum()), 1), max_error / 2, keep)
    return keep


@dataclass(frozen=True, eq=False)
class _Steps:
    """The curve's steps from high scores to low: buckets that were not collected, and groups.

    Attributes
    ----------
    settled : the buckets, from high to low.
    order : (k,) the number of each step's bucket in `settled`; of a group, that of its row behind those.
    pos, neg : int64 (k,) units of each step.
    """

    settled: Array
    order: Array
    pos: Array
    neg: Array

    @classmethod
    def of(cls, found: Looked) -> _Steps:
        rows = found.rows
        settled = np.flatnonzero(~found.wanted & ((found.pos > 0) | (found.neg > 0)))
        place = np.concatenate((settled, found.pos.size - 1 - found.buckets.locate(rows.score)))
        order = np.argsort(place, kind="stable")
        pos = np.concatenate((found.pos[settled], rows.pos_units))[order]
        return cls(settled, order, pos, np.concatenate((found.neg[settled], rows.neg_units))[order])

    def curve(self, found: Looked, max_error: float) -> RocCurve:
        """The thinned curve: through groups where they were collected, else through ends of buckets."""
        ((low, seen),), (task,) = found.more, found.asked
        if not np.all(seen):
            raise RuntimeError(CHANGED)
        assert isinstance(task, Lows)
        score = np.zeros(self.settled.size, found.rows.score.dtype)
        score[np.searchsorted(self.settled, np.flatnonzero(task.wanted))] = low[::-1]  # from high to low
        if score.dtype.kind == "f":
            score += 0  # -0.0 becomes 0.0
        keep = _kept(self.pos, self.neg, max_error)
        keep[-1] = True
        points = np.concatenate(([0], np.flatnonzero(keep) + 1))
        return RocCurve(
            np.concatenate((score, found.rows.score))[self.order[keep]],
            cumulative(self.pos)[points],
            cumulative(self.neg)[points],
            found.rows.units,
            max_error,
        )

    def twice_area(self) -> tuple[int, int, int]:
        """Bounds of twice the area, and between them its value with every bucket as one tie."""
        from rochull import _scan_kernels

        inside = self.order < self.settled.size  # a bucket, of which the order of its rows is not known
        low, tied, high = _scan_kernels.area_bounds(self.pos, self.neg, inside).tolist()
        return _whole(*low), _whole(*tied), _whole(*high)


def _whole(high: int, low: int) -> int:
    """A sum that a kernel keeps in two parts."""
    return (high << 62) + low
