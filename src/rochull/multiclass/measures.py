# long: all measures stand side by side, mostly docstrings
"""What is minimised or limited: measures of a confusion matrix, as pure values.

Row i of a confusion matrix is what the examples of class i were called.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NoReturn, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rochull import _validation
from rochull._validation import Array
from rochull.conditions import exact


class Measure(ABC):
    """A number read off a confusion matrix; ``measure <= limit`` and ``measure >= limit`` are constraints.

    Attributes
    ----------
    linear : bool
        Whether the value of a mixture of operating points is the mean of theirs.
    is_share : bool
        Whether the values are shares of examples, from 0 to 1, so that other limits are mistakes.
    """

    linear: ClassVar[bool] = False
    is_share: ClassVar[bool] = False

    @abstractmethod
    def values(self, confusion: Array, classes: Sequence[Any]) -> Array:
        """Evaluate the measure.

        Parameters
        ----------
        confusion : ndarray of shape (..., C, C)
            Weights or counts; row i are the examples of ``classes[i]``.
        classes : sequence
            The C classes' labels.

        Returns
        -------
        ndarray of shape (...)
            NaN where a class that is needed has no example.
        """

    def scale(self) -> float:
        """Tell what an excess is divided by, so that excesses of rates and of costs can be compared.

        Returns
        -------
        float
            1 for rates.
        """
        return 1.0

    def exact_value(self, confusion: Array, classes: Sequence[Any]) -> Fraction | None:
        """Compute the value in rationals.

        Parameters
        ----------
        confusion : ndarray of shape (C, C)
            One matrix of weights or counts.
        classes : sequence
            The C classes' labels.

        Returns
        -------
        Fraction or None
            None where `values` makes one division only, so that its order is exact.
        """
        return None

    def __le__(self, limit: float) -> Limit:
        return Limit(self, "<=", _validation.real(limit, f"the limit of {self}"))

    def __ge__(self, limit: float) -> Limit:
        return Limit(self, ">=", _validation.real(limit, f"the limit of {self}"))

    def __lt__(self, limit: float) -> NoReturn:
        raise TypeError(f"a limit includes its end: write {self} <= {limit!r}.")

    def __gt__(self, limit: float) -> NoReturn:
        raise TypeError(f"a limit includes its end: write {self} >= {limit!r}.")


@dataclass(frozen=True)
class Limit:
    """A constraint on a confusion matrix, as ``Error("lesion") <= 0.05`` makes it.

    Attributes
    ----------
    measure : Measure
        What is limited.
    side : {"<=", ">="}
        On which side of the limit it must stay; the limit itself is allowed.
    limit : float
        The limit; of an error or another share of examples, from 0 to 1.

    Raises
    ------
    ValueError
        If a share is limited by a number that is not from 0 to 1, such as 40 for 40 %.

    See Also
    --------
    Error : A measure that can be limited, and `Cell`, `MaxError`, `ErrorRate`, `CostMatrix`.

    Examples
    --------
    >>> import numpy as np, rochull as rh
    >>> limit = rh.Error("b") <= 0.05
    >>> float(limit.excess(np.array([[8, 2], [1, 9]]), ["a", "b"]))
    0.05
    """

    measure: Measure
    side: str
    limit: float

    def __post_init__(self) -> None:
        if self.measure.is_share and not 0 <= self.limit <= 1:
            raise ValueError(
                f"the limit of {self.measure} must be from 0 to 1, but is {self.limit:g}; limits are shares: "
                "0.4 is 40 %."
            )

    def __str__(self) -> str:
        return f"{self.measure} {self.side} {self.limit:g}"

    def __bool__(self) -> NoReturn:
        # Python reads a <= measure <= b as (a <= measure) and (measure <= b), and would drop the first.
        raise TypeError(f"the limit {self} has no truth value; write two limits instead of a chain or 'and'.")

    def excess(self, confusion: Array, classes: Sequence[Any]) -> Array:
        """Compute by how much matrices break the constraint.

        Parameters
        ----------
        confusion : ndarray of shape (..., C, C)
            Weights or counts; row i are the examples of ``classes[i]``.
        classes : sequence
            The C classes' labels.

        Returns
        -------
        ndarray of shape (...)
            At most 0 where it is met; NaN where the measure is NaN.
        """
        beyond = self.measure.values(confusion, classes) - self.limit
        return beyond if self.side == "<=" else -beyond

    def met(self, confusion: Array, classes: Sequence[Any]) -> Array:
        """Tell which matrices meet the constraint.

        Parameters
        ----------
        confusion : ndarray of shape (k, C, C)
            Weights or counts; row i are the examples of ``classes[i]``.
        classes : sequence
            The C classes' labels.

        Returns
        -------
        ndarray of shape (k,)
            Bool; False where the measure is NaN. A sum of costs is compared in rationals where rounding could
            decide.
        """
        excess = self.excess(confusion, classes)
        met = np.asarray(excess <= 0)
        for at in np.flatnonzero(np.abs(excess) <= _ROUNDING * (self.measure.scale() + abs(self.limit))):
            value = self.measure.exact_value(confusion[at], classes)
            if value is None:
                break
            limit = exact(self.limit)
            met[at] = value <= limit if self.side == "<=" else value >= limit
        return met


_ROUNDING = 1e-12  # far above what rounding does to a sum of C * C products


def rates_of(confusion: Array) -> Array:
    """Each row divided by its sum (..., C, C); NaN for a class without examples."""
    confusion = np.asarray(confusion)
    with np.errstate(invalid="ignore"):
        return np.asarray(confusion / confusion.sum(axis=-1, keepdims=True))


def errors_of(confusion: Array) -> Array:
    """Per-class errors (..., C) of confusion matrices (..., C, C)."""
    confusion = np.asarray(confusion)
    total = confusion.sum(axis=-1)
    with np.errstate(invalid="ignore"):
        return np.asarray((total - np.diagonal(confusion, axis1=-2, axis2=-1)) / total)


def index_of(label: Any, classes: Sequence[Any], name: str) -> int:
    """The position of a class; ValueError names the classes if it is none."""
    for index, known in enumerate(classes):
        if known == label:
            return index
    raise ValueError(f"{name}: there is no class {label!r}; the classes are {', '.join(map(repr, classes))}.")


@dataclass(frozen=True)
class Error(Measure):
    """The error of a class: the share of its examples that are called another class, 1 minus its recall.

    Parameters
    ----------
    label : object
        The class, by its label.

    See Also
    --------
    Cell : The share of a class that is called one other class.
    MaxError : The largest error of any class.

    Notes
    -----
    ``Error(label) <= limit`` and ``>=`` are limits for ``at``; the limit itself is allowed.

    Examples
    --------
    >>> import rochull as rh
    >>> print(rh.Error("lesion") <= 0.05)
    Error('lesion') <= 0.05
    """

    linear: ClassVar[bool] = True
    is_share: ClassVar[bool] = True

    label: Any

    def __str__(self) -> str:
        return f"Error({self.label!r})"

    def values(self, confusion: Array, classes: Sequence[Any]) -> Array:
        """Evaluate the error of the class.

        Parameters
        ----------
        confusion : ndarray of shape (..., C, C)
            Weights or counts; row i are the examples of ``classes[i]``.
        classes : sequence
            The C classes' labels.

        Returns
        -------
        ndarray of shape (...)
            NaN where the class has no example.
        """
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

    See Also
    --------
    Error : The share of a class that is called any other one.

    Examples
    --------
    >>> import rochull as rh
    >>> print(rh.Cell("lesion", "normal") <= 0.01)
    Cell('lesion', 'normal') <= 0.01
    """

    linear: ClassVar[bool] = True
    is_share: ClassVar[bool] = True

    true: Any
    called: Any

    def __str__(self) -> str:
        return f"Cell({self.true!r}, {self.called!r})"

    def values(self, confusion: Array, classes: Sequence[Any]) -> Array:
        """Evaluate the cell of the confusion matrix, divided by its row.

        Parameters
        ----------
        confusion : ndarray of shape (..., C, C)
            Weights or counts; row i are the examples of ``classes[i]``.
        classes : sequence
            The C classes' labels.

        Returns
        -------
        ndarray of shape (...)
            NaN where the true class has no example.
        """
        i = index_of(self.true, classes, str(self))
        j = index_of(self.called, classes, str(self))
        row = np.asarray(confusion)[..., i, :]
        with np.errstate(invalid="ignore"):
            return np.asarray(row[..., j] / row.sum(axis=-1))


