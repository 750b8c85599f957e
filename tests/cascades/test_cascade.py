"""Cascades are learnt from any table; weights count; strata follow the blocks; truth is met where it is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import rochull as rh
from cascade_cases import COST, fitted, scored
from refusals import refuses
from rochull._core.validation import Array


def test_tables_and_labels_of_any_kind_and_nothing_is_modified(frame_module: Any) -> None:
    X, y = scored()
    before = {name: column.copy() for name, column in X.items()}
    expected = fitted(X, y).policy().to_json()
    for column in X.values():
        column.flags.writeable = False
    assert fitted(frame_module(X), y).policy().to_json() == expected
    words = np.where(y == 1, "bad", "good")
    assert fitted(X, words, pos_label="bad").policy().to_json() == expected
    assert all(column.tobytes() == before[name].tobytes() for name, column in X.items())
    single = {name: column.astype(np.float32) for name, column in X.items()}
    made = fitted(single, y).policy()
    assert (
        made.decide(single, COST).tolist()
        == made.decide({n: c.astype(float) for n, c in single.items()}, COST).tolist()
    )


def test_weights_count_as_examples_do() -> None:
    X, y = scored(1, 600)
    weight = np.random.default_rng(0).integers(0, 4, y.size)
    X["dear"] = X["dear"].round(1)
    many = {name: np.repeat(column, weight) for name, column in X.items()}
    options: Any = {"n_strata": 6, "min_bin": 0, "shrinkage": 0}
    prices = {"cheap": 0.01, "dear": 0.02}
    repeated = rh.Cascade(prices, **options).fit(many, np.repeat(y, weight))
    weighted = rh.Cascade(prices, **options).fit(X, y, sample_weight=weight)
    tenths = rh.Cascade(prices, **options).fit(X, y, sample_weight=weight / 10)
    for condition in (COST, rh.ExpectedCost()):
        for budget in (None, 0.1):
            ours = [str(made.at(condition, budget)) for made in (weighted, tenths)]
            assert ours == [str(repeated.at(condition, budget))] * 2


def test_strata_begin_where_blocks_begin_and_hold_enough() -> None:
    X, y = scored(2, 4000)
    made = fitted(X, y, n_strata=12, n_cells=None, min_bin=150)
    hull = rh.roc_hull(y, X["cheap"])
    root = made.policy_.root
    assert set(root.edges) <= set(hull.thresholds.tolist())
    assert 2 < len(root.edges) + 1 <= 12
    for child in root.children:
        assert min(sum(child.pos), sum(child.neg)) >= 150
    one = fitted(X, y, n_strata=1, n_cells=None)
    assert one.policy_.root.edges == ()
    assert one.at(COST).calls["dear"] in (0, 1)  # one stratum: all are asked, or none
    infinite = {**X, "cheap": np.where(X["cheap"] > 1, np.inf, np.where(X["cheap"] < 0, -np.inf, X["cheap"]))}
    assert np.isfinite(fitted(infinite, y).policy_.root.edges).all()


def test_cells_part_strata_and_are_decided_as_these_are() -> None:
    X, y = scored(2, 4000)
    X["cheap"] = X["cheap"] + np.random.default_rng(0).random(y.size) / 10
    coarse, fine = (fitted(X, y, n_strata=4, n_cells=n).policy_ for n in (None, 40))
    assert set(coarse.root.edges) < set(fine.root.edges)
    assert 40 <= len(fine.root.children) <= 44
    sizes = [sum(child.pos) + sum(child.neg) for child in fine.root.children]
    assert max(sizes) <= 101
    ends = [0, *np.searchsorted(fine.root.edges, coarse.root.edges, side="right"), len(sizes)]
    # The document's odds are those of the stratum; counts are each cell's own.
    for stratum, begin, end in zip(coarse.root.children, ends, ends[1:], strict=False):
        cells = fine.root.children[begin:end]
        assert {cell.low for cell in cells} == {stratum.low}
        assert {cell.odds for cell in cells} == {stratum.odds}
        assert np.sum([cell.pos for cell in cells], axis=0).tolist() == list(stratum.pos)
    assert fine.frontier(COST).cost[0] == pytest.approx(coarse.frontier(COST).cost[0])


def test_an_infinite_shrinkage_has_one_threshold_for_all_strata() -> None:
    X, y = scored(3, 4000)
    plan = fitted(X, y, shrinkage=np.inf).at(COST).plan
    (level,) = {branch.rule.level for branch in plan.later if branch.own == ("dear",)}  # type: ignore[attr-defined]
    assert level in rh.roc_hull(y, X["dear"]).thresholds


def test_what_is_chosen_is_told_and_the_same_again() -> None:
    X, y = scored(4, 1500, stages=3)
    prices = {"cheap": 0, "dear": 0.01, "human": 0.02}
    made = rh.Cascade(prices, n_strata=[4, 8], shrinkage=[0, 100]).fit(X, y)
    assert len(made.choice_) == len(made.n_strata_) == len(made.shrinkage_) == 2
    for table, size, strength in zip(made.choice_, made.n_strata_, made.shrinkage_, strict=True):
        best = int(np.argmax(table["auc"]))
        assert (table["n_bins"][best], table["shrinkage"][best]) == (size, strength)
    again = clone(made).fit(X, y)
    assert again.policy().to_json() == made.policy().to_json()
    assert fitted(X, y).choice_ == ({}, {})


def test_what_is_refused() -> None:
    X, y = scored(5, 200)
    for prices in ({"cheap": 0}, ["cheap", "dear"], dict.fromkeys(map(str, range(21)), 0)):
        refuses("prices must be a mapping of 2 to 20", rh.Cascade(prices).fit, X, y)  # type: ignore[arg-type]
    refuses("name must be text", rh.Cascade({1: 0, 2: 0}).fit, X, y)  # type: ignore[dict-item]
    refuses(r"prices\['dear'\]", rh.Cascade({"cheap": 0, "dear": -1}).fit, X, y)
    made = rh.Cascade({"cheap": 0, "dear": 0})
    refuses("X must be a table", made.fit, np.zeros((4, 2)), [0, 1, 0, 1])
    refuses("y must be an array", made.fit, y, X)
    refuses("no column 'dear'", made.fit, {"cheap": X["cheap"]}, y)
    refuses(r"X\['dear'\] has 1 NaN", made.fit, {**X, "dear": np.append(X["dear"][1:], np.nan)}, y)
    refuses("same length", made.fit, {**X, "dear": X["dear"][1:]}, y)
    refuses("beyond 2", made.fit, {**X, "dear": np.full(y.size, 2**60)}, y)
    refuses("n_strata must be", rh.Cascade({"cheap": 0, "dear": 0}, n_strata="many").fit, X, y)
    refuses("n_bins", rh.Cascade({"cheap": 0, "dear": 0}, n_strata=0).fit, X, y)
    refuses("shrinkage", rh.Cascade({"cheap": 0, "dear": 0}, shrinkage="much").fit, X, y)
    with pytest.raises(NotFittedError):
        made.at(COST)


# --- where the truth is known ------------------------------------------------------------------------


def truth(price: float, costs: rh.ExpectedCost) -> tuple[float, float, float]:
    """The least cost of any cascade, of the cheap score alone and of both for all: normal scores of both classes, independent within them, unit variances.

    Means 0 and 1 of the cheap one, 0 and 2 of the dear one; by quadrature over the cheap score.
    """
    share: Any = costs.prevalence
    s = np.linspace(-8, 9, 20001)
    pos, neg = share * norm.pdf(s - 1), (1 - share) * norm.pdf(s)
    miss, alarm = costs.cost_fn * pos, costs.cost_fp * neg
    # Called positive where pos phi(t - 2) cost_fn > neg phi(t) cost_fp, which is t > 1 + log(alarm / miss) / 2.
    t = 1 + (np.log(alarm) - np.log(miss)) / 2
    asked = miss * norm.cdf(t - 2) + alarm * norm.sf(t) + price * (pos + neg)
    now = np.minimum(miss, alarm)
    best, alone, both = (float(np.trapezoid(each, s)) for each in (np.minimum(now, asked), now, asked))
    return best, alone, both


@pytest.mark.long
@pytest.mark.parametrize("n", [500, 2000])
def test_on_few_examples_it_is_no_worse_than_asking_nearest_to_the_threshold(n: int) -> None:
    """Of as many calls; coarse strata with lots cost up to a tenth more."""
    costs, price, cost = rh.ExpectedCost(1, 2, 0.3), 0.1, {"cascade": 0.0, "nearest": 0.0, "cheap": 0.0}
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = drawn(rng, n, 0.3)
        new, truths = drawn(rng, 50_000, 0.3)
        policy = rh.Cascade({"cheap": 0, "dear": price}).fit(X, y).policy()
        cut = {name: rh.roc_hull(y, X[name]).at(costs).rules[0][0].lowest for name in X}
        alone = {name: new[name] >= cut[name] for name in X}  # type: ignore[operator]
        near = np.argsort(np.argsort(np.abs(new["cheap"] - cut["cheap"])))  # type: ignore[operator]
        for budget in (0.05, 0.1, 0.3):
            point, keys = policy.at(costs, budget), np.arange(truths.size)
            share = policy.needs_score("dear", new, point, key=keys).mean()
            common = np.where(near < share * truths.size, alone["dear"], alone["cheap"])
            ours = policy.decide(new, point, key=keys)
            for name, decided in (("cascade", ours), ("nearest", common), ("cheap", alone["cheap"])):
                cost[name] += float(np.where(truths == 1, 2 * ~decided, decided).mean())
                cost[name] += price * float(share) * (name != "cheap")
    assert cost["cascade"] < 1.01 * cost["nearest"] < cost["cheap"]


def drawn(rng: np.random.Generator, n: int, share: float) -> tuple[dict[str, Array], Array]:
    y = (rng.random(n) < share).astype(int)
    return {"cheap": rng.normal(y), "dear": rng.normal(2 * y)}, y


@pytest.mark.long
@pytest.mark.parametrize(("price", "cost_fn", "share"), [(0.1, 1, 0.5), (0.15, 2, 0.3), (0.1, 10, 0.05)])
def test_new_cases_cost_little_more_than_the_truth(price: float, cost_fn: float, share: float) -> None:
    rng = np.random.default_rng(0)
    costs = rh.ExpectedCost(1, cost_fn, share)
    made = rh.Cascade({"cheap": 0, "dear": price}, n_strata=[10, 40]).fit(*drawn(rng, 20000, share))
    X, y = drawn(rng, 200_000, share)
    policy = made.policy()
    decided, asked = policy.decide(X, costs), policy.needs_score("dear", X, costs)
    errors = np.where(y == 1, cost_fn * ~decided, decided)
    found, (best, *others) = float((errors + price * asked).mean()), truth(price, costs)
    error = float((errors + price * asked).std()) / np.sqrt(y.size)
    assert best - 3 * error < found < 1.03 * best + 3 * error
    assert found < min(others)
