"""Displays of several classes: their numbers, and what every display promises (see test_contract.py too)."""

from itertools import pairwise
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import NotFittedError
from sklearn.svm import LinearSVC

import rochull as rh
from display_cases import legend_texts
from refusals import refuses
from rochull.multiclass import Cell, Error, MulticlassAverage, MulticlassPoints
from rochull.multiclass.points import InfeasibleLimitsError
from rochull.plotting import MulticlassConfusionDisplay
from rochull.plotting.class_errors import chosen_classes, front_of
from rochull.plotting.error_surface import least_third, lower_facets
from rochull.plotting.multiclass_confusion import _contrast

Array = np.ndarray[Any, Any]

NAMES = ["ErrorSurfaceDisplay", "MulticlassConfusionDisplay", "PairwiseErrorDisplay"]
ERRORS = ["ErrorSurfaceDisplay", "PairwiseErrorDisplay"]
each_display = pytest.mark.parametrize("name", NAMES)
each_errors = pytest.mark.parametrize("name", ERRORS)
WEIGHTS = np.random.default_rng(2).dirichlet(np.ones(3), 80)


@pytest.fixture(scope="module")
def labels() -> Array:
    return np.array(["a", "b", "c"])[np.random.default_rng(0).integers(0, 3, 240)]


@pytest.fixture(scope="module")
def features(labels: Array) -> Array:
    return (
        np.random.default_rng(1).normal(size=(240, 2))
        + (labels == "b")[:, None] * [1, 0]
        + (labels == "c")[:, None] * [0, 1.5]
    )


@pytest.fixture(scope="module")
def model(features: Array, labels: Array) -> LinearDiscriminantAnalysis:
    return LinearDiscriminantAnalysis().fit(features, labels)


@pytest.fixture(scope="module")
def outputs(model: LinearDiscriminantAnalysis, features: Array) -> Array:
    return model.predict_proba(features)


@pytest.fixture(scope="module")
def points(labels: Array, outputs: Array) -> MulticlassPoints:
    return rh.MulticlassRoc(labels, outputs).points_at(WEIGHTS)


@pytest.fixture(scope="module")
def average(labels: Array, outputs: Array) -> MulticlassAverage:
    return rh.multiclass.multiclass_average(labels, outputs, np.arange(240) % 8, WEIGHTS)


def display_class(name: str) -> Any:
    return getattr(rh.plotting, name)


def numbers(display: Any) -> dict[str, Any]:
    return {k: v for k, v in vars(display).items() if k != "name" and k[-1] != "_" and k[0] != "_"}


def assert_same(first: Any, second: Any) -> None:
    ours, theirs = numbers(first), numbers(second)
    assert ours.keys() == theirs.keys()
    for key, value in ours.items():
        np.testing.assert_equal(value, theirs[key], err_msg=key)


def texts(figure: Any) -> list[str]:
    return [text.get_text() for text in figure.findobj(plt.Text) if text.get_text()]


# --- the contract --------------------------------------------------------------------------------


@each_display
def test_all_ways_give_the_same_numbers(
    name: str, labels: Array, outputs: Array, features: Array, model: LinearDiscriminantAnalysis
) -> None:
    kind = display_class(name)
    computed = kind.compute(labels, outputs, weights=WEIGHTS)
    assert not hasattr(computed, "ax_")
    assert plt.get_fignums() == []
    roc = rh.MulticlassRoc(labels, outputs)
    roc._points = roc._with_overview = points = roc.points_at(WEIGHTS)  # as if a search had found them
    for drawn in (
        kind.from_predictions(labels, outputs, weights=WEIGHTS),
        kind.from_estimator(model, features, labels, weights=WEIGHTS),
        kind.from_points(points),
        kind.from_roc(roc),
    ):
        assert_same(computed, drawn)
        assert type(drawn) is kind
    assert kind.from_estimator(model, features, labels, weights=WEIGHTS).name == type(model).__name__
    subclass = type("Subclass", (kind,), {})
    assert type(subclass.from_points(points)) is subclass


