"""The tests on values of the same folds: against SciPy, by hand, and by simulation."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rochull as rh
from adversaries import Array
from rochull.averaging.paired_tests import DependentTest, accepted_by_all, differences, holm, overlap_of


def values(seed: int = 0, n_folds: int = 10, k: int = 30) -> tuple[Array, Array]:
    """Two measures in the same folds, correlated."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(n_folds, k))
    return shared + rng.normal(size=(n_folds, k)), shared + rng.normal(size=(n_folds, k)) + 0.3


def curves(seed: int = 0, shift: float = 0.0, n: int = 400) -> rh.averaging.OperatingPointAverage:
    """One classifier in ten folds; equal seeds share examples and folds."""
    rng = np.random.default_rng(seed)
    y, folds = np.arange(n) % 2, (np.arange(n) // 2) % 10
    score = rng.normal(size=n) + y
    return rh.operating_point_average(y, score + shift * rng.normal(size=n), folds, 20)


@given(st.integers(0, 2**32 - 1), st.integers(2, 15))
def test_is_scipys_dependent_test(seed: int, n_folds: int) -> None:
    first, second = values(seed, n_folds)
    found, expected = DependentTest()(first, second), stats.ttest_rel(first, second)
    np.testing.assert_allclose(found.statistic, expected.statistic, rtol=1e-9)
    np.testing.assert_allclose(found.pvalue, expected.pvalue, rtol=1e-9)
    np.testing.assert_allclose(found.estimate, (first - second).mean(axis=0), rtol=1e-12, atol=1e-15)
    assert set(found.df.tolist()) == {n_folds - 1.0}


def test_is_equation_3_as_printed() -> None:
    first, second = values()
    n = len(first)
    s1, s2 = (a.std(axis=0, ddof=1) / np.sqrt(n) for a in (first, second))  # of the mean
    r = np.array([np.corrcoef(a, b)[0, 1] for a, b in zip(first.T, second.T, strict=True)])
    t = (first.mean(axis=0) - second.mean(axis=0)) / np.sqrt(s1**2 + s2**2 - 2 * r * s1 * s2)
    found = DependentTest("2n-2")(first, second)
    np.testing.assert_allclose(found.statistic, t, rtol=1e-9)
    np.testing.assert_allclose(found.pvalue, 2 * stats.t.sf(np.abs(t), 2 * n - 2), rtol=1e-9)


def test_without_correlation_is_the_independent_test() -> None:
    first = np.array([1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0])[:, None]
    second = np.array([2.0, 1.0, 1.0, 2.0, 5.0, 4.0, 4.0, 5.0])[:, None]
    assert np.corrcoef(first[:, 0], second[:, 0])[0, 1] == 0
    found, expected = DependentTest("2n-2")(first, second), stats.ttest_ind(first, second)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-12)
    assert DependentTest("n-1")(first, second).statistic == found.statistic


def test_correction_of_nadeau_and_bengio() -> None:
    # Ten folds: 1/10 + 1/9 in place of 1/10, so that the statistic shrinks by sqrt(19/9).
    first, second = values()
    plain, corrected = DependentTest()(first, second), DependentTest(overlap=1 / 9)(first, second)
    np.testing.assert_allclose(plain.statistic / corrected.statistic, np.sqrt(19 / 9), rtol=1e-12)
    # One column in full: differences 1, 2, 3 in three folds.
    found = DependentTest(overlap=0.5)(np.array([[2.0], [4.0], [6.0]]), np.array([[1.0], [2.0], [3.0]]))
    assert found.statistic == pytest.approx(2 / np.sqrt((1 / 3 + 0.5) * 1))
    # t with 2 degrees of freedom: P(|T| > t) = 1 - t / sqrt(t^2 + 2).
    assert found.pvalue == pytest.approx(1 - found.statistic / np.sqrt(found.statistic**2 + 2))


