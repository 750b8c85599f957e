"""The single thresholds that a report holds: of each height the one with the fewest false alarms, and no other."""

import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

import report_cases as cases
import rochull as rh
from browser import opened
from rochull.report import singles
from rochull.report.singles import single_rules

MAKERS = [
    cases.tiny,
    cases.weighted,
    cases.rates_only,
    cases.alone,
    cases.long_integers,
    cases.low_is_positive,
]


def points_of(hybrid: rh.Hybrid) -> list[tuple[Fraction, Fraction]]:
    """Return all points of all classifiers, as far as they are known: a slow twin."""
    found = [hybrid.hull.frontier, *(hull.frontier for hull in hybrid.hulls.values())]
    found += [curve.frontier for hull in hybrid.hulls_with_curves.values() for curve in hull.curves.values()]
    return [point for frontier in found for point in frontier.points()]


@pytest.mark.parametrize("make", MAKERS)
def test_of_each_height_the_fewest_false_alarms(make: Any) -> None:
    hybrid = make()
    facts, rules = single_rules(hybrid)
    best: dict[Fraction, Fraction] = {}
    for x, y in points_of(hybrid):
        best[y] = min(x, best.get(y, x))
    assert [y / facts["tp"][-1] for y in facts["tp"]] == pytest.approx(sorted(float(y) for y in best))
    negatives = rh.Report(hybrid).facts["totals"]["negatives"]
    wanted = [float(best[y]) for y in sorted(best)]
    assert [x / negatives for x in facts["fp"]] == pytest.approx(wanted)
    assert (facts["max_error"], facts["unknown"], len(rules)) == (0, [], len(best))


def test_thresholds_of_low_scores_are_on_their_own_scale() -> None:
    rng = np.random.default_rng(3)
    y, score = rng.integers(0, 2, 300), np.round(rng.random(300), 2)
    facts, rules = single_rules(rh.Hybrid().add("a", y, score, lower_is_positive=True))
    assert len(rules) > 20
    for x, t, threshold, rule in zip(*(facts[key] for key in ("fp", "tp", "threshold")), rules, strict=True):
        if rule.kind == "threshold":
            assert (rule.lower_is_positive, rule.threshold) == (True, threshold)
            flagged = score <= threshold
            assert (x, t) == ((flagged & (y == 0)).sum(), (flagged & (y == 1)).sum())


def test_more_than_a_page_holds_are_some_with_the_vertices_and_the_chosen_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hybrid = cases.shipped("german_credit_scores", "class", "bad")
    every, _ = single_rules(hybrid)
    monkeypatch.setattr(singles, "MOST", 60)
    chosen = hybrid.at(rh.NeymanPearson(0.2), deterministic=True)
    facts, rules = single_rules(hybrid, chosen)
    assert len(facts["fp"]) < 100 < len(every["fp"])
    assert 0 < facts["max_error"] < 0.1
    assert chosen.rules[0][0] in rules
    kept = set(zip(facts["fp"], facts["tp"], strict=True))
    assert kept < set(zip(every["fp"], every["tp"], strict=True))
    vertices = list(zip(hybrid.hull.fp.tolist(), hybrid.hull.tp.tolist(), strict=True))
    assert set(vertices[:-1]) <= kept  # "always" has more false alarms than are needed


def test_what_is_not_known_is_named() -> None:
    curve = rh.roc_curve([0, 1] * 50, np.arange(100) % 37).thin(0.2)
    assert single_rules(rh.Hybrid().add_curve("thin", curve))[0]["unknown"] == ["thin"]


def test_one_threshold_is_what_the_report_tells() -> None:
    hybrid, limit = cases.shipped("german_credit_scores", "class", "bad"), rh.NeymanPearson(0.2)
    mixed, single = (rh.Report(hybrid, limit, deterministic=one) for one in (False, True))
    point = hybrid.at(limit, deterministic=True)
    assert (round(point.fpr, 3), round(point.tpr, 3)) == (0.2, 0.62)  # the vertex below has 12.7 % and 50.7 %
    assert (single.facts["chosen"]["fpr"], single.facts["chosen"]["tpr"]) == (point.fpr, point.tpr)
    assert single.facts["chosen"] == mixed.facts["deterministic"]
    assert len(mixed.facts["chosen"]["rules"]) == 2
    alone = {row["classifier"]: row["point"]["rules"] for row in single.facts["regret"]["rows"]}
    assert {len(rules) for rules in alone.values()} == {1}
    assert "Flag a case when logistic is 0.3863 or more. Of 100 bad cases you catch 62; of 100" in " ".join(
        single.to_text().split()
    )


def test_a_best_rule_with_gaps_says_so_in_every_form() -> None:
    rng = np.random.default_rng(5)
    y, score = rng.integers(0, 2, 400), np.round(rng.normal(size=400), 2)
    known = rh.roc_curve(y, score + y)
    thin, whole = rh.Hybrid().add_curve("thin", known.thin(0.1)), rh.Hybrid().add_curve("thin", known)
    limit, costs = rh.NeymanPearson(0.123), rh.ExpectedCost(1, 2, 0.3)
    gaps = "ot every threshold of 'thin' is known, and another may be better"
    for hybrid, condition, single, told in (
        (thin, limit, False, f"With one threshold only, the best rule is {{}} of the negatives. N{gaps}."),
        (thin, limit, True, f"N{gaps}."),
        (thin, costs, True, None),
        (whole, limit, True, None),
        (whole, limit, False, None),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            report = rh.Report(hybrid, condition, deterministic=single)
        text, page = " ".join(report.to_text().split()), report.to_html().replace("&#39;", "'")
        static = page.partition("The best rule for the report")[2]
        for shown in (text, static):
            assert (gaps in shown) == (told is not None)
        if told is not None:
            assert told.rpartition("{}")[2] in text


def test_the_page_says_where_thinned_thresholds_answer(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hybrid = cases.shipped("german_credit_scores", "class", "bad")
    monkeypatch.setattr(singles, "MOST", 60)
    rh.Report(hybrid, rh.NeymanPearson(0.2)).save(tmp_path / "r.html")
    with opened(browser, tmp_path / "r.html", locale="en-US") as page:
        start, told = page.evaluate("rochullReport.state"), page.locator("#singles-told")
        expect(page.locator("#single")).to_be_visible()
        expect(told).to_be_hidden()  # the report's own answer is exact
        for mixtures in (True, False):
            page.evaluate(
                "state => rochullReport.set(state)", start | {"max_fpr": 0.17, "mixtures": mixtures}
            )
            expect(told).to_be_visible()
            expect(told).to_have_text(
                "This page holds some of the thresholds: another one may be better, by at most 4.167 percentage "
                "points of FPR and TPR together."
            )
        page.evaluate("state => rochullReport.set(state)", start | {"goal": "cost", "mixtures": False})
        expect(told).to_be_hidden()


@pytest.mark.parametrize("seed", range(5))
def test_the_rule_for_a_range_is_held_where_there_are_too_many_points(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 3000)
    monkeypatch.setattr(singles, "MOST", 100)
    hybrid = rh.Hybrid().add("a", y, rng.normal(size=y.size) + y)
    facts = rh.Report(hybrid, rh.ExpectedCost(1, (2, 10))).facts
    assert len(facts["singles"]["fp"]) < 200
    assert facts["answer"]["rule"]["threshold"] in facts["singles"]["threshold"]
