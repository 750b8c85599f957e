"""The first screen of several classes: sentences of Python are those of the page, few words, bars that hold all cases."""

from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

import rochull as rh
from browser import Shows, drawn, opened
from multiclass_report_cases import CLASSES, made_points
from reading import SEEN, grade, plain, sentences, words
from rochull.multiclass import Cell, CostMatrix, Error, MaxError
from rochull.report import MulticlassReport
from rochull.report.wording import PAGE
from rochull.words.clauses import Clause

COSTS = CostMatrix([[0, 1, 2], [3, 0, 1], [1, 1, 0]], classes=list(CLASSES))
ASKED: dict[str, dict[str, Any]] = {
    "largest error": {},
    "one limit": {"subject_to": [Error("scar") <= 0.4]},
    "costs": {"objective": COSTS},
    "costs and a limit": {"objective": COSTS, "subject_to": [Error("lesion") <= 0.25]},
    "a cell": {"subject_to": [Cell("lesion", "scar") <= 0.1]},
    "none keeps": {"subject_to": [Error(name) <= 0.001 for name in CLASSES]},
}
READ = "() => [document.querySelector('#first h1'), document.querySelector('#first .lede')].map((node) => node.textContent)"


def bare(messages: list[dict[str, Any]]) -> str:
    """The same with names that have no letters, which do not count."""
    names = {"name", "called", "dear"}
    blank = [{key: "*" if key in names else slot for key, slot in each.items()} for each in messages]
    blank = [
        each | ({"weights": [one | {"name": "*"} for one in each["weights"]]} if "weights" in each else {})
        for each in blank
    ]
    return " ".join(PAGE.told(Clause.from_dict(each)) for each in blank)


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("weighted", [False, True])
def test_sentences_are_those_of_python(shows: Shows, name: str, weighted: bool) -> None:
    points = made_points(3, 60, weighted=weighted)
    answer = MulticlassReport(points, **ASKED[name]).facts["answer"]
    said = [answer["headline"], *answer["lede"]]
    headline, *rest = (PAGE.told(Clause.from_dict(each)) for each in said)
    with shows(points, **ASKED[name]) as page:
        assert [plain(each) for each in page.evaluate(READ)] == [plain(headline), plain(" ".join(rest))]
        lead = " ".join([headline, *rest])
        assert len(words(lead)) <= 40
        assert grade(bare([answer["headline"], *answer["lede"]])) <= 8
        beside = bare([each["message"] for each in answer["rows"]])
        assert all(len(words(sentence)) <= 25 for sentence in sentences(f"{lead} {beside}"))
        rows = {each["key"]: PAGE.told(Clause.from_dict(each["message"])) for each in answer["rows"]}
        assert rows.keys() == {"why", "sure"}
        for row, text in rows.items():
            assert plain(page.locator(f"[data-layer={row}]").text_content() or "") == plain(text)


def test_rows_follow_the_rule(shows: Shows) -> None:
    points = made_points(3, 60)
    with shows(points, subject_to=[Error("scar") <= 0.4]) as page:
        found = {row: page.locator(f"[data-layer={row}]").text_content() for row in ("why", "sure")}
        assert found["why"] == "No other weights that were tried do better."
        page.evaluate("multiclassView.select(multiclassView.state().remaining.at(-1))")
        drawn(page)
        assert "You picked these weights" in (page.locator("[data-layer=why]").text_content() or "")
        matrix = points.confusion[page.evaluate("multiclassView.state().index")]
        sure = rh.rate_interval(int(matrix[2].sum() - matrix[2, 2]), int(matrix[2].sum()), "wilson")
        told = plain(page.locator("[data-layer=sure]").text_content() or "")
        assert f"Of 100 scar, {100 * sure.low:.0f} to {100 * sure.high:.0f} may be mistaken" in told
        assert page.locator("#layer-why .comparison, #layer-try #batch-file").count() == 2


def test_equal_weights_are_counted_beside_those_that_decide(shows: Shows) -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 300)
    outputs = rng.dirichlet(np.ones(3), 300) + 0.5 * np.eye(3)[y]
    roc = rh.MulticlassRoc(np.array(CLASSES)[y], outputs, classes=list(CLASSES))
    points = roc.points_at([[1, 1, 1], [1, 1, 1.4]])
    with shows(points, subject_to=[Error(CLASSES[2]) <= 0.2]) as page:
        before, now = (int(300 - np.trace(matrix)) for matrix in points.confusion)
        assert plain(page.locator("[data-layer=why]").text_content() or "") == (
            f"Of all 300 cases {now} are mistaken; by the largest score alone {before}."
        )


def test_the_picture_follows_the_rule(shows: Shows) -> None:
    points = made_points(3, 60)
    with shows(points, subject_to=[Error("scar") <= 0.4], objective=MaxError()) as page:
        before = page.evaluate(READ)
        page.evaluate("multiclassView.set({ limits: [] })")
        drawn(page)
        assert page.evaluate(READ) != before
        assert page.locator(".class-limit").count() == 0
        wide = page.evaluate(
            "[...document.querySelectorAll('.class-bar')].map((bar) => [...bar.children].reduce((sum, part) => sum + parseFloat(part.style.width), 0))"
        )
        assert wide == pytest.approx([100.0] * 3)
        index = page.evaluate("multiclassView.state().index")
        matrix = points.confusion[index]
        told = page.locator(".classes-picture dd .n").all_inner_texts()
        assert told == [
            f"{row.sum() - row[i]:.0f} of {row.sum():.0f} mistaken" for i, row in enumerate(matrix)
        ]


def test_the_bars_of_many_classes_say_how_many_are_not_drawn(shows: Shows) -> None:
    with shows(made_points(11, 20, labels=[*"abcdefghijk"])) as page:
        assert page.locator(".classes-picture dd").count() == 8
        assert "and 3 more" in page.locator(".classes-picture").inner_text()


@pytest.mark.parametrize("name", ASKED)
def test_the_first_screen_has_few_words(browser: Browser, tmp_path: Any, name: str) -> None:
    MulticlassReport(made_points(3, 60), **ASKED[name]).save(tmp_path / "r.html")
    is_lined = any(isinstance(limit.measure, Error) for limit in ASKED[name].get("subject_to", ()))
    for width, height, most in ((1440, 900, 200), (390, 844, 110)):
        size: Any = {"width": width, "height": height}
        with opened(browser, tmp_path / "r.html", folded=True, viewport=size) as page:
            seen = page.evaluate(SEEN)
            assert len(words(seen)) <= most, seen
            assert ("black line" in seen) == is_lined
            assert page.evaluate("document.documentElement.scrollWidth") == width
            page.locator(".skip").press("Enter")
            assert page.locator("#multiclass").is_visible()
