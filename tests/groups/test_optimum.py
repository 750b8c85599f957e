"""Points of groups under constraints, against a linear programme over mixtures of all thresholds."""

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linprog

import rochull as rh
from profiles import tries
from rochull.groups import rates as group_points
from rochull.groups.linear_program import GroupHull, Point, nearest
from rochull.groups.optimum import CONSTRAINTS, constrained_rates, mixture, optimal_points

Data = dict[str, tuple[list[int], list[int]]]
PARTIAL = CONSTRAINTS[1:]
ZERO, ONE = Fraction(0), Fraction(1)
conditions = st.builds(
    lambda fp, fn, p: rh.ExpectedCost(cost_fp=fp, cost_fn=fn, prevalence=p),
    st.sampled_from([0, 0.5, 1, 3]),
    st.sampled_from([1, 2, 5]),
    st.sampled_from([0.1, 0.25, 0.5, 0.9]),
) | st.sampled_from([
    rh.ExpectedCost(cost_fn=0, prevalence=0.3),
    rh.ExpectedCost(prevalence=0),
    rh.ExpectedCost(prevalence=1),
])  # fmt: skip
tolerances = st.sampled_from([0.0, 0.01, 0.125, 0.2, 0.3333, 0.75, 1.0])


@st.composite
def populations(draw: st.DrawFn, most: int = 12, groups: int = 4) -> Data:
    """Labels and scores of one to four groups, each of both classes, with ties; some worse than chance."""
    found = {}
    for name in "abcd"[: draw(st.integers(1, groups))]:
        n = draw(st.integers(2, most))
        labels = [1, 0] + [draw(st.integers(0, 1)) for _ in range(n - 2)]
        found[name] = labels, [draw(st.integers(0, 9)) for _ in range(n)]
    return found


def groups_of(data: Data, condition: rh.ExpectedCost) -> list[GroupHull]:
    hulls = {name: rh.roc_hull(y, s) for name, (y, s) in data.items()}
    return group_points.groups(hulls, condition)  # type: ignore[arg-type]


def cheapest_mixtures(data: Data, condition: rh.ExpectedCost, constraint: str, tolerance: float) -> float:
    """The least cost of any mixtures of all thresholds, of "never" and of "always", in every group.

    One variable for each rule's probability in each group; the rates of two groups are compared pair by
    pair, and the population is reweighted case by case.
    """
    prevalence = float(condition.prevalence)  # type: ignore[arg-type]
    all_pos = sum(sum(y) for y, _ in data.values())
    all_neg = sum(len(y) for y, _ in data.values()) - all_pos
    costs: list[float] = []
    rates: dict[str, list[list[float]]] = {"fpr": [], "tpr": [], "selected": []}
    owner: list[int] = []
    constant = 0.0
    for g, (labels, scores) in enumerate(data.values()):
        y, s = np.array(labels), np.array(scores)
        weight = np.where(y == 1, prevalence / all_pos, (1 - prevalence) / all_neg)
        constant += float(condition.cost_fn) * float(weight[y == 1].sum())  # type: ignore[arg-type]
        for threshold in [99, *sorted(set(scores))]:
            called = s >= threshold
            fp, tp = weight[called & (y == 0)].sum(), weight[called & (y == 1)].sum()
            costs.append(float(condition.cost_fp) * fp - float(condition.cost_fn) * tp)  # type: ignore[arg-type]
            rates["fpr"].append([g, np.mean(called[y == 0])])
            rates["tpr"].append([g, np.mean(called[y == 1])])
            rates["selected"].append([g, weight[called].sum() / weight.sum()])
            owner.append(g)
    of = np.array(owner)
    named = {
        "none": [], "demographic_parity": ["selected"], "equal_tpr": ["tpr"], "equal_fpr": ["fpr"],
        "equalised_odds": ["fpr", "tpr"],
    }  # fmt: skip
    above, most = [np.zeros(of.size)], [0.0]
    for rate, (g, h) in itertools.product(named[constraint], itertools.permutations(range(len(data)), 2)):
        value = np.array([v for _, v in rates[rate]])
        above.append(np.where(of == g, value, 0) - np.where(of == h, value, 0))
        most.append(tolerance)
    sums = np.array([of == g for g in range(len(data))], float)
    found = linprog(costs, np.array(above), most, sums, np.ones(len(data)), method="highs")
    assert found.status == 0
    return constant + float(found.fun)


def merits(groups: Sequence[GroupHull], points: Sequence[Point]) -> tuple[Fraction, Fraction, Fraction]:
    """Cost, population's fpr, minus its tpr: what is minimised, one after the other."""
    fpr = sum((g.neg_share * x for g, (x, _) in zip(groups, points, strict=True)), ZERO)
    tpr = sum((g.pos_share * y for g, (_, y) in zip(groups, points, strict=True)), ZERO)
    return group_points.cost(groups, points), fpr, -tpr


