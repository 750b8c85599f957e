"""Bands of curves and hulls: definitions, coverage by simulation, membership of the hull."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import rochull as rh
from adversaries import Array
from rochull.uncertainty import hull_membership
from rochull.uncertainty.bands import height

GRID = np.linspace(0, 1, 21)


def normal(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    y = np.repeat([0, 1], n)
    return y, rng.normal(size=2 * n) + y


def population(fpr: Array) -> Array:
    """The curve that such scores come from."""
    return np.asarray(stats.norm.sf(stats.norm.isf(fpr) - 1))


def test_height_of_a_curve() -> None:
    x, y = np.array([0, 0, 0.5, 0.5, 1.0]), np.array([0, 0.4, 0.4, 0.8, 1.0])
    at = np.array([0, 0.25, 0.5, 0.75, 1.0])
    assert height(x, y, at).tolist() == [0.4, 0.4, 0.8, 0.9, 1.0]


def test_kolmogorov_band_is_made_of_rectangles() -> None:
    """A twin that asks every point of the curve for the rectangle it allows (Campbell 1994)."""
    y, s = normal(40, np.random.default_rng(0))
    band = rh.roc_band(y, s, "ks", level=0.9, fpr=GRID)
    curve = rh.roc_curve(y, s)
    d = stats.kstwo.ppf(np.sqrt(0.9), 40)
    assert d < np.sqrt(np.log(2 / (1 - np.sqrt(0.9))) / 80)  # Dvoretzky, Kiefer & Wolfowitz; Massart
    for x, low, high in zip(GRID, band.low, band.high, strict=True):
        near = np.abs(curve.fpr - x) <= d
        lowest = curve.tpr[near].min() if x >= d else 0.0
        assert low <= max(0, lowest - d) + 1e-12
        assert high >= min(1, curve.tpr[near].max() + d) - 1e-12
        assert low >= max(0, lowest - d) - 0.1
        assert high <= min(1, curve.tpr[near].max() + d) + 0.1


def binormal(n: int, area: float, rng: np.random.Generator) -> tuple[Array, Array]:
    y = np.repeat([0, 1], n)
    return y, rng.normal(size=2 * n) + np.sqrt(2) * stats.norm.ppf(area) * y


def binormal_curve(fpr: Array, area: float) -> Array:
    return stats.norm.sf(stats.norm.isf(fpr) - np.sqrt(2) * stats.norm.ppf(area))


@pytest.mark.long
@pytest.mark.parametrize(
    ("method", "area", "n"),
    [("ks", 0.8, 100), *(("simultaneous", area, n) for area in (0.8, 0.9, 0.99) for n in (50, 500))],
)
def test_simultaneous_coverage(method: str, area: float, n: int) -> None:
    """The whole curve, the ends of the axis included: 0.95, less three standard errors of 150 samples."""
    rng = np.random.default_rng(1)
    covered = []
    for seed in range(150 if n == 50 else 100):
        y, s = binormal(n, area, rng)
        band = rh.roc_band(y, s, method, n_resamples=200, random_state=seed)
        truth = binormal_curve(band.fpr, area)
        covered.append(np.all((band.low <= truth) & (truth <= band.high)))
    assert np.mean(covered) >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / len(covered))


@pytest.mark.long
@pytest.mark.parametrize(("area", "n"), [(0.8, 50), (0.9, 50), (0.99, 50), (0.9, 500)])
def test_pointwise_coverage_at_small_rates(area: float, n: int) -> None:
    rng = np.random.default_rng(2)
    at = np.array([0.0, 0.001, 0.01, 0.02, 0.05, 0.1, 0.3])
    truth = binormal_curve(at, area)
    covered = []
    for seed in range(150):
        y, s = binormal(n, area, rng)
        band = rh.roc_band(y, s, "pointwise", fpr=at, n_resamples=200, random_state=seed)
        covered.append((band.low <= truth) & (truth <= band.high))
    assert np.mean(covered, axis=0).min() >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / len(covered))


@pytest.mark.parametrize("method", ["simultaneous", "pointwise", "ks"])
@pytest.mark.parametrize("what", ["rows", "clusters", "weights"])
def test_nothing_is_certain_where_no_negative_is_beyond(method: str, what: str) -> None:
    y, s = binormal(60, 0.9, np.random.default_rng(0))
    options: dict[str, Any] = {
        "rows": {},
        "clusters": {"clusters": np.arange(120) // 3},
        "weights": {"sample_weight": np.arange(120) % 3 + 1.0},
    }[what]
    if method == "ks" and options:
        return
    band = rh.roc_band(y, s, method, n_resamples=100, random_state=0, **options)
    assert band.low[0] == 0 < band.estimate[0]
    assert band.high[-1] == 1
    assert band.low[-1] == 1 or method == "ks"
    assert np.all((band.low <= band.estimate) & (band.estimate <= band.high))


def test_ends_at_small_rates_by_hand() -> None:
    """20 negatives, FPR 0.1: of 20 binomial draws at 0.1 the quantiles at 0.025 and 0.975 are 0 and 5."""
    y = np.repeat([0, 1], 20)
    s = np.concatenate((np.arange(20.0), np.arange(20) + 10.5))
    band = rh.roc_band(y, s, "pointwise", fpr=[0.1, 0.2], n_resamples=50, random_state=0)
    assert stats.binom.ppf([0.025, 0.975], 20, 0.1).tolist() == [0, 5]
    assert stats.binom.ppf([0.025, 0.975], 20, 0.2).tolist() == [1, 8]
    assert band.estimate.tolist() == [0.65, 0.75]
    # Beyond the k-th highest negative there are 10 + k positives: the sixth, the ninth, the first.
    wilson = [rh.rate_interval(k, 20, "wilson") for k in (13, 15)]
    shift = np.array([0.8, 0.95]) - [0.65, 0.75]
    high = [
        0.65 + np.hypot(wilson[0].high - 0.65, shift[0]),
        0.75 + np.hypot(wilson[1].high - 0.75, shift[1]),
    ]
    assert band.high == pytest.approx(np.minimum(high, 1))
    low = 0.75 - np.hypot(0.75 - wilson[1].low, 0.75 - 0.55)
    assert band.low == pytest.approx([0, low])


def test_ends_where_few_negatives_are_left_by_hand() -> None:
    """20 negatives, FPR 0.9: of 20 binomial draws at 0.9 the quantiles at 0.025 and 0.975 are 15 and 20."""
    y = np.repeat([0, 1], 20)
    s = np.concatenate((np.arange(20.0), np.arange(20) - 9.5))
    band = rh.roc_band(y, s, "pointwise", fpr=[0.9], n_resamples=50, random_state=0)
    assert stats.binom.ppf([0.025, 0.975], 20, 0.9).tolist() == [15, 20]
    assert band.estimate.tolist() == [0.45]
    # Beyond the k-th lowest negative there are 10 - k positives; the 15th highest has 5 above it. All 20 may
    # lie beyond, so nothing holds the curve back above.
    wilson = rh.rate_interval(9, 20, "wilson")
    assert band.low == pytest.approx([0.45 - np.hypot(0.45 - wilson.low, 0.45 - 0.25)])
    assert band.high == pytest.approx([min(1, 0.45 + np.hypot(wilson.high - 0.45, 1 - 0.45))])


def test_weights_of_a_cluster_count_together() -> None:
    """Of the few highest negatives two rows of one cluster say as much as one row of their weight."""
    rng = np.random.default_rng(9)
    y, s = normal(40, rng)
    first, second = rng.integers(1, 9, (2, 80))
    options: dict[str, Any] = {"method": "pointwise", "fpr": [0.02, 0.05, 0.97], "n_resamples": 50}
    once = rh.roc_band(y, s, sample_weight=first + second, random_state=0, **options)
    rows = np.tile(np.arange(80), 2)
    twice = rh.roc_band(
        y[rows], s[rows], sample_weight=np.append(first, second), clusters=rows, random_state=1, **options
    )
    assert twice.low == pytest.approx(once.low)
    assert twice.high == pytest.approx(once.high)


@pytest.mark.parametrize("n_resamples", [60, 100])
def test_a_simultaneous_band_reaches_the_largest_deviations_of_most_replicates(n_resamples: int) -> None:
    """As many standard errors as the replicate of rank level (B + 1), rounded up, deviates at most."""
    y, s = normal(200, np.random.default_rng(8))
    at = np.linspace(0.1, 0.9, 9)
    band = rh.roc_band(y, s, fpr=at, n_resamples=n_resamples, random_state=0)
    found = rh.bootstrap(
        y, s, lambda sample: [sample.tpr_at(x) for x in at], n_resamples=n_resamples, random_state=0
    )
    spread = found.replicates.std(axis=0, ddof=1)
    largest = np.sort(np.abs((found.replicates - found.estimate) / spread).max(axis=1))
    width = largest[int(np.ceil(0.95 * (n_resamples + 1))) - 1]
    assert width > largest[int(np.ceil(0.95 * n_resamples)) - 1] > stats.norm.ppf(0.975)
    middle = slice(2, 6)  # where no end is cut off at 1
    assert band.low[middle] == pytest.approx((found.estimate - width * spread)[middle])
    assert band.high[middle] == pytest.approx((found.estimate + width * spread)[middle])


@pytest.mark.long
def test_pointwise_coverage_is_that_of_each_point() -> None:
    rng = np.random.default_rng(2)
    at = np.array([0.1, 0.3, 0.6])
    covered = []
    for seed in range(200):
        y, s = normal(100, rng)
        band = rh.roc_band(y, s, "pointwise", level=0.9, fpr=at, n_resamples=200, random_state=seed)
        covered.append((band.low <= population(at)) & (population(at) <= band.high))
    assert np.all(np.abs(np.mean(covered, axis=0) - 0.9) < 0.07)
    assert not band.simultaneous


def test_pointwise_band_is_at_least_as_wide_as_that_of_a_rate() -> None:
    """Perfect scores do not vary when they are drawn again; that does not make them certain."""
    y = np.repeat([0, 1], 20)
    band = rh.roc_band(y, np.arange(40.0), "pointwise", fpr=[0.0, 0.5, 1.0], n_resamples=50, random_state=0)
    least = rh.rate_interval(20, 20, "wilson").low
    assert band.low.tolist() == [0.0, least, 1.0]
    assert band.high.tolist() == [1.0, 1.0, 1.0]
    noise = np.random.default_rng(0).normal(size=40)
    found = rh.bootstrap(y, noise, lambda s: s.tpr_at(0.5), n_resamples=200, random_state=0)
    band = rh.roc_band(y, noise, "pointwise", fpr=[0.5], n_resamples=200, random_state=0)
    assert (band.low[0], band.high[0]) == (found.low, found.high)  # wide enough by itself


@pytest.mark.parametrize("method", ["ks", "simultaneous", "pointwise"])
@pytest.mark.parametrize("of", ["curve", "hull"])
def test_bands_are_in_order(method: str, of: str) -> None:
    y, s = normal(60, np.random.default_rng(3))
    band = rh.roc_band(y, s, method, of=of, n_resamples=100, random_state=0)
    assert band.fpr.shape == band.low.shape == band.high.shape == band.estimate.shape == (101,)
    for values in (band.low, band.estimate, band.high):
        assert np.all(np.diff(values) >= 0)
    assert np.all((band.low <= band.estimate) & (band.estimate <= band.high))
    assert np.all((band.low >= 0) & (band.high <= 1))
    assert band.in_sample == (of == "hull")
    reference = rh.roc_hull(y, s) if of == "hull" else rh.roc_curve(y, s)
    assert band.estimate.tolist() == height(reference.fpr, reference.tpr, band.fpr).tolist()


def test_clusters_widen_the_band() -> None:
    """The same rows three times are no more than the rows once."""
    y, s = normal(50, np.random.default_rng(4))
    once = rh.roc_band(y, s, "pointwise", random_state=0)
    rows = np.tile(np.arange(100), 3)
    thrice = rh.roc_band(y[rows], s[rows], "pointwise", clusters=rows, random_state=0)
    apart = rh.roc_band(y[rows], s[rows], "pointwise", random_state=0)
    widths = [float((band.high - band.low).mean()) for band in (once, thrice, apart)]
    assert widths[1] == pytest.approx(widths[0], rel=0.1)
    assert widths[2] < 0.75 * widths[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "dkw"}, 'method must be "simultaneous", "pointwise" or "ks"'),
        ({"of": "both"}, 'of must be "curve" or "hull"'),
        ({"level": 1}, "level must lie strictly"),
        ({"fpr": [1.5]}, "fpr must lie between 0 and 1"),
        ({"method": "ks", "clusters": np.zeros(40)}, "clusters need a bootstrap"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    y, s = normal(20, np.random.default_rng(0))
    with pytest.raises(ValueError, match=message):
        rh.roc_band(y, s, **options)


def test_membership(frame_module: Any) -> None:
    rng = np.random.default_rng(5)
    y = (rng.random(400) < 0.4).astype(int)
    good = rng.normal(size=400) + 2 * y
    scores = {"good": good, "copy": good.copy(), "poor": rng.normal(size=400)}
    found = hull_membership(y, scores, n_resamples=60, random_state=0)
    assert found.classifier["good"] == found.classifier["copy"] == 1
    assert found.alone["good"] == found.alone["copy"] == 0
    assert found.classifier["poor"] < 0.3
    again = hull_membership(y, frame_module(scores), n_resamples=60, random_state=0)
    assert again == found


@pytest.mark.long
def test_membership_is_that_of_the_resampled_rows() -> None:
    """A twin that draws the rows, makes every hull anew, and applies each rule to the rows that are drawn."""
    table = rh.datasets.load("german_credit_scores")
    y = np.asarray(table["class"] == "bad").astype(int)
    scores = {name: np.asarray(table[name]) for name in ("logistic", "naive_bayes", "tree")}
    found = hull_membership(y, scores, n_resamples=400, random_state=0)
    hull = rh.union({name: rh.roc_hull(y, s).named(name) for name, s in scores.items()})
    assert tuple(found.vertex) == tuple(rule for rules in hull.owners[1:-1] for rule in rules)
    rng = np.random.default_rng(1)
    owners, vertices = dict.fromkeys(scores, 0), dict.fromkeys(found.vertex, 0)
    for _ in range(400):
        rows = np.concatenate([rng.choice(np.flatnonzero(y == c), (y == c).sum()) for c in (0, 1)])
        drawn = rh.union({name: rh.roc_hull(y[rows], s[rows]).named(name) for name, s in scores.items()})
        for name in {rule.classifier for rules in drawn.owners[1:-1] for rule in rules}:
            owners[name] += 1
        corners = set(zip(drawn.fp.tolist(), drawn.tp.tolist(), strict=True))
        for rule in vertices:
            called = scores[str(rule.classifier)][rows] >= rule.threshold
            counts = ((called & (y[rows] == label)).sum() for label in (0, 1))
            vertices[rule] += tuple(map(int, counts)) in corners
    assert 0.05 < max(found.vertex.values()) < 1
    for counted, shares in ((owners, found.classifier), (vertices, found.vertex)):
        for key, count in counted.items():
            assert shares[key] == pytest.approx(count / 400, abs=0.11)


def test_membership_of_weighted_examples() -> None:
    """Weight 0 takes examples out: with them goes the classifier that they speak for."""
    rng = np.random.default_rng(6)
    y = (rng.random(300) < 0.5).astype(int)
    scores = {
        "first": np.where(np.arange(300) < 150, y + rng.normal(0, 0.1, 300), 0.5),
        "noise": rng.normal(size=300),
    }
    some = np.where(np.arange(300) < 150, 0.0, 1.0)
    found = [
        hull_membership(y, scores, n_resamples=40, sample_weight=weight, random_state=0).classifier["first"]
        for weight in (None, 1 - some, some)
    ]
    assert found[0] == found[1] == 1
    assert found[2] == 0


def test_membership_of_one_classifier() -> None:
    y, scores = rh.datasets.make_fawcett()
    found = hull_membership(y, scores, n_resamples=50, random_state=0)
    assert found.classifier == found.alone == {"score": 1.0}
    assert [rule.threshold for rule in found.vertex] == rh.roc_hull(y, scores).thresholds[1:-1].tolist()


def test_weighted_bands() -> None:
    """Equal weights change nothing but the draws; weight 0 takes examples out."""
    rng = np.random.default_rng(7)
    y = (rng.random(400) < 0.5).astype(int)
    scores = rng.normal(size=400) + y
    at = [0.1, 0.3, 0.6]
    plain = rh.roc_band(y, scores, fpr=at, n_resamples=400, random_state=0)
    equal = rh.roc_band(y, scores, fpr=at, n_resamples=400, sample_weight=np.full(400, 0.3), random_state=1)
    half = np.arange(400) < 200
    kept = rh.roc_band(y[half], scores[half], fpr=at, n_resamples=400, random_state=0)
    given = rh.roc_band(y, scores, fpr=at, n_resamples=400, sample_weight=half, random_state=1)
    for a, b in ((plain, equal), (kept, given)):
        assert np.allclose(a.estimate, b.estimate, atol=1e-12)
        assert np.allclose(a.low, b.low, atol=0.04)
        assert np.allclose(a.high, b.high, atol=0.04)
    assert (given.high - given.low > 1.1 * (plain.high - plain.low))[:2].all()


@pytest.mark.parametrize("method", ["simultaneous", "pointwise"])
def test_a_heavy_positive_widens_the_least_band(method: str) -> None:
    """The least width goes with the effective number of positives, not with that of the rows."""
    y = np.repeat([1, 0], 50)
    scores = np.repeat([1.0, 0.0], 50)
    weight = np.where(np.arange(100) == 0, 1000.0, 1.0)
    bands = [
        rh.roc_band(y, scores, method, fpr=[0.5], n_resamples=50, sample_weight=w, random_state=0)
        for w in (np.ones(100), weight)
    ]
    widths = [1 - float(band.low[0]) for band in bands]
    assert widths[1] > 5 * widths[0] > 0


def test_ks_bands_are_for_equal_weights() -> None:
    y, scores = rh.datasets.make_fawcett()
    with pytest.raises(ValueError, match="sample_weight needs a bootstrap"):
        rh.roc_band(y, scores, "ks", sample_weight=np.ones(15))


def test_corners_of_the_square_are_no_vertices() -> None:
    """The share of a vertex is at most that of the samples that hold its positives."""
    y, s = [0, 0, 0, 1, 0, 1, 0, 1], [1, 2, 3, 3.5, 5, 4, 7, 9]
    found = hull_membership(y, s, n_resamples=1000, random_state=0)
    top = next(share for rule, share in found.vertex.items() if rule.threshold == 9)
    assert top <= 1 - (2 / 3) ** 3 + 3 * np.sqrt(0.7 * 0.3 / 1000)  # its only positive is drawn


def test_printed() -> None:
    y, s = normal(60, np.random.default_rng(3))
    lines = str(rh.roc_band(y, s, n_resamples=60, random_state=0)).splitlines()
    assert lines[0] == "ROC band at 101 points (curve, 95%, simultaneous)"
    assert lines[1].startswith("TPR at FPR 0: ")
    assert lines[-1] == "TPR at FPR 1: 1.000 (1.000 to 1.000)"
    one = str(rh.roc_band(y, s, of="hull", fpr=[0.5], n_resamples=60, random_state=0))
    assert one.startswith("ROC band at 1 point (hull, 95%, simultaneous, in-sample)")
    found = hull_membership(y, np.stack((s, -s), 1), n_resamples=20, random_state=0)
    assert list(found.classifier) == ["0", "1"]
    assert str(found).splitlines()[:2] == [
        "on the hull in this share of 20 replicates:",
        "  0: 1.000 (alone somewhere: 1.000)",
    ]
