"""Measures by name: against scikit-learn's, and their best against every threshold and every mixture."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from sklearn import metrics

import rochull as rh
from adversaries import examples
from rochull._core.results import Interval
from rochull.conditions.objectives import Objective
from rochull.conditions.ranges import exact

SHARES = st.integers(1, 19).map(lambda k: k / 20)
BETAS = st.sampled_from([0.5, 1.0, 2.0, 7.0])
MEASURES = st.one_of(
    st.just(rh.Youden()),
    st.just(rh.BalancedAccuracy()),
    st.builds(lambda beta, p: rh.FBeta(beta, prevalence=p), BETAS, SHARES),
    SHARES.map(rh.MCC),
)


def by_hand(measure: Any, x: Fraction, y: Fraction) -> Any:
    """The measure at fractions, from the four cells of the table; of Matthews' the signed square."""
    name = type(measure).__name__
    p = exact(getattr(measure, "prevalence", 0.5))
    tp, fn, fp, tn = p * y, p * (1 - y), (1 - p) * x, (1 - p) * (1 - x)
    if name == "Youden":
        return tp / p - fp / (1 - p)
    if name == "BalancedAccuracy":
        return (tp / (tp + fn) + tn / (tn + fp)) / 2
    if name == "FBeta":
        square = exact(measure.beta) ** 2
        return (1 + square) * tp / ((1 + square) * tp + square * fn + fp)
    below = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    above = tp * tn - fp * fn
    return above * abs(above) / below if below else Fraction(0)


@given(examples(max_size=40), MEASURES)
def test_no_threshold_and_no_mixture_is_better(data: Any, measure: Any) -> None:
    y, scores, weights = data
    curve = rh.roc_curve(y, scores, sample_weight=weights)
    hull = rh.RocHull.from_curve(curve)
    condition = rh.Within(measure, [])
    best = condition.question.best(hull.frontier).exact_rates(hull.frontier)
    points = curve.frontier.points()
    top = max(by_hand(measure, *point) for point in points)
    assert by_hand(measure, *best) == top
    firsts = min(point for point in points if by_hand(measure, *point) == top)
    assert best == firsts  # of equals, that with fewer false alarms
    single = condition.question.best_single(curve.frontier)
    assert curve.frontier.point(single) == best
    vertices = hull.frontier.points()
    for (x0, y0), (x1, y1) in itertools.pairwise(vertices):
        for k in range(1, 8):
            share = Fraction(k, 8)
            assert by_hand(measure, x0 + share * (x1 - x0), y0 + share * (y1 - y0)) <= top


@given(examples(max_size=40), MEASURES, SHARES, SHARES)
def test_within_limits(data: Any, measure: Any, most: float, least: float) -> None:
    """The best of the vertices within, and of where a limit cuts an edge."""
    y, scores, weights = data
    hull = rh.roc_hull(y, scores, sample_weight=weights)
    limits = [rh.FalsePositiveRate() <= most, rh.Recall() >= least]
    try:
        point = rh.Within(measure, limits).question.best(hull.frontier)
    except rh.InfeasibleConditionError:
        return
    vertices = hull.frontier.points()
    candidates = [v for v in vertices if v[0] <= exact(most) and v[1] >= exact(least)]
    for (x0, y0), (x1, y1) in itertools.pairwise(vertices):
        shares = [(exact(most) - x0) / (x1 - x0)] if x1 != x0 else []
        shares += [(exact(least) - y0) / (y1 - y0)] if y1 != y0 else []
        cut = [(x0 + s * (x1 - x0), y0 + s * (y1 - y0)) for s in shares if 0 <= s <= 1]
        candidates += [v for v in cut if v[0] <= exact(most) and v[1] >= exact(least)]
    rates = point.exact_rates(hull.frontier)
    assert by_hand(measure, *rates) == max(by_hand(measure, *v) for v in candidates)


@given(examples(max_size=40), BETAS)
def test_the_numbers_are_those_of_scikit_learn(data: Any, beta: float) -> None:
    y, scores, weights = data
    curve = rh.roc_curve(y, scores, sample_weight=weights)
    p = rh.RocHull.from_curve(curve).prevalence
    labels = np.asarray(y).astype(int)
    for i, threshold in enumerate(curve.thresholds[1:].tolist(), start=1):
        called = (np.asarray(scores) >= threshold).astype(int)
        given_ = {"sample_weight": weights}
        at = curve.fpr[i], curve.tpr[i]
        expected = metrics.fbeta_score(labels, called, beta=beta, zero_division=0, **given_)
        assert rh.FBeta(beta, prevalence=p).value(*at) == pytest.approx(expected, abs=1e-12)
        expected = metrics.matthews_corrcoef(labels, called, **given_)
        assert rh.MCC(p).value(*at) == pytest.approx(expected, abs=1e-7)
        expected = metrics.balanced_accuracy_score(labels, called, **given_)
        assert rh.BalancedAccuracy().value(*at) == pytest.approx(expected, abs=1e-12)
        assert rh.Youden().value(*at) == pytest.approx(2 * expected - 1, abs=1e-12)


