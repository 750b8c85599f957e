"""Intervals of rates and plans for areas, against scipy, published tables and simulation."""

import math
import re
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import binom, binomtest, norm

import rochull as rh
from adversaries import FAMILIES, labels_for, names
from rochull.uncertainty import auc_power, auc_sample_size
from rochull.uncertainty.rates import SampleSize, ThresholdRates, area_variance, rates_at_threshold

METHODS = {"clopper-pearson": "exact", "wilson": "wilson"}


# Newcombe 1998, Statistics in Medicine 17, 857-872, Table I: methods 5 (Clopper-Pearson) and 3 (score).
NEWCOMBE = [
    (81, 263, "clopper-pearson", 0.2527, 0.3676),
    (15, 148, "clopper-pearson", 0.0578, 0.1617),
    (0, 20, "clopper-pearson", 0.0000, 0.1684),
    (1, 29, "clopper-pearson", 0.0009, 0.1776),
    (81, 263, "wilson", 0.2553, 0.3662),
    (15, 148, "wilson", 0.0624, 0.1605),
    (0, 20, "wilson", 0.0000, 0.1611),
    (1, 29, "wilson", 0.0061, 0.1718),
]


@pytest.mark.parametrize(("k", "n", "method", "low", "high"), NEWCOMBE)
def test_newcombe(k: int, n: int, method: str, low: float, high: float) -> None:
    found = rh.rate_interval(k, n, method)
    assert (round(found.low, 4), round(found.high, 4), found.estimate) == (low, high, k / n)


@given(
    st.data(), st.integers(1, 10**6), st.sampled_from(sorted(METHODS)), st.sampled_from([0.5, 0.95, 0.9999])
)
def test_as_scipy(data: st.DataObject, n: int, method: str, level: float) -> None:
    k = data.draw(st.integers(0, n) | st.sampled_from([0, 1, n - 1, n]))
    expected = binomtest(k, n).proportion_ci(level, METHODS[method])
    found = rh.rate_interval(k, n, method, level=level)
    assert (found.low, found.high) == (
        pytest.approx(expected.low, abs=1e-11), pytest.approx(expected.high, abs=1e-11),
    )  # fmt: skip
    if method == "clopper-pearson":  # by the definition: as extreme a count has this probability
        tail = (1 - level) / 2
        assert k == 0 or binom.sf(k - 1, n, found.low) == pytest.approx(tail, rel=1e-6)
        assert k == n or binom.cdf(k, n, found.high) == pytest.approx(tail, rel=1e-6)
    assert found.low <= found.estimate <= found.high
    flipped = rh.rate_interval(n - k, n, method, level=level)
    assert flipped.low == pytest.approx(1 - found.high, abs=1e-12)


def test_the_score_interval_has_two_names() -> None:
    assert rh.rate_interval(3, 10, "score") == rh.rate_interval(3, 10, "wilson")
    y, scores = [0, 0, 1, 1, 1], [1, 3, 2, 4, 5]
    named = [rh.uncertainty.rates_at_threshold(y, scores, 2.5, name).tpr for name in ("score", "wilson")]
    assert named[0] == named[1]


def test_arrays() -> None:
    found = rh.rate_interval([[0], [3]], [5.0, 10.0, 20.0])
    assert found.low.shape == (2, 3)
    for (i, k), (j, n) in product(enumerate((0, 3)), enumerate((5, 10, 20))):
        alone = rh.rate_interval(k, n)
        assert (found.low[i, j], found.high[i, j], found.estimate[i, j]) == (alone.low, alone.high, k / n)
    huge = rh.rate_interval(10**15, 2 * 10**15)
    assert huge.low < 0.5 < huge.high
    assert huge.high - huge.low < 1e-7


@pytest.mark.parametrize("rate", [0.02, 0.3])
def test_coverage(rate: float) -> None:
    """Exactly, from the binomial distribution: Clopper & Pearson never cover less."""
    k, mean = np.arange(41), {}
    for method in METHODS:
        found = rh.rate_interval(k, 40, method)
        covers = (found.low <= rate) & (rate <= found.high)
        mean[method] = float(binom.pmf(k, 40, rate)[covers].sum())
    assert mean["clopper-pearson"] >= 0.95
    assert 0.93 < mean["wilson"] <= mean["clopper-pearson"]


