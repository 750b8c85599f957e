"""Measures of a rule that are known by a name: Youden's index, balanced accuracy, F-beta and Matthews.

Each is at its best at a vertex, though not all are linear. Along an edge the first two are straight, and
F-beta, a quotient of linear functions, rises or falls all along. Matthews' coefficient is, up to a factor,
``d / sqrt(q (1 - q))`` with ``d = tpr - fpr`` and the alarm rate q, both linear in the rates: it is at most c
where ``d <= c sqrt(q (1 - q))``, a convex set, so that no mixture is better than both of its ends.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from rochull._core.results import Interval
from rochull._core.validation import positive, probability
from rochull.conditions.measures import OfPopulation, ratio_ends
from rochull.conditions.objectives import Objective, Terms, sum_interval
from rochull.conditions.ranges import Number, exact


class _Index(Objective):
    """A measure whose best value is 1."""

    sign = 1

    def loss(self, fpr: float, tpr: float) -> float:
        return 1.0 - float(self.value(fpr, tpr))

    def loss_interval(self, fpr: Interval, tpr: Interval) -> Interval:
        found = self.interval(fpr, tpr)
        return Interval(1 - found.high, 1 - found.low, 1 - found.estimate, found.level, found.method)


@dataclass(frozen=True)
class BalancedAccuracy(_Index):
    """The mean of recall and specificity: ``(tpr + 1 - fpr) / 2``.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.BalancedAccuracy().value(fpr=0.25, tpr=0.75)
    0.75
    """

    key = "balanced accuracy"
    loss_measure = "balanced error rate"
    is_share = True

    def value(self, fpr: Any, tpr: Any) -> Any:
        return (tpr + (1 - fpr)) / 2

    def ratio(self) -> tuple[Terms, Terms]:
        half = Fraction(1, 2)
        return (half, -half, half), (1, 0, 0)

    def interval(self, fpr: Interval, tpr: Interval) -> Interval:
        specificity = Interval(1 - fpr.high, 1 - fpr.low, 1 - fpr.estimate, fpr.level, fpr.method)
        return sum_interval(0.5, specificity, 0.5, tpr)


@dataclass(frozen=True)
class Youden(_Index):
    """Youden's index: ``tpr - fpr``, the height above the line of chance.

    References
    ----------
    Youden 1950, Index for rating diagnostic tests.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.Youden().value(fpr=0.25, tpr=0.75)
    0.5
    """

    key = "Youden's index"
    loss_measure = "1 - Youden's index"

    def value(self, fpr: Any, tpr: Any) -> Any:
        return tpr - fpr

    def ratio(self) -> tuple[Terms, Terms]:
        return (0, -1, 1), (1, 0, 0)

    def interval(self, fpr: Interval, tpr: Interval) -> Interval:
        half = BalancedAccuracy().interval(fpr, tpr)
        low, high, found = (2 * each - 1 for each in (half.low, half.high, half.estimate))
        return Interval(low, high, found, half.level, half.method)


@dataclass(frozen=True)
class FBeta(OfPopulation, _Index):
    """F-beta: the harmonic mean of precision and recall, in which recall weighs `beta` squared times as much.

    It is ``(1 + beta**2) tp / (beta**2 positives + alarms)``, and 0 where nothing is called positive.

    Parameters
    ----------
    beta : float, default=1.0
        Positive. 1 makes F1; above 1 recall counts for more, and below 1 precision.
    prevalence : float or (low, high), optional
        Strictly between 0 and 1; that of the object asked, if not given.

    References
    ----------
    van Rijsbergen 1979.

    Examples
    --------
    >>> import rochull as rh
    >>> round(rh.FBeta(prevalence=0.1).value(fpr=0.1, tpr=0.9), 6)
    0.642857
    """

    key, loss_measure = "F-beta", "1 - F-beta"
    is_linear = False

    beta: float = 1.0
    prevalence: Number | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "beta", positive(self.beta, "beta"))
        self._check(lambda value, name: probability(value, name, open_ends=True), "prevalence")

    @property
    def numbers_told(self) -> dict[str, Any]:
        return {"beta": self.beta}

    def ratio(self) -> tuple[Terms, Terms]:
        of_fpr, of_tpr = self.shares
        squared = exact(self.beta) ** 2
        return (0, 0, (1 + squared) * of_tpr), (squared * of_tpr, of_fpr, of_tpr)

    def value(self, fpr: Any, tpr: Any) -> Any:
        (*_, of_hit), (one, of_fpr, of_tpr) = (map(float, terms) for terms in self.ratio())
        return of_hit * tpr / (one + of_fpr * fpr + of_tpr * tpr)

    def exact_value(self, fpr: Fraction, tpr: Fraction) -> Fraction:
        (*_, of_hit), (one, of_fpr, of_tpr) = self.ratio()
        return Fraction(of_hit * tpr / (one + of_fpr * fpr + of_tpr * tpr))

    def interval(self, fpr: Interval, tpr: Interval) -> Interval:
        """From the interval of the ratio of two independent estimates (Donner & Zou 2012)."""
        of_fpr, of_tpr = map(float, self.shares)
        squared = self.beta**2
        low, high, odds = (squared + of_fpr / of_tpr * x for x in (fpr.low, fpr.high, fpr.estimate))
        least, most = ratio_ends(Interval(low, high, odds, fpr.level, fpr.method), tpr)
        low, high = ((1 + squared) / (1 + end) for end in (most, least))
        found = self.value(fpr.estimate, tpr.estimate)
        return Interval(low, high, found, tpr.level, tpr.method)


@dataclass(frozen=True)
class MCC(OfPopulation, _Index):
    """Matthews' correlation coefficient of label and decision; 0 where all or none are called positive.

    It is not a ratio of sums of rates, so it can be a goal, but not a limit.

    Parameters
    ----------
    prevalence : float or (low, high), optional
        Strictly between 0 and 1; that of the object asked, if not given.

    References
    ----------
    Matthews 1975.

    Examples
    --------
    >>> import rochull as rh
    >>> round(rh.MCC(prevalence=0.5).value(fpr=0.25, tpr=0.75), 12)
    0.5
    """

    key, loss_measure = "MCC", "1 - Matthews' correlation"
    is_linear = is_single_peaked = is_share = False

    def __post_init__(self) -> None:
        self._check(lambda value, name: probability(value, name, open_ends=True), "prevalence")

    def value(self, fpr: Any, tpr: Any) -> Any:
        of_fpr, of_tpr = map(float, self.shares)
        alarms = of_fpr * fpr + of_tpr * tpr
        product = np.asarray(alarms * (of_fpr * (1 - fpr) + of_tpr * (1 - tpr)) / (of_fpr * of_tpr), float)
        height = np.asarray(tpr - fpr, float)
        found = np.divide(height, np.sqrt(product), out=np.zeros(product.shape), where=product > 0)
        return found if found.ndim else float(found)

    def exact_value(self, fpr: Fraction, tpr: Fraction) -> float:
        found: float = self.value(float(fpr), float(tpr))
        return found

    def merit(self, fpr: Fraction, tpr: Fraction) -> tuple[float | Fraction, ...]:
        # By the square, which is a fraction.
        of_fpr, of_tpr = self.shares
        alarms, height = of_fpr * fpr + of_tpr * tpr, tpr - fpr
        product = alarms * (1 - alarms)
        square = height * abs(height) / product if product else Fraction(0)
        return square, -fpr, tpr
