"""RocchClassifier: out-of-fold hull, decisions under conditions, routing of keywords, honest estimates."""

import warnings
from collections import Counter
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from joblib import parallel_config
from scipy.sparse import csr_array
from scipy.stats import beta, lognorm
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

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
from rochull.conditions.rules import rules_in_words

Array = np.ndarray[Any, Any]
Rocch = rh.RocchClassifier

COSTS = [rh.ExpectedCost(cost_fn=cost, prevalence=0.3) for cost in (0.05, 0.3, 1, 3, 10, 60)]
CONDITIONS = [
    *COSTS,
    rh.NeymanPearson(0.2),
    rh.MinimumRecall(0.8),
    rh.Capacity(fraction=0.25, prevalence=0.3),
    rh.MinimumPrecision(0.5, prevalence=0.3),
    rh.Utility(lambda fpr, tpr: tpr - fpr),
]


CALLED: Counter[str] = Counter()  # how often a Column was fitted, and asked for scores
GIVEN: list[dict[str, Any]] = []  # what a Column's fit was given


class Column(ClassifierMixin, BaseEstimator):
    """Its score is a column of the data, whatever it was trained on, and it counts its calls."""

    def __init__(self, at: int = 0, name: str = "") -> None:
        self.at, self.name = at, name

    def fit(self, X: Any, y: Any, sample_weight: Any = None, marks: Any = None) -> "Column":
        CALLED[f"fit {self.name}"] += 1
        GIVEN.append({"sample_weight": sample_weight, "marks": marks})
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X: Any) -> Any:
        CALLED[f"score {self.name}"] += 1
        return np.asarray(X)[:, self.at]

    def predict(self, X: Any) -> Any:
        return self.classes_[(np.asarray(X)[:, self.at] > 0).astype(int)]


class Called(ClassifierMixin, BaseEstimator):
    """Has `predict` only: positive where a column is above 1/2."""

    def __init__(self, at: int = 0) -> None:
        self.at = at

    def fit(self, X: Any, y: Any) -> "Called":
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return self.classes_[(np.asarray(X)[:, self.at] > 0.5).astype(int)]


def columns(*names: str, **options: Any) -> Any:
    """A classifier of columns 0, 1, ... that go by these names."""
    CALLED.clear()
    GIVEN.clear()
    return Rocch([(name, Column(at, name)) for at, name in enumerate(names)], **options)


def scripted() -> tuple[Array, Array]:
    """Columns "early" (best at few alarms), "late" (best at many), "poor" (dominated), and labels."""
    y = np.array([1] * 8 + [0] * 8)
    early = np.array([16, 15, 14, 13, 4, 3, 2, 1, 12, 11, 10, 9, 8, 7, 6, 5])
    late = np.array([12, 11, 10, 9, 8, 7, 6, 5, 16, 15, 14, 13, 4, 3, 2, 1])
    poor = np.array([16, 9, 8, 7, 6, 5, 4, 3, 15, 14, 13, 12, 11, 10, 2, 1])
    order = np.random.default_rng(0).permutation(16)
    return np.column_stack([early, late, poor])[order].astype(float), y[order]


# --- scikit-learn's own checks ---------------------------------------------------------------------

TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
CHECKED = Rocch([("logistic", LogisticRegression()), ("bayes", GaussianNB())])


@pytest.mark.filterwarnings(
    "ignore:pos_label is not given", "ignore:cross-validation .* in 5 folds needs 5 examples"
)
@pytest.mark.parametrize(("model", "check"), contract(CHECKED))
def test_scikit_learn_contract(model: Any, check: Any) -> None:
    check(model)


def test_parameters_of_the_inner_classifiers() -> None:
    X, y = blobs()
    model = Rocch([("tree", clone(TREE)), ("bayes", GaussianNB())], cv=3, condition=rh.Accuracy(0.2))
    assert model.get_params()["tree__max_depth"] == 3
    model.set_params(tree__max_depth=1, bayes="drop", cv=4)
    assert (model.estimators[0][1].max_depth, model.cv) == (1, 4)
    assert list(model.fit(X, y).hybrid_.hulls) == ["tree"]
    model.set_params(bayes=GaussianNB())
    assert list(clone(model).fit(X, y).hybrid_.hulls) == ["tree", "bayes"]
    assert clone(model).condition == rh.Accuracy(0.2)
    grid = {"condition": [None, rh.Accuracy(0.2)], "tree__max_depth": [1, 2]}
    search = GridSearchCV(Rocch([("tree", clone(TREE))], cv=2), grid, cv=2, error_score="raise").fit(X, y)
    assert set(search.best_params_) == set(grid)


# --- the hull is out of fold -----------------------------------------------------------------------


@given(st.integers(0, 2**32), st.integers(2, 5))
@example(5, 5)  # the tree is off the hull, yet the best single threshold for some limits is its own
@tries(6)
def test_agrees_with_a_hybrid_by_hand(seed: int, folds: int) -> None:
    X, y = blobs(90, seed)
    new = np.random.default_rng(seed).normal(size=(40, 3)) * 1.5
    inner = {"logistic": LogisticRegression(), "tree": TREE}
    methods = {"logistic": "decision_function", "tree": "predict_proba"}
    model = Rocch(list(inner.items()), cv=folds).fit(X, y)
    hybrid, trained, scores = rh.Hybrid(), rh.Hybrid(), {}
    for name, template in inner.items():
        out = rotation(template, X, y, folds)
        np.testing.assert_array_equal(model.out_of_fold_scores_[name], out)
        hybrid.add(name, y, out, curve=True)
        if name in model.estimators_:
            trained.add(name, y, out, curve=True)
        found = getattr(clone(template).fit(X, y), methods[name])(new)
        scores[name] = found[:, 1] if found.ndim == 2 else found
    np.testing.assert_array_equal(model.out_of_fold_rows_, np.arange(90))
    assert str(model.dominance_table_) == str(hybrid.dominance_table())
    assert set(model.estimators_) == set(hybrid.hull.classifiers)
    for condition in CONDITIONS:
        point = trained.at(condition, deterministic=True)
        assert model.decision_rule(condition) == point
        ((rule, _),) = point.rules
        if rule.kind == "threshold":
            expected = scores[rule.classifier] >= rule.threshold
        else:
            expected = np.full(40, rule.kind == "always")
        np.testing.assert_array_equal(model.predict(new, condition=condition), expected.astype(int))


def test_without_a_condition_errors_are_minimised_at_the_training_proportion() -> None:
    X, y = blobs()
    model = Rocch([("logistic", LogisticRegression()), ("tree", TREE)]).fit(X, y)
    assert model.condition_ == rh.Accuracy(40 / 120)
    np.testing.assert_array_equal(model.predict(X), model.predict(X, condition=rh.Accuracy(40 / 120)))
    assert model.score(X, y) == accuracy_score(y, model.predict(X))
    weights = np.where(y == 1, 3.0, 1.0)
    weighted = Rocch([("tree", TREE)]).fit(X, y, sample_weight=weights)
    assert weighted.condition_ == rh.Accuracy(120 / 200)


def test_a_memoriser_does_not_own_the_hull() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    model = Rocch([("logistic", LogisticRegression()), ("memory", KNeighborsClassifier(1))]).fit(X, y)
    assert KNeighborsClassifier(1).fit(X, y).score(X, y) == 1  # in-sample nothing would beat it
    assert model.decision_rule(rh.Accuracy(0.5)).classifiers == ("logistic",)
    assert model.hybrid_.auc["memory"] < 0.8


@pytest.mark.parametrize(
    "cv",
    [
        RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
        ShuffleSplit(4, random_state=1),
        KFold(4, shuffle=True, random_state=0),
        list(KFold(3, shuffle=True, random_state=2).split(np.zeros(120))),
    ],
    ids=["repeated", "shuffled", "folds", "arrays"],
)
def test_any_splitter(cv: Any) -> None:
    X, y = blobs()
    model = Rocch([("tree", TREE), ("bayes", GaussianNB())], cv=cv).fit(X, y)
    rows, scores = [], []
    for train, test in cv if isinstance(cv, list) else cv.split(X, y):
        rows.append(test)
        scores.append(GaussianNB().fit(X[train], y[train]).predict_proba(X[test])[:, 1])
    order = np.argsort(np.concatenate(rows), kind="stable")
    np.testing.assert_array_equal(model.out_of_fold_rows_, np.concatenate(rows)[order])
    np.testing.assert_array_equal(model.out_of_fold_scores_["bayes"], np.concatenate(scores)[order])
    alone = rh.roc_hull(y[model.out_of_fold_rows_], model.out_of_fold_scores_["bayes"])
    np.testing.assert_array_equal(model.hybrid_.hulls["bayes"].tp, alone.tp)


