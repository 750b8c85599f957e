"""A cascade's policy decides as its point says, asks for no score without need, and is what it was when read again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rochull as rh
from cascade_cases import COST, NAMES, fitted, policy, scored
from refusals import refuses
from rochull._core.validation import Array

COSTS = [COST, rh.ExpectedCost(5, 1, 0.5), rh.ExpectedCost(1, 30, 0.02), rh.Accuracy(0.5)]


def measured(y: Array, decided: Array, asked: dict[str, Array], prices: Any, costs: rh.ExpectedCost) -> float:
    """The mean cost of cases, weighted so that they have the condition's prevalence."""
    share: Any = costs.prevalence
    weight = np.where(y == 1, share / y.mean(), (1 - share) / (1 - y.mean()))
    errors = np.where(y == 1, costs.cost_fn * ~decided, costs.cost_fp * decided)
    paid = sum(price * asked[name] for name, price in prices.items() if name in asked)
    return float((weight * (errors + paid)).mean())


@pytest.mark.crossed
@pytest.mark.parametrize("stages", [2, 3])
@pytest.mark.parametrize("costs", COSTS, ids=str)
@pytest.mark.parametrize("shrinkage", [0.0, 30.0, np.inf])
def test_decisions_cost_what_the_point_says(stages: int, costs: Any, shrinkage: float) -> None:
    X, y = scored(stages=stages)
    made = fitted(X, y, shrinkage=shrinkage)
    point, policy = made.at(costs), made.policy()
    asked = {name: policy.needs_score(name, X, costs) for name in list(X)[1:]}
    found = measured(y, policy.decide(X, costs), asked, made.prices, costs)
    assert found == pytest.approx(point.cost)
    assert point.error_cost + point.call_cost == pytest.approx(point.cost)
    for budget in (0, 0.1, 0.3):  # the first score alone decides in between
        point = made.at(costs, budget, deterministic=True)
        asked = {name: policy.needs_score(name, X, point) for name in asked}
        found = measured(y, policy.decide(X, point), asked, made.prices, costs)
        assert found == pytest.approx(point.cost)


@pytest.mark.parametrize(("n_cells", "cost"), [(None, COST), (100, rh.ExpectedCost(0.5, 1, 0.3))])
def test_only_what_is_needed_is_asked_for_once(n_cells: int | None, cost: rh.ExpectedCost) -> None:
    X, _ = scored(1, stages=3)
    made = policy(1, stages=3, n_cells=n_cells)
    expected = made.decide(X, cost)
    needed = {name: made.needs_score(name, X, cost) for name in NAMES}
    assert needed["cheap"].all()
    assert 0 < needed["human"].sum() < needed["dear"].sum() < expected.size
    assert not (needed["human"] & ~needed["dear"]).any()
    asked: dict[str, list[Any]] = {name: [] for name in NAMES}

    def asking(name: str) -> Any:
        return lambda rows: asked[name].append(rows) or X[name][rows]

    lazy = {"cheap": X["cheap"], "dear": asking("dear"), "human": asking("human")}
    assert made.decide(lazy, cost).tolist() == expected.tolist()
    for name in NAMES[1:]:
        (rows,) = asked[name]
        assert rows.tolist() == np.flatnonzero(needed[name]).tolist()
    table = pl.DataFrame(
        {name: np.where(needed[name], column, np.nan) for name, column in X.items()}, nan_to_null=True
    )
    assert made.decide(table, cost).tolist() == expected.tolist()
    renamed = table.rename({"dear": "model 2"})
    assert made.decide(renamed, cost, columns={"dear": "model 2"}).tolist() == expected.tolist()
    nobody = {**lazy, "dear": None, "human": None}  # none is asked where nothing can be gained
    made.decide(nobody, rh.ExpectedCost(1, 1, 0.0))


def test_a_budget_is_kept_by_lots_that_keys_draw() -> None:
    X, y = scored(2, 20000)
    made = fitted(X, y)
    at, policy = made.at(COST, max_calls=0.123), made.policy()
    keys = np.arange(y.size)
    asked = policy.needs_score("dear", X, COST, max_calls=0.123, key=keys)
    weight = np.where(y == 1, 0.3 / y.mean(), 0.7 / (1 - y.mean()))
    assert at.calls["dear"] == pytest.approx(0.123)
    assert (weight * asked).mean() == pytest.approx(0.123, abs=0.01)
    decided = policy.decide(X, COST, max_calls=0.123, key=keys)
    assert decided.tolist() == policy.decide(X, at, key=keys).tolist()
    assert decided.tolist() == policy.decide({**X, "id": keys}, at, key="id").tolist()
    found = measured(y, decided, {"dear": asked}, made.prices, COST)
    assert found == pytest.approx(at.cost, abs=0.01)
    drawn = policy.decide(X, at, random_state=0)
    assert drawn.tolist() == policy.decide(X, at, random_state=0).tolist()
    whole = policy.at(COST, max_calls=0.123, deterministic=True)
    assert whole.calls["dear"] < 0.123
    assert not whole.plan.is_mixed


