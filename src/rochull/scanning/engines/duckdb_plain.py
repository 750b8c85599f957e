"""Plain Parquet files, whose row groups are decoded by the threads that count.

DuckDB decodes on threads of its own and hands batches over: they are copied once more, and have left the
cache when they are counted. Where nothing but columns of numbers is asked for, a thread that decodes a row
group and counts it at once does without. All else is DuckDB's, and so is what cannot be read: it says why.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from rochull._core import validation
from rochull._core.inputs import file_version
from rochull._core.threads import n_threads, share_out
from rochull._core.validation import Array
from rochull.hull.refine import ChangedError
from rochull.scanning.engines.duckdb_rows import PLACES, FileRows, RowSource, Session

# The types of DuckDB that are the same numbers in Arrow, and how Arrow calls them.
_NUMBERS = {"TINYINT": "int8", "SMALLINT": "int16", "INTEGER": "int32", "BIGINT": "int64"}
_NUMBERS |= {f"U{kind}": f"u{arrow}" for kind, arrow in _NUMBERS.items()}
_LABELS = _NUMBERS | {"BOOLEAN": "bool"}
_SCORES = _NUMBERS | {"FLOAT": "float", "DOUBLE": "double"}
_BYTES = {"bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "float": 4}
_PIECE = 1 << 17  # rows of a row group that is decoded in pieces
_BUFFER = 1 << 20  # bytes of a file that are read at once
# A row group takes a call, a file its footer: with fewer rows in them DuckDB is faster.
_LEAST_ROWS = 1 << 14
_COPIES = 2  # of a row group while it is decoded: as read, and as columns
# A thread decodes so many rows before it counts them: the tables of counts are then in the cache for longer.
_TOGETHER = 1 << 21


def read_errors() -> tuple[type[Exception], ...]:
    """The errors that Arrow raises if a file cannot be read."""
    import pyarrow as pa

    return pa.ArrowException, OSError


class BadColumn(Exception):
    """A column holds what it must not; which is found out when all threads have stopped."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def score_arrays(
    columns: Iterable[Any], names: Sequence[str], known: Iterable[str] = (), *, negated: Collection[str]
) -> dict[str, Array]:
    """Columns of scores as arrays, some of them negated; none has a NaN, not looked for if it is `known`."""
    scores = {name: array_of(column, name) for name, column in zip(names, columns, strict=True)}
    for name, column in scores.items():
        if name not in known and validation.has_nan(column):
            raise BadColumn(name)
        if name in negated:
            scores[name] = validation.negated(column, f"score column {name!r}")
    return scores


def array_of(column: Any, name: str | None) -> Array:
    """A column of a batch as an array; a null in a code or a label was not there before."""
    if column.null_count:
        if name is None:
            raise ChangedError()
        raise BadColumn(name)
    return numbers_in(column)


def numbers_in(column: Any) -> Array:
    """An Arrow column without nulls as an array: numbers where they are (to_numpy would import pandas)."""
    import pyarrow as pa

    kind = column.type
    if (pa.types.is_integer(kind) or pa.types.is_floating(kind)) and len(column):
        dtype = np.dtype(f"{'f' if pa.types.is_floating(kind) else str(kind)[0]}{kind.bit_width // 8}")
        data = np.frombuffer(column.buffers()[1], dtype, len(column), column.offset * dtype.itemsize)
        return data
    array: Array = column.to_numpy(zero_copy_only=False)
    return array


def _in_path(path: str, names: Iterable[str]) -> bool:
    """Whether a directory names one of these columns, as in ``region=north``: DuckDB then reads it there."""
    parts = {part.partition("=")[0].lower() for part in Path(path).parent.parts if "=" in part}
    return any(name.lower() in parts for name in names)


