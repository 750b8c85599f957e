"""Scans of small tables, for the tests of what is read off them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import rochull as rh
from rochull.scanning.readings import Scan
from scanning.test_column import tuned


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
