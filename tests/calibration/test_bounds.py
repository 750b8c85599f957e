"""Added examples against PAV of data that really hold them; empirical bounds against definitions, and lir."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
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


def empirical(blocks: Blocks, mass: Mass, bound: str = "elub") -> Any:
    """The bounds of the likelihood ratio, exactly."""
    return _bounds.EMPIRICAL[bound](_bounds.Stated.of_blocks(blocks, mass))


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
    lower, upper = empirical(blocks, mass)
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
    found = [math.log10(ratio) for ratio in empirical(blocks, (1, 1))]
    assert found == pytest.approx(expected, abs=0.0101)


def test_elub_of_pure_ends_is_that_of_one_misleading_example() -> None:
    labels = [1] * 40 + [0] * 60
    blocks = blocks_of(labels, labels)
    lower, upper = empirical(blocks, (1, 1))
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
        found.append((empirical(blocks, mass), laplace.llr.tolist(), laplace.posterior.tolist()))
    assert found[0] == found[1]


def test_unit_weights_are_no_weights() -> None:
    rng = np.random.default_rng(1)
    labels = np.append([0, 1], rng.integers(0, 2, 100))
    scores = np.round(rng.normal(size=102) + labels, 1)
    plain, weighted = (labels, scores, None), (labels, scores, np.ones(102))
    bounds = [empirical(blocks_of(*rows), mass_of(blocks_of(*rows), rows)) for rows in (plain, weighted)]
    assert bounds[0] == bounds[1]


# --- invariance verification --------------------------------------------------------------------


def on_a_grid(y: Array, llr: Array, weights: Array, step: float) -> tuple[float, float]:
    """The bounds by their definition, at every multiple of a step: how lir finds them, with weights."""
    finite = llr[np.isfinite(llr)]
    grid = np.arange(min(0.0, *finite, -9.0), max(0.0, *finite, 9.0) + 2 * step, step)

    def share(own: Array, above: bool) -> Array:
        half = weights[own].mean() / 2
        beyond = (llr[own] >= grid[:, None]) if above else (llr[own] < grid[:, None])
        return np.asarray((beyond @ weights[own] + half) / (weights[own].sum() + 2 * half))

    pos, neg = y == 1, y == 0
    high = grid[np.log(share(pos, True) / share(neg, True)) < grid]
    low = grid[np.log(share(pos, False) / share(neg, False)) > grid]
    beyond = max(llr) > grid[-1] or min(llr) < grid[0]
    assert beyond or (high.size or low.size)
    upper = high[0] if high.size and high[0] <= max(0.0, *llr) + step else llr[pos].max()
    lower = low[-1] if low.size and low[-1] >= min(0.0, *llr) - step else llr[neg].min()
    return min(0.0, lower), max(0.0, upper)


@given(st.integers(0, 2**32), st.booleans())
def test_invariance_bounds_are_where_a_grid_finds_them(seed: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    y = np.append([0, 1], rng.integers(0, 2, rng.integers(0, 30)))
    llr = np.round(rng.normal(rng.choice([-1, 0.5, 2]) * y, rng.choice([0.3, 2])), rng.integers(0, 3))
    llr[rng.random(y.size) < 0.1] = np.inf
    llr[rng.random(y.size) < 0.1] = -np.inf
    weights = rng.integers(1, 4, y.size).astype(float) if weighted else np.ones(y.size)
    found = _bounds.bounds_of("invariance", Labelled(y, llr, weights if weighted else None))
    assert found == pytest.approx(on_a_grid(y, llr, weights, 1e-3), abs=2.1e-3)


@given(examples(max_size=80))
def test_invariance_bounds_of_blocks_are_those_of_their_llrs(rows: Rows) -> None:
    labels, scores, weights = rows
    blocks = blocks_of(*rows)
    exact = [math.log(ratio) for ratio in empirical(blocks, mass_of(blocks, rows), "invariance")]
    llr = rh.PavCalibrator().fit(scores, labels, sample_weight=weights).llr(scores)
    assert _bounds.bounds_of("invariance", Labelled(labels, llr, weights)) == pytest.approx(exact, abs=1e-9)


@given(st.integers(0, 2**32), st.booleans())
def test_elub_of_any_llrs_is_where_the_loss_first_exceeds_that_of_saying_nothing(
    seed: int, weighted: bool
) -> None:
    rng = np.random.default_rng(seed)
    y = np.append([0, 1], rng.integers(0, 2, rng.integers(0, 30)))
    llr = rng.normal(rng.choice([-1, 0.5, 4]) * y, rng.choice([0.3, 2]))
    llr[rng.random(y.size) < 0.1] = np.inf
    weights = rng.uniform(1, 2, y.size) if weighted else np.ones(y.size)
    low, high = _bounds.bounds_of("elub", Labelled(y, llr, weights if weighted else None))

    def excess(t: float) -> float:
        """Of the loss, above that of saying nothing."""
        miss, alarm = weights @ ((y == 1) & (llr <= t)), weights @ ((y == 0) & (llr > t))
        one = [weights[y == label].mean() for label in (0, 1)]
        shares = [(part + m) / (weights[y == k].sum() + m) for part, m, k in
                  ((alarm, one[0], 0), (miss, one[1], 1))]  # fmt: skip
        return float(shares[1] + math.exp(t) * shares[0] - min(1, math.exp(t)))

    inside = [t for t in (*np.nextafter(llr, -np.inf), *llr) if low < t < high and t]
    assert all(excess(t) <= 1e-12 for t in inside)
    assert excess(high + 1e-9) > -1e-12
    assert excess(low - 1e-9) > -1e-12


LOG10 = math.log(10)


def normals() -> tuple[Array, Array]:
    """Example 4 of Alberink et al. 2025, as lir's tests make it."""
    random = np.random.RandomState(42)
    return np.repeat([1, 0], [100, 1000]), np.append(random.normal(1, 1, 100), random.normal(0, 1, 1000))


