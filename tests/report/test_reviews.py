"""A report on a third action: its rule, and the least cost of every share that is reviewed."""

import json
import re
from importlib.resources import files
from typing import Any

import jsonschema
import numpy as np
import pytest
from playwright.sync_api import Browser

import rochull as rh
from rochull.conditions.rules import Action, Scores
from rochull.report import html
from rochull.report.review_order import reviewing
from rochull.report.review_wording import reviewed_cases, reviewed_of
from rochull.report.verdict import meaning, verdict


@pytest.fixture(scope="module")
def hybrid() -> rh.Hybrid:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    return rh.Hybrid().add("a", y, y + rng.normal(size=300)).add("b", y, y + 2 * rng.random(300))


@pytest.mark.parametrize("cost", [0.1, (0.05, 0.2)])
def test_facts_and_text(hybrid: rh.Hybrid, cost: float | tuple[float, float]) -> None:
    review = rh.Review(cost_fn=2, cost_review=cost, max_share=0.2)
    report = rh.Report(hybrid, review)
    facts = report.facts["review"]
    schema = json.loads((files("rochull.report") / "report.schema.json").read_text())
    jsonschema.validate(json.loads(report.to_json()), schema)
    if cost == 0.1:
        point = hybrid.at(review)
        assert (facts["review_rate"], facts["error_rate"]) == (point.review_rate, point.error_rate)
        assert facts["expected_cost"] == point.expected_cost(review)
    assert facts["frontier"]["cost"] == hybrid.review_frontier(review.center).cost.tolist()
    assert report.facts["condition"] is None
    text = report.to_text()
    assert "Reviewed: 20.0 % of the cases" in text.replace("\n", " ")
    assert "Without reviews it is" in text
    assert rh.Report(hybrid).facts["review"] is None
    assert '"review_rate"' in report.to_html()
    assert verdict(report.facts) in " ".join(text.split())
    with pytest.raises(ValueError, match="figures has no effect with a Review"):
        rh.Report(hybrid, review, figures=rh.ExpectedCost())


@pytest.mark.parametrize(
    "asked",
    [{}, {"prevalence": 0.037}, {"prevalence": (0.1, 0.33)}, {"max_share": 0.1234}, {"cost_review": 9.0}],
)
def test_what_the_rule_does_with_10000_cases(hybrid: rh.Hybrid, asked: dict[str, Any]) -> None:
    review = rh.Review(**({"cost_fn": 2.0, "cost_review": 0.1} | asked))
    report = rh.Report(hybrid, review)
    table = report.facts["review"]["outcomes"]
    rng = np.random.default_rng(0)  # the same cases as in the hybrid, row by row
    y = rng.integers(0, 2, 300)
    scores = {"a": y + rng.normal(size=300), "b": y + 2 * rng.random(300)}
    prevalence = {"prevalence": y.mean()} | asked
    middle = float(np.mean(prevalence["prevalence"]))
    assert table["prevalence"] == pytest.approx(middle)
    wanted: dict[str, list[float]] = {"positives": [0.0] * 3, "negatives": [0.0] * 3}
    for rule, share in report_rules(hybrid, review):
        outcome = rule.outcome(300, lambda name: Scores(scores[str(name)]))
        for i, action in enumerate((Action.POSITIVE, Action.REVIEW, Action.NEGATIVE)):
            for name, label, mass in (("positives", 1, middle), ("negatives", 0, 1 - middle)):
                wanted[name][i] += 10_000 * mass * share * float(np.mean(outcome[y == label] == action))
    for name, cells in wanted.items():
        assert list(table[name].values()) == pytest.approx(cells, abs=1e-8)
    columns, rows = reviewed_cases(report.facts) or ([], [])
    assert columns == ["", "flagged", "reviewed", "passed"]
    whole = np.array([[int(cell.replace(",", "")) for cell in row[1:]] for row in rows])
    assert whole.sum(axis=1).tolist() == [round(10_000 * middle), 10_000 - round(10_000 * middle)]
    assert np.abs(whole - list(wanted.values())).max() < 1
    text = " ".join(report.to_text().split())
    assert reviewed_of(report.facts) in text
    assert ("the middle of the range" in text) is isinstance(asked.get("prevalence"), tuple)
    html = report.to_html()
    assert all(f"<td data-number>{cell}</td>" in html for row in rows for cell in row[1:])
    older = report.facts | {"review": {k: v for k, v in report.facts["review"].items() if k != "outcomes"}}
    assert reviewed_cases(older) is None


