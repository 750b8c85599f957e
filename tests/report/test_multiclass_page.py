"""The multi-class page in a real browser: what it shows equals what the library says."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import rochull as rh
from browser import Shows, Tab, opened
from multiclass_report_cases import CLASSES, HOSTILE, made_points, outputs_of
from rochull.multiclass import Cell, CostMatrix, Error, MaxError, MulticlassPoints
from rochull.report import MulticlassReport
from rochull.report.multiclass_facts import _limit
from rochull.uncertainty.bootstrap_intervals import wilson


@pytest.fixture(scope="module")
def points() -> MulticlassPoints:
    return made_points(3, 150)


def state(page: Page) -> dict[str, Any]:
    found = page.evaluate("multiclassView.state()")
    assert isinstance(found, dict)
    return found


def told(limits: list[Any], points: MulticlassPoints) -> Any:
    return [_limit(limit, points, np.zeros(0)) for limit in limits]


def best_of(points: MulticlassPoints, objective: Any, limits: Any) -> float:
    """The least value within limits."""
    return float(points.values(objective)[points.satisfying(limits)].min())


@pytest.mark.short
def test_moving_along_the_points(shows: Shows, points: MulticlassPoints) -> None:
    order = np.argsort(points.errors.max(axis=1), kind="stable").tolist()
    with shows(points) as page:
        slider = page.locator("input[type=range]")
        assert state(page)["index"] == order[0]
        slider.focus()
        for _ in range(3):
            page.keyboard.press("ArrowRight")
        assert state(page)["index"] == order[3]
        page.keyboard.press("End")
        assert state(page)["index"] == order[-1]
        box = slider.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=5)
        page.mouse.up()
        assert 50 < order.index(state(page)["index"]) < 100
        page.get_by_role("button", name="Best rule").click()
        page.get_by_role("button", name="next rule").click()
        p = state(page)["index"]
        assert p == order[1]
        cells = page.locator("table.confusion .cell")
        expect(cells).to_have_count(9)
        assert cells.nth(1).locator('[data-key="count:0:1"]').inner_text() == str(points.confusion[p, 0, 1])
        assert cells.nth(1).locator(".rate").inner_text() == f"{100 * points.rates[p, 0, 1]:.1f}\u00a0%"
        assert (slider.get_attribute("aria-valuetext") or "").startswith("2 of 150: largest error ")


def test_the_projections_select(shows: Shows, points: MulticlassPoints) -> None:
    with shows(points) as page:
        panels = page.locator(".panel svg")
        expect(panels).to_have_count(3)
        panel = panels.nth(1)  # lesion against scar
        panel.focus()
        page.keyboard.press("Home")
        along = np.lexsort((points.errors[:, 2], points.errors[:, 0]))
        assert points.errors[state(page)["index"], 0] == points.errors[along[0], 0]
        page.keyboard.press("ArrowRight")
        assert state(page)["index"] == along[1]
        panel.scroll_into_view_if_needed()
        ring = panel.locator("circle")
        page.evaluate("p => multiclassView.select(p)", 77)
        where = ring.bounding_box()
        page.evaluate("p => multiclassView.select(p)", 0)
        assert where is not None
        page.mouse.click(where["x"] + where["width"] / 2, where["y"] + where["height"] / 2)
        found = state(page)["index"]
        assert np.abs(points.errors[found, [0, 2]] - points.errors[77, [0, 2]]).max() < 0.01


def test_limits_are_set_by_hand(shows: Shows, points: MulticlassPoints) -> None:
    with shows(points) as page:
        first = state(page)["index"]
        cell = page.locator("table.confusion .cell").nth(1)  # lesion called normal
        cell.click()
        assert first in state(page)["remaining"]
        expect(cell).to_be_focused()  # one goes on there; pressed again, it leads to the limit's number
        cell.press("Enter")
        field = page.locator(".limits [type=text]")
        expect(field).to_be_focused()
        page.keyboard.type("12.5")
        limits = [Cell("lesion", "normal") <= 0.125]
        assert state(page)["remaining"] == np.flatnonzero(points.satisfying(limits)).tolist()
        page.keyboard.press("ArrowDown")
        limits = [Cell("lesion", "normal") <= 0.115]
        assert state(page)["remaining"] == np.flatnonzero(points.satisfying(limits)).tolist()
        field.fill("many")
        expect(field).to_have_attribute("aria-invalid", "true")
        assert state(page)["remaining"] == np.flatnonzero(points.satisfying(limits)).tolist()
        page.locator("select[id$=chooser]").select_option(label="error of scar")
        page.get_by_role("button", name="Add a limit").click()
        page.keyboard.type("30")
        limits.append(Error("scar") <= 0.3)
        within = points.satisfying(limits)
        assert state(page)["remaining"] == np.flatnonzero(within).tolist()
        page.get_by_role("button", name="Best rule within the limits").click()
        best = points.at("max_error", limits)
        assert points.errors[state(page)["index"]].max() == best.errors.max()
        rows = page.locator(".list tbody tr")
        expect(rows).to_have_count(min(50, int(within.sum())))
        head = page.locator(".list thead th").nth(4)  # sorted by the error of scar
        for way in ("ascending", "descending"):
            head.get_by_role("button").click()
            expect(head).to_have_attribute("aria-sort", way)
            listed = [int(row.get_attribute("data-point") or -1) for row in rows.all()]
            along = points.errors[listed, 2] * (1 if way == "ascending" else -1)
            assert len(listed) == min(50, int(within.sum()))
            assert (np.diff(along) >= 0).all()
        head.get_by_role("button").click()
        assert rows.first.get_attribute("data-point") == str(state(page)["best"])
        rows.nth(1).locator("button").click()
        assert state(page)["index"] == int(rows.nth(1).get_attribute("data-point") or -1)
        code = page.get_by_label("Python", exact=True).input_value().splitlines()
        again = eval(code[0], {"rh": rh, "points": points})
        assert again.weights.tolist() == best.weights.tolist()
        seen = eval(code[1], {"points": points})
        assert seen.weights.tolist() == points[state(page)["index"]].weights.tolist()
        page.get_by_label("only rules within the limits").check()
        assert page.locator("input[type=range]").get_attribute("max") == str(int(within.sum()) - 1)
        page.get_by_role("button", name="remove the limit: lesion called normal").click()
        limits = [Error("scar") <= 0.3]
        assert state(page)["remaining"] == np.flatnonzero(points.satisfying(limits)).tolist()
        page.locator(".limits select").select_option(">=")
        limits = [Error("scar") >= 0.3]
        assert state(page)["remaining"] == np.flatnonzero(points.satisfying(limits)).tolist()


def test_a_cell_is_held(shows: Shows, points: MulticlassPoints) -> None:
    with shows(points, objective="error") as page:
        first = state(page)["index"]
        page.locator("table.confusion .cell").nth(8).click()  # the error of scar
        bound = 100 * points.errors[first, 2]
        lower = page.get_by_role("button", name="lower the limit: error of scar")

        def follows(limit: float) -> None:
            """The best rule within is seen, and its confusion matrix."""
            found, within = state(page), [Error("scar") <= limit]
            assert found["remaining"] == np.flatnonzero(points.satisfying(within)).tolist()
            assert points.values("error")[found["index"]] == best_of(points, "error", within)
            shown = page.locator('[data-key="count:0:0"]').inner_text()
            assert shown == str(points.confusion[found["index"], 0, 0])

        held = int(np.ceil(bound))
        assert state(page)["index"] == first
        for by in (1, 2, 3):
            lower.click()
            follows((held - by) / 100)
        assert state(page)["index"] != first
        lower.press("Shift+ArrowUp")
        follows((held + 7) / 100)
        page.get_by_role("button", name="raise the limit: error of scar").click()
        follows((held + 8) / 100)
        expect(page.get_by_label("only rules within the limits")).to_be_checked()
        page.locator(".limits [type=text]").fill("1")
        lower.click()
        expect(page.locator(".limits [type=text]")).to_have_value("0.9")  # near 0 in tenths


def test_a_limit_is_switched_off_and_on(shows: Shows, points: MulticlassPoints) -> None:
    limits = [Error("scar") <= 0.3, MaxError() <= 0.5]
    with shows(points, subject_to=limits) as page:
        first, second = page.locator(".limits [type=checkbox]").all()
        first.uncheck()
        assert state(page)["remaining"] == np.flatnonzero(points.satisfying(limits[1:])).tolist()
        assert "Error('scar')" not in state(page)["python"]
        expect(page.locator(".limits [type=text]")).to_have_value("30")
        expect(page.locator("#asked [data-other]")).to_be_visible()
        second.uncheck()
        assert len(state(page)["remaining"]) == len(points)
        expect(page).to_have_url(re.compile(r"&limits=error,2,max,0.3,off:given,1,off&"))
        page.reload()
        first.check()
        assert state(page)["remaining"] == np.flatnonzero(points.satisfying(limits[:1])).tolist()
        expect(page).to_have_url(re.compile(r"&limits=error,2,max,0.3:given,1,off&"))
        page.go_back()  # undoes
        expect(first).not_to_be_checked()
        assert len(state(page)["remaining"]) == len(points)
        page.locator("table.confusion .cell").nth(8).click()
        assert state(page)["remaining"] == np.flatnonzero(points.satisfying(limits[:1])).tolist()


def test_objectives(shows: Shows, points: MulticlassPoints) -> None:
    limits = [Error("lesion") <= 0.45]
    with shows(points, subject_to=limits, objective=Cell("scar", "lesion")) as page:
        kind = page.get_by_label("Make as small as possible")

        def compare(objective: Any) -> None:
            value = best_of(points, objective, limits)
            index = state(page)["best"]
            assert points.values(objective)[index] == pytest.approx(value, abs=1e-12)
            again = eval(
                page.get_by_label("Python", exact=True).input_value().splitlines()[0],
                {"rh": rh, "points": points},
            )
            assert again.weights.tolist() == points.weights[index].tolist()

        compare(Cell("scar", "lesion"))
        for name, objective in {
            "max_error": "max_error",
            "error_rate": "error",
            "mean_error": CostMatrix(1 - np.eye(3), priors=[1, 1, 1]),
            "expected_cost": CostMatrix(1 - np.eye(3)),
        }.items():
            kind.select_option(name)
            compare(objective)
        page.get_by_label("cost of lesion called normal").fill("7.5")
        page.get_by_label("cost of scar called normal").fill("-0.5")
        costs = 1 - np.eye(3)
        costs[0, 1], costs[2, 1] = 7.5, -0.5
        compare(CostMatrix(costs))
        page.get_by_label("prior of scar").fill("nothing")
        compare(CostMatrix(costs))
        for name, prior in zip(CLASSES, ("1", "2", "5"), strict=True):
            page.get_by_label(f"prior of {name}").fill(prior)
        compare(CostMatrix(costs, priors=[1, 2, 5]))
        page.get_by_role("button", name="Shares as in these data").click()
        compare(CostMatrix(costs))


def test_other_limits_can_be_removed(shows: Shows, points: MulticlassPoints) -> None:
    costs = CostMatrix(1 - np.eye(3), priors=[1, 1, 1])
    limits = [MaxError() <= 0.42, costs <= 0.3]
    with shows(points, subject_to=limits) as page:
        assert state(page)["remaining"] == np.flatnonzero(points.satisfying(limits)).tolist()
        page.get_by_role("button", name="remove the limit: largest error").click()
        assert state(page)["remaining"] == np.flatnonzero(points.satisfying(limits[1:])).tolist()
        again = eval(
            page.get_by_label("Python", exact=True).input_value().splitlines()[0],
            {"rh": rh, "points": points},
        )
        assert again.weights.tolist() == points.at("max_error", limits[1:]).weights.tolist()


def test_hostile_labels_stay_text(browser: Browser, tmp_path: Path) -> None:
    points = made_points(4, 40, HOSTILE)
    limits = [
        Error(HOSTILE[0]) <= 0.01,
        Cell(HOSTILE[1], HOSTILE[2]) <= 0.01,
        Error(HOSTILE[3]) <= 0.01,
    ]
    MulticlassReport(points, subject_to=limits, title=HOSTILE[0]).save(tmp_path / "r.html")
    for width, scheme in ((1200, "light"), (360, "dark")):
        options = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
        with opened(browser, tmp_path / "r.html", **options) as page:
            page.get_by_label("Make as small as possible").select_option("expected_cost")
            page.get_by_role("button", name="Closest to the limits").click()
            assert page.locator("#multiclass img, #multiclass b, #multiclass script").count() == 0
            assert page.locator("table.confusion tbody th").all_inner_texts()[0] == HOSTILE[0]
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.locator(":focus").count() == 1


def test_many_classes_choose_their_projections(shows: Shows) -> None:
    points = made_points(6, 60, [f"class {c}" for c in range(6)])
    with shows(points) as page:
        expect(page.locator(".panel svg")).to_have_count(2)
        page.get_by_label("panel 1: class on the x axis").select_option(label="class 5")
        assert "class 5" in (page.locator(".panel svg").first.get_attribute("aria-label") or "")
        assert page.locator("table.confusion .cell").count() == 36


def test_everything_has_a_name(shows: Shows, points: MulticlassPoints) -> None:
    with shows(points, subject_to=[Error("scar") <= 0.3]) as page:
        nameless = page.evaluate(
            """() => [...document.querySelectorAll("#multiclass :is(button, input, select, textarea, svg)")]
            .filter((e) => !(e.getAttribute("aria-label") || e.labels?.length || e.textContent.trim()))
            .map((e) => e.outerHTML)"""
        )
        assert nameless == []
        assert page.locator("#multiclass table:not(:has(caption))").count() == 0
        assert page.locator("[aria-live=polite]").count() == 2
        ids = page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
        assert len(ids) == len(set(ids))


def test_with_limits_it_begins_among_those_that_remain(shows: Shows, points: MulticlassPoints) -> None:
    limit = Error("lesion") <= 0.3
    within = points.satisfying(limit)
    with shows(points, subject_to=limit, objective="error") as page:
        expect(page.get_by_label("only rules within the limits")).to_be_checked()
        expect(page.locator("input[type=range]")).to_have_value("0")
        expect(page.locator(".answer .kept")).to_have_text(
            f"best of {int(within.sum())} rules that keep the limit"
        )
        page.locator(".answer").get_by_text("For experts").click()
        expect(page.locator(".answer details")).to_contain_text(" by error rate; ")
        field = page.locator(".limits [type=text]")
        field.fill("140")
        expect(field).to_have_attribute("aria-invalid", "true")
        assert state(page)["remaining"] == np.flatnonzero(within).tolist()
        page.emulate_media(media="print")
        for control in ("select", "textarea", ".limits [type=text]", ".limits button", ".controls"):
            for found in page.locator(control).all():
                expect(found).to_be_hidden()
        expect(page.locator(".limits .printed")).to_have_text("error of lesion at most 30\u00a0%")
        expect(page.get_by_text("Click, drag")).to_be_hidden()


def test_weights_far_apart_are_shown_by_their_powers(shows: Shows) -> None:
    codes = np.random.default_rng(1).integers(0, 3, 90)
    points = rh.MulticlassRoc(codes, outputs_of(codes, 3)).points_at([1, 2.5e-20, 0.3])
    with shows(points) as page:
        row = page.locator("table.small", has_text="Weights of the classes").locator("tbody tr").nth(1)
        expect(row).to_contain_text("2.5 × 10⁻²⁰")


def test_a_tighter_limit_moves_to_what_remains(shows: Shows, points: MulticlassPoints) -> None:
    limit = Error("scar") <= 0.5
    with shows(points, subject_to=limit) as page:
        page.get_by_role("button", name="next rule").click()
        seen, note = state(page)["index"], page.locator(".breaks")
        error = float(points.errors[seen, 2])
        field = page.locator(".limits [type=text]")
        field.fill(repr(90 * error))
        found = state(page)
        assert found["index"] == found["best"] != seen
        assert points.errors[found["index"], 2] <= 0.9 * error
        expect(note).to_be_hidden()
        field.fill("50")
        assert state(page)["index"] == seen  # what was asked for, as soon as it may be
        never = told([Error("scar") <= 0.0, Error("scar") >= 1.0], points)
        page.evaluate("limits => multiclassView.set({ limits })", never)
        found = state(page)
        assert found["remaining"] == []
        assert found["index"] == found["closest"]
        expect(note).to_contain_text("This rule, which is taken along, breaks ")
        page.evaluate("limits => multiclassView.set({ limits })", told([limit], points))
        page.get_by_label("only rules within the limits").uncheck()
        page.evaluate("p => multiclassView.select(p)", seen)
        field.fill(repr(90 * error))
        assert state(page)["index"] == seen
        expect(note).to_contain_text("breaks a limit: error of scar at most")
        page.get_by_role("button", name="remove the limit").click()
        expect(note).to_be_hidden()


LINKED = (
    "point=7&objective=expected_cost&only=0&limits=error,2,max,0.3:cell,0,1,min,0.05"
    "&costs=0,2,1:1,0,1:1,0.5,0&priors=1,2,3"
)


def test_the_address_holds_the_state(shows: Shows, points: MulticlassPoints, tmp_path: Path) -> None:
    limits = [Error("scar") <= 0.3, Cell("lesion", "normal") >= 0.05]
    costs = CostMatrix([[0, 2, 1], [1, 0, 1], [1, 0.5, 0]], priors=[1, 2, 3])
    uri = (tmp_path / "r.html").as_uri()
    with shows(points, subject_to=MaxError() <= 0.6) as page:
        assert page.evaluate("location.hash") == ""
        page.evaluate("link => { location.hash = link; }", LINKED)
        expect(page.locator('[data-key="point"]')).to_have_text("point 7")
        found = state(page)
        assert found["remaining"] == np.flatnonzero(points.satisfying(limits)).tolist()
        assert points.weights[found["best"]].tolist() == points.at(costs, limits).weights.tolist()
        expect(page.get_by_label("Make as small as possible")).to_have_value("expected_cost")
        page.get_by_role("button", name="next rule").click()
        moved = state(page)
        expect(page).to_have_url(f"{uri}#{LINKED.replace('point=7', 'point=' + str(moved['index']))}")
        page.get_by_role("link", name="Skip to the decision").press("Enter")
        assert page.evaluate("document.activeElement.id") == "multiclass"
        page.reload()
        assert state(page) == moved
        page.evaluate("() => multiclassView.set(multiclassView.model.initial())")
        expect(page).to_have_url(re.compile(r"&limits=given,0&"))
        page.reload()
        assert state(page)["remaining"] == np.flatnonzero(points.satisfying(MaxError() <= 0.6)).tolist()


UNFIT = {
    "point=7": ["point=150", "point=-1", "where=7"],
    "objective=expected_cost": ["objective=toString", "objective=given"],
    "only=0": ["only=yes"],
    "error,2": ["error,3", "__proto__,2"],
    "max,0.3": ["max,1.5", "constructor,0.3", "max,0.3,on", "max,1.3,off"],
    "error,2,max,0.3": ["given,0"],
    "cell,0,1": ["cell,1,1"],
    "0,2,1:": ["0,2:", "0,Infinity,1:", ""],
    "priors=1,2,3": ["priors=0,0,0", "priors=1,-2,3"],
    LINKED: ["<img src=x onerror=alert(1)>"],
}


def test_an_address_that_does_not_fit_is_told(tab: Tab, page_file: Path) -> None:
    assert all(old in LINKED for old in UNFIT)
    links = [LINKED.replace(old, new) for old, every in UNFIT.items() for new in every]
    with tab(page_file) as page:
        found = page.evaluate("links => links.map((link) => multiclassView.model.linked(link))", links)
        assert found == [None] * len(links)
        page.evaluate("multiclassView.select(3)")
        before = state(page)
        for link in links[-2:]:
            page.evaluate("link => { location.hash = link; }", link)
            expect(page.locator("#link-notice")).to_have_text(
                "The link does not fit this report, and is left aside."
            )
            assert page.evaluate("location.hash").startswith("#point=3&objective=max_error&")
            assert state(page) == before
        page.get_by_role("button", name="next rule").click()
        expect(page.locator("#link-notice")).to_be_hidden()


@pytest.fixture(scope="module")
def page_file(points: MulticlassPoints, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "r.html"
    MulticlassReport(points).save(path)
    return path


@pytest.mark.parametrize("locale", ["en-US", "de-DE"])
def test_percentages_are_written_one_way(browser: Browser, page_file: Path, locale: str) -> None:
    with opened(browser, page_file, locale=locale) as page:
        page.get_by_role("button", name="Add a limit").click()
        page.keyboard.type("1")
        text = page.locator("#multiclass").text_content() or ""
        found = re.findall(r"\d([\s\u00a0]*%)", text)
        assert len(found) > 30
        assert set(found) == {"\u00a0%"}
        assert page.locator(".grid-lines text").first.text_content() == "0\u00a0%"


def test_the_report_s_own_condition_is_told_until_it_is_left(shows: Shows, points: MulticlassPoints) -> None:
    about = {"table": "skin.csv", "label": "finding", "date": "2025", "about": "300 <b>patients</b>"}
    with shows(points, subject_to=Error("scar") <= 0.5, about=about) as page:
        said = page.locator("#experts .top")
        expect(said).to_contain_text("300 <b>patients</b> · table skin.csv · label finding · date 2025")
        expect(said).to_contain_text("Measured on 300 past cases: lesion (")
        expect(said).to_contain_text("150 rules tried, each a set of weights")
        own, other = page.locator("#asked [data-own]"), page.locator("#asked [data-other]")
        condition = "largest error of any class as small as possible; error of scar at most 50 %"
        expect(own).to_have_text(f"The report’s condition: {condition}.")
        page.get_by_role("button", name="next rule").click()
        expect(other).to_be_hidden()
        begun = state(page)
        page.locator(".limits [type=text]").fill("40")
        expect(own).to_be_hidden()
        expect(other).to_contain_text(f"You have left the report’s condition ({condition}). ")
        page.get_by_role("button", name="Back to it").click()
        expect(own).to_be_visible()
        assert state(page)["best"] == begun["best"]
        page.locator(".limits [type=text]").fill("45")
        page.get_by_role("button", name="Back to the report’s assumptions").click()
        expect(other).to_be_hidden()


def test_the_baseline_is_marked(shows: Shows, points: MulticlassPoints) -> None:
    roc = rh.MulticlassRoc(
        np.array(CLASSES)[np.arange(60) % 3], outputs_of(np.arange(60) % 3, 3)
    )  # what the largest output decides is known of examples
    largest = roc.confusion([1, 1, 1])[0]
    roc.search("max_error", n_starts=1, random_state=0)
    with shows(roc) as page:
        for i in range(3):
            for j in range(3):
                expect(page.locator(f'[data-key="usual:{i}:{j}"]')).to_have_text(str(largest[i, j]))
        for n, (x, y) in enumerate(((0, 1), (0, 2), (1, 2))):
            diamond = page.locator(".panel svg").nth(n).locator(".usual")
            box = diamond.bounding_box()
            page.evaluate("p => multiclassView.select(p)", 0)
            assert box is not None
            assert box["width"] > 0
            drawn = diamond.evaluate(
                """(e) => { const b = e.getBBox(); return [b.x + b.width / 2, b.y + b.height / 2]; }"""
            )
            wanted = page.evaluate(
                """([n, x, y]) => {
                  const axis = [...document.querySelectorAll(".panel svg")[n].querySelectorAll(".grid-lines text")];
                  const at = (side) => axis.filter((e) => (e.getAttribute("text-anchor") === "middle") === (side === "x"))
                    .map((e) => [parseFloat(e.textContent) / 100, Number(e.getAttribute(side)) - (side === "y" ? 4 : 0)]);
                  const place = (side, value) => {
                    const [first, last] = [at(side)[0], at(side).at(-1)];
                    return first[1] + ((value - first[0]) / (last[0] - first[0])) * (last[1] - first[1]);
                  };
                  return [place("x", x), place("y", y)];
                }""",
                [n, *(float(1 - largest[c, c] / largest[c].sum()) for c in (x, y))],
            )
            assert drawn == pytest.approx(wanted, abs=0.5)
        expect(page.locator('tr[data-baseline="largest"]')).to_contain_text("(baseline)")
        expect(page.get_by_text("the diamond the largest output without weights (baseline)")).to_be_visible()
    with shows(points) as page:  # of which that is not known
        assert page.locator(".usual").count() == page.locator('[data-key^="usual:"]').count() == 0


def test_errors_have_intervals_of_their_own(shows: Shows, points: MulticlassPoints) -> None:
    with shows(points) as page:
        matrix = points.confusion[state(page)["index"]]
        rows = page.locator(".answer tbody tr")
        for c in range(3):
            total = int(matrix[c].sum())
            error = 1 - matrix[c, c] / total
            found = wilson(float(error), total, 0.95)
            ends = "–".join(f"{100 * end:.1f}" for end in (found.low, found.high))
            expect(rows.nth(c).locator("small")).to_have_text(f"{ends}\u00a0%")
            called = int(matrix[:, c].sum())
            found = wilson(float(matrix[c, c] / called), called, 0.95)
            ends = "–".join(f"{100 * end:.1f}" for end in (found.low, found.high))
            expect(page.locator("#layer-sure tbody tr").nth(c).locator("td").nth(1)).to_have_text(
                f"{ends}\u00a0%"
            )
        page.locator(".confusion").get_by_text("precision", exact=True).hover()
        expect(page.locator("#told")).to_contain_text("share of the past cases called a class that are of it")
    with shows(made_points(3, 20, weighted=True)) as page:
        assert page.locator(".answer small").count() == 0


def test_tables_fill_their_place(shows: Shows) -> None:
    with shows(made_points(4, 30, ["bus", "opel", "saab", "grignolino"])) as page:
        page.set_viewport_size({"width": 1440, "height": 900})
        page.get_by_label("Make as small as possible").select_option("expected_cost")
        assert page.locator(".priced").evaluate("e => e.scrollWidth <= e.clientWidth")
        heads = page.locator(".priced th").evaluate_all(
            "all => all.map((e) => e.scrollWidth - e.clientWidth)"
        )
        assert max(heads) <= 0
        wide = page.evaluate(
            "[...document.querySelectorAll('.outcomes, .confusion')].map((e) => e.clientWidth)"
        )
        assert wide[1] >= wide[0] - 8
        page.set_viewport_size({"width": 1280, "height": 720})
    with shows(made_points(10, 30, [f"{c}" for c in range(10)])) as page:
        page.set_viewport_size({"width": 1440, "height": 900})
        matrix = page.locator(".outcomes .many")
        assert matrix.evaluate("e => e.scrollWidth <= e.clientWidth && e.scrollHeight <= e.clientHeight")
        page.set_viewport_size({"width": 1280, "height": 720})
