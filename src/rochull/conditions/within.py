"""Several limits at once: the best point of what they leave of a hull.

No limit keeps a rule from being better, so each is met by a hull on one stretch, and nothing below the hull
is better than the best of what all of them leave of it: a vertex, or a mixture of two neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

from rochull._core.messages import Parameter, Refusal, refused
from rochull.conditions.base import Condition, no_condition
from rochull.conditions.capacity import Capacity
from rochull.conditions.comparisons import as_limits
from rochull.conditions.costs import ExpectedCost
from rochull.conditions.error_rates import MinimumRecall, NeymanPearson
from rochull.conditions.limits import Excess, WithinHalfPlane
from rochull.conditions.measures import AlarmRate, CostPerCase, Precision
from rochull.conditions.objectives import FalsePositiveRate, Objective, RateLimit, Recall
from rochull.conditions.precision import MinimumPrecision
from rochull.conditions.question import NO_PREVALENCE, Question
from rochull.conditions.ranges import exact, require_single
from rochull.conditions.spans import Span


@dataclass(frozen=True, repr=False)
class Best(Condition):
    """The best value of one measure.

    Parameters
    ----------
    measure : Objective
        Such as ``Recall()``.
    """

    measure: Objective

    def __repr__(self) -> str:
        return str(self.measure)

    def _question(self) -> Question:
        return Question(self.measure, written=self, spanned=self._span)

    def _span(self) -> Span:
        return Span(self)

    def with_numbers(self, **values: Any) -> Self:
        return replace(self, measure=self.measure.at_prevalence(values["prevalence"]))


@dataclass(frozen=True, repr=False)
class Within(Condition):
    """The best of what several limits leave.

    Parameters
    ----------
    goal : Condition or Objective
        What is best: a cost, a utility, or a measure such as ``Recall()``. A limit, such as
        :class:`NeymanPearson`, is also one of the limits.
    limits : RateLimit, Condition or sequence of these
        Such as ``Precision(prevalence=0.1) >= 0.5``, or ``NeymanPearson(0.1)``.
    confidence : float, optional
        Strictly between 0 and 1. The threshold is then chosen so that the *population* keeps all limits
        together with at least this probability, as each of them does by itself; see
        :class:`NeymanPearson` and :class:`MinimumPrecision`.

    Raises
    ------
    ValueError
        If something else is given, or a limit states a confidence of its own.

    Examples
    --------
    >>> import rochull as rh
    >>> hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> limits = [rh.FalsePositiveRate() <= 0.4, rh.Precision(prevalence=0.5) >= 0.7]
    >>> print(hull.at(rh.Within(rh.Recall(), limits)))
    fpr 0.375, tpr 0.875: score >= 0.9 (25%) or score >= 0.7 (75%)
    """

    goal: Any
    limits: Any
    confidence: float | None = None

    def __post_init__(self) -> None:
        self._check_confidence()
        goal = as_condition(self.goal)
        if goal.question.has_third_action:
            raise Refusal(
                "goal is {}: a third action takes no other limits than {} and {}.",
                repr(goal),
                Parameter("max_share"),
                Parameter("max_error"),
            )
        given = limits_in(self.limits)
        if isinstance(goal, Within):
            if None not in (self.confidence, goal.confidence) and self.confidence != goal.confidence:
                raise refused("confidence", "is {}, but that of {} is another.", f"{self.confidence:g}", goal)
            object.__setattr__(self, "confidence", self.confidence or goal.confidence)
            goal, given = goal.goal, (*goal.limits, *given)
        limits = [_as_limit(limit) for limit in given]
        own = goal.question.box.get("prevalence", goal.question.own_prevalence)
        if own is not None:  # one that limits do not state is that of the goal
            limits = [limit.at_prevalence(own) if _lacks(limit) else limit for limit in limits]
        object.__setattr__(self, "goal", goal)
        object.__setattr__(self, "limits", tuple(dict.fromkeys(limits)))
        for condition in (goal, *given):
            if isinstance(condition, Condition):
                condition.question.refuse_confidence()

    def __repr__(self) -> str:
        sure = "" if self.confidence is None else f", confidence={self.confidence!r}"
        return f"Within({self.goal!r}, [{', '.join(map(repr, self.limits))}]{sure})"

    def _question(self) -> Question:
        of_batch = (limit.question for limit in self.limits if isinstance(limit, Condition))
        parts: list[Question] = [self.goal.question, *of_batch]
        limits = [*parts[0].limits]
        for limit in self.limits:
            limits += limit.question.limits if isinstance(limit, Condition) else [limit]
        batches = [part.batch for part in parts if part.batch is not None]
        batch = min(batches, key=lambda each: each.cases, default=None)
        goal, kept = parts[0].goal, tuple(dict.fromkeys(limits))
        ranges = parts[0].ranges
        if not kept and batch is None and self.confidence is None:
            return parts[0]
        known = named_condition(goal, kept, self.confidence) if batch is None and not ranges else None
        if known is not None:
            return known.question
        return Question(goal, kept, self.confidence, batch, ranges, self, self._span)

    def _span(self) -> Span:
        return GoalSpan(self, self.goal.question.span)

    def with_numbers(self, **values: float) -> Self:
        limits = self.limits
        if "prevalence" in values:
            prevalence = values["prevalence"]  # whatever it is, a batch keeps its number of cases
            limits = tuple(x if isinstance(x, Condition) else x.at_prevalence(prevalence) for x in limits)
            goal = self.goal.question
            if goal.own_prevalence is None and not goal.lacks_prevalence:
                del values["prevalence"]
        return replace(self, goal=self.goal.with_numbers(**values) if values else self.goal, limits=limits)

    def at_prevalence(self, prevalence: float | None) -> Self:
        if not self.question.lacks_prevalence or prevalence is None:
            return super().at_prevalence(prevalence)
        limits = [x.at_prevalence(prevalence) if _lacks(x) else x for x in self.limits]
        return replace(self, goal=self.goal.at_prevalence(prevalence), limits=limits)


class GoalSpan(Span):
    """The ranges of a goal within limits; the effect of its numbers one by one is unknown there."""

    def __init__(self, condition: Any, goal: Span) -> None:
        super().__init__(condition)
        self.goal = goal

    def ends(self) -> tuple[dict[str, float], dict[str, float]]:
        return self.goal.ends()


def named_condition(goal: Any, limits: Sequence[RateLimit], confidence: float | None) -> Condition | None:
    """The condition that has a name for a measure, or costs, within limits; None if there is none."""
    if len(limits) != 1 or limits[0].is_least or isinstance(limits[0].own_prevalence, tuple):
        return None
    limit = limits[0].limit
    if isinstance(limit, Fraction):
        limit = float(limit)
        if exact(limit) != exact(limits[0].limit):
            return None
    match goal, limits[0].measure:
        case Recall(), FalsePositiveRate():
            return NeymanPearson(limit, confidence)
        case FalsePositiveRate(), Recall():
            return MinimumRecall(limit, confidence)
        case Recall(), Precision(share):
            return MinimumPrecision(limit, share, confidence)
        case Recall(), AlarmRate(share):
            return Capacity(prevalence=share, fraction=limit, confidence=confidence)
    return None


def limits_in(given: Any) -> tuple[Any, ...]:
    """List what is given as limits; one may stand by itself."""
    return as_limits(given, (RateLimit, WithinHalfPlane), "Recall() >= 0.6") if given != () else ()


def as_condition(condition: object) -> Condition:
    """The condition, if it is one; of a measure that it is to be the best."""
    if isinstance(condition, CostPerCase):
        return ExpectedCost(condition.cost_fp, condition.cost_fn, condition.prevalence)
    if isinstance(condition, Objective):
        return Best(condition)
    if isinstance(condition, Question):
        return condition.asked  # type: ignore[no-any-return]
    if not isinstance(condition, Condition):
        raise TypeError(no_condition(repr(condition)))
    return condition


def require_prevalence(condition: object) -> Condition | Question:
    """The condition, if it is one whose prevalence can be replaced."""
    if not isinstance(condition, (Condition, Question)):
        raise refused("prevalence", NO_PREVALENCE, condition)
    condition.question.refuse_prevalence()
    return condition


def _as_limit(limit: Any) -> Any:
    """A limit as one of several: a comparison, unless a batch keeps it; its numbers are single ones."""
    if not isinstance(limit, WithinHalfPlane) or limit.question.batch is not None:
        return limit
    found = limit.question.limits[0]
    if not isinstance(found.measure, Excess):  # which is kept throughout
        require_single(limit.question.ranges)
    return found


def _lacks(limit: Any) -> bool:
    return (limit.question if isinstance(limit, Condition) else limit).lacks_prevalence
