"""Whether a hybrid is needed beside its best member, in words: shared by the HTML page and the terminal.

Under one condition it never is: its rule is the best one of its best member. What is left to tell is how
sure it is which one that is.
"""

from __future__ import annotations

from math import inf
from typing import Any

from rochull.report.derived import beside_rule, first_of, folds_of, need_state, rivals
from rochull.report.verdict import at_another_prevalence
from rochull.report.wording import choose, number, percent, sentences, tell, threshold, with_ends
from rochull.words.clauses import Clause


def need_verdict(facts: dict[str, Any]) -> str:
    """How sure it is which classifier is best; nothing, if that was not asked."""
    state = need_state(facts)
    if state is None:
        return ""
    rules = [Clause("report.need.other", name=each["classifier"], **_ends(each)) for each in state["first"]]
    alike = tell("report.need.alike", **state) if state["names"] else ""
    others = tell("report.need.others", rules=rules, **state)
    return sentences(choose("report.need.best", state), others, alike)


def by_costs(facts: dict[str, Any]) -> str:
    """Whether the past cases choose better than the costs alone do, of a score that may be a probability."""
    found, chosen = facts["need"], facts["chosen"]
    names = {part["rule"]["classifier"] for part in chosen["rules"]} if found and chosen else set()
    rules = (each for each in rivals(found, tuned=False) if each["classifier"] in names)
    rule = next((each for each in rules if each["threshold"] != 0.5), None)
    if rule is None:
        return ""
    about, low, high = with_ends(rule["difference"], rule["error"], -inf)
    at = facts["condition"]["parameters"].get("prevalence")
    state = {
        "name": rule["classifier"],
        "positive": facts["positive"],
        "way": "lower" if _lower(facts, rule) else "higher",
        "share": "other" if at_another_prevalence(facts, at) else "same",
        "past": percent(facts["examples"]["prevalence"]),
        "at": at,
        "cutoff": _threshold(facts, rule),
        "cost": number(rule["cost"]),
        "about": _more(about),
        "own": with_ends(found["hybrid"], found["hybrid_error"])[0],
        "ends": _from(low, high),
        "beside": beside_rule(rule),
    }
    return sentences(tell("report.need.by costs", **state), choose("report.need.costs", state))


def _more(difference: str) -> Clause:
    way = "less" if difference.startswith("−") else "more"
    return Clause("report.apart", by=difference.removeprefix("−"), way=way)


def _from(low: str, high: str) -> Clause:
    """The ends of a difference of costs, in words."""
    if low.startswith("−") == high.startswith("−"):
        ends = sorted((low.removeprefix("−"), high.removeprefix("−")), key=float)
        between = Clause("page.range", low=ends[0], high=ends[1])
        return Clause("report.apart", by=between, way="less" if low.startswith("−") else "more")
    return Clause("report.apart from", low=_more(low), high=_more(high))


def _lower(facts: dict[str, Any], rule: dict[str, Any]) -> bool:
    ways = {each["name"]: each["lower_is_positive"] for each in facts["classifiers"]}
    return bool(ways[rule["classifier"]])


def _threshold(facts: dict[str, Any], rule: dict[str, Any]) -> str:
    return threshold(rule["threshold"], lower=_lower(facts, rule))


def need_measured(facts: dict[str, Any]) -> str:
    """State what rules cost on the parts that did not choose them, for experts."""
    found = facts["need"]
    if found is None:
        return ""
    about, low, high = with_ends(found["hybrid"], found["hybrid_error"])
    ends = {"about": about, "low": low, "high": high}
    measured = tell("report.need.measured", folds=folds_of(found), n_repeats=found["n_repeats"], **ends)
    first, counts = first_of(rivals(found, tuned=False))
    rules = [
        Clause("report.need.fixed at", name=each["classifier"], cutoff=_threshold(facts, each), **_ends(each))
        for each in first
    ]
    return sentences(measured, tell("report.need.fixed", rules=rules, **counts) if rules else "")


def _ends(rule: dict[str, Any]) -> dict[str, str]:
    """How much more a rival costs, and the ends of its interval."""
    about, low, high = with_ends(rule["difference"], rule["error"], -inf)
    return {"about": about, "low": low, "high": high}
