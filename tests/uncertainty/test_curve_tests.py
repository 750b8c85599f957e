"""Venkatraman's tests, against the definition of their statistics and by simulation."""

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import rochull as rh
from adversaries import FAMILIES, Array, labels_for, names
from asah import POOR, S100B, WFNS
from profiles import tries
from rochull._core import threads as _threads
from rochull._core.kernels import ranks as rank_kernels
from rochull.uncertainty import curve_tests, venkatraman_test

Point = tuple[Fraction, Fraction]


def in_order(labels: Sequence[int], values: Sequence[Any], uniform: Sequence[float]) -> list[int]:
    """The labels, ascending in value; of those that tie the next is positive with the share that is left."""
    out: list[int] = []
    for value in sorted(set(values)):
        tied = [y for y, v in zip(labels, values, strict=True) if v == value]
        while tied:
            label = int(uniform[len(out)] * len(tied) < sum(tied))
            tied.remove(label)
            out.append(label)
    return out


def errors(ordered: Sequence[int]) -> list[int]:
    """False negatives and false positives if the k lowest are called negative, for every k."""
    return [sum(ordered[:k]) + sum(1 - y for y in ordered[k:]) for k in range(len(ordered) + 1)]


def paired_distance(labels: Any, first: Any, second: Any, swap: Any, uniform: Any) -> int:
    """The sum of Venkatraman & Begg 1996."""
    a = [y if s else x for x, y, s in zip(first, second, swap, strict=True)]
    b = [x if s else y for x, y, s in zip(first, second, swap, strict=True)]
    one, two = errors(in_order(labels, a, uniform)), errors(in_order(labels, b, uniform))
    return sum(abs(x - y) for x, y in zip(one, two, strict=True))


def error_curve(ordered: Sequence[int], share: Fraction) -> list[Point]:
    """(Quantile of the mixture, error rate) at every cut-off of one sample (Venkatraman 2000)."""
    n_pos, n_neg = sum(ordered), len(ordered) - sum(ordered)
    points = []
    for k in range(len(ordered) + 1):
        f = Fraction(sum(ordered[:k]), n_pos)
        g = Fraction(k - sum(ordered[:k]), n_neg)
        points.append((share * f + (1 - share) * g, share * f + (1 - share) * (1 - g)))
    return points


def at(points: Sequence[Point], x: Fraction) -> Fraction:
    """A piecewise linear function."""
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 <= x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    raise AssertionError(x)


def curve_distance(first: Sequence[int], second: Sequence[int]) -> Fraction:
    """The integral of the difference of two error curves, exactly."""
    share = Fraction(sum(first) + sum(second), len(first) + len(second))
    a, b = error_curve(first, share), error_curve(second, share)
    total = Fraction(0)
    for x0, x1 in pairwise(sorted({x for x, _ in a + b})):
        d0, d1 = at(a, x0) - at(b, x0), at(a, x1) - at(b, x1)
        if d0 * d1 < 0:
            cross = x0 + (x1 - x0) * d0 / (d0 - d1)
            total += (abs(d0) * (cross - x0) + abs(d1) * (x1 - cross)) / 2
        else:
            total += (abs(d0) + abs(d1)) * (x1 - x0) / 2
    return total


