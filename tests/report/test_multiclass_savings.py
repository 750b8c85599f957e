"""The interval of a saving, beside what the cases themselves tell, and the largest that fits the matrices."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import rochull as rh
from multiclass_report_cases import outputs_of
from rochull.multiclass import CostMatrix
from rochull.report import MulticlassReport
from rochull.report.multiclass_savings import saving_interval

Array = np.ndarray[Any, Any]
Z = 1.959963984540054
C = 4


def decided(costs: CostMatrix, seed: int) -> tuple[Array, Array, dict[str, Array], dict[str, Any]]:
    """Classes, what a rule and each baseline call the cases, and the facts of a report on that rule."""
    rng = np.random.default_rng(seed)
    codes = rng.choice(C, 300, p=[0.4, 0.3, 0.2, 0.1])
    outputs = outputs_of(codes, C, seed)
    weights = np.exp(rng.normal(0, 0.7, C))
    totals = np.bincount(codes, minlength=C)
    called = {"largest": outputs.argmax(axis=1), "balanced": (outputs / totals).argmax(axis=1)}
    points = rh.MulticlassRoc(codes, outputs).points_at([weights, np.ones(C), 1 / totals])
    facts = MulticlassReport(points, objective=costs).facts
    facts["chosen"] |= {"index": 0, "value": float(points.values(costs)[0])}
    return codes, (outputs * weights).argmax(axis=1), called, facts


def differences(costs: CostMatrix, codes: Array, rule: Array, base: Array) -> tuple[float, float, Array]:
    """Both costs, and for each case its part of cost(rule) - r cost(baseline)."""
    share = np.ones(len(codes)) / len(codes)
    if costs.priors is not None:
        share = (np.array(costs.priors) / sum(costs.priors) / np.bincount(codes))[codes]
    table = np.array(costs.costs)
    a, b = share * table[codes, rule], share * table[codes, base]
    return a.sum(), b.sum(), a - a.sum() / b.sum() * b


def spread(costs: CostMatrix, codes: Array, each: Array) -> float:
    """The variance of the sum, of classes that are drawn with the cases or apart."""
    if costs.priors is None:
        return float((each**2).sum())
    return sum(float(np.bincount(codes)[c] * each[codes == c].var()) for c in range(C))


def widest(costs: Array, ratio: float, before: Array, after: Array) -> float:
    """The largest sum of squares of any moves upwards that lead from one row to another."""
    moves = [(i, j) for i, j in product(range(C), range(C)) if i <= j]
    leave = [[float(i == c) for i, _ in moves] for c in range(C)]
    arrive = [[float(j == c) for _, j in moves] for c in range(C)]
    gains = [-((costs[j] - ratio * costs[i]) ** 2) for i, j in moves]
    return -float(linprog(gains, A_eq=[*leave, *arrive], b_eq=[*before, *after]).fun)


COSTS = {
    "alike": CostMatrix(1 - np.eye(C)),
    "priors": CostMatrix(1 - np.eye(C), priors=[1, 1, 2, 2]),
    "costs": CostMatrix([[0, 5, 1, 2], [1, 0, 0.5, 1], [2, 1, 0, 3], [4, 4, 2, 0]]),
}


@pytest.mark.parametrize("name", COSTS)
def test_the_interval_is_that_of_the_cases_or_little_wider(name: str) -> None:
    costs, wider = COSTS[name], []
    for seed in range(5):
        codes, rule, called, facts = decided(costs, seed)
        for row in facts["baselines"]:
            base = called.get(row["kind"], np.full(len(codes), row["class"] or 0))
            own, other, each = differences(costs, codes, rule, base)
            ends = saving_interval(facts, row)
            assert ends is not None
            told = (np.log(1 - ends[0]) - np.log(1 - ends[1])) / 2 / Z * own
            assert (1 - ends[0]) * (1 - ends[1]) == pytest.approx((own / other) ** 2)
            wider.append(told / np.sqrt(spread(costs, codes, each)))
            if row["kind"] == "always":  # of which every decision is known
                assert wider[-1] == pytest.approx(1)
            elif name == "alike":
                weights = np.array(facts["points"]["weights"][0])
                order = np.argsort(weights * (np.bincount(codes) if row["kind"] == "balanced" else 1))
                tables = [np.array(m)[:, order] for m in (row["confusion"], facts["points"]["confusion"][0])]
                most = sum(
                    widest(np.array(costs.costs)[i, order], own / other, tables[0][i], tables[1][i])
                    for i in range(C)
                )
                assert told**2 == pytest.approx(most / len(codes) ** 2)
    assert min(wider) > 0.9
    assert np.median(wider) < 1.1


def test_the_interval_beside_a_bootstrap() -> None:
    costs = COSTS["costs"]
    codes, rule, called, facts = decided(costs, 3)
    table = np.array(costs.costs)
    drawn = np.random.default_rng(0).integers(0, len(codes), (3000, len(codes)))
    own, other = (table[codes, each][drawn].mean(axis=1) for each in (rule, called["largest"]))
    ends = saving_interval(facts, facts["baselines"][0])
    assert ends is not None
    wanted = np.quantile(1 - own / other, [0.025, 0.975])
    assert ends[0] < wanted[0] < wanted[1] < ends[1]  # of what the matrices leave open the wider is told
    assert np.ptp(ends) < 1.25 * np.ptp(wanted)


def test_where_there_is_none() -> None:
    _, _, _, facts = decided(COSTS["alike"], 0)
    free, paid = ({**facts["chosen"], "value": value} for value in (0.0, -1.0))
    for change in ({"weighted": True}, {"chosen": free}, {"chosen": paid}):
        assert all(saving_interval({**facts, **change}, row) is None for row in facts["baselines"])
