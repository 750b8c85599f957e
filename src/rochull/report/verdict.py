"""The answer in one sentence, and what it is compared with: shared by the HTML page and the terminal.

``report_compare.js`` is its twin, which lives with the condition.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

from rochull.conditions.rules import ALWAYS, NEVER, Rule
from rochull.report.dominance_wording import FEW
from rochull.report.review_order import reviewing
from rochull.report.review_price import further, ranges
from rochull.report.wording import (
    NORMAL,
    Rows,
    isolated,
    number,
    percent,
    rules,
    share,
    unit_of,
    with_ends,
)

Facts = dict[str, Any]

# The four outcomes in words; the page has a colour for each (o-tp, ... of report.css).
OUTCOMES = {"tp": "caught", "fn": "missed", "fp": "false alarms", "tn": "correctly passed"}


def verdict(facts: Facts) -> str | None:
    """What is flagged, by which rule, what that costs, and against what; None without a best point."""
    point = facts["chosen"]
    if point is None:
        return _of_review(facts) if facts["review"] else _of_range(facts)
    point, drawn = _lead(facts["deterministic"], point)
    text = flagging(facts["positive"], point)
    if facts["condition"]["slope"] is not None:
        return _under_costs(facts, text, point) + _drawn(drawn, "costs {} per case")
    flags, positive = point["positive_rate"], isolated(facts["positive"])
    text += ". By the past cases that "
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
        text += f", which breaks the {_limits(facts)}" * bool(other["breaks"])
    return f"{text}.{_drawn(drawn)}"


def _lead(single: Facts | None, point: Facts) -> tuple[Facts, Facts | None]:
    """One threshold, which is told first, and the better rule that draws cases; without one the best rule."""
    if single is None or single["rules"] in (None, point["rules"]) or isinstance(single.get("worst"), str):
        return point, None
    return single, point


def _drawn(point: Facts | None, does: str = "") -> str:
    """The rule that draws cases at random, and what it `does`, where another one is told first."""
    if point is None:
        return ""
    told = does.format(number(point["expected_cost"])) if does else _rates(point)
    return f" {DRAWN}: {rules(point)}, which {told}."


DRAWN = "A rule that draws some cases at random does better, and the figures below are of that one"


def _under_costs(facts: Facts, text: str, point: Facts) -> str:
    """What one rule does and costs, and what others cost."""
    idle, (cost, told) = _idle(facts, point), _expected(facts, point)
    # What is told of new cases is not set beside a cost of those that chose its rule.
    own = ["best"] if facts["need"] else []
    rows = [row for row in _shown(facts, point["rules"]) if row is not idle and row["kind"] not in own]
    against = [
        f"{compared(cost, row['point']['expected_cost'])} {_named(facts, row)}{_alike(facts, row, cost)}"
        + f" (which breaks the {_limits(facts)})" * bool(row["breaks"])
        for row in rows
    ]
    does = ""
    if idle is not None:
        text = f"No rule is needed: {_named(facts, idle)} costs as little"
    elif 0 < point["positive_rate"] < 1:
        does = f"flags {percent(point['positive_rate'])} of the cases, catches "
        does += f"{percent(point['tpr'])} of the {isolated(facts['positive'])} ones and "
    beside = f": {', '.join(against)}" if against else ""
    return f"{text}. By the past cases that {does}{told}{beside}."


def _rates(at: Facts) -> str:
    """What another rule does."""
    flags = at.get("positive_rate")
    text = f"flags {percent(flags)}, " * (flags is not None)
    return f"{text}catches {percent(at['tpr'])} and wrongly flags {percent(at['fpr'])}"


def _expected(facts: Facts, point: Facts) -> tuple[float, str]:
    """What a case costs, and how it is told: of cases that did not choose the rule, where that is known."""
    cost, need = point["expected_cost"], facts["need"]
    told = f"costs {number(cost)} per case"
    if not need:
        return cost, told
    about, low, high = with_ends(need["hybrid"], need["hybrid_error"])
    told += f"; on new cases expect about {about} (95 %: {low} to {high}, cross-validated)"
    return need["hybrid"], told


def _negatives(positive: str) -> str:
    """What all other cases are called."""
    return "negative cases" if positive == "positive" else f"cases that are not {positive}"


def _limits(facts: Facts) -> str:
    """What a rule may break: the limit, or one of several."""
    return "limits" if facts["condition"]["n_limits"] > 1 else "limit"


def _idle(facts: Facts, point: Facts) -> Facts | None:
    """Flagging nobody or everybody, if that costs as little as the rule, so that none is needed."""
    cost, ends = point["expected_cost"], [row for row in facts["baselines"][:2] if not row["breaks"]]
    kinds = [part["rule"]["kind"] for part in point["rules"]]
    cheap = (row for row in ends if row["point"]["expected_cost"] - cost <= 1e-12 * cost)
    return next((row for row in cheap if row["kind"] not in kinds), None)


def _alike(facts: Facts, row: Facts, cost: float) -> str:
    """That a baseline's cost cannot be told from the rule's: of cases that did not choose it, if known."""
    other, need, apart = row["point"]["expected_cost"], facts["need"], row["told_apart"]
    if need and row["kind"] != "best":
        own = (
            each["error"]
            for each in need["fixed"]
            if (each["classifier"], each["threshold"]) == (row["classifier"], 0.5)
        )
        apart = abs(other - cost) > NORMAL * next(own, need["hybrid_error"])
    return " (not told apart on these data)" * (apart is False and compared(cost, other) != "as much as")


_HALF = " 0.5 is a common threshold, not chosen for your goal."


def meaning(facts: Facts) -> str | None:
    """What the sentence's words mean, and what its costs are counted in; None without a condition."""
    asked = facts["condition"] or facts["review"]
    if asked is None:
        return None
    positive = isolated(facts["positive"])
    scores = _scores(facts)
    negative = "negative" if positive == "positive" else f"not {positive}"
    named = f". Positives are the {positive} cases, negatives all others."
    sought = ", the class that is looked for." if positive == "positive" else named
    text = f"{scores}To flag a case is to treat it as {positive}{sought}"
    given, halves = asked["parameters"], any(row["kind"] == "half" for row in facts["baselines"])
    usual = _HALF * (halves and not facts["review"])
    if "cost_fn" not in given:
        return (
            f"{text} A false alarm is {negative}, but flagged; a miss is {positive}, but not flagged.{usual}"
        )
    fp, fn = _ends(given["cost_fp"]), _ends(given["cost_fn"])
    costs = f"A false alarm ({negative}, but flagged) costs {fp}, "
    costs += f"a miss ({positive}, but not flagged) {fn}, "
    if facts["review"]:
        text += " To review a case is to have a person decide it."
        costs += f"a review {_ends(given['cost_review'])}, "
    return f"{text} {costs}a correct decision nothing. {unit_of(given['cost_fp'])}{usual}"


