"""Fewer classifiers: the cover against all subsets, and what is given up against dense grids."""

import itertools
import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import hybrid_cases
import rochull as rh
from hybrid_cases import Y
from profiles import some
from rochull.conditions.rules import ALWAYS, NEVER
from rochull.hybrid.restriction import cover

hybrid_of = partial(hybrid_cases.hybrid_of, count=4)


def owned(names: str) -> tuple[rh.conditions.Rule, ...]:
    return tuple(rh.conditions.Rule("threshold", name, 1.0) for name in names)


# --- set cover ------------------------------------------------------------------------------------------


def smallest(sets: list[set[str]], names: str) -> int:
    """The size of the smallest cover, by trying all."""
    for size in range(len(names) + 1):
        for chosen in itertools.combinations(names, size):
            if all(one & set(chosen) for one in sets if one):
                return size
    raise AssertionError


@given(st.lists(st.sets(st.sampled_from("abcdefg"), max_size=4), max_size=9), st.sets(st.sampled_from("abc")))
def test_cover_against_all_subsets(sets: list[set[str]], keep: set[str]) -> None:
    owners = [owned("".join(sorted(names))) or (NEVER,) for names in sets]
    chosen = cover(owners, sorted(keep), "abcdefg")
    assert all(one & set(chosen) for one in sets if one)
    assert keep <= set(chosen)
    assert chosen == sorted(chosen)
    least = smallest([one for one in sets if not one & keep], "abcdefg")
    extra = len(set(chosen) - keep)
    assert least <= extra <= math.ceil(least * (1 + math.log(max(1, len(sets)))))
    # Nobody is kept for nothing.
    for name in set(chosen) - keep:
        rest = set(chosen) - {name}
        assert any(one and not one & rest for one in sets)


def test_cover_is_usually_the_smallest() -> None:
    rng = np.random.default_rng(0)
    equal = 0
    for _ in range(200):
        sets = [{name for name in "abcdefg" if rng.random() < 0.3} for _ in range(8)]
        chosen = cover([owned("".join(sorted(s))) for s in sets], (), "abcdefg")
        equal += len(chosen) == smallest(sets, "abcdefg")
    assert equal > 180


def test_those_that_own_a_vertex_alone_come_first() -> None:
    sets = ["a", "ab", "bc", "bc"]
    assert cover([owned(names) for names in sets], (), "abc") == ["a", "b"]
    assert cover([owned(names) for names in sets], ("c",), "abc") == ["a", "c"]
    assert cover([(NEVER,), (ALWAYS,)], (), "abc") == []


def test_what_was_taken_first_may_become_superfluous() -> None:
    sets = ["bd", "ab", "ab", "ac", "ac", "ce"]
    assert cover([owned(names) for names in sets], (), "abcde") == ["b", "c"]


# --- restrict -------------------------------------------------------------------------------------------

RANGES = [
    None,
    rh.ExpectedCost(1, (1, 10), 0.3),
    rh.Accuracy((0.2, 0.7)),
    rh.Accuracy(0.4),
    rh.Accuracy(0.001),
    rh.NeymanPearson((0.05, 0.3)),
    rh.NeymanPearson(0),
    rh.MinimumRecall((0.1, 0.4)),
    rh.MinimumRecall(0),
    rh.Capacity(fraction=(0.1, 0.3), prevalence=0.4),
]


@pytest.mark.parametrize("condition", RANGES, ids=repr)
def test_nothing_is_lost_inside_the_range(condition: Any) -> None:
    for seed in some(range(8), 3):
        hybrid = hybrid_of(seed)
        kept = hybrid.restrict(condition)
        assert kept.loss_inside == 0
        assert set(kept.classifiers) <= set(hybrid.hulls)
        assert list(kept.hybrid.hulls) == list(kept.classifiers)
        assert kept.condition is condition
        if condition is None:
            assert kept.hull.fp.tolist() == hybrid.hull.fp.tolist()
            assert kept.hull.tp.tolist() == hybrid.hull.tp.tolist()
            assert kept.auc_loss == 0
            assert (kept.loss_outside.tpr, kept.loss_outside.cost) == (0, 0)
            continue
        for corner in condition.corners():
            one, other = kept.hybrid.at(corner), hybrid.at(corner)
            assert (one.fpr, one.tpr) == (other.fpr, other.tpr)
            assert kept.loss(corner) == 0
        if isinstance(condition, (rh.ExpectedCost, rh.NeymanPearson, rh.MinimumRecall)):
            assert kept.loss(condition) == 0


