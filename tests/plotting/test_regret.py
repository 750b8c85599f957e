"""Objects that draw themselves by the one door, and the picture of regrets."""

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import rochull as rh
from display_cases import assert_same_numbers, legend_texts

COSTS = rh.ExpectedCost(1, 5)
ROUGH = rh.ExpectedCost(1, (2, 10))
NAMES = ["boosted", "naive_bayes", "tree"]


@pytest.fixture(scope="module")
def german() -> Any:
    return rh.datasets.load("german_credit_scores")


def hybrid_of(german: Any, curve: bool = True) -> rh.Hybrid:
    return rh.Hybrid.from_table(german, label="class", scores=NAMES, pos_label="bad", curve=curve)


def test_a_hull_draws_itself(german: Any) -> None:
    hull = rh.roc_hull(german["class"], german["boosted"], pos_label="bad")
    display = hull.plot(COSTS, ax=Figure().subplots())
    assert display.point == hull.at(COSTS)
    np.testing.assert_array_equal(display.hull_fpr, hull.fpr)
    assert isinstance(display, rh.plotting.RocHullDisplay)
    raw = rh.RocHull.from_curve(rh.roc_curve(german["class"], german["boosted"], pos_label="bad"))
    assert len(raw.plot(ax=Figure().subplots()).fpr["score"]) > len(raw)  # with the curve that it holds


def test_a_hull_of_several_shows_their_vertices(german: Any) -> None:
    without, whole = hybrid_of(german, curve=False), hybrid_of(german)
    bare = without.hull.plot(COSTS, ax=Figure().subplots())
    assert bare.fpr == {}
    assert set(bare.owners) <= set(legend_texts(bare.ax_))
    drawn = whole.plot(COSTS, ax=Figure().subplots())
    assert bare.owners == drawn.owners
    assert bare.point == drawn.point


def test_regrets_draw_themselves(german: Any) -> None:
    table = hybrid_of(german).regret(ROUGH)
    display = table.plot(ax=Figure().subplots())
    assert display.names == (*NAMES, "one threshold of all", "least worst of all")
    assert display.worst.tolist() == [
        *(table[name].worst for name in NAMES), table.least_worst_single.worst, table.minimax_regret,
    ]  # fmt: skip
    np.testing.assert_array_equal(display.line_.get_xdata(), display.worst)
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == list(display.names)
    scores = {name: german[name] for name in NAMES}
    again = rh.plotting.RegretDisplay.compute(german["class"], scores, ROUGH, pos_label="bad")
    assert_same_numbers(again, display)
