"""Compiled loops of the second pass of a scan, and of what follows."""

from __future__ import annotations

import numpy as np

from rochull._core.kernels.compiled import folded, inline, kernel, overflows
from rochull._core.kernels.hull import (
    Array,
    Int,
    Tree,
    buckets_of,
    child_of,
    in_units,
    multiply_wide,
)
from rochull._core.kernels.prefetch import fetch_ahead

_STRIP = 4096
_SEARCHED = 64  # scores that are searched for together
_UNDER = 1 - 1e-12  # what is less than this part of a cell's end is in the cell, however sums are rounded
_MOST_CELLS = 1e9  # of more cells, whose ends are too close, each point is looked at
_NARROW = 2.0**60  # pairs of rows of both classes: if they are fewer, twice the area needs one number
_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)).reshape(256, 8).sum(axis=1, dtype=np.uint8)  # of a byte


@kernel
def look_into_buckets(
    scores: Array, keys: Array, positive: Array, weights: Array | None, units: Array,
    tree: Tree,
    marked: Array, before: Array, slots: Array, tie: Array, tie_mass: Array, kept: Array, kept_units: Array,
    low: Array, seen: Array,
) -> tuple[Int, Int]:  # fmt: skip
    """Collect the rows of some buckets, one tie in each as a count; find the lowest score in each of others.

    `marked` and `before` tell which buckets these are and count them (:func:`marked_words`): tables that stay
    in the cache. `slots` has the slot of each of them, -1 less it if the lowest score is wanted. `low` begins
    with the largest value of its type.

    In each bucket that is collected the first score seen is its `tie` (slots,), and equal scores are added to
    `tie_mass` (slots, 2): a bucket that is one tie costs nothing, however large. Other rows are written to
    `kept` (their units to `kept_units`): positives from the left, negatives from the right. Returns how many
    of each. `keys` is what the map divides: `scores`, or their 64-bit keys.
    """
    left, right, one = 0, kept.size, np.uint64(1)
    hits, places = np.empty(_STRIP, np.int32), np.empty(_STRIP, np.int32)
    for begin in range(0, keys.size, _STRIP):
        # The buckets of a strip first, then hits without a branch: few rows are wanted.
        size = min(_STRIP, keys.size - begin)
        buckets_of(keys[begin : begin + size], tree, places)
        found = np.uint64(0)
        for i in range(size):
            fetch_ahead(keys, begin + _STRIP + i)
            hits[found] = i
            place = np.uint32(places[i])
            found += marked[place >> np.uint32(6)] >> np.uint64(place & np.uint32(63)) & one
        for h in range(found):
            i = begin + hits[h]
            slot, x = slots[number_of(np.uint32(places[hits[h]]), marked, before)], scores[i]
            if slot < 0:
                slot = -1 - slot
                if x <= low[slot] and (weights is None or in_units(weights[i], units[positive[i]]) != 0):
                    low[slot] = x
                    seen[slot] = 1
                continue
            label = positive[i]
            mass = 1 if weights is None else in_units(weights[i], units[label])
            if tie_mass[slot, 0] == 0 and tie_mass[slot, 1] == 0:
                tie[slot] = x
            if x == tie[slot]:
                tie_mass[slot, label] += mass
            elif mass != 0:
                # Written at both ends, and only one end moves: a branch would be guessed wrong too often.
                to: Int = np.int64(label)
                kept[left], kept[right - 1] = x, x
                if weights is not None:
                    kept_units[left], kept_units[right - 1] = mass, mass
                left, right = left + to, right - 1 + to
    return left, kept.size - right


@kernel
def find_marked(keys: Array, tree: Tree, marked: Array, hits: Array, numbers: Array) -> Int:
    """Write which rows are in marked buckets, and in which; returns how many. (See :func:`marked_words`.)"""
    found, one = np.uint64(0), np.uint64(1)
    places = np.empty(_STRIP, np.int32)
    for begin in range(0, keys.size, _STRIP):
        size = min(_STRIP, keys.size - begin)
        buckets_of(keys[begin : begin + size], tree, places)
        for i in range(size):
            fetch_ahead(keys, begin + _STRIP + i)
            bucket = np.uint64(places[i])
            hits[found], numbers[found] = begin + i, bucket
            found += marked[bucket >> np.uint64(6)] >> (bucket & np.uint64(63)) & one
    return found


@kernel
def cuts_of(scores: Array, starts: Array, out: Array) -> None:
    """Write the last of the ascending `starts` that is at most each score to `out`, int32: 0 if none is.

    All scores of a strip take each step of the search together, and none has a branch to guess.
    """
    for begin in range(0, scores.size, _SEARCHED):
        end, size = min(begin + _SEARCHED, scores.size), starts.size
        for i in range(begin, end):
            out[i] = 0
        while size > 1:
            half = size >> 1
            for i in range(begin, end):
                at = out[i]
                out[i] = at + half if starts[at + half] <= scores[i] else at
            size -= half


@kernel
def number_parts(keys: Array, slots: Array, first: Array, tree: Tree, numbers: Array) -> None:
    """Replace the numbers of buckets by those of their parts, where `slots` says that they have some.

    `first` has the number of each bucket's first part, `tree` a piece for each slot, whose parts begin at 0.
    """
    start, scale, last, base = tree
    for i in range(keys.size):
        bucket = np.uint64(numbers[i])
        number = np.int64(first[bucket])
        if slots[bucket] >= 0:
            piece = np.uint64(slots[bucket])
            while True:
                k = np.int64(child_of(keys[i], start[piece], scale[piece], last[piece]))
                below = np.int64(base[piece])
                if below >= 0:
                    number += below + k
                    break
                piece = np.uint64(~below + k)
        numbers[i] = number


