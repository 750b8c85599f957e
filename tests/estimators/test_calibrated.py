"""The meta-estimators: out-of-fold scores, scikit-learn's contract, routing of keywords, real data."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics import brier_score_loss, log_loss, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import rochull as rh
from estimator_cases import (
    Reversed,
    assert_copies_decide_alike,
    assert_refuses_bad_labels,
    assert_refuses_bad_weights,
    blobs,
    contract,
    rotation,
)
from profiles import tries

Array = np.ndarray[Any, Any]
Pav, Abers = rh.estimators.PavCalibratedClassifier, rh.estimators.VennAbersClassifier


def share_of(model: Any) -> float:
    """The share of the positives in the weight of the examples that calibrated a classifier."""
    blocks = model.calibrator_.hull_.blocks
    return float(blocks.pos.sum() / (blocks.pos.sum() + blocks.neg.sum()))


# --- scikit-learn's own checks ---------------------------------------------------------------------

# Trees and naive Bayes score a row alone as in a batch, to the last bit. A matrix product does not, and the
# Venn–Abers interval of a training row depends on whether its score ties with a calibration score.
CHECKED = [
    Pav(LogisticRegression(), cv=3, calibrator=rh.PavCalibrator()),
    Pav(GaussianNB(), cv=3, calibrator=rh.LogisticCalibrator(targets="platt")),
    Abers(GaussianNB(), cv=3),
    Abers(DecisionTreeClassifier(max_depth=3, random_state=0), cv=3),
]
# The examples that the default adds have the mean weight: only ratios of weights count, and 2 is not two examples.
DEFAULT = [case for case in contract(Pav(LogisticRegression(), cv=3)) if "weight_equivalence" not in case.id]


@pytest.mark.filterwarnings("ignore:.*their log-odds fit the labels better:UserWarning")
@pytest.mark.parametrize(("model", "check"), [*contract(*CHECKED), *DEFAULT])
def test_scikit_learn_contract(model: Any, check: Any) -> None:
    check(model)


# --- the scores are out of fold --------------------------------------------------------------------


@given(st.integers(0, 2**32), st.integers(2, 6), st.booleans())
@tries(15)
def test_agrees_with_a_rotation_by_hand(seed: int, folds: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    X, y = blobs(60, seed)
    weights = rng.integers(1, 4, 60).astype(float) if weighted else None
    model = Pav(LogisticRegression(), cv=folds).fit(X, y, sample_weight=weights)
    expected = rotation(LogisticRegression(), X, y, folds, weights)
    np.testing.assert_array_equal(model.out_of_fold_scores_, expected)
    calibrator = rh.PavCalibrator(bound="laplace").fit(expected, y, sample_weight=weights)
    inner = LogisticRegression().fit(X, y, sample_weight=weights)
    new = rng.normal(size=(20, 3)) * 2
    scores = inner.decision_function(new)
    np.testing.assert_array_equal(model.predict_llr(new), calibrator.llr(scores))
    np.testing.assert_array_equal(model.predict_proba(new)[:, 1], calibrator.posterior(scores))
    condition = rh.ExpectedCost(cost_fn=3, prevalence=0.2)
    np.testing.assert_array_equal(model.decide(new, condition), calibrator.decide(scores, condition))


def test_agrees_with_cross_val_predict_for_any_partition() -> None:
    X, y = blobs()
    for cv in (KFold(4, shuffle=True, random_state=0), StratifiedKFold(3), list(KFold(6).split(X))):
        model = Pav(DecisionTreeClassifier(max_depth=2, random_state=0), cv=cv).fit(X, y)
        expected = cross_val_predict(clone(model.estimator), X, y, cv=cv, method="predict_proba")
        np.testing.assert_array_equal(model.out_of_fold_scores_, expected[:, 1])


def test_a_memoriser_scores_at_chance_out_of_fold() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 2)), np.tile([0, 1], 300)  # the labels are noise
    model = Pav(KNeighborsClassifier(1)).fit(X, y)
    assert (model.estimator_.predict(X) == y).all()  # it knows every training example
    assert rh.roc_auc(y, model.out_of_fold_scores_) == pytest.approx(0.5, abs=0.06)
    assert np.abs(model.predict_proba(X)[:, 1] - 0.5).max() < 0.1  # and is not believed
    believed = Pav(model.estimator_, cv="prefit", calibrator=rh.PavCalibrator()).fit(
        X, y
    )  # which is why "prefit" wants other data
    np.testing.assert_array_equal(believed.predict_proba(X)[:, 1], y)
    abers = Abers(KNeighborsClassifier(1)).fit(X, y)
    assert np.abs(abers.predict_proba(X)[:, 1] - 0.5).max() < 0.15


def test_the_final_estimator_is_trained_on_all_examples() -> None:
    X, y = blobs()
    model = Pav(GaussianNB()).fit(X, y)
    np.testing.assert_array_equal(model.estimator_.theta_, GaussianNB().fit(X, y).theta_)
    assert not hasattr(model.estimator, "theta_")  # the caller's own stays untouched


# --- estimators that are fitted already ------------------------------------------------------------


@pytest.mark.parametrize("kind", [Pav, Abers])
def test_a_fitted_estimator_is_used_as_it_is(kind: Any) -> None:
    X, y = blobs()
    inner = LogisticRegression().fit(X[:60], y[:60])
    before = inner.coef_.copy()
    prefit = kind(inner, cv="prefit").fit(X[60:], y[60:])
    frozen = clone(kind(FrozenEstimator(inner))).fit(X[60:], y[60:])
    np.testing.assert_array_equal(prefit.predict_proba(X), frozen.predict_proba(X))
    np.testing.assert_array_equal(inner.coef_, before)
    if kind is Pav:
        assert prefit.estimator_ is inner
        assert not hasattr(prefit, "out_of_fold_scores_")
        expected = rh.PavCalibrator(bound="laplace").fit(inner.decision_function(X[60:]), y[60:])
        np.testing.assert_array_equal(prefit.predict_llr(X), expected.llr(inner.decision_function(X)))
    else:
        assert prefit.inductive_
        expected = rh.VennAbers().fit(inner.decision_function(X[60:]), y[60:])
        np.testing.assert_array_equal(
            prefit.predict_interval(X), expected.interval(inner.decision_function(X))
        )
    with pytest.raises(NotFittedError):
        kind(LogisticRegression(), cv="prefit").fit(X, y)


def test_weights_of_a_fitted_estimator_go_to_the_calibrator() -> None:
    X, y = blobs()
    inner, weights = KNeighborsClassifier().fit(X[:60], y[:60]), np.arange(1.0, 61)
    model = Pav(inner, cv="prefit").fit(X[60:], y[60:], sample_weight=weights)
    scores = inner.predict_proba(X)[:, 1]
    expected = rh.PavCalibrator(bound="laplace").fit(scores[60:], y[60:], sample_weight=weights)
    np.testing.assert_array_equal(model.predict_llr(X), expected.llr(scores))


# --- what is passed through ------------------------------------------------------------------------


def test_text_labels_data_frames_and_sparse_matrices() -> None:
    X, y = blobs()
    text = np.where(y == 1, "yes", "no")
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    for kind in (Pav, Abers):
        plain = kind(LogisticRegression()).fit(X, y)
        named = kind(LogisticRegression()).fit(frame, pd.Series(text))
        sparse = kind(LogisticRegression(solver="newton-cg", tol=1e-12)).fit(csr_array(X), y)
        assert named.classes_.tolist() == ["no", "yes"]
        assert named.feature_names_in_.tolist() == ["a", "b", "c"]
        assert plain.n_features_in_ == 3
        np.testing.assert_array_equal(named.predict_proba(frame), plain.predict_proba(X))
        np.testing.assert_array_equal(named.predict(frame), np.where(plain.predict(X) == 1, "yes", "no"))
        assert sparse.predict_proba(csr_array(X)).shape == (120, 2)
        assert set(named.predict(frame)) == {"no", "yes"}
    truth = Pav(LogisticRegression()).fit(X, y == 1)
    assert truth.predict(X).dtype == bool
    np.testing.assert_array_equal(truth.predict(X), Pav(LogisticRegression()).fit(X, y).predict(X))


def test_a_pipeline_selects_columns_by_name() -> None:
    X, y = blobs()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = Pav(make_pipeline(StandardScaler().set_output(transform="pandas"), LinearSVC())).fit(frame, y)
    assert model.predict(frame).shape == (120,)


def test_precomputed_kernels_are_cut_both_ways() -> None:
    X, y = blobs()
    kernel = X @ X.T
    found = Pav(SVC(kernel="precomputed")).fit(kernel, y)
    expected = Pav(SVC(kernel="linear")).fit(X, y)
    np.testing.assert_allclose(found.out_of_fold_scores_, expected.out_of_fold_scores_, atol=1e-9)
    with pytest.raises(ValueError, match="estimator: one that takes a precomputed kernel needs cv='prefit'"):
        Abers(SVC(kernel="precomputed")).fit(kernel, y)


def test_response_methods() -> None:
    X, y = blobs()
    proba = Pav(LogisticRegression(), response_method="predict_proba").fit(X, y)
    auto = Pav(LogisticRegression()).fit(X, y)
    np.testing.assert_allclose(logit(proba.out_of_fold_scores_), auto.out_of_fold_scores_, atol=1e-9)
    np.testing.assert_allclose(proba.predict_llr(X), auto.predict_llr(X))  # PAV sees the order only
    beta = Pav(GaussianNB(), calibrator=rh.BetaCalibrator(), response_method="predict_proba").fit(X, y)
    assert isinstance(beta.calibrator_, rh.BetaCalibrator)
    with pytest.raises(ValueError, match="X must be probabilities"):
        Pav(LinearSVC(), calibrator=rh.BetaCalibrator()).fit(X, y)
    with pytest.raises(ValueError, match="estimator: LinearSVC has no predict_proba"):
        Pav(LinearSVC(), response_method="predict_proba").fit(X, y)
    with pytest.raises(
        ValueError, match="estimator: StandardScaler has no decision_function or predict_proba"
    ):
        Pav(StandardScaler(), cv=2).fit(X, y)
    with pytest.raises(ValueError, match="response_method must be 'auto', 'decision_function' or"):
        Pav(LinearSVC(), response_method="predict").fit(X, y)


def test_probabilities_are_read_from_the_column_of_their_class() -> None:
    X, y = blobs()
    found = Pav(Reversed()).fit(X, y).predict_proba(X)
    expected = Pav(LogisticRegression(), response_method="predict_proba").fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(found, expected)


# --- which class is positive -----------------------------------------------------------------------


@pytest.mark.crossed
@pytest.mark.parametrize("response", ["decision_function", "predict_proba"])
@pytest.mark.parametrize("prefit", [False, True])
def test_the_positive_label_is_the_one_that_is_named(prefit: bool, response: str) -> None:
    X, y = blobs()
    text = np.where(y == 1, "fraud", "ok")  # the positive label is sorted first
    condition = rh.ExpectedCost(cost_fn=4, prevalence=0.1)
    options: dict[str, Any] = {"response_method": response}
    if prefit:
        options["cv"] = "prefit"

    def fitted(kind: Any, labels: Array, pos_label: object = None) -> Any:
        inner = LogisticRegression(tol=1e-12)
        inner = inner.fit(X[::2], labels[::2]) if prefit else inner
        return kind(inner, pos_label=pos_label, **options).fit(X, labels)

    expected, named = fitted(Pav, y), fitted(Pav, text, "fraud")
    assert named.classes_.tolist() == ["fraud", "ok"]
    assert named.pos_label_ == "fraud"
    np.testing.assert_allclose(named.predict_llr(X), expected.predict_llr(X), rtol=1e-9)
    np.testing.assert_array_equal(named.decide(X, condition), expected.decide(X, condition))
    np.testing.assert_allclose(named.predict_proba(X)[:, ::-1], expected.predict_proba(X), rtol=1e-9)
    np.testing.assert_array_equal(named.predict(X) == "fraud", expected.predict(X) == 1)
    assert rh.roc_auc(text, named.predict_proba(X)[:, 0], pos_label="fraud") > 0.7
    abers, interval = fitted(Abers, y), fitted(Abers, text, "fraud")
    np.testing.assert_allclose(interval.predict_interval(X), abers.predict_interval(X), rtol=1e-9)
    np.testing.assert_allclose(interval.predict_proba(X)[:, ::-1], abers.predict_proba(X), rtol=1e-9)
    np.testing.assert_array_equal(interval.predict(X) == "fraud", abers.predict(X) == 1)
    assert fitted(Pav, text, "ok").pos_label_ == "ok"
    np.testing.assert_array_equal(
        fitted(Pav, text, "ok").predict_proba(X), fitted(Pav, text).predict_proba(X)
    )


def test_nothing_is_guessed_about_other_labels() -> None:
    X, y = blobs()
    message = r"^classes are 'fraud', 'ok'; give pos_label to say which is positive\.$"
    text = np.where(y == 1, "fraud", "ok")
    for labels in (text, text.astype(object)):
        pav, abers = Pav(GaussianNB()).fit(X, labels), Abers(GaussianNB()).fit(X, labels)
        assert pav.pos_label_ is None
        assert abers.pos_label_ is None
        for ask in (
            lambda pav=pav: pav.decide(X, rh.Accuracy(0.5)),
            lambda pav=pav: pav.predict_llr(X),
            lambda abers=abers: abers.predict_interval(X),
        ):
            with pytest.raises(ValueError, match=message):
                ask()
        assert rh.roc_auc(y, pav.predict_proba(X)[:, 0]) > 0.7
        assert np.mean(abers.predict(X) == labels) > 0.7
    with pytest.raises(ValueError, match=r"classes are 1, 2; give pos_label"):
        Pav(GaussianNB()).fit(X, y + 1).predict_llr(X)


@pytest.mark.parametrize(
    ("negative", "positive"), [(0, 1), (-1, 1), (False, True), (0.0, 1.0), (np.int8(-1), np.int8(1))]
)
def test_labels_that_say_it_themselves(negative: Any, positive: Any) -> None:
    X, y = blobs()
    expected = Pav(GaussianNB()).fit(X, y).predict_llr(X)
    labels = np.array([negative, positive])[y]
    model = Pav(GaussianNB()).fit(X, labels)
    assert model.pos_label_ == positive
    np.testing.assert_array_equal(model.predict_llr(X), expected)
    other = Pav(GaussianNB(), pos_label=negative).fit(X, labels)
    assert other.pos_label_ == negative
    assert rh.roc_auc(y, other.predict_llr(X)) < 0.3
    assert rh.roc_auc(y, other.predict_proba(X)[:, 1]) > 0.7
    prefit = Pav(Reversed().fit(X, labels), cv="prefit").fit(X, labels)  # its classes_[0] is positive
    assert rh.roc_auc(y, prefit.predict_llr(X)) > 0.7


def test_equal_probabilities_are_not_called_positive() -> None:
    scores = np.array([[1.0], [2.0], [2.0], [3.0]])
    inner = DecisionTreeClassifier().fit(scores, [1, 1, 0, 0])
    model = Pav(inner, cv="prefit", pos_label=0).fit(scores, [1, 1, 0, 0])
    assert model.predict(scores).tolist() == [1, 1, 1, 0]
    assert model.decide(scores, rh.Accuracy(0.5)).tolist() == [False, False, False, True]


# --- decisions -------------------------------------------------------------------------------------


def test_predict_is_the_bayes_decision_and_a_tie_is_the_first_class() -> None:
    scores = np.array([[1.0], [2.0], [2.0], [3.0]])  # PAV: 0, 1/2, 1
    inner = DecisionTreeClassifier().fit(scores, [0, 0, 1, 1])
    model = Pav(inner, cv="prefit", calibrator=rh.PavCalibrator()).fit(scores, [0, 0, 1, 1])
    assert model.predict_proba(scores)[:, 1].tolist() == [0, 0.5, 0.5, 1]
    assert model.predict(scores).tolist() == [0, 0, 0, 1]
    assert model.predict_llr(scores).tolist() == [-np.inf, 0, 0, np.inf]
    assert model.decide(scores, rh.Accuracy(0.5)).tolist() == [False, False, False, True]


def test_decisions_equal_those_of_the_hull() -> None:
    X, y = blobs(300)
    model = Pav(LogisticRegression()).fit(X, y)
    hull = rh.roc_hull(y, model.out_of_fold_scores_)
    held_out = Pav(FrozenEstimator(model.estimator_), calibrator=rh.PavCalibrator()).fit(X, y)
    scores = held_out.estimator_.decision_function(X)
    hull = rh.roc_hull(y, scores)
    for condition in (rh.Accuracy(0.5), rh.ExpectedCost(cost_fn=5, prevalence=0.1)):
        (rule, _), *_ = hull.at(condition).rules
        called = scores >= rule.threshold if rule.kind == "threshold" else np.full(300, rule.kind == "always")
        np.testing.assert_array_equal(held_out.decide(X, condition), called)


# --- weights and other keywords, without routing ---------------------------------------------------


def test_weights_that_the_estimator_cannot_use_are_announced() -> None:
    X, y = blobs()
    weights = np.arange(1.0, 121)
    with pytest.warns(UserWarning, match=r"KNeighborsClassifier\.fit takes no sample_weight: only"):
        model = Pav(KNeighborsClassifier()).fit(X, y, sample_weight=weights)
    plain = Pav(KNeighborsClassifier()).fit(X, y)
    np.testing.assert_array_equal(model.out_of_fold_scores_, plain.out_of_fold_scores_)
    assert share_of(model) == pytest.approx(weights[y == 1].sum() / weights.sum())


def test_groups_go_to_the_splitter() -> None:
    X, y = blobs()
    groups = np.arange(120) // 6
    model = Pav(GaussianNB(), cv=GroupKFold(4)).fit(X, y, groups=groups)
    expected = cross_val_predict(GaussianNB(), X, y, cv=GroupKFold(4), groups=groups, method="predict_proba")
    np.testing.assert_array_equal(model.out_of_fold_scores_, expected[:, 1])
    abers = Abers(GaussianNB(), cv=StratifiedGroupKFold(4)).fit(X, y, groups=groups)
    assert len(abers.estimators_) == 4
    fitted = GaussianNB().fit(X, y)
    for cv, name in (
        (5, "cv=5"),
        (np.int64(5), "cv=5"),
        (list(KFold(3).split(X)), "splits given as arrays"),
        ("prefit", "cv='prefit'"),
    ):
        with pytest.raises(ValueError, match=f"groups: nothing takes them with {name}; cv can be a splitter"):
            Pav(fitted, cv=cv).fit(X, y, groups=groups)


def test_other_keywords_go_to_the_estimator_cut_to_the_fold() -> None:
    X, y = blobs()
    model = Pav(SGDClassifier(random_state=0)).fit(X, y, coef_init=np.ones((1, 3)))
    assert model.predict(X).shape == (120,)
    weights = np.arange(1.0, 121)
    trained = Abers(GaussianNB(), cv=3).fit(X, y, sample_weight=weights)
    train, _ = next(iter(StratifiedKFold(3).split(X, y)))
    expected = GaussianNB().fit(X[train], y[train], sample_weight=weights[train])
    np.testing.assert_array_equal(trained.estimators_[0].theta_, expected.theta_)
    with pytest.raises(ValueError, match="verbose: an estimator that is already fitted takes no keywords"):
        Pav(FrozenEstimator(model.estimator_)).fit(X, y, verbose=True)
    with pytest.raises(TypeError, match="nonsense"):
        Pav(GaussianNB()).fit(X, y, nonsense=1)


def test_an_array_of_weights_is_left_alone() -> None:
    X, y = blobs()
    weights, before = np.arange(120.0), np.arange(120.0)
    Pav(LogisticRegression()).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(weights, before)


# --- metadata routing ------------------------------------------------------------------------------

SEEN: list[tuple[int, dict[str, Any]]] = []


class Recorder(ClassifierMixin, BaseEstimator):
    """A naive Bayes that writes down the keywords of its fit."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, marks: Any = None) -> "Recorder":
        SEEN.append((len(y), {"sample_weight": sample_weight, "marks": marks}))
        self.inner_ = GaussianNB().fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def predict_proba(self, X: Any) -> Any:
        return self.inner_.predict_proba(X)


