"""Out-of-fold scores: every part of a rotation is scored by a model that was trained on the others."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation as _validation
from rochull._core.validation import Array

_RESPONSES = ("decision_function", "predict_proba")  # in the order in which "auto" looks for them


@dataclass(frozen=True, eq=False)
class Stacked:
    """Out-of-fold scores of all folds, one fold after the other.

    Attributes
    ----------
    y : (n,) labels, as given.
    scores : (n,) each from a model that was not trained on it; (n, C) outputs of several classes.
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
        what = "scores" if self.scores.ndim == 1 else f"outputs of {self.scores.shape[1]} classes"
        return f"Stacked({self.rows.size} {what}, {int(self.folds[-1]) + 1} folds{again})"

    @property
    def is_repeated(self) -> bool:
        """Whether some row was tested more than once."""
        return bool(np.unique(self.rows).size < self.rows.size)


@dataclass(frozen=True, eq=False)
class Rotation(ABC):
    """What is done in every split.

    Attributes
    ----------
    estimator : a classifier or detector, not fitted.
    response : "auto", or the name of the method that gives the scores.
    """

    estimator: Any
    response: str

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

    @abstractmethod
    def _scores(self, fitted: Any, X: Any) -> Array:
        """Scores (n,) or (n, C) of a fitted estimator."""

    def _method(self, fitted: Any, auto: tuple[str, ...]) -> str:
        """The name of the method that gives the scores; `auto` in the order in which they are looked for."""
        names = auto if self.response == "auto" else (self.response,)
        name = next((name for name in names if hasattr(fitted, name)), None)
        if name is None:
            raise ValueError(f"estimator: {type(fitted).__name__} has no {' or '.join(names)}.")
        return name


@dataclass(frozen=True, eq=False)
class PositiveRotation(Rotation):
    """One score, of the positive class.

    Attributes
    ----------
    positive : the label of the positive class.
    """

    positive: Any

    def _scores(self, fitted: Any, X: Any) -> Array:
        """Scores (n,) of a fitted estimator: higher means more positive."""
        name = self._method(fitted, _RESPONSES)
        scores = np.asarray(getattr(fitted, name)(X))
        classes = _classes_of(fitted)
        if classes and self.positive not in classes:
            raise ValueError(
                f"estimator: its classes are {classes}, without the positive one, which is {self.positive!r}."
            )
        if scores.ndim == 2 and scores.shape[1] > 1:
            scores = scores[:, classes.index(self.positive) if classes else 1]
        elif classes and name == "decision_function" and classes.index(self.positive) == 0:
            scores = -scores  # it is higher where the second class is likelier
        return _validation.scores_1d(scores, f"{name} of {type(fitted).__name__}")


@dataclass(frozen=True, eq=False)
class ClassRotation(Rotation):
    """An output for each class.

    Attributes
    ----------
    classes : the labels, in the order of the columns that are wanted.
    """

    classes: tuple[Any, ...]

    def _scores(self, fitted: Any, X: Any) -> Array:
        """Outputs (n, C) of a fitted estimator, whose `classes_` may have another order."""
        name = self._method(fitted, ("predict_proba",))
        outputs = np.asarray(getattr(fitted, name)(X))
        known = _classes_of(fitted) or list(self.classes)
        if outputs.ndim != 2 or outputs.shape[1] != len(known):
            raise ValueError(
                f"estimator: {name} of {type(fitted).__name__} must give an output for each of {len(known)} "
                f"classes, but gives shape {outputs.shape}."
            )
        for label in self.classes:
            if label not in known:
                raise ValueError(f"estimator: its classes are {known}, without {label!r}.")
        return outputs[:, [known.index(label) for label in self.classes]]


def _classes_of(fitted: Any) -> list[Any]:
    """The classes of a fitted estimator; none if it does not tell."""
    return list(np.asarray(getattr(fitted, "classes_", []), object).tolist())


def stack(
    rotation: Rotation,
    X: Any,
    y: ArrayLike,
    codes: Array,
    *,
    cv: Any,
    groups: ArrayLike | None,
    n_jobs: int | None,
    sample_weight: ArrayLike | None,
) -> Stacked:
    """Run the rotation; `codes` (n,) are the classes of the examples, from 0."""
    from sklearn.utils import indexable
    from sklearn.utils.parallel import Parallel, delayed

    labels = np.asarray(y).ravel()
    X, labels, groups = indexable(X, labels, groups)
    weights = None
    if sample_weight is not None:
        weights = _validation.weights_1d(sample_weight)
        _validation.same_length(y=codes, sample_weight=weights)
    splits = _splits(X, labels, codes, cv, groups)
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
    X: Any, labels: Array, codes: Array, cv: Any, groups: ArrayLike | None
) -> list[tuple[Array, Array]]:
    """The (train, test) indices of every split; all classes are trained on."""
    from sklearn.model_selection import check_cv

    if groups is not None and not hasattr(cv, "split"):
        raise ValueError(f"groups: cv={cv!r} takes none; pass a splitter such as StratifiedGroupKFold(10).")
    n_classes = int(codes.max()) + 1
    if isinstance(cv, int):
        least = int(np.bincount(codes).min())
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
        missing = np.flatnonzero(np.bincount(codes[train], minlength=n_classes) == 0)
        if missing.size:
            label = labels[codes == missing[0]].tolist()[0]
            what = "holds one class only" if n_classes == 2 else f"has no example of class {label!r}"
            raise ValueError(f"cv: the training part of split {i} {what}; use fewer or stratified folds.")
    return splits
