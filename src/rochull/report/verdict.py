"""The answer in one sentence, and what it is compared with: shared by the HTML page and the terminal.

``report_compare.js`` is its twin, which lives with the condition.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

from rochull.conditions.rules import ALWAYS, NEVER, Rule
from rochull.report.review_order import reviewing
from rochull.report.review_price import further, ranges
from rochull.report.wording import (
    NORMAL,
    RATES,
    Rows,
    isolated,
    joined,
    measure_name,
    number,
    percent,
    rules,
    share,
    with_ends,
)

Facts = dict[str, Any]

# The four outcomes in words; the page has a colour for each (o-tp, ... of report.css).
OUTCOMES = {"tp": "caught", "fn": "missed", "fp": "false alarms", "tn": "correctly passed"}


def verdict(facts: Facts) -> str | None:
    """State what is flagged, by which rule, its cost, and that of others; None without a best point."""
    point = facts["chosen"]
    if point is None:
        return _of_review(facts) if facts["review"] else _of_range(facts)
    point, drawn = _lead(facts["deterministic"], point)
    text = flagging(facts["positive"], point)
    if facts["condition"]["slope"] is not None:
        return _under_costs(facts, text, point) + _drawn(point, drawn, "costs {} per case")
    flags, positive = point["positive_rate"], isolated(facts["positive"])
    text += f". {_measured(facts, point)} "
    text += f"flags {percent(flags)} of the cases, catches" if flags is not None else "catches"
    text += (
        f" {percent(point['tpr'])} of the {positive} cases and wrongly flags "
        f"{percent(point['fpr'])} of the {_negatives(positive)}"
    )
    if point["precision"] is not None:
        text += f" ({percent(point['precision'])} of the flagged cases are {positive})"
    other = _in_use(facts, point)
    if other is not None:
        at = other["point"]
        text += f"; {_named(facts, other)} {_rates(at)}"
        text += f", which breaks the {limits(facts)}" * bool(other["breaks"])
    return f"{text}.{_drawn(point, drawn)}"


def _lead(single: Facts | None, point: Facts) -> tuple[Facts, Facts | None]:
    """Return the single rule, which is named first, and the better rule that draws cases, if there is one."""
    if single is None or single["rules"] in (None, point["rules"]) or isinstance(single.get("worst"), str):
        return point, None
    return single, point


def _drawn(single: Facts, point: Facts | None, does: str = "") -> str:
    """Describe the rule that draws cases at random, and what it `does`, if the single one is named first."""
    if point is None:
        return ""
    if does:
        told, gain = does.format(number(point["expected_cost"])), _gain(single, point, "expected_cost")
    else:
        told, gain = _rates(point), max(abs(point[key] - single[key]) for key in ("fpr", "tpr"))
    return f" {_draws(gain)}: {rules(point)}, which {told}."


def _gain(single: Facts, point: Facts, key: str) -> float:
    """By which share a cost is lower if cases are drawn."""
    return 1 - point[key] / single[key] if single[key] else 0.0


def _draws(gain: float) -> str:
    better = "hardly better" if gain < _HARDLY else "better"
    return f"A rule that draws some cases at random does {better}, and the figures below are of that one"


_HARDLY = 0.01  # of a cost, or of a class


def _under_costs(facts: Facts, text: str, point: Facts) -> str:
    """State what one rule does and costs, and what others cost."""
    idle, (cost, told) = _idle(facts, point), _expected(facts, point)
    # A cost on new cases is not compared with a cost on the cases that chose the rule.
    own = ["best"] if facts["need"] else []
    rows = [row for row in _shown(facts, point["rules"]) if row is not idle and row["kind"] not in own]
    against = [
        f"{compared(cost, row['point']['expected_cost'])} {_named(facts, row)}{_alike(facts, row, cost)}"
        + f" (which breaks the {limits(facts)})" * bool(row["breaks"])
        for row in rows
    ]
    does = ""
    if idle is not None:
        text = f"No rule is needed: {_named(facts, idle)} costs as little"
    elif 0 < point["positive_rate"] < 1:
        does = f"flags {percent(point['positive_rate'])} of the cases, catches "
        does += f"{percent(point['tpr'])} of the {isolated(facts['positive'])} ones and "
    beside = f"{', which is ' if facts['need'] else ': '}{', '.join(against)}" if against else ""
    return f"{text}. {_measured(facts, point)} {does}{told}{beside}."


def _measured(facts: Facts, point: Facts) -> str:
    """State which cases shares and costs are of: the past ones, or some with another share of positives."""
    table = point["confusion"]
    return f"{at_another_prevalence(facts, table and table['prevalence']) or 'By the past cases '}that"


def at_another_prevalence(facts: Facts, at: Any) -> str:
    """State that figures are for another prevalence than that of the past cases; empty if they are not."""
    past = facts["examples"] and facts["examples"]["prevalence"]
    if past is None or not isinstance(at, float) or f"{at:.4g}" == f"{past:.4g}":
        return ""
    some = share(float(f"{at:.4g}"))
    return f"If {some} of the cases are {isolated(facts['positive'])} (of the past ones {percent(past)}), "


def _rates(at: Facts) -> str:
    """State the rates of another rule."""
    flags = at.get("positive_rate")
    text = f"flags {percent(flags)}, " * (flags is not None)
    return f"{text}catches {percent(at['tpr'])} and wrongly flags {percent(at['fpr'])}"


def _expected(facts: Facts, point: Facts) -> tuple[float, str]:
    """Return a case's cost, and words for it: on cases that did not choose the rule, if that is known."""
    cost, need = point["expected_cost"], facts["need"]
    told = f"costs {number(cost)} per case"
    if not need:
        return cost, told
    about, low, high = with_ends(need["hybrid"], need["hybrid_error"])
    told += f"; on new cases about {about} (95 %: {low} to {high}, cross-validated)"
    return need["hybrid"], told


