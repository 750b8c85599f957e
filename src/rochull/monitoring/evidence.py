"""E-processes: evidence against a hypothesis that may be looked at after every case.

Under the hypothesis the expectation of each is at most 1 whenever one stops, so the chance that it ever
reaches 1 / alpha is at most alpha (Ville). All are given as logarithms, and depend on the cases by sums
alone, so that states of disjoint cases add up, in any order.
"""

from __future__ import annotations

import math

import numpy as np

from rochull._core.validation import Array

BETS = 0.9 * 0.5 ** np.arange(12)  # shares of the largest bet that no case can lose more than


def rate_above(count: float, total: float, limit: float) -> float:
    """Evidence that the probability of success is above a limit.

    Over the probabilities q beyond it, Beta(1/2, 1/2) cut at the limit, the likelihood ratio against the
    limit is averaged: ``(q/t)^k ((1-q)/(1-t))^(n-k)``, whose expectation is at most 1 for every
    probability up to t.
    """
    if not 0 < limit < 1:
        return math.inf if limit <= 0 < count else 0.0
    from scipy.special import betaincc, betaln

    k, n = count + 0.5, total - count + 0.5
    beyond, before = (float(betaincc(*ends, limit)) for ends in ((k, n), (0.5, 0.5)))
    if beyond == 0:
        return -math.inf
    ratio = float(betaln(k, n) - betaln(0.5, 0.5)) + math.log(beyond / before)
    return ratio - count * math.log(limit) - (total - count) * math.log1p(-limit)


def wealth(values: Array, counts: Array) -> Array:
    """The logarithm of what each bet wins (..., b), by values of at least -1 and counts (..., c)."""
    with np.errstate(divide="ignore"):
        gains = np.log1p(BETS * np.asarray(values, float)[..., None])
    return np.asarray((np.asarray(counts, float)[..., None] * gains).sum(axis=-2))


def averaged(logs: Array, axis: int = -1) -> Array:
    """The logarithm of the average of e-processes, which is one."""
    top = np.max(logs, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    return np.asarray(np.log(np.mean(np.exp(logs - top), axis=axis)) + np.squeeze(top, axis))


def least_mean(values: Array, counts: Array, alpha: float) -> float:
    """The lower end of a confidence sequence of the mean of cases of values (c,), by their counts (c,)."""
    from scipy.optimize import brentq

    low, high = float(values.min()), float(values.max())
    scale, total = high - low, counts.sum()
    if not total or not scale:
        return low

    def beyond(mean: float) -> float:
        return float(averaged(wealth((values - mean) / scale, counts))) + math.log(alpha)

    middle = float(values @ counts) / total
    if beyond(low) <= 0 or middle <= low:
        return low
    return float(brentq(beyond, low, middle, xtol=1e-9 * scale))
