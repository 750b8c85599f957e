"""Multi-class Cllr, against its definition."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from refusals import refuses

Array = np.ndarray[Any, Any]


def twin(y: Array, llr: Array, weight: Array) -> float:
    """The mean over classes of the weighted mean of -log2 of the posterior at even priors."""
    total, size = 0.0, llr.shape[1]
    for c in range(size):
        members = np.flatnonzero(y == c)
        losses = [-math.log2(math.exp(llr[i, c]) / sum(math.exp(v) for v in llr[i])) for i in members]
        total += (
            sum(w * loss for w, loss in zip(weight[members], losses, strict=True)) / weight[members].sum()
        )
    return total / size / math.log2(size)


@given(st.integers(0, 2**32), st.integers(2, 5))
def test_definition(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(size), rng.integers(0, size, 20)])
    llr, weight = 3 * rng.normal(size=(y.size, size)), rng.integers(1, 5, y.size) / 2
    assert rh.multiclass.multiclass_cllr(y, llr, sample_weight=weight) == pytest.approx(
        twin(y, llr, weight), rel=1e-12
    )
    shifted = llr + 50 * rng.normal(size=(y.size, 1))  # a constant of each example means nothing
    assert rh.multiclass.multiclass_cllr(y, shifted) == pytest.approx(
        rh.multiclass.multiclass_cllr(y, llr), rel=1e-9
    )


@given(st.integers(0, 2**32))
def test_two_classes_have_the_two_class_cllr(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.concatenate([[0, 1], rng.integers(0, 2, 20)])
    llr, weight = 3 * rng.normal(size=(y.size, 2)), rng.integers(1, 5, y.size)
    expected = rh.cllr(y, llr[:, 1] - llr[:, 0], sample_weight=weight)
    assert rh.multiclass.multiclass_cllr(y, llr, sample_weight=weight) == pytest.approx(expected, rel=1e-12)


def test_ends() -> None:
    y = ["a", "b", "c"]
    right = np.where(np.eye(3) > 0, 0.0, -np.inf)
    assert rh.multiclass.multiclass_cllr(y, right) == 0.0
    assert rh.multiclass.multiclass_cllr(y, np.zeros((3, 3), int)) == 1.0
    assert rh.multiclass.multiclass_cllr(y, right[[1, 0, 2]]) == math.inf
    # Of nobody an infinite loss is none.
    four, wrong = ["a", "b", "c", "a"], np.concatenate([right, right[1:2]])
    assert rh.multiclass.multiclass_cllr(four, wrong, sample_weight=[1, 1, 1, 0]) == 0.0
    assert rh.multiclass.multiclass_cllr(y, right[:, [2, 0, 1]], classes=["c", "a", "b"]) == 0.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"llr": [1.0, 2.0]}, r"llr must have shape \(n, C\) with C of 2 or more, but has shape \(2,\)"),
        ({"llr": [[0, math.nan], [0, 0]]}, "column 1 of llr has 1 NaN"),
        ({"llr": [[0, 1], [math.inf, 0]]}, r"llr has \+inf in row 1"),
        ({"llr": [[0, 1], [-math.inf, -math.inf]]}, "llr has -inf in every column in row 1"),
        ({"llr": [[0, 1]] * 3}, "y_true and llr must have the same length"),
        ({"llr": [[0, 1, 2]] * 2}, "y_true has 2 classes, but outputs has 3 columns"),
        ({"sample_weight": [1, 0]}, "class 1 has zero total weight"),
        ({"sample_weight": [1]}, "y_true and sample_weight must have the same length"),
    ],
)
def test_bad_input(change: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"y_true": [0, 1], "llr": [[0.0, 1.0], [1.0, 0.0]], **change}
    refuses(message, rh.multiclass.multiclass_cllr, **given)
