"""Compiled loops: bucket counts, collection, merging, hulls, pair counts.

Kernels trust their input (validation happens at the door), hold no state, do no I/O, release the
GIL and never start threads. Each one also runs as plain Python under ``NUMBA_DISABLE_JIT=1``.

Conventions
-----------
``positive`` is a uint8 array, 1 for a positive example. The weight of a class is a whole number
of *units*, below 2**60 in total (unweighted: one unit an example), so that every sum is exact and
the same in any order. ``weights`` is None where there are none (numba drops the branch). Cross
products are compared in 64 bits, or in 124 bits where ``wide`` says that they would not fit.

A *bucket map* is a tree of linear pieces, stored as one entry a piece in four arrays: a value
``u`` falls into child ``k = clip(trunc((u - start) * scale), 0, last)`` of a piece. ``base >= 0``
means that the children are the buckets ``base + k``; ``base < 0`` that they are the pieces
``~base + k``. Subtraction, multiplication by a non-negative constant, clipping and truncation are
monotone under IEEE rounding, so no rounding can put a higher score into a lower bucket.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rochull._core.kernels.compiled import folded, inline, kernel, overflows
from rochull._core.kernels.prefetch import fetch_ahead

Array = NDArray[Any]
Int = Any  # a Python integer, or a NumPy one: compiled and pure Python differ
Tree = tuple[Array, Array, Array, Array]  # start, scale, last, base

_LOW31 = np.int64((1 << 31) - 1)
_SIGN_BIT = np.int64(-(2**63))
# A bucket with this many pairs or fewer is counted pair by pair: no sort, and the loop is SIMD.
_BRUTE_PAIRS = 4096
_STRIP = 4096

# --- exact products ---------------------------------------------------------------------------


@folded
def multiply_wide(a: Int, b: Int) -> tuple[Int, Int]:
    """a * b for 0 <= a, b < 2**62 as (high, low), the product being high * 2**62 + low."""
    a_high, a_low = a >> 31, a & _LOW31
    b_high, b_low = b >> 31, b & _LOW31
    bottom = a_low * b_low
    middle = a_low * b_high + a_high * b_low + (bottom >> 31)
    return a_high * b_high + (middle >> 31), ((middle & _LOW31) << 31) | (bottom & _LOW31)


@folded
def product_less(a: Int, b: Int, c: Int, d: Int, wide: bool) -> Any:
    """Whether a * b < c * d, exactly."""
    if not wide:
        return a * b < c * d
    left_high, left_low = multiply_wide(a, b)
    right_high, right_low = multiply_wide(c, d)
    return left_high < right_high or (left_high == right_high and left_low < right_low)


# --- the bucket map ---------------------------------------------------------------------------


@overflows(folded)
def child_of(key: Any, start: Any, scale: float, last: float) -> float:
    """The child of a piece that `key` (a float, or a uint64 in the scores' order) falls into."""
    f = 0.0
    if key > start:  # unsigned keys must not wrap
        f = np.float64(key - start) * scale
        if not f < last:  # also where f is NaN: an infinite score, a piece of one bucket
            f = last
    return f


@overflows(kernel)
def children_of(keys: Array, start: Any, scale: float, last: float, out: Array) -> None:
    """Write :func:`child_of` of each key (n,) to `out`, in a loop that becomes wide instructions."""
    for i in range(keys.size):
        f: Any = np.float64(keys[i] - start) * scale
        f = f if f < last else last
        out[i] = np.int32(f if keys[i] > start else 0.0)


@kernel
def buckets_of(keys: Array, tree: Tree, out: Array) -> None:
    """Write the bucket of each key (n,) to `out`, int32: walk down the tree.

    The first step of all walks is a loop of its own; a tree of one piece below the root has no other.
    """
    start, scale, last, base = tree
    if start.size == 2:
        children_of(keys, start[1], scale[1], last[1], out)
        return
    children_of(keys, start[0], scale[0], last[0], out)
    root = ~np.int64(base[0])
    for i in range(keys.size):
        piece = np.uint64(root + np.int64(out[i]))  # unsigned: negative indices would be looked for
        while True:
            k = np.int64(child_of(keys[i], start[piece], scale[piece], last[piece]))
            below = np.int64(base[piece])
            if below >= 0:
                out[i] = below + k
                break
            piece = np.uint64(~below + k)


@kernel
def float_keys(scores: Array, folded: bool, out: Array) -> None:
    """Write uint64 keys in the order of the scores: the bits of a float64, read as an integer.

    Keys are logarithmic in the distance from 0; both zeros have one key. `folded`, for scores
    between 0 and 1, makes them logarithmic in the distance from 1 too, from 0.5 on: 1 - x is exact
    there. (Scores above 1 then share one key, which is still in order.)
    """
    half = np.uint64(0xBFE0000000000000)  # the key of 0.5
    for i in range(scores.size):
        x: Any = np.float64(scores[i])
        upper = folded and x >= 0.5
        if upper:
            x = max(1.0 - x, 0.0)
        bits = np.float64(x + 0.0).view(np.int64)
        key = np.int64(bits ^ ((bits >> np.int64(63)) | _SIGN_BIT)).view(np.uint64)
        out[i] = (half - key) + half if upper else key


@kernel
def class_weights(weights: Any, positive: Array) -> Any:
    """Total, least and greatest weight above 0, what is behind the point if anything is, by class (4, 2)."""
    totals = np.zeros((2, 4))  # four running sums each, so that additions need not wait for each other
    out = np.zeros((4, 2))
    out[1] = np.inf
    for i in range(weights.size):
        w, own = weights[i], np.uint64(positive[i])
        totals[own, np.uint64(i & 3)] += w
        # These seldom hold, and a comparison that is foreseen takes no time.
        if 0.0 < w < out[1, own]:
            out[1, own] = w
        if w > out[2, own]:  # noqa: PLR1730 (max writes each time)
            out[2, own] = w
        if out[3, own] == 0.0:
            out[3, own] = w - np.floor(w)
    for c in range(2):
        out[0, c] = totals[c].sum()
    return out


@inline
def in_units(weight: float, unit: float) -> Int:
    """A weight as a whole number of units, `unit` being the number of units in one."""
    return np.int64(np.rint(weight * unit))


@kernel
def count_buckets(
    keys: Array, positive: Array, weights: Array | None, units: Array,
    tree: Tree, low: Array, total: Array,
) -> bool:  # fmt: skip
    """Count every example: negatives of bucket b at 2b, positives at 2b + 1.

    Counts are kept in the bytes of `low`, which stay in the cache, and their carries counted in
    `total`; weights are added to `total`. Returns whether anything was: most often it is all zero, and
    need not be read. The places of a strip are found first: a loop that only
    counts is so short that many of its misses of the cache are waited for at once. Meanwhile the keys of the
    next strip are fetched, for which its vectorised loop would have to wait.
    """
    places, carried = np.empty(_STRIP, np.int32), weights is not None
    for begin in range(0, keys.size, _STRIP):
        labels = positive[begin : begin + _STRIP]
        buckets_of(keys[begin : begin + _STRIP], tree, places)
        for i in range(labels.size):
            places[i] = 2 * places[i] + np.int32(labels[i])
        for i in range(labels.size):
            fetch_ahead(keys, begin + _STRIP + i)
            j = np.uint64(places[i])
            if weights is None:
                count = np.uint8((np.int64(low[j]) + 1) & 255)
                low[j] = count
                if count == 0:
                    total[j] += 1
                    carried = True
            else:
                total[j] += in_units(weights[begin + i], units[labels[i]])
    return carried


@kernel
def fold_counts(low: Array, total: Array, step: Int, pos: Array, neg: Array) -> None:
    """Add what :func:`count_buckets` counted to counts that run from high scores to low.

    `step` is what one in `total` stands for: 256 examples, or a unit of weight; 0 if nothing is there.
    """
    for b in range(pos.size):
        j = 2 * (pos.size - 1 - b)
        neg[b] += low[j]
        pos[b] += low[j + 1]
        if step:
            neg[b] += np.int64(total[j]) * step
            pos[b] += np.int64(total[j + 1]) * step


@kernel
def lowest_scores(
    scores: Array, keys: Array, positive: Array, weights: Array | None, units: Array,
    tree: Tree, slots: Array, low: Array, seen: Array,
) -> None:  # fmt: skip
    """The lowest score of each bucket whose number in `slots` is not negative; `seen` tells where one is."""
    places = np.empty(_STRIP, np.int32)
    for begin in range(0, keys.size, _STRIP):
        some = scores[begin : begin + _STRIP]
        buckets_of(keys[begin : begin + _STRIP], tree, places)
        for i in range(some.size):
            slot, row = slots[np.uint64(places[i])], begin + i
            if slot < 0 or (weights is not None and in_units(weights[row], units[positive[row]]) == 0):
                continue
            if seen[slot] == 0 or some[i] < low[slot]:
                low[slot] = some[i]
                seen[slot] = 1


@kernel
def count_parts(keys: Array, positive: Array, tree: Tree, shift: Int, out: Array) -> None:
    """Count parts of 2**shift buckets: negatives of part q at 2q, positives at 2q + 1."""
    places = np.empty(_STRIP, np.int32)
    for begin in range(0, keys.size, _STRIP):
        labels = positive[begin : begin + _STRIP]
        buckets_of(keys[begin : begin + _STRIP], tree, places)
        for i in range(labels.size):
            places[i] = 2 * (places[i] >> shift) + np.int32(labels[i])
        for i in range(labels.size):
            fetch_ahead(keys, begin + _STRIP + i)
            out[np.uint64(places[i])] += 1


@kernel
def scatter_parts(
    scores: Array, keys: Array, positive: Array, tree: Tree, shift: Int, place: Array, out: Array
) -> None:
    """Copy every score to its part, `place[2q + label]` being the next free place of part q."""
    places = np.empty(_STRIP, np.int32)
    for begin in range(0, keys.size, _STRIP):
        labels, some = positive[begin : begin + _STRIP], scores[begin : begin + _STRIP]
        buckets_of(keys[begin : begin + _STRIP], tree, places)
        for i in range(labels.size):
            places[i] = 2 * (places[i] >> shift) + np.int32(labels[i])
        for i in range(labels.size):
            fetch_ahead(keys, begin + _STRIP + i)
            j = np.uint64(places[i])
            out[np.uint64(place[j])] = some[i]
            place[j] += 1


# --- ordered groups ---------------------------------------------------------------------------


@kernel
def merge_classes(
    positive: Array, negative: Array, positive_units: Array | None, negative_units: Array | None,
    score: Array, pos: Array, neg: Array,
) -> Int:  # fmt: skip
    """Write the groups of equal score, from high to low: the score, positive and negative units.

    `positive` and `negative` are the scores of each class, ascending. The arrays written to have room for all
    rows; returns how many groups there are.
    """
    i, j, g = positive.size - 1, negative.size - 1, -1
    while i >= 0 or j >= 0:
        if j < 0 or (i >= 0 and positive[i] > negative[j]):
            x = positive[i]
        else:
            x = negative[j]
        g += 1
        score[g], pos[g], neg[g] = x, 0, 0
        while i >= 0 and positive[i] == x:
            pos[g] += 1 if positive_units is None else positive_units[i]
            i -= 1
        while j >= 0 and negative[j] == x:
            neg[g] += 1 if negative_units is None else negative_units[j]
            j -= 1
    return g + 1


@kernel
def merge_groups(
    score_a: Array, pos_a: Array, neg_a: Array, score_b: Array, pos_b: Array, neg_b: Array
) -> tuple[Array, Array, Array]:
    """The union of two lists of groups, each from high scores to low and perhaps with repeats."""
    score = np.empty(score_a.size + score_b.size, score_a.dtype)
    pos = np.empty(score.size, np.int64)
    neg = np.empty(score.size, np.int64)
    i, j, g = 0, 0, -1
    while i < score_a.size or j < score_b.size:
        if j == score_b.size or (i < score_a.size and score_a[i] >= score_b[j]):
            x, p, q = score_a[i], pos_a[i], neg_a[i]
            i += 1
        else:
            x, p, q = score_b[j], pos_b[j], neg_b[j]
            j += 1
        if g >= 0 and score[g] == x:
            pos[g] += p
            neg[g] += q
        else:
            g += 1
            score[g], pos[g], neg[g] = x, p, q
    return score[: g + 1], pos[: g + 1], neg[: g + 1]


# --- the hull ---------------------------------------------------------------------------------


@kernel
def upper_hull(x: Array, y: Array, wide: bool) -> Array:
    """Indices of the vertices of the upper hull of points from (0, 0) to the top right.

    Points ascend in x, and in y where x is equal; the first is (0, 0) and none is higher than the
    last. Points on an edge are left out, so the vertices are minimal and unique. On cumulative
    counts this is PAV: the hull's edges are the blocks (Fawcett & Niculescu-Mizil, Theorem 1).
    """
    stack = np.empty(x.size, np.int64)
    stack[0] = 0
    top = 0
    for c in range(1, x.size):
        if y[c] <= y[stack[top]] and c < x.size - 1:
            continue  # not higher than a point to its left
        while top > 0:
            a, b = stack[top - 1], stack[top]
            if product_less(y[c] - y[a], x[b] - x[a], y[b] - y[a], x[c] - x[a], wide):
                break
            top -= 1
        top += 1
        stack[top] = c
    return stack[: top + 1].copy()


@kernel
def blocks_with_one_more(x: Array, y: Array, chain: Array, wide: bool) -> tuple[Array, Array]:
    """Positives and negatives (g,) of PAV's block around group i, were one more positive in that group.

    Points (x, y) are the cumulative counts of negatives and positives from (0, 0), low scores first;
    `chain` holds the indices of their lower hull's vertices. One more positive in group i lowers all
    points left of it by one; its block is the common tangent of the hulls of both sides (Vovk, Petej &
    Fedorova 2015, Algorithms 1 and 2). From group to group the left end stays, or moves to the new
    point i where that, lowered, is below the tangent; then the right end moves on. The right end may
    walk along the one chain of all points: its copy below leaves point i behind (the tangent from
    there is vertical), and sees past it what it sees past the whole chain.
    """
    pos, neg = np.empty(x.size - 1, np.int64), np.empty(x.size - 1, np.int64)
    left, c = 0, 0
    for i in range(x.size - 1):
        right = chain[c]
        rise = y[right] - y[left] + 1
        if i == 0 or product_less(y[i] - y[left], x[right] - x[left], rise, x[i] - x[left], wide):
            left = i
            while c + 1 < chain.size:
                right, onward = chain[c], chain[c + 1]
                rise, run = y[right] - y[left] + 1, x[right] - x[left]
                if product_less(rise, x[onward] - x[left], y[onward] - y[left] + 1, run, wide):
                    break  # the next edge is steeper than the tangent
                c += 1
            right = chain[c]
        pos[i] = y[right] - y[left] + 1
        neg[i] = x[right] - x[left]
    return pos, neg


def upper_hull_of_steps(
    pos: Array, neg: Array, run_end: Array, run_pos: Array, run_neg: Array, wide: bool
) -> tuple[Array, Array, Array]:
    """The vertices (x, y) of :func:`upper_hull` of a path, and how many groups it has passed by then.

    The path begins at (0, 0) and goes through groups, with runs between them: run r comes before group
    `run_end[r]`; the last one after all groups. Of its points only the hull's are held.
    """
    room = pos.size + run_end.size + 1
    x, y, groups = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    size = walk_path(pos, neg, run_end, run_pos, run_neg, wide, x, y, groups)
    return x[:size].copy(), y[:size].copy(), groups[:size].copy()


@kernel
def walk_path(
    pos: Array, neg: Array, run_end: Array, run_pos: Array, run_neg: Array, wide: bool,
    x: Array, y: Array, groups: Array,
) -> Int:  # fmt: skip
    """Write :func:`upper_hull_of_steps` to arrays with room for all; returns how many vertices there are."""
    x[0], y[0], groups[0] = 0, 0, 0
    right, up, top, r, g = np.int64(0), np.int64(0), 0, 0, 0
    while r < run_end.size:
        if g < run_end[r]:
            right, up = right + neg[g], up + pos[g]
            g += 1
        else:
            right, up = right + run_neg[r], up + run_pos[r]
            r += 1
        if up <= y[top] and r < run_end.size:
            continue  # not higher than a point to its left
        while top > 0:
            dx, dy = x[top] - x[top - 1], y[top] - y[top - 1]
            if product_less(up - y[top - 1], dx, dy, right - x[top - 1], wide):
                break
            top -= 1
        top += 1
        x[top], y[top], groups[top] = right, up, g
    return top + 1


# --- areas and pairs --------------------------------------------------------------------------


@kernel
def twice_area(pos: Array, neg: Array) -> tuple[Int, Int, Int, Int]:
    """Twice the area under the curve in units, as (high, low) of high * 2**62 + low, and each class's units.

    A group's segment bisects its rectangle: a tied pair counts one half.
    """
    high, low, above, below = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for g in range(pos.size):
        above += pos[g]
        below += neg[g]
    if above < 1 << 30 and below < 1 << 30:  # twice their product fits
        above = np.int64(0)
        for g in range(pos.size):
            low += neg[g] * (2 * above + pos[g])
            above += pos[g]
        return high, low, above, below
    limit = np.int64(1) << 62
    above = np.int64(0)
    for g in range(pos.size):
        part_high, part_low = multiply_wide(neg[g], 2 * above + pos[g])
        high += part_high
        low += part_low - limit  # stays in [-2**62, 2**62): no overflow
        if low >= 0:
            high += 1
        else:
            low += limit
        above += pos[g]
    return high, low, above, below


@kernel
def count_few_pairs(
    scores: Array, keys: Array, middle: Int, tree: Tree, first: Int,
    bucket: Array, place: Array, scratch: Array, many: Array,
) -> tuple[Int, Int]:  # fmt: skip
    """Pairs won less pairs lost, but for those within buckets that have many pairs and are not one tie.

    As :func:`count_pairs`. Rows are put into their buckets in `scratch` (n,), where bucket b's negatives end
    at `place[b]` and its positives at `place[width + b]`. The numbers of the buckets left out are written
    to `many` (width,); second is returned how many there are.
    """
    width = many.size
    for b in range(place.size):
        place[b] = 0
    buckets_of(keys, tree, bucket)
    for i in range(scores.size):
        bucket[i] += (width if i >= middle else 0) - first
        place[np.uint64(bucket[i] + 1)] += 1  # negatives of bucket b at b, positives at width + b, one on
    total, below = np.int64(0), np.int64(0)
    for b in range(width):
        n_neg, n_pos = np.int64(place[b + 1]), np.int64(place[width + b + 1])
        total += n_pos * (2 * below + n_neg - middle)
        below += n_neg
    for b in range(2 * width):
        place[b + 1] += place[b]
    for i in range(scores.size):
        own = np.uint64(bucket[i])
        scratch[np.uint64(place[own])] = scores[i]
        place[own] += 1
    left, begin_neg, begin_pos = 0, np.int64(0), np.int64(middle)
    for b in range(width):
        end_neg, end_pos = np.int64(place[b]), np.int64(place[width + b])
        if (end_neg - begin_neg) * (end_pos - begin_pos) <= _BRUTE_PAIRS:
            for p in range(begin_pos, end_pos):
                for q in range(begin_neg, end_neg):
                    total += np.int64(scratch[p] > scratch[q]) - np.int64(scratch[p] < scratch[q])
        else:
            same_pos, same_neg = begin_pos, begin_neg
            while same_pos < end_pos and scratch[same_pos] == scratch[begin_neg]:
                same_pos += 1
            while same_neg < end_neg and scratch[same_neg] == scratch[begin_neg]:
                same_neg += 1
            if same_pos < end_pos or same_neg < end_neg:
                many[left] = b
                left += 1
        begin_neg, begin_pos = end_neg, end_pos
    return total, left


def count_pairs(scores: Array, keys: Array, middle: int, tree: Tree, first: int, width: int) -> int:
    """Pairs won less pairs lost by the positives of one part, `width` buckets from `first` on.

    Negatives are `scores[:middle]`, positives the rest, in any order; pairs in different buckets follow
    from counts, and those in buckets that have many from sorted scores.
    """
    bucket, scratch, many = np.empty(scores.size, np.int32), np.empty_like(scores), np.empty(width, np.int64)
    place = np.empty(2 * width + 2, np.int64)
    total, left = count_few_pairs(scores, keys, middle, tree, first, bucket, place, scratch, many)
    for b in many[:left].tolist():
        begin = place[b - 1] if b else 0, place[width + b - 1]
        negative, positive = (
            np.sort(scratch[k : place[i]]) for k, i in zip(begin, (b, width + b), strict=True)
        )
        below, upto = (np.searchsorted(negative, positive, side).sum() for side in ("left", "right"))
        total += int(below + upto) - negative.size * positive.size
    return int(total)
