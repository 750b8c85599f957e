"""Small groups of a scan, such as thousands of segments: the rows of all of a kind are held in one place."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.sorting import ascending, sort_parts
from rochull._core.threads import share_out
from rochull._core.validation import Array, Labelled
from rochull.hull.blocks import pool
from rochull.hull.curve import RocCurve
from rochull.hull.refine import ChangedError, area_of
from rochull.hull.tallies import Tally, Units
from rochull.hull.tasks import Task
from rochull.scanning.column import ScannedColumn, column_of

Column: TypeAlias = tuple[str, int]  # a key, as that of `engines.table`


@dataclass(frozen=True, eq=False)
class HeldGroups:
    """Groups of equal score of many parts of the rows, one part after the other: a tally of each.

    Attributes
    ----------
    begin : int64 (k + 1,) where each part's begin.
    score, pos_units, neg_units : as of a :class:`Tally`.
    units : the units of each part.
    """

    begin: Array
    score: Array
    pos_units: Array
    neg_units: Array
    units: Sequence[Units]

    def tally(self, k: int) -> Tally:
        """The groups of one part."""
        part = slice(self.begin[k], self.begin[k + 1])
        score, pos, neg = (column[part].copy() for column in (self.score, self.pos_units, self.neg_units))
        return Tally(score, pos, neg, self.units[k])


class _Room:
    """Where rows go: all threads share it."""

    def __init__(self, rows: Array, wanted: Array) -> None:
        ends = np.cumsum(np.where(wanted, rows.sum(axis=1), 0))
        self.begin = np.append(0, ends)
        self.middle = self.begin[:-1] + np.where(wanted, rows[:, 0], 0)
        self.low, self.high = np.where(wanted, self.begin[:-1], -1), ends.copy()
        self.lock = threading.Lock()
        self.scores: Array | None = None
        self.units = np.zeros(0, np.int64)

    def made_for(self, data: Labelled) -> tuple[Array, Array]:
        """Make room for the scores and weights of all rows, when the first of them come."""
        if self.scores is None:
            self.scores = np.empty(int(self.begin[-1]), data.scores.dtype)
            self.units = np.empty(self.scores.size if data.weights is not None else 0, np.int64)
        return self.scores, self.units


@dataclass(frozen=True, eq=False)
class HeldRows(Task):
    """The groups of equal score of all rows with some codes, which they have in place of keys: HeldGroups.

    Attributes
    ----------
    rows : int64 (k, 2) how many negatives and positives have each code.
    units : of each code.
    wanted : bool (k,) the codes whose rows are held; their units are narrow.
    """

    rows: Array
    units: Sequence[Units]
    wanted: Array

    @cached_property
    def _room(self) -> _Room:
        return _Room(self.rows, self.wanted)

    @cached_property
    def _pairs(self) -> Array:
        """Units in a weight of 1 (k, 2); 0 of what is not wanted."""
        found = np.zeros((self.wanted.size, 2))
        for code in np.flatnonzero(self.wanted).tolist():
            found[code] = self.units[code].pair
        return found

    def start(self, share: float) -> _Room:
        return self._room

    def _filled(self) -> _Room:
        """The room, with as many rows of each code as there were."""
        room = self._room
        if not np.array_equal(np.where(self.wanted, room.low, room.middle), room.middle):
            raise ChangedError()
        return room

    def add(self, state: _Room, data: Labelled) -> bool:
        from rochull._core.kernels import held as kernels

        assert data.keys is not None
        codes = data.keys.astype(np.int64)
        with state.lock:
            fits = kernels.place_rows(
                data.scores, data.positive, data.weights, self._pairs, codes,
                state.low, state.high, *state.made_for(data),
            )  # fmt: skip
        if not fits:
            raise ChangedError()
        return True

    def partial(self, states: Sequence[_Room]) -> HeldGroups:
        from rochull._core.kernels import held as kernels

        room = self._filled()
        scores = np.zeros(0) if room.scores is None else room.scores
        weighted = bool(scores.size) and bool(room.units.size)
        units = room.units if weighted else None
        sort_parts(scores, units, np.sort(np.append(room.begin, room.middle)))
        begin, score, pos, neg = (
            part.copy() for part in kernels.held_groups(scores, units, room.begin, room.middle)
        )
        if score.dtype.kind == "f":
            score += 0  # -0.0 becomes 0.0
        return HeldGroups(begin, score, pos, neg, self.units)

    def combine(self, partials: Sequence[HeldGroups]) -> HeldGroups:
        (found,) = partials
        return found


@dataclass(frozen=True, eq=False)
class SortedRows(HeldRows):
    """The findings for all codes that are wanted, each from all of its rows: a dict of ScannedColumn.

    Of some million rows in groups it costs less to sort them than to count them in tables of each group's
    own. Rows have no weights.

    Attributes
    ----------
    max_error : of the curves.
    at_once : how many codes are looked at at once, on however many threads.
    """

    max_error: float
    at_once: int

    def partial(self, states: Sequence[_Room]) -> Any:
        room = self._filled()
        scores = np.zeros(0) if room.scores is None else room.scores
        codes, gate = np.flatnonzero(self.wanted).tolist(), threading.Semaphore(self.at_once)

        def found(code: int) -> ScannedColumn:
            begin, middle, end = room.begin[code], room.middle[code], room.begin[code + 1]
            parts = scores[begin:middle], scores[middle:end]
            with gate:
                neg, pos = (ascending(part, spent=True)[0] for part in parts)
                return column_of(pos, neg, self.units[code], self.max_error)

        return dict(zip(codes, share_out(found, codes), strict=True))

    def combine(self, partials: Sequence[Any]) -> Any:
        (found,) = partials
        return found


class ScannedColumns(Mapping[Column, ScannedColumn]):
    """The findings of a scan for every column; for held rows they are made on request.

    Parameters
    ----------
    done : what was found of other columns.
    held : the groups that are held, by score and the number of the first group of a kind.
    small : for the number of each group that is held, that of the first of its kind.
    """

    def __init__(
        self,
        done: Mapping[Column, ScannedColumn],
        held: Mapping[Column, HeldGroups],
        small: Mapping[int, int],
    ) -> None:
        self._done, self._held, self._small = done, held, small

    def __len__(self) -> int:
        return len(self._done) + len({name for name, _ in self._held}) * len(self._small)

    def __iter__(self) -> Iterator[Column]:
        yield from self._done
        for name in dict.fromkeys(name for name, _ in self._held):
            yield from ((name, number) for number in self._small)

    def __getitem__(self, key: Column) -> ScannedColumn:
        groups = self.tally(key)
        if groups is None:
            return self._done[key]
        twice, n_pos, n_neg = area_of(groups)
        return ScannedColumn(pool(groups), RocCurve.from_tally(groups), (twice,) * 3, n_pos, n_neg)

    def tally(self, key: Column) -> Tally | None:
        """All groups of equal score of a column, if they are held."""
        name, number = key
        first = self._small.get(number)
        return None if first is None else self._held[name, first].tally(number - first)
