"""The bootstrap, against slow twins that draw rows and sort again, and against SciPy's."""

from __future__ import annotations

import warnings
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

import rochull as rh
from adversaries import Array, examples
from profiles import tries
from rochull._core.kernels import replicates as replicate_kernels
from rochull._core.validation import labelled
from rochull.uncertainty import draws as _draws
from rochull.uncertainty import loops, resampling
from rochull.uncertainty import replicates as resample
from rochull.uncertainty.bootstrap_intervals import acceleration, bca
from twins import pair_auc

pytestmark = pytest.mark.filterwarnings("ignore:statistic=.* has too narrow an interval")  # it has a test

STATE = np.array([1, 2, 3, 4], np.uint64)


def data(n: int = 300, seed: int = 0) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    a = rng.normal(size=n) + y
    return y, a, np.round(rng.normal(size=n) + 0.5 * y, 1)


def pool_of(y: Array, scores: dict[Any, Array], weights: Any = None, clusters: Any = None, most: Any = None):
    checked = labelled(y, next(iter(scores.values())), weights)
    return resample.pool_of(checked.positive, scores, checked.weights, clusters, most)


def test_generator_gives_the_published_numbers() -> None:
    # The first outputs of xoshiro256++ from the state 1, 2, 3, 4: the reference implementation
    # (Blackman & Vigna, xoshiro256plusplus.c), as listed in the tests of the Rust crate rand_xoshiro.
    expected = [41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205]
    state = STATE.copy()
    with np.errstate(over="ignore"):
        assert [int(replicate_kernels.next_bits(state)) for _ in expected] == expected


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_draws_are_uniform(size: int) -> None:
    counts = np.empty(size, np.uint16)
    totals = np.zeros(size)
    state = STATE.copy()
    for _ in range(200):
        replicate_kernels.draw_rows(state, 100, counts)
        assert counts.sum() == 100
        totals += counts
    assert stats.chisquare(totals).pvalue > 1e-4 if size > 1 else totals[0] == 20_000


def test_rows_are_drawn_independently() -> None:
    """The covariances of a multinomial: 1 - 1/n and -1/n for each row."""
    n, counts, state = 5, np.empty(5, np.uint16), STATE.copy()
    drawn = np.empty((20_000, n))
    for row in drawn:
        replicate_kernels.draw_rows(state, n, counts)
        row[:] = counts
    np.testing.assert_allclose(np.cov(drawn.T), np.eye(n) - 1 / n, atol=0.04)


@pytest.mark.parametrize("mean", [0.0, 0.4, 7.0, 9.99, 10.0, 14.0, 60.0, 900.0])
def test_poisson_variates(mean: float) -> None:
    state = STATE.copy()
    drawn = np.array([replicate_kernels.poisson(state, mean) for _ in range(20_000)])
    if mean == 0:
        assert not drawn.any()
        return
    edges = np.unique(stats.poisson.ppf(np.linspace(0.02, 0.98, 25), mean))
    counts = np.histogram(drawn, [-np.inf, *(edges + 0.5), np.inf])[0]
    expected = np.diff(stats.poisson.cdf([-1, *edges, np.inf], mean)) * drawn.size
    assert stats.chisquare(counts, expected).pvalue > 1e-3


def test_poisson_log_is_scipys() -> None:
    for k, mean in ((0, 3.0), (5, 10.0), (19, 25.0), (20, 12.0), (700, 655.0), (10**6, 1e6 + 1e3)):
        assert replicate_kernels.poisson_log(k, mean) == pytest.approx(
            stats.poisson.logpmf(k, mean), abs=1e-8
        )


@pytest.mark.parametrize("draws", [1, 10, 40])
def test_totals_are_drawn_as_rows_are(draws: int) -> None:
    """The multinomial distribution, from its definition."""
    totals, state, out = np.array([1, 0, 3, 6]), STATE.copy(), np.empty(4, np.int64)
    found = np.empty((20_000, 4), np.int64)
    for row in found:
        replicate_kernels.draw_totals(state, totals, draws, out)
        row[:] = out
    assert np.all(found.sum(axis=1) == draws)
    assert not found[:, 1].any()
    share = totals / 10
    np.testing.assert_allclose(
        np.cov(found.T), draws * (np.diag(share) - np.outer(share, share)), atol=0.03 * draws
    )
    for g in (0, 2, 3):
        k = np.arange(draws + 1)
        expected = stats.binom.pmf(k, draws, share[g]) * len(found)
        counts, often = np.bincount(found[:, g], minlength=draws + 1), expected > 5
        pooled = [np.append(c[often], c[~often].sum()) for c in (counts, expected)]
        kept = pooled[1] > 0.5
        assert (
            stats.chisquare(pooled[0][kept], pooled[1][kept] * len(found) / pooled[1][kept].sum()).pvalue
            > 1e-3
        )


@given(examples(min_size=4, max_size=60), st.booleans(), st.integers(0, 2**32))
@tries(60)
def test_the_data_themselves(rows: Any, merge: bool, seed: int) -> None:
    y, scores, weights = rows
    found = _draws.original(pool_of(y, {None: scores}, weights))
    assert found.auc() == pytest.approx(pair_auc(y, scores, weights), abs=1e-12)
    hull = rh.roc_hull(y, scores, sample_weight=weights)
    np.testing.assert_allclose(found.hull().fpr, hull.fpr, atol=1e-12)
    assert found.hull().thresholds.tolist() == hull.thresholds.tolist()


def replicate_rows(pool: Any, plan: Any, state: Array) -> Array:
    """Which rows a replicate holds: from a classifier whose scores number the rows."""
    sample, _ = _draws.draw(pool, plan, state)
    neg, pos = sample.totals["row"]
    return np.repeat(np.arange(neg.size)[::-1], neg + pos)