def test_size_under_the_null_hypothesis() -> None:
    # 10 folds, 40,000 pairs of points that do not differ: n - 1 keeps 5%, 2n - 2 does not:
    # P(|T_9| > 2.101) = 0.065, 2.101 being the limit of 18 degrees of freedom.
    rng = np.random.default_rng(7)
    shared = rng.normal(size=(10, 40_000))
    first, second = (shared + rng.normal(size=shared.shape) for _ in range(2))
    rejected = {df: np.mean(DependentTest(df)(first, second).pvalue < 0.05) for df in ("n-1", "2n-2")}
    assert rejected["n-1"] == pytest.approx(0.05, abs=0.004)
    assert rejected["2n-2"] == pytest.approx(2 * stats.t.sf(stats.t.isf(0.025, 18), 9), abs=0.004)
    assert rejected["2n-2"] > 0.06


def test_zero_variance() -> None:
    first = np.array([[0.3, 0.3, 0.1], [0.4, 0.4, 0.1], [0.9, 0.9, 0.1]])
    second = np.array([[0.3, 0.2, 0.2], [0.4, 0.3, 0.2], [0.9, 0.8, 0.2]])  # 0.3 - 0.2 is not 0.4 - 0.3
    assert len(set((first[:, 1] - second[:, 1]).tolist())) > 1
    found = DependentTest()(first, second)
    assert found.pvalue.tolist() == [1, 0, 0]
    assert found.statistic.tolist() == [0, np.inf, -np.inf]
    assert found.estimate.tolist() == pytest.approx([0, 0.1, -0.1])
    corrected = DependentTest("2n-2", 0.5)(first, second)
    assert corrected.pvalue.tolist() == [1, 0, 0]


@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_never_nan(seed: int, n_folds: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 3, (2, n_folds, 12)) / 2.0
    first[rng.random(first.shape) < 0.3] = np.nan
    found = DependentTest()(first, second)
    assert not np.isnan(found.pvalue).any()
    assert not np.isnan(found.statistic).any()
    for j in range(12):
        own = ~np.isnan(first[:, j])
        alone = DependentTest()(first[own, j, None], second[own, j, None]) if own.sum() > 1 else None
        assert found.pvalue[j] == (1 if alone is None else pytest.approx(float(alone.pvalue[0]), abs=1e-12))
        assert found.df[j] == max(own.sum() - 1, 0)


def test_equal_differences_are_equal() -> None:
    apart = differences(np.array([[0.3], [0.4], [np.nan], [1e-17]]), np.array([[0.2], [0.3], [0.5], [0.0]]))
    assert apart[0, 0] == apart[1, 0] == 0.3 - 0.2
    assert np.isnan(apart[2, 0])
    assert apart[3, 0] == 0
    small = differences(np.array([[1e-17], [3e-17]]), np.zeros((2, 1)))  # of small numbers, small ones count
    assert small[:, 0].tolist() == [1e-17, 3e-17]


def test_holm_by_hand() -> None:
    # Sorted 0.005 0.01 0.03 0.04, times 4 3 2 1: 0.02 0.03 0.06 0.04, and the last is raised to 0.06.
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm(np.array([0.6, 0.7])).tolist() == [1, 1]
    assert holm(np.array([0.2])).tolist() == [0.2]
    assert holm(np.zeros(0)).tolist() == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_rejects_step_by_step(pvalues: list[float]) -> None:
    adjusted = holm(np.array(pvalues))
    for level in (0.05, 0.2, 0.5):
        rejected, remaining = set(), sorted(range(len(pvalues)), key=lambda i: pvalues[i])
        while remaining and pvalues[remaining[0]] * len(remaining) <= level:
            rejected.add(remaining.pop(0))
        assert {i for i, p in enumerate(adjusted) if p <= level} == rejected


