"""The work of Spark's Python workers on batches of rows: sums, lowest scores and groups, for Spark to add up.

Every function depends on its batches alone and yields its result at the end of each chunk or of all, so that
a task that fails and is run again counts nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rochull._core.key_hashes import key_hashes
from rochull._core.validation import Array, Labelled
from rochull.hull.cut_map import CutMap
from rochull.hull.tallies import Units
from rochull.hull.tasks import BucketCounts, Buckets, LowestScores
from rochull.scanning.engines.table import ChunkRows, Column, keyed

# Groups: bucket, score (if it fits a double) or whole number (if it does not), units.
GROUPS = "z bigint, score double, whole bigint, pos bigint, neg bigint"
# Groups of a chunk in one row: the number of the part, its columns as bytes (Spark copies row by row), units
# in the narrowest type that holds them.
PACKED = "number int, score binary, pos binary, neg binary"
# Pieces of long arrays: the number of the array, what becomes of two, where it begins, its bytes.
PIECES = "number int, kind int, piece int, data binary"
PIECE = 1 << 13
SUM, LEAST, LEAST_WHOLE = range(3)
TYPES = (np.dtype("<i8"), np.dtype("<f8"), np.dtype("<i8"))
_ROWS = 1 << 18  # of a chunk: the kernels' fixed costs are small beside so many rows
_ALONE = 3 / 4  # with a larger share of groups of one row, adding them up would leave them as many
_ELSEWHERE = 1 << 40  # the code of a group that has no number


@dataclass(frozen=True, eq=False)
class WantedBuckets:
    """One column of scores in one group, to be looked into.

    Attributes
    ----------
    buckets : the map.
    units : the units of weight.
    offset : the number of its first bucket among those of all parts.
    wanted : bool (buckets.size,) which buckets are looked into, from low scores to high.
    """

    buckets: Buckets
    units: Units
    offset: int
    wanted: Array


@dataclass(frozen=True, eq=False)
class PassPlan:
    """The work of one pass.

    Attributes
    ----------
    work : by column, a part or a sequence of tasks.
    columns : where the scores are, by name.
    values : the values of segments and folds (Arrow arrays), by their first group.
    weighted, keyed : whether there is a column of weights, and one of keys.
    where : a condition in SQL that every row meets which the work is about; None if that is all of them.
    steps : columns of which one group in so many is enough, if most are of one row.
    """

    work: Mapping[Column, Any]
    columns: Mapping[str, str]
    values: Mapping[int, Any]
    weighted: bool
    keyed: bool
    where: str | None = None
    steps: Mapping[Column, int] = field(default_factory=dict)

    @property
    def needed(self) -> list[str]:
        """The columns that workers read."""
        names = {name for name, _ in self.work}
        scores = [column for name, column in self.columns.items() if name in names]
        return [
            "y",
            *scores,
            *(f"g{first}" for first in self.values),
            *"w" * self.weighted,
            *"k" * self.keyed,
        ]

    def rows(self, batches: Iterable[Any]) -> Iterator[tuple[Column, Labelled]]:
        """The rows of each column, chunk by chunk."""
        names = {name for name, _ in self.work}
        columns = {name: column for name, column in self.columns.items() if name in names}
        for chunk in _chunks(batches):
            codes = {first: codes_of(chunk.column(f"g{first}"), v) for first, v in self.values.items()}
            weights = chunk.column("w").to_numpy() if self.weighted else None
            keys = key_hashes(chunk.column("k").to_numpy(), "key") if self.keyed else None
            positive = chunk.column("y").to_numpy().astype(np.uint8)
            scores = {name: chunk.column(column).to_numpy() for name, column in columns.items()}
            for key, data in keyed(ChunkRows(positive, codes, weights, keys), scores):
                if key in self.work:
                    yield key, data


# --- sums -----------------------------------------------------------------------------------------


def arrays(batches: Iterable[Any], plan: PassPlan) -> Iterator[Any]:
    """The answers of tasks as pieces of arrays, which are numbered in the tasks' order."""
    states: dict[Column, list[Any]] = {}
    for key, data in plan.rows(batches):
        if key not in states:
            states[key] = [task.start(1) for task in plan.work[key]]
        for task, state in zip(plan.work[key], states[key], strict=True):
            task.add(state, data)
    number = 0
    for key, tasks in plan.work.items():
        for task, state in zip(tasks, states.pop(key, tasks), strict=True):
            if state is not task:  # there were rows
                yield from _cut(number, *_flat(task, state))
            number += 1


def _flat(task: Any, state: Any) -> tuple[int, Array, Array]:
    """The combination of two, as an array, and where it holds a value."""
    if isinstance(task, LowestScores):
        low, seen = task.partial([state])
        kind = LEAST_WHOLE if is_wide_dtype(low.dtype) else LEAST
        return kind, low.astype(TYPES[kind]), seen
    found = np.concatenate(task.partial([state])) if isinstance(task, BucketCounts) else task.partial([state])
    return SUM, found.ravel().astype(TYPES[SUM], copy=False), found.ravel()


