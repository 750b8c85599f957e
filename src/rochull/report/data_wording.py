"""Sentences on the data: where they come from, how many there are, in-sample optimism, assumptions."""

from __future__ import annotations

from typing import Any

from rochull.report.derived import flagged_cases, flattery
from rochull.report.wording import RATES, choose, count, isolated, messages, number, percent, tell, told_of

Facts = dict[str, Any]


def about(facts: Facts) -> str | None:
    """Describe the data in a sentence."""
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


def flattered(*, limited: bool = False) -> str:
    """Warn that data flatter every rule chosen on them; `limited` if limits are kept on them too."""
    return choose("report.flattered", {"margin": "no" if limited else None})


def parted(facts: Facts) -> list[tuple[str, str]]:
    """Warn so here and under other conditions: attributes of what only one of them says, and texts."""
    from difflib import SequenceMatcher

    own, other = _in_sample(facts), messages("report.flattered", {})
    found = []
    for tag, i, j, k, m in SequenceMatcher(None, own, other, autojunk=False).get_opcodes():
        if tag == "equal":
            found.append(("", " ".join(own[i:j])))
        else:
            sides = (("data-own", own[i:j]), ("data-other", other[k:m]))
            found += [(kind, " ".join(part)) for kind, part in sides if part]
    return found


def in_sample(facts: Facts) -> str:
    """Warn that the data flatter the rule, and by how much if that is known."""
    return " ".join(_in_sample(facts))


def _in_sample(facts: Facts) -> list[str]:
    state = flattery(facts)
    sure = facts["uncertainty"]
    kept = sure and sure["bootstrap"] and sure["bootstrap"]["optimism"]
    if kept:
        shown = percent if kept["measure"] in RATES else number
        state |= {"new": shown(kept["corrected"]), "here": shown(kept["apparent"])}
        state["measure"] = told_of("expect", kept["measure"])
    return messages("report.flattered", state)


def on_few(facts: Facts) -> str | None:
    """State on how few past cases a precision rests; None if they are more, or none is stated."""
    point, total = facts["deterministic"] or facts["chosen"], facts["examples"]
    if point is None or point["precision"] is None or total is None or total["weighted"]:
        return None
    if facts["condition"]["slope"] is not None:
        return None
    cases = flagged_cases(facts, point, precision=True)
    return None if cases is None else tell("report.on few", cases=cases)


def assumed(facts: Facts) -> str | None:
    """State what another prevalence than that of the past cases assumes; None if it is theirs, or unknown."""
    asked, examples = facts["condition"] or facts["review"], facts["examples"]
    at = asked and asked["parameters"].get("prevalence")
    if examples is None or at is None or at == examples["prevalence"]:
        return None
    return tell("report.assumed")


def examined(facts: Facts) -> str:
    """How many rows there are."""
    found = facts["examples"]
    if found is None:
        return choose("report.examined", {})
    state = {
        "examples": "weighted" if found["weighted"] else "counted",
        "total": count(found["positives"] + found["negatives"]),
        "positives": count(found["positives"]),
        "share": percent(found["prevalence"]),
        "positive": facts["positive"],
    }
    return choose("report.examined", state)
