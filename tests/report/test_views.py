"""The charts of a report, in a real browser: drawn where a slow twin says, and saying what the facts say."""

import json
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from scipy.stats import norm

import report_cases as cases
import rochull as rh
from browser import opened
from colours import contrast, weak
from engine import PARTS
from rochull.report import Segmentation, html
from rochull.report.packing import packed

VIEWS = ("roc", "cost", "pr", "gain", "lift", "det")
PLANES = tuple(view for view in VIEWS if view != "cost")
MAIN = """const facts = rochullFacts.read();
const model = rochullModel.create(facts);
model.allow();
const views = rochullViews.create(model, facts), charts = {}, chosen = [];
views.onselect = (vertex) => chosen.push(vertex);
for (const { id } of views.names) {
  const box = document.createElement("div");
  box.id = id;
  document.body.append(box);
  charts[id] = views.mount(box, id);
}
function move(more) {
  const state = { ...model.initial(), ...more }, result = model.evaluate(state);
  for (const chart of Object.values(charts)) chart.update(state, result);
  return result;
}
move({});
"""
HOSTILE = ["<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", "\"'&amp;", "ארז", "x" * 200]
Opens = Callable[..., AbstractContextManager[Page]]


def page_of(facts: dict[str, Any]) -> str:
    """Return a page of all views and nothing else, under the policy of the real one."""
    script, style = PARTS + MAIN, html.resource("report.bundle.css")
    policy = html._policy(script, style)
    meta = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    meta += f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
    data = f'<script type="application/json" id="facts">{html._embedded(packed(facts))}</script>'
    return f'<!DOCTYPE html><html lang="en">{meta}<style>{style}</style><body>{data}<script>{script}</script>'


def hostile() -> rh.Hybrid:
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 300)
    hybrid = rh.Hybrid()
    for i, name in enumerate(HOSTILE):
        hybrid.add(name, y, rng.normal((1 + 0.1 * i) * y))
    return hybrid


def twenty() -> rh.Hybrid:
    rng = np.random.default_rng(9)
    y = rng.integers(0, 2, 2000)
    hybrid = rh.Hybrid()
    for i in range(20):
        hybrid.add(f"model {i}", y, rng.normal(0.1 * i * y))
    return hybrid


def german() -> rh.Hybrid:
    return cases.shipped("german_credit_scores", "class", "bad")


CONDITION = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3)
HYBRIDS = {
    "german": german, "tiny": cases.tiny, "twenty": twenty, "hostile": hostile, "weighted": cases.weighted,
    "rates": cases.rates_only, "alone": cases.alone,
}  # fmt: skip


def sure_facts() -> dict[str, Any]:
    """Return facts with bands, folds and segments."""
    table = rh.datasets.load("german_credit_scores")
    y, scores = table["class"] == "bad", {name: table[name] for name in cases.SCORES}
    return rh.Report(
        german(),
        CONDITION,
        uncertainty=rh.report.Uncertainty(y, scores, n_resamples=60, folds=table["fold"]),
        segment=Segmentation(y, scores, {"status": table["checking_status"]}),
    ).facts


