"""The hulls of many small groups of rows, in one loop."""

from __future__ import annotations

import numpy as np

from rochull._core.kernels.compiled import inline, kernel
from rochull._core.kernels.hull import Array

_FEW = 128  # scores that are sorted by their ranks: a loop of comparisons becomes wide instructions


@inline
def sort_few(scores: Array, spare: Array, taken: Array) -> None:
    """Sort scores in place by how many are lower; `spare` and `taken` have room for them."""
    for i in range(scores.size):
        spare[i], taken[i] = scores[i], 0
    for i in range(scores.size):
        x, lower = spare[i], np.int64(0)
        for j in range(scores.size):
            lower += np.int64(spare[j] < x)
        scores[lower + taken[lower]] = x
        taken[lower] += 1


@kernel
def hulls_of_groups(
    scores: Array, positive: Array, codes: Array, begin: Array
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Lowest and highest score, positives and negatives of every group's blocks, from high scores to low.

    `codes` are the rows' groups, of which group g has `begin[g + 1] - begin[g]` rows, fewer than 2**31. The
    blocks of group g are those from the first number returned at g up to that at g + 1; second are returned
    how many of its rows are positive.
    """
    groups = begin.size - 1
    ordered = np.empty(scores.size, scores.dtype)
    left, right = begin[:-1].copy(), begin[1:] - 1
    for i in range(scores.size):  # a group's positives lie on its left, its negatives on the right
        # Written at both ends, and only one end moves: a branch would be guessed wrong too often.
        g, to = codes[i], np.int64(positive[i])
        ordered[left[g]], ordered[right[g]] = scores[i], scores[i]
        left[g], right[g] = left[g] + to, right[g] - 1 + to
    blocks = np.zeros(groups + 1, np.int64)
    low, high = np.empty(scores.size, scores.dtype), np.empty(scores.size, scores.dtype)
    pos, neg = np.empty(scores.size, np.int64), np.empty(scores.size, np.int64)
    spare, taken = np.empty(_FEW, scores.dtype), np.empty(_FEW, np.int64)
    out = 0
    for g in range(groups):
        for own in (ordered[begin[g] : left[g]], ordered[left[g] : begin[g + 1]]):
            if own.size <= _FEW:
                sort_few(own, spare, taken)
            else:
                own.sort()
        first, i, j = out, left[g] - 1, begin[g + 1] - 1
        while i >= begin[g] or j >= left[g]:
            x = ordered[i] if j < left[g] or (i >= begin[g] and ordered[i] > ordered[j]) else ordered[j]
            low[out], high[out], pos[out], neg[out] = x, x, 0, 0
            while i >= begin[g] and ordered[i] == x:
                pos[out] += 1
                i -= 1
            while j >= left[g] and ordered[j] == x:
                neg[out] += 1
                j -= 1
            while out > first and pos[out] * neg[out - 1] >= pos[out - 1] * neg[out]:
                low[out - 1] = low[out]
                pos[out - 1] += pos[out]
                neg[out - 1] += neg[out]
                out -= 1
            out += 1
        blocks[g + 1] = out
    n_pos = left - begin[:-1]
    return blocks, n_pos, low[:out].copy(), high[:out].copy(), pos[:out].copy(), neg[:out].copy()
