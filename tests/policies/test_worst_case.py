"""Bounds of a cost where ratios are wrong by a factor, beside trying every corner."""

import itertools
import math

import numpy as np
import pytest

import rochull as rh

COST = rh.ExpectedCost(1, 3, 0.4)
Y = [1, 1, 0, 1, 0, 1, 0, 0]
POLICY = rh.Policy.from_hull(rh.roc_hull(Y * 10, [8, 7, 6, 5, 4, 3, 2, 1] * 10))
BATCH = np.array([8, 7, 6.5, 6, 5, 4.5, 4, 3, 3, 2, 1, 1])


@pytest.mark.parametrize("factor", [1.0, 1.5, 4.0])
def test_every_corner(factor):
    found = POLICY.worst_case(BATCH, COST, factor)
    blocks = rh.roc_hull(Y, [8, 7, 6, 5, 4, 3, 2, 1]).blocks
    at = [next(i for i, low in enumerate(blocks.low) if s >= low) for s in BATCH]
    own = blocks.posterior / (1 - blocks.posterior + 1e-300) * (0.4 / 0.6)  # of 4 positives and 4 negatives
    flags = POLICY.decide(BATCH, COST)
    costs, regrets = [], []
    for times in itertools.product([1 / factor, factor], repeat=len(own)):
        odds = (own * times)[at]
        p = np.where(np.isfinite(odds), odds / (1 + odds), 1.0)
        each = np.where(flags, 1 - p, 3 * p)
        costs.append(each.mean())
        regrets.append((each - np.minimum(1 - p, 3 * p)).mean())
    assert (found.low, found.high) == pytest.approx((min(costs), max(costs)))
    assert found.regret == pytest.approx(max(regrets), abs=1e-12)
    if factor == 1:
        assert found.expected_cost == pytest.approx(found.low) == pytest.approx(found.high)
        assert found.regret == pytest.approx(0, abs=1e-12)


def test_where_other_decisions_may_be_better():
    found = POLICY.worst_case(BATCH, COST)
    before, after = (POLICY.worst_case(BATCH, COST, found.changes_at * step) for step in (0.999, 1.001))
    assert before.regret <= 0.02 * found.expected_cost <= after.regret
    assert POLICY.worst_case(BATCH, COST, margin=0.5).changes_at > found.changes_at
    assert math.isinf(POLICY.worst_case([9.0] * 3, rh.ExpectedCost(0, 3, 0.4)).changes_at)
    assert "odds are wrong by up to 2" in str(found)


@pytest.mark.parametrize(
    ("how", "told"),
    [({"factor": 0.5}, "at least 1"), ({"margin": -1}, "margin"), ({"factor": "x"}, "factor")],
)
def test_what_is_refused(how, told):
    with pytest.raises((ValueError, TypeError), match=told):
        POLICY.worst_case(BATCH, COST, **how)


def test_only_costs_have_a_worst():
    with pytest.raises(ValueError, match=r"no costs|two classifiers"):
        POLICY.worst_case(BATCH, rh.NeymanPearson(0.25))


@pytest.mark.parametrize("factor", [1e9, 1e300])
def test_a_factor_without_measure_is_the_worst_of_all(factor):
    """Each range may hold anything: passed ones cost a miss each, flagged ones a false alarm each."""
    policy = rh.Policy.from_hull(rh.roc_hull([1, 1, 0, 1, 0, 0] * 20, [6, 5, 4, 3, 2, 1] * 20))
    batch = np.repeat([6.0, 4.0, 1.0], [2, 3, 5])
    found = policy.worst_case(batch, rh.ExpectedCost(1, 1, 0.5), factor)
    flagged = policy.decide(batch, rh.ExpectedCost(1, 1, 0.5)).mean()
    posterior_is_certain = np.isin(batch, [6.0, 1.0])  # ranges of one class stay what they are
    assert 0 <= found.low <= found.expected_cost <= found.high <= 1
    assert np.isfinite(found.regret)
    assert found.high <= max(flagged, 1 - flagged) + (~posterior_is_certain).mean()


@pytest.mark.parametrize("ask", ["worst_case", "label_plan"])
def test_a_lot_between_two_classifiers_is_refused_in_a_sentence(ask):
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.4
    a, b = np.where(y, rng.normal(1, 0.3, 400), rng.normal(0, 3, 400)), rng.normal(2 * y)
    hybrid = rh.Hybrid().add("a", y, a).add("b", y, b)
    policy, owners = hybrid.policy(), [rule.classifier for rules in hybrid.hull.owners for rule in rules]
    point = next(
        point
        for point in (hybrid.at(rh.NeymanPearson(rate)) for rate in np.linspace(0.01, 0.99, 99).tolist())
        if len(point.classifiers) == 2
    )
    assert {"a", "b"} <= set(owners)
    more = {"n": 20} if ask == "label_plan" else {}
    with pytest.raises(ValueError, match="decided by two classifiers"):
        getattr(policy, ask)({"a": a, "b": b}, condition=point, **more)