def test_missing_scores_pass_nothing_and_are_counted() -> None:
    X, _ = scored(3)
    made = policy(3)
    needed, clean = made.needs_score("dear", X, COST), made.decide(X, COST)
    lacking = {name: column.copy() for name, column in X.items()}
    row = int(np.flatnonzero(needed & clean)[0])
    lacking["dear"][row] = np.nan
    with pytest.warns(UserWarning, match=r"scores\['dear'\] has 1 missing values where it is asked"):
        decided = made.decide(lacking, COST)
    assert np.flatnonzero(decided != clean).tolist() == [row]
    lacking = {**X, "cheap": X["cheap"].copy()}
    lacking["cheap"][:5] = np.nan
    with pytest.warns(UserWarning, match=r"scores\['cheap'\] has 5 missing"):
        assert not made.decide(lacking, COST)[:5].any()


def test_the_prevalence_of_the_data_is_said() -> None:
    X, y = scored(4)
    made = policy(4)
    point = made.at(rh.ExpectedCost(1, 2))
    assert point.prevalence == pytest.approx(y.mean())
    assert "at the data's prevalence" in str(point)
    with pytest.warns(UserWarning, match="condition states no prevalence"):
        made.decide(X, rh.ExpectedCost(1, 2))
    made.decide(X, point)


def test_read_again_it_decides_alike_with_numpy_alone(tmp_path: Path) -> None:
    X, _ = scored(5, stages=3)
    made = policy(5, stages=3)
    read = rh.cascades.CascadePolicy.from_json(made.to_json())
    assert read.to_json() == made.to_json()
    assert (read.salt, read.about, repr(read)) == ("s", {"from": "a test"}, repr(made))
    assert read.at(COST, max_calls=0.4) == made.at(COST, max_calls=0.4)
    assert read.frontier(COST).cost.tolist() == made.frontier(COST).cost.tolist()
    made.save(tmp_path / "policy.json")
    np.savez(tmp_path / "X.npz", **X)
    code = (
        "import sys, numpy as np, rochull as rh\n"
        f"made = rh.cascades.CascadePolicy.load({str(tmp_path / 'policy.json')!r})\n"
        f"X = dict(np.load({str(tmp_path / 'X.npz')!r}))\n"
        "found = made.decide(X, rh.ExpectedCost(1, 2, 0.3), max_calls=0.4, key=np.arange(2000))\n"
        "assert not {'scipy', 'numba', 'sklearn'} & set(sys.modules), set(sys.modules)\n"
        "print(int(found.sum()))\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert not found.stderr
    expected = made.decide(X, COST, max_calls=0.4, key=np.arange(2000)).sum()
    assert int(found.stdout) == expected


def test_what_is_refused() -> None:
    X, _ = scored()
    made = policy()
    for condition in (rh.NeymanPearson(0.1), rh.Within(rh.ExpectedCost(), [rh.Recall() >= 0.5])):
        refuses("condition must be an ExpectedCost", made.at, condition)
    with pytest.raises(rh.ImpreciseConditionError):
        made.at(rh.ExpectedCost(1, (2, 3), 0.3))
    refuses("max_calls", made.at, COST, -1)
    refuses("classifier must be one of", made.needs_score, "other", X, COST)
    refuses("scores must have a column for each", made.decide, X["cheap"], COST)
    refuses("no column 'cheap'", made.decide, {"dear": X["dear"]}, COST)
    refuses("no column 'dear'", made.decide, {"cheap": X["cheap"]}, COST)
    refuses("must hold the scores of all cases", made.decide, {"cheap": lambda rows: rows}, COST)
    refuses("has 1 rows, but the first", made.decide, {**X, "dear": [1]}, COST)
    refuses("has 1 rows, but rows has", made.decide, {**X, "dear": lambda rows: [1]}, COST)
    refuses("salt must be a string", fitted(*scored()).policy, salt=1)
