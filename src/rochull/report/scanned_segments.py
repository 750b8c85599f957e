"""Thresholds by segment of a table that was scanned, for a report; see :mod:`rochull.report.segments`.

The gain on cases of other folds is unknown: ``held_out`` and ``n_folds`` are null.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull.conditions.base import Condition
from rochull.conditions.costs import costs_of
from rochull.conditions.vertices import InfeasibleConditionError
from rochull.hull.hull import optimum
from rochull.report.live_segments import (
    ELSEWHERE,
    Ladder,
    ladders_of,
    live_facts,
    straight_ladder,
    threshold_fact,
)
from rochull.report.segments import areas_of, best_of, drawn_curve, json_number, of_one_rule

if TYPE_CHECKING:
    from rochull._core.validation import Array
    from rochull.hybrid.hybrid import Hybrid
    from rochull.scanning.readings import Scan
    from rochull.segments.redistribution import ErrorRedistribution

Facts = dict[str, Any]


def model_of_scan(scan: Scan, name: str) -> ErrorRedistribution:
    """The thresholds of one classifier by segment, learned from a scan."""
    from rochull.segments.redistribution import ErrorRedistribution

    # How much to shrink is chosen by dividing counts at random, and weights are not counts.
    weighted = scan.roc_hulls()[name].units.weighted
    lower = name in scan.lower_is_positive
    made = ErrorRedistribution(shrinkage=0 if weighted else "cv", lower_is_positive=lower)
    return made.fit_scan(scan, score=name)


def scanned_segments(
    scan: Scan, hybrid: Hybrid, condition: Condition | None, model_of: Callable[[str], ErrorRedistribution]
) -> Facts:
    """The facts ``segments`` of a scan; `model_of` gives the fitted model of a classifier."""
    condition = of_one_rule(condition)
    name = best_of(hybrid, condition, hybrid.auc)
    model = model_of(name)
    thresholds: dict[Any, float] | None = None  # these two: among scores of which high ones are positive
    fixed = None
    lower = hybrid.hulls[name].lower_is_positive
    if condition is not None:
        try:
            fixed = optimum(hybrid.hulls[name], condition.question, deterministic=True).rules[0][0].lowest
            listed = model.thresholds(condition)
            thresholds = {key: 0 - t if lower else t for key, t in listed.items()}
        except InfeasibleConditionError:
            fixed = thresholds = None
    ladders = ladders_of(model)
    one = None if isinstance(ladders, str) else straight_ladder(hybrid.hulls[name], len(ladders))
    found = _Called.of(scan, name, model, fixed, thresholds, [] if isinstance(ladders, str) else ladders, one)
    bent, straight = model.curve_, scan.roc_curves()[name]
    exact = {"straight": hybrid.auc[name], "straight_hull": hybrid.hulls[name].auc()}
    areas = areas_of(straight, bent) | exact
    return {
        "classifier": name,
        "lower_is_positive": lower,
        "columns": [str(scan.segment_column)],
        "model": model.model_,
        "shrinkage": json_number(model.shrinkage_) if model.model_ == "pav" else None,
        "n_folds": None,
        "areas": areas | {"held_out": None},
        "curves": {"straight": drawn_curve(straight), "bent": drawn_curve(bent), "held_out": None},
        "points": None if condition is None or thresholds is None else found.points(condition),
        "fixed": None if fixed is None else threshold_fact(fixed, lower),
        "rows": found.rows(model, thresholds, lower),
        "live": None
        if isinstance(ladders, str)
        else live_facts(model, ladders, found.totals, found.live, found.one),
        "live_why": ladders if isinstance(ladders, str) else None,
    }


class _Called:
    """Weight of every segment, and what of it the rules call positive.

    Attributes
    ----------
    totals : (k, 2) negatives and positives of each segment of the model.
    straight, bent : (k, 2) those called positive by one threshold, and by that of the segment; or None.
    live : k arrays (steps, 2), those called positive at each step of a ladder.
    one : k arrays (vertices, 2), those by one threshold, at each vertex of the hull; or None.
    """

    def __init__(
        self,
        totals: Array,
        fixed: tuple[Array | None, Array | None],
        live: list[Array],
        one: list[Array] | None,
    ) -> None:
        self.totals, (self.straight, self.bent), self.live, self.one = totals, fixed, live, one

    @classmethod
    def of(  # noqa: PLR0917
        cls,
        scan: Scan,
        name: str,
        model: ErrorRedistribution,
        fixed: float | None,
        thresholds: dict[Any, float] | None,
        ladders: Sequence[Ladder],
        one: Ladder | None,
    ) -> _Called:
        """Count every group of the scan at all of its thresholds, in one pass."""
        values = list(scan.counts("segment"))
        places = model.segment({scan.segment_column: np.array(values)}).tolist()
        steps: dict[Any, list[float | None]] = {}
        for value, place in zip(values, places, strict=True):
            own: list[float | None] = []
            if thresholds is not None and fixed is not None:
                own = [
                    None if step == np.inf else step for step in (fixed, thresholds[model.segments_[place]])
                ]
            for ladder in ([one] if one else []) + ([ladders[place]] if ladders else []):
                each = zip(ladder.threshold, ladder.never, strict=True)
                own += [None if never else step for step, never in each]
            steps[value] = own
        k, given = len(model.segments_), 0 if thresholds is None else 2
        totals, called = np.zeros((k, 2)), [np.zeros((0, 2))] * k
        if name in scan.lower_is_positive:
            steps = {key: [None if t is None else 0 - t for t in own] for key, own in steps.items()}
        found = scan.called_positive(steps, name, by="segment")
        for value, place in zip(values, places, strict=True):
            totals[place] += found[value].totals
            reached = found[value].called.T
            called[place] = called[place] + reached if called[place].size else reached
        straight, bent = np.stack([rows[:2] for rows in called], axis=1) if given else (None, None)
        after = given + (len(one.vertex) if one else 0)
        counts = [rows[given:after] for rows in called] if one else None
        return cls(totals, (straight, bent), [rows[after:] for rows in called], counts)

    def points(self, condition: Condition) -> Facts:
        """Rates and cost of both rules, in-sample."""
        found: Facts = {"held_out": None}
        costs = costs_of(condition)
        for kind, called in (("straight", self.straight), ("bent", self.bent)):
            assert called is not None
            fpr, tpr = (called.sum(axis=0) / self.totals.sum(axis=0)).tolist()
            found[kind] = {"fpr": fpr, "tpr": tpr, "expected_cost": costs and costs.cost(fpr, tpr)}
        return found

    def rows(
        self, model: ErrorRedistribution, thresholds: dict[Any, float] | None, lower: bool
    ) -> list[Facts]:
        """Facts of every segment, and of values that are in none if there are thresholds."""
        rows: list[Facts] = []
        for i, segment in enumerate(model.segments_):
            neg, pos = self.totals[i].tolist()
            by, one = (
                None
                if counts is None
                else {
                    name: called / total if total else None
                    for name, called, total in zip(
                        ("fpr", "tpr"), counts[i].tolist(), (neg, pos), strict=True
                    )
                }
                for counts in (self.bent, self.straight)
            )
            threshold = None if thresholds is None else threshold_fact(thresholds[segment], lower)
            rows.append(
                {"segment": segment, "negatives": neg, "positives": pos, "threshold": threshold, "one": one}
                | (by or {"fpr": None, "tpr": None})
            )
        if thresholds is not None:
            rows.append(
                {"segment": ELSEWHERE, "negatives": 0.0, "fpr": None, "positives": 0.0, "tpr": None,
                 "one": None, "threshold": threshold_fact(list(thresholds.values())[-1], lower)}
            )  # fmt: skip
        return rows
