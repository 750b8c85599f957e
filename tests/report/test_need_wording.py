"""How sure it is which classifier is best, in words: plain for everybody, with numbers for experts."""

import pytest

from rochull.report import need_wording


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
    facts = {"need": {"hybrid": 0.5, "hybrid_error": 0.02, "members": members}}
    start = "Under the report’s own condition one score decides. In 10-fold cross-validation"
    assert need_wording.verdict(facts) == (f"{start}{words}" if words else "")
    assert need_wording.measured(facts) == (
        "Held out in 10 folds, one random partition of the cases, rules chosen in this way cost 0.500 ± 0.020 per case (standard error of the cases). Another "
        "partition gives other figures."
    )
    assert need_wording.verdict({"need": None}) == need_wording.measured({"need": None}) == ""
