"""The numbers of the displays, and what is drawn of them, against their definitions."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from scipy.special import expit, ndtr
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import det_curve

import adversaries
import rochull as rh
import twins
from refusals import refuses
from rochull._core import threads
from rochull.plotting import (
    CostCurveDisplay,
    DetDisplay,
    EceDisplay,
    ReliabilityDisplay,
    RocHullDisplay,
    ScoreToLlrDisplay,
    TippettDisplay,
    consistency,
    score_to_llr,
)
from rochull.plotting.base import COLOURS, is_curve, percent, style

Array = np.ndarray[Any, Any]


def axes() -> Any:
    return Figure().subplots()


def texts_in(legend: Any) -> list[str]:
    return [text.get_text() for text in legend.get_texts()]


@pytest.mark.parametrize(
    ("share", "digits", "said"),
    [
        (1.0, 2, "100 %"), (1, 3, "100 %"), (0.0, 3, "0 %"), (1 / 3, 2, "33 %"), (0.22149, 3, "22.1 %"),
        (0.9, 6, "90 %"), (1e-5, 3, "0.001 %"), (1.23456e-6, 3, "0.000123 %"), (1e-9, 3, "< 0.0001 %"),
        (0.9996, 3, "99.96 %"), (0.99996, 2, "99.996 %"), (0.999, 2, "99.9 %"),
    ],
)  # fmt: skip
def test_per_cent_has_no_exponent_and_only_all_is_all(share: float, digits: int, said: str) -> None:
    assert percent(share, digits) == said


# --- DET ---------------------------------------------------------------------------------------


@given(adversaries.examples(max_size=60))
def test_det_is_the_curve_and_the_hull(case: tuple[Array, Array, Array | None]) -> None:
    y_true, y_score, weights = case
    display = DetDisplay.compute(y_true, y_score, sample_weight=weights)
    points = twins.curve_of(y_true, y_score, weights)
    n_neg, n_pos = points[-1]
    expected = [(float(x / n_neg), float(1 - y / n_pos)) for x, y in points]
    kept = list(zip(display.fpr.tolist(), display.fnr.tolist(), strict=True))
    assert kept[0] == (0.0, 1.0)
    assert kept[-1] == (1.0, 0.0)
    for point in kept:
        assert np.abs(np.array(expected) - point).max(axis=1).min() < 1e-12
    if weights is None:
        hull = [(float(x / n_neg), float((n_pos - y) / n_pos)) for x, y in twins.hull_of(points)]
        assert list(zip(display.hull_fpr, display.hull_fnr, strict=True)) == hull


def test_det_and_reliability_agree_with_scikit_learn() -> None:
    rng = np.random.default_rng(5)
    probability = rng.random(120).round(2)
    y_true = rng.random(120) < probability
    fpr, fnr, _ = det_curve(y_true, probability)
    display = DetDisplay.compute(y_true, probability)
    inside = (display.fpr > fpr.min()) & (display.fpr < 1) & (display.fnr > 0) & (display.fnr < 1)
    theirs = np.column_stack([fpr, fnr])
    for point in np.column_stack([display.fpr, display.fnr])[inside]:
        assert np.abs(theirs - point).max(axis=1).min() < 1e-12
    isotonic = IsotonicRegression().fit(probability, y_true)
    curve = ReliabilityDisplay.compute(y_true, probability, n_resamples=0)
    between = np.linspace(curve.probability[0], curve.probability[-1], 500)
    ours = np.interp(between, curve.probability, curve.calibrated)
    np.testing.assert_allclose(ours, isotonic.predict(between), atol=1e-12)


def test_det_equal_error_rate_lies_on_an_edge() -> None:
    display = DetDisplay.compute([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])
    # The edge from (0, 1/3) to (1/3, 0), in false positive and false negative rate.
    assert display.eer == pytest.approx(1 / 6)


def test_det_keeps_what_can_be_seen() -> None:
    rng = np.random.default_rng(0)
    y_true = rng.random(60_000) < 0.05
    y_score = rng.normal(size=y_true.size) + 4 * y_true
    display = DetDisplay.compute(y_true, y_score)
    assert 200 < len(display.fpr) < 5000
    full = rh.roc_curve(y_true, y_score)
    positive = display.fpr[display.fpr > 0]
    assert positive.min() == full.fpr[full.fpr > 0].min()  # the smallest rate is kept, it is far from 0
    # Between two kept points no rate, on probit axes, is farther than a cell from the first.
    from scipy.special import ndtri

    inside = (full.fpr > 0) & (full.tpr < 1)
    fnr = (full.tp_units[-1] - full.tp_units) / full.tp_units[-1]
    at = np.searchsorted(display.fpr - display.fnr, (full.fpr - fnr)[inside], side="right") - 1
    x, y = ndtri(full.fpr[inside]), ndtri(fnr[inside])
    with np.errstate(invalid="ignore"):
        far_x, far_y = np.abs(x - ndtri(display.fpr[at])), np.abs(y - ndtri(display.fnr[at]))
    both = np.isfinite(far_x) & np.isfinite(far_y)
    assert both.mean() > 0.9
    assert max(far_x[both].max(), far_y[both].max()) < 0.006


def test_det_axes_are_deviates_and_the_hull_is_curved() -> None:
    display = DetDisplay.from_predictions([0, 0, 0, 1, 1, 1, 0, 1], [1, 2, 5, 4, 5, 7, 8, 9], ax=axes())
    x, y = display.hull_line_.get_data()
    fpr, fnr = ndtr(x), ndtr(y)
    assert len(fpr) > 200 * (len(display.hull_fpr) - 1)
    expected = np.interp(fpr, display.hull_fpr, display.hull_fnr)
    inside = (fpr > 1e-12) & (fpr < 1 - 1e-12)
    np.testing.assert_allclose(fnr[inside], expected[inside], atol=1e-12)
    middle = (x > -1) & (x < 1) & (y > -1) & (y < 1)
    assert np.abs(np.diff(y[middle], 2)).max() > 1e-4  # a straight line would have none
    seen = (display.fpr > 0) & (display.fnr > 0) & (display.fpr < 1) & (display.fnr < 1)
    for rates, limits in (
        (display.fpr, display.ax_.get_xlim()),
        (display.fnr, display.ax_.get_ylim()),
    ):
        assert ndtr(limits[0]) < rates[seen].min()
        assert ndtr(limits[1]) > rates[seen].max()


def test_det_marks_the_equal_error_rate_and_says_when_there_is_none() -> None:
    display = DetDisplay.from_predictions([0, 1, 0, 1], [1, 2, 3, 4], ax=axes())
    point = display.ax_.lines[-1]
    assert ndtr(point.get_xdata()[0]) == ndtr(point.get_ydata()[0]) == pytest.approx(display.eer)
    assert display.hull_line_.get_label() == f"hull (in-sample), EER {100 * display.eer:.3g} %"
    apart = DetDisplay.from_predictions([0, 0, 1, 1], [1, 2, 3, 4], ax=axes())
    assert apart.eer == 0
    assert "separated" in apart.ax_.texts[0].get_text()
    plain = DetDisplay.from_predictions([0, 1, 0, 1], [1, 2, 3, 4], ax=axes(), hull=False)
    assert len(plain.ax_.lines) == 1


def test_det_has_short_labels_where_long_ones_have_no_room() -> None:
    figure = Figure(figsize=(4.8, 4.8), layout="constrained")
    y, score = np.repeat([0, 1], 6_000), np.random.default_rng(1).normal(size=12_000)
    display = DetDisplay.from_predictions(y, score + 2 * y, ax=figure.subplots())
    shown = [label.get_text() for label in display.ax_.get_xticklabels()]
    assert sorted(shown, key=float) == ["0.001", "0.1", "1", "5", "20", "50", "80", "95", "99"]


def test_det_axes_grow_with_a_second_curve() -> None:
    rng = np.random.default_rng(0)
    y_true = rng.random(400) < 0.5
    first = DetDisplay.from_predictions(y_true[:40], rng.normal(size=40) + y_true[:40], ax=axes())
    narrow = first.ax_.get_xlim()
    DetDisplay.from_predictions(y_true, rng.normal(size=400) + 2 * y_true, ax=first.ax_)
    wide = first.ax_.get_xlim()
    assert wide[0] < narrow[0]
    assert wide[1] >= narrow[1]


@pytest.mark.parametrize("size", [(4, 3), (9, 4)], ids=str)
def test_det_has_the_same_ticks_on_both_axes(size: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 2, 3000)
    ax = DetDisplay.from_predictions(
        y_true, rng.normal(size=3000) + 3 * y_true, ax=Figure(figsize=size).subplots()
    ).ax_
    assert ax.get_xticks().tolist() == ax.get_yticks().tolist()
    said = [label.get_text() for label in ax.get_xticklabels()]
    assert said == [label.get_text() for label in ax.get_yticklabels()]
    assert {"1", "20"} <= set(said)
    assert len(said) >= 4


def test_a_small_rate_is_written_out() -> None:
    y_true = np.append(np.zeros(50_001), np.ones(50_001))
    score = np.concatenate([np.full(50_000, -1.0), [2.0], [-2.0], np.full(50_000, 1.0)])
    det = DetDisplay.from_predictions(y_true, score, ax=axes())
    assert str(det.hull_line_.get_label()).endswith("EER 0.002 %")
    weights = np.where(np.abs(score) == 2, 1.0, 50.0)
    llr = TippettDisplay.from_predictions(y_true, score, sample_weight=weights, ax=axes())
    assert texts_in(llr.ax_.get_legend()) == ["H1, < 0.0001 % misleading", "H2, < 0.0001 % misleading"]


# --- Tippett -----------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:llr. all values lie between 0 and 1:UserWarning")  # what is drawn may
@given(adversaries.examples(max_size=60))
def test_tippett_counts(case: tuple[Array, Array, Array | None]) -> None:
    y_true, llr, weights = case
    display = TippettDisplay.compute(y_true, llr, sample_weight=weights)
    w = np.ones(len(y_true)) if weights is None else weights
    values = llr.astype(float)
    for label, above, misleading, wrong in (
        (1, display.above_pos, display.misleading_pos, values < 0),
        (0, display.above_neg, display.misleading_neg, values > 0),
    ):
        chosen = y_true == label
        total = w[chosen].sum()
        for x, proportion in zip(display.llr, above, strict=True):
            assert proportion == pytest.approx(w[chosen & (values > x)].sum() / total, abs=1e-12)
        assert misleading == pytest.approx(w[chosen & wrong].sum() / total, abs=1e-12)


def test_tippett_of_many_is_thin_and_near() -> None:
    rng = np.random.default_rng(0)
    y_true = rng.random(50_000) < 0.3
    llr = rng.normal(size=y_true.size) + y_true
    display = TippettDisplay.compute(y_true, llr)
    assert len(display.llr) < 2100
    assert display.llr[0] == llr.min()
    assert display.llr[-1] == llr.max()
    for x in np.linspace(-3, 3, 50):
        at = np.searchsorted(display.llr, x, side="right") - 1
        assert abs(display.above_pos[at] - np.mean(llr[y_true] > x)) <= 1e-3
        assert abs(display.above_neg[at] - np.mean(llr[~y_true] > x)) <= 1e-3


def drawn(line: Any, x: float) -> float:
    """Height of a step line, which holds a value up to the next point."""
    at = np.searchsorted(line.get_xdata(), x, side="right") - 1
    return float(line.get_ydata()[at])


def test_tippett_draws_proportions_that_infinite_values_keep_from_the_ends() -> None:
    y_true = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0])
    llr = np.array([np.inf, 2.0, 1.0, -np.inf, -np.inf, -1.0, -1.0, 0.0, np.inf])
    display = TippettDisplay.from_predictions(y_true, llr, ax=axes(), base=10)
    assert display.line_.get_drawstyle() == "steps-post"
    for line, label in ((display.line_, 1), (display.neg_line_, 0)):
        for x in (-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 50.0):
            expected = np.mean(llr[y_true == label] > x)
            assert drawn(line, x / np.log(10) + (1e-9 if x else 0)) == pytest.approx(expected)
    marks = {
        (line.get_marker(), line.get_ydata()[0]) for line in display.ax_.lines if line.get_marker() != "None"
    }
    assert marks == {("<", 0.75), (">", 0.25), ("<", 0.8), (">", 0.2)}
    assert display.line_.get_label() == "H1, 25 % misleading"
    assert display.neg_line_.get_label() == "H2, 20 % misleading"
    assert "log" in display.ax_.get_xlabel()
    finite = TippettDisplay.from_predictions([0, 1], [-1.0, 1.0], ax=axes())
    assert [line.get_marker() for line in finite.ax_.lines] == ["None"] * 3


# --- reliability -------------------------------------------------------------------------------

probabilities = st.lists(st.integers(0, 8), min_size=2, max_size=25).map(lambda v: np.array(v) / 8)


@given(probabilities, st.integers(0, 2**32), st.booleans())
def test_reliability_is_pav(probability: Array, seed: int, is_weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    y_true = rng.integers(0, 2, probability.size)
    y_true[:2] = 0, 1
    weights = rng.integers(1, 4, probability.size) if is_weighted else None
    display = ReliabilityDisplay.compute(y_true, probability, sample_weight=weights, n_resamples=0)
    groups = twins.groups_of(y_true, probability, weights)
    blocks = twins.pav([g[1] for g in groups], [g[2] for g in groups])[::-1]
    ends = [(groups[b[1]][0], groups[b[0]][0]) for b in blocks]
    assert display.probability.tolist() == [end for pair in ends for end in pair]
    expected = [float(twins.share(block)) for block in blocks for _ in range(2)]
    np.testing.assert_allclose(display.calibrated, expected, rtol=1e-14)
    w = np.ones(probability.size) if weights is None else weights
    counted = [
        w[(probability >= i / 50) & ((probability < (i + 1) / 50) | (i == 49))].sum() for i in range(50)
    ]
    np.testing.assert_allclose(display.histogram, np.array(counted) / w.sum(), rtol=1e-14)
    assert display.decomposition == rh.decompose(y_true, probability, sample_weight=weights)
    assert display.decomposition.score == pytest.approx(np.average((probability - y_true) ** 2, weights=w))


def plain_band(probability: Array, weights: Array | None, draws: int, level: float, seed: int) -> Any:
    """The band by the definition: PAV of every resample, one by one, and sorted columns."""
    values = np.unique(probability)
    w = np.ones(probability.size) if weights is None else weights
    curves = []
    generators = np.random.default_rng(seed).spawn(-(-draws // 25))
    for i in range(draws):
        generator = generators[i // 25]
        if weights is None:
            counts = np.array([np.sum(probability == v) for v in values])
            generator.random(values.size)  # only thinned groups of weighted examples need these
            pos = generator.binomial(counts, values).astype(float)
        else:
            order = np.argsort(probability, kind="stable")
            positive = generator.random(probability.size) < probability[order]
            pos = np.array([w[order][positive & (probability[order] == v)].sum() for v in values])
        total = np.array([w[probability == v].sum() for v in values])
        blocks = twins.pav([int(p) for p in pos[::-1]], [int(q) for q in (total - pos)[::-1]])
        curves.append([float(share) for share in twins.row_shares(blocks)][::-1])
    return values, np.quantile(curves, (1 - level) / 2, axis=0), np.quantile(curves, (1 + level) / 2, axis=0)


@pytest.mark.parametrize("weights", [None, [1, 2, 5, 1, 1, 3, 2, 1, 1, 4]], ids=["plain", "weighted"])
def test_band_is_pav_of_every_resample(weights: Any) -> None:
    probability = np.array([0.9, 0.1, 0.3, 0.3, 0.5, 0.7, 0.7, 0.7, 0.2, 1.0])
    w = None if weights is None else np.array(weights, float)
    band = consistency.consistency_band(probability, w, 60, 0.8, 7)
    values, low, high = plain_band(probability, w, 60, 0.8, 7)
    assert band.probability.tolist() == values.tolist()
    np.testing.assert_allclose(band.low, low, atol=1e-12)
    np.testing.assert_allclose(band.high, high, atol=1e-12)
    assert band.level == 0.8


@pytest.mark.parametrize("weights", [None, [1.0, 0.25, 2.0, 1.0, 3.0, 1.0]], ids=["plain", "weighted"])
def test_band_has_the_exact_quantiles(weights: Any) -> None:
    """All label vectors of six examples, with their probabilities, give the law of the curve."""
    probability = np.array([0.1, 0.3, 0.4, 0.4, 0.6, 0.8])
    w = np.ones(6) if weights is None else np.array(weights)
    values = np.unique(probability)
    curves, chances = [], []
    for labels in product([0, 1], repeat=6):
        y = np.array(labels)
        pos = [int(4 * w[(probability == v) & (y == 1)].sum()) for v in values[::-1]]
        neg = [int(4 * w[(probability == v) & (y == 0)].sum()) for v in values[::-1]]
        curves.append([float(s) for s in twins.row_shares(twins.pav(pos, neg))][::-1])
        chances.append(np.where(y == 1, probability, 1 - probability).prod())
    given_weights = None if weights is None else w
    band = consistency.consistency_band(probability, given_weights, 8000, 0.9, 0)
    law, chance = np.array(curves), np.array(chances)
    assert chance.sum() == pytest.approx(1)
    slack = 4 * np.sqrt(0.05 * 0.95 / 8000)
    for i in range(values.size):
        column = law[:, i]
        # A quantile: at most a twentieth lies beyond it, and at least a twentieth does with it.
        assert chance[column < band.low[i] - 1e-9].sum() <= 0.05 + slack
        assert chance[column <= band.low[i] + 1e-9].sum() >= 0.05 - slack
        assert chance[column > band.high[i] + 1e-9].sum() <= 0.05 + slack
        assert chance[column >= band.high[i] - 1e-9].sum() >= 0.05 - slack


@pytest.mark.parametrize("scale", [1e-200, 1e-300, 1e200, 1e300])
@pytest.mark.parametrize("size", [50, consistency.MAX_WEIGHTED + 1])
def test_band_does_not_depend_on_the_unit_of_the_weights(scale: float, size: int) -> None:
    """Squares of weights neither under- nor overflow, drawn one by one or in groups."""
    probability = np.random.default_rng(0).integers(1, 20, size) / 20
    weights = 1.0 + np.arange(size) % 3
    expected, found = (
        consistency.consistency_band(probability, w, 30, 0.9, 0) for w in (weights, scale * weights)
    )
    np.testing.assert_allclose(found.low, expected.low, rtol=1e-9)
    np.testing.assert_allclose(found.high, expected.high, rtol=1e-9)


@pytest.mark.parametrize("size", [50, consistency.MAX_WEIGHTED + 1])
def test_band_leaves_out_what_weighs_nothing_beside_the_rest(size: int) -> None:
    probability = np.append(np.random.default_rng(0).integers(1, 20, size) / 20, [0.011, 0.012])
    weights = np.append(np.ones(size), [1e-20, 1e-300])
    band = consistency.consistency_band(probability, weights, 30, 0.9, 0)
    assert band.probability.tolist() == np.unique(probability[:-2]).tolist()


@pytest.mark.long
@pytest.mark.parametrize("kind", ["plain", "weighted", "grouped"])
def test_band_covers_calibrated_forecasts(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if kind == "grouped":
        monkeypatch.setattr(consistency, "MAX_GROUPS", 100)
        monkeypatch.setattr(consistency, "MAX_WEIGHTED", 0)
    rng = np.random.default_rng(3)
    probability = rng.beta(1, 2, 400)
    weights = None if kind == "plain" else rng.gamma(1, size=400) + 0.01
    band = consistency.consistency_band(probability, weights, 300, 0.9, 0)
    shares = []
    for _ in range(150):
        y_true = rng.random(400) < probability
        display = ReliabilityDisplay.compute(y_true, probability, sample_weight=weights, n_resamples=0)
        curve = np.interp(band.probability, display.probability, display.calibrated)
        inner = (band.probability > 0.05) & (band.probability < 0.8)
        shares.append(np.mean((band.low <= curve) & (curve <= band.high), where=inner))
    # The mean of 150 dependent shares, each with a deviation of about 0.13: 0.011.
    assert 0.86 < np.mean(shares) < 0.95
    off = np.interp(band.probability, [0, 1], [0.2, 1.2])
    assert np.mean((band.low <= off) & (off <= band.high), where=inner) < 0.1


def test_band_of_effective_counts_has_the_moments_of_the_examples() -> None:
    weights = np.array([3.0, 1.0, 1.0, 2.0, 0.5, 0.5, 4.0])
    forecast = np.array([0.3, 0.3, 0.6, 0.6, 0.6, 0.6, 0.9])
    starts = consistency._starts(forecast)
    groups = consistency._grouped(forecast, weights, starts)
    assert groups.weight.tolist() == [4.0, 4.0, 4.0]
    np.testing.assert_allclose(groups.count, [1.6, 16 / 5.5, 1.0])
    generator = np.random.default_rng(0)
    draws = 40_000
    for by in ("groups", "examples"):
        if by == "groups":
            found = [consistency._draw_groups(generator, groups=groups) for _ in range(draws)]
        else:
            found = [
                consistency._draw_examples(generator, forecast=forecast, mass=weights, starts=starts)
                for _ in range(draws)
            ]
        p = np.array([0.3, 0.6, 0.9])
        variance = p * (1 - p) * np.array([10.0, 5.5, 16.0])
        np.testing.assert_allclose(np.mean(found, axis=0), 4 * p, atol=5 * np.sqrt(16 / draws))
        np.testing.assert_allclose(np.var(found, axis=0), variance, rtol=0.04)


def test_band_of_many_forecasts_is_that_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    probability = rng.beta(1, 3, 5000)
    full = consistency.consistency_band(probability, None, 400, 0.9, 0)
    monkeypatch.setattr(consistency, "MAX_GROUPS", 500)
    thin = consistency.consistency_band(probability, None, 400, 0.9, 0)
    assert len(thin.probability) == 500
    for end in ("low", "high"):
        ours = np.interp(thin.probability, full.probability, getattr(full, end))
        assert np.abs(ours - getattr(thin, end)).mean() < 0.006


def test_band_groups_keep_ties_together_and_are_few() -> None:
    rng = np.random.default_rng(0)
    forecast = np.sort(np.concatenate([rng.random(30_000), np.full(15_000, 0.25), np.zeros(5000)]))
    starts = consistency._starts(forecast)
    assert 5000 < starts.size <= consistency.MAX_GROUPS
    assert (forecast[starts[1:]] != forecast[starts[1:] - 1]).all()
    groups = consistency._grouped(forecast, np.ones(forecast.size), starts)
    assert groups.weight.sum() == forecast.size
    np.testing.assert_allclose(groups.count, groups.weight)
    grid = consistency._grid(groups.probability)
    assert grid[0] == 0
    assert grid[-1] == starts.size - 1
    assert 500 <= grid.size <= 1000
    assert (np.diff(grid) > 0).all()


def test_band_does_not_depend_on_threads_or_on_the_unit_of_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    y_true, probability = rng.integers(0, 2, 200), rng.random(200)
    weights = rng.gamma(1, size=200)

    def band(w: Array | None, seed: Any = 0) -> Array:
        found = ReliabilityDisplay.compute(
            y_true, probability, sample_weight=w, n_resamples=60, random_state=seed
        ).band
        assert found is not None
        return np.array([found.low, found.high])

    first, weighted = band(None), band(weights)
    np.testing.assert_array_equal(first, band(None, 0))
    np.testing.assert_array_equal(first, band(None, np.random.default_rng(0)))
    np.testing.assert_array_equal(weighted, band(weights * 1024))
    assert not np.array_equal(first, band(None, 1))
    assert not np.array_equal(band(None, None), band(None, None))
    monkeypatch.setattr(threads, "n_threads", lambda: 1)
    np.testing.assert_array_equal(first, band(None))
    np.testing.assert_array_equal(weighted, band(weights))
    # Equal weights are one draw each, like none; a weight of zero is none.
    sparse = np.where(np.arange(200) % 2, 1.0, 0.0)
    found = ReliabilityDisplay.compute(y_true, probability, sample_weight=sparse, n_resamples=20).band
    assert found is not None
    assert found.probability.tolist() == np.sort(probability[1::2]).tolist()


def test_band_is_wider_for_unequal_weights() -> None:
    rng = np.random.default_rng(0)
    probability = rng.random(500)
    narrow = consistency.consistency_band(probability, np.ones(500), 200, 0.9, 0)
    plain = consistency.consistency_band(probability, None, 200, 0.9, 0)
    wide = consistency.consistency_band(probability, rng.gamma(0.2, size=500) + 1e-6, 200, 0.9, 0)
    assert np.mean(wide.high - wide.low) > 1.3 * np.mean(narrow.high - narrow.low)
    assert np.mean(plain.high - plain.low) == pytest.approx(np.mean(narrow.high - narrow.low), rel=0.05)


def test_reliability_options() -> None:
    y_true, probability = [0, 1, 0, 1], [0.1, 0.4, 0.4, 0.9]
    for none in (0, None):
        assert ReliabilityDisplay.compute(y_true, probability, n_resamples=none).band is None
    with pytest.raises(ValueError, match=r"probability must lie between 0 and 1, but holds 1\.5 at index 3"):
        ReliabilityDisplay.compute(y_true, [0.1, 0.4, 0.4, 1.5])
    with pytest.raises(ValueError, match="level must lie strictly between 0 and 1, but is 90"):
        ReliabilityDisplay.compute(y_true, probability, level=90)
    with pytest.raises(ValueError, match="n_resamples must not be negative, but is -1"):
        ReliabilityDisplay.compute(y_true, probability, n_resamples=-1)
    with pytest.raises(ValueError, match=r"n_resamples must be a whole number, but is 2\.5"):
        ReliabilityDisplay.compute(y_true, probability, n_resamples=2.5)  # type: ignore[arg-type]


def test_reliability_draws_a_confidence_band() -> None:
    rng = np.random.default_rng(0)
    probability = np.round(rng.random(500), 2)
    y_true = rng.random(500) < probability**3
    display = ReliabilityDisplay.from_predictions(y_true, probability, n_resamples=0, confidence=0.9)
    band = display.confidence_band
    assert band is not None
    assert band.low.tolist() == rh.uncertainty.calibration_band(y_true, probability, 0.9).low.tolist()
    low, high = (line for line in display.ax_.lines if line.get_drawstyle().startswith("steps-"))
    at = np.linspace(0.005, 0.995, 100)
    for line, end in zip((low, high), band.at(at), strict=True):
        x, y = (np.asarray(values, float) for values in line.get_data())
        steps = x.searchsorted(at, "right") - 1 if line is low else x.searchsorted(at, "left")
        assert y[steps].tolist() == end.tolist()
    assert "90 % confidence band" in [text.get_text() for text in display.ax_.get_legend().get_texts()]
    with pytest.raises(ValueError, match="sample_weight has no place"):
        ReliabilityDisplay.compute(y_true, probability, sample_weight=np.full(500, 2.0), confidence=0.9)


def test_reliability_draws_the_curve_the_band_and_the_scores() -> None:
    rng = np.random.default_rng(0)
    probability = rng.random(300)
    y_true = rng.random(300) < probability
    display = ReliabilityDisplay.from_predictions(y_true, probability, n_resamples=50, level=0.8, ax=axes())
    assert display.band is not None
    np.testing.assert_array_equal(display.line_.get_xdata(), display.probability)
    np.testing.assert_array_equal(display.line_.get_ydata(), display.calibrated)
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["PAV (in-sample)", "80 % consistency band"]
    parts = display.decomposition
    written = display.ax_.texts[0].get_text()
    assert written.split("\n")[0] == f"Brier {parts.score:.4f}"
    assert f"= MCB {parts.miscalibration:.4f}\n− DSC {parts.discrimination:.4f}" in written
    assert written.endswith(f"+ UNC {parts.uncertainty:.4f}")
    bars = [patch for patch in display.ax_.patches if hasattr(patch, "get_data")]
    heights = bars[0].get_data().values - bars[0].get_data().baseline
    np.testing.assert_allclose(heights / heights.sum(), display.histogram)
    bare = display.plot(axes(), histogram=False, text=False).ax_
    assert not bare.texts
    assert not bare.patches
    assert bare.get_ylim()[0] > -0.05


@pytest.mark.parametrize("scale", ["low", "high", "fair"])
def test_reliability_text_keeps_away_from_the_curve(scale: str) -> None:
    rng = np.random.default_rng(0)
    fair = rng.random(400)
    y_true = rng.random(400) < fair
    forecast = {"low": fair / 4, "high": 0.75 + fair / 4, "fair": fair}[scale]
    display = ReliabilityDisplay.from_predictions(y_true, forecast, n_resamples=0, ax=axes())
    display.figure_.draw_without_rendering()
    curve = display.line_.get_path().transformed(display.line_.get_transform())
    for shown in (display.ax_.texts[0], display.ax_.get_legend()):
        assert not curve.intersects_bbox(shown.get_window_extent(), filled=False)


@pytest.mark.parametrize("forecast", [0.5, 0.999, 0.0], ids=str)
def test_band_of_a_constant_forecast_is_a_bar(forecast: float) -> None:
    y_true = np.arange(200) % 3 == 0
    display = ReliabilityDisplay.from_predictions(y_true, np.full(200, forecast), ax=axes())
    band = display.band
    assert band is not None
    assert not display.ax_.collections  # an area would have no width
    (bar,) = [line for line in display.ax_.lines if line.get_label() == "90 % consistency band"]
    np.testing.assert_allclose(bar.get_xdata(), forecast)
    assert list(bar.get_ydata()) == [band.low[0], band.high[0]]
    assert bar.get_marker() == "_"
    assert "90 % consistency band" in texts_in(display.ax_.get_legend())
    near = np.linspace(0.5, 0.501, 200)
    close = ReliabilityDisplay.from_predictions(y_true, near, n_resamples=50, ax=axes())
    assert not close.ax_.collections
    apart = ReliabilityDisplay.from_predictions(y_true, 20 * near - 9.9, n_resamples=50, ax=axes())
    assert len(apart.ax_.collections) == 1


@pytest.mark.parametrize("forecast", ["fair", "too low"])
def test_scores_of_two_displays_stand_side_by_side(forecast: str) -> None:
    rng = np.random.default_rng(0)
    fair = rng.random(400)
    y_true = rng.random(400) < fair
    values = fair if forecast == "fair" else fair / 4
    ax = Figure(figsize=(4, 4)).subplots()
    for _ in range(2):
        display = ReliabilityDisplay.from_predictions(y_true, values, n_resamples=0, ax=ax)
    display.figure_.draw_without_rendering()
    first, second = (text.get_window_extent() for text in ax.texts)
    assert not first.overlaps(second)
    for box in (first, second):
        assert ax.bbox.x0 < box.x0 < box.x1 < ax.bbox.x1


# --- score to LLR ------------------------------------------------------------------------------


@given(adversaries.examples(max_size=60))
@example((np.array([1, 0]), np.full(2, np.finfo(float).max), None))  # no room to the right of the score
@example((np.array([1, 0]), np.full(2, np.finfo(float).min), None))
def test_map_of_pav_is_pav(case: tuple[Array, Array, Array | None]) -> None:
    y_true, y_score, weights = case
    y_score = y_score.astype(float)
    if not np.isfinite(y_score[(weights if weights is not None else np.ones(len(y_true))) > 0]).any():
        with pytest.raises(ValueError, match="y_score has no finite scores"):
            ScoreToLlrDisplay.compute(y_true, y_score, sample_weight=weights)
        return
    display = ScoreToLlrDisplay.compute(y_true, y_score, sample_weight=weights)
    blocks = rh.roc_hull(y_true, y_score, sample_weight=weights).blocks
    assert blocks is not None
    low = blocks.low
    for score, llr in zip(display.score.tolist(), display.llr["PAV"].tolist(), strict=True):
        below = np.flatnonzero(low <= score)
        assert llr == blocks.llr[below[0] if below.size else -1]
    finite = y_score[np.isfinite(y_score)]
    assert set(low[np.isfinite(low) & (low >= finite.min())]) <= set(display.score)
    assert (np.diff(display.score) > 0).all()
    assert np.isfinite(display.edges).all()
    assert (display.edges[1:] > display.edges[:-1]).all()


class Line:
    """A map that nobody fitted."""

    def llr(self, scores: Array) -> Array:
        return 2 * np.asarray(scores) - 1


def test_calibrators_are_fitted_in_copy_where_they_are_not() -> None:
    rng = np.random.default_rng(0)
    y_true = np.where(rng.random(200) < 0.4, "hit", "miss")
    y_score = rng.normal(size=200) + (y_true == "hit")
    fitted = rh.PavCalibrator(pos_label="hit").fit(y_score[:100], y_true[:100])
    new = rh.PavCalibrator(interpolation="linear", pos_label="hit")
    before = fitted.llr(y_score)
    display = ScoreToLlrDisplay.from_predictions(
        y_true, y_score, pos_label="hit", ax=axes(), base=10,
        calibrators={"old": fitted, "new": new, "line": Line()},
    )  # fmt: skip
    assert display.in_sample == ("new",)
    with pytest.raises(NotFittedError):
        new.llr([0.0])
    np.testing.assert_array_equal(fitted.llr(y_score), before)
    np.testing.assert_array_equal(display.llr["old"], fitted.llr(display.score))
    expected = rh.PavCalibrator(interpolation="linear", pos_label="hit").fit(y_score, y_true)
    np.testing.assert_array_equal(display.llr["new"], expected.llr(display.score))
    np.testing.assert_array_equal(display.llr["line"], 2 * display.score - 1)
    labels = [str(line.get_label()) for line in display.lines_.values()]
    assert labels == ["old", "new (in-sample)", "line"]
    np.testing.assert_allclose(display.lines_["line"].get_ydata(), (2 * display.score - 1) / np.log(10))
    assert [line.get_color() for line in display.lines_.values()] == list(COLOURS[:3])
    # Both sides of the edges of a calibrator's own blocks are on the grid.
    edges = fitted.blocks_.low[fitted.blocks_.low >= y_score.min()]
    assert set(edges) <= set(display.score)
    assert set(np.nextafter(edges[edges > y_score.min()], -np.inf)) <= set(display.score)


class Shift(BaseEstimator):
    """A calibrator of somebody else's: it knows neither a positive label nor weights."""

    def fit(self, X: Array, y: Array) -> "Shift":
        self.mean_ = float(np.mean(X))
        return self

    def llr(self, scores: Array) -> Array:
        return np.asarray(scores) - self.mean_


