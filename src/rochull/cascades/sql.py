"""A cascade's decision as one SQL expression, which reads a classifier's column where it is asked alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rochull._core.extras import Later
from rochull._core.keys import limit
from rochull._core.table_errors import unknown
from rochull.conditions.rules import Rule
from rochull.decisions.axes import Axis
from rochull.decisions.dialects.base import Dialect
from rochull.decisions.dialects.registry import dialect_of
from rochull.decisions.plans import Plan
from rochull.decisions.sql import Where
from rochull.segments.sql import of_edges

if TYPE_CHECKING:
    from sqlglot import exp
else:
    exp = Later("sqlglot.expressions", "sql")


def expression(
    plan: Plan,
    classifiers: Sequence[str],
    dialect: str,
    *,
    salt: str,
    key: Where | None,
    columns: Mapping[str, Where] | None,
) -> str:
    """What a plan does, for the columns of a row."""
    spoken = dialect_of(dialect)
    for name in columns or {}:
        if name not in classifiers:
            raise unknown(f"columns: {name!r} is not a classifier of the cascade", name, list(classifiers))
    if plan.is_mixed and key is None:
        raise ValueError(
            "key is needed: the decision is a mixture; name the column that identifies a case, or "
            "ask for deterministic=True."
        )
    places = {
        name: spoken.column((columns or {}).get(name, name), f"columns[{name!r}]")
        for name in plan.classifiers
    }
    drawn_by = None if key is None else spoken.column(key, "key")
    tree: exp.Expression = plan.to_sql(_Writer(spoken, places, drawn_by, salt))
    return spoken.text(tree)


@dataclass(frozen=True)
class _Writer:
    dialect: Dialect
    places: Mapping[str, exp.Expression]
    key: exp.Expression | None
    salt: str

    def rule(self, rule: Rule) -> exp.Expression:
        return self.dialect.rule(rule, self.places)

    def ask(
        self, classifier: str, edges: Sequence[float], branches: Sequence[exp.Expression]
    ) -> exp.Expression:
        axis, column = Axis(classifier, edges=tuple(edges), missing=True), self.places[classifier]
        every = [*branches, exp.Boolean(this=False)]
        group = np.array([every.index(each) for each in every])
        *whens, (_, rest) = of_edges(self.dialect, axis, group, column)
        ifs = [exp.If(this=test, true=every[cell]) for test, cell in whens]
        return exp.Case(ifs=ifs, default=every[rest])

    def lot(self, first: exp.Expression, second: exp.Expression, share: float) -> exp.Expression:
        assert self.key is not None
        return self.dialect.mixture(self.key, self.salt, first, [(second, limit(share))])