@given(st.integers(0, 2**32), names, st.integers(2, 100))
def test_at_thresholds(seed: int, family: str, n: int) -> None:
    rng = np.random.default_rng(seed)
    scores = FAMILIES[family](rng, n)
    labels = labels_for(scores, "good", rng)
    thresholds = np.append(rng.choice(scores, 5), rng.choice(scores))
    found = rates_at_threshold(labels, scores, thresholds, "wilson", level=0.9)
    for i, threshold in enumerate(thresholds):
        for interval, label in ((found.tpr, 1), (found.fpr, 0)):
            called = [s >= threshold for s in scores[labels == label]]
            expected = rh.rate_interval(sum(called), len(called), "wilson", level=0.9)
            assert (interval.low[i], interval.high[i]) == (expected.low, expected.high)
            assert interval.estimate[i] == expected.estimate
    alone = rates_at_threshold(labels, scores, thresholds[0])
    assert (alone.threshold, type(alone.tpr.low)) == (thresholds[0], float)
    assert alone.tpr.estimate == found.tpr.estimate[0]


def test_a_threshold_keeps_its_bits() -> None:
    scores = np.array([0.1, 0.3, 0.5, 0.7], np.float32)
    found = rates_at_threshold([0, 1, 0, 1], scores, [float(scores[1]), 0.3, np.inf, -np.inf])
    # The float32 nearest to 0.3 is above 0.3.
    assert found.tpr.estimate.tolist() == [1, 1, 0, 1]
    # And the one nearest to 0.7 below 0.7: numbers are compared as they are, not as float32.
    assert rates_at_threshold([0, 1, 0, 1], scores, 0.7).tpr.estimate == 0
    wide = rates_at_threshold([0, 1], [2**53, 2**53 + 1], 2**53 + 1)
    assert (wide.tpr.estimate, wide.fpr.estimate) == (1, 0)
    between = rates_at_threshold([0, 1], [2**53, 2**53 + 1], [2.0**53, 2.0**53 + 2, 0.5, np.inf])
    assert (between.tpr.estimate.tolist(), between.fpr.estimate.tolist()) == ([1, 0, 1, 0], [1, 0, 1, 0])


# pROC 1.18, tests/testthat/test-power.roc.test.R: power.roc.test(ncases = 41, ncontrols = 72, auc = 0.73).
def test_proc_power() -> None:
    assert auc_power(0.73, 41, 72, variance="obuchowski") == pytest.approx(0.9897453, rel=1e-6)
    area = rh.roc_auc([0] * 72 + [1] * 41, range(113)) * 0.7313685636856369
    assert auc_power(area, 41, 72, variance="obuchowski") == pytest.approx(0.9904833, rel=1e-6)


# pROC solves for real numbers: power.roc.test(auc = 0.7313686, power = 0.95, kappa = 1.7) gives 29.29764
# cases and 49.806 controls; power = 0.9, kappa = 1 gives 29.56974 of each. Whole examples round up.
def test_proc_sample_size() -> None:
    found = auc_sample_size(0.7313685636856369, power=0.95, ratio=1.7, variance="obuchowski")
    assert (found.n_pos, found.n_neg) == (30, 51)
    found = auc_sample_size(0.7313685636856369, power=0.9, variance="obuchowski")
    assert (found.n_pos, found.n_neg) == (30, 30)


# Obuchowski, Lieber & Wians 2004, Clinical Chemistry 50, 1118-1125, Table 4: cases and controls for 90 %
# power, one-sided at 5 %, by ratio of controls to cases and area (with at least 10 of each, not shown here).
# The table rounds controls by themselves, so they may be one fewer.
@pytest.mark.parametrize(
    ("ratio", "area", "cases", "controls"),
    [
        (0.5, 0.7, 49, 25), (1, 0.6, 135, 135), (1, 0.7, 33, 33), (1, 0.8, 14, 14), (2, 0.6, 102, 203),
        (2, 0.7, 25, 50), (2, 0.8, 11, 21), (4, 0.6, 85, 340), (4, 0.7, 21, 84),
    ],
)  # fmt: skip
def test_obuchowski_table(ratio: float, area: float, cases: int, controls: int) -> None:
    found = auc_sample_size(area, power=0.9, level=0.9, ratio=ratio, variance="obuchowski")
    assert found.n_pos == cases
    assert found.n_neg - controls in (0, 1)


