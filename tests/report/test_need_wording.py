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


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize(
    ("members", "key"),
    [({"a": 10, "b": 0, "c": 0}, "all"), ({"b": 1, "c": 0, "a": 9}, "some"), ({"a": 10}, None)],
)
def test_how_sure_it_is_which_classifier_is_best(members: dict[str, int], key: str | None) -> None:
    facts = facts_of(members, ("a", None, 0.5, 0.0, 0.0), *OTHERS)
    told = f"report.need.{key} report.need.others report.need.alike"
    assert need_wording.need_verdict(facts) == (told if key else "")
    asked = need_wording.need_verdict, need_wording.need_measured, need_wording.by_costs
    assert [ask({"need": None, "chosen": None}) for ask in asked] == [""] * 3


def test_rivals_are_told_with_their_intervals_the_nearest_first() -> None:
    facts = facts_of({"b": 1, "c": 0, "a": 9}, ("a", None, 0.5, 0.0, 0.0), *OTHERS)
    facts["need"]["n_repeats"] = 5
    told = need_wording.need_verdict(facts)
    parts = (
        "In 5 rounds of 10",
        "a 9 and b 1 of 50 times",
        "c 0.010 (−0.010 to 0.030) and b 0.030 (0.010 to 0.050)",
    )
    assert all(part in told for part in (*parts, "cannot tell c from a")), told


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
    told = need_wording.need_measured(facts)
    for part in (
        "cost 0.500 per case. The 95 % interval 0.461 to 0.539 is",
        "low at 0.8334 −0.300 (−0.339 to −0.261) and a at 0.5 0.400 (0.361 to 0.439).",
    ):
        assert part in told
