"""The first screen of the page: few words, one rule, and what a hand does with the cut-off."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import rochull as rh
from browser import drawn, opened, until
from multiclass_report_cases import made_points
from reading import SEEN, sentences, words
from rochull.cli.app import main
from rochull.report import MulticlassReport, Segmentation

ROOT = Path(__file__).parents[2]

NAMES = ["naive_bayes", "logistic", "knn", "tree", "boosted"]
COSTS = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3)
LIMITS = rh.Within(COSTS, [rh.NeymanPearson(0.3), rh.MinimumRecall(0.7)])
SITUATIONS = {
    "costs": COSTS,
    "limits": LIMITS,
    "range": rh.ExpectedCost(cost_fp=1, cost_fn=(2, 10), prevalence=0.3),
    "review": rh.Review(cost_fp=1, cost_fn=5, cost_review=0.3, prevalence=0.3),
    "unnamed": None,
}


@pytest.fixture(scope="module")
def hybrid() -> rh.Hybrid:
    table, made = rh.datasets.load("german_credit_scores"), rh.Hybrid()
    for name in NAMES:
        made.add(name, table["class"] == "bad", table[name])
    return made


@pytest.fixture(scope="module")
def pages(hybrid: rh.Hybrid, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("answers")
    for name, asked in SITUATIONS.items():
        rh.Report(hybrid, asked, title="Which loans?", about={"positive": "bad"}).save(
            folder / f"{name}.html"
        )
    table = rh.datasets.load("german_credit_scores")
    scores, sex = {"boosted": table["boosted"]}, np.where(np.arange(1000) % 3, "women", "men")
    segment = Segmentation(table["class"] == "bad", scores, {"sex": sex}, cv=2)
    rh.Report(hybrid, COSTS, title="Which loans?", segment=segment).save(folder / "segments.html")
    return {name: folder / f"{name}.html" for name in (*SITUATIONS, "segments")}


@pytest.fixture
def page(browser: Browser, pages: dict[str, Path]) -> Iterator[Page]:
    with opened(browser, pages["costs"], folded=True, viewport={"width": 1440, "height": 900}) as page:
        yield page


def test_there_are_few_words(browser: Browser, pages: dict[str, Path]) -> None:
    for path in pages.values():
        for width, height, most in ((1440, 900, 200), (390, 844, 110)):
            with opened(browser, path, folded=True, viewport={"width": width, "height": height}) as page:
                assert len(words(page.evaluate(SEEN))) <= most, page.evaluate(SEEN)
                assert (
                    len(
                        words(
                            page.locator("#first h1").inner_text() + " " + page.locator(".lede").inner_text()
                        )
                    )
                    <= 40
                )
                closed = page.locator(".layers > details > summary > span").all_inner_texts()
                lead = [page.locator(f"#first {part}").inner_text() for part in ("h1", ".lede")]
                told = sentences(" ".join([*lead, *closed]))
                assert all(len(words(sentence)) <= 25 for sentence in told), told
                assert page.evaluate("document.documentElement.scrollWidth") == width
                for row in ("h1", ".lede", ".icons"):
                    box = page.locator(f"#first {row}").bounding_box()
                    assert box is not None
                    assert box["y"] + box["height"] <= height


def test_every_row_has_something_behind_it(browser: Browser, pages: dict[str, Path]) -> None:
    for name, path in pages.items():
        with opened(browser, path, folded=True) as page:
            for row in page.locator(".layers > details").all():
                row.locator("> summary").click()
                drawn(page)
                behind = row.evaluate(
                    "(row) => row.innerText.slice(row.querySelector('summary').innerText.length)"
                )
                assert len(words(behind)) > 5, (name, row.get_attribute("id"))


MOST, MOST_WITH_SEGMENTS = 285_000, 311_500  # bytes
MOST_OF_SEVERAL = 124_000


def without_facts(path: Path) -> int:
    text = path.read_text(encoding="utf-8")
    start = text.index('<script type="application/json" id="facts">')
    return len((text[:start] + text[text.index("</script>", start) :]).encode())


def demo(folder: Path) -> Path:
    """The page that ``make demo`` writes."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(r"^demo:.*?/rochull (.*?)\n\t@echo", makefile, re.DOTALL | re.MULTILINE)
    data = re.search(r"^DATA := (.*)$", makefile, re.MULTILINE)
    assert recipe is not None
    assert data is not None
    said = recipe[1].replace("\\\n", "").replace("$(DATA)", str(ROOT / data[1]))
    assert main(shlex.split(said.replace("$(DEMO)", str(folder)))) == 0
    return folder / "report.html"


