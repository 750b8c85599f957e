"""The search for the best stretch against all stretches, and the binomial tail against SciPy's."""

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from scipy.special import betaincinv
from scipy.stats import binom

from profiles import tries
from rochull._core.kernels import stretches as kernels


@given(st.integers(1, 10**7), st.floats(0, 1), st.floats(1e-6, 0.999))
def test_a_tail_is_that_of_scipy(n: int, share: float, below: float) -> None:
    k = max(1, math.ceil(share * n))
    p = below * k / n
    found, expected = kernels.log_tail(k, n, p), float(binom.logsf(k - 1, n, p))
    if expected > -600:  # further out SciPy's has no digits
        assert found == pytest.approx(expected, rel=1e-8, abs=1e-8 * math.log(n + 2))


@given(st.integers(1, 10**6), st.floats(0, 1), st.floats(-40, -0.1))
def test_a_lower_bound_is_that_of_scipy(n: int, share: float, log_delta: float) -> None:
    k = max(1, math.ceil(share * n))
    expected = float(betaincinv(k, n - k + 1, math.exp(log_delta)))
    found = kernels.lower_bound(k, n, log_delta, 0.0)
    assert found == pytest.approx(expected, rel=1e-6)
    if expected < k / n:  # as it always is, where the share of the tail is small
        assert kernels.may_exceed(k, n, found * (1 - 1e-3), log_delta)
        assert kernels.lower_bound(k, n, log_delta, found / 2) == pytest.approx(expected, rel=1e-6)


def test_a_stretch_is_passed_over_only_if_it_cannot_count_and_mostly_then() -> None:
    """Against the tail itself: what is looked at in vain is within a factor of three of counting."""
    rng = np.random.default_rng(0)
    for n in (10 ** rng.uniform(0.1, 6, 2000)).astype(int).tolist():
        k = min(n, max(1, round(n * rng.random() ** rng.choice([1, 6]))))
        p = k / n - rng.uniform(0.1, 9) * math.sqrt(k / n * (1 - k / n + 1 / n) / n)
        if p > 0:
            apart = rng.uniform(-5, 1)
            seen = kernels.may_exceed(k, n, p, kernels.log_tail(k, n, p) + apart)
            assert apart > -1.1 if seen else apart < 1e-6


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=150))
@tries(30)
def test_no_stretch_is_better(groups: list[tuple[int, int]]) -> None:
    pos, neg = np.array([group for group in groups if sum(group)] or [(1, 0)]).T
    hits, size = np.zeros((2, pos.size), np.int64)
    known = np.zeros(pos.size)
    kernels.best_stretches(np.ascontiguousarray(pos), np.ascontiguousarray(neg), -6.0, known, hits, size)
    best = 0.0
    for end in range(pos.size):
        for begin in range(end + 1):
            k, n = pos[begin : end + 1].sum(), (pos + neg)[begin : end + 1].sum()
            best = max(best, float(betaincinv(k, n - k + 1, math.exp(-6.0))) if k else 0.0)
        found = betaincinv(hits[end], size[end] - hits[end] + 1, math.exp(-6.0)) if hits[end] else 0.0
        assert found == pytest.approx(best, rel=1e-9)
        assert known[end] == pytest.approx(best, rel=1e-9)
