"""The likelihood of a mixture's proportion, where the components' likelihood ratios are known or learnt.

A score with likelihood ratio r is ``1 + pi (r - 1)`` times as likely under prevalence pi as under pi = 0. The
mean logarithm is concave in pi; its derivative is the mean of w = (r - 1) / (1 + pi (r - 1)). Learnt
ratios are corrected by what the means of w are over labelled examples. Log-ratios are at most 700
in size, so that nothing overflows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from rochull._core.threads import share_out
from rochull._core.validation import Array

_CHUNK = 1 << 17  # ratios that a thread takes at once, on any number of threads
_INSIDE = 1e-12  # how near to 0 and 1 the variances are asked for


@dataclass(frozen=True, eq=False)
class Sample:
    """Log-likelihood-ratios of some cases.

    Attributes
    ----------
    llr : (k,)
    share : (k,) of the cases that have it.
    n : number of cases.
    """

    llr: Array
    share: Array
    n: int

    @classmethod
    def of(cls, llr: Array, count: Array | None = None) -> Sample:
        """Build from log-likelihood ratios (n,), each of one case, or of so many (n,)."""
        if count is None:
            distinct, counts = np.unique(llr, return_counts=True)
        else:
            distinct, place = np.unique(llr, return_inverse=True)
            counts = np.bincount(place, count)
        size = int(counts.sum())
        return cls(distinct, counts / size, size)

    def mean(self, function: Callable[[Array], Array]) -> float:
        """The mean of a function of the ratio: chunk by chunk, on all threads."""
        starts = range(0, self.llr.size, _CHUNK)

        def part(start: int) -> float:
            chunk = slice(start, start + _CHUNK)
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                return float((self.share[chunk] * function(self.llr[chunk])).sum())

        return part(0) if len(starts) == 1 else math.fsum(share_out(part, starts))


@dataclass(frozen=True, eq=False)
class LabelledRatios:
    """Ratios of labelled examples.

    Attributes
    ----------
    pos, neg : of each class.
    fitted : None, or where the ratios were made from the very same examples, the examples of each class
        with the ratios that were made from them; those of `pos` and `neg` are then corrected.
    """

    pos: Sample
    neg: Sample
    fitted: tuple[Sample, Sample] | None = None


def without_itself(llr: Array, pos: Array, neg: Array) -> LabelledRatios:
    """Numbers of examples (k,) of each class in blocks of ratios (k,) that were made from them.

    Each example is judged by the ratio that its block would have without it. Of c examples of a
    class the share falls to (c - 1/2) / (c + 1/2): without the halves one example would be judged by
    an infinite ratio, and with (c - 1) / c for one class and c / (c - 1) for the other many small blocks
    are corrected too far. To first order it takes off, block by block, the covariance of a class's
    share with the function of the ratio that is averaged. That PAV chose the blocks adds nothing: the
    divergence of its fit is the number of blocks.
    """
    samples: list[Sample] = []
    as_fitted: list[Sample] = []
    for counts, way in ((pos, 1), (neg, -1)):
        some = counts > 0
        whole = np.maximum(counts[some], 1)  # a given rate may be a part of an example
        own = llr[some] + way * np.log((whole - 0.5) / (whole + 0.5))
        for ratios, found in ((own, samples), (llr[some], as_fitted)):
            found.append(Sample(ratios, counts[some] / counts.sum(), round(counts.sum())))
    return LabelledRatios(samples[0], samples[1], (as_fitted[0], as_fitted[1]))


# --- functions of the ratio -------------------------------------------------------------------------


def lift(pi: float, llr: Array) -> Array:
    """w = (r - 1) / (1 + pi (r - 1)), the derivative of log(1 + pi (r - 1))."""
    small, rise = np.exp(-np.abs(llr)), -np.expm1(-np.abs(llr))
    return np.where(llr > 0, rise / (pi + (1 - pi) * small), -rise / (1 - pi + pi * small))


def log_mass(pi: float, llr: Array) -> Array:
    """log(1 + pi (r - 1))."""
    if pi <= 0.5:  # the argument is at least -1/2, so no digits are lost; mirrored, if r is divided out
        return np.asarray(np.log1p(pi * np.expm1(llr)))
    return np.asarray(llr + np.log1p((1 - pi) * np.expm1(-llr)))


def tail(pi: float, llr: Array) -> Array:
    """The integral of t w(t) from 0 to pi: pi - log(1 + pi (r - 1)) / (r - 1)."""
    return np.where(llr == 0, 0.0, pi - log_mass(pi, llr) / np.where(llr == 0, 1.0, np.expm1(llr)))


# --- the likelihood ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Mixture:
    """A batch of unlabelled cases, and what is known of their ratios.

    Attributes
    ----------
    batch : the cases.
    known : labelled examples, or None where the ratios count as known.
    """

    batch: Sample
    known: LabelledRatios | None

    def slope(self, pi: float) -> float:
        """The batch's mean of w, less the mixture's: the derivative of :meth:`height`."""
        found = self.batch.mean(lambda llr: lift(pi, llr))
        if self.known is None:
            return found
        pos, neg = self.known.pos, self.known.neg
        return found - pi * pos.mean(lambda r: lift(pi, r)) - (1 - pi) * neg.mean(lambda r: lift(pi, r))

    def height(self, pi: float) -> float:
        """The corrected log-likelihood a case, relative to prevalence 0."""
        found = self.batch.mean(lambda llr: log_mass(pi, llr))
        if self.known is None:
            return found
        pos, neg = self.known.pos, self.known.neg
        return found - pos.mean(lambda r: tail(pi, r)) - neg.mean(lambda r: log_mass(pi, r) - tail(pi, r))

    def variances(self, pi: float) -> tuple[float, float]:
        """The variance of :meth:`slope`: the batch's part, and that of the ratios."""
        pi = min(max(pi, _INSIDE), 1 - _INSIDE)
        if self.known is None:
            return self.batch.mean(lambda llr: lift(pi, llr) ** 2) / self.batch.n, 0.0
        pos, neg = self.known.pos, self.known.neg
        means = [sample.mean(lambda llr: lift(pi, llr)) for sample in (pos, neg)]
        squares = [sample.mean(lambda llr: lift(pi, llr) ** 2) for sample in (pos, neg)]
        of_pos, of_neg = (square - mean * mean for mean, square in zip(means, squares, strict=True))
        mixed = pi * means[0] + (1 - pi) * means[1]
        of_batch = pi * squares[0] + (1 - pi) * squares[1] - mixed * mixed
        return of_batch / self.batch.n, pi**2 * of_pos / pos.n + (1 - pi) ** 2 * of_neg / neg.n

    def spread(self, pi: float) -> float:
        """The asymptotic variance of the estimate; inf where the scores tell nothing."""
        batch, ratios = self.variances(pi)
        information = batch * self.batch.n
        return (batch + ratios) / information**2 if information > 0 else math.inf

    def solve(self, level: float) -> tuple[float, float, float, float]:
        """The estimate, the ends of its interval, and where EM ends.

        The estimate is the zero of the slope on the side of EM's to which the correction points. The
        interval has the prevalences that are nearly as high, the difference in height being shrunk by
        the part of the variance that is the batch's.
        """
        n = self.batch.n
        if not self.batch.llr.any():
            return 0.5, 0.0, 1.0, 0.5
        em, step = maximum(self.batch), 0.1 / math.sqrt(n)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            up = self.slope(em) > 0
            estimate = em if self.known is None else _crossing(self.slope, em, step if up else -step)
            batch, ratios = self.variances(estimate)
            shrink = batch / (batch + ratios) if batch > 0 else 1.0
            top, least = self.height(estimate), NormalDist().inv_cdf((1 + level) / 2) ** 2

            def near(pi: float) -> float:
                return least - 2 * n * shrink * (top - self.height(pi))

            return estimate, _crossing(near, estimate, -step), _crossing(near, estimate, step), em


def maximum(batch: Sample) -> float:
    """The highest likelihood of known ratios, where EM ends: the zero of a falling derivative."""
    from scipy.optimize import brentq

    def slope(pi: float) -> float:
        return batch.mean(lambda llr: lift(pi, llr))

    if slope(0.0) <= 0:
        return 0.0
    if slope(1.0) >= 0:
        return 1.0
    return float(brentq(slope, 0.0, 1.0, xtol=1e-300, rtol=4 * float(np.finfo(float).eps), maxiter=5000))


def _crossing(function: Callable[[float], float], start: float, step: float) -> float:
    """Where the sign changes on the way from a prevalence, in steps that double; 0 or 1 if nowhere."""
    from scipy.optimize import brentq

    near, sign, end = start, np.sign(function(start)), 0.0 if step < 0 else 1.0
    while sign and near != end:
        far = min(max(near + step, 0.0), 1.0)
        if np.sign(function(far)) != sign:
            low, high = sorted((near, far))
            return float(brentq(function, low, high, xtol=1e-15, rtol=1e-12))
        near, step = far, 2 * step
    return near
