"""A measure of a confusion matrix as a scorer of scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import described
from rochull._core.messages import refused
from rochull._core.rows import refuse_other_order, same_rows
from rochull.multiclass.inputs import EXAMPLES
from rochull.multiclass.measures import Objective, checked_objective, objective_values


def multiclass_scorer(measure: Objective = "max_error") -> MulticlassScorer:
    """Make a scorer of a measure, for ``scoring=`` in scikit-learn.

    Parameters
    ----------
    measure : "max_error", "error", measure or callable, default="max_error"
        Such as ``CostMatrix(costs)`` or ``Error(label)``; a function gets confusion matrices (k, C, C) and
        returns k numbers. It is small at a good classifier.

    Returns
    -------
    MulticlassScorer
        Called with an estimator, examples and their labels, it gives minus the measure of what `predict`
        says: greater is better, as scikit-learn expects.

    Examples
    --------
    >>> import rochull as rh
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> scorer = rh.multiclass.multiclass_scorer(rh.multiclass.CostMatrix([[0, 1, 1], [1, 0, 1], [1, 5, 0]]))
    >>> cross_val_score(GaussianNB(), *load_iris(return_X_y=True), scoring=scorer, cv=3).round(2).tolist()
    [-0.16, -0.14, -0.2]
    """
    return MulticlassScorer(checked_objective(measure))


@dataclass(unsafe_hash=True)
class MulticlassScorer:
    """Minus a measure of an estimator's confusion matrix; :func:`multiclass_scorer` makes it.

    Attributes
    ----------
    measure : Measure or callable
        What is small at a good classifier.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.multiclass.multiclass_scorer(rh.multiclass.Error("lesion"))
    multiclass_scorer(Error('lesion'))
    """

    measure: Any
    _request: bool | str | None = field(default=None, init=False, repr=False, compare=False)

    def __repr__(self) -> str:
        name = getattr(self.measure, "__name__", None)
        return f"multiclass_scorer({name or self.measure})"

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> Self:
        """Ask for weights, where scikit-learn's metadata routing is enabled.

        Parameters
        ----------
        sample_weight : bool, str or None, default=None
            True to be given `sample_weight`, a text to be given what has that name, False to be given none;
            None to refuse them.

        Returns
        -------
        MulticlassScorer
            This one, as scikit-learn's own scorers do.

        Raises
        ------
        RuntimeError
            If metadata routing is not enabled, so that it would have no effect.

        Examples
        --------
        >>> import rochull as rh
        >>> import sklearn
        >>> with sklearn.config_context(enable_metadata_routing=True):
        ...     rh.multiclass.multiclass_scorer().set_score_request(sample_weight=True)
        multiclass_scorer(MaxError())
        """
        from sklearn import get_config

        if not get_config().get("enable_metadata_routing"):
            raise RuntimeError(
                "set_score_request has no effect without sklearn.set_config(enable_metadata_routing=True)."
            )
        self._request = sample_weight
        return self

    def get_metadata_routing(self) -> Any:
        """Tell scikit-learn what is asked for.

        Returns
        -------
        MetadataRequest
            Of `score`: whether it takes `sample_weight`.
        """
        from sklearn.utils.metadata_routing import MetadataRequest

        found = MetadataRequest(owner=repr(self))
        found.score.add_request(param="sample_weight", alias=self._request)
        return found

    @described(EXAMPLES)
    def __call__(
        self, estimator: Any, X: Any, y_true: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Score an estimator.

        Parameters
        ----------
        estimator : object
            A fitted classifier with `predict`; its `classes_` are the order of a cost matrix that names none.
        X : array-like or table of n examples
            As the estimator takes it.

        Returns
        -------
        float
            Minus the measure.
        """
        classes = np.asarray(estimator.classes_).tolist()
        true = _codes(y_true, classes, "y_true")
        called = _codes(estimator.predict(X), classes, "what the estimator predicts")
        same_rows(y_true=y_true, predictions=called, sample_weight=sample_weight)
        refuse_other_order({"X": X, "y_true": y_true, "sample_weight": sample_weight})
        confusion = np.zeros((len(classes), len(classes)), np.int64 if sample_weight is None else float)
        if sample_weight is None:
            np.add.at(confusion, (true, called), 1)
        else:
            weight = validation.weights_1d(sample_weight)
            np.add.at(confusion, (true, called), weight)
        value = float(objective_values(self.measure, confusion[None], classes)[0])
        if np.isnan(value):
            empty = [label for label, total in zip(classes, confusion.sum(axis=1), strict=True) if total == 0]
            why = f": there is no example of class {empty[0]!r}" if empty else ""
            raise ValueError(f"{self} is not defined on these examples{why}.")
        return -value


def _codes(labels: ArrayLike, classes: list[Any], name: str) -> Any:
    """The place of each label among the classes (n,)."""
    codes, found = validation.codes_1d(labels, name)
    for label in found:
        if label not in classes:
            known = ", ".join(map(repr, classes))
            raise refused(name, "has the label {}; the estimator's classes are {}.", repr(label), known)
    return np.array([classes.index(label) for label in found], np.intp)[codes]
