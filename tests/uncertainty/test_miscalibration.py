"""The test of calibration and the intervals of the decomposition: slow twins, sizes, coverage, and edges."""

import numpy as np
import pytest

import rochull as rh
from rochull.uncertainty import calibration_test, decomposition_interval

RULES = [rh.Brier(), rh.LogScore(), rh.CostWeighted(0.3), 0.5 * rh.Brier() + 0.5 * rh.CostWeighted(0.1)]


def sample(seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    p = np.round(rng.uniform(0.05, 0.95, n), 2)
    return rng.random(n) < p, p


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_the_simulation_is_the_obvious_one(rule: rh.ScoringRule) -> None:
    """Each replicate is `decompose` of outcomes that are drawn group by group, with a generator of its own."""
    y, p = sample(1)
    found = calibration_test(y, p, rule, n_simulations=30, random_state=5)
    value, count = np.unique(p, return_counts=True)
    value, count = value[::-1], count[::-1]
    simulated = []
    for seed in np.random.SeedSequence(5).spawn(30):
        pos = np.random.default_rng(seed).binomial(count, value)
        again = np.concatenate([np.repeat(value, pos), np.repeat(value, count - pos)])
        labels = np.arange(again.size) < pos.sum()
        simulated.append(rh.decompose(labels, again, rule).miscalibration)
    expected = rh.decompose(y, p, rule).miscalibration
    assert found.statistic == pytest.approx(expected, rel=1e-12)
    assert found.pvalue == (np.count_nonzero(np.array(simulated) >= expected - 1e-12) + 1) / 31
    assert found.estimate == pytest.approx(expected - np.mean(simulated), rel=1e-9)


def test_intervals_are_reflected_quantiles() -> None:
    y, p = sample(2, 80)
    found = decomposition_interval(y, p**2, n_resamples=40, random_state=3)
    value = np.unique(p**2)[::-1]
    counts = [np.count_nonzero((p**2 == v) & (y == label)) for label in (1, 0) for v in value]
    parts = []
    for seed in np.random.SeedSequence(3).spawn(40):
        pos, neg = np.split(np.random.default_rng(seed).multinomial(80, np.array(counts) / 80), 2)
        drawn = np.concatenate([np.repeat(value, pos), np.repeat(value, neg)])
        parts.append(rh.decompose(np.arange(80) < pos.sum(), drawn).discrimination)
    one = rh.decompose(y, p**2).discrimination
    low, high = 2 * one - np.quantile(parts, [0.975, 0.025])
    assert [found.discrimination.low, found.discrimination.high] == pytest.approx([max(0, low), high])
    share = rh.uncertainty.rate_interval(int(y.sum()), 80, "wilson")
    ends = [q * (1 - q) for q in (share.low, share.high)]
    assert found.uncertainty.low == pytest.approx(min(ends))


def test_the_lower_end_is_zero_unless_calibration_is_rejected() -> None:
    y, p = sample(4, 300)
    assert decomposition_interval(y, p, n_resamples=100, random_state=0).miscalibration.low == 0
    off = decomposition_interval(y, p**3, n_resamples=100, random_state=0).miscalibration
    assert 0 < off.low < off.high


def test_sizes_and_coverage_of_a_few_draws() -> None:
    """At most 8 in 60 calibrated samples at 5 % (1 in 100 if the size is right), and all of what is far off."""
    rejected = [
        calibration_test(*sample(s), n_simulations=60, random_state=s).pvalue <= 0.05 for s in range(60)
    ]
    assert sum(rejected) <= 8
    y, p = sample(7, 300)
    assert calibration_test(y, p**3, n_simulations=60, random_state=0).pvalue == pytest.approx(1 / 61)


def test_certain_forecasts() -> None:
    y, p = [1, 0, 1, 1, 0], [1.0, 0.0, 1.0, 0.5, 0.5]
    assert calibration_test(y, p, rh.LogScore(), n_simulations=20, random_state=0).pvalue == 1
    wrong = calibration_test(y, [0.0, 0.0, 1.0, 0.5, 0.5], rh.LogScore(), n_simulations=20, random_state=0)
    assert wrong.statistic == np.inf
    assert wrong.pvalue == pytest.approx(1 / 21)
    with pytest.raises(ValueError, match="probability has an infinite score: no forecast of what happened"):
        decomposition_interval(y, [0.0, 0.0, 1.0, 0.5, 0.5], rh.LogScore())
    with pytest.raises(ValueError, match="n_simulations"):
        calibration_test(y, p, n_simulations=0)
