"""Pictures of the report's page, to be looked at: on a screen in both themes, on a phone, and on paper.

``python scripts/screenshots.py build/screenshots`` writes a PNG for each of three reports (Adult, German
credit with everything that a report can have, three classes) and each way of looking, and a PDF of what is
printed; its pages as PNG too where pypdfium2 is installed. ``--readme`` writes the picture of the README
instead. It needs the browser chromium and Playwright, as the tests do.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from draw_pictures import IMAGES, page_names

import rochull as rh
from rochull.report import Segmentation

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "docs"))

import site_pages  # noqa: E402

README = ROOT / "docs" / "report.png"
NAMES = ["naive_bayes", "logistic", "knn", "tree", "boosted"]
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
SCREEN = {"width": 1280, "height": 860}
WAYS: dict[str, dict[str, Any]] = {
    "light": {"viewport": SCREEN, "color_scheme": "light"},
    "dark": {"viewport": SCREEN, "color_scheme": "dark"},
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "device_scale_factor": 2,
        "is_mobile": True,
        "has_touch": True,
    },
}
VIEWS = ("cost", "pr", "lift", "det")


def adult() -> rh.Report:
    """Census incomes: five classifiers on 48,842 people."""
    table = rh.datasets.path("adult_scores")
    hybrid = rh.Hybrid.from_table(table, label="income", scores=NAMES, pos_label=">50K")
    costs = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.24)
    return rh.Report(hybrid, costs, title="Who earns more than 50,000 dollars?")


def german_credit(resamples: int = 500) -> rh.Report:
    """A thousand loans, with a bootstrap, folds, and thresholds by purpose."""
    table = rh.datasets.load("german_credit_scores")
    y, scores = np.asarray(table["class"] == "bad"), {name: np.asarray(table[name]) for name in NAMES}
    hybrid = rh.Hybrid()
    for name, score in scores.items():
        hybrid.add(name, y, score)
    return rh.Report(
        hybrid,
        rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3),
        title="Which loans to refuse",
        about={"table": "German credit", "positive": "bad"},
        uncertainty=rh.report.Uncertainty(y, scores, n_resamples=resamples, folds=table["fold"]),
        segment=Segmentation(y, scores, {"purpose": np.asarray(table["purpose"])}),
    )


def three_classes() -> rh.report.MulticlassReport:
    """Wines of three kinds."""
    from sklearn.datasets import load_wine
    from sklearn.model_selection import cross_val_predict
    from sklearn.naive_bayes import GaussianNB

    x, y = load_wine(return_X_y=True)
    outputs = cross_val_predict(GaussianNB(), x[:, :2], y, cv=5, method="predict_proba")
    grapes = ["Barolo", "Grignolino", "Barbera"]
    mc = rh.MulticlassRoc(np.array(grapes)[y], outputs, classes=grapes)
    mc.search("max_error", random_state=0)
    return rh.report.MulticlassReport(mc, title="Which grape is it?")


REPORTS = {"adult": adult, "german_credit": german_credit, "three_classes": three_classes}


@contextmanager
def chromium() -> Iterator[Any]:
    """Start the browser."""
    from playwright.sync_api import sync_playwright

    program = (
        os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-headless-shell")
    )
    if not program:
        raise SystemExit("no chromium on the PATH: see scripts/need_chromium.sh")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def opened(browser: Any, path: Path, **options: Any) -> Iterator[Any]:
    """Open a file, and let it draw."""
    context = browser.new_context(offline=True, **options)
    page = context.new_page()
    page.goto(path.as_uri())
    page.wait_for_timeout(500)
    yield page
    context.close()


def scrolled(page: Any) -> None:
    """Let what is drawn when it comes into view be drawn."""
    page.evaluate("""async () => {
      for (let y = 0; y < document.body.scrollHeight; y += 500) {
        scrollTo(0, y);
        await new Promise((done) => setTimeout(done, 60));
      }
      scrollTo(0, 0);
    }""")


def pictures(browser: Any, name: str, path: Path, folder: Path) -> None:
    """All pictures of one report."""
    for way, options in WAYS.items():
        with opened(browser, path, **options) as page:
            page.screenshot(path=folder / f"{name}-{way}.png")
            scrolled(page)
            page.screenshot(path=folder / f"{name}-{way}-whole.png", full_page=True)
            if name != "three_classes" and way == "light":
                for view in VIEWS:
                    page.evaluate("(view) => rochullReport.choose(view)", view)
                    page.screenshot(path=folder / f"{name}-{view}.png")
    with opened(browser, path, viewport=SCREEN) as page:
        page.pdf(
            path=folder / f"{name}-paper.pdf",
            format="A4",
            margin=dict.fromkeys(("top", "bottom", "left", "right"), "1.4cm"),
        )
    if importlib.util.find_spec("pypdfium2"):
        paper(folder / f"{name}-paper.pdf")


def paper(path: Path) -> None:
    """Pages of a PDF as PNG."""
    import pypdfium2  # type: ignore[import-not-found]

    for i, page in enumerate(pypdfium2.PdfDocument(path), 1):
        page.render(scale=1.3).to_pil().save(path.with_name(f"{path.stem}-{i}.png"))


def vehicles() -> rh.report.MulticlassReport:
    """The report of docs/multiclass.md."""
    names = page_names("multiclass.md", "point = found[0]")
    limits, costs = names["limits"], names["costs"]
    return rh.report.MulticlassReport(names["mc"], subject_to=limits, objective=costs, title="Which weights?")


def readme(browser: Any, folder: Path) -> None:
    """The pictures of the README, of the page that its first lines make, and of docs/multiclass.md."""
    html = SimpleNamespace(format="html")
    site_pages.write_demo(SimpleNamespace(builder=html, srcdir=ROOT / "docs", outdir=folder), None)
    vehicles().save(folder / "report.html")
    for path, picture, width, height in (
        (folder / "demo.html", README, 1280, 900),
        (folder / "report.html", IMAGES / "multiclass_report.png", 1280, 1000),
    ):
        with opened(browser, path, viewport={"width": width, "height": height}) as page:
            page.screenshot(path=picture)


def main() -> None:
    """Make the reports and the pictures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "screenshots")
    parser.add_argument("--readme", action="store_true", help="write the pictures of README and docs only")
    parser.add_argument(
        "--only", choices=[*REPORTS], nargs="+", default=[*REPORTS], help="some of the reports"
    )
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as made, chromium() as browser:
        if chosen.readme:
            readme(browser, Path(made))
            return
        chosen.folder.mkdir(parents=True, exist_ok=True)
        for name in chosen.only:
            REPORTS[name]().save(path := Path(made, f"{name}.html"))
            pictures(browser, name, path, chosen.folder)


if __name__ == "__main__":
    main()
