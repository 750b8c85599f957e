"""Hulls of one classifier against SciPy's convex hull and against brute force."""

import itertools
import math
from fractions import Fraction as F

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import rochull as rh
from rochull.hull.sources import ChunkSource
from twins import curve_of, hull_of


def examples(seed: int, n: int = 40) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.append(rng.integers(0, 2, n), [0, 1])
    return y, np.round(rng.normal(size=n + 2) + [1, 2, 0, -1][seed % 4] * y, seed % 3)


def points_of(hull: rh.RocHull) -> list[tuple[F, F]]:
    return [hull.frontier.point(i) for i in range(len(hull))]


def by_scipy(x: np.ndarray, y: np.ndarray) -> list[tuple[float, float]]:
    """Vertices of the upper hull of points and the corners, by Qhull; collinear ones are left out."""
    points = np.unique(np.column_stack([np.append(x, [0, 1, 1]), np.append(y, [0, 1, 0])]), axis=0)
    found = points[ConvexHull(points).vertices]
    upper = [(a, b) for a, b in found.tolist() if (a, b) != (1, 0) and (b > a or (a, b) in [(0, 0), (1, 1)])]
    return sorted(upper)


@pytest.mark.parametrize("seed", range(20))
def test_given_points_against_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.random((2, int(rng.integers(1, 60))))
    hull = rh.RocHull.from_rates(x, y)
    expected = by_scipy(x, y)
    np.testing.assert_allclose(hull.fpr, [a for a, _ in expected], atol=1e-15)
    np.testing.assert_allclose(hull.tpr, [b for _, b in expected], atol=1e-15)


@pytest.mark.parametrize("seed", range(20))
def test_scores_against_scipy_and_the_slow_twin(seed: int) -> None:
    y, score = examples(seed)
    hull, curve = rh.roc_hull(y, score), rh.roc_curve(y, score)
    n_pos, n_neg = int(y.sum()), int((1 - y).sum())
    assert points_of(hull) == [(F(a) / n_neg, F(b) / n_pos) for a, b in hull_of(curve_of(y, score))]
    rounded = {(round(a, 9), round(b, 9)) for a, b in zip(hull.fpr.tolist(), hull.tpr.tolist(), strict=True)}
    assert {(round(a, 9), round(b, 9)) for a, b in by_scipy(curve.fpr, curve.tpr)} >= rounded
    for a, b, c in zip(points_of(hull), points_of(hull)[1:], points_of(hull)[2:], strict=False):
        assert (b[1] - a[1]) * (c[0] - b[0]) > (c[1] - b[1]) * (b[0] - a[0])  # convex, none collinear


@pytest.mark.parametrize("seed", range(12))
def test_all_ways_to_a_hull_agree(seed: int) -> None:
    y, score = examples(seed)
    hull = rh.roc_hull(y, score)
    rows = np.random.default_rng(seed).permutation(y.size)
    chunks = ChunkSource(lambda: ((y[part], score[part]) for part in np.array_split(rows, 3)))
    others = [
        rh.RocHull.from_curve(rh.roc_curve(y, score)),
        rh.RocHull.from_source(chunks),
        rh.RocHull.from_blocks(hull.blocks),  # type: ignore[arg-type]
        rh.roc_hull(np.repeat(y, 3), np.repeat(score, 3)),
        rh.roc_hull(y, score, sample_weight=np.full(y.size, 0.5)),
    ]
    for other in others:
        assert points_of(other) == points_of(hull)
        assert other.owners == hull.owners
        assert other.thresholds.tolist() == hull.thresholds.tolist()
        assert other.auc() == hull.auc()
        assert other.eer() == hull.eer()


