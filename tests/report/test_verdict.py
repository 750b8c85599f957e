# long: the page says it too; the tests share a browser
"""The answer in one sentence, in Python and on the page, and what it is compared with, side by side."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import report_cases as cases
import rochull as rh
from browser import opened, until
from engine import engine
from reading import plain
from rochull.report.data_wording import about, flattered, in_sample, parted
from rochull.report.verdict import beaten, compared, saved
from rochull.report.wording import rules

ABOUT = {"table": "german.parquet", "label": "class", "positive": "bad", "date": "1994", "about": "A bank's."}


@pytest.fixture(scope="module")
def page_file(german: rh.Hybrid, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("verdict") / "r.html"
    rh.Report(german, rh.ExpectedCost(1, 5), title="Credit", about=ABOUT).save(path)
    return path


def test_messages_of_two_texts_are_said_once(german: rh.Hybrid) -> None:
    plain = rh.Report(german, rh.ExpectedCost(1, 5, 0.3)).facts
    kept = {"measure": "expected cost", "corrected": 0.6, "apparent": 0.5, "optimism": 0.1}
    facts = plain | {"uncertainty": {"bootstrap": {"optimism": kept}}}
    parts = parted(facts)
    assert [kind for kind, _ in parts] == ["", "data-own", "data-other", ""]
    for side, text in (("data-own", in_sample(facts)), ("data-other", flattered())):
        assert " ".join(part for kind, part in parts if kind in ("", side)) == text
    assert "".join(part for kind, part in parted(plain) if kind != "data-other") == in_sample(plain)


def test_in_sample_is_said_otherwise_once_the_condition_moves(
    german: rh.Hybrid, browser: Browser, tmp_path: Path
) -> None:
    table = rh.datasets.load("german_credit_scores")
    found = german.need(rh.ExpectedCost(1, 5, 0.3), table["class"] == "bad", table)
    report = rh.Report(german, rh.ExpectedCost(1, 5, 0.3), need=found)
    report.save(tmp_path / "r.html")
    with opened(browser, tmp_path / "r.html") as page:
        assert plain(page.locator("p.notice:has([data-own])").inner_text()) == in_sample(report.facts)
        measured = ", that of the prevalence included (but for that of the cost)."
        expect(page.locator("#wilson")).to_contain_text(measured)
        expect(page.locator("#wilson-measured")).to_be_visible()
        page.locator("[data-field=prevalence]").fill("0.2")
        page.locator("[data-field=prevalence]").blur()
        expect(page.locator("#wilson-measured")).to_be_hidden()
        expect(page.locator("p.notice [data-own]")).to_be_hidden()
        expect(page.locator("p.notice [data-other]")).to_contain_text("Try the rule on new cases before")


@pytest.mark.usefixtures("keys")
def test_in_sample_is_said_once_where_the_headline_tells_of_new_cases(german: rh.Hybrid) -> None:
    """Also beside a bootstrap, whose own estimate stands with its interval further down."""
    table, costs = rh.datasets.load("german_credit_scores"), rh.ExpectedCost(1, 5, 0.3)
    y, scores = table["class"] == "bad", {name: table[name] for name in cases.SCORES}
    found = german.need(costs, y, scores)
    for sure in (None, rh.report.Uncertainty(y, scores, n_resamples=40)):
        report = rh.Report(german, costs, need=found, uncertainty=sure)
        assert in_sample(report.facts) == "report.flattered.below"


def test_the_page_tells_of_errors_beside_reviews(german: rh.Hybrid, browser: Browser, tmp_path: Path) -> None:
    report = rh.Report(german, rh.conditions.Review(1, 5, 0.1, prevalence=0.3))
    report.save(tmp_path / "r.html")
    with opened(browser, tmp_path / "r.html") as page:
        expect(page.locator("#answer")).to_contain_text("wrong among the cases that nobody reviews")


def test_savings_in_words() -> None:
    assert [compared(*pair) for pair in ((1, 2), (2, 1), (0, 0), (1, 0), (1, 1.001))] == [
        "50 % less than", "100 % more than", "as much as", "more than", "as much as",
    ]  # fmt: skip
    assert [compared(*pair) for pair in ((0, 2), (0.64, 300))] == ["100 % less than", ">99 % less than"]
    assert [saved(*pair) for pair in ((1, 2), (2, 1), (0, 0), (1, 0), (1, 1.001))] == [
        "50 %", "−100 %", "0 %", "–", "0 %",
    ]  # fmt: skip


def test_what_is_not_told_apart_and_what_breaks_the_limit(german: rh.Hybrid) -> None:
    costs = rh.ExpectedCost(1, 20)
    point = german.at(costs)
    rates = (
        rh.rate_interval(round(rate * n), n, "wilson") for rate, n in ((point.fpr, 700), (point.tpr, 300))
    )
    interval = costs.at_prevalence(0.3).question.objective.interval(*rates)
    assert interval.low < 0.7 < interval.high  # flagging all costs 0.7 per case
    rows = {row["classifier"] or row["kind"]: row for row in rh.Report(german, costs).facts["baselines"]}
    assert [rows[name]["told_apart"] for name in ("never", "always", "boosted")] == [True, False, None]
    facts = rh.Report(german, rh.NeymanPearson(0.1)).facts
    found = {row["classifier"] or row["kind"]: row["breaks"] for row in facts["baselines"]}
    curves = {name: german.hundredths[name].fpr[51] > 0.1 for name in cases.SCORES}
    assert found == {"never": False, "always": True} | curves


def mixed(*parts: tuple[str, str | None, float | None, float], lower: bool = False) -> dict[str, Any]:
    way = {"lower_is_positive": True} if lower else {}
    return {
        "rules": [
            {"rule": {"kind": kind, "classifier": name, "threshold": at, **way}, "probability": p}
            for kind, name, at, p in parts
        ]
    }


NEVER, ALWAYS = ("never", None, None), ("always", None, None)


A, B, BELOW = (("threshold", name, at) for name, at in (("a", 2.0), ("b", 1.5), ("a", 1.0)))
MIXTURES = {
    "page.rule.drawn": mixed((*NEVER, 0.333), (*ALWAYS, 0.667)),
    "page.rule.some with": mixed((*NEVER, 0.333), (*A, 0.667)),
    "page.rule.others": mixed((*A, 0.333), (*ALWAYS, 0.667)),
    "page.rule.up": mixed((*A, 0.333), (*BELOW, 0.667)),
    "page.rule.down": mixed((*BELOW, 0.333), (*A, 0.667), lower=True),
    "page.rule.others with": mixed(
        ("threshold", "a", 2.00001, 0.333), (*A, 0.667)
    ),  # alike as they are shown
    "page.rule.either": mixed((*A, 0.333), (*B, 0.667)),
    "page.rule.never": mixed((*NEVER, 1.0)),
    "page.rule.always": mixed((*ALWAYS, 1.0)),
    "page.rule.cut": mixed((*A, 1.0)),
}


@pytest.mark.usefixtures("keys")
def test_a_mixture_as_an_order() -> None:
    assert [rules(point) for point in MIXTURES.values()] == [*MIXTURES]


def test_the_page_tells_every_mixture_as_the_terminal_does() -> None:
    points = [*MIXTURES.values()]
    with engine() as made:
        told = made.evaluate("points => points.map(rochullRule.inWords)", points)
    assert [plain(text) for text in told] == [rules(point) for point in points]
    assert rules(MIXTURES["page.rule.up"]) == "a ≥ 2, and a random 66.7 % of those from 1 up to 2"


def test_where_a_range_is_beaten(german: rh.Hybrid) -> None:
    """By the costs of both rules at each corner of the range; the page's own sentence is tested beside its table."""
    facts = rh.Report(german, rh.ExpectedCost(1, 5, (0.1, 0.6))).facts
    text = beaten(facts)
    assert "naive_bayes at 0.5, logistic at 0.5 and 3 more" in str(text)
    assert re.findall(r"If (\d+ %) .*? flagging (\w+)", str(text)) == [("10 %", "none"), ("60 %", "all")]
    assert text in " ".join(rh.Report(german, rh.ExpectedCost(1, 5, (0.1, 0.6))).to_text().split())
    assert text in rh.Report(german, rh.ExpectedCost(1, 5, (0.1, 0.6))).to_html()
    assert beaten(rh.Report(german, rh.ExpectedCost(1, (2.5, 10), 0.3)).facts) is None
    both = beaten(rh.Report(german, rh.ExpectedCost(1, (2, 9), (0.18, 0.5))).facts)
    corners = re.findall(r"If (\d+ %) of .*? and a miss costs (\d), even flagging (\w+)", str(both))
    assert corners == [("18 %", "2", "none"), ("50 %", "9", "all")]
    assert beaten(rh.Report(german, rh.ExpectedCost(1, 5)).facts) is None
    assert beaten(rh.Report(german, rh.NeymanPearson((0.1, 0.2))).facts) is None


