"""A decision as one SQL expression, the same row by row as that of `Policy.decide`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from rochull._core.extras import Later
from rochull._core.keys import cuts
from rochull.conditions.rules import OperatingPoint
from rochull.decisions.dialects.base import Dialect
from rochull.decisions.dialects.registry import dialect_of
from rochull.decisions.score_columns import of_policy

if TYPE_CHECKING:
    from sqlglot import exp
else:
    exp = Later("sqlglot.expressions", "sql")

Where: TypeAlias = str | tuple[str, str]


def expression(
    point: OperatingPoint,
    dialect: str,
    *,
    salt: str,
    key: Where | None,
    columns: Mapping[str, Where] | None,
    classifiers: Iterable[str],
) -> str:
    """The decision at an operating point; `classifiers` are those that `columns` may speak of."""
    spoken = dialect_of(dialect)
    where = places(columns or {}, {*classifiers, *point.classifiers}, spoken)
    drawn_by = None if key is None else spoken.column(key, "key")
    return spoken.text(decision(point, spoken, where, salt=salt, drawn_by=drawn_by))


def decision(
    point: OperatingPoint,
    dialect: Dialect,
    where: Mapping[str, exp.Expression],
    *,
    salt: str,
    drawn_by: exp.Expression | None,
) -> exp.Expression:
    """The same as a tree."""
    rules = [dialect.rule(rule, where) for rule, _ in point.rules]
    first, others = cuts([share for _, share in point.rules])
    if not others:
        return rules[first]
    if drawn_by is None:
        raise ValueError(
            f"key is needed: the decision is a mixture ({point}); name the column that identifies "
            "a case, or ask for deterministic=True."
        )
    later = [(rules[i], count) for i, count in others]
    return dialect.mixture(drawn_by, salt, rules[first], later)


def places(columns: Mapping[str, Any], known: set[str], dialect: Dialect) -> dict[str, exp.Expression]:
    """Where the scores of some classifiers are, unless in columns of their names."""
    own = of_policy(columns, sorted(known))
    return {name: dialect.column(where, f"columns[{name!r}]") for name, where in own.items()}
