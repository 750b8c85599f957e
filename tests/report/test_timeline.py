"""The page on a monitor: a picture, what is known, all looks; names are data."""

import re

import numpy as np

import rochull as rh
from rochull.report.timeline import timeline_page


def _monitor(*, limited=True):
    rng = np.random.default_rng(0)
    y = rng.random(3_000) < 0.2
    policy = rh.Policy.from_hull(rh.roc_hull(y, rng.normal(1.5 * y)))
    condition = rh.Within(rh.ExpectedCost(1, 3, 0.2), [rh.FalsePositiveRate() <= 0.9])
    return rh.Monitor(policy, condition if limited else rh.ExpectedCost(1, 3, 0.2)), rng


def test_each_look_is_a_point_and_a_row():
    monitor, rng = _monitor()
    for day in range(8):
        y = rng.random(400) < (0.2 if day < 3 else 0.5)
        monitor.update(rng.normal(1.5 * y), y, at=f"<b>day {day}")
    page = timeline_page(monitor)
    assert page.index("<svg") < page.index("<h2>Now</h2>") < page.index("<table>")
    lines = re.findall(r'<polyline points="([^"]*)"', page)
    assert [len(line.split()) for line in lines] == [8, 8, 8]
    assert page.count("<tr>") == 9
    assert (
        page.count("<circle") - 1 == sum(len(row["alarms"]) for row in monitor.history) > 0
    )  # and the legend's
    assert max(float(x) for x in re.findall(r'cx="([0-9.]+)"', page)) + 4 < 720  # none is cut off
    assert "<b>" not in page
    assert "&lt;b&gt;day 7" in page
    assert "at most 5 % of monitors" in page
    assert "<script" not in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_a_monitor_that_saw_nothing():
    monitor, _ = _monitor()
    page = timeline_page(monitor)
    assert "There was no look yet." in page
    assert page.count("<tr>") == 1


def test_a_single_look_is_a_level_line_with_one_date():
    monitor, rng = _monitor()
    y = rng.random(400) < 0.2
    page = timeline_page(monitor.update(rng.normal(1.5 * y), y, at="monday"))
    lines = [line.split() for line in re.findall(r'<polyline points="([^"]*)"', page)]
    assert [(len(line), line[0].split(",")[1] == line[1].split(",")[1]) for line in lines] == [(2, True)] * 3
    assert page.count("monday</text>") == 1


def test_what_cannot_be_broken_has_no_line():
    for limited in (True, False):
        monitor, rng = _monitor(limited=limited)
        y = rng.random(400) < 0.2
        page = timeline_page(monitor.update(rng.normal(1.5 * y), y))
        assert page.count("<polyline") == 2 + limited
        assert page.count("a limit is broken") == 2 * limited  # the line's title, and the legend
        assert page.count("<th>limits</th>") == limited