def _scores(facts: Facts) -> str:
    """That the names in the rule are scores, and which way they point."""
    found = facts["chosen"] or facts["review"] or _robust_row(facts)
    parts = [part[end] for part in found["rules"] or [] for end in ("rule", "high", "low") if end in part]
    lower = {each["classifier"]: bool(each.get("lower_is_positive")) for each in parts if each["classifier"]}
    if not lower:
        return ""
    text = f"{_and([*map(isolated, lower)])} {'are scores' if len(lower) > 1 else 'is a score'}"
    if len(set(lower.values())) == 1:
        way = "lower" if any(lower.values()) else "higher"
        text += f": the {way}, the more likely a case is {isolated(facts['positive'])}"
    return f"{text}. "


def _ends(cost: Any) -> str:
    """A cost, or the ends of its range."""
    return " to ".join(map(number, cost)) if isinstance(cost, list) else number(cost)


def limit_note(facts: dict[str, Any]) -> str | None:
    """What is to be known of a limit that is kept on these data; None without one."""
    asked, point, examples = facts["condition"], facts["chosen"], facts["examples"]
    if asked is None or not asked["n_limits"] or not (point or _robust_rule(facts)):
        return None
    kept = "The limits are" if asked["n_limits"] > 1 else "The limit is"
    sure = asked["parameters"].get("confidence")
    if sure is not None:
        also = "they also hold" if asked["n_limits"] > 1 else "it also holds"
        long = "in the long run on new cases of the same kind"
        return f"{kept} kept with a margin: with a confidence of {share(sure)}, {also} {long}."
    if not asked["limited"]:
        change, them = ("limits change", "them") if asked["n_limits"] > 1 else ("limit changes", "it")
        return (
            f"The {change} nothing here: the rule of least cost keeps {them} anyway, on the past cases of "
            "this report."
        )
    where = _where_kept(facts)
    text = (
        f"{kept} kept {where}, with no margin: on new cases, a rate that is just at "
        "its limit here is at least as likely to be beyond it as within it. For a margin, ask for a report "
        "with a confidence (confidence=0.95 in Python, --confidence 0.95 on the command line)."
    )
    if point and asked["kind"] == "MinimumPrecision" and examples is not None and not examples["weighted"]:
        cases = round(point["fpr"] * examples["negatives"] + point["tpr"] * examples["positives"])
        if cases < FEW:
            text += f" Few cases: only {cases} of those measured {'is' if cases == 1 else 'are'} flagged."
    return text


