"""Compiled loops of rankings of several classes: pairs won, their replicates, and placements.

No validation, no input or output; they trust their input. Rows are grouped by class: those of class k from
begin[k] to begin[k + 1]. ``order[c]`` (n,) are the rows by ascending output c, and ``last[c]`` (n,) tells
which of them are the last of a group of equal outputs. Every pair counts two units, so that a tie's
half is whole. ``units`` (n,) are what rows weigh: int64 counts, whose sums are exact, or float64.
"""

from __future__ import annotations

import numpy as np

from rochull._core.kernels.compiled import kernel
from rochull._core.kernels.hull import Array, Int
from rochull._core.kernels.replicates import draw_rows


@kernel
def pairs_won(order: Array, last: Array, codes: Array, units: Array, wins: Array) -> None:
    """Add to wins[c, j] twice the units of pairs in which class c has the larger output c than class j.

    A tie counts one. The diagonal is not to be read.
    """
    n_classes = wins.shape[0]
    below, tied = np.zeros(n_classes, units.dtype), np.zeros(n_classes, units.dtype)
    for c in range(n_classes):
        below[:] = 0
        begin = 0
        for k in range(order.shape[1]):
            if not last[c, k]:
                continue
            if begin == k:  # alone: most outputs are
                row = order[c, k]
                of, own = codes[row], units[row]
                if of == c and own > 0:
                    for j in range(n_classes):
                        wins[c, j] += 2 * own * below[j]
                below[of] += own
            else:
                tied[:] = 0
                for i in range(begin, k + 1):
                    tied[codes[order[c, i]]] += units[order[c, i]]
                own = tied[c]
                for j in range(n_classes):
                    wins[c, j] += own * (2 * below[j] + tied[j])
                    below[j] += tied[j]
            begin = k + 1


@kernel
def replicates(
    states: Array, begin: Array, order: Array, last: Array, codes: Array, weight: Array | None, wins: Array,
    totals: Array,
) -> None:  # fmt: skip
    """Draw rows of each class with replacement, once for each state (r, 4), and count the pairs won.

    `wins` (r, C, C) is zero before; `totals` (r, C) get the units of each class. Their type is that of the
    units: int64, or float64 with weights.
    """
    counts = np.empty(codes.size, np.uint16)
    units = np.empty(codes.size, totals.dtype)
    for r in range(states.shape[0]):
        for k in range(begin.size - 1):
            members = counts[begin[k] : begin[k + 1]]
            draw_rows(states[r], members.size, members)
        for i in range(codes.size):
            units[i] = counts[i]
            if weight is not None:
                units[i] *= weight[i]
        for k in range(begin.size - 1):
            totals[r, k] = units[begin[k] : begin[k + 1]].sum()
        pairs_won(order, last, codes, units, wins[r])


@kernel
def placements(
    c: Int, order: Array, last: Array, codes: Array, units: Array, totals: Array, out: Array
) -> None:
    """Add to out (n,) what each row adds to the sum of the areas A(c|j) over the other classes j.

    A row of class c adds its shares of the rows of every other class below it; a row of class j the share
    of class c above it. A tie counts one half. `order` and `last` are of output c, `totals` (C,) the
    classes' units.
    """
    n_classes = totals.size
    below, tied = np.zeros(n_classes), np.zeros(n_classes)
    begin = 0
    for k in range(order.size):
        if not last[k]:
            continue
        tied[:] = 0
        for i in range(begin, k + 1):
            tied[codes[order[i]]] += units[order[i]]
        beaten = 0.0
        for j in range(n_classes):
            if j != c:
                beaten += (below[j] + 0.5 * tied[j]) / totals[j]
        beaten_by = 1.0 - (below[c] + 0.5 * tied[c]) / totals[c]
        for i in range(begin, k + 1):
            out[order[i]] += beaten if codes[order[i]] == c else beaten_by
        for j in range(n_classes):
            below[j] += tied[j]
        begin = k + 1
