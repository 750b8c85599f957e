"""One queue of all segments, and capacities of single ones, against deciding at every vertex."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest

import rochull as rh
import segment_cases
from refusals import refuses
from rochull.conditions.rules import SegmentedRule

pytestmark = pytest.mark.filterwarnings("ignore:scores:UserWarning", "ignore:aux:UserWarning")
ROWS = segment_cases.rows(300, seed=3)
KEYS = ROWS["key"].to_numpy()


def drawn_policy(seed: int, fallback: bool = True) -> rh.segments.SegmentPolicy:
    names = np.random.default_rng(seed).choice([*segment_cases.AXES], 1 + seed % 2, replace=False).tolist()
    return segment_cases.policy(seed, names, [["a"], ["b"], ["a", "b"]][seed % 3], fallback=fallback)


def first_vertices(made: rh.segments.SegmentPolicy) -> np.ndarray:
    """The first vertex at which each case is called, asked one after the other."""
    found = np.full(len(ROWS), len(made.hull) - 1)
    for v in range(len(made.hull) - 1, 0, -1):
        point = rh.conditions.OperatingPoint(0.0, 0.0, ((made.hull.owners[v][0], 1.0),))
        found[made.decide(ROWS, point, aux=ROWS)] = v
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("order", ["score", "lot"])
def test_the_queue_is_the_order_of_the_vertices(seed: int, order: Any) -> None:
    made = drawn_policy(seed)
    vertex, segment = first_vertices(made), made.segment(ROWS)
    for k in (0, 1, 37, 150, 299, 300, 500):
        capacity = rh.Capacity(cases=k, prevalence=0.3)
        found = made.rank(ROWS, capacity, key=KEYS, order=order)
        called = made.decide(ROWS, capacity, key=KEYS, order=order)
        assert found.called.tolist() == called.tolist()
        assert (found.cases, found.prevalence) == (called.sum(), 0.3)
        line = np.argsort(found.rank)
        assert sorted(found.rank.tolist()) == list(range(1, 301))
        for group in (line[: called.sum()], line[called.sum() :]):
            assert (np.diff(vertex[group]) >= 0).all()
            if order == "score" and len(made.classifiers) == 1:
                for own in group_by(made, vertex[group], segment[group]):
                    scores = ROWS[made.classifiers[0]].cast(pl.Float64).fill_null(np.nan).to_numpy()
                    some = scores[group[own]]
                    some = some[~np.isnan(some)]
                    assert (some[1:] <= some[:-1]).all()
        slope = made.hull.slopes[vertex - 1]
        assert found.probability == pytest.approx(
            [1.0 if s == np.inf else 0.3 * s / (0.3 * s + 0.7) for s in slope]
        )


def group_by(
    made: rh.segments.SegmentPolicy, vertex: np.ndarray, segment: np.ndarray
) -> Iterator[np.ndarray]:
    """Places of cases of one vertex and segment, where a threshold tells them from others."""
    for v, s in {*zip(vertex.tolist(), segment.tolist(), strict=True)}:
        rules = [made.hull.owners[i][0] for i in (v - 1, v)]
        name = None if s < 0 else made.segments[s]
        own = [rule.of(name) if isinstance(rule, SegmentedRule) else rule for rule in rules]
        if any(rule.classifiers for rule in own):
            yield np.flatnonzero((vertex == v) & (segment == s))


@pytest.mark.parametrize("seed", range(4))
def test_each_segment_has_its_own_first_cases(seed: int) -> None:
    made, rng = drawn_policy(seed), np.random.default_rng(seed)
    names = [*made.segments, None]
    cases = {name: int(count) for name, count in zip(names, rng.integers(0, 60, len(names)), strict=True)}
    found = made.rank(ROWS, cases, key=KEYS, prevalence=0.2)
    assert made.decide(ROWS, cases, key=KEYS).tolist() == found.called.tolist()
    queue = made.rank(ROWS, rh.Capacity(cases=0, prevalence=0.2), key=KEYS).rank
    segment = made.segment(ROWS) % len(names)  # those elsewhere come last
    for s, name in enumerate(names):
        own = np.flatnonzero(segment == s)
        vertex = first_vertices(made)[own]
        called = found.called[own]
        assert called.sum() == min(cases[name], own.size)
        assert not called.any() or called.all() or vertex[called].max() <= vertex[~called].min()
        line = own[np.argsort(queue[own])]
        assert found.called[line].tolist() == [True] * called.sum() + [False] * (~called).sum()


def test_what_is_refused() -> None:
    made = next(made for made in map(drawn_policy, range(20)) if {-1, 0} <= {*made.segment(ROWS).tolist()})
    names = [*made.segments, None]
    cases = dict.fromkeys(names, 5)
    refuses("'nort' is not a segment of the policy", made.decide, ROWS, {**cases, "nort": 1})
    refuses("must be a number of cases, a whole one, but is -1", made.decide, ROWS, {**cases, names[0]: -1})
    refuses("a whole one, but is 2.5", made.decide, ROWS, {**cases, names[0]: 2.5})
    refuses("is not said", made.decide, ROWS, dict.fromkeys(names[1:], 5))
    refuses(
        "cases elsewhere .None. are called positive is not said",
        made.decide,
        ROWS,
        dict.fromkeys(names[:-1], 5),
    )
    refuses("are kept exactly, without", made.decide, ROWS, cases, deterministic=True)
    refuses("must be a Capacity of so many cases, or a mapping", made.rank, ROWS, rh.Accuracy(0.5))
    refuses("prevalence is that of the Capacity", made.rank, ROWS, rh.Capacity(cases=3), prevalence=0.2)
