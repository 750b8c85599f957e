"""Batches counted between thresholds, beside their rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rochull as rh
from rochull.policies.batch_ranges import RangeCounts, estimated


def _policy(lower: bool = False, weight: Any = None) -> Any:
    rng = np.random.default_rng(8)
    y = rng.random(1500) < 0.3
    hybrid = rh.Hybrid()
    for name, shift in (("a", 1.0), ("b", 1.5)):
        score = (rng.normal(size=1500) + shift * y).round(1)
        hybrid.add(name, y, -score if lower else score, lower_is_positive=lower)
    return hybrid.policy()


@pytest.mark.parametrize("kind", ["f8", "f4", "i8", "u1"])
@pytest.mark.parametrize("lower", [False, True])
def test_the_estimate_is_that_of_the_rows(kind: str, lower: bool) -> None:
    policy, rng = _policy(lower), np.random.default_rng(9)
    batch = {}
    for name in policy.classifiers:
        score = rng.normal(0.4, 1, 3000).round(1)
        score = -score if lower and kind != "u1" else score
        batch[name] = score.clip(0, 3).astype(kind) if kind == "u1" else score.astype(kind)
        if kind[0] == "f":
            batch[name][:2] = [np.inf, -np.inf]
    counts = {name: RangeCounts(policy.hull, name) for name in batch}
    for name, scores in batch.items():
        for part in np.array_split(scores, 7):
            counts[name].add(part)
        assert counts[name].size == scores.size
    assert estimated(policy.hull, counts) == policy.estimated(batch)


def test_no_score_at_all_is_refused() -> None:
    policy = _policy()
    counts = {name: RangeCounts(policy.hull, name) for name in policy.classifiers}
    with pytest.raises(ValueError, match="has no case with a score"):
        estimated(policy.hull, counts)