@pytest.mark.crossed
@pytest.mark.parametrize("stratified", [True, False])
@pytest.mark.parametrize("how", ["plain", "clusters", "weights"])
def test_replicates_are_drawn_rows(stratified: bool, how: str) -> None:
    """Every statistic of a replicate is that of the rows it was drawn from, sorted again."""
    y, a, b = data(60)
    rng = np.random.default_rng(5)
    clusters = rng.integers(0, 20, y.size) if how == "clusters" else None
    weights = rng.integers(1, 4, y.size).astype(float) if how == "weights" else None
    scores: dict[Any, Array] = {"row": np.arange(y.size), "a": a, "b": b}
    pool = pool_of(y, scores, weights, clusters)
    for seed in range(10):
        state = np.random.SeedSequence(seed).generate_state(4, np.uint64)
        sample, _ = _draws.draw(pool, _draws.DrawPlan(stratified), state)
        neg, pos = sample.totals["row"]
        units = pool.units
        mass = (neg / units.neg + pos / units.pos)[::-1]  # of row 0, 1, ...
        times = np.rint(mass / (1 if weights is None else weights)).astype(int)
        rows = np.repeat(np.arange(y.size), times)
        again = None if weights is None else weights[rows]
        for name in ("a", "b"):
            assert sample.auc(name) == pytest.approx(
                roc_auc_score(y[rows], scores[name][rows], sample_weight=again), abs=1e-12
            )
            hull = rh.roc_hull(y[rows], scores[name][rows], sample_weight=again)
            np.testing.assert_allclose(sample.hull(name).tpr, hull.tpr, atol=1e-12)
        if stratified and clusters is None:
            assert np.bincount(y[rows]).tolist() == np.bincount(y).tolist()
        if clusters is not None:  # all rows of a cluster are in equally often
            for cluster in np.unique(clusters):
                assert len(set(times[clusters == cluster])) == 1


def test_one_classifier_alone_is_drawn_like_several() -> None:
    """The distribution of the AUC is the same on all paths: rows, groups, clusters of one, unstratified."""
    y, a, _ = data(200)
    coarse = np.round(a)
    found = {
        "rows": rh.bootstrap(y, coarse + 1e-9 * a, n_resamples=4000, random_state=1),
        "groups": rh.bootstrap(y, coarse, n_resamples=4000, random_state=2),
        "paired": rh.bootstrap(y, {"a": coarse, "b": a}, lambda s: s.auc("a"), random_state=3),
        "clusters": rh.bootstrap(y, coarse, clusters=np.arange(y.size), random_state=4),
        "apart": rh.bootstrap(y, coarse, stratified=False, n_resamples=4000, random_state=5),
        "function": rh.bootstrap(y, coarse, lambda s: s.auc(), n_resamples=4000, random_state=6),
    }
    delong = np.sqrt(np.var(np.interp(coarse[y == 1], *_cdf(coarse[y == 0])), ddof=0) / (y == 1).sum())
    for name, one in found.items():
        assert one.standard_error == pytest.approx(found["paired"].standard_error, rel=0.1), name
        assert one.standard_error > delong * 0.8
        assert stats.ks_2samp(one.replicates, found["function"].replicates).pvalue > 1e-3 or name == "rows"


def _cdf(values: Array) -> tuple[Array, Array]:
    values = np.sort(values)
    return values, (np.arange(values.size) + 0.5) / values.size


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_intervals_agree_with_scipy(method: str) -> None:
    y, a, _ = data(120)

    def auc(pos: Array, neg: Array, axis: int = -1) -> Any:
        return (pos[..., :, None] > neg[..., None, :]).mean(axis=(-1, -2))

    kind = {"bca": "BCa"}.get(method, method)
    expected = stats.bootstrap(
        (a[y == 1], a[y == 0]), auc, n_resamples=6000, method=kind, batch=500, rng=np.random.default_rng(0)
    )
    found = rh.bootstrap(y, a, method=method, n_resamples=6000, random_state=0)
    assert found.estimate == rh.roc_auc(y, a)
    assert found.standard_error == pytest.approx(expected.standard_error, rel=0.05)
    assert found.low == pytest.approx(expected.confidence_interval.low, abs=0.005)
    assert found.high == pytest.approx(expected.confidence_interval.high, abs=0.005)


def test_ends_are_order_statistics() -> None:
    y, a, _ = data()
    found = rh.bootstrap(y, a, n_resamples=200, level=0.9, random_state=0)
    ordered = np.sort(found.replicates)
    assert (found.low, found.high) == (ordered[9], ordered[190])
    basic = rh.bootstrap(y, a, n_resamples=200, level=0.9, method="basic", random_state=0)
    assert basic.low == pytest.approx(2 * found.estimate - found.high)
    assert basic.high == pytest.approx(2 * found.estimate - found.low)


@pytest.mark.parametrize(("n_resamples", "level", "k"), [(99, 0.9, 5), (98, 0.9, 4), (39, 0.95, 1)])
def test_the_rank_of_an_end_is_the_tail_times_one_more(n_resamples: int, level: float, k: int) -> None:
    """Of B replicates the k-th, k = tail (B + 1) rounded down: Davison & Hinkley 1997, section 2.4."""
    y, a, _ = data()
    found = rh.bootstrap(y, a, n_resamples=n_resamples, level=level, random_state=0)
    ordered = np.sort(found.replicates)
    assert (found.low, found.high) == (ordered[k - 1], ordered[-k])


