"""Several limits at once, against every vertex, edge and crossing of limits, and against linear programming."""

from __future__ import annotations

import itertools
import warnings
from fractions import Fraction
from fractions import Fraction as F
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given
from scipy.optimize import linprog

import rochull as rh
from adversaries import examples
from profiles import some, tries
from rochull.conditions.frontier import Choice
from rochull.conditions.ranges import exact

SHARES = st.integers(0, 20).map(lambda k: k / 20)
INNER = st.integers(1, 19).map(lambda k: k / 20)
LIMITS = st.one_of(
    SHARES.map(lambda c: rh.FalsePositiveRate() <= c),
    SHARES.map(lambda c: rh.Recall() >= c),
    st.tuples(INNER, SHARES).map(lambda p: rh.Precision(p[0]) >= p[1]),
    st.tuples(INNER, SHARES).map(lambda p: rh.AlarmRate(p[0]) <= p[1]),
    st.tuples(INNER, INNER, SHARES).map(lambda p: rh.AlarmRate((min(p[:2]), max(p[:2]))) <= p[2]),
    st.tuples(INNER, INNER, SHARES).map(lambda p: rh.Precision((min(p[:2]), max(p[:2]))) >= p[2]),
)
COSTS = st.tuples(st.integers(0, 5), st.integers(1, 5), INNER).map(lambda p: rh.ExpectedCost(*p))
GOALS = st.one_of(
    COSTS,
    st.sampled_from([rh.Recall(), rh.FalsePositiveRate(), rh.NeymanPearson(0.45), rh.MinimumRecall(0.3)]),
    INNER.map(rh.Precision),
    INNER.map(rh.AlarmRate),
)


def half_planes(condition: rh.Within) -> list[tuple[Any, Any, Any]]:
    """By hand, (a, b, c) of a tpr + b fpr <= c."""
    found = []
    limits = [*condition.limits]
    if isinstance(condition.goal, rh.NeymanPearson):
        limits.append(rh.FalsePositiveRate() <= condition.goal.max_fpr)
    if isinstance(condition.goal, rh.MinimumRecall):
        limits.append(rh.Recall() >= condition.goal.min_tpr)
    for limit in limits:
        c, name = exact(limit.limit), type(limit.measure).__name__
        ends = getattr(limit.measure, "prevalence", 0.5)
        for end in ends if isinstance(ends, tuple) else (ends,):
            p = exact(end)
            found.append(
                {
                    "FalsePositiveRate": (0, 1, c),
                    "Recall": (-1, 0, -c),
                    "Precision": (-p * (1 - c), c * (1 - p), 0),
                    "AlarmRate": (p, 1 - p, c),
                }[name]
            )
    return found


def by_hand(frontier: Any, condition: rh.Within, *, mixed: bool) -> Any:
    """What the best of all vertices, and of all places where a limit cuts an edge, is worth; None if none."""
    planes = half_planes(condition)
    points = frontier.points()
    if mixed:
        for (x0, y0), (x1, y1) in itertools.pairwise(frontier.points()):
            for a, b, c in planes:
                at_0, at_1 = a * y0 + b * x0 - c, a * y1 + b * x1 - c
                if at_0 != at_1 and 0 <= (share := Fraction(at_0, at_0 - at_1)) <= 1:
                    points.append((x0 + share * (x1 - x0), y0 + share * (y1 - y0)))
    kept = [(x, y) for x, y in points if all(a * y + b * x <= c for a, b, c in planes)]
    if any("Precision" in str(limit) for limit in condition.limits):
        kept = [point for point in kept if any(point)]
    return max((worth(condition, point, mixed=mixed) for point in kept), default=None)


def worth(condition: rh.Within, point: Any, *, mixed: bool) -> Any:
    """The merit; but along the first edge, where the precision is the same, more hits are better than a mixture."""
    merit = condition.question.objective.merit(*point)
    return (merit[0], point[1]) if mixed and isinstance(condition.question.objective, rh.Precision) else merit


