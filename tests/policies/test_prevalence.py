import math
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from sklearn.base import clone

import rochull as rh
from profiles import tries
from refusals import refuses
from rochull.policies import mixture as _mixture
from rochull.policies.mixture import LabelledRatios, Mixture, Sample, without_itself
from rochull.policies.prevalence import RatioLadder

# --- slow twins -------------------------------------------------------------------------------------


def em_steps(llr, steps, start=0.5):
    """EM as Saerens, Latinne & Decaestecker (2002) write it, case by case: posteriors, then their mean."""
    pi = start
    for _ in range(steps):
        posteriors = [pi * math.exp(x) / (pi * math.exp(x) + 1 - pi) for x in llr]
        pi = math.fsum(posteriors) / len(posteriors)
    return pi


def log_likelihood(llr, pi):
    return math.fsum(math.log(1 - pi + pi * math.exp(x)) for x in llr)


class Plain:
    """A calibrator that is nothing but its map."""

    def __init__(self, llr=lambda scores: np.asarray(scores, float)):
        self.llr = llr


def scored(rng, n, prevalence, distance=2.0):
    y = rng.random(n) < prevalence
    return y, rng.normal(distance * y)


LLRS = st.lists(st.floats(-6, 6).map(lambda x: round(x, 1)), min_size=1, max_size=40)

# --- EM ---------------------------------------------------------------------------------------------


@tries(200)
@given(LLRS, st.integers(1, 4))
def test_em_is_the_maximum_likelihood(llr, times):
    found = rh.estimate_prevalence(llr * times, Plain())
    assert found.estimate == found.em
    assert found.method == "known"
    best = log_likelihood(llr, found.em)
    for pi in np.linspace(0.001, 0.999, 57):
        assert log_likelihood(llr, pi) <= best + 1e-9
    if 0 < found.em < 1:
        assert em_steps(llr, 1, found.em) == pytest.approx(found.em, rel=1e-12)


@tries(20)
@given(st.integers(0, 2**32))
def test_em_ends_where_the_slow_twin_ends(seed):
    rng = np.random.default_rng(seed)
    llr = rng.normal(2 * np.where(rng.random(30) < 0.4, 1, -1), 2)
    assert rh.estimate_prevalence(llr, Plain()).em == pytest.approx(em_steps(llr, 1000), abs=1e-6)


def test_em_finds_tiny_prevalences_and_huge_ratios():
    # One score of ratio r among n of ratio 0: the likelihood pi r (1 - pi)^n is highest at 1 / (n + 1).
    for big in (50.0, 699.0, 1e6, 1e300):
        found = rh.estimate_prevalence([big, *[-big] * 9], Plain())
        assert found.em == pytest.approx(0.1, rel=1e-12)
        assert 0 < found.low < 0.1 < found.high < 1
    assert rh.estimate_prevalence([3.0, 4.0], Plain()).em == 1
    assert rh.estimate_prevalence([-3.0, 0.0], Plain()).em == 0
    # Mean ratio just above 1: pi = mean of (r - 1) / mean of (r - 1)^2, to first order.
    llr = np.log(np.array([1 + 1e-4, 1 - 1e-4 + 1e-14]))
    ratio = np.expm1(llr)
    assert rh.estimate_prevalence(llr, Plain()).em == pytest.approx(
        ratio.mean() / (ratio**2).mean(), rel=1e-3
    )


def test_the_interval_of_known_ratios_is_the_likelihood_ratio_interval():
    llr = np.random.default_rng(1).normal(1, 2, 50)
    found = rh.estimate_prevalence(llr, Plain(), level=0.9)
    best = log_likelihood(llr, found.em)
    for end in (found.low, found.high):
        assert 2 * (best - log_likelihood(llr, end)) == pytest.approx(2.705543, abs=1e-5)  # chi2(1), 90%


# --- the corrected likelihood -----------------------------------------------------------------------


def mixtures(rng):
    """A batch with ratios that count as known, as measured on others, and as fitted; LLRs of 0 among them."""
    batch = Sample.of(np.round(rng.normal(0.5, 1.5, 300), 1))
    pos, neg = (Sample.of(np.round(rng.normal(mean, 1.5, 200), 1)) for mean in (1, -1))
    llr = np.array([3.0, 1.0, 1e-9, 0.0, -1.0, -2.5])
    own = without_itself(llr, np.array([30, 20, 10, 5, 5, 0]), np.array([0, 3, 10, 5, 10, 40]))
    return [Mixture(batch, known) for known in (None, LabelledRatios(pos, neg), own)]