def test_thresholds_and_owners_reach_their_vertices() -> None:
    for seed in range(8):
        y, score = examples(seed)
        hull = rh.roc_hull(y, score)
        assert hull.thresholds[0] == np.inf
        assert hull.thresholds[-1] == score.min()
        assert hull.owners[0] == (rh.conditions.Rule("never"),)
        assert hull.owners[-1] == (rh.conditions.Rule("always"),)
        for i, threshold in list(enumerate(hull.thresholds))[1:]:
            called = score >= threshold
            assert (called[y == 0].mean(), called[y == 1].mean()) == (hull.fpr[i], hull.tpr[i])
            assert threshold in score
            if i < len(hull) - 1:
                assert hull.owners[i] == (rh.conditions.Rule("threshold", None, threshold),)
        named = hull.named("a")
        assert named.classifiers == (("a",) if len(hull) > 2 else ())
        assert {r.classifier for rules in named.owners for r in rules} <= {"a", None}
        assert hull.classifiers == ()


def test_slopes() -> None:
    for seed in range(8):
        hull = rh.roc_hull(*examples(seed))
        for (a, b), slope in zip(itertools.pairwise(points_of(hull)), hull.slopes, strict=True):
            exact = math.inf if a[0] == b[0] else float((b[1] - a[1]) / (b[0] - a[0]))
            assert math.isclose(slope, exact, rel_tol=4e-16)
        assert all(one > other for one, other in itertools.pairwise(hull.slopes))


def test_area_is_that_under_the_vertices_and_at_least_the_raw_one() -> None:
    for seed in range(20):
        y, score = examples(seed)
        hull = rh.roc_hull(y, score)
        area = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in itertools.pairwise(points_of(hull)))
        assert hull.auc() == float(area)
        assert rh.roc_auc(y, score) <= hull.auc() <= 1
        assert hull.auc() >= 0.5
    assert rh.roc_hull(y, -1 * y).auc() == 0.5  # a hull's area is not 1 - AUC


def area_up_to(limit: F, points: list[tuple[F, F]]) -> F:
    """The area under line segments, from 0 to a false positive rate."""
    area = F(0)
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if x0 < min(x1, limit):
            end = min(x1, limit)
            area += (end - x0) * (y0 + y0 + (y1 - y0) * (end - x0) / (x1 - x0)) / 2
    return area


@pytest.mark.parametrize("limit", [F(1, 1000), F(1, 10), F(1, 4), F(1, 2), F(99, 100), F(1)])
def test_partial_areas(limit: F) -> None:
    for seed in range(12):
        y, score = examples(seed)
        weights = np.arange(y.size) % 3 + 1 if seed % 2 else None
        hull = rh.roc_hull(y, score, sample_weight=weights)
        area = area_up_to(limit, points_of(hull))
        assert hull.auc(float(limit)) == pytest.approx(float(area), rel=1e-14)
        least = limit**2 / 2
        scaled = (1 + (area - least) / (limit - least)) / 2
        assert hull.auc(float(limit), mcclish=True) == pytest.approx(float(scaled), rel=1e-14)
        raw = rh.roc_auc(y, score, sample_weight=weights, max_fpr=float(limit))
        assert raw - 1e-15 <= hull.auc(float(limit)) <= limit
    assert hull.auc(1) == hull.auc() == hull.auc(mcclish=True)


def test_partial_areas_of_perfect_and_useless_classifiers() -> None:
    perfect, useless = rh.roc_hull([0, 0, 1, 1], [1, 2, 3, 4]), rh.roc_hull([0, 1], [1, 1])
    for limit in (1e-9, 0.1, 0.3, 0.7):
        assert perfect.auc(limit) == limit
        assert perfect.auc(limit, mcclish=True) == 1
        assert useless.auc(limit) == pytest.approx(limit**2 / 2)
        assert useless.auc(limit, mcclish=True) == pytest.approx(0.5)
    given_rates = rh.RocHull.from_rates([0.25], [0.75])
    assert given_rates.auc(0.25) == 0.09375
    assert given_rates.auc(0.5) == 0.09375 + 0.25 * (0.75 + 5 / 6) / 2
    for limit in (0, -0.1, 1.5, math.nan):
        with pytest.raises(ValueError, match="max_fpr must"):
            perfect.auc(limit)


