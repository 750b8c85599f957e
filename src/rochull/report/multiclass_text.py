"""Facts of a multi-class report as tables for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rochull.report.multiclass_verdict import MEANING, value_of, verdict
from rochull.report.text import WIDTH, add_row, heading, line, printed
from rochull.report.wording import number, percent

if TYPE_CHECKING:
    from rich.table import Table

LISTED = 10  # points in the list


def to_text(facts: dict[str, Any], width: int = WIDTH) -> str:
    """The tables as plain text, without escape sequences."""
    return printed(renderables(facts), width)


def answer(facts: dict[str, Any]) -> str:
    """What the limits leave, in one sentence or two."""
    k, chosen = len(facts["points"]["weights"]), facts["chosen"]
    at = f"point {chosen['index']}, {facts['objective']['text']} {value_of(facts, chosen['value'])}"
    if not facts["limits"]:
        return f"Best of {_many(k)}: {at}."
    remaining = len(facts["remaining"])
    if chosen["feasible"]:
        return f"{remaining} of {_many(k)} remain{'s' if remaining == 1 else ''}. Best of them: {at}."
    known = [(e, limit) for e, limit in zip(chosen["excess"], facts["limits"], strict=True) if e is not None]
    if not known:
        return f"None of {_many(k)} is within all limits, which are defined at none."
    by, limit = max(known, key=lambda pair: pair[0])
    beyond = f"{number(100 * by)} percentage points" if limit["share"] else number(by * limit["scale"])
    most = f'it is beyond "{limit["text"]}" by {beyond}'
    return f"None of {_many(k)} is within all limits. The closest: {at}; {most}."


def _many(k: int) -> str:
    return f"{k} point{'s' if k != 1 else ''}"


def renderables(facts: dict[str, Any]) -> list[Any]:
    """The parts of the page, for a rich console."""
    parts = [heading(facts["title"]), line(_examples(facts)), line("")]
    parts += [line(f"Limit: {limit['text']}") for limit in facts["limits"]]
    parts += [line(answer(facts)), line(verdict(facts)), line(MEANING), line("")]
    parts += [
        heading("Confusion matrix: rates of each class (in-sample)"),
        _matrix(facts),
        line(_weights(facts)),
        line(""),
    ]
    listed = _listed(facts)
    first = "The first point" if listed == 1 else f"The first {listed} points"
    parts += [heading(f"{first} (in-sample)"), _list(facts)]
    parts.append(line("In-sample, which flatters: the points were chosen on these cases."))
    return parts


def _examples(facts: dict[str, Any]) -> str:
    what = "weight" if facts["weighted"] else "examples"
    return f"{what}: " + ", ".join(f"{c['name']} {c['total']:.7g}" for c in facts["classes"])


def _weights(facts: dict[str, Any]) -> str:
    vector = facts["points"]["weights"][facts["chosen"]["index"]]
    told = (f"{c['name']} {number(w)}" for c, w in zip(facts["classes"], vector, strict=True))
    return f"Weights: {', '.join(told)}"


def _listed(facts: dict[str, Any]) -> int:
    return min(LISTED, len(facts["points"]["weights"]))


def _table(columns: list[str]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for i, column in enumerate(columns):
        table.add_column(line(column), justify="right" if i else "left", overflow="fold")
    return table


def _matrix(facts: dict[str, Any]) -> Table:
    names = [c["name"] for c in facts["classes"]]
    table = _table(["class", *(f"called {name}" for name in names)])
    chosen = facts["points"]["confusion"][facts["chosen"]["index"]]
    for name, row in zip(names, chosen, strict=True):
        add_row(table, name, *(percent(cell / sum(row)) for cell in row))
    return table


def _list(facts: dict[str, Any]) -> Table:
    table = _table(["point", "remains", *(f"error of {c['name']}" for c in facts["classes"])])
    remaining = set(facts["remaining"])
    for p in range(_listed(facts)):
        matrix = facts["points"]["confusion"][p]
        errors = [(sum(row) - row[i]) / sum(row) for i, row in enumerate(matrix)]
        kept = "yes" if p in remaining else "no"
        add_row(table, str(p), kept, *map(percent, errors))
    return table
