"""How rules for a range of conditions are put in words: shared by the HTML page and the terminal."""

from __future__ import annotations

from typing import Any

from rochull.report.derived import outcomes_of
from rochull.report.facts import CASES
from rochull.report.verdict import classes
from rochull.report.wording import (
    Rows,
    count,
    extra,
    isolated,
    loss_in,
    number,
    of_cases,
    percent,
    rules,
    share,
    tell,
)
from rochull.words.clauses import Clause


def title(facts: dict[str, Any]) -> str:
    """Title of the table of rules for a range."""
    return tell("report.robust.title", loss=loss_in(facts["robust"]["measure"]))


def best_where(facts: dict[str, Any]) -> str | None:
    """Which classifiers are the best ones for some condition of the range; None where that is not known."""
    names = facts["condition"]["potentially_optimal"]
    if names is None:
        return None
    named = ", ".join(map(isolated, names)) or tell("report.robust.nobody")
    return tell("report.robust.best", where="all" if len(names) == 1 else "some", names=named)


def table(facts: dict[str, Any]) -> Rows:
    """Tabulate what rules lose over a range, each rule once: the head of the table, and its rows."""
    names: dict[str, list[str]] = {}
    cells: dict[str, list[str]] = {}
    for row in facts["robust"]["rows"]:
        rule = rules(row) if row["rules"] else "none"
        key = repr(row["rules"] or (row["kind"], row["classifier"]))
        names.setdefault(key, []).append(_name(facts, row))
        rates = ("–" if row[rate] is None else percent(row[rate]) for rate in ("fpr", "tpr"))
        cells[key] = [rule, *rates, number(row["worst"]), number(row["mean"])]
    rows = []
    for key, (rule, *rest) in cells.items():
        first, *others = names[key]
        also = "yes" if others else "no"
        rows.append([tell("report.robust.rule", name=first, also=also, names=others, rule=rule), *rest])
    return ["rule", "FPR", "TPR", "worst", "mean"], rows


def _name(facts: dict[str, Any], row: dict[str, Any]) -> str:
    return tell("report.robust.kind", kind=row["kind"], loss=extra(facts), name=row["classifier"])


def of_all(facts: dict[str, Any]) -> int:
    """How many rows of the table come first: rules that use whatever classifier is best."""
    return len({repr(row["rules"]) for row in facts["robust"]["rows"] if row["classifier"] is None})


def outcomes(facts: dict[str, Any]) -> tuple[str, Rows] | None:
    """Tabulate what the rule that risks least does with cases like the past ones: a title, and the table.

    None without such a rule, or without a prevalence.
    """
    row, given = facts["robust"]["rows"][not facts["mixtures"]], facts["condition"]["parameters"]
    ends = given.get("prevalence")
    ends = ends if isinstance(ends, list) else [ends]
    if row["fpr"] is None or not all(isinstance(end, float | int) for end in ends):
        return None
    positive, negative = classes(facts)

    of_ends = [outcomes_of(row, CASES, end) for end in ends]

    def cell(name: str) -> str:
        low, *high = dict.fromkeys(count(value) for value in sorted(each[name] for each in of_ends))
        return tell("page.range", low=low, high=high[0]) if high else low

    rows = [
        [positive, cell("tp"), cell("fn")],
        [negative, cell("fp"), cell("tn")],
    ]
    return of_cases(facts, CASES, ends), (["", "flagged", tell("report.not flagged")], rows)


_SHARES = ("prevalence", "max_fpr", "min_tpr", "min_precision", "fraction")
_DRAWN = {"cost_fp", "cost_fn", "cases", "population", *_SHARES}  # where a text is a distribution


def note(facts: dict[str, Any]) -> str:
    """Explain regret, and the assumption behind its mean."""
    numbers, ranges, drawn = [], False, False
    for name, value in facts["condition"]["parameters"].items():
        if isinstance(value, list):
            low, high = map(share if name in _SHARES else number, value)
            shown, ranges = Clause("page.range", low=low, high=high), True
        elif isinstance(value, str) and name in _DRAWN:
            shown, drawn = Clause("report.robust.random", distribution=value), True
        else:
            continue
        numbers.append(Clause("report.robust.ranged", parameter=name, value=shown))
    ends = "none" if not ranges else "some" if drawn else "all"
    return tell("report.robust.note", numbers=numbers, ends=ends, several="yes" if len(numbers) > 1 else "no")


def distribution(facts: dict[str, Any]) -> str:
    """State the distribution that the means are over."""
    return tell("report.robust.distribution", **facts["robust"])
