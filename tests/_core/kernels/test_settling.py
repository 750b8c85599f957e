"""Settled buckets by hand and by their definition; this file runs compiled, and again as plain Python."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rochull._core.kernels import settling
from twins import hull_of

kernels: Any = settling
masses = st.integers(0, 3) | st.integers(2**54, 2**55)


def settle_of(table: list[tuple[int, int]], wide: bool, step: int) -> list[int]:
    pos, neg = (np.array(column, np.int64) for column in zip(*table, strict=True))
    states = np.full(pos.size, 9, np.int8)
    kernels.settle(pos, neg, step, wide, states)
    return states.tolist()


@pytest.mark.parametrize("step", [1, 2, 3, 100])
@pytest.mark.parametrize("wide", [False, True])
def test_settle_by_hand(wide: bool, step: int) -> None:
    def states(*table: tuple[int, int]) -> list[int]:
        return settle_of(list(table), wide, step)

    # Vertices (1, 4) and (4, 6). The fourth bucket holds one class and lies beside a vertex, the sixth is
    # empty; the upper left corners of all others are above the hull.
    assert states((4, 1), (1, 2), (1, 1), (0, 1), (1, 1), (0, 0), (1, 2)) == [2, 2, 2, 1, 2, 0, 2]
    # An edge of slope 1 from (0, 1): the third bucket's corner (2, 3) lies on it, and is settled.
    assert states((1, 0), (0, 2), (2, 1), (0, 1), (2, 0)) == [1, 1, 0, 0, 1]
    # Slope 5/4, and the corner (2, 4) above it.
    assert states((1, 0), (0, 2), (3, 1), (0, 1), (2, 0)) == [1, 1, 2, 0, 1]
    assert states((3, 0), (0, 4), (0, 1), (1, 0)) == [1, 1, 0, 1]
    # One class, and nothing at all.
    assert states((0, 0), (2, 0), (0, 0), (1, 0), (3, 0)) == [0, 1, 0, 0, 1]
    assert states((0, 0), (0, 0)) == [0, 0]


@given(st.lists(st.tuples(masses, masses), min_size=1, max_size=14), st.integers(1, 5))
def test_settle_equals_its_definition(table: list[tuple[int, int]], step: int) -> None:
    table = [*table, (1, 1)]
    x, y = ([sum(row[at] for row in table[:i]) for i in range(len(table) + 1)] for at in (1, 0))
    corners = list(zip(x, y, strict=True))
    hull = hull_of(corners)
    expected = []
    for (x0, y0), (x1, y1) in pairwise(corners):
        above = x1 > x0 and y1 > y0 and hull_of([*hull, (x0, y1)]) != hull
        beside = (x0, y0) in hull or (x1, y1) in hull
        expected.append(0 if x1 == x0 and y1 == y0 else 2 if above else int(beside))
    assert settle_of(table, True, step) == expected
    if max(x[-1], y[-1]) < 2**31:
        assert settle_of(table, False, step) == expected