@pytest.mark.usefixtures("routing")
def test_requests_decide_who_gets_what() -> None:
    X, y = blobs()
    weights, marks, groups = np.arange(1.0, 121), np.arange(120), np.arange(120) // 6
    SEEN.clear()
    estimator = Recorder().set_fit_request(sample_weight=False, marks=True)
    model = Pav(estimator, cv=GroupKFold(4)).fit(X, y, sample_weight=weights, marks=marks, groups=groups)
    assert [n for n, _ in SEEN] == [90, 90, 90, 90, 120]
    assert all(given["sample_weight"] is None for _, given in SEEN)
    for (_, given_), (train, _) in zip(SEEN, GroupKFold(4).split(X, y, groups), strict=False):
        np.testing.assert_array_equal(given_["marks"], marks[train])
    np.testing.assert_array_equal(SEEN[-1][1]["marks"], marks)
    # The default calibrator asks for the weights; one that is given must be asked.
    assert share_of(model) == pytest.approx(weights[y == 1].sum() / weights.sum())
    SEEN.clear()
    estimator = Recorder().set_fit_request(sample_weight=True, marks=False)
    calibrator = rh.PavCalibrator().set_fit_request(sample_weight=False)
    model = Pav(estimator, calibrator=calibrator).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(SEEN[-1][1]["sample_weight"], weights)
    assert share_of(model) == pytest.approx(y.mean())


