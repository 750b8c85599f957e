"""Several limits at once, deployed: decisions and SQL are those of the hull's own point; and cases of a batch."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import rochull as rh

RNG = np.random.default_rng(18)
Y = (RNG.random(4_000) < 0.2).astype(int)
SCORES = {"a": np.round(RNG.normal(size=Y.size) + 1.2 * Y, 2), "b": np.round(RNG.normal(size=Y.size) + Y, 2)}
HYBRID = rh.Hybrid().add("a", Y, SCORES["a"]).add("b", Y, SCORES["b"])
LIMITS = [rh.FalsePositiveRate() <= 0.2, rh.Precision() >= 0.5, rh.AlarmRate() <= 0.22]


@pytest.mark.parametrize("goal", [rh.Recall(), rh.ExpectedCost(1, 4), rh.Precision()], ids=str)
@pytest.mark.parametrize("deterministic", [False, True])
def test_every_door_takes_them(goal: Any, deterministic: bool) -> None:
    policy = rh.Policy.from_json(HYBRID.policy().to_json())
    point = policy.at(goal, deterministic, subject_to=LIMITS)
    assert point == HYBRID.at(goal, deterministic, subject_to=LIMITS)
    key = np.arange(Y.size)
    with pytest.warns(UserWarning, match="condition states no prevalence"):
        called = policy.decide(SCORES, goal, subject_to=LIMITS, deterministic=deterministic, key=key)
    assert called.tolist() == policy.decide(SCORES, point, key=key).tolist()
    table = pa.table({**SCORES, "id": key})
    with pytest.warns(UserWarning, match="condition states no prevalence"):
        text = policy.to_sql(goal, "duckdb", subject_to=LIMITS, deterministic=deterministic, key="id")
    rows = duckdb.from_arrow(table).project(text).fetchall()
    assert [row[0] for row in rows] == called.tolist()
    best = HYBRID.at(goal, deterministic, subject_to=LIMITS)
    assert best.fpr <= 0.2
    assert best.precision() >= 0.5 - 1e-12
    assert best.alarm_rate() <= 0.22 + 1e-12


def test_so_many_cases_of_a_batch_beside_other_limits() -> None:
    policy = HYBRID.policy()
    batch = {name: column[:500] for name, column in SCORES.items()}
    key = np.arange(500)
    precise = rh.Precision(0.2) >= 0.6
    many = policy.decide(batch, rh.Recall(), subject_to=[precise, rh.Capacity(cases=400)], key=key)
    assert many.tolist() == policy.decide(batch, rh.Recall(), subject_to=precise, key=key).tolist()
    few = policy.decide(batch, rh.Recall(), subject_to=[precise, rh.Capacity(cases=17)], key=key)
    assert few.tolist() == policy.decide(batch, rh.Capacity(cases=17), key=key).tolist()
    assert few.sum() == 17 < many.sum()
    floor = [rh.Recall() >= 0.8, rh.Capacity(cases=17)]
    with pytest.raises(
        rh.InfeasibleConditionError, match=r"cases=17 are too few: the other limits call at least"
    ):
        policy.decide(batch, rh.ExpectedCost(prevalence=0.2), subject_to=floor, key=key)
    with pytest.raises(rh.InfeasibleConditionError, match=r"cases=17 are too few"):
        policy.decide(batch, rh.Capacity(cases=17, prevalence=0.2), subject_to=floor[0], key=key)
    for cases, expected in ((17, few), (400, many)):  # the number of cases comes first
        found = policy.decide(batch, rh.Capacity(cases=cases), subject_to=precise, key=key)
        assert found.tolist() == expected.tolist()
        both = rh.Within(rh.Capacity(cases=cases), precise)
        assert policy.rank(batch, both, key=key).called.tolist() == expected.tolist()
    with pytest.raises(ValueError, match="population is needed"):
        policy.at(rh.ExpectedCost(prevalence=0.2), subject_to=floor)


@pytest.mark.parametrize("k", [17, 60, 400])
def test_a_number_of_cases_as_the_goal_keeps_the_other_limits(k: int) -> None:
    policy, key = HYBRID.policy(), np.arange(500)
    batch = {name: column[:500] for name, column in SCORES.items()}
    limits = [rh.Precision(0.2) >= 0.6, rh.FalsePositiveRate() <= 0.15]
    twin = policy.decide(batch, rh.Recall(), subject_to=[*limits, rh.Capacity(cases=k)], key=key)
    found = policy.decide(batch, rh.Capacity(cases=k), subject_to=limits, key=key)
    assert found.tolist() == twin.tolist()
    for condition in (
        rh.Within(rh.Capacity(cases=k), limits),
        rh.Within(rh.Recall(), [*limits, rh.Capacity(cases=k)]),
    ):
        queue = policy.rank(batch, condition, key=key)
        assert queue.called.tolist() == twin.tolist()
        assert (queue.cases, sorted(queue.rank.tolist())) == (twin.sum(), list(range(1, 501)))
    with pytest.raises(rh.InfeasibleConditionError, match="cases=17 are too few"):
        policy.decide(batch, rh.Capacity(cases=17), subject_to=rh.Recall() >= 0.8, key=key)
    both = rh.Within(rh.Capacity(cases=40), rh.Capacity(cases=17))
    assert policy.decide(batch, both, key=key).sum() == 17


def test_a_single_threshold_of_a_curve_where_no_vertex_keeps_the_limits() -> None:
    y, scores = [1, 0, 1, 1, 0, 0, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    hull = rh.RocHull.from_curve(rh.roc_curve(y, scores))
    limits = [rh.Recall() >= 0.5, rh.FalsePositiveRate() <= 0.3, rh.AlarmRate(0.5) <= 0.4]
    point = hull.at(rh.Recall(), True, subject_to=limits)
    assert (point.fpr, point.tpr, point.source) == (0.25, 0.5, "curve")
