"""Displays of uncertainty: their numbers, and what they look like."""

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_predict

import rochull as rh
from display_cases import (
    COSTS,
    N,
    assert_hard_data_are_drawn,
    assert_same_numbers,
    assert_ticks_are_apart,
    display_class,
    draw,
    legend_texts,
)
from refusals import refuses
from rochull.plotting import MeanRocDisplay, RocBandDisplay, SignificanceDisplay, ThresholdSpreadDisplay

Array = np.ndarray[Any, Any]

FOLDED = ("MeanRocDisplay", "SignificanceDisplay")  # trained and averaged over folds
each_display = pytest.mark.parametrize("name", [*FOLDED, "RocBandDisplay", "ThresholdSpreadDisplay"])
folded = pytest.mark.parametrize("name", FOLDED)


@pytest.fixture(scope="module")
def scores(features: Array) -> Array:
    return features.sum(axis=1).round(2)


@pytest.fixture(scope="module")
def german() -> tuple[Array, Array, Array]:
    """Labels, scores and folds of the German credit data."""
    table = rh.datasets.load("german_credit_scores")
    return (table["class"] == "bad").astype(int), table["boosted"], table["fold"]


@pytest.mark.crossed
@each_display
@pytest.mark.parametrize("size", [(4, 4), (8, 6)], ids=str)
def test_nothing_overlaps(name: str, labels: Array, scores: Array, size: tuple[int, int]) -> None:
    figure = Figure(figsize=size, layout="constrained")
    display = draw(name, labels, scores, ax=figure.subplots())
    ax = display.ax_
    figure.draw_without_rendering()
    assert_ticks_are_apart(ax, least=3)
    # The legend is inside the axes, and away from the curve.
    box = ax.get_legend().get_window_extent()
    assert ax.bbox.padded(1).containsx(box.x0)
    assert ax.bbox.padded(1).containsx(box.x1)
    path = display.line_.get_path().transformed(display.line_.get_transform())
    inside = [box.contains(*point) for point in path.vertices if ax.bbox.contains(*point)]
    assert inside
    assert not any(inside)


@folded
def test_from_estimator_trains_in_a_rotation(name: str, features: Array, labels: Array) -> None:
    model = LogisticRegression()
    theirs = display_class(name).from_estimator(model, features, labels, cv=5)
    assert not hasattr(model, "classes_")
    stacked = theirs.average.stacked
    given = {"folds": stacked.folds}
    assert_same_numbers(theirs, display_class(name).compute(stacked.y, stacked.scores, **given))
    expected = cross_val_predict(model, features, labels, cv=5, method="decision_function")
    np.testing.assert_array_equal(stacked.scores[np.argsort(stacked.rows)], expected)
    assert theirs.name == "LogisticRegression"
    assert display_class(name).from_estimator(model, features, labels, cv=5, name="ours").name == "ours"
    repeated = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    weights = np.arange(N) % 3 + 0.5
    again = display_class(name).from_estimator(
        model, features, labels, cv=repeated, sample_weight=weights, ax=theirs.ax_, operating_points="hull"
    )
    assert again.average.n_folds == 6
    assert again.ax_ is theirs.ax_


# --- mean ROC ------------------------------------------------------------------------------------


def crosses(display: Any) -> tuple[Array, Array, Array, Array]:
    """Middle and half length of the horizontal and vertical bars that were drawn."""
    found = [c.get_segments() for c in display.ax_.collections if isinstance(c, LineCollection)]
    across, upright = (np.array(segments) for segments in found)  # (k, 2, 2)
    return (*across.mean(axis=1).T, np.ptp(across[:, :, 0], axis=1) / 2,
            np.ptp(upright[:, :, 1], axis=1) / 2)  # fmt: skip


