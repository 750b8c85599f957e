"""How intervals and tests are printed."""

import numpy as np

import rochull as rh
from rochull._core.results import Interval, TestResult


def test_a_single_interval_is_one_line() -> None:
    assert str(rh.rate_interval(9, 10, "wilson")) == "0.9 (0.5958 to 0.9821; 95 % wilson)"


def test_what_the_sample_chose_is_said() -> None:
    y, score = rh.datasets.make_fawcett()
    hull = rh.bootstrap(y, score, "hull_auc", n_resamples=60, random_state=0)
    assert str(hull).endswith("95 % percentile, in-sample)")
    assert "in-sample" not in str(rh.bootstrap(y, score, n_resamples=60, random_state=0))
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
