"""Which loops go over outputs of several classes: compiled ones, or NumPy's where examples are few."""

from __future__ import annotations

from typing import Any

from rochull._core.first_use import without_kernels
from rochull._core.validation import Array

MOST = 1 << 14  # examples, whose breakpoints are simply sorted
_CELLS_A_ROW = 8  # outputs that take as long as a row does elsewhere


def loops_of(outputs: Array) -> Any:
    """The loops for outputs (C, n), or for breakpoints (m,)."""
    if outputs.shape[-1] <= MOST and without_kernels(outputs.size // _CELLS_A_ROW):
        from rochull.multiclass.few_examples import FewExamples

        return FewExamples
    from rochull._core.kernels import multiclass

    return multiclass
