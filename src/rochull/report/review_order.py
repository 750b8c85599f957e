"""A rule with reviews, or a mixture of several, as an order: whom to flag, review and pass."""

from __future__ import annotations

from typing import Any

from rochull.report.wording import drawn, isolated, percent, rule, rules

Facts = dict[str, Any]


def reviewing(facts: Facts) -> str:
    """The order; its twin is in ``report_reviewed.js``."""
    mixed, positive = facts["review"]["rules"], isolated(facts["positive"])
    shares = [each["probability"] for each in mixed]
    flagged = _options([each["high"] for each in mixed], shares)
    reviewed = _options(
        [{"kind": "never"} if each["low"] == each["high"] else each["low"] for each in mixed], shares
    )
    if flagged == "always":
        return f"Flag every case as {positive}"
    text = f"Flag a case as {positive} when {flagged}"
    if not reviewed:
        return f"{text}; pass the rest unflagged" if flagged else f"Flag no case as {positive}"
    if reviewed == "always":
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
    kinds = {part["rule"]["kind"] for part in parts}
    if len(parts) == 2 and "never" in kinds:
        some = percent(parts[1]["probability"])
        return f"{_when(parts[1]['rule'])}, for {some} of the cases, drawn at random"
    if len(parts) == 2 and "threshold" in kinds:
        return rules({"rules": parts})
    texts = [
        _when(part["rule"]) + drawn(part["probability"], 0) * (len(parts) > 1)
        for part in parts
        if part["rule"]["kind"] != "never"
    ]
    return " or ".join(texts)


def _loose(part: Facts) -> tuple[int, float]:
    """The order of rules of one score: those first that flag fewest."""
    own = part["rule"]
    at = float(own["threshold"]) if own["kind"] == "threshold" else 0.0
    return ("never", "threshold", "always").index(own["kind"]), at if own.get("lower_is_positive") else -at


def _when(value: Facts) -> str:
    return rule(value) if value["kind"] == "threshold" else str(value["kind"])
