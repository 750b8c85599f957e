"""A decision by groups as one SQL expression, the same row by row as that of `GroupPolicy.decide`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rochull._core.extras import Later
from rochull.conditions.rules import OperatingPoint
from rochull.decisions.dialects import categories
from rochull.decisions.dialects.base import Dialect
from rochull.decisions.dialects.registry import dialect_of
from rochull.decisions.sql import Where, decision, places

if TYPE_CHECKING:
    from sqlglot import exp
else:
    exp = Later("sqlglot.expressions", "sql")


def expression(
    points: Mapping[Any, OperatingPoint],
    unseen: OperatingPoint | None,
    dialect: str,
    *,
    group: Where,
    salt: str,
    key: Where | None,
    columns: Mapping[str, Where] | None,
) -> str:
    """A CASE over the groups; NULL for a case of another one, unless a point decides it."""
    spoken = dialect_of(dialect)
    named = [name for name in points if name is not None]
    categories.refuse_mixed("the column of the groups", named, "write them as texts")
    column = spoken.column(group, "group")
    every = [*points.values(), *([] if unseen is None else [unseen])]
    known = {name for point in every for name in point.classifiers}
    where = places(columns or {}, known, spoken)
    drawn_by = None if key is None else spoken.column(key, "key")
    trees = {
        name: decision(point, spoken, where, salt=salt, drawn_by=drawn_by) for name, point in points.items()
    }
    whens = [
        exp.If(this=_is(spoken, column, name, named), true=tree)
        for name, tree in trees.items()
        if name is not None
    ]
    rest: exp.Expression
    rest = exp.Null() if unseen is None else decision(unseen, spoken, where, salt=salt, drawn_by=drawn_by)
    if None in points:
        if categories.are_numbers(named):  # what is none is missing: NULL, or NaN
            whens.append(exp.If(this=spoken.is_number(column), true=rest))
            rest = trees[None]
        else:
            missing = exp.Is(this=column.copy(), expression=exp.Null())
            whens.append(exp.If(this=missing, true=trees[None]))
    return spoken.text(exp.Case(ifs=whens, default=rest))


def _is(dialect: Dialect, column: exp.Expression, name: Any, every: list[Any]) -> exp.Expression:
    return exp.In(
        this=categories.side(dialect, column, every), expressions=categories.values(dialect, [name], every)
    )
