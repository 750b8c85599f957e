"""Whether a hybrid is needed beside its best member, in words: shared by the HTML page and the terminal.

Under one condition it never is: its rule is the best one of its best member. What is left to tell is how
sure it is which one that is.
"""

from __future__ import annotations

from typing import Any

from rochull.report.wording import isolated, with_error


def verdict(facts: dict[str, Any]) -> str:
    """Which classifiers were the best ones in cross-validation; nothing, if that was not asked."""
    found = facts["need"]
    if found is None or len(found["members"]) < 2:
        return ""
    folds = sum(found["members"].values())
    often = sorted(filter(all, found["members"].items()), key=lambda item: -item[1])
    where = f"Under the report’s own condition one score decides. In {folds}-fold cross-validation"
    if len(often) == 1:
        alone = isolated(often[0][0])
        return f"{where}, whose training parts share most cases, {alone} was the best of them every time."
    counted = ", ".join(f"{isolated(name)} in {times}" for name, times in often)
    return (
        f"{where} it differed which one is best: {counted} of the parts. These data hardly tell them apart."
    )


def measured(facts: dict[str, Any]) -> str:
    """What rules cost on the parts that did not choose them, for experts."""
    found = facts["need"]
    if found is None:
        return ""
    about, error = with_error(found["hybrid"], found["hybrid_error"])
    return (
        f"Held out in {sum(found['members'].values())} folds, one random partition of the cases, rules "
        f"chosen in this way cost {about} ± {error} per case (standard error of the cases). Another "
        "partition gives other figures."
    )
