# long: all conditions stand side by side, mostly docstrings
"""Operating conditions: what a decision maker wants. Pure values, no data."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from fractions import Fraction

from rochull._core.validation import non_negative, probability, real
from rochull.conditions.ranges import Condition as Condition  # noqa: PLC0414 - others find it here
from rochull.conditions.ranges import Imprecise, Number
from rochull.conditions.ranges import ImpreciseConditionError as ImpreciseConditionError  # noqa: PLC0414 - and it
from rochull.conditions.ranges import exact as exact  # noqa: PLC0414 - and it


class InfeasibleConditionError(ValueError):
    """No operating point meets the condition; the message says what can be reached."""


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

    def net_benefit(self, fpr: float, tpr: float) -> float:
        """Compute the net benefit a case: ``prevalence tpr - (1 - prevalence) fpr cost_fp / cost_fn``.

        Parameters
        ----------
        fpr, tpr : float
            False and true positive rate.

        Returns
        -------
        float
            In true positives a case: what the hits are worth, less the false alarms at their price in
            hits. To call nothing positive has a net benefit of 0, and the most is the prevalence. Where
            misses cost nothing (``cost_fn=0``) the price is infinite: -inf, unless there are no false
            alarms.

        References
        ----------
        Vickers & Elkin 2006, with ``cost_fp / cost_fn`` for the odds of the threshold probability.

        Examples
        --------
        >>> import rochull as rh
        >>> rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.2).net_benefit(fpr=0.25, tpr=0.75)
        0.11
        """
        of_fpr, _ = self.weights
        found, cost_fn = float(exact(self.prevalence)) * tpr, exact(self.cost_fn)  # type: ignore[arg-type]
        if not of_fpr or not fpr:
            return found
        return found - (float(of_fpr / cost_fn) * fpr if of_fpr < 10**308 * cost_fn else math.inf)


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
