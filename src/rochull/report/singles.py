"""The single thresholds that can be best: what a page needs where no mixture of two rules is allowed.

The facts are a dict with these keys, of points that ascend in ``tp``. Of all that have the same ``tp`` the
one with the lowest ``fp`` is there: no condition asks for another.

``fp``, ``tp``
    Out of ``totals``.
``classifier``, ``threshold``
    The rule of each point: a position in ``classifiers``, or null for "never" (threshold "inf") and "always"
    ("-inf").
``max_error``
    0 if all points are here that the library knows; else how far, in the sum of both rates, one that is left
    out may be from one that is here.
``unknown``
    Names of classifiers of which not every threshold is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rochull.conditions.rules import ALWAYS, NEVER, Rule
from rochull.hull.hull import rule_on_curve
from rochull.hull.unions import to_scale
from rochull.report.live_segments import counts
from rochull.report.segments import json_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rochull._core.validation import Array
    from rochull.conditions.rules import OperatingPoint
    from rochull.hybrid.hybrid import Hybrid

Facts = dict[str, Any]
MOST = 1_500  # points that a page holds

Part = tuple[Facts, "Callable[[int], Rule]"]  # points, and the rule of each


def single_rules(hybrid: Hybrid, chosen: OperatingPoint | None = None) -> tuple[Facts, list[Rule]]:
    """The facts, and the rules themselves; the rule that was `chosen` is among them."""
    parts = list(_parts(hybrid))
    fp, tp = (np.concatenate([np.asarray(part[axis], float) for part, _ in parts]) for axis in ("fp", "tp"))
    owner = np.repeat(np.arange(len(parts)), [len(part["fp"]) for part, _ in parts])
    place = np.concatenate([np.arange(len(part["fp"])) for part, _ in parts])
    order = np.lexsort((owner, fp, tp))  # of equal points the first part's
    best = order[np.append(True, np.diff(tp[order]) > 0)]
    error = 0.0
    if best.size > MOST:
        own = None if chosen is None else (chosen.fpr * fp.max(), chosen.tpr * tp.max())
        error = 2.5 / MOST
        best = best[_kept(fp[best], tp[best], owner[best] == 0, error, own)]
    rules = [parts[i][1](j) for i, j in zip(owner[best].tolist(), place[best].tolist(), strict=True)]
    position = {name: i for i, name in enumerate(hybrid.hulls)}
    found = {
        axis: [parts[i][0][axis][j] for i, j in zip(owner[best].tolist(), place[best].tolist(), strict=True)]
        for axis in ("fp", "tp")
    }
    ends = {NEVER: "inf", ALWAYS: "-inf"}
    return {
        **found,
        "classifier": [position.get(rule.classifier or "") for rule in rules],
        "threshold": [ends[rule] if rule in ends else json_number(rule.threshold) for rule in rules],
        "max_error": error,
        "unknown": hybrid.unknown_thresholds,
    }, rules


def _parts(hybrid: Hybrid) -> Iterator[Part]:
    """As the library looks: the union hull, then each hull and what is known of its curve."""
    union = hybrid.hull
    yield counts((union.fp, union.tp), union.units), lambda i: union.owners[i][0]
    for hull in hybrid.hulls_with_curves.values():
        scaled = to_scale(hull, union.n_neg, union.n_pos, union.units)
        yield counts(scaled, union.units), lambda i, owners=hull.owners: owners[i][0]  # type: ignore[misc]
        for name, curve in hull.curves.items():

            def of_curve(i: int, name: str | None = name, curve: Any = curve) -> Rule:
                return rule_on_curve(name, curve, i)

            yield counts((curve.fp_units, curve.tp_units), curve.units), of_curve


def _kept(fp: Array, tp: Array, vertex: Array, error: float, own: tuple[float, float] | None) -> Array:
    """The vertices, the point that was chosen, and of the others one in each cell."""
    cell = np.floor((fp / fp.max() + tp / tp.max()) / error)
    kept: Array = vertex | np.append(True, cell[1:] != cell[:-1])
    kept[-1] = True
    if own is not None:
        kept[np.argmin(np.abs(fp - own[0]) + np.abs(tp - own[1]))] = True
    return kept
