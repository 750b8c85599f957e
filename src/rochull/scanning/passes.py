"""All columns of a table in the same passes: two, as long as no column has to be refined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from rochull._core.threads import told_if_long
from rochull._core.validation import Array
from rochull.hull.tallies import Units
from rochull.hull.tasks import Buckets, Task
from rochull.scanning import column
from rochull.scanning.engines.table import Column, ScoreTable
from rochull.scanning.held import HeldGroups, HeldRows, ScannedColumns, SortedRows

_SAMPLE, _GROUPS_A_SAMPLE = 1 << 16, 4  # rows of a column; groups of a common size make do with a part each
# A group of so many rows at most is sorted, if memory allows: of more, as much is settled by counting.
_MOST_SORTED = 1 << 21
# Bytes of a row of what may be collected, of all rows that are sorted and of those that are looked at.
_COLLECTED, _SORTED, _LOOKED_AT = 40, 8, 64
_SHARE_OF_OTHERS = 4  # a quarter of what may be collected is for the groups that are not sorted


def scan_columns(table: ScoreTable, max_error: float) -> ScannedColumns:
    """Scan all columns of a table in the same passes: two, as long as no column has to be refined.

    Where a table says so, some columns have their passes after the others.
    """
    parts = _parts(table)
    at_once = getattr(table, "columns_at_once", 0) or len(table.scores)
    small = _small(table, parts)
    ordered, looked_at = _ordered(table, parts, small, at_once)
    counted: Mapping[Column, Buckets] = getattr(table, "counted", {})  # before the first pass
    apart = small | ordered
    large = [i for i, (rows, _) in enumerate(parts) if i not in apart and rows > column.SMALL]
    unknown = set(product(table.scores, large)) - set(counted)
    drawn = table.sample(_SAMPLE * min(16, -(-len(large) // _GROUPS_A_SAMPLE))) if unknown else {}
    sample = {key: scores[:: max(1, scores.size // _SAMPLE)] for key, scores in drawn.items()}
    scan = _Scan(table, max_error, parts, small, ordered, looked_at, sample)
    for begin in range(0, len(table.scores), at_once):
        scan.add(table.scores[begin : begin + at_once])
    return ScannedColumns(scan.done, scan.held, small)


@dataclass(frozen=True, eq=False)
class _Scan:
    """A scan of all columns of scores, some after the others.

    Attributes
    ----------
    parts : rows and unit of every group.
    small, ordered : the numbers of the groups that are held together, or sorted; the first of their kind.
    looked_at : how many of those that are sorted may be looked at at once.
    sample : scores of the others.
    """

    table: ScoreTable
    max_error: float
    parts: Sequence[tuple[int, Units]]
    small: Mapping[int, int]
    ordered: Mapping[int, int]
    looked_at: int
    sample: Mapping[Column, Array]
    done: dict[Column, column.ScannedColumn] = field(default_factory=dict)
    held: dict[Column, HeldGroups] = field(default_factory=dict)

    def add(self, names: Sequence[str]) -> None:
        """Scan some columns of scores in the same passes."""
        pending = self._begun(names)
        asked = {key: next(rounds) for key, rounds in pending.items()}
        beside = self._beside(names)
        found = {}
        while asked:
            with told_if_long(f"pass over the table, columns and groups of rows: {len(asked):,}"):
                answers = self.table.answer(asked | beside)
            for key, tasks in beside.items():
                for task, answer in zip(tasks, answers[key], strict=True):
                    self._keep(key, task, answer)
            waiting, asked, beside = asked, {}, {}
            for key in waiting:
                try:
                    asked[key] = pending[key].send(answers[key])
                except StopIteration as stop:
                    found[key] = stop.value
        self.done.update(found)

    def _begun(self, names: Sequence[str]) -> dict[Column, Any]:
        """A generator for each column, which has not begun."""
        apart = {*self.small, *self.ordered}
        columns = [(name, group) for name in names for group in range(len(self.parts)) if group not in apart]
        counted: Mapping[Column, Buckets] = getattr(self.table, "counted", {})  # before the first pass
        large = [c for c in columns if self.parts[c[1]][0] > column.SMALL and c not in counted]
        budget = getattr(self.table, "most_buckets", column.MOST_BUCKETS) // max(1, len(large))
        limit = self.table.limit * len(self.table.scores) // len(names)
        if self.ordered:  # which take the rest of what may be collected
            limit = max(1, getattr(self.table, "collect", 0) // _SHARE_OF_OTHERS // len(columns))
        begun = {}
        for key in columns:
            rows, units = self.parts[key[1]]
            begun[key] = column.scan_column(
                rows, units, self.sample.get(key, np.zeros(0)), column.n_buckets(rows, budget),
                max_error=self.max_error, limit=limit, most=budget, buckets=counted.get(key),
            )  # fmt: skip
        return begun

    def _beside(self, names: Sequence[str]) -> dict[Column, list[Task]]:
        """The tasks that bring the rows of groups that are held or sorted: one for all of a kind."""
        found: dict[Column, list[Task]] = {}
        kinds = [group.kind for group in self.table.groups] if self.small or self.ordered else []
        for numbers, make in ((self.small, HeldRows), (self.ordered, self._sorted)):
            for first in dict.fromkeys(numbers.values()):
                groups = self.table.groups[first : first + kinds.count(kinds[first])]
                rows = np.array([(group.n_neg, group.n_pos) for group in groups])
                wanted = np.array([first + code in numbers for code in range(len(groups))])
                for name in names:
                    task = make(rows, [group.units for group in groups], wanted)
                    found.setdefault((name, -first), []).append(task)
        return found

    def _sorted(self, rows: Array, units: Sequence[Units], wanted: Array) -> SortedRows:
        return SortedRows(rows, units, wanted, self.max_error, self.looked_at)

    def _keep(self, key: Column, task: Task, answer: Any) -> None:
        name, number = key
        if isinstance(task, SortedRows):
            self.done.update({(name, code - number): found for code, found in answer.items()})
        else:
            self.held[name, -number] = answer


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


def _ordered(
    table: ScoreTable, parts: Sequence[tuple[int, Units]], small: Mapping[int, int], columns: int
) -> tuple[dict[int, int], int]:
    """The numbers of further groups whose rows are sorted, and of the first of their kind; how many at once.

    All of a kind are, but for the largest; as long as their rows, of so many columns, may be held, and one of
    them looked at. Which are does not depend on the threads: these look at as many as there is room for.
    """
    most = getattr(table, "collect", 0) * _COLLECTED * (_SHARE_OF_OTHERS - 1) // _SHARE_OF_OTHERS
    groups = table.groups if len(parts) > 1 and most and getattr(table, "tells_codes", False) else ()
    of_kind: dict[str, list[int]] = {}
    for number, group in enumerate(groups):
        if number and number not in small and group.rows <= _MOST_SORTED and not group.units.weighted:
            of_kind.setdefault(group.kind, []).append(number)
    found: dict[int, int] = {}
    largest = 1
    for kind, numbers in of_kind.items():
        rows = [groups[number].rows for number in numbers]
        taken = columns * _SORTED * sum(rows)
        if taken + _LOOKED_AT * max(largest, *rows) <= most:
            most, largest = most - taken, max(largest, *rows)
            first = next(i for i, group in enumerate(groups) if group.kind == kind)
            found |= dict.fromkeys(numbers, first)
    return found, max(1, most // (_LOOKED_AT * largest))
