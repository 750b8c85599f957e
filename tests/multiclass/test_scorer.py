"""A measure as a scorer of scikit-learn."""

import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_iris
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB

import rochull as rh
from refusals import refuses

X, Y = load_iris(return_X_y=True)
COSTS = [[0, 1, 7], [2, 0, 1], [1, 5, 0]]


def test_it_is_minus_the_mean_cost():
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    found = cross_val_score(
        GaussianNB(), X, Y, cv=folds, scoring=rh.multiclass.multiclass_scorer(rh.multiclass.CostMatrix(COSTS))
    )
    for score, (train, test) in zip(found, folds.split(X, Y), strict=True):
        calls = GaussianNB().fit(X[train], Y[train]).predict(X[test])
        assert score == pytest.approx(-np.mean([COSTS[i][j] for i, j in zip(Y[test], calls, strict=True)]))


def test_a_grid_search_takes_the_cheapest():
    grid = GridSearchCV(
        GaussianNB(),
        {"var_smoothing": [1e-9, 1e3]},
        scoring=rh.multiclass.multiclass_scorer("error"),
        error_score="raise",
    )
    assert grid.fit(X, Y).best_params_ == {"var_smoothing": 1e-9}


def test_weights_count_like_repetition():
    model, scorer = GaussianNB().fit(X, Y), rh.multiclass.multiclass_scorer(rh.multiclass.Error(1))
    weight = np.random.default_rng(0).integers(0, 4, len(Y))
    assert scorer(model, X, Y, weight) == pytest.approx(scorer(model, X.repeat(weight, 0), Y.repeat(weight)))


def test_what_cannot_be_scored():
    model = GaussianNB().fit(X, Y)
    with pytest.raises(ValueError, match=r"Error\(0\)\) is not defined on these examples: .* of class 0"):
        rh.multiclass.multiclass_scorer(rh.multiclass.Error(0))(model, X[Y > 0], Y[Y > 0])
    refuses("y_true has the label 7", rh.multiclass.multiclass_scorer(), model, X, np.full(len(Y), 7))
    refuses("give CostMatrix", rh.multiclass.multiclass_scorer, COSTS)
    assert repr(rh.multiclass.multiclass_scorer("error")) == "multiclass_scorer(ErrorRate())"


def test_weights_are_routed_where_they_are_asked_for() -> None:
    weight = np.arange(Y.size) % 3 + 0.5
    asked = rh.multiclass.multiclass_scorer("error")
    with pytest.raises(RuntimeError, match="set_score_request has no effect"):
        asked.set_score_request(sample_weight=True)
    folds = StratifiedKFold(3)
    with sklearn.config_context(enable_metadata_routing=True):
        assert asked.set_score_request(sample_weight=True) is asked
        model = GaussianNB().set_fit_request(sample_weight=False)
        found = cross_validate(model, X, Y, scoring=asked, cv=folds, params={"sample_weight": weight})
        silent = rh.multiclass.multiclass_scorer("error")
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            cross_validate(model, X, Y, scoring=silent, cv=folds, params={"sample_weight": weight})
    plain = rh.multiclass.multiclass_scorer("error")
    expected = [
        plain(GaussianNB().fit(X[train], Y[train]), X[test], Y[test], weight[test])
        for train, test in folds.split(X, Y)
    ]
    assert found["test_score"].tolist() == expected
