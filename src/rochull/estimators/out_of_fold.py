"""The common part of the meta-estimators: a classifier's scores on examples that it was not trained on."""

from __future__ import annotations

import numbers
from abc import abstractmethod
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import assert_all_finite, column_or_1d, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from rochull._core import validation as _validation
from rochull._core.docstrings import Described, entries
from rochull._core.responses import SCORES, own_classes, positive_scores
from rochull._core.rotation import Rotation, groups_for, held_out_rows, splits_of
from rochull._core.rows import refuse_other_order, same_rows
from rochull._core.validation import Array
from rochull._core.warned import warn

if TYPE_CHECKING:
    from rochull._core.rotation import Split, Trained


@dataclass(frozen=True, eq=False)
class Passed:
    """Keywords for the methods that are called in `fit`."""

    estimator: dict[str, Any] = field(default_factory=dict)
    splitter: dict[str, Any] = field(default_factory=dict)
    calibrator: dict[str, Any] = field(default_factory=dict)


CONSTRUCTED = entries("""
estimator : object
    A scikit-learn classifier with `decision_function` or `predict_proba`.
cv : int, splitter, iterable or "prefit", default=5
    The folds: a number of stratified folds, or a splitter (or its splits) whose test parts hold every
    example once. With "prefit", or for a `FrozenEstimator`, the estimator is fitted already, and what
    learns from its scores gets those of the data given, which it should not have been trained on.
n_jobs : int, optional
    Number of trainings at once, as in scikit-learn.
response_method : {"auto", "decision_function", "predict_proba"}, default="auto"
    What the scores are. "auto" takes `decision_function` if there is one. A `BetaCalibrator` needs
    "predict_proba".
pos_label : object, optional
    The label of the positive class. Without it 1 (True) is positive of {0, 1}, {-1, 1} or booleans; of
    other labels none is, and what depends on it raises a ValueError.
""")


class ToldOnce(Described):
    """Base of the estimators, whose methods have these parameters in common."""

    parameters_told = entries("""
X : array-like, sparse matrix or data frame of n examples
    As the estimator takes it.
y : array-like of shape (n,)
    Labels of two classes; `pos_label` is positive.
sample_weight : array-like of shape (n,), optional
    Finite and non-negative. What learns from the scores uses the weights always, and a classifier if its
    `fit` has that parameter; otherwise a warning says that it does not.
**params : dict
    `groups` goes to the splitter, everything else to the estimator's `fit`. With scikit-learn's
    metadata routing enabled, the requests of estimator and splitter decide.
random_state : int, Generator or RandomState, optional
    Used for a mixture where no `key` is given.
key : array-like of shape (n,), optional
    Integers or strings that identify the examples: the decision by a mixture then depends on the
    key alone.
""")

    @abstractmethod
    def get_metadata_routing(self) -> MetadataRouter:
        """Describe which keywords go where, for scikit-learn.

        Returns
        -------
        MetadataRouter
            Those of `fit` to what is trained, the splitter and what learns from the scores; those of other
            methods are their own.
        """


class TwoClasses(ToldOnce):
    """The labels of two classes, and which of them is positive."""

    pos_label: Any
    classes_: Array
    pos_label_: Any

    @property
    def _positive(self) -> int:
        """The index of the positive class; where that is not decided, of the one that scores rise with."""
        return 1 if self.pos_label_ is None else list(self.classes_).index(self.pos_label_)

    def _need_positive(self) -> None:
        """Raise unless it is decided which class is positive."""
        check_is_fitted(self)
        if self.pos_label_ is None:
            held = _listed(self.classes_)
            raise ValueError(f"classes are {held}; give pos_label to say which is positive.")

    def _labelled(self, called: Array) -> Array:
        """Labels (n,), from whether each example is called positive."""
        return np.asarray(self.classes_[np.where(called, self._positive, 1 - self._positive)])

    def _by_class(self, positive: Array) -> Array:
        """Probabilities (n, 2) in the order of `classes_`, from those of the positive class."""
        columns = [1 - positive, positive]
        return np.column_stack(columns if self._positive == 1 else columns[::-1])

    def _start(self, X: Any, y: ArrayLike) -> tuple[Any, Array]:
        """Check the labels, and set `classes_` and `pos_label_`."""
        X, labels, classes = checked_labels(X, y)
        if classes.size > 2:
            raise ValueError(f"Only binary classification is supported, but y has {classes.size} classes.")
        self.classes_ = self._fitted_classes(classes)
        self.pos_label_ = positive_class(self.classes_, self.pos_label)
        return X, labels

    def _fitted_classes(self, classes: Array) -> Array:
        """The classes in the order of the columns of probabilities."""
        return classes