def test_what_a_positive_case_is_called(german: rh.Hybrid) -> None:
    for given, name in [
        ({"positive": "bad", "label": "class"}, "bad"),
        ({"positive": ">50K", "label": "income"}, "income >50K"),
        ({"positive": "1", "label": "y"}, "y 1"),
        ({"positive": "1", "label": "malignant"}, "malignant"),
        ({"positive": "yes", "label": "churned"}, "churned"),
        ({"positive": "yes", "label": "target"}, "yes"),
        ({}, "bad"),  # as the table was read
        ({"label": "class"}, "bad"),
    ]:
        assert rh.Report(german, about=given).facts["positive"] == name
    assert rh.Report(german.without("knn").hybrid).facts["positive"] == "bad"
    y, scores = ["no", "yes", "yes", "no"], [0.1, 0.7, 0.6, 0.6]
    assert rh.Report(rh.Hybrid().add("a", y, scores, pos_label="yes")).facts["positive"] == "yes"
    numbers = rh.Hybrid().add("a", [1, 2, 2, 1], scores, pos_label=2)  # which says nothing without a column
    assert rh.Report(numbers).facts["positive"] == "positive"
    bare = rh.Hybrid().add("a", [0, 1, 1, 0], scores)
    assert rh.Report(bare, about={"label": "fraud"}).facts["positive"] == "fraud"
    assert rh.Report(bare, about={"label": "label"}).facts["positive"] == "positive"
    table = {"y": [1, 2, 2, 1], "a": scores}
    named = rh.Hybrid.from_table(table, label="y", scores=["a"], pos_label=2)
    assert rh.Report(named).facts["positive"] == "y 2"
    assert about(rh.Report(german, about=ABOUT | {"rochull": "1"}).facts) == (
        "A bank's. · table german.parquet · label class · positive bad · date 1994"
    )
    assert about(rh.Report(german).facts) is None


