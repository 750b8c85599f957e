"""Compiled numbering of equal rows of words, such as the letters of texts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rochull._core.kernels.compiled import inline, kernel, overflows

Array = NDArray[Any]
Int = Any

_ODD = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_ONE = np.uint64(1)


@overflows(inline)
def _hash(words: Array, factors: Array) -> Any:
    """A sum of products, which need not wait for each other."""
    total = np.uint64(0)
    for c in range(words.size):
        total += np.uint64(words[c]) * factors[c]
    total = (total ^ (total >> _HALF)) * _ODD
    return total ^ (total >> _HALF)


@kernel
def part_texts(letters: Array, out: Array) -> None:
    """Write texts (uint8), of which a zero ends each but the last, to rows of zeros, one below the other."""
    flat, one = out.ravel(), np.uint64(1)  # unsigned: negative indices would be looked for
    row, at = np.uint64(0), np.uint64(0)
    for letter in letters:
        flat[at] = letter
        at += one
        if letter == 0:
            row += np.uint64(out.shape[1])
            at = row


@kernel
def number_rows(words: Array, factors: Array, room: Int, first: Array, numbers: Array) -> Int:
    """Number rows of uint32 words (n, k) in the order in which they first occur; returns how many differ.

    Writes where each first stands to `first` (n,), and the number of every row to `numbers` (n,). `factors`
    (k,) are odd; `room` is for how many hashes there is a place at first, a power of two.
    """
    table, mask = np.full(room, -1, np.int32), np.uint64(room - 1)
    hashes = np.empty(numbers.size, np.uint64)
    found = 0
    for i in range(numbers.size):
        own = _hash(words[i], factors)
        at = own & mask
        number = table[at]
        while number >= 0:
            if hashes[number] == own:
                other, differ = first[number], np.uint32(0)
                for c in range(factors.size):
                    differ |= words[i, c] ^ words[other, c]
                if differ == 0:
                    break
            at = (at + _ONE) & mask
            number = table[at]
        if number < 0:
            number = found
            table[at], hashes[found], first[found] = found, own, i
            found += 1
            if 2 * found > table.size:
                table, mask = np.full(4 * table.size, -1, np.int32), np.uint64(4 * table.size - 1)
                for k in range(found):
                    at = hashes[k] & mask
                    while table[at] >= 0:
                        at = (at + _ONE) & mask
                    table[at] = k
        numbers[i] = number
    return found
