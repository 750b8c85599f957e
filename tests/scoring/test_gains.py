"""Cumulative gain: counted by hand, and what mixtures find."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

import rochull as rh
from adversaries import examples


@given(examples(max_size=40))
def test_counted_by_hand(data: Any) -> None:
    y, scores, weights = data
    y, scores = np.asarray(y).astype(bool), np.asarray(scores)
    w = np.ones(y.size) if weights is None else np.asarray(weights, float)
    curve = rh.scoring.cumulative_gain(y, scores, sample_weight=weights)
    for i, threshold in enumerate(curve.thresholds[1:].tolist(), start=1):
        called = scores >= threshold
        share, gain = w[called].sum() / w.sum(), w[called & y].sum() / w[y].sum()
        assert (curve.share[i], curve.gain[i]) == pytest.approx((share, gain), abs=1e-12)
        assert curve.lift[i - 1] == pytest.approx(gain / share, rel=1e-12)
    assert (curve.share[0], curve.gain[0], curve.share[-1], curve.gain[-1]) == (0, 0, pytest.approx(1), 1)
    assert (curve.achievable(curve.share.clip(0, 1)) >= curve.gain - 1e-12).all()


@given(examples(max_size=40))
def test_what_a_capacity_finds(data: Any) -> None:
    """The gain of a share is the recall of that capacity."""
    y, scores, weights = data
    hull = rh.roc_hull(y, scores, sample_weight=weights)
    curve = rh.scoring.cumulative_gain(y, scores, sample_weight=weights)
    for share in (0.1, 0.5, 0.75):
        point = hull.at(rh.Capacity(fraction=share))
        assert curve.achievable(share)[0] == pytest.approx(point.tpr, abs=1e-12)


def test_lift_is_precision_over_prevalence() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(100) < 0.2
    scores = rng.normal(y)
    for prevalence in (None, 0.01):
        gain = rh.scoring.cumulative_gain(y, scores, prevalence=prevalence)
        curve = rh.precision_recall_curve(y, scores, prevalence=prevalence)
        np.testing.assert_allclose(gain.lift, curve.precision / curve.prevalence, rtol=1e-12)
    with pytest.raises(ValueError, match="share"):
        gain.achievable(-0.1)
