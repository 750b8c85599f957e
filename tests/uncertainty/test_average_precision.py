"""Intervals of an average precision: the variance by leaving examples out, and how often they cover."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import logit
from scipy.stats import norm

import rochull as rh

interval = rh.uncertainty.average_precision_interval


def drawn(n: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    return y, rng.normal(y).round(1)


def variance(found: Any, positives: int) -> float:
    """What the interval was made of."""
    estimate = found.estimate
    half = (logit(found.high) - logit(found.low)) / 2 * estimate * (1 - estimate)
    return float((half / norm.ppf(0.975)) ** 2 - 4 * estimate * (1 - estimate) / positives**2)


def test_the_variance_is_the_jackknifes() -> None:
    """At the prevalence of the data, leaving out any example; at a given one, by class."""
    y, scores = drawn(400, 0)
    left = np.array([rh.average_precision(np.delete(y, i), np.delete(scores, i)) for i in range(y.size)])
    expected = (y.size - 1) / y.size * np.sum((left - left.mean()) ** 2)
    assert variance(interval(y, scores), int(y.sum())) == pytest.approx(expected, rel=0.03)
    left = np.array(
        [rh.average_precision(np.delete(y, i), np.delete(scores, i), prevalence=0.2) for i in range(y.size)]
    )
    parts = [left[y == label] for label in (False, True)]
    expected = sum((p.size - 1) / p.size * np.sum((p - p.mean()) ** 2) for p in parts)
    assert variance(interval(y, scores, prevalence=0.2), int(y.sum())) == pytest.approx(expected, rel=0.03)


def test_weights() -> None:
    y, scores = drawn(300, 1)
    plain = interval(y, scores)
    for weights in (np.full(300, 0.1), np.full(300, 7)):
        found = interval(y, scores, sample_weight=weights)
        assert (found.low, found.high) == pytest.approx((plain.low, plain.high), abs=1e-12)
    weights = np.random.default_rng(2).exponential(size=300)
    found = interval(y, scores, sample_weight=weights)
    assert found.estimate == rh.average_precision(y, scores, sample_weight=weights)
    assert found.high - found.low > plain.high - plain.low  # some examples count for little


def test_perfect_scores() -> None:
    found = interval([0, 0, 0, 1, 1], [1, 2, 3, 4, 5])
    assert (found.low, found.estimate, found.high) == (pytest.approx(0.025**0.5), 1, 1)
    assert found.method == "logit"
    with pytest.raises(ValueError, match="level"):
        interval([0, 1], [1, 2], level=1)


@pytest.mark.long
def test_coverage() -> None:
    """Of 1,000 samples with about 15 positives, at least as often as binomial chance allows for 0.93."""
    rng = np.random.default_rng(5)
    grid = np.linspace(-10, 12, 100_001)
    recall, fpr = norm.sf(grid, 1.5), norm.sf(grid)
    truth = np.trapezoid(norm.pdf(grid, 1.5) * 0.1 * recall / (0.1 * recall + 0.9 * fpr), grid)
    covered = 0
    for _ in range(1000):
        y = rng.random(150) < 0.1
        found = interval(y, rng.normal(1.5 * y))
        covered += found.low <= truth <= found.high
    assert covered >= 1000 * 0.93 - 3 * np.sqrt(1000 * 0.93 * 0.07)
