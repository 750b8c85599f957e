"""Imprecise conditions against brute force: grids over the box, and every vertex in turn."""

import itertools
import math
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rochull as rh
from hybrid_cases import grid, hybrid_of
from ids import stable
from profiles import some

CONSTRAINTS = [
    rh.NeymanPearson((0.01, 0.05)),
    rh.NeymanPearson((0.1, 0.7)),
    rh.NeymanPearson(0.2),
    rh.MinimumRecall((0.2, 0.9)),
    rh.MinimumRecall((0.95, 1)),
    rh.Capacity(fraction=(0.05, 0.3), prevalence=(0.2, 0.4)),
    rh.Capacity(cases=(10, 200), population=(1000, 2000), prevalence=0.3),
    rh.MinimumPrecision((0.3, 0.5), prevalence=(0.3, 0.6)),
    rh.Constrained(lambda fpr, tpr: tpr - fpr, a=(0.1, 0.3), b=1, c=(0.2, 0.4)),
    rh.Utility(lambda fpr, tpr: tpr - fpr),
]


@pytest.mark.parametrize("condition", CONSTRAINTS, ids=stable)
def test_the_segment_of_a_constraint_holds_every_optimum_of_the_box(condition: Any) -> None:
    """The ends are needed at a corner, and every optimum of a grid is between them."""
    found = 0
    for seed in some(range(6), 2):
        hybrid = hybrid_of(seed)
        try:
            segment = hybrid.potentially_optimal(condition)
        except rh.InfeasibleConditionError:
            continue
        found += 1
        needed = [hybrid.at(c) for c in grid(condition, 4)]
        rules = {rule for owners in segment.owners for rule in owners}
        assert all(rule in rules for point in needed for rule, _ in point.rules)
        corners = {rule for c in condition.corners() for rule, _ in hybrid.at(c).rules}
        assert corners & set(segment.owners[0])
        assert corners & set(segment.owners[-1])
    assert found


def test_what_the_segment_tells() -> None:
    hybrid = hybrid_of(1)
    segment = hybrid.potentially_optimal(rh.Accuracy((0.2, 0.7)))
    hull = hybrid.hull
    span = slice(segment.first, segment.last + 1)
    assert segment.fpr == tuple(hull.fpr[span].tolist())
    assert segment.tpr == tuple(hull.tpr[span].tolist())
    assert segment.slopes == tuple(hull.slopes[segment.first : segment.last].tolist())
    assert [tuple(rules) for rules in segment.owners] == [
        tuple(hull.owners[i]) for i in range(len(hull))[span]
    ]
    names = segment.classifiers
    assert segment == names
    assert names == tuple(segment)
    assert hash(segment) == hash(names)
    assert segment == hybrid.potentially_optimal(rh.Accuracy((0.2, 0.7)))
    assert segment != hybrid.potentially_optimal(rh.Accuracy((0.2, 0.71)))
    assert segment != list(names)
    assert (len(segment), segment[0], names[0] in segment, "nobody" in segment) == (
        len(names),
        names[0],
        True,
        False,
    )
    assert str(segment).count("\n") == len(segment.points)
    assert "in-sample" in str(segment)


def test_costs_without_bound_do_not_reach_slope_zero() -> None:
    hybrid = hybrid_of(2)
    hull = hybrid.hull
    top = int(np.argmax(hull.tp == hull.n_pos))
    for cost in (stats.lognorm(1), stats.expon(), stats.gamma(2)):
        segment = hybrid.potentially_optimal(rh.ExpectedCost(cost_fn=cost, prevalence=0.3))
        assert (segment.first, segment.last) == (int(np.argmax(hull.fp > 0)) - 1, top)
    bounded = hybrid.potentially_optimal(rh.ExpectedCost(cost_fp=stats.uniform(0, 1), prevalence=0.3))
    assert bounded.last == len(hull) - 1  # cost_fp = 0 is reached, and "always" then ties
    assert (
        hybrid.potentially_optimal(rh.ExpectedCost(cost_fp=stats.lognorm(1), prevalence=0.5)).first
        == segment.first
    )


