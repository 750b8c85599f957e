"""Small runs from end to end, for the second test run: with NUMBA_DISABLE_JIT=1 kernels are plain Python.

What a compiler might hide shows here: an integer that overflows is a warning, an index out of bounds an
error.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import rochull as rh
from adversaries import FAMILIES, Array, labels_for
from rochull import refine, sources
from rochull._tally import Tally, Units, tally_of
from rochull._validation import labelled
from rochull.blocks import Blocks, pool, pool_ranges
from rochull.sources import ArraySource, ChunkSource
from twins import FIGURE_VERTICES, TABLE_LABELS, TABLE_SCORES, curve_of, groups_of, hull_of, pav, twice_pairs


@pytest.fixture(autouse=True)
def small_scans(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Scan even small data, in chunks, with rounds of refinement."""
    monkeypatch.setattr(refine, "SORT_ROWS", 0)
    monkeypatch.setattr(refine, "_SAMPLE", 20)
    monkeypatch.setattr(refine, "_COLLECT_ROWS", 10)
    monkeypatch.setattr(refine, "_COLLECT_SHARE", 0.05)
    monkeypatch.setattr(refine, "_default_buckets", lambda source: 8)
    monkeypatch.setattr(sources, "CHUNK", 50)
    # Plain Python multiplies infinities by zero and subtracts the largest numbers aloud.
    with np.errstate(over="ignore", invalid="ignore"):
        yield


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
