"""Sorting scores by the digits of their bits, which takes a fraction of what comparing them does."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rochull._core.kernels.compiled import inline, kernel

Array = NDArray[Any]

_DIGIT = 10  # bits; places for more than 1,024 digits do not stay in the processor's first cache
_FIRST = 3 * _DIGIT  # the highest bits that differ: they tell nearly all scores apart
_MOVES = 4  # how many a score insertion may take on average; beyond that the other digits are sorted by too
_ONE = np.uint64(1)
_SIGN = np.int64(-(2**63))


@inline
def _by_digits(keys: Array, spare: Array, mass: Array, spare_mass: Array, low: int, high: int) -> Any:
    """Sort by the bits from `low` up to `high`, the last digit first; what is sorted is returned first."""
    mask = np.uint64((1 << _DIGIT) - 1)
    for shift in range(low, high, _DIGIT):
        place = np.zeros((1 << _DIGIT) + 1, np.uint64)  # unsigned, as are indices in the bucket map
        for key in keys:
            place[((key >> np.uint64(shift)) & mask) + _ONE] += _ONE
        for digit in range(1 << _DIGIT):
            place[digit + 1] += place[digit]
        for i in range(keys.size):
            digit = (keys[i] >> np.uint64(shift)) & mask
            to = place[digit]
            spare[to] = keys[i]
            if mass.size:
                spare_mass[to] = mass[i]
            place[digit] = to + _ONE
        keys, spare, mass, spare_mass = spare, keys, spare_mass, mass
    return keys, spare, mass, spare_mass


@inline
def _inserted(keys: Array, mass: Array) -> bool:
    """Sort what is nearly in order; whether that was done: False where too many are far from their place."""
    left = _MOVES * keys.size
    for i in range(1, keys.size):
        key = keys[i]
        if keys[i - 1] <= key:
            continue
        j, units = i, mass[i] if mass.size else 0
        while j > 0 and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            if mass.size:
                mass[j] = mass[j - 1]
            j -= 1
        keys[j] = key
        if mass.size:
            mass[j] = units
        left -= i - j
        if left < 0:
            return False
    return True


@kernel
def sort_floats(scores: Array, mass: Array) -> tuple[Array, Array]:
    """Float64 scores ascending, with their units (n,), or with none (0,); the given arrays are used up.

    The order of equal scores is not said.
    """
    bits, keys = scores.view(np.int64), scores.view(np.uint64)
    least, most = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0)
    for i in range(scores.size):
        keys[i] = np.int64(bits[i] ^ ((bits[i] >> np.int64(63)) | _SIGN)).view(np.uint64)
        least, most = min(least, keys[i]), max(most, keys[i])
    high, apart = 0, least ^ most
    while high < 64 and apart >> np.uint64(high) != 0:
        high += 1
    low = max(high - _FIRST, 0)
    spare, spare_mass = np.empty_like(keys), np.empty_like(mass)
    keys, spare, mass, spare_mass = _by_digits(keys, spare, mass, spare_mass, low, high)
    if low > 0 and not _inserted(keys, mass):
        keys, spare, mass, spare_mass = _by_digits(keys, spare, mass, spare_mass, 0, high)
    bits = keys.view(np.int64)
    for i in range(keys.size):
        bits[i] ^= ~(bits[i] >> np.int64(63)) | _SIGN
    return keys.view(np.float64), mass
