"""The paper's baselines: one threshold curve, moved up and down by an offset that is the same everywhere.

They do not bend. Their map is the adjusted score, the distance from a class's mean in the segment; it has
the scores' unit and is not a benefit-cost ratio.
"""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from rochull._core.validation import Array
from rochull.segments.models.base import SegmentedScores, SegmentModel


class _MeanModel(SegmentModel):
    """The score minus the mean of one class in the segment, or in the whole population for no segment."""

    _label: ClassVar[int]

    def fit(self, data: SegmentedScores) -> Self:
        """Average the scores of the class in every segment."""
        self.n_segments = len(data)
        if not np.isfinite(data.score).all():
            at = int(data.order[np.flatnonzero(~np.isfinite(data.score))].min())
            raise ValueError(f"X must be finite for a model of means, but index {at} is not.")
        own = data.positive == self._label
        score, segment = data.score[own], data.segment[own]
        weight = np.ones(score.size) if data.weight is None else data.weight[own]
        center = float(np.average(score, weights=weight))
        mass = np.bincount(segment, weight, len(data))
        moved = np.bincount(segment, weight * (score - center), len(data))
        # A segment without the class has nothing to be adjusted by but the whole.
        apart = np.divide(moved, mass, out=np.zeros(len(data)), where=mass > 0)
        self.mean = np.append(center + apart, center)
        return self

    def ratio(self, score: Array, segment: Array) -> Array:
        """The adjusted score, which has no common scale but the offset; it may be negative."""
        return np.asarray(np.asarray(score, float) - self.mean[segment])


class ConstantFprModel(_MeanModel):
    """Thresholds that follow the mean of the negatives.

    If segments differ in nothing but where the negatives lie, all have the same false positive rate.
    """

    name = "constant-fpr"
    _label = 0


class ConstantTprModel(_MeanModel):
    """Thresholds that follow the mean of the positives."""

    name = "constant-tpr"
    _label = 1
