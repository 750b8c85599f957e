"""Thresholds by segment under any condition: what a page needs to move along the bent hull.

The schema is part of that in :mod:`rochull.report.segments`, under ``live``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull.conditions.rules import Action
from rochull.hull.tallies import ratio
from rochull.report.wording import tell

if TYPE_CHECKING:
    from rochull._core.validation import Array, Labelled
    from rochull.hull.hull import RocHull
    from rochull.hull.tallies import Units
    from rochull.segments.redistribution import ErrorRedistribution
    from rochull.segments.rules import RuleTable

Facts = dict[str, Any]
ELSEWHERE = "elsewhere"
MOST_SEGMENTS, MOST_STEPS = 60, 20_000  # which a page can show, and hold


@dataclass(frozen=True, eq=False)
class Ladder:
    """The thresholds of one segment along the vertices of the bent hull, stored where they change."""

    vertex: tuple[int, ...]  # the vertex from which each threshold holds; ascending, from 0
    threshold: tuple[float, ...]  # inf where no case is called positive, -inf where all are
    # These are among scores of which high ones are positive: negated, if low ones are.
    never: tuple[bool, ...]  # whether no case is, not even one of an infinite score
    lower_is_positive: bool = False

    @classmethod
    def of(cls, table: RuleTable) -> Ladder:
        """Build from a table of rules."""
        rules = table.rules
        never = (rule.constant is Action.NEGATIVE for rule in rules)
        lower = any(rule.lower_is_positive for rule in rules)
        return cls(tuple(table.first.tolist()), tuple(rule.lowest for rule in rules), tuple(never), lower)


def straight_ladder(hull: RocHull, segments: int) -> Ladder | None:
    """One threshold for all segments, at every vertex of a classifier's hull; None if that is too much."""
    rules = [owners[0] for owners in hull.owners]
    if len(rules) * segments > MOST_STEPS:
        return None
    never = tuple(rule.constant is Action.NEGATIVE for rule in rules)
    return Ladder(tuple(range(len(rules))), tuple(rule.lowest for rule in rules), never)


def threshold_fact(level: float, lower_is_positive: bool) -> float | str:
    """A threshold among scores of which high ones are positive, as the facts have it.

    It is on the scale of the scores that were given; "inf" stands for "never", and "-inf" for "always".
    """
    if math.isinf(level):
        return "inf" if level > 0 else "-inf"
    return 0 - level if lower_is_positive else level


def ladders_of(model: ErrorRedistribution) -> list[Ladder] | str:
    """The ladder of every segment of a fitted model, and of cases elsewhere; or why a page has none."""
    from rochull.segments.rules import tables_of

    if model.bins_ is None:
        return tell("report.live.no segments")
    if len(model.segments_) > MOST_SEGMENTS:
        return tell("report.live.segments", n=len(model.segments_), most=MOST_SEGMENTS)
    ladders = list(map(Ladder.of, tables_of(model.hull_.owners, len(model.segments_) + 1)))
    steps = sum(len(ladder.vertex) for ladder in ladders)
    if steps > MOST_STEPS:
        return tell("report.live.steps", n=steps, most=MOST_STEPS)
    return ladders


def live_facts(
    model: ErrorRedistribution,
    ladders: Sequence[Ladder],
    totals: Array,
    called: Sequence[Array],
    straight: Sequence[Array] | None,
) -> Facts:
    """Facts of the steps that a page moves along, see :mod:`rochull.report.segments`.

    For each segment, and for cases elsewhere: its ladder, the `totals` (s, 2) of its negatives and positives,
    and those `called` positive at each step (steps, 2); and by one threshold for all, `straight`, at each
    vertex of the classifier's own hull (vertices, 2).
    """
    hull = model.hull_
    *own, elsewhere = ladders
    plain = [None] * len(own) if straight is None else straight
    rows = zip(model.segments_, totals, own, called, plain, strict=True)
    segments = [_segment(*row) for row in rows]
    return {
        "totals": counts((hull.n_neg, hull.n_pos), hull.units, ("negatives", "positives")),
        **counts((hull.fp, hull.tp), hull.units),
        "segments": [*segments, _segment(ELSEWHERE, None, elsewhere, None, None)],
    }


def _segment(
    name: str, totals: Array | None, ladder: Ladder, called: Array | None, straight: Array | None
) -> Facts:
    negatives, positives = (None, None) if totals is None else _amounts(totals)
    fp, tp = (None, None) if called is None else _amounts(called.T)
    plain = None if straight is None else dict(zip(("fp", "tp"), _amounts(straight.T), strict=True))
    thresholds = [threshold_fact(level, ladder.lower_is_positive) for level in ladder.threshold]
    return {
        "segment": name,
        "negatives": negatives,
        "positives": positives,
        "steps": {"vertex": list(ladder.vertex), "threshold": thresholds, "fp": fp, "tp": tp},
        "straight": plain,
    }


def counts(units: tuple[Any, Any], unit: Units, names: tuple[str, str] = ("fp", "tp")) -> Facts:
    """Negatives and positives, of numbers or arrays of units: the integers that they are, if they are."""
    found: Facts = {}
    for name, values, size in zip(names, units, (unit.neg, unit.pos), strict=True):
        amounts = np.asarray(values) if size == 1 else ratio(np.asarray(values), size)
        found[name] = _amounts(amounts)
    return found


def _amounts(values: Array) -> Any:
    """Numbers as lists: integers instead of floats that are some, and are not too long to write."""
    values = np.asarray(values)
    whole = (np.abs(values) < 2**53) & (values == np.floor(values))
    if whole.all():
        return values.astype(np.int64).tolist()
    mixed = values.astype(object)
    mixed[whole] = values[whole].astype(np.int64)
    return mixed.tolist()


def counted(data: Labelled, segment: Array, ladders: Sequence[Ladder]) -> tuple[Array, list[Array]]:
    """Totals (s, 2) of the segments of examples, and what each step of their ladders calls positive."""
    weight = np.ones(data.scores.size) if data.weights is None else data.weights
    totals, called = np.zeros((len(ladders) - 1, 2)), []
    for place, ladder in enumerate(ladders[:-1]):
        found = np.zeros((len(ladder.vertex), 2))
        for side, own in enumerate((data.positive != 1, data.positive == 1)):
            rows = own & (segment == place)
            order = np.argsort(data.scores[rows], kind="stable")
            above = np.append(np.cumsum(weight[rows][order][::-1])[::-1], 0.0)  # weight from each score on
            first = np.searchsorted(data.scores[rows][order], ladder.threshold, side="left")
            found[:, side] = np.where(ladder.never, 0.0, above[first])
            totals[place, side] = above[0]
        called.append(found)
    return totals, called
