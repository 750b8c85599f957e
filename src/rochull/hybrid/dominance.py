"""Which classifier is optimal where: the ranges of slopes along a hull."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rochull._core.cards import Card
from rochull._core.results import Result
from rochull.hull.hull import RocHull
from rochull.hull.unions import to_scale

_NEAR = 1e-9  # heights that differ by less, of the hull's, are compared exactly


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
class Touch:
    """A classifier that is as good as the dominators at one slope alone: it touches an edge of the hull.

    Attributes
    ----------
    slope : float
        That of the edge.
    classifier : str
        It reaches neither end of the edge.
    fpr, tpr : float
        Where it touches (in-sample).
    edge : int
        From vertex `edge` of the hull to the next one.
    """

    slope: float
    classifier: str
    fpr: float
    tpr: float
    edge: int


@dataclass(frozen=True)
class DominanceTable(Result):
    """Which classifier is optimal at which slopes (Provost & Fawcett 2001, last table).

    Attributes
    ----------
    rows : tuple of DominanceRow
        From slope 0 (misses alone matter) to infinity (false alarms alone matter).
    absolute : str or None
        The classifier that owns the whole hull, if one does.
    touching : tuple of Touch
        Classifiers that are optimal at one slope alone, inside an edge of the hull, by ascending slope.
    compared : bool
        Whether there are several classifiers, so that one can dominate the others.
    """

    rows: tuple[DominanceRow, ...]
    absolute: str | None
    touching: tuple[Touch, ...] = ()
    compared: bool = True

    def _card(self) -> Card:
        rows = [(row.low, row.high, row.rule) for row in self.rows]
        rows += [(touch.slope, touch.slope, f"as good: {touch.classifier}") for touch in self.touching]
        heads = ("slope from", "to", "dominator")
        notes = (f"absolute dominator: {self.absolute or 'none'}",) if self.compared else ()
        return Card(type(self).__name__, list(zip(heads, zip(*rows, strict=True), strict=True)), notes)

    def __str__(self) -> str:
        ranges = [(f"[{row.low:.4g}, {row.high:.4g}]", row.rule) for row in self.rows]
        lines = [f"{slopes:>22}  {rule}" for slopes, rule in [("slope range", "dominator"), *ranges]]
        lines += [f"{f'{touch.slope:.4g} alone':>22}  as good: {touch.classifier}" for touch in self.touching]
        if self.compared:
            lines.append(f"absolute dominator: {self.absolute or 'none'}")
        return "\n".join(lines)


def dominance_of(hull: RocHull, hulls: Mapping[str, RocHull] | None = None) -> DominanceTable:
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
    absolute = everywhere[0] if everywhere else None
    compared = len(hull.classifiers if hulls is None else hulls) > 1
    return DominanceTable(tuple(rows), absolute, _touching(hull, hulls or {}), compared)


def _touching(union: RocHull, hulls: Mapping[str, RocHull]) -> tuple[Touch, ...]:
    """The vertices of single hulls that are inside an edge of the union, exactly."""
    owners, found = [_names(rules) for rules in union.owners], []
    for name, hull in hulls.items():
        x, y = (part[1:-1] for part in to_scale(hull, union.n_neg, union.n_pos, union.units))
        edge = np.clip(np.searchsorted(union.fp, x, side="right") - 1, 0, len(union) - 2)
        height = np.interp(x.astype(float), union.fp.astype(float), union.tp.astype(float))
        for k in np.flatnonzero(np.abs(height - y) <= _NEAR * union.n_pos).tolist():
            i = int(edge[k])
            (x0, y0), (x1, y1) = ((int(union.fp[j]), int(union.tp[j])) for j in (i, i + 1))
            at = int(x[k]), int(y[k])
            # At slopes 0 and inf the constant rules are as good as anybody.
            inside = x0 < at[0] < x1 and y0 < at[1] < y1
            inside = inside and (at[1] - y0) * (x1 - x0) == (y1 - y0) * (at[0] - x0)
            if inside and name not in {*owners[i], *owners[i + 1]}:
                rates = at[0] / union.n_neg, at[1] / union.n_pos
                found.append(Touch(float(union.slopes[i]), name, *rates, i))
    return tuple(sorted(found, key=lambda touch: (touch.slope, touch.classifier, touch.fpr)))


def _names(rules: tuple[Any, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(rule.classifier for rule in rules if rule.classifier is not None))