@pytest.mark.parametrize("spread", ["sem", "std"])
def test_crosses_are_the_standard_deviations(german: tuple[Array, Array, Array], spread: str) -> None:
    average = rh.operating_point_average(*german, operating_points=30)
    display = MeanRocDisplay.from_predictions(*german, spread=spread)
    x, y = display.line_.get_data()
    np.testing.assert_array_equal(x, average.fpr_mean)
    np.testing.assert_array_equal(y, average.tpr_mean)
    moving = (average.fpr_std > 0) | (average.tpr_std > 0)
    assert moving.sum() == 29  # all but "never" and the lowest score
    x, y, half_x, half_y = crosses(display)
    np.testing.assert_allclose(x, average.fpr_mean[moving], atol=1e-15)
    np.testing.assert_allclose(y, average.tpr_mean[moving], atol=1e-15)
    np.testing.assert_allclose(half_x, getattr(average, f"fpr_{spread}")[moving], atol=1e-15)
    np.testing.assert_allclose(half_y, getattr(average, f"tpr_{spread}")[moving], atol=1e-15)
    words = "standard error" if spread == "sem" else "standard deviation of the folds"
    assert legend_texts(display.ax_) == ["mean of 10 folds", f"± {words}", "chance"]


def test_only_so_many_crosses(german: tuple[Array, Array, Array]) -> None:
    average = rh.operating_point_average(*german)
    assert len(average) > 700
    display = MeanRocDisplay.from_average(average, crosses=12)
    x, y, *_ = crosses(display)
    assert 10 <= x.size <= 12
    steps = np.diff(x + y)  # evenly along the curve
    assert steps.max() < 1.2 * 2 / 12
    assert steps.min() > 0.8 * 2 / 12
    assert len(MeanRocDisplay.from_average(average, crosses=0).ax_.collections) == 0
    everywhere = MeanRocDisplay.from_average(average, crosses=None)
    assert crosses(everywhere)[0].size > 700
    refuses("crosses must not be negative", display.plot, crosses=-1)
    refuses("spread must be one of", display.plot, spread="se")


def test_other_averages_are_drawn(german: tuple[Array, Array, Array]) -> None:
    vertical = MeanRocDisplay.from_average(rh.averaging.vertical_average(*german, points=11), name="vertical")
    _, _, half_x, half_y = crosses(vertical)
    assert not half_x.any()
    assert half_y.all()
    pooled = MeanRocDisplay.from_average(rh.averaging.pooled_average(*german))
    assert not pooled.ax_.collections  # nothing is known of the folds
    assert legend_texts(pooled.ax_) == ["all folds pooled", "chance"]
    curve = rh.roc_curve(german[0], german[1])
    np.testing.assert_array_equal(pooled.line_.get_xdata(), curve.fpr)
    np.testing.assert_array_equal(pooled.line_.get_ydata(), curve.tpr)


def test_a_weight_counts_like_repetition(german: tuple[Array, Array, Array]) -> None:
    times = np.random.default_rng(2).integers(0, 4, len(german[0]))
    weighted = MeanRocDisplay.compute(*german, operating_points="hull", sample_weight=times)
    repeated = [np.repeat(column, times) for column in german]
    assert_same_numbers(weighted, MeanRocDisplay.compute(*repeated, operating_points="hull"), rtol=1e-12)
    draws = SignificanceDisplay.compute(*german, operating_points="hull", sample_weight=times)
    assert draws.point == SignificanceDisplay.compute(*repeated, operating_points="hull").point


# --- significance --------------------------------------------------------------------------------


