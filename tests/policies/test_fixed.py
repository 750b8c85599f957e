"""A policy of one operating point: it decides as a policy that is given the point, from a file and in SQL."""

import hashlib
import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import rochull as rh
from refusals import refuses
from rochull.policies import FixedPolicy

RNG = np.random.default_rng(3)
Y = RNG.integers(0, 2, 500)
SCORES = {"a": np.round(RNG.normal(size=500) + Y, 2), "b": np.round(RNG.normal(size=500) - Y, 2)}
HYBRID = rh.Hybrid().add("a", Y, SCORES["a"]).add("b", Y, SCORES["b"], lower_is_positive=True)
Rule = rh.conditions.Rule
POINTS = {
    "threshold": HYBRID.at(rh.ExpectedCost(1, 2, 0.3)),
    "mixture": HYBRID.at(rh.NeymanPearson(0.123)),
    "low scores": HYBRID.hulls["b"].at(rh.ExpectedCost(1, 2, 0.3)),
    "never": rh.conditions.OperatingPoint(0.0, 0.0, ((Rule("never"), 1.0),)),
    "three": rh.conditions.OperatingPoint(
        0.2, 0.5,
        ((Rule("always"), 0.1), (Rule("threshold", "a", 0.5), 0.3), (Rule("threshold", "b", -np.inf, True), 0.6)),
    ),
    "review": HYBRID.at(rh.Review(1, 2, 0.1)),
    "mixture of reviews": HYBRID.at(rh.Review(1, 2, 0.01, max_share=0.2)),
}  # fmt: skip


def by_hand(point: Any, salt: str, key: int, row: dict[str, float]) -> Any:
    """What is decided of one row: by the rule to which its hash belongs, the last having the lowest."""
    drawn = int(hashlib.md5(f"{salt}:{key}".encode()).hexdigest()[:8], 16) / 2**32
    left, chosen = 1.0, point.rules[0][0]
    for rule, share in point.rules:
        chosen = rule if drawn < left else chosen
        left -= share

    def called(rule: Any) -> bool:
        if rule.kind in ("never", "always"):
            return bool(rule.kind == "always")
        score = row[rule.classifier]
        return score <= rule.threshold if rule.lower_is_positive else score >= rule.threshold

    if not point.can_review:
        return called(chosen)
    return "positive" if called(chosen.high) else "review" if called(chosen.low) else "negative"


@pytest.mark.parametrize("kind", POINTS)
def test_file_and_sql_decide_row_by_row_as_the_point(kind: str, tmp_path: Path) -> None:
    point = POINTS[kind]
    made = FixedPolicy.from_point(point, condition="a test", salt="x", about={"from": "here"})
    made.save(tmp_path / "p.json")
    policy = FixedPolicy.load(tmp_path / "p.json")
    assert policy.to_json() == made.to_json()
    assert (policy.condition, policy.salt, policy.about) == ("a test", "x", {"from": "here"})
    assert policy.classifiers == point.classifiers
    assert policy.point.rules == point.rules
    assert str(policy.point.words) in repr(policy)
    cases = pd.DataFrame({**SCORES, "id": np.arange(500)})
    decided = policy.decide(cases, key="id")
    rows = cases.to_dict("records")
    assert decided.tolist() == [by_hand(point, "x", i, row) for i, row in enumerate(rows)]
    assert decided.tolist() == HYBRID.policy(salt="x").decide(cases, point, key="id").tolist()
    sql = policy.to_sql("duckdb", key="id")
    assert (
        duckdb.sql(f"SELECT {sql} AS d FROM cases ORDER BY id").fetchnumpy()["d"].tolist() == decided.tolist()
    )
    other = cases.rename(columns={"a": "first", "b": "second"})
    places = {"a": "first", "b": "second"}
    assert policy.decide(other, key="id", columns=places).tolist() == decided.tolist()
    text = policy.to_sql("duckdb", key="id", columns=places)
    assert [f'"{place}"' in text for place in places.values()] == [n in point.classifiers for n in places]


def test_a_group_without_a_name_is_not_all_cases() -> None:
    point = POINTS["never"]
    groups = rh.groups.GroupPolicy.of_groups({"": point, "b": point}, "kind")
    with pytest.raises(rh.PolicyError, match="not that of one operating point; load it as a SavedPlan"):
        FixedPolicy.from_json(groups.to_json())


def test_an_assured_choice_is_saved_with_its_condition() -> None:
    choice = HYBRID.assured(rh.MinimumPrecision(0.7, confidence=0.9))
    policy = choice.policy(about={"by": "a test"})
    assert policy.point.rules == choice.point.rules
    assert (policy.point.fpr, policy.point.tpr) == (choice.point.fpr, choice.point.tpr)
    assert policy.condition.startswith(
        "highest true positive rate with a precision of at least 0.7, prevalence 0.498 ("
    )
    assert policy.condition.endswith("; kept in the population with confidence 0.9")
    assert policy.about == {"by": "a test"}
    alone = rh.roc_hull(Y, SCORES["a"])
    nameless = rh.hybrid.AssuredChoice.from_hulls(alone, rh.NeymanPearson(0.1, confidence=0.9))
    assert nameless.policy().classifiers == ("score",)
    assert nameless.policy().decide(SCORES["a"]).tolist() == (SCORES["a"] >= nameless.threshold).tolist()


def test_missing_and_rounded_scores_are_counted() -> None:
    policy = FixedPolicy.from_point(
        rh.conditions.OperatingPoint(0.1, 0.5, ((Rule("threshold", "a", 0.7), 1.0),))
    )
    with pytest.warns(UserWarning, match=r"scores\['a'\] has 1 missing values"):
        assert policy.decide({"a": [None, 0.7]}).tolist() == [False, True]
    with pytest.warns(
        UserWarning, match="1 of 2 cases have a threshold of the policy as their score, rounded"
    ):
        policy.decide(np.array([0.7, 0.1], np.float32))


def test_what_is_refused() -> None:
    mixed = FixedPolicy.from_point(POINTS["mixture"])
    refuses("key is needed: the decision is a mixture", mixed.to_sql, "duckdb")
    refuses(r"scores has no column 'a'|has no column 'b'", mixed.decide, {"c": [1.0]})
    segmented = rh.stratify({"x": HYBRID.hulls["a"], "y": HYBRID.hulls["a"]}).at(rh.ExpectedCost(1, 2, 0.3))
    refuses("point has a rule for each segment, which a FixedPolicy", FixedPolicy.from_point, segmented)
    with pytest.raises(ValueError, match="condition must be a string, but is 3"):
        FixedPolicy.from_point(POINTS["never"], condition=3)  # type: ignore[arg-type]
    found = mixed.to_dict()
    found["plan"]["shares"][0] /= 2
    text = json.dumps({**found, "checksum": rh._core.schemas.checksum(found)})
    with pytest.raises(rh.PolicyError, match="they do not add up to 1"):
        FixedPolicy.from_json(text)
    with pytest.raises(rh.PolicyError, match="but 'rochull-plan'"):
        rh.Policy.from_json(mixed.to_json())
