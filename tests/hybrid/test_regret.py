"""Regret against brute force: grids over the box, dense mixtures along the hull, and plain integration."""

import dataclasses
import itertools
import math
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rochull as rh
from hybrid_cases import Y, grid, hybrid_of
from ids import stable
from profiles import some
from rochull.conditions.assurance import assured_points
from rochull.conditions.worst_case import CostRegret
from rochull.hybrid.mean_regret import sobol

# --- slow twins ---------------------------------------------------------------------------------------


def regrets(conditions: Any, hull: rh.RocHull, fpr: Any, tpr: Any) -> np.ndarray:
    """The largest regret of each pair of rates under precise costs."""
    w, m = np.array([list(map(float, c.weights)) for c in conditions]).T[:, :, None]
    least = (w * hull.fpr + m * (1 - hull.tpr)).min(axis=1, keepdims=True)
    return (w * np.atleast_1d(fpr) + m * (1 - np.atleast_1d(tpr)) - least).max(axis=0)


def mixtures(hull: rh.RocHull, parts: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Points on every edge, ends included."""
    at = np.linspace(0, len(hull) - 1, parts * (len(hull) - 1) + 1)
    whole = np.arange(len(hull))
    return np.interp(at, whole, hull.fpr), np.interp(at, whole, hull.tpr)


def mean_by_midpoints(condition: Any, hull: rh.RocHull, fpr: float, tpr: float, points: int) -> float:
    """The mean regret by the midpoint rule in the probabilities of every number."""
    u = (np.arange(points) + 0.5) / points
    given = [getattr(condition, name) for name in ("cost_fp", "cost_fn", "prevalence")]
    axes = [
        v.ppf(u) if hasattr(v, "ppf") else v[0] + (v[1] - v[0]) * u if isinstance(v, tuple) else np.array([v])
        for v in given
    ]
    a, b, p = np.meshgrid(*axes, indexing="ij")
    w, m = (1 - p) * a, p * b
    least = np.full(w.shape, np.inf)
    for x, y in zip(hull.fpr, hull.tpr, strict=True):
        least = np.minimum(least, w * x + m * (1 - y))
    return float((w * fpr + m * (1 - tpr) - least).mean())


# --- costs --------------------------------------------------------------------------------------------

BOXES = [
    rh.ExpectedCost(1, (1, 10), 0.3),
    rh.ExpectedCost((0.5, 3), 2, 0.4),
    rh.Accuracy((0.2, 0.7)),
    rh.ExpectedCost((0.5, 1.5), (1, 4), 0.4),
    rh.ExpectedCost((0.5, 1.5), (1, 2), (0.3, 0.6)),
    rh.ExpectedCost(prevalence=(0, 1)),
    rh.ExpectedCost((0, 1), 1, 0.5),
]


@pytest.mark.parametrize("condition", BOXES, ids=stable)
def test_worst_cases_are_those_of_a_grid(condition: rh.ExpectedCost) -> None:
    for seed in some(range(6), 2):
        hybrid = hybrid_of(seed)
        table, every = hybrid.regret(condition), grid(condition, 5)
        found = [table.least_worst, table.least_worst_single, table.least_mean, *table.rules]
        found += [*table.values(), *table.singles.values()]
        for regret in found:
            x, y = regret.point.fpr, regret.point.tpr
            assert math.isclose(regret.worst, regrets(every, hybrid.hull, x, y)[0], abs_tol=1e-12)
            assert math.isclose(regret.worst, regrets([regret.corner], hybrid.hull, x, y)[0], abs_tol=1e-12)
            assert regret.corner in condition.corners()
            assert regret.value == regret.worst
            assert 0 <= regret.mean <= regret.worst + 1e-12
            assert 0 <= regret.high <= regret.worst + 1e-12


@pytest.mark.parametrize("condition", BOXES, ids=stable)
def test_no_mixture_risks_less_than_the_minimax_rule(condition: rh.ExpectedCost) -> None:
    """Of the union hull, and of each classifier's own; and no vertex less than the best single rule."""
    strict = 0
    for seed in some(range(6), 2):
        hybrid = hybrid_of(seed)
        table, corners = hybrid.regret(condition), condition.corners()

        for hull, best, single in [
            (hybrid.hull, table.least_worst, table.least_worst_single),
            *((hybrid.hulls[n], table[n], table.singles[n]) for n in table),
        ]:
            assert best.worst <= regrets(corners, hybrid.hull, *mixtures(hull)).min() + 1e-12
            least = regrets(corners, hybrid.hull, hull.fpr, hull.tpr).min()
            assert best.worst <= single.worst <= least + 1e-12
            assert len(single.point.rules) == 1
            strict += best.worst < least - 1e-6
        assert table.minimax == table.least_worst.point
        assert table.minimax_regret == table.least_worst.worst
    assert strict or condition.cost_fp == (0, 1)


def test_a_minimax_rule_on_paper() -> None:
    """The point (1/4, 3/4), equal costs, prevalence from 0 to 1/2.

    A rule at share t of the way from "never" to the point has rates (t/4, 3t/4). At prevalence 0 it loses
    t/4; at 1/2 it costs (t/4 + 1 - 3t/4)/2 = 1/2 - t/4, and the best costs 1/4. Equal at t = 1/2: 1/8.
    """
    hybrid = rh.Hybrid().add_point("p", 0.25, 0.75)
    table = hybrid.regret(rh.Accuracy((0, 0.5)))
    assert table.minimax_regret == 1 / 8
    assert table.minimax.rules == (
        (rh.conditions.Rule("never"), 0.5),
        (rh.conditions.Rule("threshold", "p", 1.0), 0.5),
    )
    assert (table.least_worst_single.worst, table.least_worst_single.point.rules[0][0].kind) == (
        0.25,
        "never",
    )
    # Mean over prevalence p: the best costs p below 1/4 and 1/4 above it, 3/16 on average.
    assert [r.mean for r in table.rules[:2]] == [F(1, 4) - F(3, 16), F(1, 4) - F(3, 16)]
    assert (table.accuracy, table.distribution) == (0, "prevalence ~ uniform(0, 0.5)")


@pytest.mark.long
def test_single_thresholds_between_vertices_are_found_where_curves_are_held() -> None:
    """A point below the middle of an edge can risk less than both ends of the edge."""
    better = 0
    for seed in some(range(12), 3):
        with_curves, without = hybrid_of(seed, curve=True), hybrid_of(seed)
        for condition in BOXES:
            table = with_curves.regret(condition)
            best = min(
                regrets(condition.corners(), without.hull, curve.fpr, curve.tpr).min()
                for curve in with_curves.hull.curves.values()
            )
            assert math.isclose(table.least_worst_single.worst, best, abs_tol=1e-12)
            assert math.isclose(without.regret(condition).least_worst_single.worst, best, abs_tol=1e-12)
            hull = without.hull
            better += best < regrets(condition.corners(), hull, hull.fpr, hull.tpr).min() - 1e-9
            if table.least_worst_single.point.source == "curve":
                ((rule, _),) = table.least_worst_single.point.rules
                curve = with_curves.hull.curves[rule.classifier]
                at = int(np.flatnonzero(curve.score == rule.threshold)[0]) + 1
                assert table.least_worst_single.point.fpr == curve.fpr[at]
    assert better


MEANS = [
    (rh.ExpectedCost(1, (1, 10), 0.3), 4000, 1e-6),
    (rh.ExpectedCost((0.5, 3), 2, 0.4), 4000, 1e-6),
    (rh.Accuracy((0.2, 0.7)), 4000, 1e-6),
    (rh.ExpectedCost((0.5, 1.5), (1, 4), 0.4), 300, 1e-5),
    (rh.ExpectedCost((0.5, 1.5), (1, 4), (0.3, 0.6)), 60, 1e-4),
    (rh.ExpectedCost(1, stats.gamma(3), 0.3), 4000, 1e-3),
    (rh.ExpectedCost(1, 2, stats.beta(2, 5)), 4000, 1e-5),
    (rh.ExpectedCost(1, (1, 4), stats.beta(2, 5)), 900, 1e-4),
    (rh.ExpectedCost(stats.uniform(0.5, 1), stats.uniform(1, 3), 0.4), 300, 1e-5),
    (rh.ExpectedCost(stats.uniform(0.5, 1), stats.uniform(1, 3), stats.beta(3, 3)), 60, 1e-3),
]


@pytest.mark.parametrize(("condition", "points", "error"), MEANS, ids=stable)
def test_means_are_those_of_plain_integration(condition: Any, points: int, error: float) -> None:
    for seed in range(2):
        hybrid = hybrid_of(seed)
        table = hybrid.regret(condition)
        assert table.accuracy < 1e-4
        uniform = all(isinstance(getattr(condition, name), tuple) for name in condition.question.spread)
        assert (table.accuracy == 0) == (uniform and len(condition.question.spread) == 1)
        for regret in [*table.values(), *table.rules]:
            expected = mean_by_midpoints(condition, hybrid.hull, regret.point.fpr, regret.point.tpr, points)
            assert math.isclose(regret.mean, expected, abs_tol=error)
        best = min(regret.mean for regret in [*table.values(), *table.rules])
        assert table.least_mean.mean <= best + 1e-12


def test_uniform_intervals_and_uniform_distributions_are_alike() -> None:
    for seed in some(range(3), 1):
        hybrid = hybrid_of(seed)
        for pair in [
            (rh.ExpectedCost(1, (1, 4), 0.3), rh.ExpectedCost(1, stats.uniform(1, 3), 0.3)),
            (rh.ExpectedCost(1, (1, 4), (0.2, 0.6)), rh.ExpectedCost(1, stats.uniform(1, 3), (0.2, 0.6))),
        ]:
            one, other = map(hybrid.regret, pair)
            assert one.minimax == other.minimax
            for name in one:
                assert math.isclose(one[name].mean, other[name].mean, abs_tol=1e-5)
                assert math.isclose(one[name].high, other[name].high, abs_tol=1e-9)
                assert one[name].worst == other[name].worst


@pytest.mark.parametrize(
    ("cost_fp", "cost_fn", "prevalence"),
    [
        ((0, 1), 1, (0, 1)),
        ((0, 2), (0, 3), 0.3),
        ((0, 2), (0, 3), (0, 1)),
        (0, (0, 1), (0, 0.5)),
        ((0, 1), 1, 0),
    ],
)
def test_boxes_with_a_corner_free_of_cost(cost_fp: Any, cost_fn: Any, prevalence: Any) -> None:
    """An interval is a uniform distribution there too."""

    def spread(value: Any) -> Any:
        return stats.uniform(value[0], value[1] - value[0]) if isinstance(value, tuple) else value

    box = rh.ExpectedCost(cost_fp, cost_fn, prevalence)
    same = rh.ExpectedCost(spread(cost_fp), spread(cost_fn), spread(prevalence))
    for seed in some(range(3), 1):
        hybrid = hybrid_of(seed)
        one, other = hybrid.regret(box), hybrid.regret(same)
        assert one.minimax == other.minimax
        assert one.minimax_regret == other.minimax_regret
        for name in one:
            assert one[name].worst == other[name].worst
            assert math.isclose(one[name].mean, other[name].mean, abs_tol=2e-4)
        assert hybrid.potentially_optimal(box).points == hybrid.potentially_optimal(same).points
        assert hybrid.restrict(box).loss(box) == hybrid.restrict(same).loss(same) == 0
        assert hybrid.without("c0").loss(box) == hybrid.without("c0").loss(same)
        stakes = [[p.stake for p in hybrid.sensitivity(c).parameters] for c in (box, same)]
        assert stakes[0] == stakes[1]
        grid = [np.linspace(*v, 7) if isinstance(v, tuple) else [v] for v in (cost_fp, cost_fn, prevalence)]
        for a, b, p in itertools.product(*grid):
            fpr, tpr = hybrid.hull.fpr, hybrid.hull.tpr
            costs = (1 - p) * a * fpr + p * b * (1 - tpr)
            point = one.minimax
            lost = (1 - p) * a * point.fpr + p * b * (1 - point.tpr) - costs.min()
            assert lost <= one.minimax_regret + 1e-12


def test_high_is_the_quantile_of_simulated_regret() -> None:
    rng = np.random.default_rng(0)
    cost, share = stats.lognorm(0.7, scale=4), stats.beta(3, 9)
    condition = rh.ExpectedCost(1, cost, share)
    b, p = cost.rvs(100_000, random_state=rng), share.rvs(100_000, random_state=rng)
    for seed in some(range(3), 1):
        hybrid = hybrid_of(seed)
        hull = hybrid.hull
        for regret in hybrid.regret(condition).rules:
            values = (1 - p) * regret.point.fpr + p * b * (1 - regret.point.tpr)
            least = np.min(
                [(1 - p) * x + p * b * (1 - y) for x, y in zip(hull.fpr, hull.tpr, strict=True)], axis=0
            )
            assert math.isclose(regret.high, np.quantile(values - least, 0.95), rel_tol=0.05, abs_tol=1e-3)


def test_costs_without_bound() -> None:
    hybrid = hybrid_of(4)
    hull = hybrid.hull
    top = int(np.argmax(hull.tp == hull.n_pos))
    table = hybrid.regret(rh.ExpectedCost(cost_fn=stats.lognorm(1, scale=3), prevalence=0.3))
    assert (table.minimax.fpr, table.minimax.tpr) == (hull.fpr[top], 1)
    assert math.isclose(table.minimax_regret, 0.7 * hull.fpr[top])  # where a miss costs nothing
    for regret in table.rules:
        assert (regret.worst == math.inf) == (regret.point.tpr < 1)
        assert (regret.corner is None) == (regret.worst == math.inf)
        assert math.isfinite(regret.mean)
        assert math.isfinite(regret.high)
    other = hybrid.regret(rh.ExpectedCost(cost_fp=stats.lognorm(1, scale=3), prevalence=0.3))
    assert other.minimax.fpr == 0
    both = hybrid.regret(rh.ExpectedCost(stats.lognorm(1), stats.lognorm(1), 0.3))
    assert both.minimax is None
    assert both.minimax_regret == both["c0"].worst == math.inf
    assert math.isfinite(both.least_mean.mean)
    assert "none" in str(both)
    heavy = hybrid.regret(rh.ExpectedCost(cost_fn=stats.pareto(0.9), prevalence=0.3))
    assert heavy.least_mean.point.tpr == 1
    assert [r.mean == math.inf for r in heavy.rules] == [r.point.tpr < 1 for r in heavy.rules]
    neither = hybrid.regret(rh.ExpectedCost(stats.pareto(0.9), stats.pareto(0.9), 0.3))
    assert neither.least_mean.point is None
    perfect = rh.Hybrid().add("a", Y, Y).regret(rh.ExpectedCost(stats.lognorm(1), stats.lognorm(1), 0.3))
    assert (perfect.minimax_regret, perfect.minimax.tpr) == (0, 1)


class Triangular:
    """A distribution of somebody's own: no mean, only what is asked for."""

    def ppf(self, q: Any) -> Any:
        return 1 + 3 * np.sqrt(q)

    def support(self) -> tuple[float, float]:
        return 1.0, 4.0


def test_a_distribution_needs_ppf_and_support_only() -> None:
    hybrid = hybrid_of(5)
    condition = rh.ExpectedCost(1, Triangular(), 0.4)
    same = rh.ExpectedCost(1, stats.powerlaw(2, loc=1, scale=3), 0.4)
    one, other = hybrid.regret(condition), hybrid.regret(same)
    assert condition != same
    for name in one:
        assert math.isclose(one[name].mean, other[name].mean, abs_tol=1e-6)
        assert one[name].worst == other[name].worst

    class NoMean(Triangular):
        def mean(self) -> float:
            return math.nan

    with pytest.raises(ValueError, match="has no mean"):
        hybrid.regret(rh.ExpectedCost(1, NoMean(), 0.4))


number = st.decimals(0, 5, places=2).map(float)
rate = st.decimals(0, 1, places=2).map(float)


def ends(values: Any) -> Any:
    return st.tuples(values, values).map(lambda pair: tuple(sorted(pair)))


@given(st.integers(0, 10**6), ends(number), ends(number), ends(rate))
def test_minimax_is_a_saddle(seed: int, cost_fp: Any, cost_fn: Any, prevalence: Any) -> None:
    """It is the exact minimum over every edge of the largest of the corners' lines."""
    try:
        condition = rh.ExpectedCost(cost_fp, cost_fn, prevalence)
    except ValueError:
        return
    rng = np.random.default_rng(seed)
    hull = rh.roc_hull(Y, np.round(rng.normal(size=Y.size) + 1.5 * Y, 1))
    frontier = hull.frontier
    costs = CostRegret(condition, frontier)
    choice = costs.minimax(frontier)
    assert choice is not None
    points = frontier.points()
    x, y = choice.exact_rates(frontier)
    corners = [c.weights for c in condition.corners()]
    least = [min(w * x + m * (1 - y) for x, y in points) for w, m in corners]

    def worst(x: F, y: F) -> F:
        return max(w * x + m * (1 - y) - v for (w, m), v in zip(corners, least, strict=True))

    found = worst(x, y)
    assert costs.worst(x, y).value == float(found)
    # Every place on every edge where two of the lines cross, and every vertex, exactly.
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        lines = [
            (w * x0 + m * (1 - y0) - v, w * (x1 - x0) - m * (y1 - y0))
            for (w, m), v in zip(corners, least, strict=True)
        ]
        crossings = [(c - a) / (b - d) for (a, b), (c, d) in itertools.combinations(lines, 2) if b != d]
        for t in [F(0), F(1), *(t for t in crossings if 0 <= t <= 1)]:
            assert found <= worst(x0 + t * (x1 - x0), y0 + t * (y1 - y0))
    single = costs.minimax_single(frontier, np.arange(len(frontier.fp)))
    assert single is not None
    assert single[1] == min(worst(*point) for point in points)


# --- constraints --------------------------------------------------------------------------------------

LIMITS: list[tuple[Any, Any]] = [
    (rh.NeymanPearson((0.05, 0.4)), lambda p: -p.tpr),
    (rh.MinimumRecall((0.3, 0.85)), lambda p: p.fpr),
    (rh.Capacity(fraction=(0.1, 0.5), prevalence=0.4), lambda p: -p.tpr),
    (rh.Capacity(fraction=(0.1, 0.5), prevalence=(0.3, 0.5)), lambda p: -p.tpr),
    (rh.Capacity(cases=(100, 300), population=1000, prevalence=0.4), lambda p: -p.tpr),
    (rh.Capacity(cases=(100, 300), population=(900, 1100), prevalence=(0.3, 0.5)), lambda p: -p.tpr),
    (rh.MinimumPrecision((0.3, 0.6), prevalence=0.5), lambda p: -p.tpr),
    (rh.MinimumPrecision((0.3, 0.5), prevalence=(0.4, 0.6)), lambda p: -p.tpr),
    (rh.Constrained(lambda x, y: y - x, a=(0.1, 0.4), b=1, c=0.3), lambda p: p.fpr - p.tpr),
]


@pytest.mark.parametrize(("condition", "lost"), LIMITS, ids=stable)
def test_limits_against_a_grid(condition: Any, lost: Any) -> None:
    """Regret is a shortfall; a rule that breaks the limit somewhere loses without end."""
    for seed in some(range(3), 1):
        hybrid = hybrid_of(seed)
        table = hybrid.regret(condition)
        every = grid(condition, 21 if len(condition.question.spread) == 1 else 5)
        best = [lost(hybrid.at(c)) for c in every]
        tight, loose = condition.question.ends()
        assert lost(hybrid.at(tight)) == max(best)
        assert lost(hybrid.at(loose)) == min(best)
        for regret in [table.least_worst, table.least_worst_single, *table.rules, *table.values()]:
            x, y = F(regret.point.fpr), F(regret.point.tpr)
            if regret.worst == math.inf:
                assert any(not c.question.is_met(x, y) for c in every)
                assert (regret.mean, regret.high) == (math.inf, math.inf)
                continue
            expected = [lost(regret.point) - here for here in best]
            assert math.isclose(regret.worst, max(expected), abs_tol=1e-9)
            assert min(expected) - 1e-9 <= regret.mean <= regret.worst + 1e-12
            assert regret.mean <= regret.high + 0.05
        assert table.minimax == hybrid.at(tight)
        assert table.least_worst_single.point == hybrid.at(tight, deterministic=True)
        for name, hull in hybrid.hulls.items():
            assert table[name].point == hull.at(tight)
            assert table[name].worst >= table.minimax_regret - 1e-12


@pytest.mark.parametrize(("condition", "lost"), LIMITS[:7], ids=stable)
def test_mean_shortfall(condition: Any, lost: Any) -> None:
    hybrid = hybrid_of(1)
    table = hybrid.regret(condition)
    names = [*condition.question.spread]
    points = {1: 2000, 2: 40, 3: 14}[len(names)]
    u = (np.arange(points) + 0.5) / points
    box = condition.question.box.values()
    axes = [(low + (high - low) * u).tolist() for low, high in box]
    best = [
        lost(hybrid.at(condition.with_numbers(**dict(zip(names, v, strict=True)))))
        for v in itertools.product(*axes)
    ]
    expected = lost(table.minimax) - np.mean(best)
    linear = names in (("max_fpr",), ("min_tpr",), ("fraction",), ("cases",))
    assert table.accuracy == 0 if linear else table.accuracy < 1e-2
    assert math.isclose(table.least_worst.mean, expected, abs_tol=1e-5 if linear else 1e-3)
    assert math.isclose(table.least_worst.high, lost(table.minimax) - np.quantile(best, 0.05), abs_tol=0.02)


def test_limits_that_somebody_cannot_meet() -> None:
    hybrid = rh.Hybrid().add("useless", Y, np.zeros(Y.size))
    condition = rh.MinimumPrecision((0.8, 0.9), 0.1)
    with pytest.raises(rh.InfeasibleConditionError):
        hybrid.regret(condition)
    table = hybrid.add("perfect", Y, Y).regret(condition)
    assert (table["useless"].point, table["useless"].worst, table["useless"].mean) == (
        None,
        math.inf,
        math.inf,
    )
    assert table.singles["useless"].point is None
    assert (table["perfect"].worst, table.minimax_regret) == (0, 0)


def test_an_imprecise_limit_with_confidence() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 300)
    hybrid = rh.Hybrid().add("a", y, rng.normal(size=y.size) + y)
    condition = rh.NeymanPearson((0.1, 0.3), confidence=0.9)
    table = hybrid.regret(condition)
    tight, loose = (hybrid.at(rh.NeymanPearson(limit, confidence=0.9)) for limit in (0.1, 0.3))
    assert (table.minimax, table.rules) == (tight, ())
    assert math.isclose(table["a"].worst, loose.tpr - tight.tpr)
    assert 0 < table["a"].mean < table["a"].worst


