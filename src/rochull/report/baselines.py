"""Baselines of an answer: flagging nothing, flagging everything, and each classifier as commonly used.

The facts are a list of dicts with these keys.

``kind``
    "never", "always", "half" (a classifier whose scores are within [0, 1], at threshold 0.5) or "best" (one
    of which that is not so, or not known: at its own best point for the condition).
``classifier``
    Its name; null for the first two.
``fp``, ``tp``
    Out of ``totals``; null for "best", whose point depends on the condition.
``point``
    The point at the report's own condition, as in ``chosen``; null without one, or where there is no such
    point.
``breaks``
    Whether it breaks a limit of the condition, by more than rounding; null where that is not known.
``told_apart``
    Of "never" and "always", whose costs have no error where the prevalence is known: whether theirs lies
    outside the 95 % interval of the best point's cost (from Wilson's intervals of both rates); null where
    there is no such interval.
``as_cheap``
    Of "never" and "always" under precise costs: whether it costs no more than the best single rule, which is
    not rounded; else null.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull.conditions.costs import costs_of
from rochull.conditions.frontier import Choice
from rochull.conditions.rules import ALWAYS, NEVER, OperatingPoint, Rule
from rochull.report.live_segments import counts
from rochull.report.segments import json_number
from rochull.uncertainty.bootstrap_intervals import wilson
from rochull.uncertainty.delong import score_ends

if TYPE_CHECKING:
    from rochull.conditions.base import Condition
    from rochull.hull.curve import RocCurve
    from rochull.hybrid.hybrid import Hybrid

Facts = dict[str, Any]
HALF = 50  # the place of 0.5 among the hundredths, after the point that reaches nothing


def usual_thresholds(hybrid: Hybrid, name: str) -> Facts | None:
    """``fp`` and ``tp`` of one classifier at thresholds 1, 0.99, ..., 0, or from 0 up; None if not known."""
    curve = hybrid.hundredths.get(name)
    return None if curve is None else counts((curve.fp_units[1:], curve.tp_units[1:]), curve.units)


def forecast_facts(hybrid: Hybrid, name: str) -> Facts | None:
    """Sums of one classifier's scores, as probabilities, at thresholds 0.9, 0.8, ..., 0."""
    curve = hybrid.hundredths.get(name)
    if curve is None:
        return None
    return {"fp": curve.fp_forecast[11::10].tolist(), "tp": curve.tp_forecast[11::10].tolist()}


def spread_facts(hybrid: Hybrid, name: str) -> Facts | None:
    """How many scores of one classifier differ, and of each class the least, the median and the greatest."""
    found, ends = hybrid.spreads.get(name), ("least", "median", "greatest")
    if found is None:
        return None
    classes = {"negatives": found.negatives, "positives": found.positives}
    told = {of: dict(zip(ends, map(json_number, scores), strict=True)) for of, scores in classes.items()}
    return {"distinct": found.distinct, **told}


def auc_ends(hybrid: Hybrid, name: str) -> Facts | None:
    """The ends of the 95 % score interval of an area, by the curve that is drawn; None if not known."""
    curve, area = hybrid.curves.get(name), hybrid.auc.get(name)
    if curve is None or area is None or curve.units.weighted or curve.units.are_rates:
        return None
    fp, tp = (np.asarray(units, float) for units in (curve.fp_units, curve.tp_units))
    n, p = fp[-1], tp[-1]
    if min(n, p) < 2:
        return None
    # How many of the other class each example of a group is in order with, as a share of them.
    placed = [(np.diff(tp), 1 - (fp[1:] + fp[:-1]) / 2 / n, p), (np.diff(fp), (tp[1:] + tp[:-1]) / 2 / p, n)]
    parts = [float(((share - area) ** 2) @ size / (total - 1) / total) for size, share, total in placed]
    low, high = score_ends(Fraction(area), (parts[0], parts[1]), (p, n), 0.025)
    return {"low": low, "high": high}


