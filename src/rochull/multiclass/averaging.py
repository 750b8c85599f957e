"""Operating points of several classes averaged over folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import described, entries
from rochull._core.messages import Parameter, Refusal, refused
from rochull._core.results import table, written
from rochull._core.rows import same_rows
from rochull._core.validation import Array
from rochull.averaging.fold_average import FoldAverage
from rochull.averaging.fold_rows import split_digest
from rochull.averaging.fold_tables import Moments
from rochull.averaging.stacking import Stacked, score_of_each, stack
from rochull.multiclass.examples import Goal, LabelledOutputs, weights_of
from rochull.multiclass.folds import ClassFolds, checked_measure, in_fold, needed
from rochull.multiclass.inputs import DECISIONS, EXAMPLES
from rochull.multiclass.measures import (
    Error,
    Limit,
    MaxError,
    Measure,
    Objective,
    checked_limits,
    checked_objective,
)
from rochull.multiclass.mixtures import MET
from rochull.multiclass.point import InfeasibleLimitsError
from rochull.multiclass.points import MulticlassPoints
from rochull.multiclass.search.search import Method, search

__all__ = ["MulticlassAverage", "cross_validate_multiclass", "multiclass_average"]

_KEPT = 100  # points, unless a number is asked for: the paper's
_PARAMETERS = EXAMPLES | entries("""
operating_points : None, int, MulticlassPoints or array-like of shape (k, C), default=None
    A search for the best 100; for so many (fewer where fewer differ); or given weight vectors, whose order
    is kept.
groups : array-like of shape (n,), optional
    For a splitter that keeps groups together.
n_jobs : int, optional
    Number of folds that are trained at once.
objective, method, n_starts, n_steps, random_state : optional
    Of the search, see :meth:`MulticlassRoc.search`. The default is the paper's: greedy, from 1,000 random
    weight vectors, five steps, for the smallest maximum of the per-class errors.
