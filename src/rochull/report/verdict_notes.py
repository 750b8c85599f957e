"""Notes below the answer: the meaning of its words, and what to know about its limits.

What is true of a limit is found here, and by ``report_compare.ts`` of the page's condition; tables of the
catalogue say it.
"""

from __future__ import annotations

from typing import Any

from rochull.report.derived import flagged_cases
from rochull.report.verdict import classes, limit_count, robust_row, robust_rule
from rochull.report.wording import choose, number, tell

Facts = dict[str, Any]


def meaning(facts: Facts) -> str | None:
    """Explain the sentence's words, and the unit of its costs; None without a condition."""
    asked = facts["condition"] or facts["review"]
    if asked is None:
        return None
    given, (positive, negative) = asked["parameters"], classes(facts)
    alarm, miss, review = (_ends(given.get(f"cost_{name}")) for name in ("fp", "fn", "review"))
    state = {"positive": positive, "negative": negative, "alarm": alarm, "miss": miss, "review": review}
    state["named"] = "no" if positive == "positive" else "yes"
    state["priced"] = "no" if "cost_fn" not in given else "reviews" if facts["review"] else "yes"
    state["unit"] = "alarm" if given.get("cost_fp") == 1 else "other"
    if not facts["review"] and any(row["kind"] == "half" for row in facts["baselines"]):
        state["half"] = "yes"
    return choose("meaning", state | _scores(facts))


def _scores(facts: Facts) -> Facts:
    """Find the names in the rule that are scores, and which way they point."""
    found = facts["chosen"] or facts["review"] or robust_row(facts)
    parts = [part[end] for part in found["rules"] or [] for end in ("rule", "high", "low") if end in part]
    lower = {each["classifier"]: bool(each.get("lower_is_positive")) for each in parts if each["classifier"]}
    way = "mixed" if len(set(lower.values())) > 1 else "lower" if any(lower.values()) else "higher"
    return {"scores": "yes" if lower else "no", "names": [*lower], "score_count": len(lower), "way": way}


def _ends(cost: Any) -> str:
    """A cost, or the ends of its range."""
    if not isinstance(cost, list):
        return number(cost)
    low, high = map(number, cost)
    return tell("page.range", low=low, high=high)


def limit_note(facts: Facts) -> str | None:
    """Explain what a limit kept on these data means for new cases; None without one."""
    asked, point, examples = facts["condition"], facts["chosen"], facts["examples"]
    if not limit_count(facts) or not (point or robust_rule(facts)):
        return None
    sure, at = asked["parameters"].get("confidence"), asked["limited_at"]
    state = {"limit_count": asked["n_limits"], "assured": "no" if sure is None else "yes", "sure": sure}
    state["limited"] = "yes" if asked["limited"] else "no"
    if at is None or at == (examples and examples["prevalence"]):
        state["at"] = "past"
    else:  # a limit that depends on the prevalence may be kept at another one only
        state |= {"at": "other", "p": float(f"{at:.4g}"), "positive": facts["positive"]}
    if point and asked["kind"] == "MinimumPrecision" and examples is not None and not examples["weighted"]:
        cases = flagged_cases(facts, point)
        state |= {} if cases is None else {"few": "yes", "flagged": cases}
    return choose("limit", state)


def approached_note(facts: Facts) -> str | None:
    """Explain that rules come near to a value that none has; None where the rule is the best there is."""
    if facts["condition"] is None or facts["condition"]["approached"] is None:
        return None
    nearly, measure = number(facts["condition"]["approached"]), facts["regret"]["measure"]
    slots = {"limit_count": limit_count(facts), "measure": measure, "nearly": nearly}
    return tell("answer.limit.approached", **slots)
