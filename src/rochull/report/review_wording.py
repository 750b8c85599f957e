"""What a rule with reviews does with cases, in words."""

from __future__ import annotations

import math
from typing import Any

from rochull.report import verdict, wording

Facts = dict[str, Any]


def reviewed_cases(facts: Facts) -> wording.Rows | None:
    """What a rule with reviews does with so many cases; None for an older document, which does not tell it.

    Whole cases, which add up in every row: each is cut, and those with the largest remainders get one more.
    """
    table = facts["review"].get("outcomes")
    if table is None:
        return None
    positives = math.floor(table["cases"] * table["prevalence"] + 0.5)
    totals, rows = (positives, round(table["cases"]) - positives), []
    for name, total, of in zip(verdict.classes(facts), totals, ("positives", "negatives"), strict=True):
        cells = [table[of][action] for action in ("flagged", "reviewed", "passed")]
        whole = [math.floor(cell) for cell in cells]
        for i in sorted(range(len(cells)), key=lambda i: whole[i] - cells[i])[: total - sum(whole)]:
            whole[i] += 1
        rows.append([name, *map(wording.count, whole)])
    return ["", "flagged", "reviewed", "passed"], rows


def reviewed_of(facts: Facts) -> str:
    """Of which cases :func:`reviewed_cases` tells."""
    table, given = facts["review"]["outcomes"], facts["review"]["parameters"].get("prevalence")
    return wording.of_cases(facts, table["cases"], [table["prevalence"]], middle=isinstance(given, list))
