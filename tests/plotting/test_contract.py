"""What every display promises: numbers first, then the axes that were given, and one set of keywords."""

import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeRegressor

import display_cases
import rochull as rh
from display_cases import (
    DRAWN,
    NOT_DRAWN,
    OPTIONS,
    TAKES,
    assert_hard_data_are_drawn,
    assert_same_numbers,
    assert_ticks_are_apart,
    compute,
    described,
    display_class,
    draw,
    legend_texts,
    takes,
)
from refusals import refuses
from rochull.plotting import __all__ as DISPLAYS

Array = np.ndarray[Any, Any]

SCORED = [name for name in DISPLAYS if takes(name) not in ("outputs", "columns")]  # one score
FOLDED = [name for name in SCORED if "folds" in OPTIONS.get(name, {})]
ASKING = [name for name in SCORED if name not in FOLDED]  # `from_estimator` asks a fitted classifier
PLAIN = [
    name for name in SCORED if OPTIONS.get(name, {}).keys() <= {"n_resamples"}
]  # labels and scores are enough
each_display = pytest.mark.parametrize("name", SCORED)
each_asking = pytest.mark.parametrize("name", ASKING)
each_plain = pytest.mark.parametrize("name", PLAIN)
each_logarithm = pytest.mark.parametrize(
    "name", ["ApeDisplay", "BayesErrorDisplay", "EceDisplay", "ScoreToLlrDisplay", "TippettDisplay"]
)


class LlrClassifier(LogisticRegression):
    """A logistic regression that says log-likelihood-ratios too."""

    def fit(self, X: Array, y: Array) -> "LlrClassifier":
        super().fit(X, y)
        self.prior_ = np.mean(np.asarray(y) == self.classes_[1])
        return self

    def predict_llr(self, X: Array) -> Array:
        return self.decision_function(X) - np.log(self.prior_ / (1 - self.prior_))


@pytest.fixture(scope="module")
def model(features: Array, labels: Array) -> LlrClassifier:
    return LlrClassifier().fit(features, labels)


@pytest.fixture
def values(name: str, model: LlrClassifier, features: Array) -> Array:
    return values_for(name, model, features)


def ask(name: str, estimator: Any, X: Array, y: Array, /, **options: Any) -> Any:
    return display_class(name).from_estimator(estimator, X, y, **{**OPTIONS.get(name, {}), **options})


def values_for(name: str, model: LlrClassifier, features: Array) -> Array:
    """What the display takes, from a fitted model."""
    if takes(name) == "probability":
        return model.predict_proba(features)[:, 1]
    return model.predict_llr(features) if takes(name) == "llr" else model.decision_function(features)


def test_every_case_is_of_a_display() -> None:
    assert {*TAKES, *OPTIONS} <= set(DISPLAYS)


@pytest.mark.parametrize("name", DISPLAYS)
def test_the_constructors_tell_what_they_take(name: str) -> None:
    kind = display_class(name)
    computed, drawn = (inspect.signature(f).parameters for f in (kind.compute, kind.from_predictions))
    own = [key for key, parameter in computed.items() if parameter.kind != parameter.VAR_KEYWORD]
    assert list(drawn) == [*own, "ax", "kwargs"]
    drawing, plotting = (inspect.signature(f).parameters for f in (kind.draw, kind.plot))
    assert list(drawing) == list(plotting)
    assert plotting["ax"].default is plotting["name"].default is None
    for function in (kind.compute, kind.from_predictions, kind.draw, kind.plot):
        parameters = inspect.signature(function).parameters.values()
        names = {"**" * (p.kind == p.VAR_KEYWORD) + p.name for p in parameters} - {"self"}
        assert described(function).keys() == names


@pytest.mark.long
def test_computing_needs_no_matplotlib() -> None:
    code = f"""
import sys
sys.path.insert(0, {str(Path(display_cases.__file__).parent)!r})
import display_cases as cases
for name in {DISPLAYS}:
    print(name, repr(cases.compute(name, *cases.examples(name))), "matplotlib" in sys.modules)
sys.modules["matplotlib"] = None  # as if it were not installed
for name in {DISPLAYS}:
    for act in (lambda: cases.compute(name, *cases.examples(name)).plot(),
                lambda: cases.draw(name, *cases.examples(name))):
        try:
            act()
        except ImportError as error:
            print(name, error)
"""
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = done.stdout.split("\n")[:-1]
    assert lines[: len(DISPLAYS)] == [f"{name} {name}() False" for name in DISPLAYS]
    refused = lines[len(DISPLAYS) :]
    assert [line.split()[0] for line in refused] == [name for name in DISPLAYS for _ in range(2)]
    assert all("matplotlib" in line and 'pip install "rochull[plot]"' in line for line in refused)


