"""Rules and operating points are values that print what they do."""

import dataclasses

import pytest

import rochull as rh
from rochull.conditions.rules import ALWAYS, NEVER


def test_rules_print_their_threshold_exactly() -> None:
    assert str(rh.conditions.Rule("threshold", "a", 0.1)) == "a >= 0.1"
    assert str(rh.conditions.Rule("threshold", None, 2**53 + 1)) == "score >= 9007199254740993"
    assert str(rh.conditions.Rule("threshold", "a", float("inf"))) == "a >= inf"
    assert (str(NEVER), str(ALWAYS)) == ("never", "always")


def test_rules_are_values() -> None:
    assert rh.conditions.Rule("never") == NEVER != ALWAYS
    assert (
        len(
            {
                rh.conditions.Rule("threshold", "a", 0.5),
                rh.conditions.Rule("threshold", "a", 0.5),
                rh.conditions.Rule("threshold", "b", 0.5),
            }
        )
        == 2
    )
    with pytest.raises(dataclasses.FrozenInstanceError):
        NEVER.kind = "always"  # type: ignore[misc]


def test_points_name_the_classifiers_that_they_need_once() -> None:
    a, b = rh.conditions.Rule("threshold", "a", 0.5), rh.conditions.Rule("threshold", "b", 0.25)
    assert rh.conditions.OperatingPoint(0, 0, ((a, 0.5), (b, 0.5))).classifiers == ("a", "b")
    assert rh.conditions.OperatingPoint(
        0, 0, ((a, 0.5), (rh.conditions.Rule("threshold", "a", 0.1), 0.5))
    ).classifiers == ("a",)
    assert rh.conditions.OperatingPoint(0, 0, ((NEVER, 0.5), (a, 0.5))).classifiers == ("a",)
    assert rh.conditions.OperatingPoint(0, 0, ((NEVER, 1.0),)).classifiers == ()
    assert (
        rh.conditions.OperatingPoint(0, 0, ((rh.conditions.Rule("threshold", None, 1.0), 1.0),)).classifiers
        == ()
    )


def test_points_print_rates_and_rules() -> None:
    a, b = rh.conditions.Rule("threshold", "a", 0.5), rh.conditions.Rule("threshold", "b", 0.25)
    assert str(rh.conditions.OperatingPoint(0.125, 1 / 3, ((a, 1.0),))) == "fpr 0.125, tpr 0.333333: a >= 0.5"
    mixed = rh.conditions.OperatingPoint(0, 1, ((a, 0.75), (b, 0.25)), "edge")
    assert str(mixed) == "fpr 0, tpr 1: a >= 0.5 (75%) or b >= 0.25 (25%)"


def test_expected_cost_is_linear_in_the_mixture() -> None:
    hull = rh.roc_hull([1, 0, 1, 0, 0], [5, 4, 3, 2, 1])
    condition = rh.ExpectedCost(2, 3, 0.4)
    left, right = hull.at(rh.NeymanPearson(0)), hull.at(rh.NeymanPearson(1 / 3))
    mixed = hull.at(rh.NeymanPearson(1 / 6))
    share = mixed.rules[1][1]
    assert share == pytest.approx(0.5)
    whole = (1 - share) * left.expected_cost(condition) + share * right.expected_cost(condition)
    assert mixed.expected_cost(condition) == pytest.approx(whole, abs=1e-15)
