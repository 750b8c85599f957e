"""Bounds of an area: rounded outwards, and exact where they meet."""

from fractions import Fraction

import hypothesis.strategies as st
from hypothesis import given

import rochull as rh
from rochull.scanning.areas import AreaBound

totals = st.integers(1, 2**58)


@given(totals, totals, st.lists(st.fractions(0, 1), min_size=3, max_size=3))
def test_bounds_hold_the_area_and_are_next_to_what_is_known(
    n_pos: int, n_neg: int, shares: list[Fraction]
) -> None:
    pairs = 2 * n_pos * n_neg
    least, middle, most = sorted(int(share * pairs) for share in shares)
    found = AreaBound.of((least, middle, most), n_pos, n_neg)
    assert float(found) == found.estimate == middle / pairs
    assert found.exact == (least == most)
    assert found.low <= found.estimate <= found.high
    assert found.low >= 0
    assert found.high <= 1
    if not found.exact:
        assert Fraction(found.low) <= Fraction(least, pairs)
        assert Fraction(found.high) >= Fraction(most, pairs)
        assert abs(found.low - least / pairs) <= 2**-52
        assert abs(found.high - most / pairs) <= 2**-52


def test_it_prints_what_is_known() -> None:
    assert str(rh.scanning.AreaBound(0.75, 0.75, 0.75, exact=True)) == "0.75"
    assert str(rh.scanning.AreaBound(0.75, 0.7, 0.8, exact=False)) == "0.75 (at least 0.7, at most 0.8)"
