"""The benchmarks of the report's page: size, first paint, and frames of a drag in a browser (chromium)."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rochull as rh
from benchmarks.suite import WARM_UP, Benchmark, Setup
from benchmarks.table import Row, at_most, megabytes, seconds

Array = NDArray[Any]

_CLASSIFIERS = 20
_MANY, _MANY_ROWS = 24, 20_000  # the page with most to move
_FRAMES = 30  # of dragging one slider in one view
_OPENED = 9  # times
_SLIDERS = ("ratio", "prevalence", "max_fpr")
_SCORES = ["naive_bayes", "logistic", "knn", "tree", "boosted"]
_FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]

# Moves a slider, and waits until what follows has been drawn: the page works at the next animation frame.
_STEP = """([slider, share]) => new Promise((done) => {
  const input = document.querySelector(`[data-slider="${slider}"] input`);
  if (share !== null) {
    input.value = String(Math.round(Number(input.max) * share));
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
})"""


@cache
def _report(rows: int) -> rh.Report:
    """Twenty classifiers of all qualities, every score of `rows` another one."""
    rng = np.random.default_rng(20261122)
    labels = rng.random(rows) < 0.2
    hybrid = rh.Hybrid()
    for i in range(_CLASSIFIERS):
        spread = 1 + 0.6 * (i % 4) / 3
        score = rng.standard_normal(rows)
        score[labels] = 0.8 + 0.08 * i + spread * score[labels]
        hybrid.add(f"classifier_{i:02d}", labels, score)
    return rh.Report(hybrid, rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.2))


def warm_up(setup: Setup) -> Iterator[Row]:
    """Compile; no rows."""
    _report(10_000)
    yield from ()


def size(setup: Setup) -> Iterator[Row]:
    """The page, and what of it is not facts: code, styles and markup."""
    report = _report(setup.rows)
    text, facts = report.to_html(), report.facts
    page = len(text.encode())
    rest = page - len(text.split(' id="facts">', 1)[1].split("</script>", 1)[0].encode())
    union = len(facts["hybrid"]["fp"])
    corners = [len(c["hull"]["fp"]) for c in facts["classifiers"]]
    curves = [len(c["curve"]["fp"]) if c["curve"] else 0 for c in facts["classifiers"]]
    note = (
        f"{_CLASSIFIERS} classifiers of {setup.rows:.0e} rows; hulls of {min(corners)} to {max(corners)} "
        f"vertices, {union} of the union; curves of {min(curves)} to {max(curves)}"
    )
    yield Row("page, in 6 MB", page / 6e6, at_most(1), ours=megabytes(page), note=note)
    yield Row("code, styles and markup, in 285 kB", rest / 285e3, at_most(1), ours=megabytes(rest))


@contextmanager
def _chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    program = (
        os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-headless-shell")
    )
    if not program:
        raise RuntimeError("no chromium on the PATH")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=_FLAGS)
        yield browser
        browser.close()


def drag(setup: Setup) -> Iterator[Row]:
    """Frames of a drag in each view of three pages: what the main thread computes, whatever else runs."""
    with tempfile.TemporaryDirectory() as folder, _chromium() as browser:
        for name, report in _PAGES.items():
            path = Path(folder, "report.html")
            report().save(path)
            page = browser.new_page(viewport={"width": 1280, "height": 860})
            page.goto(path.as_uri())
            yield from _drag_rows(name, _Meter(page), min(3, setup.repeats))
            page.close()


def first(setup: Setup) -> Iterator[Row]:
    """What the main thread computes until a page is first painted: pages take turns, medians."""
    with tempfile.TemporaryDirectory() as folder, _chromium() as browser:
        paths = {name: Path(folder, f"{i}.html") for i, name in enumerate(_PAGES)}
        for name, report in _PAGES.items():
            report().save(paths[name])
        runs = [{name: _until_painted(browser, path) for name, path in paths.items()} for _ in range(_OPENED)]
    for name in paths:
        yield Row(f"first paint, {name}", float(np.median([run[name] for run in runs])), None, "s")


def _until_painted(browser: Any, path: Path) -> float:
    """Seconds of processor time of all tasks of the main thread that began before the first paint."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    browser.start_tracing(
        page=page, categories=["toplevel", "loading", "disabled-by-default-devtools.timeline"]
    )
    page.goto(path.as_uri())
    page.wait_for_timeout(400)
    began = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    events = json.loads(browser.stop_tracing())["traceEvents"]
    page.close()
    painted = [each for each in events if each["name"] == "firstContentfulPaint"][-1]
    tasks = [each for each in events if all(each[key] == painted[key] for key in ("pid", "tid"))]
    work = [each for each in tasks if each["name"].endswith("RunTask") and each["ph"] == "X"]
    names = {each["name"] for each in work}
    outer = "RunTask" if "RunTask" in names else "ThreadControllerImpl::RunTask"
    begun = (
        each for each in work if each["name"] == outer and -1e3 * began <= each["ts"] - painted["ts"] < 0
    )
    return sum(each.get("tdur", 0) for each in begun) / 1e6


