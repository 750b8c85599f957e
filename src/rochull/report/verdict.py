"""The best rule beside others, in words: shared by the HTML page and the terminal.

What is true is found here, and by ``report_compare.ts`` of the page's condition; the catalogue words it.
"""

from __future__ import annotations

from typing import Any

from rochull.report.derived import cheaper, saving
from rochull.report.wording import Rows, choose, number, percent, rules, sentences, share, tell
from rochull.words.clauses import Clause

Facts = dict[str, Any]


def at_another_prevalence(facts: Facts, at: Any) -> bool:
    """Whether figures are for another prevalence than that of the past cases."""
    past = facts["examples"] and facts["examples"]["prevalence"]
    return past is not None and isinstance(at, float) and f"{at:.4g}" != f"{past:.4g}"


def limit_count(facts: Facts) -> int:
    """Count the limits that a rule may break."""
    return facts["condition"]["n_limits"] if facts["condition"] else 0


def robust_rule(facts: Facts) -> Facts | None:
    """The row of the rule that risks least over a range, if one keeps all limits throughout."""
    row = facts["robust"] and robust_row(facts)
    return row if row and row["rules"] and not isinstance(row["worst"], str) else None


def robust_row(facts: Facts) -> Facts:
    """The row of the rule for a range, or of the one threshold if no mixture is allowed."""
    row: Facts = facts["robust"]["rows"][not facts["mixtures"]]
    return row


def compared(cost: float, other: float, sure: Facts | None = None) -> str:
    """How much less, or more, than another cost; in between it may say how sure that is, by its ends."""
    kind, by = saving(cost, other)
    by = 99 if kind == "nearly" else by
    return choose("compared", {"saving": kind, "by": f"{by:,.0f} %", "level": 0.95} | (sure or {}))


def saved(cost: float, other: float) -> str:
    """The same as a share of the other cost: negative where that is the lower one."""
    kind, by = saving(cost, other)
    said = {"same": "0 %", "beyond": "–", "nearly": ">99 %", "more": f"−{by:,.0f} %"}
    return said.get(kind, f"{by:,.0f} %")


def _named(facts: Facts, row: Facts) -> str:
    """A baseline in words."""
    at = row["point"] and row["point"]["rules"]
    state = row | {"half": number(0.5), "limit_count": limit_count(facts)}
    if at and len(at) == 1 and at[0]["rule"]["kind"] == "threshold":  # a mixture is long
        state |= {"by": "threshold", "rule": rules(row["point"])}
    return choose("baseline", state)


_MOST = 3  # cheaper rules, of which each is named


def beaten(facts: Facts) -> str | None:
    """Where in a range of costs a baseline costs less than the rule for it; None if nowhere."""
    found: dict[tuple[str, ...], list[str]] = {}
    for row, corner in cheaper(facts):
        found.setdefault(_corner(facts, corner), []).append(_named(facts, row))
    costs = [
        tell("answer.beaten.at", corner=at, rules=_first(names), rule_count=len(names))
        for at, names in found.items()
    ]
    return sentences(tell("answer.beaten"), *costs) if costs else None


def _corner(facts: Facts, at: dict[str, float]) -> tuple[str, ...]:
    """A corner of a range, by what varies in it."""
    shown = {name: share(x) if name == "prevalence" else number(x) for name, x in reversed(at.items())}
    return tuple(
        choose("corner", {"varies": name, "value": value, "positive": facts["positive"]})
        for name, value in shown.items()
    )


def _first(names: list[str]) -> list[str | Clause]:
    """The first names of a list."""
    return [*names[:_MOST], *[Clause("answer.more", n=len(names) - _MOST)] * (len(names) > _MOST)]


def baselines(facts: Facts) -> Rows:
    """The best rule beside the baselines: the head of a table, and its rows."""
    point, limits = facts["chosen"], {"limit_count": limit_count(facts)}
    broken = tell("answer.baseline.breaks", **limits)
    cost = point["expected_cost"]
    head = ["rule", "flagged", tell("report.caught"), tell("report.wrongly flagged")]
    head += [] if cost is None else [tell("report.cost"), tell("report.saves")]
    rows = []
    named = [(_named(facts, row), row["point"], row["breaks"]) for row in facts["baselines"]]
    for name, at, breaking in [(tell("report.best rule"), point, False), *named]:
        if at is None:
            continue
        cells = [percent(at[key]) for key in ("positive_rate", "tpr", "fpr")]
        if cost is not None:
            less = "" if at is point else saved(cost, at["expected_cost"])
            cells += [
                number(at["expected_cost"]),
                broken if breaking else less,
            ]
        elif breaking:
            name = tell("answer.baseline.broken", rule=name, **limits)
        rows.append([name, *cells])
    return head, rows


def classes(facts: Facts) -> tuple[str, str]:
    """Names of positive and negative cases."""
    positive = facts["positive"]
    return positive, "negative" if positive == "positive" else tell("report.not", positive=positive)
