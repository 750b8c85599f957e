"""The ROC curve and its area, against their definitions and scikit-learn."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score
from sklearn.metrics import roc_curve as sklearn_curve

import rochull as rh
from adversaries import FAMILIES, Array, examples, labels_for, names
from profiles import tries
from rochull.hull import refine
from rochull.hull.curve import area_fraction, as_thresholds
from twins import TABLE_LABELS, TABLE_SCORES, cost_of, curve_of, decisions, pair_auc

# scikit-learn refuses infinite scores, and float64 integers of its own making are merged.
FINITE = sorted(set(FAMILIES) - {"infinities", "extremes"})


def finite_rows(seed: int, family: str, n: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    scores = FAMILIES[family](rng, n)
    return labels_for(scores, "good", rng), scores


def dyadic(weights: Array | None, labels: Array) -> Array | None:
    """Weights in eighths, so that fractions are exact; each class weighs something."""
    if weights is None:
        return None
    weights = np.rint(weights * 8) / 8
    weights[[np.argmax(labels), np.argmin(labels)]] = 1
    return weights


@tries(60)
@given(examples(max_size=60))
def test_points_are_those_of_all_thresholds(rows: Any) -> None:
    labels, scores, weights = rows
    weights = dyadic(weights, labels)
    curve = rh.roc_curve(labels, scores, sample_weight=weights)
    points = curve_of(labels, scores, weights)
    assert curve.fpr.tolist() == [float(x / points[-1][0]) for x, _ in points]
    assert curve.tpr.tolist() == [float(y / points[-1][1]) for _, y in points]
    assert (curve.fpr[0], curve.tpr[0], curve.fpr[-1], curve.tpr[-1]) == (0, 0, 1, 1)
    assert curve.thresholds[0] == np.inf
    assert len(curve) == len(points)


def test_a_curve_is_unpacked_as_scikit_learn_gives_it() -> None:
    fpr, tpr, thresholds = rh.roc_curve(TABLE_LABELS, TABLE_SCORES)
    expected = sklearn_curve(TABLE_LABELS, TABLE_SCORES, drop_intermediate=False)
    for found, other in zip((fpr, tpr, thresholds), expected, strict=True):
        np.testing.assert_array_equal(found, other)


@given(examples(max_size=50))
def test_every_threshold_decides_as_its_point_says(rows: Any) -> None:
    labels, scores, _ = rows
    curve = rh.roc_curve(labels, scores)
    for i in range(len(curve)):
        decided = decisions(scores, None if i == 0 else curve.score[i - 1])
        assert cost_of(labels, decided, 1, 0) == curve.fp_units[i]
        assert cost_of(labels, decided, 0, 1) == curve.tp_units[-1] - curve.tp_units[i]


@pytest.mark.parametrize("family", FINITE)
@pytest.mark.parametrize("weighted", [False, True])
def test_scikit_learn_agrees(family: str, weighted: bool) -> None:
    labels, scores = finite_rows(1, family, 500)
    weights = np.random.default_rng(2).gamma(2, size=500) if weighted else None
    if scores.dtype.kind in "iu" or family in ("denormals", "1e300 ranges", "Cauchy", "zeros"):
        # Its differences of neighbouring scores overflow or vanish; the ranks have the same curve.
        scores = np.unique(scores, return_inverse=True)[1].astype(float)
    fpr, tpr, thresholds = sklearn_curve(labels, scores, sample_weight=weights, drop_intermediate=False)
    curve = rh.roc_curve(labels, scores, sample_weight=weights)
    np.testing.assert_allclose(curve.fpr, fpr, atol=1e-12)
    np.testing.assert_allclose(curve.tpr, tpr, atol=1e-12)
    assert curve.thresholds.tolist() == thresholds.tolist()
    assert curve.auc() == pytest.approx(roc_auc_score(labels, scores, sample_weight=weights), abs=1e-12)


@pytest.mark.parametrize(
    ("scores", "dtype"),
    [
        (np.array([0.1, 0.2, 0.3], np.float32), np.float32),
        (np.array([0.1, 0.2, 0.3]), np.float64),
        (np.array([1, 2, 3], np.uint8), np.float64),
        (np.array([-(2**53), 0, 2**53]), np.float64),
        (np.array([2**53, 2**53 + 1, 2**53 + 2]), object),
        (np.array([-(2**53) - 1, 0, 1]), object),
        (np.array([0, 1, 2**64 - 1], np.uint64), object),
    ],
)
def test_thresholds_are_exact(scores: Array, dtype: Any) -> None:
    curve, hull = rh.roc_curve([0, 1, 1], scores), rh.roc_hull([0, 1, 1], scores)
    assert curve.thresholds.dtype == dtype
    assert curve.thresholds.tolist() == [np.inf, *scores[::-1].tolist()]
    assert hull.thresholds.tolist() == [np.inf, *scores[1::-1].tolist()]


def test_infinite_thresholds_are_not_never() -> None:
    curve = rh.roc_curve([1, 0, 1], [np.inf, np.inf, 0.0])
    assert curve.thresholds.tolist() == [np.inf, np.inf, 0.0]
    assert curve.fpr.tolist() == [0, 1, 1]
    assert curve.score.tolist() == [np.inf, 0.0]


def test_as_thresholds_of_nothing() -> None:
    assert as_thresholds(np.zeros(0, np.int64)).size == 0


TRANSFORMS = [
    lambda ranks: ranks.astype(np.float32),
    lambda ranks: np.exp(ranks / 40),
    lambda ranks: ranks**3 - 1e5,
    lambda ranks: ranks * 5e-324,
    lambda ranks: 2**60 + ranks,
    lambda ranks: np.where(ranks == ranks.max(), np.inf, ranks / 7),
    lambda ranks: ranks.astype(np.uint64) + np.uint64(2**64 - 1000),
]


@given(names, st.integers(0, 2**32), st.integers(2, 300), st.sampled_from(TRANSFORMS))
def test_increasing_transforms_change_nothing(family: str, seed: int, n: int, transform: Any) -> None:
    labels, scores = finite_rows(seed, family, n)
    distinct, ranks = np.unique(scores, return_inverse=True)
    image = transform(ranks)
    first, second = rh.roc_curve(labels, scores), rh.roc_curve(labels, image)
    assert first.tp_units.tolist() == second.tp_units.tolist()
    assert first.fp_units.tolist() == second.fp_units.tolist()
    assert rh.roc_auc(labels, scores) == rh.roc_auc(labels, image)
    hulls = rh.roc_hull(labels, scores), rh.roc_hull(labels, image)
    assert hulls[0].fp.tolist() == hulls[1].fp.tolist()
    assert hulls[0].tp.tolist() == hulls[1].tp.tolist()
    thresholds = np.searchsorted(distinct, hulls[0].blocks.low)
    table = dict(zip(ranks.tolist(), image.tolist(), strict=True))
    assert hulls[1].blocks.low.tolist() == [table[rank] for rank in thresholds.tolist()]


@given(examples(max_size=200))
def test_swapped_classes_and_negated_scores(rows: Any) -> None:
    labels, scores, _ = rows
    if scores.dtype.kind != "f":
        scores = np.unique(scores, return_inverse=True)[1].astype(float)
    assert rh.roc_auc(labels, scores) == rh.roc_auc(1 - labels, -scores)
    assert rh.roc_auc(labels, scores) + rh.roc_auc(1 - labels, scores) == pytest.approx(1, abs=1e-15)


@given(examples(max_size=80))
def test_auc_by_its_definition(rows: Any) -> None:
    labels, scores, weights = rows
    weights = dyadic(weights, labels)
    expected = pair_auc(labels, scores, weights)
    assert rh.roc_auc(labels, scores, sample_weight=weights) == expected
    assert rh.roc_curve(labels, scores, sample_weight=weights).auc() == expected
    assert rh.roc_hull(labels, scores, sample_weight=weights).auc() >= expected


def test_a_tied_segment_bisects_the_optimistic_and_pessimistic_areas() -> None:
    labels, scores = np.array([1, 0, 1, 0, 0, 1]), np.array([3, 2, 2, 2, 1, 1])
    best, worst = scores + 0.1 * labels, scores - 0.1 * labels
    halves = (rh.roc_auc(labels, best) + rh.roc_auc(labels, worst)) / 2
    assert rh.roc_auc(labels, scores) == pytest.approx(halves, abs=1e-15)


@pytest.mark.crossed
@pytest.mark.parametrize("max_fpr", [1e-9, 0.01, 0.1, 0.25, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("family", ["normal", "few values", "mostly tied", "sigmoid near 1", "constant"])
@pytest.mark.parametrize("weighted", [False, True])
def test_partial_areas(max_fpr: float, family: str, weighted: bool) -> None:
    labels, scores = finite_rows(3, family, 400)
    weights = np.random.default_rng(4).integers(0, 5, 400) if weighted else None
    expected = roc_auc_score(labels, scores, sample_weight=weights, max_fpr=max_fpr)
    curve = rh.roc_curve(labels, scores, sample_weight=weights)
    assert curve.auc(max_fpr, mcclish=True) == pytest.approx(expected, abs=1e-9)
    found = rh.roc_auc(labels, scores, sample_weight=weights, max_fpr=max_fpr, mcclish=True)
    assert found == pytest.approx(expected, abs=1e-9)
    assert curve.auc(max_fpr) == pytest.approx(area_up_to(max_fpr, curve), abs=1e-12)


def area_up_to(limit: float, curve: rh.hull.RocCurve) -> float:
    """The integral of the curve from 0 to a false positive rate, segment by segment."""
    area = 0.0
    for (x0, y0), (x1, y1) in pairwise(zip(curve.fpr.tolist(), curve.tpr.tolist(), strict=True)):
        if x0 < min(x1, limit):
            end = min(x1, limit)
            height = y0 + (y1 - y0) * (end - x0) / (x1 - x0)
            area += (end - x0) * (y0 + height) / 2
    return area


def test_partial_area_by_hand() -> None:
    # Up to (0, 1/2), right to (1/2, 1/2), up to (1/2, 1): at 1/4 the curve is at 1/2, not on the way up.
    curve = rh.roc_curve([1, 0, 1, 0], [4, 3, 2, 1])
    assert curve.auc(0.25) == 0.125
    assert curve.auc(0.5) == 0.25
    assert curve.auc(0.75) == 0.5


def test_partial_areas_of_precrec() -> None:
    """By precrec 0.14.4 in R (Saito & Rehmsmeier 2017): pauc(part(curves, xlim = c(0, end))) of its P10N10."""
    labels = [1, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0]
    scores = [20, 19, 18, 17, 16, 15, 14, 14, 14, 14, 14, 14, 8, 7, 6, 5, 5, 5, 5, 5]
    curve = rh.roc_curve(labels, scores)
    expected = {0.1: 0.02, 0.25: 0.100625, 0.5: 0.26, 1: 0.72}
    assert {end: curve.auc(end) for end in expected} == pytest.approx(expected, abs=1e-15)


def test_partial_areas_of_the_best_and_of_a_random_classifier() -> None:
    perfect = rh.roc_curve([0, 0, 1, 1], [1, 2, 3, 4])
    tied = rh.roc_curve([0, 0, 1, 1], [5, 5, 5, 5])
    for limit in (0.05, 0.3, 0.7, 1):
        assert perfect.auc(limit) == limit
        assert perfect.auc(limit, mcclish=True) == 1.0
        assert tied.auc(limit) == pytest.approx(limit**2 / 2)
        assert tied.auc(limit, mcclish=True) == pytest.approx(0.5)


@pytest.mark.parametrize("max_fpr", [0, -0.1, 1.5, np.nan])
def test_partial_areas_of_no_range(max_fpr: float) -> None:
    with pytest.raises(ValueError, match="max_fpr must"):
        rh.roc_auc([0, 1], [1, 2], max_fpr=max_fpr)


def test_areas_are_correctly_rounded() -> None:
    assert area_fraction(2 * 10**40 - 1, 10**20, 10**20) == 1.0
    assert area_fraction(2 * 3 * 7 // 3, 3, 7) == 1 / 3
    assert rh.roc_auc(TABLE_LABELS, TABLE_SCORES) == pair_auc(TABLE_LABELS, TABLE_SCORES)


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_large_data_are_not_sorted_but_exact(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    labels, scores = finite_rows(5, family, 30_000)
    expected = rh.roc_curve(labels, scores).auc()
    monkeypatch.setattr(refine, "SORT_ROWS", 0)
    assert rh.roc_auc(labels, scores) == expected
    assert expected <= 1


def farthest(whole: rh.hull.RocCurve, thin: rh.hull.RocCurve) -> float:
    """Largest distance, in either rate, from a point to the kept point before it."""
    kept = np.searchsorted(thin.fp_units + thin.tp_units, whole.fp_units + whole.tp_units, side="right") - 1
    return float(max(np.max(whole.fpr - thin.fpr[kept]), np.max(whole.tpr - thin.tpr[kept])))


@given(examples(min_size=20), st.sampled_from([0.5, 0.1, 0.03, 1e-3, 1e-9]))
def test_thinning_keeps_its_bound(rows: Any, error: float) -> None:
    labels, scores, _ = rows
    whole = rh.roc_curve(labels, scores)
    thin = whole.thin(error)
    assert farthest(whole, thin) <= error + 1e-12
    assert len(thin) <= min(len(whole), 2 / error + 2)
    assert abs(thin.auc() - whole.auc()) <= error
    assert (thin.fpr[0], thin.tpr[0], thin.fpr[-1], thin.tpr[-1]) == (0, 0, 1, 1)
    assert len(thin.score) == len(thin) - 1
    assert set(thin.thresholds.tolist()) <= set(whole.thresholds.tolist())
    assert thin.max_error == error


@given(examples(min_size=20), st.sampled_from([0.3, 0.07, 0.01]), st.sampled_from([0.3, 0.05, 0.01]))
def test_thinning_twice_says_how_far_both_went(rows: Any, first: float, second: float) -> None:
    whole = rh.roc_curve(*rows[:2])
    thin = whole.thin(first).thin(second)
    assert farthest(whole, thin) <= thin.max_error + 1e-12


@pytest.mark.parametrize("error", [0, 1, -0.1, np.inf])
def test_thinning_by_an_impossible_bound(error: float) -> None:
    with pytest.raises(ValueError, match="max_error must"):
        rh.roc_curve([0, 1], [1, 2]).thin(error)


def test_repr() -> None:
    curve = rh.roc_curve(TABLE_LABELS, TABLE_SCORES)
    assert repr(curve).startswith("RocCurve(16 points, AUC 0.7")
    assert repr(curve.thin(0.3)).endswith("thinned to 0.3)")
