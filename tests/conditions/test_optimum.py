"""Optimal points against brute force in exact fractions, on random hulls."""

import math
import warnings
from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from profiles import some

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
    x, y = condition.question.best(hull.frontier).exact_rates(hull.frontier)
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


# --- one constraint -----------------------------------------------------------------------------


def is_fpr_at_most(limit: float) -> Any:
    return rh.NeymanPearson(limit), lambda x, y: float(x) <= limit, lambda x, y: (y, -x)


def is_recall_at_least(limit: float) -> Any:
    return rh.MinimumRecall(limit), lambda x, y: float(y) >= limit, lambda x, y: (-x, y)


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
    for seed in some((0, 1, 2, 3, 4, 5, 7, 9), 2):
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


def check_mixture(point: rh.conditions.OperatingPoint, hull: rh.RocHull, exact_rates: Point) -> None:
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
        assert (exactly(condition, perfect), perfect.at(condition).source) == ((0, 1), "vertex")
    # A capacity ends on the vertical edge, where no end is both feasible and better.
    assert exactly(rh.Capacity(fraction=0.25, prevalence=0.5), perfect) == (0, F(1, 2))
    assert perfect.at(rh.Capacity(fraction=0.25, prevalence=0.5)).source == "edge"


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


# --- one threshold ------------------------------------------------------------------------------


def without_curve(y: Any, score: Any) -> rh.RocHull:
    """The hull that holds its vertices and blocks alone."""
    return replace(rh.roc_hull(y, score), curves={})


@pytest.mark.parametrize("constraint", CONSTRAINTS[::2], ids=lambda c: repr(c[0]))
def test_deterministic_against_all_points_of_the_curve(constraint: Any) -> None:
    condition, feasible, merit = constraint
    for seed in some((0, 1, 2, 3, 4, 5, 7, 9), 2):
        y, score = examples(seed)
        points = by_hand(y, score)
        held, bare = rh.RocHull.from_curve(rh.roc_curve(y, score)), without_curve(y, score)
        vertices = [bare.frontier.point(i) for i in range(len(bare))]
        every = list(points.values())
        for hull, candidates in ((held, every), (rh.roc_hull(y, score), every), (bare, vertices)):
            possible = [merit(*xy) for xy in candidates if feasible(*xy)]
            if not possible:
                with pytest.raises(rh.InfeasibleConditionError):
                    hull.at(condition, deterministic=True)
                continue
            with warnings.catch_warnings(record=True, action="always") as said:
                point = hull.at(condition, deterministic=True)
            assert ["not every threshold" in str(each.message) for each in said] == [True] * bool(
                hull.unknown_thresholds
            )
            ((rule, probability),) = point.rules
            assert probability == 1
            rates = points[rule.threshold] if rule.kind != "always" else (F(1), F(1))
            assert (point.fpr, point.tpr) == tuple(map(float, rates))
            assert feasible(*rates)
            assert merit(*rates) == max(possible)
            assert point.source == ("vertex" if rates in vertices else "curve")


def test_deterministic_linear_costs_need_no_curve() -> None:
    y, score = examples(2)
    held, bare = rh.RocHull.from_curve(rh.roc_curve(y, score)), without_curve(y, score)
    for condition in (rh.Accuracy(0.3), rh.ExpectedCost(5, 1, 0.5)):
        assert held.at(condition, deterministic=True) == bare.at(condition)


@pytest.mark.parametrize("rows", [200, 0])
def test_deterministic_is_never_worse_than_a_threshold(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    """Issue of a user: at a false positive rate of 0.1 the best of all thresholds was missed by five points."""
    monkeypatch.setattr("rochull.hull.refine.SORT_ROWS", rows)
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [90, 60])
    score = rng.normal(size=150) + y
    lower = rh.roc_hull(y, 0 - score, lower_is_positive=True)
    for hull in (rh.roc_hull(y, score), lower):
        assert bool(hull.curves) == (y.size < rows)
        with warnings.catch_warnings(record=True, action="always") as said:
            hull.at(rh.Accuracy(0.3), deterministic=True)
            hull.at(rh.NeymanPearson(0.1))
        assert not said
    if rows:
        raw = rh.roc_curve(y, score)
        for limit in np.linspace(0, 1, 21).tolist():
            best = raw.tpr[raw.fpr <= limit].max()
            for hull in (rh.roc_hull(y, score), lower):
                assert hull.at(rh.NeymanPearson(limit), deterministic=True).tpr == best
    else:
        with pytest.warns(UserWarning, match="not every threshold"):
            hull.at(rh.NeymanPearson(0.1), deterministic=True)


