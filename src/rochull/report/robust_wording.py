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
)


def title(facts: dict[str, Any]) -> str:
    """Title of the table of rules for a range."""
    lost = loss_in(facts["robust"]["measure"])
    return f"One rule for the whole range: {lost}, compared with the best rule"


def best_where(facts: dict[str, Any]) -> str | None:
    """Which classifiers are the best ones for some condition of the range; None where that is not known."""
    names = facts["condition"]["potentially_optimal"]
    if names is None:
        return None
    where = "Throughout" if len(names) == 1 else "Somewhere in"
    return f"{where} the range the best rule is one of {', '.join(map(isolated, names)) or 'no classifier'}."


def table(facts: dict[str, Any]) -> Rows:
    """Tabulate what rules lose over a range, each rule once: the head of the table, and its rows."""
    loss = extra(facts)
    called = {
        "worst": f"smallest worst {loss}",
        "worst_single": f"smallest worst {loss} with one threshold",
        "mean": f"smallest mean {loss}",
    }
    names: dict[str, list[str]] = {}
    cells: dict[str, list[str]] = {}
    for row in facts["robust"]["rows"]:
        rule = rules(row) if row["rules"] else "none"
        key = repr(row["rules"]) if row["rules"] else row["name"]
        names.setdefault(key, []).append(called.get(row["kind"]) or isolated(row["name"]))
        rates = ("–" if row[rate] is None else percent(row[rate]) for rate in ("fpr", "tpr"))
        cells[key] = [rule, *rates, number(row["worst"]), number(row["mean"])]
    rows = []
    for key, (rule, *rest) in cells.items():
        first, *others = names[key]
        also = f" (also: {', '.join(others)})" * bool(others)
        rows.append([f"{first}{also}: {rule}", *rest])
    return ["rule", "FPR", "TPR", "worst", "mean"], rows


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
        return " to ".join(dict.fromkeys(count(value) for value in sorted(each[name] for each in of_ends)))

    title = of_cases(facts, CASES, ends)
    if len(ends) > 1:
        title += "; in each cell from the fewest to the most"
    rows = [
        [positive, cell("tp"), cell("fn")],
        [negative, cell("fp"), cell("tn")],
    ]
    return title, (["", "flagged", "not flagged"], rows)


_RANGED = {
    "cost_fp": "a false alarm costs {}",
    "cost_fn": "a miss costs {}",
    "prevalence": "{} of the cases are positive",
    "max_fpr": "the limit is {}",
    "min_tpr": "the limit is {}",
    "min_precision": "the limit is {}",
    "fraction": "at most {} of the cases can be flagged",
    "cases": "at most {} cases can be flagged",
    "population": "there are {} cases in all",
}
_RANGED_SHARES = ("prevalence", "max_fpr", "min_tpr", "min_precision", "fraction")


def note(facts: dict[str, Any]) -> str:
    """Explain regret, and the assumption behind its mean."""
    told, between = [], False
    for name, value in facts["condition"]["parameters"].items():
        shown = share if name in _RANGED_SHARES else number
        if isinstance(value, list):
            ends, between = " to ".join(map(shown, value)), True
        elif isinstance(value, str) and name in _RANGED:
            ends = f"a number distributed as {value}"
        else:
            continue
        told.append(_RANGED.get(name, f"{name} is {{}}").format(ends))
    both = between and "distributed" in "".join(told)
    how = [" and ".join(told), f"each value {'between two ends ' * both}equally likely" * between]
    how.append("each number independent of the others" * (len(told) > 1))
    return (
        "Regret is what a rule that stays the same loses against the best rule for the actual condition. "
        f"Its mean assumes that {', '.join(filter(None, how))}."
    )


def distribution(facts: dict[str, Any]) -> str:
    """State the distribution that the means are over."""
    return f"Means of regret are over {facts['robust']['distribution']}."