# --- the table ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("condition", [*BOXES, *(c for c, _ in LIMITS), rh.Accuracy(0.3)], ids=stable)
def test_the_table_fits_a_terminal(condition: Any) -> None:
    table = hybrid_of(3).regret(condition)
    assert max(map(len, str(table).splitlines())) <= 80
    assert "in-sample" in str(table)
    assert ("mean over" in str(table)) == bool(condition.question.spread)


def test_it_is_a_mapping() -> None:
    table = hybrid_of(3).regret(rh.Accuracy((0.2, 0.4)))
    assert list(table) == ["c0", "c1", "c2"]
    assert (len(table), "c1" in table, table.get("nobody")) == (3, True, None)
    assert dict(table) == table.alone
    assert table.measure == "expected cost per case"


def test_the_vertices_are_those_of_the_segment_and_beside_it() -> None:
    for seed in some(range(5), 2):
        hybrid = hybrid_of(seed)
        hull = hybrid.hull
        for condition in BOXES:
            segment = hybrid.potentially_optimal(condition)
            rules = hybrid.regret(condition).rules
            span = range(max(0, segment.first - 1), min(len(hull), segment.last + 2))
            assert [(r.point.fpr, r.point.tpr) for r in rules] == [(hull.fpr[i], hull.tpr[i]) for i in span]


