"""The four outcomes: what they are called, what they cost, and the colours that they have everywhere."""

import re
from fractions import Fraction
from math import floor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, expect

import report_cases as cases
import rochull as rh
from browser import Tab, opened, to_view
from colours import contrast, least_difference
from rochull.report import derived, wording

ROOT = Path(__file__).parents[2]
OUTCOMES = ("tp", "fn", "fp", "tn")
COSTS = rh.ExpectedCost(cost_fp=2, cost_fn=5, prevalence=0.3)


@pytest.mark.parametrize(("theme", "page", "card"), [(0, "#ffffff", "#f6f7f9"), (1, "#14171b", "#1d2126")])
def test_everybody_can_tell_the_colours(theme: int, page: str, card: str) -> None:
    style = (ROOT / "page/src/report.css").read_text(encoding="utf-8")
    colours = [
        re.findall(rf"--o-{cell}:var\(--l,(#\w+)\)var\(--d,(#\w+)\);", style) for cell in (*OUTCOMES, "rv")
    ]
    found = [both[theme] for (both,) in colours]
    assert least_difference(found) >= 20
    assert min(contrast(colour, behind) for colour in found for behind in (page, card)) >= 3


def nested(style: str) -> list[str]:
    """The selectors of rules that stand within others."""
    found, around, start = [], [], 0
    for i, sign in enumerate(style):
        if sign == "{":
            if any(not each.startswith("@") for each in around):
                found.append(style[start:i])
            around.append(style[start:i])
        elif sign == "}":
            around.pop()
        if sign in "{};":
            start = i + 1
    return found


@pytest.mark.parametrize("kind", ["report", "multiclass"])
def test_browsers_of_2023_read_the_styles(kind: str) -> None:
    """They know no light-dark(), and no rule within another that begins with a letter."""
    style = (ROOT / f"src/rochull/report/templates/{kind}.bundle.css").read_text(encoding="utf-8")
    assert "light-dark(" not in style
    found = nested(style)
    assert len(found) > 100
    assert [each for each in found if each[0].isalpha()] == []


@pytest.mark.parametrize("system", ["light", "dark"])
def test_a_theme_is_the_system_s_until_one_is_chosen(browser: Browser, tmp_path: Path, system: str) -> None:
    rh.Report(cases.shipped("german_credit_scores", "class", "bad"), COSTS).save(tmp_path / "r.html")
    pages = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 27)"}
    with opened(browser, tmp_path / "r.html", color_scheme=system) as page:
        body = page.locator("body")
        for chosen in (None, "light", "dark"):
            if chosen:
                page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", chosen)
            expect(body).to_have_css("background-color", pages[chosen or system])
        page.emulate_media(media="print")
        expect(body).to_have_css("background-color", pages["light"])


@pytest.mark.short
def test_the_matrix_names_counts_and_prices(tab: Tab, tmp_path: Path) -> None:
    hybrid = cases.shipped("german_credit_scores", "class", "bad")
    rh.Report(hybrid, COSTS, about={"label": "class", "positive": "bad"}).save(tmp_path / "r.html")
    point = hybrid.at(COSTS)
    with tab(tmp_path / "r.html") as page:
        cells = {key: page.locator(f"#outcomes-two .o-{key}") for key in OUTCOMES}
        said = {key: cell.inner_text().replace(",", "").split() for key, cell in cells.items()}
        missed, alarms = 3000 * (1 - point.tpr), 7000 * point.fpr
        whole = derived.whole_cases({"tp": 3000 - missed, "fn": missed, "fp": alarms, "tn": 7000 - alarms})
        assert said["tp"] == [f"{whole['tp']}", "caught"]
        assert said["fn"] == [f"{whole['fn']}", "missed", "cost", f"{5 * missed:.0f}"]
        assert said["fp"] == [f"{whole['fp']}", "false", "alarms", "cost", f"{2 * alarms:.0f}"]
        assert said["tn"] == [f"{whole['tn']}", "correctly", "passed"]
        total = sum(
            float(cells[key].locator(".price").get_attribute("data-value") or 0) for key in ("fn", "fp")
        )
        assert total == pytest.approx(10_000 * point.expected_cost(COSTS))
        edges = [cell.evaluate("node => getComputedStyle(node).borderLeftColor") for cell in cells.values()]
        assert len(set(edges)) == 4
        share = "node => Number(getComputedStyle(node).getPropertyValue('--share'))"
        assert cells["tn"].evaluate(share) == pytest.approx((0.7 * (1 - point.fpr)) ** 0.5)
        page.evaluate("rochullReport.set({ ...rochullReport.state, cost_fn: [5, 10] })")
        expect(cells["fn"].locator(".price")).to_contain_text("–")


