"""Which classifier is best where, in words: shared by the HTML page and the terminal."""

from __future__ import annotations

from typing import Any

from rochull.conditions.rules import NEVER
from rochull.report.derived import best_on_few, best_state
from rochull.report.wording import choose, isolated, number, sentences, tell


def corner(name: str) -> str:
    """Name a degenerate corner of the hull for the dominance table."""
    return tell("report.none never") if name == str(NEVER) else tell("report.none always")


def dominator(row: dict[str, Any]) -> str:
    """Who is optimal in a row of the dominance table."""
    return ", ".join(map(isolated, row["classifiers"])) if row["classifiers"] else corner(row["rule"])


def slope_range(row: dict[str, Any]) -> str:
    """The slopes of a row of the dominance table."""
    return tell("page.range", low=number(row["low"]), high=number(row["high"]))


def absolute(facts: dict[str, Any]) -> str:
    """Whether one classifier dominates all others; nothing, if there are no others."""
    state = best_state(facts)
    few = [tell("report.best.only", name=name, where=where) for name, where in state["few"].items()]
    never = tell("report.best.never", names=state["never"]) if state["never"] else ""
    return sentences(choose("report.best", state), *few, never)


def on_hull(facts: dict[str, Any], name: str, is_on: bool) -> str:
    """Say whether a classifier is best under some condition, and whether there are enough cases to judge."""
    few = is_on and facts["dominance"]["absolute"] is None and best_on_few(facts, name)
    return tell("report.best.on hull", hull="few" if few else "yes" if is_on else "no")
