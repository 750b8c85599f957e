"""Models of error redistribution: score and segment to the benefit-cost ratio, on one scale for all.

The benefit-cost ratio of a case is the price of a false positive, in true positives and both as rates of
the whole population, below which the case is called positive. In segment i it is
``p_i+ / p_i-`` times the slope of the segment's ROC curve, or where that is not concave of its hull: as the
price falls, the best threshold of a segment only falls.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Self

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.threads import share_out
from rochull._core.validation import Array, Labelled
from rochull.conditions.rules import ALWAYS, NEVER, Rule, SegmentedRule
from rochull.hull.blocks import Blocks, pool
from rochull.hull.tallies import UNIT, Tally, Units, tally_of
from rochull.segments.models.pooling import SegmentGroups, Steps
from rochull.segments.rules import LazyOwners, RuleTable

_SIGN = np.int64(-(2**63))
_BACK = 16  # numbers of float64 below the end of a bisection that are looked at too
_ROWS = 1 << 16  # of a chunk


@dataclass(frozen=True, eq=False)
class SegmentedScores:
    """Labelled scores of a population in segments, sorted by segment."""

    positive: Array  # uint8 (n,)
    score: Array  # float64 (n,)
    weight: Array | None  # float64 (n,) or None; no zeros
    begin: Array  # int64 (s + 1,) where each segment begins; all have examples
    order: Array  # (n,) the rows as they were given
    # the mean weight of an example, where the rows stand for several each; else None
    each: float | None = None

    @classmethod
    def of(cls, data: Labelled, segment: Array, n_segments: int) -> SegmentedScores:
        """Sort validated examples by segment; inside of one they stay in their order."""
        from rochull._core.kernels import maps as kernels

        begin = np.concatenate(([0], np.cumsum(np.bincount(segment, minlength=n_segments))))
        given, label = np.ascontiguousarray(data.scores, float), (data.positive == 1).view(np.uint8)
        score, positive = np.empty_like(given), np.empty_like(label)
        order = np.empty(segment.size, np.int64)
        kernels.scatter_segments(given, label, segment, begin.copy(), score, positive, order)
        weight = None if data.weights is None else data.weights[order]
        return cls(positive, score, weight, begin, order)

    def __len__(self) -> int:
        return self.begin.size - 1

    @property
    def mean_weight(self) -> float:
        """The mean weight of an example."""
        if self.each is not None:
            return self.each
        return 1.0 if self.weight is None else float(self.weight.mean())

    @cached_property
    def segment(self) -> Array:
        """The segment of each example, int64 (n,): ascending, from 0 to s - 1."""
        return np.repeat(np.arange(len(self)), np.diff(self.begin))

    def part(self, i: int) -> Labelled:
        """The examples of one segment."""
        rows = slice(self.begin[i], self.begin[i + 1])
        return Labelled(
            self.positive[rows], self.score[rows], None if self.weight is None else self.weight[rows]
        )

    @property
    def whole(self) -> Labelled:
        """All examples."""
        return Labelled(self.positive, self.score, self.weight)

    @cached_property
    def whole_blocks(self) -> Blocks:
        """The blocks of all examples."""
        from rochull.hull.refine import blocks_of
        from rochull.hull.sources import ArraySource

        return blocks_of(ArraySource(self.whole))

    @cached_property
    def groups(self) -> SegmentGroups | None:
        """The groups of every segment; None if weights of one are too far apart to be held together."""
        return SegmentGroups.of(self.positive, self.score, self.weight, self.segment, len(self))

    def masses(self) -> tuple[Array, Array]:
        """Weight of the negatives and of the positives in each segment (s,)."""
        if self.weight is None:
            neg, pos = self.counts()
            return neg.astype(float), pos.astype(float)
        pos = np.bincount(self.segment, self.weight * self.positive, len(self))
        neg = np.bincount(self.segment, self.weight * (1 - self.positive), len(self))
        return neg, pos

    def counts(self) -> tuple[Array, Array]:
        """Number of negatives and of positives in each segment (s,)."""
        flags = self.positive.view(bool)  # counted much faster than bytes are summed
        pos = np.array([np.count_nonzero(flags[a:b]) for a, b in pairwise(self.begin.tolist())])
        return np.diff(self.begin) - pos, pos


class SegmentModel(ABC):
    """A map from (score, segment) to the benefit-cost ratio, which rises with the score.

    Segments are numbered from 0; number s, one more than there are, stands for cases that belong to
    none: they are treated as by a map for the whole population.
    """

    name: ClassVar[str]

    @abstractmethod
    def fit(self, data: SegmentedScores) -> Self:
        """Learn the map."""

    @abstractmethod
    def ratio(self, score: Array, segment: Array) -> Array:
        """Benefit-cost ratio (n,), from 0 to inf; it does not fall with the score inside a segment."""

    def thresholds(self, ratio: float) -> Array:
        """The lowest score called positive in each segment at a ratio (s + 1,): -inf for all, NaN for none.

        By bisection over all numbers of float64. Rounding may make `ratio` fall by a bit here and there,
        so the lowest of the last numbers that reach it is taken: no score that does is left out.
        """
        segment = np.arange(self.n_segments + 1)
        low, high = _key(np.full(segment.size, -np.inf)), _key(np.full(segment.size, np.inf))
        none = self.ratio(np.full(segment.size, np.inf), segment) < ratio
        # A score of -inf that is called positive leaves no score that is not.
        while (low < high).any():
            middle = low + (high - low) // 2  # the keys are non-negative: no overflow
            called = self.ratio(_number(middle), segment) >= ratio
            high = np.where(called, middle, high)
            low = np.where(called, low, np.minimum(middle + 1, high))
        back = np.minimum(np.uint64(_BACK), low - _key(np.full(segment.size, -np.inf)))
        for step in range(_BACK, 0, -1):
            at = low - np.minimum(back, np.uint64(step))
            high = np.where((self.ratio(_number(at), segment) >= ratio) & (at < high), at, high)
        return np.where(none, np.nan, _number(high))

    n_segments: int

    def tally(self, data: SegmentedScores) -> Tally:
        """The training data by their ratio."""
        return tally_of(Labelled(data.positive, self.ratio(data.score, data.segment), data.weight))


def _key(number: Array) -> Array:
    """Integers from 0 on (as uint64) in the order of the numbers."""
    bits = np.ascontiguousarray(number, float).view(np.int64)
    return np.where(bits < 0, ~bits, bits ^ _SIGN).view(np.uint64)


def _number(key: Array) -> Array:
    bits = key.view(np.int64)
    return np.where(bits < 0, bits ^ _SIGN, ~bits).view(np.float64)


class FixedModel(SegmentModel):
    """One threshold for all: the score itself, which is on one scale for all segments already."""

    name = "fixed"

    def fit(self, data: SegmentedScores) -> Self:
        """Nothing is learned."""
        self.n_segments = len(data)
        return self

    def ratio(self, score: Array, segment: Array) -> Array:
        """The score."""
        return np.asarray(score, float)

    def thresholds(self, ratio: float) -> Array:
        """The same everywhere."""
        return np.full(self.n_segments + 1, float(ratio))


class PavModel(SegmentModel):
    """The exact optimum on the training data: PAV in every segment, which is the segment's hull.

    Parameters
    ----------
    shrinkage : float
        How many examples like those of the whole population are added to every segment: each of its
        own examples gets a twin of that weight in all, whose label is the global posterior at its
        score. 0 is the exact empirical optimum, inf the global map in all segments.
    """

    name = "pav"

    def __init__(self, shrinkage: float = 0.0) -> None:
        self.shrinkage = shrinkage

    def fit(self, data: SegmentedScores) -> Self:
        """Pool adjacent violators in every segment."""
        self.n_segments, self._counts, self._units = len(data), None, UNIT
        neg, pos = (float(mass.sum()) for mass in data.masses())
        even, whole = neg / pos, data.whole_blocks  # odds times `even` are the ratio of rates
        if math.isinf(self.shrinkage):
            self.steps = Steps.of([whole], even)
            return self
        added = self.shrinkage * data.mean_weight
        own = None if data.groups is None else data.groups.shrunken(whole, added)
        if own is None:
            tallies = (tally_of(data.part(i), both_classes=False) for i in range(len(data)))
            self.steps = Steps.of([*(shrunken_blocks(part, whole, added) for part in tallies), whole], even)
            return self
        pooled = own.pooled()
        self.steps = pooled.steps(even).then(Steps.of([whole], even))
        if data.weight is None and not self.shrinkage:  # the examples of a step are known: no need to sort
            self._counts = pooled.pos_units, pooled.neg_units
        return self

    def fit_blocks(self, parts: Sequence[Blocks], whole: Blocks) -> Self:
        """The same without shrinkage, or with an infinite one, from the blocks of each segment and of all.

        Blocks are in units of the whole.
        """
        self.n_segments = len(parts)
        even = float(np.asarray(whole.neg, float).sum()) / float(np.asarray(whole.pos, float).sum())
        own = [whole] if math.isinf(self.shrinkage) else parts
        self.steps = Steps.of([whole] if own is not parts else [*parts, whole], even)
        pos, neg = (
            np.concatenate([getattr(part, name)[::-1] for part in own]) for name in ("pos_units", "neg_units")
        )
        self._counts, self._units = (pos, neg), whole.units
        return self

    def block_tally(self) -> Tally:
        """The examples by their ratio, of :meth:`fit_blocks`."""
        assert self._counts is not None
        pos, neg = self._counts
        return by_ratio(self.steps.ratio[: pos.size], pos, neg, self._units)

    def tally(self, data: SegmentedScores) -> Tally:
        """The training data by their ratio; of raw, unweighted blocks without looking at them again."""
        return super().tally(data) if self._counts is None else self.block_tally()

    def ratio(self, score: Array, segment: Array) -> Array:
        """The step of the segment's map."""
        from rochull._core.kernels import maps as kernels

        score = np.ascontiguousarray(score, float)
        segment = segment if len(self.steps) > 1 else np.zeros(segment.size, np.int64)  # one map for all
        out = np.empty(score.size)

        def work(at: int) -> None:
            rows, (begin, low, ratio) = slice(at, at + _ROWS), self.steps.arrays
            kernels.segment_steps(score[rows], segment[rows], begin, low, ratio, out[rows])

        share_out(work, range(0, score.size, _ROWS))
        return out

    def thresholds(self, ratio: float) -> Array:
        """The low end of the first step that reaches the ratio."""
        found = self.steps.thresholds(ratio)
        return found if found.size > 1 else np.repeat(found, self.n_segments + 1)