def assert_within(
    groups: Sequence[GroupHull], points: Sequence[Point], constraint: str, most: Fraction
) -> None:
    """Exactly: the constraint, and every point between its hull and the diagonal."""
    for rates in constrained_rates(groups, constraint):
        assert group_points.difference(rates, points) <= most
    for group, (x, y) in zip(groups, points, strict=True):
        assert ZERO <= x <= y <= ONE
        for (x0, y0), (x1, y1) in itertools.pairwise(group.vertices):
            assert (y - y0) * (x1 - x0) <= (x - x0) * (y1 - y0)


@given(populations(), conditions, st.sampled_from(CONSTRAINTS), tolerances)
@tries(250)
def test_no_mixture_of_thresholds_is_cheaper(
    data: Data, condition: rh.ExpectedCost, constraint: str, tolerance: float
) -> None:
    groups = groups_of(data, condition)
    tolerance = 1.0 if constraint == "none" else tolerance
    most = Fraction(repr(tolerance))
    points = optimal_points(groups, constraint, most)
    assert_within(groups, points, constraint, most)
    best = cheapest_mixtures(data, condition, constraint, tolerance)
    assert float(group_points.cost(groups, points)) == pytest.approx(best, abs=1e-7)


@given(populations(most=40), conditions, st.sampled_from(PARTIAL), tolerances)
@tries(250)
def test_the_paths_by_structure_are_the_linear_programme(
    data: Data, condition: rh.ExpectedCost, constraint: str, tolerance: float
) -> None:
    """Exactly, and in the ties too: cost, then false positive rate, then true positive rate."""
    groups, most = groups_of(data, condition), Fraction(repr(tolerance))
    points = optimal_points(groups, constraint, most)
    programme = nearest(groups, constrained_rates(groups, constraint), most)
    assert_within(groups, programme, constraint, most)
    assert merits(groups, points) == merits(groups, programme)


@pytest.mark.crossed
@pytest.mark.parametrize("constraint", PARTIAL)
@pytest.mark.parametrize("tolerance", [Fraction(0), Fraction(1, 50)])
def test_many_groups_with_many_vertices(constraint: str, tolerance: Fraction) -> None:
    """Against the float solution of the programme over the hulls' vertices."""
    rng = np.random.default_rng(7)
    hulls: dict[Any, rh.RocHull] = {}
    for g in range(7):
        y = rng.random(3000) < 0.1 + 0.1 * (g % 4)
        hulls[g] = rh.roc_hull(
            y, rng.normal(size=y.size) + y * (0.5 + 0.3 * g), sample_weight=rng.random(3000)
        )
    groups = group_points.groups(hulls, rh.ExpectedCost(cost_fn=3, prevalence=0.2))
    points = optimal_points(groups, constraint, tolerance)
    assert_within(groups, points, constraint, tolerance)
    rates = constrained_rates(groups, constraint)
    of = np.repeat(np.arange(7), [len(hull) for hull in hulls.values()])
    x, y = (np.concatenate([getattr(hull, axis) for hull in hulls.values()]) for axis in ("fpr", "tpr"))
    ends = of.size + np.arange(len(rates))
    n = of.size + len(rates)
    above, most = [], []
    for c, pairs in enumerate(rates):
        for g, (a, b) in enumerate(pairs):
            row = np.zeros(n)
            row[: of.size] = np.where(of == g, float(a) * x + float(b) * y, 0)
            row[ends[c]] = -1
            above += [row, -row]
            most += [float(tolerance), 0.0]
    sums = np.zeros((7, n))
    sums[of, np.arange(of.size)] = 1
    weight = np.array([[float(g.of_fpr), float(g.of_miss)] for g in groups])
    costs = np.append(weight[of, 0] * x - weight[of, 1] * y, np.zeros(len(rates)))
    found = linprog(costs, np.array(above), most, sums, np.ones(7), method="highs")
    best = found.fun + weight[:, 1].sum()
    assert float(group_points.cost(groups, points)) == pytest.approx(best, abs=1e-7)
    assert merits(groups, points) == merits(groups, nearest(groups, rates, tolerance))


@given(populations(groups=1, most=60), st.integers(0, 997), st.integers(0, 991))
@tries(200)
def test_mixtures_reach_any_point_exactly(data: Data, across: int, up: int) -> None:
    (group,) = groups_of(data, rh.Accuracy(0.5))
    x = Fraction(across, 997)
    j = group.edge(x)
    (x0, y0), (x1, y1) = group.vertices[j : j + 2]
    hull = y0 + (x - x0) / (x1 - x0) * (y1 - y0) if x1 > x0 else y1
    point = x, x + Fraction(up, 991) * (hull - x)
    found = mixture(group, point)
    shares = [share for _, share in found]
    assert sum(shares) == 1
    assert all(share > 0 for share in shares)
    for axis in (0, 1):
        assert sum(share * group.vertices[i][axis] for i, share in found) == point[axis]
    indices = [i for i, _ in found]
    assert indices == sorted(set(indices))
    constants = {0, len(group.vertices) - 1}
    inner = [i for i in indices if i not in constants]
    assert len(indices) <= 3
    assert len(inner) <= 2
    assert len(inner) < 2 or inner[1] == inner[0] + 1
    if point[1] == hull:
        assert len(indices) == 1 or indices == [j, j + 1]


