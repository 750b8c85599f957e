"""Operating points averaged over the folds of a scan: the same as of the rows, at the same thresholds."""

from typing import Any

import numpy as np
import pytest

import rochull as rh
from scan_cases import divided, scan_of, table_of

SIMPLE = {"y": [0, 1, 0, 1], "x": [1, 2, 3, 4], "fold": [0, 0, 1, 1]}


def check_equal(found: Any, expected: Any) -> None:
    """All that an average is asked for."""
    assert found.thresholds.tolist() == expected.thresholds.tolist()
    assert found.folds == expected.folds
    assert found.overlap == expected.overlap
    for measure in (
        "fpr",
        "tpr",
        "precision",
        rh.ExpectedCost(cost_fn=3, prevalence=0.5),
        lambda c: c.tp - c.fp,
    ):
        np.testing.assert_allclose(found.mean(measure), expected.mean(measure), rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(found.std(measure), expected.std(measure), rtol=1e-9, atol=1e-12)
        assert found.defined(measure).tolist() == expected.defined(measure).tolist()


@pytest.mark.crossed
@pytest.mark.parametrize("points", [None, 2, 30, "hull", [0.5, -0.1, 9.0, 0.25]])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_complete_column_gives_the_average_of_its_rows(points: Any, weighted: bool, dtype: Any) -> None:
    table = table_of(600, digits=2)
    table["x"] = table["x"].astype(dtype)
    if weighted:
        table["w"] += 0.25  # else groups without weight are no points
    scan = scan_of(table, fold="fold", weight="w" if weighted else None)
    expected = rh.operating_point_average(
        table["y"], table["x"], table["fold"], points, sample_weight=table["w"] if weighted else None
    )
    check_equal(scan.operating_point_average("x", points), expected)
    exact = scan.operating_point_average("x", points, exact=True)
    assert exact.auc_folds.tolist() == expected.auc_folds.tolist()
    assert not weighted or not exact._folds.is_exact


def test_integers_and_thresholds_between_them() -> None:
    table = SIMPLE | {"x": np.array([1, 2, 3, 4])}
    scan = scan_of(table, fold="fold")
    points = [2.5, np.inf, 0.0, 3.0, 9.0]
    expected = rh.operating_point_average(table["y"], table["x"], table["fold"], points)
    check_equal(scan.operating_point_average("x", points), expected)


def test_a_thinned_column_gives_the_average_at_its_points() -> None:
    table = table_of(20_000)
    with divided(_MAX_BUCKETS=1 << 10):
        scan = scan_of(table, ["x", "z"], fold="fold", max_error=1e-2)
        found = scan.operating_point_average("x")
        other = scan.operating_point_average("z", found.thresholds[1:])
        areas = scan.auc("fold")
    assert len(found) == len(scan.roc_curves(1e-2)["x"]) < 1000
    expected = rh.operating_point_average(table["y"], table["x"], table["fold"], found.thresholds[1:])
    check_equal(found, expected)
    for fold, area in zip(found.folds, expected.auc_folds, strict=True):
        assert areas[fold]["x"].low <= area <= areas[fold]["x"].high
    assert found.auc == pytest.approx(expected.auc, abs=1e-3)
    # Columns of one scan share rows and folds, those of two scans need not.
    assert found._split == other._split
    assert found._split != scan_of(table, fold="fold").operating_point_average("x", 3)._split


@pytest.mark.parametrize("label", [0, 1])
def test_a_row_of_one_class_that_moves_after_the_scan_is_noticed(label: int) -> None:
    table = table_of(100)
    with divided():  # rows of small folds are held, and not looked at again
        scan = scan_of(table, fold="fold")
        scan.roc_hulls()
    moved = table["x"].copy()
    row = np.flatnonzero(table["y"] == label)[0]
    moved[row] = moved.max() if moved[row] < np.median(moved) else moved.min()
    scan._scanned.table._columns["x"] = moved  # type: ignore[attr-defined]
    with pytest.raises(RuntimeError, match="the source changed between two scans"):
        scan.operating_point_average("x")


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (SIMPLE | {"fold": [0, 0, 0, 0]}, "folds holds 1 fold; an average needs two at least"),
        (SIMPLE | {"fold": [0, 1, 0, 1]}, "fold 1 has no negative example"),
    ],
)
def test_folds_that_cannot_be_averaged(table: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        _ = scan_of(table, fold="fold").operating_point_average().auc
    with pytest.raises(ValueError, match="by='fold': the scan was made without fold"):
        scan_of(table).operating_point_average()
