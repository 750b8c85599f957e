"""Curves against the prior log-odds, against loops over rows, llreval, and one another."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy.special import expit, logit

import rochull as rh
from adversaries import Array, examples
from twins import curve_of
from twins_scoring import as_llr, class_mean, ones, softplus

CURVES = [rh.scoring.ece_curve, rh.scoring.ape_curve, rh.scoring.bayes_error_curve]
ODDS = [0.5, -3.0, 0.5, 7.0, 0.0, -30.0, 600.0]  # in no order, one of them twice


def ece_twin(y: Any, llr: Any, weights: Any, odds: float) -> float:
    pos = class_mean([softplus(-x - odds) for x in llr], [v == 1 for v in y], weights)
    neg = class_mean([softplus(x + odds) for x in llr], [v != 1 for v in y], weights)
    return float((expit(odds) * pos + expit(-odds) * neg) / math.log(2))


def ape_twin(y: Any, llr: Any, weights: Any, odds: float) -> float:
    threshold = -odds + 2.0**-44 * max(1, abs(odds))  # what ties to rounding is not called positive
    pmiss = class_mean([x <= threshold for x in llr], [v == 1 for v in y], weights)
    pfa = class_mean([x > threshold for x in llr], [v != 1 for v in y], weights)
    return float(expit(odds) * pmiss + expit(-odds) * pfa)


def least_twin(y: Any, llr: Any, weights: Any, odds: float) -> float:
    points = curve_of(y, llr, weights)
    neg, pos = points[-1]
    return min(
        float(expit(odds)) * (1 - float(t / pos)) + float(expit(-odds)) * float(x / neg) for x, t in points
    )


def same(found: Any, expected: Any, tolerance: float = 1e-12) -> None:
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=1e-15)


@given(examples(max_size=60))
def test_cross_entropy_by_its_definition(rows: Any) -> None:
    labels, scores, weights = rows
    llr = as_llr(scores)
    each = ones(weights, llr.size)
    curve = rh.scoring.ece_curve(labels, llr, ODDS, sample_weight=weights)
    same(curve.actual, [ece_twin(labels, llr.tolist(), each, odds) for odds in ODDS])
    hull = rh.roc_hull(labels, llr, sample_weight=weights)
    least = [rh.LogScore().minimum(hull, expit(odds)) / math.log(2) for odds in ODDS[:-2]]
    np.testing.assert_allclose(curve.minimum[:-2], least, rtol=1e-11, atol=1e-15)
    same(curve.reference, [ece_twin([0, 1], [0.0, 0.0], [1, 1], odds) for odds in ODDS])
    assert (curve.minimum <= np.minimum(curve.actual, curve.reference) * (1 + 1e-12) + 1e-15).all()


@given(examples(max_size=60))
def test_error_rates_by_their_definition(rows: Any) -> None:
    labels, scores, weights = rows
    llr = as_llr(scores)
    each = ones(weights, llr.size)
    curve = rh.scoring.ape_curve(labels, llr, ODDS, sample_weight=weights)
    same(curve.actual, [ape_twin(labels, llr.tolist(), each, odds) for odds in ODDS], 1e-11)
    least = [least_twin(labels, llr, weights, odds) for odds in ODDS]
    np.testing.assert_allclose(curve.minimum, least, rtol=1e-11, atol=1e-15)
    assert (curve.minimum <= np.minimum(curve.actual, curve.reference) * (1 + 1e-12)).all()
    same(curve.reference, [min(expit(odds), expit(-odds)) for odds in ODDS])
    relative = rh.scoring.bayes_error_curve(labels, llr, ODDS, sample_weight=weights)
    same(relative.actual, curve.actual / curve.reference)
    same(relative.minimum, curve.minimum / curve.reference)
    assert relative.reference.tolist() == [1.0] * len(ODDS)


def test_cases_that_tie_at_the_threshold_are_not_called_positive() -> None:
    for above in (0, 2e-16):  # also what ties to rounding
        llr = np.array([1.5, 1.5, -2.0, -2.0]) + above * 3
        curve = rh.scoring.ape_curve([1, 0, 1, 0], llr, [-1.5, 2.0, -1.4])
        p = expit(curve.prior_log_odds)
        assert curve.actual.tolist() == [p[0], (p[1] + 1 - p[1]) / 2, p[2] / 2 + expit(1.4) / 2]


# llreval 0.0.3, on the out-of-fold scores of german_credit_scores:
#   y = (d["class"] == "bad").astype(int); llr = logit(d[name].astype(float)) - logit(0.3)
#   odds = np.array([-4.0, -1.5, 0.0, 0.7, 3.0])
#   fast_Bayes_error_rate(llr, y, odds), ROCCH(PAV(llr, y)).Bayes_error_rate(odds),
#   [cross_entropy(llr[y == 1], llr[y == 0], Ptar=expit(o)) for o in odds]
LLREVAL = {
    "logistic": (
        [0.01798620996209156, 0.17100893079154972, 0.27904761904761904, 0.24812161594455662,
         0.04802657286590698],
        [0.01798620996209156, 0.16625926439670227, 0.2728571428571429, 0.2463683408389939,
         0.045190082013481486],
        [0.11663076885349093, 0.5693187969480867, 0.8072989340096061, 0.7425380536370736,
         0.23569134005691292]),
    "boosted": (
        [0.019652837016981686, 0.16734181931801295, 0.31, 0.29393493451441166, 0.09730375270079918],
        [0.017506577696435786, 0.1573604203154226, 0.2914285714285714, 0.2547637557738204,
         0.04593534573484325],
        [0.12821607535872723, 0.6557233518594546, 0.9982788590820175, 0.9645636300055651,
         0.38006349277740087]),
}  # fmt: skip


@pytest.mark.parametrize("name", LLREVAL)
def test_llreval_agrees(name: str) -> None:
    data = rh.datasets.load("german_credit_scores")
    labels, llr = data["class"] == "bad", logit(data[name].astype(float)) - logit(0.3)
    odds = [-4.0, -1.5, 0.0, 0.7, 3.0]
    actual, least, entropy = LLREVAL[name]
    errors = rh.scoring.ape_curve(labels, llr, odds)
    np.testing.assert_allclose(errors.actual, actual, rtol=1e-13)
    np.testing.assert_allclose(errors.minimum, least, rtol=1e-13)
    np.testing.assert_allclose(rh.scoring.ece_curve(labels, llr, odds).actual, entropy, rtol=1e-13)
    # A peer gives other rates where a prior is given twice.
    twice = rh.scoring.ape_curve(labels, llr, np.repeat(odds, 3))
    assert twice.actual.tolist() == np.repeat(errors.actual, 3).tolist()


def german() -> tuple[Array, Array]:
    data = rh.datasets.load("german_credit_scores")
    return (data["class"] == "bad").astype(int), logit(data["boosted"].astype(float)) - logit(0.3)


def test_at_even_odds_the_cross_entropy_is_cllr() -> None:
    labels, llr = german()
    weights = np.arange(1000) % 5
    for weight in (None, weights):
        curve = rh.scoring.ece_curve(labels, llr, [0.0], sample_weight=weight)
        assert curve.actual[0] == pytest.approx(rh.cllr(labels, llr, sample_weight=weight), rel=1e-14)
        assert curve.minimum[0] == pytest.approx(rh.min_cllr(labels, llr, sample_weight=weight), rel=1e-14)
        assert curve.reference.tolist() == [1.0]


def test_the_area_under_the_errors_is_cllr() -> None:
    # For one positive case the integral over all log-odds x of expit(x) where llr <= -x is
    # log(1 + exp(-llr)), so both classes together have 2 log(2) Cllr.
    labels, llr = german()
    odds = np.linspace(-40, 40, 400_001)
    curve = rh.scoring.ape_curve(labels, llr, odds)
    area = np.trapezoid(curve.actual, odds), np.trapezoid(curve.minimum, odds)
    assert area[0] == pytest.approx(2 * math.log(2) * rh.cllr(labels, llr), rel=1e-5)
    assert area[1] == pytest.approx(2 * math.log(2) * rh.min_cllr(labels, llr), rel=1e-5)


def test_the_largest_minimum_is_the_equal_error_rate() -> None:
    labels, llr = german()
    curve = rh.scoring.ape_curve(labels, llr, np.linspace(-2, 2, 100_001))
    assert curve.minimum.max() == pytest.approx(rh.eer(labels, llr), abs=1e-5)


def test_normalised_error_rates_are_detection_costs() -> None:
    labels, llr = german()
    prevalence = np.array([0.9, 0.02, 0.3, 0.5])
    curve = rh.scoring.bayes_error_curve(labels, llr, logit(prevalence))
    np.testing.assert_allclose(curve.actual, rh.dcf(labels, llr, prevalence), rtol=1e-13)
    np.testing.assert_allclose(curve.minimum, rh.min_dcf(labels, llr, prevalence), rtol=1e-13)
    shifted = rh.scoring.ape_curve(
        labels, llr, logit(prevalence) + math.log(5)
    )  # misses cost five times as much
    p = expit(logit(prevalence) + math.log(5))
    costs = rh.dcf(labels, llr, prevalence, cost_fn=5, normalise=False)
    np.testing.assert_allclose(shifted.actual, costs * (p / (5 * prevalence)), rtol=1e-13)


def test_recalibrated_llrs_reach_the_minimum() -> None:
    labels, llr = german()
    blocks = rh.roc_hull(labels, llr).blocks
    assert blocks is not None
    calibrated = blocks.llr[np.searchsorted(-blocks.low, -llr)]
    for function in CURVES:
        curve = function(labels, calibrated)
        np.testing.assert_allclose(curve.actual, function(labels, llr).minimum, rtol=1e-12)
        np.testing.assert_allclose(curve.actual, curve.minimum, rtol=1e-12)


def test_many_rows_are_added_up_part_by_part() -> None:
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 30_000)
    llr, weights = rng.normal(size=30_000) + 2 * labels - 1, rng.gamma(1, size=30_000)
    curve = rh.scoring.ece_curve(labels, llr, [-2.0, 1.0], sample_weight=weights)
    for odds, found in zip((-2.0, 1.0), curve.actual, strict=True):
        assert found == pytest.approx(ece_twin(labels, llr, weights, odds), rel=1e-13)


def test_llrs_at_the_ends() -> None:
    labels, llr = [1, 1, 0, 0], [math.inf, 1e4, -1e4, -math.inf]
    for function in CURVES:
        curve = function(labels, llr, [-700, 0, 700])
        assert curve.minimum.tolist() == [0, 0, 0]
        assert curve.actual.tolist() == [0, 0, 0]
        assert np.isfinite(curve.reference).all()
    misled = rh.scoring.ece_curve([1, 0, 0], [-math.inf, 2.0, -730.0], [-700, 0, 700])
    assert misled.actual.tolist() == [math.inf] * 3
    assert np.isfinite(misled.minimum).all()
    assert rh.scoring.ece_curve([1, 0], [-730.0, 0.0], [0.0]).actual[0] == pytest.approx(
        (730 / math.log(2) + 1) / 2
    )
    assert rh.scoring.ece_curve(
        [1, 1, 0], [-math.inf, 0, 0], [0], sample_weight=[0, 1, 1]
    ).actual.tolist() == [1]
    most = np.finfo(float).max
    with np.errstate(all="raise", under="ignore"):
        assert rh.scoring.ece_curve([1, 0], [-most / 2, most / 2], [0.0]).actual[0] > 1e308
        assert (
            rh.scoring.ece_curve([1, 1, 0, 0], [-most, -most, most, most]).actual.tolist() == [math.inf] * 201
        )


@pytest.mark.parametrize("function", CURVES)
def test_the_order_of_priors_is_the_callers(function: Any) -> None:
    labels, llr = german()
    odds = np.array([3.0, -1, 3, 0, 2, -1])
    odds.flags.writeable = False
    curve = function(labels, llr, odds)
    assert not np.shares_memory(curve.prior_log_odds, odds)
    assert curve.prior_log_odds.tolist() == odds.tolist()
    alone = [function(labels, llr, [x]) for x in odds]
    for part in ("actual", "minimum", "reference"):
        assert getattr(curve, part).tolist() == [getattr(each, part)[0] for each in alone]
    assert curve.prior.tolist() == expit(odds).tolist()
    assert curve.kind == {"ece": "ece", "ape": "ape"}.get(function.__name__[:3], "bayes_error")


@pytest.mark.parametrize("function", CURVES)
def test_default_priors(function: Any) -> None:
    curve = function([1, 0], [1, 0])
    assert curve.prior_log_odds.tolist() == np.linspace(-10, 10, 201).tolist()
    assert curve.prior_log_odds[100] == 0
    assert len(curve.actual) == len(curve.minimum) == len(curve.reference) == 201


@pytest.mark.parametrize("function", CURVES)
def test_bad_priors_are_named(function: Any) -> None:
    for odds in ([0.0, 701], [-math.inf]):
        with pytest.raises(ValueError, match="prior_log_odds must lie between -700 and 700, but holds"):
            function([0, 1], [0.5, 0.25], odds)
    with pytest.raises(ValueError, match="prior_log_odds has 1 NaN"):
        function([0, 1], [0.5, 0.25], [math.nan])
    with pytest.raises(
        ValueError, match=r"prior_log_odds must be an array of shape \(n,\), but is a float\.$"
    ):
        function([0, 1], [0.5, 0.25], 0.0)
