"""Added examples against PAV of data that really hold them; ELUB against its definition, and against lir."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adversaries import Array, examples
from calibrator_cases import blocks_of
from rochull._core.validation import Labelled
from rochull.calibration import bounds as _bounds
from rochull.hull.blocks import Blocks
from twins import groups_of, pav

Rows = tuple[Array, Array, Array | None]
Mass = tuple[int, int]


def mass_of(blocks: Blocks, rows: Rows) -> Mass:
    labels, scores, weights = rows
    return _bounds.added_mass(blocks, Labelled(labels, scores, weights))


@given(examples())
def test_an_added_example_weighs_the_mean_of_its_class(rows: Rows) -> None:
    labels, _, weights = rows
    blocks = blocks_of(*rows)
    neg, pos = mass_of(blocks, rows)
    if weights is None:
        assert (neg, pos) == (1, 1)
        return
    for label, found, unit in ((0, neg, blocks.units.neg), (1, pos, blocks.units.pos)):
        some = weights[(labels == label) & (weights > 0)]
        assert found / unit == pytest.approx(float(some.mean()), rel=1e-12)


def test_labels_of_any_kind_are_counted() -> None:
    weights = np.array([1.0, 3.0, 2.0, 4.0, 0.0])
    for labels in (np.array([0, 0, 1, 1, 1], np.uint8), np.array([0, 0, 1, 1, 1])):
        rows = (labels, np.arange(5.0), weights)
        blocks = blocks_of(*rows)
        neg, pos = mass_of(blocks, rows)
        assert (neg / blocks.units.neg, pos / blocks.units.pos) == (2.0, 3.0)


# What the definition adds: scores beyond all others, with their labels.
ADDITIONS = {"laplace": [(True, 1), (True, 0), (False, 1), (False, 0)], "misleading": [(True, 0), (False, 1)]}


def twin(rows: Rows, bound: str) -> list[tuple[Any, Any, Fraction, Fraction]]:
    """(high, low, positives, negatives) of all blocks; the ends are None where an added score is."""
    labels, scores, weights = rows
    means = [Fraction(1)] * 2
    if weights is not None:
        means = [
            sum(Fraction(float(w)) for w in weights[labels == label])
            / int(np.sum(weights[labels == label] > 0))
            for label in (0, 1)
        ]
    groups = [(score, p, q) for score, p, q in groups_of(labels, scores, weights)]
    top, bottom = ([Fraction(0), Fraction(0)] for _ in range(2))
    for above, label in ADDITIONS[bound]:
        (top if above else bottom)[1 - label] += means[label]
    rows_ = [(None, *top), *groups, (None, *bottom)]
    scale = math.lcm(*(v.denominator for row in rows_ for v in (Fraction(row[1]), Fraction(row[2]))))
    pooled = pav([int(r[1] * scale) for r in rows_], [int(r[2] * scale) for r in rows_])
    return [(rows_[a][0], rows_[b][0], Fraction(p, scale), Fraction(q, scale)) for a, b, p, q in pooled]


@given(examples(max_size=60), st.sampled_from(sorted(ADDITIONS)))
def test_added_examples_are_as_if_they_were_there(rows: Rows, bound: str) -> None:
    labels, scores, weights = rows
    if weights is not None:  # so that units are exact
        weights = np.ceil(weights * 4)
        for label in (0, 1):  # and means too
            mine = np.flatnonzero(labels == label)
            weights[mine[0]] += -weights[mine].sum() % np.sum(weights[mine] > 0)
        rows = (labels, scores, weights)
    blocks = blocks_of(*rows)
    found, data = _bounds.with_added(blocks, bound, mass_of(blocks, rows))
    expected = twin(rows, bound)
    present = scores if weights is None else scores[weights > 0]
    assert len(found) == len(expected)
    for i, (high, low, pos, neg) in enumerate(expected):
        assert (found.pos[i], found.neg[i]) == (pos, neg)
        alone = high is None and low is None and len(expected) > 1
        assert alone != (data.start <= i < data.stop)
        if not alone:  # the ranges are those of the data
            assert found.high[i] == (present.max() if high is None else high)
            assert found.low[i] == (present.min() if low is None else low)
    chosen = _bounds.part_of(found, data)
    assert chosen.low.dtype == chosen.high.dtype == blocks.low.dtype
    assert (chosen.low[-1], chosen.high[0]) == (blocks.low[-1], blocks.high[0])


def test_laplace_is_the_rule_of_succession() -> None:
    blocks = blocks_of([1] * 7 + [0] * 4, [2.0] * 7 + [1.0] * 4)
    found, data = _bounds.with_added(blocks, "laplace", (1, 1))
    assert (data.start, data.stop) == (0, 2)
    assert found.posterior.tolist() == [8 / 9, 1 / 6]  # (p + 1) / (p + 2), and 1 / (n + 2)


def test_added_examples_with_no_data_are_outside() -> None:
    labels = [1] + [0] * 9  # of equal scores: the share is below one half, so that a half above it stays
    found, data = _bounds.with_added(blocks_of(labels, np.zeros(10)), "laplace", (1, 1))
    assert found.posterior.tolist() == [1 / 2, 2 / 12]
    assert (data.start, data.stop) == (1, 2)
    found, data = _bounds.with_added(blocks_of(1 - np.array(labels), np.zeros(10)), "laplace", (1, 1))
    assert found.posterior.tolist() == [10 / 12, 1 / 2]
    assert (data.start, data.stop) == (0, 1)


def loss(blocks: Blocks, mass: Mass, threshold: Fraction) -> Fraction:
    """E(t) of the definition, counted block by block."""
    pos, neg = blocks.pos_units.tolist(), blocks.neg_units.tolist()
    n_pos, n_neg = sum(pos), sum(neg)
    miss = fa = 0
    for p, q in zip(pos, neg, strict=True):
        if p * n_neg > threshold * q * n_pos:  # LR > t
            fa += q
        else:
            miss += p
    return Fraction(miss + mass[1], n_pos + mass[1]) + threshold * Fraction(fa + mass[0], n_neg + mass[0])


def neutral(threshold: Fraction) -> Fraction:
    return min(Fraction(1), threshold)


@given(examples(max_size=100))
def test_elub_is_where_the_loss_first_exceeds_that_of_saying_nothing(rows: Rows) -> None:
    blocks = blocks_of(*rows)
    mass = mass_of(blocks, rows)
    lower, upper = _bounds.elub(blocks, mass)
    assert 0 < lower <= 1 <= upper
    tiny = Fraction(1, 10**30)
    for bound, outwards in ((upper, 1 + tiny), (lower, 1 - tiny)):
        beyond = bound * outwards
        assert loss(blocks, mass, beyond) > neutral(beyond)
        # All breakpoints, and just before and after them, and points between.
        ratios = [Fraction(int(p)) for p in blocks.pos_units], [Fraction(int(q)) for q in blocks.neg_units]
        n_pos, n_neg = (sum(ratio) for ratio in ratios)
        stops = {bound} | {p / n_pos / (q / n_neg) for p, q in zip(*ratios, strict=True) if p and q}
        near = {stop * factor for stop in stops for factor in (1, 1 + tiny, 1 - tiny)}
        inside = {t for t in near if (1 < t < upper if bound == upper else lower < t < 1)}
        for t in inside:
            assert loss(blocks, mass, t) <= neutral(t)


# Computed by lir 1.3.1, lir.algorithms.bayeserror.elub, to a step of 0.01:
#
#     rng = np.random.default_rng(seed)
#     y = np.repeat([1, 0], [n_pos, n_neg])
#     s = np.round(rng.normal(size=y.size) + shift * y, 3)
#     log10_lr = rochull.PavCalibrator().fit(s, y).llr(s) / np.log(10)
#     elub(log10_lr, y, add_misleading=1, step_size=0.01)
LIR = [
    ((0, 50, 300, 1.0), (-1.03, 1.0)),
    ((1, 300, 50, 2.0), (-1.81, 1.51)),
    ((2, 200, 200, 4.0), (-2.27, 2.25)),
    ((3, 1000, 3000, 1.5), (-1.51, 1.74)),
    ((4, 30, 30, 0.3), (-0.12, 0.39)),
    ((5, 20, 2000, -0.5), (0.0, 0.0)),  # worse than saying nothing
]


@pytest.mark.parametrize(("made", "expected"), LIR)
def test_elub_of_lir(made: tuple[int, int, int, float], expected: tuple[float, float]) -> None:
    seed, n_pos, n_neg, shift = made
    rng = np.random.default_rng(seed)
    labels = np.repeat([1, 0], [n_pos, n_neg])
    blocks = blocks_of(labels, np.round(rng.normal(size=labels.size) + shift * labels, 3))
    found = [math.log10(ratio) for ratio in _bounds.elub(blocks, (1, 1))]
    assert found == pytest.approx(expected, abs=0.0101)


def test_elub_of_pure_ends_is_that_of_one_misleading_example() -> None:
    labels = [1] * 40 + [0] * 60
    blocks = blocks_of(labels, labels)
    lower, upper = _bounds.elub(blocks, (1, 1))
    assert upper == Fraction(40, 41) * 61  # of the top block with one negative more
    assert lower == Fraction(1, 41) / Fraction(60, 61)  # of the lowest with one positive more


@given(examples(max_size=80), st.sampled_from([2.0, 0.25, 1024.0]))
def test_a_constant_factor_changes_nothing(rows: Rows, factor: float) -> None:
    labels, scores, weights = rows
    if weights is None:
        weights = np.ones(labels.size)
    found = []
    for scale in (1.0, factor):
        scaled = (labels, scores, weights * scale)
        blocks = blocks_of(*scaled)
        mass = mass_of(blocks, scaled)
        laplace, _ = _bounds.with_added(blocks, "laplace", mass)
        found.append((_bounds.elub(blocks, mass), laplace.llr.tolist(), laplace.posterior.tolist()))
    assert found[0] == found[1]


def test_unit_weights_are_no_weights() -> None:
    rng = np.random.default_rng(1)
    labels = np.append([0, 1], rng.integers(0, 2, 100))
    scores = np.round(rng.normal(size=102) + labels, 1)
    plain, weighted = (labels, scores, None), (labels, scores, np.ones(102))
    bounds = [_bounds.elub(blocks_of(*rows), mass_of(blocks_of(*rows), rows)) for rows in (plain, weighted)]
    assert bounds[0] == bounds[1]
