"""The one normal form of a question: what is best, within which limits, how sure, and for which batch.

People write conditions, measures and comparisons; each of them gives its question. What is the same question
is equal, however it was written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rochull.conditions.clauses import assured, at, number, within
from rochull.conditions.objectives import RateLimit
from rochull.conditions.ranges import exact
from rochull.words.clauses import Clause


@dataclass(frozen=True)
class InBatch:
    """What a batch keeps by its own counts, whatever its rates are.

    Attributes
    ----------
    cases : float, (low, high) or None
        How many of its rows are presented.
    reviews : float or None
        How many of its rows can be reviewed.
    """

    cases: Any = None
    reviews: float | None = None


@dataclass(frozen=True, repr=False)
class Question:
    """What is best, within which limits, how sure, and for which batch.

    Attributes
    ----------
    goal : Objective, ExpectedCost or Review
        What is best: a measure such as ``Recall()``, the value of a utility, or costs, perhaps with reviews.
    limits : tuple of RateLimit
        What is kept besides, each once. The limit of one, and the numbers of its measure, are intervals where
        the condition has such.
    confidence : float or None
        The probability with which the population is to keep all limits.
    batch : InBatch or None
        What a batch keeps by its own counts.
    ranges : tuple of (str, interval or distribution)
        The numbers that are known roughly, by the names that they have in the condition. (Intervals of a
        limit's measure that are not among them are kept throughout.)
    asked : Condition
        What was written; of several spellings the one that has a name.
    """

    goal: Any
    limits: tuple[RateLimit, ...] = ()
    confidence: float | None = None
    batch: InBatch | None = None
    ranges: tuple[tuple[str, Any], ...] = ()
    asked: Any = field(default=None, compare=False)

    def __repr__(self) -> str:
        return repr(self.asked)

    @property
    def own_prevalence(self) -> Any:
        """The proportion of positives that it is about; None if it states none."""
        stated = (each.own_prevalence for each in (self.goal, *self.limits))
        return next((prevalence for prevalence in stated if prevalence is not None), None)

    @property
    def clause(self) -> Clause:
        """What is asked, to be put in words by a vocabulary (Clause)."""
        said, prevalence = within(self.goal.best_clause, self.limit_clauses), self.own_prevalence
        if prevalence is None and self.batch is not None:  # at which a ranking of it has its probabilities
            prevalence = self.asked.own_prevalence
        if prevalence is not None or any(each.lacks_prevalence for each in (self.goal, *self.limits)):
            said = at(said, prevalence)
        return assured(said, self.confidence)

    @property
    def limit_clauses(self) -> tuple[Clause, ...]:
        """What is kept (tuple of Clause); a limit at another prevalence than the rest says so."""
        cases = None if self.batch is None else self.batch.cases
        if cases is None:
            return tuple(map(self._said, self.limits))
        of = self._population(cases)
        if of is not None:
            return (Clause("limit.cases of", cases=number(cases), population=of),)
        return (*map(self._said, self.limits), Clause("limit.cases", cases=number(cases)))

    def _population(self, cases: Any) -> float | None:
        """Out of how many cases these are, if a whole number of them is all that the limits say."""
        shares: list[Any] = [each.limit for each in self.limits if each.measure.key == "alarm rate"]
        if len(self.limits) != len(shares) or len(shares) != 1 or isinstance(cases, tuple):
            return None
        [share] = shares
        of = None if isinstance(share, tuple) or not share else exact(cases) / exact(share)
        return None if of is None or of.denominator != 1 else float(of)

    def _said(self, limit: RateLimit) -> Clause:
        own = limit.own_prevalence
        if own is None or own == self.own_prevalence:
            return limit.clause
        return Clause("limit.at", limit=limit.clause, prevalence=number(own))
