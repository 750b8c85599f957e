"""Log-likelihood-ratios that look like probabilities: when it is said, and when it is refused."""

import math
import warnings

import numpy as np
import pytest

import rochull as rh


def test_probabilities_are_no_llrs() -> None:
    rng = np.random.default_rng(0)
    labels = (rng.random(400) < 0.4).astype(int)
    llr = rng.normal(4 * labels - 2, 2)  # right ones: the mean is half the variance
    probability = rh.conditions.posterior_from_llr(llr, 0.4)
    for measure in (rh.cllr, lambda y, x: rh.dcf(y, x, 0.3), rh.scoring.ece_curve, rh.scoring.ape_curve):
        measure(labels, llr)
        measure(labels[:3], probability[:3])  # too few to tell
        with pytest.warns(UserWarning, match="as if they were probabilities"):
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
