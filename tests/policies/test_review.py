"""Decisions with a third action: policies, SQL in DuckDB, and the other dialects' text."""

import duckdb
import numpy as np
import pandas as pd
import pytest

import rochull as rh
from rochull.dialects.registry import names
from sql_translated import parsed

REVIEWS = [
    rh.Review(cost_fp=2, cost_fn=3, cost_review=0.4, prevalence=0.4),
    rh.Review(max_share=0.13, prevalence=0.4),
    rh.Review(max_error=0.07, prevalence=0.4),
    rh.Review(cost_review=0.4, max_share=0.3, max_error=0.25, prevalence=0.4),
    rh.Review(cost_review=3, prevalence=0.4),
    rh.Review(cost_review=0, prevalence=0.4),
]


@pytest.fixture(scope="module")
def policy() -> rh.Policy:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 500)
    a = y * (rng.random(500) < 0.5) + rng.random(500)
    b = np.round(2 * y - (1 - y) * (rng.random(500) < 0.5) + 2 * rng.random(500), 1)
    return rh.Hybrid().add("a", y, a).add("b", y, b).policy(salt="2026")


@pytest.fixture(scope="module")
def cases() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    scores = rng.normal(0.5, 1, (800, 2))
    scores[:5, 0] = [np.nan, np.inf, -np.inf, 0.0, -0.0]
    return pd.DataFrame({"id": np.arange(800), "a": scores[:, 0], "b": np.round(scores[:, 1], 1)})


@pytest.mark.filterwarnings("ignore:scores:UserWarning")  # the missing value is meant
@pytest.mark.parametrize("review", REVIEWS)
def test_sql_decides_alike(policy: rh.Policy, cases: pd.DataFrame, review: rh.Review) -> None:
    decided = policy.decide(cases, review, key="id")
    assert set(decided) <= {"positive", "review", "negative"}
    text = policy.to_sql(review, "duckdb", key="id")
    found = duckdb.sql(f"SELECT {text} AS decision FROM cases ORDER BY id").df()["decision"]
    np.testing.assert_array_equal(found, decided)
    point = policy.at(review)
    np.testing.assert_array_equal(policy.decide(cases, point, key="id"), decided)
    for dialect in names():
        written = policy.to_sql(review, dialect, key="id")
        assert all(f"'{word}'" in written for word in ("positive", "review", "negative"))
        parsed(written, dialect)


def test_the_document_brings_the_rule_back(policy: rh.Policy) -> None:
    loaded = rh.Policy.from_json(policy.to_json())
    for review in REVIEWS:
        assert loaded.at(review) == policy.at(review)
    rule = policy.at(REVIEWS[0]).rules[0][0]
    assert rh.conditions.BandRule.from_dict(rule.to_dict()) == rule
    assert str(rule).startswith("positive from ")


def test_shares_are_those_promised() -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 4000)
    score = np.round(y + rng.normal(size=4000), 1)
    policy = rh.Policy.from_hull(rh.roc_hull(y, score))
    review = rh.Review(max_share=0.123, prevalence=float(y.mean()))
    decided = policy.decide(score, review, key=np.arange(4000))
    assert np.mean(decided == "review") == pytest.approx(0.123, abs=0.01)
    point = policy.at(review)
    wrong = np.mean((decided == "positive")[decided != "review"] != y[decided != "review"])
    assert wrong == pytest.approx(point.error_rate, abs=0.01)
    with pytest.warns(UserWarning, match="condition states no prevalence"):
        policy.decide(score, rh.Review())


def test_a_range_is_decided_by_what_risks_least() -> None:
    policy = rh.Policy.from_hull(rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    review = rh.Review(cost_review=(0.1, 0.4), prevalence=0.5)
    with pytest.raises(rh.ImpreciseConditionError):
        policy.decide([0.8], review)
    assert set(policy.decide([0.95, 0.75, 0.1], review, minimax=True, key=[1, 2, 3])) == {
        "positive",
        "review",
        "negative",
    }
