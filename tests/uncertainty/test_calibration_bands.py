"""Bands of the calibration curve: against all stretches, calibrationband's example, coverage, what they tell."""

import math
import warnings
from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaincinv

import rochull as rh
from adversaries import Array
from profiles import tries
from rochull._core.validation import Labelled
from rochull.uncertainty import calibration_bands
from rochull.uncertainty.calibration_bands import CalibrationBand, calibration_band


def every_stretch(y: Array, score: Array, confidence: float, scores: Array) -> tuple[Array, Array]:
    """The definition: exact bounds over all stretches of different scores below, and above."""
    different = np.unique(score)
    share = (1 - confidence) / (different.size * (different.size + 1))
    low, high = np.zeros(scores.size), np.ones(scores.size)
    for i, first in enumerate(different):
        for last in different[i:]:
            own = y[(score >= first) & (score <= last)]
            k, n = int(own.sum()), own.size
            lower = betaincinv(k, n - k + 1, share) if k else 0.0
            upper = 1 - betaincinv(n - k, k + 1, share) if k < n else 1.0
            low[scores >= last] = np.maximum(low[scores >= last], lower)
            high[scores <= first] = np.minimum(high[scores <= first], upper)
    return low, high


def drawn(seed: int, n: int, digits: int, power: float) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    score = np.round(rng.random(n), digits)
    return rng.random(n) < score**power, score


@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(0, 3), st.floats(0.2, 9), st.floats(0.1, 0.99))
@tries(40)
def test_the_band_is_that_of_all_stretches(
    seed: int, n: int, digits: int, power: float, confidence: float
) -> None:
    y, score = drawn(seed, n, digits, power)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        band = calibration_band(y, score, confidence)
    at = np.sort(np.concatenate([score, score + 1e-6, score - 1e-6]))
    for found, expected in zip(band.at(at), every_stretch(y, score, confidence, at), strict=True):
        assert found == pytest.approx(expected, abs=1e-10)
        assert (np.diff(found) >= 0).all()
    # Turned round, it is the band of the other class.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        low, high = calibration_band(~y, -score, confidence).at(-at)
    assert low == pytest.approx(1 - band.at(at)[1], abs=1e-12)
    assert high == pytest.approx(1 - band.at(at)[0], abs=1e-12)


@pytest.mark.parametrize("power", [1.0, 8.0])
def test_of_ten_thousand_rows_too(power: float) -> None:
    y, score = drawn(2, 10_000, 2, power)
    at = np.unique(score)
    for found, expected in zip(
        calibration_band(y, score).at(at), every_stretch(y, score, 0.95, at), strict=True
    ):
        assert found == pytest.approx(expected, abs=1e-10)


# --- calibrationband (R) --------------------------------------------------------------------------


def uniforms_of_r(seed: int, n: int) -> Array:
    """The first values of runif(n) after set.seed(seed): a Mersenne Twister, begun by a congruence."""
    state, key = seed, np.empty(625, np.uint32)
    for i in range(-50, 625):
        state = (69069 * state + 1) % 2**32
        if i >= 0:
            key[i] = state
    generator = np.random.MT19937(0)
    generator.state = {"bit_generator": "MT19937", "state": {"key": key[1:], "pos": 624}}
    return np.asarray(generator.random_raw(n) * 2.3283064365386963e-10)


def r_example() -> tuple[Array, Array]:
    """The README's: x <- runif(n); y <- rbinom(n, 1, 1 / (1 + (1 / x * (1 - x))^1.8)), n = 10000, seed 123."""
    u = uniforms_of_r(123, 20_000)
    assert u[:3] == pytest.approx([0.2875775201, 0.7883051354, 0.4089769218], abs=1e-10)  # as R prints them
    x = u[:10_000]
    p = 1 / (1 + (1 / x * (1 - x)) ** 1.8)
    rarer = u[10_000:] >= 1 - np.minimum(p, 1 - p)  # rbinom by inversion, of the rarer outcome
    return np.where(p > 0.5, ~rarer, rarer), x


