"""The SQL of Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rochull.dialects.base import Dialect

if TYPE_CHECKING:
    from sqlglot import exp


class Spark(Dialect):
    """Spark SQL."""

    name, label, syntax = "spark", "Spark", "spark"
    refused_in_names = ("${",)  # the beginning of a variable, even between quotes
    overflow_is_error = False
    has_long_integers = True

    def comparable(self, column: exp.Expression) -> exp.Expression:
        return super().comparable(column)

    def is_number(self, column: exp.Expression) -> exp.Expression:
        return super().is_number(column)

    def hash_digits(self, text: exp.Expression) -> exp.Expression:
        return super().hash_digits(text)
