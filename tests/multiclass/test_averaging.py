"""Operating points of several classes averaged over folds: by hand, beside two classes, refusals."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, RepeatedStratifiedKFold, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import rochull as rh
from adversaries import Array
from profiles import tries
from refusals import refuses

X, Y = load_iris(return_X_y=True)
COSTS = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]


def example(seed: int = 0, n: int = 120, n_classes: int = 3, n_folds: int = 4) -> tuple[Array, Array, Array]:
    """Labels, tied outputs and folds, each of which has every class."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    folds = np.arange(n) // n_classes % n_folds
    order = rng.permutation(n)
    outputs = rng.integers(0, 5, (n, n_classes)) + 2.0 * (y[:, None] == np.arange(n_classes))
    return y[order], outputs[order], folds[order]


def weights(seed: int = 0, k: int = 12, n_classes: int = 3) -> Array:
    found = np.random.default_rng(seed).integers(0, 4, (k, n_classes)) / 2
    found[found.sum(axis=1) == 0] = 1
    return found


# --- slow twins: written from the definition -----------------------------------------------------


def matrices(y: Array, outputs: Array, folds: Array, vectors: Array, mass: Array | None = None) -> Array:
    """Confusion matrices (n_folds, k, C, C), example by example."""
    labels, classes = sorted(set(folds.tolist())), sorted(set(y.tolist()))
    out = np.zeros((len(labels), len(vectors), len(classes), len(classes)))
    for i in range(len(y)):
        for p, vector in enumerate(vectors):
            called = max(range(len(classes)), key=lambda c: (vector[c] * outputs[i, c], -c))
            out[labels.index(folds[i]), p, classes.index(y[i]), called] += 1 if mass is None else mass[i]
    return out


def plain(name: str, found: Array) -> Array:
    """The values of a measure (n_folds, k) of matrices (n_folds, k, C, C)."""
    total = found.sum(axis=-1)
    errors = 1 - np.diagonal(found, axis1=2, axis2=3) / total
    if name == "error of 1":
        return np.asarray(errors[..., 1])
    if name == "cell":
        return np.asarray(found[..., 2, 0] / total[..., 2])
    if name == "max":
        return np.asarray(errors.max(axis=-1))
    if name == "cost":
        return np.asarray((found / total[..., None] * COSTS).sum(axis=-1) @ [0.5, 0.25, 0.25])
    return 1 - np.trace(found, axis1=2, axis2=3) / total.sum(axis=-1)


MEASURES: dict[str, Any] = {
    "error of 1": rh.multiclass.Error(1),
    "cell": rh.multiclass.Cell(2, 0),
    "max": "max_error",
    "cost": rh.multiclass.CostMatrix(COSTS, priors=[2, 1, 1]),
    "share": lambda m: 1 - np.trace(m, axis1=1, axis2=2) / m.sum(axis=(1, 2)),
    "error": "error",
}


