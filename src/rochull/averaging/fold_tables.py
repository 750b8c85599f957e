"""The confusion matrices of every fold at every operating point, on demand, and moments over the folds.

Memory stays O(n): the table of all folds at all points is never held.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from rochull._core.threads import share_out
from rochull._core.validation import Array
from rochull.averaging import fold_measures
from rochull.averaging.fold_measures import Confusion, Measure, Ratio
from rochull.hull.tallies import Units

SLACK = 4 * float(np.finfo(float).eps)  # numbers that agree to within rounding agree
_CHUNK = 4000  # points at a time, so that the tables of ten folds stay in the second-level cache
_TABLE = 1 << 16  # entries of a table, where there are many folds
_BATCH = 64  # chunks that are handed out at once
_EXACT = 2**53
Ends = tuple[Array, Array]  # of the negatives and of the positives
M = TypeVar("M")  # a measure
T = TypeVar("T")  # confusion matrices of every fold at several points


class FoldTable(ABC, Generic[M, T]):
    """Per-fold results at operating points: what measures of any kind are averaged from.

    Attributes
    ----------
    totals : float64 (n_classes, n_folds, 1) weight of each class in each fold.
    """

    totals: Array

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return int(self.totals.shape[1])

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of operating points."""

    @property
    @abstractmethod
    def is_exact(self) -> bool:
        """Whether cross products of the counts are exact."""

    @abstractmethod
    def confusion(self, points: Array) -> T:
        """The confusion matrices at some points (indices)."""

    @abstractmethod
    def map_chunks(self, function: Callable[[T], Any], threaded: bool) -> list[Any]:
        """Call `function` with the matrices of all points, a chunk of them at a time, in order."""

    @abstractmethod
    def ratio(self, measure: M, found: T) -> Ratio:
        """A measure of every fold and point, as a numerator and a denominator."""

    @abstractmethod
    def is_count(self, measure: M) -> bool:
        """Whether a measure is a ratio of counts."""

    def is_threaded(self, measure: M) -> bool:
        """Whether it may be computed on several threads: a caller's function is not asked to allow it."""
        return not callable(measure)

    def values(self, measure: M, points: Array) -> Array:
        """The measure of every fold (n_folds, p) at some points; NaN where it is undefined."""
        return as_values(*self.ratio(measure, self.confusion(points)))

    def moments(self, measures: Sequence[M]) -> list[Moments]:
        """Moments of each measure over the folds, at all points."""

        def task(found: T) -> list[Moments]:
            return [moments_of(*self.ratio(m, found), slack) for m, slack in chosen]

        exact = [self.is_exact and self.is_count(measure) for measure in measures]
        chosen = [(m, 0.0 if e else SLACK) for m, e in zip(measures, exact, strict=True)]
        parts = self.map_chunks(task, all(map(self.is_threaded, measures)))
        of_measure = zip(*parts, strict=True)
        return [Moments(*map(np.concatenate, zip(*part, strict=True))) for part in of_measure]


class Folds(FoldTable[Measure, Confusion]):
    """The negatives and the positives, as two classes."""

    def ratio(self, measure: Measure, found: Confusion) -> Ratio:
        return fold_measures.ratio(measure, found)

    def is_count(self, measure: Measure) -> bool:
        return fold_measures.is_exact(measure)


