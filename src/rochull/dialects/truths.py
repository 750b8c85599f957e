"""Decisions as the numbers 1 and 0, for databases in which a truth value cannot be stored.

There a test stands after WHEN and between AND and OR alone, and everywhere else a CASE that asks it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rochull._core.extras import Later

if TYPE_CHECKING:
    from sqlglot import exp
else:
    exp = Later("sqlglot.expressions", "sql")


def valued(tree: exp.Expression) -> exp.Expression:
    """The same as a value: TRUE is 1, and FALSE is 0; so is a test that is NULL."""
    if isinstance(tree, exp.Boolean):
        return exp.Literal.number(int(tree.this))
    if _is_test(tree):
        yes, no = exp.Literal.number(1), exp.Literal.number(0)
        return exp.Case(ifs=[exp.If(this=_asked(tree), true=yes)], default=no)
    if isinstance(tree, exp.Case):
        ifs = [exp.If(this=_asked(each.this), true=valued(each.args["true"])) for each in tree.args["ifs"]]
        default = tree.args.get("default")
        return exp.Case(ifs=ifs, default=default and valued(default))
    return _operands_valued(tree)


def _asked(tree: exp.Expression) -> exp.Expression:
    """The same as a test, which may be NULL for FALSE: nothing here is negated."""
    if isinstance(tree, exp.Boolean):
        return exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(int(tree.this)))
    if isinstance(tree, exp.Coalesce):
        return _asked(tree.this)
    if isinstance(tree, exp.Paren):
        return exp.Paren(this=_asked(tree.this))
    if isinstance(tree, exp.Connector):
        return type(tree)(this=_asked(tree.this), expression=_asked(tree.expression))
    if _is_test(tree):
        return _operands_valued(tree)
    return exp.EQ(this=valued(tree), expression=exp.Literal.number(1))


def _is_test(tree: exp.Expression) -> bool:
    if isinstance(tree, (exp.Coalesce, exp.Paren)):
        return _is_test(tree.this)
    return isinstance(tree, (exp.Predicate, exp.Connector))


def _operands_valued(tree: exp.Expression) -> exp.Expression:
    """A comparison or a calculation, of values."""
    made = tree.copy()
    for inner in [*made.iter_expressions()]:
        inner.replace(valued(inner))
    return made
