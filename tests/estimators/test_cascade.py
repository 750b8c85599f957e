"""CascadeClassifier: a cascade of out-of-fold scores, whose more expensive classifiers are called for few rows alone."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, RepeatedStratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import rochull as rh
from estimator_cases import (
    assert_copies_decide_alike,
    assert_refuses_bad_labels,
    assert_refuses_bad_weights,
    blobs,
    contract,
    rotation,
)
from profiles import tries
from refusals import refuses

Array = np.ndarray[Any, Any]
Cascades = rh.CascadeClassifier
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
COSTS = [rh.ExpectedCost(cost_fn=cost, prevalence=0.3) for cost in (0.3, 1, 4)]
FAST: dict[str, Any] = {"n_strata": 3, "shrinkage": 30.0, "cv": 3}

ASKED: dict[int, Array] = {}  # the rows that a Column was last asked for, told by the last column of X


class Column(ClassifierMixin, BaseEstimator):
    """Its score is a column of the data, whatever it was trained on; it records which rows it is asked for."""

    def __init__(self, at: int = 0) -> None:
        self.at = at

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Column":
        self.weighed_ = sample_weight
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X: Any) -> Any:
        ASKED[self.at] = np.asarray(X)[:, -1].astype(int)
        return np.asarray(X)[:, self.at]


def drawn(stages: int = 2, n: int = 900, seed: int = 0) -> tuple[Array, Array]:
    """Better and better columns, the number of the row as the last one; and labels."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    return np.column_stack([*(rng.normal((k + 1) * y) for k in range(stages)), np.arange(n)]), y


def columns(stages: int = 2, **options: Any) -> Any:
    made = [(name, Column(at), 0.1 * at) for at, name in enumerate(["cheap", "dear", "human"][:stages])]
    return Cascades(made, **FAST | options)


def stages(*prices: float) -> Any:
    return list(zip(("bayes", "tree"), (GaussianNB(), TREE), prices, strict=True))


@pytest.mark.filterwarnings(
    "ignore:pos_label is not given", "ignore:cross-validation .* in 5 folds needs 5 examples"
)
@pytest.mark.parametrize(("model", "check"), contract(Cascades(stages(0, 0.02), n_strata=3, shrinkage=30.0)))
def test_scikit_learn_contract(model: Any, check: Any) -> None:
    check(model)


@given(st.integers(0, 2**32), st.integers(2, 4))
@tries(3)
def test_agrees_with_a_cascade_by_hand(seed: int, folds: int) -> None:
    X, y = blobs(150, seed)
    new = np.random.default_rng(seed).normal(size=(60, 3)) * 1.5
    inner = {"bayes": GaussianNB(), "tree": TREE}
    model = Cascades([(name, each, 0.01 * (name == "tree")) for name, each in inner.items()], cv=folds)
    model.set_params(n_strata=[2, 4]).fit(X, y)
    out = {name: rotation(each, X, y, folds) for name, each in inner.items()}
    made = rh.Cascade({"bayes": 0, "tree": 0.01}, n_strata=[2, 4]).fit(out, y)
    assert model.policy_.to_json() == made.policy().to_json()
    scores = {name: clone(each).fit(X, y).predict_proba(new)[:, 1] for name, each in inner.items()}
    for costs in COSTS:
        for budget in (0.1, None):
            expected = made.policy().decide(scores, costs, max_calls=budget, deterministic=True)
            np.testing.assert_array_equal(model.predict(new, costs, max_calls=budget), expected)
        expected = made.policy().decide(scores, costs, max_calls=0.1, key=np.arange(60))
        found = model.predict(new, costs, max_calls=0.1, mixture=True, key=np.arange(60))
        np.testing.assert_array_equal(found, expected)
    own = rh.ExpectedCost(prevalence=1 / 3)
    assert model.condition_ == own
    np.testing.assert_array_equal(model.predict(new), model.predict(new, own))


@pytest.mark.parametrize("number", [2, 3])
def test_an_expensive_classifier_is_called_for_the_cases_that_need_it_alone(number: int) -> None:
    model = columns(number, n_strata=10).fit(*drawn(number))
    X, _ = drawn(number, 300, seed=1)
    names = list(model.estimators_)
    for options in ({"max_calls": 0.2}, {"max_calls": 0.2, "mixture": True, "key": np.arange(300)}, {}):
        needed = [np.flatnonzero(model.needs_score(name, X, **options)) for name in names]
        ASKED.clear()
        model.predict(X, **options)
        assert [list(ASKED.get(k, [])) for k in range(number)] == [rows.tolist() for rows in needed]
        assert needed[0].size == 300 > needed[1].size > 0
        assert all({*after} <= {*before} for before, after in itertools.pairwise(needed))
    assert needed[-1].size > 0
    ASKED.clear()
    model.needs_score("dear", X)
    assert list(ASKED) == [0]