@pytest.mark.parametrize("area", [0.2, 0.5, 0.65, 0.9, 0.99])
def test_variances(area: float) -> None:
    counts = np.array(area), np.array(37), np.array(80)
    found = {m: float(area_variance(*counts, m)) for m in ("hanley-mcneil", "binormal", "obuchowski")}

    def variance(q1: float, q2: float) -> float:  # Hanley & McNeil 1982, equation 1
        return (area * (1 - area) + 36 * (q1 - area**2) + 79 * (q2 - area**2)) / (37 * 80)

    # Two positives beat one negative, or one positive two negatives: normal scores, then exponential ones.
    mean = math.sqrt(2) * norm.ppf(area)
    both = quad(lambda x: norm.pdf(x) * norm.sf(x, mean) ** 2, -12, 12)[0]
    assert found["binormal"] == pytest.approx(variance(both, both), rel=1e-7)
    rate = 1 / area - 1
    q1 = quad(lambda x: math.exp(-x) * math.exp(-rate * x) ** 2, 0, np.inf)[0]
    q2 = quad(lambda x: rate * math.exp(-rate * x) * (1 - math.exp(-x)) ** 2, 0, np.inf)[0]
    assert found["hanley-mcneil"] == pytest.approx(variance(q1, q2), rel=1e-7)
    assert found["obuchowski"] == pytest.approx(found["binormal"], rel=1 if area > 0.7 else 0.4)
    if area == 0.5:  # without a model: Mann & Whitney 1947
        assert found["hanley-mcneil"] == pytest.approx((37 + 80 + 1) / (12 * 37 * 80), rel=1e-14)
        assert found["binormal"] == pytest.approx((37 + 80 + 1) / (12 * 37 * 80), rel=1e-14)


def near(rejected: int, draws: int, power: float) -> bool:
    """Whether a simulated power agrees, but for chance and 2 % of the normal approximation."""
    return abs(rejected / draws - power) < 0.02 + 3.5 * math.sqrt(power * (1 - power) / draws)


def test_power_by_simulation() -> None:
    rng = np.random.default_rng(21)
    labels = np.repeat([0, 1], [60, 40])
    se, rejected = math.sqrt(101 / (12 * 60 * 40)), 0
    for _ in range(500):
        area = rh.roc_auc(labels, rng.normal(labels * math.sqrt(2) * norm.ppf(0.64)))
        rejected += abs(area - 0.5) > norm.ppf(0.975) * se
    assert near(rejected, 500, auc_power(0.64, 40, 60, variance="binormal"))


@pytest.mark.long
def test_paired_power_by_simulation() -> None:
    rng = np.random.default_rng(22)
    labels = np.repeat([0, 1], 120)
    rejected, correlation = 0, []
    for _ in range(500):
        shared = rng.normal(size=240) * math.sqrt(0.6)
        columns = [
            shared + rng.normal(size=240) * math.sqrt(0.4) + labels * math.sqrt(2) * norm.ppf(a)
            for a in (0.8, 0.7)
        ]
        rejected += rh.delong_test(labels, *columns).pvalue < 0.05
        spread = rh.uncertainty.auc_covariance(labels, np.column_stack(columns)).covariance
        correlation.append(spread[0, 1] / math.sqrt(spread[0, 0] * spread[1, 1]))
    rho = float(np.mean(correlation))
    assert near(
        rejected,
        500,
        auc_power(0.8, 120, 120, other=0.7, correlation=rho, variance="binormal"),
    )
    assert not near(rejected, 500, auc_power(0.8, 120, 120, other=0.7, variance="binormal"))


