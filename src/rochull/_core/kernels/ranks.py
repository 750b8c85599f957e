"""Compiled loops over ranks: placements of the examples of one class among the other, permuted curves.

No validation, no input or output; they trust their input. A *placement* is what an example adds to
the area under the curve (DeLong et al. 1988): of a positive the share of the negatives that it beats,
of a negative the share of the positives that beat it, a tie counting one half. Here it is twice a
count, so that it is an integer; there are less than 2**30 examples, so that its square fits 62 bits.
Sums of squares are kept as (high, low) of high * 2**32 + low.
"""

from __future__ import annotations

import numpy as np

from rochull._core.kernels.compiled import inline, kernel
from rochull._core.kernels.hull import Array, Int

_LOW32 = np.int64((1 << 32) - 1)


# --- placements of one classifier -----------------------------------------------------------------


@inline
def part_of(score: Int, pivots: Array) -> Int:
    """How many of the ascending pivots are at most `score`; without a branch."""
    part = np.int64(0)
    for k in range(pivots.size):
        part += np.int64(score >= pivots[k])
    return part


@kernel
def count_split(scores: Array, positive: Array, pivots: Array, out: Array) -> None:
    """Count the parts between pivots: negatives of part q at 2q, positives at 2q + 1."""
    for i in range(scores.size):
        out[2 * part_of(scores[i], pivots) + np.int64(positive[i])] += 1


@kernel
def scatter_split(scores: Array, positive: Array, pivots: Array, place: Array, out: Array) -> None:
    """Copy every score to its part, `place[2q + label]` being the next free place of part q."""
    for i in range(scores.size):
        j = np.uint64(2 * part_of(scores[i], pivots) + np.int64(positive[i]))
        out[np.uint64(place[j])] = scores[i]
        place[j] += 1


@inline
def added(high: Int, low: Int, count: Int, square: Int) -> tuple[Int, Int]:
    """A sum to which a square is added `count` times."""
    return high + count * (square >> 32), low + count * (square & _LOW32)


@inline
def ties_from(scores: Array, begin: Int) -> Int:
    """How many scores from `begin` on are equal."""
    end: Int = begin + 1
    while end < scores.size and scores[end] == scores[begin]:
        end += 1
    return end - begin


@kernel
def placement_sums(
    pos: Array, neg: Array, below: Int, above: Int, room: Int
) -> tuple[Int, Int, Int, Int, Int]:
    """Sum of the positives' doubled placements, and sums of squares of the positives' and the negatives'.

    `pos` and `neg` are ascending scores of one part; `below` negatives are in lower parts, `above`
    positives in higher ones. `room` squares can be added up without overflow.
    """
    total = np.int64(0)
    pos_high, pos_low, neg_high, neg_low = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    i: Int = 0
    j: Int = 0
    while i < pos.size or j < neg.size:
        pos_squares, neg_squares = np.int64(0), np.int64(0)
        stop = i + j + room
        while i < pos.size and j < neg.size and i + j < stop:
            if neg[j] < pos[i]:
                placement = 2 * (above + pos.size - i)
                neg_squares += placement * placement
                j += 1
            elif pos[i] < neg[j]:
                placement = 2 * (below + j)
                total += placement
                pos_squares += placement * placement
                i += 1
            else:
                break
        pos_high, pos_low = added(pos_high, pos_low, 1, pos_squares)
        neg_high, neg_low = added(neg_high, neg_low, 1, neg_squares)
        # What is left of one class has one placement; so has either class in a group of equal scores.
        left = i == pos.size or j == neg.size
        if left or pos[i] == neg[j]:
            p: Int = pos.size - i if left else ties_from(pos, i)
            q: Int = neg.size - j if left else ties_from(neg, j)
            placement = 2 * (below + j) + q
            total += p * placement
            pos_high, pos_low = added(pos_high, pos_low, p, placement * placement)
            placement = 2 * (above + pos.size - i) - p
            neg_high, neg_low = added(neg_high, neg_low, q, placement * placement)
            i += p
            j += q
    return total, pos_high, pos_low, neg_high, neg_low


# --- placements of every example --------------------------------------------------------------------


@kernel
def placements(
    ranked: Array, order: Array, positive: Array, mass: Array | None, n_pos: Int, out: Array
) -> None:
    """Write the doubled placement of every example to `out` (n,), in units if there are weights.

    `order` sorts the examples, `ranked` are their scores in this order, `mass` their units and `n_pos`
    those of all positives.
    """
    below_neg, below_pos = np.int64(0), np.int64(0)
    begin = 0
    while begin < order.size:
        end = begin
        pos, neg = np.int64(0), np.int64(0)
        while end < order.size and ranked[end] == ranked[begin]:
            i = np.uint64(order[end])
            units = np.int64(1) if mass is None else mass[i]
            own = units * np.int64(positive[i])
            pos += own
            neg += units - own
            end += 1
        of_positive = 2 * below_neg + neg
        of_negative = 2 * (n_pos - below_pos) - pos
        for k in range(begin, end):
            i = np.uint64(order[k])
            out[i] = of_positive if positive[i] else of_negative
        below_neg += neg
        below_pos += pos
        begin = end


@kernel
def cross_sums(first: Array, second: Array, positive: Array) -> tuple[Int, Int, Int, Int]:
    """Sums of products over the positives and over the negatives, each as (high, low)."""
    pos_high, pos_low, neg_high, neg_low = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for i in range(first.size):
        product = np.int64(first[i]) * np.int64(second[i])
        high, low = product >> 32, product & _LOW32
        label = np.int64(positive[i])
        pos_high += label * high
        pos_low += label * low
        neg_high += (1 - label) * high
        neg_low += (1 - label) * low
    return pos_high, pos_low, neg_high, neg_low


