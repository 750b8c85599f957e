"""Tables that DuckDB reads: the same answers as in memory, and errors that name what is wrong."""

import datetime as dt
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given

import rochull as rh
from profiles import tries
from rochull._core.file_queries import TableFile
from rochull.scanning import column
from rochull.scanning.engines import duckdb_decide, duckdb_rows, duckdb_table
from rochull.scanning.engines.duckdb_rows import ArrowRows, FileRows, Session
from rochull.scanning.engines.duckdb_table import DuckDBTable
from rochull.scanning.engines.memory_table import MemoryTable
from rochull.scanning.passes import scan_columns
from scan_cases import assert_same_blocks, when_answered

HOSTILE = 'a"; DROP TABLE t; --'


def rows_of(size: int, seed: int = 0) -> dict[str, Any]:
    """Labels, two columns of scores with ties, weights, segments and folds."""
    rng = np.random.default_rng(seed)
    y = rng.random(size) < 0.3
    y[:2] = [True, False]
    return {
        "y": y,
        "s": np.round(rng.normal(size=size) + y, 2),
        HOSTILE: np.where(rng.random(size) < 0.9, np.float32(0.5), rng.random(size).astype(np.float32)),
        "w": rng.integers(1, 5, size) / 4,
        "seg": rng.choice(["a", "b'c", '"d'], size, p=[0.6, 0.3, 0.1]),
        "fold": rng.integers(0, 5, size),
    }


OPTIONS: dict[str, Any] = {"label": "y", "scores": ["s", HOSTILE], "segment": "seg", "fold": "fold"}


def in_memory(rows: Any, **options: Any) -> MemoryTable:
    """Open the twin."""
    defaults = {"weight": None, "segment": None, "fold": None, "pos_label": None, "where": None}
    return MemoryTable.open(rows, **defaults | options)


def same(got: Any, expected: Any, *, small: int = 0) -> None:
    """Assert that two tables have the same groups, blocks, curves and areas."""
    assert got.groups == expected.groups
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(column, "SMALL", small)
        found, wanted = scan_columns(got, 1e-2), scan_columns(expected, 1e-2)
    assert found.keys() == wanted.keys()
    for key, one in found.items():
        assert_same_blocks(one, wanted[key])
    both = [key for key, one in found.items() if one.n_pos and one.n_neg]
    assert got.exact_areas(both) == expected.exact_areas(both)


@pytest.mark.long
@pytest.mark.parametrize("weight", [None, "w"])
def test_files_equal_memory(tmp_path: Path, weight: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duckdb_table, "_BATCH", 1 << 12)
    rows = rows_of(20_000)
    for part in range(2):
        some = {name: column[part * 10_000 :][:10_000] for name, column in rows.items()}
        pq.write_table(pa.table(some), tmp_path / f"it's {part}.parquet", row_group_size=3000)
    source = FileRows([tmp_path / "*.parquet"], None, [], [*rows])
    same(DuckDBTable(source, weight=weight, **OPTIONS), in_memory(rows, weight=weight, **OPTIONS))


@st.composite
def divisions(draw: st.DrawFn) -> tuple[dict[str, Any], Callable[[], Any], dict[str, Any]]:
    """Rows, a function that streams them in random order and pieces, and options."""
    rows = rows_of(draw(st.integers(2, 300)), draw(st.integers(0, 2**32)))
    order = np.random.default_rng(draw(st.integers(0, 2**32))).permutation(rows["y"].size)
    table = pa.table({name: column[order] for name, column in rows.items()})
    size = draw(st.sampled_from([1, 7, 1000]))
    names = draw(st.sampled_from([["segment", "fold"], ["fold"], []]))
    options = {"label": "y", "scores": ["s", HOSTILE], "weight": draw(st.sampled_from([None, "w"]))}
    return rows, lambda: table.to_reader(size), options | {name: OPTIONS[name] for name in names}


