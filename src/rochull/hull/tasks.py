"""Requests made of one scan, and how chunks of rows answer them: on several threads or machines.

A task keeps a state on every thread. States become a partial answer, partial answers of disjoint rows are
combined, and nothing depends on how the rows were shared out. One scan can serve many tasks.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any, Self, TypeAlias, TypeVar, cast

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.sorting import ascending
from rochull._core.threads import n_threads, share_out
from rochull._core.validation import Array, Labelled, has_nan
from rochull.hull.buckets import BucketMap
from rochull.hull.cut_map import CutMap
from rochull.hull.divided import DividedMap, MarkedRows
from rochull.hull.tallies import FEW, LIMB, Tally, Units, merge_sorted, no_counts, sort_weighted, stacked

_SMALL_TIE = 64
Key = TypeVar("Key", bound=Hashable)  # whose rows these are: a column of scores in a part of the population
Buckets: TypeAlias = BucketMap | CutMap | DividedMap
Chunk: TypeAlias = Callable[[], Iterable[tuple[Any, Labelled]]]  # opened on the thread that works on it


class Task(ABC):
    """Something that a scan is asked for, of the rows of one key."""

    @abstractmethod
    def start(self, share: float) -> Any:
        """The state of one thread, which keeps about 1/`share` of what is allowed."""

    @abstractmethod
    def add(self, state: Any, data: Labelled) -> bool:
        """Add rows to a state; False if it needs no more."""

    @abstractmethod
    def partial(self, states: Sequence[Any]) -> Any:
        """Combine the findings of some states, which are used up."""

    @abstractmethod
    def combine(self, partials: Sequence[Any]) -> Any:
        """The partial answers of disjoint rows as one; a combined one can be combined again."""


class _Weighed(Task):
    """A task that adds up weights in units: those of many bits limb by limb, by one narrow task for all."""

    units: Units

    @cached_property
    def narrow(self) -> Self:
        """The task for one limb of the weights."""
        return cast(Self, replace(cast(Any, self), units=self.units.of_part()))

    def start(self, share: float) -> Any:
        return [self.narrow.begin(share) for _ in range(max(self.units.limbs, 1))]

    def add(self, state: Any, data: Labelled) -> bool:
        parts = zip(state, self.units.parts_of(data), strict=True)
        wanted = [self.narrow.take(own, part) for own, part in parts]
        return any(wanted)

    def partial(self, states: Sequence[Any]) -> Any:
        if not self.units.limbs:
            return self.found([own for (own,) in states])
        return self.stacked(
            [self.narrow.found([state[i] for state in states]) for i in range(self.units.limbs)]
        )

    @abstractmethod
    def begin(self, share: float) -> Any:
        """The state of one thread, for one limb."""

    @abstractmethod
    def take(self, state: Any, data: Labelled) -> bool:
        """Add rows, weighed by one limb, to a state; False if it needs no more."""

    @abstractmethod
    def found(self, states: Sequence[Any]) -> Any:
        """Combine the findings of some states of one limb, which are used up."""

    @abstractmethod
    def stacked(self, parts: Sequence[Any]) -> Any:
        """Join the findings for every limb, from the low one up, into one answer in Python's integers."""


