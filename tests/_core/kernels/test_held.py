"""Kernels of small groups of rows against their slow twins; this file runs compiled, and again as plain Python."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adversaries import Array
from rochull._core.kernels import held
from rochull._core.sorting import sort_parts

kernels: Any = held
SCORES = [-np.inf, -1.5, 0.0, 0.25, 1.0, np.inf]
rows = st.lists(
    st.tuples(st.sampled_from(SCORES), st.integers(0, 1), st.integers(0, 3), st.integers(0, 3)), max_size=20
)


def placed(drawn: list[tuple[float, int, int, int]], wanted: Array, weighted: bool) -> Any:
    """The rows in their places, and where these begin."""
    score, y, code, mass = (
        np.array([row[j] for row in drawn], kind)
        for j, kind in enumerate((np.float64, np.uint8, np.int64, np.float64))
    )
    count = np.bincount(2 * code + y, minlength=8).reshape(4, 2) * wanted[:, None]
    begin = np.append(0, np.cumsum(count.sum(axis=1)))
    middle = begin[:-1] + count[:, 0]
    low, high = np.where(wanted, begin[:-1], -1), begin[1:].copy()
    out, units = np.empty(begin[-1]), np.empty(begin[-1] if weighted else 0, np.int64)
    args = score, y, mass if weighted else None, np.full((4, 2), 2.0), code
    assert kernels.place_rows(*args, low, high, out, units)
    assert np.array_equal(low[wanted], middle[wanted])
    assert np.array_equal(high[wanted], middle[wanted])
    if wanted.any() and any(wanted[code]):  # there is room for no row more
        assert not kernels.place_rows(*args, low, high, out, units)
    return out, units, begin, middle


@given(rows, st.lists(st.booleans(), min_size=4, max_size=4), st.booleans())
def test_held_groups(drawn: list[tuple[float, int, int, int]], wanted: list[bool], weighted: bool) -> None:
    out, units, begin, middle = placed(drawn, np.array(wanted), weighted)
    beside = units if weighted else None
    sort_parts(out, beside, np.sort(np.append(begin, middle)))
    first, score, pos, neg = kernels.held_groups(out, beside, begin, middle)
    for k in range(4):
        expected: dict[float, list[int]] = {}
        for x, label, code, mass in drawn:
            if code == k and wanted[k] and (mass or not weighted):
                expected.setdefault(x, [0, 0])[label] += 2 * mass if weighted else 1
        part = slice(first[k], first[k + 1])
        found = zip(score[part].tolist(), neg[part].tolist(), pos[part].tolist(), strict=True)
        assert list(found) == [(x, *expected[x]) for x in sorted(expected, reverse=True)]


@pytest.mark.parametrize("kind", [np.uint8, np.int64])
@given(st.lists(st.integers(0, 5), max_size=30))
def test_rows_in_the_order_of_their_codes(kind: Any, drawn: list[int]) -> None:
    codes = np.array(drawn, kind)
    begin = kernels.code_begins(codes, 6)
    assert begin.tolist() == [sum(code < k for code in drawn) for k in range(7)]
    found = kernels.in_order(codes, begin, np.arange(codes.size, dtype=np.uint64))
    assert found.tolist() == np.argsort(codes, kind="stable").tolist()
