"""The histogram of scores: its bars counted from the examples, and a threshold that is dragged or moved by keys."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import report_cases as cases
import rochull as rh
from browser import Tab, drawn, to_view

COSTS = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3)
BARS = """key => {
  const { x, y } = rochullReport.chart.scales, path = document.querySelector(`#view-scores .o-${key}`).getAttribute("d");
  return [...path.matchAll(/M([\\d.]+),[\\d.]+V([\\d.]+)/g)].map(([, at, top]) => [x.invert(at), y.invert(top)]);
}"""


@pytest.fixture
def page(tab: Tab, tmp_path: Path) -> Iterator[Page]:
    hybrid = cases.shipped("german_credit_scores", "class", "bad")
    rng = np.random.default_rng(0)
    bad = rh.datasets.load("german_credit_scores")["class"] == "bad"
    hybrid.add("low", bad, -np.round(rng.normal(0.3 * bad), 1), lower_is_positive=True)
    rh.Report(hybrid, COSTS).save(tmp_path / "r.html")
    with tab(tmp_path / "r.html") as shown:
        to_view(shown, "Scores")
        yield shown


def test_bars_are_counts_of_examples(page: Page) -> None:
    table = rh.datasets.load("german_credit_scores")
    bad, score = (
        np.asarray(table["class"] == "bad"),
        np.asarray(table["naive_bayes"]).astype(str).astype(float),
    )
    edges = np.arange(51) / 50
    inside = np.clip(np.searchsorted(edges, score, side="right") - 1, 0, 49)
    for key, sign, own in (("tp", 1, bad), ("tn", -1, ~bad)):
        share = np.bincount(inside[own], minlength=50) / own.sum()
        bars = {round(x, 2): top for x, top in page.evaluate(BARS, key)}
        found = [bars.get(round(float(low), 2), 0.0) for low in edges[:-1]]
        wanted = sign * share * 50
        assert np.array(found) == pytest.approx(wanted, abs=0.05)


@pytest.mark.short
def test_dragging_pins_the_rule_of_one_classifier(page: Page) -> None:
    chart = page.locator("#view-scores .rc-plot")
    chart.scroll_into_view_if_needed()
    box: Any = chart.bounding_box()
    place = "threshold => rochullReport.chart.scales.x(threshold)"
    page.mouse.move(box["x"] + page.evaluate(place, 0.2), box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + page.evaluate(place, 0.5), box["y"] + 100, steps=5)
    drawn(page)
    page.mouse.up()
    table = rh.datasets.load("german_credit_scores")
    bad, flagged = np.asarray(table["class"] == "bad"), np.asarray(table["naive_bayes"]) >= 0.5
    expect(page.locator('#compare-rows tr[data-row="today"] th')).to_contain_text(
        "\u2068naive_bayes\u2069 ≥ 0.5"
    )
    counts = {"caught": flagged & bad, "missed": ~flagged & bad, "false alarms": flagged & ~bad}
    texts = page.locator("#view-scores .rc-count").all_text_contents()
    for word, cell in counts.items():
        assert f"{10 * cell.sum():,} {word}" in texts
    assert chart.get_attribute("aria-valuenow") == "0.5"
    sides = page.locator("#view-scores .rc-side1").get_attribute("x")
    assert float(sides or 0) == pytest.approx(page.evaluate(place, 0.5))
    chart.focus()
    page.keyboard.press("End")
    assert page.evaluate("rochullReport.chart.element.querySelector('.rc-plot').ariaValueNow") == "1"
    page.keyboard.press("ArrowLeft")
    drawn(page)
    assert float(chart.get_attribute("aria-valuenow") or 0) < 1


def said(page: Page) -> str:
    text = page.locator("#view-scores .rc-said").text_content() or ""
    return text.translate({0x2068: None, 0x2069: None, 0xA0: " ", 0x202F: " "})


def test_the_best_rule_stays_in_sight_and_can_be_reached(page: Page) -> None:
    hybrid = cases.shipped("german_credit_scores", "class", "bad")
    best = hybrid.at(COSTS)
    (threshold,) = [float(rule.threshold) for rule, _ in best.rules]
    assert said(page).startswith("naive_bayes ≥ ")
    assert "(best rule): expected cost " in said(page)
    assert "than the best rule" not in said(page)
    star, key = page.locator("#view-scores .rc-top .rc-star"), page.locator("#view-scores .rc-keys")
    place = "threshold => rochullReport.chart.scales.x(threshold)"
    x = page.evaluate(place, threshold)
    assert (star.get_attribute("transform") or "").startswith(f"translate({x:.2f},")
    expect(key.get_by_text("best rule", exact=True)).to_be_visible()
    chart = page.locator("#view-scores .rc-plot")
    chart.scroll_into_view_if_needed()
    box: Any = chart.bounding_box()
    page.mouse.move(box["x"] + page.evaluate(place, 0.6), box["y"] + 100)
    page.mouse.down()
    drawn(page)
    table = rh.datasets.load("german_credit_scores")
    bad, flagged = np.asarray(table["class"] == "bad"), np.asarray(table["naive_bayes"]) >= 0.6
    cost = ((flagged & ~bad).sum() + 5 * (~flagged & bad).sum()) / len(bad)
    more = f"{100 * (cost / best.expected_cost(COSTS) - 1):.0f} % more than the best rule"
    assert f"expected cost {cost:.4g} per case, {more}. This is your current rule." in said(page)
    assert (star.get_attribute("transform") or "").startswith(f"translate({x:.2f},")
    page.mouse.move(box["x"] + x + 3, box["y"] + 100, steps=4)
    drawn(page)
    page.mouse.up()
    assert float(chart.get_attribute("aria-valuenow") or 0) == threshold
    assert "(best rule): expected cost" in said(page)
    page.get_by_label("Classifier whose scores are shown").select_option("low")
    expect(star).to_be_hidden()
    expect(key).to_have_text("best rulethe best single threshold")  # neither is seen
    expect(key.get_by_text("best rule", exact=True)).to_be_hidden()


def test_a_bar_tells_its_range_and_its_counts(page: Page) -> None:
    table = rh.datasets.load("german_credit_scores")
    bad, score = np.asarray(table["class"] == "bad"), np.asarray(table["naive_bayes"]).astype(float)
    inside = (score >= 0.3) & (score < 0.32)
    chart, tip = page.locator("#view-scores .rc-plot"), page.locator("#view-scores .rc-tip")
    chart.scroll_into_view_if_needed()
    box: Any = chart.bounding_box()
    page.mouse.move(box["x"] + page.evaluate("rochullReport.chart.scales.x(0.31)"), box["y"] + 100)
    wanted = ["Scores 0.3–0.32"]
    for name, own in (("bad", bad), ("not bad", ~bad)):
        wanted += [f"{name}{(inside & own).sum()}{100 * (inside & own).sum() / own.sum():.1f} % of the class"]
    text = (tip.text_content() or "").translate({0x2068: None, 0x2069: None, 0xA0: " ", 0x202F: " "})
    assert text == "".join([*wanted, "of the 1,000 examples"])
    page.mouse.move(0, 0)
    expect(tip).to_be_hidden()
    chart.focus()
    page.keyboard.press("Home")  # the keys, which move the threshold, tell the bar at it
    expect(tip).to_contain_text("Scores 0–0.02")
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()


def test_one_bar_does_not_flatten_the_others(tab: Tab, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    positive = rng.random(2000) < 0.3
    score = np.where(rng.random(2000) < 0.39, 0.005, rng.random(2000))
    rh.Report(rh.Hybrid().add("a", positive, score), COSTS).save(tmp_path / "r.html")
    with tab(tmp_path / "r.html") as page:
        to_view(page, "Scores")
        assert "square-root axis" in (page.locator("#view-scores .rc-title").nth(1).text_content() or "")
        for key, sign, own in (("fn", 1, positive), ("tn", -1, ~positive)):
            share = [np.mean((score >= low) & (score < low + 0.02), where=own) for low in (0, 0.5)]
            bars = {round(x, 2): top for x, top in page.evaluate(BARS, key)}
            assert [sign * bars[x] ** 2 for x in (0, 0.5)] == pytest.approx(
                [sign * 50 * part for part in share], rel=0.05
            )
        ticks = page.locator("#view-scores .rc-ticks text").all_text_contents()
        assert sum(text.startswith("20") for text in ticks) == 2


def test_low_scores_are_flagged_on_the_left(page: Page) -> None:
    page.get_by_label("Classifier whose scores are shown").select_option("low")
    page.locator("#view-scores .rc-plot").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator('#compare-rows tr[data-row="today"] th')).to_contain_text("\u2068low\u2069 ≤")
    assert page.locator("#view-scores g[clip-path*='-0)'] .o-tp").count() == 1


def test_thresholds_that_are_one_number_of_a_browser_are_drawn(tab: Tab, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    positive = rng.random(300) < 0.3
    hybrid = rh.Hybrid().add("near", positive, 2**60 + rng.integers(0, 20, 300) + 5 * positive)
    rh.Report(hybrid, COSTS).save(tmp_path / "r.html")
    with tab(tmp_path / "r.html") as page:
        for name in ("Scores", "Costs"):
            to_view(page, name)
            drawn(page)
            texts = page.evaluate(
                "() => [...document.querySelectorAll('path')].map((p) => `${p.getAttribute('d')}`)"
            )
            assert not [text for text in texts if "NaN" in text]
