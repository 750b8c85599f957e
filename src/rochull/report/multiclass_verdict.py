"""The answer of a report on several classes in words: which class a case is called, and what that costs.

``multiclass_compare.js`` is the twin of :func:`verdict`, which lives with the rule that is seen.
"""

from __future__ import annotations

from statistics import mode
from typing import Any

from rochull.report.multiclass_derived import (
    are_costs,
    best_alone,
    is_short,
    keeps_limits,
    moved,
    priors_of,
    sure_saving,
    total,
)
from rochull.report.verdict import compared
from rochull.report.wording import count, isolated, joined, number, percent, share

Facts = dict[str, Any]
PRECISION = "share of the past cases called a class that are of it"
MOST = 6  # weights, or costs, that a sentence can hold
TOLD = 3  # classes whose errors limits make larger


def headline(facts: Facts) -> str:
    """State how a case is called, what that costs, and what the unweighted outputs and one class would."""
    chosen, rows, names = facts["chosen"], rivals(facts), class_names(facts)
    priced = facts["objective"]["kind"] == "expected_cost"
    told = f"{_measure(facts)} is {value_of(facts, chosen['value'])}{' per case' * priced}"
    told = f"{_broken(facts)}{order(facts)} By the past cases {told}"
    if priced and are_costs(facts, rows):
        sure = [sure_saving(facts, row)[1] for row in rows]
        first = next((i for i, ends in enumerate(sure) if ends), 0)
        texts = (
            _saved(facts, row, _ends("first" if i == first else "yes", ends))
            for i, (row, ends) in enumerate(zip(rows, sure, strict=True))
        )
        return f"{told}: {', '.join(texts)}.{_price(facts)}"
    against = [f"{value_of(facts, row['value'])} for {_noted(row, names, _kept(facts, row))}" for row in rows]
    return f"{told}, against {joined(against)}.{_price(facts)}"


def _noted(row: Facts, names: list[str], *notes: str) -> str:
    """A baseline, and in brackets what is to be known of it."""
    told = "; ".join(filter(None, notes))
    return f"{baseline_name(row, names)} ({told})" if told else baseline_name(row, names)


def _saved(facts: Facts, row: Facts, sure: Facts) -> str:
    """By how much less the rule costs than a baseline, and how sure that is."""
    costs = facts["chosen"]["value"], row["value"]
    apart = "not told apart on these cases" * (sure_saving(facts, row)[0] == "unsure")
    return f"{compared(*costs, sure)} {_noted(row, class_names(facts), _kept(facts, row), apart)}"


def _price(facts: Facts) -> str:
    """State the price of the limits: which errors are larger than those of the best rule without them."""
    chosen, many = facts["chosen"], len(facts["limits"]) > 1
    if not facts["limits"] or not chosen["feasible"]:
        return ""
    before, after = (facts["points"]["confusion"][chosen[name]] for name in ("unlimited", "index"))
    if before == after:
        change, them = ("limits change", "them") if many else ("limit changes", "it")
        same = (
            f"of the rules tried the best one without {them} is the same, which keeps {them} on these cases"
        )
        return f" The {change} nothing here: {same}."
    risen = _instead(moved(class_names(facts), before, after)[1])
    what = "the share of" if facts["limits"][0]["kind"] == "cell" else "the"
    text = f" To keep {'all limits' if many else f'{what} {_limits(facts)[0]}'},"
    without = f"by the best rule tried without {'them' if many else 'it'}"
    if not risen:
        return f"{text} no error is larger than {without}."
    more = f", and {len(risen) - TOLD} more" * (len(risen) > TOLD)
    return f"{text} errors are larger than {without}: {', '.join(risen[:TOLD])}{more}."


def traded(facts: Facts) -> str:
    """Which errors are smaller than by the largest output, and which larger; empty where it decides alike."""
    first = facts["baselines"][0]
    if first["kind"] != "largest" or is_idle(facts):
        return ""
    seen = facts["points"]["confusion"][facts["chosen"]["index"]]
    told = map(_instead, moved(class_names(facts), first["confusion"], seen))
    return " ".join(
        f"{what} errors than by the largest output: {', '.join(found[:TOLD])}."
        for what, found in zip(("Smaller", "Larger"), told, strict=True)
        if found
    )


def _instead(rows: list[Facts]) -> list[str]:
    """Errors beside those of another rule, where both are not shown alike."""
    told = ((row["name"], percent(row["after"]), percent(row["before"])) for row in rows)
    return [f"{name} {after} instead of {before}" for name, after, before in told if after != before]


def _ends(sure: str, ends: list[float]) -> Facts:
    """The ends of an interval of shares; empty without."""
    return {"sure": sure, "low": f"{ends[0]:,.0f} %", "high": f"{ends[1]:,.0f} %"} if ends else {}


def _measure(facts: Facts) -> str:
    """Name the minimised measure, within a sentence."""
    objective = facts["objective"]
    return f"{'the ' * objective['named']}{objective['text']}"  # a cell is "a called b"


def _broken(facts: Facts) -> str:
    """State that no rule keeps the limits, if none does."""
    k = len(facts["points"]["weights"])
    if facts["chosen"]["feasible"]:
        return ""
    if k == 1:
        return f"Breaking {limits(facts)}: "
    return f"None of {count(k)} rules keeps {limits(facts, 'all')}. The closest: "


def _kept(facts: Facts, row: Facts) -> str:
    """Whether a baseline keeps the limits, if it does not as the rule does."""
    if keeps_limits(row) == facts["chosen"]["feasible"]:
        return ""
    return f"which keeps {limits(facts, 'all')}" if keeps_limits(row) else f"which breaks {limits(facts)}"


