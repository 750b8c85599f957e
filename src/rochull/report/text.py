"""Facts as compact tables for a terminal of 80 columns."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from rochull.report import wording

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

WIDTH = 80


def to_text(facts: dict[str, Any], width: int = WIDTH) -> str:
    """The tables as plain text.

    Parameters
    ----------
    facts : dict
        See :mod:`rochull.report.facts`.
    width : int, default=80
        Columns of the page.

    Returns
    -------
    str
        Lines without escape sequences.
    """
    from rich.console import Console

    out = io.StringIO()
    console = Console(file=out, width=width, color_system=None, force_terminal=False, legacy_windows=False)
    for part in renderables(facts):
        console.print(part)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def renderables(facts: dict[str, Any]) -> list[RenderableType]:
    """The parts of the page, for a rich console."""
    parts: list[RenderableType] = [
        _line(f"{wording.examples(facts)}; AUC of the hull {wording.number(facts['hybrid']['auc'])}"),
        _line(""),
        _heading("Who is optimal, by slope of the iso-performance lines (in-sample)"),
        _dominance(facts),
        _line(wording.absolute(facts)),
    ]
    if facts["condition"] is not None:
        parts += [_line(""), _heading(f"Condition: {facts['condition']['text']}")]
        if facts["condition"]["potentially_optimal"] is not None:
            names = ", ".join(facts["condition"]["potentially_optimal"]) or "none"
            parts.append(_line(f"Optimal somewhere in this range: {names}."))
    if facts["chosen"] is not None:
        parts += _chosen(facts)
    parts += [_line(f"{wording.IN_SAMPLE} {wording.ROUNDED}", style="dim")]
    return parts


def printable(text: str) -> str:
    """Text that cannot steer a terminal: control characters are shown as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _line(text: str, style: str = "") -> RenderableType:
    from rich.text import Text

    return Text(printable(text), style=style)


def _heading(text: str) -> RenderableType:
    return _line(text, style="bold")


def _table(*columns: tuple[str, str]) -> Table:
    """An empty table; a column is a heading and its alignment."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading, justify in columns:
        table.add_column(heading, justify=justify, overflow="fold")  # type: ignore[arg-type]
    return table


def _add(table: Table, *cells: str, style: str = "") -> None:
    # Text objects: a classifier's name is never read as markup.
    table.add_row(*(_line(cell) for cell in cells), style=style)


def _dominance(facts: dict[str, Any]) -> Table:
    table = _table(
        ("slope", "right"),
        ("dominator", "left"),
        ("FPR", "right"),
        ("TPR", "right"),
    )
    for row in facts["dominance"]["rows"]:
        _add(
            table,
            wording.slope_range(row),
            wording.dominator(row),
            wording.span(row["fpr"]),
            wording.span(row["tpr"]),
        )
    return table


def _chosen(facts: dict[str, Any]) -> list[RenderableType]:
    point = facts["chosen"]
    rates = f"FPR {wording.percent(point['fpr'])}, TPR {wording.percent(point['tpr'])}"
    if point["precision"] is not None:
        rates += f", precision {wording.percent(point['precision'])}"
    if point["expected_cost"] is not None:
        rates += f", expected cost {wording.number(point['expected_cost'])} a case"
    parts = [_line(f"Best rule: {wording.rules(point)}", style="bold"), _line(f"  {rates}")]
    single = wording.single_rule(facts)
    if single is not None:
        parts.append(_line(f"Best single rule: {single}"))
    if point["confusion"] is not None:
        parts += [_line(""), _heading(f"Outcome {wording.prevalence_note(facts)}"), _confusion(facts)]
    parts += [_heading("Each classifier alone, at its own best point (in-sample)"), _regret(facts)]
    return parts


def _confusion(facts: dict[str, Any]) -> Table:
    cases = facts["chosen"]["confusion"]
    table = _table(
        ("", "left"),
        ("called positive", "right"),
        ("called negative", "right"),
    )
    _add(table, "positive", wording.count(cases["tp"]), wording.count(cases["fn"]))
    _add(table, "negative", wording.count(cases["fp"]), wording.count(cases["tn"]))
    return table


def _regret(facts: dict[str, Any]) -> Table:
    table = _table(
        ("classifier", "left"),
        ("FPR", "right"),
        ("TPR", "right"),
        (f"regret ({facts['regret']['measure']})", "right"),
    )
    for row in facts["regret"]["rows"]:
        point = row["point"]
        rates = (
            ("–", "–") if point is None else (wording.percent(point["fpr"]), wording.percent(point["tpr"]))
        )
        _add(table, row["classifier"], *rates, wording.loss(row, facts))
    return table