def by_ratio(ratio: Array, pos: Array, neg: Array, units: Units) -> Tally:
    """Groups (g,) of units, each at its ratio, as a tally."""
    order = np.argsort(-ratio, kind="stable")
    ratio = ratio[order]
    first = np.flatnonzero(np.append(True, ratio[1:] < ratio[:-1]))
    return Tally(ratio[first], np.add.reduceat(pos[order], first), np.add.reduceat(neg[order], first), units)


def shrunken_blocks(groups: Tally, whole: Blocks, added: float) -> Blocks:
    """The blocks of a part of the population, to which so much weight like that of the whole is added."""
    if math.isinf(added):
        return whole
    return pool(_with_twins(groups, whole, added) if added else groups)


def _with_twins(groups: Tally, whole: Blocks, added: float) -> Tally:
    """Groups in which every example has a twin with the global posterior as its label."""
    pos, neg = np.asarray(groups.pos, float), np.asarray(groups.neg, float)
    low = whole.low[::-1].astype(float)
    share = np.asarray(whole.posterior, float)[::-1]
    at = np.maximum(np.searchsorted(low, groups.score, side="right") - 1, 0)
    twins = (pos + neg) * (added / float((pos + neg).sum()))
    masses = pos + twins * share[at], neg + twins * (1 - share[at])
    units = Units.of(*(float(mass.sum()) for mass in masses[::-1]))
    pos_units, neg_units = (
        np.rint(mass * unit).astype(np.int64)
        for mass, unit in zip(masses, (units.pos, units.neg), strict=True)
    )
    some = pos_units + neg_units > 0
    return Tally(groups.score[some], pos_units[some], neg_units[some], units)


