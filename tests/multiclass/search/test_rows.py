"""Sweeps within limits find the best of all breakpoints, with and without buckets."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rochull as rh
from rochull.multiclass.examples import LabelledOutputs
from rochull.multiclass.measures import MaxError
from rochull.multiclass.search import rows
from rochull.multiclass.search.goals import GoalWithin, keys_of, least
from rochull.multiclass.search.rows import Rows, RowSweeper, sweeper_for
from rochull.multiclass.search.sweeps import AnySweeper, LinearSweeper, Room, between, swept
from twins_multiclass import cases

COSTS = rh.multiclass.CostMatrix(
    [[0, 1, 4, 2], [3, 0, 1, 1], [1, 2, -0.5, 1], [9, 1, 1, 0]], priors=[4, 1, 2, 1]
)
UNEVEN = rh.multiclass.CostMatrix([[0, 1, 0.1, 2], [math.pi, 0, 1, 1], [1, 2, 0, 1], [9, math.e, 1, 0]])
GOALS: dict[str, GoalWithin] = {
    "max error, cell": GoalWithin(MaxError(), (rh.multiclass.Cell(1, 2) <= 0.05,)),
    "error, two": GoalWithin(
        rh.multiclass.ErrorRate(), (rh.multiclass.Error(0) <= 0.2, rh.multiclass.Cell(3, 3) >= 0.8)
    ),
    "costs, max error": GoalWithin(COSTS, (rh.multiclass.MaxError() <= 0.3,)),
    "max error, costs": GoalWithin(MaxError(), (COSTS <= 0.2, rh.multiclass.ErrorRate() <= 0.3)),
    "uneven": GoalWithin(UNEVEN, (rh.multiclass.Cell(0, 1) <= 0.02,)),
    "impossible": GoalWithin(
        MaxError(),
        (rh.multiclass.Error(0) <= 0.0, rh.multiclass.Error(1) <= 0.0, rh.multiclass.Error(2) <= 0.0),
    ),
}


@pytest.mark.crossed
@pytest.mark.parametrize("name", GOALS)
@pytest.mark.parametrize("kind", ["smooth", "tied"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("few", [0, 1 << 10])
def test_the_best_weight_within_limits_is_the_best_of_all(
    name: str, kind: str, weighted: bool, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "_FEW", few)
    goal = GOALS[name]
    for seed in range(3):
        y, outputs = cases(seed, 200, 4, kind)
        weight = np.random.default_rng(seed).integers(1, 6, len(y)) if weighted else None
        examples = LabelledOutputs.of(y, outputs, weight)
        sweeper = sweeper_for(examples, goal)
        assert isinstance(sweeper, RowSweeper)
        vector = np.random.default_rng(seed).dirichlet(np.ones(4))
        for j in range(4):
            low, high, _ = sweeper.best(vector, j, Room.of(examples))
            moved = vector.copy()
            moved[j] = between(np.array(low), np.array(high))
            found = keys_of(goal, examples.points(moved[None]).confusion, examples.classes)[0]
            keys = keys_of(goal, swept(examples, vector, j).confusion, examples.classes)
            np.testing.assert_allclose(found, keys[least(keys)], rtol=1e-12, atol=1e-12)


def test_weights_over_the_whole_range_of_floats_have_few_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_FEW", 0)
    y, outputs = cases(1, 200, 3, "smooth")
    outputs = outputs * 10.0 ** np.random.default_rng(0).integers(-150, 150, outputs.shape)
    examples = LabelledOutputs.of(y, outputs)
    goal = GoalWithin(MaxError(), (rh.multiclass.Error(1) <= 0.5,))
    low, high, _ = sweeper_for(examples, goal).best(np.ones(3), 0, Room.of(examples))
    moved = np.array([between(np.array(low), np.array(high)), 1.0, 1.0])
    found = keys_of(goal, examples.points(moved[None]).confusion, examples.classes)[0]
    keys = keys_of(goal, swept(examples, np.ones(3), 0).confusion, examples.classes)
    np.testing.assert_array_equal(found, keys[least(keys)])


@pytest.mark.parametrize("name", GOALS)
def test_rows_are_the_measures(name: str) -> None:
    goal = GOALS[name]
    y, outputs = cases(1, 100, 4, "smooth")
    examples = LabelledOutputs.of(y, outputs, np.random.default_rng(1).integers(1, 6, len(y)))
    units = examples.confusion_units(np.random.default_rng(2).dirichlet(np.ones(4), 9))
    sums = Rows.of(examples, goal)
    levels = np.tensordot(units, sums.steps, axes=2)
    expected = keys_of(goal, examples.weighed(units), examples.classes)
    np.testing.assert_allclose(sums.keys(levels), expected, rtol=1e-12, atol=1e-12)


def test_what_is_no_sum_is_swept_as_a_function() -> None:
    examples = LabelledOutputs.of(*cases(0, 30, 3, "smooth"))
    assert isinstance(sweeper_for(examples, rh.multiclass.ErrorRate()), LinearSweeper)
    for goal in (
        GoalWithin(rh.multiclass.ErrorRate(), (rh.multiclass.MaxError() >= 0.1,)),
        GoalWithin(lambda matrices: matrices[:, 0, 0], (rh.multiclass.Error(0) <= 0.1,)),
    ):
        assert isinstance(sweeper_for(examples, goal), AnySweeper)
