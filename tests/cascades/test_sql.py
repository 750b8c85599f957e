"""A cascade's SQL decides like its policy, row by row, and reads no column where it is not asked for."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
import sqlglot

import rochull as rh
from cascade_cases import COST, NAMES, policy, scored
from refusals import refuses
from sql_cases import DIALECTS

CONDITIONS = [COST, rh.ExpectedCost(5, 1, 0.5), rh.ExpectedCost(1, 30, 0.02), rh.Accuracy(0.9)]


def selected(table: pl.DataFrame, text: str) -> Any:
    with duckdb.connect() as opened:
        opened.register("given", table)
        return opened.execute(f"SELECT ({text}) AS p FROM given ORDER BY id").fetchnumpy()["p"]


@pytest.mark.crossed
@pytest.mark.parametrize("stages", [2, 3])
@pytest.mark.parametrize("budget", [None, 0.21])
def test_duckdb_decides_alike_and_needs_no_other_score(stages: int, budget: float | None) -> None:
    X, y = scored(7, stages=stages)
    made, keys = policy(7, stages=stages), np.arange(y.size)
    for condition in CONDITIONS:
        options: Any = {"max_calls": budget, "key": "id"}
        expected = made.decide({**X, "id": keys}, condition, **options)
        columns: dict[str, Any] = {"id": keys, "cheap": X["cheap"]}
        for name in NAMES[1:stages]:
            # The step before the call: it reads the columns so far, and tells whom to ask.
            needs = selected(
                pl.DataFrame(columns), made.needs_score_sql(name, condition, "duckdb", **options)
            )
            asked = made.needs_score(name, {**X, "id": keys}, condition, **options)
            assert np.asarray(needs).tolist() == asked.tolist()
            columns[name] = pl.Series(
                [x if a else None for x, a in zip(X[name], asked, strict=True)], dtype=pl.Float64
            )
        found = selected(pl.DataFrame(columns), made.to_sql(condition, "duckdb", **options))
        assert not np.ma.is_masked(found)
        assert np.asarray(found).tolist() == expected.tolist()


@pytest.mark.filterwarnings("ignore:scores:UserWarning")
def test_missing_scores_are_negative_in_sql_too() -> None:
    X, y = scored(8)
    made = policy(8)
    strange = [None, np.nan, np.inf, -np.inf]
    cheap = [strange[i % 4] if i % 5 == 0 else x for i, x in enumerate(X["cheap"].tolist())]
    dear = [strange[i % 4] if i % 7 == 0 else x for i, x in enumerate(X["dear"].tolist())]
    table = pl.DataFrame({"id": np.arange(y.size), "cheap": cheap, "dear": dear}, nan_to_null=False)
    for condition in CONDITIONS:
        found = selected(table, made.to_sql(condition, "duckdb"))
        assert np.asarray(found).tolist() == made.decide(table, condition).tolist()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_has_it(dialect: str) -> None:
    made = policy(7, stages=3)
    budget = 0.9 * sum(made.at(COST).calls.values()) - 0.9
    text = made.to_sql(COST, dialect, max_calls=budget, key="id", columns={"dear": ("t", "model")})
    assert all(name in text for name in ("cheap", "model", "human", "id"))
    assert "dear" not in text
    first = made.needs_score_sql("dear", COST, dialect)
    assert "cheap" in first
    assert not any(name in first for name in NAMES[1:])
    if dialect != "duckdb":  # sqlglot writes ROW(...) < ROW(...), and does not read it
        read = [sqlglot.parse_one(sql, dialect=dialect).sql(dialect=dialect) for sql in (text, first)]
        assert read == [text, first]


def test_what_is_refused() -> None:
    made = policy()
    refuses("key is needed", made.to_sql, COST, "duckdb", max_calls=0.05)
    assert "MD5" not in made.to_sql(COST, "duckdb", max_calls=0.05, deterministic=True)
    refuses("is not a classifier of the policy", made.to_sql, COST, "duckdb", columns={"deer": "x"})
    refuses("classifier must be one of", made.needs_score_sql, "deer", COST, "duckdb")
    refuses("dialect", made.to_sql, COST, "mysql")