# --- level sets --------------------------------------------------------------------------------------


def _rule_of(level: float, lower_is_positive: bool) -> Rule:
    if math.isnan(level):
        return NEVER
    return ALWAYS if level == -math.inf else Rule.at_level(level, None, lower_is_positive)


class LevelSets(LazyOwners):
    """The rules of a hull of benefit-cost ratios: level sets, read back in every segment when asked for.

    Where low scores are positive the model has learned from negated ones.
    """

    def __init__(
        self, model: SegmentModel, ratios: Array, names: tuple[Hashable, ...], lower_is_positive: bool
    ) -> None:
        self.model, self.ratios, self.names, self.size = model, ratios, names, ratios.size
        self.lower_is_positive = lower_is_positive

    def rule_at(self, i: int) -> SegmentedRule:
        found = self.model.thresholds(float(self.ratios[i])).tolist()
        rules = tuple(_rule_of(level, self.lower_is_positive) for level in found)
        return SegmentedRule(segments=self.names, rules=rules)

    @cached_property
    def tables(self) -> tuple[RuleTable, ...]:
        """The rules of every segment where they change; rules are made of no others, as there may be many."""
        first = [[0] for _ in self.names]
        rules = [[NEVER] for _ in self.names]
        made: dict[int, Rule] = {}  # by the bits of the level: many segments may share one
        before = np.full(len(self.names), np.nan)
        for i in range(1, self.size):
            last = i == self.size - 1
            levels = np.full(before.size, -np.inf) if last else self.model.thresholds(float(self.ratios[i]))
            changed = (levels != before) & ~(np.isnan(levels) & np.isnan(before))
            for k, bits in zip(
                np.flatnonzero(changed).tolist(), levels.view(np.int64)[changed].tolist(), strict=True
            ):
                if bits not in made:
                    made[bits] = _rule_of(float(levels[k]), self.lower_is_positive)
                first[k].append(i)
                rules[k].append(made[bits])
            before = levels
        return tuple(RuleTable(np.array(at), tuple(own)) for at, own in zip(first, rules, strict=True))
