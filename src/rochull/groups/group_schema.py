"""Fields of a group policy's document."""

from __future__ import annotations

from typing import Any

from rochull._core.schemas import Schema, items, label, name, optional, record, text, texts
from rochull.policies.policy_schema import check_shares, point_read

_GROUP = record({"group": optional(label), **point_read()})


def _check(found: dict[str, Any]) -> None:
    names = [each["group"] for each in found["groups"]]
    if len(set(names)) < len(names):
        raise ValueError("a group occurs twice")
    for each in found["groups"]:
        check_shares(each, f" of group {each['group']!r}")


GROUP_POLICY = Schema(
    "rochull-group-policy",
    "group policy",
    {"about": texts, "salt": text, "column": name, "groups": items(_GROUP, 1)},
    _check,
)