class OutOfFold(ToldOnce, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """An inner classifier, and what it makes of examples that it has not seen; of two classes or more."""

    estimator: Any
    cv: Any
    n_jobs: int | None
    classes_: Array
    _learner = "calibrator"  # who else uses the weights

    @property
    def _is_prefit(self) -> bool:
        return isinstance(self.cv, str) or isinstance(self.estimator, FrozenEstimator)

    @property
    def _cv_name(self) -> str:
        if isinstance(self.cv, numbers.Integral):
            return f"cv={int(self.cv)}"
        return f"cv={self.cv!r}" if isinstance(self.cv, str) else "splits given as arrays"

    def _check_cv(self) -> None:
        if isinstance(self.cv, str) and self.cv != "prefit":
            raise ValueError(f"cv must be 'prefit', a number of folds or a splitter, but is {self.cv!r}.")

    def _fitted_classes(self, classes: Array) -> Array:
        if not self._is_prefit:
            return classes
        check_is_fitted(self.estimator)
        return own_classes(self.estimator, classes)

    def _passed(self, labels: Array, sample_weight: ArrayLike | None, params: dict[str, Any]) -> Passed:
        """Who gets which keyword; weights for the calibrator too are in `sample_weight`."""
        if get_config().get("enable_metadata_routing"):
            if sample_weight is not None:
                params = {**params, "sample_weight": sample_weight}
            routed = process_routing(self, "fit", **params) if params else {}
            passed = Passed(
                **{name: dict(routed[name][callee]) for name, _, callee in self._routes() if routed}
            )
        else:
            passed = self._passed_by_name(sample_weight, dict(params))
        for given in (passed.estimator, passed.calibrator):
            if given.get("sample_weight") is not None:
                given["sample_weight"] = weights_of(given["sample_weight"], labels)
        return passed

    def _passed_by_name(self, sample_weight: ArrayLike | None, params: dict[str, Any]) -> Passed:
        """The rule without metadata routing: groups to the splitter, the rest to the estimator."""
        cv = None if self._is_prefit else self.cv
        passed = Passed(splitter=groups_for(cv, params.pop("groups", None), self._cv_name))
        if self._is_prefit and params:
            raise ValueError(f"{', '.join(params)}: an estimator that is already fitted takes no keywords.")
        passed.estimator.update(params)
        if sample_weight is not None:
            passed.calibrator["sample_weight"] = sample_weight
            if has_fit_parameter(self.estimator, "sample_weight"):
                passed.estimator["sample_weight"] = sample_weight
            elif not self._is_prefit:
                warn(
                    f"{type(self.estimator).__name__}.fit takes no sample_weight: only the {self._learner} "
                    "uses the weights. (Metadata routing can send them to a step of a pipeline.)"
                )
        return passed

    def _trained(self, X: Any, labels: Array, passed: Passed, splits: list[Split] | None = None) -> Array:
        """Set `estimator_`, trained on all examples; give scores (n, ...) by others than it, if it can.

        One that was given already fitted scores all of them itself.
        """
        if self._is_prefit:
            self.__dict__.pop("out_of_fold_scores_", None)  # of an earlier fit
            self.estimator_ = self.estimator
            return self._scores(self.estimator_, X)
        splits = self._splits(X, labels, passed) if splits is None else splits
        order = held_out_rows(splits)
        if not np.array_equal(np.sort(order), np.arange(labels.size)):
            raise ValueError("cv: the test parts must hold every example exactly once.")
        parts = self._rotate(X, labels, splits, passed, keep=False)
        scores = np.concatenate([scores for _, scores in parts])[np.argsort(order)]
        self.out_of_fold_scores_ = scores
        self.estimator_ = clone(self.estimator).fit(X, labels, **passed.estimator)
        return np.asarray(scores)

    def _splits(self, X: Any, labels: Array, passed: Passed) -> list[Split]:
        """The (train, test) indices of every fold, in which all classes are trained on."""
        return splits_of(self.cv, X, labels, passed.splitter, passed.estimator.get("sample_weight"))

    def _rotate(
        self, X: Any, labels: Array, splits: list[Split], passed: Passed, *, keep: bool
    ) -> list[Trained]:
        """For every fold a classifier trained on the others (None unless `keep`), and its scores of it."""
        rotation = Rotation(X, labels, self._scores, self.n_jobs)
        return rotation.held_out([self.estimator], [passed.estimator], splits, keep=keep)[0]

    @abstractmethod
    def _scores(self, fitted: Any, X: Any) -> Array:
        """Responses of a fitted classifier to examples (n, ...)."""

    def _copy_features(self, fitted: Any) -> None:
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))

    def get_metadata_routing(self) -> MetadataRouter:
        router = MetadataRouter(owner=self)
        for name, child, callee in self._routes():
            router.add(**{name: child}, method_mapping=MethodMapping().add(caller="fit", callee=callee))
        return router

    def _routes(self) -> list[tuple[str, Any, str]]:
        """(name, object, method) of what `fit` calls."""
        if self._is_prefit:
            return []
        return [("estimator", self.estimator, "fit"), ("splitter", self.cv, "split")]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = copy(get_tags(self.estimator).input_tags)
        return tags


