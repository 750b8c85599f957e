"""Averages over folds: the definitions, exactness, memory, and the ways to average that they generalise."""

import dataclasses
import re
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
import twins_averaging as twins
from adversaries import FAMILIES, Array, names, weights_for
from rochull._core.kernels import folds as fold_kernels
from rochull.averaging import fold_tables, pooled_average, threshold_average, vertical_average
from rochull.averaging.fold_rows import spread

CONDITION = rh.ExpectedCost(cost_fp=1, cost_fn=4, prevalence=0.25)


def cost(c: twins.Counts) -> Fraction:
    return Fraction(3, 4) * c[1] / (c[1] + c[3]) + c[2] / (c[0] + c[2])


def f_score(c: Any) -> Any:
    return 2 * c.tp / (2 * c.tp + c.fp + c.fn)


def jaccard(c: twins.Counts) -> Fraction | None:
    return c[0] / (c[0] + c[1]) if c[0] + c[1] else None


MEASURES: list[tuple[Any, Callable[[twins.Counts], Any]]] = [
    *twins.MEASURES.items(),
    (CONDITION, cost),
    (f_score, lambda c: 2 * c[0] / (2 * c[0] + c[1] + c[2])),
    (lambda c: c.tp / (c.tp + c.fp), jaccard),  # undefined where nothing is called
]
NAMES = [name if isinstance(name, str) else f"other {i}" for i, (name, _) in enumerate(MEASURES)]
EVERY_MEASURE = pytest.mark.parametrize(("measure", "plain"), MEASURES, ids=NAMES)


