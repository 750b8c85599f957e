"""Requests of readings beyond counts and groups: rows at thresholds, and how many have a weight."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rochull._core.validation import Array, Labelled
from rochull.conditions.rules import threshold_in
from rochull.hull.buckets import BucketMap
from rochull.hull.curve import as_thresholds
from rochull.hull.refine import ChangedError
from rochull.hull.tallies import Tally, Units, no_counts
from rochull.hull.tasks import BucketGroups, Task
from rochull.scanning.engines.table import Column, ScoreTable


class SumTask(Task):
    """A task whose states, partial answers and answer are one integer array, which is added up."""

    @abstractmethod
    def _empty(self) -> Array:
        """Zeros."""

    def start(self, share: float) -> Array:
        return self._empty()

    def partial(self, states: Sequence[Array]) -> Array:
        return self.combine(states)

    def combine(self, partials: Sequence[Array]) -> Array:
        total = self._empty()
        for part in partials:
            total += part
        return total


@dataclass(frozen=True, eq=False)
class UnitsBetween(SumTask):
    """Units between thresholds: int64 (k + 1, 2) of negatives and positives, from low scores to high.

    `thresholds` (k,) ascend, in the type of the scores. A row belongs to step i if it reaches i of them.
    """

    thresholds: Array
    units: Units

    def _empty(self) -> Array:
        return no_counts(2 * (self.thresholds.size + 1), self.units.is_wide).reshape(-1, 2)

    def add(self, state: Array, data: Labelled) -> bool:
        step = np.searchsorted(self.thresholds, data.scores, side="right")
        cell = 2 * step + data.positive
        if data.weights is None:
            state += np.bincount(cell, minlength=state.size).reshape(state.shape)
        else:
            np.add.at(state.reshape(-1), cell, self.units.counts_of(data))
        return True

    def of_groups(self, groups: Tally) -> Array:
        """The answer of rows whose groups are known."""
        found, step = self._empty(), np.searchsorted(self.thresholds, groups.score, side="right")
        for column, units in zip(found.T, (groups.neg_units, groups.pos_units), strict=True):
            np.add.at(column, step, units)
        return found


@dataclass(frozen=True, eq=False)
class WeighingRows(SumTask):
    """How many negatives and positives have a positive weight: int64 (2,)."""

    def _empty(self) -> Array:
        return np.zeros(2, np.int64)

    def add(self, state: Array, data: Labelled) -> bool:
        positive = data.positive if data.weights is None else data.positive[data.weights > 0]
        state += np.bincount(positive, minlength=2)
        return True


def places_of(thresholds: Array, dtype: np.dtype[Any]) -> tuple[Array, Array]:
    """Thresholds as different ones (m,), ascending, in the type of the scores; and how many each reaches.

    A threshold (k,) that is None, which stands for "never", or that no score of this type reaches, reaches
    one more than there are.
    """
    beyond = np.zeros(thresholds.size, bool)
    if thresholds.dtype != dtype:
        given = thresholds if thresholds.dtype == object else as_thresholds(thresholds)
        cast = [None if step is None else threshold_in(dtype, step) for step in given.tolist()]
        beyond = np.array([step is None or (dtype.kind != "f" and step == np.inf) for step in cast], bool)
        thresholds = np.array([0 if out else step for out, step in zip(beyond, cast, strict=True)], dtype)
    distinct = np.unique(thresholds[~beyond])
    return distinct, np.where(beyond, distinct.size + 1, np.searchsorted(distinct, thresholds) + 1)


def complete(table: ScoreTable, columns: Sequence[Column]) -> dict[Column, Tally]:
    """All groups of equal score of some columns, in one pass.

    Raises
    ------
    MemoryError
        If a column has more of them than may be collected.
    """
    buckets = BucketMap.learn(np.zeros(1), 1)
    wanted = np.ones(buckets.size, bool)
    tasks: Mapping[Column, list[Task]] = {
        key: [BucketGroups(buckets, table.groups[key[1]].units, wanted, table.limit)] for key in columns
    }
    found: dict[Column, Tally] = {}
    for (name, group), (groups,) in table.answer(tasks).items():
        if not isinstance(groups, Tally):
            raise MemoryError(
                f"score column {name!r}, {table.groups[group]}: it has more than {table.limit:,} rows, "
                "as many as may be collected; give a positive max_error, or allow more memory."
            )
        of = table.groups[group]
        units = int(groups.neg_units.sum()), int(groups.pos_units.sum())
        if not of.units.weighted and units != (of.n_neg, of.n_pos):
            raise ChangedError()
        found[name, group] = groups
    return found


def only(values: dict[Any, Any], key: Any, what: str) -> Any:
    """The value of a key; an error that names what there is."""
    if key in values:
        return values[key]
    there = ", ".join(map(repr, list(values)[:10])) + (", ..." if len(values) > 10 else "")
    raise ValueError(f"{what}={key!r} is not one of {there}.")
