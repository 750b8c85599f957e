"""The alarm rate and the precision, against their definitions, and their intervals against samples."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from refusals import refuses
from rochull._core.results import Interval
from rochull.conditions.ranges import exact

SHARES = st.integers(0, 40).map(lambda k: Fraction(k, 40))
INNER = st.integers(1, 39).map(lambda k: k / 40)


def outcomes(prevalence: Any, fpr: Fraction, tpr: Fraction) -> tuple[Fraction, Fraction]:
    """Hits and false alarms as shares of all cases."""
    return exact(prevalence) * tpr, (1 - exact(prevalence)) * fpr


@given(INNER, SHARES, SHARES)
def test_values_by_their_definitions(prevalence: float, fpr: Fraction, tpr: Fraction) -> None:
    hits, false = outcomes(prevalence, fpr, tpr)
    alarms, precision = rh.AlarmRate(prevalence), rh.Precision(prevalence)
    assert alarms.exact_value(fpr, tpr) == hits + false
    assert alarms.value(float(fpr), float(tpr)) == pytest.approx(float(hits + false), rel=1e-15)
    found = precision.value(float(fpr), float(tpr))
    assert type(found) is float
    if hits + false == 0:  # nothing is called positive
        assert math.isnan(found)
        assert precision.exact_value(fpr, tpr) == -math.inf  # worse than any
        return
    assert precision.exact_value(fpr, tpr) == hits / (hits + false)
    assert found == pytest.approx(float(hits / (hits + false)), rel=1e-15)
    assert precision.loss(float(fpr), float(tpr)) == pytest.approx(float(false / (hits + false)), abs=1e-15)
    for measure in (alarms, precision):
        assert measure.values(np.array([fpr, 1], float), np.array([tpr, 1], float)).tolist() == [
            measure.value(float(fpr), float(tpr)), measure.value(1.0, 1.0)
        ]  # fmt: skip


@given(INNER, SHARES, SHARES)
def test_a_measure_is_the_ratio_that_it_says(prevalence: float, fpr: Fraction, tpr: Fraction) -> None:
    for measure in (rh.AlarmRate(prevalence), rh.Precision(prevalence)):
        above, below = (a + b * fpr + c * tpr for a, b, c in measure.ratio())
        if below:
            assert above / below == measure.exact_value(fpr, tpr)
        else:
            assert measure.exact_value(fpr, tpr) == -math.inf


def test_a_prevalence_is_stated_taken_over_or_a_range() -> None:
    for kind in (rh.AlarmRate, rh.Precision):
        unsaid: Any = kind()
        assert unsaid.lacks_prevalence
        assert unsaid.at_prevalence(0.2) == kind(prevalence=0.2)
        assert str(unsaid) == f"{kind.__name__}()"
        assert str(kind(prevalence=0.2)) == f"{kind.__name__}(prevalence=0.2)"
        assert {corner.prevalence for corner in kind(prevalence=(0.1, 0.3)).corners()} == {0.1, 0.3}
        with pytest.raises(rh.ImpreciseConditionError, match=r"prevalence=\(0\.1, 0\.3\) is an interval"):
            kind(prevalence=(0.1, 0.3)).value(0.1, 0.9)
        refuses("prevalence must lie", kind, prevalence=1.5)
        refuses("prevalence must be a finite number", kind, prevalence="much")
    for end in (0, 1):
        assert rh.AlarmRate(prevalence=end).value(0.25, 0.75) == (0.25, 0.75)[end]
        refuses("prevalence must lie strictly between 0 and 1", rh.Precision, prevalence=end)


# --- intervals --------------------------------------------------------------------------------------


def rates(hits: Any, n: int, level: float = 0.95) -> Interval:
    return rh.rate_interval(hits, n, "wilson", level=level)


SAMPLES = list(itertools.product([(50, 0.1), (400, 0.02), (60, 0.5)], [(40, 0.8), (200, 0.95)], [0.5, 0.05]))


@pytest.mark.parametrize(("negatives", "positives", "prevalence"), SAMPLES)
def test_intervals_cover_as_often_as_they_say(
    negatives: tuple[int, float], positives: tuple[int, float], prevalence: float
) -> None:
    rng = np.random.default_rng(5)
    (n_neg, fpr), (n_pos, tpr) = negatives, positives
    false, hits = rng.binomial(n_neg, fpr, 4_000), rng.binomial(n_pos, tpr, 4_000)
    for measure in (rh.AlarmRate(prevalence), rh.Precision(prevalence)):
        found = measure.interval(rates(false, n_neg), rates(hits, n_pos))
        true = measure.value(fpr, tpr)
        assert 0.93 < np.mean((found.low <= true) & (true <= found.high)) < 0.985
        assert ((found.low <= found.estimate) & (found.estimate <= found.high)).all()
        one = measure.interval(rates(false[0], n_neg), rates(hits[0], n_pos))
        assert all(type(end) is float for end in (one.low, one.high, one.estimate))
        assert (one.low, one.high) == pytest.approx((found.low[0], found.high[0]), rel=1e-12)
        loss = rh.Precision(prevalence).loss_interval(rates(false, n_neg), rates(hits, n_pos))
        if isinstance(measure, rh.Precision):
            np.testing.assert_array_equal(loss.low, 1 - found.high)
            np.testing.assert_array_equal(loss.high, 1 - found.low)


@given(st.integers(1, 30), st.integers(1, 30), INNER)
def test_where_one_rate_is_known_the_ends_are_those_of_the_other(
    false: int, hits: int, prevalence: float
) -> None:
    fpr, tpr = rates(false, 30), rates(hits, 30)

    def known(interval: Interval) -> Interval:
        estimate = interval.estimate
        return Interval(estimate, estimate, estimate, interval.level, interval.method)

    for measure, rises in ((rh.AlarmRate(prevalence), 1), (rh.Precision(prevalence), -1)):
        of_tpr = measure.interval(known(fpr), tpr)
        expected = [measure.value(fpr.estimate, end) for end in (tpr.low, tpr.high)]
        assert [of_tpr.low, of_tpr.high] == pytest.approx(expected, rel=1e-9)
        of_fpr = measure.interval(fpr, known(tpr))
        expected = [measure.value(end, tpr.estimate) for end in (fpr.low, fpr.high)]
        assert [of_fpr.low, of_fpr.high] == pytest.approx(expected[::rises], rel=1e-6)


def test_ends_where_a_rate_is_at_its_border() -> None:
    precision = rh.Precision(0.5)
    nobody = precision.interval(rates(0, 20), rates(0, 20))
    assert math.isnan(nobody.estimate)
    assert (nobody.low, nobody.high) == (0, 1)
    sure = precision.interval(rates(0, 20), rates(20, 20))
    assert sure.high == sure.estimate == 1
    assert 0.8 < sure.low < 0.9
    missed = precision.interval(rates(5, 20), rates(0, 20))
    assert missed.low == missed.estimate == 0
    assert 0 < missed.high < 0.6