def test_examples_of_several_test_parts_are_weights_not_numbers() -> None:
    X, y = blobs()
    confident, inner = rh.NeymanPearson(0.3, confidence=0.9), [("tree", TREE), ("bayes", GaussianNB())]
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    message = "^confidence needs every example once, but 120 scores are of examples that were scored before"
    frozen = [(name, FrozenEstimator(clone(one).fit(X, y))) for name, one in inner]
    with pytest.raises(ValueError, match=message):
        Rocch(frozen, confident, cv=cv).fit(X, y)
    model, ready = Rocch(inner, cv=cv).fit(X, y), Rocch(frozen, cv=cv).fit(X, y)
    for refused in (
        ready.decision_rule, model.hybrid_.at, model.hybrid_.assured, model.hybrid_.without("tree").hybrid.at,
        partial(ready.predict, X),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            refused(condition=confident)
    with pytest.raises(ValueError, match="unweighted examples"):
        model.hybrid_.hulls["bayes"].at(confident)
    own = {name: column[::2] for name, column in model.out_of_fold_scores_.items()}
    assert model.hybrid_.assured(confident, y, own).method == "separate split"
    # So often the same examples: the interval of a prevalence would be too short.
    assert model.policy_.estimate_prevalence(own).method == "known"
    assert model.hybrid_.policy().estimate_prevalence(own).method == "known"
    later = model.add_estimator("more", LogisticRegression(), X, y)
    with pytest.raises(ValueError, match=message):
        later.hybrid_.at(confident)
    once = Rocch(inner, confident, cv=StratifiedKFold(3)).fit(X, y)
    assert once.policy_.estimate_prevalence(once.out_of_fold_scores_).method == "blocks"
    some = Rocch(frozen, confident, cv=list(StratifiedKFold(3).split(X, y))[:2]).fit(
        X, y
    )  # not all, but once
    assert some.condition_ == confident


def test_jobs_and_copies_change_nothing() -> None:
    X, y = blobs()
    first = Rocch([("tree", DecisionTreeClassifier(max_features=1, random_state=3)), ("b", GaussianNB())])
    assert_copies_decide_alike(first, X, y, lambda model: [model.predict(X, condition=c) for c in COSTS])


def test_data_frames_sparse_matrices_and_kernels() -> None:
    X, y = blobs()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    inner = [("logistic", LogisticRegression(solver="newton-cg", tol=1e-12)), ("tree", TREE)]
    plain, named = Rocch(inner).fit(X, y), Rocch(inner).fit(frame, pd.Series(y))
    assert named.feature_names_in_.tolist() == ["a", "b", "c"]
    assert plain.n_features_in_ == 3
    np.testing.assert_array_equal(named.predict(frame), plain.predict(X))
    assert Rocch(inner).fit(csr_array(X), y).predict(csr_array(X)).shape == (120,)
    kernel = Rocch([("svc", SVC(kernel="precomputed"))]).fit(X @ X.T, y)
    linear = Rocch([("svc", SVC(kernel="linear"))]).fit(X, y)
    np.testing.assert_allclose(
        kernel.out_of_fold_scores_["svc"], linear.out_of_fold_scores_["svc"], atol=1e-9
    )
    constant = Rocch([("tree", TREE)]).fit(frame, y)
    with pytest.raises(ValueError, match="feature names should match"):  # though nobody looks at X
        constant.predict(frame.rename(columns={"a": "d"}), condition=rh.Accuracy(0.9999))


# --- scores and probabilities ------------------------------------------------------------------------


@pytest.mark.crossed
@pytest.mark.parametrize("pos_label", ["bad", "good"])
@pytest.mark.parametrize("condition", [None, *CONDITIONS, rh.Accuracy(0.0001), rh.Accuracy(0.9999)])
def test_decision_function_and_predictions_agree(pos_label: str, condition: Any) -> None:
    X, y = blobs()
    new = np.random.default_rng(1).normal(size=(90, 3)) * 20  # most are beyond all training scores
    labels = np.where(y == 1, "bad", "good")
    inner = [("logistic", LogisticRegression()), ("tree", TREE), ("called", Called())]
    model = Rocch(inner, pos_label=pos_label).fit(X, labels)
    for asked in (model, Rocch(inner, condition, pos_label=pos_label).fit(X, labels)):
        given = {"condition": condition} if asked is model else {}
        for cases in (X, new):
            decision, called = asked.decision_function(cases, **given), asked.predict(cases, **given)
            assert np.isfinite(decision).all()
            np.testing.assert_array_equal(called, asked.classes_[(decision > 0).astype(int)])
            probability = asked.predict_proba(cases, **given)
            np.testing.assert_allclose(probability.sum(axis=1), 1)
            assert ((probability > 0) & (probability < 1)).all()
            order = np.argsort(decision, kind="stable")
            assert (np.diff(probability[order, 1]) >= 0).all()
            if condition is None:
                np.testing.assert_array_equal(
                    called == pos_label, probability[:, list(asked.classes_).index(pos_label)] > 0.5
                )


@given(st.integers(0, 2**32), st.sampled_from([None, *COSTS, rh.NeymanPearson(0.3)]))
@tries(8)
def test_scores_and_probabilities_are_those_of_the_classifier_that_decides(seed: int, condition: Any) -> None:
    X, y = blobs(90, seed)
    inner = {"logistic": LogisticRegression(), "bayes": GaussianNB()}
    model = Rocch(list(inner.items()), cv=3).fit(X, y)
    ((rule, _),) = model.decision_rule(condition).rules
    if rule.kind != "threshold":
        owners = model.policy_.hull.owners
        beside = owners[1] if rule.kind == "never" else owners[-2]
        name = beside[0].classifier
    else:
        name = rule.classifier
    assert name is not None
    out, fresh = rotation(inner[name], X, y, 3), model.estimators_[name]
    score = fresh.decision_function(X) if name == "logistic" else fresh.predict_proba(X)[:, 1]
    if rule.kind == "threshold":
        expected = np.where(score == rule.threshold, np.finfo(float).tiny, score - rule.threshold)
        np.testing.assert_array_equal(model.decision_function(X, condition), expected)
    # One more of each class at either end, pooled by scikit-learn.
    ends = [out.max(), out.max(), out.min(), out.min()]
    pooled = IsotonicRegression(out_of_bounds="clip").fit([*out, *ends], [*y, 1, 0, 1, 0])
    lows = np.unique([*out, *ends])
    steps = pooled.predict(lows)[np.maximum(np.searchsorted(lows, score, side="right") - 1, 0)]
    np.testing.assert_allclose(model.predict_proba(X, condition)[:, 1], steps, rtol=1e-9)


def test_no_single_score_has_the_hull_of_a_hybrid() -> None:
    # Why there is no probability of the hybrid as a whole: its rules are not nested.
    X, y = scripted()
    model = columns("early", "late", cv=4).fit(X, y)
    strict, generous = (rh.ExpectedCost(cost_fn=cost, prevalence=0.5) for cost in (0.4, 2.5))
    assert model.decision_rule(strict).fpr < model.decision_rule(generous).fpr
    both = [[16, 16, 0], [16, 1, 0], [1, 16, 0]]
    assert model.predict(both, strict).tolist() == [1, 1, 0]
    assert model.predict(both, generous).tolist() == [1, 0, 1]


def test_where_no_classifier_is_needed_there_are_no_scores() -> None:
    X, y = blobs()
    model = Rocch([("noise", Column(1))], condition=rh.Accuracy(1.0)).fit(X, y)
    assert model.estimators_ == model.calibrators_ == {}
    np.testing.assert_array_equal(model.decision_function(X), np.ones(120))
    np.testing.assert_allclose(model.predict_proba(X), np.tile([2 / 3, 1 / 3], (120, 1)))


def test_no_held_out_log_loss_is_infinite_and_small_weights_count() -> None:
    X, y = blobs(60, shift=5.0)  # separable
    probability = Rocch([("bayes", GaussianNB())], cv=3).fit(X, y).predict_proba(X)[:, 1]
    assert sorted({*probability.tolist()}) == pytest.approx([1 / 42, 21 / 22])
    light = Rocch([("bayes", GaussianNB())], cv=3).fit(X, y, sample_weight=np.full(60, 1 / 60))
    np.testing.assert_allclose(light.predict_proba(X)[:, 1], probability)


def test_what_scikit_learn_asks_of_scores() -> None:
    X, y = blobs(180)
    hybrid = Rocch([("logistic", LogisticRegression()), ("tree", TREE)], cv=3)
    for scoring in ("roc_auc", "average_precision", "neg_log_loss", "neg_brier_score"):
        found = cross_val_score(hybrid, X, y, scoring=scoring, cv=3, error_score="raise")
        assert np.isfinite(found).all()
    assert cross_val_score(hybrid, X, y, scoring="roc_auc", cv=3).min() > 0.7
    tuned = TunedThresholdClassifierCV(hybrid, scoring="balanced_accuracy", cv=3).fit(X, y)
    assert tuned.score(X, y) > 0.6
    fitted = hybrid.fit(X, y)
    frozen = TunedThresholdClassifierCV(FrozenEstimator(fitted), cv="prefit", refit=False).fit(X, y)
    np.testing.assert_array_equal(frozen.estimator_.predict_proba(X), fitted.predict_proba(X))
    for calibrated in (CalibratedClassifierCV(hybrid, cv=3), CalibratedClassifierCV(FrozenEstimator(fitted))):
        assert calibrated.fit(X, y).predict_proba(X).shape == (180, 2)
    piped = make_pipeline(StandardScaler(), hybrid).fit(X, y)
    assert roc_auc_score(y, piped.decision_function(X)) > 0.7
    stacked = rh.estimators.PavCalibratedClassifier(hybrid, cv=3).fit(X, y)
    assert stacked.predict_proba(X).shape == (180, 2)


@pytest.mark.usefixtures("routing")
def test_a_condition_reaches_scores_through_a_pipeline() -> None:
    X, y = blobs()
    dear = rh.ExpectedCost(cost_fn=60, prevalence=0.3)
    hybrid = Rocch([("tree", TREE), ("bayes", GaussianNB())], cv=3)
    hybrid.set_predict_proba_request(condition=True).set_decision_function_request(condition=True)
    piped = make_pipeline(StandardScaler(), hybrid).fit(X, y)
    alone, scaled = piped[-1], piped[0].transform(X)
    for method in ("predict_proba", "decision_function"):
        found = getattr(piped, method)(X, condition=dear)
        np.testing.assert_array_equal(found, getattr(alone, method)(scaled, condition=dear))


# --- only what is needed -----------------------------------------------------------------------------


def test_only_the_classifiers_on_the_hull_are_trained_on_everything() -> None:
    X, y = scripted()
    model = columns("early", "late", "poor", cv=4).fit(X, y)
    assert list(model.estimators_) == ["early", "late"]
    assert {name: CALLED[f"fit {name}"] for name in ("early", "late", "poor")} == {
        "early": 5,  # four folds, and everything
        "late": 5,
        "poor": 4,
    }
    assert model.dominance_table_.absolute is None


@pytest.mark.parametrize(
    ("condition", "trained"),
    [
        (rh.ExpectedCost(cost_fn=(1.5, 4), prevalence=0.5), ["late"]),
        (rh.ExpectedCost(cost_fp=(1.5, 4), prevalence=0.5), ["early"]),
        (rh.ExpectedCost(cost_fp=(1, 3), cost_fn=(1, 3), prevalence=0.5), ["early", "late"]),
        (rh.Accuracy(0.3), ["early"]),
        (rh.Accuracy(0.9), ["late"]),
        (rh.NeymanPearson(0.2), ["early", "late"]),
        (rh.NeymanPearson((0, 0.4)), ["early", "late"]),
        (rh.MinimumRecall((0.1, 0.4)), ["early"]),
    ],
    ids=repr,
)
def test_a_range_needs_fewer_classifiers(condition: Any, trained: list[str]) -> None:
    X, y = scripted()
    model = columns("early", "late", "poor", condition=condition).fit(X, y)
    assert list(model.estimators_) == trained
    model.predict(X)


def test_only_the_classifiers_that_the_rule_needs_are_called() -> None:
    X, y = scripted()
    model = columns("early", "late", "poor").fit(X, y)
    for condition, called in (
        (rh.Accuracy(0.3), {"score early": 1}),
        (rh.Accuracy(0.7), {"score late": 1}),
    ):
        CALLED.clear()
        model.predict(X, condition=condition)
        assert dict(CALLED) == called
    CALLED.clear()
    model.predict(X, condition=rh.NeymanPearson(0.2), mixture=True, random_state=0)
    assert dict(CALLED) == {"score early": 1, "score late": 1}


def test_constant_rules_need_nobody() -> None:
    X, y = scripted()
    for at, condition, called in ((0, rh.Accuracy(0.9), 1), (1, rh.Accuracy(0.2), 0)):
        model = Rocch([("alone", Column(at, "alone"))], condition=condition).fit(X, y)
        assert model.estimators_ == {}
        CALLED.clear()
        assert model.predict(X[:5]).tolist() == [called] * 5
        assert not CALLED
        with pytest.raises(ValueError, match="X has 2 features, but RocchClassifier is expecting 3"):
            model.predict(X[:, :2])


def test_a_condition_beyond_the_range_names_who_is_missing() -> None:
    X, y = scripted()
    model = columns("early", "late", condition=rh.ExpectedCost(cost_fn=(2, 4), prevalence=0.5)).fit(X, y)
    message = (
        r"condition: Accuracy\(prevalence=0\.2\) needs 'early', but trained on all examples is only 'late' "
        r"\(for ExpectedCost\(.*cost_fn=\(2\.0, 4\.0\).*\), slopes 0\.25 to 0\.5\); fit with"
    )
    with pytest.raises(ValueError, match=message):
        model.predict(X, condition=rh.Accuracy(0.2))
    assert model.predict(X, condition=rh.Accuracy(0.8)).shape == (16,)
    limited = columns("early", "late", condition=rh.MinimumRecall(0.4)).fit(X, y)
    with pytest.raises(ValueError, match=r"needs 'late', .*only 'early' \(for MinimumRecall"):
        limited.decision_rule(rh.Accuracy(0.8))
    nobody = columns("early", condition=rh.ExpectedCost(cost_fp=0, prevalence=0.5)).fit(X, y)
    with pytest.raises(ValueError, match="is only none"):
        nobody.decision_rule(rh.Accuracy(0.3))


def test_of_equal_classifiers_one_that_is_trained_decides() -> None:
    X, y = scripted()
    twins = np.column_stack([X[:, 0], X[:, 1], X[:, 1] * 2])  # "late" and "copy" share every vertex
    model = columns("early", "late", "copy").fit(twins, y)
    assert list(model.estimators_) == ["early", "late", "copy"]
    model.estimators_.pop("late")
    wanted = model._wanted(model.hybrid_)
    assert wanted == ["early", "late", "copy"]
    model._wanted = lambda hybrid: ["early", "copy"]
    model._serve(model.hybrid_, model.estimators_)
    assert model.decision_rule(rh.Accuracy(0.8)).classifiers == ("copy",)


# --- imprecise conditions, mixtures ------------------------------------------------------------------


@pytest.mark.parametrize(
    "condition",
    [
        rh.ExpectedCost(cost_fp=(0.5, 2), cost_fn=(1, 3), prevalence=(0.3, 0.6)),
        rh.ExpectedCost(cost_fn=(0.1, 20), prevalence=0.5),
        rh.NeymanPearson((0.05, 0.3)),
        rh.MinimumRecall((0.4, 0.9)),
    ],
    ids=repr,
)
def test_an_imprecise_condition_is_decided_by_the_least_worst_regret(condition: Any) -> None:
    X, y = blobs(150)
    model = Rocch([("logistic", LogisticRegression()), ("tree", TREE)], condition=condition).fit(X, y)
    hull = model.hybrid_.hull
    point, mixed = model.decision_rule(), model.decision_rule(mixture=True)
    assert len(point.rules) == 1

    def lost(fpr: float, tpr: float) -> float:
        """The largest regret, corner by corner: infinite where a limit is broken."""
        worst = 0.0
        for corner in condition.corners():
            best = hull.at(corner)
            if isinstance(condition, rh.ExpectedCost):
                worst = max(worst, corner.cost(fpr, tpr) - best.expected_cost(corner))
            elif isinstance(condition, rh.NeymanPearson):
                worst = max(worst, best.tpr - tpr if fpr <= corner.max_fpr + 1e-12 else np.inf)
            else:
                worst = max(worst, fpr - best.fpr if tpr >= corner.min_tpr - 1e-12 else np.inf)
        return worst

    least = min(lost(*rates) for rates in zip(hull.fpr, hull.tpr, strict=True))
    if isinstance(condition, rh.ExpectedCost):
        assert lost(point.fpr, point.tpr) == pytest.approx(least)
    else:  # there a point of a raw curve can be better than every vertex
        assert lost(point.fpr, point.tpr) <= least + 1e-12
    assert lost(mixed.fpr, mixed.tpr) <= lost(point.fpr, point.tpr) + 1e-12
    np.testing.assert_array_equal(model.predict(X), model.predict(X, condition=condition))


def test_costs_with_a_distribution() -> None:
    X, y = blobs(150)
    costs = rh.ExpectedCost(cost_fn=(1, 9), prevalence=beta(20, 60))
    model = Rocch([("logistic", LogisticRegression()), ("tree", TREE)], condition=costs).fit(X, y)
    assert len(model.decision_rule().rules) == 1
    assert set(model.estimators_) >= set(model.decision_rule().classifiers)
    boundless = rh.ExpectedCost(cost_fp=lognorm(1), cost_fn=lognorm(1), prevalence=0.5)
    with pytest.raises(ValueError, match="every rule can lose without bound"):
        model.predict(X, condition=boundless)


def test_mixtures_only_when_asked_for() -> None:
    X, y = blobs(300)
    model = Rocch([("bayes", GaussianNB()), ("tree", TREE)]).fit(X, y)
    limit = rh.NeymanPearson(0.123)
    single, mixed = model.decision_rule(limit), model.decision_rule(limit, mixture=True)
    assert (len(single.rules), len(mixed.rules)) == (1, 2)
    assert mixed.fpr == pytest.approx(0.123)
    assert single.fpr <= 0.123
    assert single.tpr <= mixed.tpr
    keys = np.array([f"customer {i}" for i in range(300)])
    found = model.predict(X, condition=limit, mixture=True, key=keys)
    order = np.random.default_rng(0).permutation(300)
    np.testing.assert_array_equal(
        model.predict(X[order], condition=limit, mixture=True, key=keys[order]), found[order]
    )
    scores = {name: model.estimators_[name].predict_proba(X)[:, 1] for name in model.estimators_}
    np.testing.assert_array_equal(found == 1, model.hybrid_.policy().decide(scores, limit, key=keys))
    np.testing.assert_array_equal(
        model.predict(X, condition=limit, mixture=True, random_state=3),
        model.predict(X, condition=limit, mixture=True, random_state=np.random.default_rng(3)),
    )
    for how in ({"key": keys}, {"random_state": 0}):
        with pytest.raises(ValueError, match="key and random_state are of use with mixture=True only"):
            model.predict(X, condition=limit, **how)


def test_a_mixture_of_never_and_always_is_one() -> None:
    y = np.array([0, 1] * 20)
    model = columns("backwards").fit(-y[:, None].astype(float), y)
    limit, keys = rh.NeymanPearson(0.4), np.arange(500)
    assert model.decision_rule(limit, mixture=True).classifiers == ()
    found = model.predict(np.zeros((500, 1)), condition=limit, mixture=True, key=keys)
    assert found.tolist() == model.policy_.decide({"": keys}, limit, key=keys).astype(int).tolist()
    assert 0.3 < found.mean() < 0.5


def test_the_policy_decides_as_the_classifier() -> None:
    X, y = blobs(150)
    model = Rocch([("bayes", GaussianNB()), ("tree", TREE)]).fit(X, y)
    policy = rh.Policy.from_json(model.policy_.to_json())
    scores = {name: fitted.predict_proba(X)[:, 1] for name, fitted in model.estimators_.items()}
    for condition in CONDITIONS:
        vertex = policy.at(condition, deterministic=True)
        point = model.decision_rule(condition)
        assert condition.question.objective.merit(point.fpr, point.tpr) >= condition.question.objective.merit(
            vertex.fpr, vertex.tpr
        )
        called = policy.decide(scores, point)
        np.testing.assert_array_equal(called, model.predict(X, condition=condition) == 1)


@pytest.mark.long
def test_a_stated_confidence() -> None:
    X, y = blobs(600)
    condition = rh.NeymanPearson(0.2, confidence=0.9)
    inner = [("logistic", LogisticRegression()), ("tree", TREE)]
    model = Rocch(inner, condition=condition, cv=3).fit(X, y)
    assert model.decision_rule() == model.hybrid_.at(condition)
    assert model.decision_rule().fpr < Rocch(inner).fit(X, y).decision_rule(rh.NeymanPearson(0.2)).fpr
    assert set(model.estimators_) == set(model.decision_rule().classifiers)
    ranged = model.decision_rule(rh.NeymanPearson((0.2, 0.3), confidence=0.9))
    assert ranged == model.decision_rule()  # the strict end
    with pytest.raises(rh.InfeasibleConditionError, match="it takes at least"):
        model.decision_rule(rh.NeymanPearson(0.001, confidence=0.999))


# --- classifiers of other kinds -----------------------------------------------------------------------


def test_a_classifier_with_predict_only_is_a_point() -> None:
    X, y = blobs(150)
    model = Rocch([("called", Called(1)), ("tree", TREE)]).fit(X, y)
    positive = X[:, 1] > 0.5
    hull = model.hybrid_.hulls["called"]
    assert hull.fpr.tolist() == [0, np.mean(positive[y == 0]), 1]
    assert hull.tpr.tolist() == [0, np.mean(positive[y == 1]), 1]
    by_rates = rh.Hybrid().add("tree", y, model.out_of_fold_scores_["tree"])
    by_rates.add_point("called", hull.fpr[1], hull.tpr[1])
    np.testing.assert_array_equal(by_rates.hull.fp, model.hybrid_.hull.fp)
    np.testing.assert_array_equal(by_rates.hull.tp, model.hybrid_.hull.tp)
    alone = Rocch([("called", Called(1))]).fit(X, y)
    np.testing.assert_array_equal(alone.predict(X, condition=rh.Accuracy(0.5)), positive.astype(int))
    text = np.where(y == 1, "bad", "good")  # the positive label is the first
    named = Rocch([("called", Called(1))], pos_label="bad").fit(-X + 1, text)
    expected = np.where(X[:, 1] < 0.5, "good", "bad")
    np.testing.assert_array_equal(named.predict(-X + 1, condition=rh.Accuracy(0.5)), expected)


def test_a_classifier_whose_predictions_are_no_labels() -> None:
    class Strange(Called):
        def predict(self, X: Any) -> Any:
            return np.full(len(X), 7)

    X, y = blobs()
    with pytest.raises(ValueError, match="predict of Strange gives 7, but the classes are 0, 1"):
        Rocch([("strange", Strange())]).fit(X, y)


def test_response_methods() -> None:
    X, y = blobs()
    model = Rocch([("logistic", LogisticRegression())], response_method="predict_proba").fit(X, y)
    assert 0 < model.out_of_fold_scores_["logistic"].min() < model.out_of_fold_scores_["logistic"].max() < 1
    margin = Rocch([("perceptron", Perceptron(random_state=0)), ("svc", LinearSVC())]).fit(X, y)
    assert margin.out_of_fold_scores_["svc"].min() < 0
    with pytest.raises(ValueError, match="estimator: LinearSVC has no predict_proba"):
        Rocch([("svc", LinearSVC())], response_method="predict_proba").fit(X, y)
    with pytest.raises(ValueError, match="response_method must be 'auto', 'decision_function' or"):
        Rocch([("svc", LinearSVC())], response_method="predict").fit(X, y)


def test_frozen_classifiers_are_used_as_they_are() -> None:
    X, y = blobs()
    inner = LogisticRegression().fit(X[:60], y[:60])
    model = Rocch([("frozen", FrozenEstimator(inner)), ("tree", TREE)]).fit(
        X[60:], y[60:], sample_weight=np.ones(60)
    )
    np.testing.assert_array_equal(model.out_of_fold_scores_["frozen"], inner.decision_function(X[60:]))


def test_rates_are_shown_under_a_limit() -> None:
    """Whether a limit was kept on other examples can be read off, and costs say what they are."""
    X, y = blobs(300)
    X_new, y_new = blobs(270, 1)
    model = Rocch([("bayes", GaussianNB()), ("tree", TREE)], cv=3).fit(X, y)
    conditions = [rh.NeymanPearson(0.1), rh.MinimumRecall(0.8), COSTS[2], CONDITIONS[-1]]
    measures = ("miss rate", "false positive rate", "expected cost per case", "negative utility")
    found = model.evaluate(X_new, y_new, conditions)
    scores = {name: fitted.predict_proba(X_new)[:, 1] for name, fitted in model.estimators_.items()}
    for name, column in scores.items():
        for i, condition in enumerate(conditions):
            rule = model.hybrid_.hulls[name].at(condition, deterministic=True).rules[0][0]
            called = column >= rule.threshold
            assert found.alone_fpr[name][i] == np.mean(called[y_new == 0])
            assert found.alone_tpr[name][i] == np.mean(called[y_new == 1])
        assert found.alone[name][0] == 1 - found.alone_tpr[name][0]
        assert found.to_dict()[f"alone_fpr:{name}"] is found.alone_fpr[name]
    nested = rh.estimators.cross_validate_rocch(model, X, y, conditions, cv=3)
    folds = StratifiedKFold(3).split(X, y)
    for i, (train, test) in enumerate(folds):
        fold = clone(model).fit(X[train], y[train]).evaluate(X[test], y[test], conditions)
        np.testing.assert_array_equal(nested.fold_fpr[i], fold.fpr.estimate)
        np.testing.assert_array_equal(nested.fold_tpr[i], fold.tpr.estimate)
    np.testing.assert_allclose(nested.fpr, nested.fold_fpr.mean(axis=0))
    assert nested.to_dict()["tpr"].tolist() == nested.tpr.tolist()
    assert nested.to_dict()["alone_tpr:bayes"].tolist() == nested.alone_tpr["bayes"].tolist()
    for shown in (found, nested):
        assert shown.measures == tuple(shown.to_dict()["measure"]) == measures
        text = " ".join(str(shown).split())
        assert "NeymanPearson(max_fpr=0.1, confidence=None), cost: miss rate" in text
        assert max(map(len, str(shown).splitlines())) <= 80
    assert f" {nested.fpr[0]:.3f} {nested.tpr[0]:.3f} " in str(nested)
    assert f"({found.alone_fpr['bayes'][0]:.3f}, {found.alone_tpr['bayes'][0]:.3f}, limits " in str(found)


def test_limits_that_are_kept_on_other_examples_are_told() -> None:
    X, y = blobs(300)
    X_new, y_new = blobs(270, 1)
    model = Rocch([("bayes", GaussianNB()), ("tree", TREE)], cv=3).fit(X, y)
    limits = [rh.FalsePositiveRate() <= 0.3, rh.Precision(prevalence=0.3) >= 0.7]
    never = rh.MinimumPrecision(1 - 1e-9, 0.3)  # on new examples its rule may flag nothing
    conditions = [rh.NeymanPearson(0.1), rh.MinimumRecall(0.8), COSTS[2], rh.Within(COSTS[2], limits), never]

    def twin(fpr: float, tpr: float) -> list[float]:
        if np.isnan(fpr):  # a classifier that cannot meet it
            return [np.nan] * 5
        precision = 0.3 * tpr / (0.3 * tpr + 0.7 * fpr) if fpr or tpr else np.nan
        both = fpr <= 0.3 and precision >= 0.7
        return [fpr <= 0.1, tpr >= 0.8, np.nan, both, precision >= 1 - 1e-9]

    found = model.evaluate(X_new, y_new, conditions)
    wanted = [
        twin(*rates)[i] for i, rates in enumerate(zip(found.fpr.estimate, found.tpr.estimate, strict=True))
    ]
    np.testing.assert_array_equal(found.kept, wanted)
    np.testing.assert_array_equal(found.to_dict()["kept"], wanted)
    assert 0 in wanted
    assert 1 in wanted
    nested = rh.estimators.cross_validate_rocch(model, X, y, conditions, cv=3)
    for folds, kept in (
        ((nested.fold_fpr, nested.fold_tpr), nested.kept),
        ((nested.fold_alone_fpr["tree"], nested.fold_alone_tpr["tree"]), nested.alone_kept["tree"]),
    ):
        each = [
            [twin(x, y)[i] for i, (x, y) in enumerate(zip(*row, strict=True))]
            for row in zip(*folds, strict=True)
        ]
        np.testing.assert_allclose(kept, np.mean(each, axis=0))
    np.testing.assert_array_equal(nested.to_dict()["alone_kept:tree"], nested.alone_kept["tree"])
    for shown, words in (
        (found, ["limits kept", "limits broken"]),
        (nested, ["limits kept in 2 of 3 folds"]),
    ):
        text = " ".join(str(shown).split())
        assert all(word in text for word in words), text
        assert max(map(len, str(shown).splitlines())) <= 80


def test_the_training_rows_are_not_held_out() -> None:
    X, y = blobs()
    model = Rocch([("tree", TREE)]).fit(X, y)
    with pytest.warns(UserWarning, match="X and y are those of fit: .* nothing is held out"):
        model.evaluate(X, y, COSTS[0])
    model.evaluate(X[:-1], y[:-1], COSTS[0])  # another number of rows: others
    model.evaluate(X + 1, y, COSTS[0])  # the same labels by chance


# --- which class is positive -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [
        (("ok", "fraud"), "fraud"),
        (("a", "b"), "b"),
        ((False, True), None),
        ((-1, 1), None),
        ((2, 1), 1),
        ((0.0, 1.0), None),
    ],
)
def test_the_positive_label(labels: Any, pos_label: Any) -> None:
    X, y = blobs()
    expected = Rocch([("tree", TREE), ("bayes", GaussianNB())]).fit(X, y)
    text = np.array(labels)[y]
    model = Rocch([("tree", TREE), ("bayes", GaussianNB())], pos_label=pos_label).fit(X, text)
    assert model.pos_label_ == labels[1]
    assert model.classes_.tolist() == sorted(labels)
    for condition in (None, *CONDITIONS):
        found = model.predict(X, condition=condition)
        assert found.dtype == text.dtype
        np.testing.assert_array_equal(found == labels[1], expected.predict(X, condition=condition) == 1)