@pytest.mark.usefixtures("routing")
def test_requests_under_another_name() -> None:
    X, y = blobs()
    SEEN.clear()
    estimator = Recorder().set_fit_request(sample_weight="costs")
    model = Pav(estimator).fit(X, y, costs=np.full(120, 2.0))
    assert SEEN[0][1]["sample_weight"].tolist() == [2.0] * 96
    assert share_of(model) == pytest.approx(y.mean())


@pytest.mark.usefixtures("routing")
def test_keywords_without_a_request_are_refused() -> None:
    X, y = blobs()
    with pytest.raises(ValueError, match=r"sample_weight.* not explicitly set as requested or not"):
        Pav(Recorder()).fit(X, y, sample_weight=np.ones(120))
    asked = Recorder().set_fit_request(sample_weight=True)
    with pytest.raises(ValueError, match=r"sample_weight.* not explicitly set as requested or not"):
        Pav(asked, calibrator=rh.PavCalibrator()).fit(X, y, sample_weight=np.ones(120))
    with pytest.raises(TypeError, match="marks"):
        Pav(GaussianNB()).fit(X, y, marks=np.ones(120))
    with pytest.raises(TypeError, match="groups"):
        Pav(GaussianNB(), cv=5).fit(X, y, groups=np.ones(120))
    with pytest.raises(TypeError, match="marks"):
        Abers(GaussianNB().fit(X, y), cv="prefit").fit(X, y, marks=np.ones(120))


