"""Expected costs: the conditions that weigh false alarms and misses."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from rochull._core.messages import Refusal, Setting, joined
from rochull._core.validation import non_negative, probability
from rochull.conditions.base import Condition
from rochull.conditions.clauses import LEGEND, number
from rochull.conditions.comparisons import Comparable
from rochull.conditions.frontier import Choice, Frontier, least_cost_vertex
from rochull.conditions.measures import CostPerCase
from rochull.conditions.objectives import Cost, RateLimit
from rochull.conditions.question import Question
from rochull.conditions.ranges import ROUNDING, Imprecise, exact
from rochull.words.clauses import Clause

if TYPE_CHECKING:
    from rochull.conditions.rules import OperatingPoint

_NEAR = 1e-12  # costs that differ by less, of all cases wrong, are compared without rounding
NUMBERS = ("cost_fp", "cost_fn", "prevalence")


def _limited(costs: ExpectedCost, side: str, limit: float) -> RateLimit:
    """Give the limit on an expected cost per case that a comparison writes.

    Parameters
    ----------
    costs : ExpectedCost
        What is limited.
    side : {"<=", ">="}
        Of the limit.
    limit : float
        In the unit of the costs.

    Returns
    -------
    RateLimit
        As one of several.
    """
    return RateLimit(CostPerCase(costs.prevalence, costs.cost_fp, costs.cost_fn), side, limit)  # type: ignore[arg-type]


@dataclass(frozen=True)
class ExpectedCost(Condition, Comparable):
    """Minimise the expected cost per case: ``(1 - prevalence) cost_fp fpr + prevalence cost_fn (1 - tpr)``.

    Parameters
    ----------
    cost_fp, cost_fn : float, (low, high) or distribution, default=1.0
        Cost of a false positive and of a false negative, not negative.
    prevalence : float, (low, high) or distribution, optional
        Proportion of positives among the cases to be decided. If not given, it is that of the data of
        the object asked, which says so in its answer, and refuses where it has no data.

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
    >>> rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.2).net_benefit(fpr=0.25, tpr=0.75)
    0.11
    >>> print(rh.ExpectedCost(cost_fn=5) <= 0.4)  # as a limit
    CostPerCase(cost_fp=1.0, cost_fn=5.0) <= 0.4
    """

    best_is_vertex = True
    called: ClassVar[str] = "costs"  # in the catalogue
    amounts = ("cost_fp", "cost_fn")
    comparison = staticmethod(_limited)  # type: ignore[assignment]

    cost_fp: Imprecise = 1.0
    cost_fn: Imprecise = 1.0
    prevalence: Imprecise | None = None

    def __post_init__(self) -> None:
        self._check(non_negative, "cost_fp", "cost_fn", spread=True)
        self._check(probability, "prevalence", spread=True)
        # The ends of an interval or a support have no probability, so they need not cost anything.
        if not self._matters(self._middles()):
            given = [(name, value) for name in NUMBERS if (value := getattr(self, name)) is not None]
            numbers = joined(", ", (Setting(name, value) for name, value in given))
            raise Refusal("{}: no error that can occur costs anything.", numbers)

    def _matters(self, values: dict[str, float]) -> bool:
        cost_fp, cost_fn, prevalence = (values.get(name, getattr(self, name)) for name in NUMBERS)
        if prevalence is None:  # of data, which have both classes
            return bool(cost_fp or cost_fn)
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
        return _ratio(of_fpr, of_miss)

    @property
    def slope_range(self) -> tuple[float, float]:
        """Smallest and largest slope over the intervals and the supports of distributions."""
        low, high = self.extreme_weights
        return _ratio(*low), _ratio(*high)

    @property
    def spans(self) -> tuple[tuple[Any, Any], ...]:
        """The ends (low, high) of `cost_fp`, `cost_fn` and `prevalence`; of one number twice the same."""
        self.at_prevalence(None)
        box = self.box
        return tuple(box.get(name, (getattr(self, name),) * 2) for name in NUMBERS)

    @property
    def unbounded_error(self) -> tuple[bool, bool]:
        """Whether a false alarm, and a miss, can cost more than any bound."""
        low, high = self.extreme_weights
        (_, most_fp), (_, most_fn), _ = self.spans
        return math.isinf(most_fp) and not high[1] and bool(high[0]), (
            math.isinf(most_fn) and not low[0] and bool(low[1])
        )

    @property
    def extreme_weights(self) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
        """The weights at the smallest and the largest slope; beside an infinite one the other is zero."""
        fp, fn, p = self.spans
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
        """Compute the expected cost per case at the given rates.

        Returns
        -------
        float
            In the unit of the costs.
        """
        found: float = self.objective.value(fpr, tpr)
        return found

    def cost_at(self, point: OperatingPoint) -> float:
        """Compute the expected cost per case at an operating point, after any reviews.

        Parameters
        ----------
        point : OperatingPoint
            Its rates count.

        Returns
        -------
        float
            In the unit of the costs.
        """
        return self.cost(point.fpr, point.tpr)

    def net_benefit(self, fpr: float, tpr: float) -> float:
        """Compute the net benefit per case: ``prevalence tpr - (1 - prevalence) fpr cost_fp / cost_fn``.

        Returns
        -------
        float
            In true positives per case: what the hits are worth, less the false alarms at their price in
            hits. To call nothing positive has a net benefit of 0, and the most is the prevalence. Where
            misses cost nothing (``cost_fn=0``) the price is infinite: -inf, unless there are no false
            alarms.

        References
        ----------
        Vickers & Elkin 2006, with ``cost_fp / cost_fn`` for the odds of the threshold probability.
        """
        of_fpr, _ = self.weights
        found, cost_fn = float(exact(self.prevalence)) * tpr, exact(self.cost_fn)  # type: ignore[arg-type]
        if not of_fpr or not fpr:
            return found
        return found - (float(of_fpr / cost_fn) * fpr if of_fpr < 10**308 * cost_fn else math.inf)

    # --- as a condition ------------------------------------------------------------------------

    def _question(self) -> Question:
        plain = ExpectedCost(self.cost_fp, self.cost_fn, self.prevalence)  # of Accuracy too
        return Question(plain, ranges=self._range(), asked=self)

    @property
    def objective(self) -> Cost:
        return Cost(*self.weights)

    @property
    def best_clause(self) -> Clause:
        """That it is to be the best (Clause)."""
        return Clause(f"best.{self.called}", cost_fp=number(self.cost_fp), cost_fn=number(self.cost_fn))

    @property
    def costs(self) -> Self:
        return self

    def is_met(self, fpr: Fraction, tpr: Fraction) -> bool:
        return True

    def best(self, frontier: Frontier) -> Choice:
        return Choice(least_cost_vertex(_raised(self.weights), frontier))

    def best_single(self, frontier: Frontier) -> int:
        values = self.objective.value(frontier.fpr, frontier.tpr)
        near = np.flatnonzero(values <= values.min() + _NEAR * sum(map(float, self.weights))).tolist()
        raised = Cost(*_raised(self.weights))
        return max(near, key=lambda i: raised.merit(*frontier.point(i)))

    def line(self, fpr: float, tpr: float) -> tuple[str, tuple[float, float, float]]:
        of_fpr, of_miss = map(float, self.weights)
        return "iso-performance", (of_miss, -of_fpr, of_miss * tpr - of_fpr * fpr)

    def segment(self, frontier: Frontier) -> tuple[int, int]:
        low, high = self.extreme_weights  # a slope of 0 that is only approached is not reached
        _, is_approached = self.unbounded_error
        last = least_cost_vertex(_raised(low, -1), frontier, level=not is_approached)
        return least_cost_vertex(_raised(high), frontier), last

    def varied(self) -> tuple[str, ...]:
        return NUMBERS

    def turning_points(self, name: str, frontier: Frontier) -> list[tuple[Fraction, int]]:
        a, b, p = (exact(getattr(self, part)) for part in NUMBERS)
        found = []
        for i, ((x0, y0), (x1, y1)) in enumerate(itertools.pairwise(frontier.points())):
            run, rise = x1 - x0, y1 - y0
            top, bottom = {
                "cost_fp": (p * b * rise, (1 - p) * run),
                "cost_fn": ((1 - p) * a * run, p * rise),
                "prevalence": (a * run, a * run + b * rise),
            }[name]
            if bottom:
                found.append((top / bottom, i))
        return sorted(found)


class Accuracy(ExpectedCost):
    """Minimise the error rate: expected cost with equal costs.

    Parameters
    ----------
    prevalence : float, (low, high) or distribution, optional
        Proportion of positives among the cases to be decided; that of the object asked, if not given.

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

    def __init__(self, prevalence: Imprecise | None = None) -> None:
        super().__init__(1.0, 1.0, prevalence)

    def __repr__(self) -> str:
        return f"Accuracy(prevalence={self.prevalence!r})"

    def with_numbers(self, **values: float) -> Self:
        return type(self)(values.get("prevalence", self.prevalence))

    @property
    def label(self) -> str:
        return LEGEND.told(Clause("best.accuracy"))

    def varied(self) -> tuple[str, ...]:
        return ("prevalence",)


def costs_of(condition: object) -> ExpectedCost | None:
    """The costs that a condition is made of; None if it is none, or of another kind."""
    return condition.costs if isinstance(condition, Condition) else None


def _raised(weights: tuple[Fraction, Fraction], way: int = 1) -> tuple[Fraction, Fraction]:
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


def _ratio(of_fpr: Fraction, of_miss: Fraction) -> float:
    """A slope, which may be infinite."""
    return float(of_fpr / of_miss) if of_fpr < 10**308 * of_miss else math.inf
