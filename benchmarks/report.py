"""The benchmarks of the report's page: its size, and what a drag costs in a browser (chromium)."""

from __future__ import annotations

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
from rochull.report import html

Array = NDArray[Any]

_CLASSIFIERS = 20
_CURVES = 10**6  # rows up to which raw curves are kept, which makes the page the heaviest to draw
_FRAMES = 120  # of dragging one slider in one view
_VIEWS = html.VIEWS
_FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]

# Moves a slider once a frame, and adds up what each frame costs: the controls, what the page does at the next
# animation frame, and the style and layout that follow, which asking for a size forces.
_DRAG = """([slider, frames]) => new Promise((done) => {
  const input = document.querySelector(`[data-slider="${slider}"] input`), last = Number(input.max);
  const ask = window.requestAnimationFrame.bind(window);
  const work = [], gaps = [];
  let spent = 0, before = null, at = 0;
  window.requestAnimationFrame = (callback) => ask((now) => {
    const from = performance.now();
    callback(now);
    spent += performance.now() - from;
  });
  const frame = (now) => {
    let from = performance.now();
    document.body.getBoundingClientRect();
    spent += performance.now() - from;
    if (before !== null) { work.push(spent); gaps.push(now - before); }
    before = now;
    if (work.length === frames) { window.requestAnimationFrame = ask; return done({ work, gaps }); }
    at += 1;
    from = performance.now();
    input.value = String(Math.round(last * (0.5 - 0.45 * Math.cos(at / 40))));
    input.dispatchEvent(new Event("input", { bubbles: true }));
    spent = performance.now() - from;
    ask(frame);
  };
  ask(frame);
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
    """The page with the chart library and without, and the facts in it."""
    report = _report(setup.rows)
    page, facts = len(report.to_html().encode()), report.facts
    rest = page - _library()
    union = len(facts["hybrid"]["fp"])
    corners = [len(c["hull"]["fp"]) for c in facts["classifiers"]]
    curves = [len(c["curve"]["fp"]) if c["curve"] else 0 for c in facts["classifiers"]]
    note = (
        f"{_CLASSIFIERS} classifiers of {setup.rows:.0e} rows; hulls of {min(corners)} to {max(corners)} "
        f"vertices, {union} of the union; curves of {min(curves)} to {max(curves)}"
    )
    yield Row("page, in 6 MB", page / 6e6, at_most(1), ours=megabytes(page), note=note)
    yield Row("page without d3, in 1.5 MB", rest / 1.5e6, at_most(1), ours=megabytes(rest))


def _library() -> int:
    from rochull.report.html import _d3

    return len(_d3().encode())


@contextmanager
def _chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    program = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if not program:
        raise RuntimeError("no chromium on the PATH")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=_FLAGS)
        yield browser
        browser.close()


def drag(setup: Setup) -> Iterator[Row]:
    """A frame of a drag in each view, costs and prevalence in turns: script, style and layout."""
    with tempfile.TemporaryDirectory() as folder, _chromium() as browser:
        path = Path(folder, "report.html")
        _report(min(setup.rows, _CURVES)).save(path)
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.goto(path.as_uri())
        for view in _VIEWS:
            page.evaluate("(view) => rochullReport.choose(view)", view)
            runs = [_dragged(page) for _ in range(min(3, setup.repeats))]
            yield from _drag_rows(view, runs)


def _dragged(page: Any) -> dict[str, Array]:
    """Seconds of work in each frame, and from frame to frame, as the two sliders are dragged."""
    found = [page.evaluate(_DRAG, [slider, _FRAMES]) for slider in ("ratio", "prevalence")]
    return {key: np.concatenate([part[key] for part in found]) / 1e3 for key in ("work", "gaps")}


def _drag_rows(view: str, runs: list[dict[str, Array]]) -> Iterator[Row]:
    work, gaps = (np.stack([run[key] for run in runs]) for key in ("work", "gaps"))
    usual = np.median(work, axis=0)  # of each frame: what else the machine does hits one run, not all
    interval = f"{seconds(float(np.median(gaps)))} (median), {seconds(float(gaps.max()))} (longest)"
    note = f"{len(runs)} runs of {usual.size} frames; from frame to frame {interval}"
    yield Row(f"drag, {view}, median", float(np.median(work)), at_most(0.016), "s", note=note)
    worst = f"each frame the median of {len(runs)} runs; the worst of all is {seconds(float(work.max()))}"
    yield Row(f"drag, {view}, worst", float(usual.max()), at_most(0.05), "s", note=worst)


BENCHMARKS: dict[str, Benchmark] = {WARM_UP: warm_up, "size": size, "drag": drag}
