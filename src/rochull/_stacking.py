"""Out-of-fold scores: every part of a rotation is scored by a model that was trained on the others."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull import _validation
from rochull._validation import Array

_RESPONSES = ("decision_function", "predict_proba")  # in the order in which "auto" looks for them


@dataclass(frozen=True, eq=False)
class Stacked:
    """Out-of-fold scores of all folds, one fold after the other.

    Attributes
    ----------
    y : (n,) labels, as given.
    scores : (n,) each from a model that was not trained on it.
    folds : (n,) the fold, from 0.
    rows : (n,) the row of the data; in repeated cross-validation a row occurs several times.
    sample_weight : (n,) or None.
    overlap : size of a test part by that of its training part, the mean of all splits.
    """

    y: Array
    scores: Array
    folds: Array
    rows: Array
    sample_weight: Array | None
    overlap: float

    def __repr__(self) -> str:
        again = ", rows tested more than once" if self.is_repeated else ""
        return f"Stacked({self.rows.size} scores, {int(self.folds[-1]) + 1} folds{again})"

    @property
    def is_repeated(self) -> bool:
        """Whether some row was tested more than once."""
        return bool(np.unique(self.rows).size < self.rows.size)


@dataclass(frozen=True, eq=False)
class Rotation:
    """What is done in every split.

    Attributes
    ----------
    estimator : a classifier or detector, not fitted.
    response : "auto", or the name of the method that gives the scores.
    positive : the label of the positive class.
    """

    estimator: Any
    response: str
    positive: Any

    def fit_and_score(self, X: Any, y: Array, weights: Array | None, train: Array, test: Array) -> Array:
        """Train a clone on one part; the scores of the other."""
        from sklearn.base import clone
        from sklearn.utils.metaestimators import _safe_split

        estimator = clone(self.estimator)
        X_train, y_train = _safe_split(estimator, X, y, train)
        X_test, _ = _safe_split(estimator, X, None, test, train)
        options = {} if weights is None else {"sample_weight": weights[train]}
        estimator.fit(X_train, y_train, **options)
        return self._scores(estimator, X_test)

    def _scores(self, fitted: Any, X: Any) -> Array:
        """Scores (n,) of a fitted estimator: higher means more positive."""
        names = _RESPONSES if self.response == "auto" else (self.response,)
        name = next((name for name in names if hasattr(fitted, name)), None)
        if name is None:
            raise ValueError(f"estimator: {type(fitted).__name__} has no {' or '.join(names)}.")
        scores = np.asarray(getattr(fitted, name)(X))
        classes = np.asarray(getattr(fitted, "classes_", []), object).tolist()
        if classes and self.positive not in classes:
            raise ValueError(
                f"estimator: its classes are {classes}, without the positive one, which is {self.positive!r}."
            )
        if scores.ndim == 2 and scores.shape[1] > 1:
            scores = scores[:, classes.index(self.positive) if classes else 1]
        elif classes and name == "decision_function" and classes.index(self.positive) == 0:
            scores = -scores  # it is higher where the second class is likelier
        return _validation.scores_1d(scores, f"{name} of {type(fitted).__name__}")


def stack(
    rotation: Rotation,
    X: Any,
    y: ArrayLike,
    positive: Array,
    *,
    cv: Any,
    groups: ArrayLike | None,
    n_jobs: int | None,
    sample_weight: ArrayLike | None,
) -> Stacked:
    """Run the rotation; `positive` (n,) is 1 for the positive examples."""
    from sklearn.utils import indexable
    from sklearn.utils.parallel import Parallel, delayed

    labels = np.asarray(y).ravel()
    X, labels, groups = indexable(X, labels, groups)
    weights = None
    if sample_weight is not None:
        weights = _validation.weights_1d(sample_weight)
        _validation.same_length(y=positive, sample_weight=weights)
    splits = _splits(X, labels, positive, cv, groups)
    fitted_with = weights if weights is not None and _takes_weights(rotation.estimator) else None
    found = Parallel(n_jobs=n_jobs)(
        delayed(rotation.fit_and_score)(X, labels, fitted_with, train, test) for train, test in splits
    )
    rows = np.concatenate([test for _, test in splits])
    return Stacked(
        labels[rows],
        np.concatenate(list(found)),
        np.repeat(np.arange(len(splits)), [test.size for _, test in splits]),
        rows,
        None if weights is None else weights[rows],
        float(np.mean([test.size / train.size for train, test in splits])),
    )


def _takes_weights(estimator: Any) -> bool:
    from sklearn.utils.validation import has_fit_parameter

    if has_fit_parameter(estimator, "sample_weight"):
        return True
    warnings.warn(
        f"{type(estimator).__name__}.fit takes no sample_weight: only the averaging uses the weights.",
        UserWarning,
        stacklevel=4,
    )
    return False


def _splits(
    X: Any, labels: Array, positive: Array, cv: Any, groups: ArrayLike | None
) -> list[tuple[Array, Array]]:
    """The (train, test) indices of every split; both classes are trained on."""
    from sklearn.model_selection import check_cv

    if groups is not None and not hasattr(cv, "split"):
        raise ValueError(f"groups: cv={cv!r} takes none; pass a splitter such as StratifiedGroupKFold(10).")
    if isinstance(cv, int):
        least = min(int(np.sum(positive == label)) for label in (0, 1))
        if least < cv:
            raise ValueError(f"cv={cv} needs {cv} examples of each class, but one class has {least}.")
    splitter = check_cv(cv, labels, classifier=True)
    rows = np.arange(labels.size)
    splits = [(rows[train], rows[test]) for train, test in splitter.split(X, labels, groups)]
    if len(splits) < 2:
        raise ValueError(f"cv must make at least two splits, but makes {len(splits)}.")
    for i, (train, test) in enumerate(splits):
        if np.intersect1d(train, test).size:
            raise ValueError(f"cv: the training and the test part of split {i} share examples.")
        if np.unique(positive[train]).size < 2:
            raise ValueError(
                f"cv: the training part of split {i} holds one class only; use fewer or stratified folds."
            )
    return splits
