"""What callers give a multi-class ROC: grouped by class, weighed, and refused with a clear sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rochull as rh
from refusals import refuses
from rochull.multiclass.examples import LabelledOutputs, scaled
from twins_multiclass import cases, matrix

GOOD = [[0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6]]


def test_examples_are_grouped_by_class_in_the_order_given() -> None:
    y, outputs = cases(0, 50, 3, "smooth")
    labels = np.array(["x", "y", "z"])[y]
    examples = LabelledOutputs.of(labels, outputs)
    assert examples.classes == ("x", "y", "z")
    np.testing.assert_array_equal(examples.outputs.T, outputs[examples.order])
    np.testing.assert_array_equal(y[examples.order], np.sort(y))
    assert examples.total_units.tolist() == np.bincount(y).tolist() == examples.totals.tolist()
    assert examples.totals.dtype == np.int64
    np.testing.assert_array_equal(examples.decided(np.ones(3)), np.argmax(outputs, axis=1))


def test_what_is_given_is_not_modified_and_not_kept() -> None:
    y, outputs = cases(0, 30, 3, "smooth")
    before = outputs.copy()
    examples = LabelledOutputs.of(y, outputs, np.ones(30))
    np.testing.assert_array_equal(outputs, before)
    outputs[:] = 7.0
    np.testing.assert_array_equal(examples.outputs.T, before[examples.order])


def test_whole_weights_are_repeated_examples() -> None:
    y, outputs = cases(1, 80, 3, "tied")
    weight = np.random.default_rng(0).integers(0, 4, 80)
    vectors = np.random.default_rng(1).dirichlet(np.ones(3), 9)
    weighted = rh.MulticlassRoc(y, outputs, weight)
    repeated = rh.MulticlassRoc(np.repeat(y, weight), np.repeat(outputs, weight, axis=0))
    np.testing.assert_array_equal(weighted.confusion(vectors), repeated.confusion(vectors))
    assert weighted.confusion(vectors).dtype == np.float64
    np.testing.assert_array_equal(weighted.totals, repeated.totals)
    assert len(weighted.decide(np.ones(3))) == (weight > 0).sum()


def test_fractions_of_weight_add_up_exactly() -> None:
    y, outputs = cases(2, 60, 3, "smooth")
    weight = np.random.default_rng(0).integers(1, 100, 60) / 64
    confusion = rh.MulticlassRoc(y, outputs, weight).confusion(np.ones(3))[0]
    np.testing.assert_array_equal(confusion, matrix(y, outputs, np.ones(3), np.rint(weight * 64)) / 64)


def test_results_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    from rochull.multiclass import examples

    y, outputs = cases(2, 500, 4, "tied")
    mc = rh.MulticlassRoc(y, outputs)
    vectors = np.random.default_rng(1).dirichlet(np.ones(4), 11)
    expected = np.array([matrix(y, outputs, vector) for vector in vectors])
    for n in (1, 2, 3, 50):
        monkeypatch.setattr(examples, "n_threads", lambda n=n: n)
        np.testing.assert_array_equal(mc.confusion(vectors), expected)


def test_named_columns_may_be_in_any_order() -> None:
    y, outputs = cases(3, 60, 3, "smooth")
    order = [2, 0, 1]
    labels = np.array(["a", "b", "c"])
    plain = rh.MulticlassRoc(labels[y], outputs)
    named = rh.MulticlassRoc(labels[y], outputs[:, order], classes=labels[order])
    assert named.classes == ("c", "a", "b")
    np.testing.assert_array_equal(
        plain.confusion([1, 2, 3])[0][np.ix_(order, order)], named.confusion([3, 1, 2])[0]
    )


def test_scaling_by_a_power_of_two_leaves_ratios() -> None:
    vectors = np.array([[3.0, 5.0, 0.0], [1e-5, 1e5, 7.0]])
    found = scaled(vectors)
    assert ((found.max(axis=1) >= 0.5) & (found.max(axis=1) < 1)).all()
    np.testing.assert_array_equal(found / vectors.clip(1e-9), [[0.125, 0.125, 0], [2.0**-17] * 3])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ([0, 1, 2], [[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]]),
            "y_true has 3 classes, but outputs has 2 columns",
        ),
        (([0, 1, 2], [0.1, 0.2, 0.3]), r"outputs must have shape \(n, C\)"),
        (([0, 1], [["a", "b"], ["c", "d"]]), "outputs must be numeric"),
        (([], np.empty((0, 3))), "outputs is empty|y_true is empty"),
        (([0, 1, 1], GOOD), "y_true has 2 classes, but outputs has 3 columns"),
        (([0, 1, 2], [[0.5, -0.3, 0.2], *GOOD[1:]]), "1 negative values, the first in row 0, column 1"),
        (([0, 1, 2], [[0.5, np.nan, 0.2], *GOOD[1:]]), "1 NaN, the first in row 0, column 1"),
        (([0, 1, 2], [*GOOD[:2], [np.inf, 0, 1]]), "1 infinite values, the first in row 2, column 0"),
        (([0, 1, 2], [[0.5, 0.3], *GOOD[1:]]), "outputs is not an array"),
        (([0, 1, 2], np.ma.masked_array(GOOD, np.eye(3))), "outputs has 3 masked values"),
        (
            ([0, 1, 2], np.array(GOOD, np.longdouble) * np.longdouble("1e400")),
            "outputs has 9 infinite values",
        ),
        (([0, 1, 2], GOOD, None, {0, 1, 2}), "columns of outputs in a sequence, but is {0, 1, 2}"),
        (([0, 1, 2], GOOD, None, 3), "columns of outputs in a sequence, but is 3"),
        (([0, 1, 2], GOOD, None, [[0], [1], [2]]), "columns of outputs in a sequence"),
        (([0, 1, 2], GOOD, None, "012"), "columns of outputs in a sequence"),
        (([0, 1, 2], GOOD, [1, 1e160, 1]), "sample_weight: class 1 weighs 1e.160 in total, which is outside"),
        (([0, 1], GOOD), "y_true"),
        (([0, 1, 2], GOOD, [1, 1]), "sample_weight"),
        (([0, 1, 2], GOOD, [1, 1, 0]), "sample_weight: class 2 has zero total weight"),
        (([0, 1, 2], GOOD, [1, 1, -1]), "sample_weight has 1 negative"),
        (([0, 1, 2], GOOD, None, [0, 1]), "classes must name 3 different columns"),
        (([0, 1, 2], GOOD, None, [0, 1, 1]), "classes must name 3 different columns"),
        (([0, 1, 3], GOOD, None, [0, 1, 2]), "y_true has the class 3, for which outputs has no column"),
        (([0, 1, 1], GOOD, None, [0, 1, 2]), "y_true has no example of class 2"),
    ],
)
def test_bad_input_is_refused(arguments: tuple[Any, ...], message: str) -> None:
    refuses(message, rh.MulticlassRoc, *arguments)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], r"weights must have shape \(k, 3\), but has shape \(2,\)"),
        ([[1, 2, 3], [1, -1, 0]], "weights has 1 value that is negative, the first in vector 1"),
        ([1, np.nan, 0], "weights has 1 value that is not finite, the first in vector 0"),
        ([1, np.inf, 0], "weights has 1 value that is not finite"),
        ([[1, 1, 1], [0, 0, 0]], "weights: vector 1 is all zero"),
        (np.ones((2, 2, 3)), "weights must have shape"),
        (["a", "b", "c"], "weights must be numeric"),
        ([1j, 1, 1], "weights must be numeric"),
        ([1, None, 1], "weights must be numeric"),
        ([[1, 1], [1, 1, 1]], "weights is not an array"),
        (np.ma.masked_array([1.0, 1, 1], [0, 1, 0]), "weights has 1 masked values"),
    ],
)
def test_bad_weights_are_refused(weights: Any, message: str) -> None:
    refuses(message, rh.MulticlassRoc([0, 1, 2], GOOD).confusion, weights)


@pytest.mark.parametrize("unit", [0.1, 0.3, 1 / 3, 1.7, 1e-100, 12345.678])
def test_equal_weights_have_the_rates_of_counts(unit: float) -> None:
    """So a limit that is met exactly is met."""
    for n in (7, 10, 30):
        y, outputs = np.repeat([0, 1], n), np.repeat([[1.0, 0.0], [0.0, 1.0]], n, axis=0)
        for wrong in range(n):
            outputs[:wrong] = [0, 1]
            found = rh.MulticlassRoc(y, outputs, np.full(2 * n, unit)).points_at([1, 1])
            assert found.rates[0, 0, 1] == wrong / n
            assert found.errors[0, 0] == wrong / n
            assert found.satisfying(rh.multiclass.Cell(0, 1) <= wrong / n).all()


@pytest.mark.parametrize("weighted", [False, True])
def test_columns_are_grouped_in_their_place(weighted):
    rng = np.random.default_rng(0)
    codes, outputs = rng.integers(0, 3, 50), rng.random((50, 3))
    weight = rng.integers(0, 3, 50) / 3 if weighted else None
    wanted = LabelledOutputs.of(np.array(["a", "b", "c"])[codes], outputs, weight)
    columns = np.ascontiguousarray(outputs.T)
    found = LabelledOutputs.of_columns(columns, codes.astype(np.uint8), ["a", "b", "c"], weight)
    assert np.shares_memory(found.outputs, columns) == (not weighted)
    for name in ("outputs", "begin", "mass", "total_units"):
        assert getattr(found, name).tolist() == getattr(wanted, name).tolist()
    assert (
        found.points(np.ones((1, 3))).confusion.tolist() == wanted.points(np.ones((1, 3))).confusion.tolist()
    )
