"""Repairing concavities: the ranking turned round where the ROC curve lies below its hull.

Between two vertices of the hull PAV ties all scores. Flach & Wu invert their order instead, which
lifts the curve above the chord by as much as it lay below: right if the classifier is really
perverse there, and wrong if the concavity is noise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation as _validation
from rochull._core.late_bases import check_is_fitted
from rochull._core.messages import refused
from rochull._core.validation import Array
from rochull.calibration.base import OneColumn, labelled_scores
from rochull.hull import refine
from rochull.hull.blocks import pool
from rochull.hull.curve import area_fraction
from rochull.hull.tallies import Tally, tally_of

_LEAST_INT64 = np.iinfo(np.int64).min


@dataclass(frozen=True, eq=False)
class Concavities:
    """Ranges of scores in which an ROC curve lies below its hull, from high scores to low.

    Attributes
    ----------
    low, high : float64 ndarray of shape (k,)
        The extreme scores of range i, which is one block of PAV.
    area : float64 ndarray of shape (k,)
        Area between the hull's edge and the curve, as a share of the unit square; in-sample.
    examples : int64 ndarray of shape (k,)
        How many examples of positive weight have such a score.
    """

    low: Array
    high: Array
    area: Array
    examples: Array

    def __len__(self) -> int:
        return len(self.low)

    def __repr__(self) -> str:
        return f"Concavities({len(self)} ranges, area {self.area.sum():.6g})"

    def place(self, scores: Array) -> Array:
        """The range that each score (n,) lies in, or -1."""
        if not len(self):
            return np.full(scores.size, -1)
        i = np.searchsorted(self.low[::-1], scores, side="right") - 1  # counted from low scores
        i = len(self) - 1 - i
        inside = (i < len(self)) & (scores <= self.high[np.minimum(i, len(self) - 1)])
        return np.where(inside, i, -1)


class ConcavityRepair(OneColumn):
    """Invert the ranking inside the concavities of the ROC curve of one classifier's scores.

    A score inside a repaired range moves to the mirrored place in that range; all others, also those
    in the gaps between ranges, stay the same. On the data that it was fitted on each repair adds
    twice the concavity's area to the AUC, where PAV's tie adds it once. On new data either may cost
    something: see the notes.

    Parameters
    ----------
    min_area : float, default=0.0
        Only concavities of a larger area, as a share of the unit square, are inverted; with 0 all are.
    pos_label : object, optional
        The label of the positive class; by default labels are {0, 1}, {-1, 1} or booleans.

    Attributes
    ----------
    concavities_ : Concavities
        The ranges that are inverted, from high scores to low: arrays `low`, `high`, `area` and
        `examples`, of the data that it was fitted on.
    n_features_in_ : int
        Always 1.

    Notes
    -----
    Of two scores in one range a tie is half-way between the two orders. So on any data, new ones too, tying
    the ranges has the mean of the AUC of the raw and of the repaired scores: where a tie helps, inverting
    helps twice as much, and where a concavity is noise it costs twice as much. Real concavities are
    large for their number of examples; `min_area` leaves the others alone.

    The mirror is that of the order of the float64 numbers between the range's ends: the i-th lowest of
    them changes places with the i-th highest. So the inversion is exact, whatever the scores, infinite
    ones included: distinct scores stay distinct, ties stay ties, and no score leaves its range.

    References
    ----------
    Flach & Wu 2003, "Repairing concavities in ROC curves", UK Workshop on Computational Intelligence;
    under the same title in IJCAI 2005. Fawcett & Niculescu-Mizil 2007, section 4, Conclusions.

    Examples
    --------
    >>> import rochull as rh
    >>> labels, scores = [0, 1, 0, 0, 1, 1, 0], [0.1, 0.2, 0.4, 0.5, 0.6, 0.8, 0.9]
    >>> repair = rh.ConcavityRepair().fit(scores, labels)
    >>> repair.concavities_
    Concavities(2 ranges, area 0.166667)
    >>> repaired = repair.transform(scores)
    >>> aucs = rh.roc_auc(labels, scores), rh.roc_hull(labels, scores).auc(), rh.roc_auc(labels, repaired)
    >>> [round(auc, 4) for auc in aucs]
    [0.5833, 0.75, 0.9167]
    """

    def __init__(self, min_area: float = 0.0, pos_label: object = None) -> None:
        self.min_area = min_area
        self.pos_label = pos_label

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the concavities.

        Returns
        -------
        self
            Fitted.

        Examples
        --------
        >>> import rochull as rh
        >>> repair = rh.ConcavityRepair(min_area=0.1).fit([1, 2, 3, 4, 5], [1, 0, 0, 1, 0])
        >>> repair.concavities_.low.tolist(), repair.concavities_.high.tolist()
        ([1.0], [3.0])
        """
        least = _validation.non_negative(self.min_area, "min_area")
        data = labelled_scores(X, y, sample_weight, self.pos_label)
        data = replace(data, scores=_as_float64(data.scores, "X"))
        low, high, area = concavities_of(tally_of(data))
        large = area > least
        found = Concavities(low[large], high[large], area[large], np.zeros(int(large.sum()), np.int64))
        counted = found.place(data.scores if data.weights is None else data.scores[data.weights > 0])
        found.examples[:] = np.bincount(counted[counted >= 0], minlength=len(found))
        self.concavities_ = found
        self.n_features_in_ = 1
        return self

    def transform(self, X: ArrayLike) -> Array:
        """Repair scores.

        Returns
        -------
        float64 ndarray of shape (n,)
            Scores that rank as the given ones do, except within a repaired range, where they rank the
            other way round. They are not probabilities, even if the given ones were.

        Examples
        --------
        >>> import rochull as rh
        >>> repair = rh.ConcavityRepair().fit([1, 2, 3, 4], [1, 0, 0, 1])
        >>> repair.transform([0.5, 1, 3, 3.5, 4]).tolist()
        [0.5, 3.0, 1.0, 3.5, 4.0]
        """
        check_is_fitted(self)
        repaired = _as_float64(_validation.scores_1d(X, "X"), "X")
        range_of = self.concavities_.place(repaired)
        inside = range_of >= 0
        low, high = (ends[range_of[inside]] for ends in (self.concavities_.low, self.concavities_.high))
        # The sum may leave 64 bits for a moment: the result, which is between the ends, does not.
        mirrored = _ordinals(low) + _ordinals(high) - _ordinals(repaired[inside])
        repaired[inside] = _numbers(mirrored)
        return repaired


