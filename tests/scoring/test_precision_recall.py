"""Precision and recall: against scikit-learn, and what is achievable against a fine grid of mixtures."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy import integrate
from sklearn import metrics

import rochull as rh
from adversaries import examples


@given(examples(max_size=60))
def test_the_numbers_are_those_of_scikit_learn(data: Any) -> None:
    y, scores, weights = data
    ranks = np.unique(scores, return_inverse=True)[1]  # scikit-learn takes no infinite scores
    found = rh.precision_recall_curve(y, ranks, sample_weight=weights)
    expected = metrics.precision_recall_curve(y, ranks, sample_weight=weights)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)
    area = metrics.average_precision_score(y, ranks, sample_weight=weights)
    assert found.average_precision() == pytest.approx(area, abs=1e-12)
    assert rh.average_precision(y, scores, sample_weight=weights) == pytest.approx(area, abs=1e-12)
    with_scores = rh.precision_recall_curve(y, scores, sample_weight=weights)
    assert with_scores.precision.tolist() == found.precision.tolist()
    assert len(with_scores) == len(with_scores.thresholds) == len(found.thresholds)


@given(examples(max_size=40))
def test_the_best_mixture_is_achievable(data: Any) -> None:
    """The precision at a recall is that of the hull there, and no mixture of two thresholds has more."""
    y, scores, weights = data
    curve = rh.precision_recall_curve(y, scores, sample_weight=weights)
    p, hull = curve.prevalence, curve.hull
    points = list(zip(curve.roc.fpr.tolist(), curve.roc.tpr.tolist(), strict=True))
    for (x0, y0), (x1, y1) in itertools.combinations(points, 2):
        for share in (0.1, 0.5, 0.9):
            x, r = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
            if r > 0:
                assert curve.achievable(r)[0] >= p * r / (p * r + (1 - p) * x) - 1e-9
    for x, r in zip(hull.fpr[1:].tolist(), hull.tpr[1:].tolist(), strict=True):
        if r < 1:
            assert curve.achievable(r)[0] == pytest.approx(p * r / (p * r + (1 - p) * x), abs=1e-12)
    assert curve.area() >= curve.average_precision() - 1e-12


@pytest.mark.parametrize("prevalence", [None, 0.01, 0.9])
def test_the_area_is_the_integral(prevalence: Any) -> None:
    rng = np.random.default_rng(2)
    y = rng.random(80) < 0.3
    curve = rh.precision_recall_curve(y, rng.normal(y).round(1), prevalence=prevalence)
    stops = np.unique(curve.hull.tpr)
    total = sum(
        integrate.quad(lambda r: curve.achievable(r)[0], low, high)[0]
        for low, high in itertools.pairwise(stops.tolist())
    )
    assert curve.area() == pytest.approx(total, abs=1e-9)


def test_another_prevalence_is_other_weights() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(200) < 0.3
    scores = rng.normal(y).round(1)
    weights = np.where(y, 0.1 / y.mean(), 0.9 / (1 - y.mean()))
    ours = rh.precision_recall_curve(y, scores, prevalence=0.1)
    theirs = rh.precision_recall_curve(y, scores, sample_weight=weights)
    np.testing.assert_allclose(ours.precision, theirs.precision, atol=1e-12)
    assert ours.area() == pytest.approx(theirs.area(), abs=1e-12)
    with pytest.raises(ValueError, match="prevalence"):
        rh.precision_recall_curve(y, scores, prevalence=1)


def test_extremes() -> None:
    perfect = rh.precision_recall_curve([0, 0, 1], [1, 2, 3])
    assert (perfect.area(), perfect.average_precision()) == (1, 1)
    assert perfect.achievable([0, 0.5, 1]).tolist() == [1, 1, 1]
    equal = rh.precision_recall_curve([0, 0, 0, 1], [5, 5, 5, 5])
    assert (equal.area(), equal.average_precision()) == (0.25, 0.25)
    assert equal.achievable([0, 0.5, 1]).tolist() == [0.25, 0.25, 0.25]
    with pytest.raises(ValueError, match="recall"):
        equal.achievable(1.5)
    assert repr(equal) == "PrecisionRecallCurve(1 points, average precision 0.25)"