def test_no_two_displays_on_the_same_axes_look_the_same() -> None:
    ax = axes()
    for i in range(3 * len(COLOURS)):
        if i % len(COLOURS):
            ax.plot([0, 1], [0, 1], **style(ax, {}))
        else:
            RocHullDisplay.from_predictions([0, 1, 0, 1], [0.1, 0.2 + i, 0.3, 0.4], ax=ax)
    looks = [(line.get_color(), line._dash_pattern) for line in ax.lines]  # type: ignore[attr-defined]
    curves = [look for look, line in zip(looks, ax.lines, strict=True) if is_curve(line)]
    assert len(curves) == 3 * len(COLOURS)
    assert all(looks.count(look) == 1 for look in curves)  # not as another curve, a hull or chance
    asked = DetDisplay.from_predictions([0, 1, 0, 1], [1, 2, 3, 4], ax=ax, ls=":")
    assert asked.line_.get_linestyle() == ":"


def test_a_calibrator_needs_fit_and_llr_only() -> None:
    display = ScoreToLlrDisplay.compute([0, 1, 0], [1.0, 2.0, 6.0], calibrators={"shift": Shift()})
    np.testing.assert_array_equal(display.llr["shift"], display.score - 3)
    assert display.in_sample == ("shift",)
    with pytest.raises(TypeError, match="sample_weight"):  # an argument that is given has an effect
        ScoreToLlrDisplay.compute(
            [0, 1], [1.0, 2.0], calibrators={"shift": Shift()}, sample_weight=[1.0, 2.0]
        )


