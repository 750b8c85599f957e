"""Whether a batch has more cases of a kind than chance allows, where rates were counted themselves.

With x of n examples counted, Fisher's exact test gives j or more of a batch the probability of a binomial
count whose rate is Beta(x + 1, n - x). At a prevalence pi the rate is pi T + (1 - pi) U of the two
classes; here it has the Beta distribution with the mean and the variance of that.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rochull._core.validation import Array

_AT_ONCE = 1_024  # terms of a sum
_LEAST = 1e-99  # of a probability
_SMALL = 1e-9  # of a sum: what is left out


def rate_in_mixture(prevalence: Any, pos: tuple[Any, float], neg: tuple[Any, float]) -> tuple[Array, Array]:
    """Mean and variance of the rate at some prevalences, from below; of both classes (count, total)."""
    (of_pos, pos_spread), (of_neg, neg_spread) = (counted_rate(*each) for each in (pos, neg))
    rest = 1 - prevalence
    return prevalence * of_pos + rest * of_neg, prevalence**2 * pos_spread + rest**2 * neg_spread


def counted_rate(count: Any, total: float) -> tuple[Any, Any]:
    """Mean and variance of the rate of which so many are counted, from below."""
    mean = (count + 1) / (total + 1)
    return mean, mean * (1 - mean) / (total + 2)


def excess_pvalue(count: int, size: int, mean: float, variance: float) -> float:
    """The probability of so many of a batch, or more; 1 if that is no more than expected."""
    if count <= size * mean or mean >= 1:
        return 1.0
    examples = mean * (1 - mean) / variance - 1
    a, b = mean * examples, (1 - mean) * examples
    total, term, reached = 1.0, 1.0, count
    while reached < size and term > _SMALL * total:
        j = np.arange(reached, min(size, reached + _AT_ONCE), dtype=float)
        terms = term * np.cumprod((size - j) * (a + j) / ((j + 1) * (size - j - 1 + b)))
        total, term, reached = total + float(terms.sum()), float(terms[-1]), reached + j.size
    of_count = _log_beta(count + a, size - count + b) - _log_beta(a, b)
    ways = -_log_beta(count + 1, size - count + 1) - math.log(size + 1)
    return min(1.0, max(total * math.exp(min(0.0, of_count + ways)), _LEAST))


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
