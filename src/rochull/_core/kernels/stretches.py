"""Compiled search for the stretch of consecutive groups that shows a probability to be highest.

No validation, no input or output; they trust their input. Of k positives among n examples the Clopper-Pearson
lower bound is the probability p at which as many or more have a share delta: P(Binomial(n, p) >= k) = delta.
"""

from __future__ import annotations

import math

import numpy as np

from rochull._core.kernels.compiled import kernel
from rochull._core.kernels.hull import Array, Int

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
def best_stretches(pos: Array, neg: Array, log_delta: float, best_pos: Array, best_all: Array) -> None:
    """Write how many positives and examples the stretch has whose lower bound is the highest so far.

    `pos` and `neg` (g,) are those of the groups; the stretches are of consecutive groups and end at group i
    or before. They stay 0 where no stretch has a positive. Many are passed over at a time, twice as many as
    before, or half as many if some may count: none that begins between two groups has more positives than the
    longest, or fewer negatives than the shortest; the bound rises with the former and falls with the latter.
    """
    g = pos.size
    k, n = np.zeros(g + 1, np.int64), np.zeros(g + 1, np.int64)
    for i in range(g):
        k[i + 1], n[i + 1] = k[i] + pos[i], n[i] + pos[i] + neg[i]
    bound, of_pos, of_all = 0.0, np.int64(0), np.int64(0)
    for end in range(1, g + 1):
        last, several = end, 1
        if pos[end - 1] == 0:  # a stretch that ends without a positive is no better than a shorter one
            last = 0
        while last > 0:
            first = max(0, last - several)
            hits = k[end] - k[first]
            size = hits + (n[end] - n[last - 1]) - (k[end] - k[last - 1])
            if not may_exceed(hits, size, bound, log_delta):
                last, several = first, 2 * several
            elif last - first > 1:
                several = (last - first) // 2
            else:
                if bound == 0.0 or hits == size or log_tail(hits, size, bound) < log_delta:
                    found = lower_bound(hits, size, log_delta, bound)
                    if found > bound:
                        bound, of_pos, of_all = found, hits, size
                last, several = first, 2
        best_pos[end - 1], best_all[end - 1] = of_pos, of_all
