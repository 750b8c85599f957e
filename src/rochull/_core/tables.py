"""Columns of whatever a user calls a table: a file, a glob, a data frame, a mapping."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rochull._core import validation
from rochull._core.validation import Array


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
    """Read the columns that a hybrid is made of; the parameters are those of `Hybrid.from_table`."""
    names = [scores] if isinstance(scores, str) else list(scores)
    if not names:
        raise ValueError("scores is empty: name at least one column of scores.")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"scores names the column {twice!r} twice.")
    if label in names:
        raise ValueError(f"scores must not hold the label column {label!r}.")
    needed = [label, *names, *([] if weight is None else [weight])]
    columns = columns_of(table, list(dict.fromkeys(needed)), where, numbers=names)
    found = positive_label(pos_label, columns[label])
    positive = validation.binary_labels(columns[label], found, f"label column {label!r}")
    weights = None
    if weight is not None:
        weights = validation.weights_1d(columns[weight], f"weight column {weight!r}")
    return ScoredExamples(positive, {name: columns[name] for name in names}, weights)


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
        raise ValueError("where needs a table in a file; select the rows of a data frame yourself.")
    frame, present = _in_memory(table)
    for name in names:
        if name not in present:
            raise ValueError(f"table has no column {name!r}; it has {', '.join(map(repr, present))}.")
    return {name: _array(frame[name], name) for name in names}


def _in_memory(table: Any) -> tuple[Any, list[Any]]:
    """Something to take columns from by name, and the names."""
    if isinstance(table, Mapping):
        return table, list(table)
    import narwhals as nw

    frame = nw.from_native(table, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise ValueError(
            f"table must be a path, a data frame or a mapping of columns, but is a {type(table).__name__}."
        )
    return frame, frame.columns


def _array(column: Any, name: str) -> Array:
    if hasattr(column, "null_count") and hasattr(column, "to_numpy"):
        count = int(column.null_count())
        if count:
            raise ValueError(
                f"column {name!r} has {count} null{'s' * (count > 1)} in {len(column)} rows; "
                "leave those rows out first."
            )
        column = column.to_numpy()
    return np.asarray(column)


# DuckDB takes a CSV column of such words for booleans.
_TRUTH = dict.fromkeys(("true", "t", "yes", "y", "1"), True) | dict.fromkeys(
    ("false", "f", "no", "n", "0"), False
)


def positive_label(label: object, labels: Array) -> object:
    """Match a label given as text, as on a command line, to the type of the labels.

    What cannot be matched is returned as it is: checking the labels then says what they hold.
    """
    if not isinstance(label, str):
        return label
    kind, text = labels.dtype.kind, label.strip()
    try:
        if kind == "b":
            return _TRUTH.get(text.lower(), label)
        if kind in "iu":
            return int(text)
        if kind == "f":
            return float(text)
    except ValueError:
        return label
    if kind == "O":
        return next((value for value in set(labels.tolist()) if value == label or str(value) == text), label)
    return label
