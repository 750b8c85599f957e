"""Scan, prune, refine: exact blocks and areas without sorting the data.

One scan counts both classes in ordered buckets. The bucket boundaries are exact ROC points; a
bucket whose rectangle stays under their hull can hold no vertex and is settled, by exact
comparison. Only the others are looked at again. See the architecture page for the proof.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rochull._core.first_use import without_kernels
from rochull._core.threads import n_threads, share_out
from rochull._core.validation import refuse_nan
from rochull.hull.blocks import Blocks, cumulative, needs_wide, pool, upper_hull
from rochull.hull.buckets import BucketMap
from rochull.hull.divided import DividedMap
from rochull.hull.sources import ArraySource, Source
from rochull.hull.tallies import Tally, Units, no_counts, tally_of
from rochull.hull.tasks import BucketCounts, BucketGroups, Buckets, Task

if TYPE_CHECKING:
    from rochull._core.validation import Array

# Fewer rows than this are sorted: two scans and a sample would cost more.
SORT_ROWS = 1 << 17
_SAMPLE = 1 << 16
_MAX_BUCKETS = 1 << 18
# Of more rows a fixed number of buckets leaves more undecided: of normal scores 2^18 leave 4.5 % of 2 x 10^7
# rows, but 28 % of 2 x 10^8, where 2^21 leave 2 %; of 10^9 rows 2^21 leave 6 %, 2^23 leave 1 %.
_MANY_ROWS, _ROWS_OF_MANY, _MOST_BUCKETS = 1 << 24, 64, 1 << 23
_ROWS_A_BUCKET = 40
_EVEN_BUCKETS, _EVEN_POWER, _LABELS = 800, 0.4, 1 << 13
# If more than this share of the rows would be collected, their buckets are divided again.
_COLLECT_SHARE = 1 / 8
_COLLECT_ROWS = 1 << 20
_MAX_ROUNDS = 8
_STEP = 32  # buckets between the boundaries of a coarse hull; 16 to 64 take as long
_SHARE_TO_TELL = 3  # bits: an eighth
# For areas: parts small enough for the cache, and so many that their write positions stay in it.
_ROWS_A_PART = 1 << 14
_MAX_PARTS = 512
_ROWS_A_FINE_BUCKET = 20
_MAX_REFINED = 3 << 22  # more than a first map has, which a sample makes a little larger than asked for


class ChangedError(RuntimeError):
    """The source changed between two scans."""

    def __init__(self) -> None:
        super().__init__("the source changed between two scans: the rows counted were not found again.")


def blocks_of(source: Source) -> Blocks:
    """The PAV blocks of a source, exactly: by sorting a small one, by scanning any other."""
    if isinstance(source, ArraySource) and _is_sorted(source.data.scores.size):
        refuse_nan(source.data.scores, "y_score")
        return pool(tally_of(source.data))
    return scan_blocks(source)


def _is_sorted(rows: int) -> bool:
    """Whether rows are sorted: some more where kernels would have to be loaded, or compiled, to scan them."""
    return rows < SORT_ROWS or without_kernels(rows)


def scan_blocks(source: Source, n_buckets: int | None = None) -> Blocks:
    """The PAV blocks of a source by scan, prune and refine."""
    buckets = _learn(source, n_buckets or _default_buckets(source), n_buckets or _even_buckets(source))
    asked = rounds(buckets, source.units, beside_vertices, lambda: _limit(source.rows))
    answers: list[Any] | None = None
    while True:
        try:
            tasks = next(asked) if answers is None else asked.send(answers)
        except StopIteration as done:
            return assemble(done.value)
        answers = [_answer(source, task) for task in tasks]


def _answer(source: Source, task: Task) -> Any:
    if isinstance(task, BucketGroups):
        return source.survey(task.buckets, task.wanted, task.limit)
    assert isinstance(task, BucketCounts)
    return source.count(task.buckets)


def _limit(rows: int) -> int:
    """How many rows may be collected before their buckets are divided again."""
    return max(_COLLECT_ROWS, int(rows * _COLLECT_SHARE))


@dataclass(frozen=True, eq=False)
class CollectedRows:
    """The findings of the scans of one column: counts of all buckets, and the groups of the wanted ones.

    Attributes
    ----------
    buckets : the map.
    pos, neg : int64 (b,) units in each bucket, from high scores to low.
    wanted : bool (b,) the buckets whose groups were collected.
    rows : the groups.
    asked, more : the further tasks that were named, and their answers.
    """

    buckets: Buckets
    pos: Array
    neg: Array
    wanted: Array
    rows: Tally
    asked: list[Task]
    more: list[Any]


# From the map and the counts: the buckets to collect, and what else the second scan should bring.
Want: TypeAlias = Callable[["Buckets", "Array", "Array"], tuple["Array", list[Task]]]


def rounds(
    buckets: Buckets,
    units: Units,
    want: Want,
    limit: Callable[[], int],
    *,
    strict: bool = False,
) -> Generator[list[Task], list[Any], CollectedRows]:
    """Scan, prune, refine, whoever does the scanning: yields tasks, and is sent their answers.

    `limit` is asked for after a count. If it is `strict`, no round collects more; else the last one may.
    """
    pos = neg = np.zeros(0)
    for attempt in range(_MAX_ROUNDS):
        (counts,) = yield [BucketCounts(buckets, units)]  # from high scores to low, as the curve runs
        pos, neg = _with_known(buckets, counts, (pos, neg))
        wanted, more = want(buckets, pos, neg)
        final = attempt == _MAX_ROUNDS - 1 or buckets.size > _MAX_REFINED
        most = limit()
        open_ = np.flatnonzero(wanted)  # to add all counts up takes as much memory as they do
        held = pos[open_] + neg[open_]
        # One of so many is hardly ever more than a tie, which is counted: buckets are of about equal mass.
        if not (final or units.weighted) and int(held[held <= most].sum()) > most:
            # Unless nearly all are ties they have to be divided: a part of them tells, and tells where.
            most = most >> _SHARE_TO_TELL
        found, *others = yield [
            BucketGroups(buckets, units, wanted, None if final and not strict else most),
            *more,
        ]
        if isinstance(found, Tally):
            return CollectedRows(buckets, pos, neg, wanted, found, more, others)
        if final:
            break
        wanted = wanted & ((pos > 0) | (neg > 0)).astype(bool)
        buckets = DividedMap.of(buckets, found, wanted[::-1], (pos + neg)[wanted][::-1])
    raise MemoryError(f"more than {most:,} rows are undecided after {attempt + 1} rounds; allow more memory.")


def _with_known(
    buckets: Buckets, counts: tuple[Array, Array], before: tuple[Array, Array]
) -> tuple[Array, Array]:
    """Counts of all buckets, from high to low: those of the ones that were not divided are known."""
    if not isinstance(buckets, DividedMap):
        return counts
    for count, known in zip(counts, before, strict=True):
        whole = buckets.slots < 0
        count[::-1][buckets.first[:-1][whole]] = known[::-1][whole]
    return counts


def beside_vertices(buckets: Buckets, pos: Array, neg: Array) -> tuple[Array, list[Task]]:
    """The buckets that blocks need: those not settled, and those beside a vertex."""
    return settle(pos, neg) > 0, []


def _learn(source: Source, n_buckets: int, evenly: int = 0) -> BucketMap:
    """A map from a sample: of a 32nd of the rows, where their number is known, within limits."""
    size = min(_SAMPLE, max(source.rows >> 5, 1 << 13)) if source.rows else _SAMPLE
    sample = source.sample(size)
    # All NaN: refused when counted.
    return BucketMap.learn(sample if sample.size else np.zeros(1), n_buckets, evenly)


def most_buckets(rows: int) -> int:
    """As many buckets as have a table of counts that stays in the cache; more for many rows."""
    if rows <= _MANY_ROWS:
        return _MAX_BUCKETS
    return max(_MAX_BUCKETS, min(_MOST_BUCKETS, 1 << round(math.log2(rows / _ROWS_OF_MANY))))


def _default_buckets(source: Source) -> int:
    """Buckets of about 40 rows, but not too many."""
    if not isinstance(source, ArraySource):
        return _MAX_BUCKETS
    rows = source.data.scores.size
    return min(most_buckets(rows), 1 << max(10, math.ceil(math.log2(rows / _ROWS_A_BUCKET))))


def _even_buckets(source: Source) -> int:
    """As many buckets of equal mass as leave about as much to sort as it takes to settle them.

    The rarer class tells: of m of its rows, about (m^0.6 / buckets)^1.6 are undecided.
    """
    if not isinstance(source, ArraySource):
        return 0
    return max(1 << 10, int(_EVEN_BUCKETS * source.rarer(_LABELS) ** _EVEN_POWER))


def settle(pos: Array, neg: Array, *, both_classes: bool = True) -> Array:
    """State of each bucket (b,): 0 settled, 1 settled beside a vertex, 2 not settled."""
    from rochull._core.kernels import settling as kernels

    n_pos, n_neg = pos.sum(), neg.sum()
    if both_classes and (n_pos == 0 or n_neg == 0):
        which = "positive" if n_neg == 0 else "negative"
        raise ValueError(f"y_true has one class only: all labels are {which}.")
    if pos.dtype == object:
        x, y = cumulative(neg), cumulative(pos)
        return _settle(x, y, upper_hull(x, y))
    state = np.empty(pos.size, np.int8)
    kernels.settle(pos, neg, _STEP, needs_wide(n_neg, n_pos), state)
    return state


def _settle(x: Array, y: Array, vertices: Array) -> Array:
    """Run the kernel in Python's integers: from cumulative counts (b + 1,) and their hull."""
    neg, pos = np.diff(x), np.diff(y)
    state = np.zeros(pos.size, np.int8)
    edge = np.repeat(np.arange(vertices.size - 1), np.diff(vertices))  # of each bucket
    begin, dx, dy = vertices[edge], np.diff(x[vertices])[edge], np.diff(y[vertices])[edge]
    above = dy * (x[:-1] - x[begin]) < (y[1:] - y[begin]) * dx
    state[((pos > 0) & (neg > 0) & above).astype(bool)] = 2
    held = np.flatnonzero(((pos > 0) | (neg > 0)).astype(bool))
    ends = np.flatnonzero(np.append(True, edge[held][1:] != edge[held][:-1]))
    for i in held[np.append(ends, np.append(ends[1:], held.size) - 1)]:
        state[i] = state[i] or 1
    return state