@each_display
def test_computing_and_drawing_give_the_same_numbers(name: str, labels: Array, values: Array) -> None:
    computed = compute(name, labels, values)
    assert not hasattr(computed, "ax_")
    assert plt.get_fignums() == []
    drawn = draw(name, labels, values)
    assert isinstance(drawn, display_class(name))
    assert_same_numbers(computed, drawn)
    before = dict(vars(computed))
    computed.plot()
    assert_same_numbers(drawn, computed)
    assert all(vars(computed)[key] is value for key, value in before.items())


@each_display
def test_values_have_a_name(name: str, labels: Array, values: Array) -> None:
    given = {"y_true": labels, takes(name): values, **OPTIONS.get(name, {})}
    assert_same_numbers(display_class(name).compute(**given), compute(name, labels, values))


@each_asking
def test_from_estimator_equals_from_predictions(
    name: str, model: LlrClassifier, features: Array, labels: Array, values: Array
) -> None:
    weights = np.arange(len(labels)) % 3 + 0.5
    theirs = ask(name, model, features, labels, sample_weight=weights)
    assert_same_numbers(theirs, draw(name, labels, values, sample_weight=weights))
    assert theirs.name == "LlrClassifier"
    assert any("LlrClassifier" in text for text in legend_texts(theirs.ax_))
    named = ask(name, model, features, labels, name="ours", ax=theirs.ax_)
    assert named.name == "ours"
    assert named.ax_ is theirs.ax_


@each_display
def test_a_subclass_makes_itself(name: str, model: LlrClassifier, features: Array, labels: Array) -> None:
    kind: Any = type("Subclass", (display_class(name),), {})
    given = OPTIONS.get(name, {})
    assert type(kind.from_predictions(labels, values_for(name, model, features), **given)) is kind
    own = {"cv": 5} if name in FOLDED else given
    assert type(kind.from_estimator(model, features, labels, **own)) is kind


@each_display
def test_given_axes_are_used(name: str, labels: Array, values: Array) -> None:
    figure = Figure()
    left, right = figure.subplots(1, 2)
    display = draw(name, labels, values, ax=right)
    assert display.ax_ is right
    assert display.figure_ is figure
    assert display.line_ in right.lines
    assert not left.lines
    assert display.plot(left) is display
    assert display.ax_ is left
    assert display.line_ in left.lines
    assert plt.get_fignums() == []
    display.plot()
    assert len(plt.get_fignums()) == 1
    assert display.figure_ is plt.gcf()


@pytest.mark.crossed
@each_display
@pytest.mark.parametrize("given", [{"color": "red", "linewidth": 4.5}, {"c": "red", "lw": 4.5}], ids=str)
def test_keywords_reach_the_line(name: str, labels: Array, values: Array, given: dict[str, Any]) -> None:
    display = draw(name, labels, values, alpha=0.25, **given)
    line = display.line_
    assert isinstance(line, Line2D)
    assert (line.get_color(), line.get_linewidth(), line.get_alpha()) == ("red", 4.5, 0.25)
    with pytest.raises(AttributeError, match="no_such_option"):
        display.plot(no_such_option=1)


@each_display
def test_axes_have_labels_and_the_legend_the_name(name: str, labels: Array, values: Array) -> None:
    display = draw(name, labels, values, name="my model")
    assert len(display.ax_.get_xlabel()) > 2
    assert len(display.ax_.get_ylabel()) > 2
    assert "my model" in str(display.line_.get_label())
    assert any("my model" in text for text in legend_texts(display.ax_))
    assert repr(display) == f"{name}('my model')"
    display.plot(name="another")
    assert "another" in str(display.line_.get_label())
    assert not any("my model" in text for text in legend_texts(display.ax_))
    assert display.name == "my model"
    assert not display.ax_.get_legend().get_frame_on()
    for text in display.ax_.get_legend().get_texts():  # no line runs through a text
        ground = text.get_bbox_patch()
        assert ground is not None
        assert ground.get_facecolor() == (1, 1, 1, 0.8)


