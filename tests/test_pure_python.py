"""Small runs from end to end, for the second test run: with NUMBA_DISABLE_JIT=1 kernels are plain Python.

What a compiler might hide shows here: an integer that overflows is a warning, an index out of bounds an
error.
"""

from fractions import Fraction
from math import lgamma
from typing import Any

import numpy as np
import pytest

import rochull as rh
import twins_averaging
from adversaries import FAMILIES, Array, labels_for
from rochull._core.kernels import hull as kernels
from rochull._core.kernels import ranks as rank_kernels
from rochull._core.kernels import replicates as replicate_kernels
from rochull._core.validation import labelled
from rochull.calibration.venn_abers import both_labels_tried
from rochull.hull import refine, sources
from rochull.hull.blocks import Blocks, pool, pool_ranges
from rochull.hull.sources import ArraySource, ChunkSource
from rochull.hull.tallies import Tally, Units, tally_of
from rochull.uncertainty import auc_components
from twins import (
    FIGURE_VERTICES,
    TABLE_LABELS,
    TABLE_SCORES,
    curve_of,
    groups_of,
    hull_of,
    pav,
    row_shares,
    twice_pairs,
)


@pytest.fixture(autouse=True)
def small_scans(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scan even small data, in chunks, with rounds of refinement."""
    monkeypatch.setattr(refine, "SORT_ROWS", 0)
    monkeypatch.setattr(refine, "_SAMPLE", 20)
    monkeypatch.setattr(refine, "_COLLECT_ROWS", 10)
    monkeypatch.setattr(refine, "_COLLECT_SHARE", 0.05)
    monkeypatch.setattr(refine, "_default_buckets", lambda source: 8)
    monkeypatch.setattr(sources, "CHUNK", 50)


def rows_of(family: str, n: int = 150) -> tuple[Array, Array]:
    rng = np.random.default_rng(7)
    scores = FAMILIES[family](rng, n)
    return labels_for(scores, "good", rng), scores


def expected_blocks(labels: Any, scores: Any, weights: Any = None) -> list[tuple[Any, ...]]:
    groups = groups_of(labels, scores, weights)
    pooled = pav([int(4 * p) for _, p, _ in groups], [int(4 * q) for _, _, q in groups])
    return [(groups[a][0], groups[b][0], p / 4, q / 4) for a, b, p, q in pooled]


def found_blocks(blocks: Blocks | None) -> list[tuple[Any, ...]]:
    assert blocks is not None
    return list(zip(*(getattr(blocks, c).tolist() for c in ("high", "low", "pos", "neg")), strict=True))


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_scan(family: str) -> None:
    labels, scores = rows_of(family)
    hull = rh.roc_hull(labels, scores)
    assert found_blocks(hull.blocks) == expected_blocks(labels, scores)
    assert list(zip(hull.fp.tolist(), hull.tp.tolist(), strict=True)) == hull_of(curve_of(labels, scores))


@pytest.mark.parametrize("family", ["normal", "mostly tied", "float32", "uint64 near 2**64"])
def test_weighted_scan(family: str) -> None:
    labels, scores = rows_of(family)
    weights = np.arange(labels.size) % 5 / 4
    hull = rh.roc_hull(labels, scores, sample_weight=weights)
    assert found_blocks(hull.blocks) == expected_blocks(labels, scores, weights)


@pytest.mark.parametrize("family", ["normal", "sigmoid near both", "int64 beyond 2**53"])
def test_chunks(family: str) -> None:
    labels, scores = rows_of(family)
    order = np.argsort(scores)  # chunks of one class at both ends
    parts = [(labels[part], scores[part]) for part in np.array_split(order, 9)]
    found = refine.scan_blocks(ChunkSource(lambda: parts), 8)
    assert found_blocks(found) == expected_blocks(labels, scores)


@pytest.mark.parametrize("family", sorted(FAMILIES))
@pytest.mark.parametrize("rows_a_part", [20, 10**4])
def test_exact_area(family: str, rows_a_part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refine, "_ROWS_A_PART", rows_a_part)
    labels, scores = rows_of(family, 100)
    won, possible = twice_pairs(labels, scores)
    assert refine.exact_area(ArraySource(labelled(labels, scores)))[0] == won
    assert rh.roc_auc(labels, scores) == float(Fraction(won, possible))
    assert rh.roc_curve(labels, scores).auc() == float(Fraction(won, possible))


def test_exact_area_in_one_bucket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refine, "_SAMPLE", 1)
    labels = np.tile([0, 1], 80)  # more pairs than are counted one by one
    scores = np.append(np.random.default_rng(0).integers(0, 20, 158), [99, -99]) / 4
    assert refine.exact_area(ArraySource(labelled(labels, scores)))[0] == twice_pairs(labels, scores)[0]


def test_the_paper() -> None:
    hull = rh.roc_hull(TABLE_LABELS, TABLE_SCORES)
    assert list(zip(hull.fp.tolist(), hull.tp.tolist(), strict=True)) == FIGURE_VERTICES


def test_billions_of_examples() -> None:
    rng = np.random.default_rng(1)
    score = np.arange(30, 0, -1)
    for largest in (2**31, 2**54):
        pos, neg = rng.integers(0, largest, (2, 30))
        pos[3] = neg[3] = pos[4] = neg[4] = largest - 1  # equal neighbours are pooled
        blocks = pool_ranges(score, score, pos, neg, Units())
        expected = pav(pos.tolist(), neg.tolist())
        assert found_blocks(blocks) == [(score[a], score[b], p, q) for a, b, p, q in expected]
        twice, n_pos, n_neg = refine.area_of(Tally(score, pos, neg))
        assert Fraction(twice, 2 * n_pos * n_neg) <= 1
        assert (n_pos, n_neg) == (sum(pos.tolist()), sum(neg.tolist()))


def test_concatenation() -> None:
    labels, scores = rows_of("few values")
    parts = [Blocks.from_scores(labels[scores == v], scores[scores == v]) for v in np.unique(scores)]
    assert found_blocks(rh.concatenate(parts)) == found_blocks(pool(tally_of(labelled(labels, scores))))


def test_merging_tallies() -> None:
    labels, scores = rows_of("zeros")
    merged = tally_of(labelled(labels[:75], scores[:75])).merge(tally_of(labelled(labels[75:], scores[75:])))
    whole = tally_of(labelled(labels, scores))
    for name in ("score", "pos", "neg"):
        assert getattr(merged, name).tolist() == getattr(whole, name).tolist()


def refitted(pos: list[int], neg: list[int]) -> tuple[list[Fraction], list[Fraction]]:
    """PAV's value at each group after one more negative there, and after one more positive there."""
    low, high = [], []
    for i in range(len(pos)):
        low.append(row_shares(pav(pos, [q + (i == j) for j, q in enumerate(neg)]))[i])
        high.append(row_shares(pav([p + (i == j) for j, p in enumerate(pos)], neg))[i])
    return low, high


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_one_more_example(family: str) -> None:
    labels, scores = rows_of(family, 40)
    groups = tally_of(labelled(labels, scores))
    expected = refitted(groups.pos_units.tolist(), groups.neg_units.tolist())
    for found, values in zip(both_labels_tried(groups), expected, strict=True):
        assert found.tolist() == [float(value) for value in values]
    low, high = rh.VennAbers().fit(scores, labels).interval(groups.score)
    assert low.tolist() == [float(value) for value in expected[0]]
    assert high.tolist() == [float(value) for value in expected[1]]


@pytest.mark.parametrize("largest", [2, 2**31, 2**54])
def test_one_more_example_beside_billions(largest: int) -> None:
    pos, neg = np.random.default_rng(2).integers(0, largest, (2, 25))
    pos[3] = neg[3] = pos[4] = neg[4] = largest - 1
    neg[[0, 1]] = pos[[-1, -2]] = 0  # pure ends
    neg[pos + neg == 0] = 1
    found = both_labels_tried(Tally(np.arange(25, 0, -1), pos, neg))
    for part, values in zip(found, refitted(pos.tolist(), neg.tolist()), strict=True):
        np.testing.assert_allclose(part, [float(value) for value in values], rtol=1e-15)


@pytest.mark.parametrize("excess", [0, 1, 2])
@pytest.mark.parametrize(("size", "wide"), [(2**31 - 2, False), (2**31, True), (2**58, True)])
def test_one_example_in_billions_decides(excess: int, size: int, wide: bool) -> None:
    """Two groups, low scores first, of equal size but for the positives that the upper one has in excess."""
    x, y = np.array([0, size, 2 * size]), np.array([0, size, 2 * size + excess])
    chain = np.array([0, 1, 2] if excess else [0, 2])
    pos, neg = kernels.blocks_with_one_more(x, y, chain, wide)
    # One positive more in the lower group: it is pooled unless the upper one is still better.
    alone = excess == 2
    assert (pos[0], neg[0]) == ((size + 1, size) if alone else (2 * size + excess + 1, 2 * size))
    # And in the upper group, which is better then in any case.
    assert (pos[1], neg[1]) == (size + excess + 1, size)


@pytest.mark.parametrize("family", sorted(FAMILIES))
@pytest.mark.parametrize("rows", [10, 10**6])
def test_variance_of_an_area(family: str, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auc_components, "_ROWS_A_PART", rows)
    labels, scores = rows_of(family, 60)
    labels[:4] = 0, 0, 1, 1
    alone = auc_components.areas_of([labelled(labels, scores)])
    both = auc_components.areas_of([labelled(labels, scores), labelled(labels, -np.arange(60))])
    weighed = auc_components.areas_of([labelled(labels, scores, np.full(60, 0.5))])
    won, possible = twice_pairs(labels, scores)
    assert alone.areas == both.areas[:1] == weighed.areas == [Fraction(won, possible)]
    assert alone.covariance()[0, 0] == both.covariance()[0, 0]
    assert weighed.covariance()[0, 0] == pytest.approx(alone.covariance()[0, 0], rel=1e-9, abs=1e-16)


def test_sums_of_squares_with_little_room() -> None:
    pos, neg = np.array([1.0, 2, 4, 4, 6, 9]), np.array([0.0, 1, 3, 4, 5, 7, 8])
    expected = rank_kernels.placement_sums(pos, neg, 3, 2, 100)
    assert [rank_kernels.placement_sums(pos, neg, 3, 2, room) for room in (1, 2, 5)] == [expected] * 3
    placed = [2 * 3 + sum(int(x > y) + int(x >= y) for y in neg) for x in pos]
    assert expected[:3] == (sum(placed), 0, sum(c * c for c in placed))
    huge = rank_kernels.placement_sums(pos[:1], neg, 2**29, 0, 1)
    assert (huge[1] << 32) + huge[2] == (2 * 2**29 + 3) ** 2


@pytest.mark.long
@pytest.mark.parametrize("unpaired", [False, True])
def test_curves_are_permuted(unpaired: bool) -> None:
    labels, scores = rows_of("few values", 30)
    other = -scores if unpaired else scores
    y_true_b = labels if unpaired else None
    found = rh.uncertainty.venkatraman_test(
        labels, scores, other, y_true_b=y_true_b, n_permutations=20, random_state=0
    )
    assert (found.statistic > 0) == unpaired
    assert 1 / 21 <= found.pvalue <= 1


@pytest.mark.crossed
@pytest.mark.parametrize("family", ["normal", "few values", "zeros", "float32", "int64 beyond 2**53"])
@pytest.mark.parametrize("weighted", [False, True])
def test_averaging_over_folds(family: str, weighted: bool) -> None:
    labels, scores = rows_of(family, 60)
    labels[:8], folds = [0, 1] * 4, np.arange(60) // 2 % 4
    weights = np.arange(60) % 5 / 4 + 0.25 * (np.arange(60) < 8) if weighted else None
    average = rh.operating_point_average(labels, scores, folds, sample_weight=weights)
    steps = [None, *average.thresholds[1:].tolist()]
    for measure in ("fpr", "tpr", "precision"):
        table = twins_averaging.per_fold(
            (labels, scores, folds), steps, twins_averaging.MEASURES[measure], weights
        )
        means, stds, counts = twins_averaging.moments(table)
        np.testing.assert_allclose(average.mean(measure), means, rtol=1e-12)
        np.testing.assert_allclose(average.std(measure), stds, rtol=1e-9, atol=1e-15)
        assert average.defined(measure).tolist() == counts
    assert np.isnan(rh.averaging.pooled_average(labels, scores).std("precision")).all()
    assert np.isnan(rh.averaging.pooled_average(labels, scores).tpr_std).all()


def test_averaging_in_strips() -> None:
    rng = np.random.default_rng(0)
    labels, scores, folds = rng.integers(0, 2, 400), rng.normal(size=400), np.arange(400) % 100 // 2
    labels[:100] = np.arange(100) % 2  # both classes in each of 50 folds: strips of 40 points
    average = rh.operating_point_average(labels, scores, folds)
    values = average.per_fold("fpr")
    np.testing.assert_allclose(average.fpr_mean, values.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(average.fpr_std, values.std(axis=0, ddof=1), rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize(
    "family", ["normal", "infinities", "float32", "int64 beyond 2**53", "uint64 near 2**64"]
)
@pytest.mark.parametrize("interpolation", ["step", "linear"])
def test_calibration(family: str, interpolation: str) -> None:
    labels, scores = rows_of(family, 60)
    hull = rh.roc_hull(labels, scores)
    assert hull.blocks is not None
    plain = rh.PavCalibrator(interpolation).fit(scores, labels)
    assert plain.llr(hull.blocks.low).tolist() == hull.blocks.llr.tolist()
    assert plain.posterior(hull.blocks.high).tolist() == hull.blocks.posterior.tolist()
    for bound, strict in (("laplace", False), ("misleading", True), ("elub", True)):
        found = rh.PavCalibrator(interpolation, bound, strict).fit(scores, labels)
        for values in (found.llr(np.sort(scores)), found.posterior(np.sort(scores.astype(float)), 0.1)):
            assert np.all(values[1:] >= values[:-1])
        if strict:
            assert rh.roc_auc(labels, found.transform(scores)) == rh.roc_auc(labels, scores)


@pytest.mark.parametrize("how", ["rows", "groups", "paired", "clusters", "weights", "function"])
def test_bootstrap(how: str) -> None:
    labels, scores = rows_of("normal")
    options: dict[str, Any] = {"n_resamples": 6, "level": 0.5, "random_state": 0, "progress": False}
    given: Any = np.round(scores) if how == "groups" else scores
    statistic: Any = "auc"
    if how == "paired":
        given, statistic = {"a": scores, "b": np.round(scores)}, lambda s: s.auc("a") - s.auc("b")
    if how == "clusters":
        options["clusters"] = np.arange(labels.size) // 2
    if how == "weights":
        options["sample_weight"] = np.arange(labels.size) % 4 / 2
    if how == "function":
        statistic = lambda s: [s.tpr_at(0.2), s.hull().auc()]  # noqa: E731
    found = rh.bootstrap(labels, given, statistic, **options)
    assert found.replicates.shape[0] == 6
    assert np.all(np.abs(found.replicates) <= 1)
    assert np.ptp(found.replicates) > 0


@pytest.mark.long
@pytest.mark.parametrize("mean", [2.0, 15.0, 80.0])
def test_poisson_variates(mean: float) -> None:
    state = np.array([1, 2, 3, 4], np.uint64)
    drawn = [replicate_kernels.poisson(state, mean) for _ in range(2000)]
    assert np.mean(drawn) == pytest.approx(mean, abs=5 * (mean / 2000) ** 0.5)
    assert np.var(drawn) == pytest.approx(mean, rel=0.2)
    assert replicate_kernels.poisson_log(3, 2.0) == pytest.approx(np.log(8 / 6) - 2)
    assert replicate_kernels.poisson_log(30, 30.0) == pytest.approx(30 * np.log(30) - 30 - lgamma(31))


def test_rows_drawn_by_their_totals() -> None:
    totals, state, out = np.array([1, 0, 300, 600]), np.array([1, 2, 3, 4], np.uint64), np.empty(4, np.int64)
    found = np.zeros(4)
    for _ in range(300):
        replicate_kernels.draw_totals(state, totals, 90, out)
        assert out.sum() == 90
        found += out / 300
    assert found == pytest.approx([0.1, 0, 29.97, 59.93], abs=1)
    assert found[1] == 0
