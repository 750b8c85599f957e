"""Synthetic labelled scores, the same in every process."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

PREVALENCES = (0.3, 0.01)
SATURATIONS = (4, 10, 30)
_SEED = 20010601

Weights = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """Labels (n,), int64 (as tables bring them) or bool, and float64 scores (n,)."""

    labels: NDArray[np.int64] | NDArray[np.bool_]
    scores: NDArray[np.float64]


@lru_cache(maxsize=2)
def normal(rows: int, prevalence: float) -> Sample:
    """Standard normal scores, those of the positives shifted by 1."""
    rng = np.random.default_rng(_SEED)
    labels = (rng.random(rows) < prevalence).astype(np.int64)
    scores = rng.standard_normal(rows)
    scores += labels
    return Sample(labels, scores)


def saturated(sample: Sample, steepness: float) -> Sample:
    """Scores through a logistic function, which crowds them at 0 and 1."""
    return replace(sample, scores=_logistic(steepness * sample.scores))


def probabilities(sample: Sample) -> Sample:
    """Scores as forecasts: miscalibrated, because the prevalence is left out."""
    return replace(sample, scores=_logistic(sample.scores))


def thousand_values(sample: Sample) -> Sample:
    """Scores rounded to 1000 values, all of them frequent."""
    return replace(sample, scores=np.floor(1000 * _logistic(1.7 * sample.scores)) / 1000)


def one_tie(sample: Sample) -> Sample:
    """Scores of which nine in ten are the same."""
    tied = np.random.default_rng(_SEED + 1).random(sample.scores.size) < 0.9
    return replace(sample, scores=np.where(tied, 0.5, sample.scores))


def weights(rows: int) -> Weights:
    """Weights (n,) that are no whole numbers, from an exponential distribution."""
    return np.random.default_rng(_SEED + 2).standard_exponential(rows)


def _logistic(values: NDArray[np.float64]) -> NDArray[Any]:
    return 1 / (1 + np.exp(-values))
