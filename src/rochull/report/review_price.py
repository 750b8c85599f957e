"""Savings by more reviews, from the least cost of every share that is reviewed."""

from __future__ import annotations

from typing import Any

import numpy as np

from rochull.report.wording import number, percent, tell

_STEP = 0.01  # one review in 100 cases
_NONE = 1e-9  # of the costs, which is rounding


def ranges(given: dict[str, Any]) -> bool:
    """Whether a cost or the prevalence is a range."""
    return any(isinstance(given[name], list | str) for name in given if name != "reviewer")


def saved_by_another(found: dict[str, Any]) -> float | None:
    """Tell what each further review saves; None where a limit or a range chose, or all are reviewed."""
    given = found["parameters"]
    if given.keys() & {"max_error", "confidence"} or ranges(given) or found["review_rate"] > 1 - _STEP:
        return None
    share, cost = (np.asarray(found["frontier"][name]) for name in ("share", "cost"))
    now, then = np.interp([found["review_rate"], found["review_rate"] + _STEP], share, cost)
    saving = float(now - then) / _STEP
    return float(f"{saving:.2g}") if now - then > _NONE * (cost[0] + cost[-1]) else 0.0


def further(found: dict[str, Any]) -> str:
    """State what one more review in 100 cases would save; its twin is in ``report_reviewed.ts``.

    Empty where nearly all are reviewed, where another limit or a range chose the rule, and where it is said
    already that no review is worth its cost.
    """
    given = found["parameters"]
    if given.keys() & {"max_error", "confidence"} or ranges(given):
        return ""
    share, cost = (np.asarray(found["frontier"][name]) for name in ("share", "cost"))
    here, nothing = found["review_rate"], _NONE * (cost[0] + cost[-1])
    now, then = np.interp([here, here + _STEP], share, cost)
    if here > 1 - _STEP:
        return ""
    if now - then <= nothing:
        return f" {tell('report.further.none')}" if here else ""
    beyond = here > 0 and here + _NONE >= given.get("max_share", 1)
    slots = {
        "share": percent(here + _STEP),
        "limit": tell("report.further.beyond") if beyond else "",
        "saving": number(now - then, 2),
        "unit": "",
        "more": "yes" if here > 0 else None,
    }
    return f" {tell('report.further', **slots)}"