@tries(20)
@given(st.integers(0, 2**32 - 1), st.booleans(), st.integers(2, 5))
def test_means_and_deviations(seed: int, weighted: bool, n_folds: int) -> None:
    y, outputs, folds = example(seed, 60, n_folds=n_folds)
    vectors = weights(seed)
    mass = np.random.default_rng(seed).integers(1, 5, 60) / 4 if weighted else None
    average = rh.multiclass.multiclass_average(y, outputs, folds, vectors, sample_weight=mass)
    expected = matrices(y, outputs, folds, vectors, mass)
    np.testing.assert_array_equal(average.confusion, expected)
    assert (average.confusion.dtype == np.int64) == (not weighted)
    np.testing.assert_array_equal(average.points.confusion, expected.sum(axis=0))
    for name, measure in MEASURES.items():
        values = plain(name, expected)
        np.testing.assert_allclose(average.per_fold(measure), values, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(average.mean(measure), values.mean(axis=0), rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(average.std(measure), values.std(axis=0, ddof=1), rtol=1e-9, atol=1e-14)
        assert average.defined(measure).tolist() == [n_folds] * len(vectors)
        np.testing.assert_allclose(average.sem(measure), average.std(measure) / n_folds**0.5)
    assert average.errors_mean[:, 1].tolist() == average.mean(rh.multiclass.Error(1)).tolist()
    assert average.errors_std[:, 1].tolist() == average.std(rh.multiclass.Error(1)).tolist()
    assert average.errors_sem[:, 1].tolist() == average.sem(rh.multiclass.Error(1)).tolist()


def test_folds_that_agree_do_not_vary() -> None:
    y, outputs, _ = example(n=30)
    tripled = rh.multiclass.multiclass_average(
        np.tile(y, 3), np.tile(outputs, (3, 1)), np.repeat([0, 1, 2], 30), weights()
    )
    assert not tripled.errors_std.any()
    assert not tripled.std("max_error").any()
    assert tripled.compare(0, 1).pvalue in (0.0, 1.0)


def test_undefined_in_a_fold() -> None:
    y, outputs, folds = example()
    precision = lambda m: m[:, 0, 0] / m[:, :, 0].sum(axis=1)  # noqa: E731
    average = rh.multiclass.multiclass_average(y, outputs, folds, [[1, 1, 1], [0, 1, 1]])
    assert average.defined(precision).tolist()[0] == 4
    expected = [m[0, 0] / m[:, 0].sum() for m in average.confusion[:, 0]]
    assert average.mean(precision)[0] == pytest.approx(np.mean(expected))
    # All zero products are a tie, which the first class wins; elsewhere it is never called.
    assert average.defined(precision)[1] == (average.confusion[:, 1, :, 0].sum(axis=1) > 0).sum()


# --- tests ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(MEASURES))
def test_is_scipys_dependent_test(name: str) -> None:
    average = rh.multiclass.multiclass_average(*example(n=300, n_folds=10), weights())
    values = average.per_fold(MEASURES[name])
    moving = [p for p in range(1, len(average)) if np.ptp(values[:, 0] - values[:, p]) > 0.01]
    assert moving
    found = average.compare(0, moving, MEASURES[name])
    expected = stats.ttest_rel(values[:, [0]], values[:, moving])
    np.testing.assert_allclose(found.statistic, expected.statistic, rtol=1e-7)
    np.testing.assert_allclose(found.pvalue, expected.pvalue, rtol=1e-7)
    printed = average.compare(0, moving[0], MEASURES[name], df="2n-2")
    assert printed.pvalue == pytest.approx(2 * stats.t.sf(abs(found.statistic[0]), 18))  # type: ignore[index]


def test_the_largest_error_is_compared_if_nothing_is_named() -> None:
    average = rh.multiclass.multiclass_average(*example(), weights())
    assert average.compare(0, 3).pvalue == average.compare(0, 3, rh.multiclass.MaxError()).pvalue


@pytest.mark.parametrize("df", ["n-1", "2n-2"])
def test_and_rule(df: str) -> None:
    average = rh.multiclass.multiclass_average(*example(n=300, n_folds=10), weights(k=30))
    pvalues = np.array(
        [average.compare(2, measure=rh.multiclass.Error(c), df=df).pvalue for c in average.classes]
    )
    circles = average.indistinguishable(2, df=df)
    assert circles.tolist() == (pvalues > 0.05).all(axis=0).tolist()
    assert circles[2]
    assert 1 < circles.sum() < 30
    one = average.indistinguishable(2, rh.multiclass.Error(1), df=df)
    assert one.tolist() == (pvalues[1] > 0.05).tolist()
    strict = average.indistinguishable(2, level=0.999, df=df)
    assert strict.tolist() == (pvalues > 0.001).all(axis=0).tolist()


def test_two_classifiers() -> None:
    first, second = (
        rh.multiclass.cross_validate_multiclass(m, X, Y, 5, operating_points=[[1, 1, 1], [1, 1, 3]])
        for m in (GaussianNB(), LogisticRegression(max_iter=1000))
    )
    found = first.compare(0, 1, "error", other=second)
    values = first.per_fold("error", [0]), second.per_fold("error", [1])
    assert found.estimate == pytest.approx((values[0] - values[1]).mean())
    shuffled = rh.multiclass.cross_validate_multiclass(
        GaussianNB(), X, Y, StratifiedKFold(5, shuffle=True, random_state=0), operating_points=[[1, 1, 1]]
    )
    refuses(r"^other was averaged over other folds", first.compare, 0, 0, other=shuffled)
    refuses(r"^other must be a MulticlassAverage, but is an int\.$", first.compare, 0, 0, other=3)


# --- two classes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_two_classes_are_the_two_class_average(weighted: bool) -> None:
    """At weights (t, 1 - t) a posterior p is called positive where p >= t, so at the threshold t."""
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    score = np.round((rng.normal(size=300) + y) * 8)  # whole numbers: products with a power of two are exact
    score = (score - score.min() + 1) / 128
    folds = np.arange(300) // 2 % 10
    mass = rng.integers(1, 9, 300) / 8 if weighted else None
    two = rh.operating_point_average(y, score, folds, sample_weight=mass)
    steps = two.thresholds[1:]
    # The first column wins ties: it is that of the positives, whose output is the score against 1.
    several = rh.multiclass.multiclass_average(
        y, np.column_stack([score, np.ones(300)]), folds, np.column_stack([np.ones(steps.size), steps]),
        sample_weight=mass, classes=[1, 0],
    )  # fmt: skip
    cost = rh.ExpectedCost(prevalence=0.25, cost_fp=1, cost_fn=4)
    pairs: list[tuple[Any, Any]] = [
        (rh.multiclass.Error(0), "fpr"),
        (rh.multiclass.Cell(1, 1), "tpr"),
        ("error", "error"),
        (rh.multiclass.CostMatrix([[0, 4], [1, 0]], priors=[0.25, 0.75]), cost),
        (lambda m: m[:, 0, 0] / m[:, :, 0].sum(axis=1), "precision"),
    ]
    for mine, theirs in pairs:
        np.testing.assert_allclose(several.mean(mine), two.mean(theirs)[1:], rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(several.std(mine), two.std(theirs)[1:], rtol=1e-9, atol=1e-15)
        assert several.defined(mine).tolist() == two.defined(theirs)[1:].tolist()
        found = several.compare(9, measure=mine, df="2n-2", correction="nadeau-bengio")
        expected = two.compare(10, range(1, len(two)), theirs, df="2n-2", correction="nadeau-bengio")
        np.testing.assert_allclose(found.statistic, expected.statistic, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(found.pvalue, expected.pvalue, rtol=1e-7, atol=1e-12)
    circles = two.indistinguishable(10, ["fpr", "tpr"])[1:]
    assert several.indistinguishable(9).tolist() == circles.tolist()
    if not weighted:
        assert several.mean(rh.multiclass.Error(0)).tolist() == two.fpr_mean[1:].tolist()
        assert several.std(rh.multiclass.Error(0)).tolist() == two.fpr_std[1:].tolist()


# --- points --------------------------------------------------------------------------------------


def test_points_are_searched_on_the_stacked_outputs() -> None:
    y, outputs, folds = example()
    average = rh.multiclass.multiclass_average(y, outputs, folds, random_state=3)
    found = rh.MulticlassRoc(y, outputs).search(method="greedy", random_state=3)
    assert average.weights.tolist() == found.weights.tolist()
    assert average.method == "greedy search on the same outputs"
    few = rh.multiclass.multiclass_average(y, outputs, folds, 7, random_state=3, n_starts=50, n_steps=2)
    assert len(few) == 7
    cost = rh.multiclass.CostMatrix(COSTS)
    cheap = rh.multiclass.multiclass_average(
        y, outputs, folds, 5, objective=cost, method="coordinate", random_state=0
    )
    best = rh.MulticlassRoc(y, outputs).search(cost, "coordinate", keep=5, random_state=0)
    assert cheap.weights.tolist() == best.weights.tolist()
    given = rh.multiclass.multiclass_average(y, outputs, folds, found)
    assert given.errors_mean.tolist() == average.errors_mean.tolist()
    assert given.method == "given weights"


def test_held_out_weights() -> None:
    y, outputs, folds = example()
    average = rh.multiclass.multiclass_average(y, outputs, folds, 5, n_starts=60, n_steps=1, random_state=0)
    held_out = average.held_out()
    for f in range(4):
        others = folds != f
        best = rh.MulticlassRoc(y[others], outputs[others]).search(
            method="greedy", n_starts=60, n_steps=1, keep=1, random_state=0
        )
        part = matrices(y[~others], outputs[~others], folds[~others], best.weights)
        assert held_out[f].tolist() == part[0, 0].tolist()
    vectors = weights()
    of_given = rh.multiclass.multiclass_average(y, outputs, folds, vectors).held_out()
    for f in range(4):
        rest = matrices(y, outputs, folds, vectors)[np.arange(4) != f].sum(axis=0)
        errors = 1 - np.diagonal(rest, axis1=1, axis2=2) / rest.sum(axis=2)
        best_given = vectors[np.argmin(errors.max(axis=1))]
        part = matrices(y[folds == f], outputs[folds == f], folds[folds == f], best_given[None])
        assert of_given[f].tolist() == part[0, 0].tolist()


def test_held_out_needs_folds_that_are_apart() -> None:
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    average = rh.multiclass.cross_validate_multiclass(GaussianNB(), X, Y, cv, operating_points=[[1, 1, 1]])
    assert average.repeated
    assert average.overlap == pytest.approx(1 / 2)
    refuses(r"^held_out needs folds that are apart", average.held_out)
    y, outputs, folds = np.array([0, 1, 2, 0, 1]), np.ones((5, 3)), [0, 0, 0, 1, 1]
    with pytest.raises(ValueError, match=r"^folds: only fold number 0 has examples of class 2\.$"):
        rh.multiclass.multiclass_average(y, outputs, folds, [[1, 1, 1]]).held_out()


# --- the rotation --------------------------------------------------------------------------------


@pytest.mark.parametrize("cv", [5, StratifiedKFold(4, shuffle=True, random_state=3)])
def test_rotation(cv: Any) -> None:
    X, y = load_wine(return_X_y=True)
    names = np.array(["red", "blanc", "green"])[y]  # sorted otherwise than numbered
    average = rh.multiclass.cross_validate_multiclass(
        GaussianNB(), X, names, cv, operating_points=[[1, 1, 1], [1, 2, 1]]
    )
    splitter = StratifiedKFold(5) if cv == 5 else cv
    expected = cross_val_predict(GaussianNB(), X, names, cv=splitter, method="predict_proba")
    stacked = average.stacked
    assert stacked is not None
    np.testing.assert_array_equal(stacked.scores, expected[stacked.rows])
    assert average.classes == ("blanc", "green", "red")
    again = rh.multiclass.multiclass_average(stacked.y, stacked.scores, stacked.folds, average.points)
    np.testing.assert_array_equal(average.errors_mean, again.errors_mean)
    np.testing.assert_array_equal(average.errors_std, again.errors_std)
    assert repr(stacked) == f"Stacked(178 outputs of 3 classes, {average.n_folds} folds)"


class Reversed(ClassifierMixin, BaseEstimator):
    """Outputs in an order of its own, possibly not of all classes."""

    def __init__(self, classes: Any = (2, 0, 1), columns: int = 3) -> None:
        self.classes, self.columns = classes, columns

    def fit(self, X: Array, y: Array) -> "Reversed":
        self.classes_ = np.array(self.classes)
        return self

    def predict_proba(self, X: Array) -> Array:
        return np.tile(self.classes_[: self.columns] + 1.0, (len(X), 1))


def test_columns_are_put_in_order() -> None:
    average = rh.multiclass.cross_validate_multiclass(Reversed(), X, Y, 5, operating_points=[[1, 1, 1]])
    assert average.stacked is not None
    assert average.stacked.scores.tolist() == [[1, 2, 3]] * 150


# --- in print ------------------------------------------------------------------------------------


def test_print_and_columns() -> None:
    y, outputs, folds = example()
    average = rh.multiclass.multiclass_average(np.array(list("abc"))[y], outputs, folds, weights())
    assert repr(average) == "MulticlassAverage(12 points of 3 classes, 4 folds, given weights)"
    lines = str(average).splitlines()
    assert lines[1] == "± is the standard error"
    assert lines[2].split() == ["error", "a", "±", "a", "error", "b", "±", "b", "error", "c", "±", "c"]
    columns = average.to_dict()
    assert list(columns) == [
        *(f"weight_{c}" for c in "abc"),
        *(f"error_{c}_{what}" for c in "abc" for what in ("mean", "std", "sem")),
    ]
    cost = average.to_dict([rh.multiclass.Cell("a", "b"), rh.multiclass.MaxError()])
    assert "Cell('a', 'b')_mean" in cost
    assert cost["MaxError()_sem"].tolist() == average.sem("max_error").tolist()


# --- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"folds": np.zeros(120)}, "folds must name at least two folds, but all 120 are 0.0."),
        ({"folds": np.arange(119)}, "outputs and folds must have the same length"),
        ({"outputs": -np.ones((120, 3))}, "outputs has 360 negative values"),
        ({"outputs": np.full((120, 3), np.nan)}, "outputs has 360 NaN"),
        ({"outputs": np.ones((120, 4))}, "y_true has 3 classes, but outputs has 4 columns"),
        ({"operating_points": 0}, "operating_points must be an integer of at least 1, but is 0."),
        ({"operating_points": True}, "operating_points must be an integer of at least 1, but is True."),
        ({"operating_points": "hull"}, "operating_points must be an integer of at least 1, but is 'hull'."),
        ({"operating_points": np.ones((0, 3))}, "operating_points is empty"),
        ({"operating_points": [[1, 2]]}, "operating_points must have shape (k, 3), but has shape (1, 2)."),
        ({"operating_points": [[1, 2, -1]]}, "operating_points has 1 value that is negative"),
        ({"operating_points": [[0, 0, 0]]}, "operating_points: vector 0 is all zero."),
        ({"objective": "auc"}, "objective must be 'max_error'"),
        ({"method": "all"}, "method must be one of"),
        ({"sample_weight": -np.ones(120)}, "sample_weight"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_bad_average(changed: dict[str, Any], message: str) -> None:
    good = dict(zip(("y_true", "outputs", "folds"), example(), strict=True))
    refuses(f"^{re.escape(message)}", rh.multiclass.multiclass_average, **{**good, **changed})


def test_points_of_other_classes() -> None:
    y, outputs, folds = example()
    points = rh.MulticlassRoc(np.array(list("abc"))[y], outputs).points_at([[1, 1, 1]])
    with pytest.raises(ValueError, match=r"^operating_points are of the classes \('a', 'b', 'c'\), but outp"):
        rh.multiclass.multiclass_average(y, outputs, folds, points)


def test_a_fold_without_a_class() -> None:
    y, outputs, folds = example()
    folds = np.array(list("pqrs"))[folds]
    keep = (folds != "q") | (y != 2)
    average = rh.multiclass.multiclass_average(y[keep], outputs[keep], folds[keep], weights())
    assert average.mean(rh.multiclass.Error(0)).size == 12
    assert average.mean("error").size == 12
    assert average.mean(rh.multiclass.CostMatrix(COSTS, priors=[1, 1, 0])).size == 12
    message = "folds: fold 'q' has no example of class 2, without which {} is undefined; use fewer or strat"
    for measure in (
        rh.multiclass.Error(2),
        rh.multiclass.Cell(2, 0),
        rh.multiclass.MaxError(),
        rh.multiclass.CostMatrix(COSTS, priors=[1, 1, 1]),
    ):
        refuses(re.escape(message.format(measure)), average.mean, measure)
    refuses(r"^folds: fold 'q' has no example of class 2", average.indistinguishable, 0)


@pytest.mark.parametrize("measure", ["fpr", 3, rh.multiclass.Error])
def test_no_measure(measure: Any) -> None:
    average = rh.multiclass.multiclass_average(*example(), weights())
    refuses(r"^measure must be 'max_error', 'error', a measure such as", average.mean, measure)
    with pytest.raises(ValueError, match=r"^Error\(7\): there is no class 7; the classes are 0, 1, 2\.$"):
        average.mean(rh.multiclass.Error(7))
    refuses(r"^i=12 is not one of the 12 points\.$", average.compare, 12, 0)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"cv": 51, "y": np.repeat([0, 1, 2], [1, 74, 75])},
            "cross-validation (cv) in 51 folds needs 51 examples of each class, but one class has 1.",
        ),
        (
            {"cv": KFold(3)},
            "cv: the training part of fold 0 holds no example of class 0; use fewer or stratified folds.",
        ),
        ({"y": np.zeros(150)}, "y has one class only: all 150 labels are 0.0."),
        ({"estimator": LinearSVC()}, "estimator: LinearSVC has no predict_proba."),
        ({"estimator": Reversed((2, 0))}, "estimator: its classes are [2, 0], without 1."),
        ({"estimator": Reversed((2, 0, 4))}, "estimator: its classes are [2, 0, 4], without 1."),
        ({"estimator": Reversed(columns=2)}, "estimator: predict_proba of Reversed must give an output for"),
        (
            {"estimator": LogisticRegression(max_iter=1000), "response_method": "decision_function"},
            "outputs has",
        ),
        ({"operating_points": [[1, 2]]}, "operating_points must have shape (k, 3)"),
        ({"objective": "auc"}, "objective must be 'max_error'"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_bad_rotation(changed: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"estimator": GaussianNB(), "X": X, "y": Y, "cv": 5}
    refuses(f"^{re.escape(message)}", rh.multiclass.cross_validate_multiclass, **{**good, **changed})


def test_at_is_the_best_mean_within_limits_on_means():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 240)
    outputs = rng.gamma(1.0, size=(240, 3)) + np.eye(3)[codes]
    average = rh.multiclass.multiclass_average(
        codes, outputs, np.arange(240) % 4, rng.dirichlet(np.ones(3), 60)
    )
    costs = rh.multiclass.CostMatrix([[0, 1, 4], [1, 0, 2], [3, 1, 0]])
    bound = round(float(np.median(average.mean(rh.multiclass.Error(1)))), 3)
    i = average.at(costs, [rh.multiclass.Error(1) <= bound])
    within = average.mean(rh.multiclass.Error(1)) <= bound
    assert 0 < within.sum() < 60
    assert within[i]
    assert average.mean(costs)[i] == average.mean(costs)[within].min()
    assert average.at() == int(average.mean("max_error").argmin())
    with pytest.raises(rh.multiclass.InfeasibleLimitsError, match="none of the 60 points") as caught:
        average.at(
            costs, [rh.multiclass.Error(0) <= 0, rh.multiclass.Error(1) <= 0, rh.multiclass.Error(2) <= 0]
        )
    worst = np.max([average.mean(rh.multiclass.Error(c)) for c in range(3)], axis=0)
    assert max(caught.value.excess) == pytest.approx(worst.min())
