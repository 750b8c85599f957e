"""Limits on the rates: what is common to all of them follows from ``a tpr + b fpr <= c``."""

from __future__ import annotations

import inspect
import itertools
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from operator import ge, le
from typing import Any, ClassVar, Self

import numpy as np

from rochull._core.messages import Setting, WrongType, named
from rochull._core.validation import Array, non_negative, probability
from rochull.conditions.assurance import best_assured
from rochull.conditions.base import Condition, InfeasibleConditionError
from rochull.conditions.clauses import number
from rochull.conditions.frontier import Choice, Frontier, HalfPlane, cut_at_many, whole
from rochull.conditions.objectives import FALSE_POSITIVE_RATE, TRUE_POSITIVE_RATE, Excess, RateLimit
from rochull.conditions.question import InBatch, Question
from rochull.conditions.ranges import ImpreciseConditionError, exact
from rochull.words.clauses import Clause
from rochull.words.formats import names_in, parsed

_CORNERS = (0, 0), (0, 1), (1, 1)  # (fpr, tpr): no hull leaves the triangle between them


@dataclass(frozen=True)
class Limit(Condition):
    """The best value of one rate among the points with ``a tpr + b fpr <= c``.

    A new limit is a frozen dataclass of numbers, which are shares unless `amounts` names them, that states
    its `objective` (a rate of `objectives.py`), what is `limited` and its :meth:`half_plane`; the rest
    follows. `needs_alarms` is True where it is undefined without alarms, which nothing can notice if it is
    left out. A `prevalence` is a number like others: with the default None it is that of the object asked.
    """

    limited: ClassVar[str | None] = None  # in words, as in "at most {most, share} of the cases flagged"
    needs_alarms: ClassVar[bool] = False  # it is undefined, so not met, where nothing is called positive
    numbers: ClassVar[tuple[str, ...]] = ()  # those of the half-plane

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if getattr(cls.half_plane, "__isabstractmethod__", False):
            return
        cls.numbers = tuple(inspect.signature(cls.half_plane).parameters)
        known = {name for base in cls.__mro__ for name in inspect.get_annotations(base)}
        for name in cls.numbers:
            if name not in known:
                raise TypeError(f"{cls.__name__}.half_plane takes {name!r}, which is none of its numbers.")
        if cls.limited is None and cls.as_rate_limit is Limit.as_rate_limit:
            raise TypeError(f"{cls.__name__} is not complete: it does not say what is limited.")
        for name in names_in(parsed(cls.limited or "")) - known:
            raise TypeError(f"{cls.__name__}.limited names {name!r}, which is none of its numbers.")

    def __new__(cls, *args: Any, **numbers: Any) -> Self:
        taken = {f.name for f in fields(cls)}
        if any(name not in taken for name in cls.numbers):
            raise TypeError(
                f"{cls.__name__} takes none of its numbers: decorate it with @dataclass(frozen=True)."
            )
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for name in self.numbers:
            self._check(non_negative if name in self.amounts else probability, name)
        self._check_confidence()

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

    def as_rate_limit(self) -> RateLimit:
        """Give the limit alone, as one of several.

        Returns
        -------
        RateLimit
            On the measure that it limits; else on how far rates are beyond it.
        """
        said = Clause("limit.own", text=self.limited, **self._numbers_said())
        return RateLimit(Excess(self, said), "<=", 0)

    def _numbers_said(self) -> dict[str, Any]:
        return {name: number(getattr(self, name)) for name in names_in(parsed(self.limited or ""))}

    def _question(self) -> Question:
        limits = (self._limit(),) if self._has_limit else ()
        return Question(self.objective, limits, self.confidence, self._batch(), self._range(), self)

    _has_limit: ClassVar[Any] = True  # which Capacity(cases=...) alone has none of

    def _limit(self) -> RateLimit:
        """The limit, with intervals where its numbers are some."""
        return self.as_rate_limit()

    def _batch(self) -> InBatch | None:
        return None

    def limits_kept(self) -> Iterable[RateLimit]:
        return (self.as_rate_limit(),)

    def coefficients(self, **instead: Any) -> tuple[Any, Any, Any]:
        """Compute the (a, b, c) of its half-plane, exactly.

        Parameters
        ----------
        **instead : float or Fraction
            Other values of some numbers, by name.

        Returns
        -------
        tuple of 3 Fraction
            Of ``a tpr + b fpr <= c``.
        """
        given = {name: getattr(self, name) for name in self.numbers} | instead
        if "prevalence" not in instead:
            self.at_prevalence(None)
        known = {name: value if value is None else exact(value) for name, value in given.items()}
        parts = type(self).half_plane(**known)
        a, b, c = (part if isinstance(part, (int, Fraction)) else exact(part) for part in parts)
        return a, b, c

    # --- points --------------------------------------------------------------------------------

    def is_met(self, fpr: Fraction, tpr: Fraction) -> bool:
        a, b, c = self.coefficients()
        return bool(a * tpr + b * fpr <= c) and not (self.needs_alarms and fpr == tpr == 0)

    def within(self, frontier: Frontier) -> HalfPlane:
        """Look for the points of a frontier that keep the limit.

        Returns
        -------
        HalfPlane
            It finds the first and the last.
        """
        self.require_precise()
        return HalfPlane(self.coefficients(), frontier, start=int(self.needs_alarms))

    def best(self, frontier: Frontier) -> Choice:
        is_last, within = self._best_is_last, self.within(frontier)
        choice = within.leaving() if is_last else within.entering()
        if choice is None:
            raise self.unmet(frontier)
        i, rate = choice.left, frontier.tp if is_last else frontier.fp
        return choice if choice.share and rate[i] != rate[i + 1] else Choice(self._of_equals(i, frontier))

    def best_single(self, frontier: Frontier) -> int:
        if self.confidence is not None:
            self.require_precise()
            return best_assured(self, frontier)
        within = self.within(frontier)
        i = within.last(hull=False) if self._best_is_last else within.first(hull=False)
        if i is None:
            raise self.unmet(frontier)
        return self._of_equals(i, frontier)

    @property
    def _best_is_last(self) -> bool:
        """Whether the best point is the last within, as both rates ascend, instead of the first."""
        if self.objective not in (FALSE_POSITIVE_RATE, TRUE_POSITIVE_RATE):
            name = type(self).__name__
            raise WrongType(
                "{}.objective is no rate, so {} must define best and best_single.", named(name), name
            )
        return self.objective.sign > 0

    def _of_equals(self, i: int, frontier: Frontier) -> int:
        """Of the points with the same best rate, that with the better other rate."""
        if self._best_is_last:
            return max(int(self.needs_alarms), frontier.leftmost_with_tp(i))
        return frontier.highest_with_fp(i)

    def unmet(self, frontier: Frontier) -> InfeasibleConditionError:
        """Say that no point of a frontier keeps the limit, and what can be reached."""
        a, b, c = map(float, self.coefficients())
        least = float(np.min(a * frontier.tpr + b * frontier.fpr))
        return InfeasibleConditionError(
            f"no operating point meets {a:g} tpr + {b:g} fpr <= {c:g}: "
            f"the least that can be reached is {least:g}."
        )

    def line(self, fpr: float, tpr: float) -> tuple[str, tuple[float, float, float]]:
        a, b, c = type(self).half_plane(**{name: getattr(self, name) for name in self.numbers})
        return "constraint", (a, b, c)

    # --- over its range ------------------------------------------------------------------------

    def ends(self) -> tuple[Self, Self]:
        tight, loose = {}, {}
        for name, (low, high) in self.box.items():
            of_low, of_high = (self._excesses(name, end) for end in (low, high))
            if all(map(le, of_low, of_high)):
                tight[name], loose[name] = high, low
            elif all(map(ge, of_low, of_high)):
                tight[name], loose[name] = low, high
            else:
                raise ImpreciseConditionError(
                    "{} makes the limit stricter for some points only, so no end of it is the strictest; "
                    "give one number.",
                    Setting(name, getattr(self, name)),
                )
        return (self.with_numbers(**tight), self.with_numbers(**loose)) if tight else (self, self)

    def _excesses(self, name: str, end: float) -> list[Fraction]:
        """By how much the corners of ROC space break the limit where one number is at an end.

        That is linear in the rates: what is stricter at the corners is stricter everywhere.
        """
        others = [[(n, value) for value in pair] for n, pair in self.box.items() if n != name]
        planes = (self.coefficients(**dict(choice), **{name: end}) for choice in itertools.product(*others))
        return [a * y + b * x - c for a, b, c in planes for x, y in _CORNERS]

    def best_values(self, frontier: Frontier, **numbers: Array) -> Array | None:
        given = {name: getattr(self, name) for name in self.numbers} | numbers
        a, b, c = type(self).half_plane(**given)
        is_last = self._best_is_last
        if is_last:  # the hull starts within, and leaves once
            is_known = np.all(c >= 0) and not np.any((a > 0) & (b < 0))
            rate = frontier.tpr
        else:  # it starts outside, and enters once
            is_known = np.all((a <= 0) & (b <= 0) & (a + b < 0)) and np.all(c <= 0)
            rate = frontier.fpr
            a, b, c = -a, -b, -c
        if not is_known:
            return None
        left, right, share = cut_at_many(frontier, a, b, c, int(self.needs_alarms))
        return np.asarray(rate[left] + share * (rate[right] - rate[left]))

    # --- one number at a time ------------------------------------------------------------------

    def varied(self) -> tuple[str, ...]:
        return tuple(name for name in self.numbers if getattr(self, name) is not None)

    def turning_points(self, name: str, frontier: Frontier) -> list[tuple[Fraction, int]]:
        # The half-plane is linear in the number, so the places in between follow from two values.
        planes = (self.coefficients(**{name: value}) for value in (0, 1))
        a0, b0, c0, a1, b1, c1 = whole(*itertools.chain(*planes))
        n_neg, n_pos, found = frontier.n_neg, frontier.n_pos, []
        for i, (fp, tp) in enumerate(zip(frontier.fp.tolist(), frontier.tp.tolist(), strict=True)):
            x, y, one = fp * n_pos, tp * n_neg, n_neg * n_pos
            at_0, at_1 = a0 * y + b0 * x - c0 * one, a1 * y + b1 * x - c1 * one
            if at_0 != at_1:
                found.append((Fraction(at_0, at_0 - at_1), i))
        return sorted(found)