@each_display
def test_names_are_shown_as_they_are(name: str, points: MulticlassPoints) -> None:
    strange = ("$a_1$", "<b>", "a very long name of a class which needs several lines " * 2)
    renamed = MulticlassPoints(points.weights, points.confusion, strange)
    display = display_class(name).from_points(renamed, name="my $model$")
    display.figure_.canvas.draw()
    shown = texts(display.figure_)
    assert any("my $model$" in text for text in shown)
    assert any("$a_1$" in text for text in shown)
    assert any("…" in text for text in shown)
    named = [
        t
        for t in display.figure_.findobj(plt.Text)
        if "$" in t.get_text() and "mathdefault" not in t.get_text()
    ]
    assert named
    assert not any(text.get_parse_math() for text in named)


@each_display
def test_given_axes_are_used(name: str, points: MulticlassPoints) -> None:
    figure = Figure(figsize=(9, 4))
    left, right = figure.subplots(1, 2)
    display = display_class(name).from_points(points, ax=right)
    assert display.figure_ is figure
    assert plt.get_fignums() == []
    assert not left.lines
    assert not left.images
    if name == "PairwiseErrorDisplay":
        assert not right.axison
        assert display.axes_.shape == (2, 2)
        assert display.axes_[0, 1] is None
        assert display.ax_ is display.axes_[0, 0]
    else:
        assert display.ax_ is right
    FigureCanvasAgg(figure).draw()
    assert display.plot() is display
    assert len(plt.get_fignums()) == 1


@each_display
def test_nothing_that_was_given_is_modified(name: str, labels: Array, outputs: Array) -> None:
    given = [labels.copy(), outputs.copy(), WEIGHTS.copy(), np.linspace(0, 2, len(labels))]
    for array in given:
        array.flags.writeable = False
    before = dict(plt.rcParams)
    display_class(name).from_predictions(given[0], given[1], weights=given[2], sample_weight=given[3])
    assert dict(plt.rcParams) == before


@each_display
def test_a_weight_counts_like_repetition(name: str, labels: Array, outputs: Array) -> None:
    times = np.random.default_rng(2).integers(0, 4, len(labels))
    kind = display_class(name)
    weighted = kind.compute(labels, outputs, weights=WEIGHTS, sample_weight=times, point=3)
    repeated = kind.compute(
        np.repeat(labels, times), np.repeat(outputs, times, axis=0), weights=WEIGHTS, point=3
    )
    what = "confusion" if name == "MulticlassConfusionDisplay" else "errors"
    np.testing.assert_allclose(getattr(weighted, what), getattr(repeated, what), rtol=1e-12)


@each_display
def test_bad_input(
    name: str, labels: Array, outputs: Array, features: Array, points: MulticlassPoints
) -> None:
    kind = display_class(name)
    with pytest.raises(NotFittedError):
        kind.from_estimator(LinearDiscriminantAnalysis(), features, labels)
    with pytest.raises(ValueError, match="must have predict_proba, but LinearSVC has none"):
        kind.from_estimator(LinearSVC().fit(features, labels), features, labels)
    refuses("points must be MulticlassPoints, but is a ndarray", kind.from_points, WEIGHTS)
    refuses("point is 80, but there are 80 points", kind.from_points, points, point=80)
    refuses("outputs has 240 negative values", kind.from_predictions, labels, outputs - [9, 0, 0])
    with pytest.raises(ValueError, match="search has no effect on given weights"):
        kind.from_predictions(labels, outputs, weights=WEIGHTS, search={})
    with pytest.raises(ValueError, match="y_true has the class 'a', for which outputs has no column"):
        kind.from_predictions(labels, outputs, columns=["b", "c", "d"])
    with pytest.raises(InfeasibleLimitsError):
        kind.from_points(
            points,
            subject_to=[
                Error("a") <= 0,
                Error("b") <= 0,
                Error("c") <= 0,
            ],
        )
    assert plt.get_fignums() == []


