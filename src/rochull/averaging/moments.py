"""Means and standard deviations over folds, of which a measure may leave some undefined."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rochull._core.validation import Array

SLACK = 4 * float(np.finfo(float).eps)  # numbers that agree to within rounding agree


class Moments(NamedTuple):
    """Mean, standard deviation (n - 1) and number of the defined folds, at each point (k,)."""

    mean: Array
    std: Array
    defined: Array


def moments_of(num: Array, den: Array, slack: float = SLACK) -> Moments:
    """Over the folds (axis 0), of ratios: `num` (n_folds, k), `den` of one column or as many; 0: undefined.

    Folds of which all deviate from the first by less than `slack` times themselves have a standard
    deviation of exactly 0.
    """
    from rochull._core.kernels import folds as fold_kernels

    if den.shape[1] > 1 or not den.all():
        return ratio_moments(num, np.broadcast_to(den, num.shape), slack)
    mean, std = np.empty(num.shape[1]), np.empty(num.shape[1])
    scratch = np.empty(num.shape)
    fold_kernels.rate_moments(np.ascontiguousarray(num), den[:, 0].copy(), slack, mean, std, scratch)
    return Moments(mean, std, np.full(mean.size, num.shape[0]))


def ratio_moments(num: Array, den: Array, slack: float) -> Moments:
    """:func:`moments_of` with a denominator (n_folds, k) for each numerator: by column, the same always."""
    from rochull._core.kernels import folds as fold_kernels

    mean, std, count = np.empty((3, num.shape[1]))
    fold_kernels.ratio_moments(np.ascontiguousarray(num), np.ascontiguousarray(den), slack, mean, std, count)
    return Moments(mean, std, count.astype(np.int64))


def as_values(num: Array, den: Array) -> Array:
    """Ratios (n_folds, k); NaN where `den` is 0."""
    where = np.broadcast_to(den != 0, num.shape)
    return np.asarray(np.divide(num, den, out=np.full(num.shape, np.nan), where=where))
