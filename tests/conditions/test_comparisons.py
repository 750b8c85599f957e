"""How limits are written, for measures of two classes and of several."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import rochull as rh
from refusals import refuses
from rochull.conditions.comparisons import Comparison, as_limits
from rochull.multiclass import CostMatrix, Error, MaxError

LOW = [rh.FalsePositiveRate(), rh.AlarmRate(), rh.AlarmRate(prevalence=0.1), Error("a"), MaxError()]
HIGH = [rh.Recall(), rh.Precision(prevalence=(0.1, 0.2))]
WRITTEN: list[tuple[Any, str, Callable[[Any, Any], Any]]] = [
    *((measure, "<=", operator.le) for measure in LOW),
    *((measure, ">=", operator.ge) for measure in HIGH),
]


@pytest.mark.parametrize(("measure", "side", "compare"), WRITTEN, ids=str)
def test_a_limit_is_a_value_that_prints_as_it_is_written(
    measure: Any, side: str, compare: Callable[[Any, Any], Any]
) -> None:
    for limit in (0, 0.25, 1, np.float32(0.25), np.int64(1), Fraction(1, 4)):
        made = compare(measure, limit)
        assert isinstance(made, Comparison)
        assert (made.measure, made.side, made.limit) == (measure, side, float(limit))
        assert str(made) == f"{measure} {side} {float(limit):g}"
        assert made == compare(measure, float(limit))
        assert hash(made) == hash(compare(measure, float(limit)))
    assert compare(measure, 0.25) != compare(measure, 0.5)


@pytest.mark.parametrize(("measure", "side", "compare"), WRITTEN, ids=str)
def test_what_is_no_limit_is_refused(measure: Any, side: str, compare: Callable[[Any, Any], Any]) -> None:
    for wrong in (40, -0.1, 1 + 1e-9):
        refuses("must be from 0 to 1, but is .*; limits are shares: 0.4 is 40 %", compare, measure, wrong)
    for wrong in (math.nan, math.inf, "0.1", None, True, [0.1]):
        refuses("^the limit of .* must be a finite number, but is", compare, measure, wrong)
    strict = {"<=": operator.lt, ">=": operator.gt}[side]
    with pytest.raises(TypeError, match=rf"^a limit includes its end: write .* {side} 0\.1\.$"):
        strict(measure, 0.1)


def test_only_shares_end_at_1() -> None:
    assert (CostMatrix([[0, 5], [1, 0]]) <= 3).limit == 3


@pytest.mark.parametrize(("measure", "side", "compare"), WRITTEN, ids=str)
def test_no_limit_is_lost_in_a_chain(measure: Any, side: str, compare: Callable[[Any, Any], Any]) -> None:
    limit = compare(measure, 0.5)
    for use in (
        lambda: 0.1 <= measure <= 0.5,
        lambda: limit and limit,
        lambda: limit or limit,
        lambda: not limit,
        lambda: bool(limit),
    ):
        with pytest.raises(
            (TypeError, ValueError), match=r"write two limits|is on the better side|least|most"
        ):
            use()
    with pytest.raises(TypeError, match="has no truth value; write two limits instead of a chain or 'and'"):
        bool(limit)


def test_limits_stand_by_themselves_or_in_what_holds_them() -> None:
    one, two = rh.Recall() >= 0.6, rh.FalsePositiveRate() <= 0.1
    kinds = type(one)
    assert as_limits(one, kinds, "x") == (one,)
    assert as_limits((), kinds, "x") == ()
    for held in ([one, two], (one, two), iter([one, two]), {one: 1, two: 2}):
        assert as_limits(held, kinds, "x") == (one, two)
    for wrong, shown in ((0.6, "0.6"), ([one, 0.6], "0.6"), ("ab", "'a'"), (None, "None"), ([[one]], r"\[")):
        refuses(
            f"^subject_to must hold limits such as Recall, but holds {shown}",
            as_limits,
            wrong,
            kinds,
            "Recall",
        )
