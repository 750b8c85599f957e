"""Measures of performance as functions of the confusion matrices of the folds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.validation import Array
from rochull.conditions.costs import ExpectedCost, costs_of

RATES = ("fpr", "tpr")  # of the negatives that are called positive, and of the positives
RATIOS = ("fpr", "tpr", "precision", "error", "accuracy")


class Confusion:
    """Confusion matrices of every fold at several operating points.

    Attributes
    ----------
    tp, fp, fn, tn : float64 (n_folds, k) weights; whole numbers if unweighted.
    n_pos, n_neg : float64 (n_folds, 1) weights of the classes.
    called : gives the weight of a class (0, 1) that is called positive (n_folds, k).
    """

    def __init__(self, called: Callable[[int], Array], n_neg: Array, n_pos: Array) -> None:
        """`called(label)` gives the weight of a class that is called positive (n_folds, k)."""
        self.called = called
        self.n_neg, self.n_pos = n_neg, n_pos

    @cached_property
    def fp(self) -> Array:
        """Weight of the false positives (n_folds, k)."""
        return self.called(0)

    @cached_property
    def tp(self) -> Array:
        """Weight of the true positives (n_folds, k)."""
        return self.called(1)

    @property
    def tn(self) -> Array:
        """Weight of the true negatives (n_folds, k)."""
        return np.asarray(self.n_neg - self.fp)

    @property
    def fn(self) -> Array:
        """Weight of the false negatives (n_folds, k)."""
        return np.asarray(self.n_pos - self.tp)


Measure: TypeAlias = str | ExpectedCost | Callable[[Confusion], Array]
# A numerator, and a denominator of one column (n_folds, 1) or as many; it is 0 where nothing is defined.
Ratio = tuple[Array, Array]


def checked_measure(measure: Measure, prevalence: float | None = None) -> Measure:
    """The measure, if it is one; at a prevalence that it does not state, as soon as there are data."""
    costs = costs_of(measure)
    if costs is not None:
        known = costs.at_prevalence(0.5 if prevalence is None else prevalence)
        known.question.require_precise()
        return costs if prevalence is None else known
    if not callable(measure) and measure not in RATIOS:
        raise ValueError(
            f"measure must be one of {', '.join(map(repr, RATIOS))}, an ExpectedCost condition, or a "
            f"function of the confusion matrices, but is {measure!r}."
        )
    return measure


def called(measure: Measure) -> str:
    """Name a measure as a column."""
    if costs_of(measure) is not None:
        return "expected_cost"
    return measure if isinstance(measure, str) else getattr(measure, "__name__", "measure")


def is_exact(measure: Measure) -> bool:
    """Whether the measure is a ratio of counts."""
    return isinstance(measure, str)


def needs(measure: Measure) -> tuple[int, ...]:
    """The classes (0, 1) without which the measure is undefined in a fold."""
    costs = costs_of(measure)
    if costs is not None:
        return tuple(label for label in (0, 1) if costs.weights[label])
    return {"fpr": (0,), "tpr": (1,)}.get(measure, ()) if isinstance(measure, str) else ()


def ratio(measure: Measure, found: Confusion) -> Ratio:
    """The measure of every fold and point, as a numerator and a denominator."""
    costs = costs_of(measure)
    if costs is not None:
        return _cost(costs, found), np.ones_like(found.n_neg)
    if callable(measure):
        return _of_function(measure, found)
    if measure == "fpr":
        return found.fp, found.n_neg
    if measure == "tpr":
        return found.tp, found.n_pos
    if measure == "precision":
        return found.tp, found.tp + found.fp
    wrong = found.fp + found.fn
    size = found.n_neg + found.n_pos
    return (wrong, size) if measure == "error" else (size - wrong, size)


def _cost(condition: ExpectedCost, found: Confusion) -> Array:
    """Expected cost per case, at the condition's prevalence. A rate that costs nothing is not asked for."""
    of_fpr, of_miss = (float(weight) for weight in condition.weights)
    cost = np.zeros(1)
    if of_fpr:
        cost = cost + of_fpr * (found.fp / found.n_neg)
    if of_miss:
        cost = cost + of_miss * (found.fn / found.n_pos)
    return np.asarray(cost)


def _of_function(function: Callable[[Confusion], Array], found: Confusion) -> Ratio:
    """The values of a caller's function; where they are not finite they are undefined."""
    with np.errstate(all="ignore"):
        values = np.asarray(function(found))
    if values.shape != found.tp.shape or values.dtype.kind not in "fiub":
        name = getattr(function, "__name__", repr(function))
        raise ValueError(
            f"measure: {name} must return numbers of shape {found.tp.shape}, one for each fold and point, "
            f"but returned shape {values.shape} of type {values.dtype}."
        )
    finite = np.isfinite(values)
    return np.where(finite, values, 0.0), finite.astype(float)
