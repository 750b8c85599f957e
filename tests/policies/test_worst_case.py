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
