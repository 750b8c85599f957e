"""Connections of DuckDB: to a database of their own, or all to one while a command runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from rochull._core.extras import require

if TYPE_CHECKING:
    import duckdb

# What `one_database` keeps: nothing until the first connection. None outside of it, and in other threads.
_KEPT: ContextVar[list[duckdb.DuckDBPyConnection] | None] = ContextVar("_KEPT", default=None)


@contextmanager
def one_database() -> Iterator[None]:
    """Within it connections are to one database: to make a new one takes as long as to read a small file."""
    if _KEPT.get() is not None:
        yield
        return
    kept: list[duckdb.DuckDBPyConnection] = []
    token = _KEPT.set(kept)
    try:
        yield
    finally:
        _KEPT.reset(token)
        for connection in kept:
            connection.close()


@contextmanager
def connected(*, own: bool = False, **config: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that is closed in the end.

    It is to a database of its own where it has settings, or will change them (`own`).
    """
    library = require("duckdb", "files")
    kept = None if own or config else _KEPT.get()
    if kept is None:
        connection = _database(library, **config)
    else:
        if not kept:
            kept.append(_database(library))
        connection = kept[0].cursor()
    try:
        yield connection
    finally:
        connection.close()


def _database(library: Any, **config: str) -> duckdb.DuckDBPyConnection:
    """A connection to a new database."""
    # A path is a path of this machine: no extension is fetched to read one of another. And the smallest and
    # the largest value that a file states are not of NaN: conclusions drawn from them are wrong there.
    settings: Any = {
        "autoinstall_known_extensions": "false",
        "disabled_optimizers": "statistics_propagation",
    } | config
    connection: duckdb.DuckDBPyConnection = library.connect(config=settings)
    return connection
