"""Decimals become numbers that NumPy has, and who loses digits that matter is told."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from refusals import refuses
from rochull._core.decimals import without_decimals
from rochull._core.validation import objects, scores_1d


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([Decimal("1.00"), Decimal(2**60 + 1)], [1, 2**60 + 1]),
        ([Decimal(2**70), Decimal(2**70 + 1)], [2**70, 2**70 + 1]),  # refused where scores are checked
        ([Decimal("1e30"), Decimal("-1e30")], [1e30, -1e30]),
        ([Decimal(2**64 - 1), Decimal(-1)], [2.0**64, -1.0]),
        ([Decimal(2**64 - 1), Decimal(0)], [2**64 - 1, 0]),
        ([Decimal(2**63 - 1), Decimal(-(2**63))], [2**63 - 1, -(2**63)]),
        ([Decimal("0.1"), Decimal(3)], [0.1, 3.0]),
        ([Decimal("0.1"), None, 7, "x"], [0.1, None, 7, "x"]),
        ([Decimal("Infinity"), Decimal(1)], [np.inf, 1.0]),
    ],
)
def test_whole_decimals_stay_exact(values: list[Any], expected: list[Any]) -> None:
    given = objects(values)
    found = without_decimals(given).tolist()
    assert (found, list(map(type, found))) == (expected, list(map(type, expected)))
    assert given.tolist() == values


def test_who_loses_digits_is_told() -> None:
    near = objects([Decimal("0.1"), Decimal("0.1000000000000000000001"), Decimal(1)])
    with pytest.warns(UserWarning, match=r"are taken as equal: 3 values became 2\. If that matters"):
        assert without_decimals(near).tolist() == [0.1, 0.1, 1.0]


def test_fractions_are_taken_like_decimals() -> None:
    """One tenth is the double nearest to it, whatever holds it; whole ones stay integers."""
    thirds = [Fraction(1, 10), Fraction(1, 3), Fraction(7, 2), 0.5]
    assert without_decimals(objects(thirds)).tolist() == [0.1, 1 / 3, 3.5, 0.5]
    assert scores_1d(thirds).tolist() == [0.1, 1 / 3, 3.5, 0.5]
    assert scores_1d([Fraction(2**60 + 1), Decimal(3)]).tolist() == [2**60 + 1, 3]


@pytest.mark.parametrize(
    "value", [Decimal("1e400"), Decimal("-1e400"), Fraction(10**400), Fraction(-(10**400), 3)]
)
@pytest.mark.parametrize("beside", [0.5, Decimal("0.5"), 1])
def test_a_number_beyond_all_doubles_does_not_become_infinite(value: Any, beside: Any) -> None:
    refuses("is beyond the range of float64", scores_1d, [beside, value])
    assert scores_1d([Decimal("0.5"), Decimal("inf"), Decimal("-Infinity")]).tolist() == [
        0.5,
        np.inf,
        -np.inf,
    ]