def concavities_of(groups: Tally) -> tuple[Array, Array, Array]:
    """Low and high end and area of each PAV block (k,) of more than one score, from high scores to low.

    The area is 0 where all scores of the block have the same share of positives.
    """
    blocks = pool(groups)
    ascending = groups.score[::-1]
    begin = ascending.size - np.searchsorted(ascending, blocks.high, side="right")
    end = ascending.size - np.searchsorted(ascending, blocks.low)
    wide = np.flatnonzero(end - begin > 1)
    n_pos, n_neg = int(groups.pos_units.sum()), int(groups.neg_units.sum())
    area = np.zeros(wide.size)
    for k, (first, last) in enumerate(zip(begin[wide], end[wide], strict=True)):
        part = slice(first, last)
        twice, pos, neg = refine.area_of(
            Tally(groups.score[part], groups.pos_units[part], groups.neg_units[part])
        )
        area[k] = area_fraction(pos * neg - twice, n_pos, n_neg)  # below the chord is half a rectangle
    return blocks.low[wide], blocks.high[wide], area


def _as_float64(scores: Array, name: str) -> Array:
    """A copy as float64; an integer that would be rounded is refused."""
    if scores.dtype.kind in "iu" and scores.size:
        size = np.abs(scores).astype(np.uint64)  # also of the least int64, whose bits are its size
        # A whole number fits if its digits, down to the last binary one that is not 0, are at most 53.
        last = size & (~size + np.uint64(1))
        wrong = size // np.maximum(last, np.uint64(1)) >= 2**53
        if wrong.any():
            first = int(np.argmax(wrong))
            raise refused(
                name,
                "has {} integers that float64 cannot hold exactly, the first at index {}: {}.",
                int(wrong.sum()),
                first,
                scores[first],
            )
    return scores.astype(np.float64)


def _ordinals(numbers: Array) -> Array:
    """int64 (n,): how many float64 numbers each number is away from 0, with its sign."""
    bits = numbers.view(np.int64)  # sign and size
    return np.where(bits < 0, _LEAST_INT64 - bits, bits)  # both zeros have 0


def _numbers(ordinals: Array) -> Array:
    """The float64 numbers of :func:`_ordinals`."""
    return np.where(ordinals < 0, _LEAST_INT64 - ordinals, ordinals).view(np.float64)
