"""Temperature scaling against a slow search, and what it does with log-odds that say nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from profiles import tries
from rochull.calibration import TemperatureCalibrator


@given(st.integers(0, 2**32), st.floats(0.2, 5), st.booleans())
@tries(40)
def test_no_temperature_is_better(seed: int, scale: float, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 2, 200)
    y = rng.random(200) < 1 / (1 + np.exp(-x))
    weights = rng.uniform(0.5, 2, 200) if weighted else np.ones(200)
    found = TemperatureCalibrator().fit(scale * x, y, weights if weighted else None)

    def loss(slope: float) -> float:
        return float(weights @ np.logaddexp(0, np.where(y, -1, 1) * slope * scale * x))

    best = minimize_scalar(loss, bounds=(0, 20), method="bounded", options={"xatol": 1e-10}).x
    assert 1 / found.temperature_ == pytest.approx(best, rel=1e-5)
    at = np.array([-3.0, 0.0, 2.0])
    assert found.posterior(at) == pytest.approx(1 / (1 + np.exp(-at / found.temperature_)))
    again = TemperatureCalibrator.from_dict(found.to_dict())
    assert again.llr(at).tolist() == found.llr(at).tolist()
    turned = TemperatureCalibrator(lower_is_positive=True).fit(-scale * x, y, weights if weighted else None)
    assert turned.llr(-at).tolist() == found.llr(at).tolist()


def test_log_odds_that_say_nothing_get_an_infinite_temperature() -> None:
    found = TemperatureCalibrator().fit([-1.0, 1.0, -1.0, 1.0], [1, 0, 0, 1])
    assert found.temperature_ == np.inf
    assert found.llr([5.0, np.inf]).tolist() == [0.0, 0.0]


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="only log-odds on the right side of 0"):
        TemperatureCalibrator().fit([-1.0, 0.0, 2.0], [0, 1, 1])
    with pytest.raises(ValueError, match="infinite log-odds"):
        TemperatureCalibrator().fit([-1.0, np.inf, 2.0], [0, 1, 1])


def test_probabilities_in_the_place_of_log_odds_are_noticed() -> None:
    p, y = np.array([0.1, 0.3, 0.4, 0.6, 0.9]), [0, 1, 0, 1, 1]
    with pytest.warns(UserWarning, match="all log-odds lie between 0 and 1, as if they were probabilities"):
        TemperatureCalibrator().fit(p, y)
    TemperatureCalibrator().fit(np.log(p) - np.log1p(-p), y)
    TemperatureCalibrator().fit([0.0, 1.0, 1.0, 0.0], [0, 1, 0, 1])
