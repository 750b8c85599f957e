"""Plain Parquet files, whose row groups are decoded by the threads that count.

DuckDB decodes on threads of its own and hands batches over: they are copied once more, and have left the
cache when they are counted. Where nothing but columns of numbers is asked for, a thread that decodes a row
group and counts it at once does without; the rows that fulfil a condition DuckDB has found before. All else
is DuckDB's, and so is what cannot be read: it says why.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from rochull._core import validation
from rochull._core.cached import cached_property
from rochull._core.inputs import file_version
from rochull._core.parquet_beside import numbers_in
from rochull._core.threads import n_threads, share_out
from rochull._core.validation import Array, Labelled
from rochull.hull.refine import ChangedError
from rochull.scanning.engines.duckdb_rows import PLACES, FileRows, RowSource, Session
from rochull.scanning.engines.duckdb_where import chosen_rows
from rochull.scanning.engines.kept_columns import KeptColumns
from rochull.scanning.engines.table import ChunkRows, Column, keyed

# The types of DuckDB that are the same numbers in Arrow, and how Arrow calls them.
_NUMBERS = {"TINYINT": "int8", "SMALLINT": "int16", "INTEGER": "int32", "BIGINT": "int64"}
_NUMBERS |= {f"U{kind}": f"u{arrow}" for kind, arrow in _NUMBERS.items()}
_LABELS = _NUMBERS | {"BOOLEAN": "bool"}
_DIVIDING = _NUMBERS | {"VARCHAR": "string"}
SCORES = _NUMBERS | {"FLOAT": "float", "DOUBLE": "double"}
_BYTES = {"bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "float": 4}
_PIECE = 1 << 16  # rows of a row group that is decoded in pieces
_BUFFER = 1 << 18  # bytes of a file that are read at once
# A row group takes a call, a file its footer: with fewer rows in them DuckDB is faster.
_LEAST_ROWS = 1 << 14
_COPIES = 2  # of a row group while it is decoded: as read, and as columns
_MOST_NUMBERS = 1 << 16  # between the least and the greatest of a column that divides the rows
_BYTES_TO_DIVIDE = 16  # of a row: where it goes, and its score
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
    columns: Iterable[Any], names: Sequence[str], *, negated: Collection[str]
) -> dict[str, Array]:
    """Columns of scores as arrays, some of them negated; none has a NaN."""
    scores = {name: array_of(column, name) for name, column in zip(names, columns, strict=True)}
    for name, column in scores.items():
        if validation.has_nan(column):
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
    found: Array = numbers_in(column)
    return found


def bits_in(column: Any) -> Array:
    """An Arrow column of truth values without nulls as zeros and ones, which it may be."""
    numbers: Array = numbers_in(column)
    return numbers.view(np.uint8) if numbers.dtype == bool else numbers


def _kind_of(kind: Any) -> str:
    """The name of a type of Arrow, the same for texts however they are held."""
    import pyarrow as pa

    held = kind.value_type if pa.types.is_dictionary(kind) else kind
    return "string" if pa.types.is_large_string(held) else str(held)


def _in_path(path: str, names: Iterable[str]) -> bool:
    """Whether a directory names one of these columns, as in ``region=north``: DuckDB then reads it there."""
    parts = {part.partition("=")[0].lower() for part in Path(path).parent.parts if "=" in part}
    return any(name.lower() in parts for name in names)


@dataclass(frozen=True)
class RowGroup:
    """A row group: its file, the file's footer, what tells the file from a later one, its number and rows.

    `chosen` are bits of Arrow for the rows that are wanted; None for all.
    """

    path: str
    footer: Any
    version: tuple[int, ...] | None
    number: int
    rows: int
    chosen: Any = None

    @property
    def place(self) -> tuple[Any, ...]:
        """Cache key."""
        return self.path, self.version, self.number

    def size(self, begin: int = 0, piece: int | None = None) -> int:
        """How many rows of a piece are wanted, or of the whole."""
        rows = min(self.rows - begin, piece or self.rows)
        return rows if self.chosen is None else int(self.chosen.slice(begin, rows).true_count)

    def _wanted(self, columns: Iterable[Any], begin: int) -> list[Any]:
        """The rows that are wanted, of columns of those from `begin` on."""
        if self.chosen is None:
            return list(columns)
        import pyarrow as pa

        # Arrow takes some bytes faster than some bits.
        as_bytes = (column.cast(pa.uint8()) if column.type == pa.bool_() else column for column in columns)
        return [column.filter(self.chosen.slice(begin, len(column))) for column in as_bytes]

    def decoded(self, names: Sequence[str], piece: int, texts: Sequence[str] = ()) -> Iterator[list[Any]]:
        """Some columns, whole or in pieces of so many rows; `texts` as codes of a dictionary."""
        from pyarrow import parquet

        # Not read ahead on other threads: all are at work.
        with parquet.ParquetFile(
            self.path, metadata=self.footer, pre_buffer=False, buffer_size=_BUFFER,
            read_dictionary=list(texts),
        ) as file:  # fmt: skip
            if self.rows > piece:
                rows = file.iter_batches(
                    piece, row_groups=[self.number], columns=list(names), use_threads=False
                )
                for begin, batch in zip(range(0, self.rows, piece), rows, strict=True):
                    yield self._wanted((batch.column(name) for name in names), begin)
                return
            table = file.read_row_group(self.number, columns=list(names), use_threads=False)
        columns = self._wanted((table.column(name) for name in names), 0)
        yield [column.chunk(0) if column.num_chunks == 1 else column.combine_chunks() for column in columns]

    def first(self, names: Sequence[str], size: int, texts: Sequence[str] = ()) -> list[Any]:
        """Some columns of the first rows that are wanted, up to the one that makes so many."""
        from pyarrow import parquet

        if self.chosen is not None and size < self.size():
            size = int(np.flatnonzero(bits_in(self.chosen))[size - 1]) + 1
        with parquet.ParquetFile(
            self.path, metadata=self.footer, pre_buffer=False, buffer_size=_BUFFER,
            read_dictionary=list(texts),
        ) as file:  # fmt: skip
            rows = file.iter_batches(size, row_groups=[self.number], columns=list(names), use_threads=False)
            batch = next(iter(rows))
        return self._wanted((batch.column(name) for name in names), 0)


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column that divides the rows, and the code of each of its values."""

    name: str
    known: Sequence[Any]

    @property
    def suits(self) -> bool:
        """Whether the codes of numbers fit in a table; those of texts have one in each row group."""
        return isinstance(self.known[0], str) or self.known[-1] - self.known[0] < _MOST_NUMBERS

    @cached_property
    def _codes(self) -> dict[Any, int]:
        return {value: code for code, value in enumerate(self.known)}

    def _table(self, values: Iterable[Any]) -> Array:
        """The code of each value; of any other, how many there are."""
        none = len(self.known)
        return np.array([self._codes.get(value, none) for value in values], np.min_scalar_type(none))

    @cached_property
    def _of_numbers(self) -> Array:
        """The codes of all numbers from the least to the greatest."""
        return self._table(range(self.known[0], self.known[-1] + 1))

    def of(self, column: Any) -> Array:
        """The codes of a decoded column."""
        import pyarrow as pa

        if column.null_count:
            raise ChangedError()
        if pa.types.is_dictionary(column.type):
            found: Array = self._table(column.dictionary.to_pylist()).take(numbers_in(column.indices))
        else:
            numbers, least, greatest = numbers_in(column), self.known[0], self.known[-1]
            if numbers.size and (numbers.min() < least or numbers.max() > greatest):
                raise ChangedError()
            if greatest - least + 1 == len(self.known):  # bits that differences lack are not needed
                moved: Array = numbers - numbers.dtype.type(least)
                return moved.astype(self._of_numbers.dtype)
            found = self._of_numbers.take(numbers.astype(np.int64) - least)
        if found.max(initial=0) == len(self.known):
            raise ChangedError()
        return found


