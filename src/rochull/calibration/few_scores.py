"""Values of few scores on a map, by NumPy: bit for bit what the compiled loops of `maps` give."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rochull._core.validation import Array

Place = tuple[Array, Array]  # keys, and what is to be added to them


Pieces = tuple[Array, Array, Array, Place, Place, Array]


@np.errstate(all="ignore")
def line_values(
    keys: Array, cuts: Array, pieces: Pieces, lines: tuple[Array, Array, float, bool, Array]
) -> Array:
    """The value of every key (n,), by the parameters of the loop of this name; `cuts` are its grid's."""
    lower, upper = pieces[:2]
    share, rest, odds, as_log, table = lines
    p = np.searchsorted(cuts, keys, side="right")
    a, b = lower[p], upper[p]
    out = table[a]
    passed, left = _along(keys, p, pieces[2:])
    rises = np.flatnonzero((a != b) & (passed > 0))
    a, b, passed, left = a[rises], b[rises], passed[rises], left[rises]
    for_it = np.minimum(share[a] + (share[b] - share[a]) * passed, share[b])
    against = np.minimum(rest[b] + (rest[a] - rest[b]) * left, rest[a])
    if as_log:
        found = np.where(against > 0, np.where(for_it > 0, _log(for_it / against), -np.inf), np.inf)
    else:
        scaled = odds * for_it
        found = np.where(scaled > 0, 1 / (1 + against / scaled), 0.0)
    out[rises] = np.maximum(table[a], np.minimum(found, table[b]))
    return out


def _log(values: Array) -> Array:
    """Logarithms as the C library has them, as compiled loops do; NumPy's may differ in the last digit."""
    return np.array([math.log(x) if x > 0 else -math.inf for x in values.tolist()])


def _along(keys: Array, p: Any, ends: tuple[Array, Place, Place, Array]) -> Place:
    """How far along its piece each key is, and what is left."""
    shape, begin, end, width = ends[0][p], ends[1], ends[2], ends[3][p]
    ahead, to_go = _beyond(keys, begin[0][p], -begin[1][p]), _beyond(end[0][p], keys, end[1][p])
    upper, lower = 1 / (1 + ahead / width), 1 / (1 + to_go / width)
    line, tail = shape == 0, shape == 1
    return (
        np.where(line, np.minimum(ahead / width, 1.0), np.where(tail, 1 - upper, lower)),
        np.where(line, np.minimum(to_go / width, 1.0), np.where(tail, upper, 1 - lower)),
    )


def _beyond(high: Array, low: Array, lacking: Array) -> Array:
    return np.asarray(np.maximum(np.where(high > low, (high - low).astype(float), 0.0) + lacking, 0.0))
