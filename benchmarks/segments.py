"""The benchmarks of thresholds that depend on auxiliary features, beside one sort by bin and score."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rochull as rh
from benchmarks.clock import clocked, medians
from benchmarks.suite import WARM_UP, Benchmark, Setup, slowdown
from benchmarks.table import Row, at_most, seconds

Array = NDArray[Any]

_ROWS = 10**6
_BINS = 100
_SEED = 20151203
_LIMIT = rh.NeymanPearson(0.05)


@dataclass(frozen=True)
class Population:
    """Labels, scores and an auxiliary feature (n,) that moves mean and spread of the positives' scores."""

    labels: NDArray[np.int64]
    scores: NDArray[np.float64]
    feature: NDArray[np.float64]

    @property
    def bins(self) -> NDArray[np.int64]:
        """The bin of each case, as `ErrorRedistribution.segment` returns it."""
        return (self.feature * _BINS).astype(np.int64)

    @property
    def aux(self) -> dict[str, Array]:
        """The feature as a table."""
        return {"feature": self.feature}

    def fit(self, **bins: Any) -> rh.ErrorRedistribution:
        """The exact optimum of every bin, and its hull."""
        model = rh.ErrorRedistribution("pav", shrinkage=0, **bins)
        return model.fit(self.scores, self.labels, aux=self.aux)


@cache
def population(rows: int) -> Population:
    """Three of ten are positive."""
    rng = np.random.default_rng(_SEED)
    feature, labels = rng.random(rows), (rng.random(rows) < 0.3).astype(np.int64)
    scores = rng.standard_normal(rows) * (1 + 0.5 * feature * labels) + labels * (0.5 + 2 * feature)
    return Population(labels, scores, feature)


def warm_up(setup: Setup) -> Iterator[Row]:
    """Compile, start threads and import, so that no measured call has to; no rows."""
    some = population(10**5)  # so many that compiled code looks up the bins
    some.fit(n_bins=_BINS).curve(some.labels, some.scores, aux=some.aux)
    some.fit(n_bins=_BINS).thresholds(_LIMIT)
    yield from ()


def fit(setup: Setup) -> Iterator[Row]:
    """Fit with the full curve, and the curve of all cases by their ratio, beside one sort."""
    rows = min(setup.rows, _ROWS)
    data = population(rows)
    bins, edges = data.bins, (np.arange(1, _BINS) / _BINS).tolist()
    narrow = bins.astype(np.int16)

    def and_curve() -> rh.hull.RocCurve:
        model = data.fit(bins=edges)
        return model.curve(data.labels, data.scores, aux=data.aux)

    contenders: dict[str, Callable[[], Any]] = {
        "sort": lambda: np.lexsort((data.scores, bins)),
        "narrow": lambda: np.lexsort((data.scores, narrow)),
        "edges": lambda: data.fit(bins=edges),
        "quantiles": lambda: data.fit(n_bins=_BINS),
        "curve": and_curve,
    }
    found = medians(max(5, setup.repeats), {name: clocked(work) for name, work in contenders.items()})
    note = (
        f"{seconds(found['sort'])} with int64 bins, as segment() returns them; "
        f"{seconds(found['narrow'])} with int16, which NumPy sorts by radix"
    )
    names = {
        "edges": "fit and curve (hull_)",
        "quantiles": "the same, quantiles found",
        "curve": "fit, curve() of all cases",
    }
    for key, name in names.items():
        yield slowdown(f"{name} vs np.lexsort", found[key], found["sort"], at_most(1), note)
        note = ""


def ask(setup: Setup) -> Iterator[Row]:
    """What is asked of a fitted model, in seconds."""
    data = population(min(setup.rows, _ROWS))
    model = data.fit(n_bins=_BINS)
    questions: dict[str, tuple[Callable[[], Any], float]] = {
        "thresholds of a condition": (lambda: model.thresholds(_LIMIT), 0.01),
        "transform all cases": (lambda: model.transform(data.scores, aux=data.aux), 0.2),
    }
    for name, (question, bound) in questions.items():
        taken = medians(max(5, setup.repeats), {"ours": clocked(question)})["ours"]
        yield Row(f"{name}, {_BINS} bins", taken, at_most(bound), "s", ours=seconds(taken))


def cascade(setup: Setup) -> Iterator[Row]:
    """A cascade of two classifiers, beside one sort by stratum and second score, and what it is asked."""
    rows = min(setup.rows, _ROWS)
    data, rng = population(rows), np.random.default_rng(_SEED)
    scores = {"cheap": data.scores, "dear": rng.standard_normal(rows) + 2 * data.labels}

    def learnt(rows: int) -> rh.Cascade:
        cascade = rh.Cascade({"cheap": 0, "dear": 0.02}, n_strata=_BINS, shrinkage=0)
        return cascade.fit({name: score[:rows] for name, score in scores.items()}, data.labels[:rows])

    learnt(10**5)
    made, condition = learnt(rows), rh.ExpectedCost(1, 3, 0.3)
    policy = made.policy()
    strata = np.searchsorted(policy.root.edges, scores["cheap"], side="right")
    contenders: dict[str, Callable[[], Any]] = {
        "sort": lambda: np.lexsort((scores["dear"], strata)),
        "fit": lambda: learnt(rows),
        "at": lambda: made.at(condition, max_calls=0.2),
        "decide": lambda: policy.decide(scores, condition),
    }
    found = medians(max(5, setup.repeats), {name: clocked(work) for name, work in contenders.items()})
    name = f"two stages, {len(policy.root.edges) + 1} strata vs np.lexsort"
    yield slowdown(name, found["fit"], found["sort"], at_most(3))
    yield slowdown("all cases decided vs np.lexsort", found["decide"], found["sort"], at_most(2))
    yield Row("cascade: a budget", found["at"], at_most(0.05), "s", ours=seconds(found["at"]))


BENCHMARKS: dict[str, Benchmark] = {WARM_UP: warm_up, "fit": fit, "ask": ask, "cascade": cascade}