@pytest.mark.usefixtures("routing")
def test_routing_through_a_search_and_into_a_pipeline() -> None:
    X, y = blobs()
    weights = np.arange(1.0, 121)
    SEEN.clear()
    pipeline = make_pipeline(
        StandardScaler().set_fit_request(sample_weight=False), Recorder().set_fit_request(sample_weight=True)
    )
    scorer = make_scorer(brier_score_loss, greater_is_better=False, response_method="predict_proba")
    scorer.set_score_request(sample_weight=False)
    search = GridSearchCV(Pav(pipeline), {"cv": [2, 3]}, cv=2, scoring=scorer, error_score="raise")
    search.fit(X, y, sample_weight=weights)
    assert SEEN
    assert all(given["sample_weight"] is not None for _, given in SEEN)
    inner = search.best_estimator_
    assert share_of(inner) == pytest.approx(weights[y == 1].sum() / weights.sum())
    SEEN.clear()
    Abers(Recorder().set_fit_request(sample_weight=True)).fit(X, y, sample_weight=weights)
    assert [given["sample_weight"].size for _, given in SEEN] == [96] * 5


@pytest.mark.usefixtures("routing")
def test_prefit_routes_to_the_calibrator_only() -> None:
    X, y = blobs()
    weights = np.arange(1.0, 121)
    inner = GaussianNB().fit(X, y)  # has no request, and needs none
    model = Pav(inner, cv="prefit").fit(X, y, sample_weight=weights)
    assert share_of(model) == pytest.approx(weights[y == 1].sum() / weights.sum())


