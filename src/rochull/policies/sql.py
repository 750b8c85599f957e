"""A decision as one SQL expression, the same row by row as that of `Policy.decide`.

Built as a syntax tree by sqlglot, never from pieces of text: a name is a quoted identifier whatever
it holds, and a literal holds nothing that any dialect could read as its end.

What the expression has to keep apart, without knowing the type of a column:

- NaN is above everything in most databases. So each score is also compared with infinity, from below.
- A decimal literal would be compared as a decimal, or in single precision. So thresholds are written
  as text that is cast to a double, which is the threshold bit for bit.
- Integers beyond 2**53 are rounded where they meet a double. So thresholds there are written twice.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core.extras import Later
from rochull._core.keys import BITS, cuts
from rochull.conditions.rules import OperatingPoint, Rule, threshold_in

if TYPE_CHECKING:
    from sqlglot import exp
else:
    exp = Later("sqlglot.expressions", "sql")

# As callers name them -> as sqlglot does.
DIALECTS = {
    "duckdb": "duckdb",
    "spark": "spark",
    "postgres": "postgres",
    "postgresql": "postgres",
    "bigquery": "bigquery",
    "snowflake": "snowflake",
}
# What has a meaning even between the quotes of a name: a path, escapes (none may occur in a column's
# name), and the beginning of a variable.
_NOT_IN_NAMES = {"bigquery": (".", "`", "\\", *map(chr, range(32))), "spark": ("${",)}
_PLAIN = " _-.:,/+="
_EXACT_IN_SINGLE, _EXACT_IN_DOUBLE = 2**24, 2**53


def expression(
    point: OperatingPoint,
    dialect: str,
    *,
    salt: str,
    key: str | tuple[str, str] | None,
    columns: Mapping[str, str | tuple[str, str]] | None,
    classifiers: Iterable[str],
) -> str:
    """The decision at an operating point; `classifiers` are those that `columns` may speak of."""
    dialect = _dialect(dialect)
    known = {*classifiers, *point.classifiers}
    writer = _Writer(dialect, salt, _named(columns or {}, known, dialect))
    drawn_by = None if key is None else _column(key, "key", dialect)
    rules = [writer.rule(rule) for rule, _ in point.rules]
    first, others = cuts([share for _, share in point.rules])
    if not others:
        return writer.text(rules[first])
    if drawn_by is None:
        raise ValueError(
            f"key is needed: the decision is a mixture ({point}); name the column that identifies "
            "a case, or ask for deterministic=True."
        )
    return writer.text(writer.mixture(drawn_by, rules[first], [(rules[i], count) for i, count in others]))


def _dialect(dialect: object) -> str:
    if not isinstance(dialect, str) or dialect.lower() not in DIALECTS:
        known = ", ".join(repr(name) for name in DIALECTS if name != "postgresql")
        raise ValueError(f"dialect must be one of {known}, but is {dialect!r}.")
    return DIALECTS[dialect.lower()]


def _named(columns: Mapping[str, Any], known: set[str], dialect: str) -> dict[str, exp.Expression]:
    """The columns of some classifiers."""
    for name in columns:
        if name not in known:
            has = ", ".join(map(repr, sorted(known))) or "none"
            raise ValueError(f"columns: {name!r} is not a classifier of the policy, which has {has}.")
    return {name: _column(where, f"columns[{name!r}]", dialect) for name, where in columns.items()}


def _column(where: Any, place: str, dialect: str) -> exp.Expression:
    """A column, or a column of a table, as quoted identifiers."""
    parts = (where,) if isinstance(where, str) else where
    whole = isinstance(parts, tuple) and len(parts) in (1, 2)
    if not whole or not all(isinstance(part, str) and part and "\0" not in part for part in parts):
        raise ValueError(f"{place} must be the name of a column, or (table, column), but is {where!r}.")
    for sign in _NOT_IN_NAMES.get(dialect, ()):
        if any(sign in part for part in parts):
            raise ValueError(f"{place} is {where!r}, but no name in {dialect} can hold {sign!r}.")
    quoted = [exp.to_identifier(part, quoted=True) for part in reversed(parts)]
    return exp.Column(this=quoted[0], table=quoted[1] if len(quoted) > 1 else None)


@dataclass(frozen=True)
class _Writer:
    dialect: str
    salt: str
    columns: dict[str, exp.Expression]

    def text(self, tree: exp.Expression) -> str:
        from sqlglot import ErrorLevel

        return tree.sql(dialect=self.dialect, unsupported_level=ErrorLevel.RAISE, comments=False)

    def rule(self, rule: Rule) -> exp.Expression:
        """TRUE or FALSE, never NULL."""
        if rule.kind != "threshold":
            return exp.Boolean(this=rule.kind == "always")
        if rule.threshold is None:
            raise ValueError("the rule has no threshold.")
        name = rule.classifier or ""
        column = self.columns.get(name)
        if column is None:
            column = _column(name, "the rule's classifier", self.dialect)
        number = exp.LTE(this=column.copy(), expression=_double(math.inf))
        passed = exp.And(this=self.at_least(column.copy(), rule.threshold), expression=number)
        return exp.Coalesce(this=passed, expressions=[exp.Boolean(this=False)])

    def at_least(self, column: exp.Expression, threshold: float) -> exp.Expression:
        """A score that is at least the threshold, whatever type the column has."""
        if isinstance(threshold, int) and abs(threshold) <= _EXACT_IN_SINGLE:
            return exp.GTE(this=column, expression=exp.Literal.number(threshold))
        least = float(threshold_in(np.dtype(float), threshold))
        if -_EXACT_IN_DOUBLE < threshold <= _EXACT_IN_DOUBLE or not -(2**63) <= threshold <= 2**64:
            return exp.GTE(this=column, expression=_double(least))
        # An integer column is compared with the integer, and `above` holds for all that pass. For a
        # column of floats the integer may be rounded, but not across any float: `above` settles it,
        # as does a comparison of doubles with the last double below.
        whole = math.ceil(threshold)
        below = math.nextafter(least, -math.inf)
        above = [exp.GT(this=column.copy(), expression=e) for e in (self.integer(int(below)), _double(below))]
        either = exp.Paren(this=exp.Or(this=above[0], expression=above[1]))
        return exp.And(this=exp.GTE(this=column, expression=self.integer(whole)), expression=either)

    def integer(self, number: int) -> exp.Expression:
        if self.dialect == "bigquery" and not -(2**63) < number < 2**63:  # its literals have 64 bits
            return exp.Cast(this=exp.Literal.string(str(number)), to=exp.DataType.build("decimal"))
        return exp.Literal.number(number)

    def mixture(
        self, key: exp.Expression, first: exp.Expression, others: Sequence[tuple[exp.Expression, int]]
    ) -> exp.Expression:
        """One of several decisions by the hash of the key; see :func:`rochull._core.keys.cuts`."""
        ifs = [exp.If(this=self.drawn(key.copy(), count), true=other) for other, count in reversed(others)]
        return exp.Case(ifs=ifs, default=first)

    def drawn(self, key: exp.Expression, count: int) -> exp.Expression:
        """Whether the hash of the key is among the first `count` of all; NULL for a NULL key.

        The hash is compared as eight hexadecimal digits, which are ordered like the numbers.
        """
        text = exp.Cast(this=key, to=exp.DataType.build("text"))
        salted: exp.Expression = exp.DPipe(this=_literal(f"{self.salt}:"), expression=text, safe=True)
        if self.dialect == "postgres":  # a database may have another encoding
            salted = exp.Anonymous(this="CONVERT_TO", expressions=[salted, exp.Literal.string("UTF8")])
        digits: exp.Expression = exp.Left(this=exp.MD5(this=salted), expression=exp.Literal.number(BITS // 4))
        if self.dialect == "postgres":  # and an order of its own
            digits = exp.Collate(this=digits, expression=exp.to_identifier("C", quoted=True))
        return exp.LT(this=digits, expression=exp.Literal.string(f"{count:0{BITS // 4}x}"))


def _double(number: float) -> exp.Expression:
    return exp.Cast(this=exp.Literal.string(repr(number + 0.0)), to=exp.DataType.build("double"))


def _literal(text: str) -> exp.Expression:
    """Text. All signs of ASCII but the plainest are given by their codes.

    Dialects, settings of one dialect, and what stands before a database (variables of Spark, templates,
    placeholders of a driver) differ in what the others mean between quotes.
    """
    text.encode()  # text that is no Unicode is refused here, as it is by `decide`
    if "\0" in text:
        raise ValueError("the policy's salt has a NUL character, which text in SQL cannot hold.")
    parts: list[exp.Expression] = []
    plain = ""
    for character in text:
        if ord(character) < 128 and not character.isalnum() and character not in _PLAIN:
            parts += [exp.Literal.string(plain)] * bool(plain)
            parts.append(exp.Chr(expressions=[exp.Literal.number(ord(character))]))
            plain = ""
        else:
            plain += character
    parts += [exp.Literal.string(plain)] * bool(plain)
    whole, *rest = parts
    for part in rest:
        whole = exp.DPipe(this=whole, expression=part, safe=True)
    return whole