# --- permuted curves --------------------------------------------------------------------------------


@inline
def draws_positive(uniform: float, pos: Int, neg: Int) -> Int:
    """1 for a positive, 0 for a negative: the next of so many in random order."""
    return np.int64(uniform * (pos + neg) < pos)


@kernel
def paired_distance(
    first: Array, second: Array, positive: Array, swap: Array, uniform: Array, counts: Array
) -> Int:
    """Sum over all cut-offs of the difference in errors of two classifiers (Venkatraman & Begg 1996).

    `first` and `second` are the examples' ranks, from 0; where `swap` is 1 an example's ranks change
    sides. Equal ranks are put in random order: the k-th place of both classifiers goes by
    ``uniform[k]``, so that equal classifiers stay equal. `counts` (ranks, 4) is 0, and is 0 again in the end.
    """
    for i in range(first.size):
        a, b = first[i], second[i]
        if swap[i]:
            a, b = b, a
        label = np.int64(positive[i])
        counts[a, label] += 1
        counts[b, 2 + label] += 1
    # With k examples at or below a cut-off, FN + FP is 2 * (positives among them) - k + all negatives.
    total, ahead = np.int64(0), np.int64(0)
    a, b = 0, 0
    for k in range(first.size):
        while counts[a, 0] + counts[a, 1] == 0:
            a += 1
        while counts[b, 2] + counts[b, 3] == 0:
            b += 1
        label = draws_positive(uniform[k], counts[a, 1], counts[a, 0])
        counts[a, label] -= 1
        ahead += label
        label = draws_positive(uniform[k], counts[b, 3], counts[b, 2])
        counts[b, 2 + label] -= 1
        ahead -= label
        total += 2 * abs(ahead)
    return total


@kernel
def draw_members(positive: Array, uniform: Array, needed: Array, out: Array) -> None:
    """Write 1 for `needed[0]` random negatives and `needed[1]` random positives, 0 for the others."""
    left = np.zeros(2, np.int64)
    for i in range(positive.size):
        left[positive[i]] += 1
    wanted_neg, wanted_pos = np.int64(needed[0]), np.int64(needed[1])
    for i in range(positive.size):
        label = np.int64(positive[i])
        chosen = np.int64(uniform[i] * left[label] < (wanted_pos if label else wanted_neg))
        left[label] -= 1
        wanted_pos -= chosen * label
        wanted_neg -= chosen * (1 - label)
        out[i] = chosen


@kernel
def shuffle_ties(
    positive: Array, member: Array, ends: Array, uniform: Array, first: Array, second: Array
) -> None:
    """Write the labels of the examples with `member` 0 to `first`, the others to `second`.

    The examples ascend; those up to each of `ends` from the one before it tie, and get a random order.
    """
    a, b, begin = 0, 0, 0
    for g in range(ends.size):
        counts = np.zeros(4, np.int64)
        for i in range(begin, ends[g]):
            counts[2 * np.int64(member[i]) + np.int64(positive[i])] += 1
        for i in range(begin, ends[g]):
            if counts[0] + counts[1] > 0:
                label = draws_positive(uniform[i], counts[1], counts[0])
                counts[label] -= 1
                first[a] = label
                a += 1
            else:
                label = draws_positive(uniform[i], counts[3], counts[2])
                counts[2 + label] -= 1
                second[b] = label
                b += 1
        begin = ends[g]


@kernel
def curve_distance(first: Array, second: Array, n_pos: Array, share: float) -> float:
    """Integral of the difference in error rates of two samples over all cut-offs (Venkatraman 2000).

    `first` and `second` are labels in ascending order of the scores, with `n_pos[0]` and `n_pos[1]`
    positives; `share` is the share of the positives in the mixture whose quantiles the cut-offs are.
    At quantile p the error rate is 2 * share * F(p) - p + 1 - share, F being the positives' part below.
    """
    sizes = (first.size, second.size)
    rise = (share / n_pos[0], share / n_pos[1])
    run = ((1.0 - share) / (sizes[0] - n_pos[0]), (1.0 - share) / (sizes[1] - n_pos[1]))
    i, j = 0, 0
    y: Int = 0
    z: Int = 0
    at, begin_a, begin_b, ahead, area = 0.0, 0.0, 0.0, 0.0, 0.0
    while i < sizes[0] and j < sizes[1]:
        up, over = np.int64(first[i]), np.int64(second[j])
        end_a = (y + up) * rise[0] + (i + 1 - y - up) * run[0]
        end_b = (z + over) * rise[1] + (j + 1 - z - over) * run[1]
        stop = min(end_a, end_b)
        # share * F of either sample at `stop`: a step of a positive rises by as much as it runs.
        now = (y * rise[0] + up * (stop - begin_a)) - (z * rise[1] + over * (stop - begin_b))
        size = abs(ahead) + abs(now)
        if ahead * now >= 0.0:
            area += 0.5 * size * (stop - at)
        else:
            area += 0.5 * (ahead * ahead + now * now) / size * (stop - at)
        at, ahead = stop, now
        if end_a <= stop:
            begin_a = end_a
            i += 1
            y += up
        if end_b <= stop:
            begin_b = end_b
            j += 1
            z += over
    return 2.0 * area
