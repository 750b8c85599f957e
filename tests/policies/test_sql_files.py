"""SQL decides over Parquet files as `decide` does, whoever wrote them and whatever their statistics leave out.

The smallest and the largest value that a file states of a column are not of NaN, and databases draw
conclusions from them.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rochull as rh
from rochull.cli.app import main
from rochull.conditions.rules import Rule
from rochull.decisions.axes import Axis, Bins
from rochull.segments.rules import RuleTable
from sql_attack import attack
from sql_cases import passes, single

pytestmark = pytest.mark.filterwarnings("ignore:scores:UserWarning", "ignore:aux:UserWarning")

GROUP = 8  # rows in each of three row groups, which have values of their own
THRESHOLDS = (-math.inf, 0.0, 0.5, 1, 2.0, math.inf)
NAN, INF = math.nan, math.inf
# What a row group repeats.
CELLS: dict[str, list[list[float | None]]] = {
    "mixed": [[0.25, 0.5, NAN, 1.5], [0.75, NAN, 0.0, -1.0], [3.0, NAN, NAN, 2.0]],
    "one value": [[0.5, 0.5, NAN, 0.5]] * 3,
    "above": [[0.5, 1.5, NAN, 3.0]] * 3,
    "below": [[-0.5, -1.5, NAN, -3.0]] * 3,
    "whole groups": [[NAN] * 4, [0.5] * 4, [None] * 4],
    "infinities": [[INF, 0.5, NAN, -INF], [INF, INF, NAN, INF], [-INF, NAN, NAN, -INF]],
    "nulls": [[None, 0.5, NAN, None], [None, NAN, 2.0, 2.0], [NAN, None, NAN, None]],
    "zeros": [[0.0, -0.0, NAN, 0.0]] * 3,
    "no NaN": [[0.0, 0.5, 1.0, 2.0], [None, None, 0.5, 0.5], [1.0, 1.0, 1.0, 1.0]],
}


def columns() -> dict[str, pa.Array]:
    """Every case in every width."""
    found: dict[str, pa.Array] = {}
    for name, groups in CELLS.items():
        cells = [cell for group in groups for cell in group * (GROUP // 4)]
        found[f"{name}, 64"] = pa.array(cells, pa.float64())
        found[f"{name}, 32"] = pa.array(cells, pa.float32())
        whole = [None if cell is None or not math.isfinite(cell) else int(cell) for cell in cells]
        found[f"{name}, integer"] = pa.array(whole, pa.int32())
        exact = [None if cell is None else decimal.Decimal(cell) for cell in whole]
        found[f"{name}, decimal"] = pa.array(exact, pa.decimal128(9, 2))
    return found


TABLE = pa.table(columns())


def halves() -> pa.Table:
    """The columns of doubles in 16 bits."""
    doubles = {name: TABLE[name].to_pylist() for name in TABLE.column_names if name.endswith("64")}
    made = {
        name.replace("64", "16"): [None if c is None else np.float16(c) for c in cells]
        for name, cells in doubles.items()
    }
    return pa.table({name: pa.array(cells, pa.float16()) for name, cells in made.items()})


def by_duckdb(path: Path) -> None:
    given = TABLE
    with duckdb.connect() as opened:
        opened.register("given", given)
        opened.execute(f"COPY given TO '{path}' (ROW_GROUP_SIZE {GROUP})")


_READS_HALVES = tuple(map(int, duckdb.__version__.split(".")[:2])) >= (1, 3)  # bytes for those before
WRITERS: dict[str, Callable[[Path], object]] = {
    "pyarrow": lambda path: pq.write_table(TABLE, path, row_group_size=GROUP),
    "pyarrow, halves": lambda path: pq.write_table(halves(), path, row_group_size=GROUP),
    "pyarrow, no statistics": lambda path: pq.write_table(
        TABLE, path, row_group_size=GROUP, write_statistics=False
    ),
    "pyarrow, no dictionary": lambda path: pq.write_table(
        TABLE, path, row_group_size=GROUP, use_dictionary=False, data_page_version="2.0"
    ),
    "polars": lambda path: pl.DataFrame(TABLE).write_parquet(path, row_group_size=GROUP, statistics="full"),
    "polars, no statistics": lambda path: pl.DataFrame(TABLE).write_parquet(
        path, row_group_size=GROUP, statistics=False
    ),
    "duckdb": by_duckdb,
}
if not _READS_HALVES:
    del WRITERS["pyarrow, halves"]


@pytest.fixture(scope="module", params=WRITERS)
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("written") / "scores.parquet"
    WRITERS[request.param](path)
    return path


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


def read(path: Path) -> dict[str, list[Any]]:
    """The columns, as their writer meant them."""
    return {name: column.to_pylist() for name, column in zip(*_arrow(path), strict=True)}


def _arrow(path: Path) -> tuple[list[str], list[Any]]:
    table = pq.read_table(path)
    return table.column_names, table.columns


def asked(connection: Any, path: Path, texts: list[str]) -> list[list[Any]]:
    """What expressions come to in each row, in the order of the expressions."""
    listed = ", ".join(f"({text}) AS c{i}" for i, text in enumerate(texts))
    found = connection.execute(f"SELECT {listed} FROM '{path}'").fetchall()
    return [list(column) for column in zip(*found, strict=True)]


PLAIN = rh.Policy.from_hull(rh.roc_hull([1, 0], [1, 0]))


def test_thresholds(written: Path, connection: Any) -> None:
    held = read(written)
    cases = [(name, threshold) for name in held for threshold in THRESHOLDS]
    texts = [PLAIN.to_sql(single(name, threshold), "duckdb") for name, threshold in cases]
    expected = [[passes(cell, threshold) for cell in held[name]] for name, threshold in cases]
    for case, found, own in zip(cases, asked(connection, written, texts), expected, strict=True):
        assert found == own, case
    for (name, threshold), text, own in zip(cases, texts, expected, strict=True):  # as a filter
        if name in ("mixed, 64", "mixed, 16", "one value, 64"):
            for said, count in ((text, sum(own)), (f"NOT ({text})", len(own) - sum(own))):
                query = f"SELECT count(*) FROM '{written}' WHERE {said}"
                assert connection.execute(query).fetchall() == [(count,)], (name, threshold, said)


def test_the_rows_tell_a_plainer_expression_apart(tmp_path: Path, connection: Any) -> None:
    path = tmp_path / "scores.parquet"
    WRITERS["pyarrow"](path)
    plainer = """COALESCE("above, 64" >= 0.5 AND "above, 64" <= CAST('inf' AS DOUBLE), FALSE)"""
    assert asked(connection, path, [plainer]) == [[True] * 3 * GROUP]


AXES = [
    Axis("x", edges=(0.5, 4.0), missing=True),
    Axis("x", edges=(4.0,), missing=False),
    Axis("x", edges=(), missing=True),
    Axis("x", categories=(0.5, 2.0), missing=True),
    Axis("x", categories=(0.5,), missing=False),
]


def of_cells(axis: Axis) -> tuple[rh.segments.SegmentPolicy, list[rh.conditions.OperatingPoint]]:
    """A policy by which one cell after the other is called positive, and its points."""
    size = len(axis) + 1  # the last is of cases elsewhere
    fpr = np.arange(1, size + 1) / (size + 2)
    hull = rh.RocHull.from_rates(fpr, np.sqrt(fpr), classifier="a")
    cells = Bins((axis,), np.arange(size - 1), tuple(f"s{i}" for i in range(size - 1)))
    tables = [RuleTable(np.array([0, i + 1]), (Rule("never"), Rule("always"))) for i in range(size)]
    made = rh.segments.SegmentPolicy._of(hull, cells, tables, "", None)
    found = [rh.conditions.OperatingPoint(0, 0, ((made.hull.owners[i + 1][0], 1.0),)) for i in range(size)]
    return made, found


@pytest.mark.crossed
@pytest.mark.parametrize("axis", AXES)
def test_segments(written: Path, connection: Any, axis: Axis) -> None:
    held, (made, points) = read(written), of_cells(axis)
    for name in held:
        if name.endswith("decimal") or (name.endswith("integer") and axis.categories):
            continue
        texts = [made.to_sql(point, "duckdb", columns={"x": name}) for point in points]
        cells = np.array([NAN if cell is None else float(cell) for cell in held[name]])
        for point, found in zip(points, asked(connection, written, texts), strict=True):
            expected = made.decide({"a": np.zeros(cells.size)}, point, aux={"x": cells})
            assert found == expected.tolist(), (name, point)


def test_several_classes(written: Path, connection: Any) -> None:
    outputs = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]]
    points = rh.MulticlassRoc(["a", "b", "c"], outputs).points_at([[1, 2, 0.5]])
    made = rh.multiclass.MulticlassPolicy.from_points(points)
    held = read(written)
    for first, second in (("above", "one value"), ("mixed", "no NaN"), ("infinities", "whole groups")):
        for width in {name.rpartition(" ")[2] for name in held} - {"integer", "decimal"}:
            names = {"a": f"{first}, {width}", "b": f"{second}, {width}", "c": f"zeros, {width}"}
            (found,) = asked(connection, written, [made.to_sql([1, 2, 0.5], "duckdb", columns=names)])
            rows = np.array([held[name] for name in names.values()], float).T
            usable = (np.isfinite(rows) & (rows >= 0)).all(axis=1)
            decided = made.decide(np.where(usable[:, None], rows, 1.0), [1, 2, 0.5])
            assert found == [
                label if use else None for label, use in zip(decided.tolist(), usable, strict=True)
            ]


def command(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    status = main([str(word) for word in words])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.mark.crossed
@pytest.mark.parametrize("name", ["mixed", "one value", "above", "infinities"])
def test_both_engines_decide_alike(
    written: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    width = "16" if "mixed, 16" in read(written) else "64"
    column, held = f"{name}, {width}", read(written)[f"{name}, {width}"]
    rh.Policy.from_hull(rh.roc_hull([1, 0], [0.5, 0.0]).named(column)).save(tmp_path / "policy.json")
    expected = [passes(cell, 0.5) for cell in held]
    gone = sum(cell is None or math.isnan(cell) for cell in held)
    for engine in ("memory", "duckdb"):
        target = tmp_path / f"{engine}.parquet"
        given = ["decide", tmp_path / "policy.json", written, "--max-fpr", 0.5, "--deterministic"]
        status, out, err = command(capsys, *given, "--engine", engine, "-o", target)
        assert status == 0, err
        assert pq.read_table(target)["decision"].to_pylist() == expected, engine
        assert f"Positive: {sum(expected)} of {len(held)} cases" in out
        assert f"has {gone} missing values, which pass no threshold." in err, engine


CONDITIONS: dict[str, Callable[[Any], Any]] = {  # NaN is above all numbers in DuckDB
    "NOT isnan({})": lambda x: ~np.isnan(x),
    "isnan({})": np.isnan,
    "{} > 1": lambda x: (x > 1) | np.isnan(x),
    "{} <= 1.75": lambda x: x <= 1.75,
    "{} = 0.5": lambda x: x == 0.5,
    "{} IN (0.5, 'nan')": lambda x: (x == 0.5) | np.isnan(x),
    "isfinite({})": np.isfinite,
}


@pytest.mark.crossed
@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_rows_that_are_asked_for(tmp_path: Path, condition: str, engine: str) -> None:
    cells = np.array([0.5, 1.5, NAN, 0.5] * 2 + [0.25, 0.5] * 4 + [2.5, INF] * 4 + [0.5, NAN] * 4)
    size = cells.size
    data = pa.table({"y": np.arange(size) % 2, "s": np.arange(size) % 7, "x": cells})
    pq.write_table(data, tmp_path / "t.parquet", row_group_size=GROUP)
    wanted = CONDITIONS[condition](cells)
    scan = rh.scan(
        tmp_path / "t.parquet", label="y", scores="s", where=condition.format('"x"'), engine=engine
    )
    hull = scan.roc_hulls()["s"]
    assert (hull.n_pos, hull.n_neg) == (wanted[1::2].sum(), wanted[::2].sum())


def test_the_remedy_that_is_suggested_helps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = np.where(np.arange(400) % 10 == 3, NAN, np.arange(400) / 400)
    pq.write_table(pa.table({"y": np.arange(400) % 3 == 0, "s": scores}), tmp_path / "t.parquet")
    given = ["report", tmp_path / "t.parquet", "--label", "y", "--score", "s", "--cost-fn", 2]
    for engine in ("memory", "duckdb"):
        status, _, err = command(capsys, *given, "--engine", engine)
        assert status == 1
        assert "NaN" in err
        status, out, err = command(capsys, *given, "--engine", engine, "--where", "not isnan(s)")
        assert (status, err) == (0, "")
        assert "360" in out


@pytest.mark.long
def test_files_of_spark(local_spark: Any, tmp_path: Path, connection: Any) -> None:
    """Spark writes no statistics of a column chunk with NaN; all the same, and Spark decides alike."""
    given = tmp_path / "given.parquet"
    pq.write_table(TABLE, given)
    local_spark.read.parquet(str(given)).coalesce(1).write.parquet(str(tmp_path / "spark"))
    (written,) = (tmp_path / "spark").glob("*.parquet")
    test_thresholds(written, connection)
    for path in (written, given):
        held = read(path)
        cases = [(n, t) for n in held if "decimal" not in n for t in THRESHOLDS]
        texts = [PLAIN.to_sql(single(name, threshold), "spark") for name, threshold in cases]
        frame = local_spark.read.parquet(str(path))
        found = frame.selectExpr(*[f"{text} AS c{i}" for i, text in enumerate(texts)]).collect()
        for i, (name, threshold) in enumerate(cases):
            expected = [passes(cell, threshold) for cell in held[name]]
            assert [row[i] for row in found] == expected, (name, threshold)
            if "above" in name:
                assert frame.filter(texts[i]).count() == sum(expected)
                assert frame.filter(f"NOT ({texts[i]})").count() == len(expected) - sum(expected)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("seed", range(40))
def test_the_attack_in_short(seed: int) -> None:
    """SQL decides row by row as Python does; how many seeds were tried is on the page of evidence."""
    made = attack(seed)
    with duckdb.connect() as connection:
        connection.register("rows", made.table)
        found = connection.execute(f"SELECT {made.sql('duckdb')} FROM rows").fetchall()
    assert [each for (each,) in found] == made.expected


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_attack_on_spark_in_short(local_spark: Any, tmp_path: Path) -> None:
    for seed in range(40, 44):
        made, path = attack(seed), str(tmp_path / f"{seed}.parquet")
        pq.write_table(made.table, path)
        found = local_spark.read.parquet(path).selectExpr(f"{made.sql('spark')} AS found").collect()
        assert [each for (each,) in found] == made.expected, seed
