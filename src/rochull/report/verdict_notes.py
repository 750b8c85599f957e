"""Notes below the answer: the meaning of its words, and what to know about its limits.

``report_compare.js`` is its twin.
"""

from __future__ import annotations

from typing import Any

from rochull.report.derived import flagged_cases
from rochull.report.verdict import limits, robust_row, robust_rule
from rochull.report.wording import isolated, joined, number, share, unit_of

Facts = dict[str, Any]

_HALF = " 0.5 is a common threshold, not chosen for your goal."


def meaning(facts: Facts) -> str | None:
    """Explain the sentence's words, and the unit of its costs; None without a condition."""
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
    """State that the names in the rule are scores, and which way they point."""
    found = facts["chosen"] or facts["review"] or robust_row(facts)
    parts = [part[end] for part in found["rules"] or [] for end in ("rule", "high", "low") if end in part]
    lower = {each["classifier"]: bool(each.get("lower_is_positive")) for each in parts if each["classifier"]}
    if not lower:
        return ""
    text = f"{joined([*map(isolated, lower)])} {'are scores' if len(lower) > 1 else 'is a score'}"
    if len(set(lower.values())) == 1:
        way = "lower" if any(lower.values()) else "higher"
        text += f": the {way}, the more likely a case is {isolated(facts['positive'])}"
    return f"{text}. "


def _ends(cost: Any) -> str:
    """A cost, or the ends of its range."""
    return " to ".join(map(number, cost)) if isinstance(cost, list) else number(cost)


def limit_note(facts: dict[str, Any]) -> str | None:
    """Explain what a limit kept on these data means for new cases; None without one."""
    asked, point, examples = facts["condition"], facts["chosen"], facts["examples"]
    if asked is None or not asked["n_limits"] or not (point or robust_rule(facts)):
        return None
    kept = "The limits are" if asked["n_limits"] != 1 else "The limit is"
    sure = asked["parameters"].get("confidence")
    if sure is not None:
        also = "they also hold" if asked["n_limits"] != 1 else "it also holds"
        long = "in the long run on new cases of the same kind"
        return f"{kept} kept with a margin: with a confidence of {share(sure)}, {also} {long}."
    if not asked["limited"]:
        change, them = ("limits change", "them") if asked["n_limits"] != 1 else ("limit changes", "it")
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
        cases = flagged_cases(facts, point)
        if cases is not None:
            text += f" Few cases: only {cases} of those measured {'is' if cases == 1 else 'are'} flagged."
    return text


def approached_note(facts: Facts) -> str | None:
    """Explain that rules come near to a value that none has; None where the rule is the best there is."""
    if facts["condition"] is None or facts["condition"]["approached"] is None:
        return None
    nearly = number(facts["condition"]["approached"])
    return (
        f"No rule within the {limits(facts)} is the best: the fewer cases are flagged, the nearer the "
        f"{facts['regret']['measure']} comes to {nearly}, that of flagging none, which has no precision. For "
        "a rule that flags more, state the least share to flag (AlarmRate() >= 0.01 in Python, "
        "--min-share 0.01 on the command line)."
    )


def _where_kept(facts: Facts) -> str:
    """On which cases a limit is kept: one that depends on the prevalence may be so at another one only."""
    asked, examples = facts["condition"], facts["examples"]
    at = asked["limited_at"]
    if at is None or at == (examples and examples["prevalence"]):
        return "on the past cases of this report"
    some = share(float(f"{at:.4g}"))
    return f"if {some} of the cases are {isolated(facts['positive'])}, by the rates of the past cases"