def test_bca_counts_half_of_the_ties_with_the_estimate_as_below() -> None:
    """Replicates that lie alike on both sides are unbiased: nothing is shifted, however many are tied."""
    values = np.array([-3.0, -2, -1, 0, 0, 0, 0, 0, 1, 2, 3])
    tail, none = Fraction(1, 10), np.float64(0)
    ends = bca(values, np.float64(0), tail, none)
    assert ends == (-2, 2)
    # Two thirds above: below are 3 of 18, tied with it 6 of 18, so that the shift is that of a third.
    values = np.repeat([-1.0, 0, 1, 2], [3, 6, 3, 6])
    shift = 2 * stats.norm.ppf(1 / 3)
    shares = [stats.norm.cdf(shift + z) for z in stats.norm.ppf([0.1, 0.9])]
    expected = tuple(np.sort(values)[np.ceil(18 * share).astype(int) - 1] for share in shares)
    assert bca(values, np.float64(0), tail, none) == expected == (-1, 1)


def test_m_out_of_n_scales_by_the_rate() -> None:
    y, a, _ = data()
    options: dict[str, Any] = {"n_resamples": 200, "share": 0.25, "rate": 1 / 3, "random_state": 0}
    found = rh.bootstrap(y, a, method="basic", **options)
    ordered = np.sort(found.replicates)
    scale = 0.25 ** (1 / 3)
    assert found.method == "basic, m-out-of-n"
    assert found.low == pytest.approx(found.estimate - scale * (ordered[195] - found.estimate))
    assert found.high == pytest.approx(found.estimate - scale * (ordered[4] - found.estimate))
    other = rh.bootstrap(y, a, **options)
    assert other.method == "percentile, m-out-of-n"
    assert other.low == pytest.approx(found.estimate + scale * (ordered[4] - found.estimate))
    assert other.high == pytest.approx(found.estimate + scale * (ordered[195] - found.estimate))


@pytest.mark.parametrize("pure", [False, True])
def test_a_share_of_the_clusters_is_drawn(pure: bool) -> None:
    """Of the clusters of each class where they hold one class each, else of all: rounded, at least one."""
    y = np.repeat([0, 1], (60, 30)) if pure else np.tile([0, 0, 1], 30)
    pool = pool_of(y, {None: np.arange(90.0)}, clusters=np.arange(90) // 3)
    for state in resampling.states_of(0, 5):
        sample, _ = _draws.draw(pool, _draws.DrawPlan(share=0.22), state)
        neg, pos = (int(total.sum()) for total in sample.totals[None])
        assert (neg, pos) == ((3 * 4, 3 * 2) if pure else (2 * 7, 7))


def test_arrays_and_infinite_values() -> None:
    y, a, _ = data()

    def thresholds(sample: Any) -> list[float]:
        return [
            np.inf,
            sample.hull().at(rh.ExpectedCost(cost_fn=2, prevalence=0.5)).rules[0][0].threshold,
            sample.auc(),
        ]

    for method in ("percentile", "basic", "bca"):
        found = rh.bootstrap(y, a, thresholds, method=method, n_resamples=100, random_state=0)
        assert found.low.shape == found.high.shape == found.estimate.shape == (3,)
        assert found.in_sample
        assert np.isfinite(found.low[1:]).all()


def test_a_perfect_classifier_has_a_degenerate_interval() -> None:
    y = np.repeat([0, 1], 20)
    for method in ("percentile", "basic", "bca"):
        found = rh.bootstrap(y, np.arange(40.0), method=method, n_resamples=50, random_state=0)
        assert (found.low, found.estimate, found.high) == (1.0, 1.0, 1.0)


def test_named_statistics_are_the_functions() -> None:
    y, a, _ = data()
    expected = {
        "auc": rh.roc_auc(y, a),
        "hull_auc": rh.roc_hull(y, a).auc(),
        "eer": rh.eer(y, a),
        "min_cllr": rh.min_cllr(y, a),
        "cllr": rh.cllr(y, a),
    }
    for name, value in expected.items():
        found = rh.bootstrap(y, a, name, n_resamples=40, random_state=0)
        assert found.estimate == pytest.approx(value, rel=1e-12)
        assert found.in_sample == (name in {"hull_auc", "eer", "min_cllr"})
        assert found.low < found.high


def test_readings_of_a_resample() -> None:
    y, a, _ = data()
    sample = _draws.original(pool_of(y, {None: a}))
    curve = rh.roc_curve(y, a)
    for fpr in (0.0, 0.1, 0.37, 1.0):
        assert sample.tpr_at(fpr) == pytest.approx(max(curve.tpr[curve.fpr <= fpr]), abs=1 / 50)
    assert sample.tpr_at(0.0) == max(curve.tpr[curve.fpr == 0])
    assert sample.tpr_at(1.0) == 1.0
    ties = np.round(a)  # groups of both classes: linear inside
    grouped, curve_of_ties = _draws.original(pool_of(y, {None: ties})), rh.roc_curve(y, ties)
    for fpr in (0.01, 0.3, 0.77):
        assert grouped.tpr_at(fpr) == pytest.approx(np.interp(fpr, curve_of_ties.fpr, curve_of_ties.tpr))
    i = len(curve) // 2
    assert sample.rates(curve.thresholds[i]) == (curve.fpr[i], curve.tpr[i])
    assert sample.called(curve.thresholds[i]) == (curve.fp_units[i], curve.tp_units[i])
    assert sample.rates(np.inf) == (0.0, 0.0)
    assert sample.rates(-np.inf) == (1.0, 1.0)
    with pytest.raises(ValueError, match="threshold must be a number, but is NaN"):
        sample.rates(np.nan)
    assert sample.auc(max_fpr=0.2) == curve.auc(0.2)
    two = {"a": a, "b": a}
    with pytest.raises(
        ValueError, match="a sample of several classifiers is asked for one by its name: 'a', 'b'"
    ):
        rh.bootstrap(y, two, lambda sample: sample.cllr(), n_resamples=2)
    with pytest.raises(ValueError, match="'b' is not one of the classifiers"):
        sample.auc("b")


def test_paired_differences_vary_less_than_unpaired_ones() -> None:
    y, a, _ = data()
    other = a + np.random.default_rng(3).normal(0, 0.1, a.size)
    paired = rh.bootstrap(y, {"a": a, "b": other}, lambda s: s.auc("a") - s.auc("b"), random_state=0)
    alone = rh.bootstrap(y, a, random_state=0)
    assert paired.standard_error < alone.standard_error / 3


def test_merged_groups_keep_the_area_and_the_interval() -> None:
    y, a, _ = data(5000)
    whole = rh.bootstrap(y, a, n_resamples=1000, random_state=0)
    merged = rh.bootstrap(y, a, n_resamples=1000, max_groups=200, random_state=0)
    assert merged.n_groups <= 200 < whole.n_groups
    assert merged.estimate == pytest.approx(whole.estimate, abs=1e-12)
    assert merged.standard_error == pytest.approx(whole.standard_error, rel=0.1)
    assert merged.low == pytest.approx(whole.low, abs=2e-3)


def test_rates_of_merged_groups_are_those_of_the_data() -> None:
    """A threshold inside a merged group divides it as it divides the data."""
    y, a, _ = data(5000)
    merged = _draws.original(pool_of(y, {None: a}, most=50))
    for threshold in (-np.inf, a.min(), -0.3, 0.1, np.median(a), 2.0, a.max(), np.inf):
        expected = [np.mean(a[y == label] >= threshold) for label in (0, 1)]
        assert merged.rates(threshold) == pytest.approx(expected, abs=1e-12)
    found = rh.bootstrap(y, a, lambda s: s.rates(0.1), n_resamples=1000, max_groups=50, random_state=0)
    fpr, tpr = found.estimate
    exact = np.sqrt([fpr * (1 - fpr) / (y == 0).sum(), tpr * (1 - tpr) / (y == 1).sum()])
    np.testing.assert_allclose(found.standard_error, exact, rtol=0.1)


def test_many_groups_are_merged_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resample, "_THIN_ABOVE", 500)
    monkeypatch.setattr(resample, "_THIN_TO", 100)
    y, a, _ = data(1000)
    assert 50 < rh.bootstrap(y, a, n_resamples=39, random_state=0).n_groups <= 100


