"""Displays of error redistribution: their numbers, and what they look like."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import rochull as rh
from display_cases import (
    CONDITION,
    MODEL,
    SIZE,
    N,
    assert_same_numbers,
    assert_ticks_are_apart,
    compute,
    draw,
    legend_texts,
)
from refusals import refuses
from rochull.plotting import SegmentGainDisplay, SegmentRocDisplay, SegmentThresholdDisplay
from rochull.plotting.segmented import named_conditions

Array = np.ndarray[Any, Any]

NAMES = ["SegmentRocDisplay", "SegmentGainDisplay", "SegmentThresholdDisplay"]
each_display = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module")
def scores(features: Array) -> Array:
    return (features[:, 0] * SIZE + features[:, 1]).round(2)


@each_display
def test_the_legend_of_two_says_everything_once(name: str, labels: Array, scores: Array) -> None:
    first = draw(name, labels, scores, name="one")
    texts = legend_texts(draw(name, labels, scores[::-1], name="two", ax=first.ax_).ax_)
    assert len(set(texts)) == len(texts)


@each_display
def test_the_model_that_is_given_is_not_fitted(name: str, labels: Array, scores: Array) -> None:
    params = MODEL.get_params()
    draw(name, labels, scores)
    assert MODEL.get_params() == params
    assert not hasattr(MODEL, "hull_")


@each_display
def test_columns_of_another_length(name: str, labels: Array, scores: Array) -> None:
    refuses("aux column 'size' has 300 rows, but y_score has 299", draw, name, labels[1:], scores[1:])
    assert plt.get_fignums() == []


@pytest.mark.crossed
@each_display
@pytest.mark.parametrize("size", [(5.5, 4), (9, 6)], ids=str)
def test_nothing_overlaps(name: str, labels: Array, scores: Array, size: tuple[float, float]) -> None:
    figure = Figure(figsize=size, layout="constrained")
    ax = draw(name, labels, scores, ax=figure.subplots()).ax_
    assert_nothing_overlaps(figure, ax)
    # The legend is beside the axes, and in the figure.
    box = ax.get_legend().get_window_extent()
    assert box.x0 >= ax.bbox.x1
    assert box.x1 <= figure.bbox.x1


def assert_nothing_overlaps(figure: Any, ax: Any) -> None:
    FigureCanvasAgg(figure).draw()  # warnings are errors
    assert_ticks_are_apart(ax)


@each_display
def test_weights_of_zero_are_left_out(name: str, labels: Array, scores: Array) -> None:
    weights = np.where(np.arange(N) % 4 == 0, 0.0, 1.0)
    kept = weights > 0
    weighted = compute(name, labels, scores, sample_weight=weights)
    given = {"sample_weight": weights[kept], "aux": {"size": SIZE[kept]}}
    assert_same_numbers(weighted, compute(name, labels[kept], scores[kept], **given))


# --- thresholds --------------------------------------------------------------------------------------------


def test_thresholds_are_those_of_the_model(labels: Array, scores: Array) -> None:
    model = rh.ErrorRedistribution("equal-variance", bins=[2, 3.5], min_bin=5).fit(
        scores, labels, aux={"size": SIZE}
    )
    conditions = [rh.NeymanPearson(0.1), rh.MinimumRecall(0.9)]
    display = compute("SegmentThresholdDisplay", labels, scores, conditions=conditions, redistribution=model)
    assert display.kind == "bins"
    assert display.places.tolist() == [2, 3.5]
    assert list(display.thresholds) == ["FPR ≤ 10 %", "TPR ≥ 90 %"]
    for condition, found in zip(conditions, display.thresholds.values(), strict=True):
        assert found.tolist() == list(model.thresholds(condition).values())[:3]
    assert display.counts == ((labels == 0).sum(), (labels == 1).sum())
    assert display.position.size == N
    display.plot()
    x, y = display.line_.get_data()  # steps
    at = np.searchsorted(x, SIZE, side="right")
    expected = model.thresholds(conditions[0], aux={"size": SIZE})
    inside = (at > 0) & (at < x.size)
    edge = np.isin(SIZE, [2, 3.5])
    np.testing.assert_allclose(np.asarray(y)[at[inside & ~edge]], expected[inside & ~edge])
    twin = SegmentThresholdDisplay.compute(labels, scores, {"size": SIZE}, conditions, redistribution=MODEL)
    assert_same_numbers(display, twin)


def test_numbers_without_bins() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.uniform(1, 5, 2000), rng.integers(0, 2, 2000)
    s = rng.normal(x * y)
    model = rh.ErrorRedistribution("equal-variance", bins="continuous").fit(s, y, aux={"x": x})
    display = SegmentThresholdDisplay.from_predictions(y, s, {"x": x}, CONDITION, redistribution=model)
    assert display.kind == "continuous"
    grid = np.linspace(x.min(), x.max(), 401)
    np.testing.assert_array_equal(display.places, grid)
    expected = model.thresholds(CONDITION, aux={"x": grid})
    np.testing.assert_array_equal(display.thresholds["FPR ≤ 20 %"], expected)
    np.testing.assert_array_equal(display.line_.get_ydata(), expected)


def channels(seed: int = 3, n: int = 900) -> tuple[Array, Array, dict[str, Array]]:
    rng = np.random.default_rng(seed)
    y, k = rng.integers(0, 2, n), rng.integers(0, 4, n)
    channel = np.array(["web", "shop", "telephone", None], object)[k]
    age = rng.integers(20, 60, n).astype(float)
    age[::25] = np.nan
    return y, rng.normal(y * (1 + k)), {"channel": channel, "age": age}


def test_a_strip_for_every_category() -> None:
    y, s, aux = channels()
    own = {"channel": aux["channel"]}
    model = rh.ErrorRedistribution("pav", shrinkage=10).fit(s, y, aux=own)
    display = SegmentThresholdDisplay.from_predictions(
        y, s, own, CONDITION, redistribution=model, max_points=500
    )
    assert display.kind == "category"
    assert display.places.tolist() == ["shop", "telephone", "web", "missing"]
    expected = model.thresholds(CONDITION, aux={"channel": ["shop", "telephone", "web", None]})
    assert display.thresholds["FPR ≤ 20 %"].tolist() == expected.tolist()
    index = {"shop": 0, "telephone": 1, "web": 2, None: 3}
    rows = [index[value] for value in aux["channel"].tolist()]
    assert display.position.tolist() == rows
    x, y_line = (np.asarray(values).reshape(-1, 3)[:, :2] for values in
                 (np.append(values, np.nan) for values in display.line_.get_data()))  # fmt: skip
    np.testing.assert_allclose(x.mean(axis=1), range(4))
    np.testing.assert_array_equal(y_line, np.repeat(expected[:, None], 2, axis=1))
    ticks = [text.get_text() for text in display.ax_.get_xticklabels()]
    assert ticks == ["shop", "telephone", "web", "missing"]


def test_values_never_seen_are_elsewhere() -> None:
    y, s, aux = channels()
    known = aux["channel"] != "web"
    model = rh.ErrorRedistribution("pav", shrinkage=10).fit(
        s[known], y[known], aux={"channel": aux["channel"][known]}
    )
    own = {"channel": aux["channel"]}
    display = SegmentThresholdDisplay.compute(y, s, own, CONDITION, redistribution=model)
    assert display.places.tolist() == ["shop", "telephone", "missing", "elsewhere"]
    assert display.thresholds["FPR ≤ 20 %"][3] == model.thresholds(CONDITION)[None]
    gain = SegmentGainDisplay.compute(y, s, own, CONDITION, redistribution=model)
    assert gain.segments[-1] == "elsewhere"
    assert gain.n_neg[-1] + gain.n_pos[-1] == (~known).sum()


def test_other_columns_are_held() -> None:
    y, s, aux = channels()
    model = rh.ErrorRedistribution("pav", n_bins=2, shrinkage=10, min_bin=5).fit(s, y, aux=aux)
    display = SegmentThresholdDisplay.compute(
        y, s, aux, CONDITION, redistribution=model, feature="age", max_points=500
    )
    names, counts = np.unique([c for c in aux["channel"] if c], return_counts=True)
    assert display.held == {"channel": names[counts.argmax()]}
    edge = float(display.places[0])
    held = [display.held["channel"]] * 3
    grid = {"age": np.array([edge - 1, edge, np.nan]), "channel": np.array(held, object)}
    expected = model.thresholds(CONDITION, aux=grid)
    assert display.thresholds["FPR ≤ 20 %"].tolist() == expected[:2].tolist()
    assert display.beside["FPR ≤ 20 %"] == {"missing": expected[2]}
    assert np.isnan(display.position).sum() == 36
    figure = Figure(figsize=(7, 4), layout="constrained")
    ax = display.plot(figure.subplots()).ax_
    assert_nothing_overlaps(figure, ax)
    assert ax.get_xticklabels()[-1].get_text() == "missing"
    assert held[0] in ax.get_xlabel()
    other = SegmentThresholdDisplay.compute(y, s, aux, CONDITION, redistribution=model)
    assert other.feature == "channel"
    assert other.held == {"age": np.nanmedian(aux["age"])}
    with pytest.raises(ValueError, match="feature='size' is not one of 'channel', 'age'"):
        SegmentThresholdDisplay.compute(y, s, aux, redistribution=model, feature="size")


@pytest.mark.parametrize(("sign", "words"), [(1, "none flagged"), (-1, "all flagged")])
def test_infinite_thresholds_are_at_the_edge(sign: int, words: str) -> None:
    """A segment of negatives alone, or of positives, above or below its only scores."""
    rng = np.random.default_rng(0)
    y, x = rng.integers(0, 2, 400), np.repeat([0.0, 1.0], 200)
    y[200:] = np.where(rng.random(200) < 0.03, sign > 0, sign < 0)
    s = np.where(x == 1, 0.5, rng.normal(y))
    model = rh.ErrorRedistribution("pav", bins=[0.5], min_bin=1, shrinkage=0).fit(s, y, aux={"x": x})
    display = SegmentThresholdDisplay.from_predictions(
        y, s, {"x": x}, rh.ExpectedCost(prevalence=0.5), redistribution=model
    )
    (found,) = display.thresholds.values()
    assert found[1] == sign * np.inf
    assert np.isfinite(found[0])
    low, high = display.ax_.get_ylim()
    drawn = np.asarray(display.line_.get_ydata())
    edge = high if sign > 0 else low
    assert abs(drawn[-1] - edge) < 0.05 * (high - low)
    assert low < drawn[-1] < high
    assert words in legend_texts(display.ax_)


def test_few_numbers_are_spread_and_stay_in_their_bin() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.integers(1, 9, 600), rng.integers(0, 2, 600)
    s = rng.normal(x * y)
    model = rh.ErrorRedistribution("equal-variance", bins=[3, 6]).fit(s, y, aux={"x": x})
    display = SegmentThresholdDisplay.from_predictions(y, s, {"x": x}, CONDITION, redistribution=model)
    assert display.places.tolist() == [3, 6]
    line = np.asarray(display.line_.get_xdata())
    assert sorted(set(line[1:-1].tolist())) == [2.5, 5.5]
    points = np.concatenate([np.asarray(c.get_offsets())[:, 0] for c in display.ax_.collections])
    assert np.abs(points - points.round()).max() <= 0.3
    assert np.unique(points).size == 600


def test_points_are_thinned_in_each_class() -> None:
    rng = np.random.default_rng(1)
    y = (rng.random(5000) < 0.02).astype(int)
    x, s = rng.uniform(size=5000), rng.normal(y)
    model = rh.ErrorRedistribution("equal-variance", bins=[0.5])
    display = SegmentThresholdDisplay.compute(y, s, {"x": x}, CONDITION, redistribution=model, max_points=500)
    assert display.counts == ((y == 0).sum(), y.sum())
    assert display.positive.sum() == y.sum()
    assert (~display.positive).sum() == 500
    rows = {(a, b, c) for a, b, c in zip(x, s, y == 1, strict=True)}
    assert rows >= set(zip(display.position, display.score, display.positive, strict=True))
    texts = legend_texts(display.plot().ax_)
    assert f"negative (500 of {int((y == 0).sum()):,})" in texts
    assert f"positive ({y.sum()})" in texts
    none = SegmentThresholdDisplay.compute(y, s, {"x": x}, CONDITION, redistribution=model, max_points=0)
    assert none.score.size == 0
    none.plot().figure_.draw_without_rendering()


def test_a_table_and_the_default_model() -> None:
    y, s, aux = channels()
    table = pd.DataFrame({"channel": aux["channel"]})
    display = SegmentThresholdDisplay.compute(y, s, table)
    assert list(display.thresholds) == ["FPR ≤ 5 %", "FPR ≤ 20 %", "FPR ≤ 50 %"]
    seg = rh.ErrorRedistribution("pav").fit(s, y, aux=table)
    expected = list(seg.thresholds(rh.NeymanPearson(0.5)).values())
    by_name = dict(zip(seg.segments_, expected, strict=False))
    for place, found in zip(display.places, display.thresholds["FPR ≤ 50 %"], strict=True):
        title = "channel is missing" if place == "missing" else f"channel = {place}"
        assert by_name[title] == found
    with pytest.raises(ValueError, match="redistribution must be an ErrorRedistribution, but is a str"):
        SegmentThresholdDisplay.compute(y, s, table, redistribution="pav")


def test_what_conditions_are_called() -> None:
    assert [c.label for c in (
        rh.MinimumPrecision(0.8, prevalence=0.1), rh.Capacity(fraction=0.25, prevalence=0.1),
        rh.Accuracy(0.3), rh.ExpectedCost(1, 5, prevalence=0.5), rh.Utility(lambda fpr, tpr: tpr - fpr),
    )] == [
        "precision ≥ 80 %", "25 % flagged", "highest accuracy", "costs 1 : 5", "Utility",
    ]  # fmt: skip
    twice = [rh.ExpectedCost(1, 5, prevalence=p) for p in (0.1, 0.2, 0.3)]
    assert list(named_conditions(twice)) == ["costs 1 : 5", "costs 1 : 5 (2)", "costs 1 : 5 (3)"]
    assert named_conditions({"strict": CONDITION}) == {"strict": CONDITION}
    refuses("conditions is empty", named_conditions, [])
    with pytest.raises(rh.ImpreciseConditionError):
        named_conditions(rh.ExpectedCost((1, 2), 5, prevalence=0.5))


# --- comparison --------------------------------------------------------------------------------------------


def test_methods_that_are_fitted_transform_the_scores(labels: Array, scores: Array) -> None:
    aux, half = {"size": SIZE}, np.arange(N) < 150
    model = rh.ErrorRedistribution("equal-variance", bins=[2, 3.5], min_bin=5).fit(
        scores[half], labels[half], aux={"size": SIZE[half]}
    )
    rest, own = ~half, {"size": SIZE[~half]}
    display = SegmentRocDisplay.compute(
        labels[rest], scores[rest], own, {"bent": model, "fixed": scores[rest], "other": -scores[rest]}
    )
    curve = model.curve(labels[rest], scores[rest], aux=own)
    assert display.auc["bent"] == curve.auc()
    np.testing.assert_array_equal(display.fpr["bent"], curve.fpr)
    np.testing.assert_array_equal(display.tpr["bent"], curve.tpr)
    assert display.auc["fixed"] == rh.roc_auc(labels[rest], scores[rest])
    assert display.auc["other"] == pytest.approx(1 - display.auc["fixed"])
    both = rh.union({k: rh.roc_hull(labels[rest], v) for k, v in
                     {"fixed": scores[rest], "other": -scores[rest]}.items()})  # fmt: skip
    np.testing.assert_array_equal(display.hull_fpr, both.fpr)
    assert display.hull_auc == both.auc()
    with pytest.raises(ValueError, match="at least two to compare, but holds 1"):
        SegmentRocDisplay.compute(labels, scores, aux, {"bent": model})
    with pytest.raises(ValueError, match=r"methods\['b'\] has 3 scores, but y_true has 300 labels"):
        SegmentRocDisplay.compute(labels, scores, aux, {"a": scores, "b": [1, 2, 3]})


def test_methods_that_are_not_fitted_judge_no_case_that_they_were_fitted_to() -> None:
    """Noise: PAV without shrinkage finds an area above one half on its own examples, and none on others."""
    rng = np.random.default_rng(0)
    y, s, x = rng.integers(0, 2, 2000), rng.normal(size=2000), rng.integers(0, 40, 2000)
    raw = rh.ErrorRedistribution("pav", bins="category", shrinkage=0, min_bin=1)
    aux = {"x": x}
    assert raw.fit(s, y, aux=aux).hull_.auc() > 0.65
    fresh = rh.ErrorRedistribution(**raw.get_params())
    display = SegmentRocDisplay.compute(y, s, aux, {"bent": fresh, "fixed": s})
    assert abs(display.auc["bent"] - 0.5) < 0.03
    with pytest.warns(UserWarning, match="in 5 folds needs 5 examples of each class, but one class has"):
        SegmentRocDisplay.compute((np.arange(2000) < 3).astype(int), s, aux)


def test_the_inset_is_where_the_first_curve_gains_most() -> None:
    """Example 1 of the paper: bent above the hull of all baselines."""
    rng = np.random.default_rng(0)
    x, y = rng.uniform(1, 5, 4000), rng.integers(0, 2, 4000)
    s, aux = rng.normal(x * y), {"x": x}
    gauss = rh.ErrorRedistribution("equal-variance", n_bins=8)
    models = {name: rh.ErrorRedistribution(name) for name in ("fixed", "constant-fpr", "constant-tpr")}
    display = SegmentRocDisplay.from_predictions(y, s, aux, {"bent": gauss, **models})
    assert display.auc["bent"] > display.hull_auc > max(display.auc[name] for name in models)
    x0, x1, y0, y1 = display.zoom
    every = np.linspace(0, 1, 501)
    tpr = {name: np.interp(every, display.fpr[name], display.tpr[name]) for name in display.fpr}
    best = every[np.argmax(tpr["bent"] - np.max([tpr[name] for name in models], axis=0))]
    assert x0 < best < x1 < x0 + 0.35
    assert 0 < y0 < y1 <= 1.01
    assert display.inset_ is not None
    assert display.inset_.get_xlim() == (x0, x1)
    assert len(display.inset_.lines) == 5
    assert SegmentRocDisplay.from_predictions(
        y, s, aux, {"bent": gauss, **models}, zoom=(0.1, 0.3)
    ).zoom[:2] == (0.1, 0.3)  # fmt: skip
    again = display.plot(hull=False)
    assert len(again.inset_.lines) == 4
    assert len(again.ax_.lines) == 5
    again.figure_.draw_without_rendering()
    # No curve runs through the inset.
    box = again.inset_.get_window_extent()
    for line in again.ax_.lines:
        if "chance" not in str(line.get_label()):
            path = line.get_path().transformed(line.get_transform())
            assert not any(box.contains(*point) for point in path.vertices)


def test_no_inset_where_there_is_nothing_to_see(labels: Array, scores: Array) -> None:
    aux = {"size": SIZE}
    same = SegmentRocDisplay.from_predictions(labels, scores, aux, {"a": scores, "b": scores * 2})
    assert same.zoom is None
    assert same.inset_ is None
    low = SegmentRocDisplay.from_predictions(labels, scores, aux, {"a": -scores, "b": scores}, zoom=(0, 0.5))
    assert low.zoom[:2] == (0, 0.5)
    assert low.inset_ is None  # the curves leave no room for it
    none = SegmentRocDisplay.compute(labels, scores, aux, {"a": scores, "b": -scores}, zoom=None)
    assert none.zoom is None
    for zoom in ("close", 3, (0.3, 0.2), (0.1, 1.5)):
        with pytest.raises(ValueError, match=r"^zoom must "):
            SegmentRocDisplay.compute(labels, scores, aux, {"a": scores, "b": -scores}, zoom=zoom)


def test_the_standard_methods() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.uniform(1, 5, 600), rng.integers(0, 2, 600)
    s = rng.normal(x * y)
    display = SegmentRocDisplay.compute(y, s, {"x": x}, cv=2)
    assert list(display.auc) == ["bent", "fixed", "constant FPR", "constant TPR"]
    assert display.auc["fixed"] == rh.roc_auc(y, s)


# --- gain --------------------------------------------------------------------------------------------------


def test_gains_sum_to_the_difference_of_the_rates(labels: Array, scores: Array) -> None:
    half = np.arange(N) < 150
    weights = np.random.default_rng(0).exponential(size=N)
    model = rh.ErrorRedistribution("equal-variance", bins=[2, 3.5], min_bin=5).fit(
        scores[half], labels[half], aux={"size": SIZE[half]}
    )
    y, s, aux, w = labels[~half], scores[~half], {"size": SIZE[~half]}, weights[~half]
    display = SegmentGainDisplay.compute(
        y, s, aux, CONDITION, redistribution=model, fixed=1.25, sample_weight=w
    )
    assert display.segments == model.segments_
    bent, straight = s >= model.thresholds(CONDITION, aux=aux), s >= 1.25
    for label, found in ((1, display.tpr_gain), (0, display.fpr_spent)):
        own = y == label
        rate = [np.average(called[own], weights=w[own]) for called in (bent, straight)]
        assert found.sum() == pytest.approx(rate[0] - rate[1], abs=1e-12)
        for k, part in enumerate(found):
            inside = own & (model.segment(aux) == k)
            moved = bent[inside].astype(int) - straight[inside]
            assert part == pytest.approx((w[inside] * moved).sum() / w[own].sum(), abs=1e-12)
    assert (display.n_neg + display.n_pos).tolist() == np.bincount(model.segment(aux)).tolist()
    best = rh.RocHull.from_curve(rh.roc_curve(y, s)).at(CONDITION, deterministic=True).rules[0][0].threshold
    plain = SegmentGainDisplay.compute(y, s, aux, CONDITION, redistribution=model)
    given = SegmentGainDisplay.compute(y, s, aux, CONDITION, redistribution=model, fixed=best)
    assert_same_numbers(plain, given)


def test_gains_of_a_rotation_are_held_out() -> None:
    """Noise: on its own examples each segment would gain."""
    rng = np.random.default_rng(0)
    y, s, x = rng.integers(0, 2, 4000), rng.normal(size=4000), rng.integers(0, 40, 4000)
    raw = rh.ErrorRedistribution("pav", bins="category", shrinkage=0, min_bin=1)
    condition = rh.ExpectedCost(1, 1, prevalence=0.5)
    fitted = rh.ErrorRedistribution(**raw.get_params()).fit(s, y, aux={"x": x})
    inside = SegmentGainDisplay.compute(y, s, {"x": x}, condition, redistribution=fitted)
    outside = SegmentGainDisplay.compute(y, s, {"x": x}, condition, redistribution=raw)
    assert inside.tpr_gain.sum() - inside.fpr_spent.sum() > 0.1
    assert abs(outside.tpr_gain.sum() - outside.fpr_spent.sum()) < 0.05
    fixed = SegmentGainDisplay.compute(y, s, {"x": x}, condition, redistribution=raw, fixed=-9.0)
    assert (fixed.tpr_gain <= 0).all()  # all are called positive by it


def test_rows_of_many_segments() -> None:
    rng = np.random.default_rng(0)
    n = 3000
    y, x = rng.integers(0, 2, n), rng.integers(0, 30, n)
    s = rng.normal(y * (1 + x / 10))
    model = rh.ErrorRedistribution("equal-variance", bins="category").fit(s, y, aux={"x": x})
    display = SegmentGainDisplay.from_predictions(y, s, {"x": x}, CONDITION, redistribution=model)
    ticks = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert len(ticks) == 22
    assert ticks[-2].startswith("10 others")
    assert ticks[-1] == f"all\n{int((y == 0).sum()):,} neg., {int(y.sum()):,} pos."
    gain = np.asarray(display.line_.get_xdata())
    assert gain[-1] == pytest.approx(gain[:-1].sum())
    assert gain[-1] == pytest.approx(100 * display.tpr_gain.sum())
    size = np.abs(display.tpr_gain) + np.abs(display.fpr_spent)
    kept = [int(tick.split("\n")[0].removeprefix("x = ")) for tick in ticks[:20]]
    assert sorted(kept) == sorted(np.argsort(-size, kind="stable")[:20].tolist())
    display.figure_.canvas.draw()
    assert_nothing_overlaps(display.figure_, display.ax_)
    assert len(display.plot(most=40).ax_.get_yticklabels()) == 31
    refuses("most must be", display.plot, most=0)


def test_models_without_segments_have_no_gain(labels: Array, scores: Array) -> None:
    model = rh.ErrorRedistribution("equal-variance", bins="continuous")
    refuses("has no segments", compute, "SegmentGainDisplay", labels, scores, redistribution=model)
