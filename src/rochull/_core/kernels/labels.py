"""Compiled packing of labels, which are looked at meanwhile."""

from __future__ import annotations

import numpy as np

from rochull._core.kernels.compiled import kernel
from rochull._core.kernels.hull import Array, Int

_WORD = 64


@kernel
def pack_labels(labels: Array, out: Array) -> Int:
    """Write the lowest bits of int64 labels (64 n,), 64 to a uint64; returns all bits that are set in any."""
    found, one = np.int64(0), np.int64(1)
    for k in range(out.size):
        word = np.int64(0)
        for i in range(_WORD):  # a loop of known length, which becomes wide instructions
            label = labels[_WORD * k + i]
            found |= label
            word |= (label & one) << np.int64(i)
        out[k] = word
    return found
