"""What points of several classes are compared with: the facts, the sentence, and the page's own."""

from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

import rochull as rh
from browser import Shows
from multiclass_report_cases import CLASSES, outputs_of
from rochull.multiclass import Cell, CostMatrix, Error, MulticlassPoints
from rochull.report import MulticlassReport

COSTS = CostMatrix([[0, 5, 1], [1, 0, 1], [2, 1, -0.5]], priors=[1, 2, 7])
OBJECTIVES: list[Any] = ["max_error", "error", COSTS, Cell("scar", "lesion")]


def roc_of(weighted: bool = False) -> rh.MulticlassRoc:
    rng = np.random.default_rng(4)
    codes = rng.choice(3, 200, p=[0.6, 0.3, 0.1])
    weight = rng.uniform(0.2, 2, 200) if weighted else None
    return rh.MulticlassRoc(np.array(CLASSES)[codes], outputs_of(codes, 3), weight)


def twin(roc: rh.MulticlassRoc) -> dict[tuple[str, int | None], Any]:
    """The confusion matrices, decided case by case with weights that say so."""
    never = 1e-250
    rules: dict[tuple[str, int | None], Any] = {
        ("largest", None): [1, 1, 1],
        ("balanced", None): 1 / roc.priors,
    }
    rules |= {("always", c): np.where(np.arange(3) == c, 1, never) for c in range(3)}
    return {key: roc.points_at(weights) for key, weights in rules.items()}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("objective", OBJECTIVES, ids=str)
def test_baselines_are_the_rules_that_they_name(objective: Any, weighted: bool) -> None:
    roc = roc_of(weighted)
    points = roc.points_at(np.random.default_rng(3).dirichlet(np.ones(3), 20))
    limits = [Error("scar") <= 0.4, Cell("lesion", "normal") >= 0.1]
    made = MulticlassReport(roc, subject_to=limits, objective=objective).facts["baselines"]
    wanted = twin(roc)
    assert [(row["kind"], row["class"]) for row in made] == list(wanted)
    for row, rule in zip(made, wanted.values(), strict=True):
        np.testing.assert_allclose(row["confusion"], rule.confusion[0], rtol=1e-12)
        np.testing.assert_allclose(row["value"], rule.values(objective)[0], rtol=1e-12, atol=1e-15)
        assert all(each <= 0 for each in row["excess"]) == rule.satisfying(limits)[0]
        assert (row["rates"] is None) == (row["errors"] is None) == (not weighted)
    of_points = MulticlassReport(points).facts["baselines"]
    assert [row["kind"] for row in of_points] == ["always"] * 3
    alike = MulticlassPoints(np.array([[2.0, 2.0, 2.0]]), wanted["largest", None].confusion, points.classes)
    assert MulticlassReport(alike).facts["baselines"][0]["confusion"] == made[0]["confusion"]


def plain(text: str) -> str:
    for sign in "\u2068\u2069":
        text = text.replace(sign, "")
    return text.replace("\u00a0", " ").replace("\u202f", " ")


@pytest.mark.parametrize("objective", OBJECTIVES, ids=str)
def test_the_page_says_the_same_sentence(shows: Shows, objective: Any) -> None:
    report = MulticlassReport(roc_of(), subject_to=Error("scar") <= 0.4, objective=objective)
    said = " ".join(report.to_text(10_000).split())
    with shows(roc_of(), subject_to=Error("scar") <= 0.4, objective=objective) as page:
        assert plain(page.locator("#verdict").text_content() or "") in plain(said)
        bar = page.locator(".bar")
        page.set_viewport_size({"width": 1280, "height": 720})
        expect(bar).to_be_hidden()  # the answer is beside what one scrolls to
        page.set_viewport_size({"width": 1000, "height": 700})
        page.get_by_label("only those that remain").uncheck()
        page.locator(".limits input").fill("1")
        expect(page.locator(".bar-rule")).to_contain_text("breaks a limit")
        expect(page.locator("#verdict")).to_contain_text("(beyond a limit)")
        assert bar.evaluate("e => e.getBoundingClientRect().bottom <= innerHeight")
        page.set_viewport_size({"width": 1280, "height": 720})


def test_the_sentence(shows: Shows) -> None:
    text = " ".join(str(MulticlassReport(roc_of())).split())
    assert (
        text.count(" for the largest output without weights, ")
        == text.count(" for outputs divided by the share of their class")
        == 1
    )
    assert "Multiply each output by the weight of its class (lesion " in text
    assert "and 100.0 % for calling every case lesion. The error of a class is the share of its cases" in text
