"""Hulls of bare points: exact, on counts or on a grid of rates."""

from __future__ import annotations

import numpy as np

from rochull._core.validation import Array
from rochull.hull.blocks import is_wide
from rochull.hull.tallies import Units

# Rates that are not counts are read on this grid, which is finer than float64 near 1.
GRID = 1 << 60
RATES = Units(float(GRID), float(GRID), weighted=True)


def vertices_of(fp: Array, tp: Array, n_neg: int, n_pos: int) -> tuple[tuple[Array, Array], list[Array]]:
    """The hull of points and the corners: its vertices, and the points at each inner one."""
    from rochull._core.kernels import hull as kernels

    order = np.lexsort((tp, fp))
    x = np.concatenate(([0], fp[order], [n_neg]))
    y = np.concatenate(([0], tp[order], [n_pos]))
    vertices = kernels.upper_hull(x, y, is_wide(n_neg, n_pos))
    inner = vertices[1:-1]
    # Equal points lie side by side in this order.
    ends = inner + 1
    begins = inner.copy()
    while True:
        more = (begins > 1) & (x[begins - 1] == x[inner]) & (y[begins - 1] == y[inner])
        if not more.any():
            break
        begins[more] -= 1
    while True:
        more = (ends < x.size - 1) & (x[ends] == x[inner]) & (y[ends] == y[inner])
        if not more.any():
            break
        ends[more] += 1
    equal = [np.sort(order[begin - 1 : end - 1]) for begin, end in zip(begins, ends, strict=True)]
    return (x[vertices], y[vertices]), equal
