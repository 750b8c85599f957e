"""Whether a hybrid is needed, in words: plain for everybody, with numbers for experts."""

import pytest

from rochull.report import need_wording


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        ({}, " pays: in 10-fold cross-validation it cost less than a alone, by more than chance explains."),
        (
            {"pvalue": 0.4},
            " cost less in 10-fold cross-validation than a alone, but that may be chance: keep the one "
            "threshold of a.",
        ),
        (
            {"difference": -0.1},
            " does not pay: in 10-fold cross-validation a alone cost less, by more than chance explains. So "
            "keep the one threshold of a.",
        ),
        (
            {"difference": 0.0, "pvalue": 1.0},
            " did not cost less in 10-fold cross-validation than a alone: keep the one threshold of a.",
        ),
        (
            {"difference": 0.0, "error": 0.0, "pvalue": 1.0},
            " adds nothing: in 10-fold cross-validation it decides every case as a alone does. A new score "
            "made of them was not tried.",
        ),
    ],
)
def test_the_verdict_in_words_and_its_numbers_apart(change: dict[str, float], verdict: str) -> None:
    found = {"hybrid": 0.5, "alone": 0.6, "members": {"b": 1, "a": 9}, "difference": 0.1, "error": 0.03}
    found |= {"pvalue": 0.01, "level": 0.05} | change
    start = "Under the report’s own condition, switching between the scores"
    assert need_wording.verdict({"need": found}) == f"{start}{verdict}"
    measured = need_wording.measured({"need": found})
    alone = "the hybrid costs 0.5 per case, and the score that is best alone (a in 9 of them) 0.6"
    assert measured.startswith(f"Held out in 10 folds, one random partition of the cases, {alone}")
    less = f"{found['difference']:.3f}".replace("-", "−")
    error = f": a difference of {less} ± 0.030 (standard error; p = {found['pvalue']:.2g})"
    assert (error in measured) == (found["error"] > 0)
    assert measured.endswith(". Another partition gives other figures.")
    always = need_wording.measured({"need": found | {"members": {"b": 0, "a": 10}}})
    assert "per case, and a alone 0.6" in always
