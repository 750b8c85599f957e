"""A scikit-learn classifier whose classes are weighed so that a stated objective is small."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.validation import check_is_fitted

from rochull._core.docstrings import described
from rochull._core.responses import class_outputs, method_of, own_classes
from rochull._core.rows import refuse_other_order
from rochull._core.validation import Array
from rochull.decisions.decider import PlanDecider
from rochull.decisions.outputs import ClassOutputs
from rochull.estimators.out_of_fold import CONSTRUCTED, OutOfFold, Passed, checked_labels, weights_of
from rochull.multiclass.examples import outputs_2d
from rochull.multiclass.measures import Limit, Measure, Objective, checked_limits, checked_objective
from rochull.multiclass.multiclass_policy import MulticlassCondition, rules_for
from rochull.multiclass.point import MulticlassPoint, weighed
from rochull.multiclass.points import MulticlassPoints
from rochull.multiclass.roc import MulticlassRoc
from rochull.multiclass.search.search import Method


@described(CONSTRUCTED)
class MulticlassThresholdClassifier(OutOfFold):
    """Classifier of two or more classes that decides by weighed probabilities.

    Every example gets probabilities of a clone that was trained without its fold. On all these together the
    weights of the classes are searched with which the decision ``argmax(weights * probabilities)`` makes an
    objective smallest; then the estimator is trained on all examples.

    Parameters
    ----------
    estimator : object
        A scikit-learn classifier with `predict_proba`.
    objective : "max_error", measure or function, default="max_error"
        What is made small: the largest error of any class; a measure such as ``CostMatrix(costs)``; or a
        function that takes confusion matrices (k, C, C) and returns (k,) numbers.
    cv : int, splitter, iterable or "prefit", default=5
        The folds: a number of stratified folds, or a splitter (or its splits) whose test parts hold every
        example once; or one split, whose test part alone is searched on. With "prefit", or for a
        `FrozenEstimator`, the estimator is fitted already, and weights are searched on the data given, which
        it should not have been trained on.
    method : {"coordinate", "greedy", "pairwise"}, default="coordinate"
        How weights are searched, see :meth:`MulticlassRoc.search`.
    subject_to : Limit or sequence of Limit, default=()
        Limits on the confusion matrix, such as ``[Cell("lesion", "normal") <= 0.01]``. They hold on the
        out-of-fold outputs, in-sample.
    n_starts : int, optional
        Of the search; None for the method's own number.
    random_state : int, Generator or RandomState, optional
        Of the search.
    refit : bool, default=True
        Whether the estimator is trained on all examples in the end. False, possible with one split only,
        keeps the one that was trained on its training part.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
        The labels, in the order of the columns of :meth:`predict_proba`; ties go to the first.
    weights_ : ndarray of shape (C,)
        What :meth:`predict` decides by.
    point_ : MulticlassPoint
        The operating point of these weights, in-sample: it was chosen on the outputs that judge it. Held-out
        numbers come from `cross_val_score` of this classifier.
    points_ : MulticlassPoints
        All that the search kept, the best first.
    roc_ : MulticlassRoc
        The out-of-fold outputs, for other searches.
    estimator_ : object
        The classifier trained on all examples, or the one that was given already fitted.
    out_of_fold_scores_ : ndarray of shape (n, C)
        ClassOutputs that the weights were searched on, in the order of the examples; absent with "prefit" and
        with one split.
    n_features_in_, feature_names_in_ : int, ndarray
        Those of the estimator, if it has them.

    See Also
    --------
    MulticlassRoc : Searches weights for outputs that you already have.
    MulticlassPolicy : Saves operating points: ``MulticlassPolicy.from_points(model.points_)``.
    RocchClassifier : Two classes and several classifiers.

    Notes
    -----
    With correct posteriors and costs ``costs[i][j] = c[i]`` for every j other than i, the best weights are c,
    the Bayes decision. For any other cost matrix the Bayes decision compares sums over all classes, which one
    weight for each class does not reach in general. Searched weights make up for posteriors that are not
    correct; in-sample they are never worse than `argmax` of the probabilities.

    Of scikit-learn's estimator checks one fails by design: `check_classifiers_train` asks that `predict` be
    the class of the largest probability, which a weighed decision is not. scikit-learn lists it as an
    expected failure of its own `TunedThresholdClassifierCV`; give it to `check_estimator` in
    `expected_failed_checks`.

    With scikit-learn's metadata routing enabled, ``set_predict_request(condition=True)`` lets a `Pipeline`
    pass conditions on. The weights of `fit` are used for the search unless
    ``set_fit_request(sample_weight=False)``.

    References
    ----------
    Paclík et al. 2008, equation (2) and Algorithm 1. Landgrebe & Duin 2008.

    Examples
    --------
    >>> import rochull as rh
    >>> from sklearn.naive_bayes import GaussianNB
    >>> vehicle = rh.datasets.load("vehicle")
    >>> y = vehicle.pop("Class")
    >>> X = np.column_stack(list(vehicle.values()))
    >>> model = rh.estimators.MulticlassThresholdClassifier(GaussianNB(), n_starts=5, random_state=0).fit(
    ...     X, y
    ... )
    >>> bool(model.point_.errors.max() < model.roc_.errors([1, 1, 1, 1]).max())
    True
    >>> model.predict(X[:3], condition=[1, 1, 1, 1]).tolist() == model.estimator_.predict(X[:3]).tolist()
    True
    """

    # Unless asked otherwise, the search uses the weights.
    __metadata_request__fit = {"sample_weight": True}  # noqa: RUF012 - read by scikit-learn
    _learner = "search"

    def __init__(
        self,
        estimator: Any,
        objective: Objective = "max_error",
        cv: Any = 5,
        *,
        method: Method = "coordinate",
        subject_to: Limit | Sequence[Limit] = (),
        n_starts: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        refit: bool = True,
    ) -> None:
        self.estimator = estimator
        self.objective = objective
        self.cv = cv
        self.method = method
        self.subject_to = subject_to
        self.n_starts = n_starts
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.refit = refit

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, **params: Any) -> Self:
        """Train the estimator, and search weights of the classes out of fold.

        Parameters
        ----------
        y : array-like of shape (n,)
            Labels of two or more classes.

        Returns
        -------
        self
            Fitted.

        Raises
        ------
        InfeasibleConditionError
            If no point that was found meets `subject_to`.
        ValueError
            If there is one class only, if a training part lacks a class, if the test parts do not hold every
            example exactly once, or if a keyword has nowhere to go.
        """
        checked_objective(self.objective)
        checked_limits(self.subject_to)
        self._check_cv()
        refuse_other_order({"X": X, "y": y, "sample_weight": sample_weight})
        X, labels, classes = checked_labels(X, y)
        self.classes_ = self._fitted_classes(classes)
        passed = self._passed(labels, sample_weight, params)
        weight = self._of_search(passed, labels, sample_weight)
        rows, outputs = self._outputs(X, labels, passed)
        if weight is not None:
            weight = weight[rows]
        self.roc_ = MulticlassRoc(labels[rows], outputs, weight, classes=self.classes_.tolist())
        self.points_, self.point_ = self._search(self.objective, self.subject_to)
        self.weights_ = self.point_.weights
        self._copy_features(self.estimator_)
        return self

    def _of_search(self, passed: Passed, labels: Array, sample_weight: Any) -> Array | None:
        """The weights (n,) of the examples that are searched on."""
        if not get_config().get("enable_metadata_routing"):
            return passed.calibrator.get("sample_weight")
        wanted = self._get_metadata_request().fit.requests.get("sample_weight") is not False
        return weights_of(sample_weight, labels) if wanted else None

    def _outputs(self, X: Any, labels: Array, passed: Passed) -> tuple[Array, Array]:
        """Rows (m,) to search on and the outputs of classifiers that have not seen them (m, C).

        Sets `estimator_`.
        """
        rows = np.arange(labels.size)
        splits = [] if self._is_prefit else self._splits(X, labels, passed)
        if len(splits) != 1:
            if not (self.refit or self._is_prefit):
                raise ValueError(
                    f"refit=False needs one split, whose classifier is kept, but there are {len(splits)}."
                )
            return rows, self._trained(X, labels, passed, splits)
        self.__dict__.pop("out_of_fold_scores_", None)  # of an earlier fit
        rows = splits[0][1]
        absent = np.setdiff1d(labels, labels[rows])
        if absent.size:
            raise ValueError(f"cv: the test part holds no example of class {absent.tolist()[0]!r}.")
        ((fitted, outputs),) = self._rotate(X, labels, splits, passed, keep=not self.refit)
        self.estimator_ = clone(self.estimator).fit(X, labels, **passed.estimator) if self.refit else fitted
        return rows, outputs

    def _scores(self, fitted: Any, X: Any) -> Array:
        """Probabilities (n, C) of a fitted classifier, in the order of `classes_`."""
        name = method_of(fitted, ("predict_proba",))
        own_classes(fitted, self.classes_)
        outputs = class_outputs(fitted, X, name, self.classes_.tolist())
        return outputs_2d(outputs, f"{name} of {type(fitted).__name__}")

    def _search(
        self, objective: Objective, subject_to: Limit | Sequence[Limit]
    ) -> tuple[MulticlassPoints, MulticlassPoint]:
        """The points found for an objective, and the best of them within limits."""
        points = self.roc_.search(
            objective,
            self.method,
            subject_to=subject_to,
            n_starts=self.n_starts,
            random_state=self.random_state,
        )
        return points, points.at(objective, subject_to)

    def operating_point(
        self, objective: Objective = "max_error", subject_to: Limit | Sequence[Limit] = ()
    ) -> MulticlassPoint:
        """Search the weights for another objective on the same out-of-fold outputs.

        Parameters
        ----------
        objective : "max_error", measure or function, default="max_error"
            What is made small.
        subject_to : Limit or sequence of Limit, default=()
            Limits on the confusion matrix.

        Returns
        -------
        MulticlassPoint
            For :meth:`predict`; its numbers are in-sample.
        """
        check_is_fitted(self)
        return self._search(objective, subject_to)[1]

    def predict_proba(self, X: Any) -> Array:
        """Compute the estimator's own probabilities, unchanged.

        Returns
        -------
        ndarray of shape (n, C)
            Of the classes in `classes_`; no weights are applied.
        """
        check_is_fitted(self)
        return self._scores(self.estimator_, X)

    def predict(
        self,
        X: Any,
        condition: MulticlassCondition | None = None,
        *,
        key: ArrayLike | None = None,
        random_state: Any = None,
    ) -> Array:
        """Decide every example.

        Parameters
        ----------
        condition : MulticlassPoint, objective or weight vector, optional
            What to decide under: a point, such as one of `points_` or a mixture; an objective such as
            ``CostMatrix(costs)``, for which weights are searched as :meth:`operating_point` does; or weights
            of the classes, (C,) or by label. If not given, `weights_`.

        Returns
        -------
        ndarray of shape (n,)
            Labels: the first class with the largest product of weight and probability.
        """
        check_is_fitted(self)
        refuse_other_order({"X": X, "key": key})
        if condition is None:
            condition = self.weights_
        elif isinstance(condition, (str, Measure)) or callable(condition):
            condition = self.operating_point(condition)
        classes = self.points_.classes
        plan = weighed(rules_for(condition, self.points_), classes)
        outputs = ClassOutputs(classes, self._scores(self.estimator_, X))
        read = PlanDecider(classes, (), "").read(plan, outputs, key=key, random_state=random_state)
        return np.asarray(self.classes_[read.run().decided(plan)])

    def get_metadata_routing(self) -> MetadataRouter:
        return super().get_metadata_routing().add_self_request(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).classifier_tags
        tags.classifier_tags.multi_class = inner is None or inner.multi_class
        return tags
