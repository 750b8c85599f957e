"""ROC curves of several classifiers in bands."""

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import rochull as rh
from display_cases import legend_texts
from refusals import refuses

Array = np.ndarray[Any, Any]
RocDisplay = rh.plotting.RocDisplay
NAMES = ("boosted", "tree", "knn")


@pytest.fixture(scope="module")
def scored() -> tuple[Array, dict[str, Array]]:
    table = rh.datasets.load("german_credit_scores")
    return (table["class"] == "bad").astype(int), {name: table[name] for name in NAMES}


def areas(ax: Any) -> list[Any]:
    return [area for area in ax.collections if area.get_gid() == "rochull-band"]


@pytest.mark.parametrize(
    ("band", "said"),
    [
        ("simultaneous", "90 % bands, each for a whole curve"),
        ("pointwise", "90 % intervals at each FPR"),
        ("ks", "90 % Kolmogorov–Smirnov bands"),
    ],
)
def test_each_curve_has_its_band_and_the_interval_of_its_area(
    scored: tuple[Array, dict[str, Array]], band: str, said: str
) -> None:
    y, scores = scored
    display = RocDisplay.compute(y, scores, band=band, level=0.9, n_resamples=40, random_state=3)
    for name, score in scores.items():
        alone: Any = {"n_resamples": 40, "random_state": 3} if band != "ks" else {}
        np.testing.assert_array_equal(
            display.bands[name].low, rh.roc_band(y, score, band, level=0.9, **alone).low
        )
        assert display.auc[name] == rh.auc_interval(y, score, level=0.9)
    ax = display.plot(Figure().subplots()).ax_
    found = display.auc["tree"]
    assert f"tree, AUC {found.estimate:.3f} ({found.low:.3f} to {found.high:.3f})" in legend_texts(ax)
    assert legend_texts(ax)[-2:] == [said, "chance"]
    assert len(areas(ax)) == 3


def test_without_a_band_none_is_drawn(scored: tuple[Array, dict[str, Array]]) -> None:
    ax = RocDisplay.from_predictions(*scored, band=None, ax=Figure().subplots(), color="red").ax_
    assert areas(ax) == []
    assert len(legend_texts(ax)) == len(NAMES) + 1
    assert "red" not in [line.get_color() for line in ax.lines]  # it would be that of all


def test_a_classifier_has_one_colour_in_all_displays(scored: tuple[Array, dict[str, Array]]) -> None:
    y, scores = scored
    found = []
    for given in (scores, dict(reversed(scores.items()))):
        for kind, options in ((RocDisplay, {"band": None}), (rh.plotting.RocHullDisplay, {})):
            ax = kind.from_predictions(y, given, ax=Figure().subplots(), **options).ax_
            shades = {str(line.get_label()).split(",")[0]: line.get_color() for line in ax.lines}
            found.append({name: shades[name] for name in NAMES})
    assert found == [found[0]] * 4
    assert len(set(found[0].values())) == len(NAMES)
    one = rh.plotting.DetDisplay.from_predictions(
        y, scores["boosted"], name="boosted", ax=Figure().subplots()
    )
    assert one.line_.get_color() == found[0]["boosted"]


def test_several_estimators_are_asked(features: Array, labels: Array) -> None:
    fitted = {"line": LogisticRegression().fit(features, labels), "bayes": GaussianNB().fit(features, labels)}
    theirs = RocDisplay.from_estimator(fitted, features, labels, band=None, ax=Figure().subplots())
    values = {
        "line": fitted["line"].decision_function(features),
        "bayes": fitted["bayes"].predict_proba(features)[:, 1],
    }
    assert theirs.auc == RocDisplay.compute(labels, values, band=None).auc
    refuses("y_score must be an array", RocDisplay.compute, labels, {})


def test_many_bands_leave_the_curves_to_be_seen(scored: tuple[Array, dict[str, Array]]) -> None:
    y, scores = scored
    found = []
    for given in (scores, scores | {"more": -scores["tree"]}):
        ax = RocDisplay.from_predictions(y, given, band="ks", ax=Figure().subplots()).ax_
        bands = areas(ax)
        assert len(bands) == len(given)
        found.append([(band.get_facecolor()[0][3], band.get_edgecolor()[0][3]) for band in bands])
    (few, edge), (many, none) = found[0][0], found[1][0]
    assert (many, none) == (few / 2, 0)
    assert edge > 0
