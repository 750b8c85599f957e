"""The four-parameter curve: a search without gradients, the line that it contains, ends, and refusals."""

import numpy as np
import pytest
from scipy.optimize import minimize

import rochull as rh
from rochull.calibration import FourParameterCalibrator


def sample(floor: float, gap: float, n: int = 400, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n) * 3
    return x, rng.random(n) < floor + (1 - floor - gap) / (1 + np.exp(-2 * x))


def loss(parameters: np.ndarray, x: np.ndarray, y: np.ndarray) -> float:
    """The mean log loss at the training proportion, from the definition."""
    slope, constant, floor, gap = parameters
    if not (slope >= 0 and 0 <= floor < 0.5 and 0 <= gap < 0.5):
        return np.inf
    p = floor + (1 - floor - gap) / (1 + np.exp(-(slope * x + constant)))
    odds = p / (1 - p) * y.mean() / (1 - y.mean())
    return float(-np.log(np.where(y, odds, 1) / (1 + odds)).mean())


@pytest.mark.parametrize(("floor", "gap"), [(0.1, 0.2), (0.0, 0.1), (0.05, 0.0)])
def test_no_search_finds_a_better_curve(floor: float, gap: float) -> None:
    x, y = sample(floor, gap)
    found = FourParameterCalibrator().fit(x, y)
    own = np.array([found.slope_, found.intercept_, found.floor_, found.gap_])
    best = min(
        minimize(
            loss, start, (x, y), "Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-13, "maxiter": 9000}
        ).fun
        for start in ([1, 0, 0.05, 0.05], [3, 0, 0.2, 0.1], own)
    )
    assert loss(own, x, y) <= best + 1e-9
    llr = found.llr(x)
    p = found.floor_ + (1 - found.floor_ - found.gap_) / (1 + np.exp(-(found.slope_ * x + found.intercept_)))
    np.testing.assert_allclose(llr, np.log(p / (1 - p)), rtol=1e-9, atol=1e-12)
    ends = found.llr([-np.inf, np.inf])
    with np.errstate(divide="ignore"):
        own = np.array([found.floor_, found.gap_])
        np.testing.assert_allclose(ends, [1, -1] * (np.log(own) - np.log1p(-own)), rtol=1e-12)


def test_it_contains_the_line_and_is_never_worse() -> None:
    for seed in range(6):
        x, y = sample(0, 0, 80, seed)
        line, curve = rh.LogisticCalibrator(0.3).fit(x, y), FourParameterCalibrator(0.3).fit(x, y)
        costs = [rh.LogScore().score_llr(y, made.llr(x), 0.3) for made in (line, curve)]
        assert costs[1] <= costs[0] + 1e-12
        if curve.floor_ == curve.gap_ == 0:
            np.testing.assert_allclose(curve.llr(x), line.llr(x), rtol=1e-4, atol=1e-4)


def test_llrs_do_not_depend_on_scale_or_on_which_class_is_low() -> None:
    x, y = sample(0.1, 0.1)
    found = FourParameterCalibrator(0.5).fit(x, y)
    np.testing.assert_allclose(
        FourParameterCalibrator(0.5).fit(1000 * x + 5, y).llr(1000 * x + 5),
        found.llr(x),
        rtol=1e-4,
        atol=1e-4,
    )
    turned = FourParameterCalibrator(0.5, lower_is_positive=True).fit(-x, y)
    np.testing.assert_allclose(turned.llr(-x), found.llr(x), rtol=1e-9)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="infinite scores, to which no curve can be fitted"):
        FourParameterCalibrator().fit([0.0, np.inf, 1.0], [0, 1, 1])
    with pytest.raises(ValueError, match="a threshold separates the classes, so that no curve is best"):
        FourParameterCalibrator().fit([0.0, 1.0, 2.0], [0, 1, 1])
    found = FourParameterCalibrator().fit([1.0, 1.0, 1.0], [0, 1, 1])
    assert found.llr([1.0, 5.0]).tolist() == pytest.approx([0, 0], abs=1e-9)
