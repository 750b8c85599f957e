"""Sorting by digits against sorting by comparisons; this file runs compiled, and again as plain Python."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adversaries import Array
from rochull._core.kernels import sorting

kernels: Any = sorting

# What is alike in its highest bits, and far outliers, which spread the bits that are looked at first.
close = st.integers(0, 40).map(lambda i: 1.0 + i * 2.0**-52)
scores = st.lists(
    close | st.floats(allow_nan=False) | st.sampled_from([0.0, -0.0, np.inf, -np.inf]), max_size=40
)


def sort_floats(scores: Array, mass: Array) -> tuple[Array, Array]:
    given, spare = [scores.view(np.uint64), mass], [np.empty(scores.size, np.uint64), np.empty_like(mass)]
    place = np.empty(sorting.PLACES, np.uint64)
    keys, order = spare if kernels.sort_keys(given[0], spare[0], given[1], spare[1], place) else given
    return keys.view(np.float64), order


def in_order(values: Array, mass: Array) -> tuple[list[float], list[tuple[float, int]]]:
    found, beside = sort_floats(values.copy(), mass.copy())
    return found.tolist(), sorted(zip(found.tolist(), beside.tolist(), strict=False))


@given(scores)
def test_sort_floats(given_scores: list[float]) -> None:
    values, numbers = np.array(given_scores, float), np.arange(len(given_scores))
    expected = np.sort(values).tolist()
    assert in_order(values, np.zeros(0, np.int64))[0] == expected
    found, pairs = in_order(values, numbers)
    assert found == expected
    assert pairs == sorted(zip(given_scores, numbers.tolist(), strict=True))


@pytest.mark.parametrize("far", [[], [-1e300], [np.inf, -np.inf]])
def test_scores_alike_in_their_highest_bits_take_the_other_digits(far: list[float]) -> None:
    """In falling order insertion would move each past all others: that is given up."""
    values = np.array([1.0 + i * 2.0**-52 for i in range(300, 0, -1)] + far)
    found, beside = sort_floats(values.copy(), np.arange(values.size))
    np.testing.assert_array_equal(found, np.sort(values))
    np.testing.assert_array_equal(values[beside], found)


def test_the_order_within_a_tie_is_kept() -> None:
    values = np.round(np.random.default_rng(0).normal(size=500), 1) + 0.0
    beside = sort_floats(values.copy(), np.arange(values.size))[1]
    np.testing.assert_array_equal(beside, np.argsort(values, kind="stable"))