def test_in_sample_is_said_once_with_what_it_does(german: rh.Hybrid) -> None:
    table = rh.datasets.load("german_credit_scores")
    y, scores = table["class"] == "bad", {name: table[name] for name in cases.SCORES}
    sure = rh.report.Uncertainty(y, scores, n_resamples=40)
    report = rh.Report(german, rh.ExpectedCost(1, 5), uncertainty=sure)
    kept = report.facts["uncertainty"]["bootstrap"]["optimism"]
    expected = f"On new cases expect a cost per case of about {kept['corrected']:.4g}, not 0.502 (bootstrap). Figures look better still if a classifier was trained on these cases."
    assert in_sample(report.facts).endswith(expected)
    text = rh.Report(german, rh.ExpectedCost(1, 5)).to_text()
    assert len(re.findall("(?i)in-sample", text)) == 1
    assert "called positive" not in text


def test_one_threshold_only_is_a_tick_and_is_exported(
    browser: Browser, german: rh.Hybrid, tmp_path: Path
) -> None:
    limit = rh.NeymanPearson(0.2)
    rh.Report(german, limit, command=["rochull", "report", "t.csv"]).save(tmp_path / "r.html")
    point = german.at(limit, deterministic=True)
    with opened(browser, tmp_path / "r.html", locale="en-US") as page:
        expect(page.locator("#single")).to_be_visible()
        page.get_by_label("allow mixtures").uncheck()
        expect(page.locator("#single")).to_be_hidden()
        expect(page.locator("#rule")).to_contain_text("logistic ≥ 0.3863")
        until(page, "location.hash.includes('mixtures=no')")
        page.locator("#open-copy").click()
        assert page.locator("#copy-python").input_value().splitlines()[3].startswith("point, costs = ")
        assert (
            "hybrid.at(rh.NeymanPearson(0.2), deterministic=True)"
            in page.locator("#copy-python").input_value()
        )
        assert page.locator("#copy-command").input_value().endswith(" --deterministic")
        page.keyboard.press("Escape")
        page.locator("#open-rule").click()
        expect(page.locator("#policy-single")).to_be_hidden()  # it holds that of the report's condition
        page.select_option("#dialect", "duckdb")
        written = page.locator("#sql-text").input_value()
        page.keyboard.press("Escape")
        page.evaluate("rochullReport.set({ ...rochullReport.state, max_fpr: 0.18 })")
        page.locator("#open-rule").click()
        expect(page.locator("#policy-single")).to_be_visible()
    assert written == german.policy().to_sql(point, dialect="duckdb")


