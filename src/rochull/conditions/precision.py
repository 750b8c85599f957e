"""A limit on the precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rochull._core.validation import probability
from rochull.conditions.limits import WithinHalfPlane
from rochull.conditions.measures import Precision
from rochull.conditions.objectives import TRUE_POSITIVE_RATE, RateLimit
from rochull.conditions.ranges import Number, moved

_PRECISION = Precision()


@dataclass(frozen=True)
class MinimumPrecision(WithinHalfPlane):
    """Maximise the true positive rate with a precision of at least `min_precision`.

    Precision is ``prevalence tpr / (prevalence tpr + (1 - prevalence) fpr)``; where nothing is
    called positive it is undefined, and the condition is not met.

    Parameters
    ----------
    min_precision : float or (low, high)
        In [0, 1].
    prevalence : float or (low, high), optional
        Strictly between 0 and 1; that of the object asked, if not given.
    confidence : float, optional
        Strictly between 0 and 1. The threshold is then chosen so that the *population's* precision keeps
        the limit with at least this probability. Without a stated prevalence the examples stand for the
        cases, drawn like them, and thresholds are tested from the highest scores down; a stated one is
        kept by a bound that holds at all thresholds at once, and needs many more examples.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.MinimumPrecision(0.8, prevalence=0.1)
    MinimumPrecision(min_precision=0.8, prevalence=0.1, confidence=None)
    """

    objective = TRUE_POSITIVE_RATE
    needs_alarms = True

    min_precision: Number
    prevalence: Number | None = None
    confidence: float | None = None

    def __post_init__(self) -> None:
        self._check(probability, "min_precision")
        self._check(lambda value, name: probability(value, name, open_ends=True), "prevalence")
        self._check_confidence()

    @staticmethod
    def half_plane(min_precision: Any, prevalence: Any) -> tuple[Any, Any, Any]:
        return -(1 - min_precision) * prevalence, min_precision * (1 - prevalence), 0

    def _limit(self) -> RateLimit:
        return RateLimit(moved(_PRECISION, "prevalence", self.prevalence), ">=", self.min_precision)  # type: ignore[arg-type]
