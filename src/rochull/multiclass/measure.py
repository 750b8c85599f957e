"""Measures of a confusion matrix, and limits on them.

Row i of a confusion matrix is what the examples of class i were called.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from rochull._core.docstrings import Described, described
from rochull._core.validation import Array
from rochull.conditions.comparisons import Comparable, Comparison
from rochull.conditions.ranges import Rational
from rochull.multiclass.inputs import MATRICES

ROUNDING = 1e-12  # far above what rounding does to a sum of C * C products


class Measure(Described, Comparable, ABC):
    """A number read off a confusion matrix; ``measure <= limit`` and ``measure >= limit`` are constraints.

    Attributes
    ----------
    linear : bool
        Whether the value of a mixture of operating points is the mean of theirs.
    """

    parameters_told = MATRICES
    linear: ClassVar[bool] = False

    @abstractmethod
    def values(self, confusion: Array, classes: Sequence[Any]) -> Array:
        """Evaluate the measure (...); NaN where a class that is needed has no example."""

    def scale(self) -> float:
        """Tell what an excess is divided by, so that excesses of rates and of costs can be compared.

        Returns
        -------
        float
            1 for rates; for costs the largest minus the smallest, or 1 if all are alike.
        """
        return 1.0

    def exact_value(self, confusion: Array, classes: Sequence[Any]) -> Fraction | None:
        """Compute the value in rationals.

        Returns
        -------
        Fraction or None
            Of one matrix (C, C); None where `values` makes one division only, so that its order is exact.
        """
        return None


@dataclass(frozen=True, repr=False)
class Limit(Comparison):
    """A constraint on a confusion matrix, as ``Error("lesion") <= 0.05`` makes it.

    Attributes
    ----------
    measure : Measure
        What is limited.
    side : {"<=", ">="}
        On which side of the limit it must stay.
    limit : float
        The limit, which is allowed.

    Examples
    --------
    >>> import numpy as np, rochull as rh
    >>> limit = rh.multiclass.Error("b") <= 0.05
    >>> float(limit.excess(np.array([[8, 2], [1, 9]]), ["a", "b"]))
    0.05
    """

    measure: Measure

    @described(MATRICES)
    def excess(self, confusion: Array, classes: Sequence[Any]) -> Array:
        """Compute by how much matrices break the constraint (...): at most 0 where it is met, or NaN."""
        beyond = self.measure.values(confusion, classes) - self.limit
        return beyond if self.side == "<=" else -beyond

    @described(MATRICES)
    def met(self, confusion: Array, classes: Sequence[Any]) -> Array:
        """Tell which matrices meet the constraint.

        Returns
        -------
        ndarray of shape (k,)
            Bool; False where the measure is NaN. A sum of costs is compared in rationals where rounding could
            decide.
        """
        excess = self.excess(confusion, classes)
        met = np.asarray(excess <= 0)
        for at in np.flatnonzero(np.abs(excess) <= ROUNDING * (self.measure.scale() + abs(self.limit))):
            value: Any = self.measure.exact_value(confusion[at], classes)
            if value is None and isinstance(self.limit, Rational):
                value = self.measure.values(_FRACTIONS(confusion[at]), classes)[()]
            if value is None:
                break
            met[at] = self.meets(value)
        return met


_FRACTIONS = np.frompyfunc(lambda count: Fraction(count.item()), 1, 1)


Measure.comparison = Limit


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
