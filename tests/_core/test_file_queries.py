"""A file that exists is a file, whatever its name; only what does not exist is a pattern."""

from __future__ import annotations

import csv
import os
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rochull as rh
from rochull._core.file_queries import TableFile, first_sentence
from rochull._core.table_files import read_columns, write_table


@pytest.fixture
def place(tmp_path: Path) -> Path:
    names = ("s[1]", "s1", "w*", "w1", "a\\b/s", "a\\b/s[1]", "c[1]/s", "b\\s", "q?")
    for i, name in enumerate(names):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        pq.write_table(pa.table({"x": [i]}), f"{path}.parquet")
        Path(f"{path}.csv").write_text(f"x,y\n{i},1\n")
    return tmp_path


@pytest.mark.crossed
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("s[1]", [0]), ("w*", [2]), ("a\\b/s", [4]), ("a\\b/s[1]", [5]), ("c[1]/s", [6]), ("b\\s", [7]),
        ("q?", [8]), ("[s]1", [1]), ("a\\b/*", [4, 5]), ("a\\b/[s]", [4]), ("w?", [2, 3]),
    ],
)  # fmt: skip
def test_files_before_patterns(place: Path, pattern: str, expected: list[int], suffix: str) -> None:
    source = f"{place}/{pattern}.{suffix}"
    assert sorted(read_columns(source, ["x"])["x"].tolist()) == expected


def test_a_directory_with_a_backslash(place: Path) -> None:
    assert sorted(read_columns(place / "a\\b", ["x"])["x"].tolist()) == [4, 5]


@pytest.mark.parametrize("name", ["f.csv", "f.parquet"])
def test_what_is_no_regular_file(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(ValueError, match=rf"'.*{name}' is not a regular file, which is read more than once"):
        read_columns(tmp_path / name, ["x"])


@pytest.mark.long
def test_decimals_are_numbers_wherever_they_come_from(tmp_path: Path) -> None:
    scores = [Decimal(i) / 4 for i in range(40)]
    table = pa.table({"y": np.arange(40) % 3 == 0, "s": pa.array(scores, pa.decimal128(9, 2))})
    pq.write_table(table, tmp_path / "t.parquet")
    expected = rh.roc_auc(table["y"], np.arange(40))
    for column in (table["s"], table["s"].combine_chunks(), scores, np.array(scores)):
        assert rh.roc_auc(table["y"], column) == expected
    for source in (table, tmp_path / "t.parquet"):
        for engine in ("memory", "duckdb"):
            scan = rh.scan(source, label="y", scores="s", engine=engine)
            assert scan.auc(exact=True)["s"].estimate == expected


class _Full:
    def __init__(self, reason: str) -> None:
        self.reason = reason

    def execute(self, _: str) -> Any:
        raise duckdb.IOException(f'Could not write file "x.partial": {self.reason}')


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("No space left on device", r"^there is no room on the disk\.$"),
        ("File too large", r"^a file would be larger than this user or this disk may write\.$"),
    ],
)
def test_what_cannot_be_written_is_not_the_tables_fault(reason: str, said: str) -> None:
    with pytest.raises(OSError, match=said):
        TableFile(_Full(reason), "t.parquet").run("COPY")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "names",
    [["'a", "b", "c'", "d"], ["'", "", "'", ""], ["0", "0", "##'"], ["# ", "", "#a"]],
)
def test_apostrophes_and_hashes_in_a_csv_file_are_text(tmp_path: Path, names: list[str]) -> None:
    path = tmp_path / "t.csv"
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([("name", "s"), *zip(names, range(len(names)), strict=True)])
    assert read_columns(path, ["s"])["s"].tolist() == list(range(len(names)))
    write_table(path, {"t": np.arange(len(names))}, tmp_path / "out.csv")
    with open(tmp_path / "out.csv", newline="") as file:
        assert [row["name"] for row in csv.DictReader(file)] == names


@pytest.mark.parametrize(
    ("late", "reason"),
    [("3", "Expected Number of Columns: 2 Found: 1"), ("3,4,5", "Found: 3"), ('3,"4', "unterminated quote")],
)
def test_what_is_wrong_far_down_in_a_csv_file_is_said(tmp_path: Path, late: str, reason: str) -> None:
    (tmp_path / "t.csv").write_text("y,s\n" + "1,2\n" * 30000 + f"{late}\n")
    with pytest.raises(ValueError, match=f"Line: 3000[23].*{reason}"):
        read_columns(tmp_path / "t.csv", ["s"])