""")
Points: TypeAlias = int | MulticlassPoints | ArrayLike | None


@dataclass(frozen=True, eq=False)
class MulticlassAverage(FoldAverage[Any]):
    """Means over folds, and how much the folds differ, at operating points of several classes.

    Point i calls an example with outputs y the first class c with the largest ``weights[i, c] * y[c]``, in
    every fold.

    Attributes
    ----------
    points : MulticlassPoints
        The operating points, with their confusion matrices over all folds together.
    folds : tuple
        The folds' labels, in the order of the per-fold values.
    overlap : float
        Size of a test part by that of its training part, for the Nadeau-Bengio correction:
        ``1 / (n_folds - 1)``, unless the cross-validation is known to differ.
    method : str
        Where the points come from. Searched points were chosen on the same outputs on which they are
        averaged: *in-sample* for the choice of the points, though out-of-fold for the classifier. See
        :meth:`held_out`.
    stacked : Stacked or None
        The out-of-fold outputs (its attributes `y`, `scores`, `folds`, `rows`, `sample_weight`), if
        :func:`cross_validate_multiclass` made them.
    repeated : bool
        Whether rows were tested more than once, as in repeated cross-validation; known of
        :func:`cross_validate_multiclass` only. `sem` and :meth:`compare` then apply the Nadeau-Bengio
        correction unless asked otherwise.

    Notes
    -----
    A *measure* is ``"max_error"``, ``"error"``, :class:`Error`, :class:`Cell`, :class:`CostMatrix` or
    another measure of confusion matrices, or a function of them: it gets matrices (m, C, C) and returns (m,)
    numbers. A cost matrix without priors takes each fold's own shares of the classes. Every measure can be
    asked for at any time.

    The largest error of a fold is that of its own worst class. Its mean is therefore not below the largest
    of the mean errors, and usually above it.

    A fold in which a function is not finite is left out at that point: see :meth:`defined`. Unweighted rates
    are averaged from exact differences of counts: where all folds agree, the standard deviation is
    exactly 0.

    References
    ----------
    Paclík, Lai, Novovičová & Duin 2008, Algorithm 1 and section 4.3.

    Examples
    --------
    >>> import rochull as rh
    >>> y, folds = ["a", "b", "c"] * 2, [0, 0, 0, 1, 1, 1]
    >>> outputs = [[6, 3, 1], [2, 5, 3], [2, 4, 4], [3, 4, 3], [1, 7, 2], [0, 1, 9]]
    >>> average = rh.multiclass.multiclass_average(y, outputs, folds, [[1, 1, 1], [2, 1, 2]])
    >>> average
    MulticlassAverage(2 points of 3 classes, 2 folds, given weights)
    >>> average.errors_mean.tolist()
    [[0.5, 0.0, 0.5], [0.0, 0.5, 0.0]]
    >>> average.mean("max_error").tolist(), average.std(rh.multiclass.Error("a")).round(3).tolist()
    ([1.0, 0.5], [0.707, 0.0])
    """

    parameters_told = DECISIONS
    KIND = "a MulticlassAverage"

    points: MulticlassPoints
    folds: tuple[Any, ...]
    overlap: float
    method: str
    stacked: Stacked | None = None
    repeated: bool = False
    _folds: ClassFolds = field(repr=False, kw_only=True)
    _split: bytes = field(repr=False, kw_only=True)
    _search: _AverageSearch = field(repr=False, kw_only=True)
    _moments: dict[Any, Moments] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        counted = self._counted.replace(",", f" of {len(self.classes)} classes,", 1)
        return f"MulticlassAverage({counted})"

    def __str__(self) -> str:
        columns = {"": list(map(str, range(len(self))))}
        for c, label in enumerate(self.classes):
            columns[f"error {label}"] = written(self.errors_mean[:, c], "{:.3f}")
            columns[f"± {label}"] = written(self.errors_sem[:, c], "{:.3f}")
        note = f"± is the standard error{self._corrected}"
        return f"{self!r}\n{note}\n{table(columns)}"

    @property
    def weights(self) -> Array:
        """Weight vector of each point (k, C)."""
        return self.points.weights

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes' labels, in the order of the columns of outputs."""
        return self.points.classes

    @property
    def confusion(self) -> Array:
        """Confusion matrices of the folds (n_folds, k, C, C): row i are the examples of class i."""
        return self._folds.table

    @property
    def errors_mean(self) -> Array:
        """Mean of each class's error at each point (k, C)."""
        return np.stack([self.mean(measure) for measure in self._summary], axis=1)

    @property
    def errors_std(self) -> Array:
        """Standard deviation (n - 1) of each class's errors over the folds (k, C)."""
        return np.stack([self.std(measure) for measure in self._summary], axis=1)

    @property
    def errors_sem(self) -> Array:
        """Standard deviation of the mean of each class's error (k, C)."""
        return np.stack([self.sem(measure) for measure in self._summary], axis=1)

    def at(self, minimise: Objective = "max_error", subject_to: Limit | Sequence[Limit] = ()) -> int:
        """Choose the point with the best mean over the folds, within limits on means.

        Returns
        -------
        int
            Its index, as :meth:`compare` and :meth:`indistinguishable` take it. Of equally good points the
            first; in-sample for that choice. If no point's means are within all limits, an
            InfeasibleLimitsError says so.
        """
        limits = checked_limits(subject_to)
        values = np.array(self.mean(checked_objective(minimise)), float)
        excess = np.zeros((len(limits), len(self)))
        for row, limit in zip(excess, limits, strict=True):
            beyond = self.mean(limit.measure) - limit.limit
            row[:] = np.nan_to_num(beyond if limit.side == "<=" else -beyond, nan=np.inf)
            row[np.abs(row) <= MET * limit.measure.scale()] = 0.0  # a mean is rounded
        within = (excess <= 0).all(axis=0)
        if not within.any():
            scales = np.array([limit.measure.scale() for limit in limits])
            closest = int((excess / scales[:, None]).max(axis=0).argmin())
            broken = [
                f"{limit} by {by:.6g}" for limit, by in zip(limits, excess[:, closest], strict=True) if by > 0
            ]
            many = f"{len(self)} point{'s' if len(self) != 1 else ''}"
            raise InfeasibleLimitsError(
                f"none of the {many} of this average is within all limits on means over the folds. The "
                f"closest, number {closest}, is beyond {' and '.join(broken)}.",
                self.points[closest],
                tuple(excess[:, closest].tolist()),
            )
        values[~within | np.isnan(values)] = np.inf
        if not np.isfinite(values).any():
            raise ValueError("the mean of minimise is not finite at any point that is within the limits.")
        return int(values.argmin())

    def held_out(self) -> Array:
        """Choose the best point on the other folds, and count what it makes of each fold.

        The outputs of the other folds come from models that were trained on this one too.

        Returns
        -------
        ndarray of shape (n_folds, C, C)
            Confusion matrices: ``[f, i, j]`` is the weight of the examples of class i in fold f that are
            called j by the weights with the smallest objective on all other folds.

        Raises
        ------
        ValueError
            If rows were tested more than once: the other folds then hold the examples of this one. If all
            other folds lack a class.
        """
        if self.repeated:
            raise ValueError(
                "held_out needs folds that are apart, but rows were tested more than once: the other folds "
                "hold the examples of each."
            )
        return self._search.held_out(self.n_folds, self.points)

    @property
    def _compared(self) -> Goal:
        return MaxError()

    @property
    def _tested(self) -> tuple[Goal, ...]:
        return tuple(map(Error, self.classes))

    @property
    def _summary(self) -> tuple[Goal, ...]:
        return self._tested

    def _identified(self) -> dict[str, Array]:
        return {f"weight_{label}": column for label, column in zip(self.classes, self.weights.T, strict=True)}

    def _checked(self, measure: Any) -> Goal:
        return checked_measure(measure, self.classes)

    def _called(self, measure: Any) -> str:
        if isinstance(measure, Error):
            return f"error_{measure.label}"
        return str(measure) if isinstance(measure, Measure) else getattr(measure, "__name__", "measure")

    def _named(self, measure: Any) -> str:
        return str(self._checked(measure))

    def _needs(self, measure: Any) -> list[tuple[int, str]]:
        return [(i, f"example of class {self.classes[i]!r}") for i in needed(measure, self.classes)]