def test_code_styles_and_markup_are_bounded(pages: dict[str, Path], tmp_path: Path) -> None:
    for name, path in (pages | {"demo": demo(tmp_path)}).items():
        assert without_facts(path) <= (MOST_WITH_SEGMENTS if name == "segments" else MOST), name
    MulticlassReport(made_points(3, 60)).save(tmp_path / "several.html")
    assert without_facts(tmp_path / "several.html") <= MOST_OF_SEVERAL


def handle(page: Page) -> tuple[float, float]:
    box = page.locator(".grip circle").bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_cut_off_is_dragged_and_comes_back(page: Page) -> None:
    before, (x, y) = page.locator("#first").inner_html(), handle(page)
    page.mouse.click(x, y)  # a touch alone changes nothing
    drawn(page)
    assert page.locator("#first").inner_html() == before
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 120, y, steps=4)
    page.mouse.up()
    expect(page.get_by_role("button", name="Back to the best")).to_be_visible()
    threshold = page.evaluate("rochullReport.result.chosen.rules[0].rule.threshold")
    assert f"is {threshold:.4g}"[:7] in page.locator("#first h1").inner_text()
    assert f"{threshold:.4g}"[:5] in page.evaluate(
        "document.getElementById('rule').textContent"
    )  # and so says the panel
    assert abs(handle(page)[0] - x - 120) < 10
    page.get_by_role("button", name="Back to the best").click()
    until(page, "document.querySelector('#first h1').textContent", "0.1")
    assert page.evaluate("document.getElementById('first').innerHTML") == before


def test_the_cut_off_moves_by_keys(page: Page) -> None:
    grip = page.get_by_role("slider", name="Cut-off of")
    value = float(grip.get_attribute("aria-valuenow") or "nan")
    grip.focus()
    page.keyboard.press("PageUp")
    drawn(page)
    assert float(grip.get_attribute("aria-valuenow") or "nan") > value
    assert (grip.get_attribute("aria-valuetext") or "").startswith("Flag a case when")
    page.keyboard.press("Home")
    drawn(page)
    assert float(grip.get_attribute("aria-valuenow") or "nan") < value


def test_costs_shares_and_limits_are_asked_in_one_line(page: Page) -> None:
    page.locator(".ask input.field").first.fill("2")
    until(page, "String(rochullReport.state.cost_fn)", "2")
    page.get_by_label("Share of bad cases").fill("40")
    until(page, "String(rochullReport.state.prevalence)", "0.4")
    drawn(page)
    rule = page.locator("#first h1").inner_text()
    page.get_by_label("Add a limit").select_option("max_fpr")
    until(page, "JSON.stringify(rochullReport.state.within)", "max_fpr")
    drawn(page)
    assert page.locator("#first h1").inner_text() == rule  # it begins where it changes nothing
    page.locator(".ask .limit input").fill("5")
    until(page, "JSON.stringify(rochullReport.state.within)", "0.05")
    drawn(page)
    assert page.evaluate("rochullReport.result.chosen.fpr") <= 0.05
    assert page.evaluate("rochullReport.result.chosen.rules.length") == 1
    page.get_by_role("button", name="Remove the limit").click()
    until(page, "JSON.stringify(rochullReport.state.within)", "{}")


def test_opening_a_row_or_a_view_changes_no_answer(page: Page) -> None:
    before = page.locator("#first").inner_html()
    page.locator("#experts > summary").click()
    for view in page.evaluate("rochullReport.views.names.map(({ id }) => id)"):
        page.evaluate("(id) => rochullReport.choose(id)", view)
    drawn(page)
    assert page.locator("#first").inner_html() == before


IDLE = """new Promise((done) => requestAnimationFrame(() =>
  requestIdleCallback(() => requestIdleCallback(done))))"""


