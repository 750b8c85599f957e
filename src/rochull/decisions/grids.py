"""A decision by segments, or by ranges of a score, in SQL: the same row by row as in Python.

What is decided is a grid: an expression for each combination of cells of the auxiliary columns.
It becomes a CASE over the first column, whose branches are a CASE over the second, and so on. Cells whose
branches are equal are one WHEN, and a column whose cells are all alike is left out, so that the text is as
long as the decision is complicated and not as the bins are many.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rochull._core.extras import Later
from rochull._core.validation import Array
from rochull.decisions.axes import Axis, Bins, Column
from rochull.dialects import categories as written
from rochull.dialects.base import Dialect

if TYPE_CHECKING:
    from sqlglot import exp

    Whens = Iterator[tuple[exp.Expression | None, int]]
else:
    exp = Later("sqlglot.expressions", "sql")


def by_segment(
    dialect: Dialect,
    bins: Bins,
    places: Mapping[Column, exp.Expression],
    trees: Sequence[exp.Expression],
    of_segment: Array,
) -> exp.Expression:
    """The tree of each segment's number among `trees`, the last segment being of cases elsewhere."""
    return _CaseWriter(dialect, bins, places, trees).branch(_grid(bins, of_segment))


def _grid(bins: Bins, of_segment: Array) -> Array:
    """Find what decides each combination of cells; the last cell of an axis holds values never seen.

    Where missing values were seen, an axis of edges has a cell for everything.
    """
    grid = of_segment[bins.of_cell].reshape([len(axis) for axis in bins.axes])
    more = [(0, int(axis.edges is None or not axis.missing)) for axis in bins.axes]
    return np.pad(grid, more, constant_values=of_segment[-1])


@dataclass(frozen=True)
class _CaseWriter:
    dialect: Dialect
    bins: Bins
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
        axis = self.bins.axes[depth]
        column = self.places[axis.column]
        if axis.categories is None:
            *whens, (_, rest) = of_edges(self.dialect, axis, group, column)
        else:
            written.refuse_mixed(self.bins.told(axis), axis.categories, self.bins.remedy)
            *whens, (_, rest) = _of_categories(self.dialect, axis, group, column)
        return exp.Case(
            ifs=[exp.If(this=test, true=self.branch(grid[cell], depth + 1)) for test, cell in whens],
            default=self.branch(grid[rest], depth + 1),
        )


def of_edges(dialect: Dialect, axis: Axis, group: Array, column: exp.Expression) -> Whens:
    """Return tests in turn, each with the cell it leads to; the last, without a test, is for missing values.

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