@dataclass(frozen=True, eq=False)
class _AverageSearch:
    """How the points were found, so that it can be done again without a fold."""

    examples: LabelledOutputs  # all of them, checked
    codes: Array  # (n,) the fold of each row given
    goal: Goal
    keep: int
    options: dict[str, Any]  # of `search`; `keep` is 0 where the weights were given

    def points(self) -> MulticlassPoints:
        """The best points on all examples."""
        return search(self.examples, self.goal, keep=self.keep, **self.options)

    def held_out(self, n_folds: int, given: MulticlassPoints) -> Array:
        """Confusion matrices (n_folds, C, C) of weights chosen on the other folds."""
        found = []
        for f in range(n_folds):
            others, part = (in_fold(self.examples, self.codes != f), in_fold(self.examples, self.codes == f))
            empty = np.flatnonzero(np.diff(others.begin) == 0)
            if empty.size:
                label = self.examples.classes[empty[0]]
                raise Refusal(
                    "{}: only fold number {} has examples of class {}.", Parameter("folds"), f, repr(label)
                )
            if self.keep:
                best = search(others, self.goal, keep=1, **self.options).weights[:1]
            else:
                best = others.points(given.weights).sorted_by(self.goal).weights[:1]
            found.append(part.weighed(part.confusion_units(best))[0])
        return np.stack(found)


@described(_PARAMETERS)
def multiclass_average(
    y_true: ArrayLike,
    outputs: ArrayLike,
    folds: ArrayLike,
    operating_points: Points = None,
    *,
    sample_weight: ArrayLike | None = None,
    classes: Sequence[Any] | None = None,
    objective: Objective = "max_error",
    method: Method = "greedy",
    n_starts: int | None = None,
    n_steps: int = 5,
    random_state: Any = None,
) -> MulticlassAverage:
    """Average the folds' performances at operating points that all of them share.

    The operating points are found on all out-of-fold outputs, stacked. Every fold decides at the identical
    points, so that each of them is a rule that can be deployed.

    Parameters
    ----------
    outputs : array-like of shape (n, C)
        Out-of-fold outputs, non-negative and finite: posteriors, densities, similarities; column c belongs
        to class c. The folds' models must give comparable outputs.
    folds : array-like of shape (n,)
        Labels of any kind: the fold of each example. With stacked outputs of repeated cross-validation each
        fold of each repetition has a label of its own; tests then need ``correction=1 / 9`` (for 10 folds),
        because here it cannot be known that rows occur again.

    Returns
    -------
    MulticlassAverage
        Means and standard deviations at the points, the best first. Searched points were chosen on the same
        outputs: in-sample for that choice.

    Examples
    --------
    >>> import rochull as rh
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
    >>> from sklearn.model_selection import cross_val_predict
    >>> X, y = load_iris(return_X_y=True)
    >>> folds = [i % 10 for i in range(150)]
    >>> splits = [([i for i in range(150) if folds[i] != f], list(range(f, 150, 10))) for f in range(10)]
    >>> model = QuadraticDiscriminantAnalysis()
    >>> outputs = cross_val_predict(model, X, y, cv=splits, method="predict_proba")
    >>> average = rh.multiclass.multiclass_average(y, outputs, folds, [[1, 1, 1], [1, 1, 4]])
    >>> average.errors_mean.round(2).tolist()
    [[0.0, 0.06, 0.0], [0.0, 0.1, 0.0]]
    >>> average.indistinguishable(0).tolist()
    [True, True]
    """
    examples = LabelledOutputs.of(y_true, outputs, sample_weight, classes)
    codes, labels = validation.codes_1d(folds, "folds")
    same_rows(outputs=outputs, folds=folds, y_true=y_true, sample_weight=sample_weight)
    if len(labels) < 2:
        raise refused(
            "folds", "must name at least two folds, but all {} are {}.", codes.size, repr(labels[0])
        )
    options = {"method": method, "n_starts": n_starts, "n_steps": n_steps, "random_state": random_state}
    plan = _AverageSearch(examples, codes, checked_objective(objective), _kept(operating_points), options)
    return _averaged(plan, operating_points, tuple(labels), 1 / (len(labels) - 1))


