"""Limits on an expected cost: its tests against slow twins, and in simulation."""

import math
from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from scipy.stats import norm

import rochull as rh
from rochull.conditions.frontier import Frontier
from rochull.conditions.learn_then_test import (
    a_fifth_and_rest,
    betting,
    exactly,
    hoeffding_bentkus,
    least_shortfall,
    losses_kept,
    stakes_of,
    stops_of,
)


def sample(seed, n=1000, prevalence=0.3, shift=1.2, digits=9):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < prevalence).astype(int)
    return y, np.round(rng.normal(size=n) + shift * y, digits)


def held(y, score):
    return rh.RocHull.from_curve(rh.roc_curve(y, score))


def one_rule(fp, missed, n_neg, n_pos):
    return Frontier(np.array([fp]), np.array([n_pos - missed]), n_neg, n_pos)


# --- p-values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("fp", "missed"), [(0, 0), (2, 1), (10, 3), (30, 12), (70, 30)])
@pytest.mark.parametrize("costs", [(1, 1), (1, 5), (3, 0)])
def test_p_values_against_the_definitions(fp, missed, costs):
    costs, most, n = tuple(map(F, costs)), F(1, 2), 100
    points, top = one_rule(fp, missed, 70, 30), float(max(costs))
    losses = np.repeat([0.0, float(costs[0]), float(costs[1])], [n - fp - missed, fp, missed])
    mean, limit = losses.mean() / top, 0.5 / top
    below = min(mean, limit)
    apart = sum(a * math.log(a / b) for a, b in ((below, limit), (1 - below, 1 - limit)) if a)

    def tail(k, share):
        return sum(math.comb(n, j) * share**j * (1 - share) ** (n - j) for j in range(k + 1))

    at = np.array([0])
    bentkus = math.e * tail(math.ceil(sum(losses) / top - 1e-9), limit)
    told = hoeffding_bentkus(costs, most, points, at)[0]
    assert told == pytest.approx(min(1, math.exp(-n * apart), bentkus))
    stake = 0.7 / (top - 0.5)
    capital = math.prod((1 + stake * (0.5 - loss) for loss in losses), start=1.0)
    assert betting(costs, most, points, at, np.array([stake]))[0] == pytest.approx(min(1, 1 / capital))
    if costs[0] == costs[1]:
        assert exactly(costs, most, points, at)[0] == pytest.approx(tail(fp + missed, 0.5))
        assert least_shortfall(costs, most, points) == exactly(costs, most, points, at)[0]
    else:
        assert least_shortfall(costs, most, points) == told
    for found in (exactly(costs, F(9), points, at), hoeffding_bentkus(costs, F(9), points, at)):
        assert found[0] == 0
    assert betting(costs, F(9), points, at, stakes_of(costs, F(9), points, F(1, 10)))[0] == 0


@pytest.mark.parametrize("chances", [(0.06, 0.044), (0.28, 0.0), (0.0, 0.056), (0.2, 0.016)])
def test_p_values_are_valid_where_the_loss_is_at_its_limit(chances):
    """Rejected with no more than its probability, exactly: summed over all outcomes of 40 cases."""
    costs, most, n = (F(1), F(5)), F("0.28"), 40
    assert chances[0] + 5 * chances[1] == pytest.approx(0.28)
    fp, missed = (each.ravel() for each in np.meshgrid(np.arange(n + 1), np.arange(n + 1)))
    fp, missed = fp[fp + missed <= n], missed[fp + missed <= n]
    weight = [
        math.comb(n, a) * math.comb(n - a, b) * chances[0] ** a * chances[1] ** b
        * (1 - sum(chances)) ** (n - a - b)
        for a, b in zip(fp.tolist(), missed.tolist(), strict=True)
    ]  # fmt: skip
    points = Frontier(fp, n - missed, 0, n)
    at = np.arange(len(fp))
    for stake in (0.02, 0.1, 0.2):
        pvalue = betting(costs, most, points, at, np.full(len(fp), stake))
        assert all(np.dot(weight, pvalue <= a) <= a for a in (0.01, 0.05, 0.1, 0.3))
    pvalue = hoeffding_bentkus(costs, most, points, at)
    assert all(np.dot(weight, pvalue <= a) <= a for a in (0.01, 0.05, 0.1, 0.3))


# --- the order that some examples fix --------------------------------------------------------------


def test_the_parts_are_all_examples_once():
    y, score = sample(0, 503, digits=1)
    points = held(y, score).curves[None].frontier
    learned, test = a_fifth_and_rest(points)
    np.testing.assert_array_equal(learned.fp + test.fp, points.fp)
    np.testing.assert_array_equal(learned.tp + test.tp, points.tp)
    assert learned.n_neg + learned.n_pos == 100
    np.testing.assert_array_equal(a_fifth_and_rest(points)[0].fp, learned.fp)  # the same draw at every call
    stops = stops_of(learned)
    assert (stops[0], stops[-1]) == (0, len(points.fp) - 1)
    inner = np.diff(learned.fp + learned.tp)[stops[1:-1] - 1]
    assert (inner > 0).all()