@each_display
def test_two_displays_on_the_same_axes(name: str, labels: Array, values: Array) -> None:
    first = draw(name, labels, values, name="one")
    count, before = len(first.ax_.lines), first.ax_.get_xlim()
    second = draw(name, labels, values[::-1], name="two", ax=first.ax_)
    assert first.line_.get_color() != second.line_.get_color()
    references = [line for line in second.ax_.lines if (line.get_gid() or "").startswith("rochull-ref")]
    assert len(references) <= 1  # what does not depend on the data is drawn once
    assert len(second.ax_.lines) <= 2 * count
    low, high = second.ax_.get_xlim()
    assert low <= before[0] < before[1] <= high
    texts = legend_texts(second.ax_)
    assert any("one" in text for text in texts)
    assert any("two" in text for text in texts)
    second.figure_.draw_without_rendering()


@each_display
def test_strings_need_a_positive_label(name: str, labels: Array, values: Array) -> None:
    words = np.where(labels == 1, "bad", "good")
    assert_same_numbers(draw(name, words, values, pos_label="bad"), compute(name, labels, values))
    refuses(r"y_true takes the values 'bad', 'good'; give pos_label", draw, name, words, values)


@each_asking
def test_estimators_of_strings_need_one_too(name: str, features: Array, labels: Array) -> None:
    words = np.where(labels == 1, "bad", "good")  # the positive class comes first in the alphabet
    by_words = LlrClassifier(tol=1e-12).fit(features, words)
    assert by_words.classes_.tolist() == ["bad", "good"]
    theirs = ask(name, by_words, features, words, pos_label="bad")
    turned = values_for(name, by_words, features)
    turned = 1 - turned if takes(name) == "probability" else -turned
    assert_same_numbers(theirs, compute(name, labels, turned), rtol=1e-12)
    with pytest.raises(ValueError, match=r"estimator has the classes 'bad' and 'good'; give pos_label"):
        ask(name, by_words, features, words)
    refuses(r"pos_label='worse' is not one of them", ask, name, by_words, features, words, pos_label="worse")


@each_plain
def test_a_weight_counts_like_repetition(name: str, labels: Array, values: Array) -> None:
    times = np.random.default_rng(2).integers(0, 4, len(labels))
    weighted = compute(name, labels, values, sample_weight=times)
    repeated = compute(name, np.repeat(labels, times), np.repeat(values, times))
    others = ("band", "auc.ROC curve.")  # bands and intervals are another matter: see test_displays.py
    assert_same_numbers(weighted, repeated, without=others, rtol=1e-12)
    plain = compute(name, labels, values)
    with pytest.raises(AssertionError):
        assert_same_numbers(weighted, plain, without=others, rtol=1e-12)


@each_display
def test_nothing_that_was_given_is_modified(name: str, labels: Array, values: Array) -> None:
    given = [labels.copy(), values.copy(), np.linspace(0, 2, len(labels))]
    copies = [array.copy() for array in given]
    for array in given:
        array.flags.writeable = False
    before = dict(plt.rcParams)
    draw(name, given[0], given[1], sample_weight=given[2])
    for array, copy in zip(given, copies, strict=True):
        np.testing.assert_array_equal(array, copy)
    assert dict(plt.rcParams) == before


@each_asking
def test_estimator_must_be_fitted(name: str, features: Array, labels: Array) -> None:
    with pytest.raises(NotFittedError):
        ask(name, LlrClassifier(), features, labels)


@each_asking
def test_estimator_must_have_what_is_judged(name: str, features: Array, labels: Array) -> None:
    regressor = DecisionTreeRegressor().fit(features, labels)
    with pytest.raises(
        ValueError, match=r"estimator must have .*, but DecisionTreeRegressor has none of its"
    ):
        ask(name, regressor, features, labels)
    machine = LinearSVC().fit(features, labels)
    if takes(name) == "y_score":
        ask(name, machine, features, labels)
    else:  # no sigmoid takes the place of what is missing
        wanted = "predict_llr" if takes(name) == "llr" else "predict_proba"
        with pytest.raises(ValueError, match=f"must have {wanted}, but LinearSVC has decision_function"):
            ask(name, machine, features, labels)


@each_asking
def test_response_method(name: str, model: LlrClassifier, features: Array, labels: Array) -> None:
    with pytest.raises(ValueError, match="response_method must be 'auto' or one of"):
        ask(name, model, features, labels, response_method="predict")
    if takes(name) == "y_score":
        theirs = ask(name, model, features, labels, response_method="predict_proba")
        probability = model.predict_proba(features)[:, 1]
        assert_same_numbers(theirs, compute(name, labels, probability))


