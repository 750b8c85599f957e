"""What one takes away from the page: tables as CSV, charts as pictures, a link, and lines that run as copied."""

import csv
import io
import json
import math
import re
import shlex
import struct
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import report_cases as cases
import rochull as rh
from browser import Tab, to_view, until
from engine import engine, model_of
from rochull.cli.app import main
from rochull.report import dominance_wording
from rochull.report.facts import facts_of

COSTS = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3)
GERMAN = str(rh.datasets.path("german_credit_scores"))
SCORES = [word for name in cases.SCORES for word in ("--score", name)]
COMMAND = ["rochull", "report", GERMAN, "--label", "class", "--positive", "bad", *SCORES]


@pytest.fixture
def page(tab: Tab, german: rh.Hybrid, tmp_path: Path) -> Iterator[Page]:
    rh.Report(german, COSTS, title="Who, \u202eברוך?", command=COMMAND).save(tmp_path / "r.html")
    with tab(tmp_path / "r.html") as shown:
        yield shown


def taken(page: Page, label: str) -> tuple[str, bytes]:
    """Press a button, and return the name of the file and what it holds."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name=label).first.click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def test_tables_and_charts_are_files(page: Page, german: rh.Hybrid) -> None:
    page.get_by_text("For experts: by costs and slope").click()
    name, held = taken(
        page,
        "Save the table “\u2068Which classifier is best at which slope (locally dominating)\u2069” as CSV",
    )
    assert name == "Who-ברוך-Which-classifier-is-best-at-which-slope-locally-dominating.csv"
    rows = list(csv.reader(io.StringIO(held.decode("utf-8-sig"))))
    assert [row[4] for row in rows[1:]] == [
        ", ".join(row["classifiers"]) or dominance_wording.corner(row["rule"])
        for row in facts_of(german)["dominance"]["rows"]
    ]
    _, held = taken(page, "Save the table “\u2068Each classifier on its own")
    rates = {row[0].split(" ★")[0]: row[1:3] for row in csv.reader(io.StringIO(held.decode("utf-8-sig")))}
    assert set(cases.SCORES) < set(rates)
    assert all(0 <= float(rate) <= 1 for name in cases.SCORES for rate in rates[name])  # all digits
    captions = page.locator("main table caption").count()
    assert page.locator("main .takes button", has_text="CSV").count() == captions
    name, held = taken(page, "Save the chart “ROC” as SVG")
    assert name == "Who-ברוך-ROC.svg"
    root = ElementTree.fromstring(held)
    texts = {"".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {*cases.SCORES, "false positive rate →"} <= texts
    assert not [node for node in root.iter() if node.get("class") or node.get("style")]
    name, held = taken(page, "Save the chart “ROC” as PNG")
    assert (name, held[:8]) == ("Who-ברוך-ROC.png", b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", held[16:24])
    assert width == 2 * round(float(root.get("width") or 0))
    assert height == 2 * round(float(root.get("height") or 0))


def test_a_table_of_a_file_has_one_plain_number_in_a_cell(page: Page, german: rh.Hybrid) -> None:
    page.evaluate("rochullReport.set({ ...rochullReport.state, prevalence: [0.1, 0.6] })")
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    until(page, "location.hash", "prevalence=0.1:0.6")  # what waits until nothing has moved for a while
    read = """() => Object.fromEntries([...document.querySelectorAll("main table")].filter((table) => table.caption && table.checkVisibility())
        .map((table) => [table.caption.textContent.trim(), rochullTake.rowsOf(table)]))"""
    found = page.evaluate(read)
    assert len(found) > 8
    for caption, rows in found.items():
        assert {len(row) for row in rows} == {len(rows[0])}, caption
        for text in (text for row in rows[1:] for text in row):
            assert not re.search("[\u061c\u200e\u200f\u2066-\u2069]", text)
            assert re.search("[^\\W\\d]", text) or text == "" or math.isfinite(float(text)), (caption, text)
            digits = re.sub(r"e.*|\D", "", text).lstrip("0") if not re.search(r"[^\W\de]", text) else ""
            assert len(digits) <= 12, text  # without the rounding of sums
    alone = next(rows for rows in found.values() if rows[0][-1] == "best")
    assert [row[0] for row in alone[1:]] == list(german.hulls)
    assert sorted(row[-1] for row in alone[1:]) == ["no"] * 4 + ["yes"]
    (outcomes,) = (rows for caption, rows in found.items() if caption.startswith("Of 10,000 cases"))
    assert outcomes[0] == ["", "flagged, from", "flagged, to", "not flagged, from", "not flagged, to"]
    blocks = found["Steps of \u2068naive_bayes\u2069"]
    hull = german.hulls["naive_bayes"].blocks
    assert hull is not None
    assert [float(row[0]) for row in blocks[1:]] == pytest.approx(hull.low.tolist(), rel=1e-11)
    assert [float(row[-1]) for row in blocks[1:]] == pytest.approx(hull.posterior.tolist(), rel=1e-11)
    slopes = next(rows for rows in found.values() if rows[0][0] == "slope, from")
    wanted = [[row.low, row.high] for row in german.dominance_table().rows]
    assert [[float(x) for x in row[:2]] for row in slopes[1:]] == pytest.approx(np.array(wanted), rel=1e-11)


@pytest.mark.short
def test_copied_python_knows_what_hybrid_is(page: Page) -> None:
    page.get_by_role("button", name="Copy code for analysts").click()
    lines = page.locator("#copy-python").input_value().splitlines()
    assert lines[:2] == ["import rochull as rh", ""]
    assert lines[2].startswith("hybrid = ...  # the rh.Hybrid that this report was made of, of 5 classifiers")
    exec("\n".join(lines[:3]), {})
    known = {"table": GERMAN, "label": "class", "positive": "bad"}
    text = page.evaluate(
        "about => rochullExport.origin({ ...rochullReport.facts, about, command: ['rochull'] })", known
    )
    names: dict[str, object] = {}
    exec(f"{text}\n{lines[3]}".replace("hybrid.at", "point = hybrid.at"), names)
    assert names["point"].fpr == cases.shipped("german_credit_scores", "class", "bad").at(COSTS).fpr  # type: ignore[attr-defined]


def test_a_cell_is_never_a_formula() -> None:
    rows = [["=1+1", "-2", "-x", 'a "b", c'], ["+3", "@x", "", "\n"]]
    with engine() as made:
        text = made.evaluate("rows => rochullTake.csv(rows)", rows)
    assert list(csv.reader(io.StringIO(text, newline=""))) == [
        ["'=1+1", "-2", "'-x", 'a "b", c'],
        ["+3", "'@x", "", "\n"],
    ]


def test_a_link_keeps_the_review(page: Page) -> None:
    to_view(page, "Reviews")
    page.get_by_label("a review costs").fill("0.25")
    page.get_by_label("reviewed at most").fill("0.4")
    expect(page).to_have_url(re.compile("&review=0.25:0.4"))
    link = page.evaluate("location.hash")
    page.evaluate("() => { location.hash = '#goal=cost&cost_fn=7&view=reviews'; }")
    expect(page.get_by_label("a review costs")).to_have_value("0.1")
    page.evaluate("link => { location.hash = link; }", link)
    expect(page.get_by_label("a review costs")).to_have_value("0.25")
    expect(page.get_by_label("reviewed at most")).to_have_value("0.4")  # as it was typed


def test_names_and_links_of_any_kind() -> None:
    rule = {"kind": "threshold", "classifier": "\u05d0", "threshold": 0.5}
    with engine() as made:
        isolated = made.evaluate("rule => rochullCharts.ruleText(rule)", rule)
        links = ["-1:0.2", "1:2", "1", "a:b", "1:1:1", "", "0.25:0.4"]
        *wrong, right = made.evaluate("all => all.map(rochullControls.linkedReview)", links)
    assert isolated == "\u2068\u05d0\u2069 ≥ 0.5"
    assert (set(wrong), right) == ({None}, {"cost": 0.25, "most": 0.4})


STATES = [  # others, in test_model.py
    {"goal": "cost", "mixtures": False, "cost_fp": 1e-7, "cost_fn": 2.5},
    {"goal": "min_recall", "min_recall": 0.9, "mixtures": False},
    {"goal": "cost", "review": {"cost": 0.25, "most": 0.1}},
    {"goal": "max_fpr", "prevalence": 0.2, "review": {"cost": 0.1, "most": 1}},
]


@pytest.mark.long
def test_copied_lines_run(german: rh.Hybrid, tmp_path: Path) -> None:
    """Python and the command line, as the page writes them, give what the page shows."""
    script = """states => states.map(({ review, ...more }) => {
        const state = { ...model.initial(), ...more }, full = review ? { ...state, review } : state;
        return { python: model.python(full), command: model.commandLine(full), chosen: model.evaluate(state).chosen,
            cost: review ? rochullCurves.reviews(model, state, review).best.cost : null };
    })"""
    with model_of(rh.Report(german, COSTS, command=COMMAND).facts) as made:
        made.run("model.allow();")  # mixtures
        told = made.evaluate(script, STATES)
    for asked, found in zip(STATES, told, strict=True):
        names: dict[str, object] = {"rh": rh, "hybrid": german}
        first, *rest = found["python"].split("\n")
        if first.startswith("point, costs = "):
            exec(first, names)
            point = names["point"]
            assert len(eval(rest[0], names)) == 2
        else:
            point = eval(first, names)
        words = shlex.split(found["command"])
        assert main([*words[1:], "-o", str(tmp_path / "again.json")]) == 0
        facts = json.loads((tmp_path / "again.json").read_text())
        if found["cost"] is not None:
            assert facts["review"]["expected_cost"] == pytest.approx(found["cost"], abs=1e-12)
            assert point.review_rate == facts["review"]["review_rate"]  # type: ignore[attr-defined]
            continue
        key = "deterministic" if asked.get("mixtures") is False else "chosen"
        chosen = facts[key] or facts["chosen"]
        for rate in ("fpr", "tpr"):
            assert getattr(point, rate) == pytest.approx(found["chosen"][rate], abs=1e-12)
            assert chosen[rate] == pytest.approx(found["chosen"][rate], abs=1e-12)


def test_the_dialog_copies_the_review_when_its_view_is_seen(page: Page) -> None:
    to_view(page, "Reviews")
    page.get_by_label("a review costs").fill("0.25")
    page.get_by_role("button", name="Copy code for analysts").click()
    assert (
        page.locator("#copy-python")
        .input_value()
        .endswith("\nhybrid.at(rh.Review(1.0, 5.0, 0.25, prevalence=0.3, max_share=1.0))")
    )
    assert page.locator("#copy-command").input_value().endswith(" --cost-review 0.25 --max-review-share 1.0")
    assert "a review costs 0.25" in page.locator("#copy-words").inner_text()
