"""Compiled comparison of buckets with the hull of their boundaries: which of them are settled."""

from __future__ import annotations

import numpy as np

from rochull._core.kernels.compiled import kernel
from rochull._core.kernels.hull import Array, Int, product_less, upper_hull_of_steps


def settle(pos: Array, neg: Array, step: int, wide: bool, out: Array) -> None:
    """Write to `out` what each bucket is: 0 settled, 1 settled beside a vertex, 2 not settled.

    Buckets run from high scores to low. Inside a bucket the curve stays in the rectangle between its two
    boundary points: if the rectangle's upper left corner is not above the hull, no vertex is inside.
    Beside a vertex the extreme scores are thresholds, so they are wanted.

    The hull of every `step`-th boundary is nowhere above that of all. So what is settled under it is
    settled; and a boundary above it is the end of a bucket whose corner is above it too. Such buckets are
    few, and they alone make the hull of all boundaries and are compared with it.
    """
    begins, nothing = np.arange(0, pos.size, step), np.zeros(1, np.int64)
    of_pos, of_neg = (np.add.reduceat(counts, begins, dtype=np.int64) for counts in (pos, neg))
    coarse = upper_hull_of_steps(of_pos, of_neg, np.array([begins.size]), nothing, nothing, wide)
    room = pos.size + begins.size + 1
    bucket, x, y = np.empty(room, np.int32), np.empty(room, np.int64), np.empty(room, np.int64)
    size = above_coarse_hull(pos, neg, step, wide, *coarse, bucket, x, y)
    end, right, up = np.empty(size + 1, np.int32), np.empty(size + 1, np.int64), np.empty(size + 1, np.int64)
    edges = hull_of_ends(neg, bucket[:size], x, y, wide, end, right, up)
    compare(pos, neg, wide, end[: edges + 1], right, up, bucket[:size], x, y, out)


@kernel
def above_coarse_hull(
    pos: Array, neg: Array, step: Int, wide: bool, right: Array, up: Array, passed: Array,
    bucket: Array, x: Array, y: Array,
) -> Int:  # fmt: skip
    """Write the numbers and corners of the buckets above the hull of every `step`-th boundary.

    Its vertices are at `right` and `up`, after so many steps. After the buckets under each edge stands its
    end, as -1 times the number of buckets before it. Returns how many are written.
    """
    n, one = np.uint64(0), np.uint64(1)  # unsigned: negative indices would be looked for
    for v in range(right.size - 1):
        begin, end = passed[v] * step, min(passed[v + 1] * step, pos.size)
        dx, dy = right[v + 1] - right[v], up[v + 1] - up[v]
        first, across, high = np.int64(n), np.int64(0), np.int64(0)
        for b in range(np.uint64(begin), np.uint64(end)):
            high += pos[b]
            # Written always, and kept if it counts: a branch would be guessed wrong too often.
            bucket[n], x[n], y[n] = b, across, high
            n += np.uint64(product_less(dy, across, high, dx, wide))
            across += neg[b]
        for i in range(first, np.int64(n)):
            x[i] += right[v]
            y[i] += up[v]
        bucket[n], x[n], y[n] = -end, right[v + 1], up[v + 1]
        n += one
    return np.int64(n)


@kernel
def hull_of_ends(
    neg: Array, bucket: Array, x: Array, y: Array, wide: bool, end: Array, right: Array, up: Array
) -> Int:
    """Write the hull of the boundaries after these buckets: how many are before each vertex, and where it is.

    Returns how many edges it has.
    """
    end[0], right[0], up[0] = 0, 0, 0
    top, one = np.uint64(0), np.uint64(1)
    for i in range(bucket.size):
        b, across, high = np.int64(bucket[i]), x[i], y[i]
        if b >= 0:
            across += neg[b]
        if high <= up[top] and i < bucket.size - 1:
            continue  # not higher than a point to its left
        while top > 0:
            dx, dy = right[top] - right[top - one], up[top] - up[top - one]
            if product_less(high - up[top - one], dx, dy, across - right[top - one], wide):
                break
            top -= one
        top += one
        end[top], right[top], up[top] = b + 1 if b >= 0 else -b, across, high
    return np.int64(top)


@kernel
def compare(
    pos: Array, neg: Array, wide: bool, end: Array, right: Array, up: Array,
    bucket: Array, x: Array, y: Array, out: Array,
) -> None:  # fmt: skip
    """Write what each bucket is, under the hull of :func:`hull_of_ends`.

    `bucket` has all that may be above it, and the corners of these are at `x` and `y`.
    """
    for b in range(out.size):
        out[b] = 0
    i = 0
    for v in range(end.size - 1):
        first, final = int(end[v]), int(end[v + 1]) - 1
        dx, dy = right[v + 1] - right[v], up[v + 1] - up[v]
        while i < bucket.size and bucket[i] <= final:
            b = int(bucket[i])
            above = product_less(dy, x[i] - right[v], y[i] - up[v], dx, wide)
            if b >= 0 and pos[b] > 0 and neg[b] > 0 and above:
                out[b] = 2
            i += 1
        # The first and the last that are not empty are beside a vertex.
        while first <= final and pos[first] == 0 and neg[first] == 0:
            first += 1
        while first <= final and pos[final] == 0 and neg[final] == 0:
            final -= 1
        if first <= final:
            out[first] = out[first] or 1
            out[final] = out[final] or 1