def test_a_range_is_evaluated_at_each_of_its_ends(
    browser: Browser, german: rh.Hybrid, page_file: Path
) -> None:
    """What every rule does over a range, by its rates at both ends: sums of ranges are no ranges of sums."""
    table = german.regret(rh.ExpectedCost(1, 5, (0.1, 0.6)))
    assert table.minimax
    rules = {"never null": (0, 0), "always null": (1, 1), "best": (table.minimax.fpr, table.minimax.tpr)}
    rules |= {
        f"half {name}": (german.hundredths[name].fpr[51], german.hundredths[name].tpr[51])
        for name in cases.SCORES
    }
    ends, best = (0.1, 0.6), rules["best"]

    def cost(p: float, fpr: float, tpr: float) -> float:
        return (1 - p) * fpr + 5 * p * (1 - tpr)

    with opened(browser, page_file, locale="en-US") as page:
        page.evaluate("rochullReport.set({ ...rochullReport.state, prevalence: [0.1, 0.6] })")
        read = """() => Object.fromEntries([...document.querySelectorAll("[data-row]")].map((row) => [row.dataset.row.trim(),
            Object.fromEntries([...row.querySelectorAll("td")].map((cell) => [cell.dataset.cell, [cell.dataset.value, cell.textContent]]))]))"""
        found = page.evaluate(read)
        said = plain(page.locator("#beaten").inner_text())
    for name, (fpr, tpr) in rules.items():
        row = found.get(name) or found[name.removesuffix(" null")]
        flagged = sorted(10_000 * (p * tpr + (1 - p) * fpr) for p in ends)
        shown = [float(x) for x in row["flagged"][0].split(",")]
        assert [min(shown), max(shown)] == pytest.approx(flagged), name
        costs = sorted(10_000 * cost(p, fpr, tpr) for p in ends)
        assert [float(x) for x in row["cost"][0].split(",")] == pytest.approx(costs), name
        if name == "best":
            continue
        less = sorted(1 - cost(p, *best) / cost(p, fpr, tpr) for p in ends)
        words = [f"{100 * x:.0f} %".replace("-", "−") for x in less]
        assert plain(row["less"][1]) == " to ".join(words)
    assert said == beaten(rh.Report(german, rh.ExpectedCost(1, 5, (0.1, 0.6))).facts)


def cells(page: Page, row: str) -> dict[str, str]:
    found: dict[str, str] = page.evaluate(
        """row => Object.fromEntries([...document.querySelectorAll(`[data-row="${row}"] td`)].map(
            (cell) => [cell.dataset.cell, cell.textContent]))""",
        row,
    )
    return {key: plain(text) for key, text in found.items()}


def test_the_rule_of_today_side_by_side(browser: Browser, page_file: Path) -> None:
    table = rh.datasets.load("german_credit_scores")
    bad, flagged = table["class"] == "bad", table["boosted"] >= 0.37
    with opened(browser, page_file, locale="en-US") as page:
        page.select_option("#today-classifier", "4")
        page.fill("#today-threshold", "0.37")
        page.fill("#per-cases", "1000")
        page.fill("#cost-unit", "EUR")
        wanted = {
            "flagged": f"{flagged.sum()}", "caught": f"{(flagged & bad).sum()}",
            "missed": f"{(~flagged & bad).sum()}", "false alarms": f"{(flagged & ~bad).sum()}",
        }  # fmt: skip
        cost = (flagged & ~bad).sum() + 5 * (~flagged & bad).sum()
        shown = cells(page, "today")
        assert {key: shown[key] for key in wanted} == wanted
        assert shown["cost"] == f"{cost} EUR"
        assert shown["less"] == f"{100 * (1 - 502 / cost):.0f} %"
        assert cells(page, "best")["cost"] == "502 EUR"
        expect(page.locator(".view:not([hidden]) .rc-today")).to_be_visible()
        page.fill("#today-threshold", "600")
        expect(page.locator("#today-note")).to_contain_text("600 is outside the scores (")
        assert cells(page, "today")["flagged"] == "0"
        page.fill("#today-threshold", "0.3712345")  # which is no score of these
        flagged = table["boosted"] >= 0.3712345
        assert cells(page, "today")["flagged"] == f"{flagged.sum()}"
        expect(page.locator("#today-note")).to_have_text("")
        until(page, "location.hash.includes('today=0.3712345:boosted')")
        now = page.locator('[data-row="today"] th')
        assert plain(now.inner_text()) == "your current rule: boosted ≥ 0.3712"
        page.evaluate("rochullReport.pin(null)")
        expect(page.locator("#today-classifier")).to_have_value("")
        page.evaluate("location.hash += '&again'")  # as of a bookmark
        expect(page.locator("#today-classifier")).to_have_value("4")


