"""Compiled loops for small groups of rows that are held together, such as thousands of segments."""

from __future__ import annotations

import numpy as np

from rochull._core.kernels.compiled import kernel
from rochull._core.kernels.hull import Array, in_units, merge_classes


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
        k, label = codes[i], positive[i]
        if low[k] < 0:
            continue
        if low[k] == high[k]:
            return False
        if label:
            high[k] -= 1
            at = high[k]
        else:
            at = low[k]
            low[k] += 1
        out[at] = scores[i]
        if weights is not None:
            out_units[at] = in_units(weights[i], units[k, label])
    return True


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
        if units is None:
            found = merge_classes(positive, negative, None, None)
        else:
            of_negative = units[begin[k] : middle[k]]
            found = merge_classes(positive, negative, units[middle[k] : begin[k + 1]], of_negative)
        for i in range(found[0].size):
            if found[1][i] or found[2][i]:
                score[g], pos[g], neg[g] = found[0][i], found[1][i], found[2][i]
                g += 1
        first[k + 1] = g
    return first, score[:g], pos[:g], neg[:g]
