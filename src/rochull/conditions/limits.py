"""Limits on the rates: what is common to all of them follows from ``a tpr + b fpr <= c``."""

from __future__ import annotations

import inspect
import itertools
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from operator import ge, le
from typing import Any, ClassVar, Self

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.messages import Message, Setting
from rochull._core.validation import Array, non_negative, probability
from rochull.conditions.base import Condition
from rochull.conditions.clauses import LEGEND, clause_number
from rochull.conditions.frontier import Frontier, cut_at_many, in_integers
from rochull.conditions.objectives import (
    FALSE_POSITIVE_RATE,
    TRUE_POSITIVE_RATE,
    Objective,
    RateLimit,
    Terms,
)
from rochull.conditions.question import Question
from rochull.conditions.ranges import ImpreciseConditionError, Rational, plane_of, ranges_of
from rochull.conditions.spans import InBatch, Span
from rochull.words.clauses import Clause
from rochull.words.formats import names_in, parsed

_CORNERS = (0, 0), (0, 1), (1, 1)  # (fpr, tpr): no hull leaves the triangle between them


@dataclass(frozen=True)
class Excess(Objective):
    """How far rates are beyond a condition's limit, ``a tpr + b fpr - c``; undefined where the limit is."""

    of: Any
    said: Clause = field(compare=False)  # what is limited

    key, sign, loss_measure = "excess", -1, "excess"

    def __str__(self) -> str:
        return LEGEND.told(self.said)

    def compared(self, side: str, limit: str) -> str:
        return str(self)  # which names the limit

    @cached_property
    def plane(self) -> tuple[Any, Any, Any]:
        """The (a, b, c) of the half-plane, exactly."""
        return plane_of(self.of)

    def value(self, fpr: Any, tpr: Any) -> Any:
        a, b, c = map(float, self.plane)
        return a * tpr + b * fpr - c

    def exact_value(self, fpr: Fraction, tpr: Fraction) -> Fraction:
        a, b, c = self.plane
        found: Fraction = a * tpr + b * fpr - c
        return found

    def ratio(self) -> tuple[Terms, Terms]:
        a, b, c = self.plane
        return (-c, b, a), ((0, 1, 1) if self.of.needs_alarms else (1, 0, 0))

    def limited_at(self, limit: float | Fraction) -> tuple[Fraction, float | None, Fraction | int]:
        c, given = self.plane[2], inspect.signature(self.of.half_plane).parameters
        exactly = any(isinstance(getattr(self.of, name), (Fraction, Rational)) for name in given)
        return Fraction(0), None if exactly else float(c), c

    @property
    def own_prevalence(self) -> Any:
        return vars(self.of).get("prevalence")

    @property
    def lacks_prevalence(self) -> bool:
        return vars(self.of).get("prevalence", 0) is None

    def at_prevalence(self, prevalence: Any) -> Self:
        found: Self = self.of.with_numbers(prevalence=prevalence).question.limits[0].measure
        return found

    @cached_property
    def _corners(self) -> tuple[Objective, ...]:
        of = self.of.corners(finite=True)
        return (self,) if of[0] is self.of else tuple(Excess(corner, self.said) for corner in of)

    def corners(self) -> tuple[Objective, ...]:
        return self._corners

    def unmet(self, limit: RateLimit, frontier: Frontier) -> Message:
        a, b, c = map(float, limit.half_planes()[0])
        least = float(np.min(a * frontier.tpr + b * frontier.fpr))
        return Message(
            f"no operating point meets {a:g} tpr + {b:g} fpr <= {c:g}: "
            f"the least that can be reached is {least:g}."
        )

    def limit_clause(self, limit: Any) -> Clause:
        return self.said


