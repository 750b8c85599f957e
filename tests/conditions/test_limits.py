"""Limits along any line, against all vertices, all crossings of edges, and all points of a curve."""

import itertools
import math
import pickle
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rochull as rh
from profiles import some, tries
from rochull._core.validation import real
from rochull.conditions.frontier import Frontier, HalfPlane
from rochull.conditions.limits import WithinHalfPlane
from rochull.conditions.objectives import FALSE_POSITIVE_RATE, TRUE_POSITIVE_RATE, RateLimit

LINES = [
    (0, 1, 0.3), (1, 1, 0.9), (0.3, 0.7, 0.25), (0, 0, 0), (0, 0, -1), (1, 2, -0.5),  # not too much is called
    (-1, 0, -0.6), (-1, -1, -1.2), (-1, -2, -3.5), (0, -1, -0.25),  # enough is called
    (-1, 1, -0.1), (-1, 1, -0.9), (-1, 1, 0.5), (-0.2, 0.6, 0), (-0.5, 0.4, -0.2), (-0.3, 2, 0.1),  # both ways
]  # fmt: skip


@dataclass(frozen=True)
class Lowest(WithinHalfPlane):
    """The lowest false positive rate on one side of a line."""

    objective = FALSE_POSITIVE_RATE
    limited = "{a, number} tpr + {b, number} fpr <= {c, number}"

    a: float
    b: float
    c: float

    def __post_init__(self) -> None:
        self._check(real, "a", "b", "c")

    @staticmethod
    def half_plane(a: Any, b: Any, c: Any) -> tuple[Any, Any, Any]:
        return a, b, c


@dataclass(frozen=True)
class Highest(Lowest):
    """The highest true positive rate there."""

    objective = TRUE_POSITIVE_RATE


@dataclass(frozen=True)
class HighestWithAlarms(Highest):
    """The same where something must be called positive."""

    needs_alarms = True


def examples(seed: int) -> tuple[rh.RocHull, Frontier]:
    """Return a hull and the points of its raw curve, which ties leave few of."""
    rng = np.random.default_rng(seed)
    y = np.append(rng.integers(0, 2, rng.integers(3, 40)), [0, 1])
    curve = rh.roc_curve(y, np.round(rng.normal(size=y.size) + [1, 0, -1][seed % 3] * y, seed % 2))
    return rh.RocHull.from_curve(curve), curve.frontier


def crossings(points: list[Any], a: F, b: F, c: F) -> list[tuple[F, F]]:
    """Return where the line meets the edges between the points."""
    found = []
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        start, end = a * y0 + b * x0 - c, a * y1 + b * x1 - c
        if start * end < 0:
            t = start / (start - end)
            found.append((x0 + t * (x1 - x0), y0 + t * (y1 - y0)))
    return found


@pytest.mark.crossed
@pytest.mark.parametrize("kind", [Lowest, Highest, HighestWithAlarms])
@pytest.mark.parametrize("line", LINES, ids=str)
def test_points_on_one_side_of_a_line(kind: Any, line: tuple[float, float, float]) -> None:
    limit, (a, b, c) = kind(*line), [F(str(number)) for number in line]

    def allowed(points: list[tuple[F, F]]) -> list[tuple[F, F]]:
        free = [(x, y) for x, y in points if a * y + b * x <= c and not (limit.needs_alarms and x == y == 0)]
        assert all(limit.question.is_met(x, y) == ((x, y) in free) for x, y in points)
        return free

    for seed in some(range(30), 6):
        hull, points = examples(seed)
        vertices = hull.frontier.points()
        for frontier, within in (
            (hull.frontier, allowed(vertices + crossings(vertices, a, b, c))), (points, allowed(points.points()))
        ):  # fmt: skip
            find = (lambda f: limit.question.best(f).exact_rates(f)) if frontier is not points else (
                lambda f: f.point(limit.question.best_single(f))
            )  # fmt: skip
            if not within:
                with pytest.raises(rh.InfeasibleConditionError, match="no operating point meets"):
                    find(frontier)
                continue
            best = max(within, key=lambda point: limit.objective.merit(*point))
            found = find(frontier)
            assert limit.objective.exact_value(*found) == limit.objective.exact_value(*best)
            if a <= 0 or limit.objective is TRUE_POSITIVE_RATE:  # else fewer misses may break the limit
                assert found == best


