"""How sure it is which classifier is best, in words: plain for everybody, with numbers for experts."""

from typing import Any

import pytest

from rochull.report import need_wording


def facts_of(members: dict[str, int], *fixed: tuple[str, float, float, float, float]) -> dict[str, Any]:
    keys = ("classifier", "threshold", "cost", "difference", "error")
    rules = [dict(zip(keys, each, strict=True)) for each in fixed]
    need = {
        "hybrid": 0.5,
        "hybrid_error": 0.02,
        "members": members,
        "n_folds": 10,
        "n_repeats": 1,
        "fixed": rules,
    }
    classifiers = [{"name": name, "lower_is_positive": name == "low"} for name in ("a", "low")]
    return {"need": need, "classifiers": classifiers, "chosen": {"rules": [{"rule": {"classifier": "a"}}]}}


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"a": 10, "b": 0}, ", whose training parts share most cases, a was the best of them every time."),
        (
            {"b": 1, "c": 0, "a": 9},
            " it differed which one is best: a in 9, b in 1 of the parts. These data hardly tell them apart.",
        ),
        ({"a": 10}, None),
    ],
)
def test_which_classifier_was_best_how_often(members: dict[str, int], words: str | None) -> None:
    facts = facts_of(members)
    start = "Under the report’s own condition one score decides. In 10-fold cross-validation"
    assert need_wording.verdict(facts) == (f"{start}{words}" if words else "")
    facts["need"]["n_repeats"] = 5
    assert need_wording.verdict(facts).startswith(
        start.replace("In 10", "In 5 rounds of 10") if words else ""
    )
    nothing = {"need": None, "chosen": None}
    assert (
        need_wording.verdict(nothing)
        == need_wording.measured(nothing)
        == need_wording.by_costs(nothing)
        == ""
    )


@pytest.mark.parametrize(
    ("difference", "words"),
    [
        (-0.1, ": less than the rule above is expected to cost on new cases (0.500). Prefer it."),
        (-0.01, "; these data cannot say which of the two rules is better."),
        (0.1, ": more than the rule above is expected to cost on new cases (0.500), so do not take a for one."),
    ],
)  # fmt: skip
def test_what_the_costs_alone_would_choose(difference: float, words: str) -> None:
    """Of the rule's own score; rules of others are for experts."""
    others = (("a", 0.5, 0.9, 0.4, 0.02), ("low", 0.83333, 0.2, -0.3, 0.02))
    facts = facts_of({"a": 10}, ("a", 1 / 6, 0.5 + difference, difference, 0.02), *others)
    assert need_wording.by_costs(facts) == (
        "If a is a calibrated probability, the costs alone set its threshold, 0.1666. "
        f"On the past cases that costs {0.5 + difference:.4g} per case{words}"
    )
    assert need_wording.by_costs(facts_of({"a": 10}, *others)) == ""


def test_what_was_measured_is_for_experts() -> None:
    facts = facts_of({"a": 10}, ("a", 0.5, 0.9, 0.4, 0.02), ("low", 0.83331, 0.2, -0.3, 0.02))
    assert need_wording.measured(facts) == (
        "Held out in 10-fold cross-validation, rules chosen in this way cost 0.500 per case; the 95 % interval 0.461 "
        "to 0.539 is by the standard error of the cases, and how they were parted is not in it. Paired case by case, "
        "rules that no data chose cost so much more: low at 0.8334: −0.300 (−0.339 to −0.261); a at 0.5: 0.400 "
        "(0.361 to 0.439)."
    )
