"""Intervals and tests of areas: published numbers, coverage, and what must not happen."""

import dataclasses
import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import rochull as rh
from adversaries import FAMILIES, KINDS, Array, labels_for, names
from asah import NDKA, POOR, S100B, WFNS
from profiles import tries
from rochull.uncertainty import auc_covariance

pytestmark = pytest.mark.filterwarnings("ignore:.* (20|30) examples or fewer")  # what they say has a test

# Hanley & McNeil 1982, Table I: CT images of 58 normal and 51 abnormal patients, rated from 1 to 5.
NORMAL, ABNORMAL = [33, 6, 6, 11, 2], [3, 2, 2, 11, 33]
RATED = np.repeat([0] * 5 + [1] * 5, NORMAL + ABNORMAL)
RATINGS = np.repeat([1, 2, 3, 4, 5] * 2, NORMAL + ABNORMAL)


def within(count: int, trials: int, rate: float) -> bool:
    """Whether a binomial count is where it is but once in 2,000 times."""
    return abs(count - trials * rate) <= 3.5 * math.sqrt(trials * rate * (1 - rate))


def test_stata() -> None:
    """Stata's manual, [R] roctab, example 1: ``roctab disease rating`` on the data of Hanley & McNeil."""
    found = rh.auc_interval(RATED, RATINGS, "delong")
    assert round(found.estimate, 4) == 0.8932
    assert (round(found.low, 5), round(found.high, 5)) == (0.83295, 0.95339)
    assert round((found.high - found.estimate) / norm.ppf(0.975), 4) == 0.0307


# pROC 1.18, tests/testthat/test-var.R, test-cov.R and test-ci.auc.R.
VARIANCE = {"wfns": 0.00146991470882363, "ndka": 0.0031908105493913, "s100b": 0.00266868245717244}
COVARIANCE = {
    ("wfns", "ndka"): -0.000532967856762438,
    ("ndka", "s100b"): -0.000756164938056579,
    ("s100b", "wfns"): 0.00119615567376754,
}
MARKERS = {"wfns": WFNS, "ndka": NDKA, "s100b": S100B}


def test_proc_interval() -> None:
    found = rh.auc_interval(POOR, NDKA, "delong")
    ends = [found.low, found.estimate, found.high]
    assert ends == pytest.approx([0.501244999271703, 0.611957994579946, 0.722670989888189], rel=1e-13)
    mirrored = rh.auc_interval(1 - POOR, -NDKA, "delong")
    assert [mirrored.low, mirrored.high] == pytest.approx([found.low, found.high], rel=1e-14)


def test_proc_covariance() -> None:
    found = auc_covariance(POOR, MARKERS)
    order = {name: i for i, name in enumerate(found.names)}
    for name, value in VARIANCE.items():
        assert found.covariance[order[name], order[name]] == pytest.approx(value, rel=1e-13)
    for (a, b), value in COVARIANCE.items():
        assert found.covariance[order[a], order[b]] == pytest.approx(value, rel=1e-13)
        assert found.covariance[order[a], order[b]] == found.covariance[order[b], order[a]]


# pROC 1.18, tests/testthat/test-roc.test.R: roc.test(r.wfns, r.s100b) and so on.
@pytest.mark.parametrize(
    ("a", "b", "z", "pvalue", "low", "high"),
    [
        ("wfns", "s100b", 2.20898359144091, 0.0271757822291882, 0.0104061769564846, 0.174214419249478),
        ("wfns", "ndka", 2.79777591868904, 0.00514557970691098, 0.0634011709339876, 0.3600405634833566),
        ("ndka", "s100b", -1.39077002573558, 0.164295175223054, -0.2876917446341914, 0.0488706064228094),
    ],
)
def test_proc_paired(a: str, b: str, z: float, pvalue: float, low: float, high: float) -> None:  # noqa: PLR0917
    found = rh.delong_test(POOR, MARKERS[a], MARKERS[b])
    assert (found.statistic, found.pvalue) == (pytest.approx(z, rel=1e-13), pytest.approx(pvalue, rel=1e-12))
    interval = auc_covariance(POOR, {a: MARKERS[a], b: MARKERS[b]}).interval([1, -1])
    assert [interval.low, interval.high] == pytest.approx([low, high], rel=1e-12)
    assert interval.estimate == pytest.approx(found.estimate)
    wald = auc_covariance(POOR, MARKERS).contrast([(name == a) - (name == b) for name in MARKERS])
    assert (wald.statistic, wald.pvalue, wald.df) == (
        pytest.approx(z**2, rel=1e-12), pytest.approx(pvalue, rel=1e-12), 1,
    )  # fmt: skip


