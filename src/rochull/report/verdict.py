"""The best rule beside others, in words: shared by the HTML page and the terminal.

``report_compare.js`` is its twin, which lives with the condition.
"""

from __future__ import annotations

from typing import Any

from rochull.report.derived import cheaper, saving
from rochull.report.wording import (
    Rows,
    isolated,
    joined,
    number,
    percent,
    rules,
    share,
)

Facts = dict[str, Any]


def at_another_prevalence(facts: Facts, at: Any) -> str:
    """State that figures are for another prevalence than that of the past cases; empty if they are not."""
    past = facts["examples"] and facts["examples"]["prevalence"]
    if past is None or not isinstance(at, float) or f"{at:.4g}" == f"{past:.4g}":
        return ""
    some = share(float(f"{at:.4g}"))
    return f"If {some} of the cases are {isolated(facts['positive'])} (of the past ones {percent(past)}), "


def limits(facts: Facts) -> str:
    """Name what a rule may break: the limit, or one of several."""
    return "limits" if facts["condition"]["n_limits"] != 1 else "limit"


def robust_rule(facts: Facts) -> Facts | None:
    """The row of the rule that risks least over a range, if one keeps all limits throughout."""
    row = facts["robust"] and robust_row(facts)
    return row if row and row["rules"] and not isinstance(row["worst"], str) else None


def robust_row(facts: Facts) -> Facts:
    """The row of the rule for a range, or of the one threshold if no mixture is allowed."""
    row: Facts = facts["robust"]["rows"][not facts["mixtures"]]
    return row


def compared(cost: float, other: float, sure: str = "") -> str:
    """How much less, or more, than another cost; in between it may say how sure that is."""
    kind, by = saving(cost, other)
    said = {"same": "as much as", "beyond": "more{} than", "nearly all": ">99 % less{} than"}
    return said.get(kind, f"{by:,.0f} % {kind}{{}} than").format(sure)


def saved(cost: float, other: float) -> str:
    """The same as a share of the other cost: negative where that is the lower one."""
    kind, by = saving(cost, other)
    said = {"same": "0 %", "beyond": "–", "nearly all": ">99 %", "more": f"−{by:,.0f} %"}
    return said.get(kind, f"{by:,.0f} %")


def _named(facts: Facts, row: Facts) -> str:
    """A baseline in words."""
    if row["kind"] in ("never", "always"):
        return "flagging none" if row["kind"] == "never" else "flagging all"
    if row["kind"] == "half":
        return f"{isolated(row['classifier'])} at 0.5"
    asked = facts["condition"]
    within = f" within the {limits(facts)}" * bool(asked and asked["n_limits"])
    at = row["point"] and row["point"]["rules"]
    if at and len(at) == 1 and at[0]["rule"]["kind"] == "threshold":
        return f"{rules(row['point'])} (its best{within})"
    return f"{isolated(row['classifier'])} at its best{within}"  # a mixture, which is long


_MOST = 3  # cheaper rules, of which each is named


def beaten(facts: Facts) -> str | None:
    """Where in a range of costs a baseline costs less than the rule for it; None if nowhere."""
    found: dict[str, list[str]] = {}
    for row, corner in cheaper(facts):
        told = [
            _ENDS[name].format(_shown(name, corner[name]), isolated(facts["positive"])) for name in corner
        ]
        found.setdefault(" and ".join(reversed(told)), []).append(_named(facts, row))
    if not found:
        return None
    costs = " ".join(
        f"If {at}, even {_some(names)} cost{'s' * (len(names) == 1)} less than this rule."
        for at, names in found.items()
    )
    return f"{_COMPROMISE} {costs}"


_COMPROMISE = (
    "The rule is a compromise: once the true numbers are known, choose the rule that is best for them."
)
_ENDS = {
    "cost_fp": "a false alarm costs {}",
    "cost_fn": "a miss costs {}",
    "prevalence": "{} of the cases are {}",
}


def _shown(name: str, value: float) -> str:
    return share(value) if name == "prevalence" else number(value)


def _some(names: list[str]) -> str:
    """The first names of a list."""
    return joined([*names[:_MOST], *[f"{len(names) - _MOST} more"] * (len(names) > _MOST)])


def baselines(facts: Facts) -> Rows:
    """The best rule beside the baselines: the head of a table, and its rows."""
    point = facts["chosen"]
    cost = point["expected_cost"]
    head = ["rule", "flagged", "positives caught", "negatives flagged"]
    head += [] if cost is None else ["cost per case", "the best rule saves (past cases)"]
    rows = []
    named = [(_named(facts, row), row["point"], row["breaks"]) for row in facts["baselines"]]
    for name, at, breaking in [("the best rule", point, False), *named]:
        if at is None:
            continue
        cells = [percent(at[key]) for key in ("positive_rate", "tpr", "fpr")]
        if cost is not None:
            less = "" if at is point else saved(cost, at["expected_cost"])
            cells += [number(at["expected_cost"]), f"breaks the {limits(facts)}" if breaking else less]
        elif breaking:
            name = f"{name} (breaks the {limits(facts)})"
        rows.append([name, *cells])
    return head, rows


def classes(facts: Facts) -> tuple[str, str]:
    """Names of positive and negative cases."""
    positive = facts["positive"]
    return positive, "negative" if positive == "positive" else f"not {positive}"
