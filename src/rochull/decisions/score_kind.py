"""Whether a batch's scores are of the kind that a policy was made from: a mixture of its two classes.

A few thresholds of one classifier cut its scores into ranges. Of every band of neighbouring ranges the
policy counted the examples of both classes, so at a prevalence pi a batch has pi T + (1 - pi) U of its cases
there, whatever the classes look like. One threshold confines pi, far more widely than by chance; within that
no band may hold more of the batch, or less, than the two samples allow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.validation import Array
from rochull.conditions.rules import Rule, Scores
from rochull.decisions.excess import excess_pvalue, rate_in_mixture
from rochull.decisions.kinds import LearntKind, Sight
from rochull.decisions.promises import LEAST_CASES

_RANGES = 5  # of about equal mass, into which the thresholds cut the scores, besides the highest and lowest
WIDE = 4.5  # standard errors of the prevalence
OUTSIDE = 1e-5  # more than the probability that it is outside of them
_FAR = 7.5, 1e-13  # the same, for those who look at many batches, and so need small p-values
_PREVALENCES = np.linspace(0.0, 1.0, 5)[:, None]  # between these ends


@dataclass(frozen=True, eq=False)
class NestedKind(LearntKind):
    """The counts that a policy has of rules that call ever more cases positive.

    Attributes
    ----------
    classifier : str or None
    rules : (r,)
    pos, neg : (r,) how many examples of each class they call positive.
    n_pos, n_neg : how many there are.
    """

    classifier: str | None
    rules: Sequence[Any]
    pos: Array
    neg: Array
    n_pos: int
    n_neg: int

    @cached_property
    def _chosen(self) -> list[int]:
        """Where to cut: at shares of the mass, half of each class, and at the first and last threshold."""
        mass = (self.pos / self.n_pos + self.neg / self.n_neg) / 2
        inner = (int(np.argmin(abs(mass - k / _RANGES))) for k in range(1, _RANGES))
        return sorted({0, len(self.rules) - 1, *inner})

    @property
    def cuts(self) -> tuple[Any, ...]:
        """The rules of which a batch's positives are to be counted (c,)."""
        return tuple(self.rules[i] for i in self._chosen)

    def judged(self, counts: Sequence[int]) -> float:
        """The p-value of the number of cases, and of those that each cut calls positive."""
        size, *called = counts
        if size < LEAST_CASES:
            return math.nan
        found = self.pvalue(called, size)
        return found if found > 2 * OUTSIDE else min(found, self.pvalue(called, size, *_FAR))

    @cached_property
    def _bands(self) -> tuple[Array, Array, Array, Array]:
        """First and last end of each band (b,), and the examples of each class in it (b,).

        What a band that reaches to the lowest scores leaves out is another band.
        """
        ends = range(len(self._chosen) + 1)
        first, last = np.array([(i, j) for i in ends for j in ends if i < j], int).reshape(-1, 2).T
        pos, neg = (np.append(0.0, counts[self._chosen]) for counts in (self.pos, self.neg))
        return first, last, pos[last] - pos[first], neg[last] - neg[first]

    def pvalue(self, called: Sequence[int], size: int, wide: float = WIDE, outside: float = OUTSIDE) -> float:
        """The p-value of a batch, of whose cases the cuts call so many positive (c,): at most that."""
        first, last, pos, neg = self._bands
        held = np.append(0, called)
        inside = held[last] - held[first]
        low, high = self._prevalences(inside, size, wide**2)
        prevalences = low + (high - low) * _PREVALENCES
        more = _Side.of(inside, size, prevalences, (pos, self.n_pos), (neg, self.n_neg))
        without = (self.n_pos - pos, self.n_pos), (self.n_neg - neg, self.n_neg)
        less = _Side.of(size - inside, size, prevalences, *without)
        side = more if more.apart.max() >= less.apart.max() else less
        return min(1.0, 2 * first.size * side.pvalue(size) + outside)

    def _prevalences(self, inside: Array, size: int, wide: float) -> tuple[float, float]:
        """Ends of the interval that the threshold which parts the classes best gives, as by Wilson's."""
        first, _, pos, neg = self._bands
        tpr, fpr = pos / self.n_pos, neg / self.n_neg
        best = int(np.argmax(np.where(first == 0, tpr - fpr, -1.0)))
        t, u, share = float(tpr[best]), float(fpr[best]), float(inside[best]) / size
        of_pos, of_neg = (
            (count + 1) * (n - count + 1) / (n + 2) ** 3
            for count, n in ((float(pos[best]), self.n_pos), (float(neg[best]), self.n_neg))
        )
        # (share - u - pi d)^2 <= wide (f (1 - f) / size + pi^2 of_pos + (1 - pi)^2 of_neg), f = u + pi d
        d = t - u
        square = d * d * (1 + wide / size) - wide * (of_pos + of_neg)
        half = -(share - u) * d - wide * ((d - 2 * u * d) / size - 2 * of_neg) / 2
        rest = (share - u) ** 2 - wide * (u * (1 - u) / size + of_neg)
        under = half * half - square * rest
        if square <= 0 or under < 0:
            return 0.0, 1.0
        low, high = ((-half + way * math.sqrt(under)) / square for way in (-1, 1))
        return min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)


@dataclass(frozen=True, eq=False)
class ScoreKind(NestedKind):
    """The counts that a policy has of one classifier's scores: its rules are thresholds."""

    rules: tuple[Rule, ...]

    def counted(self, sight: Sight) -> list[int] | None:
        scores = sight.columns.get(self.classifier)
        return None if scores is None else self.counts_of(scores, sight.count)

    def counts_of(self, scores: Scores, count: Array | None = None) -> list[int]:
        """How many cases have a score, and how many of these each cut calls positive.

        Each row is one case, or stands for so many (n,).
        """
        passed = (rule.passes(scores.values.size, lambda _: scores) for rule in self.cuts)
        every = (scores.present, *passed)
        return [int(np.count_nonzero(rows) if count is None else count[rows].sum()) for rows in every]


@dataclass(frozen=True, eq=False)
class _Side:
    """The cases that all bands hold, or that they leave out.

    Attributes
    ----------
    counts : (b,) of the batch.
    mean, variance : (5, b) of their rates, at each of the prevalences.
    apart : (b,) how many standard errors the counts are too large, where these are nearest.
    nearest : (b,) which of the prevalences that is.
    """

    counts: Array
    mean: Array
    variance: Array
    apart: Array
    nearest: Array

    @classmethod
    def of(
        cls, counts: Array, size: int, prevalences: Array, pos: tuple[Array, int], neg: tuple[Array, int]
    ) -> _Side:
        mean, variance = rate_in_mixture(prevalences, pos, neg)
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = (counts / size - mean) / np.sqrt(mean * (1 - mean) / size + variance)
        apart[mean >= 1] = -1.0
        nearest = apart.argmin(axis=0)
        return cls(counts, mean, variance, np.take_along_axis(apart, nearest[None], 0)[0], nearest)

    def pvalue(self, size: int) -> float:
        """Return the p-value of the count that is farthest from what it may be."""
        band = int(self.apart.argmax())
        near = int(self.nearest[band]), band
        return excess_pvalue(int(self.counts[band]), size, float(self.mean[near]), float(self.variance[near]))