def test_of_other_labels_the_second_is_positive_and_said_to_be() -> None:
    X, y = blobs()
    text = np.where(y == 1, "fraud", "legit")
    with pytest.warns(UserWarning, match="pos_label is not given, so 'legit' is the positive class"):
        model = Rocch([("tree", TREE)]).fit(X, text)
    assert model.pos_label_ == "legit"
    assert model.hybrid_.prevalence == pytest.approx(np.mean(text == "legit"))
    same = Rocch([("tree", TREE)], pos_label="legit").fit(X, text)
    dear = rh.ExpectedCost(cost_fn=0.4, prevalence=0.5)
    np.testing.assert_array_equal(model.predict(X, condition=dear), same.predict(X, condition=dear))
    assert model.decision_rule(dear) == same.decision_rule(dear)
    other = Rocch([("tree", TREE)], pos_label="fraud").fit(X, text)
    assert other.decision_rule(dear) != same.decision_rule(dear)


def test_fewer_examples_than_folds() -> None:
    X, y = blobs()
    few = np.append(np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:3])
    with pytest.warns(
        UserWarning, match="in 5 folds needs 5 examples of each class, but one class has 3: 3 folds"
    ):
        model = Rocch([("tree", TREE)]).fit(X[few], y[few])
    assert len(model.splits_) == 3
    with pytest.raises(ValueError, match="in 5 folds needs 5 examples of each class, but one class"):
        Rocch([("tree", TREE)]).fit(X[few[:-2]], y[few[:-2]])