def test_weights_reach_calibrators_and_histograms() -> None:
    y_true, y_score = np.array([0, 1, 0, 1, 1]), np.array([0.0, 1.0, 1.0, 2.0, np.inf])
    weights = np.array([1.0, 2.0, 3.0, 4.0, 2.0])
    display = ScoreToLlrDisplay.from_predictions(y_true, y_score, sample_weight=weights, ax=axes())
    expected = rh.PavCalibrator().fit(y_score, y_true, sample_weight=weights)
    np.testing.assert_array_equal(display.llr["PAV"], expected.llr(display.score))
    assert display.neg_share[[0, 30]].tolist() == [0.25, 0.75]
    assert display.pos_share[[30, 59]].tolist() == [0.25, 0.5]
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert "positives, 25 % infinite" in texts
    assert "negatives" in texts


def test_map_without_histogram_fills_the_axes() -> None:
    y_true, y_score = [0, 1, 0, 1], [0.0, 1.0, 2.0, 3.0]
    display = ScoreToLlrDisplay.from_predictions(y_true, y_score, ax=axes(), histogram=False)
    assert not display.ax_.patches
    low, high = display.ax_.get_ylim()
    assert low == pytest.approx(-high)
    full = display.plot(axes())
    assert len(full.ax_.patches) == 2
    assert full.ax_.get_ylim()[0] < low


