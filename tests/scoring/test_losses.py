"""Rules from a pair of losses: those of the closed forms, what they weigh, and what is not proper."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta

import rochull as rh
from profiles import tries

P = np.concatenate([[0.0, 1e-9], np.linspace(0.01, 0.99, 99), [1 - 1e-9, 1.0]])
PAIRS: dict[str, Any] = {
    "Brier": (lambda q: (1 - q) ** 2, np.square, rh.Brier(), (2, 2)),
    "log": (lambda q: -np.log(q), lambda q: -np.log1p(-q), rh.LogScore(), (1, 1)),
    "boosting": (
        lambda q: 2 / np.pi * np.sqrt((1 - q) / q), lambda q: 2 / np.pi * np.sqrt(q / (1 - q)),
        rh.BetaScore(0.5, 0.5), (0.5, 0.5),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_a_pair_is_the_rule_whose_losses_it_states(name: str) -> None:
    if_positive, if_negative, rule, parameters = PAIRS[name]
    made = rh.ScoringRule.from_losses(if_positive, if_negative)
    for found, expected in zip(made.losses(P), rule.losses(P), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-12)
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.4
    p = np.clip(0.3 * rng.random(300) + 0.5 * y, 0.01, 0.99)
    assert made.score(y, p) == pytest.approx(rule.score(y, p), rel=1e-12)
    hull = rh.roc_hull(y, p)
    assert made.minimum(hull, 0.2) == pytest.approx(rule.minimum(hull, 0.2), rel=1e-9)
    assert rh.decompose(y, p, made).miscalibration == pytest.approx(rh.decompose(y, p, rule).miscalibration)
    assert made.scale == pytest.approx(rule.scale, rel=1e-5)
    assert made.strict
    for each in (made, rule):
        for low, high in ((0, 1), (0.1, 0.3), (0.5, 0.9), (0.2, 0.2)):
            share = float(np.diff(beta(*parameters).cdf([low, high]))[0])
            assert each.weight_between(low, high) == pytest.approx(share, abs=2e-6)


def test_the_weight_of_the_spherical_rule_is_its_density() -> None:
    """t (1 - t) / (t² + (1 - t)²)^(3/2), from the losses' derivatives."""

    def size(q: Any) -> Any:
        return np.sqrt(q**2 + (1 - q) ** 2)

    made = rh.ScoringRule.from_losses(lambda q: 1 - q / size(q), lambda q: 1 - (1 - q) / size(q))
    mass = [quad(lambda t: t * (1 - t) / size(t) ** 3, *ends)[0] for ends in ((0, 0.3), (0, 1))]
    assert made.weight_between(0, 0.3) == pytest.approx(mass[0] / mass[1], rel=1e-6)
    assert made.scale == pytest.approx(mass[1], rel=1e-6)


def test_steps_are_costs_at_one_threshold() -> None:
    made = rh.ScoringRule.from_losses(lambda q: (q <= 0.3) / 0.3, lambda q: (q > 0.3) / 0.7)
    p = np.array([0.0, 0.2, 0.31, 1.0])
    expected = rh.CostWeighted(0.3).losses(p)
    np.testing.assert_allclose(made.losses(p), expected, rtol=1e-15)
    assert not made.strict
    assert made.scale == pytest.approx(1)
    both = 0.5 * made + rh.Brier()
    assert both.strict
    assert both.scale == pytest.approx(0.5 + 1 / 3)
    assert (made.weight_between(0.29, 0.31), made.weight_between(0.4, 1)) == (1, 0)
    assert rh.CostWeighted(0.3).weight_between(0.29, 0.31) == 1


@given(st.floats(1, 3), st.floats(1, 3))
@tries(40)
def test_powers_are_proper_as_all_pairs_of_forecasts_tell(a: float, b: float) -> None:
    """The expected loss of every forecast at every probability, on a grid: only the true one may be best."""
    q = np.linspace(0.001, 0.999, 400)
    expected = q[:, None] * (1 - q) ** a + (1 - q[:, None]) * q**b
    proper = (expected >= np.diag(expected)[:, None] - 1e-12).all()
    try:
        rh.ScoringRule.from_losses(lambda q: (1 - q) ** a, lambda q: q**b)
    except ValueError as error:
        assert not proper
        words = str(error).replace(",", "").split()
        p, other = float(words[words.index("probability") + 1]), float(words[words.index("forecast") + 1])
        loss = [p * (1 - x) ** a + (1 - p) * x**b for x in (p, other)]
        assert loss[1] <= loss[0] * (1 + 1e-6)  # as the sentence says, but for its digits
    else:
        assert proper


def test_what_is_not_a_pair_of_losses_is_refused() -> None:
    square: Any = np.square
    for pair, message in (
        ((lambda q: 1 - q, lambda q: q), "are not proper: where positives have the probability"),
        ((lambda q: (1 - q) ** 2 + 1, square), "if_positive must be 0 at 1, but is 1.0: take that off"),
        ((square, lambda q: (1 - q) ** 2), "if_positive must be 0 at 1, but is 1.0"),
        ((lambda q: np.where(q > 0, 1 - q, -1.0), square), "must not be negative, but is -1.0 at 0"),
        ((lambda q: -q * (1 - q), square), "if_positive must not be negative"),
        ((lambda q: 0.5, square), "if_positive must return numbers in an array"),
    ):
        with pytest.raises(ValueError, match=message):
            rh.ScoringRule.from_losses(*pair)


# --- one class -------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", [rh.Brier(), rh.LogScore(), rh.CostWeighted(0.1)], ids=repr)
@pytest.mark.parametrize("label", [0, 1])
def test_examples_of_one_class_have_a_mean_loss(rule: Any, label: int) -> None:
    p, weights = [0.2, 0.5, 0.9, 0.05], [1.0, 0.0, 2.0, 0.5]
    losses = rule.losses(p)[1 - label]
    assert rule.score([label] * 4, p) == pytest.approx(losses.mean(), rel=1e-14)
    assert rule.score([label] * 4, p, weights) == pytest.approx(
        np.average(losses, weights=weights), rel=1e-14
    )
    words = ["ill" if label else "well"] * 4
    assert rule.score(words, p, pos_label="ill") == pytest.approx(losses.mean(), rel=1e-14)
    parts = rh.decompose([label] * 4, p, rule)
    assert (parts.score, parts.miscalibration) == pytest.approx((losses.mean(), losses.mean()), rel=1e-14)
    # A mixture of both classes at a prior needs both; so does what is compared with a hull.
    with pytest.raises(ValueError, match="y_true has one class only"):
        rule.score([label] * 4, p, prevalence=0.3)
    with pytest.raises(ValueError, match="y_true has one class only"):
        rule.calibration_loss([label] * 4, p)
    with pytest.raises(ValueError, match="all examples weigh nothing"):
        rule.score([label] * 4, p, [0, 0, 0, 0])
