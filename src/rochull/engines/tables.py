"""Columns of whatever a user calls a table: a file, a glob, a data frame, a mapping."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rochull._validation import Array


def columns_of(table: Any, names: Sequence[str], where: str | None = None) -> dict[str, Array]:
    """Read the named columns of a path, glob, data frame or mapping; none may have nulls.

    Raises
    ------
    ValueError
        If a column is not there or has nulls, or `where` is given for a table in memory.
    """
    if isinstance(table, (str, os.PathLike)):
        from rochull.engines.duckdb_files import read_columns

        return read_columns(table, names, where)
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


def positive_label(label: object, labels: Array) -> object:
    """Match a label given as text, as on a command line, to the type of the labels.

    What cannot be matched is returned as it is: checking the labels then says what they hold.
    """
    if not isinstance(label, str):
        return label
    kind, text = labels.dtype.kind, label.strip()
    try:
        if kind == "b":
            return {"true": True, "1": True, "false": False, "0": False}.get(text.lower(), label)
        if kind in "iu":
            return int(text)
        if kind == "f":
            return float(text)
    except ValueError:
        return label
    if kind == "O":
        return next((value for value in set(labels.tolist()) if value == label or str(value) == text), label)
    return label
