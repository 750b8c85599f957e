"""Objectives, which a condition makes as large or as small as it can: rates, expected costs, utilities."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.docstrings import Described, entries
from rochull._core.messages import Message, Setting, refused
from rochull._core.results import Interval
from rochull._core.validation import Array
from rochull.conditions.clauses import about, clause_number, measure_named
from rochull.conditions.climbing import climb, climb_points
from rochull.conditions.comparisons import Comparable, Comparison
from rochull.conditions.frontier import NEAR, Choice, ClippedHull, Frontier, Plane, least_cost_vertex
from rochull.conditions.ranges import ROUNDING, Rational, exact, farthest
from rochull.words.clauses import Clause

_ULP, _TINY = 2.0**-51, 5e-324
Terms: TypeAlias = tuple[Fraction | int, Fraction | int, Fraction | int]


@dataclass(frozen=True, eq=False)
class Trials:
    """Independent trials in which a limit allows errors, counted at each point of a frontier.

    Attributes
    ----------
    errors, cases : int (k,) the errors, and the trials that they are of.
    of : what the trials are, in the plural.
    share : the largest share of errors that is allowed, once there is a limit.
    rises : whether the errors ascend along the points; else they descend.
    walked : whether the trials are the cases called positive, so that the share goes up and down.
    """

    errors: Array
    cases: Array
    of: str
    share: Fraction = Fraction(0)
    rises: bool = True
    walked: bool = False


MEASURED = entries("""
fpr, tpr : float, Fraction, ndarray or Interval
    False and true positive rate, or an interval of each.
value, best : float or Fraction
    Of the measure.
prevalence : float or (low, high)
    The proportion of positives.
frontier : Frontier
    Points of a curve.
limit : RateLimit
    The limit that no point keeps.
-> Any
    A number, or one for each pair of rates.
-> float
    A number.
-> Fraction | float
    A fraction, if it can be.
-> Fraction
    Exactly.
-> Array
    Of shape (n,).
-> Interval
    Its ends.
-> Self
    A new one.
-> Trials | None
    None if it is not a share of examples.
-> Choice
    A vertex, or a mixture of two.
-> int
    Its index.
-> Message | None
    The sentence.
-> Message
    The sentence.
-> Trials
    The examples of whom it is a share.
