"""Few rows need neither compiled loops nor SciPy, and without them the numbers are the same."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy import special

import rochull as rh
from adversaries import examples
from profiles import tries
from rochull._core import first_use, sorting
from rochull.hull import blocks, refine, tallies


@contextmanager
def answered(answer: bool) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for module in (sorting, blocks, refine, tallies):
            patch.setattr(module, "without_kernels", lambda _: answer)
        yield


def found(rows: Any) -> list[Any]:
    labels, scores, weights = rows
    hull = rh.roc_hull(labels, scores, sample_weight=weights)
    blocks = hull.blocks
    arrays = (hull.fpr, hull.tpr, hull.thresholds, blocks.low, np.signbit(blocks.high), blocks.pos_units)
    return [hull.auc(), rh.roc_auc(labels, scores), *((a.dtype, a.tolist()) for a in arrays)]


@tries(80)
@given(examples(max_size=200))
def test_the_numbers_are_the_same(rows: Any) -> None:
    with answered(True):
        plain = found(rows)
    with answered(False):
        assert found(rows) == plain


def test_many_scores_are_the_same() -> None:
    rng = np.random.default_rng(0)
    labels, scores = rng.random(3000) < 0.3, rng.normal(size=3000).round(2)
    with answered(True):
        plain = found((labels, scores, None))
    with answered(False):
        assert found((labels, scores, None)) == plain


def test_rows_that_would_be_scanned_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    monkeypatch.setattr(refine, "SORT_ROWS", 1000)
    for weights in (None, rng.random(3000)):
        rows = rng.random(3000) < 0.3, rng.normal(size=3000).round(3), weights
        with answered(True):
            plain = found(rows)
        with answered(False):
            assert found(rows) == plain


def test_numba_is_imported_for_many_rows_or_for_many_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not first_use.without_kernels(1)  # it has been
    monkeypatch.delitem(sys.modules, "numba")
    monkeypatch.setitem(first_use._left, "numba", 10_000)
    assert [first_use.without_kernels(rows) for rows in (1 << 20, 8192, 8192, 1808, 1)] == [
        False, True, False, True, False
    ]  # fmt: skip


def test_scipy_is_imported_for_many_values_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "scipy.special")
    monkeypatch.setitem(first_use._left, "scipy.special", 3000)
    monkeypatch.setitem(first_use._left, "numba", 0)
    first_use.allow_more()  # of what takes compiled loops alone
    assert [first_use._without("scipy.special", 1000) for _ in range(4)] == [True, True, True, False]


def test_a_first_hull_of_few_rows_imports_no_numba() -> None:
    code = (
        "import sys, rochull as rh; h = rh.roc_hull([0, 1, 0, 1], [.1, .4, .35, .8]); "
        "print(h.auc(), rh.roc_auc([0, 1], [1, 2]), h.at(rh.Youden()).fpr, 'numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["1.0", "1.0", "0.0", "False"]


def test_the_logistic_function_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    ends = [-np.inf, -800, -745.2, -709.8, -37, -0.0, 5e-324, 37, 709.8, 745.2, np.inf, np.nan]
    values = np.concatenate([ends, rng.normal(size=4000), rng.normal(0, 300, 988)]).reshape(1000, 5)
    monkeypatch.setattr(first_use, "_without", lambda *_: True)
    plain = first_use.expit(values)
    assert plain.view(np.uint64).tolist() == special.expit(values).view(np.uint64).tolist()
    assert first_use.expit(np.empty(0)).dtype == float


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99, 0.999, 0.5, 1 - 1e-300])
def test_the_normal_quantiles_are_the_same(level: float) -> None:
    for tail in ((1 - level) / 2, round((1 - level) / 2, 6), 1 - level):
        assert first_use.one_ndtri(tail) == float(special.ndtri(tail))


def test_the_usual_quantiles_import_no_scipy() -> None:
    code = (
        "import sys, rochull as rh; "
        "print(rh.rate_interval(3, 10, 'wilson').low, [name for name in sys.modules if name == 'scipy'])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split()[1] == "[]"