def cartridges() -> tuple[Array, Array]:
    """Example 5: of 188 and 477 LLRs those beside the bounds, and how many are below, between and above."""
    log10 = [-0.850674164826991, -0.850361621148348, 0.0, 1.65311630131023]
    llr = np.repeat(np.tile(log10, 2), [13, 0, 62, 113, 241, 1, 228, 7])
    return np.repeat([1, 0], [188, 477]), llr * LOG10


def breath() -> tuple[Array, Array]:
    """The breath analyser of Vergeer et al. 2016, with LRs of 1000 that should be 90."""
    return np.repeat([0, 1], [1000, 100]), np.log(np.repeat([0.101, 1000, 0.101], [990, 100, 10]))


INF = np.inf
# lir b4ae531f, tests/algorithms/test_invariance_bounds.py: log10 of the bounds, on a grid of 0.001.
OF_LIR: list[tuple[Any, tuple[float, float]]] = [
    (normals(), (math.log10(0.2382319), math.log10(2.7861212))),
    (cartridges(), (math.log10(0.1412538), math.log10(38.1944271))),
    (breath(), (math.log10(0.1052741), math.log10(85.3731634))),
    (([1, 0], [INF, -INF]), (-0.477, 0.477)),
    (([1, 1, 1, 0, 0, 0], [INF] * 3 + [-INF] * 3), (-0.845, 0.845)),
    (([1, 1, 1, 0, 0], np.arange(-2, 3) * LOG10), (0, 0)),
    (([0, 0, 1, 1, 1], np.arange(-2, 3) * LOG10), (-0.823, 0.574)),
    (([0, 0, 0, 1, 1], np.arange(-2, 3) * LOG10), (-0.574, 0.823)),
    (([1, 0], [0.0, 0.0]), (0, 0)),
    (([1] * 9 + [0], np.repeat(LOG10, 10)), (0, 0.102)),
    (([1] * 10 + [0], np.append(np.repeat(LOG10, 10), 0)), (0, 0.581)),
    (([1] * 10 + [0], np.append(np.repeat(3 * LOG10, 10), math.log(1.1))), (0, 0.581)),
]


@pytest.mark.parametrize(("examples", "expected"), OF_LIR)
def test_invariance_bounds_of_lir(examples: Any, expected: tuple[float, float]) -> None:
    found = np.array(rh.calibration.llr_bounds(*examples, "invariance")) / LOG10
    assert found == pytest.approx(expected, abs=1.001e-3)


# --- of any calibrator --------------------------------------------------------------------------


@pytest.mark.parametrize("bound", ["laplace", "focal", "misleading", "elub", "invariance"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_bound_clips_what_a_calibrator_says(bound: str, weighted: bool) -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 400)
    scores = rng.normal(2.0 * y)
    weights = rng.uniform(1, 2, 400) if weighted else None
    free = rh.LogisticCalibrator(0.5).fit(scores, y, weights).llr(scores)
    calibrator = rh.LogisticCalibrator(0.5, bound=bound).fit(scores, y, weights)
    low, high = rh.calibration.llr_bounds(y, free, bound, sample_weight=weights)
    assert calibrator.bounds_ == (low, high)
    assert -np.inf < free.min() < low < high < free.max() < np.inf
    new = np.array([-INF, -9.0, 1.0, 9.0, INF])
    assert calibrator.llr(new).tolist() == [low, low, calibrator.llr([1.0])[0], high, high]
    assert calibrator.posterior(new, 0.5) == pytest.approx(1 / (1 + np.exp(-calibrator.llr(new))))
    again = type(calibrator).from_dict(calibrator.to_dict())
    assert (again.bound, again.bounds_, again.llr(new).tolist()) == (
        bound, (low, high), calibrator.llr(new).tolist(),
    )  # fmt: skip
    # Added examples are what PAV says with them of the LLRs.
    if bound not in _bounds.EMPIRICAL:
        of_llr = rh.PavCalibrator(bound=bound).fit(free, y, weights)
        assert of_llr.bounds_ == (low, high)


def test_no_bound_by_that_name() -> None:
    message = r'bound must be None, "laplace", .* "elub" or "invariance", but is 3'
    with pytest.raises(ValueError, match=message):
        rh.LogisticFusion(bound=3).fit([[0.1], [0.3], [0.2], [0.4]], [0, 0, 1, 1])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="bound must name a bound"):
        rh.calibration.llr_bounds([0, 1], [0, 1], None)  # type: ignore[arg-type]