def report_rules(hybrid: rh.Hybrid, review: rh.Review) -> Any:
    """The rules of a report: those of least worst regret, where a number is a range."""
    return (
        review.at_prevalence(hybrid.hull.prevalence)
        .own_point(hybrid.hulls.values(), deterministic=False, minimax=bool(review.intervals))
        .rules
    )


def test_thresholds_that_are_rounded_are_told_with_all_digits(hybrid: rh.Hybrid) -> None:
    review = rh.Review(cost_fn=2, cost_review=0.1)
    text = " ".join(rh.Report(hybrid, review).to_text().split())
    [(rule, _)] = hybrid.at(review).rules
    assert f"with all digits they are {rule.high.threshold} and {rule.low.threshold}." in text
    y, score = [0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6]
    assert "with all digits" not in rh.Report(rh.Hybrid().add("a", y, score), review).to_text()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, ["of the cases are reviewed, by reviewers who are taken to make no mistakes.", " less than without reviews"]),
        ({"reviewer": (0.05, 0.9)}, ["to catch 90 % of the positive cases and wrongly flag 5 % of the negative cases."]),
        ({"max_share": 0.2}, ["less than without reviews", "reviewing all (which breaks the limit)."]),
        ({"max_error": 0.05}, ["reviews included: ", "reviewing all."]),
        ({"cost_review": 5}, ["pass the rest unflagged. No review is worth its cost. Expected cost", "less than reviewing all."]),
        ({"max_share": 0}, ["pass the rest unflagged. No case is reviewed. Expected cost"]),
        ({"cost_fn": (2, 3)}, ["reviews included, in the middle of the ranges: "]),
    ],
)  # fmt: skip
def test_the_headline_says_what_reviewers_do_and_what_reviews_save(
    hybrid: rh.Hybrid, asked: dict[str, Any], said: list[str]
) -> None:
    review = rh.Review(**({"cost_fn": 2, "cost_review": 0.1} | asked))
    facts = rh.Report(hybrid, review).facts
    text, found = str(verdict(facts)), facts["review"]
    for each in said:
        assert each in text
    assert ("without reviews" in text) == (found["review_rate"] > 0 and "max_error" not in asked)
    assert ("reviewing all" in text) == (found["review_rate"] < 1)
    false, true = asked.get("reviewer", (0, 1))  # what a review of every case costs
    middle, p = review.center, hybrid.prevalence
    everything = middle.cost_review + (1 - p) * middle.cost_fp * false + p * middle.cost_fn * (1 - true)
    assert found["frontier"]["cost"][-1] == pytest.approx(everything)
    assert found["frontier"]["share"][-1] == 1
    costs = meaning(facts)
    assert "To review a case is to have a person decide it." in str(costs)
    assert f"a review {asked.get('cost_review', 0.1)}, a correct decision nothing." in str(costs)


def test_scores_that_tell_nothing_are_all_reviewed() -> None:
    hybrid = rh.Hybrid().add("a", [0, 1, 0, 1], [1, 1, 1, 1])
    assert verdict(rh.Report(hybrid, rh.Review()).facts) == (
        "Review every case. 100.0 % of the cases are reviewed, by reviewers who are taken to make no mistakes. Expected "
        "cost 0.1 per case by these data, reviews included: 80 % less than without reviews."
    )


def rule(kind: str, threshold: float | None = None) -> dict[str, Any]:
    return {"kind": kind, "classifier": "a" if kind == "threshold" else None, "threshold": threshold}


NEVER, ALWAYS = rule("never"), rule("always")
HIGH, LOW, LOWER = (rule("threshold", at) for at in (0.7, 0.25, 0.1))
LOWEST, LOW_TOO = (rule("threshold", at) | {"lower_is_positive": True} for at in (0.1, 0.4))
SCRIPTS = ("report_format.js", "report_exact.js", "report_curves.js", "report_rule.js", "report_reviewed.js")


