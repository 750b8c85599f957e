"""Outputs of several classes, from whatever holds them, and in which columns they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rochull._core.messages import refused
from rochull._core.table_errors import no_column, unknown
from rochull._core.tables import named_columns, numbers_of
from rochull._core.validation import Array


@dataclass(frozen=True, eq=False)
class ClassOutputs:
    """Outputs float64 (n, C) of some classes: finite, not negative."""

    classes: tuple[Any, ...]
    matrix: Array

    @classmethod
    def of(cls, table: Any, classes: tuple[Any, ...]) -> ClassOutputs:
        """Read a table's outputs, in columns named like the classes; outputs already read stay unchanged."""
        if isinstance(table, ClassOutputs):
            return table
        named = named_columns(table, "outputs")
        if named is None:
            raise ValueError("outputs must have a column for each class; an array has no names.")
        found = stacked(named, classes, {})
        refuse_unusable(found, "outputs")
        return cls(classes, found)

    def at(self, labels: Sequence[Any], rows: Array | None) -> Array:
        """Return the outputs (m, C) of some rows."""
        if tuple(labels) != self.classes:
            raise ValueError(f"the plan decides between other classes than {self.classes!r} too.")
        return self.matrix if rows is None else self.matrix[rows]


def refuse_unusable(array: Array, name: str) -> None:
    """Raise unless all outputs (n, C) are finite and not negative."""
    if not array.size or (array.min() >= 0 and array.max() < np.inf):  # both propagate NaN, which fails
        return
    for what, wrong in (
        ("NaN", np.isnan(array)),
        ("infinite values", np.isinf(array)),
        ("negative values", array < 0),
    ):
        if wrong.any():
            row, column = np.argwhere(wrong)[0].tolist()
            raise ValueError(
                f"{name} has {int(wrong.sum())} {what}, the first in row {row}, column {column}."
            )


def columns_by_class(columns: Mapping[Any, Any] | Sequence[Any], classes: Sequence[Any]) -> dict[Any, Any]:
    """The columns of some classes, or of all in their order, by class."""
    if not isinstance(columns, Mapping):
        if isinstance(columns, str) or len(columns) != len(classes):
            raise refused(
                "columns",
                "must map labels to columns, or name one for each of the {} classes, but is {}.",
                len(classes),
                repr(columns),
            )
        return dict(zip(classes, columns, strict=True))
    for label in columns:
        if label not in classes:
            raise unknown(f"columns: {label!r} is not a class of the policy", label, classes)
    return dict(columns)


def refuse_shared_columns(places: Mapping[Any, Any]) -> None:
    """Raise if two classes have the same column, as the labels 1 and "1" have by default."""
    seen: dict[Any, Any] = {}
    for label, place in places.items():
        if place in seen:
            raise ValueError(
                f"columns: the classes {seen[place]!r} and {label!r} have the same column {place!r}."
            )
        seen[place] = label


def stacked(frame: Mapping[Any, Any], classes: Sequence[Any], columns: Mapping[Any, Any]) -> Array:
    """The classes' columns of a table (n, C), in the order of the classes."""
    places = {}
    for label in classes:
        names = [columns[label]] if label in columns else [label, str(label)]
        name = next((name for name in names if name in frame), None)
        if name is None:
            raise no_column("outputs", names[0], list(frame), f" for the class {label!r}")
        places[label] = name
    refuse_shared_columns(places)
    found = []
    for name in places.values():
        numbers, nulls = numbers_of(frame[name], f"outputs[{name!r}]")
        if nulls is not None:
            raise ValueError(f"outputs[{name!r}] has {int(nulls.sum())} missing values.")
        found.append(numbers.astype(np.float64, copy=False))
    sizes = {column.size for column in found}
    if len(sizes) > 1:
        raise ValueError(f"outputs has columns of different lengths: {sorted(sizes)}.")
    return np.column_stack(found)
