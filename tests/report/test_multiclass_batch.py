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
from scipy.stats import binomtest

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


def test_labels_that_are_numbers_are_read_as_the_file_has_them(shows: Shows) -> None:
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 3, 90)
    outputs = outputs_of(codes, 3, seed=4)
    points = rh.MulticlassRoc(codes + 7, outputs).points_at([[1, 1, 1]])
    with shows(points, columns=COLUMNS) as page:
        said = give(page, file_of(outputs, [str(code + 7) for code in codes], ","))
        assert "The column kind has their classes." in said
        own = [np.sum((outputs.argmax(axis=1) == j) & (codes == 0)) for j in range(3)]
        row = page.locator(".batch tbody tr").first
        assert row.locator("th").inner_text() == "class 7"
        assert row.locator("td").all_inner_texts()[:3] == [str(n) for n in own]


def beyond(pairs: list[tuple[tuple[int, int], tuple[int, int]]]) -> list[int]:
    """Which shares of the report, k of n, and of a batch differ beyond chance: Newcombe's intervals, all of them together."""
    found = []
    for c, ((k, n), (j, m)) in enumerate(pairs):
        level = 1 - 0.05 / len(pairs)
        one, two = (binomtest(*each).proportion_ci(level, method="wilsoncc") for each in ((k, n), (j, m)))
        gap = j / m - k / n
        low = gap - np.hypot(j / m - two.low, one.high - k / n)
        high = gap + np.hypot(two.high - j / m, k / n - one.low)
        if low > 0 or high < 0:
            found.append((-abs(gap), c))
    return [c for _, c in sorted(found)]


def test_which_shares_differ_beyond_chance(page: Page) -> None:
    rng = np.random.default_rng(4)
    tables = []
    for _ in range(300):
        sizes = rng.integers(1, 10 ** rng.integers(1, 5), (rng.integers(2, 7), 2))
        tables.append([[[int(rng.integers(0, n + 1)), int(n)] for n in row] for row in sizes])
    found = page.evaluate(
        "all => all.map((pairs) => rochullMulticlassBatch.apart(pairs).map(({ c }) => c))", tables
    )
    assert found == [beyond([(tuple(one), tuple(two)) for one, two in pairs]) for pairs in tables]
    assert any(found)
    assert not all(found)


@pytest.mark.parametrize("changed", [False, True])
def test_the_verdict_comes_first(page: Page, changed: bool) -> None:
    codes = np.random.default_rng(8).integers(0, 3, 397)
    outputs = outputs_of(codes, 3, seed=8) * ([6, 1, 1] if changed else [1, 1, 1])
    give(page, file_of(outputs, [CLASSES[code] for code in codes], ","))
    index = page.evaluate("multiclassView.state().index")
    own = POINTS.confusion[index]
    policy = rh.multiclass.MulticlassPolicy.from_points(POINTS)
    called = policy.decide(outputs, POINTS.weights[index], on_misfit="ignore")
    seen = [int(np.sum(called == name)) for name in CLASSES]
    shares = beyond([((int(own[:, c].sum()), int(own.sum())), (seen[c], 397)) for c in range(3)])
    wrong = [int(np.sum(called[codes == c] != CLASSES[c])) for c in range(3)]
    sizes = [int(n) for n in own.sum(axis=1)]
    errors = beyond(
        [((sizes[c] - int(own[c, c]), sizes[c]), (wrong[c], int(np.sum(codes == c)))) for c in range(3)]
    )
    assert bool(shares) == bool(errors) == changed
    marks = page.locator(".batch .notice")
    texts = [
        text.replace("\u2068", "").replace("\u2069", "").replace("\u00a0", " ")
        for text in marks.all_text_contents()
    ]
    assert [("beyond chance" in text) for text in texts] == [changed] * 2
    told = [
        f"{seen[c] / 397:.1%} of yours are called {CLASSES[c]}, and {own[:, c].sum() / own.sum():.1%} of"
        for c in shares
    ]
    assert all(each.replace("%", " %") in texts[0] for each in told)
    told = [f"{wrong[c] / np.sum(codes == c):.1%} of {CLASSES[c]} are called another class" for c in errors]
    assert all(each.replace("%", " %") in texts[1] for each in told)
    cells = page.locator(".batch tbody td:last-child").evaluate_all(
        "all => all.map((cell) => Number(cell.dataset.value))"
    )
    assert cells == pytest.approx([1 - own[c, c] / sizes[c] for c in range(3)])
    signs = marks.evaluate_all("all => all.map((each) => getComputedStyle(each, '::before').content[1])")
    assert signs == ["⚠" if changed else "≈"] * 2


def test_a_file_is_dropped(page: Page) -> None:
    text = file_of(outputs_of(np.array([0, 1]), 3), ["lesion", "normal"], ",")
    page.evaluate(
        """text => {
          const data = new DataTransfer();
          data.items.add(new File([text], "dropped.csv"));
          const event = new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data });
          document.querySelector(".batch h2").dispatchEvent(event);
        }""",
        text,
    )
    expect(page.locator(".batch-said")).to_contain_text("Of the 2 cases in \u2068dropped.csv\u2069")


def test_a_file_without_the_outputs_is_told(page: Page) -> None:
    said = give(page, "normal,scar\n0.2,0.3\n")
    assert said == "new.csv has no column named p; lesion."


def test_every_table_and_chart_is_a_file(page: Page, tmp_path: Path) -> None:
    page.get_by_label("Make as small as possible").select_option("expected_cost")
    tables = page.locator("main table:visible").count()
    buttons = page.get_by_role("button", name="Save the table", exact=False)
    assert buttons.locator("visible=true").count() == tables == 7
    with page.expect_download() as got:
        buttons.and_(page.locator("[aria-label*='Of the cases']")).click()
    rows = list(csv.reader(io.StringIO(Path(got.value.path()).read_text(encoding="utf-8-sig"))))
    index = page.evaluate("multiclassView.state().index")
    assert rows[0] == ["class", *(f"called {name}" for name in CLASSES)]
    matrix = POINTS.confusion[index]
    assert [row[1:] for row in rows[1:-1]] == matrix.astype(str).tolist()
    assert rows[-1][0] == "precision"
    np.testing.assert_allclose([*map(float, rows[-1][1:])], np.diag(matrix) / matrix.sum(axis=0), rtol=1e-11)
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
