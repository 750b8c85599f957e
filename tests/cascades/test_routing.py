"""Routing between a cheap and a dear model, beside counting every threshold."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rochull as rh
from refusals import refuses

route = rh.cascades.route
QUESTIONS = st.lists(
    st.tuples(st.integers(0, 4), st.booleans(), st.booleans()), min_size=2, max_size=14
).filter(lambda rows: any(d > c for _, c, d in rows) and not all(d > c for _, c, d in rows))


def thresholds(rows: list[Any]) -> list[tuple[float, float, float]]:
    """Each threshold with its share of calls and of right answers, counted question by question."""
    scores = sorted({score for score, _, _ in rows}, reverse=True)
    found = []
    for threshold in [np.inf, *scores]:
        calls = [score >= threshold for score, _, _ in rows]
        right = [dear if call else cheap for call, (_, cheap, dear) in zip(calls, rows, strict=True)]
        found.append((threshold, float(np.mean(calls)), float(np.mean(right))))
    return found


@settings(max_examples=60, deadline=None)
@given(QUESTIONS, st.sampled_from([0.0, 0.1, 0.5]), st.sampled_from([None, 0.0, 0.3, 0.6]))
def test_no_threshold_is_better(rows: list[Any], price: float, most: float | None) -> None:
    score, cheap, dear = (list(column) for column in zip(*rows, strict=True))
    found = route(score, cheap, dear, price=price)
    every = thresholds(rows)
    point = found.at(max_calls=most)
    within = [row for row in every if most is None or row[1] <= most]
    assert point.net == pytest.approx(max(right - price * calls for _, calls, right in within))
    assert (point.threshold, point.calls, point.right) in [pytest.approx(row) for row in every]
    for calls, right in zip(found.calls, found.right, strict=True):  # the frontier is of thresholds
        assert any(abs(calls - c) + abs(right - r) < 1e-12 for _, c, r in every)
    reached = np.interp([calls for _, calls, _ in every], found.calls, found.right)
    assert (reached >= [right - 1e-12 for *_, right in every]).all()
    assert found.dear == pytest.approx(float(np.mean(dear)))


def test_the_shipped_questions() -> None:
    table = rh.datasets.load("routellm")
    found = route(table["characters"], table["weak"], table["strong"], price=0.15)
    assert (round(found.cheap, 3), round(found.dear, 3)) == (0.677, 0.81)
    policy = found.policy()
    share = rh.Capacity(fraction=0.3, prevalence=policy.hull.prevalence)
    asked = policy.decide(table["characters"], share, random_state=0)
    assert abs(asked.mean() - 0.3) < 0.01
    assert found.to_frame("pandas").columns.tolist() == ["threshold", "calls", "right"]


def test_what_cannot_be_routed_is_refused() -> None:
    refuses("dear differs from cheap in the same way on every", route, [1, 2], [0, 0], [1, 1])
    refuses("dear differs from cheap in the same way on every", route, [1, 2], [1, 1], [0, 0])
    refuses("cheap must say of each question", route, [1, 2], [2, 1], [1, 1])
    refuses("price must", route, [1, 2], [0, 1], [1, 1], price=-1)
