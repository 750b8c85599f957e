"""Every display with what it must be given, so that the contract can be stated once for all of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

import rochull as rh

Array = np.ndarray[Any, Any]

N = 300
SIZE = np.random.default_rng(5).uniform(1, 5, N).round(1)
MODEL = rh.ErrorRedistribution("equal-variance", bins=[2, 3.5], min_bin=5)
PAIR = {"bent": MODEL, "fixed": rh.ErrorRedistribution("fixed")}
CONDITION = rh.NeymanPearson(0.2)
COSTS = rh.ExpectedCost(1, 5, prevalence=0.3)
AUX = {"size": SIZE}
FOLDS = np.arange(N) % 5
for given in (SIZE, FOLDS):
    given.flags.writeable = False  # nothing that is given may be modified

# What a display takes besides the labels, and its options. Of several classes: in test_multiclass.py.
TAKES = {
    "ApeDisplay": "llr",
    "BayesErrorDisplay": "llr",
    "EceDisplay": "llr",
    "TippettDisplay": "llr",
    "ReliabilityDisplay": "probability",
    "DecisionCurveDisplay": "probability",
    "ErrorSurfaceDisplay": "outputs",
    "MulticlassConfusionDisplay": "outputs",
    "PairwiseErrorDisplay": "outputs",
    "CascadeDisplay": "columns",
}
CASCADE = rh.Cascade({"cheap": 0, "dear": 0.1}, n_strata=3, shrinkage=50, cv=2)
OPTIONS: dict[str, dict[str, Any]] = {
    "DecisionCurveDisplay": {
        "thresholds": np.arange(1, 20) / 20
    },  # the intervals are not those of repetitions
    "CascadeDisplay": {"condition": COSTS, "cascade": CASCADE},
    "MeanRocDisplay": {"folds": FOLDS},
    "SignificanceDisplay": {"folds": FOLDS},
    "ReliabilityDisplay": {"n_resamples": 40},
    "RocBandDisplay": {"n_resamples": 40},
    "RocDisplay": {"n_resamples": 40},
    "RegretDisplay": {"condition": rh.ExpectedCost(1, (2, 9), prevalence=0.3)},
    "ThresholdSpreadDisplay": {"condition": COSTS, "n_resamples": 40},
    "SegmentRocDisplay": {"aux": AUX, "methods": PAIR},
    "SegmentGainDisplay": {"aux": AUX, "condition": CONDITION, "redistribution": MODEL},
    "SegmentThresholdDisplay": {"aux": AUX, "conditions": CONDITION, "redistribution": MODEL},
}

# The functions of labels and scores whose numbers a display draws, and what of theirs has no place in a picture;
# other displays draw what no function of the library gives.
DRAWN: dict[str, tuple[Any, ...]] = {
    "ApeDisplay": (rh.scoring.ape_curve,),
    "BayesErrorDisplay": (rh.scoring.bayes_error_curve,),
    "EceDisplay": (rh.scoring.ece_curve,),
    "CostCurveDisplay": (rh.scoring.cost_curve,),
    "DecisionCurveDisplay": (rh.decision_curve,),
    "DetDisplay": (rh.roc_curve, rh.roc_hull),
    "GainDisplay": (rh.scoring.cumulative_gain,),
    "PrecisionRecallDisplay": (rh.precision_recall_curve,),
    "ReviewDisplay": (rh.roc_hull,),
    "RocBandDisplay": (rh.roc_band,),
    "RocHullDisplay": (rh.roc_hull,),
    "MeanRocDisplay": (rh.operating_point_average,),
    "SignificanceDisplay": (rh.operating_point_average,),
    "ReliabilityDisplay": (),
    "ThresholdSpreadDisplay": (),
    "TippettDisplay": (),
    "RegretDisplay": (),
    "RocDisplay": (),
    "SegmentRocDisplay": (),
    "SegmentGainDisplay": (),
    "SegmentThresholdDisplay": (),
    "ScoreToLlrDisplay": (),
}
NOT_DRAWN = {"DecisionCurveDisplay": {"y_score"}, "RocBandDisplay": {"fpr", "progress"}}
NOT_DRAWN |= {name: {"measures"} for name in ("MeanRocDisplay", "SignificanceDisplay")}


def takes(name: str) -> str:
    return TAKES.get(name, "y_score")


def display_class(name: str) -> Any:
    return getattr(rh.plotting, name)


def compute(name: str, y: Any, s: Any, /, **options: Any) -> Any:
    return display_class(name).compute(y, s, **{**OPTIONS.get(name, {}), **options})


def draw(name: str, y: Any, s: Any, /, **options: Any) -> Any:
    return display_class(name).from_predictions(y, s, **{**OPTIONS.get(name, {}), **options})


def legend_texts(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def numbers(value: Any) -> dict[str, Any]:
    """All that a display has computed, flat."""
    if isinstance(value, rh.averaging.OperatingPointAverage):
        rates = [f"{rate}_{what}" for rate in ("fpr", "tpr") for what in ("mean", "std", "sem")]
        parts = {name: getattr(value, name) for name in ("thresholds", *rates)}
    elif dataclasses.is_dataclass(value):
        parts = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    elif isinstance(value, dict):
        parts = value
    else:
        return {"": value}
    return {
        f"{key}.{inner}": found
        for key, part in parts.items()
        if key not in {"name", "lines_"}
        for inner, found in numbers(part).items()
    }


def assert_same_numbers(
    ours: Any, theirs: Any, *, without: str | tuple[str, ...] = "-", rtol: float = 0.0
) -> None:
    """Of two displays, by name: arrays and floats up to `rtol`, all else exactly."""
    first, second = (
        {k: v for k, v in numbers(d).items() if not k.startswith(without)} for d in (ours, theirs)
    )
    assert first.keys() == second.keys()
    assert any(isinstance(v, np.ndarray) and v.size > 2 for v in first.values())
    for key, value in first.items():
        if isinstance(value, np.ndarray | float):
            np.testing.assert_allclose(value, second[key], rtol=rtol, atol=rtol, err_msg=key)
        else:
            assert value == second[key]


def examples(name: str) -> tuple[Any, Any]:
    """Labels, and what the display takes."""
    rng = np.random.default_rng(1)
    if takes(name) == "outputs":
        return list("abcabc"), [[5, 1, 2], [1, 6, 2], [1, 2, 4], [3, 4, 1], [2, 3, 3], [2, 4, 3]]
    y = rng.integers(0, 2, N)
    score = (rng.normal(y) * SIZE).round(2)
    if takes(name) == "columns":
        return y, {"cheap": score, "dear": rng.normal(2 * y)}
    return y, 1 / (1 + np.exp(-score)) if takes(name) == "probability" else score


def described(function: Any) -> Mapping[str, str]:
    """The parameters that a docstring describes."""
    from rochull._core.docstrings import entries, sections

    return entries(sections(function.__doc__).get("Parameters", ""))


def assert_ticks_are_apart(ax: Any, least: int = 0) -> None:
    """Of figures that were drawn: level labels of ticks overlap neither each other nor the axis's label."""
    for axis in (ax.xaxis, ax.yaxis):
        limits = np.sort(axis.get_view_interval())
        shown = [t.label1 for t in axis.get_major_ticks() if limits[0] <= t.get_loc() <= limits[1]]
        shown = [label for label in shown if label.get_text() and not label.get_rotation()]
        boxes = [label.get_window_extent() for label in shown]
        assert len(boxes) >= least
        for first, second in pairwise(boxes):
            assert not first.overlaps(second)
        label = axis.label.get_window_extent()
        assert not any(box.overlaps(label) for box in boxes)


def assert_hard_data_are_drawn(name: str, y: Any, values: Any, **options: Any) -> Array:
    """Return where the main line is."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4, 4))
    ax = figure.subplots()
    display = draw(name, y, values, ax=ax, **options)
    FigureCanvasAgg(figure).draw()  # warnings are errors
    low, high = ax.get_ylim()
    assert np.isfinite([*ax.get_xlim(), low, high]).all()
    assert low < high
    x = np.asarray(display.line_.get_xdata(), float)
    assert not np.isnan(x).any()
    return x