def test_of_equal_precision_the_rule_that_the_goal_alone_has_is_kept() -> None:
    hull = rh.roc_hull([1, 1, 0, 1, 1, 0, 0, 0], [3, 3, 3, 2, 2, 2, 1, 0])  # (0, 0), (0.5, 1), (1, 1)
    alone = hull.at(rh.Precision(0.1))
    assert (alone.fpr, alone.tpr) == (0.5, 1)
    assert hull.at(rh.Within(rh.Precision(0.1), rh.Recall() >= 0.05)) == alone
    less = hull.at(rh.Within(rh.Precision(0.1), [rh.Recall() >= 0.05, rh.FalsePositiveRate() <= 0.1]))
    assert (less.fpr, less.tpr) == (0.1, 0.2)


@given(examples(max_size=40), GOALS, st.lists(LIMITS, max_size=4), st.booleans())
def test_the_best_of_all_candidates(data: Any, goal: Any, limits: list[Any], single: bool) -> None:
    y, scores, weights = data
    hull = rh.RocHull.from_curve(rh.roc_curve(y, scores, sample_weight=weights))
    condition = rh.Within(goal, limits)
    frontiers = (
        [hull.frontier, *(curve.frontier for curve in hull.curves.values())] if single else [hull.frontier]
    )
    for frontier in frontiers:
        best = by_hand(frontier, condition, mixed=not single)
        try:
            if single:
                found = frontier.point(condition.question.best_single(frontier))
            else:
                found = condition.question.best(frontier).exact_rates(frontier)
        except rh.InfeasibleConditionError:
            assert best is None
            continue
        assert condition.question.is_met(*found)
        assert worth(condition, found, mixed=not single) == best


@pytest.mark.filterwarnings("ignore:no rule is the best")
@example(
    (np.array([1, 0]), np.array([0.1, 0.1]), None),
    rh.ExpectedCost(1, 1, 0.05),
    [rh.Precision(prevalence=0.05) >= 0.0],
)
@given(examples(max_size=30), COSTS, st.lists(LIMITS, min_size=1, max_size=4))
def test_linear_programming_finds_no_better(data: Any, goal: Any, limits: list[Any]) -> None:
    """The weights of all vertices are free there, so points below the hull are tried too."""
    y, scores, weights = data
    hull = rh.roc_hull(y, scores, sample_weight=weights)
    condition = rh.Within(goal, limits)
    fpr, tpr = hull.fpr, hull.tpr
    planes = half_planes(condition)
    found = linprog(
        goal.question.objective.value(fpr, tpr),
        A_ub=[float(a) * tpr + float(b) * fpr for a, b, _ in planes],
        b_ub=[float(c) for *_, c in planes],
        A_eq=np.ones((1, len(fpr))),
        b_eq=[1],
    )
    try:
        point = hull.at(condition)
    except rh.InfeasibleConditionError:
        if found.success:  # at the origin, where a precision is undefined, or by the solver's tolerance
            at = found.x @ fpr, found.x @ tpr
            excess = max(float(a) * at[1] + float(b) * at[0] - float(c) for a, b, c in planes)
            assert excess > -1e-6
        return
    assert found.success
    assert goal.cost(point.fpr, point.tpr) >= found.fun - 1e-7
    if max(point.fpr, point.tpr) > 1e-9 and all("Precision" not in str(limit) for limit in limits):
        assert goal.cost(point.fpr, point.tpr) <= found.fun + 1e-7


