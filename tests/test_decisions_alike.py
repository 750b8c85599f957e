"""Whoever decides by a rule decides alike: hull, policy, SQL in DuckDB, classifier, its judge, report and terminal.

The oracle compares exact numbers, one by one. Thresholds are scores of one type, and what is decided may be of
another: floats of every width, integers beyond 2**53, truth values, decimals, infinities, -0.0.
"""

import math
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator

import rochull as rh
from profiles import tries
from rochull.conditions.rules import OperatingPoint, Rule, outcome_by_row
from rochull.estimators.evaluation import HeldOut
from rochull.report.resampled import FixedRule

CONDITIONS = [
    rh.ExpectedCost(1, 3, 0.3),
    rh.Accuracy(0.6),
    rh.NeymanPearson(0.3),
    rh.Capacity(fraction=0.4, prevalence=0.3),
]
TYPES = ["float16", "float32", "float64", "int64", "uint64", "int8", "bool", "decimal"]
_NEAR = [0.1, -0.0, 0.0, 5e-324, 1e-45, 0.5, 1.0, 2.0**24, 2.0**53, math.inf, -math.inf, 65504.0, 1e300, -0.1]
_WHOLE = [0, 1, -1, 2**24 + 1, 2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, 2**63 - 1, 2**62 + 1, -(2**53) - 1]


class Given(ClassifierMixin, BaseEstimator):
    """Is trained already; its scores are those of the rows that are asked for."""

    def __init__(self, scores: Any = None) -> None:
        self.scores = scores
        self.classes_ = np.array([0, 1])
        self.is_fitted_ = True

    def fit(self, X: Any, y: Any) -> "Given":
        return self

    def decision_function(self, X: Any) -> Any:
        return self.scores[np.asarray(X)[:, 0].astype(int)]


@st.composite
def columns(draw: Any, kind: str, size: int) -> Any:
    """A column (n,) of a type, as a user may hold it; neighbours of a few numbers, so that ties are many."""
    if kind == "bool":
        return np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    if kind.startswith("float"):
        dtype = np.dtype(kind).type
        with np.errstate(over="ignore", under="ignore"):
            base = np.array(_NEAR).astype(dtype)
            around = np.concatenate(
                [base, np.nextafter(base, dtype(math.inf)), np.nextafter(base, dtype(-math.inf))]
            )
        return around[draw(st.lists(st.integers(0, around.size - 1), min_size=size, max_size=size))]
    if kind == "decimal":
        digits = st.sampled_from(["0.1", "0.10", "0.3", "-0.1", "0", "1", "0.30000000000000004", "7"])
        return [Decimal(text) for text in draw(st.lists(digits, min_size=size, max_size=size))]
    info = np.iinfo(kind)
    known = [n for n in [*_WHOLE, info.min, info.max] if info.min <= n <= info.max]
    return np.array(draw(st.lists(st.sampled_from(known), min_size=size, max_size=size)), kind)


def exactly(value: Any) -> Any:
    """A score as an exact number, or an infinity. A decimal stands for the nearest double."""
    number = float(value) if isinstance(value, Decimal) else value
    if not isinstance(value, (int, np.integer)) and math.isinf(number):
        return float(number)
    return Fraction(int(value)) if isinstance(value, (int, np.integer)) else Fraction(float(number))


def oracle(rule: Rule, scores: Any) -> np.ndarray:
    """Whether the rule calls each case positive, by exact comparisons."""
    if rule.constant is not None:
        return np.full(len(scores), bool(rule.constant))
    assert rule.threshold is not None
    threshold = exactly(rule.threshold)
    if rule.lower_is_positive:
        return np.array([exactly(score) <= threshold for score in scores])
    return np.array([exactly(score) >= threshold for score in scores])


def has_negatives(scores: Any) -> bool:
    """Whether all scores, negated, are numbers of 64 bits."""
    known = np.asarray(as_numbers(scores))
    return bool(known.dtype.kind not in "iu" or (int(known.min()) > -(2**63) and int(known.max()) <= 2**63))


def as_numbers(scores: Any) -> np.ndarray:
    """Decimals as what they stand for."""
    return np.array([float(s) for s in scores]) if isinstance(scores, list) else scores


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