@described(_PARAMETERS)
def cross_validate_multiclass(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    cv: Any = 10,
    *,
    operating_points: Points = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
    sample_weight: ArrayLike | None = None,
    response_method: str = "predict_proba",
    objective: Objective = "max_error",
    method: Method = "greedy",
    n_starts: int | None = None,
    n_steps: int = 5,
    random_state: Any = None,
) -> MulticlassAverage:
    """Train and predict in a rotation, and average the folds at shared operating points.

    Parameters
    ----------
    estimator : estimator
        A classifier; it is cloned for every fold.
    X : array-like, sparse matrix or data frame of shape (n, n_features)
        Passed on to the estimator unchanged.
    y : array-like of shape (n,)
        Labels of any kind.
    cv : int, splitter or iterable of (train, test), default=10
        A number of stratified folds, not shuffled; or any scikit-learn splitter. Each split is a fold. With
        repeated cross-validation the folds of all repetitions are averaged, and the stacked outputs hold
        every example as often as it was tested.
    sample_weight : array-like of shape (n,), optional
        Finite and non-negative: for the averaging, and for the training where `fit` takes it (else a
        warning says so).
    response_method : str, default="predict_proba"
        The method that gives the outputs (n, C), which must not be negative; its columns are put in the
        order of the sorted labels.

    Returns
    -------
    MulticlassAverage
        Its `stacked` holds the out-of-fold outputs, its `overlap` the mean size of a test part by that of
        its training part. Folds are numbered in the order of the splits.

    Examples
    --------
    >>> import rochull as rh
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_wine(return_X_y=True)
    >>> average = rh.multiclass.cross_validate_multiclass(
    ...     GaussianNB(), X, y, operating_points=50, random_state=0
    ... )
    >>> average.n_folds, average.stacked.scores.shape
    (10, (178, 3))
    """
    goal = checked_objective(objective)  # before the training, which may take long
    codes, labels = validation.codes_1d(y, "y")
    if len(labels) < 2:
        raise refused("y", "has one class only: all {} labels are {}.", codes.size, repr(labels[0]))
    keep = _kept(operating_points)
    if not keep:
        _given(operating_points, tuple(labels))
    found = stack(
        estimator, partial(score_of_each, response=response_method, classes=tuple(labels)), X, y,
        cv=cv, groups=groups, n_jobs=n_jobs, sample_weight=sample_weight,
    )  # fmt: skip
    examples = LabelledOutputs.of(found.y, found.scores, found.sample_weight, labels)
    options = {"method": method, "n_starts": n_starts, "n_steps": n_steps, "random_state": random_state}
    plan = _AverageSearch(examples, found.folds, goal, keep, options)
    fold_labels = tuple(range(int(found.folds[-1]) + 1))
    return _averaged(plan, operating_points, fold_labels, found.overlap, found)


def _averaged(
    plan: _AverageSearch,
    operating_points: Points,
    labels: tuple[Any, ...],
    overlap: float,
    stacked: Stacked | None = None,
) -> MulticlassAverage:
    """The result: points on all examples, decided in every fold."""
    examples, codes = plan.examples, plan.codes
    if plan.keep:
        points, how = plan.points(), f"{plan.options['method']} search on the same outputs"
    else:
        points, how = examples.points(_given(operating_points, examples.classes)), "given weights"
    true = np.zeros(codes.size, np.int64)  # class of each row given; of one that weighs nothing 0
    true[examples.order] = np.repeat(np.arange(examples.n_classes), np.diff(examples.begin))
    rows = None if stacked is None else stacked.rows
    return MulticlassAverage(
        points, labels, overlap, how, stacked, stacked is not None and stacked.is_repeated,
        _folds=ClassFolds.of(examples, codes, len(labels), points.weights),
        _split=split_digest(codes * examples.n_classes + true, np.zeros(codes.size), rows),
        _search=plan,
    )  # fmt: skip


def _kept(operating_points: Any) -> int:
    """How many points a search is to keep; 0 where weights are given."""
    if operating_points is None:
        return _KEPT
    if np.ndim(operating_points) == 0 and not isinstance(operating_points, MulticlassPoints):
        return validation.whole(operating_points, "operating_points", 1)
    return 0


def _given(operating_points: Any, classes: tuple[Any, ...]) -> Array:
    """Weight vectors (k, C) that the caller gave."""
    if isinstance(operating_points, MulticlassPoints) and operating_points.classes != classes:
        raise refused(
            "operating_points",
            "are of the classes {}, but outputs of {}.",
            repr(operating_points.classes),
            repr(classes),
        )
    return weights_of(operating_points, classes, "operating_points")
