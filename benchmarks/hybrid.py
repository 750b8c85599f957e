"""The benchmarks of a hybrid of thousands of classifiers: adding them, and the questions asked of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rochull as rh
from benchmarks.clock import clocked, medians
from benchmarks.suite import WARM_UP, Benchmark, Setup, speedup
from benchmarks.table import Row, at_least, at_most, seconds

Array = NDArray[Any]

_CLASSIFIERS = 2000
_ROWS = 10**5
_PEERS = 40  # of the classifiers, which the peer is measured on
_PREVALENCE = 0.3
_BOX = rh.ExpectedCost(cost_fp=(0.5, 2), cost_fn=(1, 20), prevalence=(0.05, 0.4))
_LIMIT = rh.NeymanPearson((0.01, 0.05))
_PRECISE = rh.ExpectedCost(cost_fn=5, prevalence=0.1)


def _labels(rows: int) -> Array:
    return (np.random.default_rng(0).random(rows) < _PREVALENCE).astype(np.int64)


def _scores(i: int, labels: Array) -> Array:
    """Normal scores; the positives' mean and spread differ, so that curves cross."""
    rng = np.random.default_rng(i)
    shift, spread = 0.8 + 0.4 * rng.random(), 0.5 + rng.random()
    return rng.standard_normal(labels.size) * np.where(labels, spread, 1.0) + shift * labels


@cache
def _measured(rows: int) -> tuple[rh.Hybrid, float]:
    """The hybrid, and the seconds that adding took; scores are made one classifier at a time."""
    labels, hybrid, spent = _labels(rows), rh.Hybrid(), 0.0
    for i in range(_CLASSIFIERS):
        scores = _scores(i, labels)
        start = perf_counter()
        hybrid.add(f"c{i}", labels, scores)
        spent += perf_counter() - start
    return hybrid, spent


def _pooled(rows: int) -> tuple[int, float]:
    """The obvious way: scikit-learn's curve and SciPy's hull of each, then the hull of all vertices."""
    from scipy.spatial import ConvexHull
    from sklearn.metrics import roc_curve

    labels, spent, vertices = _labels(rows), 0.0, []
    for i in range(_PEERS):
        scores = _scores(i, labels)
        start = perf_counter()
        points = np.column_stack(roc_curve(labels, scores, drop_intermediate=False)[:2])
        vertices.append(points[ConvexHull(points).vertices])
        spent += perf_counter() - start
    start = perf_counter()
    hull = ConvexHull(np.concatenate(vertices))
    return hull.vertices.size, (spent + perf_counter() - start) * _CLASSIFIERS / _PEERS


def warm_up(setup: Setup) -> Iterator[Row]:
    """Compile, start threads and import, so that no measured call has to; no rows."""
    labels = _labels(1000)
    hybrid = rh.Hybrid().add("a", labels, _scores(0, labels)).add("b", labels, _scores(1, labels))
    for condition in (_BOX, _LIMIT, _PRECISE):
        hybrid.regret(condition)
    hybrid.restrict(_BOX)
    yield from ()


def add(setup: Setup) -> Iterator[Row]:
    """Adding thousands of classifiers beside pooling them all by SciPy's hull."""
    rows = min(setup.rows, _ROWS)
    hybrid, ours = _measured(rows)
    _, theirs = _pooled(rows)
    row = speedup(f"add {_CLASSIFIERS:,} classifiers, n={rows:.0e}", ours, theirs, at_least(3))
    note = (
        f"{1e3 * ours / _CLASSIFIERS:.2f} ms each; the peer is roc_curve and ConvexHull of {_PEERS} of them, "
        f"times {_CLASSIFIERS // _PEERS}. The union has {len(hybrid.hull)} vertices of "
        f"{len(hybrid.hull.classifiers)} classifiers"
    )
    yield replace(row, note=note)


def ask(setup: Setup) -> Iterator[Row]:
    """What is asked of the hybrid, in seconds."""
    hybrid, _ = _measured(min(setup.rows, _ROWS))
    questions: dict[str, tuple[Callable[[], Any], float]] = {
        "potentially_optimal, box of 3": (lambda: hybrid.potentially_optimal(_BOX), 0.1),
        "regret, precise": (lambda: hybrid.regret(_PRECISE), 5),
        "regret, box of 3": (lambda: hybrid.regret(_BOX), 5),
        "regret, limit": (lambda: hybrid.regret(_LIMIT), 5),
        "sensitivity, box of 3": (lambda: hybrid.sensitivity(_BOX), 1),
        "restrict, all slopes": (lambda: hybrid.restrict().loss_outside, 2),
        "without the first": (lambda: hybrid.without("c0").loss_outside, 2),
        "dominance_table": (hybrid.dominance_table, 0.1),
    }
    for name, (question, bound) in questions.items():
        found = medians(min(3, setup.repeats), {"ours": clocked(question)})["ours"]
        yield Row(f"{name}, {_CLASSIFIERS:,}", found, at_most(bound), "s", ours=seconds(found))


BENCHMARKS: dict[str, Benchmark] = {WARM_UP: warm_up, "add": add, "ask": ask}