def test_points_that_quantiles_are_read_from_fill_the_cube() -> None:
    assert sorted(sobol(1, 4).ravel().tolist()) == [0.125, 0.375, 0.625, 0.875]
    assert sobol(0, 4).shape == (0, 4)
    for dimensions in (1, 2, 3):
        points = sobol(dimensions, 4096)
        assert points.shape == (dimensions, 4096)
        cells = np.ravel_multi_index((points * 8).astype(int), (8,) * dimensions)
        assert set(np.bincount(cells, minlength=8**dimensions)) == {4096 / 8**dimensions}
        # They are those of scipy, which starts at the corners of the cells and takes another order.
        theirs = stats.qmc.Sobol(dimensions, scramble=False).random(4096) + 0.5 / 4096
        assert set(map(tuple, points.T)) == set(map(tuple, theirs))


WIDE = [
    rh.NeymanPearson((0.02, 0.3)),
    rh.MinimumRecall((0.5, 0.97)),
    rh.Capacity(fraction=(0.05, 0.3), prevalence=(0.1, 0.5)),
    rh.Capacity(cases=(50, 300), population=(700, 1500), prevalence=(0.1, 0.6)),
    rh.MinimumPrecision((0.3, 0.7), prevalence=(0.3, 0.6)),
    rh.ExpectedCost((1, 3), (2, 20), (0.05, 0.4)),
    rh.ExpectedCost(stats.lognorm(0.5), stats.lognorm(1, scale=5), stats.beta(2, 9)),
    rh.ExpectedCost(1, (2, 20), (0.05, 0.4)),
]


