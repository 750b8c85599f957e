"""What callers give: arrays of numbers, and the labels of classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rochull._core.validation import Array, masked_values


def unmasked(values: Any, name: str) -> Array:
    """An array of any kind, none of whose values is hidden by a mask."""
    if masked := masked_values(values):
        raise ValueError(f"{name} has {masked} masked values.")
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} is not an array: {error}") from None


def numeric(values: Any, name: str) -> Array:
    """Numbers as float64, of any shape."""
    array = unmasked(values, name)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} must be numeric, but has type {array.dtype}.")
    with np.errstate(over="ignore", under="ignore"):  # a longdouble becomes infinite, which callers refuse
        return array.astype(np.float64, copy=False)


def named_classes(classes: Any, size: int, what: str) -> tuple[Any, ...]:
    """The labels of so many columns, in order; `what` completes the message."""
    given = getattr(classes, "tolist", lambda: classes)()
    try:
        if isinstance(given, (str, bytes, set, frozenset)):  # a set has no order
            raise TypeError
        labels = tuple(given)
        different = len(set(labels))
    except TypeError:
        raise ValueError(f"classes must name {what} in a sequence, but is {classes!r}.") from None
    if len(labels) != size or different != size:
        raise ValueError(f"classes must name {what}, but is {labels!r}.")
    return labels


def finite(values: Any, name: str) -> Array:
    """Finite numbers as float64."""
    array = numeric(values, name)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, but holds {array[~np.isfinite(array)][0]}.")
    return array


def index_of(label: Any, classes: Sequence[Any], name: str) -> int:
    """The position of a class; ValueError names the classes if it is none."""
    for index, known in enumerate(classes):
        if known == label:
            return index
    raise ValueError(f"{name}: there is no class {label!r}; the classes are {', '.join(map(repr, classes))}.")
