"""Whether few rows are done without compiled loops: to load the first of these takes half a second."""

from __future__ import annotations

import sys

_FEW = 1 << 13  # rows, for which NumPy and Python take a few milliseconds
# Rows that may be done so in this process: whoever asks often is served by compiled loops.
_left = [1 << 17]


def without_kernels(rows: int) -> bool:
    """Whether so many rows are done by NumPy and Python: there are few, and Numba has not been imported."""
    if rows > min(_FEW, _left[0]) or "numba" in sys.modules:
        return False
    _left[0] -= rows
    return True
