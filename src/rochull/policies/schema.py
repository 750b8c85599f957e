"""What a policy's document holds; of its hull, what other policies' documents hold too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from rochull._core.schemas import (
    Reader,
    Schema,
    extended,
    items,
    name,
    number,
    one_of,
    optional,
    record,
    text,
    texts,
    truth,
    whole,
    written,
)
from rochull.conditions.rules import Rule
from rochull.hull.hull import Owners, RocHull
from rochull.hull.tallies import Units

UNITS = whole(least=0, below=2**62)
HULL: dict[str, Reader] = {
    "n_neg": whole(above=0, below=2**62),
    "n_pos": whole(above=0, below=2**62),
    "unit_neg": number(above=0),
    "unit_pos": number(above=0),
    "weighted": truth,
}


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
    return Units(found["unit_neg"], found["unit_pos"], found["weighted"])


def hull_of(found: Mapping[str, Any], fp: Sequence[int], tp: Sequence[int], owners: Owners) -> RocHull:
    """The hull of checked fields and vertices."""
    counts = np.array(fp, np.int64), np.array(tp, np.int64)
    return RocHull(*counts, found["n_neg"], found["n_pos"], units_of(found)).with_owners(owners)


def hull_fields(hull: RocHull) -> dict[str, Any]:
    """What is written of a hull beside its vertices."""
    units = hull.units
    found = (hull.n_neg, hull.n_pos, units.neg, units.pos, units.weighted)
    return dict(zip(HULL, found, strict=True))


_RULE = record(
    {
        "kind": one_of("threshold", "never", "always"),
        "classifier": optional(name),
        "threshold": optional(extended),
    }
)


def _rule(value: Any) -> Rule:
    """Read a rule; what a constant one has not may be absent."""
    found = _RULE({"classifier": None, "threshold": None, **value} if isinstance(value, dict) else value)
    has = found["classifier"] is not None, found["threshold"] is not None
    if has != (found["kind"] == "threshold",) * 2:
        raise ValueError(f"a rule of kind {found['kind']!r} has the wrong fields")
    return Rule(**found)


def rule_dict(rule: Rule) -> dict[str, Any]:
    """What :func:`_rule` reads."""
    if rule.kind != "threshold":
        return {"kind": rule.kind}
    return {"kind": rule.kind, "classifier": rule.classifier, "threshold": written(rule.threshold)}


def _vertices(found: Mapping[str, Any]) -> tuple[list[int], list[int]]:
    return [point["fp"] for point in found["points"]], [point["tp"] for point in found["points"]]


def _check(found: dict[str, Any]) -> None:
    check_hull(found, *_vertices(found))
    kinds = [{rule.kind for rule in point["rules"]} for point in found["points"]]
    if kinds[0] != {"never"} or kinds[-1] != {"always"} or any(k != {"threshold"} for k in kinds[1:-1]):
        raise ValueError('the first rule must be "never", the last "always", and all others thresholds')


_POINT = record({"fp": UNITS, "tp": UNITS, "rules": items(_rule, 1)})
POLICY = Schema(
    "rochull-policy", "policy", {"about": texts, "salt": text, **HULL, "points": items(_POINT, 2)}, _check
)


def contents_of(hull: RocHull) -> dict[str, Any]:
    """What is written of a policy's hull."""
    points = [
        {"fp": int(fp), "tp": int(tp), "rules": [rule_dict(rule) for rule in rules]}
        for fp, tp, rules in zip(hull.fp, hull.tp, hull.owners, strict=True)
    ]
    return {**hull_fields(hull), "points": points}


def policy_hull(found: Mapping[str, Any]) -> RocHull:
    """The hull of a checked document."""
    return hull_of(found, *_vertices(found), tuple(point["rules"] for point in found["points"]))
