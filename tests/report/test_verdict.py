# long: the page says it too; the tests share a browser
"""The answer in one sentence, in Python and on the page, and what it is compared with, side by side."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import report_cases as cases
import rochull as rh
from browser import opened
from rochull.report.verdict import about, compared, in_sample, verdict

ABOUT = {"table": "german.parquet", "label": "class", "positive": "bad", "date": "1994", "about": "A bank's."}


@pytest.fixture(scope="module")
def german() -> rh.Hybrid:
    return cases.shipped("german_credit_scores", "class", "bad")


@pytest.fixture(scope="module")
def page_file(german: rh.Hybrid, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("verdict") / "r.html"
    rh.Report(german, rh.ExpectedCost(1, 5), title="Credit", about=ABOUT).save(path)
    return path


def plain(text: str) -> str:
    return re.sub("[\u2066-\u2069]", "", text).replace("\u00a0", " ")


def settles(page: Page, script: str) -> None:
    """Wait until a script gives true: the page forbids what Playwright waits by."""
    for _ in range(200):
        if page.evaluate(script):
            return
        page.wait_for_timeout(25)
    raise AssertionError(script)


def said(page: Page) -> str:
    return plain(page.locator("#verdict").inner_text())


def test_the_sentence(german: rh.Hybrid) -> None:
    assert verdict(rh.Report(german, rh.ExpectedCost(1, 5), about=ABOUT).facts) == (
        "Flag a case as bad when naive_bayes ≥ 0.1744. Expected cost 0.502 per case: 38 % less than naive_bayes "
        "at 0.5, 28 % less than flagging all, 67 % less than flagging none."
    )
    assert verdict(rh.Report(german).facts) is None
    assert verdict(rh.Report(german, rh.ExpectedCost(1, (5, 9))).facts) == (
    )
    everything = verdict(rh.Report(german, rh.ExpectedCost(1, 1000)).facts)
    assert everything is not None
    assert "Flag every case as positive" in everything or "when naive_bayes" in everything
    assert [compared(*pair) for pair in ((1, 2), (2, 1), (0, 0), (1, 0), (1, 1.001))] == [
        "50 % less than", "100 % more than", "as much as", "100 % more than", "as much as",
    ]  # fmt: skip


def test_what_a_positive_case_is_called(german: rh.Hybrid) -> None:
    for given, name in [
        ({"positive": "bad", "label": "class"}, "bad"),
        ({"positive": ">50K", "label": "income"}, "income >50K"),
        ({"positive": "1", "label": "y"}, "y 1"),
        ({}, "positive"),
    ]:
        assert rh.Report(german, about=given).facts["positive"] == name
    assert about(rh.Report(german, about=ABOUT | {"rochull": "1"}).facts) == (
        "A bank's. · table german.parquet · label class · positive bad · date 1994"
    )
    assert about(rh.Report(german).facts) is None


def test_in_sample_is_said_once_with_what_it_does(german: rh.Hybrid) -> None:
    table = rh.datasets.load("german_credit_scores")
    y, scores = table["class"] == "bad", {name: table[name] for name in cases.SCORES}
    sure = rh.report.Uncertainty(y, scores, n_resamples=40)
    report = rh.Report(german, rh.ExpectedCost(1, 5), uncertainty=sure)
    kept = report.facts["uncertainty"]["bootstrap"]["optimism"]
    expected = f"On new cases expect a cost per case of about {kept['corrected']:.4g}, not 0.502."
    assert in_sample(report.facts).endswith(expected)
    text = rh.Report(german, rh.ExpectedCost(1, 5)).to_text()
    assert len(re.findall("(?i)in-sample", text)) == 1
    assert "called positive" not in text


@pytest.mark.parametrize("single", [False, True])
def test_the_page_says_what_python_says(
    browser: Browser, german: rh.Hybrid, page_file: Path, single: bool
) -> None:
    conditions = [
        (rh.ExpectedCost(1, 3), {"goal": "cost", "cost_fn": 3}),
        (rh.ExpectedCost(1, 40), {"goal": "cost", "cost_fn": 40}),
        (rh.ExpectedCost(9, 1), {"goal": "cost", "cost_fp": 9, "cost_fn": 1}),
        (rh.NeymanPearson(0.2), {"goal": "max_fpr", "max_fpr": 0.2}),
        (rh.MinimumRecall(0.77), {"goal": "min_recall", "min_recall": 0.77}),
        (rh.MinimumPrecision(0.61, prevalence=0.3), {"goal": "min_precision", "min_precision": 0.61}),
        (rh.Capacity(fraction=0.123, prevalence=0.3), {"goal": "capacity", "fraction": 0.123}),
    ]  # fmt: skip
    with opened(browser, page_file, locale="en-US") as page:
        start = page.evaluate("rochullReport.state")
        for condition, change in conditions:
            page.evaluate("state => rochullReport.set(state)", start | change | {"mixtures": not single})
            wanted = verdict(rh.Report(german, condition, about=ABOUT, deterministic=single).facts)
            assert said(page) == wanted
            assert page.locator("#mixtures").is_checked() != single


def test_one_threshold_only_is_a_tick_and_is_exported(
    browser: Browser, german: rh.Hybrid, tmp_path: Path
) -> None:
    limit = rh.NeymanPearson(0.2)
    rh.Report(german, limit, command=["rochull", "report", "t.csv"]).save(tmp_path / "r.html")
    point = german.at(limit, deterministic=True)
    with opened(browser, tmp_path / "r.html", locale="en-US") as page:
        expect(page.locator("#single")).to_be_visible()
        page.get_by_label("allow mixtures").uncheck()
        expect(page.locator("#single")).to_be_hidden()
        expect(page.locator("#rule")).to_contain_text("logistic ≥ 0.3863")
        settles(page, "location.hash.includes('mixtures=no')")
        page.locator("#open-copy").click()
        assert page.locator("#copy-python").input_value().splitlines()[0].startswith("point, costs = ")
        assert (
            "hybrid.at(rh.NeymanPearson(0.2), deterministic=True)"
            in page.locator("#copy-python").input_value()
        )
        assert page.locator("#copy-command").input_value().endswith(" --deterministic")
        page.keyboard.press("Escape")
        page.locator("#open-rule").click()
        expect(page.locator("#policy-single")).to_be_visible()
        page.select_option("#dialect", "duckdb")
        written = page.locator("#sql-text").input_value()
    assert written == german.policy().to_sql(point, dialect="duckdb")


def cells(page: Page, row: str) -> dict[str, str]:
    found: dict[str, str] = page.evaluate(
        """row => Object.fromEntries([...document.querySelectorAll(`[data-row="${row}"] td`)].map(
            (cell) => [cell.dataset.cell, cell.textContent]))""",
        row,
    )
    return {key: plain(text) for key, text in found.items()}


def test_the_rule_of_today_side_by_side(browser: Browser, page_file: Path) -> None:
    table = rh.datasets.load("german_credit_scores")
    bad, flagged = table["class"] == "bad", table["boosted"] >= 0.37
    with opened(browser, page_file, locale="en-US") as page:
        page.select_option("#today-classifier", "4")
        page.fill("#today-threshold", "0.37")
        page.fill("#per-cases", "1000")
        page.fill("#cost-unit", "EUR")
        wanted = {
            "flagged": f"{flagged.sum()}", "caught": f"{(flagged & bad).sum()}",
            "missed": f"{(~flagged & bad).sum()}", "false alarms": f"{(flagged & ~bad).sum()}",
        }  # fmt: skip
        cost = (flagged & ~bad).sum() + 5 * (~flagged & bad).sum()
        shown = cells(page, "today")
        assert {key: shown[key] for key in wanted} == wanted
        assert shown["cost"] == f"{cost} EUR"
        assert shown["less"] == f"{100 * (1 - 502 / cost):.0f} % less"
        assert cells(page, "best")["cost"] == "502 EUR"
        page.fill("#today-threshold", "0.3712345")
        expect(page.locator("#today-note")).to_contain_text("The nearest threshold")
        settles(page, "location.hash.includes('today=0.3712345:boosted')")
        page.evaluate("rochullReport.pin(null)")
        expect(page.locator("#today-classifier")).to_have_value("")
        page.evaluate("location.hash += '&again'")  # as of a bookmark
        expect(page.locator("#today-classifier")).to_have_value("4")


def test_a_click_beside_a_curve_changes_nothing_and_back_undoes(browser: Browser, page_file: Path) -> None:
    with opened(browser, page_file, viewport={"width": 1440, "height": 900}) as page:
        before: Any = page.evaluate("rochullReport.state")
        box = page.locator(".view:not([hidden]) .rc-overlay").bounding_box()
        star = page.locator(".view:not([hidden]) .rc-star").first.bounding_box()
        assert box
        assert star
        x, y = star["x"] + star["width"] / 2, star["y"] + star["height"] / 2
        page.mouse.click(x + 14, y + 20)  # near enough for a tooltip
        assert page.evaluate("rochullReport.state") == before
        page.locator("#f-cost_fn").fill("9")
        settles(page, "location.hash.includes('cost_fn=9')")
        page.go_back()
        settles(page, "rochullReport.state.cost_fn === 5")
        assert said(page).startswith("Flag a case as bad when")


@pytest.mark.parametrize("size", [(390, 844), (740, 360), (820, 700), (1100, 800), (1440, 900)])
def test_the_answer_stays_on_the_screen(browser: Browser, page_file: Path, size: tuple[int, int]) -> None:
    width, height = size
    with opened(browser, page_file, viewport={"width": width, "height": height}) as page:
        page.locator("#f-prevalence").scroll_into_view_if_needed()
        seen = page.evaluate("""() => ["#bar .bar-rule", "#rule"].some((each) => {
            const box = document.querySelector(each).getBoundingClientRect();
            return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight;
        })""")
        assert seen
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_lines_and_swatches_of_24_classifiers_differ(browser: Browser, tmp_path: Path) -> None:
    hybrid = rh.Hybrid()
    for i in range(24):
        hybrid.add_point(f"c{i}", i / 50, 1 - (1 - i / 50) ** 2 / 2)  # each is needed
    rh.Report(hybrid).save(tmp_path / "r.html")
    with opened(browser, tmp_path / "r.html") as page:
        looks = page.evaluate("""() => [[...document.querySelectorAll("#alone-rows .swatch")].map((node) => {
            const style = getComputedStyle(node);
            return style.backgroundColor + style.maskImage;
        }), [...document.querySelectorAll(".view:not([hidden]) .rc-curve")].slice(0, 24).map((node) => {
            const style = getComputedStyle(node);
            return style.stroke + style.strokeDasharray;
        })]""")
    assert [len(set(each)) for each in looks] == [24, 24]
