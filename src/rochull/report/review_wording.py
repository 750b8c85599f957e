"""Describe in words what a rule with reviews does with cases."""

from __future__ import annotations

from typing import Any

from rochull.report import verdict, wording
from rochull.report.derived import whole_reviews

Facts = dict[str, Any]


ALONE = wording.tell("report.reviews.flagged"), "reviewed", wording.tell("report.reviews.passed")


def reviewed_cases(facts: Facts) -> wording.Rows | None:
    """Tabulate what a rule with reviews does with cases; None for an older document, which does not say."""
    table = facts["review"].get("outcomes")
    if table is None:
        return None
    rows = zip(verdict.classes(facts), whole_reviews(table), strict=True)
    return ["", *ALONE], [[name, *map(wording.count, row)] for name, row in rows]


def reviewed_of(facts: Facts) -> str:
    """State which cases :func:`reviewed_cases` counts."""
    table, given = facts["review"]["outcomes"], facts["review"]["parameters"].get("prevalence")
    return wording.of_cases(facts, table["cases"], [table["prevalence"]], middle=isinstance(given, list))
