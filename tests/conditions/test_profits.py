"""Profits by name: the expected maximum against quadrature, and against the formulas as they were published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy import integrate, stats
from scipy.special import beta as beta_function

import rochull as rh
from adversaries import examples
from rochull.conditions import ChurnProfit, CreditProfit
from rochull.conditions.profits import StochasticProfit

CHURN = [{}, {"lifetime_value": 50, "incentive": 20, "contact": 0}, {"acceptance": (2, 3), "contact": 30}]
CREDIT = [{}, {"roi": 0}, {"no_loss": 0, "full_loss": 0}, {"roi": 0.05, "no_loss": 0.2, "full_loss": 0.8}]


def churn_by_quadrature(hull: Any, made: Any) -> tuple[float, float]:
    """The profit and the share of the best vertex, averaged over the share that accepts."""
    value, gift, call, (a, b) = made._stated
    x, y, p = hull.fpr, hull.tpr, hull.prevalence

    def at(accepted: float) -> tuple[float, float]:
        profits = p * y * (accepted * (value - gift) - call) - (1 - p) * x * (gift + call)
        i = int(np.argmax(profits))
        return profits[i], p * y[i] + (1 - p) * x[i]

    steps = np.linspace(0, 1, 20001)
    found = np.array([at(step) for step in steps.tolist()]) * stats.beta.pdf(steps, a, b)[:, None]
    profit, share = integrate.simpson(found, steps, axis=0)
    return float(profit), float(share)


def credit_as_published(hull: Any, made: Any) -> tuple[float, float]:
    """Verbraken et al. 2014, as the R package EMP sums it over the segments of the hull."""
    roi, p0, p1 = made._stated
    f0, f1, pi0 = hull.tpr, hull.fpr, hull.prevalence
    pi1 = 1 - pi0
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.where(np.diff(f0) > 0, pi1 * roi / pi0 * (np.diff(f1) / np.diff(f0)), np.inf)
    below = steps[steps < 1]
    lower = np.concatenate([[0.0], below])
    upper = np.concatenate([below, [1.0]])
    f0, f1 = f0[: lower.size], f1[: lower.size]
    alpha = 1 - p0 - p1
    profit = np.sum(alpha * (upper - lower) * (pi0 * f0 * (upper + lower) / 2 - roi * f1 * pi1))
    profit += p1 * (pi0 * f0[-1] - roi * f1[-1] * pi1)
    share = np.sum(alpha * (upper - lower) * (pi0 * f0 + pi1 * f1)) + p1 * (pi0 * f0[-1] + pi1 * f1[-1])
    return float(profit), float(share)


def churn_as_published(hull: Any, made: Any) -> float:
    """Verbraken et al. 2013, as the R package EMP sums it over the segments of the hull."""
    value, gift, call, (a, b) = made._stated
    delta, phi = gift / value, call / value
    f0, f1, pi0 = hull.tpr, hull.fpr, hull.prevalence
    pi1 = 1 - pi0
    with np.errstate(divide="ignore"):
        top = pi1 * (delta + phi) * np.diff(f1) + pi0 * phi * np.diff(f0)
        steps = top / (pi0 * (1 - delta) * np.diff(f0))
    below = steps[steps < 1]
    lower, upper = np.concatenate([[0.0], below]), np.concatenate([below, [1.0]])
    f0, f1 = f0[: lower.size], f1[: lower.size]
    part = beta_function(a + 1, b) / beta_function(a, b)
    part = part * (stats.beta.cdf(upper, a + 1, b) - stats.beta.cdf(lower, a + 1, b))
    whole = stats.beta.cdf(upper, a, b) - stats.beta.cdf(lower, a, b)
    kept = value * (1 - delta) * pi0 * f0 * part
    spent = value * (phi * pi0 * f0 + (delta + phi) * pi1 * f1) * whole
    return float(np.sum(kept - spent))


@given(examples(max_size=60))
def test_the_published_sums(data: Any) -> None:
    y, scores, weights = data
    hull = rh.roc_hull(y, scores, sample_weight=weights)
    options = {"sample_weight": weights}
    for numbers in CREDIT:
        made = CreditProfit(**numbers)
        found = rh.scoring.expected_maximum_profit(y, scores, made, **options)
        assert (found.profit, found.fraction) == pytest.approx(credit_as_published(hull, made), abs=1e-12)
    for numbers in CHURN[:2]:
        churn = ChurnProfit(**numbers)
        profit = rh.scoring.expected_maximum_profit(y, scores, churn, **options).profit
        assert profit == pytest.approx(churn_as_published(hull, churn), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("numbers", CHURN)
def test_quadrature(numbers: Any) -> None:
    rng = np.random.default_rng(3)
    y = rng.random(60) < 0.3
    hull = rh.roc_hull(y, rng.normal(y).round(1))
    made = ChurnProfit(**numbers).at_prevalence(hull.prevalence)
    found = made.expected_maximum(hull.frontier)
    profit, share = churn_by_quadrature(hull, made)
    assert found.profit == pytest.approx(profit, rel=1e-4)
    assert found.fraction == pytest.approx(share, rel=1e-3)


@given(examples(max_size=40))
def test_one_rule_for_all(data: Any) -> None:
    """No single rule earns more on average than that of the hull, and it earns no more than the maximum."""
    y, scores, weights = data
    hull = rh.RocHull.from_curve(rh.roc_curve(y, scores, sample_weight=weights))
    curve = hull.curves[None]
    for made in (ChurnProfit(), CreditProfit()):
        known = made.at_prevalence(hull.prevalence)
        point = hull.at(made)
        earned = known.profit(point.fpr, point.tpr)
        profits = [known.profit(*rates) for rates in zip(curve.fpr.tolist(), curve.tpr.tolist(), strict=True)]
        assert earned == pytest.approx(max(profits), abs=1e-12)
        assert earned <= known.expected_maximum(hull.frontier).profit + 1e-9
        cost = point.expected_cost(known)
        assert earned == pytest.approx(hull.prevalence * known.cost_fn - cost, abs=1e-9)


def test_of_empulse() -> None:
    """What empulse 0.13.1 says of these scores (`empc_score`, `empcs_score`, `optimal_rate`)."""
    y, scores = [0, 1, 0, 1, 0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.8, 0.9]
    found = rh.scoring.expected_maximum_profit(y, scores, ChurnProfit())
    assert (found.profit, found.fraction) == pytest.approx((23.875593418348117, 0.8743700763487141), rel=1e-9)
    found = rh.scoring.expected_maximum_profit(y, scores, CreditProfit())
    assert (found.profit, found.fraction) == pytest.approx((0.0974701705, 0.324345), rel=1e-9)


def test_how_they_are_written_and_kept() -> None:
    made = ChurnProfit(contact=2, acceptance=(1, 3))
    assert repr(made) == (
        "ChurnProfit(lifetime_value=200.0, incentive=10.0, contact=2.0, acceptance=(1.0, 3.0), prevalence=None)"
    )
    assert made.cost_fn == 190 / 4 - 2
    at = made.at_prevalence(0.25)
    assert (at._stated, at.prevalence, at.question.lacks_prevalence) == (made._stated, 0.25, False)
    assert "highest expected profit of a campaign against churn" in at.describe()
    assert repr(CreditProfit(prevalence=0.1)) == (
        "CreditProfit(roi=0.2644, no_loss=0.55, full_loss=0.1, prevalence=0.1)"
    )
    assert made != ChurnProfit(contact=2, acceptance=(2, 6))
    assert made == ChurnProfit(contact=2, acceptance=(1, 3))
    assert hash(made) == hash(ChurnProfit(contact=2, acceptance=(1, 3)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ChurnProfit(incentive=200), "incentive must be below lifetime_value=200, but is 200"),
        (lambda: ChurnProfit(contact=-1), "contact must"),
        (lambda: ChurnProfit(acceptance=0.3), r"acceptance must be a pair \(a, b\)"),
        (lambda: ChurnProfit(contact=100), "ChurnProfit: a hit loses 43 on average"),
        (lambda: CreditProfit(no_loss=0.8, full_loss=0.3), "at most 1 together, but are 0.8 and 0.3"),
        (lambda: CreditProfit(prevalence=2), "prevalence"),
    ],
)
def test_what_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_what_has_no_expected_maximum() -> None:
    with pytest.raises(TypeError, match="condition must be a ChurnProfit or a CreditProfit, but is Accuracy"):
        rh.scoring.expected_maximum_profit([0, 1], [1, 2], rh.Accuracy(0.5))  # type: ignore[arg-type]
    with pytest.raises(rh.ImpreciseConditionError):
        rh.scoring.expected_maximum_profit([0, 1], [1, 2], CreditProfit(prevalence=(0.1, 0.2)))


def test_one_with_a_hole_cannot_be_made() -> None:
    @dataclass(frozen=True)
    class Hollow(StochasticProfit):
        pass

    with pytest.raises(TypeError, match="Hollow is not complete: it does not define _beyond"):
        Hollow()  # type: ignore[abstract]