def test_the_meta_estimator_has_no_request_of_its_own() -> None:
    # One that could be set, and then had no effect, would be a trap.
    assert not hasattr(Pav(GaussianNB()), "set_fit_request")
    assert not hasattr(Abers(GaussianNB()), "set_fit_request")


# --- Venn–Abers ------------------------------------------------------------------------------------


def heart() -> tuple[Array, Array]:
    columns = rh.datasets.load("heart")
    label = columns.pop("class") == "present"
    return np.column_stack(list(columns.values())).astype(float), label.astype(int)


def test_agrees_with_the_venn_abers_package() -> None:
    # venn-abers 1.5.3, with the arrays of heart():
    #   model = VennAbersCalibrator(GaussianNB(), inductive=False, n_splits=3, shuffle=False)
    #   model.fit(X[:200], y[:200]); model.predict_proba(X[200:206])[:, 1]
    X, y = heart()
    expected = [0.48141327261655686, 0.6867177827877664, 0.8496526683908623, 0.7482351901374935,
                0.8127596128151648, 0.20305686637824727]  # fmt: skip
    model = Abers(GaussianNB(), cv=3).fit(X[:200], y[:200])
    np.testing.assert_allclose(model.predict_proba(X[200:206])[:, 1], expected, rtol=1e-12)
    assert not model.inductive_
    # Its p0_p1 with inductive=True, cal_size=0.4, random_state=1, shuffle=True instead:
    low = [0.6, 0.66666667, 0.9, 0.66666667, 0.81818182, 0.15789474]
    high = [0.75, 0.75, 1.0, 0.75, 1.0, 0.21052632]
    one = Abers(GaussianNB(), cv=ShuffleSplit(1, test_size=0.4, random_state=1)).fit(X[:200], y[:200])
    np.testing.assert_allclose(one.predict_interval(X[200:206]), [low, high], atol=1e-8)
    assert one.inductive_


