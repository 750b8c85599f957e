"""Places of rows in the order in which they come, beside sorting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rochull.cli.case_order import (
    LAST,
    BestFirst,
    Kept,
    MostWorthReview,
    ordered_places,
    score_at,
    score_steps,
)
from rochull.conditions.rules import ALWAYS, NEVER, Rule, Scores
from rochull.policies.batch_ranges import ScoreSteps

VALUES = st.lists(
    st.floats(allow_nan=False) | st.sampled_from([0.0, -0.0, 1.0, 1.0 + 2**-52]), min_size=1, max_size=30
)


@given(VALUES, st.booleans())
def test_places_are_in_the_order_of_scores(values: list[float], lower: bool) -> None:
    scores = np.array(values)
    place = ordered_places(scores, lower)
    better = scores[:, None] < scores if lower else scores[:, None] > scores
    assert ((place[:, None] < place) == better).all()
    assert [score_at(int(each), lower) for each in place] == values
    assert place.max() < LAST
    assert np.isnan(score_at(LAST - 1, lower))


@st.composite
def orders(draw: st.DrawFn) -> tuple[Any, list[tuple[int, float]], list[float]]:
    """An order, and for each score the range and how far it is from the end at which that begins."""
    lower = draw(st.booleans())
    ends = np.unique(np.array(draw(VALUES)) + 0.0)[:: 1 if lower else -1]
    steps = ScoreSteps(ends, lower)
    values = draw(VALUES | st.just([float(end) for end in ends]))
    values = [*values, *[float("nan")] * draw(st.integers(0, 2))]
    size = ends.size + 1
    turn, start = np.array(draw(st.permutations(range(size)))), draw(st.integers(0, size))
    order = draw(
        st.sampled_from([BestFirst(steps), MostWorthReview(steps, turn, start, draw(st.integers(0, size)))])
    )
    keys = []
    for value in values:
        gone = value != value  # noqa: PLR0124
        missed = size - 1 if gone else sum(value > end if lower else value < end for end in ends.tolist())
        far = np.inf if gone else value if lower else -value
        if isinstance(order, BestFirst):
            keys.append((int(gone), far))
        else:
            backwards = missed < start
            # Nothing is worse than the worst score but none.
            keys.append((int(turn[missed]), ((-far, not gone) if backwards else (far, gone))))  # type: ignore[arg-type]
    return order, keys, values


@given(orders(), st.data())
def test_an_order_is_that_of_ranges_and_of_scores_in_them(
    drawn: tuple[Any, list[Any], list[float]], data: st.DataObject
) -> None:
    order, keys, values = drawn
    scores = Scores(np.array(values))
    place = order.places(scores).tolist()
    for i, own in enumerate(keys):
        for j, other in enumerate(keys):
            assert (place[i] < place[j]) == (own < other), (values[i], values[j])
    end = data.draw(st.sampled_from([*place, LAST - 1]))
    within = order.within(scores, end).tolist()
    assert {i for i, each in enumerate(place) if each <= end and each < LAST} <= set(within)
    assert order.missed(scores).max() < order.turn.size


@given(orders(), st.integers(0, 12), st.integers(1, 40), st.data())
def test_what_is_kept_has_all_that_come_first(
    drawn: tuple[Any, Any, list[float]], cases: int, most: int, data: st.DataObject
) -> None:
    order, _, values = drawn
    scores = Scores(np.array(values))
    place = order.places(scores)
    kept = Kept(order, cases, most, order.end)
    for part in np.array_split(np.arange(len(values)), data.draw(st.integers(1, 5))):
        rows, own = kept.candidates(scores.at(part))
        kept.add(part[rows], own, np.zeros(rows.size))
    inside = np.sort(place[place <= np.uint64(max(order.end, 0))]) if order.end >= 0 else place[:0]
    if kept.is_full:
        assert inside.size > most
        return
    rows, own, _ = kept.first
    assert np.sort(own)[:cases].tolist() == inside[:cases].tolist()
    assert (place[rows] == own).all()
    assert rows.size <= max(most, 1)


def test_rules_that_do_not_descend_have_no_steps() -> None:
    never, always = NEVER, ALWAYS
    one, two = (Rule("threshold", "s", t) for t in (2.0, 1.0))
    assert score_steps([never, one, two, always]) is not None
    assert score_steps([never, two, one, always]) is None
    assert score_steps([never, one, Rule("threshold", "t", 1.0), always]) is None
    assert score_steps([never, always]) is None
    assert score_steps([never, one, two]) is None
    assert score_steps([never, Rule("threshold", "s", 2**53 + 1), always]) is None


@pytest.mark.parametrize("lower", [False, True])
def test_no_review_pays(lower: bool) -> None:
    steps = ScoreSteps(np.array([1.0, 2.0] if lower else [2.0, 1.0]), lower)
    order = MostWorthReview(steps, np.array([1, 0, 2]), 1, 0)
    kept = Kept(order, 3, 10, order.end)
    assert kept.candidates(Scores(np.array([1.5, 0.5])))[0].size == 0
