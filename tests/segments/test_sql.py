"""SQL by segments decides like `SegmentPolicy.decide`: row by row in DuckDB and in PostgreSQL."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
import sqlglot
from psycopg import sql as pg
from sqlglot import exp

import postgres
import rochull as rh
import segment_cases
from refusals import refuses
from rochull.decisions.axes import Axis, Bins
from segment_cases import AXES, KIND, TYPES, points, rows
from sql_cases import DIALECTS, HOSTILE

pytestmark = pytest.mark.filterwarnings("ignore:scores:UserWarning", "ignore:aux:UserWarning")


def policy(seed: int) -> rh.segments.SegmentPolicy:
    rng = np.random.default_rng(seed)
    names = rng.choice(list(AXES), 1 + seed % 3, replace=False).tolist()
    return segment_cases.policy(seed, names, [["a"], ["b"], ["a", "b"]][seed % 3])


def packed(made: rh.segments.SegmentPolicy, dialect: str) -> str:
    """All decisions of a row as the bits of one number; NULL if one is."""
    texts = [made.to_sql(point, dialect, key="key") for point in points(made)]
    return " + ".join(f"CAST(CAST({text} AS INTEGER) AS BIGINT) * {1 << i}" for i, text in enumerate(texts))


def decided(made: rh.segments.SegmentPolicy, table: pl.DataFrame) -> Any:
    total = np.zeros(len(table), np.int64)
    for i, point in enumerate(points(made)):
        found = made.decide(table, point, aux=table, key=table["key"].to_numpy())
        total |= found.astype(np.int64) << i
    return total


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    return rows(4000, seed=1)


@pytest.fixture(scope="module")
def duck(table: pl.DataFrame) -> Iterator[duckdb.DuckDBPyConnection]:
    columns = ", ".join(
        f"CAST({_quoted(name)} AS {kinds[0]}) AS {_quoted(name)}" for name, kinds in TYPES.items()
    )
    with duckdb.connect() as opened:
        opened.register("given", table)
        opened.execute(f"CREATE TABLE cases AS SELECT i, {columns} FROM given")
        yield opened


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


# Policies at random: a few each time, and all of them where there is time.
SEEDS = [pytest.param(seed, marks=[pytest.mark.long] if seed >= 6 else []) for seed in range(30)]


@pytest.mark.parametrize("seed", SEEDS)
def test_duckdb_decides_alike(duck: Any, table: pl.DataFrame, seed: int) -> None:
    made = policy(seed)
    found = duck.execute(f"SELECT {packed(made, 'duckdb')} AS p FROM cases ORDER BY i").fetchnumpy()["p"]
    assert not np.ma.is_masked(found)  # never NULL
    expected = decided(made, table)
    assert np.flatnonzero(np.asarray(found) != expected).tolist() == []
    assert np.unique(expected).size > 1


@pytest.mark.parametrize("seed", [0, 2])
def test_cases_of_values_never_seen_are_found_alike(duck: Any, table: pl.DataFrame, seed: int) -> None:
    made = policy(seed)
    text = made.unseen_sql("duckdb")
    found = duck.execute(f"SELECT {text} AS unseen FROM cases ORDER BY i").fetchnumpy()["unseen"]
    assert not np.ma.is_masked(found)
    np.testing.assert_array_equal(np.asarray(found), made.segment(table) == -1)
    assert np.unique(found).size == 2


@pytest.fixture(scope="module")
def elephant(server: postgres.Server, table: pl.DataFrame) -> Iterator[Any]:
    columns = pg.SQL(", ").join(
        pg.SQL("{} {}").format(pg.Identifier(name), pg.SQL(kinds[1])) for name, kinds in TYPES.items()
    )
    with server.connect() as opened, opened.transaction(force_rollback=True):
        opened.execute(pg.SQL("CREATE TABLE cases (i INTEGER, {})").format(columns))
        with opened.cursor().copy("COPY cases FROM STDIN") as copy:
            for row in table.select("i", *TYPES).iter_rows():
                copy.write_row(row)
        yield opened


@pytest.mark.parametrize("seed", SEEDS)
def test_postgres_decides_alike(elephant: Any, table: pl.DataFrame, seed: int) -> None:
    made = policy(seed)
    out = io.BytesIO()
    query = f"COPY (SELECT {packed(made, 'postgres')} FROM cases ORDER BY i) TO STDOUT"
    with elephant.cursor().copy(query) as copy:
        for part in copy:
            out.write(part)
    values = out.getvalue().split()
    assert b"\\N" not in values
    assert np.flatnonzero(np.array(values).astype(np.int64) != decided(made, table)).tolist() == []


def test_plainer_expressions_would_differ(duck: Any) -> None:
    """What a plainer expression gets wrong occurs in the rows, so that the tests above can fail."""
    inf, tenth, long = (f"CAST('{number}' AS DOUBLE)" for number in ("inf", "0.1", 2.0**53))
    for plainer, exact in {
        '"size" >= 2.0': f'"size" >= 2.0 AND "size" <= {inf}',
        '"single" IN (CAST(0.1 AS FLOAT))': f'"single" IN ({tenth})',
        f'"year" IN ({2**53})': f'"year" IN ({long})',
        f'"year" > {2**53}': f'"year" > {long}',
        f"RTRIM({_quoted(KIND)}) IN ('a')": f"{_quoted(KIND)} IN ('a')",
    }.items():
        query = f"SELECT count(*) FROM cases WHERE COALESCE({plainer}, FALSE) <> COALESCE({exact}, FALSE)"
        assert duck.execute(query).fetchall()[0][0] > 0, plainer


# --- names and texts --------------------------------------------------------------------------------


def hostile(text: str) -> rh.segments.SegmentPolicy:
    """A policy in which everything that is named has this name."""
    hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]).named(text)
    other = rh.roc_hull([0, 1, 1, 0], [0.9, 0.8, 0.7, 0.1]).named(text)
    return rh.segments.SegmentPolicy.from_hulls(
        {text: hull, "b": other}, column=f"{text}k", elsewhere=other, salt=text
    )


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_names_decide_alike(number: int) -> None:
    text = HOSTILE[number]
    made = rh.segments.SegmentPolicy.from_json(hostile(text).to_json())
    kinds, keys = [text, "b", "c", None] * 20, list(range(80))
    scores = [0.9, 0.8, 0.7, 0.1, None] * 16
    condition = rh.NeymanPearson(0.3)
    cases = pl.DataFrame({text: scores, f"{text}k": kinds, "key": keys})
    expected = made.decide(cases, condition, aux=cases, key=keys)
    with duckdb.connect() as opened:
        opened.execute("CREATE TABLE t AS SELECT * FROM cases")
        query = f"SELECT {made.to_sql(condition, 'duckdb', key='key')} FROM t ORDER BY key"
        assert [row[0] for row in opened.execute(query).fetchall()] == expected.tolist()
        assert opened.execute("SELECT count(*) FROM t").fetchall() == [(80,)]
    assert 0 < expected.sum() < 80


@pytest.mark.crossed
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_nothing_but_one_expression_comes_out(number: int, dialect: str) -> None:
    text, made = HOSTILE[number], hostile(HOSTILE[number])
    condition = rh.NeymanPearson(0.3)
    columns = {text: "score", f"{text}k": ("t", "kind")}  # names of columns are refused elsewhere
    found = sqlglot.parse(made.to_sql(condition, dialect, key="key", columns=columns), read=dialect)
    assert len(found) == 1
    names = {column.name for column in found[0].find_all(exp.Column)}
    assert names == {"score", "kind", "key"}
    said = [_said(value) for value in found[0].find(exp.In).expressions]  # type: ignore[union-attr]
    assert said in (["b"], [text])


def _said(tree: exp.Expression) -> str:
    """What a literal says, codes included."""
    if isinstance(tree, exp.DPipe):
        return _said(tree.this) + _said(tree.expression)
    if isinstance(tree, exp.Concat):
        return "".join(map(_said, tree.expressions))
    if isinstance(tree, (exp.Chr, exp.Anonymous)):
        return chr(int(tree.expressions[0].this))
    assert isinstance(tree, exp.Literal), repr(tree)
    return str(tree.this)


def test_golden_text(table: pl.DataFrame) -> None:
    axes = (
        Axis("size", edges=(1.0, 2.5), missing=True),
        Axis("kind", categories=("web", "shop"), missing=False),
    )
    bins = Bins(axes, np.array([0, 0, 1, 1, 0, 1, 0, -1]), ("cheap", "dear"))
    hull = rh.roc_hull([0, 1, 1, 0], [9, 8, 7, 6])
    made = rh.segments.SegmentPolicy._of(hull, bins, segment_cases_tables(), "", None)
    pass_a = """COALESCE("a" >= 1 AND ROW(CAST("a" AS DOUBLE)) <= ROW(CAST('inf' AS DOUBLE)), FALSE)"""
    middle = rh.conditions.OperatingPoint(0, 0, ((made.hull.owners[1][0], 1.0),))
    assert made.to_sql(middle, "duckdb") == (
        """CASE WHEN ROW(CAST("size" AS DOUBLE)) < ROW(CAST('1.0' AS DOUBLE)) THEN CASE """
        f"""WHEN "kind" IN ('web', 'shop') THEN {pass_a} ELSE FALSE END """
        """WHEN ROW(CAST("size" AS DOUBLE)) < ROW(CAST('2.5' AS DOUBLE)) THEN CASE """
        """WHEN "kind" IN ('web', 'shop') THEN TRUE ELSE FALSE END """
        f"""WHEN ROW(CAST("size" AS DOUBLE)) <= ROW(CAST('inf' AS DOUBLE)) THEN CASE WHEN "kind" IN ('web') THEN {pass_a} """
        """WHEN "kind" IN ('shop') THEN TRUE ELSE FALSE END """
        f"""ELSE CASE WHEN "kind" IN ('web') THEN {pass_a} ELSE FALSE END END"""
    )
    always = rh.conditions.OperatingPoint(1, 1, ((rh.conditions.Rule("always"), 1.0),))
    assert made.to_sql(always, "duckdb") == "TRUE"
    half = rh.conditions.OperatingPoint(
        0, 0, ((made.hull.owners[0][0], 0.5), (made.hull.owners[1][0], 0.5)), "edge"
    )
    drawn = """CASE WHEN LEFT(MD5(':' || CAST("id" AS TEXT)), 8) < '80000000' THEN TRUE ELSE FALSE END"""
    assert drawn in made.to_sql(half, "duckdb", key="id")


def segment_cases_tables() -> list[Any]:
    from rochull.segments.rules import RuleTable

    never, always, rule = (
        rh.conditions.Rule("never"),
        rh.conditions.Rule("always"),
        rh.conditions.Rule("threshold", "a", 1),
    )
    tables = [([0, 1, 2], (never, rule, always)), ([0, 1], (never, always)), ([0, 2], (never, always))]
    return [RuleTable(np.array(first), rules) for first, rules in tables]


@pytest.mark.parametrize("share", [0.0, 2.0**-40, 1 - 2.0**-33, 1.0])
def test_shares_at_the_ends(duck: Any, table: pl.DataFrame, share: float) -> None:
    made = policy(2)
    a, b = (made.hull.owners[i][0] for i in (1, 2))
    point = rh.conditions.OperatingPoint(0, 0, ((a, 1 - share), (b, share)), "edge")
    query = f"SELECT {made.to_sql(point, 'duckdb', key='key')} FROM cases ORDER BY i"
    found = [row[0] for row in duck.execute(query).fetchall()]
    assert found == made.decide(table, point, aux=table, key=table["key"].to_numpy()).tolist()


# --- columns ----------------------------------------------------------------------------------------


def test_columns_may_be_called_otherwise(duck: Any, table: pl.DataFrame) -> None:
    hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    made = rh.segments.SegmentPolicy.from_hulls({0.1: hull, 0.5: hull}, column=0, elsewhere=hull)
    condition = rh.NeymanPearson(0.25)
    where = {"score": ("c", "a"), 0: ("c", "size")}
    text = made.to_sql(condition, "duckdb", key=("c", "key"), columns=where)
    found = [row[0] for row in duck.execute(f"SELECT {text} FROM cases AS c ORDER BY i").fetchall()]
    sizes = table["size"].to_numpy()
    expected = made.decide(table["a"].to_numpy(), condition, aux=sizes, key=table["key"].to_numpy())
    assert found == expected.tolist()
    with pytest.raises(ValueError, match="columns must say in which column the auxiliary feature 0 is"):
        made.to_sql(condition, "duckdb", key="key")
    with pytest.raises(ValueError, match="columns: 'x' is not a classifier or an auxiliary column"):
        made.to_sql(condition, "duckdb", key="key", columns={"x": "y", 0: "size"})
    with pytest.raises(ValueError, match=r"columns\[0\] must be the name of a column"):
        made.to_sql(condition, "duckdb", key="key", columns={0: 5})  # type: ignore[dict-item]
    refuses("dialect must be one of", made.to_sql, condition, "mysql", columns=where)


def test_what_sql_cannot_hold() -> None:
    hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    made = rh.segments.SegmentPolicy.from_hulls(
        {"a\0b": hull}, column="x", elsewhere=rh.roc_hull([0, 1], [1, 2])
    )
    with pytest.raises(ValueError, match="has a NUL character, which text in SQL cannot hold"):
        made.to_sql(rh.NeymanPearson(0.0), "duckdb")
    made = rh.segments.SegmentPolicy.from_hulls(
        {"a": hull}, column="a.b", elsewhere=rh.roc_hull([0, 1], [1, 2])
    )
    with pytest.raises(ValueError, match=r"the auxiliary column is 'a\.b', but no name in bigquery can hold"):
        made.to_sql(rh.NeymanPearson(0.0), "bigquery")
    refuses("key is needed: the decision is a mixture", made.to_sql, rh.NeymanPearson(0.25), "duckdb")
    assert "MD5" not in made.to_sql(rh.NeymanPearson(0.25), "duckdb", deterministic=True)


def test_a_number_is_no_text_in_sql(duck: Any) -> None:
    """Where the type of a column is not that of training the database refuses, as `decide` does."""
    hull, other = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]), rh.roc_hull([0, 1], [1, 2])
    made = rh.segments.SegmentPolicy.from_hulls({"u": hull}, column="x", elsewhere=other)
    text = made.to_sql(
        rh.MinimumRecall(0.5), "duckdb", columns={"x": "year", "score": "a"}, deterministic=True
    )
    with pytest.raises(duckdb.Error):
        duck.execute(f"SELECT {text} FROM cases").fetchall()
