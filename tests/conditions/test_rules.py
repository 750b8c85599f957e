"""Rules and operating points are values that print what they do."""

import ast
import dataclasses
import math
import pickle
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from rochull.conditions.rules import (
    ALWAYS,
    NEVER,
    Action,
    OperatingPoint,
    Rule,
    Scores,
    SegmentedRule,
    outcome_by_row,
    threshold_in,
)
from syntax import nodes, sources


def test_rules_print_their_threshold_exactly() -> None:
    assert str(Rule("threshold", "a", 0.1)) == "a >= 0.1"
    assert str(Rule("threshold", None, 2**53 + 1)) == "score >= 9007199254740993"
    assert str(Rule("threshold", "a", float("inf"))) == "a >= inf"
    assert (str(NEVER), str(ALWAYS)) == ("never", "always")


def test_rules_are_values() -> None:
    assert Rule("never") == NEVER != ALWAYS
    assert len({Rule("threshold", name, 0.5) for name in "aab"} | {Rule("threshold", "a", 0.5)}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        NEVER.kind = "always"  # type: ignore[misc]


def test_points_name_the_classifiers_that_they_need_once() -> None:
    a, b = Rule("threshold", "a", 0.5), Rule("threshold", "b", 0.25)
    assert OperatingPoint(0, 0, ((a, 0.5), (b, 0.5))).classifiers == ("a", "b")
    assert OperatingPoint(0, 0, ((a, 0.5), (Rule("threshold", "a", 0.1), 0.5))).classifiers == ("a",)
    assert OperatingPoint(0, 0, ((NEVER, 0.5), (a, 0.5))).classifiers == ("a",)
    assert OperatingPoint(0, 0, ((NEVER, 1.0),)).classifiers == ()
    assert OperatingPoint(0, 0, ((Rule("threshold", None, 1.0), 1.0),)).classifiers == ()


def test_points_print_rates_and_rules() -> None:
    a, b = Rule("threshold", "a", 0.5), Rule("threshold", "b", 0.25)
    assert str(OperatingPoint(0.125, 1 / 3, ((a, 1.0),))) == "fpr 0.125, tpr 0.333333: a >= 0.5"
    mixed = OperatingPoint(0, 1, ((a, 0.75), (b, 0.25)), "edge")
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


@pytest.mark.parametrize("source", ["vertex", "edge", "curve", "hybrid"])
@pytest.mark.parametrize("prevalence", [0.01, 0.3, 0.9])
def test_precision_lift_and_alarm_rate_are_those_of_weighted_cases(source: str, prevalence: float) -> None:
    y, score = np.array([1, 0, 1, 0, 0, 1, 0]), np.array([7, 6, 5, 4, 3, 2, 1])
    asked = rh.NeymanPearson(0.3)
    hybrid = rh.Hybrid().add("a", y, score, curve=True).add("b", y, -score, curve=True)
    point = {
        "vertex": rh.roc_hull(y, score).at(rh.Accuracy(0.5)),
        "edge": rh.roc_hull(y, score).at(asked),
        "curve": hybrid.at(asked, deterministic=True),
        "hybrid": hybrid.at(asked),
    }[source]
    weight = np.where(
        y == 1, prevalence / 3, (1 - prevalence) / 4
    )  # so that the cases are of that prevalence
    called = np.zeros(7)  # the probability that each is called positive
    for rule, share in point.rules:
        called += share * rule.passes(7, lambda name: Scores(-score if name == "b" else score))
    alarms = (weight * called).sum()
    assert point.alarm_rate(prevalence) == pytest.approx(alarms)
    assert point.precision(prevalence) == pytest.approx((weight * called * y).sum() / alarms)
    assert point.lift(prevalence) == pytest.approx((weight * called * y).sum() / alarms / prevalence)


def test_prevalence_of_precision() -> None:
    never, always = OperatingPoint(0, 0, ((NEVER, 1.0),)), OperatingPoint(1, 1, ((ALWAYS, 1.0),))
    assert math.isnan(never.precision(0.1))
    assert math.isnan(never.lift(0.1))
    assert never.alarm_rate(0.1) == 0
    assert (always.precision(0.1), always.lift(0.1), always.precision(0)) == (0.1, 1, 0)
    some = OperatingPoint(0.25, 0.75, ((ALWAYS, 1.0),), prevalence=0.5)
    assert (some.precision(), some.lift(), some.alarm_rate()) == (0.75, 1.5, 0.5)
    for ask in (never.precision, never.lift, never.alarm_rate):
        with pytest.raises(ValueError, match="prevalence is needed: the point has rates alone, of no data"):
            ask()
        with pytest.raises(ValueError, match="prevalence must lie between 0 and 1, but is 2"):
            ask(2)


# --- what a rule does -------------------------------------------------------------------------------

DTYPES = [np.float64, np.float32, np.int64, np.uint8, np.int16]
NUMBERS = st.one_of(
    st.integers(-300, 300), st.integers(2**53 - 2, 2**53 + 2), st.floats(allow_nan=False), st.just(0.1)
)


def passes(score: float, threshold: float) -> bool:
    """The rule in exact arithmetic; NaN passes nothing."""
    if math.isnan(score) or math.isinf(score) or math.isinf(threshold):
        return score >= threshold
    return Fraction(score) >= Fraction(threshold)


def scores_in(dtype: type, numbers: list[float]) -> np.ndarray:
    """Those of some numbers that a type has room for, rounded to it."""
    if np.issubdtype(dtype, np.floating):
        with np.errstate(over="ignore"):
            return np.array([*numbers, math.nan, math.inf]).astype(dtype)
    info = np.iinfo(dtype)
    return np.array([int(x) for x in numbers if math.isfinite(x) and info.min <= x <= info.max], dtype)


@given(NUMBERS, st.lists(NUMBERS), st.sampled_from(DTYPES), st.data())
def test_rules_decide_exactly(
    threshold: float, numbers: list[float], dtype: type, data: st.DataObject
) -> None:
    values = scores_in(dtype, [threshold, *numbers])
    nulls = np.array(data.draw(st.lists(st.booleans(), min_size=values.size, max_size=values.size)), bool)
    rule, scores = Rule("threshold", "a", threshold), Scores(values, nulls)
    expected = [passes(x, threshold) and not gone for x, gone in zip(values.tolist(), nulls, strict=True)]
    assert rule.passes(values.size, {"a": scores}.__getitem__).tolist() == expected
    assert rule.outcome(values.size, {"a": scores}.__getitem__).tolist() == list(map(int, expected))
    # The same where each row has a rule of its own.
    rules = [rule, NEVER, ALWAYS, Rule("threshold", "b", 1e300)]
    which = np.arange(values.size) % 4
    rows = np.flatnonzero(which == 0)
    other = np.flatnonzero(which == 3)
    scored = {"a": (rows, scores.at(rows)), "b": (other, Scores(np.zeros(other.size, np.int8)))}
    mixed = outcome_by_row(rules, which, scored)
    assert mixed.dtype == np.int8
    assert mixed.tolist() == [[own, 0, 1, 0][w] for own, w in zip(map(int, expected), which, strict=True)]


def test_constant_rules_ask_for_no_scores() -> None:
    def refuse(*_: Any) -> Any:
        raise AssertionError

    for rule, action in ((NEVER, Action.NEGATIVE), (ALWAYS, Action.POSITIVE)):
        assert rule.constant is action
        assert rule.outcome(3, refuse).tolist() == [action] * 3
        assert rule.positives(5, refuse) == 5 * action
        assert not rule.is_nameless
        assert rule.named("a") is rule
    rule = Rule("threshold", None, 0.5)
    assert rule.constant is None
    assert rule.is_nameless
    assert rule.named("a") == Rule("threshold", "a", 0.5)
    assert rule.positives(5, lambda name, level: (name, level)) == (None, 0.5)


def test_rules_are_ordered_by_the_lowest_score_that_they_call() -> None:
    rules = [NEVER, Rule("threshold", "a", 2**53 + 1), Rule("threshold", "a", -0.5), ALWAYS]
    assert [rule.lowest for rule in rules] == [math.inf, 2.0**53, -0.5, -math.inf]


@pytest.mark.parametrize("threshold", [0.1, 2**53 + 1, math.inf, -math.inf, -3])
def test_rules_come_back_from_json_and_pickle(threshold: float) -> None:
    for rule in (Rule("threshold", "a", threshold), NEVER, ALWAYS):
        assert Rule.from_dict(rule.to_dict()) == rule
        assert type(Rule.from_dict(rule.to_dict()).threshold) is type(rule.threshold)
        assert pickle.loads(pickle.dumps(rule)) == rule
    assert NEVER.to_dict() == {"kind": "never"}


def test_digits_of_a_threshold_may_be_fewer() -> None:
    assert f"{Rule('threshold', 'a', 1 / 3):.3g}" == "a >= 0.333"
    assert f"{Rule('threshold', 'a', 2 / 3):g}" == "a >= 0.666666"
    assert f"{Rule('threshold', 'a', 2 / 3):.3f}" == "a >= 0.667"
    assert f"{NEVER:.3g}" == "never"
    both = SegmentedRule(segments=("x", None), rules=(Rule("threshold", "a", 1 / 3), ALWAYS))
    assert f"{both:.3g}" == "x: a >= 0.333; elsewhere: always"


@given(st.floats(allow_nan=False), st.integers(1, 8), st.booleans())
def test_fewer_digits_lose_no_example_with_just_this_score(
    threshold: float, digits: int, lower: bool
) -> None:
    rule = Rule("threshold", "a", threshold, lower)
    name, _, told = f"{rule:.{digits}g}".split()
    assert name == "a"
    assert float(told) >= threshold if lower else float(told) <= threshold
    if 1e-300 < abs(threshold) < 1e300:
        assert float(told) == pytest.approx(threshold, rel=1.1 * 10.0 ** (1 - digits))


def test_what_a_rule_lacks_is_said() -> None:
    segmented = SegmentedRule(segments=("x",), rules=(Rule("threshold", "a", 1),))
    assert segmented.differs_by_segment
    for wrong, message in (
        (Rule("threshold", "a"), "the rule has no threshold"),
        (segmented, "differs by segment"),
    ):
        for ask in (
            lambda rule: rule.lowest,
            lambda rule: rule.to_dict(),
            lambda rule: rule.outcome(1, lambda _: Scores(np.zeros(1))),
            lambda rule: rule.positives(1, lambda *_: 0),
        ):
            with pytest.raises(ValueError, match=message):
                ask(wrong)


KINDS = {"never", "always", "threshold", "segments"}
OWNERS = {
    "conditions/rules.py",
    "policies/policy_schema.py",
    "segments/segment_schema.py",
}  # the rules, and what reads documents


def comparisons(source: str) -> Iterator[int]:
    """Lines in which something is compared with the kind of a rule."""
    for node in nodes(source):
        if isinstance(node, ast.Compare):
            words = {leaf.value for leaf in ast.walk(node) if isinstance(leaf, ast.Constant)}
            if words and words <= KINDS:
                yield node.lineno


def test_nobody_else_looks_at_the_kind_of_a_rule() -> None:
    assert [*comparisons('x = rule.kind == "never"\ny = kind in ("a", "b")\nz = f("always")')] == [1]
    assert [*comparisons('a = r.kind != "threshold"')] == [1]
    found = {path: [*comparisons(source)] for path, source in sources().items()}
    assert {path: lines for path, lines in found.items() if lines and path not in OWNERS} == {}


def test_what_is_remembered_of_a_rule_is_no_part_of_it() -> None:
    rule, twin = Rule("threshold", "a", 0.1), Rule("threshold", "a", 0.1)
    text = str(vars(rule))
    for name in ("f2", "f4", "f8", "i4", "f4", "f8"):
        dtype = np.dtype(name)
        assert rule.rounded_in(lambda _, dtype=dtype: dtype) == twin.rounded_in(lambda _, dtype=dtype: dtype)
    assert rule.rounded_in(lambda _: np.dtype("f4")).threshold == 0.1  # float32(0.1) is above it
    assert rule.rounded_in(lambda _: np.dtype("f2")).threshold < 0.1
    assert (rule, hash(rule), repr(rule)) == (twin, hash(twin), repr(twin))
    assert pickle.loads(pickle.dumps(rule)) == rule
    assert text != str(vars(rule))  # something was remembered


@pytest.mark.parametrize("name", ["f2", "f4", "f8", "i2", "i8", "u8"])
@pytest.mark.parametrize("lower", [False, True])
def test_ends_of_types_are_remembered_by_the_type_of_the_threshold(name: str, lower: bool) -> None:
    dtype = np.dtype(name)
    for threshold in (0.5, 1, 1.0, -0.0, 0, 2**53 + 1, float(2**53), 2**60 + 1, 1e300, -math.inf):
        first, again = threshold_in(dtype, threshold, lower), threshold_in(dtype, threshold, lower)
        found = threshold_in.__wrapped__(dtype, threshold, lower)
        assert (type(first), first) == (type(again), again) == (type(found), found)
