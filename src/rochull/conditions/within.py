"""Several limits at once: the best point of what they leave of a hull.

No limit keeps a rule from being better, so each is met by a hull on one stretch, and nothing below the hull
is better than the best of what all of them leave of it: a vertex, or a mixture of two neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import numpy as np

from rochull._core.messages import Message, Parameter, Refusal, joined, refused
from rochull._core.validation import Array
from rochull.conditions.assurance import assured_points, best_assured
from rochull.conditions.base import Condition, InfeasibleConditionError, as_condition
from rochull.conditions.capacity import Capacity
from rochull.conditions.clauses import REFERENCE
from rochull.conditions.comparisons import as_limits
from rochull.conditions.error_rates import MinimumRecall, NeymanPearson
from rochull.conditions.frontier import Choice, ClippedHull, Frontier, HalfPlane
from rochull.conditions.limits import Limit
from rochull.conditions.measures import AlarmRate, Precision
from rochull.conditions.objectives import FalsePositiveRate, Objective, RateLimit, Recall, best_index
from rochull.conditions.precision import MinimumPrecision
from rochull.conditions.question import Question

_LIMIT = "Recall() >= 0.6"


@dataclass(frozen=True, repr=False)
class Within(Condition):
    """The best of what several limits leave.

    Parameters
    ----------
    goal : Condition or Objective
        What is best: a cost, a utility, or a measure such as ``Recall()``. A limit, such as
        :class:`NeymanPearson`, is also one of the limits.
    limits : RateLimit, Limit or sequence of these
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
        if goal.can_review:
            raise Refusal(
                "goal is {}: a third action takes no other limits than {} and {}.",
                repr(goal),
                Parameter("max_share"),
                Parameter("max_error"),
            )
        given = as_limits(self.limits, (RateLimit, Limit), _LIMIT)
        if isinstance(goal, Within):
            if None not in (self.confidence, goal.confidence) and self.confidence != goal.confidence:
                raise refused("confidence", "is {}, but that of {} is another.", f"{self.confidence:g}", goal)
            object.__setattr__(self, "confidence", self.confidence or goal.confidence)
            goal, given = goal.goal, (*goal.limits, *given)
        limits = [
            x.as_rate_limit() if isinstance(x, Limit) and x.cases_in_batch is None else x for x in given
        ]
        if goal.own_prevalence is not None:  # one that limits do not state is that of the goal
            own = goal.box.get("prevalence", goal.own_prevalence)
            limits = [x.at_prevalence(own) if x.lacks_prevalence else x for x in limits]
        object.__setattr__(self, "goal", goal)
        object.__setattr__(self, "limits", tuple(dict.fromkeys(limits)))
        for condition in (goal, *given):
            if isinstance(condition, Condition):
                condition.refuse_confidence()

    def __repr__(self) -> str:
        sure = "" if self.confidence is None else f", confidence={self.confidence!r}"
        return f"Within({self.goal!r}, [{', '.join(map(repr, self.limits))}]{sure})"

    # --- what it asks for ----------------------------------------------------------------------

    def _question(self) -> Question:
        parts = [self.goal.question, *(x.question for x in self.limits if isinstance(x, Condition))]
        limits = [*parts[0].limits]
        for limit in self.limits:
            limits += limit.question.limits if isinstance(limit, Condition) else [limit]
        batches = [part.batch for part in parts if part.batch is not None]
        batch = min(batches, key=lambda each: each.cases, default=None)
        goal, kept = parts[0].goal, tuple(dict.fromkeys(limits))
        known = named(goal, kept, self.confidence) if batch is None and not self._range() else None
        return Question(goal, kept, self.confidence, batch, self._range(), known or self)

    @property
    def objective(self) -> Objective:
        found: Objective = self.goal.objective
        return found

    @property
    def parameters(self) -> dict[str, Any]:
        told = "; ".join(map(REFERENCE.told, self.question.limit_clauses))
        return {**self.goal.parameters, "subject_to": told, "confidence": self.confidence}

    def limits_kept(self) -> Iterator[RateLimit]:
        """The limits, with that of the goal.

        Yields
        ------
        RateLimit
            Each once or more often.
        """
        if isinstance(self.goal, Limit):
            yield self.goal.as_rate_limit()
        yield from (x.as_rate_limit() if isinstance(x, Limit) else x for x in self.limits)

    def _needs_alarms(self) -> bool:
        return any(limit.needs_alarms for limit in self.limits_kept())

    def is_met(self, fpr: Fraction, tpr: Fraction) -> bool:
        return all(limit.is_met(fpr, tpr) for limit in (self.goal, *self.limits))

    # --- the best point ------------------------------------------------------------------------

    def stretch(self, frontier: Frontier) -> ClippedHull:
        found = _common(tuple(self.limits_kept()), frontier)
        if found is None:
            raise self._unmet(frontier)
        return found

    def best(self, frontier: Frontier) -> Choice:
        self.require_precise()
        stretch, goal = self.stretch(frontier), self.goal
        if isinstance(goal, Limit) and goal.objective.is_single_peaked:
            goal = as_condition(goal.objective)
        if goal.objective.is_single_peaked:
            return stretch.nearest(goal.best(frontier))
        return stretch.restored(goal.best(stretch.frontier))

    def best_single(self, frontier: Frontier) -> int:
        self.require_precise()
        if self.confidence is not None:
            return best_assured(self, frontier)
        allowed = self.allowed(frontier)
        if not allowed.size:
            self.stretch(frontier)  # says why, if mixtures cannot meet them either
            raise InfeasibleConditionError(
                "no single rule meets {}; a mixture of two does.", joined(" and ", self.limits_kept())
            )
        return best_index(self.objective, frontier, allowed)

    def allowed(self, frontier: Frontier) -> Array:
        if self.confidence is not None:
            return assured_points(self.limits_kept(), frontier, self.confidence)
        met = np.ones(len(frontier.fp), bool)
        for limit in self.limits_kept():
            met &= limit.met_by(frontier)
        return np.flatnonzero(met)

    def _unmet(self, frontier: Frontier) -> InfeasibleConditionError:
        """Say which limits cannot be met together, and what each would have to be."""
        limits = tuple(dict.fromkeys(self.limits_kept()))
        alone = [limit for limit in limits if _common((limit,), frontier) is None]
        if alone:
            conflicts = [joined("", [limit]) for limit in alone]
        else:  # stretches of a line: where any two have a point in common, all have
            pairs = ((a, b) for i, a in enumerate(limits) for b in limits[i + 1 :])
            conflicts = [joined(" and ", pair) for pair in pairs if _common(pair, frontier) is None]
        helpful = []
        for limit in limits:
            others = _common(tuple(other for other in limits if other is not limit), frontier)
            if others is not None:
                helpful.append(limit.relaxed(others))
        instead = joined("; or ", (limit for limit in helpful if limit is not None))
        other = Message("One of these instead would do: {}.", instead) if instead.parts else ""
        return InfeasibleConditionError("no operating point meets {}. {}", joined("; nor ", conflicts), other)

    # --- over the range of the goal ------------------------------------------------------------

    @property
    def intervals(self) -> tuple[str, ...]:
        return tuple(self.spread)

    @property
    def spread(self) -> dict[str, Any]:
        found: dict[str, Any] = self.goal.spread
        return found

    @property
    def center(self) -> Self:
        return replace(self, goal=self.goal.center)

    def with_numbers(self, **values: float) -> Self:
        limits = self.limits
        if "prevalence" in values:
            limits = tuple(_at(limit, values["prevalence"]) for limit in limits)
            if self.goal.own_prevalence is None and not self.goal.lacks_prevalence:
                del values["prevalence"]
        return replace(self, goal=self.goal.with_numbers(**values) if values else self.goal, limits=limits)

    def moved(self, name: str, value: Fraction) -> Self:
        return replace(self, goal=self.goal.moved(name, value))

    def finite_corners(self) -> tuple[Self, ...]:
        return tuple(replace(self, goal=corner) for corner in self.goal.finite_corners())

    def require_precise(self) -> None:
        self.goal.require_precise()
        self.at_prevalence(None)

    @property
    def own_prevalence(self) -> Any:
        stated = (each.own_prevalence for each in (self.goal, *self.limits))
        return next((prevalence for prevalence in stated if prevalence is not None), None)

    @property
    def lacks_prevalence(self) -> bool:
        return self.goal.lacks_prevalence or any(limit.lacks_prevalence for limit in self.limits)

    def at_prevalence(self, prevalence: float | None) -> Self:
        if not self.lacks_prevalence or prevalence is None:
            return super().at_prevalence(prevalence)
        limits = [x.at_prevalence(prevalence) if x.lacks_prevalence else x for x in self.limits]
        return replace(self, goal=self.goal.at_prevalence(prevalence), limits=limits)

    def ends(self) -> tuple[Self, Self]:
        tight, loose = self.goal.ends()
        return replace(self, goal=tight), replace(self, goal=loose)

    def segment(self, frontier: Frontier) -> tuple[int, int]:
        if self.costs is None:
            return super().segment(frontier)
        self.refuse_confidence()
        stretch, (first, last) = self.stretch(frontier), self.goal.segment(frontier)
        low, high = stretch.nearest(Choice(first)), stretch.nearest(Choice(last))
        return low.left, high.left + (high.share > 0)

    @property
    def costs(self) -> Any:
        return self.goal.costs

    @property
    def cases_in_batch(self) -> int | None:
        conditions = (each for each in (self.goal, *self.limits) if isinstance(each, Condition))
        return min((n for each in conditions if (n := each.cases_in_batch) is not None), default=None)

    def beside_batch(self) -> Condition | None:
        limits = [x for x in self.limits if isinstance(x, RateLimit)]
        if self.goal.cases_in_batch is None:
            return replace(self, limits=limits)
        return replace(self, goal=self.goal.objective, limits=limits) if limits else None


