"""The scorer of an expected cost: by the definition, in scikit-learn's tools, and what it refuses."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import rochull as rh
from estimator_cases import blobs
from rochull.estimators.scorers import expected_cost

DEAR = rh.ExpectedCost(cost_fp=2, cost_fn=7, prevalence=0.1)


class Says(ClassifierMixin, BaseEstimator):
    """Predicts what it was given."""

    def __init__(self, labels: Any = (), classes: Any = (0, 1)) -> None:
        self.labels, self.classes = labels, classes

    def fit(self, X: Any, y: Any) -> "Says":
        return self

    @property
    def classes_(self) -> Any:
        return np.array(self.classes)

    def predict(self, X: Any) -> Any:
        return np.array(self.labels)


def by_rows(true: Any, called: Any, weight: Any, costs: Any) -> float:
    """The definition, row by row: each class's mean cost, mixed at the prevalence."""
    of_class = {0: [0.0, 0.0], 1: [0.0, 0.0]}
    for t, c, w in zip(true, called, weight, strict=True):
        of_class[t][0] += w * (costs.cost_fn if t else costs.cost_fp) * (t != c)
        of_class[t][1] += w
    means = {t: cost / total for t, (cost, total) in of_class.items()}
    return (1 - costs.prevalence) * means[0] + costs.prevalence * means[1]


rows = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(1, 5)), min_size=1, max_size=30)


@given(rows, st.floats(0, 10), st.floats(0.5, 10), st.floats(0.05, 0.95))
def test_is_minus_the_mean_cost_of_the_classes(cases: Any, fp: float, fn: float, share: float) -> None:
    true, called, weight = ([*t] for t in zip(*[*cases, (0, 1, 1), (1, 1, 2)], strict=True))
    costs = rh.ExpectedCost(fp, fn, share)
    X, model = np.zeros((len(true), 1)), Says(called)
    expected = by_rows(true, called, weight, costs)
    scorer = rh.cost_scorer(costs)
    assert scorer(model, X, true, sample_weight=weight) == pytest.approx(-expected, abs=1e-12)
    repeated = np.repeat(np.arange(len(true)), weight)
    again = scorer(Says(np.array(called)[repeated]), X[repeated], np.array(true)[repeated])
    assert again == pytest.approx(-expected, abs=1e-12)
    words = np.array(["no", "yes"])
    named = rh.cost_scorer(costs, pos_label="yes")
    found = named(Says(words[called], ("no", "yes")), X, words[true], sample_weight=weight)
    assert found == pytest.approx(-expected, abs=1e-12)
    # Without a prevalence, what was paid is divided by the cases.
    paid = sum(w * (fn if t else fp) for t, c, w in zip(true, called, weight, strict=True) if t != c)
    mean = expected_cost(true, called, cost_fp=fp, cost_fn=fn, sample_weight=weight)
    assert mean == pytest.approx(paid / sum(weight), abs=1e-12)
    own = rh.ExpectedCost(fp, fn, float(np.average(true, weights=weight)))
    assert mean == pytest.approx(by_rows(true, called, weight, own), abs=1e-9)


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [
        ([0, 1, 1, 0], None),
        ([-1, 1, 1, -1], None),
        ([False, True, True, False], None),
        (["a", "b", "b", "a"], "b"),
        (pd.Series(["a", "b", "b", "a"], dtype="category"), "b"),
        (pd.Series([0, 1, 1, 0], dtype="Int64"), None),
        (pd.Series([False, True, True, False], dtype="boolean"), None),
    ],
)
def test_labels_of_every_kind(labels: Any, pos_label: Any) -> None:
    said = np.array(labels)[[0, 0, 1, 0]]  # one positive of two is found
    model = Says(said, np.unique(np.array(labels)))
    assert rh.cost_scorer(DEAR, pos_label=pos_label)(model, np.zeros((4, 1)), labels) == pytest.approx(-0.35)


def test_agrees_with_the_classifiers_own_score() -> None:
    X, y = blobs()
    model = rh.RocchClassifier([("bayes", GaussianNB())], condition=DEAR).fit(X, y)
    assert rh.cost_scorer(DEAR)(model, X, y) == pytest.approx(model.score(X, y, condition=DEAR))


