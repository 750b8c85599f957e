"""The answer in one sentence, and what it is compared with: shared by the HTML page and the terminal.

``report_compare.js`` is its twin, which lives with the condition.
"""

from __future__ import annotations

from typing import Any

from rochull.conditions.rules import Rule
from rochull.report.wording import Rows, count, isolated, number, percent

Facts = dict[str, Any]

# The four outcomes in words; the page has a colour for each (o-tp, ... of report.css).
OUTCOMES = {"tp": "caught", "fn": "missed", "fp": "false alarms", "tn": "correctly passed"}


def verdict(facts: Facts) -> str | None:
    """What is flagged, by which rule, what that costs, and against what; None without a best point."""
    point = facts["chosen"]
    if point is None:
        return _of_review(facts) if facts["review"] else _of_range(facts)
    text, positive = flagging(facts["positive"], point), isolated(facts["positive"])
    if facts["condition"]["slope"] is not None:
        cost = point["expected_cost"]
        against = [f"{compared(cost, row['point']['expected_cost'])} {_named(row)}" for row in _shown(facts)]
        return f"{text}. Expected cost {number(cost)} per case: {', '.join(against)}."
    text += (
        f". That catches {percent(point['tpr'])} of the {positive} cases and wrongly flags "
        f"{percent(point['fpr'])} of the others"
    )
    other = _in_use(facts, point)
    if other is None:
        return f"{text}."
    at = other["point"]
    return f"{text}; {_named(other)} catches {percent(at['tpr'])} and wrongly flags {percent(at['fpr'])}."


def _of_range(facts: Facts) -> str | None:
    """The rule that risks least over a range; None without one."""
    if facts["robust"] is None:
        return None
    row, measure = facts["robust"]["rows"][not facts["mixtures"]], facts["robust"]["measure"]
    if row["rules"] is None:
        return "No single rule can do that"
    text, worst = flagging(facts["positive"], row), row["worst"]
    if isinstance(worst, str):  # the limit cannot be kept throughout
        return f"{text}: the rule that risks least over the range."
    ways = {"true positive rate": "lower", "false positive rate": "higher"}
    if measure in ways:
        by = f"{number(100 * worst)} percentage points {ways[measure]}"
        most = f"Its {measure} is at most {by} than that of the best rule"
    else:
        most = f"Its {measure} is at most {number(worst)} from that of the best rule"
    return f"{text}. {most}, whatever the true numbers in the range."


def _of_review(facts: Facts) -> str:
    found = facts["review"]
    rule = found["rule"][:1].upper() + found["rule"][1:]
    share, cost = percent(found["review_rate"]), number(found["expected_cost"])
    return f"{rule}. {share} of the cases are reviewed; expected cost {cost} per case."


def flagging(positive: str, point: Facts) -> str:
    """The rule as an order."""
    parts, positive = point["rules"], isolated(positive)
    alone = Rule.from_dict(parts[0]["rule"]).constant if len(parts) == 1 else None
    if alone is not None:
        return f"Flag {'every' if alone else 'no'} case as {positive}"
    said = " or ".join(
        _when(part["rule"]) + f" ({percent(part['probability'])} of the time)" * (len(parts) > 1)
        for part in parts
    )
    return f"Flag a case as {positive} when {said}"


def _when(rule: Facts) -> str:
    if rule["kind"] != "threshold":
        return str(rule["kind"])
    sign = "≤" if rule.get("lower_is_positive") else "≥"
    return f"{isolated(rule['classifier'])} {sign} {number(rule['threshold'])}"


def compared(cost: float, other: float) -> str:
    """How much less, or more, than another cost."""
    share = 1 - cost / other if other else 0.0 if not cost else -1.0
    if abs(share) < 0.005:  # which would be told as 0 %
        return "as much as"
    return f"{100 * abs(share):.0f} % {'less' if share > 0 else 'more'} than"


def _named(row: Facts) -> str:
    """A baseline in words."""
    if row["kind"] in ("never", "always"):
        return "flagging none" if row["kind"] == "never" else "flagging all"
    return f"{isolated(row['classifier'])} {'at 0.5' if row['kind'] == 'half' else 'at its best'}"


def _shown(facts: Facts) -> list[Facts]:
    """The cheapest classifier as it is used, then the two that need none."""
    never, always, *rows = facts["baselines"]
    usable = [row for row in rows if row["point"] is not None]
    usual = [row for row in usable if row["kind"] == "half"] or usable
    return [*sorted(usual, key=lambda row: row["point"]["expected_cost"])[:1], always, never]


def _in_use(facts: Facts, point: Facts) -> Facts | None:
    """A classifier at 0.5: one of the rule's, if there is one."""
    usual = [row for row in facts["baselines"] if row["kind"] == "half"]
    own = {part["rule"]["classifier"] for part in point["rules"]}
    return next((row for row in usual if row["classifier"] in own), usual[0] if usual else None)


def baselines(facts: Facts) -> Rows:
    """The best rule beside the baselines: the head of a table, and its rows."""
    point = facts["chosen"]
    cost = point["expected_cost"]
    head = ["rule", "flagged", "caught", "false alarms"]
    head += [] if cost is None else ["cost per case", "the best rule costs"]
    rows = []
    for name, at in [("the best rule", point), *((_named(row), row["point"]) for row in facts["baselines"])]:
        if at is None:
            continue
        cells = [percent(at[key]) for key in ("positive_rate", "tpr", "fpr")]
        if cost is not None:
            less = "" if at is point else compared(cost, at["expected_cost"]).removesuffix(" than")
            cells += [number(at["expected_cost"]), less]
        rows.append([name, *cells])
    return head, rows


def classes(facts: Facts) -> tuple[str, str]:
    """What positive and negative cases are called."""
    positive = facts["positive"]
    return positive, "negative" if positive == "positive" else f"not {positive}"


def about(facts: Facts) -> str | None:
    """What is said of the data."""
    given = dict(facts["about"] or {})
    given.pop("rochull", None)
    said = [given.pop("about", None)]
    said += [
        f"{name} {isolated(str(given[name]))}"
        for name in ("table", "label", "positive", "date")
        if name in given
    ]
    known = [text for text in said if text]
    return " · ".join(known) or None


_IN_SAMPLE = "In-sample: the thresholds were chosen and measured on the same data"


def flattered() -> str:
    """That the data flatter any rule that they chose."""
    return f"{_IN_SAMPLE}. Expect somewhat worse results on new cases."


def in_sample(facts: Facts) -> str:
    """That the data flatter the rule, and by how much where that is known."""
    sure = facts["uncertainty"]
    kept = sure and sure["bootstrap"] and sure["bootstrap"]["optimism"]
    if not kept or kept["optimism"] <= 0:
        return flattered()
    rates = {"fpr": "a false positive rate", "tpr": "a true positive rate"}
    rate = kept["measure"] in rates
    new, here = (percent(kept[key]) if rate else number(kept[key]) for key in ("corrected", "apparent"))
    what = rates.get(kept["measure"], f"a {kept['measure']}".replace("a expected cost", "a cost per case"))
    return f"{_IN_SAMPLE}. On new cases expect {what} of about {new}, not {here}."


def examined(facts: Facts) -> str:
    """How many rows there are."""
    found = facts["examples"]
    if found is None:
        return "Made from given rates, without examples"
    total = found["positives"] + found["negatives"]
    unit = "total weight" if found["weighted"] else "rows"
    return f"{count(total)} {unit}, {percent(found['prevalence'])} {isolated(facts['positive'])}"