@dataclass(frozen=True, eq=False)
class PlainFiles:
    """Parquet files of which some columns of numbers are read.

    Attributes
    ----------
    paths : the files.
    label : the column of labels.
    types : how Arrow calls the types of the columns.
    rows : how many rows they have that are wanted.
    kept : what is kept of them between passes.
    at_once : how many rows a thread decodes before it counts them, or one row group.
    piece : how many rows of a row group are decoded together, where all would be too many; else None.
    negated : which columns of scores are, as low ones are positive.
    divided_by : the columns of segments and folds.
    codes : the columns of segments and folds, by their first group.
    chosen : bits of Arrow for the rows of each file that are wanted; of other files all are.
    """

    paths: Sequence[str]
    label: str
    types: Mapping[str, str]
    rows: int
    kept: KeptColumns = field(default_factory=lambda: KeptColumns(0))
    at_once: int = 0
    piece: int | None = None
    negated: Collection[str] = ()
    divided_by: Sequence[str] = ()
    codes: Mapping[int, CodedColumn] = field(default_factory=dict)
    chosen: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, rows: RowSource, session: Session, label: str, scores: Sequence[str], types: Mapping[str, str],
        *, divided_by: Sequence[str] = (), negated: Collection[str] = (), threads: int | None = None,
    ) -> PlainFiles | None:  # fmt: skip
        """The files, if they are plain; `types` are DuckDB's. Columns may divide the rows."""
        if not isinstance(rows, FileRows) or not rows.is_parquet:
            return None
        kinds = {name: _DIVIDING.get(types[name], "") for name in divided_by}
        kinds |= {label: _LABELS.get(types[label], "")}
        kinds |= {name: SCORES.get(types[name], "") for name in scores}
        if not all(kinds.values()) or any("." in name for name in kinds):  # Arrow looks inside of columns
            return None
        if len(kinds) < 1 + len(scores) + len(divided_by):  # one column for two things
            return None
        paths = rows.files(session)
        if any(_in_path(path, kinds) for path in paths):
            return None
        size = rows.count(session)
        if size < _LEAST_ROWS * (len(paths) - 1):
            return None
        found = cls(
            paths,
            label,
            kinds,
            size,
            KeptColumns((rows.memory or 0) // 4, size // 8),
            negated=negated,
            divided_by=divided_by,
        )
        errors: tuple[type[Exception], ...] = (RuntimeError, *read_errors())
        try:
            groups = list(found.groups())
            if sum(group.rows for group in groups) != size or size < _LEAST_ROWS * (len(groups) - 1):
                return None  # not all rows are there, or row groups are too small
            chosen = found._choosing(rows, session, groups)
            return None if chosen is None else chosen._within(rows.memory, threads or n_threads())
        except errors:
            return None

    def _choosing(self, rows: FileRows, session: Session, groups: Sequence[RowGroup]) -> PlainFiles | None:
        """The same with the rows that fulfil the condition, if any; None if DuckDB has to read them."""
        if rows.where is None:
            return self
        files = {group.path: group.footer.num_rows for group in groups}
        room = self.rows if rows.memory is None else self.kept.most // 2
        chosen = chosen_rows(rows, session, files, room) or {}
        size = sum(chosen[path].true_count for path in self.paths if path in chosen)
        most = max(0, self.kept.most - self.rows // 8)
        return replace(self, rows=size, chosen=chosen, kept=KeptColumns(most, size // 8)) if size else None

    def _within(self, memory: int | None, threads: int) -> PlainFiles:
        """The same, of which a thread decodes so many rows together that no thread is left without memory."""
        sizes = [group.rows for group in self.groups()]
        most = min(_TOGETHER, self.rows // (4 * threads))
        if memory is None:
            return replace(self, at_once=most)
        room = memory // 4 // (self._bytes_a_row * threads) - _COPIES * max(sizes, default=0)
        return replace(self, piece=_PIECE) if room < 0 else replace(self, at_once=min(most, room))

    @property
    def _n_scores(self) -> int:
        return len(self.types) - 1 - len(self.divided_by)

    @property
    def columns_at_once(self) -> int:
        """How many columns of scores can be kept; 0 if not one."""
        used = {self.label, *self.divided_by}
        each = max(_BYTES.get(kind, 8) for name, kind in self.types.items() if name not in used)
        return 0 if self.piece else self.kept.for_scores // (each * self.rows)

    @property
    def _bytes_a_row(self) -> int:
        """How many bytes a row takes: in all columns, of which those of scores are decoded one by one."""
        each, scores = [_BYTES.get(kind, 8) for kind in self.types.values()], self._n_scores
        return sum(each[:-scores]) + max(each[-scores:]) + _BYTES_TO_DIVIDE * len(self.divided_by)

    def with_codes(self, known: Mapping[int, tuple[str, Sequence[Any]]]) -> PlainFiles | None:
        """The same with the values of the columns that divide the rows, by their first group."""
        codes = {first: CodedColumn(name, values) for first, (name, values) in known.items()}
        if not all(column.suits for column in codes.values()):
            return None
        each = sum(np.min_scalar_type(len(column.known)).itemsize for column in codes.values())
        self.kept.expect(each * self.rows)
        return replace(self, codes=codes)

    def groups(self) -> Iterator[RowGroup]:
        """Every row group, as the footers have it now."""
        from pyarrow import parquet

        for path in self.paths:
            with parquet.ParquetFile(path) as file:
                schema, footer = file.schema_arrow, file.metadata
            for name, kind in self.types.items():
                if schema.names.count(name) != 1 or _kind_of(schema.field(name).type) != kind:
                    raise ChangedError()
            version, chosen, begin = file_version(path), self.chosen.get(path), 0
            for i in range(footer.num_row_groups):
                rows = footer.row_group(i).num_rows
                own = None if chosen is None else chosen.slice(begin, rows)
                begin += rows
                group = RowGroup(path, footer, version, i, rows, own)
                if rows and group.size():
                    yield group

    def together(self) -> Iterator[list[RowGroup]]:
        """Row groups that are decoded one after the other by the same thread."""
        part: list[RowGroup] = []
        for group in self.groups():
            if part and sum(one.size() for one in part) + group.size() > self.at_once:
                yield part
                part = []
            part.append(group)
        if part:
            yield part

    def has_both_labels(self) -> bool:
        """Whether the footers say that no label is null, and that there are both of two."""
        if self.chosen:  # of which they say nothing
            return False
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
        self, groups: Sequence[RowGroup], scores: Sequence[str], labels: tuple[Any, Any], *,
        asked: Collection[int] | None = None, keep: bool = False,
    ) -> Iterator[tuple[Column, Labelled]]:  # fmt: skip
        """The rows of row groups by column; the first of `labels` is positive.

        `keep` them if there is room; else it is the last time that what was kept is used.

        Scores are decoded column by column, and those of all groups before the first are counted; if groups
        are too large they come in pieces, of all columns.
        """
        last = not keep and len(scores) == self._n_scores
        rows = [self._rows(group, labels, asked, keep=keep, last=last) for group in groups]
        if self.piece:
            for group, pieces in zip(groups, rows, strict=True):
                for piece, columns in zip(pieces, self._scores(group, scores, keep), strict=True):
                    if piece.positive.size:
                        yield from keyed(piece, columns)
            return
        whole = [next(one) for one in rows]
        for name in scores:
            decoded = [next(self._scores(group, [name], keep)) for group in groups]
            for piece, columns in zip(whole, decoded, strict=True):
                yield from keyed(piece, columns)

    def _places(self, group: RowGroup) -> list[tuple[Any, ...]]:
        """Cache keys of a group's pieces."""
        return [(*group.place, begin) for begin in range(0, group.rows, self.piece or group.rows)]

    def _rows(
        self, group: RowGroup, labels: tuple[Any, Any], asked: Collection[int] | None, *,
        keep: bool, last: bool,
    ) -> Iterator[ChunkRows]:  # fmt: skip
        """A group's labels and codes."""
        places = self._places(group)
        known = all(place in self.kept.labels for place in places)
        names = [] if known else [*(column.name for column in self.codes.values()), self.label]
        piece = self.piece or group.rows
        decoded = iter([[]] * len(places)) if known else self.columns(group, names, keep=False)
        for place, columns in zip(places, decoded, strict=True):
            if known:
                rows = group.size(place[-1], piece)
                positive, codes = self.kept.take_rows(place, rows, self.codes, last)
            else:
                positive = self.labels(columns.pop(), *labels)
                codes = {
                    first: own.of(one) for (first, own), one in zip(self.codes.items(), columns, strict=True)
                }
                if keep:
                    self.kept.add_rows(place, positive, codes)
            yield ChunkRows(positive, codes, asked=asked)

    def columns(self, group: RowGroup, names: Sequence[str], *, keep: bool) -> Iterator[list[Any]]:
        """Some columns of a group as Arrow has them; kept for one more time, or as they were kept then."""
        places = self._places(group)
        if all((place, name) in self.kept.scores for place in places for name in names):
            yield from ([self.kept.take_scores(place, name, True) for name in names] for place in places)
            return
        texts = [name for name in names if self.types[name] == "string"]
        decoded = group.decoded(names, self.piece or group.rows, texts)
        for place, columns in zip(places, decoded, strict=True):
            for name, column in zip(names, columns, strict=True) if keep else ():
                self.kept.add_scores(place, name, column)
            yield columns

    def _scores(self, group: RowGroup, names: Sequence[str], keep: bool) -> Iterator[dict[str, Array]]:
        """A group's scores."""
        places = self._places(group)
        held = [name for name in names if all((place, name) in self.kept.scores for place in places)]
        missing = [name for name in names if name not in held]
        decoded = group.decoded(missing, self.piece or group.rows) if missing else iter([[]] * len(places))
        for place, columns in zip(places, decoded, strict=True):
            found = score_arrays(columns, missing, negated=self.negated)
            if keep:
                for name, column in found.items():
                    self.kept.add_scores(place, name, column)
            both = {name: self.kept.take_scores(place, name, not keep) for name in held} | found
            yield {name: both[name] for name in names}

    def sample(self, scores: Sequence[str], size: int) -> list[tuple[Column, Array]]:
        """Scores of about `size` rows by column: the first ones of row groups at even places."""
        groups = list(self.groups())
        ends = np.cumsum([group.size() for group in groups])
        places = (np.arange(PLACES) + 0.5) * (self.rows / PLACES)
        chosen = np.unique(np.minimum(np.searchsorted(ends, places, side="right"), len(groups) - 1))
        names = [column.name for column in self.codes.values()]
        texts = [name for name in names if self.types[name] == "string"]
        each = -(-size // chosen.size)
        parts = share_out(
            lambda number: groups[number].first([*names, *scores], each, texts), chosen.tolist()
        )
        found = []
        for columns in parts:
            codes = {first: own.of(columns.pop(0)) for first, own in self.codes.items()}
            rows = ChunkRows(np.zeros(len(columns[0]), np.uint8), codes)
            drawn = keyed(rows, score_arrays(columns, scores, negated=self.negated))
            found += [(key, data.scores) for key, data in drawn]
        return found

    def labels(self, column: Any, positive: Any, negative: Any) -> Array:
        """1 for every positive label of a decoded column, else 0."""
        if column.null_count:
            raise ChangedError()
        if self.types[self.label] == "bool":
            found = bits_in(column)
            return found if positive else found ^ 1
        values = numbers_in(column)
        is_positive: Array = values == positive
        if np.count_nonzero(is_positive) + np.count_nonzero(values == negative) != values.size:
            raise ChangedError()
        return is_positive.view(np.uint8)
