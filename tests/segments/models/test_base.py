"""Benefit-cost ratios of segments against brute force."""

import itertools
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import norm

import rochull as rh
from profiles import some, tries
from refusals import refuses
from rochull._core.validation import Array, Labelled
from rochull.hull.blocks import pool
from rochull.segments.models.base import FixedModel, PavModel, SegmentedScores, SegmentModel
from rochull.segments.models.gaussian import EqualVarianceModel, GaussianModel, Normals, _finite_range
from rochull.segments.models.logistic import LogisticModel

MODELS = [PavModel, lambda: PavModel(5.0), GaussianModel, EqualVarianceModel, LogisticModel, FixedModel]
IDS = ["pav", "pav shrunk", "gaussian", "equal-variance", "logistic", "fixed"]


def segmented(y: Any, s: Any, g: Any, w: Any = None) -> SegmentedScores:
    weights = None if w is None else np.asarray(w, float)
    g = np.asarray(g)
    return SegmentedScores.of(
        Labelled(np.asarray(y, np.uint8), np.asarray(s, float), weights), g, int(g.max()) + 1
    )


@st.composite
def segments(draw: st.DrawFn, most: int = 8) -> tuple[list[int], list[int], list[int]]:
    """Labels, scores with ties, and one to three segments that each have both classes."""
    y, s, g = [], [], []
    for k in range(draw(st.integers(1, 3))):
        n = draw(st.integers(2, most))
        y += [1, 0] + [draw(st.integers(0, 1)) for _ in range(n - 2)]
        s += [draw(st.integers(-3, 3)) for _ in range(n)]
        g += [k] * n
    return y, s, g


def random(seed: int, n: int = 600, k: int = 4) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    g, y = rng.integers(0, k, n), rng.integers(0, 2, n)
    return y, rng.normal(y * (1 + g), 1 + 0.3 * g * y), g


# --- what all models promise ------------------------------------------------------------------------------


@pytest.mark.parametrize("make", MODELS, ids=IDS)
def test_ratio_rises_with_the_score_and_thresholds_are_its_level_sets(make: Any) -> None:
    for seed in some(range(5), 2):
        y, s, g = random(seed)
        model: SegmentModel = make().fit(segmented(y, s, g))
        grid = np.sort(np.concatenate([s, [-np.inf, np.inf, -1e300, 1e300, -50, 50]]))
        for k in range(5):
            ratio = model.ratio(grid, np.full(grid.size, k))
            assert (ratio[1:] >= ratio[:-1] * (1 - 1e-12)).all()
            assert not np.isnan(ratio).any()
        own = model.ratio(s, g)
        for price in np.sort(own)[[5, 120, 300, 480, 594]]:
            found = model.thresholds(float(price))
            assert found.shape == (5,)
            assert np.array_equal(s >= found[g], own >= price)


@pytest.mark.long
@pytest.mark.parametrize("make", MODELS[2:5], ids=IDS[2:5])
def test_level_sets_of_tied_scores(make: Any) -> None:
    """A ratio that falls by a bit from one number to the next must not leave a block of ties out."""
    for seed in range(15, 30):
        rng = np.random.default_rng(seed)
        g, y = rng.integers(0, 3, 300), rng.integers(0, 2, 300)
        s = np.round(rng.normal(0.6 * y * (g + 0.3), 1 + 0.3 * y) * 2)
        model = make().fit(segmented(y, s, g))
        own = model.ratio(s, g)
        for price in np.unique(own):
            assert np.array_equal(s >= model.thresholds(float(price))[g], own >= price)


@pytest.mark.parametrize("make", MODELS, ids=IDS)
def test_the_order_of_the_rows_and_constant_weights_do_not_matter(make: Any) -> None:
    y, s, g = random(9)
    first = make().fit(segmented(y, s, g)).ratio(s, g)
    turned = np.random.default_rng(0).permutation(s.size)
    second = make().fit(segmented(y[turned], s[turned], g[turned])).ratio(s, g)
    third = make().fit(segmented(y, s, g, np.full(s.size, 0.25))).ratio(s, g)
    assert np.allclose(first, second, rtol=1e-9)
    assert np.allclose(first, third, rtol=1e-6)


@pytest.mark.parametrize("make", [*MODELS[:1], *MODELS[2:4]], ids=[*IDS[:1], *IDS[2:4]])
def test_integer_weights_are_repetitions(make: Any) -> None:
    y, s, g = random(3, n=200)
    w = np.random.default_rng(1).integers(1, 4, 200)
    weighted = make().fit(segmented(y, s, g, w)).ratio(s, g)
    repeated = make().fit(segmented(*(np.repeat(a, w) for a in (y, s, g)))).ratio(s, g)
    assert np.allclose(weighted, repeated, rtol=1e-9)


