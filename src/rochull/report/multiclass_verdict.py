"""What an operating point of several classes decides and costs, in one sentence, and against what.

``multiclass_compare.js`` is its twin, which lives with the point that is seen.
"""

from __future__ import annotations

from typing import Any

from rochull.report.wording import number, percent

Facts = dict[str, Any]
MOST_WEIGHTS = 6  # that a sentence can hold
MEANING = (
    "The error of a class is the share of its cases that are called another class; an operating point is a "
    "set of weights, one for each class."
)


def verdict(facts: Facts) -> str:
    """How the chosen point decides, what that costs, and what the outputs as they are and one class would."""
    chosen, names = facts["chosen"], [c["name"] for c in facts["classes"]]
    weights = facts["points"]["weights"][chosen["index"]]
    told = ", ".join(f"{name} {number(w)}" for name, w in zip(names, weights, strict=True))
    by = f" ({told})" if len(names) <= MOST_WEIGHTS else ""
    value = value_of(facts, chosen["value"]) + ("" if chosen["feasible"] else " (beyond a limit)")
    against = [
        f"{value_of(facts, row['value'])} for {named(row, names)}{'' if within(row) else ' (beyond a limit)'}"
        for row in _shown(facts)
    ]
    return (
        f"Multiply each output by the weight of its class{by} and take the largest. "
        f"{_measure(facts)} {value}, against {_listed(against)}."
    )


def _measure(facts: Facts) -> str:
    objective = facts["objective"]
    short = {"max_error": "Largest error", "error_rate": "Error rate", "expected_cost": "Expected cost"}
    return short.get(objective["kind"]) or str(objective["text"])


def value_of(facts: Facts, value: float | None) -> str:
    """A value of the objective."""
    if value is None:
        return "not defined"
    return percent(value) if facts["objective"]["share"] else number(value)


def named(row: Facts, names: list[str]) -> str:
    """A baseline in words."""
    if row["kind"] == "always":
        return f"calling every case {names[row['class']]}"
    return (
        "the largest output without weights"
        if row["kind"] == "largest"
        else "outputs divided by the share of their class"
    )


def within(row: Facts) -> bool:
    """Whether a baseline keeps all limits."""
    return all(each is not None and each <= 0 for each in row["excess"])


def _shown(facts: Facts) -> list[Facts]:
    """What needs no choice of weights, then the class that does best alone."""
    rows = facts["baselines"]
    alone = [row for row in rows if row["kind"] == "always"]
    best = min(alone, key=lambda row: float("inf") if row["value"] is None else row["value"])
    return [*(row for row in rows if row["kind"] != "always"), best]


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
