"""Hulls of bare points: exact, on counts or on a grid of rates."""

from __future__ import annotations

import numpy as np

from rochull._core.validation import Array
from rochull.hull.blocks import upper_hull
from rochull.hull.tallies import Units

# Rates that are not counts are read on this grid, which is finer than float64 near 1. It is one of decimals,
# as limits are read: a rate of 0.05 keeps a limit of 0.05.
GRID = 10**18
RATES = Units(float(GRID), float(GRID), weighted=True, are_rates=True)
_SHORT = 10**15


def on_grid(rates: Array) -> Array:
    """Rates (k,) in [0, 1] on the grid, int64 (k,): exact where they have at most 15 decimals."""
    short = np.rint(rates * _SHORT)
    exact = short.astype(np.int64) * (GRID // _SHORT)
    return np.asarray(np.where(short / _SHORT == rates, exact, np.rint(rates * GRID).astype(np.int64)))


def vertices_of(fp: Array, tp: Array, n_neg: int, n_pos: int) -> tuple[tuple[Array, Array], list[Array]]:
    """The hull of points and the corners: its vertices, and the points at each inner one."""
    order = np.lexsort((tp, fp))
    x = np.concatenate(([0], fp[order], [n_neg]))
    y = np.concatenate(([0], tp[order], [n_pos]))
    vertices = upper_hull(x, y)
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