@tries(20)
@given(examples(max_size=30), st.lists(LIMITS, min_size=1, max_size=3))
def test_a_utility_is_best_on_what_the_limits_leave(data: Any, limits: list[Any]) -> None:
    y, scores, weights = data
    hull = rh.roc_hull(y, scores, sample_weight=weights)
    utility = rh.Utility(lambda fpr, tpr: min(tpr, 0.6) - fpr**2)
    condition = rh.Within(utility, limits)
    try:
        stretch = condition.question.stretch(hull.frontier)
    except rh.InfeasibleConditionError:
        return
    found = condition.question.best(hull.frontier)
    # An edge from "never" has the precision of its other end, and "never" has none.
    opens = condition.question.needs_alarms and stretch.low.left <= 1
    assert (Choice(0) if opens else stretch.low) <= found <= stretch.high
    value = condition.question.objective.exact_value(*found.exact_rates(hull.frontier))
    fpr, tpr = stretch.frontier.fpr, stretch.frontier.tpr
    for share in np.linspace(0, 1, 9):
        for i in range(len(fpr) - 1):
            x, y_ = ((1 - share) * r[i] + share * r[i + 1] for r in (fpr, tpr))
            assert value >= min(y_, 0.6) - x**2 - 1e-8


@pytest.mark.filterwarnings("ignore:no rule is the best")
@given(examples(max_size=30), GOALS, st.lists(LIMITS, max_size=4))
def test_one_of_the_relaxations_is_enough(data: Any, goal: Any, limits: list[Any]) -> None:
    y, scores, weights = data
    hull = rh.roc_hull(y, scores, sample_weight=weights)
    try:
        hull.at(rh.Within(goal, limits))
    except rh.InfeasibleConditionError as error:
        text = str(error)
        if "instead would do: " not in text:
            return
        every = [*rh.Within(goal, limits).question.limits]
        measures = {str(limit.measure): limit.measure for limit in every}
        for written in text.split("instead would do: ")[1][:-1].split("; or "):
            name, side, number = written.rsplit(" ", 2)
            measure = measures[name]
            others = [limit for limit in every if limit.measure != measure]
            limit = measure <= float(number) if side == "<=" else measure >= float(number)
            point = hull.at(rh.Within(rh.Recall(), [*others, limit]))
            stated = limit.at_prevalence(hull.prevalence) if limit.lacks_prevalence else limit
            for of_tpr, of_fpr, most in stated.half_planes():
                assert of_tpr * Fraction(point.tpr) + of_fpr * Fraction(point.fpr) - most <= 1e-9


def test_says_which_limits_conflict() -> None:
    hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    limits = [rh.Recall() >= 0.9, rh.FalsePositiveRate() <= 0.2, rh.AlarmRate(prevalence=0.1) <= 0.75]
    with pytest.raises(rh.InfeasibleConditionError) as raised:
        hull.at(rh.Within(rh.ExpectedCost(prevalence=0.1), limits))
    assert str(raised.value) == (
        "no operating point meets Recall() >= 0.9 and FalsePositiveRate() <= 0.2. One of these instead would do: "
        "Recall() >= 0.7; or FalsePositiveRate() <= 0.4."
    )


def test_refuses_what_keeps_rules_from_being_better() -> None:
    with pytest.raises(ValueError, match=r"write Recall\(\) >= 0.5\."):
        rh.Recall() <= 0.5  # noqa: B015 # the comparison is what raises
    with pytest.raises(ValueError, match=r"write Precision\(prevalence=0.1\) >= 0.5\."):
        rh.Precision(0.1) <= 0.5  # noqa: B015
    with pytest.raises(TypeError, match="no truth value"):
        0.1 >= rh.AlarmRate(0.1) <= 0.5  # noqa: B015
    with pytest.raises(ValueError, match="must hold limits such as Recall"):
        rh.Within(rh.Recall(), [rh.Recall()])
    with pytest.raises(ValueError, match=r"confidence=0\.9 needs the examples"):
        rh.Within(rh.NeymanPearson(0.1, confidence=0.9), [rh.Recall() >= 0.5])


# --- a precision, where nobody need be flagged --------------------------------------------------------

EDGE = rh.roc_hull([1, 0, 1, 1, 0, 0, 0, 1, 0, 0], [5, 5, 5, 4, 4, 4, 3, 3, 2, 1])
HALF = rh.Precision(prevalence=0.4) >= 0.5


