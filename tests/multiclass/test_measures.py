"""Measures of confusion matrices and limits on them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.metrics import accuracy_score, confusion_matrix, recall_score

import rochull as rh
from refusals import refuses
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
        assert rh.multiclass.Error(c).values(confusion, range(3)) == pytest.approx(1 - recall[c])
        assert rh.multiclass.Cell(c, c).values(confusion, range(3)) == pytest.approx(recall[c])
    assert rh.multiclass.MaxError().values(confusion, range(3)) == pytest.approx(1 - recall.min())
    assert rh.multiclass.ErrorRate().values(confusion, range(3)) == pytest.approx(
        1 - accuracy_score(y, called)
    )


def test_cells():
    assert rh.multiclass.Cell("b", "c").values(CONFUSION, CLASSES) == 0.15
    assert rh.multiclass.Error("b").values(CONFUSION, CLASSES) == 0.25


def test_many_matrices_at_once():
    many = np.stack([CONFUSION, CONFUSION.T])
    for measure in (
        rh.multiclass.Error("a"),
        rh.multiclass.Cell("a", "b"),
        rh.multiclass.MaxError(),
        rh.multiclass.ErrorRate(),
        rh.multiclass.CostMatrix(np.ones((3, 3))),
    ):
        found = measure.values(many, CLASSES)
        assert_array_equal(found, [measure.values(one, CLASSES) for one in many])


def test_classes_that_are_not_there():
    for measure in (rh.multiclass.Error("x"), rh.multiclass.Cell("a", "x"), rh.multiclass.Cell("x", "a")):
        refuses("there is no class 'x'; the classes are 'a', 'b', 'c'", measure.values, CONFUSION, CLASSES)
    with pytest.raises(ValueError, match="there is no class 'c'"):
        rh.multiclass.CostMatrix(np.eye(3), classes=["a", "b", "x"]).values(CONFUSION, CLASSES)
    with pytest.raises(ValueError, match=r"costs has shape \(2, 2\), but there are 3 classes"):
        rh.multiclass.CostMatrix(np.eye(2)).values(CONFUSION, CLASSES)


def test_a_class_without_examples_is_nan_without_a_warning():
    empty = np.array([[3, 1], [0, 0]])
    assert math.isnan(rh.multiclass.Error(1).values(empty, range(2)))
    assert math.isnan(rh.multiclass.Cell(1, 0).values(empty, range(2)))
    assert math.isnan(rh.multiclass.MaxError().values(empty, range(2)))
    assert math.isnan(rh.multiclass.CostMatrix(np.eye(2), [1, 1]).values(empty, range(2)))
    assert rh.multiclass.CostMatrix(1 - np.eye(2), [1, 0]).values(empty, range(2)) == 0.25
    assert rh.multiclass.CostMatrix(1 - np.eye(2)).values(empty, range(2)) == 0.25
    assert rh.multiclass.CostMatrix(1 - np.eye(2)).exact_value(empty, range(2)) == Fraction(1, 4)
    assert math.isnan(rh.multiclass.ErrorRate().values(empty * 0, range(2)))
    assert math.isnan(rh.multiclass.CostMatrix(np.eye(2)).values(empty * 0, range(2)))
    assert not (rh.multiclass.Error(1) <= 1).met(empty[None], range(2)).any()


def test_limits():
    limit = rh.multiclass.Error("a") <= 0.2
    assert str(limit) == "Error('a') <= 0.2"
    assert limit == rh.multiclass.Limit(rh.multiclass.Error("a"), "<=", 0.2)
    assert limit.met(CONFUSION[None], CLASSES).all()  # the limit itself is allowed
    assert not (rh.multiclass.Error("a") <= 0.19).met(CONFUSION[None], CLASSES).any()
    assert (rh.multiclass.Error("a") >= 0.2).met(CONFUSION[None], CLASSES).all()
    assert (rh.multiclass.Error("a") <= 0.3).excess(CONFUSION, CLASSES) == pytest.approx(-0.1)
    assert (rh.multiclass.Error("a") >= 0.3).excess(CONFUSION, CLASSES) == pytest.approx(0.1)
    assert (rh.multiclass.MaxError() <= 0.25).met(CONFUSION[None], CLASSES).all()


def test_what_is_no_limit():
    with pytest.raises(TypeError, match=r"a limit includes its end: write Error\('a'\) <= 0.05"):
        rh.multiclass.Error("a") < 0.05  # noqa: B015
    with pytest.raises(TypeError, match=r"write Error\('a'\) >= 0.05"):
        rh.multiclass.Error("a") > 0.05  # noqa: B015
    with pytest.raises(TypeError, match=r"has no truth value; write two limits"):
        0.01 <= rh.multiclass.Error("a") <= 0.05  # noqa: B015
    with pytest.raises(ValueError, match=r"the limit of Error\('a'\) must be a finite number, but is nan"):
        rh.multiclass.Error("a") <= float("nan")  # noqa: B015, PLW0177
    with pytest.raises(ValueError, match=r"subject_to must hold limits such as .* but holds False"):
        checked_limits([rh.multiclass.Error("a") == 0.05])
    assert checked_limits(rh.multiclass.Error("a") <= 0.5) == (rh.multiclass.Error("a") <= 0.5,)


def test_objectives():
    assert checked_objective("max_error") == rh.multiclass.MaxError()
    assert checked_objective("error") == rh.multiclass.ErrorRate()
    assert checked_objective(len) is len
    for wrong in ("maximum", 3, rh.multiclass.Error, None):
        refuses("objective must be 'max_error', 'error', a measure", checked_objective, wrong)
    with pytest.raises(ValueError, match=r"shape \(1,\), but returned shape \(1, 3\)"):
        objective_values(lambda c: c.sum(axis=-1), CONFUSION[None], CLASSES)


def test_the_smallest_is_never_nan():
    many = np.stack([CONFUSION] * 3)
    assert smallest(lambda c: np.array([np.nan, 2, 1]), many, CLASSES) == 2
    assert smallest(lambda c: np.array([np.nan, 1, 1]), many, CLASSES) == 1
    assert smallest(lambda c: np.full(3, np.nan), many, CLASSES) is None
    assert smallest(rh.multiclass.MaxError(), many[:0], CLASSES) is None
    assert smallest(rh.multiclass.MaxError(), many, CLASSES) == 0
    assert smallest(lambda c: np.array([np.inf, -np.inf, 0]), many, CLASSES) == 1


def test_excesses_of_costs_are_divided_by_their_range():
    assert rh.multiclass.CostMatrix([[0, 5], [45, -5]]).scale() == 50
    assert rh.multiclass.CostMatrix(np.ones((2, 2))).scale() == 1
    assert rh.multiclass.Error("a").scale() == 1
    assert measures.MaxError().exact_value(CONFUSION, CLASSES) is None


@pytest.mark.parametrize(
    "measure",
    [
        rh.multiclass.Error("a"),
        rh.multiclass.Cell("a", "b"),
        rh.multiclass.MaxError(),
        rh.multiclass.ErrorRate(),
    ],
)
@pytest.mark.parametrize("limit", [40, -1, 1.0000001, np.nan])
def test_limits_of_shares_are_shares(measure, limit):
    for build in (lambda: measure <= limit, lambda: measure >= limit):
        refuses("limit of", build)
    assert (measure <= 1).limit == 1
    assert (measure >= 0).limit == 0


def test_per_cent_is_explained_and_costs_have_any_limit():
    with pytest.raises(ValueError, match=r"but is 40; limits are shares: 0.4 is 40 %"):
        _ = rh.multiclass.Error("a") <= 40
    assert (rh.multiclass.CostMatrix([[0, 100], [1, 0]]) <= 40).limit == 40


def test_a_matrix_as_an_objective_is_a_cost_matrix():
    for matrix in ([[0, 1], [1, 0]], np.eye(2)):
        refuses(r"give CostMatrix\(costs\)", checked_objective, matrix)
