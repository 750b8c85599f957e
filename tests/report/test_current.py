"""Today's rule, as somebody writes it, and its counts."""

import numpy as np
import pytest

import rochull as rh
from rochull.conditions.rules import Rule
from rochull.report.current import count_of_rule, rule_written


@pytest.fixture(scope="module")
def hybrid() -> rh.Hybrid:
    rng = np.random.default_rng(0)
    y = rng.random(500) < 0.3
    score = 1 / (1 + np.exp(-rng.normal(y)))
    return rh.Hybrid().add("my score", y, score).add("distance", y, 1 - score, lower_is_positive=True)


def test_rules_as_they_are_written(hybrid: rh.Hybrid) -> None:
    assert rule_written("my score >= 0.5", hybrid) == Rule("threshold", "my score", 0.5)
    assert rule_written("my score>=1e-3", hybrid) == Rule("threshold", "my score", 0.001)
    assert rule_written(" distance <= .25", hybrid) == Rule("threshold", "distance", 0.25, True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "my score",
            "current must be a score, >= or <=, and a number, such as 'a >= 0.5', but is 'my score'",
        ),
        ("my score > 0.5", "must be a score"),
        ("my score >= half", "must be a score"),
        ("my score >= nan", "must be a score"),
        ("__import__('os') >= 1", "is not one of the scores, which are 'my score', 'distance'"),
        ("my score <= 0.5", "current must have >= after 'my score', but is 'my score <= 0.5'"),
        ("distance >= 0.5", "current must have <= after 'distance'"),
    ],
)
def test_what_is_not_a_rule(hybrid: rh.Hybrid, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("(", r"\(").replace(")", r"\)")):
        rule_written(text, hybrid)


def test_counts_are_those_of_the_rule_or_of_one_beside_it() -> None:
    rng = np.random.default_rng(0)
    y, steps = rng.random(500) < 0.3, rng.integers(0, 1001, 500) / 1000
    scores = {"up": steps, "down": 1 - steps}
    hybrid = rh.Hybrid().add("up", y, steps).add("down", y, scores["down"], lower_is_positive=True)
    for text, flagged in (
        ("up >= 0.5", steps >= 0.5),
        ("up >= 0.333", steps >= 0.333),
        ("up >= 2", steps >= 2),
        ("down <= 0.25", scores["down"] <= 0.25),
    ):
        rule = rule_written(text, hybrid)
        found = hybrid.need(rh.ExpectedCost(), y, scores, against=rule).held_out
        exact = (flagged & ~y).sum(), (flagged & y).sum()
        assert count_of_rule(rule, hybrid, found) == exact
        assert count_of_rule(rule, hybrid, None) == pytest.approx(exact, abs=1)


def test_the_answer_is_compared_with_it(hybrid: rh.Hybrid) -> None:
    report = rh.Report(hybrid, rh.ExpectedCost(1, 5), current="my score >= 0.9", positive_name="buyers")
    answer = report.facts["answer"]
    assert (answer["comparison"]["kind"], answer["comparison"]["rule"]["threshold"]) == ("current", 0.9)
    assert answer["state"]["comparison"] == {
        "key": "answer.comparison.rule", "score": "my score", "cutoff": "0.9",
    }  # fmt: skip
    assert answer["names"]["positive"] == "buyers"