def test_map_has_no_ticks_beside_the_histogram() -> None:
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 2, 300)
    ax = axes()
    for shift in (3, 1):  # the second has other limits, and the histogram that is there
        ScoreToLlrDisplay.from_predictions(
            y_true, rng.normal(size=300) + shift * y_true, ax=ax,
            calibrators={"bounded": rh.PavCalibrator(bound="laplace")},
        )  # fmt: skip
        low, high = ax.get_ylim()
        least = min(line.get_ydata().min() for line in ax.lines if line.get_label() == "bounded (in-sample)")
        assert (least - low) / (high - low) > score_to_llr._STRIP  # no map is cut off
        share = (ax.get_yticks() - low) / (high - low)
        assert share.size >= 3
        assert share.min() >= score_to_llr._STRIP
        assert share.max() <= 1


def test_a_second_map_leaves_no_room_for_a_histogram_that_is_not_there() -> None:
    ax = axes()
    for _ in range(2):
        ScoreToLlrDisplay.from_predictions([0, 1, 0, 1], [0.0, 1.0, 2.0, 3.0], ax=ax, histogram=False)
        low, high = ax.get_ylim()
        assert low == pytest.approx(-high)
    ScoreToLlrDisplay.from_predictions([0, 1, 0, 1], [0.0, 1.0, 2.0, 3.0], ax=ax)
    assert ax.get_ylim() == pytest.approx((low, high))