def test_no_word_where_nothing_lies_between_vertices() -> None:
    hull = without_curve(np.array([1, 0, 1, 0]), np.array([4.0, 3.0, 3.0, 1.0]))
    with warnings.catch_warnings(action="error"):
        assert hull.at(rh.NeymanPearson(0.4), deterministic=True).tpr == 0.5


# --- limits on the population's rate ------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("curve", [False, True])
def test_confidence_bounds_the_population_rate(curve: bool) -> None:
    """The rate in the population breaks the limit in at most 1 - confidence of the samples."""
    rng = np.random.default_rng(0)
    broken_fpr = broken_tpr = 0
    runs, limit, confidence = 400, 0.1, 0.9
    for _ in range(runs):
        y = np.repeat([0, 1], 200)
        score = rng.normal(size=400) + y
        made = rh.RocHull.from_curve(rh.roc_curve(y, score)) if curve else without_curve(y, score)
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
    for condition, message in (
        (rh.NeymanPearson(0.01, confidence=0.95), "with 50 negatives: it takes at least 299"),
        (rh.MinimumRecall(1.0, confidence=0.95), r"50 positives: no number of positives is enough\.$"),
        (rh.NeymanPearson(0, confidence=0.95), r"50 negatives: no number of negatives is enough\.$"),
    ):
        with pytest.raises(rh.InfeasibleConditionError, match=message):
            made.at(condition)
    with pytest.raises(ValueError, match=r"^confidence must lie strictly between 0 and 1"):
        rh.NeymanPearson(0.1, confidence=1)
    with pytest.raises(ValueError, match=r"^confidence needs the hull of one classifier"):
        rh.union({"a": made}).at(rh.NeymanPearson(0.1, confidence=0.9))
    weighted = rh.roc_hull(y, score, sample_weight=np.ones(100))
    with pytest.raises(ValueError, match=r"^confidence needs the hull of one classifier"):
        weighted.at(rh.MinimumRecall(0.1, confidence=0.9))


def most_errors(n: int, limit: F, confidence: F) -> int:
    """The twin: add up the binomial distribution in fractions while it stays within 1 - confidence."""
    total, k = F(0), 0
    while k <= n:
        total += math.comb(n, k) * limit**k * (1 - limit) ** (n - k)
        if total > 1 - confidence:
            break
        k += 1
    return k - 1


@given(
    n=st.integers(1, 150),
    limit=st.integers(1, 99).map(lambda k: k / 100) | st.sampled_from([0.5, 0.001, 1e-9, 0.125]),
    confidence=st.integers(1, 99).map(lambda k: k / 100) | st.sampled_from([0.75, 0.999, 0.19, 0.271]),
)
def test_allowed_errors_against_fractions(n: int, limit: float, confidence: float) -> None:
    wanted = most_errors(n, F(str(limit)), F(str(confidence)))
    for condition in (
        rh.NeymanPearson(limit, confidence=confidence),
        rh.MinimumRecall(float(1 - F(str(limit))), confidence=confidence),
    ):
        if wanted >= 0:
            assert condition.allowed_errors(n) == wanted
            continue
        with pytest.raises(rh.InfeasibleConditionError) as caught:
            condition.allowed_errors(n)
        least = int(str(caught.value).rsplit(" ", 1)[1].rstrip("."))
        if least < 10_000:
            assert most_errors(least, F(str(limit)), F(str(confidence))) >= 0
            assert most_errors(least - 1, F(str(limit)), F(str(confidence))) == -1
        else:
            assert least == math.ceil(math.log(1 - confidence) / math.log1p(-limit))


