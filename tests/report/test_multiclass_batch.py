"""The page of several classes: a file of one's own, tables and charts as files, and Back."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import rochull as rh
from browser import Shows
from multiclass_report_cases import CLASSES, made_points, outputs_of

POINTS = made_points(3, 60)
COLUMNS = ["p; lesion", "normal", "scar"]


@pytest.fixture
def page(shows: Shows) -> Iterator[Page]:
    with shows(POINTS, columns=COLUMNS) as shown:
        yield shown


def file_of(outputs: np.ndarray, labels: list[str], sign: str) -> str:
    """A file with other columns too, and a decimal comma where cells are not divided by commas."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=sign)
    writer.writerow(["note", "kind", *COLUMNS])
    for label, row in zip(labels, outputs, strict=True):
        cells = ["" if np.isnan(value) else repr(float(value)) for value in row]
        writer.writerow(
            ["as said", label, *(cell.replace(".", ",") if sign == ";" else cell for cell in cells)]
        )
    return out.getvalue()


def give(page: Page, text: str) -> str:
    page.locator("input[type=file]").set_input_files(
        {"name": "new.csv", "mimeType": "text/csv", "buffer": text.encode()}
    )
    said = page.locator(".batch-said")
    expect(said).to_contain_text("new.csv")
    return (said.text_content() or "").replace("\u2068", "").replace("\u2069", "")


@pytest.mark.parametrize("sign", [",", ";"])
def test_cases_are_called_as_the_policy_calls_them(page: Page, sign: str) -> None:
    codes = np.random.default_rng(8).integers(0, 3, 120)
    outputs = outputs_of(codes, 3, seed=8)
    outputs[5, 1], outputs[6, 0] = np.nan, -1
    labels = ["" if n % 11 == 0 else CLASSES[code] for n, code in enumerate(codes)]
    said = give(page, file_of(outputs, labels, sign))
    usable = np.delete(np.arange(120), [5, 6])
    policy = rh.multiclass.MulticlassPolicy.from_points(POINTS)
    for index in (page.evaluate("multiclassView.state().index"), 7):
        page.evaluate("p => multiclassView.select(p)", index)
        called = policy.decide(outputs[usable], POINTS.weights[index])
        some = ", ".join(f"{name} {np.sum(called == name)}" for name in CLASSES)
        told = "2 lack an output that can be used, and are not decided."
        expect(page.locator(".batch-said")).to_contain_text(told)
        isolated = re.sub(
            r"(lesion|normal|scar|new\.csv)",
            "\u2068\\1\u2069",
            f"Of the 120 cases in new.csv this rule calls {some}.",
        )
        expect(page.locator(".batch-said")).to_contain_text(isolated)
        rows = page.locator(".batch tbody tr")
        for i, name in enumerate(CLASSES):
            own = [np.sum((called == other) & (np.array(labels)[usable] == name)) for other in CLASSES]
            assert rows.nth(i).locator("td").all_inner_texts()[:3] == [str(n) for n in own]
    assert "The column kind has their classes." in said


def test_a_file_without_the_outputs_is_told(page: Page) -> None:
    said = give(page, "normal,scar\n0.2,0.3\n")
    assert said == "new.csv has no column named p; lesion."


def test_every_table_and_chart_is_a_file(page: Page, tmp_path: Path) -> None:
    page.get_by_label("Make as small as possible").select_option("expected_cost")
    tables = page.locator("#multiclass table:visible").count()
    buttons = page.get_by_role("button", name="Save the table", exact=False)
    assert buttons.locator("visible=true").count() == tables == 6
    with page.expect_download() as got:
        buttons.and_(page.locator("[aria-label*='Of the cases']")).click()
    rows = list(csv.reader(io.StringIO(Path(got.value.path()).read_text(encoding="utf-8-sig"))))
    index = page.evaluate("multiclassView.state().index")
    assert rows[0] == ["class", *(f"called {name}" for name in CLASSES)]
    assert [row[1:] for row in rows[1:]] == POINTS.confusion[index].astype(str).tolist()
    with page.expect_download() as got:
        buttons.and_(page.locator("[aria-label*='Cost of']")).click()
    rows = list(csv.reader(io.StringIO(Path(got.value.path()).read_text(encoding="utf-8-sig"))))
    assert [row[1:] for row in rows[1:]] == [["0", "1", "1"], ["1", "0", "1"], ["1", "1", "0"]]
    for kind in ("SVG", "PNG"):
        charts = page.get_by_role("button", name="Save the chart “Errors of lesion and scar” as " + kind)
        with page.expect_download() as got:
            charts.click()
        assert got.value.suggested_filename.endswith(f"Errors-of-lesion-and-scar.{kind.lower()}")
        content = Path(got.value.path()).read_bytes()
        assert (
            content.startswith(b"\x89PNG")
            if kind == "PNG"
            else "error of scar" in "".join(ET.fromstring(content).itertext())
        )


def test_back_undoes(page: Page) -> None:
    begun = page.evaluate("multiclassView.state()")
    page.locator(".panel svg").first.click(position={"x": 150, "y": 60})
    moved = page.evaluate("multiclassView.state()")
    assert moved["index"] != begun["index"]
    expect(page).to_have_url(re.compile(f"#point={moved['index']}&"))
    page.get_by_label("Make as small as possible").select_option("error_rate")
    expect(page).to_have_url(re.compile("error_rate"))
    seen = page.locator('[data-key="point"]')
    for wanted in (moved, begun):
        page.go_back()
        expect(seen).to_have_attribute("data-value", str(wanted["index"]))
        assert page.evaluate("multiclassView.state()") == wanted
    page.go_forward()
    expect(seen).to_have_attribute("data-value", str(moved["index"]))


def test_words_are_explained(page: Page) -> None:
    term, told = page.locator(".term", has_text="Pareto front"), page.locator("#told")
    term.hover()
    expect(told).to_contain_text("the points of which none is better in one error")
    page.mouse.move(1, 1)
    expect(told).to_be_hidden()
