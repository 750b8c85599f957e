"""Columns by name from whatever a user calls a table: a mapping, data frame, array, file or glob."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core import validation
from rochull._core.decimals import without_decimals
from rochull._core.messages import Message, Name, Parameter, refused
from rochull._core.table_errors import a_type, has_nulls, no_column, unknown
from rochull._core.validation import Array

if TYPE_CHECKING:
    import narwhals as nw


# --- which columns there are ---------------------------------------------------------------------


def frame_of(table: Any, what: str = "table") -> nw.DataFrame[Any] | None:
    """A data frame of any library as narwhals sees it; None for anything else, a lazy frame being refused."""
    import narwhals as nw

    try:
        frame = nw.from_native(table, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            frame.columns  # noqa: B018 - some libraries look for names that occur twice only now
            return frame
    except nw.exceptions.DuplicateError:
        names = list(getattr(table, "column_names", None) or table.columns)
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{what} has more than one column {twice!r}; rename one of them.") from None
    if isinstance(frame, nw.LazyFrame):
        raise ValueError(f"{what} is a lazy frame, which holds no numbers yet; collect it first.")
    return None


def named_columns(table: Any, what: str = "table") -> Mapping[Any, Any] | None:
    """The columns of a table in memory by name, none of them read yet; None if they have no names."""
    if isinstance(table, Mapping):
        return table
    if isinstance(table, np.ndarray):
        return None if table.dtype.names is None else {name: table[name] for name in table.dtype.names}
    if isinstance(table, (list, tuple)):
        return None
    if isinstance(table, (str, os.PathLike)):
        raise ValueError(
            f"{what} is a path, {os.fspath(table)!r}; read the file into a data frame first, such as with "
            "pandas.read_parquet or polars.read_csv."
        )
    frame = frame_of(table, what)
    if frame is not None:
        return {name: frame.get_column(name) for name in frame.columns}
    if hasattr(table, "column_names"):  # one batch of Arrow, which narwhals does not know
        return {name: table.column(name) for name in table.column_names}
    if hasattr(table, "__arrow_c_stream__") and hasattr(table, "__next__"):
        raise ValueError(f"{what} is a stream, which can be read once only; read it into a table first.")
    return None


# --- what they hold ------------------------------------------------------------------------------


def values_of(column: Any) -> tuple[Array, Array | None]:
    """A column as an array, and where it has nulls (n,), or None if it has none.

    What stands in the place of a null means nothing: 0 among numbers, so that integers stay exact. Decimals
    become integers where all are whole, else doubles. A NaN among doubles is a number.
    """
    if isinstance(column, (list, tuple)):
        column = _listed(column)
    nulls = None
    if isinstance(column, np.ndarray):  # NumPy loads what knows masks when it is named
        if type(column) is not np.ndarray and isinstance(
            column, np.ma.MaskedArray
        ):  # loaded when it is named
            nulls, column = np.ma.getmaskarray(column), np.asarray(column.filled(0))
    else:
        column, nulls = _of_series(column)
    if column.dtype == object and column.ndim == 1:
        gone = np.fromiter(map(validation.is_missing, column), bool, column.size)
        if nulls is not None:
            gone |= nulls
        return without_decimals(column), gone if gone.any() else None
    return column, None if nulls is None or not nulls.any() else nulls


def _listed(values: Sequence[Any]) -> Array:
    """A list as an array; as one of objects where NumPy would change its values."""
    try:
        array = np.asarray(values)
    except ValueError:  # lists of different lengths
        return validation.objects(values)
    kinds = set(map(type, values))
    changed = len(kinds) > 1 or array.dtype.kind in "SU" or (array.dtype.kind == "f" and int in kinds)
    return validation.objects(values) if changed and array.ndim == 1 else array


def _of_series(column: Any) -> tuple[Array, Array | None]:
    """The values of a column of a data frame library, and where numbers are null."""
    import narwhals as nw

    if hasattr(column, "__arrow_c_array__") and not isinstance(
        column, nw.Series
    ):  # narwhals takes chunks only
        import pyarrow as pa

        column = pa.chunked_array([column])
    series = nw.from_native(column, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return np.asarray(series), None
    if series.dtype in (nw.Decimal, nw.Int128, nw.UInt128):  # which NumPy has not
        return validation.objects(series.to_list()), None
    nulls = series.is_null().to_numpy() if series.null_count() else None
    if nulls is not None and series.dtype.is_numeric():
        series = series.fill_null(0)
    array = series.to_numpy()
    if array.dtype.kind == "U" and series.str.ends_with("\0").any():  # which NumPy leaves out
        array = validation.objects(series.to_list())
    return array, nulls


def numbers_of(column: Any, what: Name) -> tuple[Array, Array | None]:
    """A column as numbers (n,), in which NaN is legal, and where it has nulls, for which 0 stands."""
    array, nulls = values_of(column)
    if array.ndim == 2 and array.shape[1] > 1:
        raise ValueError(
            f"{what} has {array.shape[1]} columns without names; give a frame or a mapping, whose columns "
            "have the names of the classifiers and one number for each case, such as predict_proba(X)[:, 1]."
        )
    if array.ndim == 0 and array.dtype.kind in "iuf":
        raise ValueError(f"{what} is the single number {array.item()!r}; give an array, [{array.item()!r}].")
    if array.size == 0:
        return np.empty(0), None
    if nulls is not None and array.dtype == object:
        array = np.where(nulls, 0, array)
    return validation.scores_1d(array, what, nan_checked=False), nulls


# --- tables --------------------------------------------------------------------------------------


def some_labels(column: Any, pos_label: object, name: Name) -> Array:
    """Labels of which some may be missing (n,), as 1, 0 and NaN; one class alone will do."""
    values, nulls = values_of(column)
    if values.ndim != 1:
        raise validation.wrong_shape(name, "(n,)", values)
    gone = np.zeros(len(values), bool) if nulls is None else nulls.copy()
    if values.dtype.kind == "f":
        gone |= np.isnan(values)
    found = np.full(len(values), np.nan)
    if not gone.all():
        found[~gone] = validation.coded(values[~gone], pos_label, name, partial=True)
    return found


def columns_of(
    table: Any, names: Sequence[str], where: str | None = None, *, numbers: Sequence[str] = ()
) -> dict[str, Array]:
    """Read the named columns of a path, glob, data frame or mapping; none may have nulls.

    `numbers` are those that must not be mistaken for text in a CSV file.

    Raises
    ------
    ValueError
        If a column is not there or has nulls, or `where` is given for a table in memory.
    """
    if isinstance(table, (str, os.PathLike)):
        from rochull._core.table_files import read_columns

        return read_columns(table, names, where, numbers=numbers)
    if where is not None:
        raise refused("where", "needs a table in a file; select the rows of a data frame yourself.")
    present = named_columns(table)
    if present is None:
        raise refused(
            "table", "must be a path, a data frame or a mapping of columns, but is {}.", a_type(table)
        )
    absent = next((name for name in names if name not in present), None)
    if absent is not None:
        raise no_column("table", absent, present)
    return {name: _whole(present[name], name) for name in names}


def all_columns(table: Any, what: str) -> dict[Any, Array]:
    """Every column of a mapping, a data frame or an array (n, k), whose columns are called "0", "1", ....

    A single array is the column None.
    """
    present = named_columns(table, what)
    if present is None:
        array = np.asarray(table) if isinstance(table, (list, tuple)) else table
        if np.ndim(array) != 2 or np.shape(array)[1] < 2:
            return {None: table}
        present = {str(j): array[:, j] for j in range(array.shape[1])}
    if not present:
        raise ValueError(f"{what} has no columns.")
    return {name: _whole(column, name) for name, column in present.items()}


def _whole(column: Any, name: str) -> Array:
    """A column without nulls."""
    values, nulls = values_of(column)
    if nulls is not None:
        raise has_nulls(name, int(nulls.sum()), values.size)
    return values


# --- labelled scores -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ScoredExamples:
    """Columns of a table that several classifiers scored.

    Attributes
    ----------
    positive : (n,) 1 for a positive example.
    scores : the columns (n,), in the order in which they were named.
    weights : float64 (n,) or None.
    """

    positive: Array
    scores: dict[str, Array]
    weights: Array | None


def scored_examples(
    table: Any,
    *,
    label: str,
    scores: str | Sequence[str],
    weight: str | None,
    pos_label: object,
    where: str | None,
) -> ScoredExamples:
    """Read labels, scores and weights from the columns of a table, which is in memory or in files."""
    names = score_names(label, scores)
    needed = [label, *names, *([] if weight is None else [weight])]
    columns = columns_of(table, list(dict.fromkeys(needed)), where, numbers=names)
    found = positive_label(pos_label, columns[label])
    positive = validation.binary_labels(columns[label], found, f"label column {label!r}")
    weights = None
    if weight is not None:
        weights = validation.weights_1d(columns[weight], f"weight column {weight!r}")
    return ScoredExamples(positive, {name: columns[name] for name in names}, weights)


def score_names(label: str, scores: str | Sequence[str]) -> list[str]:
    """The columns of scores that are named beside the column of labels."""
    names = [scores] if isinstance(scores, str) else list(scores)
    if not names:
        raise refused("scores", "is empty: name at least one column of scores.")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise refused("scores", "names the column {} twice.", repr(twice))
    if label in names:
        raise refused("scores", "must not hold the label column {}.", repr(label))
    return names


def reversed_columns(lower_is_positive: bool | Sequence[str], scores: Collection[str]) -> frozenset[str]:
    """The columns of scores of which low ones are positive: all, none, or those that are named."""
    if isinstance(lower_is_positive, str):
        raise refused("lower_is_positive", "must be a list of columns, but is {}.", repr(lower_is_positive))
    if not isinstance(lower_is_positive, Iterable):
        return frozenset(scores if validation.truth(lower_is_positive, "lower_is_positive") else ())
    found = frozenset(lower_is_positive)
    for name in found - set(scores):
        what = Message("{} names {}", Parameter("lower_is_positive"), repr(name))
        raise unknown(what, name, list(scores), has=", which is not one of the scores")
    return found


# DuckDB takes a CSV column of such words for booleans.
_TRUTH = dict.fromkeys(("true", "t", "yes", "y", "1"), True) | dict.fromkeys(
    ("false", "f", "no", "n", "0"), False
)


def _in_utc(value: object) -> dt.datetime | None:
    """A point in time that states its zone, or text of one, as tables hold it: in UTC, without a zone."""
    try:
        found = dt.datetime.fromisoformat(value.strip()) if isinstance(value, str) else value
    except ValueError:
        return None
    aware = isinstance(found, dt.datetime) and found.tzinfo is not None
    return found.astimezone(dt.UTC).replace(tzinfo=None) if aware else None  # type: ignore[attr-defined]


def positive_label(label: object, labels: Array) -> object:
    """Match a label given as text, as on a command line, to the type of the labels.

    Whatever cannot be matched is returned unchanged: checking the labels then says what they hold.
    """
    kind, instant = labels.dtype.kind, _in_utc(label)
    if instant is not None and kind == "M":
        return instant
    if instant is not None and kind == "O":
        return next((value for value in set(labels.tolist()) if instant in (value, _in_utc(value))), label)
    if not isinstance(label, str):
        return label
    text = label.strip()
    try:
        if kind == "b":
            return _TRUTH.get(text.lower(), label)
        if kind in "iu":
            return int(text)
        if kind == "f":
            return float(text)
        if kind == "M":
            moment = np.datetime64(text)
            same = moment.astype(labels.dtype)  # a day of days, a time of times
            return same.item() if same == moment else label
    except ValueError:
        return label
    if kind == "O":
        return next((value for value in labels.tolist() if _is_named(value, label, text)), label)
    return label


def _is_named(value: object, label: str, text: str) -> bool:
    """Whether a label is the one that is written so."""
    if value == label or str(value) == text:
        return True
    if isinstance(value, bytes):
        return value == label.encode(errors="surrogateescape")
    if not isinstance(value, date) or getattr(value, "tzinfo", None) is not None:
        return False
    try:
        return bool(np.datetime64(text) == np.datetime64(value))
    except ValueError:  # no date
        return False