def cheapest(hull: rh.RocHull, costs: tuple[F, F], p: F, precise: F, least: F | None) -> tuple[F, F | None]:
    """The least cost of points that keep both limits, and what comes as near as one likes to being less.

    Among all vertices and all crossings of edges with the lines of the limits: one of them is best.
    """

    def alarms(x: F, y: F) -> F:
        return p * y + (1 - p) * x

    def is_met(x: F, y: F) -> bool:
        share = alarms(x, y)
        return share > 0 and p * y >= precise * share and (least is None or share >= least)

    points, lines = hull.frontier.points(), [lambda x, y: p * y - precise * alarms(x, y)]
    if least is not None:
        lines.append(lambda x, y: alarms(x, y) - least)
    every = list(points)
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        for line in lines:
            a, b = line(x0, y0), line(x1, y1)
            if a * b < 0:
                t = a / (a - b)
                every.append((x0 + t * (x1 - x0), y0 + t * (y1 - y0)))

    def cost(x: F, y: F) -> F:
        return (1 - p) * costs[0] * x + p * costs[1] * (1 - y)

    found = min(cost(*point) for point in every if is_met(*point))
    nearly = cost(F(0), F(0))
    steps = [cost(t * points[1][0], t * points[1][1]) for t in (F(1, 10**6), F(1, 10**9)) if least is None]
    assert all(step >= min(nearly, found) for step in steps)
    return found, nearly if least is None and nearly < found else None


@pytest.mark.parametrize("seed", some(range(40), 8))
def test_costs_within_a_precision_against_all_crossings(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 25))
    y = rng.permutation(np.arange(n) % 2 == 0)
    hull, p = rh.roc_hull(y, rng.integers(0, 6, n) + 2 * y), F(int(rng.integers(1, 10)), 10)
    costs = F(int(rng.integers(1, 20))), F(int(rng.integers(1, 5)))
    x1, y1 = hull.frontier.point(1)
    best = p * y1 / (p * y1 + (1 - p) * x1)
    goal = rh.ExpectedCost(float(costs[0]), float(costs[1]), float(p))
    for least in (None, F(1, 50), F(3, 10)):
        limits = [rh.Precision() >= best * F(9, 10)]
        limits += [] if least is None else [rh.AlarmRate() >= least]
        question = rh.conditions.Within(goal, limits).question
        if least is not None and not question.allowed(hull.frontier).size:
            continue
        wanted, nearly = cheapest(hull, costs, p, best * F(9, 10), least)
        choice = question.best(hull.frontier)
        x, y = choice.exact_rates(hull.frontier)
        assert question.is_met(x, y)
        assert question.objective.exact_value(x, y) == wanted
        assert question.approached(hull.frontier, choice) == nearly
        lost = question.regret(x, y, hull.frontier)
        assert lost == pytest.approx(float(wanted - (wanted if nearly is None else nearly)), abs=1e-15)


def test_a_best_value_that_no_rule_has_is_said() -> None:
    within = rh.conditions.Within(rh.ExpectedCost(10, 1, 0.4), HALF)
    with pytest.warns(
        UserWarning, match=r"nearer the expected cost per case comes to 0\.4, .* This rule has 1\.2"
    ):
        point = EDGE.at(within)
    assert str(point) == "fpr 0.166667, tpr 0.5: score >= 5"
    assert (
        EDGE.at(within, deterministic=True).rules == point.rules
    )  # the best single rule there is: no warning
    table = (
        rh.Hybrid().add("a", [1, 0, 1, 1, 0, 0, 0, 1, 0, 0], [5, 5, 5, 4, 4, 4, 3, 3, 2, 1]).regret(within)
    )
    assert table["a"].value == table.minimax_regret == pytest.approx(0.8)
    with pytest.warns(UserWarning, match="nearer the false positive rate comes to 0,"):
        EDGE.at(rh.FalsePositiveRate(), subject_to=HALF)


