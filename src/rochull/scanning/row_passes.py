"""The rows of a scan read again and again, some thousands at a time, with their columns side by side."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

import numpy as np

from rochull._core import validation
from rochull._core.validation import Array, Labelled
from rochull.hull.tasks import Task
from rochull.scanning.column import MOST_BUCKETS
from rochull.scanning.engines.table import Column, ScanGroup, ScoreTable
from rochull.scanning.scanned import ScannedTable

ROWS = 1 << 16  # that are in a piece, at most
Pieces: TypeAlias = list[tuple[Array, ...]]
Of: TypeAlias = Callable[[Labelled], tuple[Array, ...]]
Mapped: TypeAlias = Callable[[Array], Array]  # from scores (n,), or (n, k), to one number for each


@dataclass(frozen=True, eq=False)
class _Each(Task):
    """Have a function make something of every piece of the rows."""

    of: Of

    def start(self, share: float) -> Pieces:
        return []

    def add(self, state: Pieces, data: Labelled) -> bool:
        state += (self.of(data.part(slice(i, i + ROWS))) for i in range(0, len(data.scores), ROWS))
        return True

    def partial(self, states: Sequence[Pieces]) -> Pieces:
        return self.combine(states)

    def combine(self, partials: Sequence[Pieces]) -> Pieces:
        return [piece for part in partials for piece in part]


@dataclass(frozen=True, eq=False)
class _Wrapped(Task):
    """A task that is given other scores than those of the rows."""

    task: Task

    def __copy__(self) -> Self:
        return replace(self, task=copy(self.task))

    def start(self, share: float) -> Any:
        return self.task.start(share)

    def partial(self, states: Sequence[Any]) -> Any:
        return self.task.partial(states)

    def combine(self, partials: Sequence[Any]) -> Any:
        return self.task.combine(partials)


@dataclass(frozen=True, eq=False)
class _OfMapped(_Wrapped):
    """A task of what the scores are mapped to."""

    mapped: Mapped

    def add(self, state: Any, data: Labelled) -> bool:
        # Piece by piece, or what a batch is mapped to would be in memory beside it.
        pieces = (data.part(slice(i, i + ROWS)) for i in range(0, len(data.scores), ROWS))
        return all(
            self.task.add(state, Labelled(piece.positive, self.mapped(piece.scores), piece.weights))
            for piece in pieces
        )


class _Waiting(threading.local):
    """The columns of rows whose last column has not come yet: each thread works on rows of its own."""

    def __init__(self) -> None:
        self.columns: dict[str, deque[Array]] = {}


@dataclass(frozen=True, eq=False)
class _Beside(_Wrapped):
    """One of several columns; the one that comes last has the task done, of all side by side (n, k)."""

    names: Sequence[str]
    name: str
    is_last: bool
    waiting: _Waiting

    def start(self, share: float) -> Any:
        self.waiting.columns[self.name] = deque()
        return super().start(share)

    def add(self, state: Any, data: Labelled) -> bool:
        own = validation.cast(data.scores, np.dtype(float), f"score column {self.name!r}")
        self.waiting.columns[self.name].append(own)
        if not self.is_last:
            return True
        columns = [self.waiting.columns[name].popleft() for name in self.names]
        return self.task.add(state, Labelled(data.positive, np.column_stack(columns), data.weights))


@dataclass(frozen=True, eq=False)
class RowPasses:
    """Rows that are read anew for each question; no more than some thousands of them are held.

    Attributes
    ----------
    table : the rows, opened by an engine.
    names : the columns of scores that are read, in this order.
    groups : the numbers of the groups, which share no row, that they are in.
    """

    table: ScoreTable
    names: tuple[str, ...]
    groups: tuple[int, ...]

    @property
    def parts(self) -> list[ScanGroup]:
        """The groups."""
        return [self.table.groups[number] for number in self.groups]

    @property
    def count(self) -> int:
        """How many rows there are."""
        return sum(part.rows for part in self.parts)

    @property
    def weighted(self) -> bool:
        """Whether they have weights."""
        return self.parts[0].units.weighted

    def each(self, of: Of | Mapping[int, Of]) -> Pieces:
        """Read all rows once, and collect what a function, or that of their group, makes of each piece.

        Pieces are the same and in the same order whatever the threads did, where row groups are decoded here.
        """
        own = of if isinstance(of, Mapping) else dict.fromkeys(self.groups, of)
        found = self.answers({number: [_Each(own[number])] for number in self.groups})
        pieces = [piece for number in self.groups for piece in found[number][0]]
        return sorted(pieces, key=lambda piece: [array.tobytes() for array in piece])

    def sums(self, of: Of | Mapping[int, Of]) -> list[Array]:
        """Add up, without rounding in between, what a function makes of each piece; in one pass."""
        from math import fsum

        columns = zip(*self.each(of), strict=True)
        stacked = (np.stack(column) for column in columns)
        return [np.array([fsum(one) for one in np.reshape(c, (len(c), -1)).T.tolist()]) for c in stacked]

    def answers(self, tasks: Mapping[int, Sequence[Task]]) -> dict[int, list[Any]]:
        """Answer tasks of the columns side by side, by group, in one pass."""
        asked: dict[Column, list[Task]] = {}
        read = [name for name in self.table.scores if name in self.names]  # in the order in which they come
        for number, row in tasks.items():
            waiting = [_Waiting() for _ in row]
            for name in read:
                beside = (
                    _Beside(task, self.names, name, name == read[-1], held)
                    for task, held in zip(row, waiting, strict=True)
                )
                asked[name, number] = list(row if len(read) == 1 else beside)
        found = self.table.answer(asked)
        return {number: found[read[-1], number] for number in tasks}

    def mapped(self, to: Mapped | Mapping[int, Mapped], sample: Array) -> ScannedTable:
        """A scan of what the scores are mapped to, all rows by one map or each group by its own.

        Parameters
        ----------
        sample : about what they are mapped to, in any number.
        """
        own = to if isinstance(to, Mapping) else dict.fromkeys(self.groups, to)
        return ScannedTable(_MappedTable(self, own, sample), max_error=1e-4)


class _MappedTable:
    """Rows whose one score is what theirs are mapped to."""

    scores: tuple[str, ...] = ("llr",)
    groups: tuple[ScanGroup, ...]

    def __init__(self, rows: RowPasses, to: Mapping[int, Mapped], sample: Array) -> None:
        self._rows, self._to, self._sample = rows, to, sample
        self.limit = rows.table.limit
        self.most_buckets = getattr(rows.table, "most_buckets", MOST_BUCKETS)
        parts = rows.parts
        n_neg, n_pos = (sum(getattr(part, name) for part in parts) for name in ("n_neg", "n_pos"))
        heaviest = np.sum([part.heaviest for part in parts], axis=0).tolist()
        whole = rows.table.groups[0]  # whose units are those of any of its parts
        self.groups = (ScanGroup("all", None, n_neg, n_pos, whole.units, (heaviest[0], heaviest[1])),)

    def sample(self, size: int) -> dict[Column, Array]:
        return {("llr", 0): self._sample}

    def answer(self, tasks: Mapping[Column, Sequence[Task]]) -> dict[Column, list[Any]]:
        (row,) = tasks.values()
        found = self._rows.answers(
            {number: [_OfMapped(task, to) for task in row] for number, to in self._to.items()}
        )
        return {("llr", 0): [task.combine(parts) for task, *parts in zip(row, *found.values(), strict=True)]}

    def exact_areas(self, columns: Sequence[Column]) -> dict[Column, tuple[int, int, int]]:
        raise NotImplementedError("what scores are mapped to is not put in order.")
