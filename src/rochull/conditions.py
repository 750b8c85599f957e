# long: all conditions stand side by side, mostly docstrings
"""Operating conditions: what a decision maker wants. Pure values, no data.

Numbers are read as the decimals that they print as: ``prevalence=0.3`` means 3/10, so that ties
between rules come out as they do on paper.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import TypeVar

from rochull._validation import non_negative, probability, real

Number = float | tuple[float, float]


class InfeasibleConditionError(ValueError):
    """No operating point meets the condition; the message says what can be reached."""


class ImpreciseConditionError(ValueError):
    """The condition has an interval where one number is needed."""


def exact(number: float) -> Fraction:
    """The decimal that the number prints as."""
    return Fraction(repr(float(number)))


_C = TypeVar("_C", bound="Condition")


@dataclass(frozen=True)
class Condition:
    """Base of all conditions. Any number may be an interval `(low, high)`: an imprecise condition."""

    @property
    def intervals(self) -> tuple[str, ...]:
        """The names of the parameters that are intervals (tuple of str)."""
        return tuple(f.name for f in fields(self) if isinstance(getattr(self, f.name), tuple))

    def corners(self: _C) -> tuple[_C, ...]:
        """List the precise conditions at the corners of the box of intervals.

        Returns
        -------
        tuple of Condition
            Every choice of one end for each interval; the condition itself if it has none.
        """
        ends = [[(name, end) for end in getattr(self, name)] for name in self.intervals]
        return tuple(replace(self, **dict(choice)) for choice in itertools.product(*ends))

    def require_precise(self) -> None:
        """Raise unless every parameter is a single number."""
        if self.intervals:
            name = self.intervals[0]
            raise ImpreciseConditionError(
                f"{name}={getattr(self, name)!r} is an interval, so there is no single best rule; give one "
                "number. (For costs, Hybrid.potentially_optimal names the classifiers of the range.)"
            )

    def _check_confidence(self) -> None:
        """Validate `confidence`, where the condition has one."""
        value = getattr(self, "confidence", None)
        if value is not None:
            number = probability(value, "confidence", open_ends=True)
            object.__setattr__(self, "confidence", number)

    def _check(self, check: Callable[[float, str], float], *names: str) -> None:
        """Validate parameters, each a number or an interval, and store them as floats."""
        for name in names:
            value = getattr(self, name)
            if isinstance(value, (tuple, list)):
                if len(value) != 2:
                    raise ValueError(f"{name} must be a number or an interval (low, high), but is {value!r}.")
                low, high = (check(end, name) for end in value)
                if low > high:
                    raise ValueError(f"{name}={value!r} is an interval with low > high.")
                object.__setattr__(self, name, (low, high) if low < high else low)
            else:
                object.__setattr__(self, name, check(value, name))


@dataclass(frozen=True)
class ExpectedCost(Condition):
    """Minimise the expected cost a case: ``(1 - prevalence) cost_fp fpr + prevalence cost_fn (1 - tpr)``.

    Parameters
    ----------
    cost_fp, cost_fn : float or (low, high), default=1.0
        Cost of a false positive and of a false negative, not negative.
    prevalence : float or (low, high), default=0.5
        Proportion of positives among the cases to be decided.

    Raises
    ------
    ValueError
        If a cost is negative, the prevalence is outside [0, 1], or no error can cost anything.

    References
    ----------
    Provost & Fawcett 2001, section 3.1 (iso-performance lines).

    Examples
    --------
    >>> import rochull as rh
    >>> rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.2).slope
    0.8
    """

    cost_fp: Number = 1.0
    cost_fn: Number = 1.0
    prevalence: Number = 0.5

    def __post_init__(self) -> None:
        self._check(non_negative, "cost_fp", "cost_fn")
        self._check(probability, "prevalence")
        for corner in self.corners() if self.intervals else (self,):
            if not any(corner.weights):
                raise ValueError(
                    f"cost_fp={corner.cost_fp}, cost_fn={corner.cost_fn}, prevalence={corner.prevalence}: "
                    "no error that can occur costs anything."
                )

    @property
    def weights(self) -> tuple[Fraction, Fraction]:
        """Cost of fpr = 1 and of tpr = 0: ``(1 - prevalence) cost_fp`` and ``prevalence cost_fn``."""
        self.require_precise()
        prevalence = exact(self.prevalence)  # type: ignore[arg-type]
        return (1 - prevalence) * exact(self.cost_fp), prevalence * exact(self.cost_fn)  # type: ignore[arg-type]

    @property
    def slope(self) -> float:
        """Slope of the iso-performance lines: 0 (misses alone matter) to inf (false alarms alone)."""
        of_fpr, of_miss = self.weights
        return float(of_fpr / of_miss) if of_fpr < 10**308 * of_miss else float("inf")

    @property
    def slope_range(self) -> tuple[float, float]:
        """Smallest and largest slope over the intervals."""
        slopes = [corner.slope for corner in self.corners()]
        return min(slopes), max(slopes)

    def cost(self, fpr: float, tpr: float) -> float:
        """Compute the expected cost a case at the given rates.

        Parameters
        ----------
        fpr, tpr : float
            False and true positive rate.

        Returns
        -------
        float
            In the unit of the costs.
        """
        of_fpr, of_miss = self.weights
        return float(of_fpr) * fpr + float(of_miss) * (1.0 - tpr)


class Accuracy(ExpectedCost):
    """Minimise the error rate: expected cost with equal costs.

    Parameters
    ----------
    prevalence : float or (low, high), default=0.5
        Proportion of positives among the cases to be decided.

    Attributes
    ----------
    cost_fp, cost_fn : float
        Always 1.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.Accuracy(prevalence=0.1).slope
    9.0
    """

    def __init__(self, prevalence: Number = 0.5) -> None:
        super().__init__(1.0, 1.0, prevalence)

    def __repr__(self) -> str:
        return f"Accuracy(prevalence={self.prevalence!r})"

    def corners(self) -> tuple[Accuracy, ...]:
        """List the precise conditions at the ends of the prevalence interval.

        Returns
        -------
        tuple of Accuracy
            The condition itself if it has no interval.
        """
        ends = self.prevalence if isinstance(self.prevalence, tuple) else (self.prevalence,)
        return tuple(Accuracy(end) for end in ends)


@dataclass(frozen=True)
class NeymanPearson(Condition):
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

    max_fpr: Number
    confidence: float | None = None

    def __post_init__(self) -> None:
        self._check(probability, "max_fpr")
        self._check_confidence()


@dataclass(frozen=True)
class MinimumRecall(Condition):
    """Minimise the false positive rate with a true positive rate of at least `min_tpr`.

    Parameters
    ----------
    min_tpr : float or (low, high)
        In [0, 1].
    confidence : float, optional
        Strictly between 0 and 1. The threshold is then chosen so that the *population's* rate keeps
        the limit with at least this probability (order-statistic bound), instead of the rate in
        the sample. For the hull of one classifier and unweighted examples; it is a single threshold.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.MinimumRecall(0.9)
    MinimumRecall(min_tpr=0.9, confidence=None)
    """

    min_tpr: Number
    confidence: float | None = None

    def __post_init__(self) -> None:
        self._check(probability, "min_tpr")
        self._check_confidence()


@dataclass(frozen=True)
class MinimumPrecision(Condition):
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

    min_precision: Number
    prevalence: Number

    def __post_init__(self) -> None:
        self._check(probability, "min_precision")
        self._check(lambda value, name: probability(value, name, open_ends=True), "prevalence")


@dataclass(frozen=True)
class Capacity(Condition):
    """Maximise the true positive rate where only so many cases can be worked on.

    At most `cases` out of `population` (or the share `fraction`) may be called positive:
    ``prevalence tpr + (1 - prevalence) fpr <= cases / population``.

    Parameters
    ----------
    cases, population : float or (low, high), optional
        Absolute numbers; both or neither.
    prevalence : float or (low, high)
        Proportion of positives in the population.
    fraction : float or (low, high), optional
        The share of cases instead of absolute numbers.

    Raises
    ------
    ValueError
        Unless exactly one of `fraction` and the pair `cases`, `population` is given.

    References
    ----------
    Provost & Fawcett 2001, Theorem 5 (workforce utilisation).

    Examples
    --------
    >>> import rochull as rh
    >>> rh.Capacity(cases=200, population=10_000, prevalence=0.1).share
    0.02
    """

    cases: Number | None = None
    population: Number | None = None
    prevalence: Number | None = None
    fraction: Number | None = None

    def __post_init__(self) -> None:
        if self.prevalence is None:
            raise ValueError("prevalence is needed: the capacity is shared by positives and negatives.")
        self._check(probability, "prevalence")
        given = [value is not None for value in (self.fraction, self.cases, self.population)]
        if given not in ([True, False, False], [False, True, True]):
            raise ValueError("Capacity needs either cases and population, or fraction.")
        if self.fraction is not None:
            self._check(probability, "fraction")
        else:
            self._check(non_negative, "cases", "population")
            if not (self.population[0] if isinstance(self.population, tuple) else self.population):
                raise ValueError(f"population must be positive, but is {self.population!r}.")

    @property
    def exact_share(self) -> Fraction:
        """The largest share of cases that may be called positive."""
        self.require_precise()
        if self.fraction is not None:
            return exact(self.fraction)  # type: ignore[arg-type]
        return exact(self.cases) / exact(self.population)  # type: ignore[arg-type]

    @property
    def share(self) -> float:
        """The largest share of cases that may be called positive, as a float."""
        return float(self.exact_share)


@dataclass(frozen=True)
class Utility(Condition):
    """Maximise any function of the rates.

    Parameters
    ----------
    function : callable
        ``function(fpr, tpr) -> float``, non-increasing in fpr and non-decreasing in tpr, and
        continuous. The best point of the hull is found to 1e-9 in the function's value.

    References
    ----------
    Provost & Fawcett 2001, Theorem 2.

    Examples
    --------
    >>> import rochull as rh
    >>> hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> hull.at(rh.Utility(lambda fpr, tpr: tpr - fpr)).tpr
    0.5
    """

    function: Callable[[float, float], float]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ValueError(f"function must be callable, but is {self.function!r}.")


@dataclass(frozen=True)
class Constrained(Condition):
    """Maximise a utility under one linear constraint, ``a tpr + b fpr <= c`` with a, b >= 0.

    Parameters
    ----------
    utility : Utility or callable
        See :class:`Utility`.
    a, b : float or (low, high)
        Not negative.
    c : float or (low, high)
        The limit; the condition is infeasible if it is negative.

    References
    ----------
    Provost & Fawcett 2001, Corollary 3.

    Examples
    --------
    >>> import rochull as rh
    >>> hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> hull.at(rh.Constrained(lambda fpr, tpr: tpr, a=0.5, b=0.5, c=0.5)).fpr
    0.25
    """

    utility: Utility | Callable[[float, float], float]
    a: Number
    b: Number
    c: Number

    def __post_init__(self) -> None:
        if not isinstance(self.utility, Utility):
            object.__setattr__(self, "utility", Utility(self.utility))
        self._check(non_negative, "a", "b")
        self._check(real, "c")
