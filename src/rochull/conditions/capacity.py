"""A limit on how many cases can be called positive."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rochull._core.messages import refused
from rochull._core.validation import non_negative, probability
from rochull.conditions.frontier import Frontier
from rochull.conditions.limits import LimitSpan, WithinHalfPlane
from rochull.conditions.measures import AlarmRate
from rochull.conditions.objectives import TRUE_POSITIVE_RATE, RateLimit
from rochull.conditions.ranges import Number, exact, moved, plane_of
from rochull.conditions.spans import InBatch, Span

_ALARM_RATE = AlarmRate()


class CapacitySpan(LimitSpan):
    """Effect of a capacity's numbers: it is inverse to the population."""

    def turning_points(self, name: str, frontier: Frontier) -> list[tuple[Fraction, int]]:
        if name != "population":
            return super().turning_points(name, frontier)
        of_tpr, of_fpr, _ = plane_of(self.condition)
        loads = ((of_tpr * y + of_fpr * x, i) for i, (x, y) in enumerate(frontier.points()))
        return sorted((exact(self.condition.cases) / load, i) for load, i in loads if load)


@dataclass(frozen=True)
class Capacity(WithinHalfPlane):
    """Maximise the true positive rate where only so many cases can be worked on.

    At most `cases` out of `population` (or the share `fraction`) may be called positive:
    ``prevalence tpr + (1 - prevalence) fpr <= cases / population``. ``Capacity(cases=137)`` is enough to
    decide a batch, which keeps it by its own alarms; an operating point takes the other numbers too.

    Parameters
    ----------
    cases, population : float or (low, high), optional
        Absolute numbers.
    prevalence : float or (low, high), optional
        Proportion of positives in the population; that of the object asked, if not given.
    fraction : float or (low, high), optional
        The share of cases instead of absolute numbers.
    confidence : float, optional
        Strictly between 0 and 1. The threshold is then chosen so that the *population's* share keeps the
        limit with at least this probability; as for :class:`MinimumPrecision`. Not of a batch, which keeps
        its number of cases by itself.

    Raises
    ------
    ValueError
        Unless exactly one of `fraction` and `cases` is given, or if a batch is to have a confidence.

    References
    ----------
    Provost & Fawcett 2001, Theorem 5 (workforce utilisation).

    Examples
    --------
    >>> import rochull as rh
    >>> rh.Capacity(cases=200, population=10_000, prevalence=0.1).share
    0.02
    """

    objective = TRUE_POSITIVE_RATE
    amounts = ("cases", "population")
    straight = ("cases", "fraction")

    cases: Number | None = None
    population: Number | None = None
    prevalence: Number | None = None
    fraction: Number | None = None
    confidence: float | None = None

    def __post_init__(self) -> None:
        given = [value is not None for value in (self.fraction, self.cases, self.population)]
        if given not in ([True, False, False], [False, True, True], [False, True, False]):
            raise ValueError("Capacity needs either cases and population, or fraction.")
        self._check(probability, "prevalence")
        self._check_confidence()
        if self.confidence is not None and self.fraction is None and self.population is None:
            raise refused("confidence", "has no effect on Capacity(cases=...) alone, which a batch keeps.")
        if self.fraction is not None:
            self._check(probability, "fraction")
            return
        self._check(non_negative, "cases")
        if self.population is not None:
            self._check(non_negative, "population")
            if not (self.population[0] if isinstance(self.population, tuple) else self.population):
                raise refused("population", "must be positive, but is {}.", repr(self.population))

    @property
    def share(self) -> float:
        """The largest share of cases that may be called positive."""
        self.question.require_precise()
        return float(plane_of(self)[2])

    @staticmethod
    def half_plane(cases: Any, population: Any, prevalence: Any, fraction: Any) -> tuple[Any, Any, Any]:
        return prevalence, 1 - prevalence, cases / population if fraction is None else fraction

    @property
    def _has_limit(self) -> bool:
        return self.fraction is not None or self.population is not None

    def _limit(self) -> RateLimit:
        share: Any = self.fraction
        if share is None:
            cases, of = (n if isinstance(n, tuple) else (n, n) for n in (self.cases, self.population))
            ends: Any = (cases[0], of[1]), (cases[1], of[0])
            low, high = (min(Fraction(1), exact(part) / exact(whole)) for part, whole in ends)
            share = low if low == high else (float(low), float(high))
        return RateLimit(moved(_ALARM_RATE, "prevalence", self.prevalence), "<=", share)

    def _batch(self) -> InBatch | None:
        if self.cases is None:
            return None
        return InBatch(self.cases, None, self.prevalence, self._limit() if self._has_limit else None)

    def _span(self) -> Span:
        return CapacitySpan(self, self._numbers, self.amounts, self.straight)