LIMITS = [
    rh.NeymanPearson(0.07),
    rh.MinimumRecall(0.8),
    rh.Capacity(fraction=0.3, prevalence=0.3),
    rh.MinimumPrecision(0.6),  # of the data: at another prevalence 600 examples are too few for an assurance
]


@pytest.mark.parametrize("condition", LIMITS, ids=repr)
def test_a_limit_is_used_as_well_as_any_member_can(condition: Any) -> None:
    """The single threshold is one of the raw curves: never worse than a member's, or than the assured one."""
    X, y = blobs(600, 3, 0.6)
    forked = DecisionTreeClassifier(min_samples_leaf=10, random_state=0)
    inner = [("bayes", GaussianNB()), ("logistic", LogisticRegression()), ("tree", forked)]
    free, ready = Rocch(inner).fit(X, y), Rocch(inner, condition=condition).fit(X, y)
    better = 0
    for model in (free, ready):
        point = model.decision_rule(condition)
        assert len(point.rules) == 1
        own = set(model.estimators_)
        merit = condition.question.objective.merit(point.fpr, point.tpr)
        for name, scores in model.out_of_fold_scores_.items():
            alone = rh.RocHull.from_curve(rh.roc_curve(y, scores)).at(condition, deterministic=True)
            if name in own or model is ready:
                assert merit >= condition.question.objective.merit(alone.fpr, alone.tpr)
        vertex = replace(model.policy_.hull, curves={}).at(condition, deterministic=True)
        better += merit > condition.question.objective.merit(vertex.fpr, vertex.tpr)
    assert better  # the vertices alone were not enough
    if isinstance(condition, (rh.NeymanPearson, rh.MinimumRecall)):
        assured = free.hybrid_.at(replace(condition, confidence=0.9))
        plain = free.decision_rule(condition)
        assert condition.question.objective.merit(plain.fpr, plain.tpr) >= condition.question.objective.merit(
            assured.fpr, assured.tpr
        )


