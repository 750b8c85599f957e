"""The base of all conditions: what every one of them answers."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

from rochull._core.cached import cached_property
from rochull._core.table_errors import names_listed, nearest
from rochull._core.validation import probability
from rochull.conditions.clauses import LEGEND, REFERENCE
from rochull.conditions.question import Question
from rochull.conditions.ranges import Numbered
from rochull.conditions.vertices import unsaid


class _Parameters:
    """The signature of a condition: that of its fields, which `__new__` does not name."""

    def __get__(self, instance: object, owner: Any) -> inspect.Signature:
        _, *parameters = inspect.signature(owner.__init__).parameters.values()
        return inspect.Signature(parameters)


@cache
def _taken(kind: type) -> tuple[str, ...] | None:
    """The names of the parameters of a condition; None if it takes any."""
    found = inspect.signature(kind).parameters.values()
    return None if any(one.kind is one.VAR_KEYWORD for one in found) else tuple(one.name for one in found)


@dataclass(frozen=True)
class Condition(Numbered, ABC):
    """Base of all conditions, which state what a decision maker wants.

    Any number may be an interval `(low, high)`: an imprecise condition. Questions about points are for
    precise ones. A new condition says which question it asks; a limit on the rates had better be a
    :class:`rochull.conditions.limits.WithinHalfPlane`, which does that.
    """

    __signature__ = _Parameters()  # not annotated: whatever makes a data class of it would ask for it

    def __new__(cls, *args: Any, **numbers: Any) -> Self:
        missing = sorted(getattr(cls, "__abstractmethods__", ()))
        if missing:
            told = (f"{name} ({_first_sentence(getattr(cls, name))})" for name in missing)
            raise TypeError(f"{cls.__name__} is not complete: it does not define {'; nor '.join(told)}.")
        known = _taken(cls)
        for name in numbers:
            if known is not None and name not in known:
                what = f"{cls.__name__} does not take {name!r}; its parameters: {names_listed(known)}."
                raise TypeError(what + nearest(name, known))
        return super().__new__(cls)

    @cached_property
    def question(self) -> Question:
        """The question in its normal form (Question)."""
        return self._question()

    @abstractmethod
    def _question(self) -> Question:
        """Give what is best, within which limits, how sure, and for which batch."""

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
        if not self.question.lacks_prevalence:
            return self
        if prevalence is None:
            raise unsaid()
        return self.with_numbers(prevalence=prevalence)

    def describe(self) -> str:
        """Say in words what it asks for.

        Returns
        -------
        str
            Without a full stop.
        """
        return REFERENCE.told(self.question.clause)

    @property
    def label(self) -> str:
        """A few words for a legend."""
        return LEGEND.told(self.question.clause)

    def _check_confidence(self) -> None:
        """Validate the confidence that is stated, if there is one."""
        stated = vars(self).get("confidence")
        if stated is not None:
            number = probability(stated, "confidence", open_ends=True)
            object.__setattr__(self, "confidence", number)


def no_condition(shown: str) -> str:
    """Word the error for something else than a condition; for a measure's name it shows the call."""
    from rochull import conditions

    word = shown.strip("'").replace("-", "").replace("_", "").casefold()
    meant = next((name for name in dir(conditions) if name.casefold() == word), None)
    wanted = (
        "one such as rh.ExpectedCost(cost_fp=1, cost_fn=5)" if meant is None else f"rh.conditions.{meant}()"
    )
    return f"condition must be an operating condition, but is {shown}; give {wanted}."


def _first_sentence(member: object) -> str:
    text = (inspect.getdoc(member) or "").split("\n", maxsplit=1)[0].rstrip(".")
    return text[:1].lower() + text[1:]
