"""From scores of two sides to log-likelihoods of several classes: contrasts, and the coupling of pairs.

Log-likelihoods are known up to a constant of each example; here the largest of an example is 0.
"""

from __future__ import annotations

import numpy as np

from rochull._core.validation import Array

CONTRASTS = ("log_ratio", "share")
_LARGE = 1e300
_SWEEPS = 3


def usable(outputs: Array) -> Array:
    """Outputs (n, C) whose sums do not overflow; of an example without any output all are equal."""
    largest = outputs.max(axis=1)
    none, many = largest == 0, largest > _LARGE
    if not (none.any() or many.any()):
        return outputs
    outputs = outputs.copy()
    outputs[none] = 1.0
    outputs[many] *= 2.0**-100
    return outputs


def contrast(of: Array, against: Array, how: str) -> Array:
    """The score (n,) of one side against the other: rising with `of`, the middle one if both are 0."""
    with np.errstate(all="ignore"):
        if how == "share":
            return np.where(of == against, 0.5, of / (of + against))
        ratio = of / against
        plain = (ratio > np.finfo(float).tiny) & (ratio < np.inf)
        # The log of a quotient keeps what a difference of logs rounds off.
        found = np.where(plain, np.log(ratio), np.log(of) - np.log(against))
        return np.where(of == against, 0.0, found)


def rest_of(outputs: Array, c: int) -> Array:
    """The sum of all other columns (n,): not the total less one, which would round small rests off."""
    return np.asarray(outputs[:, :c].sum(axis=1) + outputs[:, c + 1 :].sum(axis=1))


def relative(log_likelihood: Array) -> Array:
    """Log-likelihoods (n, C) less their largest; where all are -inf nothing is known, and all are 0."""
    largest = log_likelihood.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(largest), 0.0, log_likelihood - largest)


def weighed(log_likelihood: Array, priors: Array) -> Array:
    """Posteriors (n, C) at priors (C,); an example that no possible class explains keeps the priors."""
    with np.errstate(divide="ignore"):
        odds = log_likelihood + np.log(priors)
    largest = odds.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        found = np.exp(odds - largest)
    total = found.sum(axis=1, keepdims=True)
    return np.where(np.isneginf(largest), priors, found / total)


def from_rests(llrs: Array, priors: Array) -> Array:
    """Log-likelihoods (n, C) from the LLRs (n, C) of each class against the rest, mixed as in `priors`.

    Each gives the posterior of its class; they are divided by their sum, and by the priors.
    """
    odds = llrs + (np.log(priors) - np.log1p(-priors))
    with np.errstate(over="ignore"):
        return relative(-np.logaddexp(0.0, -odds) - np.log(priors))


def mean_llr(llrs: Array) -> Array:
    """Log-likelihoods (n, C) whose differences are nearest to the pairs' LLRs (n, C, C) in least squares.

    The sum over pairs of (llrs[i, j] - (l[i] - l[j]))² is least at the means over j.
    """
    if not np.isfinite(llrs).all():
        raise ValueError(
            "coupling='mean_llr' needs finite LLRs, but a pair's is infinite; give the calibrator a bound."
        )
    return relative(llrs.mean(axis=2))


def least_squares(llrs: Array) -> Array:
    """Log-likelihoods (n, C) from the pairs' LLRs (n, C, C), by Wu, Lin & Weng's second method.

    With r[i, j] the probability of i if it is i or j, at even priors, they minimise the sum over pairs of
    (r[j, i] p[i] - r[i, j] p[j])² for p that sum to one: a linear system. It has one solution for all r with
    r[i, j] + r[j, i] = 1, zeros and ones included. (Were there two, their difference z would have
    r[j, i] z[i] = r[i, j] z[j] for all pairs and sum to zero; but where two of the z are not zero both r are
    positive, so that all have one sign.)

    Log-likelihoods are good to many digits down to about 25 below the largest; what is less likely is lost in
    the rounding of the likelier ones.
    """
    from scipy.special import expit

    n, n_classes, _ = llrs.shape
    r = expit(llrs)
    diagonal = np.arange(n_classes)
    r[:, diagonal, diagonal] = 0.0
    system = np.ones((n, n_classes + 1, n_classes + 1))
    system[:, :-1, :-1] = -r * r.transpose(0, 2, 1)
    own = (r**2).sum(axis=1)
    system[:, diagonal, diagonal] = own
    system[:, -1, -1] = 0.0
    right = np.zeros((n, n_classes + 1, 1))
    right[:, -1] = 1.0
    p = np.clip(np.linalg.solve(system, right)[:, :-1, 0], 0.0, 1.0)
    _polish(p, r, own)
    with np.errstate(divide="ignore"):
        return relative(np.log(p))


def _polish(p: Array, r: Array, own: Array) -> None:
    """Sweeps of their Algorithm 2, by sums of positive terms: small probabilities get digits of their own."""
    some = own > 0  # else the class wins against all with certainty, and p is right
    mirrored = r.transpose(0, 2, 1)
    products = r * mirrored
    for _ in range(_SWEEPS):
        missing = mirrored * p[:, :, None]
        missing -= r * p[:, None, :]
        excess = np.einsum("nij,nij->n", missing, missing) / 2
        for t in range(p.shape[1]):
            found = np.einsum("nj,nj->n", products[:, t], p) + excess
            np.divide(found, own[:, t], out=p[:, t], where=some[:, t])
        p /= p.sum(axis=1, keepdims=True)


COUPLINGS = {"least_squares": least_squares, "mean_llr": mean_llr}