def test_bad_labels() -> None:
    assert_refuses_bad_labels(partial(Rocch, [("tree", TREE)]))


# --- weights -------------------------------------------------------------------------------------------


def repeated(splits: list[tuple[Array, Array]], counts: Array) -> tuple[Array, list[tuple[Array, Array]]]:
    """Rows, each as often as it counts, and the same folds of them."""
    rows = np.repeat(np.arange(counts.size), counts)
    return rows, [tuple(np.flatnonzero(np.isin(rows, part)) for part in split) for split in splits]


@pytest.mark.filterwarnings("ignore:X and y are those of fit")
@given(st.integers(0, 2**32))
@tries(10)
def test_a_whole_weight_is_so_many_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = blobs(90, seed)
    counts = rng.integers(0, 5, 90)
    splits = list(StratifiedKFold(3).split(X, y))
    rows, same = repeated(splits, counts)
    inner = [
        ("tree", DecisionTreeClassifier(max_depth=3, random_state=0)),
        ("stump", DecisionTreeClassifier(max_depth=1, random_state=0)),
    ]
    weighted = Rocch(inner, cv=splits).fit(X, y, sample_weight=counts)
    plain = Rocch(inner, cv=same).fit(X[rows], y[rows])
    assert weighted.condition_ == plain.condition_
    assert weighted.hybrid_.hull.fpr.tolist() == plain.hybrid_.hull.fpr.tolist()
    assert weighted.hybrid_.hull.tpr.tolist() == plain.hybrid_.hull.tpr.tolist()
    assert weighted.hybrid_.hull.owners == plain.hybrid_.hull.owners
    for condition in (None, *CONDITIONS[:-2]):
        np.testing.assert_array_equal(
            weighted.predict(X, condition=condition), plain.predict(X, condition=condition)
        )
    found = weighted.evaluate(X, y, CONDITIONS[:-2], sample_weight=counts)
    expected = plain.evaluate(X[rows], y[rows], CONDITIONS[:-2])
    np.testing.assert_allclose(found.cost.estimate, expected.cost.estimate, rtol=1e-12, atol=1e-15)
    assert np.isnan(found.cost.low).all()
    assert not np.isnan(expected.cost.low).any()


def test_weights_as_costs_of_examples() -> None:
    # Two groups, one with large amounts, in which the features are reversed: where amounts count, the
    # rule that is right about the large ones has to win.
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 600)
    large = np.arange(600) % 4 == 0
    small_knows = np.where(large, rng.normal(size=600), y + rng.normal(size=600) / 4)
    large_knows = np.where(large, y + rng.normal(size=600) / 4, rng.normal(size=600))
    X = np.column_stack([small_knows, large_knows])
    amount = np.where(large, 100.0, 1.0)
    by_count, by_amount = columns("small", "large").fit(X, y), columns("small", "large")
    by_amount.fit(X, y, sample_weight=amount)
    assert by_count.decision_rule().classifiers == ("small",)
    assert by_amount.decision_rule().classifiers == ("large",)
    lost = [amount[model.predict(X) != y].sum() for model in (by_count, by_amount)]
    assert lost[1] < lost[0] / 10


def test_classifiers_that_take_no_weights_are_named() -> None:
    X, y = blobs()
    weights = np.linspace(1, 2, 120)
    inner = [("near", KNeighborsClassifier()), ("tree", TREE), ("called", Called())]
    with pytest.warns(UserWarning, match="sample_weight: the fit of near, called takes none, so") as told:
        model = Rocch(inner).fit(X, y, sample_weight=weights)
    assert told[0].filename == __file__
    hull = rh.roc_hull(y, model.out_of_fold_scores_["near"], sample_weight=weights)
    np.testing.assert_array_equal(hull.fpr, model.hybrid_.hulls["near"].fpr)
    with pytest.warns(UserWarning, match="the fit of again takes none"):
        model.add_estimator("again", KNeighborsClassifier(9), X, y, sample_weight=weights)


def test_bad_weights() -> None:
    assert_refuses_bad_weights(Rocch([("tree", TREE)]).fit)


# --- keywords ------------------------------------------------------------------------------------------