@pytest.mark.parametrize(
    ("limit", "confidence", "n", "allowed"),
    [  # the binomial sum equals 1 - confidence on paper, and misses it as floats in some of these
        (0.5, 0.75, 2, 0),  # 1/4
        (0.1, 0.19, 2, 0),  # 0.81
        (0.1, 0.271, 3, 0),  # 0.729
        (0.3, 0.657, 3, 0),  # 0.343
        (0.5, 0.5, 5, 2),  # half, by symmetry
        (0.5, 0.5, 501, 250),
        (0.2, 0.104, 3, 1),  # 0.512 + 0.384
    ],
)
def test_a_binomial_sum_that_is_just_enough(limit: float, confidence: float, n: int, allowed: int) -> None:
    assert rh.NeymanPearson(limit, confidence=confidence).allowed_errors(n) == allowed
    assert rh.MinimumRecall(1 - limit, confidence=confidence).allowed_errors(n) == allowed
    finer = confidence + 1e-15
    assert most_errors(n, F(str(limit)), F(str(finer))) == allowed - 1
    if allowed:
        assert rh.NeymanPearson(limit, confidence=finer).allowed_errors(n) == allowed - 1


def test_allowed_errors_of_the_paper() -> None:
    """Tong, Feng & Li 2018, section 3: 59 is the least sample size for alpha = delta = 0.05."""
    condition = rh.NeymanPearson(0.05, confidence=0.95)
    assert condition.allowed_errors(59) == 0
    with pytest.raises(rh.InfeasibleConditionError, match="with 58 negatives: it takes at least 59"):
        condition.allowed_errors(58)


def test_allowed_errors_of_many_examples() -> None:
    condition = rh.NeymanPearson(0.001, confidence=0.99)
    n = 10_000_000
    allowed = condition.allowed_errors(n)
    assert scipy.stats.binom.cdf(allowed, n, 0.001) <= 0.01 < scipy.stats.binom.cdf(allowed + 1, n, 0.001)
    assert allowed == pytest.approx(10_000 - 2.326 * math.sqrt(9_990), abs=3)  # the normal approximation


def test_a_tie_of_many_examples_is_settled_on_the_safe_side() -> None:
    """P(Binomial(n, 1/2) <= (n - 1) / 2) is 1/2 exactly; beyond 1,000 examples that is not worked out."""
    condition = rh.NeymanPearson(0.5, confidence=0.5)
    assert condition.allowed_errors(999) == 499
    assert condition.allowed_errors(1_001) == 499


def test_a_limit_that_no_rule_can_break() -> None:
    made = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    point = made.at(rh.NeymanPearson(1, confidence=0.999))
    assert (point.fpr, point.tpr) == (0.5, 1)
    point = made.at(rh.MinimumRecall(0, confidence=0.999))
    assert (point.fpr, point.tpr) == (0, 0.5)  # free true positives are taken


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("tail", ["", "infinite"])
def test_the_assured_threshold_by_hand(seed: int, tail: str) -> None:
    """Of all rules with few enough errors the best one, on ties and infinite scores too."""
    rng = np.random.default_rng(seed)
    y = np.append(rng.integers(0, 2, 60), [0, 1])
    score = np.round(rng.normal(size=62) + y, seed % 3)
    if tail:
        score[rng.integers(0, 62, 8)] = np.inf
        score[rng.integers(0, 62, 8)] = -np.inf
    made = rh.RocHull.from_curve(rh.roc_curve(y, score))
    points = by_hand(y, score)
    n_neg, n_pos = int((y == 0).sum()), int((y == 1).sum())
    few = most_errors(n_neg, F("0.3"), F("0.9"))
    point = made.at(rh.NeymanPearson(0.3, confidence=0.9))
    best = max((tpr, -fpr) for fpr, tpr in points.values() if fpr * n_neg <= few)
    assert (point.tpr, -point.fpr) == tuple(map(float, best))
    few = most_errors(n_pos, F("0.3"), F("0.9"))
    point = made.at(rh.MinimumRecall(0.7, confidence=0.9))
    best = max((-fpr, tpr) for fpr, tpr in points.values() if (1 - tpr) * n_pos <= few)
    assert (-point.fpr, point.tpr) == tuple(map(float, best))


