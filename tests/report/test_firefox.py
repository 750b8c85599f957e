"""Both pages in Firefox: they open without a word on the console, say what Python says, move, and save."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import report_cases as cases
import rochull as rh
from firefox import Firefox, firefox
from multiclass_report_cases import made_points
from rochull.report import MulticlassReport, multiclass_verdict, wording
from rochull.words.clauses import Clause

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    with firefox(tmp_path_factory.mktemp("firefox")) as started:
        yield started


def plain(text: str | None) -> str:
    """Without what isolates names, and with ordinary spaces."""
    table = {0x2068: None, 0x2069: None, 0xA0: " ", 0x202F: " "}
    return (text or "").translate(table)


def said(browser: Firefox, place: str = "#verdict") -> str:
    return plain(browser.text(place))


def headline(report: rh.Report) -> str:
    return plain(wording.PAGE.told(Clause.from_dict(report.facts["answer"]["headline"])))


def test_an_error_is_noticed(browser: Firefox, tmp_path: Path) -> None:
    (tmp_path / "bad.html").write_text(
        "<!DOCTYPE html><title>x</title><script>throw new Error('no')</script>"
    )
    browser.open(tmp_path / "bad.html")
    assert any("Error: no" in message for message in browser.wrong())
    assert browser.wrong() == []


def test_the_page_of_two_classes(browser: Firefox, tmp_path: Path) -> None:
    hybrid = cases.shipped("german_credit_scores", "class", "bad")
    report = rh.Report(hybrid, rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3))
    report.save(tmp_path / "r.html")
    browser.open(tmp_path / "r.html")
    assert said(browser, "#first h1") == headline(report)
    browser.evaluate("document.getElementById('experts').open = true")
    browser.drag("[data-slider=ratio] input", 40)
    ratio = float(browser.evaluate("return document.querySelector('[data-field=cost_fn]').value"))
    assert ratio != 5
    condition = rh.ExpectedCost(cost_fp=1, cost_fn=ratio, prevalence=0.3)
    moved = rh.Report(hybrid, condition)
    assert said(browser, "#first h1") == headline(moved) != headline(report)
    browser.click("#open-rule")
    browser.click("#policy-save")
    saved = rh.Policy.load(browser.downloaded("policy.json"))
    scores: Any = {name: np.linspace(0, 1, 50) for name in cases.SCORES}
    wanted = hybrid.policy().decide(scores, condition)
    assert saved.decide(scores, condition).tolist() == wanted.tolist()
    assert browser.wrong() == []


def test_the_page_of_several_classes(browser: Firefox, tmp_path: Path) -> None:
    report = MulticlassReport(made_points(3, 60))
    report.save(tmp_path / "r.html")
    browser.open(tmp_path / "r.html")
    first = said(browser)
    assert first == plain(multiclass_verdict.headline(report.facts))
    browser.evaluate("document.getElementById('experts').open = true")
    browser.drag(".panel svg", 30)
    assert said(browser) != first
    index = int(browser.evaluate("return document.querySelector('[data-key=point]').dataset.value"))
    browser.click(".files button")
    document = json.loads(browser.downloaded(f"policy-point-{index}.json").read_text(encoding="utf-8"))
    assert document["points"][0]["weights"] == report.facts["points"]["weights"][index]
    assert browser.wrong() == []
