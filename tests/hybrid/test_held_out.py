"""Rates of rules on cases that did not choose them: a slow twin for every slope, limit, variance and difference."""

from typing import Any

import numpy as np
import pytest

import rochull as rh
from rochull.conditions.rules import Rule
from rochull.hybrid.halves import Halves
from rochull.hybrid.held_out import VALUES, Family, slopes_of

COSTS = rh.ExpectedCost(1, 3, 0.3)
AGAINST = Rule("threshold", "b", 0.4)


def sample(n: int, seed: int = 0) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Scores with ties; low ones of "c" are positive."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    logistic = [1 / (1 + np.exp(-np.round(rng.normal(signal * y - 1), 1))) for signal in (1.5, 1.0, 1.2)]
    return y, {"a": logistic[0], "b": logistic[1], "c": 1 - logistic[2]}


def hybrid_of(y: np.ndarray, scores: dict[str, np.ndarray]) -> rh.Hybrid:
    hybrid = rh.Hybrid()
    for name, score in scores.items():
        hybrid.add(name, y, score, lower_is_positive=name == "c")
    return hybrid


def parts(y: np.ndarray, n_repeats: int) -> list[np.ndarray]:
    """How need splits: each class in turn."""
    rng, found = np.random.default_rng(0), []
    for _ in range(n_repeats):
        folds = np.empty(y.size, int)
        for label in (0, 1):
            rows = np.flatnonzero(y == label)
            folds[rng.permutation(rows)] = np.arange(rows.size) % 10
        found.append(folds)
    return found


def flags(rule: Rule, scores: dict[str, np.ndarray], rows: np.ndarray) -> np.ndarray:
    if rule.constant is not None:
        return np.full(rows.sum(), float(rule.constant))
    column = scores[str(rule.classifier)][rows]
    return (column <= rule.threshold if rule.lower_is_positive else column >= rule.threshold).astype(float)


def twin(y: np.ndarray, scores: dict[str, np.ndarray], condition: Any, folds: list[np.ndarray]) -> np.ndarray:
    """Which cases are flagged in each partition by the best single rule of the other folds."""
    found = np.empty((len(folds), y.size))
    for called, fold in zip(found, folds, strict=True):
        for k in range(10):
            rest = fold != k
            part = hybrid_of(y[rest], {name: score[rest] for name, score in scores.items()})
            called[~rest] = flags(part.at(condition, deterministic=True).rules[0][0], scores, ~rest)
    return found


def moments(y: np.ndarray, called: np.ndarray, clusters: np.ndarray | None = None) -> list[float]:
    """Means of both classes, and their variances and covariance, of cases or clusters, and of partitions."""
    own, means = called.mean(axis=0), []
    adds = np.zeros((2, y.size))
    for row, label in zip(adds, (1, 0), strict=True):
        rows = y == label
        row[rows] = (own[rows] - own[rows].mean()) / rows.sum()
        means.append(called[:, rows].mean(axis=1))
    if clusters is None:
        sizes = np.array([(y == 1).sum(), (y == 0).sum()])
        cov = np.diag((adds**2).sum(axis=1) * sizes / (sizes - 1))
    else:
        each = np.array([np.bincount(clusters, row) for row in adds])
        cov = each @ each.T * each.shape[1] / (each.shape[1] - 1)
    if len(called) > 1:
        cov = cov + np.cov(means) / len(called)
    return [own[y == 1].mean(), own[y == 0].mean(), cov[0, 0], cov[1, 1], cov[0, 1]]


def told(found: Any, i: int) -> list[float]:
    return [getattr(found, name)[i] for name in ("tpr", "fpr", "var_tpr", "var_fpr", "cov")]


def at(family: Family, value: float) -> int:
    return int(np.argmin(np.abs(family.values - value)))