def test_one_against_all() -> None:
    average = curves()
    table = average.per_fold("fpr")
    found = average.compare(7)
    rest = np.ptp(table - table[:, [7]], axis=0) > 0
    expected = stats.ttest_rel(table[:, [7]], table[:, rest])
    np.testing.assert_allclose(np.asarray(found.pvalue)[rest], expected.pvalue, rtol=1e-9)
    np.testing.assert_allclose(np.asarray(found.statistic)[rest], expected.statistic, rtol=1e-9)
    assert np.asarray(found.pvalue)[[7, -1]].tolist() == [1, 0] if not rest[-1] else True
    assert (found.df, found.method) == (9, "dependent t-test over 10 folds, df n-1")
    for j in (0, 6, 7, 12, -1):
        one = average.compare(7, j)
        assert isinstance(one.pvalue, float)
        assert (one.pvalue, one.statistic) == (np.asarray(found.pvalue)[j], np.asarray(found.statistic)[j])
    some = average.compare(-14, [6, 12])
    assert np.asarray(some.pvalue).tolist() == np.asarray(found.pvalue)[[6, 12]].tolist()
    assert average.compare(3, 5).estimate == pytest.approx(average.fpr_mean[3] - average.fpr_mean[5])


def test_every_measure_can_be_compared() -> None:
    average = curves()
    for measure in ("precision", rh.ExpectedCost(cost_fn=3, prevalence=0.5), lambda c: c.tp - 2 * c.fp):
        first, second = average.per_fold(measure, [5])[:, 0], average.per_fold(measure, [9])[:, 0]
        found = average.compare(5, 9, measure)
        assert found.pvalue == pytest.approx(stats.ttest_rel(first, second).pvalue, rel=1e-9)


def test_undefined_folds_are_left_out_of_a_comparison() -> None:
    y, score, folds = [1, 0, 1, 0, 1, 0], [6, 1, 5, 2, 3, 4], [0, 0, 1, 1, 2, 2]
    average = rh.operating_point_average(y, score, folds)
    found = average.compare(2, measure="precision")  # two folds call something, and all of it is right
    assert np.asarray(found.df).tolist() == [0, 0, 1, 1, 1, 1, 1]
    assert np.asarray(found.pvalue).tolist()[:3] == [1, 1, 1]
    never = average.compare(0, 1, "precision")
    assert (never.pvalue, never.statistic, never.df) == (1, 0, 0)
    assert np.isnan(never.estimate)


def test_holm_leaves_out_the_point_itself() -> None:
    average = curves()
    plain, adjusted = average.compare(7), average.compare(7, adjust="holm")
    rest = np.arange(len(average)) != 7
    assert np.asarray(adjusted.pvalue)[rest].tolist() == holm(np.asarray(plain.pvalue)[rest]).tolist()
    assert np.asarray(adjusted.pvalue)[7] == 1
    assert adjusted.method.endswith("df n-1, Holm")
    some = average.compare(7, [5, 6, 8], adjust="holm")
    assert np.asarray(some.pvalue).tolist() == holm(np.asarray(plain.pvalue)[[5, 6, 8]]).tolist()


def test_correction_of_an_average() -> None:
    average = curves()
    assert average.overlap == pytest.approx(1 / 9)
    plain, corrected = average.compare(5, 9), average.compare(5, 9, correction="nadeau-bengio")
    assert plain.statistic / corrected.statistic == pytest.approx(np.sqrt(19 / 9))
    assert corrected.pvalue > plain.pvalue
    assert corrected.method == "dependent t-test over 10 folds, df n-1, variance 1/n + 0.1111"
    assert average.compare(5, 9, correction=1 / 9).pvalue == pytest.approx(corrected.pvalue)
    assert average.compare(5, 9, correction=0).pvalue == plain.pvalue
    assert average.compare(5, 9, df="2n-2").df == 18


def test_two_classifiers_at_matched_points() -> None:
    good, noisy = curves(), curves(shift=2.0)
    condition = rh.ExpectedCost(prevalence=0.5)
    first, second = good.per_fold(condition, [10])[:, 0], noisy.per_fold(condition, [9])[:, 0]
    found = good.compare(10, 9, condition, other=noisy)
    assert found.pvalue == pytest.approx(stats.ttest_rel(first, second).pvalue, rel=1e-9)
    assert found.estimate == pytest.approx(good.mean(condition)[10] - noisy.mean(condition)[9])
    every = good.compare(10, measure=condition, other=noisy, adjust="holm")
    assert np.asarray(every.pvalue).shape == (21,)
    plain = good.compare(10, measure=condition, other=noisy)
    assert np.asarray(every.pvalue).tolist() == holm(np.asarray(plain.pvalue)).tolist()
    assert np.asarray(good.compare(10, other=good).pvalue)[10] == 1


