"""Columns of DuckDB with more digits than a double holds: whole numbers stay exact, or are refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rochull._core.decimals import merged_decimals
from rochull._core.file_queries import quoted
from rochull._core.table_errors import beyond_64_bits

_DECIMAL = re.compile(r"DECIMAL\((\d+),\d+\)")
_SAFE_DIGITS = 15  # no two decimals of so many digits are the same double
_INTEGERS = {"BIGINT": range(-(2**63), 2**63), "UBIGINT": range(2**64)}
_SAMPLE = 1 << 16


def is_wide(kind: str) -> bool:
    """Whether a type of DuckDB has numbers that NumPy has not."""
    return kind in ("HUGEINT", "UHUGEINT") or _DECIMAL.fullmatch(kind) is not None


def wide_types(
    rows: Callable[[str], Sequence[tuple[Any, ...]]], select: Callable[[str], str], columns: Mapping[str, str]
) -> dict[str, str]:
    """As which type of DuckDB each wide column is read.

    It is DOUBLE, but an integer of 64 bits where all numbers are whole and a double would round some.

    Parameters
    ----------
    rows : executes a query.
    select : the query that selects expressions from the rows in question.
    columns : the types of columns.

    Raises
    ------
    ValueError
        If a column has integers beyond 64 bits that a double does not tell apart.
    """
    return {name: _type_of(rows, select, name, kind) for name, kind in columns.items() if is_wide(kind)}


def _type_of(
    rows: Callable[[str], Sequence[tuple[Any, ...]]], select: Callable[[str], str], name: str, kind: str
) -> str:
    decimal = _DECIMAL.fullmatch(kind)
    if decimal is not None and int(decimal[1]) <= _SAFE_DIGITS:
        return "DOUBLE"
    column = quoted(name)
    facts = f"min({column}), max({column}), count_if({column} <> trunc({column}))"
    low, high, broken = rows(select(facts))[0]
    distinct = f"SELECT count(DISTINCT x), count(DISTINCT CAST(x AS DOUBLE)) FROM ({select(f'{column} AS x')}"
    if broken:
        merged_decimals(*rows(f"{distinct} LIMIT {_SAMPLE})")[0])
        return "DOUBLE"
    if low is None or max(-low, high) <= 2**53:
        return "DOUBLE"
    found = next((t for t, held in _INTEGERS.items() if int(low) in held and int(high) in held), None)
    if found is None:
        before, after = rows(f"{distinct})")[0]
        if after < before:
            raise beyond_64_bits(f"column {name!r}")
    return found or "DOUBLE"