def _common(limits: Sequence[RateLimit], frontier: Frontier) -> ClippedHull | None:
    """The stretch of a hull that keeps all of some limits; None if no point does."""
    low, high = Choice(0), Choice(len(frontier.fp) - 1)
    for limit in limits:
        for plane in limit.half_planes():
            half = HalfPlane(plane, frontier)
            entering, leaving = half.entering(), half.leaving()
            if entering is None or leaving is None:
                return None
            low, high = max(low, entering), min(high, leaving)
    if any(limit.needs_alarms for limit in limits):
        if high == Choice(0):
            return None
        if low == Choice(0):  # no point is the first with alarms; the first vertex has the best precision
            low = min(Choice(1), high)
    return None if low > high else ClippedHull(frontier, low, high)


def named(goal: Any, limits: Sequence[RateLimit], confidence: float | None) -> Condition | None:
    """The condition that has a name for a measure, or costs, within limits; None if there is none."""
    of_data = [limit for limit in limits if not isinstance(limit.own_prevalence, tuple)]
    match goal, of_data:
        case _, []:
            return goal if not limits and isinstance(goal, Condition) else None
        case Recall(), [RateLimit(FalsePositiveRate(), limit=most)] if len(limits) == 1:
            return NeymanPearson(most, confidence)
        case FalsePositiveRate(), [RateLimit(Recall(), limit=least)] if len(limits) == 1:
            return MinimumRecall(least, confidence)
        case Recall(), [RateLimit(Precision(share), limit=least)] if len(limits) == 1:
            return MinimumPrecision(least, share, confidence)
        case Recall(), [RateLimit(AlarmRate(share), limit=most)] if len(limits) == 1:
            return Capacity(prevalence=share, fraction=most, confidence=confidence)
    return None


def _at(limit: Any, prevalence: float) -> Any:
    """A limit at another prevalence; a number of cases in a batch is kept whatever it is."""
    return limit.at_prevalence(prevalence) if isinstance(limit, RateLimit) else limit


def asked(condition: Any, subject_to: Any = ()) -> Condition:
    """What is asked of a hull: a condition, or a measure that is to be the best, within limits.

    Parameters
    ----------
    condition : Condition or Objective
    subject_to : RateLimit, Limit, or sequence of these
    """
    limits = as_limits(subject_to, (RateLimit, Limit), _LIMIT)
    return Within(condition, limits) if limits else as_condition(condition)
