"""A hybrid from a scan is the hybrid of the rows."""

from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import rochull as rh
from profiles import tries
from scan_cases import divided, scan_of, table_of, tables

CONDITIONS = [rh.ExpectedCost(cost_fn=3, prevalence=0.5), rh.NeymanPearson(0.13), rh.MinimumRecall(0.71)]


def same(found: rh.RocHull, expected: rh.RocHull) -> None:
    """Vertices, counts and rules."""
    for name in ("fp", "tp"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()
    assert (found.n_neg, found.n_pos, found.units) == (expected.n_neg, expected.n_pos, expected.units)
    assert list(found.owners) == list(expected.owners)


@tries(40)
@given(tables(), st.sampled_from([5, 64, 10**6]), st.booleans())
def test_it_is_the_hybrid_of_the_table(rows: tuple[Any, ...], buckets: int, curve: bool) -> None:
    labels, scores, weights, _, _ = rows
    table = {"y": labels, **scores} | ({} if weights is None else {"w": weights})
    weight = None if weights is None else "w"
    with divided(_MAX_BUCKETS=buckets):
        scan = scan_of(table, list(scores), weight=weight)
        scan.auc(exact=True)
        found = rh.Hybrid.from_scan(scan, curve=curve)
    expected = rh.Hybrid.from_table(table, label="y", scores=list(scores), weight=weight, curve=curve)
    same(found.hull, expected.hull)
    assert list(found.hulls) == list(expected.hulls)
    for name in found.hulls:
        same(found.hulls[name], expected.hulls[name])
    assert found.auc == expected.auc
    assert found.prevalence == expected.prevalence
    assert str(found.dominance_table()) == str(expected.dominance_table())
    for condition in CONDITIONS:
        assert found.at(condition) == expected.at(condition)


def test_a_complete_column_gives_the_same_single_thresholds() -> None:
    table = table_of()
    scan = scan_of(table, ["x", "z"])
    for curve in (False, True):
        found = rh.Hybrid.from_scan(scan, curve=curve)
        expected = rh.Hybrid.from_table(table, label="y", scores=["x", "z"], curve=curve)
        for condition in CONDITIONS:
            assert found.at(condition, deterministic=True) == expected.at(condition, deterministic=True)
        assert found.policy().to_json() == expected.policy().to_json()


def test_a_segment_and_some_of_the_columns() -> None:
    table = table_of()
    scan = scan_of(table, ["x", "z"], segment="segment")
    rows = table["segment"] == "b"
    part = {name: column[rows] for name, column in table.items()}
    expected = rh.Hybrid.from_table(part, label="y", scores=["z"])
    found = rh.Hybrid.from_scan(scan, ["z"], segment="b")
    same(found.hull, expected.hull)
    assert found.auc == expected.auc
    with pytest.raises(ValueError, match="score='q' is not one of 'x', 'z'"):
        rh.Hybrid.from_scan(scan, ["q"])
    with pytest.raises(ValueError, match="segment='q' is not one of"):
        rh.Hybrid.from_scan(scan, segment="q")


def test_a_thinned_curve_is_looked_at_for_single_thresholds() -> None:
    table = table_of(20_000)
    with divided(_MAX_BUCKETS=1 << 10):
        found = rh.Hybrid.from_scan(scan_of(table, max_error=1e-2), curve=True)
    full = rh.Hybrid.from_table(table, label="y", scores=["x"], curve=True)
    for condition in CONDITIONS[1:]:
        with pytest.warns(UserWarning, match="not every threshold of 'x' is known"):
            got = found.at(condition, deterministic=True)
        best = full.at(condition, deterministic=True)
        assert abs(got.tpr - best.tpr) <= 1e-2
        assert got.fpr <= 0.13 or isinstance(condition, rh.MinimumRecall)
    assert found.curves["x"].max_error == 1e-2
    with divided(_MAX_BUCKETS=1 << 10):
        fine = rh.Hybrid.from_scan(scan_of(table))
    assert 0 < fine.curves["x"].max_error <= 1e-3


def test_scores_of_unknown_rows_are_not_added() -> None:
    table = table_of(100)
    hybrid = rh.Hybrid.from_scan(scan_of(table))
    with pytest.raises(ValueError, match="'x' comes from a scan, so nobody can tell whether y_true of 'z'"):
        hybrid.add("z", table["y"], table["z"])
    assert "p" in hybrid.add_point("p", 0.1, 0.9).hulls
    assert np.isfinite(hybrid.hull.auc())