def test_what_needs_nobody_calls_nobody() -> None:
    X, y = drawn()
    alone = columns()
    alone.set_params(estimators=[(name, each, 9.0) for name, each, _ in alone.estimators]).fit(X, y)
    ASKED.clear()
    alone.predict(X)
    assert list(ASKED) == [0]
    blind = clone(alone).fit(X * [0, 1, 1], y)  # the first score is the same for all
    ASKED.clear()
    assert not blind.predict(X).any()
    assert not ASKED
    with pytest.raises(ValueError, match="X has 2 features, but CascadeClassifier is expecting 3"):
        blind.predict(X[:, 1:])


def test_the_saved_policy_decides_alike(tmp_path: Any) -> None:
    X, y = drawn()
    model = columns(condition=COSTS[2], max_calls=0.3).fit(X, y)
    model.policy_.save(tmp_path / "cascade.json")
    loaded = rh.cascades.CascadePolicy.load(tmp_path / "cascade.json")
    scores = {"cheap": X[:, 0], "dear": lambda rows: X[rows, 1]}
    expected = loaded.decide(scores, COSTS[2], max_calls=0.3, deterministic=True)
    np.testing.assert_array_equal(model.predict(X), expected)
    assert model.decision_rule().calls["dear"] <= 0.3
    assert model.decision_rule(mixture=True).calls["dear"] == pytest.approx(0.3)
    assert model.decision_rule(max_calls=1).calls["dear"] > 0.3


def test_the_cost_counts_calls() -> None:
    X, y = drawn()
    weight = np.arange(1.0, 301)
    model = columns(max_calls=0.3).fit(X, y)
    for stage, price in enumerate((0.02, 0.07)):  # the first has a price too
        model.estimators[stage] = (*model.estimators[stage][:2], price)
    X, y = drawn(n=300, seed=1)
    model.fit(*drawn())
    for costs in (rh.ExpectedCost(1, 3), COSTS[1]):
        stated = costs.at_prevalence(model.cascade_.policy_.prevalence)
        mass = np.where(y == 1, stated.prevalence, 1 - stated.prevalence) * weight
        mass /= np.where(y == 1, weight[y == 1].sum(), weight[y == 0].sum())
        wrong = model.predict(X, costs) != y
        paid = wrong * np.where(y == 1, costs.cost_fn, costs.cost_fp)
        paid = paid + 0.02 + 0.07 * model.needs_score("dear", X, costs)
        assert model.score(X, y, weight, condition=costs) == pytest.approx(-float(mass @ paid))
    assert model.score(X, y) == np.mean(model.predict(X) == y)
    trial = model.held_out(max_calls=[0, None])
    made = rh.Cascade({"cheap": 0.02, "dear": 0.07}, n_strata=3, shrinkage=30.0)
    expected = made.held_out(model.out_of_fold_scores_, drawn()[1], model.condition_, max_calls=[0, None])
    assert (trial.cost.tolist(), trial.alone) == (expected.cost.tolist(), expected.alone)
    assert model.held_out(COSTS[2]).max_calls == (0.3,)
    refuses("condition must be an ExpectedCost, whose unit", model.held_out, rh.NeymanPearson(0.1))


def test_the_budget_that_is_worth_it_held_out() -> None:
    X, y = drawn()
    made = columns(max_calls="cv").fit(X, y)
    tried = (0.05, 0.1, 0.2, 0.3, 0.5, None)
    assert made.max_calls_ == made.held_out(max_calls=tried).advised
    useless = columns(max_calls="cv").fit(np.column_stack([X[:, 0], X[::-1, 1], X[:, 2]]), y)
    assert useless.max_calls_ == 0
    ASKED.clear()
    useless.predict(X)
    assert list(ASKED) == [0]


def test_frames_sparse_matrices_frozen_classifiers_and_labels_of_any_kind() -> None:
    X, y = blobs()
    model = Cascades(stages(0, 0.01), **FAST).fit(X, y)
    expected = model.predict(X)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    np.testing.assert_array_equal(clone(model).fit(frame, y).predict(frame), expected)
    words = np.where(y == 1, "bad", "good")
    named = clone(model).set_params(pos_label="bad").fit(X, words)
    np.testing.assert_array_equal(named.predict(X) == "bad", expected == 1)
    lines = Cascades([("some", LogisticRegression(C=0.01), 0), ("all", LogisticRegression(), 0.01)], **FAST)
    np.testing.assert_array_equal(
        lines.fit(csr_array(X), y).predict(csr_array(X)), lines.fit(X, y).predict(X)
    )
    frozen = Cascades([(n, FrozenEstimator(e.fit(X, y)), p) for n, e, p in stages(0, 0.01)], **FAST)
    assert frozen.fit(X, y).estimators_["tree"].estimator is frozen.estimators[1][1].estimator
    with parallel_config("threading"):
        assert_copies_decide_alike(model, X, y, lambda each: each.predict(X))
    assert not hasattr(model, "decision_function")
    assert not hasattr(model, "predict_proba")
    with pytest.raises(NotFittedError):
        clone(model).predict(X)


