"""What the tests of meta-estimators share: data that overlap, and what each of them refuses."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.estimator_checks import estimator_checks_generator

Array = np.ndarray[Any, Any]


def blobs(n: int = 120, seed: int = 0, shift: float = 1.0) -> tuple[Array, Array]:
    """Three normal features and labels that overlap."""
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1, 0], n // 3)
    return rng.normal(size=(y.size, 3)) + shift * y[:, None], y


def assert_refuses_bad_weights(fit: Callable[..., Any]) -> None:
    X, y = blobs()
    with pytest.raises(ValueError, match="sample_weight: class 1 has zero total weight"):
        fit(X, y, sample_weight=(y == 0).astype(float))
    with pytest.raises(ValueError, match="y and sample_weight must have the same length"):
        fit(X, y, sample_weight=np.ones(3))
    with pytest.raises(ValueError, match="sample_weight has 120 negative values"):
        fit(X, y, sample_weight=-np.ones(120))
    weights = np.ones(120)
    weights[y == 1] = 0
    weights[1] = 1  # the only positive that counts is in the first fold
    with pytest.raises(ValueError, match="cv: the training part of fold 0 holds no sample_weight for"):
        fit(X, y, sample_weight=weights)


def contract(*templates: Any) -> list[Any]:
    """The cases (model, check) of scikit-learn's own checks; those of slow classifiers are long."""
    return [
        pytest.param(
            model,
            check,
            id=f"{type(model).__name__}-{getattr(model, 'estimator', '')}-{check.func.__name__}",
            marks=[pytest.mark.long] * isinstance(getattr(model, "estimator", None), LogisticRegression),
        )
        for template in templates
        for model, check in estimator_checks_generator(template)
        if check.func.__name__ != "check_array_api_input"  # for other arrays than NumPy's; it skips itself
    ]


def rotation(model: Any, X: Array, y: Array, folds: int, weights: Array | None = None) -> Array:
    """Scores of every row from a clone that was trained on the other folds, written out."""
    out = np.full(len(y), np.nan)
    for train, test in StratifiedKFold(folds).split(X, y):
        given = {} if weights is None else {"sample_weight": weights[train]}
        fitted = clone(model).fit(X[train], y[train], **given)
        if hasattr(fitted, "decision_function"):
            out[test] = fitted.decision_function(X[test])
        else:
            out[test] = fitted.predict_proba(X[test])[:, 1]
    return out


def assert_copies_decide_alike(model: Any, X: Array, y: Array, ask: Callable[[Any], Any]) -> None:
    """Other numbers of jobs, pickles, clones and another fit change nothing."""
    expected = ask(model.fit(X, y))
    for other in (
        clone(model).set_params(n_jobs=2).fit(X, y),
        pickle.loads(pickle.dumps(model)),
        clone(model).fit(X, y),
        model.fit(X, y),
    ):
        np.testing.assert_array_equal(ask(other), expected)


def assert_refuses_bad_labels(make: Callable[..., Any]) -> None:
    """`make` takes a positive label, or none."""
    X, y = blobs()
    for labels, message in (
        (np.arange(120) % 3, "Only binary classification is supported, but y has 3 classes"),
        (np.ones(120, int), "y has one class only: all 120 labels are 1"),
        (y[:-1], "inconsistent numbers of samples"),
    ):
        with pytest.raises(ValueError, match=message):
            make().fit(X, labels)
    for pos_label in ("bad", 2, np.nan):
        with pytest.raises(ValueError, match=r"^pos_label=.* does not occur in y, which holds 0, 1\.$"):
            make(pos_label=pos_label).fit(X, y)


class Reversed(ClassifierMixin, BaseEstimator):
    """A classifier whose classes_ are not sorted, and whose probabilities follow them."""

    def fit(self, X: Any, y: Any) -> "Reversed":
        self.inner_ = LogisticRegression().fit(X, y)
        self.classes_ = self.inner_.classes_[::-1]
        return self

    def predict_proba(self, X: Any) -> Any:
        return self.inner_.predict_proba(X)[:, ::-1]
