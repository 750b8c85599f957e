"""The climb to the best point under any utility, against dense grids."""

import math
import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import rochull as rh
from profiles import some

Function = Callable[[float, float], float]


def log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


def f_measure(fpr: float, tpr: float) -> float:
    return 1.25 * 0.2 * tpr / (0.2 * tpr + 0.8 * fpr + 0.25 * 0.2) if tpr or fpr else 0.0


def matthews(fpr: float, tpr: float) -> float:
    """Matthews correlation at prevalence 0.3, rising towards the upper left corner above the diagonal."""
    called = 0.3 * tpr + 0.7 * fpr
    spread = math.sqrt(max(called * (1 - called) * 0.3 * 0.7, 0))
    return 0.3 * 0.7 * (tpr - fpr) / spread if spread > 1e-9 and tpr >= fpr else 0.0


UTILITIES: dict[str, Function] = {
    "youden": lambda fpr, tpr: tpr - fpr,
    "accuracy": lambda fpr, tpr: 0.3 * tpr + 0.7 * (1 - fpr),
    "F1": lambda fpr, tpr: 2 * 0.3 * tpr / (0.3 * tpr + 0.7 * fpr + 0.3),
    "F0.5": f_measure,
    "geometric mean": lambda fpr, tpr: math.sqrt(tpr * (1 - fpr)),
    "log of the geometric mean": lambda fpr, tpr: log(tpr) + log(1 - fpr),
    "infinite at a corner": lambda fpr, tpr: log(1 - fpr) + 2 * math.sqrt(tpr),
    "worse of the two": lambda fpr, tpr: min(tpr, 1 - fpr),
    "squared distance": lambda fpr, tpr: -(fpr**2) - (1 - tpr) ** 2,
    "smooth step": lambda fpr, tpr: math.tanh(20 * (tpr - 0.6)) - 3 * fpr,
    "step of recall": lambda fpr, tpr: (tpr >= 0.61) - fpr,
    "step of both": lambda fpr, tpr: float(tpr >= 0.5 and fpr <= 0.45),
    "a bonus below a limit": lambda fpr, tpr: tpr + 0.3 * (fpr <= 0.123),
    "never": lambda fpr, tpr: -fpr,
    "recall": lambda fpr, tpr: tpr,
    "constant": lambda fpr, tpr: 3.0,
    "Matthews": matthews,
}


def hull_of(seed: int) -> rh.RocHull:
    rng = np.random.default_rng(seed)
    y = np.append(rng.integers(0, 2, 30 * seed), [0, 1])
    return rh.roc_hull(y, np.round(rng.normal(size=y.size) + [1, 2, 0][seed % 3] * y, 1))


def on_a_grid(hull: rh.RocHull, function: Function, steps: int = 200, *, within: Any = None) -> float:
    """The best value on a dense grid of the hull's edges, vertices included."""
    best = -math.inf
    for (x0, y0), (x1, y1) in pairwise(zip(hull.fpr.tolist(), hull.tpr.tolist(), strict=True)):
        for share in np.linspace(0, 1, steps + 1).tolist():
            x, y = min(x0 + share * (x1 - x0), 1.0), min(y0 + share * (y1 - y0), 1.0)
            if within is None or within(x, y):
                best = max(best, function(x, y))
    return best


@pytest.mark.parametrize("name", UTILITIES)
def test_utility_against_a_dense_grid(name: str) -> None:
    function = UTILITIES[name]
    for seed in some(range(5), 2):
        hull = hull_of(seed)
        point = hull.at(rh.Utility(function))
        assert function(point.fpr, point.tpr) >= on_a_grid(hull, function) - 1e-9
        assert point.source == ("vertex" if len(point.rules) == 1 else "edge")


def test_utility_at_its_known_optimum() -> None:
    """On the diagonal sqrt(t (1 - t)) is greatest at 1/2, and t (1 - t)^2 at 1/3."""
    useless = rh.roc_hull([0, 1], [1, 1])
    point = useless.at(rh.Utility(UTILITIES["geometric mean"]))
    assert math.isclose(point.fpr, 0.5, abs_tol=1e-4)
    assert math.isclose(UTILITIES["geometric mean"](point.fpr, point.tpr), 0.5, abs_tol=1e-9)
    point = useless.at(rh.Utility(lambda fpr, tpr: tpr * (1 - fpr) ** 2))
    assert math.isclose(point.fpr, 1 / 3, abs_tol=1e-4)
    assert [rule.kind for rule, _ in point.rules] == ["never", "always"]


@pytest.mark.long
@pytest.mark.parametrize("name", UTILITIES)
def test_constrained_utility_against_a_dense_grid(name: str) -> None:
    function = UTILITIES[name]
    for seed in (1, 2):
        hull = hull_of(seed)
        for a, b, c in ((0, 1, 0.2), (0.3, 0.7, 0.25), (1, 0, 0.6), (0, 0, 0), (0.5, 0.5, 0)):
            condition = rh.Constrained(function, a, b, c)
            point = hull.at(condition)
            assert a * point.tpr + b * point.fpr <= c + 1e-15
            best = on_a_grid(hull, function, 100, within=lambda x, y, a=a, b=b, c=c: a * y + b * x <= c)
            assert function(point.fpr, point.tpr) >= best - 1e-9


