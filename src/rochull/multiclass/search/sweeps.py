"""Sweeps of one class's weight with the others fixed: its breakpoints, and between which it is best."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from rochull._core.validation import Array
from rochull.multiclass.examples import Goal, LabelledOutputs
from rochull.multiclass.loops import MOST, loops_of
from rochull.multiclass.measures import MaxError, Measure, objective_values
from rochull.multiclass.points import MulticlassPoints
from rochull.multiclass.search.goals import Key, Sought, keys_of, least

_FEW = MOST
_SHIFT = 49  # of a float's bits: the exponent and three more remain, eight buckets to a factor of two
_BLOCK = 1 << 22  # cells of confusion matrices at once, of objectives that are functions
_TRIED = 1 << 11  # breakpoints of a sweep at which a function is evaluated at once


# An interval of one weight, and the key there if that is known exactly.
Found: TypeAlias = tuple[float, float, Key | None]


@dataclass(frozen=True, eq=False)
class Room:
    """Memory for one sweep at a time: see `turns`."""

    theta: Array
    other: Array
    units: Array
    first_of: Array
    kept: Array
    at_zero: Array

    @classmethod
    def of(cls, examples: LabelledOutputs) -> Room:
        """For examples of this size."""
        n, n_classes = examples.outputs.shape[1], examples.n_classes
        units = np.empty(examples.mass.size, np.int64)
        first_of, kept, at_zero = (np.empty(n_classes + more, np.int64) for more in (1, 0, 0))
        return cls(np.empty(n), np.empty(n, np.int16), units, first_of, kept, at_zero)


@dataclass(frozen=True, eq=False)
class Sweep:
    """The breakpoints of class j's weight, of the examples that matter, class by class."""

    j: int
    theta: Array  # (m,) an example is called j if and only if the weight is at least this, exactly
    other: Array  # (m,) what it is called below
    units: Array  # (m,) what it weighs; empty where each counts one
    first_of: Array  # (C + 1,) those of class i are from first_of[i] to first_of[i + 1]
    kept: Array  # these two: (C,) units of those of class i, and of those whose theta is 0
    at_zero: Array

    @classmethod
    def of(cls, examples: LabelledOutputs, weights: Array, j: int, matters: Array, room: Room) -> Sweep:
        """The breakpoints with the other weights as given, in `room`."""
        loops_of(examples.outputs).turns(
            examples.outputs,
            examples.begin,
            examples.mass,
            weights,
            j,
            matters,
            room.theta,
            room.other,
            room.units,
            room.first_of,
            room.kept,
            room.at_zero,
        )
        size = int(room.first_of[-1])
        columns = room.theta[:size], room.other[:size], room.units[:size]
        return cls(j, *columns, room.first_of, room.kept, room.at_zero)

    def members(self, wanted: Array, shift: int) -> Array:
        """Examples that turn in the wanted buckets at a positive finite weight, in order."""
        found = loops_of(self.theta).members_of(self.theta, wanted, shift)
        return np.asarray(found[np.argsort(self.theta[found], kind="stable")])

    def gap(self, cut: float) -> tuple[float, float]:
        """The breakpoints on both sides of a weight."""
        low, high = loops_of(self.theta).gap(self.theta, cut)
        return float(low), float(high)

    def turning(self, n_classes: int) -> tuple[Array, Array, Array]:
        """Confusion units (C, C) at weight 0, examples as they turn, ends of those that turn at once."""
        called = np.where(self.theta <= 0, self.j, self.other)
        true = np.repeat(np.arange(n_classes), np.diff(self.first_of))
        matrix = np.zeros((n_classes, n_classes), np.int64)
        np.add.at(matrix, (true, called), self.units if self.units.size else 1)
        order = self.members(np.ones(1, bool), 63)
        return matrix, order, np.flatnonzero(np.append(np.diff(self.theta[order]), 1.0)[: order.size]) + 1

    def after(self, order: Array, ends: Array, matrix: Array) -> Array:
        """Confusion units (g, C, C) when so many of `order` have turned, from `matrix` on, which moves on."""
        out = np.empty((len(ends), *matrix.shape), np.int64)
        loops_of(order).step_matrices(order, ends, self.other, self.units, self.first_of, self.j, matrix, out)
        return out

    def blocks(self, n_classes: int) -> Iterator[tuple[Array, Array]]:
        """Breakpoints passed (g,), and confusion units (g, C, C) from there on, from weight 0 up."""
        matrix, order, ends = self.turning(n_classes)
        yield np.zeros(1), matrix[None].copy()
        step, done = max(1, _BLOCK // matrix.size), 0
        for first in range(0, len(ends), step):
            part = ends[first : first + step]
            out = self.after(order[done:], part - done, matrix)
            done = int(part[-1])
            yield self.theta[order[part - 1]], out


def swept(examples: LabelledOutputs, weights: Array, j: int) -> MulticlassPoints:
    """All operating points of class j's weight, from 0 to where it has all it can get."""
    everything = np.ones((examples.n_classes,) * 2, bool)
    sweep = Sweep.of(examples, weights, j, everything, Room.of(examples))
    cuts, units = zip(*sweep.blocks(examples.n_classes), strict=True)
    low = np.concatenate(cuts)
    vectors = np.repeat(weights[None], len(low), axis=0)
    vectors[:, j] = between(low, np.append(low[1:], np.inf))
    return MulticlassPoints(vectors, examples.weighed(np.concatenate(units)), examples.classes)


def between(low: Array, high: Array) -> Array:
    """Weights w, low <= w < high, away from both: the geometric mean, or 10 doublings from one end."""
    with np.errstate(over="ignore", invalid="ignore"):
        middle = np.sqrt(low) * np.sqrt(high)
        near = np.ldexp(high, -10)
        middle = np.where(low < near, near, middle)
        middle = np.where(np.isinf(high), np.ldexp(low, 10), middle)
    inside = (low <= middle) & (middle < high)  # a neighbouring float, or beyond all floats: the end itself
    return np.where(inside, middle, low)


class Sweeper(ABC):
    """Finds between which breakpoints of one weight an objective is best: low <= w < high."""

    def __init__(self, examples: LabelledOutputs) -> None:
        self.examples = examples

    @abstractmethod
    def best(self, weights: Array, j: int, room: Room) -> Found:
        """The best interval of weight j, the others as given."""


class MaxErrorSweeper(Sweeper):
    """The largest error, then the second largest, and so on."""

    def best(self, weights: Array, j: int, room: Room) -> Found:
        """Bucket by bucket: the error of j falls with its weight, and no other error does.

        So inside of a bucket every error is at least what it would be with the error of j from the bucket's
        end and the others from its beginning. Only where these errors, largest first, come before those at
        the best border are its examples sorted.
        """
        n_classes, totals = self.examples.n_classes, self.examples.total_units
        matters = np.eye(n_classes, dtype=bool)
        matters[j] = True
        sweep = Sweep.of(self.examples, weights, j, matters, room)
        wrong = totals - sweep.kept + sweep.at_zero
        wrong[j] = totals[j] - sweep.at_zero[j]
        shift = 63 if sweep.theta.size <= _FEW else _SHIFT
        counted, wanted = np.zeros((1 << (63 - shift), n_classes), np.int64), np.ones(1, bool)
        buckets = np.zeros(1, np.int64)
        if shift < 63:
            from rochull._core.kernels import multiclass as kernels

            kernels.bucket_units(sweep.theta, sweep.units, sweep.first_of, shift, counted)
            buckets = np.flatnonzero(counted.any(axis=1))
            wanted = np.zeros(len(counted), bool)
            wanted[buckets] = _can_improve(counted[buckets], wrong, totals, j)
        members, best = sweep.members(wanted, shift), np.empty(n_classes)
        columns = sweep.theta, sweep.units, sweep.first_of, members
        cut = loops_of(sweep.theta).walk_errors(
            *columns, buckets, counted, wanted, shift, j, wrong, totals, best
        )
        return *sweep.gap(cut), tuple(best.tolist())


def _can_improve(counted: Array, wrong: Array, totals: Array, j: int) -> Array:
    """Whether in buckets (b, C) the errors, largest first, can come before those at any border inside."""
    signed = counted.copy()
    signed[:, j] *= -1
    after = wrong + np.cumsum(signed, axis=0)
    lowest = after - signed
    lowest[:, j] = after[:, j]
    borders, bounds = (-np.sort(-found / totals) for found in (np.vstack([wrong, after]), lowest))
    border = borders[least(borders)]
    differs = bounds != border
    first = differs.argmax(axis=1)
    return np.asarray(differs.any(axis=1) & (bounds[np.arange(len(bounds)), first] < border[first]))


class LinearSweeper(Sweeper):
    """A sum over the cells of the confusion matrix, each times a number."""

    def __init__(self, examples: LabelledOutputs, costs: Array) -> None:
        super().__init__(examples)
        self.costs = costs

    def best(self, weights: Array, j: int, room: Room) -> Found:
        """Bucket by bucket: inside of one the sum cannot fall by more than its negative steps."""
        steps = self.costs[:, [j]] - self.costs
        sweep = Sweep.of(self.examples, weights, j, steps != 0, room)
        shift = 63 if sweep.theta.size <= _FEW else _SHIFT - 3
        columns = sweep.theta, sweep.other, sweep.units, sweep.first_of
        counted, wanted = np.zeros((1 << (63 - shift), 2)), np.ones(1, bool)
        buckets = np.zeros(1, np.int64)
        if shift < 63:
            from rochull._core.kernels import multiclass as kernels

            kernels.bucket_steps(*columns, shift, steps, counted)
            buckets = np.flatnonzero(counted.any(axis=1))
            level = np.cumsum(counted[:, 0])
            wanted = level - counted[:, 0] + counted[:, 1] < min(0.0, float(level.min()))
        members = sweep.members(wanted, shift)
        cut = loops_of(sweep.theta).walk_steps(*columns, members, buckets, counted, wanted, shift, steps)
        return *sweep.gap(cut), None


class AnySweeper(Sweeper):
    """Any function of the confusion matrix, at the breakpoints or at some of them."""

    def __init__(self, examples: LabelledOutputs, goal: Sought) -> None:
        super().__init__(examples)
        self.goal = goal

    def best(self, weights: Array, j: int, room: Room) -> Found:
        """At breakpoints that lie evenly in order, then between the neighbours of the best, until at all."""
        examples, n_classes = self.examples, self.examples.n_classes
        sweep = Sweep.of(examples, weights, j, np.ones((n_classes,) * 2, bool), room)
        matrix, order, ends = sweep.turning(n_classes)
        most = max(16, min(_TRIED, _BLOCK // matrix.size))
        key, cut = self._least(matrix[None])[1], 0.0
        first, last = 0, len(ends)  # what is looked at of `ends`; `done` examples have turned in `matrix`
        done = 0
        while first < last:
            picks = np.unique(np.linspace(first, last - 1, min(most, last - first)).astype(np.int64))
            begin = matrix.copy()
            tried = sweep.after(order[done:], ends[picks] - done, matrix)
            at, found = self._least(tried)
            if found < key:
                key, cut = found, float(sweep.theta[order[ends[picks[at]] - 1]])
            if len(picks) == last - first:
                break
            last = int(picks[at + 1]) if at + 1 < len(picks) else last
            first, matrix, done = (
                (int(picks[at - 1]) + 1, tried[at - 1].copy(), int(ends[picks[at - 1]]))
                if at
                else (first, begin, done)
            )
        return *sweep.gap(cut), None

    def _least(self, units: Array) -> tuple[int, Key]:
        keys = keys_of(self.goal, self.examples.weighed(units), self.examples.classes)
        at = least(keys)
        return at, tuple(keys[at].tolist())


def sweeper_of(examples: LabelledOutputs, goal: Sought) -> Sweeper:
    """How the best weight of one class is found for an objective."""
    if isinstance(goal, MaxError):
        return MaxErrorSweeper(examples)
    if isinstance(goal, Measure) and goal.linear:
        return LinearSweeper(examples, unit_costs(examples, goal))
    return AnySweeper(examples, goal)


def unit_costs(examples: LabelledOutputs, goal: Goal) -> Array:
    """Increase by one unit of class i called j of a measure that is linear in the confusion matrix."""
    n_classes = examples.n_classes
    moved = np.repeat(np.diag(examples.totals.astype(float))[None], n_classes**2, axis=0)
    for i in range(n_classes):
        for j in range(n_classes):  # all of class i are called j
            moved[i * n_classes + j, i] = np.where(np.arange(n_classes) == j, examples.totals[i], 0.0)
    values = objective_values(goal, moved, examples.classes).reshape(n_classes, n_classes)
    gain = values - np.diagonal(values)[:, None]
    return np.asarray(gain / examples.total_units[:, None])