def _cut(number: int, kind: int, array: Array, told: Array) -> Iterator[Any]:
    begins = [i for i in range(0, array.size, PIECE) if told[i : i + PIECE].any()]
    yield _pieces([(number, kind, i // PIECE, array[i : i + PIECE]) for i in begins])


def _pieces(rows: list[tuple[int, int, int, Array]]) -> Any:
    import pyarrow as pa

    number, kind, piece, data = zip(*rows, strict=True) if rows else ((), (), (), ())
    columns: dict[str, Any] = dict(
        zip(("number", "kind", "piece"), (pa.array(c, "int32") for c in (number, kind, piece)), strict=True)
    )
    return pa.record_batch(columns | {"data": pa.array([array.tobytes() for array in data], "binary")})


def add(batches: Iterable[Any]) -> Iterator[Any]:
    """Pieces of the same place as one."""
    held: dict[tuple[int, int, int], Array] = {}
    for batch in batches:
        for number, kind, piece, data in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            array, key = np.frombuffer(data, TYPES[kind]), (number, kind, piece)
            if key not in held:
                held[key] = array.copy()
            elif kind == SUM:
                held[key] += array
            else:
                np.minimum(held[key], array, out=held[key])
    yield _pieces([(*key, array) for key, array in held.items()])


# --- groups ---------------------------------------------------------------------------------------


def survey(batches: Iterable[Any], plan: PassPlan) -> Iterator[Any]:
    """The groups of the wanted buckets, those of each chunk by themselves.

    Where one in some is enough, a group in bucket -1 - number of the part tells that it was.
    """
    numbers = {key: number for number, key in enumerate(plan.work)}
    for key, (rows, *columns) in _found(batches, plan):
        columns[0] = columns[0].astype(np.int64) + plan.work[key].offset
        if key in plan.steps and np.count_nonzero(rows == 1) > _ALONE * rows.size:
            columns = [column[:: plan.steps[key]] for column in columns]
            nothing = columns[2][:1] * 0
            yield _groups(nothing - 1 - numbers[key], columns[1][:1] * 0, nothing, nothing)
        yield _groups(*columns)


def packed(batches: Iterable[Any], plan: PassPlan) -> Iterator[Any]:
    """As :func:`survey`, in few rows: for a driver that wants all of them."""
    import pyarrow as pa

    numbers = {key: number for number, key in enumerate(plan.work)}
    for key, (_, _, score, *units) in _found(batches, plan):
        made: dict[str, Any] = {"number": pa.array([numbers[key]], "int32")}
        narrow = (column.astype(np.min_scalar_type(int(column.max()))) for column in units)
        for name, column in zip(("score", "pos", "neg"), (score, *narrow), strict=True):
            made[name] = pa.array([column.tobytes()], "binary")
        yield pa.record_batch(made)


def widened(data: bytes, size: int) -> Array:
    """The units (size,) that were packed in the narrowest type."""
    return np.frombuffer(data, f"<u{len(data) // size}").astype(np.int64)


def _found(batches: Iterable[Any], plan: PassPlan) -> Iterator[tuple[Column, list[Array]]]:
    """By column and chunk: rows, bucket, score and units (positives, negatives) of each wanted group."""
    for key, data in plan.rows(batches):
        part: WantedBuckets = plan.work[key]
        # Most rows that come here are wanted: a map of cuts finds the buckets of ascending scores sooner.
        order = np.argsort(data.scores) if isinstance(part.buckets, CutMap) else np.arange(data.scores.size)
        bucket = part.buckets.locate(data.scores[order])
        is_wanted = part.wanted[bucket]
        rows, bucket = order[is_wanted], bucket[is_wanted]
        mass = np.ones(rows.size, np.int64)
        if data.weights is not None:
            mass = np.rint(data.weights[rows] * part.units.pair[data.positive[rows]]).astype(np.int64)
            rows, bucket, mass = rows[mass > 0], bucket[mass > 0], mass[mass > 0]
        if not rows.size:
            continue
        if not isinstance(part.buckets, CutMap):
            order = np.argsort(data.scores[rows])
            rows, bucket, mass = rows[order], bucket[order], mass[order]
        score, positive = data.scores[rows], data.positive[rows] > 0
        begin = np.flatnonzero(np.append(True, score[1:] != score[:-1]))
        pos, neg = (np.add.reduceat(np.where(chosen, mass, 0), begin) for chosen in (positive, ~positive))
        held = np.diff(begin, append=rows.size)
        yield key, [held, bucket[begin], score[begin], pos, neg]


def _groups(bucket: Array, score: Array, pos: Array, neg: Array) -> Any:
    import pyarrow as pa

    wide = is_wide_dtype(score.dtype)
    real = np.zeros(score.size) if wide else score.astype(np.float64) + 0.0
    whole = score if wide else np.zeros(score.size, np.int64)
    columns = {"z": bucket, "score": real, "whole": whole, "pos": pos, "neg": neg}
    return pa.record_batch({name: np.ascontiguousarray(column) for name, column in columns.items()})


def is_wide_dtype(dtype: np.dtype[Any]) -> bool:
    """Whether a double cannot hold all numbers of a type."""
    return dtype.kind == "i" and dtype.itemsize == 8


# --- rows -----------------------------------------------------------------------------------------


def codes_of(column: Any, values: Any) -> Array:
    """The number of each value of a column among the given ones."""
    import pyarrow.compute as pc

    found = pc.index_in(column, value_set=values).cast("int64").fill_null(_ELSEWHERE)
    return np.asarray(found.to_numpy())


def _chunks(batches: Iterable[Any]) -> Iterator[Any]:
    """Batches joined to tables of many rows."""
    import pyarrow as pa

    held: list[Any] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        if rows >= _ROWS:
            yield pa.Table.from_batches(held).combine_chunks()
            held, rows = [], 0
    if held:
        yield pa.Table.from_batches(held).combine_chunks()