@given(st.floats(-700, 700), st.floats(0, 1))
def test_functions_of_the_ratio(llr, pi):
    # In exact arithmetic, but for the logarithm.
    ratio, share = Fraction(math.exp(llr)), Fraction(pi)
    mass = 1 + share * (ratio - 1)
    x = np.array([llr])
    with np.errstate(over="ignore", divide="ignore"):
        found = _mixture.log_mass(pi, x)[0], _mixture.lift(pi, x)[0]
    log = math.log(mass.numerator) - math.log(mass.denominator)
    assert found[0] == pytest.approx(log, rel=1e-12, abs=1e-12)
    if abs(llr) > 1e-6:  # nearer to 0 the exponential has lost what expm1 keeps
        assert found[1] == pytest.approx(float((ratio - 1) / mass), rel=1e-9)


@pytest.mark.parametrize("which", [0, 1, 2])
def test_the_slope_is_the_derivative_of_the_height(which):
    mixture = mixtures(np.random.default_rng(0))[which]
    assert mixture.height(0.0) == 0
    for pi in (1e-6, 0.003, 0.2, 0.7, 1.0):
        assert mixture.height(pi) == pytest.approx(quad(mixture.slope, 0, pi, epsabs=1e-13)[0], abs=1e-10)


def test_an_example_is_judged_without_itself():
    # Block by block: of c examples c - 1 are left, and half an example more on either side.
    found = without_itself(np.log([3.0, 0.5]), np.array([4, 0]), np.array([1, 7]))
    assert np.exp(found.pos.llr) == pytest.approx([3 * 3.5 / 4.5])
    assert np.exp(found.neg.llr) == pytest.approx([3 * 1.5 / 0.5, 0.5 * 7.5 / 6.5])
    assert (found.pos.n, found.neg.n) == (4, 8)
    assert found.neg.share.tolist() == [1 / 8, 7 / 8]


def test_two_levels_are_the_rogan_gladen_estimator():
    # Rogan & Gladen 1978, Estimating prevalence from the results of a screening test: (share + sp - 1) /
    # (se + sp - 1), with a variance by the delta method where se and sp were estimated.
    hull = rh.roc_hull([1, 1, 0, 0, 1, 0], [1, 1, 0, 0, 0, 1])
    se, sp, n_pos, n_neg, share, n = 0.8, 0.9, 50, 40, 0.31, 200
    y = np.repeat([1, 1, 0, 0], [40, 10, 4, 36])
    tests = np.repeat([1, 0, 1, 0], [40, 10, 4, 36])
    batch = np.repeat([1, 0], [62, 138])
    found = rh.estimate_prevalence(batch, hull, y_true=y, y_score=tests)
    expected = (share + sp - 1) / (se + sp - 1)
    assert found.method == "labelled"
    assert found.estimate == pytest.approx(expected, rel=1e-10)
    ladder = RatioLadder.of(hull, None)
    llr = ladder.llr_of(tests)
    mixture = Mixture(
        Sample.of(ladder.llr_of(batch)), LabelledRatios(Sample.of(llr[y == 1]), Sample.of(llr[y == 0]))
    )
    pi = expected
    variance = share * (1 - share) / n
    variance += pi**2 * se * (1 - se) / n_pos + (1 - pi) ** 2 * sp * (1 - sp) / n_neg
    # The curvature is taken at the labelled rates, which the ratios of the hull are not: scale by both.
    lift = _mixture.lift(pi, ladder.llr)
    batch_part, ratio_part = mixture.variances(pi)
    assert batch_part + ratio_part == pytest.approx(variance * (lift[0] - lift[1]) ** 2, rel=1e-10)


