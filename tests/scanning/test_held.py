"""Small groups of a scan, whose rows are held together, against groups that are scanned each for itself."""

from typing import Any

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

import rochull as rh
from profiles import tries
from rochull.scanning.engines.duckdb_table import DuckDBTable
from rochull.scanning.engines.memory_table import MemoryTable
from scan_cases import table_of, tuned


def scans(table: Any, **how: Any) -> tuple[rh.scanning.Scan, rh.scanning.Scan]:
    """One that holds small groups, and one that does not."""
    held, apart = (rh.scan(table, label="y", scores=["x", "z"], **how) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        for kind in (MemoryTable, DuckDBTable):
            patch.setattr(kind, "tells_codes", False)
        apart.roc_curves()
    return held, apart


def same(one: Any, other: Any) -> None:
    """The same arrays in all attributes, of the same types."""
    assert type(one) is type(other)
    for name, value in vars(one).items():
        expected = vars(other)[name]
        if isinstance(value, np.ndarray):
            assert value.dtype == expected.dtype
            assert value.tolist() == expected.tolist()
        else:
            assert value == expected


def check(table: Any, engine: Any, weighted: bool) -> None:
    """All readings of both scans."""
    how = {"segment": "id", "fold": "fold", "weight": "w" if weighted else None, "lower_is_positive": ["z"]}
    held, apart = scans(pa.table(table) if engine == "duckdb" else table, engine=engine, **how)
    for by in ("segment", "fold"):
        blocks = [scan.blocks(by) for scan in (held, apart)]
        called = [scan.called_positive([0.5, None, -0.3, 2], "x", by=by) for scan in (held, apart)]
        for value, rows in held.counts(by).items():
            group = {by: value}
            same(called[0][value], called[1][value])
            for name in ("x", "z"):
                same(blocks[0][value][name], blocks[1][value][name])
                for error in (0, 0.2):
                    same(*(scan.tally(name, max_error=error, **group) for scan in (held, apart)))
            if all(rows) and not weighted:
                found, expected = (scan.reading("x", **group) for scan in (held, apart))
                same(found.curve, expected.curve)
                assert (found.area.low, found.area.high) == (expected.area.low, expected.area.high)


def drawn(seed: int, digits: int, kind: Any) -> Any:
    """Some of 17 segments hold one class alone."""
    table = table_of(90, seed, digits)
    return table | {"x": (10 * table["x"]).astype(kind), "id": table["id"] ** 2 % 17}


@pytest.mark.parametrize("weighted", [False, True])
def test_held_groups_of_a_table(weighted: bool) -> None:
    check(drawn(0, 1, np.float32), "memory", weighted)


@pytest.mark.long
@tries(25)
@given(
    st.integers(0, 10**6), st.sampled_from([0, 1, 15]), st.sampled_from([np.float64, np.float32, np.int16]),
    st.booleans(), st.sampled_from([0, 18, 1 << 15]),
)  # fmt: skip
def test_held_groups_are_those_of_a_scan(
    seed: int, digits: int, kind: Any, weighted: bool, small: int
) -> None:
    with tuned(SMALL=small):
        check(drawn(seed, digits, kind), "memory", weighted)


@pytest.mark.long
@pytest.mark.parametrize("weighted", [False, True])
def test_held_groups_of_duckdb(weighted: bool) -> None:
    with tuned(SMALL=18):
        check(drawn(0, 1, np.float32), "duckdb", weighted)


def test_what_is_held_cannot_be_changed_from_outside() -> None:
    table = table_of(300)
    scan = rh.scan(table, label="y", scores="x", segment="segment")
    before = scan.tally(segment="b").score.tolist()
    scan.tally(segment="b").score[:] = 0
    scan.roc_curves(by="segment")["b"]["x"].score[:] = 0
    assert scan.tally(segment="b").score.tolist() == before


def test_a_row_that_moves_to_another_group_is_noticed() -> None:
    table = table_of(300)
    scan = rh.scan(table, label="y", scores="x", segment="segment")
    rows: Any = scan._scanned.table
    rows._codes[1] = np.roll(rows._codes[1], 1)
    with pytest.raises(RuntimeError, match="the source changed between two scans"):
        scan.roc_hulls()
