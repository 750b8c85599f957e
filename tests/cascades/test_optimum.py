"""The cheapest cascade against brute force over all rules, and against a linear programme for budgets of calls."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression, linprog

import rochull as rh
from profiles import tries
from rochull._core.validation import Array
from rochull.cascades.nodes import Node
from rochull.cascades.optimum import Optimum, Stakes
from rochull.conditions.ranges import exact

Rows = Sequence[int]
Option = tuple[Fraction, Fraction]  # calls beyond the first classifier, and cost with their prices


class Twin:
    """All rules of a cascade with given strata, one by one, from the rows and not from counts."""

    def __init__(self, y: Rows, columns: Sequence[Rows], prices: Sequence[Fraction], of: Any) -> None:
        self.y, self.columns, self.prices = y, columns, prices
        share, cost_fp, cost_fn = of
        n_pos = sum(y)
        self.mass = [share / n_pos if label else (1 - share) / (len(y) - n_pos) for label in y]
        self.error = [m * (cost_fn if label else cost_fp) for m, label in zip(self.mass, y, strict=True)]

    def now(self, rows: Rows, depth: int) -> set[Fraction]:
        """The costs of rows that are decided by a threshold of this classifier, or all alike."""
        scores = self.columns[depth]
        levels = [float("-inf"), *sorted({scores[i] for i in rows}), float("inf")]
        return {
            sum((self.error[i] for i in rows if (scores[i] >= t) != self.y[i]), Fraction(0)) for t in levels
        }

    def options(self, rows: Rows, depth: int, node: Node) -> set[Option]:
        """What any rule reaches on rows that have come to a classifier, which is in these strata."""
        strata = [
            [i for i in rows if np.searchsorted(node.edges, self.columns[depth][i], side="right") == b]
            for b in range(len(node.edges) + 1)
        ]
        each = [set(self.stratum(own, depth, node, b)) for b, own in enumerate(strata)]
        found: set[Option] = {(Fraction(0), Fraction(0))}
        for own in each:
            found = {(a + c, b + d) for (a, b), (c, d) in itertools.product(found, own)}
        return found

    def stratum(self, rows: Rows, depth: int, node: Node, b: int) -> Iterator[Option]:
        for cost in self.now(rows, depth):
            yield Fraction(0), cost
        if node.children:
            share = sum((self.mass[i] for i in rows), Fraction(0))
            price = share * self.prices[depth + 1]
            for calls, cost in self.options(rows, depth + 1, node.children[b]):
                yield calls + share, cost + price


@st.composite
def problems(draw: st.DrawFn, stages: int) -> tuple[list[int], list[list[int]], list[float], Any]:
    """Labels, scores with ties of each classifier, prices and costs."""
    n = draw(st.integers(2, 9 if stages == 2 else 7))
    y = [1, 0] + [draw(st.integers(0, 1)) for _ in range(n - 2)]
    columns = [[draw(st.integers(0, 3)) for _ in range(n)] for _ in range(stages)]
    prices = [draw(st.sampled_from([0, 0.01, 0.05, 0.2])) for _ in range(stages)]
    numbers = draw(st.sampled_from([0.1, 0.3, 0.5])), *(draw(st.sampled_from([0.5, 1, 3])) for _ in "pn")
    return y, columns, prices, numbers


def fitted(y: Any, columns: Any, prices: Sequence[float], **options: Any) -> Any:
    names = "abc"[: len(prices)]
    made = rh.Cascade(
        dict(zip(names, prices, strict=True)),
        **{"n_strata": 9, "min_bin": 0, "shrinkage": 0, "n_cells": None, **options},
    )
    return made.fit(dict(zip(names, columns, strict=True)), y)


def checked(problem: Any, budgets: Sequence[float]) -> None:
    y, columns, prices, (share, cost_fp, cost_fn) = problem
    policy = fitted(y, columns, prices).policy()
    condition = rh.ExpectedCost(cost_fp, cost_fn, share)
    twin = Twin(y, columns, [exact(p) for p in prices], [exact(x) for x in (share, cost_fp, cost_fn)])
    options = sorted(twin.options(range(len(y)), 0, policy.root))
    calls, cost = (np.array(part, float) for part in zip(*options, strict=True))
    cost += prices[0]
    assert policy.at(condition).cost == pytest.approx(cost.min(), abs=1e-12)
    for budget in budgets:
        mixed = linprog(
            cost, A_ub=[calls], b_ub=[budget], A_eq=[np.ones(cost.size)], b_eq=[1], method="highs"
        ).fun
        point = policy.at(condition, max_calls=budget)
        assert point.cost == pytest.approx(mixed, abs=1e-9)
        assert sum(list(point.calls.values())[1:]) <= budget + 1e-12
        single = policy.at(condition, max_calls=budget, deterministic=True)
        assert not single.plan.is_mixed
        assert point.cost <= single.cost + 1e-12
    frontier = policy.frontier(condition)
    assert frontier.cost[0] == pytest.approx(frontier.alone["a"])  # no call: the first score's threshold
    assert frontier.cost[-1] == pytest.approx(policy.at(condition).cost)
    assert (np.diff(frontier.cost) < 0).all()
    assert (np.diff(np.diff(frontier.cost) / np.diff(frontier.calls)) >= -1e-9).all()
    for name, column, price in zip("abc", columns, prices, strict=False):
        alone = rh.roc_hull(y, column).at(condition).expected_cost(condition) + price
        assert frontier.alone[name] == pytest.approx(alone)


@tries(150)
@given(problems(2), st.lists(st.sampled_from([0, 0.1, 0.25, 0.5, 0.9, 1]), min_size=1, max_size=2))
@pytest.mark.filterwarnings("ignore")
def test_two_stages_are_the_best_of_all_rules(problem: Any, budgets: list[float]) -> None:
    checked(problem, budgets)


@tries(40)
@given(problems(3), st.lists(st.sampled_from([0.1, 0.5, 1, 1.5, 2]), min_size=1, max_size=2))
@pytest.mark.filterwarnings("ignore")
def test_three_stages_are_the_best_of_all_rules(problem: Any, budgets: list[float]) -> None:
    checked(problem, budgets)


@tries(60)
@given(problems(2), st.integers(1, 9))
@pytest.mark.filterwarnings("ignore")
def test_the_value_of_a_call_falls_from_the_threshold_on(problem: Any, n_cells: int) -> None:
    """Ranks are the isotonic regression of what a call costs less, on each side of the threshold."""
    y, columns, prices, (share, cost_fp, cost_fn) = problem
    policy = fitted(y, columns, prices, n_strata=2, n_cells=n_cells).policy()
    optimum = policy.optimum(rh.ExpectedCost(cost_fp, cost_fn, share))
    root, cut = policy.root, optimum.cut(policy.root)
    found = {move.sites[0][1]: float(move.rank) for move in optimum.line.moves}
    sides: tuple[list[int], list[int]] = ([], [])
    for b in range(len(root.children)):
        sides[root.bounds[b] <= cut].append(b)
    expected: dict[int, float] = {}
    for side in (sides[0][::-1], sides[1]):
        cells = [
            (b, m[0])
            for b in side
            if (m := optimum._moves(optimum._cost(root, root.bounds[b + 1], root.bounds[b]), (root, b), 1))
        ]
        if cells:
            each, weight = (
                np.array(x, float) for x in zip(*((m.cost / m.calls, m.calls) for _, m in cells), strict=True)
            )
            pooled = isotonic_regression(each, weights=weight).x
            expected |= {b: p for (b, _), p in zip(cells, pooled, strict=True)}
    for b, rank in expected.items():
        assert found.get(b, 0) == pytest.approx(min(rank, 0), abs=1e-12)
    assert list(found.values()) == sorted(found.values())


def drawn(seed: int, n: int = 3000, stages: int = 2) -> tuple[Array, list[Array]]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, [rng.normal((k + 1) * y) for k in range(stages)]


@pytest.mark.parametrize("shrinkage", [0, 50, np.inf])
def test_never_worse_than_the_first_score_alone_and_prices_only_cost(shrinkage: float) -> None:
    y, columns = drawn(0)
    condition = rh.ExpectedCost(2, 1, 0.2)
    last = -np.inf
    for price in (0, 0.01, 0.1, 1):
        frontier = fitted(y, columns, [0, price], shrinkage=shrinkage, n_strata=8).frontier(condition)
        assert last <= frontier.cost[-1] <= frontier.alone["a"]
        last = frontier.cost[-1]
    assert frontier.calls.tolist() == [0]  # a call costs more than all that can go wrong


def test_a_useless_second_classifier_is_a_way_to_the_third() -> None:
    y, (first, third) = drawn(1)
    second = np.zeros(y.size)
    made = fitted(y, [first, second, third], [0, 0.01, 0.01], n_strata=6)
    point = made.at(rh.ExpectedCost(prevalence=0.5))
    assert point.calls["b"] == pytest.approx(point.calls["c"]) != 0
    without = fitted(y, [first, third], [0, 0.02], n_strata=6)
    assert point.cost == pytest.approx(without.at(rh.ExpectedCost(prevalence=0.5)).cost)


def test_equal_odds_and_costs_of_nothing() -> None:
    node = Node((3, 2, 1), (2, 1, 0), (0, 1, 5), None)
    stakes = Stakes(Fraction(1), Fraction(1), Fraction(1, 3), Fraction(1, 6), (Fraction(0),))
    assert stakes.cut(node) == 1  # of equals the one with fewer alarms
    free = Stakes(Fraction(0), Fraction(1), Fraction(1, 3), Fraction(1, 6), (Fraction(0),))
    assert free.cut(node) == free.cut(Node(node.low, node.pos, node.neg, (np.inf, 1.0, 0.0))) == 1
    assert Optimum(node, ["a"], stakes).everything() == 1