def baseline_facts(
    hybrid: Hybrid,
    facts_of: Callable[[OperatingPoint], Facts] | None,
    alone: dict[str, Facts | None],
    condition: Condition | None = None,
    points: tuple[OperatingPoint, OperatingPoint] | None = None,
) -> list[Facts]:
    """The baselines.

    Parameters
    ----------
    facts_of : makes facts of a point.
    alone : each classifier's own best point.
    points : the best point, and the best single rule.
    """
    hull = hybrid.hull
    ends = counts((hull.fp[[0, -1]], hull.tp[[0, -1]]), hull.units)
    found = []
    for i, rule in enumerate((NEVER, ALWAYS)):
        point = OperatingPoint(float(i), float(i), ((rule, 1.0),), prevalence=hull.prevalence)
        found.append(_facts(rule.kind, None, (ends["fp"][i], ends["tp"][i]), facts_of and facts_of(point)))
    for name in hybrid.hulls:
        usual, curve = usual_thresholds(hybrid, name), hybrid.hundredths.get(name)
        if usual is None or curve is None:
            found.append(_facts("best", name, (None, None), alone.get(name)))
        else:
            rates = usual["fp"][HALF], usual["tp"][HALF]
            found.append(_facts("half", name, rates, facts_of and facts_of(_half(name, curve))))
    costs = costs_of(condition)
    if costs is not None and points is not None:
        price, own = costs.question.objective.exact_value, _exact_rates(hybrid, points[1])
        for i, row in enumerate(found[:2]):
            row["as_cheap"] = price(Fraction(i), Fraction(i)) <= price(*own)
    cost = None if points is None or condition is None else cost_interval(hybrid, condition, points[0])
    for row in found:
        at = row["point"]
        if costs is not None and at is None and row["fp"] is not None:
            total = counts((hull.n_neg, hull.n_pos), hull.units, ("negatives", "positives"))
            at = {"fpr": row["fp"] / total["negatives"], "tpr": row["tp"] / total["positives"]}
        if condition is not None and at is not None:
            row["breaks"] = not condition.question.center.is_kept(at["fpr"], at["tpr"])
            if cost is not None and row["classifier"] is None:
                row["told_apart"] = not cost.low <= row["point"]["expected_cost"] <= cost.high
    return found


def cost_interval(hybrid: Hybrid, condition: Condition, point: OperatingPoint) -> Any:
    """The interval of what a rule costs per case under precise costs; None unless its outcomes are counts."""
    hull, names = hybrid.hull, [rule.classifier for rule, _ in point.rules if rule.classifier]
    known = (hybrid.hulls[name].blocks is not None for name in names)
    costs = costs_of(condition)
    if costs is None or not names or hull.units.weighted or not all(known):
        return None
    totals = counts((hull.n_neg, hull.n_pos), hull.units, ("negatives", "positives"))
    pairs = ((point.fpr, totals["negatives"]), (point.tpr, totals["positives"]))
    return costs.question.objective.interval(*(wilson(rate, int(n), 0.95) for rate, n in pairs))


def _exact_rates(hybrid: Hybrid, point: OperatingPoint) -> tuple[Fraction, Fraction]:
    """The rates of a single rule, which are counts, or weights where a vertex has them."""
    hull = hybrid.hull
    if not (hull.units.weighted or hull.units.are_rates):
        n_neg, n_pos = int(hull.n_neg), int(hull.n_pos)
        return Fraction(round(point.fpr * n_neg), n_neg), Fraction(round(point.tpr * n_pos), n_pos)
    of = hull.frontier
    at = np.flatnonzero((of.fpr == point.fpr) & (of.tpr == point.tpr))
    return of.point(int(at[0])) if len(at) else (Fraction(point.fpr), Fraction(point.tpr))


def _half(name: str, curve: RocCurve) -> OperatingPoint:
    rates = Choice(HALF + 1).rates(curve.frontier)
    rule = Rule("threshold", name, 0.5, curve.lower_is_positive)
    return OperatingPoint(*rates, ((rule, 1.0),), "curve")


def _facts(kind: str, name: str | None, at: tuple[Any, Any], point: Facts | None) -> Facts:
    return {
        "kind": kind,
        "classifier": name,
        "fp": at[0],
        "tp": at[1],
        "point": point,
        "breaks": None,
        "told_apart": None,
        "as_cheap": None,
    }
