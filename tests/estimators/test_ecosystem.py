"""Every estimator in scikit-learn's tools: scoring, searches, thresholds, calibration, pipelines, output, copies."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import rochull as rh
from estimator_cases import blobs

Rocch, Bent = rh.RocchClassifier, rh.ErrorRedistributionClassifier
Pav, Venn = rh.estimators.PavCalibratedClassifier, rh.estimators.VennAbersClassifier
Weighed = rh.estimators.MulticlassThresholdClassifier
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
COST = rh.cost_scorer(rh.ExpectedCost(cost_fn=5, prevalence=0.3))

CLASSIFIERS: dict[str, tuple[Any, str]] = {  # and a parameter of what is inside
    "hybrid": (Rocch([("tree", TREE), ("bayes", GaussianNB())], cv=2), "tree__max_depth"),
    "bent": (Bent(TREE, aux=[1], model="pav", n_bins=2, cv=2), "estimator__max_depth"),
    "pav": (Pav(TREE, calibrator=rh.PavCalibrator(bound="laplace"), cv=2), "estimator__max_depth"),
    "venn": (Venn(TREE, cv=2), "estimator__max_depth"),
    "weighed": (Weighed(TREE, cv=2, n_starts=2, random_state=0), "estimator__max_depth"),
}


@pytest.fixture(params=CLASSIFIERS)
def model(request: pytest.FixtureRequest) -> Any:
    return clone(CLASSIFIERS[request.param][0])


@pytest.fixture
def inner_depth(model: Any) -> str:
    return next(name for made, name in CLASSIFIERS.values() if type(made) is type(model))


@pytest.mark.crossed
@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss", "average_precision", COST], ids=str)
def test_scores(model: Any, scoring: Any) -> None:
    X, y = blobs()
    found = cross_val_score(model, X, y, scoring=scoring, cv=2, error_score="raise")
    assert np.isfinite(found).all()


def test_searches(model: Any, inner_depth: str) -> None:
    X, y = blobs()
    search = GridSearchCV(model, {inner_depth: [1, 3]}, scoring="roc_auc", cv=2, error_score="raise")
    assert search.fit(X, y).best_score_ > 0.6
    assert search.predict(X).shape == (120,)


@pytest.mark.crossed
@pytest.mark.parametrize("scoring", ["balanced_accuracy", COST], ids=str)
def test_thresholds_are_tuned(model: Any, scoring: Any) -> None:
    X, y = blobs()
    tuned = TunedThresholdClassifierCV(model, scoring=scoring, cv=2, thresholds=20).fit(X, y)
    assert set(tuned.predict(X)) <= {0, 1}
    frozen = TunedThresholdClassifierCV(
        FrozenEstimator(model.fit(X, y)), scoring=scoring, cv="prefit", refit=False
    )
    assert frozen.fit(X, y).predict(X).shape == (120,)


def test_is_calibrated_once_more(model: Any) -> None:
    X, y = blobs()
    for wrapped in (
        CalibratedClassifierCV(model, cv=2),
        CalibratedClassifierCV(FrozenEstimator(model.fit(X, y))),
    ):
        assert np.isfinite(wrapped.fit(X, y).predict_proba(X)).all()


def test_pipelines_frames_and_copies(model: Any) -> None:
    X, y = blobs()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    piped = make_pipeline(StandardScaler().set_output(transform="pandas"), model)
    if isinstance(model, Bent):
        model.set_params(aux="b")
    labels = pd.Series(np.where(y == 1, "ill", "well"), dtype="category")
    if "pos_label" in model.get_params():
        model.set_params(pos_label="ill")
    piped.fit(frame, labels)
    expected = piped.predict_proba(frame)
    assert piped[-1].feature_names_in_.tolist() == ["a", "b", "c"]
    assert roc_auc_score(labels, expected[:, 1]) > 0.7
    for copy in (clone(piped).fit(frame, labels), pickle.loads(pickle.dumps(piped))):
        np.testing.assert_array_equal(copy.predict_proba(frame), expected)
    np.testing.assert_array_equal(FrozenEstimator(piped).predict_proba(frame), expected)


@pytest.mark.usefixtures("routing")
def test_weights_and_groups_are_routed(model: Any) -> None:
    X, y = blobs()
    weights, groups = np.where(X[:, 0] > 0, 2.0, 1.0), np.arange(120) // 3 % 6
    model.set_params(cv=GroupKFold(2))
    for inner in (TREE, GaussianNB()):
        inner = clone(inner).set_fit_request(sample_weight=True)
        for name in ("estimator", type(inner).__name__.lower(), "tree", "bayes"):
            if name in model.get_params() and type(model.get_params()[name]) is type(inner):
                model.set_params(**{name: inner})
    routed = {"sample_weight": weights, "groups": groups}
    if isinstance(model, Venn):  # weighted examples would not be exchangeable
        model.set_params(estimator=clone(TREE).set_fit_request(sample_weight=True))
    if isinstance(model, Pav):
        model.set_params(calibrator=rh.PavCalibrator(bound="laplace").set_fit_request(sample_weight=True))
    scorer = rh.cost_scorer(rh.ExpectedCost(cost_fn=5, prevalence=0.3)).set_score_request(sample_weight=True)
    found = cross_validate(
        model,
        X,
        y,
        params=routed,
        scoring=scorer,
        cv=GroupKFold(2),
        error_score="raise",
        return_estimator=True,
    )
    assert np.isfinite(found["test_score"]).all()


TRANSFORMERS = [
    rh.PavCalibrator(),
    rh.LogisticCalibrator(),
    rh.BetaCalibrator(),
    rh.ConcavityRepair(),
]


@pytest.mark.parametrize("transformer", TRANSFORMERS, ids=lambda made: type(made).__name__)
def test_transformers_give_the_output_that_is_asked_for(transformer: Any) -> None:
    X, y = blobs()
    score = LogisticRegression().fit(X, y).predict_proba(X)[:, [1]]
    made = clone(transformer).fit(score, y)
    framed = clone(transformer).set_output(transform="pandas").fit(score, y).transform(score)
    assert isinstance(framed, pd.DataFrame)
    assert [*framed.columns] == made.get_feature_names_out().tolist()
    np.testing.assert_array_equal(framed.to_numpy().ravel(), np.ravel(made.transform(score)))


def test_what_is_not_defined_is_not_there() -> None:
    # Probabilities are; scikit-learn's tools take them where there are no scores.
    X, y = blobs()
    for name in ("pav", "venn", "weighed"):
        made = clone(CLASSIFIERS[name][0]).fit(X, y)
        assert not hasattr(made, "decision_function")
        assert made.predict_proba(X).shape == (120, 2)