@dataclass(frozen=True, eq=False)
class CountedFolds(Folds):
    """Rows in the order of their scores, each with its fold: what is called at a point is a prefix.

    Attributes
    ----------
    fold : the fold of each row, descending in score, of the negatives and of the positives.
    mass : their weights in units, or None.
    ends : how many rows of each class are called at points 1, 2, ..., ascending; at point 0 none is.
    units : the size of a unit.
    """

    fold: tuple[Array, Array]
    mass: tuple[Array | None, Array | None]
    ends: Ends
    units: Units
    totals: Array

    @property
    def size(self) -> int:
        return 1 + int(self.ends[0].size)

    @property
    def is_exact(self) -> bool:
        return not self.units.weighted and float(self.totals.sum(axis=0).max()) ** 2 < _EXACT

    def moments(self, measures: Sequence[Measure]) -> list[Moments]:
        """Moments of each measure over the folds, at all points; a class's rate is one pass over its rows."""
        rates = [label for label, name in enumerate(fold_measures.RATES) if name in measures]
        others = [measure for measure in measures if measure not in fold_measures.RATES]
        found: dict[Measure, Moments] = {}
        for label, moments in zip(rates, share_out(self._rate, rates), strict=True):
            found[fold_measures.RATES[label]] = moments
        if others:
            found.update(zip(others, super().moments(others), strict=True))
        return [found[measure] for measure in measures]

    def _rate(self, label: int) -> Moments:
        """Moments of the false (0) or true (1) positive rate."""
        from rochull._core.kernels import folds as fold_kernels

        mean, std = np.empty(self.size), np.empty(self.size)
        mean[0] = 0.0
        std[0] = 0.0 if self.n_folds > 1 else np.nan
        fold_kernels.class_moments(
            self.fold[label], self.mass[label], self.ends[label], 1.0 / self.units.pair[label],
            self.totals[label, :, 0].copy(), 0.0 if self.is_exact else SLACK, mean[1:], std[1:],
        )  # fmt: skip
        return Moments(mean, std, np.broadcast_to(self.n_folds, self.size))

    def confusion(self, points: Array) -> Confusion:
        order = np.argsort(points, kind="stable")
        back = np.argsort(order, kind="stable")
        ascending = points[order]
        neg, pos = (np.where(ascending == 0, 0, ends[ascending - 1]) for ends in self.ends)
        none = np.zeros((2, self.n_folds), np.int64)
        found = self._part((neg, pos), none[:, 0], none)
        return Confusion(lambda label: np.ascontiguousarray(found.called(label)[:, back]), *self.totals)

    def map_chunks(self, function: Callable[[Confusion], Any], threaded: bool) -> list[Any]:
        def task(ends: Ends, begin: Array, running: Array) -> Any:
            return function(self._part(ends, begin, running))

        step = max(16, min(_CHUNK, _TABLE // self.n_folds))
        results: list[Any] = []
        begin, running = np.zeros(2, np.int64), np.zeros((2, self.n_folds), np.int64)
        for batch in _batches(self.size, step):
            tasks = []
            for part in batch:
                ends = self._ends(part)
                tasks.append((ends, begin, running))
                running = running.copy()
                self._advance(begin, ends, running)
                begin = np.array([ends[0][-1], ends[1][-1]])
            run = share_out if threaded else map
            results.extend(run(task, *zip(*tasks, strict=True)))
        return results

    def _ends(self, points: slice) -> Ends:
        """How many rows of each class are called at consecutive points."""
        neg, pos = (ends[max(points.start - 1, 0) : points.stop - 1] for ends in self.ends)
        return (neg, pos) if points.start else (np.append(0, neg), np.append(0, pos))

    def _part(self, ends: Ends, begin: Array, running: Array) -> Confusion:
        """The matrices after `ends` (k,) rows, of which the first `begin` (2,) are counted in `running`."""
        from rochull._core.kernels import folds as fold_kernels

        def called(label: int) -> Array:
            out = np.empty((self.n_folds, ends[label].size))
            fold_kernels.count_called(
                self.fold[label], self.mass[label], int(begin[label]), ends[label],
                1.0 / self.units.pair[label], running[label].copy(), out,
            )  # fmt: skip
            return out

        return Confusion(called, *self.totals)

    def _advance(self, begin: Array, ends: Ends, running: Array) -> None:
        """Count in `running` the rows from `begin` (2,) to the last of `ends`."""
        from rochull._core.kernels import folds as fold_kernels

        out = np.empty((self.n_folds, 1))
        for label in (0, 1):
            last = ends[label][-1:]
            fold_kernels.count_called(
                self.fold[label], self.mass[label], int(begin[label]), last, 1.0, running[label], out
            )


@dataclass(frozen=True, eq=False)
class GivenFolds(Folds):
    """Weights that are called positive, as they are given: for points between those that occur.

    Attributes
    ----------
    called : float64 (2, n_folds, k) false and true positives.
    """

    called: Array
    totals: Array

    @property
    def is_exact(self) -> bool:
        """Never: the weights are not counts."""
        return False

    @property
    def size(self) -> int:
        return int(self.called.shape[2])

    def confusion(self, points: Array) -> Confusion:
        return Confusion(lambda label: np.ascontiguousarray(self.called[label][:, points]), *self.totals)

    def map_chunks(self, function: Callable[[Confusion], Any], threaded: bool) -> list[Any]:
        return [function(self.confusion(np.arange(self.size)))]


def _batches(size: int, step: int) -> Iterator[list[slice]]:
    """Consecutive slices of `step` points, a batch of them at a time."""
    slices = [slice(begin, min(begin + step, size)) for begin in range(0, size, step)]
    for first in range(0, len(slices), _BATCH):
        yield slices[first : first + _BATCH]


# --- moments over folds, of which a measure may leave some undefined ------------------------------


class Moments(NamedTuple):
    """Mean, standard deviation (n - 1) and number of the defined folds, at each point (k,)."""

    mean: Array
    std: Array
    defined: Array


def moments_of(num: Array, den: Array, slack: float = SLACK) -> Moments:
    """Over the folds (axis 0), of ratios: `num` (n_folds, k), `den` of one column or as many; 0: undefined.

    Folds of which all deviate from the first by less than `slack` times themselves have a standard
    deviation of exactly 0.
    """
    from rochull._core.kernels import folds as fold_kernels

    if den.shape[1] > 1 or not den.all():
        return ratio_moments(num, np.broadcast_to(den, num.shape), slack)
    mean, std = np.empty(num.shape[1]), np.empty(num.shape[1])
    scratch = np.empty(num.shape)
    fold_kernels.rate_moments(np.ascontiguousarray(num), den[:, 0].copy(), slack, mean, std, scratch)
    return Moments(mean, std, np.full(mean.size, num.shape[0]))


def ratio_moments(num: Array, den: Array, slack: float) -> Moments:
    """:func:`moments_of` with a denominator (n_folds, k) for each numerator: by column, the same always."""
    from rochull._core.kernels import folds as fold_kernels

    mean, std, count = np.empty((3, num.shape[1]))
    fold_kernels.ratio_moments(np.ascontiguousarray(num), np.ascontiguousarray(den), slack, mean, std, count)
    return Moments(mean, std, count.astype(np.int64))


def as_values(num: Array, den: Array) -> Array:
    """Ratios (n_folds, k); NaN where `den` is 0."""
    where = np.broadcast_to(den != 0, num.shape)
    return np.asarray(np.divide(num, den, out=np.full(num.shape, np.nan), where=where))
