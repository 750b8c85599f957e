"""Input from callers: arrays of numbers, and the labels of classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rochull._core.docstrings import entries
from rochull._core.messages import refused
from rochull._core.table_errors import unknown
from rochull._core.validation import Array, masked_values

# What the wing's parameters mean; a docstring says what is different.
EXAMPLES = entries("""
y_true : array-like of shape (n,)
    Labels of any kind; every class must occur.
outputs : array-like of shape (n, C)
    Non-negative and finite: posteriors, densities, similarities; column c belongs to class c. The columns
    of a data frame or a mapping are taken by name: they are called exactly like the classes (or like their
    text), unless `classes` says whose they are.
sample_weight : array-like of shape (n,), optional
    Finite and non-negative; an example of weight zero is left out.
classes : sequence, optional
    The labels of the columns. None: the labels that occur, sorted.
""")
MATRICES = entries("""
confusion : ndarray of shape (..., C, C)
    Weights or counts; row i are the examples of ``classes[i]``.
classes : sequence
    The C classes' labels.
""")
DECISIONS = entries("""
objective : "max_error", "error", measure or function, default="max_error"
    What is small at a good point: a measure such as ``CostMatrix(costs)`` or ``Error("lesion")``, or a
    function of confusion matrices (k, C, C) that returns (k,) numbers.
subject_to : Limit or sequence of Limit, default=()
    Such as ``[Error("lesion") <= 0.05, Cell("lesion", "normal") <= 0.01]``. A limit is the decimal that it
    prints as, and allowed.
mixtures : bool, default=False
    Whether points may be mixed at random, as in :meth:`MulticlassPoints.at`.
weights : array-like of shape (k, C) or (C,), mapping of label to weight, or operating points
    Non-negative, finite, not all zero.
random_state : int, Generator or RandomState, optional
    Of the search.
salt : str, default=""
    Mixed into the hash of keys.
about : mapping of str to str, optional
    Free text to keep in the document.
-> float
    In-sample.
-> MulticlassPoint
    In-sample.
-> MulticlassPoints
    In the order given, in-sample.
-> MulticlassPolicy
    It holds the points, not the examples.
""")
MATRICES["-> Array"] = DECISIONS["-> Array"] = "ndarray\n    Of the shape that the first sentence says."
DECISIONS["minimise"] = DECISIONS["objective"].replace("objective", "minimise", 1)


def unmasked(values: Any, name: str) -> Array:
    """An array of any kind, none of whose values is hidden by a mask."""
    if masked := masked_values(values):
        raise refused(name, "has {} masked values.", masked)
    if isinstance(values, Mapping):
        columns = [np.asarray(column) for column in values.values()]
        values = np.column_stack(columns) if len({np.shape(column) for column in columns}) == 1 else columns
    try:
        return np.asarray(values)
    except ValueError as error:
        raise refused(name, "is not an array: {}", error) from None


def numeric(values: Any, name: str) -> Array:
    """Numbers as float64, of any shape."""
    array = unmasked(values, name)
    if array.dtype.kind not in "fiub":
        raise refused(name, "must be numeric, but has type {}.", array.dtype)
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
        raise refused("classes", "must name {} in a sequence, but is {}.", what, repr(classes)) from None
    if len(labels) != size or different != size:
        raise refused("classes", "must name {}, but is {}.", what, repr(labels))
    return labels


def finite(values: Any, name: str) -> Array:
    """Finite numbers as float64."""
    array = numeric(values, name)
    if not np.isfinite(array).all():
        raise refused(name, "must be finite, but holds {}.", array[~np.isfinite(array)][0])
    return array


def index_of(label: Any, classes: Sequence[Any], name: str) -> int:
    """The position of a class; ValueError names the classes if it is none."""
    for index, known in enumerate(classes):
        if known == label:
            return index
    raise unknown(f"{name}: there is no class {label!r}", label, classes, "; the classes are")
