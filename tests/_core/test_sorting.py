"""Scores in order, whatever their type, layout and number."""

from itertools import pairwise

import numpy as np
import pytest

from rochull._core.sorting import ascending, sort_parts


@pytest.mark.parametrize("size", [0, 1, 1023, 1024, 5000])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, ">f8", np.int64, np.uint64, np.int8])
def test_ascending(size: int, dtype: str) -> None:
    rng = np.random.default_rng(size)
    scores = (rng.normal(size=size) * 50).astype(dtype)
    given = scores.copy()
    for values in (scores, scores[::-1], scores[::3]):
        found, none = ascending(values)
        np.testing.assert_array_equal(found, np.sort(values))
        assert found.dtype == values.dtype
        assert none.size == 0
        found, order = ascending(values, np.arange(values.size))
        np.testing.assert_array_equal(found, np.sort(values))
        np.testing.assert_array_equal(values[order], found)
        np.testing.assert_array_equal(np.sort(order), np.arange(values.size))
    np.testing.assert_array_equal(scores, given)


@pytest.mark.parametrize("weighed", [False, True])
def test_sort_parts(weighed: bool) -> None:
    rng = np.random.default_rng(4)
    edges = np.array([0, 0, 3, 4, 4, 1500, 1600])
    scores, numbers = rng.normal(size=1600), np.arange(1600)
    given = scores.copy()
    sort_parts(scores, numbers if weighed else None, edges)
    for begin, end in pairwise(edges):
        np.testing.assert_array_equal(scores[begin:end], np.sort(given[begin:end]))
    np.testing.assert_array_equal(
        given[numbers] if weighed else np.arange(1600), scores if weighed else numbers
    )
