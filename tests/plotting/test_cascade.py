"""The picture of a cascade shows what was computed, and what is in-sample is called so."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

import rochull as rh
from cascade_cases import COST, scored
from display_cases import CASCADE, legend_texts
from refusals import refuses
from rochull.plotting import RocDisplay


def test_it_shows_the_frontier_the_held_out_costs_and_what_is_beside_them() -> None:
    X, y = scored(0, 800)
    display = rh.plotting.CascadeDisplay.from_predictions(y, X, COST, cascade=CASCADE, name="two")
    assert not hasattr(CASCADE, "policy_")
    trial = CASCADE.held_out(X, y, COST, max_calls=list(display.trial.max_calls))
    assert display.trial.cost.tolist() == trial.cost.tolist()
    assert display.frontier.cost.tolist() == CASCADE.fit(X, y).frontier(COST).cost.tolist()
    del CASCADE.policy_
    frontier, held = display.ax_.lines[:2]
    assert frontier.get_xdata().tolist() == display.frontier.calls.tolist()
    assert sorted(held.get_ydata()) == sorted(trial.cost)
    texts = legend_texts(display.ax_)
    assert "two: cascade (in-sample)" in texts
    assert [text.split(" ")[0] for text in texts if text.count("held out:")] == ["cheap", "dear", "all"]
    colours = {line.get_label().split(" ")[0]: line.get_color() for line in display.ax_.lines}
    by_name = RocDisplay.from_predictions(y, X, n_resamples=40)
    assert [colours[name] for name in ("cheap", "dear")] == [
        line.get_color() for line in by_name.ax_.lines if line.get_label().startswith(("cheap", "dear"))
    ]
    both = display.plot(ax=display.ax_, name="again")
    assert len(set(legend_texts(both.ax_))) == len(legend_texts(both.ax_)) == len(texts) + 2
    with pytest.raises(AttributeError, match="use from_predictions"):
        rh.plotting.CascadeDisplay.from_estimator(None, X, y)
    plt.close("all")


def test_what_is_refused_leaves_no_figure() -> None:
    X, y = scored(0, 200)
    draw = rh.plotting.CascadeDisplay.from_predictions
    refuses("no column 'dear'", draw, y, {"cheap": X["cheap"]}, COST, cascade=CASCADE)
    refuses("condition must be an ExpectedCost", draw, y, X, rh.NeymanPearson(0.1), cascade=CASCADE)
    refuses("same length", draw, np.append(y, 1), X, COST, cascade=CASCADE)
    assert plt.get_fignums() == []