def test_a_least_share_flagged_is_kept_exactly() -> None:
    within = rh.conditions.Within(rh.ExpectedCost(10, 1, 0.4), [HALF, rh.AlarmRate() >= 0.015])
    point = EDGE.at(within)
    assert str(point) == "fpr 0.00833333, tpr 0.025: never (95%) or score >= 5 (5%)"
    assert point.expected_cost(rh.ExpectedCost(10, 1, 0.4)) == pytest.approx(0.44)
    assert within.describe().endswith("at least 0.5 and an alarm rate of at least 0.015; prevalence 0.4")
    recall = EDGE.at(rh.Recall(), subject_to=rh.AlarmRate(prevalence=0.4) >= 0.99)
    assert (recall.tpr, round(0.6 * recall.fpr + 0.4, 12)) == (1, 0.99)
    with pytest.raises(ValueError, match=r"confidence is not for AlarmRate.* >= 0\.015"):
        EDGE.at(rh.conditions.Within(within, (), confidence=0.9))
    with pytest.raises(ValueError, match="keeps rules from being better"):
        rh.FalsePositiveRate() >= 0.1  # noqa: B015


def test_a_range_of_costs_within_a_precision_risks_least_by_flagging_little() -> None:
    within = rh.conditions.Within(rh.ExpectedCost((1, 10), 1, 0.4), HALF)
    table = (
        rh.Hybrid().add("a", [1, 0, 1, 1, 0, 0, 0, 1, 0, 0], [5, 5, 5, 4, 4, 4, 3, 3, 2, 1]).regret(within)
    )
    assert str(table.minimax) == "fpr 0.0185185, tpr 0.0555556: never (88.9%) or a >= 5 (11.1%)"

    def cost(t: F, fp: int) -> F:  # of a share t of the first vertex
        return F(6, 10) * fp * t / 6 + F(4, 10) * (1 - t / 2)

    assert cost(F(0), 1) - cost(F(1), 1) == F(1, 10)  # what costs 1 gain by it, and costs 10 lose
    worst = [
        max(cost(t, 1) - cost(F(1), 1), cost(t, 10) - cost(F(0), 10)) for t in (F(k, 900) for k in range(901))
    ]
    assert min(worst) == worst[100] == F(4, 45)
    assert table.minimax_regret == pytest.approx(4 / 45)


def test_limits_that_leave_one_vertex_have_a_regret() -> None:
    hybrid = rh.Hybrid().add("a", [1, 0, 1, 0], [4, 3, 2, 1])
    asked = rh.conditions.Within(
        rh.ExpectedCost((1, 2), (5, 20), (0.1, 0.3)), rh.Precision(prevalence=0.3) >= 1
    )
    assert hybrid.regret(asked).minimax_regret == 0


@pytest.mark.parametrize("seed", some(range(30), 6))
def test_the_limits_that_are_offered_instead_work(seed: int) -> None:
    """With a single rule as with a mixture; what mixtures would do is of no use to single rules."""
    rng, offered = np.random.default_rng(seed), 0
    for _ in range(12):
        hull = rh.roc_hull(rng.permutation(np.arange(12) % 2), rng.integers(0, 5, 12))
        limits = [
            rh.Recall() >= float(rng.choice([0.55, 0.8, 0.93])),
            rh.FalsePositiveRate() <= float(rng.choice([0.04, 0.27, 0.4])),
            rh.Precision(prevalence=0.3) >= float(rng.choice([0.2, 0.35, 0.5])),
            rh.AlarmRate(prevalence=0.3) <= float(rng.choice([0.1, 0.37])),
        ]
        limits = [limits[i] for i in rng.choice(4, 2, replace=False)]
        for deterministic in (False, True):
            goal = rh.ExpectedCost(1, 1, 0.3)
            try:
                hull.at(rh.conditions.Within(goal, limits), deterministic=deterministic)
            except rh.InfeasibleConditionError as error:
                told = str(error).partition("instead would do: ")[2].rstrip(".")
                for text in told.split("; or ") if told else ():
                    other = eval(text, vars(rh))  # which is how a limit is shown
                    kept = [x for x in limits if x.measure != other.measure]
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        hull.at(rh.conditions.Within(goal, [*kept, other]), deterministic=deterministic)
                    offered += 1
            except UserWarning:
                continue
    assert offered > 3
