"""Scores of a batch counted between the thresholds of a hull: enough to estimate its prevalence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.validation import Array
from rochull.hull.hull import RocHull
from rochull.policies.mixture import Sample
from rochull.policies.prevalence import PrevalenceEstimate, RatioLadder, of_batches

_SHIFT = 44  # of the bits of a float64, so that 2^20 cells are left
_MANY = 1 << 16  # rows for which a table of cells pays, and which stay in the cache
_EXACT = 1 << 53


class TooWideError(Exception):
    """Scores are integers that float64 does not tell apart."""


def exact_floats(values: Array) -> Array:
    """Scores (n,) as float64."""
    wide = values.astype(np.float64, copy=False)
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8 and np.abs(wide).max(initial=0) >= _EXACT:
        raise TooWideError
    return wide


@dataclass(frozen=True, eq=False)
class ScoreSteps:
    """Thresholds of one classifier.

    Attributes
    ----------
    ends : float64 (r,) from the best score to the worst, all different.
    lower_is_positive : whether they ascend.
    """

    ends: Array
    lower_is_positive: bool = False

    def missed(self, scores: Array) -> Array:
        """How many of the thresholds each score, float64 (n,) without NaN, does not reach: the first ones."""
        if scores.size < _MANY:
            return self._searched(scores)
        parts = range(0, scores.size, _MANY)
        return np.concatenate([self._looked_up(scores[begin : begin + _MANY]) for begin in parts])

    def _searched(self, scores: Array) -> Array:
        ends, values = (self.ends, scores) if self.lower_is_positive else (-self.ends, -scores)
        return np.searchsorted(ends, values)

    def _looked_up(self, scores: Array) -> Array:
        least, ends, crowded = self._cells
        cell = (np.ascontiguousarray(scores).view(np.uint64) >> np.uint64(_SHIFT)).view(np.int64)
        found = least.take(cell)
        end = ends.take(found)
        found += scores > end if self.lower_is_positive else scores < end
        left = np.flatnonzero(crowded.take(cell))
        found[left] = self._searched(scores[left])
        return found

    @cached_property
    def _cells(self) -> tuple[Array, Array, Array]:
        """For all scores with the same first bits how many thresholds the best of them misses (2^20,).

        Then the thresholds, and one that nothing misses; and where more than one of them is inside.
        """
        first = np.arange(1 << (64 - _SHIFT), dtype=np.uint64) << np.uint64(_SHIFT)
        both = [self._searched(own.view(float)) for own in (first, first | np.uint64((1 << _SHIFT) - 1))]
        least, most = np.minimum(*both), np.maximum(*both)
        worst = np.inf if self.lower_is_positive else -np.inf
        kind = np.min_scalar_type(self.ends.size)
        return least.astype(kind), np.append(self.ends, worst), most - least > 1


class RangeCounts:
    """Counts of one classifier's scores.

    Attributes
    ----------
    size : how many there are.
    """

    def __init__(self, hull: RocHull, classifier: str | None) -> None:
        self._ladder = RatioLadder.of(hull, classifier)
        levels, lower = np.array(self._ladder.thresholds, float), self._ladder.lower_is_positive
        self._steps = ScoreSteps(-levels if lower else levels, lower)
        self._counts = np.zeros(levels.size + 1, np.int64)  # from high scores to low

    @property
    def size(self) -> int:
        return int(self._counts.sum())

    def add(self, scores: Array) -> None:
        """Count scores (n,), of which none is missing."""
        for begin in range(0, scores.size, _MANY):
            part = scores[begin : begin + _MANY]
            try:
                place = self._steps.missed(exact_floats(part))
            except TooWideError:
                place = self._ladder.place_of(part)
            self._counts += np.bincount(place, minlength=self._counts.size)

    @property
    def ratios(self) -> Sample:
        """The log-likelihood-ratios that occurred."""
        return Sample.of(self._ladder.llr[self._counts > 0], self._counts[self._counts > 0])


def estimated(hull: RocHull, counts: dict[str, RangeCounts], level: float = 0.95) -> PrevalenceEstimate:
    """Estimate the prevalence of a batch, as from its scores; no warning is given."""
    batches: dict[str | None, Sample] = {name: each.ratios for name, each in counts.items() if each.size}
    return of_batches(hull, batches, level)
