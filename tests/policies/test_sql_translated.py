"""What SQL Server and Oracle are sent decides like `Policy.decide`, as DuckDB reads it: no server is at hand."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
import sqlglot
from hypothesis import given
from sqlglot import exp

import cascade_cases
import multiclass_cases
import rochull as rh
import segment_cases
from profiles import tries
from refusals import refuses
from rochull.dialects.registry import dialect_of
from rochull.dialects.truths import valued
from sql_cases import CONDITIONS, HOSTILE, THRESHOLDS, TRANSLATED, TYPES, near, passes, policy, rows, single
from sql_translated import in_duckdb, parsed

pytestmark = pytest.mark.filterwarnings("ignore:scores:UserWarning", "ignore:aux:UserWarning")
SMALLEST = 2.0**-1022


@pytest.fixture
def plain() -> rh.Policy:
    return rh.Policy.from_hull(rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]), salt="it's ß")


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


def asked(opened: Any, table: pl.DataFrame, kinds: Mapping[str, Any], text: str, dialect: str) -> list[Any]:
    """What DuckDB makes of an expression for another database; a value of each row."""
    opened.register("given", table)
    columns = ", ".join(
        f"CAST({exp.to_identifier(name, quoted=True).sql('duckdb')} AS {kind[0]}) AS "
        f"{exp.to_identifier(name, quoted=True).sql('duckdb')}"
        for name, kind in kinds.items()
    )
    query = f"SELECT {in_duckdb(text, dialect)} FROM (SELECT i, {columns} FROM given) AS t ORDER BY i"
    return [row[0] for row in opened.execute(query).fetchall()]


def held_by(dialect: str, table: pl.DataFrame) -> pl.DataFrame:
    """A table as a server holds it: SQL Server has neither NaN nor infinity."""
    if dialect == "oracle":
        return table
    return table.with_columns(
        pl.when(pl.col(name).is_finite()).then(pl.col(name))
        for name, kind in table.schema.items()
        if kind.is_float()
    )


@pytest.mark.parametrize("dialect", TRANSLATED)
@pytest.mark.parametrize("key", ["key", "name"])
def test_rows_are_decided_alike(connection: Any, dialect: str, key: str) -> None:
    made, table = policy(), held_by(dialect, rows(1500))
    for name, condition in CONDITIONS.items():
        if dialect == "tsql" and name == "denormal":
            refuses(
                "SQL Server cannot hold the number 5e-324: it has no infinity",
                made.to_sql,
                condition,
                dialect,
            )
            continue
        found = asked(connection, table, TYPES, made.to_sql(condition, dialect, key=key), dialect)
        expected = made.decide(table, condition, key=table[key].to_numpy())
        assert found == expected.astype(int).tolist(), name


@pytest.mark.parametrize("dialect", TRANSLATED)
@given(THRESHOLDS)
@tries(50)
def test_thresholds_of_any_size(dialect: str, threshold: float) -> None:
    if dialect == "tsql" and 0 < abs(threshold) < SMALLEST:
        return
    text = rh.Policy.from_hull(rh.roc_hull([1, 0], [1, 0])).to_sql(single("x", threshold), dialect)
    values = near(threshold)
    whole = [int(v) for v in values if math.isfinite(v)]
    ends = [None] if dialect == "tsql" else [math.nan, math.inf, -math.inf, None]
    doubles = [v for v in map(float, values) if dialect == "oracle" or math.isfinite(v)]
    columns: dict[str, list[Any]] = {
        "DOUBLE": [*doubles, *ends],
        "BIGINT": [v for v in whole if -(2**63) <= v < 2**63] + [None],
    }
    with duckdb.connect() as opened:
        for kind, cells in columns.items():
            listed = ", ".join("(NULL)" if v is None else f"('{v!r}')" for v in cells)
            query = f"SELECT {in_duckdb(text, dialect)} FROM (SELECT CAST(c AS {kind}) AS x FROM (VALUES {listed}) AS t(c))"
            found = [row[0] for row in opened.execute(query).fetchall()]
            assert found == [int(passes(v, threshold)) for v in cells], (kind, cells, text)


def test_golden_texts(plain: rh.Policy) -> None:
    rules = {
        "tsql": "CASE WHEN [score] >= CAST('0.7' AS FLOAT) AND [score] IS NOT NULL THEN 1 ELSE 0 END",
        "oracle": 'CASE WHEN "score" >= 0.7d AND "score" <= BINARY_DOUBLE_INFINITY THEN 1 ELSE 0 END',
    }
    hashes = {
        "tsql": "SUBSTRING(HASHBYTES('MD5', CAST((N'it' + CHAR(39) + N's ß:' + CAST([id] AS NVARCHAR(MAX))) "
        "COLLATE Latin1_General_100_CI_AS_SC_UTF8 AS VARCHAR(MAX))), 1, 4) < 0x80000000",
        "oracle": "UTL_RAW.SUBSTR(STANDARD_HASH(UTL_I18N.STRING_TO_RAW('it' || CHR(39) || UNISTR('s \\00DF:') || "
        "TO_NCHAR(\"id\"), 'AL32UTF8'), 'MD5'), 1, 4) < HEXTORAW('80000000')",
    }
    for dialect, text in rules.items():
        assert plain.to_sql(rh.ExpectedCost(cost_fn=5, prevalence=0.5), dialect) == text
        half = plain.to_sql(rh.NeymanPearson(0.25), dialect, key="id")
        assert half == f"CASE WHEN {hashes[dialect]} THEN {text} ELSE {text.replace('0.7', '0.9')} END"
        for word in ("never", "always"):
            point = rh.conditions.OperatingPoint(0, 0, ((rh.conditions.Rule(word), 1.0),))  # type: ignore[arg-type]
            assert plain.to_sql(point, dialect) == str(int(word == "always"))
    assert plain.to_sql(single("x", -math.inf), "sqlserver") == "CASE WHEN [x] IS NOT NULL THEN 1 ELSE 0 END"
    assert plain.to_sql(single("x", math.inf), "sqlserver") == "0"


@pytest.mark.parametrize("dialect", TRANSLATED)
@pytest.mark.parametrize("hostile", HOSTILE)
def test_names_and_salts_cannot_inject(connection: Any, dialect: str, hostile: str) -> None:
    hull, condition = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]), rh.NeymanPearson(0.25)
    made = rh.Policy.from_hull(hull.named(hostile), salt=hostile)
    columns, key = {}, f"{hostile}k"
    if dialect == "oracle" and '"' in hostile:
        refuses("but no name in oracle can hold", made.to_sql, condition, dialect, key="id")
        columns, key = {hostile: "score"}, "id"
    text = made.to_sql(condition, dialect, key=key, columns=columns)
    tree = parsed(text, dialect)
    assert {column.name for column in tree.find_all(exp.Column)} - {"BINARY_DOUBLE_INFINITY"} == {
        columns.get(hostile, hostile), key
    }  # fmt: skip
    said = [str(node.this) for node in tree.find_all(exp.Literal, exp.National) if not node.is_number]
    assert not any(sign in each for each in said for sign in "'\"`\t\r\n")
    cases = pl.DataFrame({"i": range(200), key: [f"{hostile} {i}" for i in range(200)]})
    cases = cases.with_columns(pl.lit(0.8).alias(columns.get(hostile, hostile)))
    kinds = {key: ["VARCHAR"], columns.get(hostile, hostile): ["DOUBLE"]}
    expected = made.decide({hostile: np.full(200, 0.8)}, condition, key=cases[key].to_list())
    assert asked(connection, cases, kinds, text, dialect) == expected.astype(int).tolist()
    assert 20 < expected.sum() < 180


# --- policies of other kinds ------------------------------------------------------------------------


def refused(made: rh.segments.SegmentPolicy, dialect: str) -> bool:
    """Whether a category is what a database has not."""
    known = [c for axis in made.bins.axes for c in axis.categories or ()]
    return ("" in known) if dialect == "oracle" else (math.inf in known)


@pytest.mark.parametrize("dialect", TRANSLATED)
@pytest.mark.parametrize("seed", range(4))
def test_segments_are_decided_alike(connection: Any, dialect: str, seed: int) -> None:
    kind = segment_cases.KIND
    table = held_by(dialect, segment_cases.rows(800, seed=1))
    table = table.with_columns(pl.col(kind).replace("", None))  # which Oracle cannot tell apart
    kinds = {"kind" if name == kind else name: of for name, of in segment_cases.TYPES.items()}
    kinds["flag"] = ("TINYINT", "")
    rng, compared = np.random.default_rng(seed), 0
    for _ in range(6):
        names = rng.choice([*segment_cases.AXES], 2, replace=False).tolist()
        made = segment_cases.policy(int(rng.integers(1000)), names, ["a", "b"])
        if refused(made, dialect):
            continue
        columns = {kind: "kind"} if kind in names else None
        for point in segment_cases.points(made)[:3]:
            text = made.to_sql(point, dialect, key="key", columns=columns)
            found = asked(connection, table.rename({kind: "kind"}), kinds, text, dialect)
            expected = made.decide(table, point, aux=table, key=table["key"].to_numpy())
            assert found == expected.astype(int).tolist()
            compared += 1
    assert compared


@pytest.mark.parametrize("dialect", TRANSLATED)
def test_categories_are_told_apart_by_every_character(dialect: str) -> None:
    hull, other = rh.roc_hull([1, 0], [0.9, 0.1]), rh.roc_hull([0, 1], [1, 2])
    made = rh.segments.SegmentPolicy.from_hulls({"a": hull, "ß'": hull}, column="kind", elsewhere=other)
    text = made.to_sql(rh.MinimumRecall(1.0), dialect)
    test = {
        "tsql": "([kind] + N'.') COLLATE Latin1_General_100_BIN2 IN (N'a.', N'ß' + CHAR(39) + N'.')",
        "oracle": "UTL_I18N.STRING_TO_RAW(\"kind\", 'AL32UTF8') IN (HEXTORAW('61'), HEXTORAW('c39f27'))",
    }
    assert text.startswith(f"CASE WHEN {test[dialect]} THEN CASE WHEN")
    made = rh.segments.SegmentPolicy.from_hulls({"": hull}, column="kind", elsewhere=other)
    of_numbers = rh.segments.SegmentPolicy.from_hulls({math.inf: hull}, column="kind", elsewhere=other)
    if dialect == "tsql":
        refuses("cannot hold the number inf", of_numbers.to_sql, rh.MinimumRecall(1.0), dialect)
    else:
        refuses("is the empty text, which Oracle takes for NULL", made.to_sql, rh.MinimumRecall(1.0), dialect)


@pytest.mark.parametrize("dialect", TRANSLATED)
def test_cascades_and_reviews(connection: Any, plain: rh.Policy, dialect: str) -> None:
    made = cascade_cases.policy(7, stages=3)
    scores, _ = cascade_cases.scored(8, 500, stages=3)
    table = pl.DataFrame({"i": range(500), "id": range(500), **scores})
    kinds = {"id": ["BIGINT"], **dict.fromkeys(scores, ("DOUBLE",))}
    budget = 0.9 * sum(made.at(cascade_cases.COST).calls.values()) - 0.9
    for options in ({}, {"max_calls": budget}):
        text = made.to_sql(cascade_cases.COST, dialect, key="id", **options)
        expected = made.decide({**scores, "id": range(500)}, cascade_cases.COST, key="id", **options)
        assert asked(connection, table, kinds, text, dialect) == expected.astype(int).tolist()
    review = rh.Review(1, 1, 0.1, prevalence=0.5)
    text = plain.to_sql(review, dialect, key="id")
    table = pl.DataFrame({"i": range(5), "id": range(5), "score": [0.95, 0.8, 0.7, 0.05, None]})
    expected = plain.decide(table, review, key="id")
    found = asked(connection, table, {"id": ["BIGINT"], "score": ["DOUBLE"]}, text, dialect)
    assert found == expected.tolist()
    assert set(found) == {"positive", "review", "negative"}


@pytest.mark.parametrize("weights", multiclass_cases.WEIGHTS)
def test_several_classes(connection: Any, weights: list[float]) -> None:
    """Oracle has all doubles; SQL Server has not, so that products are not written."""
    made, outputs = multiclass_cases.policy(), multiclass_cases.outputs(2000)
    table = pl.DataFrame({"i": range(2000), **{name: outputs[:, c] for c, name in enumerate(made.classes)}})
    kinds = dict.fromkeys(made.classes, ("DOUBLE",))
    expected = made.decide(outputs, weights).tolist()
    assert asked(connection, table, kinds, made.to_sql(weights, "oracle"), "oracle") == expected
    if set(weights) <= {0, 1}:
        assert asked(connection, table, kinds, made.to_sql(weights, "tsql"), "tsql") == expected
    else:
        refuses("weights other than 0 and 1 are not written for SQL Server", made.to_sql, weights, "tsql")


def test_a_page_of_several_classes_says_why_there_is_no_sql() -> None:
    points = rh.MulticlassRoc(["no", "yes"], [[0.7, 0.3], [0.6, 0.4]]).points_at([[1, 1.5]])
    sql = rh.report.MulticlassReport(points).facts["deploy"]["sql"]
    assert "weights other than 0 and 1 are not written for SQL Server" in sql["tsql"]["unavailable"]
    assert sql["oracle"]["products"]


def test_no_more_cases_are_nested_than_the_server_takes() -> None:
    spoken = dialect_of("tsql")
    tree: exp.Expression = exp.Boolean(this=True)
    for depth in range(1, 12):
        test = exp.LT(this=exp.column("x"), expression=exp.Literal.number(depth))
        tree = exp.Case(ifs=[exp.If(this=test, true=tree)], default=exp.Boolean(this=False))
        if depth <= 10:
            assert spoken.text(tree).count("CASE") == depth
    refuses("the decision has 11 CASE inside of each other, but SQL Server takes 10", spoken.text, tree)


def test_tests_become_values_only_where_a_value_is_asked_for() -> None:
    for given_, expected in {
        "TRUE": "1",
        "CASE WHEN TRUE THEN FALSE ELSE a < 1 END": "CASE WHEN 1 = 1 THEN 0 ELSE CASE WHEN a < 1 THEN 1 ELSE 0 END END",
        "CASE WHEN CASE WHEN a < 1 THEN TRUE END THEN 'x' END": (
            "CASE WHEN CASE WHEN a < 1 THEN 1 END = 1 THEN 'x' END"
        ),
        "a IN (TRUE) AND (b = 1 OR FALSE)": "CASE WHEN a IN (1) AND (b = 1 OR 1 = 0) THEN 1 ELSE 0 END",
        "COALESCE(a, 0)": "COALESCE(a, 0)",
    }.items():
        assert valued(sqlglot.parse_one(given_)).sql() == expected
