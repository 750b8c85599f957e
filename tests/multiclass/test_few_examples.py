"""Few examples of several classes need no compiled loops, and without them the numbers are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from profiles import tries
from rochull._core.kernels import multiclass as kernels
from rochull.multiclass import loops
from rochull.multiclass.examples import LabelledOutputs
from rochull.multiclass.few_examples import FewExamples
from rochull.multiclass.search.sweeps import Room, Sweep
from twins_multiclass import EDGES, cases

VALUES = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 1.0, *EDGES]), st.floats(0, 1.7e308))


@st.composite
def swept(draw: st.DrawFn) -> tuple[LabelledOutputs, Any, int, Any]:
    """Examples, weights of the classes, the one that is swept, and which cells matter."""
    n_classes, n = draw(st.integers(2, 5)), draw(st.integers(0, 30))
    size = n + n_classes
    outputs = [[draw(VALUES) for _ in range(n_classes)] for _ in range(size)]
    labels = [*range(n_classes), *(draw(st.integers(0, n_classes - 1)) for _ in range(n))]
    mass = np.array([draw(st.integers(1, 5)) for _ in range(size)]) if draw(st.booleans()) else None
    examples = LabelledOutputs.of(np.array(labels), np.array(outputs), mass)
    weights = np.array([draw(VALUES) for _ in range(n_classes)])
    matters = np.array([[draw(st.booleans()) for _ in range(n_classes)] for _ in range(n_classes)])
    return examples, weights, draw(st.integers(0, n_classes - 1)), matters


def by(those: Any, case: Any) -> list[Any]:
    """What these loops say of a sweep, all of it."""
    examples, weights, j, matters = case
    n_classes, room = examples.n_classes, Room.of(examples)
    called = np.empty(examples.order.size, np.int64)
    counts = np.zeros((2, n_classes, n_classes), np.int64)
    with np.errstate(all="ignore"):  # plain Python overflows aloud, when the kernels are not compiled
        those.decide(examples.outputs, weights, called)
        those.confusion(
            examples.outputs, examples.begin, examples.mass, np.vstack([weights, weights[::-1]]), counts
        )
        those.turns(
            examples.outputs, examples.begin, examples.mass, weights, j, matters,
            room.theta, room.other, room.units, room.first_of, room.kept, room.at_zero,
        )  # fmt: skip
        size = int(room.first_of[-1])
        theta, other, units = room.theta[:size], room.other[:size], room.units[:size]
        sweep = Sweep(j, theta, other, units, room.first_of, room.kept, room.at_zero)
        members = those.members_of(theta, np.ones(1, bool), 63)
        members = members[np.argsort(theta[members], kind="stable")]
        gaps = [those.gap(theta, cut) for cut in (0.0, 1.0, *theta.tolist())]
        single = np.zeros(1, np.int64), np.zeros((1, n_classes), np.int64), np.ones(1, bool), 63
        wrong, best = examples.total_units.copy(), np.empty(n_classes)
        columns = theta, units, room.first_of, members
        cut = those.walk_errors(*columns, *single, j, wrong, examples.total_units, best)
        steps = np.subtract.outer(np.arange(n_classes), weights / (1 + weights)) / 7
        summed = np.zeros(1, np.int64), np.zeros((1, 2)), np.ones(1, bool), 63
        cheapest = those.walk_steps(theta, other, units, room.first_of, members, *summed, steps)
        matrix, order, ends = sweep.turning(n_classes)
        out = np.empty((len(ends), n_classes, n_classes), np.int64)
        those.step_matrices(order, ends, other, units, room.first_of, j, matrix, out)
    arrays = called, counts, theta, other, units, room.first_of, room.kept, room.at_zero, members, wrong, best
    return [*(each.tolist() for each in (*arrays, matrix, out)), gaps, cut, cheapest]


@tries(60)
@given(swept())
def test_every_loop_gives_the_same(case: Any) -> None:
    assert by(FewExamples, case) == by(kernels, case)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("objective", ["max_error", "error", lambda counts: counts[..., 0, 1].astype(float)])
def test_a_search_finds_the_same(objective: Any, weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    y, outputs = cases(3, 120, 3, "tied")
    weight = np.random.default_rng(0).random(len(y)) if weighted else None
    found = []
    for few in (True, False):
        monkeypatch.setattr(loops, "without_kernels", lambda _, few=few: few)
        point = rh.MulticlassRoc(y, outputs, sample_weight=weight).search(
            objective, random_state=0, n_starts=3
        )
        found.append((point.weights.tolist(), point.errors.tolist()))
    assert found[0] == found[1]
