"""The ends of bootstrap intervals, from replicates and from a jackknife."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from rochull._draws import without
from rochull._resample import Pool, Resample
from rochull._results import Interval
from rochull._validation import Array
from rochull.rates import rate_interval

Statistic = Callable[[Resample], Any]

_JACKKNIFE_GROUPS = 100  # of each class
_SLACK = 1e-9  # of a count: a rate out of n, times n, is a whole number but for rounding


def value_of(function: Statistic, sample: Resample) -> Array:
    """The statistic as an array, which must not be NaN."""
    found = np.asarray(function(sample), float)
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


def wilson(rate: Array | float, n: int, level: float) -> Interval:
    """Wilson's interval of rates out of n that need not be counts; they are rounded outwards."""
    share = np.clip(rate, 0, 1)
    low = rate_interval(np.floor(share * n + _SLACK), n, "wilson", level=level).low
    high = rate_interval(np.ceil(share * n - _SLACK), n, "wilson", level=level).high
    return Interval(low, high, share, level, "wilson")


def acceleration(pool: Pool, function: Statistic, state: Array) -> Array:
    """Skewness of the influence of examples over six, by leaving out random groups of them.

    The ratio of the third moments to the second is the same for groups as for single examples.
    """
    seed = int(state[0] >> np.uint64(1))
    rng = np.random.Generator(np.random.PCG64(seed))
    strata = [-1] if pool.n_clusters else [0, 1]
    cubes, squares = np.float64(0), np.float64(0)
    for part in strata:
        values = np.array(
            [value_of(function, without(pool, part, chosen)) for chosen in _left_out(pool, part, rng)]
        )
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


def _left_out(pool: Pool, part: int, rng: np.random.Generator) -> Iterator[Array]:
    """Random groups of the rows of a class, or of clusters, each to be left out once."""
    size = pool.n_clusters if part < 0 else pool.sizes[part]
    groups = min(size, _JACKKNIFE_GROUPS)
    if groups < 2:
        return
    (ordered, *_) = pool.classifiers.values()
    if part >= 0 and not ordered.groups[1].size:  # rows are known by their totals only
        rest = ordered.totals[part].copy()
        for left in range(groups, 0, -1):
            chosen = rng.multivariate_hypergeometric(rest, int(rest.sum()) // left, method="marginals")
            rest -= chosen
            yield chosen
        return
    member = rng.permutation(size) % groups
    for g in range(groups):
        yield member == g
