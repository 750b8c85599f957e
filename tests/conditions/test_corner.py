"""The point next to the top left and that of equal errors: against every threshold and a fine grid of mixtures."""

from __future__ import annotations

import inspect
from fractions import Fraction
from itertools import pairwise
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import rochull as rh
from adversaries import examples

MEASURES = st.sampled_from([rh.ClosestTopLeft(), rh.EqualErrorRate()])


def by_hand(measure: Any, x: Fraction, y: Fraction) -> Fraction:
    """What is to be low: of the distance the square."""
    return max(x, 1 - y) if isinstance(measure, rh.EqualErrorRate) else x * x + (1 - y) ** 2


@given(examples(max_size=40), MEASURES)
def test_no_threshold_and_no_mixture_is_better(data: Any, measure: Any) -> None:
    y, scores, weights = data
    curve = rh.roc_curve(y, scores, sample_weight=weights)
    hull = rh.RocHull.from_curve(curve)
    question = rh.Within(measure, []).question
    single = curve.frontier.point(question.best_single(curve.frontier))
    points = curve.frontier.points()
    assert by_hand(measure, *single) == min(by_hand(measure, *point) for point in points)
    found = by_hand(measure, *question.best(hull.frontier).exact_rates(hull.frontier))
    for (x0, y0), (x1, y1) in pairwise(hull.frontier.points()):
        for share in (Fraction(k, 12) for k in range(13)):
            assert found <= by_hand(measure, x0 + share * (x1 - x0), y0 + share * (y1 - y0))


@given(examples(max_size=40), MEASURES, st.integers(1, 19), st.integers(1, 19))
def test_within_limits(data: Any, measure: Any, most: int, least: int) -> None:
    y, scores, weights = data
    hull = rh.roc_hull(y, scores, sample_weight=weights)
    limits = [rh.FalsePositiveRate() <= Fraction(most, 20), rh.Recall() >= Fraction(least, 20)]
    try:
        rates = rh.Within(measure, limits).question.best(hull.frontier).exact_rates(hull.frontier)
    except rh.InfeasibleConditionError:
        return
    assert rates[0] <= Fraction(most, 20)
    assert rates[1] >= Fraction(least, 20)
    for (x0, y0), (x1, y1) in pairwise(hull.frontier.points()):
        for share in (Fraction(k, 12) for k in range(13)):
            x, y_there = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
            if x <= Fraction(most, 20) and y_there >= Fraction(least, 20):
                assert by_hand(measure, *rates) <= by_hand(measure, x, y_there)


@pytest.mark.parametrize("seed", range(5))
def test_errors_are_equal_on_a_hull(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = rng.random(200) < 0.3
    hull = rh.roc_hull(y, np.round(rng.normal(size=200) + y, 1))
    best = rh.Within(rh.EqualErrorRate(), []).question.best(hull.frontier).exact_rates(hull.frontier)
    assert best[0] == 1 - best[1]
    assert float(best[0]) == hull.eer()


@pytest.mark.parametrize("made", [rh.Capacity, rh.NeymanPearson, rh.ExpectedCost, rh.Review, rh.Within])
def test_signatures_name_the_parameters(made: Any) -> None:
    parameters = inspect.signature(made).parameters
    assert all(each.kind != each.VAR_POSITIONAL for each in parameters.values())
    assert next(iter(parameters)) in {"cases", "max_fpr", "cost_fp", "goal"}
    assert "self" not in parameters