@each_display
def test_a_search_finds_what_is_drawn(name: str, labels: Array, outputs: Array) -> None:
    kind = display_class(name)
    assert_same(kind.compute(labels, outputs), kind.compute(labels, outputs))
    searched = kind.compute(
        labels, outputs, search={"method": "greedy", "n_starts": 50, "n_steps": 1, "keep": 7}
    )
    if name != "MulticlassConfusionDisplay":
        assert searched.errors.shape == (7, 3)
        assert len(kind.compute(labels, outputs).errors) > 100  # random vectors too


# --- errors --------------------------------------------------------------------------------------


@pytest.mark.long
@each_errors
def test_the_marked_point(name: str, points: MulticlassPoints) -> None:
    kind = display_class(name)
    limits = [Error("a") <= 0.3]
    assert kind.from_points(points, point=None).point is None
    assert kind.from_points(points, point=-1).point == 79
    for point, subject_to in (
        ("max_error", ()),
        (Error("b"), limits),
        (rh.multiclass.CostMatrix(1 - np.eye(3)), limits),
    ):
        display = kind.from_points(points, point=point, subject_to=subject_to)
        best = points.at(point, subject_to)
        assert points.weights[display.point].tolist() == best.weights.tolist()
    np.testing.assert_array_equal(display.errors, points.errors)
    assert display.indistinguishable is None


@each_errors
def test_an_average_circles_what_is_alike(name: str, average: MulticlassAverage) -> None:
    display = display_class(name).from_average(average, point=Error("c"), test={"df": "2n-2"})
    assert display.point == np.argmin(average.mean(Error("c")))
    np.testing.assert_array_equal(display.errors, average.errors_mean)
    np.testing.assert_array_equal(
        display.indistinguishable, average.indistinguishable(display.point, df="2n-2")
    )
    marked = display_class(name).from_average(average)
    assert marked.point == average.at("max_error")
    written = " ".join(text.replace("\n", " ") for text in texts(marked.figure_))
    assert "(least mean of the largest error)" in written
    circled = display_class(name).from_average(average, test={"level": 0.99999})
    assert circled.indistinguishable.sum() > 1
    words = [text.replace("\n", " ") for text in texts(circled.figure_)]
    assert "indistinguishable from it" in words  # no word is broken
    assert display_class(name).from_average(average, point=None).indistinguishable is None


@each_errors
def test_classes_can_be_chosen(name: str, average: MulticlassAverage) -> None:
    four = np.random.default_rng(3).integers(0, 9, (5, 9, 9)) + 1
    points = MulticlassPoints(np.ones((5, 9)), four, tuple("abcdefghi"))
    display = display_class(name).from_points(points, classes=["h", "b", "c"])
    assert display.classes == ("h", "b", "c")
    np.testing.assert_array_equal(display.errors, points.errors[:, [7, 1, 2]])
    message = (
        "choose three by classes=.*PairwiseErrorDisplay"
        if name == "ErrorSurfaceDisplay"
        else "at most 8 classes"
    )
    refuses(message, display_class(name).from_points, points)
    with pytest.raises(ValueError, match="classes: there is no class 'z'"):
        display_class(name).from_points(points, classes=["a", "b", "z"])
    refuses("two or more different classes", chosen_classes, "abc", ["a", "a"])
    refuses("there is nothing to draw", display_class(name).from_points, points[:0], classes=["a", "b", "c"])


