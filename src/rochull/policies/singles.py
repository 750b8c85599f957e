"""Single rules between the vertices of a hull that a policy holds besides them.

Which threshold of a raw curve is the best single one depends on the condition, so a policy is given
the points. It keeps them as curves of few points, in the units of its hull, where all that looks for single
rules finds them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rochull._core.messages import Parameter, Refusal, refused
from rochull.conditions.rules import OperatingPoint, Rule
from rochull.hull.curve import RocCurve
from rochull.hull.hull import RocHull
from rochull.hull.tallies import Units

Points = Sequence[tuple[Any, Any, Rule]]  # out of the totals of a hull, each with its rule


def between(hull: RocHull, singles: Iterable[OperatingPoint]) -> list[tuple[int, int, Rule]]:
    """Return the points that are not vertices, in the form that the raw curves of the hull have."""
    known = {rule for rules in hull.owners for rule in rules}
    found = []
    for point in singles:
        if not isinstance(point, OperatingPoint):
            raise refused("singles", "must be operating points, but one is {}.", repr(point))
        rule, *others = (rule for rule, _ in point.rules)
        if others:
            raise Refusal("{}: {} is a mixture; give points of a single rule.", Parameter("singles"), point)
        if rule.constant is not None or rule in known:
            continue
        curve = hull.curves.get(rule.classifier)
        at = [] if curve is None else np.flatnonzero(curve.score == rule.level).tolist()
        if curve is None or not at or hull.n_neg % curve.frontier.n_neg or hull.n_pos % curve.frontier.n_pos:
            raise Refusal("{}: no curve of the hull has the rule {}.", Parameter("singles"), repr(str(rule)))
        fp, tp, totals = int(curve.fp_units[at[0] + 1]), int(curve.tp_units[at[0] + 1]), curve.frontier
        found.append((fp * (hull.n_neg // totals.n_neg), tp * (hull.n_pos // totals.n_pos), rule))
    return list(dict.fromkeys(found))


def every_between(hull: RocHull, most: int) -> list[tuple[int, int, Rule]] | None:
    """All single rules between the vertices that some condition can find best.

    None where some are not known, or they are more than `most`. Of those with the same true positive rate it
    is the one with the lowest false positive rate: limits are on rates, and rise with both.
    """
    if not hull.curves:
        is_union = len(hull.classifiers) > 1 and not hull.units.are_rates
        return None if is_union or hull.unknown_thresholds else []
    if any(curve.max_error for curve in hull.curves.values()):
        return None
    vertices = zip(hull.tp.tolist(), hull.fp.tolist(), strict=True)
    least: dict[int, tuple[int, tuple[Any, ...]]] = {tp: (fp, ()) for tp, fp in vertices}
    size = 0
    for name, curve in hull.curves.items():
        if hull.n_neg % curve.frontier.n_neg or hull.n_pos % curve.frontier.n_pos:
            return None
        by_neg, by_pos = hull.n_neg // curve.frontier.n_neg, hull.n_pos // curve.frontier.n_pos
        counts = zip(
            curve.fp_units[1:].tolist(), curve.tp_units[1:].tolist(), curve.score.tolist(), strict=True
        )
        for fp, tp, level in counts:
            known = least.get(tp * by_pos)
            if known is None or fp * by_neg < known[0]:
                size += known is None or not known[1]
                if size > most + 1:  # one of them may stand for "always"
                    return None
                least[tp * by_pos] = fp * by_neg, (level, name, curve.lower_is_positive)
    ends = hull.n_neg, hull.n_pos
    found = [(fp, tp, Rule.at_level(*at)) for tp, (fp, at) in least.items() if at and (fp, tp) != ends]
    return found if len(found) <= most else None


def curves_of(points: Points, totals: tuple[int, int], units: Units) -> dict[str | None, RocCurve]:
    """A curve for each classifier, of its points and both ends."""
    found: dict[str | None, list[tuple[Any, Any, Rule]]] = {}
    for point in points:
        found.setdefault(point[2].classifier, []).append(point)
    return {name: _curve(own, totals, units) for name, own in found.items()}


def points_of(curves: Mapping[str | None, RocCurve]) -> list[tuple[int, int, Rule]]:
    """The points of such curves."""
    return [
        (int(fp), int(tp), Rule.at_level(level, name, curve.lower_is_positive))
        for name, curve in curves.items()
        for fp, tp, level in zip(
            curve.fp_units[1:-1], curve.tp_units[1:-1], curve.score[:-1].tolist(), strict=True
        )
    ]


def _curve(points: Points, totals: tuple[int, int], units: Units) -> RocCurve:
    fp, tp, rules = zip(*sorted(points, key=lambda point: -point[2].level), strict=True)
    dtype = object if units.is_wide else np.int64
    score = np.array([rule.level for rule in (*rules, rules[-1])])
    ends = [np.array([0, *inner, total], dtype) for inner, total in zip((fp, tp), totals, strict=True)]
    curve = RocCurve(score, ends[1], ends[0], units, max_error=1.0)  # most points are left out
    return replace(curve, lower_is_positive=rules[0].lower_is_positive)