@pytest.mark.crossed
@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
@pytest.mark.parametrize(
    "statistic", ["auc", "min_cllr", "cllr", lambda s: s.rates(0.1), lambda s: s.tpr_at(0.3)]
)
def test_merging_does_not_reach_the_estimate(statistic: Any, method: str) -> None:
    """It is the statistic of the data, and replicates and ends are where they are without merging."""
    y, a, _ = data(3000)
    options: dict[str, Any] = {"n_resamples": 200, "random_state": 0, "method": method}
    merged, whole = (rh.bootstrap(y, a, statistic, max_groups=g, **options) for g in (40, None))
    assert merged.n_groups <= 40 < whole.n_groups
    np.testing.assert_array_equal(merged.estimate, whole.estimate)
    spread = np.asarray(whole.standard_error)
    assert np.all(np.abs(np.asarray(merged.bias) - whole.bias) < 0.4 * spread)
    assert np.all(np.abs(np.asarray(merged.low) - whole.low) < spread)
    assert np.all(np.abs(np.asarray(merged.high) - whole.high) < spread)


@pytest.mark.parametrize("kind", ["auc", "function", "clusters", "groups"])
def test_the_same_on_any_number_of_threads(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    y, a, _ = data()
    options: dict[str, Any] = {"n_resamples": 100, "random_state": 7}
    statistic = (lambda s: s.hull().auc()) if kind == "function" else "auc"
    if kind == "clusters":
        options["clusters"] = np.arange(y.size) // 3
    if kind == "groups":
        a = np.round(a)
    first = rh.bootstrap(y, a, statistic, **options)
    monkeypatch.setattr(resampling, "share_out", lambda work, batches: [work(batch) for batch in batches])
    monkeypatch.setattr(resampling, "n_threads", lambda: 1)
    second = rh.bootstrap(y, a, statistic, **options)
    assert first.replicates.tolist() == second.replicates.tolist()


def test_seeds() -> None:
    y, a, _ = data()
    for make in (lambda: 3, lambda: np.random.default_rng(3), lambda: np.random.RandomState(3)):
        one, two = (rh.bootstrap(y, a, n_resamples=40, random_state=make()) for _ in range(2))
        assert one.replicates.tolist() == two.replicates.tolist()
    assert rh.bootstrap(y, a, n_resamples=40).replicates.tolist() != one.replicates.tolist()


def test_missing_classes_are_drawn_again_and_counted() -> None:
    y = np.array([1, 0, 0, 0, 0])
    found = rh.bootstrap(y, np.arange(5), stratified=False, n_resamples=200, random_state=0)
    assert found.n_redrawn == pytest.approx(200 * 0.33 / 0.67, rel=0.4)  # 0.8 ** 5 is 0.33
    y[2] = 1
    with pytest.warns(UserWarning, match="clusters: there are 3 of them, too few"):
        clustered = rh.bootstrap(y, np.arange(5), clusters=[0, 0, 1, 2, 2], n_resamples=50, random_state=0)
    assert clustered.n_redrawn > 0


def test_pure_clusters_are_stratified() -> None:
    y = np.repeat([0, 1], 30)
    found = rh.bootstrap(y, np.arange(60) % 7, clusters=np.arange(60) // 3, n_resamples=100, random_state=0)
    assert found.n_redrawn == 0


def test_progress_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    y, a, _ = data()
    shown = rh.bootstrap(y, a, n_resamples=100, random_state=0, progress=True)
    assert capsys.readouterr().out == ""
    assert shown.low == rh.bootstrap(y, a, n_resamples=100, random_state=0).low


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"statistic": "area"}, "statistic must be a function or one of 'auc'"),
        ({"n_resamples": 1}, "n_resamples must be an integer of at least 2, but is 1"),
        ({"n_resamples": 10.5}, "n_resamples must be an integer"),
        ({"method": "normal"}, 'method must be "percentile", "basic", "bca" or'),
        ({"level": 95}, "level must lie strictly between 0 and 1"),
        ({"share": 0}, "share must lie in"),
        ({"share": 0.5, "method": "bca"}, "needs share=1"),
        ({"rate": 2}, "rate must lie in"),
        ({"max_groups": 1}, "max_groups must be an integer of at least 2"),
        ({"max_groups": 10, "clusters": np.zeros(300)}, "max_groups is for one classifier"),
        ({"clusters": [1, 2]}, "must have the same length"),
        ({"statistic": lambda s: np.nan}, "statistic is NaN on the data"),
        ({"statistic": lambda s: 1.0 if s.auc() == rh.roc_auc(*data()[:2]) else np.nan}, "NaN in 40 of 40"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    y, a, _ = data()
    with pytest.raises(ValueError, match=message):
        rh.bootstrap(y, a, **{"n_resamples": 40, "random_state": 0, **options})


def test_bad_scores() -> None:
    y, a, _ = data()
    with pytest.raises(ValueError, match="no columns"):
        rh.bootstrap(y, {})
    with pytest.raises(ValueError, match="NaN"):
        rh.bootstrap(y, {"a": a, "b": np.full(a.size, np.nan)})
    with (
        pytest.warns(UserWarning, match="share=0.001 draws 1 of"),
        pytest.raises(ValueError, match="in a row lacked a class"),
    ):
        rh.bootstrap(y, a, clusters=np.arange(y.size) // 2 * 2 + 1000 * y, share=1e-3, stratified=False)


def test_frames(frame_module: Any) -> None:
    y, a, b = data()
    frame = frame_module({"a": a, "b": b})
    found = rh.bootstrap(y, frame, lambda s: s.auc("a") - s.auc("b"), n_resamples=40, random_state=0)
    expected = rh.bootstrap(
        y, {"a": a, "b": b}, lambda s: s.auc("a") - s.auc("b"), n_resamples=40, random_state=0
    )
    assert found.replicates.tolist() == expected.replicates.tolist()


def precision(sample: Any) -> float:
    neg, pos = sample.called(0.5)
    return float(pos / (neg + pos))


def _skewness(influence: Array) -> float:
    influence = influence - influence.mean()
    return float((influence**3).sum() / (6 * (influence**2).sum() ** 1.5))


def test_acceleration_without_strata_is_that_of_all_rows() -> None:
    """The share of positives: each row's influence is its label."""
    y = np.repeat([0, 1], (76, 4))
    pool = pool_of(y, {None: np.arange(80.0)})

    def share(sample: Any) -> float:
        neg, pos = sample.totals[None]
        return float(pos.sum() / (neg.sum() + pos.sum()))

    state = resampling.states_of(0, 1)[0]
    found = float(acceleration(pool, share, state, False))
    assert found == pytest.approx(_skewness(y.astype(float)), rel=0.05)
    assert found > 0.07  # and not -0.019
    # Groups drawn by their totals only, as of merged scores: the same, but for the random groups.
    y = np.repeat([0, 1], (76, 4))[np.arange(8000) % 80]
    pool = pool_of(y, {None: np.zeros(8000)})
    assert not next(iter(pool.classifiers.values())).groups[1].size
    found = float(np.mean([acceleration(pool, share, s, False) for s in resampling.states_of(0, 40)]))
    assert found == pytest.approx(_skewness(y.astype(float)), rel=0.5)


def test_bca_without_strata_agrees_with_clusters_of_one() -> None:
    """Of mixed rows, clusters of one row each are the same design, and so is SciPy's bootstrap of rows."""
    rng = np.random.default_rng(4)
    y = (rng.random(90) < 0.4).astype(int)
    s = rng.normal(size=90) + y

    options: dict[str, Any] = {"method": "bca", "n_resamples": 4000, "stratified": False, "random_state": 0}
    rows = rh.bootstrap(y, s, precision, **options)
    called = np.flatnonzero(s >= 0.5)
    influence = np.where(np.isin(np.arange(90), called), y - rows.estimate, 0.0)
    found = float(acceleration(pool_of(y, {None: s}), precision, resampling.states_of(0, 1)[0], False))
    assert found == pytest.approx(_skewness(influence), abs=0.005)
    expected = stats.bootstrap(
        (y, s), lambda y, s, axis: (y * (s >= 0.5)).sum(axis) / (s >= 0.5).sum(axis),
        paired=True, vectorized=True, n_resamples=4000, method="BCa", rng=np.random.default_rng(0), axis=0,
    ).confidence_interval  # fmt: skip
    assert (rows.low, rows.high) == pytest.approx((expected.low, expected.high), abs=0.02)


def test_acceleration_of_pure_clusters_is_within_strata() -> None:
    """As of rows that are drawn within their classes, if each cluster is a row."""
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], (60, 25))
    s = rng.normal(size=85) + 2 * y
    state = resampling.states_of(0, 1)[0]

    rows = pool_of(y, {None: s})
    clusters = resample.pool_of(y, {None: s}, None, np.arange(85), None)
    found = [float(acceleration(pool, precision, state, True)) for pool in (rows, clusters)]
    assert found[0] == pytest.approx(found[1], rel=1e-9)
    assert abs(float(acceleration(clusters, precision, state, False)) - found[0]) > 1e-3


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_clusters_that_hold_a_class_are_refused(method: str) -> None:
    y, a, _ = data()
    for clusters, which in (
        (np.zeros(y.size), "negative"),
        (np.where(y == 1, -1, np.arange(y.size)), "positive"),
    ):
        with pytest.raises(ValueError, match=f"clusters: all .* {which} examples are in one"):
            rh.bootstrap(y, a, clusters=clusters, method=method)


