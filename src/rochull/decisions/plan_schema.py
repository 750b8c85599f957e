"""Fields of a plan in a document."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from rochull._core.schemas import (
    Reader,
    Schema,
    extended,
    items,
    label,
    name,
    number,
    one_of,
    optional,
    record,
    text,
    texts,
    truth,
)
from rochull.conditions.review_rules import BandRule
from rochull.conditions.rules import Rule
from rochull.decisions.axes import Bins
from rochull.decisions.bins_schema import bins_dict, read_bins
from rochull.decisions.groups import GroupBins
from rochull.decisions.plans import Among, Ask, Decide, Largest, Lot, Plan

_DEEPEST = 60  # plans, one inside of another
_NEAR = 1e-9  # how far shares may be from 1 together

_RULE = record(
    {
        "kind": one_of("threshold", "never", "always"),
        "classifier": optional(name),
        "threshold": optional(extended),
        "lower_is_positive": truth,
    },
    left_out={"classifier": None, "threshold": None, "lower_is_positive": False},
)


def read_rule(value: Any) -> Rule:
    """Read a rule."""
    found = _RULE(value)
    has = found["classifier"] is not None, found["threshold"] is not None
    is_threshold = found["kind"] == "threshold"
    if has != (is_threshold,) * 2 or (found["lower_is_positive"] and not is_threshold):
        raise ValueError(f"a rule of kind {found['kind']!r} has the wrong fields")
    return Rule(**found)


_BAND = record({"kind": one_of("band"), "high": read_rule, "low": read_rule})


def read_action(value: Any) -> Rule:
    """Read a rule, which may pass cases on to be reviewed."""
    if isinstance(value, dict) and value.get("kind") == "band":
        found = BandRule(**_BAND(value))
        _check_band(found.high, found.low)
        return found
    return read_rule(value)


def _check_band(high: Rule, low: Rule) -> None:
    """Raise if the rule for positives passes cases that the one for reviews does not."""
    if high == low or high.kind == "never" or low.kind == "always":
        return
    one = high.classifier == low.classifier and high.lower_is_positive == low.lower_is_positive
    crosses = high.kind == "always" or low.kind == "never" or (one and high.level < low.level)
    if crosses or (not one and high.classifier == low.classifier):
        raise ValueError("a band calls cases positive that its rule for reviews does not pass")


def _plan(left: int) -> Reader:
    """Make a reader of plans, so many inside of one another at most."""

    def read(value: Any) -> Plan:
        if not left:
            raise ValueError(f"plans are at most {_DEEPEST} deep")
        later = _plan(left - 1)
        kinds: dict[str, tuple[dict[str, Reader], Any]] = {
            "decide": ({"rule": read_action}, Decide),
            "ask": ({"classifier": name, "edges": items(number()), "branches": items(later, 1)}, Ask),
            "lot": ({"plans": items(later, 2), "shares": items(number(least=0, most=1))}, Lot),
            "among": ({"bins": _bins, "branches": items(later, 1), "elsewhere": optional(later)}, Among),
            "largest": ({"labels": items(label, 2), "weights": items(number(least=0))}, Largest),
        }
        kind = value.get("kind") if isinstance(value, dict) else None
        fields, made = kinds.get(str(kind), ({}, None))
        found = record({"kind": one_of(*kinds), **fields})(value)
        plan: Plan = made(**{field: found[field] for field in fields})
        _check(plan)
        return plan

    return read


def _check(plan: Plan) -> None:
    match plan:
        case Ask(_, edges, branches):
            if any(low >= high for low, high in pairwise(edges)):
                raise ValueError("the edges do not ascend")
            if len(branches) != len(edges) + 1:
                raise ValueError("there is not one plan for each range of scores")
        case Lot(plans, shares):
            if len(plans) != len(shares) or abs(math.fsum(shares) - 1) > _NEAR:
                raise ValueError("there is not one share for each plan, or they do not add up to 1")
        case Largest(labels, weights):
            if len(labels) != len(weights) or not any(weights) or len(set(labels)) < len(labels):
                raise ValueError("there is not one weight for each of the classes, some of them above 0")
        case Among() | Decide():
            pass


_GROUPS = record({"column": name, "groups": items(optional(label), 1)})


def _bins(value: Any) -> Bins:
    """Read which segment, or group, a case is of."""
    if not (isinstance(value, dict) and "groups" in value):
        return read_bins(value)
    found = _GROUPS(value)
    if len(set(found["groups"])) < len(found["groups"]):
        raise ValueError("a group occurs twice")
    return GroupBins.of(found["column"], found["groups"])


def plan_dict(plan: Plan) -> dict[str, Any]:
    """Write a plan as it is read."""
    match plan:
        case Decide(rule):
            return {"kind": "decide", "rule": rule.to_dict()}
        case Ask(classifier, edges, branches):
            own = {"classifier": classifier, "edges": list(edges)}
            return {"kind": "ask", **own, "branches": list(map(plan_dict, branches))}
        case Lot(plans, shares):
            return {"kind": "lot", "plans": list(map(plan_dict, plans)), "shares": list(shares)}
        case Among(bins, branches, elsewhere):
            rest = None if elsewhere is None else plan_dict(elsewhere)
            told = bins_dict(bins)
            if isinstance(bins, GroupBins):
                told = {"column": bins.columns[0], "groups": list(bins.names)}
            return {
                "kind": "among", "bins": told, "branches": list(map(plan_dict, branches)), "elsewhere": rest,
            }  # fmt: skip
        case Largest(labels, weights):
            return {"kind": "largest", "labels": list(labels), "weights": list(weights)}
    raise TypeError(f"a document holds no {type(plan).__name__}.")


SAVED_PLAN = Schema(
    "rochull-plan",
    "plan",
    {"about": texts, "salt": text, "condition": text, "plan": _plan(_DEEPEST)},
)