def test_power_has_the_right_size() -> None:
    for model in ("hanley-mcneil", "binormal", "obuchowski"):
        assert auc_power(0.6, 30, 40, null=0.6, variance=model) == pytest.approx(0.05)
        paired = auc_power(0.8, 30, 40, other=0.8, correlation=0.4, level=0.9, variance=model)
        assert paired == pytest.approx(0.1)


def test_power_of_arrays() -> None:
    found = auc_power([[0.6], [0.8]], [20, 50, 100], 40)
    assert found.shape == (2, 3)
    assert (np.diff(found) > 0).all()
    assert found[1, 2] == auc_power(0.8, 100, 40)


@given(
    st.floats(0.02, 0.98), st.floats(0.02, 0.98), st.floats(0.1, 0.99), st.sampled_from([0.1, 0.5, 1.0, 3.0]),
    st.sampled_from(["hanley-mcneil", "binormal", "obuchowski"]), st.booleans(),
)  # fmt: skip
def test_sample_size_is_the_smallest(  # noqa: PLR0917
    area: float, against: float, power: float, ratio: float, model: str, paired: bool
) -> None:
    if abs(area - against) < 0.01:
        against = area / 2
    tested: dict[str, Any] = {"other": against, "correlation": 0.3} if paired else {"null": against}
    tested["variance"] = model
    found = auc_sample_size(area, power=power, ratio=ratio, **tested)
    assert found.power == auc_power(area, found.n_pos, found.n_neg, **tested) >= power
    assert found.n_neg == max(2, math.ceil(round(ratio * found.n_pos, 9)))
    if found.n_pos > 2:
        fewer = max(2, math.ceil(round(ratio * (found.n_pos - 1), 9)))
        assert auc_power(area, found.n_pos - 1, fewer, **tested) < power