@each_asking
def test_estimator_must_be_binary(name: str, features: Array, labels: Array) -> None:
    three = LlrClassifier().fit(features, np.arange(len(features)) % 3)
    with pytest.raises(ValueError, match="must be a binary classifier, but LlrClassifier has 3 classes"):
        ask(name, three, features, labels)


@each_display
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda y, v: (y[1:], v, None), r"y_true and \w+ must have the same length"),
        (lambda y, v: (y, v, np.ones(3)), "y_true and sample_weight must have the same length"),
        (lambda y, v: (y, v, -np.ones(len(y))), "sample_weight has 300 negative values"),
        (lambda y, v: (np.zeros(len(y)), v, None), "y_true has one class only"),
        (lambda y, v: (y, np.where(v > 0, np.nan, v), None), r"(y_score|llr|probability) has \d+ NaN"),
        (lambda y, v: (y, v[:, None] * [1, 1], None), r"must have shape \(n,\) or \(n, 1\)"),
    ],
)
def test_bad_input(name: str, labels: Array, values: Array, change: Callable[..., Any], message: str) -> None:
    y_true, wrong, weights = change(labels, values)
    refuses(message, draw, name, y_true, wrong, sample_weight=weights)
    assert plt.get_fignums() == []


HARD: dict[str, tuple[list[int], list[float]]] = {
    "two rows": ([0, 1], [0.3, 0.6]),
    "one score": ([0, 1, 1], [0.5, 0.5, 0.5]),
    "separated": ([0, 0, 0, 1, 1], [0.1, 0.2, 0.3, 0.8, 0.9]),
    "inverted": ([1, 1, 0, 0], [0.1, 0.2, 0.8, 0.9]),
    "certain": ([0, 0, 1, 1, 1, 0], [0.0, 0.0, 1.0, 1.0, 0.5, 0.5]),
    "certain and wrong": ([0, 1, 0, 1], [0.0, 0.0, 1.0, 1.0]),
    "extreme": ([0, 1, 0, 1], [1e-300, 1e-10, 0.5, 1 - 1e-16]),
}


@pytest.mark.crossed
@each_plain
@pytest.mark.parametrize("case", HARD)
def test_hard_data_are_drawn(name: str, case: str) -> None:
    y_true, probability = np.array(HARD[case][0]), np.array(HARD[case][1])
    values = probability
    if takes(name) == "llr":
        with np.errstate(divide="ignore"):
            values = np.log(probability) - np.log1p(-probability)
    assert_hard_data_are_drawn(name, y_true, values)


@pytest.mark.crossed
@each_plain
@pytest.mark.parametrize("size", [(4, 4), (8, 6)], ids=str)
def test_tick_labels_do_not_overlap(name: str, labels: Array, values: Array, size: tuple[int, int]) -> None:
    figure = Figure(figsize=size)
    ax = draw(name, labels, values, ax=figure.subplots()).ax_
    figure.draw_without_rendering()
    assert_ticks_are_apart(ax, least=3)


@pytest.mark.crossed
@each_logarithm
@pytest.mark.parametrize(
    ("base", "message"),
    [
        (1, "base must be a number above 1, such as e or 10, but is 1"),
        (0, "base must be a number above 1, such as e or 10, but is 0"),
        (-2, "base must be a number above 1, such as e or 10, but is -2"),
        (0.5, r"base must be a number above 1, such as e or 10, but is 0\.5"),
        (np.nan, "base must be a finite number, but is nan"),
        (np.inf, "base must be a finite number, but is inf"),
        ("10", "base must be a finite number, but is '10'"),
    ],
)
def test_base_of_a_logarithm(name: str, labels: Array, values: Array, base: Any, message: str) -> None:
    refuses(f"^{message}", draw, name, labels, values, base=base)
    assert plt.get_fignums() == []


@each_logarithm
def test_base_2(name: str, labels: Array, values: Array) -> None:
    ax = compute(name, labels, values).plot(base=2).ax_
    assert "log₂" in ax.get_xlabel() + ax.get_ylabel()


@each_plain
def test_names_are_text(name: str, labels: Array, values: Array, tmp_path: Path) -> None:
    display = compute(name, labels, values)
    for said in ("cost $x^$ model", "_x"):
        display.plot(name=said)
        display.figure_.savefig(tmp_path / "picture.png", dpi=50)  # a formula that is none raises here
        assert any(said in text for text in legend_texts(display.ax_))


