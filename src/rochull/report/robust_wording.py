"""How rules for a range of conditions are put in words: shared by the HTML page and the terminal."""

from __future__ import annotations

from typing import Any

from rochull.report.wording import Rows, isolated, loss_in, number, percent, rules, share


def title(facts: dict[str, Any]) -> str:
    """What the table of rules for a range tells."""
    lost = loss_in(facts["robust"]["measure"])
    return f"One rule for the whole range: {lost}, compared with the best rule"


def best_where(facts: dict[str, Any]) -> str | None:
    """Which classifiers are the best ones for some condition of the range; None where that is not known."""
    names = facts["condition"]["potentially_optimal"]
    if names is None:
        return None
    where = "throughout" if len(names) == 1 else "somewhere in"
    return f"Best {where} the range: {', '.join(map(isolated, names)) or 'none'}."


def table(facts: dict[str, Any]) -> Rows:
    """What rules lose over a range: the head of a table, and its rows."""
    loss = "extra cost" if facts["robust"]["measure"] == "expected cost per case" else "loss"
    called = {
        "least worst regret": f"smallest worst {loss}",
        "the same with one threshold": f"smallest worst {loss} with one threshold",
        "least mean regret": f"smallest mean {loss}",
    }
    rows = [
        [
            f"{called.get(row['name']) or isolated(row['name'])}: {rules(row) if row['rules'] else 'none'}",
            *("–" if row[rate] is None else percent(row[rate]) for rate in ("fpr", "tpr")),
            number(row["worst"]),
            number(row["mean"]),
        ]
        for row in facts["robust"]["rows"]
    ]
    return ["rule", "FPR", "TPR", "worst", "mean"], rows


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
    """What regret is, and what is assumed for its mean."""
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
    """What the means are over."""
    return f"Means of regret are over {facts['robust']['distribution']}."
