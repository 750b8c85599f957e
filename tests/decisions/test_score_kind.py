"""Whether a batch is a mixture of a policy's two classes."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rochull as rh
from profiles import some, tries
from rochull.conditions.rules import Rule
from rochull.decisions.score_kind import ScoreKind
from rochull.policies.learnt import kinds_of


def kind_of(pos, neg):
    """Of the numbers of examples in ranges of scores, from high ones to low."""
    pos, neg = np.cumsum(pos).astype(float), np.cumsum(neg).astype(float)
    rules = tuple(Rule("threshold", "s", float(-i)) for i in range(len(pos) - 1))
    return ScoreKind("s", rules, pos[:-1], neg[:-1], int(pos[-1]), int(neg[-1]))


def slow_pvalue(kind, called, size):
    """Band by band, side by side and prevalence by prevalence, with the tails of SciPy."""
    chosen = [kind.rules.index(rule) for rule in kind.cuts]
    sums = [[0, *counts[chosen].tolist()] for counts in (kind.pos, kind.neg)]
    held = [0, *called]
    bands = [(i, j) for i in range(len(held)) for j in range(i + 1, len(held))]
    starts = {j: sums[0][j] / kind.n_pos - sums[1][j] / kind.n_neg for i, j in bands if i == 0}
    best = max(starts, key=starts.get)
    t, u = sums[0][best] / kind.n_pos, sums[1][best] / kind.n_neg
    spread = [
        stats.beta(x + 1, n - x + 1) for x, n in ((sums[0][best], kind.n_pos), (sums[1][best], kind.n_neg))
    ]
    of_pos, of_neg = ((beta.args[0] * beta.args[1]) / sum(beta.args) ** 3 for beta in spread)

    def far(pi):
        rate = u + pi * (t - u)
        variance = rate * (1 - rate) / size + pi**2 * of_pos + (1 - pi) ** 2 * of_neg
        return (held[best] / size - rate) ** 2 - 4.5**2 * variance

    a, c = (far(1) + far(-1)) / 2 - far(0), far(0)  # a parabola
    b = far(1) - far(0) - a
    low, high = 0.0, 1.0
    if a > 0 and b * b >= 4 * a * c:
        root = math.sqrt(b * b - 4 * a * c)
        low, high = (min(max((-b + way * root) / (2 * a), 0), 1) for way in (-1, 1))
    found, totals = [], (kind.n_pos, kind.n_neg)
    for i, j in bands:
        for inside in (True, False):
            p, q = ((s[j] - s[i]) if inside else n - s[j] + s[i] for s, n in zip(sums, totals, strict=True))
            count = held[j] - held[i] if inside else size - held[j] + held[i]
            nearest = []
            for k in range(5):
                pi = low + (high - low) * k / 4
                betas = stats.beta(p + 1, kind.n_pos - p), stats.beta(q + 1, kind.n_neg - q)
                means = [1.0 if beta.args[1] <= 0 else beta.mean() for beta in betas]
                variances = [0.0 if beta.args[1] <= 0 else beta.var() for beta in betas]
                mean = pi * means[0] + (1 - pi) * means[1]
                variance = pi**2 * variances[0] + (1 - pi) ** 2 * variances[1]
                z = (count / size - mean) / math.sqrt(mean * (1 - mean) / size + variance) if mean < 1 else -1
                nearest.append((z, mean, variance))
            found.append((*min(nearest), count))
    z, mean, variance, count = max(found, key=lambda each: each[0])
    pvalue = 1.0
    if mean < 1 and count > size * mean:
        n = mean * (1 - mean) / variance - 1
        pvalue = stats.betabinom(size, mean * n, (1 - mean) * n).sf(count - 1)
    return min(1.0, 2 * len(bands) * pvalue + 1e-5)


COUNTS = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 60), st.integers(0, 90)), min_size=2, max_size=9
)


@tries(60)
@given(COUNTS)
def test_twin(counts):
    pos, neg, batch = (list(each) for each in zip(*counts, strict=True))
    pos, neg, batch = [*pos, 1], [*neg, 1], [*batch, 1]
    kind = kind_of(pos, neg)
    held = np.cumsum(batch)
    called = [int(held[kind.rules.index(rule)]) for rule in kind.cuts]
    slow = slow_pvalue(kind, called, int(held[-1]))
    assert kind.pvalue(called, int(held[-1])) == pytest.approx(slow, rel=1e-4, abs=1e-12)


def pvalue_of(kind, scores):
    return kind.pvalue([int(np.count_nonzero(scores >= rule.threshold)) for rule in kind.cuts], scores.size)


def drawn(rng, n, prevalence):
    y = np.arange(n) < round(n * prevalence)
    return y, rng.normal(1.5 * y)


@pytest.mark.parametrize(("n", "prevalence"), [(200, 0.1), (300, 0.02), (2_000, 0.5)])
def test_no_false_alarm_at_any_prevalence(n, prevalence):
    rng = np.random.default_rng(5)
    lowest = 1.0
    for _ in some(range(12), 3):
        (kind,) = kinds_of(rh.roc_hull(*drawn(rng, n, prevalence)).named("s"))
        for size in (50, 3_000):
            lowest = min(lowest, *(pvalue_of(kind, drawn(rng, size, pi)[1]) for pi in (0, 0.03, 0.5, 1)))
    assert lowest > 0.001


def test_what_is_seen():
    rng = np.random.default_rng(1)
    (kind,) = kinds_of(rh.roc_hull(*drawn(rng, 2_000, 0.2)).named("s"))
    _, batch = drawn(rng, 1_000, 0.05)
    assert pvalue_of(kind, batch) > 0.01
    for other in (1.6 * batch, 100 * batch, np.full(60, 0.3), np.full(60, 99.0)):
        assert pvalue_of(kind, other) < 5e-4


def test_too_little_is_known_to_tell():
    kind = kind_of([3, 2], [0, 50])
    assert kind.pvalue([50], 60) > 0.05  # so few positives that nearly all may be above
    assert kind.cuts == kind.rules
