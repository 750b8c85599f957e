"""How intervals and tests are printed."""

import inspect

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import rochull as rh
from result_cases import RESULTS
from rochull._core.documents import Document
from rochull._core.results import Interval, Result, TestResult
from rochull.conditions.base import Condition
from rochull.conditions.comparisons import Comparable, Comparison
from rochull.plotting.base import Display
from rochull.scoring import ScoringRule


def test_a_single_interval_is_one_line() -> None:
    assert str(rh.rate_interval(9, 10, "wilson")) == "0.9 (0.5958 to 0.9821; 95 % wilson)"


def test_what_the_sample_chose_is_said() -> None:
    y, score = rh.datasets.make_fawcett()
    hull = rh.bootstrap(y, score, "hull_auc", n_resamples=60, random_state=0)
    assert str(hull).endswith("95 % studentised, in-sample)")
    assert "in-sample" not in str(
        rh.bootstrap(y, score, lambda s: s.tpr_at(0.2), n_resamples=60, random_state=0)
    )
    assert "array" not in str(hull)


def test_several_intervals_are_a_table() -> None:
    assert str(rh.rate_interval([0, 10], 10, "wilson", level=0.9)).splitlines() == [
        "90 % wilson",
        "   estimate     low    high",
        "0         0       0  0.2129",
        "1         1  0.7871       1",
    ]
    square = Interval(np.zeros((2, 2)), np.ones((2, 2)), np.full((2, 2), 0.5), 0.95, "m")
    assert [line.split("  ")[0] for line in str(square).splitlines()[2:]] == ["0, 0", "0, 1", "1, 0", "1, 1"]


def test_a_long_table_shows_both_ends() -> None:
    many = np.arange(40.0)
    lines = str(Interval(many, many + 1, many, 0.95, "m")).splitlines()
    assert len(lines) == 2 + 12 + 1
    assert [line.split()[0] for line in lines[2:]] == [*"012345", "…", *map(str, range(34, 40))]


def test_a_test_is_one_line_or_a_table() -> None:
    single = TestResult(-3.5859, 0.005884, -0.02857, "dependent t-test", 9.0)
    text = "difference -0.02857, statistic -3.586, p = 0.00588 (dependent t-test, 9 df)"
    assert str(single) == text
    assert str(TestResult(0.5, 0.6, 0.1, "DeLong")) == "difference +0.1, statistic 0.5, p = 0.6 (DeLong)"
    numbers = np.array([[1.0, 2.0], [0.3, 0.05], [0.1, -0.2]])
    several = TestResult(*numbers, method="t", df=np.array([8.0, 9.0]))
    assert str(several).splitlines() == [
        "t",
        "   difference  statistic     p",
        "0        +0.1          1   0.3",
        "1        -0.2          2  0.05",
    ]


# --- what every result promises ------------------------------------------------------------------

WINGS = [getattr(rh, name) for name in dir(rh) if inspect.ismodule(getattr(rh, name)) and name[0] != "_"]
KINDS = {
    kind.__name__: kind
    for wing in WINGS
    for kind in (getattr(wing, name) for name in dir(wing) if not name.startswith("_"))
    if inspect.isclass(kind) and kind.__module__.startswith("rochull.")
}
# What is no result: what is asked for, what decides, what draws, what is fitted, and errors.
OTHERS = (
    Condition, Comparable, Comparison, ScoringRule, Document, Display, BaseEstimator, Exception,
    rh.conditions.Rule, rh.ChunkSource, rh.MulticlassRoc, rh.multiclass.MulticlassScorer, rh.uncertainty.Resample,
    rh.segments.SupervisedComponents, rh.hull.GroupHulls, rh.hull.HullBounds, rh.policies.SparkLook, rh.report.Scanned, rh.report.Segmentation, rh.report.Uncertainty, rh.Report,
)  # fmt: skip
RESULT_KINDS = {name for name, kind in KINDS.items() if issubclass(kind, Result)}


def test_every_public_class_is_a_result_or_something_else() -> None:
    assert {name for name, kind in KINDS.items() if not issubclass(kind, (Result, *OTHERS))} == set()
    assert RESULTS.keys() >= RESULT_KINDS


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", RESULTS)
def test_every_result_can_be_read_and_taken_along(name: str) -> None:
    result = RESULTS[name]()
    assert type(result).__name__ == name
    assert isinstance(result, Result)
    assert len(repr(result)) <= 2000
    page = result._repr_html_()
    assert len(page) < 20_000
    assert "<pre" not in page  # test_cards.py looks at them
    told = result.to_dict()
    assert told
    assert all(isinstance(key, str) for key in told)
    if name == "ReviewRange":
        with pytest.raises(TypeError, match="not a table"):
            result.to_frame()
        return
    frame = result.to_frame("pandas")
    assert len(frame.columns) >= 1
    assert len(frame) >= 1


def test_a_table_of_regret_is_one_line_as_a_value() -> None:
    assert len(repr(RESULTS["RegretTable"]())) <= 300


def test_frames_of_libraries() -> None:
    curve = RESULTS["RocCurve"]()
    frame = curve.to_frame("pandas")
    np.testing.assert_array_equal(frame["tpr"], curve.tpr)
    assert list(curve.to_frame("polars").columns) == ["thresholds", "fpr", "tpr"]
    with pytest.raises(ValueError, match="library must be one of"):
        curve.to_frame("excel")
