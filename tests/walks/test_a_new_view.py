"""A walk: a view of the report's page is one file and one line, and gets its tab, its axes and its place in print."""

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser

import rochull as rh
from browser import opened
from rochull.report import html

PAGE = Path(__file__).parents[2] / "page"
# page/src/view_youden.ts
YOUDEN = """// The height above the line of chance, against the share of cases flagged.
import * as rochullCurves from "./report_curves";
import * as rochullFormat from "./report_format";
import * as rochullPlanes from "./report_planes";
import * as rochullViews from "./report_views";

rochullViews.add(rochullPlanes.view({
  id: "youden", title: "Youden", about: "How far a threshold is above chance.",
  xTitle: "share flagged", yTitle: "recall less false positive rate", chance: "chance", moves: true,
  image: (f, t, p) => [rochullCurves.flagged(f, t, p), t - f],
  all: (f, t, p) => ({ x: rochullPlanes.loop(f, t, p), y: t.map((y, i) => Math.max(0, y - f[i])) }),
  told: (f, t) => [["height", rochullFormat.rate(t - f)]],
}));
"""


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The new file, the one line, and `make page`."""
    copy, built = tmp_path / "page", tmp_path / "built"
    shutil.copytree(PAGE, copy, ignore=shutil.ignore_patterns("node_modules"))
    (copy / "node_modules").symlink_to(PAGE / "node_modules")
    (tmp_path / "src").symlink_to(PAGE.parent / "src")
    (copy / "src/view_youden.ts").write_text(YOUDEN, encoding="utf-8")
    [views], before = (copy / "src").glob("views.*"), 'import "./view_gain";'
    text = views.read_text(encoding="utf-8")
    views.write_text(text.replace(before, f'import "./view_youden";\n{before}'), encoding="utf-8")
    built.mkdir()
    subprocess.run(["node", copy / "build.js", "--into", built], check=True, capture_output=True, timeout=120)
    read = html.resource
    monkeypatch.setattr(
        html, "resource", lambda name: (built / name).read_text("utf-8") if ".bundle." in name else read(name)
    )


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


def test_a_view_that_nobody_registered_is_not_on_the_page() -> None:
    [views] = (PAGE / "src").glob("views.*")
    named = re.findall(r'"\./(view_\w+)"', views.read_text(encoding="utf-8"))
    assert sorted(named) == sorted(path.stem for path in (PAGE / "src").glob("view_*"))