def test_few_clusters_warn() -> None:
    y, a, _ = data()
    with pytest.warns(UserWarning, match="clusters: there are 6 of them, too few") as caught:
        rh.bootstrap(y, a, clusters=np.arange(y.size) % 6, random_state=0, n_resamples=50)
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="there are 4 of them of one class"):
        rh.bootstrap(y, a, clusters=np.arange(y.size) % np.where(y, 4, 40) + 100 * y, n_resamples=50)
    with pytest.warns(UserWarning, match="clusters"):
        rh.optimism(
            y,
            a,
            rh.ExpectedCost(prevalence=0.5),
            clusters=np.arange(y.size) % 6,
            n_resamples=50,
            random_state=0,
        )


@pytest.mark.parametrize(
    ("clusters", "message"),
    [
        (np.where(np.arange(300) < 10, np.nan, 1.0), "clusters has 10 NaN"),
        ([None] * 10 + ["a"] * 290, "clusters has missing values, the first at index 0"),
        (["a", np.nan] * 150, "clusters has missing values, the first at index 1"),
        (np.zeros((300, 2)), "clusters must have shape"),
        (3, r"clusters must be an array of shape \(n,\), but is an int\.$"),
        (np.zeros(300), "clusters: all .* negative examples are in one"),
        (pd.array([1, None] * 150, "Int64"), "clusters has 150 NaN"),
        (np.array(["2020-01-01", "NaT"] * 150, "M8[D]"), "clusters has missing values, the first at index 1"),
    ],
)
def test_bad_clusters(clusters: Any, message: str) -> None:
    y, a, _ = data()
    assert y.size == 300
    optimism = partial(rh.optimism, condition=rh.ExpectedCost(prevalence=0.5))
    for call in (rh.bootstrap, optimism, rh.roc_band, rh.uncertainty.hull_membership):
        with pytest.raises(ValueError, match=message):
            call(y, a, clusters=clusters)