@dataclass(frozen=True, eq=False)
class BucketCounts(_Weighed):
    """Units of positives and of negatives per bucket, int64 (buckets.size,), from high scores to low.

    Of a divided map, the buckets that were not divided are not counted again. Of so few `rows` without
    weights that 32 bits hold their counts these are int32, half as much memory.
    """

    buckets: Buckets
    units: Units
    rows: int | None = None

    @cached_property
    def _counted(self) -> BucketMap | CutMap | MarkedRows:
        return self.buckets.within(self.buckets.divided)

    def begin(self, share: float) -> Any:
        size = 2 * self.buckets.size
        # Carries of 2**39 rows fit 32 bits; units of weight need 64.
        wide = np.int64 if self.units.weighted else np.int32
        return [np.zeros(size, np.uint8), np.zeros(size, wide), False]

    def take(self, state: Any, data: Labelled) -> bool:
        from rochull._core.kernels import hull as kernels

        data, keys = self._counted.rows(data)
        state[2] |= kernels.count_buckets(
            keys, data.positive, data.weights, self.units.pair, self.buckets.pieces, *state[:2]
        )
        return True

    def found(self, states: Sequence[Any]) -> tuple[Array, Array]:
        from rochull._core.kernels import hull as kernels

        few = self.rows is not None and self.rows < 1 << 31 and not self.units.weighted
        shape, dtype = (2, self.buckets.size), np.int32 if few else np.int64
        counts = np.empty(shape, dtype)
        counts.fill(0)  # to be given zeros takes longer
        pos, neg = counts
        for low, total, carried in states:
            kernels.fold_counts(low, total, carried * (1 if self.units.weighted else 256), pos, neg)
        return pos, neg

    def combine(self, partials: Sequence[Any]) -> tuple[Array, Array]:
        if len(partials) == 1:
            only: tuple[Array, Array] = partials[0]
            return only
        pos, neg = (no_counts(self.buckets.size, self.units.is_wide) for _ in range(2))
        for found in partials:
            pos += found[0]
            neg += found[1]
        return pos, neg

    def stacked(self, parts: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
        pos, neg = (no_counts(self.buckets.size, True) for _ in range(2))
        for i, found in enumerate(parts):
            for sums, counts in zip((pos, neg), found, strict=True):
                some = np.flatnonzero(counts)
                sums[some] += counts[some].astype(object) << (i * LIMB)
        return pos, neg


@dataclass(frozen=True, eq=False)
class BucketGroups(_Weighed):
    """All groups of the buckets in the mask `wanted` (buckets.size,), which runs from high to low: a Tally.

    If they are more than about `limit` rows, beyond one tie a bucket, then an unordered sample of the scores
    of these rows instead: an array. Where one of them is a NaN, an array that has it.
    """

    buckets: Buckets
    units: Units
    wanted: Array
    limit: int | None

    @cached_property
    def n_slots(self) -> int:
        """How many buckets are wanted."""
        return int(np.count_nonzero(self.wanted))

    @cached_property
    def _looked_at(self) -> BucketMap | CutMap | MarkedRows:
        return self.buckets.within(self.wanted[::-1])

    @cached_property
    def _marks(self) -> tuple[Array, Array, Array]:
        from rochull._core.kernels.buckets import marked_words

        return (*marked_words(self.wanted[::-1]), np.arange(self.n_slots, dtype=np.int32))

    @cached_property
    def _taken(self) -> list[int]:
        """How many rows the threads hold together."""
        return [0]

    def begin(self, share: float) -> Any:
        return _Found(self.n_slots, self.limit, self._taken)

    def take(self, state: Any, data: Labelled) -> bool:
        low = np.zeros(0, data.scores.dtype), np.zeros(0, np.int8)
        return self.look(state, data, self._looked_at, self._marks, low)

    def look(self, state: Any, data: Labelled, at: Any, marks: tuple[Any, Any, Any], low: Any) -> bool:
        """Collect rows `at` some buckets by marks and slots, and find the lowest scores of others."""
        from rochull._core.kernels import buckets as kernels

        if state.is_full:  # there will be another round
            return False
        data, keys = at.rows(data)
        kept, mass = state.room(data.scores, self.units.weighted)
        left, right = kernels.look_into_buckets(
            data.scores, keys, data.positive, data.weights, self.units.pair,
            self.buckets.pieces, *marks, state.tie, state.tie_mass, kept, mass, *low,
        )  # fmt: skip
        state.keep(kept, mass, left, right)
        return not state.is_full

    def found(self, states: Sequence[Any]) -> Tally | Array:
        done = [state for state in states if state.parts]
        if not done:
            empty = np.zeros(0, np.int64)
            return Tally(np.zeros(0), empty, empty, self.units)
        if any(found.is_full for found in done):
            rows = [part for found in done for parts in found.parts for part in parts[::2]]
            # With the ties: a bucket of two scores is divided only where both are known.
            return np.concatenate([*rows, *(found.tie[found.tie_mass.any(axis=1)] for found in done)])
        return _groups_of(done, self.units)

    def stacked(self, parts: Sequence[Tally | Array]) -> Tally | Array:
        held = [part for part in parts if isinstance(part, Tally)]
        if len(held) == len(parts):
            return stacked(held, self.units, LIMB)
        return np.concatenate([part.score if isinstance(part, Tally) else part for part in parts])

    def combine(self, partials: Sequence[Any]) -> Tally | Array:
        if len(partials) == 1:
            found: Tally | Array = partials[0]
            return found
        held = [found for found in partials if isinstance(found, Tally)]
        if len(held) == len(partials):
            merged = reduce(Tally.merge, held)
            if self.limit is None or merged.score.size - self.n_slots <= self.limit:
                return merged
        return np.concatenate([found.score if isinstance(found, Tally) else found for found in partials])


@dataclass(frozen=True, eq=False)
class LowestScores(Task):
    """The lowest score in each bucket of the mask `wanted`, from high to low; every one must hold rows."""

    buckets: Buckets
    units: Units
    wanted: Array

    @cached_property
    def _looked_at(self) -> BucketMap | CutMap | MarkedRows:
        return self.buckets.within(self.wanted[::-1])

    @cached_property
    def slots(self) -> Array:
        """The number of each wanted bucket, from low to high; -1 for others."""
        mask = self.wanted[::-1]
        return np.where(mask, np.cumsum(mask, dtype=np.int32) - 1, -1).astype(np.int32)

    def start(self, share: float) -> Any:
        return [None, np.zeros(int(np.count_nonzero(self.wanted)), np.int8)]

    def begin(self, state: Any, dtype: np.dtype[Any]) -> None:
        """Make room for the scores once their type is known: above all of them."""
        if state[0] is None:
            most = np.inf if dtype.kind == "f" else np.iinfo(dtype).max
            state[0] = np.full(state[1].size, most, dtype)

    def add(self, state: Any, data: Labelled) -> bool:
        from rochull._core.kernels import hull as kernels

        self.begin(state, data.scores.dtype)
        data, keys = self._looked_at.rows(data)
        weights, units = data.weights, self.units.of_part()
        if self.units.limbs and weights is not None:  # every weight above zero counts
            weights = np.sign(weights)
        kernels.lowest_scores(
            data.scores, keys, data.positive, weights, units.pair, self.buckets.pieces, self.slots,
            state[0], state[1],
        )  # fmt: skip
        return True

    def partial(self, states: Sequence[Any]) -> tuple[Array, Array]:
        return self.combine([(low, seen) for low, seen in states if low is not None])

    def combine(self, partials: Sequence[Any]) -> tuple[Array, Array]:
        """Scores and whether any was seen, from high scores to low once all are combined."""
        if not partials:
            return np.zeros(0), np.zeros(int(np.count_nonzero(self.wanted)), np.int8)
        held = [(low, seen) for low, seen in partials if low.size]
        if not held:
            none: tuple[Array, Array] = partials[0]
            return none
        dtype = np.result_type(*(low.dtype for low, _ in held))
        low, seen = held[0][0].astype(dtype), held[0][1].copy()
        for other, there in held[1:]:
            better = (there > 0) & ((seen == 0) | (other < low))
            low[better] = other[better]
            seen |= there
        return low, seen


@dataclass(frozen=True, eq=False)
class _Walk:
    """The tasks of one key, in as few walks through its rows as there can be."""

    tasks: Sequence[Task]

    @cached_property
    def _marks(
        self,
    ) -> (
        tuple[BucketGroups, LowestScores, BucketMap | CutMap | MarkedRows, tuple[Array, Array, Array]] | None
    ):
        """Survey and lowest scores of other buckets in one: both, their rows, and marks and slots."""
        match self.tasks:
            case [BucketGroups() as survey, LowestScores() as lows] if (
                survey.buckets is lows.buckets and not survey.units.limbs
            ):
                if (survey.wanted & lows.wanted).any():
                    return None
                from rochull._core.kernels.buckets import marked_words

                either = (survey.wanted | lows.wanted)[::-1]
                own = survey.wanted[::-1][either]
                slots = np.where(own, np.cumsum(own, dtype=np.int32) - 1, -np.cumsum(~own, dtype=np.int32))
                rows = survey.buckets.within(either)
                return survey, lows, rows, (*marked_words(either), slots)
        return None

    def add(self, states: Sequence[Any], data: Labelled) -> bool:
        """Add rows to the states; False if none needs more."""
        if self._marks is None:
            wanted = [task.add(state, data) for task, state in zip(self.tasks, states, strict=True)]
            return any(wanted)
        (survey, lows, rows, marks), ((found,), low) = self._marks, states
        lows.begin(low, data.scores.dtype)
        return survey.look(found, data, rows, marks, low)


def gather(
    chunks: Iterator[Chunk], tasks: Mapping[Key, Sequence[Task]], threads: int | None = None
) -> dict[Key, list[Any]]:
    """Answer tasks from the chunks of one scan, in the order of each key's tasks.

    Every thread draws chunks from the same iterator. There are as many as `threads` says, or as there can be.
    """
    partials = gather_partials(chunks, tasks, threads)
    return {
        key: [task.combine([found]) for task, found in zip(tasks[key], row, strict=True)]
        for key, row in partials.items()
    }


def gather_partials(
    chunks: Iterator[Chunk], tasks: Mapping[Key, Sequence[Task]], threads: int | None = None
) -> dict[Key, list[Any]]:
    """As :func:`gather`, the partial answers of these chunks alone."""
    lock, stop = threading.Lock(), threading.Event()
    workers = threads or n_threads()
    walks = {key: _Walk(row) for key, row in tasks.items()}

    def draw() -> Iterator[Chunk]:
        while not stop.is_set():
            with lock:
                chunk = next(chunks, None)
            if chunk is None:
                return
            yield chunk

    def work(mine: Iterator[Chunk]) -> dict[Key, list[Any]]:
        states: dict[Key, list[Any]] = {}
        full: set[Key] = set()  # a chunk may have no rows of a key that still wants some
        for chunk in mine:
            for key, data in chunk():
                if key not in tasks:
                    continue
                if key not in states:
                    states[key] = [task.start(workers) for task in tasks[key]]
                if not walks[key].add(states[key], data):
                    full.add(key)
            if len(full) == len(tasks):
                break
        return states

    def guarded(mine: Iterator[Chunk]) -> dict[Key, list[Any]]:
        try:
            return work(mine)
        except BaseException:
            stop.set()  # Ctrl-C, which only one thread sees, and errors end the scan of all
            raise

    done = share_out(guarded, [draw() for _ in range(workers)])
    found: dict[Key, list[Any]] = {}
    for key, row in tasks.items():
        columns = zip(*(states.pop(key) for states in done if key in states), strict=True)
        held = [list(column) for column in columns] or [[] for _ in row]
        found[key] = [task.partial(states) for task, states in zip(row, held, strict=True)]
    return found


class _Found:
    """The rows that one thread has collected in a survey."""

    def __init__(self, n_slots: int, most: int | None, taken: list[int]) -> None:
        self.tie_mass = np.zeros((n_slots, 2), np.int64)
        self.parts: list[tuple[Array, Array, Array, Array]] = []
        self._most, self._taken = most, taken
        self.tie: Array = np.zeros(0)
        self._scratch: tuple[Array, Array] | None = None

    @property
    def is_full(self) -> bool:
        """Whether all threads together hold more rows than are allowed."""
        return self._most is not None and self._taken[0] > self._most

    def room(self, scores: Array, weighted: bool) -> tuple[Array, Array]:
        """Room for the rows of one chunk, and for their units."""
        if self._scratch is None:
            self.tie = np.zeros(len(self.tie_mass), scores.dtype)
        if self._scratch is None or self._scratch[0].size < scores.size:
            self._scratch = (
                np.empty(scores.size, scores.dtype), np.empty(scores.size if weighted else 0, np.int64)
            )  # fmt: skip
        return self._scratch[0][: scores.size], self._scratch[1][: scores.size]

    def keep(self, kept: Array, mass: Array, left: int, right: int) -> None:
        """Copy out what a chunk brought: positives lie on the left, negatives on the right."""
        end = kept.size - right
        self.parts.append((kept[:left].copy(), mass[:left].copy(), kept[end:].copy(), mass[end:].copy()))
        self._taken[0] += left + right  # the limit is kept about: a thread may miss what another one adds


def _groups_of(done: list[_Found], units: Units) -> Tally | Array:
    """The groups that all threads found, in order, or scores with a NaN. `done` is emptied: it is large."""
    tie, mass = np.concatenate([f.tie for f in done]), np.concatenate([f.tie_mass for f in done])
    # Small ties join the other rows; for weighted data, where rows carry units, all of them do.
    small = mass.any(axis=1) & (units.weighted | (mass.sum(axis=1) < _SMALL_TIE))
    columns = [list(column) for column in zip(*(part for f in done for part in f.parts), strict=True)]
    done.clear()
    for label, rows, counts in ((1, columns[0], columns[1]), (0, columns[2], columns[3])):
        if units.weighted:
            rows.append(tie[small])
            counts.append(mass[small, label])
        else:
            rows.append(np.repeat(tie[small], mass[small, label]))
    pos, pos_units, neg, neg_units = (np.concatenate(column) for column in columns)
    columns.clear()
    if units.weighted:
        (pos, pos_units), (neg, neg_units) = share_out(sort_weighted, (pos, neg), (pos_units, neg_units))
        return merge_sorted(pos, pos_units, neg, neg_units, units)
    each = map if pos.size + neg.size < FEW else share_out  # to wake a thread costs more than a short sort
    (pos, _), (neg, _) = each(partial(ascending, spent=True), (pos, neg))
    if any(has_nan(own[:: max(own.size - 1, 1)]) for own in (pos, neg)):  # they are first or last
        return np.concatenate((pos, neg))
    groups = merge_sorted(pos, None, neg, None, units)
    large = mass.any(axis=1) & ~small
    if not large.any():
        return groups
    order = np.flatnonzero(large)[np.argsort(tie[large])[::-1]]
    return groups.merge(Tally(tie[order], mass[order, 1].copy(), mass[order, 0].copy(), units))