def _negatives(positive: str) -> str:
    """Name all other cases."""
    return "negative cases" if positive == "positive" else f"cases that are not {positive}"


def limits(facts: Facts) -> str:
    """Name what a rule may break: the limit, or one of several."""
    return "limits" if facts["condition"]["n_limits"] > 1 else "limit"


def _idle(facts: Facts, point: Facts) -> Facts | None:
    """Flagging nobody or everybody, if that costs as little as the rule, so that none is needed."""
    kinds = [part["rule"]["kind"] for part in point["rules"]]
    cheap = (row for row in facts["baselines"][:2] if row["as_cheap"] and not row["breaks"])
    return next((row for row in cheap if row["kind"] not in kinds), None)


def _alike(facts: Facts, row: Facts, cost: float) -> str:
    """Say if the data do not tell a baseline's cost apart from the rule's, on held-out cases if known."""
    other, need, apart = row["point"]["expected_cost"], facts["need"], row["told_apart"]
    if need and row["kind"] != "best":
        own = (
            each["error"]
            for each in need["rivals"]
            if (each["classifier"], each["threshold"]) == (row["classifier"], 0.5)
        )
        apart = abs(other - cost) > NORMAL * next(own, need["hybrid_error"])
    return " (not told apart on these data)" * (apart is False and not as_much(cost, other))


def robust_rule(facts: Facts) -> Facts | None:
    """The row of the rule that risks least over a range, if one keeps all limits throughout."""
    row = facts["robust"] and robust_row(facts)
    return row if row and row["rules"] and not isinstance(row["worst"], str) else None


def robust_row(facts: Facts) -> Facts:
    """The row of the rule for a range, or of the one threshold if no mixture is allowed."""
    row: Facts = facts["robust"]["rows"][not facts["mixtures"]]
    return row


def _of_range(facts: Facts) -> str | None:
    """The rule that risks least over a range; None without one."""
    if facts["robust"] is None:
        return None
    row, measure = robust_row(facts), facts["robust"]["measure"]
    if row["rules"] is None:
        mixed = "a mixture of two does: leave out deterministic=True (--deterministic)"
        return f"No single threshold keeps the {limits(facts)}; {mixed}."
    if isinstance(row["worst"], str):  # the limit cannot be kept throughout
        return f"{flagging(facts['positive'], row)}: the rule that risks least over the range."
    row, drawn = _lead(facts["robust"]["rows"][1], row)
    text, by, ends = flagging(facts["positive"], row), _worse(measure, row["worst"]), _ends_of_range(facts)
    within = f" within the {limits(facts)}" * bool(facts["condition"]["n_limits"])
    most = f"Its {measure_name(measure)} is at most {by} than that of the rule{within} that you would choose "
    most += "if you knew the true numbers"
    if ends:
        costs = sorted(_cost(row["fpr"], row["tpr"], corner) for corner in product(*ends))
        told = " to ".join(dict.fromkeys(map(number, (costs[0], costs[-1]))))
        against = ", ".join(_over_range(facts, row, ends))
        most = f"Expected cost {told} per case over the range{f': {against}' if against else ''}. "
        most += (
            f"Whatever the true numbers in the range are, the best rule{within} for them would cost at most "
        )
        most += f"{number(row['worst'])} less per case, on these data"
    other = ""
    if drawn:
        told = f"{rules(drawn)}, at most {_worse(measure, drawn['worst'])}"
        other = f" {_draws(_gain(row, drawn, 'worst'))}: {told}."
    return f"{text}. {most}.{other}"


def _worse(measure: str, loss: float) -> str:
    """A loss, with the way in which it is one."""
    if measure in RATES:
        return f"{number(100 * loss)} percentage points {'lower' if measure == 'tpr' else 'higher'}"
    return f"{number(loss)} {'more' if measure == 'expected cost' else 'worse'}"


