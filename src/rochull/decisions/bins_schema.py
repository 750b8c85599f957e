"""Fields of a document that find a case's segment."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from rochull._core.schemas import (
    extended,
    items,
    label,
    name,
    number,
    one_of,
    optional,
    record,
    repeated,
    text,
    truth,
    whole,
    written,
)
from rochull.decisions.axes import Axis, Bins


def _column(value: Any) -> Any:
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return text(value) if isinstance(value, str) else value
    raise ValueError("it must be a text or a whole number")


def _category(value: Any) -> Any:
    """Read a category; an infinite number is an object, because a text is a category of its own."""
    if isinstance(value, dict):
        return extended(record({"number": one_of("inf", "-inf")})(value)["number"])
    return label(value)


_AXIS = record(
    {
        "column": _column,
        "edges": optional(items(number())),
        "categories": optional(items(_category)),
        "missing": truth,
    }
)


def _axis(value: Any) -> Axis:
    """Read how one auxiliary column is cut into cells."""
    axis = Axis(**_AXIS(value))
    if (axis.edges is None) == (axis.categories is None):
        raise ValueError("an axis has either edges or categories")
    if any(low >= high for low, high in pairwise(axis.edges or ())):
        raise ValueError("the edges do not ascend")
    if len(set(axis.categories or ())) < len(axis.categories or ()):
        raise ValueError("a category occurs twice")
    if not len(axis):
        raise ValueError("the axis has no cell")
    return axis


_BINS = record({"axes": items(_axis, 1), "of_cell": items(whole(least=-1)), "labels": items(name, 1)})


def read_bins(value: Any) -> Bins:
    """Read which segment a case belongs to."""
    axes, of_cell, labels = _BINS(value).values()
    if len({axis.column for axis in axes}) < len(axes):
        raise ValueError("a column occurs twice")
    if len(of_cell) != math.prod(map(len, axes)):
        raise ValueError("there is not one bin for each combination of cells")
    if max(of_cell, default=-1) >= len(labels):
        raise ValueError("a bin has no label")
    if (twice := repeated(labels)) is not None:
        raise ValueError(f"two segments are called {twice!r}")
    return Bins(axes, np.array(of_cell, np.int64), labels)


def bins_dict(bins: Bins) -> dict[str, Any]:
    """Write what :func:`read_bins` reads."""

    def category(value: Any) -> Any:
        return {"number": written(value)} if isinstance(value, float) and math.isinf(value) else value

    axes = [
        {
            "column": axis.column,
            "edges": None if axis.edges is None else list(axis.edges),
            "categories": None if axis.categories is None else list(map(category, axis.categories)),
            "missing": axis.missing,
        }
        for axis in bins.axes
    ]
    return {"axes": axes, "of_cell": bins.of_cell.tolist(), "labels": list(bins.labels)}