@pytest.mark.long
def test_variance_and_bias_of_fixed_levels():
    # 20 levels with 1000 examples a class, and a batch of 20,000: EM is biased, its correction is not.
    rng = np.random.default_rng(3)
    grid = np.linspace(-2, 2, 20)
    p, q = (np.exp(-((grid - mean) ** 2) / 2) for mean in (0.6, -0.6))
    p, q, pi = p / p.sum(), q / q.sum(), 0.1
    rows = []
    for _ in range(600):
        pos, neg = rng.multinomial(1000, p), rng.multinomial(1000, q)
        llr = np.log((pos + 0.5) / (neg + 0.5))
        counts = rng.multinomial(20_000, pi * p + (1 - pi) * q)
        mixture = Mixture(Sample(llr, counts / 20_000, 20_000), without_itself(llr, pos, neg))
        rows.append((*mixture.solve(0.95), mixture.spread(pi)))
    estimate, low, high, em, spread = np.array(rows).T
    chance = em.std() / math.sqrt(600)
    assert em.mean() - pi > 5 * chance
    assert abs(estimate.mean() - pi) < 0.5 * (em.mean() - pi)
    assert 0.8 < estimate.var() / np.mean(spread) < 1.2
    assert 0.925 < np.mean((low <= pi) & (pi <= high)) < 0.98


def test_pieces_and_threads_give_the_same(monkeypatch):
    rng = np.random.default_rng(5)
    llr = rng.normal(-1, 1, 1000)
    whole = rh.estimate_prevalence(llr, Plain())
    monkeypatch.setattr(_mixture, "_CHUNK", 64)
    pieces = rh.estimate_prevalence(llr, Plain())
    assert pieces == rh.estimate_prevalence(rng.permutation(llr), Plain())
    assert (pieces.estimate, pieces.low, pieces.high) == pytest.approx(
        (whole.estimate, whole.low, whole.high), rel=1e-9
    )


# --- calibrators ------------------------------------------------------------------------------------


def test_a_hull_and_its_calibrators_agree():
    rng = np.random.default_rng(0)
    y, s = scored(rng, 3000, 0.4)
    _, batch = scored(rng, 4000, 0.15)
    of_hull = rh.estimate_prevalence(batch, rh.roc_hull(y, s))
    made = [
        rh.PavCalibrator(bound="laplace"),
        rh.PavCalibrator(bound="laplace", interpolation="linear"),
        rh.PavCalibrator(bound="laplace", strict=True),
        rh.PavCalibrator(bound="misleading"),
        rh.PavCalibrator(bound="elub"),
    ]
    found = [rh.estimate_prevalence(batch, one.fit(s, y)) for one in made]
    assert all(one.method == "blocks" and one.n == 4000 for one in [of_hull, *found])
    assert found[0].estimate == pytest.approx(of_hull.estimate, rel=1e-9)
    assert (found[0].low, found[0].high) == pytest.approx((of_hull.low, of_hull.high), rel=1e-6)
    for one in found:
        assert one.estimate == pytest.approx(of_hull.estimate, abs=0.006)
        assert one.low < 0.15 < one.high
        assert one.high - one.low == pytest.approx(of_hull.high - of_hull.low, rel=0.1)


@pytest.mark.parametrize("kind", [rh.LogisticCalibrator, rh.BetaCalibrator])
def test_parametric_calibrators_know_what_they_were_fitted_on(kind):
    rng = np.random.default_rng(1)
    y, s = scored(rng, 400, 0.5)
    _, batch = scored(rng, 50_000, 0.3)
    if kind is rh.BetaCalibrator:
        s, batch = 1 / (1 + np.exp(-s)), 1 / (1 + np.exp(-batch))
    calibrator = kind().fit(s, y)
    found = rh.estimate_prevalence(batch, calibrator)
    given = rh.estimate_prevalence(batch, calibrator, y_true=y, y_score=s)
    assert (found.method, given.method) == ("labelled", "labelled")
    assert (found.low, found.high) == pytest.approx((given.low, given.high), rel=1e-9)
    assert found.low < 0.3 < found.high
    loaded = kind.from_json(calibrator.to_json())
    with pytest.warns(
        UserWarning, match="^calibrator: neither a document nor weighted examples say how well"
    ):
        plain = rh.estimate_prevalence(batch, loaded)
    assert (plain.method, math.isnan(plain.pvalue)) == ("known", True)
    assert found.high - found.low > 4 * (plain.high - plain.low)
    assert rh.estimate_prevalence(batch, loaded, y_true=y, y_score=s) == given
    with pytest.warns(UserWarning, match="^calibrator: neither a document nor weighted"):
        rh.estimate_prevalence(batch, kind().fit(s, y, sample_weight=np.linspace(1, 2, 400)))