@pytest.mark.parametrize("name", UTILITIES)
def test_single_thresholds_against_all(name: str) -> None:
    function = UTILITIES[name]
    for seed in some(range(5), 2):
        rng = np.random.default_rng(seed)
        y = np.append(rng.integers(0, 2, 60), [0, 1])
        curve = rh.roc_curve(y, np.round(rng.normal(size=62) + y, 1))
        hull = rh.RocHull.from_curve(curve)
        for condition in (rh.Utility(function), rh.Constrained(function, 0.4, 0.6, 0.3)):
            limited = isinstance(condition, rh.Constrained)
            points = [
                (function(x, y), -x, y)
                for x, y in zip(curve.fpr.tolist(), curve.tpr.tolist(), strict=True)
                if not limited or 0.4 * y + 0.6 * x <= 0.3
            ]
            point = hull.at(condition, deterministic=True)
            assert len(point.rules) == 1
            # The best, of equals the one with the lower false positive rate, then the higher recall.
            assert (function(point.fpr, point.tpr), -point.fpr, point.tpr) == max(points)


def test_a_plane_is_settled_without_a_warning_where_it_is_constant_along_an_edge() -> None:
    hull = rh.RocHull.from_rates([0.25, 0.5], [0.5, 0.75])  # an edge of slope 1
    calls = []

    def youden(fpr: float, tpr: float) -> float:
        calls.append((fpr, tpr))
        return 3 * tpr - 3 * fpr + 1

    point = hull.at(rh.Utility(youden))
    assert (point.fpr, point.tpr, point.source) == (0.25, 0.5, "vertex")  # of equals, the lower fpr
    assert len(calls) < 20_000


def test_a_kink_far_from_the_middle_is_found() -> None:
    hull = rh.RocHull.from_rates([0.2], [0.6])
    point = hull.at(rh.Utility(lambda fpr, tpr: tpr - 0.4 * fpr - 0.9 * max(0, fpr + tpr - 1.7)))
    assert (round(point.fpr, 6), round(point.tpr, 6)) == (0.8, 0.9)


def test_functions_that_are_defined_above_the_diagonal_only() -> None:
    hull = rh.RocHull.from_rates([0.2], [0.6])
    assert hull.at(rh.Utility(lambda fpr, tpr: math.sqrt(tpr - fpr))).tpr == 0.6
    assert hull.at(rh.Utility(lambda fpr, tpr: tpr / (tpr + fpr))).tpr == 0.6  # undefined at (0, 0)


@pytest.mark.parametrize(
    "function", [lambda fpr, tpr: math.tanh(tpr - fpr), lambda fpr, tpr: log(1 + tpr - fpr)]
)
def test_other_plateaus_along_an_edge_end_with_a_vertex(function: Function) -> None:
    hull = rh.RocHull.from_rates([0.25, 0.5], [0.5, 0.75])
    point = hull.at(rh.Utility(function))
    assert (point.fpr, point.source) == (0.25, "vertex")


def test_a_plateau_on_a_part_of_an_edge_says_what_is_proven() -> None:
    hull = rh.RocHull.from_rates([0.25, 0.5], [0.5, 0.75])
    with pytest.warns(UserWarning, match=r"proven to within \d") as caught:
        point = hull.at(rh.Utility(lambda fpr, tpr: tpr - fpr - 1e-3 * max(0, fpr + tpr - 1)))
    assert (point.fpr, point.tpr) == (0.25, 0.5)
    assert caught[0].filename == __file__


def test_a_jump_at_the_origin_does_not_give_a_vanishing_mixture() -> None:
    """Precision is constant along an edge from the origin, and not defined there."""
    hull = rh.RocHull.from_rates([0.25, 0.5], [0.5, 0.75])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        point = hull.at(rh.Utility(lambda fpr, tpr: tpr / (tpr + fpr) if tpr + fpr else 0.0))
    assert (point.fpr, point.tpr, point.source) == (0.25, 0.5, "vertex")


@pytest.mark.parametrize("deterministic", [False, True])
def test_a_utility_that_is_not_a_number_is_an_error(deterministic: bool) -> None:
    hull = rh.roc_hull([1, 0, 1, 0], [4, 3, 2, 1])
    for condition in (rh.Utility, lambda f: rh.Constrained(f, 1, 1, 1)):
        with pytest.raises(ValueError, match=r"function is not a number at fpr 0, tpr 0\."):
            hull.at(condition(lambda fpr, tpr: tpr / (tpr + fpr) if tpr + fpr else math.nan), deterministic)


def test_numpy_and_integer_values_are_fine() -> None:
    hull = rh.roc_hull([1, 0, 1, 0], [4, 3, 2, 1])
    assert hull.at(rh.Utility(lambda fpr, tpr: np.float64(tpr - fpr))).tpr == 0.5
    assert hull.at(rh.Utility(lambda fpr, tpr: int(tpr > 0.6))).tpr > 0.6
