"""ROC curves averaged over folds: at shared operating points, and the ways that this generalises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import described, entries
from rochull._core.rows import same_rows
from rochull._core.validation import Array, Labelled
from rochull.averaging.fold_measures import Measure
from rochull.averaging.fold_rows import FoldRows, Points, checked_points, split_digest
from rochull.averaging.fold_tables import GivenFolds
from rochull.averaging.roc_average import OperatingPointAverage, as_measures, average_of_folds, lacks
from rochull.averaging.stacking import positive_score, stack
from rochull.hull.curve import RocCurve, after_never
from rochull.hull.tallies import tally_of

__all__ = [
    "OperatingPointAverage",
    "cross_validate_roc",
    "operating_point_average",
    "pooled_average",
    "threshold_average",
    "vertical_average",
]

RATES = ("fpr", "tpr")
# What the averages' parameters mean; a docstring says what is different.
_PARAMETERS = entries("""
y_true : array-like of shape (n,)
    Binary labels; with `pos_label=None` they are {0, 1}, {-1, 1} or booleans.
y_score : array-like of shape (n,) or (n, 1)
    Out-of-fold scores, higher means more positive. The folds' models must give comparable scores.
folds : array-like of shape (n,)
    Labels of any kind: the fold of each example.
points : None, int, "hull" or array-like, default=None
    The thresholds, as the `operating_points` of :func:`operating_point_average`.
measures : measure or sequence of measures, default=("fpr", "tpr")
    See :class:`OperatingPointAverage`.
sample_weight : array-like of shape (n,), optional
    Finite and non-negative; an example of weight zero is left out.
pos_label : object, optional
    The label of the positive class.
