"""Facts of a multi-class report as one self-contained page that loads nothing; a label is only ever text."""

from __future__ import annotations

from typing import Any

from rochull.report.html import page, resource

SCRIPTS = (
    "report_format.js",
    "report_exact.js",
    "report_save.js",
    "report_export.js",
    "report_theme.js",
    "multiclass_model.js",
    "multiclass.js",
)
START = "const multiclassView = rochullMulticlass.page();"


def to_html(facts: dict[str, Any]) -> str:
    """Draw the page: one HTML document."""
    scripts = [*map(resource, SCRIPTS), START]
    style = resource("report.css") + resource("multiclass.css")
    return page(facts, "multiclass.html", scripts, style, chosen=chosen_table(facts))


def chosen_table(facts: dict[str, Any]) -> list[list[str]]:
    """The confusion matrix at the chosen point as cells of text: rate and count."""
    matrix = facts["points"]["confusion"][facts["chosen"]["index"]]
    return [[f"{100 * cell / sum(row):.1f}% ({cell:.7g})" for cell in row] for row in matrix]