def test_the_selected_point_and_its_neighbours(german: tuple[Array, Array, Array]) -> None:
    display = SignificanceDisplay.from_predictions(*german, operating_points=None)
    average, i = display.average, display.point
    reaching = np.flatnonzero(average.tpr_mean >= 0.9)
    assert average.fpr_mean[i] == average.fpr_mean[reaching].min()
    expected = average.indistinguishable(i, ["fpr"], 0.95)
    assert expected.sum() > 2
    np.testing.assert_array_equal(display.indistinguishable, expected)
    marks = {line.get_marker(): np.array(line.get_data()) for line in display.ax_.lines}
    points = np.stack([average.fpr_mean, average.tpr_mean])
    np.testing.assert_array_equal(marks["x"][:, 0], points[:, i])
    expected[i] = False
    np.testing.assert_array_equal(marks["o"], points[:, expected])
    assert legend_texts(display.ax_)[2:] == [
        f"selected (in-sample): FPR {100 * points[0, i]:.3g} %, TPR {100 * points[1, i]:.3g} %",
        "FPR indistinguishable (95 %)",
        "chance",
    ]


def test_options_of_the_test(german: tuple[Array, Array, Array]) -> None:
    average = rh.operating_point_average(*german, operating_points=60)
    both = ("fpr", COSTS)
    options = {"level": 0.8, "df": "2n-2", "correction": "nadeau-bengio", "adjust": "holm"}
    display = SignificanceDisplay.from_average(average, point=0, measures=both, **options)
    assert (display.point, display.level, display.measures) == (0, 0.8, both)
    expected = average.indistinguishable(0, both, **options)
    np.testing.assert_array_equal(display.indistinguishable, expected)
    assert "FPR, expected cost indistinguishable (80 %)" in legend_texts(display.ax_)
    computed = SignificanceDisplay.compute(*german, operating_points=60, point=-61, measures=both, **options)
    assert_same_numbers(computed, display)


def test_what_the_legend_says_of_a_point_without_neighbours(german: tuple[Array, Array, Array]) -> None:
    display = SignificanceDisplay.from_predictions(*german, point=12)
    assert display.indistinguishable.nonzero()[0].tolist() == [12]
    found = legend_texts(display.ax_)
    assert not any("indistinguishable" in text for text in found)
    assert any(text.startswith("selected: FPR") for text in found)  # given, not chosen here
    assert not display.in_sample


def test_the_legend_names_the_correction_of_repeated_folds() -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import RepeatedStratifiedKFold

    X, y = rh.datasets.make_highleyman(40)
    cv = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0)
    display = MeanRocDisplay.from_estimator(LogisticRegression(), X, y, cv=cv)
    assert "± standard error (Nadeau-Bengio)" in legend_texts(display.ax_)
    folds = MeanRocDisplay.from_average(display.average, spread="std")
    assert "± standard deviation of the folds" in legend_texts(folds.ax_)
    plain = MeanRocDisplay.from_estimator(LogisticRegression(), X, y, cv=5)
    assert "± standard error" in legend_texts(plain.ax_)


def informedness(c: Any) -> Array:
    return np.asarray(c.tp / c.n_pos - c.fp / c.n_neg)


def test_a_measure_has_a_name(german: tuple[Array, Array, Array]) -> None:
    display = SignificanceDisplay.from_predictions(
        *german, operating_points=None, measures=[informedness, "error"]
    )
    assert "informedness, error indistinguishable (95 %)" in legend_texts(display.ax_)


SELECTING: list[tuple[Any, Callable[[Array, Array], Array], Callable[[Array, Array], Array]]] = [
    (rh.MinimumRecall(0.8), lambda f, t: t >= 0.8, lambda f, t: f),
    (rh.NeymanPearson(0.1), lambda f, t: f <= 0.1, lambda f, t: -t),
    (rh.Capacity(fraction=0.2, prevalence=0.3), lambda f, t: 0.3 * t + 0.7 * f <= 0.2, lambda f, t: -t),
    (COSTS, lambda f, t: f >= 0, lambda f, t: 0.7 * f + 1.5 * (1 - t)),
    (rh.MinimumPrecision(0.6, 0.3), lambda f, t: 0.3 * t >= 0.6 * (0.3 * t + 0.7 * f) - 1e-12,
     lambda f, t: np.where(t > 0, -t, 9)),
    (rh.Utility(lambda f, t: t - 2 * f), lambda f, t: f >= 0, lambda f, t: 2 * f - t),
]  # fmt: skip


