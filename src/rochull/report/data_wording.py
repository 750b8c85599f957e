"""Sentences on the data: where they come from, how many there are, in-sample optimism, assumptions."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Any

from rochull.report.derived import flagged_cases, is_flattered
from rochull.report.wording import RATES, count, isolated, number, percent, told_of

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


_IN_SAMPLE = (
    "These figures look too good: the rule was chosen on the cases that it is measured on (in-sample)."
)
_BELOW = (
    "Figures of the rule are of the past cases that it was chosen on (in-sample), and look too good, unless "
    "they are called held out or of new cases. If a classifier was trained on these cases, even the latter "
    "look too good."
)
_TRAINED = "Figures look better still if a classifier was trained on these cases."
_MARGIN = (
    " Limits are kept on these cases with no margin: on new ones, a share that is just at its limit here is "
    "at least as likely to be beyond it as within it."
)
_TRY = "Try the rule on new cases before you rely on it."


def flattered(*, limited: bool = False) -> str:
    """Warn that data flatter every rule chosen on them; `limited` if limits are kept on them too."""
    margin = _MARGIN * limited
    return f"{_IN_SAMPLE}{margin} {_TRY} {_TRAINED}"


def parted(own: str, other: str) -> list[tuple[str, str]]:
    """Tell two texts by sentences: attributes of those that only one of them has, and texts."""
    first, second = (text.replace(". ", ".\n").splitlines() for text in (own, other))
    found = []
    for tag, i, j, k, m in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if tag == "equal":
            found.append(("", " ".join(first[i:j])))
        else:
            sides = (("data-own", first[i:j]), ("data-other hidden", second[k:m]))
            found += [(kind, " ".join(part)) for kind, part in sides if part]
    return found


def in_sample(facts: Facts) -> str:
    """Warn that the data flatter the rule, and by how much if that is known."""
    if facts["need"]:  # then the headline says what to expect
        return _BELOW
    sure = facts["uncertainty"]
    kept = sure and sure["bootstrap"] and sure["bootstrap"]["optimism"]
    if not kept or not is_flattered(kept):
        asked = facts["condition"]
        judged = asked is None or (asked["slope"] is not None and not asked["n_limits"])
        if judged and not facts["review"]:  # what `need` can be of
            return flattered()
        given = facts["review"]["parameters"] if facts["review"] else {}
        margin = _MARGIN * (given.get("max_share", 1) != 1 or "max_error" in given)
        return (
            f"{_IN_SAMPLE} By how much was not measured for this kind of condition.{margin} {_TRY} {_TRAINED}"
        )
    rate = kept["measure"] in RATES
    new, here = (percent(kept[key]) if rate else number(kept[key]) for key in ("corrected", "apparent"))
    what = told_of("expect", kept["measure"])
    return f"{_IN_SAMPLE} On new cases expect {what} of about {new}, not {here} (bootstrap). {_TRAINED}"


def on_few(facts: Facts) -> str | None:
    """State on how few past cases a precision rests; None if they are more, or none is stated."""
    point, total = facts["deterministic"] or facts["chosen"], facts["examples"]
    if point is None or point["precision"] is None or total is None or total["weighted"]:
        return None
    if facts["condition"]["slope"] is not None:
        return None
    flagged = flagged_cases(facts, point, precision=True)
    if flagged is None:
        return None
    cases = "1 past case that is" if flagged == 1 else f"{flagged} past cases that are"
    return f"That share of the flagged cases rests on {cases} flagged: too few to tell."


def assumed(facts: Facts) -> str | None:
    """State what another prevalence than that of the past cases assumes; None if it is theirs, or unknown."""
    asked, examples = facts["condition"] or facts["review"], facts["examples"]
    at = asked and asked["parameters"].get("prevalence")
    if examples is None or at is None or at == examples["prevalence"]:
        return None
    return (
        "It is assumed, and was not tested, that a rule catches the same share of positives, and flags the "
        "same share of negatives, whatever the prevalence is."
    )


def examined(facts: Facts) -> str:
    """How many rows there are."""
    found = facts["examples"]
    if found is None:
        return "Made from given rates, without examples"
    positives, total = count(found["positives"]), count(found["positives"] + found["negatives"])
    size = f"past cases of total weight {total}" if found["weighted"] else f"{total} past cases"
    share, positive = percent(found["prevalence"]), isolated(facts["positive"])
    return f"Measured on {size}, {positives} of them ({share}) {positive}"