def test_a_fitted_calibrator_tests_the_fit():
    """Scores that were multiplied by 1.6: a prevalence of .53 was told for .35, "fit not tested"."""
    rng = np.random.default_rng(4)
    y, s = scored(rng, 500, 0.5)
    _, batch = scored(rng, 5000, 0.35)
    with pytest.warns(rh.MisfitWarning, match="not a mixture of the classes"):
        found = rh.estimate_prevalence(1.6 * batch, rh.LogisticCalibrator().fit(s, y))
    assert found.pvalue < 1e-3


def test_many_examples_are_kept_as_few_ratios():
    rng = np.random.default_rng(5)
    y, s = scored(rng, 250_000, 0.5)
    calibrator = rh.LogisticCalibrator().fit(s, y)
    llr, neg, pos = calibrator.fitted_ratios_
    assert len(llr) <= 4096
    assert neg.sum() + pos.sum() == pytest.approx(250_000 / 3, abs=1)
    own = calibrator.llr(s[::3])
    for counts, label in ((neg, False), (pos, True)):
        some = own[y[::3] == label]
        for function in (np.tanh, np.square):
            mean = counts @ function(llr) / counts.sum()
            assert mean == pytest.approx(function(some).mean(), rel=1e-4)
    assert clone(calibrator).fitted_ratios_ is None


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("bound", ["laplace", None])
def test_the_examples_of_its_blocks_are_no_others(lower, bound):
    """PAV was judged by its own training rows: .073 on average for .05."""
    rng = np.random.default_rng(6)
    y, s = scored(rng, 300, 0.5)
    s, batch = (-column if lower else column for column in (s, scored(rng, 3000, 0.05)[1]))
    calibrator = rh.roc_hull(y, s, lower_is_positive=lower)
    if bound:
        calibrator = rh.PavCalibrator(bound=bound, lower_is_positive=lower).fit(s, y)
    order = rng.permutation(300)
    own = rh.estimate_prevalence(batch, calibrator, y_true=y[order], y_score=s[order])
    assert own == rh.estimate_prevalence(batch, calibrator)
    assert own.method == "blocks"
    s[order[0]] = s.mean()
    others = rh.estimate_prevalence(batch, calibrator, y_true=y, y_score=s)
    assert others.method == "labelled"


def test_labelled_examples_mend_a_wrong_calibrator():
    rng = np.random.default_rng(2)
    wrong = Plain(lambda scores: 3 * np.asarray(scores) - 1)  # the true LLR is 2 s - 2
    y, s = scored(rng, 20_000, 0.3)
    _, batch = scored(rng, 20_000, 0.1)
    assert abs(rh.estimate_prevalence(batch, wrong).estimate - 0.1) > 0.05
    found = rh.estimate_prevalence(batch, wrong, y_true=np.where(y, "yes", "no"), y_score=s, pos_label="yes")
    assert found.estimate == pytest.approx(0.1, abs=0.012)
    assert found.low < 0.1 < found.high


def test_weights_and_rates_count_as_known():
    rng = np.random.default_rng(3)
    y, s = scored(rng, 2000, 0.4)
    _, batch = scored(rng, 3000, 0.2)
    plain = rh.roc_hull(y, s)
    weighted = rh.roc_hull(y, s, sample_weight=np.full(y.size, 3.0))
    rates = rh.RocHull.from_rates(plain.fpr[1:-1], plain.tpr[1:-1], plain.thresholds[1:-1], "a")
    both = [rh.estimate_prevalence(batch, hull) for hull in (weighted, rates)]
    assert [one.method for one in both] == ["known", "known"]
    calibrator = rh.PavCalibrator(bound="laplace").fit(s, y, sample_weight=np.full(y.size, 3.0))
    with pytest.warns(UserWarning, match="^calibrator: neither a document nor weighted"):
        assert rh.estimate_prevalence(batch, calibrator).method == "known"
    for one in both:
        assert one.em == pytest.approx(rh.estimate_prevalence(batch, plain).em, abs=0.003)
    mended = rh.estimate_prevalence(batch, weighted, y_true=y, y_score=s)
    assert mended.method == "labelled"
    # Perfect separation: no finite ratio is left, so the scores tell nothing.
    found = rh.estimate_prevalence([1.0, 0.0], rh.roc_hull([1, 0], [1, 0], sample_weight=[2.0, 1.0]))
    assert (found.estimate, found.low, found.high) == (0.5, 0.0, 1.0)