def test_arrays_and_exact_values() -> None:
    x, y = np.array([0.0, 0.25, 1.0]), np.array([0.0, 0.5, 1.0])
    for measure in (rh.Youden(), rh.BalancedAccuracy(), rh.FBeta(2, prevalence=0.2), rh.MCC(0.2)):
        each = [measure.value(*pair) for pair in zip(x.tolist(), y.tolist(), strict=True)]
        assert measure.values(x, y).tolist() == each
        found = measure.exact_value(Fraction(1, 4), Fraction(1, 2))
        assert float(found) == pytest.approx(each[1], abs=1e-15)
        assert measure.loss(0.25, 0.5) == 1 - each[1]


def test_as_limits() -> None:
    hull = rh.roc_hull([1, 0, 1, 1, 0, 0, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1])
    for limit in (rh.Youden() >= 0.3, rh.BalancedAccuracy() >= 0.7, rh.FBeta(2) >= 0.6):
        point = hull.at(rh.Within(rh.FalsePositiveRate(), [limit]))
        measure = limit.measure.at_prevalence(hull.prevalence)
        assert measure.value(point.fpr, point.tpr) == pytest.approx(limit.limit, abs=1e-12)
    with pytest.raises(TypeError, match=r"MCC\(prevalence=0\.5\) is not a ratio of sums of rates"):
        rh.MCC(0.5) >= 0.2  # noqa: B015 # the comparison makes the limit
    with pytest.raises(TypeError, match=r"MCC\(prevalence=0\.5\) is not a ratio"):
        hull.at(rh.Within(rh.Recall(), [rh.MCC() >= 0.2]))
    with pytest.raises(ValueError, match="limits are shares"):
        rh.FBeta() >= 40  # noqa: B015 # the comparison makes the limit


def test_how_they_are_written() -> None:
    assert str(rh.Youden() >= 0.5) == "Youden() >= 0.5"
    assert str(rh.FBeta(2)) == "FBeta(beta=2.0)"
    assert str(rh.MCC(0.1)) == "MCC(prevalence=0.1)"
    assert (rh.FBeta().measure, rh.FBeta(0.5).at_prevalence(0.1).measure) == ("F1", "F0.5")


@pytest.mark.parametrize("beta", [0, -1, math.nan, math.inf, "two", None])
def test_bad_beta(beta: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="beta"):
        rh.FBeta(beta)


@pytest.mark.parametrize("prevalence", [0, 1, 1.5])
def test_bad_prevalence(prevalence: float) -> None:
    for made in (rh.MCC, lambda p: rh.FBeta(prevalence=p)):
        with pytest.raises(ValueError, match="prevalence"):
            made(prevalence)


def test_intervals_hold_the_estimate_and_are_ordered() -> None:
    fpr = Interval(0.1, 0.3, 0.2, 0.95, "wilson")
    tpr = Interval(0.6, 0.9, 0.8, 0.95, "wilson")
    for measure in (rh.Youden(), rh.BalancedAccuracy(), rh.FBeta(2, prevalence=0.2)):
        found, lost = measure.interval(fpr, tpr), measure.loss_interval(fpr, tpr)
        assert measure.value(0.3, 0.6) < found.low < found.estimate < found.high < measure.value(0.1, 0.9)
        assert (lost.low, lost.high) == (1 - found.high, 1 - found.low)
    youden = rh.Youden().interval(fpr, tpr)
    assert youden.low == pytest.approx(0.6 - math.hypot(0.1, 0.2))  # Zou & Donner, by hand
    assert youden.high == pytest.approx(0.6 + math.hypot(0.1, 0.1))
    assert math.isnan(rh.MCC(0.2).interval(fpr, tpr).low)  # it has none


def test_a_measure_with_a_hole_cannot_be_made() -> None:
    with pytest.raises(TypeError, match=r"Hollow is not complete: .* state its loss_measure"):

        class Hollow(Objective):
            key, sign = "hollow", 1

            def value(self, fpr: Any, tpr: Any) -> Any:
                return tpr

    class NoValue(Objective):
        key = loss_measure = "none"
        sign = 1

    with pytest.raises(TypeError, match="abstract method"):
        NoValue()  # type: ignore[abstract]