def test_confidence_has_no_segment() -> None:
    for use in ("potentially_optimal", "sensitivity", "restrict"):
        with pytest.raises(ValueError, match=r"confidence=0\.9 needs the examples"):
            getattr(hybrid_of(0), use)(rh.NeymanPearson((0.3, 0.4), confidence=0.9))


# --- sensitivity ----------------------------------------------------------------------------------------

COSTS = [
    rh.ExpectedCost(2, 3, 0.3),
    rh.ExpectedCost((1, 3), 3, (0.2, 0.6)),
    rh.ExpectedCost(0, 3, 0.3),
    rh.ExpectedCost(1, 2, 0),
    rh.ExpectedCost(1, 2, 1),
    rh.ExpectedCost(1, stats.lognorm(1, scale=2), stats.beta(2, 3)),
    rh.Accuracy((0.1, 0.9)),
    rh.Accuracy(0.4),
]
LIMITS = [
    rh.NeymanPearson(0.2),
    rh.NeymanPearson((0.05, 0.6)),
    rh.MinimumRecall(0.7),
    rh.MinimumRecall((0.1, 0.9)),
    rh.Capacity(fraction=0.2, prevalence=0.3),
    rh.Capacity(cases=(100, 500), population=1000, prevalence=(0.3, 0.5)),
    rh.MinimumPrecision(0.55, prevalence=0.45),
]


@pytest.mark.parametrize("condition", [*COSTS, *LIMITS], ids=repr)
def test_each_stretch_has_the_rules_that_are_best_in_it(condition: Any) -> None:
    """Along 41 values of every parameter: who is best, what is lost, and where the ends are."""
    for seed in some(range(4), 1):
        hybrid = hybrid_of(seed)
        try:
            found = hybrid.sensitivity(condition)
        except rh.InfeasibleConditionError:
            continue
        assert found.point == hybrid.at(found.base)
        for parameter in found.parameters:
            stretches = parameter.stretches
            assert parameter.value == getattr(found.base, parameter.name)
            assert stretches[0].low <= parameter.value <= stretches[-1].high
            for one, other in itertools.pairwise(stretches):
                assert one.high == other.low
                assert one.rules != other.rules
            assert parameter.breakpoints == tuple(s.low for s in stretches[1:])
            assert parameter.stake == max(max(s.regret) for s in stretches)
            for value in np.linspace(stretches[0].low, stretches[-1].high, 41)[1:-1]:
                stretch = next(s for s in stretches if s.low <= value <= s.high)
                if min(abs(value - stretch.low), abs(value - stretch.high)) < 1e-9:
                    continue
                precise = found.base.with_numbers(**{parameter.name: float(value)})
                try:
                    best = hybrid.at(precise)
                except rh.InfeasibleConditionError:
                    assert stretch.rules == ()
                    continue
                assert tuple(rule for rule, _ in best.rules) == stretch.rules
            for stretch in stretches:
                for value, regret in zip((stretch.low, stretch.high), stretch.regret, strict=True):
                    if isinstance(condition, rh.ExpectedCost):
                        precise = found.base.with_numbers(**{parameter.name: value})
                        least = min(map(precise.cost, hybrid.hull.fpr, hybrid.hull.tpr))
                        here = precise.cost(found.point.fpr, found.point.tpr)
                        assert math.isclose(regret, here - least, rel_tol=1e-9, abs_tol=1e-9)


def test_breakpoints_are_exact() -> None:
    """On paper: edges of slope 3 and 1/3, so equal costs change their rule at prevalence 1/4 and 3/4."""
    hybrid = rh.Hybrid().add_point("p", 0.25, 0.75)
    found = hybrid.sensitivity(rh.Accuracy(0.5))["prevalence"]
    assert found.breakpoints == (0.25, 0.75)
    assert [s.rules[0].kind for s in found.stretches] == ["never", "threshold", "always"]
    assert found.stretches[1].regret == (0, 0)
    costs = hybrid.sensitivity(rh.ExpectedCost(prevalence=0.5))
    assert [p.breakpoints for p in costs.parameters] == [(1 / 3, 3), (1 / 3, 3), (0.25, 0.75)]
    assert costs["cost_fp"].stretches[-1].regret == (0, (10 * 0.25 + 0.25) / 2 - 0.5)
    with pytest.raises(KeyError, match="'max_fpr' is not one of cost_fp, cost_fn, prevalence"):
        _ = costs["max_fpr"]
    limit = hybrid.sensitivity(rh.NeymanPearson((0.1, 0.5)))["max_fpr"]
    assert limit.breakpoints == (0.25,)
    assert limit.stretches[0].regret == (math.inf, math.inf)  # the present rule is at 0.3
    assert limit.stretches[1].regret == (math.inf, pytest.approx(0.2 / 3))


