"""Facts of a multi-class report as one self-contained page that loads nothing; a label is only ever text."""

from __future__ import annotations

from typing import Any

from rochull.report import data_wording, multiclass_verdict
from rochull.report.glossary import TERMS
from rochull.report.html import page, resource
from rochull.report.multiclass_derived import precisions, shares
from rochull.report.wording import PAGE, count, number, percent
from rochull.words.clauses import Clause

BEGIN = "const multiclassView = rochullPage.begin();"


def to_html(facts: dict[str, Any]) -> str:
    """Draw the page: one HTML document."""
    terms = TERMS | {"precision": multiclass_verdict.PRECISION}  # which is of two classes there
    words: dict[str, Any] = {"wording": multiclass_verdict, "data_wording": data_wording, "words": terms}
    said = [facts["answer"]["headline"], *facts["answer"]["lede"]]
    rows = {each["key"]: PAGE.told(Clause.from_dict(each["message"])) for each in facts["answer"]["rows"]}
    words |= {"said": [PAGE.told(Clause.from_dict(each)) for each in said], "rows": rows}
    words["asked"] = multiclass_verdict.condition_asked(facts).replace(" %", "\u00a0%")
    script, style = resource("multiclass.bundle.js") + BEGIN, resource("multiclass.bundle.css")
    return page(facts, "multiclass.html", script, style, chosen=chosen_table(facts), **words)


def chosen_table(facts: dict[str, Any]) -> list[list[str]]:
    """The confusion matrix at the chosen point as cells of text: rate and count; last the precisions."""
    matrix = facts["points"]["confusion"][facts["chosen"]["index"]]
    amount = number if facts["weighted"] else count
    rows = [
        [f"{percent(cell)} ({amount(n)})" for cell, n in zip(*both, strict=True)]
        for both in zip(shares(matrix), matrix, strict=True)
    ]
    return [*rows, [percent(each) for each in precisions(matrix)]]
