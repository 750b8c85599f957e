"""Cumulative gain and lift: what share of the positives is found among the cases with the highest scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.cached import cached_property
from rochull._core.docstrings import described
from rochull._core.results import Result
from rochull._core.validation import Array
from rochull.hull.curve import RocCurve, roc_curve
from rochull.hull.hull import RocHull
from rochull.scoring.precision_recall import OF_POPULATION, curve_of


@dataclass(frozen=True, eq=False)
class GainCurve(Result):
    """Cumulative gain of every threshold, from high scores to low: recall against the share of cases called.

    It is the ROC curve with another abscissa, ``π tpr + (1 - π) fpr``; lines stay lines, so the hull of the
    one is that of the other.

    Attributes
    ----------
    roc : RocCurve
        The operating points.
    prevalence : float
        Proportion of positives.

    Examples
    --------
    >>> import rochull as rh
    >>> curve = rh.scoring.cumulative_gain([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> curve.share.tolist(), curve.gain.tolist()
    ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    >>> curve.lift.round(3).tolist(), curve.achievable(0.5).tolist()
    ([2.0, 1.0, 1.333, 1.0], [0.75])
    """

    roc: RocCurve
    prevalence: float

    @property
    def gain(self) -> Array:
        """Share of the positives that are called, the recall, at each point (k,), from 0 to 1."""
        return self.roc.tpr

    @cached_property
    def share(self) -> Array:
        """Share of all cases that are called at each point (k,), from 0 to 1."""
        return self._share(self.roc.fpr, self.roc.tpr)

    @property
    def lift(self) -> Array:
        """Gain divided by share (k - 1,), from point 1 on: the precision divided by the prevalence."""
        return self.gain[1:] / self.share[1:]

    @property
    def thresholds(self) -> Array:
        """Lowest score called positive at each point (k,); inf at point 0 stands for "never"."""
        return self.roc.thresholds

    @cached_property
    def hull(self) -> RocHull:
        """The ROC convex hull, whose mixtures are the best."""
        return RocHull.from_curve(self.roc)

    def _share(self, fpr: Array, tpr: Array) -> Array:
        return np.asarray(self.prevalence * tpr + (1 - self.prevalence) * fpr)

    def achievable(self, share: ArrayLike) -> Array:
        """Compute the highest gain that thresholds and their mixtures have at given shares of cases.

        Parameters
        ----------
        share : float or array-like of shape (m,)
            In [0, 1].

        Returns
        -------
        ndarray of shape (m,)
            In-sample: the hull is chosen on the data that it is judged by.
        """
        wanted = validation.rates_1d(share, "share")
        return np.interp(wanted, self._share(self.hull.fpr, self.hull.tpr), self.hull.tpr)


@described(OF_POPULATION)
def cumulative_gain(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    prevalence: float | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> GainCurve:
    """Compute cumulative gain and lift at every threshold.

    Returns
    -------
    GainCurve
        With `share`, `gain`, `lift` and `thresholds`.

    Examples
    --------
    >>> import rochull as rh
    >>> curve = rh.scoring.cumulative_gain([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> float(curve.lift[0])
    2.0
    """
    curve = roc_curve(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    return GainCurve(curve, curve_of(curve, prevalence).prevalence)
