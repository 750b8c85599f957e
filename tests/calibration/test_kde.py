"""Kernel densities against scikit-learn's, with Silverman's rule as lir has it; far tails; thinning."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import KernelDensity

from profiles import tries
from rochull.calibration import KdeCalibrator, kde


@given(st.integers(0, 2**32), st.sampled_from([None, 0.7]), st.booleans())
@tries(30)
def test_llrs_are_those_of_kernel_densities(seed: int, bandwidth: float | None, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    y = np.append([0, 0, 1, 1], rng.integers(0, 2, 40))
    x = np.round(rng.normal(2 * y, 1 + y), 2) + np.arange(y.size) * 1e-9
    weights = rng.uniform(0.5, 2, y.size) if weighted else None
    found = KdeCalibrator(bandwidth).fit(x, y, weights)
    at, expected = np.linspace(-6, 9, 16), np.zeros(16)
    for sign, label in ((1, 1), (-1, 0)):
        own = y == label
        mass = None if weights is None else weights[own]
        n = own.sum() if mass is None else mass.sum() ** 2 / (mass**2).sum()
        spread = np.sqrt(np.average((x[own] - np.average(x[own], weights=mass)) ** 2, weights=mass))
        width = bandwidth or (4 / 3 / n) ** (1 / 5) * spread  # lir.algorithms.kde, bandwidth="silverman"
        assert found.bandwidth_[label] == pytest.approx(width)
        density = KernelDensity(bandwidth=width, rtol=1e-12).fit(x[own, None], sample_weight=mass)
        expected += sign * density.score_samples(at[:, None])
    np.testing.assert_allclose(found.llr(at), expected, rtol=1e-6, atol=1e-6)
    again = KdeCalibrator.from_dict(found.to_dict())
    assert again.llr(at).tolist() == found.llr(at).tolist()


def test_far_away_the_wider_kernels_win_and_nothing_underflows() -> None:
    y, x = np.repeat([0, 1], 50), np.append(np.linspace(-1, 1, 50), np.linspace(0, 6, 50))
    found = KdeCalibrator().fit(x, y)
    far = found.llr([-1e6, 1e6])
    assert np.isfinite(far).all()
    assert (far > 1e6).all()  # those of the positives are wider
    assert found.llr([-np.inf, np.inf]).tolist() == [np.inf, np.inf]
    assert KdeCalibrator(1.0).fit(x, y).llr([-np.inf, np.inf]).tolist() == [-np.inf, np.inf]
    assert found.llr([-1e200, 1e200]).tolist() == [np.inf, np.inf]  # where squares overflow
    assert KdeCalibrator(1.0).fit([0.0, 0.0], [0, 1]).llr([np.inf]).tolist() == [0.0]
    bounded = KdeCalibrator(bound="elub").fit(x, y)
    assert bounded.llr([1e6]).tolist() == [bounded.bounds_[1]]


def test_many_scores_are_thinned(monkeypatch: Any) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 3000)
    x = rng.normal(y)
    whole = KdeCalibrator().fit(x, y)
    at = np.linspace(-2, 3, 50)
    monkeypatch.setattr(kde, "_KERNELS", 300)
    thin = KdeCalibrator().fit(x, y)
    assert len(thin.to_dict()["classes"][0]["at"]) < 500
    np.testing.assert_allclose(thin.llr(at), whole.llr(at), atol=2e-3)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="equal scores in all of a class: give a bandwidth"):
        KdeCalibrator().fit([0.0, 1.0, 2.0, 2.0], [0, 0, 1, 1])
    with pytest.raises(ValueError, match="bandwidth must be positive, but is 0"):
        KdeCalibrator(0).fit([0.0, 1.0], [0, 1])
    document = KdeCalibrator(1.0).fit([0.0, 1.0], [0, 1]).to_dict()
    with pytest.raises(ValueError, match="not valid at classes"):
        KdeCalibrator._restore({**document, "classes": document["classes"][:1]})