@pytest.mark.long
@pytest.mark.parametrize("ties", ["none", "many", "infinite"])
def test_violations_of_one_threshold(ties: str) -> None:
    """40,000 samples: the population's rate breaks the limit in at most 1 - confidence of them.

    A threshold with k allowed errors of n is the least score above the (k + 1)-th highest negative one, so
    uniform negatives suffice; with ties it is the next higher value that occurs.
    """
    rng = np.random.default_rng(7)
    n, limit, confidence, runs = 150, 0.08, 0.9, 40_000
    allowed = rh.NeymanPearson(limit, confidence=confidence).allowed_errors(n)
    scores = rng.random((runs, n))
    if ties == "many":
        scores = np.floor(scores * 50) / 50
    if ties == "infinite":
        scores[scores > 0.95] = np.inf
    beyond = np.partition(scores, n - 1 - allowed, axis=1)[:, n - 1 - allowed]
    if ties == "many":  # positive iff the score is at least the value after `beyond`
        rates = np.maximum(0, 1 - np.round(beyond * 50 + 1) / 50)
    else:
        rates = np.where(beyond == np.inf, 0, 1 - beyond)
    violations = np.mean(rates > limit + 1e-12)
    noise = 3 * math.sqrt(confidence * (1 - confidence) / runs)
    assert violations <= 1 - confidence + noise
    if ties == "none":  # exactly P(Binomial <= allowed): nothing is wasted
        assert violations == pytest.approx(scipy.stats.binom.cdf(allowed, n, limit), abs=noise)
    # One error more would break the promise.
    beyond = np.partition(scores, n - 2 - allowed, axis=1)[:, n - 2 - allowed]
    if ties == "none":
        assert np.mean(1 - beyond > limit) > 1 - confidence + noise


# cutpointr 1.1.2 in R (Thiele & Hirschfeld 2021) on its data `suicide`: a sum of answers, 0 to 11, of people without
# and with an attempt (von Glischinski et al. 2016). Each metric's cut-point, sensitivity and specificity.
NO_ATTEMPT = [376, 52, 12, 12, 28, 10, 5, 0, 0, 0, 1, 0]
AN_ATTEMPT = [2, 2, 3, 1, 8, 4, 9, 3, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("condition", "cutpoint", "sensitivity", "specificity"),
    [
        (rh.Youden(), 2, 0.888888888889, 0.862903225806),
        (rh.ExpectedCost(1, 10), 2, 0.888888888889, 0.862903225806),
        (rh.FBeta(1), 5, 0.555555555556, 0.967741935484),
        (rh.Accuracy(), 6, 0.444444444444, 0.987903225806),
        (rh.NeymanPearson(max_fpr=0.1), 4, 0.777777777778, 0.911290322581),
        (rh.MinimumRecall(0.9), 1, 0.944444444444, 0.758064516129),
    ],
    ids=str,
)
def test_cutpoints_of_cutpointr(
    condition: Any, cutpoint: int, sensitivity: float, specificity: float
) -> None:
    y = np.repeat([0, 1], [sum(NO_ATTEMPT), sum(AN_ATTEMPT)])
    score = np.repeat([*range(12), *range(12)], NO_ATTEMPT + AN_ATTEMPT)
    assert rh.roc_auc(y, score) == pytest.approx(0.923779121864, abs=1e-12)
    found = rh.RocHull.from_curve(rh.roc_curve(y, score)).at(condition, deterministic=True)
    assert [rule.threshold for rule, _ in found.rules] == [cutpoint]
    assert (found.tpr, 1 - found.fpr) == pytest.approx((sensitivity, specificity), abs=1e-12)
