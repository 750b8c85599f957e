"""Any function of the rates as a goal, alone or within a limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rochull._core.validation import non_negative, real
from rochull.conditions.base import Condition
from rochull.conditions.climbing import check_direction
from rochull.conditions.limits import LimitSpan, WithinHalfPlane
from rochull.conditions.objectives import FALSE_POSITIVE_RATE, Objective, RateLimit, UtilityValue
from rochull.conditions.question import Question
from rochull.conditions.ranges import Number, exact, ranges_of
from rochull.conditions.spans import Span


@dataclass(frozen=True)
class Utility(Condition):
    """Maximise any function of the rates.

    Parameters
    ----------
    function : callable
        ``function(fpr, tpr) -> float``, non-increasing in fpr and non-decreasing in tpr, and
        continuous. The best point of the hull is found to 1e-9 in the function's value, or there is a
        warning. A function that is seen to go the wrong way (on a grid above the diagonal, and where the
        search comes) is refused, and so is one that divides by zero elsewhere than at (0, 0), where
        it counts as the worst. An edge is taken for straight if 1,025 points on it are.

    References
    ----------
    Provost & Fawcett 2001, Theorem 2.

    Examples
    --------
    >>> import rochull as rh
    >>> hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> hull.at(rh.Utility(lambda fpr, tpr: tpr - fpr)).tpr
    0.5
    """

    function: Callable[[float, float], float]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ValueError(f"function must be callable, but is {self.function!r}.")
        check_direction(self.function)

    def _question(self) -> Question:
        return Question(UtilityValue(self.function), written=self, spanned=self._span)

    def _span(self) -> Span:
        return Span(self)


@dataclass(frozen=True)
class Constrained(WithinHalfPlane):
    """Maximise a utility under one linear constraint, ``a tpr + b fpr <= c`` with a, b >= 0.

    Parameters
    ----------
    utility : Utility, Objective or callable
        See :class:`Utility`; or a measure, such as ``Recall()``.
    a, b : float or (low, high)
        Not negative.
    c : float or (low, high)
        The limit; the condition is infeasible if it is negative.

    References
    ----------
    Provost & Fawcett 2001, Corollary 3.

    Examples
    --------
    >>> import rochull as rh
    >>> hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> hull.at(rh.Constrained(lambda fpr, tpr: tpr, a=0.5, b=0.5, c=0.5)).fpr
    0.25
    """

    limited = "{a, number} tpr + {b, number} fpr <= {c, number}"

    utility: Any  # Utility | Objective | Callable
    a: Number
    b: Number
    c: Number

    def __post_init__(self) -> None:
        if not isinstance(self.utility, (Utility, Objective)):
            object.__setattr__(self, "utility", Utility(self.utility))
        self._check(non_negative, "a", "b")
        self._check(real, "c")

    def _limit(self) -> RateLimit:
        if not ranges_of(vars(self)):  # a limit that has a name is that one
            a, b, c = (exact(number) for number in (self.a, self.b, self.c))  # type: ignore[arg-type]
            if not a and 0 <= c <= b != 0:
                most = float(c / b)
                exactly = exact(most) == c / b
                return RateLimit(FALSE_POSITIVE_RATE, "<=", most if exactly else c / b)  # type: ignore[arg-type]
        return super()._limit()

    @staticmethod
    def half_plane(a: Any, b: Any, c: Any) -> tuple[Any, Any, Any]:
        return a, b, c

    def _question(self) -> Question:
        from rochull.conditions.within import named_condition  # which knows this one too

        goal, limits, ranges = self.objective, (self._limit(),), ranges_of(vars(self))
        known = None if ranges else named_condition(goal, limits, None)
        if known is not None:
            return known.question
        return Question(goal, limits, None, None, ranges, self, self._span)

    @property
    def objective(self) -> Objective:
        return self.utility if isinstance(self.utility, Objective) else UtilityValue(self.utility.function)

    def _span(self) -> Span:
        return ConstraintSpan(self, self._numbers, self.amounts, self.straight)


class ConstraintSpan(LimitSpan):
    """Effect of a constraint's numbers, along which the best point of a utility is not followed."""

    def varied(self) -> tuple[str, ...]:
        return Span.varied(self)
