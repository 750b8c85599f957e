"""The meta-estimator of several classes: out-of-fold weights, scikit-learn's contract, conditions."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

import rochull as rh
from estimator_cases import Reversed, contract
from rochull.multiclass.points import MulticlassPoint

Array = np.ndarray[Any, Any]


class Thresholds(rh.estimators.MulticlassThresholdClassifier):
    """With a short search, seeded: what is tested is what is done with its points."""

    def __init__(
        self, estimator: Any, objective: Any = "max_error", cv: Any = 3, *, method: str = "coordinate",
        subject_to: Any = (), n_starts: int | None = 3, n_jobs: int | None = None, random_state: Any = 0,
        refit: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(
            estimator, objective, cv, method=method, subject_to=subject_to, n_starts=n_starts, n_jobs=n_jobs,
            random_state=random_state, refit=refit,
        )  # fmt: skip


class Weighed(Thresholds):
    """With probabilities that are weighed like the decisions, and so agree with them."""

    def predict_proba(self, X: Any) -> Array:
        weighed = super().predict_proba(X) * self.weights_
        return np.asarray(weighed / weighed.sum(axis=1, keepdims=True))


def blobs(n: int = 150, seed: int = 0, labels: Any = (0, 1, 2)) -> tuple[Array, Array]:
    """Normal features and three labels, unequally frequent, that overlap."""
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1, 0, 2, 0], n // 5)
    return rng.normal(size=(y.size, 3)) + 1.2 * np.eye(3)[y], np.array(labels)[y]


COSTS = rh.multiclass.CostMatrix([[0, 1, 4], [8, 0, 1], [3, 2, 0]])


# --- scikit-learn's own checks ---------------------------------------------------------------------

EXPECTED_FAILED = {
    "check_classifiers_train": "predict is the largest weighed probability, not the largest probability; "
    "scikit-learn expects the same of its TunedThresholdClassifierCV. Checked with weighed probabilities.",
}
PUBLIC = rh.estimators.MulticlassThresholdClassifier(GaussianNB(), cv=3, n_starts=3, random_state=0)
CHECKS = [
    case
    for case in contract(PUBLIC, Weighed(GaussianNB()))
    if (case.values[1].func.__name__ in EXPECTED_FAILED) == isinstance(case.values[0], Weighed)
]


@pytest.mark.parametrize(("model", "check"), CHECKS)
def test_scikit_learn_contract(model: Any, check: Any) -> None:
    check(model)


@pytest.mark.filterwarnings("ignore")  # of what scikit-learn does to provoke errors, and of what it skips
def test_the_contract_is_kept_but_for_the_expected_failures() -> None:
    found = check_estimator(PUBLIC, expected_failed_checks=EXPECTED_FAILED, on_fail=None, on_skip=None)
    assert {one["check_name"] for one in found if one["status"] == "failed"} == set()
    failed = {one["check_name"] for one in found if one["status"] == "xfail"}
    assert failed == set(EXPECTED_FAILED)


# --- the outputs are out of fold, and weights are chosen on them ------------------------------------


def test_agrees_with_a_search_by_hand() -> None:
    X, y = blobs(labels=("b", "c", "a"))
    for cv in (3, KFold(4, shuffle=True, random_state=0), list(StratifiedKFold(5).split(X, y))):
        model = Thresholds(GaussianNB(), COSTS, cv).fit(X, y)
        outputs = cross_val_predict(GaussianNB(), X, y, cv=cv, method="predict_proba")
        np.testing.assert_array_equal(model.out_of_fold_scores_, outputs)
        roc = rh.MulticlassRoc(y, outputs)
        expected = roc.search(COSTS, n_starts=3, random_state=0)
        np.testing.assert_array_equal(model.points_.weights, expected.weights)
        np.testing.assert_array_equal(model.weights_, expected.at(COSTS).weights)
        called = model.classes_[np.argmax(outputs * model.weights_, axis=1)]
        np.testing.assert_array_equal(model.point_.confusion, confusion_matrix(y, called))
        inner = GaussianNB().fit(X, y)
        new = blobs(40, 1)[0]
        np.testing.assert_array_equal(model.predict_proba(new), inner.predict_proba(new))
        by_hand = model.classes_[np.argmax(inner.predict_proba(new) * model.weights_, axis=1)]
        np.testing.assert_array_equal(model.predict(new), by_hand)
        plain = roc.points_at([1, 1, 1]).values(COSTS)[0]
        assert model.point_.value(COSTS) <= plain


def test_a_memoriser_is_judged_on_what_it_has_not_seen() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), rng.integers(0, 3, 300)
    model = Thresholds(KNeighborsClassifier(1)).fit(X, y)
    assert model.estimator_.score(X, y) == 1
    assert model.point_.errors.max() > 0.5


def test_the_minimax_rule_evens_errors_out() -> None:
    vehicle = rh.datasets.load("vehicle")
    y = vehicle.pop("Class")
    X = np.column_stack(list(vehicle.values())).astype(float)
    model = rh.estimators.MulticlassThresholdClassifier(GaussianNB(), random_state=0)
    train, test = next(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    model.fit(X[train], y[train])

    def worst(called: Array) -> float:
        counts = confusion_matrix(y[test], called)
        return float((1 - np.diagonal(counts) / counts.sum(axis=1)).max())

    assert worst(model.predict(X[test])) < worst(model.estimator_.predict(X[test])) - 0.1


def test_two_classes() -> None:
    X, y = blobs(labels=(0, 1, 1))
    model = Thresholds(LogisticRegression(), rh.multiclass.CostMatrix([[0, 1], [5, 0]])).fit(X, y)
    hull = rh.roc_hull(y, model.out_of_fold_scores_[:, 1])
    best = hull.at(rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=float(y.mean())))
    rates = model.point_.rates
    assert (rates[0, 1], rates[1, 1]) == pytest.approx((best.fpr, best.tpr))


def test_limits_hold_in_sample() -> None:
    X, y = blobs(300)
    free = Thresholds(GaussianNB(), "error").fit(X, y)
    cell = float(free.point_.rates[1, 0])
    limits = [rh.multiclass.Cell(1, 0) <= cell / 2, rh.multiclass.Error(2) <= float(free.point_.errors[2])]
    model = Thresholds(GaussianNB(), "error", subject_to=limits).fit(X, y)
    assert model.point_.rates[1, 0] <= cell / 2
    assert model.point_.errors[2] <= free.point_.errors[2]
    assert model.point_.value("error") >= free.point_.value("error")
    impossible = [rh.multiclass.Error(label) <= 0.0 for label in (0, 1, 2)]
    with pytest.raises(rh.InfeasibleConditionError):
        Thresholds(GaussianNB(), subject_to=impossible).fit(X, y)


def test_the_same_seed_gives_the_same_weights_and_methods_differ() -> None:
    X, y = blobs()
    found = [
        Thresholds(GaussianNB(), COSTS, method=method).fit(X, y) for method in ("coordinate", "greedy") * 2
    ]
    np.testing.assert_array_equal(found[0].weights_, found[2].weights_)
    np.testing.assert_array_equal(found[1].points_.weights, found[3].points_.weights)
    assert found[0].point_.value(COSTS) <= found[1].point_.value(COSTS)
    jobs = Thresholds(GaussianNB(), COSTS, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(found[0].weights_, jobs.weights_)


# --- conditions -------------------------------------------------------------------------------------


def test_conditions_at_prediction() -> None:
    X, y = blobs()
    new = blobs(60, 1)[0]
    model = Thresholds(GaussianNB()).fit(X, y)
    outputs = model.predict_proba(new)
    np.testing.assert_array_equal(model.predict(new, [1, 1, 1]), model.estimator_.predict(new))
    np.testing.assert_array_equal(model.predict(new, [1, 5, 0]), np.argmax(outputs * [1, 5, 0], axis=1))
    other = model.points_[len(model.points_) - 1]
    np.testing.assert_array_equal(
        model.predict(new, condition=other), np.argmax(outputs * other.weights, axis=1)
    )
    point = model.operating_point(COSTS)
    refitted = clone(model).set_params(objective=COSTS).fit(X, y)
    np.testing.assert_array_equal(point.weights, refitted.weights_)
    np.testing.assert_array_equal(model.predict(new, COSTS), refitted.predict(new))
    np.testing.assert_array_equal(
        model.predict(new), model.predict(new, model.point_)
    )  # it is the fitted one still
    limited = model.operating_point("error", [rh.multiclass.Error(1) <= float(model.point_.errors[1])])
    assert limited.errors[1] <= model.point_.errors[1]
    for wrong, message in (
        ([1, 1], "condition must have shape"),
        (rh.multiclass.Error(1) <= 0.1, "is the limit"),
    ):
        with pytest.raises(ValueError, match=message):
            model.predict(new, wrong)


def test_mixtures_by_key() -> None:
    X, y = blobs()
    model = Thresholds(GaussianNB()).fit(X, y)
    rules = ((np.array([1.0, 0, 0]), 0.25), (np.array([0, 1.0, 0]), 0.75))
    point = MulticlassPoint(rules, model.point_.confusion, model.point_.classes)
    many = np.repeat(X, 10, axis=0)
    keys = np.arange(len(many))
    found = model.predict(many, point, key=keys)
    assert set(found.tolist()) == {0, 1}
    assert found.mean() == pytest.approx(0.75, abs=0.05)
    order = keys[::-1]
    np.testing.assert_array_equal(model.predict(many[order], point, key=keys[order]), found[order])
    np.testing.assert_array_equal(
        model.predict(many, point, random_state=1), model.predict(many, point, random_state=1)
    )


def test_a_policy_of_the_points_decides_alike() -> None:
    X, y = blobs(labels=("b", "c", "a"))
    model = Thresholds(GaussianNB(), COSTS).fit(X, y)
    made = rh.multiclass.MulticlassPolicy.from_json(
        rh.multiclass.MulticlassPolicy.from_points(model.points_).to_json()
    )
    new = blobs(60, 1)[0]
    np.testing.assert_array_equal(made.decide(model.predict_proba(new), COSTS), model.predict(new))


# --- one split, prefit, frozen ----------------------------------------------------------------------


def test_one_split_with_and_without_refit() -> None:
    X, y = blobs()
    cv = ShuffleSplit(1, test_size=0.4, random_state=0)
    ((train, test),) = cv.split(X, y)
    inner = GaussianNB().fit(X[train], y[train])
    points = rh.MulticlassRoc(y[test], inner.predict_proba(X[test])).search(n_starts=3, random_state=0)
    for refit in (True, False):
        model = Thresholds(GaussianNB(), cv=cv, refit=refit).fit(X, y)
        np.testing.assert_array_equal(model.weights_, points.at("max_error").weights)
        kept = GaussianNB().fit(X, y) if refit else inner
        np.testing.assert_array_equal(model.predict_proba(X), kept.predict_proba(X))
        assert not hasattr(model, "out_of_fold_scores_")
    with pytest.raises(ValueError, match=r"refit=False needs one split, .* there are 3"):
        Thresholds(GaussianNB(), refit=False).fit(X, y)
    one_class = [(np.arange(100), np.flatnonzero(np.append(np.zeros(100, bool), y[100:] != 1)))]
    with pytest.raises(ValueError, match="cv: the test part holds no example of class 1"):
        Thresholds(GaussianNB(), cv=one_class).fit(X, y)


@pytest.mark.parametrize("frozen", [False, True])
def test_fitted_already(frozen: bool) -> None:
    X, y = blobs(labels=("b", "c", "a"))
    inner = GaussianNB().fit(X[:75], y[:75])
    model = Thresholds(FrozenEstimator(inner)) if frozen else Thresholds(inner, cv="prefit")
    model.fit(X[75:], y[75:])
    points = rh.MulticlassRoc(y[75:], inner.predict_proba(X[75:])).search(n_starts=3, random_state=0)
    np.testing.assert_array_equal(model.weights_, points.at("max_error").weights)
    np.testing.assert_array_equal(model.predict_proba(X), inner.predict_proba(X))
    assert model.n_features_in_ == 3


def test_classes_in_another_order() -> None:
    X, y = blobs(labels=("b", "c", "a"))
    plain, turned = Thresholds(LogisticRegression(), COSTS).fit(X, y), Thresholds(Reversed(), COSTS).fit(X, y)
    np.testing.assert_array_equal(plain.predict_proba(X), turned.predict_proba(X))
    np.testing.assert_array_equal(plain.predict(X), turned.predict(X))
    fitted = Thresholds(Reversed().fit(X, y), cv="prefit").fit(X, y)
    assert fitted.classes_.tolist() == list(fitted.point_.classes) == ["c", "b", "a"]
    np.testing.assert_array_equal(fitted.predict_proba(X), turned.predict_proba(X)[:, ::-1])


# --- weights and keywords ---------------------------------------------------------------------------


def test_whole_weights_are_repetitions() -> None:
    X, y = blobs()
    weights = np.random.default_rng(0).integers(0, 3, y.size)
    inner = GaussianNB().fit(X, y)
    weighted = Thresholds(inner, COSTS, "prefit").fit(X, y, sample_weight=weights)
    repeated = Thresholds(inner, COSTS, "prefit").fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_array_equal(weighted.weights_, repeated.weights_)
    np.testing.assert_array_equal(weighted.point_.confusion, repeated.point_.confusion)


def test_weights_reach_the_estimator_and_the_search() -> None:
    X, y = blobs()
    weights = np.random.default_rng(0).gamma(1, size=y.size)
    model = Thresholds(GaussianNB(), COSTS).fit(X, y, sample_weight=weights)
    outputs = np.full((y.size, 3), np.nan)
    for train, test in StratifiedKFold(3).split(X, y):
        outputs[test] = GaussianNB().fit(X[train], y[train], weights[train]).predict_proba(X[test])
    np.testing.assert_array_equal(model.out_of_fold_scores_, outputs)
    expected = rh.MulticlassRoc(y, outputs, weights).search(COSTS, n_starts=3, random_state=0).at(COSTS)
    np.testing.assert_array_equal(model.weights_, expected.weights)
    with pytest.warns(UserWarning, match="fit takes no sample_weight: only the search uses the weights"):
        Thresholds(LinearDiscriminantAnalysis()).fit(X, y, sample_weight=weights)
    with pytest.raises(ValueError, match="sample_weight: class 2 has zero total weight"):
        Thresholds(GaussianNB()).fit(X, y, sample_weight=(y != 2).astype(float))


def test_groups_go_to_the_splitter() -> None:
    X, y = blobs()
    groups = np.arange(y.size) // 10
    model = Thresholds(GaussianNB(), cv=GroupKFold(5)).fit(X, y, groups=groups)
    expected = cross_val_predict(GaussianNB(), X, y, cv=GroupKFold(5), groups=groups, method="predict_proba")
    np.testing.assert_array_equal(model.out_of_fold_scores_, expected)
    with pytest.raises(ValueError, match="groups: nothing takes them with cv=3"):
        Thresholds(GaussianNB()).fit(X, y, groups=groups)


@pytest.mark.usefixtures("routing")
def test_metadata_routing() -> None:
    X, y = blobs()
    weights = np.random.default_rng(0).gamma(1, size=y.size)
    for inner_asks, search_asks in ((True, True), (True, False), (False, True)):
        inner = GaussianNB().set_fit_request(sample_weight=inner_asks)
        model = Thresholds(inner, COSTS).set_fit_request(sample_weight=search_asks)
        model.fit(X, y, sample_weight=weights)
        outputs = np.full((y.size, 3), np.nan)
        for train, test in StratifiedKFold(3).split(X, y):
            given = weights[train] if inner_asks else None
            outputs[test] = GaussianNB().fit(X[train], y[train], given).predict_proba(X[test])
        np.testing.assert_array_equal(model.out_of_fold_scores_, outputs)
        roc = rh.MulticlassRoc(y, outputs, weights if search_asks else None)
        np.testing.assert_array_equal(
            model.weights_, roc.search(COSTS, n_starts=3, random_state=0).at(COSTS).weights
        )
    piped = make_pipeline(StandardScaler(), Thresholds(GaussianNB()).set_predict_request(condition=True))
    piped.fit(X, y)
    assert set(piped.predict(X, condition=[0, 1, 0])) == {1}


# --- scikit-learn's tools ---------------------------------------------------------------------------


@pytest.mark.long
def test_clone_grid_pipeline_frame_and_pickle() -> None:
    X, y = blobs(labels=("b", "c", "a"))
    frame = pd.DataFrame(X, columns=["p", "q", "r"])
    model = make_pipeline(StandardScaler().set_output(transform="pandas"), Thresholds(LogisticRegression()))
    search = GridSearchCV(
        model, {"thresholds__estimator__C": [0.1, 1.0], "thresholds__objective": ["error", COSTS]}, cv=2
    )
    best = search.fit(frame, y).best_estimator_
    assert best[-1].feature_names_in_.tolist() == ["p", "q", "r"]
    scores = cross_val_score(model, frame, y, cv=3)
    assert np.all(scores > 0.3)
    again = pickle.loads(pickle.dumps(best))
    np.testing.assert_array_equal(again.predict(frame), best.predict(frame))
    np.testing.assert_array_equal(
        again[-1].operating_point(COSTS).weights, best[-1].operating_point(COSTS).weights
    )


# --- bad input --------------------------------------------------------------------------------------


class Broken(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Its probabilities are whatever is asked for."""

    def __init__(self, value: Any = np.nan, columns: int = 3) -> None:
        self.value = value
        self.columns = columns

    def fit(self, X: Array, y: Array) -> "Broken":
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Array) -> Array:
        return np.full((len(X), self.columns), self.value)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Thresholds(GaussianNB(), "cheapest"), "objective must be"),
        (Thresholds(GaussianNB(), cv="five"), "cv must be 'prefit', a number of folds or a splitter"),
        (Thresholds(GaussianNB(), method="grid"), "method must be one of"),
        (Thresholds(LinearSVC()), "estimator: LinearSVC has no predict_proba"),
        (Thresholds(Broken()), "predict_proba of Broken has 150 NaN, the first in row 0, column 0"),
        (Thresholds(Broken(-1.0)), "negative values"),
        (Thresholds(Broken(0.5, 2)), "predict_proba of Broken must give an output for each of 3 classes"),
        (
            Thresholds(GaussianNB(), cv=[(np.arange(75), np.arange(75, 150))] * 2),
            "every example exactly once",
        ),
        (Thresholds(GaussianNB(), rh.multiclass.CostMatrix(np.ones((2, 2)))), "3 classes"),
    ],
)
def test_what_cannot_be_fitted(model: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        model.fit(*blobs())


def test_labels_that_cannot_be_fitted() -> None:
    X, y = blobs()
    with pytest.raises(ValueError, match="y has one class only"):
        Thresholds(GaussianNB()).fit(X, np.zeros(len(X)))
    unlucky = KFold(3)  # the last class is in the last part alone
    late = np.sort(y)
    with pytest.raises(ValueError, match="the training part of fold 2 holds no example of class 2"):
        Thresholds(GaussianNB(), cv=unlucky).fit(X, late)
    with pytest.raises(NotFittedError):
        Thresholds(GaussianNB()).predict(X)
    with pytest.raises(NotFittedError):
        Thresholds(GaussianNB()).operating_point()


def test_trees_give_ties_to_the_first_class() -> None:
    X, y = blobs()
    model = Thresholds(DecisionTreeClassifier(max_depth=1)).fit(X, y)
    outputs = model.predict_proba(X)
    called = [max(range(3), key=lambda c, row=row: (row[c], -c)) for row in outputs * model.weights_]
    assert model.predict(X).tolist() == called
