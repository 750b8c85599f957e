"""Log-likelihood-ratios that look like probabilities: when it is said, and when it is refused."""

import math
import warnings
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from profiles import tries


def test_probabilities_are_no_llrs() -> None:
    rng = np.random.default_rng(0)
    labels = (rng.random(400) < 0.4).astype(int)
    llr = rng.normal(4 * labels - 2, 2)  # right ones: the mean is half the variance
    probability = rh.conditions.posterior_from_llr(llr, 0.4)
    for measure in (rh.cllr, lambda y, x: rh.dcf(y, x, 0.3), rh.scoring.ece_curve, rh.scoring.ape_curve):
        measure(labels, llr)
        measure(labels[:3], probability[:3])  # too few to tell
        with pytest.warns(UserWarning, match="as if they were probabilities"):
            measure(labels[:20], probability[:20])
        with pytest.raises(ValueError, match="llr are probabilities: all lie between 0 and 1"):
            measure(labels, probability)


@pytest.mark.long
def test_right_llrs_are_hardly_ever_taken_for_probabilities() -> None:
    """The worst case of Markov's bound: ratios that lie in [1, e] but for a few, which are far below."""
    rng, found = np.random.default_rng(0), 0
    share = 0.03  # of negatives with a ratio of 0; the others have 1 / (1 - share)
    for _ in range(2000):
        labels = np.repeat([1, 0], [1, 500])
        llr = np.where(rng.random(501) < share * (labels == 0), -5.0, -math.log1p(-share))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            rh.cllr(labels, llr)
        found += bool(caught)
    assert found == 0


def test_probabilities_of_four_cases_are_noticed() -> None:
    """By what the labels are like; those of forty by what their negatives sum to."""
    y, probability = [0] * 28 + [1] * 12, [0.3] * 28 + [0.6] * 12
    with pytest.warns(UserWarning, match="those of negatives sum to 8.4"):
        rh.cllr(y, probability)
    with pytest.warns(UserWarning, match="as if they were probabilities, and as those they fit the labels"):
        rh.cllr([0, 0, 1, 1], [0.2, 0.4, 0.6, 0.8])
    for y, llr in (([0, 1, 1], [0.2, 0.6, 0.8]), ([0, 0, 1, 1], [0.0, 0.0, 0.0, 0.0]),
                   ([0, 0, 1, 1], [-0.1, 0.4, 0.6, 0.8]), ([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8])):  # fmt: skip
        rh.cllr(y, llr)  # three; what says nothing; one that is no probability; nothing that fits better


EVERY: list[Any] = [
    rh.cllr, partial(rh.dcf, prevalence=0.3), rh.scoring.ece_curve, rh.scoring.ape_curve,
    rh.scoring.bayes_error_curve, rh.scoring.devpav, rh.calibration.llr_bounds,
    partial(rh.Brier().score_llr, prevalence=0.3), partial(rh.Brier().calibration_loss_llr, prevalence=0.3),
    rh.plotting.TippettDisplay.compute, rh.plotting.EceDisplay.compute,
]  # fmt: skip


@pytest.mark.parametrize("measure", EVERY, ids=range(len(EVERY)))
def test_whoever_says_that_they_are_llrs_is_believed(measure: Any) -> None:
    y, probability = np.repeat([0, 1], 40), np.repeat([0.2, 0.8], 40)
    with pytest.raises(
        ValueError, match=r"Write llr_from_posterior\(values, prevalence\) of them; or as_llr="
    ):
        measure(y, probability)
    measure(y, probability, as_llr=True)  # without a warning
    with pytest.raises(ValueError, match="as_llr must be True or False"):
        measure(y, probability, as_llr=1)
    converted = rh.conditions.llr_from_posterior(probability, 0.5)  # the words that the message writes
    measure(y, converted)


def test_weighted_ones_are_warned_of_only() -> None:
    """Weights need not be counts, so that nothing is beyond doubt."""
    y, probability = np.repeat([0, 1], 40), np.repeat([0.2, 0.8], 40)
    with pytest.warns(UserWarning, match="as if they were probabilities"):
        rh.cllr(y, probability, sample_weight=np.ones(80))


@given(st.integers(0, 2**32), st.integers(4, 60), st.floats(0.05, 0.95))
@tries(60)
def test_a_refusal_is_of_what_is_a_million_times_as_likely(seed: int, n: int, share: float) -> None:
    """The likelihoods, multiplied case by case."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    y[:2] = False, True
    value = np.clip(0.5 * rng.random(n) + rng.uniform(0, 0.6) * y, 0, 1)
    gain, odds = 1.0, y.sum() / (n - y.sum())
    for label, x in zip(y, value.tolist(), strict=True):
        as_llr = odds * math.exp(x) / (1 + odds * math.exp(x))
        gain *= (x if label else 1 - x) / (as_llr if label else 1 - as_llr)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if gain > 1e6:
            with pytest.raises(ValueError, match="llr are probabilities"):
                rh.cllr(y, value)
        else:
            rh.cllr(y, value)
