"""Compiled loops for small groups of rows that are held together, such as thousands of segments."""

from __future__ import annotations

import numpy as np

from rochull._core.kernels.buckets import cell_end, cell_of
from rochull._core.kernels.compiled import kernel, overflows
from rochull._core.kernels.hull import Array, Int, in_units, merge_classes


@kernel
def place_rows(
    scores: Array, positive: Array, weights: Array | None, units: Array, codes: Array,
    low: Array, high: Array, out: Array, out_units: Array,
) -> bool:  # fmt: skip
    """Copy every row to its group: negatives from the left, positives from the right.

    `low` and `high` (k,) are where the room that is left in each group begins and ends; rows of a group whose
    `low` is negative are passed over. `units` (k, 2) are those in a weight of 1, and the rows' own go to
    `out_units`. Returns whether there was room for all.
    """
    for i in range(scores.size):
        k, label = codes[i], np.int64(positive[i])
        if low[k] < 0:
            continue
        if low[k] == high[k]:
            return False
        at = high[k] - 1 if label else low[k]  # without a branch, which would be guessed wrong too often
        low[k] += 1 - label
        high[k] -= label
        out[at] = scores[i]
        if weights is not None:
            out_units[at] = in_units(weights[i], units[k, label])
    return True


@kernel
def code_begins(codes: Array, n_codes: Int) -> Array:
    """Where the rows of each code begin, in the order of codes, and where the last of them end (n + 1,)."""
    counts = np.zeros((4, n_codes), np.int64)  # so that one addition need not wait for the last
    for i in range(codes.size):
        counts[i & 3, codes[i]] += 1
    begin = np.zeros(n_codes + 1, np.int64)
    for k in range(n_codes):
        begin[k + 1] = begin[k] + counts[:, k].sum()
    return begin


@kernel
def in_order(codes: Array, begin: Array, values: Array) -> Array:
    """Values (n,) in the order of their codes, whose places begin there; those of a code stay in order."""
    place, out = begin.copy(), np.empty_like(values)
    for i in range(codes.size):
        out[place[codes[i]]] = values[i]
        place[codes[i]] += 1
    return out


@kernel
def held_groups(
    scores: Array, units: Array | None, begin: Array, middle: Array
) -> tuple[Array, Array, Array, Array]:
    """Groups of equal score in each part of the rows.

    Part k has its negatives from `begin[k]` and its positives from `middle[k]` on, both ascending. Returns
    where the groups of each part begin, their scores from high to low, and their units of positives and
    negatives; what has no units is left out.
    """
    first = np.zeros(begin.size, np.int64)
    score = np.empty_like(scores)
    pos, neg = np.empty(scores.size, np.int64), np.empty(scores.size, np.int64)
    g = 0
    for k in range(begin.size - 1):
        negative, positive = scores[begin[k] : middle[k]], scores[middle[k] : begin[k + 1]]
        own = score[g:], pos[g:], neg[g:]
        if units is None:
            found = merge_classes(positive, negative, None, None, *own)
        else:
            of_negative = units[begin[k] : middle[k]]
            found = merge_classes(positive, negative, units[middle[k] : begin[k + 1]], of_negative, *own)
        for i in range(found):
            if own[1][i] or own[2][i]:
                score[g], pos[g], neg[g] = own[0][i], own[1][i], own[2][i]
                g += 1
        first[k + 1] = g
    return first, score[:g], pos[:g], neg[:g]


@overflows(kernel)
def walk_sorted(pos: Array, neg: Array, width: float) -> tuple[Array, Array, Int]:
    """Walk the curve of two ascending classes: its hull, the points of it that are kept, and twice its area.

    Fewer than 2**31 rows, so that products fit. Points are (2, k): how many negatives and how many positives
    are above, which tells their scores too. As by `keep_points` one is kept in every cell of this width, and
    the last one. The hull is that of `upper_hull`.
    """
    size = pos.size + neg.size + 1
    hull = np.empty((2, size), np.int64)
    kept = np.empty((2, int(min(2.0 / width, np.float64(size))) + 3), np.int64)
    x, y = hull[0], hull[1]
    x[0], y[0] = 0, 0
    top, n_kept, before, area = 0, 0, 0.0, np.int64(0)
    tp, fp = np.int64(0), np.int64(0)
    one_pos, one_neg, edge = 1.0 / max(pos.size, 1), 1.0 / max(neg.size, 1), cell_end(0.0, width)
    while tp < pos.size or fp < neg.size:
        p, q = tp, fp
        i, j = np.int64(pos.size - 1 - tp), np.int64(neg.size - 1 - fp)
        if j < 0 or (i >= 0 and pos[i] >= neg[j]):
            score = pos[i]
        else:
            score = neg[j]
        while i >= 0 and pos[i] == score:
            i -= 1
        while j >= 0 and neg[j] == score:
            j -= 1
        tp, fp = np.int64(pos.size - 1 - i), np.int64(neg.size - 1 - j)
        area += (fp - q) * (p + tp)
        if tp * one_pos + fp * one_neg >= edge:  # else it is in the cell of the last point
            cell = cell_of(tp, fp, max(pos.size, 1), max(neg.size, 1), width)
            if cell - before != 0.0:
                kept[0, n_kept], kept[1, n_kept] = fp, tp
                n_kept += 1
            before, edge = cell, cell_end(cell, width)
        if (tp == p or tp <= y[top]) and (i >= 0 or j >= 0):
            continue  # not higher than a point to its left
        while top > 0:
            dx, dy = x[top] - x[top - 1], y[top] - y[top - 1]
            if (tp - y[top - 1]) * dx < dy * (fp - x[top - 1]):
                break
            top -= 1
        top += 1
        x[top], y[top] = fp, tp
    if n_kept == 0 or kept[0, n_kept - 1] != fp or kept[1, n_kept - 1] != tp:
        kept[0, n_kept], kept[1, n_kept] = fp, tp
        n_kept += 1
    return hull[:, : top + 1].copy(), kept[:, :n_kept].copy(), area
