"""How sure it is which classifier is best, in words: plain for everybody, with numbers for experts."""

from typing import Any

import pytest

from rochull.report import need_wording


def facts_of(
    members: dict[str, int], *rivals: tuple[str, float | None, float, float, float]
) -> dict[str, Any]:
    keys = ("classifier", "threshold", "cost", "difference", "error")
    rows = [dict(zip(keys, each, strict=True)) for each in rivals]
    need = {
        "hybrid": 0.5,
        "hybrid_error": 0.02,
        "members": members,
        "n_folds": 10,
        "n_repeats": 1,
        "rivals": rows,
    }
    return {
        "need": need, "positive": "bad", "condition": {"parameters": {"prevalence": 0.3}}, "examples": {"prevalence": 0.3},
        "classifiers": [{"name": name, "lower_is_positive": name == "low"} for name in ("a", "low")],
        "chosen": {"rules": [{"rule": {"classifier": "a"}}]},
    }  # fmt: skip


OTHERS = ("b", None, 0.53, 0.03, 0.01), ("c", None, 0.51, 0.01, 0.01)


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"a": 10, "b": 0, "c": 0}, "a was the best score on each of the 10 parts that chose"),
        ({"b": 1, "c": 0, "a": 9}, "the best score on the parts that chose was a 9 and b 1 of 10 times"),
        ({"a": 10}, None),
    ],
)
def test_how_sure_it_is_which_classifier_is_best(members: dict[str, int], words: str | None) -> None:
    facts = facts_of(members, ("a", None, 0.5, 0.0, 0.0), *OTHERS)
    start = "The best rule uses one score. In 10-fold cross-validation"
    told = (
        f"{start}, {words}. On the parts left out, rules of the others, chosen in the same way, cost more per case by "
        "(95 % intervals): c 0.010 (−0.010 to 0.030) and b 0.030 (0.010 to 0.050). These data cannot tell c from a."
    )
    assert need_wording.need_verdict(facts) == (told if words else "")
    facts["need"]["n_repeats"] = 5
    assert need_wording.need_verdict(facts).startswith(
        start.replace("In 10", "In 5 rounds of 10") if words else ""
    )
    nothing = {"need": None, "chosen": None}
    assert (
        need_wording.need_verdict(nothing)
        == need_wording.need_measured(nothing)
        == need_wording.by_costs(nothing)
        == ""
    )


@pytest.mark.parametrize(
    ("difference", "words"),
    [
        (-0.1, "0.100 less than the rule above on new cases (0.500; 95 %: 0.061 to 0.139 less): prefer it."),
        (-0.01, "0.010 less than the rule above on new cases (0.500; 95 %: from 0.049 less to 0.029 more): these data cannot tell them apart."),
        (0.1, "0.100 more than the rule above on new cases (0.500; 95 %: 0.061 to 0.139 more): keep the rule above."),
    ],
)  # fmt: skip
def test_what_the_costs_alone_would_choose(difference: float, words: str) -> None:
    """Of the rule's own score; rules of others are for experts."""
    others = (("a", 0.5, 0.9, 0.4, 0.02), ("low", 0.83333, 0.2, -0.3, 0.02))
    facts = facts_of({"a": 10}, ("a", 1 / 6, 0.5 + difference, difference, 0.02), *others)
    begin = "If a is a calibrated probability (of past cases with a score of 0.3, 30 % are bad), its threshold follows from "
    told = f", without a search: 0.1666. These cases did not choose it. It costs {0.5 + difference:.4g} per case, {words}"
    assert need_wording.by_costs(facts) == f"{begin}the costs alone{told}"
    facts["condition"]["parameters"]["prevalence"] = 0.1
    moved = "the costs and the share of bad cases, 30.0 % in the past and 10 % in future"
    assert need_wording.by_costs(facts) == f"{begin}{moved}{told}"
    assert need_wording.by_costs(facts_of({"a": 10}, *others)) == ""


def test_what_was_measured_is_for_experts() -> None:
    facts = facts_of({"a": 10}, *OTHERS, ("a", 0.5, 0.9, 0.4, 0.02), ("low", 0.83331, 0.2, -0.3, 0.02))
    assert need_wording.need_measured(facts) == (
        "Held out in 10-fold cross-validation, rules chosen in this way cost 0.500 per case. The 95 % interval 0.461 "
        "to 0.539 is of their mean cost, by the standard error of the cases, with costs and prevalence taken as known; "
        "it is of rules chosen anew on each training part, not of the rule above. Thresholds that need no search "
        "cost more by, paired case by case: low at 0.8334 −0.300 (−0.339 to −0.261) and a at 0.5 0.400 (0.361 to 0.439)."
    )
