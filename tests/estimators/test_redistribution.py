"""The classifier with dynamic thresholds: out of fold, auxiliary columns of any table, late conditions."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import isotonic_regression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import rochull as rh
from estimator_cases import assert_copies_decide_alike, contract, rotation
from profiles import some, tries

Array = np.ndarray[Any, Any]
Bent = rh.ErrorRedistributionClassifier

CONDITIONS = [
    rh.ExpectedCost(cost_fn=4, prevalence=0.3),
    rh.ExpectedCost(cost_fp=6, prevalence=0.3),
    rh.NeymanPearson(0.1),
    rh.MinimumRecall(0.8),
    rh.Capacity(fraction=0.25, prevalence=0.3),
    rh.MinimumPrecision(0.7, prevalence=0.3),
]


def cases(n: int = 900, seed: int = 0) -> tuple[Array, Array]:
    """Columns: one that tells the class, the better the larger the second is; the second; noise."""
    rng = np.random.default_rng(seed)
    size, y = rng.uniform(1, 4, n), rng.integers(0, 2, n)
    return np.column_stack([rng.normal(size * y), size, rng.normal(size=n)]), y


def tables(X: Array) -> dict[str, Any]:
    """The same numbers in all kinds of tables that have names."""
    frame = pd.DataFrame(X, columns=["trace", "size", "noise"])
    return {"pandas": frame, "polars": pl.DataFrame({k: frame[k].tolist() for k in frame})}


# --- scikit-learn's own checks ---------------------------------------------------------------------

TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
CHECKED = [
    Bent(LogisticRegression()),
    Bent(TREE, [0], cv=3, model="pav", min_bin=3),
]


@pytest.mark.parametrize(("model", "check"), contract(*CHECKED))
def test_scikit_learn_contract(model: Any, check: Any) -> None:
    check(model)


# --- the same by hand --------------------------------------------------------------------------------


def smoothed(blocks: Any, ratio: np.ndarray) -> np.ndarray:
    """Posteriors of blocks, to both ends of which an example of each class is added."""
    pos, neg = (np.array(column[::-1], float) for column in (blocks.pos, blocks.neg))
    for end in (0, -1):
        pos[end] += 1
        neg[end] += 1
    found = isotonic_regression(pos / (pos + neg), sample_weight=pos + neg)
    return found[np.maximum(np.searchsorted(blocks.low[::-1], ratio, side="right") - 1, 0)]


@given(st.integers(0, 2**32), st.integers(2, 5), st.sampled_from(["pav", "gaussian", "logistic", "fixed"]))
@tries(6)
def test_agrees_with_error_redistribution_by_hand(seed: int, folds: int, model: str) -> None:
    X, y = cases(400, seed)
    new, _ = cases(100, seed + 1)
    options: dict[str, Any] = {"model": model, "n_bins": 3, "shrinkage": 5.0}
    found = Bent(LogisticRegression(), aux=[1], aux_only=True, cv=folds, **options).fit(X, y)
    seen = [0, 2]
    scores = rotation(LogisticRegression(), X[:, seen], y, folds)
    np.testing.assert_array_equal(found.out_of_fold_scores_, scores)
    seg = rh.ErrorRedistribution(**options).fit(scores, y, aux={"size": X[:, 1]})
    inner = LogisticRegression().fit(X[:, seen], y)
    fresh = inner.decision_function(new[:, seen])
    ratio = seg.transform(fresh, aux={"size": new[:, 1]})
    np.testing.assert_array_equal(found.predict_ratio(new), ratio)
    blocks = rh.roc_hull(y, seg.transform(scores, aux={"size": X[:, 1]})).blocks
    np.testing.assert_allclose(found.predict_proba(new)[:, 1], smoothed(blocks, ratio), rtol=1e-12)
    for condition in CONDITIONS:
        threshold = seg.thresholds(condition)
        names = [*seg.segments_, None]
        own = np.array([threshold[names[i]] for i in seg.segment({"size": new[:, 1]})])
        np.testing.assert_array_equal(found.predict(new, condition), (fresh >= own).astype(int))
        assert found.decision_rule(condition).tpr == seg.at(condition, deterministic=True).tpr
        assert found.decision_rule(condition, mixture=True).fpr == seg.at(condition).fpr


@pytest.mark.long
def test_bends_the_curve_of_new_cases() -> None:
    X, y = cases(4000)
    new, z = cases(4000, 1)
    plain = LogisticRegression().fit(X[:, [0]], y).decision_function(new[:, [0]])
    for model in ("auto", "pav", "gaussian", "equal-variance", "logistic"):
        bent = Bent(LogisticRegression(), aux=1, aux_only=True, model=model).fit(X, y)
        assert rh.roc_auc(z, bent.decision_function(new)) > rh.roc_auc(z, plain) + 0.01
    smooth = Bent(LogisticRegression(), aux=1, aux_only=True, model="equal-variance", bins="continuous")
    assert rh.roc_auc(z, smooth.fit(X, y).decision_function(new)) > rh.roc_auc(z, plain) + 0.01
    assert smooth.predict(new, rh.NeymanPearson(0.1)).shape == (4000,)
    assert "ratio" in str(smooth.decision_rule(rh.NeymanPearson(0.1)))


# --- auxiliary columns -------------------------------------------------------------------------------


class Width(ClassifierMixin, BaseEstimator):
    """Its score is the first column; remembers what it was trained on."""

    def fit(self, X: Any, y: Any) -> "Width":
        self.classes_, self.width_ = np.unique(y), X.shape[1]
        self.names_ = list(getattr(X, "columns", []))
        return self

    def decision_function(self, X: Any) -> Any:
        assert X.shape[1] == self.width_
        return np.asarray(X)[:, 0]


@pytest.mark.crossed
@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize(("aux", "hidden"), [(["size"], True), (["size"], ["size"]), ("size", False)])
def test_columns_by_name_and_by_position(kind: str, aux: Any, hidden: Any) -> None:
    X, y = cases()
    table = tables(X)[kind]
    named = Bent(Width(), aux=aux, aux_only=hidden, model="pav").fit(table, y)
    at = [1] if isinstance(hidden, list) else hidden
    by_position = Bent(Width(), aux=[1], aux_only=at, model="pav").fit(table, y)
    from_the_end = Bent(Width(), aux=[-2], aux_only=at, model="pav").fit(table, y)
    plain = Bent(Width(), aux=[1], aux_only=at, model="pav").fit(X, y)
    for other in (by_position, from_the_end):
        np.testing.assert_array_equal(named.predict_ratio(table), other.predict_ratio(table))
        assert named.aux_ == other.aux_ == ("size",)
    np.testing.assert_array_equal(named.predict_ratio(table), plain.predict_ratio(X))
    assert plain.aux_ == (1,)
    kept = ["trace", "noise"] if hidden else ["trace", "size", "noise"]
    assert named.estimator_.names_ == kept
    assert (named.n_features_in_, named.feature_names_in_.tolist()) == (3, ["trace", "size", "noise"])
    assert any("size" in name for name in named.redistribution_.segments_)


def test_several_columns_of_which_the_estimator_sees_some() -> None:
    X, y = cases()
    frame = tables(X)["pandas"].assign(site=np.where(X[:, 2] > 0, "a", None))
    model = Bent(Width(), aux=["size", "site"], aux_only=["site"], bins={"size": 3, "site": "category"})
    model.fit(frame, y)
    assert model.estimator_.names_ == ["trace", "size", "noise"]
    assert model.aux_ == ("size", "site")
    assert len(Bent(Width(), aux=["size", "site"], aux_only=["site"], bins="tree", model="pav").fit(frame, y).
               redistribution_.segments_) > 1  # fmt: skip
    with pytest.warns(UserWarning, match="aux: 1 of 2 cases have values never seen in training"):
        model.set_params(model="pav").fit(frame, y).predict(frame[:2].assign(site=["a", "z"]))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename(columns={"site": "place"}))


def test_lists_of_rows_and_sparse_matrices() -> None:
    X, y = cases(300)
    options: dict[str, Any] = {"aux": [1], "aux_only": True, "model": "pav"}
    expected = Bent(LogisticRegression(), **options).fit(X, y).predict_proba(X)
    rows = Bent(LogisticRegression(), **options).fit(X.tolist(), y.tolist())
    np.testing.assert_allclose(rows.predict_proba(X.tolist()), expected)
    for kind in (csr_array, coo_array):
        sparse = Bent(LogisticRegression(), **options).fit(csr_array(X), y)
        np.testing.assert_allclose(sparse.predict_proba(kind(X)), expected, atol=1e-6)
    unranked = Bent(LogisticRegression()).fit(csr_array(X), y)
    assert (unranked.aux_, unranked.ranking_) == ((), None)
    kernel = Bent(SVC(kernel="precomputed")).fit(X @ X.T, y)
    assert (kernel.aux_, kernel.ranking_) == ((), None)


# --- columns found by the library --------------------------------------------------------------------


@pytest.mark.long
def test_the_best_column_is_found() -> None:
    X, y = cases(3000)
    for table in [X[:, [0, 2, 1]], tables(X[:, [0, 2, 1]])["polars"]]:
        hidden: Any = [2]
        model = Bent(LogisticRegression(), aux_only=hidden).fit(table, y)
        assert model.aux_ == (2 if isinstance(table, np.ndarray) else "noise",)  # the names are of positions
        assert model.redistribution_.model_ != "fixed"
        assert model.ranking_ is not None
        assert model.ranking_.names[0] == model.aux_[0]
        assert len(model.ranking_) == 3
    mapped = Bent(LogisticRegression(), aux_only=[1], bins={1: [2.0, 3.0], 2: 5}, model="pav").fit(X, y)
    assert list(mapped.redistribution_.segments_) == ["column 1 < 2", "2 <= column 1 < 3", "column 1 >= 3"]
    assert Bent(LogisticRegression(), aux_only=[1], bins={2: 5}, model="pav").fit(X, y).aux_ == (1,)
    tree = Bent(LogisticRegression(), aux_only=[1], bins="tree", n_bins=(3, 6)).fit(X, y)
    assert tree.aux_ == (1,)


@pytest.mark.long
def test_without_a_column_that_helps_one_threshold_holds_for_all() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 1200)
    X = np.column_stack([rng.normal(y), rng.normal(size=(1200, 3))])
    inner = LogisticRegression().fit(X, y).decision_function(X)
    found = Bent(LogisticRegression()).fit(X, y)
    none = Bent(LogisticRegression(), aux=[]).fit(X, y)
    never = Bent(LogisticRegression(), model="fixed").fit(X, y)
    for model in (found, none, never):
        assert model.redistribution_.model_ == "fixed"
        assert np.ptp(inner - model.decision_function(X)) < 1e-9  # all shifted by the threshold
        np.testing.assert_array_equal(model.predict_ratio(X), inner)
    assert found.ranking_ is not None
    assert (none.aux_, none.ranking_, never.ranking_) == ((), None, None)
    assert found.aux_ == Bent(LogisticRegression(), model="pav").fit(X, y).aux_ == ()


def test_columns_that_cannot_be_ranked_are_left_out() -> None:
    X, y = cases(900)
    frame = tables(X)["pandas"].assign(blob=[b"x"] * 900, when=pd.Timestamp("2020-01-01"))
    model = Bent(Width(), aux_only=["size"]).fit(frame, y)
    assert model.ranking_ is not None
    assert set(model.ranking_.names) == {"trace", "size", "noise"}


# --- decisions ---------------------------------------------------------------------------------------


@pytest.mark.crossed
@pytest.mark.parametrize("pos_label", [None, "bad", "good"])
@pytest.mark.parametrize("model", ["pav", "gaussian", "fixed"])
@pytest.mark.parametrize("condition", [None, rh.Accuracy(0.2), rh.Accuracy(0.0001), rh.Accuracy(0.9999)])
def test_decision_function_and_predictions_agree(pos_label: Any, model: str, condition: Any) -> None:
    X, y = cases(600)
    labels = np.where(y == 1, "bad", "good")
    options: dict[str, Any] = {"aux": [1], "model": model, "shrinkage": 0.0}
    if condition is not None and pos_label is None:
        with pytest.raises(ValueError, match="classes are 'bad', 'good'; give pos_label to say which"):
            Bent(LogisticRegression(), condition=condition, **options).fit(X, labels)
        return
    found = Bent(LogisticRegression(), pos_label=pos_label, condition=condition, **options).fit(X, labels)
    decision, probability = found.decision_function(X), found.predict_proba(X)
    assert found.classes_.tolist() == ["bad", "good"]
    assert np.isfinite(decision).all()
    np.testing.assert_array_equal(found.predict(X), found.classes_[(decision > 0).astype(int)])
    if condition is None:
        likely = found.classes_[np.argmax(probability, axis=1)]
        tie = probability[:, 0] == 0.5  # not positive then
        np.testing.assert_array_equal(
            found.predict(X), np.where(tie, "good" if pos_label == "bad" else "bad", likely)
        )
    assert roc_auc_score(labels, decision) > 0.9  # scikit-learn's convention: of the second class
    assert roc_auc_score(labels, probability[:, 1]) > 0.9
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    order = np.argsort(decision, kind="stable")
    assert (np.diff(probability[order, 1]) >= 0).all()
    if pos_label == "bad":
        order = np.argsort(found.predict_ratio(X), kind="stable")
        assert (np.diff(-decision[order]) >= 0).all()


def test_without_a_condition_errors_are_minimised() -> None:
    X, y = cases(600)
    weights = np.where(y == 1, 0.3, 1.0)
    model = Bent(LogisticRegression(), aux=[1], model="pav").fit(X, y, sample_weight=weights)
    assert model.condition_ == rh.Accuracy(float(np.average(y, weights=weights)))
    point = model.decision_rule()
    assert point == model.decision_rule(model.condition_)
    hull = model.hull_
    share = model.condition_.prevalence
    errors = share * (1 - hull.tpr) + (1 - share) * hull.fpr
    assert share * (1 - point.tpr) + (1 - share) * point.fpr == pytest.approx(errors.min(), abs=1e-12)
    assert model.score(X, y) == accuracy_score(y, model.predict(X))
    given = Bent(LogisticRegression(), aux=[1], model="pav", condition=rh.NeymanPearson(0.05)).fit(X, y)
    np.testing.assert_array_equal(given.predict(X), given.predict(X, rh.NeymanPearson(0.05)))
    assert given.decision_rule() == given.decision_rule(rh.NeymanPearson(0.05))


def test_the_ratio_is_the_odds_of_likelihoods() -> None:
    X, y = cases(600)
    model = Bent(LogisticRegression(), aux=[1], model="pav", shrinkage=0.0).fit(X, y)
    ratio, probability = model.predict_ratio(X), model.predict_proba(X)[:, 1]
    odds = y.sum() / (y == 0).sum()
    with np.errstate(invalid="ignore"):
        expected = np.where(np.isinf(ratio), 1.0, ratio * odds / (1 + ratio * odds))
    inside = (ratio < np.sort(np.unique(ratio))[-2]) & (ratio > np.sort(np.unique(ratio))[1])
    np.testing.assert_allclose(probability[inside], expected[inside], rtol=1e-12)
    assert np.isinf(ratio).any()
    assert (ratio == 0).any()
    assert 0 < probability.min() < probability.max() < 1  # an example of each class more at both ends


@pytest.mark.parametrize("seed", some(range(5), 2))
def test_the_log_loss_of_new_cases_is_finite(seed: int) -> None:
    X, y = cases(300, seed)
    new, truth = cases(3000, seed + 100)
    for model in ("pav", "fixed"):
        found = Bent(LogisticRegression(), aux=[1], model=model).fit(X, y)
        probability = found.predict_proba(new)[:, 1]
        assert 0 < probability.min() <= probability.max() < 1
        assert np.isfinite(rh.LogScore().score(truth, probability))
        np.testing.assert_array_equal(found.predict(new) == 1, probability > 0.5)


def test_mixtures_by_keys() -> None:
    X, y = cases(900)
    model = Bent(LogisticRegression(), aux=[1], model="pav", shrinkage=100.0).fit(X, y)
    limit = rh.NeymanPearson(0.123)
    mixed = model.decision_rule(limit, mixture=True)
    assert mixed.fpr == pytest.approx(0.123)
    assert len(mixed.rules) == 2
    assert all(len(rule.segments) == len(model.redistribution_.segments_) + 1 for rule, _ in mixed.rules)
    called = model.predict(X, limit, mixture=True, key=np.arange(900))
    np.testing.assert_array_equal(
        called[::-1], model.predict(X[::-1], limit, mixture=True, key=np.arange(900)[::-1])
    )
    ends = [rule for rule, _ in mixed.rules]
    ratios, owners = model.redistribution_.ratios_, list(model.hull_.owners)
    lots = [model.predict_ratio(X) >= ratios[owners.index((rule,))] for rule in ends]
    assert ((called == lots[0]) | (called == lots[1])).all()
    assert (called != lots[0]).any()
    assert (called != lots[1]).any()
    random = [model.predict(X, limit, mixture=True, random_state=3) for _ in range(2)]
    np.testing.assert_array_equal(*random)
    with pytest.raises(ValueError, match="key and random_state are of use with mixture=True only"):
        model.predict(X, limit, key=np.arange(900))


def test_scores_under_a_condition() -> None:
    X, y = cases(900)
    new, z = cases(500, 1)
    model = Bent(LogisticRegression(), aux=[1], pos_label=0).fit(X, y)
    cost = rh.ExpectedCost(cost_fn=5, cost_fp=2, prevalence=0.3)
    called = model.predict(new, cost) == 0
    weights = np.random.default_rng(0).uniform(size=500)
    fpr, tpr = (np.average(called[z == k], weights=weights[z == k]) for k in (1, 0))
    expected = -(0.3 * 5 * (1 - tpr) + 0.7 * 2 * fpr)
    assert model.score(new, z, weights, condition=cost) == pytest.approx(expected)
    with pytest.raises(ValueError, match="condition must be an ExpectedCost to score by"):
        model.score(new, z, condition=rh.NeymanPearson(0.1))


# --- training ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("frozen", [False, True])
def test_a_classifier_that_is_trained_already(frozen: bool) -> None:
    X, y = cases(600)
    held, z = cases(600, 1)
    inner = LogisticRegression().fit(X[:, [0]], y)
    given: Any = FrozenEstimator(inner) if frozen else inner
    options: dict[str, Any] = {"aux": [1, 2], "aux_only": True, "model": "gaussian"}
    model = Bent(given, cv=5 if frozen else "prefit", **options).fit(held, z)
    assert model.estimator_ is given
    assert not hasattr(model, "out_of_fold_scores_")
    aux = {1: held[:, 1], 2: held[:, 2]}
    scores = inner.decision_function(held[:, [0]])
    seg = rh.ErrorRedistribution("gaussian").fit(scores, z, aux=aux)
    np.testing.assert_array_equal(model.predict_ratio(held), seg.transform(scores, aux=aux))
    few = np.concatenate([np.flatnonzero(z == 0), np.flatnonzero(z == 1)[:1]])
    alone = Bent(inner, aux=[1], aux_only=[1], cv="prefit").fit(held[few][:, :2], z[few])
    assert alone.redistribution_.model_ == "fixed"  # one positive cannot be held out


def test_weights_are_repetitions_and_reach_the_thresholds() -> None:
    X, y = cases(500)
    times = np.random.default_rng(0).integers(0, 3, 500)
    inner = GaussianNB().fit(X[:, [0]], y)
    options: dict[str, Any] = {
        "aux": [1, 2],
        "aux_only": True,
        "model": "pav",
        "shrinkage": 0.0,
        "cv": "prefit",
    }
    options["bins"] = {1: [2.0, 3.0]}
    weighted = Bent(inner, **options).fit(X, y, sample_weight=times)
    rows = np.repeat(np.arange(500), times)
    repeated = Bent(inner, **options).fit(X[rows], y[rows])
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-9)
    both = GaussianNB().fit(X[:, [0, 2]], y)
    ranked = Bent(both, cv="prefit").fit(X[:, [0, 2]], y, sample_weight=times).ranking_
    assert ranked is not None
    scores = both.predict_proba(X[:, [0, 2]])[:, 1]
    expected = rh.rank_auxiliary_features(y, scores, X[:, [0, 2]], gain=True, sample_weight=times)
    assert ranked.to_dict() == expected.to_dict()
    assert ranked.prior.max() > 0
    with pytest.warns(UserWarning, match="Width.fit takes no sample_weight"):
        Bent(Width(), aux=[1], model="pav").fit(X, y, sample_weight=times)


def test_jobs_and_copies_change_nothing() -> None:
    X, y = cases(400)
    first = Bent(DecisionTreeClassifier(max_features=1, random_state=3), n_bins=[2, 4])
    assert_copies_decide_alike(first, X, y, lambda model: model.decision_function(X))
    assert first.get_params()["estimator__random_state"] == 3


def test_groups_and_a_search() -> None:
    X, y = cases(400)
    groups = np.arange(400) // 4
    Bent(GaussianNB(), aux=[1], cv=StratifiedGroupKFold(3)).fit(X, y, groups=groups)
    with pytest.raises(ValueError, match="groups: nothing takes them with cv=5"):
        Bent(GaussianNB(), aux=[1]).fit(X, y, groups=groups)
    grid = {"aux": [[], [1]], "estimator__var_smoothing": [1e-9, 1e-3]}
    search = GridSearchCV(Bent(GaussianNB(), cv=3), grid, scoring="roc_auc", cv=3, error_score="raise")
    assert search.fit(X, y).best_score_ > 0.9


@pytest.mark.usefixtures("routing")
def test_conditions_and_weights_are_routed() -> None:
    X, y = cases(600)
    weights = np.random.default_rng(0).uniform(size=600)
    dear = rh.ExpectedCost(cost_fp=9, prevalence=0.5)
    inner = GaussianNB().set_fit_request(sample_weight=False)
    bent = Bent(inner, aux=[1], model="pav").set_predict_request(condition=True)
    pipeline = make_pipeline(StandardScaler(), bent.set_score_request(condition=True))
    pipeline.fit(X, y)
    alone = pipeline[-1]
    scaled = pipeline[0].transform(X)
    np.testing.assert_array_equal(pipeline.predict(X, condition=dear), alone.predict(scaled, dear))
    assert (pipeline.predict(X, condition=dear) != pipeline.predict(X)).any()
    judged = cross_validate(bent, X, y, params={"condition": dear}, cv=2, error_score="raise")
    assert (judged["test_score"] < 0).all()
    found = Bent(inner, aux=[1], model="pav").fit(X, y, sample_weight=weights)
    assert found.condition_ == rh.Accuracy(float(np.average(y, weights=weights)))
    with pytest.raises(ValueError, match=r"sample_weight.* not explicitly set as requested or not"):
        Bent(GaussianNB(), aux=[1]).fit(X, y, sample_weight=weights)
    assert not hasattr(bent, "set_fit_request")


# --- real data ---------------------------------------------------------------------------------------


def test_naive_bayes_on_adult() -> None:
    columns = rh.datasets.load("adult")
    y = columns.pop("income")
    names = ("age", "capital_gain", "capital_loss", "hours_per_week", "education_num")
    X = pd.DataFrame({name: columns[name] for name in names})
    train, test = slice(0, None, 4), slice(1, None, 4)
    model = Bent(GaussianNB(), aux_only=["education_num"], pos_label=">50K").fit(X[train], y[train])
    plain = GaussianNB().fit(X[train].drop(columns="education_num"), y[train])
    before = rh.roc_auc(
        y[test], plain.predict_proba(X[test].drop(columns="education_num"))[:, 1], pos_label=">50K"
    )
    after = rh.roc_auc(y[test], model.predict_ratio(X[test]), pos_label=">50K")
    assert model.aux_ == ("education_num",)
    assert (round(before, 3), round(after, 3)) == (0.79, 0.84)  # measured


# --- bad input ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"aux": ["size"]}, "aux names the column 'size', but X has no names"),
        ({"aux": [3]}, "aux names the column 3, but X has 3 columns"),
        ({"aux": [-4]}, "aux names the column -4, but X has 3 columns"),
        ({"aux": [1, -2]}, r"aux names a column twice: \[1, -2\]"),
        ({"aux": [1.0]}, r"aux must hold names or positions of columns, but holds 1\.0"),
        ({"aux": [True]}, "aux must hold names or positions of columns, but holds True"),
        ({"aux_only": True}, "aux_only=True needs aux"),
        ({"aux": [1], "aux_only": [2]}, "aux_only holds 2, which aux does not: nobody would see it"),
        ({"aux": [0, 1, 2], "aux_only": True}, "aux_only leaves the estimator no column of X"),
        ({"aux": [1], "condition": 0.3}, "condition must be an operating condition, but is 0.3"),
        ({"aux": [1], "model": "magic"}, "model must be one of"),
        ({"aux": [1], "cv": "auto"}, "cv must be 'prefit', a number of folds or a splitter"),
        ({"aux": [1], "cv": ShuffleSplit(3)}, "cv: the test parts must hold every example exactly once"),
        ({"aux": [1], "response_method": "magic"}, "response_method must be"),
        ({"aux": [1], "pos_label": 7}, "pos_label=7 does not occur in y"),
    ],
)  # fmt: skip
def test_bad_parameters(options: dict[str, Any], message: str) -> None:
    X, y = cases(200)
    with pytest.raises(ValueError, match=message):
        Bent(GaussianNB(), **options).fit(X, y)


def test_bad_tables_and_conditions() -> None:
    X, y = cases(300)
    named = tables(X)["pandas"]
    with pytest.raises(ValueError, match="aux names the column 'age', but X has 'trace', 'size', 'noise'"):
        Bent(GaussianNB(), aux=["age"]).fit(named, y)
    with pytest.raises(ValueError, match=r"aux: X must have shape \(n, k\) .* Reshape your data"):
        Bent(GaussianNB(), aux=[0]).fit(X[:, 0], y)
    model = Bent(GaussianNB(), aux=[1]).fit(X, y)
    with pytest.raises(ValueError, match=r"X must have shape \(n, k\)"):
        model.predict(X[:, 0])
    with pytest.raises(
        ValueError, match="X has 2 features, but ErrorRedistributionClassifier is expecting 3"
    ):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match="condition must be an operating condition, but is 'cheap'"):
        model.predict(X, "cheap")
    with pytest.raises(rh.ImpreciseConditionError):
        model.predict(X, rh.ExpectedCost(cost_fn=(1, 3), prevalence=0.5))
    with pytest.raises(ValueError, match="give pos_label to say which is positive"):
        Bent(GaussianNB(), aux=[1]).fit(X, np.where(y == 1, "a", "b")).predict_ratio(X)
    for method in ("predict", "predict_proba", "predict_ratio", "decision_function", "decision_rule"):
        with pytest.raises(NotFittedError):
            getattr(Bent(GaussianNB()), method)(*() if method == "decision_rule" else (X,))


def test_texts_have_no_columns() -> None:
    class Length(ClassifierMixin, BaseEstimator):
        def fit(self, X: Any, y: Any) -> "Length":
            self.classes_ = np.unique(y)
            return self

        def decision_function(self, X: Any) -> Any:
            return np.array([float(len(text)) for text in X])

    texts, y = ["a" * (i % 7 + 1) for i in range(60)], np.tile([0, 1, 1], 20)
    model = Bent(Length(), cv=KFold(3)).fit(texts, y)
    assert model.aux_ == ()
    assert model.predict(texts[:2]).shape == (2,)
