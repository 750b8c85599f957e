"""E-processes: evidence against a hypothesis that may be looked at after every case.

Under the hypothesis the expectation of each is at most 1 whenever one stops, so the chance that it ever
reaches 1 / alpha is at most alpha (Ville). All are given as logarithms, and depend on the cases by sums
alone, so that states of disjoint cases add up, in any order.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rochull._core.validation import Array

BETS = 0.9 * 0.5 ** np.arange(12)  # shares of the largest bet that no case can lose more than
_FIRST = 0.25  # the part that is bet from the beginning; later starts share the rest
_STARTS = 16  # that have equal parts, half of what is left
_WORTH = 10  # cases that what is taken of a rate beforehand is worth
_MEANS = 32  # steps of a mean of one class


def rate_above(count: Any, total: Any, limit: Any) -> Array:
    """Evidence that the probability of success is above a limit.

    Over the probabilities q beyond it, a Beta distribution cut at the limit, the likelihood ratio against the
    limit is averaged: ``(q/t)^k ((1-q)/(1-t))^(n-k)``, whose expectation is at most 1 for every
    probability up to t. The distribution has its mean at the limit and is worth ten cases, so most of it is
    near the limit, where evidence is slow. Counts and limits may be arrays.
    """
    from scipy.special import betaincc, betaln, xlog1py, xlogy

    count, total, t = (np.asarray(each, float) for each in (count, total, limit))
    inside = (t > 0) & (t < 1)
    t = np.where(inside, t, 0.5)
    a, b = _WORTH * t, _WORTH * (1 - t)
    k, n = count + a, total - count + b
    with np.errstate(divide="ignore"):
        beyond = np.log(betaincc(k, n, t) / betaincc(a, b, t))
    ratio = betaln(k, n) - betaln(a, b) + beyond
    found = ratio - xlogy(count, t) - xlog1py(total - count, -t)
    ends = np.where((np.asarray(limit) <= 0) & (count > 0), math.inf, 0.0)
    return np.asarray(np.where(inside, found, ends))


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


def parts_of_starts(n: int) -> Array:
    """Parts that the first starts bet (n,), fixed before the first case; those of all starts sum to 1."""
    later = np.arange(n - 1)
    return np.concatenate([[_FIRST], (1 - _FIRST) / _STARTS * 0.5 ** (1 + later // _STARTS)])


def over_starts(logs: Array) -> Array:
    """Put together e-processes that begin one after another (s, ...), of which later ones are still 1.

    Each bets its part, so the sum is one.
    """
    parts = parts_of_starts(len(logs))
    held = np.concatenate([np.asarray(logs, float), np.zeros_like(logs[:1], float)])
    parts = np.append(parts, max(1 - parts.sum(), 0.0)).reshape(-1, *(1,) * (held.ndim - 1))
    top = np.max(np.where(np.isfinite(held), held, -1e300), axis=0)
    with np.errstate(over="ignore"):
        summed = np.log((parts * np.exp(held - top)).sum(axis=0)) + top
    return np.where(np.isposinf(held).any(axis=0), math.inf, summed)


def two_means_above(pos: tuple[Array, Array], neg: tuple[Array, Array], prevalence: float) -> Array:
    """Evidence that a mean is above 0 in which the classes are weighted by a prevalence.

    `pos` and `neg` are the values (c,) of each class's cases, and their counts (..., c); how many cases of
    a class come does not matter. If the positives' mean is m, that of the negatives is at most
    ``-pi m / (1 - pi)`` under the hypothesis: evidence against both multiplies, and the least product over
    all m is below the one at the true m. Between two steps each factor is taken at the end where it is less;
    steps are fine where the least product is, between the m that either class's own mean speaks for.
    """
    (of_pos, n_pos), (of_neg, n_neg) = pos, neg
    odds = max(prevalence, 1e-12) / (1 - prevalence) if prevalence < 1 else math.inf
    ends = float(of_pos.min()), float(of_pos.max())
    with np.errstate(invalid="ignore", divide="ignore"):
        own, other = (np.nan_to_num(n @ v / n.sum(axis=-1)) for v, n in (pos, neg))
        between = np.linspace(own, np.clip(-other / odds, *ends), _MEANS, axis=-1)
    means = [np.full((*between.shape[:-1], 1), ends[0]), np.sort(between), 0 * between[..., :1] + ends[1]]
    steps = np.concatenate(means, axis=-1)
    if math.isinf(odds):  # the positives alone matter
        return _mean_above(of_pos, n_pos, 0 * steps[..., :1])[..., 0]
    both = _mean_above(of_pos, n_pos, steps[..., 1:]) + _mean_above(of_neg, n_neg, -odds * steps[..., :-1])
    return np.asarray(both.min(axis=-1))


def _mean_above(values: Array, counts: Array, means: Array) -> Array:
    """Evidence that the mean of values (c,), by their counts (..., c), is above each of some (..., m)."""
    least, most = float(values.min()), float(values.max())
    scale = np.maximum(means - least, max(1e-9 * (most - least), 1e-12))
    bets = wealth((values - means[..., None]) / scale[..., None], counts[..., None, :])
    return averaged(np.concatenate([bets, np.zeros_like(bets[..., :1])], axis=-1))


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