def test_the_example_of_calibrationband() -> None:
    """method = "round", digits = 3: groups by rounding down for the upper bound, and up for the lower one."""
    y, x = r_example()
    sides = []
    for rounded, take in ((np.floor(x * 1000), np.minimum), (np.ceil(x * 1000), np.maximum)):
        group = np.unique(rounded, return_inverse=True)[1]
        ends = np.where(take is np.minimum, math.inf, -math.inf) * np.ones(group.max() + 1)
        take.at(ends, group, x)
        band = calibration_band(y, group)
        sides.append((ends, band))
    (start, upper), (end, lower) = sides
    at = np.sort(np.append(start, end))
    low = np.append(0, lower.low)[np.searchsorted(end, at, "right")]
    high = np.append(upper.high, 1)[np.searchsorted(start, at)]
    found = CalibrationBand(at, at, low, high, 0.95, "round").miscalibrated()
    grid = np.linspace(0, 1, 10_000)  # the package looks at these forecasts
    on_grid = [grid[(grid > a) & (grid < b)][[0, -1]] for a, b in found]
    longest = sorted(on_grid, key=lambda ends: ends[0] - ends[1])
    printed = [[0.0396, 0.299], [0.693, 0.951], [0.0389, 0.0393]]  # "In addition there are 2 more."
    assert len(found) == 5
    for ours, theirs in zip(longest, printed, strict=False):
        assert [float(f"{end:.3g}") for end in ours] == theirs


# --- coverage --------------------------------------------------------------------------------------

TRUTHS: list[tuple[int, Any, int]] = [
    (50, lambda x: x, 9), (1000, lambda x: 0.02 * x, 9), (300, lambda x: np.full(x.size, 0.3), 1),
    (300, lambda x: 0.1 + 0.8 * (x > 0.5), 2),
]  # fmt: skip


@pytest.mark.parametrize(("n", "truth", "digits"), TRUTHS)
def test_the_band_covers(n: int, truth: Any, digits: int) -> None:
    """At 50 %, where covering is hardest: the share is far above, as all stretches are counted."""
    rng, missed = np.random.default_rng(1), 0
    for _ in range(60):
        score = np.round(rng.random(n), digits)
        low, high = calibration_band(rng.random(n) < truth(score), score, 0.5).at(np.sort(score))
        p = truth(np.sort(score))
        missed += bool((p < low).any() or (p > high).any())
    assert missed <= 20