def test_a_ratio_is_the_decimal_it_prints_as() -> None:
    found = auc_sample_size(0.6, ratio=0.1)
    assert found.n_neg == -(-found.n_pos // 10)
    assert isinstance(found, SampleSize)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rh.rate_interval(1, 2, "wald"), 'method must be "clopper-pearson" or "wilson"'),
        (lambda: rh.rate_interval(1, 2, level=0), "level must lie strictly between 0 and 1, but is 0."),
        (lambda: rh.rate_interval(0, 0), "trials must be positive"),
        (lambda: rh.rate_interval([1, 7, 9], [3, 6, 8]), "successes must not exceed trials, but 7 of 6 do."),
        (lambda: rh.rate_interval(1.5, 2), "successes must be whole numbers from 0 on, but holds 1.5."),
        (lambda: rh.rate_interval(np.nan, 2), "successes must be whole numbers from 0 on, but holds nan."),
        (lambda: rh.rate_interval(1, [2, -2]), "trials must be whole numbers from 0 on, but holds -2."),
        (lambda: rh.rate_interval("1", 2), "successes must be whole numbers, but is '1'."),
        (lambda: rh.rate_interval([], 2), "successes must be whole numbers, but is []."),
        (lambda: rh.rate_interval([1, 2], [3, 4, 5]), "successes and trials have shapes (2,) and (3,)"),
        (lambda: rates_at_threshold([0, 1], [1, 2], 1.5, sample_weight=[1, 1]), "sample_weight is not supp"),
        (lambda: rates_at_threshold([0, 1], [1, 2], np.nan), "threshold has 1 NaN"),
        (lambda: auc_power(1, 10, 10), "auc must lie strictly between 0 and 1, but is 1."),
        (lambda: auc_power(np.nan, 10, 10), "auc must lie strictly between 0 and 1, but is nan."),
        (lambda: auc_power(0.7, 0, 10), "n_pos and n_neg must be positive."),
        (lambda: auc_power(0.7, 10, 2.5), "n_neg must be whole numbers from 0 on, but holds 2.5."),
        (lambda: auc_power(0.7, 10, 10, null=0), "null must lie strictly between 0 and 1, but is 0."),
        (lambda: auc_power(0.7, 10, 10, other=1), "other must lie strictly between 0 and 1, but is 1."),
        (lambda: auc_power(0.7, 10, 10, other=0.6, null=0.5), "null and other are both given"),
        (lambda: auc_power(0.7, 10, 10, correlation=0.5), "correlation needs other"),
        (lambda: auc_power(0.7, 10, 10, other=0.6, correlation=1), "correlation must be at least -1 and"),
        (lambda: auc_power(0.7, 10, 10, variance="exact"), 'variance must be one of "hanley-mcneil"'),
        (lambda: auc_sample_size(0.7, power=1), "power must lie strictly between 0 and 1, but is 1."),
        (lambda: auc_sample_size(0.7, ratio=0), "ratio must be positive, but is 0."),
        (lambda: auc_sample_size(0.5), "auc=0.5 is what is tested"),
        (lambda: auc_sample_size(0.5 + 1e-16 * 2), "auc=0.5000000000000002 is too near what is tested"),
    ],
)  # fmt: skip
def test_bad_input(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        call()


def test_expected_cost_of_a_threshold() -> None:
    """Zou & Donner's rule: each end as far as the two rates' ends together, at right angles."""
    y, scores = np.repeat([0, 1], [40, 10]), np.arange(50) % 17
    costs = rh.ExpectedCost(cost_fp=2, cost_fn=7, prevalence=0.3)
    for method in ("wilson", "clopper-pearson"):
        rates = rates_at_threshold(y, scores, 9, method, level=0.9)
        found = rates.expected_cost(costs)
        fpr, tpr = rates.fpr, rates.tpr
        assert found.estimate == pytest.approx(costs.cost(fpr.estimate, tpr.estimate))
        below = math.hypot(1.4 * (fpr.estimate - fpr.low), 2.1 * (tpr.high - tpr.estimate))
        above = math.hypot(1.4 * (fpr.high - fpr.estimate), 2.1 * (tpr.estimate - tpr.low))
        assert found.low == pytest.approx(found.estimate - below)
        assert found.high == pytest.approx(found.estimate + above)
        assert (found.level, found.method) == (0.9, method)
    several = rates_at_threshold(y, scores, [9, 100], "wilson", level=0.9).expected_cost(costs)
    first = rates_at_threshold(y, scores, 9, "wilson", level=0.9).expected_cost(costs)
    assert several.low[0] == pytest.approx(first.low)
    assert several.estimate[1] == pytest.approx(2.1)  # "never": all are missed


def test_expected_cost_covers_where_positives_are_few() -> None:
    """By enumeration of all counts; the plain bootstrap covers 0.67 of the samples of this size."""
    costs, shares = rh.ExpectedCost(prevalence=0.5), []
    fp, tp = np.arange(91), np.arange(11)
    fpr, tpr = (binom.pmf(k, k[-1], p) for k, p in ((fp, 0.05), (tp, 0.95)))
    for few, weight in zip(tp, tpr, strict=True):
        rates = ThresholdRates(0.0, rh.rate_interval(few, 10, "wilson"), rh.rate_interval(fp, 90, "wilson"))
        found = rates.expected_cost(costs)
        shares.append(weight * fpr[(found.low <= 0.05) & (found.high >= 0.05)].sum())
    assert 0.93 <= sum(shares) <= 0.99


def test_size_of_both_classes() -> None:
    size = auc_sample_size(0.75, power=0.9, ratio=3)
    assert size.n == size.n_pos + size.n_neg == 72


def test_more_bad_input() -> None:
    rates = rates_at_threshold([0, 1], [1, 2], 1.5)
    with pytest.raises(TypeError, match="condition must be an ExpectedCost, but is 3"):
        rates.expected_cost(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="auc must be a number"):
        auc_power("a", 10, 10)
    with pytest.raises(ValueError, match=r"auc, n_pos and n_neg have shapes \(2,\), \(3,\) and \(\)"):
        auc_power([0.7, 0.8], [10, 20, 30], 10)
    with pytest.raises(ValueError, match="threshold: the value"):
        rates_at_threshold([0, 1], [1, 2], [2**53 + 1, 0.5])
