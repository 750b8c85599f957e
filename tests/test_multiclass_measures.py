"""Measures of confusion matrices and limits on them."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import accuracy_score, confusion_matrix, recall_score

import rochull as rh
from rochull.multiclass import measures
from rochull.multiclass.measures import checked_limits, checked_objective, objective_values, smallest

CLASSES = ("a", "b", "c")
CONFUSION = np.array([[8, 1, 1], [4, 30, 6], [0, 5, 15]])


def test_rates_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    y, called = rng.integers(0, 3, (2, 200))
    confusion = confusion_matrix(y, called)
    recall = recall_score(y, called, average=None)
    for c in range(3):
        assert rh.Error(c).values(confusion, range(3)) == pytest.approx(1 - recall[c])
        assert rh.Cell(c, c).values(confusion, range(3)) == pytest.approx(recall[c])
    assert rh.MaxError().values(confusion, range(3)) == pytest.approx(1 - recall.min())
    assert rh.ErrorRate().values(confusion, range(3)) == pytest.approx(1 - accuracy_score(y, called))


def test_cells():
    assert rh.Cell("b", "c").values(CONFUSION, CLASSES) == 0.15
    assert rh.Error("b").values(CONFUSION, CLASSES) == 0.25


def test_many_matrices_at_once():
    many = np.stack([CONFUSION, CONFUSION.T])
    for measure in (
        rh.Error("a"),
        rh.Cell("a", "b"),
        rh.MaxError(),
        rh.ErrorRate(),
        rh.CostMatrix(np.ones((3, 3))),
    ):
        found = measure.values(many, CLASSES)
        assert_array_equal(found, [measure.values(one, CLASSES) for one in many])


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
    measure = rh.CostMatrix(costs, priors if with_priors else None)
    found = float(measure.values(confusion, range(n_classes)))
    assert found == pytest.approx(expected, abs=1e-12)
    assert float(measure.exact_value(confusion, range(n_classes))) == pytest.approx(expected, abs=1e-12)


def test_costs_follow_their_classes():
    costs = np.arange(9).reshape(3, 3)
    order = [2, 0, 1]
    measure = rh.CostMatrix(costs[np.ix_(order, order)], [30, 10, 20], [CLASSES[i] for i in order])
    plain = rh.CostMatrix(costs, [10, 20, 30])
    assert measure.values(CONFUSION, CLASSES) == plain.values(CONFUSION, CLASSES)
    assert measure.exact_value(CONFUSION, CLASSES) == plain.exact_value(CONFUSION, CLASSES)
    ordered, priors = measure.in_order(CLASSES)
    assert_array_equal(ordered, costs)
    assert_allclose(priors, [1 / 6, 1 / 3, 1 / 2])


def test_a_cost_matrix_is_a_value():
    costs = np.array([[0.0, 1], [5, 0]])
    one = rh.CostMatrix(costs, [1, 2], np.array(["a", "b"]))
    costs[0, 1] = 7
    assert one == rh.CostMatrix([[0, 1], [5, 0]], (1.0, 2.0), ("a", "b"))
    assert len({one, rh.CostMatrix([[0, 1], [5, 0]], (1.0, 2.0), ("a", "b"))}) == 1
    assert one != rh.CostMatrix(costs, [1, 2], ("a", "b"))
    assert repr(one) == "CostMatrix([[0, 1], [5, 0]], priors=[1, 2], classes=['a', 'b'])"
    assert str(rh.CostMatrix(1 - np.eye(7))) == "CostMatrix(7 x 7)"
    assert rh.Error("a") == rh.Error("a")
    assert rh.Error("a") != rh.Error("b")


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
    with pytest.raises(ValueError, match=message):
        rh.CostMatrix(*arguments)


def test_classes_that_are_not_there():
    for measure in (rh.Error("x"), rh.Cell("a", "x"), rh.Cell("x", "a")):
        with pytest.raises(ValueError, match="there is no class 'x'; the classes are 'a', 'b', 'c'"):
            measure.values(CONFUSION, CLASSES)
    with pytest.raises(ValueError, match="there is no class 'c'"):
        rh.CostMatrix(np.eye(3), classes=["a", "b", "x"]).values(CONFUSION, CLASSES)
    with pytest.raises(ValueError, match=r"costs has shape \(2, 2\), but there are 3 classes"):
        rh.CostMatrix(np.eye(2)).values(CONFUSION, CLASSES)


def test_a_class_without_examples_is_nan_without_a_warning():
    empty = np.array([[3, 1], [0, 0]])
    assert math.isnan(rh.Error(1).values(empty, range(2)))
    assert math.isnan(rh.Cell(1, 0).values(empty, range(2)))
    assert math.isnan(rh.MaxError().values(empty, range(2)))
    assert math.isnan(rh.CostMatrix(np.eye(2), [1, 1]).values(empty, range(2)))
    assert rh.CostMatrix(1 - np.eye(2), [1, 0]).values(empty, range(2)) == 0.25
    assert rh.CostMatrix(1 - np.eye(2)).values(empty, range(2)) == 0.25
    assert rh.CostMatrix(1 - np.eye(2)).exact_value(empty, range(2)) == Fraction(1, 4)
    assert math.isnan(rh.ErrorRate().values(empty * 0, range(2)))
    assert math.isnan(rh.CostMatrix(np.eye(2)).values(empty * 0, range(2)))
    assert not (rh.Error(1) <= 1).met(empty[None], range(2)).any()


def test_limits():
    limit = rh.Error("a") <= 0.2
    assert str(limit) == "Error('a') <= 0.2"
    assert limit == rh.Limit(rh.Error("a"), "<=", 0.2)
    assert limit.met(CONFUSION[None], CLASSES).all()  # the limit itself is allowed
    assert not (rh.Error("a") <= 0.19).met(CONFUSION[None], CLASSES).any()
    assert (rh.Error("a") >= 0.2).met(CONFUSION[None], CLASSES).all()
    assert (rh.Error("a") <= 0.3).excess(CONFUSION, CLASSES) == pytest.approx(-0.1)
    assert (rh.Error("a") >= 0.3).excess(CONFUSION, CLASSES) == pytest.approx(0.1)
    assert (rh.MaxError() <= 0.25).met(CONFUSION[None], CLASSES).all()


def test_limits_on_costs_are_exact():
    # 0.1 + 0.2 is 0.30000000000000004 in float64.
    confusion = np.array([[[0, 1, 1], [0, 1, 0], [0, 0, 1]]])
    cost = rh.CostMatrix([[0, 0.2, 0.4], [0, 0, 0], [0, 0, 0]], [1, 0, 0])
    assert (cost <= 0.3).met(confusion, CLASSES).all()
    assert (cost >= 0.3).met(confusion, CLASSES).all()
    thrice = rh.CostMatrix([[0, 0.1], [0.2, 0]])
    confusion = np.array([[[0, 1], [1, 0]]])
    assert (thrice <= 0.15).met(confusion, range(2)).all()
    assert (thrice >= 0.15).met(confusion, range(2)).all()
    assert not (thrice <= 0.1499999).met(confusion, range(2)).any()


def test_what_is_no_limit():
    with pytest.raises(TypeError, match=r"a limit includes its end: write Error\('a'\) <= 0.05"):
        rh.Error("a") < 0.05  # noqa: B015
    with pytest.raises(TypeError, match=r"write Error\('a'\) >= 0.05"):
        rh.Error("a") > 0.05  # noqa: B015
    with pytest.raises(TypeError, match=r"has no truth value; write two limits"):
        0.01 <= rh.Error("a") <= 0.05  # noqa: B015
    with pytest.raises(ValueError, match=r"the limit of Error\('a'\) must be a finite number, but is nan"):
        rh.Error("a") <= float("nan")  # noqa: B015, PLW0177
    with pytest.raises(ValueError, match=r"subject_to must hold limits such as .* but holds False"):
        checked_limits([rh.Error("a") == 0.05])
    assert checked_limits(rh.Error("a") <= 0.5) == (rh.Error("a") <= 0.5,)


def test_objectives():
    assert checked_objective("max_error") == rh.MaxError()
    assert checked_objective("error") == rh.ErrorRate()
    assert checked_objective(len) is len
    for wrong in ("maximum", 3, rh.Error, None):
        with pytest.raises(ValueError, match="objective must be 'max_error', 'error', a measure"):
            checked_objective(wrong)
    with pytest.raises(ValueError, match=r"shape \(1,\), but returned shape \(1, 3\)"):
        objective_values(lambda c: c.sum(axis=-1), CONFUSION[None], CLASSES)


def test_the_smallest_is_never_nan():
    many = np.stack([CONFUSION] * 3)
    assert smallest(lambda c: np.array([np.nan, 2, 1]), many, CLASSES) == 2
    assert smallest(lambda c: np.array([np.nan, 1, 1]), many, CLASSES) == 1
    assert smallest(lambda c: np.full(3, np.nan), many, CLASSES) is None
    assert smallest(rh.MaxError(), many[:0], CLASSES) is None
    assert smallest(rh.MaxError(), many, CLASSES) == 0
    assert smallest(lambda c: np.array([np.inf, -np.inf, 0]), many, CLASSES) == 1


def test_the_smallest_sum_of_costs_is_exact():
    # In float64 the first costs (0.1 + 0.2) / 4 and looks more expensive than the second, 0.3 / 4.
    costs = rh.CostMatrix([[0, 0.1, 0.3], [0.2, 0, 0], [0, 0, 0]])
    first = np.array([[0, 1, 0], [1, 1, 0], [0, 0, 1]])
    second = np.array([[0, 0, 1], [0, 2, 0], [0, 0, 1]])
    values = costs.values(np.stack([first, second]), CLASSES)
    assert values[0] > values[1]
    assert smallest(costs, np.stack([first, second]), CLASSES) == 0
    assert smallest(costs, np.stack([second, first]), CLASSES) == 0


def test_excesses_of_costs_are_divided_by_their_range():
    assert rh.CostMatrix([[0, 5], [45, -5]]).scale() == 50
    assert rh.CostMatrix(np.ones((2, 2))).scale() == 1
    assert rh.Error("a").scale() == 1
    assert measures.MaxError().exact_value(CONFUSION, CLASSES) is None


@pytest.mark.parametrize("classes", [{"a", "b"}, 5, [["a"], ["b"]], "ab"], ids=str)
def test_classes_of_costs_are_a_sequence(classes: Any) -> None:
    with pytest.raises(ValueError, match="classes must name the 2 classes of costs in a sequence"):
        rh.CostMatrix([[0, 1], [1, 0]], classes=classes)


def test_masked_costs_are_refused() -> None:
    with pytest.raises(ValueError, match="costs has 2 masked values"):
        rh.CostMatrix(np.ma.masked_array([[0, 1], [1, 0]], np.eye(2)))
    with pytest.raises(ValueError, match="priors has 1 masked values"):
        rh.CostMatrix([[0, 1], [1, 0]], np.ma.masked_array([0.5, 0.5], [True, False]))


@pytest.mark.parametrize("measure", [rh.Error("a"), rh.Cell("a", "b"), rh.MaxError(), rh.ErrorRate()])
@pytest.mark.parametrize("limit", [40, -1, 1.0000001, np.nan])
def test_limits_of_shares_are_shares(measure, limit):
    for build in (lambda: measure <= limit, lambda: measure >= limit):
        with pytest.raises(ValueError, match="limit of"):
            build()
    assert (measure <= 1).limit == 1
    assert (measure >= 0).limit == 0


def test_per_cent_is_explained_and_costs_have_any_limit():
    with pytest.raises(ValueError, match=r"but is 40; limits are shares: 0.4 is 40 %"):
        _ = rh.Error("a") <= 40
    assert (rh.CostMatrix([[0, 100], [1, 0]]) <= 40).limit == 40


def test_a_matrix_as_an_objective_is_a_cost_matrix():
    for matrix in ([[0, 1], [1, 0]], np.eye(2)):
        with pytest.raises(ValueError, match=r"give CostMatrix\(costs\)"):
            checked_objective(matrix)
