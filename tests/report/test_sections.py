"""The parts of the report's page around the decision: tables, legends, paper, other locales; in a browser."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import report_cases as cases
import rochull as rh
from browser import eventually, opened, to_view
from reading import plain
from rochull.report import Segmentation, robust_wording

LONG = [f"gradient_boosting_on_all_features_of_2024_fold_{i}" for i in range(2)]
RANGE = rh.ExpectedCost(cost_fp=1, cost_fn=(2, 1500), prevalence=(0.1, 0.25))
NOT_MET = {"goal": "min_precision", "min_precision": 0.9, "prevalence": 0.5}
EMPTY = """[...document.querySelectorAll("[data-calibration]")]
    .filter((box) => !box.querySelector(".rc-block")).length"""


@pytest.fixture(scope="module")
def eight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on a range, of eight classifiers; two of them have names that differ at their ends."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 400)
    hybrid = rh.Hybrid()
    for i, name in enumerate([*LONG, *"abcdef"]):
        hybrid.add(name, y, rng.normal(y, 0.8 + 0.1 * (i % 2)))
    path = tmp_path_factory.mktemp("pages") / "eight.html"
    rh.Report(hybrid, RANGE).save(path)
    return path


@pytest.fixture
def page(browser: Browser, eight: Path) -> Iterator[Page]:
    with opened(browser, eight) as shown:
        yield shown


@pytest.fixture(scope="module")
def segments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with segments that no precision above 75% can be had of."""
    y, s = np.tile([1, 0, 0, 0, 1, 1, 1, 0], 50), np.repeat(np.tile([0.0, 1.0], 50), 4)
    given = Segmentation(
        y, {"a": s}, {"x": np.arange(400) % 2}, redistribution=rh.ErrorRedistribution("fixed")
    )
    path = tmp_path_factory.mktemp("pages") / "segments.html"
    rh.Report(rh.Hybrid().add("a", y, s), rh.MinimumRecall(0.5), segment=given).save(path)
    return path


def test_all_of_the_page_is_in_the_readers_locale(browser: Browser, eight: Path) -> None:
    with opened(browser, eight, locale="de-DE") as page:
        assert (
            "Of 10.000 cases, 10\u00a0% to 25\u00a0% of them "
            in page.locator("#outcomes-two caption").inner_text()
        )
        condition = page.locator("#asked").inner_text()
        assert (
            "costs 1, a miss 2 to 1.500, prevalence 10\u00a0% to 25\u00a0%; for the whole range" in condition
        )


def test_the_cases_of_a_range_are_said_as_in_python(page: Page) -> None:
    said, _ = robust_wording.outcomes(page.evaluate("rochullReport.facts")) or ("", None)
    caption = page.locator("#outcomes-two caption")
    assert plain(caption.inner_text()) == said
    for prevalence, end in ((0.25, "(of the past ones 46.8 %)"), ([0.1, 0.3], "from the fewest to the most")):
        page.evaluate("p => rochullReport.set({ ...rochullReport.state, prevalence: p })", prevalence)
        eventually(page, lambda: plain(caption.inner_text()), lambda found, end=end: found.endswith(end))


def test_who_is_optimal_where_is_in_percent(page: Page) -> None:
    page.get_by_text("For experts: by costs and slope").click()
    rows = page.locator("tr[data-slope]")
    assert rows.count() > 3
    facts = page.evaluate("rochullReport.facts.dominance.rows")
    shown = [row.locator("td").all_inner_texts()[-2:] for row in rows.all()]
    told = [row[rate] for row in facts for rate in ("fpr", "tpr")]
    for cell, (low, high) in zip(itertools.chain(*shown), told, strict=True):
        first, last = f"{100 * low:.1f}", f"{100 * high:.1f}"
        assert cell == (first if first == last else f"{first}–{last}") + "\u00a0%"