@given(st.integers(0, 2**32), st.integers(2, 5))
@tries(10)
def test_intervals_agree_with_a_rotation_by_hand(seed: int, folds: int) -> None:
    X, y = blobs(60, seed)
    new = np.random.default_rng(seed).normal(size=(15, 3)) * 2
    lows, highs = [], []
    for train, test in StratifiedKFold(folds).split(X, y):
        inner = GaussianNB().fit(X[train], y[train])
        predictor = rh.VennAbers().fit(inner.predict_proba(X[test])[:, 1], y[test])
        low, high = predictor.interval(inner.predict_proba(new)[:, 1])
        lows.append(low)
        highs.append(high)
    model = Abers(GaussianNB(), cv=folds).fit(X, y)
    up = np.prod(highs, axis=0) ** (1 / folds)
    down = np.prod(1 - np.array(lows), axis=0) ** (1 / folds)
    probability = model.predict_proba(new)[:, 1]
    np.testing.assert_allclose(probability, up / (up + down), rtol=1e-9)
    low, high = model.predict_interval(new)
    assert (low <= probability).all()
    assert (probability <= high).all()
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(low, expit(np.mean(logit(lows), axis=0)), rtol=1e-12)
        np.testing.assert_allclose(high, expit(np.mean(logit(highs), axis=0)), rtol=1e-12)


def test_venn_abers_predicts_by_its_probability() -> None:
    X, y = blobs()
    model = Abers(GaussianNB()).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), (model.predict_proba(X)[:, 1] > 0.5).astype(int))
    assert len(model.estimators_) == len(model.venn_abers_) == 5


@pytest.mark.long
def test_the_inductive_interval_is_valid() -> None:
    # Vovk, Petej & Fedorova 2015, Proposition 1: of the two ends the label's own is calibrated. So the
    # mean of y minus that end is zero, over draws of everything but the classifier.
    inner = LogisticRegression().fit(*blobs(60))
    rng = np.random.default_rng(3)
    gaps = []
    for _ in range(400):
        y = (rng.random(21) < 0.4).astype(int)
        if y[:20].min() == y[:20].max():
            continue
        X = rng.normal(size=(21, 3)) + y[:, None] * 0.3  # another shift than that of the classifier
        low, high = Abers(inner, cv="prefit").fit(X[:20], y[:20]).predict_interval(X[20:])
        gaps.append(y[20] - (high[0] if y[20] else low[0]))
    error = np.std(gaps) / np.sqrt(len(gaps))
    assert abs(np.mean(gaps)) < 4 * error
    assert error < 0.03


# --- determinism, copies ---------------------------------------------------------------------------


@pytest.mark.long  # it starts processes
@pytest.mark.parametrize("kind", [Pav, Abers])
def test_jobs_and_copies_change_nothing(kind: Any) -> None:
    X, y = blobs()
    inner = DecisionTreeClassifier(max_features=1, max_depth=4, random_state=3)
    first = kind(inner, cv=3)
    assert_copies_decide_alike(first, X, y, lambda model: model.predict_proba(X))
    assert first.get_params()["estimator__max_depth"] == 4


