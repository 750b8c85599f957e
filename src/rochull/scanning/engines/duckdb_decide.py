"""Decisions for tables larger than memory: DuckDB evaluates the policy's SQL while it copies the rows."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from rochull._core.file_queries import TableFile, bare, csv_of, first_sentence, literal, path_shown, quoted
from rochull._core.files import replacing
from rochull._core.inputs import inputs_kept
from rochull._core.keys import repeats_told
from rochull._core.messages import Item, Refusal, refused
from rochull._core.missing_words import missing_words
from rochull._core.table_files import output_format
from rochull._core.threads import Bar
from rochull.scanning.engines.duckdb_rows import private

_SOME = 10_000  # scores, to see what they look like
_ENOUGH = 100_000  # rows that are kept
_STEPS = 1000  # of the bar
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
NUMBERS = {*_WHOLE, *(f"U{name}" for name in _WHOLE), "FLOAT", "DOUBLE", "BOOLEAN"}
_KEYS = {*_WHOLE, *(f"U{name}" for name in _WHOLE), "VARCHAR"}


@dataclass(frozen=True)
class DecisionCounts:
    """The outcome for the rows.

    Attributes
    ----------
    decided : how many rows got each decision, which is written as text.
    missing : how many scores are missing, of the columns in which some are.
    counted : how many rows meet each condition that was to be counted, of those that some meet.
    looked : how many rows meet each condition on scores.
    some : given a column, some of its scores that are not missing, evenly drawn.
    sample : some rows, evenly drawn: columns (m,) and how each row was decided, as text.
    """

    decided: dict[str, int]
    missing: dict[str, int]
    counted: dict[str, int]
    looked: dict[Any, int] = field(default_factory=dict)
    some: Callable[[str], Any] = field(default=lambda name: None, compare=False)
    sample: Callable[[], tuple[dict[str, Any], Any]] = field(default=lambda: ({}, None), compare=False)

    @property
    def rows(self) -> int:
        """How many there are."""
        return sum(self.decided.values())

    @property
    def positive(self) -> int:
        """How many were called positive."""
        return self.decided.get("true", 0)


@dataclass(frozen=True)
class RowRule:
    """The decision on a row, as SQL in terms of where the columns are.

    Attributes
    ----------
    decision : the decision, as :meth:`rochull.Policy.to_sql` writes it for DuckDB.
    counted, refused : conditions on a row by what is said of rows that meet them: to be counted, or an error.
    by_lot : the condition on a row that lots decide it; None if they decide none.
    looked : conditions on scores, by any name, whose rows are counted.
    sampled : columns of which some rows are kept.
    beside : more columns to write, as the decision is.
    """

    decision: Callable[[Mapping[str, str]], str]
    counted: Callable[[Mapping[str, str]], Mapping[str, str]] = lambda columns: {}
    refused: Callable[[Mapping[str, str]], Mapping[str, str]] = lambda columns: {}
    by_lot: Callable[[Mapping[str, str]], str | None] = lambda columns: None
    looked: Callable[[Mapping[str, str]], Mapping[Any, str]] = lambda columns: {}
    sampled: Sequence[str] = ()
    beside: Callable[[Mapping[str, str]], Mapping[str, str]] = lambda columns: {}

    def columns(self, column: str, columns: Mapping[str, str]) -> str:
        """The decision and what stands beside it, as columns."""
        every = {column: self.decision(columns), **self.beside(columns)}
        return ", ".join(f"({sql}) AS {quoted(name)}" for name, sql in every.items())


def decide_files(
    source: str | os.PathLike[str],
    rule: RowRule,
    path: str | os.PathLike[str],
    *,
    scores: Sequence[str],
    features: Mapping[str, bool] | None = None,
    key: str | None = None,
    column: str = "decision",
    memory: int | None = None,
    progress: Any = None,
    noticed: Callable[[DecisionCounts], None] = lambda found: None,
    judged: Callable[[DecisionCounts], None] = lambda found: None,
    only: str | None = None,
    metadata: Mapping[str, str] | None = None,
) -> DecisionCounts:
    """Write the columns of a file or glob and a decision to `path`: all of it, or nothing.

    Rows stay in their order, and never are in memory together.

    `source` and `path` are as for :func:`rochull._core.table_files.write_table`; `features` are auxiliary
    columns, and whether they hold texts. Where the file is CSV these and the `key` are read as text.
    `noticed` gets what was counted before anything is written, `judged` all of it before the file has its
    name; what they raise ends the work. With `only` the
    rows with that decision are written and no others; all are counted. `metadata` is as there.
    """
    target, kind = Path(path), output_format(path)[0]
    held = features or {}
    text = [name for name in (*held, key) if name is not None and name not in scores and held.get(name, True)]
    numbers = [*scores, *(name for name, is_text in held.items() if not is_text and name not in scores)]
    with inputs_kept(), private(memory) as (connection, _):
        connection.execute("SET preserve_insertion_order = true")
        file = TableFile(connection, source)
        as_text = kind == "csv" and file.kind == "csv"
        copied = file.table([*text, *numbers], everything_text=as_text)
        file.check_target(copied, [column, *rule.beside({})], target)
        file.require_columns(copied, [*numbers, *text])
        table = file.with_numbers(file.table([*text, *numbers]), numbers, scores)
        types = file.types(table)
        for name, is_text in held.items():
            _check_feature(name, types[name], is_text)
        rows, facts = _checked(file, table, types, scores, key=key, rule=rule)
        noticed(facts)
        if as_text:  # what is copied is the text as it is written, and its numbers are compared
            selected = _beside_text(types, copied, numbers=numbers, text=text, rule=rule, column=column)
        else:
            selected = f"SELECT *, {rule.columns(column, {})} FROM {table}"
        options, delimiter = file.copied_to(target, metadata or {})
        drawn = _Drawn(file, column, {name: types[name] for name in rule.sampled}, rows)
        every = None if only is None else drawn.counted(f"({selected})")
        if only is not None:
            of_it = f"CAST({quoted(column)} AS VARCHAR) = {literal(only)}"
            selected = f"SELECT * FROM ({selected}) WHERE {of_it}"
        with replacing(target) as unfinished:
            copy = f"COPY ({selected}) TO {literal(unfinished)} ({options})"
            with _watched(connection, Bar.of(progress, "deciding")):
                written = _copied(file, target, copy)
            if written != (rows if every is None else every.get(str(only), 0)):
                raise ValueError(f"{file.shown} has changed while it was read.")
            decided = every or drawn.counted(_written(kind, unfinished, delimiter), kind != "csv")
            facts = replace(facts, decided=decided, sample=drawn.sample)
            judged(facts)
    return facts


def _check_feature(name: str, kind: str, is_text: bool) -> None:
    """Raise where a column is of another type than in training, as a policy does in memory."""
    before, now = ("texts", "numbers") if is_text else ("numbers", "texts")
    if (kind == "VARCHAR") != is_text:
        raise refused("aux", "column {} held {} in training, but holds {} now.", repr(name), before, now)


def _checked(
    file: TableFile,
    table: str,
    types: Mapping[str, str],
    scores: Sequence[str],
    *,
    key: str | None,
    rule: RowRule,
) -> tuple[int, DecisionCounts]:
    """Rows, and what is counted of them; an error unless columns are what decisions are made from."""
    for name in scores:
        if types[name] not in NUMBERS and not types[name].startswith("DECIMAL"):
            raise Refusal("{} must be numeric, but has type {}.", Item("scores", name), types[name])
    if key is not None and types[key] not in _KEYS:
        raise refused("key", "must hold integers or strings, but has type {}.", types[key])
    missing = [f"count_if(coalesce(isnan(CAST({quoted(n)} AS DOUBLE)), true))" for n in scores]
    nulls = "0" if key is None else f"count(*) - count({quoted(key)})"
    barred, counted, looked = rule.refused({}), rule.counted({}), rule.looked({})
    conditions = (*barred.values(), *counted.values(), *looked.values())
    asked = [f"count_if({condition})" for condition in conditions]
    rows, keyless, *counts = file.rows(
        f"SELECT {', '.join(['count(*)', nulls, *missing, *asked])} FROM {table}"
    )[0]
    if not rows:
        raise ValueError(f"{file.shown} has no rows: there is nothing to read.")
    if keyless:
        raise refused(
            "key", "has {} missing value{}: every case needs its own.", keyless, "s" * (keyless > 1)
        )
    said = iter(counts[len(scores) :])
    for (why, _), count in zip(barred.items(), said, strict=False):
        if count:
            raise ValueError(f"{file.shown}: {why.format(count=count, rows=rows)}")
    found = {why.format(count=n, rows=rows): n for why, n in zip(counted, said, strict=False) if n}
    of_scores = dict(zip(looked, said, strict=True))
    found |= _repeated(file, table, key, rule.by_lot({}))
    missed = {name: n for name, n in zip(scores, counts, strict=False) if n}
    return rows, DecisionCounts({}, missed, found, of_scores, partial(_some, file, table))


def _some(file: TableFile, table: str, name: str) -> Any:
    """Some scores of a column, evenly drawn."""
    import numpy as np

    number = f"CAST({quoted(name)} AS DOUBLE)"
    drawn = f"SELECT {number} FROM {table} USING SAMPLE reservoir({_SOME} ROWS) REPEATABLE (0)"
    return np.array([each for (each,) in file.rows(drawn) if each is not None])


def _repeated(file: TableFile, table: str, key: str | None, by_lot: str | None) -> dict[str, int]:
    """How many rows that lots decide have the key of another one, by what is said of them."""
    if key is None or by_lot is None:
        return {}
    each = f"SELECT {quoted(key)} AS k, count(*) AS n FROM {table} WHERE {by_lot} GROUP BY 1"  # it may spill
    again, cases, example = file.rows(
        "SELECT coalesce(sum(n - 1), 0), coalesce(sum(n), 0), min(CAST(k AS VARCHAR)) FILTER (n > 1) "
        f"FROM ({each})"
    )[0]
    return {repeats_told(int(again), int(cases), f"such as {example!r}"): int(again)} if again else {}


def _beside_text(
    types: Mapping[str, str],
    copied: str,
    *,
    numbers: Sequence[str],
    text: Sequence[str],
    rule: RowRule,
    column: str,
) -> str:
    """The columns of text and the decision, which is made from columns of numbers that are not kept."""
    taken = {name.lower() for name in types}
    free = (name for i in itertools.count() if (name := f"number_{i}") not in taken)
    absent = ", ".join(map(literal, missing_words()))
    cast = dict(zip([*numbers, *(text if absent else ())], free, strict=False))
    decision = rule.columns(column, cast)
    if not cast:
        return f"SELECT *, {decision} FROM {copied}"
    casts = ", ".join(
        f"CASE WHEN {quoted(name)} NOT IN ({absent}) THEN {quoted(name)} END AS {quoted(number)}"
        if name in text
        else f"CAST({bare(name)} AS {types[name]}) AS {quoted(number)}"
        for name, number in cast.items()
    )
    left_out = ", ".join(map(quoted, cast.values()))
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
    except duckdb.OutOfMemoryException as error:
        raise MemoryError(first_sentence(error)) from None
    except duckdb.Error as error:
        if "No space left" in str(error):
            raise OSError(f"there is no room on the disk to write {path_shown(target)}.") from None
        if "File too large" in str(error):
            raise OSError(
                f"{path_shown(target)} would be larger than this user or this disk may write."
            ) from None
        raise ValueError(f"{file.shown} cannot be read: {first_sentence(error)}") from None


def _written(kind: str, partial: str, delimiter: str) -> str:
    """The table of what was written."""
    path = literal(partial)
    return csv_of(path, delimiter, all_varchar="true") if kind == "csv" else f"read_parquet({path})"


@dataclass(frozen=True)
class _Drawn:
    """Decisions that are counted, and some rows that are kept in the same scan, evenly drawn.

    Attributes
    ----------
    file : the source.
    column : where the decisions are.
    types : of the columns to keep.
    rows : how many there are.
    """

    file: TableFile
    column: str
    types: Mapping[str, str]
    rows: int

    def counted(self, table: str, numbered: bool = False) -> dict[str, int]:
        """How many rows got each decision."""
        some = ""
        if self.types:
            held = ", ".join(f"c{i} := {self._value(name)}" for i, name in enumerate(self.types))
            some = f", list(struct_pack({held})){self._part(numbered)} AS kept"
        each = f"SELECT {quoted(self.column)} AS d, count(*) AS n{some} FROM {table} GROUP BY 1"
        if some:
            self.file.run(f"CREATE OR REPLACE TEMP TABLE looked AS {each}")
            each = "SELECT d, n FROM looked"
        # Decisions are text after they are counted: that is quicker.
        return {str(d): int(n) for d, n in self.file.rows(f"SELECT CAST(d AS VARCHAR), n FROM ({each})")}

    def _value(self, name: str) -> str:
        number = self.types[name] not in ("VARCHAR", "BOOLEAN")
        return f"TRY_CAST({quoted(name)} AS {self.types[name]})" if number else quoted(name)

    def _part(self, numbered: bool) -> str:
        step = -(-self.rows // _ENOUGH)
        if step < 2:
            return ""
        drawn = f"file_row_number % {step} = 0" if numbered else f"random() * {step} < 1"
        return f" FILTER (WHERE {drawn})"

    def sample(self) -> tuple[dict[str, Any], Any]:
        """The rows: columns (m,), and decisions as text (m,)."""
        import numpy as np

        every = "SELECT CAST(d AS VARCHAR) AS d, unnest(kept) AS c FROM looked"
        parts = ", ".join(["d", *(f"c.c{i}" for i in range(len(self.types)))])
        decided, *columns = self.file.arrays(f"SELECT {parts} FROM ({every})")
        found = zip(self.types, columns, strict=True)
        return {name: _unmasked(values) for name, values in found}, np.asarray(decided)


def _unmasked(values: Any) -> Any:
    """Values without a mask: NaN, or None, where something is missing."""
    import numpy as np

    if not np.ma.isMaskedArray(values):
        return values
    is_number = values.dtype.kind in "biuf"
    held = np.array(values, float if is_number else object)
    held[np.ma.getmaskarray(values)] = np.nan if is_number else None
    return held


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