@pytest.mark.long
@pytest.mark.long
@tries(25)
@given(divisions(), st.sampled_from([5, 100, 1 << 19]), st.sampled_from([0, 1 << 15]))
def test_any_order_and_division(division: Any, batch: int, small: int) -> None:
    rows, make, options = division
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duckdb_table, "_BATCH", batch)
        table = DuckDBTable(ArrowRows(make, None, is_stream=True), **options)
        same(table, in_memory(rows, **options), small=small)


def test_ties_across_batches_are_one_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duckdb_table, "_BATCH", 1 << 11)
    rows = {"y": np.arange(9000) % 3 == 0, "s": np.repeat([1.0, -0.0, 0.0], 3000)}
    table = DuckDBTable(ArrowRows(lambda: pa.table(rows), None), label="y", scores=["s"])
    pieces = list(table.ordered(("s", 0)))
    assert np.concatenate([piece.score for piece in pieces]).tolist() == [1.0, 0.0]
    assert np.concatenate([piece.pos_units for piece in pieces]).tolist() == [1000, 2000]


@pytest.mark.parametrize(
    ("values", "positive"),
    [
        (["no", "yes"], "yes"),
        ([1, -1], None),
        ([np.float32(0.1), np.float32(0.7)], None),
        ([dt.date(2020, 1, 1), dt.date(2021, 1, 1)], dt.date(2021, 1, 1)),
        ([False, True], False),
    ],
)
def test_labels_of_any_type(values: list[Any], positive: Any) -> None:
    if isinstance(values[0], np.float32):
        positive = float(values[1])
    rng = np.random.default_rng(0)
    at = rng.integers(0, 2, 500)
    at[:2] = [0, 1]
    score = rng.normal(size=500) + at
    table = pa.table({"y": [values[i] for i in at], "s": score})
    got = DuckDBTable(ArrowRows(lambda: table, None), label="y", scores=["s"], pos_label=positive)
    truth = [values[i] == (1 if positive is None else positive) for i in at]
    assert got.exact_areas([("s", 0)])["s", 0][0] / 2 / sum(truth) / (500 - sum(truth)) == pytest.approx(
        rh.roc_curve(truth, score).auc()
    )


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize(
    "positive",
    ["2021-01-01 00:00:00+00", "2021-01-01T01:00:00+01:00", dt.datetime(2021, 1, 1, tzinfo=dt.UTC)],
)
def test_labels_with_a_time_zone(engine: Any, positive: Any, tmp_path: Path) -> None:
    """Without the module by which DuckDB makes such values."""
    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 2, 300), np.round(rng.normal(size=300), 1)
    years = pa.array([dt.datetime(2020 + each, 1, 1, tzinfo=dt.UTC) for each in y.tolist()])
    pq.write_table(pa.table({"when": years, "s": score}), tmp_path / "t.parquet")
    options = {"label": "when", "scores": "s", "pos_label": positive, "engine": engine}
    assert rh.scan(tmp_path / "t.parquet", **options).roc_hulls()["s"].auc() == rh.roc_hull(y, score).auc()


@pytest.mark.parametrize("kind", ["BOOLEAN", "TINYINT", "UBIGINT", "FLOAT", "DECIMAL(9, 2)", "HUGEINT"])
def test_scores_of_any_type(kind: str) -> None:
    with duckdb.connect() as connection:
        relation = connection.sql(f"SELECT i % 3 = 0 AS y, CAST(i % 2 AS {kind}) AS s FROM range(999) r(i)")
        expected = rh.roc_hull(np.arange(999) % 3 == 0, np.arange(999) % 2)
        assert rh.scan(relation, label="y", scores="s").roc_hulls()["s"].auc() == expected.auc()


@pytest.mark.long
@pytest.mark.parametrize("kind", ["BIGINT", "VARCHAR"])
def test_many_segments(kind: str) -> None:
    with duckdb.connect() as connection:
        query = (
            f"SELECT i % 7 = 0 AS y, hash(i) % 97 AS s, CAST(i % 300 AS {kind}) AS g FROM range(30_000) r(i)"
        )
        relation = connection.sql(query)
        hulls = rh.scan(relation, label="y", scores="s", segment="g").roc_hulls(by="segment")
        rows = relation.to_arrow_table()
    assert len(hulls) == 300
    value = 17 if kind == "BIGINT" else "17"
    mine = rows.filter(pa.compute.equal(rows["g"], value))
    assert hulls[value]["s"].auc() == rh.roc_hull(mine["y"].to_numpy(), mine["s"].to_numpy()).auc()