def test_charts_are_drawn_once_their_row_is_open(page: Page) -> None:
    charts = page.locator("[data-calibration] svg, #views svg")
    page.evaluate(IDLE)
    assert charts.count() == 0
    page.locator("#experts > summary").click()
    expect(page.locator("[data-calibration]:has(svg)")).to_have_count(len(NAMES))
    assert page.locator("#views svg").count()


def test_reviews_are_asked_for_and_pictured(browser: Browser, pages: dict[str, Path]) -> None:
    with opened(browser, pages["review"], folded=True, viewport={"width": 1440, "height": 900}) as page:
        zones = page.locator(".zones text")
        own = page.locator("#first").inner_html()
        facts = page.evaluate("rochullReport.facts.review")
        ends = [facts["rules"][0][end]["threshold"] for end in ("low", "high")]
        texts = zones.evaluate_all("nodes => nodes.map((node) => node.textContent)")
        assert [float(each) for each in texts[:2]] == pytest.approx(ends, rel=1e-3)
        told = [int(re.sub(r"\D", "", each)) for each in texts[2:]]
        assert sum(told) == 10_000
        assert page.locator(".grip").count() == 0
        assert "without reviews" in page.locator(".bars").inner_text()
        for view in page.evaluate("rochullReport.views.names.map(({ id }) => id)"):
            page.evaluate("(id) => rochullReport.choose(id)", view)
        drawn(page)
        assert page.locator("#first").inner_html() == own
        page.get_by_role("button", name="Without reviews").click()
        expect(page.locator("#first .grip")).to_be_visible()
        expect(page.locator("#first h1")).to_contain_text("or more.")
        page.get_by_label("Add a limit").select_option("review")
        expect(page.locator("#first h1")).to_contain_text("let people review")
        assert page.locator("#first").inner_html() == own


CROSSED = """() => {
    const path = document.querySelector(".scores .cut"), lines = [];
    let x = 0, y = 0;
    for (const [, kind, a, b] of path.getAttribute("d").matchAll(/([MV])([\\d.]+)(?: ([\\d.]+))?/g)) {
        if (kind === "M") [x, y] = [Number(a), Number(b)];
        else { lines.push([x, y, Number(a)]); y = Number(a); }
    }
    return [...document.querySelectorAll(".scores text:is(.count, .zones text)")].filter((text) => {
        const box = text.getBBox();
        return lines.some(([x, from, to]) => box.x < x && x < box.x + box.width && from < box.y + box.height && to > box.y + 2);
    }).map((text) => text.textContent);
}"""


def test_no_line_crosses_a_count(browser: Browser, pages: dict[str, Path]) -> None:
    for width in (1440, 390):
        size = {"width": width, "height": 900}
        with opened(browser, pages["review"], folded=True, viewport=size) as page:
            assert page.evaluate(CROSSED) == []
        with opened(browser, pages["costs"], folded=True, viewport=size) as page:
            for key in ("Home", "PageUp", "PageUp", "End"):
                page.get_by_role("slider", name="Cut-off of").press(key)
                drawn(page)
                assert page.evaluate(CROSSED) == [], key


def test_a_saving_has_a_unit(hybrid: rh.Hybrid) -> None:
    for alarm, unit, key in (
        (1, None, "further in alarms"),
        (10, "EUR", "further in units"),
        (10, None, "further"),
    ):
        condition = rh.Review(alarm, 5 * alarm, cost_review=0.3 * alarm, prevalence=0.3, max_share=0.2)
        answer = rh.Report(hybrid, condition, unit=unit).facts["answer"]
        assert answer["lede"][-1]["key"] == f"answer.lede.{key}"


def test_a_limit_on_reviews_leaves_one_band(page: Page) -> None:
    page.get_by_label("Add a limit").select_option("review")
    drawn(page)
    page.get_by_label("Add a limit").select_option("review")
    page.get_by_label("Most cases reviewed").fill("15")
    expect(page.locator(".zones")).to_be_visible()
    drawn(page)
    assert "let people review" in page.locator("#first h1").inner_text()
    text = page.evaluate("document.querySelector('.zones').textContent")
    reviewed = int(re.findall(r"([\d,]+) reviewed", text)[0].replace(",", ""))
    assert 0 < reviewed <= 1500