def test_infinite_ratios_are_marked_on_the_borders() -> None:
    display = ScoreToLlrDisplay.from_predictions(
        [0, 0, 1, 0, 1, 1], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], ax=axes()
    )
    marks = {line.get_marker(): line.get_data() for line in display.ax_.lines if line.get_marker() in "^v"}
    assert marks["^"][0].tolist() == [4.0, 4.5, 5.0]
    assert marks["^"][1].tolist() == [1.0] * 3
    assert marks["v"][0][0] == 0.0
    assert marks["v"][0][2] == np.nextafter(2.0, 0)
    assert marks["v"][1].tolist() == [score_to_llr._STRIP] * 3
    low, high = display.ax_.get_ylim()
    assert low < -1 < 1 < high < 5
    assert np.isfinite(display.line_.get_ydata()).all()


def test_what_is_not_a_calibrator() -> None:
    with pytest.raises(ValueError, match="calibrators: 'mine' must have a method llr, but is of type dict"):
        ScoreToLlrDisplay.compute([0, 1], [0.0, 1.0], calibrators={"mine": {}})
    refuses("calibrators is empty", ScoreToLlrDisplay.compute, [0, 1], [0.0, 1.0], calibrators={})
    refuses("y_score has no finite scores", ScoreToLlrDisplay.compute, [0, 1], [-np.inf, np.inf])


