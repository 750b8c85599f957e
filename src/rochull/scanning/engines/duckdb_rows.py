"""Rows that DuckDB reads again for every pass: files, relations, Arrow data sets and fresh streams.

A pass opens them and leaves nothing behind: neither a connection nor what was spilled to the disk.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from rochull._core.connections import connected
from rochull._core.file_queries import (
    TableFile,
    file_format,
    first_sentence,
    keep_nan,
    literal,
    named_in,
    path_shown,
    patterns_of,
    quoted,
)
from rochull._core.files import lock, remove_leftovers
from rochull._core.messages import NoRoomError, Parameter
from rochull._core.table_errors import a_type, no_column, refuse_alike

if TYPE_CHECKING:
    import duckdb

PLACES = 24  # of a sample in files
_CSV_SAMPLE = 1 << 19
_SMALL = 1 << 22  # bytes of files
_LOCK = "held"  # a file in each directory, which whoever uses that has locked
_FOR_THREADS = 1 << 28  # bytes, from which DuckDB may use all threads
_MOST_SPILLED: str | None = None  # on the disk; None: what there is room for


def _complaints() -> tuple[type[Exception], ...]:
    """The errors of DuckDB and Arrow, which nobody imports before there is one."""
    import duckdb
    import pyarrow as pa

    return duckdb.Error, pa.ArrowException, RuntimeError, OSError


@dataclass(eq=False)
class Session:
    """Rows that can be queried now.

    Attributes
    ----------
    ask : makes a relation of a query.
    rows : what stands after FROM.
    shown : what messages call them.
    directory : where DuckDB spills to; None if that is not ours to choose, or if there is none.
    own : what a source in memory calls its columns, of which DuckDB renames some; None of files.
    """

    ask: Callable[[str], Any]
    rows: str
    shown: str
    directory: str | None = None
    own: Sequence[str] | None = None

    def fetch(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a short answer."""
        with self._explained():
            found: list[tuple[Any, ...]] = self.ask(query).fetchall()
            return found

    def batches(self, query: str, size: int) -> Generator[Any]:
        """The record batches of a long answer."""
        with self._explained():
            relation = self.ask(query)
            # DuckDB before 1.4 has the older name only.
            stream = (getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader)(size)
        try:
            while True:
                with self._explained():
                    batch = next(stream, None)
                if batch is None:
                    return
                yield batch
        finally:
            stream.close()  # or the connection would refuse another query

    def types(self) -> dict[str, str]:
        """The type of every column."""
        described = self.fetch(f"DESCRIBE SELECT * FROM {self.rows}")
        return {str(row[0]): str(row[1]) for row in described}

    def require_columns(self, names: Sequence[str]) -> dict[str, str]:
        """The type of every column; raise unless these are there."""
        types = self.types()
        own = types if self.own is None else self.own
        absent = next((name for name in names if name not in own), None)
        if absent is not None:
            raise no_column(self.shown, absent, own)
        self.refuse_alike(names)
        return types

    def refuse_alike(self, names: Iterable[str]) -> None:
        """Raise if a source in memory has more than one column of such a name, in whatever capitals."""
        refuse_alike(self.shown, names, self.own or ())

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Word an error of DuckDB or Arrow as one sentence on the source."""
        try:
            yield
        except _complaints() as error:  # a stream's are OSErrors
            import duckdb

            text = str(error)
            if "INTERRUPT" in text or "Query interrupted" in text:
                raise KeyboardInterrupt from None
            out_of_memory = isinstance(error, duckdb.OutOfMemoryException) or "Out of Memory" in text
            if isinstance(error, RuntimeError) or (isinstance(error, OSError) and not out_of_memory):
                raise
            said = first_sentence(error)
            spilling = self.directory is not None and self.directory in text
            if spilling or "max_temp_directory_size" in text or "No space left" in text:
                text = "no room on the disk to sort {}: {} Free some, or allow more {}."
                raise NoRoomError(text, self.shown, said, Parameter("memory")) from None
            if out_of_memory:
                raise MemoryError(f"not enough memory to read {self.shown}.") from None
            raise ValueError(f"{self.shown} cannot be read: {said}") from None


class RowSource(Protocol):
    """Where rows come from."""

    def open(self) -> Any:
        """A context in which they can be queried: a :class:`Session`."""

    def sampled(self, session: Session, share: float) -> list[str]:
        """The texts after FROM for about this share of the rows: one query after the other."""


def _anywhere(session: Session, share: float) -> list[str]:
    """A sample of whole blocks of rows."""
    if share >= 1:
        return [session.rows]
    return [f"(SELECT * FROM {session.rows} USING SAMPLE {100 * share:.6f} PERCENT (system, 0))"]


@contextmanager
def _directory() -> Iterator[str | None]:
    """A directory that is removed in the end, be it at exit: DuckDB may outlive an interruption.

    What a process that was killed left behind is removed by the next one. None where nothing can be written.
    """
    try:
        remove_leftovers(tempfile.gettempdir(), "rochull-", inside=_LOCK)
        directory = tempfile.mkdtemp(prefix="rochull-")
    except OSError:
        yield None
        return
    held = os.open(os.path.join(directory, _LOCK), os.O_RDWR | os.O_CREAT, 0o600)
    lock(held)
    remove = partial(shutil.rmtree, directory, ignore_errors=True)
    atexit.register(remove)
    try:
        yield directory
    finally:
        os.close(held)
        remove()
        if not os.path.exists(directory):
            atexit.unregister(remove)


@contextmanager
def private(memory: int | None) -> Iterator[tuple[duckdb.DuckDBPyConnection, str | None]]:
    """A connection of our own that spills to a directory of its own, which is always removed.

    Where nothing can be written it does not spill: what needs more memory than there is fails.
    """
    limit: dict[str, Any] = {} if memory is None else {"memory_limit": f"{max(memory, 1 << 25)}B"}
    with (
        _directory() as directory,
        connected(temp_directory=directory or "", preserve_insertion_order="false", **limit) as connection,
    ):
        connection.execute("SET enable_progress_bar = false")
        if memory is not None and memory < _FOR_THREADS:  # each thread holds row groups of its own
            connection.execute("SET threads = 1")
        if _MOST_SPILLED is not None:  # set later than the directory, or it has no effect
            connection.execute(f"SET max_temp_directory_size = {literal(_MOST_SPILLED)}")
        yield connection, directory


@dataclass(eq=False)
class FileRows:
    """Parquet and CSV files.

    Attributes
    ----------
    paths : files and globs.
    where : a condition in SQL, or None.
    numbers : columns that must not be mistaken for text in a CSV file.
    needed : the columns that are used.
    memory : how much DuckDB may use, in bytes; None for its default.
    """

    paths: Sequence[str | os.PathLike[str]]
    where: str | None
    numbers: Sequence[str]
    needed: Sequence[str]
    memory: int | None = None
    _from: str | None = None
    _files: str | None = field(default=None, repr=False)

    @property
    def shown(self) -> str:
        """The name of the rows in messages."""
        first = path_shown(self.paths[0])
        return first if len(self.paths) == 1 else f"{first} and {len(self.paths) - 1} more"

    @contextmanager
    def open(self) -> Iterator[Session]:
        """A session on a connection of our own."""
        with private(self.memory) as (connection, directory):
            yield self._session(connection, directory)

    @contextmanager
    def look(self) -> Iterator[Session]:
        """A session for what files say of themselves: where that takes no memory, on any connection."""
        if self.where is not None or not (self.is_parquet or self._is_small):
            with self.open() as session:
                yield session
            return
        with connected() as connection:
            yield self._session(connection, None)

    def _session(self, connection: Any, directory: str | None) -> Session:
        if self._from is None:  # the types of CSV columns are found once
            self._files = self._united(connection)
            self._from = self._files if self.where is None else self._those(connection, self._files)
        elif self.where is not None and self._files is not None:
            keep_nan(connection, self.where, TableFile(connection, self.paths[0]).types(self._files))
        return Session(connection.sql, self._from, self.shown, directory)

    def _united(self, connection: Any) -> str:
        """All files as one table."""
        tables = []
        for path in self.paths:
            file = TableFile(connection, path)
            table = file.table(self.numbers)
            file.require_columns(table, self.needed)
            tables.append(file.with_numbers(table, self.numbers, () if self.where else self.numbers))
        if self.is_parquet:
            if len(tables) == 1:
                return tables[0]
            file = TableFile(connection, self.paths[0])
            table = file.parquet(self.patterns)
            file.refuse_parts(table, self.needed)
            return table
        return (
            tables[0] if len(tables) == 1 else f"({' UNION ALL BY NAME '.join(f'FROM {t}' for t in tables)})"
        )

    def _those(self, connection: Any, table: str) -> str:
        assert self.where is not None
        wanted, file = ", ".join(map(quoted, self.needed)), TableFile(connection, self.paths[0])
        chosen = f"({file.filtered(f'SELECT {wanted} FROM {table}', table, self.where)})"
        return file.with_numbers(chosen, self.numbers, self.numbers)  # which may be numbers alone now

    @property
    def is_parquet(self) -> bool:
        """Whether all of them are Parquet files."""
        return all(file_format(path)[0] == "parquet" for path in self.paths)

    @property
    def _is_small(self) -> bool:
        """Whether there is less to read than DuckDB takes for any file."""
        try:
            return sum(os.path.getsize(path) for path in self.paths) < _SMALL
        except OSError:  # a glob
            return False

    @property
    def is_united(self) -> bool:
        """Whether columns have types that are those of no single file."""
        return self._files is not None and "union_by_name" in self._files.rpartition("]")[2]

    @property
    def patterns(self) -> list[str]:
        """Files and globs; those in a directory."""
        return [pattern for path in self.paths for pattern in patterns_of(path)]

    def files(self, session: Session) -> list[str]:
        """The files that there are now."""
        paths = ", ".join(map(literal, self.patterns))
        return [str(file) for (file,) in session.fetch(f"SELECT file FROM glob([{paths}])")]

    def count(self, session: Session) -> int:
        """How many rows there are, whether they fulfil the condition or not."""
        return int(session.fetch(f"SELECT count(*) FROM {self._files}")[0][0])

    def size(self) -> int:
        """About how many bytes the needed columns take in memory."""
        with self.look() as session:
            if self.is_parquet:
                types = session.types()
                return self.count(session) * sum(_width(types[name]) for name in self.needed)
            total = 0
            for file in self.files(session):
                total += os.path.getsize(file) * (10 if file.endswith(".gz") else 1)
            return 2 * total

    def sampled(self, session: Session, share: float) -> list[str]:
        """Rows at even places of Parquet files, the first ones of CSV files."""
        if share >= 1:
            return [session.rows]
        if not self.is_parquet:  # to find rows further down means to parse those before
            return [f"(SELECT * FROM {session.rows} LIMIT {_CSV_SAMPLE})"]
        wanted = ", ".join(map(quoted, self.needed))
        where = "" if self.where is None else f" AND (\n{self.where}\n)"
        ranges: dict[str, list[str]] = {}
        for file, first, last in self._places(session, share):
            ranges.setdefault(file, []).append(f"file_row_number BETWEEN {first} AND {last}")
        return [  # not in one query, which would hold a part of every file at once
            f"(SELECT {wanted} FROM read_parquet({literal(file)}, file_row_number = true) "
            f"WHERE ({' OR '.join(places)}){where})"
            for file, places in ranges.items()
        ]

    def _places(self, session: Session, share: float) -> list[tuple[str, int, int]]:
        """Ranges of rows (file, first, last), each in the middle of an even part of all rows."""
        paths = ", ".join(map(literal, self.patterns))
        query = f"SELECT file_name, num_rows FROM parquet_file_metadata([{paths}]) ORDER BY ALL"
        files = session.fetch(query)
        total = sum(rows for _, rows in files)
        length = max(1, int(total * share / PLACES))
        found, before, place = [], 0, 0
        for file, rows in files:
            while place < PLACES and (first := int((place + 0.5) * total / PLACES)) < before + rows:
                begin = min(first - before, max(0, rows - length))
                found.append((str(file), begin, begin + length - 1))
                place += 1
            before += rows
        return found


@dataclass(eq=False)
class RelationRows:
    """A relation of DuckDB, on the connection of whoever made it, with its settings."""

    relation: Any
    where: str | None

    @contextmanager
    def open(self) -> Iterator[Session]:
        """A session on the relation's own connection."""
        import duckdb

        chosen = self.relation
        view = _view()  # a table of theirs may have any name
        session = Session(lambda query: chosen.query(view, query), view, "the relation", own=chosen.columns)
        try:
            if self.where is not None:
                session.refuse_alike(named_in(self.where, chosen.columns))
                session.fetch(f"SELECT 1 FROM {view} WHERE (\n{self.where}\n) LIMIT 0")
                session.rows = f"(SELECT * FROM {view} WHERE (\n{self.where}\n))"
            yield session
        finally:
            with suppress(duckdb.Error):  # DuckDB before 1.5 keeps the view
                chosen.query(view, f"DROP VIEW IF EXISTS {view}")

    def sampled(self, session: Session, share: float) -> list[str]:
        """A sample of whole blocks of rows."""
        return _anywhere(session, share)


