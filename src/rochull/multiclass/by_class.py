"""Values of classes, from whatever holds them: by labels where it has some, else by position.

Labels are honoured or refused. The numbers 0, 1, 2, ... in this order, which a frame or a Series has by
itself, label nothing unless they are the classes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rochull._core.messages import Parameter, Refusal, refused
from rochull._core.schemas import repeated
from rochull._core.table_errors import names_listed, no_column
from rochull._core.tables import named_columns
from rochull._core.validation import Array
from rochull._core.warned import warn
from rochull.multiclass.inputs import named_classes

_SAY = "give classes to say whose column each one is"


def _are_positions(labels: Sequence[Any]) -> bool:
    """Whether labels are those of what has none of its own."""
    return all(type(label) is not bool and label == i for i, label in enumerate(labels))


def _refuse_twice(labels: Sequence[Any], name: str, what: str) -> None:
    if (twice := repeated(labels)) is not None:
        raise refused(name, "has more than one {} {}.", what, repr(twice))


# --- a column for each class ---------------------------------------------------------------------


def places_of(outputs: Any, classes: Sequence[Any], name: str, *, stated: bool) -> list[int] | None:
    """The column of each class by the names of the columns; None where columns go by position.

    With `stated` the caller has said whose column each one is, and other names are as good as none.
    """
    try:
        names = list(named_columns(outputs, name) or ())
    except ValueError:  # two columns have the same name
        if stated:
            return None
        raise
    for wanted in (list(classes), [str(label) for label in classes]):
        if names and len(set(wanted)) == len(names) and set(names) == set(wanted):
            return [names.index(label) for label in wanted]
    if stated:
        _refuse_contradiction(names, classes, name)
    if not names or stated or _are_positions(names):
        return None
    absent = next((c for c in classes if c not in names and str(c) not in names), classes[0])
    found = no_column(name, absent, names, f" for the class {absent!r}").found
    raise Refusal("{} Call the columns like the classes, or " + _SAY + ".", found)


def _refuse_contradiction(names: Sequence[Any], classes: Sequence[Any], name: str) -> None:
    """Raise if a column that is stated to be one class's is called like another class."""
    for column, label in zip(names, classes, strict=False):
        if any(column in (other, str(other)) for other in classes) and column not in (label, str(label)):
            text = "has the column {} in the place of the class {}; call it otherwise, or name all columns."
            raise refused(name, text, repr(column), repr(label))


def by_name(outputs: Any, array: Array, classes: Sequence[Any], name: str, *, stated: bool) -> Array:
    """The columns (n, C) of outputs, as an array, in the order of the classes."""
    places = places_of(outputs, classes, name, stated=stated)
    return array if places is None or places == [*range(len(places))] else array[:, places]


def placed(
    y_true: Any, outputs: Any, array: Array, codes: Array, classes: Sequence[Any], *, name: str, stated: bool
) -> list[int]:
    """The column of each class in the outputs (n, C) of examples, whose classes have these codes (n,).

    There is a warning if columns go by position, nobody has said whose they are, and they hardly stand in the
    order of the classes.
    """
    places = places_of(outputs, classes, name, stated=stated)
    if places is None and not stated:
        _say_if_doubtful(y_true, array, codes, classes, name)
    return [*range(len(classes))] if places is None else places


def _say_if_doubtful(y_true: Any, array: Array, codes: Array, classes: Sequence[Any], name: str) -> None:
    own = getattr(getattr(y_true, "dtype", None), "categories", None)  # of a Categorical, or polars' Enum
    order = [label for label in getattr(own, "to_list", list)() if label in classes]
    taken = f"{name}: the columns of an array are taken in the order {names_listed(classes)}"
    if order and order != list(classes):
        warn(f"{taken}, but the labels have the order {names_listed(order)}; {_SAY}.")
        return
    size, called = len(classes), np.argmax(array, axis=1)
    table = np.bincount(codes * size + called, minlength=size**2).reshape(size, size)
    right, largest = int(np.trace(table)), int(table.sum(axis=1).max())
    if right > largest:
        return
    from scipy.optimize import linear_sum_assignment

    best = int(table[linear_sum_assignment(table, maximize=True)].sum())
    if 2 * (best - largest) > 3 * math.sqrt(len(codes)):  # beyond what an order that is picked has by chance
        warn(
            f"{taken}, by which the largest output is that of the true class in {right} of {len(codes)} "
            f"cases; the largest class alone has {largest}, and another order of the columns gives {best}; "
            f"{_SAY}."
        )