def test_equal_error_rate_is_exact() -> None:
    for seed in range(30):
        hull = rh.roc_hull(*examples(seed))
        for (x0, y0), (x1, y1) in itertools.pairwise(points_of(hull)):
            if x0 + y0 <= 1 <= x1 + y1:
                crossing = x0 + (1 - x0 - y0) / (x1 + y1 - x0 - y0) * (x1 - x0)
                assert hull.eer() == float(crossing)
    assert rh.roc_hull([0, 1], [0, 1]).eer() == 0
    assert rh.roc_hull([0, 1], [1, 1]).eer() == 0.5
    # On a vertex: fpr 1/3 and tpr 2/3.
    assert rh.roc_hull([0, 0, 0, 1, 1, 1], [3, 1, 0, 3, 2, 0.5]).eer() == 1 / 3


def test_useless_and_perfect_classifiers() -> None:
    useless = rh.roc_hull([0, 0, 1, 1], [4, 3, 2, 1])
    assert points_of(useless) == [(0, 0), (1, 1)]
    assert useless.owners == ((rh.conditions.Rule("never"),), (rh.conditions.Rule("always"),))
    assert (useless.slopes.tolist(), useless.auc(), useless.eer()) == ([1], 0.5, 0.5)
    assert str(useless.at(rh.Accuracy(0.5))) == "fpr 0, tpr 0: never"
    perfect = rh.roc_hull([0, 0, 1, 1], [1, 2, 3, 4])
    assert points_of(perfect) == [(0, 0), (0, 1), (1, 1)]
    assert perfect.slopes.tolist() == [math.inf, 0]
    assert (perfect.auc(), perfect.eer()) == (1, 0)
    assert {str(perfect.at(rh.Accuracy(p))) for p in (0.01, 0.5, 0.99)} == {"fpr 0, tpr 1: score >= 3"}


def test_never_and_at_least_infinity_differ() -> None:
    hull = rh.roc_hull([1, 1, 0, 0, 1], [np.inf, 1, 1, -np.inf, np.inf])
    assert points_of(hull) == [(0, 0), (0, F(2, 3)), (F(1, 2), 1), (1, 1)]
    assert hull.thresholds.tolist() == [np.inf, np.inf, 1, -np.inf]
    assert [str(rules[0]) for rules in hull.owners] == ["never", "score >= inf", "score >= 1.0", "always"]
    assert str(hull.at(rh.NeymanPearson(0))) == "fpr 0, tpr 0.666667: score >= inf"
    tied = rh.roc_hull([1, 0], [np.inf, np.inf])
    assert points_of(tied) == [(0, 0), (1, 1)]


def test_signed_zeros_tie_and_close_scores_do_not() -> None:
    assert len(rh.roc_hull([1, 0], [0.0, -0.0])) == 2
    above = np.nextafter(0.1, 1)
    hull = rh.roc_hull([1, 0, 1], [above, 0.1, 5e-324])  # a peer merges scores closer than 1e-15
    assert points_of(hull) == [(0, 0), (0, F(1, 2)), (1, 1)]
    assert hull.thresholds[1] == above


def test_types_of_thresholds() -> None:
    y, score = examples(1)
    narrow = rh.roc_hull(y, score.astype(np.float32))
    assert narrow.thresholds.dtype == np.float32
    assert all(np.float32(t) in score.astype(np.float32) for t in narrow.thresholds[1:])
    wide = rh.roc_hull(y, (10 * score).astype(np.int64) + 2**60)
    assert [type(t) for t in wide.thresholds[1:]] == [int] * (len(wide) - 1)
    assert len(set(wide.thresholds.tolist())) == len(wide)


def test_from_rates_keeps_the_thresholds_of_vertices() -> None:
    x, y, t = [0.1, 0.3, 0.2, 0.6, 0.3], [0.4, 0.8, 0.5, 0.85, 0.8], [9, 5, 7, 3, 4]
    hull = rh.RocHull.from_rates(x, y, t, "a")
    assert hull.fpr.tolist() == [0, 0.1, 0.3, 1]
    assert [rules[0] for rules in hull.owners[1:-1]] == [
        rh.conditions.Rule("threshold", "a", 9),
        rh.conditions.Rule("threshold", "a", 5),
    ]
    assert hull.thresholds.tolist() == [np.inf, 9, 5, -np.inf]
    assert hull.blocks is None
    assert rh.RocHull.from_rates(x, y).owners[1] == (rh.conditions.Rule("threshold", None, 1.0),)
    assert hull.named("b").classifiers == ("b",)
    assert hull.classifiers == ("a",)