@dataclass(frozen=True)
class MaxError(Measure):
    """The largest error of any class: minimising it is the minimax rule.

    See Also
    --------
    Error : The error of one class.

    Examples
    --------
    >>> import numpy as np, rochull as rh
    >>> confusion = np.array([[8, 2], [1, 9]])
    >>> float(rh.MaxError().values(confusion, ["a", "b"]))
    0.2
    """

    is_share: ClassVar[bool] = True

    def __str__(self) -> str:
        return "MaxError()"

    def values(self, confusion: Array, classes: Sequence[Any]) -> Array:
        """Evaluate the largest per-class error.

        Parameters
        ----------
        confusion : ndarray of shape (..., C, C)
            Weights or counts; row i are the examples of ``classes[i]``.
        classes : sequence
            The C classes' labels.

        Returns
        -------
        ndarray of shape (...)
            NaN where any class has no example.
        """
        return np.asarray(errors_of(confusion).max(axis=-1))


@dataclass(frozen=True)
class ErrorRate(Measure):
    """The share of all examples that are called a wrong class: 1 minus the accuracy.

    See Also
    --------
    CostMatrix : The same at other priors: with costs 1 off the diagonal.

    Examples
    --------
    >>> import numpy as np, rochull as rh
    >>> float(rh.ErrorRate().values(np.array([[8, 2], [1, 9]]), ["a", "b"]))
    0.15
    """

    linear: ClassVar[bool] = True
    is_share: ClassVar[bool] = True

    def __str__(self) -> str:
        return "ErrorRate()"

    def values(self, confusion: Array, classes: Sequence[Any]) -> Array:
        """Evaluate the share of wrong decisions.

        Parameters
        ----------
        confusion : ndarray of shape (..., C, C)
            Weights or counts; row i are the examples of ``classes[i]``.
        classes : sequence
            The C classes' labels.

        Returns
        -------
        ndarray of shape (...)
            NaN where there is no example.
        """
        confusion = np.asarray(confusion)
        total = confusion.sum(axis=(-2, -1))
        with np.errstate(invalid="ignore"):
            return np.asarray((total - np.trace(confusion, axis1=-2, axis2=-1)) / total)


