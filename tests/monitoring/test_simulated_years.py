"""The study of stable years adds evidence up as monitors do."""

from __future__ import annotations

import importlib
import math
from pathlib import Path

import numpy as np
import pytest

import rochull as rh
from rochull.monitoring.claims import RateKept
from rochull.monitoring.evidence import rate_above
from rochull.policies.prevalence import RatioLadder

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("spread", [0.0, 0.5])
def test_a_year_of_counts_is_what_a_monitor_sees(monkeypatch: pytest.MonkeyPatch, spread: float) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    monitors = importlib.import_module("studies.monitors")
    rng = np.random.default_rng(0)
    y = rng.random(1_000) < 0.11
    policy = rh.Policy.from_hull(rh.roc_hull(y, rng.normal(1.5 * y)))
    monitor = rh.Monitor(policy, rh.ExpectedCost(1, 5, 0.11))
    ladder = RatioLadder.of(policy.hull, policy.classifiers[0])
    year = monitors.Year(1_000, 40, spread, later=0.3, since=10)
    days, cells = monitors.counted(ladder, year, rng), monitors.cells_of(monitor, ladder)
    assert (days.sum(axis=(1, 2)) == 40).all()
    logs, _ = monitors.better(monitor, days, cells, year)
    ends = monitors.thresholds(ladder)
    score = np.append(ends[1:-1], ends[-2] - 1)  # one in each range
    found = []
    for day in range(40):
        k, label = np.nonzero(days[day])
        cluster = np.full(len(k), day) if spread else None
        monitor.update(score[k], label, day, cluster=cluster, count=days[day][k, label])
        found.append(np.log(monitor.better.evidence))
    np.testing.assert_allclose(logs[:40], found, atol=1e-8)
    assert np.ptp(found) > 0.01  # there is something to compare


def test_a_limit_in_clusters_is_what_a_monitor_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    monitors = importlib.import_module("studies.monitors")
    rng = np.random.default_rng(0)
    y = rng.random(1_000) < 0.11
    policy = rh.Policy.from_hull(rh.roc_hull(y, rng.normal(1.5 * y)))
    costs = rh.ExpectedCost(1, 5, 0.11)
    limit = policy.at(costs).fpr + 0.001  # not so near that a lot decides
    monitor = rh.Monitor(policy, rh.Within(costs, [rh.FalsePositiveRate() <= limit]))
    ladder = RatioLadder.of(policy.hull, policy.classifiers[0])
    year = monitors.Year(1_000, 40, 0.5)
    days, cells = monitors.counted(ladder, year, rng), monitors.cells_of(monitor, ladder)
    values = RateKept("false positive rate", limit).values()
    logs = monitors.summed(monitors.won(days, cells[:1], values, year))
    score = np.append(monitors.thresholds(ladder)[1:-1], -9.0)  # one in each range
    found = []
    for day in range(20):
        k, label = np.nonzero(days[day])
        cluster = np.full(len(k), day)
        monitor.update(score[k], label, day, cluster=cluster, count=days[day][k, label])
        found.append(np.log(monitor.limits.evidence))
    np.testing.assert_allclose(logs[:20], found, atol=1e-8)
    assert np.ptp(found) > 0.01


def test_the_bound_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    monitors = importlib.import_module("studies.monitors")
    rng = np.random.default_rng(0)
    total = rng.integers(0, 400, (500, 4))
    limit = np.array([0.0, 0.02, 0.3, 0.9])
    count = rng.binomial(total, np.minimum(1, limit * rng.uniform(0, 2, (500, 1)) + 0.01))
    exact, bound = (one(count, total, limit) for one in (rate_above, monitors.bound_above))
    assert (bound >= exact - 1e-9).all()
    over = np.isfinite(exact) & (exact > 2)
    assert over.sum() > 50
    np.testing.assert_allclose(bound[over], exact[over], rtol=0.3)


def test_no_way_beats_the_least_and_the_monitor_comes_near(monkeypatch: pytest.MonkeyPatch) -> None:
    """The least median by trying every number of errors; then how far the monitor is from it."""
    monkeypatch.syspath_prepend(str(ROOT))
    study = importlib.import_module("studies.limit_labels")
    broken = study.Broken(0.4, 200)
    n, power = 0, 0.0
    while power < 0.5:
        n, left, power = n + 1, study.LEVEL / 4, 0.0
        for k in range(n, -1, -1):  # the best test takes what speaks most against the limit
            chances = [math.comb(n, k) * p**k * (1 - p) ** (n - k) for p in (study.ALLOWED, 0.4)]
            taken = min(1.0, left / chances[0])
            left, power = left - taken * chances[0], power + taken * chances[1]
    assert broken.least_median == n
    rng = np.random.default_rng(0)
    draws = [list(study.trial(broken, rng)) for _ in range(24)]
    told = {way: np.median([each[i].truth for each in draws]) for i, way in enumerate(study.WAYS)}
    assert n < told["knows the rate"] <= told["mixture"] <= told["monitor"] < 3 * broken.least_mean