def test_what_is_kept_in_any_case() -> None:
    hybrid = hybrid_of(1)
    few = hybrid.restrict(rh.Accuracy(0.4)).classifiers
    other = next(name for name in hybrid.hulls if name not in few)
    assert other in hybrid.restrict(rh.Accuracy(0.4), keep=[other]).classifiers
    with pytest.raises(ValueError, match="keep: there is no classifier 'nobody'"):
        hybrid.restrict(keep=["nobody"])
    with pytest.raises(ValueError, match="keep must be a sequence of names, but is 'c0'"):
        hybrid.restrict(keep="c0")


def test_constant_rules_need_no_classifier() -> None:
    hybrid = hybrid_of(2)
    kept = hybrid.restrict(rh.ExpectedCost(1, (1e-6, 1e-5), 0.5))
    assert kept.classifiers in ((), *((name,) for name in hybrid.hulls))
    none = rh.Hybrid().add("useless", Y, np.zeros(Y.size)).restrict()
    assert none.classifiers == ()
    assert none.hybrid.at(rh.Accuracy(0.9)).rules[0][0].kind == "always"
    assert str(none).startswith("keeps 0 of 1 classifiers: none")
    assert none.hybrid.add("perfect", Y, Y).hull.classifiers == ("perfect",)


# --- what is given up -------------------------------------------------------------------------------------


def heights(hull: rh.RocHull, at: np.ndarray) -> np.ndarray:
    """Brute force: the best of all mixtures of two vertices at given false positive rates."""
    found = np.zeros(at.size)
    for i, j in itertools.combinations(range(len(hull)), 2):
        x0, x1, y0, y1 = hull.fpr[i], hull.fpr[j], hull.tpr[i], hull.tpr[j]
        inside = (at >= x0) & (at <= x1)
        t = (at - x0) / (x1 - x0) if x1 > x0 else np.ones(at.size)
        found = np.where(inside, np.maximum(found, y0 + t * (y1 - y0)), found)
    return found


def test_the_largest_gap() -> None:
    at = np.linspace(0, 1, 13 * 40 + 1)
    some = 0
    for seed in range(8):
        hybrid = hybrid_of(seed)
        for gone in hybrid.hull.classifiers:
            left = hybrid.without(gone)
            assert left.classifiers == tuple(name for name in hybrid.hulls if name != gone)
            assert (left.segment, left.loss_inside) == (None, 0)
            gaps = heights(hybrid.hull, at) - heights(left.hull, at)
            found = left.loss_outside
            assert found.tpr >= gaps.max() - 1e-12
            assert math.isclose(found.tpr, gaps.max(), abs_tol=0.02)
            exact = heights(hybrid.hull, np.array([found.fpr])) - heights(left.hull, np.array([found.fpr]))
            assert math.isclose(found.tpr, exact[0], abs_tol=1e-12)
            assert math.isclose(left.auc_loss, hybrid.hull.auc() - left.hull.auc(), abs_tol=1e-15)
            some += found.tpr > 0
    assert some > 5


def least(hull: rh.RocHull, w: Any, m: Any) -> np.ndarray:
    pairs = zip(hull.fpr, hull.tpr, strict=True)
    return np.min([w * x + m * (1 - y) for x, y in pairs], axis=0)


def test_the_largest_cost() -> None:
    p = np.linspace(0, 1, 20_001)
    for seed in some(range(8), 3):
        hybrid = hybrid_of(seed)
        left = hybrid.without(hybrid.hull.classifiers[:1])
        lost = least(left.hull, 1 - p, p) - least(hybrid.hull, 1 - p, p)
        found = left.loss_outside
        assert found.cost >= lost.max() - 1e-12
        assert math.isclose(found.cost, lost.max(), abs_tol=1e-4)
        m = 1 / (1 + found.slope)
        here = least(left.hull, 1 - m, m) - least(hybrid.hull, 1 - m, m)
        assert math.isclose(found.cost, float(here), abs_tol=1e-12)


COSTS = [
    rh.ExpectedCost(1, (1, 10), 0.3),
    rh.ExpectedCost((0.5, 3), (1, 2), 0.4),
    rh.ExpectedCost((0.5, 3), (1, 4), (0.1, 0.6)),
    rh.ExpectedCost(prevalence=(0, 1)),
    rh.ExpectedCost((0, 1), 1, 0.5),
    rh.ExpectedCost(1, (0, 1), 0.5),
    rh.Accuracy((0.2, 0.7)),
    rh.Accuracy(0.3),
]


