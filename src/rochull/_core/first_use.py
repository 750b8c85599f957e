"""Few rows are done without compiled loops and without SciPy: to load the first of either takes long."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Rows, or values, that NumPy and Python do in less time than it takes to load the other.
_FEW = {"numba": 1 << 19, "scipy.special": 1 << 17, "pyarrow": 1 << 18}
# Rows that may be done so in this process: whoever asks often is served by compiled loops, or by SciPy.
_left = {"numba": 3 << 20, "scipy.special": 1 << 19, "pyarrow": 1 << 20}
_MOST = 1 << 22  # without compiled loops in a command, which is done once
# Below which a normal number is with these probabilities: of 90, 95 and 99 %, and as (1 - level) / 2 rounds.
_QUANTILES = {
    0.05: -1.6448536269514729, 0.025: -1.9599639845400545, 0.005: -2.575829303548901,
    (1 - 0.9) / 2: -1.6448536269514729, (1 - 0.95) / 2: -1.959963984540054,
    (1 - 0.99) / 2: -2.5758293035489004,
}  # fmt: skip


def without_kernels(rows: int) -> bool:
    """Whether so many rows are done by NumPy and Python: there are few, and Numba has not been imported."""
    return _without("numba", rows)


def without_arrow(rows: int) -> bool:
    """Whether so many texts are compared in Python: there are few, and pyarrow has not been imported."""
    return _without("pyarrow", rows)


def allow_more() -> None:
    """Let more rows be done so: this process is a command, which ends when they are done."""
    _left["numba"] = _MOST


def _without(module: str, rows: int) -> bool:
    if rows > min(_FEW[module], _left[module]) or module in sys.modules:
        return False
    _left[module] -= rows
    return True


def expit(values: NDArray[Any]) -> NDArray[Any]:
    """``scipy.special.expit``, bit for bit; few values do not import SciPy."""
    import numpy as np

    if _without("scipy.special", values.size):
        return np.array([_expit(x) for x in values.ravel().tolist()]).reshape(values.shape)
    from scipy import special

    return np.asarray(special.expit(values))


def one_ndtri(tail: float) -> float:
    """``scipy.special.ndtri`` of one number; those of the usual levels do not import SciPy."""
    found = _QUANTILES.get(tail)
    if found is not None:
        return found
    from scipy import special

    return float(special.ndtri(tail))


def _expit(x: float) -> float:
    try:
        return 1 / (1 + math.exp(-x))
    except OverflowError:
        return 0.0
