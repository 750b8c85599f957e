"""Intervals that stay while conditions move, and who is best in ratios of costs: the page against the library."""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import report_cases as cases
import rochull as rh
from browser import Tab, to_view
from engine import engine, model_of
from rochull.report.verdict_notes import limit_note
from rochull.uncertainty.bootstrap_intervals import wilson

COSTS = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3)


@pytest.fixture
def page(tab: Tab, german: rh.Hybrid, tmp_path: Path) -> Iterator[Page]:
    rh.Report(german, COSTS).save(tmp_path / "r.html")
    with tab(tmp_path / "r.html") as shown:
        yield shown


def set_state(page: Page, **more: Any) -> None:
    page.evaluate("more => rochullReport.set({ ...rochullReport.state, ...more })", more)


READ = "key => document.querySelector(`[data-interval='${key}']`).dataset.value.split(',').map(Number)"


def wanted(point: Any, costs: rh.ExpectedCost) -> dict[str, Any]:
    """The intervals of a point's numbers, by the library: of 700 negatives and 300 positives."""
    f, t = (wilson(rate, n, 0.95) for rate, n in ((point.fpr, 700), (point.tpr, 300)))
    p = costs.prevalence
    found = {"fpr": f, "tpr": t, "expected_cost": costs.question.objective.interval(f, t)}
    found["positive_rate"] = rh.AlarmRate(prevalence=p).interval(f, t)
    found["precision"] = rh.Precision(prevalence=p).interval(f, t)
    found = {key: (interval.low, interval.high) for key, interval in found.items()}
    wrong = rh.Accuracy(prevalence=p).question.objective.interval(f, t)
    found["accuracy"] = (1 - wrong.high, 1 - wrong.low)
    return found if p != 0.3 else found | measured(point.fpr, point.tpr, p, 1000, 1 / costs.cost_fn)


def measured(fpr: float, tpr: float, p: float, n: int, odds: float) -> dict[str, tuple[float, float]]:
    """Where the prevalence is that of the cases: shares of n cases, and for net benefit MOVER with their correlation.

    Of mixtures, whose counts are not whole, the counts about them are taken.
    """

    def share(value: float, of: int) -> tuple[float, float]:
        ends = (math.floor(value * of + 1e-9), math.ceil(value * of - 1e-9))
        return float(wilson(ends[0] / of, of, 0.95).low), float(wilson(ends[1] / of, of, 0.95).high)

    x, y = p * tpr, (1 - p) * fpr
    flagged = math.ceil((x + y) * n - 1e-9)
    (low_x, high_x), (low_y, high_y) = share(x, n), share(y, n)
    cov = -2 * math.sqrt(x * y / ((1 - x) * (1 - y))) if x * y else 0.0
    below, above = (x - low_x, odds * (high_y - y)), (high_x - x, odds * (y - low_y))
    far = [math.sqrt(a * a + b * b - cov * a * b) for a, b in (below, above)]
    return {
        "positive_rate": share(x + y, n),
        "accuracy": share(1 - p + x - y, n),
        "precision": share(x / (x + y), flagged),
        "net_benefit": (x - odds * y - far[0], x - odds * y + far[1]),
    }


@pytest.mark.long
@pytest.mark.parametrize(("n", "p", "odds"), [(300, 0.2, 0.25), (300, 0.4, 1.0), (1000, 0.1, 1 / 9)])
def test_how_often_intervals_cover_where_the_prevalence_is_measured_too(
    n: int, p: float, odds: float
) -> None:
    """Simulated, beside intervals that take the measured prevalence as known: those of net benefit cover too rarely."""
    rng, runs, tpr, fpr = np.random.default_rng(2), 4000, 0.8, 0.1
    x, y = p * tpr, (1 - p) * fpr
    true = {
        "positive_rate": x + y,
        "accuracy": 1 - p + x - y,
        "precision": x / (x + y),
        "net_benefit": x - odds * y,
    }
    hit, known = dict.fromkeys(true, 0), 0
    for tp, fn, fp, tn in rng.multinomial(n, [x, p - x, y, 1 - p - y], runs).tolist():
        own, rates = (tp + fn) / n, (fp / (fp + tn), tp / (tp + fn))
        for key, (low, high) in measured(*rates, own, n, odds).items():
            hit[key] += low <= true[key] <= high
        f, t = (wilson(rate, of, 0.95) for rate, of in zip(rates, (fp + tn, tp + fn), strict=True))
        far = (math.hypot(own * (t.estimate - t.low), odds * (1 - own) * (f.high - f.estimate)),
               math.hypot(own * (t.high - t.estimate), odds * (1 - own) * (f.estimate - f.low)))  # fmt: skip
        middle = own * rates[1] - odds * (1 - own) * rates[0]
        known += middle - far[0] <= true["net_benefit"] <= middle + far[1]
    assert min(hit.values()) / runs >= 0.935
    assert max(hit.values()) / runs <= 0.97
    assert known / runs < 0.85


