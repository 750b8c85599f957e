"""A rule with reviews, or a mixture of several, as an order: whom to flag, review and pass."""

from __future__ import annotations

import functools
from typing import Any

from rochull.conditions.rules import NEVER, Rule
from rochull.report.wording import choose, percent, rule, rules, tell

Facts = dict[str, Any]


def reviewing(facts: Facts) -> str:
    """The order; its twin is in ``report_reviewed.ts``."""
    mixed = facts["review"]["rules"]
    shares = [each["probability"] for each in mixed]
    lows = [NEVER.to_dict() if each["low"] == each["high"] else each["low"] for each in mixed]
    flagged, reviewed = _options([each["high"] for each in mixed], shares), _options(lows, shares)
    return choose("order", {"positive": facts["positive"], "flagged": flagged, "reviewed": reviewed})


def _options(mixed: list[Facts], shares: list[float]) -> str | None:
    """When cases pass the rules of a mixture, which are of one score; None if none passes any."""
    found: dict[str | None, Facts] = {}
    for each, share in zip(mixed, shares, strict=True):
        part = found.setdefault(_when(each), {"rule": each, "probability": 0.0})
        part["probability"] += share
    parts = sorted(found.values(), key=_loose)
    if len(parts) == 1:
        return next(iter(found))
    if len(parts) == 2 and None not in found:
        return rules({"rules": parts})
    texts = [
        choose(
            "option",
            {
                "parts": "two" if len(parts) == 2 else "more",
                "kind": part["rule"]["kind"],
                "rule": _when(part["rule"]),
                "probability": percent(part["probability"]),
            },
        )
        for part in parts
        if part["rule"]["kind"] != NEVER.kind
    ]
    return functools.reduce(lambda one, other: tell("answer.option.or", one=one, other=other), texts)


def _loose(part: Facts) -> tuple[float, float]:
    """The order of rules of one score: those first that flag fewest."""
    made = Rule.from_dict(part["rule"])
    if made.constant is not None:
        return (2.0 if made.constant else 0.0), 0.0
    at = float(part["rule"]["threshold"])
    return 1.0, at if made.lower_is_positive else -at


def _when(value: Facts) -> str | None:
    made = Rule.from_dict(value)
    return rule(value) if made.constant is None else made.kind if made.constant else None
