"""Normal scores in every segment: the paper's model, solved globally, and its gradient ascent.

The best threshold of a segment at price r maximises ``p+ (1 - F(k)) - r p- (1 - G(k))``. Where the
benefit-cost ratio ``b(k) = p+ f(k) / (p- g(k))`` rises in k, the best k solves b(k) = r. It does not rise
everywhere if the variances differ: with sigma+ > sigma- it has a minimum, below which no finite threshold
is best; the threshold jumps from k0 to -inf at the price b(k0) at which both are equally good, the tangent
from (1, 1) to the segment's ROC curve: ``b(k0) = p+ F(k0) / (p- G(k0))``. With sigma+ < sigma- the same holds
upside down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.messages import Message, Setting, refused
from rochull._core.validation import Array
from rochull._core.warned import warn
from rochull.segments.models.base import SegmentedScores, SegmentModel

_FAR = 38.0  # standard deviations, beyond which a normal tail is nothing in float64
_EQUAL = 1e-9  # standard deviations that differ by this share are taken as equal
_LEAST_SPREAD = 1e-3  # of a class in a segment, in standard deviations of the whole class


def benefit_cost_ratio(  # noqa: PLR0917 - the paper's order
    threshold: ArrayLike,
    mu_pos: ArrayLike,
    sigma_pos: ArrayLike,
    mu_neg: ArrayLike,
    sigma_neg: ArrayLike,
    p_pos: ArrayLike = 1.0,
    p_neg: ArrayLike = 1.0,
) -> Any:
    """Compute what a lower threshold gains over what it costs, for normal scores.

    Parameters
    ----------
    threshold : array-like
        Thresholds k; all parameters are broadcast.
    mu_pos, sigma_pos : array-like
        Mean and standard deviation of the scores of the positives.
    mu_neg, sigma_neg : array-like
        Mean and standard deviation of the scores of the negatives.
    p_pos, p_neg : array-like, default=1.0
        Share of the positives, and of the negatives, that are in the segment.

    Returns
    -------
    float or ndarray
        ``p+ f(k) / (p- g(k))``. It has a minimum if sigma_pos > sigma_neg, a maximum if
        sigma_pos < sigma_neg, and is monotone if both are equal.

    References
    ----------
    Richman & Mannor, equations (5) and (7), Figure 4. (In (6) the printed h+ is sigma+.)

    Examples
    --------
    >>> import rochull as rh
    >>> rh.segments.benefit_cost_ratio([0.0, 0.5, 1.0], mu_pos=1, sigma_pos=1, mu_neg=0, sigma_neg=1).round(
    ...     3
    ... ).tolist()
    [0.607, 1.0, 1.649]
    """
    numbers = [np.asarray(x, float) for x in (threshold, mu_pos, sigma_pos, mu_neg, sigma_neg, p_pos, p_neg)]
    named = {"sigma_pos": numbers[2], "sigma_neg": numbers[4], "p_pos": numbers[5], "p_neg": numbers[6]}
    for name, values in named.items():
        if not (values > 0).all():
            raise refused(name, "must be positive, but holds {}.", float(values[~(values > 0)].ravel()[0]))
    k, m1, s1, m0, s0, p1, p0 = numbers
    with np.errstate(over="ignore"):
        found = np.exp(_log_ratio(k, m1, s1, m0, s0) + np.log(p1) - np.log(p0))
    return found.item() if found.ndim == 0 else found


def _log_ratio(k: Array, m1: Array, s1: Array, m0: Array, s0: Array) -> Array:
    """Log of f / g. The difference of the standardised scores is taken before they are, for what cancels."""
    with np.errstate(invalid="ignore", over="ignore"):
        apart = (k * (s1 - s0) + (m1 * s0 - m0 * s1)) / (s0 * s1)
        found = 0.5 * apart * ((k - m1) / s1 + (k - m0) / s0)
        return np.asarray(np.where(apart == 0, 0.0, found) + np.log(s0) - np.log(s1))


@dataclass(frozen=True, eq=False)
class Normals:
    """Normal scores of both classes in segments: arrays (s,) of means, standard deviations and shares."""

    mu_pos: Array
    sigma_pos: Array
    mu_neg: Array
    sigma_neg: Array
    p_pos: Array
    p_neg: Array

    def __post_init__(self) -> None:
        """Make variances equal that differ by rounding only."""
        close = np.abs(self.sigma_pos - self.sigma_neg) <= _EQUAL * self.sigma_neg
        both = (self.sigma_pos + self.sigma_neg) / 2
        for name in ("sigma_pos", "sigma_neg"):
            object.__setattr__(self, name, np.where(close, both, getattr(self, name)))

    @classmethod
    def of(cls, data: SegmentedScores, *, equal: bool = False) -> Normals:
        """Estimate them from every segment, and in the end from the whole population.

        A standard deviation is at least a thousandth of that of the whole class.
        """
        if not np.isfinite(data.score).all():
            at = int(data.order[np.flatnonzero(~np.isfinite(data.score))].min())
            raise ValueError(f"X must be finite for a model of normal scores, but index {at} is not.")
        weight = np.ones(data.score.size) if data.weight is None else data.weight
        found: dict[str, Any] = {}
        for label, side in ((1, "pos"), (0, "neg")):
            own = data.positive == label
            mass, mu, square = _moments(data.score[own], weight[own], data.segment[own], len(data))
            found["p_" + side] = np.append(mass[:-1] / mass[-1], 1.0)
            found["mu_" + side], found["mass_" + side], found["square_" + side] = mu, mass, square
        if equal:
            total = found["mass_pos"] + found["mass_neg"]
            both = (found["mass_pos"] * found["square_pos"] + found["mass_neg"] * found["square_neg"]) / total
            found["square_pos"] = found["square_neg"] = both
        spreads = {}
        for side in ("pos", "neg"):
            sigma = np.sqrt(found["square_" + side])
            floor = _LEAST_SPREAD * sigma[-1] if sigma[-1] > 0 else 1.0
            spreads["sigma_" + side] = np.maximum(sigma, floor)
        names = ("mu_pos", "mu_neg", "p_pos", "p_neg")
        return cls(**{name: found[name] for name in names}, **spreads)

    def log_ratio(self, score: Array, segment: Array) -> Array:
        """Log of the benefit-cost ratio of thresholds (n,)."""
        pick = (values[segment] for values in (self.mu_pos, self.sigma_pos, self.mu_neg, self.sigma_neg))
        return _log_ratio(score, *pick) + self.log_share[segment]

    @property
    def log_share(self) -> Array:
        """Log of p+ / p- (s,)."""
        return np.asarray(np.log(self.p_pos) - np.log(self.p_neg))


def _moments(score: Array, weight: Array, segment: Array, n: int) -> tuple[Array, Array, Array]:
    """Weight, mean and variance of each segment and of the whole (n + 1,)."""
    mass = np.bincount(segment, weight, n)
    total = weight.sum()
    center = float((weight * score).sum() / total)
    mu = np.bincount(segment, weight * (score - center), n) / mass
    square = np.bincount(segment, weight * (score - center - mu[segment]) ** 2, n) / mass
    whole = float((weight * (score - center) ** 2).sum() / total)
    return np.append(mass, total), np.append(mu + center, center), np.append(square, whole)


class GaussianModel(SegmentModel):
    """Normal scores of each class in every segment, the best one-sided threshold found globally."""

    name = "gaussian"
    _equal = False

    def fit(self, data: SegmentedScores) -> Self:
        """Estimate means, variances and shares; find where thresholds jump to -inf or +inf."""
        self.n_segments = len(data)
        self.normals = Normals.of(data, equal=self._equal)
        self.low, self.high = _finite_range(self.normals)
        return self

    def ratio(self, score: Array, segment: Array) -> Array:
        """The benefit-cost ratio at the score, or at the nearest threshold that can be best."""
        score = np.clip(np.asarray(score, float), self.low[segment], self.high[segment])
        with np.errstate(over="ignore", invalid="ignore"):
            log = self.normals.log_ratio(score, segment)
            n = self.normals
            rising = (n.mu_pos > n.mu_neg) | (n.sigma_pos != n.sigma_neg)
            log = np.where(np.isinf(score), score, log)  # where the variances are equal
            return np.asarray(np.exp(np.where(rising[segment], log, n.log_share[segment])))


class EqualVarianceModel(GaussianModel):
    """Normal scores with one variance for both classes of a segment: the closed form (9).

    ``k = sigma^2 (log(p- / p+) + log r) / (mu+ - mu-) + (mu+ + mu-) / 2`` at the price r (the paper's
    lambda is log r). It is the maximum where mu+ > mu-; elsewhere all or none of a segment is called
    positive.
    """

    name = "equal-variance"
    _equal = True


def _finite_range(normals: Normals) -> tuple[Array, Array]:
    """The lowest and the highest threshold (s,) that is best at some price; beyond them are jumps."""
    low, high = np.full(normals.mu_pos.size, -np.inf), np.full(normals.mu_pos.size, np.inf)
    wider, narrower = normals.sigma_pos > normals.sigma_neg, normals.sigma_pos < normals.sigma_neg
    m1, s1, m0, s0 = normals.mu_pos, normals.sigma_pos, normals.mu_neg, normals.sigma_neg
    low[wider] = _tangent(m1[wider], s1[wider], m0[wider], s0[wider])
    # Turned by half a circle, a curve with the narrower positives is one with the wider.
    high[narrower] = -_tangent(-m0[narrower], s0[narrower], -m1[narrower], s1[narrower])
    return low, high


def _tangent(m1: Array, s1: Array, m0: Array, s0: Array) -> Array:
    """The threshold k0 at which the tangent from (1, 1) touches, for s1 > s0, by bisection."""
    from scipy.special import log_ndtr

    def above(k: Array) -> Array:
        """Whether b(k) is above F(k) / G(k): k0 is below."""
        return np.asarray(_log_ratio(k, m1, s1, m0, s0) > log_ndtr((k - m1) / s1) - log_ndtr((k - m0) / s0))

    # Where b is least; (s1 - s0) is exact where they are close (Sterbenz).
    least = (m0 * s1**2 - m1 * s0**2) / ((s1 - s0) * (s1 + s0))
    nothing = np.minimum(m1 - _FAR * s1, m0 - _FAR * s0)
    low = np.maximum(least, nothing)
    step = np.maximum(s1, s0)
    for _ in range(64):
        high = low + step
        short = ~above(high)
        if not short.any():
            break
        step = np.where(short, 2 * step, step)
    for _ in range(100):
        middle = low + (high - low) / 2
        up = above(middle)
        low, high = np.where(up, low, middle), np.where(up, middle, high)
    return np.asarray(np.where(least <= nothing, least, high))


def gradient_thresholds(  # noqa: PLR0917 - the paper's order
    ratio: float,
    mu_pos: ArrayLike,
    sigma_pos: ArrayLike,
    mu_neg: ArrayLike,
    sigma_neg: ArrayLike,
    p_pos: ArrayLike,
    p_neg: ArrayLike,
    *,
    learning_rate: float = 0.5,
    tolerance: float = 1e-9,
    bound: float = 10.0,
    max_iter: int = 100_000,
) -> Array:
    """Climb to a local optimum of the thresholds of normal segments: the paper's Algorithm 1.

    Kept for fidelity: :class:`ErrorRedistribution` solves the same problem globally.

    Parameters
    ----------
    ratio : float
        The price of a false positive, lambda.
    mu_pos, sigma_pos, mu_neg, sigma_neg : array-like of shape (s,)
        Means and standard deviations of the scores of both classes in each segment.
    p_pos, p_neg : array-like of shape (s,)
        Share of the positives, and of the negatives, in each segment.
    learning_rate : float, default=0.5
        Step for each unit of the gradient, on standardised scores. Steps are relative to a segment's
        weight, ``p+ + ratio p-``, which does not move the optimum.
    tolerance : float, default=1e-9
        Where to stop: norm of the gradient at thresholds inside of the bounds.
    bound : float, default=10.0
        Thresholds are kept in [-bound, bound] on the standardised axis.
    max_iter : int, default=100_000
        The most steps.

    Returns
    -------
    ndarray of shape (s,)
        Thresholds on the scale of the scores; at a bound where the climb leads to infinity.

    Warns
    -----
    UserWarning
        If `max_iter` steps do not reach the tolerance.

    References
    ----------
    Richman & Mannor, Algorithm 1. Its sign is right; the printed (8) is minus the gradient of (3), and lacks
    1 / sqrt(2 pi).

    Examples
    --------
    >>> import rochull as rh
    >>> rh.segments.gradient_thresholds(
    ...     1.0, [1.0, 2.0], [1, 1], [0, 0], [1, 1], [0.5, 0.5], [0.5, 0.5]
    ... ).round(6).tolist()
    [0.5, 1.0]
    """
    price = validation.positive(ratio, "ratio")
    values = np.broadcast_arrays(
        *(np.asarray(v, float) for v in (mu_pos, sigma_pos, mu_neg, sigma_neg, p_pos, p_neg))
    )
    m1, s1, m0, s0, p1, p0 = (np.atleast_1d(v) for v in values)
    benefit_cost_ratio(m1, m1, s1, m0, s0, p1, p0)  # refuses what is not positive
    center = float(np.mean((m1 + m0) / 2))
    scale = float(np.sqrt(np.mean((s1**2 + s0**2) / 2 + ((m1 - center) ** 2 + (m0 - center) ** 2) / 2)))
    m1, m0, s1, s0 = (m1 - center) / scale, (m0 - center) / scale, s1 / scale, s0 / scale
    weight = p1 + price * p0
    root = np.sqrt(2 * np.pi)
    k = np.zeros(m1.size)
    for _ in range(validation.whole(max_iter, "max_iter", 1)):
        gain = p1 * np.exp(-(((k - m1) / s1) ** 2) / 2) / (s1 * root)
        cost = price * p0 * np.exp(-(((k - m0) / s0) ** 2) / 2) / (s0 * root)
        gradient = (cost - gain) / weight  # of (3) with respect to k
        moved = np.clip(k + learning_rate * gradient, -bound, bound)
        left = float(np.linalg.norm(np.where(moved == k, 0.0, gradient)))
        k = moved
        if left <= tolerance:
            break
    else:
        warn(
            Message(
                "gradient_thresholds has not converged: after max_iter={} steps the gradient is {}, and "
                "{}. Raise max_iter, or use ErrorRedistribution, which needs no steps.",
                max_iter,
                f"{left:.2g}",
                Setting("tolerance", tolerance, "g"),
            )
        )
    return np.asarray(center + scale * k)
