"""Expected costs: a measure with a price for each cell of the confusion matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.validation import Array
from rochull.conditions.ranges import exact
from rochull.multiclass.by_class import by_label, table_by_label
from rochull.multiclass.inputs import finite, index_of, named_classes
from rochull.multiclass.measure import Measure, rates_of


@dataclass(frozen=True, repr=False)
class CostMatrix(Measure):
    """The expected cost of a case: what it costs to call class i class j, at stated priors.

    Parameters
    ----------
    costs : array-like of shape (C, C)
        ``costs[i][j]`` is the cost of calling an example of class i class j. Finite; may be negative. A data
        frame, or a mapping of mappings, is read by its labels, which must be the same on both axes.
    priors : array-like of shape (C,) or mapping of label to number, optional
        Shares of the classes in the population decided on; they are divided by their sum. None: those of
        the examples.
    classes : sequence, optional
        The labels of rows and columns; None: those of `costs`, or if it has none, the order of the classes
        where the cost is used.

    Notes
    -----
    With rates :math:`r_{ij}`, the share of class i that is called j, the expected cost is
    :math:`\\sum_{ij} \\pi_i c_{ij} r_{ij}`. Where rounding could decide, it is compared in rationals, and a
    cost or a prior is the decimal that it prints as.

    Examples
    --------
    >>> import numpy as np, rochull as rh
    >>> costs = rh.multiclass.CostMatrix([[0, 1], [5, 0]], priors=[0.9, 0.1], classes=["normal", "lesion"])
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
        given, classes = table_by_label(self.costs, self.classes, "costs")
        costs = finite(given, "costs")
        if costs.ndim != 2 or costs.shape[0] != costs.shape[1] or len(costs) < 2:
            raise validation.wrong_shape("costs", "(C, C) with C of 2 or more", self.costs)
        # A value: equal, hashed and printed by its numbers, and out of the caller's reach.
        object.__setattr__(self, "costs", tuple(map(tuple, costs.tolist())))
        if classes is not None:
            classes = named_classes(classes, len(costs), f"the {len(costs)} classes of costs")
            object.__setattr__(self, "classes", classes)
        if self.priors is not None:
            priors = by_label(self.priors, classes, "priors")
            object.__setattr__(self, "priors", tuple(_priors(priors, len(costs)).tolist()))

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

        Returns
        -------
        costs : ndarray of shape (C, C)
            What it costs to call class i class j.
        priors : ndarray of shape (C,), or None
            They sum to one.
        """
        costs, priors = self.aligned(classes)
        return costs, None if priors is None else priors / priors.sum()

    def aligned(self, classes: Sequence[Any]) -> tuple[Array, Array | None]:
        """Put costs and priors, as they were given, into the order of classes.

        Parameters
        ----------
        classes : sequence
            The C classes' labels.

        Returns
        -------
        tuple of ndarray
            Costs (C, C), and priors (C,) or None.
        """
        costs = np.asarray(self.costs, float)
        priors = None if self.priors is None else np.asarray(self.priors, float)
        if costs.shape != (len(classes),) * 2:
            raise ValueError(f"costs has shape {costs.shape}, but there are {len(classes)} classes.")
        if self.classes is not None:
            order = [index_of(label, self.classes, "classes of CostMatrix") for label in classes]
            costs, priors = costs[np.ix_(order, order)], None if priors is None else priors[order]
        return costs, priors

    def scale(self) -> float:
        return float(np.ptp(np.asarray(self.costs, float))) or 1.0

    def values(self, confusion: Array, classes: Sequence[Any]) -> Array:
        costs, priors = self.in_order(classes)
        confusion = np.asarray(confusion)
        if priors is None:
            with np.errstate(invalid="ignore"):
                return np.asarray((confusion * costs).sum(axis=(-2, -1)) / confusion.sum(axis=(-2, -1)))
        needed = priors > 0
        rates = rates_of(confusion)[..., needed, :]
        return np.asarray(((rates * costs[needed]).sum(axis=-1) * priors[needed]).sum(axis=-1))

    def exact_value(self, confusion: Array, classes: Sequence[Any]) -> Fraction | None:
        costs, priors = self.aligned(classes)
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


def _priors(values: ArrayLike, n_classes: int) -> Array:
    """Priors as given: none negative, not all zero."""
    priors = finite(values, "priors")
    if priors.shape != (n_classes,):
        raise validation.wrong_shape("priors", f"({n_classes},)", values)
    if priors.min() < 0:
        raise ValueError(f"priors must not be negative, but holds {float(priors.min())!r}.")
    if not priors.any():
        raise ValueError("priors are all zero.")
    return priors
