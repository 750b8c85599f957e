"""Measures to minimise or limit: functions of a confusion matrix, as pure values.

Row i of a confusion matrix is what the examples of class i were called.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, TypeAlias

import numpy as np

from rochull._core.messages import refused
from rochull._core.validation import Array
from rochull.conditions.comparisons import as_limits
from rochull.multiclass.costs import CostMatrix
from rochull.multiclass.inputs import index_of, numeric
from rochull.multiclass.measure import ROUNDING, Limit, Measure, errors_of

# All measures are found here, wherever they are written.
__all__ = [
    "Cell",
    "CostMatrix",
    "Error",
    "ErrorRate",
    "Limit",
    "MaxError",
    "Measure",
    "Objective",
    "checked_limits",
    "checked_objective",
    "index_of",
    "objective_values",
    "smallest",
]


@dataclass(frozen=True)
class Error(Measure):
    """The error of a class: the share of its examples that are called another class, 1 minus its recall.

    Parameters
    ----------
    label : object
        The class, by its label.

    Examples
    --------
    >>> import rochull as rh
    >>> print(rh.multiclass.Error("lesion") <= 0.05)
    Error('lesion') <= 0.05
    """

    linear: ClassVar[bool] = True
    is_share: ClassVar[bool] = True

    label: Any

    def __str__(self) -> str:
        return f"Error({self.label!r})"

    def values(self, confusion: Array, classes: Sequence[Any]) -> Array:
        i = index_of(self.label, classes, str(self))
        row = np.asarray(confusion)[..., i, :]
        total = row.sum(axis=-1)
        with np.errstate(invalid="ignore"):
            return np.asarray((total - row[..., i]) / total)


@dataclass(frozen=True)
class Cell(Measure):
    """The share of the examples of one class that are called a certain class.

    Parameters
    ----------
    true : object
        The class of the examples, by its label.
    called : object
        What they are called. The same label gives the recall of the class.

    Examples
    --------
    >>> import rochull as rh
    >>> print(rh.multiclass.Cell("lesion", "normal") <= 0.01)
    Cell('lesion', 'normal') <= 0.01
    """

    linear: ClassVar[bool] = True
    is_share: ClassVar[bool] = True

    true: Any
    called: Any

    def __str__(self) -> str:
        return f"Cell({self.true!r}, {self.called!r})"

    def values(self, confusion: Array, classes: Sequence[Any]) -> Array:
        i = index_of(self.true, classes, str(self))
        j = index_of(self.called, classes, str(self))
        row = np.asarray(confusion)[..., i, :]
        with np.errstate(invalid="ignore"):
            return np.asarray(row[..., j] / row.sum(axis=-1))


@dataclass(frozen=True)
class MaxError(Measure):
    """The largest error of any class: minimising it is the minimax rule.

    Examples
    --------
    >>> import numpy as np, rochull as rh
    >>> confusion = np.array([[8, 2], [1, 9]])
    >>> float(rh.multiclass.MaxError().values(confusion, ["a", "b"]))
    0.2
    """

    is_share: ClassVar[bool] = True

    def __str__(self) -> str:
        return "MaxError()"

    def values(self, confusion: Array, classes: Sequence[Any]) -> Array:
        return np.asarray(errors_of(confusion).max(axis=-1))


@dataclass(frozen=True)
class ErrorRate(Measure):
    """The share of all examples that are called a wrong class: 1 minus the accuracy.

    Examples
    --------
    >>> import numpy as np, rochull as rh
    >>> float(rh.multiclass.ErrorRate().values(np.array([[8, 2], [1, 9]]), ["a", "b"]))
    0.15
    """

    linear: ClassVar[bool] = True
    is_share: ClassVar[bool] = True

    def __str__(self) -> str:
        return "ErrorRate()"

    def values(self, confusion: Array, classes: Sequence[Any]) -> Array:
        confusion = np.asarray(confusion)
        total = confusion.sum(axis=(-2, -1))
        with np.errstate(invalid="ignore"):
            return np.asarray((total - np.trace(confusion, axis1=-2, axis2=-1)) / total)


# A function gets confusion matrices (k, C, C) and returns (k,) numbers to be minimised.
Objective: TypeAlias = Measure | Callable[[Array], Array] | str


def checked_objective(objective: Objective) -> Measure | Callable[[Array], Array]:
    """A measure or a function; the names "max_error" and "error" stand for measures."""
    if isinstance(objective, str) and objective in _NAMED:
        return _NAMED[objective]
    if isinstance(objective, Measure) or (callable(objective) and not isinstance(objective, type)):
        return objective
    if np.ndim(objective if isinstance(objective, (list, tuple, np.ndarray)) else ()) == 2:
        raise refused("objective", "is a matrix: if it holds costs, give CostMatrix(costs).")
    raise refused(
        "objective",
        "must be 'max_error', 'error', a measure such as CostMatrix(...) or Error(label), or a "
        "function of confusion matrices, but is {}.",
        repr(objective),
    )


_NAMED: dict[str, Measure] = {"max_error": MaxError(), "error": ErrorRate()}


def checked_limits(subject_to: Limit | Sequence[Limit]) -> tuple[Limit, ...]:
    """Limits as a tuple; one may stand by itself."""
    return as_limits(subject_to, Limit, "Error(label) <= 0.05")


def objective_values(
    objective: Measure | Callable[[Array], Array], confusion: Array, classes: Sequence[Any]
) -> Array:
    """The objective of confusion matrices (k, C, C), as float64 (k,)."""
    found = objective.values(confusion, classes) if isinstance(objective, Measure) else objective(confusion)
    values = numeric(found, "the result of objective")
    if values.shape != confusion.shape[:-2]:
        raise refused(
            "objective",
            "must return one number for each confusion matrix, shape {}, but returned shape {}.",
            confusion.shape[:-2],
            values.shape,
        )
    return values


def smallest(
    objective: Measure | Callable[[Array], Array], confusion: Array, classes: Sequence[Any]
) -> int | None:
    """The first of the matrices (k, C, C) with the smallest objective; None if there is none but NaN.

    Sums of costs that rounding could have put in the wrong order are compared in rationals.
    """
    values = objective_values(objective, confusion, classes)
    if not len(values) or np.isnan(values).all():
        return None
    best = int(np.nanargmin(values))
    if not isinstance(objective, Measure):
        return best
    near = np.flatnonzero(values <= values[best] + ROUNDING * (objective.scale() + abs(values[best])))
    if len(near) == 1 or objective.exact_value(confusion[best], classes) is None:
        return best
    return min(near.tolist(), key=lambda at: objective.exact_value(confusion[at], classes) or Fraction(0))