def larger_and_larger(y: Array, score: Array, delta: float, part: int, scores: Array) -> Array:
    """The definition of many scores' lower ends: stretches in overlapping parts of groups of 1, 2, 4 ... rows."""
    different = np.unique(score)
    first, until = (
        np.searchsorted(np.sort(score), different),
        np.searchsorted(np.sort(score), different, "right"),
    )
    groups, stretches, exponent = [[i] for i in range(different.size)], [], 0
    while True:
        begins = range(0, max(1, len(groups) - part // 2), part // 2)
        for own in (groups[begin : begin + part] for begin in begins):
            stretches += [list(chain(*own[i : j + 1])) for i in range(len(own)) for j in range(i, len(own))]
        if len(groups) <= part:
            break
        before = len(groups)
        while len(groups) == before:
            exponent += 1
            keys = [(first[i] >> exponent, (until[i] - 1) >> exponent) for i in range(different.size)]
            groups = [[i for i, own in enumerate(keys) if own == key] for key in sorted(set(keys))]
    low = np.zeros(scores.size)
    for stretch in stretches:
        own = y[np.isin(score, different[stretch])]
        k, n = int(own.sum()), own.size
        bound = betaincinv(k, n - k + 1, delta / len(stretches)) if k else 0.0
        low[scores >= different[stretch[-1]]] = np.maximum(low[scores >= different[stretch[-1]]], bound)
    return low


@given(
    st.integers(0, 2**32), st.integers(6, 40), st.integers(1, 3), st.floats(0.2, 4), st.sampled_from([4, 6])
)
@tries(10)
def test_of_many_scores_it_is_that_of_larger_and_larger_groups(
    seed: int, n: int, digits: int, power: float, part: int
) -> None:
    y, score = drawn(seed, n, digits, power)
    at = np.unique(score)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setattr(calibration_bands, "_EXACT", 0)
        patch.setattr(calibration_bands, "_PART", part)
        low, high = calibration_band(y, score, 0.9).at(at)
    assert low == pytest.approx(larger_and_larger(y, score, 0.05, part, at), abs=1e-10)
    assert 1 - high[::-1] == pytest.approx(larger_and_larger(~y, -score, 0.05, part, -at[::-1]), abs=1e-10)


@pytest.mark.parametrize(
    "truth",
    [
        lambda x: x**2,
        lambda x: 0.02 * x,
        lambda x: np.full(x.size, 0.3),
        lambda x: np.where(x > 0.7, 0.8, 0.2),
    ],
)
@pytest.mark.parametrize("digits", [9, 5])
def test_of_many_scores_it_is_nowhere_wider_than_of_every_stretch(
    truth: Any, digits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside a jump too, and at both ends."""
    rng = np.random.default_rng(3)
    score = np.sort(rng.random(40_000).round(digits))
    y = rng.random(score.size) < truth(score)
    every = np.subtract(*calibration_band(y, score).at(score))
    monkeypatch.setattr(calibration_bands, "_EXACT", 1000)
    wide = np.subtract(*calibration_band(y, score).at(score)) / every
    assert wide.max() < 1
    assert wide.mean() < 0.97


def test_a_truth_that_falls_is_noticed() -> None:
    rng = np.random.default_rng(0)
    score = rng.random(2000)
    y = rng.random(2000) < 1 - score
    with pytest.warns(UserWarning, match="no rising curve fits in"):
        assert not calibration_band(y, score).is_monotone
    assert calibration_band(~y, score).is_monotone


# --- what it tells ---------------------------------------------------------------------------------


@given(st.integers(0, 2**32), st.integers(1, 400), st.floats(0.3, 4), st.sampled_from([0.0, 0.05]))
@tries(40)
def test_stretches_and_deviation_are_those_of_the_band(
    seed: int, n: int, power: float, tolerance: float
) -> None:
    y, score = drawn(seed, n, 2, power)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        band = calibration_band(y, score, 0.3)
    grid = np.linspace(0, 1, 1001)[:-1] + 1e-7
    low, high = band.at(grid)
    found = band.miscalibrated(tolerance)
    off = (grid < low - tolerance) | (grid > high + tolerance)
    inside = ((grid[:, None] > found[:, 0]) & (grid[:, None] < found[:, 1])).any(axis=1)
    assert off.tolist() == inside.tolist()
    assert (found[1:, 0] > found[:-1, 1]).all()
    least, most = band.deviation
    assert (len(found) > 0) == (least > tolerance)
    low, high = band.at(score)
    assert most == pytest.approx(max((high - score).max(), (score - low).max()))
    assert not band.miscalibrated(least).size


@pytest.mark.parametrize("threshold", [0.1, 0.5, 0.9])
def test_the_optimum_of_the_population_is_among_the_vertices(threshold: float) -> None:
    y, score = drawn(5, 3000, 2, 1.0)  # calibrated: positive from the threshold on
    hull, band = rh.roc_hull(y, score), calibration_band(y, score)
    may = band.may_be_optimal(hull, threshold)
    assert 0 < may.sum() < may.size
    # A slow twin: a rule is out if it surely calls a score wrongly.
    low, high = band.at(score)
    for vertex, ok in zip(hull.thresholds, may, strict=True):
        called = score >= vertex
        assert ok == (not (high[called] < threshold).any() and not (low[~called] > threshold).any())
    assert may[np.argmin(np.abs(hull.thresholds - threshold))]
    assert may[hull.fpr == hull.at(rh.ExpectedCost(threshold, 1 - threshold)).fpr].all()


# --- of calibrators, and Yang & Barber's -------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*their log-odds fit the labels better:UserWarning")
def test_calibrators_give_intervals() -> None:
    y, score = drawn(7, 2000, 3, 1.5)
    at = [0.0, 0.3, 0.7, 1.0]
    band = calibration_band(y, score, 0.9)
    pav = rh.PavCalibrator(bound="laplace").fit(score, y)
    for found, expected in zip(pav.interval(at, 0.9, X=score, y=y), band.at(at), strict=True):
        assert found.tolist() == expected.tolist()
    low, high = pav.interval(at, 0.9)  # from the blocks
    assert (low <= band.at(at)[0]).all()
    assert (high >= band.at(at)[1]).all()
    assert (high - low)[1:3].max() < 0.6
    again = rh.PavCalibrator.from_dict(pav.to_dict())
    assert again.interval(at, 0.9)[0].tolist() == low.tolist()
    falling = rh.PavCalibrator(lower_is_positive=True).fit(-score, y)
    assert falling.interval(np.negative(at), 0.9)[1].tolist() == high.tolist()
    line = rh.LogisticCalibrator(bound="misleading").fit(score, y)
    for found, expected in zip(line.interval(at, 0.9, X=score, y=y), band.at(at), strict=True):
        assert found.tolist() == expected.tolist()
    fusion = rh.LogisticFusion().fit(np.column_stack([score, score[::-1]]), y)
    low, high = fusion.interval([[0.5, 0.5]], X=np.column_stack([score, score[::-1]]), y=y)
    assert low < 0.35 < high
    with pytest.raises(ValueError, match="X and y are needed: a LogisticCalibrator does not hold"):
        line.interval(at)
    with pytest.raises(ValueError, match="X and y go together"):
        line.interval(at, X=score)
    weighted = rh.PavCalibrator().fit(score, y, np.full(2000, 0.5))
    with pytest.raises(ValueError, match="sample_weight has no place in a calibration band"):
        weighted.interval(at)


def yang_barber(y: Array, score: Array, share: float) -> Array:
    """The lower bound at every score, over all stretches that begin with a block: of different scores."""
    order = np.argsort(score)
    fitted = rh.PavCalibrator().fit(score, y).posterior(score[order])
    half = np.sqrt(np.log(1 / share) / 2 / np.arange(1, y.size + 1))
    begins = np.flatnonzero(np.diff(fitted, prepend=-1))
    sums = np.append(0, np.cumsum(fitted))
    return np.array([
        max(0.0, *((sums[k + 1] - sums[j]) / (k + 1 - j) - half[k - j] for j in begins if j <= k))
        for k in range(y.size)
    ])  # fmt: skip


@given(st.integers(0, 2**32), st.integers(20, 200))
@tries(20)
def test_yang_and_barber_at_the_ends_of_blocks(seed: int, n: int) -> None:
    y, score = drawn(seed, n, 15, 1.0)
    if y.all() or not y.any():
        return
    band = calibration_band(y, score, 0.5, method="yang-barber")
    expected = np.maximum.accumulate(yang_barber(y, score, 0.5 / (n * n + n)))
    at = np.searchsorted(np.sort(score), band.end)
    assert band.low == pytest.approx(expected[at], abs=1e-12)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match='method must be "clopper-pearson" or "yang-barber"'):
        calibration_band([0, 1], [0.1, 0.2], method="hoeffding")
    with pytest.raises(ValueError, match="confidence must"):
        calibration_band([0, 1], [0.1, 0.2], 95)
    with pytest.raises(ValueError, match="y_score is empty"):
        calibration_band([], [])
    with pytest.raises(ValueError, match="sample_weight has no place"):
        calibration_bands.band_of(Labelled(np.array([0, 1]), np.array([0.1, 0.2]), np.ones(2)), 0.9)
    low, high = calibration_band([0, 0, 0], [0.1, 0.2, 0.3]).at([0.2])  # one class is no harm
    assert (low, high) == (0, pytest.approx(1 - (0.05 / 12) ** (1 / 2)))
    assert "at 0.9: 0.302 to 1.000" in str(calibration_band([0, 1] * 4, [0.1, 0.9] * 4))
