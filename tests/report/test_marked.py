"""No sentence is in code: where every message of the catalogue is in brackets, all that scripts write is."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

import rochull as rh
from browser import drawn, opened
from multiclass_report_cases import CLASSES, made_points
from reading import SEEN, words
from rochull.multiclass import CostMatrix, Error
from rochull.report import MulticlassReport, Segmentation, html, multiclass_html
from rochull.words.clauses import catalogue

ROOT = Path(__file__).parents[2]
TEXTS = """() => {
    const found = new Set(), walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode())
        if (!node.parentElement.closest("script, style, textarea, noscript, #first, [data-layer]"))
            found.add((node.parentElement.closest("[data-view] :is(p, dt, dd, caption, th, td)") ?? node).textContent.trim());
    for (const node of document.body.querySelectorAll("main > :not(#first) :is([aria-label], [title], [aria-valuetext])"))
        for (const name of ["aria-label", "title", "aria-valuetext"]) found.add(node.getAttribute(name) ?? "");
    return [...found];
}"""
MOST = 2  # words that stand together without being a sentence


def marked(message: Any) -> Any:
    if isinstance(message, dict):
        return {vocabulary: marked(text) for vocabulary, text in message.items()}
    return f"⟦{message}⟧"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The scripts, built with every message in brackets."""
    root = tmp_path_factory.mktemp("marked")
    shutil.copytree(ROOT / "page", root / "page", ignore=shutil.ignore_patterns("node_modules"))
    (root / "page/node_modules").symlink_to(ROOT / "page/node_modules")
    said, place = ROOT / "src/rochull/words", root / "src/rochull/words"
    place.mkdir(parents=True)
    shutil.copy(said / "answer.json", place)
    for name in ("catalogue.json", "experts.json"):
        messages = json.loads((said / name).read_text(encoding="utf-8"))
        made = {key: marked(message) for key, message in messages.items()}
        (place / name).write_text(json.dumps(made), encoding="utf-8")
    (root / "built").mkdir()
    run = ["node", root / "page/build.js", "--into", root / "built"]
    subprocess.run(run, check=True, capture_output=True, timeout=120)
    read = html.resource

    def resource(name: str) -> str:
        return (root / "built" / name).read_text("utf-8") if name.endswith(".bundle.js") else read(name)

    with pytest.MonkeyPatch.context() as patch:
        for module in (html, multiclass_html):
            patch.setattr(module, "resource", resource)
        yield


def texts(page: Page) -> list[str]:
    found: list[str] = page.evaluate(TEXTS)
    return found


def plain(text: str) -> str:
    """The same without names and numbers, which the page writes in its own way."""
    return " ".join(re.sub("\u2068[^\u2069]*\u2069", "*", re.sub(r"[−–\d.,]*\d", "1", text)).split())


def unmarked(text: str) -> str:
    """Give the longest run of words that are in no brackets, of which an element may have parted a pair."""
    before = ""
    while text != before:
        before, text = text, re.sub("⟦[^⟦⟧]*⟧", " | ", text)
    text = re.sub("^[^⟦⟧]*⟧|⟦[^⟦⟧]*$", " | ", text)
    return max(re.split("[|·]", text), key=lambda part: len(words(part)))


def sentences(page: Page, written: set[str]) -> list[str]:
    """Texts that scripts made, with more words together than a name has."""
    known = " ".join(map(plain, written))
    made = (text for text in map(plain, texts(page)) if text not in known)
    return sorted({left for text in made if len(words(left := unmarked(text))) > MOST})


class Written(HTMLParser):
    """The texts of a page as it is written, without what scripts make of it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.texts: set[str] = set()
        self._in = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_data(self, data: str) -> None:
        if self._in not in ("script", "style"):
            self.texts.add(data.strip())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in = tag
        self.texts |= {value.strip() for _, value in attrs if value}

    def handle_endtag(self, tag: str) -> None:
        self._in = ""


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize(
    "condition",
    [
        rh.ExpectedCost(1, 5, 0.3),
        pytest.param(rh.ExpectedCost(1, (2, 10), 0.3), marks=pytest.mark.long),
        pytest.param(rh.Within(rh.ExpectedCost(1, 5, 0.3), [rh.NeymanPearson(0.3)]), marks=pytest.mark.long),
        pytest.param(rh.Review(1, 5, 0.3, prevalence=0.3), marks=pytest.mark.long),
    ],
    ids=["costs", "range", "limits", "review"],
)
def test_experts_read_the_catalogue(browser: Browser, tmp_path: Path, condition: Any) -> None:
    rng = np.random.default_rng(0)
    y, kind = rng.integers(0, 2, 400), rng.choice(["a", "b"], 400)
    scores = {name: rng.normal(size=400) + y for name in ("one", "two")}
    hybrid = rh.Hybrid()
    for name, score in scores.items():
        hybrid.add(name, y, score)
    path = tmp_path / "r.html"
    segment = None if isinstance(condition, rh.Review) else Segmentation(y, scores, {"kind": kind}, cv=2)
    report = rh.Report(hybrid, condition, title="title", segment=segment)
    report.save(path)
    written = Written(path).texts | {each["label"] for each in report.facts["numbers"]}
    with opened(browser, path) as page:
        found: set[str] = set()
        for view in page.evaluate("rochullReport.views.names.map(({ id }) => id)"):
            page.evaluate("(id) => rochullReport.choose(id)", view)
            drawn(page)
            found |= {*sentences(page, written)}
        assert sorted(found) == []


@pytest.mark.usefixtures("built")
def test_several_classes_read_the_catalogue(browser: Browser, tmp_path: Path) -> None:
    costs = CostMatrix([[0, 1, 2], [3, 0, 1], [1, 1, 0]], classes=list(CLASSES))
    path = tmp_path / "r.html"
    MulticlassReport(made_points(3, 60), subject_to=[Error("scar") <= 0.4], objective=costs).save(path)
    written = Written(path).texts
    with opened(browser, path) as page:
        drawn(page)
        assert sentences(page, written) == []


@pytest.mark.usefixtures("built")
def test_every_sentence_is_of_the_catalogue(browser: Browser, tmp_path: Path) -> None:
    table = rh.datasets.load("german_credit_scores")
    hybrid = rh.Hybrid()
    hybrid.add("knn", table["class"] == "bad", table["knn"])
    rh.Report(hybrid, rh.ExpectedCost(1, 5, 0.3), title="⟦title⟧").save(tmp_path / "marked.html")
    with opened(browser, tmp_path / "marked.html", folded=True) as page:
        texts = page.evaluate(SEEN)
        texts += " ".join(
            page.locator("#first [aria-label]").evaluate_all("nodes => nodes.map((node) => node.ariaLabel)")
        )
    told = texts.split("Which")[0]
    while "⟦" in told:
        told, before = re.sub("⟦[^⟦⟧]*⟧", "", told), told
        assert told != before
    left = [word for word in words(told) if word not in {"Dark", "theme", "Skip", "knn"}]
    assert [word for word in left if word not in footer_words()] == []


def footer_words() -> set[str]:
    """Words of the rows' titles and of the foot, which the template writes."""
    text = "Made by rochull This page is complete in itself and loads nothing. Its numbers are in the element with the id facts, as JSON in which lists are packed; rochullReport.facts has them as they are."
    return set(text.split()) | {
        word for key, said in catalogue().items() if key.startswith("page.row.") for word in said.split()
    }
