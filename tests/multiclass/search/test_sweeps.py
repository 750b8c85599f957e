"""Sweeps of one weight: all its operating points, and where it is best, against trying every breakpoint."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rochull as rh
from rochull.multiclass.examples import LabelledOutputs
from rochull.multiclass.measures import MaxError
from rochull.multiclass.search import sweeps
from rochull.multiclass.search.sweeps import Room, between, sweeper_of, swept, unit_costs
from twins_multiclass import cases, sweep

COSTS = rh.multiclass.CostMatrix(
    [[0, 1, 4, 2], [3, 0, 1, 1], [1, 2, -0.5, 1], [9, 1, 1, 0]], priors=[4, 1, 2, 1]
)


def errors_first(matrices: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A function without bounds: the product of the recalls."""
    recalls = np.diagonal(matrices, axis1=1, axis2=2) / matrices.sum(axis=2)
    return np.asarray(-recalls.prod(axis=1))


GOALS: dict[str, Any] = {
    "max_error": MaxError(),
    "costs": COSTS,
    "error": rh.multiclass.Error(1),
    "cell": rh.multiclass.Cell(2, 0),
    "rate": rh.multiclass.ErrorRate(),
    "function": errors_first,
}


@pytest.mark.parametrize("kind", ["smooth", "tied", "extreme"])
@pytest.mark.parametrize("j", [0, 2])
def test_a_sweep_passes_all_decisions_in_order(kind: str, j: int) -> None:
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        y, outputs = cases(4, 60, 3, kind)
        examples = LabelledOutputs.of(y, outputs)
        vector = np.array([0.5, 1.0, 0.8])
        points = swept(examples, vector, j)
        np.testing.assert_array_equal(examples.points(points.weights).confusion, points.confusion)
        distinct = np.append(True, (np.diff(points.confusion, axis=0) != 0).any(axis=(1, 2)))
        expected = sweep(y, outputs, vector, j)
    assert distinct[1:].all()
    assert len(points) == len(expected)
    np.testing.assert_array_equal(points.confusion, expected)
    assert (np.delete(points.weights, j, axis=1) == np.delete(vector, j)).all()


@pytest.mark.parametrize("kind", ["probabilities", "densities", "tied"])
def test_of_two_classes_a_sweep_is_the_roc_curve(kind: str) -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 300)
    if kind == "densities":
        x = rng.normal(size=300) + y
        outputs = np.exp(-0.5 * np.column_stack([x**2, (x - 1) ** 2]))
        score = outputs[:, 1] / outputs[:, 0]
    else:
        score = np.clip(rng.random(300) * 0.7 + 0.3 * y, 0, 1)
        score = (1 + np.round(score * 20)) / 32 if kind == "tied" else score
        outputs = np.column_stack([1 - score, score])
    points = rh.MulticlassRoc(y, outputs).sweep(1)
    curve = rh.roc_curve(y, score)
    np.testing.assert_array_equal(points.rates[:, 0, 1], curve.fpr)
    np.testing.assert_array_equal(points.rates[:, 1, 1], curve.tpr)


def test_an_output_of_zero_is_never_called() -> None:
    """So the end of the ROC curve, where all are called positive, is no operating point of weights."""
    y, score = [0, 0, 1, 1], np.array([0.0, 0.25, 0.5, 1.0])
    points = rh.MulticlassRoc(y, np.column_stack([1 - score, score])).sweep(1)
    curve = rh.roc_curve(y, score)
    np.testing.assert_array_equal(points.rates[:, 0, 1], curve.fpr[:-1])
    np.testing.assert_array_equal(points.rates[:, 1, 1], curve.tpr[:-1])


def keys(goal: Any, points: Any) -> list[tuple[float, ...]]:
    if isinstance(goal, MaxError):
        return [tuple(sorted(errors, reverse=True)) for errors in points.errors.tolist()]
    return [(value,) for value in points.values(goal).tolist()]