def test_a_click_beside_a_curve_changes_nothing_and_back_undoes(browser: Browser, page_file: Path) -> None:
    with opened(browser, page_file, viewport={"width": 1440, "height": 900}) as page:
        before: Any = page.evaluate("rochullReport.state")
        box = page.locator(".view:not([hidden]) .rc-overlay").bounding_box()
        star = page.locator(".view:not([hidden]) .rc-star").first.bounding_box()
        assert box
        assert star
        x, y = star["x"] + star["width"] / 2, star["y"] + star["height"] / 2
        page.mouse.click(x + 14, y + 20)  # near enough for a tooltip
        assert page.evaluate("rochullReport.state") == before
        page.locator("#f-cost_fn").fill("9")
        until(page, "location.hash.includes('cost_fn=9')")
        page.go_back()
        until(page, "rochullReport.state.cost_fn === 5")


@pytest.mark.parametrize("size", [(390, 844), (740, 360), (820, 700), (1100, 800), (1440, 900)])
def test_the_answer_stays_on_the_screen(browser: Browser, page_file: Path, size: tuple[int, int]) -> None:
    width, height = size
    with opened(browser, page_file, viewport={"width": width, "height": height}) as page:
        page.locator("#f-prevalence").scroll_into_view_if_needed()
        until(
            page,
            """() => ["#bar .bar-rule", "#rule"].some((each) => {
            const box = document.querySelector(each).getBoundingClientRect();
            return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight;
        })""",
        )
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_lines_and_swatches_of_24_classifiers_differ(browser: Browser, tmp_path: Path) -> None:
    hybrid = rh.Hybrid()
    for i in range(24):
        hybrid.add_point(f"c{i}", i / 50, 1 - (1 - i / 50) ** 2 / 2)  # each is needed
    rh.Report(hybrid).save(tmp_path / "r.html")
    with opened(browser, tmp_path / "r.html") as page:
        looks = page.evaluate("""() => [[...document.querySelectorAll("#alone-rows .swatch")].map((node) => {
            const style = getComputedStyle(node);
            return style.backgroundColor + style.maskImage;
        }), [...document.querySelectorAll(".view:not([hidden]) .rc-curve")].slice(0, 24).map((node) => {
            const style = getComputedStyle(node);
            return style.stroke + style.strokeDasharray;
        })]""")
    assert [len(set(each)) for each in looks] == [24, 24]


def test_the_threshold_that_costs_set_for_a_probability(page_file: Path, browser: Browser) -> None:
    with opened(browser, page_file) as page:
        offered = page.locator("#today-costs")
        assert not offered.is_visible()
        page.select_option("#today-classifier", label="boosted")
        expect(offered).to_be_visible()
        assert offered.inner_text().startswith(
            "0.1667: by the costs"
        )  # 1 / (1 + 5), at the table's prevalence
        offered.click()
        assert page.input_value("#today-threshold") == "0.166667"
        page.evaluate("rochullReport.set({ ...rochullReport.state, prevalence: 0.1 })")
        p = 0.3 * 0.9 / (0.3 * 0.9 + 0.7 * 0.1 * 5)  # the odds of the scores follow the prevalence
        assert offered.inner_text().startswith(f"{p:.4g}: by the costs")
        page.evaluate("rochullReport.set({ ...rochullReport.state, cost_fn: [2, 9] })")
        assert not offered.is_visible()
