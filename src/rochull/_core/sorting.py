"""Scores in order."""

from __future__ import annotations

import numpy as np

from rochull._core.validation import Array

_MANY = 1 << 10  # scores, from which digits are faster than comparisons
_NONE = np.zeros(0, np.int64)


def ascending(scores: Array, beside: Array | None = None) -> tuple[Array, Array]:
    """Scores ascending, and the int64 numbers `beside` them (n,), in any order within a tie."""
    if scores.dtype.kind != "f" or scores.size < _MANY:
        if beside is None:
            return np.sort(scores), _NONE
        order = np.argsort(scores)
        return scores[order], beside[order]
    from rochull._core.kernels import sorting as kernels

    own = np.array(scores, np.float64, order="C")
    found, order = kernels.sort_floats(own, _NONE if beside is None else beside.copy())
    return found.astype(scores.dtype, copy=False), order