def test_ranges_are_as_documented() -> None:
    hybrid = hybrid_of(0)

    def span(condition: Any, name: str) -> tuple[float, float]:
        stretches = hybrid.sensitivity(condition)[name].stretches
        return stretches[0].low, stretches[-1].high

    assert span(rh.ExpectedCost(5, prevalence=0.5), "cost_fp") == (0.5, 50)
    assert span(rh.ExpectedCost(0, prevalence=0.5), "cost_fp") == (0, 10)
    assert span(rh.Accuracy(0.5), "prevalence") == (1 / 11, 10 / 11)
    assert span(rh.Accuracy(0), "prevalence") == (0, 0.1)
    assert span(rh.Accuracy(1), "prevalence") == (0.9, 1)
    assert span(rh.Accuracy((0.3, 0.6)), "prevalence") == (0.3, 0.6)
    cost = stats.expon(scale=3)
    assert span(rh.ExpectedCost(cost_fn=cost, prevalence=0.5), "cost_fn") == (
        0,
        pytest.approx(cost.ppf(0.995)),
    )
    assert hybrid.sensitivity(rh.Accuracy((0.3, 0.6))).base == rh.Accuracy(0.45)
    assert hybrid.sensitivity(rh.ExpectedCost(cost_fn=cost, prevalence=0.5)).base.cost_fn == pytest.approx(
        3 * math.log(2)
    )


def test_sensitivity_fits_a_terminal() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 4000)
    hybrid = (
        rh.Hybrid().add("a", y, rng.normal(size=y.size) + y).add("b", y, rng.normal(size=y.size) + 1.2 * y)
    )
    found = hybrid.sensitivity(rh.ExpectedCost(1, (0.2, 9), 0.4))
    text = str(found)
    assert max(map(len, text.splitlines())) <= 80
    assert "before" in text
    assert "after" in text
    assert "in-sample" in text


def test_utilities_have_no_sensitivity() -> None:
    for condition in (rh.Utility(lambda x, y: y), rh.Constrained(lambda x, y: y, 1, 1, 1)):
        with pytest.raises(ValueError, match="condition must be a cost or a limit"):
            hybrid_of(0).sensitivity(condition)


def test_turning_points_are_where_the_optimum_is_at_a_vertex() -> None:
    frontier = hybrid_of(3).hull.frontier
    for base, name in ((rh.NeymanPearson(0.3), "max_fpr"), (rh.MinimumRecall(0.3), "min_tpr")):
        for value, i in base.question.span.turning_points(name, frontier):
            assert value == frontier.point(i)[0 if name == "max_fpr" else 1]
    p = F(3, 10)
    for value, i in rh.Capacity(fraction=0.5, prevalence=0.3).question.span.turning_points(
        "fraction", frontier
    ):
        x, y = frontier.point(i)
        assert value == p * y + (1 - p) * x
    assert rh.NeymanPearson(1).question.segment(frontier)[1] <= len(frontier.fp) - 1


def test_where_a_limit_cannot_be_met() -> None:
    hybrid = rh.Hybrid().add_point("p", 0.25, 0.75)
    found = hybrid.sensitivity(rh.MinimumPrecision(0.6, prevalence=0.5))["prevalence"]
    first = found.stretches[0]  # at odds o the highest precision is 3 o / (3 o + 1): 0.6 at o = 1/2
    assert (first.rules, first.high) == ((), pytest.approx(1 / 3))
    assert first.regret == (math.inf, math.inf)
    assert "cannot be met" in str(hybrid.sensitivity(rh.MinimumPrecision(0.6, prevalence=0.5)))
    assert len(hybrid.potentially_optimal(rh.Accuracy((0.4, 0.6))).points) == 1
    assert str(hybrid.potentially_optimal(rh.Accuracy(0.5))).startswith("vertex 1 of the hull")