def rounded(table: dict[str, Fraction]) -> dict[str, int]:
    """Every table of whole cases with as many positives, one after the other: the nearest, each sum in turn."""
    positives = floor(table["tp"] + table["fn"] + Fraction(1, 2))
    others = floor(sum(table.values(), Fraction()) + Fraction(1, 2)) - positives

    def off(found: dict[str, int]) -> Fraction:
        gaps = {cell: found[cell] - table[cell] for cell in found}
        return sum((gap**2 for gap in (*gaps.values(), gaps["tp"] + gaps["fp"])), Fraction())

    tables = [
        {"tp": tp, "fn": positives - tp, "fp": others - tn, "tn": tn}
        for tp in range(positives + 1)
        for tn in range(others + 1)
    ]  # fewer caught come first, then more false alarms
    return min(tables, key=off)


@given(st.data())
def test_outcomes_are_whole_cases_that_add_up(data: st.DataObject) -> None:
    """Of every kind: with halves, with nobody caught, of fractions of cases."""
    size = data.draw(st.integers(1, 24), label="cases")
    positives = data.draw(st.one_of(st.integers(0, size), st.fractions(0, size, max_denominator=20)))
    rates = [data.draw(st.fractions(0, 1, max_denominator=24)) for _ in "ft"]
    fp, tp = (size - positives) * rates[0], positives * rates[1]
    exact = {"tp": tp, "fn": positives - tp, "fp": fp, "tn": size - positives - fp}
    found = derived.whole_cases({cell: float(value) for cell, value in exact.items()})
    assert found == rounded(exact)
    assert sum(found.values()) == size
    assert abs(found["tp"] + found["fn"] - positives) <= Fraction(1, 2)
    assert abs(found["tp"] + found["fp"] - tp - fp) < 1
    assert all(abs(found[cell] - exact[cell]) < 1 for cell in OUTCOMES)  # what is whole stays as it is


def test_the_page_and_the_terminal_show_the_same_cases_and_their_exact_costs(
    tab: Tab, tmp_path: Path
) -> None:
    """Of rates that make halves: the cells add up, and the costs are not those of rounded cases."""
    y = np.repeat([1, 0], [16, 64])
    score = np.r_[np.repeat([3, 2, 1, 0], [5, 4, 4, 3]), np.repeat([3, 2, 1, 0], [1, 6, 20, 37])]
    hybrid = rh.Hybrid().add("a", y, score)
    halves = 0
    for costs in (rh.ExpectedCost(1, fn, p) for fn in (2, 5, 9) for p in (0.12, 0.2, 0.3332, 0.0002)):
        report = rh.Report(hybrid, costs)
        report.save(tmp_path / "r.html")
        exact = report.facts["chosen"]["confusion"]
        whole = derived.whole_cases(exact)
        halves += any(exact[cell] % 1 == 0.5 for cell in OUTCOMES)
        with tab(tmp_path / "r.html") as page:
            shown = {
                cell: page.locator(f"#outcomes-two .o-{cell} .count").inner_text().replace(",", "")
                for cell in OUTCOMES
            }
            row = {
                cell: page.locator(f"[data-row=best] [data-cell='{cell}']").inner_text().replace(",", "")
                for cell in ("cost", "flagged", "caught", "missed", "false alarms")
            }
        assert shown == {cell: str(value) for cell, value in whole.items()}
        cells = (whole["tp"] + whole["fp"], whole["tp"], whole["fn"], whole["fp"])
        assert list(row.values())[1:] == [str(value) for value in cells]
        assert sum(whole.values()) == 10_000
        cost = 10_000 * report.facts["chosen"]["expected_cost"]
        assert row["cost"] == wording.number(cost).replace(",", "")
        lines = [line.split() for line in report.to_text().splitlines()]
        assert ["positive", f"{whole['tp']:,}", f"{whole['fn']:,}"] in lines
        assert ["negative", f"{whole['fp']:,}", f"{whole['tn']:,}"] in lines
    assert halves


