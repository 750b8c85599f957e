"""Thresholds by segment of a table that was scanned, for a report; see :mod:`rochull.report.segments`.

What cases of other folds gain is not told: ``held_out`` and ``n_folds`` are null.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull.conditions.conditions import Condition, ExpectedCost, InfeasibleConditionError
from rochull.conditions.rules import threshold_in
from rochull.report.live_segments import ELSEWHERE, Ladder, ladders_of, live_facts
from rochull.report.segments import _drawn, best_of, plain
from rochull.scanning.tasks import Steps

if TYPE_CHECKING:
    from rochull._core.validation import Array
    from rochull.hybrid.hybrid import Hybrid
    from rochull.scanning.scanner import Scan
    from rochull.segments.redistribution import ErrorRedistribution

Facts = dict[str, Any]


def scanned_segments(scan: Scan, hybrid: Hybrid, condition: Condition | None) -> Facts:
    """The facts ``segments`` of a scan."""
    from rochull.segments.redistribution import ErrorRedistribution

    if condition is not None and condition.intervals:
        condition = None
    name = best_of(hybrid, condition, hybrid.auc)
    # How much to shrink is chosen by dividing counts at random, and weights are not counts.
    made = ErrorRedistribution(shrinkage=0) if hybrid.hulls[name].units.weighted else ErrorRedistribution()
    model = made.fit_scan(scan, score=name)
    thresholds: dict[Any, float] | None = None
    fixed = None
    if condition is not None:
        try:
            fixed = hybrid.hulls[name].at(condition, deterministic=True).rules[0][0].lowest
            thresholds = model.thresholds(condition)
        except InfeasibleConditionError:
            fixed = thresholds = None
    ladders = ladders_of(model)
    found = _Called.of(scan, name, model, fixed, thresholds, [] if isinstance(ladders, str) else ladders)
    bent, straight = model._curve, scan.roc_curves()[name]
    return {
        "classifier": name,
        "columns": [str(scan.segment_column)],
        "model": model.model_,
        "shrinkage": plain(model.shrinkage_) if model.model_ == "pav" else None,
        "n_folds": None,
        "areas": {"straight": hybrid.auc[name], "bent": bent.auc(), "held_out": None},
        "curves": {"straight": _drawn(straight), "bent": _drawn(bent), "held_out": None},
        "points": None if condition is None or thresholds is None else found.points(condition),
        "fixed": None if fixed is None else plain(fixed),
        "rows": found.rows(model, thresholds),
        "live": None if isinstance(ladders, str) else live_facts(model, ladders, found.totals, found.live),
        "live_why": ladders if isinstance(ladders, str) else None,
    }


class _Called:
    """Weight of every segment, and what of it the rules call positive.

    Attributes
    ----------
    totals : (k, 2) negatives and positives of each segment of the model.
    straight, bent : (k, 2) those called positive by one threshold, and by that of the segment; or None.
    live : k arrays (steps, 2), those called positive at each step of a ladder.
    """

    def __init__(self, totals: Array, straight: Array | None, bent: Array | None, live: list[Array]) -> None:
        self.totals, self.straight, self.bent, self.live = totals, straight, bent, live

    @classmethod
    def of(  # noqa: PLR0917
        cls,
        scan: Scan,
        name: str,
        model: ErrorRedistribution,
        fixed: float | None,
        thresholds: dict[Any, float] | None,
        ladders: Sequence[Ladder],
    ) -> _Called:
        """Count every group of the scan at all of its thresholds, in one pass."""
        table, groups = scan._table, scan._by("segment")
        segment = model.segment({scan.segment_column: np.array([value for value, _ in groups])})
        dtype = scan._columns()[name, 0].blocks.low.dtype
        tasks, at = {}, {}
        for place, (_, group) in zip(segment.tolist(), groups, strict=True):
            own = [] if thresholds is None or fixed is None else [fixed, thresholds[model.segments_[place]]]
            steps = [(step, step == np.inf) for step in own]
            if ladders:
                steps += zip(ladders[place].threshold, ladders[place].never, strict=True)
            found = _Steps(steps, dtype)
            at[group] = place, found
            tasks[name, group] = [Steps(found.inside, table.groups[group].units)]
        k, given = len(model.segments_), 0 if thresholds is None else 2
        totals, called = np.zeros((k, 2)), [np.zeros((0, 2))] * k
        for (_, group), (counts,) in table.answer(tasks).items():
            units = table.groups[group].units
            place, found = at[group]
            each = np.array([units.neg, units.pos])
            totals[place] += counts.sum(axis=0) / each
            reached = found.called(counts) / each
            called[place] = called[place] + reached if called[place].size else reached
        straight, bent = np.stack([rows[:2] for rows in called], axis=1) if given else (None, None)
        return cls(totals, straight, bent, [rows[given:] for rows in called])

    def points(self, condition: Condition) -> Facts:
        """Rates and cost of both rules, in-sample."""
        found: Facts = {"held_out": None}
        for kind, called in (("straight", self.straight), ("bent", self.bent)):
            assert called is not None
            fpr, tpr = (called.sum(axis=0) / self.totals.sum(axis=0)).tolist()
            cost = condition.cost(fpr, tpr) if isinstance(condition, ExpectedCost) else None
            found[kind] = {"fpr": fpr, "tpr": tpr, "expected_cost": cost}
        return found

    def rows(self, model: ErrorRedistribution, thresholds: dict[Any, float] | None) -> list[Facts]:
        """What there is of every segment; and of values that are in none, if there are thresholds."""
        rows: list[Facts] = []
        for i, segment in enumerate(model.segments_):
            neg, pos = self.totals[i].tolist()
            rates: list[float | None] = [None, None]
            if self.bent is not None:
                rates = [
                    called / total if total else None
                    for called, total in zip(self.bent[i].tolist(), (neg, pos), strict=True)
                ]
            threshold = None if thresholds is None else plain(thresholds[segment])
            rows.append(
                {"segment": segment, "negatives": neg, "fpr": rates[0], "positives": pos, "tpr": rates[1],
                 "threshold": threshold}
            )  # fmt: skip
        if thresholds is not None:
            rows.append(
                {"segment": ELSEWHERE, "negatives": 0.0, "fpr": None, "positives": 0.0, "tpr": None,
                 "threshold": plain(list(thresholds.values())[-1])}
            )  # fmt: skip
        return rows


class _Steps:
    """Thresholds in any order, and whether each stands for "never"; as those that a scan counts between.

    Attributes
    ----------
    inside : (m,) the finite ones and those of infinite scores, ascending, in the type of the scores.
    """

    def __init__(self, steps: Sequence[tuple[float, bool]], dtype: np.dtype[Any]) -> None:
        cast = [None if never else _in(dtype, step) for step, never in steps]
        if dtype.kind in "iu":  # no integer is infinite
            cast = [None if step == np.inf else step for step in cast]
        held = sorted({step for step in cast if step is not None and step != -np.inf})
        rank = {step: i for i, step in enumerate(held, start=1)}
        self.inside = np.array(held, dtype)
        self.reached = [len(held) + 1 if step is None else rank.get(step, 0) for step in cast]

    def called(self, counts: Array) -> Array:
        """Units called positive by each threshold (steps, 2), from those between the thresholds inside."""
        above = np.zeros((counts.shape[0] + 1, 2), np.int64)
        above[:-1] = np.cumsum(counts[::-1], axis=0)[::-1]
        return above[self.reached]


def _in(dtype: np.dtype[Any], step: float) -> Any:
    """A threshold in the type of the scores."""
    return threshold_in(dtype, step) if np.isfinite(step) else step