def assemble(found: CollectedRows) -> Blocks:
    """Pool the collected groups, and between them the settled buckets, in the scores' order."""
    from rochull._core.kernels import hull as kernels

    pos, neg, wanted, rows = found.pos, found.neg, found.wanted, found.rows
    special = np.flatnonzero(wanted)
    special = special[((pos[special] > 0) | (neg[special] > 0)).astype(bool)]
    place = pos.size - 1 - found.buckets.locate(rows.score)
    first = np.searchsorted(place, special)  # the first group of each special bucket
    _check_unchanged(rows, special, first, place, [pos, neg])
    del place
    run_end = np.append(first, rows.score.size)
    run_pos, run_neg = (_runs(column, special) for column in (pos, neg))
    if rows.units.is_wide:
        at = run_end + np.arange(run_end.size)  # where the runs are, between the groups
        steps = [no_counts(rows.score.size + at.size, True) for _ in "xy"]
        for step, of_runs, of_groups in zip(
            steps, (run_neg, run_pos), (rows.neg_units, rows.pos_units), strict=True
        ):
            step[at] = of_runs
            step[np.delete(np.arange(step.size), at)] = of_groups
        x, y = (cumulative(step) for step in steps)
        passed = cumulative(np.bincount(at, minlength=x.size - 1) == 0)
        vertices = upper_hull(x, y)
        x, y, passed = x[vertices], y[vertices], passed[vertices]
    else:
        wide = needs_wide(neg.sum(), pos.sum())
        x, y, passed = kernels.upper_hull_of_steps(
            rows.pos_units, rows.neg_units, run_end, run_pos, run_neg, wide
        )
    # Beside a vertex there are groups, once runs of no mass are passed over.
    return Blocks(
        low=rows.score[passed[1:] - 1],
        high=rows.score[passed[:-1]],
        pos_units=np.diff(y),
        neg_units=np.diff(x),
        units=rows.units,
    )


