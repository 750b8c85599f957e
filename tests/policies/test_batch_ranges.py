"""Batches counted between thresholds, beside their rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from rochull.policies import batch_ranges
from rochull.policies.batch_ranges import RangeCounts, ScoreSteps, TooWideError, estimated, exact_floats


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


VALUES = st.lists(
    st.floats(allow_nan=False) | st.sampled_from([0.0, -0.0, 1.0, 1.0 + 2**-52, 1.0 + 2**-30]),
    min_size=1,
    max_size=30,
)


@given(VALUES, VALUES, st.booleans())
def test_thresholds_that_are_missed_are_found_by_cells(
    ends: list[float], values: list[float], lower: bool
) -> None:
    own = np.unique(np.array(ends) + 0.0)[:: 1 if lower else -1]
    scores = np.array([*values, *ends])
    reached = scores[:, None] <= own if lower else scores[:, None] >= own
    for many in (1, 7, 1 << 16):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(batch_ranges, "_MANY", many)
            assert ScoreSteps(own, lower).missed(scores).tolist() == (~reached).sum(axis=1).tolist()


@pytest.mark.parametrize("lower", [False, True])
def test_integers_that_float64_does_not_tell_apart_are_counted(lower: bool) -> None:
    wide = np.array([2**53 + 1, 2**53, 3, -(2**53) - 1])
    with pytest.raises(TooWideError):
        exact_floats(wide)
    policy = _policy(lower)
    counts, rows = RangeCounts(policy.hull, "b"), np.repeat(wide, 3)
    counts.add(rows)
    found, expected = (
        estimated(policy.hull, {"b": counts}),
        policy.estimated({"b": rows}),
    )
    assert found == expected
