"""The ROC curve of one classifier: every operating point of a single threshold, and its area."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.cached import cached_property
from rochull._core.docstrings import described, entries
from rochull._core.messages import refused
from rochull._core.results import Result
from rochull._core.validation import Array
from rochull.conditions.frontier import Frontier
from rochull.hull.blocks import cumulative
from rochull.hull.tallies import PARAMETERS, UNIT, Tally, Units, ratio, tally_of

# Parts of an area, of a curve and of a hull.
PARTIAL = entries("""
max_fpr : float, optional
    Area from 0 to this false positive rate only, in (0, 1], by linear interpolation.
mcclish : bool, default=False
    Scale a partial area to 0.5 for a random and 1 for a perfect classifier (McClish 1989).
""")


def as_thresholds(scores: Array) -> Array:
    """Scores as an array that can also hold +inf, without changing any of them.

    Floats stay unchanged; integers become float64, or Python integers where that is not exact.
    """
    if scores.dtype.kind == "f":
        return scores
    if scores.size and (scores.max() > 2**53 or scores.min() < -(2**53)):
        return scores.astype(object)
    return scores.astype(np.float64)


def after_never(scores: Array) -> Array:
    """Scores as thresholds, after the inf that stands for "never"."""
    thresholds = as_thresholds(scores)
    return np.concatenate([np.array([np.inf], dtype=thresholds.dtype), thresholds])


@dataclass(frozen=True, eq=False)
class RocCurve(Result):
    """Points of an ROC curve, from (0, 0) to (1, 1).

    Point i calls positive the examples whose score is at least ``thresholds[i]``; point 0 calls
    none positive, and ``thresholds[0] = inf`` stands for that.

    Attributes
    ----------
    score : ndarray of shape (k - 1,)
        The thresholds of points 1, 2, ..., descending, in the type of the scores.
    tp_units, fp_units : int64 ndarray of shape (k,)
        Weight of the true and false positives at each point, in units.
    units : Units
        The size of a unit; 1 for unweighted data.
    max_error : float
        0 for a complete curve; else how far, in either rate, a dropped point may be from a kept
        neighbour.
    lower_is_positive : bool
        Whether low scores are positive: "score <= threshold". `score` then holds the scores negated,
        :attr:`thresholds` does not.

    Examples
    --------
    >>> import rochull as rh
    >>> curve = rh.roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.fpr.tolist(), curve.tpr.tolist(), curve.thresholds.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0], [inf, 0.8, 0.4, 0.35, 0.1])
    >>> curve.auc()
    0.75
    >>> fpr, tpr, thresholds = curve  # as of scikit-learn's function
    """

    _shown = ("thresholds", "fpr", "tpr")

    score: Array
    tp_units: Array
    fp_units: Array
    units: Units = UNIT
    max_error: float = 0.0
    lower_is_positive: bool = False

    @classmethod
    def from_tally(cls, groups: Tally, lower_is_positive: bool = False) -> RocCurve:
        """Make the curve through all groups.

        Parameters
        ----------
        groups : Tally
            All groups of equal score.
        lower_is_positive : bool, default=False
            Whether these are groups of scores that were negated, because low ones are positive.

        Returns
        -------
        RocCurve
            With one point more than there are groups.
        """
        tp, fp = cumulative(groups.pos_units), cumulative(groups.neg_units)
        return cls(groups.score, tp, fp, groups.units, lower_is_positive=lower_is_positive)

    def __len__(self) -> int:
        return len(self.tp_units)

    def __iter__(self) -> Iterator[Array]:
        """The curve as scikit-learn gives it: `fpr`, `tpr` and `thresholds`."""
        return iter((self.fpr, self.tpr, self.thresholds))

    def __repr__(self) -> str:
        thinned = f", thinned to {self.max_error:g}" if self.max_error else ""
        return f"RocCurve({len(self)} points, AUC {self.auc():.6g}{thinned})"

    @property
    def frontier(self) -> Frontier:
        """The points without their thresholds."""
        return Frontier(self.fp_units, self.tp_units, int(self.fp_units[-1]), int(self.tp_units[-1]))

    @cached_property
    def fpr(self) -> Array:
        """False positive rate at each point (k,)."""
        return self.frontier.fpr

    @cached_property
    def tpr(self) -> Array:
        """True positive rate at each point (k,)."""
        return self.frontier.tpr

    @cached_property
    def thresholds(self) -> Array:
        """Lowest score called positive at each point (k,); inf at point 0 stands for "never".

        Where low scores are positive, the highest one, after -inf.
        """
        levels = after_never(self.score)
        return 0 - levels if self.lower_is_positive else levels

    @described(PARTIAL)
    def auc(self, max_fpr: float | None = None, *, mcclish: bool = False) -> float:
        """Compute the area under the curve; a tied pair counts one half.

        Returns
        -------
        float
            A full area is correctly rounded. Of weighted data it is that of the weights in units, which
            are rounded by 2**-25 of themselves at most, and beside 2**18 rows and more by 2**-58 of their
            class's total; integer and dyadic weights, and those that are too light for it, are not rounded.
        """
        return area_under(self.fp_units, self.tp_units, max_fpr, mcclish)

    def thin(self, max_error: float = 1e-3) -> RocCurve:
        """Drop points that are near a kept one.

        Parameters
        ----------
        max_error : float, default=1e-3
            Largest distance in fpr and in tpr from a dropped point to the kept point before it.
            At most about ``2 / max_error`` points are kept.

        Returns
        -------
        RocCurve
            A subset of the points, ends included. Its area differs by at most `max_error`.
        """
        error = validation.probability(max_error, "max_error", open_ends=True)
        cell = self.fpr + self.tpr
        cell /= error
        np.floor(cell, out=cell)
        keep, last = np.append(0, np.flatnonzero(cell[1:] != cell[:-1]) + 1), len(self) - 1
        if keep[-1] != last:
            keep = np.append(keep, last)
        return replace(
            self,
            score=self.score[keep[1:] - 1],
            tp_units=self.tp_units[keep],
            fp_units=self.fp_units[keep],
            max_error=self.max_error + error,
        )


HUNDREDTHS = np.arange(100, -1, -1) / 100


@dataclass(frozen=True, eq=False)
class UsualPoints(RocCurve):
    """Points at thresholds that people write down, and what the scores that reach them come to.

    Attributes
    ----------
    tp_forecast, fp_forecast : float64 ndarray of shape (k,)
        Sum of the scores, read as probabilities, of the true and the false positives at each point; shares of
        the weight of their class.
    """

    tp_forecast: Array = field(default_factory=lambda: np.zeros(0))
    fp_forecast: Array = field(default_factory=lambda: np.zeros(0))


def at_hundredths(curve: RocCurve) -> UsualPoints | None:
    """The points of a complete curve at thresholds 1, 0.99, ..., 0; None unless its scores are within [0, 1].

    They are thresholds that people write down, such as 0.5, whether or not a score is there. Where low scores
    are positive, they are 0, 0.01, ..., 1.
    """
    score, levels = curve.score, 0 - HUNDREDTHS[::-1] if curve.lower_is_positive else HUNDREDTHS
    if curve.max_error or not (score[-1] >= levels[-1] and score[0] <= levels[0]):
        return None
    at = levels.astype(score.dtype) if score.dtype.kind == "f" else levels
    reached = np.append(0, len(score) - np.searchsorted(score[::-1], at, side="left"))
    forecast = score.astype(float) + (1 if curve.lower_is_positive else 0)

    def told(units: Array) -> Array:
        total = np.append(0, np.cumsum(np.diff(units.astype(float)) * forecast))
        found: Array = np.minimum(total[reached] / float(units[-1]), 1.0)
        return found

    return UsualPoints(
        levels,
        curve.tp_units[reached],
        curve.fp_units[reached],
        curve.units,
        lower_is_positive=curve.lower_is_positive,
        tp_forecast=told(curve.tp_units),
        fp_forecast=told(curve.fp_units),
    )


def single_thresholds(curve: RocCurve) -> RocCurve:
    """The points that can be the best single one under some condition: those that gain a positive.

    The others have more false alarms than the point before them, and as many misses: no condition asks
    for that. Of each run of them the last stays: what it breaks, thresholds beyond it are not assured of.
    """
    gains = np.flatnonzero(np.diff(curve.tp_units))
    kept = np.zeros(len(curve), bool)
    kept[[0, -1]] = kept[gains] = kept[gains + 1] = True
    keep = np.flatnonzero(kept)
    score, tp, fp = curve.score[keep[1:] - 1], curve.tp_units[keep], curve.fp_units[keep]
    return replace(curve, score=score, tp_units=tp, fp_units=fp)


def tally_of_curve(curve: RocCurve) -> Tally:
    """The groups between the points of a curve."""
    return Tally(curve.score, np.diff(curve.tp_units), np.diff(curve.fp_units), curve.units)


def area_under(fp: Array, tp: Array, max_fpr: float | None, mcclish: bool) -> float:
    """The area, or a part of it, under points (k,) in units, ascending from (0, 0)."""
    if max_fpr is None or max_fpr == 1:
        from rochull.hull import refine

        return area_fraction(*refine.area_of(Tally(tp[1:], np.diff(tp), np.diff(fp))))
    limit = validation.probability(max_fpr, "max_fpr")
    if limit == 0:
        raise refused("max_fpr", "must be positive: there is no area up to a false positive rate of 0.")
    fpr, tpr = ratio(fp, fp[-1]), ratio(tp, tp[-1])
    beyond = int(np.searchsorted(fpr, limit, side="right"))  # the first point there
    ends = slice(beyond - 1, beyond + 1)
    x = np.append(fpr[:beyond], limit)
    y = np.append(tpr[:beyond], np.interp(limit, fpr[ends], tpr[ends]))
    area = float(np.trapezoid(y, x))
    if not mcclish:
        return min(area, limit)
    least = limit**2 / 2
    return min(1.0, 0.5 * (1 + (area - least) / (limit - least)))


def area_fraction(twice: int, n_pos: int, n_neg: int) -> float:
    """An area in units as a fraction of the unit square, correctly rounded."""
    return twice / (2 * n_pos * n_neg)


@described(PARAMETERS)
def roc_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    lower_is_positive: bool = False,
) -> RocCurve:
    """Compute the ROC curve with every distinct score as a threshold.

    Returns
    -------
    RocCurve
        Point 0 is (0, 0), point i the rule "score >= the i-th highest distinct score".

    References
    ----------
    Fawcett & Niculescu-Mizil 2007, Algorithm 2; Provost & Fawcett 2001, Table 1.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    RocCurve(5 points, AUC 0.75)
    >>> rh.roc_curve([1, 1, 0, 0], [1, 3, 2, 4], lower_is_positive=True).thresholds.tolist()
    [-inf, 1.0, 2.0, 3.0, 4.0]
    """
    data = validation.labelled(y_true, y_score, sample_weight, pos_label, lower_is_positive=lower_is_positive)
    return RocCurve.from_tally(tally_of(data), data.lower_is_positive)


@described(PARAMETERS | PARTIAL)
def roc_auc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    lower_is_positive: bool = False,
    max_fpr: float | None = None,
    mcclish: bool = False,
) -> float:
    """Compute the area under the raw ROC curve, exactly.

    The probability that a random positive example scores higher than a random negative one, a tie
    counting one half. Large unweighted data are not sorted.

    Returns
    -------
    float
        The area, correctly rounded; of weighted data for weights that are rounded as
        :meth:`RocCurve.auc` says.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.roc_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    if max_fpr is not None and max_fpr != 1:
        curve = roc_curve(
            y_true, y_score, sample_weight=sample_weight, pos_label=pos_label,
            lower_is_positive=lower_is_positive,
        )  # fmt: skip
        return curve.auc(max_fpr, mcclish=mcclish)
    data = validation.labelled(
        y_true, y_score, sample_weight, pos_label, nan_checked=False, lower_is_positive=lower_is_positive
    )
    from rochull.hull import refine
    from rochull.hull.sources import ArraySource

    return area_fraction(*refine.exact_area(ArraySource(data)))
