"""Decimals as numbers that NumPy has."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

from numpy.typing import NDArray

from rochull._core.warned import warn


def without_decimals(array: NDArray[Any]) -> NDArray[Any]:
    """Objects (n,) with integers of 64 bits in place of decimals if all are whole, else the nearest doubles.

    Fractions are taken like decimals; ValueError of what is beyond all doubles.
    Whole ones beyond 64 bits that a double does not tell apart stay integers, which no scores can be.

    So does a database that compares a decimal with a double: the double 0.1 is above one tenth, and the
    decimal 0.1 passes it.
    """
    found = {i: v for i, v in enumerate(array) if isinstance(v, Fraction) or _is_decimal(v)}
    if not found:
        return array
    array, values = array.copy(), list(found.values())
    rounded = list(map(_nearest, values))
    whole = all(map(math.isfinite, rounded)) and all(map(_is_whole, values))
    made: list[Any] = [int(value) for value in values] if whole else []
    if not whole or max(made) >= 2**64 or min(made) < (-(2**63) if max(made) < 2**63 else 0):
        before, after = len(set(values)), len(set(rounded))
        if not whole:
            merged_decimals(before, after)
        made = made if whole and after < before else rounded
    array[list(found)] = made
    return array


def _is_decimal(value: Any) -> bool:
    return isinstance(value, Decimal) and not value.is_nan()


def _is_whole(value: Decimal | Fraction) -> bool:
    return value == (value.to_integral_value() if isinstance(value, Decimal) else value.numerator)


def _nearest(value: Decimal | Fraction) -> float:
    """The nearest double, which only what is infinite itself may have beyond the finite ones."""
    try:
        found = float(value)
        if math.isfinite(found) or value in (math.inf, -math.inf):
            return found
    except OverflowError:
        pass
    raise beyond_float64(value)


def beyond_float64(value: object, where: str = "") -> ValueError:
    """Make the error about a number that would become infinite."""
    return ValueError(
        f"{where}the number {value!s:.40} is beyond the range of float64; rank such numbers first."
    )


def merged_decimals(before: int, after: int) -> None:
    """Warn if there are fewer doubles than the decimals that they were made of."""
    if after < before:
        warn(
            "decimals that differ only in digits beyond those of float64 are taken as equal: "
            f"{before:,} values became {after:,}. If that matters, rank the scores first."
        )