@dataclass(eq=False)
class ArrowRows:
    """Arrow data that can be read again: `make` gives a table, a data set or a fresh stream of all rows."""

    make: Callable[[], Any]
    where: str | None
    memory: int | None = None
    is_stream: bool = False

    @contextmanager
    def open(self) -> Iterator[Session]:
        """A session on a connection of our own."""
        with private(self.memory) as (connection, directory):
            view = _view()
            if not self.is_stream:
                connection.register(view, made := _readable(self.make()))

            def ask(query: str) -> Any:
                held = _readable(_stream(self.make())) if self.is_stream else made
                session.own = held.schema.names
                if self.is_stream:
                    connection.register(view, held)
                return connection.sql(query)

            session = Session(ask, view, "the source", directory)
            if self.where is not None:
                types = session.types()
                keep_nan(connection, self.where, types)
                session.refuse_alike(named_in(self.where, types))
                session.fetch(f"SELECT 1 FROM {view} WHERE (\n{self.where}\n) LIMIT 0")
                session.rows = f"(SELECT * FROM {view} WHERE (\n{self.where}\n))"
            yield session

    def sampled(self, session: Session, share: float) -> list[str]:
        """The first rows of a stream, else a sample."""
        if self.is_stream and share < 1:
            return [f"(SELECT * FROM {session.rows} LIMIT {_CSV_SAMPLE})"]
        return _anywhere(session, share)


def _readable(made: Any) -> Any:
    """The Arrow data, if DuckDB can read them."""
    import pyarrow as pa

    for column in getattr(made, "schema", ()):
        if pa.types.is_float16(column.type):
            raise ValueError(f"column {column.name!r} has 16-bit floats; cast it to float32 first.")
    return made


def _view() -> str:
    """A name that nothing else has."""
    return f"rochull_{uuid.uuid4().hex}"


def _stream(made: Any) -> Any:
    """A reader of what a caller's function returned."""
    import pyarrow as pa

    if not hasattr(made, "__arrow_c_stream__"):
        raise ValueError(f"source() must return an Arrow stream or table, but returned {a_type(made)}.")
    return pa.RecordBatchReader.from_stream(made)


def _width(kind: str) -> int:
    """About how many bytes a value of a type of DuckDB takes."""
    widths = {
        "BOOLEAN": 1,
        "TINYINT": 1,
        "UTINYINT": 1,
        "SMALLINT": 2,
        "USMALLINT": 2,
        "FLOAT": 4,
        "INTEGER": 4,
    }
    return widths.get(kind, 8 if kind != "VARCHAR" else 60)
