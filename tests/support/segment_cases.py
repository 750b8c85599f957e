"""Segment policies made at random, the plainest way to decide by them, and rows that try them."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

import rochull as rh
from rochull.decisions.axes import Axis, Bins
from rochull.segments.rules import RuleTable
from sql_cases import HOSTILE

NEVER, ALWAYS = rh.conditions.Rule("never"), rh.conditions.Rule("always")
SALT = 'it\'s a "salt" \\ ß'

# Column -> how it may be cut, and its types in DuckDB and in PostgreSQL.
AXES: dict[str, list[Axis]] = {
    "size": [
        Axis("size", edges=(-1.5, 0.0, 0.1, 2.0), missing=True),
        Axis("size", edges=(0.1,), missing=False),
        Axis("size", edges=(), missing=True),
        Axis("size", categories=(0.0, 0.1, math.inf, -math.inf), missing=True),
    ],
    "single": [
        Axis("single", edges=(float(np.float32(0.1)), 0.5), missing=False),
        Axis("single", edges=(0.1, 0.5), missing=True),
        Axis("single", categories=(float(np.float32(0.1)), 2), missing=False),
        Axis("single", categories=(0.1, 2.0), missing=True),
    ],
    "year": [
        Axis("year", edges=(-3.0, 2.0, 2.0**53), missing=True),
        Axis("year", categories=(0, 2, -3, 2**53, 7), missing=True),
        Axis("year", categories=(1, 5), missing=False),
    ],
    "ki\"n'd; --": [
        Axis("ki\"n'd; --", categories=tuple(HOSTILE[::2]), missing=True),
        Axis("ki\"n'd; --", categories=(*HOSTILE[1::3], "5"), missing=False),
        Axis("ki\"n'd; --", categories=("", "a"), missing=True),
    ],
    "flag": [
        Axis("flag", categories=(True, False), missing=True),
        Axis("flag", categories=(True,), missing=False),
    ],
}
KIND = "ki\"n'd; --"
TYPES = {
    "key": ("BIGINT", "BIGINT"),
    "a": ("DOUBLE", "DOUBLE PRECISION"),
    "b": ("BIGINT", "BIGINT"),
    "size": ("DOUBLE", "DOUBLE PRECISION"),
    "single": ("FLOAT", "REAL"),
    "year": ("BIGINT", "BIGINT"),
    KIND: ("VARCHAR", "TEXT"),
    "flag": ("BOOLEAN", "BOOLEAN"),
}


def rows(n: int, seed: int) -> pl.DataFrame:
    """Rows with nulls, NaN, infinities, values on the edges, and values never seen."""
    rng = np.random.default_rng(seed)
    floats = [
        -math.inf,
        -1.5,
        -0.0,
        0.0,
        0.1,
        float(np.float32(0.1)),
        0.5,
        1.0,
        2.0,
        math.inf,
        math.nan,
        3.25,
    ]
    years = [-4, -3, -1, 0, 1, 2, 5, 7, 2**53 - 1, 2**53, 2**53 + 1, 2**62]
    columns: dict[str, Any] = {
        "i": np.arange(n),
        "key": rng.permutation(n) - n // 3,
        "a": rng.choice([*floats, *rng.normal(size=20).round(2)], n),
        "b": rng.choice([-3, -1, 0, 1, 2, 3, 2**53 + 1, -(2**63), 2**63 - 1], n),
        "size": rng.choice(floats, n),
        "single": rng.choice(floats, n).astype(np.float32),
        "year": rng.choice(years, n),
        KIND: rng.choice(np.array([*HOSTILE, "", "a", "A", "a ", "5", "unseen"], object), n),
        "flag": rng.random(n) < 0.5,
    }
    for name, values in columns.items():
        if name not in ("i", "key"):
            gone = rng.random(n) < 0.08
            columns[name] = pl.Series(values).scatter(np.flatnonzero(gone), None)
    return pl.DataFrame(columns)


def bins(rng: np.random.Generator, names: list[str]) -> Bins:
    """Any bins of some columns: with cells that were never seen, and with bins that are no box."""
    axes = tuple(AXES[name][rng.integers(len(AXES[name]))] for name in names)
    cells = math.prod(map(len, axes))
    count = int(rng.integers(1, 7))
    of_cell = rng.integers(-1, count, cells)
    if rng.random() < 0.5:  # long runs, as trees make them
        of_cell = np.sort(of_cell)
    return Bins(axes, of_cell, tuple(f"s{i}" for i in range(count)))


def table(rng: np.random.Generator, size: int, classifiers: list[str]) -> RuleTable:
    """Rules from never to always, whose thresholds fall."""
    steps: dict[str, list[Any]] = {
        "a": [math.inf, 3.25, 1.0, 0.5, 0.1, -0.0, -1.5, -math.inf],
        "b": [2**63 - 1, 2**53 + 1, 2.5, 1, 0.0, -1, -(2**63)],
    }
    first = np.append(0, np.sort(rng.choice(np.arange(1, size), int(rng.integers(1, size)), replace=False)))
    rules = []
    for _ in range(first.size - 2):
        name = classifiers[rng.integers(len(classifiers))]
        at = rng.integers(0, 3)
        if len(steps[name]) <= at:
            continue
        rules.append(rh.conditions.Rule("threshold", name, steps[name][at]))
        steps[name] = steps[name][at + 1 :]
    return RuleTable(np.append(first[: len(rules) + 1], first[-1]), (NEVER, *rules, ALWAYS))


def policy(
    seed: int, names: list[str], classifiers: list[str], fallback: bool = True
) -> rh.segments.SegmentPolicy:
    """A policy of nobody's data; the hull is that of some counts."""
    rng = np.random.default_rng(seed)
    cut = bins(rng, names)
    hull = rh.RocHull.from_rates([0.0, 0.1, 0.3, 0.6], [0.3, 0.5, 0.8, 0.95], classifier="a")
    size = len(hull)
    tables = [table(rng, size, classifiers) for _ in range(len(cut) + fallback)]
    return rh.segments.SegmentPolicy._of(hull, cut, tables, SALT, {"from": "chance"})


