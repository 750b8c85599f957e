"""Optimal points against brute force in exact fractions, on random hulls."""

import math
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest
import scipy.stats

import rochull as rh
from rochull import optimum

Point = tuple[F, F]
SEEDS = range(20)
LIMITS = [0, 0.05, 0.1, 0.25, 1 / 3, 0.5, 0.7, 0.99, 1]


def examples(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels and scores, with ties: good, useless and inverted scores, perfect separation."""
    rng = np.random.default_rng(seed)
    y = np.append(rng.integers(0, 2, rng.integers(0, 40)), [0, 1])
    signal = [1.0, 1.0, 2.0, 0.0, -1.0, 100.0][seed % 6]
    return y, np.round(rng.normal(size=y.size) + signal * y, seed % 3)


def by_hand(y: np.ndarray, score: np.ndarray) -> dict[float | None, Point]:
    """Exact rates of every rule "score >= threshold", and of "never" (None)."""
    n_pos, n_neg = int(y.sum()), int((1 - y).sum())
    points: dict[float | None, Point] = {None: (F(0), F(0))}
    for t in np.unique(score):
        called = score >= t
        points[float(t)] = F(int(np.sum(called & (y == 0))), n_neg), F(int(np.sum(called & (y == 1))), n_pos)
    return points


def mixtures(points: list[Point], steps: int = 5) -> list[Point]:
    """All mixtures of two points on a grid of shares."""
    return [
        (a[0] + F(k, steps) * (b[0] - a[0]), a[1] + F(k, steps) * (b[1] - a[1]))
        for a in points
        for b in points
        for k in range(steps)
    ]


def exactly(condition: Any, hull: rh.RocHull) -> Point:
    """The exact point that is chosen, which `at` rounds to floats."""
    choice = optimum.best(condition, hull.frontier)
    x, y = hull.frontier.point(choice.left)
    if choice.share:
        x1, y1 = hull.frontier.point(choice.left + 1)
        x, y = x + choice.share * (x1 - x), y + choice.share * (y1 - y)
    assert hull.at(condition).fpr == float(x)
    assert hull.at(condition).tpr == float(y)
    return x, y


# --- linear costs -------------------------------------------------------------------------------

COSTS = [(1, 1, 0.5), (1, 5, 0.2), (7, 1, 0.3), (1, 1, 0.3), (0.1, 0.3, 0.25), (1, 1000, 0.01)]
DEGENERATE = [(3, 2, 0), (3, 2, 1), (0, 1, 0.5), (1, 0, 0.5)]  # slopes of infinity and zero


@pytest.mark.parametrize(("cost_fp", "cost_fn", "prevalence"), COSTS + DEGENERATE)
def test_linear_costs_against_all_thresholds(cost_fp: float, cost_fn: float, prevalence: float) -> None:
    condition = rh.ExpectedCost(cost_fp, cost_fn, prevalence)
    p, of_fp, of_fn = F(str(prevalence)), F(str(cost_fp)), F(str(cost_fn))
    for seed in SEEDS:
        y, score = examples(seed)
        hull = rh.roc_hull(y, score)
        points = by_hand(y, score)
        # Equal costs: the lower false positive rate, then the higher true positive rate.
        best = min(((1 - p) * of_fp * fpr + p * of_fn * (1 - tpr), fpr, -tpr) for fpr, tpr in points.values())
        assert exactly(condition, hull) == (best[1], -best[2])
        point = hull.at(condition)
        assert point.source == "vertex"
        assert math.isclose(point.expected_cost(condition), best[0], rel_tol=1e-14, abs_tol=1e-15)
        ((rule, probability),) = point.rules
        assert probability == 1
        if rule.kind == "always":
            assert points[min(score)] == (best[1], -best[2])
        else:
            assert points[rule.threshold] == (best[1], -best[2])


@pytest.mark.parametrize(("prevalence", "rise", "run"), [(0.3, 7, 3), (0.1, 9, 1), (0.07, 93, 7)])
def test_prevalence_is_read_as_a_decimal(prevalence: float, rise: int, run: int) -> None:
    """A prevalence of 0.3 means 3/10: at equal costs the ends of an edge of slope 7/3 tie, on paper."""
    left = rh.roc_hull([1] * 100 + [0] * 100, [2] * rise + [1] * (100 - rise) + [2] * run + [1] * (100 - run))
    vertex = (F(run, 100), F(rise, 100))
    assert exactly(rh.Accuracy(prevalence), left) == (0, 0)
    assert exactly(rh.Accuracy(prevalence + 1e-9), left) == vertex
    # And of slope 3/7, turned round.
    right = rh.roc_hull(
        [0] * 100 + [1] * 100, [1] * rise + [2] * (100 - rise) + [1] * run + [2] * (100 - run)
    )
    vertex = (F(100 - rise, 100), F(100 - run, 100))
    assert exactly(rh.Accuracy(1 - prevalence), right) == vertex
    assert exactly(rh.Accuracy(1 - prevalence + 1e-9), right) == (1, 1)


def test_duplicated_priors() -> None:
    """Conditions may repeat: each answer depends on its own condition only."""
    hull = rh.roc_hull(*examples(1))
    priors = [0.2, 0.5, 0.2, 0.2, 0.5]
    found = [hull.at(rh.Accuracy(p)) for p in priors]
    assert found[0] == found[2] == found[3]
    assert found[1] == found[4]


# --- one constraint -----------------------------------------------------------------------------


def is_fpr_at_most(limit: float) -> Any:
    return rh.NeymanPearson(limit), lambda x, y: x <= F(str(limit)), lambda x, y: (y, -x)


def is_recall_at_least(limit: float) -> Any:
    return rh.MinimumRecall(limit), lambda x, y: y >= F(str(limit)), lambda x, y: (-x, y)


def is_precise(limit: float, prevalence: float) -> Any:
    p, least = F(str(prevalence)), F(str(limit))

    def feasible(x: F, y: F) -> bool:
        return x + y > 0 and p * y >= least * (p * y + (1 - p) * x)

    return rh.MinimumPrecision(limit, prevalence), feasible, lambda x, y: (y, -x)


def is_within_capacity(limit: float, prevalence: float, absolute: bool) -> Any:
    p = F(str(prevalence))
    if absolute:
        condition = rh.Capacity(cases=limit * 100, population=100, prevalence=prevalence)
        share = F(str(float(limit * 100))) / 100
    else:
        condition = rh.Capacity(fraction=limit, prevalence=prevalence)
        share = F(str(limit))
    return condition, lambda x, y: p * y + (1 - p) * x <= share, lambda x, y: (y, -x)


CONSTRAINTS = [is_fpr_at_most(v) for v in LIMITS] + [is_recall_at_least(v) for v in LIMITS]
CONSTRAINTS += [is_precise(v, p) for v in LIMITS for p in (0.01, 0.3, 0.9)]
CONSTRAINTS += [
    is_within_capacity(v, p, absolute) for v in LIMITS for p in (0, 0.1, 1) for absolute in (0, 1)
]


@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=lambda c: repr(c[0]))
def test_constraint_against_all_points_and_mixtures(constraint: Any) -> None:
    condition, feasible, merit = constraint
    for seed in (0, 1, 2, 3, 4, 5, 7, 9):
        y, score = examples(seed)
        hull = rh.roc_hull(y, score)
        points = list(by_hand(y, score).values())
        possible = [merit(*point) for point in mixtures(points[:: 1 + len(points) // 8]) if feasible(*point)]
        possible += [merit(*point) for point in points if feasible(*point)]
        try:
            x, y_ = exactly(condition, hull)
        except rh.InfeasibleConditionError:
            assert possible == []
            continue
        assert feasible(x, y_)
        assert all(merit(x, y_) >= other for other in possible)
        point = hull.at(condition)
        assert point.source == ("vertex" if len(point.rules) == 1 else "edge")
        assert math.isclose(sum(share for _, share in point.rules), 1)
        check_mixture(point, hull, (x, y_))


def check_mixture(point: rh.OperatingPoint, hull: rh.RocHull, exact_rates: Point) -> None:
    """The rules and shares of a point reach its rates."""
    where = {rule: hull.frontier.point(i) for i, rules in enumerate(hull.owners) for rule in rules}
    for axis in (0, 1):
        reached = sum(share * float(where[rule][axis]) for rule, share in point.rules)
        assert math.isclose(reached, exact_rates[axis], abs_tol=1e-14)


def test_limits_on_a_vertex_give_the_vertex() -> None:
    for seed in SEEDS:
        y = np.repeat([0, 1], [10, 20])
        hull = rh.roc_hull(y, np.round(np.random.default_rng(seed).normal(size=30) + y, 1))
        for i in range(len(hull)):
            fpr, tpr = hull.frontier.point(i)
            if i and hull.fp[i] > hull.fp[i - 1] and hull.tp[i] > hull.tp[i - 1]:
                assert exactly(rh.NeymanPearson(float(fpr)), hull) == (fpr, tpr)
                assert hull.at(rh.NeymanPearson(float(fpr))).source == "vertex"
            if tpr < 1 and hull.fp[i] < hull.fp[i + 1]:
                assert exactly(rh.MinimumRecall(float(tpr)), hull) == (fpr, tpr)
                point = hull.at(rh.Capacity(cases=float(5 * tpr + 5 * fpr), population=10, prevalence=0.5))
                assert (point.fpr, point.tpr, point.source) == (float(fpr), float(tpr), "vertex")


def test_better_ends_of_vertical_and_top_edges() -> None:
    perfect = rh.roc_hull([0, 0, 1, 1], [1, 2, 3, 4])
    for condition in (
        rh.NeymanPearson(0), rh.NeymanPearson(0.4), rh.NeymanPearson(1), rh.MinimumRecall(0),
        rh.MinimumRecall(0.4), rh.MinimumRecall(1), rh.MinimumPrecision(1, 0.1), rh.MinimumPrecision(0, 0.1),
        rh.Capacity(fraction=0.5, prevalence=0.5), rh.Capacity(fraction=1, prevalence=0.5),
    ):  # fmt: skip
        assert (exactly(condition, perfect), hull_source(condition, perfect)) == ((0, 1), "vertex")
    # A capacity ends on the vertical edge, where no end is both feasible and better.
    assert exactly(rh.Capacity(fraction=0.25, prevalence=0.5), perfect) == (0, F(1, 2))
    assert hull_source(rh.Capacity(fraction=0.25, prevalence=0.5), perfect) == "edge"


def hull_source(condition: Any, hull: rh.RocHull) -> str:
    return hull.at(condition).source


# --- what cannot be reached ---------------------------------------------------------------------


def test_infeasible_precision_says_what_is_reachable() -> None:
    hull = rh.roc_hull([1, 0, 1, 0], [2, 2, 1, 0])  # vertex (1/2, 1): precision 2/3 at prevalence 1/2
    assert exactly(rh.MinimumPrecision(0.66, 0.5), hull)[1] == 1
    for deterministic in (False, True):
        with pytest.raises(
            rh.InfeasibleConditionError, match=r"0\.7 cannot be met .* reached is 0\.666667\."
        ):
            hull.at(rh.MinimumPrecision(0.7, 0.5), deterministic)


def test_precision_is_undefined_where_nothing_is_positive() -> None:
    useless = rh.roc_hull([1, 0], [1, 1])
    assert exactly(rh.MinimumPrecision(0.5, 0.5), useless) == (1, 1)
    with pytest.raises(rh.InfeasibleConditionError, match=r"is 0\.5\."):
        useless.at(rh.MinimumPrecision(0.51, 0.5))
    with pytest.raises(rh.InfeasibleConditionError):
        useless.at(rh.MinimumPrecision(1, 0.5))


@pytest.mark.parametrize("deterministic", [False, True])
def test_infeasible_linear_constraint(deterministic: bool) -> None:
    hull = rh.roc_hull([1, 0], [1, 0])
    condition = rh.Constrained(lambda fpr, tpr: tpr, a=1, b=2, c=-0.5)
    with pytest.raises(rh.InfeasibleConditionError, match=r"1 tpr \+ 2 fpr <= -0\.5: .* is 0\."):
        hull.at(condition, deterministic)
    assert issubclass(rh.InfeasibleConditionError, ValueError)


def test_not_a_condition() -> None:
    hull = rh.roc_hull([1, 0], [1, 0])
    for value in (0.5, None, "accuracy", rh.Accuracy):
        with pytest.raises(TypeError, match="condition must be an operating condition"):
            hull.at(value)  # type: ignore[arg-type]
    for function in (optimum.best, optimum.best_single):
        with pytest.raises(TypeError, match="condition must be an operating condition"):
            function(0.5, hull.frontier)  # type: ignore[arg-type]


# --- one threshold ------------------------------------------------------------------------------


@pytest.mark.parametrize("constraint", CONSTRAINTS[::2], ids=lambda c: repr(c[0]))
def test_deterministic_against_all_points_of_the_curve(constraint: Any) -> None:
    condition, feasible, merit = constraint
    for seed in (0, 1, 2, 3, 4, 5, 7, 9):
        y, score = examples(seed)
        points = by_hand(y, score)
        held, bare = rh.RocHull.from_curve(rh.roc_curve(y, score)), rh.roc_hull(y, score)
        vertices = [bare.frontier.point(i) for i in range(len(bare))]
        for hull, candidates in ((held, list(points.values())), (bare, vertices)):
            possible = [merit(*xy) for xy in candidates if feasible(*xy)]
            if not possible:
                with pytest.raises(rh.InfeasibleConditionError):
                    hull.at(condition, deterministic=True)
                continue
            point = hull.at(condition, deterministic=True)
            ((rule, probability),) = point.rules
            assert probability == 1
            rates = points[rule.threshold] if rule.kind != "always" else (F(1), F(1))
            assert (point.fpr, point.tpr) == tuple(map(float, rates))
            assert feasible(*rates)
            assert merit(*rates) == max(possible)
            assert point.source == ("vertex" if rates in vertices else "curve")


def test_deterministic_linear_costs_need_no_curve() -> None:
    y, score = examples(2)
    held, bare = rh.RocHull.from_curve(rh.roc_curve(y, score)), rh.roc_hull(y, score)
    for condition in (rh.Accuracy(0.3), rh.ExpectedCost(5, 1, 0.5)):
        assert held.at(condition, deterministic=True) == bare.at(condition)


# --- limits on the population's rate ------------------------------------------------------------


@pytest.mark.parametrize("curve", [False, True])
def test_confidence_bounds_the_population_rate(curve: bool) -> None:
    """The rate in the population breaks the limit in at most 1 - confidence of the samples."""
    rng = np.random.default_rng(0)
    broken_fpr = broken_tpr = 0
    runs, limit, confidence = 400, 0.1, 0.9
    for _ in range(runs):
        y = np.repeat([0, 1], 200)
        score = rng.normal(size=400) + y
        made = rh.RocHull.from_curve(rh.roc_curve(y, score)) if curve else rh.roc_hull(y, score)
        threshold = made.at(rh.NeymanPearson(limit, confidence=confidence)).rules[0][0].threshold
        broken_fpr += threshold is not None and scipy.stats.norm.sf(threshold) > limit
        threshold = made.at(rh.MinimumRecall(1 - limit, confidence=confidence)).rules[0][0].threshold
        broken_tpr += threshold is not None and scipy.stats.norm.cdf(threshold - 1) > limit
    allowed = runs * (1 - confidence) + 3 * np.sqrt(runs * confidence * (1 - confidence))
    assert broken_fpr <= allowed
    assert broken_tpr <= allowed
    if curve:  # the raw curve comes close to the bound, so it is not wasteful either
        assert broken_fpr > 0
        assert broken_tpr > 0


def test_confidence_is_stricter_and_says_what_it_needs() -> None:
    y, score = np.repeat([0, 1], 50), np.arange(100.0)
    made = rh.RocHull.from_curve(rh.roc_curve(y, np.concatenate([score[::2], score[1::2]])))
    plain = made.at(rh.NeymanPearson(0.1), deterministic=True)
    assured = made.at(rh.NeymanPearson(0.1, confidence=0.95))
    assert assured.fpr < plain.fpr
    assert len(assured.rules) == 1
    with pytest.raises(rh.InfeasibleConditionError, match="with 50 negatives: it takes at least 299"):
        made.at(rh.NeymanPearson(0.01, confidence=0.95))
    with pytest.raises(rh.InfeasibleConditionError, match="with 50 positives: it takes at least inf"):
        made.at(rh.MinimumRecall(1.0, confidence=0.95))
    with pytest.raises(ValueError, match=r"^confidence must lie strictly between 0 and 1"):
        rh.NeymanPearson(0.1, confidence=1)
    with pytest.raises(ValueError, match=r"^confidence needs the hull of one classifier"):
        rh.union({"a": made}).at(rh.NeymanPearson(0.1, confidence=0.9))
    weighted = rh.roc_hull(y, score, sample_weight=np.ones(100))
    with pytest.raises(ValueError, match=r"^confidence needs the hull of one classifier"):
        weighted.at(rh.MinimumRecall(0.1, confidence=0.9))
