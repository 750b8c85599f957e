"""Which dialects of SQL there are."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from rochull._core.extras import require
from rochull._core.messages import refused

if TYPE_CHECKING:
    from rochull.dialects.base import Dialect

# The modules of this package by the name of their dialect, and the class of each; in the order of pages.
_OWN = {
    "duckdb": "DuckDB",
    "spark": "Spark",
    "postgres": "Postgres",
    "bigquery": "BigQuery",
    "snowflake": "Snowflake",
    "redshift": "Redshift",
    "databricks": "Databricks",
    "tsql": "TSql",
    "oracle": "Oracle",
}
registered: dict[str, Dialect] = {}


def names() -> tuple[str, ...]:
    """The names of all dialects, without loading any."""
    return (*_OWN, *registered)


def dialects() -> dict[str, Dialect]:
    """All dialects by name."""
    return _own() | registered


@cache
def _own() -> dict[str, Dialect]:
    package = __name__.rpartition(".")[0]
    found: dict[str, Dialect] = {
        name: getattr(import_module(f"{package}.{name}"), cls)() for name, cls in _OWN.items()
    }
    for name, each in found.items():
        if each.name != name:
            raise TypeError(
                f"the SQL dialect {_OWN[name]} is listed as {name!r}, but its name is {each.name!r}."
            )
    return found


def dialect_of(name: object) -> Dialect:
    """The dialect of a name or an alias, in letters of any size."""
    require("sqlglot", "sql")
    known = dialects()
    aliases = {alias: each for each in known.values() for alias in each.aliases}
    wanted = name.lower() if isinstance(name, str) else ""
    found = known.get(wanted) or aliases.get(wanted)
    if found is None:
        raise refused("dialect", "must be one of {}, but is {}.", ", ".join(map(repr, known)), repr(name))
    return found


def register_dialect(dialect: type[Dialect]) -> type[Dialect]:
    """Make a dialect of SQL known by its name, to policies, reports and the command line.

    Parameters
    ----------
    dialect : type
        A subclass of :class:`rochull.dialects.base.Dialect`, which says what a dialect must answer.

    Returns
    -------
    type
        The same, so that this can decorate it.

    Raises
    ------
    ValueError
        If there is a dialect of this name, or of one of its aliases.

    Examples
    --------
    >>> import rochull as rh
    >>> from rochull.dialects.postgres import Postgres
    >>> class Greenplum(Postgres):
    ...     name, label = "greenplum", "Greenplum"
    >>> def start():  # of a program
    ...     rh.policies.register_dialect(Greenplum)
    """
    known = dialects()
    taken = {*known, *(alias for each in known.values() for alias in each.aliases)}
    twice = next((name for name in (dialect.name, *dialect.aliases) if name in taken), None)
    if twice is not None:
        raise ValueError(f"there is an SQL dialect {twice!r} already.")
    registered[dialect.name] = dialect()
    return dialect
