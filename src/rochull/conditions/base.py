"""The base of all conditions: what every one of them answers."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.messages import Refusal, Setting, refused
from rochull._core.validation import Array, probability
from rochull.conditions.clauses import LEGEND, REFERENCE
from rochull.conditions.frontier import Choice, ClippedHull, Frontier
from rochull.conditions.objectives import Objective, best_index
from rochull.conditions.question import Question
from rochull.conditions.ranges import ImpreciseConditionError, Proportion, Ranged
from rochull.words.clauses import Clause

if TYPE_CHECKING:
    from rochull.conditions.rules import OperatingPoint, Rule

_ROUNDING = Fraction(1, 10**12)  # of rates, which no limit is broken by
_NO_PREVALENCE = "is given, but the condition has none that it could replace: {}."
_UNSAID = (
    "is needed: the condition states none, and there are no examples here whose own could stand for it; "
    "state one, such as {}."
)


class InfeasibleConditionError(Refusal):
    """No operating point meets the condition; the message says what can be reached."""


class Vertices(Protocol):
    """What a point is found on: vertices of a hull, the rules that reach them, and the data's prevalence."""

    @property
    def frontier(self) -> Frontier:
        """The vertices."""

    @property
    def owners(self) -> Sequence[tuple[Rule, ...]]:
        """The rules that reach each."""

    @property
    def prevalence(self) -> float | None:
        """Proportion of positives in the data; None if there are none."""

    @property
    def every_threshold(self) -> Vertices | None:
        """The points of all thresholds of the one classifier, unweighted; None if they are not known."""