class OnScores(OutOfFold, TwoClasses):
    """The same of two classes, with a score that rises with the positive one."""

    response_method: str

    def _start(self, X: Any, y: ArrayLike) -> tuple[Any, Array]:
        """Check the parameters and the labels, and set `classes_` and `pos_label_`."""
        self._check_cv()
        check_response(self.response_method)
        return super()._start(X, y)

    def _scores(self, fitted: Any, X: Any) -> Array:
        """Scores (n,) of a fitted classifier: higher means more positive."""
        names = SCORES if self.response_method == "auto" else (self.response_method,)
        return positive_scores(fitted, X, names, self.classes_, self._positive)

    def predict(self, X: Any) -> Array:
        """Predict the class that is more probable.

        Returns
        -------
        ndarray of shape (n,)
            Labels: the Bayes decision at equal costs from `predict_proba`. Where both classes are equally
            probable, the one that is not positive, or ``classes_[0]`` if none is.
        """
        probability = self.predict_proba(X)
        return self._labelled(probability[:, self._positive] > 0.5)

    @abstractmethod
    def predict_proba(self, X: Any) -> Array:
        """Compute calibrated probabilities at the training proportion of the classes.

        Returns
        -------
        ndarray of shape (n, 2)
            Of ``classes_[0]`` and ``classes_[1]``.
        """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def checked_labels(X: Any, y: ArrayLike) -> tuple[Any, Array, Array]:
    """Examples that can be indexed, their labels (n,), and the classes, at least two."""
    X, y = indexable(X, y)
    refuse_other_order({"X": X, "y": y})
    labels = column_or_1d(y, warn=True)
    if labels.dtype == object:
        gone = next((i for i, label in enumerate(labels) if _validation.is_missing(label)), None)
        if gone is not None:
            raise ValueError(f"y has missing values, the first at index {gone}.")
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    classes = np.unique(labels)
    if classes.size == 1:
        raise ValueError(f"y has one class only: all {labels.size} labels are {classes.tolist()[0]!r}.")
    return X, labels, classes


def positive_class(classes: Array, pos_label: Any) -> Any:
    """The class that is positive, or None where nothing says which."""
    if pos_label is None:
        if set(classes.tolist()) not in ({0, 1}, {-1, 1}):
            return None
        pos_label = 1
    found = [index for index, label in enumerate(classes.tolist()) if label == pos_label]
    if not found:
        raise ValueError(f"pos_label={pos_label!r} does not occur in y, which holds {_listed(classes)}.")
    return classes[found[0]]


def _listed(classes: Array) -> str:
    return ", ".join(map(repr, classes.tolist()))


def check_response(method: str) -> None:
    """Raise unless it is a way to get scores."""
    if method not in ("auto", *SCORES):
        raise ValueError(
            f"response_method must be 'auto', 'decision_function' or 'predict_proba', but is {method!r}."
        )


def weights_of(sample_weight: ArrayLike | None, labels: Array, *, some_of_each: bool = True) -> Array | None:
    """Weights (n,) if any are given; with `some_of_each`, every class must have some."""
    if sample_weight is None:
        return None
    weights = _validation.weights_1d(sample_weight)
    same_rows(y=labels, sample_weight=sample_weight)
    for label in np.unique(labels).tolist() if some_of_each else ():
        if not weights[labels == label].any():
            raise ValueError(f"sample_weight: class {label!r} has zero total weight.")
    return weights
