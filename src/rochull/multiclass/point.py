"""One operating point of several classes: weights, or a mixture, and the confusion matrix that it reaches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from numpy.typing import ArrayLike

from rochull._core.cards import Card, matrix
from rochull._core.docstrings import Described
from rochull._core.messages import Message, refused
from rochull._core.results import Result
from rochull._core.validation import Array
from rochull.conditions.vertices import InfeasibleConditionError
from rochull.decisions.plans import Largest, Plan, lot
from rochull.multiclass.costs import CostMatrix
from rochull.multiclass.inputs import DECISIONS
from rochull.multiclass.measure import errors_of, rates_of
from rochull.multiclass.measures import Objective, checked_objective, objective_values

SHOWN = 10  # weights, or errors, in a message

Rules: TypeAlias = tuple[tuple[Array, float], ...]


@dataclass(frozen=True, eq=False, repr=False)
class MulticlassPoint(Result, Described):
    """One operating point, or a mixture of some.

    Attributes
    ----------
    rules : tuple of (ndarray of shape (C,), float)
        Weight vectors and the probabilities with which they decide; one pair unless it is a mixture.
    confusion : ndarray of shape (C, C)
        ``confusion[i, j]`` is the weight of the examples of class i that are called j; of a mixture it is
        what is expected. In-sample: of the examples on which the weights were found.
    classes : tuple
        The classes' labels.

    Examples
    --------
    >>> import numpy as np, rochull as rh
    >>> confusion = np.array([[8, 2], [1, 9]])
    >>> point = rh.multiclass.MulticlassPoint(((np.array([1.0, 0.5]), 1.0),), confusion, ("a", "b"))
    >>> point
    MulticlassPoint(weights=[1, 0.5], errors in-sample: 'a' 0.2, 'b' 0.1)
    >>> point.expected_cost([[0, 1], [5, 0]], priors=[0.9, 0.1])
    0.23
    """

    parameters_told = DECISIONS

    rules: tuple[tuple[Array, float], ...]
    confusion: Array
    classes: tuple[Any, ...]

    def __repr__(self) -> str:
        shown = [f"{label!r} {error:.4g}" for label, error in zip(self.classes, self.errors, strict=True)]
        if len(shown) > SHOWN:
            shown[SHOWN:] = [f"and {len(shown) - SHOWN} more"]
        rules = " or ".join(
            numbered(weights) if len(self.rules) == 1 else f"{numbered(weights)} with probability {share:.4g}"
            for weights, share in self.rules
        )
        return f"MulticlassPoint(weights={rules}, errors in-sample: {', '.join(shown)})"

    def _card(self) -> Card:
        heads = self.classes[:SHOWN]
        called = [(f"called {label}", self.confusion[:, j].tolist()) for j, label in enumerate(heads)]
        columns = [("class", list(self.classes)), *called, ("error", self.errors.tolist())]
        return Card(repr(self), columns, picture=matrix(self.rates, "confusion matrix (in-sample)"))

    @property
    def weights(self) -> Array:
        """The weight vector (C,) of a point that is not a mixture."""
        if len(self.rules) > 1:
            raise ValueError("the point is a mixture of weight vectors: see its rules.")
        return self.rules[0][0]

    @property
    def plan(self) -> Plan:
        """The plan of a case: by the largest weighted output, in the shares of a mixture (Plan)."""
        return weighed(self.rules, self.classes)

    @property
    def errors(self) -> Array:
        """Per-class errors (C,)."""
        return errors_of(self.confusion)

    @property
    def rates(self) -> Array:
        """The rows of the confusion matrix, divided by their sums (C, C)."""
        return rates_of(self.confusion)

    def value(self, objective: Objective) -> float:
        """Evaluate a measure at the point."""
        return float(objective_values(checked_objective(objective), self.confusion[None], self.classes)[0])

    def expected_cost(self, costs: ArrayLike | CostMatrix, priors: ArrayLike | None = None) -> float:
        """Compute the expected cost of a case; see :class:`CostMatrix`.

        Parameters
        ----------
        costs : array-like of shape (C, C) or CostMatrix
            ``costs[i][j]`` is the cost of calling an example of class i class j.
        priors : array-like of shape (C,), optional
            Those of the examples if not given; a CostMatrix states its own.
        """
        if isinstance(costs, CostMatrix):
            if priors is not None:
                raise refused("priors", "is given, but costs is a CostMatrix, which states its own.")
            return self.value(costs)
        return self.value(CostMatrix(costs, priors, self.classes))


class InfeasibleLimitsError(InfeasibleConditionError):
    """No operating point is within all limits; the message names the one that comes closest.

    Parameters
    ----------
    message : str or Message
        One or two sentences.
    closest : MulticlassPoint, optional
        The point, or the mixture, whose largest excess is the smallest. An excess is a difference of rates,
        or a difference of costs divided by the range of the cost matrix.
    excess : tuple of float
        By how much it breaks each limit, in the limit's own units; at most 0 where a limit is met.
    """

    def __init__(
        self, message: str | Message, closest: MulticlassPoint | None = None, excess: tuple[float, ...] = ()
    ) -> None:
        super().__init__(message)
        self.closest = closest
        self.excess = excess

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.closest, self.excess)


def numbered(weights: Array) -> str:
    """Weights as a message shows them."""
    shown = [f"{weight:.4g}" for weight in weights[:SHOWN].tolist()]
    return f"[{', '.join(shown)}{', ...' if len(weights) > SHOWN else ''}]"


def weighed(rules: Rules, classes: Sequence[Any]) -> Plan:
    """The plan of weight vectors that are mixed in these shares."""
    return lot((Largest(tuple(classes), tuple(weights.tolist())), share) for weights, share in rules)
