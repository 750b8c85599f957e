"""What the best rule is compared with, in words: shared by the HTML page and the terminal.

``report_compare.js`` is its twin, which lives with the condition.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

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
    return "limits" if facts["condition"]["n_limits"] > 1 else "limit"


def robust_rule(facts: Facts) -> Facts | None:
    """The row of the rule that risks least over a range, if one keeps all limits throughout."""
    row = facts["robust"] and robust_row(facts)
    return row if row and row["rules"] and not isinstance(row["worst"], str) else None


def robust_row(facts: Facts) -> Facts:
    """The row of the rule for a range, or of the one threshold if no mixture is allowed."""
    row: Facts = facts["robust"]["rows"][not facts["mixtures"]]
    return row


def _counted(facts: Facts, baseline: Facts) -> Facts:
    """The rates of a baseline, from what was counted."""
    totals = facts["totals"]
    return {"fpr": baseline["fp"] / totals["negatives"], "tpr": baseline["tp"] / totals["positives"]}


def _savings(row: Facts, other: Facts, ends: list[list[float]]) -> list[tuple[float, tuple[float, ...]]]:
    """Savings of a rule as shares of another's cost, at each corner of a range."""
    found = []
    for corner in product(*ends):
        if _cost(1.0, 0.0, corner) > 0:  # else nothing costs anything
            mine, its = (_cost(each["fpr"], each["tpr"], corner) for each in (row, other))
            found.append((1 - mine / its if its else -math.inf if mine else 0.0, corner))
    return found


def _share_saved(cost: float, other: float) -> float:
    return 1 - cost / other if other else 0.0 if not cost else -math.inf


def as_much(cost: float, other: float) -> bool:
    """Whether one cost rounds to 0 % less than another, so that both are called equal."""
    return abs(_share_saved(cost, other)) < 0.005


def compared(cost: float, other: float, sure: str = "") -> str:
    """How much less, or more, than another cost; in between it may say how sure that is."""
    share = _share_saved(cost, other)
    if as_much(cost, other):
        return "as much as"
    if share == -math.inf:  # than nothing
        return f"more{sure} than"
    less = ">99" if 0.995 <= share < 1 else f"{100 * abs(share):,.0f}"
    return f"{less} % {'less' if share > 0 else 'more'}{sure} than"


def saved(cost: float, other: float) -> str:
    """The same as a share of the other cost: negative where that is the lower one."""
    if not other:
        return "–" if cost else "0 %"
    share = 100 * (1 - cost / other)
    if 99.5 <= share < 100:
        return ">99 %"
    return "0 %" if abs(share) < 0.5 else f"{share:,.0f} %".replace("-", "−")


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
    chosen = facts["robust"] and facts["robust"]["rows"][0]
    ends = _ends_of_range(facts) if chosen else []
    if not chosen or chosen["fpr"] is None or not ends:
        return None
    labels = ("a false alarm costs {}", "a miss costs {}", "{} of the cases are {}")
    positive = isolated(facts["positive"])
    found: dict[str, list[str]] = {}
    for row in facts["baselines"]:
        if row["fp"] is None or row["breaks"]:
            continue
        worst, corner = min(_savings(chosen, _counted(facts, row), ends), key=lambda each: each[0])
        if worst < -0.005:
            told = zip(labels, corner, ends, strict=True)
            said = [
                label.format(share(end) if label == labels[2] else number(end), positive)
                for label, end, both in told
                if len(both) > 1
            ]
            found.setdefault(" and ".join(reversed(said)), []).append(_named(facts, row))
    if not found:
        return None
    cheaper = " ".join(
        f"If {at}, even {_some(names)} cost{'s' * (len(names) == 1)} less than this rule."
        for at, names in found.items()
    )
    return (
        "The rule is a compromise: once the true numbers are known, choose the rule that is best for them. "
        f"{cheaper}"
    )


def _some(names: list[str]) -> str:
    """The first names of a list."""
    return joined([*names[:_MOST], *[f"{len(names) - _MOST} more"] * (len(names) > _MOST)])


def _ends_of_range(facts: Facts) -> list[list[float]]:
    """The ends of both costs and of the prevalence; empty unless they are numbers and intervals."""
    asked = facts["condition"]["parameters"]
    found = [asked.get(name) for name in ("cost_fp", "cost_fn", "prevalence")]
    if any(isinstance(each, str | None) for each in found):
        return []
    return [each if isinstance(each, list) else [each] for each in found]


def _cost(fpr: float, tpr: float, corner: tuple[float, ...]) -> float:
    cost_fp, cost_fn, p = corner
    return (1 - p) * cost_fp * fpr + p * cost_fn * (1 - tpr)


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
