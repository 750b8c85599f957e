"""The bucket map is monotone, keeps ties together and balances, whatever it learned from."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adversaries import FAMILIES, Array, names
from bucket_cases import assert_monotone, probes
from profiles import tries
from rochull.hull import buckets as module
from rochull.hull.buckets import BucketMap, ordered_keys

FLOATS = sorted(name for name in FAMILIES if "int64" not in name)
seeds = st.integers(0, 2**32)


def draw(family: str, seed: int, n: int) -> Array:
    return FAMILIES[family](np.random.default_rng(seed), n)


def equal_lengths(sample: Array, n_buckets: int) -> BucketMap:
    """The map of buckets of equal length, however crowded the sample is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MOST_CROWDED", np.inf)
        return BucketMap.learn(sample, n_buckets, n_buckets)


ways = st.sampled_from([BucketMap.learn, equal_lengths])


@tries(150)
@given(names, seeds, st.integers(1, 400), st.integers(1, 300), ways)
def test_monotone_where_it_learned(family: str, seed: int, n: int, n_buckets: int, learn: Any) -> None:
    scores = draw(family, seed, n)
    assert_monotone(learn(scores, n_buckets), probes(scores))


pairs = st.tuples(st.sampled_from(FLOATS), st.sampled_from(FLOATS))


@tries(150)
@given(pairs, seeds, st.integers(1, 100), st.integers(1, 300), ways)
def test_monotone_where_it_did_not(
    families: tuple[str, str], seed: int, n: int, n_buckets: int, learn: Any
) -> None:
    sample = draw(families[0], seed, n)
    assert_monotone(learn(sample, n_buckets), probes(draw(families[1], seed + 1, 200)))


@given(names, seeds, st.integers(1, 3), st.integers(1, 20))
def test_monotone_after_a_tiny_sample(family: str, seed: int, n: int, n_buckets: int) -> None:
    scores = draw(family, seed, 300)
    assert_monotone(BucketMap.learn(scores[:n], n_buckets), probes(scores))


@given(
    st.lists(st.floats(allow_nan=False), min_size=1, max_size=20),
    st.lists(st.floats(allow_nan=False), min_size=1, max_size=50),
    st.integers(1, 50),
    ways,
)
def test_monotone_on_any_floats(sample: list[float], values: list[float], n_buckets: int, learn: Any) -> None:
    assert_monotone(learn(np.array(sample), n_buckets), probes(np.array(values)))


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


def test_what_lies_evenly_is_divided_in_one_step() -> None:
    """So fine that a bucket holds as much, for the mean example, as one of as many of equal mass."""
    rng = np.random.default_rng(6)
    for scores, axis in ((rng.normal(size=60_000), "value"), (1 / rng.uniform(1, 9, 60_000) ** 9, "keys")):
        buckets = BucketMap.learn(scores, 900, 900)
        assert (buckets.axis, buckets.pieces[0].size) == (axis, 2)
        share = np.bincount(buckets.locate(scores), minlength=buckets.size) / scores.size
        assert 0.9 < 900 * (share @ share) < 1.1
        size = buckets.size
        assert BucketMap.learn(scores, 900, 900, size).size == size
        assert BucketMap.learn(scores, 900, 900, size - 1).pieces[0].size > 2
    tied = np.where(rng.random(60_000) < 0.1, 0.5, rng.normal(size=60_000))
    assert BucketMap.learn(tied, 900, 900).pieces[0].size > 2
    assert BucketMap.learn(rng.normal(size=60_000), 900).pieces[0].size > 2


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
