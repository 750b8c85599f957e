"""Which engine scans a source, and how much memory it may use."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.extras import require
from rochull._core.file_queries import quoted
from rochull._core.messages import Refusal, Setting, refused
from rochull._core.missing_words import refuse_words
from rochull._core.table_errors import a_type, no_column
from rochull._core.tables import frame_of, named_columns, numbers_of
from rochull._core.threads import FEW_THREADS, n_threads
from rochull._core.validation import wrong_shape
from rochull.scanning.engines.spark_session import is_spark, local_files, spark_files

if TYPE_CHECKING:
    from rochull.scanning.engines.memory_table import MemoryTable
    from rochull.scanning.engines.table import ScoreTable

Engine: TypeAlias = Literal["auto", "memory", "duckdb", "spark"]
ENGINES = ("auto", "memory", "duckdb", "spark")

_UNITS = {"": 1, "B": 1} | {f"{p}B": 1000 ** (i + 1) for i, p in enumerate("KMGT")}
_UNITS |= {f"{p}IB": 1024 ** (i + 1) for i, p in enumerate("KMGT")}
# Of the memory given: what the columns may take to be read whole, what DuckDB or the decoded row groups get,
# what collected rows get, and the tables of counts.
COMFORT, _READ_SHARE, _COLLECT_SHARE, _COUNT_SHARE = 1 / 4, 1 / 2, 1 / 4, 1 / 4
# Python and libraries take some 265 MB, of which 150 are not counted; but rows need a part.
_LIBRARIES, _LEAST_SHARE = 116 * 1000**2, 0.42
_BYTES_A_ROW = 40  # of a collected row, with the copies that are made to sort it
_BYTES_A_BUCKET, _OF_A_THREAD = 27, 10  # of both classes, with the curve through the buckets
_BYTES_A_THREAD = 1 << 26  # with less memory for each of them fewer threads count


@dataclass(frozen=True)
class ScanColumns:
    """The source that a scan reads."""

    label: str
    scores: Sequence[str]
    weight: str | None
    segment: str | None
    fold: str | None
    key: str | None
    pos_label: object
    where: str | None
    lower_is_positive: frozenset[str] = frozenset()

    @property
    def needed(self) -> list[str]:
        """Every column once."""
        extra = [name for name in (self.weight, self.segment, self.fold, self.key) if name is not None]
        return list(dict.fromkeys([self.label, *self.scores, *extra]))

    def options(self) -> dict[str, Any]:
        """As keyword arguments, `where` apart."""
        return {key: value for key, value in vars(self).items() if key != "where"}


def bytes_of(memory: str | int | None) -> int:
    """Memory as bytes, from a number or a text as DuckDB takes it; None is half of what the machine has."""
    if memory is None:
        return _machine() // 2
    found = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([A-Za-z]*)\s*", str(memory))
    if isinstance(memory, bool) or found is None or found[2].upper() not in _UNITS:
        raise refused("memory", "must be a number of bytes or a text such as '2GB', but is {}.", repr(memory))
    wanted = float(found[1]) * _UNITS[found[2].upper()]
    if wanted >= 2**63:
        raise refused("memory", "is {} bytes, more than any machine has.", f"{wanted:.3g}")
    size = int(wanted)
    if size < 64 * 1000**2:
        raise Refusal("{} is too little; give at least 64MB.", Setting("memory", memory))
    return size


def _machine() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on this system
        return 8 << 30


def open_table(source: Any, columns: ScanColumns, *, engine: str, memory: int, progress: Any) -> ScoreTable:
    """A table over any source."""
    if engine not in ENGINES:
        raise refused("engine", "must be one of {}, but is {}.", ", ".join(map(repr, ENGINES)), repr(engine))
    opened = _Opened(source, columns, memory, progress)
    if not opened.is_file:
        refuse_words("the source")
    if opened.is_spark:
        if engine not in ("auto", "spark"):
            raise Refusal("{} cannot read a Spark data frame; leave engine out.", Setting("engine", engine))
        return opened.spark(source)
    if engine == "spark":
        return opened.spark(opened.spark_files())
    if engine == "memory" or (engine == "auto" and opened.fits()):
        return opened.in_memory()
    return opened.duckdb()


@dataclass(frozen=True)
class _Opened:
    """A source, and the tables that can be made of it."""

    source: Any
    columns: ScanColumns
    memory: int
    progress: Any

    @property
    def _room(self) -> int:
        """The memory for rows and counts."""
        return max(self.memory - _LIBRARIES, int(self.memory * _LEAST_SHARE))

    @property
    def _threads(self) -> int:
        """How many threads count: each has tables of its own."""
        return max(1, min(n_threads(), self._room // _BYTES_A_THREAD))

    @property
    def _most_buckets(self) -> int:
        """How many buckets may be counted, on any number of threads: curves go through their ends."""
        threads = max(1, min(FEW_THREADS, self._room // _BYTES_A_THREAD))
        return int(self._room * _COUNT_SHARE / (_BYTES_A_BUCKET + _OF_A_THREAD * threads))

    @cached_property
    def _package(self) -> str:
        return type(self.source).__module__.partition(".")[0]

    @property
    def is_spark(self) -> bool:
        """Whether Spark has the rows."""
        return is_spark(self.source)

    @property
    def is_file(self) -> bool:
        """Whether it is a path, or several."""
        return self._paths is not None

    @cached_property
    def _paths(self) -> list[Any] | None:
        """Files and globs, if the source is such."""
        if isinstance(self.source, (str, os.PathLike)):
            return [self.source]
        listed = isinstance(self.source, (list, tuple)) and self.source
        if listed and all(isinstance(path, (str, os.PathLike)) for path in self.source):
            return list(self.source)
        return None

    @property
    def _is_stream(self) -> bool:
        """Whether it can be read once only."""
        return hasattr(self.source, "__arrow_c_stream__") and self._rows is None and not self._is_frame

    @cached_property
    def _is_frame(self) -> bool:
        return isinstance(self.source, Mapping) or frame_of(self.source, "source") is not None

    @cached_property
    def _rows(self) -> Any:
        """Rows that DuckDB can read again and again; None if it cannot."""
        from rochull.scanning.engines.duckdb_rows import ArrowRows, FileRows, RelationRows

        share, where = int(self._room * _READ_SHARE), self.columns.where
        if self._paths is not None:
            extra = [] if self.columns.weight is None else [self.columns.weight]
            numbers = list(dict.fromkeys([*self.columns.scores, *extra]))
            return FileRows(self._paths, where, numbers, self.columns.needed, share)
        kind = type(self.source).__name__
        if self._package in ("duckdb", "_duckdb"):
            if "Relation" not in kind:
                raise ValueError(
                    "source is a DuckDB connection; give con.table('name') or con.sql('SELECT ...')."
                )
            return RelationRows(self.source, where)
        if (
            self._package == "pyarrow"
            and hasattr(self.source, "to_batches")
            and hasattr(self.source, "scanner")
        ):
            return ArrowRows(lambda: self.source, where, share)
        if callable(self.source) and not hasattr(self.source, "__arrow_c_stream__"):
            return ArrowRows(self.source, where, share, is_stream=True)
        return None

    def fits(self) -> bool:
        """Whether it is in memory, or its columns would fit comfortably."""
        if self._paths is None:
            return self._rows is None
        return bool(self._rows.size() <= self.memory * COMFORT)

    def in_memory(self) -> MemoryTable:
        """The columns as arrays."""
        from rochull.scanning.engines.memory_table import MemoryTable

        where, table = self.columns.where, self.source
        if self._is_stream:
            table = self._collected()
        elif self._rows is not None and not (self._paths is not None and len(self._paths) == 1):
            pa = require("pyarrow", "files")
            with self._rows.open() as session:
                session.require_columns(self.columns.needed)
                names = ", ".join(map(quoted, self.columns.needed))
                batches = list(session.batches(f"SELECT {names} FROM {session.rows}", 1 << 19))

            if not batches:
                raise ValueError(f"{session.shown} has no rows.")
            table, where = pa.Table.from_batches(batches), None
        elif self._paths is not None:
            table = self._paths[0]
        return MemoryTable.open(table, **self.columns.options(), where=where)

    def _collected(self) -> Any:
        """A stream that can be read once only, as a table."""
        pa = require("pyarrow", "files")

        stream, batches, size = pa.RecordBatchReader.from_stream(self.source), [], 0
        needed = self.columns.needed
        absent = next((name for name in needed if name not in stream.schema.names), None)
        if absent is not None:
            raise no_column("source", absent, stream.schema.names)
        for batch in stream:
            batches.append(batch.select(needed))
            size += batches[-1].nbytes
            if size > self.memory * _COLLECT_SHARE:
                raise ValueError(
                    "source is a stream that can be read once only, and is larger than the memory given; "
                    "give a function that returns a fresh stream each time, or files."
                )
        if not size:
            raise ValueError("source has no rows.")
        return pa.Table.from_batches(batches)

    def duckdb(self) -> ScoreTable:
        """DuckDB reads it again in every pass."""
        from rochull.scanning.engines.duckdb_rows import ArrowRows
        from rochull.scanning.engines.duckdb_table import DuckDBTable

        rows = self._rows
        for library in ("duckdb", "pyarrow"):
            require(library, "files")
        if rows is None:
            table = self._collected() if self._is_stream else _arrow(self.source, self.columns.needed)
            rows = ArrowRows(lambda: table, self.columns.where, int(self._room * _READ_SHARE))
        return DuckDBTable(
            rows, **self.columns.options(), collect=int(self._room * _COLLECT_SHARE / _BYTES_A_ROW),
            most_buckets=self._most_buckets, threads=self._threads, progress=self.progress,
        )  # fmt: skip

    def spark(self, frame: Any) -> ScoreTable:
        """Spark reads it."""
        from rochull.scanning.engines.spark_table import LIMIT, SparkTable

        limit = min(LIMIT, int(self.memory * _COLLECT_SHARE / _BYTES_A_ROW))
        files = () if self._paths is None else local_files(frame)
        return SparkTable.open(frame, **vars(self.columns), limit=limit, files=files)

    def spark_files(self) -> Any:
        """Files as a Spark data frame, of the active session or of a new one."""
        if self._paths is None:
            raise ValueError("engine='spark' reads files and Spark data frames; give one of these as source.")
        return reduce(lambda one, other: one.unionByName(other), map(spark_files, self._paths))


def _arrow(source: Any, needed: Sequence[str]) -> Any:
    """The needed columns of a table in memory as an Arrow table."""
    pa = require("pyarrow", "files")

    columns = named_columns(source, "source")
    if columns is None:
        raise refused(
            "source",
            "must be a file, a data frame, a mapping of columns, Arrow data, a relation of DuckDB or "
            "a data frame of Spark, but is {}.",
            a_type(source),
        )
    absent = next((name for name in needed if name not in columns), None)
    if absent is not None:
        raise no_column("the source", absent, columns)
    return pa.table({name: _arrow_column(columns[name], f"column {name!r}") for name in needed})


def _arrow_column(values: Any, what: str) -> Any:
    """A column in a type of Arrow that DuckDB has."""
    pa = require("pyarrow", "files")

    if len(np.shape(values)) != 1:
        raise wrong_shape(what, "(n,)", values)
    try:
        made = values.to_arrow() if hasattr(values, "to_arrow") else values
        column = made if isinstance(made, (pa.Array, pa.ChunkedArray)) else pa.array(made)
        if pa.types.is_float16(column.type):
            return column.cast(pa.float32())
        if not pa.types.is_decimal256(column.type):
            return column
    except (pa.ArrowException, TypeError, OverflowError):  # Arrow has no such type
        column = values
    numbers, nulls = numbers_of(column, what)
    return pa.array(numbers, mask=nulls)
