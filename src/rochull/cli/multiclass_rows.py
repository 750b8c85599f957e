"""Labelled outputs of several classes in files, some rows after the others: held in one array, or counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core import validation
from rochull._core.file_queries import TableFile, literal, quoted
from rochull._core.inputs import check_inputs, inputs_kept
from rochull._core.messages import Refusal, refused
from rochull._core.parquet_beside import numbers_in
from rochull._core.table_errors import NoColumnError, have_nulls
from rochull._core.table_files import filled, no_rows, read_columns, selection
from rochull._core.threads import n_threads
from rochull.cli.engine import Engine, engine_errors
from rochull.cli.goals import class_named
from rochull.cli.options import UsageError
from rochull.multiclass.examples import LabelledOutputs
from rochull.multiclass.points import MulticlassPoints
from rochull.scanning.engines.duckdb_decide import NUMBERS
from rochull.scanning.engines.duckdb_rows import Session, private

if TYPE_CHECKING:
    from rochull._core.validation import Array

_AT_ONCE = 1 << 20  # rows, up to which no batches are made
_BATCH = 1 << 16
_LIBRARIES = 190 * 1000**2  # bytes that compiled loops and a reader take besides those that are not counted
_NO_ROWS = np.zeros(0, np.int64)


@dataclass(frozen=True)
class ClassTable:
    """A table with a label and the outputs of every class in each row.

    Attributes
    ----------
    table, label, weight, where : as typed.
    columns : where the outputs of each class are.
    texts : the labels as DuckDB writes them.
    classes : which class each of them is.
    totals : how many rows each class has.
    memory : bytes for DuckDB.
    chosen : whether columns were named.
    """

    table: str
    label: str
    weight: str | None
    where: str | None
    columns: dict[Any, str]
    texts: list[str]
    classes: Array
    totals: Array
    memory: int | None
    chosen: bool

    @property
    def rows(self) -> int:
        """How many there are."""
        return int(self.totals.sum())

    @classmethod
    def of(
        cls,
        table: str,
        label: str,
        score: Sequence[str],
        *,
        weight: str | None = None,
        where: str | None = None,
        memory: int | None = None,
    ) -> ClassTable:
        """Find the classes, and their columns."""
        with engine_errors(), inputs_kept(), private(memory) as (connection, _):
            file = TableFile(connection, table)
            found = selection(file, [label], where)
            text = f"CAST({quoted(label)} AS VARCHAR)"
            each = f"SELECT {text}, any_value({found.parts[label]}), count(*) FROM {found.table} GROUP BY 1"
            texts, values, counts = file.arrays(each)
            check_inputs()
        rows = int(counts.sum())
        if not rows:
            raise no_rows(table, where)
        if np.ma.is_masked(texts):
            raise have_nulls({label: int(counts[np.ma.getmaskarray(texts)][0])}, rows)
        labels = filled(values).tolist()
        validation.codes_1d(filled(values), f"label column {label!r}")
        try:
            classes = sorted(set(labels))
        except TypeError:
            raise ValueError(f"label column {label!r} holds labels of several types.") from None
        columns = _columns_of(score, classes, label)
        places = {each: place for place, each in enumerate(columns)}
        codes = np.array([places[each] for each in labels], np.min_scalar_type(len(columns) - 1))
        totals = np.bincount(codes, counts, len(columns)).astype(np.int64)
        named = filled(texts).tolist()
        return cls(table, label, weight, where, columns, named, codes, totals, memory, bool(score))

    @property
    def typed(self) -> list[str]:
        """The option that names class and column, for each."""
        return [
            str(label) if column == str(label) else f"{label}={column}"
            for label, column in self.columns.items()
        ]

    # --- rows ------------------------------------------------------------------------------------

    def examples(self, picks: Array | None = None) -> LabelledOutputs:
        """All rows, or those of the given numbers, in ascending order."""
        size, k = self.rows if picks is None else picks.size, len(self.columns)
        outputs, codes = np.empty((k, size)), np.empty(size, self.classes.dtype)
        weights = None if self.weight is None else np.empty(size)
        at = 0
        for first, own, columns, weight in self._batches():
            rows = _within(picks, first, own.size)
            part = slice(at, at + own[rows].size)
            codes[part] = own[rows]
            for place, column in zip(outputs, columns, strict=True):
                place[part] = column[rows]
            if weights is not None and weight is not None:
                weights[part] = weight[rows]
            at = part.stop
        if weights is not None:
            weights = validation.weights_1d(weights, f"weight column {self.weight!r}")
        if picks is not None:
            self._refuse_partial(size, np.bincount(codes, minlength=k))
        return LabelledOutputs.of_columns(outputs, codes, [*self.columns], weights)

    def _refuse_partial(self, size: int, drawn: Array) -> None:
        """Raise unless each class has examples that pick and examples that test."""
        for which, told, more in ((drawn == 0, "has", "more"), (drawn == self.totals, "leaves", "fewer")):
            if which.any():
                label = [*self.columns][int(which.argmax())]
                raise ValueError(
                    f"the sample of {size:,} rows {told} no example of class {label!r}; draw {more}."
                )

    def counted(self, vectors: Array, but: Array = _NO_ROWS) -> MulticlassPoints:
        """Count what weight vectors make of all rows but some, without keeping any."""
        found: Any = 0
        for first, own, columns, _ in self._batches():
            rows = np.ones(own.size, bool)
            rows[_within(but, first, own.size)] = False
            outputs = np.array([column[rows] for column in columns], float)
            part = LabelledOutputs.of_columns(outputs, own[rows], [*self.columns])
            found = found + part.confusion_units(vectors)
        return MulticlassPoints(vectors, found, tuple(self.columns))

    def _batches(self) -> Iterator[tuple[int, Array, list[Array], Array | None]]:
        """Yield the number of the first row, classes (n,), outputs (n,) of each class, and weights (n,)."""
        names = list(self.columns.values())
        needed = [*names, *([] if self.weight is None else [self.weight])]
        faults = _Faults(names, needed)
        with engine_errors(), inputs_kept(), private(self.memory) as (connection, directory):
            connection.execute("SET preserve_insertion_order = true")
            file = TableFile(connection, self.table)
            try:
                found = selection(file, [self.label, *needed], self.where, numbers=names)
            except NoColumnError as error:
                if self.chosen or error.name not in names:
                    raise
                raise Refusal("{} Name the columns of the classes by --score CLASS=COLUMN.", error) from None
            for name in needed:
                if found.types[name] not in NUMBERS and not found.types[name].startswith("DECIMAL"):
                    self._refuse(name)
            texts = ", ".join(map(literal, self.texts))
            code = f"enum_code(CAST(CAST({quoted(self.label)} AS VARCHAR) AS ENUM ({texts})))"
            parts = (f"{found.parts[name]} AS c{i}" for i, name in enumerate(needed))
            query = f"SELECT {code}, {', '.join(parts)} FROM {found.table}"
            if self.rows <= _AT_ONCE:
                batches: Iterator[Sequence[Any]] = iter([file.arrays(query)])
            else:
                session = Session(connection.sql, found.table, file.shown, directory)
                batches = (batch.columns for batch in session.batches(query, _BATCH))
            for codes, *columns in batches:
                own = self.classes[_values(codes)[0]]
                held = [
                    faults.looked(name, *_values(each)) for name, each in zip(needed, columns, strict=True)
                ]
                yield faults.rows, own, held[: len(names)], None if self.weight is None else held[-1]
                faults.rows += own.size
            check_inputs()
        faults.told()
        if faults.rows != self.rows:
            raise ValueError(f"{file.shown} has changed while it was read.")

    def _refuse(self, name: str) -> None:
        """Raise as a column of this type would in memory."""
        column = read_columns(self.table, [name], self.where, numbers=[name])[name]
        if name == self.weight:
            validation.weights_1d(column, f"weight column {name!r}")
        else:
            validation.scores_1d(column, f"column {name!r}")
        raise refused(f"column {name!r}", "must be numeric.")


@dataclass
class _Faults:
    """Remember values that cannot be read, to tell of them when all were seen.

    Attributes
    ----------
    names : the columns of outputs.
    needed : these, and weights.
    rows : how many were seen.
    """

    names: Sequence[str]
    needed: Sequence[str]
    rows: int = 0
    _nulls: dict[str, int] = field(default_factory=dict)
    _nan: dict[str, tuple[int, int]] = field(default_factory=dict)  # how many, and the first row
    _wrong: dict[str, Any] = field(default_factory=dict)

    def looked(self, name: str, values: Array, nulls: int) -> Array:
        """The values of a column, some of which may be wrong."""
        if nulls:
            self._nulls[name] = self._nulls.get(name, 0) + nulls
        elif name in self.names and not (values.min(initial=0) >= 0 and values.max(initial=0) < np.inf):
            missing = np.isnan(values)
            if missing.any():
                count, first = self._nan.get(name, (0, self.rows + int(missing.argmax())))
                self._nan[name] = count + int(missing.sum()), first
            elif name not in self._wrong:
                self._wrong[name] = values[(values < 0) | (values == np.inf)][0]
        return values

    def told(self) -> None:
        """Raise the first, in the order in which columns were named."""
        if self._nulls:
            raise have_nulls({n: self._nulls[n] for n in self.needed if n in self._nulls}, self.rows)
        for name in (name for name in self.names if name in self._nan):
            raise refused(f"column {name!r}", "has {} NaN, the first at index {}.", *self._nan[name])
        for name in (name for name in self.names if name in self._wrong):
            raise ValueError(
                f"column {name!r} must hold outputs that are finite and not negative, but holds "
                f"{self._wrong[name]}."
            )


def _values(column: Any) -> tuple[Array, int]:
    """A column of DuckDB or Arrow as an array (n,), and how many values it lacks, for which any stand."""
    if isinstance(column, np.ndarray):
        return np.ma.getdata(column), int(np.count_nonzero(np.ma.getmask(column)))
    nulls = column.null_count
    return numbers_in(column.fill_null(0) if nulls else column), nulls


def _within(picks: Array | None, first: int, size: int) -> Any:
    """Which rows of a batch are meant: all, or those of the given numbers."""
    if picks is None:
        return slice(None)
    low, high = np.searchsorted(picks, [first, first + size])
    return picks[low:high] - first


def drawn(rows: int, size: int, seed: int) -> Array:
    """Row numbers drawn evenly without replacement, in ascending order."""
    rng, few = np.random.default_rng(seed), min(size, rows - size)
    found = np.zeros(0, np.int64)
    while found.size < few:
        found = np.concatenate([found, rng.integers(rows, size=few - found.size)])
        found.sort()
        found = found[np.append(True, found[1:] != found[:-1])]
    return found if few == size else np.delete(np.arange(rows), found)


def most_rows(room: Engine, n_classes: int, *, weighted: bool) -> int:
    """How many rows a search can hold: outputs, each eighth row of them again, and breakpoints by thread."""
    size = room.bytes
    size = 2 * size if room.memory is None else max(size - _LIBRARIES, size // 4)
    held, sweep = 8 * n_classes + 8 * weighted, (10 + 8 * weighted) * n_threads()
    most = size // max(-(-(held + sweep) * 8 // 7), held + 17)
    step: int = 10 ** max(0, len(str(most)) - 2)
    return most // step * step


def _columns_of(score: Sequence[str], classes: list[Any], label: str) -> dict[Any, str]:
    """The column of every class, in the order in which they are named."""
    if len(classes) < 2:
        raise ValueError(f"label column {label!r} has {len(classes)} class, but two or more are needed.")
    if not score:
        return {each: str(each) for each in classes}
    columns: dict[Any, str] = {}
    for text in score:
        name, column = _split(text, classes)
        if "=" not in text and text not in map(str, classes):
            raise UsageError(
                f"--score {text!r} names no class: write CLASS=COLUMN, such as '{classes[0]}={text}'."
            )
        each = class_named(name, classes, "--score")
        if each in columns:
            raise UsageError(f"--score names the class {name!r} twice.")
        if column in columns.values() or column == label:
            what = "the labels" if column == label else "another class"
            raise UsageError(f"--score {text!r} names the column of {what}.")
        columns[each] = column
    missing = next((each for each in classes if each not in columns), None)
    if missing is not None:
        raise UsageError(
            f"--score names no column for the class {str(missing)!r}, which label column {label!r} has; "
            "name one, or leave its rows out by --where."
        )
    return columns


def _split(text: str, classes: list[Any]) -> tuple[str, str]:
    """Class and column; a name may hold the sign too."""
    names = [str(each) for each in classes]
    if text in names:
        return text, text
    for name in sorted(names, key=len, reverse=True):
        if text.startswith(f"{name}=") and len(text) > len(name) + 1:
            return name, text[len(name) + 1 :]
    return text.partition("=")[0], text
