"""The test of fit of an estimated prevalence."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rochull as rh
from profiles import tries
from rochull.policies import misfit
from rochull.policies.mixture import LabelledRatios, Mixture, Sample, without_itself

CLASSES = (1000, 1000)


def scored(rng, n_pos, n_neg):
    y = np.arange(n_pos + n_neg) < n_pos
    return y, rng.normal(1.5 * y)


def quietly(batch, calibrator, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rh.MisfitWarning)
        return rh.estimate_prevalence(batch, calibrator, **options)


# --- the slow twin: case by case ----------------------------------------------------------------------


def slow_pvalue(batch, pos, neg, prevalence, fitted=None):
    """Hansen's J of four cosines, from lists of ratios, one function and one case at a time."""

    def moments(ratios):
        rows = []
        for x in ratios:
            u = 1 / (1 + math.exp(-(x - centre) / scale))
            rows.append([math.cos(j * math.pi * u) for j in (1, 2, 3, 4)])
        mean = np.mean(rows, axis=0)
        spread = sum(np.outer(row - mean, row - mean) for row in np.array(rows))
        return mean, spread / len(rows) / (len(rows) - 1), len(rows) - 1

    halves = ((batch, 0.5), (pos, prevalence / 2), (neg, (1 - prevalence) / 2))
    centre = sum(share * np.mean(ratios) for ratios, share in halves)
    scale = math.sqrt(3 * sum(share * np.mean((ratios - centre) ** 2) for ratios, share in halves)) / math.pi
    (b, of_b, n), (p, of_p, n_pos), (q, of_q, n_neg) = map(moments, (batch, pos, neg))
    parts = [(of_b, n), (prevalence**2 * of_p, n_pos), ((1 - prevalence) ** 2 * of_q, n_neg)]
    covariance = sum(part for part, _ in parts)
    if fitted is not None:
        for share, own, other in ((prevalence, p, fitted[0]), (1 - prevalence, q, fitted[1])):
            off = share * (moments(other)[0] - own)
            covariance = covariance + np.outer(off, off)
    inverse = np.linalg.inv(covariance)

    def distance(pi):
        off = b - pi * p - (1 - pi) * q
        return off @ inverse @ off

    at = (p - q) @ inverse @ (b - q) / ((p - q) @ inverse @ (p - q))
    free, least = (3, distance(at)) if 0 <= at <= 1 else (4, min(distance(0), distance(1)))
    shares = [(part @ inverse, n) for part, n in parts]
    error = 20 / sum((np.trace(s @ s) + np.trace(s) ** 2) / n for s, n in shares)
    return stats.f.sf(least * (error - free + 1) / (error * free), free, error - free + 1)


@tries(30)
@given(st.integers(0, 2**32), st.sampled_from([0.0, 0.3, 1.0]), st.booleans())
def test_the_pvalue_is_that_of_the_slow_twin(seed, prevalence, fitted):
    rng = np.random.default_rng(seed)
    batch = rng.normal(rng.normal(), 1.5, 60)
    if fitted:
        counts = rng.integers(1, 20, (2, 8))
        llr = np.sort(rng.normal(0, 2, 8))
        known = without_itself(llr, *counts)
        pos, neg = (np.repeat(s.llr, c) for s, c in zip((known.pos, known.neg), counts, strict=True))
        as_fitted = [np.repeat(llr, c) for c in counts]
    else:
        pos, neg, as_fitted = rng.normal(1, 1, 40), rng.normal(-1, 1, 50), None
        known = LabelledRatios(Sample.of(pos), Sample.of(neg))
    found = misfit.pvalue(Mixture(Sample.of(batch), known), prevalence)
    expected = slow_pvalue(batch, pos, neg, prevalence, as_fitted)
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_chunks_and_threads_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    known = LabelledRatios(Sample.of(rng.normal(1, 1, 300)), Sample.of(rng.normal(-1, 1, 300)))
    mixture = Mixture(Sample.of(rng.normal(0, 1, 1000)), known)
    whole = misfit.pvalue(mixture, 0.4)
    monkeypatch.setattr(misfit, "_CHUNK", 7)
    assert misfit.pvalue(mixture, 0.4) == pytest.approx(whole, rel=1e-9)


# --- what it tells --------------------------------------------------------------------------------------


def test_scores_multiplied_are_no_mixture():
    rng = np.random.default_rng(0)
    y, s = scored(rng, *CLASSES)
    _, batch = scored(rng, 700, 1300)
    hull = rh.roc_hull(y, s)
    good = rh.estimate_prevalence(batch, hull)
    assert good.pvalue > 0.05
    assert str(good).endswith(f"fit: p = {good.pvalue:.2g})")
    policy = rh.Policy.from_hull(hull)
    for ask in (
        lambda: rh.estimate_prevalence(1.6 * batch, hull),
        lambda: rh.estimate_prevalence(1.6 * batch, rh.PavCalibrator(bound="laplace").fit(s, y)),
        lambda: rh.estimate_prevalence(1.6 * batch, rh.LogisticCalibrator().fit(s, y), y_true=y, y_score=s),
        lambda: policy.estimate_prevalence(1.6 * batch),
        lambda: policy.decide(1.6 * batch, rh.Accuracy(0.5), prevalence="estimate"),
    ):
        with pytest.warns(rh.MisfitWarning, match="not a mixture of the classes") as caught:
            ask()
        assert {warning.filename for warning in caught} == {__file__}  # the line that asked


def test_what_cannot_be_tested_is_said():
    y, s = scored(np.random.default_rng(0), 50, 50)
    cases = (s[:7], rh.roc_hull(y, s)), (s, rh.roc_hull(y[43:], s[43:]))
    for few in (rh.estimate_prevalence(*case) for case in cases):
        assert math.isnan(few.pvalue)
        assert str(few).endswith("fit not tested)")
    weighted = rh.Policy.from_hull(rh.roc_hull(y, s, sample_weight=1 + s % 1))
    assert math.isnan(weighted.estimate_prevalence(s).pvalue)
    with pytest.warns(rh.MisfitWarning, match="holds no numbers of examples"):
        weighted.decide(s, rh.Accuracy(0.5), prevalence="estimate")


@pytest.mark.long
def test_its_size_under_prior_shift_and_its_power():
    """More draws and more settings: ``studies/misfit.py``."""
    rng = np.random.default_rng(0)
    for n_pos, n_neg, batch, prevalence, power in (
        (100, 100, 200, 0.35, 0.9), (500, 500, 1000, 0.35, 0.99), (200, 1800, 2000, 0.02, 0.99)
    ):  # fmt: skip
        rejected, found = [], []
        for run in range(500):
            y, s = scored(rng, n_pos, n_neg)
            k = rng.binomial(batch, prevalence)
            _, new = scored(rng, k, batch - k)
            hull = rh.roc_hull(y, s)
            rejected.append(quietly(new, hull).pvalue < 0.05)
            if run < 100:  # a power near 1 is seen in fewer
                found.append(quietly(1.6 * new, hull).pvalue < 0.05)
        assert 0.02 <= np.mean(rejected) <= 0.08  # 0.05 give or take three standard errors
        assert np.mean(found) >= power
