"""Columns of the same rows: as many, and in the same order as far as their indexes tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from rochull._core.messages import Refusal, named

_OTHER_ORDER = (
    "{} and {} hold the same index labels in another order: bring one into the order of the other, such as "
    "with reindex, or give arrays, such as by to_numpy(), which go by position."
)


def same_rows(**columns: Any) -> None:
    """Raise unless columns, as they were given or as arrays, are of the same rows; None is none.

    They must have the same length. Columns go by position: but where the indexes of two hold the same labels
    in another order, one of both is meant in another order than it stands in. A dict is several columns.
    """
    first, expected = "", -1
    for name, values in columns.items():
        if values is None:
            continue
        if isinstance(values, dict):
            values = next(iter(values.values()), ())
        elif type(values) is not np.ndarray and isinstance(values, Mapping):
            continue
        size = len(values if hasattr(values, "__len__") else np.asarray(values))
        if expected < 0:
            first, expected = name, size
        elif size != expected:
            found = f"{first} has {expected} and {name} has {size}"
            raise ValueError(f"{first} and {name} must have the same length, but {found}.")
    refuse_other_order(columns)


def refuse_other_order(columns: Mapping[str, Any]) -> None:
    """Raise if the indexes of two columns or frames hold the same labels in another order."""
    if not any(map(_is_indexed, columns.values())):
        return
    seen: list[tuple[str, Any]] = []
    for name, index in _indexes(columns):
        if any(index.equals(known) for _, known in seen):  # at once, where it is the same one
            continue
        for other, known in seen:
            if _same_labels(index, known):
                raise Refusal(_OTHER_ORDER, named(other), named(name))
        seen.append((name, index))


def _is_indexed(values: Any) -> bool:
    """Whether there is some index to look at."""
    kind = type(values)
    if kind is np.ndarray or kind is list or values is None:
        return False
    if isinstance(values, dict):  # another mapping may read a column when it is asked for it
        return any(map(_is_indexed, values.values()))
    return hasattr(kind, "iloc")


def _indexes(columns: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The indexes of those columns, and of the columns in mappings, that are of pandas or like them."""
    for name, values in columns.items():
        if isinstance(values, dict):
            yield from _indexes({f"{name}[{key!r}]": column for key, column in values.items()})
        elif hasattr(type(values), "iloc"):
            yield name, values.index


def _same_labels(a: Any, b: Any) -> bool:
    """Whether two indexes that differ hold the same labels, each as often."""
    if len(a) != len(b):
        return False
    try:
        if a.min() != b.min() or a.max() != b.max():  # most often enough
            return False
        return bool(a.sort_values().equals(b.sort_values()))
    except (TypeError, ValueError):  # labels that have no order
        return Counter(a) == Counter(b)
