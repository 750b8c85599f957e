"""The histogram of scores: its bars counted from the examples, and a threshold that is dragged or moved by keys."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import report_cases as cases
import rochull as rh
from browser import Tab, drawn, to_view

COSTS = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3)
# What of the bars of some outcomes begins where on the axis of scores, and how high it is.
BARS = """keys => {
  const svg = document.querySelector("#view-scores svg.scores"), wide = svg.getAttribute("width") - 28;
  return keys.flatMap((key) => [...svg.querySelector(`.outcome.o-${key}`).getAttribute("d").matchAll(/M([\\d.]+) ([\\d.]+)V([\\d.]+)/g)])
    .map(([, x, from, to]) => [(x - 14) / wide, Math.abs(to - from)]);
}"""


@pytest.fixture
def page(tab: Tab, tmp_path: Path) -> Iterator[Page]:
    hybrid = cases.shipped("german_credit_scores", "class", "bad")
    rng = np.random.default_rng(0)
    bad = rh.datasets.load("german_credit_scores")["class"] == "bad"
    hybrid.add("low", bad, -np.round(rng.normal(0.3 * bad), 1), lower_is_positive=True)
    rh.Report(hybrid, COSTS).save(tmp_path / "r.html")
    with tab(tmp_path / "r.html") as shown:
        to_view(shown, "Scores")
        yield shown


def place(page: Page, score: float) -> tuple[float, float]:
    """Where on the screen a score from 0 to 1 is, at the height of the cut-off."""
    box: Any = page.locator("#view-scores svg.scores").bounding_box()
    grip: Any = page.locator("#view-scores .grip circle").bounding_box()
    return box["x"] + 14 + score * (box["width"] - 28), grip["y"] + grip["height"] / 2


def drag(page: Page, *scores: float) -> None:
    """Take the cut-off, and move it to these scores."""
    page.locator("#view-scores .grip").scroll_into_view_if_needed()
    grip: Any = page.locator("#view-scores .grip circle").bounding_box()
    page.mouse.move(grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2)
    page.mouse.down()
    for score in scores:
        page.mouse.move(*place(page, score), steps=5)
        drawn(page)
    page.mouse.up()
    drawn(page)


def naive_bayes() -> tuple[Any, Any]:
    table = rh.datasets.load("german_credit_scores")
    return np.asarray(table["class"] == "bad"), np.asarray(table["naive_bayes"]).astype(str).astype(float)


def told(page: Page, part: str) -> str:
    text = page.locator(f"#view-scores .{part}").text_content() or ""
    return text.translate({0x2068: None, 0x2069: None, 0xA0: " ", 0x202F: " "})


def test_bars_are_counts_of_examples(page: Page) -> None:
    bad, score = naive_bayes()
    edges = np.arange(51) / 50
    inside = np.clip(np.searchsorted(edges, score, side="right") - 1, 0, 49)
    heights, counts = [], []
    for keys, own in ((["tp", "fn"], bad), (["fp", "tn"], ~bad)):
        found = np.zeros(50)
        for x, high in page.evaluate(BARS, keys):
            found[int(50 * x + 1e-3)] = max(found[int(50 * x + 1e-3)], high)
        heights.append(found)
        counts.append(np.bincount(inside[own], minlength=50))
    area = np.square(heights)  # the axis is one of square roots, as one bar is so high
    unit = np.max(area) / np.max(counts)  # of both classes the same, as 0.3 is the prevalence
    assert np.sqrt(area) == pytest.approx(np.sqrt(unit * np.array(counts)), abs=1.1)


@pytest.mark.short
def test_dragging_pins_the_rule_of_one_classifier(page: Page) -> None:
    drag(page, 0.5)
    bad, score = naive_bayes()
    expect(page.locator('#compare-rows tr[data-row="today"] th')).to_contain_text(
        "\u2068naive_bayes\u2069 ≥ 0.5"
    )
    flagged, texts = score >= 0.5, page.locator("#view-scores .count").all_text_contents()
    counts = {"caught": flagged & bad, "missed": ~flagged & bad, "false alarms": flagged & ~bad}
    for word, cell in counts.items():
        assert f"{10 * cell.sum():,} {word}" in texts
    grip = page.locator("#view-scores .grip")
    assert grip.get_attribute("aria-valuenow") == "0.5"
    grip.focus()
    page.keyboard.press("End")
    drawn(page)
    assert grip.get_attribute("aria-valuenow") == "1"
    page.keyboard.press("ArrowLeft")
    drawn(page)
    assert float(grip.get_attribute("aria-valuenow") or 0) < 1


def test_the_best_rule_stays_in_sight_and_can_be_reached(page: Page) -> None:
    hybrid = cases.shipped("german_credit_scores", "class", "bad")
    best = hybrid.at(COSTS)
    (threshold,) = [float(rule.threshold) for rule, _ in best.rules]
    assert told(page, "rc-said").startswith("naive_bayes ≥ ")
    assert "(best rule): expected cost " in told(page, "rc-said")
    assert "than the best rule" not in told(page, "rc-said")
    star, key = page.locator("#view-scores .scores .rc-star"), page.locator("#view-scores .rc-key")
    where = star.get_attribute("transform")
    box: Any = star.bounding_box()
    assert box["x"] + box["width"] / 2 == pytest.approx(place(page, threshold)[0], abs=1)
    expect(key).to_have_text("best rule")
    drag(page, 0.6)
    bad, score = naive_bayes()
    flagged = score >= 0.6
    cost = ((flagged & ~bad).sum() + 5 * (~flagged & bad).sum()) / len(bad)
    more = f"{100 * (cost / best.expected_cost(COSTS) - 1):.0f} % more than the best rule"
    said = told(page, "rc-said")
    assert f"expected cost {cost:.4g} per case, {more}. This is your current rule." in said
    assert star.get_attribute("transform") == where
    drag(page, 0.5, threshold + 0.003)
    assert float(page.locator("#view-scores .grip").get_attribute("aria-valuenow") or 0) == threshold
    assert "(best rule): expected cost" in told(page, "rc-said")
    page.get_by_label("Classifier whose scores are shown").select_option(label="low")
    expect(star).to_have_count(0)
    expect(key).to_have_count(0)


def test_a_bar_tells_its_range_and_its_counts(page: Page) -> None:
    bad, score = naive_bayes()
    inside = (score >= 0.3) & (score < 0.32)
    page.locator("#view-scores svg.scores").scroll_into_view_if_needed()
    page.mouse.move(*place(page, 0.31))
    drawn(page)
    wanted = "Scores 0.3–0.32."
    for name, own in (("bad", bad), ("not bad", ~bad)):
        count, part = (inside & own).sum(), 100 * (inside & own).sum() / own.sum()
        wanted += f" {name}: {count}, {part:.1f} % of the class."
    assert told(page, "rc-bar") == wanted
    page.mouse.move(0, 0)
    page.locator("#view-scores .grip").focus()
    page.keyboard.press("Home")  # without the mouse it is the bar at the threshold
    drawn(page)
    assert told(page, "rc-bar").startswith("Scores 0–0.02.")


def test_one_bar_does_not_flatten_the_others(tab: Tab, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    positive = rng.random(2000) < 0.3
    score = np.where(rng.random(2000) < 0.39, 0.005, rng.random(2000))
    rh.Report(rh.Hybrid().add("a", positive, score), COSTS).save(tmp_path / "r.html")
    with tab(tmp_path / "r.html") as page:
        to_view(page, "Scores")
        drawn(page)
        assert "square root" in (page.locator("#view-scores svg.scores > title").text_content() or "")
        bars = {round(x, 2): high for x, high in page.evaluate(BARS, ["fp", "tn"]) if x < 0.1}
        counts = [np.mean((score >= low) & (score < low + 0.02), where=~positive) for low in (0, 0.06)]
        assert bars[0.0] / bars[0.06] == pytest.approx((counts[0] / counts[1]) ** 0.5, rel=0.1)


def test_low_scores_are_flagged_on_the_left(page: Page) -> None:
    page.get_by_label("Classifier whose scores are shown").select_option(label="low")
    page.locator("#view-scores .grip").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator('#compare-rows tr[data-row="today"] th')).to_contain_text("\u2068low\u2069 ≤")
    flagged, passed = (page.locator(f"#view-scores .outcome.o-{key}").bounding_box() for key in ("tp", "fn"))
    assert flagged is not None
    assert passed is not None
    assert flagged["x"] < passed["x"]


def test_thresholds_that_are_one_number_of_a_browser_are_drawn(tab: Tab, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    positive = rng.random(300) < 0.3
    hybrid = rh.Hybrid().add("near", positive, 2**60 + rng.integers(0, 20, 300) + 5 * positive)
    rh.Report(hybrid, COSTS).save(tmp_path / "r.html")
    with tab(tmp_path / "r.html") as page:
        assert not page.get_by_role(
            "tab", name="Scores"
        ).count()  # there is no axis from one number to another
        to_view(page, "Costs")
        drawn(page)
        texts = page.evaluate(
            "() => [...document.querySelectorAll('path')].map((p) => `${p.getAttribute('d')}`)"
        )
        assert not [text for text in texts if "NaN" in text]
