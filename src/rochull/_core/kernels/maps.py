"""Compiled loops of calibration maps and of segments: the value of every score."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rochull._core.kernels.compiled import inline, kernel
from rochull._core.kernels.hull import Array, Int, child_of, upper_hull

Grid = tuple[Array, Array, Any, float, float]  # cuts, first, start, scale, last
Place = tuple[Array, Array]  # keys, and what is to be added to them


@kernel
def cells_of(keys: Array, start: Any, scale: float, last: float, out: Array) -> None:
    """Write the cell of a uniform grid that every key falls into: monotone, as a bucket map is."""
    for i in range(keys.size):
        out[i] = child_of(keys[i], start, scale, last)


@inline
def piece_of(key: Any, grid: Grid) -> Int:
    """How many of the ascending cuts are at most `key`.

    A cut in a lower cell than the key's is below it, one in a higher cell above it; `first[c]` counts
    the cuts in lower cells than c. Those in the key's own cell, mostly none, are searched.
    """
    cuts, first, start, scale, last = grid
    cell = np.uint64(child_of(key, start, scale, last))
    low, high = np.uint64(first[cell]), np.uint64(first[cell + np.uint64(1)])
    while low < high:
        middle = (low + high) >> np.uint64(1)
        if cuts[middle] <= key:
            low = middle + np.uint64(1)
        else:
            high = middle
    return low


@kernel
def step_values(keys: Array, grid: Grid, table: Array, out: Array) -> None:
    """Write the value of every key: that of the piece between two cuts that it lies in."""
    for i in range(keys.size):
        out[i] = table[piece_of(keys[i], grid)]


@kernel
def segment_steps(score: Array, segment: Array, begin: Array, low: Array, value: Array, out: Array) -> None:
    """Write the value of every score on the step function of its segment.

    The steps of segment k are those from `begin[k]` to `begin[k + 1]`, one at least, `low` ascending; below
    all of them the first value holds.
    """
    for i in range(score.size):
        x = score[i]
        at, end = np.uint64(begin[segment[i]]), np.uint64(begin[segment[i] + 1])
        left = end - at
        while left > 1:  # no branch depends on the score: it could not be predicted
            half = left >> np.uint64(1)
            at += half if low[at + half] <= x else np.uint64(0)
            left -= half
        out[i] = value[at]


@kernel
def scatter_segments(
    score: Array,
    positive: Array,
    segment: Array,
    place: Array,
    by_score: Array,
    by_class: Array,
    order: Array,
) -> None:
    """Copy scores, labels and row numbers to their segments, `place[k]` being the next free place of one."""
    for i in range(score.size):
        k = np.uint64(segment[i])
        at = np.uint64(place[k])
        place[k] += 1
        by_score[at] = score[i]
        by_class[at] = positive[i]
        order[at] = i


@kernel
def segment_blocks(pos: Array, neg: Array, begin: Array, wide: bool) -> tuple[Array, Array, Array, Array]:
    """PAV of the groups of every segment, of which each has some, from high scores to low.

    Of its blocks, from low scores to high: where each segment's begin, the last group of each block, and its
    units of positives and of negatives.
    """
    x, y = np.zeros(pos.size + 1, np.int64), np.zeros(pos.size + 1, np.int64)
    blocks = np.zeros(begin.size, np.int64)
    last = np.empty(pos.size, np.int64)
    block_pos, block_neg = np.empty(pos.size, np.int64), np.empty(pos.size, np.int64)
    for k in range(begin.size - 1):
        first, size = begin[k], begin[k + 1] - begin[k]
        for i in range(size):
            x[i + 1] = x[i] + neg[first + i]
            y[i + 1] = y[i] + pos[first + i]
        vertex = upper_hull(x[: size + 1], y[: size + 1], wide)
        blocks[k + 1] = blocks[k] + vertex.size - 1
        for v in range(vertex.size - 1):
            out = blocks[k + 1] - 1 - v
            left, right = vertex[v], vertex[v + 1]
            last[out] = first + right - 1
            block_pos[out] = y[right] - y[left]
            block_neg[out] = x[right] - x[left]
    used = blocks[-1]
    return blocks, last[:used], block_pos[:used], block_neg[:used]


@inline
def ahead(key: Any, place: Place, p: Int) -> Any:
    """How far a key is beyond a place, or zero. Keys may be unsigned: they must not wrap."""
    at = place[0][p]
    distance = (np.float64(key - at) if key > at else 0.0) - place[1][p]
    return max(distance, 0.0)


@inline
def to_go(key: Any, place: Place, p: Int) -> Any:
    """How far a key is from a place beyond it, or zero."""
    at = place[0][p]
    distance = (np.float64(at - key) if at > key else 0.0) + place[1][p]
    return max(distance, 0.0)


@inline
def along(key: Any, shape: Int, begin: Place, end: Place, width: Any, p: Int) -> tuple[float, float]:
    """How far along piece p a key is, from 0 to 1; and what is left, each rounded for itself.

    Shape 0 is a straight line from `begin` to `end`; 1 rises from `begin` for ever, towards 1; and 2
    rises from 0 at -inf to `end`. The first number rises with the key and the second falls, whatever is
    rounded.
    """
    if shape == 0:
        return min(ahead(key, begin, p) / width, 1.0), min(to_go(key, end, p) / width, 1.0)
    if shape == 1:
        left = 1.0 / (1.0 + ahead(key, begin, p) / width)
        return 1.0 - left, left
    share = 1.0 / (1.0 + to_go(key, end, p) / width)
    return share, 1.0 - share


@inline
def log_ratio(for_it: float, against: float) -> float:
    """log(for_it / against) of numbers that are not both zero."""
    if not against > 0.0:
        return np.inf
    return math.log(for_it / against) if for_it > 0.0 else -np.inf


@inline
def probability_of(for_it: float, against: float) -> float:
    """for_it / (for_it + against), by operations that are monotone in both under rounding."""
    return 1.0 / (1.0 + against / for_it) if for_it > 0.0 else 0.0


@kernel
def line_values(
    keys: Array, grid: Grid, lower: Array, upper: Array, shape: Array, begin: Place, end: Place, width: Array,
    share: Array, rest: Array, odds: float, as_log: bool, table: Array, out: Array,
) -> None:  # fmt: skip
    """Write the value of every key on a map of pieces, each rising from one level to another.

    Piece p rises from level `lower[p]` to `upper[p]`, see :func:`along`. A level is a probability
    `share` with its complement `rest`; what is written is the log of their ratio where `as_log` says so,
    else the probability at `odds` times the ratio. (Odds, because a prevalence may round to 1.) `table`
    has the values of the levels themselves: the ends of a piece get them exactly, and nothing inside
    leaves them.
    """
    for i in range(keys.size):
        key = keys[i]
        p = piece_of(key, grid)
        a, b = np.uint64(lower[p]), np.uint64(upper[p])
        value = table[a]
        if a != b:
            passed, left = along(key, shape[p], begin, end, width[p], p)
            if passed > 0.0:
                for_it = min(share[a] + (share[b] - share[a]) * passed, share[b])
                against = min(rest[b] + (rest[a] - rest[b]) * left, rest[a])
                if as_log:
                    value = max(value, min(log_ratio(for_it, against), table[b]))
                else:
                    value = max(value, min(probability_of(odds * for_it, against), table[b]))
        out[i] = value
