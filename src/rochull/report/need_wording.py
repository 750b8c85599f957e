"""Whether a hybrid is needed beside its best member, in words: shared by the HTML page and the terminal.

Under one condition it never is: its rule is the best one of its best member. What is left to tell is how
sure it is which one that is.
"""

from __future__ import annotations

import math
from typing import Any

from rochull.report.verdict import elsewhere
from rochull.report.wording import NORMAL, isolated, joined, number, threshold, with_ends

_MOST = 4  # rules that no data chose, of which the cheapest are told


def verdict(facts: dict[str, Any]) -> str:
    """How sure it is which classifier is best; nothing, if that was not asked."""
    found = facts["need"]
    if found is None or len(found["members"]) < 2:
        return ""
    often = sorted(filter(all, found["members"].items()), key=lambda item: -item[1])
    counted = ", ".join(f"{isolated(name)} in {times}" for name, times in often)
    most = isolated(often[0][0])
    which = f"{most} was the best of them on every part" if len(often) == 1 else (
        f"it differed which one is best: {counted} of the parts"
    )  # fmt: skip
    others = [each for each in _rivals(found, tuned=True) if each["classifier"] != often[0][0]]
    told = ", ".join(f"{isolated(each['classifier'])} {_signed(each)}" for each in others[:_MOST])
    few = f" (the {_MOST} best of {len(others)})" * (len(others) > _MOST)
    alike = [isolated(each["classifier"]) for each in others if not _apart(each)]
    but = f" These data cannot tell {joined(alike)} from {most}." if alike else ""
    return (
        f"Under the report’s own condition one score decides. In {_parted(found)} {which}. Chosen in the "
        f"same way, thresholds of the others{few} cost so much more per case on new cases (95 % intervals): "
        f"{told}.{but}"
    )


def _apart(rival: dict[str, Any]) -> bool:
    return bool(abs(rival["difference"]) > NORMAL * rival["error"])


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
    more = "more" if rule["difference"] > 0 else "less"
    about, low, high = with_ends(abs(rule["difference"]), rule["error"], -math.inf)
    told = f"{about} {more} than the rule above costs on new cases (95 %: {low} to {high}); "
    told += "these data cannot tell them apart"
    if _apart(rule):
        advice = f"do not take {name} for one" if rule["difference"] > 0 else "prefer it"
        told = f"{about} {more} than the rule above costs on new cases (95 %: {low} to {high}): {advice}"
    moved = elsewhere(facts, facts["condition"]["parameters"].get("prevalence"))
    by = f"the costs and both shares of {positive} cases" if moved else "the costs alone"
    return (
        f"If {name} is a calibrated probability (of past cases with a score of 0.3, {scored} are "
        f"{positive}), {by} set its threshold without a search: {_threshold(facts, rule)}. That costs "
        f"{number(rule['cost'])} per case, {told}."
    )


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
    rounds = f"{found['n_repeats']} rounds of " * (found["n_repeats"] > 1)
    return f"{rounds}{found['n_folds']}-fold cross-validation"


def measured(facts: dict[str, Any]) -> str:
    """What rules cost on the parts that did not choose them, for experts."""
    found = facts["need"]
    if found is None:
        return ""
    about, low, high = with_ends(found["hybrid"], found["hybrid_error"])
    fixed = _rivals(found, tuned=False)
    again = " and of how they were parted" * (found["n_repeats"] > 1)
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
        text += (
            f" Thresholds that need no search{few}, less that cost, paired case by case: {'; '.join(told)}."
        )
    return text


def _signed(rule: dict[str, Any]) -> str:
    about, low, high = with_ends(rule["difference"], rule["error"], -math.inf)
    return f"{about} ({low} to {high})"
