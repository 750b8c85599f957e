"""Which classifier is optimal where: the ranges of slopes along a hull."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rochull.hull.hull import RocHull


@dataclass(frozen=True)
class DominanceRow:
    """A range of iso-performance slopes and the classifiers that are optimal on it.

    Attributes
    ----------
    low, high : float
        The slopes from `low` to `high`; the ends belong to the neighbouring rows too.
    classifiers : tuple of str
        Those that reach every vertex of the range; empty for a constant rule.
    rule : str
        The names, or "always" or "never" for a degenerate corner of the hull.
    first, last : int
        The vertices of the hull, from `first` to `last`.
    fpr, tpr : tuple of float
        Lowest and highest rate of these vertices (in-sample).
    """

    low: float
    high: float
    classifiers: tuple[str, ...]
    rule: str
    first: int
    last: int
    fpr: tuple[float, float]
    tpr: tuple[float, float]


@dataclass(frozen=True)
class DominanceTable:
    """Which classifier is optimal at which slopes (Provost & Fawcett 2001, last table).

    Attributes
    ----------
    rows : tuple of DominanceRow
        From slope 0 (misses alone matter) to infinity (false alarms alone matter).
    absolute : str or None
        The classifier that owns the whole hull, if one does.
    """

    rows: tuple[DominanceRow, ...]
    absolute: str | None

    def __str__(self) -> str:
        ranges = [(f"[{row.low:.4g}, {row.high:.4g}]", row.rule) for row in self.rows]
        lines = [f"{slopes:>22}  {rule}" for slopes, rule in [("slope range", "dominator"), *ranges]]
        return "\n".join([*lines, f"absolute dominator: {self.absolute or 'none'}"])


def dominance_of(hull: RocHull) -> DominanceTable:
    """The dominance table of a union hull, one row for each run of vertices with the same owners."""
    owners = [_names(rules) for rules in hull.owners]
    slopes = np.concatenate(([np.inf], hull.slopes, [0.0]))  # vertex i: from slopes[i + 1] to slopes[i]
    rows: list[DominanceRow] = []
    for i in range(len(hull) - 1, -1, -1):
        low, high = float(slopes[i + 1]), float(slopes[i])
        label = ", ".join(owners[i]) or str(hull.owners[i][0])
        if rows and (rows[-1].classifiers, rows[-1].rule) == (owners[i], label):
            previous = rows.pop()
            rows.append(
                replace(
                    previous,
                    high=high,
                    first=i,
                    fpr=(float(hull.fpr[i]), previous.fpr[1]),
                    tpr=(float(hull.tpr[i]), previous.tpr[1]),
                )
            )
        elif low < high:
            fpr, tpr = float(hull.fpr[i]), float(hull.tpr[i])
            rows.append(DominanceRow(low, high, owners[i], label, i, i, (fpr, fpr), (tpr, tpr)))
    inner = [set(names) for names in owners[1:-1]]
    everywhere = [n for n in hull.classifiers if all(n in names for names in inner)]
    return DominanceTable(tuple(rows), everywhere[0] if everywhere else None)


def _names(rules: tuple[Any, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(rule.classifier for rule in rules if rule.classifier is not None))
