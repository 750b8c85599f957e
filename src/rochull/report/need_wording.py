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
    start, where = "Under the report’s own condition, ", f"in {folds}-fold cross-validation"
    if found["difference"] == found["error"] == 0:
        return (
            f"{start}switching between the scores adds nothing: {where} it decides every case as {best} "
            "alone does. A new score made of them was not tried."
        )
    keep = f"keep the one threshold of {best}"
    if found["pvalue"] >= found["level"]:
        if better:
            return (
                f"{start}switching between the scores cost less {where} than {best} alone, but that may be "
                f"chance: {keep}."
            )
        return f"{start}switching between the scores did not cost less {where} than {best} alone: {keep}."
    if better:
        return (
            f"{start}switching between the scores pays: {where} it cost less than {best} alone, by more "
            "than chance explains."
        )
    return (
        f"{start}switching between the scores does not pay: {where} {best} alone cost less, by more than "
        f"chance explains. So {keep}."
    )


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
