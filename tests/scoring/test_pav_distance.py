"""devPAV: examples of another library, and the integral on a fine grid."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from profiles import tries

# lir, commit 01251799, tests/algorithms/test_devpav.py (Apache-2.0): likelihood ratios of cases, positives first.
LIR = [
    ([1.0] * 10, 5, 0.0),
    ([2.0] * 10, 5, math.log10(2)),
    ([5, 5, 5, 0.2, 0.2, 0.2, math.inf], 3, math.inf),
    ([5, 5, 5, 0.2, 5, 0.2, 0.2, 0.2], 4, (math.log10(5) - math.log10(3)) / 2),
    ([6, 5, 5, 0.2, 5, 0.2, 0.2, 0.1], 4, (math.log10(5) - math.log10(2)) / 2),
    ([0.1, 100, 0.01, 10], 2, 0.5),
]


@pytest.mark.parametrize(("ratios", "n_pos", "expected"), LIR)
def test_examples_of_lir(ratios: list[float], n_pos: int, expected: float) -> None:
    y = np.arange(len(ratios)) < n_pos
    with np.errstate(divide="ignore"):
        found = rh.scoring.devpav(y, np.log(ratios))
    assert found == pytest.approx(expected, abs=1e-12)


def test_nothing_is_finite_where_a_threshold_separates() -> None:
    assert math.isnan(rh.scoring.devpav([0, 0, 1], [-2.0, -1.0, 3.0]))


def on_a_grid(y: np.ndarray, llr: np.ndarray) -> float:
    """The mean distance over the range, by a million points."""
    blocks = rh.roc_hull(y, llr).blocks
    assert blocks is not None
    points = sorted(
        (float(x), float(value))
        for low, high, value in zip(blocks.low, blocks.high, blocks.llr, strict=True)
        for x in (low, high)
        if math.isfinite(value)
    )
    xs, values = np.array(points).T
    grid = np.linspace(xs[0], xs[-1], 200_001)
    return float(np.abs(np.interp(grid, xs, values) - grid).mean() / math.log(10))


@given(st.integers(0, 10_000))
@tries(15)
def test_the_integral(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = rng.random(60) < 0.5
    llr = np.round(2 * rng.normal(size=60) + y, 3)
    assert rh.scoring.devpav(y, llr) == pytest.approx(on_a_grid(y, llr), rel=1e-3)