def test_rates_never_change_sign_along_a_curve() -> None:
    table = curves().per_fold("fpr")
    assert np.all(np.diff(table, axis=1) >= 0)


AVERAGE = curves()
OTHER = rh.operating_point_average([1, 0] * 20, np.arange(40), np.arange(40) // 4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"i": 21}, "i=21 is not one of the 21 points."),
        ({"i": -22}, "i=-22 is not one of the 21 points."),
        ({"i": 1.5}, "i must be an index of a point, but is 1.5."),
        ({"i": [1, 2]}, "i must be an index of a point, but is [1, 2]."),
        ({"i": 1, "j": [3, 30]}, "j=30 is not one of the 21 points."),
        ({"i": 1, "j": "a"}, "j must be an index of a point, but is"),
        ({"i": 1, "df": "n"}, "df must be 'n-1' or '2n-2', but is 'n'."),
        ({"i": 1, "correction": "bonferroni"}, "correction must be 'auto', None, 'nadeau-bengio' or a ratio"),
        ({"i": 1, "correction": -0.1}, "correction must not be negative, but is -0.1."),
        ({"i": 1, "adjust": "bonferroni"}, "adjust must be None or 'holm', but is 'bonferroni'."),
        ({"i": 1, "measure": "auc"}, "measure must be one of 'fpr', 'tpr',"),
        ({"i": 1, "other": 3}, "other must be an OperatingPointAverage, but is an int."),
        ({"i": 1, "other": OTHER}, "other was averaged over other folds, or over rows in another order;"),
    ],
    ids=str,
)
def test_bad_comparison(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        AVERAGE.compare(**arguments)


def test_circles_are_accepted_by_every_test() -> None:
    average = curves(n=100)
    fpr, tpr = (np.asarray(average.compare(8, measure=m).pvalue) for m in ("fpr", "tpr"))
    both = average.indistinguishable(8, ["fpr", "tpr"])
    assert both.dtype == bool
    assert both.tolist() == ((fpr > 0.05) & (tpr > 0.05)).tolist()
    assert both[8]
    assert not both[0]
    assert 1 < both.sum() < max(average.indistinguishable(8, m).sum() for m in ("fpr", "tpr"))
    assert average.indistinguishable(8, "fpr").tolist() == average.indistinguishable(8).tolist()
    strict = average.indistinguishable(8, level=0.9999)
    assert strict.sum() > average.indistinguishable(8).sum()
    options: dict[str, Any] = {"df": "2n-2", "correction": "nadeau-bengio", "adjust": "holm"}
    expected = np.asarray(average.compare(8, **options).pvalue) > 0.05
    assert average.indistinguishable(8, **options).tolist() == expected.tolist()
    for level in (0, 1, 2, -1):
        with pytest.raises(ValueError, match=r"^level must lie strictly between 0 and 1"):
            average.indistinguishable(8, level=level)
    with pytest.raises(ValueError, match=r"^measures is empty"):
        average.indistinguishable(8, [])


def test_and_rule() -> None:
    # Three measures of four points, as of the three per-class errors of the paper's section 4.3.
    pvalues = [np.array([1, 0.06, 0.06, 0.5]), np.array([1, 0.04, 0.2, 0.01]), np.array([1, 0.9, 0.051, 0.9])]
    assert accepted_by_all(pvalues, 0.95).tolist() == [True, False, True, False]
    assert accepted_by_all(pvalues, 0.995).tolist() == [True, True, True, True]


def test_overlap_of_a_correction() -> None:
    choices = (None, "nadeau-bengio", 0.5, 0, "auto")
    assert [overlap_of(c, 0.25, False) for c in choices] == [0, 0.25, 0.5, 0, 0]
    assert [overlap_of(c, 0.25, True) for c in choices] == [0, 0.25, 0.5, 0, 0.25]