def test_clusters_of_any_labels() -> None:
    y, a, _ = data()
    codes = np.arange(y.size) // 3
    expected = rh.bootstrap(y, a, clusters=codes, n_resamples=50, random_state=0)
    mixed = [str(code) if code % 2 else code - 1 for code in codes.tolist()]  # "1" is not 1
    order = {label: i for i, label in enumerate(dict.fromkeys(mixed))}
    found = rh.bootstrap(y, a, clusters=mixed, n_resamples=50, random_state=0)
    assert len(order) == 100
    again = rh.bootstrap(y, a, clusters=codes[:, None], n_resamples=50, random_state=0)
    assert again.low == expected.low
    assert found.standard_error == pytest.approx(expected.standard_error, rel=0.3)


def test_weights_of_zero_are_left_out() -> None:
    y, w = np.repeat([0, 1], 20), np.repeat([1.0, 0.0], (32, 8))
    s = np.random.default_rng(0).normal(size=40) + y
    found = rh.bootstrap(y, s, sample_weight=w, n_resamples=50, random_state=0)
    kept = rh.bootstrap(y[:32], s[:32], n_resamples=50, random_state=0)
    assert found.replicates.tolist() == kept.replicates.tolist()
    w[:5] = 2.0
    clusters = np.arange(40)
    found = rh.bootstrap(y, s, sample_weight=w, clusters=clusters, n_resamples=50, random_state=0)
    kept = rh.bootstrap(
        y[:32], s[:32], sample_weight=w[:32], clusters=clusters[:32], n_resamples=50, random_state=0
    )
    assert found.replicates.tolist() == kept.replicates.tolist()
    for method in ("bootstrap", "cross-validation"):
        options: dict[str, Any] = {"method": method, "n_folds": 2, "n_resamples": 20, "random_state": 0}
        a = rh.optimism(y, s, rh.ExpectedCost(prevalence=0.5), sample_weight=w, **options)
        b = rh.optimism(y[:32], s[:32], rh.ExpectedCost(prevalence=0.5), sample_weight=w[:32], **options)
        assert a == b
    w[20:] = 0
    with pytest.raises(ValueError, match="sample_weight"):
        rh.bootstrap(y, s, sample_weight=w)


def test_ends_between_infinities_are_infinite() -> None:
    y, a, _ = data()
    llr = np.where(np.arange(y.size) == np.flatnonzero(y == 0)[0], np.inf, a)
    found = rh.bootstrap(y, llr, "cllr", method="basic", n_resamples=100, random_state=0)
    assert (found.low, found.estimate, found.high) == (-np.inf, np.inf, np.inf)


@pytest.mark.parametrize(
    ("statistic", "message"),
    [
        (lambda s: "0.5", "statistic must give a number or an array of numbers, but gave '0.5'"),
        (lambda s: {"auc": 1}, "statistic must give a number or an array"),
        (lambda s: None, "statistic must give a number or an array"),
        (lambda s: s.auc, "statistic must give a number or an array"),
        (lambda s: [1, [2, 3]], "statistic must give a number or an array"),
        (lambda s: s.tally().score, "statistic must give arrays of one shape"),
        (None, "statistic must be a function or one of"),
        (["auc"], "statistic must be a function or one of"),
    ],
)
def test_bad_statistics(statistic: Any, message: str) -> None:
    y, a, _ = data()
    with pytest.raises(ValueError, match=message):
        rh.bootstrap(y, a, statistic, random_state=0)