@pytest.mark.parametrize(("condition", "meets", "loss"), SELECTING, ids=lambda c: type(c).__name__)
def test_a_condition_selects_the_best_point(
    german: tuple[Array, Array, Array], condition: Any, meets: Any, loss: Any
) -> None:
    display = SignificanceDisplay.compute(*german, operating_points=200, point=condition)
    fpr, tpr = display.average.fpr_mean, display.average.tpr_mean
    assert meets(fpr, tpr)[display.point]
    assert loss(fpr, tpr)[display.point] == pytest.approx(loss(fpr, tpr)[meets(fpr, tpr)].min(), abs=1e-12)


def test_a_limit_that_a_mean_reaches_on_paper_is_reached() -> None:
    # In each of ten folds 9 of 10 positives are above the 5 negatives: every mean is 9/10, or 0.
    fold = np.repeat(np.arange(10), 15)
    y, s = np.tile([1] * 10 + [0] * 5, 10), np.tile([3] * 9 + [1] + [2] * 5, 10)
    display = SignificanceDisplay.compute(y, s, fold, operating_points=None)
    assert display.average.tpr_mean.round(12).tolist() == [0, 0.9, 0.9, 1]
    assert display.point == 1


def test_selecting_refuses(german: tuple[Array, Array, Array]) -> None:
    average = rh.operating_point_average(*german, operating_points=[0.9, 0.95])
    with pytest.raises(rh.InfeasibleConditionError, match=r"min_tpr=0\.9 is met by none of the 3 points"):
        SignificanceDisplay.from_average(average)
    with pytest.raises(ValueError, match="point must be a condition without confidence"):
        SignificanceDisplay.from_average(average, point=rh.NeymanPearson(0.1, confidence=0.9))
    with pytest.raises(rh.ImpreciseConditionError):
        SignificanceDisplay.from_average(average, point=rh.ExpectedCost(1, (1, 5), prevalence=0.5))
    refuses("point=3 is not one of the 3 points", SignificanceDisplay.from_average, average, point=3)
    refuses("at least two folds", SignificanceDisplay.from_average, rh.averaging.pooled_average(*german))
    assert plt.get_fignums() == []


class Detector(LogisticRegression):
    """The paper's Gaussian density of class 1."""

    def fit(self, X: Array, y: Array) -> "Detector":
        self.classes_ = np.unique(y)
        self.mean_, self.precision_ = X[y == 1].mean(axis=0), np.linalg.inv(np.cov(X[y == 1].T))
        return self

    def decision_function(self, X: Array) -> Array:
        away = X - self.mean_
        return np.exp(-np.einsum("ij,jk,ik->i", away, self.precision_, away) / 2)


def test_the_neighbourhood_shrinks_with_the_sample() -> None:
    # Paclik et al. 2008, Figure 2: 50 and 200 examples per class; the mean of 20 data sets.
    counts = {50: 0, 200: 0}
    for n_per_class in counts:
        for seed in range(20):
            X, y = rh.datasets.make_highleyman(n_per_class, seed)
            stacked = rh.cross_validate_roc(Detector(), X, y).stacked
            assert stacked is not None
            display = SignificanceDisplay.compute(stacked.y, stacked.scores, stacked.folds)
            average = display.average
            assert average.tpr_mean[display.point] >= 0.9 - 1e-12
            near = average.fpr_mean[display.indistinguishable]
            counts[n_per_class] += np.ptp(near) / 20
    assert counts[50] > 2 * counts[200] > 0