@given(populations(groups=1, most=60), st.data())
def test_a_vertex_is_one_rule_and_an_edge_two(data: Data, draw: st.DataObject) -> None:
    (group,) = groups_of(data, rh.Accuracy(0.5))
    i = draw.draw(st.integers(0, len(group.vertices) - 1))
    assert mixture(group, group.vertices[i]) == ((i, 1),)
    assume(i)
    (x0, y0), (x1, y1) = group.vertices[i - 1 : i + 1]
    third = Fraction(1, 3)
    middle = x0 + third * (x1 - x0), y0 + third * (y1 - y0)
    assert mixture(group, middle) == ((i - 1, 1 - third), (i, third))


def test_the_least_hull_may_turn_between_vertices() -> None:
    """Two hulls that cross: the common point is where they do, on neither one's vertices."""
    one = rh.RocHull.from_rates([0.1], [0.5])
    other = rh.RocHull.from_rates([0.4], [0.9])
    neither = [
        GroupHull(hull.frontier, ONE / 2, ONE / 2, Fraction(1, 4), Fraction(1, 4), ONE / 2, ONE / 2)
        for hull in (one, other)
    ]
    points = optimal_points(neither, "equalised_odds", ZERO)
    x, y = points[0]
    assert points[0] == points[1]
    for group in neither:
        (x0, y0), (x1, y1) = group.vertices[group.edge(x) :][:2]
        assert (y - y0) * (x1 - x0) == (x - x0) * (y1 - y0)
    assert float(x) == pytest.approx(4 / 9 / (9 / 4 - 5 / 9), abs=1e-15)  # 4/9 + 5/9 x = 9/4 x
    assert x not in {v for group in neither for v, _ in group.vertices}


def test_a_hull_that_is_the_diagonal_leaves_only_constants() -> None:
    data = {"chance": ([1, 0, 1, 0], [1, 1, 1, 1]), "good": ([1, 1, 0, 0], [4, 3, 2, 1])}
    for cost_fn, corner in ((1, ZERO), (5, ONE)):
        groups = groups_of(data, rh.ExpectedCost(cost_fp=2, cost_fn=cost_fn, prevalence=0.5))
        assert optimal_points(groups, "equalised_odds", ZERO) == [(corner, corner)] * 2
        assert nearest(groups, constrained_rates(groups, "equalised_odds"), ZERO) == [(corner, corner)] * 2


def test_equal_costs_have_the_lower_false_positive_rate() -> None:
    """The hulls' upper edges are as steep as the lines of equal cost."""
    data = {"a": ([1, 1, 0, 0], [3, 1, 1, 0]), "b": ([1, 1, 0, 0], [3, 2, 2, 0])}
    groups = groups_of(data, rh.Accuracy(0.5))
    half = Fraction(1, 2)
    for constraint in CONSTRAINTS:
        assert optimal_points(groups, constraint, ZERO) == [(ZERO, half)] * 2


def test_fewer_rules_come_before_a_smaller_part_of_constants() -> None:
    """On the ray from (0, 0) to a vertex two rules do, though the other way needs fewer constants."""
    (group,) = groups_of({"a": ([1, 1, 1, 0, 1, 0, 0, 0], [9, 8, 8, 8, 7, 7, 7, 7])}, rh.Accuracy(0.5))
    assert group.vertices[1:3] == [(0, Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4))]
    part = Fraction(9, 10)
    point = part * Fraction(1, 4), part * Fraction(3, 4)
    assert mixture(group, point) == ((0, 1 - part), (2, part))


@pytest.mark.parametrize("constraint", PARTIAL)
def test_a_difference_that_occurs_is_a_tolerance_that_it_meets(constraint: str) -> None:
    """Of a double where it rounds to it, of a fraction exactly: the groups' own best rules cost nothing more."""
    below = 0
    for seed in range(12):
        rng, hulls = np.random.default_rng(seed), {}
        for name in "ab":
            y = rng.permutation(np.arange(int(rng.integers(7, 24))) % 3 == 0)
            hulls[name] = rh.roc_hull(y, np.round(rng.normal(size=y.size) + y, 1))
        condition = rh.ExpectedCost(1, 2.03, 0.5)  # no edge is level
        groups = group_points.groups(hulls, condition)  # type: ignore[arg-type]
        own = [group.vertices[group.best()] for group in groups]
        exactly = max(abs(Fraction(a * x + b * t) - Fraction(c * u + d * v))
            for (a, b), (c, d) in constrained_rates(groups, constraint)
            for (x, t), (u, v) in [own])  # fmt: skip
        if not exactly:
            continue
        below += Fraction(repr(float(exactly))) < exactly
        for tolerance in (float(exactly), exactly):
            rule = rh.constrain_groups(hulls, condition, constraint, tolerance=tolerance)  # type: ignore[arg-type]
            assert [len(point.rules) for point in rule.points.values()] == [1, 1]
            assert (rule.price, rule.violation) == (0, float(exactly))
        less = exactly - Fraction(1, 10**30)
        assert rh.constrain_groups(hulls, condition, constraint, tolerance=less).price > 0  # type: ignore[arg-type]
    assert below > 2
