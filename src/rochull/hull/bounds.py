"""Hulls between which the truth lies where cases below an old threshold have no label."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.messages import refused
from rochull._core.rows import refuse_other_order
from rochull._core.tables import some_labels
from rochull.hull.curve import RocCurve
from rochull.hull.hull import RocHull
from rochull.hull.tallies import tally


class HullBounds(NamedTuple):
    """Two hulls with that of all labels, if they were known, between them at every false positive rate.

    Parameters
    ----------
    lower : RocHull
        If all cases without a label were positive.
    upper : RocHull
        If all were negative.

    Examples
    --------
    >>> import rochull as rh
    >>> lower, upper = rh.hull.hull_bounds([1, 0, None], [3, 2, 1])
    >>> lower.auc(), upper.auc()
    (0.75, 1.0)
    """

    lower: RocHull
    upper: RocHull


def hull_bounds(y_true: ArrayLike, y_score: ArrayLike, *, pos_label: object = None) -> HullBounds:
    """Bound a hull where only the cases above an old threshold were labelled.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels, missing (None or NaN) for the cases below.
    y_score : array-like of shape (n,)
        Scores of all cases.
    pos_label : object, optional
        The label of the positive class.

    Returns
    -------
    HullBounds
        The exact ones: each is the hull for some labels of the other cases.

    Raises
    ------
    ValueError
        If a case without a label scores as high as one with a label; then draw some cases to be labelled, by
        ``Policy.decide(..., explore=...)``, and take their probabilities as weights.

    Notes
    -----
    If u of the U other cases are positive, a threshold above them has a true positive rate of
    ``tp / (P + u)`` and a false positive rate of ``fp / (N + U - u)``. With u = 0 the first is at its
    greatest and the second at its least, and below the old threshold nothing is missed; with u = U it is
    the other way round. So no other labels give a higher or a lower curve.

    Examples
    --------
    >>> import rochull as rh
    >>> score = [9, 8, 7, 6, 5, 4, 3, 2, 1]
    >>> found = rh.hull.hull_bounds([1, 1, 0, 1, 0, None, None, None, None], score)
    >>> print(f"AUC of the hull: {found.lower.auc():.3f} to {found.upper.auc():.3f}")
    AUC of the hull: 0.643 to 0.972
    """
    refuse_other_order({"y_true": y_true, "y_score": y_score})
    truth = some_labels(y_true, pos_label, "y_true")
    scores = validation.scores_1d(y_score)
    if len(truth) != len(scores):
        raise refused("y_true", "has {} rows, but y_score has {}.", len(truth), len(scores))
    known = ~np.isnan(truth)
    for label, what in ((1, "positive"), (0, "negative")):
        if not (truth == label).any():
            raise refused("y_true", "has no {} case with a label.", what)
    if not known.all() and scores[~known].max() >= scores[known].min():
        raise refused(
            "y_true",
            "lacks labels of cases that score as high as others with one, so no threshold chose them; draw "
            "some cases by Policy.decide(..., explore=...), and weight them.",
        )
    return HullBounds(*(_hull(np.where(known, truth, other), scores) for other in (1, 0)))


def _hull(truth: validation.Array, scores: validation.Array) -> RocHull:
    return RocHull.from_curve(RocCurve.from_tally(tally(truth.astype(int), scores)))
