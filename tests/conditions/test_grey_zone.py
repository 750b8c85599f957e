"""The grey zone by predictive values, against all pairs of vertices, and all that decides by it."""

from fractions import Fraction
from itertools import product
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from profiles import tries
from rochull.conditions import GreyZone

SHARES = st.sampled_from(
    [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(3, 4), Fraction(9, 10), Fraction(1)]
)
EXAMPLES = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 9)), min_size=2, max_size=40)


def precision(neg: Fraction, pos: Fraction) -> Fraction | None:
    """The share of the second; None where there are none of either."""
    return pos / (neg + pos) if neg + pos else None


def narrowest(hull: rh.RocHull, zone: Any, p: Fraction) -> tuple[Fraction, Fraction]:
    """Of all pairs of vertices that keep both values the least share reviewed, and then the least error."""
    points = [hull.frontier.point(i) for i in range(len(hull))]
    found = []
    for (x, y), (u, v) in product(points, points):
        sure = precision((1 - p) * x, p * y)
        clear = precision(p * (1 - v), (1 - p) * (1 - u))
        if x <= u and y <= v and (sure is None or sure >= zone[0]) and (clear is None or clear >= zone[1]):
            found.append(((1 - p) * (u - x) + p * (v - y), (1 - p) * x + p * (1 - v)))
    return min(found)


@tries(200)
@given(examples=EXAMPLES, zone=st.tuples(SHARES, SHARES), prevalence=st.sampled_from([None, 0.1, 0.5]))
def test_the_narrowest_zone_between_two_vertices(examples: Any, zone: Any, prevalence: float | None) -> None:
    y, s = ([each[i] for each in examples] for i in (0, 1))
    if len(set(y)) < 2:
        return
    hull = rh.roc_hull(y, s)
    p = Fraction(sum(y), len(y)) if prevalence is None else Fraction(str(prevalence))
    asked = GreyZone(zone[0], zone[1], prevalence)
    point: Any = hull.at(asked, deterministic=True)
    reviewed, wrong = narrowest(hull, zone, p)
    assert point.review_rate == pytest.approx(float(reviewed), abs=1e-12)
    assert (1 - p) * Fraction(point.called[0]) + p * Fraction(
        1 - point.called[1] - point.reviewed[1]
    ) == pytest.approx(float(wrong), abs=1e-12)
    mixed: Any = hull.at(asked)  # an end within a block lets it be narrower, never wider
    assert mixed.review_rate <= point.review_rate + 1e-12
    sure = precision((1 - p) * Fraction(mixed.called[0]), p * Fraction(mixed.called[1]))
    passed = [1 - a - b for a, b in zip(mixed.called, mixed.reviewed, strict=True)]
    clear = precision(p * Fraction(max(passed[1], 0)), (1 - p) * Fraction(max(passed[0], 0)))
    shares = sum(mixed.called), sum(passed)  # what rounding leaves of nothing has no precision
    for value, least, share in zip((sure, clear), zone, shares, strict=True):
        assert value is None or value >= least - Fraction(1, 10**9) or share < 1e-12


def german() -> tuple[rh.RocHull, Any, Any]:
    table = rh.datasets.load("german_credit_scores")
    y = table["class"] == "bad"
    return rh.roc_hull(y, table["boosted"]), y, table["boosted"]


def test_it_is_decided_alike_by_point_policy_and_sql() -> None:
    hull, y, score = german()
    zone, policy = GreyZone(0.8, 0.9, 0.3), rh.Policy.from_hull(hull)
    found = policy.decide(score, zone, deterministic=True)
    point: Any = hull.at(zone, deterministic=True)
    assert found.tolist() == policy.decide(score, point).tolist()
    flagged, cleared = found == "positive", found == "negative"
    assert np.mean(y[flagged]) >= 0.8
    assert np.mean(~y[cleared]) >= 0.9
    assert np.mean(found == "review") == pytest.approx(point.review_rate)
    cases = pd.DataFrame({"score": score, "i": np.arange(len(score))})
    with duckdb.connect() as connection:
        connection.register("cases", cases)
        sql = policy.to_sql(zone, "duckdb", deterministic=True)
        rows = connection.execute(f"SELECT {sql} FROM cases ORDER BY i").fetchall()
    assert [row[0] for row in rows] == found.tolist()
    mixed = policy.decide(score, zone, key=np.arange(len(score)))
    assert np.mean(mixed == "review") <= np.mean(found == "review") + 0.02


def test_a_hybrid_takes_the_classifier_with_the_fewest_reviews() -> None:
    table = rh.datasets.load("german_credit_scores")
    names = ("boosted", "knn", "tree")
    hybrid, zone = rh.Hybrid(), GreyZone(0.7, 0.9)
    for name in names:
        hybrid.add(name, table["class"], table[name], pos_label="bad")
    alone: list[Any] = [hybrid.hulls[name].at(zone) for name in names]
    found: Any = hybrid.at(zone)
    assert found.review_rate == min(point.review_rate for point in alone)


def test_sides_that_are_never_sure_are_empty() -> None:
    hull = rh.roc_hull([0, 1, 0, 1], [4, 3, 2, 1])
    point: Any = hull.at(GreyZone(1, 1))
    assert (point.words, point.review_rate) == ("review always", 1.0)
    free: Any = hull.at(GreyZone(0, 0))
    assert (free.review_rate, free.error_rate) == (0, 0.5)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: GreyZone(1.2, 0.5), "min_precision must lie between 0 and 1, but is 1.2"),
        (lambda: GreyZone(0.5, -1), "min_npv must lie between 0 and 1, but is -1"),
        (lambda: GreyZone(0.5, 0.5, 1.0), "prevalence must lie strictly between 0 and 1"),
        (
            lambda: german()[0].at(GreyZone(0.5, 0.5)).expected_cost(GreyZone(0.5, 0.5, 0.3)),
            "has no costs to judge",
        ),
        (lambda: german()[0].review_frontier(GreyZone(0.5, 0.5, 0.1)), "must be a Review or an ExpectedCost"),
    ],
)
def test_what_is_refused(call: Any, told: str) -> None:
    with pytest.raises((ValueError, TypeError), match=told):
        call()


def test_it_is_told_in_words_and_code() -> None:
    from rochull.conditions.code import code

    zone = GreyZone(0.9, 0.95, 0.1)
    assert zone.describe().startswith("fewest reviews: a precision of at least 0.9 above them, a negative")
    assert eval(str(code(zone))) == zone
    with pytest.raises(
        TypeError, match="a GreyZone has a third action, and no costs: ask at, decide or to_sql"
    ):
        rh.Hybrid().add("s", [0, 1], [1, 2]).regret(zone)
    report: Any = None
    with pytest.raises((TypeError, ValueError), match="GreyZone"):
        report = rh.Report(rh.Hybrid().add("s", [0, 1], [1, 2]), zone)
    assert report is None
