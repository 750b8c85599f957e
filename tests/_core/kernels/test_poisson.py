"""Poisson weights: the limits are those of the distribution, and sums equal the plain ones."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.stats import poisson

from rochull._core.kernels import poisson as kernels
from twins import split_mix, weight_of


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Without a compiler, numbers of 64 bits overflow aloud."""
    with np.errstate(over="ignore"):
        yield


def drawn(positive: Any, step: Any, mass: Any, keys: Any, seeds: Any) -> Any:
    out = np.zeros((int(max(step)) + 1, 2, len(seeds)), np.int64)
    kernels.add_weights(
        np.array(step), np.array(positive, np.uint8), np.array(mass, np.int64), np.array(keys, np.uint64),
        np.array(seeds, np.uint64), kernels.LIMITS, out,
    )  # fmt: skip
    return out


def test_the_limits_are_the_tails_of_the_distribution() -> None:
    expected = [poisson.sf(k - 1, 1) for k in range(1, 21)]
    np.testing.assert_allclose(kernels.LIMITS[:16] / 2**64, expected[:16], rtol=1e-12, atol=2**-64)
    assert kernels.LIMITS[-1] == 3  # 1 / (20! e) of 2**64 is 2.79, and what is beyond adds 0.14
    assert kernels.LIMITS.size == 20


def test_sums_are_those_of_the_single_rows() -> None:
    rng = np.random.default_rng(0)
    size, seeds = 60, [3, 2**64 - 1, 12345678901234567890]
    keys = rng.integers(0, 2**63, size).astype(np.uint64).tolist()
    step, positive = rng.integers(0, 4, size), rng.integers(0, 2, size)
    for mass in ([], rng.integers(0, 9, size)):
        expected = np.zeros((4, 2, 3), np.int64)
        for i in range(size):
            for r, seed in enumerate(seeds):
                units = int(mass[i]) if len(mass) else 1
                expected[step[i], positive[i], r] += units * weight_of(split_mix(keys[i] ^ seed))
        assert drawn(positive, step, mass, keys, seeds).tolist() == expected.tolist()


@pytest.mark.parametrize("weight", range(9))
def test_a_number_next_to_a_limit(weight: int) -> None:
    limit = int(kernels.LIMITS[weight])
    for number, expected in ((limit, weight), (limit - 1, weight + 1)):
        assert drawn([1], [0], [], [unmixed(number)], [0])[0, 1, 0] == expected


def test_the_smallest_number_has_the_largest_weight() -> None:
    assert drawn([1], [0], [5], [unmixed(0)], [0])[0, 1, 0] == 5 * 20


def unmixed(number: int) -> int:
    """What SplitMix64 makes this number of: its steps are undone."""
    z = number
    for multiplier, shifts in ((0x94D049BB133111EB, (31, 62)), (0xBF58476D1CE4E5B9, (27, 54))):
        z ^= (z >> shifts[0]) ^ (z >> shifts[1])
        z = z * pow(multiplier, -1, 2**64) % 2**64
    z ^= (z >> 30) ^ (z >> 60)
    return (z - 0x9E3779B97F4A7C15) % 2**64


def test_weights_are_distributed_as_they_should_and_replicates_are_independent() -> None:
    size = 3000
    keys = [split_mix(i) for i in range(size)]
    each = drawn(np.zeros(size), np.arange(size), [], keys, [split_mix(s) for s in (1, 2)])[:, 0]
    for r in (0, 1):
        assert each[:, r].mean() == pytest.approx(1, abs=0.08)
        assert each[:, r].var() == pytest.approx(1, abs=0.15)
        assert np.mean(each[:, r] == 0) == pytest.approx(math.exp(-1), abs=0.04)
    assert abs(np.corrcoef(each.T)[0, 1]) < 0.08
