"""Few rows are done without compiled loops and without SciPy: to load the first of either takes long."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rochull._core.validation import Array

_FEW = 1 << 17  # rows, for which NumPy and Python take a tenth of a second
# Rows that may be done so in this process: whoever asks often is served by compiled loops.
_left = [1 << 20]
_MOST = 1 << 22  # the same in a command, which is done once


def without_kernels(rows: int) -> bool:
    """Whether so many rows are done by NumPy and Python: there are few, and Numba has not been imported."""
    return _without("numba", rows)


def allow_more() -> None:
    """Let more rows be done so: this process is a command, which ends when they are done."""
    _left[0] = _MOST


def _without(module: str, rows: int) -> bool:
    if rows > min(_FEW, _left[0]) or module in sys.modules:
        return False
    _left[0] -= rows
    return True


def expit(values: Array) -> Array:
    """``scipy.special.expit``, bit for bit; few values do not import SciPy."""
    import numpy as np

    if _without("scipy.special", values.size):
        return np.array([_expit(x) for x in values.ravel().tolist()]).reshape(values.shape)
    from scipy import special

    return np.asarray(special.expit(values))


def _expit(x: float) -> float:
    try:
        return 1 / (1 + math.exp(-x))
    except OverflowError:
        return 0.0