@dataclass(frozen=True)
class Condition(Ranged, ABC):
    """What a decision maker wants: the base of all conditions.

    Any number may be an interval `(low, high)`: an imprecise condition. Questions about points are for
    precise ones. A new condition states what is abstract here; a limit on the rates had better be a
    :class:`rochull.conditions.limits.Limit`, which answers most of it.
    """

    best_is_vertex: ClassVar[bool] = False  # of any hull, so that no mixture or other threshold is better
    can_review: ClassVar[bool] = False  # so its best point is none of a hull: see own_point
    amounts: ClassVar[Collection[str]] = ()  # the numbers that are not shares
    straight: ClassVar[Collection[str]] = ()  # the best value is straight between their turning points

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "confidence" in inspect.get_annotations(cls) and cls.limits_kept is Condition.limits_kept:
            raise TypeError(f"{cls.__name__} states a confidence, but does not define limits_kept.")

    def __new__(cls, *args: Any, **numbers: Any) -> Self:
        missing = sorted(getattr(cls, "__abstractmethods__", ()))
        if missing:
            told = (f"{name} ({_first_sentence(getattr(cls, name))})" for name in missing)
            raise TypeError(f"{cls.__name__} is not complete: it does not define {'; nor '.join(told)}.")
        return super().__new__(cls)

    # --- what it asks for ----------------------------------------------------------------------

    @cached_property
    def question(self) -> Question:
        """The question in its normal form (Question)."""
        return self._question()

    def _question(self) -> Question:
        """Give what is best, within which limits, how sure, and for which batch."""
        return Question(self.objective, asked=self)

    def _range(self) -> tuple[tuple[str, Any], ...]:
        """The numbers that are known roughly."""
        return tuple(self.spread.items())

    @property
    @abstractmethod
    def objective(self) -> Objective:
        """What it makes as large or as small as it can."""

    def merit(self, point: OperatingPoint) -> tuple[float | Fraction, ...]:
        """What operating points are compared by: the larger, the better.

        Parameters
        ----------
        point : OperatingPoint
            Its rates count.

        Returns
        -------
        tuple of float or Fraction
            To be compared from left to right.
        """
        return self.objective.merit(Fraction(point.fpr), Fraction(point.tpr))

    @property
    def clause(self) -> Clause:
        """What it asks for, to be put in words by a vocabulary (Clause)."""
        return self.question.clause

    @abstractmethod
    def is_met(self, fpr: Fraction, tpr: Fraction) -> bool:
        """Tell whether rates are allowed, exactly: all are, if nothing is limited."""

    def is_kept(self, fpr: float, tpr: float) -> bool:
        """Tell whether rates are allowed that may be rounded, such as those of other examples.

        Parameters
        ----------
        fpr, tpr : float
            The rates.

        Returns
        -------
        bool
            True for all rates, if nothing is limited.
        """
        near = [Fraction(tpr) + way * _ROUNDING for way in (-1, 1)]
        return any(self.is_met(Fraction(fpr) - _ROUNDING, each) for each in near)

    @abstractmethod
    def best(self, frontier: Frontier) -> Choice:
        """Find the best point of a hull.

        Raises
        ------
        InfeasibleConditionError
            If no point is allowed.
        """

    @abstractmethod
    def best_single(self, frontier: Frontier) -> int:
        """Find the best of the points of a frontier, without mixtures; its errors are those of :meth:`best`.

        Returns
        -------
        int
            The index of the point.
        """

    def stretch(self, frontier: Frontier) -> ClippedHull:
        """Give the part of a hull that it allows for costs that are in a range.

        Returns
        -------
        ClippedHull
            All of it, if nothing is limited besides.
        """
        return ClippedHull(frontier, Choice(0), Choice(len(frontier.fp) - 1))

    def allowed(self, frontier: Frontier) -> Array:
        """List the points of a frontier that it allows for costs that are in a range.

        Returns
        -------
        ndarray of int, shape (m,)
            All of them, if nothing is limited besides.
        """
        return np.arange(len(frontier.fp))

    def own_point(
        self, hulls: Iterable[Vertices], deterministic: bool, minimax: bool = False
    ) -> OperatingPoint | None:
        """Find the best point where that is none of a hull, as there are more than two actions.

        Parameters
        ----------
        hulls : iterable of Vertices
            One for each classifier, on the same examples.
        deterministic : bool
            Take no mixture.
        minimax : bool
            Over the range of the condition, take the point that risks least.

        Returns
        -------
        OperatingPoint or None
            None if :meth:`best` and :meth:`best_single` tell.
        """
        return None

    def describe(self) -> str:
        """Say in words what it asks for.

        Returns
        -------
        str
            Without a full stop.
        """
        return REFERENCE.told(self.clause)

    @property
    def written(self) -> str:
        """The repr, with a word on the prevalence if that was taken from the data."""
        of_data = isinstance(self.own_prevalence, Proportion)
        return f"{self!r}{', the prevalence being that of the data' if of_data else ''}"

    @property
    def parameters(self) -> dict[str, Any]:
        """The numbers by name (dict)."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @property
    def label(self) -> str:
        """A few words for a legend."""
        return LEGEND.told(self.clause)

    def line(self, fpr: float, tpr: float) -> tuple[str, tuple[float, float, float]] | None:
        """Give the line ``a tpr + b fpr = c`` that shows the condition beside its best point.

        Returns
        -------
        tuple of str and (a, b, c), or None
            What the line is, "iso-performance" or "constraint"; None if there is none.
        """
        return None

    # --- what it has ---------------------------------------------------------------------------

    @property
    def costs(self) -> Any:
        """The ExpectedCost that it is, by which other figures can be told; None if it is none."""
        return None

    @property
    def confidence(self) -> float | None:
        """The probability with which the population is to keep the limits, if that is stated."""
        return None

    def with_confidence(self, confidence: float | None) -> Self:
        """Give the same with another confidence, if it has limits that could be promised.

        Parameters
        ----------
        confidence : float or None
            Strictly between 0 and 1.
        """
        given: dict[str, Any] = {"confidence": confidence}
        return replace(self, **given) if "confidence" in vars(self) else self

    def to_be_set_on(self, n_neg: int, n_pos: int) -> Self:
        """Give the condition, without confidence, whose best point is where examples may set the threshold.

        Parameters
        ----------
        n_neg, n_pos : int
            How many negatives and positives there are.
        """
        return self.with_confidence(None)

    def _check_confidence(self) -> None:
        """Validate the confidence that is stated, if there is one."""
        if self.confidence is not None:
            number = probability(self.confidence, "confidence", open_ends=True)
            object.__setattr__(self, "confidence", number)

    def limits_kept(self) -> Iterable[Any]:
        """List what it limits.

        Returns
        -------
        iterable of RateLimit
            All of it, which a confidence is of.
        """
        return ()

    @property
    def own_prevalence(self) -> Any:
        """The proportion of positives that it is about; None if it is about none."""
        return vars(self).get("prevalence")

    @property
    def lacks_prevalence(self) -> bool:
        """Whether it depends on a prevalence that it does not state: that of the object asked counts."""
        return vars(self).get("prevalence", 0) is None

    def at_prevalence(self, prevalence: float | None) -> Self:
        """Give the condition as it is asked of an object.

        Parameters
        ----------
        prevalence : float or None
            The proportion of positives in the object's data, used where the condition states none; None
            if there are no data.

        Returns
        -------
        Condition
            The same object, if it does not lack a prevalence.

        Raises
        ------
        ValueError
            If there is none at all.
        """
        if not self.lacks_prevalence:
            return self
        if prevalence is None:
            raise refused("prevalence", _UNSAID, Setting("prevalence", 0.1))
        return self.with_numbers(prevalence=prevalence)

    def require_precise(self) -> None:
        super().require_precise()
        self.at_prevalence(None)

    @property
    def cases_in_batch(self) -> int | None:
        """How many rows of a batch it wants, whole ones; None if it does not speak of cases."""
        return None

    @property
    def reviews_in_batch(self) -> int | None:
        """How many rows of a batch can be reviewed, whole ones; None if it does not speak of that."""
        return None

    def beside_batch(self) -> Condition | None:
        """Give what it asks for besides a number of cases.

        Returns
        -------
        Condition or None
            None if there is nothing else.
        """
        return None

    def refuse_confidence(self) -> None:
        """Raise if it states a confidence: such a limit has no place on a hull."""
        if self.confidence is not None:
            raise Refusal(
                "{} needs the examples, which the vertices of a hull do not hold; ask for the segment "
                "without it.",
                Setting("confidence", self.confidence, "g"),
            )

    def refuse_prevalence(self) -> None:
        """Raise if another prevalence cannot replace its own."""
        if self.own_prevalence is None and not self.lacks_prevalence:
            raise refused("prevalence", _NO_PREVALENCE, self)

    # --- over its range ------------------------------------------------------------------------

    def ends(self) -> tuple[Self, Self]:
        """Find the strictest and the loosest condition of its box.

        Returns
        -------
        tuple of 2 Condition
            The condition itself, twice, if it is precise.
        """
        if not self.intervals:
            return self, self
        raise ImpreciseConditionError(
            f"condition must be precise, but is {self!r}; give single numbers for ranges."
        )

    def segment(self, frontier: Frontier) -> tuple[int, int]:
        """Find the vertices of a hull that are needed somewhere in the range.

        Returns
        -------
        tuple of 2 int
            The first and the last.
        """
        # Along a hull the optimum moves one way as a limit loosens, so it stays between those of the ends.
        self.refuse_confidence()
        choices = [end.best(frontier) for end in self.ends()]
        return min(c.left for c in choices), max(c.left + (c.share > 0) for c in choices)

    def regret(self, fpr: Fraction, tpr: Fraction, frontier: Frontier) -> float:
        """Tell what a point loses against the best of a hull.

        Returns
        -------
        float
            In the unit of the objective; inf if the point is not allowed.
        """
        if not self.is_met(fpr, tpr):
            return float("inf")
        best = self.best(frontier).exact_rates(frontier)
        objective = self.objective
        return objective.regret(objective.exact_value(fpr, tpr), objective.exact_value(*best))

    def largest_gap(self, whole: Frontier, kept: Frontier) -> float:
        """Tell the most that is lost anywhere in the range if one hull is kept instead of another.

        Parameters
        ----------
        whole, kept : Frontier
            The vertices of the hulls; the second is nowhere above the first.

        Returns
        -------
        float
            In the unit of the objective.

        Raises
        ------
        ImpreciseConditionError
            If that is not known for this condition.
        """
        raise ImpreciseConditionError(f"condition must be precise, but is {self!r}.")

    def best_values(self, frontier: Frontier, **numbers: Array) -> Array | None:
        """Compute the objective at the best points for many values of some numbers, in floats.

        Parameters
        ----------
        **numbers : ndarray of shape (n,)
            By name; the others are single numbers.

        Returns
        -------
        ndarray of shape (n,) or None
            None if each would have to be searched for by itself.
        """
        return None

    # --- one number at a time ------------------------------------------------------------------

    def varied(self) -> tuple[str, ...]:
        """List the numbers whose effect on the optimum can be told one by one.

        Returns
        -------
        tuple of str
            Their names; an error if there are none.
        """
        raise ValueError(f"condition must be a cost or a limit, but is {self!r}.")

    def turning_points(self, name: str, frontier: Frontier) -> list[tuple[Fraction, int]]:
        """List the values of one number at which the optimum is at a vertex, or passes along an edge.

        Returns
        -------
        list of (Fraction, int)
            Ascending, each with the vertex where the optimum then is (for costs, the left of two).
        """
        raise ValueError(f"condition must be a cost or a limit, but is {self!r}.")


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
        return Question(self.measure, ranges=self._range(), asked=self)

    @property
    def objective(self) -> Objective:
        return self.measure

    @property
    def own_prevalence(self) -> Any:
        return self.measure.own_prevalence

    @property
    def lacks_prevalence(self) -> bool:
        return self.measure.lacks_prevalence

    def with_numbers(self, **values: float) -> Self:
        return replace(self, measure=self.measure.at_prevalence(values["prevalence"]))

    def is_met(self, fpr: Fraction, tpr: Fraction) -> bool:
        return True

    def best(self, frontier: Frontier) -> Choice:
        return Choice(self.best_single(frontier))

    def best_single(self, frontier: Frontier) -> int:
        return best_index(self.measure, frontier, np.arange(len(frontier.fp)))


def as_condition(condition: object) -> Condition:
    """The condition, if it is one; of a measure that it is to be the best."""
    if isinstance(condition, Objective):
        return Best(condition)
    if not isinstance(condition, Condition):
        raise TypeError(no_condition(repr(condition)))
    return condition


def no_condition(shown: str) -> str:
    """What is said where something else than a condition is given."""
    return (
        f"condition must be an operating condition, but is {shown}; give one such as "
        "rh.ExpectedCost(cost_fp=1, cost_fn=5)."
    )


def require_prevalence(condition: object) -> Condition:
    """The condition, if it is one whose prevalence can be replaced."""
    if not isinstance(condition, Condition):
        raise refused("prevalence", _NO_PREVALENCE, condition)
    condition.refuse_prevalence()
    return condition


def _first_sentence(member: object) -> str:
    text = (inspect.getdoc(member) or "").split("\n", maxsplit=1)[0].rstrip(".")
    return text[:1].lower() + text[1:]
