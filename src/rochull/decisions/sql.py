"""A plan as one SQL expression, the same row by row as what it decides in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rochull._core.extras import Later
from rochull._core.keys import cuts
from rochull._core.messages import Refusal, Setting, refused
from rochull.conditions.rules import Rule
from rochull.decisions import grids, products
from rochull.decisions.axes import Axis, Bins
from rochull.decisions.outputs import refuse_shared_columns
from rochull.decisions.plans import Largest, Lot, Plan
from rochull.dialects.base import CLASSIFIER, Dialect
from rochull.dialects.registry import dialect_of

if TYPE_CHECKING:
    from sqlglot import exp
else:
    exp = Later("sqlglot.expressions", "sql")

Where: TypeAlias = str | tuple[str, str]


def expression(
    plan: Plan, dialect: str, *, salt: str, key: Where | None, columns: Mapping[Any, Where]
) -> str:
    """Write a plan for the columns of a row; `columns` lists those not named after what they hold."""
    spoken = dialect_of(dialect)
    places = _places(plan, columns, spoken)
    drawn_by = None if key is None else spoken.column(key, "key")
    if key is None and any(isinstance(each, Lot) and cuts(each.shares)[1] for each in plan.walk()):
        raise _keyless(plan)
    return spoken.text(PlanSql(spoken, places, drawn_by, salt).written(plan))


def _keyless(plan: Plan) -> Refusal:
    if plan.classes:
        return refused(
            "key",
            "is needed: the decision is a mixture of weight vectors; name the column that identifies a case, "
            "or give one of the mixture's points.",
        )
    told = f" ({plan})" if isinstance(plan, Lot) else ""
    return refused(
        "key",
        "is needed: the decision is a mixture{}; name the column that identifies a case, or ask for {}.",
        *(told, Setting("deterministic", True)),
    )


def _places(plan: Plan, own: Mapping[Any, Any], dialect: Dialect) -> dict[Any, exp.Expression]:
    """The columns of a plan, and all that were named."""
    found = {name: dialect.column(where, f"columns[{name!r}]") for name, where in own.items()}
    of_class = set(plan.classes)
    for name in (*plan.classifiers, *plan.features):
        if name in found:
            continue
        if isinstance(name, int) and name not in of_class:
            raise ValueError(f"columns must say in which column the auxiliary feature {name} is.")
        called = "the auxiliary column" if name in plan.features else CLASSIFIER
        found[name] = dialect.column(str(name), f"columns[{name!r}]" if name in of_class else called)
    if of_class:
        refuse_shared_columns({label: own.get(label, str(label)) for label in plan.classes})
    return found


@dataclass(frozen=True)
class PlanSql:
    """A writer of plans in one dialect.

    Attributes
    ----------
    dialect : whose SQL.
    places : the columns of classifiers, classes and features.
    key : what identifies a case; None if nothing is left to lots.
    salt : goes before a key when it is hashed.
    """

    dialect: Dialect
    places: Mapping[Any, exp.Expression]
    key: exp.Expression | None
    salt: str

    def written(self, plan: Plan) -> exp.Expression:
        """The expression of a plan; of several classes NULL where an output is unusable."""
        tree: exp.Expression = plan.to_sql(self)
        if isinstance(plan, Largest) or (isinstance(plan, Lot) and _is_of_weights(plan)):
            return products.where_usable(tree, self._outputs(plan.classes), self.dialect)
        return tree

    def rule(self, rule: Rule) -> exp.Expression:
        return self.dialect.rule(rule, self.places)

    def lot(self, parts: Sequence[tuple[Plan, float]]) -> exp.Expression:
        first, others = cuts([share for _, share in parts])
        weights = all(isinstance(plan, Largest) for plan, _ in parts)
        trees = [plan.to_sql(self) if weights else self.written(plan) for plan, _ in parts]
        if not others:
            return trees[first]
        assert self.key is not None
        return self.dialect.mixture(self.key, self.salt, trees[first], [(trees[i], n) for i, n in others])

    def ask(self, classifier: str, edges: Sequence[float], branches: Sequence[Plan]) -> exp.Expression:
        axis, column = Axis(classifier, edges=tuple(edges), missing=True), self.places[classifier]
        every = [*map(self.written, branches), exp.Boolean(this=False)]
        group = np.array([every.index(each) for each in every])
        *whens, (_, rest) = grids.of_edges(self.dialect, axis, group, column)
        ifs = [exp.If(this=test, true=every[cell]) for test, cell in whens]
        return exp.Case(ifs=ifs, default=every[rest])

    def among(self, parts: Bins, branches: Sequence[Plan], elsewhere: Plan | None) -> exp.Expression:
        every = [*branches, elsewhere]
        place = {plan: i for i, plan in enumerate(dict.fromkeys(every))}
        trees = [exp.Null() if plan is None else self.written(plan) for plan in place]
        of_segment = np.array([place[plan] for plan in every])
        return grids.by_segment(self.dialect, parts, self.places, trees, of_segment)

    def largest(self, classes: Sequence[Any], weights: Sequence[float]) -> exp.Expression:
        pairs = zip(weights, self._outputs(classes), strict=True)
        weighed = [products.product(weight, output, self.dialect) for weight, output in pairs]
        return products.decision(weighed, classes, self.dialect)

    def _outputs(self, classes: Sequence[Any]) -> list[exp.Expression]:
        return [self.dialect.as_double(self.places[label]) for label in classes]


def _is_of_weights(plan: Lot) -> bool:
    return all(isinstance(later, Largest) for later in plan.later)
