"""The kernels of scans against their slow twins; small, so that they run as plain Python too."""

from math import floor
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from adversaries import Array
from profiles import tries
from rochull._core.kernels import buckets as bucket_kernels
from rochull._core.kernels import hull as kernels
from rochull.hull.buckets import BucketMap
from twins import groups_of

SIZE = 3 * 4096 // 2  # more rows than a strip has
steps = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.booleans()), min_size=1, max_size=30)


def columns(table: list[tuple[int, int, bool]]) -> tuple[Array, Array, Array]:
    """Positives, negatives and flags of steps."""
    pos, neg, inside = zip(*table, strict=True)
    return np.array(pos, np.int64), np.array(neg, np.int64), np.array(inside)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_count_of_more_rows_than_a_strip(weighted: bool) -> None:
    rng = np.random.default_rng(0)
    scores, positive = rng.normal(size=SIZE), rng.integers(0, 2, SIZE).astype(np.uint8)
    buckets = BucketMap.learn(scores[:50], 7)
    weights, units = rng.integers(0, 3, SIZE) / 2, np.array([2.0, 4.0])
    low, total = np.zeros(2 * buckets.size, np.uint8), np.zeros(2 * buckets.size, np.int64)
    given_weights = weights if weighted else None
    kernels.count_buckets(scores, positive, given_weights, units, buckets.pieces, low, total)
    expected = [0] * low.size
    for bucket, label, weight in zip(buckets.locate(scores), positive, weights, strict=True):
        expected[2 * bucket + label] += int(weight * units[label]) if weighted else 1
    assert (total * (1 if weighted else 256) + low).tolist() == expected


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("size", [60, SIZE])
def test_look_into_buckets(weighted: bool, size: int) -> None:
    rng = np.random.default_rng(size)
    scores = np.round(rng.normal(size=size), 1)
    positive, weights = rng.integers(0, 2, size).astype(np.uint8), rng.integers(0, 3, size).astype(float)
    buckets = BucketMap.learn(rng.normal(size=50), 200)
    marks = rng.integers(0, 3, buckets.size)  # 1: rows are wanted, 2: the lowest score is
    numbers = np.zeros(buckets.size, np.int32)
    for mark in (1, 2):
        numbers[marks == mark] = np.arange(np.count_nonzero(marks == mark))
    slots = np.where(marks == 1, numbers, -1 - numbers)[marks > 0].astype(np.int32)
    tie, mass = np.zeros(buckets.size), np.zeros((buckets.size, 2), np.int64)
    kept, kept_units = np.empty(size), np.empty(size, np.int64)
    low, seen = np.full(buckets.size, np.inf), np.zeros(buckets.size, np.int8)
    left, right = bucket_kernels.look_into_buckets(
        scores, scores, positive, weights if weighted else None, np.ones(2), buckets.pieces,
        *bucket_kernels.marked_words(marks > 0), slots, tie, mass, kept, kept_units, low, seen,
    )  # fmt: skip
    units = weights if weighted else np.ones(size)
    of = buckets.locate(scores)
    rows: list[Any] = [(1, kept[i], kept_units[i]) for i in range(left)]
    rows += [(0, kept[i], kept_units[i]) for i in range(size - right, size)]
    rows = [(label, score, int(u) if weighted else 1) for label, score, u in rows]
    rows += [(label, tie[s], mass[s, label]) for s in range(buckets.size) for label in (0, 1)]
    wanted = marks[of] == 1
    expected = groups_of(positive[wanted], scores[wanted], units[wanted])
    assert groups_of(*zip(*rows, strict=True)) == expected
    for bucket in np.flatnonzero(marks == 2):
        mine = scores[(of == bucket) & (units > 0)]
        assert bool(seen[numbers[bucket]]) == (mine.size > 0)
        assert low[numbers[bucket]] == (mine.min() if mine.size else np.inf)


@given(st.lists(st.booleans(), min_size=1, max_size=200))
def test_marked_words(marked: list[bool]) -> None:
    words, before = bucket_kernels.marked_words(np.array(marked))
    for i, is_marked in enumerate(marked):
        word, bit = divmod(i, 64)
        assert int(words[word]) >> bit & 1 == is_marked
        assert bucket_kernels.number_of(np.uint32(i), words, before) == sum(marked[:i])
    assert bucket_kernels.bits_of(np.uint64(2**64 - 1)) == 64


@given(steps, st.sampled_from([0.003, 0.1, 0.25, 1.0, 3.0]))
@tries(60)
def test_keep_points(table: list[tuple[int, int, bool]], width: float) -> None:
    pos, neg, _ = columns(table)
    keep = np.zeros(pos.size, bool)
    totals = max(int(pos.sum()), 1), max(int(neg.sum()), 1)
    bucket_kernels.keep_points(pos, neg, *totals, width, keep)
    tp = fp = before = 0
    for i, (p, q, _) in enumerate(table):
        tp, fp = tp + p, fp + q
        cell = floor((tp / totals[0] + fp / totals[1]) / width)
        assert bool(keep[i]) == (cell != before)
        before = cell


@given(steps, st.sampled_from([1, 10**4, 2**28]), st.sampled_from([0.003, 0.25, 3.0]), st.randoms())
@tries(100)
def test_walk_steps(table: list[tuple[int, int, bool]], times: int, width: float, random: Any) -> None:
    """Against the list of steps: of a bucket's groups where it is wanted, else of the bucket."""
    groups: list[tuple[int, int]] = []
    walked: list[tuple[int, int, int, bool]] = []  # positives, negatives, place, whether the order is unknown
    for b, (p, q, unknown) in enumerate(table):
        if unknown:
            walked += [(p * times, q * times, -1 - b, True)] * (p + q > 0)
            continue
        while p or q:  # in groups of any sizes
            one = random.randint(0, p), random.randint(0, q)
            if any(one):
                walked.append((one[0] * times, one[1] * times, len(groups), False))
                groups.append(one)
                p, q = p - one[0], q - one[1]
    if not walked:
        return
    pos, neg, inside = columns(table)
    of = np.array(groups, np.int64).reshape(-1, 2) * times
    totals = max(int(pos.sum()), 1) * times, max(int(neg.sum()), 1) * times
    places, tps, fps = np.zeros((3, len(walked)), np.int64)
    kept, areas = bucket_kernels.walk_steps(
        pos * times, neg * times, ~inside, of[:, 0].copy(), of[:, 1].copy(), *totals, width, places, tps, fps
    )
    expected, tp, fp, before = [], 0, 0, 0
    twice = [0, 0, 0]
    for i, (p, q, place, unknown) in enumerate(walked):
        for way in range(3):  # first none of a step's pairs is won, then half, then all
            twice[way] += q * (2 * tp + p * (way if unknown else 1))
        tp, fp = tp + p, fp + q
        cell = floor((tp / totals[0] + fp / totals[1]) / width)
        if cell != before or i == len(walked) - 1:
            expected.append((place, tp, fp))
        before = cell
    assert [*zip(*(column[:kept].tolist() for column in (places, tps, fps)), strict=True)] == expected
    for (high, low), area in zip(areas.tolist(), twice, strict=True):
        assert 0 <= low < 2**62
        assert (high << 62) + low == area