def test_a_button_builds_in_a_margin(browser: Browser, hybrid: rh.Hybrid, tmp_path: Path) -> None:
    limit = [rh.NeymanPearson(0.3)]
    rh.Report(hybrid, rh.Within(COSTS, limit)).save(tmp_path / "limit.html")
    sure = hybrid.at(rh.Within(COSTS, limit, confidence=0.95), deterministic=True)
    with opened(browser, tmp_path / "limit.html", folded=True) as page:
        page.get_by_role("button", name="Build in a margin").click()
        drawn(page)
        found = page.evaluate("rochullReport.result.chosen")
        assert (found["fpr"], found["tpr"]) == (sure.fpr, sure.tpr)
        assert (
            page.locator("#first h1").inner_text().endswith(f"is {sure.rules[0][0].threshold:.4f} or more.")
        )
        assert page.locator(".caveat").inner_text() == (
            "Margin built in: with 95 % confidence, new cases keep the limit you began with."
        )


def test_a_draw_is_told_and_pictured(browser: Browser, pages: dict[str, Path]) -> None:
    with opened(browser, pages["limits"], folded=True) as page:
        assert page.locator(".grip").count() == 1
        page.evaluate("rochullReport.set({ ...rochullReport.state, mixtures: true })")
        drawn(page)
        rules = page.evaluate("rochullReport.result.chosen.rules.map(({ rule }) => rule.classifier)")
        assert len({*rules}) == 2
        for name in rules:  # of two scores: there is no one axis
            assert name in page.locator("#first h1").inner_text()
            assert name in page.locator(".where .cap").inner_text()


def test_a_link_keeps_the_threshold_that_was_dragged(browser: Browser, pages: dict[str, Path]) -> None:
    with opened(browser, pages["costs"], folded=True) as page:
        page.get_by_role("slider", name="Cut-off of").press("PageUp")
        drawn(page)
        link, head = until(page, "location.hash", "cut="), page.locator("#first h1").inner_text()
        page.get_by_role("button", name="Back to the best").click()
        until(page, "String(!location.hash.includes('cut='))", "true")
        assert page.locator("#first h1").inner_text() != head
        page.evaluate("(hash) => { location.hash = hash; }", link)
        expect(page.locator("#first h1")).to_have_text(head)


def test_what_cannot_be_kept_says_what_can(page: Page) -> None:
    page.evaluate("rochullReport.set({ ...rochullReport.state, within: { max_fpr: 0.05, min_recall: 0.9 } })")
    drawn(page)
    assert page.locator("#first h1").inner_text() == "No single cut-off keeps your limits."
    told = page.locator(".instead button")
    for i in range(told.count()):
        said = told.nth(i).inner_text()
        told.nth(i).click()
        drawn(page)
        assert page.evaluate("rochullReport.result.feasible")
        assert said in page.locator(".ask").inner_text().replace("\n", " ") or "%" in said
        value = page.evaluate("rochullReport.state.within")
        key, wanted = ("max_fpr", 0.9) if value["min_recall"] == 0.9 else ("min_recall", 0.05)
        tight = {**value, key: value[key] + (0.001 if key == "min_recall" else -0.001)}
        assert wanted in value.values()
        assert not page.evaluate(
            "(within) => rochullReport.model.evaluate({ ...rochullReport.state, within }).feasible", tight
        )
        page.evaluate(
            "rochullReport.set({ ...rochullReport.state, within: { max_fpr: 0.05, min_recall: 0.9 } })"
        )
        drawn(page)
    assert told.count() == 2


def test_a_range_has_chips_and_limits(page: Page) -> None:
    page.get_by_role("button", name="Not sure? Use a range").click()
    drawn(page)
    head = page.locator("#first h1").inner_text()
    assert "Whatever a miss costs between 2.5 and 10" in page.locator(".lede").inner_text()
    chips = page.locator(".chips button")
    texts = chips.all_inner_texts()
    assert [text.split(" → ")[0] for text in texts] == ["2.5", "5", "10"]
    chips.nth(1).click()
    drawn(page)
    assert texts[1].split(" → ")[1] in page.locator("#first h1").inner_text()
    page.get_by_role("button", name="Not sure? Use a range").click()
    drawn(page)
    assert page.locator("#first h1").inner_text() == head
    page.get_by_label("Add a limit").select_option("max_fpr")
    page.locator(".ask .limit input").fill("20")
    until(page, "JSON.stringify(rochullReport.state.within)", "0.2")
    drawn(page)
    assert page.evaluate("rochullReport.result.chosen.fpr") <= 0.2
    assert "that keeps your limits" in page.locator(".lede").inner_text()
    assert page.evaluate("rochullReport.state.cost_fn") == [2.5, 10]


