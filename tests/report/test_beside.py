"""Segments beside each other: 500 random states counted case by case in Python, and the table that shows them."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import report_cases as cases
import rochull as rh
from browser import eventually, opened, to_view
from engine import model_of
from rochull.conditions.rules import NEVER
from rochull.conditions.vertices import InfeasibleConditionError
from rochull.report import Scanned, Segmentation
from rochull.uncertainty.bootstrap_intervals import wilson

Array = np.ndarray[Any, Any]
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


@cache
def german(weighted: bool) -> Examples:
    """The same for all tests."""
    return Examples(weighted)


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


def answers_of(facts: Any, script: str, given: Any) -> Any:
    """What a script makes of many things, given facts and their model."""
    with model_of(facts) as made:
        return made.evaluate(script, given)


@pytest.mark.long
@pytest.mark.parametrize("weighted", [False, True])
def test_every_segment_is_counted(weighted: bool) -> None:
    examples = german(weighted)
    states = cases.states(examples.model.hull_, N, seed=27)
    script = "states => states.map((state) => rochullBeside.segments(model, facts, state))"
    results = answers_of(examples.facts, script, states)
    shown = 0
    for state, found in zip(states, results, strict=True):
        try:
            condition = cases.condition_of(state)
            own = None if condition.question.spread else examples.model.at(condition)
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


# --- what two segments have alike -------------------------------------------------------------------------

RATES = {"none": None, "demographic_parity": "flagged", "equal_tpr": "tpr", "equal_fpr": "fpr"}
CHOOSE = """asked => asked.map(([state, ...pair]) => {
  const { rows } = rochullBeside.segments(model, facts, state), [own] = facts.classifiers;
  const known = pair.map((k) => facts.segments.live.segments[k]), seen = known.map(({ segment }) => rows.find((row) => row.segment === segment));
  const rungs = known.map((segment, k) => rochullGroups.ladder(own, segment).map((rung) => seen[k].by(rung, rung.thresholds)));
  const [a, b] = seen.map(({ weight }) => weight), total = ([x, y]) => (a * x.cost + b * y.cost) / (a + b);
  return Object.fromEntries(Object.keys(rochullGroups.RATES).map((key) => [key, rochullGroups.choose(key, rungs, total)])
    .map(([key, chosen]) => [key, chosen && { chosen, cost: total(chosen) }]));
})"""


class Twin:
    """Every pair of thresholds that the page knows of two segments, written out.

    Two rates are alike if neither segment has a threshold whose rate is nearer to that of the other; of alike pairs the
    cheapest is chosen, and of those the nearest.
    """

    def __init__(self, examples: Examples, state: cases.State, pair: tuple[int, int]) -> None:
        live, hull = examples.facts["segments"]["live"], examples.facts["classifiers"][0]["hull"]
        self.sides: list[dict[str, Array]] = []
        for k in pair:
            steps = live["segments"][k]["steps"]["threshold"]
            levels = {float(level) for level in [*hull["thresholds"], *steps]} | {np.inf, -np.inf}
            assert np.isfinite(examples.s).all()
            rules = [
                NEVER if level == np.inf else rh.conditions.Rule("threshold", "boosted", level)
                for level in levels
            ]
            found = [examples.figures(state, [(rule, 1.0)], k) for rule in rules]
            self.sides.append(
                {key: np.array([each[key] for each in found]) for key in ("cost", "flagged", "tpr", "fpr")}
            )
        p, w, y = state["prevalence"], examples.weight, examples.y
        self.parts = [
            [part * w[(examples.where == k) & (y == label)].sum() / w[y == label].sum() for label, part in ((False, 1 - p), (True, p))]
            for k in pair
        ]  # fmt: skip
        self.weights = np.sum(self.parts, axis=1) / np.sum(self.parts)

    def best(self, constraint: str) -> tuple[float, float]:
        """The least cost per case of both segments, and how far the rates are apart there."""
        (a, b), rate = self.sides, RATES[constraint]
        cost = self.weights[0] * a["cost"][:, None] + self.weights[1] * b["cost"]
        if rate is None:
            return float(cost.min()), 0.0
        apart = np.abs(a[rate][:, None] - b[rate])
        alike = (apart == apart.min(axis=0)) & (apart == apart.min(axis=1, keepdims=True))
        least = cost[alike].min()
        return float(least), float(apart[alike & (cost <= least * (1 + 1e-12))].min())


@pytest.mark.parametrize("weighted", [False, True])
def test_the_cheapest_thresholds_whose_rates_are_alike(weighted: bool) -> None:
    """By every pair, and by rochull.groups: mixtures of two thresholds, whose rates differ as little, cost no more."""
    examples, rng = german(weighted), np.random.default_rng(3)
    full = [k for k in range(len(examples.model.segments_))
            if all(((examples.where == k) & (examples.y == label)).any() for label in (False, True))]  # fmt: skip
    asked = [
        ({"goal": "cost", "cost_fp": round(float(fp), 3), "cost_fn": round(float(fn), 3), "prevalence": round(float(p), 3), "within": {}},
         *map(int, rng.choice(full, 2, replace=False)))
        for fp, fn, p in zip(rng.lognormal(size=60), rng.lognormal(0.7, size=60), rng.uniform(0.02, 0.9, 60), strict=True)
    ]  # fmt: skip
    results = answers_of(examples.facts, CHOOSE, asked)
    for n, ((state, *pair), found) in enumerate(zip(asked, results, strict=True)):
        twin = Twin(examples, state, (pair[0], pair[1]))
        for constraint, rate in RATES.items():
            cost, apart = twin.best(constraint)
            assert found[constraint]["cost"] == pytest.approx(cost, rel=1e-11)
            if rate:
                shown = [each[rate] for each in found[constraint]["chosen"]]
                assert abs(shown[0] - shown[1]) == pytest.approx(apart, abs=1e-11)
            if n < 12:
                assert_no_dearer_than_mixtures(examples, state, pair, twin, constraint)


def assert_no_dearer_than_mixtures(
    examples: Examples, state: cases.State, pair: list[int], twin: Twin, constraint: str
) -> None:
    hulls = {}
    for k in pair:
        own = examples.where == k
        hulls[k] = rh.roc_hull(
            examples.y[own], examples.s[own], sample_weight=None if examples.w is None else examples.w[own]
        )
    prevalence = float(np.sum(twin.parts, axis=0)[1] / np.sum(twin.parts))
    cost, apart = twin.best(constraint)
    condition = rh.ExpectedCost(state["cost_fp"], state["cost_fn"], prevalence)
    rule = rh.constrain_groups(
        hulls, condition, constraint, tolerance=round(apart + 1e-12, 12) if RATES[constraint] else 0.0
    )
    if constraint == "none":
        assert cost == pytest.approx(rule.cost, rel=1e-11)  # thresholds of the segments' own hulls are known
    assert rule.unconstrained_cost * (1 - 1e-11) <= rule.cost <= cost * (1 + 1e-11)


def test_thresholds_stand_in_the_order_of_the_scores() -> None:
    """Also where low ones are positive. A segment without positives has no share of them that could be alike."""
    rng = np.random.default_rng(8)
    y, shop = rng.integers(0, 2, 300), rng.choice(["a", "b"], 300)
    s = np.round(-rng.normal(y), 1)
    hybrid = rh.Hybrid().add("low", y, s, lower_is_positive=True)
    model = rh.ErrorRedistribution("equal-variance", bins="category", min_bin=1)
    given = Segmentation(y, {"low": s}, {"shop": shop}, redistribution=model, cv=2)
    facts = rh.Report(hybrid, segment=given).facts
    script = "rungs => rochullGroups.choose('equal_tpr', [rungs, rungs], () => 0)"
    assert answers_of(facts, script, [{"tpr": None, "fpr": 0, "cost": 1}]) is None
    script = "k => rochullGroups.ladder(facts.classifiers[0], facts.segments.live.segments[k])"
    rungs = answers_of(facts, script, 0)
    assert [rungs[i]["thresholds"][0][0] for i in (0, -1)] == ["inf", "-inf"]  # none flagged, and all
    inside, own = rungs[1:-1], shop == facts["segments"]["live"]["segments"][0]["segment"].rsplit(" ", 1)[-1]
    levels = [rung["thresholds"][0][0] for rung in inside]
    assert levels == sorted(levels)
    for rung, level in zip(inside, levels, strict=True):
        assert rung["fpr"] == pytest.approx(float(np.mean(s[own & (y == 0)] <= level)))
        assert rung["tpr"] == pytest.approx(float(np.mean(s[own & (y == 1)] <= level)))


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
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(5)
    y, shop = rng.integers(0, 2, 4000), np.arange(4000) % 15
    s = rng.normal(y * (0.5 + shop / 5))
    model = rh.ErrorRedistribution("equal-variance", bins="category", min_bin=1)
    given = Segmentation(y, {"a": s}, {"shop": shop.astype(str)}, redistribution=model, cv=2)
    path = tmp_path_factory.mktemp("beside") / "r.html"
    condition = rh.ExpectedCost(cost_fp=1, cost_fn=2, prevalence=0.5)
    rh.Report(rh.Hybrid().add("a", y, s), condition, segment=given).save(path)
    return path


@pytest.fixture(scope="module")
def page(browser: Browser, saved: Path) -> Iterator[Page]:
    with opened(browser, saved, viewport={"width": 1440, "height": 900}) as shown:
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
    # Rows move when nothing else does.
    eventually(page, lambda: column("own:tpr"), lambda found: found == sorted(found))
    csv = page.evaluate("rochullTake.rowsOf(document.querySelector('table.beside'))")
    assert [row[0] for row in csv[2:]] == rows.locator("th").all_inner_texts()  # as it is shown
    for _ in range(2):
        head.nth(2).get_by_role("button").click()
    assert column("one:cost") == sorted(column("one:cost"), reverse=True)
    assert page.locator("table.beside [aria-sort]").count() == 0


def seen(page: Page, *labels: str) -> None:
    """Choose both segments by their names."""
    script = "(all, text) => all.find((o) => o.textContent.replace(/[\u2068\u2069]/g, '') === text).value"
    for place, label in zip(("First", "Second"), labels, strict=True):
        select = page.locator("#view-segments .two").get_by_label(f"{place} segment")
        select.select_option(select.locator("option").evaluate_all(script, label))


@pytest.mark.short
def test_two_segments_side_by_side(page: Page) -> None:
    """What the table tells of each segment, and how far two are apart; by one threshold for all and by their own."""
    two = page.locator("#view-segments .two")
    seen(page, "shop = 3", "shop = 11")
    for rule, said in (("one", "One threshold for all"), ("own", "A threshold for each")):
        if rule == "own":  # under costs alone the segments' cheapest thresholds stand for it
            page.evaluate("rochullReport.set({ ...rochullReport.state, goal: 'max_fpr', max_fpr: 0.2 })")
            expect(two.locator("label.radio:visible")).to_have_text(
                ["One threshold for all", said, "Your own"]
            )
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
    page.evaluate("rochullReport.set({ ...rochullReport.state, goal: 'cost' })")
    page.evaluate("rochullReport.set({ ...rochullReport.state, cost_fn: [1, 9] })")
    expect(two).to_be_hidden()
    page.evaluate("rochullReport.set({ ...rochullReport.state, cost_fn: 2 })")
    expect(two).to_be_visible()


def test_a_link_keeps_what_is_chosen_of_two_segments(page: Page) -> None:
    two, notice = page.locator("#view-segments .two"), page.locator("#link-notice")
    seen(page, "shop = 4", "shop = 7")
    two.get_by_label("The same share flagged").check()
    words, part = (
        two.locator("figure p"),
        "&pair=demographic_parity&segment=shop%20%3D%204&segment=shop%20%3D%207",
    )
    expect(page).to_have_url(re.compile(re.escape(part) + "$"))
    links = [(page.evaluate("location.hash"), "demographic_parity", words.all_text_contents())]
    two.get_by_role("slider").first.press("ArrowRight")
    expect(page).to_have_url(re.compile("&pair=mine:[-.\\d]+:[-.\\d]+&"))
    links.append((page.evaluate("location.hash"), "mine", words.all_text_contents()))
    assert links[0][2] != links[1][2]
    for link, rule, told in (("#goal=cost&view=segments", "one", None), *links, *links[::-1]):
        page.evaluate("link => { location.hash = link; }", link)
        expect(two.locator(f"input[value={rule}]")).to_be_checked()
        assert told is None or words.all_text_contents() == told
        chosen = two.locator("select").evaluate_all(
            "all => all.map((each) => each.selectedOptions[0].text.replace(/[\u2068\u2069]/g, ''))"
        )
        assert (chosen == ["shop = 4", "shop = 7"]) == (told is not None)
        expect(notice).to_be_hidden()
    for wrong in (
        "none&segment=shop",
        "x&segment=shop+%3D+4&segment=shop+%3D+7",
        "mine:1&segment=shop+%3D+4&segment=shop+%3D+7",
        "",
    ):
        page.evaluate("part => { location.hash = `#goal=cost&cost_fn=2&view=segments&pair=${part}`; }", wrong)
        expect(notice).to_have_text(
            "The link’s choice of two segments cannot be read; the page begins with the largest two."
        )
        expect(two.locator("input[value=one]")).to_be_checked()
        page.evaluate("location.hash = '#goal=cost&cost_fn=2&view=segments'")
        expect(notice).to_be_hidden()


ALIKE = {
    "The same share flagged": "flagged",
    "The same share of positives caught": "tpr",
    "The same share of negatives flagged": "fpr",
}


def figures(page: Page, key: str) -> list[float]:
    cells = page.locator("#view-segments .two").locator(f"[data-pair^='{key}:']")
    return [float(each) for each in cells.evaluate_all("all => all.map((cell) => cell.dataset.value)")]


def test_what_is_alike_and_its_price(page: Page) -> None:
    two = page.locator("#view-segments .two")
    seen(page, "shop = 2", "shop = 13")
    rng = np.random.default_rng(5)
    y, shop = rng.integers(0, 2, 4000), np.arange(4000) % 15
    weights = [sum(float(np.mean(shop[y == label] == k)) / 2 for label in (0, 1)) for k in (2, 13)]
    costs = {}
    for said in ("The lowest cost in each", "One threshold for all", *ALIKE):
        two.get_by_label(said).check()
        a, b, _ = figures(page, "cost")
        costs[said] = (weights[0] * a + weights[1] * b) / sum(weights)
        marked = two.locator("tr.best [data-pair$=apart]").evaluate_all(
            "all => all.map((e) => e.dataset.pair)"
        )
        assert marked == ([f"{ALIKE[said]}:apart"] if said in ALIKE else [])
        meaning = two.locator("> p.soft").inner_text()
        assert ("Laws may forbid" in meaning) == (said != "One threshold for all")
        if said in ALIKE:
            apart = abs(figures(page, ALIKE[said])[2])
            assert apart < 0.05 < abs(figures(page, "tpr")[2]) + abs(figures(page, "fpr")[2])
            assert f"{100 * apart:.1f} percentage points apart" in meaning
    least = costs.pop("The lowest cost in each")
    for said, cost in costs.items():
        more = (
            "as much as"
            if cost / least < 1.005
            else f"{cost / least - 1:.0%} more than".replace("%", "\u00a0%")
        )
        label = two.locator("label", has_text=said).inner_text().replace("\n", " ")
        assert label.endswith(f"costs {more} the cheapest thresholds")
    assert max(costs.values()) > 1.01 * least


def test_each_threshold_is_dragged_and_moved_by_keys(page: Page) -> None:
    two, rng = page.locator("#view-segments .two"), np.random.default_rng(5)
    y, shop = rng.integers(0, 2, 4000), np.arange(4000) % 15
    s = rng.normal(y * (0.5 + shop / 5))
    seen(page, "shop = 3", "shop = 11")
    two.get_by_label("One threshold for all").check()
    first, second = two.get_by_role("slider").all()
    before = second.get_attribute("aria-valuenow")
    first.scroll_into_view_if_needed()
    box: Any = first.bounding_box()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 60, steps=4)
    page.mouse.up()
    expect(two.get_by_label("Your own")).to_be_checked()
    assert second.get_attribute("aria-valuenow") == before

    def counted() -> float:
        level = float(first.get_attribute("aria-valuenow") or "nan")
        for key, label in (("tpr", 1), ("fpr", 0)):
            own = s[(shop == 3) & (y == label)]
            assert figures(page, key)[0] == pytest.approx(float(np.mean(own >= level)))
        assert f"≥ {level:.4g}".replace("-", "\u2212") in (first.get_attribute("aria-valuetext") or "")
        return level

    level = counted()
    low, high = (float(first.get_attribute(f"aria-value{end}") or "nan") for end in ("min", "max"))
    assert low + 0.55 * (high - low) < level < low + 0.65 * (high - low)
    first.focus()
    page.keyboard.press("ArrowLeft")
    assert counted() < level
    page.keyboard.press("ArrowRight")
    assert counted() == level
    for key, rate, words in (("Home", 1.0, "flag all"), ("End", 0.0, "flag none")):
        page.keyboard.press(key)
        assert figures(page, "flagged")[0] == rate
        assert (first.get_attribute("aria-valuetext") or "").startswith(words)
    second.press("PageDown")
    assert second.get_attribute("aria-valuenow") != before
    assert figures(page, "flagged")[0] == 0.0  # it stays
    two.get_by_label("The lowest cost in each").check()
    assert figures(page, "flagged")[0] > 0
    two.get_by_label("Your own").check()
    assert figures(page, "flagged")[0] == 0.0
    two.get_by_label("One threshold for all").check()


def test_a_tap_sets_a_threshold_on_a_phone(browser: Browser, saved: Path) -> None:
    with opened(
        browser, saved, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    ) as page:
        to_view(page, "Segments")
        line = page.locator("#view-segments .two").get_by_role("slider").first
        line.scroll_into_view_if_needed()
        box: Any = line.bounding_box()
        page.touchscreen.tap(box["x"] + 0.7 * box["width"], box["y"] + 0.5 * box["height"])
        expect(page.locator("#view-segments .two").get_by_label("Your own")).to_be_checked()
        low, now, high = (
            float(line.get_attribute(f"aria-value{end}") or "nan") for end in ("min", "now", "max")
        )
        assert low + 0.6 * (high - low) < now < low + 0.8 * (high - low)