def test_searches_and_copies() -> None:
    X, y = blobs(240, 3)
    scorer = rh.cost_scorer(DEAR)
    again = pickle.loads(pickle.dumps(scorer))
    plain = DecisionTreeClassifier(max_depth=2, random_state=0)
    found = cross_validate(plain, X, y, scoring={"cost": again, "auc": "roc_auc"}, error_score="raise")
    assert np.isfinite(found["test_cost"]).all()
    grid = {"max_depth": [1, 3]}
    assert GridSearchCV(plain, grid, scoring=scorer, error_score="raise").fit(X, y).best_score_ < 0
    tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer, random_state=0).fit(X, y)
    assert scorer(tuned, X, y) >= scorer(LogisticRegression().fit(X, y), X, y)
    hybrid = rh.RocchClassifier([("tree", plain), ("bayes", GaussianNB())], cv=3)
    dearest = rh.ExpectedCost(cost_fn=60, prevalence=0.3)
    grid = {"condition": [None, dearest]}
    search = GridSearchCV(hybrid, grid, scoring=rh.cost_scorer(dearest), cv=3, error_score="raise")
    assert search.fit(X, y).best_params_["condition"] == dearest


@pytest.mark.usefixtures("routing")
def test_weights_by_metadata_routing() -> None:
    X, y = blobs()
    weights = np.where(X[:, 0] > 0, 3.0, 1.0)
    scorer = rh.cost_scorer(DEAR).set_score_request(sample_weight=True)
    scale = StandardScaler().set_fit_request(sample_weight=False)
    model = make_pipeline(scale, GaussianNB().set_fit_request(sample_weight=False))
    found = cross_validate(
        model, X, y, cv=[(np.arange(60), np.arange(60, 120))], scoring=scorer,
        params={"sample_weight": weights}, error_score="raise",
    )  # fmt: skip
    called = model.fit(X[:60], y[:60]).predict(X[60:])
    assert found["test_score"][0] == pytest.approx(-by_rows(y[60:], called, weights[60:], DEAR))


def test_of_several_classes_it_is_that_of_the_measure() -> None:
    costs = rh.multiclass.CostMatrix([[0, 1, 1], [1, 0, 1], [1, 5, 0]])
    assert rh.cost_scorer(costs) == rh.multiclass.multiclass_scorer(costs)


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("accuracy", "condition must be a Condition, an Objective or a CostMatrix, but is 'accuracy'"),
        (rh.Review(1, 2, 0.1), "has reviews, which no scorer of decisions or scores has"),
        (rh.NeymanPearson((0.1, 0.2)), "condition must be precise"),
        (rh.ExpectedCost((1, 2)), "condition must be precise"),
    ],
)
def test_refused_conditions(condition: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rh.cost_scorer(condition)


def reached(true: Any, score: Any, weight: Any, threshold: float) -> tuple[float, float]:
    """Both rates of a threshold, row by row."""
    totals = [0.0, 0.0, 0.0, 0.0]
    for t, s, w in zip(true, score, weight, strict=True):
        totals[2 * t] += w * (s >= threshold)
        totals[2 * t + 1] += w
    return totals[0] / totals[1], totals[2] / totals[3]


SCORED = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 4), st.integers(1, 5)), min_size=1, max_size=20)


@given(SCORED, st.sampled_from([0.0, 0.1, 0.25, 0.5]), st.sampled_from([0.0, 0.5, 0.9]))
def test_limits_are_scored_at_the_best_threshold_that_keeps_them(
    cases: Any, most: float, least: float
) -> None:
    """By trying every threshold."""
    true, score, weight = ([*t] for t in zip(*[*cases, (0, 1, 1), (1, 2, 2)], strict=True))
    X, plain = np.array(score, float)[:, None], np.ones(len(true))
    rates = [reached(true, score, weight, at) for at in (*range(5), np.inf)]
    model = Scored().fit(X, true)

    def found(condition: Any) -> float:
        return float(rh.cost_scorer(condition)(model, X, true, sample_weight=weight))

    assert found(rh.NeymanPearson(most)) == pytest.approx(max(y for x, y in rates if x <= most + 1e-12))
    assert found(rh.MinimumRecall(least)) == pytest.approx(-min(x for x, y in rates if y >= least - 1e-12))
    costs = [0.7 * 2 * x + 0.3 * 7 * (1 - y) for x, y in rates if x <= most + 1e-12]
    within = rh.Within(rh.ExpectedCost(2, 7, 0.3), [rh.FalsePositiveRate() <= most])
    assert found(within) == pytest.approx(-min(costs))
    bare = [reached(true, score, plain, at) for at in (*range(5), np.inf)]
    own = rh.cost_scorer(rh.BalancedAccuracy())(model, X, true)
    assert own == pytest.approx(max((1 - x + y) / 2 for x, y in bare))


