"""Every kernel against its slow twin; this file runs compiled, and again as plain Python.

Sizes are small, for plain Python is slow. In it integer overflow is a warning and so an error, which compiled
code would not show: the narrow products are tried up to the edge of 64 bits.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adversaries import Array
from profiles import tries
from rochull._core.kernels import hull
from rochull.hull.blocks import needs_wide
from rochull.hull.buckets import BucketMap
from twins import groups_of, hull_of, pav, twice_pairs

kernels: Any = hull  # their arguments are given in tuples and lists

NARROW = 3_000_000_000  # examples a class, up to which cross products fit 64 bits
WIDE = 3_037_000_500  # the square of this exceeds 2**63
TYPES = [np.float64, np.float32, np.int64, np.uint64]

near_limits = st.builds(
    lambda exponent, offset: min(max(2**exponent + offset, 0), 2**62 - 1),
    st.sampled_from([0, 1, 30, 31, 32, 61, 62]),
    st.integers(-3, 3),
)
wide_numbers = near_limits | st.integers(0, 2**62 - 1)
small_scores = st.lists(st.integers(0, 6), max_size=12)


def integers(values: Any) -> Array:
    return np.array(values, np.int64)


# --- exact products ----------------------------------------------------------------------------


@given(wide_numbers, wide_numbers)
def test_multiply_wide(a: int, b: int) -> None:
    high, low = kernels.multiply_wide(np.int64(a), np.int64(b))
    assert 0 <= low < 2**62
    assert (int(high) << 62) + int(low) == a * b


@given(wide_numbers, wide_numbers, wide_numbers, wide_numbers)
def test_product_less_wide(a: int, b: int, c: int, d: int) -> None:
    numbers = [np.int64(v) for v in (a, b, c, d)]
    assert bool(kernels.product_less(*numbers, True)) == (a * b < c * d)
    assert not kernels.product_less(numbers[0], numbers[1], numbers[1], numbers[0], True)


@given(st.integers(1, 2**31), st.integers(1, 2**61))
def test_product_less_tells_neighbours_apart(a: int, b: int) -> None:
    b = b // a + 2  # a * b < 2**62, and products that differ by one
    c = a * b - 1
    one = np.int64(1)
    for wide in (False, True):
        assert kernels.product_less(np.int64(c), one, np.int64(a), np.int64(b), wide)
        assert not kernels.product_less(np.int64(a), np.int64(b), np.int64(c), one, wide)
        assert not kernels.product_less(np.int64(c + 1), one, np.int64(a), np.int64(b), wide)


@given(*[st.integers(0, NARROW)] * 4)
def test_product_less_narrow(a: int, b: int, c: int, d: int) -> None:
    numbers = [np.int64(v) for v in (a, b, c, d)]
    assert bool(kernels.product_less(*numbers, False)) == (a * b < c * d)


@pytest.mark.parametrize(("total", "wide"), [(NARROW, False), (NARROW, True), (WIDE, True), (2**60, True)])
def test_products_at_the_largest_totals(total: int, wide: bool) -> None:
    full, less = np.int64(total), np.int64(total - 1)
    assert kernels.product_less(full, less, full, full, wide)
    assert not kernels.product_less(full, full, full, full, wide)
    # (t - 1)(t + 1) < t * t, by one
    assert kernels.product_less(less, np.int64(total + 1), full, full, wide)


# --- the bucket map ----------------------------------------------------------------------------


def key_of(value: float) -> int:
    out = np.empty(1, np.uint64)
    kernels.float_keys(np.array([value]), False, out)
    return int(out[0])


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_float_keys_are_in_order(a: float, b: float) -> None:
    assert (key_of(a) < key_of(b)) == (a < b)
    assert (key_of(a) == key_of(b)) == (a == b)


@pytest.mark.parametrize("value", [0.0, 1.0, -1.0, 0.5, 1e300, -1e-310])
def test_neighbouring_floats_have_neighbouring_keys(value: float) -> None:
    assert key_of(np.nextafter(value, np.inf)) - key_of(value) == 1


unit_floats = st.floats(0, 1) | st.floats(0.4999999, 0.5000001) | st.floats(1 - 1e-12, 1)


@given(st.lists(unit_floats, min_size=1, max_size=20))
def test_folded_keys_are_in_order(values: list[float]) -> None:
    scores = np.array([*values, -np.inf, -1.0, 0.0, 0.5, 1.0])
    out = np.empty(scores.size, np.uint64)
    kernels.float_keys(scores, True, out)
    found, expected = np.unique(out, return_inverse=True)[1], np.unique(scores, return_inverse=True)[1]
    assert found.tolist() == expected.tolist()
    # Beyond 1, where the fold has no room, order is kept though not strictly.
    beyond = np.empty(3, np.uint64)
    kernels.float_keys(np.array([1.0, 1.5, np.inf]), True, beyond)
    assert np.all(beyond >= out.max())
    assert np.all(np.diff(beyond.astype(float)) >= 0)


# A tree by hand: values below 2, in [2, 4) in halves, and from 4 on.
TREE = (
    np.array([0.0, 0.0, 2.0, 4.0]),  # start: root, then its three children
    np.array([0.5, 1.0, 1.0, 1.0]),  # scale
    np.array([2.0, 0.0, 1.0, 0.0]),  # last
    np.array([~1, 0, 1, 3], np.int32),  # base: pieces 1 to 3; buckets 0, 1 and 2, 3
)
TREE_SCORES = [-np.inf, -3.0, 0.0, 1.9, 2.0, 2.5, 3.0, 3.9, 4.0, 1e308, np.inf]
TREE_BUCKETS = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 3]


def test_locate_walks_the_tree() -> None:
    out = np.empty(len(TREE_SCORES), np.int32)
    kernels.buckets_of(np.array(TREE_SCORES), TREE, out)
    assert out.tolist() == TREE_BUCKETS


numbers = st.floats(allow_nan=True) | st.integers(-3, 9).map(float)


@given(st.lists(numbers, min_size=1, max_size=20), st.floats(-5, 5), st.floats(0, 1e300), st.integers(1, 99))
def test_children_are_found_in_one_loop_as_one_by_one(
    keys: list[float], start: float, scale: float, cells: int
) -> None:
    out = np.empty(len(keys), np.int32)
    last = np.float64(cells - 1)
    kernels.children_of(np.array(keys), np.float64(start), np.float64(scale), last, out)
    with np.errstate(all="ignore"):
        child_of = getattr(kernels.child_of, "py_func", kernels.child_of)
        assert out.tolist() == [int(child_of(key, start, np.float64(scale), last)) for key in np.array(keys)]


def test_an_infinite_score_goes_last_where_the_scale_is_zero() -> None:
    tree = (np.array([0.0, 0.0]), np.array([0.0, 0.0]), np.array([0.0, 1.0]), np.array([~1, 0], np.int32))
    out = np.empty(3, np.int32)
    with np.errstate(invalid="ignore"):  # inf * 0 is meant; only plain Python warns
        kernels.buckets_of(np.array([-np.inf, 1e308, np.inf]), tree, out)
    assert out.tolist() == [0, 0, 1]


def test_locate_does_not_wrap_unsigned_keys() -> None:
    start, *others = TREE
    out = np.empty(4, np.int32)
    tree = (start.astype(np.uint64) + np.uint64(100), *others)
    kernels.buckets_of(np.array([0, 99, 103, 2**64 - 1], np.uint64), tree, out)
    assert out.tolist() == [0, 0, 2, 3]


@given(st.lists(st.tuples(st.sampled_from(TREE_SCORES), st.booleans()), max_size=40), st.integers(1, 300))
@tries(30)
def test_count_buckets(rows: list[tuple[float, bool]], times: int) -> None:
    scores = np.repeat([score for score, _ in rows], times if len(rows) < 5 else 1)
    positive = np.repeat(np.array([label for _, label in rows], np.uint8), times if len(rows) < 5 else 1)
    low, total = np.zeros(8, np.uint8), np.zeros(8, np.int64)
    kernels.count_buckets(scores, positive, None, np.ones(2), TREE, low, total)
    pos, neg = np.zeros((2, 4), np.int64)
    kernels.fold_counts(low, total, 256, pos, neg)
    bucket = np.array([TREE_BUCKETS[TREE_SCORES.index(score)] for score in scores], int)
    for counted, label in ((pos, 1), (neg, 0)):
        assert counted[::-1].tolist() == np.bincount(bucket[positive == label], minlength=4).tolist()


def test_count_buckets_weighted() -> None:
    positive = np.arange(len(TREE_SCORES), dtype=np.uint8) % 2
    weights = np.arange(len(TREE_SCORES)) / 4
    units = np.array([4.0, 8.0])
    low, total = np.zeros(8, np.uint8), np.zeros(8, np.int64)
    kernels.count_buckets(np.array(TREE_SCORES), positive, weights, units, TREE, low, total)
    expected = np.zeros(8, np.int64)
    np.add.at(expected, 2 * np.array(TREE_BUCKETS) + positive, (weights * units[positive]).astype(np.int64))
    assert total.tolist() == expected.tolist()
    assert not low.any()


def test_weights_are_rounded_to_units() -> None:
    assert [kernels.in_units(w, 4.0) for w in (0.0, 0.25, 0.3, 0.125, 0.375)] == [0, 1, 1, 0, 2]


@given(st.lists(st.tuples(st.floats(0, 100), st.booleans()), max_size=20))
def test_class_weights(rows: list[tuple[float, bool]]) -> None:
    weights, positive = np.array([w for w, _ in rows]), np.array([p for _, p in rows], np.uint8)
    total, least, most, beyond = kernels.class_weights(weights, positive)
    for label in (0, 1):
        own = weights[positive == label]
        np.testing.assert_allclose(total[label], own.sum(), rtol=1e-14)
        assert least[label] == min(own[own > 0], default=np.inf)
        assert most[label] == max(own, default=0)
        assert (beyond[label] == 0) == (own == np.floor(own)).all()


@pytest.mark.parametrize(("weighted", "expected"), [(False, [-np.inf, 2.0, 4.0]), (True, [0.0, 2.5, np.inf])])
def test_lowest_scores(weighted: bool, expected: list[float]) -> None:
    """Of rows that weigh something: half a unit or more."""
    positive = np.arange(len(TREE_SCORES), dtype=np.uint8) % 2
    weights = np.array([0.12, 0.0, 1, 1, 0.12, 0.07, 1, 1, 0.1, 0.0, 0.13]) if weighted else None
    slots, units = np.array([0, 1, -1, 2], np.int32), np.array([4.0, 8.0])
    for part in (slice(None, None, -1), slice(None)):  # whatever comes first
        low, seen = np.full(3, np.inf), np.zeros(3, np.int8)
        columns = (np.array(TREE_SCORES)[part], np.array(TREE_SCORES)[part], positive[part])
        given = None if weights is None else weights[part]
        kernels.lowest_scores(*columns, given, units, TREE, slots, low, seen)
        assert low.tolist() == expected
        assert seen.tolist() == [1, 1, 1]


@pytest.mark.parametrize("shift", [0, 1, 2])
def test_parts(shift: int) -> None:
    scores = np.array(TREE_SCORES[::-1])
    positive = np.arange(scores.size, dtype=np.uint8) % 2
    part = (np.array(TREE_BUCKETS[::-1]) >> shift) * 2 + positive
    counts = np.zeros(8, np.int64)
    kernels.count_parts(scores, positive, TREE, shift, counts)
    assert counts.tolist() == np.bincount(part, minlength=8).tolist()
    out = np.full(scores.size, np.nan)
    kernels.scatter_parts(scores, scores, positive, TREE, shift, np.cumsum(counts) - counts, out)
    assert out.tolist() == scores[np.argsort(part, kind="stable")].tolist()


# --- ordered groups ----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", TYPES)
@given(positive=small_scores, negative=small_scores, seed=st.integers(0, 99))
@tries(40)
def test_merge_classes(dtype: Any, positive: list[int], negative: list[int], seed: int) -> None:
    pos, neg = (np.sort(np.array(part, dtype)) for part in (positive, negative))
    rows = [1] * pos.size + [0] * neg.size, np.concatenate([pos, neg])
    weights = np.random.default_rng(seed).integers(1, 2**40, len(rows[0]))
    for units in (None, weights):
        masses = (None, None) if units is None else (units[: pos.size], units[pos.size :])
        groups = np.empty(len(rows[0]), dtype), *np.empty((2, len(rows[0])), np.int64)
        size = kernels.merge_classes(pos, neg, *masses, *groups)
        found = list(zip(*(column[:size].tolist() for column in groups), strict=True))
        assert found == groups_of(*rows, units)


@given(small_scores, small_scores)
def test_merge_groups(first: list[int], second: list[int]) -> None:
    parts = []
    for scores in (first, second):
        score = np.sort(np.array(scores, float))[::-1].copy()  # with repeats
        parts += [score, np.arange(score.size) + 1, np.arange(score.size) % 3]
    found = kernels.merge_groups(*parts)
    mass: dict[float, list[int]] = {}
    for score, pos, neg in [*zip(*parts[:3], strict=True), *zip(*parts[3:], strict=True)]:
        row = mass.setdefault(score, [0, 0])
        row[0] += int(pos)
        row[1] += int(neg)
    expected = [(score, *mass[score]) for score in sorted(mass, reverse=True)]
    assert list(zip(*(column.tolist() for column in found), strict=True)) == expected


# --- the hull ----------------------------------------------------------------------------------

counts = st.integers(0, 4) | st.integers(0, 2**56)
tables = st.lists(st.tuples(counts, counts), min_size=1, max_size=10)


def corners(table: list[tuple[int, int]]) -> tuple[Array, Array]:
    pos, neg = (integers(column) for column in zip(*table, strict=True))
    return np.append(0, np.cumsum(neg)), np.append(0, np.cumsum(pos))


@given(tables)
def test_upper_hull_of_a_curve(table: list[tuple[int, int]]) -> None:
    x, y = corners([*table, (1, 0), (0, 1)])
    vertices = kernels.upper_hull(x, y, True)
    points = list(zip(x.tolist(), y.tolist(), strict=True))
    assert [points[v] for v in vertices] == hull_of(points)
    filled = [row for row in [*table, (1, 0), (0, 1)] if any(row)]
    blocks = [(p, q) for *_, p, q in pav(*zip(*filled, strict=True))]
    assert [(b[1] - a[1], b[0] - a[0]) for a, b in pairwise(points[v] for v in vertices)] == blocks


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12))
def test_upper_hull_of_points(points: list[tuple[int, int]]) -> None:
    points = [(0, 0), *sorted(points), (6, 6)]
    x, y = (integers(column) for column in zip(*points, strict=True))
    for wide in (False, True):
        assert [points[v] for v in kernels.upper_hull(x, y, wide)] == hull_of(points)


@pytest.mark.parametrize(("size", "wide"), [(NARROW, False), (WIDE, True), (2**59, True)])
@pytest.mark.parametrize("excess", [-1, 0, 1])
def test_one_example_in_billions_decides(size: int, wide: bool, excess: int) -> None:
    half = size // 2  # the middle point lies on the edge from corner to corner, or one count beside it
    x, y = integers([0, half, 2 * half]), integers([0, half + excess, 2 * half])
    assert len(kernels.upper_hull(x, y, wide)) == (3 if excess > 0 else 2)


def test_one_class_is_one_block() -> None:
    for table in ([(1, 0), (2, 0), (3, 0)], [(0, 1), (0, 2)], [(1, 0)]):
        assert kernels.upper_hull(*corners(table), False).tolist() == [0, len(table)]


@pytest.mark.parametrize("wide", [False, True])
@given(tables, st.lists(st.tuples(st.integers(0, 10), counts, counts), max_size=5))
def test_upper_hull_of_steps(
    wide: bool, table: list[tuple[int, int]], runs: list[tuple[int, int, int]]
) -> None:
    runs = [(min(end, len(table)), p, q) for end, p, q in sorted(runs)] + [(len(table), 5, 7)]
    pos, neg = (integers(column) for column in zip(*table, strict=True))
    columns = [integers(column) for column in zip(*runs, strict=True)]
    steps = [(0, 0, 0)]  # the path: negatives, positives, and whether it is a group
    for g in range(len(table) + 1):
        steps += [(q, p, 0) for end, p, q in runs if end == g]
        steps += [(q, p, 1) for p, q in table[g : g + 1]]
    path = np.cumsum(np.array(steps, np.int64), axis=0)
    wide = wide or needs_wide(*path[-1, :2])
    vertices = kernels.upper_hull(path[:, 0].copy(), path[:, 1].copy(), wide)
    x, y, groups = kernels.upper_hull_of_steps(pos, neg, *columns, wide)
    assert np.column_stack((x, y)).tolist() == path[vertices, :2].tolist()
    # Steps of nothing change no point: a vertex is that before them, or after.
    for v, passed in zip(vertices, groups, strict=True):
        same = np.flatnonzero((path[:, :2] == path[v, :2]).all(axis=1))
        assert passed in path[same, 2]


# --- areas and pairs ---------------------------------------------------------------------------


@given(tables)
def test_twice_area(table: list[tuple[int, int]]) -> None:
    expected, above = 0, 0
    for p, q in table:
        expected += q * (2 * above + p)
        above += p
    pos, neg = (integers(column) for column in zip(*table, strict=True))
    high, low, *sums = kernels.twice_area(pos, neg)
    assert sums == [pos.sum(), neg.sum()]
    assert (int(high) << 62) + int(low) == expected


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", [2, 3, 150])  # the largest has more pairs than are counted one by one
@pytest.mark.parametrize("values", [1, 5, 10**6])
@pytest.mark.parametrize("n_buckets", [1, 2000])
def test_count_pairs(dtype: Any, size: int, values: int, n_buckets: int) -> None:
    rng = np.random.default_rng(size + values)
    labels = np.sort(np.append([0, 1], rng.integers(0, 2, size - 2)))  # negatives first
    scores = rng.integers(0, values, size).astype(dtype)
    buckets = BucketMap.learn(scores if n_buckets > 1 else np.zeros(1, dtype), n_buckets)
    found = kernels.count_pairs(
        scores, buckets.keys(scores), int(np.sum(labels == 0)), buckets.pieces, 0, buckets.size
    )
    twice, possible = twice_pairs(labels, scores)
    assert found == twice - possible // 2


def test_count_pairs_of_a_part() -> None:
    scores = np.array(
        [3.9, 2.0, 2.5, 3.0, 3.95]
    )  # two negatives, three positives; buckets 1 and 2 of the tree
    assert kernels.count_pairs(scores, scores, 2, TREE, 1, 2) == 4 - 2


def test_a_learned_map_is_walked_like_the_one_by_hand() -> None:
    sample = np.random.default_rng(0).normal(size=200)
    buckets = BucketMap.learn(sample, 20)
    out = np.empty(200, np.int64)
    kernels.buckets_of(np.sort(sample), buckets.pieces, out)
    assert np.all(np.diff(out) >= 0)
    assert out[0] < out[-1] < buckets.size
