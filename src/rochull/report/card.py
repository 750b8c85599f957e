"""The card of a report in a notebook: the answer, the outcomes of its rule, and where the page is."""

from __future__ import annotations

from typing import Any

import numpy as np

from rochull._core.cards import Card, Columns, matrix, plane
from rochull._core.palette import COLOURS
from rochull.report.derived import answer_rates, decided, hull_rates
from rochull.report.multiclass_derived import errors, shares
from rochull.report.wording import said, tell


def report_card(title: str, facts: dict[str, Any]) -> Card:
    """A card of the facts of two classes; its title stands below the answer, if there is one."""
    answer = facts["answer"] or {"headline": None, "lede": [], "caveat": None, "rule": None}
    messages = [answer["headline"], *answer["lede"], answer["caveat"]]
    told = [said(message) for message in messages if message is not None]
    is_ruled = answer["rule"] is not None and answer["tp"] is not None
    dots = [(*answer_rates(facts), COLOURS[1])] if is_ruled else []
    lines = [*told, title, tell("report.card.page")]
    fpr, tpr = map(np.array, hull_rates(facts))
    picture = plane([(fpr, tpr, "currentColor")], dots, title)
    columns = _outcomes(facts) if is_ruled else _classifiers(facts)
    return Card(lines[0], columns, tuple(lines[1:]), picture=picture)


def classes_card(title: str, facts: dict[str, Any]) -> Card:
    """A card of the facts of several classes: the chosen weights, and the errors at that point."""
    chosen, names = facts["chosen"], [row["name"] for row in facts["classes"]]
    more: Columns = ()
    picture = ""
    if chosen is not None:
        weights, counts = (facts["points"][what][chosen["index"]] for what in ("weights", "confusion"))
        more = [("weight", weights), (tell("report.card.error"), errors(counts))]
        picture = matrix(np.array(shares(counts)), title)
    return Card(title, [("class", names), *more], (tell("report.card.page"),), picture=picture)


def _outcomes(facts: dict[str, Any]) -> Columns:
    """Count what the rule of the answer does to these cases."""
    names, (flagged, passed) = facts["answer"]["names"], decided(facts)
    return [
        (tell("report.card.cases"), [names["positive"], names["negative"]]),
        ("flagged", flagged),
        ("passed", passed),
    ]


def _classifiers(facts: dict[str, Any]) -> Columns:
    rows = facts["classifiers"]
    names, areas = ([row[key] for row in rows] for key in ("name", "auc_hull"))
    return [("classifier", names), (tell("report.card.area"), areas)]
