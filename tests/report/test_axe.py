"""axe-core, an engine that knows the rules of accessible pages, finds no fault: every view, width, theme, and paper."""

from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

import rochull as rh
from browser import opened
from multiclass_report_cases import made_points
from rochull.multiclass import Error
from rochull.report import MulticlassReport, Segmentation, Uncertainty

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
RUN = """(where) => axe.run(where, { resultTypes: ["violations"] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => [id, String(target), failureSummary])))"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every section and view of both kinds of report, of few cases."""
    rng, folder = np.random.default_rng(2), tmp_path_factory.mktemp("axe")
    y, shop = rng.integers(0, 2, 240), rng.choice(["a", "b", "c"], 240)
    scores = {name: 1 / (1 + np.exp(-rng.normal(by * y - 0.5))) for name, by in (("one", 1.0), ("two", 1.6))}
    hybrid = rh.Hybrid()
    for name, score in scores.items():
        hybrid.add(name, y, score)
    report = rh.Report(
        hybrid,
        rh.ExpectedCost(1, 5, 0.3),
        about={"label": "y", "positive": "1"},
        uncertainty=Uncertainty(y, scores, n_resamples=40, folds=np.arange(240) % 4),
        segment=Segmentation(y, scores, {"shop": shop}, cv=2),
    )
    report.save(folder / "two.html")
    rh.Report(hybrid, rh.Review(1, 5, 0.2, 0.3, max_share=0.2)).save(folder / "reviews.html")
    MulticlassReport(made_points(3, 40), subject_to=[Error("scar") <= 0.4]).save(folder / "several.html")
    return {path.stem: path for path in folder.iterdir()}


def faults(page: Page, where: str = "html") -> list[Any]:
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE)
    return list(page.evaluate(RUN, where))


def opened_up(page: Page, name: str) -> None:
    """Unfold what is folded, and let everything show that a reader can ask for."""
    if name == "several":
        outputs = b"lesion,normal,scar,y\n" + 40 * b"1,0,0,scar\n"
        file = {"name": "mine.csv", "mimeType": "text/csv", "buffer": outputs}
        page.locator("input[type=file]").set_input_files(file)
        page.locator(".batch .notice").first.wait_for()
        page.locator("table.confusion .cell").first.click()
        page.select_option("select[id$=objective]", label="expected cost")
        return
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.locator("#batch-file").set_input_files(
        {"name": "mine.csv", "mimeType": "text/csv", "buffer": b"y,one,two\n1,0.2,0.3\n0,0.9,0.8\n"}
    )
    page.locator("#batch-verdict .notice").first.wait_for()
    page.select_option("#today-classifier", label="one")
    page.get_by_label("cost of a miss is uncertain").check()
    page.locator("[data-field=max_fpr]").fill("x")


@pytest.mark.parametrize("name", ["two", "reviews", "several"])
@pytest.mark.parametrize("width", [390, 1100, 1440])
def test_a_whole_page(browser: Browser, pages: dict[str, Path], name: str, width: int) -> None:
    with opened(browser, pages[name], viewport={"width": width, "height": 900}) as page:
        opened_up(page, name)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert faults(page) == [], scheme
        page.emulate_media(media="print")
        assert faults(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view(browser: Browser, pages: dict[str, Path], scheme: Any) -> None:
    with opened(browser, pages["two"], viewport={"width": 1440, "height": 900}, color_scheme=scheme) as page:
        views = page.evaluate("rochullReport.views.names.map(({ id }) => id)")
        assert {"roc", "calibration", "reviews", "segments"} <= set(views)
        for view in views:
            page.evaluate("(view) => rochullReport.choose(view)", view)
            assert faults(page, "#charts") == [], view
        page.get_by_role("button", name="Copy code for analysts").click()
        assert faults(page, "dialog[open]") == []
