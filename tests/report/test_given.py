# long: a page for each kind of condition; the tests share a browser
"""The page opens with the answer of its report, whatever was asked on the command line, and says when it is left."""

import json
import re
import shlex
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

import rochull as rh
from browser import Tab, drawn, until
from engine import model_of
from rochull.cli import app
from rochull.report import wording
from rochull.report.review_order import reviewing
from rochull.report.verdict_notes import limit_note

DATA = [
    "--label",
    "class",
    "--positive",
    "bad",
    *(f"--score={name}" for name in ("naive_bayes", "logistic", "boosted")),
]
SURE = ["--confidence", "0.9"]
COSTS = ["--cost-fp", "1", "--cost-fn", "5.5", "--prevalence", "0.3"]
MOVABLE = {  # what the controls show
    "costs": COSTS,
    "range of costs": ["--cost-fn", "2:10"],
    "fpr": ["--max-fpr", "0.1"],
    "recall": ["--min-recall", "0.8"],
    "precision": ["--min-precision", "0.6"],
    "capacity": ["--fraction", "0.2"],
    "cases": ["--cases", "20", "--population", "80", "--prevalence", "0.2"],
    "costs and a limit": [*COSTS, "--max-fpr", "0.4"],
    "costs and a limit, one threshold": [*COSTS, "--max-fpr", "0.1", "--deterministic"],
    "costs and limits": [*COSTS, "--min-recall", "0.5", "--fraction", "0.3", "--min-precision", "0.5"],
    "range of costs and a limit": ["--cost-fn", "2:10", "--max-fpr", "0.3"],
    "figures": ["--max-fpr", "0.1", "--figures-cost-fn", "4", "--figures-prevalence", "0.2"],
}
LIMITS = ("max_fpr", "min_recall", "min_precision", "fraction")
GIVEN = {  # what they do not
    "limits": ["--min-precision", "0.63", "--fraction", "0.05", "--prevalence", "0.2"],
    "limits at costs": ["--min-recall", "0.5", "--max-fpr", "0.3", "--figures-cost-fn", "4"],
    "costs, a limit, sure": [*COSTS, "--max-fpr", "0.4", *SURE],
    "fpr, sure": ["--max-fpr", "0.1", *SURE],
    "recall, sure": ["--min-recall", "0.8", *SURE],
    "precision, sure": ["--min-precision", "0.5", "--prevalence", "0.3", *SURE],
    "capacity, sure": ["--fraction", "0.2", *SURE],
    "youden": ["--maximise", "youden"],
    "balanced": ["--maximise", "balanced-accuracy", "--max-fpr", "0.15"],
    "f2": ["--maximise", "f-beta", "--beta", "2", "--prevalence", "0.1"],
    "mcc": ["--maximise", "mcc"],
    "churn": ["--maximise", "churn-profit"],
    "credit": ["--maximise", "credit-profit", "--prevalence", "0.1:0.2"],
    "range of fpr": ["--max-fpr", "0.05:0.1"],
    "range of recall": ["--min-recall", "0.8:0.9", "--deterministic"],
    "range of precision": ["--min-precision", "0.5", "--prevalence", "0.1:0.3"],
    "range of both costs": ["--cost-fp", "1:2", "--cost-fn", "4:9"],
    "range of fpr, sure": ["--max-fpr", "0.05:0.1", *SURE],
}  # fmt: skip
REVIEWS = {
    "review": ["--cost-fp", "20", "--cost-fn", "100", "--cost-review", "2", "--max-review-share", "0.05"],
    "review of errors": ["--cost-fn", "5", "--max-decided-error", "0.1", "--reviewer-fpr", "0.05"],
    "range of reviews": ["--cost-fn", "2:10", "--cost-review", "0.1:0.3"],
}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("given") / "german.parquet"
    path.write_bytes(files("rochull.datasets").joinpath("data", "german_credit_scores.parquet").read_bytes())
    return path


def made(table: Path, options: list[str], capsys: pytest.CaptureFixture[str], suffix: str = "html") -> Any:
    """The page of a report, and what the terminal said of it in its first sentence."""
    path = table.parent / f"r.{suffix}"
    assert app.main(["report", str(table), *DATA, *options, "--full", "-o", str(path)]) == 0
    return path, capsys.readouterr().out


def plain(text: str) -> str:
    return " ".join(re.sub("[\u2066-\u2069]", "", text).replace("\u00a0", " ").split())


def rules_of(facts: dict[str, Any]) -> Any:
    if facts["chosen"] is not None:
        return facts["chosen"]["rules"]
    return facts["robust"]["rows"][not facts["mixtures"]]["rules"]


