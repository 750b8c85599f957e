"""A limit on the precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rochull._core.validation import probability
from rochull.conditions.base import InfeasibleConditionError
from rochull.conditions.frontier import Frontier
from rochull.conditions.limits import Limit
from rochull.conditions.objectives import TRUE_POSITIVE_RATE
from rochull.conditions.ranges import Number


@dataclass(frozen=True)
class MinimumPrecision(Limit):
    """Maximise the true positive rate with a precision of at least `min_precision`.

    Precision is ``prevalence tpr / (prevalence tpr + (1 - prevalence) fpr)``; where nothing is
    called positive it is undefined, and the condition is not met.

    Parameters
    ----------
    min_precision : float or (low, high)
        In [0, 1].
    prevalence : float or (low, high)
        Strictly between 0 and 1.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.MinimumPrecision(0.8, prevalence=0.1)
    MinimumPrecision(min_precision=0.8, prevalence=0.1)
    """

    objective = TRUE_POSITIVE_RATE
    sentence = "highest recall with a precision of at least {min_precision}, prevalence {prevalence}"
    needs_alarms = True

    min_precision: Number
    prevalence: Number

    def __post_init__(self) -> None:
        self._check(probability, "min_precision")
        self._check(lambda value, name: probability(value, name, open_ends=True), "prevalence")

    @staticmethod
    def half_plane(min_precision: Any, prevalence: Any) -> tuple[Any, Any, Any]:
        return -(1 - min_precision) * prevalence, min_precision * (1 - prevalence), 0

    @property
    def label(self) -> str:
        return f"precision ≥ {self.min_precision:g}"

    def unmet(self, frontier: Frontier) -> InfeasibleConditionError:
        wanted, prevalence = float(self.min_precision), float(self.prevalence)  # type: ignore[arg-type]
        tpr, fpr = prevalence * frontier.tpr[1:], (1 - prevalence) * frontier.fpr[1:]
        reachable = float(np.max(tpr / (tpr + fpr)))
        return InfeasibleConditionError(
            f"min_precision={wanted:g} cannot be met at prevalence {prevalence:g}: "
            f"the highest precision that can be reached is {reachable:.6g}."
        )
