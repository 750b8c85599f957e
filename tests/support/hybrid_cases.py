"""Hybrids of classifiers that are good in different places, with many ties."""

from typing import Any

import numpy as np

import rochull as rh

Y = np.repeat([0, 1], [13, 11])


def hybrid_of(seed: int, count: int = 3, **options: Any) -> rh.Hybrid:
    rng = np.random.default_rng(seed)
    hybrid = rh.Hybrid()
    for i in range(count):
        score = rng.uniform(0, 2.5) * Y * (rng.random(Y.size) < 0.7) + rng.normal(size=Y.size)
        hybrid.add(f"c{i}", Y, np.round(score, 1), **options)
    return hybrid
