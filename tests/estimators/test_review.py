"""Classifiers that may pass a case on."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import rochull as rh

X, Y = make_classification(600, weights=[0.6], flip_y=0.1, random_state=4)
TWO = [("bayes", GaussianNB()), ("logistic", LogisticRegression())]
REVIEW = rh.Review(cost_fn=2, cost_review=0.2)


@pytest.fixture(scope="module")
def model() -> rh.RocchClassifier:
    return rh.RocchClassifier(TWO, condition=REVIEW, cv=3).fit(X[:400], Y[:400])


def test_predicts_a_label_of_the_users_choice(model: rh.RocchClassifier) -> None:
    point = model.decision_rule()
    assert list(model.estimators_) == list(point.classifiers)
    assert point.expected_cost(REVIEW) == model.hybrid_.at(REVIEW).expected_cost(REVIEW)
    found = model.predict(X[400:])
    assert set(found) == {0, 1, "review"}
    decided = model._decide(X[400:], point)
    np.testing.assert_array_equal(found == "review", decided == "review")
    np.testing.assert_array_equal(found == 1, decided == "positive")
    numbers = clone(model).set_params(review_label=-1).fit(X[:400], Y[:400]).predict(X[400:])
    assert numbers.dtype == Y.dtype
    np.testing.assert_array_equal(numbers == -1, decided == "review")
    words = rh.RocchClassifier(TWO, REVIEW, 3, pos_label="yes", review_label="somebody else")
    found = words.fit(X[:400], np.where(Y[:400], "yes", "no")).predict(X[400:])
    np.testing.assert_array_equal(found == "somebody else", decided == "review")
    with pytest.raises(ValueError, match="review_label=1 is the label of a class"):
        clone(model).set_params(review_label=1).fit(X[:400], Y[:400]).predict(X[400:])


def test_is_judged_by_its_cost(model: rh.RocchClassifier) -> None:
    found, y = model.predict(X[400:]), Y[400:]
    p, reviewed = model.hybrid_.prevalence, found == "review"
    costs = np.where(reviewed, 0.2, np.where(found == y, 0, np.where(y == 1, 2, 1)))
    expected = p * costs[y == 1].mean() + (1 - p) * costs[y == 0].mean()
    assert -model.score(X[400:], y) == pytest.approx(expected)
    assert model.score(X[400:], y, condition=REVIEW) == model.score(X[400:], y)
    few = rh.Review(cost_fn=2, cost_review=0.2, max_share=0.05)
    assert (model.predict(X[400:], few) == "review").mean() < 0.1
    mixed = model.decision_rule(few, mixture=True)
    assert mixed.review_rate == pytest.approx(0.05)
    assert set(model.predict(X[400:], few, mixture=True, key=np.arange(200))) <= {0, 1, "review"}
    with pytest.raises(ValueError, match="has reviews"):
        model.evaluate(X[400:], y, REVIEW)
    assert model.predict_proba(X[400:]).shape == (200, 2)
    with pytest.raises(ValueError, match="has two thresholds"):
        model.decision_function(X[400:])


def test_a_range_is_prepared_for() -> None:
    wide = rh.Review(cost_fn=(1, 4), cost_review=(0.1, 0.3))
    model = rh.RocchClassifier(TWO, condition=wide, cv=3).fit(X[:400], Y[:400])
    assert list(model.estimators_) == ["bayes", "logistic"]
    assert set(model.predict(X[400:])) <= {0, 1, "review"}
    assert set(model.predict(X[400:], REVIEW)) == {0, 1, "review"}
    ordinary = rh.RocchClassifier(TWO, cv=3).fit(X[:400], Y[:400])
    assert set(ordinary.predict(X[400:])) == {0, 1}
    assert set(ordinary.predict(X[400:], REVIEW)) == {0, 1, "review"}


def _scores(model: Any, rows: Any) -> Any:
    """Those that the policy was made from: a decision function, where there is one."""
    if hasattr(model, "decision_function"):
        return model.decision_function(rows)
    return model.predict_proba(rows)[:, 1]


def test_so_many_cases_of_a_batch_are_reviewed() -> None:
    """As by the policy, from scores of the classifiers on the hull; the same again, ties included."""
    team = rh.Review(cost_fn=3, cost_review=0.1, prevalence=0.3, max_cases=12.7)
    model = rh.RocchClassifier(TWO, cv=3).fit(X[:400], Y[:400])
    found = model.predict(X[400:], condition=team)
    columns = {name: _scores(own, X[400:]) for name, own in model.estimators_.items()}
    decided = model.policy_.decide(columns, team, random_state=0)
    assert (found == "review").tolist() == (decided == "review").tolist()
    assert (found == 1).tolist() == (decided == "positive").tolist()
    assert np.count_nonzero(found == "review") == 12
    assert model.predict(X[400:], condition=team).tolist() == found.tolist()
    prepared = rh.RocchClassifier(TWO, team, cv=3).fit(X[:400], Y[:400])
    assert prepared.predict(X[400:]).tolist() == found.tolist()
    assert np.count_nonzero(prepared.predict(X[:5]) == "review") <= 5
    for asked in (prepared.decision_rule, lambda: prepared.score(X, Y)):
        with pytest.raises(
            ValueError, match=r"max_cases=12\.7 is kept by a batch as a whole .* give max_share"
        ):
            asked()
    cheap = rh.RocchClassifier(TWO, rh.ExpectedCost(cost_fp=1e6, prevalence=0.3), cv=3).fit(X, Y)
    if set(cheap.estimators_) < set(cheap.policy_.classifiers):
        with pytest.raises(ValueError, match="fit with a condition whose range includes it"):
            cheap.predict(X, condition=team)