# --- bands ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("of", ["curve", "hull"])
@pytest.mark.parametrize("method", ["ks", "simultaneous", "pointwise"])
def test_the_band_is_drawn(german: tuple[Array, Array, Array], method: str, of: str) -> None:
    y, s, _ = german
    options: dict[str, Any] = {"method": method, "of": of, "level": 0.9, "n_resamples": 60}
    display = RocBandDisplay.from_predictions(y, s, **options)
    expected = rh.roc_band(y, s, **options, random_state=0)
    assert_same_numbers(display, RocBandDisplay(display.fpr, display.tpr, display.auc, expected))
    hull = rh.roc_hull(y, s)
    assert display.auc == (hull.auc() if of == "hull" else rh.roc_auc(y, s))
    if of == "hull":
        np.testing.assert_array_equal(display.line_.get_xdata(), hull.fpr)
    [band] = [c for c in display.ax_.collections if not isinstance(c, LineCollection)]
    corners = band.get_paths()[0].vertices
    for x, low, high in zip(expected.fpr, expected.low, expected.high, strict=True):
        here = corners[corners[:, 0] == x, 1]
        assert (here.min(), here.max()) == (low, high)
    first, second, *_ = legend_texts(display.ax_)
    assert ("in-sample" in first) == (of == "hull")
    assert f"AUC {display.auc:.3f}" in first
    kinds = {"ks": "Kolmogorov–Smirnov band", "simultaneous": "band of the whole curve"}
    assert second == f"90 % {kinds.get(method, 'interval at each FPR')}"


def test_band_options_have_an_effect(german: tuple[Array, Array, Array]) -> None:
    y, s, fold = german
    plain = RocBandDisplay.compute(y, s, n_resamples=60)
    weight = np.where(np.arange(len(y)) % 2, 1.0, 2.0)
    changes = {"level": 0.5, "random_state": 1, "clusters": fold, "n_resamples": 61, "sample_weight": weight}
    for change in ({name: value} for name, value in changes.items()):
        other = RocBandDisplay.compute(y, s, **{"n_resamples": 60, **change})
        assert not np.array_equal(other.band.low, plain.band.low)
    with pytest.raises(ValueError, match="sample_weight needs a bootstrap"):
        RocBandDisplay.compute(y, s, sample_weight=weight, method="ks")
    refuses("method must be", RocBandDisplay.from_predictions, y, s, method="delong")


def test_a_separated_curve_has_a_band() -> None:
    display = RocBandDisplay.from_predictions([0, 0, 1, 1], [1, 2, 3, 4], n_resamples=39)
    assert display.auc == 1
    FigureCanvasAgg(display.figure_).draw()


# --- spread of the optimal threshold ---------------------------------------------------------------


def cheapest(sample: rh.uncertainty.Resample) -> float:
    """The threshold of least cost, of ties the highest, by looking at all of them."""
    groups = sample.tally()
    fpr = np.append(0, np.cumsum(groups.neg)) / groups.neg.sum()
    tpr = np.append(0, np.cumsum(groups.pos)) / groups.pos.sum()
    cost = (0.7 * fpr + 1.5 * (1 - tpr)).round(12)
    thresholds = np.append(np.inf, groups.score)
    thresholds[-1] = -np.inf  # the lowest score calls everything positive
    return float(thresholds[np.argmin(cost)])


def test_replicates_are_the_optimal_thresholds(german: tuple[Array, Array, Array]) -> None:
    y, s, _ = german
    display = ThresholdSpreadDisplay.compute(y, s, COSTS, n_resamples=200, level=0.8)
    slow = rh.bootstrap(y, s, cheapest, n_resamples=200, level=0.8, random_state=0)
    np.testing.assert_array_equal(display.replicates, slow.replicates)
    assert (display.low, display.high, display.estimate) == (slow.low, slow.high, slow.estimate)
    assert display.estimate == rh.roc_hull(y, s).at(COSTS).rules[0][0].threshold
    assert np.unique(display.replicates).size > 10


