"""The values of a map against rational arithmetic, and what moves them apart for a strict one."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adversaries import Array, examples
from calibrator_cases import blocks_of
from rochull.calibration import map_values
from rochull.calibration.map_values import Levels, at_odds, spread_levels
from rochull.conditions.bayes import log_of
from rochull.hull.blocks import Blocks

Rows = tuple[Array, Array, Array | None]
READINGS = ("share", "rest", "llr", "posterior")
EVERYTHING = slice(None)


def ratios_of(blocks: Blocks) -> list[tuple[int, int]]:
    """Likelihood ratios of the blocks, ascending, as whole numbers (positive, negative)."""
    pos, neg = blocks.pos_units.tolist(), blocks.neg_units.tolist()
    return [(p * sum(neg), q * sum(pos)) for p, q in zip(pos, neg, strict=True)][::-1]


def odds_of(blocks: Blocks) -> Fraction:
    return Fraction(float(blocks.pos.sum())) / Fraction(float(blocks.neg.sum()))


@given(examples())
def test_every_reading_is_rounded_once(rows: Rows) -> None:
    blocks = blocks_of(*rows)
    levels = Levels.of_blocks(blocks, EVERYTHING)
    for i, (p, q) in enumerate(ratios_of(blocks)):
        assert levels.share[i] == float(Fraction(p, p + q))
        assert levels.rest[i] == float(Fraction(q, p + q))
        assert levels.llr[i] == (log_of(Fraction(p, q)) if q else np.inf)
    assert levels.posterior.tolist() == blocks.posterior[::-1].tolist()
    assert levels.llr.tolist() == blocks.llr[::-1].tolist()


def test_a_part_of_the_blocks_is_relative_to_all() -> None:
    blocks = blocks_of(np.array([1, 0, 1, 0, 1, 0]), np.array([9.0, 8, 7, 2, 1, 0]))
    whole, part = (Levels.of_blocks(blocks, chosen) for chosen in (EVERYTHING, slice(1, len(blocks))))
    for name in READINGS:
        assert getattr(part, name).tolist() == getattr(whole, name)[:-1].tolist()


def test_posteriors_rounded_past_each_other_stay_in_order() -> None:
    # Found by search: the upper block's exact share is greater, and its rounded one less.
    pos = np.array([14123994419569463, 14123994419569294])
    neg = np.array([11706356122248182, 11706356122248042])
    blocks = Blocks(np.array([1.0, 0.0]), np.array([1.0, 0.0]), pos, neg)
    assert int(pos[0]) * int(neg[1]) > int(pos[1]) * int(neg[0])
    assert blocks.posterior[0] < blocks.posterior[1]
    levels = Levels.of_blocks(blocks, EVERYTHING)
    assert levels.posterior[0] <= levels.posterior[1]
    assert levels.llr[0] <= levels.llr[1]


@given(examples(), st.fractions(Fraction(1, 100), 1), st.fractions(1, 100))
def test_clipping(rows: Rows, lower: Fraction, upper: Fraction) -> None:
    blocks = blocks_of(*rows)
    odds = odds_of(blocks)
    free = Levels.of_blocks(blocks, EVERYTHING)
    levels = free.clipped(lower, upper, odds)
    for i, (p, q) in enumerate(ratios_of(blocks)):
        if lower * q < p < upper * q:
            assert [getattr(levels, name)[i] for name in READINGS] == [
                getattr(free, name)[i] for name in READINGS
            ]
            continue
        ratio = lower if p <= lower * q else upper
        exact = (ratio / (1 + ratio), 1 / (1 + ratio), ratio * odds / (1 + ratio * odds))
        found = (levels.share[i], levels.rest[i], levels.posterior[i])
        assert found == pytest.approx(
            [float(reading) for reading in exact], rel=4e-16
        )  # at a tie, the block's
        assert levels.llr[i] == log_of(ratio)
    for name, sign in zip(READINGS, (1, -1, 1, 1), strict=True):
        values = sign * getattr(levels, name)
        assert np.all(values[1:] >= values[:-1])


@given(st.lists(st.fractions(0, 1), min_size=1, max_size=20), st.floats(1e-9, 1e9))
def test_posteriors_at_any_odds(shares: list[Fraction], odds: float) -> None:
    shares = sorted(shares)
    found = at_odds(np.array([float(s) for s in shares]), np.array([float(1 - s) for s in shares]), odds)
    exact = [s * Fraction(odds) / (s * Fraction(odds) + 1 - s) for s in shares]
    np.testing.assert_allclose(found, [float(e) for e in exact], rtol=1e-14)
    assert np.all(np.diff(found) >= 0)


@pytest.mark.parametrize("along", [0.0, 1e-20, 0.3, 0.5, 1.0])
def test_a_level_between(along: float) -> None:
    share, rest = np.array([0.0, 0.2, 0.75, 1.0]), np.array([1.0, 0.8, 0.25, 0.0])
    levels = Levels.of(share, rest, 3.0)
    for i, j in ((0, 1), (1, 2), (2, 3), (0, 3)):
        more = levels.and_between(i, j, along, 3.0, levels)
        for name in READINGS:
            assert getattr(more, name)[:4].tolist() == getattr(levels, name).tolist()
            low, high = sorted((getattr(levels, name)[i], getattr(levels, name)[j]))
            assert low <= getattr(more, name)[4] <= high
        assert more.share[4] == pytest.approx(share[i] + along * (share[j] - share[i]), rel=1e-15)
        assert more.rest[4] == pytest.approx(1 - more.share[4], abs=1e-15)


def levels_at(*ratios: float) -> Levels:
    share = np.array([r / (1 + r) for r in ratios])
    return Levels.of(share, np.array([1 / (1 + r) for r in ratios]), 0.5)


@given(
    st.lists(
        st.tuples(st.integers(1, 400), st.integers(1, 60)), min_size=2, max_size=8, unique_by=lambda t: t[0]
    ),
    st.booleans(),
)
def test_spread_levels_rise(drawn: list[tuple[int, int]], clipped: bool) -> None:
    drawn.sort()
    levels = levels_at(*(ratio / 100 for ratio, _ in drawn))
    level = np.repeat(np.arange(len(drawn)), [count for _, count in drawn])
    values, spread = spread_levels(levels, level, 0.5, clipped=clipped)
    n, k = level.size, len(drawn)
    assert values.llr.size == n + k + 1
    assert spread.tolist() == [1e-6] * k
    down = np.append(levels.share[0], np.diff(levels.share))
    if clipped:  # the lowest moves up
        down[0] = np.diff(levels.share)[0]
    room = np.minimum(down, np.minimum(levels.share, levels.rest))
    for name, sign in zip(READINGS, (1, -1, 1, 1), strict=True):
        column = sign * getattr(values, name)
        inner, upper, lowest = column[:n], column[n:-1], column[-1]
        assert np.all(np.diff(inner) > 0)
        assert lowest < inner[0]
        for g in range(k):  # inside of the ends, which do not overlap
            mine = inner[level == g]
            assert mine[-1] < upper[g]
            assert g == k - 1 or upper[g] < inner[level == g + 1][0]
    moved = values.share[:n] - levels.share[level]
    assert np.all(np.abs(moved) <= 1.0000001e-6 * room[level])
    for g in range(k):
        mine = moved[level == g]
        assert np.all(mine > 0 if clipped and g == 0 else mine < 0)  # no score passes the value of its level
    ends = (levels.share[0], levels.share[-1]) if clipped else (0, 1)
    assert ends[0] <= values.share.min()
    assert values.share.max() <= ends[1]
    again, same = spread_levels(levels, level, 0.5, clipped=clipped, spread=spread)
    assert same is spread
    for name in READINGS:
        assert getattr(again, name).tolist() == getattr(values, name).tolist()


def test_the_spread_is_raised_only_where_it_must_be() -> None:
    levels = levels_at(0.01, 1.0, 1e9)  # near 1 float64 has few posteriors
    level = np.repeat([0, 1, 2], [10, 10, 2000])
    values, spread = spread_levels(levels, level, 0.5, clipped=False)
    assert spread.tolist() == [1e-6, 1e-6, 1e-3]
    assert np.all(np.diff(values.posterior[: level.size]) > 0)


def test_the_spread_is_limited_where_only_posteriors_tie() -> None:
    levels = levels_at(0.01, 1.0, 1e15)
    level = np.repeat([0, 1, 2], [10, 10, 5000])
    values, spread = spread_levels(levels, level, 0.5, clipped=False)
    assert spread.tolist() == [1e-6, 1e-6, 1e-3]
    llr, posterior = values.llr[: level.size], values.posterior[: level.size]
    assert np.all(np.diff(llr) > 0)
    assert np.all(np.diff(posterior) >= 0)
    assert not np.all(np.diff(posterior) > 0)
    assert np.abs(llr - levels.llr[level]).max() < 2.1e-3
    again, _ = spread_levels(levels, level, 0.5, clipped=False, spread=spread)  # and that is no error
    assert again.llr.tolist() == values.llr.tolist()


def test_levels_at_0_and_1_move_inwards() -> None:
    share, level = np.array([0.0, 0.5, 1.0]), np.repeat([0, 1, 2], 5)
    levels = Levels.of(share, share[::-1], 1.0)
    values, _ = spread_levels(levels, level, 1.0, clipped=False)
    assert np.isfinite(values.llr[:15]).all()
    assert np.all(np.diff(values.llr[:15]) > 0)
    assert values.share[:5].min() > 0
    assert values.rest[10:15].min() > 0


def test_the_spread_is_raised_without_limit_for_llrs() -> None:
    levels = levels_at(0.5, 1.0, 1 + 1e-12)  # so near that 1e-6 of the way is less than float64 resolves
    level = np.repeat([0, 1, 2], [3, 50, 50])
    values, spread = spread_levels(levels, level, 1.0, clipped=False)
    assert spread[0] == 1e-6
    assert spread[2] > 1e-3
    assert np.all(np.diff(values.llr[: level.size]) > 0)
    assert np.abs(values.llr[: level.size] - levels.llr[level]).max() < 2.1e-6


@pytest.mark.parametrize("odds", [1e-300, 1e-11, 0.5, 1e11, 1e300])
def test_the_training_odds_do_not_change_the_llrs(odds: float) -> None:
    ratios = [0.01, 0.9, 1.0, 30.0, 1e5]
    level = np.repeat(np.arange(5), 160)
    shares = levels_at(*ratios)
    levels = Levels.of(shares.share, shares.rest, odds)
    plain, expected = spread_levels(shares, level, 0.5, clipped=False)
    values, spread = spread_levels(levels, level, odds, clipped=False, plain=0.5)
    assert spread.tolist() == expected.tolist()
    assert values.llr.tolist() == plain.llr.tolist()
    order = np.argsort(values.llr, kind="stable")  # the ends of the spreads among the scores
    assert np.all(np.diff(values.posterior[order]) >= 0)


def test_posteriors_count_at_one_half_and_at_the_odds_of_the_examples() -> None:
    levels, level = levels_at(0.01, 1.0, 1e6), np.repeat([0, 1, 2], [1, 1, 300])
    spreads = [
        spread_levels(levels, level, 7.0, clipped=False, plain=plain)[1][2] for plain in (1e-9, 1.0, 1e3, 1e9)
    ]
    assert spreads == sorted(spreads)
    assert spreads[0] == spreads[1] < spreads[2] <= spreads[3] == 1e-3


@given(
    st.lists(st.tuples(st.floats(1e-6, 1e6), st.integers(1, 60)), min_size=2, max_size=6),
    st.sampled_from([1e-6, 1e-3, 0.1]),
)
def test_a_spread_of_s_moves_an_llr_by_less_than_2_1_s(drawn: list[tuple[float, int]], spread: float) -> None:
    drawn.sort()
    drawn = [drawn[0], *(above for below, above in pairwise(drawn) if above[0] > 1.01 * below[0])]
    levels = levels_at(*(ratio for ratio, _ in drawn))
    level = np.repeat(np.arange(len(drawn)), [count for _, count in drawn])
    values, _ = spread_levels(levels, level, 1.0, clipped=False, spread=np.full(len(drawn), spread))
    assert np.abs(values.llr[: level.size] - levels.llr[level]).max() < 2.1 * spread


def test_room_is_measured_near_certainty_too() -> None:
    levels = levels_at(1.0, 1e13, 3e13)  # whose complements are 1e-13 and a third of it
    values, _ = spread_levels(levels, np.array([0, 1, 1, 1, 2]), 0.5, clipped=False, spread=np.full(3, 0.5))
    rest = values.rest[1:4]
    np.testing.assert_allclose(rest - 1e-13, np.array([0.75, 0.5, 0.25]) * 0.5 * 1e-13, atol=1e-20)


def test_too_many_scores_for_float64() -> None:
    levels = levels_at(0.01, 1.0, 1 + 1e-14)
    with pytest.raises(ValueError, match="float64 has too few values between two blocks"):
        spread_levels(levels, np.repeat([0, 1, 2], [1, 500, 500]), 0.5, clipped=False)


def test_no_room() -> None:
    with pytest.raises(ValueError, match="strict has no room: the bounds leave one LLR only, which is 0"):
        spread_levels(levels_at(1.0), np.zeros(3, int), 0.5, clipped=True)
    values, _ = spread_levels(levels_at(1.0), np.zeros(3, int), 0.5, clipped=False)
    assert np.all(np.diff(values.llr[:3]) > 0)


@pytest.mark.parametrize("spread", [[1e-6], [1e-6] * 3])
def test_a_spread_of_another_map(spread: list[float]) -> None:
    with pytest.raises(ValueError, match=f"spread has {len(spread)} numbers, but the blocks have 2 values"):
        spread_levels(levels_at(0.5, 2.0), np.array([0, 1]), 0.5, clipped=False, spread=np.array(spread))


def test_a_spread_that_is_too_small() -> None:
    with pytest.raises(ValueError, match="too few values"):
        spread_levels(levels_at(0.5, 2.0), np.array([0, 0, 1]), 0.5, clipped=False, spread=np.full(2, 1e-18))


def test_spreads_end_at_half_the_way() -> None:
    tried: Any = map_values._SPREADS
    assert list(tried) == sorted(tried)
    assert (tried[0], tried[-1]) == (1e-6, 0.5)
    assert map_values._MOST_FOR_POSTERIORS == 1e-3
    assert map_values._MOST_FOR_POSTERIORS in tried