def order(facts: Facts) -> str:
    """The chosen rule as an order."""
    feasible = facts["chosen"]["feasible"]
    if is_idle(facts):
        needless = feasible and len(facts["points"]["weights"]) > 1  # compared with other weights
        begin = "No weights are needed: c" if needless else "C" if feasible else "c"
        return f"{begin}all a case the class with the largest output."
    weights = facts["points"]["weights"][facts["chosen"]["index"]]
    told = ", ".join(f"{name} {number(w)}" for name, w in zip(class_names(facts), weights, strict=True))
    by = told if is_short(weights) else "weights below"
    return f"{'C' if feasible else 'c'}all a case the class whose output times its weight is largest ({by})."


def is_idle(facts: Facts) -> bool:
    """Whether the largest output decides as the chosen rule does."""
    first, seen = facts["baselines"][0], facts["points"]["confusion"][facts["chosen"]["index"]]
    return bool(first["kind"] == "largest" and first["confusion"] == seen)


def class_names(facts: Facts) -> list[str]:
    """Names of the classes, isolated so that none changes the direction of the text beside it."""
    return [isolated(c["name"]) for c in facts["classes"]]


def limits(facts: Facts, some: str = "a") -> str:
    """Name the limit that a rule may break, or one of several; with "all", those that it may keep."""
    return "the limit" if len(facts["limits"]) == 1 else f"{some} limit{'s' * (some == 'all')}"


def value_of(facts: Facts, value: float | None) -> str:
    """A value of the objective."""
    if value is None:
        return "not defined"
    return percent(value) if facts["objective"]["share"] else number(value)


def baseline_name(row: Facts, names: list[str]) -> str:
    """A baseline in words."""
    if row["kind"] == "always":
        return f"calling every case {names[row['class']]}"
    return (
        "the largest output without weights"
        if row["kind"] == "largest"
        else "outputs divided by the share of their class"
    )


def rivals(facts: Facts) -> list[Facts]:
    """Baselines without weights, then the best single class; no decisions twice, nor the rule's own."""
    rows = facts["baselines"]
    alone = [row for row in rows if row["kind"] == "always"]
    best = best_alone(alone)
    found: list[Facts] = []
    for row in (row for row in rows if row["kind"] != "always"):
        if all(row["confusion"] != other["confusion"] for other in found):
            found.append(row)
    return [*found[is_idle(facts) :], best]


# --- below the sentence --------------------------------------------------------------------------


def condition_asked(facts: Facts) -> str:
    """The report's condition: what is minimised, costs, how frequent the classes are, and the limits."""
    objective, priors = facts["objective"], facts["priors"]
    if objective["kind"] != "expected_cost":
        return "; ".join([f"{objective['text']} as small as possible", *_limits(facts)])
    frequent = "classes as frequent as in these data"
    if priors is not None:
        told = (f"{name} {share(p)}" for name, p in zip(class_names(facts), priors_of(facts), strict=True))
        frequent = f"shares of the classes: {', '.join(told)}"
    return "; ".join([f"lowest expected cost: {_costs(facts)}", frequent, *_limits(facts)])


def _limits(facts: Facts) -> list[str]:
    names, found = class_names(facts), []
    for limit in facts["limits"]:
        if limit["kind"] == "given":
            found.append(limit["text"])
            continue
        true, called = names[limit["true"]], limit["called"]
        what = f"error of {true}" if called is None else f"{true} called {names[called]}"
        found.append(f"{what} at {'most' if limit['side'] == '<=' else 'least'} {share(limit['limit'])}")
    return found


def _wrong(facts: Facts) -> list[float]:
    return [cost for i, row in enumerate(facts["costs"]) for j, cost in enumerate(row) if i != j]


def _costs(facts: Facts) -> str:
    """State what most errors cost, and what the others do."""
    names, usual = class_names(facts), mode(_wrong(facts))
    text = f"a case that is called another class costs {number(usual)}"
    other = [
        f"{names[i]} called {names[j]} {number(cost)}"
        for i, row in enumerate(facts["costs"])
        for j, cost in enumerate(row)
        if cost != (0 if i == j else usual)
    ]
    if len(other) > MOST:
        return f"{text}, but {len(other)} kinds of decisions cost other amounts, see the table of costs"
    right = "" if any(facts["costs"][i][i] for i in range(len(names))) else ", a right one nothing"
    return f"{text}{right}{f', but {joined(other)}' if other else ''}"


def meaning(facts: Facts) -> str:
    """Explain the sentence's words, and the unit of its costs."""
    text = (
        "To call a case a class is to treat it as one of that class. Outputs are what the classifier says "
        "of a case for each class, such as probabilities. The error of a class is the share of its cases "
        "that are called another class."
    )
    if facts["objective"]["kind"] == "expected_cost":
        one = 1 in _wrong(facts)
        text += f" All costs are in {'units of an error that costs 1' if one else 'the same unit'}."
    usual = " The largest output without weights is what is mostly used, not chosen for your goal."
    return text + usual * bool(facts["baselines"][0]["kind"] == "largest")


def examined(facts: Facts) -> str:
    """How many cases there are, and how many rules were tried on them."""
    amount = number if facts["weighted"] else count
    all_cases = amount(total(facts))
    size = f"past cases of total weight {all_cases}" if facts["weighted"] else f"{all_cases} past cases"
    classes = ", ".join(
        f"{name} ({amount(c['total'])})" for name, c in zip(class_names(facts), facts["classes"], strict=True)
    )
    return f"Measured on {size}: {classes} · {tried(facts)}"


def tried(facts: Facts) -> str:
    """How many rules there are."""
    k = len(facts["points"]["weights"])
    return f"{count(k)} rule{'s' * (k != 1)} tried, each a set of weights"