def _where_kept(facts: Facts) -> str:
    """On which cases a limit is kept: one that depends on the prevalence may be so at another one only."""
    asked, examples = facts["condition"], facts["examples"]
    at = asked["parameters"].get("prevalence")
    past = examples and examples["prevalence"]
    if asked["kind"] not in ("Capacity", "MinimumPrecision") or not isinstance(at, float) or at == past:
        return "on the past cases of this report"
    some = share(float(f"{at:.4g}"))
    return f"if {some} of the cases are {isolated(facts['positive'])}, by the rates of the past cases"


def _robust_rule(facts: Facts) -> Facts | None:
    """The row of the rule that risks least over a range, if one keeps all limits throughout."""
    row = facts["robust"] and _robust_row(facts)
    return row if row and row["rules"] and not isinstance(row["worst"], str) else None


def _robust_row(facts: Facts) -> Facts:
    """The row of the rule for a range, or of the one threshold if no mixture is allowed."""
    row: Facts = facts["robust"]["rows"][not facts["mixtures"]]
    return row


def _of_range(facts: Facts) -> str | None:
    """The rule that risks least over a range; None without one."""
    if facts["robust"] is None:
        return None
    row, measure = _robust_row(facts), facts["robust"]["measure"]
    if row["rules"] is None:
        limits = _limits(facts)
        return f"No single threshold keeps the {limits}; a mixture of two does: leave out --deterministic."
    if isinstance(row["worst"], str):  # the limit cannot be kept throughout
        return f"{flagging(facts['positive'], row)}: the rule that risks least over the range."
    row, drawn = _lead(facts["robust"]["rows"][1], row)
    text, by, ends = flagging(facts["positive"], row), _worse(measure, row["worst"]), _ends_of_range(facts)
    within = f" within the {_limits(facts)}" * bool(facts["condition"]["n_limits"])
    best = f"than that of the rule{within} that you would choose if you knew the true numbers"
    most = f"Its {measure} is at most {by} {best}"
    if ends:
        costs = sorted(_cost(row["fpr"], row["tpr"], corner) for corner in product(*ends))
        told = " to ".join(dict.fromkeys(map(number, (costs[0], costs[-1]))))
        against = ", ".join(_over_range(facts, row, ends))
        most = f"Expected cost {told} per case over the range{f': {against}' if against else ''}. "
        most += f"Whatever the true numbers in the range are, that is on these data at most {by} {best}"
    other = f" {DRAWN}: {rules(drawn)}, at most {_worse(measure, drawn['worst'])}." if drawn else ""
    return f"{text}. {most}.{other}"


def _worse(measure: str, loss: float) -> str:
    """A loss, with the way in which it is one."""
    ways = {"true positive rate": "lower", "false positive rate": "higher"}
    if measure in ways:
        return f"{number(100 * loss)} percentage points {ways[measure]}"
    return f"{number(loss)} {'more' if 'cost' in measure else 'worse'}"


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
    """What a rule saves as a share of another's cost, at each corner of a range."""
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
    return f"{percent(found['review_rate'])} of the cases are reviewed, by reviewers who are taken to {who}"


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


def compared(cost: float, other: float) -> str:
    """How much less, or more, than another cost."""
    share = 1 - cost / other if other else 0.0 if not cost else -math.inf
    if abs(share) < 0.005:  # which would be told as 0 %
        return "as much as"
    if share == -math.inf:  # than nothing
        return "more than"
    if 0.995 <= share < 1:
        return ">99 % less than"
    return f"{100 * abs(share):,.0f} % {'less' if share > 0 else 'more'} than"


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
    within = f" within the {_limits(facts)}" * bool(asked and asked["n_limits"])
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
    chosen, ends = facts["robust"] and facts["robust"]["rows"][0], _ends_of_range(facts)
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
    return _and([*names[:_MOST], *[f"{len(names) - _MOST} more"] * (len(names) > _MOST)])


def _and(texts: list[str]) -> str:
    *first, last = texts
    return f"{', '.join(first)} and {last}" if first else last


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
            cells += [number(at["expected_cost"]), f"breaks the {_limits(facts)}" if breaking else less]
        elif breaking:
            name = f"{name} (breaks the {_limits(facts)})"
        rows.append([name, *cells])
    return head, rows


def classes(facts: Facts) -> tuple[str, str]:
    """What positive and negative cases are called."""
    positive = facts["positive"]
    return positive, "negative" if positive == "positive" else f"not {positive}"
