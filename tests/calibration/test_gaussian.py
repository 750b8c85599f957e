"""Gaussian calibration against SciPy's densities, at its ends, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import rochull as rh
from rochull.calibration import GaussianCalibrator


@given(st.integers(0, 2**32), st.booleans(), st.booleans())
def test_llrs_are_those_of_two_densities(seed: int, equal: bool, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    y = np.append([0, 0, 1, 1], rng.integers(0, 2, 30))
    x = rng.normal(y, 1 + y)
    weights = rng.integers(1, 4, y.size)
    found = GaussianCalibrator(equal).fit(x, y, weights if weighted else None)
    rows = np.repeat(np.arange(y.size), weights if weighted else 1)
    neg, pos = (x[rows][y[rows] == label] for label in (0, 1))
    std = [neg.std(), pos.std()]
    if equal:
        std = [float(np.sqrt((std[0] ** 2 + std[1] ** 2) / 2))] * 2
    at = np.linspace(-5, 5, 11)
    expected = norm.logpdf(at, pos.mean(), std[1]) - norm.logpdf(at, neg.mean(), std[0])
    np.testing.assert_allclose(found.llr(at), expected, rtol=1e-9, atol=1e-9)
    again = GaussianCalibrator.from_dict(found.to_dict())
    assert again.llr(at).tolist() == found.llr(at).tolist()
    wider = float(np.sign(std[1] - std[0])) * np.inf if not equal else np.inf * (pos.mean() - neg.mean())
    assert found.llr([np.inf])[0] == wider


def test_constant_weights_of_a_class_change_nothing() -> None:
    x, y = [0.0, 1.0, 2.0, 1.0, 3.0, 4.5], np.array([0, 0, 0, 1, 1, 1])
    plain = GaussianCalibrator(True).fit(x, y)
    assert GaussianCalibrator(True).fit(x, y, 1 + 7 * y).llr(x) == pytest.approx(plain.llr(x), rel=1e-12)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="infinite scores, which have no density"):
        GaussianCalibrator().fit([0.0, np.inf, 1.0, 2.0], [0, 1, 0, 1])
    with pytest.raises(ValueError, match="equal scores in all of a class"):
        GaussianCalibrator().fit([0.0, 1.0, 2.0, 2.0], [0, 0, 1, 1])
    with pytest.raises(ValueError, match="equal_variance must be True or False"):
        GaussianCalibrator(2).fit([0.0, 1.0, 2.0, 3.0], [0, 0, 1, 1])  # type: ignore[arg-type]
    document = GaussianCalibrator().fit([0.0, 1.0, 2.0, 3.0], [0, 1, 0, 1]).to_dict()
    with pytest.raises(ValueError, match="not valid at mean"):
        GaussianCalibrator._restore({**document, "mean": (0.0, 1.0, 2.0)})
    assert rh.calibration.GaussianCalibrator is GaussianCalibrator