def test_groups_go_to_the_splitter() -> None:
    X, y = blobs()
    groups = np.repeat(np.arange(40), 3)
    model = Rocch([("tree", TREE)], cv=GroupKFold(4)).fit(X, y, groups=groups)
    for train, test in model.splits_:
        assert not set(groups[train]) & set(groups[test])
    with pytest.raises(ValueError, match="groups: nothing takes them with cv=5; cv can be a splitter"):
        Rocch([("tree", TREE)]).fit(X, y, groups=groups)
    with pytest.raises(ValueError, match="marks: only sample_weight and groups are passed on without"):
        columns("a").fit(X, y, marks=groups)


@pytest.mark.usefixtures("routing")
def test_routing_of_fit() -> None:
    X, y = blobs()
    weights, marks, groups = np.arange(1.0, 121), np.arange(120), np.repeat(np.arange(40), 3)
    model = columns("a", cv=GroupKFold(4))
    model.set_params(a=Column(0, "a").set_fit_request(sample_weight=False, marks=True))
    model.fit(X, y, sample_weight=weights, marks=marks, groups=groups)
    assert [len(given["marks"]) for given in GIVEN] == [90] * 4 + [120]
    assert all(given["sample_weight"] is None for given in GIVEN)
    assert model.hybrid_.prevalence == pytest.approx(weights[y == 1].sum() / weights.sum())
    GIVEN.clear()
    model.set_params(a=Column(0, "a").set_fit_request(sample_weight="costs", marks=False))
    model.fit(X, y, costs=weights, groups=groups)
    assert GIVEN[-1]["sample_weight"].tolist() == weights.tolist()
    assert model.hybrid_.prevalence == pytest.approx(1 / 3)  # the hull was not asked to use them
    GIVEN.clear()
    model.set_params(a=Column(0, "a").set_fit_request(sample_weight=True))
    model.set_fit_request(sample_weight=False).fit(X, y, sample_weight=weights, groups=groups)
    assert GIVEN[-1]["sample_weight"].tolist() == weights.tolist()
    assert model.hybrid_.prevalence == pytest.approx(1 / 3)
    model.add_estimator("b", Column(1, "b").set_fit_request(sample_weight=True), X, y, sample_weight=weights)
    assert GIVEN[-1]["sample_weight"] is not None


@pytest.mark.usefixtures("routing")
def test_keywords_without_a_request_are_refused() -> None:
    X, y = blobs()
    with pytest.raises(ValueError, match=r"sample_weight.* not explicitly set as requested or not"):
        columns("a").fit(X, y, sample_weight=np.ones(120))
    with pytest.raises(TypeError, match="marks"):
        Rocch([("bayes", GaussianNB())]).fit(X, y, marks=np.ones(120))
    with pytest.raises(TypeError, match="groups"):
        Rocch([("bayes", GaussianNB())]).fit(X, y, groups=np.ones(120))


@pytest.mark.usefixtures("routing")
def test_a_condition_goes_through_a_pipeline() -> None:
    X, y = blobs()
    inner = [("bayes", GaussianNB()), ("tree", TREE)]
    pipeline = make_pipeline(StandardScaler(), Rocch(inner).set_predict_request(condition=True)).fit(X, y)
    alone = Rocch(inner).fit(StandardScaler().fit_transform(X), y)
    for condition in COSTS:
        expected = alone.predict(StandardScaler().fit_transform(X), condition=condition)
        np.testing.assert_array_equal(pipeline.predict(X, condition=condition), expected)
    unset = make_pipeline(StandardScaler(), Rocch(inner)).fit(X, y)
    with pytest.raises(ValueError, match=r"condition.* not explicitly set as requested or not"):
        unset.predict(X, condition=COSTS[0])
    asked = Rocch(inner).set_predict_request(condition=True, mixture=True, key=True)
    found = (
        make_pipeline(asked)
        .fit(X, y)
        .predict(X, condition=rh.NeymanPearson(0.1), mixture=True, key=np.arange(120))
    )
    expected = (
        Rocch(inner).fit(X, y).predict(X, condition=rh.NeymanPearson(0.1), mixture=True, key=np.arange(120))
    )
    np.testing.assert_array_equal(found, expected)


def test_a_pipeline_without_routing() -> None:
    X, y = blobs()
    pipeline = make_pipeline(StandardScaler(), Rocch([("bayes", GaussianNB())])).fit(X, y)
    scaled = StandardScaler().fit_transform(X)
    alone = Rocch([("bayes", GaussianNB())]).fit(scaled, y)
    for condition in COSTS:
        expected = alone.predict(scaled, condition=condition)
        np.testing.assert_array_equal(pipeline.predict(X, condition=condition), expected)


@pytest.mark.usefixtures("routing")
def test_conditions_weights_and_groups_through_searches() -> None:
    X, y = blobs()
    weights, groups = np.arange(1.0, 121), np.repeat(np.arange(40), 3)
    costs = rh.ExpectedCost(cost_fn=9, prevalence=0.1)
    inner = [("tree", clone(TREE).set_fit_request(sample_weight=True))]
    model = Rocch(inner, cv=StratifiedGroupKFold(3))
    model.set_score_request(condition=True, sample_weight=True)
    outer = StratifiedGroupKFold(3)
    given = {"condition": costs, "sample_weight": weights, "groups": groups}
    found = cross_validate(model, X, y, cv=outer, params=given, error_score="raise")["test_score"]
    expected = []
    for train, test in outer.split(X, y, groups):
        fitted = clone(model).fit(X[train], y[train], sample_weight=weights[train], groups=groups[train])
        judged = fitted.evaluate(X[test], y[test], costs, sample_weight=weights[test])
        expected.append(-judged.cost.estimate[0])
    np.testing.assert_allclose(found, expected)
    search = GridSearchCV(model, {"tree__max_depth": [1, 3]}, cv=outer, error_score="raise")
    search.fit(X, y, **given)
    np.testing.assert_allclose(search.cv_results_["mean_test_score"][1], np.mean(expected))


def test_score_by_expected_cost() -> None:
    X, y = blobs()
    model = Rocch([("tree", TREE)]).fit(X, y)
    costs = rh.ExpectedCost(cost_fn=7, prevalence=0.2)
    called = model.predict(X, condition=costs) == 1
    expected = 0.8 * np.mean(called[y == 0]) + 0.2 * 7 * np.mean(~called[y == 1])
    assert model.score(X, y, condition=costs) == pytest.approx(-expected)
    with pytest.raises(ValueError, match="condition must be an ExpectedCost to score by, but is Neyman"):
        model.score(X, y, condition=rh.NeymanPearson(0.1))
    with pytest.raises(rh.ImpreciseConditionError):
        model.score(X, y, condition=rh.Accuracy((0.1, 0.2)))


# --- one more ------------------------------------------------------------------------------------------


def test_a_dominated_newcomer_changes_nothing() -> None:
    X, y = scripted()
    model = columns("early", "late").fit(X, y)
    hybrid, hull, trained = model.hybrid_, model.hybrid_.hull, dict(model.estimators_)
    CALLED.clear()
    given = model.estimators
    assert model.add_estimator("poor", Column(2, "poor"), X, y) is model
    assert dict(CALLED) == {"fit poor": 5, "score poor": 5}  # in the folds only
    assert model.hybrid_.hull.owners == hull.owners
    assert list(model.hybrid_.hulls) == ["early", "late", "poor"]
    assert list(hybrid.hulls) == ["early", "late"]  # who holds the old one keeps it
    assert model.estimators_ == trained
    assert [name for name, _ in model.estimators] == ["early", "late", "poor"]
    assert len(given) == 2


def test_a_newcomer_displaces_others() -> None:
    X, y = scripted()
    X = np.column_stack([X, np.where(X[:, 0] > 12, 20, X[:, 1])])  # as good as both
    model = columns("early", "late").fit(X, y)
    late = model.estimators_["late"]
    CALLED.clear()
    model.add_estimator("both", Column(3, "both"), X, y)
    assert CALLED["fit both"] == 6
    assert CALLED["fit early"] == CALLED["fit late"] == 0
    assert model.estimators_["late"] is late  # it shares vertices
    whole = columns("early", "late", "skip", "both").set_params(skip="drop").fit(X, y)
    assert str(model.dominance_table_) == str(whole.dominance_table_)
    assert list(model.estimators_) == list(whole.estimators_)
    for condition in CONDITIONS:
        assert model.decision_rule(condition) == whole.decision_rule(condition)
    perfect = np.column_stack([X, y])
    model.n_features_in_ = 5
    model.add_estimator("perfect", Column(4, "perfect"), perfect, y)
    assert list(model.estimators_) == ["perfect"]  # the others are dropped
    assert list(clone(model).fit(perfect, y).hybrid_.hulls) == ["early", "late", "both", "perfect"]


@given(st.integers(0, 2**31))
@tries(6)
def test_adding_is_as_fitting_together(seed: int) -> None:
    X, y = blobs(90, seed)
    cv = StratifiedKFold(3, shuffle=True, random_state=seed)  # the splits of fit are kept
    condition = [None, rh.ExpectedCost(cost_fn=(0.5, 3), prevalence=0.5), rh.NeymanPearson((0.1, 0.3))][
        seed % 3
    ]
    inner = [("tree", TREE), ("bayes", GaussianNB()), ("near", KNeighborsClassifier())]
    together = Rocch(inner, condition, cv).fit(X, y)
    model = Rocch(inner[:1], condition, cv).fit(X, y)
    for name, template in inner[1:]:
        model.add_estimator(name, template, X, y)
    assert list(model.estimators_) == list(together.estimators_)
    for name, scores in together.out_of_fold_scores_.items():
        np.testing.assert_array_equal(model.out_of_fold_scores_[name], scores)
    np.testing.assert_array_equal(model.predict(X), together.predict(X))