@pytest.mark.parametrize("condition", COSTS, ids=repr)
def test_what_is_given_up_in_a_box(condition: rh.ExpectedCost) -> None:
    """It need not be largest at a corner of the box: a grid finds no more, and not much less."""
    inside = 0
    for seed in some(range(6), 2):
        hybrid = hybrid_of(seed)
        left = hybrid.without(hybrid.hull.classifiers[:2])
        axes = []
        for name in ("cost_fp", "cost_fn", "prevalence"):
            value = getattr(condition, name)
            axes.append(np.linspace(*value, 41) if isinstance(value, tuple) else np.array([value]))
        a, b, p = (axis.ravel() for axis in np.meshgrid(*axes))
        lost = least(left.hull, (1 - p) * a, p * b) - least(hybrid.hull, (1 - p) * a, p * b)
        found = left.loss(condition)
        assert found >= lost.max() - 1e-12
        assert math.isclose(found, lost.max(), rel_tol=0.05, abs_tol=2e-3)
        inside += found > max(left.loss(corner) for corner in condition.corners()) + 1e-9
    assert inside or "prevalence" not in condition.question.spread


def test_what_is_given_up_under_limits() -> None:
    for seed in some(range(6), 2):
        hybrid = hybrid_of(seed)
        left = hybrid.without(hybrid.hull.classifiers[0])
        for make, box in ((rh.NeymanPearson, (0.05, 0.4)), (rh.MinimumRecall, (0.3, 0.9))):
            grid = [left.loss(make(float(value))) for value in np.linspace(*box, 201)]
            found = left.loss(make(box))
            assert found >= max(grid) - 1e-12
            assert math.isclose(found, max(grid), abs_tol=0.02)
        with pytest.raises(rh.ImpreciseConditionError, match="condition must be precise"):
            left.loss(rh.Capacity(fraction=(0.1, 0.2), prevalence=0.3))
    hybrid = rh.Hybrid().add("useless", Y, np.zeros(Y.size)).add("perfect", Y, Y)
    assert hybrid.without("perfect").loss(rh.MinimumPrecision(0.9, 0.1)) == math.inf
    assert hybrid.without("useless").loss(rh.MinimumPrecision(0.9, 0.1)) == 0


def test_what_is_given_up_where_costs_have_no_bound() -> None:
    for seed in some(range(6), 2):
        hybrid = hybrid_of(seed)
        left = hybrid.without(hybrid.hull.classifiers[:2])
        for condition, wide in [
            (rh.ExpectedCost(1, stats.lognorm(1), 0.3), rh.ExpectedCost(1, (0, 1e7), 0.3)),
            (rh.ExpectedCost(stats.lognorm(1), 1, 0.3), rh.ExpectedCost((0, 1e7), 1, 0.3)),
            (rh.ExpectedCost(1, stats.lognorm(1), (0.2, 0.6)), rh.ExpectedCost(1, (0, 1e7), (0.2, 0.6))),
        ]:
            assert math.isclose(left.loss(condition), left.loss(wide), rel_tol=1e-6, abs_tol=1e-9)
        both = left.loss(rh.ExpectedCost(stats.lognorm(1), stats.lognorm(1), 0.3))
        assert both == (math.inf if left.loss_outside.cost > 0 else 0)


def test_names_that_are_refused() -> None:
    hybrid = hybrid_of(0)
    assert hybrid.without(["c0", "c1"]).classifiers == ("c2", "c3")
    for bad, message in ((["nobody"], "names: there is no classifier 'nobody'"), (list(hybrid.hulls), "all")):
        with pytest.raises(ValueError, match=message):
            hybrid.without(bad)


def test_it_is_readable() -> None:
    hybrid = hybrid_of(0)
    for found in (
        hybrid.restrict(),
        hybrid.restrict(rh.Accuracy(0.3)),
        hybrid.without("c0"),
        hybrid.without("c1"),
    ):
        text = str(found)
        assert max(map(len, text.splitlines())) <= 80
        assert "in-sample" in text
        assert text.startswith(f"keeps {len(found.classifiers)} of 4 classifiers: ")
        assert ("nothing is lost (in-sample)" in text) == (found.loss_outside.tpr == 0)


def test_nobody_is_changed() -> None:
    hybrid = hybrid_of(0)
    before = hybrid.hull, list(hybrid.hulls), list(hybrid.curves), dict(hybrid.auc)
    kept = hybrid.without("c0").hybrid
    kept.add("more", Y, Y)
    assert before == (hybrid.hull, list(hybrid.hulls), list(hybrid.curves), dict(hybrid.auc))
    with pytest.raises(ValueError, match="same order"):
        kept.add("other", 1 - Y, Y)
    assert kept.prevalence == 11 / 24
