# long: all conditions stand side by side, mostly docstrings
"""Operating conditions: what a decision maker wants. Pure values, no data.

Numbers are read as the decimals that they print as: ``prevalence=0.3`` means 3/10, so that ties
between rules come out as they do on paper.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, Protocol, TypeAlias, TypeVar

from rochull._validation import non_negative, probability, real

Number = float | tuple[float, float]


class Quantiles(Protocol):
    """A distribution of one number, such as a frozen one of scipy.stats."""

    def ppf(self, q: Any, /) -> Any:
        """Quantiles."""
        ...

    def support(self) -> Any:
        """The ends of the support."""
        ...


Imprecise: TypeAlias = Number | Quantiles


class InfeasibleConditionError(ValueError):
    """No operating point meets the condition; the message says what can be reached."""


class ImpreciseConditionError(ValueError):
    """The condition has an interval where one number is needed."""


def exact(number: float | Fraction) -> Fraction:
    """The decimal that the number prints as; a fraction is what it is."""
    return number if isinstance(number, Fraction) else Fraction(repr(float(number)))


class Distribution:
    """A frozen distribution as a value: two of the same family and parameters are equal.

    Parameters
    ----------
    given : object
        With `ppf` and `support`, such as ``scipy.stats.lognorm(1)``.
    """

    __slots__ = ("_key", "given")

    def __init__(self, given: Any) -> None:
        self.given = given
        family, args = getattr(getattr(given, "dist", None), "name", None), getattr(given, "args", ())
        named = sorted(getattr(given, "kwds", {}).items())
        parts = [*(f"{value!r}" for value in args), *(f"{name}={value!r}" for name, value in named)]
        self._key = f"{family}({', '.join(parts)})" if isinstance(family, str) else None

    def __repr__(self) -> str:
        return self._key or repr(self.given)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Distribution):
            return NotImplemented
        return self.given is other.given or (self._key is not None and self._key == other._key)

    def __hash__(self) -> int:
        return hash(self._key or id(self.given))

    def ppf(self, q: Any) -> Any:
        """Quantiles of the distribution."""
        return self.given.ppf(q)

    def support(self) -> tuple[float, float]:
        """The ends of the support, which may be infinite."""
        low, high = self.given.support()
        return float(low), float(high)

    @property
    def median(self) -> float:
        """Half of the probability is below it."""
        return float(self.ppf(0.5))


_C = TypeVar("_C", bound="Condition")


@dataclass(frozen=True)
class Condition:
    """Base of all conditions. Any number may be an interval `(low, high)`: an imprecise condition."""

    @property
    def intervals(self) -> tuple[str, ...]:
        """The names of the parameters that are intervals or distributions (tuple of str)."""
        return tuple(f.name for f in fields(self) if isinstance(getattr(self, f.name), (tuple, Distribution)))

    @property
    def box(self) -> dict[str, tuple[float, float]]:
        """The ends (low, high) of every interval, and of the support of every distribution (dict)."""
        found = {name: getattr(self, name) for name in self.intervals}
        return {name: v.support() if isinstance(v, Distribution) else v for name, v in found.items()}

    def corners(self: _C) -> tuple[_C, ...]:
        """List the precise conditions at the corners of the box of intervals.

        Returns
        -------
        tuple of Condition
            Every choice of one end for each interval, or for the support of each distribution; the
            condition itself if it has none. A corner where no error costs anything is left out, for
            there all rules are alike.

        Raises
        ------
        ImpreciseConditionError
            If the support of a distribution is unbounded.
        """
        for name, (_, high) in self.box.items():
            if math.isinf(high):
                raise ImpreciseConditionError(
                    f"{name}={getattr(self, name)!r} has no upper end, so the box has no corners there; "
                    "give an interval (low, high)."
                )
        return self.finite_corners()

    def finite_corners(self: _C) -> tuple[_C, ...]:
        """List the corners of the box that are not at infinity; see :meth:`corners`.

        Returns
        -------
        tuple of Condition
            All corners, if no support is unbounded.
        """
        if not self.intervals:
            return (self,)
        ends = [[(name, end) for end in pair if math.isfinite(end)] for name, pair in self.box.items()]
        choices = map(dict, itertools.product(*ends))
        return tuple(self._with(**choice) for choice in choices if self._matters(choice))

    def _with(self: _C, **values: float) -> _C:
        """The condition with other numbers."""
        return replace(self, **values)

    def _matters(self, values: dict[str, float]) -> bool:
        """Whether rules can differ under the condition with such numbers."""
        return True

    @property
    def center(self: _C) -> _C:
        """The precise condition at the middle of every interval and the median of every distribution."""
        middles = self._middles()
        return self._with(**middles) if middles else self

    def _middles(self) -> dict[str, float]:
        found = {name: getattr(self, name) for name in self.intervals}
        return {
            n: v.median if isinstance(v, Distribution) else float(sum(map(exact, v)) / 2)
            for n, v in found.items()
        }

    def require_precise(self) -> None:
        """Raise unless every parameter is a single number."""
        if self.intervals:
            name = self.intervals[0]
            raise ImpreciseConditionError(
                f"{name}={getattr(self, name)!r} is {self._kind(name)}, so there is no single best rule; "
                "give one number. (Hybrid.potentially_optimal names the classifiers of the range, and "
                "Hybrid.regret finds the rule that risks least.)"
            )

    def _kind(self, name: str) -> str:
        return "an interval" if isinstance(getattr(self, name), tuple) else "a distribution"

    def _check_confidence(self) -> None:
        """Validate `confidence`, where the condition has one."""
        value = getattr(self, "confidence", None)
        if value is not None:
            number = probability(value, "confidence", open_ends=True)
            object.__setattr__(self, "confidence", number)

    def _check(self, check: Callable[[float, str], float], *names: str, spread: bool = False) -> None:
        """Validate parameters, each a number or an interval, and store them as floats.

        With `spread` each may be a distribution too.
        """
        for name in names:
            value = getattr(self, name)
            if spread and all(callable(getattr(value, method, None)) for method in ("ppf", "support")):
                object.__setattr__(self, name, _distribution(value, name, check))
            elif isinstance(value, (tuple, list)):
                if len(value) != 2:
                    raise ValueError(f"{name} must be a number or an interval (low, high), but is {value!r}.")
                low, high = (check(end, name) for end in value)
                if low > high:
                    raise ValueError(f"{name}={value!r} is an interval with low > high.")
                object.__setattr__(self, name, (low, high) if low < high else low)
            else:
                object.__setattr__(self, name, check(value, name))


def _distribution(value: Any, name: str, check: Callable[[float, str], float]) -> Distribution:
    """A validated distribution: of one number, on a support within the legal range."""
    found = value if isinstance(value, Distribution) else Distribution(value)
    try:
        low, high = found.support()
        middle = found.median
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be the distribution of one number, but is {value!r}.") from None
    if not (low <= middle <= high and math.isfinite(middle)):
        raise ValueError(f"{name} is a distribution without a median in its support: {found!r}.")
    for end in (low, high):
        if end != math.inf or check is not non_negative:
            try:
                check(end, name)
            except ValueError as error:
                message = f"{name} is a distribution on [{low:g}, {high:g}]: {error}"
                raise ValueError(message) from None
    return found


@dataclass(frozen=True)
class ExpectedCost(Condition):
    """Minimise the expected cost a case: ``(1 - prevalence) cost_fp fpr + prevalence cost_fn (1 - tpr)``.

    Parameters
    ----------
    cost_fp, cost_fn : float, (low, high) or distribution, default=1.0
        Cost of a false positive and of a false negative, not negative.
    prevalence : float, (low, high) or distribution, default=0.5
        Proportion of positives among the cases to be decided.

    Raises
    ------
    ValueError
        If a cost is negative, the prevalence is outside [0, 1], or no error can cost anything anywhere in
        the range.

    Notes
    -----
    A distribution is anything with `ppf` and `support`, such as ``scipy.stats.lognorm(0.5, scale=10)``
    or ``scipy.stats.beta(2, 50)``. The numbers of one condition are independent. Worst cases are taken
    over the box of intervals and supports; means read an interval as a uniform distribution.

    References
    ----------
    Provost & Fawcett 2001, section 3.1 (iso-performance lines).

    Examples
    --------
    >>> import rochull as rh
    >>> rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.2).slope
    0.8
    """

    cost_fp: Imprecise = 1.0
    cost_fn: Imprecise = 1.0
    prevalence: Imprecise = 0.5

    def __post_init__(self) -> None:
        self._check(non_negative, "cost_fp", "cost_fn", spread=True)
        self._check(probability, "prevalence", spread=True)
        # The ends of an interval or a support have no probability, so they need not cost anything.
        if not self._matters(self._middles()):
            numbers = ", ".join(f"{f.name}={getattr(self, f.name)}" for f in fields(self))
            raise ValueError(f"{numbers}: no error that can occur costs anything.")

    def _matters(self, values: dict[str, float]) -> bool:
        cost_fp, cost_fn, prevalence = (
            values.get(name, getattr(self, name)) for name in ("cost_fp", "cost_fn", "prevalence")
        )
        return bool((prevalence < 1 and cost_fp > 0) or (prevalence > 0 and cost_fn > 0))

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
        """Smallest and largest slope over the intervals and the supports of distributions."""
        (of_fpr, of_miss), (more_of_fpr, less_of_miss) = self.extreme_weights
        low = float(of_fpr / of_miss) if of_fpr < 10**308 * of_miss else math.inf
        high = float(more_of_fpr / less_of_miss) if more_of_fpr < 10**308 * less_of_miss else math.inf
        return low, high

    @property
    def extreme_weights(self) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
        """The weights at the smallest and the largest slope; beside an infinite one the other is zero."""
        fp, fn, p = (
            self.box.get(name, (getattr(self, name),) * 2) for name in ("cost_fp", "cost_fn", "prevalence")
        )
        found = []
        for cost_fp, cost_fn, share, degenerate in (
            (fp[0], fn[1], p[1], (1, 0)),
            (fp[1], fn[0], p[0], (0, 1)),
        ):
            weights = (1 - exact(share), cost_fp), (exact(share), cost_fn)
            if any(part and math.isinf(cost) for part, cost in weights):
                pair = tuple(Fraction(bool(part) and math.isinf(cost)) for part, cost in weights)
            else:
                pair = tuple(part * exact(cost) if part else part for part, cost in weights)
            # Both are zero only at the end of a range, where one of the costs is zero everywhere.
            of_fpr, of_miss = pair if any(pair) else map(Fraction, degenerate)
            found.append((of_fpr, of_miss))
        return found[0], found[1]

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
    prevalence : float, (low, high) or distribution, default=0.5
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

    def __init__(self, prevalence: Imprecise = 0.5) -> None:
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
        return super().corners()

    def _with(self, **values: float) -> Accuracy:
        return Accuracy(values.get("prevalence", self.prevalence))


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
    ``prevalence tpr + (1 - prevalence) fpr <= cases / population``. ``Capacity(cases=137)`` is enough to
    decide a batch, which keeps it by its own alarms; an operating point takes the other numbers too.

    Parameters
    ----------
    cases, population : float or (low, high), optional
        Absolute numbers.
    prevalence : float or (low, high), optional
        Proportion of positives in the population; needed with `fraction`.
    fraction : float or (low, high), optional
        The share of cases instead of absolute numbers.

    Raises
    ------
    ValueError
        Unless exactly one of `fraction` and `cases` is given.

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
        given = [value is not None for value in (self.fraction, self.cases, self.population)]
        if given not in ([True, False, False], [False, True, True], [False, True, False]):
            raise ValueError("Capacity needs either cases and population, or fraction.")
        if self.prevalence is not None:
            self._check(probability, "prevalence")
        elif self.fraction is not None:
            raise ValueError("prevalence is needed: the capacity is shared by positives and negatives.")
        if self.fraction is not None:
            self._check(probability, "fraction")
            return
        self._check(non_negative, "cases")
        if self.population is not None:
            self._check(non_negative, "population")
            if not (self.population[0] if isinstance(self.population, tuple) else self.population):
                raise ValueError(f"population must be positive, but is {self.population!r}.")

    def require_precise(self) -> None:
        """Raise unless every number that an operating point takes is there, and a single one."""
        super().require_precise()
        absent = [] if self.fraction is not None else [n for n in ("population",) if self.population is None]
        absent += ["prevalence"] * (self.prevalence is None)
        if absent:
            raise ValueError(
                f"{' and '.join(absent)} {'is' if len(absent) == 1 else 'are'} needed for an operating "
                "point: Capacity(cases=...) alone is for decisions on a batch."
            )

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