@dataclass(frozen=True, repr=False)
class CostMatrix(Measure):
    """The expected cost of a case: what it costs to call class i class j, at stated priors.

    Parameters
    ----------
    costs : array-like of shape (C, C)
        ``costs[i][j]`` is the cost of calling an example of class i class j. Finite; may be negative.
    priors : array-like of shape (C,), optional
        Shares of the classes in the population decided on; they are divided by their sum. None: those of
        the examples.
    classes : sequence, optional
        The labels of rows and columns; None: the order of the classes where the cost is used.

    Raises
    ------
    ValueError
        If the costs are not a square of finite numbers, or the priors or classes do not fit them.

    See Also
    --------
    Error : The error of one class.

    Notes
    -----
    With rates :math:`r_{ij}`, the share of class i that is called j, the expected cost is
    :math:`\\sum_{ij} \\pi_i c_{ij} r_{ij}`. Where rounding could decide, it is compared in rationals, and a
    cost or a prior is the decimal that it prints as.

    Examples
    --------
    >>> import numpy as np, rochull as rh
    >>> costs = rh.CostMatrix([[0, 1], [5, 0]], priors=[0.9, 0.1], classes=["normal", "lesion"])
    >>> float(costs.values(np.array([[80, 20], [1, 9]]), ["normal", "lesion"]))
    0.23
    >>> print(costs <= 0.3)
    CostMatrix([[0, 1], [5, 0]], priors=[0.9, 0.1], classes=['normal', 'lesion']) <= 0.3
    """

    linear: ClassVar[bool] = True

    costs: ArrayLike
    priors: ArrayLike | None = None
    classes: Sequence[Any] | None = None

    def __post_init__(self) -> None:
        costs = _numbers(self.costs, "costs")
        if costs.ndim != 2 or costs.shape[0] != costs.shape[1] or len(costs) < 2:
            raise ValueError(
                f"costs must have shape (C, C) with C of 2 or more, but has shape {costs.shape}."
            )
        # A value: equal, hashed and printed by its numbers, and out of the caller's reach.
        object.__setattr__(self, "costs", tuple(map(tuple, costs.tolist())))
        if self.priors is not None:
            object.__setattr__(self, "priors", tuple(_priors(self.priors, len(costs)).tolist()))
        if self.classes is not None:
            labels = named_classes(self.classes, len(costs), f"the {len(costs)} classes of costs")
            object.__setattr__(self, "classes", labels)

    def __repr__(self) -> str:
        costs = np.asarray(self.costs, float)
        rows = ", ".join(f"[{', '.join(f'{cost:g}' for cost in row)}]" for row in costs)
        given = f"[{rows}]" if len(costs) <= 4 else f"{len(costs)} x {len(costs)}"
        if self.priors is not None:
            given += f", priors=[{', '.join(f'{prior:g}' for prior in np.asarray(self.priors, float))}]"
        if self.classes is not None:
            given += f", classes={list(self.classes)!r}"
        return f"CostMatrix({given})"

    __str__ = __repr__

    def in_order(self, classes: Sequence[Any]) -> tuple[Array, Array | None]:
        """Put costs and priors into the order of some classes.

        Parameters
        ----------
        classes : sequence
            The C classes' labels.

        Returns
        -------
        costs : ndarray of shape (C, C)
            What it costs to call class i class j.
        priors : ndarray of shape (C,), or None
            They sum to one.
        """
        costs, priors = self._ordered(classes)
        return costs, None if priors is None else priors / priors.sum()

    def _ordered(self, classes: Sequence[Any]) -> tuple[Array, Array | None]:
        """Costs (C, C) and priors (C,) as given, in the order of `classes`."""
        costs = np.asarray(self.costs, float)
        priors = None if self.priors is None else np.asarray(self.priors, float)
        if costs.shape != (len(classes),) * 2:
            raise ValueError(f"costs has shape {costs.shape}, but there are {len(classes)} classes.")
        if self.classes is not None:
            order = [index_of(label, self.classes, "classes of CostMatrix") for label in classes]
            costs, priors = costs[np.ix_(order, order)], None if priors is None else priors[order]
        return costs, priors

    def scale(self) -> float:
        """Measure how far costs are apart: what an excess over a limit is divided by.

        Returns
        -------
        float
            The largest cost minus the smallest, or 1 if all are alike.
        """
        return float(np.ptp(np.asarray(self.costs, float))) or 1.0

    def values(self, confusion: Array, classes: Sequence[Any]) -> Array:
        """Evaluate the expected cost.

        Parameters
        ----------
        confusion : ndarray of shape (..., C, C)
            Weights or counts; row i are the examples of ``classes[i]``.
        classes : sequence
            The C classes' labels.

        Returns
        -------
        ndarray of shape (...)
            NaN where a class with a prior above zero has no example.
        """
        costs, priors = self.in_order(classes)
        confusion = np.asarray(confusion)
        if priors is None:
            with np.errstate(invalid="ignore"):
                return np.asarray((confusion * costs).sum(axis=(-2, -1)) / confusion.sum(axis=(-2, -1)))
        needed = priors > 0
        rates = rates_of(confusion)[..., needed, :]
        return np.asarray(((rates * costs[needed]).sum(axis=-1) * priors[needed]).sum(axis=-1))

    def exact_value(self, confusion: Array, classes: Sequence[Any]) -> Fraction | None:
        """Compute the expected cost in rationals.

        Parameters
        ----------
        confusion : ndarray of shape (C, C)
            One matrix of weights or counts.
        classes : sequence
            The C classes' labels.

        Returns
        -------
        Fraction
            Costs and priors are the decimals that they print as.
        """
        costs, priors = self._ordered(classes)
        counts = [[Fraction(count) for count in row] for row in np.asarray(confusion).tolist()]
        totals = [sum(row) for row in counts]
        shares = totals if priors is None else [exact(prior) for prior in priors.tolist()]
        cost = sum(
            share * exact(price) * count / total
            for share, prices, row, total in zip(shares, costs.tolist(), counts, totals, strict=True)
            if share
            for price, count in zip(prices, row, strict=True)
        )
        return Fraction(cost) / sum(shares)


