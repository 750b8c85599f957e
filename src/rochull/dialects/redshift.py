"""The SQL of Amazon Redshift. No server is at hand: the tests parse the text, and none evaluates it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rochull.dialects.base import Dialect

if TYPE_CHECKING:
    from sqlglot import exp


class Redshift(Dialect):
    """Amazon Redshift, whose texts are UTF-8 and are compared by their bytes."""

    name, label, syntax = "redshift", "Redshift", "redshift"
    refused_in_names = ()
    overflow_is_error = True
    has_long_integers = True

    def comparable(self, column: exp.Expression) -> exp.Expression:
        return super().comparable(column)

    def is_number(self, column: exp.Expression) -> exp.Expression:
        return super().is_number(column)

    def hash_digits(self, text: exp.Expression) -> exp.Expression:
        return super().hash_digits(text)