@given(st.integers(0, 2**32), names, names, st.integers(2, 40))
def test_paired_statistic(seed: int, family_a: str, family_b: str, n: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = FAMILIES[family_a](rng, n), FAMILIES[family_b](rng, n)
    labels = labels_for(a, "good", rng)
    first, second = curve_tests._ranks(a), curve_tests._ranks(b)
    # Twice the mid-rank: how many are below and how many not above.
    assert first.tolist() == [int((a < x).sum() + (a <= x).sum()) - 1 for x in a]
    swap, uniform = rng.integers(0, 2, n), rng.random(n)
    counts = np.zeros((2 * n, 4), np.int32)
    for swaps in (swap, np.zeros(n, int)):
        found = rank_kernels.paired_distance(first, second, labels, swaps, uniform, counts)
        assert found == paired_distance(labels, first, second, swaps, uniform)
        assert not counts.any()


@tries(50)
@given(st.integers(0, 2**32), st.integers(2, 30), st.integers(2, 30))
def test_unpaired_statistic(seed: int, n: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 2, n), rng.integers(0, 2, m)
    first[:2] = second[:2] = 0, 1
    share = float(np.mean([*first, *second]))
    n_pos = np.array([first.sum(), second.sum()], float)
    found = rank_kernels.curve_distance(first, second, n_pos, share)
    assert found == pytest.approx(float(curve_distance(first.tolist(), second.tolist())), rel=1e-9, abs=1e-12)


@tries(50)
@given(st.integers(0, 2**32), names, st.integers(2, 40), st.integers(2, 40))
def test_unpaired_statistic_of_scores(seed: int, family: str, n: int, m: int) -> None:
    """From scores to the integral: without ties the order is that of the scores."""
    rng = np.random.default_rng(seed)
    a, b = np.unique(FAMILIES[family](rng, n)), rng.permutation(m)
    a = rng.permutation(a) if a.size > 1 else np.array([0, 1])
    first, second = labels_for(a, "good", rng), labels_for(b, "unrelated", rng)
    found = venkatraman_test(first, a, b, y_true_b=second, n_permutations=1, random_state=seed)
    expected = curve_distance(first[np.argsort(a)].tolist(), second[np.argsort(b)].tolist())
    assert found.statistic == pytest.approx(float(expected), rel=1e-9, abs=1e-12)
    assert found.estimate == found.statistic


def test_members_are_dealt_evenly() -> None:
    rng = np.random.default_rng(6)
    positive = np.array([0, 1, 1, 0, 0, 1, 0], np.uint8)
    out, total = np.empty(7, np.uint8), np.zeros(7)
    for _ in range(4000):
        rank_kernels.draw_members(positive, rng.random(7), np.array([1, 2]), out)
        assert (out[positive == 0].sum(), out[positive == 1].sum()) == (1, 2)
        total += out
    np.testing.assert_allclose(total / 4000, np.where(positive == 1, 2 / 3, 1 / 4), atol=0.03)


def test_ties_get_a_random_order() -> None:
    rng = np.random.default_rng(7)
    positive = np.array([1, 0, 0, 1, 0], np.uint8)
    member = np.array([0, 0, 1, 1, 0], np.uint8)
    seen = set()
    for _ in range(200):
        first, second = np.empty(3, np.uint8), np.empty(2, np.uint8)
        rank_kernels.shuffle_ties(positive, member, np.array([4, 5]), rng.random(5), first, second)
        seen.add((tuple(first.tolist()), tuple(second.tolist())))
    assert seen == {(a, b) for a in ((1, 0, 0), (0, 1, 0)) for b in ((0, 1), (1, 0))}


def in_order_of_rows(scores: Array) -> Array:
    """Ranks without ties, as by R's rank(ties.method = "first"): the first of equal rows is the lowest."""
    return np.argsort(np.argsort(scores, kind="stable"))


def test_proc() -> None:
    """pROC's roc.test(roc1, roc2, method = "venkatraman") prints E = 578, p-value = 0.024 (boot.n = 2000).

    So in a tutorial of 2017, of s100b and wfns. pROC breaks ties of the data in the order of rows, and adds
    a little noise before it exchanges ranks.
    """
    found = venkatraman_test(POOR, in_order_of_rows(S100B), in_order_of_rows(WFNS), random_state=0)
    assert found.statistic == 578
    assert found.estimate == 578 / 113**2
    assert abs(found.pvalue - 0.024) < 4 * math.sqrt(2 * 0.024 * 0.976 / 2000)


def binormal(labels: Array, slope: float, area: float, rng: np.random.Generator) -> Array:
    """Normal scores, the positives with standard deviation 1 / slope, so that the curve has this area."""
    mean = math.sqrt(1 + slope**-2) * norm.ppf(area)
    return rng.normal(labels * mean, np.where(labels == 1, 1 / slope, 1))


def rejections(draws: int, unpaired: bool, ties: bool, slopes: tuple[float, float], seed: int) -> int:
    """How often the test rejects at 5 %, of curves with equal areas."""
    rng = np.random.default_rng(seed)
    labels = np.repeat([0, 1], [50, 30])
    other = np.repeat([1, 0], [60, 40]) if unpaired else labels
    count = 0
    for draw in range(draws):
        a, b = binormal(labels, slopes[0], 0.8, rng), 10 * binormal(other, slopes[1], 0.8, rng)
        if ties:
            a, b = np.round(a), np.round(b / 10)
        found = venkatraman_test(
            labels, a, np.exp(b), y_true_b=other if unpaired else None, n_permutations=99, random_state=draw
        )
        count += found.pvalue <= 0.05
    return count


@pytest.mark.long
@pytest.mark.parametrize("unpaired", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_size(unpaired: bool, ties: bool) -> None:
    found = rejections(300, unpaired, ties, (1, 1), 31)
    assert abs(found - 15) <= 3.5 * math.sqrt(300 * 0.05 * 0.95)


@pytest.mark.long
@pytest.mark.parametrize("unpaired", [False, True])
def test_power_where_curves_cross(unpaired: bool) -> None:
    assert rejections(60, unpaired, False, (3, 1 / 3), 32) > 45


@pytest.mark.parametrize("unpaired", [False, True])
def test_equal_curves(unpaired: bool) -> None:
    other = POOR if unpaired else None
    found = venkatraman_test(POOR, S100B, np.sqrt(S100B), y_true_b=other, random_state=3, n_permutations=50)
    if not unpaired:  # ties go the same way
        assert (found.statistic, found.pvalue, found.estimate) == (0, 1, 0)
    assert found.pvalue > 0.05


def test_symmetric() -> None:
    one = venkatraman_test(POOR, S100B, WFNS, random_state=4, n_permutations=200)
    two = venkatraman_test(POOR, WFNS, S100B, random_state=4, n_permutations=200)
    assert one == two


def test_the_least_pvalue() -> None:
    labels = np.repeat([0, 1], 100)
    found = venkatraman_test(labels, np.arange(200), -np.arange(200), n_permutations=99, random_state=0)
    assert found.pvalue == 0.01
    assert found.method == "Venkatraman, paired, 99 permutations"
    assert found.statistic == sum(
        abs(x - y) for x, y in zip(errors([0] * 100 + [1] * 100), errors([1] * 100 + [0] * 100), strict=True)
    )


@pytest.mark.parametrize("unpaired", [False, True])
def test_seeds(unpaired: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(seed: Any) -> rh.uncertainty.TestResult:
        other = POOR if unpaired else None
        return venkatraman_test(POOR, S100B, WFNS, y_true_b=other, n_permutations=150, random_state=seed)

    expected = run(5)
    for threads in (1, 3):
        monkeypatch.setattr(_threads, "n_threads", lambda threads=threads: threads)
        assert run(5) == expected
    assert run(6) != expected
    assert run(np.random.default_rng(5)) == run(np.random.default_rng(5))
    assert run(np.random.RandomState(5)) == run(np.random.RandomState(5))
    assert run(None) is not None


Y, S = [0, 1, 0, 1], [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: venkatraman_test(Y, S, S, n_permutations=0), "n_permutations must be an integer of at"),
        (lambda: venkatraman_test(Y, S, S, n_permutations=9.5), "n_permutations must be an integer of at"),
        (lambda: venkatraman_test(Y, S, S, n_permutations=True), "n_permutations must be an integer of at"),
        (lambda: venkatraman_test(Y, S, [np.nan, *S[1:]]), "score_b has 1 NaN, the first at index 0."),
        (lambda: venkatraman_test(Y, S, S[:3]), "y_true and score_b must have the same length"),
        (lambda: venkatraman_test(Y, S, S[:3], y_true_b=Y), "y_true_b and score_b must have the same"),
        (lambda: venkatraman_test(Y, S, S, y_true_b=[0] * 4), "y_true_b has one class only"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        call()