def test_counts_that_were_cut_into_units_are_counts():
    rng = np.random.default_rng(4)
    y, s = scored(rng, 300, 0.4)
    point = rh.RocHull.from_rates([math.pi / 100], [0.999], [1], "point")
    together = rh.union({"a": rh.roc_hull(y, s), "point": point})
    ladder = RatioLadder.of(together, "point")
    assert (ladder.levels.pos.n, ladder.levels.neg.n) == (y.sum(), (~y).sum())
    assert ladder.llr.size == 2
    assert np.isfinite(ladder.llr).all()


# --- scores of any type, and few --------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint8, np.int8])
def test_scores_fall_between_thresholds_as_rules_say(dtype):
    rng = np.random.default_rng(0)
    values = rng.integers(-128, 128, 300).astype(float) / (1 if np.dtype(dtype).kind == "i" else 7)
    y = rng.random(300) < 1 / (1 + np.exp(-values / 30))
    hull = rh.roc_hull(y, values)
    scores = np.append(rng.integers(0, 100, 50), hull.thresholds[1:-1].clip(0, 100)).astype(dtype)
    ladder = RatioLadder.of(hull, None)
    passed = [sum(score >= t for t in ladder.thresholds) for score in scores.tolist()]
    assert np.array_equal(ladder.llr_of(scores), ladder.llr[::-1][passed])


def test_integers_that_are_no_floats():
    top = 2**60
    hull = rh.roc_hull([1, 1, 0, 1, 0, 0], np.arange(top, top + 6)[::-1])
    ladder = RatioLadder.of(hull, None)
    thresholds = ladder.thresholds
    assert np.array_equal(ladder.llr_of(np.array(thresholds)), ladder.llr[: len(thresholds)])
    assert np.array_equal(ladder.llr_of(np.array(thresholds) - 1), ladder.llr[1:])
    infinite = rh.roc_hull([1, 1, 0, 1, 0], [np.inf, 3, 2, 1, -np.inf])
    ends = np.array([np.iinfo(np.int64).max, 3, np.iinfo(np.int64).min])
    found = RatioLadder.of(infinite, None)
    assert np.array_equal(found.llr_of(ends), found.llr_of(ends.astype(float)))