# --- PAV -------------------------------------------------------------------------------------------------


@given(segments())
@tries(80)
def test_pav_is_the_best_of_all_threshold_vectors(data: Any) -> None:
    """Problem (3) on the empirical distributions, by enumeration."""
    y, s, g = (np.array(part) for part in data)
    model = PavModel().fit(segmented(y, s, g))
    n_pos, n_neg = y.sum(), (1 - y).sum()
    each = [sorted({*s[g == k].tolist(), 99}) for k in range(g.max() + 1)]
    vectors = [np.array(v) for v in itertools.product(*each)]
    rates = np.array([((s >= v[g]) @ (1 - y) / n_neg, (s >= v[g]) @ y / n_pos) for v in vectors])
    for price in (0.3, 0.9, 1.1, 2.5):
        called = s >= model.thresholds(price)[g]
        found = called @ y / n_pos - price * (called @ (1 - y) / n_neg)
        assert found == pytest.approx((rates[:, 1] - price * rates[:, 0]).max(), abs=1e-12)


@given(segments(most=30))
def test_pav_makes_the_stratified_hull(data: Any) -> None:
    y, s, g = (np.array(part) for part in data)
    scores = segmented(y, s, g)
    hull = rh.RocHull.from_blocks(pool(PavModel().fit(scores).tally(scores)))
    twin = rh.stratify({k: rh.roc_hull(y[g == k], s[g == k]) for k in range(int(g.max()) + 1)})
    assert np.array_equal(hull.fp, twin.fp)
    assert np.array_equal(hull.tp, twin.tp)


@given(segments(most=30))
def test_steps_are_counted_as_rows_are(data: Any) -> None:
    scores = segmented(*data)
    model = PavModel().fit(scores)
    found, twin = model.tally(scores), SegmentModel.tally(model, scores)
    assert found.score.tolist() == twin.score.tolist()
    assert found.pos_units.tolist() == twin.pos_units.tolist()
    assert found.neg_units.tolist() == twin.neg_units.tolist()


def test_shrinkage_goes_from_the_segments_to_the_whole() -> None:
    y, s, g = random(2)
    scores = segmented(y, s, g)
    own, all_in_one = PavModel(0.0).fit(scores).ratio(s, g), PavModel(np.inf).fit(scores).ratio(s, g)
    for strength, limit in ((1e-9, own), (1e12, all_in_one)):
        ratio = PavModel(strength).fit(scores).ratio(s, g)
        assert np.allclose(1 / (1 + ratio), 1 / (1 + limit), atol=1e-6)
    shares = [1 / (1 + PavModel(m).fit(scores).ratio(s, g)) for m in (0, 30, 300)]
    far = [np.abs(share - 1 / (1 + all_in_one)).mean() for share in shares]
    assert far[0] > far[1] > far[2] > 0
    whole = rh.roc_hull(y, s)
    assert np.allclose(np.unique(all_in_one), np.unique(whole.slopes))


def test_twins_are_labelled_rows() -> None:
    """Shrinkage by adding the rows that it stands for: each case twice, by its global posterior."""
    y, s, g = random(4, n=120, k=2)
    posterior = rh.PavCalibrator().fit(s, y).posterior(s)
    model = PavModel(17.0).fit(segmented(y, s, g))
    for k in (0, 1):
        own = g == k
        weight = 17.0 / own.sum()
        rows = np.concatenate([s[own]] * 3)
        labels = np.concatenate([y[own], np.ones(own.sum(), int), np.zeros(own.sum(), int)])
        weights = np.concatenate([np.ones(own.sum()), weight * posterior[own], weight * (1 - posterior[own])])
        odds = rh.PavCalibrator().fit(rows, labels, sample_weight=weights)
        p = odds.posterior(s[own])
        with np.errstate(divide="ignore"):
            expected = p / (1 - p) * (1 - y).sum() / y.sum()
        assert np.allclose(model.ratio(s[own], g[own]), expected, rtol=1e-6)


def test_cases_of_no_segment_are_treated_by_the_map_of_all() -> None:
    y, s, g = random(5)
    model = PavModel().fit(segmented(y, s, g))
    assert np.array_equal(
        model.ratio(s, np.full(s.size, 4)), PavModel(np.inf).fit(segmented(y, s, g)).ratio(s, g)
    )


