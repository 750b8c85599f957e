"""Which classifier is best where, in words, and where too few cases tell."""

import numpy as np
import pytest

import rochull as rh
from rochull.report import dominance_wording


@pytest.mark.parametrize(
    ("positives", "words"),
    [
        (
            10,
            "On these data a is best, except where few cases are flagged. b is best only where few cases are flagged (10): too few to tell.",
        ),
        (40, "On these data no classifier is best for all costs and prevalences."),
    ],
)
def test_few_cases_do_not_tell_which_classifier_is_best(positives: int, words: str) -> None:
    """`b` finds some positives without a false alarm; `a` is better everywhere else."""
    y = np.repeat([1, 0], [200, 800])
    a = np.r_[np.repeat([2, 1, 0], [160, 30, 10]), np.repeat([2, 1, 0], [45, 155, 600])]
    b = np.zeros(1000)
    b[:positives] = 1
    hybrid = rh.Hybrid().add("a", y, a).add("b", y, b)
    report = rh.Report(hybrid)
    assert dominance_wording.absolute(report.facts) == words
    few = positives < 30
    assert dominance_wording.on_hull(report.facts, "b", True) == (
        "yes, on too few cases to tell" if few else "yes"
    )
    assert dominance_wording.on_hull(report.facts, "a", True) == "yes"
    weighted = rh.Hybrid()
    for name, score in (("a", a), ("b", b)):
        weighted.add(name, y, score, sample_weight=np.full(1000, 1.5))
    assert "too few" not in dominance_wording.absolute(rh.Report(weighted).facts)
