"""Sources: chunks and arrays that are scanned, and what is refused while they are."""

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from adversaries import examples
from profiles import tries
from rochull._core.validation import labelled
from rochull.hull import sources
from rochull.hull.buckets import BucketMap
from rochull.hull.divided import DividedMap
from rochull.hull.sources import ArraySource, ChunkSource
from rochull.hull.tallies import UNIT, Tally, tally_of


def array_source(rows: Any) -> ArraySource:
    return ArraySource(labelled(*rows))


def hull_lists(hull: rh.RocHull) -> list[list[Any]]:
    return [hull.fp.tolist(), hull.tp.tolist(), hull.thresholds.tolist()]


@given(examples(max_size=120), st.integers(1, 40), st.integers(1, 30))
def test_count_and_survey_by_definition(rows: Any, n_buckets: int, chunk: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "CHUNK", chunk)
        source = array_source(rows)
    buckets = BucketMap.learn(source.sample(7), n_buckets)
    bucket = buckets.size - 1 - buckets.locate(source.data.scores)
    weights = np.ones(len(rows[0])) if rows[2] is None else rows[2]
    pos, neg = source.count(buckets)
    assert pos.dtype == neg.dtype == (np.int32 if rows[2] is None else np.int64)
    wanted = np.arange(buckets.size) % 3 > 0
    found = source.survey(buckets, wanted, None)
    for counted, label in ((pos, 1), (neg, 0)):
        unit = source.units.pair[label]
        mass = np.rint(weights * unit).astype(np.int64) * (rows[0] == label)
        expected = np.zeros(buckets.size, np.int64)
        np.add.at(expected, bucket, mass)
        assert counted.tolist() == expected.tolist()
    whole = tally_of(source.data)
    chosen = wanted[buckets.size - 1 - buckets.locate(whole.score)]
    assert isinstance(found, Tally)
    assert found.score.tolist() == whole.score[chosen].tolist()
    assert found.pos_units.tolist() == whole.pos_units[chosen].tolist()
    assert found.neg_units.tolist() == whole.neg_units[chosen].tolist()


def test_survey_beyond_the_limit_is_a_sample_with_the_ties() -> None:
    scores = np.repeat([1.0, 2.0], 500)
    source = array_source((np.tile([0, 1], 500), scores))
    buckets = BucketMap.learn(np.zeros(1), 1)  # both are in the bucket above 0
    found = source.survey(buckets, np.ones(buckets.size, bool), 50)
    assert isinstance(found, np.ndarray)
    assert set(found.tolist()) == {1.0, 2.0}
    finer = DividedMap.of(buckets, found, np.ones(buckets.size, bool), np.ones(buckets.size))
    low, high = finer.locate(np.array([1.0, 2.0]))
    assert low < high


def test_one_tie_in_a_bucket_needs_no_rows() -> None:
    source = array_source((np.tile([0, 1], 5000), np.full(10_000, 0.25)))
    buckets = BucketMap.learn(np.array([0.0, 9.0]), 1)
    found = source.survey(buckets, np.ones(buckets.size, bool), 1)
    assert isinstance(found, Tally)
    assert (found.score.tolist(), found.pos.tolist(), found.neg.tolist()) == ([0.25], [5000], [5000])


@pytest.mark.parametrize("size", [1, 10, 999, 5000])
def test_sample_of_an_array(size: int) -> None:
    scores = np.arange(1000.0)
    sample = array_source((np.arange(1000) % 2, scores)).sample(size)
    assert sample.size == min(size, 1000)
    assert set(sample.tolist()) <= set(scores.tolist())
    assert size == 1 or np.ptp(sample) > 800


