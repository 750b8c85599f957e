"""Many classifiers on the page: what is never needed steps back, what is needed has its name and colour, and a zoom."""

from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import rochull as rh
from browser import Tab, drawn, eventually, until
from rochull.report import Segmentation

COSTS = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3)


@pytest.fixture(scope="module")
def hybrid() -> rh.Hybrid:
    rng = np.random.default_rng(9)
    y, made = rng.integers(0, 2, 1000), rh.Hybrid()
    for i in range(22):
        made.add(f"model {i}", y, rng.normal((0.4 + 0.05 * i) * y))
    return made


@pytest.fixture
def page(tab: Tab, hybrid: rh.Hybrid, tmp_path: Path) -> Iterator[Page]:
    rh.Report(hybrid, COSTS).save(tmp_path / "r.html")
    with tab(tmp_path / "r.html") as shown:
        yield shown


@pytest.mark.short
def test_what_is_never_needed_steps_back(page: Page, hybrid: rh.Hybrid) -> None:
    needed = [name for name in hybrid.hulls if name in hybrid.hull.classifiers]
    never = len(hybrid.hulls) - len(needed)
    assert 2 <= len(needed) < 12
    box = page.locator("#view-roc")
    assert box.locator(".rc-curves .rc-never").count() == never
    assert box.locator(".rc-chart > .rc-legend > .rc-item").all_text_contents() == needed
    fold = box.get_by_text(f"{never} that are never better")
    assert not box.locator("details .rc-item").first.is_visible()
    fold.click()
    expect(box.locator("details .rc-item").first).to_be_visible()
    names = [name.text_content() for name in box.locator(".rc-named").all() if name.is_visible()]
    assert names
    assert set(names) <= set(needed)
    rows = page.locator("#alone-rows tr:visible")
    assert rows.count() == len(needed)
    page.get_by_role("button", name=f"Show the {never} that are never better").click()
    assert rows.count() == len(hybrid.hulls)


def test_edges_of_the_hull_have_their_owners_colour(page: Page, hybrid: rh.Hybrid) -> None:
    owners = [{rule.classifier for rule in rules} for rules in hybrid.hull.owners]
    owners[0] = owners[1]  # flagging nobody is anybody's rule
    owners[-1] = owners[-2]
    names, length = list(hybrid.hulls), np.zeros(6)
    scale = page.evaluate("() => rochullReport.chart.scales.x(1) - rochullReport.chart.scales.x(0)")
    high = page.evaluate("() => rochullReport.chart.scales.y(0) - rochullReport.chart.scales.y(1)")
    steps = np.hypot(np.diff(hybrid.hull.fpr) * scale, np.diff(hybrid.hull.tpr) * high)
    for left, right, step in zip(owners[:-1], owners[1:], steps, strict=True):
        both = [name for name in names if name in left & right]
        if both:
            length[names.index(both[0]) % 6] += step
    drawn = page.locator("#view-roc .rc-owned").evaluate_all(
        "all => all.map((node) => node.getTotalLength())"
    )
    assert drawn == pytest.approx(length, abs=3)


CROSSED = """id => {
    rochullReport.choose(id);
    const chart = document.querySelector(`#view-${id}`), hull = chart.querySelector(".rc-union"), length = hull.getTotalLength();
    const points = Array.from({ length: 2000 }, (_, k) => hull.getPointAtLength((k / 1999) * length));
    const names = [...chart.querySelectorAll(".rc-named:not(.rc-off)")].map((name) => [name.textContent, name.getBBox()]);
    return [names.length, names.filter(([, { x, y, width, height }]) => points.some(
        (point) => point.x > x && point.x < x + width && point.y > y && point.y < y + height)).map(([name]) => name)];
}"""


@pytest.mark.parametrize("view", ["roc", "pr", "det", "gain", "lift"])
def test_names_at_curves_stand_beside_the_hull_and_not_on_it(page: Page, view: str) -> None:
    some, crossed = page.evaluate(CROSSED, view)
    assert some
    assert crossed == []


def test_a_closer_look_stays_around_the_star(page: Page) -> None:
    domain = "() => { const { x, y } = rochullReport.chart.scales; return [x.domain(), y.domain()]; }"
    star = "() => rochullReport.chart.star.getAttribute('transform')"
    before = page.evaluate(star)
    page.get_by_role("button", name="Enlarge the chart").click()
    page.get_by_role("button", name="Enlarge the chart").click()
    (x0, x1), (y0, y1) = page.evaluate(domain)
    assert (x1 - x0, y1 - y0) == pytest.approx((0.25, 0.25))
    assert page.evaluate(star) == before
    box = page.locator("#view-roc .rc-plot").bounding_box() or {}
    page.mouse.move(box["x"] + 300, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] + 200, steps=4)
    page.mouse.up()
    (moved, _), (level, _) = page.evaluate(domain)
    assert (moved > x0, level) == (True, pytest.approx(y0))
    expect(page.locator('#compare-rows tr[data-row="today"]')).to_have_count(0)  # a drag is no click
    page.locator("#view-roc .rc-plot").focus()
    page.keyboard.press("0")
    assert page.evaluate(domain) == [[0, 1], [0, 1]]
    assert page.get_by_role("button", name="Show the whole chart").is_disabled()


