"""Terms at the word: one table, which is that of docs/glossary.md, and a definition by mouse, key or tap."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import report_cases as cases
import rochull as rh
from browser import Tab
from rochull.report.glossary import TERMS, glossed

COSTS = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3)
PLURALS = {"operating points": "operating point", "mixtures": "mixture"}


def test_the_definitions_are_those_of_the_document() -> None:
    text = (Path(__file__).parents[2] / "docs" / "glossary.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("|")
    ]
    told = {name: row[2] for row in rows for name in re.split(r", | \(.*?\)", row[0]) if name}
    short = {"TPR": "true positive rate", "FPR": "false positive rate"}
    for term, definition in TERMS.items():
        name = short.get(term) or PLURALS.get(term, term)
        assert definition == (f"{name}, the {told[name]}" if term in short else told[name])


def test_the_first_of_each_term_is_marked() -> None:
    found = glossed("In-sample <hull> and hull; union-hull, hulls, regret")
    assert found.count("data-told") == 3
    assert found.startswith(
        '<span class="term" data-told="measured on the data that chose the rule">In-sample</span> &lt;'
    )


@pytest.fixture
def page(tab: Tab, tmp_path: Path) -> Iterator[Page]:
    rh.Report(cases.shipped("german_credit_scores", "class", "bad"), COSTS).save(tmp_path / "r.html")
    with tab(tmp_path / "r.html") as shown:
        yield shown


def test_a_word_is_explained_where_it_stands(page: Page) -> None:
    term, box = page.locator("#answer .term", has_text="false positive rate").first, page.locator("#told")
    expect(box).to_be_hidden()
    term.hover()
    expect(box).to_have_text("false positive rate: share of negatives that are flagged")
    page.mouse.move(1, 1)
    expect(box).to_be_hidden()
    term.focus()
    expect(box).to_be_visible()
    expect(term).to_have_attribute("aria-describedby", "told")
    place, width = box.bounding_box(), page.evaluate("innerWidth")
    assert place is not None
    assert 0 <= place["x"] <= width - place["width"]
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()


def test_what_is_for_experts_is_folded_but_on_paper(page: Page) -> None:
    table = page.get_by_text("Areas under their curves")
    assert not table.is_visible()
    page.emulate_media(media="print")
    expect(table).to_be_visible()
    page.emulate_media(media="screen")
    expect(table).to_be_hidden()
    page.get_by_text("For experts: areas and operating points").click()
    expect(table).to_be_visible()
