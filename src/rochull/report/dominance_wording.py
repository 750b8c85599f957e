"""Which classifier is best where, in words: shared by the HTML page and the terminal."""

from __future__ import annotations

from typing import Any

from rochull.conditions.rules import ALWAYS, NEVER
from rochull.report.derived import best_on_few
from rochull.report.wording import isolated, number


def corner(name: str) -> str:
    """Name a degenerate corner of the hull for the dominance table."""
    return {str(NEVER): "none (flag no case)", str(ALWAYS): "none (flag every case)"}[name]


def dominator(row: dict[str, Any]) -> str:
    """Who is optimal in a row of the dominance table."""
    return ", ".join(map(isolated, row["classifiers"])) if row["classifiers"] else corner(row["rule"])


def slope_range(row: dict[str, Any]) -> str:
    """The slopes of a row of the dominance table."""
    return f"{number(row['low'])} to {number(row['high'])}"


_NAMED = 3  # other scores, of which each is named


def absolute(facts: dict[str, Any]) -> str:
    """Whether one classifier dominates all others; nothing, if there are no others."""
    if len(facts["classifiers"]) < 2:
        return ""
    name = facts["dominance"]["absolute"]
    if name is not None:
        others = [isolated(c["name"]) for c in facts["classifiers"] if c["name"] != name]
        which = f" ({', '.join(others)})" * (len(others) <= _NAMED)
        return (
            f"On these data {isolated(name)} is at least as good as every other score{which}, and as any "
            "switching between them, whatever errors cost and however many cases are positive. A new score "
            "made of them was not tried."
        )
    off = [isolated(c["name"]) for c in facts["classifiers"] if not c["on_hull"]]
    text = "On these data no classifier is best for all costs and prevalences."
    few = {c["name"]: at for c in facts["classifiers"] if (at := _on_few(facts, c["name"]))}
    rest = [isolated(c["name"]) for c in facts["classifiers"] if c["on_hull"] and c["name"] not in few]
    if few and not rest:
        text += " These are too few cases to tell."
    else:
        if few and len(rest) == 1:
            where = sorted({each for at in few.values() for each in at})
            text = f"On these data {rest[0]} is best, except {' and '.join(where)}."
        text += "".join(
            f" {isolated(name)} is best only {_with_cases(at)}: too few to tell." for name, at in few.items()
        )
    return f"{text} Never better than the others: {', '.join(off)}." if off else text


def _with_cases(found: dict[str, int]) -> str:
    return " and ".join(f"{where} ({cases})" for where, cases in found.items())


def _on_few(facts: dict[str, Any], name: str) -> dict[str, int]:
    return {_FEW[where]: cases for where, cases in best_on_few(facts, name).items()}


_FEW = {
    "flagged": "where few cases are flagged",
    "passed": "where all but a few cases are flagged",
}


def on_hull(facts: dict[str, Any], name: str, is_on: bool) -> str:
    """Say whether a classifier is best under some condition, and whether there are enough cases to judge."""
    few = is_on and facts["dominance"]["absolute"] is None and _on_few(facts, name)
    return "yes, on too few cases to tell" if few else "yes" if is_on else "no"
