"""Compiled loops of the second pass of a scan, and of what follows; conventions: :mod:`rochull._kernels`."""

from __future__ import annotations

import numpy as np

from rochull._kernels import Array, Int, Tree, bucket_of, kernel, multiply_wide, root_of, units_of

_STRIP = 4096
WANTED, LOW = 1, 2  # what is marked in a bucket


@kernel
def look_into_buckets(
    scores: Array, keys: Array, positive: Array, weights: Array | None, units: Array,
    tree: Tree,
    marked: Array, marks: Array, slots: Array, tie: Array, tie_mass: Array, kept: Array, kept_units: Array,
    low: Array, seen: Array,
) -> tuple[Int, Int]:  # fmt: skip
    """Collect the rows of the buckets marked WANTED, and find the lowest score in each marked LOW.

    `survey_buckets` and `lowest_scores` in one walk through the rows. A bucket has one mark (int8), or 0;
    `slots` numbers those of each mark. `marked` says as bits which have one (:func:`marked_bits`): a table
    that stays in the cache where `marks` does not. `low` begins with the largest value of its type.
    """
    root, left, right = root_of(tree), 0, kept.size
    hits = np.empty(_STRIP, np.int32)
    places = np.empty(_STRIP, np.uint32)
    for begin in range(0, keys.size, _STRIP):
        # The buckets of a strip first, then hits without a branch: many misses are waited for at once.
        size = min(_STRIP, keys.size - begin)
        for i in range(size):
            places[i] = bucket_of(keys[begin + i], root, tree)
        found = np.uint64(0)
        for i in range(size):
            hits[found] = i
            found += np.uint64(marked[places[i] >> np.uint32(3)] >> (places[i] & np.uint32(7)) & 1)
        for h in range(found):
            i, bucket = begin + hits[h], places[hits[h]]
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


def marked_bits(marks: Array) -> Array:
    """Which buckets have a mark, eight to a byte, as :func:`look_into_buckets` reads them."""
    return np.packbits(marks != 0, bitorder="little")


@kernel
def keep_points(pos: Array, neg: Array, n_pos: Int, n_neg: Int, width: float, keep: Array) -> None:
    """Mark the points after steps of so many units at which fpr + tpr enters another cell of this width."""
    tp, fp, before = np.int64(0), np.int64(0), 0.0
    for i in range(pos.size):
        tp += pos[i]
        fp += neg[i]
        cell = np.floor((np.float64(tp) / n_pos + np.float64(fp) / n_neg) / width)
        keep[i] = cell - before != 0.0  # a NaN is kept: cells beyond all numbers
        before = cell


@kernel
def area_bounds(pos: Array, neg: Array, inside: Array) -> Array:
    """Twice the area under a curve in units, (3, 2): each as (high, low) of high * 2**62 + low.

    Steps run from high scores to low. Where the order `inside` of one is not known, its negatives come
    first, then it is one tie, then its positives come first.
    """
    areas = np.zeros((3, 2), np.int64)
    limit, above = np.int64(1) << 62, np.int64(0)
    for g in range(pos.size):
        if neg[g] > 0:
            for way in range(3):
                won = way if inside[g] else 1
                high, low = multiply_wide(neg[g], 2 * above + won * pos[g])
                areas[way, 0] += high
                areas[way, 1] += low - limit  # stays in [-2**62, 2**62): no overflow
                if areas[way, 1] >= 0:
                    areas[way, 0] += 1
                else:
                    areas[way, 1] += limit
        above += pos[g]
    return areas