def in_duckdb(connection: Any, policy: rh.Policy, point: OperatingPoint, scores: Any) -> np.ndarray:
    """The policy's SQL over an Arrow table of the same column."""
    if isinstance(scores, list):
        column = pa.array(scores, pa.decimal128(38, 18))
    else:
        column = pa.array(scores.astype(np.float32) if scores.dtype == np.float16 else scores)
        if scores.dtype == bool:
            column = column.cast(pa.int8())  # truth values are no numbers in SQL
    connection.register("cases", pa.table({"i": np.arange(len(scores)), "score": column}))
    found = connection.execute(f"SELECT {policy.to_sql(point, 'duckdb')} FROM cases ORDER BY i")
    return np.array([row[0] for row in found.fetchall()])


KIND = st.sampled_from(TYPES)


@pytest.mark.long
@given(KIND, KIND, st.booleans(), st.data())
@tries(200)
def test_hull_policy_judges_and_sql_decide_alike(
    database: Any, known: str, fresh: str, lower: bool, data: Any
) -> None:
    learnt, cases = data.draw(columns(known, 12)), data.draw(columns(fresh, 12))
    y = np.array([*data.draw(st.lists(st.integers(0, 1), min_size=10, max_size=10)), 0, 1])
    if lower and not has_negatives(learnt):
        with pytest.raises(ValueError, match="whose negative does not fit 64 bits"):
            rh.roc_hull(y, as_numbers(learnt), lower_is_positive=True)
        return
    hull = rh.roc_hull(y, as_numbers(learnt), lower_is_positive=lower)
    policy = rh.Policy.from_json(rh.Policy.from_hull(hull).to_json())
    assert [policy.at(c).rules for c in CONDITIONS] == [hull.named("score").at(c).rules for c in CONDITIONS]
    for at, ((rule, *_), (named, *_)) in enumerate(zip(hull.owners, policy.hull.owners, strict=True)):
        alone = OperatingPoint(0.0, 0.0, ((named, 1.0),))
        for scores in (learnt, cases):
            expected = oracle(rule, scores)
            np.testing.assert_array_equal(policy.decide(scores, alone), expected)
            np.testing.assert_array_equal(in_duckdb(database, policy, alone, scores), expected)
            fixed = FixedRule(alone, None, {"score": as_numbers(scores)}, 12)
            np.testing.assert_array_equal(fixed.called, expected)
            rows = np.zeros(12, int), {"score": (np.arange(12), fixed._of("score"))}
            np.testing.assert_array_equal(outcome_by_row([named], *rows) == 1, expected)
        called = oracle(rule, learnt)
        rates = called[y == 0].mean(), called[y == 1].mean()
        assert (hull.fpr[at], hull.tpr[at]) == pytest.approx(rates)
        held = HeldOut(y == 1, None, lambda _: as_numbers(learnt))
        assert held.rates(alone) == pytest.approx(rates)


@pytest.mark.long
@given(st.sampled_from(TYPES[:-1]), st.booleans(), st.data())
@tries(40)
def test_classifier_report_and_terminal_decide_alike(kind: str, lower: bool, data: Any) -> None:
    scores, y, X = data.draw(columns(kind, 12)), np.array([0, 1] * 6), np.arange(12)[:, None]
    lower = lower and has_negatives(scores)
    model = rh.RocchClassifier([("score", FrozenEstimator(Given(scores)))], cv=2).fit(X, y)
    hybrid = rh.Hybrid().add("score", y, scores, curve=True, lower_is_positive=lower)
    for condition in CONDITIONS:
        point = hybrid.at(condition, deterministic=True)
        ((rule, _),) = point.rules
        expected = oracle(rule, scores)
        # Of a classifier of scikit-learn high scores are positive; one that is never needed is not trained.
        if not lower and model.estimators_:
            assert model.decision_rule(condition) == point
            np.testing.assert_array_equal(model.predict(X, condition), expected)
            np.testing.assert_array_equal(model.decision_function(X, condition) > 0, expected)
        rates = expected[y == 0].mean(), expected[y == 1].mean()
        assert (point.fpr, point.tpr) == pytest.approx(rates)
        folds = rh.report.Uncertainty(y, {"score": scores}, n_resamples=0, folds=np.arange(12) // 6)
        report = rh.Report(hybrid, condition, uncertainty=folds)
        told, chosen = report.facts["deterministic"], report.facts["chosen"]
        assert (told["fpr"], told["tpr"]) == (point.fpr, point.tpr)
        means = [report.facts["uncertainty"]["folds"]["chosen"][rate]["mean"] for rate in ("fpr", "tpr")]
        assert means == pytest.approx([chosen["fpr"], chosen["tpr"]])  # both folds are half of either class
        assert f"{round(chosen['confusion']['tp']):,}" in report.to_text()