@pytest.mark.parametrize("n_chunks", [1, 20, 300])
def test_sample_of_chunks_is_even(n_chunks: int) -> None:
    # Chunks in order of the scores, as from a sorted file: late ones must not crowd out early ones.
    each = np.arange(500.0)
    source = ChunkSource(lambda: ((each % 2 > 0, each + 500 * i) for i in range(n_chunks)))
    sample = source.sample(2000)
    assert min(each.size // 2, 2000) <= sample.size <= 4000
    per_tenth, _ = np.histogram(sample, 10, (0, 500 * n_chunks))
    assert per_tenth.max() < 2 * per_tenth.min()


def test_sampling_leaves_nan_out() -> None:
    scores = np.array([np.nan, 1.0, np.nan])
    assert ArraySource(labelled([0, 1, 1], scores, nan_checked=False)).sample(10).tolist() == [1.0]


def test_split_covers_all_rows() -> None:
    source = array_source((np.arange(10) % 2, np.arange(10)))
    parts = source.split(3)
    assert np.concatenate([part.data.scores for part in parts]).tolist() == list(range(10))
    assert all(part.units == UNIT for part in parts)


@tries(50)
@given(examples(max_size=60), st.lists(st.integers(0, 60), max_size=5))
def test_any_cut_gives_the_same_hull(rows: Any, cuts: list[int]) -> None:
    labels, scores, weights = rows
    if weights is not None:
        weights = np.ceil(weights * 4)
    cuts = sorted(cut % (labels.size + 1) for cut in cuts)
    columns = [labels, scores] + ([] if weights is None else [weights])
    parts = list(zip(*(np.split(column, cuts) for column in columns), strict=True))
    hull = rh.RocHull.from_source(ChunkSource(lambda: parts))
    assert hull_lists(hull) == hull_lists(rh.roc_hull(labels, scores, sample_weight=weights))


def test_chunks_may_be_a_generator_made_anew() -> None:
    calls = []

    def chunks() -> Iterator[tuple[Any, ...]]:
        calls.append(threading.get_ident())
        yield [True, False], [0.1, 0.2]
        yield [], []
        yield [False], [0.05]

    source = ChunkSource(chunks)
    assert source.rows == 0
    assert rh.RocHull.from_source(source).thresholds.tolist() == [np.inf, 0.1, 0.05]
    assert source.rows == 3
    assert len(calls) > 1


def test_string_labels_need_pos_label() -> None:
    parts = [(["good", "bad"], [0.1, 0.8]), (["bad"], [0.9])]
    with pytest.raises(ValueError, match=r"y_true takes the values 'bad', 'good'; give pos_label"):
        rh.RocHull.from_source(ChunkSource(lambda: parts))
    hull = rh.RocHull.from_source(ChunkSource(lambda: parts, pos_label="bad"))
    assert hull.thresholds.tolist() == [np.inf, 0.8, 0.1]


def test_chunks_of_several_types_are_read_alike() -> None:
    parts = [
        ([0, 1], [0, 1]),
        ([1, 0], [0.5, 0.25]),
        ([1, 0], np.array([0.1, 0.7], np.float32)),
        ([1, 0], np.array([3, 2], np.int8)),
    ]
    scores = np.concatenate([np.asarray(part[1], float) for part in parts])
    labels = np.concatenate([part[0] for part in parts])
    found = rh.RocHull.from_source(ChunkSource(lambda: parts))
    assert hull_lists(found) == hull_lists(rh.roc_hull(labels, scores))
    back = rh.RocHull.from_source(ChunkSource(lambda: parts[::-1]))
    assert hull_lists(back) == hull_lists(found)


def test_float32_chunks_stay_float32() -> None:
    scores = np.array([0.1, 0.2, 0.3], np.float32)
    hull = rh.RocHull.from_source(ChunkSource(lambda: [([0, 1, 1], scores)]))
    assert hull.thresholds.dtype == np.float32


def test_integers_beyond_float64_beside_floats_are_refused() -> None:
    parts = [([0, 1], [2**53 + 1, 2**53 + 2]), ([1, 0], [0.5, 0.25])]
    with pytest.raises(ValueError, match=r"y_score has integers beyond 2\*\*53 beside floats"):
        rh.RocHull.from_source(ChunkSource(lambda: parts))


@pytest.mark.parametrize("order", [1, -1])
def test_weights_in_some_chunks_only_are_refused(order: int) -> None:
    parts = [([0, 1], [0.1, 0.2], [1.0, 2.5]), ([1, 0], [0.5, 0.25])][::order]
    with pytest.raises(ValueError, match="chunks: some have weights and some have none"):
        rh.RocHull.from_source(ChunkSource(lambda: parts))


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([], "chunks is empty"),
        ([([], [])], "chunks is empty"),
        ([([0, 1], [0.1, 0.2]), ([1, 1], [0.5, np.nan])], "y_score has 1 NaN, the first at index 3"),
        (
            [([0, 1], [0.1])],
            "y_true and y_score must have the same length, but y_true has 2 and y_score has 1",
        ),
        ([([], [0.1])], "y_true and y_score must have the same length, but y_true has 0 and y_score has 1"),
        ([([0, 1], [0.1, 0.2], [1.0])], "y_true and sample_weight must have the same length"),
        ([([0, 1], [0.1, 0.2], [1.0, -1.0])], "sample_weight has 1 negative values, the first at index 1"),
        ([([0, 1], [0.1, 0.2], [1.0, 0.0])], "sample_weight: the positive class has zero total weight"),
        ([([0, 1], [0.1, 0.2]), ([2, 1], [0.1, 0.2])], "y_true takes the values 1, 2; give pos_label"),
    ],
)
def test_bad_chunks(parts: list[tuple[Any, ...]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rh.RocHull.from_source(ChunkSource(lambda: parts))


def test_an_error_while_reading_comes_through() -> None:
    def chunks() -> Iterator[tuple[Any, ...]]:
        yield [0, 1], [0.1, 0.2]
        raise OSError("disk gone")

    with pytest.raises(OSError, match="disk gone"):
        rh.RocHull.from_source(ChunkSource(chunks))


def test_an_error_in_a_thread_comes_through() -> None:
    scans = []

    def chunks() -> Iterator[tuple[Any, ...]]:
        scans.append(0)
        yield [0, 1], [0.1, 0.2]
        if len(scans) > 2:
            yield [0, 1], ["a", "b"]

    with pytest.raises(ValueError, match="y_score must be numeric"):
        rh.RocHull.from_source(ChunkSource(chunks))


@pytest.mark.parametrize(
    ("chunks", "pos_label"),
    [
        ([(["a", "b"], [0.1, 0.2]), (["a", "c"], [0.3, 0.4])], "a"),
        ([([-1, 1], [0.1, 0.2]), ([0, 1], [0.3, 0.4])], None),
        ([([True, False], [0.1, 0.2]), ([-1, 1], [0.3, 0.4])], None),
    ],
)
def test_labels_are_compared_across_chunks(chunks: Any, pos_label: Any) -> None:
    with pytest.raises(ValueError, match=r"^y_true must have two classes, but the chunks hold 3: "):
        rh.RocHull.from_source(rh.ChunkSource(lambda: chunks, pos_label))


def test_all_nan_are_counted_wherever_they_are() -> None:
    score = np.arange(400_000.0)
    score[5] = np.nan
    score[200_000:] = np.nan
    y = np.arange(400_000) % 2
    for function in (rh.roc_hull, rh.roc_auc, rh.roc_curve):
        with pytest.raises(ValueError, match=r"^y_score has 200001 NaN, the first at index 5"):
            function(y, score)
