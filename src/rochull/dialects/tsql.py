"""The SQL of Microsoft SQL Server. No server is at hand: the tests translate the text for DuckDB."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rochull._core.extras import Later
from rochull._core.keys import BITS
from rochull.dialects.base import Dialect
from rochull.dialects.truths import valued

if TYPE_CHECKING:
    from sqlglot import exp
else:
    exp = Later("sqlglot.expressions", "sql")

_MOST_NESTED = 10  # CASE in CASE, of which SQL Server takes no more


class TSql(Dialect):
    """SQL Server 2019 and later, and Azure SQL: from then on text can be converted to UTF-8.

    A decision is 1 or 0. FLOAT holds neither NaN nor infinity, so every score that is not NULL is a number.
    """

    name, label, syntax = "tsql", "SQL Server", "tsql"
    aliases = ("sqlserver",)
    refused_in_names = ()
    overflow_is_error = True
    has_long_integers = True
    has_truth_values = False
    has_all_doubles = False

    def text(self, tree: exp.Expression) -> str:
        """The text, unless it nests more than the server takes."""
        tree = valued(tree)
        depth = max((_depth(case) for case in tree.find_all(exp.Case)), default=0)
        if depth > _MOST_NESTED:
            raise ValueError(
                f"the decision has {depth} CASE inside of each other, but SQL Server takes {_MOST_NESTED} "
                "at most; decide by fewer auxiliary columns or classifiers."
            )
        return super().text(tree)

    def is_number(self, column: exp.Expression) -> exp.Expression:
        return exp.Is(this=column.copy(), expression=exp.Not(this=exp.Null()))

    def reaching(
        self, column: exp.Expression, threshold: float, lower_is_positive: bool = False
    ) -> exp.Expression:
        """Every number is between the infinities, which no column holds."""
        if not math.isinf(threshold):
            return super().reaching(column, threshold, lower_is_positive)
        if (threshold > 0) != lower_is_positive:
            return exp.Boolean(this=False)
        return exp.Coalesce(this=self.is_number(column), expressions=[exp.Boolean(this=False)])

    def passing(
        self, column: exp.Expression, threshold: float, lower_is_positive: bool = False
    ) -> exp.Expression:
        if math.isinf(threshold):
            return exp.Boolean(this=(threshold < 0) != lower_is_positive)
        return super().passing(column, threshold, lower_is_positive)

    def hash_digits(self, text: exp.Expression) -> exp.Expression:
        """The first bytes; VARCHAR of this collation is UTF-8, and else of the code page of the database."""
        spoken = exp.Collate(
            this=exp.Paren(this=text), expression=exp.Var(this="Latin1_General_100_CI_AS_SC_UTF8")
        )
        encoded = exp.Cast(this=spoken, to=exp.DataType.build("varchar(max)", dialect="tsql"))
        hashed = exp.Anonymous(this="HASHBYTES", expressions=[exp.Literal.string("MD5"), encoded])
        ends = [exp.Literal.number(end) for end in (1, BITS // 8)]
        return exp.Anonymous(this="SUBSTRING", expressions=[hashed, *ends])

    def hash_limit(self, digits: str) -> exp.Expression:
        return exp.Var(this=f"0x{digits}")

    def key_text(self, key: exp.Expression) -> exp.Expression:
        return exp.Cast(this=key, to=exp.DataType.build("nvarchar(max)", dialect="tsql"))

    def comparable(self, column: exp.Expression) -> exp.Expression:
        """Text by its characters: collations may take "A" for "a", and all take "a " for "a"."""
        ended = exp.Paren(this=exp.DPipe(this=column.copy(), expression=self.plain_text("."), safe=True))
        return exp.Collate(this=ended, expression=exp.Var(this="Latin1_General_100_BIN2"))

    def comparable_text(self, text: str, what: str) -> exp.Expression:
        return self.literal(f"{text}.", what)

    def plain_text(self, text: str) -> exp.Expression:
        return exp.National(this=text)


def _depth(tree: exp.Expression) -> int:
    """In how many CASE this one stands, itself included."""
    depth = 0
    node: exp.Expr | None = tree
    while node is not None:
        depth, node = depth + isinstance(node, exp.Case), node.parent
    return depth
