"""Limits on the error rate of one class, which can be kept with a stated confidence."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np

from rochull._core.validation import probability
from rochull.conditions.base import InfeasibleConditionError
from rochull.conditions.binomial_bound import least_examples, most_errors
from rochull.conditions.frontier import Frontier
from rochull.conditions.limits import Limit
from rochull.conditions.objectives import FALSE_POSITIVE_RATE, TRUE_POSITIVE_RATE
from rochull.conditions.ranges import Number, exact


@dataclass(frozen=True)
class ErrorRateLimit(Limit):
    """The best rate of one class within a limit on the other's error rate; its only number is the limit."""

    of_positives: ClassVar[bool]  # whose error rate is limited

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.confidence is not None:
            number = probability(self.confidence, "confidence", open_ends=True)
            object.__setattr__(self, "confidence", number)

    @property
    def error_limit(self) -> Fraction:
        """The limit on the error rate, as a decimal."""
        limit = exact(getattr(self, self.numbers[0]))
        return 1 - limit if self.of_positives else limit

    def error_rate(self, fpr: float, tpr: float) -> float:
        """Tell which of the two error rates is limited.

        Returns
        -------
        float
            Its value.
        """
        return 1 - tpr if self.of_positives else fpr

    def with_confidence(self, confidence: float | None) -> Self:
        """Give the same with another confidence.

        Parameters
        ----------
        confidence : float or None
            Strictly between 0 and 1.
        """
        given: dict[str, Any] = {"confidence": confidence}
        return replace(self, **given)

    def at_error_rate(self, rate: float) -> Self:
        """Give the same with another limit, and without confidence.

        Parameters
        ----------
        rate : float
            The limit on the error rate.
        """
        limit = {self.numbers[0]: 1 - rate if self.of_positives else rate}
        return self.with_confidence(None).with_numbers(**limit)

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
        limit, shortfall = self.error_limit, self.shortfall
        if limit == 1:  # no rule errs more often than always
            return n
        least = least_examples(limit, shortfall)
        if n < least:
            raise self.too_few(n, least)
        return most_errors(n, limit, shortfall)

    @property
    def shortfall(self) -> Fraction:
        """The probability with which the limit may be broken: 1 less the confidence."""
        return 1 - exact(self.confidence)  # type: ignore[arg-type]

    def too_few(self, n: int, least: float, where: str = "") -> InfeasibleConditionError:
        """Say that there are too few examples for the confidence.

        Parameters
        ----------
        n : int
            How many there are.
        least : float
            How many it takes; inf if no number is enough.
        where : str, default=""
            More words, which begin with a space.
        """
        what = "positives" if self.of_positives else "negatives"
        takes = f"it takes at least {least}" if math.isfinite(least) else f"no number of {what} is enough"
        return InfeasibleConditionError(
            f"confidence={self.confidence:g} cannot be reached with {n} {what}{where}: {takes}."
        )

    def best_single(self, frontier: Frontier) -> int:
        if self.confidence is None:
            return super().best_single(frontier)
        self.require_precise()
        if self.of_positives:
            needed = frontier.n_pos - self.allowed_errors(frontier.n_pos)
            return frontier.highest_with_fp(int(np.searchsorted(frontier.tp, needed, side="left")))
        allowed = self.allowed_errors(frontier.n_neg)
        return frontier.leftmost_with_tp(int(np.searchsorted(frontier.fp, allowed, side="right")) - 1)

    def largest_gap(self, whole: Frontier, kept: Frontier) -> float:
        if self.confidence is not None:
            return super().largest_gap(whole, kept)
        low, high = map(exact, self.box[self.numbers[0]])
        if self.of_positives:
            return whole.mirrored().gap_above(kept.mirrored(), 1 - high, 1 - low)[0]
        return whole.gap_above(kept, low, high)[0]


@dataclass(frozen=True)
class NeymanPearson(ErrorRateLimit):
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
    sentence = "highest true positive rate with a false positive rate of at most {max_fpr}"
    of_positives = False
    straight = ("max_fpr",)

    max_fpr: Number
    confidence: float | None = None

    @staticmethod
    def half_plane(max_fpr: Any) -> tuple[Any, Any, Any]:
        return 0, 1, max_fpr

    @property
    def label(self) -> str:
        return f"FPR ≤ {self.max_fpr:g}"


@dataclass(frozen=True)
class MinimumRecall(ErrorRateLimit):
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
    sentence = "lowest false positive rate with a recall of at least {min_tpr}"
    of_positives = True
    straight = ("min_tpr",)

    min_tpr: Number
    confidence: float | None = None

    @staticmethod
    def half_plane(min_tpr: Any) -> tuple[Any, Any, Any]:
        return -1, 0, -min_tpr

    @property
    def label(self) -> str:
        return f"TPR ≥ {self.min_tpr:g}"

    def unmet(self, frontier: Frontier) -> InfeasibleConditionError:
        return InfeasibleConditionError(
            f"min_tpr={self.min_tpr:g} is met by none of the {len(frontier.tp)} points, of which the highest "
            f"has a tpr of {float(frontier.tpr[-1]):.6g}."
        )


def limit_with_confidence(condition: object) -> ErrorRateLimit:
    """The condition, if it is a precise limit with a stated confidence."""
    if not isinstance(condition, ErrorRateLimit) or condition.confidence is None:
        raise ValueError(
            f"condition must be NeymanPearson or MinimumRecall with a confidence, but is {condition!r}."
        )
    condition.require_precise()
    return condition
