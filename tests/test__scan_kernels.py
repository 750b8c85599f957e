"""The kernels of scans against their slow twins; small, so that they run as plain Python too."""

from fractions import Fraction
from math import floor
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from adversaries import Array
from rochull import _kernels, _scan_kernels
from rochull._bucketmap import BucketMap
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
    _kernels.count_buckets(scores, positive, given_weights, units, buckets.pieces, low, total)
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
    buckets = BucketMap.learn(rng.normal(size=50), 12)
    marks = rng.integers(0, 3, buckets.size).astype(np.int8)
    slots = np.zeros(buckets.size, np.int32)
    for mark in (_scan_kernels.WANTED, _scan_kernels.LOW):
        slots[marks == mark] = np.arange(np.count_nonzero(marks == mark))
    tie, mass = np.zeros(buckets.size), np.zeros((buckets.size, 2), np.int64)
    kept, kept_units = np.empty(size), np.empty(size, np.int64)
    low, seen = np.full(buckets.size, np.inf), np.zeros(buckets.size, np.int8)
    left, right = _scan_kernels.look_into_buckets(
        scores, scores, positive, weights if weighted else None, np.ones(2), buckets.pieces,
        _scan_kernels.marked_bits(marks), marks, slots, tie, mass, kept, kept_units, low, seen,
    )  # fmt: skip
    units = weights if weighted else np.ones(size)
    of = buckets.locate(scores)
    rows: list[Any] = [(1, kept[i], kept_units[i]) for i in range(left)]
    rows += [(0, kept[i], kept_units[i]) for i in range(size - right, size)]
    rows = [(label, score, int(u) if weighted else 1) for label, score, u in rows]
    rows += [(label, tie[s], mass[s, label]) for s in range(buckets.size) for label in (0, 1)]
    wanted = marks[of] == _scan_kernels.WANTED
    expected = groups_of(positive[wanted], scores[wanted], units[wanted])
    assert groups_of(*zip(*rows, strict=True)) == expected
    for bucket in np.flatnonzero(marks == _scan_kernels.LOW):
        mine = scores[(of == bucket) & (units > 0)]
        assert bool(seen[slots[bucket]]) == (mine.size > 0)
        assert low[slots[bucket]] == (mine.min() if mine.size else np.inf)


@given(steps, st.sampled_from([0.003, 0.1, 0.25, 1.0, 3.0]))
@settings(max_examples=60)
def test_keep_points(table: list[tuple[int, int, bool]], width: float) -> None:
    pos, neg, _ = columns(table)
    keep = np.zeros(pos.size, bool)
    totals = max(int(pos.sum()), 1), max(int(neg.sum()), 1)
    _scan_kernels.keep_points(pos, neg, *totals, width, keep)
    tp = fp = before = 0
    for i, (p, q, _) in enumerate(table):
        tp, fp = tp + p, fp + q
        cell = floor((tp / totals[0] + fp / totals[1]) / width)
        assert bool(keep[i]) == (cell != before)
        before = cell


@given(steps, st.sampled_from([1, 10**4, 2**28]))
@settings(max_examples=60)
def test_area_bounds(table: list[tuple[int, int, bool]], times: int) -> None:
    pos, neg, inside = columns(table)
    found = _scan_kernels.area_bounds(pos * times, neg * times, inside)
    for way, (high, low) in enumerate(found.tolist()):
        above, twice = 0, Fraction(0)
        for p, q, unknown in table:
            twice += q * (2 * above + p * (way if unknown else 1))  # first none, then half, then all won
            above += p
        assert 0 <= low < 2**62
        assert (high << 62) + low == twice * times**2