# --- normal scores -----------------------------------------------------------------------------------------

moderate = st.floats(-3, 3)
spread = st.floats(0.05, 20)


def gaussian(  # noqa: PLR0917
    m1: float, s1: float, m0: float, s0: float, p1: float, p0: float
) -> GaussianModel:
    model = GaussianModel()
    model.n_segments = 0
    model.normals = Normals(*(np.array([v]) for v in (m1, s1, m0, s0, p1, p0)))
    model.low, model.high = _finite_range(model.normals)
    return model


@given(moderate, spread, moderate, spread, st.floats(0.01, 1), st.floats(0.01, 1), st.floats(-4, 4))
@tries(150)
def test_gaussian_thresholds_are_global_optima(  # noqa: PLR0917
    m1: float, s1: float, m0: float, s0: float, p1: float, p0: float, log_price: float
) -> None:
    """Problem (3) of one segment on a fine grid, -inf and inf included."""
    price = float(np.exp(log_price)) * p1 / p0
    k = np.concatenate(
        (
            [-np.inf],
            np.linspace(min(m1 - 9 * s1, m0 - 9 * s0), max(m1 + 9 * s1, m0 + 9 * s0), 40_001),
            [np.inf],
        )
    )
    value = p1 * norm.sf(k, m1, s1) - price * p0 * norm.sf(k, m0, s0)
    (found,) = np.nan_to_num(
        gaussian(m1, s1, m0, s0, p1, p0).thresholds(price), nan=np.inf, neginf=-np.inf, posinf=np.inf
    )
    assert p1 * norm.sf(found, m1, s1) - price * p0 * norm.sf(found, m0, s0) >= value.max() - 1e-12


@pytest.mark.parametrize("close", [0.0, 1e-15, 1e-12, 1e-8, 1e-3])
def test_variances_that_are_almost_equal_make_no_jump_nearby(close: float) -> None:
    for s1, s0 in ((1 + close, 1.0), (1.0, 1 + close)):
        model = gaussian(1.0, s1, 0.0, s0, 0.5, 0.5)
        x = np.linspace(-8, 8, 50)
        assert np.allclose(np.log(model.ratio(x, np.zeros(50, int))), x - 0.5, atol=max(1e-9, 100 * close))


@pytest.mark.parametrize("copies", [1, 10, 20, 100])
def test_variances_that_rounding_makes_different_are_equal(copies: int) -> None:
    """Positives below the negatives, with one variance but for the last bits: one ratio for all."""
    s = np.repeat(0.1 * np.r_[np.ones(30), np.zeros(70), np.ones(70), np.zeros(30)], copies)
    y = np.repeat(np.r_[np.ones(100), np.zeros(100)], copies).astype(int)
    model = GaussianModel().fit(segmented(y, s, np.zeros(s.size, int)))
    assert np.allclose(model.ratio(s, np.zeros(s.size, int)), 1.0)


def test_equal_variance_is_the_closed_form() -> None:
    """Equation (9), whose lambda is the logarithm of the price."""
    y, s, g = random(6)
    model = EqualVarianceModel().fit(segmented(y, s, g))
    n = model.normals
    assert np.array_equal(n.sigma_pos, n.sigma_neg)
    for price in (0.2, 1.0, 4.0):
        k = n.sigma_pos**2 * (np.log(n.p_neg / n.p_pos) + np.log(price)) / (n.mu_pos - n.mu_neg)
        assert np.allclose(model.thresholds(price), k + (n.mu_pos + n.mu_neg) / 2, atol=1e-9)


