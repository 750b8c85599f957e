"""Sweeps within limits: sums over the cells of the confusion matrix, followed at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rochull._core.validation import Array
from rochull.multiclass.examples import Goal, LabelledOutputs
from rochull.multiclass.measures import MaxError, Measure, objective_values
from rochull.multiclass.search.goals import GoalWithin, Sought
from rochull.multiclass.search.sweeps import AnySweeper, Found, Room, Sweep, Sweeper, sweeper_of, unit_costs

_FEW = 1 << 10  # breakpoints that are simply sorted
_SHIFT, _BUCKETS = 46, 1 << 12  # 64 buckets to a factor of two, unless there were more than so many
_WHOLE = 1e6  # costs that are multiples of the smallest, up to so many times, are added as whole numbers


@dataclass(frozen=True, eq=False)
class Rows:
    """Sums over the cells of a confusion matrix of units: each is level * factor + offset."""

    # (C, C, R) what one unit adds to the levels; whole numbers where possible, so that they are exact
    steps: Array
    # these two: (R,) of the limits, which come first, so that the value is the excess over its scale
    factor: Array
    offset: Array
    n_limits: int  # how many are limits; the largest of the others is minimised, then the second largest,

    @classmethod
    def of(cls, examples: LabelledOutputs, goal: GoalWithin) -> Rows:
        """The rows of limits, and of what is minimised."""
        rows: list[tuple[Array, float, float]] = []
        for limit in goal.limits:
            sign, scale = (1.0 if limit.side == "<=" else -1.0), limit.measure.scale()
            for steps, factor, offset in _sums(examples, limit.measure):
                rows.append((steps, sign * factor / scale, sign * (offset - limit.limit) / scale))
        n_limits = len(rows)
        rows += _sums(examples, goal.goal)
        columns = [np.array(column, float) for column in zip(*rows, strict=True)]
        return cls(np.ascontiguousarray(np.moveaxis(columns[0], 0, -1)), columns[1], columns[2], n_limits)

    def keys(self, levels: Array) -> Array:
        """Excess at levels (b, R), and the goals, the largest first (b, 1 + goals)."""
        from rochull._core.kernels.multiclass_rows import ROUNDING

        values = levels * self.factor + self.offset
        broken = values[:, : self.n_limits].max(axis=1, initial=0.0, keepdims=True)
        goals = np.sort(values[:, self.n_limits :], axis=1)[:, ::-1]
        return np.concatenate([np.where(broken <= ROUNDING, 0.0, broken), goals], axis=1)


class RowSweeper(Sweeper):
    """An objective within limits, all of them sums over cells, or the largest of some."""

    def __init__(self, examples: LabelledOutputs, goal: GoalWithin) -> None:
        super().__init__(examples)
        self.rows = Rows.of(examples, goal)

    def best(self, weights: Array, j: int, room: Room) -> Found:
        """Bucket by bucket: only where the sums of what helps could help are examples sorted."""
        from rochull._core.kernels import multiclass as kernels
        from rochull._core.kernels import multiclass_rows as row_kernels

        rows, n_classes = self.rows, self.examples.n_classes
        moves = rows.steps[:, [j]] - rows.steps
        sweep = Sweep.of(self.examples, weights, j, (moves != 0).any(axis=2), room)
        without, matrix = weights.copy(), np.zeros((1, n_classes, n_classes), np.int64)
        without[j] = 0.0
        kernels.confusion(
            self.examples.outputs, self.examples.begin, self.examples.mass, without[None], matrix
        )
        levels = (matrix[0][:, :, None] * rows.steps).sum(axis=(0, 1))
        columns = sweep.theta, sweep.other, sweep.units, sweep.first_of
        first, last = row_kernels.span(sweep.theta)
        shift, low, n_buckets = 63, 0, 1
        if sweep.theta.size > _FEW and first <= last:
            shift, low, n_buckets = _fitting(first, last)
        buckets, counted, wanted = np.zeros(1, np.int64), np.zeros((1, levels.size)), np.ones(n_buckets, bool)
        if shift < 63:
            cells = np.zeros((n_buckets, n_classes, n_classes), np.int64)
            row_kernels.bucket_cells(*columns, shift, low, cells)
            buckets, counted, wanted = self._borders(cells, moves, levels)
        members = row_kernels.bucket_members(sweep.theta, wanted, shift, low)
        members = members[np.argsort(sweep.theta[members], kind="stable")]
        cut = row_kernels.walk_rows(
            *columns,
            members,
            *(buckets, counted, wanted),
            shift,
            low,
            moves,
            levels,
            rows.factor,
            rows.offset,
            rows.n_limits,
            np.empty(1 + levels.size - rows.n_limits),
        )
        return *sweep.gap(cut), None

    def _borders(self, cells: Array, moves: Array, levels: Array) -> tuple[Array, Array, Array]:
        """Buckets with any example, by how much levels move in each, and in which there may be better."""
        from rochull._core.kernels import multiclass_rows as row_kernels

        buckets = np.flatnonzero(cells.any(axis=(1, 2)))
        counted, helping = (np.zeros((len(buckets), levels.size)) for _ in range(2))
        # Not as a product of matrices, whose threads would wait for each other here.
        row_kernels.bucket_moves(cells[buckets], moves, self.rows.factor, counted, helping)
        after = levels + np.cumsum(counted, axis=0)
        borders = self.rows.keys(np.concatenate([levels[None], after]))
        best = borders[np.lexsort(borders.T[::-1])[0]]
        wanted = np.zeros(len(cells), bool)
        wanted[buckets] = _before(self.rows.keys(after - counted + helping), best)
        return buckets, counted, wanted


def sweeper_for(examples: LabelledOutputs, goal: Sought) -> Sweeper:
    """How the best weight of one class is found for an objective, with or without limits."""
    if not isinstance(goal, GoalWithin):
        return sweeper_of(examples, goal)
    upper = all(limit.side == "<=" for limit in goal.limits if isinstance(limit.measure, MaxError))
    measures = [goal.goal, *(limit.measure for limit in goal.limits)]
    sums = all(isinstance(m, Measure) and (m.linear or isinstance(m, MaxError)) for m in measures)
    return RowSweeper(examples, goal) if sums and upper else AnySweeper(examples, goal)


def _sums(examples: LabelledOutputs, goal: Goal) -> list[tuple[Array, float, float]]:
    """Steps (C, C), factor and offset of the sums whose largest is the measure."""
    n_classes = examples.n_classes
    if isinstance(goal, MaxError):
        wrong = 1.0 - np.eye(n_classes)
        return [
            (wrong * (np.arange(n_classes) == i)[:, None], 1.0 / total, 0.0)
            for i, total in enumerate(examples.total_units.tolist())
        ]
    steps = unit_costs(examples, goal)
    offset = float(objective_values(goal, np.diag(examples.totals)[None], examples.classes)[0])
    factor = float(np.abs(steps[steps != 0]).min(initial=np.inf))
    if factor < np.inf:
        whole = np.rint(steps / factor)
        if np.abs(whole).max() <= _WHOLE and np.allclose(whole * factor, steps, rtol=1e-9, atol=0.0):
            return [(whole, factor, offset)]
    return [(steps, 1.0, offset)]


def _fitting(first: float, last: float) -> tuple[int, int, int]:
    """How many bits of a breakpoint are dropped, the first bucket, and how many buckets there are."""
    bits = np.array([first, last]).view(np.int64)
    shift = _SHIFT
    while (int(bits[1]) >> shift) - (int(bits[0]) >> shift) >= _BUCKETS:
        shift += 1
    low = int(bits[0]) >> shift
    return shift, low, (int(bits[1]) >> shift) - low + 1


def _before(keys: Array, best: Array) -> Array:
    """Which keys (b, k) are smaller than one (k,), by their first difference."""
    differ = keys != best
    first = np.argmax(differ, axis=1)
    return np.asarray(differ.any(axis=1) & (np.take_along_axis(keys, first[:, None], 1)[:, 0] < best[first]))