@pytest.mark.parametrize(
    "text",
    [
        "s,y\n" + "1,2\n" * 30 + "s,y,z\n" + "1,2,3\n" * 3000,  # two tables, one after the other
        "# of today\ns,y\n1,2\n",
        's,y\n1,"2\n3,4\n',
        "s,y\n1,2\n3\n",
    ],
)
def test_no_line_of_a_csv_file_is_passed_over(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(ValueError, match=r"not a regular CSV file: the first line must name the columns"):
        read_columns(tmp_path / "t.csv", ["s"])


CAPITALS = "has the columns 'A' and 'a', which differ in capitals alone; rename one of them"


def named_table(names: list[str]) -> pa.Table:
    columns = [[0, 1, 0], [1.0, 2.0, 3.0], [9.0, 8.0, 7.0], [3.0, 4.0, 5.0]]
    return pa.table(columns, names=names)


def first_three(source: str, name: str) -> list[Any]:
    return read_columns(source, [name])[name].tolist()[:3]  # type: ignore[no-any-return]


def refused_or_right(read: Any, table: pa.Table, name: str) -> str:
    """Whether the column that is read is that of the file; the refusal, if there is one."""
    try:
        found = read(name)
    except ValueError as error:
        return str(error)
    assert table.column_names.count(name) == 1, name
    assert found == table.column(name).to_pylist()
    return ""


@pytest.mark.parametrize("names", [["y", "A", "a", "b"], ["y", "a", "a", "b"], ["y", "a", "a_1", "a"]])
def test_names_that_duckdb_changes(names: list[str], tmp_path: Path) -> None:
    table, path = named_table(names), str(tmp_path / "t.parquet")
    pq.write_table(table, path)
    pq.write_table(table, tmp_path / "u.parquet")
    for source in (path, str(tmp_path / "*.parquet")):
        for name in ("A", "a", "b", "a_1", "a_1_1", "a_2"):
            said = refused_or_right(partial(first_three, source), table, name)
            assert bool(said) == (names.count(name) != 1 or name.lower() == "a"), (name, said)
    with pytest.raises(ValueError, match="rename one of them"):
        write_table(path, {"decision": np.ones(3)}, tmp_path / "o.parquet")
    with pytest.raises(ValueError, match="rename one of them"):
        read_columns(path, ["y"], "a > 2")
    assert read_columns(path, ["y"], "y > 0")["y"].tolist() == [1]


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("kind", ["file", "files", "dataset", "stream", "relation"])
def test_scans_do_not_take_a_column_for_another(kind: str, engine: Any, tmp_path: Path) -> None:
    import pyarrow.dataset as ds

    table = named_table(["y", "A", "a", "b"])
    for name in ("t", "u"):
        pq.write_table(table, tmp_path / f"{name}.parquet")
    path = str(tmp_path / "t.parquet")
    query = "SELECT unnest([0, 1, 0]) AS y, unnest([1, 2, 3]) AS A, unnest([9, 8, 7]) AS a, 1.0 AS b"
    source: Any = {
        "file": path, "files": [path, str(tmp_path / "u.parquet")], "dataset": ds.dataset(path),
        "stream": table.to_reader, "relation": duckdb.connect().sql(query),
    }[kind]  # fmt: skip
    for scores, where in (["A"], None), (["a"], None), (["A", "a"], None), (["b"], "a > 0"):
        with pytest.raises(ValueError, match=CAPITALS):
            rh.scan(source, label="y", scores=scores, where=where, engine=engine)
    with pytest.raises(ValueError, match="has no column 'a_1'; it has 'y', 'A', 'a', 'b'"):
        rh.scan(source, label="y", scores=["a_1"], engine=engine)
    assert rh.scan(source, label="y", scores=["b"], engine=engine).roc_hulls()["b"].n_pos > 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("IO Error: a lock is held. See also https://duckdb.org/docs/x", "IO Error: a lock is held."),
        ("Out of Memory Error: too large (1/2 used)\n\nPossible solutions:\n* see https://d.org", "Out of Memory Error: too large (1/2 used)."),
        ("Schema mismatch: use a union (https://duckdb.org/x) here", "Schema mismatch: use a union."),
    ],
)  # fmt: skip
def test_no_address_of_another_library_is_shown(text: str, said: str) -> None:
    assert first_sentence(ValueError(text)) == said


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"PK\x03\x04\x14\0\0\0\x08\0",
            "not a CSV file, but a zip archive, or a workbook of Excel: unpack it",
        ),
        (b"\x1f\x8b\x08\0\0", r"compressed by gzip: let its name end in \.csv\.gz"),
        (b"PAR1\x15\0", r"a Parquet file: let its name end in \.parquet"),
        ("y,a\n0,1\n".encode("utf-16"), "not UTF-8 text, but UTF-16"),
    ],
)
def test_a_csv_that_is_none_is_told(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_columns(path, ["a"])
