"""Compiled comparison of buckets with the hull of their boundaries: which of them are settled."""

from __future__ import annotations

import numpy as np

from rochull._core.kernels.compiled import inline, kernel
from rochull._core.kernels.hull import Array, Int, product_less, upper_hull_of_steps


@kernel
def settle(pos: Array, neg: Array, step: Int, wide: bool, out: Array) -> None:
    """Write to `out` what each bucket is: 0 settled, 1 settled beside a vertex, 2 not settled.

    Buckets run from high scores to low. Inside a bucket the curve stays in the rectangle between its two
    boundary points: if the rectangle's upper left corner is not above the hull, no vertex is inside.
    Beside a vertex the extreme scores are thresholds, so they are wanted.

    The hull of every `step`-th boundary is nowhere above that of all. So what is settled under it is
    settled; and a boundary above it is the end of a bucket whose corner is above it too. Such buckets are
    few, and they alone make the hull of all boundaries and are compared with it.
    """
    room = pos.size + -(-pos.size // step) + 1
    bucket, x, y = np.empty(room, np.int32), np.empty(room, np.int64), np.empty(room, np.int64)
    size = above_coarse_hull(pos, neg, step, wide, bucket, x, y)
    end, right, up = hull_of_ends(neg, bucket[:size], x, y, wide)
    out[:] = 0
    i = 0
    for v in range(end.size - 1):
        dx, dy = right[v + 1] - right[v], up[v + 1] - up[v]
        while i < size and bucket[i] < end[v + 1]:
            b = np.int64(bucket[i])
            above = product_less(dy, x[i] - right[v], y[i] - up[v], dx, wide)
            if b >= 0 and pos[b] > 0 and neg[b] > 0 and above:
                out[b] = 2
            i += 1
        under = slice(end[v], end[v + 1])
        mark_ends(pos[under], neg[under], out[under])


@kernel
def above_coarse_hull(
    pos: Array, neg: Array, step: Int, wide: bool, bucket: Array, x: Array, y: Array
) -> Int:
    """Write the numbers and corners of the buckets above the hull of every `step`-th boundary.

    After those under each edge stands its end, as -1 times the number of buckets before it. Returns how many
    are written.
    """
    coarse = -(-pos.size // step)
    sums = np.zeros((2, coarse), np.int64)
    for k in range(coarse):
        of_pos, of_neg = np.int64(0), np.int64(0)
        for count in pos[k * step : (k + 1) * step]:
            of_pos += count
        for count in neg[k * step : (k + 1) * step]:
            of_neg += count
        sums[0, k], sums[1, k] = of_pos, of_neg
    nothing = np.zeros(1, np.int64)
    right, up, passed = upper_hull_of_steps(sums[0], sums[1], np.array([coarse]), nothing, nothing, wide)
    n, one = np.uint64(0), np.uint64(1)  # unsigned: negative indices would be looked for
    for v in range(right.size - 1):
        begin, end = min(passed[v] * step, pos.size), min(passed[v + 1] * step, pos.size)
        dx, dy = right[v + 1] - right[v], up[v + 1] - up[v]
        own_pos, own_neg = pos[begin:end], neg[begin:end]
        first, across, high = np.int64(n), np.int64(0), np.int64(0)
        for b in range(own_pos.size):
            high += own_pos[b]
            # Written always, and kept if it counts: a branch would be guessed wrong too often.
            bucket[n], x[n], y[n] = b, across, high
            n += np.uint64(product_less(dy, across, high, dx, wide))
            across += own_neg[b]
        for i in range(first, np.int64(n)):
            bucket[i] += begin
            x[i] += right[v]
            y[i] += up[v]
        bucket[n], x[n], y[n] = -end, right[v + 1], up[v + 1]
        n += one
    return np.int64(n)


@kernel
def hull_of_ends(neg: Array, bucket: Array, x: Array, y: Array, wide: bool) -> tuple[Array, Array, Array]:
    """The hull of the boundaries after these buckets: how many are before each vertex, and where it is."""
    end = np.zeros(bucket.size + 1, np.int64)
    right, up = np.zeros(bucket.size + 1, np.int64), np.zeros(bucket.size + 1, np.int64)
    top = 0
    for i in range(bucket.size):
        b, across, high = np.int64(bucket[i]), x[i], y[i]
        if b >= 0:
            across += neg[b]
        if high <= up[top] and i < bucket.size - 1:
            continue  # not higher than a point to its left
        while top > 0:
            dx, dy = right[top] - right[top - 1], up[top] - up[top - 1]
            if product_less(high - up[top - 1], dx, dy, across - right[top - 1], wide):
                break
            top -= 1
        top += 1
        end[top], right[top], up[top] = (b + 1 if b >= 0 else -b), across, high
    return end[: top + 1], right[: top + 1], up[: top + 1]


@inline
def mark_ends(pos: Array, neg: Array, out: Array) -> None:
    """Mark the first and the last bucket that is not empty by 1, unless it is marked."""
    first, final = 0, pos.size - 1
    while first <= final and pos[first] == 0 and neg[first] == 0:
        first += 1
    while first <= final and pos[final] == 0 and neg[final] == 0:
        final -= 1
    if first <= final:
        out[first] = max(out[first], 1)
        out[final] = max(out[final], 1)
