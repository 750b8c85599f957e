"""Compiled loops of the bootstrap: no validation, no input or output. They trust their input.

Random numbers are xoshiro256++ (Blackman & Vigna 2019). The state is the caller's, one for each
replicate, so that results depend neither on the number of threads nor on the order of the work.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rochull._core.kernels.compiled import inline, kernel, overflows
from rochull._core.kernels.hull import Array, Int

_LOW32 = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@inline
def rotated(x: Int, k: Int) -> Int:
    """The 64 bits of x, rotated to the left by k."""
    return (x << np.uint64(k)) | (x >> np.uint64(64 - k))


@overflows(inline)
def next_bits(state: Array) -> Int:
    """64 random bits; the state (4,) of uint64 moves on."""
    found = rotated(state[0] + state[3], 23) + state[0]
    shifted = state[1] << np.uint64(17)
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = rotated(state[3], 45)
    return found


@inline
def below(bits: Int, size: Int, least: Int, state: Array) -> Int:
    """A uniform index below `size` (at most 2**32) from 32 bits, drawn again where it would be biased.

    `least` is ``2**32 % size`` (Lemire 2019).
    """
    product = (bits & _LOW32) * size
    while (product & _LOW32) < least:
        product = (next_bits(state) & _LOW32) * size
    return product >> _HALF


@kernel
def draw_groups(state: Array, groups: Array, draws: Int, out: Array) -> None:
    """Draw rows with replacement; count them in their groups' totals."""
    size = np.uint64(groups.size)
    least = np.uint64(4294967296) % size
    out[:] = 0
    bits = np.uint64(0)
    for i in range(draws):
        bits = bits >> _HALF if i & 1 else next_bits(state)
        j = below(bits, size, least, state)
        out[groups[j]] += 1


@inline
def uniform(state: Array) -> float:
    """A number in [0, 1), a multiple of 2**-53."""
    return float(np.float64(next_bits(state) >> np.uint64(11)) * 2.0**-53)


@inline
def poisson_log(k: Int, mean: float) -> float:
    """Logarithm of the probability of k; of large k by Stirling's series, to 1e-9."""
    if k < 20:
        return float(k * math.log(mean) - mean - math.lgamma(k + 1.0))
    tail = (1 / 12 - (1 / 360 - 1 / (1260 * k * k)) / (k * k)) / k
    return float(k * math.log(mean / k) + (k - mean) - 0.5 * math.log(2 * math.pi * k) - tail)


@kernel
def poisson(state: Array, mean: float) -> Int:
    """A Poisson variate: by counting uniform factors; from a mean of 10 on PTRS (Hörmann 1993), exact too."""
    if mean < 10:
        limit, product, count = math.exp(-mean), uniform(state), 0
        while product > limit:
            product *= uniform(state)
            count += 1
        return count
    b = 0.931 + 2.53 * math.sqrt(mean)
    a = -0.059 + 0.02483 * b
    while True:
        u, v = uniform(state) - 0.5, uniform(state)
        edge = 0.5 - abs(u)
        if edge <= 0.0:
            continue
        k = math.floor((2 * a / edge + b) * u + mean + 0.43)
        if edge >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2):
            return k
        if k < 0 or v == 0.0 or (edge < 0.013 and v > edge):
            continue
        scale = (1.1239 + 1.1328 / (b - 3.4)) / (a / edge**2 + b)
        if math.log(v * scale) <= poisson_log(k, mean):
            return k


