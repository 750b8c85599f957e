"""Two policies on the same cases: counts, and changes of the cost by hand."""

import numpy as np
import pytest

import rochull as rh

COST = rh.ExpectedCost(1, 4, 0.3)


@pytest.fixture(scope="module")
def cases():
    rng = np.random.default_rng(0)
    y = rng.random(3_000) < 0.3
    return y, {"a": rng.normal(1.5 * y), "b": rng.normal(1.2 * y)}


@pytest.fixture(scope="module")
def policies(cases):
    y, s = cases
    return [rh.Policy.from_hull(rh.roc_hull(y[:2_000], s[name][:2_000]).named(name)) for name in "ab"]


def test_by_hand(cases, policies):
    old, new = policies
    y, s = cases[0][2_000:], {name: values[2_000:] for name, values in cases[1].items()}
    known = np.where(np.arange(1_000) % 4 == 0, y, np.nan)
    found = old.diff(new, s, COST, known)
    was, will = old.decide(s, COST), new.decide(s, COST)
    assert (found.both, found.old_only) == ((was & will).sum(), (was & ~will).sum())
    assert (found.new_only, found.neither) == ((~was & will).sum(), (~was & ~will).sum())
    assert (found.changed == (was != will)).all()
    assert (found.n, found.n_labelled) == (1_000, 250)
    cost = [4 * (y & ~flags) + 1.0 * (~y & flags) for flags in (was, will)]
    assert found.observed.estimate == pytest.approx((cost[1] - cost[0])[::4].mean())
    assert found.by_old.estimate > 0 > found.by_new.estimate  # each thinks well of its own decisions
    blocks = rh.roc_hull(cases[0][:2_000], cases[1]["a"][:2_000]).blocks
    p = np.array(
        [
            next((p for low, p in zip(blocks.low, blocks.posterior, strict=True) if v >= low), 0)
            for v in s["a"]
        ]
    )
    at = (
        p
        / old.hull.prevalence
        * 0.3
        / (p / old.hull.prevalence * 0.3 + (1 - p) / (1 - old.hull.prevalence) * 0.7)
    )
    worth = (will.astype(int) - was) * ((1 - at) - 4 * at)
    assert found.by_old.estimate == pytest.approx(worth.mean(), abs=2e-3)
    assert "are decided otherwise" in str(found)


def test_nothing_changes(cases, policies):
    y, s = cases
    found = policies[0].diff(policies[0], s, COST, y)
    assert (found.old_only, found.new_only) == (0, 0)
    assert found.by_old.estimate == found.by_new.estimate == found.observed.estimate == 0
    assert found.observed.high < 0.01


def test_other_kinds_and_what_is_refused(cases, policies):
    y, s = cases
    rule = rh.policies.FixedPolicy.from_point(policies[1].at(COST))
    found = policies[0].diff(rule, s, COST)
    assert found.by_new is None
    assert found.observed is None
    assert found.new_only == policies[0].diff(policies[1], s, COST).new_only
    assert policies[0].diff(policies[1], s, rh.NeymanPearson(0.1), y, key=np.arange(3_000)).observed is None
    with pytest.raises(ValueError, match="compared by who is flagged"):
        policies[0].diff(policies[1], s, rh.Review(1, 4, 0.1, prevalence=0.3))
    with pytest.raises(ValueError, match="y_true"):
        policies[0].diff(policies[1], s, COST, y[:3])
