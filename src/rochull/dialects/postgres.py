"""The SQL of PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rochull._core.extras import Later
from rochull.dialects.base import Dialect

if TYPE_CHECKING:
    from sqlglot import exp
else:
    exp = Later("sqlglot.expressions", "sql")


class Postgres(Dialect):
    """PostgreSQL."""

    name, label, syntax = "postgres", "PostgreSQL", "postgres"
    aliases = ("postgresql",)
    refused_in_names = ()
    overflow_is_error = True
    has_long_integers = True

    def comparable(self, column: exp.Expression) -> exp.Expression:
        return super().comparable(column)

    def is_number(self, column: exp.Expression) -> exp.Expression:
        return super().is_number(column)

    def hash_digits(self, text: exp.Expression) -> exp.Expression:
        """A database may have another encoding, and an order of its own."""
        encoded = exp.Anonymous(this="CONVERT_TO", expressions=[text, exp.Literal.string("UTF8")])
        return exp.Collate(this=super().hash_digits(encoded), expression=exp.to_identifier("C", quoted=True))