def test_only_what_is_needed_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"y": [0, 1, 1], "s": [1.0, 2.0, 3.0], "broken": pa.nulls(3)}), path)
    assert rh.scan(path, label="y", scores="s", engine="duckdb").auc(exact=True)["s"].estimate == 1.0


def test_a_relation_keeps_its_settings() -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT i % 2 = 0 AS y, i AS s FROM range(100) r(i)")
        before = connection.execute("FROM duckdb_settings()").fetchall()
        rh.scan(connection.table("t"), label="y", scores="s").roc_hulls()
        assert connection.execute("FROM duckdb_settings()").fetchall() == before
        assert connection.execute("SELECT count(*) FROM duckdb_views() WHERE NOT internal").fetchall() == [
            (0,)
        ]


def write(path: Path, seed: int, size: int = 50_000) -> None:
    """Write rows to a file."""
    rng = np.random.default_rng(seed)
    y = rng.random(size) < 0.5
    pq.write_table(pa.table({"y": y, "s": rng.normal(size=size) + y}), path)


@pytest.mark.parametrize(("seed", "size"), [(1, 50_000), (0, 50_001)])
def test_a_file_that_is_replaced_between_passes(
    tmp_path: Path, seed: int, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(column, "SMALL", 0)
    path = tmp_path / "t.parquet"
    write(path, 0)
    table = DuckDBTable(FileRows([path], None, [], ["y", "s"]), label="y", scores=["s"])
    when_answered(table, lambda: write(path, seed, size))
    with pytest.raises(RuntimeError, match="the source changed between two scans"):
        scan_columns(table, 1e-4)


def test_a_volatile_query() -> None:
    with duckdb.connect() as connection:
        relation = connection.sql("SELECT i % 3 = 0 AS y, random() AS s FROM range(40_000) r(i)")
        with pytest.raises(RuntimeError, match="the source changed between two scans"):
            rh.scan(relation, label="y", scores="s").roc_hulls()
        relation = connection.sql("SELECT random() < 0.5 AS y, i AS s FROM range(40_000) r(i)")
        with pytest.raises(RuntimeError, match="the source changed between two scans"):
            rh.scan(relation, label="y", scores="s").auc(exact=True)


def refused(source: Any, message: str, kind: type[Exception] = ValueError, **options: Any) -> None:
    """Assert that a scan fails with one sentence, and leaves nothing behind."""
    options = {"label": "y", "scores": "s", "engine": "duckdb"} | options
    with tempfile.TemporaryDirectory() as mine, pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", mine)  # tests that run at the same time have directories too
        with pytest.raises(kind, match=message) as caught:
            rh.scan(source, **options).auc(exact=True)
        assert os.listdir(mine) == []
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({}, {"scores": "z"}, r"t\.parquet' has no column 'z'; it has 'y', 's', 'w', 't'\.$"),
        ({}, {"scores": "t"}, "score column 't' must be numeric, but has type VARCHAR"),
        ({}, {"weight": "t"}, "weight column 't' must be numeric, but has type VARCHAR"),
        ({"y": [0, 1, 2, 1]}, {}, "label column 'y' takes the values 0, 1, 2|must have two classes"),
        ({"y": [1, 1, 1, 1]}, {}, "label column 'y' has one class only"),
        ({"y": [True, None, False, True]}, {}, "column 'y' has 1 null in 4 rows; leave those rows out"),
        ({"y": [1, None, None, 0]}, {}, "column 'y' has 2 nulls in 4 rows; leave those rows out"),
        ({"t": ["a", None, "a", "b"]}, {"segment": "t"}, "column 't' has 1 null in 4 rows"),
        ({"s": [1.0, None, 2.0, None]}, {}, "column 's' has 2 nulls in 4 rows; leave those rows out first"),
        ({"s": [1.0, np.nan, 2.0, 3.0]}, {}, "score column 's' has 1 NaN in 4 rows"),
        ({"w": [1.0, -1.0, 1.0, 1.0]}, {"weight": "w"}, "weight column 'w' has 1 negative values in 4 rows"),
        (
            {"w": [1.0, np.inf, np.nan, 1.0]},
            {"weight": "w"},
            "weight column 'w' has 2 values that are not fin",
        ),
        ({}, {"where": "s >"}, "where='s >' is not"),
        ({}, {"where": "s > 99"}, "has no rows"),
        ({"y": [False, True, True, False]}, {"where": "s > 99"}, "has no rows"),
    ],
)
def test_columns_that_are_refused(
    tmp_path: Path, change: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    rows = {"y": [0, 1, 1, 0], "s": [1.0, 2.0, 3.0, 4.0], "w": [1.0] * 4, "t": ["a", "b", "a", "b"]} | change
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({name: pa.array(v, from_pandas=False) for name, v in rows.items()}), path)
    refused(path, message, **options)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "part.parquet"
    write(path, 0)
    path.write_bytes(path.read_bytes()[:-1000])
    refused(tmp_path / "*.parquet", r"part\.parquet'? cannot be read|cannot be read: .*part\.parquet")
    refused(tmp_path / "no.parquet", r"there is no file '.*no\.parquet'", FileNotFoundError)
    late = tmp_path / "late.csv"
    late.write_text("y,s\n" + "0,1\n1,2\n" * 30_000 + "1,x\n")
    refused(late, r"column 's' must be numeric, but 1 of 60,001 rows hold 'x' \(1\)")


