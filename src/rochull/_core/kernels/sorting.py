"""Sorting scores by the digits of their bits, which takes a fraction of what comparing them does."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rochull._core.kernels.compiled import folded, kernel

Array = NDArray[Any]

_DIGIT = 10  # bits; places for more than 1,024 digits do not stay in the processor's first cache
_FIRST = 3 * _DIGIT  # the highest bits that differ: they tell nearly all scores apart
_MOVES = 4  # how many a score insertion may take on average; beyond that the other digits are sorted by too
_ONE = np.uint64(1)
_SIGN = np.uint64(1 << 63)
PLACES = (1 << _DIGIT) + 1  # that the kernel needs


@folded
def _by_digit(keys: Array, spare: Array, mass: Array, spare_mass: Array, shift: int, place: Array) -> None:
    """Write keys and their units to the spare arrays, in the order of one digit."""
    mask = np.uint64((1 << _DIGIT) - 1)
    for digit in range(place.size):
        place[digit] = 0
    for i in range(keys.size):
        place[((keys[i] >> np.uint64(shift)) & mask) + _ONE] += _ONE
    for digit in range(1 << _DIGIT):
        place[digit + 1] += place[digit]
    for i in range(keys.size):
        at = (keys[i] >> np.uint64(shift)) & mask
        to = place[at]
        spare[to] = keys[i]
        if mass.size:
            spare_mass[to] = mass[i]
        place[at] = to + _ONE


@folded
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
def sort_keys(keys: Array, spare: Array, mass: Array, spare_mass: Array, place: Array) -> bool:
    """Sort float64 scores, given as the uint64 of their bits, with their units (n,), or with none (0,).

    The order of equal scores is not said. Returns whether what is sorted is in the spare arrays. `place` has
    room for a digit's places.
    """
    least, most = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0)
    for i in range(keys.size):
        key = ~keys[i] if keys[i] >= _SIGN else keys[i] | _SIGN
        keys[i] = key
        least, most = key if key < least else least, key if key > most else most
    high, apart, moved = 0, least ^ most, False
    while high < 64 and apart >> np.uint64(high) != 0:
        high += 1
    low = high - _FIRST if high > _FIRST else 0
    while True:
        for shift in range(low, high, _DIGIT):
            _by_digit(keys, spare, mass, spare_mass, shift, place)
            keys, spare, mass, spare_mass, moved = spare, keys, spare_mass, mass, not moved
        if low == 0 or _inserted(keys, mass):
            break
        low = 0
    for i in range(keys.size):
        keys[i] = keys[i] ^ _SIGN if keys[i] >= _SIGN else ~keys[i]
    return moved