@pytest.mark.parametrize("costs", [(1, 1), (1, 5)])
@pytest.mark.parametrize("seed", range(4))
def test_tests_go_both_ways_from_the_cheapest_to_the_first_failure(costs, seed):
    costs, most, shortfall = tuple(map(F, costs)), F("0.28") if costs == (1, 1) else F("0.65"), F(1, 5)
    y, score = sample(seed, digits=2)
    points = held(y, score).curves[None].frontier
    learned, test = a_fifth_and_rest(points)
    stops = stops_of(learned).tolist()
    cost = [costs[0] * int(learned.fp[i]) + costs[1] * (learned.n_pos - int(learned.tp[i])) for i in stops]
    start = cost.index(min(cost))
    stakes = stakes_of(costs, most, learned, shortfall)
    known = [
        lambda i: exactly(costs, most, test, np.array([i]))[0],
        lambda i: hoeffding_bentkus(costs, most, test, np.array([i]))[0],
        lambda i: betting(costs, most, test, np.array([i]), stakes[[i]])[0],
    ]
    wanted = []
    for p in known[:1] if costs[0] == costs[1] else known[1:]:
        found = set()
        if p(stops[start]) <= shortfall:
            found = {stops[start]}
            for part in (stops[:start][::-1], stops[start + 1 :]):
                for i in part:
                    if p(i) > shortfall / 2:
                        break
                    found.add(i)
        wanted.append(found)
    assert set(np.flatnonzero(losses_kept(costs, most, points, shortfall)).tolist()) in wanted


# --- as a limit -------------------------------------------------------------------------------------


def test_a_limit_on_costs_like_any_other():
    y, score = sample(3)
    made = held(y, score)
    costs = rh.ExpectedCost(1, 5)
    limit = costs <= 0.6
    assert str(limit) == "CostPerCase(cost_fp=1.0, cost_fn=5.0) <= 0.6"
    p = made.prevalence
    same = made.at(rh.Recall(), subject_to=rh.ExpectedCost(1, 5, p).question.objective <= 0.6)
    point = made.at(rh.Recall(), subject_to=limit)
    assert (point.fpr, point.tpr) == (same.fpr, same.tpr)
    assert point.expected_cost(rh.ExpectedCost(1, 5, p)) == pytest.approx(0.6)
    wide = rh.ExpectedCost((1, 2), 5, (0.2, 0.3)) <= 0.8
    point = made.at(rh.Recall(), subject_to=wide)
    worst = [rh.ExpectedCost(a, 5, q).cost(point.fpr, point.tpr) for a in (1, 2) for q in (0.2, 0.3)]
    assert max(worst) == pytest.approx(0.8)
    with pytest.raises(rh.InfeasibleConditionError, match=r"One of these instead would do: CostPerCase"):
        made.at(rh.Recall(), subject_to=costs <= 0.1)
    with pytest.raises(TypeError, match="limit includes its end"):
        costs < 0.3  # noqa: B015
    with pytest.raises(ValueError, match="keeps rules from being better"):
        costs >= 0.3  # noqa: B015


def test_an_assured_cost():
    y, score = sample(4, 2000)
    made = held(y, score)
    for costs, most in (((1, 1), 0.27), ((1, 5), 0.65)):
        limit = rh.ExpectedCost(*costs) <= most
        recall, few = (made.at(rh.Within(goal, limit, 0.9)) for goal in (rh.Recall(), rh.FalsePositiveRate()))
        plain = made.at(rh.Recall(), deterministic=True, subject_to=limit)
        assert few.tpr <= recall.tpr < plain.tpr
        for point in (recall, few):
            assert rh.ExpectedCost(*costs, made.prevalence).cost(point.fpr, point.tpr) < most
    # Beside another limit each has one half of the shortfall; one of another population is bounded.
    both = made.at(rh.Within(rh.Recall(), [limit, rh.FalsePositiveRate() <= 0.5], 0.8))
    assert both.tpr == min(
        made.at(rh.Within(rh.Recall(), x, 0.9)).tpr for x in (limit, rh.FalsePositiveRate() <= 0.5)
    )
    hybrid = rh.Hybrid().add("a", y, score).add("b", y, np.round(score))
    choice = hybrid.assured(rh.Within(rh.Recall(), limit, 0.9))
    assert rh.ExpectedCost(1, 5, made.prevalence).cost(choice.point.fpr, choice.point.tpr) < most
    assert choice.confidence_each == 0.95
    with pytest.raises(ValueError, match="confidence needs every threshold"):
        replace(made, curves={}).at(rh.Within(rh.Recall(), limit, 0.9))


@pytest.mark.long
@pytest.mark.parametrize(("costs", "most"), [((1, 1), 0.25), ((1, 5), 0.62), ((4, 1), 0.29)])
@pytest.mark.parametrize("goal", [rh.Recall(), rh.FalsePositiveRate()])
def test_violations(costs, most, goal):
    runs, broken, condition = 400, 0, rh.Within(goal, rh.ExpectedCost(*costs) <= most, confidence=0.9)
    for seed in range(runs):
        try:
            point = held(*sample([seed, 7], 600, digits=9 if seed % 2 else 1)).at(condition)
        except rh.InfeasibleConditionError:
            continue
        threshold = point.rules[0][0].threshold
        at = np.inf if threshold is None else threshold - (0 if seed % 2 else 0.05)
        fpr, tpr = norm.sf(at), norm.sf(at - 1.2)
        broken += costs[0] * 0.7 * fpr + costs[1] * 0.3 * (1 - tpr) > most
    assert broken <= runs * 0.1 + 3 * math.sqrt(runs * 0.09)