def test_a_newcomer_needs_the_rows_of_fit() -> None:
    X, y = blobs()
    weights = np.linspace(1, 2, 120)
    plain, weighted = (Rocch([("tree", TREE)]).fit(X, y, sample_weight=w) for w in (None, weights))
    add = plain.add_estimator
    message = (
        "^X, y or sample_weight is not that of fit: classifiers of one hybrid must be scored on the same"
    )
    for wrong in (
        lambda: add("bayes", GaussianNB(), X[:-3], y[:-3]),
        lambda: add("bayes", GaussianNB(), X, np.roll(y, 1)),
        lambda: add("bayes", GaussianNB(), X, y, sample_weight=weights),
        lambda: weighted.add_estimator("bayes", GaussianNB(), X, y),
        lambda: weighted.add_estimator("bayes", GaussianNB(), X, y, sample_weight=weights[::-1]),
    ):
        with pytest.raises(ValueError, match=message):
            wrong()
    with pytest.raises(ValueError, match=r"name 'tree' is taken: a classifier can be added once\."):
        add("tree", GaussianNB(), X, y)
    with pytest.raises(ValueError, match="conflict with constructor arguments"):
        add("cv", GaussianNB(), X, y)
    with pytest.raises(ValueError, match="X has 2 features, but RocchClassifier is expecting 3"):
        add("bayes", GaussianNB(), X[:, :2], y)
    assert [name for name, _ in plain.estimators] == ["tree"]
    assert list(plain.hybrid_.hulls) == ["tree"]
    with pytest.raises(NotFittedError):
        Rocch([("tree", TREE)]).add_estimator("bayes", GaussianNB(), X, y)


# --- honest estimates ------------------------------------------------------------------------------------


def test_evaluation_by_hand() -> None:
    X, y = blobs(300)
    train, test = slice(0, 180), slice(180, 300)
    model = Rocch([("bayes", GaussianNB()), ("tree", TREE)]).fit(X[train], y[train])
    found = model.evaluate(X[test], y[test], CONDITIONS)
    assert (found.n_pos, found.n_neg) == (40, 80)
    for i, condition in enumerate(CONDITIONS):
        point = model.decision_rule(condition)
        assert found.points[i] == point
        called = model.predict(X[test], condition=condition) == 1
        fpr, tpr = called[y[test] == 0].mean(), called[y[test] == 1].mean()
        assert (found.fpr.estimate[i], found.tpr.estimate[i]) == (fpr, tpr)
        assert (found.in_sample_fpr[i], found.in_sample_tpr[i]) == (point.fpr, point.tpr)
        wilson = rh.rate_interval(called[y[test] == 0].sum(), 80, "wilson")
        assert (found.fpr.low[i], found.fpr.high[i]) == (wilson.low, wilson.high)
        for name, costs in found.alone.items():
            try:
                single = model.hybrid_.hulls[name].at(condition, deterministic=True)
            except rh.InfeasibleConditionError:
                assert np.isnan(costs[i])
                continue
            rule = single.rules[0][0]
            scores = model.estimators_[name].predict_proba(X[test])[:, 1]
            passed = scores >= {"never": np.inf, "always": -np.inf}.get(rule.kind, rule.threshold)
            own = passed[y[test] == 0].mean(), passed[y[test] == 1].mean()
            if isinstance(condition, rh.ExpectedCost):
                assert costs[i] == pytest.approx(condition.cost(*own))
        if isinstance(condition, rh.ExpectedCost):
            assert found.cost.estimate[i] == pytest.approx(condition.cost(fpr, tpr))
            assert found.in_sample_cost[i] == pytest.approx(point.expected_cost(condition))
    limits = {type(c).__name__: i for i, c in enumerate(CONDITIONS)}
    recall, limit, utility = (limits[name] for name in ("MinimumRecall", "NeymanPearson", "Utility"))
    assert found.cost.estimate[recall] == found.fpr.estimate[recall]
    assert found.cost.low[limit] == 1 - found.tpr.high[limit]
    assert found.cost.estimate[utility] == found.fpr.estimate[utility] - found.tpr.estimate[utility]
    assert np.isnan(found.cost.low[utility])
    np.testing.assert_allclose(found.optimism, found.cost.estimate - found.in_sample_cost)


@pytest.mark.filterwarnings("ignore:X and y are those of fit")
def test_a_classifier_that_cannot_meet_a_limit_alone() -> None:
    X, y = scripted()
    X[:, 1] = np.where(y == 1, np.minimum(X[:, 1], 8), X[:, 1])  # the four best of "late" are negative
    model = columns("early", "late").fit(X, y)
    found = model.evaluate(X, y, [rh.MinimumPrecision(0.9, 0.5), rh.Accuracy(0.5)])
    assert np.isnan(found.alone["late"]).tolist() == [True, False]
    assert not np.isnan(found.alone["early"]).any()
    assert "late: cannot meet it, 0.25" in str(found)
    nested = rh.estimators.cross_validate_rocch(
        columns("early", "late", cv=2), X, y, [rh.MinimumPrecision(0.9, 0.5)], cv=2
    )
    assert nested.best_alone == ("early",)


def test_the_evaluation_as_text_and_as_a_table() -> None:
    X, y = blobs(300)
    model = Rocch([("bayes", GaussianNB()), ("a tree with a long name", TREE)]).fit(X[:150], y[:150])
    found = model.evaluate(X[150:], y[150:], CONDITIONS)
    text = str(found)
    assert max(map(len, text.splitlines())) <= 80
    assert "Held-out evaluation: 50 positives, 100 negatives" in text
    assert "in-sample" in text
    frame = pd.DataFrame(found.to_dict())
    assert len(frame) == len(CONDITIONS)
    assert frame.loc[2, "condition"] == repr(CONDITIONS[2])
    shown = " ".join(text.split())
    assert rules_in_words(found.points[2]) in shown  # with six digits; the table has them all
    assert frame.loc[2, "rule"] == str(found.points[2]).split(": ", 1)[1]
    np.testing.assert_array_equal(frame["cost"], found.cost.estimate)
    np.testing.assert_array_equal(frame["alone:bayes"], found.alone["bayes"])
    weighted = model.evaluate(X[150:], y[150:], COSTS[0], sample_weight=np.ones(150))
    assert " to " not in str(weighted)
    assert weighted.cost.estimate == pytest.approx(model.evaluate(X[150:], y[150:], COSTS[0]).cost.estimate)


@pytest.mark.long
def test_a_hull_of_noise_is_optimistic() -> None:
    # Sixty columns of noise: on the rows that choose the rule the best of them looks better than a
    # constant rule, and on others it is not.
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 100)
    X = rng.normal(size=(200, 60))
    model = Rocch([(f"noise {j}", Column(j)) for j in range(60)]).fit(X, y)
    even = rh.Accuracy(0.5)
    found = model.evaluate(rng.normal(size=(4000, 60)), np.tile([0, 1], 2000), even)
    assert found.in_sample_cost[0] < 0.42
    assert found.cost.estimate[0] == pytest.approx(0.5, abs=0.03)
    assert found.optimism[0] > 0.06
    nested = rh.estimators.cross_validate_rocch(
        Rocch([(f"noise {j}", Column(j)) for j in range(60)]), X, y, even
    )
    assert nested.optimism[0] > 0.06
    assert abs(nested.cost[0] - 0.5) < 4 * nested.cost_error[0]


@pytest.mark.long
def test_the_intervals_of_costs_cover() -> None:
    rng = np.random.default_rng(5)
    X, y = blobs(240, 1)
    model = Rocch([("bayes", GaussianNB())]).fit(X, y)
    condition = rh.ExpectedCost(cost_fn=4, prevalence=0.3)
    X_all, y_all = blobs(60_000, 2)
    truth = model.evaluate(X_all, y_all, condition).cost.estimate[0]
    covered = 0
    for _ in range(300):
        drawn = rng.integers(0, y_all.size, 150)
        found = model.evaluate(X_all[drawn], y_all[drawn], condition).cost
        covered += found.low[0] <= truth <= found.high[0]
    assert 0.91 <= covered / 300 <= 0.99  # nominally 0.95, with an error of 0.013