# The same with paired = FALSE: pROC's D is our z; it takes a t distribution for it, we the normal one.
@pytest.mark.parametrize(
    ("a", "b", "d"),
    [
        ("wfns", "s100b", 1.43490640926908),
        ("wfns", "ndka", 3.10125096778969),
        ("ndka", "s100b", -1.55995743389685),
    ],
)
def test_proc_unpaired(a: str, b: str, d: float) -> None:
    found = rh.delong_test(POOR, MARKERS[a], MARKERS[b], y_true_b=POOR)
    assert found.statistic == pytest.approx(d, rel=1e-13)
    assert found.pvalue == pytest.approx(2 * norm.sf(abs(d)), rel=1e-12)


@given(
    st.integers(0, 2**32), names, KINDS, st.integers(4, 200), st.sampled_from(["score", "delong", "logit"])
)
def test_sane_whatever_the_scores(seed: int, family: str, kind: str, n: int, method: str) -> None:
    rng = np.random.default_rng(seed)
    scores = FAMILIES[family](rng, n)
    labels = labels_for(scores, kind, rng)
    labels[rng.permutation(n)[:4]] = 0, 0, 1, 1
    found = rh.auc_interval(labels, scores, method)
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    wider = rh.auc_interval(labels, scores, method, level=0.99)
    assert wider.low <= found.low
    assert wider.high >= found.high
    same = rh.delong_test(labels, scores, scores)
    assert (same.statistic, same.pvalue, same.estimate) == (0, 1, 0)
    other = rng.integers(0, 4, n)
    one, two = rh.delong_test(labels, scores, other), rh.delong_test(labels, other, scores)
    assert (one.statistic, one.pvalue) == (-two.statistic, two.pvalue)
    assert 0 <= one.pvalue <= 1
    assert one.estimate == pytest.approx(rh.roc_auc(labels, scores) - rh.roc_auc(labels, other), abs=1e-15)


def test_the_logit_interval() -> None:
    """By scipy's functions: the delta method gives the logit the standard error se / (A (1 - A))."""
    plain, found = rh.auc_interval(RATED, RATINGS, "delong"), rh.auc_interval(RATED, RATINGS, "logit")
    area, se = plain.estimate, (plain.high - plain.estimate) / norm.ppf(0.975)
    logit = math.log(area / (1 - area))
    for end, side in ((found.low, 0.025), (found.high, 0.975)):
        x = logit + norm.ppf(side) * se / (area * (1 - area))
        assert end == pytest.approx(1 / (1 + math.exp(-x)), rel=1e-13)
    mirrored = rh.auc_interval(RATED, -RATINGS, "logit")
    assert (mirrored.low, mirrored.high) == (pytest.approx(1 - found.high), pytest.approx(1 - found.low))


def test_separated_classes() -> None:
    labels, scores = [0] * 20 + [1] * 10, np.arange(30)
    plain = rh.auc_interval(labels, scores, "delong")
    assert (plain.low, plain.estimate, plain.high) == (1, 1, 1)
    found = rh.auc_interval(labels, scores, "logit")
    # Clopper & Pearson: 10 of 10 pairs in order.
    assert (found.low, found.estimate, found.high) == (rh.rate_interval(10, 10).low, 1, 1)
    assert found.low == pytest.approx(0.025**0.1)
    inverted = rh.auc_interval(labels, -scores, "logit")
    assert (inverted.low, inverted.estimate) == (0, 0)
    assert inverted.high == pytest.approx(1 - found.low)
    weights = np.ones(30)
    weights[20:25] = 3
    weighed = rh.auc_interval(labels, scores, "logit", sample_weight=weights)
    assert weighed.low == pytest.approx(0.025 ** (1 / (20**2 / (5 * 9 + 5))))


