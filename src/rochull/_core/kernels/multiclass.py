"""Compiled loops over outputs of several classes: decisions and confusion matrices of weight vectors, and
sweeps of one weight.

Outputs are held class by class, (C, n), so that the loop over examples is the inner one. Examples are grouped
by true class: those of class i from begin[i] to begin[i + 1]. `mass` (n,) are their units, or it is empty and
each counts one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rochull._core.kernels.compiled import divides, kernel

Array = NDArray[Any]

_STRIP = 256  # examples at a time: their best product so far stays in the first-level cache
_BELOW = 1 - 2.0**-53  # a normal float times this is its lower neighbour, divided by it the upper one
_NORMAL = 1e-290


@kernel
def _largest(outputs: Array, weights: Array, without: int, first: int, best: Array, called: Array) -> None:
    """The first class with the largest weights[c] * outputs[c, i], of all but one; from example `first` on.

    Without branches and two classes at a time, so that the loops become vector instructions.
    """
    n_classes, size = weights.size, best.size
    c = 1 if without == 0 else 0
    weight, row = weights[c], outputs[c, first : first + size]
    for i in range(size):
        best[i] = weight * row[i]
        called[i] = c
    c += 1
    while c < n_classes:
        if c == without:
            c += 1
            continue
        d = c + 1 if c + 1 != without else c + 2
        weight, row = weights[c], outputs[c, first : first + size]
        if d < n_classes:
            weight_d, row_d = weights[d], outputs[d, first : first + size]
            for i in range(size):
                value, value_d = weight * row[i], weight_d * row_d[i]
                # An equal one stays with the class before.
                larger, label = max(value, best[i]), c if value > best[i] else called[i]
                called[i] = d if value_d > larger else label
                best[i] = max(value_d, larger)
        else:
            for i in range(size):
                value = weight * row[i]
                called[i] = c if value > best[i] else called[i]
                best[i] = max(value, best[i])
        c = d + 1


@kernel
def decide(outputs: Array, weights: Array, called: Array) -> None:
    """The first class with the largest weights[c] * outputs[c, i], of each example: int64 (n,)."""
    n = called.size
    best = np.empty(_STRIP)
    for first in range(0, n, _STRIP):
        last = min(first + _STRIP, n)
        _largest(outputs, weights, -1, first, best[: last - first], called[first:last])


@kernel
def confusion(outputs: Array, begin: Array, mass: Array, weights: Array, out: Array) -> None:
    """Add to out (k, C, C) the units of class i that the weights (k, C) call j."""
    n_classes = weights.shape[1]
    best, called = np.empty(_STRIP), np.empty(_STRIP, np.int64)
    counts = np.zeros((4, n_classes), np.int64)  # four, so that equal calls in a row do not wait
    for i in range(n_classes):
        for first in range(begin[i], begin[i + 1], _STRIP):
            size = min(_STRIP, begin[i + 1] - first)
            for k in range(weights.shape[0]):
                _largest(outputs, weights[k], -1, first, best[:size], called[:size])
                if mass.size:
                    for at in range(size):
                        out[k, i, called[at]] += mass[first + at]
                    continue
                even = size // 4 * 4
                for at in range(0, even, 4):
                    counts[0, called[at]] += 1
                    counts[1, called[at + 1]] += 1
                    counts[2, called[at + 2]] += 1
                    counts[3, called[at + 3]] += 1
                for at in range(even, size):
                    counts[0, called[at]] += 1
                for c in range(n_classes):
                    for part in range(4):
                        out[k, i, c] += counts[part, c]
                        counts[part, c] = 0


@kernel
def _wins(weight: float, output: float, rival: float, tie: bool) -> bool:
    product = weight * output
    return bool((product > rival) | (tie & (product == rival)))


@kernel
def least_weight(output: float, rival: float, tie: bool) -> float:
    """The smallest float64 whose product with `output` exceeds `rival`, or equals it if a `tie` suffices.

    Infinity if there is none. Found by bisection of the bits: products grow with the weight.
    """
    if tie and rival == 0.0:
        return 0.0
    if output == 0.0:
        return np.inf
    ends = np.array([0.0, np.finfo(np.float64).max, 0.0])
    bits = ends.view(np.int64)
    if not _wins(ends[1], output, rival, tie):
        return np.inf
    while bits[1] - bits[0] > 1:
        bits[2] = bits[0] + (bits[1] - bits[0]) // 2
        if _wins(ends[2], output, rival, tie):
            bits[1] = bits[2]
        else:
            bits[0] = bits[2]
    return float(ends[1])


@divides
def _exact_turns(row: Array, j: int, best: Array, called: Array, found: Array) -> None:
    """The exact breakpoints of class j's outputs against the best product of the other classes.

    The quotient is at most two neighbours away, so these are tried; what that does not prove is left to
    `least_weight`.
    """
    odd = 0
    for i in range(row.size):  # without branches, so that it becomes vector instructions
        y, rival, tie = row[i], best[i], called[i] > j
        at = rival / (y if y > 0.0 else 1.0)
        low, high = at * _BELOW, at / _BELOW
        low_2, high_2 = low * _BELOW, high / _BELOW
        proven = (
            (y > 0.0)
            & (at > _NORMAL)
            & (at < 1.0 / _NORMAL)
            & (not _wins(low_2 * _BELOW, y, rival, tie))
            & _wins(high_2, y, rival, tie)
        )
        least = high if _wins(high, y, rival, tie) else high_2
        least = at if _wins(at, y, rival, tie) else least
        least = low if _wins(low, y, rival, tie) else least
        least = low_2 if _wins(low_2, y, rival, tie) else least
        found[i] = least if proven else np.nan
        odd += 0 if proven else 1
    if odd:
        for i in range(row.size):
            if np.isnan(found[i]):
                found[i] = least_weight(row[i], best[i], called[i] > j)


@kernel
def turns(
    outputs: Array,
    begin: Array,
    mass: Array,
    weights: Array,
    j: int,
    matters: Array,
    theta: Array,
    other: Array,
    units: Array,
    first_of: Array,
    kept: Array,
    at_zero: Array,
) -> None:
    """The smallest weight of class j with which each example is called j, and what it is called below.

    Exact: in float64 products, an example is called j if and only if the weight is at least its theta.
    Written for the examples of class i that are called c below where matters[i, c], class by class:
    those of class i are from first_of[i] to first_of[i + 1]. `theta`, `other` have room for n; `units` is as
    empty as `mass`. `kept` and `at_zero` (C,): units of the examples written, and of those with theta 0.
    """
    n_classes = outputs.shape[0]
    best, called, found = np.empty(_STRIP), np.empty(_STRIP, np.int64), np.empty(_STRIP)
    filled = 0
    for true in range(n_classes):
        first_of[true], keep = filled, matters[true]
        of_class, of_zero = 0, 0
        for first in range(begin[true], begin[true + 1], _STRIP):
            size = min(_STRIP, begin[true + 1] - first)
            _largest(outputs, weights, j, first, best[:size], called[:size])
            _exact_turns(outputs[j, first : first + size], j, best, called, found)
            if mass.size:
                for i in range(size):
                    if keep[called[i]]:
                        theta[filled], other[filled], units[filled] = found[i], called[i], mass[first + i]
                        of_class += mass[first + i]
                        of_zero += mass[first + i] if found[i] == 0.0 else 0
                        filled += 1
                continue
            for i in range(size):
                theta[filled], other[filled] = found[i], called[i]
                wanted = 1 if keep[called[i]] else 0
                of_zero += wanted if found[i] == 0.0 else 0
                filled += wanted
        kept[true] = of_class if mass.size else filled - first_of[true]
        at_zero[true] = of_zero
    first_of[n_classes] = filled


@kernel
def bucket_units(theta: Array, units: Array, first_of: Array, shift: int, out: Array) -> None:
    """Count into out (b, C) the units that turn at a positive weight, by bucket of weights and true class."""
    bits = theta.view(np.int64)
    for i in range(first_of.size - 1):
        for s in range(first_of[i], first_of[i + 1]):
            if 0.0 < theta[s] < np.inf:
                out[bits[s] >> shift, i] += units[s] if units.size else 1


@kernel
def bucket_steps(
    theta: Array, other: Array, units: Array, first_of: Array, shift: int, steps: Array, out: Array
) -> None:
    """Add to out (b, 2) the steps[true, below] of what turns, by bucket of weights; and the negative ones."""
    bits = theta.view(np.int64)
    for i in range(first_of.size - 1):
        for s in range(first_of[i], first_of[i + 1]):
            if 0.0 < theta[s] < np.inf:
                step = steps[i, other[s]] * (units[s] if units.size else 1)
                out[bits[s] >> shift, 0] += step
                out[bits[s] >> shift, 1] += min(step, 0.0)


@kernel
def members_of(theta: Array, wanted: Array, shift: int) -> Array:
    """The examples that turn at a positive finite weight in a wanted bucket."""
    bits = theta.view(np.int64)
    size = 0
    for s in range(theta.size):
        size += 1 if wanted[bits[s] >> shift] & (theta[s] > 0.0) & (theta[s] < np.inf) else 0
    members = np.empty(size + 1, np.int64)
    size = 0
    for s in range(theta.size):
        members[size] = s
        size += 1 if wanted[bits[s] >> shift] & (theta[s] > 0.0) & (theta[s] < np.inf) else 0
    return members[:size]


@kernel
def gap(theta: Array, cut: float) -> tuple[float, float]:
    """The last breakpoint up to `cut` and the first beyond."""
    low, high = 0.0, np.inf
    for s in range(theta.size):
        at = theta[s]
        low = max(low, at if at <= cut else 0.0)
        high = min(high, at if at > cut else np.inf)
    return low, high


@kernel
def lexically_better(errors: Array, scratch: Array, best: Array) -> bool:
    """Whether the errors, largest first, come before `best`, which they then replace."""
    for c in range(errors.size):
        if errors[c] > best[0]:
            return False
    for c in range(errors.size):  # insertion: a few classes
        at = c
        while at and scratch[at - 1] < errors[c]:
            scratch[at] = scratch[at - 1]
            at -= 1
        scratch[at] = errors[c]
    for c in range(errors.size):
        if scratch[c] != best[c]:
            if scratch[c] > best[c]:
                return False
            for d in range(errors.size):
                best[d] = scratch[d]
            return True
    return False


@kernel
def walk_errors(
    theta: Array,
    units: Array,
    first_of: Array,
    members: Array,
    buckets: Array,
    counted: Array,
    wanted: Array,
    shift: int,
    j: int,
    wrong: Array,
    totals: Array,
    best: Array,
) -> float:
    """The breakpoint from which on the errors are smallest, the largest first; 0: from the start.

    Of the buckets with any example, those that are not wanted are passed at once, by what was counted (b, C);
    the sorted members are all of the others. `wrong` (C,) are the units called wrongly at weight 0, and moves
    on; `best` (C,) becomes the sorted errors.
    """
    n_classes = totals.size
    errors, scratch = np.empty(n_classes), np.empty(n_classes)
    for i in range(n_classes):
        errors[i] = wrong[i] / totals[i]
        best[i] = np.inf
    lexically_better(errors, scratch, best)
    cut, at, edge = 0.0, 0, np.zeros(1)
    edge_bits = edge.view(np.int64)
    for b in buckets:
        # The bucket's last float; beyond infinity, a NaN, which nothing is beyond.
        edge_bits[0] = (b << shift) + ((1 << shift) - 1)
        if not wanted[b]:
            for i in range(n_classes):
                wrong[i] += -counted[b, i] if i == j else counted[b, i]
                errors[i] = wrong[i] / totals[i]
            if lexically_better(errors, scratch, best):
                cut = edge[0]
            continue
        while at < members.size and not theta[members[at]] > edge[0]:
            s = members[at]
            i = 0
            while s >= first_of[i + 1]:
                i += 1
            unit = units[s] if units.size else 1
            wrong[i] += -unit if i == j else unit
            errors[i] = wrong[i] / totals[i]
            at += 1
            ended = at == members.size or theta[members[at]] > theta[s]
            if ended and lexically_better(errors, scratch, best):
                cut = theta[s]
    return cut


@kernel
def walk_steps(
    theta: Array,
    other: Array,
    units: Array,
    first_of: Array,
    members: Array,
    buckets: Array,
    counted: Array,
    wanted: Array,
    shift: int,
    steps: Array,
) -> float:
    """The breakpoint from which on the sum of steps is smallest; 0: from the start. As `walk_errors`."""
    level, best, cut, at, edge = 0.0, 0.0, 0.0, 0, np.zeros(1)
    edge_bits = edge.view(np.int64)
    for b in buckets:
        edge_bits[0] = (b << shift) + ((1 << shift) - 1)
        if not wanted[b]:
            level += counted[b, 0]
            if level < best:
                cut, best = edge[0], level
            continue
        while at < members.size and not theta[members[at]] > edge[0]:
            s = members[at]
            i = 0
            while s >= first_of[i + 1]:
                i += 1
            level += steps[i, other[s]] * (units[s] if units.size else 1)
            at += 1
            if level < best and (at == members.size or theta[members[at]] > theta[s]):
                cut, best = theta[s], level
    return cut


@kernel
def step_matrices(
    order: Array, ends: Array, other: Array, units: Array, first_of: Array, j: int, matrix: Array, out: Array
) -> None:
    """Let examples turn to class j in order; out[g] is the matrix after ends[g]. `matrix` moves on."""
    at = 0
    for g in range(ends.size):
        while at < ends[g]:
            s = order[at]
            i = 0
            while s >= first_of[i + 1]:
                i += 1
            unit = units[s] if units.size else 1
            matrix[i, other[s]] -= unit
            matrix[i, j] += unit
            at += 1
        for i in range(matrix.shape[0]):
            for c in range(matrix.shape[1]):
                out[g, i, c] = matrix[i, c]