@pytest.fixture(scope="module")
def opens(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Opens:
    """Return a function that opens the charts of a named hybrid; the facts are made once."""
    directory, made = tmp_path_factory.mktemp("views"), dict[str, Path]()

    def open_page(name: str, **options: Any) -> AbstractContextManager[Page]:
        if name not in made:
            facts = sure_facts() if name == "sure" else rh.Report(HYBRIDS[name](), CONDITION).facts
            made[name] = directory / f"{name}.html"
            made[name].write_text(page_of(json.loads(json.dumps(facts))), encoding="utf-8")
        return opened(browser, made[name], **options)

    return open_page


# --- twins -------------------------------------------------------------------------------------------------


def mapped(view: str, fpr: Any, tpr: Any, p: float) -> tuple[Any, Any]:
    """Return where rates are in a view."""
    fpr, tpr = np.asarray(fpr, float), np.asarray(tpr, float)
    called = p * tpr + (1 - p) * fpr
    with np.errstate(invalid="ignore", divide="ignore"):
        match view:
            case "roc":
                return fpr, tpr
            case "pr":
                return tpr, p * tpr / called
            case "gain":
                return called, tpr
            case "lift":
                return called, tpr / called
    return norm.ppf(fpr), norm.isf(tpr)


def scales(page: Page, view: str) -> dict[str, list[float]]:
    found = page.evaluate(
        "id => { const { x, y } = charts[id].scales;"
        " return { x: [...x.domain(), ...x.range()], y: [...y.domain(), ...y.range()] }; }",
        view,
    )
    assert isinstance(found, dict)
    return found


def pixels(scale: dict[str, list[float]], u: Any, v: Any, slack: float = 0.0) -> tuple[Any, Any]:
    """Return the pixels of a place, or those of the frame's edge (and `slack` beyond)."""
    found = []
    for axis, value in (("x", u), ("y", v)):
        d0, d1, r0, r1 = scale[axis]
        pixel = r0 + (np.asarray(value) - d0) / (d1 - d0) * (r1 - r0)
        found.append(np.clip(pixel, min(r0, r1) - slack, max(r0, r1) + slack))
    return found[0], found[1]


def place_of(node: Locator) -> tuple[float, float]:
    found = re.fullmatch(r"translate\((.*),(.*)\)", node.get_attribute("transform") or "")
    assert found is not None
    return float(found[1]), float(found[2])


def points_of(node: Locator) -> np.ndarray[Any, Any]:
    """Return the corners of a path (n, 2)."""
    return np.array(re.findall(r"[ML](-?[\d.]+),(-?[\d.]+)", node.get_attribute("d") or ""), float)


def distance(points: Any, line: Any) -> float:
    """Return how far the farthest of the points is from a polyline."""
    if not len(points):
        return 0.0
    start, step = line[:-1], np.diff(line, axis=0)
    length = np.maximum((step**2).sum(axis=1), 1e-12)
    share = np.clip(((points[:, None] - start) * step).sum(axis=2) / length, 0, 1)
    near = start + share[..., None] * step
    return float(np.sqrt(((points[:, None] - near) ** 2).sum(axis=2)).min(axis=1).max())


def within(scale: dict[str, list[float]], points: Any) -> Any:
    """Return which points are inside of the frame."""
    (x0, x1), (y0, y1) = sorted(scale["x"][2:]), sorted(scale["y"][2:])
    return (points[:, 0] >= x0) & (points[:, 0] <= x1) & (points[:, 1] >= y0) & (points[:, 1] <= y1)


def dense(curve: Any) -> tuple[Any, Any]:
    """Return many points along straight pieces in the ROC plane, closest near the borders of the square."""
    fpr, tpr = np.asarray(curve[0]), np.asarray(curve[1])
    share = norm.cdf(np.linspace(-4.5, 4.5, 3 + 2000 // len(fpr)))
    x, y = (np.append(v[:-1, None] + share * np.diff(v)[:, None], v[-1]) for v in (fpr, tpr))
    return x, y


# --- what is drawn -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.short] if name == "german" else []) for name in HYBRIDS]
)
def test_every_view_draws_every_classifier(opens: Opens, name: str) -> None:
    with opens(name) as page:
        n = page.evaluate("facts.classifiers.length")
        for view in VIEWS:
            box = page.locator(f"#{view}")
            drawn = box.locator(".rc-curves path").evaluate_all("all => all.map((p) => p.getTotalLength())")
            assert len(drawn) == n
            assert min(drawn) > 50
            assert len(points_of(box.locator(".rc-hull .rc-union").first)) >= 2
            looks = box.locator(".rc-curves path").evaluate_all(
                "all => all.map((p) => p.getAttribute('class'))"
            )
            assert len(set(looks)) == n
            assert sorted(box.locator(".rc-item").all_text_contents()) == sorted(page.evaluate("model.names"))


@pytest.mark.parametrize("name", ["german", "tiny", "rates"])
@pytest.mark.parametrize("p", [0.3, 0.001])
def test_lines_are_where_the_twin_says(opens: Opens, name: str, p: float) -> None:
    """Every drawn corner is near the mapped curve, and every point of the curve near what is drawn."""
    hybrid = HYBRIDS[name]()
    with opens(name) as page:
        page.evaluate("p => move({ prevalence: p })", p)
        hulls = {i: hybrid.curves.get(key, hull) for i, (key, hull) in enumerate(hybrid.hulls.items())}
        for view in PLANES:
            scale, box = scales(page, view), page.locator(f"#{view}")
            lines = [(box.locator(".rc-curves path").nth(i), curve) for i, curve in hulls.items()]
            for node, curve in [*lines, (box.locator(".rc-hull .rc-union"), hybrid.hull)]:
                u, v = mapped(view, *dense((curve.fpr, curve.tpr)), p)
                known = ~np.isnan(v)
                truth = np.stack(pixels(scale, u[known], v[known], slack=20), axis=1)
                drawn = points_of(node)
                assert distance(drawn[within(scale, drawn)], truth) < 0.6, view
                some = truth[within(scale, truth)]
                assert distance(some[:: 1 + len(some) // 800], drawn) < 0.6, view


STATES = [
    {}, {"cost_fn": 50}, {"cost_fn": 0.2, "prevalence": 0.05}, {"goal": "max_fpr", "max_fpr": 0.123},
    {"goal": "min_recall", "min_recall": 0.5}, {"goal": "min_precision", "min_precision": 0.6},
    {"goal": "capacity", "fraction": 0.01}, {"goal": "max_fpr", "max_fpr": 0},
    {"goal": "min_recall", "min_recall": 1},
]  # fmt: skip


@pytest.mark.parametrize("name", ["german", "rates"])
def test_the_star_is_at_the_chosen_point(opens: Opens, name: str) -> None:
    hybrid = HYBRIDS[name]()
    with opens(name) as page:
        for more in STATES:
            state = page.evaluate("more => { move(more); return { ...model.initial(), ...more }; }", more)
            point, p = hybrid.at(cases.condition_of(state)), state["prevalence"]
            of_cost = p * state["cost_fn"] / (p * state["cost_fn"] + (1 - p) * state["cost_fp"])
            for view in VIEWS:
                u, v = mapped(view, point.fpr, point.tpr, p)
                if view == "cost":
                    u, v = of_cost, (1 - of_cost) * point.fpr + of_cost * (1 - point.tpr)
                wanted = pixels(scales(page, view), u, v)
                assert place_of(page.locator(f"#{view} .rc-top .rc-star")) == pytest.approx(
                    wanted, abs=0.02
                ), view
            single = page.locator("#roc .rc-top .rc-single")
            assert single.is_visible() == (len(point.rules) > 1)
            assert (page.locator("#roc path.rc-ends:not(.rc-sample *)").get_attribute("d") != "") == (
                len(point.rules) > 1
            )


def test_the_line_of_a_condition(opens: Opens) -> None:
    with opens("german") as page:
        for more in STATES[3:7]:
            result = page.evaluate("more => move(more)", more)
            d0, d1, r0, r1 = scales(page, "roc")["x"]
            f = (points_of(page.locator("#roc .rc-condition .rc-line").first)[:, 0] - r0) / (r1 - r0)
            e0, e1, s0, s1 = scales(page, "roc")["y"]
            t = (points_of(page.locator("#roc .rc-condition .rc-line").first)[:, 1] - s0) / (s1 - s0)
            assert [d0, d1, e0, e1] == [0, 1, 0, 1]
            line = result["line"]
            assert line["a"] * t + line["b"] * f == pytest.approx(np.full(len(t), line["c"]), abs=2e-3)
        page.evaluate('move({ goal: "min_precision", min_precision: 0.6 })')
        level = points_of(page.locator("#pr .rc-condition .rc-line").first)[:, 1]
        assert level == pytest.approx(np.full(len(level), pixels(scales(page, "pr"), 0, 0.6)[1]), abs=0.2)
        page.evaluate('move({ goal: "min_precision", min_precision: 0.99999 })')
        assert not page.locator("#roc .rc-top .rc-star").is_visible() or page.evaluate(
            'move({ goal: "min_precision", min_precision: 0.99999 }).feasible'
        )


def test_a_range_is_lit(opens: Opens) -> None:
    hybrid = german()
    with opens("german") as page:
        result = page.evaluate("move({ cost_fn: [2, 20], prevalence: [0.1, 0.4] })")
        first, last = result["span"]
        for view in PLANES:
            box = page.locator(f"#{view}")
            lit, scale = points_of(box.locator(".rc-condition .rc-span")), scales(page, view)
            corners = hybrid.hull.fpr[[first, last]], hybrid.hull.tpr[[first, last]]
            ends = pixels(scale, *mapped(view, *corners, 0.25), slack=20)
            assert lit[[0, -1]] == pytest.approx(np.stack(ends, axis=1), abs=0.1)
            assert box.locator(".rc-condition .rc-line").evaluate_all(
                "all => all.every((p) => p.getTotalLength() > 50)"
            )
            assert box.locator(".rc-wedge").get_attribute("d")
        strip, scale = page.locator("#cost .rc-condition .rc-strip"), scales(page, "cost")
        low, high = (pixels(scale, x, 0)[0] for x in result["probability_cost"])
        assert float(strip.get_attribute("x") or 0) == pytest.approx(low)
        assert float(strip.get_attribute("width") or 0) == pytest.approx(high - low)
        expect(page.locator("#cost .rc-condition .rc-span")).not_to_have_attribute("d", "")
        page.evaluate("move({})")
        expect(strip).to_be_hidden()
        for view in VIEWS:
            expect(page.locator(f"#{view} .rc-condition .rc-span")).to_have_attribute("d", "")


def test_cost_curves_are_the_lower_envelope(opens: Opens) -> None:
    """Against the lowest of all lines, place by place."""
    hybrid, places = german(), np.linspace(0, 1, 201)[:, None]
    with opens("german") as page:
        scale = scales(page, "cost")
        nodes = [page.locator("#cost .rc-curves path").nth(i) for i in range(len(hybrid.hulls))]
        for node, hull in zip(
            [*nodes, page.locator("#cost .rc-hull .rc-union")],
            [*hybrid.hulls.values(), hybrid.hull],
            strict=True,
        ):
            cost = ((1 - places) * hull.fpr + places * (1 - hull.tpr)).min(axis=1)
            truth = np.stack(pixels(scale, places[:, 0], cost), axis=1)
            assert distance(truth, points_of(node)) < 0.5


def test_what_is_uncertain_belongs_to_the_reports_condition(opens: Opens) -> None:
    with opens("sure") as page:
        crosses = [page.locator(f"#{view} .rc-top .rc-cross") for view in VIEWS]
        for view in PLANES:
            expect(page.locator(f"#{view} .rc-below .rc-band")).not_to_have_attribute("d", "")
        # Where nearly nobody is called, the band's upper edge is all positives: it is level up to there.
        band = points_of(page.locator("#pr .rc-below .rc-band").first)
        highest = "({ fpr, high }) => Math.max(...high.filter((_, i) => fpr[i] === 0))"
        edge = page.evaluate(f"({highest})(facts.uncertainty.bootstrap.bands[0])")
        assert edge > 0
        top = [pixels(scales(page, "pr"), x, 1) for x in np.linspace(0.01, edge, 20)]
        assert distance(np.array(top), band) < 1.5
        assert page.locator("#roc .rc-star ~ .rc-cross").count() == 1  # drawn above the star
        for cross in crosses:
            expect(cross).to_be_visible()
        bar = page.evaluate("facts.uncertainty.bootstrap.chosen.normalised_cost")
        low, high = (pixels(scales(page, "cost"), 0, bar[end])[1] for end in ("low", "high"))
        box = crosses[1].evaluate("(p) => { const b = p.getBBox(); return [b.y + b.height, b.y]; }")
        assert box == pytest.approx([low, high], abs=0.1)
        page.evaluate("move({ cost_fn: 6 })")
        for cross in crosses:
            expect(cross).to_be_hidden()
        page.evaluate("move({ max_fpr: 0.3 })")  # a number of another goal changes nothing
        expect(crosses[0]).to_be_visible()


# --- names, legend, looks ----------------------------------------------------------------------------------


def test_a_hostile_name_is_text(opens: Opens) -> None:
    with opens("hostile", viewport={"width": 360, "height": 700}) as page:
        assert page.locator("img").count() == 0
        assert page.locator("#roc .rc-item").all_inner_texts() == HOSTILE
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        plot = page.locator("#roc .rc-plot")
        plot.focus()
        page.keyboard.press("Home")
        page.keyboard.press("ArrowRight")
        told = page.evaluate("facts.hybrid.owners[1][0].classifier")
        assert told in page.locator("#roc .rc-tip").inner_text()


def test_the_legend_shows_and_hides_everywhere(opens: Opens) -> None:
    with opens("sure") as page:
        button = page.locator("#roc .rc-item").first
        expect(button).to_have_attribute("aria-pressed", "true")
        button.focus()
        expect(page.locator("#roc .rc-curves path").first).to_have_class(re.compile("rc-lit"))
        page.keyboard.press("Enter")
        for view in VIEWS:
            expect(page.locator(f"#{view} .rc-curves path").first).to_be_hidden()
            expect(page.locator(f"#{view} .rc-curves path").nth(1)).to_be_visible()
            expect(page.locator(f"#{view} .rc-item").first).to_have_attribute("aria-pressed", "false")
        page.evaluate("move({ prevalence: 0.2 })")
        page.locator("#pr .rc-item").first.click()
        expect(page.locator("#pr .rc-curves path").first).to_be_visible()
        fresh = page.locator("#pr .rc-curves path").first.get_attribute("d")
        page.evaluate("charts.pr.resize()")
        assert page.locator("#pr .rc-curves path").first.get_attribute("d") == fresh


def hexed(colour: str) -> str:
    return "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", colour)[:3])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_lines_and_texts_can_be_seen(opens: Opens, scheme: str) -> None:
    with opens("twenty", color_scheme=scheme) as page:
        ground = hexed(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        strokes = "all => all.map((p) => getComputedStyle(p).stroke)"
        lines = page.locator(
            "#roc .rc-curves path, #roc .rc-hull .rc-union, #roc .rc-below path"
        ).evaluate_all(strokes)
        assert min(contrast(hexed(line), ground) for line in lines) >= 3
        sizes = page.locator("svg text").evaluate_all(
            "all => all.map((t) => parseFloat(getComputedStyle(t).fontSize))"
        )
        assert min(sizes) >= 12
        assert weak(page) == []


@pytest.mark.parametrize("width", [360, 1200])
def test_texts_of_the_axes_do_not_overlap(opens: Opens, width: int) -> None:
    with opens("german", viewport={"width": width, "height": 700}) as page:
        for view in VIEWS:
            boxes = page.locator(f"#{view} svg text").evaluate_all(
                "all => all.filter((t) => t.textContent).map((t) => { const b = t.getBoundingClientRect();"
                " return [b.left, b.top + 2, b.right, b.bottom - 2]; })"
            )
            left, right = min(b[0] for b in boxes), max(b[2] for b in boxes)
            assert left >= -0.5
            assert right <= width
            for i, a in enumerate(boxes):
                for b in boxes[:i]:
                    assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1], (view, a, b)


def test_a_chart_follows_its_width_and_can_go(opens: Opens) -> None:
    with opens("german", viewport={"width": 900, "height": 700}) as page:
        drawing = page.locator("#roc .rc-drawing").first
        before = drawing.get_attribute("width")
        page.set_viewport_size({"width": 500, "height": 700})
        expect(drawing).not_to_have_attribute("width", before or "")
        expect(drawing).to_have_attribute("width", str(page.evaluate("charts.roc.element.clientWidth")))
        star = page.locator("#roc .rc-top .rc-star")
        x = place_of(star)[0]
        assert x == pytest.approx(
            page.evaluate("charts.roc.scales.x(model.evaluate(model.initial()).chosen.fpr)"), abs=0.02
        )
        page.evaluate("charts.roc.destroy()")
        assert page.locator("#roc > *").count() == 0
        page.locator("#pr .rc-item").first.click()  # the others live on
        page.evaluate("{ const hidden = document.createElement('div'); hidden.hidden = true;"
                      " document.body.append(hidden); const chart = views.mount(hidden, 'roc');"
                      " const state = model.initial();"
                      " chart.update(state, model.evaluate(state)); }")  # fmt: skip


# --- what a point says -------------------------------------------------------------------------------------


def shown(page: Page, view: str) -> dict[str, Any]:
    tip = page.locator(f"#{view} .rc-tip")
    expect(tip).to_be_visible()
    return {"text": tip.inner_text()} | tip.evaluate("(tip) => ({ ...tip.dataset })")


def hover(page: Page, view: str, x: float, y: float) -> None:
    box = page.locator(f"#{view} .rc-plot").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + x, box["y"] + y)


@pytest.mark.parametrize("view", VIEWS)
def test_hovering_says_what_the_facts_say(opens: Opens, view: str) -> None:
    hybrid = german()
    with opens("german", viewport={"width": 900, "height": 900}) as page:
        page.locator(f"#{view} .rc-plot").scroll_into_view_if_needed()
        vertices = range(2, len(hybrid.hull) - 1, 3)
        for v in vertices:
            fpr, tpr = hybrid.hull.fpr[v], hybrid.hull.tpr[v]
            place = mapped(view, fpr, tpr, 0.3)
            if view == "cost":
                x = page.evaluate(
                    "v => { const { x } = model.costCurve(model.union); return (x[v] + x[v + 1]) / 2; }", v
                )
                place = x, (1 - x) * fpr + x * (1 - tpr)
            hover(page, view, *(float(pixel) for pixel in pixels(scales(page, view), *place)))
            found = shown(page, view)
            rule = hybrid.hull.owners[v][0]
            assert found["vertex"] == str(v)
            assert found["classifier"] == "-1"
            assert float(found["threshold"]) == rule.threshold
            assert [found["fp"], found["tp"]] == [str(hybrid.hull.fp[v]), str(hybrid.hull.tp[v])]
            counts = {"TP": hybrid.hull.tp[v], "FP": hybrid.hull.fp[v]}
            counts |= {"FN": 300 - hybrid.hull.tp[v], "TN": 700 - hybrid.hull.fp[v]}
            for label, count in counts.items():
                assert f"{label} {count}" in found["text"]
            interval = rh.rate_interval(int(hybrid.hull.fp[v]), 700, "wilson")
            told = page.evaluate("ends => rochullFormat.rates(ends)", [interval.low, interval.high])
            assert f"95\u00a0%: {told}" in found["text"]
        page.mouse.move(0, 0)
        expect(page.locator(f"#{view} .rc-tip")).to_be_hidden()


def test_a_classifiers_own_hull(opens: Opens) -> None:
    hybrid = german()
    hull = hybrid.hulls["tree"]
    with opens("german") as page:
        for name in ("naive_bayes", "logistic", "knn", "boosted"):
            page.locator("#roc .rc-item", has_text=name).click()
        v = len(hull) // 2
        page.locator("#roc .rc-plot").scroll_into_view_if_needed()
        hover(page, "roc", *(float(x) for x in pixels(scales(page, "roc"), hull.fpr[v], hull.tpr[v])))
        found = shown(page, "roc")
        assert found["classifier"] == str(list(hybrid.hulls).index("tree"))
        assert float(found["threshold"]) == hull.thresholds[v]
        assert [found["fp"], found["tp"]] == [str(hull.fp[v]), str(hull.tp[v])]
        expect(page.locator("#roc .rc-own")).not_to_have_attribute("d", "")


@pytest.mark.parametrize("name", ["weighted", "rates"])
def test_no_interval_without_counts(opens: Opens, name: str) -> None:
    with opens(name) as page:
        page.locator("#roc .rc-plot").focus()
        page.keyboard.press("Home")
        for _ in range(2):
            page.keyboard.press("ArrowRight")
            text = shown(page, "roc")["text"]
            assert "95\u00a0%" not in text
            assert ("FN" in text) == (name == "weighted")
            assert ("in weight" if name == "weighted" else "given as rates") in text


@pytest.mark.parametrize("view", VIEWS)
def test_the_arrow_keys_step_along_the_hull(opens: Opens, view: str) -> None:
    hull = german().hull
    with opens("german") as page:
        plot, tip, live = (page.locator(f"#{view} {part}") for part in (".rc-plot", ".rc-tip", ".rc-unseen"))
        plot.focus()
        page.keyboard.press("ArrowRight")
        start = page.evaluate("model.evaluate(model.initial()).chosen.left")
        assert shown(page, view)["vertex"] == str(start)
        for key, wanted in (
            ("ArrowRight", start + 1), ("ArrowLeft", start), ("ArrowDown", start - 1), ("Home", 0),
            ("ArrowLeft", 0), ("PageUp", 10), ("End", len(hull) - 1), ("ArrowUp", len(hull) - 1),
            ("PageDown", len(hull) - 11),
        ):  # fmt: skip
            page.keyboard.press(key)
            assert shown(page, view)["vertex"] == str(wanted)
        said = live.inner_text()
        assert "Best of all" in said
        assert str(hull.owners[-11][0].classifier) in said
        assert page.evaluate("chosen") == []
        page.keyboard.press("Enter")
        assert page.evaluate("chosen") == [len(hull) - 11]
        page.keyboard.press("Escape")
        expect(tip).to_be_hidden()
        assert live.inner_text() == ""
        page.keyboard.press("End")
        page.keyboard.press("Tab")
        expect(tip).to_be_hidden()


def test_a_click_selects_a_vertex_of_the_union(opens: Opens) -> None:
    hull = german().hull
    with opens("german", viewport={"width": 900, "height": 900}) as page:
        x, y = (float(p) for p in pixels(scales(page, "roc"), hull.fpr[5], hull.tpr[5]))
        hover(page, "roc", x, y)
        page.mouse.down()
        page.mouse.up()
        assert page.evaluate("chosen") == [5]


@pytest.mark.parametrize("view", ["roc", "cost"])
def test_a_press_that_moves_is_no_click(opens: Opens, view: str) -> None:
    """A mouse that is pressed beside a vertex and let go on it, and a finger."""
    hull = german().hull
    with opens("german", viewport={"width": 900, "height": 900}) as page:
        page.locator(f"#{view} .rc-plot").scroll_into_view_if_needed()
        spot = (
            "([id, f, t]) => charts[id].pixel(...(id === 'cost' ? [0.6, 0.4 * f + 0.6 * (1 - t)] : [f, t]))"
        )
        v = int(np.argmin(0.4 * hull.fpr + 0.6 * (1 - hull.tpr)))  # in cost space the cheapest at 0.6
        x, y = page.evaluate(spot, [view, float(hull.fpr[v]), float(hull.tpr[v])])
        hover(page, view, x + 90, y + 60)
        page.mouse.down()
        hover(page, view, x, y)
        page.mouse.up()
        assert page.evaluate("chosen") == []
        box: Any = page.locator(f"#{view} .rc-plot").bounding_box()
        page.locator(f"#{view} .rc-plot").evaluate(
            """(plot, [x, y]) => {
              for (const [type, aside] of [["pointerdown", 40], ["pointermove", 0], ["pointerup", 0], ["click", 0], ["click", 0]]) {
                plot.dispatchEvent(new PointerEvent(type, { clientX: x + aside, clientY: y, buttons: 1, pointerType: "touch", bubbles: true }));
              }
            }""",
            [box["x"] + x, box["y"] + y],
        )
        assert page.evaluate("chosen") == []
        hover(page, view, x, y)
        page.mouse.down()
        hover(page, view, x + 2, y)  # a hand trembles
        page.mouse.up()
        assert page.evaluate("chosen") == [v]


def test_the_readers_rule_is_marked_where_it_has_a_place(opens: Opens) -> None:
    table = rh.datasets.load("german_credit_scores")
    bad, flagged = np.asarray(table["class"] == "bad"), np.asarray(table["naive_bayes"]).astype(float) >= 0.5
    f, t = flagged[~bad].mean(), flagged[bad].mean()
    at = 1.5 / (1.5 + 0.7)  # where five times a prevalence of 0.3 lies between both errors
    places = {
        "roc": (f, t), "cost": (at, (1 - at) * f + at * (1 - t)), "thresholds": (0.5, 0.7 * f + 1.5 * (1 - t)),
        "decision": (1 / 6, 0.3 * t - 0.7 * f / 5),
    }  # fmt: skip
    with opens("german") as page:
        for view in places:
            assert not page.locator(f"#{view} .rc-today").is_visible(), view
        i = page.evaluate("model.names.indexOf('naive_bayes')")
        page.evaluate("i => { views.pinned = () => ({ classifier: i, threshold: 0.5 }); move({}); }", i)
        for view, spot in places.items():
            square, scale = page.locator(f"#{view} .rc-today"), scales(page, view)
            expect(square).to_be_visible()
            wanted = [float(x) for x in pixels(scale, *spot)]
            assert place_of(square) == pytest.approx(wanted, abs=0.1), view
            words = page.locator(f"#{view} .rc-named", has_text="your current rule").text_content()
            assert words == f"your current rule{' ↑' if spot[1] > scale['y'][1] else ''}"
        page.locator("#thresholds .rc-item", has_text="naive_bayes").click()
        for view, is_seen in (("thresholds", False), ("decision", False), ("roc", True)):
            assert page.locator(f"#{view} .rc-today").is_visible() == is_seen
        page.evaluate("move({ cost_fn: [2, 20] })")  # at a range of costs it has no one place there
        for view in ("cost", "decision"):
            expect(page.locator(f"#{view} .rc-today")).to_be_hidden()


@pytest.mark.parametrize("view", ["thresholds", "decision", "calibration"])
def test_charts_of_lines_can_be_enlarged(opens: Opens, view: str) -> None:
    domain = "id => { const { x, y } = charts[id].scales; return [...x.domain(), ...y.domain()]; }"
    with opens("german", viewport={"width": 900, "height": 900}) as page:
        box = page.locator(f"#{view}")
        whole = page.evaluate(domain, view)
        box.get_by_role("button", name="Enlarge the chart").click()
        box.locator(".rc-plot").focus()
        page.keyboard.press("+")
        x0, x1, y0, y1 = page.evaluate(domain, view)
        assert (x1 - x0, y1 - y0) == pytest.approx([(b - a) / 4 for a, b in (whole[:2], whole[2:])])
        if view != "calibration":  # where there is a star, it is enlarged
            expect(box.locator(".rc-top .rc-star")).to_be_visible()
        hover(page, view, 400, 200)
        page.mouse.down()
        hover(page, view, 340, 200)
        page.mouse.up()
        assert page.evaluate(domain, view)[0] > x0
        page.keyboard.press("ArrowRight")  # the keys step along what is seen
        ring: Any = box.locator(".rc-ring").bounding_box()
        frame: Any = box.locator(".rc-plot").bounding_box()
        assert frame["x"] < ring["x"] < frame["x"] + frame["width"]
        page.keyboard.press("0")
        assert page.evaluate(domain, view) == whole


def test_a_reader_who_scrolls_has_left_the_point(opens: Opens) -> None:
    """A scroll that was over before the mouse moved is told late, and hides nothing."""
    hull = german().hull
    with opens("german", viewport={"width": 900, "height": 900}) as page:
        hover(page, "roc", *(float(p) for p in pixels(scales(page, "roc"), hull.fpr[5], hull.tpr[5])))
        assert shown(page, "roc")["vertex"] == "5"
        page.evaluate("window.dispatchEvent(new Event('scroll'))")
        assert shown(page, "roc")["vertex"] == "5"
        page.evaluate("window.scrollBy(0, 40)")
        expect(page.locator("#roc .rc-tip")).to_be_hidden()


def test_the_tip_stays_in_the_window(opens: Opens) -> None:
    with opens("hostile", viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True) as page:
        for view in VIEWS:
            page.locator(f"#{view} .rc-plot").scroll_into_view_if_needed()
            page.locator(f"#{view} .rc-plot").focus()
            for key in ("Home", "ArrowRight", "PageUp", "PageUp", "End"):
                page.keyboard.press(key)
                box = page.locator(f"#{view} .rc-tip").bounding_box()
                assert box is not None
                assert box["x"] >= 0
                assert box["y"] >= 0
                assert box["x"] + box["width"] <= 360
                assert box["y"] + box["height"] <= 640


def test_a_tap_shows_and_does_not_select(opens: Opens) -> None:
    hull = german().hull
    with opens("german", viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True) as page:
        box = page.locator("#roc .rc-plot").bounding_box()
        assert box is not None
        x, y = (float(p) for p in pixels(scales(page, "roc"), hull.fpr[6], hull.tpr[6]))
        page.touchscreen.tap(box["x"] + x, box["y"] + y)
        assert shown(page, "roc")["vertex"] == "6"
        assert page.evaluate("chosen") == []
        page.touchscreen.tap(box["x"] + x, box["y"] + y)  # what is shown, a second tap chooses
        assert page.evaluate("chosen") == [6]


# --- the other charts --------------------------------------------------------------------------------------

OTHERS = """() => {
  const box = (id) => {
    const made = document.createElement("div");
    made.id = id;
    document.body.append(made);
    return made;
  };
  charts.bent = views.bent(box("bent"));
  charts.blocks = views.calibration(box("blocks"), 0);
  const state = model.initial();
  charts.bent.update(state, model.segments.evaluate(state));
}"""


def test_straight_and_bent_curves(opens: Opens) -> None:
    with opens("sure") as page:
        page.evaluate(OTHERS)
        box = page.locator("#bent")
        assert box.locator(".rc-curves path").count() == 3
        found = page.evaluate("model.segments.evaluate(model.initial())")
        for name, mark in (("straight", ".rc-star"), ("chosen", ".rc-other")):
            wanted = pixels(scales(page, "bent"), found[name]["fpr"], found[name]["tpr"])
            assert place_of(box.locator(f".rc-top {mark}")) == pytest.approx(wanted, abs=0.02)
        held, facts = box.locator(".rc-top .rc-heldpoints"), page.evaluate("facts.segments.points.held_out")
        for i, name in enumerate(("straight", "bent")):
            expect(held.nth(i)).to_be_visible()
            wanted = pixels(scales(page, "bent"), facts[name]["fpr"], facts[name]["tpr"])
            assert place_of(held.nth(i)) == pytest.approx(wanted, abs=0.02)
        for i, kind in enumerate(("straight", "bent", "held_out")):
            curve = page.evaluate("kind => facts.segments.curves[kind]", kind)
            truth = np.stack(pixels(scales(page, "bent"), curve["fpr"], curve["tpr"]), axis=1)
            assert distance(truth, points_of(box.locator(".rc-curves path").nth(i))) < 0.5
        page.evaluate(
            "{ const s = { ...model.initial(), cost_fn: 9 };"
            " charts.bent.update(s, model.segments.evaluate(s)); }"
        )
        for i in range(2):
            expect(held.nth(i)).to_be_hidden()
        page.evaluate("charts.bent.update({ ...model.initial(), cost_fn: [2, 9] }, null)")
        expect(box.locator(".rc-top .rc-star")).to_be_hidden()
        box.locator(".rc-plot").focus()
        page.keyboard.press("End")
        assert "100" in box.locator(".rc-tip").inner_text()
        page.evaluate("charts.bent.destroy()")
        assert box.locator("*").count() == 0


def test_calibration_draws_every_block(opens: Opens) -> None:
    hybrid = german()
    blocks = hybrid.hulls["naive_bayes"].blocks
    assert blocks is not None
    with opens("sure") as page:
        page.evaluate(OTHERS)
        box, scale = page.locator("#blocks"), scales(page, "blocks")
        centres = box.locator("circle.rc-block").evaluate_all(
            "all => all.map((c) => [Number(c.getAttribute('cx')), Number(c.getAttribute('cy'))])"
        )
        middle = (blocks.low + blocks.high) / 2
        wanted = np.stack(pixels(scale, middle, blocks.posterior), axis=1)[::-1]
        assert np.array(centres) == pytest.approx(wanted, abs=0.06)
        box.locator(".rc-plot").focus()
        page.keyboard.press("Home")
        tip = box.locator(".rc-tip")
        size = int(blocks.pos[-1] + blocks.neg[-1])
        assert f"{int(blocks.pos[-1])} of {size}" in tip.inner_text()
        assert tip.get_attribute("data-block") == str(len(blocks.pos) - 1)


def test_infinite_scores_are_drawn_at_the_edge(opens: Opens) -> None:
    with opens("alone") as page:
        page.evaluate("{ const box = document.createElement('div'); box.id = 'blocks';"
                      " document.body.append(box); charts.blocks = views.calibration(box, 0); }")  # fmt: skip
        numbers = page.locator("#blocks circle.rc-block").evaluate_all(
            "all => all.flatMap((c) => ['cx', 'cy', 'r'].map((name) => Number(c.getAttribute(name))))"
        )
        assert np.isfinite(numbers).all()
        assert "NaN" not in (page.locator("#blocks .rc-steps").get_attribute("d") or "NaN")
        page.locator("#blocks .rc-plot").focus()
        page.keyboard.press("End")
        assert "∞" in page.locator("#blocks .rc-tip").inner_text()
