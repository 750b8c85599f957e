"""Areas and their covariances, against the matrix of all pairs in fractions (DeLong et al. 1988)."""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from adversaries import FAMILIES, KINDS, WEIGHTS, Array, labels_for, names, weights_for
from profiles import tries
from rochull._core.validation import labelled
from rochull.uncertainty import auc_components
from rochull.uncertainty.auc_components import CountedAreas, WeighedAreas, areas_of

Row = list[Fraction]


def placements_by_pairs(labels: Any, scores: Any, weights: Any = None) -> tuple[Fraction, Row, Row, Row, Row]:
    """The area, the placements of positives and of negatives, and their weights, from all pairs."""
    mass = [Fraction(1)] * len(labels) if weights is None else [Fraction(float(w)) for w in weights]
    rows = list(zip(labels.tolist(), scores.tolist(), mass, strict=True))
    pos = [(s, w) for y, s, w in rows if y == 1 and w]
    neg = [(s, w) for y, s, w in rows if y != 1 and w]
    won = [[Fraction(1 + (s > t) - (s < t), 2) for t, _ in neg] for s, _ in pos]
    w_pos, w_neg = [w for _, w in pos], [w for _, w in neg]
    all_pos, all_neg = sum(w_pos, Fraction(0)), sum(w_neg, Fraction(0))
    of_pos = [sum((psi * w for psi, w in zip(row, w_neg, strict=True)), Fraction(0)) / all_neg for row in won]
    of_neg = [
        sum((won[i][j] * w for i, w in enumerate(w_pos)), Fraction(0)) / all_pos for j in range(len(neg))
    ]
    area = sum((v * w for v, w in zip(of_pos, w_pos, strict=True)), Fraction(0)) / all_pos
    return area, of_pos, of_neg, w_pos, w_neg


def covariance_by_pairs(labels: Any, columns: Sequence[Any], weights: Any = None) -> list[Row]:
    """DeLong's S10 / m + S01 / n; with weights, sums of products of w (V - A) / sum(w), corrected alike."""
    found = [placements_by_pairs(labels, scores, weights) for scores in columns]
    out = [[Fraction(0)] * len(columns) for _ in columns]
    for a, first in enumerate(found):
        for b, second in enumerate(found):
            for of, w in ((1, first[3]), (2, first[4])):
                products = [
                    (u * (x - first[0])) * (u * (y - second[0]))
                    for x, y, u in zip(first[of], second[of], w, strict=True)
                ]
                out[a][b] += Fraction(len(w), len(w) - 1) * sum(products) / sum(w) ** 2
    return out


def sample(seed: int, family: str, kind: str, n: int) -> tuple[Array, Array, Array]:
    """Labels with two of each class at least, and the scores of two classifiers."""
    rng = np.random.default_rng(seed)
    scores = FAMILIES[family](rng, n)
    labels = labels_for(scores, kind, rng)
    labels[rng.permutation(n)[:4]] = 0, 0, 1, 1
    return labels, scores, FAMILIES["few values"](rng, n) + (labels if kind == "good" else 0)


@given(st.integers(0, 2**32), names, KINDS, st.integers(4, 40))
def test_exact_as_all_pairs(seed: int, family: str, kind: str, n: int) -> None:
    labels, *columns = sample(seed, family, kind, n)
    expected = covariance_by_pairs(labels, columns)
    both = areas_of([labelled(labels, scores) for scores in columns])
    assert isinstance(both, CountedAreas)
    assert both.areas == [placements_by_pairs(labels, scores)[0] for scores in columns]
    assert both.covariance().tolist() == [[float(v) for v in row] for row in expected]
    assert both.variance_of_difference() == float(expected[0][0] + expected[1][1] - 2 * expected[0][1])
    for scores, area, variance in zip(columns, both.areas, (expected[0][0], expected[1][1]), strict=True):
        alone = areas_of([labelled(labels, scores)])
        assert alone.areas == [area]
        assert alone.covariance().tolist() == [[float(variance)]]
        assert float(area) == rh.roc_auc(labels, scores)


@pytest.mark.parametrize("family", sorted(FAMILIES))
@pytest.mark.parametrize("rows", [1, 30, 10**6])
def test_however_the_axis_is_cut(family: str, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auc_components, "_ROWS_A_PART", rows)
    labels, scores, other = sample(3, family, "good", 500)
    alone = areas_of([labelled(labels, scores)])
    both = areas_of([labelled(labels, scores), labelled(labels, other)])
    assert isinstance(alone, CountedAreas)
    assert isinstance(both, CountedAreas)
    assert (alone.twice[0], alone.pos[0][0], alone.neg[0][0]) == (
        both.twice[0],
        both.pos[0][0],
        both.neg[0][0],
    )
    assert alone.areas[0] == Fraction(rh.roc_auc(labels, scores)).limit_denominator(10**6)


