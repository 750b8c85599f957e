"""Compiled search for the stretch of consecutive groups that shows a probability to be highest.

No validation, no input or output; they trust their input. Of k positives among n examples the Clopper-Pearson
lower bound is the probability p at which as many or more have a share delta: P(Binomial(n, p) >= k) = delta.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from rochull._core.kernels.compiled import kernel
from rochull._core.kernels.hull import Array, Int

Pieces: TypeAlias = tuple[Array, Array, Array, Array]  # where each level's begin, how many, first and last
_TINY = 1e-300
_SLACK = 1e-6  # of logarithms: more than rounding, so that what is passed over cannot count


@kernel
def log_tail(k: Int, n: Int, p: float) -> float:
    """Return log P(Binomial(n, p) >= k), for 1 <= k <= n and p below k / n, an incomplete beta function.

    Its continued fraction is evaluated by Lentz's method.
    """
    a, b = float(k), float(n - k + 1)
    above, below = 1.0, 1.0 - (a + b) * p / (a + 1.0)
    below = 1.0 / (below if abs(below) > _TINY else _TINY)
    fraction = below
    for m in range(1, 100_000):
        for odd in range(2):
            if odd == 0:
                step = m * (b - m) * p / ((a + 2 * m - 1) * (a + 2 * m))
            else:
                step = -(a + m) * (a + b + m) * p / ((a + 2 * m) * (a + 2 * m + 1))
            below = 1.0 + step * below
            below = 1.0 / (below if abs(below) > _TINY else _TINY)
            above = 1.0 + step / above
            above = above if abs(above) > _TINY else _TINY
            change = below * above
            fraction *= change
        if abs(change - 1.0) < 1e-15:
            break
    choices = math.lgamma(a + b) - math.lgamma(a + 1.0) - math.lgamma(b)
    return float(choices + a * math.log(p) + b * math.log1p(-p) + math.log(fraction))


@kernel
def lower_bound(k: Int, n: Int, log_delta: float, least: float) -> float:
    """The Clopper-Pearson lower bound, which is at least `least`, in a few of Newton's steps.

    The logarithm of the tail is concave in log p: from below the steps do not pass the bound.
    """
    if k == n:
        return float(math.exp(log_delta / n))
    choices = math.lgamma(n + 1.0) - math.lgamma(k + 1.0) - math.lgamma(n - k + 1.0)
    p = max(least, math.exp((log_delta - choices) / k))
    for _ in range(200):
        tail = log_tail(k, n, p)
        density = choices + math.log(k) + k * math.log(p) + (n - k) * math.log1p(-p)
        step = (log_delta - tail) / math.exp(density - tail)
        if not step > 1e-13:
            break
        p *= math.exp(step)
    return float(p)


@kernel
def may_exceed(k: Int, n: Int, p: float, log_delta: float) -> bool:
    """Whether k of n may have a lower bound above p: False only if they have not.

    The tail is at least the probability of k, which Stirling's formula bounds, times a sum of m + 1 powers of
    the ratio of two neighbours beyond k + m, for ratios fall; where k is n it is p ** n.
    """
    if k <= n * p:
        return False
    if p <= 0.0:
        return True
    if k == n:
        return bool(n * math.log(p) <= log_delta + _SLACK)
    share, least = k / n, -log_delta - _SLACK
    distance = k * math.log(share / p) + (n - k) * math.log((1.0 - share) / (1.0 - p))
    spread = k * (1.0 - share)
    distance += 0.5 * math.log(2.0 * math.pi * spread) + (1.0 / k + 1.0 / (n - k)) / 12.0
    m = int(math.sqrt(spread))
    if distance < least or n - k <= m:
        return bool(distance >= least)
    ratio = p * (n - k - m) / ((1.0 - p) * (k + m + 1))
    return bool(distance - math.log((1.0 - ratio ** (m + 1)) / (1.0 - ratio)) >= least)


@kernel
def narrowed(
    k: Array,
    m: Array,
    ends: tuple[Int, Int],
    level: Int,
    at: float,
    log_delta: float,
    pieces: Pieces,
) -> None:
    """Keep what of the pieces of beginnings one level up may have a bound above `at` with one of these ends.

    None of a piece's stretches has more positives than the longest, or fewer negatives than the shortest; the
    bound rises with the former and falls with the latter.
    """
    offset, count, first, last = pieces
    low, high = ends
    made = 0
    for j in range(offset[level + 1], offset[level + 1] + count[level + 1]):
        late = min(last[j], high - 1)
        while late >= first[j]:  # near ones first
            early = max(first[j], late - (1 << level) + 1)
            if late - first[j] + 1 < 2 << level:
                early = first[j]
            hits = k[high] - k[early]
            if may_exceed(hits, hits + max(0, m[low] - m[late]), at, log_delta):
                first[offset[level] + made], last[offset[level] + made] = early, late
                made += 1
            late = early - 1
    count[level] = made


@kernel
def improved(
    k: Array, m: Array, end: Int, begins: tuple[Int, Int], best: tuple[float, Int, Int], log_delta: float
) -> tuple[float, Int, Int]:
    """Return the highest bound, its positives and examples, of stretches that begin here, or that was known.

    Many are passed over at a time, twice as many as before, or half as many if some may count.
    """
    bound, of_pos, of_all = best
    early, late = begins
    several = 1
    while late >= early:
        begin = max(early, late - several + 1)
        hits = k[end] - k[begin]
        size = hits + m[end] - m[late]
        if not may_exceed(hits, size, bound, log_delta):
            late, several = begin - 1, 2 * several
        elif late > begin:
            several = (late - begin + 1) // 2
        else:
            if bound == 0.0 or hits == size or log_tail(hits, size, bound) < log_delta:
                found = lower_bound(hits, size, log_delta, bound)
                if found > bound:
                    bound, of_pos, of_all = found, hits, size
            late, several = begin - 1, 2
    return bound, of_pos, of_all


@kernel
def best_stretches(
    pos: Array, neg: Array, log_delta: float, known: Array, best_pos: Array, best_all: Array
) -> None:
    """Write how many positives and examples the stretch has whose lower bound is the highest so far.

    `pos` and `neg` (g,) are those of the groups; the stretches are of consecutive groups and end at group i
    or before. The bounds `known` (g,) and their counts are kept where none is higher: 0 at first, and where
    no stretch has a positive. For as many as 2 ** level ends in a row, pieces of about as many beginnings are
    kept that may count; each level looks only at what the one above has kept.
    """
    g = pos.size
    k, m = np.zeros(g + 1, np.int64), np.zeros(g + 1, np.int64)
    for i in range(g):
        k[i + 1], m[i + 1] = k[i] + pos[i], m[i] + neg[i]
    top = 0
    while (1 << top) < g:
        top += 1
    offset = np.zeros(top + 3, np.int64)
    for level in range(top + 2):
        offset[level + 1] = offset[level] + 2 * (g >> level) + 8
    first, last = np.zeros((2, offset[-1]), np.int64)
    count = np.zeros(top + 2, np.int64)
    count[top + 1], last[offset[top + 1]] = 1, g - 1
    pieces = offset, count, first, last
    best = 0.0, np.int64(0), np.int64(0)
    for end in range(1, g + 1):
        level = 0
        while level < top and ((end - 1) >> level) & 1 == 0:
            level += 1
        if known[end - 1] > best[0]:
            best = known[end - 1], best_pos[end - 1], best_all[end - 1]
        for lower in range(level, -1, -1):
            narrowed(k, m, (end, min(g, end - 1 + (1 << lower))), lower, best[0], log_delta, pieces)
        if pos[end - 1] > 0:  # a stretch that ends without one is no better than a shorter one
            for j in range(offset[0], offset[0] + count[0]):
                best = improved(k, m, end, (first[j], last[j]), best, log_delta)
        known[end - 1], best_pos[end - 1], best_all[end - 1] = best


@kernel
def best_in_parts(
    pos: Array, neg: Array, log_delta: float, part: Int, known: Array, best_pos: Array, best_all: Array
) -> None:
    """The same of stretches within parts of so many groups, each of which begins in the middle of another."""
    for begin in range(0, max(1, pos.size - part // 2), part // 2):
        own = slice(begin, begin + part)
        best_stretches(pos[own], neg[own], log_delta, known[own], best_pos[own], best_all[own])


def count_in_parts(groups: int, part: int) -> int:
    """How many stretches `best_in_parts` looks at, those in two parts twice."""
    begins = range(0, max(1, groups - part // 2), part // 2)
    return sum(n * (n + 1) // 2 for n in (min(part, groups - begin) for begin in begins))