def test_intervals_follow_the_condition(page: Page, german: rh.Hybrid) -> None:
    goals = [("cost", None), ("cost", None), ("max_fpr", 0.1), ("min_recall", 0.8), ("fraction", 0.33)]
    for (goal, limit), (fn, p) in zip(
        goals, [(5, 0.3), (0.7, 0.5), (2, 0.1), (20, 0.6), (5, 0.3)], strict=True
    ):
        set_state(
            page,
            cost_fn=fn,
            prevalence=p,
            goal="capacity" if goal == "fraction" else goal,
            **({goal: limit} if limit else {}),
        )
        costs = rh.ExpectedCost(1, fn, p)
        asked = {"max_fpr": rh.NeymanPearson, "min_recall": rh.MinimumRecall}.get(goal)
        point = german.at(
            asked(limit) if asked else costs if limit is None else rh.Capacity(fraction=limit, prevalence=p)
        )
        for key, ends in wanted(point, costs).items():
            assert page.evaluate(READ, key) == pytest.approx(ends, abs=1e-12)
        expect(page.locator("#wilson-measured")).to_be_visible(visible=p == 0.3)
        expect(page.locator("#wilson-known")).to_be_visible(visible=p != 0.3)
        # The rates of a mixture are no counts.
        assert page.locator("#wilson-mixed").is_visible() == (len(point.rules) > 1)
    expect(page.locator("#wilson")).to_be_visible()
    set_state(page, goal="cost", cost_fn=[2, 5])
    assert page.locator("[data-interval='precision']").inner_text() != ""
    assert page.locator("[data-interval='expected_cost']").inner_text() == ""  # it is a range itself


@pytest.mark.long
@pytest.mark.parametrize("p", [0.05, 0.3])
def test_how_often_intervals_cover(p: float) -> None:
    """Simulated: a fixed rule and a mixture of two, whose interval is wider than it need be."""
    rng, level, runs = np.random.default_rng(1), 0.95, 4000
    positive, negative = (
        rng.multinomial(60, [0.6, 0.2, 0.2], runs),
        rng.multinomial(240, [0.1, 0.1, 0.8], runs),
    )
    for share in (0.0, 0.5):  # how often the second of three strips of scores is flagged
        tpr, fpr = 0.6 + share * 0.2, 0.1 + share * 0.1
        hit: dict[str, int] = {}
        for pos, neg in zip(positive, negative, strict=True):
            f, t = (
                wilson((each[0] + share * each[1]) / each.sum(), int(each.sum()), level)
                for each in (neg, pos)
            )
            found = {
                "tpr": (t, tpr),
                "flagged": (rh.AlarmRate(prevalence=p).interval(f, t), p * tpr + (1 - p) * fpr),
                "precision": (rh.Precision(prevalence=p).interval(f, t), p * tpr / (p * tpr + (1 - p) * fpr)),
            }
            for key, (interval, true) in found.items():
                hit[key] = hit.get(key, 0) + (interval.low <= true <= interval.high)
        assert min(hit.values()) / runs >= 0.935
        assert share or max(hit.values()) / runs <= 0.97


@pytest.mark.parametrize(("goal", "limit"), [("max_fpr", 0.1), ("min_recall", 0.63), ("capacity", 0.02)])
def test_of_a_mixture_intervals_are_wider_than_need_be(
    page: Page, table: Any, goal: str, limit: float
) -> None:
    """Each case counts by the share that is flagged of it, which varies less than a yes or no of the same mean."""
    set_state(page, goal=goal, **{"fraction" if goal == "capacity" else goal: limit})
    expect(page.locator("#wilson")).to_contain_text(
        " which flatters it. For a rule that draws cases at random they are wider than they need to be."
    )
    rules = page.evaluate("rochullReport.result.chosen.rules")
    assert len(rules) == 2
    share = np.zeros(len(table["class"]))
    for part in rules:
        rule = part["rule"]
        if rule["kind"] != "never":
            share += part["probability"] * (np.asarray(table[rule["classifier"]]) >= rule["threshold"])
    for name, own in (("fpr", table["class"] != "bad"), ("tpr", table["class"] == "bad")):
        of = share[np.asarray(own)]
        low, high = page.evaluate(READ, name)
        assert of.var() < of.mean() * (1 - of.mean())
        assert high - low > 2 * 1.96 * of.std() / of.size**0.5
        assert low < of.mean() < high
    set_state(page, goal="cost")
    expect(page.locator("#wilson-mixed")).to_be_hidden()