""")


class Objective(Described, Comparable, ABC):
    """A number of two rates that is to be large, or small.

    Attributes
    ----------
    key : str
        Its name in a table, such as "tpr".
    sign : int
        1 if the larger, the better; else -1.
    is_linear : bool
        Whether it is linear in the rates.
    is_single_peaked : bool
        Whether it rises and then falls along every hull.
    has_least : bool
        Whether it may be limited from its better side too, as the share flagged from below: a rule to the
        upper left has the same, so none is kept from being better.
    loss_measure : str
        What :meth:`loss` is, in words.
    """

    parameters_told = MEASURED
    key: ClassVar[str]
    sign: ClassVar[int]
    is_linear: ClassVar[bool] = True
    is_single_peaked: ClassVar[bool] = True
    has_least: ClassVar[bool] = False
    loss_measure: ClassVar[str]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if getattr(cls.value, "__isabstractmethod__", False):
            return
        missing = [name for name in ("key", "sign", "loss_measure") if not hasattr(cls, name)]
        if missing:
            raise TypeError(f"{cls.__name__} is not complete: it does not state its {', '.join(missing)}.")

    @abstractmethod
    def value(self, fpr: Any, tpr: Any) -> Any:
        """The number at given rates, each a float or an array."""

    def ratio(self) -> tuple[Terms, Terms]:
        """Numerator and denominator, each as (constant, of fpr, of tpr); no denominator is negative.

        Returns
        -------
        tuple of 2 Terms
            Above and below the line.
        """
        raise TypeError(f"{self} is not a ratio of sums of rates, so it cannot be a limit.")

    def best(self, frontier: Frontier) -> Choice:
        """Find where it is best on a hull: at a vertex, unless it is curved."""
        return Choice(self.best_single(frontier))

    def best_single(self, frontier: Frontier) -> int:
        """Find which of the points of a frontier is best."""
        return best_index(self, frontier, np.arange(len(frontier.fp)))

    def limited_at(self, limit: float | Fraction) -> tuple[Fraction, float | None, Fraction | int]:
        """Read a limit on it.

        Parameters
        ----------
        limit : float or Fraction
            The number that was given.

        Returns
        -------
        Fraction
            The limit itself: mixtures end there.
        float or None
            The double that points meet which round to it; None if they are compared exactly.
        Fraction
            What to add to a value before it is rounded.
        """
        return exact(limit), None if isinstance(limit, (Fraction, Rational)) else limit, 0

    def trials(self, frontier: Frontier) -> Trials | None:
        """The counts that it is a share of, in a sample; None if it is none, or of another population."""
        return None

    def unmet(self, limit: RateLimit, frontier: Frontier) -> Message | None:
        """Say that no point keeps a limit on it, and what can be reached; None if that is said otherwise."""
        return None

    @property
    def losses(self) -> tuple[Fraction, Fraction] | None:
        """The costs of both errors (tuple of 2 Fraction), if it is their mean in the examples; else None."""
        return None

    def values(self, fpr: Array, tpr: Array) -> Array:
        """The number at many rates (n,); NaN where it is undefined."""
        return np.asarray(self.value(fpr, tpr))

    @property
    def own_prevalence(self) -> Any:
        """The proportion of positives that it states; None if it states none."""
        return None

    def at_prevalence(self, prevalence: Any) -> Self:
        """Give the same at another prevalence; itself if it depends on none."""
        return self

    @property
    def lacks_prevalence(self) -> bool:
        """Whether it depends on a prevalence that it does not state."""
        return self.own_prevalence is None and self.at_prevalence(0.5) is not self

    @property
    def measure(self) -> str:
        """The measure, in words; regret is in it too."""
        return measure_named(self.key, **self.numbers_told)

    @property
    def numbers_told(self) -> dict[str, Any]:
        """The numbers to show, by name (dict), beside the prevalence."""
        return {}

    @property
    def best_clause(self) -> Clause:
        """State this as the goal (Clause)."""
        return self._about("best")

    def limit_clause(self, limit: Any) -> Clause:
        """Say that it is limited.

        Parameters
        ----------
        limit : float or (low, high)
            What it must not be worse than.

        Returns
        -------
        Clause
            Without its prevalence.
        """
        return self._about("limit", limit=clause_number(limit))

    def _about(self, what: str, **slots: Any) -> Clause:
        return about(what, self, **slots, **self.numbers_told)

    def corners(self) -> tuple[Objective, ...]:
        """The measures at the ends of its intervals; itself if it has none.

        Returns
        -------
        tuple of Objective
            Each without intervals.
        """
        return (self,)

    def exact_value(self, fpr: Fraction, tpr: Fraction) -> Fraction | float:
        """The same at rates that are fractions, exactly if it can be."""
        found: Fraction | float = self.value(fpr, tpr)
        return found

    def merit(self, fpr: Fraction, tpr: Fraction) -> tuple[float | Fraction, ...]:
        """Key that compares points: the larger, the better; of equals, that with fewer false alarms.

        Returns
        -------
        tuple of float or Fraction
            To be compared from left to right.
        """
        return self.sign * self.exact_value(fpr, tpr), -fpr, tpr

    def regret(self, value: float | Fraction, best: float | Fraction) -> float:
        """By how much a value falls short of the best one."""
        return max(0.0, float(self.sign * (best - value)))

    def loss(self, fpr: float, tpr: float) -> float:
        """Return the loss, to be small: the number itself, or how much is missing."""
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
    """The false positive rate: the share of the negatives that are called positive.

    Examples
    --------
    >>> import rochull as rh
    >>> print(rh.FalsePositiveRate() <= 0.1)
    FalsePositiveRate() <= 0.1
    """

    key, sign, loss_measure = "fpr", -1, "false positive rate"
    is_share = True

    def ratio(self) -> tuple[Terms, Terms]:
        return (0, 1, 0), (1, 0, 0)

    def trials(self, frontier: Frontier) -> Trials:
        return Trials(frontier.fp, np.full(len(frontier.fp), frontier.n_neg), "negatives")

    def value(self, fpr: Any, tpr: Any) -> Any:
        return fpr

    def interval(self, fpr: Interval, tpr: Interval) -> Interval:
        return fpr


@dataclass(frozen=True)
class Recall(Objective):
    """The true positive rate: the share of the positives that are called positive.

    Examples
    --------
    >>> import rochull as rh
    >>> print(rh.Recall() >= 0.6)
    Recall() >= 0.6
    """

    key, sign, loss_measure = "tpr", 1, "miss rate"
    is_share = True

    def ratio(self) -> tuple[Terms, Terms]:
        return (0, 0, 1), (1, 0, 0)

    def trials(self, frontier: Frontier) -> Trials:
        missed = frontier.n_pos - frontier.tp
        return Trials(missed, np.full(len(missed), frontier.n_pos), "positives", rises=False)

    def value(self, fpr: Any, tpr: Any) -> Any:
        return tpr

    def unmet(self, limit: RateLimit, frontier: Frontier) -> Message:
        return Message(
            "{} is met by none of the {} points, of which the highest has a tpr of {}.",
            Setting("min_tpr", float(limit.limit), "g"),
            len(frontier.tp),
            f"{float(frontier.tpr[-1]):.6g}",
        )

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

    key, sign, loss_measure = "expected cost", -1, "expected cost per case"

    @classmethod
    def weighed(cls, cost_fp: Any, cost_fn: Any, prevalence: Any) -> Self:
        """Weigh the costs of both errors by the shares of the classes, exactly."""
        share = exact(prevalence)
        return cls((1 - share) * exact(cost_fp), share * exact(cost_fn))

    def value(self, fpr: Any, tpr: Any) -> Any:
        return float(self.of_fpr) * fpr + float(self.of_miss) * (1.0 - tpr)

    def ratio(self) -> tuple[Terms, Terms]:
        return (self.of_miss, self.of_fpr, -self.of_miss), (1, 0, 0)

    def exact_value(self, fpr: Fraction, tpr: Fraction) -> Fraction:
        return self.of_fpr * fpr + self.of_miss * (1 - tpr)

    def best(self, frontier: Frontier) -> Choice:
        return Choice(least_cost_vertex(self.raised, frontier))

    def best_single(self, frontier: Frontier) -> int:
        values = self.value(frontier.fpr, frontier.tpr)
        near = np.flatnonzero(values <= values.min() + NEAR * float(self.of_fpr + self.of_miss)).tolist()
        raised = Cost(*self.raised)
        return max(near, key=lambda i: raised.merit(*frontier.point(i)))

    @property
    def raised(self) -> tuple[Fraction, Fraction]:
        """The weights as slopes are compared by them; see :func:`raised_weights`."""
        return raised_weights((self.of_fpr, self.of_miss))

    def interval(self, fpr: Interval, tpr: Interval) -> Interval:
        """The interval of a sum of independent estimates (Zou & Donner 2008)."""
        return sum_interval(
            float(self.of_fpr), fpr, float(self.of_miss), TRUE_POSITIVE_RATE.loss_interval(fpr, tpr)
        )


@dataclass(frozen=True)
class UtilityValue(Objective):
    """A high value of a function of the rates."""

    function: Callable[[float, float], float]

    key, sign, loss_measure = "utility", 1, "negative utility"
    is_linear = is_single_peaked = False

    def value(self, fpr: Any, tpr: Any) -> Any:
        return float(self.function(float(fpr), float(tpr)))

    def best(self, frontier: Frontier) -> Choice:
        return climb(self.function, frontier, Choice(len(frontier.fp) - 1))

    def best_single(self, frontier: Frontier) -> int:
        return climb_points(self.function, frontier, len(frontier.fp) - 1)

    def values(self, fpr: Array, tpr: Array) -> Array:
        return np.array([self.value(x, y) for x, y in zip(fpr.tolist(), tpr.tolist(), strict=True)])

    def loss(self, fpr: float, tpr: float) -> float:
        return -float(self.value(fpr, tpr))

    def loss_interval(self, fpr: Interval, tpr: Interval) -> Interval:
        found = self.interval(fpr, tpr)
        return Interval(found.low, found.high, -found.estimate, found.level, found.method)


def raised_weights(weights: tuple[Fraction, Fraction], way: int = 1) -> tuple[Fraction, Fraction]:
    """The weights at a slope above all that ties with theirs to rounding; below, with a `way` of -1.

    A prevalence such as 5/6 is rounded when it is written down. Where a hull has an edge of that very slope,
    the digit that was lost must not decide on which side of it one ends, for `decide_by_llr` cannot see it.
    """
    of_fpr, of_miss = weights
    if not of_fpr or not of_miss:
        return weights
    slope = of_fpr / of_miss
    size = max(1.0, abs(math.log(slope.numerator) - math.log(slope.denominator)))
    return of_fpr * (1 + way * Fraction(ROUNDING * size)), of_miss


def sum_interval(a: float, one: Interval, b: float, other: Interval) -> Interval:
    """The interval of ``a one + b other``, of independent estimates, with a and b not negative.

    References
    ----------
    Zou & Donner 2008.
    """
    found = a * one.estimate + b * other.estimate
    below = np.hypot(a * (one.estimate - one.low), b * (other.estimate - other.low))
    above = np.hypot(a * (one.high - one.estimate), b * (other.high - other.estimate))
    ends = found - below, found + above
    low, high = ends if np.ndim(found) else map(float, ends)
    return Interval(low, high, found, other.level, other.method)


@dataclass(frozen=True, repr=False)
class RateLimit(Comparison):
    """A limit on a measure of two classes, as ``Recall() >= 0.6`` makes it; it is kept throughout intervals.

    Raises
    ------
    ValueError
        If the limit is on the better side of the measure, where no rule has to be kept from.
    """

    measure: Objective

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.is_least and not self.measure.has_least:
            wanted, bound = ("<=", "most") if self.measure.sign < 0 else (">=", "least")
            raise ValueError(
                f"{self} keeps rules from being better; a limit on {self.measure} says what it must be at "
                f"{bound}: write {self.measure} {wanted} {self.limit:g}."
            )
        if not self.measure.lacks_prevalence:
            _ = self._ratio  # an error if it is none

    @property
    def is_least(self) -> bool:
        """Whether it is on the better side of the measure."""
        return (self.side == "<=") != (self.measure.sign < 0)

    @property
    def clause(self) -> Clause:
        """The limit (Clause), without a prevalence."""
        if self.is_least:
            return about("least", self.measure, limit=clause_number(self.limit))
        return self.measure.limit_clause(self.limit)

    @property
    def own_prevalence(self) -> Any:
        """Prevalence of the measure."""
        return self.measure.own_prevalence

    @property
    def lacks_prevalence(self) -> bool:
        """Whether the measure does."""
        return self.measure.lacks_prevalence

    def at_prevalence(self, prevalence: Any) -> Self:
        """Give the same at another prevalence."""
        return replace(self, measure=self.measure.at_prevalence(prevalence))

    def half_planes(self) -> tuple[Terms, ...]:
        """Give the (a, b, c) of ``a tpr + b fpr <= c``, one for each corner of the measure's intervals."""
        return tuple(plane.coefficients for plane in self._planes)

    def planes(self) -> tuple[Plane, ...]:
        """Give the half-planes, with how far points may be beyond them that round to the limit."""
        return self._planes

    @cached_property
    def _planes(self) -> tuple[Plane, ...]:
        found = [self._plane(corner) for corner in self.measure.corners()]
        return tuple(dict.fromkeys(found) if len(found) > 1 else found)

    @cached_property
    def _ratio(self) -> tuple[Terms, Terms]:
        """The measure as a ratio; where it has intervals, at the first corner of these."""
        return self.measure.corners()[0].ratio()

    def _plane(self, corner: Objective) -> Plane:
        """The half-plane of a measure without intervals."""
        limit, number, more = corner.limited_at(self.limit)
        top, bottom = self._ratio if corner is self.measure else corner.ratio()
        line = self._line(limit, top, bottom)
        if number is None:
            return Plane(line)
        # What rounds to a number is within an ulp of the decimal that it prints as: 2^-52 of it, or less.
        slack = 2 * (_ULP * abs(number) + _TINY) * sum(map(float, bottom))
        turns = any(b and abs(float(pull)) <= 2 * slack for b, pull in zip(bottom[:0:-1], line, strict=False))

        def reached() -> tuple[Any, bool]:
            end, is_within = farthest(number, 1 if self.side == "<=" else -1)
            return self._line(end - more, top, bottom), is_within

        return Plane(line, slack, turns, reached)

    def _line(self, at: Fraction, top: Terms, bottom: Terms) -> tuple[Any, Any, Any]:
        """The (a, b, c) of the line on which the measure has a value."""
        # Most terms are 0 or 1, and arithmetic of fractions is most of what a new limit costs.
        beyond = [(at if b == 1 else at * b) if b else 0 for b in bottom]
        sides = zip(*((top, beyond) if self.side == "<=" else (beyond, top)), strict=True)
        one, of_fpr, of_tpr = (this - other if this and other else this or -other for this, other in sides)
        return of_tpr, of_fpr, -one

    def trials(self, frontier: Frontier) -> Trials | None:
        """The errors in a sample of which it allows a share; None if it is about no such share."""
        if self.is_least:
            raise refused("confidence", "is not for {}, which says how much is flagged at least.", str(self))
        found, limit = self.measure.trials(frontier), exact(self.limit)
        return found and replace(found, share=limit if self.side == "<=" else 1 - limit)

    def is_met(self, fpr: Fraction, tpr: Fraction) -> bool:
        """Tell whether rates keep it, exactly."""
        if self.needs_alarms and fpr == tpr == 0:
            return False
        return all(plane.holds(fpr, tpr) for plane in self.planes())

    def met_by(self, frontier: Frontier) -> Array:
        """Tell which points of a frontier keep it: bool (k,); floats decide where rounding cannot."""
        met = np.ones(len(frontier.fp), bool)
        met[0] = not (self.needs_alarms and frontier.fp[0] == frontier.tp[0] == 0)
        for plane in self.planes():
            a, b, c = map(float, plane.coefficients)
            excess = a * frontier.tpr + b * frontier.fpr - c
            slack = NEAR * max(abs(a), abs(b), abs(c))
            met &= excess <= slack
            for i in np.flatnonzero(met & (excess >= -slack)).tolist():
                met[i] = plane.holds(*frontier.point(i))
        return met

    def relaxed(self, others: ClippedHull) -> Self | None:
        """Say to what it would have to be relaxed on the stretch that other limits leave.

        Returns
        -------
        RateLimit or None
            None if it can be kept nowhere there.
        """
        whole = others.whole
        corners = self.measure.corners()
        peaks = [Choice(best_index(corner, whole, np.arange(len(whole.fp)))) for corner in corners]
        ends = {others.low, others.high, *map(others.nearest, peaks)}
        rates = [choice.exact_rates(whole) for choice in ends]
        return self._at(max(self._worst(*rate) for rate in rates))

    def relaxed_to(self, frontier: Frontier, among: Array) -> Self | None:
        """Say to what it would have to be relaxed for one of some points of a frontier.

        Returns
        -------
        RateLimit or None
            None if it can be kept at none of them.
        """
        if not among.size:
            return None
        sign = 1 if self.side == ">=" else -1
        values = [sign * c.values(frontier.fpr[among], frontier.tpr[among]) for c in self.measure.corners()]
        i = int(among[np.argmax(np.nan_to_num(np.min(values, axis=0), nan=-np.inf))])
        return self._at(self._worst(*frontier.point(i)))

    def _worst(self, fpr: Fraction, tpr: Fraction) -> Fraction | float:
        """The value at the worst corner, with the sign by which the larger are the better."""
        sign = 1 if self.side == ">=" else -1
        return min(sign * corner.exact_value(fpr, tpr) for corner in self.measure.corners())

    def _at(self, reach: Fraction | float) -> Self | None:
        """The limit that such a worst value meets, in four digits."""
        if not isinstance(reach, Fraction):
            return None
        sign = 1 if self.side == ">=" else -1
        to = Context(4, ROUND_FLOOR if sign > 0 else ROUND_CEILING)
        limit = to.divide(Decimal((sign * reach).numerator), Decimal(reach.denominator))
        return replace(self, limit=float(limit))

    @cached_property
    def needs_alarms(self) -> bool:
        """Whether it is undefined, so not met, where nothing is called positive."""
        return not self._ratio[1][0]


def best_index(objective: Objective, frontier: Frontier, among: Array) -> int:
    """The best of some points, of equals that with fewer false positives; floats find it, fractions decide.

    Parameters
    ----------
    objective : Objective
        What is best.
    among : int (m,) of the points, ascending; at least one.
    """
    fpr, tpr = frontier.fpr[among], frontier.tpr[among]
    values = np.asarray(objective.sign * objective.values(fpr, tpr), float)
    values = np.where(np.isnan(values), -np.inf, values)
    top = values.max()
    near = among[values >= top - NEAR * max(1.0, abs(top))] if np.isfinite(top) else among
    if near.size == 1:
        return int(near[0])
    # Of those that are as high, the first is best, or as good; of those as far right, the last, or the first.
    fp, tp = frontier.fp[near], frontier.tp[near]
    near = near[np.append(True, tp[1:] != tp[:-1])]
    fp = frontier.fp[near]
    step = fp[1:] != fp[:-1]
    near = near[np.append(True, step) | np.append(step, True)]
    found: int = max(near.tolist(), key=lambda i: objective.merit(*frontier.point(i)))
    return found


Objective.comparison = RateLimit
FALSE_POSITIVE_RATE, TRUE_POSITIVE_RATE = FalsePositiveRate(), Recall()
