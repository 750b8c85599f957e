"""PAV in all segments of a population at once: their groups one after the other, and what is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.validation import Array
from rochull.hull.blocks import Blocks, needs_wide
from rochull.hull.tallies import Spread, unit_sizes


@dataclass(frozen=True, eq=False)
class Steps:
    """Step functions of the score, one after the other: below all steps of one, its first ratio holds."""

    begin: Array  # int64 (m + 1,) where each begins; all have steps
    low: Array  # float64 (b,) ascending in each
    ratio: Array  # float64 (b,) not falling in any

    @classmethod
    def of(cls, parts: Sequence[Blocks], even: float) -> Self:
        """Steps of blocks, whose odds times `even` are their ratio."""
        low, pos, neg = (
            np.concatenate([np.asarray(getattr(part, name), float)[::-1] for part in parts])
            for name in ("low", "pos", "neg")
        )
        return cls.rising(np.cumsum([0, *map(len, parts)]), low, pos, neg, even)

    @classmethod
    def rising(cls, begin: Array, low: Array, pos: Array, neg: Array, even: float) -> Self:
        """Ratios of steps that hold weights of both classes; what falls by rounding is lifted."""
        with np.errstate(divide="ignore"):
            ratio = np.divide(pos, neg) * even
        first = np.zeros(ratio.size, bool)
        first[begin[:-1]] = True
        while (falls := np.append(False, (ratio[1:] < ratio[:-1]) & ~first[1:])).any():
            ratio[falls] = ratio[np.flatnonzero(falls) - 1]
        return cls(begin, low, ratio)

    def __len__(self) -> int:
        return self.begin.size - 1

    @property
    def arrays(self) -> tuple[Array, Array, Array]:
        """Arguments for the kernel."""
        return self.begin, self.low, self.ratio

    def then(self, other: Steps) -> Steps:
        """These, and others behind them."""
        begin = np.append(self.begin, self.low.size + other.begin[1:])
        return Steps(begin, np.append(self.low, other.low), np.append(self.ratio, other.ratio))

    def thresholds(self, ratio: float) -> Array:
        """The lowest score that reaches a ratio in each (m,): -inf if all do, NaN if none does."""
        below = np.add.reduceat(self.ratio < ratio, self.begin[:-1], dtype=np.int64)
        at = self.begin[:-1] + below
        found = np.append(self.low, np.nan)[at]
        return np.where(below == 0, -np.inf, np.where(at == self.begin[1:], np.nan, found))


@dataclass(frozen=True, eq=False)
class SegmentGroups:
    """Groups of scores in segments: where each segment begins, and the groups of one after the other.

    Of examples they are groups of equal score, from high scores to low, as a Tally has them; pooled they are
    the blocks from low scores to high, by their lowest score.
    """

    begin: Array  # int64 (s + 1,); all segments have groups
    score: Array  # float64 (g,)
    pos_units: Array  # these two: int64 (g,)
    neg_units: Array
    sizes: Array  # float64 (2, s) how many units of each segment a weight of 1 is, negatives first

    @classmethod
    def of(
        cls, positive: Array, score: Array, weight: Array | None, segment: Array, n_segments: int
    ) -> Self | None:
        """Blocks of examples sorted by segment; None if the weights of one are too far apart for 62 bits."""
        sizes = np.ones((2, n_segments))
        if weight is not None:
            both = 2 * segment + positive
            spread = Spread.by_code(both, Spread.of_weights(weight), 2 * n_segments).reshape(-1, 2)
            fitting, rows = unit_sizes(spread.total.T), np.bincount(segment, minlength=n_segments)
            if fitting is None or not spread.fits(fitting.T, rows[:, None]).all():
                return None
            sizes = fitting
        order = np.lexsort((-score, segment))
        score, late = score[order] + 0.0, positive[order].astype(np.int64)  # -0.0 becomes 0.0
        mass = np.ones(score.size, np.int64)
        if weight is not None:
            mass = np.rint(weight[order] * sizes[late, segment]).astype(np.int64)
            held = mass > 0
            score, late, segment, mass = score[held], late[held], segment[held], mass[held]
        first = np.flatnonzero(
            np.append(True, (segment[1:] != segment[:-1]) | (score[1:] != score[:-1]))
        )  # fmt: skip
        pos, neg = (np.add.reduceat(part, first) for part in (mass * late, mass * (1 - late)))
        begin = np.searchsorted(segment[first], np.arange(n_segments + 1))
        return cls(begin, score[first], pos, neg, sizes)

    @property
    def segment(self) -> Array:
        """The segment of each group, int64 (g,)."""
        return np.repeat(np.arange(self.begin.size - 1), np.diff(self.begin))

    @property
    def masses(self) -> tuple[Array, Array]:
        """Weight of the positives and of the negatives in each group, float64 (g,)."""
        neg, pos = self.sizes[:, self.segment]
        return self.pos_units / pos, self.neg_units / neg

    @cached_property
    def totals(self) -> Array:
        """Weight of each segment (s,), summed up as that of one alone is."""
        both = np.add(*self.masses)
        return np.array([both[a:b].sum() for a, b in pairwise(self.begin.tolist())])

    def shrunken(self, whole: Blocks, added: float) -> SegmentGroups | None:
        """Groups in which the examples of every segment have twins that weigh `added`.

        Their labels are the posteriors of the whole, see :func:`shrunken_blocks`. None where that needs
        more than 62 bits.
        """
        if not added:
            return self
        low, share = whole.low[::-1].astype(float), whole.posterior[::-1]
        at = np.maximum(np.searchsorted(low, self.score, side="right") - 1, 0)
        (pos, neg), of = self.masses, self.segment
        twins = (pos + neg) * (added / self.totals)[of]
        masses = pos + twins * share[at], neg + twins * (1 - share[at])
        total = np.stack([np.add.reduceat(mass, self.begin[:-1]) for mass in masses[::-1]])
        sizes = unit_sizes(total)
        if sizes is None:
            return None
        units = [
            np.rint(mass * size[of]).astype(np.int64) for mass, size in zip(masses, sizes[::-1], strict=True)
        ]
        some = units[0] + units[1] > 0
        begin = np.append(0, np.cumsum(some))[self.begin]
        return SegmentGroups(begin, self.score[some], units[0][some], units[1][some], sizes)

    def pooled(self) -> SegmentGroups:
        """The blocks of every segment, from low scores to high."""
        from rochull._core.kernels import maps as kernels

        most = (
            int(np.add.reduceat(part, self.begin[:-1]).max()) for part in (self.neg_units, self.pos_units)
        )
        begin, last, pos, neg = kernels.segment_blocks(
            self.pos_units, self.neg_units, self.begin, needs_wide(*most)
        )
        return SegmentGroups(begin, self.score[last], pos, neg, self.sizes)

    def steps(self, even: float) -> Steps:
        """Blocks as step functions."""
        return Steps.rising(self.begin, self.score, *self.masses, even)