@pytest.mark.parametrize("line", [line for line in LINES if line[0] <= 0 or line[1] >= 0], ids=str)
def test_many_at_once(line: tuple[float, float, float]) -> None:
    """The vectorised answers, where there are some, are those of one after the other."""
    for kind in (Lowest, Highest):
        for seed in some(range(6), 2):
            frontier = examples(seed)[0].frontier
            c = line[2] + np.linspace(0, 0.2, 5)
            limits = [kind(*line[:2], value) for value in c.tolist()]
            try:
                one = [
                    limit.objective.value(*limit.question.best(frontier).rates(frontier)) for limit in limits
                ]
            except rh.InfeasibleConditionError:
                continue
            many = limits[0].question.span.best_values(frontier, {"c": c})
            assert many is None or many.tolist() == pytest.approx(one, abs=1e-12)


def test_a_line_that_goes_against_both_rates() -> None:
    hull = rh.roc_hull([1, 0, 1, 0], [4, 3, 2, 1])
    with pytest.raises(ValueError, match="a > 0 > b is kept on two stretches of a hull"):
        hull.at(Highest(1, -1, -0.1))


def test_ends_are_those_that_allow_least_and_most() -> None:
    """Of each number, for every kind: the end at which the points allowed are those allowed everywhere."""
    rng = np.random.default_rng(0)
    for limit in (
        rh.NeymanPearson((0.1, 0.4)), rh.MinimumRecall((0.5, 0.9)), rh.MinimumPrecision((0.4, 0.6), (0.2, 0.4)),
        rh.Capacity(cases=(1, 3), population=(8, 12), prevalence=(0.2, 0.6)),
        rh.Constrained(lambda fpr, tpr: tpr, (0.2, 0.5), (0.1, 0.8), (0.1, 0.3)),
    ):  # fmt: skip
        tight, loose = limit.question.ends()
        for _ in range(200):
            x, y = sorted(F(int(k), 100) for k in rng.integers(0, 101, 2))
            met = [corner.question.is_met(x, y) for corner in limit.corners()]
            assert (tight.is_met(x, y), loose.is_met(x, y)) == (all(met), any(met))


def test_a_rate_that_equals_its_limit_keeps_it() -> None:
    """0.1 as a double is above one tenth."""
    assert rh.NeymanPearson(0.1).question.is_kept(1 / 10, 0.5)
    assert rh.NeymanPearson(0.3).question.is_kept(0.1 + 0.2, 0.5)
    assert not rh.NeymanPearson(0.1).question.is_kept(0.1 + 1e-9, 0.5)
    assert rh.ExpectedCost(1, 2, 0.5).question.is_kept(1.0, 0.0)


def measured(fp: int, tp: int, n_neg: int, n_pos: int, p: F) -> dict[str, F]:
    """Exact values at a point, by the measure's name."""
    x, y = F(fp, n_neg), F(tp, n_pos)
    alarms = p * y + (1 - p) * x
    found = {"fpr": x, "tpr": y, "alarm rate": alarms, "line": 3 * y + 2 * x}
    return found | ({"precision": p * y / alarms} if alarms else {})


