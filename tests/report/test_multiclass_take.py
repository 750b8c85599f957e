"""What is taken along from the multi-class page, and how it looks: files, themes, contrast, frames."""

from __future__ import annotations

import subprocess
from pathlib import Path

import duckdb
import numpy as np
import pytest
from playwright.sync_api import Browser, expect

import rochull as rh
from browser import Shows, opened
from colours import weak
from multiclass_report_cases import HOSTILE, made_points
from rochull.multiclass import MulticlassPoints
from rochull.report import MulticlassReport


@pytest.fixture(scope="module")
def points() -> MulticlassPoints:
    return made_points(3, 60)


def test_downloaded_rules_decide(browser: Browser, points: MulticlassPoints, tmp_path: Path) -> None:
    MulticlassReport(points).save(tmp_path / "r.html")
    with opened(browser, tmp_path / "r.html", accept_downloads=True) as page:
        page.evaluate("multiclassView.select(7)")
        with page.expect_download() as policy:
            page.get_by_role("button", name="Policy (.json)").click()
        with page.expect_download() as sql:
            page.get_by_role("button", name="SQL (.sql)").click()
        policy.value.save_as(tmp_path / "p.json")
        sql.value.save_as(tmp_path / "p.sql")
        page.get_by_label("for", exact=True).select_option("postgres")
        shown = page.get_by_label("SQL expression", exact=True).input_value()
    assert (policy.value.suggested_filename, sql.value.suggested_filename) == (
        "policy-point-7.json",
        "point-7-duckdb.sql",
    )
    loaded = rh.multiclass.MulticlassPolicy.load(tmp_path / "p.json")
    assert loaded.points.weights.tolist() == points.weights[7:8].tolist()
    assert shown == loaded.to_sql(points.weights[7], "postgres")
    outputs = np.random.default_rng(9).dirichlet(np.ones(3), 200)
    frame = dict(zip(loaded.classes, outputs.T, strict=True))
    with duckdb.connect() as connection:
        connection.register("cases", frame)
        text = (tmp_path / "p.sql").read_text(encoding="utf-8")
        found = connection.sql(f"SELECT {text} AS decision FROM cases").fetchnumpy()["decision"]
    assert found.tolist() == loaded.decide(frame, loaded.at()).tolist()


def test_copying(browser: Browser, points: MulticlassPoints, tmp_path: Path) -> None:
    report = MulticlassReport(points, command=["rochull", "multiclass", "it's.csv", "--label", "a b"])
    report.save(tmp_path / "r.html")
    with opened(browser, tmp_path / "r.html", permissions=["clipboard-read", "clipboard-write"]) as page:
        for name in ("Command line", "Python", "SQL expression"):
            page.get_by_role("button", name=f"Copy: {name}").click()
            expect(page.locator(".copied")).to_have_text(f"Copied: {name}.")
            copied = page.evaluate("navigator.clipboard.readText()")
            assert copied == page.get_by_label(name, exact=True).input_value()
        command = page.get_by_label("Command line", exact=True).input_value()
    words = subprocess.run(
        ["sh", "-c", f'for word in {command}; do echo "$word"; done'],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    assert words[:7] == [*report.facts["command"], "--minimise", "max-error"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out(browser: Browser, points: MulticlassPoints, tmp_path: Path, scheme: str) -> None:
    limits = [rh.multiclass.Error("scar") <= 0.1, rh.multiclass.Cell("lesion", "normal") <= 0.3]
    costs = rh.multiclass.CostMatrix(1 - np.eye(3))
    MulticlassReport(points, subject_to=limits, objective=costs).save(tmp_path / "r.html")
    with opened(browser, tmp_path / "r.html", color_scheme=scheme) as page:
        page.locator(".limits [type=text]").first.fill("none")
        for index in (0, 20, 40):
            page.evaluate("p => multiclassView.select(p)", index)
            assert weak(page) == []


def test_the_theme_is_chosen_and_kept(browser: Browser, points: MulticlassPoints, tmp_path: Path) -> None:
    MulticlassReport(points).save(tmp_path / "r.html")
    colour = "getComputedStyle(document.body).backgroundColor"
    with opened(browser, tmp_path / "r.html", color_scheme="light") as page:
        assert page.evaluate(colour) == "rgb(255, 255, 255)"
        page.get_by_role("button", name="Dark theme").click()
        dark = page.evaluate(colour)
        assert dark != "rgb(255, 255, 255)"
        expect(page.get_by_role("button", name="Light theme")).to_be_visible()
        page.emulate_media(media="print")
        assert page.evaluate(colour) == "rgb(255, 255, 255)"
        expect(page.locator("#theme")).to_be_hidden()
    with opened(browser, tmp_path / "r.html", color_scheme="dark") as page:
        assert page.evaluate(colour) == dark
        page.get_by_role("button", name="Light theme").click()
        assert page.evaluate(colour) == "rgb(255, 255, 255)"


def test_wrong_numbers_are_told_in_words(shows: Shows, points: MulticlassPoints) -> None:
    costs = rh.multiclass.CostMatrix(1 - np.eye(3))
    with shows(points, subject_to=rh.multiclass.Error("scar") <= 0.3, objective=costs) as page:
        field = page.get_by_label("error of scar, limit in per cent")
        field.fill("140")
        expect(field).to_have_accessible_description("A limit is a share from 0\u00a0% to 100\u00a0%.")
        field.fill("30 %")
        expect(field).to_have_attribute("aria-invalid", "false")
        prior = page.get_by_label("prior of scar")
        prior.fill("-1")
        expect(prior).to_have_accessible_description(
            "The prior of scar must be a number, 0 or more, and not all priors 0."
        )
        page.get_by_label("cost of scar called normal").fill("2,5")
        assert page.evaluate("multiclassView.state().python").startswith(
            "points.at(minimise=rh.multiclass.CostMatrix([[0, 1, 1], [1, 0, 1], [1, 2.5, 0]])"
        )


def test_in_a_notebook_s_frame(browser: Browser, tmp_path: Path) -> None:
    frame = MulticlassReport(made_points(4, 30, HOSTILE), title=HOSTILE[0]).interactive()._repr_html_()
    (tmp_path / "notebook.html").write_text(f"<!DOCTYPE html><title>x</title>{frame}", encoding="utf-8")
    with opened(browser, tmp_path / "notebook.html", viewport={"width": 800, "height": 900}) as page:
        inside = page.frame_locator("iframe")
        expect(inside.locator("table.confusion .cell")).to_have_count(16)
        inside.get_by_role("button", name="Dark theme").click()
        with page.expect_download() as policy:
            inside.get_by_role("button", name="Policy (.json)").click()
        policy.value.save_as(tmp_path / "p.json")
    assert rh.multiclass.MulticlassPolicy.load(tmp_path / "p.json").classes == tuple(HOSTILE)
