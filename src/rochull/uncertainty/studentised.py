"""Studentised bootstrap intervals of what is read off a hull, which is chosen on the sample that judges it.

What a hull offers is the best of all rules, and near the best it matters little which it is: to first order
the hull varies as if its blocks had been fixed beforehand. So each of these numbers has a standard error in
closed form, of a sample as of a replicate. A replicate's hull is too good by about as much as the sample's,
and the fewer cases are misplaced the less is known: dividing by the replicate's own error accounts for both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

import numpy as np

from rochull._core.validation import Array
from rochull.hull.hull import RocHull
from rochull.uncertainty.bootstrap_intervals import quantiles
from rochull.uncertainty.delong import score_ends

Sizes = tuple[float, float]  # negatives and positives
METHOD = "studentised"
# What each number can be, and what it is where no example is misplaced.
_RANGES = {"hull_auc": (0.5, 1.0, 1.0), "eer": (0.0, 0.5, 0.0), "min_cllr": (0.0, 1.0, 0.0)}
_GRID = np.linspace(-9, 9, 1801)


def _shares(hull: RocHull) -> tuple[Array, Array]:
    """The share of the negatives (k,) and of the positives that each block holds."""
    return np.diff(hull.fpr), np.diff(hull.tpr)


def _spread(values: Array, share: Array) -> float:
    """The variance of values that examples of a class have with these shares."""
    held = share > 0
    mean = float(values[held] @ share[held])
    return max(0.0, float((values[held] - mean) ** 2 @ share[held]))


def _of_area(hull: RocHull, sizes: Sizes) -> float:
    """DeLong's variance of the area, the scores being those that PAV makes of them."""
    neg, pos = _shares(hull)
    beaten = 1 - hull.fpr[:-1] - neg / 2
    beating = hull.tpr[:-1] + pos / 2
    return _spread(beating, neg) / sizes[0] + _spread(beaten, pos) / sizes[1]


def _of_least_cllr(hull: RocHull, sizes: Sizes) -> float:
    """The variance of the mean loss of each class, half of which are added."""
    neg, pos = _shares(hull)
    with np.errstate(divide="ignore"):
        lost = [np.log2((neg + pos) / np.where(share > 0, share, np.nan)) for share in (neg, pos)]
    return (_spread(lost[0], neg) / sizes[0] + _spread(lost[1], pos) / sizes[1]) / 4


def _of_eer(hull: RocHull, sizes: Sizes) -> float:
    """The variance of the mean of both error rates that is constant along the edge which holds the EER."""
    neg, pos = _shares(hull)
    edge = int(np.argmax(hull.fpr[1:] >= 1 - hull.tpr[1:]))
    of_neg = pos[edge] / (neg[edge] + pos[edge])
    rate = hull.eer()
    return float(rate * (1 - rate) * (of_neg**2 / sizes[0] + (1 - of_neg) ** 2 / sizes[1]))


VARIANCES: Mapping[str, Callable[[RocHull, Sizes], float]] = {
    "hull_auc": _of_area,
    "eer": _of_eer,
    "min_cllr": _of_least_cllr,
}


def ends(
    statistic: str, found: Array, replicates: Array, tail: Fraction, sizes: Sizes
) -> tuple[Array, Array]:
    """Ends of the interval, from the estimate and its standard error (2, ...), and those of replicates.

    A replicate without an error, in which nothing is misplaced, is infinitely far from a sample that has one.
    Of a sample in which nothing is misplaced no replicate varies: there the worse end is that of normal
    scores with the least area which a test of so many examples of each class does not reject.
    """
    (estimate, error), (values, errors) = found, np.moveaxis(replicates, 1, 0)
    apart = values - estimate
    with np.errstate(divide="ignore", invalid="ignore"):
        least, most = quantiles(np.where(apart == 0, 0.0, apart / errors), tail)
        low, high = (np.where(error == 0, estimate, estimate - end * error) for end in (most, least))
    bottom, top, perfect = _RANGES[statistic]
    area = max(0.5, score_ends(Fraction(1), (0, 0), sizes, float(tail))[0])
    worst = np.where(estimate == perfect, _of_normal_scores(statistic, area), estimate)
    return np.clip(np.minimum(low, worst), bottom, top), np.clip(np.maximum(high, worst), bottom, top)


def _of_normal_scores(statistic: str, area: float) -> float:
    """The number in a population whose scores are normal, with the same variance in both classes."""
    from scipy.special import ndtr, ndtri

    shift = math.sqrt(2) * float(ndtri(area))
    if statistic == "hull_auc":
        return area
    if statistic == "eer":
        return float(ndtr(-shift / 2))
    weight = np.exp(-(_GRID**2) / 2)
    lost = np.logaddexp(0, -shift * (_GRID + shift / 2))  # of a positive's log-likelihood-ratio
    return float(weight @ lost / weight.sum() / math.log(2))
