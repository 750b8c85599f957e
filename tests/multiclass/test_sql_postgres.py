"""SQL decides like `MulticlassPolicy.decide` in a real PostgreSQL server."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from psycopg import sql

import postgres
from multiclass_cases import LABELS, WEIGHTS, mixture, outputs, policy


@pytest.fixture
def connection(server: postgres.Server) -> Iterator[Any]:
    """A connection that nothing survives."""
    with server.connect() as opened, opened.transaction(force_rollback=True):
        yield opened


def load(connection: Any, rows: Any, kind: str = "DOUBLE PRECISION", names: Any = None) -> None:
    """Make the table `cases` with columns c0, c1, ... and a key."""
    names = names or [f"c{c}" for c in range(len(rows[0]))]
    columns = sql.SQL(", ").join(
        sql.SQL("{} {}").format(sql.Identifier(name), sql.SQL(kind)) for name in names
    )
    connection.execute(sql.SQL("CREATE TABLE cases (i INTEGER, key TEXT, {})").format(columns))
    with connection.cursor().copy("COPY cases FROM STDIN") as copy:
        for i, row in enumerate(rows):
            copy.write_row([i, f"case {i}", *(None if y is None else repr(float(y)) for y in row)])


def asked(connection: Any, text: str) -> list[Any]:
    return [row[0] for row in connection.execute(f"SELECT {text} FROM cases ORDER BY i").fetchall()]


def places(labels: Any) -> dict[Any, str]:
    return {label: f"c{c}" for c, label in enumerate(labels)}


@pytest.mark.parametrize("weights", WEIGHTS)
def test_rows_with_ties_and_ends_of_doubles(connection: Any, weights: list[float]) -> None:
    made, rows = policy(), outputs(20_000)
    load(connection, rows)
    found = asked(connection, made.to_sql(weights, "postgres", columns=places(made.classes)))
    assert found == made.decide(rows, weights).tolist()


def test_without_the_guard_products_out_of_range_are_errors(connection: Any) -> None:
    import psycopg

    load(connection, [[1e-300, 1.0, 1e300]])
    for plain in ("CAST('1e-300' AS DOUBLE PRECISION) * c0", "CAST('1e300' AS DOUBLE PRECISION) * c2"):
        with pytest.raises(psycopg.errors.NumericValueOutOfRange), connection.transaction():
            asked(connection, plain)


def test_mixtures_by_key(connection: Any) -> None:
    made, rows = policy(), outputs(20_000)
    load(connection, rows)
    point = mixture(made, [0.2, 0.3, 0.5])
    text = made.to_sql(point, "postgres", key=("cases", "key"), columns=places(made.classes))
    keys = [f"case {i}" for i in range(len(rows))]
    assert asked(connection, text) == made.decide(rows, point, key=keys).tolist()


@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_every_type(connection: Any, kind: str) -> None:
    made = policy(LABELS[kind])
    size = len(made.classes)
    rows = np.vstack([outputs(500, 3, size), np.eye(size)])
    load(connection, rows)
    found = asked(connection, made.to_sql([1.0] * size, "postgres", columns=places(made.classes)))
    assert found == made.decide(rows, [1.0] * size).tolist()
    assert set(found) == set(made.classes)


@pytest.mark.long
def test_hostile_names_are_names(connection: Any) -> None:
    made = policy(LABELS["hostile"])
    rows = outputs(300, 2, len(made.classes))
    load(connection, rows, names=made.classes)
    assert asked(connection, made.to_sql("max_error", "postgres")) == made.decide(rows, "max_error").tolist()


def test_rows_that_decide_refuses_are_null(connection: Any) -> None:
    made = policy()
    wrong = [None, math.nan, math.inf, -math.inf, -5e-324]
    rows = [[y if c == at else 0.5 for c in range(3)] for at in range(3) for y in wrong]
    load(connection, [*rows, [0.5, 0.5, -0.0]])
    found = asked(connection, made.to_sql([1, 2, 1], "postgres", columns=places(made.classes)))
    assert found == [None] * len(rows) + ["bus"]


def test_columns_of_other_types(connection: Any) -> None:
    made, rng = policy(), np.random.default_rng(0)
    rows = rng.random((2000, 3)).astype(np.float32)
    load(connection, rows, "REAL")
    text = made.to_sql([0.3, 0.31, 0.29], "postgres", columns=places(made.classes))
    assert asked(connection, text) == made.decide(rows, [0.3, 0.31, 0.29]).tolist()