class _Meter:
    """Seconds of the main thread's processor time: scripts, style, layout and paint."""

    def __init__(self, page: Any) -> None:
        self.page, self.inspector = page, page.context.new_cdp_session(page)
        page.evaluate("document.querySelectorAll('details.layer').forEach((row) => { row.open = true; })")
        page.evaluate("document.querySelector('#conditions').scrollIntoView()")
        self.inspector.send("Performance.enable", {"timeDomain": "threadTicks"})

    def views(self) -> list[str]:
        """The names of the page's views."""
        return list(self.page.evaluate("() => rochullReport.views.names.map(({ id }) => id)"))

    def drag(self, view: str) -> Array:
        """A frame at a time, every slider from one side to the other and back."""
        self.page.evaluate("(view) => rochullReport.choose(view)", view)
        self._step(_SLIDERS[0], None)  # what opening a view takes to be painted is no frame of a drag
        places = 0.5 - 0.45 * np.cos(2 * np.pi * np.arange(1, _FRAMES + 1) / _FRAMES)
        return np.array([self._step(slider, share) for slider in _SLIDERS for share in places.tolist()])

    def idle(self) -> float:
        """What a frame takes in which nothing moves: measuring it."""
        return float(np.median([self._step(_SLIDERS[0], None) for _ in range(_FRAMES)]))

    def _step(self, slider: str, share: float | None) -> float:
        before = self._spent()
        self.page.evaluate(_STEP, [slider, share])
        return self._spent() - before

    def _spent(self) -> float:
        found = self.inspector.send("Performance.getMetrics")["metrics"]
        return float(next(each["value"] for each in found if each["name"] == "TaskDuration"))


def _drag_rows(name: str, meter: _Meter, runs: int) -> Iterator[Row]:
    """The slowest view by each of three figures; the note has those of all views."""
    told = {}
    for view in meter.views():
        work = np.concatenate([meter.drag(view) for _ in range(runs)])
        told[view] = (*np.quantile(work, [0.5, 0.95]).tolist(), float(work.max()))
    each = "; ".join(f"{view} {' / '.join(f'{1e3 * value:.1f}' for value in told[view])}" for view in told)
    note = (
        f"median / 95 % / worst in ms of processor time, {runs * len(_SLIDERS)} drags of {_FRAMES} frames: "
        f"{each}. A frame in which nothing moves: {seconds(meter.idle())}"
    )
    for n, (what, bound) in enumerate({"median": 0.016, "95 %": None, "worst": 0.05}.items()):
        slowest = max(told, key=lambda view: told[view][n])
        target = None if bound is None else at_most(bound)
        yield Row(
            f"drag, {name}, {what}", told[slowest][n], target, "s", ours=slowest, note="" if n else note
        )


def _adult() -> rh.Report:
    return rh.Report(_shipped("adult_scores", "income", ">50K"), rh.ExpectedCost(1, 5, 0.24))


def _german() -> rh.Report:
    table = rh.datasets.load("german_credit_scores")
    segments = rh.report.Segmentation(
        table["class"] == "bad", {name: table[name] for name in _SCORES}, {"status": table["checking_status"]}
    )
    hybrid = _shipped("german_credit_scores", "class", "bad")
    return rh.Report(hybrid, rh.ExpectedCost(1, 5, 0.3), segment=segments)


def _shipped(name: str, label: str, positive: str) -> rh.Hybrid:
    table = rh.datasets.load(name, [label, *_SCORES])
    return rh.Hybrid.from_table(table, label=label, scores=_SCORES, pos_label=positive)


def _many() -> rh.Report:
    """Forecasts of all qualities, in segments: every view has a line for each classifier."""
    rng = np.random.default_rng(20261123)
    labels = rng.random(_MANY_ROWS) < 0.2
    segment = rng.integers(0, 6, labels.size)
    scores = {}
    for i in range(_MANY):
        normal = rng.standard_normal(labels.size) + (0.6 + 0.05 * i + 0.1 * segment) * labels - 1
        scores[f"classifier_{i:02d}"] = 1 / (1 + np.exp(-normal))
    hybrid = rh.Hybrid()
    for name, score in scores.items():
        hybrid.add(name, labels, score)
    segments = rh.report.Segmentation(labels, scores, {"segment": segment.astype(str)})
    return rh.Report(hybrid, rh.ExpectedCost(1, 5, 0.2), segment=segments)


_PAGES = {"Adult": _adult, "German credit": _german, f"{_MANY} classifiers": _many}


BENCHMARKS: dict[str, Benchmark] = {WARM_UP: warm_up, "size": size, "first": first, "drag": drag}
