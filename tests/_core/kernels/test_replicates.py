"""Kernels of the bootstrap that draw nothing, against their definitions; what they draw is tested beside it."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adversaries import Array
from rochull._core.kernels import replicates as kernels
from twins import twice_pairs

counts = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=8)


def columns(table: list[tuple[int, int]]) -> tuple[Array, Array]:
    """Negatives and positives of groups, from high scores to low, some of each."""
    neg, pos = np.array([(1, 1), *table], np.int64).T.copy()
    return neg, pos


@given(counts)
def test_an_area_counts_half_of_the_tied_pairs(table: list[tuple[int, int]]) -> None:
    neg, pos = columns(table)
    rows = np.repeat(np.tile([0, 1], neg.size), np.column_stack((neg, pos)).ravel())
    scores = np.repeat(-np.arange(neg.size), neg + pos)
    assert kernels.area(pos, neg, None) == pytest.approx(float(Fraction(*twice_pairs(rows, scores))))
    won = np.linspace(0, 1, neg.size)  # of merged groups: the share of their pairs
    apart = float((neg * (np.cumsum(pos) - pos)).sum()) + float((won * neg * pos).sum())
    assert kernels.area(pos, neg, won) == pytest.approx(apart / (neg.sum() * pos.sum()))


@given(counts, st.floats(0, 1))
def test_the_height_is_linear_in_a_group_and_the_top_of_a_rise(table: Any, fpr: float) -> None:
    neg, pos = columns(table)
    x, y = (np.append(0, np.cumsum(part)) / part.sum() for part in (neg, pos))
    i = int(np.flatnonzero(x <= fpr)[-1])
    rise = 0 if i == neg.size else (fpr - x[i]) / (x[i + 1] - x[i]) * (y[i + 1] - y[i])
    assert kernels.height(neg, pos, fpr) == pytest.approx(float(y[i] + rise))


@given(counts)
def test_groups_that_are_drawn(table: list[tuple[int, int]]) -> None:
    neg, pos = np.array(table, np.int64).T.copy()
    out = np.empty(neg.size, np.int64)
    found = out[: kernels.drawn_groups(neg, pos, out)]
    assert found.tolist() == np.flatnonzero(neg + pos).tolist()


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_are_gathered_in_their_groups(clustered: bool, ordered: bool, weighted: bool) -> None:
    rng = np.random.default_rng(0)
    order = rng.permutation(20).astype(np.int32) if ordered else None
    groups = np.sort(rng.integers(0, 5, 20)).astype(np.int32)  # of the rows in their order
    clusters = rng.integers(0, 6, 20).astype(np.int32) if clustered else None
    mass = rng.integers(1, 9, 20) if weighted else None
    drawn, out = rng.integers(0, 4, 20).astype(np.uint16), np.empty(5, np.int64)
    kernels.gather(drawn, clusters, groups, order, mass, out)
    expected = [0] * 5
    for place, row in enumerate(range(20) if order is None else order.tolist()):
        times = int(drawn[row] if clusters is None else drawn[clusters[row]])
        expected[groups[place]] += times * (1 if mass is None else int(mass[row]))
    assert out.tolist() == expected
