"""Facts of a multi-class report as one self-contained page that loads nothing; a label is only ever text."""

from __future__ import annotations

from typing import Any

from rochull.report import data_wording, multiclass_verdict
from rochull.report.glossary import TERMS
from rochull.report.html import one_script, page, styled
from rochull.report.wording import count, number, percent

SCRIPTS = (  # each uses those before it only
    "report_format.js",
    "report_exact.js",
    "report_elements.js",
    "report_sort.js",
    "report_save.js",
    "report_take.js",
    "report_batch.js",
    "report_export.js",
    "report_theme.js",
    "report_terms.js",
    "multiclass_model.js",
    "multiclass_parts.js",
    "multiclass_words.js",
    "multiclass_table.js",
    "multiclass_limits.js",
    "multiclass_costs.js",
    "multiclass_panels.js",
    "multiclass_list.js",
    "multiclass_savings.js",
    "multiclass_compare.js",
    "multiclass_batch.js",
    "multiclass_take.js",
    "multiclass_link.js",
    "multiclass.js",
)
STYLES = ("report.css", "report_page.css", "multiclass.css")
START = "const multiclassView = rochullMulticlass.page();"


def to_html(facts: dict[str, Any]) -> str:
    """Draw the page: one HTML document."""
    terms = TERMS | {"precision": multiclass_verdict.PRECISION}  # which is of two classes there
    words = {"wording": multiclass_verdict, "data_wording": data_wording, "words": terms}
    scripts = [one_script(SCRIPTS) + START]
    return page(facts, "multiclass.html", scripts, styled(STYLES), chosen=chosen_table(facts), **words)


def chosen_table(facts: dict[str, Any]) -> list[list[str]]:
    """The confusion matrix at the chosen point as cells of text: rate and count; last the precisions."""
    matrix = facts["points"]["confusion"][facts["chosen"]["index"]]
    amount = number if facts["weighted"] else count
    rows = [[f"{percent(cell / sum(row))} ({amount(cell)})" for cell in row] for row in matrix]
    return [*rows, [percent(each) for each in multiclass_verdict.precisions(matrix)]]
