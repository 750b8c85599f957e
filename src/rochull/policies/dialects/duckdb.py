"""The SQL of DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rochull.policies.dialects.base import Dialect

if TYPE_CHECKING:
    from sqlglot import exp


class DuckDB(Dialect):
    """DuckDB."""

    name, label, syntax = "duckdb", "DuckDB", "duckdb"
    refused_in_names = ()
    overflow_is_error = False
    has_long_integers = True

    def is_number(self, column: exp.Expression) -> exp.Expression:
        return super().is_number(column)

    def hash_digits(self, text: exp.Expression) -> exp.Expression:
        return super().hash_digits(text)