def sample(n: int = 60, n_folds: int = 4, seed: int = 0, values: int = 12) -> tuple[Array, Array, Array]:
    """Labels, scores with ties, and folds of unequal size with both classes in each."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    folds = np.minimum(rng.integers(0, n_folds + 1, n), n_folds - 1)
    y[: 2 * n_folds] = np.tile([0, 1], n_folds)
    folds[: 2 * n_folds] = np.repeat(np.arange(n_folds), 2)
    return y, (rng.integers(0, values, n) + 2 * y) / 4, folds


def plain_thresholds(average: rh.averaging.OperatingPointAverage) -> list[Any]:
    return [None, *average.thresholds[1:].tolist()]


def assert_is_twin(average: Any, measure: Any, table: list[list[Any]]) -> None:
    means, stds, counts = twins.moments(table)
    np.testing.assert_allclose(average.mean(measure), means, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(average.std(measure), stds, rtol=1e-9, atol=1e-300)
    assert average.defined(measure).tolist() == counts
    with np.errstate(invalid="ignore", divide="ignore"):
        np.testing.assert_allclose(average.sem(measure), np.array(stds) / np.sqrt(counts), rtol=1e-9)
    values = [[np.nan if v is None else float(v) for v in row] for row in table]
    np.testing.assert_allclose(average.per_fold(measure), values, rtol=1e-14)


@EVERY_MEASURE
@pytest.mark.parametrize("points", [None, 5, "hull", [0.6, 2.0, 1.5, 99.0, -1.0]], ids=str)
def test_algorithm_1(measure: Any, plain: Any, points: Any) -> None:
    y, score, folds = sample()
    average = rh.operating_point_average(y, score, folds, points, [measure, "fpr"])
    table = twins.per_fold((y, score, folds), plain_thresholds(average), plain)
    assert_is_twin(average, measure, table)
    assert (average.n_folds, average.folds) == (4, (0, 1, 2, 3))


@EVERY_MEASURE
@pytest.mark.parametrize("kind", ["integer", "dyadic", "any"])
def test_weights(measure: Any, plain: Any, kind: str) -> None:
    y, score, folds = sample(seed=3)
    rng = np.random.default_rng(5)
    weights = {
        "integer": rng.integers(0, 4, y.size),
        "dyadic": rng.integers(0, 9, y.size) / 8,
        "any": rng.random(y.size),
    }[kind]
    weights[:8] = 1
    average = rh.operating_point_average(y, score, folds, measures=measure, sample_weight=weights)
    kept = weights > 0
    assert average.thresholds[1:].tolist() == sorted(set(score[kept].tolist()), reverse=True)
    table = twins.per_fold((y, score, folds), plain_thresholds(average), plain, weights)
    means, stds, counts = twins.moments(table)
    np.testing.assert_allclose(average.mean(measure), means, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(average.std(measure), stds, rtol=1e-9, atol=1e-15)
    assert average.defined(measure).tolist() == counts
    if kind == "integer":  # the same as repeating the examples
        again = [np.repeat(column, weights.astype(int)) for column in (y, score, folds)]
        repeated = rh.operating_point_average(*again, measures=measure)
        np.testing.assert_allclose(average.std(measure), repeated.std(measure), rtol=1e-9, atol=1e-15)


@given(names, st.integers(0, 2**32 - 1), st.integers(2, 5), st.sampled_from(["none", "integers"]))
def test_scores_of_every_family(family: str, seed: int, n_folds: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    y, _, folds = sample(30, n_folds, seed)
    score = FAMILIES[family](rng, y.size)
    weights = weights_for(kind, y.size, rng)
    average = rh.operating_point_average(y, score, folds, sample_weight=weights)
    for measure in ("fpr", "tpr"):
        plain = twins.MEASURES[measure]
        table = twins.per_fold((y, score, folds), plain_thresholds(average), plain, weights)
        assert_is_twin(average, measure, table)
    assert average.fpr_mean[[0, -1]].tolist() == average.tpr_mean[[0, -1]].tolist() == [0.0, 1.0]
    assert average.fpr_std[[0, -1]].tolist() == average.tpr_std[[0, -1]].tolist() == [0.0, 0.0]
    assert np.all(np.diff(average.fpr_mean) >= 0)


def test_a_mean_curve_by_hand() -> None:
    # Fold "a": scores 4+ 3- 2+ 1-; fold "b": 4- 3+ 1-.
    y, score, folds = [1, 0, 1, 0, 0, 1, 0], [4, 3, 2, 1, 4, 3, 1], [*"aaaabbb"]
    average = rh.operating_point_average(y, score, folds, measures=["fpr", "tpr", "precision"])
    assert average.folds == ("a", "b")
    assert average.thresholds.tolist() == [np.inf, 4, 3, 2, 1]
    assert average.per_fold("fpr").tolist() == [[0, 0, 0.5, 0.5, 1], [0, 0.5, 0.5, 0.5, 1]]
    assert average.per_fold("tpr", [1, -3]).tolist() == [[0.5, 0.5], [0, 1]]
    assert average.per_fold("tpr", 1).tolist() == [[0.5], [0]]
    assert average.per_fold("precision", []).shape == (2, 0)
    assert average.fpr_mean.tolist() == [0, 0.25, 0.5, 0.5, 1]
    assert average.fpr_std.tolist() == pytest.approx([0, 0.125**0.5, 0, 0, 0])
    assert average.fpr_sem.tolist() == pytest.approx([0, 0.25, 0, 0, 0])
    assert average.tpr_sem.tolist() == pytest.approx([0, 0.25, 0.25, 0, 0])
    assert average.defined("precision").tolist() == [0, 2, 2, 2, 2]
    assert average.mean("precision")[1:].tolist() == pytest.approx([0.5, 0.5, 7 / 12, 5 / 12])
    assert np.isnan(average.mean("precision")[0])
    assert repr(average) == "OperatingPointAverage(5 points, 2 folds, operating points)"


def test_one_defined_fold_has_no_deviation() -> None:
    average = rh.operating_point_average([1, 0, 1, 0], [4, 1, 3, 2], [0, 0, 1, 1], measures="precision")
    assert average.defined("precision").tolist() == [0, 1, 2, 2, 2]
    assert average.mean("precision")[1] == 1
    assert np.isnan(average.std("precision")[:2]).all()
    assert np.isnan(average.sem("precision")[:2]).all()


@pytest.mark.parametrize("weight", [None, 1.0, 0.1, 1 / 3])
@pytest.mark.parametrize("measure", ["fpr", "tpr", "precision", "error", CONDITION, f_score])
def test_folds_that_agree_do_not_deviate(weight: float | None, measure: Any) -> None:
    rng = np.random.default_rng(1)
    y, score = rng.integers(0, 2, 49), rng.integers(0, 30, 49)
    copies = [1, 3, 7, 10]  # of one and the same fold
    folds = np.repeat(np.arange(4), np.multiply(copies, 49))
    y, score = np.tile(y, sum(copies)), np.tile(score, sum(copies))
    weights = None if weight is None else np.full(y.size, weight)
    average = rh.operating_point_average(y, score, folds, sample_weight=weights)
    assert set(average.std(measure)[1:].tolist()) == {0.0}


@pytest.mark.parametrize("sizes", [(99_991, 100_003, 99_989), (40_000_003, 40_000_001, 39_999_999)])
def test_rates_that_nearly_agree(sizes: tuple[int, ...]) -> None:
    # They differ by about 1e-10 or less, so that the rates as floats would leave few digits or none.
    called = np.array([[size // 3 + i, size // 7] for i, size in enumerate(sizes)], float)
    den = np.array(sizes, float)
    plain = [[Fraction(int(c)) / size for c in row] for row, size in zip(called, sizes, strict=True)]
    means, stds, _ = twins.moments(plain)
    mean, std, count = np.empty(2), np.empty(2), np.empty(2)
    fold_kernels.rate_moments(called, den, 0.0, mean, std, np.empty(called.shape))
    assert mean.tolist() == pytest.approx(means, rel=1e-15)
    assert std.tolist() == pytest.approx(stds, rel=1e-12)
    fold_kernels.ratio_moments(called, np.repeat(den[:, None], 2, axis=1), 0.0, mean, std, count)
    assert std.tolist() == pytest.approx(stds, rel=1e-12)


def test_means_of_equal_folds_are_correctly_rounded() -> None:
    rng = np.random.default_rng(0)
    y, folds = np.arange(400) % 2, np.arange(400) // 40
    average = rh.operating_point_average(y, rng.normal(size=400), folds)
    assert set(average.tpr_mean.tolist()) == {i / 200 for i in range(201)}


@pytest.mark.parametrize("n_folds", [2, 10, 300])
def test_many_points(n_folds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # Several strips, chunks and batches, against a table of everything.
    monkeypatch.setattr(fold_tables, "_CHUNK", 50)
    monkeypatch.setattr(fold_tables, "_BATCH", 3)
    rng = np.random.default_rng(2)
    y, score = rng.integers(0, 2, 12_000), rng.normal(size=12_000).astype(np.float32)
    folds = rng.permutation(np.arange(y.size) % n_folds)
    average = rh.operating_point_average(y, score, folds, measures=["fpr", "tpr", "error"])
    steps = np.arange(0, len(average), 37)
    called = score[:, None] >= average.thresholds[steps]
    called[:, 0] = False
    member = (folds == np.arange(n_folds)[:, None]).astype(float)
    for measure, rows, right in (("fpr", y == 0, called), ("tpr", y == 1, called), ("error", y >= 0, None)):
        right = called != (y == 1)[:, None] if right is None else right
        table = member[:, rows] @ right[rows] / member[:, rows].sum(axis=1, keepdims=True)
        np.testing.assert_allclose(average.mean(measure)[steps], table.mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(
            average.std(measure)[steps], table.std(axis=0, ddof=1), rtol=1e-9, atol=1e-15
        )
        np.testing.assert_allclose(average.per_fold(measure, steps[::-1]), table[:, ::-1], rtol=1e-15)
    found = average.compare(100, measure="error")
    each = [average.compare(100, int(j), "error").pvalue for j in steps]
    assert np.asarray(found.pvalue)[steps].tolist() == each


def test_no_table_is_held() -> None:
    n, n_folds = 20_000, 100
    rng = np.random.default_rng(0)
    y, score, folds = rng.integers(0, 2, n), rng.normal(size=n), np.arange(n) % n_folds
    measures = ["fpr", "precision", CONDITION, f_score]
    rh.operating_point_average(y, score, folds, measures=measures)  # compiles
    tracemalloc.start()
    average = rh.operating_point_average(y, score, folds, measures=measures)
    average.compare(5)
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    table = n * n_folds * 8
    assert len(average) == n + 1
    assert held < 30 * 8 * n < table
    assert peak < table


def test_scores_that_share_the_bits_of_the_fold() -> None:
    # Three folds take the lowest two bits of a score's key; these scores differ in those alone.
    score = 1 + np.finfo(float).eps * np.array([3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0])
    y, folds = np.tile([1, 0, 1, 0], 3), np.repeat([0, 1, 2], 4)
    average = rh.operating_point_average(y, score, folds)
    assert average.thresholds[1:].tolist() == sorted(set(score.tolist()), reverse=True)
    assert average.tpr_mean.tolist() == [0, 0.5, 0.5, 1, 1]
    assert average.fpr_std.tolist() == [0, 0, 0, 0, 0]
    order = np.random.default_rng(0).permutation(12)
    again = rh.operating_point_average(y[order], score[order], folds[order])
    assert again.fpr_mean.tolist() == average.fpr_mean.tolist()


def test_points_are_spread_evenly() -> None:
    assert spread(200, 30).tolist() == [round(Fraction(199 * i, 29) + Fraction(1, 10**9)) for i in range(30)]
    assert spread(5, 2).tolist() == [0, 4]
    assert spread(5, 4).tolist() == [0, 1, 3, 4]
    for wanted in (5, 6, 10**9):
        assert spread(5, wanted).tolist() == [0, 1, 2, 3, 4]
    for size in range(2, 40):
        for wanted in range(2, size + 1):
            chosen = spread(size, wanted)
            assert (chosen[0], chosen[-1], len(set(chosen.tolist()))) == (0, size - 1, wanted)


def test_sub_sampled_points_are_scores() -> None:
    y, score, folds = sample(200, values=150)
    whole = rh.operating_point_average(y, score, folds)
    few = rh.operating_point_average(y, score, folds, np.int64(30))
    assert len(few) == 31
    at = [whole.thresholds.tolist().index(t) for t in few.thresholds.tolist()]
    assert few.tpr_std.tolist() == whole.tpr_std[at].tolist()
    assert at[-1] == len(whole) - 1


@pytest.mark.parametrize("weighted", [False, True])
def test_points_of_the_hull(weighted: bool) -> None:
    y, score, folds = sample(80, seed=4, values=40)
    weights = np.arange(1, 81) / 64 if weighted else None
    average = rh.operating_point_average(y, score, folds, "hull", sample_weight=weights)
    hull = rh.roc_hull(y, score, sample_weight=weights)
    assert average.thresholds.tolist() == hull.thresholds.tolist()


def test_given_points_are_compared_exactly() -> None:
    y, folds = [1, 0, 1, 0], [0, 0, 1, 1]
    score = np.array([2**53 + 1, 2**53, 2**53 + 3, 2**53 + 2])
    average = rh.operating_point_average(y, score, folds, [2**53 + 1, 2**53, 2**53 + 9, 2])
    assert average.thresholds.tolist() == [np.inf, 2**53 + 9, 2**53 + 1, 2**53, 2]
    assert average.tpr_mean.tolist() == [0, 0, 1, 1, 1]
    assert average.fpr_mean.tolist() == [0, 0, 0.5, 1, 1]
    average = rh.operating_point_average(y, score, folds, [np.inf, 1e300, 2.0**53 + 2, 2.5, -np.inf])
    assert average.fpr_mean.tolist() == [0, 0, 0, 0.5, 1, 1]
    small = np.array([0.1, 0.0, 0.3, 0.2], np.float32)
    assert 0.1 < float(small[0]) < 0.1000000015  # which rounds to it
    average = rh.operating_point_average(y, small, folds, [0.1, 0.1000000015])
    assert average.tpr_mean.tolist() == [0, 0.5, 1]
    average = rh.operating_point_average(y, [np.inf, 0.0, 1.0, 2.0], folds, [np.inf, 0.0])
    assert average.tpr_mean.tolist() == [0, 0.5, 1]  # point 0 is never, point 1 calls infinite scores


def test_hull_of_the_mean_curve() -> None:
    y, score, folds = sample(100, values=60)
    average = rh.operating_point_average(y, score, folds)
    hull = average.hull()
    assert hull.auc() >= np.trapezoid(average.tpr_mean, average.fpr_mean) - 1e-12
    rule = hull.at(rh.ExpectedCost(prevalence=0.5), deterministic=True).rules[0][0]
    i = average.thresholds.tolist().index(rule.threshold)
    best = (average.tpr_mean - average.fpr_mean).max()
    assert average.tpr_mean[i] - average.fpr_mean[i] == pytest.approx(best)
    with pytest.raises(ValueError, match="the points of a vertical average are virtual"):
        vertical_average(y, score, folds).hull()


@pytest.mark.parametrize(
    ("folds", "expected"),
    [
        (["b", "b", "a", "a"], ("a", "b")),
        ([-7, -7, 300, 300], (-7, 300)),
        (np.array([-128, -128, 127, 127], np.int8), (-128, 127)),
        (np.array([2**64 - 1, 2**64 - 1, 2**64 - 9, 2**64 - 9], np.uint64), (2**64 - 9, 2**64 - 1)),
        ([10**12, 10**12, -5, -5], (-5, 10**12)),
        ([True, True, False, False], (False, True)),
        ([0.5, 0.5, -1.0, -1.0], (-1.0, 0.5)),
        (np.array(["u", "u", 3, 3], object), ("u", 3)),
    ],
    ids=str,
)
def test_labels_of_folds(folds: Any, expected: tuple[Any, ...]) -> None:
    average = rh.operating_point_average([1, 0, 1, 0], [4, 1, 3, 2], folds)
    assert average.folds == expected
    own = expected.index(np.asarray(folds).tolist()[0])  # the fold of the highest score
    assert average.per_fold("tpr", [1])[:, 0].tolist() == [float(f == own) for f in range(2)]


GOOD: dict[str, Any] = {"y_true": [1, 0, 1, 0], "y_score": [4.0, 1.0, 3.0, 2.0], "folds": [0, 0, 1, 1]}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"folds": [0, 0, 0, 0]}, "folds must name at least two folds, but all 4 are 0."),
        (
            {"folds": [0, 0, 1]},
            "y_true and folds must have the same length, but y_true has 4 and folds has 3.",
        ),
        ({"folds": [0, 0, 1, np.nan]}, "folds has 1 NaN."),
        (
            {"folds": np.array(["a", "a", None, "b"], object)},
            "folds has missing values, the first at index 2.",
        ),
        (
            {"folds": ["a", "a", "a", "b"]},
            "folds: fold 'b' has no positive example, without which 'tpr' is undefined; use fewer or "
            "stratified folds.",
        ),
        (
            {"folds": [1, 0, 1, 1], "measures": CONDITION},
            f"folds: fold 0 has no positive example, without which {CONDITION!r} is undefined; use fewer or "
            "stratified folds.",
        ),
        (
            {"sample_weight": [1, 0, 1, 1], "measures": "fpr"},
            "folds: fold 0 has no negative example, without which 'fpr' is undefined; use fewer or "
            "stratified folds.",
        ),
        ({"operating_points": 1}, "operating_points must be at least 2, but is 1."),
        (
            {"operating_points": "all"},
            "operating_points must be None, a number, 'hull' or thresholds, but is 'all'.",
        ),
        ({"operating_points": [0.1, np.nan]}, "operating_points has 1 NaN, the first at index 1."),
        ({"operating_points": []}, "operating_points is empty."),
        ({"measures": []}, "measures is empty: there is nothing to average."),
        (
            {"measures": ["fpr", "auc"]},
            "measure must be one of 'fpr', 'tpr', 'precision', 'error', 'accuracy', an ExpectedCost "
            "condition, or a function of the confusion matrices, but is 'auc'.",
        ),
        ({"measures": rh.ExpectedCost(cost_fn=(1, 2), prevalence=0.5)}, "cost_fn=(1.0, 2.0) is an interval"),
        (
            {"measures": lambda c: c.tp[0]},
            "measure: <lambda> must return numbers of shape (2, 5), one for each fold and point, but "
            "returned shape (5,) of type float64.",
        ),
        ({"y_score": [1.0, 2.0, np.nan, 3.0]}, "y_score has 1 NaN, the first at index 2."),
        ({"y_true": [1, 1, 1, 1]}, "y_true has one class only: all 4 labels are positive."),
    ],
    ids=lambda value: str(value).split(" at 0x")[0][:40],
)
def test_bad_input(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        rh.operating_point_average(**{**GOOD, **changed})


def test_measures_that_need_no_class() -> None:
    y, score, folds = [1, 0, 1, 0], [4, 1, 3, 2], [0, 1, 2, 3]  # leave one out
    average = rh.operating_point_average(y, score, folds, measures=["error", "precision"])
    assert average.mean("error").tolist() == [0.5, 0.25, 0, 0.25, 0.5]
    assert average.defined("precision").tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="fold 0 has no negative example, without which 'fpr' is undefined"):
        _ = average.fpr_mean
    misses = rh.ExpectedCost(cost_fp=0, cost_fn=2, prevalence=0.5)
    with pytest.raises(ValueError, match="fold 1 has no positive example"):
        average.mean(misses)
    y = [1, 0, 1, 1]
    average = rh.operating_point_average(y, score, [0, 0, 1, 1], measures=misses)  # no negative is needed
    assert average.mean(misses).tolist() == [1, 0.5, 0.25, 0, 0]
    alarms = rh.ExpectedCost(cost_fp=2, cost_fn=0, prevalence=0.5)
    average = rh.operating_point_average([1, 0, 0, 0], score, [0, 0, 1, 1], measures=alarms)
    assert average.mean(alarms).tolist() == [0, 0, 0.25, 0.5, 1]


def test_input_is_not_modified() -> None:
    y, score, folds = sample()
    given = [y, score, folds, np.ones(y.size)]
    copies = [a.copy() for a in given]
    for a in given:
        a.flags.writeable = False
    for function in (
        rh.operating_point_average,
        threshold_average,
        vertical_average,
        pooled_average,
    ):
        function(*given[:3], sample_weight=given[3])  # type: ignore[operator]
    assert all(np.array_equal(a, b) for a, b in zip(given, copies, strict=True))


def test_measures_are_computed_when_asked_for() -> None:
    y, score, folds = sample()
    seen: list[tuple[int, ...]] = []

    def called(c: Any) -> Any:
        seen.append(c.tp.shape)
        return c.tp + c.fp + 0 * (c.fn + c.tn)

    average = rh.operating_point_average(y, score, folds, measures="fpr")
    assert average.mean(called)[-1] == y.size / 4
    assert average.std(called)[0] == 0
    assert seen == [(4, len(average))]
    assert average.mean("tpr").tolist() == rh.operating_point_average(y, score, folds).tpr_mean.tolist()
    assert dataclasses.replace(average, overlap=0.5).fpr_mean is average.fpr_mean


@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.sampled_from([None, 3, "hull", "given"]))
def test_threshold_average_is_algorithm_4(seed: int, n_folds: int, points: Any) -> None:
    y, score, folds = sample(24, n_folds, seed, 15)
    points = [-1.0, 0.3, 1.25, 2.0, 50.0] if points == "given" else points
    average = threshold_average(y, score, folds, points)
    curves = [twins.curve(y[folds == f], score[folds == f]) for f in range(n_folds)]
    for rate, column in (("fpr", 0), ("tpr", 1)):
        never = [[Fraction(0)] for _ in curves]
        rest = average.thresholds[1:].tolist()
        table = [
            start + [twins.roc_point_at_threshold(c, t)[column] for t in rest]
            for start, c in zip(never, curves, strict=True)
        ]
        assert_is_twin(average, rate, table)


def test_threshold_average_of_integers() -> None:
    y, score, folds = sample(40, 3)
    whole = (4 * score).astype(int)
    points = [0.5, 3.0, 7.5, 1e30, -1e30]
    exact = threshold_average(y, whole, folds, points)
    again = threshold_average(y, whole.astype(float), folds, points)
    assert exact.per_fold("tpr").tolist() == again.per_fold("tpr").tolist()


@pytest.mark.parametrize("weighted", [False, True])
def test_threshold_averaging_at_shared_thresholds_is_operating_point_averaging(weighted: bool) -> None:
    # Every fold has an example at each of the grades, so that Fawcett's look-up finds the threshold itself.
    rng = np.random.default_rng(0)
    grades = np.tile(np.arange(6), 30)
    y, folds = rng.integers(0, 2, 180), np.repeat([0, 1, 2], 60)
    weights = rng.integers(1, 5, 180) if weighted else None
    ours = rh.operating_point_average(y, grades, folds, sample_weight=weights)
    fawcett = threshold_average(y, grades, folds, sample_weight=weights)
    assert ours.thresholds.tolist() == fawcett.thresholds.tolist()
    for measure in ("fpr", "tpr", "precision", CONDITION):
        np.testing.assert_array_equal(ours.per_fold(measure), fawcett.per_fold(measure))
        np.testing.assert_array_equal(ours.std(measure), fawcett.std(measure))


def test_threshold_averaging_calls_more_where_a_threshold_is_missing() -> None:
    y, score, folds = sample(100, 5, values=10**6)
    ours, fawcett = (f(y, score, folds) for f in (rh.operating_point_average, threshold_average))
    assert np.all(fawcett.fpr_mean >= ours.fpr_mean)
    assert np.mean(fawcett.tpr_mean > ours.tpr_mean) > 0.5


@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
def test_vertical_average_is_algorithm_3(seed: int, n_folds: int) -> None:
    y, score, folds = sample(24, n_folds, seed, 8)
    average = vertical_average(y, score, folds, 13)
    curves = [twins.curve(y[folds == f], score[folds == f]) for f in range(n_folds)]
    grid = [Fraction(i, 12) for i in range(13)]
    means, stds, _ = twins.moments([[twins.tpr_for_fpr(c, x) for x in grid] for c in curves])
    np.testing.assert_allclose(average.tpr_mean, means, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(average.tpr_std, stds, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(average.fpr_mean, [float(x) for x in grid], rtol=1e-15)
    assert set(average.fpr_std.tolist()) == {0.0}
    assert np.isnan(average.thresholds).all()


def test_vertical_average_by_hand() -> None:
    # Fold 0 is perfect: its curve is vertical at 0. Fold 1 ties all: its curve is the diagonal.
    y, score, folds = [1, 1, 0, 0, 1, 0], [4, 3, 2, 1, 5, 5], [0, 0, 0, 0, 1, 1]
    average = vertical_average(y, score, folds, [0.25, 0.0, 1.0])
    assert average.fpr_mean.tolist() == [0, 0.25, 1]
    assert average.per_fold("tpr").tolist() == [[1, 1, 1], [0, 0.25, 1]]
    assert average.method == "vertical"
    assert average.mean("error").tolist() == pytest.approx([0.25, 0.3125, 0.5])
    assert average.compare(0, 1, "tpr").estimate == pytest.approx(-0.125)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"points": 1}, "points must be at least 2, but is 1."),
        ({"points": [0.5, 1.5]}, "points must lie between 0 and 1, but holds 1.5 at index 1."),
        (
            {"folds": [0, 0, 0, 1]},
            "folds: fold 1 has no positive example, without which its ROC curve is undefined",
        ),
        (
            {"sample_weight": [1, 1, 0, 1]},
            "folds: fold 1 has no positive example, without which its ROC curve is undefined",
        ),
        ({"folds": [0, 0, 0, 0]}, "folds must name at least two folds"),
    ],
    ids=str,
)
def test_bad_vertical_average(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        vertical_average(**{**GOOD, **changed})


def test_vertical_average_with_weights_is_that_of_repeated_examples() -> None:
    y, score, folds = sample(50, 3)
    weights = np.random.default_rng(0).integers(1, 4, y.size)
    weighted = vertical_average(y, score, folds, 21, ["tpr", "error"], sample_weight=weights)
    repeated = vertical_average(*(np.repeat(a, weights) for a in (y, score, folds)), 21)
    for measure in ("tpr", "error", CONDITION):
        np.testing.assert_allclose(weighted.std(measure), repeated.std(measure), rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("weighted", [False, True])
def test_pooled_average_is_one_curve(weighted: bool) -> None:
    y, score, folds = sample()
    weights = np.arange(1, y.size + 1) / 3 if weighted else None
    pooled = pooled_average(y, score, folds, sample_weight=weights)
    curve = rh.roc_curve(y, score, sample_weight=weights)
    assert pooled.thresholds.tolist() == curve.thresholds.tolist()
    np.testing.assert_allclose(pooled.fpr_mean, curve.fpr, rtol=1e-15)
    np.testing.assert_allclose(pooled.tpr_mean, curve.tpr, rtol=1e-15)
    assert np.isnan(pooled.tpr_std).all()
    assert np.isnan(pooled.std("error")).all()
    assert pooled.folds == ("all",)
    assert pooled_average(y, score).mean("error").shape == curve.fpr.shape
    with pytest.raises(ValueError, match=r"^compare needs at least two folds, but a pooled average has one"):
        pooled.compare(0)
    with pytest.raises(ValueError, match=r"^y_true and folds must have the same length"):
        pooled_average(y, score, folds[1:])
