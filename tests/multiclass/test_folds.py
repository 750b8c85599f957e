"""Tables of confusion matrices of several classes in every fold: parts of them, chunks, and measures."""

from typing import Any

import numpy as np
import pytest

import rochull as rh
from rochull.multiclass import folds as module
from rochull.multiclass.examples import LabelledOutputs
from rochull.multiclass.folds import ClassFolds, checked_measure, in_fold, needed

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 3, 90)
OUTPUTS = RNG.integers(0, 6, (90, 3))
CODES = RNG.integers(0, 5, 90)
VECTORS = RNG.random((70, 3))
MEASURES: list[Any] = [
    rh.multiclass.Error(0),
    rh.multiclass.Cell(0, 2),
    "error",
    "max_error",
    lambda m: m[:, 0, 1] / m[:, 1, 0],
]


@pytest.mark.parametrize("weighted", [False, True])
def test_a_fold_is_a_part_of_the_examples(weighted: bool) -> None:
    mass = np.arange(90) % 4 / 2 if weighted else None  # some weigh nothing
    whole = LabelledOutputs.of(Y, OUTPUTS, mass)
    for f in range(5):
        part = in_fold(whole, f == CODES)
        rows = (f == CODES) & (np.ones(90, bool) if mass is None else mass > 0)
        assert sorted(part.order.tolist()) == np.flatnonzero(rows).tolist()
        assert part.outputs.tolist() == OUTPUTS[part.order].T.tolist()
        assert np.diff(part.begin).tolist() == np.bincount(Y[rows], minlength=3).tolist()
        alone = rh.MulticlassRoc(Y[rows], OUTPUTS[rows], None if mass is None else mass[rows])
        found = part.weighed(part.confusion_units(VECTORS))
        np.testing.assert_allclose(found, alone.confusion(VECTORS), rtol=1e-14)


def test_folds_sum_to_the_whole() -> None:
    whole = LabelledOutputs.of(Y, OUTPUTS)
    table = ClassFolds.of(whole, CODES, 5, VECTORS)
    assert table.table.sum(axis=0).tolist() == whole.points(VECTORS).confusion.tolist()
    assert table.totals[:, :, 0].T.tolist() == table.table[:, 3].sum(axis=-1).tolist()
    assert (table.size, table.n_folds, table.is_exact) == (70, 5, True)
    assert not ClassFolds.of(LabelledOutputs.of(Y, OUTPUTS, np.full(90, 0.5)), CODES, 5, VECTORS).is_exact


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def results() -> list[Any]:
        average = rh.multiclass.multiclass_average(Y, OUTPUTS, CODES, VECTORS)
        found = [average.mean(m).tolist() for m in MEASURES] + [average.std(m).tolist() for m in MEASURES]
        return found + [average.compare(3, measure=m).pvalue.tolist() for m in MEASURES]  # type: ignore[union-attr]

    whole = results()
    monkeypatch.setattr(module, "_TABLE", 1)  # chunks of 16
    np.testing.assert_array_equal(results(), whole)


def test_needed_classes() -> None:
    costs = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    expected: list[tuple[Any, list[int]]] = [
        (rh.multiclass.Error("b"), [1]),
        (rh.multiclass.Cell("c", "a"), [2]),
        ("max_error", [0, 1, 2]),
        ("error", []),
        (rh.multiclass.CostMatrix(costs), []),
        (rh.multiclass.CostMatrix(costs, priors=[0, 1, 1]), [1, 2]),
        (len, []),
    ]
    for measure, classes in expected:
        assert list(needed(checked_measure(measure, "abc"), "abc")) == classes
    with pytest.raises(ValueError, match=r"^costs has shape \(3, 3\), but there are 2 classes\.$"):
        checked_measure(rh.multiclass.CostMatrix(costs), "ab")


def test_a_function_must_return_a_number_for_each_matrix() -> None:
    average = rh.multiclass.multiclass_average(Y, OUTPUTS, CODES, VECTORS)
    with pytest.raises(ValueError, match=r"^measure: <lambda> must return numbers of shape \(350,\), one f"):
        average.mean(lambda m: m[:, 0])
