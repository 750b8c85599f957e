"""The SQL of Snowflake."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rochull.dialects.base import Dialect

if TYPE_CHECKING:
    from sqlglot import exp


class Snowflake(Dialect):
    """Snowflake."""

    name, label, syntax = "snowflake", "Snowflake", "snowflake"
    refused_in_names = ()
    overflow_is_error = True
    has_long_integers = True

    def comparable(self, column: exp.Expression) -> exp.Expression:
        return super().comparable(column)

    def is_number(self, column: exp.Expression) -> exp.Expression:
        return super().is_number(column)

    def hash_digits(self, text: exp.Expression) -> exp.Expression:
        return super().hash_digits(text)
