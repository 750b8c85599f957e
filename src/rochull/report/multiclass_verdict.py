"""The answer of a report on several classes in words: which class a case is called, and what that costs.

What is true of the chosen rule is found here, and by ``classes/verdict.ts`` of the one that is seen; the
catalogue words it.
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
from rochull.report.wording import choose, count, isolated, number, percent, sentences, share, tell
from rochull.words.clauses import Clause

Facts = dict[str, Any]
PRECISION = tell("answer.classes.precision")
MOST = 6  # costs that a sentence can hold
TOLD = 3  # classes whose errors limits make larger


def headline(facts: Facts) -> str:
    """State how a case is called, what that costs, and what the unweighted outputs and one class would."""
    objective, chosen = facts["objective"], facts["chosen"]
    state = _limits_named(facts) | {
        "broken": None if chosen["feasible"] else "one" if _is_alone(facts) else "all",
        "rules": rules(facts),
        "named": "yes" if objective["named"] else "no",  # a cell is "a called b"
        "measure": objective["text"],
        "value": value_of(facts, chosen["value"]),
        "priced": "yes" if _is_priced(facts) else "no",
    }
    return choose("multiclass", state | _order(facts) | _rivals(facts) | _price(facts))


def _rivals(facts: Facts) -> Facts:
    """Compare costs with those of other rules: in shares where none is a gain, and how sure these are."""
    rows, own = rivals(facts), facts["chosen"]["value"]
    if not _is_priced(facts) or not are_costs(facts, rows):
        values = (value_of(facts, row["value"]) for row in rows)
        told = [
            tell("answer.classes.rival.value", value=value, rule=_noted(facts, row))
            for value, row in zip(values, rows, strict=True)
        ]
        return {"told_in": "values", "rivals": told}
    found: list[str] = []
    is_first = True
    for row in rows:
        kind, ends = sure_saving(facts, row)
        sure: Facts = {"sure": "alike"} if kind == "unsure" else {}
        if ends:
            low, high = (f"{end:,.0f} %" for end in ends)
            sure = {"sure": "first" if is_first else "yes", "low": low, "high": high}
            is_first = False
        found.append(f"{compared(own, row['value'], sure)} {_noted(facts, row)}")
    return {"told_in": "shares", "rivals": found}


def _noted(facts: Facts, row: Facts) -> str:
    """A baseline, and in brackets what is to be known of it."""
    keeps = keeps_limits(row)
    told = None if keeps == facts["chosen"]["feasible"] else "yes" if keeps else "no"
    rule = baseline_name(row, class_names(facts))
    return tell("answer.classes.rival", rule=rule, keeps=told, **_limits_named(facts))


def _price(facts: Facts) -> Facts:
    """The price of the limits: which errors are larger than those of the best rule without them."""
    chosen, limits = facts["chosen"], facts["limits"]
    if not limits or not chosen["feasible"]:
        return {}
    before, after = (facts["points"]["confusion"][chosen[name]] for name in ("unlimited", "index"))
    if before == after:
        return {"price": "same"}
    risen = _instead(moved(class_names(facts), before, after)[1])
    more = [Clause("answer.more", n=len(risen) - TOLD)] * (len(risen) > TOLD)
    of = {"limited": "many" if len(limits) > 1 else limits[0]["kind"], "limit": _limits(facts)[0]}
    return of | {"price": "some" if risen else "none", "errors": [*risen[:TOLD], *more]}


def traded(facts: Facts) -> str:
    """Which errors are smaller than by the largest output, and which larger; empty where it decides alike."""
    first = facts["baselines"][0]
    if first["kind"] != "largest" or is_idle(facts):
        return ""
    seen = facts["points"]["confusion"][facts["chosen"]["index"]]
    smaller, larger = (_instead(rows)[:TOLD] for rows in moved(class_names(facts), first["confusion"], seen))
    moves = {"smaller": smaller, "larger": larger}
    return sentences(
        *(tell("answer.classes.moved", way=way, errors=errors) for way, errors in moves.items() if errors)
    )


def _instead(rows: list[Facts]) -> list[Clause]:
    """Errors beside those of another rule, where both are not shown alike."""
    told = ((row["name"], percent(row["after"]), percent(row["before"])) for row in rows)
    return [
        Clause("answer.classes.instead", name=name, now=now, then=then)
        for name, now, then in told
        if now != then
    ]


def _order(facts: Facts) -> Facts:
    """The chosen rule as an order."""
    weights = facts["points"]["weights"][facts["chosen"]["index"]]
    if is_idle(facts):
        is_needless = facts["chosen"]["feasible"] and not _is_alone(facts)  # compared with other weights
        return {"order": "needless" if is_needless else "largest"}
    told = [f"{name} {number(w)}" for name, w in zip(class_names(facts), weights, strict=True)]
    return {"order": "few" if is_short(weights) else "many", "weights": told}


def is_idle(facts: Facts) -> bool:
    """Whether the largest output decides as the chosen rule does."""
    first, seen = facts["baselines"][0], facts["points"]["confusion"][facts["chosen"]["index"]]
    return bool(first["kind"] == "largest" and first["confusion"] == seen)


def class_names(facts: Facts) -> list[str]:
    """Names of the classes, isolated so that none changes the direction of the text beside it."""
    return [isolated(c["name"]) for c in facts["classes"]]


def limits(facts: Facts, some: str = "a") -> str:
    """Name the limit that a rule may break, or one of several; with "all", those that it may keep."""
    said: str = _limits_named(facts)[f"limits_{some}"]
    return said


def _limits_named(facts: Facts) -> Facts:
    count = {"limit_count": len(facts["limits"])}
    every, one = tell("answer.classes.all limits", **count), tell("answer.classes.a limit", **count)
    return count | {"limits_all": every, "limits_a": one}


def value_of(facts: Facts, value: float | None) -> str:
    """A value of the objective."""
    if value is None:
        return tell("answer.classes.undefined")
    return percent(value) if facts["objective"]["share"] else number(value)


def baseline_name(row: Facts, names: list[str]) -> str:
    """A baseline in words."""
    return tell("answer.classes.baseline", kind=row["kind"], name=names[row["class"] or 0])


def _is_priced(facts: Facts) -> bool:
    return bool(facts["objective"]["kind"] == "expected_cost")


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
    if not _is_priced(facts):
        goal = choose("report.goal", {"priced": "no", "measure": facts["objective"]["text"]})
        return "; ".join([goal, *_limits(facts)])
    priors: Facts = {"priors": "data"}
    if facts["priors"] is not None:
        told = [f"{name} {share(p)}" for name, p in zip(class_names(facts), priors_of(facts), strict=True)]
        priors = {"shares": told}
    return "; ".join(
        [choose("report.goal", _costs(facts)), choose("report.frequent", priors), *_limits(facts)]
    )


def _limits(facts: Facts) -> list[str]:
    names, found = class_names(facts), []
    for limit in facts["limits"]:
        if limit["kind"] == "given":
            found.append(limit["text"])
            continue
        called = None if limit["called"] is None else names[limit["called"]]
        limited = tell("answer.classes.limited", kind=limit["kind"], name=names[limit["true"]], called=called)
        way = "most" if limit["side"] == "<=" else "least"
        found.append(tell("answer.classes.limit", limited=limited, way=way, limit=limit["limit"]))
    return found


def _wrong(facts: Facts) -> list[float]:
    return [cost for i, row in enumerate(facts["costs"]) for j, cost in enumerate(row) if i != j]


def _costs(facts: Facts) -> Facts:
    """State what most errors cost, and what the others do."""
    names, usual = class_names(facts), mode(_wrong(facts))
    other = [
        f"{tell('answer.classes.limited', kind='cell', name=names[i], called=names[j])} {number(cost)}"
        for i, row in enumerate(facts["costs"])
        for j, cost in enumerate(row)
        if cost != (0 if i == j else usual)
    ]
    right = "some" if any(facts["costs"][i][i] for i in range(len(names))) else "free"
    others = "many" if len(other) > MOST else "few" if other else "none"
    costs = {"usual": number(usual), "right": right, "other": other, "other_count": len(other)}
    return {"others": others} | costs


def meaning(facts: Facts) -> str:
    """Explain the sentence's words, and the unit of its costs."""
    is_priced, usual = _is_priced(facts), facts["baselines"][0]["kind"] == "largest"
    state = {"priced": "yes" if is_priced else "no", "usual": "yes" if usual else "no"}
    if is_priced and 1 in _wrong(facts):
        state["unit"] = "error"
    return choose("report.classes", state)


def examined(facts: Facts) -> str:
    """How many cases there are, and how many rules were tried on them."""
    amount = number if facts["weighted"] else count
    pairs = zip(class_names(facts), facts["classes"], strict=True)
    classes = ", ".join(f"{name} ({amount(each['total'])})" for name, each in pairs)
    slots = {"weighted": "yes" if facts["weighted"] else "no", "amount": amount(total(facts))}
    return tell("answer.classes.examined", classes=classes, tried=tried(facts), **slots)


def tried(facts: Facts) -> str:
    """How many rules there are."""
    return tell("answer.classes.tried", rule_count=len(facts["points"]["weights"]))


def weights(facts: Facts) -> str:
    """The weights of the chosen rule."""
    vector = facts["points"]["weights"][facts["chosen"]["index"]]
    named = (f"{name} {number(weight)}" for name, weight in zip(class_names(facts), vector, strict=True))
    return tell("report.several.weights", weights=", ".join(named))


def rules(facts: Facts, n: int | None = None) -> str:
    """Count rules, by default all."""
    return tell("answer.classes.rules", n=len(facts["points"]["weights"]) if n is None else n)


def _is_alone(facts: Facts) -> bool:
    return len(facts["points"]["weights"]) == 1
