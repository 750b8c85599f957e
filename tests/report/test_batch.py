"""A batch of the reader's own: a CSV file that the page reads, and what the rule does with it."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from scipy.stats import ks_2samp

import report_cases as cases
import rochull as rh
from browser import Tab

COSTS = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3)


@pytest.fixture(scope="module")
def german() -> rh.Hybrid:
    return cases.shipped("german_credit_scores", "class", "bad")


@pytest.fixture
def page(tab: Tab, german: rh.Hybrid, tmp_path: Path) -> Iterator[Page]:
    about = {"label": "class", "positive": "bad"}
    rh.Report(german, COSTS, about=about).save(tmp_path / "r.html")
    with tab(tmp_path / "r.html") as shown:
        yield shown


def give(page: Page, text: str, name: str = "my cases.csv") -> str:
    """Hand a file to the page, and return what it says of it."""
    page.locator("#batch-file").set_input_files(
        {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
    )
    said = page.locator("#batch-said")
    expect(said).to_contain_text(name)
    return (said.text_content() or "").replace("\u2068", "").replace("\u2069", "")


def batch() -> dict[str, Any]:
    table = rh.datasets.load("german_credit_scores")
    rows = np.random.default_rng(1).choice(len(table["class"]), 300, replace=False)
    return {name: np.asarray(table[name])[rows] for name in ["class", *cases.SCORES]}


def test_the_rule_does_what_the_policy_does(page: Page, german: rh.Hybrid) -> None:
    held = batch()
    held["naive_bayes"] = held["naive_bayes"].astype(float)
    held["naive_bayes"][:7] = np.nan
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";", lineterminator="\r\n")
    writer.writerow([*held, "a; comment"])
    for row in zip(*held.values(), strict=True):
        cells = ["" if str(cell) == "nan" else str(cell).replace(".", ",") for cell in row]
        writer.writerow([*cells, 'said "no";\n or so'])
    said = give(page, "\ufeff" + out.getvalue())
    ((rule, _),) = german.at(COSTS).rules
    scores = held[rule.classifier].astype(float)
    flagged, bad = scores >= rule.threshold, held["class"] == "bad"
    missing = np.isnan(scores).sum()
    assert missing == 7
    wanted = f"Of the 300 cases in my cases.csv this rule flags {flagged.sum()} ({flagged.mean():.1%}"
    assert said.startswith(wanted.replace("%", "\u00a0%"))
    assert said.endswith("7 lack a score that it reads, which no threshold flags.")
    shown = {
        cell: float(page.locator(f'[data-batch="{cell}"]').get_attribute("data-value") or "nan")
        for cell in ("tp", "fn", "fp", "tn")
    }
    assert shown == {
        "tp": (flagged & bad).sum(), "fn": (~flagged & bad).sum(),
        "fp": (flagged & ~bad).sum(), "tn": (~flagged & ~bad).sum(),
    }  # fmt: skip
    page.locator('[data-field="max_fpr"]').fill("0.07")  # a mixture now
    expect(page.locator("#batch-said")).to_contain_text("flags about")
    chosen = page.evaluate("rochullReport.result.chosen.rules")
    mean = sum(
        p["probability"] * (held[p["rule"]["classifier"]].astype(float) >= p["rule"]["threshold"])
        for p in chosen
    )
    total = page.evaluate(
        "['tp', 'fp'].map((key) => Number(document.querySelector(`[data-batch=${key}]`).dataset.value))"
    )
    assert sum(total) == pytest.approx(float(np.sum(mean)))


def test_what_is_not_there_is_told(page: Page) -> None:
    assert give(page, "x,y\n1,2\n").endswith("has no column named naive_bayes, which the rule reads.")
    assert not page.locator("#batch-matrix").is_visible()
    said = give(page, "naive_bayes,class\n0.9,bad\n0.1,\nNA,good\n", "<b>.csv")
    assert said == (
        "Of the 3 cases in <b>.csv this rule flags 1 (33.3\u00a0%). 1 lack a score that it reads, which no threshold flags. "
        "1 have no label, and are not in the table."
    )
    assert page.locator("#batch b").count() == 0
    assert give(page, "", "empty.csv").endswith("has no column named naive_bayes, which the rule reads.")


TEXTS = ["a,b\n1,2\n", '"a ""x""",b\r\n"1\n2",\r\n\r\n,3', "a\tb\n1\t2\n3\t4", "a\n1\n2\n", "a;b;c\n,1;2;3\n"]


def test_csv_is_read_as_python_reads_it(page: Page) -> None:
    for text in TEXTS:
        found = page.evaluate("text => rochullBatch.parse(text)", text)
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=found["sign"]) if row]
        assert found["rows"] == rows, json.dumps(text)


def test_the_report_s_cases_beside_the_batch(page: Page, german: rh.Hybrid) -> None:
    """Shares of all cases of the report and of the batch, counted one by one; and where their scores differ most."""
    held, table = batch(), rh.datasets.load("german_credit_scores")
    held["tree"] = held["tree"].astype(float) ** 2
    rows = zip(*held.values(), strict=True)
    give(page, "\n".join(",".join(map(str, row)) for row in [held, *rows]))
    ((rule, _),) = german.at(COSTS).rules

    def share(cases: Any, of: str) -> float:
        flagged, bad = cases[rule.classifier].astype(float) >= rule.threshold, cases["class"] == "bad"
        cost = (flagged & ~bad) + 5.0 * (~flagged & bad)
        parts = {
            "cases": np.size(bad), "flagged": flagged.mean(), "positive": bad.mean(), "tpr": flagged[bad].mean(),
            "fpr": flagged[~bad].mean(), "precision": bad[flagged].mean(), "cost": cost.mean(),
        }  # fmt: skip
        return float(parts[of])

    def shown(key: str) -> list[float]:
        cells = page.locator(f"[data-beside-batch^='{key}:']")
        return [float(value) for value in cells.evaluate_all("all => all.map((cell) => cell.dataset.value)")]

    for key in ("cases", "flagged", "positive", "tpr", "fpr", "precision", "cost"):
        assert shown(key) == pytest.approx([share(table, key), share(held, key)])
    steps = page.evaluate(
        "rochullReport.facts.classifiers.map((own) => Array.from(rochullCurves.steps(own).threshold))"
    )
    for i, name in enumerate(cases.SCORES):
        theirs, yours = (np.asarray(each[name]).astype(float) for each in (table, held))
        apart = [abs((theirs >= at).mean() - (yours >= at).mean()) for at in steps[i]]
        first, second = shown(f"scores:{i}")
        assert abs(first - second) == pytest.approx(max(apart))
        assert max(apart) <= ks_2samp(theirs, yours).statistic + 1e-12
        row = page.locator("#batch-beside tr").filter(has=page.get_by_text(name, exact=True)).last
        chance = 100 * np.sqrt(-0.5 * np.log(0.025)) * np.sqrt(1 / 300 + 1 / 1000)
        expect(row.locator("small")).to_contain_text(f"less than {chance:.2g} points")
