"""Decisions for tables larger than memory: DuckDB evaluates the policy's SQL while it copies the rows."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rochull._core.file_queries import TableFile, first_sentence, literal, quoted, shown
from rochull._core.files import replacing
from rochull._core.table_files import output_format
from rochull._core.threads import Bar
from rochull.scanning.engines.duckdb_rows import private

_STEPS = 1000  # of the bar
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_NUMBERS = {*_WHOLE, *(f"U{name}" for name in _WHOLE), "FLOAT", "DOUBLE", "BOOLEAN"}
_KEYS = {*_WHOLE, *(f"U{name}" for name in _WHOLE), "VARCHAR"}


@dataclass(frozen=True)
class DecisionCounts:
    """What became of the rows.

    Attributes
    ----------
    rows, positive : how many there are, and how many were called positive.
    missing : how many scores are missing, of the columns in which some are.
    """

    rows: int
    positive: int
    missing: dict[str, int]


def decide_files(
    source: str | os.PathLike[str],
    expression: Callable[[Mapping[str, str]], str],
    path: str | os.PathLike[str],
    *,
    scores: Sequence[str],
    key: str | None = None,
    column: str = "decision",
    memory: int | None = None,
    progress: Any = None,
) -> DecisionCounts:
    """Write the columns of a file or glob and a decision to `path`: all of it, or nothing.

    Rows stay in their order, and never are in memory together.

    `source` and `path` are as for :func:`rochull._core.table_files.write_table`; `expression`, given where
    the `scores` are, returns the decision as :meth:`rochull.Policy.to_sql` writes it for DuckDB; the `key`
    is read as text where the file is CSV.
    """
    target, (kind, delimiter, compression) = Path(path), output_format(path)
    text = [] if key is None or key in scores else [key]
    with private(memory) as (connection, _):
        connection.execute("SET preserve_insertion_order = true")
        file = TableFile(connection, source)
        as_text = kind == "csv" and file.kind == "csv"
        copied = file.table([*text, *scores], everything_text=as_text)
        file.check_target(copied, [column], target)
        file.require_columns(copied, [*scores, *text])
        table = file.with_numbers(file.table([*text, *scores]), scores)
        types = file.types(table)
        facts = _checked(file, table, types, scores, key)
        if as_text:  # what is copied is the text as it is written, and its numbers are compared
            selected = _beside_text(types, copied, scores=scores, expression=expression, column=column)
        else:
            selected = f"SELECT *, ({expression({})}) AS {quoted(column)} FROM {table}"
        options = f"FORMAT {kind}, COMPRESSION {compression}"
        if kind == "csv":
            options += f", HEADER, DELIMITER {literal(delimiter)}"
        with replacing(target) as partial:
            copy = f"COPY ({selected}) TO {literal(partial)} ({options})"
            with _watched(connection, Bar.of(progress, "deciding")):
                written = _copied(file, target, copy)
            if written != facts.rows:
                raise ValueError(f"{file.shown} has changed while it was read.")
            called = _called(TableFile(connection, target), partial, column)
    return DecisionCounts(facts.rows, called, facts.missing)


def _checked(
    file: TableFile, table: str, types: Mapping[str, str], scores: Sequence[str], key: str | None
) -> DecisionCounts:
    """Rows, and missing scores; an error unless columns are what decisions are made from."""
    for name in scores:
        if types[name] not in _NUMBERS and not types[name].startswith("DECIMAL"):
            raise ValueError(f"scores[{name!r}] must be numeric, but has type {types[name]}.")
    if key is not None and types[key] not in _KEYS:
        raise ValueError(f"key must hold integers or strings, but has type {types[key]}.")
    missing = [f"count_if(coalesce(isnan(CAST({quoted(n)} AS DOUBLE)), true))" for n in scores]
    nulls = "0" if key is None else f"count(*) - count({quoted(key)})"
    rows, keyless, *counts = file.rows(f"SELECT {', '.join(['count(*)', nulls, *missing])} FROM {table}")[0]
    if not rows:
        raise ValueError(f"{file.shown} has no rows: there is nothing to read.")
    if keyless:
        raise ValueError(f"key has {keyless} missing value{'s' * (keyless > 1)}: every case needs its own.")
    return DecisionCounts(rows, 0, {name: n for name, n in zip(scores, counts, strict=True) if n})


def _beside_text(
    types: Mapping[str, str],
    copied: str,
    *,
    scores: Sequence[str],
    expression: Callable[[Mapping[str, str]], str],
    column: str,
) -> str:
    """The columns of text and the decision, which is made from columns of numbers that are not kept."""
    taken = {name.lower() for name in types}
    free = (name for i in itertools.count() if (name := f"number_{i}") not in taken)
    numbers = dict(zip(scores, free, strict=False))
    decision = f"({expression(numbers)}) AS {quoted(column)}"
    if not numbers:
        return f"SELECT *, {decision} FROM {copied}"
    casts = ", ".join(
        f"CAST(nullif(trim({quoted(name)}), '') AS {types[name]}) AS {quoted(number)}"
        for name, number in numbers.items()
    )
    left_out = ", ".join(map(quoted, numbers.values()))
    return f"SELECT * EXCLUDE ({left_out}), {decision} FROM (SELECT *, {casts} FROM {copied})"


def _copied(file: TableFile, target: Path, copy: str) -> int:
    """Run a copy; a full disk is told apart from a file that cannot be read."""
    import duckdb

    try:
        return int(file.connection.execute(copy).fetchall()[0][0])
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except RuntimeError as error:  # what is made of it elsewhere
        if "interrupted" not in str(error):
            raise
        raise KeyboardInterrupt from None
    except duckdb.Error as error:
        if "No space left" in str(error):
            raise OSError(f"there is no room on the disk to write {shown(target)}.") from None
        raise ValueError(f"{file.shown} cannot be read: {first_sentence(error)}") from None


def _called(file: TableFile, partial: str, column: str) -> int:
    """How many rows of what was written are called positive."""
    (kind, delimiter, _), path = output_format(file.source), literal(partial)
    table = f"read_parquet({path})"
    if kind == "csv":
        table = f"read_csv({path}, header = true, delim = {literal(delimiter)}, all_varchar = true)"
    query = f"SELECT count_if(CAST({quoted(column)} AS BOOLEAN)) FROM {table}"
    return int(file.rows(query)[0][0])


@contextmanager
def _watched(connection: Any, bar: Bar) -> Iterator[None]:
    """Show how far a query is, from a thread of its own."""
    steps, done = bar.over(range(_STEPS)), threading.Event()
    reached = [0]

    def follow() -> None:
        while not done.wait(0.2):
            share: Callable[[], float] | None = getattr(connection, "query_progress", None)
            wanted = 0 if share is None else int(share() * _STEPS / 100)
            while reached[0] < min(wanted, _STEPS - 1):
                next(steps, None)
                reached[0] += 1

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        steps.close()  # type: ignore[attr-defined]
