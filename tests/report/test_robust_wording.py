"""Rules for a range of conditions, in words that need no statistics."""

from typing import Any

import pytest
from scipy import stats

import report_cases as cases
import rochull as rh
from rochull.report import robust_wording

CASES = [
    (rh.ExpectedCost(1, (4, 12), 0.3), "a miss costs 4 to 12, each value equally likely."),
    (
        rh.ExpectedCost(1, (4, 12), (0.08, 0.2)),
        "a miss costs 4 to 12 and 8 % to 20 % of the cases are positive, each value equally likely, each number "
        "independent of the others.",
    ),
    (
        rh.ExpectedCost((1, 2), stats.expon(2), 0.3),
        "a false alarm costs 1 to 2 and a miss costs a number distributed as expon(2), each value between two ends "
        "equally likely, each number independent of the others.",
    ),
    (
        rh.ExpectedCost(1, stats.expon(2), 0.3),
        "a miss costs a number distributed as expon(2).",
    ),
    (rh.NeymanPearson((0.1, 0.2)), "the limit is 10 % to 20 %, each value equally likely."),
    (rh.MinimumRecall((0.7, 0.8)), "the limit is 70 % to 80 %, each value equally likely."),
    (
        rh.Capacity(fraction=(0.1, 0.2)),
        "at most 10 % to 20 % of the cases can be flagged, each value equally likely.",
    ),
    (
        rh.Within(rh.ExpectedCost(1, (4, 12), 0.3), [rh.FalsePositiveRate() <= 0.2]),
        "a miss costs 4 to 12, each value equally likely.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("condition", "words"), CASES)
def test_what_means_assume(condition: Any, words: str) -> None:
    report = rh.Report(cases.shipped("german_credit_scores", "class", "bad"), condition)
    facts, text = report.facts, " ".join(report.to_text().split())
    assert robust_wording.note(facts).endswith(f" Its mean assumes that {words}")
    plain, _, experts = text.partition("For experts ")
    assert words in plain
    assert f"Means of regret are over {facts['robust']['distribution']}." in experts
    priced = facts["robust"]["measure"] == "expected cost per case"
    assert f"smallest worst {'extra cost' if priced else 'loss'}: " in plain