@pytest.mark.parametrize(
    "calibrators", [[rh.PavCalibrator()], rh.PavCalibrator(), "PAV"], ids=["a", "b", "c"]
)
def test_calibrators_have_names(calibrators: Any) -> None:
    kind = type(calibrators).__name__
    with pytest.raises(
        ValueError, match=f"^calibrators must be a mapping of names to calibrators, but is of type {kind}"
    ):
        ScoreToLlrDisplay.compute([0, 1], [0.0, 1.0], calibrators=calibrators)


@pytest.mark.parametrize("histogram", [True, False])
def test_map_of_one_score_is_a_point(histogram: bool) -> None:
    display = ScoreToLlrDisplay.from_predictions(
        [0, 1, 0], [-np.inf, 1.0, np.inf], ax=axes(), histogram=histogram
    )
    assert display.line_.get_xdata().tolist() == [1.0]
    np.testing.assert_allclose(display.line_.get_ydata(), np.log(2))
    assert display.line_.get_marker() == "o"
    left, right = display.ax_.get_xlim()
    assert left < 0  # so is the line of no evidence
    assert right > 2
    if histogram:
        assert "negatives, 100 % infinite" in texts_in(display.ax_.get_legend())
    squares = ScoreToLlrDisplay.from_predictions([0, 1], [1.0, 1.0], ax=axes(), marker="s")
    assert squares.line_.get_marker() == "s"
    longer = ScoreToLlrDisplay.from_predictions([0, 1], [1.0, 1.1], ax=axes())
    assert longer.line_.get_marker() == "None"
    wide = ScoreToLlrDisplay.from_predictions([0, 1], [-1e300, 1e300], ax=axes())
    assert wide.line_.get_marker() == "None"