@pytest.mark.long
@pytest.mark.parametrize("condition", WIDE, ids=stable)
def test_high_is_exceeded_in_a_twentieth_of_the_cases(condition: Any) -> None:
    """To about 1/1000 of probability; two hundred thousand conditions tell it to 1/2000."""
    rng = np.random.default_rng(3)
    n = 200_000
    drawn = {
        name: stats.uniform(v[0], v[1] - v[0]).rvs(n, random_state=rng)
        if isinstance(v := getattr(condition, name), tuple)
        else v.given.rvs(n, random_state=rng)
        for name in condition.question.spread
    }
    for seed in range(2):
        hybrid = hybrid_of(seed)
        table = hybrid.regret(condition)
        values = {
            f.name: drawn.get(f.name, getattr(condition, f.name)) for f in dataclasses.fields(condition)
        }
        for regret in (*table.rules, table.least_worst):
            if not math.isfinite(regret.high) or regret.high < 1e-9:
                continue
            lost = lost_at(condition, values, regret.point, hybrid.hull)
            share = np.mean(lost > regret.high * (1 + 1e-9)), np.mean(lost >= regret.high * (1 - 1e-9))
            assert share[0] - 0.002 < 0.05 < share[1] + 0.002


def lost_at(condition: Any, values: dict[str, Any], point: Any, hull: rh.RocHull) -> np.ndarray:
    """What a point loses under many conditions (n,), edge by edge of the hull."""
    if isinstance(condition, rh.ExpectedCost):
        w, m = (1 - values["prevalence"]) * values["cost_fp"], values["prevalence"] * values["cost_fn"]
        least = np.min([w * x + m * (1 - y) for x, y in zip(hull.fpr, hull.tpr, strict=True)], axis=0)
        return np.asarray(w * point.fpr + m * (1 - point.tpr) - least)
    if isinstance(condition, rh.MinimumRecall):
        return point.fpr - np.interp(values["min_tpr"], hull.tpr, hull.fpr)
    best = np.zeros(200_000)
    for (x0, y0), (x1, y1) in itertools.pairwise(zip(hull.fpr, hull.tpr, strict=True)):
        if isinstance(condition, rh.MinimumPrecision):
            p, wanted = values["prevalence"], values["min_precision"]
            start, stop = (wanted * (p * y + (1 - p) * x) - p * y for x, y in ((x0, y0), (x1, y1)))
            limit = 0.0
        else:
            p = values.get("prevalence", 0.0)
            start, stop = (p * y + (1 - p) * x for x, y in ((x0, y0), (x1, y1)))
            limit = values.get("max_fpr", values.get("fraction"))
            limit = values["cases"] / values["population"] if limit is None else limit
        with np.errstate(divide="ignore", invalid="ignore"):
            part = np.where(stop <= limit, 1.0, (limit - start) / (stop - start))
        best = np.where(start <= limit, np.maximum(best, y0 + part * (y1 - y0)), best)
    return best - point.tpr


