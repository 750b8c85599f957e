"""Precision against recall: the points of all thresholds, and what mixtures of them can achieve.

Mixtures are straight lines between operating points in ROC space, and curves here: at recall r between two
vertices of the hull the precision is ``π r / (π r + (1 - π) fpr(r))``. No mixture is better anywhere, because
the precision falls as the false positive rate rises.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.cached import cached_property
from rochull._core.docstrings import described, entries
from rochull._core.results import Result
from rochull._core.validation import Array
from rochull.hull.curve import RocCurve, roc_curve
from rochull.hull.hull import RocHull
from rochull.scoring.scoring_rules import PARAMETERS

OF_POPULATION = PARAMETERS | entries("""
prevalence : float, optional
    Proportion of positives among the cases to be decided, strictly between 0 and 1; that of the data, by
    weight, if not given.
""")


@dataclass(frozen=True, eq=False)
class PrecisionRecallCurve(Result):
    """Precision and recall of every threshold, from high scores to low, and of the best mixtures.

    Attributes
    ----------
    roc : RocCurve
        The operating points; where nothing is called positive, the precision is undefined.
    prevalence : float
        Proportion of positives that the precision is at.

    Examples
    --------
    >>> import rochull as rh
    >>> curve = rh.precision_recall_curve([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> curve.recall.tolist(), curve.precision.round(3).tolist(), curve.thresholds.tolist()
    ([0.5, 0.5, 1.0, 1.0], [1.0, 0.5, 0.667, 0.5], [0.9, 0.8, 0.7, 0.1])
    >>> curve.achievable([0.25, 0.75]).round(3).tolist()
    [1.0, 0.75]
    >>> precision, recall, thresholds = curve  # as of scikit-learn's function
    """

    roc: RocCurve
    prevalence: float

    def __repr__(self) -> str:
        return f"PrecisionRecallCurve({len(self)} points, average precision {self.average_precision():.6g})"

    def __len__(self) -> int:
        return len(self.roc) - 1

    def __iter__(self) -> Iterator[Array]:
        """The curve as scikit-learn gives it: thresholds ascend; a last point has precision 1, recall 0."""
        ends = (np.append(values[::-1], end) for values, end in ((self.precision, 1.0), (self.recall, 0.0)))
        return iter((*ends, self.thresholds[::-1]))

    @property
    def recall(self) -> Array:
        """Recall at each point (k,), ascending."""
        return self.roc.tpr[1:]

    @property
    def thresholds(self) -> Array:
        """Lowest score called positive at each point (k,), descending."""
        return self.roc.thresholds[1:]

    @cached_property
    def precision(self) -> Array:
        """Precision at each point (k,)."""
        return self._precision(self.roc.fpr[1:], self.recall)

    @cached_property
    def hull(self) -> RocHull:
        """The ROC convex hull, whose mixtures are the best."""
        return RocHull.from_curve(self.roc)

    def _precision(self, fpr: Array, tpr: Array) -> Array:
        hits = self.prevalence * tpr
        return np.asarray(hits / (hits + (1 - self.prevalence) * fpr))

    def average_precision(self) -> float:
        """Compute the average precision: the sum of each threshold's precision times the recall that it adds.

        Returns
        -------
        float
            Between 0 and 1. Points are not joined: each precision is one that a threshold has.
        """
        return math.fsum((np.diff(self.roc.tpr) * self.precision).tolist())

    def achievable(self, recall: ArrayLike) -> Array:
        """Compute the highest precision that thresholds and their mixtures have at given recalls.

        Parameters
        ----------
        recall : float or array-like of shape (m,)
            In [0, 1]; at 0 it is the limit of few alarms.

        Returns
        -------
        ndarray of shape (m,)
            In-sample: the hull is chosen on the data that it is judged by.

        References
        ----------
        Davis & Goadrich 2006.
        """
        wanted = validation.rates_1d(recall, "recall")
        fpr, tpr = self._rising()
        i = np.clip(np.searchsorted(tpr, wanted, side="left"), 1, len(tpr) - 1)
        rise = tpr[i] - tpr[i - 1]
        run = fpr[i] - fpr[i - 1]
        share = (wanted - tpr[i - 1]) / rise  # 1 at a vertex, exactly
        first = i == 1  # its precision is that of its slope, as far down as recall 0
        x = np.where(first, run, fpr[i - 1] + share * run)
        return self._precision(x, np.where(first | (share == 1), tpr[i], wanted))

    def area(self) -> float:
        """Compute the area under what is achievable, in closed form.

        Returns
        -------
        float
            At least the average precision; in-sample, like the hull.
        """
        fpr, tpr = self._rising()
        rise, run = np.diff(tpr), np.diff(fpr)
        hits, alarms = self.prevalence * rise, self.prevalence * rise + (1 - self.prevalence) * run
        # Along an edge both are linear in the share s of it: the integral of (a + h s) / (b + c s) over s.
        called = self.prevalence * tpr[:-1] + (1 - self.prevalence) * fpr[:-1]
        lost = self.prevalence * tpr[:-1] - hits / alarms * called
        with np.errstate(divide="ignore", invalid="ignore"):
            grown = np.where(called > 0, np.log1p(alarms / called), 0.0)
        return math.fsum((rise * (hits + lost * grown) / alarms).tolist())

    def _rising(self) -> tuple[Array, Array]:
        """The vertices of the hull up to full recall (k,): edges of negatives alone lose precision only."""
        last = self.hull.frontier.leftmost_with_tp(len(self.hull) - 1)
        return self.hull.fpr[: last + 1], self.hull.tpr[: last + 1]


@described(OF_POPULATION)
def precision_recall_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    prevalence: float | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> PrecisionRecallCurve:
    """Compute precision and recall of every threshold, and what mixtures of thresholds achieve.

    Returns
    -------
    PrecisionRecallCurve
        Its `recall`, `precision` and `thresholds`, and methods for what is achievable.

    References
    ----------
    Davis & Goadrich 2006.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.precision_recall_curve([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    PrecisionRecallCurve(4 points, average precision 0.833333)
    """
    curve = roc_curve(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    return curve_of(curve, prevalence)


def curve_of(curve: RocCurve, prevalence: float | None = None) -> PrecisionRecallCurve:
    """The curve of the points of an ROC curve, at a prevalence; that of the data if None."""
    if prevalence is None:
        points = curve.frontier
        return PrecisionRecallCurve(curve, float(curve.units.prevalence(points.n_neg, points.n_pos)))
    return PrecisionRecallCurve(curve, validation.probability(prevalence, "prevalence", open_ends=True))


@described(OF_POPULATION)
def average_precision(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    prevalence: float | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> float:
    """Compute the average precision: the sum of each threshold's precision times the recall that it adds.

    An interval is that of :func:`rochull.uncertainty.average_precision_interval`.

    Returns
    -------
    float
        Between 0 and 1; of scores that say nothing it is about the prevalence.

    Examples
    --------
    >>> import rochull as rh
    >>> round(rh.average_precision([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]), 6)
    0.833333
    """
    found = precision_recall_curve(
        y_true, y_score, prevalence=prevalence, sample_weight=sample_weight, pos_label=pos_label
    )
    return found.average_precision()
