"""How the scores of each classifier lie, in the terminal; the page's table is in ``experts/Opened.tsx``."""

from __future__ import annotations

from typing import Any

from rochull.report.wording import Rows, count, isolated, number, tell

TITLE = tell("report.scores.title")
COLUMNS = "distinct", "least", tell("report.scores.negatives"), tell("report.scores.positives"), "greatest"


def scores(facts: dict[str, Any]) -> Rows | None:
    """A row for each classifier whose scores are known; None without one."""
    rows = [[isolated(c["name"]), *_row(c)] for c in facts["classifiers"] if c["calibration"]]
    return (["classifier", *COLUMNS], rows) if rows else None


def _row(own: dict[str, Any]) -> list[str]:
    found = own["scores"] or {"distinct": None, "negatives": {"median": None}, "positives": {"median": None}}
    ends = [own["hull"]["thresholds"][-1], own["calibration"]["high"][0]]  # of a scanned table too
    least, greatest = ends[::-1] if own["lower_is_positive"] else ends
    medians = (found[of]["median"] for of in ("negatives", "positives"))
    distinct = "–" if found["distinct"] is None else count(found["distinct"])
    return [distinct, *map(number, (least, *medians, greatest))]