def test_costs_are_exact_in_the_readers_number_of_cases_and_unit(tab: Tab, tmp_path: Path) -> None:
    hybrid = cases.shipped("german_credit_scores", "class", "bad")
    rh.Report(hybrid, COSTS).save(tmp_path / "r.html")
    with tab(tmp_path / "r.html") as page:
        for p, size in [(0.05, 10_000), (0.05, 1_000), (0.017, 700), (0.3, 123_456)]:
            page.evaluate("p => rochullReport.set({ ...rochullReport.state, prevalence: p })", p)
            page.fill("#per-cases", str(size))
            page.fill("#cost-unit", "EUR")
            expect(page.locator("#outcomes-two caption")).to_contain_text(f"Of {size:,} cases")
            costs = rh.ExpectedCost(2, 5, p)
            point = hybrid.at(costs)
            for key, price in (("fn", 5 * p * (1 - point.tpr)), ("fp", 2 * (1 - p) * point.fpr)):
                said = page.locator(f"#outcomes-two .o-{key} .price").inner_text().replace(",", "")
                assert said == f"cost {wording.number(size * price)} EUR".replace(",", "")
            row = page.locator("[data-row=best] [data-cell=cost]").inner_text().replace(",", "")
            assert row == f"{wording.number(size * point.expected_cost(costs))} EUR".replace(",", "")
            assert page.locator('.figures [data-key="expected_cost"]').inner_text().endswith(" EUR")
        page.fill("#per-cases", "2.5")  # cases are whole
        expect(page.locator("#outcomes-two caption")).to_contain_text("Of 3 cases")


def test_what_cannot_be_read_is_told_and_a_share_of_5_is_5_percent(tab: Tab, tmp_path: Path) -> None:
    rh.Report(cases.shipped("german_credit_scores", "class", "bad"), COSTS).save(tmp_path / "r.html")
    with tab(tmp_path / "r.html") as page:
        page.fill("#f-prevalence", "5")
        page.locator("#f-prevalence").blur()
        expect(page.locator("#f-prevalence")).to_have_value("5\u00a0%")
        assert page.evaluate("rochullReport.state.prevalence") == 0.05
        page.fill("#f-cost_fn", "abc")
        expect(page.locator("#unused")).to_contain_text("does not use all that you typed")
        expect(page.locator("#answer")).to_have_class(re.compile("stale"))
        page.fill("#f-cost_fn", "5")
        expect(page.locator("#unused")).to_be_hidden()
        page.fill("#per-cases", "-1")
        expect(page.locator("#cases-note")).to_contain_text("but is “-1”")
        page.select_option("#today-classifier", "0")
        page.fill("#today-threshold", "abc")
        expect(page.locator("#today-note")).to_contain_text("must be a number, but is “abc”")
        to_view(page, "Reviews")
        page.get_by_label("reviewed at most").fill("300")
        expect(page.locator("#view-reviews .fault")).to_contain_text("but is “300”")


def test_the_matrix_tells_the_difference_to_the_rule_of_today(tab: Tab, tmp_path: Path) -> None:
    hybrid = cases.shipped("german_credit_scores", "class", "bad")
    rh.Report(hybrid, COSTS).save(tmp_path / "r.html")
    point, today = hybrid.at(COSTS), {}
    table = rh.datasets.load("german_credit_scores")
    bad, flagged = table["class"] == "bad", table["tree"].astype(float) >= 0.5
    for cell, own in {
        "tp": flagged & bad,
        "fn": ~flagged & bad,
        "fp": flagged & ~bad,
        "tn": ~flagged & ~bad,
    }.items():
        today[cell] = 10 * int(own.sum())
    here = {
        "tp": 3000 * point.tpr,
        "fn": 3000 - 3000 * point.tpr,
        "fp": 7000 * point.fpr,
        "tn": 7000 - 7000 * point.fpr,
    }
    with tab(tmp_path / "r.html") as page:
        versus = {cell: page.locator(f"[data-versus={cell}]") for cell in OUTCOMES}
        assert all(node.inner_text() == "" for node in versus.values())
        page.select_option("#today-classifier", label="tree")
        for cell, node in versus.items():
            more = derived.whole_cases(here)[cell] - today[cell]
            expect(node).to_have_text(
                f"({abs(more):,} {'more' if more > 0 else 'fewer'} than your current rule)"
            )
        page.evaluate(
            "rochullReport.set({ ...rochullReport.state, cost_fn: [5, 10], prevalence: [0.2, 0.3] })"
        )
        assert all(node.inner_text() == "" for node in versus.values())


def test_a_threshold_of_today_that_is_not_kept_is_told_beside_the_one_that_is(
    tab: Tab, tmp_path: Path
) -> None:
    """Of many scores a page keeps some: the rule is the nearest that it knows."""
    rng = np.random.default_rng(0)
    y = rng.random(60_000) < 0.3
    rh.Report(rh.Hybrid().add("s", y, rng.normal(size=y.size) + y), COSTS).save(tmp_path / "r.html")
    with tab(tmp_path / "r.html") as page:
        page.select_option("#today-classifier", "0")
        page.fill("#today-threshold", "0.71234567")
        head = page.locator("[data-row=today] th")
        expect(head).to_contain_text("(you typed 0.71234567)")
        kept = page.evaluate("rochullReport.model.ruleAt(0, 0.71234567).rules[0].rule.threshold")
        assert kept != 0.71234567
        page.fill("#today-threshold", str(kept))
        expect(head).not_to_contain_text("you typed")
