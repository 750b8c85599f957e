"""Scans of small tables, for the tests of what is read off them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest

import rochull as rh
from rochull._core import threads as _threads
from rochull.hull import refine
from rochull.hull import tasks as gather
from rochull.hull.tallies import Tally
from rochull.scanning import column
from rochull.scanning.column import ScannedColumn
from rochull.scanning.engines import memory_table
from rochull.scanning.readings import Scan


def when_answered(table: Any, act: Callable[[], Any]) -> None:
    """Let a source change, or somebody look, after each answer of a table."""
    answer = table.answer

    def acting(tasks: Any) -> Any:
        found = answer(tasks)
        act()
        return found

    table.answer = acting


def assert_same_blocks(found: ScannedColumn, expected: ScannedColumn) -> None:
    """Assert that two columns have the same blocks, of the same types, and the same totals."""
    for name in ("low", "high", "pos_units", "neg_units"):
        left, right = getattr(found.blocks, name), getattr(expected.blocks, name)
        assert left.dtype == right.dtype
        assert left.tolist() == right.tolist()
    assert (found.n_pos, found.n_neg) == (expected.n_pos, expected.n_neg)


@contextmanager
def divided(**how: Any) -> Iterator[None]:
    """Few rows are not collected whole: they take the way of many."""
    with tuned(**({"SMALL": 0, "_ROWS_A_BUCKET": 1, "_MAX_BUCKETS": 64, "_CHUNK": 100} | how)):
        yield


def scan_of(table: Any, scores: Any = "x", **how: Any) -> Scan:
    """The scan of a table with labels "y"."""
    return rh.scan(table, label="y", scores=scores, **how)


def table_of(size: int = 3000, seed: int = 0, digits: int = 15) -> dict[str, Any]:
    """Labels, two scores, segments, folds, weights and keys."""
    rng = np.random.default_rng(seed)
    y = rng.random(size) < 0.3
    return {
        "y": y,
        "x": np.round(rng.normal(size=size) + y, digits),
        "z": np.round(rng.normal(size=size) + 0.6 * y, digits),
        "segment": rng.choice(["a", "b", "</b>"], size, p=[0.6, 0.3, 0.1]),
        "fold": rng.integers(0, 5, size),
        "w": rng.integers(0, 4, size) / 4,
        "id": np.arange(size),
    }


@contextmanager
def tuned(**values: Any) -> Iterator[None]:
    """Set constants, so that small data take every turn of the algorithm."""
    homes = {"SMALL": column, "_MAX_BUCKETS": refine, "_CHUNK": memory_table, "_ROWS_A_BUCKET": column}
    with pytest.MonkeyPatch.context() as patch:
        if (count := values.pop("threads", None)) is not None:
            for module in (_threads, gather, refine):
                patch.setattr(module, "n_threads", lambda: count)
        for name, value in values.items():
            patch.setattr(homes[name], name, value)
        yield


@st.composite
def tables(draw: st.DrawFn) -> tuple[Any, ...]:
    """Labels, two columns of scores, weights or None, segments and folds."""
    size = draw(st.integers(2, 400))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    labels = rng.random(size) < draw(st.sampled_from([0.02, 0.3, 0.5]))
    labels[:2] = [True, False]
    digits = draw(st.sampled_from([0, 1, 15]))
    first = np.round(rng.normal(size=size) + labels, digits)
    second = np.where(rng.random(size) < 0.9, 7, rng.integers(-5, 50, size))  # one huge tie, integers
    weights = draw(st.sampled_from([None, "some"]))
    if weights is not None:
        weights = rng.integers(0, 4, size) / 4
        weights[:2] = 1
    segment, fold = rng.choice(["a", "b", "</b>"], size, p=[0.6, 0.3, 0.1]), rng.integers(0, 5, size)
    if weights is not None:
        for group in (segment, fold):  # one without any weight is refused
            weights[np.unique(group, return_index=True)[1]] = 1
    return labels, {"first": first, "second": second}, weights, segment, fold


def check_curve(got: ScannedColumn, full: rh.hull.RocCurve) -> None:
    """Kept points are points of the full curve; dropped ones are near; the area is inside of its bounds."""
    place = {float(t): i for i, t in enumerate(full.thresholds)}
    at = np.array([place[float(t)] for t in got.curve.thresholds])
    assert at[0] == 0
    assert at[-1] == len(full) - 1
    assert full.tp_units[at].tolist() == got.curve.tp_units.tolist()
    assert full.fp_units[at].tolist() == got.curve.fp_units.tolist()
    before = at[np.searchsorted(at, np.arange(len(full)), side="right") - 1]
    for rate in (full.fpr, full.tpr):
        assert np.abs(rate - rate[before]).max() <= got.curve.max_error + 1e-12
    pairs = got.n_pos * got.n_neg
    low, middle, high = (Fraction(twice, 2 * pairs) for twice in got.twice_area)
    assert low <= Fraction(refine.area_of(tally_of(full))[0], 2 * pairs) <= high
    assert low <= middle <= high


def tally_of(curve: rh.hull.RocCurve) -> Any:
    """The groups of a complete curve."""
    return Tally(curve.score, np.diff(curve.tp_units), np.diff(curve.fp_units), curve.units)