def test_many_classifiers_alone_are_folded_away(page: Page) -> None:
    section = page.locator("[aria-labelledby=robust]")
    first = section.locator("tbody tr:visible th").all_inner_texts()
    assert [text.split(" ")[0] for text in first] == ["smallest"] * len(first)
    section.locator("summary").first.click()
    rows = section.locator("details tbody tr:visible")
    names = page.evaluate("rochullReport.model.names")
    folded = [text.split(" alone")[0] for text in rows.locator("th").all_inner_texts()]
    assert folded == [name for name in names if f"{name} alone" not in " ".join(first)]


def test_calibrations_are_drawn_without_being_seen(browser: Browser, eight: Path) -> None:
    with opened(browser, eight, viewport={"width": 1000, "height": 500}) as page:
        eventually(page, lambda: page.evaluate(EMPTY), lambda found: found == 0)
        assert page.evaluate("scrollY") == 0


def test_long_names_are_cut_in_the_middle(page: Page) -> None:
    items = page.locator("#views .rc-item")
    for i, name in enumerate(LONG):
        expect(items.nth(i)).to_have_attribute("title", name)
        expect(items.nth(i)).to_have_text(name)
        cut, whole = items.nth(i).locator(".rc-start"), items.nth(i).locator("bdi")
        assert cut.evaluate("(e) => e.scrollWidth > e.clientWidth")
        assert whole.evaluate("(e) => e.scrollWidth <= e.clientWidth")  # its end is seen


def test_one_name_for_the_union_hull(page: Page) -> None:
    to_view(page, "Cost curves")
    keys = page.locator("#view-cost .rc-keys")
    expect(keys).to_contain_text("best of all")
    expect(keys).not_to_contain_text("hybrid")


def test_keys_are_on_paper(page: Page) -> None:
    page.emulate_media(media="print")
    printed = page.locator("#printed .rc-keys", has_text="best of all")
    expect(printed).to_have_count(7)  # the ROC plane, its images, cost curves and net benefit
    for keys in printed.all():
        expect(keys).to_be_visible()
        expect(keys.get_by_text("best of all")).to_be_visible()


def test_sql_says_what_it_reads(page: Page) -> None:
    page.get_by_role("button", name="Download the rule").click()
    expect(page.locator("#rule-dialog")).to_contain_text("these must be numeric")


def test_segments_that_cannot_meet_the_condition(browser: Browser, segments: Path) -> None:
    with opened(browser, segments) as page:
        message = page.locator("#segments-message")
        expect(message).to_be_hidden()
        page.evaluate("set => rochullReport.set({ ...rochullReport.state, ...set })", NOT_MET)
        expect(message).to_be_visible()
        expect(message).to_contain_text("75")
        cells = page.locator("#segment-rows tr").first.locator("[data-key]")
        assert cells.all_inner_texts() == ["–"] * 5


def test_tabs_without_room_in_the_row_are_behind_a_button(browser: Browser, tmp_path: Path) -> None:
    hybrid = cases.shipped("german_credit_scores", "class", "bad")
    rh.Report(hybrid, rh.ExpectedCost(1, 5)).save(tmp_path / "r.html")
    with opened(browser, tmp_path / "r.html", viewport={"width": 1100, "height": 800}) as page:
        tabs, more = page.locator("#tabs [role=tab]"), page.locator("#more-views")

        def rows() -> int:
            tops = tabs.evaluate_all(
                "all => all.filter((each) => !each.hidden).map((each) => each.offsetTop)"
            )
            return sum(after > before + 10 for before, after in itertools.pairwise([-100, *sorted(tops)]))

        expect(more).to_have_text("More views")
        assert (rows(), more.get_attribute("aria-expanded")) == (1, "false")
        assert not page.get_by_role("tab", name="Lift").is_visible()
        more.click()
        expect(more).to_have_text("Fewer views")
        assert rows() == 2
        page.get_by_role("tab", name="Lift").click()
        more.click()  # what is seen has a tab
        assert page.evaluate("rochullReport.view") == "roc"
        assert rows() == 1
        page.evaluate("rochullReport.choose('det')")  # as a link does
        expect(page.get_by_role("tab", name="DET", selected=True)).to_be_visible()
        page.set_viewport_size({"width": 390, "height": 800})
        expect(more).to_be_hidden()  # the row slides
