"""Cases to be labelled besides those that are flagged: no decision changes, and probabilities are right."""

import numpy as np
import pandas as pd
import pytest

import rochull as rh

COST = rh.ExpectedCost(1, 5, 0.2)


def _drawn(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.2
    return y, rng.normal(1.5 * y)


@pytest.fixture(scope="module")
def policy():
    y, s = _drawn(4_000, 0)
    return rh.Policy.from_hull(rh.roc_hull(y, s), salt="x")


@pytest.mark.parametrize(
    "condition",
    [COST, rh.NeymanPearson(0.123), rh.Review(1, 5, 0.1, prevalence=0.2)],
    ids=["rule", "lot", "review"],
)
@pytest.mark.parametrize("how", [{"random_state": 3}, {"key": np.arange(5_000)}], ids=["seed", "key"])
def test_no_decision_changes(policy, condition, how):
    _, s = _drawn(5_000, 1)
    found = policy.decide(s, condition, explore=0.1, **how)
    assert (found.decisions == policy.decide(s, condition, **how)).all()
    others = (found.decisions == "negative") if found.decisions.dtype.kind == "U" else ~found.decisions
    assert (found.probability == np.where(others, 0.1, 1)).all()
    assert found.label[~others].all()
    assert abs(found.label[others].mean() - 0.1) < 0.02
    again = policy.decide(s, condition, explore=0.1, **how)
    assert (found.label == again.label).all()


def test_a_capacity_has_a_budget_besides(policy):
    _, s = _drawn(1_000, 2)
    found = policy.decide(
        s, rh.Capacity(cases=50, population=1_000, prevalence=0.2), explore=0.03, random_state=0
    )
    assert found.decisions.sum() == 50
    assert found.label.sum() == 50 + 30
    assert found.probability[~found.decisions] == pytest.approx(np.full(950, 30 / 950))


def test_the_key_s_lots_are_others_than_those_of_decisions(policy):
    """Where a mixture decides, the explored are not the ones whose lots were low."""
    keys = np.arange(20_000)
    found = policy.decide(np.full(20_000, -5.0), COST, explore=0.5, key=keys, on_misfit="ignore")
    lot = policy.decide(np.full(20_000, 9.0), rh.NeymanPearson(0.123), key=keys, on_misfit="ignore")
    assert not found.decisions.any()
    assert lot.all() or abs(np.corrcoef(found.label, lot)[0, 1]) < 0.03
    table = pd.DataFrame({"score": np.full(20_000, -5.0), "id": keys})
    assert (policy.decide(table, COST, explore=0.5, key="id", on_misfit="ignore").label == found.label).all()


def test_explored_labels_tell_of_all_cases(policy):
    """By selected labels alone the recall is all; by their probabilities it is right."""
    y, s = _drawn(20_000, 4)
    found = policy.decide(s, COST, explore=0.05, random_state=1)
    known = np.where(found.label, y, np.nan)
    told = policy.performance(s, COST, known, sample_weight=found.weight).observed
    alone = (found.decisions & y).sum() / (found.label & y).sum()
    truth = (found.decisions & y).sum() / y.sum()
    assert told.tpr.low < truth < told.tpr.high
    assert alone > told.tpr.high
    assert told.prevalence.low < y.mean() < told.prevalence.high


@pytest.mark.parametrize("explore", [0, 1, -0.1, 2])
def test_a_share_is_between_0_and_1(policy, explore):
    with pytest.raises(ValueError, match="explore"):
        policy.decide([0.5], COST, explore=explore)
