"""Densities by series of stretches against the sum over all kernels, with weights far apart and gaps."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from profiles import tries
from rochull._core.validation import Array
from rochull.calibration import kernel_sums
from rochull.calibration.kernel_sums import KernelSums


def _twin(at: Array, weight: Array, width: float, x: Array) -> Array:
    """The logarithm of the weighted mean of normal densities, without their common factor."""
    squares = ((x[:, None] - at) / width) ** 2
    return np.asarray(logsumexp(-squares / 2, b=weight / weight.sum(), axis=1) - np.log(width))


@given(
    st.integers(0, 2**32),
    st.sampled_from(["normal", "even", "clusters", "few"]),
    st.sampled_from([0, 3, 20]),
    st.floats(-2, 0.7),
    st.sampled_from([(1.0, 0.0), (1e-3, 1e3), (1e4, -1e5)]),
)
@tries(60)
def test_every_density_is_that_of_all_kernels(
    seed: int, kind: str, decades: int, log_width: float, axis: tuple[float, float]
) -> None:
    rng, (scale, origin) = np.random.default_rng(seed), axis
    places = {
        "normal": rng.normal(size=300),
        "even": rng.uniform(-50, 50, 200),  # far apart, where kernels are narrow
        "clusters": rng.integers(-3, 4, 100) * 30.0 + rng.normal(size=100) / 10,
        "few": rng.normal(size=int(rng.integers(1, 3))),
    }
    at = np.unique(origin + scale * places[kind])
    weight, width = 10.0 ** -rng.uniform(0, decades, at.size), scale * 10**log_width
    near = np.concatenate([rng.choice(at, 50), origin + scale * rng.uniform(-90, 90, 150)])
    x = np.append(near, origin + scale * np.array([1e4, -1e4, 1e8]))
    sums = KernelSums(at, weight, width)
    found, expected = sums.log_density(x), _twin(at, weight, width, x)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-11)
    alone = KernelSums(at, weight, width)
    some = rng.choice(x, 10)
    assert [alone.log_density(each[None])[0] for each in some] == sums.log_density(some).tolist()


@pytest.mark.parametrize(("name", "size"), [("_KEPT", 5), ("_AT_ONCE", 7), ("_ROWS", 3)])
def test_parts_and_series_that_were_forgotten_change_nothing(monkeypatch: Any, name: str, size: int) -> None:
    rng = np.random.default_rng(0)
    at, x = np.sort(rng.normal(size=100)), rng.normal(size=40)
    whole = KernelSums(at, np.ones(100), 0.3).log_density(x)
    monkeypatch.setattr(kernel_sums, name, size)
    sums = KernelSums(at, np.ones(100), 0.3)
    assert sums.log_density(x).tolist() == whole.tolist()
    assert sums.log_density(x[::-1]).tolist() == whole[::-1].tolist()
    assert sums.log_density(x[:0]).size == 0


def test_a_series_of_many_kernels_is_made_once(monkeypatch: Any) -> None:
    at = np.linspace(-3, 3, 1500)
    sums, made = KernelSums(at, np.ones(at.size), 0.1), []
    of = KernelSums._made
    monkeypatch.setattr(
        KernelSums, "_made", lambda self, middle: made.append(middle.size) or of(self, middle)
    )
    for _ in range(3):
        sums.log_density(np.linspace(-4, 4, 100_000))
    assert sum(made) == 1281
