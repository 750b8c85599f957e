"""A walk: a view of the report's page is one file and one line, and gets its tab, its axes and its place in print."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

import rochull as rh
from browser import opened
from rochull.report import html

# report/templates/view_youden.js
YOUDEN = """// The height above the line of chance, against the share of cases flagged.
"use strict";
rochullViews.add(rochullPlanes.view({
  id: "youden", title: "Youden", about: "How far a threshold is above chance.",
  xTitle: "share flagged", yTitle: "recall less false positive rate", chance: "chance", moves: true,
  image: (f, t, p) => [rochullCurves.flagged(f, t, p), t - f],
  all: (f, t, p) => ({ x: rochullPlanes.loop(f, t, p), y: t.map((y, i) => Math.max(0, y - f[i])) }),
  told: (f, t) => [["height", rochullFormat.rate(t - f)]],
}));
"""


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> None:
    """The new file, and the one line: its name among the views."""
    read = html.resource
    monkeypatch.setattr(html, "resource", lambda name: YOUDEN if name == "view_youden.js" else read(name))
    at = html.SCRIPTS.index("view_gain.js")  # SCRIPTS is made of VIEWS, where the line would stand after "pr"
    monkeypatch.setattr(html, "SCRIPTS", (*html.SCRIPTS[:at], "view_youden.js", *html.SCRIPTS[at:]))


def report() -> rh.Report:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    hybrid = rh.Hybrid().add("a", y, y + rng.normal(size=300)).add("b", y, y + rng.normal(size=300))
    return rh.Report(hybrid, rh.ExpectedCost(cost_fn=5, prevalence=0.3))


@pytest.mark.short
def test_a_new_view(added: None, browser: Browser, tmp_path: Path) -> None:
    report().save(tmp_path / "page.html")
    with opened(browser, tmp_path / "page.html") as page:
        tabs = page.locator('[role="tab"]').all_text_contents()
        assert tabs[tabs.index("Gain") - 1] == "Youden"
        page.evaluate("rochullReport.choose('youden')")
        assert page.evaluate("rochullReport.view") == "youden"
        chart = page.locator("#view-youden")
        assert "recall less false positive rate" in (chart.text_content() or "")
        assert chart.locator(".rc-union").count() >= 1
        assert page.get_by_text("How far a threshold is above chance.").count() >= 1


def test_a_view_that_nobody_registered_is_not_on_the_page(tmp_path: Path) -> None:
    text: Any = html.to_html(report().facts)
    assert "youden" not in text.lower().split("<script")[-1]
    assert set(html.SCRIPTS) >= {f"view_{name}.js" for name in html.VIEWS}
    files = {
        path.stem.removeprefix("view_")
        for path in (Path(html.__file__).parent / "templates").glob("view_*.js")
    }
    assert files == set(html.VIEWS)  # a file without its line would never be seen