def test_pages_that_are_damaged_in_the_middle(tmp_path: Path) -> None:
    path = tmp_path / "part.parquet"
    write(path, 0)
    data = bytearray(path.read_bytes())
    data[2000:200_000] = bytes(198_000)
    path.write_bytes(data)
    refused(path, r"part\.parquet' cannot be read: ")


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duckdb_rows, "_MOST_SPILLED", "1MB")
    path = tmp_path / "t.parquet"
    with duckdb.connect() as connection:
        query = "SELECT hash(i) % 2 = 0 AS y, random() AS s FROM range(10_000_000) r(i)"
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    refused(path, r"no room on the disk to sort '.*t\.parquet': .*", OSError, memory="128MB")


def test_where_nothing_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, rows = tmp_path / "t.parquet", rows_of(5000)
    pq.write_table(pa.table(rows), path)

    def nowhere() -> str:
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", nowhere)
    found = rh.scan(path, label="y", scores="s", engine="duckdb")
    assert found.roc_hulls()["s"].thresholds.tolist() == rh.roc_hull(rows["y"], rows["s"]).thresholds.tolist()


def test_memory_that_is_short_while_rows_are_decided(tmp_path: Path) -> None:
    def short(_: str) -> Any:
        raise duckdb.OutOfMemoryException("Out of Memory Error: failed to allocate 128.0 MiB")

    file: Any = SimpleNamespace(connection=SimpleNamespace(execute=short), shown="'t.parquet'")
    with pytest.raises(MemoryError, match=r"^Out of Memory Error: failed to allocate 128\.0 MiB\.$"):
        duckdb_decide._copied(file, tmp_path / "d.csv", "COPY ...")


