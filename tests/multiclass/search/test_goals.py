"""What a search compares: limits first, undefined objectives last, and the other errors of equal ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rochull as rh
from rochull.multiclass.measures import MaxError
from rochull.multiclass.points import MulticlassPoints
from rochull.multiclass.search.goals import (
    GoalWithin,
    in_order,
    key_of,
    keys_of,
    least,
    ranked,
    values_sought,
)

CLASSES = ("a", "b")
# Errors of a and b: (0.3, 0.1), (0.3, 0), (0.2, 0.5), (0, 1).
CONFUSION = np.array([[[7, 3], [1, 9]], [[7, 3], [0, 10]], [[8, 2], [5, 5]], [[10, 0], [10, 0]]])


def undefined(matrices: Any) -> Any:
    return np.where(matrices[:, 0, 0] < 8, np.nan, -matrices[:, 0, 0])


def test_of_equal_largest_errors_the_others_count() -> None:
    keys = keys_of(MaxError(), CONFUSION, CLASSES)
    assert keys.tolist() == [[0.3, 0.1], [0.3, 0.0], [0.5, 0.2], [1.0, 0.0]]
    assert least(keys) == 1
    assert values_sought(MaxError(), CONFUSION, CLASSES).tolist() == [[0.3], [0.3], [0.5], [1.0]]


def test_an_undefined_objective_is_the_worst() -> None:
    assert key_of(undefined, CONFUSION[0], CLASSES) == (np.inf,)
    points = MulticlassPoints(np.ones((4, 2)), CONFUSION, CLASSES)
    found = ranked(points, undefined).confusion[:, 0, 0].tolist()
    assert found == [10, 8, 7, 7]


def test_what_breaks_a_limit_is_worse_than_what_breaks_none() -> None:
    sought = GoalWithin(
        rh.multiclass.Error("a"), (rh.multiclass.Error("b") <= 0.1, rh.multiclass.Error("a") <= 0.25)
    )
    numbers = values_sought(sought, CONFUSION, CLASSES)
    np.testing.assert_allclose(numbers, [[0.05, 0.3], [0.05, 0.3], [0.4, 0.2], [0.9, 0.0]])
    assert values_sought(
        GoalWithin(rh.multiclass.Error("a"), (rh.multiclass.Error("b") <= 0.1,)), CONFUSION, CLASSES
    )[0].tolist() == [
        0,
        0.3,
    ]


def test_limits_are_judged_as_points_judge_them() -> None:
    """To the decimal that a limit prints as, in units of the measure's scale, and NaN is broken."""
    costs = rh.multiclass.CostMatrix(
        [[0, 0.7], [0.1, 0]], priors=[0.1, 0.2]
    )  # (0.07 * 0.3 + 0.02 * 0.1) / 0.3
    for limit in (
        costs <= 0.0766666,
        costs <= 0.07,
        rh.multiclass.Error("b") >= 0.1,
        rh.multiclass.Cell("a", "b") <= 0.3,
    ):
        broken = GoalWithin(MaxError(), (limit,)).broken(CONFUSION, CLASSES)
        np.testing.assert_array_equal(broken == 0, limit.met(CONFUSION, CLASSES))
    scaled = GoalWithin(MaxError(), (rh.multiclass.CostMatrix([[0, 1000], [0, 0]], [1, 0]) <= 100,))
    np.testing.assert_allclose(scaled.broken(CONFUSION, CLASSES), [0.2, 0.2, 0.1, 0])
    empty = np.array([[[0, 0], [1, 9]]])
    assert GoalWithin(MaxError(), (rh.multiclass.Error("a") <= 0.5,)).broken(empty, CLASSES).tolist() == [
        np.inf
    ]


@pytest.mark.parametrize("seed", range(5))
def test_the_least_row_is_the_first_of_the_sorted(seed: int) -> None:
    keys = np.random.default_rng(seed).integers(0, 3, (40, 3)).astype(float)
    rows = [tuple(row) for row in keys.tolist()]
    assert least(keys) == rows.index(min(rows))
    points = MulticlassPoints(np.arange(80.0).reshape(40, 2), np.ones((40, 2, 2)), CLASSES)
    expected = sorted(range(40), key=rows.__getitem__)
    np.testing.assert_array_equal(in_order(points, keys).weights[:, 0] / 2, expected)