def test_a_map_tells_what_is_reached_without_error_from_what_is_not_reached() -> None:
    confusion = np.array([[[19, 1, 0], [1, 9, 0], [0, 0, 8]], [[18, 2, 0], [0, 10, 0], [0, 0, 8]]])
    points = MulticlassPoints(np.ones((2, 3)), confusion, ("a", "b", "c"))
    ax = rh.plotting.ErrorSurfaceDisplay.from_points(points).ax_
    (mesh,) = ax.collections
    colour = mesh.cmap(mesh.norm(0.0))
    assert min(np.abs(np.subtract(colour[:2], ax.get_facecolor()[:2]))) > 0.05
    assert mesh.norm.vmax <= 0.011  # nothing in the picture has a larger error
    assert "no point is as good" in legend_texts(ax)


def test_two_classes_are_one_panel(labels: Array, outputs: Array) -> None:
    two = labels != "c"
    display = rh.plotting.PairwiseErrorDisplay.from_predictions(labels[two], outputs[two][:, :2])
    assert display.axes_.shape == (1, 1)
    x, y = display.line_.get_data()
    assert (np.diff(x) >= 0).all()
    assert (np.diff(y) <= 0).all()


def test_keywords_reach_the_front(points: MulticlassPoints) -> None:
    for name in ERRORS:
        display = display_class(name).from_points(points, color="red", alpha=0.25)
        assert (display.line_.get_color(), display.line_.get_alpha()) == ("red", 0.25)
    with pytest.raises(ValueError, match="ax must stand in a grid"):
        rh.plotting.PairwiseErrorDisplay.from_points(points, ax=Figure().add_axes((0, 0, 1, 1)))
    map_ = MulticlassConfusionDisplay.from_points(points, cmap="Oranges").image_.cmap
    assert map_.name == "Oranges"


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=12))
def test_front_and_facets_against_slow_twins(rows: list[tuple[int, int, int]]) -> None:
    errors = np.array(rows, float) / 4
    front = front_of(errors)
    kept = {tuple(errors[i]) for i in front}
    assert kept == {
        r for r in map(tuple, errors)
        if not any(all(a <= b for a, b in zip(o, r, strict=True)) and o != r for o in map(tuple, errors))
    }  # fmt: skip
    x, y, least = least_third(errors[front])
    for i, j in np.ndindex(least.shape):
        within = [e[2] for e in errors if e[0] <= x[i] and e[1] <= y[j]]
        assert least[i, j] == min(within, default=np.nan) or (np.isnan(least[i, j]) and not within)
    for facet in lower_facets(errors, front):
        a, b, c = errors[facet]
        normal = np.cross(b - a, c - a)
        normal = normal if normal.sum() > 0 else -normal
        assert (normal >= -1e-9).all()  # a price of each error for which the corners are the best points
        assert (errors @ normal >= a @ normal - 1e-9).all()


# --- the confusion matrix ------------------------------------------------------------------------


def test_the_matrix_of_the_best_point(points: MulticlassPoints) -> None:
    limits = [Error("a") <= 0.3, Cell("b", "c") <= 0.2]
    display = MulticlassConfusionDisplay.from_points(points, subject_to=limits)
    best = points.at("max_error", limits)
    np.testing.assert_array_equal(display.confusion, best.confusion)
    np.testing.assert_array_equal(display.rates, best.rates)
    assert display.limits == tuple(limits)
    assert display.broken == ()
    shown = texts(display.figure_)
    for i in range(3):
        for j in range(3):
            told = f"{100 * best.rates[i, j]:.1f} %\n{best.confusion[i, j]}"
            assert any(text.startswith(told) for text in shown)
    assert any(text.endswith("\nerror ≤ 30 %") for text in shown)
    np.testing.assert_array_equal(display.image_.get_array(), best.rates)


