"""Goals of a search, smaller at a better point: numbers that are compared one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from rochull._core.validation import Array
from rochull.multiclass.examples import Goal
from rochull.multiclass.measure import errors_of
from rochull.multiclass.measures import Limit, MaxError, objective_values
from rochull.multiclass.points import MulticlassPoints


@dataclass(frozen=True)
class GoalWithin:
    """An objective within limits: whatever breaks a limit is worse than what breaks none."""

    goal: Goal
    limits: tuple[Limit, ...]

    def broken(self, confusion: Array, classes: tuple[Any, ...]) -> Array:
        """The largest excess (k,) over a limit, in units of its scale; 0 where all are met."""
        worst = np.zeros(len(confusion))
        for limit in self.limits:
            met = limit.met(confusion, classes)
            excess = limit.excess(confusion, classes) / limit.measure.scale()
            excess = np.where(np.isnan(excess), np.inf, np.maximum(excess, np.finfo(float).tiny))
            worst = np.maximum(worst, np.where(met, 0.0, excess))
        return worst


# What is searched for: an objective, perhaps within limits.
Sought: TypeAlias = Goal | GoalWithin
# What a point must have less of to be better, the first number that differs.
Key: TypeAlias = tuple[float, ...]


def values_sought(sought: Sought, confusion: Array, classes: tuple[Any, ...]) -> Array:
    """The numbers (k, m) of confusion matrices (k, C, C): how far limits are broken, and the objective.

    One that is undefined is as bad as infinity.
    """
    goal = sought.goal if isinstance(sought, GoalWithin) else sought
    values = objective_values(goal, confusion, classes)
    columns = [np.where(np.isnan(values), np.inf, values)]
    if isinstance(sought, GoalWithin):
        columns.insert(0, sought.broken(confusion, classes))
    return np.column_stack(columns)


def keys_of(sought: Sought, confusion: Array, classes: tuple[Any, ...]) -> Array:
    """The numbers (k, m) of confusion matrices; of the largest error, also the other errors."""
    goal = sought.goal if isinstance(sought, GoalWithin) else sought
    if not isinstance(goal, MaxError):
        return values_sought(sought, confusion, classes)
    errors = np.sort(errors_of(confusion), axis=1)[:, ::-1]
    if isinstance(sought, GoalWithin):
        errors = np.column_stack([sought.broken(confusion, classes), errors])
    return np.asarray(errors)


def key_of(sought: Sought, confusion: Array, classes: tuple[Any, ...]) -> Key:
    """The numbers of one confusion matrix (C, C)."""
    return tuple(keys_of(sought, confusion[None], classes)[0].tolist())


def least(keys: Array) -> int:
    """The first of the rows (k, m) that is smallest in the first column, of those in the second, and on."""
    rows = np.arange(len(keys))
    for column in keys.T:
        rows = rows[column[rows] == column[rows].min()]
    return int(rows[0])


def in_order(points: MulticlassPoints, keys: Array) -> MulticlassPoints:
    """The points with the smallest keys (k, m) first; equal ones keep their order."""
    return points[np.lexsort(keys.T[::-1])]


def ranked(points: MulticlassPoints, sought: Sought) -> MulticlassPoints:
    """The best first; of equal largest errors, that with the smaller other errors."""
    return in_order(points, keys_of(sought, points.confusion, points.classes))