def test_net_benefit_has_the_interval_of_a_decision_curve(german: rh.Hybrid, table: Any) -> None:
    """Of a threshold probability that is pinned by costs, against the library's own function."""
    script = """rochullCurves.intervals(model, facts, { ...model.initial(), cost_fp: 1, cost_fn: 1, prevalence: 0.4 },
        model.ruleAt(1, 0.5)).net_benefit"""
    with model_of(rh.Report(german, COSTS).facts) as made:
        found = made.evaluate(script)
    logistic = np.asarray(table["logistic"]).astype(str).astype(float)
    curve = rh.decision_curve(table["class"] == "bad", logistic, [0.5], prevalence=0.4)
    net = curve.net_benefit[None]
    assert found == pytest.approx([net.low[0], net.high[0]], abs=1e-9)


def test_what_is_drawn_at_the_middle_says_so(page: Page) -> None:
    set_state(page, prevalence=[0.18, 0.5])
    expect(page.locator("#drawn-at")).to_have_text(re.compile("the middle of your range: 34.% positive"))
    expect(page.locator("th[data-ratio]")).to_have_text(re.compile("at the middle of your range, 34.%"))
    to_view(page, "Calibration")
    said = page.locator("#view-calibration .rc-said")
    expect(said).to_have_text(re.compile("^At the middle of your range, 34.%, "))
    set_state(page, prevalence=0.05)
    expect(said).to_have_text(re.compile("^At a prevalence of 5.%, "))
    expect(page.locator("#drawn-at")).to_be_hidden()
    expect(page.locator("#calibration-section > p")).to_contain_text("at the prevalence of these data, 30.0")
    to_view(page, "Reviews")
    expect(page.locator("#view-reviews .rc-said")).to_contain_text("only a number to begin with")
    set_state(page, goal="max_fpr")
    expect(page.locator("#view-reviews .rc-said")).to_contain_text(
        "Limits that are set at the left do not apply"
    )


def test_a_click_on_a_point_says_what_it_changes_and_can_be_undone(page: Page) -> None:
    page.evaluate("rochullReport.views.onselect(8, -1)")
    cost = page.evaluate("rochullReport.state.cost_fn")
    assert cost != 5
    expect(page.locator("#clicked")).to_contain_text(f"A miss now costs {cost}")
    page.get_by_role("button", name="Undo").click()
    assert page.evaluate("rochullReport.state.cost_fn") == 5
    expect(page.locator("#clicked")).to_be_hidden()


def test_what_a_limit_is_on_new_cases(page: Page, german: rh.Hybrid) -> None:
    note = page.locator("#limit-note")
    expect(note).to_be_hidden()
    for change, condition in [
        ({"goal": "max_fpr", "max_fpr": 0.1}, rh.NeymanPearson(0.1)),
        ({"goal": "min_precision", "min_precision": 0.95}, rh.MinimumPrecision(0.95, 0.3)),
    ]:
        set_state(page, **change)
        told = limit_note(rh.Report(german, condition).facts)
        expect(note).to_have_text(str(told))
        assert str(told) in " ".join(rh.Report(german, condition).to_text().split())
    point = german.at(rh.MinimumPrecision(0.95, 0.3))
    assert f"only {round(700 * point.fpr + 300 * point.tpr)} of those measured" in str(told)
    assert "with a margin" in str(limit_note(rh.Report(german, rh.NeymanPearson(0.1, confidence=0.9)).facts))


def test_the_ends_of_an_interval_have_the_decimals_of_its_estimate(page: Page) -> None:
    for cost in (5, 0.7, 20):
        set_state(page, cost_fn=cost)
        value = page.locator('.figures [data-key="expected_cost"]').inner_text()
        ends = page.locator('[data-interval="expected_cost"]').inner_text().strip("()").split("–")
        assert {len(end.partition(".")[2]) for end in ends} <= {len(value.partition(".")[2]), 2, 3}


def test_areas_have_their_interval(german: rh.Hybrid, table: Any) -> None:
    for row in rh.Report(german).facts["classifiers"]:
        wanted = rh.auc_interval(table["class"] == "bad", table[row["name"]])
        found = row["auc_interval"]
        assert (found["low"], found["high"]) == pytest.approx((wanted.low, wanted.high), abs=1e-9)
    assert {row["auc_interval"] for row in rh.Report(cases.rates_only()).facts["classifiers"]} == {None}
    assert {row["auc_interval"] for row in rh.Report(cases.weighted()).facts["classifiers"]} == {None}


