"""Whether a hybrid is needed beside its best member, in words: shared by the HTML page and the terminal."""

from __future__ import annotations

from typing import Any

from rochull.report.wording import isolated, number, spread


def verdict(facts: dict[str, Any]) -> str:
    """Whether the hybrid is better than its best member on other cases; nothing, if that was not asked."""
    found = facts["need"]
    if found is None:
        return ""
    best, folds, better = _best_alone(found), sum(found["members"].values()), found["difference"] > 0
    text = "The hybrid is the rule that uses, under each condition, the score that is best there. "
    text += f"In {folds}-fold cross-validation"
    if found["difference"] == found["error"] == 0:
        return (
            f"{text} it decides every case as {best} alone does: switching between the scores adds nothing "
            "here. A new score made of them was not tried."
        )
    if found["pvalue"] >= found["level"]:
        told = f"its advantage over {best} alone is within what chance explains"
        told = told if better else f"it does not cost less than {best} alone"
        return f"{text} {told}, so keep the one threshold of {best}."
    if better:
        return f"{text} it costs less than {best} alone, by more than chance explains."
    return f"{text} {best} alone costs less, by more than chance explains: keep the one threshold of {best}."


def _best_alone(found: dict[str, Any]) -> str:
    """The classifier that was the best one alone in most folds."""
    return isolated(max(found["members"], key=lambda name: found["members"][name]))


def measured(facts: dict[str, Any]) -> str:
    """The numbers of :func:`verdict`, for experts."""
    found = facts["need"]
    if found is None:
        return ""
    best, often, folds = _best_alone(found), max(found["members"].values()), sum(found["members"].values())
    alone = f"{best} alone" if often == folds else f"the score that is best alone ({best} in {often} of them)"
    text = (
        f"Held out in {folds} folds, one random partition of the cases, the hybrid costs "
        f"{number(found['hybrid'])} per case, and {alone} {number(found['alone'])}"
    )
    if found["error"]:
        more = spread({"mean": found["difference"], "sem": found["error"]})
        text += f": a difference of {more} (standard error; p = {number(found['pvalue'], 2)})"
    return f"{text}. Another partition gives other figures."
