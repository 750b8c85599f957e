"""A walk: a number in the report is one file and one line, and is told by facts, terminal and page alike."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

import rochull as rh
from browser import drawn, opened
from rochull.report import facts as facts_module
from rochull.report import numbers
from rochull.report.numbers.number import Number
from rochull.report.text import to_text

COSTS = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3)


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> Number:
    """Return what the new file would hold; the one line puts it into the table."""
    # report/numbers/cost_of_a_hit.py: what is paid, in false alarms, for each case that is found.
    made = Number(
        key="cost_of_a_hit",
        label="false alarms’ cost a hit",
        over={"fp": "cost_fp"},
        under={"tp": 1},
        text="{} a hit",
        hint="The cost of false alarms for each case that is found",
    )
    monkeypatch.setattr(facts_module, "NUMBERS", (*numbers.NUMBERS, made))
    return made


def hybrid() -> rh.Hybrid:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    return rh.Hybrid().add("a", y, y + rng.normal(size=400)).add("b", y, y + rng.normal(size=400))


@pytest.mark.short
def test_a_new_number(added: Number, browser: Browser, tmp_path: Path) -> None:
    made = rh.Report(hybrid(), COSTS)
    point = made.facts["chosen"]
    wanted = 0.7 * point["fpr"] / (0.3 * point["tpr"])
    assert point["cost_of_a_hit"] == pytest.approx(wanted, rel=1e-14)
    assert f"{wanted:.4g} a hit" in " ".join(to_text(made.facts).split())
    made.save(tmp_path / "page.html")
    with opened(browser, tmp_path / "page.html") as page:
        shown = page.locator('#answer [data-key="cost_of_a_hit"]')
        assert float(shown.get_attribute("data-value") or "") == pytest.approx(wanted, rel=1e-12)
        assert page.locator("#answer dt", has_text=added.label).count() == 1
        assert page.locator("#answer .term", has_text=added.label).get_attribute("data-told") == added.hint
        page.locator('[data-field="prevalence"]').fill("0.1")
        page.locator('[data-field="prevalence"]').blur()
        drawn(page)
        moved = made_at(0.1)
        assert float(shown.get_attribute("data-value") or "") == pytest.approx(moved, rel=1e-12)


def made_at(prevalence: float) -> float:
    point = hybrid().at(rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=prevalence))
    return (1 - prevalence) * point.fpr / (prevalence * point.tpr)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"over": {}}, "the number 'x' says nothing to count: over is empty"),
        ({"over": {"hits": 1}}, "over of 'x' counts 'hits', which is not one of"),
        (
            {"over": {"tp": "price"}},
            "over of 'x' counts 'tp' for 'price', which is neither a whole number nor one of",
        ),
        ({"under": {"tp": 0.5}}, "under of 'x' counts 'tp' for 0.5, which is neither a whole number"),
        ({"label": ""}, "a number of the report needs a key and a label, but has 'x', ''"),
        ({"text": "a hit"}, "text of 'x' has no braces for the number: 'a hit'"),
    ],
)
def test_an_incomplete_one_says_what_is_missing(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Number(**{"key": "x", "label": "x", "over": {"tp": 1}, **given})


def test_values_are_the_library_s() -> None:
    """The numbers of the table are those that conditions and points give."""
    for fpr, tpr, costs in ((0.25, 0.75, COSTS), (0.0, 0.5, COSTS), (0.2, 0.9, rh.ExpectedCost(1, 0, 0.3))):
        point = rh.conditions.OperatingPoint(fpr, tpr, ())
        found = {n.key: n.value(fpr, tpr, costs.prevalence, costs) for n in numbers.NUMBERS}
        assert found["expected_cost"] == point.expected_cost(costs)
        assert found["net_benefit"] == point.net_benefit(costs)
    assert [n.value(0, 0, 0.3, COSTS) for n in numbers.NUMBERS][3] is None  # no precision without alarms
    assert [n.value(0.1, 0.2, None, None) for n in numbers.NUMBERS] == [None] * len(numbers.NUMBERS)
