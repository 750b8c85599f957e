"""Compiled loops of the second pass of a scan: the conventions are those of :mod:`rochull._kernels`."""

from __future__ import annotations

import numpy as np

from rochull._kernels import Array, Int, Tree, bucket_of, kernel, root_of, units_of

_STRIP = 4096
WANTED, LOW = 1, 2  # what is marked in a bucket


@kernel
def look_into_buckets(
    scores: Array, keys: Array, positive: Array, weights: Array | None, units: Array,
    tree: Tree,
    marks: Array, slots: Array, tie: Array, tie_mass: Array, kept: Array, kept_units: Array,
    low: Array, seen: Array,
) -> tuple[Int, Int]:  # fmt: skip
    """Collect the rows of the buckets marked WANTED, and find the lowest score in each marked LOW.

    `survey_buckets` and `lowest_scores` in one walk through the rows. A bucket has one mark (int8), or 0;
    `slots` numbers those of each mark. `low` begins with the largest value of its type.
    """
    root = root_of(tree)
    hits = np.empty(_STRIP, np.int32)
    places = np.empty(_STRIP, np.int32)
    left, right = 0, kept.size
    for begin in range(0, keys.size, _STRIP):
        # Find the hits of a strip first, without a branch: few rows are marked.
        found = np.uint64(0)
        for i in range(begin, min(begin + _STRIP, keys.size)):
            bucket = bucket_of(keys[i], root, tree)
            hits[found] = i
            places[found] = bucket
            found += np.uint64(marks[bucket] != 0)
        for h in range(found):
            i, bucket = hits[h], places[h]
            slot = slots[bucket]
            x = scores[i]
            if marks[bucket] == LOW:
                if x <= low[slot] and (weights is None or units_of(weights[i], units[positive[i]]) != 0):
                    low[slot] = x
                    seen[slot] = 1
                continue
            label = positive[i]
            mass = 1 if weights is None else units_of(weights[i], units[label])
            if tie_mass[slot, 0] == 0 and tie_mass[slot, 1] == 0:
                tie[slot] = x
            if x == tie[slot]:
                tie_mass[slot, label] += mass
            elif mass == 0:
                continue
            elif label:
                kept[left] = x
                if weights is not None:
                    kept_units[left] = mass
                left += 1
            else:
                right -= 1
                kept[right] = x
                if weights is not None:
                    kept_units[right] = mass
    return left, kept.size - right