# --- costs against the prior -------------------------------------------------------------------

PRIOR = {
    "EceDisplay": rh.scoring.ece_curve,
    "ApeDisplay": rh.scoring.ape_curve,
    "BayesErrorDisplay": rh.scoring.bayes_error_curve,
}


@pytest.mark.parametrize("name", PRIOR)
def test_prior_displays_draw_the_curve(name: str) -> None:
    rng = np.random.default_rng(0)
    y_true = rng.random(100) < 0.5
    llr = rng.normal(size=100) + y_true
    odds = np.linspace(-2, 2, 9)
    display = getattr(rh.plotting, name).from_predictions(
        y_true, llr, prior_log_odds=odds, ax=axes(), base=10
    )
    curve = PRIOR[name](y_true, llr, odds)
    for part in ("actual", "minimum", "reference", "prior_log_odds"):
        np.testing.assert_array_equal(getattr(display.curve, part), getattr(curve, part))
    np.testing.assert_allclose(display.line_.get_xdata(), odds / np.log(10))
    np.testing.assert_array_equal(display.line_.get_ydata(), curve.actual)
    np.testing.assert_array_equal(display.minimum_line_.get_ydata(), curve.minimum)
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["actual LLRs", "PAV (in-sample)", "prior alone (LLR = 0)"]
    assert "log₁₀" in display.ax_.get_xlabel()
    np.testing.assert_array_equal(display.plot(axes()).line_.get_xdata(), odds)
    assert "(ln)" in display.ax_.get_xlabel()
    assert len(getattr(rh.plotting, name).compute(y_true, llr).curve.prior_log_odds) == 201


def test_costs_above_the_picture_are_marked() -> None:
    y_true, llr = [1, 1, 0, 0], [2.0, 1.0, -1.0, 9.0]
    display = rh.plotting.BayesErrorDisplay.from_predictions(y_true, llr, ax=axes())
    top = display.ax_.get_ylim()[1]
    assert 1.0 < top <= 1.3
    above = display.curve.actual > top
    assert above.any()
    mark = next(line for line in display.ax_.lines if line.get_marker() == "^")
    assert mark.get_ydata().tolist() == [1.0] * np.sum(np.diff(above.astype(int)) == 1)
    assert all(above[np.searchsorted(display.curve.prior_log_odds, x)] for x in mark.get_xdata())


def test_how_high_a_cost_above_the_picture_is_said() -> None:
    y_true = [1, 1, 1, 1, 0, 0, 0, 0]
    far = 1e4 * np.array([1, 1, 1, -1, -1, -1, -1, 1])
    ece = EceDisplay.from_predictions(y_true, far, ax=axes())
    assert (ece.curve.actual > ece.ax_.get_ylim()[1]).all()
    # A quarter of the cases is misled by 1e4 nats, whatever the prior.
    assert ece.line_.get_label() == "actual LLRs (outside, up to 3610 bits)"
    assert ece.curve.actual.max() == pytest.approx(1e4 / np.log(2) / 4, rel=2e-3)
    farther = EceDisplay.from_predictions(y_true, 2e3 * far, name="far", ax=axes())
    assert farther.line_.get_label() == "far (outside, up to 7.2e6 bits)"
    partly = rh.plotting.BayesErrorDisplay.from_predictions([1, 1, 0, 0], [2.0, 1.0, -1.0, 9.0], ax=axes())
    highest = partly.curve.actual.max()
    assert partly.line_.get_label() == f"actual LLRs (up to {float(f'{highest:.3g}'):g})"
    inside = EceDisplay.from_predictions([1, 1, 0, 0], [2.0, -1.0, 1.0, -2.0], ax=axes())
    assert inside.line_.get_label() == "actual LLRs"