@pytest.mark.parametrize("seed", ["a", -1, 1.5, True, [1]])
def test_bad_seeds(seed: Any) -> None:
    y, a, b = data()
    for call in (
        rh.bootstrap,
        rh.roc_band,
        rh.uncertainty.hull_membership,
        partial(rh.uncertainty.venkatraman_test, score_b=b),
    ):
        with pytest.raises(ValueError, match="random_state must be an integer from 0 on"):
            call(y, a, random_state=seed)


def test_seed_sequences_and_numpy_integers() -> None:
    y, a, _ = data()
    one, two, three = (
        rh.bootstrap(y, a, n_resamples=50, random_state=np.random.SeedSequence(seed)).low
        for seed in (1, 1, 2)
    )
    assert one == two != three
    given = [rh.bootstrap(y, a, n_resamples=50, random_state=seed).low for seed in (3, np.int32(3))]
    assert given[0] == given[1]


@pytest.mark.crossed
@pytest.mark.parametrize("name", ["auc", "hull_auc", "eer", "min_cllr", "cllr"])
def test_named_statistics_of_several_classifiers(name: str, frame_module: Any) -> None:
    y, a, b = data()
    found = rh.bootstrap(y, frame_module({"a": a, "b": b}), name, n_resamples=50, random_state=0)
    array = rh.bootstrap(y, np.stack((a, b), 1), name, n_resamples=50, random_state=0)
    alone = [rh.bootstrap(y, x, name, n_resamples=50, random_state=0).estimate for x in (a, b)]
    assert found.estimate.tolist() == array.estimate.tolist() == pytest.approx(alone)
    assert found.low.tolist() == array.low.tolist()


def test_too_few_replicates_warn() -> None:
    y, a, _ = data()
    with pytest.warns(UserWarning, match="n_resamples=38 is too few for level=0.95; it takes at least 39"):
        rh.bootstrap(y, a, n_resamples=38)
    rh.bootstrap(y, a, n_resamples=39)
    with pytest.warns(UserWarning, match="at least 199"):
        rh.roc_band(y, a, level=0.99, n_resamples=100)
    with pytest.warns(UserWarning, match="share=0.02 draws 2 of"):
        rh.bootstrap(y, a, share=0.02)


def test_constant_weights_are_as_none() -> None:
    y, a, _ = data()
    options: dict[str, Any] = {"n_resamples": 50, "random_state": 0}
    for call in (
        lambda **how: rh.bootstrap(y, a, max_groups=50, **how).replicates.tolist(),
        lambda **how: rh.optimism(y, a, rh.ExpectedCost(prevalence=0.5), **how),
        lambda **how: rh.optimism(y, a, rh.NeymanPearson(0.1), **how),
    ):
        assert call(**options) == call(sample_weight=np.full(y.size, 0.3), **options)


def test_printed() -> None:
    """As all intervals are; what the sample chose says so."""
    table = rh.datasets.load("german_credit_scores")
    y, a, b = table["class"] == "bad", table["boosted"], table["tree"]
    hull = rh.bootstrap(y, a, "hull_auc", n_resamples=200, random_state=0)
    assert str(hull).endswith("; 95 % studentised, in-sample)")
    both = str(rh.bootstrap(y, {"a": a, "b": b}, n_resamples=200, random_state=0)).splitlines()
    assert both[0] == "95 % percentile"
    assert len(both) == 4