def test_nested_cross_validation_by_hand() -> None:
    X, y = blobs(150)
    weights = np.linspace(1, 3, 150)
    inner = [("bayes", GaussianNB()), ("tree", TREE), ("stump", DecisionTreeClassifier(max_depth=1))]
    model = Rocch(inner, cv=3)
    for weight in (None, weights):
        found = rh.estimators.cross_validate_rocch(model, X, y, COSTS, cv=4, sample_weight=weight)
        costs, alone = [], {name: [] for name, _ in inner}
        for train, test in StratifiedKFold(4).split(X, y):
            part = {} if weight is None else {"sample_weight": weight[train]}
            fitted = clone(model).fit(X[train], y[train], **part)
            tested = None if weight is None else weight[test]
            costs.append([-fitted.score(X[test], y[test], tested, condition=c) for c in COSTS])
            for name, template in inner:
                trained = clone(template).fit(X[train], y[train], **part)
                scores = trained.predict_proba(X[test])[:, 1]
                row = []
                for condition in COSTS:
                    rule = fitted.hybrid_.hulls[name].at(condition).rules[0][0]
                    called = scores >= {"never": np.inf, "always": -np.inf}.get(rule.kind, rule.threshold)
                    w = np.ones(test.size) if tested is None else tested
                    rates = [np.average(called[y[test] == k], weights=w[y[test] == k]) for k in (0, 1)]
                    row.append(condition.cost(*rates))
                alone[name].append(row)
        np.testing.assert_allclose(found.fold_cost, costs, rtol=1e-12)
        np.testing.assert_allclose(found.cost_error, np.std(costs, axis=0, ddof=1) / 2, rtol=1e-9, atol=1e-15)
        for name, rows in alone.items():
            np.testing.assert_allclose(found.fold_alone[name], rows, rtol=1e-12)
            apart = np.array(costs) - rows
            np.testing.assert_allclose(found.difference[name], apart.mean(axis=0), atol=1e-12)
            np.testing.assert_allclose(
                found.difference_error[name], np.std(apart, axis=0, ddof=1) / 2, atol=1e-12
            )
        best = [min(alone, key=lambda name, i=i: np.mean(alone[name], axis=0)[i]) for i in range(len(COSTS))]
        assert [found.alone[name][i] for i, name in enumerate(found.best_alone)] == pytest.approx(
            [found.alone[name][i] for i, name in enumerate(best)]
        )
    assert not hasattr(model, "hybrid_")
    text = str(found)
    assert max(map(len, text.splitlines())) <= 80
    assert "4 outer folds" in text
    assert len(pd.DataFrame(found.to_dict())) == len(COSTS)


def test_nested_cross_validation_with_groups_and_jobs() -> None:
    X, y = blobs()
    groups = np.repeat(np.arange(40), 3)
    conditions = [rh.Accuracy(0.3), rh.MinimumPrecision(0.9, 0.3)]
    for inner in (3, StratifiedGroupKFold(3), StratifiedKFold(3)):
        model = Rocch([("bayes", GaussianNB()), ("tree", TREE)], cv=inner)
        found = rh.estimators.cross_validate_rocch(
            model, X, y, conditions[:1], cv=StratifiedGroupKFold(3), groups=groups
        )
        assert found.fold_cost.shape == (3, 1)
    with parallel_config(backend="threading"):
        again = rh.estimators.cross_validate_rocch(
            model, X, y, conditions[:1], cv=StratifiedGroupKFold(3), groups=groups, n_jobs=2
        )
    np.testing.assert_array_equal(again.fold_cost, found.fold_cost)
    with pytest.raises(ValueError, match="groups: nothing takes them with cv=3"):
        rh.estimators.cross_validate_rocch(model, X, y, conditions, cv=3, groups=groups)
    with pytest.raises(ValueError, match="cv must make at least two splits, but makes 1"):
        rh.estimators.cross_validate_rocch(model, X, y, conditions, cv=ShuffleSplit(1, random_state=0))
    ordered = np.argsort(y, kind="stable")
    splits = [(ordered[20:], ordered[:20]), (ordered[:100], ordered[100:])]
    with pytest.raises(ValueError, match="cv: the test part of fold 0 holds one class only"):
        rh.estimators.cross_validate_rocch(model, X, y, conditions, cv=splits)
    with pytest.raises(ValueError, match="classifier must be a RocchClassifier, but is GaussianNB"):
        rh.estimators.cross_validate_rocch(GaussianNB(), X, y, conditions)


# --- bad input -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimators", "message"),
    [
        ([], "estimators must be a list of (name, estimator) with at least one, but is []"),
        ({"a": GaussianNB()}, "estimators must be a list of (name, estimator)"),
        ([GaussianNB()], "estimators must hold pairs (name, estimator), but one is GaussianNB()"),
        ([(1, GaussianNB())], "estimators must hold pairs (name, estimator), but one is (1,"),
        ([("", GaussianNB())], "estimators: a name must not be empty"),
        ([("a", "drop")], "estimators: all of them are dropped"),
        ([("a", GaussianNB)], "estimators: 'a' must be a classifier, but is <class"),
        ([("a", 3)], "estimators: 'a' must be a classifier, but is 3"),
        ([("a", GaussianNB()), ("a", GaussianNB())], "Names provided are not unique: ['a', 'a']"),
        ([("cv", GaussianNB())], "Estimator names conflict with constructor arguments: ['cv']"),
        ([("a__b", GaussianNB())], "Estimator names must not contain __: got ['a__b']"),
    ],
)
def test_bad_estimators(estimators: Any, message: str) -> None:
    with pytest.raises(ValueError, match=r".*") as raised:
        Rocch(estimators).fit(*blobs())
    assert message in str(raised.value)
    get_tags(Rocch(estimators))  # the error waits for `fit`


@pytest.mark.filterwarnings("ignore:X and y are those of fit")
def test_other_bad_input() -> None:
    X, y = blobs()
    model = Rocch([("tree", TREE)]).fit(X, y)
    with pytest.raises(ValueError, match=r"condition must be an operating condition, but is 0\.3"):
        Rocch([("tree", TREE)], condition=0.3).fit(X, y)
    with pytest.raises(ValueError, match=r"condition must be an operating condition, but is 0\.3"):
        model.predict(X, condition=0.3)
    with pytest.raises(
        ValueError, match="cv must be a number of folds, a splitter or its splits, but is 'pre"
    ):
        Rocch([("tree", TREE)], cv="prefit").fit(X, y)
    with pytest.raises(ValueError, match="in 41 folds needs 41 examples of each class, but one"):
        Rocch([("tree", TREE)], cv=41).fit(X[y == 0], np.arange(80) == 7)
    ordered = np.argsort(y, kind="stable")
    with pytest.raises(ValueError, match="cv: the test parts hold one class only"):
        Rocch([("tree", TREE)], cv=[(ordered[20:], ordered[:20])]).fit(X, y)
    for conditions, message in (
        ([], "conditions is empty"),
        ([0.3], "conditions must hold operating conditions, but one is 0.3"),
        ([rh.Accuracy((0.1, 0.2))], "prevalence=.* is an interval"),
    ):
        with pytest.raises(ValueError, match=message):
            model.evaluate(X, y, conditions)
    with pytest.raises(ValueError, match="y holds 2, but the classes are 0, 1"):
        model.evaluate(X, y + 1, COSTS)
    with pytest.raises(ValueError, match="y has one class only: all 40 labels are 1"):
        model.evaluate(X[y == 1], y[y == 1], COSTS)
    with pytest.raises(ValueError, match="X and y must have the same length, but have 119 and 120"):
        model.evaluate(X[:-1], y, COSTS)
    with pytest.raises(ValueError, match="sample_weight: the positive class has zero total weight"):
        model.evaluate(X, y, COSTS, sample_weight=1.0 - y)
    with pytest.raises(rh.InfeasibleConditionError):
        model.predict(X, condition=rh.MinimumPrecision(1, 1e-9))


@pytest.mark.parametrize("method", ["predict", "decision_rule", "evaluate", "score"])
def test_unfitted(method: str) -> None:
    given = {"predict": 1, "decision_rule": 0, "evaluate": 3, "score": 2}[method]
    with pytest.raises(NotFittedError):
        getattr(Rocch([("bayes", GaussianNB())]), method)(*[np.zeros((2, 2)), [0, 1], COSTS][:given])


def test_nothing_given_is_modified() -> None:
    X, y = blobs()
    tree, weights = clone(TREE), np.ones(120)
    inner = [("tree", tree)]
    copies = X.copy(), y.copy(), weights.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Rocch(inner).fit(X, y, sample_weight=weights).add_estimator("b", GaussianNB(), X, y, weights)
    assert inner == [("tree", tree)]
    assert not hasattr(tree, "tree_")
    for array, copy in zip((X, y, weights), copies, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_a_range_without_prevalence_is_asked_at_that_of_training() -> None:
    rng = np.random.default_rng(8)
    y = rng.random(300) < 0.3
    X = rng.normal(y)[:, None]
    model = rh.RocchClassifier([("nb", GaussianNB())], rh.ExpectedCost(1, (2, 8))).fit(X, y)
    asked = rh.ExpectedCost(1, (2, 8), model.hybrid_.hull.prevalence)
    for mixture in (False, True):
        point = model.decision_rule(rh.ExpectedCost(1, (2, 8)), mixture=mixture)
        known = model.decision_rule(asked, mixture=mixture)
        assert (point.rules, point.fpr, point.tpr) == (known.rules, known.fpr, known.tpr)
    np.testing.assert_array_equal(model.predict(X), model.predict(X, asked))


def test_a_number_of_cases_trains_what_its_policy_needs_of_a_batch() -> None:
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 120)
    certain, noise = rng.random(120) < 0.5, rng.normal(size=(2, 120))
    X = np.column_stack([noise[0] + 5 * (certain & (y == 1)), noise[1] - 5 * (certain & (y == 0))])
    inner = [("sure", Column(0)), ("spared", Column(1))]
    assert set(Rocch(inner, cv=3).fit(X, y).policy_.classifiers) == {"sure", "spared"}
    left_out = 0
    for size in (6, 60, 114):
        capacity = rh.Capacity(cases=size, population=120, prevalence=0.5)
        model = Rocch(inner, capacity, cv=3).fit(X, y)
        scores = {name: each.decision_function(X) for name, each in model.estimators_.items()}
        assert model.policy_.decide(scores, capacity, key=range(120)).sum() == size
        share = rh.Capacity(fraction=size / 120, prevalence=0.5)
        few = Rocch(inner, share, cv=3).fit(X, y)
        assert {*few.policy_.at(share).classifiers} <= {*few.estimators_} <= {*model.estimators_}
        left_out += len(few.estimators_) < 2
    assert left_out
