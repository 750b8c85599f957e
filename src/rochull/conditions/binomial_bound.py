"""How many errors in a sample still assure a rate in the population: by sums that are exact in ties."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from rochull._core.validation import Array

_EXACT_UP_TO = 1_000  # examples up to which a tie of the binomial sum with the shortfall is settled exactly
_NEAR = 1e-9  # relative; the library's sums are more precise


def most_errors(n: int, limit: Fraction, shortfall: Fraction) -> int:
    """The largest k with ``P(Binomial(n, limit) <= k) <= shortfall``, for :func:`least_examples` or more."""
    from scipy.stats import binom

    allowed = min(n - 1, int(binom.ppf(float(shortfall), n, float(limit))) + 1)
    while allowed > 0 and not _sum_within(allowed, n, limit, shortfall):
        allowed -= 1
    return allowed


def least_examples(limit: Fraction, shortfall: Fraction) -> float:
    """The least n with ``(1 - limit)**n <= shortfall``: log(shortfall) / log(1 - limit), rounded up."""
    if limit == 0:
        return math.inf
    least = math.log(shortfall) / math.log1p(-float(limit))
    n = max(1, math.ceil(least * (1 - _NEAR)))
    while n <= _EXACT_UP_TO and (1 - limit) ** n > shortfall:
        n += 1
    return n if n <= _EXACT_UP_TO else math.ceil(least)


def within_shortfall(errors: Array, cases: Array, limit: Fraction, shortfall: Fraction) -> Array:
    """Where ``P(Binomial(cases, limit) <= errors) <= shortfall``: bool (k,); of ties the exact answer."""
    from scipy.stats import binom

    total, most = binom.cdf(errors, cases, float(limit)), float(shortfall)
    passed = np.asarray(total < most)
    for i in np.flatnonzero(np.abs(total - most) <= _NEAR * most).tolist():
        passed[i] = _sum_within(int(errors[i]), int(cases[i]), limit, shortfall)
    return passed


def _sum_within(k: int, n: int, limit: Fraction, shortfall: Fraction) -> bool:
    """Whether P(Binomial(n, limit) <= k) <= shortfall; of ties that are not settled, the safe answer."""
    from scipy.stats import binom

    total, most = float(binom.cdf(k, n, float(limit))), float(shortfall)
    if abs(total - most) > _NEAR * most:
        return total < most
    if n > _EXACT_UP_TO:
        return False
    success, failure = limit.numerator, limit.denominator - limit.numerator
    terms = (math.comb(n, j) * success**j * failure ** (n - j) for j in range(k + 1))
    return Fraction(sum(terms), limit.denominator**n) <= shortfall