def test_bars_are_labelled(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = []

    def track(steps: Any, label: str, **options: Any) -> Any:
        labels.append(label)
        return steps

    monkeypatch.setattr("rich.progress.track", track)
    y, a, b = data()
    rh.bootstrap(y, a, n_resamples=50, progress=True)
    rh.bootstrap(y, a, lambda s: 1.0, n_resamples=50, progress=True)
    rh.bootstrap(y, a, n_resamples=50, progress="mine")
    rh.optimism(y, a, rh.ExpectedCost(prevalence=0.5), n_resamples=50, progress=True)
    rh.optimism(
        y, a, rh.ExpectedCost(prevalence=0.5), method="cross-validation", n_resamples=2, progress=True
    )
    rh.uncertainty.venkatraman_test(y, a, b, n_permutations=50, progress=True)
    for function in (rh.roc_band, rh.uncertainty.hull_membership):
        for progress in (True, "mine", False):
            function(y, a, n_resamples=60, random_state=0, progress=progress)
    assert labels == [
        "bootstrap of auc", "bootstrap", "mine", "bootstrap of the optimism", "rotations through the folds",
        "permutations of Venkatraman's test", "bootstrap of the ROC band", "mine",
        "bootstrap of the membership of the hull", "mine",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="progress must be True, False, None or a label"):
        rh.bootstrap(y, a, progress=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
def test_all_classifiers_get_the_same_rows(weighted: bool, clustered: bool) -> None:
    """Distinct scores tell the rows: each has one weight in a replicate, whichever classifier is asked."""
    rng = np.random.default_rng(3)
    y = (rng.random(60) < 0.5).astype(int)
    scores = {name: rng.permutation(60).astype(float) for name in "abc"}
    weights = rng.integers(1, 4, 60).astype(float) if weighted else None
    pool = pool_of(y, scores, weights, np.arange(60) // 3 if clustered else None)
    for state in resampling.states_of(0, 5):
        sample, _ = _draws.draw(pool, _draws.DrawPlan(), state)
        found = []
        for name, column in scores.items():
            drawn = np.zeros((60, 2))
            group = 59 - column.astype(int)  # descending
            for label in (0, 1):
                drawn[:, label] = sample.totals[name][label][group] / pool.units.pair[label]
            found.append(drawn)
        assert found[0].tolist() == found[1].tolist() == found[2].tolist()
        assert not found[0][np.arange(60), 1 - y].any()
        times = found[0][np.arange(60), y] / (1 if weights is None else weights)
        assert np.array_equal(times, np.round(times))
        if clustered:
            assert np.array_equal(times.reshape(20, 3).std(axis=1), np.zeros(20))
        else:
            assert [times[y == label].sum() for label in (0, 1)] == [(y == 0).sum(), (y == 1).sum()]


@pytest.mark.parametrize(
    ("name", "size", "said"),
    [
        ("auc", 30, "with 30 .* use auc_interval"),
        ("cllr", 200, "0.64 to 0.87"),
        ("min_cllr", 100, "0.68 to 1.00"),
        ("eer", 20, "0.81 to 0.99"),
    ],
)
def test_intervals_that_do_not_cover_say_so(name: str, size: int, said: str) -> None:
    labels, scores = np.repeat([1, 0], [size, 999]), np.random.default_rng(0).normal(size=size + 999)
    with pytest.warns(UserWarning, match=f"statistic='{name}' has too narrow an interval .*{said}"):
        rh.bootstrap(labels, scores, name, n_resamples=39, random_state=0)
    more = np.append(labels, 1), np.append(scores, 0.5)
    rh.bootstrap(*more, name, n_resamples=39, random_state=0)  # of one more nothing is said


@pytest.mark.parametrize("name", ["hull_auc", "eer", "min_cllr"])
@pytest.mark.parametrize("method", ["percentile", "basic"])
def test_of_a_hull_others_than_the_default_are_too_narrow(name: str, method: str) -> None:
    labels, scores = np.repeat([1, 0], [400, 999]), np.random.default_rng(0).normal(size=1399)
    with pytest.warns(
        UserWarning, match=f"statistic='{name}' has too narrow .* 0.23 to 0.91 .* leave out method"
    ):
        rh.bootstrap(labels, scores, name, method=method, n_resamples=39, random_state=0)


def test_a_function_that_gives_an_area_is_warned_of_as_the_name_is() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [60, 8])
    s, other = rng.normal(size=(2, 68)) + y
    both = {"a": s, "b": other}
    for statistic, scores in (
        (lambda sample: sample.auc(), s),
        (lambda sample: [sample.auc("a"), sample.auc("a") - sample.auc("b")], both),
    ):
        with pytest.warns(UserWarning, match="'auc' has too narrow an interval with 8 of a class"):
            rh.bootstrap(y, scores, statistic, n_resamples=50, random_state=0)
    with pytest.warns(UserWarning, match="statistic='difference of areas' has too narrow .* use delong_test"):
        rh.bootstrap(
            y, both, lambda sample: sample.auc("a") - sample.auc("b"), n_resamples=50, random_state=0
        )
    quiet = (
        (lambda sample: sample.auc(max_fpr=0.2), s),
        (lambda sample: float(sample.auc("a") > 2), both),
    )
    for statistic, scores in (*quiet, (lambda sample: sample.tpr_at(0.1), s)):
        with warnings.catch_warnings(action="error"):
            rh.bootstrap(y, scores, statistic, n_resamples=50, random_state=0)


@pytest.mark.parametrize("name", ["auc", "hull_auc", "eer", "min_cllr", "cllr"])
def test_a_named_statistic_is_a_method_and_names_its_classifiers(name: str) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    scores = {"first": rng.normal(size=200) + y, "b": rng.normal(size=200) + 2 * y}
    how: Any = {"n_resamples": 40, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = rh.bootstrap(y, scores, name, **how)
    asked = rh.bootstrap(y, scores, lambda s: [getattr(s, name)("first"), getattr(s, name)("b")], **how)
    np.testing.assert_array_equal(found.replicates, asked.replicates)
    assert (found.names, asked.names) == (("first", "b"), ())
    assert [line.split()[0] for line in str(found).splitlines()[2:]] == ["first", "b"]
    assert [line.split()[0] for line in str(asked).splitlines()[2:]] == ["0", "1"]
    assert found.to_frame("pandas")["names"].tolist() == ["first", "b"]
    assert rh.bootstrap(y, scores["b"], "auc", **how).names == ()


@pytest.mark.parametrize("name", ["hull_auc", "eer", "min_cllr"])
@tries(25)
@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.sampled_from([0, 1, 9]), st.sampled_from([1.0, 0.5]))
def test_figures_of_hulls_in_one_loop_are_those_one_by_one(
    name: str, seed: int, n: int, digits: int, share: float
) -> None:
    """Areas and equal errors to the last bit; what is a sum has the same terms in another order."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [n, n + 3])
    scores = np.round(rng.normal(size=y.size) + y, digits)
    options: dict[str, Any] = {"n_resamples": 20, "random_state": seed, "share": share}
    methods = ["percentile", "basic"] + ["studentised"] * (share == 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for method in methods:
            found = rh.bootstrap(y, scores, name, method=method, **options)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(loops, "_EXACT", 0)
                slow = rh.bootstrap(y, scores, name, method=method, **options)
            rounding = 1e-12 if name == "min_cllr" else 0
            assert found.replicates.tolist() == pytest.approx(
                slow.replicates.tolist(), rel=rounding, abs=rounding
            )
            assert [found.low, found.high] == pytest.approx([slow.low, slow.high], rel=1e-12)


@pytest.mark.parametrize("name", ["hull_auc", "eer", "min_cllr"])
def test_replicates_of_a_hulls_figures_make_no_hulls(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made, hull_of_sample = [], rh.uncertainty.Resample.hull
    monkeypatch.setattr(rh.uncertainty.Resample, "hull", lambda *of: made.append(of) or hull_of_sample(*of))
    y, a, _ = data()
    rh.bootstrap(y, a, name, n_resamples=50, random_state=0)
    assert len(made) < 5  # of the data
