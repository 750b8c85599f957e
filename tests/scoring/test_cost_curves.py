"""Cost curves and Brier curves, against the lines they are made of and the scores that they add up to."""

import itertools
import math
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import brier_score_loss

import rochull as rh
from adversaries import examples
from profiles import some, tries
from twins import curve_of
from twins_scoring import as_probability, ones

PLACES = np.linspace(0, 1, 41)


def rates_of(y: Any, score: Any, weights: Any) -> list[tuple[float, float]]:
    points = curve_of(y, score, weights)
    return [(float(a / points[-1][0]), float(b / points[-1][1])) for a, b in points]


def prevalence(y: Any, weights: Any) -> float:
    w = ones(weights, len(y))
    return float(w[np.asarray(y) == 1].sum() / w.sum())


def brier_twin(y: Any, probability: Any, weights: Any, c: float) -> float:
    """The mean cost of deciding by "probability > c", row by row."""
    w = ones(weights, len(y))
    cost = sum(
        (2 * c if label != 1 else 0) * v if p > c else (2 * (1 - c) if label == 1 else 0) * v
        for label, p, v in zip(y, probability, w, strict=True)
    )
    return float(cost / w.sum())


@given(examples(max_size=60))
def test_cost_curve_is_the_lowest_line(rows: Any) -> None:
    labels, scores, weights = rows
    curve = rh.scoring.cost_curve(labels, scores, sample_weight=weights)
    rates = rates_of(labels, scores, weights)
    lowest = [min(x * (1 - tpr) + (1 - x) * fpr for fpr, tpr in rates) for x in PLACES]
    np.testing.assert_allclose(curve.at(PLACES), lowest, atol=1e-12)
    assert (curve.probability_cost[0], curve.probability_cost[-1]) == (0, 1)
    assert (curve.cost[0], curve.cost[-1]) == (0, 0)
    assert (np.diff(curve.probability_cost) >= 0).all()
    assert (curve.cost <= np.minimum(curve.probability_cost, 1 - curve.probability_cost) + 1e-12).all()
    assert 0 <= curve.area() <= 0.25 + 1e-12
    assert curve.kind == "cost"


@pytest.mark.parametrize("seed", some(range(12), 3))
def test_area_of_a_cost_curve_is_exact(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = np.append(rng.integers(0, 2, 40), [0, 1])
    scores = np.round(rng.normal(size=42) + seed % 3 * labels, 1)
    points = curve_of(labels, scores)
    rates = [(F(a) / points[-1][0], F(b) / points[-1][1]) for a, b in points]
    # All crossings of two lines: between two neighbours of them the envelope is one line.
    places = {F(0), F(1)}
    for (a, b), (c, d) in itertools.combinations(rates, 2):
        rise, run = d - b, c - a
        if rise + run > 0:
            places.add(run / (rise + run))
    lowest = [(x, min(x * (1 - t) + (1 - x) * f for f, t in rates)) for x in sorted(places)]
    area = sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in itertools.pairwise(lowest))
    curve = rh.scoring.cost_curve(labels, scores)
    assert curve.area() == pytest.approx(float(area), rel=1e-14)
    # Only true breakpoints: one for each edge that is neither vertical nor horizontal.
    slopes = rh.roc_hull(labels, scores).slopes
    inner = slopes[(slopes > 0) & (slopes < math.inf)]
    np.testing.assert_allclose(curve.probability_cost[1:-1], 1 / (1 + inner), rtol=1e-14)


def test_cost_curve_is_the_least_detection_cost() -> None:
    data = rh.datasets.load("german_credit_scores")
    labels, scores = data["class"] == "bad", data["logistic"]
    curve = rh.scoring.cost_curve(labels, scores)
    shares = np.array([0.05, 0.3, 0.5, 0.95])
    np.testing.assert_allclose(
        curve.at(shares), rh.min_dcf(labels, scores, shares, normalise=False), rtol=1e-13
    )
    # With costs: the cost as a share of the largest possible one, at the probability cost.
    worst = 5 * shares + 1 - shares
    costs = rh.min_dcf(labels, scores, shares, cost_fn=5, normalise=False)
    np.testing.assert_allclose(curve.at(5 * shares / worst), costs / worst, rtol=1e-13)
    assert curve.cost.max() <= rh.eer(labels, scores) + 1e-15


def test_cost_curves_of_perfect_and_useless_scores() -> None:
    perfect = rh.scoring.cost_curve([0, 0, 1, 1], [1, 2, 3, 4])
    assert (perfect.probability_cost.tolist(), perfect.cost.tolist()) == ([0, 1], [0, 0])
    assert perfect.area() == 0
    for scores in ([4, 3, 2, 1], [1, 1, 1, 1]):
        useless = rh.scoring.cost_curve([0, 0, 1, 1], scores)
        assert (useless.probability_cost.tolist(), useless.cost.tolist()) == ([0, 0.5, 1], [0, 0.5, 0])
        assert useless.area() == 0.25


