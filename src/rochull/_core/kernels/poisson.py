"""Poisson weights that rows draw from the hashes of their keys, added up by groups of scores."""

from __future__ import annotations

from fractions import Fraction
from math import factorial

import numpy as np

from rochull._core.kernels.compiled import inline, kernel
from rochull._core.kernels.hull import Array, Int

_TERMS = 40  # of the series of e, after which nothing is left in 64 bits


def _limits() -> Array:
    """How many 64-bit numbers give a weight of at least 1, 2, ... (20,): P(weight >= k) 2**64, rounded."""
    terms = [Fraction(1, factorial(j)) for j in range(_TERMS)]
    return np.array([round(2**64 * sum(terms[k:]) / sum(terms)) for k in range(1, 21)], np.uint64)


LIMITS = _limits()
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_BY_30, _BY_27, _BY_31 = np.uint64(30), np.uint64(27), np.uint64(31)


@inline
def mix(number: Int) -> Int:
    """One step of SplitMix64 (Steele, Lea & Flood 2014) from a number."""
    z = number + _GOLDEN
    z = (z ^ (z >> _BY_30)) * _FIRST
    z = (z ^ (z >> _BY_27)) * _SECOND
    return z ^ (z >> _BY_31)


@kernel
def mix_all(numbers: Array) -> Array:
    """:func:`mix` of each of some numbers."""
    out = np.empty_like(numbers)
    for i in range(numbers.size):
        out[i] = mix(numbers[i])
    return out


@kernel
def add_weights(
    step: Array, positive: Array, mass: Array, keys: Array, seeds: Array, limits: Array, out: Array
) -> None:
    """Add what rows weigh in every replicate to ``out[step, label, replicate]``, int64.

    A weight is how many of the falling limits are above the row's number. `mass` holds the rows' units; it is
    empty for unweighted rows.
    """
    weighted = mass.size > 0
    numbers = np.empty(seeds.size, np.uint64)
    first, second, third, fourth, rest = limits[0], limits[1], limits[2], limits[3], limits[4]
    for i in range(step.size):
        row, key = out[step[i], positive[i]], keys[i]
        units = mass[i] if weighted else 1
        # A loop without jumps, of which the compiler makes vectors; weights above 4 are rare and come after.
        for r in range(seeds.size):
            number = mix(key ^ seeds[r])
            numbers[r] = number
            row[r] += units * (number < first)
            row[r] += units * (number < second)
            row[r] += units * (number < third)
            row[r] += units * (number < fourth)
        for r in range(seeds.size):
            if numbers[r] < rest:
                k = 4
                while k < limits.size and numbers[r] < limits[k]:
                    k += 1
                row[r] += units * (k - 4)