@pytest.fixture(autouse=True)
def of_cases_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors here are those of the cases; what the choice of rules adds is tested with the halves."""
    monkeypatch.setattr(Halves, "all_widened", lambda self, found: found)


@pytest.mark.parametrize("n_repeats", [1, 2])
def test_rates_and_errors_are_those_of_a_slow_twin(n_repeats: int) -> None:
    y, scores = sample(300)
    hybrid, folds = hybrid_of(y, scores), parts(y, n_repeats)
    limits = [rh.Precision() >= 0.5, rh.AlarmRate() <= 0.9]
    found = hybrid.need(rh.Within(COSTS, limits), y, scores, n_repeats=n_repeats, against=AGAINST).held_out
    assert found is not None
    beside = flags(AGAINST, scores, np.ones(y.size, bool))
    cases: list[tuple[Any, Family, float]] = [
        (COSTS, found.slopes, COSTS.slope),
        (rh.NeymanPearson(0.1), found.limits["max_fpr"], 0.1),
        (rh.MinimumRecall(0.8), found.limits["min_recall"], 0.8),
        (rh.MinimumPrecision(0.55, prevalence=0.3), found.limits["min_precision"], 0.55),
        (rh.Capacity(fraction=0.17, prevalence=0.3), found.limits["fraction"], 0.17),
    ]
    for condition, family, value in cases:
        called = twin(y, scores, condition, folds)
        i = at(family, value)
        assert told(family.rates, i) == pytest.approx(moments(y, called)), condition
        assert told(family.less, i) == pytest.approx(moments(y, called - beside)), condition


def test_a_capacity_is_that_of_the_cases_to_decide() -> None:
    y, scores = sample(300)
    condition = rh.Capacity(fraction=0.155, prevalence=0.3)
    found = hybrid_of(y, scores).need(condition, y, scores).held_out
    assert found is not None
    family = found.limits["fraction"]
    i = at(family, 0.155)
    assert family.values[i] == 0.155  # the one that is asked for is among them
    called = twin(y, scores, condition, parts(y, 1))
    assert told(family.rates, i) == pytest.approx(moments(y, called))


def test_the_slope_that_is_asked_for_has_the_cost_that_need_tells() -> None:
    y, scores = sample(400, seed=1)
    need = hybrid_of(y, scores).need(COSTS, y, scores, n_repeats=3)
    assert need.held_out is not None
    slopes = need.held_out.slopes
    i = int(np.flatnonzero(slopes.values == COSTS.slope)[0])
    tpr, fpr, *spread = told(slopes.rates, i)
    alarm, miss = map(float, COSTS.weights)
    assert alarm * fpr + miss * (1 - tpr) == pytest.approx(need.hybrid)
    error = miss**2 * spread[0] + alarm**2 * spread[1] - 2 * alarm * miss * spread[2]
    assert error**0.5 == pytest.approx(need.hybrid_error)
    assert slopes.less is None


def test_clusters_of_cases_covary() -> None:
    y, scores = sample(600)
    rng = np.random.default_rng(3)
    clusters = rng.integers(0, 120, y.size)
    hybrid = hybrid_of(y, scores)
    found = hybrid.need(COSTS, y, scores, clusters=clusters, against=AGAINST).held_out
    assert found is not None
    every = found.slopes.rates
    for i in (10, 50, 80):  # rates are those of whole clusters: the same flags give the same spread
        assert abs(every.cov[i]) <= np.sqrt(every.var_tpr[i] * every.var_fpr[i])
    alone = hybrid.need(COSTS, y, scores, clusters=np.arange(y.size)).held_out
    assert alone is not None
    assert np.abs(alone.slopes.rates.cov).max() < 1e-4
    names = ("var_tpr", "var_fpr")
    for name in names:  # clusters of one case are cases
        apart = np.median(getattr(alone.slopes.rates, name) / np.maximum(getattr(every, name), 1e-12))
        assert 0.5 < apart < 2


def test_values_are_those_that_change_something() -> None:
    y, scores = sample(300)
    slopes = slopes_of(hybrid_of(y, scores).hull, 0.123)
    assert 90 < slopes.size <= 100
    assert 0.123 in slopes
    assert (np.diff(slopes) > 0).all()
    for values in VALUES.values():
        assert (np.diff(values) > 0).all()
        assert 0 < values[0] < values[-1] < 1
    assert slopes_of(rh.Hybrid().add("a", [0, 1], [1, 0]).hull).tolist() != []
