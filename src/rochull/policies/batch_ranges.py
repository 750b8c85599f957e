"""Scores of a batch counted between the thresholds of a hull: enough to estimate its prevalence."""

from __future__ import annotations

import numpy as np

from rochull._core import validation
from rochull._core.validation import Array
from rochull.calibration.score_maps import count_map
from rochull.hull.hull import RocHull
from rochull.policies.mixture import Sample
from rochull.policies.prevalence import PrevalenceEstimate, RatioLadder, of_batches


class RangeCounts:
    """Counts of one classifier's scores.

    Attributes
    ----------
    size : how many there are.
    """

    def __init__(self, hull: RocHull, classifier: str | None) -> None:
        self._ladder = RatioLadder.of(hull, classifier)
        steps = np.array(self._ladder.thresholds[::-1], float)
        self._map = count_map(steps, np.arange(steps.size + 1.0), after=False)
        self._counts = np.zeros(steps.size + 1, np.int64)  # from low scores to high

    @property
    def size(self) -> int:
        return int(self._counts.sum())

    def add(self, scores: Array) -> None:
        """Count scores (n,), of which none is missing."""
        rising = validation.negated(scores, "scores") if self._ladder.lower_is_positive else scores
        place = self._map.posterior(rising).astype(np.intp)
        self._counts += np.bincount(place, minlength=self._counts.size)

    @property
    def ratios(self) -> Sample:
        """The log-likelihood-ratios that occurred."""
        counts = self._counts[::-1]
        return Sample.of(self._ladder.llr[counts > 0], counts[counts > 0])


def estimated(hull: RocHull, counts: dict[str, RangeCounts], level: float = 0.95) -> PrevalenceEstimate:
    """Estimate the prevalence of a batch, as from its scores; no warning is given."""
    batches: dict[str | None, Sample] = {name: each.ratios for name, each in counts.items() if each.size}
    return of_batches(hull, batches, level)
