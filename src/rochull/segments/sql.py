"""A decision by segments as one SQL expression, the same row by row as that of `SegmentPolicy.decide`.

What is decided is a grid: a rule, or a pair of them, for each combination of cells of the auxiliary columns.
It becomes a CASE over the first column, whose branches are a CASE over the second, and so on. Cells whose
branches are equal are one WHEN, and a column whose cells are all alike is left out, so that the text is as
long as the decision is complicated and not as the bins are many.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core.extras import Later
from rochull._core.keys import cuts
from rochull._core.validation import Array
from rochull.conditions.rules import Rule
from rochull.decisions.axes import Axis, Bins, Column
from rochull.decisions.dialects import categories as written
from rochull.decisions.dialects.base import Dialect
from rochull.decisions.dialects.registry import dialect_of
from rochull.decisions.score_columns import of_policy
from rochull.decisions.sql import Where

if TYPE_CHECKING:
    from sqlglot import exp

    Whens = Iterator[tuple[exp.Expression | None, int]]
else:
    exp = Later("sqlglot.expressions", "sql")


def expression(
    rules: Sequence[tuple[Sequence[Rule], float]],
    bins: Bins,
    dialect: str,
    *,
    salt: str,
    key: Where | None,
    columns: Mapping[Any, Where] | None,
    classifiers: Iterable[str],
) -> str:
    """The decision by one rule in each segment, the last being of cases elsewhere, or by a mixture."""
    spoken = dialect_of(dialect)
    places = _places(columns or {}, {*classifiers}, bins, spoken)
    drawn_by = None if key is None else spoken.column(key, "key")
    first, others = cuts([share for _, share in rules])
    if others and drawn_by is None:
        raise ValueError(
            "key is needed: the decision is a mixture; name the column that identifies a case, or "
            "ask for deterministic=True."
        )
    of_segment = list(zip(*(rules[i][0] for i in (first, *(i for i, _ in others))), strict=True))
    leaves = {own: i for i, own in enumerate(dict.fromkeys(of_segment))}
    trees = []
    for own in leaves:
        tree, *later = (spoken.rule(rule, places) for rule in own)
        if drawn_by is not None and len(set(own)) > 1:
            tree = spoken.mixture(
                drawn_by, salt, tree, [(t, n) for t, (_, n) in zip(later, others, strict=True)]
            )
        trees.append(tree)
    grid = _grid(bins, np.array([leaves[own] for own in of_segment]))
    return spoken.text(_CaseWriter(spoken, bins.axes, places, trees).branch(grid))


def _grid(bins: Bins, of_segment: Array) -> Array:
    """What decides each combination of cells; the last cell of an axis is that of values never seen.

    Where missing values were seen, an axis of edges has a cell for everything.
    """
    grid = of_segment[bins.of_cell].reshape([len(axis) for axis in bins.axes])
    more = [(0, int(axis.edges is None or not axis.missing)) for axis in bins.axes]
    return np.pad(grid, more, constant_values=of_segment[-1])


def _places(
    columns: Mapping[Any, Where], classifiers: set[str], bins: Bins, dialect: Dialect
) -> dict[Column, exp.Expression]:
    """Where the columns are that are not simply called as in the policy, and all auxiliary ones."""
    known = [*sorted(classifiers), *(column for column in bins.columns if column not in classifiers)]
    columns = of_policy(columns, known, "a classifier or an auxiliary column of the policy")
    found: dict[Column, exp.Expression] = {}
    for name in known:
        where = columns.get(name)
        if where is None and isinstance(name, int):
            raise ValueError(f"columns must say in which column the auxiliary feature {name} is.")
        place = "the auxiliary column" if where is None else f"columns[{name!r}]"
        if where is not None or name in bins.columns:
            found[name] = dialect.column(name if where is None else where, place)
    return found


@dataclass(frozen=True)
class _CaseWriter:
    dialect: Dialect
    axes: tuple[Axis, ...]
    places: Mapping[Column, exp.Expression]
    leaves: Sequence[exp.Expression]

    def branch(self, grid: Array, depth: int = 0) -> exp.Expression:
        """The decision inside of some cells of the first `depth` axes; `grid` is of the others."""
        if (grid == grid.flat[0]).all():
            return self.leaves[int(grid.flat[0])].copy()
        _, group = np.unique(grid.reshape(len(grid), -1), axis=0, return_inverse=True)
        group = group.reshape(-1)
        if (group == group[0]).all():
            return self.branch(grid[0], depth + 1)
        axis = self.axes[depth]
        column = self.places[axis.column]
        ask = of_edges if axis.categories is None else _of_categories
        *whens, (_, rest) = ask(self.dialect, axis, group, column)
        return exp.Case(
            ifs=[exp.If(this=test, true=self.branch(grid[cell], depth + 1)) for test, cell in whens],
            default=self.branch(grid[rest], depth + 1),
        )


def of_edges(dialect: Dialect, axis: Axis, group: Array, column: exp.Expression) -> Whens:
    """What to ask in turn, and the cell to go to; the last, without a question, is of missing values.

    Neither NULL nor NaN is below any number or infinity, in any dialect.
    """
    edges, missing = axis.edges or (), len(group) - 1
    for cell, edge in enumerate(edges):
        if group[cell] != group[cell + 1]:
            low, high = dialect.unfolded(column), dialect.unfolded(dialect.double(edge))
            yield exp.LT(this=low, expression=high), cell
    if group[len(edges)] != group[missing]:
        yield dialect.is_number(column), len(edges)
    yield None, missing


def _of_categories(dialect: Dialect, axis: Axis, group: Array, column: exp.Expression) -> Whens:
    """The same; categories with equal branches are asked for together."""
    categories, unseen = axis.categories or (), len(group) - 1
    written.refuse_mixed(f"aux column {axis.column!r}", categories, "write them as texts before fitting")
    for own in dict.fromkeys(group[: len(categories)].tolist()):
        cells = np.flatnonzero(group[: len(categories)] == own).tolist()
        values = written.values(dialect, [categories[i] for i in cells], categories)
        if own != group[unseen] and values:
            yield exp.In(this=written.side(dialect, column, categories), expressions=values), cells[0]
    missing = len(categories) if axis.missing else unseen
    if group[missing] == group[unseen]:
        yield None, unseen
    elif written.are_numbers(categories):
        yield dialect.is_number(column), unseen
        yield None, missing
    else:
        yield exp.Is(this=column.copy(), expression=exp.Null()), missing
        yield None, unseen
