"""Segments beside each other: 500 random states counted case by case in Python, and the table that shows them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import report_cases as cases
import rochull as rh
from browser import opened, to_view
from rochull.conditions.base import InfeasibleConditionError
from rochull.report import Scanned, Segmentation, html
from rochull.uncertainty.bootstrap_intervals import wilson

Array = np.ndarray[Any, Any]
MODEL = html.SCRIPTS[: html.SCRIPTS.index("report_beside.js") + 1]
MODEL = tuple(name for name in MODEL if name not in ("report_charts.js", "report_elements.js"))
N = 500


class Examples:
    """German credit, with thresholds by job and age."""

    def __init__(self, weighted: bool) -> None:
        table = rh.datasets.load("german_credit_scores", ["class", "boosted", "job", "age"])
        self.y, self.s = table["class"] == "bad", table["boosted"]
        self.aux = {name: table[name] for name in ("job", "age")}
        self.w = np.random.default_rng(1).integers(1, 5, self.y.size) / 4 if weighted else None
        self.weight = np.ones(self.y.size) if self.w is None else self.w
        self.hybrid = rh.Hybrid().add("boosted", self.y, self.s, sample_weight=self.w)
        given = Segmentation(self.y, {"boosted": self.s}, self.aux, self.fresh(), sample_weight=self.w, cv=2)
        self.facts = rh.Report(self.hybrid, segment=given).facts
        self.model = self.fresh().fit(self.s, self.y, aux=self.aux, sample_weight=self.w)
        self.where = self.model.segment(self.aux)

    @staticmethod
    def fresh() -> rh.ErrorRedistribution:
        return rh.ErrorRedistribution("pav", n_bins=3, shrinkage=0)

    def called(self, rules: Any, k: int, label: bool) -> float | None:
        """The share of one class of a segment that a rule, or a mixture, calls positive."""
        own = (self.where == k) & (self.y == label)
        if not own.any():
            return None
        levels = [
            (
                rule.of(self.model.segments_[k]) if isinstance(rule, rh.conditions.SegmentedRule) else rule,
                share,
            )
            for rule, share in rules
        ]
        return sum(
            share * float(np.average(self.s[own] >= rule.lowest if rule.kind != "never" else np.zeros(own.sum()),
                                     weights=self.weight[own]))
            for rule, share in levels
        )  # fmt: skip

    def figures(self, state: cases.State, rules: Any, k: int) -> dict[str, Any]:
        """Rates and the mean cost per case of the segment, each class as large as in the population."""
        fpr, tpr = (self.called(rules, k, label) for label in (False, True))
        p, w, y = state["prevalence"], self.weight, self.y
        alarms = (1 - p) * w[(self.where == k) & ~y].sum() / w[~y].sum()
        hits = p * w[(self.where == k) & y].sum() / w[y].sum()
        cost = state["cost_fp"] * alarms * (fpr or 0) + state["cost_fn"] * hits * (
            1 - (1 if tpr is None else tpr)
        )
        wrong, right, share = alarms * (fpr or 0), hits * (tpr or 0), alarms + hits
        flagged = (wrong + right) / share if share else None
        precision = right / (wrong + right) if wrong + right else None
        found = {"fpr": fpr, "tpr": tpr, "cost": cost / share if share else 0.0}
        return found | {"flagged": flagged, "precision": precision}


def compare(
    examples: Examples, state: cases.State, row: dict[str, Any], rules: dict[str, Any], k: int
) -> None:
    for key, made in rules.items():
        if made is None:
            assert row[key] is None
            continue
        wanted = examples.figures(state, made, k)
        near = 1e-12 * (1 + state["cost_fp"] + state["cost_fn"])
        for name, value in wanted.items():
            assert row[key][name] == (None if value is None else pytest.approx(value, rel=1e-9, abs=near))
        sure = row[key]["sure"]
        assert (sure is None) == (examples.w is not None or len(made) > 1)
        if sure is not None:
            for name, label in (("fpr", False), ("tpr", True)):
                n = int(((examples.where == k) & (examples.y == label)).sum())
                if n:
                    ends = wilson(wanted[name], n, 0.95)
                    assert sure[name] == pytest.approx([ends.low, ends.high], abs=1e-12)
            assert sure["cost"][0] - 1e3 * near <= wanted["cost"] <= sure["cost"][1] + 1e3 * near


@pytest.mark.parametrize("weighted", [False, True])
def test_every_segment_is_counted(browser: Browser, tmp_path: Path, weighted: bool) -> None:
    examples = Examples(weighted)
    states = cases.states(examples.model.hull_, N, seed=27)
    data = json.dumps(examples.facts, allow_nan=False).replace("<", "\\u003c")
    scripts = "".join(f"<script>{html.resource(name)}</script>" for name in MODEL)
    made = f"<script>const facts = {data}, model = rochullModel.create(facts);</script>"
    path = tmp_path / "beside.html"
    path.write_text(f'<!DOCTYPE html><meta charset="utf-8">{scripts}{made}', encoding="utf-8")
    with opened(browser, path) as page:
        script = "states => states.map((state) => rochullBeside.segments(model, facts, state))"
        results = page.evaluate(script, states)
    shown = 0
    for state, found in zip(states, results, strict=True):
        try:
            condition = cases.condition_of(state)
            own = None if condition.intervals else examples.model.at(condition)
        except ValueError:
            own = None
        assert (found["rows"] is None) == (own is None) == bool(found["message"])
        if own is None:
            continue
        try:
            one: Any = examples.hybrid.hulls["boosted"].at(condition).rules
        except InfeasibleConditionError:
            one = None
        seen = [k for k in range(len(examples.model.segments_)) if (examples.where == k).any()]
        assert [row["segment"] for row in found["rows"]] == [examples.model.segments_[k] for k in seen]
        for k, row in zip(seen, found["rows"], strict=True):
            compare(examples, state, row, {"one": one, "own": own.rules}, k)
        shown += 1
    assert 0.5 * N < shown < N


def test_a_scan_counts_the_same() -> None:
    rng = np.random.default_rng(4)
    y, part = rng.integers(0, 2, 2000), rng.choice(["a", "b"], 2000)
    s = np.round(rng.normal(1.5 * y), 1)
    scan = rh.scan({"y": y, "s": s, "part": part}, label="y", scores="s", segment="part")
    hybrid = rh.Hybrid.from_scan(scan)
    for condition in (None, rh.NeymanPearson(0.1)):
        live = rh.Report(hybrid, condition, scanned=Scanned(scan)).facts["segments"]["live"]
        for row in live["segments"][:-1]:
            own = part == row["segment"].rsplit(" ", 1)[-1]
            levels = [rules[0].lowest for rules in hybrid.hulls["s"].owners]
            for key, label in (("fp", 0), ("tp", 1)):
                counts = [int((s[own & (y == label)] >= level).sum()) for level in levels]
                assert row["straight"][key] == counts
    assert live["segments"][-1]["straight"] is None


# --- the table ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    rng = np.random.default_rng(5)
    y, shop = rng.integers(0, 2, 4000), np.arange(4000) % 15
    s = rng.normal(y * (0.5 + shop / 5))
    model = rh.ErrorRedistribution("equal-variance", bins="category", min_bin=1)
    given = Segmentation(y, {"a": s}, {"shop": shop.astype(str)}, redistribution=model, cv=2)
    path = tmp_path_factory.mktemp("beside") / "r.html"
    condition = rh.ExpectedCost(cost_fp=1, cost_fn=2, prevalence=0.5)
    rh.Report(rh.Hybrid().add("a", y, s), condition, segment=given).save(path)
    with opened(browser, path, viewport={"width": 1440, "height": 900}) as shown:
        to_view(shown, "Segments")
        yield shown


def test_the_worst_first_and_many_folded(page: Page) -> None:
    rows = page.locator("table.beside tbody tr")
    expect(rows).to_have_count(15)
    expect(rows.locator("visible=true")).to_have_count(12)

    def column(key: str) -> list[float]:
        values = rows.locator(f"[data-beside='{key}']").evaluate_all("all => all.map((e) => e.dataset.value)")
        return [float(value) for value in values]

    assert column("one:cost") == sorted(column("one:cost"), reverse=True)
    head = page.locator("table.beside th", has_text="its own")
    head.nth(2).get_by_role("button").click()
    assert column("own:tpr") == sorted(column("own:tpr"))
    expect(head.nth(2)).to_have_attribute("aria-sort", "ascending")
    page.get_by_role("button", name="Show all 15 segments").click()
    expect(rows.locator("visible=true")).to_have_count(15)
    table = page.locator("#view-segments")
    expect(table.get_by_role("button", name="Save the table “\u2068Each segment")).to_be_visible()
    before = column("own:cost")
    page.locator("[data-field=cost_fn]").fill("9")
    expect(rows.locator("[data-beside='own:cost']").first).not_to_have_attribute("data-value", str(before[0]))
    page.evaluate("rochullReport.set({ ...rochullReport.state, cost_fn: [1, 9] })")
    expect(table.locator(".notice")).to_contain_text("range")
    page.evaluate("rochullReport.set({ ...rochullReport.state, cost_fn: 2 })")
    expect(rows).to_have_count(15)


@pytest.mark.short
def test_two_segments_side_by_side(page: Page) -> None:
    """What the table tells of each segment, and how far two are apart; by one threshold for all and by their own."""
    two = page.locator("#view-segments .two")
    for name, label in (("First segment", "shop = 3"), ("Second segment", "shop = 11")):
        value = (
            two.get_by_label(name)
            .locator("option")
            .evaluate_all(
                "(all, text) => all.find((o) => o.textContent.replace(/[\u2068\u2069]/g, '') === text).value",
                label,
            )
        )
        two.get_by_label(name).select_option(value)
    for rule, said in (("one", "One threshold for all"), ("own", "A threshold for each")):
        two.get_by_label(said).check()
        lines = [
            page.locator("table.beside tbody tr").filter(has=page.get_by_text(label, exact=True))
            for label in ("shop = 3", "shop = 11")
        ]
        for key in ("tpr", "fpr", "cost"):
            wanted = [
                float(line.locator(f"[data-beside='{rule}:{key}']").get_attribute("data-value") or "nan")
                for line in lines
            ]
            shown = [
                float(two.locator(f"[data-pair='{key}:{side}']").get_attribute("data-value") or "nan")
                for side in ("a", "b", "apart")
            ]
            assert shown == pytest.approx([*wanted, wanted[0] - wanted[1]])
        words = two.locator("figure p").all_text_contents()
        assert (words[0] == words[1]) == (rule == "one")
        assert all(text.startswith("Flagged where the score is ≥ ") for text in words)
        inked = two.locator(".o-tp").evaluate_all("all => all.map((path) => path.getAttribute('d').length)")
        assert min(inked) > 20
    two.get_by_label("One threshold for all").check()
    page.evaluate("rochullReport.set({ ...rochullReport.state, cost_fn: [1, 9] })")
    expect(two).to_be_hidden()
    page.evaluate("rochullReport.set({ ...rochullReport.state, cost_fn: 2 })")
    expect(two).to_be_visible()
