"""The one normal form of a question: what is best, within which limits, how sure, and for which batch.

People write conditions, measures and comparisons; each of them gives its question. What is the same question
is equal, however it was written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rochull.conditions.objectives import RateLimit


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
