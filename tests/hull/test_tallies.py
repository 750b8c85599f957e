"""The tie rule: scores that compare equal are one group, and nothing else is."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from adversaries import Array, examples
from rochull._core.kernels import hull as kernels
from rochull._core.validation import Labelled, labelled
from rochull.hull import tallies
from rochull.hull.tallies import UNIT, Tally, Units, tally_of, units_of
from twins import groups_of


def rows_of(groups: Tally) -> list[tuple[Any, ...]]:
    return list(zip(groups.score.tolist(), groups.pos.tolist(), groups.neg.tolist(), strict=True))


@given(examples(), st.booleans())
def test_groups_are_those_of_the_twin(rows: Any, many: bool) -> None:
    labels, scores, weights = rows
    if weights is not None:
        weights = np.rint(weights * 16) / 16
        weights[[np.argmax(labels), np.argmin(labels)]] = 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tallies, "FEW", 0 if many else tallies.FEW)
        groups = rh.hull.tally(labels, scores, sample_weight=weights)
    assert rows_of(groups) == groups_of(labels, scores, weights)
    assert groups.score.dtype == scores.dtype
    assert groups.units.weighted == (weights is not None)


@pytest.mark.parametrize("apart", [5e-324, 1e-300, 1e-15, 1.2e-16])
def test_scores_that_differ_at_all_are_not_merged(apart: float) -> None:
    around = 0.0 if apart < 1e-20 else 0.5
    scores = [around, around + apart]
    assert scores[0] < scores[1]
    assert rows_of(rh.hull.tally([1, 0], scores)) == [(scores[1], 0, 1), (scores[0], 1, 0)]


def test_both_zeros_tie() -> None:
    for scores in ([0.0, -0.0], [-0.0, 0.0], [-0.0, -0.0]):
        groups = rh.hull.tally([1, 0], scores)
        assert rows_of(groups) == [(0.0, 1, 1)]
        assert not np.signbit(groups.score[0])
        assert not np.signbit(rh.hull.tally([1, 0], np.array(scores, np.float32)).score[0])


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
@pytest.mark.parametrize("start", [2**53, 2**62])
def test_integers_beyond_float64_are_not_merged(dtype: Any, start: int) -> None:
    scores = [start + k for k in range(4)]
    expected = [(s, s % 2, 1 - s % 2) for s in reversed(scores)]
    assert rows_of(rh.hull.tally([0, 1, 0, 1], np.array(scores, dtype))) == expected
    assert rows_of(rh.hull.tally([0, 1, 0, 1], scores)) == expected


def test_lists_of_large_numbers_are_read_exactly() -> None:
    # NumPy makes float64 of these lists, and would merge the last two scores.
    scores = [0, 2**63, 2**63 + 1]
    assert rh.hull.tally([0, 1, 0], scores).score.tolist() == scores[::-1]
    with pytest.raises(ValueError, match="y_score has integers beyond 64 bits"):
        rh.hull.tally([0, 1, 0], [-1, 2**64 - 2, 2**64 - 1])
    with pytest.raises(ValueError, match="does not fit float64 exactly"):
        rh.hull.tally([0, 1, 0], [0.5, 2**53, 2**53 + 1])
    assert rh.hull.tally([0, 1, 0], [0.5, 2**53, 1e300]).score.tolist() == [1e300, 2**53, 0.5]


def test_float32_stays_float32() -> None:
    scores = np.array([0.1, 0.1 + 1e-9, 0.7], np.float32)  # the first two are one float32
    groups = rh.hull.tally([1, 0, 1], scores)
    assert groups.score.dtype == np.float32
    assert rows_of(groups) == [(float(np.float32(0.7)), 1, 0), (float(np.float32(0.1)), 1, 1)]


def test_infinite_scores_are_scores() -> None:
    groups = rh.hull.tally([1, 0, 1, 0, 1], [np.inf, -np.inf, 0.0, np.inf, np.finfo(float).max])
    assert groups.score.tolist() == [np.inf, np.finfo(float).max, 0.0, -np.inf]
    assert groups.pos.tolist() == [1, 1, 1, 0]


@given(examples(max_size=100), st.integers(0, 2**32))
def test_integer_weights_equal_repetition(rows: Any, seed: int) -> None:
    labels, scores, _ = rows
    times = np.random.default_rng(seed).integers(0, 9, labels.size)
    times[[np.argmax(labels), np.argmin(labels)]] = 2
    weighted = rh.hull.tally(labels, scores, sample_weight=times)
    assert rows_of(weighted) == rows_of(rh.hull.tally(np.repeat(labels, times), np.repeat(scores, times)))


def test_the_order_of_weighted_rows_changes_nothing() -> None:
    rng = np.random.default_rng(2)
    labels, scores = rng.integers(0, 2, 500), rng.integers(0, 5, 500)
    weights = rng.random(500)  # sums of these depend on the order, sums of units do not
    expected = rows_of(rh.hull.tally(labels, scores, sample_weight=weights))
    for _ in range(5):
        order = rng.permutation(500)
        assert rows_of(rh.hull.tally(labels[order], scores[order], sample_weight=weights[order])) == expected


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1.0, 1e30, 1e149])
def test_any_scale_of_weights(scale: float) -> None:
    weights = np.array([1.0, 2.0, 3.0, 4.0]) * scale
    groups = rh.hull.tally([1, 0, 1, 0], [4, 3, 2, 1], sample_weight=weights)
    np.testing.assert_allclose(groups.pos, weights * [1, 0, 1, 0], rtol=1e-15)
    np.testing.assert_allclose(groups.neg, weights * [0, 1, 0, 1], rtol=1e-15)


BEYOND = r"sample_weight: the {} class weighs {} in total, which is outside of \[1e-150, 1e\+150\]; multiply"


@pytest.mark.parametrize(
    ("neg", "pos", "label", "found"),
    [
        (5e-324, 1.0, "negative", "9.88e-324"),
        (1.0, 1e-200, "positive", "2e-200"),
        (1e-250, 1e-250, "negative", "2e-250"),
        (1.0, 1e150, "positive", r"2e\+150"),
        (1e200, 1e-200, "negative", r"2e\+200"),
        (1e308, 1e308, "negative", "inf"),
    ],
)
def test_totals_whose_odds_could_leave_float64_are_refused(
    neg: float, pos: float, label: str, found: str
) -> None:
    with pytest.raises(ValueError, match=BEYOND.format(label, found)):
        rh.hull.tally([1, 0, 1, 0], [4, 3, 2, 1], sample_weight=[pos, neg, pos, neg])


def test_an_infinite_total_of_many_chunks_is_refused() -> None:
    chunk = Labelled(np.array([0, 1], np.uint8), np.zeros(2), np.full(2, 1e308))
    with pytest.raises(ValueError, match=BEYOND.format("negative", "inf")):
        units_of([chunk] * 40)


def test_which_units_can_be() -> None:
    for totals in ((1e-150, 1e150), (1e150, 1e-150), (7.0, 0.1)):  # whatever is let pass, can be
        units = Units.of(*totals)
        units.check(*(round(total * unit) for total, unit in zip(totals, units.pair, strict=True)))
    for neg, pos in ((2.0**1000, 2.0**-1000), (2.0**1000, 1.0), (1.0, 2.0**1000), (1.0, 2.0**-1000)):
        with pytest.raises(ValueError, match="the total weight of a class too small or too large"):
            Units(neg, pos, weighted=True).check(2**50, 2**50)
    with pytest.raises(ValueError, match="a unit is not a power of two"):
        Units(3e10).check(4, 4)
    Units(1e10, 1e3).check(6 * 10**10, 8000)  # as where counts are united with rates
    Units(2.0, 8.0).check(6, 8)
    Units(4.0, weighted=True).check(6, 8)
    with pytest.raises(ValueError, match="must make a whole number of examples"):
        Units(4.0).check(6, 8)


def test_units_hold_every_total() -> None:
    for total in (1e-150, 0.1, 1.0, 3.0, 2.0**40, 1e150):
        units = Units.of(total, 1.0)
        assert 2**57 <= total * units.neg <= 2**58
        assert np.frexp(units.neg)[0] == 0.5
    assert Units.of(0.0, 1.0).neg > 0
    assert UNIT.pair.tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="sample_weight: the negative class weighs inf in total"):
        Units.of(np.inf, 1.0)


def test_units_of_chunks_come_from_all_of_them() -> None:
    def part(weights: list[float]) -> Labelled:
        return Labelled(np.array([0, 1], np.uint8), np.zeros(2), np.array(weights))

    assert units_of([part([1, 2]), part([3, 4])]) == Units.of(4, 6)
    assert units_of([Labelled(np.array([1], np.uint8), np.zeros(1), None)]) == UNIT
    with pytest.raises(ValueError, match="sample_weight: the negative class has zero total weight"):
        units_of([part([0, 2]), part([0, 4])])
    assert units_of([part([0, 2])], both_classes=False).weighted


def test_units_do_not_depend_on_how_a_total_is_rounded() -> None:
    """A total of 1 may come out one ulp lower in another order, in another binade."""
    positive, weights = np.repeat(np.array([0, 1], np.uint8), 100), np.full(200, 0.01)

    def part(rows: Array) -> Labelled:
        return Labelled(positive[rows], np.zeros(rows.size), weights[rows])

    rows = np.arange(200)
    cuts = [np.array_split(rows, n) for n in range(1, 60)]
    totals = {
        sum(float(kernels.class_weights(weights[p], positive[p])[0, 1]) for p in parts) for parts in cuts
    }
    assert min(totals) < 1 <= max(totals)
    assert len({units_of(part(rows) for rows in parts) for parts in cuts}) == 1


@given(examples(min_size=4), st.integers(0, 300))
def test_merged_tallies_are_the_tally_of_all(rows: Any, cut: int) -> None:
    labels, scores, _ = rows
    data = labelled(labels, scores)
    cut %= labels.size + 1
    parts = [
        tally_of(Labelled(data.positive[part], data.scores[part], None))
        for part in (slice(cut), slice(cut, None))
    ]
    assert rows_of(parts[0].merge(parts[1])) == rows_of(tally_of(data))
    assert rows_of(parts[1].merge(parts[0])) == rows_of(tally_of(data))


def test_merging_types_merges_no_scores() -> None:
    floats, small = rh.hull.tally([1, 0], [0.5, 2.0]), rh.hull.tally([1, 0], [1, 2])
    large = rh.hull.tally([1, 0], [2**53, 2**53 + 1])
    assert rows_of(floats.merge(small)) == [(2.0, 0, 2), (1.0, 1, 0), (0.5, 1, 0)]
    assert rows_of(small.merge(large))[0][0] == 2**53 + 1
    with pytest.raises(ValueError, match=r"integers beyond 2\*\*53 beside floats"):
        large.merge(floats)


def test_merging_units_is_refused() -> None:
    one, other = (rh.hull.tally([1, 0], [1, 2], sample_weight=[w, w]) for w in (1.0, 1000.0))
    with pytest.raises(ValueError, match="other: its weights are in other units"):
        one.merge(other)
    with pytest.raises(ValueError, match="other: its weights are in other units"):
        one.merge(rh.hull.tally([1, 0], [1, 2]))
