"""A divided map is monotone, keeps its parent's buckets apart, and hands over the rows of some buckets."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adversaries import FAMILIES, Array, names
from bucket_cases import assert_monotone, probes
from profiles import tries
from rochull._core.validation import Labelled
from rochull.hull import divided as module
from rochull.hull.buckets import BucketMap
from rochull.hull.divided import DividedMap
from rochull.hull.tasks import Buckets

seeds = st.integers(0, 2**32)


def draw(family: str, seed: int, n: int) -> Array:
    return FAMILIES[family](np.random.default_rng(seed), n)


def divided(buckets: Buckets, sample: Array) -> DividedMap:
    """Divide all buckets that hold some of the sample."""
    held = np.bincount(buckets.locate(sample), minlength=buckets.size)
    return DividedMap.of(buckets, sample, held > 0, held[held > 0])


def root_of(buckets: Buckets) -> BucketMap:
    while isinstance(buckets, DividedMap):
        buckets = buckets.parent
    assert isinstance(buckets, BucketMap)
    return buckets


@tries(100)
@given(names, seeds, st.integers(2, 200), st.integers(1, 20), st.integers(1, 200))
def test_refine_divides_and_keeps_the_order(
    family: str, seed: int, n: int, n_buckets: int, some: int
) -> None:
    scores = draw(family, seed, n)
    coarse = BucketMap.learn(scores[:3], n_buckets)
    before = coarse.locate(scores)
    sample = scores[:some]
    fine = divided(coarse, sample)
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


def fold_is_exhausted(buckets: Buckets, distinct: Array) -> bool:
    """Whether these scores have one key: those above 1, on an axis learned from scores between 0 and 1."""
    return root_of(buckets).axis == "folded" and bool(np.all(distinct >= 1))


@tries(50)
@given(names, seeds, st.integers(1, 150))
@example("denormals", 0, 33)  # scales of such spans overflow: a round halves them
def test_rounds_of_refinement_tell_all_scores_apart(family: str, seed: int, n: int) -> None:
    scores = draw(family, seed, n)
    buckets: Buckets = BucketMap.learn(scores[:1], 1)
    distinct = np.unique(scores)
    if root_of(buckets).axis == "folded":
        distinct = distinct[distinct <= 1]
    for _ in range(20):
        if np.unique(buckets.locate(distinct)).size == distinct.size:
            break
        buckets = divided(buckets, distinct)
    assert np.unique(buckets.locate(distinct)).size == distinct.size
    assert_monotone(buckets, probes(scores))


def test_refining_what_needs_nothing() -> None:
    buckets = BucketMap.learn(np.full(5, 2.0), 10)
    assert divided(buckets, np.full(3, 2.0)).locate(np.array([1.0, 2.0, 3.0])).tolist() == [0, 1, 2]


def test_deeply_nested_scores() -> None:
    # On an axis of values these are a cell in a cell in a cell; the depth of one round is bounded.
    scores = np.repeat(10.0 ** -np.arange(300), 9)
    buckets: Buckets = BucketMap.learn(np.array([0.0, 1.0]), 4)
    assert root_of(buckets).axis == "value"
    rounds = 0
    while np.unique(buckets.locate(scores)).size < 300:
        buckets = divided(buckets, scores)
        assert_monotone(buckets, probes(scores))
        rounds += 1
        assert rounds < 20


@tries(60)
@given(names, seeds, st.integers(1, 300), st.integers(1, 3), st.data())
def test_rows_of_marked_buckets(family: str, seed: int, n: int, levels: int, data: st.DataObject) -> None:
    """Those of the marked buckets, in their order, with the numbers of their buckets, block by block."""
    scores = draw(family, seed, n)
    buckets: Buckets = BucketMap.learn(scores[:5], data.draw(st.integers(1, 30)))
    for _ in range(levels):
        buckets = divided(buckets, scores)
    marked = np.random.default_rng(seed).random(buckets.size) < data.draw(st.sampled_from([0.0, 0.3, 1.0]))
    rows = Labelled((np.arange(n) % 2).astype(np.uint8), scores, np.arange(n) / 8.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", data.draw(st.sampled_from([1, 7, 1 << 17])))
        found, keys = buckets.within(marked).rows(rows)
    number = buckets.locate(scores)
    held = marked[number]
    assert keys.tolist() == number[held].tolist()
    assert found.scores.tolist() == scores[held].tolist()
    assert found.positive.tolist() == rows.positive[held].tolist()
    assert found.weights is not None
    assert found.weights.tolist() == (np.arange(n) / 8.0)[held].tolist()


def test_buckets_without_a_sample_are_divided_where_they_lie() -> None:
    scores = np.linspace(0.0, 1.0, 10_001)
    coarse = BucketMap.learn(scores, 50)
    held = np.bincount(coarse.locate(scores), minlength=coarse.size)
    wanted = np.zeros(coarse.size, bool)
    wanted[20:30] = True
    fine = DividedMap.of(coarse, scores[:0], wanted, held[wanted])
    again = DividedMap.of(fine, scores[:0], fine.divided, np.ones(np.count_nonzero(fine.divided)))
    for found in (fine, again):
        assert_monotone(found, probes(scores))
        inside = wanted[coarse.locate(scores)]
        most = np.bincount(found.locate(scores)[inside]).max()
        assert most <= 4 if found is fine else most == 1
