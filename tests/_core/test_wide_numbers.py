"""Numbers with more digits than a double holds mean the same from wherever a table comes."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rochull as rh

SIZE = 200
LABELS = (np.random.default_rng(0).random(SIZE) < 0.4).tolist()
# A double has one number for all of them.
NEAR = (2**60 + np.random.default_rng(1).integers(0, 30, SIZE) + 8 * np.array(LABELS)).tolist()


def tables(values: list[int], directory: Path) -> dict[str, Any]:
    """Return a table of labels y and these scores s in every form that has such numbers."""
    wide = pa.table({"y": LABELS, "s": pa.array(map(Decimal, values), pa.decimal128(38, 0))})
    scaled = wide.set_column(1, "s", wide["s"].cast(pa.decimal128(38, 2)))
    pq.write_table(wide, directory / "t.parquet")
    pq.write_table(scaled, directory / "scaled.parquet")
    rows = [f"{int(y)},{s}\n" for y, s in zip(LABELS, values, strict=True)]
    (directory / "t.csv").write_text("y,s\n" + "".join(rows))
    connection = duckdb.connect()
    connection.register("wide", wide)
    return {
        "Arrow": wide,
        "Arrow, scaled": scaled,
        "Arrow, 256 bits": wide.set_column(1, "s", wide["s"].cast(pa.decimal256(50, 0))),
        "polars": pl.DataFrame({"y": LABELS, "s": pl.Series(values, dtype=pl.Int128)}),
        "Parquet": directory / "t.parquet",
        "Parquet, scaled": directory / "scaled.parquet",
        "CSV": directory / "t.csv",
        "DuckDB": connection.sql("SELECT y, CAST(s AS HUGEINT) AS s FROM wide"),
    }


FORMS = ("Arrow", "Arrow, scaled", "Arrow, 256 bits", "polars", "Parquet", "Parquet, scaled", "CSV", "DuckDB")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("shift", [0, -(2**61), 2**63], ids=["int64", "negative", "uint64"])
def test_near_integers_stay_apart(form: str, engine: Any, shift: int, tmp_path: Path) -> None:
    values = [value + shift for value in NEAR]
    hull = rh.scan(tables(values, tmp_path)[form], label="y", scores="s", engine=engine).roc_hulls()["s"]
    expected = rh.roc_hull(LABELS, values)
    assert (hull.fp.tolist(), hull.tp.tolist()) == (expected.fp.tolist(), expected.tp.tolist())
    assert hull.blocks.low.tolist() == expected.blocks.low.tolist()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_integers_beyond_64_bits_are_refused(form: str, engine: Any, tmp_path: Path) -> None:
    table = tables([value * 2**20 for value in NEAR], tmp_path)[form]
    with pytest.raises(ValueError, match=r"^(score )?column 's' has integers beyond 64 bits\.$"):
        rh.scan(table, label="y", scores="s", engine=engine)


@pytest.mark.parametrize("form", [form for form in FORMS if form not in ("polars", "DuckDB")])
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_decimals_beyond_64_bits_are_doubles_that_differ(form: str, engine: Any, tmp_path: Path) -> None:
    values = [value * 2**68 for value in range(SIZE)]
    hull = rh.scan(tables(values, tmp_path)[form], label="y", scores="s", engine=engine).roc_hulls()["s"]
    expected = rh.roc_hull(LABELS, list(map(float, values)))
    assert hull.blocks.low.tolist() == expected.blocks.low.tolist()


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("form", ["Arrow", "Parquet"])
def test_decimals_that_a_double_does_not_tell_apart_are_noticed(
    form: str, engine: Any, tmp_path: Path
) -> None:
    decimals = [1 + Decimal(value - 2**60) / 10**20 for value in NEAR]
    table = pa.table({"y": LABELS, "s": pa.array(decimals, pa.decimal128(38, 25))})
    pq.write_table(table, tmp_path / "t.parquet")
    source = {"Arrow": table, "Parquet": tmp_path / "t.parquet"}[form]
    told = rf"taken as equal: {len(set(decimals))} values became 1\. If that matters"
    with pytest.warns(UserWarning, match=told):
        rh.scan(source, label="y", scores="s", engine=engine)


def test_a_condition_chooses_the_rows_that_count(tmp_path: Path) -> None:
    values = [*NEAR[:-1], 2**80]
    assert LABELS[:-1].count(True) > 1
    table = tables(values, tmp_path)["Parquet"]
    hull = rh.Hybrid.from_table(table, label="y", scores=["s"], where="s < 1e20").hull
    expected = rh.roc_hull(LABELS[:-1], NEAR[:-1])
    assert (hull.fp.tolist(), hull.tp.tolist()) == (expected.fp.tolist(), expected.tp.tolist())