def unmasked(values: Any, name: str) -> Array:
    """An array of any kind, none of whose values is hidden by a mask."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{name} has {int(np.ma.getmaskarray(values).sum())} masked values.")
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


def _numbers(values: ArrayLike, name: str) -> Array:
    """Finite numbers as float64."""
    array = numeric(values, name)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, but holds {array[~np.isfinite(array)][0]}.")
    return array


def _priors(values: ArrayLike, n_classes: int) -> Array:
    """Priors as given: none negative, not all zero."""
    priors = _numbers(values, "priors")
    if priors.shape != (n_classes,):
        raise ValueError(f"priors must have shape ({n_classes},), but has shape {priors.shape}.")
    if priors.min() < 0:
        raise ValueError(f"priors must not be negative, but holds {float(priors.min())!r}.")
    if not priors.any():
        raise ValueError("priors are all zero.")
    return priors


# A function gets confusion matrices (k, C, C) and returns (k,) numbers to be minimised.
Objective: TypeAlias = Measure | Callable[[Array], Array] | str


def checked_objective(objective: Objective) -> Measure | Callable[[Array], Array]:
    """A measure or a function; the names "max_error" and "error" stand for measures."""
    if isinstance(objective, str) and objective in _NAMED:
        return _NAMED[objective]
    if isinstance(objective, Measure) or (callable(objective) and not isinstance(objective, type)):
        return objective
    if np.ndim(objective if isinstance(objective, (list, tuple, np.ndarray)) else ()) == 2:
        raise ValueError("objective is a matrix: if it holds costs, give CostMatrix(costs).")
    raise ValueError(
        "objective must be 'max_error', 'error', a measure such as CostMatrix(...) or Error(label), or a "
        f"function of confusion matrices, but is {objective!r}."
    )


_NAMED: dict[str, Measure] = {"max_error": MaxError(), "error": ErrorRate()}


def checked_limits(subject_to: Limit | Sequence[Limit]) -> tuple[Limit, ...]:
    """Limits as a tuple; one may stand by itself."""
    given: Any = (subject_to,) if isinstance(subject_to, Limit) or not np.iterable(subject_to) else subject_to
    limits = tuple(given)
    for limit in limits:
        if not isinstance(limit, Limit):
            raise ValueError(
                f"subject_to must hold limits such as Error(label) <= 0.05, but holds {limit!r}."
            )
    return limits


def objective_values(
    objective: Measure | Callable[[Array], Array], confusion: Array, classes: Sequence[Any]
) -> Array:
    """The objective of confusion matrices (k, C, C), as float64 (k,)."""
    found = objective.values(confusion, classes) if isinstance(objective, Measure) else objective(confusion)
    values = numeric(found, "the result of objective")
    if values.shape != confusion.shape[:-2]:
        raise ValueError(
            f"objective must return one number for each confusion matrix, shape {confusion.shape[:-2]}, "
            f"but returned shape {values.shape}."
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
    near = np.flatnonzero(values <= values[best] + _ROUNDING * (objective.scale() + abs(values[best])))
    if len(near) == 1 or objective.exact_value(confusion[best], classes) is None:
        return best
    return min(near.tolist(), key=lambda at: objective.exact_value(confusion[at], classes) or Fraction(0))
