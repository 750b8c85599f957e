"""SQL decides like `Policy.decide`: row by row in DuckDB, and as text in all dialects."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
import sqlglot
from hypothesis import example, given
from hypothesis import strategies as st
from sqlglot import exp

import rochull as rh
from profiles import tries
from rochull.dialects.base import slot
from rochull.dialects.registry import dialects, names
from sql_cases import (
    CONDITIONS,
    DIALECTS,
    FLOATS,
    HOSTILE,
    INTEGERS,
    SALT,
    THRESHOLDS,
    TYPES,
    decided,
    differences,
    mixture,
    near,
    packed_sql,
    passes,
    policy,
    rows,
    rule,
    single,
)


@pytest.fixture
def plain() -> rh.Policy:
    return rh.Policy.from_hull(rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]), salt="2026-11")


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


# --- row by row -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def million() -> Iterator[tuple[duckdb.DuckDBPyConnection, pl.DataFrame]]:
    made = rows(1_000_000)
    with duckdb.connect() as opened:
        columns = ", ".join(f'CAST("{name}" AS {kinds[0]}) AS "{name}"' for name, kinds in TYPES.items())
        opened.execute(f"CREATE TABLE million AS SELECT i, {columns} FROM made")
        yield opened, made


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:scores:UserWarning")  # the missing values are meant
def test_a_million_rows_in_duckdb(million: Any) -> None:
    opened, table = million
    made = policy()
    expected = decided(made, table, "key")
    query = f"SELECT {packed_sql(made, 'duckdb', 'key')} AS packed FROM million ORDER BY i"
    found = opened.execute(query).fetchnumpy()["packed"]
    assert not np.ma.is_masked(found)  # never NULL
    assert differences(np.asarray(found), expected) == {}
    calls = np.array([np.count_nonzero((expected >> bit) & 1) for bit in range(len(CONDITIONS))])
    names = np.array(list(CONDITIONS))
    assert set(names[calls == 0]) == {"unsigned, an end"}
    assert np.all(calls < len(table))


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:scores:UserWarning")
def test_keys_that_are_text(million: Any) -> None:
    opened, table = million
    some = table.head(50_000)
    for salt in ("", SALT):
        made = policy(salt)
        query = (
            f"SELECT {packed_sql(made, 'duckdb', 'name')} AS packed FROM million WHERE i < 50000 ORDER BY i"
        )
        found = np.asarray(opened.execute(query).fetchnumpy()["packed"])
        assert differences(found, decided(made, some, "name")) == {}


def test_rows_that_tell_wrong_expressions_apart(million: Any) -> None:
    """What a plainer expression gets wrong occurs in the rows, so that the tests above can fail."""
    opened, _ = million
    wrong = {
        '"double" >= 0.1': """CAST('0.1' AS DOUBLE) <= "double" AND "double" <= CAST('inf' AS DOUBLE)""",
        '"single" >= CAST(0.1 AS FLOAT)': """"single" >= CAST('0.1' AS DOUBLE) AND "single" <= 'inf'""",
        f'"whole" >= {2.0**62 - 512!r}': f'"whole" >= {2**62 - 512}',
        f'"single" >= {2**24 + 1}': f""""single" >= CAST('{2**24 + 1}' AS DOUBLE)""",
    }
    for short, exact in wrong.items():
        count = f"SELECT count(*) FROM million WHERE COALESCE({short}, FALSE) <> COALESCE({exact}, FALSE)"
        assert opened.execute(count).fetchall()[0][0] > 0, short


@example(float(-(2**53)), [-(2**53) - 1])
@example(2**53 + 1, [2**53])
@given(THRESHOLDS, st.lists(st.one_of(INTEGERS, FLOATS), max_size=5))
@tries(100)
def test_thresholds_of_any_size_on_columns_of_any_type(threshold: float, others: list[float]) -> None:
    text = rh.Policy.from_hull(rh.roc_hull([1, 0], [1, 0])).to_sql(single("x", threshold), "duckdb")
    values = [*near(threshold), *others]
    whole = [int(v) for v in values if math.isfinite(v)]
    with np.errstate(all="ignore"):
        singles = [float(np.float32(v)) for v in values]
    doubles = [float(v) for v in values] + [math.nan, math.inf, -math.inf, None]
    columns: dict[str, list[Any]] = {
        "DOUBLE": doubles,
        "FLOAT": [*singles, math.nan, None],
        "BIGINT": [v for v in whole if -(2**63) <= v < 2**63] + [-(2**63), 2**63 - 1, None],
        "UBIGINT": [v for v in whole if 0 <= v < 2**64] + [2**64 - 1, 2**63, None],
        "INTEGER": [v for v in whole if -(2**31) <= v < 2**31] + [None],
        "TINYINT": [v for v in whole if -128 <= v < 128] + [None],
        "HUGEINT": [v for v in whole if -(2**63) <= v < 2**64] + [None],
    }
    with duckdb.connect() as opened:
        for kind, cells in columns.items():
            listed = ", ".join("(NULL)" if v is None else f"('{v!r}')" for v in cells)
            query = f"SELECT {text} FROM (SELECT CAST(c AS {kind}) AS x FROM (VALUES {listed}) AS t(c))"
            found = [row[0] for row in opened.execute(query).fetchall()]
            assert found == [passes(v, threshold) for v in cells], (kind, cells, text)


def test_a_missing_key_is_decided_by_the_left_rule(plain: rh.Policy, connection: Any) -> None:
    text = plain.to_sql(rh.NeymanPearson(0.49), "duckdb", key="id")
    query = f"SELECT {text} FROM (VALUES (NULL, 0.95), (NULL, 0.8), (NULL, NULL)) AS t(id, score)"
    assert connection.execute(query).fetchall() == [(True,), (False,), (False,)]


@pytest.mark.parametrize("share", [0.0, 2.0**-40, 0.5, 1 - 2.0**-33, 1 - 2.0**-32, 1.0])
def test_shares_at_the_ends(plain: rh.Policy, connection: Any, share: float) -> None:
    point = mixture(rh.conditions.Rule("never"), rh.conditions.Rule("always"), share)
    keys = np.arange(2000)
    text = plain.to_sql(point, "duckdb", key="range")
    found = [row[0] for row in connection.execute(f"SELECT {text} FROM range(2000)").fetchall()]
    assert found == plain.decide({"score": keys}, point, key=keys).tolist()


# --- texts ------------------------------------------------------------------------------------------


GOLDEN = {
    "duckdb": (
        """COALESCE("score" >= CAST('0.7' AS DOUBLE) AND ROW(CAST("score" AS DOUBLE)) <= ROW(CAST('inf' AS DOUBLE)), FALSE)""",
        """CASE WHEN LEFT(MD5('2026-11:' || CAST("id" AS TEXT)), 8) < '80000000' THEN """,
    ),
    "spark": (
        """COALESCE(`score` >= CAST('0.7' AS DOUBLE) AND `score` <= CAST('inf' AS DOUBLE), FALSE)""",
        """CASE WHEN LEFT(MD5('2026-11:' || CAST(`id` AS STRING)), 8) < '80000000' THEN """,
    ),
    "postgres": (
        """COALESCE("score" >= CAST('0.7' AS DOUBLE PRECISION) """
        """AND "score" <= CAST('inf' AS DOUBLE PRECISION), FALSE)""",
        """CASE WHEN LEFT(MD5(CONVERT_TO('2026-11:' || CAST("id" AS TEXT), 'UTF8')), 8) """
        """COLLATE "C" < '80000000' THEN """,
    ),
    "bigquery": (
        """COALESCE(`score` >= CAST('0.7' AS FLOAT64) AND `score` <= CAST('inf' AS FLOAT64), FALSE)""",
        """CASE WHEN LEFT(TO_HEX(MD5('2026-11:' || CAST(`id` AS STRING))), 8) < '80000000' THEN """,
    ),
    "snowflake": (
        """COALESCE("score" >= CAST('0.7' AS DOUBLE) AND "score" <= CAST('inf' AS DOUBLE), FALSE)""",
        """CASE WHEN LEFT(MD5('2026-11:' || CAST("id" AS VARCHAR)), 8) < '80000000' THEN """,
    ),
}
GOLDEN["databricks"] = GOLDEN["spark"]
GOLDEN["redshift"] = (
    GOLDEN["postgres"][0],
    """CASE WHEN LEFT(MD5('2026-11:' || CAST("id" AS VARCHAR(MAX))), 8) < '80000000' THEN """,
)


@pytest.mark.parametrize("dialect", GOLDEN)
def test_golden_texts(plain: rh.Policy, dialect: str) -> None:
    rule_text, hashed = GOLDEN[dialect]
    assert plain.to_sql(rh.ExpectedCost(cost_fn=5, prevalence=0.5), dialect) == rule_text
    half = plain.to_sql(rh.NeymanPearson(0.25), dialect, key="id")
    assert half == f"{hashed}{rule_text} ELSE {rule_text.replace('0.7', '0.9')} END"
    assert plain.to_sql(rh.NeymanPearson(0.25), dialect, deterministic=True) == rule_text.replace(
        "0.7", "0.9"
    )
    assert plain.to_sql(rh.NeymanPearson(0.0), dialect) == rule_text.replace("0.7", "0.9")
    assert plain.to_sql(rh.NeymanPearson(1.0), dialect) == rule_text
    for word in ("never", "always"):
        assert plain.to_sql(
            rh.conditions.OperatingPoint(0, 0, ((rh.conditions.Rule(word), 1.0),)), dialect
        ) == (  # type: ignore[arg-type]
            "TRUE" if word == "always" else "FALSE"
        )
    infinite = plain.to_sql(single("score", -math.inf), dialect)
    assert infinite == rule_text.replace("'0.7'", "'-inf'")
    assert plain.to_sql(single("score", 620), dialect).startswith(
        rule_text[: rule_text.index("CAST")] + "620 "
    )


def test_golden_texts_beyond_doubles(plain: rh.Policy) -> None:
    point = single("x", 2**63 + 1)
    assert plain.to_sql(point, "postgres") == (
        'COALESCE("x" >= 9223372036854775809 AND ("x" > 9223372036854775808 '
        """OR "x" > CAST('9.223372036854776e+18' AS DOUBLE PRECISION)) """
        """AND "x" <= CAST('inf' AS DOUBLE PRECISION), FALSE)"""
    )
    assert plain.to_sql(point, "bigquery") == (
        "COALESCE(`x` >= CAST('9223372036854775809' AS NUMERIC) AND "
        "(`x` > CAST('9223372036854775808' AS NUMERIC) OR `x` > CAST('9.223372036854776e+18' AS FLOAT64)) "
        "AND `x` <= CAST('inf' AS FLOAT64), FALSE)"
    )


def test_names_of_dialects(plain: rh.Policy) -> None:
    condition = rh.ExpectedCost(cost_fn=5, prevalence=0.5)
    assert plain.to_sql(condition, "PostgreSQL") == plain.to_sql(condition, "postgres")
    for wrong in ("no_such", "", None, 5):
        with pytest.raises(
            ValueError, match="dialect must be one of 'duckdb', 'spark', 'postgres', 'bigquery'"
        ):
            plain.to_sql(condition, wrong)  # type: ignore[arg-type]


def test_columns_of_a_table(plain: rh.Policy) -> None:
    text = plain.to_sql(
        rh.NeymanPearson(0.25), "duckdb", key=("cases", "id"), columns={"score": ("cases", "Score 1")}
    )
    assert text.count('"cases"."Score 1"') == 4
    assert text.count('"cases"."id"') == 1


def texts_of(tree: exp.Expression) -> list[str]:
    """What the literals of a text say, codes included, from left to right."""
    found = []
    for node in tree.walk(bfs=False):
        if isinstance(node, exp.Literal) and node.is_string:
            found.append(str(node.this))
        if isinstance(node, exp.Chr):
            found.append(chr(int(node.expressions[0].this)))
    return found


@pytest.mark.crossed
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("hostile", HOSTILE)
def test_names_and_salts_cannot_inject(dialect: str, hostile: str) -> None:
    """Read back, the text has the form that it always has, with the name and the salt as they were."""
    made = rh.Policy.from_hull(rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]).named(hostile), salt=hostile)
    if any(sign in hostile for sign in dialects()[dialect].refused_in_names):
        with pytest.raises(
            ValueError, match=rf"the rule's classifier is .*, but no name in {dialect} can hold"
        ):
            made.to_sql(rh.NeymanPearson(0), dialect)
        with pytest.raises(ValueError, match=rf"key is .*, but no name in {dialect} can hold"):
            made.to_sql(rh.NeymanPearson(0.25), dialect, key=hostile, columns={hostile: "score"})
        text = made.to_sql(rh.NeymanPearson(0.25), dialect, key="id", columns={hostile: "score"})
        assert "${" not in text
        assert "\\" not in text
        return
    text = made.to_sql(rh.NeymanPearson(0.25), dialect, key=(f"{hostile}t", f"{hostile}k"))
    usual = rh.Policy.from_hull(rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    (tree,) = sqlglot.parse(text, read=dialect)
    (model,) = sqlglot.parse(usual.to_sql(rh.NeymanPearson(0.25), dialect, key=("t", "k")), read=dialect)
    assert tree is not None
    assert model is not None
    names = [[(str(c.this.this), c.table) for c in t.find_all(exp.Column)] for t in (tree, model)]
    assert names[0] == [
        (hostile, "") if name == "score" else (f"{hostile}k", f"{hostile}t") for name, _ in names[1]
    ]
    assert f"{hostile}:" in "".join(texts_of(tree))
    literals = [str(node.this) for node in tree.find_all(exp.Literal) if node.is_string]
    assert not any(sign in literal for literal in literals for sign in "'\"`\\\n\t\r")
    for column in [*tree.find_all(exp.Column)]:  # all else is the same
        column.replace(exp.column("k" if column.table else "score"))
    for column in [*model.find_all(exp.Column)]:
        column.replace(exp.column("k" if column.table else "score"))
    for hashed in (tree, model):
        next(node for node in hashed.find_all(exp.MD5, exp.MD5Digest)).replace(exp.column("hash"))
    assert tree.sql() == model.sql()


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_names_and_salts_decide_alike_in_duckdb(hostile: str, connection: Any) -> None:
    made = rh.Policy.from_hull(rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]).named(hostile), salt=hostile)
    condition = rh.NeymanPearson(0.25)
    name, key = (exp.to_identifier(text, quoted=True).sql("duckdb") for text in (hostile, f"{hostile}k"))
    connection.execute(f"CREATE TABLE t ({name} DOUBLE, {key} TEXT)")
    keys = [f"{hostile} {i}" for i in range(200)]
    connection.executemany("INSERT INTO t VALUES (?, ?)", [(0.8, k) for k in keys])
    text = made.to_sql(condition, "duckdb", key=f"{hostile}k")
    found = [row[0] for row in connection.execute(f"SELECT {text} FROM t").fetchall()]
    assert found == made.decide({hostile: np.full(200, 0.8)}, condition, key=keys).tolist()
    assert connection.execute("SELECT count(*) FROM t").fetchall() == [(200,)]


# --- what is refused --------------------------------------------------------------------------------


def test_a_mixture_needs_a_key(plain: rh.Policy) -> None:
    with pytest.raises(
        ValueError, match=r"key is needed: the decision is a mixture \(score >= 0\.9.*deterministic"
    ):
        plain.to_sql(rh.NeymanPearson(0.25), "duckdb")


def test_a_capacity_in_cases_is_no_expression(plain: rh.Policy) -> None:
    condition = rh.Capacity(cases=5, population=20, prevalence=0.5)
    with pytest.raises(
        ValueError, match="condition: a capacity of so many cases is kept by a batch as a whole"
    ):
        plain.to_sql(condition, "duckdb", key="id")
    by_rates = plain.to_sql(plain.at(condition), "duckdb", key="id")
    fraction = rh.Capacity(fraction=0.25, prevalence=0.5)
    assert by_rates == plain.to_sql(fraction, "duckdb", key="id")


@pytest.mark.parametrize("name", ["", "a\0b", 5, None, ("t",), ("t", ""), ("a", "b", "c"), ["t", "c"]])
def test_names_that_are_refused(plain: rh.Policy, name: Any) -> None:
    condition = rh.NeymanPearson(0.25)
    if name == ("t",):
        assert '"t" >=' in plain.to_sql(condition, "duckdb", key="id", columns={"score": name})
        return
    with pytest.raises(
        ValueError, match=r"columns\['score'\] must be the name of a column, or \(table, column\)"
    ):
        plain.to_sql(condition, "duckdb", key="id", columns={"score": name})
    if name is not None:
        for any_condition in (condition, rh.ExpectedCost(prevalence=0.5)):
            with pytest.raises(ValueError, match=r"key must be the name of a column, or \(table, column\)"):
                plain.to_sql(any_condition, "duckdb", key=name)


def test_columns_of_unknown_classifiers(plain: rh.Policy) -> None:
    with pytest.raises(
        ValueError, match="columns: 'scor' is not a classifier of the policy, which has 'score'"
    ):
        plain.to_sql(rh.ExpectedCost(prevalence=0.5), "duckdb", columns={"scor": "x"})
    assert '"y" >=' in plain.to_sql(single("x", 0.5), "duckdb", columns={"x": "y", "score": "z"})


def test_salts_that_are_refused(plain: rh.Policy) -> None:
    with pytest.raises(ValueError, match="the policy's salt has a NUL character"):
        rh.Policy.from_hull(plain.hull, salt="a\0").to_sql(rh.NeymanPearson(0.25), "duckdb", key="id")
    with pytest.raises(UnicodeEncodeError):
        rh.Policy.from_hull(plain.hull, salt="\ud800").to_sql(rh.NeymanPearson(0.25), "duckdb", key="id")


def test_points_that_are_refused(plain: rh.Policy) -> None:
    with pytest.raises(ValueError, match="the rule has no threshold"):
        plain.to_sql(
            rh.conditions.OperatingPoint(0, 0, ((rh.conditions.Rule("threshold", "a"), 1.0),)), "duckdb"
        )
    with pytest.raises(TypeError, match="condition must be an operating condition"):
        plain.to_sql("cost", "duckdb")  # type: ignore[arg-type]


def test_a_saved_policy_writes_the_same_text(tmp_path: Path) -> None:
    made = policy()
    made.save(tmp_path / "policy.json")
    loaded = rh.Policy.load(tmp_path / "policy.json")
    for condition in CONDITIONS.values():
        assert loaded.to_sql(condition, "spark", key="k") == made.to_sql(condition, "spark", key="k")


def test_known_dialects_are_sqlglots() -> None:
    assert names() == tuple(dialects())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, dialect in dialects().items():
            assert dialect.name == name
            assert sqlglot.Dialect.get_or_raise(dialect.syntax)
    assert rule("a", 1.0) == rh.conditions.Rule("threshold", "a", 1.0)


def test_documents_name_every_dialect() -> None:
    told = Path(__file__).parents[2].joinpath("docs", "hybrid.md").read_text(encoding="utf-8")
    assert [each.label for each in dialects().values() if each.label not in told] == []
    for method in (rh.Policy.to_sql, rh.segments.SegmentPolicy.to_sql, rh.multiclass.MulticlassPolicy.to_sql):
        assert [name for name in names() if f'"{name}"' not in (method.__doc__ or "")] == []


@pytest.mark.parametrize("dialect", names())
def test_slots_are_told_apart_from_names_and_texts(dialect: str) -> None:
    spoken = dialects()[dialect]
    tree = spoken.mixture(
        slot("key"), "salt\1key", slot("first"), [(spoken.double(slot("other")), slot("count"))]
    )
    pieces = spoken.pieces(tree)
    assert pieces[1::2] == ["key", "count", "other", "first"]
    filled = {"key": "k", "count": "0000002a", "other": "0.5", "first": "f"}
    text = "".join(filled[piece] if i % 2 else piece for i, piece in enumerate(pieces))
    known = spoken.mixture(exp.Var(this="k"), "salt\1key", exp.Var(this="f"), [(spoken.double(0.5), 42)])
    assert text == spoken.text(known)
