"""What SQL Server and Oracle are sent, translated by sqlglot for DuckDB: no server of theirs is at hand.

Their functions are replaced by what their manuals say of them. The hash must be that of bytes in UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import sqlglot
from sqlglot import exp
from sqlglot.dialects.oracle import Oracle


class OracleSyntax(Oracle):
    """That of sqlglot does not know the literals of BINARY_DOUBLE."""

    class Tokenizer(Oracle.Tokenizer):
        NUMERIC_LITERALS = {"D": "DOUBLE"}  # noqa: RUF012


def parsed(text: str, dialect: str) -> exp.Expr:
    (tree,) = sqlglot.parse(text, read=OracleSyntax if dialect == "oracle" else dialect)
    assert tree is not None
    return tree


def in_duckdb(text: str, dialect: str) -> str:
    """The same decision, 1 or 0, for DuckDB."""
    of = {"tsql": _of_tsql, "oracle": _of_oracle}[dialect]
    return _translated(parsed(text, dialect), of).sql("duckdb")


def _translated(node: exp.Expression, of: Callable[[exp.Expression], exp.Expression]) -> exp.Expression:
    made = of(node)
    for inner in [*made.iter_expressions()]:
        inner.replace(_translated(inner, of))
    return made


def _hashed(text: exp.Expression, limit: str) -> exp.Expression:
    digits = exp.Left(this=exp.MD5(this=text), expression=exp.Literal.number(8))
    return exp.LT(this=digits, expression=exp.Literal.string(limit))


def _of_tsql(node: exp.Expression) -> exp.Expression:
    if isinstance(node, exp.LT) and isinstance(node.this, exp.Substring):
        assert node.this.sql("tsql").endswith(", 1, 4)")
        encoded = node.this.this.this  # of the MD5
        assert encoded.to.sql("tsql") == "VARCHAR(MAX)"
        assert encoded.this.expression.name.endswith("_SC_UTF8")
        return _hashed(encoded.this.this, node.expression.name)
    if isinstance(node, exp.Collate):
        assert node.expression.name == "Latin1_General_100_BIN2"
        return node.this
    numbers = (cast.to.sql("tsql") == "FLOAT" for cast in node.find_all(exp.Cast))
    if isinstance(node, exp.Add) and not any(numbers):  # numbers are added, texts are joined
        return exp.DPipe(this=node.this, expression=node.expression, safe=True)
    if isinstance(node, exp.DataType):  # FLOAT has 53 bits there
        return exp.DataType.build({"FLOAT": "double", "NVARCHAR(MAX)": "text"}[node.sql("tsql")])
    return exp.Literal.string(node.name) if isinstance(node, exp.National) else node


def _of_oracle(node: exp.Expression) -> exp.Expression:
    if isinstance(node, exp.LT) and node.this.sql("oracle").startswith("UTL_RAW.SUBSTR"):
        hashed, *ends = node.this.expression.expressions
        assert [end.name for end in ends] == ["1", "4"]
        assert hashed.expression.name == "MD5"
        return _hashed(_of_utf8(hashed.this), node.expression.expressions[0].name)
    if isinstance(node, exp.Dot):
        encoded = exp.Anonymous(this="ENCODE", expressions=[_of_utf8(node)])
        return exp.Lower(this=exp.Anonymous(this="HEX", expressions=[encoded]))
    if isinstance(node, exp.Anonymous):
        (first,) = node.expressions if len(node.expressions) == 1 else [None]
        if node.name == "UNISTR":
            return exp.Literal.string(_unescaped(first.name))
        if node.name == "HEXTORAW":
            return exp.Literal.string(first.name)
        if node.name == "TO_NCHAR":
            return exp.Cast(this=first, to=exp.DataType.build("text"))
    if isinstance(node, exp.Column) and node.name == "BINARY_DOUBLE_INFINITY":
        return exp.Cast(this=exp.Literal.string("inf"), to=exp.DataType.build("double"))
    if isinstance(node, exp.Cast):
        number = node.this if isinstance(node.this, exp.Column) else exp.Literal.string(node.this.name)
        return exp.Cast(this=number, to=exp.DataType.build("double"))
    return node


def _of_utf8(node: exp.Expression) -> exp.Expression:
    called = node.expression
    assert called.name == "STRING_TO_RAW"
    assert called.expressions[1].name == "AL32UTF8"
    return called.expressions[0]


def _unescaped(text: str) -> str:
    """What UNISTR makes of a text: four hexadecimal digits are a unit of UTF-16."""
    units = re.sub(r"\\([0-9A-F]{4})", lambda found: chr(int(found[1], 16)), text)
    return units.encode("utf-16", "surrogatepass").decode("utf-16")
