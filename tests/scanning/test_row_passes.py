"""Rows read again and again: pieces with their columns side by side, and scans of what scores are mapped to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from pyarrow import parquet

import rochull as rh
from profiles import tries
from rochull._core.validation import Labelled
from rochull.scanning import row_passes
from rochull.scanning.engines import duckdb_plain
from scan_cases import divided, scan_of, table_of


def _all(data: Labelled) -> tuple[Any, ...]:
    weights = np.ones(len(data.scores)) if data.weights is None else data.weights
    return np.array(data.scores, float), np.array(data.positive), np.array(weights)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("plain", [True, False])
def test_columns_are_side_by_side_in_the_order_that_is_asked(
    engine: Any, plain: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_passes, "ROWS", 50)
    monkeypatch.setattr(duckdb_plain, "_LEAST_ROWS", 1)
    monkeypatch.setattr(duckdb_plain, "_PIECE", 30)
    table, path = table_of(500), tmp_path / "t.parquet"
    table = {name: np.asarray(table[name]) for name in ("y", "x", "z", "fold", "w")}
    parquet.write_table(pa.table(table), path, row_group_size=90)
    weight = None if plain else "w"
    scan = rh.scan(str(path), label="y", scores=["x", "z"], fold="fold", weight=weight, engine=engine)
    for names, own, rows in (
        (["z", "x"], slice(None), scan.passes(["z", "x"])),
        (["x", "z"], table["fold"] == 2, scan.passes(["x", "z"], fold=2)),
        (["x"], table["fold"] != 2, scan.passes("x", but_fold=2)),
    ):
        pieces = rows.each(_all)
        assert max(len(scores) for scores, *_ in pieces) <= 50
        scores, positive, weights = (np.concatenate(part) for part in zip(*pieces, strict=True))
        found = np.column_stack((scores, positive, weights))
        w = np.ones(500) if plain else table["w"]
        twin = np.column_stack((*(table[name] for name in names), table["y"], w))[own]
        assert rows.count == len(twin)
        assert sorted(found.tolist()) == sorted(twin.tolist())
        again = rows.each(_all)
        if plain or engine == "memory":
            assert all(
                np.array_equal(a, b)
                for one, other in zip(pieces, again, strict=True)
                for a, b in zip(one, other, strict=True)
            )


@tries(20)
@given(st.integers(0, 10**6), st.booleans(), st.sampled_from([5, 64, 10**6]))
def test_what_scores_are_mapped_to_is_scanned_as_a_column(seed: int, weighted: bool, buckets: int) -> None:
    table, weight = table_of(300, seed, 1), "w" if weighted else None
    x, z, w = (np.asarray(table[name], float) for name in ("x", "z", "w"))

    def mapped(scores: Any) -> Any:
        return scores[:, 0] - 2 * scores[:, 1]

    with divided(_MAX_BUCKETS=buckets):
        scan = scan_of(table, ["x", "z"], weight=weight)
        found = scan.passes(["z", "x"]).mapped(mapped, np.array([0.0, 1.0])).both_classes(("llr", 0)).blocks
    twin = rh.roc_hull(table["y"], z - 2 * x, sample_weight=w if weighted else None).blocks
    for name in ("low", "high", "pos", "neg"):
        assert getattr(found, name).tolist() == pytest.approx(getattr(twin, name).tolist(), rel=1e-12)


def test_sums_are_not_rounded_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_passes, "ROWS", 1)
    rows = {"y": [0, 1, 0, 1], "x": [1e17, 1.0, -1e17, 1.0]}
    (total,) = rh.scan(rows, label="y", scores="x").passes().sums(lambda data: (data.scores,))
    assert total.tolist() == [2.0]


def test_an_integer_that_is_no_double_is_refused() -> None:
    rows = {"y": [0, 1], "x": [1.0, 2.0], "z": [2**53 + 1, 1]}
    with pytest.raises(ValueError, match="score column 'z'"):
        rh.scan(rows, label="y", scores=["x", "z"]).passes().each(_all)
