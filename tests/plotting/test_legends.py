"""Legends lie where nothing is drawn, in the corners or between the curves."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

import rochull as rh

Array = np.ndarray[Any, Any]


def hidden(ax: Any) -> list[str]:
    """The slow way: which lines have a point in the legend, of many along each of their segments."""
    ax.figure.draw_without_rendering()
    box = ax.get_legend().get_window_extent()
    share, found = np.linspace(0, 1, 200)[:, None], []
    for line in ax.lines:
        path = line.get_transform().transform(line.get_xydata())
        if line.get_drawstyle() == "steps-post":
            path = np.repeat(path, 2, axis=0)
            path = np.stack([path[1:, 0], path[:-1, 1]], axis=1)
        for (x0, y0), (x1, y1) in pairwise(path):
            points = np.concatenate([x0 + share * (x1 - x0), y0 + share * (y1 - y0)], axis=1)
            if box.count_contains(points):
                found.append(str(line.get_label()))
                break
    return found


@pytest.fixture
def pairs() -> tuple[Array, Array]:
    """Same and different sources, and log-likelihood-ratios between bounds."""
    rng = np.random.default_rng(2)
    labels = np.repeat([1, 0], [60, 300])
    return labels, np.clip(rng.normal(np.where(labels == 1, 4.0, -4.0), 3.0), -5.7, 6.3).round(1)


@pytest.mark.parametrize("layout", [None, "constrained"])
@pytest.mark.parametrize("base", [np.e, 10])
def test_tippett_hides_no_curve_and_not_the_line_of_no_evidence(
    pairs: tuple[Array, Array], base: float, layout: Any
) -> None:
    ax = Figure(figsize=(5, 4), layout=layout).subplots()
    rh.plotting.TippettDisplay.from_predictions(*pairs, base=base, ax=ax)
    assert hidden(ax) == []


def test_entropies_hide_no_curve_and_not_that_of_the_prior(pairs: tuple[Array, Array]) -> None:
    labels, llr = pairs
    for size, layout in (((4, 3), None), ((5.6, 4.2), "constrained")):
        ax = Figure(figsize=size, layout=layout).subplots()
        rh.plotting.EceDisplay.from_predictions(labels, llr, ax=ax)
        assert hidden(ax) == []
    rh.plotting.EceDisplay.from_predictions(labels, llr / 2, name="half", ax=ax)
    assert hidden(ax) == []


def test_a_legend_stays_within_axes_that_their_neighbours_make_narrower(pairs: tuple[Array, Array]) -> None:
    labels, llr = pairs
    figure = Figure(figsize=(12, 4.4), layout="constrained")
    for ax in figure.subplots(1, 3):
        rh.plotting.SignificanceDisplay.from_predictions(labels, llr, np.arange(llr.size) % 10, ax=ax)
    figure.draw_without_rendering()
    for ax in figure.axes:
        room, own = ax.get_window_extent(), ax.get_legend().get_window_extent()
        assert room.x0 <= own.x0 < own.x1 <= room.x1


def test_a_share_is_not_broken_from_its_sign() -> None:
    from rochull.plotting.legends import _in_lines

    assert _in_lines("selected: TPR 90 %", 16) == "selected: TPR\n90 %"
    assert _in_lines("a_name_of_many_letters", 12) == "a_name_of_ma\nny_letters"


def test_between_curves_a_legend_is_as_near_to_the_wanted_corner_as_it_can_be() -> None:
    from rochull.plotting.legends import legend

    ax = Figure(figsize=(5, 5)).subplots()
    x = np.linspace(0, 1, 50)
    for height in (0.03, 0.5, 0.97):  # each corner is crossed, and so are the centre and the middles
        ax.plot(x, np.full(50, height))
    ax.plot([0.1, 0.9], [0.2, 0.2], alpha=0, label="a curve")
    ax.set(xlim=(0, 1), ylim=(0, 1))
    legend(ax, loc="lower left")
    box = ax.get_legend().get_window_extent().transformed(ax.transAxes.inverted())
    assert 0.03 < box.y0 < box.y1 < 0.2
    assert box.x0 < 0.05


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.floats(0.01, 0.15))
def test_names_beside_ends_are_apart_and_in_the_order_of_the_ends(heights: list[float], gap: float) -> None:
    from rochull.plotting.legends import _spread

    ends = np.array(heights)
    placed = _spread(ends, gap)
    order = np.argsort(ends, kind="stable")
    assert (np.diff(placed[order]) >= gap - 1e-12).all()
    assert placed.max() <= 1 + 1e-12
    if (np.diff(ends[order]) >= gap).all():
        np.testing.assert_allclose(placed, ends)  # what is apart stays where it is


def test_several_decision_curves_are_named_at_their_ends() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 400)
    scores = {
        name: 1 / (1 + np.exp(-scale * rng.normal(labels - 0.5)))
        for name, scale in (("a", 2), ("b", 1), ("c", 3))
    }
    figure = Figure(figsize=(5.6, 4.2), layout="constrained")
    ax = figure.add_subplot()
    display = rh.plotting.DecisionCurveDisplay.from_predictions(labels, scores, ax=ax)
    figure.draw_without_rendering()
    ends = {text.get_text(): text for text in ax.texts}
    shown = [text.get_text() for text in ax.get_legend().get_texts()]
    assert (set(ends), shown) == ({"a", "b", "c"}, ["treat none", "treat all"])
    assert {name: text.get_color() for name, text in ends.items()} == {
        line.get_label(): line.get_color() for line in ax.lines if line.get_label() in ends
    }
    boxes = [text.get_window_extent() for text in ends.values()]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert all(ax.bbox.x1 < box.x0 < box.x1 <= figure.bbox.x1 for box in boxes)
    display.plot(ax, name="again")  # curves no longer end where they did: names go into the legend
    again = [text.get_text() for text in ax.get_legend().get_texts()]
    assert ([*ax.texts], again) == ([], [*shown, "a", "b", "c", "again: a", "again: b", "again: c"])