@pytest.mark.parametrize(
    "condition", [COSTS, rh.NeymanPearson(0.1), rh.MinimumPrecision(0.6, 0.3)], ids=lambda c: type(c).__name__
)
def test_the_line_is_what_the_rule_costs(german: tuple[Array, Array, Array], condition: Any) -> None:
    y, s, _ = german
    display = ThresholdSpreadDisplay.from_predictions(y, s, condition, n_resamples=100)
    lines = [line for line in display.ax_.lines if line.get_drawstyle() == "steps-pre"]
    assert len(lines) == (1 if condition is COSTS else 2)
    low, high = display.ax_.get_xlim()
    at = np.random.default_rng(0).uniform(low, high, 200)
    called = s >= at[:, None]
    fpr, tpr = called[:, y == 0].mean(axis=1), called[:, y == 1].mean(axis=1)
    expected = [0.7 * fpr + 1.5 * (1 - tpr)] if condition is COSTS else [tpr, fpr]
    for line, values in zip(lines, expected, strict=True):
        x, height = line.get_data()
        drawn = np.asarray(height)[np.searchsorted(x, at)]  # constant up to and with the next threshold
        # Scores closer than 1/2000 of the picture are one step.
        near = np.abs(np.asarray(x)[:, None] - at).min(axis=0) < 2e-3 * (high - low)
        np.testing.assert_allclose(drawn[~near], values[~near], atol=2e-3 * np.ptp(height))
        assert (~near).sum() > 20
    bottom, top = display.ax_.get_ylim()
    assert bottom < min(line.min() for line in expected)
    assert top > max(line.max() for line in expected)
    ylabel = "expected cost per case" if condition is COSTS else "rate"
    assert display.ax_.get_ylabel() == ylabel
    assert any("in-sample" in text for text in legend_texts(display.ax_))


@pytest.mark.parametrize("measure", [rh.Youden(), rh.FBeta(1)], ids=str)
def test_the_threshold_of_a_measure(german: tuple[Array, Array, Array], measure: Any) -> None:
    y, s, _ = german
    display = ThresholdSpreadDisplay.from_predictions(y, s, measure, n_resamples=40)
    assert display.estimate == rh.roc_hull(y, s).at(measure, deterministic=True).rules[0][0].threshold


def test_the_estimate_under_a_constraint(german: tuple[Array, Array, Array]) -> None:
    y, s, _ = german
    for condition in (rh.NeymanPearson(0.1), rh.MinimumRecall(0.8), rh.NeymanPearson(0.1, confidence=0.9)):
        display = ThresholdSpreadDisplay.compute(y, s, condition, n_resamples=60)
        hull = rh.RocHull.from_curve(rh.roc_curve(y, s))
        expected = hull.at(condition, deterministic=True).rules[0][0].threshold
        assert display.estimate == expected
        assert display.low < expected < display.high


def test_the_histogram_and_the_interval(german: tuple[Array, Array, Array]) -> None:
    y, s, _ = german
    display = ThresholdSpreadDisplay.from_predictions(y, s, COSTS, n_resamples=200)
    spans = [p for p in display.ax_.patches if p.get_gid() == "rochull-span"]
    assert len(spans) == 1
    assert (spans[0].get_x(), spans[0].get_x() + spans[0].get_width()) == pytest.approx(
        (display.low, display.high)
    )
    [steps] = [p for p in display.ax_.patches if hasattr(p, "get_data")]
    values, edges, _ = steps.get_data()
    counts = np.histogram(display.replicates, edges)[0]
    np.testing.assert_allclose(values, 0.24 * counts / counts.max())
    assert counts.sum() >= 198
    assert legend_texts(display.ax_)[1:] == [
        f"95 % of replicates: {display.low:.3g} to {display.high:.3g}",
        f"optimum at {display.estimate:.3g}",
    ]


