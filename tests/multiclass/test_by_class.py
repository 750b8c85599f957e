"""What belongs to classes: by label where there are labels, in every container, or refused."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from refusals import refuses

P = np.array([[.6, .3, .1], [.2, .5, .3], [.1, .2, .7], [.3, .3, .4], [.7, .2, .1], [.1, .8, .1]])  # fmt: skip
Y = ["b", "a", "c", "c", "b", "a"]
BAC = ["b", "a", "c"]  # the classes of the columns of P
CostMatrix = rh.multiclass.CostMatrix
GOOD = ["good", "bad"]
COSTS = pd.DataFrame([[0, 1], [10, 0]], GOOD, GOOD)


def decided(y: Any, outputs: Any, **options: Any) -> Any:
    roc = rh.MulticlassRoc(y, outputs, **options)
    return roc.decide([1] * 3, outputs).tolist(), sorted(
        zip(roc.classes, roc.errors([1] * 3)[0], strict=True)
    )


DOORS: dict[str, Callable[..., Any]] = {
    "hand_till": rh.multiclass.hand_till,
    "pairwise_auc": lambda *given, **options: float(np.nansum(rh.multiclass.pairwise_auc(*given, **options))),
    "hand_till_interval": lambda *given, **options: (
        rh.multiclass.hand_till_interval(*given, method="logit", **options).estimate
    ),
    "multiclass_cllr": rh.multiclass.multiclass_cllr,
    "MulticlassRoc": decided,
    "multiclass_average": lambda y, p, **options: sorted(
        rh.multiclass.multiclass_average(y, p, [0, 0, 0, 1, 1, 1], [[1, 1, 1]], **options).errors_mean[0]
    ),
}
each_door = pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
FRAMES: dict[str, Callable[[Any, list[Any]], Any]] = {
    "pandas": lambda array, names: pd.DataFrame(array, columns=names),
    "polars": lambda array, names: pl.DataFrame(dict(zip(names, array.T, strict=True))),
    "pyarrow": lambda array, names: pa.table(dict(zip(names, array.T, strict=True))),
    "mapping": lambda array, names: dict(zip(names, array.T, strict=True)),
}
each_frame = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)


@each_door
@each_frame
def test_columns_are_found_by_name_or_refused(door: Any, frame: Any) -> None:
    right = door(Y, P, classes=BAC)
    assert door(Y, frame(P, BAC)) == right
    assert door(Y, frame(P[:, [2, 0, 1]], ["c", "b", "a"])) == right
    for names in (["p_b", "p_a", "p_c"], ["B", "A", "C"], ["b ", "a", "c"], ["b", "a", "x"]):
        refuses(r"has no column '[abc]' for the class .*; it has .* give classes", door, Y, frame(P, names))
    assert door(Y, frame(P, ["p_b", "p_a", "p_c"]), classes=BAC) == right
    refuses(
        "has the column 'b' in the place of the class 'a'", door, Y, frame(P, ["x", "b", "c"]), classes=BAC
    )


@pytest.mark.filterwarnings("ignore:outputs. the columns of an array:UserWarning")
def test_the_review_s_figures() -> None:
    frame = pd.DataFrame(P, columns=BAC)
    assert rh.multiclass.hand_till(Y, frame) == 1.0
    assert rh.multiclass.hand_till(Y, P) == pytest.approx(0.4792, abs=1e-4)
    assert rh.multiclass.hand_till(Y, pd.DataFrame(P)) == rh.multiclass.hand_till(Y, P)  # a RangeIndex
    twice = frame.set_axis(["b", "a", "b"], axis=1)
    refuses("more than one column 'b'", rh.multiclass.hand_till, Y, twice)
    numbered = [[1.0, 2.0, 3.0][BAC.index(label)] for label in Y]
    refuses("no column 1.0", rh.multiclass.hand_till, numbered, frame.set_axis(["1", "2", "3"], axis=1))
    assert rh.multiclass.hand_till(numbered, frame.set_axis([1, 2, 3], axis=1)) == 1.0


def test_a_calibrator_wants_the_same_columns_again() -> None:
    y, p = np.tile(Y, 20), np.tile(P, (20, 1)) * np.random.default_rng(0).uniform(0.8, 1.2, (120, 3))
    model = rh.multiclass.MulticlassCalibrator().fit(pd.DataFrame(p, columns=BAC), y)
    turned = rh.multiclass.MulticlassCalibrator().fit(p[:, [1, 0, 2]], y)
    assert np.array_equal(model.posterior(pd.DataFrame(p, columns=BAC)), turned.posterior(p[:, [1, 0, 2]]))
    refuses("in the same order", model.posterior, pd.DataFrame(p, columns=BAC)[["a", "b", "c"]])
    refuses(
        "no column", rh.multiclass.MulticlassCalibrator().fit, pd.DataFrame(p, columns=["x", "y", "z"]), y
    )
    stated = rh.multiclass.MulticlassCalibrator(classes=BAC).fit(p, y)
    priors = pd.Series({"c": 0.5, "a": 0.2, "b": 0.3})
    assert np.array_equal(stated.posterior(p, priors), stated.posterior(p, [0.3, 0.2, 0.5]))
    refuses("no value for class 'a'", stated.posterior, p, priors.drop("a"))


def warned(function: Any, *given: Any, **options: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*given, **options)
    return [str(warning.message) for warning in found if "give classes" in str(warning.message)]


@each_door
def test_columns_without_names_in_a_doubtful_order_are_told(door: Any) -> None:
    [said] = warned(door, Y, P)
    assert "'a', 'b', 'c', by which the largest output is that of the true class in 2 of 6 cases" in said
    assert "the largest class alone has 2, and another order of the columns gives 6" in said
    for labels in (
        pd.Categorical(Y, BAC),
        pd.Series(Y, dtype=pd.CategoricalDtype(BAC)),
        pl.Series(Y, dtype=pl.Enum(BAC)),
    ):
        [said] = warned(door, labels, P[:, [1, 0, 2]])
        assert "but the labels have the order 'b', 'a', 'c'" in said
        assert not warned(door, labels, P, classes=BAC)
    assert not warned(door, Y, P[:, [1, 0, 2]])
    assert not warned(door, pd.Categorical(Y), P[:, [1, 0, 2]])
    assert not warned(door, Y, np.ones((6, 3)))  # they say nothing, in any order


def test_a_cost_matrix_goes_by_its_labels() -> None:
    right = CostMatrix([[0, 1], [10, 0]], [0.9, 0.1], GOOD)
    priors = pd.Series({"bad": 0.1, "good": 0.9})
    for costs in (COSTS, COSTS[["bad", "good"]], COSTS.loc[["good", "bad"]], COSTS.to_dict("index")):
        assert CostMatrix(costs, priors) == right
        assert CostMatrix(costs, priors.to_dict()) == right
        assert CostMatrix(costs, priors, ["bad", "good"]) == CostMatrix(
            [[0, 10], [1, 0]], [0.1, 0.9], ["bad", "good"]
        )
    turned = COSTS.loc[["bad", "good"]]
    assert CostMatrix(turned).costs == ((0, 10), (1, 0))
    assert CostMatrix(turned).classes == ("bad", "good")
    assert CostMatrix(pd.DataFrame([[0, 1], [10, 0]])) == CostMatrix([[0, 1], [10, 0]])
    assert CostMatrix([[0, 1], [10, 0]], pd.Series([0.9, 0.1])).priors == (0.9, 0.1)
    numbers = pd.DataFrame([[0, 1], [10, 0]], [1, 0], [1, 0])
    assert CostMatrix(numbers).in_order([0, 1])[0].tolist() == [[0, 10], [1, 0]]


@given(st.permutations(range(3)), st.permutations(range(3)), st.permutations(range(3)))
def test_a_labelled_cost_is_the_same_in_every_order(
    rows: list[int], columns: list[int], classes: list[int]
) -> None:
    labels, costs = np.array(["x", "y", "z"]), np.arange(9).reshape(3, 3)
    frame = pd.DataFrame(costs, labels, labels).loc[labels[rows], labels[columns]]
    priors = pd.Series([0.1, 0.2, 0.7], labels)[labels[columns]]
    found, shares = CostMatrix(frame, priors).in_order(labels[classes].tolist())
    assert found.tolist() == [[3 * i + j for j in classes] for i in classes]
    assert shares is not None
    assert shares.tolist() == pytest.approx([[0.1, 0.2, 0.7][i] for i in classes])


def test_labels_that_name_no_classes_are_refused() -> None:
    half = pd.DataFrame(COSTS.to_numpy(), columns=GOOD)
    for costs in (half, pl.from_pandas(half), pa.Table.from_pandas(half)):
        refuses(
            "costs has labels, 'good', 'bad', but none for its rows; label both, or give classes",
            CostMatrix,
            costs,
        )
        assert CostMatrix(costs, classes=GOOD).costs == ((0, 1), (10, 0))
        refuses("none for its rows", CostMatrix, costs, classes=["bad", "good"])
    refuses("none for its columns", CostMatrix, pd.DataFrame(COSTS.to_numpy(), index=GOOD))
    refuses("none for its columns; give a mapping for each", CostMatrix, {"good": [0, 1], "bad": [10, 0]})
    refuses(
        r"costs\['bad'\] has no value for class 'bad'",
        CostMatrix,
        {"good": {"good": 0, "bad": 1}, "bad": {"good": 10}},
    )
    refuses("has the columns 'a', 'b', but the classes are", CostMatrix, COSTS.set_axis(["a", "b"], axis=1))
    refuses("has the rows 'good', 'bad', but the classes are 'x', 'y'", CostMatrix, COSTS, classes=["x", "y"])
    refuses("more than one column 'good'", CostMatrix, COSTS.set_axis(["good", "good"], axis=1))
    refuses(
        "priors has labels, 'good', 'bad', but nothing names the classes",
        CostMatrix,
        [[0, 1], [10, 0]],
        pd.Series([0.9, 0.1], GOOD),
    )
    refuses("priors has 'x', which is not a class", CostMatrix, COSTS, {"good": 1, "x": 2})


def test_weights_and_priors_of_a_point_go_by_label() -> None:
    roc = rh.MulticlassRoc(Y, P, classes=BAC)
    right = roc.errors([1, 2, 3]).tolist()
    series = pd.Series({"c": 3, "a": 2, "b": 1})
    for weights in (
        series,
        series.to_dict(),
        series.to_frame().T,
        pl.DataFrame({"c": [3], "b": [1], "a": [2]}),
        pd.Series([1, 2, 3]),
    ):
        assert roc.errors(weights).tolist() == right
    refuses("weights has 'x', which is not a class", roc.errors, pd.Series({"a": 1, "b": 2, "x": 3}))
    refuses("no column 'c'", roc.errors, pd.DataFrame([[1, 2, 3]], columns=["a", "b", "x"]))
    point, costs = roc.points_at([1, 2, 3])[0], np.arange(9).reshape(3, 3)
    shares = pd.Series({"c": 0.7, "a": 0.2, "b": 0.1})
    assert point.expected_cost(costs, shares) == point.expected_cost(costs, [0.1, 0.2, 0.7])
    frame = pd.DataFrame(costs, BAC, BAC).loc[["c", "a", "b"]]
    assert point.expected_cost(frame, shares) == point.expected_cost(costs, [0.1, 0.2, 0.7])
