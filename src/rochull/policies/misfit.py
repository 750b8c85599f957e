"""Whether a batch is a mixture of the two classes at all: a test of fit of the label-shift model.

If only the proportion pi of positives has changed, the mean of any function of the score is
``pi E_pos + (1 - pi) E_neg`` in the batch, whatever the function; an estimate of pi needs one. Here are more
of them, smooth functions of the log-likelihood-ratio, and Hansen's J: how far their means are from all
mixtures, by the inverse of their covariance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from rochull._core.threads import share_out
from rochull._core.validation import Array
from rochull.policies.mixture import Mixture, Sample

_FUNCTIONS = 4  # cosines of the ratio's place
_CHUNK = 1 << 15
_LEAST = 2 * _FUNCTIONS  # cases of each kind, from which a covariance can be estimated
_DEPENDENT = 1e-9  # of the largest variance: what varies less is a function of the others
UNUSUAL = 0.01  # p-values below say that the model does not hold


@dataclass(frozen=True, eq=False)
class _Moments:
    """Means (4,) of the functions over cases, their covariance (4, 4), and the number of cases."""

    mean: Array
    covariance: Array
    n: int

    @property
    def of_mean(self) -> Array:
        """The covariance of the mean."""
        return self.covariance / max(self.n - 1, 1)


def pvalue(mixture: Mixture, prevalence: float) -> float:
    """The p-value of the batch as a mixture of the labelled examples; NaN where that cannot be tested.

    The covariance is taken at the estimated prevalence, the mixture that is nearest is found anew. Three
    errors are in it: that of the batch, that of the labelled examples, and where these have made the
    ratios, that of the correction for it, which is known to about its own size: PAV promises more on its
    own few examples than can be taken off exactly. Quantiles are those of Hotelling's T², whose degrees of
    freedom are found from the three parts as by Nel & van der Merwe (1986). Where the nearest mixture
    would have a prevalence below 0 or above 1, that end is taken, and nothing is left to be fitted.
    """
    known = mixture.known
    if known is None or min(mixture.batch.n, known.pos.n, known.neg.n) < _LEAST:
        return math.nan
    if known.fitted is not None and np.ptp(np.concatenate([sample.llr for sample in known.fitted])) == 0:
        return math.nan  # one ratio for all: any batch is the same mixture
    where = _place(mixture, prevalence)
    batch, pos, neg = (_moments(sample, *where) for sample in (mixture.batch, known.pos, known.neg))
    parts = (
        (batch.of_mean, batch.n - 1),
        (prevalence**2 * pos.of_mean, pos.n - 1),
        ((1 - prevalence) ** 2 * neg.of_mean, neg.n - 1),
    )
    covariance = parts[0][0] + parts[1][0] + parts[2][0]
    if known.fitted is not None:
        for share, own, fitted in zip((prevalence, 1 - prevalence), (pos, neg), known.fitted, strict=True):
            taken_off = share * (_moments(fitted, *where).mean - own.mean)
            covariance = covariance + np.outer(taken_off, taken_off)
    return _of_distance(batch.mean - neg.mean, pos.mean - neg.mean, covariance, parts)


def _of_distance(
    shift: Array, across: Array, covariance: Array, parts: tuple[tuple[Array, int], ...]
) -> float:
    """The p-value of the distance of ``shift`` (4,) from the line between 0 and ``across``."""
    from scipy.special import fdtrc, gammaincc

    values, vectors = np.linalg.eigh(covariance)
    kept = values > _DEPENDENT * values[-1]
    rank = int(kept.sum())
    white = vectors[:, kept] / np.sqrt(values[kept])  # (4, rank)
    shift, across = shift @ white, across @ white
    length = float(across @ across)
    at = float(across @ shift) / length if length else 0.0
    inside = length > 0 and 0 <= at <= 1
    free = rank - int(inside)
    if free < 1:
        return math.nan
    apart = shift - min(max(at, 0.0), 1.0) * across
    distance = float(apart @ apart)
    sizes = [white.T @ part @ white for part, _ in parts]
    doubt = sum(
        (np.sum(size * size) + np.trace(size) ** 2) / max(n, 1)
        for size, (_, n) in zip(sizes, parts, strict=True)
    )
    of_error = rank * (rank + 1) / doubt if doubt > 0 else math.inf
    if not free < of_error < 1e9:
        return float(gammaincc(free / 2, distance / 2))
    return float(fdtrc(free, of_error - free + 1, distance * (of_error - free + 1) / (of_error * free)))


def _place(mixture: Mixture, prevalence: float) -> tuple[float, float]:
    """The centre and the scale of the ratios of all: half the batch, and half the mixture."""
    assert mixture.known is not None
    parts = (
        (0.5, mixture.batch),
        (prevalence / 2, mixture.known.pos),
        ((1 - prevalence) / 2, mixture.known.neg),
    )
    centre = math.fsum(share * sample.mean(lambda llr: llr) for share, sample in parts)
    spread = math.fsum(share * sample.mean(lambda llr: (llr - centre) ** 2) for share, sample in parts)
    return centre, math.sqrt(3 * spread) / math.pi or 1.0  # of a logistic distribution


def _moments(sample: Sample, centre: float, scale: float) -> _Moments:
    """Means and covariance of ``cos(j pi u)``, j = 1 to 4, u being the ratio's logistic place in (0, 1)."""
    starts = range(0, sample.llr.size, _CHUNK)
    sums = share_out(partial(_sums, sample, centre, scale), starts)
    first, second = (np.sum([part[i] for part in sums], axis=0) for i in (0, 1))
    return _Moments(first, second - np.outer(first, first), sample.n)


def _sums(sample: Sample, centre: float, scale: float, start: int) -> tuple[Array, Array]:
    """Weighted sums (4,) of the functions over a chunk, and (4, 4) of their products."""
    from scipy.special import expit

    chunk = slice(start, start + _CHUNK)
    place = expit((sample.llr[chunk] - centre) / scale)
    values = np.cos(np.pi * np.arange(1, _FUNCTIONS + 1)[:, None] * place)
    weighted = values * sample.share[chunk]
    return weighted.sum(axis=1), np.sum(weighted[:, None] * values, axis=2)
