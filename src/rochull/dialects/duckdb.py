"""The SQL of DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rochull._core.extras import Later
from rochull.dialects.base import Dialect

if TYPE_CHECKING:
    from sqlglot import exp
else:
    exp = Later("sqlglot.expressions", "sql")


class DuckDB(Dialect):
    """DuckDB."""

    name, label, syntax = "duckdb", "DuckDB", "duckdb"
    refused_in_names = ()
    overflow_is_error = False
    has_long_integers = True

    def comparable(self, column: exp.Expression) -> exp.Expression:
        return super().comparable(column)

    def is_number(self, column: exp.Expression) -> exp.Expression:
        return super().is_number(column)

    def unfolded(self, value: exp.Expression) -> exp.Expression:
        """A row of one double, to which no statistics of a Parquet file are carried over.

        They are to what functions make of a value, in DuckDB 2 to a cast to text too. Of two rows with
        numbers of different types DuckDB before 1.5 would round the one to integers.
        """
        number = value.copy() if isinstance(value, exp.Cast) else self.as_double(value.copy())
        return exp.Anonymous(this="ROW", expressions=[number])

    def hash_digits(self, text: exp.Expression) -> exp.Expression:
        return super().hash_digits(text)
