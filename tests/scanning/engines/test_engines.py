"""Tables in files: types, order, quoting, errors, and output that is whole or absent."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import rochull as rh
from rochull._core.files import replacing
from rochull._core.table_files import count_rows, read_columns, write_table

HOSTILE = 'a"; DROP TABLE t; --'


def write(path: Path, query: str) -> str:
    """Write the rows of a query to Parquet or CSV."""
    kind = "PARQUET" if path.suffix == ".parquet" else "CSV, HEADER"
    escaped = str(path).replace("'", "''")
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO '{escaped}' (FORMAT {kind})")
    return str(path)


@pytest.fixture
def table(tmp_path: Path) -> str:
    """Return ten rows of several types."""
    columns = "i, (i / 8)::FLOAT f, i / 8 d, i % 2 = 0 b, 'x' || i s, CASE WHEN i > 6 THEN i END n"
    columns += ", CASE WHEN i > 6 THEN i::FLOAT END g"
    return write(tmp_path / "t.parquet", f"SELECT {columns} FROM range(10) r(i)")


def test_types_are_preserved(table: str) -> None:
    found = read_columns(table, ["i", "f", "d", "b", "s"])
    assert {name: str(column.dtype) for name, column in found.items()} == {
        "i": "int64",
        "f": "float32",
        "d": "float64",
        "b": "bool",
        "s": "object",
    }
    assert found["i"].tolist() == list(range(10))
    assert found["s"][3] == "x3"
    assert list(read_columns(table, ["s", "i"])) == ["s", "i"]
    assert count_rows(table) == 10


def test_nulls(table: str) -> None:
    with pytest.raises(ValueError, match=r"^column 'n' has 7 nulls in 10 rows; leave those rows out first.$"):
        read_columns(table, ["n"])
    with pytest.raises(ValueError, match="column 'g' has 1 null in 4 rows"):
        read_columns(table, ["g"], "i >= 6")
    found = read_columns(table, ["n", "g"], missing=["n", "g"])
    assert found["n"].tolist() == [None] * 7 + [7, 8, 9]
    assert found["g"].dtype == np.float32
    assert np.isnan(found["g"][:7]).all()


def test_where_is_a_condition(table: str) -> None:
    assert read_columns(table, ["i"], "b AND i > 2 -- a comment")["i"].tolist() == [4, 6, 8]
    for wrong in ("zz > 1", "", "i > 2; SELECT 1", "i > 1) ; DROP TABLE t; SELECT (1"):
        with pytest.raises(ValueError, match=r"^where="):
            read_columns(table, ["i"], wrong)
    with pytest.raises(ValueError, match="has no rows where i > 20: there is nothing to read"):
        read_columns(table, ["i"], "i > 20")


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_hostile_names_are_names(tmp_path: Path, suffix: str) -> None:
    quoted = HOSTILE.replace('"', '""')
    query = f'SELECT i "{quoted}", i "select", i "%s {{}}" FROM range(3) r(i)'
    path = write(tmp_path / f'it\'s; -- "x"{suffix}', query)
    assert read_columns(path, [HOSTILE, "select", "%s {}"])[HOSTILE].tolist() == [0, 1, 2]
    out = tmp_path / f"o'ut{suffix}"
    write_table(path, {"new": np.array([True, False, True])}, out)
    assert read_columns(out, [HOSTILE, "new"])["new"].tolist() == [True, False, True]


def test_names_are_matched_exactly(table: str) -> None:
    message = r"has no column 'I'; it has 'i', 'f', 'd', 'b', 's', 'n', 'g'\. Did you mean 'i'\?$"
    with pytest.raises(ValueError, match=message):
        read_columns(table, ["I"])


def test_globs_are_read_in_order(tmp_path: Path) -> None:
    for part in range(3):
        write(tmp_path / f"part{part}.parquet", f"SELECT i + {10 * part} AS i FROM range(10) r(i)")
    assert read_columns(tmp_path / "part*.parquet", ["i"])["i"].tolist() == list(range(30))


def test_sources_that_cannot_be_read(tmp_path: Path, table: str) -> None:
    with pytest.raises(FileNotFoundError, match=r"there is no file '.*nope\.parquet'"):
        read_columns(tmp_path / "nope.parquet", ["i"])
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(Path(table).read_bytes()[:100])
    with pytest.raises(ValueError, match=r"cut\.parquet' cannot be read: [^\n]*$"):
        read_columns(cut, ["i"])
    late = tmp_path / "late.csv"
    late.write_text("a,b\n" + "1,2\n" * 30_000 + "x,y\n")
    with pytest.raises(ValueError, match=r"late\.csv' cannot be read: [^\n]*30002[^\n]*'BIGINT'\.$"):
        read_columns(late, ["a"])
    for source, message in {
        tmp_path / "t.xlsx": "must end in .parquet, .csv",
        "s3://bucket/t.parquet": "is not a file of this machine",
        "": "is empty",
    }.items():
        with pytest.raises(ValueError, match=message):
            read_columns(source, ["i"])


def test_a_large_table_keeps_its_rows(tmp_path: Path) -> None:
    rows = 400_000  # several row groups and threads
    path = write(tmp_path / "t.parquet", f"SELECT i, hash(i) % 7 h FROM range({rows}) r(i)")
    columns = read_columns(path, ["i", "h"])
    assert np.array_equal(columns["i"], np.arange(rows))
    write_table(path, {"decision": columns["h"] == 3}, tmp_path / "out.parquet")
    again = read_columns(tmp_path / "out.parquet", ["i", "h", "decision"])
    assert np.array_equal(again["i"], columns["i"])
    assert np.array_equal(again["decision"], again["h"] == 3)


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.tsv", "out.parquet"])
def test_csv_keeps_its_text(tmp_path: Path, name: str) -> None:
    source = tmp_path / "t.csv"
    source.write_text("zip,x\n00123,1.50\n00456,\n")
    write_table(source, {"decision": np.array([True, False])}, tmp_path / name)
    if name == "out.csv":
        assert (tmp_path / name).read_text() == "zip,x,decision\n00123,1.50,true\n00456,,false\n"
    found = read_columns(tmp_path / name, ["decision", "zip"], text=["zip", "absent"])
    assert found["decision"].tolist() == [True, False]
    assert found["zip"].tolist() == ["00123", "00456"]


def test_output_is_whole_or_absent(tmp_path: Path, table: str) -> None:
    out = tmp_path / "out.parquet"
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(ValueError, match="already has a column 'i'"):
        write_table(table, {"i": np.zeros(10)}, out)
    for rows in (9, 11):
        with pytest.raises(ValueError, match=f"does not have the {rows} rows"):
            write_table(table, {"decision": np.zeros(rows, bool)}, out)
    with pytest.raises(FileNotFoundError, match="there is no directory"):
        write_table(table, {"decision": np.zeros(10, bool)}, tmp_path / "no" / "out.parquet")
    with pytest.raises(ZeroDivisionError), replacing(out) as partial:
        Path(partial).write_text(str(1 / 0))
    assert sorted(os.listdir(tmp_path)) == before
    Path(table).with_name("u.parquet").symlink_to(table)
    for source, target in ((table, table), (table, tmp_path / "u.parquet"), (tmp_path / "*.parquet", table)):
        with pytest.raises(
            ValueError, match=r"^the output '.*' is also the table that is read; name another"
        ):
            write_table(source, {"decision": np.zeros(10, bool)}, target)
    assert "decision" not in duckdb.sql(f"SELECT * FROM '{table}'").columns


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_name_in_other_capitals_is_taken(suffix: str, tmp_path: Path) -> None:
    table = write(tmp_path / f"t{suffix}", 'SELECT i AS "Decision" FROM range(3) r(i)')
    with pytest.raises(ValueError, match=r"already has a column 'Decision'\.$"):
        write_table(table, {"decision": np.zeros(3, bool)}, tmp_path / f"out{suffix}")
    assert len(os.listdir(tmp_path)) == 1


@pytest.mark.crossed
@pytest.mark.parametrize(
    ("values", "expected", "dtype"),
    [
        (["-inf", "2.5", "1.5"], [-np.inf, 2.5, 1.5], "float64"),
        (["-inf", "-inf", "inf"], [-np.inf, -np.inf, np.inf], "float64"),
        (["1e5", " Infinity", "+.5"], [1e5, np.inf, 0.5], "float64"),
        (["1", "2", "1.5"], [1, 2, 1.5], "float64"),
        (["1", "-3", "9223372036854775807"], [1, -3, 2**63 - 1], "int64"),
        (["1", "3", "18446744073709551615"], [1, 3, 2**64 - 1], "uint64"),
        (["1", "18446744073709551616", "-1"], [1, 2.0**64, -1], "float64"),
        (["true", "false", "true"], [True, False, True], "bool"),
        (["u", "x", "v"], ["u", "x", "v"], "object"),
    ],
)
@pytest.mark.parametrize("padding", [0, 30_000])  # more rows than DuckDB looks at to guess a type
def test_numbers_in_csv(
    padding: int, values: list[str], expected: list[Any], dtype: str, tmp_path: Path
) -> None:
    table = tmp_path / "t.csv"
    padded = [*[{"bool": "true", "object": "u"}.get(dtype, "1")] * padding, *values]
    table.write_text("s,n\n" + "".join(f"{value},{i}\n" for i, value in enumerate(padded)))
    found = read_columns(table, ["n", "s"], numbers=["s"])
    assert found["s"].dtype == dtype
    assert found["s"][padding:].tolist() == expected
    assert found["n"].tolist() == list(range(len(padded)))
    if dtype == "float64":
        some = read_columns(table, ["s"], "s > 1.25", numbers=["s"])["s"]  # compared as a number
        assert some.tolist() == [value for value in expected if value > 1.25]


def test_blanks_among_numbers_in_csv(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text('s,i\n-inf,1\n,\n"",3\n')
    found = read_columns(table, ["s", "i"], missing=["s", "i"])
    assert found["i"].tolist() == [1, None, 3]
    np.testing.assert_array_equal(found["s"], [-np.inf, np.nan, np.nan])
    with pytest.raises(ValueError, match="column 's' has 2 nulls in 3 rows"):
        read_columns(table, ["s"], numbers=["s"])


@pytest.mark.parametrize(("header", "name"), [("y,s,s", "s"), ("y,s,S", "S"), ('y,"a b","a b"', "a b")])
def test_a_name_that_occurs_twice(header: str, name: str, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text(f"{header}\n0,1,2\n1,3,4\n")
    message = f"has more than one column '{name}'; rename one of them"
    with pytest.raises(ValueError, match=message):
        read_columns(table, ["y"])
    with pytest.raises(ValueError, match=message):
        write_table(table, {"decision": np.zeros(2, bool)}, tmp_path / "out.csv")
    table.write_text("y,,,s_1,s\n0,1,2,3,4\n1,3,4,5,6\n")  # columns without a name are only not asked for
    assert read_columns(table, ["s_1", "s"])["s"].tolist() == [4, 6]


def test_only_needed_columns_are_read(tmp_path: Path) -> None:
    path = write(tmp_path / "t.parquet", "SELECT i % 2 AS y, i AS s, NULL AS broken FROM range(10) r(i)")
    assert rh.Hybrid.from_table(path, label="y", scores=["s"]).auc == {"s": 0.6}


COLUMNS: dict[str, Any] = {
    "y": ["no", "yes", "yes", "no", "yes"],
    "a": [0.1, 0.7, 0.4, 0.5, 0.9],
    "b": [1, 2, 3, 1, 1],
    "w": [1.0, 2.0, 1.0, 0.5, 1.0],
}


def test_tables_of_every_kind(frame_module: Callable[[Mapping[str, Any]], Any], tmp_path: Path) -> None:
    options: dict[str, Any] = {"label": "y", "scores": ["a", "b"], "weight": "w", "pos_label": "yes"}
    expected = rh.Hybrid()
    for name in ("a", "b"):
        expected.add(name, COLUMNS["y"], COLUMNS[name], sample_weight=COLUMNS["w"], pos_label="yes")
    path = tmp_path / "t.csv"
    rows = zip(*COLUMNS.values(), strict=True)
    path.write_text("\n".join([",".join(COLUMNS), *(",".join(map(str, row)) for row in rows)]) + "\n")
    for table in (COLUMNS, frame_module(COLUMNS), str(path), path):
        found = rh.Hybrid.from_table(table, **options)
        assert found.auc == expected.auc
        assert found.hull.owners == expected.hull.owners
        assert np.array_equal(found.hull.fpr, expected.hull.fpr)


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        (np.array([0, 1, 1]), "1"),
        (np.array([False, True, True]), "True"),
        (np.array([2.0, 1.5, 1.5]), "1.5"),
        (np.array(["n", "p", "p"]), "p"),
        (np.array(["n", 7, 7], dtype=object), "7"),
        (np.array([9, 3, 3], np.uint8), "3"),
    ],
)
def test_a_label_typed_as_text(labels: np.ndarray, text: str) -> None:
    table = {"y": labels, "s": [1, 2, 3]}
    assert rh.Hybrid.from_table(table, label="y", scores=["s"], pos_label=text).auc == {"s": 1.0}
    with pytest.raises(ValueError, match=r"pos_label='zz' does not occur in label column 'y', which holds"):
        rh.Hybrid.from_table(table, label="y", scores=["s"], pos_label="zz")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scores": []}, "scores is empty"),
        ({"scores": ["a", "y"]}, "scores must not hold the label column 'y'"),
        ({"scores": ["a", "a"]}, "scores names the column 'a' twice"),
        ({"scores": ["c"]}, r"table has no column 'c'; it has 'y', 'a', 'b', 'w'\."),
        ({"scores": ["y2"], "table": COLUMNS | {"y2": COLUMNS["y"]}}, "score column 'y2': .*must be numeric"),
        ({"weight": "w", "table": COLUMNS | {"w": [-1] * 5}}, "weight column 'w' has 5 negative values"),
        ({"pos_label": None}, "label column 'y' takes the values 'no', 'yes'; give pos_label"),
        ({"where": "a > 1"}, "where needs a table in a file"),
        ({"table": [1, 2]}, "table must be a path, a data frame or a mapping of columns, but is a list"),
    ],
)
def test_tables_that_are_refused(change: dict[str, Any], message: str) -> None:
    options = {"table": COLUMNS, "label": "y", "scores": "a", "pos_label": "yes"} | change
    with pytest.raises(ValueError, match=message):
        rh.Hybrid.from_table(options.pop("table"), **options)


def test_infinite_scores_in_csv(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("y,s\n0,-inf\n0,-inf\n1,inf\n")
    assert rh.Hybrid.from_table(table, label="y", scores="s").auc == {"s": 1.0}
    table.write_text("y,s\n0,-inf\n0,zz\n1,inf\n")
    with pytest.raises(ValueError, match=r"column 's' must be numeric, but 1 of 3 rows hold 'zz' \(1\)\."):
        rh.Hybrid.from_table(table, label="y", scores="s")


@pytest.mark.parametrize("cell", ["1e400", "-1e400", "9" * 400, "Infinity", "-INF"])
def test_a_number_beyond_float64_is_no_infinity(cell: str, tmp_path: Path) -> None:
    """No CSV path takes one for infinite, which another cell may be on purpose."""
    table = tmp_path / "t.csv"
    table.write_text(f"y,s\n0,-inf\n1,{cell}\n1,0.5\n")
    doors: list[Callable[[], Any]] = [
        lambda: rh.Hybrid.from_table(table, label="y", scores="s"),
        lambda: rh.scan(table, label="y", scores=["s"]).roc_hulls(),
        lambda: read_columns(table, ["s"], missing=["s"], numbers=["s"]),
    ]
    for door in doors:
        if "inf" in cell.lower():
            door()
        else:
            with pytest.raises(
                ValueError, match=f"column 's': the number {cell[:40]} is beyond the range of float64"
            ):
                door()


def test_nulls_in_a_frame(frame_module: Callable[[Mapping[str, Any]], Any]) -> None:
    table = frame_module({"y": [0, 1, 1], "s": [0.5, None, None]})
    with pytest.raises(ValueError, match="column 's' has 2 nulls in 3 rows"):
        rh.Hybrid.from_table(table, label="y", scores=["s"])
