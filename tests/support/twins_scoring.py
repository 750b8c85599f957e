"""Slow twins of scores and costs, and the examples that their tests share."""

import math
from typing import Any

import numpy as np

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
    """Scores of any type as LLRs within ±1e4, or infinite."""
    wide = scores.astype(float)
    return np.where(np.isinf(wide), wide, np.clip(wide, -1e4, 1e4))
