"""The histogram of scores: its bars counted from the examples, and a threshold that is dragged or moved by keys."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import report_cases as cases
import rochull as rh
from browser import Tab, to_view
from rochull.report import html

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


def drawn(page: Page) -> None:
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def test_no_text_of_a_script_spans_lines() -> None:
    """Its lines can lose their indents, then; what is lost is comments."""
    for name in html.SCRIPTS:
        script = html.resource(name)
        assert not [line for line in script.splitlines() if line.count("`") % 2]
        assert len(html.lean(script)) < len(script)


def test_a_script_loses_its_spaces_and_no_text_does() -> None:
    script = """
      const a = { "x, y": [1, - 1] }; // of it
      // more
      f(`a, ${b + 1}`, c / d, '"= "');
      if (a === b) return "= >";
      g(`a ${b ? `x , y` : ""}`, 1);
      h(/a , "b/, 1);
    """
    told = [
        'const a={"x, y":[1,- 1]};',
        """f(`a, ${b + 1}`,c / d,'"= "');""",
        'if(a===b)return "= >";',
        'g(`a ${b ? `x , y` : ""}`, 1);',
        'h(/a , "b/, 1);',
    ]
    assert html.lean(script).splitlines() == told


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