@folded
def number_of(bucket: Int, marked: Array, before: Array) -> Int:
    """How many of the marked buckets are below this one."""
    word, bit = bucket >> np.uint32(6), np.uint64(bucket & np.uint32(63))
    return before[word] + bits_of(marked[word] & ((np.uint64(1) << bit) - np.uint64(1)))


@folded
def bits_of(word: Int) -> Int:
    """How many bits of a uint64 are set (Warren, Hacker's Delight, section 5-1)."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    pairs = np.uint64(0x3333333333333333)
    word = (word & pairs) + ((word >> np.uint64(2)) & pairs)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    for shift in (8, 16, 32):
        word += word >> np.uint64(shift)
    return np.int64(word & np.uint64(127))


def marked_words(marked: Array) -> tuple[Array, Array]:
    """Which buckets are marked, 64 to a uint64, and how many of those before each word are, int32."""
    words = -(-marked.size // 64)
    bits = np.zeros(8 * words, np.uint8)
    bits[: -(-marked.size // 8)] = np.packbits(np.ascontiguousarray(marked), bitorder="little")
    held = _BITS[bits].reshape(words, 8).sum(axis=1, dtype=np.int32)
    return bits.view("<u8").astype(np.uint64), np.cumsum(held, dtype=np.int32) - held


@overflows(kernel)
def keep_points(pos: Array, neg: Array, n_pos: Int, n_neg: Int, width: float, keep: Array) -> None:
    """Mark the points after steps of so many units at which fpr + tpr enters another cell of this width."""
    tp, fp, before = np.int64(0), np.int64(0), 0.0
    one_pos, one_neg, edge = 1.0 / n_pos, 1.0 / n_neg, cell_end(0.0, width)
    for i in range(pos.size):
        tp += pos[i]
        fp += neg[i]
        if tp * one_pos + fp * one_neg >= edge:  # else it is in the cell of the last point
            cell = cell_of(tp, fp, n_pos, n_neg, width)
            keep[i] = cell - before != 0.0  # a NaN is kept: cells beyond all numbers
            before, edge = cell, cell_end(cell, width)


@overflows(kernel)
def cell_of(tp: Int, fp: Int, n_pos: Int, n_neg: Int, width: float) -> float:
    """The cell of fpr + tpr."""
    return float(np.floor((np.float64(tp) / n_pos + np.float64(fp) / n_neg) / width))


@inline
def cell_end(cell: float, width: float) -> float:
    """The least fpr + tpr that may be in another cell; 0 if each point is to be looked at."""
    return _UNDER * width * (cell + 1.0) if cell < _MOST_CELLS else 0.0


@kernel
def walk_steps(
    pos: Array, neg: Array, wanted: Array, group_pos: Array, group_neg: Array, n_pos: Int, n_neg: Int,
    width: float, places: Array, tps: Array, fps: Array,
) -> tuple[Int, Array]:  # fmt: skip
    """Walk a curve from high scores to low: by groups in the buckets that are wanted, else by buckets.

    Returns how many points are kept, as by :func:`keep_points` and the last one, and bounds of twice the area
    in units, (3, 2), each as (high, low) of high * 2**62 + low: where the order of a bucket's rows is not
    known, its negatives come first, then it is one tie, then its positives come first.

    `group_pos` and `group_neg` are the units of all groups in the wanted buckets, which hold what `pos` and
    `neg` say. A kept point's place is its group's number, or -1 less its bucket's; `tps` and `fps` are the
    units up to it.
    """
    areas = np.zeros((3, 2), np.int64)
    tp, fp, before, group, kept = np.int64(0), np.int64(0), 0.0, 0, 0
    place, is_narrow = np.int64(0), np.float64(n_pos) * np.float64(n_neg) < _NARROW
    least, unsure = np.int64(0), np.int64(0)
    one_pos, one_neg, edge = 1.0 / n_pos, 1.0 / n_neg, cell_end(0.0, width)
    for b in range(pos.size):
        last_tp, last_fp = tp + pos[b], fp + neg[b]
        while tp < last_tp or fp < last_fp:
            if wanted[b]:
                p, q, place = group_pos[group], group_neg[group], np.int64(group)
                group += 1
            else:
                p, q, place = pos[b], neg[b], np.int64(-1 - b)
            if is_narrow:
                least += q * (2 * tp + (p if wanted[b] else 0))
                unsure += 0 if wanted[b] else q * p
            elif q > 0:
                add_areas(areas, tp, p, q, not wanted[b])
            tp += p
            fp += q
            if tp * one_pos + fp * one_neg >= edge:  # else it is in the cell of the last point
                cell = cell_of(tp, fp, n_pos, n_neg, width)
                if cell - before != 0.0:  # a NaN is kept: cells beyond all numbers
                    places[kept], tps[kept], fps[kept] = place, tp, fp
                    kept += 1
                before, edge = cell, cell_end(cell, width)
    if kept == 0 or tps[kept - 1] != tp or fps[kept - 1] != fp:
        places[kept], tps[kept], fps[kept] = place, tp, fp
        kept += 1
    if is_narrow:
        for way in range(3):
            areas[way, 1] = least + way * unsure
    return kept, areas


@kernel
def add_areas(areas: Array, above: Int, pos: Int, neg: Int, inside: bool) -> None:
    """Add what a step adds to twice the area; the order of its rows is not known if it is `inside`."""
    limit = np.int64(1) << 62
    for way in range(3):
        won = way if inside else 1
        high, low = multiply_wide(neg, 2 * above + won * pos)
        areas[way, 0] += high
        areas[way, 1] += low - limit  # stays in [-2**62, 2**62): no overflow
        if areas[way, 1] >= 0:
            areas[way, 0] += 1
        else:
            areas[way, 1] += limit