def drawn_cases() -> tuple[Any, Any, Any]:
    """Whether cases are positive, whether they are old, and their scores."""
    rng = np.random.default_rng(5)
    y, old = rng.random(4000) < 0.3, rng.random(4000) < 0.5
    return y, old, 1 / (1 + np.exp(-(rng.normal(size=4000) + 2 * y + 2.5 * old - 2)))


def apart() -> tuple[rh.Report, str]:
    """Of two segments whose scores mean something else, and what cut-offs of their own do with 10,000 cases."""
    y, old, score = drawn_cases()
    hybrid = rh.Hybrid().add("score", y, score)
    segment = Segmentation(y, {"score": score}, {"age": np.where(old, "old", "young")}, cv=2)
    report = rh.Report(hybrid, COSTS, segment=segment)
    rows = {row["segment"]: row["threshold"] for row in report.facts["segments"]["rows"]}
    flagged = score >= np.where(
        old, *(next(rows[s] for s in rows if name in str(s)) for name in ("old", "young"))
    )
    return report, f"{10_000 * 0.3 * flagged[y].mean():,.0f} caught"


def test_cut_offs_of_segments_are_in_the_picture_and_its_counts(browser: Browser, tmp_path: Path) -> None:
    report, caught = apart()
    assert report.facts["answer"]["state"]["segments"] == "few apart"
    report.save(tmp_path / "apart.html")
    with opened(browser, tmp_path / "apart.html", folded=True) as page:
        assert page.locator(".where .t-tp").text_content() == caught
        assert len(set(re.findall(r"M([\d.]+) ", page.locator(".where .cut").get_attribute("d") or ""))) == 2
        assert page.locator(".grip").count() == 0
        assert {"\u2068age\u2069 = \u2068young\u2069", "age = young"} & {
            *page.locator(".where text.strong").all_text_contents()
        }
        page.evaluate("rochullReport.set({ ...rochullReport.state, cost_fn: 2 })")
        drawn(page)
        assert page.locator(".grip").count() == 1  # one cut-off for all, as the headline says


def test_who_is_wrongly_flagged_more_is_seen_side_by_side(browser: Browser, tmp_path: Path) -> None:
    report, _ = apart()
    y, old, score = drawn_cases()
    segments = {"old": old, "young": ~old}

    def rates_at(segment: str, cut: float) -> list[float]:
        return [(score[segments[segment] & (y == label)] >= cut).mean() for label in (False, True)]

    report.save(tmp_path / "apart.html")
    with opened(browser, tmp_path / "apart.html", folded=True) as page:
        page.locator("#layer-fair > summary").click()
        drawn(page)
        rows = {row["segment"]: row for row in report.facts["segments"]["rows"] if row["positives"]}
        rates = sorted((row["fpr"] for row in rows.values()), reverse=True)
        told = page.locator("#fair .bars").first.locator(".n").all_inner_texts()
        assert told == [f"{100 * rate:.1f}\u00a0%" for rate in rates]
        first = page.locator("#layer-fair .body").locator("h2, h3, figure, table").first
        assert first.inner_text() == "others wrongly flagged"
        by_hand = page.get_by_text("About, by the cut-off set by hand.")
        page.evaluate("rochullReport.set({ ...rochullReport.state, cost_fn: 2 })")  # one cut-off for all
        drawn(page)
        expect(by_hand).to_have_count(0)
        for key in (None, "ArrowRight", *["PageUp"] * 3, *["PageDown"] * 5, "Home", "End"):
            if key:
                page.locator(".grip").press(key)
                drawn(page)
                expect(by_hand).to_have_count(1)
            cut = page.evaluate("rochullReport.result.chosen.rules[0].rule.threshold")
            flagged = {s: rates_at(s, cut) for s in ("old", "young")}
            for part, of in (("wrong", 0), ("missed", 1)):
                bars = page.locator(f"#fair .bars[aria-labelledby=fair-{part}]")
                for name, rates in flagged.items():
                    told = bars.locator(".row", has_text=name).locator(".n").inner_text()
                    rate = float(told.replace("\u00a0%", "")) / 100
                    assert abs(rate - (1 - rates[1] if of else rates[0])) < 0.015, (key, part, name)
            row = page.locator("[data-layer=fair]").inner_text()
            counts = [int(x) for x in re.findall(r"(\d+) of 100 in", row)]
            truth = sorted((100 * rates[0] for rates in flagged.values()), reverse=True)
            assert counts == pytest.approx(truth, abs=2), row