def test_the_calibrator_given_is_a_template() -> None:
    X, y = blobs()
    template = rh.PavCalibrator(bound="laplace")
    model = Pav(GaussianNB(), calibrator=template).fit(X, y)
    assert model.calibrator_ is not template
    assert not hasattr(template, "prevalence_")
    assert np.isfinite(model.predict_llr(X)).all()
    plain = Pav(GaussianNB(), calibrator=rh.PavCalibrator()).fit(X, y)
    assert not np.isfinite(plain.predict_llr(X)).all()


# --- real data -------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*their log-odds fit the labels better:UserWarning")
def test_naive_bayes_is_calibrated_on_held_out_data() -> None:
    columns = rh.datasets.load("adult")
    X = np.column_stack([values for values in columns.values() if values.dtype.kind in "if"]).astype(float)
    y = columns["income"]
    train, test = slice(0, None, 2), slice(1, None, 2)
    models = {
        "none": GaussianNB(),
        "pav": Pav(GaussianNB(), calibrator=rh.PavCalibrator(bound="laplace")),
        "beta": Pav(GaussianNB(), calibrator=rh.BetaCalibrator(), response_method="predict_proba"),
        "line": Pav(GaussianNB(), calibrator=rh.LogisticCalibrator()),
        "abers": Abers(GaussianNB()),
    }
    brier, log = {}, {}
    for name, model in models.items():
        probability = model.fit(X[train], y[train]).predict_proba(X[test])[:, 1]
        brier[name] = brier_score_loss(y[test] == ">50K", probability)
        log[name] = log_loss(y[test] == ">50K", probability)
    # Measured: Brier 0.192 -> 0.129 (PAV), 0.144 (beta), 0.157 (line), 0.129 (Venn–Abers);
    # log loss 0.93 -> 0.40, 0.44, 0.49, 0.40. The scores' order was right, and their scale was not.
    assert brier["none"] > 0.19
    assert max(brier["pav"], brier["abers"]) < 0.13
    assert log["none"] > 0.92
    assert max(log["pav"], log["abers"]) < 0.402
    assert brier["pav"] < brier["beta"] < brier["line"] < brier["none"]
    assert log["pav"] < log["beta"] < log["line"] < log["none"]


# --- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Pav, Abers])
def test_bad_labels(kind: Any) -> None:
    assert_refuses_bad_labels(partial(kind, GaussianNB()))
    X, y = blobs()
    for missing in (None, float("nan"), pd.NA):
        for labels in (y.astype(object), np.where(y == 1, "a", "b").astype(object)):
            labels[3] = missing
            with pytest.raises(ValueError, match=r"^y has missing values, the first at index 3\.$"):
                kind(GaussianNB()).fit(X, labels)
    with pytest.raises(ValueError, match=r"estimator: its classes are \[0, 1\], but those of y are \[1, 2\]"):
        kind(GaussianNB().fit(X, y), cv="prefit").fit(X, y + 1)
    three = GaussianNB().fit(X, np.arange(120) % 3)
    with pytest.raises(ValueError, match=r"estimator: its classes are \[0, 1, 2\], but those of y are"):
        kind(three, cv="prefit").fit(X, y)


@pytest.mark.parametrize("kind", [Pav, Abers])
def test_bad_folds(kind: Any) -> None:
    X, y = blobs()
    few = np.append(np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:3])
    for folds in (5, np.int64(200)):
        with pytest.warns(
            UserWarning, match=f"in {folds} folds needs .* but one class has 3: 3 folds are made"
        ):
            found = kind(GaussianNB(), cv=folds).fit(X[few], y[few]).predict_proba(X)
        same = kind(GaussianNB(), cv=3).fit(X[few], y[few])
        np.testing.assert_array_equal(found, same.predict_proba(X))
    with pytest.raises(ValueError, match="in 41 folds needs 41 examples of each class, but one class"):
        kind(GaussianNB(), cv=41).fit(X[few[:-2]], y[few[:-2]])
    with pytest.raises(ValueError, match="cv must be 'prefit', a number of folds or a splitter, but"):
        kind(GaussianNB(), cv="auto").fit(X, y)
    ordered = np.argsort(y, kind="stable")
    with pytest.raises(ValueError, match="cv: the training part of fold 0 holds one class only"):
        kind(GaussianNB(), cv=[(ordered[:80], ordered[80:]), (ordered[80:], ordered[:80])]).fit(X, y)
    overlapping = [(np.arange(80), np.arange(79, 120)), (np.arange(80, 120), np.arange(79))]
    with pytest.raises(ValueError, match="cv: the training and test parts of fold 0 share examples"):
        kind(GaussianNB(), cv=overlapping).fit(X, y)


