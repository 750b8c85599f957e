"""Views of lines over one axis, in a real browser: drawn where their numbers are, and what one sets above them."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import report_cases as cases
import rochull as rh
from browser import Tab, to_view

COSTS = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3)
LINES = ("thresholds", "decision", "reviews", "calibration")


@pytest.fixture
def page(tab: Tab, tmp_path: Path) -> Iterator[Page]:
    rh.Report(cases.shipped("german_credit_scores", "class", "bad"), COSTS).save(tmp_path / "r.html")
    with tab(tmp_path / "r.html") as shown:
        yield shown


def test_lines_are_drawn_where_their_numbers_are(page: Page) -> None:
    for view in LINES:
        page.evaluate("id => rochullReport.choose(id)", view)
        lines = page.evaluate(
            """() => { const { lines, scales: { x, y } } = rochullReport.chart;
            return lines.filter(({ i }) => i >= 0).map((line) => [line.i, Array.from(line.x, x), line.y.map(y)]); }"""
        )
        assert [line[0] for line in lines] == list(range(5))
        for i, x, y in lines:
            text = page.locator(f"#view-{view} .rc-curves path").nth(i).get_attribute("d") or ""
            drawn = np.array(re.findall(r"[ML](-?[\d.]+),(-?[\d.]+)", text), float)
            assert len(drawn) > 3
            assert drawn[0] == pytest.approx([x[0], y[0]], abs=21)  # beyond the frame it is just outside
            order = np.argsort(x)
            inside = (drawn[:, 1] > 30) & (drawn[:, 1] < max(y) - 5)
            level = np.interp(drawn[:, 0], np.array(x)[order], np.array(y)[order])
            assert np.median(np.abs(level - drawn[:, 1])[inside]) < 1.5
        page.locator(f"#view-{view} .rc-item").first.click()
        expect(page.locator(f"#view-{view} .rc-curves path").first).to_have_attribute("d", "")
        page.locator(f"#view-{view} .rc-item").first.click()
        page.locator(f"#view-{view} .rc-plot").focus()
        page.keyboard.press("ArrowRight")
        expect(page.locator(f"#view-{view} .rc-tip")).to_be_visible()
        page.keyboard.press("Escape")


@pytest.mark.short
def test_reviews_follow_what_one_sets(page: Page) -> None:
    hybrid = cases.shipped("german_credit_scores", "class", "bad")
    to_view(page, "Reviews")
    said = page.locator("#view-reviews .rc-said")
    for cost, most in ((0.1, 1), (0.3, 0.2), (4, 0.5)):
        page.get_by_label("a review costs").fill(str(cost))
        page.get_by_label("reviewed at most").fill(str(most))
        review = rh.Review(1, 5, cost, prevalence=0.3, max_share=most)
        point = hybrid.at(review)
        assert float(said.get_attribute("data-share") or 0) == pytest.approx(point.review_rate)
        assert float(said.get_attribute("data-cost") or 0) == pytest.approx(point.expected_cost(review))
        page.get_by_role("button", name="Copy code for analysts").click()
        line = page.locator("#copy-python").input_value().splitlines()[-1].removeprefix("point = ")
        page.keyboard.press("Escape")
        assert eval(line, {"rh": rh, "hybrid": hybrid}).words == point.words
    page.get_by_label("reviewed at most").fill("200")
    expect(page.get_by_label("reviewed at most")).to_have_attribute("aria-invalid", "true")


def test_calibration_tells_its_error(page: Page) -> None:
    to_view(page, "Calibration")
    page.get_by_label("Classifier whose intervals are shown").select_option("tree")
    table = rh.datasets.load("german_credit_scores")
    bad, score = np.asarray(table["class"] == "bad"), np.asarray(table["tree"]).astype(str).astype(float)
    inside = np.clip(np.floor(np.round(10 * score, 6)), 0, 9)[:, None] == np.arange(10)
    error = np.abs(inside.T @ (score - bad)).sum() / bad.size
    said = page.locator("#view-calibration .rc-said")
    assert float(said.get_attribute("data-value") or 0) == pytest.approx(error, abs=1e-6)
    assert f"{100 * error:.1f}" in said.inner_text()