def test_a_rule_of_another_score_than_the_segments_says_so(browser: Browser, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    y, kind = rng.random(2000) < 0.3, rng.choice(["a", "b"], 2000)
    top, bottom = (np.where(rng.random(2000) < 0.5 * own, 3.0, rng.normal(size=2000)) for own in (y, ~y))
    scores = {"top": top, "bottom": 0.6 * y - bottom}  # the second is best where misses are dear
    hybrid = rh.Hybrid()
    for name, score in scores.items():
        hybrid.add(name, y, score)
    parted = Segmentation(y, scores, {"kind": kind}, cv=2)
    report = rh.Report(hybrid, rh.ExpectedCost(1, 1, 0.3), segment=parted)
    assert report.facts["segments"]["classifier"] == "top"
    report.save(tmp_path / "r.html")
    with opened(browser, tmp_path / "r.html", folded=True) as page:
        row = page.locator("[data-layer=fair]")
        for cost, says in ((1.5, "Wrongly flagged"), (20, "Looked at for cut-offs of another score alone.")):
            page.evaluate("(cost) => rochullReport.set({ ...rochullReport.state, cost_fn: cost })", cost)
            drawn(page)
            assert says in row.inner_text()


THROUGH = """() => {
    const [curve] = document.querySelectorAll(".where .curve"), texts = [...curve.parentNode.querySelectorAll("text")];
    const at = Array.from({ length: 400 }, (_, i) => curve.getPointAtLength(i * curve.getTotalLength() / 399));
    return texts.filter((text) => {
        const { x, y, width, height } = text.getBBox();
        return at.some((p) => x <= p.x && p.x <= x + width && y <= p.y && p.y <= y + height);
    }).map((text) => text.textContent);
}"""


def test_a_rare_class_is_seen_and_the_curve_runs_through_no_text(browser: Browser, tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    y = rng.random(40_000) < 0.0013
    odds = 2.5 * (rng.normal(size=y.size) + 2.5 * y) - 3.125 + np.log(0.0013 / 0.9987)
    for name, score in (("odds", odds), ("share", 1 / (1 + np.exp(-odds)))):
        rh.Report(rh.Hybrid().add(name, y, score), rh.ExpectedCost(1, 50)).save(tmp_path / f"{name}.html")
        for width in (1440, 390):
            with opened(
                browser,
                tmp_path / f"{name}.html",
                folded=True,
                viewport={"width": width, "height": 900},
            ) as page:
                drawn(page)
                for key in ("tp", "fn"):  # the positives
                    assert page.evaluate(f"document.querySelector('.where .o-{key}').getBBox().height") > 12
                assert "Each side has its own scale." in page.locator(".where .cap").inner_text()
                assert page.evaluate(THROUGH) == []


def test_classes_of_one_scale_do_not_speak_of_it(page: Page) -> None:
    assert "scale" not in page.locator(".where .cap").inner_text()
    assert page.evaluate(THROUGH) == []


def test_the_answer_follows_a_drag_that_is_out_of_its_sight(browser: Browser, pages: dict[str, Path]) -> None:
    with opened(browser, pages["costs"], viewport={"width": 1440, "height": 500}) as page:
        page.locator("#conditions").scroll_into_view_if_needed()
        drawn(page)
        head = page.locator("#first h1").inner_text()
        slide = "(input) => { input.value = input.max; input.dispatchEvent(new Event('input', { bubbles: true })); }"
        page.locator('[data-slider="ratio"] input').first.evaluate(slide)
        expect(page.locator("#first h1")).not_to_have_text(head)
