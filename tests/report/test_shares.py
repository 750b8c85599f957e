"""What can be had where only so many cases can be handled, against the library's capacity."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

import report_cases as cases
import rochull as rh
from browser import Tab
from rochull.report import wording

COSTS = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3)


def test_the_best_rule_for_each_share(tab: Tab, tmp_path: Path) -> None:
    hybrid = cases.shipped("german_credit_scores", "class", "bad")
    rh.Report(hybrid, COSTS).save(tmp_path / "r.html")
    with tab(tmp_path / "r.html") as page:
        rows = page.locator("#shares tbody tr")
        page.get_by_text("If you can handle only so many cases").click()
        for p in (0.3, 0.1):
            page.evaluate("p => rochullReport.set({ ...rochullReport.state, prevalence: p })", p)
            costs, first = rh.ExpectedCost(1, 5, p), hybrid.at(rh.Capacity(fraction=0.01, prevalence=p))
            expect(rows.first.locator("td").nth(1)).to_have_attribute("data-value", str(first.tpr))
            read: Any = """all => all.map((row) => [row.cells[5].textContent.replace(/[\u2068\u2069]/g, "").replace(/\u00a0/g, " "),
                ...[...row.cells].slice(0, 5).map((cell) => Number(cell.dataset.value))])"""
            found = rows.evaluate_all(read)
            assert [row[1] for row in found] == [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5]
            for words, share, *values in found:
                point = hybrid.at(rh.Capacity(fraction=share, prevalence=p))
                assert words == wording.rules(cases.plain(point) or {})
                precision = rh.Precision(prevalence=p).value(point.fpr, point.tpr)
                wanted = [precision, point.tpr, point.fpr, point.expected_cost(costs)]
                assert values == pytest.approx(wanted, rel=1e-12)
            text = rows.nth(1).locator("td").first.inner_text()
            point = hybrid.at(rh.Capacity(fraction=0.02, prevalence=p))
            flagged, share = (
                700 * point.fpr + 300 * point.tpr,
                rh.Precision(prevalence=p).value(point.fpr, point.tpr),
            )
            few = f" (of {flagged:.0f} past cases)" * (flagged < 30)
            assert text.replace("\u00a0", " ") == f"{100 * share:.0f} %{few}"  # no tenths, of so few
        said = [(1, 216), (1, 1), (1, 1000), (0.996, 500), (0.004, 300), (0, 31), (0.873, 999), (0.873, 1000)]
        found = page.evaluate("all => all.map((each) => rochullShares.precision(...each))", said)
        assert [text.replace("\u00a0", " ") for text in found] == [
            "100 % (of 216 past cases)", "100 % (of 1 past case)", "100.0 %", "99.6 %", "0.4 %", "0 %", "87 %", "87.3 %",
        ]  # fmt: skip
        ranges = page.evaluate("rochullShares.precision([0.304, 1], 40)")
        assert ranges.replace("\u00a0", " ") == "30–100 % (of 40 past cases)"
        page.evaluate(
            "rochullReport.set({ ...rochullReport.state, cost_fn: [2, 9], prevalence: [0.1, 0.3] })"
        )
        expect(rows.first.locator("td").nth(3)).to_contain_text("–")
        expect(page.locator("#shares caption")).to_contain_text(
            "at a prevalence of 30 %, the upper end of your range, where a rule flags most; "
            "precision and cost are those over all of it; where two rules are mixed"
        )
        read = "row => [...row.cells].slice(0, 4).map((cell) => Number(cell.dataset.value))"
        share, _, tpr, fpr = rows.nth(3).evaluate(read)
        assert 0.3 * tpr + 0.7 * fpr == pytest.approx(share)
        point = hybrid.at(rh.Capacity(fraction=share, prevalence=0.3))
        assert [fpr, tpr] == pytest.approx([point.fpr, point.tpr], rel=1e-12)
