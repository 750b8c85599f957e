"""Scores in order."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from rochull._core.first_use import without_kernels
from rochull._core.validation import Array

_MANY = 1 << 10  # scores, from which digits are faster than comparisons
_NONE = np.zeros(0, np.int64)


def ascending(scores: Array, beside: Array | None = None, *, spent: bool = False) -> tuple[Array, Array]:
    """Scores ascending, and the int64 numbers `beside` them (n,), in any order within a tie.

    Scores that are `spent` may be overwritten, to save memory.
    """
    if scores.dtype.kind != "f" or scores.size < _MANY or without_kernels(scores.size):
        if beside is None:
            own = scores if spent else scores.copy()
            own.sort()
            return own, _NONE
        order = np.argsort(scores)
        return scores[order], beside[order]
    from rochull._core.kernels import sorting as kernels

    own = np.array(scores, np.float64, order="C", copy=None if spent else True)
    keys, order = own.view(np.uint64), _NONE if beside is None else beside.copy()
    found, other = np.empty_like(keys), np.empty_like(order)
    if not kernels.sort_keys(keys, found, order, other, np.empty(kernels.PLACES, np.uint64)):
        found, other = keys, order
    return found.view(np.float64).astype(scores.dtype, copy=False), other


def sort_parts(scores: Array, beside: Array | None, edges: Array) -> None:
    """Sort in place each part of the scores, and the int64 numbers `beside` them; parts end at `edges`."""
    for begin, end in pairwise(edges.tolist()):
        if end - begin > 1:
            part = slice(begin, end)
            if beside is None:
                scores[part].sort()
            else:
                scores[part], beside[part] = ascending(scores[part], beside[part])