@dataclass(eq=False)
class _Kept:
    """Decoded columns, kept for the next pass: as many columns of row groups as fit in `most` bytes.

    A group is known by its place in a file and by that file's size and time: one that was replaced is read.
    Labels are kept as bits. Scores take `most_scores` bytes at most: more of them cost in memory that is new
    to the process what decoding them again costs.
    """

    most: int
    most_scores: int = 1 << 27
    size: int = 0
    labels: dict[Any, tuple[Array, frozenset[str]]] = field(default_factory=dict)
    scores: dict[Any, Array] = field(default_factory=dict)

    def add_labels(self, place: Any, positive: Array, sound: frozenset[str]) -> None:
        """Keep a group's labels if there is room; threads that add at once may take a little more.

        `sound` names the columns of scores in which there is no NaN.
        """
        size = -(-positive.size // 8)
        if self.size + size <= self.most:
            self.size += size
            self.labels[place] = np.packbits(positive), sound

    def add_scores(self, place: Any, name: str, scores: Array) -> None:
        """Keep one of a group's columns of scores if there is room."""
        if self.size + scores.nbytes <= min(self.most, self.most_scores):
            self.size += scores.nbytes
            self.scores[place, name] = scores

    def forget(self) -> None:
        """Keep nothing."""
        self.labels.clear()
        self.scores.clear()
        self.size = 0


@dataclass(frozen=True)
class RowGroup:
    """A row group: its file, the file's footer, what tells the file from a later one, its number and rows."""

    path: str
    footer: Any
    version: tuple[int, ...] | None
    number: int
    rows: int

    @property
    def place(self) -> tuple[Any, ...]:
        """Cache key."""
        return self.path, self.version, self.number

    def decoded(self, names: Sequence[str], piece: int) -> Iterator[list[Any]]:
        """Some columns, whole or in pieces of so many rows."""
        from pyarrow import parquet

        # Not read ahead on other threads: all are at work.
        with parquet.ParquetFile(
            self.path, metadata=self.footer, pre_buffer=False, buffer_size=_BUFFER
        ) as file:
            if self.rows > piece:
                rows = file.iter_batches(
                    piece, row_groups=[self.number], columns=list(names), use_threads=False
                )
                yield from ([batch.column(name) for name in names] for batch in rows)
                return
            table = file.read_row_group(self.number, columns=list(names), use_threads=False)
        columns = [table.column(name) for name in names]
        yield [column.chunk(0) if column.num_chunks == 1 else column.combine_chunks() for column in columns]

    def first(self, names: Sequence[str], size: int) -> list[Any]:
        """Some columns of the first rows."""
        from pyarrow import parquet

        with parquet.ParquetFile(
            self.path, metadata=self.footer, pre_buffer=False, buffer_size=_BUFFER
        ) as file:
            rows = file.iter_batches(size, row_groups=[self.number], columns=list(names), use_threads=False)
            batch = next(iter(rows))
        return [batch.column(name) for name in names]


@dataclass(frozen=True, eq=False)
class PlainFiles:
    """Parquet files of which some columns of numbers are read.

    Attributes
    ----------
    paths : the files.
    label : the column of labels.
    types : how Arrow calls the types of the columns.
    rows : how many rows they have.
    kept : what is kept of them between passes.
    at_once : how many rows a thread decodes before it counts them, or one row group.
    piece : how many rows of a row group are decoded together, where all would be too many; else None.
    negated : which columns of scores are, as low ones are positive.
    """

    paths: Sequence[str]
    label: str
    types: Mapping[str, str]
    rows: int
    kept: _Kept = field(default_factory=lambda: _Kept(0))
    at_once: int = 0
    piece: int | None = None
    negated: Collection[str] = ()

    @classmethod
    def of(
        cls, rows: RowSource, session: Session, label: str, scores: Sequence[str], types: Mapping[str, str],
        *, negated: Collection[str] = (),
    ) -> PlainFiles | None:  # fmt: skip
        """The files, if they are plain; `types` are DuckDB's."""
        if not isinstance(rows, FileRows) or not rows.is_parquet or rows.where is not None:
            return None
        kinds = {label: _LABELS.get(types[label], "")}
        kinds |= {name: _SCORES.get(types[name], "") for name in scores}
        if not all(kinds.values()) or any("." in name for name in kinds):  # Arrow looks inside of columns
            return None
        paths = rows.files(session)
        if any(_in_path(path, kinds) for path in paths):
            return None
        size = int(session.fetch(f"SELECT count(*) FROM {session.rows}")[0][0])
        if size < _LEAST_ROWS * (len(paths) - 1):
            return None
        found = cls(paths, label, kinds, size, _Kept((rows.memory or 0) // 4), negated=negated)
        errors: tuple[type[Exception], ...] = (RuntimeError, *read_errors())
        try:
            return found._within(rows.memory)
        except errors:
            return None

    def _within(self, memory: int | None) -> PlainFiles | None:
        """The same, of which a thread decodes so many rows together that no thread is left without memory.

        None if the files do not suit: their row groups are too small, or not all rows are there.
        """
        sizes = [group.rows for group in self.groups()]
        if sum(sizes) != self.rows or self.rows < _LEAST_ROWS * (len(sizes) - 1):
            return None
        most = min(_TOGETHER, self.rows // (4 * n_threads()))
        if memory is None:
            return replace(self, at_once=most)
        room = memory // 4 // (self._bytes_a_row * n_threads()) - _COPIES * max(sizes, default=0)
        return replace(self, piece=_PIECE) if room < 0 else replace(self, at_once=min(most, room))

    @property
    def _bytes_a_row(self) -> int:
        """How many bytes a row takes in all columns together."""
        return sum(_BYTES.get(kind, 8) for kind in self.types.values())

    def groups(self) -> Iterator[RowGroup]:
        """Every row group, as the footers have it now."""
        from pyarrow import parquet

        for path in self.paths:
            with parquet.ParquetFile(path) as file:
                schema, footer = file.schema_arrow, file.metadata
            for name, kind in self.types.items():
                if schema.names.count(name) != 1 or str(schema.field(name).type) != kind:
                    raise ChangedError()
            version = file_version(path)
            for i in range(footer.num_row_groups):
                if rows := footer.row_group(i).num_rows:
                    yield RowGroup(path, footer, version, i, rows)

    def together(self) -> Iterator[list[RowGroup]]:
        """Row groups that are decoded one after the other by the same thread."""
        part: list[RowGroup] = []
        for group in self.groups():
            if part and sum(one.rows for one in part) + group.rows > self.at_once:
                yield part
                part = []
            part.append(group)
        if part:
            yield part

    def has_both_labels(self) -> bool:
        """Whether the footers say that no label is null, and that there are both of two."""
        lowest, highest = set(), set()
        for group in self.groups():
            place = group.footer.schema.names.index(self.label)
            column = group.footer.row_group(group.number).column(place)
            known = column.statistics
            if column.path_in_schema != self.label or known is None or not known.has_min_max:
                return False
            if not known.has_null_count or known.null_count:
                return False
            lowest.add(known.min)
            highest.add(known.max)
        return self.types[self.label] == "bool" and False in lowest and True in highest

    def read(
        self, group: RowGroup, scores: Sequence[str], labels: tuple[Any, Any], keep: bool
    ) -> Iterator[tuple[Array, dict[str, Array]]]:
        """A group's labels, 1 for the first of two, and scores; `keep` them if there is room.

        They come in pieces where the group is too large.
        """
        piece = self.piece or group.rows
        places = [(*group.place, begin) for begin in range(0, group.rows, piece)]
        kept = [self.kept.labels.get(place) for place in places]
        held = [name for name in scores if all((place, name) in self.kept.scores for place in places)]
        missing = [name for name in scores if name not in held]
        known = all(one is not None for one in kept)
        wanted = missing if known else [self.label, *missing]
        decoded = group.decoded(wanted, piece) if wanted else iter([[]] * len(places))
        for place, one, columns in zip(places, kept, decoded, strict=True):
            rows = min(piece, group.rows - place[-1])
            sound: frozenset[str] = frozenset()
            if known and one is not None:
                bits, sound = one
                positive = np.unpackbits(bits, count=rows)
            else:
                positive = self.labels(columns.pop(0), *labels)
            found = score_arrays(columns, missing, sound, negated=self.negated)
            if keep:
                if not known:
                    self.kept.add_labels(place, positive, frozenset(scores))
                for name, column in found.items():
                    self.kept.add_scores(place, name, column)
            both = {name: self.kept.scores[place, name] for name in held} | found
            yield positive, {name: both[name] for name in scores}

    def sample(self, scores: Sequence[str], size: int) -> list[dict[str, Array]]:
        """Scores of about `size` rows: the first ones of row groups at even places."""
        groups = list(self.groups())
        ends = np.cumsum([group.rows for group in groups])
        places = (np.arange(PLACES) + 0.5) * (self.rows / PLACES)
        chosen = np.unique(np.minimum(np.searchsorted(ends, places, side="right"), len(groups) - 1))
        each = -(-size // chosen.size)
        parts = share_out(lambda number: groups[number].first(scores, each), chosen.tolist())
        return [score_arrays(columns, scores, negated=self.negated) for columns in parts]

    def labels(self, column: Any, positive: Any, negative: Any) -> Array:
        """1 for every positive label of a decoded column, else 0."""
        if column.null_count:
            raise ChangedError()
        if self.types[self.label] == "bool":
            _, bits = column.buffers()
            end = column.offset + len(column)
            found = np.unpackbits(np.frombuffer(bits, np.uint8), count=end, bitorder="little")[
                column.offset :
            ]
            return found if positive else found ^ 1
        values = numbers_in(column)
        is_positive: Array = values == positive
        if np.count_nonzero(is_positive) + np.count_nonzero(values == negative) != values.size:
            raise ChangedError()
        return is_positive.view(np.uint8)
