"""What a group policy's document holds."""

from __future__ import annotations

import math
from typing import Any

from rochull._core.schemas import Schema, items, label, name, number, optional, record, text, texts
from rochull.conditions.rules import OperatingPoint
from rochull.policies.schema import read_rule

_NEAR = 1e-9  # how far probabilities of rules may be from 1 together
_RATE = number(least=0, most=1)
_PART = record({"rule": read_rule, "probability": _RATE})
_GROUP = record({"group": optional(label), "fpr": _RATE, "tpr": _RATE, "rules": items(_PART, 1)})


def _check(found: dict[str, Any]) -> None:
    names = [each["group"] for each in found["groups"]]
    if len(set(names)) < len(names):
        raise ValueError("a group occurs twice")
    for each in found["groups"]:
        if abs(math.fsum(part["probability"] for part in each["rules"]) - 1) > _NEAR:
            raise ValueError(f"the probabilities of the rules of group {each['group']!r} do not add up to 1")


GROUP_POLICY = Schema(
    "rochull-group-policy",
    "group policy",
    {"about": texts, "salt": text, "column": name, "groups": items(_GROUP, 1)},
    _check,
)


def group_fields(group: Any, point: OperatingPoint) -> dict[str, Any]:
    """What is written of one group."""
    rules = [{"rule": rule.to_dict(), "probability": share} for rule, share in point.rules]
    return {"group": group, "fpr": point.fpr, "tpr": point.tpr, "rules": rules}


def point_of(found: dict[str, Any]) -> OperatingPoint:
    """The operating point of a checked group."""
    rules = tuple((part["rule"], part["probability"]) for part in found["rules"])
    source = {1: "vertex", 2: "edge"}.get(len(rules), "inside")
    return OperatingPoint(found["fpr"], found["tpr"], rules, source)  # type: ignore[arg-type]
