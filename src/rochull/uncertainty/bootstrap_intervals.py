"""The ends of bootstrap intervals, from replicates and from a jackknife."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from rochull._core.first_use import one_ndtri
from rochull._core.results import Interval
from rochull._core.validation import Array
from rochull.uncertainty.draws import jackknife
from rochull.uncertainty.rates import rate_interval
from rochull.uncertainty.replicates import Pool, Resample

Statistic = Callable[[Resample], Any]

_JACKKNIFE_GROUPS = 100  # of each stratum
_LEAST_TAIL = 1e-12
_SLACK = 1e-9  # of a count: a rate out of n, times n, is a whole number but for rounding


def statistic_values(found: Any) -> Array:
    """Return a statistic's value as an array of floats."""
    try:
        if found is not None and not isinstance(found, (str, bytes)):
            return np.asarray(found, float)
    except (TypeError, ValueError):
        pass
    kind = type(found).__name__
    raise ValueError(f"statistic must give a number or an array of numbers, but gave {found!r} ({kind}).")


def value_of(function: Statistic, sample: Resample) -> Array:
    """The statistic as an array, which must not be NaN."""
    found = statistic_values(function(sample))
    if np.isnan(found).any():
        raise ValueError("statistic is NaN on the data.")
    return found


def quantiles(values: Array, tail: Fraction) -> tuple[Array, Array]:
    """The k-th replicates from below and from above, k = tail (B + 1) (Davison & Hinkley 1997, section 2.4).

    No interpolation, so that infinite values are legal.
    """
    ordered = np.sort(values, axis=0)
    k = max(1, math.floor(tail * (len(values) + 1)))
    return ordered[k - 1], ordered[-k]


def bca(values: Array, estimate: Array, tail: Fraction, acceleration: Array) -> tuple[Array, Array]:
    """Ends of the BCa interval (Efron & Tibshirani 1993, equation 14.10), element by element."""
    from scipy.special import ndtr, ndtri

    count = len(values)
    below = np.mean(values < estimate, axis=0) + np.mean(values == estimate, axis=0) / 2
    shift = ndtri(np.clip(below, 0.5 / count, 1 - 0.5 / count))
    ends = []
    ordered = np.sort(values, axis=0)
    for z in (ndtri(float(tail)), -ndtri(float(tail))):
        moved = shift + z
        share = ndtr(shift + moved / (1 - acceleration * moved))
        at = np.clip(np.ceil(share * count).astype(int) - 1, 0, count - 1)
        ends.append(np.take_along_axis(ordered, np.asarray(at)[None], axis=0)[0])
    return ends[0], ends[1]


def wilson(rate: Array | float, n: Array | int, level: float) -> Interval:
    """Wilson's interval of rates out of n that need not be counts; they are rounded outwards."""
    share = np.clip(rate, 0, 1)
    low = rate_interval(np.floor(share * n + _SLACK), n, "wilson", level=level).low
    high = rate_interval(np.ceil(share * n - _SLACK), n, "wilson", level=level).high
    return Interval(low, high, share, level, "wilson")


def effective_size(weights: Array) -> int:
    """How many examples of equal weight say as much: (sum w)**2 / sum w**2 (Kish), rounded down."""
    return max(1, int(weights.sum() ** 2 / (weights**2).sum()))


def normal_tail(z: float) -> float:
    """Probability beyond z standard deviations; not so small that quantiles are lost to rounding."""
    from scipy.special import ndtr

    return max(float(ndtr(-z)), _LEAST_TAIL)


def normal_quantile(tail: float) -> float:
    """How many standard deviations this probability is beyond."""
    return -one_ndtri(tail)


def few_false_positives(
    x: Array, y: Array, at: Array, sizes: tuple[int, int], tail: float
) -> tuple[Array, Array]:
    """Ends of the true positive rate where so few negatives are expected beyond that a bootstrap fails.

    How many of n negatives lie beyond the threshold whose false positive rate is x in the population is
    binomial, whatever the distribution is: its quantiles say between which of the sample's thresholds the
    right one lies (order statistics; Clopper & Pearson turned round). The curve's height there bounds
    what this ignorance adds; Wilson's interval is what the positives add; the two are independent, and
    put together as by Zou & Donner (2008). If no negative need lie beyond, the lower end is 0.

    `x`, `y` are the curve, `sizes` the numbers of negatives and positives, `tail` is the probability of
    either side.
    """
    from scipy.stats import binom

    n_neg, n_pos = sizes
    first, last = binom.ppf(tail, n_neg, at), binom.isf(tail, n_neg, at) + 1
    found = height(x, y, at)
    lowest = height(x, y, np.clip((first - 1) / n_neg, 0, 1))
    # Of a vertical piece the lower end: the same height in the curve turned by half a circle.
    highest = 1 - height(1 - x[::-1], 1 - y[::-1], np.clip(1 - last / n_neg, 0, 1))
    highest = np.where(last <= n_neg, highest, 1.0)
    rate = wilson(found, n_pos, 1 - 2 * tail)
    low = found - np.hypot(found - rate.low, np.maximum(found - lowest, 0))
    high = found + np.hypot(rate.high - found, np.maximum(highest - found, 0))
    return np.where((first < 1) | (at == 0), 0.0, low), high


def height(x: Array, y: Array, at: Array) -> Array:
    """Height of a curve at false positive rates: of a vertical piece the upper end."""
    right = np.searchsorted(x, at, side="right") - 1  # the last point that is not beyond
    after = np.minimum(right + 1, x.size - 1)
    width = x[after] - x[right]
    share = np.divide(at - x[right], width, out=np.zeros(at.size), where=width > 0)
    return np.asarray(y[right] + share * (y[after] - y[right]))


def acceleration(pool: Pool, function: Statistic, state: Array, stratified: bool) -> Array:
    """Skewness of the influence of examples over six, by leaving out random groups of them.

    The ratio of the third moments to the second is the same for groups as for single examples. What is
    drawn together (all rows, those of a class, clusters) is left out together, and centred together.
    """
    rng = np.random.Generator(np.random.PCG64(int(state[0] >> np.uint64(1))))
    cubes, squares = np.float64(0), np.float64(0)
    for samples in jackknife(pool, stratified, _JACKKNIFE_GROUPS, rng):
        values = np.array([value_of(function, sample) for sample in samples])
        count = len(values)
        if not count:
            continue
        with np.errstate(invalid="ignore"):  # of infinite values the skewness is left at 0
            influence = (count - 1) / count * (values.mean(axis=0) - values)
        influence = np.where(np.isfinite(influence), influence, 0.0)
        cubes = cubes + (influence**3).sum(axis=0)
        squares = squares + (influence**2).sum(axis=0)
    spread = np.where(squares > 0, squares, 1.0)
    return np.asarray(np.where(squares > 0, cubes / (6 * spread**1.5), 0.0))