def test_thousands_of_classifiers_take_their_own_minimax_each() -> None:
    """The descent from floats ends in the exact minimum, from whatever vertex it starts."""
    condition = rh.ExpectedCost((0.5, 1.5), (1, 4), (0.2, 0.4))
    hybrid = hybrid_of(0, count=40)
    table = hybrid.regret(condition)
    frontier = hybrid.hull.frontier
    costs = CostRegret(condition, frontier)
    for name, hull in hybrid.hulls.items():
        values = [costs.worst(*hull.frontier.point(i)).value for i in range(len(hull))]
        curves = hybrid.hulls_with_curves[name].curves.values()
        between = [costs.worst(*point).value for curve in curves for point in curve.frontier.points()]
        assert table.singles[name].worst == min(values + between)


def test_raw_curves_where_costs_have_no_bound() -> None:
    for seed in some(range(4), 1):
        hybrid = hybrid_of(seed, curve=True)
        for condition, allowed in [
            (rh.ExpectedCost(1, stats.lognorm(1), (0.2, 0.4)), lambda p: p.tpr == 1),
            (rh.ExpectedCost(stats.lognorm(1), 1, (0.2, 0.4)), lambda p: p.fpr == 0),
        ]:
            table = hybrid.regret(condition)
            assert allowed(table.least_worst_single.point)
            assert table.least_worst_single.worst == table.minimax_regret
            for single in table.singles.values():
                assert single.point is None or allowed(single.point)
        both = hybrid.regret(rh.ExpectedCost(stats.lognorm(1), stats.lognorm(1), 0.3))
        assert both.least_worst_single.point is None


