"""A plan in a document, and documents of one point or of groups as they were written before."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
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
    whole,
)
from rochull.conditions.review_rules import BandRule
from rochull.conditions.rules import ALWAYS, NEVER, Rule
from rochull.decisions.axes import Bins
from rochull.decisions.bins_schema import bins_dict, read_bins
from rochull.decisions.groups import GroupBins
from rochull.decisions.plans import Among, Ask, Decide, Largest, Lot, Plan, lot

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
    if high in (low, NEVER) or low == ALWAYS:
        return
    one = high.classifier == low.classifier and high.lower_is_positive == low.lower_is_positive
    crosses = high == ALWAYS or low == NEVER or (one and high.level < low.level)
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
    if not (isinstance(value, dict) and {"column", "groups"} & value.keys()):
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


def parts_of(plan: Plan) -> dict[Hashable, Plan]:
    """Return the plans of segments or groups by their names; the plan itself, under "", where it has none."""
    if not isinstance(plan, Among):
        return {"": plan}
    names = plan.bins.names if isinstance(plan.bins, GroupBins) else plan.bins.labels
    return dict(zip(names, plan.branches, strict=True))


# --- documents as they were written before ---------------------------------------------------------


_RATE = number(least=0, most=1)
_RATES = {"fpr": _RATE, "tpr": _RATE}


def _point(rule: Reader) -> dict[str, Reader]:
    part = record({"rule": rule, "probability": _RATE})
    return {**_RATES, "rules": items(part, 1)}


def _check_shares(found: Mapping[str, Any], whose: str = "") -> None:
    if abs(math.fsum(part["probability"] for part in found["rules"]) - 1) > _NEAR:
        raise ValueError(f"the probabilities of the rules{whose} do not add up to 1")


def _plan_of(point: Mapping[str, Any]) -> Plan:
    return lot((Decide(part["rule"]), part["probability"]) for part in point["rules"])


def _rates_of(point: Mapping[str, Any]) -> dict[str, float]:
    return {rate: point[rate] for rate in _RATES}


def _check_fixed(found: dict[str, Any]) -> None:
    _check_shares(found)
    if len({part["rule"].can_review for part in found["rules"]}) > 1:
        raise ValueError("some of the rules can review, and others cannot")


def _fixed_now(found: Mapping[str, Any]) -> dict[str, Any]:
    return {**found, "plan": _plan_of(found), "rates": (_rates_of(found),)}


def _check_groups(found: dict[str, Any]) -> None:
    names = [each["group"] for each in found["groups"]]
    if len(set(names)) < len(names):
        raise ValueError("a group occurs twice")
    for each in found["groups"]:
        _check_shares(each, f" of group {each['group']!r}")


def _groups_now(found: Mapping[str, Any]) -> dict[str, Any]:
    groups = found["groups"]
    bins = GroupBins.of(found["column"], [each["group"] for each in groups])
    plan = Among(bins, tuple(map(_plan_of, groups)))
    return {**found, "condition": "", "plan": plan, "rates": tuple(map(_rates_of, groups))}


FIXED_POLICY = Schema(
    "rochull-fixed-policy",
    "fixed policy",
    {"about": texts, "salt": text, "condition": text, **_point(read_action)},
    _check_fixed,
    now=_fixed_now,
)
GROUP_POLICY = Schema(
    "rochull-group-policy",
    "group policy",
    {
        "about": texts,
        "salt": text,
        "column": name,
        "groups": items(record({"group": optional(label), **_point(read_rule)}), 1),
    },
    _check_groups,
    now=_groups_now,
)


# --- the document ----------------------------------------------------------------------------------


_COUNT = optional(whole(least=1, below=2**62))
_COUNTED = record(_RATES | {"n_neg": _COUNT, "n_pos": _COUNT}, left_out={"n_neg": None, "n_pos": None})


def _rates(value: Any) -> dict[str, Any]:
    """Read rates, perhaps with the numbers of examples that they are of."""
    return {name: number for name, number in _COUNTED(value).items() if number is not None}


def _check_rates(found: dict[str, Any]) -> None:
    parts = parts_of(found["plan"])
    if found["rates"] and len(found["rates"]) != len(parts):
        raise ValueError("there are not rates for each rule")
    if found["rates"] and not all(plan.is_of_rules for plan in parts.values()):
        raise ValueError("there are rates of a plan that is not a rule, or a lot between rules")


SAVED_PLAN = Schema(
    "rochull-plan",
    "plan",
    {
        "about": texts,
        "salt": text,
        "condition": text,
        "plan": _plan(_DEEPEST),
        "rates": items(_rates),
    },
    _check_rates,
    {"rates": []},
    earlier=(FIXED_POLICY, GROUP_POLICY),
)
