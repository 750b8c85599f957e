"""SQL decides like `MulticlassPolicy.decide`: row by row in DuckDB, and as text in all dialects."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

import rochull as rh
from multiclass_cases import EDGES, LABELS, WEIGHTS, by_hand, mixture, outputs, policy
from profiles import tries
from refusals import refuses
from rochull.decisions.products import last_output
from sql_cases import DIALECTS, HOSTILE, SALT, in_duckdb


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


def frame(rows: np.ndarray, labels: Any) -> pl.DataFrame:
    columns = {"i": np.arange(len(rows)), **{str(label): rows[:, c] for c, label in enumerate(labels)}}
    return pl.DataFrame({**columns, "key": [f"case {i}" for i in range(len(rows))]})


def asked(opened: Any, text: str, table: pl.DataFrame) -> list[Any]:
    opened.register("cases", table.to_arrow())
    return [row[0] for row in opened.execute(f"SELECT {text} FROM cases ORDER BY i").fetchall()]


# --- row by row -------------------------------------------------------------------------------------


@pytest.mark.crossed
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_rows_with_ties_and_ends_of_doubles(connection: Any, weights: list[float], dialect: str) -> None:
    made, rows = policy(), outputs(20_000)
    text = in_duckdb(made.to_sql(weights, dialect), dialect)
    found = asked(connection, text, frame(rows, made.classes))
    assert found == made.decide(rows, weights).tolist()


def test_objectives_and_mixtures(connection: Any) -> None:
    made, rows = policy(), outputs(20_000)
    table = frame(rows, made.classes)
    for condition in (
        "max_error",
        rh.multiclass.Error("bus"),
        made.points[3],
        mixture(made, [0.2, 0.3, 0.5]),
    ):
        text = made.to_sql(condition, "duckdb", key="key")
        expected = made.decide(rows, condition, key=table["key"].to_numpy()).tolist()
        assert asked(connection, text, table) == expected
        assert len(set(expected)) > 1
    with_rare = mixture(made, [2.0**-60, 1 - 2.0**-60])  # no hash belongs to the first
    assert "MD5" not in made.to_sql(with_rare, "duckdb")


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_every_type(connection: Any, kind: str) -> None:
    made = policy(LABELS[kind])
    size = len(made.classes)
    rows = np.vstack([outputs(500, 3, size), np.eye(size)])
    columns = {label: f"c{c}" for c, label in enumerate(made.classes)}
    table = frame(rows, columns.values())
    found = asked(connection, made.to_sql([1.0] * size, "duckdb", columns=columns), table)
    assert found == made.decide(rows, [1.0] * size).tolist()
    assert set(found) == set(made.classes)


ONE = duckdb.connect()  # for all hypothesis' examples
UNUSABLE = [None, math.nan, math.inf, -math.inf, -5e-324, -1.0]


@given(
    st.lists(st.one_of(st.sampled_from(EDGES), st.floats(0, 2)), min_size=3, max_size=3).filter(any),
    st.lists(
        st.lists(
            st.one_of(st.sampled_from([*EDGES, *UNUSABLE, -0.0]), st.floats(0, 1)), min_size=3, max_size=3
        ),
        min_size=1,
        max_size=10,
    ),
    st.sampled_from(DIALECTS),
)
@tries(60)
def test_decides_as_by_hand_and_null_where_decide_refuses(
    weights: list[float], rows: list[list[Any]], dialect: str
) -> None:
    made = policy()
    text = in_duckdb(made.to_sql(weights, dialect), dialect)
    table = pl.DataFrame(
        {name: [row[c] for row in rows] for c, name in enumerate(made.classes)}, strict=False
    )
    table = table.select(pl.all().cast(pl.Float64)).with_row_index("i")
    found = asked(ONE, text, table)
    assert found == [by_hand(made.classes, weights, row) for row in rows]
    for row, label in zip(rows, found, strict=True):
        if label is None:
            refuses("outputs has", made.decide, [[math.nan if y is None else y for y in row]], weights)


def test_columns_of_any_type_of_number(connection: Any) -> None:
    made, rng = policy(), np.random.default_rng(0)
    kinds = ["FLOAT", "DOUBLE", "BIGINT", "UTINYINT", "DECIMAL(9, 3)", "UBIGINT"]
    for kind in kinds:
        if kind in ("FLOAT", "DOUBLE", "DECIMAL(9, 3)"):
            rows = rng.random((500, 3)).round(3)
        else:
            rows = rng.integers(0, 2**8 if "TINY" in kind else 2**60, (500, 3))
        held = np.float32(rows) if kind == "FLOAT" else rows
        connection.register("raw", frame(rows, made.classes).to_arrow())
        cast = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name in made.classes)
        text = made.to_sql([0.3, 0.31, 0.29], "duckdb")
        query = f"SELECT {text} FROM (SELECT i, {cast} FROM raw) ORDER BY i"
        found = [row[0] for row in connection.execute(query).fetchall()]
        assert found == made.decide(held, [0.3, 0.31, 0.29]).tolist()


def test_a_null_key_is_decided_by_the_first_rule(connection: Any) -> None:
    made, rows = policy(), outputs(300)
    point = mixture(made, [0.1, 0.9])
    table = frame(rows, made.classes).with_columns(key=pl.lit(None, pl.String))
    found = asked(connection, made.to_sql(point, "duckdb", key="key"), table)
    assert found == made.decide(rows, made.points[0]).tolist()
    assert found != made.decide(rows, made.points[1]).tolist()


@given(st.floats(5e-324, 1.7e308), st.sampled_from([0.0, math.nextafter(math.inf, 0)]))
@tries(100)
def test_the_last_output_before_a_product_leaves_the_doubles(weight: float, product: float) -> None:
    last = last_output(weight, product)
    assert weight * last <= product
    if last < math.nextafter(math.inf, 0):
        assert weight * math.nextafter(last, math.inf) > product


# --- the text ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_reads_what_is_written(dialect: str) -> None:
    made = policy(("plain", *LABELS["hostile"][4:10]))
    columns = {label: (label, "t") for label in made.classes} if dialect == "duckdb" else None
    columns = columns or {label: f"c{c}" for c, label in enumerate(made.classes)}
    text = made.to_sql(mixture(made, [0.5, 0.5]), dialect, key="k", columns=columns)
    tree = sqlglot.parse_one(text, dialect=dialect)
    assert isinstance(tree, exp.Case)
    assert tree.sql(dialect=dialect) == text
    names = {column.name for column in tree.find_all(exp.Column)}
    assert names == {"k", *(place if isinstance(place, str) else place[-1] for place in columns.values())}


def test_text_is_as_it_was() -> None:
    made = policy(("a", "b"))
    usable = " AND ".join(
        f"ROW(CAST(\"{c}\" AS DOUBLE)) BETWEEN ROW(CAST('0.0' AS DOUBLE)) "
        "AND ROW(CAST('1.7976931348623157e+308' AS DOUBLE))"
        for c in "ab"
    )
    product = "CAST('0.5' AS DOUBLE) * CAST(\"b\" AS DOUBLE)"
    decision = f"CASE WHEN CAST(\"a\" AS DOUBLE) >= {product} THEN 'a' ELSE 'b' END"
    assert made.to_sql([1, 0.5], "duckdb") == f"CASE WHEN {usable} THEN {decision} END"
    assert made.to_sql([1, 0.5], "postgresql") == made.to_sql([1, 0.5], "postgres")


@pytest.mark.parametrize("hostile", [text for text in HOSTILE if "." not in text])
def test_hostile_names_are_names_and_hostile_labels_are_data(connection: Any, hostile: str) -> None:
    labels = (hostile, "other")
    made = policy(labels, salt=hostile)
    rows = outputs(50, 5, 2)
    table = pl.DataFrame({"i": np.arange(50), hostile: rows[:, 0], "other": rows[:, 1], "k": np.arange(50)})
    point = mixture(made, [0.5, 0.5])
    found = asked(connection, made.to_sql(point, "duckdb", key="k"), table)
    assert found == made.decide(rows, point, key=np.arange(50)).tolist()


# --- bad input --------------------------------------------------------------------------------------


def test_what_cannot_be_written() -> None:
    made = policy()
    refuses("dialect must be one of", made.to_sql, [1, 1, 1], "mysql")
    with pytest.raises(ValueError, match="key is needed: the decision is a mixture of weight vectors"):
        made.to_sql(mixture(made, [0.5, 0.5]), "duckdb")
    refuses("columns: 'tram' is not a class", made.to_sql, [1, 1, 1], "duckdb", columns={"tram": "t"})
    with pytest.raises(ValueError, match="the classes 'van' and 'bus' have the same column 'x'"):
        made.to_sql([1, 1, 1], "duckdb", columns={"van": "x", "bus": "x"})
    with pytest.raises(ValueError, match=r"columns\['van'\] must be the name of a column"):
        made.to_sql([1, 1, 1], "duckdb", columns={"van": ("a", "b", "c")})  # type: ignore[dict-item]
    refuses(r"classes are of several types \(int, str\)", policy(("a", 1)).to_sql, [1, 1], "duckdb")
    refuses("NUL character", policy(("a\0b", "b")).to_sql, [1, 1], "duckdb", columns={"a\0b": "a"})
    dull = policy(("a", "b"), salt="\0")
    refuses("NUL character", dull.to_sql, mixture(dull, [0.5, 0.5]), "duckdb", key="k")
    assert SALT  # the salts of all other tests here are hostile