def test_a_nan_far_down(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    score = np.arange(300_000, dtype=float)
    score[-1] = np.nan
    pq.write_table(pa.table({"y": score % 2 == 0, "s": score}), path, row_group_size=10_000)
    refused(path, "score column 's' has 1 NaN in 300,000 rows")


@pytest.mark.long
@pytest.mark.parametrize("key", [None, "s"])  # without keys DuckDB need not read
def test_interrupting_leaves_nothing_behind(tmp_path: Path, key: str | None) -> None:
    path = tmp_path / "t.parquet"
    write(path, 0, 300_000)
    spill = tmp_path / "spill"
    spill.mkdir()
    code = (
        "import signal, sys, rochull as rh\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from rochull.scanning.engines.duckdb_table import DuckDBTable\n"
        "tick = DuckDBTable._tick\n"
        "def said(self, rows):\n"
        "    print('reading', flush=True)\n"
        "    tick(self, rows)\n"
        "DuckDBTable._tick = said\n"
        "options = dict(label='y', scores='s', engine='duckdb', memory='1GB', key=sys.argv[2] or None)\n"
        "rh.scan([sys.argv[1]] * 500, **options).roc_hulls()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path), key or ""], env=os.environ | {"TMPDIR": str(spill)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "reading\n"
    assert bool(os.listdir(spill)) == (key is not None)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in said
    assert process.returncode != 0
    assert os.listdir(spill) == []


def test_datasets_of_arrow(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", 0)
    found = rh.scan(ds.dataset(tmp_path), label="y", scores="s", where="s > 0")
    rows = pq.read_table(tmp_path).filter(pa.compute.field("s") > 0)
    expected = rh.roc_hull(rows["y"].to_numpy(), rows["s"].to_numpy())
    assert found.roc_hulls()["s"].thresholds.tolist() == expected.thresholds.tolist()


def shards(path: Path, *columns: pa.Array) -> Path:
    """Write files that differ in the column of scores only."""
    path.mkdir(exist_ok=True)
    for i, scores in enumerate(columns):
        y = pa.array([True, False, True][: len(scores)], pa.bool_())
        pq.write_table(pa.table({"y": y, "s": scores}), path / f"{i}.parquet")
    return path


@pytest.mark.crossed
@pytest.mark.parametrize("engine", ["duckdb", "memory"])
@pytest.mark.parametrize(
    ("first", "kind"),
    [
        (pa.array([1, 2, 3], pa.int32()), pa.float64()),
        (pa.array([1, 2, 3], pa.int8()), pa.float32()),
        (pa.array([1, 2, 3], pa.float32()), pa.float64()),
        (pa.nulls(0), pa.float64()),
        (pa.nulls(0), pa.float32()),
    ],
)
def test_files_of_other_types_are_widened(tmp_path: Path, first: Any, kind: Any, engine: Any) -> None:
    path = shards(tmp_path / "t", first, pa.array([2.7, 2.2, 0.1], kind))
    scores = [*first.to_pylist(), *pa.array([2.7, 2.2, 0.1], kind).to_pylist()]
    labels = [*[True, False, True][: len(first)], True, False, True]
    expected = rh.roc_hull(labels, scores).thresholds.tolist()
    for source in (path / "*.parquet", path, [path / "0.parquet", path / "1.parquet"]):
        found = rh.scan(source, label="y", scores="s", engine=engine).roc_hulls()["s"]
        assert found.thresholds.tolist() == expected


def test_files_that_do_not_go_together(tmp_path: Path) -> None:
    path = shards(tmp_path / "t", pa.array([1, 2, 3]), pa.array([0.5, 1.5, 2.5], pa.float32()))
    refused(path, r"column 's' holds integers in '.*0\.parquet' and 32-bit floats in other files")
    pq.write_table(pa.table({"y": [True, False], "z": [1, 2]}), path / "1.parquet")
    refused(path / "*.parquet", r"1\.parquet' has no column 's', which other files have\.$")
    (path / "1.parquet").write_bytes(b"")
    refused(path, r"1\.parquet' too small")
    (tmp_path / "a.csv").write_text("y,s\n0,1\n1,2\n")
    (tmp_path / "b.csv").write_text("y,q\n0,1\n1,2\n")
    refused(tmp_path / "*.csv", r"b\.csv' has no column 's'; it has 'y', 'q'\.$")
    (tmp_path / "b.csv").write_text("")
    refused(tmp_path / "*.csv", r"b\.csv' is empty")


def test_directories_as_spark_writes_them(tmp_path: Path) -> None:
    path = tmp_path / "E.parquet"
    for i in range(2):
        part = path / f"day=[{i}]"
        part.mkdir(parents=True)
        write(part / "part-0.snappy.parquet", i, 500)
    for hidden in ("_temporary/0", ".checkpoint"):
        (path / hidden).mkdir(parents=True)
        (path / hidden / "x.parquet").write_bytes(b"broken")
    (path / "_SUCCESS").touch()
    (path / ".part-0.parquet").write_bytes(b"broken")
    rows = [pq.read_table(part).to_pandas() for part in path.glob("day=*/*.parquet")]
    labels, scores = (np.concatenate([table[name] for table in rows]) for name in ("y", "s"))
    for engine in ("duckdb", "memory"):
        found = rh.scan(path, label="y", scores="s", engine=engine)
        assert found.roc_hulls()["s"].auc() == rh.roc_hull(labels, scores).auc()
    assert rh.scan(path, label="y", scores="s", segment="day", engine="duckdb").roc_hulls(by="segment").keys()
    (tmp_path / "none").mkdir()
    refused(tmp_path / "none", "there is no Parquet file in the directory '.*none'", FileNotFoundError)


def test_a_table_of_the_user_keeps_its_name() -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE rochull_rows AS SELECT i % 3 = 0 AS y, i AS s FROM range(100) r(i)")
        for relation in (connection.table("rochull_rows"), connection.sql("SELECT * FROM rochull_rows")):
            assert rh.scan(relation, label="y", scores="s").roc_hulls()["s"].n_pos == 34


def test_too_little_memory_is_said(tmp_path: Path) -> None:
    def full(*_: Any) -> Any:
        raise duckdb.OutOfMemoryException("Out of Memory Error: failed to pin\nmore")

    source = tmp_path / "t.parquet"
    with pytest.raises(MemoryError, match=r"^not enough memory to read '.*t\.parquet'\.$"):
        TableFile(SimpleNamespace(execute=full), source).run("SELECT 1")  # type: ignore[arg-type]


@pytest.mark.parametrize("error", [OSError, duckdb.OutOfMemoryException])
def test_too_little_memory_in_a_stream_is_said_in_one_line(error: type[Exception]) -> None:
    """Arrow hands on what DuckDB says, as an OSError of many lines."""

    def full(_: str) -> Any:
        raise error("Out of Memory Error: failed to allocate\n\nPossible solutions:\n* many")

    with pytest.raises(MemoryError, match=r"^not enough memory to read 't'\.$"):
        list(Session(full, "t", "'t'").batches("SELECT 1", 10))


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({"y": np.zeros(8, int)}, {}, "label column 'y' has one class only: all 8 labels are negative"),
        ({"y": np.repeat([np.nan, 0, 1], [3, 3, 2])}, {}, "column 'y' has 3 NaN; leave those rows out"),
        ({"g": np.repeat([np.nan, 1], [3, 5])}, {"segment": "g"}, "column 'g' has 3 NaN"),
        ({"w": np.zeros(8)}, {"weight": "w"}, "zero total weight"),
        (
            {"w": np.repeat([0.0, 1], 4), "g": np.repeat([0, 1], 4)},
            {"weight": "w", "segment": "g"},
            "the weight column gives all rows of segment 0 zero total weight",
        ),
        ({"s": np.zeros((8, 2))}, {}, r"column 's' must have shape \(n,\), but has shape \(8, 2\)"),
    ],
)
def test_columns_in_memory_that_are_refused(
    change: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    refused({"y": np.arange(8) % 2, "s": np.arange(8.0)} | change, message, **options)


def test_half_precision() -> None:
    rows = {"y": np.arange(8) % 2, "s": np.arange(8, dtype=np.float16)}
    expected = rh.roc_hull(rows["y"], rows["s"]).auc()
    assert rh.scan(rows, label="y", scores="s", engine="duckdb").roc_hulls()["s"].auc() == expected
    table = pa.table(rows)
    refused(lambda: table, "column 's' has 16-bit floats; cast it to float32 first")
