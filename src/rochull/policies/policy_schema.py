"""Fields of a policy's document; those of its hull are in other policies' documents too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from rochull._core.schemas import (
    Reader,
    Schema,
    items,
    optional,
    record,
    repeated,
    text,
    texts,
    truth,
    unit,
    whole,
)
from rochull._core.validation import Array
from rochull.conditions.rules import Rule
from rochull.decisions.plan_schema import read_rule
from rochull.hull.hull import Owners, RocHull
from rochull.hull.tallies import MOST_BITS, Units, units_written
from rochull.policies.singles import curves_of, points_of

UNITS = whole(least=0, below=2**MOST_BITS)
HULL: dict[str, Reader] = {
    "n_neg": whole(above=0, below=2**MOST_BITS),
    "n_pos": whole(above=0, below=2**MOST_BITS),
    "unit_neg": unit,
    "unit_pos": unit,
    "weighted": truth,
}
RATES: dict[str, Reader] = {"given_rates": optional(truth)}  # documents of rates did not always say so


def check_hull(found: Mapping[str, Any], fp: Sequence[int], tp: Sequence[int]) -> None:
    """Raise unless these are the vertices of a hull, from (0, 0) to the totals, in units that can be."""
    xy = list(zip(fp, tp, strict=True))
    if xy[0] != (0, 0) or xy[-1] != (found["n_neg"], found["n_pos"]):
        raise ValueError("the operating points do not run from (0, 0) to (n_neg, n_pos)")
    for i, ((x0, y0), (x1, y1)) in enumerate(pairwise(xy), start=1):
        if x1 < x0 or y1 < y0 or (x1, y1) == (x0, y0):
            raise ValueError(f"operating point {i} does not ascend from the one before it")
    for i, ((x0, y0), (x1, y1), (x2, y2)) in enumerate(zip(xy, xy[1:], xy[2:], strict=False), start=1):
        if (y1 - y0) * (x2 - x1) <= (y2 - y1) * (x1 - x0):
            raise ValueError(f"operating point {i} is not on the convex hull of the others")
    units_of(found).check(found["n_neg"], found["n_pos"])


def units_of(found: Mapping[str, Any]) -> Units:
    """The units of checked fields."""
    return _units_of(found)[0]


def _units_of(found: Mapping[str, Any]) -> tuple[Units, type]:
    totals, are_rates = (found["n_neg"], found["n_pos"]), found.get("given_rates", False)
    return units_written(found["unit_neg"], found["unit_pos"], found["weighted"], totals, are_rates)


def hull_of(found: Mapping[str, Any], fp: Sequence[int], tp: Sequence[int], owners: Owners) -> RocHull:
    """The hull of checked fields and vertices."""
    units, dtype = _units_of(found)
    counts: tuple[Array, Array] = (np.array(fp, dtype), np.array(tp, dtype))
    return RocHull(*counts, found["n_neg"], found["n_pos"], units).with_owners(owners)


def hull_fields(hull: RocHull) -> dict[str, Any]:
    """Write a hull's fields other than its vertices."""
    units = hull.units
    found = (hull.n_neg, hull.n_pos, units.neg, units.pos, units.weighted)
    return dict(zip(HULL, found, strict=True)) | ({"given_rates": True} if units.are_rates else {})


def _vertices(found: Mapping[str, Any]) -> tuple[list[int], list[int]]:
    return [point["fp"] for point in found["points"]], [point["tp"] for point in found["points"]]


def _check(found: dict[str, Any]) -> None:
    check_hull(found, *_vertices(found))
    kinds = [{rule.kind for rule in point["rules"]} for point in found["points"]]
    for i, point in enumerate(found["singles"]):
        if point["fp"] > found["n_neg"] or point["tp"] > found["n_pos"]:
            raise ValueError(f"single rule {i} is beyond the totals")
        if [rule.kind for rule in point["rules"]] != ["threshold"]:
            raise ValueError(f"single rule {i} is not one threshold")
    if kinds[0] != {"never"} or kinds[-1] != {"always"} or any(k != {"threshold"} for k in kinds[1:-1]):
        raise ValueError('the first rule must be "never", the last "always", and all others thresholds')
    _check_falling([point["rules"] for point in found["points"][1:-1]])
    own: dict[str | None, list[tuple[Rule, int, int]]] = {
        point["rules"][0].classifier: [] for point in found["singles"]
    }
    for point in (*found["singles"], *found["points"][1:-1]):
        for rule in point["rules"]:
            if rule.classifier in own:
                own[rule.classifier].append((rule, point["fp"], point["tp"]))
    for classifier, every in own.items():  # each a curve of its own; a vertex may be a single rule too
        reached = sorted(set(every), key=lambda each: -each[0].level)
        if any(fp > fp_next or tp > tp_next for (_, fp, tp), (_, fp_next, tp_next) in pairwise(reached)):
            raise ValueError(f"the single rules of {classifier!r} do not ascend")
        _check_falling([(rule,) for rule, *_ in reached])


def _check_falling(owners: Sequence[Sequence[Rule]]) -> None:
    """Raise if a classifier's threshold does not fall from one of its operating points to the next.

    Where low scores are positive it must rise.
    """
    last: dict[str | None, Rule] = {}
    for i, rules in enumerate(owners, start=1):
        own = {rule.classifier: rule for rule in rules}
        if len(own) < len(rules):
            raise ValueError(
                f"two rules of {repeated(rule.classifier for rule in rules)!r} reach operating point {i}"
            )
        for whose, rule in own.items():
            before, lower = last.get(whose, rule), rule.lower_is_positive
            if before.lower_is_positive != lower:
                raise ValueError(f"both low and high scores of {whose!r} are positive")
            if whose in last and not rule.level < before.level:
                where = "above" if lower else "below"
                raise ValueError(
                    f"the threshold of {whose!r} at operating point {i} is not {where} the one before it"
                )
        last.update(own)


_POINT = record({"fp": UNITS, "tp": UNITS, "rules": items(read_rule, 1)})
POLICY = Schema(
    "rochull-policy",
    "policy",
    {
        "about": texts,
        "salt": text,
        **HULL,
        **RATES,
        "points": items(_POINT, 2),
        "singles": items(_POINT),
        "every_threshold": truth,
    },
    _check,
    {"singles": [], "every_threshold": False, "given_rates": None},
)


def contents_of(hull: RocHull, every_threshold: bool) -> dict[str, Any]:
    """Write a policy's hull."""

    def point(fp: Any, tp: Any, rules: Sequence[Rule]) -> dict[str, Any]:
        return {"fp": int(fp), "tp": int(tp), "rules": [rule.to_dict() for rule in rules]}

    points = [point(*each) for each in zip(hull.fp, hull.tp, hull.owners, strict=True)]
    singles = [point(fp, tp, [rule]) for fp, tp, rule in points_of(hull.curves)]
    held = {"every_threshold": True} if every_threshold else {}
    return {**hull_fields(hull), "points": points, **({"singles": singles} if singles else {}), **held}


def policy_hull(found: Mapping[str, Any]) -> RocHull:
    """The hull of a checked document."""
    hull = hull_of(found, *_vertices(found), tuple(point["rules"] for point in found["points"]))
    singles = [(point["fp"], point["tp"], point["rules"][0]) for point in found["singles"]]
    return replace(hull, curves=curves_of(singles, (hull.n_neg, hull.n_pos), hull.units))