# --- the plainest way -------------------------------------------------------------------------------


def _is_missing(value: Any) -> bool:
    return value is None or value != value  # noqa: PLR0124


def slow_segment(cut: dict[str, Any], row: dict[Any, Any]) -> int:
    """The segment of one row, from the bins' document."""
    place, unseen = 0, False
    for axis in cut["axes"]:
        value, edges, categories = row[axis["column"]], axis["edges"], axis["categories"]
        inner = len(categories) if edges is None else len(edges) + 1
        if _is_missing(value):
            own = inner if axis["missing"] else None
        elif edges is not None:
            own = sum(edge <= float(value) for edge in edges)
        else:
            alike = [i for i, c in enumerate(categories) if _same(c, value)]
            own = alike[0] if alike else None
        unseen |= own is None
        place = place * (inner + axis["missing"]) + (own or 0)
    return -1 if unseen else int(cut["of_cell"][place])


def _same(category: Any, value: Any) -> bool:
    if isinstance(category, str) or isinstance(value, str):
        return bool(category == value and isinstance(value, str) and isinstance(category, str))
    return float(category) == float(value)


def passes(rule: rh.conditions.Rule, row: dict[Any, Any]) -> bool:
    if rule.kind != "threshold":
        return rule.kind == "always"
    score = row[rule.classifier or "score"]
    return not _is_missing(score) and bool(score >= rule.threshold)  # Python compares exactly


def slow_decisions(
    made: rh.segments.SegmentPolicy, point: rh.conditions.OperatingPoint, table: list[dict[Any, Any]]
) -> list[bool]:
    """Decisions row by row; a mixture's lots from the hash of the key."""
    axes = [dataclasses.asdict(axis) for axis in made.bins.axes]
    cut, found = {"axes": axes, "of_cell": made.bins.of_cell.tolist()}, []
    for row in table:
        segment = slow_segment(cut, row)
        name = None if segment < 0 else made.segments[segment]
        rules = [
            rule.of(name) if isinstance(rule, rh.conditions.SegmentedRule) else rule
            for rule, _ in point.rules
        ]
        calls = [passes(rule, row) for rule in rules]
        digest = hashlib.md5(f"{made.salt}:{row['key']}".encode()).digest()
        lot = int.from_bytes(digest[:4], "big") / 2**32
        shares = [share for _, share in point.rules]
        found.append(calls[sum(lot < sum(shares[k:]) for k in range(1, len(shares)))])
    return found


def points(made: rh.segments.SegmentPolicy) -> list[rh.conditions.OperatingPoint]:
    """Every vertex, mixtures of neighbours, and one of three."""
    owners = [rules[0] for rules in made.hull.owners]
    single = [rh.conditions.OperatingPoint(0.0, 0.0, ((rule, 1.0),)) for rule in owners]
    pairs = pairwise(owners)
    mixed = [rh.conditions.OperatingPoint(0.0, 0.0, ((a, 0.7), (b, 0.3)), "edge") for a, b in pairs]
    three = zip((owners[0], owners[-1], owners[len(owners) // 2]), (0.3, 0.2, 0.5), strict=True)
    return [*single, *mixed, rh.conditions.OperatingPoint(0.0, 0.0, tuple(three), "inside")]
