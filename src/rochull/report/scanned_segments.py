"""Thresholds by segment of a table that was scanned, for a report; see :mod:`rochull.report.segments`.

What cases of other folds gain is not told: ``held_out`` and ``n_folds`` are null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._columns import threshold_in
from rochull.conditions import Condition, ExpectedCost, InfeasibleConditionError
from rochull.report.segments import ELSEWHERE, _drawn, best_of, plain
from rochull.scanning.tasks import Steps

if TYPE_CHECKING:
    from rochull._validation import Array
    from rochull.hybrid import Hybrid
    from rochull.scanning.scan import Scan
    from rochull.segments import ErrorRedistribution

Facts = dict[str, Any]


def scanned_segments(scan: Scan, hybrid: Hybrid, condition: Condition | None) -> Facts:
    """The facts ``segments`` of a scan."""
    from rochull._segment_models import number_of
    from rochull.segments import ErrorRedistribution

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
            fixed = number_of(hybrid.hulls[name].at(condition, deterministic=True).rules[0][0])
            thresholds = model.thresholds(condition)
        except InfeasibleConditionError:
            fixed = thresholds = None
    found = _Called.of(scan, name, model, fixed, thresholds)
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
    }


class _Called:
    """Weight of every segment, and what of it the rules call positive.

    Attributes
    ----------
    totals : (k, 2) negatives and positives of each segment of the model.
    straight, bent : (k, 2) those called positive by one threshold, and by that of the segment; or None.
    """

    def __init__(self, totals: Array, straight: Array | None, bent: Array | None) -> None:
        self.totals, self.straight, self.bent = totals, straight, bent

    @classmethod
    def of(
        cls,
        scan: Scan,
        name: str,
        model: ErrorRedistribution,
        fixed: float | None,
        thresholds: dict[Any, float] | None,
    ) -> _Called:
        """Count every group of the scan at its two thresholds, in one pass."""
        table, groups = scan._table, scan._by("segment")
        segment = model.segment({scan.segment_column: np.array([value for value, _ in groups])})
        dtype = scan._columns()[name, 0].blocks.low.dtype
        tasks, at = {}, {}
        for place, (_, group) in zip(segment.tolist(), groups, strict=True):
            own = [] if thresholds is None or fixed is None else [fixed, thresholds[model.segments_[place]]]
            steps = [threshold_in(dtype, step) if np.isfinite(step) else step for step in own]
            inside = sorted({step for step in steps if np.isfinite(step)})
            at[group] = place, [_reached(step, inside) for step in steps]
            tasks[name, group] = [Steps(np.array(inside, dtype), table.groups[group].units)]
        sums = np.zeros((3, len(model.segments_), 2))
        for (_, group), (counts,) in table.answer(tasks).items():
            units = table.groups[group].units
            place, reached = at[group]
            each = np.array([units.neg, units.pos])
            sums[0, place] += counts.sum(axis=0) / each
            for i, step in enumerate(reached, start=1):
                sums[i, place] += counts[step:].sum(axis=0) / each
        return cls(sums[0], *(sums[1:] if thresholds is not None else (None, None)))

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


def _reached(step: float, inside: list[float]) -> int:
    """How many of the ascending thresholds a called row reaches at least."""
    if np.isfinite(step):
        return inside.index(step) + 1
    return 0 if step < 0 else len(inside) + 1
