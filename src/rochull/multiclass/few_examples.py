"""Decisions, counts and sweeps of few examples, by NumPy: what the compiled loops of `multiclass` give.

Breakpoints are in a single bucket here, which is sorted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rochull._core.validation import Array

_LARGEST = np.finfo(float).max
_BELOW = 1 - 2.0**-53
_NORMAL = 1e-290


class FewExamples:
    """Loops over few examples, with the names and parameters of the compiled ones."""

    @staticmethod
    @np.errstate(over="ignore", under="ignore")
    def decide(outputs: Array, weights: Array, called: Array) -> None:
        """The first class with the largest weights[c] * outputs[c, i], of each example: int64 (n,)."""
        np.argmax(weights[:, None] * outputs, axis=0, out=called)

    @staticmethod
    @np.errstate(over="ignore", under="ignore")
    def confusion(outputs: Array, begin: Array, mass: Array, weights: Array, out: Array) -> None:
        """Add to out (k, C, C) the units of class i that the weights (k, C) call j."""
        n_classes = weights.shape[1]
        true = np.repeat(np.arange(n_classes), np.diff(begin)) * n_classes
        for vector, matrix in zip(weights, out, strict=True):
            _count(matrix, true + np.argmax(vector[:, None] * outputs, axis=0), mass)

    @staticmethod
    @np.errstate(over="ignore", under="ignore")
    def turns(
        outputs: Array, begin: Array, mass: Array, weights: Array, j: int, matters: Array, theta: Array,
        other: Array, units: Array, first_of: Array, kept: Array, at_zero: Array,
    ) -> None:  # fmt: skip
        """The smallest weight of class j with which each example is called j, and what it is called below."""
        products = weights[:, None] * outputs
        products[j] = -1.0
        called = products.argmax(axis=0)
        true = np.repeat(np.arange(len(outputs)), np.diff(begin))
        rows = np.flatnonzero(matters[true, called])
        called, true = called[rows], true[rows]
        found = _exact_turns(outputs[j, rows], products[called, rows], called > j)
        size = rows.size
        theta[:size], other[:size] = found, called
        if mass.size:
            units[:size] = mass[rows]
        first_of[:] = np.searchsorted(true, np.arange(first_of.size))
        for total, some in ((kept, slice(None)), (at_zero, found == 0.0)):
            total[:] = 0
            np.add.at(total, true[some], mass[rows][some] if mass.size else 1)

    @staticmethod
    def members_of(theta: Array, wanted: Array, shift: int) -> Array:
        """The examples that turn at a positive finite weight."""
        return np.flatnonzero((theta > 0.0) & (theta < np.inf))

    @staticmethod
    def gap(theta: Array, cut: float) -> tuple[float, float]:
        """The last breakpoint up to `cut` and the first beyond."""
        passed = theta <= cut
        low, high = theta[passed].max(initial=0.0), theta[~passed].min(initial=np.inf)
        return float(low), float(high)

    @staticmethod
    def walk_errors(
        theta: Array, units: Array, first_of: Array, members: Array, buckets: Array, counted: Array,
        wanted: Array, shift: int, j: int, wrong: Array, totals: Array, best: Array,
    ) -> float:  # fmt: skip
        """The breakpoint from which on the errors are smallest, the largest first; 0: from the start."""
        true, ends = _true(first_of, members), _ended(theta, members)
        change = np.zeros((members.size, wrong.size), np.int64)
        unit = units[members] if units.size else np.ones(members.size, np.int64)
        change[np.arange(members.size), true] = np.where(true == j, -unit, unit)
        after = wrong + np.vstack([np.zeros_like(wrong), change.cumsum(axis=0)[ends]])
        errors = -np.sort(-(after / totals), axis=1)
        at = int(np.lexsort(errors.T[::-1])[0])  # the first of equal ones
        wrong[:], best[:] = after[-1], errors[at]
        return float(theta[members[ends[at - 1]]]) if at else 0.0

    @staticmethod
    def walk_steps(
        theta: Array, other: Array, units: Array, first_of: Array, members: Array, buckets: Array,
        counted: Array, wanted: Array, shift: int, steps: Array,
    ) -> float:  # fmt: skip
        """The breakpoint from which on the sum of steps is smallest; 0: from the start."""
        step = steps[_true(first_of, members), other[members]] * (units[members] if units.size else 1)
        ends = _ended(theta, members)
        level = np.append(0.0, step.cumsum()[ends])
        at = int(level.argmin())
        return float(theta[members[ends[at - 1]]]) if at else 0.0

    @staticmethod
    def step_matrices(
        order: Array,
        ends: Array,
        other: Array,
        units: Array,
        first_of: Array,
        j: int,
        matrix: Array,
        out: Array,
    ) -> None:
        """Let examples turn to class j in order; out[g] is the matrix after ends[g]. `matrix` moves on."""
        turned = order[: ends[-1] if ends.size else 0]
        group, true = np.searchsorted(ends, np.arange(turned.size), side="right"), _true(first_of, turned)
        unit = units[turned] if units.size else 1
        out[:] = 0
        cells: Any = group, true, other[turned]
        np.subtract.at(out, cells, unit)
        np.add.at(out, (group, true, np.full_like(true, j)), unit)
        np.cumsum(out, axis=0, out=out)
        out += matrix
        if ends.size:
            matrix[:] = out[-1]


def _count(matrix: Array, cells: Array, mass: Array) -> None:
    """Add what is in each cell; integers, however large."""
    if mass.size:
        np.add.at(matrix.reshape(-1), cells, mass)
    else:
        matrix += np.bincount(cells, minlength=matrix.size).reshape(matrix.shape)


@np.errstate(all="ignore")
def _exact_turns(y: Array, rival: Array, tie: Array) -> Array:
    """The exact breakpoints: the quotient is at most two neighbours away, or it is found by bisection."""
    at = rival / np.where(y > 0.0, y, 1.0)
    low, high = at * _BELOW, at / _BELOW
    low_2, high_2 = low * _BELOW, high / _BELOW
    proven = (y > 0.0) & (at > _NORMAL) & (at < 1.0 / _NORMAL)
    proven &= ~_wins(low_2 * _BELOW, y, rival, tie) & _wins(high_2, y, rival, tie)
    found = high_2
    for tried in (high, at, low, low_2):
        found = np.where(_wins(tried, y, rival, tie), tried, found)
    odd = np.flatnonzero(~proven)
    found[odd] = _least_weights(y[odd], rival[odd], tie[odd])
    return np.asarray(found)


def _wins(weight: Array, output: Array, rival: Array, tie: Array) -> Array:
    product = weight * output
    return np.asarray((product > rival) | (tie & (product == rival)))


def _least_weights(output: Array, rival: Array, tie: Array) -> Array:
    """The smallest float64 whose product with an output exceeds its rival, by bisection of the bits."""
    below, above = np.zeros(output.size), np.full(output.size, _LARGEST)
    never = (output == 0.0) | ~_wins(above, output, rival, tie)
    bits, ends = below.view(np.int64), above.view(np.int64)
    while (apart := ends - bits > 1).any():
        middle = bits + (ends - bits) // 2
        won = _wins(middle.view(float), output, rival, tie)
        ends[apart & won], bits[apart & ~won] = middle[apart & won], middle[apart & ~won]
    return np.where(tie & (rival == 0.0), 0.0, np.where(never, np.inf, above))


def _ended(theta: Array, members: Array) -> Array:
    """Where the next of the sorted members turns later, or there is none."""
    return np.flatnonzero(np.append(np.diff(theta[members]) > 0, np.ones(min(1, members.size), bool)))


def _true(first_of: Array, members: Array) -> Array:
    return np.searchsorted(first_of, members, side="right") - 1