@pytest.mark.short
def test_dominance_in_ratios_of_costs(page: Page, german: rh.Hybrid) -> None:
    said = page.locator("#dominance-words")
    for p in (0.3, 0.05, 0.9):
        set_state(page, prevalence=p)
        values = page.locator("td[data-ratio]").evaluate_all(
            "all => all.map((node) => node.dataset.value.split(',').map(Number))"
        )
        for (low, high), row in zip(values, german.dominance_table().rows, strict=True):
            odds = (1 - p) / p
            assert low == pytest.approx(0 if row.high == math.inf else odds / row.high)
            assert high == pytest.approx(odds / row.low if row.low else math.inf)
            if low > 0 and high < math.inf:  # the library agrees, in the middle and just beside
                inside = rh.ExpectedCost(1, math.sqrt(low * high), p)
                best = german.at(inside).rules[0][0]
                assert best.classifier in row.classifiers
        least = min(ratio for ratio, _ in values if ratio > 0)
        set_state(page, cost_fp=1, cost_fn=least / 2)
        name = german.dominance_table().rows[-1].classifiers[0]
        expect(said).to_contain_text(f"\u2068{name}\u2069 is best where a miss costs less than")
    set_state(page, prevalence=0)
    expect(said).to_be_hidden()


def ranges_of(german: rh.Hybrid, name: str, p: float) -> list[tuple[float, float]]:
    """Where a classifier is best, as costs of a miss in false alarms: the slow twin, a cost at a time."""
    costs = np.geomspace(1e-2, 1e3, 4001)
    best = [name in german.at(rh.ExpectedCost(1, cost, p)).classifiers for cost in costs]
    edges = [i for i in range(1, len(costs)) if best[i] != best[i - 1]]
    runs = np.split(costs, edges)
    return [
        (run[0], run[-1])
        for run, found in zip(runs, np.split(np.array(best), edges), strict=True)
        if found[0]
    ]


def test_where_the_recommended_classifier_is_best_is_told_here_first(page: Page, german: rh.Hybrid) -> None:
    said = page.locator("#dominance-words")
    for cost in (5, 1.2, 30):
        set_state(page, cost_fn=cost)
        expect(said).to_have_text(
            re.compile(f"^Here a miss costs {cost} false alarms. At a prevalence of 30.%, ")
        )
        text = said.inner_text()
        found = [float(x) for x in re.findall(r"\d+(?:\.\d+)?", text.partition("is best where")[2])]
        ranges = ranges_of(german, "naive_bayes", 0.3)
        ranges.sort(key=lambda ends: not ends[0] <= cost <= ends[1])  # that of today first
        wanted = [end for end in ranges[0] if 0.011 < end < 999]
        others = [float(len(ranges) - 1)] * (len(ranges) > 1)  # which the table for experts has
        assert found == pytest.approx(wanted + others, rel=3e-3)
    set_state(page, goal="max_fpr", max_fpr=0.1)
    expect(said).to_be_hidden()  # a limit chooses by other things than slopes
    set_state(page, goal="cost", cost_fn=[2.5, 10])
    expect(said).to_have_text(
        "On these data \u2068naive_bayes\u2069 is the best of the classifiers over the whole of your range."
    )
    set_state(page, cost_fn=5, prevalence=[0.1, 0.6])
    pieces = re.findall(r"\u2068(\w+)\u2069 from ([\d.]+).% to ([\d.]+).%", said.inner_text())
    assert len(pieces) > 2
    for name, low, high in pieces:
        inside = rh.ExpectedCost(1, 5, (float(low) + float(high)) / 200)
        assert german.at(inside).classifiers == (name,)
    set_state(page, cost_fn=[2, 9], prevalence=[0.18, 0.5])
    names = set(german.potentially_optimal(rh.ExpectedCost(1, (2, 9), (0.18, 0.5))))
    assert set(re.findall("\u2068(\\w+)\u2069", said.inner_text())) == names


def test_the_sentence() -> None:
    script = """rows => rochullDominance.words(rows, { goal: "cost", cost_fp: 1, cost_fn: 5, prevalence: 0.5 },
        { interval: false, chosen: { rules: [{ rule: { kind: "threshold", classifier: "a" } }] } })"""
    row = {"classifiers": ["a"], "rule": None}
    whole = [{"low": 0, "high": "inf", **row}]
    two = [{"low": 0, "high": 1 / 1100, **row, "classifiers": ["b"]}, {"low": 1 / 1100, "high": "inf", **row}]
    other = [{"low": 0, "high": 4, **row}, {"low": 4, "high": "inf", **row, "classifiers": ["b"]}]
    with engine() as made:
        told = [made.evaluate(script, rows) for rows in (whole, two, other)]
    assert told[0].endswith(
        "\u2068a\u2069 is the best of the scores whatever errors cost, at any prevalence."
    )
    assert told[1].endswith("\u2068a\u2069 is best where a miss costs less than 1,100 false alarms.")
    assert told[2].endswith("is best where a miss costs more than 0.25 false alarms.")
