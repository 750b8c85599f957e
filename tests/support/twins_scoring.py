"""Slow twins of scores and costs, and the examples that their tests share."""

import math
from typing import Any

import numpy as np
from scipy.special import expit

import rochull as rh
from adversaries import Array


def softplus(x: float) -> float:
    """log(1 + exp(x)), of infinities too."""
    return max(x, 0.0) + (math.log1p(math.exp(-abs(x))) if math.isfinite(x) else 0.0)


def class_mean(values: Any, chosen: Any, weights: Any) -> float:
    """The weighted mean of the values of some rows; what weighs nothing does not count, even if infinite."""
    rows = [(v, w) for v, c, w in zip(values, chosen, weights, strict=True) if c and w]
    return math.fsum(v * w for v, w in rows) / math.fsum(w for _, w in rows)


def ones(weights: Array | None, n: int) -> Array:
    """The weights, or as many ones."""
    return np.ones(n) if weights is None else weights


def as_llr(scores: Array) -> Array:
    """Scores of any type as LLRs within ±1e4, or infinite; none that pass for probabilities."""
    wide = scores.astype(float)
    if wide.min() >= 0 and wide.max() <= 1:
        return wide - 1
    return np.where(np.isinf(wide), wide, np.clip(wide, -1e4, 1e4))


def as_probability(scores: Array) -> Array:
    """Scores of any type as probabilities: as they are, or squeezed."""
    wide = scores.astype(float)
    return wide if wide.min() >= 0 and wide.max() <= 1 else expit(wide)


def german(name: str) -> tuple[Array, Array]:
    """Whether a credit went bad, and a classifier's out-of-fold probability of it."""
    data = rh.datasets.load("german_credit_scores")
    return (data["class"] == "bad").astype(int), data[name].astype(float)