class LimitSpan(Span):
    """Effect of the numbers of a half-plane ``a tpr + b fpr <= c``, over their ranges and one by one.

    Parameters
    ----------
    condition : WithinHalfPlane
        Whose numbers they are.
    numbers, amounts, straight : tuple of str
        Those of the half-plane; of them those that are not shares, and those between whose turning points the
        best value is straight.
    """

    def __init__(
        self, condition: Any, numbers: Sequence[str], amounts: Sequence[str], straight: Sequence[str]
    ) -> None:
        super().__init__(condition)
        self.numbers, self.amounts, self.straight = numbers, tuple(amounts), tuple(straight)

    def ends(self) -> tuple[dict[str, float], dict[str, float]]:
        tight, loose = {}, {}
        box = {name: value for name, value in self._values().items() if isinstance(value, tuple)}
        for name, (low, high) in box.items():
            of_low, of_high = (self._excesses(name, end, box) for end in (low, high))
            if all(map(le, of_low, of_high)):
                tight[name], loose[name] = high, low
            elif all(map(ge, of_low, of_high)):
                tight[name], loose[name] = low, high
            else:
                raise ImpreciseConditionError(
                    "{} makes the limit stricter for some points only, so no end of it is the strictest; "
                    "give one number.",
                    Setting(name, box[name]),
                )
        return tight, loose

    def _values(self) -> dict[str, Any]:
        return {name: getattr(self.condition, name) for name in self.numbers}

    def _excesses(self, varied: str, end: float, box: Mapping[str, tuple[float, float]]) -> list[Fraction]:
        """By how much the corners of ROC space break the limit where one number is at an end.

        That is linear in the rates: what is stricter at the corners is stricter everywhere.
        """
        others = [[(name, value) for value in pair] for name, pair in box.items() if name != varied]
        choices = itertools.product(*others)
        planes = (plane_of(self.condition, **dict(choice), **{varied: end}) for choice in choices)
        return [a * y + b * x - c for a, b, c in planes for x, y in _CORNERS]

    def best_values(self, frontier: Frontier, numbers: dict[str, Array]) -> Array | None:
        a, b, c = self.condition.half_plane(**(self._values() | numbers))
        needs_alarms = int(self.condition.needs_alarms)
        if self.condition.objective == TRUE_POSITIVE_RATE:  # the hull starts within, and leaves once
            is_known = np.all(c >= 0) and not np.any((a > 0) & (b < 0))
            rate = frontier.tpr
        elif self.condition.objective == FALSE_POSITIVE_RATE:  # it starts outside, and enters once
            is_known = np.all((a <= 0) & (b <= 0) & (a + b < 0)) and np.all(c <= 0)
            rate = frontier.fpr
            a, b, c = -a, -b, -c
        else:
            return None
        if not is_known:
            return None
        left, right, share = cut_at_many(frontier, a, b, c, needs_alarms)
        return np.asarray(rate[left] + share * (rate[right] - rate[left]))

    def varied(self) -> tuple[str, ...]:
        return tuple(name for name, value in self._values().items() if value is not None)

    def turning_points(self, name: str, frontier: Frontier) -> list[tuple[Fraction, int]]:
        # The half-plane is linear in the number, so the places in between follow from two values.
        planes = (plane_of(self.condition, **{name: value}) for value in (0, 1))
        a0, b0, c0, a1, b1, c1 = in_integers(*itertools.chain(*planes))
        n_neg, n_pos, found = frontier.n_neg, frontier.n_pos, []
        for i, (fp, tp) in enumerate(zip(frontier.fp.tolist(), frontier.tp.tolist(), strict=True)):
            x, y, one = fp * n_pos, tp * n_neg, n_neg * n_pos
            at_0, at_1 = a0 * y + b0 * x - c0 * one, a1 * y + b1 * x - c1 * one
            if at_0 != at_1:
                found.append((Fraction(at_0, at_0 - at_1), i))
        return sorted(found)


@dataclass(frozen=True)
class WithinHalfPlane(Condition):
    """The best value of one rate among the points with ``a tpr + b fpr <= c``.

    A new limit is a frozen dataclass of numbers, which are shares unless `amounts` names them, that states
    its `objective` (a measure), what is `limited` and its :meth:`half_plane`; the rest follows.
    `needs_alarms` is True where it is undefined without alarms, which nothing can notice if it is left out.
    A `prevalence` is a number like others: with the default None it is that of the object asked.
    """

    limited: ClassVar[str | None] = None  # in words, as in "at most {most, share} of the cases flagged"
    needs_alarms: ClassVar[bool] = False  # it is undefined, so not met, where nothing is called positive
    amounts: ClassVar[Sequence[str]] = ()  # the numbers that are not shares
    straight: ClassVar[Sequence[str]] = ()  # the best value is straight between their turning points
    _numbers: ClassVar[tuple[str, ...]] = ()  # those of the half-plane

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if getattr(cls.half_plane, "__isabstractmethod__", False):
            return
        cls._numbers = tuple(inspect.signature(cls.half_plane).parameters)
        known = {name for base in cls.__mro__ for name in inspect.get_annotations(base)}
        for name in cls._numbers:
            if name not in known:
                raise TypeError(f"{cls.__name__}.half_plane takes {name!r}, which is not one of its numbers.")
        if cls.limited is None and cls._limit is WithinHalfPlane._limit:
            raise TypeError(f"{cls.__name__} is not complete: it does not say what is limited.")
        for name in names_in(parsed(cls.limited or "")) - known:
            raise TypeError(f"{cls.__name__}.limited names {name!r}, which is not one of its numbers.")

    def __new__(cls, *args: Any, **numbers: Any) -> Self:
        if any(name not in cls.__dataclass_fields__ for name in cls._numbers):
            raise TypeError(
                f"{cls.__name__} takes none of its numbers: decorate it with @dataclass(frozen=True)."
            )
        return super().__new__(cls, *args, **numbers)

    def __post_init__(self) -> None:
        for name in self._numbers:
            self._check(non_negative if name in self.amounts else probability, name)
        self._check_confidence()

    @property
    @abstractmethod
    def objective(self) -> Objective:
        """The measure to make as large or as small as possible."""

    @staticmethod
    @abstractmethod
    def half_plane(*args: Any, **numbers: Any) -> tuple[Any, Any, Any]:
        """Give the (a, b, c) of the points that it allows, a tpr + b fpr <= c.

        Parameters
        ----------
        *args, **numbers : Fraction, float or ndarray
            Its numbers, by name.

        Returns
        -------
        tuple of 3
            With ``a > 0 > b`` the limit would be kept on two stretches of a hull, so it must define more.
        """

    def _question(self) -> Question:
        own, batch = vars(self), self._batch()
        limits = (self._limit(),) if self._has_limit else ()
        return Question(
            self.objective, limits, own.get("confidence"), batch, ranges_of(own), self, self._span
        )

    def _span(self) -> Span:
        """Effect of its numbers."""
        return LimitSpan(self, self._numbers, self.amounts, self.straight)

    _has_limit: ClassVar[Any] = True  # which Capacity(cases=...) alone has none of

    def _limit(self) -> RateLimit:
        """The limit: on the measure that it limits, else on how far rates are beyond it."""
        numbers = {name: clause_number(getattr(self, name)) for name in names_in(parsed(self.limited or ""))}
        return RateLimit(Excess(self, Clause("limit.own", text=self.limited, **numbers)), "<=", 0)

    def _batch(self) -> InBatch | None:
        return None
