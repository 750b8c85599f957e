"""The SQL of BigQuery."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rochull.dialects.base import Dialect

if TYPE_CHECKING:
    from sqlglot import exp


class BigQuery(Dialect):
    """BigQuery."""

    name, label, syntax = "bigquery", "BigQuery", "bigquery"
    # A path, and escapes, none of which may occur in a column's name.
    refused_in_names = (".", "`", "\\", *map(chr, range(32)))
    overflow_is_error = True
    has_long_integers = False

    def comparable(self, column: exp.Expression) -> exp.Expression:
        return super().comparable(column)

    def is_number(self, column: exp.Expression) -> exp.Expression:
        return super().is_number(column)

    def hash_digits(self, text: exp.Expression) -> exp.Expression:
        return super().hash_digits(text)
