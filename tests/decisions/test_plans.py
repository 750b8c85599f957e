"""Plans of all kinds, one inside of another: deciding, SQL, what they need, what they warn of."""

from __future__ import annotations

import warnings
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

import rochull as rh
from plan_cases import CLASSES, FIRST, KINDS, LAST, PLANS, A, B, cases
from rochull.conditions.review_rules import BandRule
from rochull.conditions.rules import NEVER, OperatingPoint
from rochull.decisions.decider import PlanDecider
from rochull.decisions.plans import Among, Ask, Decide, Largest, Lot, Plan
from rochull.dialects.registry import names


def by_duckdb(text: str, rows: pl.DataFrame) -> list[Any]:
    """What an expression gives for each row."""
    with duckdb.connect() as connection:
        connection.register("rows", rows.to_arrow())
        return [value for (value,) in connection.sql(f"SELECT {text} FROM rows").fetchall()]


def by_case(plan: Plan, row: dict[str, Any], chosen: Any) -> Any:
    """The plainest reading of a plan: row by row; `chosen` says which part of a lot decides it."""
    match plan:
        case Decide(rule) if isinstance(rule, BandRule):
            high, low = (by_case(Decide(part), row, chosen) for part in (rule.high, rule.low))
            return "positive" if high else "review" if low else "negative"
        case Decide(rule):
            if rule.constant is not None:
                return bool(rule.constant)
            score = row[str(rule.classifier)]
            return score <= rule.threshold if rule.lower_is_positive else score >= rule.threshold
        case Ask(classifier, edges, branches):
            return by_case(branches[sum(row[classifier] >= edge for edge in edges)], row, chosen)
        case Lot(plans, shares):
            return by_case(plans[chosen(shares, row["key"])], row, chosen)
        case Among(bins, branches, elsewhere):
            code = int(bins.assign({name: [row[str(name)]] for name in bins.columns})[0])
            return by_case((*branches, elsewhere)[code], row, chosen)
        case Largest(labels, weights):
            products = [weight * row[label] for label, weight in zip(labels, weights, strict=True)]
            return labels[products.index(max(products))]
    raise AssertionError(plan)


def chosen(shares: tuple[float, ...], key: int) -> int:
    import hashlib

    drawn = int(hashlib.md5(f"salt:{key}".encode()).hexdigest()[:8], 16) / 2**32
    return sum(drawn < sum(shares[i:]) for i in range(1, len(shares)))


@pytest.mark.parametrize("name", PLANS)
def test_it_decides_row_by_row_and_sql_alike(name: str) -> None:
    plan, table = PLANS[name], cases()
    decider = PlanDecider(plan.classifiers, tuple(plan.features), "salt")
    expected = [by_case(plan, row, chosen) for row in table.iter_rows(named=True)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if plan.features else "error")  # cases elsewhere are told
        found = decider.decided(plan, table, key="key")
    assert found.tolist() == expected
    assert by_duckdb(decider.expressed(plan, "duckdb", key="key"), table) == expected
    for each in names():
        assert decider.expressed(plan, each, key="key") if each not in ("tsql", "oracle") else True


def test_several_classes_can_have_segments() -> None:
    """A policy of several classes gives plans, which stand under segments as any other plan does."""
    outputs, labels = cases().select(CLASSES).to_numpy() + 0.01, np.arange(300) % 3
    policy = rh.multiclass.MulticlassPolicy.from_points(
        rh.MulticlassRoc(np.array(CLASSES)[labels], outputs, classes=CLASSES).points_at(
            [[1, 1, 1], [1, 3, 2]]
        )
    )
    plan = Among(KINDS, (policy.plan([1, 1, 1]), policy.plan([1, 3, 2])), policy.plan("max_error"))
    table = cases().with_columns(**{name: outputs[:, i] for i, name in enumerate(CLASSES)})
    decider = PlanDecider(CLASSES, ("kind",), "")
    with pytest.warns(UserWarning, match="never seen in training"):
        found = decider.decided(plan, table)
    for kind, condition in (("x", [1, 1, 1]), ("y", [1, 3, 2]), ("z", "max_error")):
        own = table["kind"].to_numpy() == kind
        assert found[own].tolist() == policy.decide(outputs[own], condition).tolist()
    assert by_duckdb(decider.expressed(plan, "duckdb"), table) == found.tolist()


def test_cases_in_no_segment_are_refused_or_decided() -> None:
    plan, table = Among(KINDS, (Decide(A), Decide(B))), cases()
    decider = PlanDecider(("a", "b"), ("kind",), "")
    with pytest.raises(ValueError, match=r"aux: .* never seen in training, the first at index"):
        decider.decided(plan, table)
    point = OperatingPoint(0.0, 0.0, ((NEVER, 1.0),))
    with pytest.warns(UserWarning, match="unseen decides them"):
        found = decider.decided(plan, table, unseen=point)
    assert not found[table["kind"].to_numpy() == "z"].any()
    with pytest.raises(ValueError, match="unseen must be"):
        decider.decided(plan, table, unseen="never")


def test_what_a_plan_needs() -> None:
    plan = PLANS["segments that ask"]
    assert plan.classifiers == ("a", "b")
    assert plan.features == {"kind": True}
    assert (plan.asks, plan.is_mixed, plan.can_review, plan.refuses) == (True, True, False, False)
    assert [draw.is_mixed for draw in plan.drawn()] == [False, False]
    assert plan.drawn()[0] != plan.drawn()[1]
    assert Among(KINDS, (FIRST, LAST)).refuses
    assert Among(KINDS, (FIRST, LAST)).classes == CLASSES
    with pytest.raises(ValueError, match="there are 2 segments, but 1 plans"):
        Among(KINDS, (FIRST,))


def test_scores_rounded_past_an_edge_are_told() -> None:
    plan = Ask("a", (0.7,), (Decide(NEVER), Decide(B)))
    table = {"a": np.array([0.7, 0.8], np.float32), "b": np.array([0.0, 0.0])}
    with pytest.warns(UserWarning, match="1 of 2 cases have a threshold of the policy as their score"):
        assert PlanDecider(("a", "b"), (), "").decided(plan, table).tolist() == [False, True]