@kernel
def draw_totals(state: Array, totals: Array, draws: Int, out: Array) -> None:
    """Draw `draws` rows with replacement where only the groups' totals are known: an exact multinomial.

    Independent Poisson counts with the sum m are m such draws, whatever m is. Their mean sum is a little
    below what is wanted, the missing rows are drawn one by one, and a sum beyond is drawn again.
    """
    ends = np.cumsum(totals)
    size = ends[-1]
    mean = max(0.0, draws - 1.5 * math.sqrt(draws)) / size
    missing = np.int64(-1)
    while missing < 0:
        missing = np.int64(draws)
        for g in range(totals.size):
            out[g] = poisson(state, totals[g] * mean)
            missing -= out[g]
    # Where to begin the search of a row's group: the groups of evenly spread rows.
    begins = np.empty(totals.size, np.int64)
    g = 0
    for i in range(begins.size):
        while ends[g] <= i * size // begins.size:
            g += 1
        begins[i] = g
    least = np.uint64(4294967296) % np.uint64(size)
    for _ in range(missing):
        row = np.int64(below(next_bits(state), np.uint64(size), least, state))
        g = begins[row * begins.size // size]
        while ends[g] <= row:
            g += 1
        out[g] += 1


@kernel
def draw_rows(state: Array, draws: Int, counts: Array) -> None:
    """Draw `draws` of the rows with replacement; count how often each is drawn."""
    size = np.uint64(counts.size)
    least = np.uint64(4294967296) % size
    counts[:] = 0
    bits = np.uint64(0)
    for i in range(draws):
        bits = bits >> _HALF if i & 1 else next_bits(state)
        counts[below(bits, size, least, state)] += 1


@kernel
def gather(
    counts: Array, clusters: Array | None, groups: Array, order: Array | None, mass: Array | None, out: Array
) -> None:
    """Add to each group's total what its rows weigh, as often as they (or their clusters) were drawn.

    Groups ascend, so that totals are written one after the other: reading the small counts in a random
    `order` of the rows costs much less than writing the totals in one.
    """
    out[:] = 0
    for i in range(groups.size):
        row = np.int64(i if order is None else order[i])
        count = np.int64(counts[row] if clusters is None else counts[clusters[row]])
        out[groups[i]] += count if mass is None else count * mass[row]


@kernel
def area(pos: Array, neg: Array, won: Array | None) -> Any:
    """The area under the curve through groups, from high scores to low.

    A pair of one group counts one half; or, of merged groups, the share `won` of such pairs in the
    data.
    """
    total, above, below = 0.0, np.int64(0), np.int64(0)
    for g in range(pos.size):
        p, q = np.int64(pos[g]), np.int64(neg[g])
        inside = 0.5 if won is None else won[g]
        total += np.float64(q) * (np.float64(above) + inside * np.float64(p))
        above += p
        below += q
    return total / (np.float64(above) * np.float64(below))


@kernel
def drawn_groups(neg: Array, pos: Array, out: Array) -> Int:
    """Indices of the groups that are not empty, and how many there are."""
    count = 0
    for g in range(neg.size):
        out[count] = g
        count += neg[g] + pos[g] > 0
    return count


@kernel
def height(neg: Array, pos: Array, fpr: float) -> Any:
    """The true positive rate at a false positive rate: linear in a group, of a vertical piece the top."""
    n_neg, n_pos = np.int64(0), np.int64(0)
    for g in range(neg.size):
        n_neg += neg[g]
        n_pos += pos[g]
    below, above = np.int64(0), np.int64(0)
    for g in range(neg.size):
        after = below + np.int64(neg[g])
        if after / n_neg > fpr:
            inside = (fpr * n_neg - below) / neg[g]
            return (above + inside * pos[g]) / n_pos
        below = after
        above += pos[g]
    return 1.0


@kernel
def areas(
    states: Array, draws: tuple[Int, Int], pos_groups: Array, neg_groups: Array, pos: Array, neg: Array,
    out: Array,
) -> None:  # fmt: skip
    """AUC of one replicate for each state (r, 4): positives and negatives are drawn apart.

    `pos` and `neg` are room for the groups' totals.
    """
    for r in range(states.shape[0]):
        draw_groups(states[r], pos_groups, draws[0], pos)
        draw_groups(states[r], neg_groups, draws[1], neg)
        out[r] = area(pos, neg, None)


@inline
def pooled(pos: Array, neg: Array) -> Int:
    """Pool groups, from high scores to low, to the hull's blocks in their place; how many there are.

    Twice the product of both totals is less than 2**53.
    """
    top = 0
    for g in range(pos.size):
        p, q = np.int64(pos[g]), np.int64(neg[g])
        if p + q == 0:
            continue
        while top > 0 and p * neg[top - 1] >= pos[top - 1] * q:
            top -= 1
            p += pos[top]
            q += neg[top]
        pos[top], neg[top] = p, q
        top += 1
    return top


@inline
def variance_of(values: Array, share: Array, blocks: Int) -> float:
    """The variance of values that examples of a class have with these shares."""
    mean, found = 0.0, 0.0
    for b in range(blocks):
        mean += values[b] * share[b]
    for b in range(blocks):
        found += (values[b] - mean) ** 2 * share[b]
    return found


@inline
def equal_error(pos: Array, neg: Array, blocks: Int, draws: tuple[Int, Int], sizes: Any) -> tuple[Any, Any]:
    """The equal error rate of a hull's blocks, and its standard error of samples of `sizes`."""
    above, below, b = np.int64(0), np.int64(0), 0
    while b < blocks - 1 and (below + neg[b]) / draws[1] < 1 - (above + pos[b]) / draws[0]:
        above += pos[b]
        below += neg[b]
        b += 1
    all_pos, all_neg = np.float64(draws[0]), np.float64(draws[1])
    right, up = neg[b] * all_pos, pos[b] * all_neg  # in units of both rates
    rate = (below * all_pos * up + (all_pos - above) * all_neg * right) / (all_pos * all_neg * (right + up))
    of_neg = up / (right + up)
    variance = rate * (1 - rate) * (of_neg**2 / sizes[1] + (1 - of_neg) ** 2 / sizes[0])
    return rate, math.sqrt(variance)


@kernel
def hull_figures(
    states: Array, draws: tuple[Int, Int], pos_groups: Array, neg_groups: Array, pos: Array, neg: Array,
    sizes: tuple[float, float], which: Int, out: Array,
) -> None:  # fmt: skip
    """A figure of the hull of one replicate for each state (r, 4), and its standard error, into (r, 2).

    `which`: 0 the area, 1 the equal error rate, 2 the least Cllr. The errors are of samples of `sizes`
    positives and negatives whose blocks are fixed; of the area it is DeLong's, the scores being PAV's.
    """
    share, value = np.empty((2, pos.size)), np.empty((2, pos.size))
    for r in range(states.shape[0]):
        draw_groups(states[r], neg_groups, draws[1], neg)  # in the order of other statistics
        draw_groups(states[r], pos_groups, draws[0], pos)
        blocks = pooled(pos, neg)
        if which == 1:
            out[r, 0], out[r, 1] = equal_error(pos, neg, blocks, draws, sizes)
            continue
        twice, above, below, lost = np.int64(0), np.int64(0), np.int64(0), 0.0
        for b in range(blocks):
            p, q = np.int64(pos[b]), np.int64(neg[b])
            twice += q * (2 * above + p)
            high, left = above / draws[0], below / draws[1]
            above, below = above + p, below + q
            share[0, b], share[1, b] = above / draws[0] - high, below / draws[1] - left
            value[0, b], value[1, b] = 1 - left - share[1, b] / 2, high + share[0, b] / 2
            if which == 2:
                of_pos, of_neg = p / draws[0], q / draws[1]
                value[0, b] = math.log1p(of_neg / of_pos) / math.log(2) if p else 0.0
                value[1, b] = math.log1p(of_pos / of_neg) / math.log(2) if q else 0.0
                lost += of_pos * value[0, b] + of_neg * value[1, b]
        variance = variance_of(value[1], share[1], blocks) / sizes[1]
        variance += variance_of(value[0], share[0], blocks) / sizes[0]
        out[r, 0] = lost / 2 if which == 2 else twice / (2 * draws[0] * draws[1])
        out[r, 1] = math.sqrt(variance / 4 if which == 2 else variance)


@kernel
def step(state: Array) -> Int:
    """63 random bits, to seed another generator; the state moves on."""
    return np.int64(next_bits(state) >> np.uint64(1))
