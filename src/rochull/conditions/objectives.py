"""What a condition makes as large or as small as it can: a rate, an expected cost, or a utility."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from rochull._core.results import Interval


class Objective(ABC):
    """A number of two rates that is to be large, or small.

    Attributes
    ----------
    key : str
        Its name in a table, such as "tpr".
    measure : str
        What it is in, and regret with it, in words.
    sign : int
        1 if the larger, the better; else -1.
    is_linear : bool
        Whether it is linear in the rates.
    loss_measure : str
        What :meth:`loss` is, in words.
    """

    key: ClassVar[str]
    measure: ClassVar[str]
    sign: ClassVar[int]
    is_linear: ClassVar[bool] = True
    loss_measure: ClassVar[str]

    @abstractmethod
    def value(self, fpr: Any, tpr: Any) -> Any:
        """The number at given rates, each a float or an array."""

    def exact_value(self, fpr: Fraction, tpr: Fraction) -> Fraction | float:
        """The same at rates that are fractions, exactly if it can be."""
        found: Fraction | float = self.value(fpr, tpr)
        return found

    def merit(self, fpr: Fraction, tpr: Fraction) -> tuple[float | Fraction, ...]:
        """What a point is compared by: the larger, the better; of equals, that with fewer false alarms."""
        return self.sign * self.exact_value(fpr, tpr), -fpr, tpr

    def regret(self, value: float | Fraction, best: float | Fraction) -> float:
        """By how much a value falls short of the best one."""
        return max(0.0, float(self.sign * (best - value)))

    def loss(self, fpr: float, tpr: float) -> float:
        """What is to be small: the number itself, or how much is missing."""
        return float(self.value(fpr, tpr))

    def interval(self, fpr: Interval, tpr: Interval) -> Interval:
        """The interval of the number, from those of two independent rates; without ends if there is none."""
        value = self.value(float(fpr.estimate), float(tpr.estimate))
        return Interval(math.nan, math.nan, value, tpr.level, tpr.method)

    def loss_interval(self, fpr: Interval, tpr: Interval) -> Interval:
        """The interval of the loss."""
        return self.interval(fpr, tpr)


@dataclass(frozen=True)
class FalsePositiveRate(Objective):
    """Few false alarms."""

    key, measure, sign, loss_measure = "fpr", "false positive rate", -1, "false positive rate"

    def value(self, fpr: Any, tpr: Any) -> Any:
        return fpr

    def interval(self, fpr: Interval, tpr: Interval) -> Interval:
        return fpr


@dataclass(frozen=True)
class TruePositiveRate(Objective):
    """Few misses."""

    key, measure, sign, loss_measure = "tpr", "true positive rate", 1, "miss rate"

    def value(self, fpr: Any, tpr: Any) -> Any:
        return tpr

    def loss(self, fpr: float, tpr: float) -> float:
        return 1.0 - tpr

    def interval(self, fpr: Interval, tpr: Interval) -> Interval:
        return tpr

    def loss_interval(self, fpr: Interval, tpr: Interval) -> Interval:
        return Interval(1.0 - tpr.high, 1.0 - tpr.low, 1.0 - tpr.estimate, tpr.level, tpr.method)


@dataclass(frozen=True)
class Cost(Objective):
    """A low expected cost: what fpr = 1 and what tpr = 0 cost, weighed by the rates."""

    of_fpr: Fraction
    of_miss: Fraction

    key, measure, sign, loss_measure = "expected cost", "expected cost a case", -1, "expected cost a case"

    def value(self, fpr: Any, tpr: Any) -> Any:
        return float(self.of_fpr) * fpr + float(self.of_miss) * (1.0 - tpr)

    def exact_value(self, fpr: Fraction, tpr: Fraction) -> Fraction:
        return self.of_fpr * fpr + self.of_miss * (1 - tpr)

    def interval(self, fpr: Interval, tpr: Interval) -> Interval:
        """The interval of a sum of independent estimates (Zou & Donner 2008)."""
        of_fpr, of_miss = float(self.of_fpr), float(self.of_miss)
        found, miss = of_fpr * fpr.estimate, of_miss * (1 - tpr.estimate)
        below = np.hypot(found - of_fpr * fpr.low, of_miss * (tpr.high - tpr.estimate))
        above = np.hypot(of_fpr * fpr.high - found, of_miss * (tpr.estimate - tpr.low))
        ends = found + miss - below, found + miss + above
        low, high = ends if np.ndim(found) else map(float, ends)
        return Interval(low, high, found + miss, tpr.level, tpr.method)


@dataclass(frozen=True)
class UtilityValue(Objective):
    """A high value of a function of the rates."""

    function: Callable[[float, float], float]

    key, measure, sign, loss_measure = "utility", "utility", 1, "negative utility"
    is_linear = False

    def value(self, fpr: Any, tpr: Any) -> Any:
        return float(self.function(float(fpr), float(tpr)))

    def loss(self, fpr: float, tpr: float) -> float:
        return -float(self.value(fpr, tpr))

    def loss_interval(self, fpr: Interval, tpr: Interval) -> Interval:
        found = self.interval(fpr, tpr)
        return Interval(found.low, found.high, -found.estimate, found.level, found.method)


FALSE_POSITIVE_RATE, TRUE_POSITIVE_RATE = FalsePositiveRate(), TruePositiveRate()