def test_constant_rules_are_counted() -> None:
    rng = np.random.default_rng(3)
    y = (rng.random(60) < 0.5).astype(int)
    display = ThresholdSpreadDisplay.from_predictions(
        y, rng.normal(size=60), rh.ExpectedCost(1, 1.6, prevalence=0.5), n_resamples=200
    )
    always = np.mean(display.replicates == -np.inf)
    assert 0 < always < 1
    assert f"always positive: {100 * always:.3g} % of replicates" in legend_texts(display.ax_)
    alone = ThresholdSpreadDisplay.from_predictions(
        y, np.zeros(60), rh.ExpectedCost(9, 1, prevalence=0.5), n_resamples=39
    )
    assert (alone.low, alone.estimate, alone.high) == (np.inf, np.inf, np.inf)
    assert "never positive: 100 % of replicates" in legend_texts(alone.ax_)
    assert "95 % of replicates: ∞ to ∞" in legend_texts(alone.ax_)


def test_a_replicate_may_not_meet_the_condition() -> None:
    y, s = [0, 0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6, 6]
    condition = rh.MinimumPrecision(0.95, 0.5)
    display = ThresholdSpreadDisplay.compute(y, s, condition, n_resamples=300)
    assert display.estimate == 6
    assert 0 < np.mean(display.replicates == np.inf) < 0.5
    with pytest.raises(rh.InfeasibleConditionError):
        ThresholdSpreadDisplay.compute(y, [-v for v in s], condition)
    with pytest.raises(rh.ImpreciseConditionError):
        ThresholdSpreadDisplay.compute(y, s, rh.NeymanPearson((0.1, 0.2)))


def test_spread_options_have_an_effect(german: tuple[Array, Array, Array]) -> None:
    y, s, fold = german
    plain = ThresholdSpreadDisplay.compute(y, s, COSTS, n_resamples=60)
    weights = np.random.default_rng(1).random(len(y))
    for change in ({"random_state": 1}, {"clusters": fold}, {"sample_weight": weights}):
        other = ThresholdSpreadDisplay.compute(y, s, COSTS, n_resamples=60, **change)
        assert not np.array_equal(other.replicates, plain.replicates)
    heavy = ThresholdSpreadDisplay.compute(y, s, COSTS, n_resamples=60, sample_weight=weights)
    assert heavy.estimate == rh.roc_hull(y, s, sample_weight=weights).at(COSTS).rules[0][0].threshold


HARD: dict[str, tuple[list[int], list[float]]] = {
    "two rows": ([0, 1], [0.3, 0.6]),
    "one score": ([0, 1, 1], [0.5, 0.5, 0.5]),
    "separated": ([0, 0, 0, 1, 1], [0.1, 0.2, 0.3, 0.8, 0.9]),
    "inverted": ([1, 1, 0, 0], [0.1, 0.2, 0.8, 0.9]),
    "infinite": ([0, 0, 1, 1, 0, 1], [-np.inf, 0.0, np.inf, 1.0, np.inf, -np.inf]),
    "only infinite": ([0, 1, 0, 1], [-np.inf, np.inf, np.inf, -np.inf]),
    "extreme": ([0, 1, 0, 1], [1e-300, 1e-10, 0.5, 1e300]),
    "integers": ([0, 1, 0, 1], [1, 2, 3, 4]),
}


@pytest.mark.crossed
@pytest.mark.parametrize("name", ["RocBandDisplay", "ThresholdSpreadDisplay"])
@pytest.mark.parametrize("case", HARD)
@pytest.mark.parametrize(
    "condition",
    [rh.ExpectedCost(prevalence=0.5), rh.ExpectedCost(9, 1, prevalence=0.5), rh.NeymanPearson(0.4)],
)
def test_hard_data_are_drawn(name: str, case: str, condition: Any) -> None:
    y, s = np.array(HARD[case][0]), np.array(HARD[case][1])
    options = {"condition": condition} if name == "ThresholdSpreadDisplay" else {}
    assert np.isfinite(assert_hard_data_are_drawn(name, y, s, **options)).all()
