"""The benchmarks of several classes: many weight vectors, the coordinate search, and memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rochull as rh
from benchmarks.clock import clocked, computed, medians
from benchmarks.suite import WARM_UP, Benchmark, Setup, speedup
from benchmarks.table import Row, at_least, at_most, seconds
from rochull.multiclass.measures import checked_objective
from rochull.multiclass.search.coordinate import Descent

Array = NDArray[Any]

_CLASSES = 10
_ROWS = 10**5  # of many weight vectors
_VECTORS = 10**4
_PEER_VECTORS = 10  # of them, which the peer is measured on
_SEARCH_ROWS = 10**6


@cache
def _population(rows: int) -> tuple[Array, Array]:
    """Classes of different difficulty, and posteriors that are wrongly calibrated."""
    rng = np.random.default_rng(20080512)
    y = rng.integers(0, _CLASSES, rows)
    logits = rng.standard_normal((rows, _CLASSES))
    logits[np.arange(rows), y] += rng.uniform(0.5, 2, _CLASSES)[y]
    outputs = np.exp(1.5 * logits + rng.standard_normal(_CLASSES))
    return y, outputs / outputs.sum(axis=1, keepdims=True)


def _costs() -> rh.multiclass.CostMatrix:
    costs = np.random.default_rng(1).uniform(0.5, 3, (_CLASSES, _CLASSES))
    np.fill_diagonal(costs, 0.0)
    return rh.multiclass.CostMatrix(costs)


def warm_up(setup: Setup) -> Iterator[Row]:
    """Compile, start threads and import, so that no measured call has to; no rows."""
    mc = rh.MulticlassRoc(*_population(30_000))
    for objective in ("max_error", _costs()):
        mc.search(objective, n_starts=2, random_state=0)
    yield from ()


def vectors(setup: Setup) -> Iterator[Row]:
    """Confusion matrices of 10^4 weight vectors, beside argmax and scikit-learn's confusion_matrix."""
    from sklearn.metrics import confusion_matrix

    rows = min(setup.rows, _ROWS)
    y, outputs = _population(rows)
    mc, labels = rh.MulticlassRoc(y, outputs), np.arange(_CLASSES)
    weights = np.random.default_rng(2).dirichlet(np.ones(_CLASSES), _VECTORS)

    def looped() -> None:
        for vector in weights[:_PEER_VECTORS]:
            confusion_matrix(y, np.argmax(outputs * vector, axis=1), labels=labels)

    def counted() -> None:  # the fastest that NumPy alone can do
        for vector in weights[:_PEER_VECTORS]:
            np.bincount(y * _CLASSES + np.argmax(outputs * vector, axis=1), minlength=_CLASSES**2)

    found = medians(
        min(3, setup.repeats),
        {
            "ours": clocked(lambda: mc.confusion(weights)),
            "loop": clocked(looped),
            "bincount": clocked(counted),
        },
    )
    scale = _VECTORS / _PEER_VECTORS
    note = (
        f"n = {rows:.0e}, C = {_CLASSES}; the peers ran {_PEER_VECTORS} vectors, and their time is scaled; "
        f"with bincount instead of confusion_matrix {seconds(found['bincount'] * scale)}"
    )
    peer = found["loop"] * scale
    yield replace(speedup("10^4 vectors vs a loop of argmax", found["ours"], peer, at_least(20)), note=note)


def search(setup: Setup) -> Iterator[Row]:
    """One start of the coordinate search until no class improves, in sorts of n random numbers."""
    rows = min(setup.rows, _SEARCH_ROWS)
    examples = rh.MulticlassRoc(*_population(rows))._examples
    numbers, start = np.random.default_rng(3).random(rows), np.ones(_CLASSES)
    for name, objective in (("max_error", "max_error"), ("expected cost", _costs())):
        descent = Descent.of(examples, checked_objective(objective))
        contenders = {"start": partial(descent.run, start), "sort": partial(np.argsort, numbers)}
        timed = {key: clocked(work) for key, work in contenders.items()}
        found = medians(min(3, setup.repeats), timed)
        yield Row(
            f"one start, {name}, in np.argsort of n",
            found["start"] / found["sort"],
            at_most(60),
            ours=seconds(found["start"]),
            peer=seconds(found["sort"]),
            note=f"n = {rows:.0e}, C = {_CLASSES}, from all ones; both on one core; argsort of float64",
        )


def limits(setup: Setup) -> Iterator[Row]:
    """A search within limits, and one of a function, beside one without limits: seconds of the processor."""
    rows = min(setup.rows, _ROWS)
    mc, limit = rh.MulticlassRoc(*_population(rows)), rh.multiclass.Cell(0, 1) <= 0.02
    note = f"n = {rows:.0e}, C = {_CLASSES}, 20 starts; time of the processor, on all threads"

    def product(matrices: Array) -> Array:
        return np.asarray(-(np.diagonal(matrices, axis1=1, axis2=2) / matrices.sum(axis=2)).prod(axis=1))

    def spent(objective: Any, **options: Any) -> float:
        return computed(lambda: mc.search(objective, random_state=0, **options))()

    for name, objective, other, options in (
        ("max_error within a limit", "max_error", "max_error", {"subject_to": limit}),
        ("expected cost within a limit", _costs(), _costs(), {"subject_to": limit}),
        ("a function", "max_error", product, {}),
    ):
        plain, found = spent(objective), spent(other, **options)
        highest = at_most(20) if other is product else at_most(3)
        yield Row(
            f"{name}, beside none",
            found / plain,
            highest,
            ours=seconds(found),
            peer=seconds(plain),
            note=note,
        )


def memory(setup: Setup) -> Iterator[Row]:
    """What NumPy allocates at most, in copies of the outputs."""
    rows = min(setup.rows, _SEARCH_ROWS)
    y, outputs = _population(rows)
    weights = np.random.default_rng(2).dirichlet(np.ones(_CLASSES), 100)

    def counted() -> None:
        rh.MulticlassRoc(y, outputs).confusion(weights)

    def searched() -> None:
        rh.MulticlassRoc(y, outputs).search(n_starts=2, random_state=0)

    for name, work in (("confusion of 100 vectors", counted), ("search with 2 starts", searched)):
        tracemalloc.start()
        work()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        note = f"n = {rows:.0e}, C = {_CLASSES}; beyond the outputs given, of {outputs.nbytes / 1e6:.0f} MB"
        yield Row(f"memory, {name}, in outputs", peak / outputs.nbytes, at_most(3), note=note)


BENCHMARKS: dict[str, Benchmark] = {
    WARM_UP: warm_up,
    "vectors": vectors,
    "search": search,
    "limits": limits,
    "memory": memory,
}
