"""Parquet files copied by Arrow, with more columns."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from rochull._core import parquet_beside
from rochull._core.parquet_beside import ParquetCopy, UnreadableError, arrow_of, numbers_in

NAMES = ["a", "t", "l", "s", "when"]


def _table(rows: int, seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "a": rng.normal(size=rows),
            "t": [None if i % 3 == 0 else f"x{i}" for i in range(rows)],
            "l": [None if i % 5 == 0 else list(range(i % 4)) for i in range(rows)],
            "s": [{"u": i, "v": {"w": str(i)}} for i in range(rows)],
            "when": pa.array(range(rows), pa.timestamp("us", "UTC")),
        }
    )


def _copied(paths: list[Path], target: Path, **metadata: str) -> pa.Table:
    found = ParquetCopy.of([str(path) for path in paths], NAMES)
    assert found is not None
    begin = iter(range(1_000_000))

    def added(batch: Any) -> list[Any]:
        rows = [next(begin) for _ in range(len(batch))]
        codes = pa.array(np.array(rows, "i2") % 2)
        return [pa.array(rows), pa.DictionaryArray.from_arrays(codes, pa.array(["even", "odd"]))]

    found.write(target, ["row", "kind"], added, metadata)
    return parquet.read_table(target)


@pytest.mark.parametrize("most", [1 << 26, 700])
def test_columns_of_all_types_are_as_they_were(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_beside, "_BYTES", most)
    parts, paths = [_table(60, seed) for seed in range(3)], [tmp_path / f"{i}.parquet" for i in range(3)]
    for part, path in zip(parts, paths, strict=True):
        parquet.write_table(part, path, row_group_size=17, use_dictionary=["t"])
    found, whole = _copied(paths, tmp_path / "out.parquet", one="two"), pa.concat_tables(parts)
    assert found.drop_columns(["row", "kind"]).equals(whole)
    assert found["row"].to_pylist() == list(range(180))
    assert found["kind"].to_pylist() == ["even", "odd"] * 90
    assert found.schema.metadata == {b"one": b"two"}
    rows = duckdb.sql(f"SELECT * EXCLUDE (row, kind) FROM '{tmp_path / 'out.parquet'}'").fetchall()
    assert rows == duckdb.sql(f"FROM '{tmp_path}/[0-2].parquet'").fetchall()
    footer = parquet.ParquetFile(tmp_path / "out.parquet").metadata
    group = footer.row_group(0)
    chunks = [group.column(i) for i in range(group.num_columns)]
    assert {chunk.path_in_schema for chunk in chunks if chunk.has_dictionary_page} == {"t", "kind"}
    assert {chunk.path_in_schema for chunk in chunks if not chunk.is_stats_set} == {"kind"}
    assert footer.num_row_groups == (12 if most > 700 else pytest.approx(30, abs=15))


@pytest.mark.parametrize("at_once", [1 << 20, 7])
def test_texts_of_which_there_are_few_are_copied_as_codes(
    at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_beside, "_ROWS", at_once)
    rng, paths = np.random.default_rng(0), [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path, some in zip(paths, (["north", "", None], ["south", "north", "Ü"]), strict=True):
        names = rng.choice(np.array(some, object), 2000)
        table = pa.table({
            "few": pa.array(names, pa.string()),
            "many": [f"case {i}" for i in range(2000)],
            "of": pa.array([{"few": name} for name in names], pa.struct({"few": pa.string()})),
        })  # fmt: skip
        parquet.write_table(table, path, row_group_size=900)
    found = ParquetCopy.of([str(path) for path in paths], ["few", "many", "of"])
    assert found is not None
    assert found.texts == ["few"]
    seen: set[str] = set()
    found.write(
        tmp_path / "out.parquet", [], lambda b: seen.update(map(str, b.schema.types)) or [], {}, found.texts
    )
    assert "dictionary<values=string, indices=int32, ordered=0>" in seen
    whole = pa.concat_tables([parquet.read_table(path) for path in paths])
    copied = parquet.read_table(tmp_path / "out.parquet")
    assert copied.schema.equals(whole.schema)
    assert copied.equals(whole)


def test_what_arrow_would_not_copy_as_it_is_is_none(tmp_path: Path) -> None:
    path, other, none = (tmp_path / f"{name}.parquet" for name in ("in", "other", "none"))
    parquet.write_table(_table(9), path)
    assert ParquetCopy.of([str(path)], NAMES) is not None
    assert ParquetCopy.of([str(path)], [*NAMES, "region"]) is None  # a column that a directory names
    parquet.write_table(_table(9).set_column(0, "a", pa.array(range(9))), other)
    assert ParquetCopy.of([str(path), str(other)], NAMES) is None
    parquet.write_table(_table(0), none)
    assert ParquetCopy.of([str(none)], NAMES) is None
    none.write_bytes(b"PAR1")
    assert ParquetCopy.of([str(none)], NAMES) is None


def test_an_arrow_that_writes_no_texts_copies_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet.write_table(_table(9), tmp_path / "in.parquet")
    monkeypatch.delattr(parquet.ParquetWriter, "add_key_value_metadata")
    assert ParquetCopy.of([str(tmp_path / "in.parquet")], NAMES) is None


def test_pages_that_cannot_be_read_are_told_apart_from_a_full_disk(tmp_path: Path) -> None:
    path = tmp_path / "in.parquet"
    parquet.write_table(_table(2000), path, compression="none", use_dictionary=False)
    found = ParquetCopy.of([str(path)], NAMES)
    assert found is not None
    held = bytearray(path.read_bytes())
    held[4:40] = bytes(36)
    path.write_bytes(held)
    with pytest.raises(UnreadableError):
        found.write(tmp_path / "out.parquet", [], lambda _: [], {})
    parquet.write_table(_table(2000), path)
    with pytest.raises(FileNotFoundError):
        found.write(tmp_path / "absent" / "out.parquet", [], lambda _: [], {})


@given(st.integers(0, 40), st.sampled_from(["?", "i1", "i8", "f4", "f8"]), st.booleans())
def test_numbers_as_arrow_has_them(size: int, kind: str, some: bool) -> None:
    rng = np.random.default_rng(size)
    values, missing = rng.integers(0, 2, size).astype(kind), rng.random(size) < 0.3
    found = arrow_of(values, missing if some else None)
    found.validate(full=True)
    assert found.equals(pa.array(values, mask=missing if some else None))


@given(
    st.integers(0, 40), st.integers(0, 9), st.sampled_from(["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8"])
)
def test_numbers_as_an_array_has_them(size: int, begin: int, kind: str) -> None:
    values = np.random.default_rng(size).integers(0, 2, size + begin).astype(kind)
    found, twin = numbers_in(pa.array(values)[begin:]), values[begin:]
    assert found.dtype == twin.dtype
    assert np.array_equal(found, twin)


def test_values_that_hardly_repeat_are_written_plainly(tmp_path: Path) -> None:
    rng, path, rows = np.random.default_rng(0), tmp_path / "in.parquet", 40_000
    table = pa.table({
        "score": rng.random(rows),
        "rounded": rng.integers(0, 50, rows) / 7,
        "name": [f"of case {i:09}" for i in range(rows)],
        "place": rng.choice(["north", "south"], rows),
    })  # fmt: skip
    parquet.write_table(table, path)
    assert parquet.ParquetFile(path).metadata.row_group(0).column(0).has_dictionary_page
    found = ParquetCopy.of([str(path)], table.column_names)
    assert found is not None
    assert found.dictionaries == ["rounded", "place"]
    found.write(tmp_path / "out.parquet", [], lambda _: [], {})
    assert parquet.read_table(tmp_path / "out.parquet").equals(table)


_WITHOUT_PANDAS = """
import sys
from rochull._core.parquet_beside import ParquetCopy, arrow_of
import numpy as np
found = ParquetCopy.of([sys.argv[1]], ["a", "t", "l", "s", "when"])
found.write(sys.argv[2], ["row"], lambda batch: [arrow_of(np.arange(len(batch)))], {"of": "x"}, found.texts)
assert not {"pandas", "numba", "scipy"} & {*sys.modules}
"""


def test_to_copy_imports_no_more_than_it_needs(tmp_path: Path) -> None:
    parquet.write_table(_table(40), tmp_path / "in.parquet")
    command = [sys.executable, "-c", _WITHOUT_PANDAS, tmp_path / "in.parquet", tmp_path / "out.parquet"]
    subprocess.run(command, check=True)
    assert parquet.read_table(tmp_path / "out.parquet").num_rows == 40


def test_numbers_of_random_digits_are_not_compressed(tmp_path: Path) -> None:
    rng, path, rows = np.random.default_rng(0), tmp_path / "in.parquet", 20_000
    score = rng.normal(size=rows)
    table = pa.table({
        "score": score,
        "rounded": score.round(2),
        "of": pa.array([{"score": each} for each in score], pa.struct({"score": pa.float64()})),
        "id": np.arange(rows),
    })  # fmt: skip
    parquet.write_table(table, path, use_dictionary=False)
    found = ParquetCopy.of([str(path)], table.column_names)
    assert found is not None
    found.write(tmp_path / "out.parquet", ["llr"], lambda batch: [arrow_of(rng.random(len(batch)))], {})
    group = parquet.ParquetFile(tmp_path / "out.parquet").metadata.row_group(0)
    chunks = {chunk.path_in_schema: chunk for chunk in map(group.column, range(group.num_columns))}
    plain = {path for path, chunk in chunks.items() if chunk.compression == "UNCOMPRESSED"}
    assert plain == {"score", "llr"}
    sizes = {path: chunk.total_compressed_size for path, chunk in chunks.items()}
    assert sizes["score"] < 1.1 * sizes["of.score"]
    assert sizes["rounded"] < sizes["score"] / 2
    assert parquet.read_table(tmp_path / "out.parquet").drop_columns(["llr"]).equals(table)