def _over_range(facts: Facts, row: Facts, ends: list[list[float]]) -> list[str]:
    """How much less, or more, the rule for a range costs than a score at 0.5, and all or none flagged."""
    never, always, *others = facts["baselines"]
    own = {part["rule"]["classifier"] for part in row["rules"]}
    half = [each for each in others if each["kind"] == "half" and not _is_half(each, row)]
    usual = [each for each in half if each["classifier"] in own] or half
    found = []
    for each in (*usual[:1], always, never):
        if each["breaks"]:
            continue
        shares = [share for share, _ in _savings(row, _counted(facts, each), ends)]
        if min(shares) > -math.inf:
            found.append(f"{_between(min(shares), max(shares))} {_named(facts, each)}")
    return found


def _is_half(baseline: Facts, row: Facts) -> bool:
    """Whether the rule of a row is that of the baseline, a classifier at 0.5."""
    (first, *more), name = row["rules"], baseline["classifier"]
    return not more and first["rule"]["classifier"] == name and float(first["rule"]["threshold"]) == 0.5


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


def _between(least: float, most: float) -> str:
    """From the least to the most that is saved."""
    low, high = (saved(1 - abs(each), 1.0) for each in (least, most))
    if least <= -0.005:
        if most >= 0.005:
            return f"from {low} more to {high} less than"
        return f"{high} to {low} more than" if low != high else f"{low} more than"
    return f"{low} to {high} less than" if low != high else f"{low} less than"


def _of_review(facts: Facts) -> str:
    found, cost = facts["review"], number(facts["review"]["expected_cost"])
    text = f"{reviewing(facts)}. {_reviewed(facts)}. Expected cost {cost} per case"
    if found["review_rate"] > 0:
        text += ", reviews included"
    if ranges(found["parameters"]):
        text += ", in the middle of the ranges"
    return f"{': '.join(filter(None, (text, _saved_by_reviews(found))))}.{further(found)}"


def _reviewed(facts: Facts) -> str:
    """How many cases are reviewed, and how well."""
    found = facts["review"]
    if not found["review_rate"]:
        none = found["parameters"].get("max_share") == 0
        return "No case is reviewed" if none else "No review is worth its cost"
    who = "make no mistakes"
    if "reviewer" in found["parameters"]:
        false, true = map(share, found["parameters"]["reviewer"])
        positive = isolated(facts["positive"])
        who = f"catch {true} of the {positive} cases and wrongly flag {false} of the {_negatives(positive)}"
    reviewed = (
        f"{percent(found['review_rate'])} of the cases are reviewed, by reviewers who are taken to {who}"
    )
    return f"{at_another_prevalence(facts, found['parameters'].get('prevalence'))}{reviewed}"


def _saved_by_reviews(found: Facts) -> str:
    """Against no reviews, unless these may break a limit on errors, and against reviewing all."""
    costs, cost, given = found["frontier"]["cost"], found["expected_cost"], found["parameters"]
    against = []
    if found["review_rate"] > 0 and "max_error" not in given:
        against.append(f"{compared(cost, costs[0])} without reviews")
    if found["review_rate"] < 1:
        breaks = " (which breaks the limit)" * (given.get("max_share", 1) < 1)
        against.append(f"{compared(cost, costs[-1])} reviewing all{breaks}")
    return ", ".join(against)


def flagging(positive: str, point: Facts) -> str:
    """The rule as an order."""
    parts, positive = point["rules"], isolated(positive)
    made = [Rule.from_dict(part["rule"]) for part in parts]
    if len(made) == 1 and made[0].constant is not None:
        return f"Flag {'every' if made[0].constant else 'no'} case as {positive}"
    if made == [NEVER, ALWAYS]:
        return f"Flag {percent(parts[1]['probability'])} of the cases as {positive}, drawn at random"
    if len(made) == 2 and made[0] == NEVER:
        return f"Flag {rules(point)} as {positive}"
    return f"Flag a case as {positive} when {rules(point)}"


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


def _shown(facts: Facts, own: list[Facts]) -> list[Facts]:
    """The cheapest classifier as it is used, then the two that need none; not the rule itself."""
    never, always, *rows = facts["baselines"]
    usable = [row for row in rows if row["point"] is not None and row["point"]["rules"] != own]
    usual = [row for row in usable if row["kind"] == "half"] or usable
    cheapest = sorted(usual, key=lambda row: row["point"]["expected_cost"])[:1]
    return [*cheapest, *(row for row in (always, never) if row["point"]["rules"] != own)]


def _in_use(facts: Facts, point: Facts) -> Facts | None:
    """A classifier at 0.5: one of the rule's, if there is one; not the rule itself."""
    usual = [
        row for row in facts["baselines"] if row["kind"] == "half" and row["point"]["rules"] != point["rules"]
    ]
    own = {part["rule"]["classifier"] for part in point["rules"]}
    return next((row for row in usual if row["classifier"] in own), usual[0] if usual else None)


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