@pytest.mark.parametrize("seed", some(range(12), 4))
def test_every_value_that_occurs_is_a_limit_that_it_meets(seed: int) -> None:
    """Against all points of the curve: a value meets a limit if the double nearest to it does."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(8, 60)), 0.3
    y = rng.permutation(np.arange(n) % 3 == 0)
    curve = rh.roc_curve(y, np.round(rng.normal(size=n) + y, 1))
    hull, n_pos = rh.RocHull.from_curve(curve), int(y.sum())
    places = zip(np.rint(curve.fpr * (n - n_pos)), np.rint(curve.tpr * n_pos), strict=True)
    points = [measured(int(a), int(b), n - n_pos, n_pos, F(3, 10)) for a, b in places]
    asked = {
        "fpr": (rh.NeymanPearson, 1),
        "tpr": (rh.MinimumRecall, -1),
        "alarm rate": (lambda at: rh.Capacity(fraction=at, prevalence=p), 1),
        "precision": (lambda at: rh.MinimumPrecision(at, p), -1),
        "line": (lambda at: Highest(3, 2, at), 1),
    }
    for name, (condition, way) in asked.items():
        best = (lambda point: -point["fpr"]) if name == "tpr" else (lambda point: point["tpr"])
        for value in {float(point[name]) for point in points if name in point}:
            allowed = [q for q in points if name in q and way * float(q[name]) <= way * value]
            found = hull.at(condition(value), deterministic=True)
            assert max(map(best, allowed)) == best({"fpr": F(found.fpr).limit_denominator(99),
                                                    "tpr": F(found.tpr).limit_denominator(99)}), (name, value)  # fmt: skip
            within = rh.conditions.Within(rh.ExpectedCost(1, 1, p), condition(value))
            single = hull.at(within, deterministic=True)
            costs = [0.7 * float(q["fpr"]) + 0.3 * (1 - float(q["tpr"])) for q in allowed]
            assert single.expected_cost(rh.ExpectedCost(1, 1, p)) == pytest.approx(min(costs), abs=1e-12)


def test_a_vertex_at_its_own_rate_is_no_mixture() -> None:
    """k/n with n < 60 prints below itself in 790 of 1,711 cases; a mixture ends at the limit that is stated."""
    for k, n in ((1, 3), (2, 3), (7, 59), (13, 49)):
        hull = rh.RocHull.from_curve(
            rh.roc_curve([0] * n + [1] * 2, [*range(n, 0, -1), n - k + 0.5, n - k + 0.5])
        )
        for limit in (k / n, F(k, n)):
            point = hull.at(rh.NeymanPearson(limit))
            assert (point.fpr, len(point.rules)) == (k / n, 1)
            assert point == hull.at(rh.Recall(), subject_to=rh.FalsePositiveRate() <= limit)
        below = F(k, n) - F(1, 10**40)
        assert hull.at(rh.NeymanPearson(below), deterministic=True).tpr == 0
        assert len(hull.at(rh.NeymanPearson(below)).rules) == 2


def test_fractions_and_decimals_are_compared_exactly() -> None:
    third = F(1, 3)
    for limit, is_met in (
        (1 / 3, True), (F(1, 3), True), (Decimal(1) / 3, False), (Decimal("0.3334"), True), (F(1 / 3), False)
    ):  # fmt: skip
        assert rh.NeymanPearson(limit).question.is_met(third, F(1)) == is_met, limit  # type: ignore[arg-type]
        assert (rh.FalsePositiveRate() <= limit).is_met(third, F(1)) == is_met  # type: ignore[operator]
    assert rh.NeymanPearson(third) == pickle.loads(pickle.dumps(rh.NeymanPearson(third)))
    assert repr(rh.NeymanPearson(third)) == "NeymanPearson(max_fpr=Fraction(1, 3), confidence=None)"
    assert rh.NeymanPearson(0.1).question.line(0.1, 0.2) == ("constraint", (0, 1, 0.1))


MEASURES = st.sampled_from([
    rh.FalsePositiveRate(), rh.Recall(), rh.AlarmRate(0.3), rh.Precision(0.3), rh.Precision(0.5),
    rh.conditions.CostPerCase(0.3, 1, 5), rh.FBeta(prevalence=0.3), rh.Youden(),
])  # fmt: skip
TOTALS = st.sampled_from([1, 3, 7, 10, 2**53 + 1, 10**18])


@given(
    MEASURES, st.tuples(TOTALS, TOTALS), st.tuples(*[st.floats(0, 1)] * 2), st.integers(-3, 3), st.booleans()
)
@example(rh.Precision(0.5), (2**53 + 1, 10**18), (1e-16, 1.0), 0, False)
@example(rh.Precision(0.5), (10**18, 10**18), (1e-18, 1.0), 0, False)
@example(rh.FalsePositiveRate(), (10**18, 3), (0.1, 1.0), 0, True)
@tries(200)
def test_a_rate_meets_a_limit_if_its_nearest_double_does(
    measure: Any, totals: tuple[int, int], rates: tuple[float, float], ulps: int, exactly: bool
) -> None:
    """The quick look, the exact one, and the definition, at limits beside the value as near as doubles go."""
    n_neg, n_pos = totals
    fp, tp = (round(F(rate) * n) for rate, n in zip(rates, totals, strict=True))
    points = Frontier(np.array([0, fp, n_neg], object), np.array([0, tp, n_pos], object), n_neg, n_pos)
    value = measure.exact_value(*points.point(1))
    if not isinstance(value, F):  # a precision without alarms
        return
    limit: Any = float(value)
    for _ in range(abs(ulps)):
        limit = math.nextafter(limit, math.copysign(math.inf, ulps))
    if measure.is_share and not 0 <= limit <= 1:
        return
    limit = F(limit) if exactly else limit
    side, sign = ("<=", 1) if measure.sign < 0 else (">=", -1)
    kept = RateLimit(measure, side, limit)
    wanted = sign * (value if exactly else F(float(value))) <= sign * F(limit)
    [plane] = kept.planes()
    assert plane.holds(*points.point(1)) == kept.is_met(*points.point(1)) == wanted
    assert HalfPlane(plane, points).is_beyond(1) != wanted
    assert bool(kept.met_by(points)[1]) == wanted
