"""A stated confidence holds for the classifiers that decide, which keep examples back for it."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import rochull as rh
from estimator_cases import blobs
from profiles import tries

Rocch = rh.RocchClassifier
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)


@tries(6)
@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 3, ShuffleSplit(4, test_size=0.4, random_state=0)]))
def test_a_confidence_is_stated_of_what_decides(seed: int, cv: Any) -> None:
    """By hand: one split trains the classifiers and sets their thresholds, and nothing is trained again."""
    rng = np.random.default_rng(seed)
    y = np.sort(rng.integers(0, 2, 300))
    X = rng.standard_normal((300, 3)) + 0.8 * y[:, None]
    inner = [("bayes", GaussianNB()), ("logistic", LogisticRegression(C=1e-3))]
    condition = rh.NeymanPearson(0.2, confidence=0.9)
    model = Rocch(inner, condition, cv=cv).fit(X, y)
    folds = StratifiedKFold(cv, shuffle=True, random_state=0) if isinstance(cv, int) else cv
    train, test = next(iter(folds.split(X, y)))
    hybrid = rh.Hybrid()
    for name, template in inner:
        scores = template.fit(X[train], y[train]).predict_proba(X[np.sort(test)])[:, 1]
        if name == "logistic":
            scores = template.decision_function(X[np.sort(test)])
        hybrid.add(name, y[np.sort(test)], scores, curve=True)
        np.testing.assert_array_equal(model.out_of_fold_scores_[name], scores)
    assert model.decision_rule() == hybrid.at(condition)
    (name,) = model.decision_rule().classifiers
    called = model.predict(X[test]) == 1
    rule = model.decision_rule().rules[0][0]
    again = model.out_of_fold_scores_[name][np.argsort(np.argsort(test))]
    np.testing.assert_array_equal(called, again >= rule.threshold)
    more = model.add_estimator("third", LogisticRegression(C=1.0), X, y)
    for name, kept in more.estimators_.items():
        if name == "third":
            own = LogisticRegression(C=1.0).fit(X[train], y[train])
            np.testing.assert_array_equal(kept.coef_, own.coef_)


def test_a_confidence_is_refused_where_others_decide() -> None:
    X, y = blobs(200)
    inner = [("bayes", GaussianNB()), ("tree", TREE)]
    condition = rh.NeymanPearson(0.2, confidence=0.9)
    message = (
        "^confidence cannot be promised: the thresholds are those of classifiers that were trained again"
    )
    model = Rocch(inner).fit(X, y)
    for refused in (model.decision_rule, partial(model.predict, X), partial(model.predict_proba, X)):
        with pytest.raises(ValueError, match=message):
            refused(condition=condition)
    with pytest.raises(ValueError, match=message):
        model.evaluate(X[:50], y[:50], condition)
    frozen = [(name, FrozenEstimator(one.fit(X[:98], y[:98]))) for name, one in inner]
    for given_late in (Rocch(frozen).fit(X[98:], y[98:]), Rocch(frozen, condition).fit(X[98:], y[98:])):
        assert given_late.out_of_fold_rows_.size == 100  # all of them
        assert given_late.decision_rule(condition) == given_late.hybrid_.at(condition)


def test_few_examples_kept_back_say_so() -> None:
    X, y = blobs(100)
    message = r"it takes at least 22\. \(These are among the 20 examples that were kept back; cv=2 keeps back"
    with pytest.raises(rh.InfeasibleConditionError, match=message):
        Rocch([("tree", TREE)], rh.NeymanPearson(0.1, confidence=0.9)).fit(X, y)


def test_the_promise_holds_for_what_decides() -> None:
    """A strong penalty: the scale of the scores grows with the training set, by a half from a half to all.

    Thresholds of the folds broke this promise in more than a half of such samples (see the page on uncertainty).
    """
    broken, draws, limit = 0, 30, 0.1
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        y = np.arange(200) % 2
        X = rng.standard_normal((200, 5)) + 0.7 * y[:, None]
        inner = [("logistic", LogisticRegression(C=1e-3))]
        model = Rocch(inner, rh.NeymanPearson(limit, confidence=0.9), cv=2).fit(X, y)
        rule, kept = model.decision_rule().rules[0][0], model.estimators_["logistic"]
        broken += norm.sf((rule.threshold - kept.intercept_[0]) / np.linalg.norm(kept.coef_)) > limit
    assert broken <= 4  # expected is 1 (of 50 negatives one may be wrong)