def test_singles_of_a_classifier_that_cannot_meet_a_limit_with_confidence() -> None:
    y = np.repeat([0, 1], 40)
    hybrid = rh.Hybrid().add("a", y, np.arange(80.0)).add("b", y, -np.arange(80.0))
    with pytest.raises(rh.InfeasibleConditionError, match="it takes at least"):
        hybrid.regret(rh.NeymanPearson((0.01, 0.3), confidence=0.95))


def assured_twin(hybrid: rh.Hybrid, limits: Any, confidence: float) -> list[tuple[str, float, float]]:
    """Every threshold of every classifier that keeps all limits with its part of the confidence."""
    each = 1 - (1 - confidence) / len(hybrid.hulls)
    found = []
    for name, curve in hybrid.curves.items():
        points = curve.frontier
        kept = assured_points(limits, points, each)
        found += [(name, float(points.fpr[i]), float(points.tpr[i])) for i in kept]
    return found


def scored(n: int = 400, seed: int = 0, classifiers: str = "abc") -> rh.Hybrid:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    hybrid = rh.Hybrid()
    for i, name in enumerate(classifiers):
        hybrid.add(name, y, np.round(rng.normal(size=n) + (1 + 0.2 * i) * y, 2), curve=True)
    return hybrid


@pytest.mark.parametrize(
    "limits",
    [
        [rh.FalsePositiveRate() <= 0.3],
        [rh.FalsePositiveRate() <= 0.4, rh.Recall() >= 0.3],
        [rh.Precision() >= 0.6],
        [rh.Precision(prevalence=0.1) >= 0.11],
    ],
    ids=str,
)
@pytest.mark.parametrize("costs", [rh.ExpectedCost((1, 2), (1, 9)), rh.ExpectedCost(1, 5)], ids=stable)
def test_regret_within_limits_with_confidence(costs: Any, limits: list[Any]) -> None:
    """All rules are single thresholds that are assured; regret is against the best of these."""
    hybrid = scored()
    condition = rh.Within(costs, limits, confidence=0.95)
    table = hybrid.regret(condition)
    costs = costs.at_prevalence(hybrid.prevalence)
    kept = assured_twin(hybrid, condition.question.at_prevalence(hybrid.hull.prevalence).limits, 0.95)
    corners = costs.corners() if costs.question.spread else [costs]
    bests = [min(corner.cost(x, y) for _, x, y in kept) for corner in corners]

    def worst(x: float, y: float) -> float:
        return max(corner.cost(x, y) - best for corner, best in zip(corners, bests, strict=True))

    least = min(worst(x, y) for _, x, y in kept)
    assert math.isclose(table.minimax_regret, least, abs_tol=1e-12)
    assert table.least_worst == table.least_worst_single
    assert table.rules == ()
    for row in (table.least_worst, table.least_mean):
        assert row.point is not None
        (rule, _), *others = row.point.rules
        assert others == []
        assert (rule.classifier, row.point.fpr, row.point.tpr) in kept
        assert math.isclose(row.worst, worst(row.point.fpr, row.point.tpr), abs_tol=1e-12)
        assert row.worst >= least - 1e-12
        assert row.mean >= table.least_mean.mean - 1e-12
    for name in hybrid.hulls:
        own = [worst(x, y) for whose, x, y in kept if whose == name]
        assert table[name] == table.singles[name]
        assert math.isclose(table[name].worst, min(own), abs_tol=1e-12) if own else table[name].point is None
    if not costs.question.spread:
        assert table.minimax_regret == 0
        assert table.minimax is not None
        assert costs.cost(table.minimax.fpr, table.minimax.tpr) == hybrid.at(condition).expected_cost(costs)
    else:
        assert hybrid.regret(rh.Within(costs, limits)).minimax != table.minimax