def test_ece_is_spelt_out() -> None:
    text = " ".join(str(EceDisplay.__doc__).split())
    assert "ECE is empirical cross-entropy" in text
    assert "not the expected calibration error" in text
    ax = EceDisplay.from_predictions([0, 1], [0.0, 1.0], ax=axes()).ax_
    assert ax.get_ylabel() == "empirical cross-entropy (bits)"
    cllr = rh.cllr([1, 0, 1, 0], [2.0, 1.0, 0.5, -1.0])  # what the class says of log-odds of 0
    curve = EceDisplay.compute([1, 0, 1, 0], [2.0, 1.0, 0.5, -1.0], prior_log_odds=[0.0]).curve
    assert curve.actual[0] == pytest.approx(cllr)


def test_an_infinite_cost_is_said() -> None:
    display = EceDisplay.from_predictions([1, 1, 0], [np.inf, -np.inf, -1.0], ax=axes())
    assert display.line_.get_label() == "actual LLRs (infinite)"
    assert any(line.get_marker() == "^" for line in display.ax_.lines)
    good = EceDisplay.from_predictions([1, 1, 0], [np.inf, np.inf, -np.inf], ax=axes())
    assert not any(line.get_marker() == "^" for line in good.ax_.lines)
    assert good.ax_.get_ylim()[0] < 0  # a cost of 0 is not hidden by the axis


# --- costs against the condition ---------------------------------------------------------------


@given(adversaries.examples(max_size=40))
def test_cost_curve_is_the_least_of_the_lines(case: tuple[Array, Array, Array | None]) -> None:
    y_true, y_score, weights = case
    display = CostCurveDisplay.compute(y_true, y_score, sample_weight=weights)
    points = twins.curve_of(y_true, y_score, weights)
    n_neg, n_pos = points[-1]
    for x in (0.0, 0.1, 0.5, 0.7, 1.0):
        least = min(x * (1 - tp / n_pos) + (1 - x) * fp / n_neg for fp, tp in points)
        assert display.curve.at([x])[0] == pytest.approx(float(least), abs=1e-12)
        lines = display.rule_cost[:, 0] * (1 - x) + display.rule_cost[:, 1] * x
        assert lines.min() == pytest.approx(float(least), abs=1e-12)
    assert display.actual is None


def test_brier_curve_is_the_cost_of_forecasts() -> None:
    rng = np.random.default_rng(0)
    y_true, p = rng.random(80) < 0.3, rng.random(80).round(1)
    w = rng.integers(1, 4, 80)
    display = CostCurveDisplay.from_predictions(y_true, p, kind="brier", sample_weight=w, ax=axes())
    assert display.actual is not None
    assert display.actual.area() == pytest.approx(np.average((p - y_true) ** 2, weights=w))
    parts = rh.decompose(y_true, p, sample_weight=w)
    assert display.curve.area() == pytest.approx(parts.score - parts.miscalibration)
    for c in (0.05, 0.33, 0.61, 0.97):
        cost = 2 * np.average(np.where(y_true, (1 - c) * (p <= c), c * (p > c)), weights=w)
        assert display.actual.at([c])[0] == pytest.approx(cost)
        lines = display.rule_cost[:, 0] * (1 - c) + display.rule_cost[:, 1] * c
        assert display.curve.at([c])[0] == pytest.approx(lines.min())
    share = np.average(y_true, weights=w)
    trivial = next(line for line in display.ax_.lines if line.get_label() == "never or always positive")
    np.testing.assert_allclose(trivial.get_xdata(), [0, share, 1])
    np.testing.assert_allclose(trivial.get_ydata(), [0, 2 * share * (1 - share), 0], atol=1e-15)
    assert display.line_.get_label() == f"as forecast, area {display.actual.area():.4f}"
    refuses("probability must lie between 0 and 1", CostCurveDisplay.compute, y_true, p + 1, kind="brier")
    with pytest.raises(ValueError, match=r"kind must be one of \('cost', 'brier'\), but is 'roc'"):
        CostCurveDisplay.compute(y_true, p, kind="roc")


def test_brier_curve_of_an_estimator_takes_probabilities() -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    model = LogisticRegression().fit(X, y)
    display = CostCurveDisplay.from_estimator(model, X, y, kind="brier")
    assert display.actual is not None
    assert display.actual.area() == pytest.approx(np.mean((model.predict_proba(X)[:, 1] - y) ** 2))
    with pytest.raises(ValueError, match="must have predict_proba, but LinearSVC has decision_function"):
        CostCurveDisplay.from_estimator(LinearSVC().fit(X, y), X, y, kind="brier")


def test_cost_curve_draws_rules_and_triangle() -> None:
    display = CostCurveDisplay.from_predictions([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], ax=axes())
    assert display.line_.get_label() == "hull (in-sample), area 0.1250"
    np.testing.assert_allclose(display.line_.get_xydata(), [[0, 0], [0.5, 0.25], [1, 0]])
    (lines,) = display.ax_.collections
    # Where a rule costs less than "never" and "always", which have no line of their own.
    np.testing.assert_allclose(lines.get_segments(), [[[0, 0], [2 / 3, 1 / 3]], [[1 / 3, 1 / 3], [1, 0]]])
    trivial = display.ax_.lines[-1]
    np.testing.assert_allclose(trivial.get_xydata(), [[0, 0], [0.5, 0.5], [1, 0]])
    assert not display.plot(axes(), rules=False).ax_.collections


def test_long_curves_are_thinned_in_print_only() -> None:
    rng = np.random.default_rng(0)
    probability = expit(rng.normal(size=20_000))
    y_true = rng.random(20_000) < probability
    display = CostCurveDisplay.from_predictions(y_true, probability, kind="brier", ax=axes())
    assert display.actual is not None
    assert len(display.actual.cost) > 39_000  # two at every jump
    x, y = display.line_.get_data()
    assert len(x) < 8000
    assert np.abs(np.interp(x, display.actual.probability_cost, display.actual.cost) - y).max() < 1e-3