@pytest.mark.parametrize("name", [*PLAIN, "DecisionCurveDisplay"])
def test_in_small_axes_nothing_is_cut_off_and_no_curve_is_hidden(
    name: str, labels: Array, values: Array
) -> None:
    figure = Figure(figsize=(3, 2.5), layout="constrained")
    ax = figure.subplots()
    display = compute(name, labels, values, name="a_long $name$ of one")
    with plt.style.context("dark_background"):
        display.plot(ax)
    FigureCanvasAgg(figure).draw()
    legend, room = ax.get_legend().get_window_extent(), figure.bbox
    assert ax.bbox.width > 0.5 * room.width
    assert ax.bbox.height > 0.3 * room.height
    assert room.x0 <= legend.x0 < legend.x1 <= room.x1 + 1
    assert room.y0 - 1 <= legend.y0 < legend.y1 <= room.y1
    cycle = plt.style.library["dark_background"]["axes.prop_cycle"].by_key()["color"]
    assert display.line_.get_color() in cycle
    assert not any(text.get_parse_math() for text in ax.get_legend().get_texts())


def test_low_scores_are_given_negated() -> None:
    with pytest.raises(TypeError, match="GainDisplay has no lower_is_positive: give the scores negated"):
        rh.plotting.GainDisplay.from_predictions([0, 1], [2.0, 1.0], lower_is_positive=True)
    with pytest.raises(TypeError, match="negated, or as they are with calibrators of low scores"):
        rh.plotting.ScoreToLlrDisplay.from_predictions([0, 1], [2.0, 1.0], lower_is_positive=True)


def test_the_cost_of_reviews_takes_low_scores_as_they_are() -> None:
    y, distance, asked = [1, 1, 0, 0], np.array([1.0, 3.0, 2.0, 4.0]), rh.Review(cost_fn=5, cost_review=0.2)
    found = rh.plotting.ReviewDisplay.from_predictions(y, distance, review=asked, lower_is_positive=True)
    negated = rh.plotting.ReviewDisplay.from_predictions(y, -distance, review=asked)
    np.testing.assert_array_equal(found.frontier.cost, negated.frontier.cost)
    assert found.cost == negated.cost
    assert (found.point.tpr, found.point.fpr, found.point.review_rate) == (1, 0, 0.5)


def test_a_hybrid_draws_itself() -> None:
    table = rh.datasets.load("german_credit_scores")
    names = ["boosted", "naive_bayes", "tree"]
    hybrid = rh.Hybrid.from_table(table, label="class", scores=names, pos_label="bad", curve=True)
    costs = rh.ExpectedCost(1, 5)
    ax = Figure().subplots()
    display = hybrid.plot(costs, ax=ax)
    assert display.point == hybrid.at(costs)
    np.testing.assert_array_equal(display.hull_fpr, hybrid.hull.fpr)
    np.testing.assert_array_equal(display.line_.get_ydata(), hybrid.hull.tpr)
    texts = legend_texts(ax)
    assert [*names, "hull of all (in-sample)", "iso-performance"] == texts[:5]
    assert texts[5] == "best at costs 1 : 5: " + ", ".join(display.point.classifiers)
    scores = {name: table[name] for name in names}
    again = rh.plotting.RocHullDisplay.compute(table["class"], scores, condition=costs, pos_label="bad")
    assert_same_numbers(again, display)
    refuses("hybrid must be a Hybrid", rh.plotting.RocHullDisplay.from_hybrid, scores)


def test_of_many_classifiers_those_never_needed_are_one_entry() -> None:
    table = rh.datasets.load("german_credit_scores")
    rng, hybrid = np.random.default_rng(0), rh.Hybrid()
    for i in range(9):
        hybrid.add(f"c{i}", table["class"], table["boosted"] + rng.normal(0, 0.05 * i, 1000), pos_label="bad")
    ax = Figure().subplots()
    display = hybrid.plot(ax=ax)
    others = 9 - len(display.owners)
    assert others > 0
    assert f"{others} others, never better" in legend_texts(ax)
    assert set(display.owners) <= set(legend_texts(ax))


def test_a_gain_of_nothing_says_so() -> None:
    y, s = display_cases.examples("SegmentGainDisplay")
    display = compute("SegmentGainDisplay", y, s)
    display.tpr_gain, display.fpr_spent = 0 * display.tpr_gain, 0 * display.fpr_spent
    ax = display.plot().ax_
    assert ax.get_xlabel() == "change of the rate, in percentage points: none"
    assert not ax.texts  # no text lies over a mark


