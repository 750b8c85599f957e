"""Costs within limits on the page: answers are those of the library, boxes begin at the report's own limits."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

import report_cases as cases
import rochull as rh
from browser import drawn, eventually, opened, until
from engine import evaluated, model_of
from reading import plain
from rochull.report import Segmentation
from rochull.report.verdict_notes import limit_note

HYBRIDS: dict[str, tuple[Callable[[], rh.Hybrid], int]] = {
    "german_credit": (lambda: cases.shipped("german_credit_scores", "class", "bad"), 200),
    "rates": (cases.rates_only, 100),
    "tiny": (cases.tiny, 100),
    "low": (cases.low_is_positive, 100),
}


@pytest.mark.long
@pytest.mark.parametrize("name", HYBRIDS)
def test_results_are_those_of_the_library(name: str) -> None:
    make, n = HYBRIDS[name]
    hybrid = make()
    states = cases.states_within(hybrid.hull, n, seed=5)
    states = [state | {"mixtures": bool(i % 2)} for i, state in enumerate(states)]
    with model_of(rh.Report(hybrid).facts) as page:
        results = evaluated(page, states)
        lines = page.evaluate("states => states.map(model.python)", states)
    seen = set()
    for state, result, line in zip(states, results, lines, strict=True):
        wanted = cases.expected(hybrid, state)
        own = wanted.pop("line", None)
        settle_ties(wanted, result, rh.ExpectedCost(state["cost_fp"], state["cost_fn"], state["prevalence"]))
        assert cases.differences(result, wanted) == [], state
        assert own is None
        if not result["feasible"]:
            seen.add(result["message"].split()[0])
            continue
        seen.add(
            (
                "one" if not state["mixtures"] else "mixture" if result["chosen"]["share"] else "vertex",
                result["limited"],
            )
        )
        assert at_the_limit(result, state), state
        point = eval(line, {"rh": rh, "hybrid": hybrid})
        assert cases.differences(result["chosen"], cases.plain(point)) == []
    assert seen >= {("mixture", True), ("vertex", False), ("one", True), ("one", False)}


def settle_ties(wanted: dict[str, Any], result: dict[str, Any], costs: rh.ExpectedCost) -> None:
    """Take the page's rule of a classifier alone where the library's costs as much: `regret` takes another than `at`."""
    for i, (row, own) in enumerate(zip(wanted["regret"], result["regret"], strict=True)):
        if None in (row["point"], own["point"]) or row["point"]["fpr"] == own["point"]["fpr"]:
            continue
        one, other = (costs.cost(each["point"]["fpr"], each["point"]["tpr"]) for each in (row, own))
        assert one == pytest.approx(other, rel=1e-13)
        row["point"], wanted["baselines"][i + 2] = own["point"], result["baselines"][i + 2]


def at_the_limit(result: dict[str, Any], state: dict[str, Any]) -> bool:
    """Whether the line is that of costs, or of a limit, and goes through the point (a mixture, if rules may be mixed)."""
    line, point = result["line"], result["chosen"]
    if result["limited"] and not state["mixtures"]:
        return True
    return bool(
        abs(line["a"] * point["tpr"] + line["b"] * point["fpr"] - line["c"])
        < 1e-9 * max(map(abs, line.values()))
    )


def test_the_boxes_begin_at_the_reports_own_limits(browser: Browser, tmp_path: Path) -> None:
    hybrid = cases.shipped("german_credit_scores", "class", "bad")
    costs = rh.ExpectedCost(1, 5.5, 0.3)
    limits = [rh.FalsePositiveRate() <= 0.3, rh.Recall() >= 0.5]
    report = rh.Report(hybrid, rh.Within(costs, limits))
    report.save(tmp_path / "r.html")
    with opened(browser, tmp_path / "r.html") as page:
        box = {key: page.locator(f'[data-within="{key}"]') for key in ("max_fpr", "min_recall", "fraction")}
        assert [box[key].input_value() for key in box] == ["30\u00a0%", "50\u00a0%", ""]
        assert page.locator("#f-max_fpr").input_value() == ""
        assert "You have left" not in page.locator("#asked").inner_text()
        shown = page.locator("#limit-note").inner_text()
        assert plain(shown) == limit_note(report.facts)
        assert "The limits are kept on the past cases of this report, with no margin" in shown
        assert page.locator("#within summary").inner_text() == "Within limits (2 set)"
        assert page.get_by_text("the one of your limits that is reached").first.is_visible()
        own = page.evaluate("rochullReport.result.chosen")
        assert cases.differences(own, cases.plain(hybrid.at(costs, subject_to=limits))) == []
        line = page.evaluate("rochullReport.result.line")
        assert line == {"a": 0, "b": 1, "c": 0.3}
        words = page.locator("#condition-words").inner_text()
        assert (
            "within: at most 30 % of the negatives wrongly flagged, at least 50 % of the positives caught"
            in words.replace("\u00a0", " ")
        )

        def now(*asked: Any, mixtures: bool = True) -> None:
            drawn(page)
            found = page.evaluate("rochullReport.result.chosen")
            wanted = hybrid.at(costs, deterministic=not mixtures, subject_to=list(asked))
            assert cases.differences(found, cases.plain(wanted)) == []

        box["fraction"].fill("25")
        now(*limits, rh.AlarmRate(0.3) <= 0.25)
        assert "You have left" in page.locator("#asked").inner_text()
        box["max_fpr"].fill("")
        box["min_recall"].fill("")
        now(rh.AlarmRate(0.3) <= 0.25)
        page.get_by_label("allow mixtures").uncheck()
        now(rh.AlarmRate(0.3) <= 0.25, mixtures=False)
        page.get_by_label("allow mixtures").check()
        assert page.get_by_text("your limit", exact=True).first.is_visible()
        box["min_recall"].fill("120")
        assert "between 0 % and 100 %" in page.locator("#e-w-min_recall").inner_text().replace("\u00a0", " ")
        now(rh.AlarmRate(0.3) <= 0.25)
        box["min_recall"].fill("90")
        drawn(page)
        assert (
            page.locator("#infeasible").inner_text()
            == "No rule keeps all of these limits: loosen at least one."
        )
        box["min_recall"].fill("")
        box["max_fpr"].fill("5 %")
        now(rh.AlarmRate(0.3) <= 0.25, rh.FalsePositiveRate() <= 0.05)
        link, state = (
            until(page, "location.hash", "within:max_fpr=0.05"),
            page.evaluate("rochullReport.state"),
        )
        page.get_by_role("button", name="Back to it").click()
        now(*limits)
        assert [box[key].input_value() for key in box] == ["30\u00a0%", "50\u00a0%", ""]
        until(page, f"location.hash !== {link!r}")
        page.evaluate("link => { location.hash = link; }", link)
        eventually(page, lambda: page.evaluate("rochullReport.state"), lambda found: found == state)
        page.get_by_label("cost of a miss is uncertain").check()
        drawn(page)
        assert (
            page.locator("#infeasible").inner_text().startswith("Within limits a range needs one threshold")
        )


def test_a_range_of_shares_within_limits_is_live(browser: Browser, tmp_path: Path) -> None:
    hybrid = cases.shipped("german_credit_scores", "class", "bad")

    def best(share: tuple[float, float], most: float) -> float:
        condition = rh.Within(rh.ExpectedCost(1, 5, share), [rh.FalsePositiveRate() <= most])
        point = hybrid.regret(condition).least_worst_single.point
        assert point is not None
        return float(point.rules[0][0].threshold)

    condition = rh.Within(rh.ExpectedCost(1, 5, (0.2, 0.4)), [rh.FalsePositiveRate() <= 0.3])
    rh.Report(hybrid, condition).save(tmp_path / "r.html")
    threshold = "rochullReport.result.chosen.rules[0].rule.threshold"
    with opened(browser, tmp_path / "r.html", folded=True) as page:
        assert page.evaluate("rochullReport.state.goal") == "cost"
        assert page.evaluate(threshold) == best((0.2, 0.4), 0.3)
        shares = page.locator(".ask .part", has_text="of cases are").locator("input")
        assert [each.input_value() for each in shares.all()] == ["20", "40"]
        page.evaluate(
            "rochullReport.set({ ...rochullReport.state, prevalence: [0.2, 0.5], within: { max_fpr: 0.1 } })"
        )
        assert page.evaluate(threshold) == best((0.2, 0.5), 0.1)


def test_segments_keep_the_limits_too() -> None:
    rng = np.random.default_rng(4)
    y, size = rng.integers(0, 2, 600), rng.choice(["s", "m", "l"], 600)
    score = rng.normal(y * np.select([size == "s", size == "m"], [0.5, 1.0], 2.0))
    hybrid, limits = rh.Hybrid().add("a", y, score), [rh.FalsePositiveRate() <= 0.2, rh.Recall() >= 0.3]
    condition = rh.Within(rh.ExpectedCost(1, 9, 0.5), limits)
    report = rh.Report(hybrid, condition, segment=Segmentation(y, {"a": score}, {"size": size}, cv=2))
    model = rh.ErrorRedistribution().fit(score, y, aux={"size": size})
    with model_of(report.facts) as page:
        found = page.evaluate("model.segments.evaluate(model.initial())")
    wanted = model.at(condition)
    assert [found["chosen"][rate] for rate in ("fpr", "tpr")] == pytest.approx(
        [wanted.fpr, wanted.tpr], abs=1e-12
    )
    assert found["straight"]["fpr"] == pytest.approx(hybrid.at(condition).fpr, abs=1e-12)


def test_a_range_within_limits_is_that_of_python() -> None:
    hybrid = cases.shipped("german_credit_scores", "class", "bad")
    Range = tuple[float, float]
    asked: list[tuple[float | Range, float | Range, dict[str, float]]] = [
        ((2, 10), 0.3, {"max_fpr": 0.3}),
        ((1.5, 4), 0.3, {"max_fpr": 0.2, "min_recall": 0.5}),
        ((3, 30), 0.3, {"fraction": 0.35}),
        ((2, 8), 0.3, {"min_precision": 0.5}),
        ((2, 8), 0.3, {"max_fpr": 0.9}),
        ((2, 10), 0.3, {"max_fpr": 0.01, "min_recall": 0.9}),
        (5, (0.2, 0.4), {"max_fpr": 0.2}),
        (5, (0.2, 0.4), {"min_recall": 0.7}),
        (5, (0.2, 0.4), {"fraction": 0.3}),
        (5, (0.2, 0.4), {"min_precision": 0.5}),
        ((2, 10), (0.1, 0.5), {"max_fpr": 0.3, "min_recall": 0.5}),
        ((2, 10), (0.1, 0.5), {"fraction": 0.4, "min_precision": 0.2}),
        ((2, 10), (0.1, 0.5), {"max_fpr": 0.01, "min_recall": 0.9}),
    ]
    made: dict[str, Callable[[float], Any]] = {
        "max_fpr": rh.NeymanPearson,
        "min_recall": rh.MinimumRecall,
        "fraction": lambda x: rh.AlarmRate() <= x,
        "min_precision": rh.MinimumPrecision,
    }
    with model_of(rh.Report(hybrid, rh.ExpectedCost(1, 5, 0.3)).facts) as page:
        found = page.evaluate(
            "(asked) => asked.map(([cost_fn, prevalence, within]) => { const { chosen, worst } = model.evaluate({ ...model.initial(), cost_fn, prevalence, within, mixtures: false }); return chosen && [chosen.rules[0].rule.threshold, chosen.fpr, chosen.tpr, worst]; })",
            asked,
        )
    for (costs, share, limits), rule in zip(asked, found, strict=True):
        condition = rh.Within(rh.ExpectedCost(1, costs, share), [made[name](x) for name, x in limits.items()])
        try:
            own = hybrid.regret(condition).least_worst_single
        except rh.InfeasibleConditionError:
            assert rule is None
            continue
        assert own.point is not None
        assert rule == pytest.approx(
            [own.point.rules[0][0].threshold, own.point.fpr, own.point.tpr, own.worst]
        )
