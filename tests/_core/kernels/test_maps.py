"""Kernels of calibration maps against their slow twins; this file runs compiled, and again as plain Python."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adversaries import Array
from rochull._core.kernels import maps

kernels: Any = maps  # their arguments are given in tuples and lists

FLOAT_KEYS = [-np.inf, -1.5, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 1e300, np.inf]
UNSIGNED_KEYS = [0, 1, 2, 5, 6, 7, 2**63, 2**64 - 1]
keys_and_cuts = st.one_of(
    st.tuples(
        *[st.lists(st.sampled_from(FLOAT_KEYS), max_size=8).map(lambda v: np.array(v, np.float64))] * 2
    ),
    st.tuples(
        *[st.lists(st.sampled_from(UNSIGNED_KEYS), max_size=8).map(lambda v: np.array(v, np.uint64))] * 2
    ),
)


def grid(cuts: Array, n: int, start: Any, scale: float) -> tuple[Any, ...]:
    """A grid of n cells over ascending cuts."""
    cells = np.empty(cuts.size, np.int64)
    start = cuts.dtype.type(start)
    with np.errstate(all="ignore"):
        kernels.cells_of(cuts, start, scale, float(n - 1), cells)
    return cuts, np.searchsorted(cells, np.arange(n + 1)).astype(np.int32), start, scale, float(n - 1)


@given(keys_and_cuts, st.integers(1, 9), st.sampled_from([0, 1]), st.sampled_from([0.0, 0.5, 3.0, np.inf]))
def test_step_values(drawn: tuple[Array, Array], n: int, start: int, scale: float) -> None:
    keys, cuts = drawn[0], np.sort(drawn[1])
    table, out = np.arange(cuts.size + 1) * 10.0, np.empty(keys.size)
    with np.errstate(all="ignore"):
        kernels.step_values(keys, grid(cuts, n, start, scale), table, out)
    assert out.tolist() == [10.0 * sum(cut <= key for cut in cuts.tolist()) for key in keys.tolist()]


@given(st.lists(st.tuples(st.sampled_from(FLOAT_KEYS), st.integers(0, 2)), max_size=12), st.data())
def test_segment_steps(rows: list[tuple[float, int]], data: st.DataObject) -> None:
    lows = [sorted(data.draw(st.sets(st.sampled_from(FLOAT_KEYS), min_size=1))) for _ in range(3)]
    begin = np.cumsum([0, *map(len, lows)])
    value, out = np.arange(begin[-1]) * 10.0, np.empty(len(rows))
    score, segment = np.array([x for x, _ in rows], float), np.array([k for _, k in rows], np.int64)
    kernels.segment_steps(score, segment, begin, np.concatenate(lows).astype(float), value, out)
    for found, (x, k) in zip(out.tolist(), rows, strict=True):
        assert found == 10 * (begin[k] + max(0, sum(low <= x for low in lows[k]) - 1))


@given(st.lists(st.tuples(st.floats(-2, 2), st.integers(0, 1), st.integers(0, 3)), max_size=20))
def test_scatter_segments(rows: list[tuple[float, int, int]]) -> None:
    columns = [np.array([row[j] for row in rows], kind) for j, kind in enumerate((float, np.uint8, np.int64))]
    begin = np.searchsorted(np.sort(columns[2]), np.arange(5))
    place, out = (
        begin[:-1].copy(),
        (np.empty(len(rows)), np.empty(len(rows), np.uint8), np.empty(len(rows), int)),
    )
    kernels.scatter_segments(*columns, place, *out)
    assert np.array_equal(place, begin[1:])
    order = np.argsort(columns[2], kind="stable")
    for found, column in zip(out, (*columns[:2], np.arange(len(rows))), strict=True):
        assert found.tolist() == column[order].tolist()


def line_map(keys: Array, places: list[Any], lacking: float, odds: float) -> list[float]:
    """The values on a map of five pieces: a lower tail, a block, a line, a block, and an upper tail.

    `places` are the three cuts between them (the second block is one score) and two that follow them.
    """
    kind = keys.dtype
    low, high, upper, top = (kind.type(place) for place in places)
    cuts = np.array([low, high, upper, top], kind)
    share, rest = np.array([0.1, 0.2, 0.6, 0.9]), np.array([0.9, 0.8, 0.4, 0.1])
    with np.errstate(divide="ignore"):
        table = np.log(share / rest) if odds == 0 else odds * share / (odds * share + rest)
    begin = np.array([low, low, high, upper, top], kind), np.full(5, lacking)
    end = np.array([low, high, upper, top, top], kind), np.full(5, lacking)
    out = np.empty(keys.size)
    with np.errstate(all="ignore"):
        kernels.line_values(
            keys, grid(cuts, 4, places[0], 0.5),
            np.array([0, 1, 1, 2, 2], np.int32), np.array([1, 1, 2, 2, 3], np.int32),
            np.array([2, 0, 0, 0, 1], np.int8),
            begin, end, np.array([2.0, 1.0, 8.0, 1.0, 2.0]), share, rest, odds or 1.0, odds == 0, table, out,
        )  # fmt: skip
    return [float(value) for value in out]


@pytest.mark.parametrize("odds", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("dtype", [np.float64, np.uint64])
def test_line_values(dtype: Any, odds: float) -> None:
    places = [10, 20, 28, 30]
    keys = [0, 2, 8, 10, 15, 20, 21, 24, 27, 28, 29, 30, 32, 38, 1000]
    tail = [1 / (1 + (10 - k) / 2) for k in keys[:3]]
    top = [1 - 1 / (1 + (k - 30) / 2) for k in keys[12:]]
    shares = [*(0.1 + 0.1 * t for t in tail), 0.2, 0.2, 0.2, 0.25, 0.4, 0.55, 0.6, 0.6, 0.6]
    shares = np.array([*shares, *(0.6 + 0.3 * t for t in top)])
    expected = np.log(shares / (1 - shares)) if odds == 0 else odds * shares / (odds * shares + 1 - shares)
    found = line_map(np.array(keys, dtype), places, 0.0, odds)
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    assert all(a <= b for a, b in pairwise(found))


def test_places_between_keys() -> None:
    # The line runs from 20.5 to 28.5 in the units of the keys: what the keys lack is one half.
    share = 0.2 + 0.4 * np.array([0.5, 3.5, 6.5]) / 8
    found = line_map(np.array([21, 24, 27], np.uint64), [10, 20, 28, 30], 0.5, 1.0)
    np.testing.assert_allclose(found, share, rtol=1e-13)


def test_lines_at_infinite_keys() -> None:
    found = line_map(np.array([-np.inf, np.inf]), [10, 20, 28, 30], 0.0, 1.0)
    assert found == pytest.approx([0.1, 0.9], rel=1e-15)


def test_lines_from_certainty_to_certainty() -> None:
    share, rest = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    keys = np.array([1.0, 1.5, np.nextafter(2.0, 0), 2.0])
    places = [(np.array([0.0, 1.0, 2.0]), np.zeros(3)), (np.array([1.0, 2.0, 3.0]), np.zeros(3))]
    for odds, table in ((0.0, np.array([-np.inf, np.inf])), (1.0, share)):
        out = np.empty(4)
        kernels.line_values(
            keys, grid(np.array([1.0, 2.0]), 2, 1, 1.0),
            np.array([0, 0, 1], np.int32), np.array([0, 1, 1], np.int32),
            np.zeros(3, np.int8), *places, np.ones(3), share, rest, odds or 1.0, odds == 0, table, out,
        )  # fmt: skip
        middle, near = (0.0, -np.log(2.0**-52)) if odds == 0 else (0.5, 1 - 2.0**-52)
        assert out.tolist() == pytest.approx([table[0], middle, near, table[1]], rel=1e-15)


def test_the_log_is_asked_for_by_name() -> None:
    """No value of the odds stands for something else: at odds 0 there are probabilities, of 0."""
    share, rest, out = np.array([0.25, 0.75]), np.array([0.75, 0.25]), np.empty(1)
    begin, end = (np.array([0.0, 0.0, 1.0]), np.zeros(3)), (np.array([0.0, 1.0, 1.0]), np.zeros(3))
    for odds, as_log, table, expected in (
        (0.0, False, np.array([0.0, 1.0]), 0.0),
        (1e-300, False, np.array([0.0, 1.0]), 5 / 3 * 1e-300),
        (0.0, True, np.log(share / rest), np.log(5 / 3)),
        (9.0, True, np.log(share / rest), np.log(5 / 3)),
    ):
        kernels.line_values(
            np.array([0.75]), grid(np.array([0.0, 1.0]), 2, 0, 1.0),
            np.array([0, 0, 1], np.int32), np.array([0, 1, 1], np.int32), np.zeros(3, np.int8),
            begin, end, np.ones(3), share, rest, odds, as_log, table, out,
        )  # fmt: skip
        assert out[0] == pytest.approx(expected, rel=1e-15)


def test_ratios_of_nothing() -> None:
    assert kernels.log_ratio(0.0, 1.0) == -np.inf
    assert kernels.log_ratio(1.0, 0.0) == np.inf
    assert kernels.probability_of(0.0, 1.0) == 0.0
    assert kernels.probability_of(1.0, 0.0) == 1.0
    assert kernels.probability_of(1.0, 3.0) == 0.25


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(any), min_size=1, max_size=9),
        min_size=1, max_size=5,
    ),
    st.sampled_from([1, 1 << 55]),
)  # fmt: skip
def test_segment_blocks(groups: list[list[tuple[int, int]]], unit: int) -> None:
    """Neighbours are pooled, from low scores to high, until the share of positives rises."""
    flat = np.array([pair for own in groups for pair in own], np.int64).reshape(-1, 2) * unit
    begin = np.cumsum([0, *map(len, groups)])
    found = kernels.segment_blocks(flat[:, 0].copy(), flat[:, 1].copy(), begin, unit > 1)
    blocks, last, pos, neg = (part.tolist() for part in found)
    for k, own in enumerate(groups):
        pools: list[list[int]] = []  # of units of both classes, and the last group, the lowest score
        for i in reversed(range(len(own))):
            pools.append([own[i][0] * unit, own[i][1] * unit, begin[k] + i])
            while len(pools) > 1 and pools[-2][0] * pools[-1][1] >= pools[-1][0] * pools[-2][1]:
                p, q, _ = pools.pop()
                pools[-1][0] += p
                pools[-1][1] += q
        part = slice(blocks[k], blocks[k + 1])
        assert [list(each) for each in zip(pos[part], neg[part], last[part], strict=True)] == pools