@given(examples(max_size=200))
def test_area_of_a_brier_curve_is_the_brier_score(rows: Any) -> None:
    labels, scores, weights = rows
    probability = as_probability(scores)
    curve = rh.scoring.brier_curve(labels, probability, sample_weight=weights)
    assert curve.area() == pytest.approx(
        brier_score_loss(labels, probability, sample_weight=weights), abs=1e-12
    )
    assert curve.area() == pytest.approx(rh.Brier().score(labels, probability, weights), abs=1e-12)
    assert (curve.probability_cost[0], curve.probability_cost[-1]) == (0, 1)
    assert (np.diff(curve.probability_cost) >= 0).all()
    assert (curve.cost >= 0).all()
    assert curve.kind == "brier"


@tries(50)
@given(examples(max_size=40))
def test_brier_curve_by_its_definition(rows: Any) -> None:
    labels, scores, weights = rows
    probability = as_probability(scores)
    curve = rh.scoring.brier_curve(labels, probability, sample_weight=weights)
    used = probability if weights is None else probability[weights > 0]
    places = np.concatenate([PLACES, used])  # at the jumps too
    expected = [brier_twin(labels, probability, weights, c) for c in places]
    np.testing.assert_allclose(curve.at(places), expected, atol=1e-12)
    # From the left a case is still called positive at its own probability.
    for c in used[(used > 1e-9) & (used < 1)][:5]:
        below = np.nextafter(c, 0)
        jump = np.flatnonzero(curve.probability_cost == c)[0]
        assert curve.cost[jump] == pytest.approx(brier_twin(labels, probability, weights, below), abs=1e-12)


@given(examples(max_size=100))
def test_recalibrated_brier_curve_is_the_lowest_one(rows: Any) -> None:
    labels, scores, weights = rows
    probability = as_probability(scores)
    curve = rh.scoring.brier_curve(labels, probability, recalibrated=True, sample_weight=weights)
    share = prevalence(labels, weights)
    rates = rates_of(labels, probability, weights)
    lowest = [
        2 * min(c * (1 - share) * fpr + (1 - c) * share * (1 - tpr) for fpr, tpr in rates) for c in PLACES
    ]
    np.testing.assert_allclose(curve.at(PLACES), lowest, atol=1e-12)
    hull = rh.roc_hull(labels, probability, sample_weight=weights)
    assert curve.area() == pytest.approx(rh.Brier().minimum(hull), abs=1e-12)
    actual = rh.scoring.brier_curve(labels, probability, sample_weight=weights)
    assert (curve.at(PLACES) <= actual.at(PLACES) + 1e-12).all()
    parts = rh.decompose(labels, probability, sample_weight=weights)
    assert actual.area() - curve.area() == pytest.approx(parts.miscalibration, abs=1e-12)


def test_recalibrated_brier_curve_is_that_of_the_posteriors() -> None:
    data = rh.datasets.load("german_credit_scores")
    labels, probability = data["class"] == "bad", data["boosted"]
    blocks = rh.roc_hull(labels, probability).blocks
    assert blocks is not None
    posterior = blocks.posterior[np.searchsorted(-blocks.low, -probability)]
    direct, found = (
        rh.scoring.brier_curve(labels, posterior),
        rh.scoring.brier_curve(labels, probability, recalibrated=True),
    )
    assert found.probability_cost.tolist() == direct.probability_cost.tolist()
    np.testing.assert_allclose(found.cost, direct.cost, rtol=1e-13)
    left, right = found.cost[1:-1:2], found.cost[2:-1:2]
    np.testing.assert_allclose(left, right, rtol=1e-12)  # it has no jumps


def test_brier_curves_of_zeros_and_ones() -> None:
    perfect = rh.scoring.brier_curve([1, 0], [1, 0])
    assert perfect.area() == 0
    assert perfect.at([0, 0.5, 1]).tolist() == [0, 0, 0]
    wrong = rh.scoring.brier_curve([1, 0], [0, 1])
    assert wrong.area() == 1
    assert wrong.at([0, 0.25]).tolist() == [1, 1]
    assert wrong.at(1).tolist() == [0]  # nothing is called positive, and a miss costs nothing
    always = rh.scoring.brier_curve([1, 0], [1, 1])
    assert (always.probability_cost.tolist(), always.cost.tolist()) == ([0, 1, 1, 1], [0, 1, 0, 0])
    never = rh.scoring.brier_curve([1, 0], [0, 0])
    assert (never.probability_cost.tolist(), never.cost.tolist()) == ([0, 1], [1, 0])
    assert never.area() == always.area() == 0.5


def test_bad_places_are_named() -> None:
    for place in (-0.1, [0.5, 1.1]):
        with pytest.raises(ValueError, match="probability_cost must lie between 0 and 1"):
            rh.scoring.cost_curve([0, 1], [1, 2]).at(place)


def test_low_scores_may_mean_positive() -> None:
    found = rh.scoring.cost_curve([1, 1, 0, 0], [1, 3, 2, 4], lower_is_positive=True)
    negated = rh.scoring.cost_curve([1, 1, 0, 0], [-1, -3, -2, -4])
    assert found.probability_cost.tolist() == negated.probability_cost.tolist()
    assert found.cost.tolist() == negated.cost.tolist()
