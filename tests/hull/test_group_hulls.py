"""The hulls of groups are those of each group's rows by itself."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from adversaries import examples
from profiles import tries


@tries(40)
@given(examples(max_size=120), st.integers(1, 6), st.booleans(), st.data())
def test_each_hull_is_that_of_its_rows(rows: Any, k: int, lower: bool, data: st.DataObject) -> None:
    labels, scores, _ = rows
    if lower and scores.dtype.kind != "f":
        scores = scores.astype(np.float64)
    names = np.array([f"g{i}" for i in range(k)])
    groups = names[data.draw(st.lists(st.integers(0, k - 1), min_size=labels.size, max_size=labels.size))]
    found = rh.roc_hulls(labels, scores, groups=groups, lower_is_positive=lower)
    assert list(found) == np.unique(groups).tolist()
    for group, area, n_pos, n_neg in zip(found, found.auc(), found.n_pos, found.n_neg, strict=True):
        mine = groups == group
        assert (n_pos, n_neg) == (np.sum(labels[mine] == 1), np.sum(labels[mine] != 1))
        if not n_pos or not n_neg:
            assert np.isnan(area)
            with pytest.raises(ValueError, match="hold one class only"):
                found[group]
            continue
        expected = rh.roc_hull(labels[mine], scores[mine], lower_is_positive=lower)
        hull = found[group]
        for name in ("low", "high", "pos_units", "neg_units"):
            one, other = getattr(hull.blocks, name), getattr(expected.blocks, name)
            assert (one.dtype, one.tolist()) == (other.dtype, other.tolist())
            assert np.signbit(one).tolist() == np.signbit(other).tolist()
        assert hull.thresholds.tolist() == expected.thresholds.tolist()
        assert area == pytest.approx(expected.auc(), rel=1e-14)


@pytest.mark.parametrize("values", [3, 10**6])
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_groups_that_are_sorted_either_way(values: int, dtype: type) -> None:
    rng = np.random.default_rng(values)
    groups = np.repeat([0, 1, 2, 3], [700, 200, 128, 129])
    labels, scores = rng.integers(0, 2, groups.size), rng.integers(-values, values, groups.size).astype(dtype)
    labels[:600], labels[-129:-1], labels[-1] = 1, 0, 1
    found = rh.roc_hulls(labels, scores, groups)
    for group, hull in found.items():
        mine = groups == group
        expected = rh.roc_hull(labels[mine], scores[mine]).blocks
        for name in ("low", "high", "pos_units", "neg_units"):
            assert getattr(hull.blocks, name).tolist() == getattr(expected, name).tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"groups": [1]}, "y_true and groups"),
        ({"y_score": [0.1, np.nan]}, "y_score"),
        ({"groups": [[1, 2]]}, "groups must have shape"),
    ],
)
def test_what_is_refused(change: dict[str, Any], message: str) -> None:
    rows = {"y_true": [0, 1], "y_score": [0.1, 0.2], "groups": [1, 1]} | change
    with pytest.raises(ValueError, match=message):
        rh.roc_hulls(rows.pop("y_true"), rows.pop("y_score"), **rows)


def test_a_group_that_is_not_there() -> None:
    found = rh.roc_hulls([0, 1], [0.1, 0.2], groups=["a", "a"])
    assert (len(found), "b" in found, found["a"].n_pos) == (1, False, 1)


def test_groups_are_the_third_argument() -> None:
    found = rh.roc_hulls([1, 0, 1, 0], [4, 3, 1, 2], ["a", "a", "b", "b"])
    assert found.auc().tolist() == [1.0, 0.5]


def test_what_is_shown_of_all_groups_is_short() -> None:
    found = rh.roc_hulls([1, 0, 1, 0, 1], [0.9, 0.8, 0.3, 0.4, 0.5], groups=["a", "a", "b", "b", "c"])
    assert repr(found) == "GroupHulls(3 groups, AUC 0.5 to 1)"
    assert repr(rh.roc_hulls([1, 0], [1, 2], groups=["a", "b"])) == "GroupHulls(2 groups, each of one class)"
