"""Learnt parts of a cascade: for every way to a classifier the counts at its scores, and how they are cut."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from rochull._core.cached import cached_property


@dataclass(frozen=True, eq=False)
class Node:
    """The scores of one classifier among the cases that may come to it.

    Attributes
    ----------
    low : (k,) the lowest score of each step, from high scores to low.
    pos, neg : (k,) weight of each class in a step, in units of all examples.
    odds : (k,) positives to negatives in each step, in these units, by which the classifier decides; they
        fall from step to step. None if they are those of the counts.
    edges : (s - 1,) where the scores are cut into strata, ascending.
    children : (s,) the next classifier in each stratum, from low scores to high; none of the last classifier.
    """

    low: tuple[float, ...]
    pos: tuple[int, ...]
    neg: tuple[int, ...]
    odds: tuple[float, ...] | None
    edges: tuple[float, ...] = ()
    children: tuple[Node, ...] = ()

    @cached_property
    def sums(self) -> tuple[list[int], list[int]]:
        """Positives and negatives in the first steps (k + 1,)."""
        pos, neg = (list(accumulate(counts, initial=0)) for counts in (self.pos, self.neg))
        return pos, neg

    @cached_property
    def bounds(self) -> list[int]:
        """How many steps are above each stratum (s,), from low scores to high, after all (s + 1,)."""
        above = np.searchsorted(-np.array(self.low, float), -np.array(self.edges, float), side="right")
        return [len(self.low), *above.tolist(), 0]

    def counts(self, begin: int, end: int) -> tuple[int, int]:
        """Positives and negatives in some neighbouring steps."""
        pos, neg = self.sums
        return pos[end] - pos[begin], neg[end] - neg[begin]
