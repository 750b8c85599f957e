"""Which classes interact, and the search that takes them apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import rochull as rh
from rochull.multiclass.examples import LabelledOutputs
from rochull.multiclass.search.pairwise import groups_of, interactions, perturbations


def two_pairs(n: int = 400) -> tuple[Any, Any]:
    """Classes 0 and 2 are confused, and so are 1 and 3; class 4 is with none."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 5
    outputs = np.full((n, 5), 1e-6)
    for i, c in enumerate(y.tolist()):
        partner = {0: 2, 2: 0, 1: 3, 3: 1, 4: 4}[c]
        share = rng.beta(3, 2)
        outputs[i, partner] = 1 - share
        outputs[i, c] += share * (1.5 if c == 0 else 1)
    return y, outputs


def test_only_classes_that_are_confused_interact() -> None:
    examples = LabelledOutputs.of(*two_pairs())
    found = interactions(examples, np.ones(5), 0.01)
    np.testing.assert_array_equal(found, found.T)
    assert {(i, j) for i, j in np.argwhere(found > 0.01).tolist()} == {(0, 2), (2, 0), (1, 3), (3, 1)}
    assert groups_of(found > 0.01) == [[0, 2], [1, 3], [4]]


def test_an_interaction_is_the_largest_change_of_a_rate() -> None:
    y, outputs = two_pairs(60)
    mc = rh.MulticlassRoc(y, outputs)
    examples, base, largest = LabelledOutputs.of(y, outputs), mc.points_at(np.ones(5)).rates[0], 0.0
    for factor in np.exp(perturbations(examples, np.ones(5), 0, 2, 0.01)).tolist():
        for weights in ([1, 1, factor, 1, 1], [1 / factor, 1, 1, 1, 1]):
            change = np.abs(mc.points_at(weights).rates[0] - base)
            largest = max(largest, change[0, 2], change[2, 0])
    assert interactions(examples, np.ones(5), 0.01)[0, 2] == largest


def test_perturbations_span_the_overlap_and_argmax() -> None:
    """Of log ratios 0 to 9 of class 0, and -6 to 3 of class 1: from 0 to 3."""
    ratio = np.concatenate([np.arange(10.0), np.arange(-6.0, 4.0)])
    outputs = np.exp(np.column_stack([ratio, np.zeros(20)]) + 300)
    y = np.repeat([0, 1], 10)
    examples = LabelledOutputs.of(y, outputs)
    found = perturbations(examples, np.ones(2), 0, 1, 0.0)
    assert found.min() == pytest.approx(0)
    assert found.max() == pytest.approx(3)
    moved = perturbations(examples, np.array([1.0, np.exp(50)]), 0, 1, 0.0)  # argmax is far off
    assert moved.min() == pytest.approx(-50)
    assert moved.max() == pytest.approx(0)
    swapped = perturbations(LabelledOutputs.of(1 - y, outputs), np.ones(2), 1, 0, 0.0)
    assert swapped.min() == pytest.approx(-9)


def test_outputs_of_zero_have_no_ratio() -> None:
    outputs = np.array([[0.0, 0.0], [1, 0], [0, 1], [0, 0]])
    found = perturbations(LabelledOutputs.of([0, 0, 1, 1], outputs), np.ones(2), 0, 1, 0.01)
    assert np.isfinite(np.exp(found)).all()
    none = perturbations(LabelledOutputs.of([0, 1, 2], np.eye(3)[[2, 2, 0]]), np.ones(3), 0, 1, 0.01)
    assert not none.any()


@pytest.mark.parametrize("goal", ["max_error", rh.multiclass.ErrorRate()], ids=str)
def test_extreme_outputs_are_searched_as_well_as_by_coordinates(goal: Any) -> None:
    data = rh.datasets.load("mfeat_mor")
    y = np.asarray(data.pop("class"))
    rows = np.isin(y, (3, 6, 10))
    X = np.column_stack(list(data.values()))[rows]
    mc = rh.MulticlassRoc(y[rows], GaussianNB().fit(X, y[rows]).predict_proba(X))
    apart = mc.search(goal, "pairwise", random_state=0).values(goal)[0]
    assert apart == mc.search(goal, "coordinate", random_state=0).values(goal)[0]


def test_groups_that_looked_apart_are_searched_together_in_the_end() -> None:
    """With an interaction that nothing exceeds there are no groups, and one search from argmax is left."""
    rng = np.random.default_rng(1)
    y = np.arange(300) % 3
    outputs = rng.dirichlet(np.ones(3), 300) * [1, 5, 25]
    outputs[np.arange(300), y] *= 3
    mc = rh.MulticlassRoc(y, outputs)
    found = mc.search("max_error", "pairwise", interaction=1.0, random_state=0)
    alone = mc.search("max_error", "coordinate", n_starts=1, random_state=0)
    assert found.values("max_error")[0] == alone.values("max_error")[0] < 0.5


def test_weights_that_leave_the_floats_are_not_kept() -> None:
    """Of ratios so extreme that a group's weights push the others' below all floats."""
    rng = np.random.default_rng(2)
    y = np.arange(200) % 4
    outputs = np.exp(rng.uniform(-740, 700, (200, 4)))
    mc = rh.MulticlassRoc(y, outputs)
    found = mc.search("max_error", "pairwise", n_starts=3, random_state=0)
    assert np.isfinite(found.weights).all()
    assert found.values("max_error")[0] <= mc.errors(np.ones(4)).max()


def test_groups_are_linked_over_others() -> None:
    linked = np.zeros((6, 6), bool)
    for i, j in ((0, 3), (3, 5), (1, 2)):
        linked[i, j] = linked[j, i] = True
    assert groups_of(linked) == [[0, 3, 5], [1, 2], [4]]


def test_groups_searched_apart_are_as_good_as_all_together() -> None:
    mc = rh.MulticlassRoc(*two_pairs())
    for goal in ("max_error", rh.multiclass.ErrorRate()):
        apart = mc.search(goal, "pairwise", n_starts=5, random_state=0)
        together = mc.search(goal, "coordinate", n_starts=5, random_state=0)
        assert apart.values(goal)[0] <= together.values(goal)[0]
        np.testing.assert_array_equal(apart.weights[0][4], 1.0)


def test_classes_without_confusion_need_no_search() -> None:
    mc = rh.MulticlassRoc([0, 1, 2] * 5, np.tile(np.eye(3) + 1e-9, (5, 1)))
    found = mc.search("max_error", "pairwise", random_state=0)
    assert found.errors.tolist() == [[0.0, 0.0, 0.0]]
    np.testing.assert_array_equal(found.weights, np.ones((1, 3)))
