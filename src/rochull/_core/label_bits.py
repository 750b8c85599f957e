"""Wide labels as bits: they are looked at while they are packed, and a scan reads the bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rochull._core.first_use import without_kernels
from rochull._core.threads import share_out

Array = NDArray[Any]

_PART = 1 << 17  # rows, from which it is done: a multiple of 64


def zero_one_bits(y_true: ArrayLike, pos_label: object) -> Array | None:
    """Labels as bits, if they are many int64, 0 and 1, both present, and 1 is positive; else None."""
    few = type(y_true) is np.ndarray and y_true.size < _PART
    if few or not (type(y_true) is np.ndarray or hasattr(type(y_true), "iloc")):
        return None
    if not (pos_label is None or pos_label == 1):
        return None
    dtype = getattr(y_true, "dtype", None)  # a frame has none
    if not isinstance(dtype, np.dtype) or dtype != np.int64:
        return None
    labels = np.asarray(y_true)
    if labels.ndim != 1 or labels.size < _PART:
        return None
    bits, held = packed_labels(labels)
    words, rest = divmod(labels.size, 64)
    has_zero = bool((~bits[:words]).any()) or int(bits[words:].sum()).bit_count() < rest
    return bits if held == 1 and has_zero else None


def packed_labels(labels: Array) -> tuple[Array, int]:
    """The lowest bits of integers (n,), 64 to a uint64, and all bits that are set in any of them."""
    words = -(-labels.size // 64)
    if without_kernels(labels.size):
        few = np.zeros(8 * words, np.uint8)
        few[: -(-labels.size // 8)] = np.packbits((labels & 1).astype(bool), bitorder="little")
        return few.view("<u8").astype(np.uint64), int(np.bitwise_or.reduce(labels.astype(np.int64)))
    from rochull._core.kernels.labels import pack_labels

    bits = np.empty(words, np.uint64)

    def pack(part: Array, begin: int) -> int:
        own = np.ascontiguousarray(part, np.int64).view()
        own.setflags(write=False)
        return int(pack_labels(own, bits[begin // 64 : (begin + part.size) // 64]))

    whole = labels.size // 64 * 64
    last = np.zeros(64 * words - whole, np.int64)
    last[: labels.size - whole] = labels[whole:]
    parts = [labels[begin : min(begin + _PART, whole)] for begin in range(0, whole, _PART)]
    found = share_out(pack, parts, range(0, whole, _PART))
    return bits, int(np.bitwise_or.reduce([*found, pack(last, whole)]))
