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
    weights,
)
from rochull.report.text import WIDTH, add_row, heading, line, paragraph, printed
from rochull.report.wording import choose, count, in_percent, number, percent, sentences, tell

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
        told = count(remaining)
        return tell("report.several.kept", n=remaining, told=told, rules=rules(facts), limits=what)
    if k == 1:
        none = tell("report.several.none.one", limits=what)
    else:
        none = tell("report.several.none", rules=rules(facts), limits=what)
    known = most_broken(facts)
    if known is None:
        return sentences(none, tell("report.several.undefined"))
    by, limit = known
    beyond = tell("report.points", x=number(100 * by)) if limit["share"] else number(by * limit["scale"])
    which = "one" if k == 1 else "other"
    return sentences(none, tell("report.several.closest", which=which, limit=limit["text"], by=beyond))


def multiclass_parts(facts: dict[str, Any]) -> list[Any]:
    """The parts of the page, for a rich console."""
    parts = [heading(facts["title"]), line(""), heading(headline(facts))]
    parts += [paragraph(text) for text in (traded(facts), meaning(facts)) if text]
    parts += [
        paragraph(text)
        for text in (about(facts), f"{examined(facts)}.", flattered(limited=bool(facts["limits"])))
        if text
    ]
    parts += [line(""), heading(tell("report.text.condition", asked=condition_asked(facts)))]
    parts += [paragraph(answer(facts))] * bool(facts["limits"])
    parts += [
        line(""),
        heading(_matrix_title(facts)),
        _matrix(facts),
        paragraph(tell("report.several.precision", precision=PRECISION)),
    ]
    if not is_short(facts["points"]["weights"][facts["chosen"]["index"]]):
        parts.append(paragraph(weights(facts)))
    parts += [line(""), heading(tell("page.compared")), _compared(facts)]
    if len(facts["leading"]) > 1:
        parts += [line(""), heading(_best(facts)), _list(facts)]
    return parts


def _is_roomy(facts: dict[str, Any]) -> bool:
    return len(facts["classes"]) <= ROOMY


def _percent(facts: dict[str, Any], value: float | None) -> str:
    return percent(value) if _is_roomy(facts) or value is None else in_percent(value)


def _table(columns: list[str]) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for i, column in enumerate(columns):
        table.add_column(line(column), justify="right" if i else "left", overflow="fold")
    return table


def _matrix_title(facts: dict[str, Any]) -> str:
    return tell("report.several.matrix", unit=None if _is_roomy(facts) else "percent")


def _matrix(facts: dict[str, Any]) -> Table:
    names = class_names(facts)
    heads = (tell("answer.classes.called", name=name) if _is_roomy(facts) else name for name in names)
    table = _table(["class", *heads])
    chosen = facts["points"]["confusion"][facts["chosen"]["index"]]
    for name, row in zip(names, shares(chosen), strict=True):
        add_row(table, name, *(_percent(facts, cell) for cell in row))
    add_row(table, "precision", *(_percent(facts, each) for each in precisions(chosen)))
    return table


def _head(facts: dict[str, Any], *, roomy: bool) -> list[str]:
    objective, names = facts["objective"], class_names(facts)
    measure = choose("report.several.measure", {"kind": objective["kind"]}) or objective["text"]
    return [measure, *(tell("answer.classes.error of", name=name) if roomy else name for name in names)]


def _compared(facts: dict[str, Any]) -> Table:
    """A column for each rule: classes are many."""
    chosen, names = facts["chosen"], class_names(facts)
    own = tell("report.several.own", idle="yes" if is_idle(facts) else "no")
    rules = [(own, chosen["value"], facts["points"]["confusion"][chosen["index"]], chosen["feasible"])]
    for row in rivals(facts):
        is_largest = row["kind"] == "largest"
        name = tell("report.several.largest") if is_largest else baseline_name(row, names)
        rules.append((name, row["value"], row["confusion"], keeps_limits(row)))
    table = _table(["", *(name for name, *_ in rules)])
    columns = [[value_of(facts, value), *map(percent, errors(matrix))] for _, value, matrix, _ in rules]
    for head, *cells in zip(_head(facts, roomy=True), *columns, strict=True):
        add_row(table, head, *cells)
    if facts["limits"]:
        kept = tell("answer.classes.keeps", limits=limits(facts, "all"))
        add_row(table, kept, *("yes" if within else "no" for *_, within in rules))
    return table


def _best(facts: dict[str, Any]) -> str:
    n, kept = len(facts["leading"]), limits(facts, "all") if facts["limits"] else None
    title = tell("report.several.best", n=str(n), rules=rules(facts, len(facts["remaining"])), limits=kept)
    return title if _is_roomy(facts) else tell("report.several.in per cent", title=title)


def _list(facts: dict[str, Any]) -> Table:
    table = _table(["", *_head(facts, roomy=_is_roomy(facts))])
    for n, row in enumerate(facts["leading"], 1):
        matrix = facts["points"]["confusion"][row["index"]]
        add_row(
            table,
            str(n),
            value_of(facts, row["value"]),
            *(_percent(facts, error) for error in errors(matrix)),
        )
    return table
