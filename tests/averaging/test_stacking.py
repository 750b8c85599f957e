"""Cross-validated averages: the rotation by hand, splitters, responses, weights, and what is refused."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rochull as rh
from adversaries import Array

X, Y = rh.datasets.make_highleyman(40)


class Detector(BaseEstimator):
    """The Gaussian density of class 1; it has no classes."""

    def fit(self, X: Array, y: Array) -> "Detector":
        self.density_ = multivariate_normal(X[y == 1].mean(axis=0), np.cov(X[y == 1].T))
        return self

    def score_samples(self, X: Array) -> Array:
        return np.asarray(self.density_.logpdf(X))


class Upside(BaseEstimator):
    """A fixed score, whatever it was trained on, with settable classes and weights for `fit`."""

    def __init__(self, classes: Any = (0, 1), wrong: bool = False) -> None:
        self.classes, self.wrong = classes, wrong

    def fit(self, X: Array, y: Array, sample_weight: Array | None = None) -> "Upside":
        self.classes_ = np.array(self.classes)
        self.weight_ = None if sample_weight is None else sample_weight.sum()
        return self

    def decision_function(self, X: Array) -> Array:
        shift = 0.0 if self.weight_ is None else self.weight_
        return X[:, 0] + shift + (np.nan if self.wrong else 0.0)


def by_hand(estimator: Any, splits: Any, response: str = "decision_function") -> tuple[Array, ...]:
    """Labels, scores, folds and rows of a rotation, fold after fold."""
    parts = []
    for f, (train, test) in enumerate(splits):
        fitted = clone(estimator).fit(X[train], Y[train])
        scores = getattr(fitted, response)(X[test])
        scores = scores[:, 1] if scores.ndim == 2 else scores
        parts.append((Y[test], scores, np.full(test.size, f), test))
    return tuple(np.concatenate(column) for column in zip(*parts, strict=True))


def assert_same(
    average: rh.averaging.OperatingPointAverage, expected: tuple[Array, ...], **options: Any
) -> None:
    assert average.stacked is not None
    found = (average.stacked.y, average.stacked.scores, average.stacked.folds, average.stacked.rows)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    again = rh.operating_point_average(*expected[:3], **options)
    np.testing.assert_array_equal(average.thresholds, again.thresholds)
    for measure in ("fpr", "tpr", "error"):
        np.testing.assert_array_equal(average.mean(measure), again.mean(measure))
        np.testing.assert_array_equal(average.std(measure), again.std(measure))


def test_the_papers_rotation() -> None:
    average = rh.cross_validate_roc(Detector(), X, Y, operating_points=30, response_method="score_samples")
    splits = list(StratifiedKFold(10).split(X, Y))
    assert_same(average, by_hand(Detector(), splits, "score_samples"), operating_points=30)
    assert (average.n_folds, len(average), average.overlap) == (10, 31, pytest.approx(1 / 9))
    assert sorted(average.stacked.rows.tolist()) == list(range(80))  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "cv",
    [5, StratifiedKFold(4, shuffle=True, random_state=3), KFold(3), list(KFold(4).split(X))],
    ids=["number", "shuffled", "not stratified", "list"],
)
def test_splitters(cv: Any) -> None:
    splits = cv if isinstance(cv, list) else (StratifiedKFold(5) if cv == 5 else cv).split(X, Y)
    average = rh.cross_validate_roc(LogisticRegression(), X, Y, cv, measures=["tpr", "precision"])
    assert_same(average, by_hand(LogisticRegression(), splits))


def test_repeated_cross_validation() -> None:
    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=0)
    average = rh.cross_validate_roc(GaussianNB(), X, Y, cv)
    assert_same(average, by_hand(GaussianNB(), cv.split(X, Y), "predict_proba"))
    assert average.n_folds == 12
    assert np.bincount(average.stacked.rows).tolist() == [3] * 80  # type: ignore[union-attr]
    assert average.overlap == pytest.approx(1 / 3)  # of a rotation of four, not of twelve
    plain, corrected = average.compare(2, -9, correction=None), average.compare(2, -9)
    assert plain.statistic / corrected.statistic == pytest.approx(np.sqrt((1 / 12 + 1 / 3) / (1 / 12)))


@pytest.mark.parametrize("cv", [GroupKFold(4), StratifiedGroupKFold(4)], ids=lambda cv: type(cv).__name__)
def test_groups(cv: Any) -> None:
    groups = np.arange(80) // 4
    average = rh.cross_validate_roc(GaussianNB(), X, Y, cv, groups=groups)
    assert_same(average, by_hand(GaussianNB(), cv.split(X, Y, groups), "predict_proba"))
    stacked = average.stacked
    assert stacked is not None
    assert all(len(set(stacked.folds[groups[stacked.rows] == g])) == 1 for g in range(20))
    with pytest.raises(
        ValueError, match=r"^groups: nothing takes them with cv=4; cv can be a splitter such as"
    ):
        rh.cross_validate_roc(GaussianNB(), X, Y, 4, groups=groups)


@pytest.mark.long  # it starts processes
def test_jobs_and_seeds() -> None:
    forest = RandomForestClassifier(5, random_state=1)
    one, two, again = (rh.cross_validate_roc(forest, X, Y, 3, n_jobs=n) for n in (None, 2, 1))
    for other in (two, again):
        np.testing.assert_array_equal(one.stacked.scores, other.stacked.scores)  # type: ignore[union-attr]
        np.testing.assert_array_equal(one.fpr_std, other.fpr_std)
    assert not hasattr(forest, "estimators_")


def test_data_frames(frame_module: Callable[[Any], Any]) -> None:
    table = frame_module({"a": X[:, 0], "b": X[:, 1]})
    model = make_pipeline(StandardScaler(), LogisticRegression())
    average = rh.cross_validate_roc(model, table, Y, 4)
    assert average.stacked is not None
    expected = by_hand(model, StratifiedKFold(4).split(X, Y))
    np.testing.assert_allclose(average.stacked.scores, expected[1], rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(average.stacked.rows, expected[3])


def test_response_methods() -> None:
    model = LogisticRegression()
    splits = list(StratifiedKFold(4).split(X, Y))
    assert_same(rh.cross_validate_roc(model, X, Y, 4), by_hand(model, splits))
    proba = rh.cross_validate_roc(model, X, Y, 4, response_method="predict_proba")
    assert_same(proba, by_hand(model, splits, "predict_proba"))
    neighbours = KNeighborsClassifier(3)  # has no decision function
    assert_same(rh.cross_validate_roc(neighbours, X, Y, 4), by_hand(neighbours, splits, "predict_proba"))


@pytest.mark.parametrize("response", ["decision_function", "predict_proba"])
def test_the_positive_class_may_be_the_first(response: str) -> None:
    names = np.array(["bad", "good"])[Y]
    model = LogisticRegression()
    good = rh.cross_validate_roc(model, X, names, 4, pos_label="good", response_method=response)
    bad = rh.cross_validate_roc(model, X, names, 4, pos_label="bad", response_method=response)
    assert good.stacked is not None
    assert bad.stacked is not None
    opposite = -good.stacked.scores if response == "decision_function" else 1 - good.stacked.scores
    np.testing.assert_allclose(bad.stacked.scores, opposite, atol=1e-12)
    assert set(bad.stacked.y.tolist()) == {"bad", "good"}
    assert rh.roc_auc(bad.stacked.y, bad.stacked.scores, pos_label="bad") > 0.5
    numbers = rh.cross_validate_roc(model, X, np.where(Y == 1, 1, -1)[:, None].ravel(), 4)
    np.testing.assert_array_equal(numbers.tpr_mean, rh.cross_validate_roc(model, X, Y, 4).tpr_mean)


def test_weights_are_for_training_and_averaging() -> None:
    weights = np.arange(80) % 3 + 1.0
    average = rh.cross_validate_roc(Upside(), X, Y, 4, sample_weight=weights)
    stacked = average.stacked
    assert stacked is not None
    splits = list(StratifiedKFold(4).split(X, Y))
    expected = np.concatenate([X[test, 0] + weights[train].sum() for train, test in splits])
    np.testing.assert_array_equal(stacked.scores, expected)
    np.testing.assert_array_equal(stacked.sample_weight, weights[stacked.rows])
    again = rh.operating_point_average(
        stacked.y, stacked.scores, stacked.folds, sample_weight=weights[stacked.rows]
    )
    np.testing.assert_array_equal(average.fpr_std, again.fpr_std)


def test_weights_that_the_estimator_cannot_use() -> None:
    weights = np.arange(80) % 3 + 1.0
    with pytest.warns(
        UserWarning, match=r"^KNeighborsClassifier.fit takes no sample_weight: only the averag"
    ):
        average = rh.cross_validate_roc(KNeighborsClassifier(5), X, Y, 4, sample_weight=weights)
    plain = rh.cross_validate_roc(KNeighborsClassifier(5), X, Y, 4)
    np.testing.assert_array_equal(average.stacked.scores, plain.stacked.scores)  # type: ignore[union-attr]
    assert average.fpr_mean.tolist() != plain.fpr_mean.tolist()


def test_fewer_folds_are_made_where_a_class_is_rare() -> None:
    rare = np.arange(80) < 4
    with pytest.warns(
        UserWarning, match="in 9 folds needs 9 examples of each class, but one class has 4: 4 folds"
    ):
        average = rh.cross_validate_roc(GaussianNB(), X, rare, 9)
    assert average.n_folds == 4


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"cv": 41, "y": np.arange(80) == 7},
            "cross-validation (cv) in 41 folds needs 41 examples of each class, but one class has 1.",
        ),
        ({"cv": [(np.arange(40), np.arange(40, 80))]}, "cv must make at least two splits, but makes 1."),
        (
            {"cv": [(np.arange(50), np.arange(40, 80))] * 2},
            "cv: the training and test parts of fold 0 share examples.",
        ),
        (
            {"cv": [(np.flatnonzero(Y), np.flatnonzero(Y == 0))] * 2},
            "cv: the training part of fold 0 holds one class only; use fewer or stratified folds.",
        ),
        (
            {"cv": [(np.arange(40), np.arange(40, 80)), (np.arange(79), np.array([79]))]},
            f"folds: fold 1 has no {'negative' if Y[79] else 'positive'} example, without which",
        ),
        ({"y": Y[:-1]}, "Found input variables with inconsistent numbers of samples: [80, 79]"),
        ({"y": np.ones(80)}, "y has one class only: all 80 labels are positive."),
        ({"y": np.array(["a", "b"])[Y]}, "y takes the values 'a', 'b'; give pos_label"),
        ({"sample_weight": np.ones(79)}, "y and sample_weight must have the same length"),
        ({"response_method": "predict"[:4]}, "estimator: GaussianNB has no pred."),
        ({"measures": "auc"}, "measure must be one of"),
        ({"operating_points": "some"}, "operating_points must be None, a number, 'hull' or thresholds"),
        (
            {"estimator": Upside((3, 4))},
            "estimator: its classes are [3, 4], without the positive one, which is 1.",
        ),
        ({"estimator": Upside(wrong=True)}, "decision_function of Upside has 8 NaN, the first at index 0."),
        (
            {"estimator": StandardScaler()},
            "estimator: StandardScaler has no decision_function or predict_proba.",
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_bad_rotation(changed: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"estimator": GaussianNB(), "X": X, "y": Y}
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        rh.cross_validate_roc(**{**good, **changed})


@pytest.mark.parametrize("bad", [{"measures": "auc"}, {"operating_points": "all"}, {"operating_points": 1}])
def test_bad_options_are_refused_before_the_training(bad: dict[str, Any]) -> None:
    class Costly(Detector):
        def fit(self, X: Array, y: Array) -> "Costly":
            raise AssertionError("trained")

    with pytest.raises(ValueError, match=r"^(measure|operating_points) must be"):
        rh.cross_validate_roc(Costly(), X, Y, **bad)
