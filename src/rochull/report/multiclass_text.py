"""Facts of a multi-class report as tables for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rochull.report.data_wording import about, flattered
from rochull.report.multiclass_derived import errors, is_short, keeps_limits, most_broken, precisions, shares
from rochull.report.multiclass_verdict import (
    PRECISION,
    baseline_name,
    class_names,
    condition_asked,
    examined,
    headline,
    is_idle,
    limits,
    meaning,
    rivals,
    rules,
    traded,
    value_of,
)
from rochull.report.text import WIDTH, add_row, heading, line, paragraph, printed
from rochull.report.wording import count, in_percent, number, percent

if TYPE_CHECKING:
    from rich.table import Table


ROOMY = 6  # classes, of which a table has room for words and signs


def to_text(facts: dict[str, Any], width: int = WIDTH) -> str:
    """The tables as plain text, without escape sequences."""
    return printed(multiclass_parts(facts), width)


def answer(facts: dict[str, Any]) -> str:
    """Say how many points keep the limits, or how near one comes if none does."""
    k, remaining, chosen = len(facts["points"]["weights"]), len(facts["remaining"]), facts["chosen"]
    what = limits(facts, "all")
    if chosen["feasible"]:
        return f"{count(remaining)} of {rules(facts)} keep{'s' * (remaining == 1)} {what}."
    none = f"None of {rules(facts)} keeps {what}." if k != 1 else f"The rule does not keep {what}."
    known = most_broken(facts)
    if known is None:
        return f"{none} They are defined at none."
    by, limit = known
    beyond = f"{number(100 * by)} percentage points" if limit["share"] else number(by * limit["scale"])
    return f'{none} {"The closest" if k != 1 else "It"} breaks "{limit["text"]}" by {beyond}.'


def multiclass_parts(facts: dict[str, Any]) -> list[Any]:
    """The parts of the page, for a rich console."""
    parts = [heading(facts["title"]), line(""), heading(headline(facts))]
    parts += [paragraph(text) for text in (traded(facts), meaning(facts)) if text]
    parts += [
        paragraph(text)
        for text in (about(facts), f"{examined(facts)}.", flattered(limited=bool(facts["limits"])))
        if text
    ]
    parts += [line(""), heading(f"Condition: {condition_asked(facts)}")]
    parts += [paragraph(answer(facts))] * bool(facts["limits"])
    parts += [line(""), heading(_matrix_title(facts)), _matrix(facts), paragraph(f"Precision: {PRECISION}.")]
    if not is_short(facts["points"]["weights"][facts["chosen"]["index"]]):
        parts.append(paragraph(_weights(facts)))
    parts += [line(""), heading("Compared with other rules"), _compared(facts)]
    if len(facts["leading"]) > 1:
        parts += [line(""), heading(f"{_best(facts)}{_unit(facts)}"), _list(facts)]
    return parts


def _is_roomy(facts: dict[str, Any]) -> bool:
    return len(facts["classes"]) <= ROOMY


def _unit(facts: dict[str, Any]) -> str:
    return "" if _is_roomy(facts) else ": errors of the classes in %"


def _percent(facts: dict[str, Any], value: float | None) -> str:
    return percent(value) if _is_roomy(facts) or value is None else in_percent(value)


def _weights(facts: dict[str, Any]) -> str:
    vector = facts["points"]["weights"][facts["chosen"]["index"]]
    told = (f"{name} {number(w)}" for name, w in zip(class_names(facts), vector, strict=True))
    return f"Weights: {', '.join(told)}"


def _table(columns: list[str]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for i, column in enumerate(columns):
        table.add_column(line(column), justify="right" if i else "left", overflow="fold")
    return table


def _matrix_title(facts: dict[str, Any]) -> str:
    unit = "" if _is_roomy(facts) else " (columns), in %"
    return f"Of the cases of each class, those that are called each class{unit}"


def _matrix(facts: dict[str, Any]) -> Table:
    names, called = class_names(facts), "called " * _is_roomy(facts)
    table = _table(["class", *(f"{called}{name}" for name in names)])
    chosen = facts["points"]["confusion"][facts["chosen"]["index"]]
    for name, row in zip(names, shares(chosen), strict=True):
        add_row(table, name, *(_percent(facts, cell) for cell in row))
    add_row(table, "precision", *(_percent(facts, each) for each in precisions(chosen)))
    return table


def _head(facts: dict[str, Any], of: str) -> list[str]:
    short = {"max_error": "largest error", "error_rate": "error rate", "expected_cost": "expected cost"}
    measure = short.get(facts["objective"]["kind"], facts["objective"]["text"])
    return [measure, *(f"{of}{name}" for name in class_names(facts))]


def _compared(facts: dict[str, Any]) -> Table:
    """A column for each rule: classes are many."""
    chosen, names = facts["chosen"], class_names(facts)
    own = "this rule, which is the largest output (baseline)" if is_idle(facts) else "this rule"
    rules = [(own, chosen["value"], facts["points"]["confusion"][chosen["index"]], chosen["feasible"])]
    for row in rivals(facts):
        name = "the largest output (baseline)" if row["kind"] == "largest" else baseline_name(row, names)
        rules.append((name, row["value"], row["confusion"], keeps_limits(row)))
    table = _table(["", *(name for name, *_ in rules)])
    columns = [[value_of(facts, value), *map(percent, errors(matrix))] for _, value, matrix, _ in rules]
    for head, *cells in zip(_head(facts, "error of "), *columns, strict=True):
        add_row(table, head, *cells)
    if facts["limits"]:
        add_row(table, f"keeps {limits(facts, 'all')}", *("yes" if kept else "no" for *_, kept in rules))
    return table


def _best(facts: dict[str, Any]) -> str:
    n, kept = len(facts["leading"]), f" that keep {limits(facts, 'all')}" * bool(facts["limits"])
    return f"The best {n} of {rules(facts, len(facts['remaining']))}{kept}"


def _list(facts: dict[str, Any]) -> Table:
    table = _table(["", *_head(facts, "error of " * _is_roomy(facts))])
    for n, row in enumerate(facts["leading"], 1):
        matrix = facts["points"]["confusion"][row["index"]]
        add_row(
            table,
            str(n),
            value_of(facts, row["value"]),
            *(_percent(facts, error) for error in errors(matrix)),
        )
    return table