def test_few_scores_tell_little():
    hull = rh.roc_hull([1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    top, bottom = rh.estimate_prevalence([9.0], hull), rh.estimate_prevalence([0.0], hull)
    assert (top.estimate, top.em, top.high) == (1, 1, 1)
    assert (bottom.estimate, bottom.em, bottom.low) == (0, 0, 0)
    assert top.low < 0.1
    assert bottom.high > 0.9
    nothing = rh.estimate_prevalence([0.0, 0.0], Plain())
    assert (nothing.estimate, nothing.em, nothing.low, nothing.high) == (0.5, 0.5, 0.0, 1.0)
    y, s = scored(np.random.default_rng(0), 1000, 0.5)
    with pytest.warns(rh.MisfitWarning, match="not a mixture"):  # positives would not all be so high
        all_high = rh.estimate_prevalence(np.full(50, 9.0), rh.roc_hull(y, s))
    assert all_high.estimate == all_high.high == 1
    assert 0.8 < all_high.low < 1


@pytest.mark.filterwarnings("ignore::rochull.MisfitWarning")  # the scores need not be of these classes
@tries(50)
@given(st.integers(0, 2**32), st.integers(1, 60), st.integers(2, 60))
def test_the_interval_holds_the_estimate_inside_of_0_and_1(seed, n, k):
    rng = np.random.default_rng(seed)
    y = np.arange(k) % 2 == 0
    s = np.round(rng.normal(y), 1)
    found = rh.estimate_prevalence(np.round(rng.normal(size=n), 1), rh.roc_hull(y, s))
    assert 0 <= found.low <= found.estimate <= found.high <= 1


def test_bad_input():
    y, s = [1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0]
    hull = rh.roc_hull(y, s)
    refuses(r"scores has 1 NaN", rh.estimate_prevalence, [1.0, np.nan], hull)
    refuses("scores is empty", rh.estimate_prevalence, [], hull)
    refuses("level must lie strictly between 0 and 1", rh.estimate_prevalence, [1.0], hull, level=95)
    refuses('PavCalibrator\\(bound="laplace"\\)', rh.estimate_prevalence, [1.0], rh.PavCalibrator().fit(s, y))
    refuses("y_true and y_score must be given together", rh.estimate_prevalence, [1.0], hull, y_true=y)
    refuses("pos_label is given without y_true", rh.estimate_prevalence, [1.0], hull, pos_label=1)
    refuses("calibrator must have a method llr or be a RocHull, but is 3", rh.estimate_prevalence, [1.0], 3)
    both = rh.union({"a": hull, "b": rh.roc_hull(y, [2, 1, 4, 4])})
    refuses("hull of 2 classifiers; ask Policy", rh.estimate_prevalence, [1.0], both)
    with pytest.raises(ValueError, match="thresholds of its classifier do not descend"):
        rh.estimate_prevalence([1.0], rh.RocHull.from_rates([0.1, 0.4], [0.5, 0.9]))


def test_nothing_given_is_modified():
    y, s = scored(np.random.default_rng(0), 100, 0.5)
    batch = s.copy()
    batch.flags.writeable = False
    rh.estimate_prevalence(batch, rh.roc_hull(y, s), y_true=y, y_score=batch)
    assert np.array_equal(batch, s)


# --- Adult ------------------------------------------------------------------------------------------

SPLITS = 50
CELLS = [(m, pi) for m in (200, 2_000, 10_000) for pi in (0.01, 0.1, 0.5, 0.9)]


def adult_batches(name, rows, splits, seed):
    """(calibration labels, their scores, scores of a batch for each cell) of disjoint rows of Adult.

    They are drawn without replacement, so that calibration rows and batch are independent samples of the
    same two classes; the batch's number of positives is binomial.
    """
    table = rh.datasets.load("adult_scores", ["income", name])
    y, s = np.asarray(table["income"] == ">50K"), table[name]
    rng = np.random.default_rng(seed)
    for _ in range(splits):
        order = rng.permutation(y.size)
        train, rest = order[:rows], order[rows:]
        pos, neg = s[rest[y[rest]]], s[rest[~y[rest]]]
        batches = []
        for m, pi in CELLS:
            k = rng.binomial(m, pi)
            assert k <= pos.size
            batches.append(np.concatenate((pos[:k], neg[: m - k])))
        yield y[train], s[train], batches


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::rochull.MisfitWarning")  # one batch of a hundred, by chance
@pytest.mark.parametrize("name", ["boosted", "knn"])
def test_coverage_on_adult(name):
    rows, pvalues = [], []
    for y, s, batches in adult_batches(name, 8_000, SPLITS, seed=1):
        hull = rh.roc_hull(y, s)
        found = [rh.estimate_prevalence(batch, hull) for batch in batches]
        known = rh.estimate_prevalence(batches[-1], Plain(RatioLadder.of(hull, None).llr_of))
        rows.append([(one.estimate, one.low, one.high) for one in (*found, known)])
        pvalues.append([one.pvalue for one in found])
        assert math.isnan(known.pvalue)
    estimate, low, high = np.moveaxis(rows, 2, 0)
    pi = np.array([*(pi for _, pi in CELLS), 0.9])
    covered = np.mean((low <= pi) & (pi <= high), axis=0)
    assert covered[:-1].min() >= 0.86  # 43 of 50: a cell of 95% is below once in 80
    assert 0.93 <= covered[:-1].mean() <= 0.98
    assert covered[-1] < 0.88  # what EM's own interval does at 90%, in batches of 10,000
    # Batches of one split share its calibration set, so that more than chance moves their mean.
    assert 0.02 <= np.mean(np.array(pvalues) < 0.05) <= 0.09
    # The bias is below a quarter of the standard deviation, and what chance adds in so many splits.
    bias = np.abs(estimate.mean(axis=0) - pi)[:-1] / estimate.std(axis=0)[:-1]
    assert bias.max() < 0.25 + 2.5 / math.sqrt(SPLITS)


# --- policies ---------------------------------------------------------------------------------------


def two_classifiers(rng, n, prevalence):
    """Labels, and scores of a good classifier and of a poor one that recognises some positives."""
    y = rng.random(n) < prevalence
    known = y & (rng.random(n) < 0.1)
    return y, {"good": rng.normal(2 * y), "poor": np.where(known, 9.0, rng.normal(0.5 * y))}


@pytest.fixture(scope="module")
def policy():
    rng = np.random.default_rng(0)
    y, s = two_classifiers(rng, 4000, 0.3)
    hybrid = rh.Hybrid()
    for name, scores in s.items():
        hybrid.add(name, y, scores)
    assert set(hybrid.hull.classifiers) == {"good", "poor"}
    return hybrid.policy()


def test_a_policy_of_one_classifier_estimates_as_its_hull():
    rng = np.random.default_rng(1)
    y, s = scored(rng, 2000, 0.4)
    _, batch = scored(rng, 1000, 0.1)
    hull = rh.roc_hull(y, s)
    found = rh.Policy.from_json(rh.Policy.from_hull(hull).to_json()).estimate_prevalence(batch, level=0.8)
    expected = rh.estimate_prevalence(batch, hull, level=0.8)
    assert (found.estimate, found.low, found.high) == (expected.estimate, expected.low, expected.high)
    assert (found.classifier, found.level, found.method) == ("score", 0.8, "blocks")
    policy = rh.Policy.from_hull(hull)
    assert policy.estimate_prevalence(pl.Series(batch), level=0.8) == found
    whole = np.array([3, 2, 2, 1, 0, -1, -2], np.int8)
    assert policy.estimate_prevalence(whole) == policy.estimate_prevalence(whole.astype(float))


def test_a_policy_takes_the_classifier_of_least_error(policy):
    _, batch = two_classifiers(np.random.default_rng(2), 3000, 0.15)
    both = policy.estimate_prevalence(batch)
    assert both.classifier == "good"
    assert both.low < 0.15 < both.high
    poor = policy.estimate_prevalence({"poor": batch["poor"], "id": np.arange(3000)})
    assert poor.classifier == "poor"
    assert poor.high - poor.low > 1.3 * (both.high - both.low)
    for frame in (pd.DataFrame(batch), pl.DataFrame(batch)):
        assert policy.estimate_prevalence(frame) == both
        assert policy.estimate_prevalence(frame[["poor"]]) == poor


def test_cases_without_a_score_are_left_out(policy):
    _, batch = two_classifiers(np.random.default_rng(3), 500, 0.3)
    gone = np.arange(500) < 100
    there = policy.estimate_prevalence({"good": batch["good"][~gone]})
    assert policy.estimate_prevalence({"good": np.where(gone, np.nan, batch["good"])}) == there
    nulls = pl.DataFrame({"good": [None if g else x for g, x in zip(gone, batch["good"], strict=True)]})
    assert policy.estimate_prevalence(nulls) == there
    assert there.n == 400
    refuses("no case with a score", policy.estimate_prevalence, {"good": [np.nan]})


def test_policies_that_cannot_estimate(policy):
    refuses("no column of any classifier: 'poor', 'good'", policy.estimate_prevalence, {"other": [1.0]})
    refuses("no column of any classifier", policy.estimate_prevalence, pd.DataFrame({"other": [1.0]}))
    refuses("a column for each", policy.estimate_prevalence, [1.0])
    refuses("scores is empty", policy.estimate_prevalence, {"good": []})
    refuses("level must lie", policy.estimate_prevalence, {"good": [1.0]}, level=1)
    constant = rh.Policy.from_hull(rh.roc_hull([0, 1], [1, 0]))
    refuses("only constant rules", constant.estimate_prevalence, [1.0])


def test_decide_under_another_prevalence(policy):
    _, batch = two_classifiers(np.random.default_rng(4), 2000, 0.05)
    found = policy.estimate_prevalence(batch)
    for stale, fresh in (
        (rh.ExpectedCost(1, 5, 0.9), rh.ExpectedCost(1, 5, found.estimate)),
        (rh.ExpectedCost(1, 5, (0.1, 0.9)), rh.ExpectedCost(1, 5, found.estimate)),
        (rh.Accuracy(0.9), rh.Accuracy(found.estimate)),
        (rh.MinimumPrecision(0.5, 0.9), rh.MinimumPrecision(0.5, found.estimate)),
        (rh.Capacity(fraction=0.1, prevalence=0.9), rh.Capacity(fraction=0.1, prevalence=found.estimate)),
    ):
        key = np.arange(2000)
        expected = policy.decide(batch, fresh, key=key)
        assert np.array_equal(policy.decide(batch, stale, key=key, prevalence="estimate"), expected)
        assert np.array_equal(policy.decide(batch, stale, key=key, prevalence=found.estimate), expected)
    # Even a batch that seems to have no positives is decided where that is no condition.
    few = {name: column[:1] - 9 for name, column in batch.items()}
    assert policy.estimate_prevalence(few).estimate == 0
    assert policy.decide(few, rh.MinimumPrecision(0.5, 0.9), key=[0], prevalence="estimate").tolist() == [
        False
    ]
    none = {"good": np.zeros(0), "poor": np.zeros(0)}
    assert policy.decide(none, rh.Accuracy(0.3), prevalence="estimate").tolist() == []


def test_prevalences_that_decide_refuses(policy):
    batch = {"good": [1.0], "poor": [1.0]}
    for condition in (
        rh.NeymanPearson(0.1),
        rh.MinimumRecall(0.9),
        rh.Utility(lambda fpr, tpr: tpr - fpr),
        policy.at(rh.Accuracy(0.5)),
    ):
        refuses("the condition has none", policy.decide, batch, condition, prevalence="estimate")
    with pytest.raises(
        ValueError, match=r"a capacity in cases is kept by the batch.* State it in the condition"
    ):
        policy.decide(batch, rh.Capacity(3, 10, 0.5), prevalence=0.2)
    with pytest.raises(ValueError, match="must be a number or \"estimate\", but is 'guess'"):
        policy.decide(batch, rh.Accuracy(0.5), prevalence="guess")
    with pytest.raises(ValueError, match="prevalence must lie between 0 and 1, but is 2"):
        policy.decide(batch, rh.Accuracy(0.5), prevalence=2)
    with pytest.raises(rh.ImpreciseConditionError, match="cost_fn"):
        policy.decide(batch, rh.ExpectedCost(cost_fn=(1, 2), prevalence=0.5), prevalence="estimate")


@pytest.mark.filterwarnings("ignore::rochull.MisfitWarning")  # one batch of a hundred, by chance
def test_a_drifting_population_is_followed():
    """Costs a case on held-out Adult, as the prevalence drifts from 1% to 90% in 40 batches of 500."""
    table = rh.datasets.load("adult_scores")
    y = np.asarray(table["income"] == ">50K")
    s = {name: table[name] for name in ("boosted", "logistic", "tree")}
    rng = np.random.default_rng(0)
    order = rng.permutation(y.size)
    train, rest = order[:10_000], order[10_000:]
    hybrid = rh.Hybrid()
    for name, scores in s.items():
        hybrid.add(name, y[train], scores[train])
    policy, condition = hybrid.policy(), rh.ExpectedCost(1, 3, hybrid.prevalence)
    pools = rest[~y[rest]], rest[y[rest]]
    costs = dict.fromkeys(("stale", "estimate", "clairvoyant"), 0.0)
    for pi in np.geomspace(0.01, 0.9, 40):
        k = rng.binomial(500, pi)
        rows = np.concatenate((rng.choice(pools[0], 500 - k), rng.choice(pools[1], k)))
        batch = {name: scores[rows] for name, scores in s.items()}
        for how, prevalence in (("stale", None), ("estimate", "estimate"), ("clairvoyant", float(pi))):
            called = policy.decide(batch, condition, prevalence=prevalence)
            costs[how] += np.sum(called & ~y[rows]) + 3 * np.sum(~called & y[rows])
    excess = {how: cost - costs["clairvoyant"] for how, cost in costs.items()}
    assert excess["stale"] > 0.25 * costs["clairvoyant"]
    assert excess["estimate"] < 0.03 * costs["clairvoyant"]


def test_scores_that_are_all_alike_tell_nothing():
    for n_pos, n in ((3, 20), (150, 200), (212, 569)):
        y = np.arange(n) < n_pos
        found = rh.estimate_prevalence(np.ones(40), rh.roc_hull(y, np.ones(n)))
        assert (found.estimate, found.low, found.high) == (0.5, 0, 1)
        assert np.isnan(found.pvalue)
