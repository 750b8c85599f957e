"""Shares that a decision promises: how many cases it flags, or passes on to be reviewed."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rochull.decisions.excess import counted_rate, excess_pvalue, rate_in_mixture

LEAST_CASES = 50  # in smaller batches nothing is tested
ENOUGH = 100_000  # cases: a sample of them tells as much as a policy's own examples let be known


@dataclass(frozen=True, eq=False)
class Promise:
    """Facts about a share of the cases that are known before any is decided.

    Attributes
    ----------
    pos, neg : (examples that are decided so, examples) of each class; may be parts of examples.
    prevalence : of the cases, or None if nothing tells it.
    limited : whether the share was limited.
    """

    pos: tuple[float, int]
    neg: tuple[float, int]
    prevalence: float | None = None
    limited: bool = False

    @property
    def expected(self) -> float:
        """The share that these counts give; NaN without a prevalence."""
        if self.prevalence is None:
            return math.nan
        of_pos, of_neg = (count / total for count, total in (self.pos, self.neg))
        return self.prevalence * of_pos + (1 - self.prevalence) * of_neg

    def excess(self, count: int, size: int) -> float:
        """The p-value of so many cases or more, at the prevalence; NaN where nothing limits them."""
        if not self.limited or self.prevalence is None or size < LEAST_CASES:
            return math.nan
        count, size = fewer(count, size)
        mean, variance = rate_in_mixture(self.prevalence, self.pos, self.neg)
        return excess_pvalue(count, size, float(mean), float(variance))

    def outside(self, count: int, size: int) -> float:
        """The p-value of a share beyond those of both classes, whatever the prevalence."""
        count, size = fewer(count, size)
        return beyond(count, size, (self.pos, self.neg))


def beyond(count: int, size: int, classes: tuple[tuple[float, int], ...]) -> float:
    """The p-value of a count that the rates of some classes, (examples so, examples), lie on one side of."""
    others = [(total - own, total) for own, total in classes]
    more, less = (
        max(excess_pvalue(held, size, *counted_rate(*each)) for each in sides)
        for held, sides in ((count, classes), (size - count, others))
    )
    return min(1.0, 2 * min(more, less))


def fewer(count: int, size: int) -> tuple[int, int]:
    """A count among so many cases as are enough, and how many these are."""
    part = min(1.0, ENOUGH / size)
    return math.floor(part * count), math.floor(part * size)
