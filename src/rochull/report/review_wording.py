"""Describe in words what a rule with reviews does with cases."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

from rochull.report import verdict, wording

Facts = dict[str, Any]


_OF, _ACTIONS = ("positives", "negatives"), ("flagged", "reviewed", "passed")
ALONE = "flagged\nwithout review", "reviewed", "passed\nwithout review"  # by the score, or by a reviewer


def reviewed_cases(facts: Facts) -> wording.Rows | None:
    """Tabulate what a rule with reviews does with cases; None for an older document, which does not say."""
    table = facts["review"].get("outcomes")
    if table is None:
        return None
    rows = zip(verdict.classes(facts), whole_reviews(table), strict=True)
    return ["", *ALONE], [[name, *map(wording.count, row)] for name, row in rows]


def whole_reviews(table: Facts) -> list[list[int]]:
    """The positives and the negatives of each action as whole cases that add up, as near as can be.

    All and the positives are the nearest; then of every cell the number below or above it, so that these and
    the sums of the actions are as near as can be, by squares. Its twin is in ``report_reviewed.js``.
    """
    positives = math.floor(table["cases"] * table["prevalence"] + 0.5)
    totals = positives, round(table["cases"]) - positives
    exact = [[math.floor(1e6 * table[of][action] + 0.5) / 1e6 for action in _ACTIONS] for of in _OF]
    ways = [
        [row for row in product(*((math.floor(x) + 1, math.floor(x)) for x in cells)) if sum(row) == total]
        for cells, total in zip(exact, totals, strict=True)
    ]

    def off(rows: tuple[tuple[int, ...], ...]) -> int:  # in whole millionths, so that ties are ties
        gaps = (
            [round(1e6 * (n - x)) for n, x in zip(row, cells, strict=True)]
            for row, cells in zip(rows, exact, strict=True)
        )
        return int(sum(a * a + b * b + a * b for a, b in zip(*gaps, strict=True)))

    return [list(row) for row in min(product(*ways), key=off)]


def reviewed_of(facts: Facts) -> str:
    """State which cases :func:`reviewed_cases` counts."""
    table, given = facts["review"]["outcomes"], facts["review"]["parameters"].get("prevalence")
    return wording.of_cases(facts, table["cases"], [table["prevalence"]], middle=isinstance(given, list))
