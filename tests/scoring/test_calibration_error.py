"""Expected calibration error: against a loop, torchmetrics' example, and its bias by simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rochull.scoring import expected_calibration_error


@given(st.integers(0, 2**32), st.integers(1, 12), st.booleans())
def test_the_error_is_the_mean_over_bins(seed: int, bins: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    p = np.round(rng.random(40), 1)
    y = np.append([0, 1], rng.integers(0, 2, 38))
    weights = rng.uniform(0.5, 2, 40) if weighted else np.ones(40)
    total = 0.0
    for i in range(bins):
        own = (p * bins > i) & (p * bins <= i + 1) | (i == 0) & (p == 0)
        if own.any():
            apart = np.average(y[own], weights=weights[own]) - np.average(p[own], weights=weights[own])
            total += abs(apart) * weights[own].sum() / weights.sum()
    found = expected_calibration_error(y, p, bins, sample_weight=weights if weighted else None)
    assert found.estimate == pytest.approx(total, abs=1e-12)


def test_the_example_of_torchmetrics() -> None:
    """torchmetrics.classification.BinaryCalibrationError(n_bins=2, norm="l1"), its docstring: 0.2900."""
    found = expected_calibration_error([0, 0, 1, 1, 1], [0.25, 0.25, 0.55, 0.75, 0.75], bins=2)
    assert found.estimate == pytest.approx(0.29)
    assert (found.bins, str(found)) == (2, "0.29 in 2 bins; 0.224 would be usual of calibrated forecasts")


def test_of_calibrated_forecasts_it_is_what_is_usual() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(500)
    found = [expected_calibration_error(rng.random(500) < p, p).estimate for _ in range(300)]
    usual = expected_calibration_error(rng.random(500) < p, p).if_calibrated
    assert np.mean(found) == pytest.approx(usual, rel=0.03)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="bins must be an integer of at least 1, but is 0"):
        expected_calibration_error([0, 1], [0.1, 0.2], bins=0)
    with pytest.raises(ValueError, match="probability must"):
        expected_calibration_error([0, 1], [0.1, 1.2])
