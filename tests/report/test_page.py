# long: all that a person does on the page; the tests share a browser, for starting one takes seconds
"""The report's page in a real browser: what people drag, type, copy and download, and what they then see."""

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import report_cases as cases
import rochull as rh
from browser import drawn, opened, to_view, until
from colours import weak
from engine import engine
from rochull.report import Segmentation, score_wording, wording

SOURCES = Path(__file__).parents[2] / "page/src"
NAMES = ["naive_bayes", "logistic", "knn", "tree", "boosted"]
COSTS = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3)
COMMAND = ["rochull", "report", "my scores.parquet", "--label", "class", "--score", "tree"]
HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "\"'&lt;",
    "\u202eשלום %{x} {{ 7 * 7 }}",
    "x" * 200,
    "ids: live facts 1,234.5 %",
]


@pytest.fixture(scope="module")
def german(table: Any) -> rh.Hybrid:
    hybrid = rh.Hybrid()
    for name in NAMES:
        hybrid.add(name, table["class"] == "bad", table[name])
    return hybrid


@pytest.fixture(scope="module")
def plain(german: rh.Hybrid, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on one condition, made by a command."""
    path = tmp_path_factory.mktemp("pages") / "plain.html"
    rh.Report(german, COSTS, command=COMMAND).save(path)
    return path


@pytest.fixture(scope="module")
def full(german: rh.Hybrid, table: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with everything that one can have."""
    y, scores = table["class"] == "bad", {name: table[name] for name in NAMES}
    sure = rh.report.Uncertainty(y, scores, n_resamples=60, folds=table["fold"])
    segment = Segmentation(y, scores, {"purpose": table["purpose"]}, cv=3)
    path = tmp_path_factory.mktemp("pages") / "full.html"
    rh.Report(german, COSTS, uncertainty=sure, segment=segment, title="German credit").save(path)
    return path


@pytest.fixture
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    with opened(browser, request.getfixturevalue(getattr(request, "param", "plain"))) as shown:
        yield shown


on_the_full_page = pytest.mark.parametrize("page", ["full"], indirect=True)


def state(page: Page) -> dict[str, Any]:
    """Return the state once the page has drawn it."""
    drawn(page)
    found = page.evaluate("rochullReport.state")
    assert isinstance(found, dict)
    return found


def shown(page: Page, key: str) -> float:
    value = page.locator(f'[data-key="{key}"]').get_attribute("data-value")
    assert value is not None
    return float(value)


def agrees(page: Page, hybrid: rh.Hybrid) -> dict[str, Any]:
    """Check the rates on the page against the library's, and return the state."""
    now = state(page)
    point = hybrid.at(cases.condition_of(now))
    assert (shown(page, "fpr"), shown(page, "tpr")) == pytest.approx((point.fpr, point.tpr), abs=1e-12)
    said = page.locator("#rule").inner_text().replace("\u00a0", " ")
    assert said == wording.rules(cases.plain(point) or {})
    return now


# --- controls ------------------------------------------------------------------------------------


def drag(page: Page, slider: str, start: float, to: float, handle: int = 0) -> None:
    """Drag a handle by the mouse, from one share of its track to another."""
    track = page.locator(f'[data-slider="{slider}"] input').nth(handle)
    if not track.is_visible():  # of a goal that is not asked for it is folded
        page.locator(f'.goal:has([data-slider="{slider}"]) input[type="radio"]').check()
    track.scroll_into_view_if_needed()
    box = track.bounding_box()
    assert box is not None
    x, width, y = box["x"] + 12, box["width"] - 24, box["y"] + box["height"] / 2
    page.mouse.move(x + start * width, y)
    page.mouse.down()
    page.mouse.move(x + to * width, y, steps=6)
    page.mouse.up()


def place(page: Page, slider: str, handle: int = 0) -> float:
    """Where a handle stands, as a share of its track."""
    track = page.locator(f'[data-slider="{slider}"] input').nth(handle)
    return float(track.input_value()) / float(track.get_attribute("max") or "nan")


@pytest.mark.parametrize(
    "asked",
    [
        ("ratio", "cost", "cost_fn"),
        ("max_fpr", "max_fpr", "max_fpr"),
        ("min_recall", "min_recall", "min_recall"),
        ("min_precision", "min_precision", "min_precision"),
        ("fraction", "capacity", "fraction"),
    ],
)
def test_dragging_a_slider(page: Page, german: rh.Hybrid, asked: tuple[str, str, str]) -> None:
    slider, goal, key = asked
    before = agrees(page, german)
    start = place(page, slider)
    drag(page, slider, start, min(0.95, start + 0.1))
    after = agrees(page, german)
    assert after["goal"] == goal
    assert after[key] > before[key]
    assert page.locator(f'input[value="{goal}"]').is_checked()
    field = page.locator(f'[data-field="{key}"]').input_value()
    assert page.evaluate("text => rochullFormat.read(text)", field) == after[key]
    assert ("%" in field) == (key != "cost_fn")
    drag(page, "prevalence", place(page, "prevalence"), 0.6)
    moved = agrees(page, german)
    assert moved["prevalence"] > after["prevalence"]
    assert moved["goal"] == goal


def test_only_limits_in_force_have_a_number(page: Page, german: rh.Hybrid) -> None:
    boxes = {key: page.locator(f'[data-field="{key}"]') for key in ("max_fpr", "min_recall", "fraction")}

    def shown() -> list[str]:
        agrees(page, german)
        return [box.input_value() for box in boxes.values()]

    assert shown() == ["", "", ""]
    page.locator('input[value="max_fpr"]').check()
    assert shown() == ["10\u00a0%", "", ""]
    boxes["min_recall"].fill("7x")
    expect(boxes["min_recall"]).to_have_attribute("aria-invalid", "true")
    boxes["min_recall"].fill("")  # as it was: nothing is missing
    assert not page.locator(".fault:visible").count()
    assert shown() == ["10\u00a0%", "", ""]
    boxes["fraction"].fill("30 %")
    assert shown() == ["", "", "30 %"]
    boxes["fraction"].fill("")
    assert page.locator(".fault:visible").inner_text() == "The share flagged is empty."
    page.locator('input[value="cost"]').check()
    assert not page.locator(".fault:visible").count()
    assert shown() == ["", "", ""]
    page.locator('input[value="capacity"]').check()
    assert shown() == ["", "", "30\u00a0%"]


def test_a_wrong_number_is_told_and_changes_nothing(page: Page, german: rh.Hybrid) -> None:
    before, field = agrees(page, german), page.locator('[data-field="fraction"]')
    field.fill("<b>x</b>" * 9)
    expect(field).to_have_attribute("aria-invalid", "true")
    fault = page.locator(f"#{field.get_attribute('aria-describedby')}")
    expect(fault).to_contain_text("must be a number, but is “<b>x</b><b>x</b><b>x</b…”")
    assert agrees(page, german) == before
    field.fill("0.5")
    assert not fault.is_visible()
    assert field.get_attribute("aria-invalid") is None
    assert agrees(page, german)["fraction"] == 0.5
    page.locator("#reset").click()
    assert cases.condition_of(agrees(page, german)) == COSTS


TYPED: dict[str, dict[str, float]] = {
    "en-US": {"7,25": 7.25, "1e-3": 0.001, "12.5 %": 0.125, ".0731": 0.0731, "0,9999": 0.9999, "1,250": 1250, "1,250.5": 1250.5},
    "de-DE": {"1.250": 1250, "0.125": 0.125, "1.25": 1.25, "1.000.000": 1e6, "1,250": 1.25, "1.250,5": 1250.5},
    "tr-TR": {"2,5": 2.5, "%50": 0.5, "1.000": 1000, "%30,0": 0.3},
    "ar-EG": {"٢٫٥": 2.5, "٥٠٪": 0.5, "١٬٠٠٠٫٥": 1000.5, "2.5": 2.5, "٣٠٫٠٪\u061c": 0.3},
    "fa-IR": {"۲٫۵": 2.5, "۵۰٪": 0.5, "۱۰۰": 100, "۳۰٫۰٪": 0.3},
    "hi-IN": {"1,00,000": 100_000, "१२": 12, "1,000": 1000, "30.0%": 0.3},
}  # fmt: skip


@pytest.mark.short
@pytest.mark.parametrize("locale", TYPED)
def test_signs_and_digits_of_other_scripts(locale: str) -> None:
    """The last text is how the page itself writes 30 %, where it is not as in English."""
    with engine(locale) as made:
        found = made.evaluate("texts => texts.map(rochullFormat.read)", list(TYPED[locale]))
        written = made.evaluate("[rochullFormat.rate(0.3), rochullFormat.rates([0.1, 0.2])]")
    assert found == list(TYPED[locale].values())
    assert written[0] == list(TYPED[locale])[-1] or locale not in ("tr-TR", "ar-EG", "fa-IR")
    assert written[1].startswith("\u2066") == (locale in ("ar-EG", "fa-IR"))  # which would turn around


def test_a_refused_text_is_kept_and_tried_again(page: Page) -> None:
    page.get_by_label("cost of a miss is uncertain").check()
    low, high = (page.locator(f'[data-field="cost_fn{end}"]') for end in ("", "/high"))
    low.fill("30")
    expect(low).to_have_attribute("aria-invalid", "true")
    assert state(page)["cost_fn"] == [2.5, 10]
    for unused in (page.locator("#unused"), page.locator("#bar .bar-unused")):
        assert "from 30 to 10 is no interval" in str(unused.text_content())
    high.fill("60")
    assert state(page)["cost_fn"] == [30, 60]
    assert (low.input_value(), low.get_attribute("aria-invalid")) == ("30", None)
    assert not page.locator("#unused, .fault").locator("visible=true").count()
    high.fill("x")
    drag(page, "ratio", place(page, "ratio", 1), 0.9, handle=1)  # its own handle takes its place
    assert float(high.input_value()) == state(page)["cost_fn"][1] > 60


def test_the_keyboard(page: Page, german: rh.Hybrid) -> None:
    slider = page.get_by_role("slider", name="Cost of a miss in false alarms", exact=True)
    assert slider.get_attribute("aria-valuetext") == "a miss costs 5 times as much as a false alarm"
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert agrees(page, german)["cost_fn"] == 5.1
    page.keyboard.press("Home")
    assert agrees(page, german)["cost_fn"] == 0.001
    assert slider.get_attribute("aria-valuetext") == "a false alarm costs 1,000 times as much as a miss"
    page.keyboard.press("End")
    assert agrees(page, german)["cost_fn"] == 1000
    page.get_by_role("radio", name="Lowest cost").focus()
    page.keyboard.press("ArrowDown")
    assert agrees(page, german)["goal"] == "max_fpr"
    page.keyboard.press("ArrowDown")
    assert agrees(page, german)["goal"] == "min_recall"
    page.get_by_role("slider", name="Recall at least").focus()
    page.keyboard.press("ArrowLeft")
    assert agrees(page, german)["min_recall"] < 0.9
    tab = page.get_by_role("tab", name="ROC")
    tab.focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("rochullReport.view") == "scores"
    page.keyboard.press("End")
    expect(page.get_by_role("tab", name="Cost curves")).to_be_focused()
    assert page.get_by_role("tabpanel").count() == 1


def test_two_handles(page: Page, german: rh.Hybrid) -> None:
    """The handles may touch but not cross. (Numbers of a range are compared in test_page_numbers.py.)"""
    page.get_by_label("cost of a miss is uncertain").check()
    assert state(page)["cost_fn"] == [2.5, 10]
    drag(page, "ratio", place(page, "ratio", 1), 0.8, handle=1)
    low, high = state(page)["cost_fn"]
    assert low == 2.5
    assert high > 10
    assert page.locator("#answer-kind").inner_text() == "The rule whose worst extra cost is smallest"
    optimal = german.potentially_optimal(cases.condition_of(state(page)))
    assert page.locator("#optimal").inner_text() == ", ".join(optimal)
    drag(page, "ratio", place(page, "ratio", 0), 0.95)
    assert place(page, "ratio", 0) == place(page, "ratio", 1)
    drag(page, "ratio", place(page, "ratio", 0), 0.3)  # together at the right, the low one can go
    low, now = state(page)["cost_fn"]
    assert now == high
    assert low < 1
    drag(page, "ratio", place(page, "ratio", 1), 0.1, handle=1)
    assert place(page, "ratio", 0) == place(page, "ratio", 1)
    drag(page, "ratio", place(page, "ratio", 1), 0.6, handle=1)  # and at the left the high one
    assert state(page)["cost_fn"][0] == low
    page.get_by_label("prevalence is uncertain").check()
    assert len(state(page)["prevalence"]) == 2
    page.get_by_role("radio", name="Positives caught, at least").check()  # one number is needed
    assert not isinstance(agrees(page, german)["prevalence"], list)
    assert not page.locator("#rough-cost").is_checked()


def test_a_vertex_of_the_hull_asks_for_its_costs(page: Page, german: rh.Hybrid) -> None:
    for v in range(1, len(german.hull.fpr) - 1):
        page.evaluate("(v) => rochullReport.views.onselect(v)", v)
        agrees(page, german)
        assert shown(page, "fpr") == german.hull.fpr[v]
        assert shown(page, "tpr") == german.hull.tpr[v]


# --- the answer ----------------------------------------------------------------------------------


def test_a_condition_that_cannot_be_met(browser: Browser, tmp_path: Path) -> None:
    y, score = [0, 1, 0, 1, 1, 0], [6, 5, 4, 3, 2, 1]
    hybrid = rh.Hybrid().add("a", y, score)
    rh.Report(hybrid, COSTS).save(tmp_path / "r.html")
    with opened(browser, tmp_path / "r.html") as page:
        page.locator('[data-field="min_precision"]').fill("0.999")
        state(page)
        with pytest.raises(rh.InfeasibleConditionError) as raised:
            hybrid.at(rh.MinimumPrecision(0.999, prevalence=0.3))
        text = page.locator("#infeasible").inner_text()
        most = 100 * float(str(raised.value).rsplit(" ", 1)[-1].rstrip("."))
        assert f"the highest is {most:.4g}" in text
        assert page.locator("#rule").evaluate("node => node.textContent") == ""
        assert not page.locator("#feasible").is_visible()
        assert page.get_by_role("button", name="Download the rule").is_disabled()
        assert page.locator('[data-key="regret:0"]').inner_text() == "cannot meet it"
        assert page.locator('[data-key="tpr"]').get_attribute("data-value") == ""


@pytest.mark.short
def test_the_answer_is_the_library_s(page: Page, german: rh.Hybrid) -> None:
    point = german.at(COSTS)
    assert shown(page, "expected_cost") == pytest.approx(point.expected_cost(COSTS), abs=1e-12)
    assert shown(page, "net_benefit") == pytest.approx(point.net_benefit(COSTS), abs=1e-12)
    assert shown(page, "slope") == pytest.approx(COSTS.slope)
    assert page.locator("#rule").inner_text() == f"{point.rules[0][0].classifier} ≥ 0.1744"
    cells = {key: shown(page, key) for key in ("tp", "fp", "fn", "tn")}
    assert sum(cells.values()) == pytest.approx(10_000)
    assert page.locator('[data-key="tp"]').inner_text() == f"{cells['tp']:,.0f}"
    marked = page.locator("#alone-rows tr.best")
    assert "★ best" in marked.inner_text()
    page.locator('[data-field="max_fpr"]').fill("0.1")
    limit = rh.NeymanPearson(0.1)
    agrees(page, german)
    point, single = german.at(limit), german.at(limit, deterministic=True)
    assert [shown(page, f"probability:{j}") for j in (0, 1)] == pytest.approx([p for _, p in point.rules])
    assert [shown(page, f"threshold:{j}") for j in (0, 1)] == [rule.threshold for rule, _ in point.rules]
    assert shown(page, "single_fpr") == pytest.approx(single.fpr)
    assert shown(page, "single_threshold") == single.rules[0][0].threshold
    assert "at random" in page.locator("#rule").inner_text()
    assert until(page, "document.querySelector('#alone th:last-child').textContent", "fewer positives caught")


# What is read of each row of a table: the first cell's name, or the number that a cell shows in one column.
CELLS = """([table, column]) => [...table.tBodies[0].rows].map((row) => {
    const cell = row.cells[column], held = cell.dataset.value ?? cell.querySelector("[data-value]")?.dataset.value;
    return column ? held ?? cell.textContent : (cell.querySelector("bdi") ?? cell).textContent.replace(/[\u2068\u2069]/g, "");
})"""


def number_of(text: str) -> float:
    """The first number of a cell; NaN if it has none."""
    found = re.search(r"-?[\d.,]*\d(e-?\d+)?|-?Infinity", text.partition(",")[0].replace("−", "-"))
    return float(found[0].replace("Infinity", "inf")) if found else math.nan


@on_the_full_page
def test_a_press_on_a_head_sorts_rules_classifiers_and_segments(page: Page) -> None:
    """One way, the other, and as the page had them; numbers by value, and who has none last both times."""
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    to_view(page, "Segments")
    seen = 0
    for table in page.locator("table:has(button.sort)").all():
        if not table.is_visible():
            continue
        seen += 1
        kept = table.locator("#compare-rows").count()  # the rule that all others are compared with stays
        handle = table.element_handle()
        order = page.evaluate(CELLS, [handle, 0])
        heads = table.locator("thead tr:last-child > th:visible")
        places = "all => all.map((head) => [head.offsetLeft, head.offsetTop, head.offsetWidth])"
        before = heads.evaluate_all(places)
        for i in range(heads.count()):
            column = heads.nth(i).evaluate("head => head.cellIndex")
            button = heads.nth(i).get_by_role("button").last
            orders = []
            for way in ("ascending", "descending", None):
                button.focus()
                page.keyboard.press("Enter")
                assert heads.nth(i).get_attribute("aria-sort") == way
                orders.append(page.evaluate(CELLS, [handle, 0]))
                if way and column:
                    shown = [number_of(text) for text in page.evaluate(CELLS, [handle, column])][kept:]
                    if all(map(math.isnan, shown)):
                        continue  # words
                    known = [value for value in shown if not math.isnan(value)]
                    assert shown[: len(known)] == sorted(known, reverse=way == "descending")
            assert orders[2] == order
            assert heads.evaluate_all(places) == before  # nothing moves but rows
            if i == 0:
                names = orders[0][kept:]
                assert sorted(names) == sorted(orders[1][kept:]) == sorted(order[kept:])
                assert names == sorted(names, key=natural) == orders[1][kept:][::-1]
    assert seen >= 7
    lie = page.locator("#scores-details tbody tr").evaluate_all(
        "all => all.map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    assert lie == score_wording.scores(page.evaluate("rochullReport.facts"))[1]


def natural(text: str) -> list[Any]:
    """A name as people order names: numbers in it by value, signs before letters, these without regard to case."""
    parts = re.split(r"(\d+)", text.replace("{", "("))
    return [int(part) if part.isdigit() else part.lower() for part in parts]


@on_the_full_page
def test_intervals_belong_to_the_report_s_condition(page: Page) -> None:
    assert re.fullmatch(
        r"\(\d+\.\d–\d+\.\d\u00a0%\)", page.locator("#answer small[data-own]").first.inner_text()
    )
    expect(page.locator("#wilson")).to_be_hidden()
    page.locator('[data-field="cost_fn"]').fill("6")
    state(page)
    expect(page.locator("#wilson")).to_be_visible()
    assert page.locator("#answer small[data-own]:visible").count() == 0
    assert "for the report’s own condition" in page.locator("#answer").inner_text()
    page.locator('[data-field="cost_fn"]').fill("5")
    state(page)
    assert page.locator("#answer small[data-own]:visible").count() == 3
    assert (
        page.locator("#answer small:not([data-key]):visible").count() == 7
    )  # and those of what is not resampled


@on_the_full_page
def test_thresholds_by_segment(page: Page, table: Any) -> None:
    y = table["class"] == "bad"
    name = page.evaluate("rochullReport.facts.segments.classifier")
    model = rh.ErrorRedistribution("pav").fit(table[name], y, aux={"purpose": table["purpose"]})
    for cost_fn in (3, 12):
        page.locator('[data-field="cost_fn"]').fill(str(cost_fn))
        state(page)
        ((rule, _),) = model.at(rh.ExpectedCost(cost_fp=1, cost_fn=cost_fn, prevalence=0.3)).rules
        assert page.locator("#segment-rows tr").count() == len(rule.rules)
        for s, wanted in enumerate(rule.rules):
            number = {"never": np.inf, "always": -np.inf}.get(wanted.kind, wanted.threshold)
            assert shown(page, f"segment_threshold:{s}") == number
        one = rh.roc_hull(y, table[name]).at(rh.ExpectedCost(cost_fp=1, cost_fn=cost_fn, prevalence=0.3))
        flagged = table[name] >= one.rules[0][0].threshold
        for s, segment in enumerate(model.segments_):
            own = model.segment({"purpose": table["purpose"]}) == s
            for key, side in (("one_fpr", ~y), ("one_tpr", y)):
                rate = flagged[own & side].mean() if (own & side).any() else None
                assert shown(page, f"segment_{key}:{s}") == pytest.approx(rate, abs=1e-12), segment
        assert shown(page, "segment_threshold:one threshold") == one.rules[0][0].threshold
        assert shown(page, "segment_one_tpr:one threshold") == pytest.approx(one.tpr)
    page.get_by_label("cost of a miss is uncertain").check()
    state(page)
    assert "range" in page.locator("#segments-message").inner_text()
    assert page.locator('[data-key="segment_threshold:0"]').inner_text() == "–"


@on_the_full_page
def test_tables_are_made_when_opened(page: Page, german: rh.Hybrid) -> None:
    assert page.locator("#points-details tr").count() == 0
    page.get_by_text("For experts: areas and operating points").click()
    page.locator("#points-details summary").click()
    expect(page.locator("#points-details tbody tr")).to_have_count(len(german.hull.fpr))
    blocks = german.hulls["tree"].blocks
    assert blocks is not None
    details = page.locator("[data-blocks]").nth(NAMES.index("tree"))
    details.locator("summary").click()
    expect(details.locator("tbody tr")).to_have_count(len(blocks.posterior))
    row = details.locator("tbody tr").first.inner_text().split("\t")
    assert row[1:3] == [f"{blocks.pos[0]:g}", f"{blocks.neg[0]:g}"]
    expect(page.locator("[data-calibration] svg").first).to_be_attached()


def test_a_change_is_said_once(page: Page) -> None:
    assert page.locator("#said").inner_text() == ""
    drag(page, "ratio", place(page, "ratio"), 0.8)
    expect(page.locator("#said")).to_contain_text("true positive rate")


# --- copy, download, link ------------------------------------------------------------------------


def test_copying_the_condition(browser: Browser, plain: Path, german: rh.Hybrid) -> None:
    with opened(browser, plain, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.locator('[data-field="max_fpr"]').fill("0.07")
        page.get_by_role("button", name="Copy code for analysts").click()
        page.get_by_role("button", name="Copy the Python line").click()
        expect(page.locator("#copy-dialog .done")).to_have_text("Copied.")
        *_, line, _ = page.evaluate("navigator.clipboard.readText()").splitlines()
        assert line.startswith("point, costs = hybrid.at(rh.NeymanPearson(0.07)), rh.ExpectedCost(")
        page.get_by_role("button", name="Copy the command line").click()
        command = page.evaluate("navigator.clipboard.readText()")
        assert command == (
            "rochull report 'my scores.parquet' --label class --score tree --max-fpr 0.07"
            " --figures-cost-fp 1 --figures-cost-fn 5 --figures-prevalence 0.3"
        )
        page.keyboard.press("Escape")
        assert not page.locator("#copy-dialog").is_visible()
        expect(page.get_by_role("button", name="Copy code for analysts")).to_be_focused()


@on_the_full_page
def test_copying_without_a_clipboard(page: Page) -> None:
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.evaluate("document.addEventListener('copy', () => { window.copied = String(getSelection()) || "
                  "document.activeElement.value; })")  # fmt: skip
    page.get_by_role("button", name="Copy code for analysts").click()
    assert not page.locator("#copy-command").is_visible()  # no command made this report
    page.get_by_role("button", name="Copy the Python line").click()
    expect(page.locator("#copy-dialog .done")).to_contain_text("opied")
    assert "ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3)" in page.evaluate("window.copied || ''")


def test_downloading_the_rule(page: Page, table: Any, tmp_path: Path) -> None:
    """The policy decides, and the SQL decides the same."""
    limit = rh.NeymanPearson(0.07)
    page.locator('[data-field="max_fpr"]').fill("0.07")
    page.get_by_role("button", name="Download the rule").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download policy.json").click()
    assert waiting.value.suggested_filename == "policy.json"
    waiting.value.save_as(tmp_path / "policy.json")
    assert "name the column" in page.locator("#sql-why").inner_text()  # the rule is a mixture
    page.get_by_label("Key column").fill("id")
    text = page.locator("#sql-text").input_value()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download rule.sql").click()
    waiting.value.save_as(tmp_path / "rule.sql")
    page.get_by_label("Dialect").select_option("bigquery")
    assert page.locator("#sql-text").input_value() != text
    policy = rh.Policy.load(tmp_path / "policy.json")
    assert text == policy.to_sql(limit, "duckdb", key="id")
    saved = (tmp_path / "rule.sql").read_text(encoding="utf-8")
    assert saved.startswith(
        "-- Most positives caught with at most 7\u00a0% of the negatives wrongly flagged; "
    )
    cases = {"id": np.arange(len(table["class"])), **{name: np.asarray(table[name]) for name in NAMES}}
    import pyarrow as pa

    rows = pa.table(cases)
    decided = duckdb.sql(f"SELECT ({saved}) AS decision FROM rows ORDER BY id").fetchnumpy()["decision"]
    wanted = policy.decide(rows, limit, key=cases["id"])
    assert decided.astype(bool).tolist() == np.asarray(wanted).astype(bool).tolist()


def test_scores_of_which_low_ones_are_positive(browser: Browser, table: Any, tmp_path: Path) -> None:
    """The page says "at most", in words, in SQL and in the policy."""
    y, distance = table["class"] == "bad", 1 - table["boosted"]
    hybrid = rh.Hybrid().add("distance", y, distance, lower_is_positive=True).add("knn", y, table["knn"])
    segment = Segmentation(y, {"distance": distance}, {"purpose": table["purpose"]}, cv=3)
    rh.Report(hybrid, COSTS, command=COMMAND, segment=segment).save(tmp_path / "r.html")
    with opened(browser, tmp_path / "r.html") as page:
        ((rule, _),) = hybrid.at(COSTS).rules
        assert rule.lower_is_positive
        told = f"{rule:.4g}".partition("<= ")[2]  # rounded up, so that no case is lost
        words = page.locator("#rule").evaluate("node => node.textContent")
        assert words.startswith(f"distance ≤ {told}")
        assert f"{told} or less" in page.locator("#first h1").inner_text()
        page.get_by_role("button", name="Download the rule").click()
        text = page.locator("#sql-text").input_value()
        assert text.startswith('COALESCE("distance" <= CAST(')
        page.keyboard.press("Escape")
        assert page.locator("#segments-live th").nth(3).text_content() == "score ≤"
        details = page.locator("details[data-blocks]").first
        details.locator("summary").click()
        blocks = details.locator("tbody tr td:first-child").all_text_contents()
        ends = [[float(end) for end in re.split(" to |–", each)] for each in blocks]
        assert all(low <= high for low, high in ends)
        assert ends == sorted(ends)  # from the most positive block on


def test_a_link_keeps_the_condition(browser: Browser, plain: Path, german: rh.Hybrid) -> None:
    with opened(browser, plain) as page:
        page.get_by_label("cost of a miss is uncertain").check()
        to_view(page, "Lift")
        link, before = until(page, "location.hash", "view=lift"), state(page)
        assert "cost_fn=2.5:10" in link
        page.evaluate("rochullReport.set(rochullReport.model.initial())")
        assert state(page) != before
        until(page, "location.hash", "cost_fn=5&")
        page.evaluate("(hash) => { location.hash = hash; }", link)
        until(page, "String(rochullReport.state.cost_fn)", ",")
        assert state(page) == before
        again = page.context.new_page()
        again.goto(plain.as_uri() + link)
        assert (state(again), again.evaluate("rochullReport.view")) == (before, "lift")


@pytest.mark.parametrize(
    "link", ["#goal=cost&prevalence=<img src=x onerror=alert(1)>", "#cost_fn=7", "#%E0%A4%A"]
)
def test_a_link_that_is_none(browser: Browser, plain: Path, german: rh.Hybrid, link: str) -> None:
    with opened(browser, plain) as page:
        page.evaluate("(hash) => { location.hash = hash; }", link)
        until(page, "location.hash", "#goal=cost&cost_fp=1&cost_fn=5&prevalence=0.3&")
        assert cases.condition_of(agrees(page, german)) == COSTS
        assert page.locator("#link-notice").inner_text().endswith("; the condition is as it was.")
        page = page.context.new_page()
        page.goto(plain.as_uri() + link)
        assert cases.condition_of(agrees(page, german)) == COSTS
        assert page.locator("#link-notice").inner_text().endswith("; the condition is the report’s own.")
        until(page, "location.hash", "#goal=cost&cost_fp=1&cost_fn=5&prevalence=0.3&")
        page.locator('[data-field="cost_fn"]').fill("6")
        state(page)
        assert not page.locator("#link-notice").is_visible()


def test_going_to_a_place_keeps_the_link(browser: Browser, full: Path) -> None:
    with opened(browser, full) as page:
        page.locator('[data-field="cost_fn"]').fill("6")
        link = until(page, "location.hash", "cost_fn=6&")
        page.get_by_role("link", name="below").click()
        expect(page.locator("#sure")).to_be_focused()
        expect(page.locator("#sure")).to_be_in_viewport()
        page.locator("a.skip").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#main")).to_be_focused()
        assert page.evaluate("location.hash") == link
        page = page.context.new_page()
        page.goto(full.as_uri() + "#sure")
        assert state(page)["cost_fn"] == 5
        assert not page.locator("#link-notice").is_visible()


# --- names are data ------------------------------------------------------------------------------


@pytest.mark.parametrize("locale", ["en-US", "de-DE"])
def test_names_are_only_text(browser: Browser, tmp_path: Path, locale: str) -> None:
    title, hybrid = "<script>alert(2)</script> 1,234.5 %", cases.named(HOSTILE)
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 200)
    scores = {name: np.asarray(rng.normal(size=200)) for name in HOSTILE}
    whole = rh.Hybrid()
    for name in HOSTILE:
        whole.add(name, y, scores[name])
    groups = np.where(np.arange(200) % 2, HOSTILE[0], HOSTILE[1])
    segment = Segmentation(y, scores, {HOSTILE[2]: groups}, cv=2)
    rh.Report(hybrid, COSTS, title=title).save(tmp_path / "a.html")
    rh.Report(whole, None, title=title, segment=segment).save(tmp_path / "b.html")
    for path in (tmp_path / "a.html", tmp_path / "b.html"):
        with opened(browser, path, locale=locale) as page:
            for view in [*page.evaluate("rochullReport.views.names.map(({ id }) => id)"), "roc"]:
                page.evaluate("(id) => rochullReport.choose(id)", view)
            for details in page.locator("summary:visible:not(.layer > summary)").all():
                details.click()
            assert (
                page.locator("img, script[src], iframe, object, embed, link, base, form, point").count() == 0
            )
            assert page.locator(".eyebrow bdi").inner_text() == page.title() == title
            names = page.locator("#alone-rows bdi").all_inner_texts()
            assert names[: len(HOSTILE)] == HOSTILE
            page.get_by_role("button", name="Download the rule").click()
            page.get_by_role("button", name="Close").click()
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# --- one file that loads nothing -----------------------------------------------------------------


def test_the_policy_of_the_page_is_strict(browser: Browser, plain: Path) -> None:
    with opened(browser, plain) as page:
        content = page.locator('meta[http-equiv="Content-Security-Policy"]').get_attribute("content")
        assert content is not None
        assert "unsafe" not in content
        directives = {part.split()[0]: part.split()[1:] for part in content.split(";")}
        assert directives["default-src"] == ["'none'"]
        assert directives["base-uri"] == directives["form-action"] == ["'none'"]
        for name in ("script-src", "style-src"):
            assert all(word.startswith("'sha256-") for word in directives[name])
        assert set(directives) == {
            "default-src",
            "script-src",
            "style-src",
            "img-src",
            "base-uri",
            "form-action",
        }
        assert page.locator("[style]:not(svg *)").evaluate_all(
            "nodes => nodes.every((node) => node.closest('#first, #live, #alone, .rc-chart, .chart'))"
        )
        assert page.evaluate("document.querySelectorAll('[src], [srcset], [action], [poster]').length") == 0
        for link in page.locator("a").all():
            assert (link.get_attribute("href") or "").startswith("#")
    source = plain.read_text(encoding="utf-8")
    assert "style=" not in source.split("<script type")[0]
    facts = source.split('id="facts">')[1].split("</script>")[0]
    assert json.loads(facts)["version"] == 2


def test_without_javascript(browser: Browser, full: Path, german: rh.Hybrid) -> None:
    with opened(browser, full, java_script_enabled=False) as page:
        for summary in page.locator("details > summary").locator("visible=true").all():
            summary.click()
        text = page.locator("body").inner_text()
        point = german.at(COSTS)
        assert "need JavaScript" in text
        assert f"{point.rules[0][0].classifier} 0.1744 or more" in text
        assert "what one for all (“one”) does there, for the report’s own condition" in text
        assert page.locator("#live").is_hidden()
        assert page.locator("#theme").is_hidden()
        tables = page.locator("table").locator("visible=true")
        assert all(table.locator("tbody tr").count() for table in tables.all())  # none waits for a script


def test_a_condition_that_no_slider_has(browser: Browser, german: rh.Hybrid, tmp_path: Path) -> None:
    """Its answer stays until a slider is moved; these begin at equal costs."""
    rh.Report(german, rh.Constrained(lambda fpr, tpr: tpr, a=0.5, b=0.5, c=0.4)).save(tmp_path / "r.html")
    rh.Report(rh.Hybrid().add_point("p", 0.1, 0.6)).save(tmp_path / "rates.html")
    with opened(browser, tmp_path / "r.html") as page:
        assert state(page)["goal"] == "report"
        page.locator('[data-field="cost_fn"]').fill("1")
        page.locator('[data-goal="cost"] [name="goal"]').check()
        assert agrees(page, german)["cost_fn"] == 1
    with opened(browser, tmp_path / "rates.html") as page:
        assert state(page)["prevalence"] == 0.5
        assert page.locator("#rule").inner_text() != ""


def test_inside_a_notebook(browser: Browser, german: rh.Hybrid, tmp_path: Path) -> None:
    """The frame of a notebook has no storage and no address of its own."""
    frame = rh.Report(german, COSTS).interactive()._repr_html_()
    (tmp_path / "cell.html").write_text(f"<!DOCTYPE html><body>{frame}</body>", encoding="utf-8")
    with opened(browser, tmp_path / "cell.html", accept_downloads=True) as page:
        inner = page.frame_locator("iframe")
        inner.locator('[data-field="cost_fn"]').fill("9")
        expect(inner.locator("#ratio-words")).to_have_text("a miss costs 9 times as much as a false alarm")
        inner.get_by_role("button", name="Dark theme").click()
        expect(inner.get_by_role("button", name="Light theme")).to_be_visible()
        inner.get_by_role("button", name="Download the rule").click()
        with page.expect_download() as waiting:
            inner.get_by_role("button", name="Download policy.json").click()
        assert waiting.value.suggested_filename == "policy.json"


# --- how it looks --------------------------------------------------------------------------------

# Elements that hold text themselves, in letters that are too small to read.
TINY = """() => [...document.querySelectorAll("body *")].filter((node) => node.checkVisibility() &&
    !node.closest(".visually-hidden, .rc-unseen, defs") && parseFloat(getComputedStyle(node).fontSize) < 12 &&
    [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()))
  .map((node) => node.outerHTML.slice(0, 99))"""
# By how much the page is too wide, and what sticks out of it.
WIDE = """() => {
  const inside = ".scroll, svg, .tabs, .visually-hidden, .rc-unseen, dialog, .rc-tip";
  const out = [...document.querySelectorAll("main *")].filter((node) => node.checkVisibility() &&
    !node.closest(inside) && node.getBoundingClientRect().right > innerWidth + 1);
  const excess = document.documentElement.scrollWidth - innerWidth;
  return [excess, ...out.map((node) => node.outerHTML.slice(0, 80))];
}"""
SMALL = """nodes => nodes.filter((node) => {
  const { width, height } = node.getBoundingClientRect();
  return width && Math.min(width, height) < 24 && !node.closest("label");
}).map((node) => node.outerHTML.slice(0, 99))"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 900, 360])
def test_sizes_and_width(browser: Browser, full: Path, scheme: str, width: int) -> None:
    options = {"color_scheme": scheme, "viewport": {"width": width, "height": 800}}
    with opened(browser, full, **options) as page:
        for view in [*page.evaluate("rochullReport.views.names.map(({ id }) => id)"), "roc"]:
            page.evaluate("(id) => rochullReport.choose(id)", view)
        page.locator('[data-field="max_fpr"]').fill("x")
        for details in page.locator("summary:visible:not(.layer > summary)").all():
            details.click()
        assert page.evaluate(TINY) == []
        assert weak(page) == []
        assert page.evaluate(WIDE) == [0]
        page.get_by_label("cost of a miss is uncertain").check()
        page.get_by_label("prevalence is uncertain").check()
        state(page)
        assert page.evaluate(WIDE) == [0]


def test_targets_are_large(browser: Browser, full: Path) -> None:
    options: dict[str, Any] = {
        "viewport": {"width": 360, "height": 740},
        "has_touch": True,
        "is_mobile": True,
    }
    with opened(browser, full, **options) as page:
        targets = "button:visible, select:visible, input:visible, summary:visible"
        small = page.locator(targets).evaluate_all(SMALL)
        assert small == []
        bar = page.locator("#bar")
        assert bar.is_hidden()  # where the answer is in view
        page.locator("#charts").scroll_into_view_if_needed()
        expect(bar).to_be_visible()
        assert re.search(r"caught 85\.0\s% · flagged \S+\s% · cost \S+$", bar.inner_text())
        chart, conditions = (page.locator(name).bounding_box() for name in ("#charts", "#conditions"))
        assert chart is not None
        assert conditions is not None
        assert chart["y"] < conditions["y"]


def test_small_windows(browser: Browser, full: Path) -> None:
    """All tabs are in one row; no bar covers a window that is low."""
    whole = "nodes => nodes.every((node) => node.scrollWidth <= node.clientWidth)"
    for width, height in [(360, 740), (390, 844), (700, 900), (640, 450), (320, 256)]:
        with opened(browser, full, viewport={"width": width, "height": height}) as page:
            assert page.evaluate(WIDE) == [0]
            assert page.locator("#tabs button").evaluate_all(whole)
            tops = page.locator("#tabs button").evaluate_all("nodes => nodes.map((node) => node.offsetTop)")
            assert len(set(tops)) == 1
            row, last = (page.locator(f"#tabs{part}") for part in ("", " button:last-child"))
            last.click()  # the row slides, and what is chosen is in the middle of it
            ends = [each.bounding_box() or {} for each in (row, last)]
            assert ends[1]["x"] + ends[1]["width"] <= ends[0]["x"] + ends[0]["width"] + 1
            page.locator("#tabs button").first.click()
            until(page, "!document.querySelector('#first.seen')")
            bar = page.locator("#bar").bounding_box()
            assert bar["height"] < height / 8 if bar else height < 400


def test_fields_hold_seven_digits(browser: Browser, plain: Path) -> None:
    for width in (1280, 360):
        with opened(browser, plain, viewport={"width": width, "height": 800}) as page:
            for key in ("prevalence", "cost_fp", "cost_fn", "max_fpr"):
                field = page.locator(f'[data-field="{key}"]')
                field.fill("0.28375")
                assert field.evaluate("node => node.scrollWidth <= node.clientWidth")


def test_colours_of_the_system(browser: Browser, plain: Path) -> None:
    """Where they are forced, Highlight is for what is chosen."""
    edge = """(nodes, side) => nodes.map((node) => getComputedStyle(node)[`border${side}Color`])"""
    with opened(browser, plain, forced_colors="active") as page:
        for parts, side in (("#tabs button", "Bottom"), (".goal", "Left")):
            colours = page.locator(parts).evaluate_all(edge, side)
            assert colours[0] not in colours[1:]
            assert len(set(colours)) == 2


def test_the_theme(browser: Browser, plain: Path) -> None:
    with opened(browser, plain) as page:
        colour = "getComputedStyle(document.body).backgroundColor"
        before = page.evaluate(colour)
        page.get_by_role("button", name="Dark theme").click()
        dark = page.evaluate(colour)
        assert dark != before
        assert page.evaluate("sessionStorage.getItem('rochull-theme')") == "dark"
        page.get_by_role("button", name="Light theme").click()
        assert page.evaluate(colour) == before
        page.emulate_media(color_scheme="dark")
        assert page.evaluate(colour) == before  # the reader's choice holds
        page.emulate_media(media="print")
        assert page.evaluate(colour) == before
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(plain.as_uri())
    assert page.evaluate(colour) == before
    page.get_by_role("button", name="Dark theme").click()
    page.reload()  # not goto: in a new process Chromium may read the storage before it is written
    assert page.evaluate(colour) == dark  # what was chosen is remembered while the window is open
    context.close()


def test_on_paper(browser: Browser, full: Path) -> None:
    with opened(browser, full, color_scheme="dark") as page:
        page.locator('[data-field="max_fpr"]').fill("0.08")
        state(page)
        page.emulate_media(media="print")
        expect(page.locator("#printed .rc-plot svg.rc-drawing:not(.rc-overlay)")).to_have_count(
            len(list(SOURCES.glob("view_*.ts")))
        )
        assert page.locator("#printed table.beside").is_visible()
        # What follows the answer fills the first sheet: a table that may go on overleaf, and charts after it.
        tops = [page.locator(name).bounding_box() or {} for name in ("#answer", "#compare", "#printed")]
        assert tops[0]["y"] < tops[1]["y"] < tops[2]["y"]
        assert (
            page.evaluate("getComputedStyle(document.querySelector('#compare .scroll')).breakInside")
            == "auto"
        )
        assert page.locator("#conditions").is_hidden()
        assert (
            "at most 8\u00a0% of the negatives wrongly flagged"
            in page.locator("#condition-words").inner_text()
        )
        assert page.locator("[data-calibration] svg.rc-drawing:not(.rc-overlay)").count() == 5
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        page.set_viewport_size({"width": 700, "height": 1000})
        assert page.evaluate(WIDE) == [0]
        page.emulate_media(media="screen")
        expect(page.locator("#printed svg")).to_have_count(0)
        pdf = page.pdf(format="A4")
        assert pdf.startswith(b"%PDF")
        assert page.locator("#printed svg").count() == 0


def test_the_reader_s_locale(browser: Browser, full: Path, german: rh.Hybrid) -> None:
    point = german.at(COSTS)
    with opened(browser, full, locale="de-DE") as page:
        state(page)
        assert page.locator('[data-key="tpr"]').inner_text() == f"{100 * point.tpr:.1f}\u00a0%".replace(
            ".", ","
        )
        assert shown(page, "tpr") == pytest.approx(point.tpr)
        cost = f"{point.expected_cost(COSTS):.4g}".replace(".", ",")
        assert page.locator('[data-key="expected_cost"]').inner_text() == cost
        assert page.locator('[data-key="tp"]').inner_text() == f"{3000 * point.tpr:,.0f}".replace(",", ".")
        assert page.locator('[data-field="prevalence"]').input_value() == "30\u00a0%"
        page.locator('[data-field="prevalence"]').fill("0.25")
        assert state(page)["prevalence"] == 0.25
        page.locator('[data-field="cost_fn"]').fill("1.250,5")
        assert state(page)["cost_fn"] == 1250.5
        head = page.locator(".top p.soft").nth(-1).inner_text()
        assert head.startswith("Measured on 1.000 past cases, 300 of them (30,0\u00a0%) positive")
        assert "0.0" not in page.locator("#sure + p + p + .scroll, #sure ~ .scroll").first.inner_text()


def test_what_the_policy_is_not(browser: Browser, full: Path, plain: Path) -> None:
    """It has one threshold for all, also where the page shows thresholds by segment."""
    for path, count in ((full, 1), (plain, 0)):
        with opened(browser, path) as page:
            page.get_by_role("button", name="Download the rule").click()
            assert page.locator("#rule-dialog .notice", has_text="one threshold for all").count() == count


@on_the_full_page
def test_structure_for_screen_readers(page: Page) -> None:
    ids = page.locator("[id]").evaluate_all("nodes => nodes.map((node) => node.id)")
    assert len(ids) == len(set(ids))
    references = "nodes => nodes.flatMap((node) => ['describedby', 'labelledby', 'controls'].map((of) => node.getAttribute(`aria-${of}`)))"
    told = page.locator("[aria-describedby], [aria-labelledby], [aria-controls]").evaluate_all(references)
    assert set(told) <= {*ids, None}
    assert page.locator("h1:visible").count() == 1
    assert page.locator("a.skip").get_attribute("href") == "#main"
    page.keyboard.press("Tab")
    expect(page.locator("a.skip")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#first') !== null")