def test_broken_limits_are_marked(points: MulticlassPoints) -> None:
    limits = [
        Error("a") <= 0,
        Cell("b", "c") <= 0.99,
        Cell("c", "c") >= 0.999,
        rh.multiclass.MaxError() <= 0.01,
    ]
    display = MulticlassConfusionDisplay.from_point(points.at("max_error"), subject_to=limits, name="LDA")
    assert display.broken == (limits[0], limits[2], limits[3])
    shown = texts(display.figure_)
    assert sum("✗" in text for text in shown) == 2
    assert any("✗ ≥ 99.9 %" in text for text in shown)
    assert any(
        text.startswith("LDA: errors of at most") and "breaks MaxError() <= 0.01" in text for text in shown
    )
    frames = [patch for patch in display.ax_.patches if patch.get_linewidth() > 3]
    assert len(frames) == 2
    with pytest.raises(ValueError, match="there is no class 'z'"):
        MulticlassConfusionDisplay.from_point(points[0], subject_to=Error("z") <= 0.1)
    refuses("point must be a MulticlassPoint, but is an int", MulticlassConfusionDisplay.from_point, 3)


@pytest.mark.parametrize("cmap", ["Blues", "viridis", "Greys_r"])
def test_texts_can_be_read_on_their_cells(points: MulticlassPoints, cmap: str) -> None:
    display = MulticlassConfusionDisplay.from_points(points, cmap=cmap)
    for text in display.ax_.texts:
        j, i = map(int, text.get_position())
        shade = display.image_.to_rgba(display.rates[i, j])[:3]
        assert _contrast(shade, 1.0 if text.get_color() == "white" else 0.0) >= 4.5
    assert _contrast([1, 1, 1], 0.0) == pytest.approx(21)


def test_mixtures_and_many_classes_are_drawn(points: MulticlassPoints) -> None:
    mixed = points.at(Error("b"), Error("a") <= 0.2, mixtures=True)
    display = MulticlassConfusionDisplay.from_point(mixed)
    assert display.rules == mixed.rules
    many = MulticlassPoints(
        np.ones((1, 9)),
        np.random.default_rng(1).integers(1, 99, (1, 9, 9)),
        tuple(f"class number {i}" for i in range(9)),
    )
    display = MulticlassConfusionDisplay.from_points(many)
    FigureCanvasAgg(display.figure_).draw()
    boxes = [tick.get_window_extent() for tick in display.ax_.get_xticklabels()]
    assert not any(a.overlaps(b) for a, b in pairwise(boxes))


@pytest.mark.parametrize("name", ["ErrorSurfaceDisplay", "PairwiseErrorDisplay"])
def test_what_the_numbers_are_measured_on_is_said(
    name: str, points: MulticlassPoints, average: MulticlassAverage
) -> None:
    kind = getattr(rh.plotting, name)
    classes = points.classes[:3]
    for display, told in (
        (kind.from_points(points, classes=classes), "in-sample"),
        (kind.from_points(points, classes=classes, in_sample=False), "held-out"),
        (kind.from_average(average, classes=average.classes[:3]), f"means of {average.n_folds} folds"),
    ):
        figure = display.figure_
        legends = [child for ax in figure.axes for child in [ax.get_legend()] if child is not None]
        assert told in legends[0].get_title().get_text().replace("\n", " ")
        assert display.measured.startswith(told)
    marked = kind.from_points(points, classes=classes, point=points[7])
    assert marked.point == 7
    with pytest.raises(TypeError, match="minimise is not an option of this display: point= takes"):
        kind.from_points(points, classes=classes, minimise="error")


def test_a_matrix_says_what_it_is_measured_on(points: MulticlassPoints) -> None:
    kind = MulticlassConfusionDisplay
    assert "(in-sample)" in kind.from_points(points, point=points[3]).ax_.get_title()
    held = kind.from_points(points, point=points[3], in_sample=False)
    assert "(held-out)" in held.ax_.get_title()
    assert held.confusion.tolist() == points.confusion[3].tolist()
    with pytest.raises(TypeError, match="limits is not an option of this display: subject_to= takes"):
        kind.from_points(points, limits=[])
    digits = MulticlassPoints(np.ones((1, 10)), np.eye(10, dtype=int)[None], tuple(range(10)))
    assert all(tick.get_rotation() == 0 for tick in kind.from_points(digits).ax_.get_xticklabels())
