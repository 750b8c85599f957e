"""Decisions, counts and breakpoints of outputs of several classes, against NumPy and replays."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rochull._core.kernels import multiclass as kernels
from rochull.multiclass.examples import LabelledOutputs
from rochull.multiclass.search.sweeps import Room, Sweep
from twins_multiclass import EDGES, cases, matrix

KINDS = ["smooth", "tied", "extreme"]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Plain Python overflows aloud, when the kernels are not compiled."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        yield


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_classes", [2, 3, 4, 7])
def test_decisions_are_those_of_argmax(kind: str, n_classes: int) -> None:
    y, outputs = cases(n_classes, 600, n_classes, kind)
    weights = np.vstack([np.ones(n_classes), np.random.default_rng(1).dirichlet(np.ones(n_classes), 3)])
    weights[2, 0] = 0.0
    grouped = np.ascontiguousarray(outputs.T)
    for vector in weights:
        called = np.empty(len(y), np.int64)
        kernels.decide(grouped, vector, called)
        np.testing.assert_array_equal(called, np.argmax(outputs * vector, axis=1))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_confusion_matrices_are_counts_of_decisions(kind: str, weighted: bool) -> None:
    y, outputs = cases(3, 900, 4, kind)
    mass = np.random.default_rng(2).integers(0, 4, len(y)) if weighted else None
    examples = LabelledOutputs.of(y, outputs, mass)
    vectors = np.random.default_rng(3).dirichlet(np.ones(4), 7)
    expected = np.array([matrix(y, outputs, vector, mass) for vector in vectors])
    np.testing.assert_array_equal(examples.weighed(examples.confusion_units(vectors)), expected)


def test_the_first_class_wins_a_tie() -> None:
    called = np.empty(2, np.int64)
    kernels.decide(np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 2.0]]), np.array([2.0, 1.0, 1.0]), called)
    assert called.tolist() == [0, 0]


def wins(weight: float, output: float, rival: float, tie: bool) -> bool:
    return weight * output > rival or (tie and weight * output == rival)


@given(
    st.one_of(st.sampled_from(EDGES), st.floats(0, 1.7e308)),
    st.one_of(st.sampled_from(EDGES), st.floats(0, 1.7e308)),
    st.booleans(),
)
def test_the_least_weight_that_wins_is_the_least(output: float, rival: float, tie: bool) -> None:
    least = kernels.least_weight(output, rival, tie)
    if least == math.inf:
        assert not wins(math.nextafter(math.inf, 0), output, rival, tie)
        return
    assert wins(least, output, rival, tie)
    assert least == 0 or not wins(math.nextafter(least, 0), output, rival, tie)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("j", [0, 1, 3])
def test_examples_turn_exactly_where_the_kernel_says(kind: str, j: int) -> None:
    y, outputs = cases(j, 300, 4, kind)
    examples = LabelledOutputs.of(y, outputs)
    vector = np.array([0.3, 1.0, 0.1, 0.7])
    everything = np.ones((4, 4), bool)
    sweep = Sweep.of(examples, vector, j, everything, Room.of(examples))
    rows = outputs[examples.order]
    assert sweep.kept.tolist() == examples.total_units.tolist()
    assert sweep.at_zero.sum() == (sweep.theta == 0).sum()
    for row, theta, other in zip(rows, sweep.theta.tolist(), sweep.other.tolist(), strict=True):
        rest = row * vector
        rest[j] = -1.0
        assert other == np.argmax(rest)
        for weight, turned in ((theta, True), (math.nextafter(theta, 0), False)):
            if weight == math.inf or (theta == 0 and not turned):
                continue
            replayed = vector.copy()
            replayed[j] = weight
            assert (np.argmax(row * replayed) == j) == turned


def test_only_what_matters_is_kept() -> None:
    y, outputs = cases(5, 200, 3, "smooth")
    weight = np.random.default_rng(0).integers(1, 5, len(y))
    examples = LabelledOutputs.of(y, outputs, weight)
    everything, some = np.ones((3, 3), bool), np.eye(3, dtype=bool)
    whole = Sweep.of(examples, np.ones(3), 1, everything, Room.of(examples))
    part = Sweep.of(examples, np.ones(3), 1, some, Room.of(examples))
    true = np.repeat(np.arange(3), np.diff(whole.first_of))
    chosen = some[true, whole.other]
    np.testing.assert_array_equal(part.theta, whole.theta[chosen])
    np.testing.assert_array_equal(part.other, whole.other[chosen])
    np.testing.assert_array_equal(part.units, whole.units[chosen])
    np.testing.assert_array_equal(part.kept, np.bincount(true[chosen], whole.units[chosen], 3))


def test_one_class_after_the_other_is_as_good_as_two_at_a_time() -> None:
    """The loop of two classes at a time leaves out any one class, at any number of classes."""
    for n_classes in range(2, 7):
        outputs = cases(n_classes, 50, n_classes, "tied")[1]
        grouped = np.ascontiguousarray(outputs.T)
        for without in range(-1, n_classes):
            best, called = np.empty(50), np.empty(50, np.int64)
            kernels._largest(grouped, np.ones(n_classes), without, 0, best, called)
            masked = outputs.copy()
            if without >= 0:
                masked[:, without] = -1.0
            np.testing.assert_array_equal(called, np.argmax(masked, axis=1))
            np.testing.assert_array_equal(best, masked.max(axis=1))


def test_errors_compare_largest_first() -> None:
    def better(errors: Any, best: Any) -> bool:
        return bool(kernels.lexically_better(np.array(errors), np.empty(3), np.array(best)))

    assert better([0.1, 0.3, 0.2], [0.4, 0.0, 0.0])
    assert better([0.1, 0.3, 0.1], [0.3, 0.2, 0.1])
    assert not better([0.1, 0.3, 0.2], [0.3, 0.2, 0.1])
    assert not better([0.3, 0.3, 0.0], [0.3, 0.2, 0.1])
    assert not better([0.5, 0.0, 0.0], [0.3, 0.2, 0.1])
