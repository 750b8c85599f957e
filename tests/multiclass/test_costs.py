"""Expected costs, against sums over cases, and limits on them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import rochull as rh
from refusals import refuses
from rochull.multiclass.measures import smallest

CLASSES = ("a", "b", "c")
CONFUSION = np.array([[8, 1, 1], [4, 30, 6], [0, 5, 15]])


@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_expected_cost_is_a_sum_over_cases(seed, with_priors, weighted):
    rng = np.random.default_rng(seed)
    n_classes = int(rng.integers(2, 5))
    confusion = rng.integers(0, 9, (n_classes, n_classes)) + np.eye(n_classes, dtype=np.int64)
    if weighted:
        confusion = confusion / 4
    costs = rng.integers(-3, 20, (n_classes, n_classes)) / 10
    priors = rng.integers(0, 5, n_classes) + np.eye(n_classes)[0]
    shares = priors / priors.sum() if with_priors else confusion.sum(axis=1) / confusion.sum()
    expected = sum(
        shares[i] * costs[i, j] * confusion[i, j] / confusion[i].sum()
        for i in range(n_classes)
        for j in range(n_classes)
    )
    measure = rh.multiclass.CostMatrix(costs, priors if with_priors else None)
    found = float(measure.values(confusion, range(n_classes)))
    assert found == pytest.approx(expected, abs=1e-12)
    assert float(measure.exact_value(confusion, range(n_classes))) == pytest.approx(expected, abs=1e-12)


def test_costs_follow_their_classes():
    costs = np.arange(9).reshape(3, 3)
    order = [2, 0, 1]
    measure = rh.multiclass.CostMatrix(costs[np.ix_(order, order)], [30, 10, 20], [CLASSES[i] for i in order])
    plain = rh.multiclass.CostMatrix(costs, [10, 20, 30])
    assert measure.values(CONFUSION, CLASSES) == plain.values(CONFUSION, CLASSES)
    assert measure.exact_value(CONFUSION, CLASSES) == plain.exact_value(CONFUSION, CLASSES)
    ordered, priors = measure.in_order(CLASSES)
    assert_array_equal(ordered, costs)
    assert_allclose(priors, [1 / 6, 1 / 3, 1 / 2])


def test_a_cost_matrix_is_a_value():
    costs = np.array([[0.0, 1], [5, 0]])
    one = rh.multiclass.CostMatrix(costs, [1, 2], np.array(["a", "b"]))
    costs[0, 1] = 7
    assert one == rh.multiclass.CostMatrix([[0, 1], [5, 0]], (1.0, 2.0), ("a", "b"))
    assert len({one, rh.multiclass.CostMatrix([[0, 1], [5, 0]], (1.0, 2.0), ("a", "b"))}) == 1
    assert one != rh.multiclass.CostMatrix(costs, [1, 2], ("a", "b"))
    assert repr(one) == "CostMatrix([[0, 1], [5, 0]], priors=[1, 2], classes=['a', 'b'])"
    assert str(rh.multiclass.CostMatrix(1 - np.eye(7))) == "CostMatrix(7 x 7)"
    assert rh.multiclass.Error("a") == rh.multiclass.Error("a")
    assert rh.multiclass.Error("a") != rh.multiclass.Error("b")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0, 1]],), r"costs must have shape \(C, C\).* has shape \(1, 2\)"),
        (([[0]],), r"has shape \(1, 1\)"),
        (([0, 1],), r"has shape \(2,\)"),
        (([[0, 1], [1]],), "costs is not an array"),
        (([["0", "1"], ["1", "0"]],), "costs must be numeric"),
        (([[0, np.nan], [1, 0]],), "costs must be finite, but holds nan"),
        (([[0, np.inf], [1, 0]],), "costs must be finite, but holds inf"),
        (([[0, 1], [1, 0]], [1, 1, 1]), r"priors must have shape \(2,\)"),
        (([[0, 1], [1, 0]], [1, -1]), r"priors must not be negative, but holds -1\.0"),
        (([[0, 1], [1, 0]], [0, 0]), "priors are all zero"),
        (([[0, 1], [1, 0]], [np.nan, 1]), "priors must be finite"),
        (([[0, 1], [1, 0]], None, ["a", "a"]), "classes must name the 2 classes"),
        (([[0, 1], [1, 0]], None, ["a"]), "classes must name the 2 classes"),
        (([[0, 1], [1, 0]], None, "ab"), "classes must name the 2 classes"),
    ],
)
def test_costs_that_are_refused(arguments, message):
    refuses(message, rh.multiclass.CostMatrix, *arguments)


def test_limits_on_costs_are_exact():
    # 0.1 + 0.2 is 0.30000000000000004 in float64.
    confusion = np.array([[[0, 1, 1], [0, 1, 0], [0, 0, 1]]])
    cost = rh.multiclass.CostMatrix([[0, 0.2, 0.4], [0, 0, 0], [0, 0, 0]], [1, 0, 0])
    assert (cost <= 0.3).met(confusion, CLASSES).all()
    assert (cost >= 0.3).met(confusion, CLASSES).all()
    thrice = rh.multiclass.CostMatrix([[0, 0.1], [0.2, 0]])
    confusion = np.array([[[0, 1], [1, 0]]])
    assert (thrice <= 0.15).met(confusion, range(2)).all()
    assert (thrice >= 0.15).met(confusion, range(2)).all()
    assert not (thrice <= 0.1499999).met(confusion, range(2)).any()


def test_the_smallest_sum_of_costs_is_exact():
    # In float64 the first costs (0.1 + 0.2) / 4 and looks more expensive than the second, 0.3 / 4.
    costs = rh.multiclass.CostMatrix([[0, 0.1, 0.3], [0.2, 0, 0], [0, 0, 0]])
    first = np.array([[0, 1, 0], [1, 1, 0], [0, 0, 1]])
    second = np.array([[0, 0, 1], [0, 2, 0], [0, 0, 1]])
    values = costs.values(np.stack([first, second]), CLASSES)
    assert values[0] > values[1]
    assert smallest(costs, np.stack([first, second]), CLASSES) == 0
    assert smallest(costs, np.stack([second, first]), CLASSES) == 0


@pytest.mark.parametrize(
    "classes", [{"a", "b"}, 5, [["a"], ["b"]], "ab"], ids=["set", "number", "nested", "text"]
)
def test_classes_of_costs_are_a_sequence(classes: Any) -> None:
    with pytest.raises(ValueError, match="classes must name the 2 classes of costs in a sequence"):
        rh.multiclass.CostMatrix([[0, 1], [1, 0]], classes=classes)


def test_masked_costs_are_refused() -> None:
    with pytest.raises(ValueError, match="costs has 2 masked values"):
        rh.multiclass.CostMatrix(np.ma.masked_array([[0, 1], [1, 0]], np.eye(2)))
    with pytest.raises(ValueError, match="priors has 1 masked values"):
        rh.multiclass.CostMatrix([[0, 1], [1, 0]], np.ma.masked_array([0.5, 0.5], [True, False]))
