"""Measures of a rule that depend on the prevalence: the alarm rate and the precision."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, Self

import numpy as np

from rochull._core.messages import Message, Setting
from rochull._core.results import Interval
from rochull._core.validation import non_negative, probability
from rochull.conditions.clauses import clause_number
from rochull.conditions.frontier import Frontier
from rochull.conditions.objectives import MEASURED, Cost, Objective, RateLimit, Terms, Trials, sum_interval
from rochull.conditions.ranges import Number, Numbered, Proportion, exact, require_single
from rochull.words.clauses import Clause


@dataclass(frozen=True)
class OfPopulation(Numbered, Objective):
    """A share that depends on the prevalence."""

    parameters_told = MEASURED
    is_share = True

    prevalence: Number | None = None

    def __post_init__(self) -> None:
        self._check(probability, "prevalence")

    def __str__(self) -> str:
        stated = ((f.name, getattr(self, f.name)) for f in fields(self))
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in stated if v is not None)})"

    @property
    def own_prevalence(self) -> Number | None:
        return self.prevalence

    @property
    def lacks_prevalence(self) -> bool:
        return self.prevalence is None

    def at_prevalence(self, prevalence: Any) -> Self:
        return replace(self, prevalence=prevalence)

    @property
    def shares(self) -> tuple[Fraction, Fraction]:
        """The shares of the negatives and of the positives, exactly (tuple of 2 Fraction)."""
        require_single(self._range())
        prevalence = exact(self.prevalence)  # type: ignore[arg-type]
        return 1 - prevalence, prevalence


@dataclass(frozen=True)
class AlarmRate(OfPopulation):
    """The share of all cases that are called positive: ``prevalence tpr + (1 - prevalence) fpr``.

    Parameters
    ----------
    prevalence : float or (low, high), optional
        A limit is kept throughout an interval. That of the object asked, if not given.

    Examples
    --------
    >>> import rochull as rh
    >>> print(rh.AlarmRate(prevalence=0.1) <= 0.05)
    AlarmRate(prevalence=0.1) <= 0.05

    A least share has its place beside a precision, which nothing has where nothing is flagged:

    >>> print(rh.AlarmRate(prevalence=0.1) >= 0.01)
    AlarmRate(prevalence=0.1) >= 0.01
    """

    key, sign, loss_measure = "alarm rate", -1, "alarm rate"
    has_least = True

    def value(self, fpr: Any, tpr: Any) -> Any:
        of_fpr, of_tpr = map(float, self.shares)
        return of_fpr * fpr + of_tpr * tpr

    def exact_value(self, fpr: Fraction, tpr: Fraction) -> Fraction:
        of_fpr, of_tpr = self.shares
        return of_fpr * fpr + of_tpr * tpr

    def ratio(self) -> tuple[Terms, Terms]:
        return (0, *self.shares), (1, 0, 0)

    def trials(self, frontier: Frontier) -> Trials | None:
        if not isinstance(self.prevalence, Proportion):
            return None
        called = frontier.fp + frontier.tp
        return Trials(called, np.full(len(called), frontier.n_neg + frontier.n_pos), "examples")

    def interval(self, fpr: Interval, tpr: Interval) -> Interval:
        of_fpr, of_tpr = map(float, self.shares)
        return sum_interval(of_fpr, fpr, of_tpr, tpr)


@dataclass(frozen=True)
class CostPerCase(OfPopulation):
    """The expected cost per case: ``(1 - prevalence) cost_fp fpr + prevalence cost_fn (1 - tpr)``.

    A limit on it is written ``ExpectedCost(cost_fn=5) <= 0.4``.

    Parameters
    ----------
    prevalence : float or (low, high), optional
        A limit is kept throughout an interval. That of the object asked, if not given.
    cost_fp, cost_fn : float or (low, high), default=1.0
        Not negative.

    Examples
    --------
    >>> import rochull as rh
    >>> print(rh.ExpectedCost(cost_fn=5, prevalence=0.1) <= 0.4)
    CostPerCase(prevalence=0.1, cost_fp=1.0, cost_fn=5.0) <= 0.4
    """

    key, sign, loss_measure = "expected cost", -1, "expected cost per case"
    is_share = False

    cost_fp: Number = 1.0
    cost_fn: Number = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(non_negative, "cost_fp", "cost_fn")

    @property
    def numbers_told(self) -> dict[str, Any]:
        return {name: clause_number(getattr(self, name)) for name in ("cost_fp", "cost_fn")}

    @property
    def best_clause(self) -> Clause:
        return Clause("best.costs", **self.numbers_told)

    @property
    def weights(self) -> tuple[Fraction, Fraction]:
        """Exact costs per case of fpr = 1 and of tpr = 0 (tuple of 2 Fraction)."""
        of_fpr, of_tpr = self.shares
        return of_fpr * exact(self.cost_fp), of_tpr * exact(self.cost_fn)  # type: ignore[arg-type]

    @property
    def losses(self) -> tuple[Fraction, Fraction] | None:
        if not isinstance(self.prevalence, Proportion) or isinstance(self.cost_fp, tuple):
            return None
        return None if isinstance(self.cost_fn, tuple) else (exact(self.cost_fp), exact(self.cost_fn))

    def value(self, fpr: Any, tpr: Any) -> Any:
        return Cost(*self.weights).value(fpr, tpr)

    def exact_value(self, fpr: Fraction, tpr: Fraction) -> Fraction:
        return Cost(*self.weights).exact_value(fpr, tpr)

    def ratio(self) -> tuple[Terms, Terms]:
        return Cost(*self.weights).ratio()

    def interval(self, fpr: Interval, tpr: Interval) -> Interval:
        return Cost(*self.weights).interval(fpr, tpr)


@dataclass(frozen=True)
class Precision(OfPopulation):
    """The share of positives among the cases called positive; undefined where there are none.

    Parameters
    ----------
    prevalence : float or (low, high), optional
        A limit is kept throughout an interval. That of the object asked, if not given.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.Precision(prevalence=0.1).value(fpr=0.1, tpr=0.9)
    0.5
    """

    key, sign, loss_measure = "precision", 1, "false discovery rate"
    is_linear = False

    def __post_init__(self) -> None:
        self._check(lambda value, name: probability(value, name, open_ends=True), "prevalence")

    def value(self, fpr: Any, tpr: Any) -> Any:
        of_fpr, of_tpr = map(float, self.shares)
        hits = of_tpr * tpr
        with np.errstate(invalid="ignore"):
            found = np.divide(hits, hits + of_fpr * fpr)
        return found if np.ndim(found) else float(found)

    def exact_value(self, fpr: Fraction, tpr: Fraction) -> Fraction | float:
        of_fpr, of_tpr = self.shares
        hits = of_tpr * tpr
        return hits / (hits + of_fpr * fpr) if hits or fpr else -np.inf

    def ratio(self) -> tuple[Terms, Terms]:
        of_fpr, of_tpr = self.shares
        return (0, 0, of_tpr), (0, of_fpr, of_tpr)

    def trials(self, frontier: Frontier) -> Trials | None:
        if not isinstance(self.prevalence, Proportion):
            return None
        return Trials(frontier.fp, frontier.fp + frontier.tp, "examples", walked=True)

    def unmet(self, limit: RateLimit, frontier: Frontier) -> Message:
        prevalence = float(self.prevalence)  # type: ignore[arg-type]
        tpr, fpr = prevalence * frontier.tpr[1:], (1 - prevalence) * frontier.fpr[1:]
        reachable = float(np.max(tpr / (tpr + fpr)))
        return Message(
            "{} cannot be met at prevalence {}: the highest precision that can be reached is {}.",
            Setting("min_precision", float(limit.limit), "g"),
            f"{prevalence:g}",
            f"{reachable:.6g}",
        )

    def loss(self, fpr: float, tpr: float) -> float:
        return 1.0 - float(self.value(fpr, tpr))

    def interval(self, fpr: Interval, tpr: Interval) -> Interval:
        """From the interval of the ratio of two independent estimates (Donner & Zou 2012)."""
        of_fpr, of_tpr = map(float, self.shares)
        scale = of_fpr / of_tpr
        odds = Interval(scale * fpr.low, scale * fpr.high, scale * fpr.estimate, fpr.level, fpr.method)
        least, most = ratio_ends(odds, tpr)
        found = self.value(np.asarray(fpr.estimate), np.asarray(tpr.estimate))
        low, high = 1 / (1 + most), 1 / (1 + least)
        return Interval(low, high, found if np.ndim(found) else float(found), tpr.level, tpr.method)

    def loss_interval(self, fpr: Interval, tpr: Interval) -> Interval:
        found = self.interval(fpr, tpr)
        return Interval(1 - found.high, 1 - found.low, 1 - found.estimate, found.level, found.method)


def ratio_ends(above: Interval, below: Interval) -> tuple[Any, Any]:
    """The ends of the interval of a ratio of two independent estimates that are not negative.

    References
    ----------
    Donner & Zou 2012.
    """
    x, y = np.asarray(above.estimate), np.asarray(below.estimate)

    def end(near_x: Any, near_y: Any, sign: int) -> Any:
        # An end of what is below at 0 leaves the ratio without bound.
        inner = np.maximum((x * y) ** 2 - near_x * near_y * (2 * x - near_x) * (2 * y - near_y), 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = (x * y + sign * np.sqrt(inner)) / (near_y * (2 * y - near_y))
        found = np.where(found >= 0, found, np.inf if sign > 0 else 0.0)
        return found if found.ndim else float(found)

    return end(above.low, below.high, -1), end(above.high, below.low, 1)
