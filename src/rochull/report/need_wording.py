"""Whether a hybrid is needed beside its best member, in words: shared by the HTML page and the terminal.

Under one condition it never is: its rule is the best one of its best member. What is left to tell is how
sure it is which one that is.
"""

from __future__ import annotations

from math import inf
from typing import Any

from rochull.report.derived import beside_rule, told_apart
from rochull.report.verdict import at_another_prevalence
from rochull.report.wording import isolated, joined, number, percent, share, threshold, with_ends

_MOST = 4  # rules that no data chose: only the cheapest are shown


def need_verdict(facts: dict[str, Any]) -> str:
    """How sure it is which classifier is best; nothing, if that was not asked."""
    found = facts["need"]
    if found is None or len(found["members"]) < 2:
        return ""
    often = sorted(filter(all, found["members"].items()), key=lambda item: -item[1])
    most, times = isolated(often[0][0]), found["n_folds"] * found["n_repeats"]
    counted = ", ".join(f"{isolated(name)} {n}" for name, n in often)
    most, times = isolated(often[0][0]), found["n_folds"] * found["n_repeats"]
    which = f"the best score on the parts that chose was {counted} of {times} times"
    if len(often) == 1:
        which = f"{most} was the best score on each of the {times} parts that chose"
    others = [each for each in _rivals(found, tuned=True) if each["classifier"] != often[0][0]]
    told = ", ".join(f"{isolated(each['classifier'])} {_signed(each)}" for each in others[:_MOST])
    few = f" (the {_MOST} best of {len(others)})" * (len(others) > _MOST)
    alike = [isolated(each["classifier"]) for each in others if not told_apart(each)]
    but = f" These data cannot tell {joined(alike)} from {most}." if alike else ""
    return (
        f"The best rule uses one score. In {_parted(found)}, {which}. On the parts left out, rules of the "
        f"others{few}, chosen in the same way, cost more per case by (95 % intervals): {told}.{but}"
    )


_ADVICE = {
    "alike": "these data cannot tell them apart",
    "more": "keep the rule above",
    "less": "prefer it",
}


def by_costs(facts: dict[str, Any]) -> str:
    """Whether the past cases choose better than the costs alone do, of a score that may be a probability."""
    found, chosen = facts["need"], facts["chosen"]
    names = {part["rule"]["classifier"] for part in chosen["rules"]} if found and chosen else set()
    rules = (each for each in _rivals(found, tuned=False) if each["classifier"] in names)
    rule = next((each for each in rules if each["threshold"] != 0.5), None)
    if rule is None:
        return ""
    name, positive = isolated(rule["classifier"]), isolated(facts["positive"])
    scored = "70 %" if _lower(facts, rule) else "30 %"
    about, low, high = with_ends(rule["difference"], rule["error"], -inf)
    own, _, _ = with_ends(found["hybrid"], found["hybrid_error"])
    told = f"{_more(about)} than the rule above on new cases ({own}; 95 %: {_from(low, high)})"
    advice = _ADVICE[beside_rule(rule)]
    at = facts["condition"]["parameters"].get("prevalence")
    by = "from the costs alone"
    if at_another_prevalence(facts, at):
        past = percent(facts["examples"]["prevalence"])
        by = f"from the costs and the share of {positive} cases, {past} in the past and {share(at)} in future"
    return (
        f"If {name} is a calibrated probability (of past cases with a score of 0.3, {scored} are "
        f"{positive}), its threshold follows {by}, without a search: {_threshold(facts, rule)}. These cases "
        f"did not choose it. It costs {number(rule['cost'])} per case, {told}: {advice}."
    )


def _more(difference: str) -> str:
    return f"{difference.removeprefix('−')} {'less' if difference.startswith('−') else 'more'}"


def _from(low: str, high: str) -> str:
    """The ends of a difference of costs, in words."""
    if low.startswith("−") == high.startswith("−"):
        ends = sorted((low.removeprefix("−"), high.removeprefix("−")), key=float)
        return f"{' to '.join(ends)} {'less' if low.startswith('−') else 'more'}"
    return f"from {_more(low)} to {_more(high)}"


def _lower(facts: dict[str, Any], rule: dict[str, Any]) -> bool:
    ways = {each["name"]: each["lower_is_positive"] for each in facts["classifiers"]}
    return bool(ways[rule["classifier"]])


def _threshold(facts: dict[str, Any], rule: dict[str, Any]) -> str:
    return threshold(rule["threshold"], lower=_lower(facts, rule))


def _rivals(found: dict[str, Any] | None, *, tuned: bool) -> list[dict[str, Any]]:
    """The best rules of each classifier, or the thresholds that no data chose, the cheapest first."""
    kind = [each for each in found["rivals"] if (each["threshold"] is None) == tuned] if found else []
    return sorted(kind, key=lambda each: float(each["cost"]))


def _parted(found: dict[str, Any]) -> str:
    rounds = f"{found['n_repeats']} rounds of " * (found["n_repeats"] != 1)
    return f"{rounds}{found['n_folds']}-fold cross-validation"


def need_measured(facts: dict[str, Any]) -> str:
    """State what rules cost on the parts that did not choose them, for experts."""
    found = facts["need"]
    if found is None:
        return ""
    about, low, high = with_ends(found["hybrid"], found["hybrid_error"])
    fixed = _rivals(found, tuned=False)
    again = " and of how they were split" * (found["n_repeats"] != 1)
    text = (
        f"Held out in {_parted(found)}, rules chosen in this way cost {about} per case. The 95 % interval "
        f"{low} to {high} is of their mean cost, by the standard error of the cases{again}, with costs and "
        "prevalence taken as known; it is of rules chosen anew on each training part, not of the rule above."
    )
    told = [
        f"{isolated(each['classifier'])} at {_threshold(facts, each)} {_signed(each)}"
        for each in fixed[:_MOST]
    ]
    if told:
        few = f" (the {_MOST} cheapest of {len(fixed)})" * (len(fixed) > _MOST)
        text += f" Thresholds that need no search{few} cost more by, paired case by case: {'; '.join(told)}."
    return text


def _signed(rule: dict[str, Any]) -> str:
    about, low, high = with_ends(rule["difference"], rule["error"], -inf)
    return f"{about} ({low} to {high})"
