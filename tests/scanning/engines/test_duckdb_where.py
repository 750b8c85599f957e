"""Rows that fulfil a condition, as bits: those that DuckDB selects."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rochull._core.validation import Array
from rochull.scanning.engines import duckdb_where
from rochull.scanning.engines.duckdb_rows import FileRows
from rochull.scanning.engines.duckdb_where import chosen_rows

SIZES = (5000, 1234)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask files of few rows one by one."""
    monkeypatch.setattr(duckdb_where, "_ROWS_A_FILE", 0)


def written(path: Path, **change: Any) -> Path:
    """Two files of several row groups."""
    for part, size in enumerate(SIZES):
        rng = np.random.default_rng(part)
        rows = {"x": rng.random(size), "t": rng.choice(np.array(["a", "b"]), size), "i": np.arange(size)}
        if part:
            rows |= change
        pq.write_table(pa.table(rows), path / f"{part}.parquet", row_group_size=700)
    return path


def chosen(paths: list[Path], where: str, room: int = 1 << 20) -> dict[str, Array] | None:
    """The rows of each file by its name."""
    rows = FileRows(paths, where, [], ["x"])
    with rows.open() as session:
        files = {path: pq.read_metadata(path).num_rows for path in rows.files(session)}
        found = chosen_rows(rows, session, files, room)
    return found and {Path(path).name: np.flatnonzero(bits.to_pylist()) for path, bits in found.items()}


@pytest.mark.parametrize("block", [8, 1 << 10, 1 << 20])
@pytest.mark.parametrize(
    "where",
    ["x < 0.1", "x < 0.9", "true", "i >= 4990", "t = 'a' AND x > 0.3 -- a comment", "nullif(i, 3) < 9"],
)
def test_bits_are_of_the_rows_that_fulfil_it(
    tmp_path: Path, where: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duckdb_where, "_BLOCK", block)
    found = chosen([written(tmp_path)], where)
    assert found is not None
    for name, rows in found.items():
        table = pq.read_table(tmp_path / name)
        x, t, i = (table[column].to_numpy(zero_copy_only=False) for column in ("x", "t", "i"))
        wanted = {
            "x < 0.1": x < 0.1, "x < 0.9": x < 0.9, "true": i >= 0, "i >= 4990": i >= 4990,
            "nullif(i, 3) < 9": (i < 9) & (i != 3),
        }.get(where, (t == "a") & (x > 0.3))  # fmt: skip
        assert rows.tolist() == np.flatnonzero(wanted).tolist()


@given(st.integers(1, 200), st.integers(0, 2**32), st.sampled_from([8, 16, 1 << 20]))
def test_places_may_come_in_any_order(size: int, seed: int, block: int) -> None:
    rng = np.random.default_rng(seed)
    wanted = rng.random(size) < rng.random()
    places = rng.permutation(np.flatnonzero(wanted))
    parts = [part for part in np.split(places, np.sort(rng.integers(0, places.size + 1, 3))) if part.size]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duckdb_where, "_BLOCK", block)
        bits = duckdb_where._bits(parts, size)
    assert bits.tolist() == np.packbits(wanted, bitorder="little").tolist()


def test_a_file_tells_alone_or_does_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = written(tmp_path)
    assert chosen([home], "x < 0.5", room=sum(SIZES) // 8) is not None
    assert chosen([home], "x < 0.5", room=sum(SIZES) // 8 - 1) is None
    with monkeypatch.context() as patch:
        patch.setattr(duckdb_where, "_ROWS_A_FILE", sum(SIZES) // 2 + 1)
        assert chosen([home], "x < 0.5") is None
        assert chosen([home / "1.parquet"], "x < 0.5") is not None
    assert chosen([home], "i < 9 OR 'file_index' = t") is None  # of which each file has its own
    assert chosen([home / "0.parquet"], "i < 9 OR 'file_index' = t") is not None
    assert chosen([home], "CAST(t AS INTEGER) = 3") is None
    for region in ("north", "south"):
        (tmp_path / f"region={region}").mkdir()
        written(tmp_path / f"region={region}")
    assert chosen([tmp_path / "region=north", tmp_path / "region=south"], "x < 0.5") is None


def test_files_of_different_types_do_not_tell_alone(tmp_path: Path) -> None:
    assert chosen([written(tmp_path, x=np.arange(SIZES[1]))], "x / 2 < 0.5") is None


def test_a_file_with_a_column_of_that_name_is_left(tmp_path: Path) -> None:
    path = tmp_path / "own.parquet"
    pq.write_table(pa.table({"x": [1.0, 2.0], "file_row_number": [7, 8]}), path)
    assert chosen([path], "x > 1") is None
