"""Rows in the order of their scores, and the operating points at which the folds are compared."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.sorting import ascending
from rochull._core.threads import share_out
from rochull._core.validation import Array, Labelled
from rochull.averaging.fold_tables import CountedFolds, Ends
from rochull.conditions.rules import threshold_in
from rochull.hull.blocks import pool
from rochull.hull.curve import RocCurve
from rochull.hull.tallies import Tally, Units, merge_sorted, units_of

Points = int | str | ArrayLike | None
Part = tuple[Array, Array, Array | None]  # scores, folds, units of weight


@dataclass(frozen=True, eq=False)
class FoldRows:
    """The rows of each class (negative, positive), ascending in score; none weighs nothing.

    Attributes
    ----------
    scores, fold : score and fold of each row.
    mass : its weight in units, or None.
    units : the size of a unit.
    n_folds : number of folds.
    """

    scores: tuple[Array, Array]
    fold: tuple[Array, Array]
    mass: tuple[Array | None, Array | None]
    units: Units
    n_folds: int

    @classmethod
    def of(cls, data: Labelled, codes: Array, n_folds: int) -> FoldRows:
        """Sort validated examples, each of which has the code of its fold."""
        from rochull._core.kernels import folds as fold_kernels

        units, size, weights = units_of([data]), data.scores.size, data.weights
        scores, fold = np.empty_like(data.scores), np.empty(size, np.uint8 if n_folds <= 256 else np.int32)
        mass = np.empty(0 if weights is None else size, np.int64)
        n_pos, n_neg = fold_kernels.split_classes(
            data.positive, data.scores, codes, weights, units.pair, scores, fold, mass
        )
        sides = slice(size - n_neg, size), slice(n_pos)
        parts = [(scores[side], fold[side], None if weights is None else mass[side]) for side in sides]
        return cls._from_parts(share_out(_ordered, *zip(*parts, strict=True)), units, n_folds)

    @classmethod
    def _from_parts(cls, parts: list[Part], units: Units, n_folds: int) -> FoldRows:
        neg, pos = parts
        return cls((neg[0], pos[0]), (neg[1], pos[1]), (neg[2], pos[2]), units, n_folds)

    def groups(self, weighted: bool) -> Tally:
        """The groups of equal score, in rows or in units of weight."""
        neg_mass, pos_mass = self.mass if weighted else (None, None)
        neg, pos = self.scores
        return merge_sorted(pos, pos_mass, neg, neg_mass, self.units)

    def ends(self, thresholds: Array) -> Ends:
        """How many rows of each class score at least each of the thresholds: int64 (k,)."""
        neg, pos = (at_least(scores, thresholds) for scores in self.scores)
        return neg, pos

    def table(self, ends: Ends) -> CountedFolds:
        """Count what folds call at "never" and where so many rows of each class are called, ascending."""
        (neg, neg_mass), (pos, pos_mass) = zip(self.fold, self.mass, strict=True)
        mass = _descending(neg_mass), _descending(pos_mass)
        return CountedFolds((neg[::-1].copy(), pos[::-1].copy()), mass, ends, self.units, self._totals())

    def areas(self) -> Array:
        """Area under the ROC curve of each fold (n_folds,); every fold has both classes."""
        parts = [self._of_fold(label) for label in (0, 1)]
        areas = [
            RocCurve.from_tally(merge_sorted(pos[0], pos[1], neg[0], neg[1], self.units)).auc()
            for neg, pos in zip(*parts, strict=True)
        ]
        return np.array(areas)

    def _of_fold(self, label: int) -> list[tuple[Array, Array | None]]:
        """Scores and units of one class, fold by fold, each ascending."""
        order = np.argsort(self.fold[label], kind="stable")
        at = np.cumsum(np.bincount(self.fold[label], minlength=self.n_folds))[:-1]
        scores, mass = self.scores[label], self.mass[label]
        return [(scores[members], None if mass is None else mass[members]) for members in np.split(order, at)]

    def choose(self, points: Points) -> tuple[Array, Ends]:
        """Thresholds (k,), descending, and how many rows of each class reach them; of `checked` points."""
        if points is None or isinstance(points, int):
            groups = self.groups(weighted=False)
            counts = groups.neg_units, groups.pos_units
            share_out(np.cumsum, counts, (0, 0), (np.int64, np.int64), counts)  # in place
            if points is None:
                return groups.score, counts
            chosen = spread(groups.score.size, points)
            return groups.score[chosen], (counts[0][chosen], counts[1][chosen])
        thresholds = pool(self.groups(weighted=True)).low if isinstance(points, str) else np.asarray(points)
        return thresholds, self.ends(thresholds)

    def lowered_table(self, thresholds: Array) -> CountedFolds:
        """Count what folds call at "never" and at their own highest score that is not above each threshold.

        A row is called at t unless its fold has a score above it and up to t. So its score may be
        replaced by the highest of all folds' scores that is below its fold's next one.
        """
        pooled, rank = np.unique(np.concatenate(self.scores), return_inverse=True)
        fold = np.concatenate(self.fold)
        order = np.lexsort((rank, fold))
        ranks, members = rank[order], fold[order]
        last = np.append((np.diff(ranks) != 0) | (np.diff(members) != 0), True)  # of its group of equals
        after = np.append(ranks[1:], 0)
        after[np.append(np.diff(members) != 0, True)] = pooled.size  # the fold's highest: always called
        at = np.flatnonzero(last)
        raised = np.empty_like(rank)
        raised[order] = np.repeat(after[at], np.diff(np.append(-1, at))) - 1
        split = np.split(raised, [self.scores[0].size])
        rows = self._from_parts(
            [_ordered(*part) for part in zip(split, self.fold, self.mass, strict=True)],
            self.units,
            self.n_folds,
        )
        # The rank of the highest pooled score that is not above a threshold.
        above = at_least(pooled, thresholds)
        steps = pooled.size - above - np.where(occurs(pooled, above, thresholds), 0, 1)
        return rows.table(rows.ends(steps))

    def _totals(self) -> Array:
        """Weight of each class in each fold: float64 (2, n_folds, 1)."""
        from rochull._core.kernels import folds as fold_kernels

        totals = np.empty((2, self.n_folds, 1))
        for label in (0, 1):
            size = np.array([self.fold[label].size])
            running = np.zeros(self.n_folds, np.int64)
            unit = 1.0 / self.units.pair[label]
            fold_kernels.count_called(
                self.fold[label], self.mass[label], 0, size, unit, running, totals[label]
            )
        return totals


def _ordered(scores: Array, fold: Array, mass: Array | None) -> Part:
    """Rows of one class, ascending in score."""
    scores, order = ascending(scores, np.arange(scores.size))
    return scores, fold[order], None if mass is None else mass[order]


def _descending(mass: Array | None) -> Array | None:
    return None if mass is None else mass[::-1].copy()


def checked_points(points: Points, name: str) -> Points:
    """Which points are wanted: None for all, a number of at least 2, "hull", or descending thresholds."""
    if points is None:
        return None
    if isinstance(points, str):
        if points != "hull":
            raise ValueError(f"{name} must be None, a number, 'hull' or thresholds, but is {points!r}.")
        return points
    if isinstance(points, int | np.integer) and not isinstance(points, bool):
        if points < 2:
            raise ValueError(f"{name} must be at least 2, but is {points}.")
        return int(points)
    given: Any = points
    return np.unique(validation.scores_1d(given, name))[::-1]


def spread(size: int, wanted: int) -> Array:
    """`wanted` indices out of `size`, evenly spread, both ends among them; all if there are no more."""
    if wanted >= size:
        return np.arange(size)
    steps = np.arange(wanted, dtype=np.int64)
    return np.asarray((2 * steps * (size - 1) + wanted - 1) // (2 * (wanted - 1)))


def at_least(scores: Array, thresholds: Array) -> Array:
    """How many of ascending scores are at least each threshold (k,), compared exactly."""
    if thresholds.dtype == scores.dtype:
        return np.asarray(scores.size - np.searchsorted(scores, thresholds))
    steps = [threshold_in(scores.dtype, step) for step in thresholds.tolist()]
    beyond = np.array([scores.dtype.kind != "f" and step == np.inf for step in steps], bool)
    inside = np.array([0 if out else step for step, out in zip(steps, beyond, strict=True)], scores.dtype)
    return np.where(beyond, 0, scores.size - np.searchsorted(scores, inside))


def occurs(scores: Array, above: Array, thresholds: Array) -> Array:
    """Whether each threshold (k,) is one of the ascending scores, of which `above` are at least that."""
    lowest = scores[np.minimum(scores.size - above, scores.size - 1)]
    if thresholds.dtype == scores.dtype:
        return np.asarray((above > 0) & (lowest == thresholds))
    equal = [a == b for a, b in zip(lowest.tolist(), thresholds.tolist(), strict=True)]
    return np.asarray((above > 0) & np.array(equal))


def split_digest(codes: Array, positive: Array, rows: Array | None = None) -> bytes:
    """A digest of which row is in which fold, and of the labels; equal for equal splits of equal rows.

    `rows` (n,) says which rows were tested, if not each in turn: the order of the splits has no effect.
    """
    if rows is not None:
        order = np.lexsort((codes, rows))
        codes, positive, rows = codes[order], positive[order], rows[order]
        if np.array_equal(rows, np.arange(rows.size)):
            rows = None
    small = int(codes.max()) < 128
    key = codes.astype(np.uint8 if small else np.int64) * 2 + (positive == 1)
    found = blake2b(key.tobytes(), digest_size=16)
    if rows is not None:
        found.update(rows.astype(np.int64).tobytes())
    return found.digest()