@pytest.mark.parametrize("threads", [1, 3])
def test_whatever_the_number_of_threads(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    y, s = rng.integers(0, 2, 200_000), rng.normal(size=200_000).round(4)
    expected = areas_of([labelled(y, s)])
    monkeypatch.setattr(auc_components, "n_threads", lambda: threads)
    assert vars(areas_of([labelled(y, s)])) == vars(expected)


@pytest.mark.long
def test_many_examples_stay_exact() -> None:
    """Squares that overflow 64 bits in sum, one pair out of order: the variance by hand."""
    n = 2_000_000
    scores = np.arange(2 * n, dtype=float)
    labels = np.repeat([0, 1], n)
    labels[n - 1], labels[n] = 1, 0  # the best negative beats the worst positive
    found = areas_of([labelled(labels, scores)])
    assert found.areas == [1 - Fraction(1, n**2)]
    # One placement of each class is 1 - 1/n, all others are 1.
    one_class = Fraction(1, n**2) * (Fraction(1) - Fraction(1, n)) / (n - 1) / n
    assert found.covariance()[0, 0] == float(2 * one_class)
    ties = areas_of([labelled(labels, np.zeros(2 * n))])
    assert (ties.areas, ties.covariance()[0, 0]) == ([Fraction(1, 2)], 0)


@pytest.mark.long
def test_sums_of_squares_beyond_64_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negatives and positives by turns, in one part: positive k beats k negatives."""
    monkeypatch.setattr(auc_components, "n_threads", lambda: 1)
    monkeypatch.setattr(auc_components, "_PARTS_A_THREAD", 1)
    n = 2_000_000
    found = areas_of([labelled(np.tile([0, 1], n), np.arange(2 * n))])
    assert isinstance(found, CountedAreas)
    assert found.twice[0] == n * (n + 1)
    assert found.pos[0][0] == found.neg[0][0] == 4 * n * (n + 1) * (2 * n + 1) // 6 > 2**63


def test_no_more_rows_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auc_components, "MAX_ROWS", 4)
    with pytest.raises(ValueError, match=r"^y_true has 4 examples"):
        areas_of([labelled([0, 1, 0, 1], [1, 2, 3, 4])])


@given(st.integers(0, 2**32), names, KINDS, st.integers(4, 40), WEIGHTS)
def test_weighted_as_all_pairs(seed: int, family: str, kind: str, n: int, weighing: str) -> None:
    labels, *columns = sample(seed, family, kind, n)
    weights = weights_for(weighing, n, np.random.default_rng(seed))
    weights = np.ones(n) if weights is None else weights
    for label in (0, 1):
        weights[np.flatnonzero(labels == label)[:2]] = 1.5
    expected = covariance_by_pairs(labels, columns, weights)
    both = areas_of([labelled(labels, scores, weights) for scores in columns])
    assert isinstance(both, WeighedAreas)
    close = {"rtol": 1e-9, "atol": 1e-16}
    np.testing.assert_allclose(both.covariance(), np.array(expected, float), **close)
    difference = expected[0][0] + expected[1][1] - 2 * expected[0][1]
    np.testing.assert_allclose(both.variance_of_difference(), float(difference), **close)
    for scores, area in zip(columns, both.areas, strict=True):
        assert float(area) == rh.roc_auc(labels, scores, sample_weight=weights)


@tries(30)
@given(st.integers(0, 2**32), names, KINDS, st.sampled_from([0.1, 1.0, 3.0, 1e-9]))
def test_constant_weights_change_nothing(seed: int, family: str, kind: str, weight: float) -> None:
    labels, *columns = sample(seed, family, kind, 60)
    plain = areas_of([labelled(labels, scores) for scores in columns])
    weighed = areas_of([labelled(labels, scores, np.full(60, weight)) for scores in columns])
    assert weighed.areas == plain.areas
    assert weighed.sizes == pytest.approx(plain.sizes)
    np.testing.assert_allclose(weighed.covariance(), plain.covariance(), rtol=1e-9, atol=1e-17)


def test_an_example_of_weight_zero_is_left_out() -> None:
    labels, scores, other = sample(1, "few values", "good", 50)
    weights = np.random.default_rng(1).integers(0, 3, 50).astype(float)
    some = weights > 0
    whole = areas_of([labelled(labels, s, weights) for s in (scores, other)])
    part = areas_of([labelled(labels[some], s[some], weights[some]) for s in (scores, other)])
    assert whole.areas == part.areas
    assert whole.sizes == pytest.approx(part.sizes)
    np.testing.assert_allclose(whole.covariance(), part.covariance(), rtol=1e-12)


@pytest.mark.parametrize(
    ("labels", "weights", "message"),
    [
        ([0, 0, 1], None, "y_true has 1 positive example; a variance needs two of each class."),
        ([1, 0, 1], None, "y_true has 1 negative example; a variance needs two of each class."),
        ([0, 0, 1, 1], [1, 1, 0, 1], "y_true has 1 positive example with a weight above zero; a variance"),
        ([0, 0, 1, 1], [1, 0, 1, 1], "y_true has 1 negative example with a weight above zero; a variance"),
    ],
)
def test_too_few(labels: list[int], weights: Any, message: str) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        areas_of([labelled(labels, list(range(len(labels))), weights)])
