"""Scan, prune, refine gives what sorting gives, bit for bit, whatever the data, their order, the threads."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adversaries import FAMILIES, KINDS, Array, examples, labels_for, weights_for
from profiles import tries
from rochull._core import threads as _threads
from rochull._core.validation import Labelled, labelled
from rochull.hull import buckets, refine, sources, tasks
from rochull.hull.blocks import Blocks, pool, pool_ranges
from rochull.hull.buckets import BucketMap
from rochull.hull.divided import DividedMap
from rochull.hull.sources import ArraySource, ChunkSource
from rochull.hull.tallies import Tally, Units, tally_of
from twins import hull_of, pav, twice_pairs

HUGE = 3_037_000_500  # just above the square root of 2**63: cross products of such totals need wide integers


@contextmanager
def tuned(**values: Any) -> Iterator[None]:
    """Set constants of the scan."""
    with pytest.MonkeyPatch.context() as patch:
        if (chunk := values.pop("chunk", None)) is not None:
            patch.setattr(sources, "CHUNK", chunk)
        if (crowded := values.pop("crowded", None)) is not None:
            patch.setattr(buckets, "_MOST_CROWDED", crowded)
        if (count := values.pop("threads", None)) is not None:
            for module in (_threads, tasks, refine):
                patch.setattr(module, "n_threads", lambda: count)
        for name, value in values.items():
            patch.setattr(refine, name, value)
        yield


def assert_same(found: Blocks, expected: Blocks) -> None:
    for name in ("low", "high", "pos_units", "neg_units"):
        left, right = getattr(found, name), getattr(expected, name)
        assert left.dtype == right.dtype
        assert left.tolist() == right.tolist(), name  # equal floats; both zeros are written as 0.0
        if left.dtype.kind == "f":
            assert np.array_equal(np.signbit(left), np.signbit(right))
    assert found.units == expected.units


def chunked(data: Labelled, cuts: list[int]) -> ChunkSource:
    """The rows of `data` in consecutive chunks, some of which may be empty or of one class."""
    edges = [0, *sorted(cut % (data.scores.size + 1) for cut in cuts), data.scores.size]
    columns = [data.positive, data.scores] + ([] if data.weights is None else [data.weights])
    parts = [tuple(column[begin:end] for column in columns) for begin, end in pairwise(edges)]
    return ChunkSource(lambda: iter(parts))


@st.composite
def tunings(draw: st.DrawFn) -> dict[str, Any]:
    """Small samples, chunks and limits, so that small data take every turn of the algorithm."""
    return {
        "_SAMPLE": draw(st.sampled_from([1, 5, 1000])),
        "_COLLECT_ROWS": draw(st.sampled_from([0, 0, 3, 20, 10**6])),
        "_COLLECT_SHARE": draw(st.sampled_from([0, 0.05, 1])),
        "_MAX_REFINED": draw(st.sampled_from([40, 1 << 21])),
        "chunk": draw(st.sampled_from([1, 7, 50, 1 << 17])),
        "crowded": draw(st.sampled_from([0.0, np.inf])),  # buckets of equal mass, or of equal length
        "threads": draw(st.integers(1, 3)),
    }


@pytest.mark.long
@tries(150)
@given(examples(), tunings(), st.integers(1, 60))
def test_scan_equals_sort(rows: Any, tuning: dict[str, Any], n_buckets: int) -> None:
    data = labelled(*rows[:2], rows[2])
    with tuned(**tuning):
        found = refine.scan_blocks(ArraySource(data), n_buckets)
    assert_same(found, pool(tally_of(data)))


@tries(100)
@given(examples(), tunings(), st.integers(1, 60), st.lists(st.integers(0, 400), max_size=8))
def test_chunks_equal_sort(rows: Any, tuning: dict[str, Any], n_buckets: int, cuts: list[int]) -> None:
    data = labelled(*rows[:2], rows[2])
    with tuned(**tuning):
        found = refine.scan_blocks(chunked(data, cuts), n_buckets)
    expected = pool(tally_of(data))
    for name in ("low", "high"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()
    # Weights summed chunk by chunk may give a total that is rounded otherwise, and so another unit.
    np.testing.assert_allclose(found.pos, expected.pos, rtol=1e-12)
    np.testing.assert_allclose(found.neg, expected.neg, rtol=1e-12)


@pytest.mark.crossed
@pytest.mark.parametrize("family", sorted(FAMILIES))
@pytest.mark.parametrize("weights", ["none", "some zero"])
def test_scan_equals_sort_on_more_rows(family: str, weights: str) -> None:
    rng = np.random.default_rng(11)
    n = 20_000
    scores = FAMILIES[family](rng, n)
    data = labelled(labels_for(scores, "good", rng), scores, weights_for(weights, n, rng))
    expected = pool(tally_of(data))
    assert_same(refine.scan_blocks(ArraySource(data)), expected)
    with tuned(_COLLECT_ROWS=0, _COLLECT_SHARE=1 / 50, _SAMPLE=500, chunk=3000):
        assert_same(refine.scan_blocks(ArraySource(data), 64), expected)


@tries(30)
@given(examples(), KINDS, st.integers(1, 30))
def test_threads_and_chunks_change_nothing(rows: Any, kind: str, n_buckets: int) -> None:
    data = labelled(*rows[:2], rows[2])
    results = []
    for threads, chunk, crowded in ((1, 1 << 17, 0.0), (2, 10, np.inf), (5, 1, np.inf)):
        with tuned(threads=threads, chunk=chunk, crowded=crowded, _COLLECT_ROWS=0, _COLLECT_SHARE=0.01):
            results.append(refine.scan_blocks(ArraySource(data), n_buckets))
    for other in results[1:]:
        assert_same(other, results[0])


def concave(groups: int, apart: float) -> tuple[Array, Array]:
    """Rows in groups whose slopes strictly decrease; in a group, all negatives come before all positives.

    Every group is a block of its own, so no bucket can be settled. Scores of a group are `apart`.
    """
    scores, labels = [], []
    for g in range(groups):
        block = np.repeat([0, 1], [g + 1, groups - g])
        labels.append(block)
        scores.append(groups - g - apart * np.arange(block.size))
    return np.concatenate(labels), np.concatenate(scores)


@pytest.mark.parametrize("apart", [0.0, 1e-4])
@pytest.mark.parametrize("limit", [0, 100, 10**6])
def test_concave_adversary(apart: float, limit: int) -> None:
    labels, scores = concave(70, apart)
    shuffled = np.random.default_rng(3).permutation(scores.size)
    data = labelled(labels[shuffled], scores[shuffled])
    source = ArraySource(data)
    buckets = BucketMap.learn(source.sample(10**6), 70)
    pos, neg = source.count(buckets)
    assert np.all(refine.settle(pos, neg)[pos + neg > 0] > 0)
    with tuned(_COLLECT_ROWS=limit, _COLLECT_SHARE=0):
        found = refine.scan_blocks(source, 70)
    assert_same(found, pool(tally_of(data)))
    assert len(found) == 70


def test_rounds_of_refinement_happen(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    scores = rng.normal(size=3000)
    data = labelled(labels_for(scores, "good", rng), scores)
    sizes = []
    divide = DividedMap.of

    def recorded(parent: Any, *arguments: Any) -> DividedMap:
        finer = divide(parent, *arguments)
        sizes.append((parent.size, finer.size))
        return finer

    monkeypatch.setattr(DividedMap, "of", recorded)
    with tuned(_COLLECT_ROWS=0, _COLLECT_SHARE=0.01, _SAMPLE=3):
        assert_same(refine.scan_blocks(ArraySource(data), 2), pool(tally_of(data)))
    assert sizes
    assert all(before < after for before, after in sizes)


def changing(*scans: list[tuple[Any, ...]]) -> Callable[[], Any]:
    """Chunks of the first scan, then of the second, and so on; the last one is repeated."""
    rest = list(scans)
    return lambda: iter(rest.pop(0) if len(rest) > 1 else rest[0])


def test_changed_scores_are_refused() -> None:
    rng = np.random.default_rng(0)
    labels, scores = np.tile([0, 1, 1], 200), rng.normal(size=600)
    before, after = [(labels, scores)], [(labels, scores + 0.3)]
    with pytest.raises(RuntimeError, match="the source changed between two scans"):
        refine.scan_blocks(ChunkSource(changing(before, before, before, after)), 50)


def test_changed_labels_are_refused() -> None:
    labels, scores = np.tile([0, 1, 1], 200), np.random.default_rng(0).normal(size=600)
    before, after = [(labels, scores)], [(1 - labels, scores)]
    with pytest.raises(RuntimeError, match="the source changed between two scans"):
        refine.scan_blocks(ChunkSource(changing(before, before, before, after)), 50)


@pytest.mark.parametrize("label", [0, 1])
def test_examples_of_one_class_that_move_are_refused(label: int) -> None:
    """From one occupied score to another: their number, and all of the other class, is as it was."""
    scores = np.repeat([4.0, 3.0, 2.0, 1.0], 10)
    labels = np.concatenate([np.arange(10) >= few for few in (1, 3, 6, 9)]).astype(int)  # a concave curve
    moved = scores.copy()
    moved[np.flatnonzero((scores == 2) & (labels == label))[0]] = 3.0
    before, after = [(labels, scores)], [(labels, moved)]
    with pytest.raises(RuntimeError, match="the source changed between two scans"):
        refine.scan_blocks(ChunkSource(changing(before, before, before, after)), 50)


def test_changed_length_is_refused() -> None:
    labels, scores = np.tile([0, 1, 1], 200), np.random.default_rng(0).normal(size=600)
    before, after = [(labels, scores)], [(labels[:-1], scores[:-1])]
    with pytest.raises(ValueError, match="a scan brought 599 rows where an earlier one brought 600"):
        refine.scan_blocks(ChunkSource(changing(before, before, after)), 50)


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_in_all_chunks_is_refused(label: int) -> None:
    chunks = [([label, label], [0.1, 0.2]), ([label], [0.3])]
    which = "positive" if label else "negative"
    with pytest.raises(ValueError, match=f"y_true has one class only: all labels are {which}"):
        refine.blocks_of(ChunkSource(lambda: chunks))


def settle_twin(pos: list[int], neg: list[int]) -> list[int]:
    """The states by their definition, in Python integers."""
    corners = [(sum(neg[:i]), sum(pos[:i])) for i in range(len(pos) + 1)]
    hull = hull_of(corners)
    states = []
    for (x0, y0), (x1, y1) in pairwise(corners):
        above = x1 > x0 and y1 > y0 and hull_of([*hull, (x0, y1)]) != hull
        vertex_beside = (x0, y0) in hull or (x1, y1) in hull
        empty = x1 == x0 and y1 == y0
        states.append(0 if empty else 2 if above else 1 if vertex_beside else 0)
    return states


masses = st.integers(0, 3) | st.integers(HUGE // 8, HUGE) | st.integers(2**54, 2**55)


@given(st.lists(st.tuples(masses, masses), min_size=1, max_size=12), st.integers(1, 5))
def test_settle_equals_its_definition(table: list[tuple[int, int]], step: int) -> None:
    table = [*table, (1, 1)]
    pos, neg = (np.array(column, np.int64) for column in zip(*table, strict=True))
    with tuned(_STEP=step):
        assert refine.settle(pos, neg).tolist() == settle_twin(pos.tolist(), neg.tolist())


@pytest.mark.parametrize("total", [2**31, HUGE - 1, HUGE, 2**40, 2**58])
def test_settle_at_the_edge_of_equality(total: int) -> None:
    # The middle bucket's corner lies on the hull's only edge, or one count above it.
    half = total // 2
    for excess in (0, 1):
        pos = np.array([half, 1 + excess, half], np.int64)
        neg = np.array([half + 1, 1, half - 1], np.int64)
        states = refine.settle(pos, neg).tolist()
        assert states == settle_twin(pos.tolist(), neg.tolist())


@given(st.lists(st.tuples(masses, masses), min_size=1, max_size=12))
def test_pooling_is_exact_at_any_size(table: list[tuple[int, int]]) -> None:
    table = [row for row in table if any(row)] or [(1, 1)]
    pos, neg = (np.array(column, np.int64) for column in zip(*table, strict=True))
    score = np.arange(len(pos), 0, -1)
    blocks = pool_ranges(score, score, pos, neg, Units())
    found = zip(
        blocks.high.tolist(), blocks.low.tolist(), blocks.pos.tolist(), blocks.neg.tolist(), strict=True
    )
    expected = [(score[a], score[b], p, q) for a, b, p, q in pav(pos.tolist(), neg.tolist())]
    assert list(found) == expected


AREA_TUNINGS = st.fixed_dictionaries(
    {
        "_ROWS_A_PART": st.sampled_from([1, 10, 10**4]),
        "_MAX_PARTS": st.sampled_from([1, 5, 1000]),
        "_ROWS_A_FINE_BUCKET": st.sampled_from([1, 40, 10**4]),
        "_SAMPLE": st.sampled_from([1, 1000]),
        "chunk": st.sampled_from([1, 9, 10**6]),
        "crowded": st.sampled_from([0.0, np.inf]),
        "threads": st.integers(1, 3),
    }
)


@tries(100)
@given(examples(max_size=200), AREA_TUNINGS)
def test_area_equals_the_pairs(rows: Any, tuning: dict[str, Any]) -> None:
    data = labelled(*rows[:2])
    with tuned(SORT_ROWS=0, **tuning):
        twice, n_pos, n_neg = refine.exact_area(ArraySource(data))
    assert (twice, 2 * n_pos * n_neg) == twice_pairs(*rows[:2])
    assert refine.area_of(tally_of(data)) == (twice, n_pos, n_neg)


@tries(50)
@given(examples(max_size=60))
def test_weighted_area_equals_the_pairs(rows: Any) -> None:
    labels, scores, _ = rows
    weights = (np.arange(labels.size) % 7 + 1) / 8
    twice, n_pos, n_neg = refine.exact_area(ArraySource(labelled(labels, scores, weights)))
    won, possible = twice_pairs(labels, scores, weights)
    assert twice * possible == won * 2 * n_pos * n_neg


@given(st.lists(st.tuples(masses, masses), min_size=1, max_size=12))
def test_area_is_exact_at_any_size(table: list[tuple[int, int]]) -> None:
    table = [*table, (1, 1)]
    pos, neg = (np.array(column, np.int64) for column in zip(*table, strict=True))
    above, twice = 0, 0
    for p, q in table:
        twice += q * (2 * above + p)
        above += p
    assert refine.area_of(Tally(pos, pos, neg)) == (twice, sum(p for p, _ in table), sum(q for _, q in table))


@pytest.mark.parametrize("n", [3, 1000, 100_000])
def test_area_is_never_above_one(n: int) -> None:
    labels = np.arange(n) >= n // 3
    scores = np.linspace(0.1, 0.3, n)
    weights = np.full(n, 0.1)
    for w in (None, weights):
        twice, n_pos, n_neg = refine.exact_area(ArraySource(labelled(labels, scores, w)))
        assert twice == 2 * n_pos * n_neg
        assert twice / (2 * n_pos * n_neg) == 1.0


def test_nan_is_found_while_scanning() -> None:
    labels, scores = np.tile([0, 1], 40_000), np.zeros(80_000)
    scores[[70_001, 70_005]] = np.nan
    source = ArraySource(labelled(labels, scores, nan_checked=False))
    for work in (refine.blocks_of, refine.exact_area):
        with (
            tuned(SORT_ROWS=0, chunk=70_000),
            pytest.raises(ValueError, match="y_score has 2 NaN, the first at index 70001"),
        ):
            work(source)


def test_many_rows_get_more_buckets() -> None:
    """A fixed number would leave a share of the rows undecided that grows with them: 15 % of 10^8, which are then divided anew."""
    sizes = {rows: refine.most_buckets(rows) for rows in (10**3, 10**7, 10**8, 2 * 10**8, 10**11)}
    assert sizes == {10**3: 1 << 18, 10**7: 1 << 18, 10**8: 1 << 21, 2 * 10**8: 1 << 22, 10**11: 1 << 23}


@tries(40)
@given(
    examples(), tunings(), st.integers(1, 60), st.lists(st.integers(0, 400), min_size=1, max_size=200),
    st.sampled_from(["7FF8000000000000", "FFF8000000000000", "7FF0000000000001", "FFFFFFFFFFFFFFFF"]),
)  # fmt: skip
def test_any_nan_is_found_in_the_outermost_buckets(
    rows: Any, tuning: dict[str, Any], n_buckets: int, places: list[int], bits: str
) -> None:
    scores = np.array(rows[1], np.float64)
    scores[at := np.unique(np.array(places) % scores.size)] = np.array([int(bits, 16)], np.uint64).view("f8")
    with np.errstate(all="ignore"):
        narrow = scores.astype(np.float32)
    said = f"y_score has {at.size} NaN, the first at index {at[0]}"
    with tuned(**tuning, SORT_ROWS=0), pytest.raises(ValueError, match=said):
        refine.scan_blocks(ArraySource(labelled(rows[0], scores, rows[2], nan_checked=False)), n_buckets)
    with tuned(**tuning, SORT_ROWS=0, _ROWS_A_PART=3), pytest.raises(ValueError, match=said):
        refine.exact_area(ArraySource(labelled(rows[0], narrow, nan_checked=False)))


def test_nan_are_found_above_all_scores_where_bits_are_divided() -> None:
    rng = np.random.default_rng(5)
    labels, scores = np.tile([0, 1], 10_000), np.exp(rng.normal(0, 60, 20_000))
    scores[12_345] = np.nan
    source = ArraySource(labelled(labels, scores, nan_checked=False))
    with tuned(SORT_ROWS=0, _ROWS_A_PART=1000):
        for work in (refine.blocks_of, refine.exact_area):
            with pytest.raises(ValueError, match="y_score has 1 NaN, the first at index 12345"):
                work(source)
