"""Contrasts and coupling, against the same systems solved in rationals."""

from fractions import Fraction
from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refusals import refuses
from rochull.multiclass import coupling

Array = np.ndarray[Any, Any]


def solved(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """Gaussian elimination in rationals; it fails where there is no single solution."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for k in range(len(rows)):
        pivot = next(i for i in range(k, len(rows)) if rows[i][k])
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for i in range(len(rows)):
            if i != k:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


def twin_least_squares(r: list[list[Fraction]]) -> list[Fraction]:
    """Half the gradient of sum over i < j of (r[j][i] p[i] - r[i][j] p[j])², with a multiplier."""
    size = len(r)
    matrix = [[Fraction(0)] * (size + 1) for _ in range(size + 1)]
    for i in range(size):
        for j in range(i + 1, size):
            matrix[i][i] += r[j][i] ** 2
            matrix[j][j] += r[i][j] ** 2
            matrix[i][j] -= r[j][i] * r[i][j]
            matrix[j][i] -= r[j][i] * r[i][j]
    for i in range(size):
        matrix[i][size] = matrix[size][i] = Fraction(1)
    return solved(matrix, [Fraction(0)] * size + [Fraction(1)])[:-1]


def llrs_of(r: list[list[Fraction]]) -> Array:
    out = np.zeros((1, len(r), len(r)))
    for i, j in permutations(range(len(r)), 2):
        with np.errstate(divide="ignore"):
            out[0, i, j] = np.log(float(r[i][j])) - np.log(float(r[j][i]))
    return out


@st.composite
def pairs(draw: st.DrawFn) -> list[list[Fraction]]:
    """Probabilities of pairs, zeros and ones among them."""
    size = draw(st.integers(2, 5))
    r = [[Fraction(0)] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1, size):
            r[i][j] = Fraction(draw(st.integers(0, 8)), 8)
            r[j][i] = 1 - r[i][j]
    return r


@given(pairs())
def test_least_squares_are_the_rational_solution(r: list[list[Fraction]]) -> None:
    expected = twin_least_squares(r)  # there is one, whatever r is
    assert min(expected) >= 0
    found = np.exp(coupling.least_squares(llrs_of(r)))[0]
    known = np.array([float(p / max(expected)) for p in expected])
    np.testing.assert_allclose(found, known, rtol=1e-9, atol=1e-12)


@given(st.lists(st.floats(-25, 0), min_size=2, max_size=6))
def test_llrs_that_agree_are_kept(values: list[float]) -> None:
    truth = coupling.relative(np.array([values]))
    llrs = truth[:, :, None] - truth[:, None, :]
    np.testing.assert_allclose(coupling.mean_llr(llrs), truth, atol=1e-9)
    found = coupling.least_squares(llrs)
    np.testing.assert_allclose(found, truth, atol=1e-6, err_msg=str(values))


def test_mean_llr_is_the_least_squares_fit_of_llrs() -> None:
    rng = np.random.default_rng(0)
    upper = np.triu(rng.normal(size=(4, 4)), 1)
    llrs = upper - upper.T
    design, right = [], []
    for i in range(4):
        for j in range(i + 1, 4):
            design.append(np.eye(4)[i] - np.eye(4)[j])
            right.append(llrs[i, j])
    expected = np.linalg.lstsq(np.array(design), np.array(right))[0]
    np.testing.assert_allclose(coupling.mean_llr(llrs[None])[0], expected - expected.max(), atol=1e-12)
    llrs[0, 1], llrs[1, 0] = np.inf, -np.inf
    refuses("coupling='mean_llr' needs finite LLRs", coupling.mean_llr, llrs[None])


def test_rests_give_posteriors_divided_by_their_sum() -> None:
    rng = np.random.default_rng(1)
    llrs, priors = rng.normal(size=(5, 3)), np.array([0.2, 0.3, 0.5])
    odds = np.exp(llrs) * priors / (1 - priors)
    p = odds / (1 + odds)
    p /= p.sum(axis=1, keepdims=True)
    found = coupling.from_rests(llrs, priors)
    np.testing.assert_allclose(coupling.weighed(found, priors), p, rtol=1e-12)
    assert found.max(axis=1).tolist() == [0.0] * 5
    certain = coupling.from_rests(np.array([[np.inf, -np.inf, -np.inf], [-np.inf] * 3]), priors)
    assert certain.tolist() == [[0.0, -np.inf, -np.inf], [0.0, 0.0, 0.0]]
    extreme = coupling.from_rests(np.array([[-800.0, -900.0, -np.inf]]), priors)
    # So far from 0 a posterior is the odds, LLR + log(prior / (1 - prior)); the priors are divided out.
    assert extreme[0].tolist() == pytest.approx([0.0, np.log(0.8 / 0.7) - 100, -np.inf])


def test_posteriors_at_priors() -> None:
    llr = np.array([[0.0, -1.0, -np.inf], [-np.inf, -np.inf, 0.0]])
    found = coupling.weighed(llr, np.array([0.5, 0.5, 0.0]))
    assert found[0].tolist() == pytest.approx([1 / (1 + np.exp(-1)), np.exp(-1) / (1 + np.exp(-1)), 0])
    assert found[1].tolist() == [0.5, 0.5, 0.0]  # nothing possible explains it: the priors


def test_contrasts() -> None:
    of = np.array([0.0, 0.0, 1.0, 3.0, 1e-300, 1e300, 5e-324])
    against = np.array([0.0, 1.0, 0.0, 1.0, 1e300, 1e-300, 1.0])
    found = coupling.contrast(of, against, "log_ratio")
    np.testing.assert_allclose(found[:4], [0.0, -np.inf, np.inf, np.log(3)])
    np.testing.assert_allclose(found[4:], [-600 * np.log(10), 600 * np.log(10), np.log(5e-324)], rtol=1e-12)
    shares = coupling.contrast(of, against, "share")
    assert shares.tolist() == [0.5, 0.0, 1.0, 0.75, 0.0, 1.0, 5e-324]


def test_both_contrasts_have_one_order() -> None:
    rng = np.random.default_rng(2)
    of, against = rng.integers(0, 9, (2, 300)).astype(float)
    ratio, share = (coupling.contrast(of, against, how) for how in coupling.CONTRASTS)
    order = np.argsort(ratio, kind="stable")
    assert (np.diff(share[order]) >= -1e-15).all()
    exact = [
        Fraction(int(a), int(a + b)) if a + b else Fraction(1, 2) for a, b in zip(of, against, strict=True)
    ]
    for a, b in pairwise(order.tolist()):
        assert exact[a] <= exact[b]
        assert (exact[a] == exact[b]) == (ratio[a] == ratio[b])


def test_outputs_that_are_usable() -> None:
    plain = np.array([[1.0, 2.0], [0.0, 3.0]])
    assert coupling.usable(plain) is plain
    odd = np.array([[0.0, 0.0], [1.5e308, 1.5e308], [0.0, 3.0]])
    kept = odd.copy()
    found = coupling.usable(odd)
    assert found[0].tolist() == [1.0, 1.0]
    assert np.isfinite(found.sum(axis=1)).all()
    assert np.array_equal(odd, kept)


def test_the_rest_is_not_a_difference() -> None:
    outputs = np.array([[1.0, 1e-30, 1e-30]])
    assert coupling.rest_of(outputs, 0).tolist() == [2e-30]
    assert coupling.rest_of(outputs, 1).tolist() == [1.0]
