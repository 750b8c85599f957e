"""Hybrids of classifiers that are good in different places, with many ties."""

import itertools
from typing import Any

import numpy as np

import rochull as rh

Y = np.repeat([0, 1], [13, 11])


def grid(condition: Any, points: int) -> list[Any]:
    """Precise conditions on a grid over the box, its ends included."""
    axes = [np.linspace(*ends, points).tolist() for ends in condition.question.box.values()]
    return [
        condition.with_numbers(**dict(zip(condition.question.box, v, strict=True)))
        for v in itertools.product(*axes)
    ]


def hybrid_of(seed: int, count: int = 3, **options: Any) -> rh.Hybrid:
    rng = np.random.default_rng(seed)
    hybrid = rh.Hybrid()
    for i in range(count):
        score = rng.uniform(0, 2.5) * Y * (rng.random(Y.size) < 0.7) + rng.normal(size=Y.size)
        hybrid.add(f"c{i}", Y, np.round(score, 1), **options)
    return hybrid
