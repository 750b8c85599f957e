"""Intervals of means of counted values: near exact ones of rates, and of classes put together."""

import numpy as np
import pytest

import rochull as rh
from rochull.uncertainty.means import CountedMean


def _rate(k, n):
    return CountedMean([(1.0, np.array([1.0, 0.0]), np.array([k, n - k], float))], 0.0, 1.0)


@pytest.mark.parametrize("n", [50, 1_000])
@pytest.mark.parametrize("k", [0, 1, 3, 10, 25])
def test_a_rate_is_near_clopper_and_pearson(k, n):
    found, exact = _rate(k, n).interval(0.9), rh.uncertainty.rate_interval(k, n, level=0.9)
    assert found.high == pytest.approx(float(exact.high), rel=0.14)
    assert found.low == pytest.approx(float(exact.low), abs=1.2 / n)
    assert found.estimate == k / n
    assert 0 <= found.low <= k / n < found.high <= 1


def test_a_mean_is_excluded_as_seldom_as_it_says():
    """One-sided ends at 95 %, of costs in which misses are rare: exactly, by all counts that can occur."""
    rng = np.random.default_rng(0)
    shares, values = np.array([0.02, 0.1, 0.88]), np.array([5.0, 1.0, 0.0])
    truth = shares @ values
    for n in (100, 400):
        counts = rng.multinomial(n, shares, 4_000)
        highs = [CountedMean([(1.0, values, own)], 0.0, 5.0).high(0.95) for own in counts.astype(float)]
        lows = [CountedMean([(1.0, values, own)], 0.0, 5.0).low(0.95) for own in counts.astype(float)]
        assert 0.94 < np.mean(np.array(highs) >= truth) < 0.99
        assert 0.94 < np.mean(np.array(lows) <= truth) <= 1


def test_classes_are_weighted_by_a_prevalence():
    truth, worth = np.array([1, 1, 0, 0, 0, np.nan]), np.array([5.0, 0, 1, 0, 0, 9])
    count = np.array([1, 3, 2, 4, 4, 7.0])
    own = CountedMean.of_cases(worth, truth, count, (0, 9), None)
    assert own.estimate == pytest.approx((5 + 2) / 14)
    at = CountedMean.of_cases(worth, truth, count, (0, 9), 0.1)
    assert at.estimate == pytest.approx(0.1 * 5 / 4 + 0.9 * 2 / 10)