def test_a_segment_turned_around_is_all_or_nothing() -> None:
    """Where mu+ <= mu- the closed form would be the minimum."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    s = rng.normal(-y)
    model = EqualVarianceModel().fit(segmented(y, s, np.zeros(400, int)))
    assert np.allclose(model.ratio(s, np.zeros(400, int)), 1.0)
    assert np.isnan(model.thresholds(1.01)[0])
    assert model.thresholds(0.99)[0] == -np.inf


@pytest.mark.long
def test_gradient_ascent_agrees_where_the_problem_has_one_optimum_and_is_no_better_elsewhere() -> None:
    rng = np.random.default_rng(8)
    agreed = 0
    for _ in range(30):
        m1, m0, s0 = rng.normal(1.5), rng.normal(), np.exp(rng.normal(0, 0.5))
        s1 = s0 if rng.random() < 0.5 else np.exp(rng.normal(0, 0.5))
        price = float(np.exp(rng.normal()))

        def value(k: float) -> float:
            return float(0.5 * norm.sf(k, m1, s1) - price * 0.5 * norm.sf(k, m0, s0))  # noqa: B023

        best = np.nan_to_num(gaussian(m1, s1, m0, s0, 0.5, 0.5).thresholds(price)[0], nan=1e9, neginf=-1e9)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some climb along a slope that is nearly level
            (climbed,) = rh.segments.gradient_thresholds(
                price, m1, s1, m0, s0, 0.5, 0.5, bound=50.0, max_iter=20_000
            )
        assert value(climbed) <= value(best) + 1e-12
        if s1 == s0 and m1 > m0 and abs(best - (m1 + m0) / 2) < 2 * s0:
            assert climbed == pytest.approx(best, abs=1e-5)
            agreed += 1
    assert agreed > 5


def test_gradient_ascent_says_that_it_has_not_converged() -> None:
    normals = [1.0, 5.0], [1.0, 1.0], [0.0, 0.0], [1.0, 1.0], [0.5, 0.5], [0.5, 0.5]
    with pytest.warns(UserWarning, match="not converged: after max_iter=5 steps the gradient is"):
        rh.segments.gradient_thresholds(1.0, *normals, max_iter=5)
    assert rh.segments.gradient_thresholds(1.0, *normals) == pytest.approx([0.5, 2.5])


def test_gradient_ascent_stays_at_its_bounds() -> None:
    found = rh.segments.gradient_thresholds(
        1e-6, [0.0], [2.0], [0.0], [1.0], [1.0], [1.0], bound=4.0, max_iter=20_000
    )
    assert found[0] < 0  # on its way to -inf, and not beyond the bound
    assert found[0] >= -4 * np.sqrt(2.5)
    refuses("sigma_neg must be positive", rh.segments.gradient_thresholds, 1.0, 1, 1, 0, 0, 1, 1)
    refuses("ratio must be positive", rh.segments.gradient_thresholds, 0.0, 1, 1, 0, 1, 1, 1)


@pytest.mark.parametrize(
    ("s1", "s0", "kind"), [(2.0, 1.0, "minimum"), (1.0, 2.0, "maximum"), (1.0, 1.0, "neither")]
)
def test_benefit_cost_ratio_is_what_figure_4_shows(s1: float, s0: float, kind: str) -> None:
    k = np.linspace(-6, 6, 400)
    found = rh.segments.benefit_cost_ratio(k, 1.0, s1, 0.0, s0, 0.3, 0.6)
    assert np.allclose(found, 0.3 * norm.pdf(k, 1, s1) / (0.6 * norm.pdf(k, 0, s0)), rtol=1e-9)
    inner = {"minimum": int(found.argmin()), "maximum": int(found.argmax())}.get(kind)
    assert inner is None or 0 < inner < 399
    assert kind != "neither" or (np.diff(found) > 0).all()


# --- logistic ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_logistic_is_the_penalised_optimum(weighted: bool) -> None:
    """Against a general-purpose optimiser of the same loss; weights count relative to their mean."""
    y, s, g = random(7, n=300, k=3)
    w = np.random.default_rng(0).exponential(50, 300) if weighted else np.ones(300)
    unit = w / w.mean()
    center = np.average(s, weights=w)
    h = (s - center) / np.sqrt(np.average((s - center) ** 2, weights=w))

    def loss(x: Array) -> float:
        own, whole = x[:6].reshape(3, 2), x[6:]
        log_odds = own[g, 0] + own[g, 1] * h
        each = np.logaddexp(0, np.where(y == 1, -log_odds, log_odds))
        return float((unit * each).sum() + ((own - whole) ** 2).sum() / 2)

    best = minimize(loss, np.zeros(8), method="BFGS", options={"gtol": 1e-7}).x[:6].reshape(3, 2)
    model = LogisticModel().fit(segmented(y, s, g, w if weighted else None))
    expected = np.exp(best[g, 0] + best[g, 1] * h) * w[y == 0].sum() / w[y == 1].sum()
    assert np.allclose(model.ratio(s, g), expected, rtol=1e-3)


@pytest.mark.parametrize("make", MODELS[2:5], ids=IDS[2:5])
def test_infinite_scores_are_refused_by_models_with_moments(make: Any) -> None:
    y, s, g = random(1)
    s[5] = np.inf
    refuses("index 5 is not", make().fit, segmented(y, s, g))
