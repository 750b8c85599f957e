"""Tables that DuckDB reads: files larger than memory, its own tables, and streams of Arrow batches.

Every pass is one query, whose batches go to the kernels as they come. DuckDB sorts only where an order of all
rows is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from copy import copy
from itertools import chain
from math import ceil
from typing import Any, TypeVar

import numpy as np

from rochull._core import validation
from rochull._core.file_queries import literal, quoted
from rochull._core.inputs import versions_of
from rochull._core.key_hashes import key_hashes
from rochull._core.tables import positive_label, values_of
from rochull._core.threads import Bar, with_room
from rochull._core.validation import Array, Labelled
from rochull._core.wide_numbers import is_wide, wide_types
from rochull.hull.refine import ChangedError, area_of
from rochull.hull.tallies import Spread, Tally, Units
from rochull.hull.tasks import BucketCounts, BucketGroups, Chunk, LowestScores, Task, gather
from rochull.scanning.column import MOST_BUCKETS, SMALL
from rochull.scanning.engines.duckdb_plain import (
    BadColumn,
    PlainFiles,
    RowGroup,
    array_of,
    read_errors,
    score_arrays,
)
from rochull.scanning.engines.duckdb_rows import FileRows, RowSource, Session
from rochull.scanning.engines.plain_counts import counted_values
from rochull.scanning.engines.spoilt import refuse_missing, spoilt
from rochull.scanning.engines.table import ChunkRows, Column, ScanGroup, groups_of, keyed
from rochull.scanning.engines.ties import grouped, whole_ties
from rochull.scanning.held import HeldRows

_BATCH = 1 << 19
_PASSES = 2
_MOST_GROUPS = 1 << 20
_FEW_VALUES = 64
_COLLECT = 1 << 23  # rows of all columns together, if nothing else is said
_LEAST_LIMIT = 1 << 16
# How a type of DuckDB is read where NumPy has no such numbers; see also `wide_types`.
_READ_AS = {"BOOLEAN": "TINYINT"}
_PLAIN = (BucketCounts, BucketGroups, LowestScores, HeldRows)  # which need no keys of rows
_Read = TypeVar("_Read")
_NUMBERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE"}
_NUMBERS |= {f"U{name}" for name in _NUMBERS if name.endswith("INT") or name == "INTEGER"}
# Types whose values are equal where their texts are; 0.0 and -0.0 are not such.
_LIKE_THEIR_TEXT = {"VARCHAR", "BOOLEAN", "DATE"} | {name for name in _NUMBERS if "INT" in name}


class DuckDBTable:
    """Rows that DuckDB reads again for every pass.

    Parameters
    ----------
    rows : where they come from.
    collect, most_buckets : how many rows may be collected, and buckets counted, of all columns together.
    threads : how many threads count, if there is room for their tables; None for all.
    progress : as :meth:`Bar.of` takes it.
    """

    tells_codes = True

    def __init__(
        self,
        rows: RowSource,
        *,
        label: str,
        scores: Sequence[str],
        weight: str | None = None,
        segment: str | None = None,
        fold: str | None = None,
        key: str | None = None,
        pos_label: object = None,
        lower_is_positive: Collection[str] = (),
        collect: int = _COLLECT,
        most_buckets: int = MOST_BUCKETS,
        threads: int | None = None,
        progress: Any = None,
    ) -> None:
        self._rows, self.scores, self._negated = rows, tuple(scores), lower_is_positive
        self._label, self._weight, self._key = label, weight, key
        self._of = {kind: name for kind, name in (("segment", segment), ("fold", fold)) if name is not None}
        self._bar = Bar.of(progress, "scanning")
        self._ticks: Iterator[int] | None = None
        self._threads = threads
        self._pos_label, self._seen = pos_label, 0
        self.collect, self.most_buckets = collect, most_buckets
        self._plain: PlainFiles | None = None
        self._groups: tuple[ScanGroup, ...] | None = None
        # Of segments and folds, by their first group: the column and its values in SQL, and the values.
        self._codes: dict[int, tuple[str, list[str]]] = {}
        self._known: dict[int, Sequence[Any]] = {}
        with rows.open() as session:
            self._types = self._checked(session)
            files = rows.files(session) if isinstance(rows, FileRows) else []
            self._versions = versions_of(files)
            if not (weight or key):
                self._plain = PlainFiles.of(
                    rows, session, label, scores, self._types,
                    divided_by=list(self._of.values()), negated=lower_is_positive, threads=threads,
                )  # fmt: skip
            # The first pass counts the labels.
            if self._plain is not None and not self._of and self._plain.has_both_labels():
                self._size, values = self._plain.rows, np.array([True, False])
                self._set_labels(values, ["true", "false"], self._size)
            else:
                self.groups = self._grouped(session)
                self._size = self.groups[0].rows
                if self._plain is not None:
                    self._plain = self._plain.with_codes(
                        {first: (name, self._known[first]) for first, (name, _) in self._codes.items()}
                    )
        large = sum(size > SMALL for size, _ in self.parts)  # others are collected whole
        self.limit = max(_LEAST_LIMIT, collect // (len(self.scores) * max(large, 1)))

    # --- what is there ----------------------------------------------------------------------------

    def _checked(self, session: Session) -> dict[str, str]:
        """The types of the columns."""
        extra = [name for name in (self._weight, self._key) if name is not None]
        types = session.require_columns([self._label, *self.scores, *extra, *self._of.values()])
        numeric = [("score", name) for name in self.scores]
        for what, name in [*numeric, *([("weight", self._weight)] if self._weight else [])]:
            kind = types[name]
            if kind not in _NUMBERS and kind not in _READ_AS and not is_wide(kind):
                raise ValueError(f"{what} column {name!r} must be numeric, but has type {kind}.")
        scores = {name: types[name] for name in self.scores}
        self._read_as = {name: _READ_AS[kind] for name, kind in scores.items() if kind in _READ_AS}
        self._read_as |= wide_types(
            session.fetch, lambda parts: f"SELECT {parts} FROM {session.rows}", scores
        )
        return types

    @property
    def groups(self) -> tuple[ScanGroup, ...]:
        """All rows, then the segments, then the folds: a pass of its own, if they are not known by then."""
        if self._groups is None:
            with self._rows.open() as session:
                self._groups = self._grouped(session)
        return self._groups

    @groups.setter
    def groups(self, found: tuple[ScanGroup, ...]) -> None:
        self._groups = found

    @property
    def parts(self) -> list[tuple[int, Units]]:
        """Rows and unit of every group, which are known before the classes are counted."""
        if self._groups is None:
            return [(self._size, Units())]
        return [(group.rows, group.units) for group in self._groups]

    def _grouped(self, session: Session) -> tuple[ScanGroup, ...]:
        """Count rows and sum up weights by label, segment and fold: one pass over narrow columns."""
        names = [self._label, *self._of.values()]
        found = self._counted(session, names)
        refuse_missing(found, names)
        if not found:
            raise ValueError(f"{session.shown} has no rows.")
        labels, _ = values_of([row[0] for row in found])
        texts = [row[len(names)] for row in found]
        positive = self._set_labels(labels, texts, sum(row[-2] for row in found))
        counts = np.array([row[-2] for row in found], float)
        spread = None
        if self._weight is not None:
            total, least, most, whole = np.array([row[-1] for row in found], float).T
            spread = Spread(total, least, most, whole == 1)
        totals: dict[str, Any] = {}
        self._codes, self._known = {}, {}
        first = 1
        for i, kind in enumerate(["all", *self._of]):
            values = [0] * len(found) if kind == "all" else [row[i] for row in found]
            codes, known = validation.codes_1d(values, f"{kind} column")
            both, size = 2 * codes + positive, 2 * len(known)
            weights = None if spread is None else Spread.by_code(both, spread, size).reshape(-1, 2)
            counted = np.bincount(both, counts, size).reshape(-1, 2)
            totals[kind] = ([None] if kind == "all" else known), counted, weights
            if kind != "all":
                self._known[first] = known
                name, texts = self._of[kind], [row[len(names) + i] for row in found]
                ordered = dict(sorted(zip(codes.tolist(), texts, strict=True))).values()
                self._codes[first] = name, [self._as(name, text) for text in ordered]
                first += len(known)
        return groups_of(totals)

    def _set_labels(self, labels: Array, texts: Sequence[str], rows: int) -> Array:
        """Which of the labels that occur are positive; they are kept as values and in SQL."""
        positive = self._is_positive_label(labels, positive_label(self._pos_label, labels), rows)
        one, other = int(np.argmax(positive)), int(np.argmin(positive))
        self._values = labels[one], labels[other]
        self._positive, self._negative = (self._as(self._label, texts[i]) for i in (one, other))
        return positive

    def _is_positive_label(self, labels: Array, value: object, rows: int) -> Array:
        """Which of the labels that occur are positive."""
        # Given are combinations of values, each once.
        found = validation.binary_labels(labels, value, f"label column {self._label!r}", rows=rows)
        return np.equal(found, 1)

    def _counted(self, session: Session, names: Sequence[str]) -> list[tuple[Any, ...]]:
        """For all that occurs in these columns: the values, the values as text, rows, the weights' spread."""
        if counted := self._plainly(lambda plain: counted_values(plain, names)):
            return [(*row, 0) for row in counted]
        columns = [quoted(name) for name in names]
        if self._types[names[0]] == "BOOLEAN" and len(names) == 1 and self._weight is None:
            (label,) = columns  # to add up is much faster than to group
            query = f"SELECT count_if({label}), count_if(NOT {label}), count(*) FROM {session.rows}"
            pos, neg, rows = (count or 0 for count in session.fetch(query)[0])  # null where there are no rows
            found = [(True, "true", pos, 0), (False, "false", neg, 0), (None, None, rows - pos - neg, 0)]
            return [row for row in found if row[2]]
        weight, checks = "0", "0"
        if self._weight is not None:
            weight = f"CAST({quoted(self._weight)} AS DOUBLE)"
            checks = f"count_if(coalesce(NOT ({weight} >= 0 AND {weight} < 'infinity'), true))"
            least = f"coalesce(min({weight}) FILTER ({weight} > 0), 'infinity')"
            whole = f"CAST(bool_and({weight} = floor({weight})) AS DOUBLE)"
            weight = f"list_value(sum({weight}), {least}, max({weight}), {whole})"
        texts = ", ".join(f"CAST({column} AS VARCHAR)" for column in columns)
        values = ", ".join(map(self._value, names))
        query = (
            f"SELECT {values}, {texts}, {checks}, count(*), {weight} FROM {session.rows} "
            f"GROUP BY {', '.join(columns)} LIMIT {_MOST_GROUPS + 1}"
        )
        found = session.fetch(query)
        if len(found) > _MOST_GROUPS:
            held = ", ".join(map(repr, names))
            raise ValueError(f"the columns {held} take more than {_MOST_GROUPS:,} values together.")
        if any(row[-3] or not np.isfinite(np.ravel(row[-1])[0]) for row in found):
            raise spoilt(session, str(self._weight), self._weight)
        return [(*row[:-3], *row[-2:]) for row in found]

    def _value(self, name: str) -> str:
        """A column in SQL; points in time with a zone in UTC without one, as tables in memory hold them."""
        zoned = self._types[name] == "TIMESTAMP WITH TIME ZONE"  # of which DuckDB makes values by pytz alone
        return f"make_timestamp(epoch_us({quoted(name)}))" if zoned else quoted(name)

    def _as(self, name: str, text: str) -> str:
        """A value of a column in SQL, from its text."""
        return f"CAST({literal(text)} AS {self._types[name]})"

    @property
    def has_keys(self) -> bool:
        """Whether rows have keys."""
        return self._key is not None

    @property
    def columns_at_once(self) -> int:
        """How many columns of scores share their passes, as what is decoded for one is kept; 0 for all."""
        return 0 if self._plain is None else self._plain.columns_at_once

    # --- passes -----------------------------------------------------------------------------------

    def _score(self, name: str) -> str:
        """A column of scores in SQL, as numbers that NumPy has."""
        other = self._read_as.get(name)
        return quoted(name) if other is None else f"CAST({quoted(name)} AS {other})"

    def _code(self, name: str, known: Sequence[str]) -> str:
        """The number of a segment or a fold in SQL; null where it was not there before."""
        kind = "UTINYINT" if len(known) < 1 << 8 else "USMALLINT" if len(known) < 1 << 16 else "UINTEGER"
        own = self._types[name]
        if len(known) <= _FEW_VALUES or own not in _LIKE_THEIR_TEXT:
            return f"CAST(list_position([{', '.join(known)}], {quoted(name)}) - 1 AS {kind})"
        words = ", ".join(value[len("CAST(") : -len(f" AS {own})")] for value in known)
        text = f"CAST({quoted(name)} AS VARCHAR)"
        return f"CAST(enum_code(TRY_CAST({text} AS ENUM({words}))) AS {kind})"

    def _is_positive(self) -> str:
        """The label in SQL: 1, 0, or null for any other."""
        column = quoted(self._label)
        if self._types[self._label] == "BOOLEAN":
            return f"CAST({column} {'' if 'true' in self._positive else '= false'} AS UTINYINT)"
        cases = f"CASE WHEN {column} = {self._positive} THEN 1 WHEN {column} = {self._negative} THEN 0 END"
        return f"CAST({cases} AS UTINYINT)"

    def _query(self, names: Sequence[str], rows: str, *, keys: bool = False) -> str:
        """Query for a pass: the label as 0 or 1, scores, weight, codes of segment and fold, keys."""
        parts = [self._is_positive(), *map(self._score, names)]
        if self._weight is not None:
            parts.append(f"CAST({quoted(self._weight)} AS DOUBLE)")
        parts += [self._code(name, known) for name, known in self._codes.values()]
        if keys:
            parts.append(quoted(str(self._key)))
        numbered = ", ".join(f"{part} AS c{i}" for i, part in enumerate(parts))
        return f"SELECT {numbered} FROM {rows}"

    def _chunks(
        self, batches: Iterable[Any], names: Sequence[str], asked: Collection[int]
    ) -> Iterator[Chunk]:
        rows = 0
        for batch in batches:
            rows += batch.num_rows
            self._tick(batch.num_rows * len(names))

            def chunk(batch: Any = batch) -> Any:
                return keyed(*self._columns(batch, names, asked))

            yield chunk
        if rows != self._size:
            raise ChangedError()

    def _plain_chunks(
        self, plain: PlainFiles, names: Sequence[str], asked: Collection[int], keep: bool
    ) -> Iterator[Chunk]:
        """Row groups, decoded by the thread that works on them."""
        found = 0
        for groups in plain.together():
            rows = sum(group.size() for group in groups)
            found += rows
            self._tick(rows * len(names))

            def chunk(groups: Sequence[RowGroup] = groups) -> Any:
                return plain.read(groups, names, self._values, asked=asked, keep=keep)

            yield chunk
        if found != self._size:
            raise ChangedError()

    def _columns(
        self, batch: Any, names: Sequence[str], asked: Collection[int] | None = None
    ) -> tuple[ChunkRows, dict[str, Array]]:
        """The rows of a batch, and their scores."""
        columns = iter(batch.columns)
        positive = array_of(next(columns), None)
        scores = score_arrays([next(columns) for _ in names], names, negated=self._negated)
        weights = None
        if self._weight is not None:
            weights = array_of(next(columns), self._weight)
            if weights.size and not (weights.min() >= 0 and weights.max() < np.inf):
                raise BadColumn(self._weight)
        codes = {first: array_of(next(columns), None) for first in self._codes}
        keys = next(columns, None)
        if keys is not None:
            keys = key_hashes(array_of(keys, self._key), f"key column {self._key!r}")
        return ChunkRows(positive, codes, weights, keys, asked), scores

    def sample(self, size: int) -> dict[Column, Array]:
        """Scores of about `size` rows in all, by column."""
        found: dict[Column, list[Array]] = {}
        with self._spoilt_is_said():
            parts = self._plainly(lambda plain: plain.sample(self.scores, size))
            for key, scores in parts if parts is not None else self._sample(size):
                found.setdefault(key, []).append(scores)
        return {key: _thinned(np.concatenate(parts), size) for key, parts in found.items()}

    def _sample(self, size: int) -> Iterator[tuple[Column, Array]]:
        with self._rows.open() as session:
            parts = self._rows.sampled(session, size / self._size)
            queries = (session.batches(self._query(self.scores, rows), _BATCH) for rows in parts)
            for batch in chain.from_iterable(queries):
                for key, data in keyed(*self._columns(batch, self.scores)):
                    yield key, data.scores

    def answer(self, tasks: Mapping[Column, Sequence[Task]]) -> dict[Column, list[Any]]:
        """Answer the tasks of every column in one pass."""
        wanted = {name for name, _ in tasks}
        names = [name for name in self.scores if name in wanted]
        spare = {key: [copy(task) for task in row] for key, row in tasks.items()}  # of no pass that broke off
        # What is counted will be looked into.
        counted = [task for row in tasks.values() for task in row if isinstance(task, BucketCounts)]
        buckets = sum(task.buckets.size for task in counted)
        counts, threads = bool(counted), with_room(self._threads, self.most_buckets, buckets)
        if counts and self._plain is not None:
            self._plain.kept.forget_scores({*wanted, self._label, *self._of.values()})
        with self._spoilt_is_said():
            asked = {number for _, number in tasks}
            found = self._plainly(
                lambda plain: gather(self._plain_chunks(plain, names, asked, counts), tasks, threads)
            )
            if found is None:
                found = self._answered(spare, names, threads)
        # Counts need not tell: rows may have changed inside of buckets that were settled.
        if versions_of(self._versions) != self._versions:
            raise ChangedError()
        if self._groups is None:
            self._learn_groups(tasks, found)
        return found

    def _answered(
        self, tasks: Mapping[Column, Sequence[Task]], names: Sequence[str], threads: int | None
    ) -> dict[Column, list[Any]]:
        """DuckDB reads."""
        keys = self.has_keys and not all(isinstance(task, _PLAIN) for row in tasks.values() for task in row)
        with self._rows.open() as session:
            batches = session.batches(self._query(names, session.rows, keys=keys), _BATCH)
            with closing(batches):
                chunks = self._chunks(batches, names, {number for _, number in tasks})
                return gather(chunks, tasks, threads)

    def _plainly(self, read: Callable[[PlainFiles], _Read]) -> _Read | None:
        """The reader of plain files; None if DuckDB has to read them."""
        if self._plain is None:
            return None
        try:
            return read(self._plain)
        except read_errors():  # DuckDB reads what Arrow cannot, or says what is wrong
            self._plain.kept.forget()
            self._plain = None
            return None

    def _learn_groups(
        self, tasks: Mapping[Column, Sequence[Task]], found: Mapping[Column, Sequence[Any]]
    ) -> None:
        """Keep what a count of the buckets of all rows tells of their classes."""
        for key, row in tasks.items():
            for task, answer in zip(row, found[key], strict=True):
                if isinstance(task, BucketCounts):
                    counted = [int(units.sum()) for units in answer[::-1]]
                    self.groups = groups_of({"all": ([None], np.array([counted]), None)})

    @contextmanager
    def _spoilt_is_said(self) -> Iterator[None]:
        """Look at a column that holds what it must not once more, and say what that is."""
        try:
            yield
        except BadColumn as error:
            with self._rows.open() as session:
                raise spoilt(session, error.name, self._weight) from None

    # --- an order of all rows ---------------------------------------------------------------------

    def ordered(self, column: Column) -> Iterator[Tally]:
        """Groups of equal score from high to low, in pieces: DuckDB sorts, on disk if they are many."""
        name, group = column
        way = "ASC" if name in self._negated else "DESC"
        first = max((f for f in self._codes if f <= group), default=0)
        weight = "1" if self._weight is None else f"CAST({quoted(self._weight)} AS DOUBLE)"
        parts = f"{self._is_positive()} AS c0, {self._score(name)} AS c1, {weight} AS c2"
        with self._rows.open() as session:
            query = f"SELECT {parts} FROM {session.rows}"
            if group:
                query += f" WHERE {self._code(*self._codes[first])} = {group - first}"
            pieces = session.batches(f"{query} ORDER BY c1 {way}", _BATCH)
            units = self.groups[group].units
            try:
                yield from whole_ties(self._tallied(batch, name, units) for batch in pieces)
            except BadColumn as error:
                raise spoilt(session, error.name, self._weight) from None

    def _tallied(self, batch: Any, name: str, units: Units) -> Tally:
        """The groups of a batch in order."""
        self._tick(batch.num_rows * len(self.scores))
        positive, scores, weights = (
            array_of(c, n) for c, n in zip(batch.columns, (None, name, self._weight), strict=True)
        )
        if validation.has_nan(scores):
            raise BadColumn(name)
        if name in self._negated:
            scores = validation.negated(scores, f"score column {name!r}")
        mass = np.ones(scores.size, np.int64)
        if units.weighted:
            mass = units.counts_of(Labelled(positive, scores, weights))
            held = mass > 0
            positive, scores, mass = positive[held], scores[held], mass[held]
        return grouped(scores, positive * mass, (1 - positive.astype(np.int64)) * mass, units)

    def exact_areas(self, columns: Sequence[Column]) -> dict[Column, tuple[int, int, int]]:
        """Twice the area under each raw curve; DuckDB orders the scores, on disk if they are many."""
        found = {}
        for column in columns:
            twice = tp = fp = 0
            for piece in self.ordered(column):
                inside, pos, neg = area_of(piece)
                twice, tp, fp = twice + inside + 2 * tp * neg, tp + pos, fp + neg
            group = self.groups[column[1]]
            if not group.units.weighted and (tp, fp) != (group.n_pos, group.n_neg):
                raise ChangedError()
            found[column] = twice, tp, fp
        return found

    # --- messages ---------------------------------------------------------------------------------

    def _tick(self, rows: int) -> None:
        """Move the bar on."""
        if self._ticks is None:
            self._ticks = self._bar.over(range(_PASSES * ceil(self._size * len(self.scores) / _BATCH)))
        before, self._seen = self._seen // _BATCH, self._seen + rows
        for _ in range(self._seen // _BATCH - before):
            next(self._ticks, None)

    def close(self) -> None:
        """Take the bar away, and keep no rows."""
        if self._plain is not None:
            self._plain.kept.forget()
        if self._ticks is not None and hasattr(self._ticks, "close"):
            self._ticks.close()
        self._ticks = None


def _thinned(scores: Array, size: int) -> Array:
    """An even part of a sample that came out larger."""
    return scores if scores.size <= 2 * size else scores[:: scores.size // size]
