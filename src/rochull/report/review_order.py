"""A rule with reviews, or a mixture of several, as an order: whom to flag, review and pass."""

from __future__ import annotations

from typing import Any

from rochull.conditions.rules import ALWAYS, NEVER, Rule
from rochull.report.wording import drawn, isolated, percent, rule, rules

Facts = dict[str, Any]
_EVERY = str(ALWAYS)


def reviewing(facts: Facts) -> str:
    """The order; its twin is in ``report_reviewed.js``."""
    mixed, positive = facts["review"]["rules"], isolated(facts["positive"])
    shares = [each["probability"] for each in mixed]
    flagged = _options([each["high"] for each in mixed], shares)
    none = NEVER.to_dict()
    reviewed = _options([none if each["low"] == each["high"] else each["low"] for each in mixed], shares)
    if flagged == _EVERY:
        return f"Flag every case as {positive}"
    text = f"Flag a case as {positive} when {flagged}"
    if not reviewed:
        return f"{text}; pass the rest unflagged" if flagged else f"Flag no case as {positive}"
    if reviewed == _EVERY:
        return f"{text}; review all others" if flagged else "Review every case"
    if not flagged:
        return f"Review a case when {reviewed}; pass the rest unflagged; flag none without a review"
    return f"{text}; otherwise review it when {reviewed}; pass the rest unflagged"


def _options(mixed: list[Facts], shares: list[float]) -> str:
    """When cases pass the rules of a mixture, which are of one score; empty if none passes any."""
    found: dict[str, Facts] = {}
    for each, share in zip(mixed, shares, strict=True):
        part = found.setdefault(_when(each), {"rule": each, "probability": 0.0})
        part["probability"] += share
    parts = sorted(found.values(), key=_loose)
    made = [Rule.from_dict(part["rule"]) for part in parts]
    if len(parts) == 2 and made[0] == NEVER and made[1].constant is None:
        some = percent(parts[1]["probability"])
        return f"{_when(parts[1]['rule'])}, for {some} of the cases, drawn at random"
    if len(parts) == 2 and made != [NEVER, ALWAYS]:
        return rules({"rules": parts})
    texts = [
        _when(part["rule"]) + drawn(part["probability"], 0) * (len(parts) > 1)
        for part, each in zip(parts, made, strict=True)
        if each != NEVER
    ]
    return " or ".join(texts)


def _loose(part: Facts) -> tuple[float, float]:
    """The order of rules of one score: those first that flag fewest."""
    made = Rule.from_dict(part["rule"])
    if made.constant is not None:
        return (2.0 if made.constant else 0.0), 0.0
    at = float(part["rule"]["threshold"])
    return 1.0, at if made.lower_is_positive else -at


def _when(value: Facts) -> str:
    made = Rule.from_dict(value)
    return rule(value) if made.constant is None else made.kind