def test_from_rates_drops_corners_and_what_is_below() -> None:
    assert len(rh.RocHull.from_rates([0, 1, 0.5], [0, 1, 0.5])) == 2
    assert len(rh.RocHull.from_rates([0.5], [0.4])) == 2
    assert points_of(rh.RocHull.from_rates([0, 0], [0.5, 0.25])) == [(0, 0), (0, F(1, 2)), (1, 1)]
    assert points_of(rh.RocHull.from_rates([0.0], [1.0])) == [(0, 0), (0, 1), (1, 1)]


def test_from_rates_refuses() -> None:
    for name, arguments in (("fpr", ([-0.1], [0.5])), ("tpr", ([0.1], [1.5])), ("fpr", ([math.nan], [0.5]))):
        with pytest.raises(ValueError, match=name):
            rh.RocHull.from_rates(*arguments)
    with pytest.raises(ValueError, match="fpr and tpr must have the same length"):
        rh.RocHull.from_rates([0.1, 0.2], [0.5])
    with pytest.raises(ValueError, match="thresholds has 1 NaN"):
        rh.RocHull.from_rates([0.1], [0.5], [math.nan])


def test_blocks_of_one_class_make_no_hull() -> None:
    for label, which in ((1, "positive"), (0, "negative")):
        blocks = rh.hull.Blocks.from_scores([label, label], [0.1, 0.2])
        with pytest.raises(ValueError, match=f"all examples are {which}"):
            rh.RocHull.from_blocks(blocks)


def test_a_thinned_curve_makes_a_hull_without_blocks() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 5000)
    thinned = rh.RocHull.from_curve(rh.roc_curve(y, rng.normal(size=5000) + y).thin(0.05))
    assert thinned.blocks is None
    assert thinned.at(rh.ExpectedCost(prevalence=0.5)).rules[0][0].kind == "threshold"


def test_slopes_are_correctly_rounded() -> None:
    assert rh.roc_hull([1, 1, 1, 0, 1, 1, 0], [2, 2, 2, 2, 1, 1, 1]).slopes[0] == 1.2
    rng = np.random.default_rng(18)
    for _ in range(200):
        y = np.append(rng.integers(0, 2, rng.integers(2, 40)), [0, 1])
        hull = rh.roc_hull(y, rng.integers(0, 9, y.size))
        steps = zip(np.diff(hull.tp).tolist(), np.diff(hull.fp).tolist(), strict=True)
        exact = [F(up * hull.n_neg, over * hull.n_pos) if over else np.inf for up, over in steps]
        assert hull.slopes.tolist() == [float(slope) for slope in exact]


@pytest.mark.parametrize("seed", range(20))
def test_the_best_single_rule_is_the_best_of_all_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.append([0, 1], rng.integers(0, 2, 20))
    hybrid = rh.Hybrid()
    for name in "ab":
        hybrid.add(name, y, np.round(rng.normal(size=22) + y, 1), curve=True)
    limit = float(rng.choice([0.0, 0.1, 0.25, 0.5]))
    points = [
        F(int(curve.frontier.tp[i]), curve.frontier.n_pos)
        for curve in hybrid.curves.values()
        for i in range(len(curve))
        if curve.frontier.point(i)[0] <= F(limit)
    ]
    found = hybrid.at(rh.NeymanPearson(limit), deterministic=True)
    assert found.fpr <= limit
    assert found.tpr == float(max(points))
    assert rh.NeymanPearson(limit).question.best_of_singles(
        [hybrid.hulls["a"].frontier, hybrid.hulls["a"].frontier], (1000, 1000)
    ) == (0, rh.NeymanPearson(limit).question.best_single(hybrid.hulls["a"].frontier))
    x, of_tpr = hybrid.hulls["a"].frontier.point_of((1000, 1000), 1)
    exact = hybrid.hulls["a"].frontier.point(1)
    assert (x, of_tpr) == tuple(F(round(float(rate) * 1000), 1000) for rate in exact)
