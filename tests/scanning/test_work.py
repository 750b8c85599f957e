"""How much a scan reads and places, at sizes that no test can hold: the real maps and rounds, and counts that are drawn.

Only the rows are missing. The counts in the buckets of a map are drawn as those of so many rows would be, and the
counts in parts of a bucket as they divide its own.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from rochull._core.validation import Array
from rochull.hull.divided import DividedMap
from rochull.hull.tallies import Units
from rochull.hull.tasks import BucketCounts, BucketGroups
from rochull.scanning import column
from rochull.scanning.engines import duckdb_table, opening

SIZES = (10**7, 10**8, 3 * 10**8, 10**9)
MEMORY = (200, 500, 2000)  # MB
_TAILS = (-8.0, 10.0)
POSITIVE, BETWEEN = 0.3, 1.5  # the share of positives, and by how much higher their normal scores are


class _NoRows:
    """`rows` normal scores of each class, which are nowhere."""

    def __init__(self, rows: int) -> None:
        self.rows, self.rng = rows, np.random.default_rng(0)
        n = column.SMALL
        self.sample = self.rng.normal(size=n) + BETWEEN * (self.rng.random(n) < POSITIVE)

    def counted(self, buckets: Any, before: Any) -> tuple[Array, Array]:
        """Positives and negatives in all buckets, from high scores to low."""
        upper, counts = _ends(buckets), []
        for i, (share, mean) in enumerate(((POSITIVE, BETWEEN), (1 - POSITIVE, 0.0))):
            mass = np.maximum(np.diff(ndtr(upper - mean), prepend=0.0), 0.0)
            if before is None:
                counts.append(self.rng.poisson(self.rows * share * mass)[::-1].copy())
            else:
                counts.append(self._divided(buckets, mass, before[i][::-1])[::-1].copy())
        return counts[0], counts[1]

    def _divided(self, buckets: Any, mass: Array, whole: Array) -> Array:
        """The counts of the parts, low scores first, of buckets that hold so many as a `whole`."""
        first, width, found = buckets.first[:-1], np.diff(buckets.first), np.zeros(buckets.size, np.int64)
        found[first[buckets.slots < 0]] = whole[buckets.slots < 0]
        rest = np.add.reduceat(mass, first)
        at = np.flatnonzero(buckets.slots >= 0)
        left, rest = whole[at], rest[at]
        for j in range(int(width.max())):
            more = width[at] > j
            at, left, rest = at[more], left[more], rest[more]
            part = first[at] + j
            with np.errstate(all="ignore"):
                share = np.clip(np.nan_to_num(mass[part] / rest, nan=1.0), 0, 1)
            share[width[at] == j + 1] = 1.0
            found[part] = self.rng.binomial(left, share)
            left, rest = left - found[part], rest - mass[part]
        return found

    def some(self, task: BucketGroups, counts: Array) -> Array:
        """So many scores of the wanted buckets as are handed over where they are too many."""
        assert task.limit is not None
        wanted, upper = task.wanted[::-1], np.clip(_ends(task.buckets), *_TAILS)
        lower = np.concatenate((_TAILS[:1], upper[:-1]))
        mass = np.where(wanted, counts[::-1], 0)
        chosen = self.rng.choice(mass.size, task.limit, p=mass / mass.sum())
        found: Array = lower[chosen] + (upper - lower)[chosen] * self.rng.random(task.limit)
        return found


def _ends(buckets: Any) -> Array:
    """The upper end of each bucket; the last part of a divided one ends where that does."""
    ends, known = buckets.spans(np.arange(buckets.size))
    upper = np.where(known, ends[:, 1], -np.inf)
    upper[-1] = np.inf
    if isinstance(buckets, DividedMap):
        upper[buckets.first[1:] - 1] = _ends(buckets.parent)
    found: Array = np.maximum.accumulate(upper)
    return found


def work(rows: int, memory: int) -> float:
    """How often the rows are read until the last of them are collected."""
    source, units = _NoRows(rows), Units()
    collect, most = room(memory * 10**6)
    scan = column.scan_column(
        rows, units, source.sample, column.n_buckets(rows, most), max_error=1e-4, limit=collect, most=most
    )
    tasks, read, counts = next(scan), 0.0, None
    while True:
        task = tasks[0]
        if isinstance(task, BucketCounts):
            counts = source.counted(task.buckets, counts)
            read += 1
            tasks = scan.send([counts])
            continue
        assert isinstance(task, BucketGroups)
        assert counts is not None
        assert task.limit is not None
        units_in = counts[0] + counts[1]
        held = int(units_in[task.wanted].sum())
        if held <= task.limit:
            return read + 1
        read += task.limit / held  # it ends early
        tasks = scan.send([source.some(task, units_in), *[None] * (len(tasks) - 1)])


def room(memory: int) -> tuple[int, int]:
    """How many rows may be collected of a file, and how many buckets counted, with so many bytes and two threads."""
    columns = opening.ScanColumns("y", ["s"], None, None, None, None, None, None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "n_threads", lambda: 2)
        patch.setattr(duckdb_table, "DuckDBTable", lambda _, **options: options)
        given: Any = opening._Opened("rows.parquet", columns, memory, None).duckdb()
    return max(duckdb_table._LEAST_LIMIT, given["collect"]), given["most_buckets"]


@pytest.mark.long
def test_no_step_in_what_a_row_costs() -> None:
    """Neither from one size to the next nor from one limit of memory to the next."""
    reads = {(rows, memory): work(rows, memory) for rows in SIZES for memory in MEMORY}
    for few, many in pairwise(SIZES):
        for memory in MEMORY:
            assert reads[many, memory] <= 2.1 * reads[few, memory]
    for low, high in pairwise(MEMORY):
        for rows in SIZES:
            assert reads[rows, high] - 0.2 <= reads[rows, low] <= 2.1 * reads[rows, high]
    assert max(reads[rows, 2000] for rows in SIZES) < 3.2
