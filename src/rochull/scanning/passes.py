"""All columns of a table in the same passes: two, as long as no column has to be refined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np

from rochull._core.threads import told_if_long
from rochull._core.validation import Array
from rochull.hull.tallies import Units
from rochull.hull.tasks import Buckets, Task
from rochull.scanning import column
from rochull.scanning.engines.table import Column, ScoreTable
from rochull.scanning.held import HeldGroups, HeldRows, ScannedColumns

_SAMPLE, _GROUPS_A_SAMPLE = 1 << 16, 4  # rows of a column; groups of a common size make do with a part each


def scan_columns(table: ScoreTable, max_error: float) -> ScannedColumns:
    """Scan all columns of a table in the same passes: two, as long as no column has to be refined.

    Where a table says so, some columns have their passes after the others.
    """
    parts = _parts(table)
    small = _small(table, parts)
    counted: Mapping[Column, Buckets] = getattr(table, "counted", {})  # before the first pass
    large = [i for i, (rows, _) in enumerate(parts) if i not in small and rows > column.SMALL]
    unknown = set(product(table.scores, large)) - set(counted)
    drawn = table.sample(_SAMPLE * min(16, -(-len(large) // _GROUPS_A_SAMPLE))) if unknown else {}
    sample = {key: scores[:: max(1, scores.size // _SAMPLE)] for key, scores in drawn.items()}
    done: dict[Column, column.ScannedColumn] = {}
    held: dict[Column, HeldGroups] = {}
    at_once = getattr(table, "columns_at_once", 0) or len(table.scores)
    for begin in range(0, len(table.scores), at_once):
        _scan(
            table,
            table.scores[begin : begin + at_once],
            max_error,
            parts,
            small,
            sample=sample,
            done=done,
            held=held,
        )
    return ScannedColumns(done, held, small)


def _scan(
    table: ScoreTable,
    names: Sequence[str],
    max_error: float,
    parts: Sequence[tuple[int, Units]],
    small: Mapping[int, int],
    *,
    sample: Mapping[Column, Array],
    done: dict[Column, column.ScannedColumn],
    held: dict[Column, HeldGroups],
) -> None:
    """Scan some columns of scores in the same passes."""
    columns = [(name, group) for name in names for group in range(len(parts)) if group not in small]
    counted: Mapping[Column, Buckets] = getattr(table, "counted", {})  # before the first pass
    large = [c for c in columns if parts[c[1]][0] > column.SMALL and c not in counted]
    budget = getattr(table, "most_buckets", column.MOST_BUCKETS) // max(1, len(large))
    pending, asked, found = {}, {}, {}
    for key in columns:
        rows, units = parts[key[1]]
        pending[key] = column.scan_column(
            rows, units, sample.get(key, np.zeros(0)), column.n_buckets(rows, budget),
            max_error=max_error, limit=table.limit * len(table.scores) // len(names), most=budget,
            buckets=counted.get(key),
        )  # fmt: skip
        asked[key] = next(pending[key])
    first = _held(table, names, small)
    while asked:
        with told_if_long(f"pass over the table for {len(asked):,} columns and groups of rows"):
            answers = table.answer(asked | first)
        held |= {(name, -number): answers[name, number][0] for name, number in first}
        waiting, asked, first = asked, {}, {}
        for key in waiting:
            try:
                asked[key] = pending[key].send(answers[key])
            except StopIteration as stop:
                found[key] = stop.value
    done |= {key: found[key] for key in columns}


def _parts(table: ScoreTable) -> Sequence[tuple[int, Units]]:
    """Rows and unit of every group. A table may know them before the first pass has counted the classes."""
    known: Sequence[tuple[int, Units]] | None = getattr(table, "parts", None)
    return known if known is not None else [(group.rows, group.units) for group in table.groups]


def _small(table: ScoreTable, parts: Sequence[tuple[int, Units]]) -> dict[int, int]:
    """The numbers of the groups that are held together, and of the first of their kind."""
    if len(parts) == 1 or not getattr(table, "tells_codes", False):
        return {}
    first: dict[str, int] = {}
    for number, group in enumerate(table.groups):
        first.setdefault(group.kind, number)
    return {
        number: first[group.kind]
        for number, group in enumerate(table.groups)
        if number and group.rows <= column.SMALL and not group.units.is_wide
    }


def _held(table: ScoreTable, names: Sequence[str], small: Mapping[int, int]) -> dict[Column, list[Task]]:
    """The tasks that bring the rows of small groups: one for all of a kind."""
    found: dict[Column, list[Task]] = {}
    for first in dict.fromkeys(small.values()):
        kind = table.groups[first].kind
        groups = [group for group in table.groups if group.kind == kind]
        rows = np.array([(group.n_neg, group.n_pos) for group in groups])
        wanted = np.array([first + code in small for code in range(len(groups))])
        for name in names:
            found[name, -first] = [HeldRows(rows, [group.units for group in groups], wanted)]
    return found
