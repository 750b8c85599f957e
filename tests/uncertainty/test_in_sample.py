"""Optimism, against a twin that draws rows, chooses with a new hull, and counts decisions by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rochull as rh
from adversaries import Array
from profiles import some
from rochull._core.validation import labelled
from rochull.uncertainty import draws, replicates

CONDITIONS = [
    rh.ExpectedCost(cost_fn=3, prevalence=0.2),
    rh.Accuracy(0.4),
    rh.NeymanPearson(0.13),
    rh.NeymanPearson(0.2, confidence=0.8),
    rh.MinimumRecall(0.77),
    rh.MinimumPrecision(0.6, prevalence=0.4),
    rh.Capacity(fraction=0.33, prevalence=0.4),
    rh.Utility(lambda fpr, tpr: 2 * tpr - fpr),
    rh.Constrained(lambda fpr, tpr: tpr - fpr, a=0.5, b=0.5, c=0.3),
]
COST = rh.ExpectedCost(prevalence=0.5)


def data(n: int = 60, seed: int = 0) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 5 < 2).astype(int)
    return y, rng.normal(size=n) + y, np.round(rng.normal(size=n) + 0.7 * y, 1)


def value_of(condition: rh.ExpectedCost | Any, fpr: float, tpr: float) -> float:
    """What the condition optimises, from its definition."""
    if isinstance(condition, rh.ExpectedCost):
        share = condition.prevalence
        return (1 - share) * condition.cost_fp * fpr + share * condition.cost_fn * (1 - tpr)
    if isinstance(condition, rh.MinimumRecall):
        return fpr
    if isinstance(condition, rh.Constrained):
        return condition.utility.function(fpr, tpr)
    return condition.function(fpr, tpr) if isinstance(condition, rh.Utility) else tpr


def judged(
    point: rh.conditions.OperatingPoint, y: Array, scores: dict[Any, Array], w: Array
) -> tuple[float, float]:
    """Rates by deciding about every row; a mixture decides by both of its rules."""
    rates = np.zeros(2)
    for rule, share in point.rules:
        if rule.kind == "threshold":
            called = scores[rule.classifier] >= rule.threshold
        else:
            called = np.full(y.size, rule.kind == "always")
        rates += [share * np.average(called[y == label], weights=w[y == label]) for label in (0, 1)]
    return rates[0], rates[1]


def rows_of_replicates(y: Array, count: int, seed: int) -> list[Array]:
    """Which rows each replicate holds: from a score that numbers the rows."""
    states = np.random.SeedSequence(seed).generate_state(4 * count, np.uint64).reshape(-1, 4)
    checked = labelled(y, np.arange(y.size))
    pool = replicates.pool_of(checked.positive, {None: np.arange(y.size)}, None, None, None)
    found = []
    for state in states:
        sample, _ = draws.draw(pool, draws.DrawPlan(), state)
        groups = sample.tally()
        found.append(np.repeat(groups.score, groups.pos + groups.neg))
    return found


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda value: type(value).__name__)
def test_bootstrap_is_the_definition(condition: Any) -> None:
    y = data()[0]
    s = np.random.default_rng(1).permutation(y.size) + 20.0 * y  # no ties: the same rows are drawn
    flattery, ones = [], np.ones(y.size)
    order = np.argsort(s)
    for rows in rows_of_replicates(y[order], 25, seed=3):
        rows = order[rows]
        point = rh.roc_hull(y[rows], s[rows]).at(condition)
        here = judged(point, y[rows], {None: s[rows]}, ones[rows])
        there = judged(point, y, {None: s}, ones)
        flattery.append([value_of(condition, *here) - value_of(condition, *there), *np.subtract(here, there)])
    best = rh.roc_hull(y, s).at(condition)
    expected = np.array([value_of(condition, best.fpr, best.tpr), best.fpr, best.tpr]) - np.mean(
        flattery, axis=0
    )
    found = rh.optimism(y, s, condition, n_resamples=25, random_state=3)
    assert [found.corrected, found.fpr, found.tpr] == pytest.approx(expected.tolist(), abs=1e-12)
    assert found.apparent == pytest.approx(value_of(condition, best.fpr, best.tpr))
    assert found.point == best
    assert (found.method, found.n_resamples, found.n_infeasible) == ("bootstrap", 25, 0)


def test_optimism_is_positive_where_the_data_flatter() -> None:
    y, s, _ = data(100)
    for condition, sign in ((COST, 1), (rh.NeymanPearson(0.1), -1), (rh.MinimumRecall(0.8), 1)):
        for method in ("bootstrap", "cross-validation"):
            found = rh.optimism(y, s, condition, method=method, random_state=0)
            assert found.optimism > 0
            assert found.corrected == pytest.approx(found.apparent + sign * found.optimism)


def test_corrected_cost_is_that_of_the_corrected_rates() -> None:
    y, s, _ = data()
    costs = CONDITIONS[0]
    found = rh.optimism(y, s, costs, n_resamples=50, random_state=0)
    assert found.corrected == pytest.approx(value_of(costs, found.fpr, found.tpr))
    found = rh.optimism(y, s, costs, method="cross-validation", n_resamples=5, random_state=0)
    assert found.corrected == pytest.approx(value_of(costs, found.fpr, found.tpr))


def test_choosing_among_classifiers_costs_more_optimism() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    scores = {str(i): rng.normal(size=y.size) + 0.5 * y for i in range(6)}
    every = rh.optimism(y, scores, COST, n_resamples=200, random_state=0)
    alone = rh.optimism(y, scores["0"], COST, n_resamples=200, random_state=0)
    assert every.optimism > 1.3 * alone.optimism
    hull = rh.union({name: rh.roc_hull(y, s) for name, s in scores.items()})
    assert every.point == hull.at(COST)
    named = rh.optimism(y, {"0": scores["0"]}, COST, n_resamples=200, random_state=0)
    assert named.point.classifiers == ("0",)
    assert named.apparent == alone.apparent


def test_weights_are_repetitions_of_what_is_drawn() -> None:
    """Of clusters, weighted rows and repeated ones are drawn alike."""
    y, s, _ = data()
    weights = np.arange(y.size) % 3 + 1
    rows = np.repeat(np.arange(y.size), weights)
    for method, options in (("bootstrap", {"n_resamples": 30}), ("cross-validation", {"n_resamples": 3})):
        found = rh.optimism(
            y, s, CONDITIONS[0], method=method, sample_weight=weights, clusters=np.arange(y.size),
            random_state=0, **options,
        )  # fmt: skip
        repeated = rh.optimism(
            y[rows], s[rows], CONDITIONS[0], method=method, clusters=rows, random_state=0, **options
        )
        assert found.corrected == pytest.approx(repeated.corrected)
        assert (found.low is None) == (method == "cross-validation")
    assert rh.optimism(y, s, COST, sample_weight=weights, random_state=0).low is not None


def test_twins_in_clusters_are_not_new_data() -> None:
    """Every example twice: without clusters, a fold has seen the twins of its examples."""
    y, s, _ = data(80)
    y, s, twin = np.tile(y, 2), np.tile(s, 2), np.tile(np.arange(80), 2)
    for method in ("bootstrap", "cross-validation"):
        blind, told = (
            rh.optimism(y, s, COST, method=method, clusters=c, random_state=0) for c in (None, twin)
        )
        assert told.optimism > 1.1 * blind.optimism


@pytest.mark.parametrize("distinct", [4, 1000])
def test_folds_share_out_the_classes(distinct: int) -> None:
    """Few distinct scores are drawn by their totals, many row by row."""
    y = (np.arange(400) % 4 == 0).astype(int)
    s = np.arange(400) % distinct
    checked = labelled(y, s)
    pool = replicates.pool_of(checked.positive, {None: s}, None, None, None)
    total = np.zeros((2, len(pool.classifiers[None])), int)
    for rest, left in draws.training_and_test(pool, 8, np.random.default_rng(0)):
        assert [t.sum() for t in left.totals[None]] == [300 / 8, 100 / 8] or abs(
            left.totals[None][1].sum() - 12.5
        ) == 0.5
        np.testing.assert_array_equal(
            np.add(rest.totals[None], left.totals[None]), pool.classifiers[None].totals
        )
        total += left.totals[None]
    np.testing.assert_array_equal(total, pool.classifiers[None].totals)


def test_cross_validation_is_the_definition() -> None:
    """Leaving out one example of each class in turn needs no random numbers, if all of a class are alike."""
    y, s = np.repeat([0, 1], 4), np.array([0, 1, 2, 6, 3, 5, 7, 8])
    found = rh.optimism(y, s, COST, method="cross-validation", n_folds=4, n_resamples=400, random_state=0)
    wrong = []
    for i in range(4):
        for j in range(4, 8):
            rest = np.setdiff1d(np.arange(8), [i, j])
            point = rh.roc_hull(y[rest], s[rest]).at(COST)
            wrong.append(judged(point, y[[i, j]], {None: s[[i, j]]}, np.ones(2)))
    fpr, tpr = np.mean(wrong, axis=0)  # each pair is left out as often
    assert [found.fpr, found.tpr] == pytest.approx([fpr, tpr], abs=0.02)


def test_ties_and_totals() -> None:
    """Few distinct scores in many rows: drawn by their totals."""
    rng = np.random.default_rng(0)
    y = (rng.random(3000) < 0.5).astype(int)
    s = rng.integers(0, 4, y.size) + y
    for method in ("bootstrap", "cross-validation"):
        found = rh.optimism(y, s, COST, method=method, random_state=0)
        assert 0 <= found.optimism < 0.01
        assert found.low < found.corrected < found.high


@pytest.mark.long
def test_interval_of_a_rate_is_wilsons_of_the_corrected_one() -> None:
    y, s, _ = data(100)
    found = rh.optimism(y, s, rh.NeymanPearson(0.1), level=0.9, random_state=0)
    n, z, p = int(y.sum()), 1.6448536, found.tpr
    half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    assert found.low == pytest.approx(middle - half, abs=1 / n)  # rounded outwards, by a count at most
    assert found.high == pytest.approx(middle + half, abs=1 / n)
    assert found.low <= middle - half < middle + half <= found.high
    recall = rh.optimism(y, s, rh.MinimumRecall(0.8), random_state=0)
    assert recall.low < recall.fpr == recall.corrected < recall.high


def test_interval_of_a_cost_is_put_together() -> None:
    y, s, _ = data(100)
    costs = rh.ExpectedCost(cost_fp=2, cost_fn=3, prevalence=0.5)
    found = rh.optimism(y, s, costs, random_state=0)
    n_pos = int(y.sum())
    ends = []
    for rate, n in ((found.fpr, y.size - n_pos), (found.tpr, n_pos)):
        ends += [rh.rate_interval(math.floor(rate * n), n, "wilson").low]
        ends += [rh.rate_interval(math.ceil(rate * n), n, "wilson").high]
    below = math.hypot(found.fpr - ends[0], 1.5 * (ends[3] - found.tpr))
    above = math.hypot(ends[1] - found.fpr, 1.5 * (found.tpr - ends[2]))
    assert found.low == pytest.approx(found.corrected - below)
    assert found.high == pytest.approx(found.corrected + above)


@pytest.mark.long
def test_interval_of_a_utility_comes_from_the_replicates() -> None:
    y, s, _ = data(100)
    found = rh.optimism(y, s, rh.Utility(lambda fpr, tpr: tpr - fpr), n_resamples=200, random_state=0)
    assert found.low < found.corrected < found.high
    rotated = rh.optimism(y, s, rh.Utility(lambda fpr, tpr: tpr - fpr), method="cross-validation")
    assert rotated.low is rotated.high is None
    assert str(rotated).endswith(f"{rotated.corrected:.3g} on new data")


@pytest.mark.long
def test_corrected_costs_are_nearer_the_truth() -> None:
    """On average, and in most samples; and the intervals cover what the chosen rules keep."""
    rng = np.random.default_rng(1)
    y = np.arange(100) % 2
    apparent, corrected, rotated, covered = [], [], [], []
    for _ in range(150):
        s = rng.normal(size=y.size) + 1.0 * y
        found = rh.optimism(y, s, COST, n_resamples=100, random_state=rng)
        other = rh.optimism(y, s, COST, method="cross-validation", n_resamples=2, random_state=rng)
        t = found.point.rules[0][0].threshold
        kept = (math.erfc(t / math.sqrt(2)) / 2 + 1 - math.erfc((t - 1) / math.sqrt(2)) / 2) / 2
        apparent.append(found.apparent - kept)
        corrected.append(found.corrected - kept)
        rotated.append(other.corrected - kept)
        covered.append(found.low <= kept <= found.high)
    assert np.mean(apparent) < -0.03
    assert abs(np.mean(corrected)) < 0.6 * abs(np.mean(apparent))
    assert abs(np.mean(rotated)) < 0.3 * abs(np.mean(apparent))
    assert np.mean(np.square(corrected)) < 0.8 * np.mean(np.square(apparent))
    assert np.mean(np.abs(corrected) < np.abs(apparent)) > 0.6
    assert 0.9 <= np.mean(covered) <= 0.99


def test_seeds() -> None:
    y, s, _ = data()
    for method in ("bootstrap", "cross-validation"):
        one, two, other = (
            rh.optimism(y, s, COST, method=method, n_resamples=10, random_state=seed) for seed in (1, 1, 2)
        )
        assert one == two
        assert one != other


def test_replicates_that_do_not_meet_the_condition_are_counted() -> None:
    y, s = np.array([0, 0, 0, 0, 1, 1, 1, 1]), np.array([1, 2, 3, 7, 4, 5, 6, 8])
    condition = rh.MinimumPrecision(0.95, prevalence=0.5)
    found = rh.optimism(y, s, condition, n_resamples=100, random_state=0)
    assert 0 < found.n_infeasible < 100
    assert found.n_resamples + found.n_infeasible == 100
    with pytest.raises(rh.InfeasibleConditionError):
        rh.optimism(y, 7 - s, condition)
    with pytest.raises(ValueError, match="condition is met in"):
        rh.optimism(y, s, condition, n_resamples=2, random_state=3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "jackknife"}, 'method must be "bootstrap" or "cross-validation"'),
        ({"n_resamples": 1}, "n_resamples must be an integer of at least 2, but is 1"),
        ({"level": 1}, "level must lie strictly between 0 and 1"),
        ({"method": "cross-validation", "n_folds": 1}, "n_folds must be an integer of at least 2"),
        ({"method": "cross-validation", "n_folds": 30}, "n_folds=30 is more than there are examples of a"),
        (
            {"method": "cross-validation", "clusters": np.repeat([0, 1], 30)},
            "n_folds=10 is more than there are clusters: 2",
        ),
        (
            {"method": "cross-validation", "clusters": np.arange(60) % 5 < 2, "n_folds": 2},
            "clusters: all .* negative examples are in one",
        ),
        ({"clusters": [1, 2]}, "must have the same length"),
        ({"condition": rh.ExpectedCost(prevalence=(0.1, 0.2))}, "is an interval"),
        ({"condition": rh.Utility(lambda f, t: t if f + t else 1 / 0)}, None),
    ],
)
def test_bad_input(options: dict[str, Any], message: str | None) -> None:
    y, s, _ = data()
    condition = options.pop("condition", COST)
    if message is None:
        assert rh.optimism(y, s, condition, n_resamples=5).measure == "utility"
        return
    with pytest.raises(ValueError, match=message):
        rh.optimism(y, s, condition, **options)


def test_condition_must_be_one() -> None:
    y, s, _ = data()
    with pytest.raises(TypeError, match="condition must be an operating condition"):
        rh.optimism(y, s, "cost")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="NaN"):
        rh.optimism(y, np.full(y.size, np.nan), COST)


def test_corrected_rates_are_rates() -> None:
    y, s = np.repeat([0, 1], 6), [6, 8, 7, 4, 8, 8, 8, 0, 4, 5, 2, 3]
    found = rh.optimism(y, s, rh.ExpectedCost(prevalence=0.5), random_state=0)
    assert 0 <= found.fpr <= 1
    assert found.tpr == 0  # and not -0.019
    assert found.corrected == pytest.approx(0.5 * found.fpr + 0.5 * (1 - found.tpr))
    assert found.low <= found.corrected <= found.high


@pytest.mark.crossed
@pytest.mark.parametrize("how", ["counted", "weighted", "clustered"])
@pytest.mark.parametrize(
    "condition", [rh.MinimumRecall(0.8), rh.NeymanPearson(0.1), rh.ExpectedCost(prevalence=0.5)]
)
def test_the_interval_holds_the_corrected_value(how: str, condition: Any) -> None:
    for seed in some(range(12), 3):
        rng = np.random.default_rng(seed)
        y = np.repeat([0, 1], 12)
        s = rng.normal(size=24) + 4 * y
        options: dict[str, Any] = {
            "counted": {},
            "weighted": {"sample_weight": rng.uniform(1, 3, 24)},
            "clustered": {"clusters": np.arange(24)},
        }[how]
        found = rh.optimism(y, s, condition, n_resamples=100, random_state=seed, **options)
        assert 0 <= found.low <= found.corrected <= found.high <= 1
        assert 0 <= found.fpr <= 1
        assert 0 <= found.tpr <= 1


def test_weighted_intervals_are_those_of_the_effective_numbers() -> None:
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 100)
    s, w = rng.normal(size=200) + y, rng.exponential(size=200)
    found = rh.optimism(y, s, rh.NeymanPearson(0.2), sample_weight=w, n_resamples=100, random_state=0)
    n = int(w[y == 1].sum() ** 2 / (w[y == 1] ** 2).sum())
    low = rh.rate_interval(int(np.floor(found.corrected * n)), n, "wilson").low
    high = rh.rate_interval(int(np.ceil(found.corrected * n)), n, "wilson").high
    assert n < 70
    assert (found.low, found.high) == pytest.approx((low, high))


@pytest.mark.long
def test_weighted_intervals_cover() -> None:
    """What the chosen rule costs in the population; 0.95 less three standard errors of 150 samples."""
    rng = np.random.default_rng(2)
    covered = []
    for seed in range(150):
        y = np.repeat([0, 1], 50)
        s, w = rng.normal(size=100) + 1.8 * y, rng.uniform(0.5, 1.5, 100)
        found = rh.optimism(
            y, s, rh.ExpectedCost(prevalence=0.5), sample_weight=w, n_resamples=60, random_state=seed
        )
        truth = population_cost(found.point)
        covered.append(found.low <= truth <= found.high)
    assert np.mean(covered) >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 150)


def population_cost(point: rh.conditions.OperatingPoint) -> float:
    """Of equal costs and classes, positives shifted by 1.8."""
    cost = 0.0
    for rule, share in point.rules:
        at = {"never": np.inf, "always": -np.inf}.get(rule.kind, rule.threshold)
        cost += share * (stats.norm.sf(at) + stats.norm.cdf(at - 1.8)) / 2
    return cost
