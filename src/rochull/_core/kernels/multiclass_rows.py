"""Compiled loops of sweeps in which several sums over the cells of the confusion matrix are followed at once.

A row is such a sum: a limited measure, or a number of which the largest is minimised. Its value is
``level * factor + offset``; of the limits' rows, which come first, it is the excess.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rochull._core.kernels.compiled import kernel
from rochull._core.kernels.multiclass import lexically_better

Array = NDArray[Any]

ROUNDING = 1e-12  # an excess up to this is none: what is chosen is replayed


@kernel
def span(theta: Array) -> tuple[float, float]:
    """The smallest and the largest positive finite breakpoint; infinity and 0 if there is none."""
    low, high = np.inf, 0.0
    for s in range(theta.size):
        at = theta[s]
        low = min(low, at if at > 0.0 else np.inf)
        high = max(high, at if at < np.inf else 0.0)
    return low, high


@kernel
def bucket_cells(
    theta: Array, other: Array, units: Array, first_of: Array, shift: int, low: int, out: Array
) -> None:
    """Count into out (b, C, C) what turns at a positive weight, by bucket, true class, and class below."""
    bits = theta.view(np.int64)
    for i in range(first_of.size - 1):
        for s in range(first_of[i], first_of[i + 1]):
            if 0.0 < theta[s] < np.inf:
                out[(bits[s] >> shift) - low, i, other[s]] += units[s] if units.size else 1


@kernel
def bucket_moves(cells: Array, moves: Array, factor: Array, counted: Array, best: Array) -> None:
    """Add up moves (C, C, R) of cells (b, C, C) in each bucket: all of them, and those that lower values."""
    for b in range(cells.shape[0]):
        for i in range(cells.shape[1]):
            for c in range(cells.shape[1]):
                units = cells[b, i, c]
                if units == 0:
                    continue
                for r in range(factor.size):
                    move = moves[i, c, r] * units
                    counted[b, r] += move
                    best[b, r] += move if move * factor[r] < 0.0 else 0.0


@kernel
def bucket_members(theta: Array, wanted: Array, shift: int, low: int) -> Array:
    """The examples that turn at a positive finite weight in a wanted bucket; the first bucket is `low`."""
    bits = theta.view(np.int64)
    members, size = np.empty(theta.size, np.int64), 0
    for s in range(theta.size):
        if 0.0 < theta[s] < np.inf and wanted[(bits[s] >> shift) - low]:
            members[size] = s
            size += 1
    return members[:size]


@kernel
def _better(
    levels: Array, factor: Array, offset: Array, n_limits: int, goals: Array, scratch: Array, best: Array
) -> bool:
    """Whether less is broken than at `best`, or as much and goals are smaller; `best` is then replaced."""
    broken = 0.0
    for r in range(n_limits):
        broken = max(broken, levels[r] * factor[r] + offset[r])
    broken = 0.0 if broken <= ROUNDING else broken
    if broken > best[0]:
        return False
    for r in range(goals.size):
        goals[r] = levels[n_limits + r] * factor[n_limits + r] + offset[n_limits + r]
    if broken < best[0]:
        best[0] = broken
        best[1:] = np.inf
    return bool(lexically_better(goals, scratch, best[1:]))


@kernel
def walk_rows(
    theta: Array, other: Array, units: Array, first_of: Array, members: Array, buckets: Array,
    counted: Array, wanted: Array, shift: int, low: int, moves: Array, levels: Array, factor: Array,
    offset: Array, n_limits: int, best: Array,
) -> float:  # fmt: skip
    """The breakpoint from which on least is broken, and the goals are smallest; 0: from the start.

    As `walk_errors`, with moves[true, below] (R,) of what turns. `levels` (R,) are those at weight 0, and
    move on; `best` (1 + goals,) becomes what is broken, and the goals, the largest first.
    """
    n_goals = levels.size - n_limits
    goals, scratch = np.empty(n_goals), np.empty(n_goals)
    best[:] = np.inf
    _better(levels, factor, offset, n_limits, goals, scratch, best)
    cut, at, edge = 0.0, 0, np.zeros(1)
    edge_bits = edge.view(np.int64)
    for b in range(buckets.size):
        edge_bits[0] = ((buckets[b] + low) << shift) + ((1 << shift) - 1)
        if not wanted[buckets[b]]:
            levels += counted[b]
            if _better(levels, factor, offset, n_limits, goals, scratch, best):
                cut = edge[0]
            continue
        while at < members.size and not theta[members[at]] > edge[0]:
            s = members[at]
            i = 0
            while s >= first_of[i + 1]:
                i += 1
            unit = units[s] if units.size else 1
            for r in range(levels.size):
                levels[r] += moves[i, other[s], r] * unit
            at += 1
            ended = at == members.size or theta[members[at]] > theta[s]
            if ended and _better(levels, factor, offset, n_limits, goals, scratch, best):
                cut = theta[s]
    return cut
