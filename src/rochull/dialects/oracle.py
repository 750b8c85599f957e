"""The SQL of Oracle. No server is at hand: the tests translate the text for DuckDB."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rochull._core.extras import Later
from rochull._core.keys import BITS
from rochull.dialects.base import Dialect

if TYPE_CHECKING:
    from sqlglot import exp
else:
    exp = Later("sqlglot.expressions", "sql")


class Oracle(Dialect):
    """Oracle Database 12c and later.

    A decision is 1 or 0. Doubles are literals of BINARY_DOUBLE, whatever a session says of decimal commas.
    Texts are hashed and compared by their bytes in UTF-8, whatever the database's encoding and its order. A
    key that is NULL and one that is the empty text are one, which is hashed as the latter.
    """

    name, label, syntax = "oracle", "Oracle", "oracle"
    refused_in_names = ('"',)
    overflow_is_error = False
    has_long_integers = True
    has_truth_values = False

    def is_number(self, column: exp.Expression) -> exp.Expression:
        return super().is_number(column)

    def double(self, number: float | exp.Var) -> exp.Expression:
        if isinstance(number, exp.Var):
            return exp.Var(this=f"{number.name}d")
        if math.isinf(number):
            infinity = exp.Var(this="BINARY_DOUBLE_INFINITY")
            return infinity if number > 0 else exp.Neg(this=infinity)
        return exp.Var(this=f"{number + 0.0!r}d")

    def as_double(self, value: exp.Expression) -> exp.Expression:
        return exp.Cast(this=value, to=exp.DataType.build("BINARY_DOUBLE", udt=True))

    def hash_digits(self, text: exp.Expression) -> exp.Expression:
        """The first bytes."""
        hashed = exp.Anonymous(
            this="STANDARD_HASH", expressions=[self.comparable(text), exp.Literal.string("MD5")]
        )
        return _packaged("UTL_RAW", "SUBSTR", hashed, *map(exp.Literal.number, (1, BITS // 8)))

    def hash_limit(self, digits: str) -> exp.Expression:
        return exp.Anonymous(this="HEXTORAW", expressions=[exp.Literal.string(digits)])

    def key_text(self, key: exp.Expression) -> exp.Expression:
        return exp.Anonymous(this="TO_NCHAR", expressions=[key])

    def comparable(self, column: exp.Expression) -> exp.Expression:
        return _packaged("UTL_I18N", "STRING_TO_RAW", column.copy(), exp.Literal.string("AL32UTF8"))

    def literal(self, text: str, what: str) -> exp.Expression:
        if not text:
            raise ValueError(f"{what} is the empty text, which Oracle takes for NULL.")
        return super().literal(text, what)

    def comparable_text(self, text: str, what: str) -> exp.Expression:
        self.literal(text, what)  # refuses what is not text there
        return self.hash_limit(text.encode().hex())

    def plain_text(self, text: str) -> exp.Expression:
        """Write text; characters that the database's encoding may lack are given by their codes in UTF-16."""
        if text.isascii():
            return super().plain_text(text)
        codes = text.encode("utf-16-be").hex()
        units = [codes[i : i + 4] for i in range(0, len(codes), 4)]
        signs = "".join(chr(int(u, 16)) if u < "0080" else f"\\{u.upper()}" for u in units)
        return exp.Anonymous(this="UNISTR", expressions=[exp.Literal.string(signs)])


def _packaged(package: str, function: str, *given: exp.Expression) -> exp.Expression:
    called = exp.Anonymous(this=function, expressions=list(given))
    return exp.Dot(this=exp.to_identifier(package), expression=called)
