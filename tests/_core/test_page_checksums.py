"""Bits that flipped in a Parquet file are noticed where its pages have checksums, by whoever reads it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rochull as rh
from rochull._core.page_checksums import has_checksums, is_damaged
from rochull.cli.app import main

SIZE = 20_000


def table() -> pa.Table:
    rng = np.random.default_rng(0)
    y = rng.random(SIZE) < 0.3
    return pa.table(
        {"id": np.arange(SIZE), "y": y, "s": rng.normal(size=SIZE) + y, "other": rng.normal(size=SIZE)}
    )


def written(path: Path, **options: Any) -> str:
    given = {"write_page_checksum": True, "use_dictionary": False, "compression": None} | options
    pq.write_table(table(), path, **given)
    return str(path)


def flip(path: str, column: str = "s", group: int = 0) -> None:
    """Turn one bit in the middle of a column."""
    footer = pq.read_metadata(path)
    known = footer.row_group(group).column(footer.schema.names.index(column))
    begin = known.dictionary_page_offset or known.data_page_offset
    place = begin + known.total_compressed_size // 2
    data = bytearray(Path(path).read_bytes())
    data[place] ^= 4
    Path(path).write_bytes(data)


def auc(path: str, engine: Any) -> float:
    return rh.scan(path, label="y", scores=["s"], engine=engine).auc()["s"].estimate


KINDS: list[dict[str, Any]] = [
    {}, {"compression": "zstd"}, {"use_dictionary": True}, {"data_page_version": "2.0"},
    {"row_group_size": 3000, "data_page_size": 4096}, {"version": "1.0", "compression": "snappy"},
]  # fmt: skip


@pytest.mark.parametrize("options", KINDS)
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_flipped_bit_is_said(tmp_path: Path, engine: str, options: dict[str, Any]) -> None:
    path = written(tmp_path / "t.parquet", **options)
    before = auc(path, engine)
    flip(path, "other", group=pq.read_metadata(path).num_row_groups - 1)
    assert auc(path, engine) == before  # nobody reads that column
    flip(path, "s")
    with pytest.raises(
        ValueError, match=r"t\.parquet' is damaged: its bytes are not those that were written"
    ):
        auc(path, engine)


def test_every_way_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = written(tmp_path / "a.parquet"), written(tmp_path / "b.parquet")
    policy = tmp_path / "p.json"
    rh.Policy.from_hull(rh.roc_hull([1, 0], [1.0, 0.0]).named("s")).save(policy)
    flip(bad)
    several = {"glob": str(tmp_path / "*.parquet"), "list": [good, bad], "directory": str(tmp_path)}
    for source in several.values():
        for engine in ("memory", "duckdb"):
            with pytest.raises(ValueError, match=r"b\.parquet' is damaged"):
                auc(source, engine)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"b\.parquet' is damaged"):
        rh.Hybrid.from_table(bad, label="y", scores=["s"])
    for engine in ("memory", "duckdb"):
        how = ["--max-fpr", "0.5", "--deterministic", "--engine", engine, "-o", str(tmp_path / "d.csv")]
        assert main(["decide", str(policy), bad, *how]) == 1
        assert "b.parquet' is damaged" in capsys.readouterr().err
    assert main(["report", bad, "--label", "y", "--score", "s"]) == 1
    assert "b.parquet' is damaged" in capsys.readouterr().err
    assert not (tmp_path / "d.csv").exists()


def test_who_writes_checksums(tmp_path: Path) -> None:
    """A file without them is not read for their sake."""
    path = written(tmp_path / "t.parquet", write_page_checksum=False)
    assert not has_checksums(path)
    flip(path)
    assert not is_damaged(path, ["s"])
    assert math.isfinite(auc(path, "duckdb"))
    pl.DataFrame({"s": [0.5, 1.0]}).write_parquet(tmp_path / "polars.parquet")
    duckdb.sql(f"COPY (SELECT 1.5 AS s) TO '{tmp_path}/duckdb.parquet' (FORMAT PARQUET)")
    for name in ("polars", "duckdb"):
        assert not has_checksums(str(tmp_path / f"{name}.parquet"))
    for options in KINDS:
        assert has_checksums(written(tmp_path / "with.parquet", **options))


def test_a_file_is_read_for_its_checksums_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "t.parquet")
    assert not is_damaged(path, ["s"])
    with monkeypatch.context() as without:
        without.setattr(pq, "ParquetFile", None)
        assert not is_damaged(path, ["s"])
        with pytest.raises(TypeError):
            is_damaged(path, ["s", "y"])
    flip(path)  # as another file: time, size and number tell
    assert is_damaged(path, ["s", "y"])


def test_what_else_is_wrong_is_said_by_who_reads(tmp_path: Path) -> None:
    path = written(tmp_path / "t.parquet")
    data = Path(path).read_bytes()
    Path(path).write_bytes(data[: len(data) // 2])
    assert not is_damaged(path, ["s"])
    with pytest.raises(ValueError, match=r"t\.parquet' cannot be read"):
        auc(path, "memory")
