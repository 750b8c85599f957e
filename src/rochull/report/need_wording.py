"""Whether a hybrid is needed beside its best member, in words: shared by the HTML page and the terminal.

Under one condition it never is: its rule is the best one of its best member. What is left to tell is how
sure it is which one that is.
"""

from __future__ import annotations

import math
from typing import Any

from rochull.report.wording import NORMAL, isolated, number, threshold, with_ends

_MOST = 4  # rules that no data chose, of which the cheapest are told


def verdict(facts: dict[str, Any]) -> str:
    """Which classifiers were the best ones in cross-validation; nothing, if that was not asked."""
    found = facts["need"]
    if found is None or len(found["members"]) < 2:
        return ""
    often = sorted(filter(all, found["members"].items()), key=lambda item: -item[1])
    where = f"Under the report’s own condition one score decides. In {_parted(found)}"
    if len(often) == 1:
        alone = isolated(often[0][0])
        return f"{where}, whose training parts share most cases, {alone} was the best of them every time."
    counted = ", ".join(f"{isolated(name)} in {times}" for name, times in often)
    return (
        f"{where} it differed which one is best: {counted} of the parts. These data hardly tell them apart."
    )


def by_costs(facts: dict[str, Any]) -> str:
    """Whether the past cases choose better than the costs alone do, of a score that may be a probability."""
    found, chosen = facts["need"], facts["chosen"]
    names = {part["rule"]["classifier"] for part in chosen["rules"]} if found and chosen else set()
    rule = next(
        (each for each in _fixed(found) if each["classifier"] in names and each["threshold"] != 0.5), None
    )
    if rule is None:
        return ""
    name, apart = isolated(rule["classifier"]), abs(rule["difference"]) > NORMAL * rule["error"]
    cost, _, _ = with_ends(found["hybrid"], found["hybrid_error"])
    expected = f"than the rule above is expected to cost on new cases ({cost})"
    told = "; these data cannot say which of the two rules is better."
    if apart and rule["difference"] > 0:
        told = f": more {expected}, so do not take {name} for one."
    elif apart:
        told = f": less {expected}. Prefer it."
    return (
        f"If {name} is a calibrated probability, the costs alone set its threshold, "
        f"{_threshold(facts, rule)}. On the past cases that costs {number(rule['cost'])} per case{told}"
    )


def _threshold(facts: dict[str, Any], rule: dict[str, Any]) -> str:
    ways = {each["name"]: each["lower_is_positive"] for each in facts["classifiers"]}
    return threshold(rule["threshold"], lower=ways[rule["classifier"]])


def _fixed(found: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The rules that no data chose, the cheapest first."""
    return sorted(found["fixed"], key=lambda each: float(each["cost"])) if found else []


def _parted(found: dict[str, Any]) -> str:
    rounds = f"{found['n_repeats']} rounds of " * (found["n_repeats"] > 1)
    return f"{rounds}{found['n_folds']}-fold cross-validation"


def measured(facts: dict[str, Any]) -> str:
    """What rules cost on the parts that did not choose them, for experts."""
    found = facts["need"]
    if found is None:
        return ""
    about, low, high = with_ends(found["hybrid"], found["hybrid_error"])
    text = (
        f"Held out in {_parted(found)}, rules chosen in this way cost {about} per case; the 95 % interval "
        f"{low} to {high} is by the standard error of the cases, and how they were parted is not in it."
    )
    told = [
        f"{isolated(each['classifier'])} at {_threshold(facts, each)}: {_signed(each)}"
        for each in _fixed(found)[:_MOST]
    ]
    if told:
        text += f" Paired case by case, rules that no data chose cost so much more: {'; '.join(told)}."
    return text


def _signed(rule: dict[str, Any]) -> str:
    about, low, high = with_ends(rule["difference"], rule["error"], -math.inf)
    return f"{about} ({low} to {high})"
