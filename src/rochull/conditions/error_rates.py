"""Limits on the error rate of one class, which can be kept with a stated confidence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from rochull.conditions.assurance import most_allowed
from rochull.conditions.limits import WithinHalfPlane
from rochull.conditions.objectives import FALSE_POSITIVE_RATE, TRUE_POSITIVE_RATE, RateLimit, Trials
from rochull.conditions.ranges import Number, exact


@dataclass(frozen=True)
class WithinErrorRate(WithinHalfPlane):
    """The best rate of one class within a limit on the other's error rate; its only number is the limit."""

    of_positives: ClassVar[bool]  # whose error rate is limited

    def _limit(self) -> RateLimit:
        measure, side = (TRUE_POSITIVE_RATE, ">=") if self.of_positives else (FALSE_POSITIVE_RATE, "<=")
        return RateLimit(measure, side, getattr(self, self._numbers[0]))

    def at_error_rate(self, rate: float) -> Self:
        """Give the same with another limit, and without confidence.

        Parameters
        ----------
        rate : float
            The limit on the error rate.

        Returns
        -------
        Self
            Another condition of the kind.
        """
        limit = {self._numbers[0]: 1 - rate if self.of_positives else rate}
        given: dict[str, Any] = {"confidence": None, **limit}
        return replace(self, **given)

    def allowed_errors(self, n: int) -> int:
        """Count the errors up to which a threshold is assured to keep the limit in the population.

        Parameters
        ----------
        n : int
            Examples of the class.

        Returns
        -------
        int
            The largest number of errors among them.

        Raises
        ------
        InfeasibleConditionError
            If there are too few examples for any.

        Notes
        -----
        A threshold with at most k errors lies beyond the (k + 1)-th extreme score of the class. The
        population's error rate beyond that score exceeds the limit with probability
        P(Binomial(n, limit) <= k), at most, whatever the distribution; ties and infinite scores only make
        it smaller.

        References
        ----------
        Tong, Feng & Li 2018, Proposition 1.
        """
        counts, of = np.array([n]), "positives" if self.of_positives else "negatives"
        limit = exact(getattr(self, self._numbers[0]))
        trials = Trials(counts, counts, of, 1 - limit if self.of_positives else limit)
        confidence: float = vars(self)["confidence"]
        return most_allowed(trials, 1 - exact(confidence), confidence)


@dataclass(frozen=True)
class NeymanPearson(WithinErrorRate):
    """Maximise the true positive rate with a false positive rate of at most `max_fpr`.

    Parameters
    ----------
    max_fpr : float or (low, high)
        In [0, 1].
    confidence : float, optional
        Strictly between 0 and 1. The threshold is then chosen so that the *population's* rate keeps
        the limit with at least this probability (order-statistic bound), instead of the rate in
        the sample. For the hull of one classifier and unweighted examples; it is a single threshold.

    References
    ----------
    Provost & Fawcett 2001, section 4.2; Tong, Feng & Li 2018 for the bound.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.NeymanPearson(0.05)
    NeymanPearson(max_fpr=0.05, confidence=None)
    """

    objective = TRUE_POSITIVE_RATE
    of_positives = False
    straight = ("max_fpr",)

    max_fpr: Number
    confidence: float | None = None

    @staticmethod
    def half_plane(max_fpr: Any) -> tuple[Any, Any, Any]:
        return 0, 1, max_fpr


@dataclass(frozen=True)
class MinimumRecall(WithinErrorRate):
    """Minimise the false positive rate with a true positive rate of at least `min_tpr`.

    Parameters
    ----------
    min_tpr : float or (low, high)
        In [0, 1].
    confidence : float, optional
        As for :class:`NeymanPearson`.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.MinimumRecall(0.9)
    MinimumRecall(min_tpr=0.9, confidence=None)
    """

    objective = FALSE_POSITIVE_RATE
    of_positives = True
    straight = ("min_tpr",)

    min_tpr: Number
    confidence: float | None = None

    @staticmethod
    def half_plane(min_tpr: Any) -> tuple[Any, Any, Any]:
        return -1, 0, -min_tpr
