"""What a rule with reviews does with cases, in words."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

from rochull.report import verdict, wording

Facts = dict[str, Any]


_UNIT = 10**6  # of a case: what is nearer is equal
_OF, _ACTIONS = ("positives", "negatives"), ("flagged", "reviewed", "passed")
ALONE = "flagged\nwithout review", "reviewed", "passed\nwithout review"  # by the score, or by a reviewer


def reviewed_cases(facts: Facts) -> wording.Rows | None:
    """What a rule with reviews does with so many cases; None for an older document, which tells none."""
    table = facts["review"].get("outcomes")
    if table is None:
        return None
    rows = zip(verdict.classes(facts), whole(table), strict=True)
    return ["", *ALONE], [[name, *map(wording.count, row)] for name, row in rows]


def whole(table: Facts) -> list[list[int]]:
    """The positives and the negatives of each action as whole cases that add up, as near as can be.

    All and the positives are the nearest; then of every cell the number below or above it, so that these and
    the sums of the actions are as near as can be, by squares. Its twin is in ``report_reviewed.js``.
    """
    positives = math.floor(table["cases"] * table["prevalence"] + 0.5)
    totals = positives, round(table["cases"]) - positives
    cells = [[_parts(table[of][action]) for action in _ACTIONS] for of in _OF]
    more = [total - sum(n for n, _ in row) for total, row in zip(totals, cells, strict=True)]
    ups = [[up for up in product((1, 0), repeat=len(_ACTIONS)) if sum(up) == n] for n in more]

    def off(chosen: tuple[tuple[int, ...], ...]) -> int:
        gaps = [
            [_UNIT * x - part for x, (_, part) in zip(up, row, strict=True)]
            for up, row in zip(chosen, cells, strict=True)
        ]
        gaps.append([a + b for a, b in zip(*gaps, strict=True)])
        return sum(gap**2 for row in gaps for gap in row)

    best = min(product(*ups), key=off)
    return [[n + x for x, (n, _) in zip(up, row, strict=True)] for up, row in zip(best, cells, strict=True)]


def _parts(cases: float) -> tuple[int, int]:
    """Whole cases, and what is left in units."""
    n = math.floor(cases)
    more, left = divmod(math.floor(_UNIT * (cases - n) + 0.5), _UNIT)
    return n + more, left


def reviewed_of(facts: Facts) -> str:
    """Of which cases :func:`reviewed_cases` tells."""
    table, given = facts["review"]["outcomes"], facts["review"]["parameters"].get("prevalence")
    return wording.of_cases(facts, table["cases"], [table["prevalence"]], middle=isinstance(given, list))
