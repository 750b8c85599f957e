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
    priced = facts["robust"]["measure"] == "expected cost"
    extra = "extra cost" if priced else "loss"
    assert f"smallest worst {extra}" in plain
    assert f"; for the whole range, the rule whose worst {extra} is smallest" in plain


def test_each_rule_is_told_once() -> None:
    report = rh.Report(
        cases.shipped("german_credit_scores", "class", "bad"), rh.ExpectedCost(1, (4, 12), (0.08, 0.2))
    )
    told = [row["rules"] for row in report.facts["robust"]["rows"]]
    rows = robust_wording.table(report.facts)[1]
    distinct = [rule for i, rule in enumerate(told) if rule not in told[:i]]
    assert len(rows) == len(distinct) < len(told)
    assert sum(name.count("alone") for name, *_ in rows) == len(report.facts["classifiers"])


def test_outcomes_over_a_range_are_those_at_its_ends() -> None:
    hybrid = cases.shipped("german_credit_scores", "class", "bad")
    facts = rh.Report(hybrid, rh.ExpectedCost(1, (4, 12), (0.08, 0.2)), deterministic=True).facts
    row = facts["robust"]["rows"][1]
    title, (_, cells) = robust_wording.outcomes(facts) or ("", ([], []))
    assert title.startswith(
        "Of 10,000 cases, 8 % to 20 % of them bad (of the past ones 30.0 %); in each cell"
    )
    ends = [
        f"{round(800 * row['tpr']):,} to {round(2000 * row['tpr']):,}",
        f"{round(800 * (1 - row['tpr'])):,} to {round(2000 * (1 - row['tpr'])):,}",
        f"{round(8000 * row['fpr']):,} to {round(9200 * row['fpr']):,}",
        f"{round(8000 * (1 - row['fpr'])):,} to {round(9200 * (1 - row['fpr'])):,}",
    ]
    assert [cell for each in cells for cell in each[1:]] == ends
    known = rh.Report(hybrid, rh.NeymanPearson((0.1, 0.2))).facts
    assert robust_wording.outcomes(known) is None


def test_outcomes_of_one_prevalence_add_up() -> None:
    hybrid = cases.shipped("german_credit_scores", "class", "bad")
    for miss in ((2, 10), (3, 7), (4, 12)):
        facts = rh.Report(hybrid, rh.ExpectedCost(1, miss, 0.3)).facts
        _, (_, cells) = robust_wording.outcomes(facts) or ("", ([], []))
        assert [sum(int(cell.replace(",", "")) for cell in each[1:]) for each in cells] == [3000, 7000]