def test_regret_with_confidence_that_nothing_keeps() -> None:
    costs = rh.ExpectedCost(1, (1, 9), 0.3)
    hybrid = scored(80)
    with pytest.raises(rh.InfeasibleConditionError, match="for the best of 3 classifiers: it takes at least"):
        hybrid.regret(rh.Within(costs, [rh.FalsePositiveRate() <= 0.05], confidence=0.95))
    strict = [rh.FalsePositiveRate() <= 0.05, rh.Recall() >= 0.95]
    with pytest.raises(rh.InfeasibleConditionError, match="no threshold is assured to keep them"):
        scored().regret(rh.Within(costs, strict, confidence=0.95))
    hybrid.add_point("given", 0.1, 0.6)
    with pytest.raises(ValueError, match="'given' has only operating points"):
        hybrid.regret(rh.Within(costs, [rh.FalsePositiveRate() <= 0.4], confidence=0.95))


def test_a_range_within_limits_with_confidence_has_no_segment() -> None:
    condition = rh.Within(rh.ExpectedCost(1, (1, 9), 0.3), [rh.FalsePositiveRate() <= 0.3], confidence=0.9)
    with pytest.raises(ValueError, match=r"confidence=0\.9 needs the examples"):
        scored().potentially_optimal(condition)


@pytest.mark.long
def test_the_population_keeps_limits_of_least_regret_with_confidence() -> None:
    """Four useless classifiers and a limit: the population rate of >= t is 1 - t."""
    costs, rng = rh.ExpectedCost(1, (1, 9), (0.2, 0.4)), np.random.default_rng(1)
    broken = {None: 0, 0.9: 0}
    y = np.arange(300) % 2
    for _ in range(300):
        hybrid = rh.Hybrid()
        for name in "abcd":
            hybrid.add(name, y, np.where(y == 1, np.sqrt(rng.random(y.size)), rng.random(y.size)))
        for confidence in broken:
            table = hybrid.regret(rh.Within(costs, [rh.FalsePositiveRate() <= 0.3], confidence))
            rules = [table.least_worst_single, table.least_mean, *table.singles.values()]
            lowest = min(rule.threshold for row in rules if row.point for rule, _ in row.point.rules)
            broken[confidence] += 1 - lowest > 0.3
    assert broken[0.9] < 30
    assert broken[None] > 150


