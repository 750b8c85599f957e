"""One database while a command runs: what one connection does to it, no other one sees."""

from contextvars import Context
from pathlib import Path
from threading import Thread
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rochull._core.connections import connected, one_database
from rochull._core.table_files import read_columns, write_table


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The databases that are made."""
    found: list[Any] = []
    connect = duckdb.connect

    def counting(**settings: Any) -> Any:
        found.append(connect(**settings))
        return found[-1]

    monkeypatch.setattr(duckdb, "connect", counting)
    return found


def apart(test: Any) -> None:
    """Run as a command does: the tests themselves are within one database."""
    Context().run(test)


def optimizers(connection: Any) -> Any:
    """What is switched off."""
    return connection.execute("SELECT current_setting('disabled_optimizers')").fetchone()[0]


def test_a_command_reads_and_writes_by_one_database(tmp_path: Path, made: list[Any]) -> None:
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pq.write_table(pa.table({"x": [1.0, 2.0, 3.0]}), source)

    def command() -> None:
        with one_database(), one_database():
            assert not made
            for i in range(3):  # what was written meanwhile is read anew
                write_table(source, {"y": np.full(3, i)}, target)
                assert read_columns(target, ["x", "y"])["y"].tolist() == [i] * 3
            assert len(made) == 1
        with pytest.raises(duckdb.ConnectionException):
            made[0].execute("SELECT 1")
        for _ in range(2):
            read_columns(source, ["x"])
        assert len(made) == 3

    apart(command)


def test_what_changes_a_database_has_its_own(tmp_path: Path, made: list[Any]) -> None:
    source = tmp_path / "in.parquet"
    pq.write_table(pa.table({"x": [1.0, np.nan, 3.0]}), source)

    def command() -> None:
        with one_database():
            with connected() as connection:
                before = optimizers(connection)
            assert read_columns(source, ["x"], "x < 2")["x"].tolist() == [1]
            assert len(made) == 2
            with connected() as connection, connected(threads="1") as other:
                assert optimizers(connection) == optimizers(other) == before == "statistics_propagation"
                assert len(made) == 3
            # Connections of other threads go on when the command is interrupted.
            thread = Thread(target=read_columns, args=(source, ["x"]))
            thread.start()
            thread.join()
            assert len(made) == 4

    apart(command)


def test_tables_of_one_connection_are_unknown_to_another_and_a_failure_breaks_none() -> None:
    def command() -> None:
        with one_database():
            with connected() as one, connected() as other:
                one.register("extra_columns", {"x": np.arange(3)})
                with pytest.raises(duckdb.CatalogException):
                    other.execute("FROM extra_columns")
            for error in (KeyboardInterrupt, ValueError):
                with pytest.raises(error), connected():
                    raise error
            with connected() as connection:
                assert connection.execute("SELECT 42").fetchone() == (42,)

    apart(command)
