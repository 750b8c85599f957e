"""The bucket map is monotone, keeps ties together and balances, whatever it learned from."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adversaries import FAMILIES, Array, names
from profiles import tries
from rochull.hull.buckets import BucketMap, ordered_keys

FLOATS = sorted(name for name in FAMILIES if "int64" not in name)
seeds = st.integers(0, 2**32)


def draw(family: str, seed: int, n: int) -> Array:
    return FAMILIES[family](np.random.default_rng(seed), n)


def assert_monotone(buckets: BucketMap, scores: Array) -> None:
    """Higher scores are never in lower buckets, equal scores never in two."""
    ordered = np.sort(scores)
    found = buckets.locate(ordered)
    assert 0 <= found[0] <= found[-1] < buckets.size
    steps = np.diff(found)
    assert np.all(steps >= 0)
    assert np.all(steps[ordered[1:] == ordered[:-1]] == 0)
    start, scale, last, base = buckets.pieces
    assert not np.any(
        scale < 0
    )  # a NaN, beside infinities, sends all scores above the start to the last child
    assert np.all(last >= 0)
    assert len(start) == len(scale) == len(last) == len(base)


def probes(scores: Array) -> Array:
    """The scores and what lies around and between them, in the same type."""
    if scores.dtype.kind == "f":
        limits = np.array([-np.inf, -1.0, -0.0, 0.0, 0.5, 1.0, np.inf], scores.dtype)
        with np.errstate(all="ignore"):
            near = [np.nextafter(scores, way, dtype=scores.dtype) for way in (-np.inf, np.inf)]
            found = np.concatenate([scores, limits, *near, scores / 2 + scores[::-1] / 2])
        return found[~np.isnan(found)]
    info = np.iinfo(scores.dtype)
    limits = np.array([info.min, 0, info.max], scores.dtype)
    return np.concatenate([scores, limits, scores[scores > info.min] - scores.dtype.type(1), scores // 2])


@tries(150)
@given(names, seeds, st.integers(1, 400), st.integers(1, 300))
def test_monotone_where_it_learned(family: str, seed: int, n: int, n_buckets: int) -> None:
    scores = draw(family, seed, n)
    assert_monotone(BucketMap.learn(scores, n_buckets), probes(scores))


@tries(150)
@given(st.sampled_from(FLOATS), st.sampled_from(FLOATS), seeds, st.integers(1, 100), st.integers(1, 300))
def test_monotone_where_it_did_not(learned: str, family: str, seed: int, n: int, n_buckets: int) -> None:
    sample = draw(learned, seed, n)
    assert_monotone(BucketMap.learn(sample, n_buckets), probes(draw(family, seed + 1, 200)))


@given(names, seeds, st.integers(1, 3), st.integers(1, 20))
def test_monotone_after_a_tiny_sample(family: str, seed: int, n: int, n_buckets: int) -> None:
    scores = draw(family, seed, 300)
    assert_monotone(BucketMap.learn(scores[:n], n_buckets), probes(scores))


@given(
    st.lists(st.floats(allow_nan=False), min_size=1, max_size=20),
    st.lists(st.floats(allow_nan=False), min_size=1, max_size=50),
    st.integers(1, 50),
)
def test_monotone_on_any_floats(sample: list[float], values: list[float], n_buckets: int) -> None:
    assert_monotone(BucketMap.learn(np.array(sample), n_buckets), probes(np.array(values)))


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint8, np.uint32])
def test_monotone_on_small_integers(dtype: Any) -> None:
    info = np.iinfo(dtype)
    scores = np.random.default_rng(0).integers(info.min, info.max, 500, dtype, endpoint=True)
    assert_monotone(BucketMap.learn(scores[:50], 100), probes(scores))


def test_both_zeros_are_one() -> None:
    zeros = np.array([0.0, -0.0])
    for sample in (zeros, np.array([-1.0, 1.0]), np.array([-np.inf, 1e-300, np.inf])):
        low, high = BucketMap.learn(sample, 50).locate(zeros)
        assert low == high
    for folded in (False, True):
        assert len(set(ordered_keys(zeros, folded).tolist())) == 1


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_buckets_hold_equal_shares_beside_ties(family: str) -> None:
    scores = draw(family, 4, 60_000)
    buckets = BucketMap.learn(scores[:20_000], 2000)
    assert buckets.size < 5 * 2000
    distinct, mass = np.unique(scores, return_counts=True)
    place = buckets.locate(distinct)
    total, heaviest = np.zeros((2, buckets.size), np.int64)
    np.add.at(total, place, mass)
    np.maximum.at(heaviest, place, mass)
    # A tie is counted, not collected, so it weighs nothing.
    assert np.max(total - heaviest) < 20 * 60_000 / 2000


@pytest.mark.parametrize("size", [1, 3, 400])
def test_a_constant_sample(size: int) -> None:
    buckets = BucketMap.learn(np.full(size, 0.7), 100)
    around = np.array([-np.inf, np.nextafter(0.7, 0), 0.7, np.nextafter(0.7, 1), np.inf])
    found = buckets.locate(around).tolist()
    assert buckets.size == 3
    assert found == [0, 0, 1, 2, 2]


@pytest.mark.parametrize("dtype", [np.uint64, np.int64, np.int8])
def test_a_sample_of_the_lowest_integer_alone(dtype: Any) -> None:
    """There is no integer below it whose bucket could end there."""
    lowest = np.iinfo(dtype).min
    buckets = BucketMap.learn(np.full(9, lowest, dtype), 100)
    scores = np.array([lowest, lowest + 1, lowest + 2, np.iinfo(dtype).max], dtype)
    assert_monotone(buckets, scores)
    assert len(set(buckets.locate(scores[:2]).tolist())) == 2


def test_saturated_scores_get_their_own_axis() -> None:
    scores = draw("sigmoid near 1", 0, 5000)
    assert BucketMap.learn(scores, 100).axis == "folded"
    assert BucketMap.learn(draw("normal", 0, 5000), 100).axis == "value"
    assert BucketMap.learn(draw("1e300 ranges", 0, 5000), 100).axis == "keys"


@given(names, seeds)
def test_keys_are_in_the_order_of_the_scores(family: str, seed: int) -> None:
    scores = probes(draw(family, seed, 60))
    _, ranks = np.unique(scores, return_inverse=True)
    _, found = np.unique(ordered_keys(scores), return_inverse=True)
    assert found.tolist() == ranks.tolist()


def test_keys_leave_scores_alone() -> None:
    scores = np.array([-0.0, 1.0, -2.0])
    copy = scores.copy()
    scores.setflags(write=False)
    ordered_keys(scores)
    assert scores.tobytes() == copy.tobytes()


@tries(100)
@given(names, seeds, st.integers(2, 200), st.integers(1, 20), st.integers(1, 200))
def test_refine_divides_and_keeps_the_order(
    family: str, seed: int, n: int, n_buckets: int, some: int
) -> None:
    scores = draw(family, seed, n)
    coarse = BucketMap.learn(scores[:3], n_buckets)
    before = coarse.locate(scores)
    sample = scores[:some]
    fine = coarse.refine(sample)
    after = fine.locate(scores)
    assert_monotone(fine, probes(scores))
    order = np.argsort(scores, kind="stable")
    for i, j in pairwise(order):  # what was apart stays apart
        assert before[i] == before[j] or after[i] < after[j]
    for bucket in np.unique(before[:some]):
        inside = sample[before[:some] == bucket]
        parts = np.unique(after[:some][before[:some] == bucket])
        distinct = np.unique(inside)
        if fold_is_exhausted(fine, distinct):
            continue
        assert (parts.size > 1) == (distinct.size > 1)


def fold_is_exhausted(buckets: BucketMap, distinct: Array) -> bool:
    """Whether these scores have one key: those above 1, on an axis learned from scores between 0 and 1."""
    return buckets.axis == "folded" and bool(np.all(distinct >= 1))


@tries(50)
@given(names, seeds, st.integers(1, 150))
def test_rounds_of_refinement_tell_all_scores_apart(family: str, seed: int, n: int) -> None:
    scores = draw(family, seed, n)
    buckets = BucketMap.learn(scores[:1], 1)
    distinct = np.unique(scores)
    if buckets.axis == "folded":
        distinct = distinct[distinct <= 1]
    for _ in range(20):
        if np.unique(buckets.locate(distinct)).size == distinct.size:
            break
        buckets = buckets.refine(distinct)
    assert np.unique(buckets.locate(distinct)).size == distinct.size
    assert_monotone(buckets, probes(scores))


def test_refining_what_needs_nothing() -> None:
    buckets = BucketMap.learn(np.full(5, 2.0), 10)
    assert buckets.refine(np.full(3, 2.0)).locate(np.array([1.0, 2.0, 3.0])).tolist() == [0, 1, 2]


def test_deeply_nested_scores() -> None:
    # On an axis of values these are a cell in a cell in a cell; the depth of one round is bounded.
    scores = np.repeat(10.0 ** -np.arange(300), 9)
    buckets = BucketMap.learn(np.array([0.0, 1.0]), 4)
    assert buckets.axis == "value"
    rounds = 0
    while np.unique(buckets.locate(scores)).size < 300:
        buckets = buckets.refine(scores)
        assert_monotone(buckets, probes(scores))
        rounds += 1
        assert rounds < 20
    assert rounds > 1