@pytest.mark.crossed
@pytest.mark.parametrize("name", GOALS)
@pytest.mark.parametrize("kind", ["smooth", "tied"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_best_weight_is_the_best_of_all(name: str, kind: str, weighted: bool) -> None:
    goal = GOALS[name]
    for seed in range(4):
        y, outputs = cases(seed, 150, 4, kind)
        weight = np.random.default_rng(seed).integers(1, 6, len(y)) if weighted else None
        examples = LabelledOutputs.of(y, outputs, weight)
        vector = np.random.default_rng(seed).dirichlet(np.ones(4))
        for j in range(4):
            low, high, promised = sweeper_of(examples, goal).best(vector, j, Room.of(examples))
            replayed = vector.copy()
            replayed[j] = between(np.array(low), np.array(high)) if high < math.inf or low > 0 else vector[j]
            found = keys(goal, examples.points(replayed[None]))[0]
            best = min(keys(goal, swept(examples, vector, j)))
            assert found == pytest.approx(best, rel=1e-12, abs=1e-12)
            if isinstance(goal, MaxError):
                assert found == best == promised


@pytest.mark.parametrize("name", ["max_error", "costs", "error", "cell"])
@pytest.mark.parametrize("weighted", [False, True])
def test_buckets_find_what_sorting_all_finds(
    name: str, weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    y, outputs = cases(8, 3000, 4, "smooth")
    weight = np.random.default_rng(8).integers(1, 6, len(y)) if weighted else None
    examples = LabelledOutputs.of(y, outputs, weight)
    vector = np.array([0.4, 0.3, 0.2, 0.1])
    for j in range(4):
        values = []
        for few in (sweeps._FEW, 0):
            monkeypatch.setattr(sweeps, "_FEW", few)
            low, high, _ = sweeper_of(examples, GOALS[name]).best(vector, j, Room.of(examples))
            moved = vector.copy()
            moved[j] = between(np.array(low), np.array(high))
            values.append(examples.points(moved[None]).values(GOALS[name])[0])
            monkeypatch.undo()
        assert values[0] == pytest.approx(values[1], rel=1e-12)


def test_blocks_are_one_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    y, outputs = cases(9, 100, 3, "smooth")
    examples = LabelledOutputs.of(y, outputs)
    whole = swept(examples, np.ones(3), 1)
    monkeypatch.setattr(sweeps, "_BLOCK", 9 * 7)
    parts = swept(examples, np.ones(3), 1)
    np.testing.assert_array_equal(whole.confusion, parts.confusion)
    np.testing.assert_array_equal(whole.weights, parts.weights)


@pytest.mark.parametrize("j", range(3))
def test_a_function_is_tried_at_some_breakpoints_then_between(
    j: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    examples = LabelledOutputs.of(*cases(9, 1500, 3, "smooth"))
    vector = np.array([0.7, 1.0, 0.8])
    every = swept(examples, vector, j).values(errors_first)
    monkeypatch.setattr(sweeps, "_TRIED", 30)
    low, high, _ = sweeper_of(examples, errors_first).best(vector, j, Room.of(examples))
    vector[j] = between(np.array(low), np.array(high))
    found = examples.points(vector[None]).values(errors_first)[0]
    assert found >= every.min()  # it could only miss between two that are worse
    assert np.mean(every < found) < 0.02


def test_a_function_may_be_undefined_at_some_points() -> None:
    y, outputs = cases(2, 60, 3, "smooth")
    examples = LabelledOutputs.of(y, outputs)

    def undefined(matrices: Any) -> Any:
        return np.where(matrices[:, 0, 0] > 5, np.nan, -matrices[:, 0, 0])

    low, high, _ = sweeper_of(examples, undefined).best(np.ones(3), 0, Room.of(examples))
    vector = np.array([between(np.array(low), np.array(high)), 1.0, 1.0])
    assert examples.points(vector[None]).confusion[0, 0, 0] == 5


def test_costs_of_a_unit_add_up_to_the_measure() -> None:
    y, outputs = cases(1, 100, 4, "smooth")
    weight = np.random.default_rng(1).integers(1, 6, len(y))
    for examples in (LabelledOutputs.of(y, outputs), LabelledOutputs.of(y, outputs, weight)):
        units = examples.confusion_units(np.random.default_rng(2).dirichlet(np.ones(4), 5))
        right = np.diag(examples.total_units)[None]
        for goal in (COSTS, rh.multiclass.Error(1), rh.multiclass.Cell(2, 0), rh.multiclass.ErrorRate()):
            costs = unit_costs(examples, goal)
            values = goal.values(examples.weighed(np.concatenate([right, units])), examples.classes)
            np.testing.assert_allclose((units * costs).sum(axis=(1, 2)), values[1:] - values[0], atol=1e-12)


def test_weights_between_breakpoints() -> None:
    after = math.nextafter(1.0, 2)
    low = np.array([1.0, 1.0, 0.0, 0.0, 1.0, 1.7e308, 5e-324, 1e-300])
    high = np.array([4.0, after, 8.0, 5e-324, math.inf, math.inf, 1e-323, 1e300])
    found = between(low, high)
    assert found.tolist() == [2.0, 1.0, 2.0**-7, 0.0, 1024.0, 1.7e308, 5e-324, 1e300 / 1024]
    assert ((low <= found) & (found < high)).all()


@pytest.mark.parametrize("kind", ["smooth", "tied"])
def test_buckets_break_ties_as_sorting_all_does(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Class 0 is always wrong, so that all weights tie in the largest error and the others decide."""
    for seed in range(4):
        y, outputs = cases(seed, 1000, 4, kind)
        outputs[:, 0] = 0.0
        examples, vector = LabelledOutputs.of(y, outputs), np.array([0.1, 0.5, 0.3, 0.2])
        for j in range(1, 4):
            found = []
            for few in (sweeps._FEW, 0):
                monkeypatch.setattr(sweeps, "_FEW", few)
                found.append(sweeper_of(examples, MaxError()).best(vector, j, Room.of(examples)))
                monkeypatch.undo()
            assert found[0] == found[1]
            assert found[0][2] == min(keys(MaxError(), swept(examples, vector, j)))


def test_small_fixed_weights_reach_small_outputs() -> None:
    outputs = np.array([[1.0, 1e-310], [1.0, 0.25], [0.5, 0.5], [0.25, 1.0]])
    mc = rh.MulticlassRoc([0, 0, 1, 1], outputs)
    assert mc.sweep(1).confusion[-1].tolist() == [[1, 1], [0, 2]]
    assert mc.sweep(1, [2.0**-1000, 1]).confusion[-1].tolist() == [[0, 2], [0, 2]]
