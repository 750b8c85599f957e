"""Parquet files with more columns, of which the others are copied byte by byte."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from rochull._core import parquet_spliced
from rochull._core.compact_thrift import I64
from rochull._core.parquet_spliced import Spliced

WAYS: dict[str, dict[str, Any]] = {
    "zstd": {"compression": "zstd", "write_page_checksum": True},
    "plain": {"compression": "none", "use_dictionary": False, "write_statistics": False},
    "new pages": {"data_page_version": "2.0", "data_page_size": 100, "write_page_index": True},
    "old": {"version": "1.0", "store_schema": False},
}


def _rows(rows: int, seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "a": rng.normal(size=rows),
            "t": pa.array([None if i % 3 == 0 else f"x{i % 7}" for i in range(rows)], pa.string()),
            "l": pa.array(
                [None if i % 5 == 0 else list(range(i % 4)) for i in range(rows)], pa.list_(pa.int64())
            ),
            "s": pa.array(
                [{"u": i, "v": {"w": str(i)}} for i in range(rows)],
                pa.struct({"u": pa.int32(), "v": pa.struct({"w": pa.string()})}),
            ),
            "when": pa.array(range(rows), pa.timestamp("us", "UTC")),
        }
    )


def _batches(new: pa.Table, sizes: list[int]) -> Iterator[Any]:
    """The rows in batches of these sizes, in turn."""
    at = turn = 0
    while at < len(new):
        part = new.slice(at, sizes[turn % len(sizes)])
        yield from part.combine_chunks().to_batches()
        at, turn = at + len(part), turn + 1


@given(
    st.sampled_from(sorted(WAYS)),
    st.lists(st.integers(1, 60), min_size=1, max_size=3),
    st.integers(1, 70),
    st.lists(st.integers(1, 90), min_size=1, max_size=3),
)
@settings(deadline=None)
def test_everything_is_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, way: str, parts: list[int], group: int, sizes: list[int]
) -> None:
    place = tmp_path_factory.mktemp("spliced")
    paths = [str(place / f"{i}.parquet") for i in range(len(parts))]
    tables = [_rows(rows, seed) for seed, rows in enumerate(parts)]
    for table, path in zip(tables, paths, strict=True):
        parquet.write_table(table, path, row_group_size=group, **WAYS[way])
    whole, target = pa.concat_tables(tables), place / "out.parquet"
    number = np.arange(len(whole))
    new = pa.table({"n": number, "b": number % 3 == 0, "w": pa.array(["odd", None])[::-1].take(number % 2)})
    spliced = Spliced.of(paths, whole.column_names)
    if spliced is None:  # of many small groups
        assert sum(-(-rows // group) for rows in parts) > 16
        return
    assert (
        spliced.write(target, _batches(new, sizes), {"one": "zwei \N{BULLET}"}) == spliced.rows == len(whole)
    )
    found = parquet.read_table(target)
    assert found.select(whole.column_names).equals(whole)
    assert found.select(new.column_names).equals(new)
    assert found.schema.metadata == {b"one": "zwei \N{BULLET}".encode()}
    assert duckdb.sql(f"SELECT a, t, n, b, w FROM '{target}'").fetchall() == [
        tuple(row.values()) for row in found.select(["a", "t", "n", "b", "w"]).to_pylist()
    ]
    again = Spliced.of([str(target)], found.column_names)
    assert again is not None
    assert again.write(place / "twice.parquet", _batches(new.rename_columns(["x", "y", "z"]), sizes), {})
    assert (
        parquet.read_table(place / "twice.parquet")
        .drop_columns(["x", "y", "z"])
        .equals(found.replace_schema_metadata())
    )


def test_bytes_and_statistics_are_those_of_the_file(tmp_path: Path) -> None:
    path, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    parquet.write_table(_rows(500), path, row_group_size=200, sorting_columns=[parquet.SortingColumn(0)])
    spliced = Spliced.of([str(path)], _rows(1).column_names)
    assert spliced is not None
    spliced.write(target, [pa.record_batch({"b": [True] * 500})], {})
    before, after = (parquet.ParquetFile(each).metadata for each in (path, target))
    assert after.created_by == before.created_by
    for g in range(3):
        old, new = before.row_group(g), after.row_group(g)
        assert new.sorting_columns == old.sorting_columns
        assert new.num_columns == old.num_columns + 1
        for c in range(old.num_columns):
            one, other = old.column(c), new.column(c)
            assert one.statistics == other.statistics
            assert one.total_compressed_size == other.total_compressed_size
            begin, moved = (
                min(x for x in (each.data_page_offset, each.dictionary_page_offset) if x)
                for each in (one, other)
            )
            size = one.total_compressed_size
            assert path.read_bytes()[begin:][:size] == target.read_bytes()[moved:][:size]


def test_what_cannot_be_copied_so_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, other = tmp_path / "in.parquet", tmp_path / "other.parquet"
    names = _rows(1).column_names
    parquet.write_table(_rows(90), path, row_group_size=5)
    assert Spliced.of([str(path)], names) is None  # groups of few rows
    parquet.write_table(_rows(90), path)
    assert Spliced.of([str(path)], names) is not None
    assert Spliced.of([str(path)], [*names, "region"]) is None  # a column that a directory names
    assert Spliced.of([str(path), str(tmp_path / "none.parquet")], names) is None
    parquet.write_table(_rows(9).set_column(0, "a", pa.array(range(9))), other)
    assert Spliced.of([str(path), str(other)], names) is None
    duckdb.sql(f"COPY (FROM '{path}') TO '{other}'")  # what another writer says of columns may mean otherwise
    assert Spliced.of([str(path), str(other)], names) is None
    assert Spliced.of([str(other)], names) is not None
    parquet.write_table(_rows(0), other)
    assert Spliced.of([str(other)], names) is None
    for held in (b"", b"PAR1", b"PAR1" + b"\xff" * 40 + b"\x10\0\0\0PAR1", path.read_bytes()[:-4] + b"PARE"):
        other.write_bytes(held)
        assert Spliced.of([str(other)], names) is None
    footer = parquet_spliced._footer

    def elsewhere(name: str) -> Any:
        found = footer(name)
        found[4][1][1][0][1][1][1][0][1] = I64, 0  # a chunk that stands in another file
        return found

    monkeypatch.setattr(parquet_spliced, "_footer", elsewhere)
    assert Spliced.of([str(path)], names) is None


def test_rows_that_are_too_few_or_too_many(tmp_path: Path) -> None:
    path, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    parquet.write_table(_rows(90), path, row_group_size=40)
    spliced = Spliced.of([str(path)], _rows(1).column_names)
    assert spliced is not None
    for rows in (0, 39, 89, 91, 150):
        found = spliced.write(target, _batches(pa.table({"n": range(rows)}), [33]), {})
        assert (found == 90) is (rows == 90)
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(ValueError, match="has changed while it was read"):
        spliced.write(target, [pa.record_batch({"n": range(90)})], {})
