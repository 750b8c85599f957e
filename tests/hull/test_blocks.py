"""PAV: Table I and Figure 2 of the paper, Theorem 1, other libraries, and ranges put together again."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression
from scipy.spatial import ConvexHull

import rochull as rh
from adversaries import Array, examples
from profiles import tries
from rochull._core.kernels import hull as kernels
from rochull._core.validation import labelled
from rochull.hull import blocks
from rochull.hull.blocks import pool
from rochull.hull.tallies import tally_of
from twins import (
    FIGURE_VERTICES,
    TABLE_COLUMNS,
    TABLE_LABELS,
    TABLE_SCORES,
    curve_of,
    groups_of,
    hull_of,
    pav,
    pav_steps,
    row_shares,
)


def same(found: rh.hull.Blocks, expected: rh.hull.Blocks) -> bool:
    """Whether two sets of blocks are equal, number for number."""
    return all(
        getattr(found, name).tolist() == getattr(expected, name).tolist()
        for name in ("low", "high", "pos", "neg")
    )


def blocks_of(labels: Any, scores: Any, weights: Any = None) -> rh.hull.Blocks:
    return pool(tally_of(labelled(labels, scores, weights)))


def at_rows(blocks: rh.hull.Blocks, scores: Array) -> Array:
    """The block of every row (n,)."""
    return len(blocks) - np.searchsorted(blocks.low[::-1], scores, side="right")


# --- Fawcett & Niculescu-Mizil 2007 ------------------------------------------------------------


def test_table_1_step_by_step() -> None:
    labels = np.array(TABLE_LABELS)
    states = [row_shares(groups) for groups in pav_steps(labels, 1 - labels)]
    # The table leaves out two of the three steps that pool instances 2 to 5.
    assert states[:6] == [TABLE_COLUMNS[name] for name in ("initial", "a1", "a2", "b", "c1", "c2")]
    assert len(states) == 9
    assert states[-1] == TABLE_COLUMNS["d"]


def test_table_1_is_what_the_blocks_say() -> None:
    blocks = blocks_of(TABLE_LABELS, TABLE_SCORES)
    final = TABLE_COLUMNS["d"]
    assert blocks.posterior[at_rows(blocks, np.array(TABLE_SCORES))].tolist() == [float(v) for v in final]
    assert blocks.pos.tolist() == [2, 3, 2, 1, 1, 0]
    assert blocks.neg.tolist() == [0, 1, 1, 1, 2, 1]
    assert blocks.high.tolist() == [0.9, 0.7, 0.45, 0.3, 0.2, 0.02]
    assert blocks.low.tolist() == [0.8, 0.5, 0.35, 0.27, 0.1, 0.02]


def test_figure_2() -> None:
    hull = rh.roc_hull(TABLE_LABELS, TABLE_SCORES)
    assert list(zip(hull.fp.tolist(), hull.tp.tolist(), strict=True)) == FIGURE_VERTICES
    assert hull.fpr.tolist() == [fp / 6 for fp, _ in FIGURE_VERTICES]
    assert hull.tpr.tolist() == [tp / 9 for _, tp in FIGURE_VERTICES]
    assert hull.thresholds.tolist() == [np.inf, 0.8, 0.5, 0.35, 0.27, 0.1, 0.02]


@given(examples(max_size=60))
def test_theorem_1(rows: Any) -> None:
    labels, scores, _ = rows
    blocks = blocks_of(labels, scores)
    calibrated = blocks.posterior[at_rows(blocks, scores)]
    # 1. The ROC graph of the PAV-transformed scores is the convex hull of the original ones.
    assert curve_of(labels, calibrated) == hull_of(curve_of(labels, scores))
    # 2. The prediction is slope * skew / (1 + slope * skew).
    hull = rh.roc_hull(labels, scores)
    skew = labels.sum() / (labels.size - labels.sum())
    finite = np.isfinite(hull.slopes)
    odds = hull.slopes[finite] * skew
    np.testing.assert_allclose(odds / (1 + odds), blocks.posterior[finite], rtol=1e-12)
    assert np.all(blocks.posterior[~finite] == 1)


@given(examples(max_size=120))
def test_blocks_are_those_of_the_twin(rows: Any) -> None:
    labels, scores, weights = rows
    if weights is not None:
        weights = np.ceil(weights * 8) / 8
    groups = groups_of(labels, scores, weights)
    # Both in eighths: integers.
    expected = pav([int(8 * p) for _, p, _ in groups], [int(8 * q) for _, _, q in groups])
    blocks = blocks_of(labels, scores, weights)
    assert (blocks.pos * 8).tolist() == [p for *_, p, _ in expected]
    assert (blocks.neg * 8).tolist() == [q for *_, q in expected]
    assert blocks.high.tolist() == [groups[first][0] for first, *_ in expected]
    assert blocks.low.tolist() == [groups[last][0] for _, last, *_ in expected]


@given(examples(max_size=200))
def test_posterior_is_isotonic_regression(rows: Any) -> None:
    labels, scores, weights = rows
    groups = groups_of(labels, scores, weights)
    mass = np.array([float(p + q) for _, p, q in groups])
    shares = np.array([float(p / (p + q)) for _, p, q in groups])
    expected = isotonic_regression(shares, weights=mass, increasing=False).x
    blocks = blocks_of(labels, scores, weights)
    distinct = np.array([score for score, *_ in groups], scores.dtype)
    found = blocks.posterior[at_rows(blocks, distinct)]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@given(examples(max_size=60))
def test_vertices_are_those_of_qhull(rows: Any) -> None:
    labels, scores, _ = rows
    points = np.array(curve_of(labels, scores), float)
    corner = [points[-1, 0], 0.0]
    qhull = ConvexHull(np.vstack([points, corner]))
    expected = {tuple(qhull.points[v]) for v in qhull.vertices} - {tuple(corner)}
    hull = rh.roc_hull(labels, scores)
    assert set(zip(hull.fp.tolist(), hull.tp.tolist(), strict=True)) == expected


def test_llr_does_not_depend_on_the_prior() -> None:
    blocks = blocks_of(TABLE_LABELS, TABLE_SCORES)
    with np.errstate(divide="ignore"):
        odds = np.log(np.array([2, 3, 2, 1, 1, 0]) / 9) - np.log(np.array([0, 1, 1, 1, 2, 1]) / 6)
    np.testing.assert_allclose(blocks.llr, odds, rtol=1e-14)
    assert (blocks.llr[0], blocks.llr[-1]) == (np.inf, -np.inf)
    weighted = blocks_of(TABLE_LABELS, TABLE_SCORES, np.where(TABLE_LABELS, 0.75, 3.0))
    assert weighted.llr.tolist() == blocks.llr.tolist()
    np.testing.assert_allclose(np.exp(blocks.llr), rh.roc_hull(TABLE_LABELS, TABLE_SCORES).slopes, rtol=1e-14)


@given(examples(max_size=80), st.integers(0, 2**32))
def test_integer_weights_equal_repetition(rows: Any, seed: int) -> None:
    labels, scores, _ = rows
    times = np.random.default_rng(seed).integers(0, 5, labels.size)
    times[[np.argmax(labels), np.argmin(labels)]] = 3
    weighted = blocks_of(labels, scores, times)
    assert same(weighted, blocks_of(np.repeat(labels, times), np.repeat(scores, times)))
    assert weighted.units.weighted


@given(examples(max_size=80), st.floats(1e-6, 1e6), st.floats(1e-6, 1e6))
def test_weights_constant_in_each_class_move_no_threshold(rows: Any, of_pos: float, of_neg: float) -> None:
    labels, scores, _ = rows
    plain, weighted = blocks_of(labels, scores), blocks_of(labels, scores, np.where(labels, of_pos, of_neg))
    assert weighted.low.tolist() == plain.low.tolist()
    assert weighted.high.tolist() == plain.high.tolist()
    np.testing.assert_allclose(weighted.pos, plain.pos * of_pos, rtol=1e-12)
    np.testing.assert_allclose(weighted.neg, plain.neg * of_neg, rtol=1e-12)


def test_examples_of_no_weight_are_left_out() -> None:
    blocks = blocks_of([1, 1, 0, 0, 1], [5, 4, 3, 2, 1], [0, 1, 2, 0, 0.5])
    assert same(blocks, blocks_of([1, 0, 1], [4, 3, 1], [1, 2, 0.5]))
    assert blocks.high[0] == 4


@tries(60)
@given(examples(max_size=40), st.booleans())
def test_concatenate_at_every_cut(rows: Any, weighted: bool) -> None:
    labels, scores, _ = rows
    weights = np.arange(labels.size) % 3 / 4 + 0.25 if weighted else None
    whole = blocks_of(labels, scores, weights)
    for cut in np.unique(scores)[1:]:
        parts = []
        for chosen in (scores >= cut, scores < cut):  # perhaps of one class only
            mass = None if weights is None else weights[chosen]
            parts.append(rh.hull.Blocks.from_scores(labels[chosen], scores[chosen], mass))
        assert same(rh.concatenate(parts), whole)
        assert same(rh.concatenate(parts[::-1]), whole)


@given(examples(max_size=80), st.lists(st.integers(0, 79), max_size=6), st.randoms(use_true_random=False))
def test_concatenate_many_ranges_in_any_order(rows: Any, cuts: list[int], random: Any) -> None:
    labels, scores, _ = rows
    edges = sorted({scores[cut % scores.size] for cut in cuts})
    owner = np.searchsorted(np.array(edges, scores.dtype), scores, side="right")
    parts = [
        rh.hull.Blocks.from_scores(labels[owner == k], scores[owner == k])
        for k in range(len(edges) + 1)
        if np.any(owner == k)
    ]
    random.shuffle(parts)
    assert same(rh.concatenate(parts), blocks_of(labels, scores))


def test_one_part_and_single_classes() -> None:
    alone = rh.hull.Blocks.from_scores([1, 1], [0.3, 0.2])
    assert (len(alone), alone.pos.tolist(), alone.neg.tolist()) == (1, [2], [0])
    assert same(rh.concatenate([alone]), alone)
    negative = rh.hull.Blocks.from_scores([0, 0, 0], [0.15, 0.1, 0.1])
    both = rh.concatenate([negative, alone])
    assert both.posterior.tolist() == [1.0, 0.0]
    # The wrong order of the classes: one block.
    reversed_ = rh.concatenate([rh.hull.Blocks.from_scores([0], [0.9]), alone])
    assert (reversed_.high.tolist(), reversed_.low.tolist()) == ([0.9], [0.2])


def test_an_empty_range_adds_nothing() -> None:
    empty = rh.hull.Blocks.from_scores([], [])
    part = rh.hull.Blocks.from_scores([1, 0], [0.3, 0.2])
    assert len(empty) == 0
    assert same(rh.concatenate([empty, part, empty]), part)
    assert len(rh.concatenate([empty, empty])) == 0


@pytest.mark.parametrize("lower_scores", [[0.3, 0.2], [0.35, 0.1], [0.5, 0.4]])
def test_ranges_that_overlap_or_split_a_tie_are_refused(lower_scores: list[float]) -> None:
    upper = rh.hull.Blocks.from_scores([1, 0], [0.4, 0.3])
    lower = rh.hull.Blocks.from_scores([1, 0], lower_scores)
    for parts in ([upper, lower], [lower, upper]):
        with pytest.raises(ValueError, match=r"parts overlap: .*a tie must not be split over two ranges"):
            rh.concatenate(parts)


def test_nothing_to_concatenate() -> None:
    with pytest.raises(ValueError, match="parts is empty"):
        rh.concatenate([])


def test_weights_must_be_in_all_parts_or_none() -> None:
    upper, lower = rh.hull.Blocks.from_scores([1], [0.4], [2.0]), rh.hull.Blocks.from_scores([0], [0.3])
    with pytest.raises(ValueError, match="parts: some have weights and some have none"):
        rh.concatenate([upper, lower])


@pytest.mark.parametrize("tiny", [1e-10, 2.0**-70, 1e-30, 1e-140])
def test_a_part_of_next_to_no_weight(tiny: float) -> None:
    heavy = rh.hull.Blocks.from_scores([1, 0], [0.3, 0.2], [1.0, 1.0])
    light = rh.hull.Blocks.from_scores([0, 1], [0.5, 0.4], [tiny, tiny])
    whole = rh.concatenate([light, heavy])
    assert whole.low.tolist() == [0.3, 0.2]
    np.testing.assert_allclose(whole.pos, [1 + tiny, 0], rtol=1e-15)


def test_integers_beyond_float64_stay_apart() -> None:
    upper = rh.hull.Blocks.from_scores([1, 1], np.array([2**60 + 2, 2**60 + 1]))
    lower = rh.hull.Blocks.from_scores([0, 1], np.array([2**60, 2**60 - 1]))
    whole = rh.concatenate([lower, upper])
    assert whole.low.tolist() == [2**60 + 1, 2**60 - 1]
    assert whole.high.tolist() == [2**60 + 2, 2**60]


def test_repr_and_length() -> None:
    blocks = blocks_of(TABLE_LABELS, TABLE_SCORES)
    assert repr(blocks) == "Blocks(6 blocks, 9 positive, 6 negative)"
    assert len(blocks) == 6


@tries(100)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=70, max_size=300))
def test_the_hull_by_numpy_is_that_of_the_kernel(steps: list[tuple[int, int]]) -> None:
    """Also of points that stand twice, and of totals whose products take more than 64 bits."""
    points = np.cumsum([(0, 0), *steps, (1, 1)], axis=0)
    for unit in (1, 1 << 33):
        x, y = np.ascontiguousarray(points.T * unit)
        expected = kernels.upper_hull(x, y, bool(unit > 1))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(blocks, "without_kernels", lambda _: True)
            found = blocks.upper_hull(x, y)
        assert (x[found].tolist(), y[found].tolist()) == (x[expected].tolist(), y[expected].tolist())
