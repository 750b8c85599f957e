"""Compiled loops over folds and operating points: no validation, no input or output.

Tables are (n_folds, k): a row for each fold, a column for each operating point. The inner loops run
over the points and are free of branches, so that they are vectorised whatever the number of folds.

Deviations over the folds are taken from the first fold by cross products, which are exact for counts:
folds that agree deviate by exactly 0, and no digits cancel. Of numbers that are not exact, those that
differ by less than `slack` times themselves agree.
"""

from __future__ import annotations

import numpy as np

from rochull._core.kernels.compiled import divides, kernel
from rochull._core.kernels.hull import Array, Int

_ENTRIES = 1 << 11  # of a table: two of them stay in the first-level cache


@kernel
def split_classes(
    positive: Array, scores: Array, codes: Array, weights: Array | None, units: Array,
    out: Array, fold: Array, mass: Array,
) -> tuple[Int, Int]:  # fmt: skip
    """Copy the rows of each class: positives from the left, negatives from the right.

    Weights are copied to `mass` in units; rows that weigh nothing are left out. Returns how many
    rows of each class there are, the positives first.
    """
    place = np.array([scores.size - 1, 0])
    for i in range(scores.size):
        label = np.uint64(positive[i])
        at = np.uint64(place[label])
        out[at] = scores[i]
        fold[at] = codes[i]
        there = True
        if weights is not None:
            mass[at] = np.int64(np.rint(weights[i] * units[label]))
            there = mass[at] > 0
        if there:
            place[label] += 2 * np.int64(label) - 1
    return place[1], scores.size - 1 - place[0]


@kernel
def count_called(
    fold: Array, mass: Array | None, begin: Int, ends: Array, size: float, running: Array, out: Array
) -> None:
    """Write to column j of `out` what is called in each fold if the first ``ends[j]`` rows are.

    `fold` (n,) holds the fold of each row of one class, from high scores to low, `mass` its units;
    `size` is one unit. `running` (n_folds,) counts the rows before `begin`, and is updated.
    """
    row = begin
    for j in range(ends.size):
        for i in range(row, ends[j]):
            running[np.uint64(fold[i])] += 1 if mass is None else mass[i]
        row = ends[j]
        for f in range(running.size):
            out[f, j] = running[f] * size


@divides
def rate_moments(num: Array, den: Array, slack: float, mean: Array, std: Array, deviation: Array) -> None:
    """Mean and standard deviation over the folds of ``num[f] / den[f]`` at each point.

    `num` is (n_folds, k) or wider; `den` (n_folds,) is positive. `deviation` is scratch like `num`. In
    folds of equal size the mean is correctly rounded: 9 of 10 is 0.9.
    """
    n_folds, size = den.size, mean.size
    first, equal = num[0, :size].copy(), den.min() == den.max()
    total, squares, called = np.zeros(size), np.zeros(size), np.zeros(size)
    for f in range(n_folds):
        scale = 1.0 / (den[f] * den[0])
        for j in range(size):
            here = num[f, j] * den[0]
            apart = here - first[j] * den[f]
            deviation[f, j] = apart * scale if abs(apart) > slack * abs(here) else 0.0
            total[j] += deviation[f, j]
            called[j] += num[f, j]
    for j in range(size):
        total[j] /= n_folds
        mean[j] = called[j] / (n_folds * den[0]) if equal else first[j] / den[0] + total[j]
    for f in range(n_folds):
        for j in range(size):
            away = deviation[f, j] - total[j]
            squares[j] += away * away
    for j in range(size):
        std[j] = np.sqrt(squares[j] / (n_folds - 1)) if n_folds > 1 else np.nan


@divides
def class_moments(
    fold: Array, mass: Array | None, ends: Array, size: float, den: Array, slack: float,
    mean: Array, std: Array,
) -> None:  # fmt: skip
    """:func:`rate_moments` of the share of one class that is called at each point: a strip at a time.

    Points between which the class has no row are computed once.
    """
    running, begin, left = np.zeros(den.size, np.int64), np.int64(0), 0
    strip = max(16, _ENTRIES // den.size)
    called, deviation = np.empty((den.size, strip)), np.empty((den.size, strip))
    distinct, means, stds = np.empty(strip, np.int64), np.empty(strip), np.empty(strip)
    while left < ends.size:
        width, right, previous = np.int64(0), left, np.int64(-1)
        while right < ends.size:
            fresh = np.int64(ends[right] != previous)  # added, not asked for: it cannot be predicted
            if width + fresh > strip:
                break
            width += fresh
            previous = ends[right]
            distinct[width - 1] = previous
            right += 1
        count_called(fold, mass, begin, distinct[:width], size, running, called)
        rate_moments(called, den, slack, means[:width], stds[:width], deviation)
        begin, column, previous = previous, np.int64(-1), np.int64(-1)
        for j in range(left, right):
            column += np.int64(ends[j] != previous)
            previous = ends[j]
            mean[j], std[j] = means[column], stds[column]
        left = right


@divides
def ratio_moments(num: Array, den: Array, slack: float, mean: Array, std: Array, count: Array) -> None:
    """As :func:`rate_moments`, for ``num / den`` with a denominator for each point (n_folds, k).

    Where `den` is 0 the ratio is undefined: the fold is left out there. `count` (k,) float64 is how
    many are left.
    """
    n_folds, size = num.shape
    first, first_den = np.zeros(size), np.ones(size)
    deviation = np.empty((n_folds, size))
    total, squares = np.zeros(size), np.zeros(size)
    count[:] = 0
    for f in range(n_folds - 1, -1, -1):
        for j in range(size):
            first[j] = num[f, j] if den[f, j] != 0 else first[j]
            first_den[j] = den[f, j] if den[f, j] != 0 else first_den[j]
    for f in range(n_folds):
        for j in range(size):
            there = den[f, j] != 0
            here = num[f, j] * first_den[j]
            apart = here - first[j] * den[f, j]
            differs = there and abs(apart) > slack * abs(here)
            deviation[f, j] = apart / (den[f, j] * first_den[j]) if differs else 0.0
            total[j] += deviation[f, j]
            count[j] += 1.0 if there else 0.0
    for j in range(size):
        total[j] = total[j] / count[j] if count[j] > 0 else np.nan
        mean[j] = first[j] / first_den[j] + total[j]
    for f in range(n_folds):
        for j in range(size):
            away = deviation[f, j] - total[j]
            squares[j] += away * away if den[f, j] != 0 else 0.0
    for j in range(size):
        std[j] = np.sqrt(squares[j] / (count[j] - 1)) if count[j] > 1 else np.nan