SLIDE = """(part) => new Promise((done) => {
  const input = document.querySelector('[data-slider="ratio"] input');
  input.value = String(Math.round(Number(input.max) * part));
  input.dispatchEvent(new Event("input", { bubbles: true }));
  requestAnimationFrame(() => requestAnimationFrame(() =>
    done(document.querySelector('[data-key="regret:0"]').dataset.value)));
})"""


def test_what_is_out_of_sight_waits_while_one_drags(page: Page) -> None:
    first = page.locator('[data-key="regret:0"]')
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    drawn(page)
    before = first.get_attribute("data-value") or ""
    assert page.evaluate(SLIDE, 0.7) == before
    expect(first).not_to_have_attribute("data-value", before)  # when nothing moves
    before = first.get_attribute("data-value") or ""
    page.evaluate(SLIDE, 0.6)
    page.locator('[data-slider="ratio"] input').first.dispatch_event("change")  # it is let go
    drawn(page)
    assert (first.get_attribute("data-value") or "") != before
    page.locator("#alone").scroll_into_view_if_needed()
    expect(page.locator("#alone-title")).to_be_in_viewport()
    parts = cycle([0.8, 0.6])

    def follows() -> bool:
        before = first.get_attribute("data-value") or ""
        return bool(page.evaluate(SLIDE, next(parts)) != before)

    eventually(page, follows)  # as soon as the page knows that it is seen


def test_rows_keep_the_order_that_one_chose(page: Page) -> None:
    """While numbers move they stay, and then they are sorted again: below the rule that all are compared with."""
    page.locator("#compare th", has_text="false alarms").get_by_role("button").click()
    page.locator("#alone th", has_text="positives caught").get_by_role("button").click()
    read = "() => [...document.querySelectorAll('#compare-rows tr')].map((row) => [row.dataset.row, Number(row.cells[6].dataset.value)])"
    before = page.evaluate(read)
    alarms = [count for _, count in before[1:]]
    assert alarms == sorted(alarms)
    moved = page.evaluate(
        f"() => {{ rochullReport.set({{ ...rochullReport.state, goal: 'max_fpr', max_fpr: 0.3, prevalence: 0.9 }}); return ({read})(); }}"
    )
    assert [row for row, _ in moved] == [row for row, _ in before]
    assert moved != before
    page.evaluate("rochullReport.pin({ classifier: 3, threshold: 0.25 })")  # a row that is new
    until(page, "location.hash", "today=0.25:")  # written when the rows are sorted
    found = [count for _, count in page.evaluate(read)]
    assert len(found) == len(before) + 1
    assert found[1:] == sorted(found[1:])
    caught = page.locator("#alone-rows td:nth-child(3)").evaluate_all(
        "all => all.map((td) => Number(td.dataset.value))"
    )
    assert caught == sorted(caught)


@pytest.mark.long
@pytest.mark.parametrize("n", [2_000, 20_000])
@pytest.mark.parametrize("probabilities", [False, True])
def test_the_page_of_24_classifiers_with_segments_is_light(n: int, probabilities: bool) -> None:
    rng = np.random.default_rng(9)
    y, made, shop = rng.integers(0, 2, n), rh.Hybrid(), rng.choice(list("abcdefgh"), n)
    scores = {f"model {i}": rng.normal((0.4 + 0.05 * i) * y) for i in range(24)}
    if probabilities:  # whose counts at hundredths, and calibration, the page holds too
        scores = {name: 1 / (1 + np.exp(-score)) for name, score in scores.items()}
    for name, score in scores.items():
        made.add(name, y, score)
    report = rh.Report(made, COSTS, segment=Segmentation(y, scores, {"shop": shop}, cv=2))
    assert len(report.to_html().encode()) < 700_000


@pytest.mark.long
def test_facts_with_tables_of_new_cases_are_light() -> None:
    rng = np.random.default_rng(9)
    y, made = rng.integers(0, 2, 20_000), rh.Hybrid()
    scores = {f"model {i}": 1 / (1 + np.exp(-rng.normal((0.4 + 0.05 * i) * y))) for i in range(24)}
    for name, score in scores.items():
        made.add(name, y, score)
    page = rh.Report(made, COSTS, need=made.need(COSTS, y, scores, n_folds=2)).to_html()
    start = page.index(">", page.index('id="facts"')) + 1
    assert len(page[start : page.index("</script>", start)].encode()) < 205_000