def test_nearly_separated_classes() -> None:
    """Half a pair short of 1: the interval neither collapses nor leaves [0, 1]."""
    labels, scores = np.repeat([0, 1], 1000), np.arange(2000.0)
    scores[1000] = 999.0
    found = rh.auc_interval(labels, scores, "logit")
    assert 0.9 < found.low < found.estimate < found.high < 1


@pytest.mark.parametrize("method", ["delong", "logit"])
def test_a_constant_score(method: str) -> None:
    found = rh.auc_interval([0, 0, 1, 1, 1], [7] * 5, method)
    assert (found.low, found.estimate, found.high) == (0.5, 0.5, 0.5)


DRAWS = 400


def _placements(labels: Array, scores: Array) -> tuple[Array, Array]:
    """Of the positives the share of negatives beaten, of the negatives that of positives by which they are."""
    pos, neg = scores[labels == 1], scores[labels == 0]
    beats = np.array([[(p > n) + (p == n) / 2 for n in neg] for p in pos])
    return beats.mean(axis=1), beats.mean(axis=0)


def _model(area: float, size: int) -> float:
    """What the exponential model says that the placements of the class that varies more vary."""
    grid = np.append(np.linspace(0, 1, 100_001), area)
    a = np.maximum(grid**2 * (1 - grid) / (1 + grid), (1 - grid) ** 2 * grid / (2 - grid))
    between = min(area, 1 - area) > 0.381966
    return float(a[np.argmax(a)] if between else a[-1]) * min(1, 50 / size)


@given(st.integers(0, 2**32), names, KINDS, st.integers(4, 40))
def test_the_score_interval_holds_what_its_test_does_not_reject(
    seed: int, family: str, kind: str, n: int
) -> None:
    rng = np.random.default_rng(seed)
    scores = FAMILIES[family](rng, n)
    labels = labels_for(scores, kind, rng)
    labels[rng.permutation(n)[:4]] = 0, 0, 1, 1
    found = rh.auc_interval(labels, scores)
    for area in [*rng.uniform(size=5), found.low, found.high, found.low - 1e-6, found.high + 1e-6]:
        if not 0 <= area <= 1 or min(abs(area - found.low), abs(area - found.high)) < 1e-9:
            continue
        variance = sum(max(p.var(ddof=1), _model(area, p.size)) / p.size for p in _placements(labels, scores))
        accepted = (found.estimate - area) ** 2 <= norm.ppf(0.975) ** 2 * variance
        if found.estimate not in (0, 1):
            assert accepted == (found.low <= area <= found.high)
        elif accepted:
            assert found.low <= area <= found.high


def test_the_score_interval_is_symmetric_and_ends_exactly() -> None:
    rng = np.random.default_rng(4)
    labels, scores = np.repeat([1, 0], [5, 60]), rng.normal(size=65).round(1)
    found, mirrored = rh.auc_interval(labels, scores), rh.auc_interval(labels, -scores)
    swapped = rh.auc_interval(1 - labels, -scores)
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((found.low, found.high), abs=1e-12)
    assert (swapped.low, swapped.high) == pytest.approx((found.low, found.high), abs=1e-12)
    apart = rh.auc_interval(labels, labels)
    assert (apart.low, apart.estimate, apart.high) == (pytest.approx(0.025 ** (1 / 5), rel=1e-12), 1, 1)
    constant = rh.auc_interval(labels, np.zeros(65))
    assert constant.low < 0.3 < constant.high - 0.4  # nothing varies, and nothing is known
    twos = rh.auc_interval(labels, scores, sample_weight=np.full(65, 2.0))
    assert (twos.low, twos.high) == pytest.approx((found.low, found.high), rel=1e-12)