class Scored(Says):
    """Scores by the only column."""

    def decision_function(self, X: Any) -> Any:
        return X[:, 0]


def test_limits_are_scored_in_scikit_learns_tools() -> None:
    X, y = blobs(240, 3)
    scorer = pickle.loads(pickle.dumps(rh.cost_scorer(rh.NeymanPearson(0.1))))
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)  # of probabilities alone
    found = cross_validate(tree, X, y, scoring={"recall": scorer, "auc": "roc_auc"}, error_score="raise")
    assert 0 < found["test_recall"].mean() <= 1
    search = GridSearchCV(tree, {"max_depth": [1, 3]}, scoring=scorer, error_score="raise").fit(X, y)
    assert 0 < search.best_score_ <= 1
    words = np.array(["no", "yes"])[y]
    named = rh.cost_scorer(rh.NeymanPearson(0.1), pos_label="yes")
    logistic = LogisticRegression().fit(X, y)
    assert named(clone(logistic).fit(X, words), X, words) == scorer(logistic, X, y)
    low = rh.cost_scorer(rh.NeymanPearson(0.1), pos_label="no")
    assert low(clone(logistic).fit(X, words), X, words) == scorer(clone(logistic).fit(X, 1 - y), X, 1 - y)
    hybrid = rh.RocchClassifier([("bayes", GaussianNB())], condition=rh.NeymanPearson(0.1)).fit(X, y)
    assert scorer(hybrid, X, y) > 0.1


@pytest.mark.parametrize("condition", [rh.ExpectedCost(1, 4, 0.3), rh.NeymanPearson(0.1)])
def test_of_other_labels_the_second_is_positive(condition: Any) -> None:
    """Refusing them made NaN of every fold, after all of the training: scikit-learn holds the error back."""
    X, y = blobs(120)
    words, model = np.array(["no", "yes"])[y], LogisticRegression()
    told = cross_validate(model, X, words, scoring=rh.cost_scorer(condition, pos_label="yes"))["test_score"]
    with pytest.warns(
        UserWarning, match="^cost_scorer: pos_label is not given, so 'yes' is the positive class"
    ):
        found = cross_validate(model, X, words, scoring=rh.cost_scorer(condition))["test_score"]
    np.testing.assert_array_equal(found, told)
    assert np.isfinite(found).all()


def test_where_no_threshold_keeps_the_limits_scoring_fails() -> None:
    scorer = rh.cost_scorer(rh.MinimumPrecision(0.99, 0.1))
    with pytest.raises(rh.InfeasibleConditionError):
        scorer(Scored(), np.array([[1.0], [2.0], [0.0]]), [1, 0, 0])


@pytest.mark.parametrize(
    ("true", "said", "options", "message"),
    [
        ([0, 0], [0, 1], {}, "y_true has no positive example, so that the cost at prevalence 0.1 is not"),
        ([1, 1], [0, 1], {"sample_weight": [1, 1]}, "y_true has no negative example of any weight"),
        ([0, 1, 2], [0, 1, 2], {}, "y_true and y_pred must be of two classes, but hold 0, 1, 2"),
        (["a", "a"], ["a", "a"], {}, "y_true and y_pred hold 'a'; give pos_label to say which"),
        (
            ["a", "b"],
            ["a", "b"],
            {"pos_label": "B"},
            "pos_label='B' does not occur among the labels 'a', 'b'",
        ),
        ([0, 1], [0, 1, 1], {}, "y_true and y_pred must have the same length, but y_true has 2"),
        ([0, 1], [0, 1], {"sample_weight": [1]}, "y_true and sample_weight must have the same length"),
        ([0, 1], [0, 1], {"sample_weight": [0, 0], "prevalence": None}, "sample_weight has a total of zero"),
    ],
)
def test_refused_examples(true: Any, said: Any, options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        expected_cost(true, said, **{"cost_fp": 2, "cost_fn": 7, "prevalence": 0.1} | options)
