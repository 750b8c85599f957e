"""Expected costs: the conditions that weigh false alarms and misses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, NoReturn, Self

from rochull._core.messages import Refusal, Setting, joined
from rochull._core.validation import non_negative, probability, real
from rochull.conditions.base import Condition
from rochull.conditions.clauses import LEGEND, clause_number
from rochull.conditions.cost_spans import NUMBERS, CostSpan
from rochull.conditions.measures import CostPerCase
from rochull.conditions.objectives import Cost, RateLimit
from rochull.conditions.question import Question
from rochull.conditions.ranges import Imprecise, exact, middles, ranges_of, require_single
from rochull.conditions.spans import Span
from rochull.conditions.vertices import unsaid
from rochull.words.clauses import Clause

if TYPE_CHECKING:
    from rochull.conditions.rules import OperatingPoint


@dataclass(frozen=True)
class ExpectedCost(Condition):
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

    _called: ClassVar[str] = "costs"  # in the catalogue
    _varied: ClassVar[tuple[str, ...]] = NUMBERS

    cost_fp: Imprecise = 1.0
    cost_fn: Imprecise = 1.0
    prevalence: Imprecise | None = None

    def __post_init__(self) -> None:
        self._check(non_negative, "cost_fp", "cost_fn", spread=True)
        self._check(probability, "prevalence", spread=True)
        # The ends of an interval or a support have no probability, so they need not cost anything.
        if not self._matters(middles(self._range())):
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
        require_single(self._range())
        if self.prevalence is None:
            raise unsaid()
        found = Cost.weighed(self.cost_fp, self.cost_fn, self.prevalence)
        return found.of_fpr, found.of_miss

    @property
    def slope(self) -> float:
        """Slope of the iso-performance lines: 0 (misses alone matter) to inf (false alarms alone)."""
        of_fpr, of_miss = self.weights
        return _ratio(of_fpr, of_miss)

    @property
    def slope_range(self) -> tuple[float, float]:
        """Smallest and largest slope over the intervals and the supports of distributions."""
        low, high = CostSpan(self).extreme_weights
        return _ratio(*low), _ratio(*high)

    def cost(self, fpr: float, tpr: float) -> float:
        """Compute the expected cost per case at the given rates.

        Parameters
        ----------
        fpr, tpr : float
            False and true positive rate.

        Returns
        -------
        float
            In the unit of the costs.
        """
        found: float = Cost(*self.weights).value(fpr, tpr)
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

        Parameters
        ----------
        fpr, tpr : float
            False and true positive rate.

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

    def __le__(self, limit: float) -> RateLimit:
        return self._limited("<=", limit)

    def __ge__(self, limit: float) -> RateLimit:
        return self._limited(">=", limit)

    def __lt__(self, limit: float) -> NoReturn:
        raise TypeError(f"a limit includes its end: write {self} <= {limit!r}.")

    def __gt__(self, limit: float) -> NoReturn:
        raise TypeError(f"a limit includes its end: write {self} >= {limit!r}.")

    def _limited(self, side: str, limit: float) -> RateLimit:
        """Give the limit on an expected cost per case that a comparison writes."""
        measure = CostPerCase(self.prevalence, self.cost_fp, self.cost_fn)  # type: ignore[arg-type]
        return RateLimit(measure, side, real(limit, f"the limit of {self}"))

    # --- as a condition ------------------------------------------------------------------------

    def _question(self) -> Question:
        plain = self if type(self) is ExpectedCost else self._plain()
        return Question(plain, (), None, None, ranges_of(vars(self)), self, self._span)

    def _span(self) -> Span:
        """Effect of its numbers."""
        return CostSpan(self, self._varied)

    def _plain(self) -> ExpectedCost:
        """The costs that it is, of which others with other words are the same question."""
        made = object.__new__(ExpectedCost)  # of numbers that were checked
        vars(made).update((name, getattr(self, name)) for name in NUMBERS)
        return made

    @property
    def best_clause(self) -> Clause:
        """State this as the goal (Clause)."""
        return Clause(
            f"best.{self._called}", cost_fp=clause_number(self.cost_fp), cost_fn=clause_number(self.cost_fn)
        )


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

    _varied = ("prevalence",)

    def __init__(self, prevalence: Imprecise | None = None) -> None:
        super().__init__(1.0, 1.0, prevalence)

    def __repr__(self) -> str:
        return f"Accuracy(prevalence={self.prevalence!r})"

    def with_numbers(self, **values: float) -> Self:
        return type(self)(values.get("prevalence", self.prevalence))

    @property
    def label(self) -> str:
        return LEGEND.told(Clause("best.accuracy"))


def costs_of(condition: object) -> ExpectedCost | None:
    """The costs that a condition is made of; None if it is none, or of another kind."""
    return condition.question.costs if isinstance(condition, (Condition, Question)) else None


def costs_alone(condition: object) -> ExpectedCost | None:
    """The costs that a condition is; None if it is none, or of another kind, or within limits."""
    question = condition.question if isinstance(condition, (Condition, Question)) else None
    return None if question is None or question.limits or question.batch is not None else question.costs


def _ratio(of_fpr: Fraction, of_miss: Fraction) -> float:
    """A slope, which may be infinite."""
    return float(of_fpr / of_miss) if of_fpr < 10**308 * of_miss else math.inf
