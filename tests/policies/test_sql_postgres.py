"""SQL decides like `Policy.decide` in a real PostgreSQL server."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from psycopg import sql

import postgres
import rochull as rh
from rochull._core.file_queries import quoted
from sql_attack import Attack, attack
from sql_cases import (
    EDGES,
    HOSTILE,
    SALT,
    TYPES,
    decided,
    differences,
    near,
    packed_sql,
    passes,
    policy,
    rows,
    single,
)

pytestmark = pytest.mark.filterwarnings("ignore:scores:UserWarning")  # the missing values are meant


@pytest.fixture
def connection(server: postgres.Server) -> Iterator[Any]:
    """A connection that nothing survives."""
    with server.connect() as opened, opened.transaction(force_rollback=True):
        yield opened


@pytest.fixture
def plain() -> rh.Policy:
    return rh.Policy.from_hull(rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]), salt=SALT)


def load(connection: Any, table: pl.DataFrame) -> None:
    """Make the table `cases` by COPY."""
    columns = ", ".join(f'"{name}" {kinds[1]}' for name, kinds in TYPES.items())
    connection.execute(f"CREATE TABLE cases (i INTEGER, {columns})")
    with connection.cursor().copy("COPY cases FROM STDIN WITH (FORMAT csv, HEADER)") as copy:
        copy.write(table.select("i", *TYPES).write_csv().encode())


def read(connection: Any, expression: str) -> np.ndarray:
    """The values of an expression of integers, in the order of the rows; none may be NULL."""
    out = io.BytesIO()
    with connection.cursor().copy(f"COPY (SELECT {expression} FROM cases ORDER BY i) TO STDOUT") as copy:
        for part in copy:
            out.write(part)
    values = out.getvalue().split()
    assert b"\\N" not in values
    return np.array(values).astype(np.int64)


@pytest.mark.long
def test_many_rows(connection: Any) -> None:
    table, made = rows(300_000), policy()  # of a million DuckDB decides in test_sql.py
    load(connection, table)
    found = read(connection, packed_sql(made, "postgres", "key"))
    assert differences(found, decided(made, table, "key")) == {}


def attacked(connection: Any, made: Attack) -> list[Any]:
    """What PostgreSQL decides, whose column types are those of the table."""
    types = {"double": "DOUBLE PRECISION", "float": "REAL", "int64": "BIGINT", "string": "TEXT"}
    columns = [f"{quoted(field.name)} {types[str(field.type)]}" for field in made.table.schema]
    connection.execute("DROP TABLE IF EXISTS attacked")
    connection.execute(f"CREATE TABLE attacked (i INTEGER, {', '.join(columns)})")
    with connection.cursor().copy("COPY attacked FROM STDIN") as copy:
        for i, row in enumerate(zip(*(column.to_pylist() for column in made.table.columns), strict=True)):
            copy.write_row((i, *row))
    rows = connection.execute(f"SELECT {made.sql('postgres')} FROM attacked ORDER BY i").fetchall()
    return [each for (each,) in rows]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("seed", range(44, 64))
def test_the_attack_in_short(connection: Any, seed: int) -> None:
    made = attack(seed)
    assert attacked(connection, made) == made.expected


@pytest.mark.parametrize("salt", ["", SALT])
def test_keys_that_are_text(connection: Any, salt: str) -> None:
    table, made = rows(20_000, seed=3), policy(salt)
    load(connection, table)
    assert (
        differences(read(connection, packed_sql(made, "postgres", "name")), decided(made, table, "name"))
        == {}
    )


def test_without_the_guard_nan_would_pass(connection: Any) -> None:
    load(connection, rows(1000))
    plainer, guarded = (
        '"double" >= 0.1',
        """"double" >= 0.1 AND "double" <= CAST('inf' AS DOUBLE PRECISION)""",
    )
    counts = [
        connection.execute(f"SELECT count(*) FROM cases WHERE {text}").fetchone()[0]
        for text in (plainer, guarded)
    ]
    nan = connection.execute("SELECT count(*) FROM cases WHERE \"double\" = 'NaN'").fetchone()[0]
    assert counts[0] == counts[1] + nan > counts[1]


THRESHOLDS = [*EDGES, *(edge + step for edge in EDGES for step in (-3, 1, 3)), *map(float, EDGES)]
THRESHOLDS += [
    0.1,
    float(np.float32(0.1)),
    -0.0,
    5e-324,
    1e-45,
    3.5e38,
    1.7e308,
    math.inf,
    -math.inf,
    2.5,
    -1e300,
]


def test_thresholds_of_any_size_on_columns_of_any_type(connection: Any) -> None:
    made = rh.Policy.from_hull(rh.roc_hull([1, 0], [1, 0]))
    ends = {"BIGINT": 2**63, "NUMERIC(20, 0)": 2**64, "INTEGER": 2**31, "SMALLINT": 2**15}
    for threshold in THRESHOLDS:
        if threshold in (2**64 + 1, 2**64 + 3, -(2**63) - 3):  # beyond 64 bits: no policy holds it
            continue
        text = made.to_sql(single("x", threshold), "postgres")
        values = near(threshold)
        with np.errstate(all="ignore"):
            singles = [float(np.float32(v)) for v in values]
        columns: dict[str, list[Any]] = {
            "DOUBLE PRECISION": [*map(float, values), math.nan, math.inf, -math.inf, None],
            "REAL": [*singles, math.nan, math.inf, -math.inf, None],
        }
        for kind, end in ends.items():
            columns[kind] = [int(v) for v in values if math.isfinite(v) and -end <= v < end] + [
                0,
                end - 1,
                None,
            ]
        for kind, cells in columns.items():
            listed = ", ".join(f"({i}, {'NULL' if v is None else repr(str(v))})" for i, v in enumerate(cells))
            values_as = f"SELECT i, CAST(c AS {kind}) AS x FROM (VALUES {listed}) AS t(i, c)"
            query = f"SELECT {text} FROM ({values_as}) AS u ORDER BY i"
            found = [row[0] for row in connection.execute(query).fetchall()]
            assert found == [passes(v, threshold) for v in cells], (kind, cells, text)


@pytest.mark.parametrize("conforming", ["on", "off"])
def test_hostile_names_and_salts_decide_alike(connection: Any, conforming: str) -> None:
    """Also where backslashes have a meaning between quotes."""
    connection.execute(f"SET standard_conforming_strings = {conforming}")
    connection.execute("SET escape_string_warning = off")
    condition = rh.NeymanPearson(0.25)
    for number, hostile in enumerate(HOSTILE):
        hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]).named(hostile)
        made = rh.Policy.from_hull(hull, salt=hostile)
        table, name, key = (sql.Identifier(text) for text in (f"t{number}", hostile, f"{hostile}k"))
        connection.execute(sql.SQL("CREATE TABLE {} ({} REAL, {} TEXT)").format(table, name, key))
        keys = [f"{hostile} {i}" for i in range(50)]
        connection.cursor().executemany(
            sql.SQL("INSERT INTO {} VALUES (0.8, %s)").format(table), [(key,) for key in keys]
        )
        text = made.to_sql(condition, "postgres", key=(f"t{number}", f"{hostile}k"))
        found = [row[0] for row in connection.execute(f"SELECT {text} FROM t{number}").fetchall()]
        assert found == made.decide({hostile: np.full(50, 0.8)}, condition, key=keys).tolist()
        left = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(table)).fetchone()
        assert left == (50,)


def test_a_database_of_another_encoding_hashes_alike(server: postgres.Server, plain: rh.Policy) -> None:
    with server.connect() as opened:
        opened.execute("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
    plain = rh.Policy.from_hull(plain.hull, salt="ß")
    text = plain.to_sql(rh.NeymanPearson(0.25), "postgres", key="id")
    keys = [f"Straße {i} «é»" for i in range(300)]
    with server.connect("latin") as opened:
        opened.execute("CREATE TABLE cases (id TEXT, score REAL)")
        opened.cursor().executemany("INSERT INTO cases VALUES (%s, 0.8)", [(key,) for key in keys])
        found = [row[0] for row in opened.execute(f"SELECT {text} FROM cases").fetchall()]
    assert found == plain.decide(np.full(300, 0.8), rh.NeymanPearson(0.25), key=keys).tolist()
    with server.connect() as opened:
        opened.execute("DROP DATABASE latin")


def test_a_missing_key_is_decided_by_the_left_rule(connection: Any, plain: rh.Policy) -> None:
    text = plain.to_sql(rh.NeymanPearson(0.49), "postgres", key="id")
    values = "(NULL::INTEGER, 0.95::REAL), (NULL, 0.8), (NULL, 'NaN'), (NULL, NULL)"
    found = connection.execute(f"SELECT {text} FROM (VALUES {values}) AS t(id, score)").fetchall()
    assert found == [(True,), (False,), (False,), (False,)]


# --- the server itself ------------------------------------------------------------------------------


def test_where_there_is_no_server_the_message_names_the_package(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"need a PostgreSQL server.*Debian's package postgresql"):
        postgres.programs(places=f"{tmp_path}/*/bin", path=str(tmp_path))


def test_the_newest_version_is_taken(tmp_path: Path) -> None:
    for version in ("9.6", "15", "17"):
        place = tmp_path / version / "bin"
        place.mkdir(parents=True)
        (place / "initdb").touch()
    assert postgres.programs(places=f"{tmp_path}/*/bin", path=str(tmp_path)).parent.name == "17"


def test_the_server_is_private(server: postgres.Server) -> None:
    assert server.directory.stat().st_mode & 0o077 == 0
    with server.connect() as opened:
        assert opened.execute("SHOW listen_addresses").fetchone() == ("",)