def test_segments_without_a_change_are_one_row() -> None:
    y, s = display_cases.examples("SegmentGainDisplay")
    display = compute("SegmentGainDisplay", y, s)
    display.segments, many = tuple(f"s{i}" for i in range(15)), np.arange(15)
    display.tpr_gain, display.fpr_spent = np.where(many == 4, 0.02, 0.0), 0.0 * many
    display.n_neg = display.n_pos = many + 1
    labels = [tick.get_text().split("\n")[0] for tick in display.plot().ax_.get_yticklabels()]
    assert labels == ["s4", "14 others without a change", "all"]


def test_decision_curves_of_several_models_have_no_bands_and_end_where_they_are_useful() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 200)
    probability = 1 / (1 + np.exp(-2 * rng.normal(labels - 0.5)))
    models = {"a": probability, "b": probability**2, "c": np.sqrt(probability)}
    figure = Figure(figsize=(4, 3.2), layout="constrained")
    ax = figure.add_subplot()
    display = rh.plotting.DecisionCurveDisplay.from_predictions(labels, models, ax=ax)
    lines = {line.get_label(): line for line in ax.lines}
    assert not ax.collections
    assert {"a", "b", "c", "treat none", "treat all"} == lines.keys()
    curve, right = display.curve, ax.get_xlim()[1]
    gain = max_of(curve) - np.maximum(curve.treat_all.estimate, 0)
    assert (gain[curve.thresholds > right] <= 0.01 * curve.prevalence).all()
    assert right <= 1
    figure.draw_without_rendering()
    legend = ax.get_legend().get_window_extent()
    for name in ("treat all", "treat none"):
        path = lines[name].get_transform().transform_path(lines[name].get_path())
        assert not path.intersects_bbox(legend, filled=False)
    bands = display.plot(Figure().add_subplot(), interval=True).ax_.collections
    shades = [to_rgb(area.get_facecolor()[0][:3]) for area in bands]
    assert shades == [to_rgb(lines[name].get_color()) for name in "abc"]
    alone = rh.plotting.DecisionCurveDisplay.compute(labels, probability).plot(Figure().add_subplot())
    assert len(alone.ax_.collections) == 1
    assert any("best threshold" in text for text in legend_texts(alone.ax_))


def max_of(curve: Any) -> Array:
    return np.max([found.estimate for found in curve.net_benefit.values()], axis=0)


@each_display
def test_a_display_takes_what_its_functions_take(name: str) -> None:
    display = display_class(name)
    for function in DRAWN[name]:
        wanted = inspect.signature(function).parameters.keys() - NOT_DRAWN.get(name, set())
        for door in (display.compute, display.from_predictions):
            assert wanted <= inspect.signature(door).parameters.keys(), door


@pytest.mark.parametrize("name", ["CostCurveDisplay", "DetDisplay", "RocHullDisplay", "DecisionCurveDisplay"])
def test_low_scores_that_are_positive_are_drawn_as_their_mirror(name: str) -> None:
    rng = np.random.default_rng(2)
    y, p = rng.integers(0, 2, 60), rng.uniform(size=60).round(1)
    options = OPTIONS.get(name, {})
    low = display_class(name).compute(y, 1 - p, lower_is_positive=True, **options)
    assert_same_numbers(low, display_class(name).compute(y, p, **options))


def test_clusters_and_harm_of_a_decision_curve() -> None:
    rng = np.random.default_rng(3)
    y, p, options = (
        rng.integers(0, 2, 40),
        rng.uniform(size=40),
        {"harm": 0.02, "clusters": np.arange(40) // 4},
    )
    found = rh.plotting.DecisionCurveDisplay.compute(y, p, thresholds=[0.3], **options)  # type: ignore[arg-type]
    expected = rh.decision_curve(y, p, [0.3], **options)  # type: ignore[arg-type]
    assert str(found.curve.net_benefit[None]) == str(expected.net_benefit[None])


def test_a_brier_curve_is_of_the_positive_class() -> None:
    with pytest.raises(ValueError, match="lower_is_positive is of no use for probabilities of the positive"):
        rh.plotting.CostCurveDisplay.compute([0, 1], [0.1, 0.9], kind="brier", lower_is_positive=True)