def test_parameters_of_the_inner_classifiers() -> None:
    X, y = blobs()
    model = Cascades(
        [*clone(Cascades(stages(0, 0.01))).estimators, ("line", LogisticRegression(), 0.02)], **FAST
    )
    assert model.get_params()["tree__max_depth"] == 3
    model.set_params(tree__max_depth=1, line="drop")
    assert (model.estimators[1][1].max_depth, model.estimators[2][1:]) == (1, ("drop", 0.02))
    assert list(model.fit(X, y).estimators_) == ["bayes", "tree"] == list(model.cascade_.prices)
    scorer = rh.cost_scorer(COSTS[2])
    grid = {"tree__max_depth": [1, 3], "max_calls": [0.1, None]}
    search = GridSearchCV(Cascades(stages(0, 0.01), COSTS[2], **FAST), grid, scoring=scorer, cv=2)
    assert set(search.fit(X, y).best_params_) == set(grid)


def test_weights_count() -> None:
    X, y = drawn()
    whole = np.random.default_rng(0).integers(1, 3, y.size)
    model = columns().fit(X, y, sample_weight=whole)
    scores = {"cheap": X[:, 0], "dear": X[:, 1]}
    made = rh.Cascade({"cheap": 0, "dear": 0.1}, n_strata=3, shrinkage=30.0)
    assert model.policy_.to_json() == made.fit(scores, y, sample_weight=whole).policy().to_json()
    assert model.condition_.prevalence == pytest.approx(np.average(y, weights=whole))
    assert model.estimators_["dear"].weighed_ is not None
    assert_refuses_bad_weights(Cascades(stages(0, 0.01), cv=5).fit)
    repeated = columns(cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)).fit(X, y)
    assert repeated.out_of_fold_rows_.size == 2 * y.size


@pytest.mark.usefixtures("routing")
def test_keywords_are_routed() -> None:
    X, y = drawn()
    weight, groups = np.where(y == 1, 2.0, 1.0), np.arange(y.size) // 9
    model = columns(cv=GroupKFold(3))
    model.set_params(cheap=Column(0).set_fit_request(sample_weight=False))
    model.set_params(dear=Column(1).set_fit_request(sample_weight=True))
    model.fit(X, y, sample_weight=weight, groups=groups)
    assert model.estimators_["cheap"].weighed_ is None
    assert model.estimators_["dear"].weighed_.tolist() == weight.tolist()
    assert model.condition_.prevalence == pytest.approx(np.average(y, weights=weight))
    plain = columns().fit(X, y)
    asked = columns().set_params(
        cheap=Column(0).set_fit_request(sample_weight=True),
        dear=Column(1).set_fit_request(sample_weight=True),
    )
    asked.set_predict_request(condition=True, max_calls=True).set_score_request(condition=True)
    piped = make_pipeline(StandardScaler(with_mean=False, with_std=False), asked).fit(X, y)
    found = piped.predict(X, condition=COSTS[2], max_calls=0.1)
    np.testing.assert_array_equal(found, plain.predict(X, COSTS[2], max_calls=0.1))
    judged = cross_validate(asked, X, y, cv=3, params={"condition": COSTS[2]}, error_score="raise")
    assert (judged["test_score"] < 0).all()


def test_what_is_refused() -> None:
    X, y = blobs()
    assert_refuses_bad_labels(lambda **options: Cascades(stages(0, 0.01), **options))
    for made, message in (
        ([], "estimators must be a list"),
        (GaussianNB(), "estimators must be a list"),
        ([("bayes", GaussianNB()), ("tree", TREE)], r"must hold triples \(name, estimator, price"),
        (
            [("bayes", GaussianNB(), 0), ("tree", "drop", 0)],
            "two or more: the cheap one first.*'bayes' is all",
        ),
        ([("bayes", "drop", 0), ("tree", "drop", 0)], "nothing is all"),
        (stages(0, -1), "estimators: the price of 'tree'"),
        ([("a", GaussianNB(), 0), ("a", TREE, 0)], "Names provided are not unique"),
    ):
        refuses(message, Cascades(made).fit, X, y)
    model = Cascades(stages(0, 0.01), **FAST)
    for name, value, message in (
        ("condition", rh.NeymanPearson(0.1), "condition must be an ExpectedCost, whose unit"),
        ("condition", "cheap", "condition must be an operating condition"),
        ("max_calls", -1, "max_calls"),
        ("max_calls", "many", 'max_calls must be a number or "cv"'),
        ("cv", "prefit", "cv must be"),
        ("n_strata", "many", "n_strata must be"),
        ("response_method", "magic", "response_method must be"),
    ):
        refuses(message, clone(model).set_params(**{name: value}).fit, X, y)
    with pytest.raises(rh.ImpreciseConditionError):
        clone(model).set_params(condition=rh.ExpectedCost(cost_fn=(1, 2))).fit(X, y)
    model.fit(X, y)
    refuses("condition must be an ExpectedCost, whose unit", model.predict, X, rh.MinimumRecall(0.5))
    refuses("condition must be an operating condition", model.predict, X, rh.Recall())
    refuses("key and random_state are of use with mixture=True", model.predict, X, key=np.arange(120))
    refuses("classifier must be one of", model.needs_score, "forest", X)
    refuses("must have the same length", model.score, X, y[:-1], condition=COSTS[0])
