"""E-processes: their expectation under the hypothesis, their sums, and what they find."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom

from rochull.monitoring.evidence import (
    BETS,
    averaged,
    least_mean,
    over_starts,
    rate_above,
    two_means_above,
    wealth,
)


@pytest.mark.parametrize("limit", [0.05, 0.3, 0.9])
@pytest.mark.parametrize("n", [1, 7, 60])
def test_expectation_is_at_most_one_up_to_the_limit(limit, n):
    k = np.arange(n + 1)
    evidence = np.exp([rate_above(count, n, limit) for count in k])
    for p in (limit, limit / 2, limit / 10):
        assert binom.pmf(k, n, p) @ evidence <= 1 + 1e-9


def test_the_closed_form_is_the_average_of_likelihood_ratios():
    k, n, t = 9, 40, 0.1

    def density(q):
        return q ** (10 * t - 1) * (1 - q) ** (10 * (1 - t) - 1)

    def ratio(q):
        return density(q) * (q / t) ** k * ((1 - q) / (1 - t)) ** (n - k)

    slow = quad(ratio, t, 1)[0] / quad(density, t, 1)[0]
    assert math.exp(rate_above(k, n, t)) == pytest.approx(slow, rel=1e-6)


def test_limits_may_be_arrays():
    found = rate_above(np.array([[3], [1]]), 10, np.array([0.0, 0.2, 1.0]))
    slow = [[float(rate_above(k, 10, t)) for t in (0.0, 0.2, 1.0)] for k in (3, 1)]
    np.testing.assert_array_equal(found, slow)


def test_limits_at_the_ends():
    assert rate_above(0, 10, 0.0) == 0
    assert rate_above(1, 10, 0.0) == math.inf
    assert rate_above(10, 10, 1.0) == 0
    assert rate_above(0, 10_000, 0.99) == -math.inf or rate_above(0, 10_000, 0.99) < -100


def test_what_is_won_is_the_product_case_by_case():
    values = np.array([-1.0, 0.4, 2.0])
    cases = [0, 1, 1, 2, 0, 1]
    slow = [np.prod([1 + bet * values[case] for case in cases]) for bet in BETS]
    counts = np.bincount(cases)
    assert np.exp(wealth(values, counts)) == pytest.approx(slow)
    assert math.exp(averaged(wealth(values, counts))) == pytest.approx(np.mean(slow))


def test_bets_on_nothing_win_nothing_on_average():
    values, p = np.array([-1.0, 0.0, 3.0]), np.array([0.3, 0.6, 0.1])
    assert p @ values == pytest.approx(0)
    won = 0.0
    for a in range(9):
        for b in range(9 - a):
            many = math.factorial(8) / math.factorial(a) / math.factorial(b) / math.factorial(8 - a - b)
            chance = many * p[0] ** a * p[2] ** b * p[1] ** (8 - a - b)
            won += chance * math.exp(averaged(wealth(values, np.array([a, 8 - a - b, b]))))
    assert won == pytest.approx(1)


def test_the_least_mean_is_below_the_mean_and_comes_near():
    values = np.array([-1.0, 0.0, 5.0])
    ends = [least_mean(values, n * np.array([1, 7, 2]), 0.05) for n in (0, 1, 10, 100, 10_000)]
    assert ends[0] == ends[1] == -1 or ends == sorted(ends)
    assert ends == sorted(ends)
    assert 0.8 < ends[-1] < 0.9


def test_two_means_expect_at_most_one_wherever_the_hypothesis_holds():
    """All outcomes of a few positives and negatives of two values each, at the edge of the hypothesis."""
    pos, neg, share = np.array([-1.0, 4.0]), np.array([2.0, -1.0]), 0.2
    n, m = 6, 9
    counts = [np.stack([np.arange(k + 1), k - np.arange(k + 1)], axis=-1) for k in (n, m)]
    for p in (0.0, 0.1, 0.3, 0.6, 1.0):
        mean = -1 * p + 4 * (1 - p)
        edge = (-share * mean / (1 - share) + 1) / 3  # the negatives' mean is 3 q - 1
        for q in (edge, edge / 2):
            if not 0 <= q <= 1:
                continue
            chance = binom.pmf(np.arange(n + 1), n, p)[:, None] * binom.pmf(np.arange(m + 1), m, q)
            found = two_means_above((pos, counts[0][:, None]), (neg, counts[1][None, :]), share)
            assert (chance * np.exp(found))[chance > 0].sum() <= 1 + 1e-9


def test_two_means_find_what_is_above():
    pos, neg = (np.array([0.0, 4.0]), np.array([200, 100])), (np.array([0.0, -1.0]), np.array([450, 50]))
    assert two_means_above(pos, neg, 0.2) > 5  # 0.2 * 4 / 3 - 0.8 * 0.1
    assert two_means_above(pos, neg, 0.02) < 0


def test_starts_share_what_there_is():
    logs = np.log([[4.0], [2.0], [8.0]])
    small = 0.75 / 32
    slow = 0.25 * 4 + small * 2 + small * 8 + 1 - 0.25 - 2 * small
    assert np.exp(over_starts(logs)) == pytest.approx(slow)
    assert np.exp(over_starts(np.zeros((60, 2)))) == pytest.approx(1)
    assert over_starts(np.array([[-math.inf], [math.inf]])) == math.inf
    assert np.exp(over_starts(np.array([[-math.inf]]))) == pytest.approx(0.75)
    assert over_starts(np.array([[900.0]])) == pytest.approx(900 + math.log(0.25))