@pytest.mark.crossed
@pytest.mark.parametrize("n_pos", [3, 8, 30])
@pytest.mark.parametrize("area", [0.7, 0.9, 0.99])
@pytest.mark.parametrize("kind", ["normal", "wide positives", "exponential", "rounded"])
def test_the_default_covers_with_few_positives(kind: str, area: float, n_pos: int) -> None:
    rng = np.random.default_rng(21)
    labels = np.repeat([1, 0], [n_pos, 300])
    covered = 0
    for _ in range(DRAWS // 2):
        if kind == "exponential":
            scores = rng.exponential(np.where(labels == 1, area / (1 - area), 1.0))
        else:
            spread = 2.0 if kind == "wide positives" else 1.0
            shift = math.hypot(1, spread) * norm.ppf(area)
            scores = rng.normal(labels * shift, np.where(labels == 1, spread, 1.0))
            scores = scores.round(1) if kind == "rounded" else scores  # moves the area by less than 1e-3
        found = rh.auc_interval(labels, scores)
        covered += found.low <= area <= found.high
    assert covered >= norm.ppf(1e-4) * math.sqrt(DRAWS / 2 * 0.93 * 0.07) + 0.93 * DRAWS / 2


def test_few_examples_are_said() -> None:
    """Where the normal distribution does not hold yet, and which method does not need it."""
    labels, scores = np.repeat([1, 0], [20, 90]), np.arange(110) % 7
    for method in ("delong", "logit"):
        with pytest.warns(UserWarning, match='one has 20: use method="score"'):
            rh.auc_interval(labels, scores, method)
    with pytest.warns(UserWarning, match="rejects too often .* one has 20: use venkatraman_test"):
        rh.delong_test(labels, scores, -scores)
    with pytest.warns(UserWarning, match="rejects too often .* one has 20: judge each area"):
        rh.delong_test(labels, scores, scores, y_true_b=labels)
    with pytest.warns(UserWarning, match="auc_covariance .* one has 20"):
        rh.uncertainty.auc_covariance(labels, {"a": scores, "b": -scores})


@pytest.mark.crossed
@pytest.mark.parametrize("method", ["score", "delong", "logit"])
@pytest.mark.parametrize("area", [0.7, 0.9])
def test_coverage(method: str, area: float) -> None:
    rng = np.random.default_rng(11)
    labels = np.repeat([0, 1], 100)
    covered = 0
    for _ in range(DRAWS):
        found = rh.auc_interval(labels, rng.normal(labels * math.sqrt(2) * norm.ppf(area)), method)
        covered += found.low <= area <= found.high
    assert within(covered, DRAWS, 0.95)


@pytest.mark.long
def test_coverage_with_sampling_weights() -> None:
    """High scores are sampled four times as often as low ones; the weights undo it, plain areas do not."""
    rng = np.random.default_rng(12)
    area, covered, plain = 0.75, 0, 0
    for _ in range(DRAWS):
        labels = rng.integers(0, 2, 600)
        scores = rng.normal(labels * math.sqrt(2) * norm.ppf(area))
        chance = np.where(scores > 0.3, 0.8, 0.2)
        taken = rng.random(600) < chance
        found = rh.auc_interval(labels[taken], scores[taken], sample_weight=1 / chance[taken])
        covered += found.low <= area <= found.high
        biased = rh.auc_interval(labels[taken], scores[taken])
        plain += biased.low <= area <= biased.high
    assert within(covered, DRAWS, 0.95)
    assert not within(plain, DRAWS, 0.95)


@pytest.mark.long
@pytest.mark.parametrize("weighted", [False, True])
def test_size_of_the_paired_test(weighted: bool) -> None:
    rng = np.random.default_rng(13)
    labels = np.repeat([0, 1], 80)
    rejected = 0
    for _ in range(DRAWS):
        shared = rng.normal(labels, 1)
        a, b = shared + rng.normal(size=160), shared + rng.normal(size=160)
        weights = rng.uniform(0.5, 1.5, 160) if weighted else None
        rejected += rh.delong_test(labels, a, b, sample_weight=weights).pvalue < 0.05
    assert within(rejected, DRAWS, 0.05)


def test_size_of_the_unpaired_test() -> None:
    rng = np.random.default_rng(14)
    first, second = np.repeat([0, 1], 60), np.repeat([0, 1, 0], 50)
    rejected = sum(
        rh.delong_test(first, rng.normal(first), rng.normal(second), y_true_b=second).pvalue < 0.05
        for _ in range(DRAWS)
    )
    assert within(rejected, DRAWS, 0.05)


def test_zero_variance() -> None:
    labels = [0, 0, 1, 1]
    perfect, constant = [1, 2, 3, 4], [5, 5, 5, 5]
    better, worse = rh.delong_test(labels, perfect, constant), rh.delong_test(labels, constant, perfect)
    assert (better.statistic, better.pvalue, better.estimate) == (math.inf, 0, 0.5)
    assert (worse.statistic, worse.pvalue, worse.estimate) == (-math.inf, 0, -0.5)
    for scale in (1, 3.0):  # another monotone scale, and weights: still the very same placements
        same = rh.delong_test(RATED, RATINGS, np.exp(RATINGS), sample_weight=np.full(109, scale))
        assert (same.statistic, same.pvalue) == (0, 1)
    apart = rh.delong_test(labels, perfect, constant, y_true_b=labels)
    assert (apart.statistic, apart.pvalue) == (math.inf, 0)
    equal = rh.delong_test(labels, perfect, perfect, y_true_b=labels)
    assert (equal.statistic, equal.pvalue) == (0, 1)


def test_unpaired_variances_add_up() -> None:
    rng = np.random.default_rng(2)
    y, z = rng.integers(0, 2, 50), rng.integers(0, 2, 70)
    a, b, v, w = rng.normal(y), rng.normal(z), rng.random(50), rng.random(70)
    found = rh.delong_test(y, a, b, y_true_b=z, sample_weight=v, sample_weight_b=w)
    parts = (
        rh.auc_interval(y, a, "delong", sample_weight=v, level=0.9),
        rh.auc_interval(z, b, "delong", sample_weight=w, level=0.9),
    )
    assert found.estimate == pytest.approx(parts[0].estimate - parts[1].estimate)
    variance = sum(((p.high - p.low) / 2 / norm.ppf(0.95)) ** 2 for p in parts)
    assert found.statistic == pytest.approx(found.estimate / math.sqrt(variance))


def test_other_labels() -> None:
    words = np.where(RATED == 1, "ill", "well")
    found = rh.delong_test(words, RATINGS, -RATINGS, y_true_b=words, pos_label="ill")
    assert found.estimate == pytest.approx(2 * rh.roc_auc(RATED, RATINGS) - 1)


def test_contrasts() -> None:
    found = auc_covariance(POOR, MARKERS)
    everything = found.contrast()
    # DeLong et al. 1988, equation 5, with an inverse: any basis of the differences serves.
    rows = np.array([[1.0, -1, 0], [1, 0, -1]])
    sums = rows @ found.auc
    statistic = sums @ np.linalg.inv(rows @ found.covariance @ rows.T) @ sums
    assert everything.statistic == pytest.approx(statistic)
    assert (everything.pvalue, everything.df) == (pytest.approx(math.exp(-statistic / 2)), 2)
    again = found.contrast([[1, -1, 0], [0, 1, -1], [1, 0, -1]])  # the third follows from the others
    assert (again.statistic, again.df) == (pytest.approx(statistic), 2)
    np.testing.assert_allclose(again.estimate, np.array([[1, -1, 0], [0, 1, -1], [1, 0, -1]]) @ found.auc)


def test_sums_that_follow_from_others() -> None:
    found = auc_covariance(POOR, MARKERS)
    expected = found.contrast()
    rng = np.random.default_rng(4)
    for _ in range(20):
        rows = rng.normal(size=(5, 3))
        again = found.contrast(rows - rows.mean(axis=1, keepdims=True))
        assert (again.statistic, again.df) == (pytest.approx(expected.statistic, rel=1e-6), 2)


@pytest.mark.parametrize("weights", [None, np.linspace(0.1, 2, 113)])
def test_contrasts_that_do_not_vary(weights: Array | None) -> None:
    twice = auc_covariance(POOR, np.column_stack([WFNS, 2 * WFNS, S100B]), sample_weight=weights)
    same = twice.contrast([1, -1, 0])
    assert (same.statistic, same.pvalue, same.df) == (0, 1, 0)
    alone = twice.contrast([1, 0, -1])
    both = twice.contrast([[1, -1, 0], [1, 0, -1]])
    assert (both.statistic, both.df) == (pytest.approx(alone.statistic), 1)
    labels = np.repeat([0, 1], 5)
    certain = auc_covariance(labels, {"perfect": range(10), "constant": [0] * 10}).contrast()
    assert (certain.statistic, certain.pvalue, certain.df) == (math.inf, 0, 0)


def test_the_table_has_the_covariance() -> None:
    rng = np.random.default_rng(0)
    found = rh.uncertainty.auc_covariance(
        np.arange(40) % 2, dict(zip("ab", rng.normal(size=(2, 40)), strict=True))
    )
    frame = found.to_frame("pandas")
    assert list(frame) == ["names", "auc", "covariance with a", "covariance with b"]
    assert frame.iloc[:, 2:].to_numpy().tolist() == found.covariance.tolist()


def test_intervals_of_all() -> None:
    found = auc_covariance(POOR, MARKERS)
    each = found.interval(level=0.9)
    for i, scores in enumerate(MARKERS.values()):
        alone = rh.auc_interval(POOR, scores, "delong", level=0.9)
        assert (each.low[i], each.high[i]) == (pytest.approx(alone.low), pytest.approx(alone.high))
    several = found.interval([[1, -1, 0], [0, 1, 0]])
    single = found.interval([1, -1, 0])
    assert (several.low.shape, several.low[0], several.high[0]) == ((2,), single.low, single.high)
    perfect = auc_covariance([0, 0, 0, 1, 1], [[1], [2], [4], [3], [5]]).interval()
    assert perfect.high.tolist() == [1]


def test_tables(frame_module: Any) -> None:
    expected = auc_covariance(POOR, MARKERS)
    found = auc_covariance(POOR, frame_module(MARKERS))
    assert found.names == expected.names == ("wfns", "ndka", "s100b")
    assert found.covariance.tolist() == expected.covariance.tolist()
    array = auc_covariance(POOR, np.column_stack(list(MARKERS.values())))
    assert array.names == ("0", "1", "2")
    assert array.covariance.tolist() == expected.covariance.tolist()
    rows = auc_covariance(POOR, np.column_stack(list(MARKERS.values())).tolist())
    assert rows.auc.tolist() == expected.auc.tolist()


Y, S = [0, 1, 0, 1], [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: rh.auc_interval(Y, S, "wald"),
            'method must be "score", "delong" or "logit", but is \'wald\'.',
        ),
        (lambda: rh.auc_interval(Y, S, level=1), "level must lie strictly between 0 and 1, but is 1."),
        (lambda: rh.delong_test(Y, S, S[:3]), "y_true and score_b must have the same length"),
        (lambda: rh.delong_test(Y, S, S, sample_weight_b=S), "sample_weight_b needs y_true_b"),
        (lambda: rh.delong_test(Y, S, S, y_true_b=Y[:3]), "y_true_b and score_b must have the same length"),
        (lambda: rh.delong_test(Y, S, S, y_true_b=[1] * 4), "y_true_b has one class only"),
        (lambda: rh.delong_test(Y, S, S, y_true_b=Y, sample_weight_b=[-1] * 4), "sample_weight_b has 4 neg"),
        (lambda: rh.delong_test(Y, S, S, y_true_b=Y, sample_weight_b=[1]), "y_true_b and sample_weight_b"),
        (lambda: auc_covariance(Y, S), "scores must be an array of shape (n, k), a mapping or a data"),
        (lambda: auc_covariance(Y, {}), "scores has no columns."),
        (lambda: auc_covariance(Y, {"a": S, "b": S[:2]}), "y_true and scores['b'] must have the same"),
        (lambda: auc_covariance(Y, {"a": [np.nan] * 4}), "scores['a'] has 4 NaN"),
        (lambda: auc_covariance(Y, {"a": S}).contrast(), "contrast is needed where there is one"),
        (lambda: auc_covariance(Y, {"a": S}).contrast([1, 2]), "contrast must hold a finite weight for"),
        (lambda: auc_covariance(Y, {"a": S}).interval([[[1.0]]]), "contrast must hold a finite weight for"),
        (lambda: auc_covariance(Y, {"a": S}).interval([np.inf]), "contrast must hold a finite weight for"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        call()


def test_results_are_plain_numbers() -> None:
    interval, test = rh.auc_interval(RATED, RATINGS, "delong"), rh.delong_test(RATED, RATINGS, -RATINGS)
    for result in (interval, test, auc_covariance(RATED, {"a": RATINGS}).interval([1])):
        values = [v for v in dataclasses.astuple(result) if v is not None]
        assert {type(v) for v in values} == {float, str}


def three() -> rh.uncertainty.AucCovariance:
    table = rh.datasets.load("german_credit_scores", ["class", "boosted", "tree", "logistic"])
    y = table.pop("class") == "bad"
    return auc_covariance(y, table)


def test_contrasts_do_not_depend_on_the_scale_of_their_rows() -> None:
    found = three()
    plain = found.contrast([[1, -1, 0], [0, 1, -1]])
    for scale in ([1e6, 1e-3], [1e-9, 1e9], [-3, 7]):
        other = found.contrast(np.array([[1, -1, 0], [0, 1, -1]]) * np.array(scale)[:, None])
        assert other.pvalue == pytest.approx(plain.pvalue, rel=1e-9)
        assert other.df == plain.df == 2
        assert other.estimate == pytest.approx(plain.estimate * scale)


def test_contrasts_by_name() -> None:
    found = three()
    assert found.contrast({"boosted": 1, "logistic": -1}) == found.contrast([1, 0, -1])
    assert found.interval({"boosted": 1, "logistic": -1}) == found.interval([1, 0, -1])


@pytest.mark.parametrize(
    ("contrast", "message"),
    [
        (np.empty((0, 3)), "contrast must hold a finite weight"),
        ([], "contrast must hold a finite weight"),
        (["a", "b", "c"], "contrast must hold numbers"),
        ([[1, 2], [3]], "contrast must hold numbers"),
        ({"boosted": 1, "forest": -1}, "contrast names 'forest', which is not one of 'boosted', 'tree'"),
        ({"boosted": "x"}, r"contrast\['boosted'\] must be a finite number"),
    ],
)
def test_bad_contrasts(contrast: Any, message: str) -> None:
    found = three()
    for method in (found.contrast, found.interval):
        with pytest.raises(ValueError, match=message):
            method(contrast)


def test_errors_name_the_second_sample() -> None:
    y, s = [0, 0, 1, 1], [1, 2, 3, 4]
    with pytest.raises(ValueError, match="y_true_b has 1 positive example"):
        rh.delong_test(y, s, s, y_true_b=[0, 0, 0, 1])
    with pytest.raises(ValueError, match="y_true has 1 positive example"):
        rh.delong_test([0, 0, 0, 1], s, s, y_true_b=y)
    options: dict[str, Any] = {"y_true_b": y, "sample_weight": np.ones(4)}
    with pytest.raises(ValueError, match="sample_weight_b"):
        rh.delong_test(y, s, s, sample_weight_b=[1, 1, 0, 0], **options)
    with pytest.raises(ValueError, match="y_true_b has 1 positive example with a weight above zero"):
        rh.delong_test(y, s, s, sample_weight_b=[1, 1, 0, 1], **options)


# --- clusters -----------------------------------------------------------------------------------------


def obuchowski(y: Any, scores: list[Any], clusters: Any) -> Any:
    """Obuchowski 1997, by her formulas: placements, sums in clusters, S10 / M + S01 / N + 2 S11 / (M N)."""
    pos, neg = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    placed = []
    for s in scores:
        wins = np.array([[(s[i] > s[j]) + (s[i] == s[j]) / 2 for j in neg] for i in pos])
        placed.append((wins.mean(), wins.mean(axis=1), wins.mean(axis=0)))
    area = [one[0] for one in placed]
    weights = [1, -1] if len(scores) == 2 else [1]
    sums = []
    for c in np.unique(clusters):
        x = sum(w * (p[1] - p[0])[clusters[pos] == c].sum() for w, p in zip(weights, placed, strict=True))
        z = sum(w * (p[2] - p[0])[clusters[neg] == c].sum() for w, p in zip(weights, placed, strict=True))
        sums.append((x, z))
    x, z = np.array(sums).T
    c10, c01, c = len(np.unique(clusters[pos])), len(np.unique(clusters[neg])), len(x)
    m, n = len(pos), len(neg)
    s10, s01 = c10 / ((c10 - 1) * m) * (x @ x), c01 / ((c01 - 1) * n) * (z @ z)
    return area, s10 / m + s01 / n + 2 * c / (c - 1) * (x @ z) / (m * n)


def in_clusters(rng: np.random.Generator, c: int, each: int, share: float = 0.5) -> Any:
    """Examples of both classes in each cluster, whose scores have as much in common."""
    clusters = np.repeat(np.arange(c), each)
    y = (np.arange(c * each) % 2).astype(int)
    common = rng.normal(size=c)[clusters]
    one, other = (
        math.sqrt(share) * common + math.sqrt(1 - share) * rng.normal(size=y.size) + 1.2 * y for _ in range(2)
    )
    return y, one, other, clusters


@tries(20)
@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_clusters_as_obuchowski_writes_it(seed: int, ties: bool, lower: bool) -> None:
    rng = np.random.default_rng(seed)
    y, a, b, _ = in_clusters(rng, 8, 4)
    clusters = rng.integers(0, 6, y.size)
    if ties:
        a, b = np.round(a), np.round(b)
    areas, variance = obuchowski(y, [a], clusters)
    given = -a if lower else a
    found = rh.auc_interval(y, given, "delong", clusters=clusters, lower_is_positive=lower, level=0.5)
    half = norm.ppf(0.75) * math.sqrt(max(variance, 0))
    assert found.estimate == pytest.approx(areas[0])
    assert (found.low, found.high) == pytest.approx((max(0, areas[0] - half), min(1, areas[0] + half)))
    areas, variance = obuchowski(y, [a, b], clusters)
    both = (-a, -b) if lower else (a, b)
    test = rh.delong_test(y, *both, clusters=clusters, lower_is_positive=lower)
    assert test.estimate == pytest.approx(areas[0] - areas[1])
    if variance > 1e-12:
        assert test.statistic == pytest.approx(test.estimate / math.sqrt(variance))
    assert test.method == "Obuchowski, paired"


def test_clusters_of_one_are_none() -> None:
    y, a, b, _ = in_clusters(np.random.default_rng(1), 40, 4)
    own = np.array([f"patient {i}" for i in range(y.size)])
    for method in ("score", "delong", "logit"):
        alone, plain = rh.auc_interval(y, a, method, clusters=own), rh.auc_interval(y, a, method)
        assert (alone.low, alone.high) == pytest.approx((plain.low, plain.high))
    assert rh.delong_test(y, a, b, clusters=own).pvalue == pytest.approx(rh.delong_test(y, a, b).pvalue)
    weights = np.linspace(0.5, 1.5, y.size)
    weighted = rh.auc_interval(y, a, "delong", clusters=own, sample_weight=weights)
    assert weighted.estimate == rh.auc_interval(y, a, "delong", sample_weight=weights).estimate


def test_clusters_cover_where_single_examples_do_not() -> None:
    """Clusters of one class: the fewer independent ones count."""
    rng, held = np.random.default_rng(2), np.zeros(2)
    clusters = np.repeat(np.arange(80), 6)
    y = np.repeat(np.arange(80) % 2, 6)
    truth = norm.cdf(1.2 / math.sqrt(2))
    for _ in range(60):
        scores = (rng.normal(size=80)[clusters] * 3 + rng.normal(size=480)) / math.sqrt(10) + 1.2 * y
        for i, own in enumerate((None, clusters)):
            found = rh.auc_interval(y, scores, clusters=own)
            held[i] += found.low <= truth <= found.high
    assert held[0] < 45
    assert held[1] >= 54


def test_clusters_that_cannot_be() -> None:
    y, a, b, clusters = in_clusters(np.random.default_rng(3), 30, 4)
    with pytest.raises(ValueError, match="clusters: all 60 positive examples are in one, which cannot vary"):
        rh.auc_interval(y, a, clusters=np.where(y == 1, 7, clusters))
    with pytest.raises(ValueError, match="clusters are those of paired examples"):
        rh.delong_test(y, a, b, y_true_b=y, clusters=clusters)
    with pytest.raises(ValueError, match="clusters"):
        rh.auc_interval(y, a, clusters=clusters[:5])
    lower = rh.delong_test(y, -a, -b, y_true_b=y, lower_is_positive=True)
    assert lower == rh.delong_test(y, a, b, y_true_b=y)