""")


@described(_PARAMETERS)
def operating_point_average(
    y_true: ArrayLike,
    y_score: ArrayLike,
    folds: ArrayLike,
    operating_points: Points = None,
    measures: Measure | Sequence[Measure] = RATES,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> OperatingPointAverage:
    """Average the folds' performances at operating points that all of them share.

    The operating points come from the ROC curve of all out-of-fold scores, stacked. Every fold decides at
    the identical points, so that each of them is a rule that can be deployed.

    Parameters
    ----------
    folds : array-like of shape (n,)
        Labels of any kind: the fold of each example. With stacked scores of repeated cross-validation each
        fold of each repetition has a label of its own; tests then need ``correction=1 / 9`` (for 10 folds,
        whatever the number of repetitions), because here it cannot be known that rows occur again.
    operating_points : None, int, "hull" or array-like, default=None
        All distinct scores; so many of them, evenly spread over their ranks with the highest and the
        lowest among them; those of the stacked scores' convex hull; or given thresholds, which are sorted.
        Point 0 of the result is always "never", in addition.
    measures : measure or sequence of measures, default=("fpr", "tpr")
        What is averaged: ``"fpr"``, ``"tpr"``, ``"precision"``, ``"error"``, ``"accuracy"``, an
        :class:`ExpectedCost`, or a function of the confusion matrices (see
        :class:`OperatingPointAverage`). Others can still be asked for later.

    Returns
    -------
    OperatingPointAverage
        Means and standard deviations at the points.

    Raises
    ------
    ValueError
        For fewer than two folds, a fold without one of the classes where a measure needs it (the message
        names the fold), labels of one class only, NaN scores, bad weights, or lengths that differ.

    See Also
    --------
    cross_validate_roc : Trains and scores in a rotation first.
    threshold_average, vertical_average, pooled_average : Other ways to average.

    References
    ----------
    Paclík, Lai, Novovičová & Duin 2008, Algorithm 1.

    Examples
    --------
    >>> import rochull as rh
    >>> scored = rh.datasets.load("german_credit_scores")
    >>> average = rh.operating_point_average(
    ...     scored["class"], scored["logistic"], scored["fold"], operating_points=30, pos_label="bad"
    ... )
    >>> average
    OperatingPointAverage(31 points, 10 folds, operating points)
    >>> i = int((average.tpr_mean >= 0.9).argmax())
    >>> print(f"{average.fpr_mean[i]:.2f} +- {average.fpr_sem[i]:.2f}")
    0.59 +- 0.01
    """
    data, codes, labels = _folds_of(y_true, y_score, folds, sample_weight, pos_label)
    rows = FoldRows.of(data, codes, len(labels))
    thresholds, ends = rows.choose(checked_points(operating_points, "operating_points"))
    return average_of_folds(
        after_never(thresholds), labels, rows.table(ends), "operating points", measures,
        areas=rows.areas, split=split_digest(codes, data.positive),
    )  # fmt: skip


@described(_PARAMETERS)
def cross_validate_roc(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    cv: Any = 10,
    *,
    operating_points: Points = None,
    measures: Measure | Sequence[Measure] = RATES,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    response_method: str = "auto",
) -> OperatingPointAverage:
    """Train and score in a rotation, and average the folds at shared operating points.

    Parameters
    ----------
    estimator : estimator
        A classifier with `decision_function` or `predict_proba`, or a detector whose `decision_function`
        or `score_samples` is higher for the positive class. It is cloned for every fold.
    X : array-like, sparse matrix or data frame of shape (n, n_features)
        Passed on to the estimator unchanged.
    y : array-like of shape (n,)
        Binary labels; with `pos_label=None` they are {0, 1}, {-1, 1} or booleans.
    cv : int, splitter or iterable of (train, test), default=10
        A number of stratified folds, not shuffled; or any scikit-learn splitter. Each split is a fold. With
        repeated cross-validation the folds of all repetitions are averaged, and the stacked scores hold
        every example as often as it was tested.
    operating_points, measures : optional
        As in :func:`operating_point_average`.
    groups : array-like of shape (n,), optional
        For a splitter that keeps groups together.
    n_jobs : int, optional
        Number of folds that are trained at once.
    sample_weight : array-like of shape (n,), optional
        Finite and non-negative: for the averaging, and for the training where `fit` takes it (else a
        warning says so).
    response_method : str, default="auto"
        The method that gives the scores; "auto" is `decision_function`, else `predict_proba`.

    Returns
    -------
    OperatingPointAverage
        Its `stacked` holds the out-of-fold scores, its `overlap` the mean size of a test part by that of its
        training part. Folds are numbered in the order of the splits.

    Raises
    ------
    ValueError
        As for :func:`operating_point_average`, or if the folds cannot be made.

    Notes
    -----
    The folds of repeated cross-validation share examples. As if they were independent, their standard
    deviation of the mean would be far too small, and p-values too. Where rows are tested more than once
    (`repeated`), the standard deviations of the mean (`fpr_sem`, `sem`) and the tests therefore apply the
    correction of Nadeau and Bengio unless ``correction=None`` is given.

    References
    ----------
    Paclík, Lai, Novovičová & Duin 2008, Algorithm 1. Nadeau & Bengio 2003 (the correction).

    Examples
    --------
    >>> import rochull as rh
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = rh.datasets.make_highleyman(100)
    >>> average = rh.cross_validate_roc(LogisticRegression(), X, y, operating_points="hull")
    >>> average.n_folds, average.stacked.scores.shape
    (10, (200,))
    """
    # Both before the training, which may take long.
    measures, operating_points = as_measures(measures), checked_points(operating_points, "operating_points")
    positive = validation.binary_labels(y, pos_label, "y")
    label = (np.asarray(y).ravel()[positive == 1][:1]).tolist()[0]
    found = stack(
        estimator, partial(positive_score, response=response_method, positive=label), X, y,
        cv=cv, groups=groups, n_jobs=n_jobs, sample_weight=sample_weight,
    )  # fmt: skip
    data = Labelled(positive[found.rows], found.scores, found.sample_weight)
    labels = tuple(range(int(found.folds[-1]) + 1))
    rows = FoldRows.of(data, found.folds, len(labels))
    thresholds, ends = rows.choose(operating_points)
    average = average_of_folds(
        after_never(thresholds), labels, rows.table(ends), "operating points", measures,
        areas=rows.areas, split=split_digest(found.folds, data.positive, found.rows),
    )  # fmt: skip
    return replace(average, overlap=found.overlap, stacked=found, repeated=found.is_repeated)


@described(_PARAMETERS)
def threshold_average(
    y_true: ArrayLike,
    y_score: ArrayLike,
    folds: ArrayLike,
    points: Points = None,
    measures: Measure | Sequence[Measure] = RATES,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> OperatingPointAverage:
    """Average the folds' ROC curves by threshold, as Fawcett does.

    All thresholds of all folds are pooled. For each one a fold contributes the point of its own curve with
    the largest score that is not above it.

    Returns
    -------
    OperatingPointAverage
        Means and standard deviations at the pooled thresholds.

    Notes
    -----
    *Caveats.* A fold in which the threshold does not occur decides at its own next lower score: it calls
    one group of tied examples more than the threshold does, so that the average is not quite the
    performance of any one rule, and is a little to the right of that of
    :func:`operating_point_average`. Where every threshold occurs in every fold the two are equal. The
    method depends on one score by which cases are ordered, and on the folds' scores being comparable.

    References
    ----------
    T. Fawcett. An introduction to ROC analysis. Pattern Recognition Letters 27, 2006, Algorithm 4.

    Examples
    --------
    >>> import rochull as rh
    >>> y, score, fold = [1, 0, 1, 0], [0.9, 0.4, 0.6, 0.7], [0, 0, 1, 1]
    >>> rh.averaging.threshold_average(y, score, fold).fpr_mean.tolist()
    [0.0, 0.5, 1.0, 1.0, 1.0]
    >>> rh.operating_point_average(y, score, fold).fpr_mean.tolist()
    [0.0, 0.0, 0.5, 0.5, 1.0]
    """
    data, codes, labels = _folds_of(y_true, y_score, folds, sample_weight, pos_label)
    rows = FoldRows.of(data, codes, len(labels))
    thresholds, _ = rows.choose(checked_points(points, "points"))
    return average_of_folds(
        after_never(thresholds), labels, rows.lowered_table(thresholds), "thresholds", measures,
        areas=rows.areas, split=split_digest(codes, data.positive),
    )  # fmt: skip


@described(_PARAMETERS)
def vertical_average(
    y_true: ArrayLike,
    y_score: ArrayLike,
    folds: ArrayLike,
    points: int | ArrayLike = 101,
    measures: Measure | Sequence[Measure] = RATES,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> OperatingPointAverage:
    """Average the folds' true positive rates at fixed false positive rates.

    Parameters
    ----------
    y_score : array-like of shape (n,) or (n, 1)
        Out-of-fold scores, higher means more positive.
    points : int or array-like, default=101
        False positive rates: so many, evenly from 0 to 1, or given ones, which are sorted.

    Returns
    -------
    OperatingPointAverage
        At the false positive rates; its thresholds are NaN. Each fold's curve is interpolated linearly,
        and where it is vertical its highest point counts.

    Notes
    -----
    *Caveats.* The points are virtual: every fold reaches the false positive rate at another threshold,
    and between two points of its curve by interpolation, so that no deterministic decision belongs to
    them. The false positive rate is held fixed, though in use it varies as well; its standard deviation is
    0 here. On the other hand the folds' scores need not be comparable.

    References
    ----------
    Provost, Fawcett & Kohavi 1998; Fawcett 2006, Algorithm 3.

    Examples
    --------
    >>> import rochull as rh
    >>> y, score, fold = [1, 0, 1, 0], [0.9, 0.4, 0.6, 0.7], [0, 0, 1, 1]
    >>> rh.averaging.vertical_average(y, score, fold, points=3).tpr_mean.tolist()
    [0.5, 0.5, 1.0]
    """
    data, codes, labels = _folds_of(y_true, y_score, folds, sample_weight, pos_label)
    grid = _grid(points)
    called, totals = np.empty((2, len(labels), grid.size)), np.empty((2, len(labels), 1))
    areas = []
    for f, label in enumerate(labels):
        curve = _curve_of(data, codes == f, label)
        areas.append(curve.auc())
        last = np.searchsorted(curve.fpr, grid, side="right") - 1  # the highest where it is vertical
        after = np.minimum(last + 1, len(curve) - 1)
        run = curve.fpr[after] - curve.fpr[last]
        share = np.divide(grid - curve.fpr[last], run, out=np.zeros(grid.size), where=run > 0)
        totals[:, f, 0] = curve.fp_units[-1] / curve.units.neg, curve.tp_units[-1] / curve.units.pos
        called[0, f] = grid * totals[0, f]
        called[1, f] = (curve.tpr[last] + share * (curve.tpr[after] - curve.tpr[last])) * totals[1, f]
    thresholds = np.full(grid.size, np.nan)
    return average_of_folds(
        thresholds, labels, GivenFolds(called, totals), "vertical", measures,
        areas=np.array(areas).copy, split=split_digest(codes, data.positive),
    )  # fmt: skip


@described(_PARAMETERS)
def pooled_average(
    y_true: ArrayLike,
    y_score: ArrayLike,
    folds: ArrayLike | None = None,
    points: Points = None,
    measures: Measure | Sequence[Measure] = RATES,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> OperatingPointAverage:
    """Merge the scores of all folds into a single ROC curve.

    Parameters
    ----------
    folds : array-like of shape (n,), optional
        Checked, so that all averages can be called alike, and otherwise not used.

    Returns
    -------
    OperatingPointAverage
        With one fold that is called "all". Its standard deviations are NaN: they are not available.

    Notes
    -----
    *Caveats.* How much the folds differ is lost, and with it every standard deviation and test. Folds
    weigh as much as they have examples. The folds' scores must be comparable: where one model's scores are
    all higher than another's, the merged curve is worse than each of its parts.

    References
    ----------
    Fawcett 2006, section 8.

    Examples
    --------
    >>> import rochull as rh
    >>> pooled = rh.averaging.pooled_average([1, 0, 1, 0], [0.9, 0.4, 0.6, 0.7], [0, 0, 1, 1])
    >>> pooled.tpr_mean.tolist(), pooled.tpr_std.tolist()
    ([0.0, 0.5, 0.5, 1.0, 1.0], [nan, nan, nan, nan, nan])
    """
    data = validation.labelled(y_true, y_score, sample_weight, pos_label)
    if folds is not None:
        _codes_of(folds, y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    rows = FoldRows.of(data, np.zeros(data.positive.size, np.intp), 1)
    thresholds, ends = rows.choose(checked_points(points, "points"))
    return average_of_folds(
        after_never(thresholds), ("all",), rows.table(ends), "pooled", measures, areas=rows.areas, split=b""
    )


def _folds_of(
    y_true: ArrayLike,
    y_score: ArrayLike,
    folds: ArrayLike,
    sample_weight: ArrayLike | None,
    pos_label: object,
) -> tuple[Labelled, Array, tuple[Any, ...]]:
    """Validated examples, the index of each one's fold, and the folds' labels."""
    data = validation.labelled(y_true, y_score, sample_weight, pos_label)
    codes, labels = _codes_of(folds, y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    if len(labels) < 2:
        raise ValueError(f"folds must name at least two folds, but all {codes.size} are {labels[0]!r}.")
    return data, codes, tuple(labels)


def _codes_of(folds: ArrayLike, **columns: Any) -> tuple[Array, list[Any]]:
    """The index of the fold of each example of these columns, and the folds' labels."""
    codes, labels = validation.codes_1d(folds, "folds")
    same_rows(**columns, folds=folds)
    return codes, labels


def _grid(points: int | ArrayLike) -> Array:
    """False positive rates, ascending."""
    if isinstance(points, int | np.integer) and not isinstance(points, bool):
        if points < 2:
            raise ValueError(f"points must be at least 2, but is {points}.")
        return np.asarray(np.arange(points) / (points - 1))  # the quotients that rates of counts are, too
    return np.unique(validation.rates_1d(points, "points"))


def _curve_of(data: Labelled, members: Array, label: Any) -> RocCurve:
    """The curve of one fold."""
    curve = RocCurve.from_tally(tally_of(data.part(members), both_classes=False))
    for name, total in (("negative", curve.fp_units[-1]), ("positive", curve.tp_units[-1])):
        if not total:
            raise lacks(label, name, "its ROC curve")
    return curve