def told(rules: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Rules as they can be compared: the thresholds and shares of numbers."""
    return [
        (
            *(part["rule"][key] for key in ("kind", "classifier", "threshold")),
            pytest.approx(part["probability"]),
        )
        for part in rules
    ]


@pytest.mark.parametrize("kind", [*MOVABLE, *GIVEN])
def test_the_headline_is_that_of_the_terminal(
    tab: Tab, table: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    options = (MOVABLE | GIVEN)[kind]
    path, out = made(table, options, capsys)
    with tab(path) as page:
        facts = page.evaluate("rochullReport.facts")
        assert plain(out).startswith(said := plain(wording.said(facts["answer"]["headline"])))
        assert said.startswith("Flag")
        assert plain(page.locator("#limit-note").inner_text()) == (limit_note(facts) or "")
        assert page.locator("#unmoved").is_visible() == (kind in GIVEN)
        if kind in GIVEN:  # what looks like a limit that is kept is not there
            assert not any(page.locator(f"#f-{key}").input_value() for key in LIMITS)
            has_costs = any("cost-fn" in option or "profit" in option for option in options)
            assert bool(page.locator("#f-cost_fn").input_value()) == has_costs
            costly = page.locator("[data-amount], #compare [data-priced], [data-cell=cost], [data-cell=less]")
            assert all(each.is_visible() == has_costs for each in costly.all())
        result = page.evaluate("rochullReport.result")
        is_one = kind == "range of costs and a limit"  # of which the page has single thresholds alone
        wanted = facts["robust"]["rows"][1]["rules"] if is_one else rules_of(facts)
        assert told(result["chosen"]["rules"]) == told(wanted)
        assert plain(page.locator("#asked").inner_text()).startswith("The report’s condition: ")
        if "--confidence" in options:
            assert "90 %" in plain(page.locator("#asked").inner_text())
        star, place = page.evaluate("""() => {
            const { chart, result: { chosen } } = rochullReport;
            return [chart.star.getAttribute("transform"), chart.pixel(chosen.fpr, chosen.tpr)];
        }""")
        assert [float(x) for x in re.findall(r"[\d.]+", star)] == pytest.approx(place, abs=0.11)
        if facts["chosen"] is not None:
            for key in ("fpr", "tpr", "expected_cost", "precision"):
                value, text = (
                    facts["chosen"][key],
                    page.locator(f'[data-key="{key}"]').get_attribute("data-value"),
                )
                if value is not None or kind in GIVEN:
                    assert text == ("" if value is None else pytest.approx(value)) or float(
                        text or "nan"
                    ) == pytest.approx(value)
            for cell in ("tp", "fp", "fn", "tn"):
                text = page.locator(f'[data-key="{cell}"]').get_attribute("data-value")
                assert float(text or "nan") == pytest.approx(facts["chosen"]["confusion"][cell])
        losses = {row["classifier"]: row["value"] for row in (facts["regret"] or {"rows": []})["rows"]}
        for row in result["regret"]:
            if losses:
                assert row["value"] == pytest.approx(float(losses[row["name"]]), abs=1e-12)


@pytest.mark.parametrize(
    "kind", ["costs, a limit, sure", "fpr, sure", "mcc", "range of both costs", "range of fpr"]
)
def test_leaving_the_condition_and_coming_back(
    tab: Tab, table: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    path, _ = made(table, GIVEN[kind], capsys)
    with tab(path) as page:
        before = plain(page.locator("#first h1").inner_text())
        assert not page.locator('input[name="goal"]:checked').count()
        slider = page.locator('[data-slider="prevalence"] input').first
        slider.focus()
        page.keyboard.press("ArrowRight")
        until(page, "rochullReport.state.goal !== 'report'")
        drawn(page)
        assert plain(page.locator("#asked").inner_text()).startswith("You have left the report’s condition")
        assert page.locator('input[name="goal"]:checked').count() == 1
        page.get_by_role("button", name="Back to it").click()
        until(page, "rochullReport.state.goal === 'report'")
        drawn(page)
        assert plain(page.locator("#first h1").inner_text()) == before
        assert plain(page.locator("#asked").inner_text()).startswith("The report’s condition")


@pytest.mark.long
@pytest.mark.parametrize("kind", GIVEN)
def test_what_is_taken_away_is_of_that_condition(
    table: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    path, _ = made(table, GIVEN[kind], capsys, "json")
    facts = json.loads(path.read_text(encoding="utf-8"))
    with model_of(facts) as page:
        page.run("model.allow(); const state = model.initial();")
        asked = "[model.commandLine(state), model.python(state), model.sql(model.evaluate(state).chosen, 'duckdb', 'id')]"
        command, python, sql = page.evaluate(asked)
    words = shlex.split(command)
    assert words[0] == "rochull"
    again = table.parent / "again.json"
    assert app.main([*words[1:], "-o", str(again)]) == 0
    capsys.readouterr()
    facts_again = json.loads(again.read_text(encoding="utf-8"))
    assert (facts_again["chosen"], facts_again["robust"]) == (facts["chosen"], facts["robust"])
    data = rh.datasets.load("german_credit_scores")
    scores = [name.partition("=")[2] for name in DATA[4:]]
    hybrid = rh.Hybrid.from_table(data, label="class", pos_label="bad", scores=scores)
    found = eval(python, {"rh": rh, "hybrid": hybrid})
    point = found if facts["chosen"] is not None else getattr(found, "least_worst", found).point
    assert told(rules_of(facts)) == [
        (rule.to_dict()["kind"], rule.classifier, rule.to_dict().get("threshold"), pytest.approx(share))
        for rule, share in point.rules
    ]
    thresholds = [part["rule"]["threshold"] for part in rules_of(facts)]
    assert all(repr(threshold) in sql["text"] for threshold in thresholds), sql


@pytest.mark.parametrize("kind", REVIEWS)
def test_a_review_opens_on_its_own_view(
    tab: Tab, table: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    path, out = made(table, REVIEWS[kind], capsys)
    with tab(path) as page:
        facts = page.evaluate("rochullReport.facts")
        assert page.evaluate("rochullReport.view") == "reviews"
        shown = plain(reviewing(facts))
        assert shown in plain(out)
        said = page.locator("#view-reviews .rc-said")
        cost = float(said.get_attribute("data-cost") or "nan")
        assert cost == pytest.approx(facts["review"]["expected_cost"], rel=1e-12)
        assert shown.startswith(("Flag a case as bad when ", "Review a case when "))
        assert "Flag a case" not in said.inner_text() + page.locator("#answer").inner_text()  # once is enough
        assert page.locator("#rule-why").is_visible()
        foot = plain(page.locator("#bar .bar-figures").text_content() or "")
        assert re.fullmatch(r"reviewed \S+ % · caught \S+ % · cost \S+", foot), foot
        is_fixed = (
            kind != "review"
        )  # the controls have no reviewers who make mistakes, and no range of a review's cost
        assert page.locator("#unmoved").is_visible() is is_fixed
        for part in ("#alone", "#compare"):  # which need an answer without reviews
            assert page.locator(part).is_visible() is not is_fixed
        assert not page.locator("#unaimed").is_visible()
        now = page.evaluate("rochullReport.state")
        given = facts["review"]["parameters"]
        assert (now["cost_fp"], now["cost_fn"], now["prevalence"]) == (
            given["cost_fp"],
            given["cost_fn"],
            given["prevalence"],
        )
        assert not page.locator("#open-rule").is_enabled()
        page.locator('[data-review="cost"]').fill("0.5")
        until(page, "rochullReport.state.goal === 'cost'")
        drawn(page)
        assert page.locator("#alone").is_visible()
        assert "You have left" in page.locator("#asked").inner_text()
        page.get_by_label("people decide these cases").uncheck()
        expect(page.locator("#answer-kind")).not_to_have_text("The best rule with reviews")
        assert page.locator("#open-rule").is_enabled()
        assert not page.locator("#rule-why").is_visible()
        page.get_by_role("button", name="Back to it").click()
        until(page, f"rochullReport.state.goal === '{'report' if is_fixed else 'cost'}'")
        drawn(page)
        assert page.evaluate("rochullReport.view") == "reviews"
        assert plain(page.locator("#asked").inner_text()).startswith("The report’s condition: ")
        page.get_by_role("button", name="Copy code for analysts").click()
        command = page.locator("#copy-command").input_value()
    if is_fixed:
        assert sorted(shlex.split(command)[-len(REVIEWS[kind]) :]) == sorted(REVIEWS[kind])
        return
    again = table.parent / "again.json"
    assert app.main([*shlex.split(command)[1:], "-o", str(again)]) == 0
    capsys.readouterr()
    review = json.loads(again.read_text(encoding="utf-8"))["review"]
    assert (review["rules"], review["outcomes"]) == (facts["review"]["rules"], facts["review"]["outcomes"])
