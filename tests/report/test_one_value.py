"""One quantity has one value: in Python, in a terminal and on the page, in six situations."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

import rochull as rh
from browser import opened
from rochull.report.brief import brief
from rochull.report.judged import against_of
from rochull.report.text import printed
from rochull.report.wording import PAGE, count
from rochull.words.clauses import Clause

NAMES = ("naive_bayes", "logistic", "boosted")
COSTS = rh.ExpectedCost(1, 5, 0.3)
SITUATIONS: dict[str, Any] = {
    "costs": COSTS,
    "limits": rh.Within(COSTS, [rh.NeymanPearson(0.3), rh.MinimumRecall(0.7)]),
    "range": rh.ExpectedCost(1, (2, 10), 0.3),
    "review": rh.Review(1, 5, 0.3, prevalence=0.3),
    "segments": COSTS,
    "unnamed": None,
}


@pytest.fixture(scope="module")
def german() -> dict[str, Any]:
    table, hybrid = rh.datasets.load("german_credit_scores"), rh.Hybrid()
    y, scores = table["class"] == "bad", {name: table[name] for name in NAMES}
    for name, score in scores.items():
        hybrid.add(name, y, score)
    return {"y": y, "scores": scores, "hybrid": hybrid}


def report_of(german: dict[str, Any], name: str) -> tuple[rh.Report, Any]:
    hybrid, condition, need = german["hybrid"], SITUATIONS[name], None
    if condition is COSTS:
        against = against_of(hybrid, condition)
        need = hybrid.need(condition, german["y"], german["scores"], n_folds=5, against=against)
    more: dict[str, Any] = {}
    if name == "segments":
        own = np.where(np.arange(len(german["y"])) % 2, "even", "odd")
        more["segment"] = rh.report.Segmentation(german["y"], german["scores"], {"row": own}, cv=2)
    return rh.Report(hybrid, condition, need=need, **more), need


def numbers(text: str) -> list[int]:
    return [int(each.replace(",", "")) for each in re.findall(r"(?<![\w.])\d[\d,]*(?![\w.])", text)]


def costs_in(lines: list[str]) -> dict[str, int]:
    """What errors cost, by what is beside each bar."""
    found = (re.match(r"  (\S.*?) +([\d,]+)  #", line) for line in lines)
    return {match[1]: int(match[2].replace(",", "")) for match in found if match}


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_terminal_says_what_python_does(german: dict[str, Any], name: str) -> None:
    report, need = report_of(german, name)
    hybrid, condition, answer = (
        german["hybrid"],
        SITUATIONS[name] or rh.ExpectedCost(1, 1),
        report.facts["answer"],
    )
    lines = printed(brief(report.facts), 80).splitlines()
    said = [PAGE.told(Clause.from_dict(each)) for each in (answer["headline"], *answer["lede"])]
    assert " ".join(" ".join(lines).split()).startswith(" ".join(said))
    own = costs_in(lines)
    if name == "review":
        assert own["this rule"] == round(10_000 * hybrid.at(condition).expected_cost(condition))
        return
    found = hybrid.regret(condition).least_worst_single.point if name == "range" else None
    point = found or hybrid.at(condition, deterministic=True)
    fpr, tpr = point.fpr, point.tpr
    table = next(i for i, line in enumerate(lines) if line.startswith("Of 10,000 cases"))
    caught, missed, wrong, passed = numbers(lines[table + 1]) + numbers(lines[table + 2])
    assert [caught, missed, wrong, passed] == pytest.approx(
        [3000 * tpr, 3000 * (1 - tpr), 7000 * fpr, 7000 * (1 - fpr)], abs=1
    )
    if need is not None:
        assert own["this rule"] == round(10_000 * need.hybrid)
        low, high = (need.hybrid + sign * 1.96 * need.hybrid_error for sign in (-1, 1))
        assert f"{count(10_000 * low)} to {count(10_000 * high)} (95 %)" in " ".join(lines)
    elif name == "range":
        assert list(own.values()) == [
            round(10_000 * (0.7 * fpr + 0.3 * miss * (1 - tpr))) for miss in (2, 10)
        ]
    else:
        miss = 5 if name == "limits" else 1
        assert own["this rule"] == round(10_000 * (0.7 * fpr + 0.3 * miss * (1 - tpr)))
    less = [each for each in answer["lede"] if each["key"].startswith("answer.lede.less")]
    if less and own:
        other = next(cost for label, cost in own.items() if "at 0.5" in label)
        assert less[0]["saved"] == pytest.approx(100 * (1 - own["this rule"] / other), abs=0.51)


def test_cut_offs_by_segment_are_the_rule_of_every_part(browser: Browser, tmp_path: Path) -> None:
    """The table, the bars and the card tell of them, on these cases, as the headline and the page do."""
    rng = np.random.default_rng(1)
    region, y = rng.choice(["north", "south"], 2000), rng.random(2000) < 0.3
    score = 2.0 * y + 1.2 * (region == "south") + rng.normal(size=2000)
    costs = rh.ExpectedCost(1, 3, float(y.mean()))
    segments = rh.report.Segmentation(y, {"s": score}, {"region": region})
    report = rh.Report(rh.Hybrid().add("s", y, score), costs, segment=segments)
    state, rates = report.facts["answer"]["state"], report.facts["segments"]["points"]["bent"]
    assert state["segments"] == "few apart"
    lines = printed(brief(report.facts), 80).splitlines()
    positives, cost = 10_000 * costs.prevalence, round(10_000 * rates["expected_cost"])
    table = next(i for i, line in enumerate(lines) if line.startswith("Of 10,000 cases"))
    cells = numbers(lines[table + 1]) + numbers(lines[table + 2])
    wanted = [rates["tpr"] * positives, rates["fpr"] * (10_000 - positives)]
    assert [cells[0], cells[2]] == pytest.approx(wanted, abs=1)
    assert costs_in(lines)["this rule"] == cost
    assert "on new cases" not in " ".join(lines)
    flagged = f"{round(rates['tpr'] * y.sum()):,}"
    assert flagged in report._repr_html_().replace("\u202f", ",")
    report.save(tmp_path / "page.html")
    with opened(browser, tmp_path / "page.html", folded=True) as page:
        assert f"{cost:,}" in page.locator(".bars .own").inner_text()
        assert page.locator(".bars .cap").inner_text().endswith("run rochull gate.")  # which takes such rules
        sure = page.locator("[data-layer=sure]").inner_text()
        assert sure == "These cases picked the rule, so the rates are a little too good."


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_page_says_what_the_terminal_does(
    browser: Browser, german: dict[str, Any], name: str, tmp_path: Path
) -> None:
    report, _ = report_of(german, name)
    report.save(tmp_path / "page.html")
    answer = report.facts["answer"]
    lines = printed(brief(report.facts), 80).splitlines()
    with opened(browser, tmp_path / "page.html", folded=True) as page:
        said = [PAGE.told(Clause.from_dict(each)) for each in (answer["headline"], *answer["lede"])]
        shown = [page.locator(f"#first {what}").inner_text() for what in ("h1", ".lede")]
        assert " ".join(" ".join(shown).split()) == " ".join(said)
        bars = page.locator("#first .bars .row").evaluate_all(
            "rows => rows.map((row) => [row.querySelector('dt').innerText, row.querySelector('.n').innerText])"
        )
        icons = numbers(page.locator("#first .icons li:not(.sum)").all_inner_texts().__str__())
    assert sum(icons) == answer["per"]
    own = costs_in(lines)
    if name == "range":
        assert numbers(bars[0][1]) == list(own.values())
    else:
        assert {label: numbers(told)[-1] for label, told in bars} == own


@pytest.mark.parametrize("prevalence", [0.1234, 0.24, 0.3141])
def test_costs_over_a_range_are_products_of_the_cells(
    browser: Browser, german: dict[str, Any], prevalence: float, tmp_path: Path
) -> None:
    report = rh.Report(german["hybrid"], rh.ExpectedCost(1, (2, 9.7), prevalence))
    report.save(tmp_path / "page.html")
    lines = printed(brief(report.facts), 80).splitlines()
    table = next(i for i, line in enumerate(lines) if line.startswith("Of 10,000 cases"))
    (_, missed), (wrong, _) = numbers(lines[table + 1]), numbers(lines[table + 2])
    with opened(browser, tmp_path / "page.html", folded=True) as page:
        own = numbers(page.locator("#first .bars .row .n").first.inner_text())
    assert own == list(costs_in(lines).values()) == [round(wrong + miss * missed) for miss in (2, 9.7)]


@pytest.mark.parametrize(("miss", "said"), [(1, []), (9, ["flag everybody"])])
def test_what_is_cheaper_beyond_a_limit_says_so(
    browser: Browser, german: dict[str, Any], miss: float, said: list[str], tmp_path: Path
) -> None:
    """And nothing else does: a reader would ask why the rule is not that one."""
    costs = rh.ExpectedCost(1, miss, 0.3)
    condition = rh.Within(costs, [rh.NeymanPearson(0.2), rh.MinimumRecall(0.2)])
    report = rh.Report(german["hybrid"], condition)
    report.save(tmp_path / "page.html")
    lines = [line for line in printed(brief(report.facts), 80).splitlines() if "breaks a limit" in line]
    assert [line.split("  ")[1] for line in lines] == said
    with opened(browser, tmp_path / "page.html", folded=True) as page:
        beyond = page.locator("#first .bars .row", has=page.locator("small"))
        assert [each.splitlines()[0] for each in beyond.all_inner_texts()] == said
