"""Venn-Abers prediction: two probabilities for each score, one of which is calibrated by construction.

PAV of the calibration examples and the test example itself, once with each label it may have.
Vovk, Petej & Fedorova 2015, "Large-scale probabilistic predictors with and without guarantees of
validity"; the sections named here are that paper's.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull._core.late_bases import check_is_fitted
from rochull._core.validation import Array
from rochull.calibration.base import OneColumn, labelled_scores
from rochull.calibration.score_maps import count_map
from rochull.hull.blocks import needs_wide
from rochull.hull.polarity import say_if_reversed
from rochull.hull.tallies import Tally, tally_of


class VennAbers(OneColumn):
    """Inductive Venn-Abers predictor of one classifier's scores.

    For a new score s there are two probabilities: `low` is what PAV gives s after a negative with
    that score has joined the calibration examples, `high` what it gives after a positive has. All of
    them are known after one sort and one pass over the calibration scores: nothing is fitted again for
    a new score.

    Parameters
    ----------
    pos_label : object, optional
        The label of the positive class; by default labels are {0, 1}, {-1, 1} or booleans.
    lower_is_positive : bool, default=False
        Low scores mean positive, as those of a distance do.

    Attributes
    ----------
    scores_ : ndarray of shape (g,)
        The distinct calibration scores, ascending, in their own type (negated, if `lower_is_positive`).
    low_ : ndarray of shape (g + 1,)
        Entry i is the lower probability of a score with i of `scores_` at or below it.
    high_ : ndarray of shape (g + 1,)
        Entry i is the upper probability of a score with i of `scores_` strictly below it.
    n_features_in_ : int
        Always 1.

    Notes
    -----
    Scores of different types, such as float32 and float64 or integers and floats, are compared exactly.

    *Validity.* If the calibration examples and the new one are exchangeable, then of the two
    probabilities the one of the label that the new example really has is perfectly calibrated:
    E[Y | p_Y] = p_Y (section 2, Proposition 1). This holds at any size and for any classifier, as long
    as that was not trained on the calibration examples. It holds for the pair: neither the merged
    probability of :meth:`posterior` nor a cross Venn-Abers predictor has a guarantee.

    There is no `sample_weight`: with weights the examples would not be exchangeable.

    References
    ----------
    Vovk, Petej & Fedorova 2015, sections 2 and 4.

    Examples
    --------
    >>> import rochull as rh
    >>> predictor = rh.VennAbers().fit([0.1, 0.3, 0.6, 0.9], [0, 0, 1, 1])
    >>> low, high = predictor.interval([0.2, 0.6, 1.0])
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.5, 0.667], [0.5, 1.0, 1.0])
    >>> predictor.posterior([0.2, 0.6, 1.0]).round(3).tolist()
    [0.333, 0.667, 0.75]
    """

    def __init__(self, pos_label: object = None, lower_is_positive: bool = False) -> None:
        self.pos_label = pos_label
        self.lower_is_positive = lower_is_positive

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from calibration examples: those that the classifier was not trained on.

        Returns
        -------
        self
            Fitted.
        """
        data = labelled_scores(X, y, None, self.pos_label, self.lower_is_positive)
        self._lower, groups = data.lower_is_positive, tally_of(data)
        say_if_reversed(data, "X", groups)
        low, high = both_labels_tried(groups)
        self.scores_ = np.ascontiguousarray(groups.score[::-1])
        self.low_ = np.append(0.0, low[::-1])  # a negative below all scores is a block of its own
        self.high_ = np.append(high[::-1], 1.0)  # and so is a positive above all
        # A map has levels in four readings; the posterior is read.
        self._low = count_map(self.scores_, self.low_, after=False)
        # Above infinity, or the largest integer, a map of its type has no room for one more piece.
        self._top = _is_last(self.scores_[-1])
        inner = slice(-1) if self._top else slice(None)
        self._high = count_map(self.scores_[inner], self.high_[inner], after=True)
        self.n_features_in_ = 1
        return self

    def interval(self, scores: ArrayLike) -> tuple[Array, Array]:
        """Compute both probabilities of the positive class for each score.

        Returns
        -------
        low : ndarray of shape (n,)
            PAV's value at the score if the new example counts as a negative; below 1.
        high : ndarray of shape (n,)
            The same if it counts as a positive; above 0, and not below `low`.

        Examples
        --------
        >>> import rochull as rh
        >>> low, high = rh.VennAbers().fit([0.1, 0.3, 0.6, 0.9], [0, 1, 0, 1]).interval([0.3, 0.4])
        >>> low.tolist(), high.round(3).tolist()
        ([0.333..., 0.333...], [0.667, 0.667])
        """
        check_is_fitted(self)
        return self._interval(scores, "scores")

    def posterior(self, scores: ArrayLike) -> Array:
        """Compute one probability of the positive class for each score.

        Returns
        -------
        ndarray of shape (n,)
            ``high / (1 - low + high)``, strictly between 0 and 1: minimax for the log loss, that is, the
            number whose excess over the loss of the label's own probability (`high` for a positive, `low`
            for a negative) is least in the worse case. It has no guarantee of validity.
        """
        return merge(*self.interval(scores))

    def transform(self, X: ArrayLike) -> Array:
        """Compute one probability of the positive class for each score, as :meth:`posterior` does.

        Returns
        -------
        ndarray of shape (n,)
            Strictly between 0 and 1.
        """
        check_is_fitted(self)
        return merge(*self._interval(X, "X"))

    def _interval(self, new_scores: ArrayLike, name: str) -> tuple[Array, Array]:
        scores = self._rising(new_scores, name)
        low, high = self._low.posterior(scores), self._high.posterior(scores)
        if self._top and self.scores_.dtype.kind in "iu" and scores.dtype != self.scores_.dtype:
            top = int(self.scores_[-1])  # the next float is float(top), for it is rounded up
            high[scores >= float(top) if scores.dtype.kind == "f" else scores > top] = 1.0
        return low, high


