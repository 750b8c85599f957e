"""Tails of counts whose rates were counted themselves."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from profiles import tries
from rochull.decisions.excess import counted_rate, excess_pvalue, rate_in_mixture


@tries(60)
@given(st.integers(1, 3_000), st.integers(1, 5_000), st.data())
@example(1_000, 100_000, None)
def test_one_class_is_fishers_exact_test(total, size, data):
    count = data.draw(st.integers(0, total - 1)) if data else 30
    found = data.draw(st.integers(0, size)) if data else 5_000
    pvalue = excess_pvalue(found, size, *counted_rate(count, total))
    if found <= size * (count + 1) / (total + 1):
        assert pvalue == 1
    else:  # of all that were counted so many are in the batch, or more
        exact = stats.hypergeom(total + size, count + found, size).sf(found - 1)
        assert pvalue == pytest.approx(exact, rel=1e-5, abs=1e-90)


@tries(60)
@given(st.floats(0, 1), st.integers(0, 40), st.integers(0, 400), st.floats(0.01, 0.99))
def test_a_mixture_has_the_mean_and_the_variance_of_both_classes(prevalence, tp, fp, share):
    mean, variance = rate_in_mixture(prevalence, (tp, 41), (fp, 401))
    of_pos, of_neg = stats.beta(tp + 1, 41 - tp), stats.beta(fp + 1, 401 - fp)
    assert mean == pytest.approx(prevalence * of_pos.mean() + (1 - prevalence) * of_neg.mean())
    spread = prevalence**2 * of_pos.var() + (1 - prevalence) ** 2 * of_neg.var()
    assert variance == pytest.approx(spread)
    examples = mean * (1 - mean) / variance - 1
    count = round(share * 700)
    exact = stats.betabinom(700, mean * examples, (1 - mean) * examples).sf(count - 1)
    expected = exact if count > 700 * mean else 1
    assert excess_pvalue(count, 700, mean, variance) == pytest.approx(expected, rel=1e-5, abs=1e-11)


def test_all_of_a_class_leave_nothing_to_exceed():
    assert counted_rate(7, 7) == (1.0, 0.0)
    assert excess_pvalue(50, 50, 1.0, 0.0) == 1