# --- a number for each class ---------------------------------------------------------------------


def by_label(values: Any, classes: Sequence[Any] | None, name: str) -> Any:
    """Numbers of classes, of a mapping or a Series by their labels; other values are returned unchanged.

    Labels without `classes` are refused: nothing tells what they are to be compared with.
    """
    if isinstance(values, Mapping):
        labels, numbers = list(values), list(values.values())
    elif hasattr(type(values), "iloc") and np.ndim(values) == 1:
        labels, numbers = list(values.index), values.tolist()
        if _are_positions(labels) and (classes is None or set(labels) != set(classes)):
            return values
    else:
        return values
    if classes is None:
        text = "has labels, {}, but nothing names the classes; give {}."
        raise refused(name, text, names_listed(labels), Parameter("classes"))
    _refuse_twice(labels, name, "value for class")
    unknown = [label for label in labels if label not in classes]
    absent = [label for label in classes if label not in labels]
    if unknown or absent:
        wrong = f"{unknown[0]!r}, which is not a class" if unknown else f"no value for class {absent[0]!r}"
        raise refused(name, "has {}; the classes are {}.", wrong, names_listed(classes))
    return [numbers[labels.index(label)] for label in classes]


# --- a number for each pair of classes -----------------------------------------------------------


def table_by_label(values: Any, classes: Any, name: str) -> tuple[Any, Any]:
    """Numbers of pairs of classes (C, C) and the classes of both axes, None if nothing names them.

    A mapping of mappings has rows first: ``values[i][j]`` as in an array.
    """
    found = _labels_of(values, name)
    if found is None:
        return values, classes
    rows, columns, array = found
    if _are_positions(rows) and _are_positions(columns):
        return array, classes
    if classes is not None:
        classes = named_classes(classes, len(rows), f"the {len(rows)} classes of {name}")
    for own, labels, axis in ((rows, columns, "rows"), (columns, rows, "columns")):
        if _are_positions(own) and set(own) != set(labels):
            if classes is not None and list(classes) == labels:
                return array, classes
            text = "has labels, {}, but none for its {}; label both, or give {} in this order."
            raise refused(name, text, names_listed(labels), axis, Parameter("classes"))
    wanted = list(rows if classes is None else classes)
    for own, axis in ((rows, "row"), (columns, "column")):
        _refuse_twice(own, name, axis)
        if set(own) != set(wanted):
            listed = names_listed(own), names_listed(wanted)
            raise refused(name, "has the {}s {}, but the classes are {}.", axis, *listed)
    at = np.ix_([rows.index(label) for label in wanted], [columns.index(label) for label in wanted])
    return array[at], wanted


def _labels_of(values: Any, name: str) -> tuple[list[Any], list[Any], Array] | None:
    """The labels of rows and columns, and the numbers; None of what has no labels."""
    if isinstance(values, Mapping):
        rows, inner = list(values), list(values.values())
        if not inner or not all(isinstance(row, Mapping) for row in inner):
            text = "has labels for its rows, {}, but none for its columns; give a mapping for each."
            raise refused(name, text, names_listed(rows))
        columns = list(inner[0])
        named = zip(rows, inner, strict=True)
        return rows, columns, np.array([by_label(row, columns, f"{name}[{key!r}]") for key, row in named])
    columns_of = named_columns(values, name)
    if columns_of is None:
        return None
    array = np.column_stack([np.asarray(column) for column in columns_of.values()])
    rows = list(values.index) if hasattr(type(values), "iloc") else [*range(len(array))]
    return rows, list(columns_of), array
