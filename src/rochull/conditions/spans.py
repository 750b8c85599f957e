"""Parts of a question: what its numbers do to its best point, and what a batch keeps by its own counts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rochull._core.validation import Array
from rochull.conditions.frontier import Frontier
from rochull.conditions.objectives import RateLimit
from rochull.conditions.ranges import ImpreciseConditionError


@dataclass(frozen=True)
class InBatch:
    """Limits that a batch keeps by its own counts, whatever its rates are.

    Attributes
    ----------
    cases : float, (low, high) or None
        How many of its rows are presented.
    reviews : float or None
        How many of its rows can be reviewed.
    prevalence : float, (low, high) or None
        That of the batch, where the number of cases states one.
    share : RateLimit or None
        The number of cases as a limit on the share of a population, where that is known.
    """

    cases: Any = None
    reviews: float | None = None
    prevalence: Any = None
    share: RateLimit | None = None

    def at_prevalence(self, prevalence: float) -> InBatch:
        """Give the same with the prevalence of some data, where it states none."""
        share = self.share
        if share is not None and share.lacks_prevalence:
            share = share.at_prevalence(prevalence)
        own = prevalence if self.prevalence is None and self.cases is not None else self.prevalence
        return InBatch(self.cases, self.reviews, own, share)


class Span:
    """Effect of a question's numbers on its best point, one by one or over their ranges; here of none."""

    amounts: tuple[str, ...] = ()
    straight: tuple[str, ...] = ()

    def __init__(self, condition: Any = None) -> None:
        self.condition = condition

    def ends(self) -> tuple[dict[str, float], dict[str, float]]:
        """Find the ends of the ranges at which a limit is strictest, and loosest.

        Returns
        -------
        tuple of 2 dict of str to float
            The numbers by name.
        """
        raise ImpreciseConditionError(
            f"condition must be precise, but is {self.condition!r}; give single numbers for ranges."
        )

    def segment(self, frontier: Frontier) -> tuple[int, int] | None:
        """Find the vertices that are needed somewhere in the range; None where that follows from the ends."""
        return None

    def varied(self) -> tuple[str, ...]:
        """List the numbers whose effect on the optimum is known one by one."""
        raise ValueError(f"condition must be a cost or a limit, but is {self.condition!r}.")

    def turning_points(self, name: str, frontier: Frontier) -> list[tuple[Fraction, int]]:
        """List the values of one number at which the optimum is at a vertex, or passes along an edge.

        Returns
        -------
        list of (Fraction, int)
            Ascending, each with the vertex where the optimum then is (for costs, the left of two).
        """
        raise ValueError(f"condition must be a cost or a limit, but is {self.condition!r}.")

    def best_values(self, frontier: Frontier, numbers: dict[str, Array]) -> Array | None:
        """Compute the objective at the best points for many values (n,) of some numbers, in floats.

        Returns
        -------
        ndarray of shape (n,) or None
            None if each would have to be searched for by itself.
        """
        return None