def _runs(counts: Array, special: Array) -> Array:
    """Sums of the settled buckets before, between and after the special ones.

    They are one range each: no vertex lies between them.
    """
    begin = np.concatenate(([0], special + 1))
    sums = np.add.reduceat(counts, begin[begin < counts.size], dtype=counts.dtype)  # the sum of all fits too
    if sums.size < begin.size:
        sums = np.append(sums, counts[:1] * 0)
    sums[:-1] -= counts[special]
    return np.asarray(sums if sums.dtype == object else sums.astype(np.int64, copy=False))


def _check_unchanged(rows: Tally, special: Array, first: Array, place: Array, counted: list[Array]) -> None:
    """Raise if the second scan did not find what the first had counted, in positives and negatives."""
    same = first.size == 0 or (first[-1] < place.size and place[-1] == special[-1])
    same = same and np.array_equal(place[first], special)
    for found, expected in zip((rows.pos_units, rows.neg_units), counted, strict=True):
        same = same and np.array_equal(np.add.reduceat(found, first), expected[special])
    if not same:
        raise ChangedError()


# --- the exact area without a full order --------------------------------------------------------


def exact_area(source: ArraySource) -> tuple[int, int, int]:
    """Twice the area under the raw curve in units, and the units of each class (pos, neg).

    Unweighted rows are partitioned into buckets, and pairs are counted inside each; the rest is
    known from the counts. Small or weighted data are sorted.
    """
    data = source.data
    if data.weights is not None or _is_sorted(data.scores.size):
        refuse_nan(data.scores, "y_score")
        return area_of(tally_of(data))
    parts = min(_MAX_PARTS, math.ceil(source.rows / _ROWS_A_PART))
    fine = max(parts, source.rows // _ROWS_A_FINE_BUCKET)
    buckets = _learn(source, fine, fine)
    shift = max(0, math.ceil(math.log2(buckets.size / parts)))
    ranges = source.split(n_threads())
    tables = share_out(lambda rows: _count(rows, buckets, shift), ranges)
    counts = np.sum(tables, axis=0)
    start = np.cumsum(counts) - counts
    places = start + np.cumsum(tables, axis=0) - tables
    partition = np.empty_like(data.scores)
    share_out(lambda rows, place: _scatter(rows, buckets, shift, place, partition), ranges, places)
    # The first bucket has them or the last, as `ArraySource.survey` says, and so has the first or last part.
    source.refuse_nan(partition[: counts[:2].sum()])
    source.refuse_nan(partition[start[2 * ((buckets.size - 1) >> shift)] :])
    n_neg, n_pos = counts[::2], counts[1::2]
    mixed = np.flatnonzero((n_neg > 0) & (n_pos > 0)).tolist()
    scores = (partition[start[2 * q] :][: n_neg[q] + n_pos[q]] for q in mixed)
    twice = sum(
        share_out(lambda part, q: _pairs(part, int(n_neg[q]), q << shift, buckets, shift), scores, mixed)
    )
    pos, neg = counts[1::2][::-1].copy(), counts[::2][::-1].copy()
    area, n_pos, n_neg = area_of(Tally(np.zeros(pos.size), pos, neg))
    return area + twice, n_pos, n_neg


def area_of(groups: Tally) -> tuple[int, int, int]:
    """Twice the area under the curve of ordered groups, and the units of each class (pos, neg)."""
    if groups.pos_units.dtype == object or without_kernels(groups.pos_units.size):
        above, neg = cumulative(groups.pos_units.astype(object)), groups.neg_units.astype(object)
        twice = (neg * (above[:-1] + above[1:])).sum()
        return int(twice), int(above[-1]), int(neg.sum())
    from rochull._core.kernels import hull as kernels

    high, low, pos, neg = kernels.twice_area(groups.pos_units, groups.neg_units)
    return (int(high) << 62) + int(low), int(pos), int(neg)


def _count(source: ArraySource, buckets: BucketMap, shift: int) -> Array:
    """Rows of each part of 2**shift buckets: negatives of part q at 2q, positives at 2q + 1."""
    from rochull._core.kernels import hull as kernels

    table = np.zeros(2 * ((buckets.size >> shift) + 1), np.int64)
    for data in source.labelled():
        kernels.count_parts(buckets.keys(data.scores), data.positive, buckets.pieces, shift, table)
    return table


def _scatter(source: ArraySource, buckets: BucketMap, shift: int, place: Array, out: Array) -> None:
    """Copy every score to its part of `out`; `place` is used up."""
    from rochull._core.kernels import hull as kernels

    for data in source.labelled():
        keys = buckets.keys(data.scores)
        kernels.scatter_parts(data.scores, keys, data.positive, buckets.pieces, shift, place, out)


def _pairs(scores: Array, middle: int, first: int, buckets: BucketMap, shift: int) -> int:
    """Pairs won less pairs lost within one part: negatives up to `middle`, then positives."""
    from rochull._core.kernels import hull as kernels

    scores.setflags(write=False)  # as those of all rows are
    return kernels.count_pairs(scores, buckets.keys(scores), middle, buckets.pieces, first, 1 << shift)
