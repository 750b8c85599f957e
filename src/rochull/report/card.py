"""The card of a report in a notebook: the answer, the outcomes of its rule, and where the page is."""

from __future__ import annotations

from typing import Any

import numpy as np

from rochull._core.cards import Card, Columns, matrix, plane
from rochull._core.palette import COLOURS
from rochull.report import wording

LIGHT = "The page: report.open() in the browser, report.interactive() in here."


def report_card(title: str, facts: dict[str, Any]) -> Card:
    """A card of the facts of two classes; its title stands below the answer, if there is one."""
    answer = facts["answer"] or {"headline": None, "lede": [], "caveat": None, "rule": None}
    said = [answer["headline"], *answer["lede"], answer["caveat"]]
    told = [wording.said(message) for message in said if message is not None]
    hull, totals = facts["hybrid"], facts["totals"]
    fpr, tpr = np.array(hull["fp"]) / totals["negatives"], np.array(hull["tp"]) / totals["positives"]
    is_ruled = answer["rule"] is not None and answer["tp"] is not None
    dots = []
    if is_ruled:
        dots = [(answer["fp"] / totals["negatives"], answer["tp"] / totals["positives"], COLOURS[1])]
    lines = [*told, title, LIGHT]
    picture = plane([(fpr, tpr, "currentColor")], dots, title)
    columns = _outcomes(answer, totals) if is_ruled else _classifiers(facts)
    return Card(lines[0], columns, tuple(lines[1:]), picture=picture)


def classes_card(title: str, facts: dict[str, Any]) -> Card:
    """A card of the facts of several classes: the chosen weights, and the errors at that point."""
    chosen, names = facts["chosen"], [row["name"] for row in facts["classes"]]
    more: Columns = ()
    picture = ""
    if chosen is not None:
        weights, counts = (facts["points"][what][chosen["index"]] for what in ("weights", "confusion"))
        shares = np.array([[each / sum(row) for each in row] for row in counts])
        more = [("weight", weights), ("error (in-sample)", (1 - shares.diagonal()).tolist())]
        picture = matrix(shares, title)
    return Card(title, [("class", names), *more], (LIGHT,), picture=picture)


def _outcomes(answer: dict[str, Any], totals: dict[str, Any]) -> Columns:
    """Count what the rule of the answer does to these cases."""
    tp, fp = answer["tp"], answer["fp"]
    return [
        ("these cases", [answer["names"]["positive"], answer["names"]["negative"]]),
        ("flagged", [tp, fp]),
        ("passed", [totals["positives"] - tp, totals["negatives"] - fp]),
    ]


def _classifiers(facts: dict[str, Any]) -> Columns:
    rows = facts["classifiers"]
    names, areas = ([row[key] for row in rows] for key in ("name", "auc_hull"))
    return [("classifier", names), ("area of the hull", areas)]