@pytest.mark.parametrize(
    ("high", "low", "said"),
    [
        (
            HIGH,
            LOW,
            "Flag a case as bad when a ≥ 0.7; otherwise review it when a ≥ 0.25; pass the rest unflagged",
        ),
        (HIGH, ALWAYS, "Flag a case as bad when a ≥ 0.7; review all others"),
        (HIGH, HIGH, "Flag a case as bad when a ≥ 0.7; pass the rest unflagged"),
        (NEVER, LOW, "Review a case when a ≥ 0.25; pass the rest unflagged; flag none without a review"),
        (NEVER, ALWAYS, "Review every case"),
        (NEVER, NEVER, "Flag no case as bad"),
        (ALWAYS, ALWAYS, "Flag every case as bad"),
    ],
)
def test_a_rule_with_reviews_is_an_order(
    high: dict[str, Any], low: dict[str, Any], said: str, browser: Browser
) -> None:
    """In Python and on the page."""
    assert reviewed(browser, [(high, low, 1)]) == said


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (
            [(HIGH, LOW, 0.3), (HIGH, LOWER, 0.7)],
            "Flag a case as bad when a ≥ 0.7; otherwise review it when a ≥ 0.25, and a random 70.0 % of those from "
            "0.1 up to 0.25; pass the rest unflagged",
        ),
        (
            [(HIGH, HIGH, 0.3), (HIGH, LOW, 0.7)],
            "Flag a case as bad when a ≥ 0.7; otherwise review it when a ≥ 0.25, for 70.0 % of the cases, drawn at "
            "random; pass the rest unflagged",
        ),
        (
            [(HIGH, LOWER, 0.3), (LOW, LOWER, 0.7)],
            "Flag a case as bad when a ≥ 0.7, and a random 70.0 % of those from 0.25 up to 0.7; otherwise review it "
            "when a ≥ 0.1; pass the rest unflagged",
        ),
        (
            [(NEVER, LOWER, 0.3), (LOW, LOW, 0.7)],
            "Flag a case as bad when a ≥ 0.25, for 70.0 % of the cases, drawn at random; otherwise review it when "
            "a ≥ 0.1, for 30.0 % of the cases, drawn at random; pass the rest unflagged",
        ),
        (
            [(HIGH, LOW, 0.25), (HIGH, LOWER, 0.25), (HIGH, LOW, 0.25), (HIGH, HIGH, 0.25)],
            "Flag a case as bad when a ≥ 0.7; otherwise review it when a ≥ 0.25 (for 50.0 % of the cases, at "
            "random) or a ≥ 0.1 (for 25.0 % of the cases, at random); pass the rest unflagged",
        ),
        (
            [(LOWEST, LOWEST, 0.3), (LOWEST, LOW_TOO, 0.7)],
            "Flag a case as bad when a ≤ 0.1; otherwise review it when a ≤ 0.4, for 70.0 % of the cases, drawn at "
            "random; pass the rest unflagged",
        ),
        (
            [(LOW_TOO, ALWAYS, 0.4), (LOWEST, ALWAYS, 0.6)],
            "Flag a case as bad when a ≤ 0.1, and a random 40.0 % of those from 0.4 down to 0.1; review all others",
        ),
    ],
)
def test_a_mixture_of_rules_with_reviews(browser: Browser, rules: list[Any], said: str) -> None:
    assert reviewed(browser, rules) == said


def reviewed(browser: Browser, parts: list[Any]) -> str:
    """The order, of which both languages say the same."""
    script = "\n".join(html.resource(name) for name in SCRIPTS)
    rules = [dict(zip(("high", "low", "probability"), part, strict=True)) for part in parts]
    page = browser.new_page()
    found = page.evaluate(f"rules => {{ {script}; return rochullReviewed.reviewing('bad', rules); }}", rules)
    page.close()
    said = plain(reviewing({"positive": "bad", "review": {"rules": rules}}))
    assert plain(found) == said
    return said


def plain(text: str) -> str:
    return re.sub("[\u2066-\u2069]", "", text).replace("\u00a0", " ")