def both_labels_tried(groups: Tally) -> tuple[Array, Array]:
    """PAV's value at each group (g,) after one more negative there, and after one more positive there.

    Both run from high scores to low, like the groups. They tell the values between groups too: one
    more positive with a score between two groups is a block of share 1, so PAV pools it with the group
    above it; one more negative is pooled with the group below.
    """
    from rochull._core.kernels import hull as kernels

    x = np.concatenate(([0], np.cumsum(groups.neg_units)))
    y = np.concatenate(([0], np.cumsum(groups.pos_units)))
    wide = needs_wide(x[-1] + 1, y[-1] + 1)
    hull = kernels.upper_hull(x, y, wide)
    # From low scores to high the same points, turned round, make the lower hull that the kernel reads.
    turned = x[-1] - x[::-1], y[-1] - y[::-1], groups.score.size - hull[::-1]
    pos, neg = kernels.blocks_with_one_more(*turned, wide)
    high = (pos / (pos + neg))[::-1]
    # A negative more is a positive more where classes and direction are swapped.
    neg, pos = kernels.blocks_with_one_more(y, x, hull, wide)
    return pos / (pos + neg), high


def merge(low: Array, high: Array) -> Array:
    """One probability for each interval (n,): the minimax of the log loss (section 4)."""
    return np.asarray(high / (1 - low + high))


def merge_folds(lows: Array, highs: Array) -> Array:
    """One probability (n,) for the intervals (k, n) of k folds: cross Venn-Abers (sections 3 and 4).

    ``GM(high) / (GM(1 - low) + GM(high))``, GM being the geometric mean over the folds: again the minimax
    of the log loss. There is no guarantee of validity: the folds' intervals are not those of one
    predictor. Of a :class:`VennAbers` low < 1 and high > 0, so that 0/0 cannot come up; of other
    intervals, where one fold is sure of a positive and another of a negative, it is one half, for
    neither label has the better claim.
    """
    from scipy.special import expit

    with np.errstate(divide="ignore"):
        positive, negative = np.log(highs).mean(axis=0), np.log1p(-lows).mean(axis=0)
    undecided = np.isneginf(positive) & np.isneginf(negative)
    return np.asarray(expit(np.where(undecided, 0.0, positive) - np.where(undecided, 0.0, negative)))


def _is_last(score: Any) -> bool:
    """Whether no score of its type is greater, types being those of maps: float64 and 64-bit integers."""
    if score.dtype.kind == "f":
        return bool(score == np.inf)
    return bool(score.dtype.itemsize == 8 and score == np.iinfo(score.dtype).max)