@pytest.mark.parametrize("seed", some(range(6), 2))
def test_regret_within_limits(seed: int) -> None:
    """Against the best point under every corner, and every mixture that keeps the limits, by a fine grid."""
    hybrid = hybrid_of(seed, 2)
    costs = rh.ExpectedCost((1, 3), (1, 9), (0.2, 0.4))
    limits = [rh.FalsePositiveRate() <= 0.4, rh.AlarmRate((0.2, 0.3)) <= 0.45, rh.Recall() >= 0.2]
    table = hybrid.regret(rh.Within(costs, limits))
    bests = [(c, hybrid.at(rh.Within(c, limits)).expected_cost(c)) for c in costs.corners()]

    def worst(fpr: float, tpr: float) -> float:
        return max(corner.cost(fpr, tpr) - best for corner, best in bests)

    rules = [table.least_worst, table.least_worst_single, table.least_mean, *table.alone.values()]
    for row in [row for row in rules if row.point is not None]:
        assert all(limit.is_met(F(row.point.fpr), F(row.point.tpr)) for limit in limits) or (
            row.point.source == "edge"  # rounded
        )
        assert row.worst == pytest.approx(worst(row.point.fpr, row.point.tpr), abs=1e-12)
    frontier = hybrid.hull.frontier
    for i in range(len(frontier.fp) - 1):
        for share in np.linspace(0, 1, 21):
            x, y = ((1 - share) * rate[i] + share * rate[i + 1] for rate in (frontier.fpr, frontier.tpr))
            if all(limit.is_met(F(x), F(y)) for limit in limits):
                assert worst(x, y) >= table.minimax_regret - 1e-12
    rng = np.random.default_rng(seed)
    draws = [rh.ExpectedCost(*map(float, row)) for row in rng.uniform((1, 1, 0.2), (3, 9, 0.4), (300, 3))]
    kept = table.least_mean.point
    lost = [c.cost(kept.fpr, kept.tpr) - hybrid.at(rh.Within(c, limits)).expected_cost(c) for c in draws]
    assert min(lost) > -1e-12
    assert table.least_mean.mean == pytest.approx(np.mean(lost), abs=5 * np.std(lost) / np.sqrt(300) + 1e-9)
    assert np.mean(np.array(lost) <= table.least_mean.high + 1e-12) >= 0.9
    assert np.mean(np.array(lost) < table.least_mean.high - 1e-12) <= 0.99


@pytest.mark.parametrize("seed", some(range(6), 2))
def test_at_a_tie_to_rounding_the_best_points_are_those_of_at(seed: int) -> None:
    """A prevalence at which an edge has the slope of the lines, but for its last digit."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 60)
    hybrid = rh.Hybrid()
    for name in "ab":
        hybrid.add(name, y, np.round(rng.normal(y), 1))
    hull = hybrid.hull
    for run, rise in zip(np.diff(hull.fp) * hull.n_pos, np.diff(hull.tp) * hull.n_neg, strict=True):
        if run and rise:
            condition = rh.ExpectedCost(1, 1, float(run / (run + rise)))
            for name, regret in hybrid.regret(condition).items():
                best = hybrid.hulls[name].at(condition)
                assert regret.point is not None
                assert (regret.point.fpr, regret.point.tpr) == (best.fpr, best.tpr)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("curve", [False, True])
def test_the_best_single_rule_of_a_range_of_costs_is_of_all_thresholds(seed: int, curve: bool) -> None:
    """Also below the hull, and without `curve=True`: what a vertex loses at most can be more."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 60)
    scores = {name: np.round(rng.normal(size=60) + y, 1) for name in ("a", "b")[: 1 + seed % 2]}
    hybrid = rh.Hybrid()
    for name, score in scores.items():
        hybrid.add(name, y, score, curve=curve)
    costs = rh.ExpectedCost(1, (0.5, 4), 0.4)
    corners = [(each, hybrid.at(each).expected_cost(each)) for each in costs.corners()]
    curves = [rh.roc_curve(y, score) for score in scores.values()]
    points = [point for each in curves for point in zip(each.fpr, each.tpr, strict=True)]
    twin = min(max(each.cost(*point) - least for each, least in corners) for point in points)
    table = hybrid.regret(costs)
    assert table.least_worst_single.worst == pytest.approx(twin, abs=1e-12)
    assert len(table.least_worst_single.point.rules) == 1
    assert seed not in (0, 3) or table.least_worst_single.point.source == "curve"
    singles = [own.worst for own in table.singles.values()]
    assert min(singles) >= table.least_worst_single.worst - 1e-12
