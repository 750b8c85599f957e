"""The base of all conditions: what every one of them answers."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar, Self

from rochull._core.validation import Array
from rochull.conditions.frontier import Choice, Frontier
from rochull.conditions.objectives import Objective
from rochull.conditions.ranges import ImpreciseConditionError, Ranged

_NO_PREVALENCE = "prevalence is given, but the condition has none that it could replace: {}."


class InfeasibleConditionError(ValueError):
    """No operating point meets the condition; the message says what can be reached."""


@dataclass(frozen=True)
class Condition(Ranged, ABC):
    """What a decision maker wants: the base of all conditions.

    Any number may be an interval `(low, high)`: an imprecise condition. Questions about points are for
    precise ones. A new condition states what is abstract here; a limit on the rates had better be a
    :class:`rochull.conditions.limits.Limit`, which answers most of it.
    """

    best_is_vertex: ClassVar[bool] = False  # of any hull, so that no mixture or other threshold is better
    amounts: ClassVar[Collection[str]] = ()  # the numbers that are not shares
    straight: ClassVar[Collection[str]] = ()  # the best value is straight between their turning points

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "confidence" in inspect.get_annotations(cls) and not hasattr(cls, "allowed_errors"):
            raise TypeError(f"{cls.__name__} states a confidence, but is not made from ErrorRateLimit.")

    def __new__(cls, *args: Any, **numbers: Any) -> Self:
        missing = sorted(getattr(cls, "__abstractmethods__", ()))
        if missing:
            told = (f"{name} ({_first_sentence(getattr(cls, name))})" for name in missing)
            raise TypeError(f"{cls.__name__} is not complete: it does not define {'; nor '.join(told)}.")
        return super().__new__(cls)

    # --- what it asks for ----------------------------------------------------------------------

    @property
    @abstractmethod
    def objective(self) -> Objective:
        """What it makes as large or as small as it can."""

    @property
    @abstractmethod
    def sentence(self) -> str:
        """What it asks for in words, with its numbers by name in braces."""

    @abstractmethod
    def is_met(self, fpr: Fraction, tpr: Fraction) -> bool:
        """Tell whether rates are allowed, exactly: all are, if nothing is limited."""

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

    def describe(self) -> str:
        """Say in words what it asks for.

        Returns
        -------
        str
            Without a full stop.
        """
        return self.sentence.format(**{f.name: shown(getattr(self, f.name)) for f in fields(self)})

    @property
    def label(self) -> str:
        """A few words for a legend."""
        return type(self).__name__

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
        """The probability with which the population's rate is to keep the limit, if that is stated."""
        return None

    @property
    def own_prevalence(self) -> Any:
        """The proportion of positives that it is about; None if it is about none."""
        return vars(self).get("prevalence")

    @property
    def cases_in_batch(self) -> int | None:
        """How many rows of a batch it wants, whole ones; None if it does not speak of cases."""
        return None

    def refuse_confidence(self) -> None:
        """Raise if it states a confidence: such a limit has no place on a hull."""
        if self.confidence is not None:
            raise ValueError(
                f"confidence={self.confidence:g} needs the examples, which the vertices of a hull do not "
                "hold; ask for the segment without it."
            )

    def refuse_prevalence(self) -> None:
        """Raise if another prevalence cannot replace its own."""
        if "prevalence" not in vars(self):
            raise ValueError(_NO_PREVALENCE.format(self))

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
        raise ImpreciseConditionError(f"condition must be precise, but is {self!r}.")

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


def as_condition(condition: object) -> Condition:
    """The condition, if it is one."""
    if not isinstance(condition, Condition):
        raise TypeError(f"condition must be an operating condition, but is {condition!r}.")
    return condition


def require_prevalence(condition: object) -> Condition:
    """The condition, if it is one whose prevalence can be replaced."""
    if not isinstance(condition, Condition):
        raise ValueError(_NO_PREVALENCE.format(condition))
    condition.refuse_prevalence()
    return condition


def shown(value: object) -> str:
    """A number of a condition, or an interval, for reading."""
    if isinstance(value, tuple):
        return " to ".join(map(shown, value))
    return f"{value:.10g}" if isinstance(value, (int, float)) else str(value)


def _first_sentence(member: object) -> str:
    text = (inspect.getdoc(member) or "").split("\n", maxsplit=1)[0].rstrip(".")
    return text[:1].lower() + text[1:]