def test_folds_that_one_of_them_refuses() -> None:
    X, y = blobs()
    for cv in (ShuffleSplit(3, random_state=0), RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)):
        with pytest.raises(ValueError, match="cv: the test parts must hold every example exactly once"):
            Pav(GaussianNB(), cv=cv).fit(X, y)
        Abers(GaussianNB(), cv=cv).fit(X, y)
    ordered = np.argsort(y, kind="stable")
    alone = [(ordered[20:], ordered[:20]), (ordered[:100], ordered[100:])]
    with pytest.raises(ValueError, match="cv: the test part of fold 0 holds one class only"):
        Abers(GaussianNB(), cv=alone).fit(X, y)


@pytest.mark.parametrize("kind", [Pav, Abers])
def test_bad_weights(kind: Any) -> None:
    assert_refuses_bad_weights(kind(GaussianNB()).fit)


def test_bad_calibrators() -> None:
    X, y = blobs()
    with pytest.raises(ValueError, match=r"one of rochull's, as PavCalibrator\(\) is, but is StandardScaler"):
        Pav(GaussianNB(), calibrator=StandardScaler()).fit(X, y)
    with pytest.raises(ValueError, match="calibrator: its pos_label is 'bad', but must be None"):
        Pav(GaussianNB(), calibrator=rh.PavCalibrator(pos_label="bad")).fit(X, y)


class Broken(GaussianNB):
    """Its probabilities are not numbers."""

    def predict_proba(self, X: Any) -> Any:
        return np.full((len(X), 2), np.nan)


def test_scores_that_are_not_numbers_name_their_maker() -> None:
    X, y = blobs()
    with pytest.raises(ValueError, match="predict_proba of Broken has 24 NaN, the first at index 0"):
        Pav(Broken()).fit(X, y)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_llr"])
def test_unfitted(method: str) -> None:
    with pytest.raises(NotFittedError):
        getattr(Pav(GaussianNB()), method)(np.zeros((2, 2)))
    with pytest.raises(NotFittedError):
        Abers(GaussianNB()).predict_interval(np.zeros((2, 2)))


def test_a_search_over_calibrators() -> None:
    X, y = make_classification(200, random_state=0)
    grid = {"calibrator": [rh.PavCalibrator(bound="laplace"), rh.LogisticCalibrator()], "cv": [2, 4]}
    search = GridSearchCV(Pav(GaussianNB()), grid, scoring="neg_log_loss", error_score="raise", cv=3).fit(
        X, y
    )
    assert np.isfinite(search.best_score_)


def test_the_default_has_no_infinite_log_loss() -> None:
    rng = np.random.default_rng(0)
    for _ in range(10):
        y = np.repeat([0, 1], 40)
        X = rng.normal(2.5 * y)[:, None]
        model = rh.estimators.PavCalibratedClassifier(LogisticRegression()).fit(X, y)
        far = model.predict_proba([[-50.0], [50.0]])
        assert 0 < far.min() < far.max() < 1


# --- an ensemble ----------------------------------------------------------------------------------


def test_an_ensemble_agrees_with_scikit_learn() -> None:
    """Where the classes weigh the same, lines of PAV are those of its isotonic regression."""
    X, y = make_classification(240, flip_y=0.3, random_state=3)
    y = np.argsort(np.argsort(y + 1e-6 * np.arange(240))) >= 120
    folds = StratifiedKFold(4)
    given = rh.PavCalibrator("linear")
    model = rh.estimators.PavCalibratedClassifier(GaussianNB(), cv=folds, calibrator=given, ensemble=True)
    expected = CalibratedClassifierCV(GaussianNB(), method="isotonic", cv=folds, ensemble=True).fit(X, y)
    found = model.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(found, expected.predict_proba(X), atol=1e-12)
    assert len(model.estimators_) == len(model.calibrators_) == 4
    assert not hasattr(model, "calibrator_")
    p = found[:, 1]
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(model.predict_llr(X), np.log(p) - np.log1p(-p), atol=1e-9)
    costs = rh.ExpectedCost(cost_fn=3)
    sure = np.abs(p - 0.25) > 1e-9
    assert (model.decide(X, costs) == (p > 0.25))[sure].all()
    assert not hasattr(model.set_params(ensemble=False).fit(X, y), "calibrators_")


def test_weights_reach_each_calibrator_of_an_ensemble() -> None:
    X, y = make_classification(200, flip_y=0.3, random_state=1)
    weights = np.random.default_rng(0).integers(1, 4, 200).astype(float)
    model = rh.estimators.PavCalibratedClassifier(GaussianNB(), cv=KFold(2), ensemble=True)
    model.fit(X, y, weights)
    for (train, test), made in zip(KFold(2).split(X), model.calibrators_, strict=True):
        scores = GaussianNB().fit(X[train], y[train], weights[train]).predict_proba(X[test])[:, 1]
        own = rh.PavCalibrator(bound="laplace").fit(scores, y[test], weights[test])
        assert made.to_dict() == own.to_dict()
    with pytest.raises(
        ValueError, match="ensemble: there are no folds of an estimator that is fitted already"
    ):
        rh.estimators.PavCalibratedClassifier(GaussianNB().fit(X, y), cv="prefit", ensemble=True).fit(X, y)
