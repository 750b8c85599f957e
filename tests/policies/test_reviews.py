"""Reviews as a number of cases: the best way to spend them on a batch, against all ways there are."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from profiles import tries
from refusals import refuses
from rochull.conditions.ranges import exact

WORDS = "negative", "positive", "review"


def posteriors(y: Any, score: Any, share: Fraction, new: Any) -> list[Fraction]:
    """Of each new score, that of the PAV block it falls into, at a prevalence; of blocks merged one by one."""
    blocks: list[list[Any]] = []  # low, pos, neg
    for level in sorted({*score}, reverse=True):
        labels = [label for label, s in zip(y, score, strict=True) if s == level]
        blocks.append([level, sum(labels), len(labels) - sum(labels)])
        while len(blocks) > 1 and blocks[-2][1] * blocks[-1][2] <= blocks[-1][1] * blocks[-2][2]:
            low, pos, neg = blocks.pop()
            blocks[-1] = [low, blocks[-1][1] + pos, blocks[-1][2] + neg]
    n_pos = sum(y)
    found = []
    for s in new:
        _, pos, neg = next((block for block in blocks if s >= block[0]), blocks[-1])
        a, b = share * Fraction(pos, n_pos), (1 - share) * Fraction(neg, len(y) - n_pos)
        found.append(a / (a + b))
    return found


def costs_of(review: rh.Review, p: Fraction) -> dict[str, Fraction]:
    """What each action costs with a case that is positive with this probability."""
    fp, fn, passed = (exact(getattr(review, name)) for name in ("cost_fp", "cost_fn", "cost_review"))
    false, true = map(exact, review.reviewer or (0, 1))
    errs = (1 - p) * fp * false + p * fn * (1 - true)
    return {"negative": p * fn, "positive": (1 - p) * fp, "review": passed + errs}


def least(review: rh.Review, chances: list[Fraction], most: int) -> Fraction:
    """The least cost of all ways to decide the cases with so many reviews."""
    each = [costs_of(review, p) for p in chances]
    return min(
        sum((own[word] for own, word in zip(each, words, strict=True)), Fraction(0))
        for words in itertools.product(WORDS, repeat=len(each))
        if words.count("review") <= most
    )


@st.composite
def problems(draw: st.DrawFn) -> tuple[Any, ...]:
    n = draw(st.integers(2, 9))
    y = [1, 0, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))]
    score = draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    new = draw(st.lists(st.integers(-1, 6), min_size=1, max_size=6))
    review = rh.Review(
        *(draw(st.sampled_from([0.5, 1, 3])) for _ in "pn"),
        cost_review=draw(st.sampled_from([0, 0.1, 0.3, 1])),
        prevalence=draw(st.sampled_from([0.1, 0.5, 0.8])),
        reviewer=draw(st.sampled_from([None, (0.1, 0.9)])),
        max_cases=draw(st.sampled_from([0, 1, 2, 3.5, 10])),
    )
    return y, score, new, review


@tries(150)
@given(problems(), st.sampled_from(["score", "lot"]))
def test_so_many_reviews_are_spent_as_well_as_they_can(problem: Any, order: Any) -> None:
    y, score, new, review = problem
    policy = rh.Policy.from_hull(rh.roc_hull(y, score))
    keys = list(range(len(new)))
    decided = policy.decide(new, review, key=keys, order=order)
    chances = posteriors(y, score, exact(review.prevalence), new)
    each = [costs_of(review, p) for p in chances]
    most = int(review.max_cases)
    paid = sum((own[word] for own, word in zip(each, decided, strict=True)), Fraction(0))
    assert paid == least(review, chances, most)
    pays = [own["review"] < min(own["negative"], own["positive"]) for own in each]
    assert np.count_nonzero(decided == "review") == min(most, sum(pays))
    found = policy.rank(new, review, key=keys, order=order)
    assert found.called.tolist() == (decided == "review").tolist()
    assert sorted(found.rank) == [i + 1 for i in keys]
    assert found.probability == pytest.approx([float(p) for p in chances])
    saved = [min(own["negative"], own["positive"]) - own["review"] for own in each]
    in_turn = [saved[i] for i in np.argsort(found.rank)]
    assert in_turn == sorted(in_turn, reverse=True)
    single = policy.decide(new, review, key=keys, deterministic=True)
    for p in {*chances}:  # whole blocks
        assert len({single[i] for i in keys if chances[i] == p}) == 1
    assert np.count_nonzero(single == "review") <= most


RNG = np.random.default_rng(0)
Y = RNG.random(2000) < 0.3
SCORES = {"a": RNG.normal(1.0 * Y).round(1), "b": RNG.normal(1.5 * Y).round(2)}
BOTH = rh.Hybrid().add("a", Y, SCORES["a"]).add("b", Y, SCORES["b"]).policy()
NEW = {"a": RNG.normal(0.3, 1.1, 1000).round(1), "b": RNG.normal(0.4, 1.2, 1000).round(2)}
TEAM = rh.Review(cost_fn=3, cost_review=0.1, prevalence=0.3, max_cases=50)
KEYS = np.arange(1000)


def test_exactly_so_many_next_to_the_threshold() -> None:
    for cases in (0, 1, 7, 50, 133.9, 2000):
        team = rh.Review(cost_fn=3, cost_review=0.1, prevalence=0.3, max_cases=cases)
        decided = BOTH.decide(NEW, team, key=KEYS)
        reviewed = decided == "review"
        own = team.question.as_share_of(1000).best_of(BOTH.hull.alone())[0]
        column = NEW[own.classifiers[0]]
        assert np.count_nonzero(reviewed) == int(cases) or cases == 2000
        plain = rh.Policy.from_hull(own).decide(column, rh.ExpectedCost(cost_fn=3, prevalence=0.3))
        assert ((decided == "positive") == plain)[~reviewed].all()
        if 0 < reviewed.sum() < 1000:
            inside = (column > column[reviewed].min()) & (column < column[reviewed].max())
            assert reviewed[inside].all()  # an interval of scores, of whose ends a part


def test_the_classifier_is_the_one_that_is_best_with_as_many_reviews() -> None:
    ties = dict.fromkeys(("a", "b"))
    for cases in (10, 200, 1000):
        team = rh.Review(cost_fn=3, prevalence=0.3, max_cases=cases)
        shared = BOTH.at(rh.Review(cost_fn=3, prevalence=0.3, max_share=cases / 1000))
        (name,) = shared.classifiers
        ties[name] = True
        alone = {n: column if n == name else np.zeros(1000) for n, column in NEW.items()}
        np.testing.assert_array_equal(
            BOTH.decide(alone, team, key=KEYS) == "review", BOTH.decide(NEW, team, key=KEYS) == "review"
        )
    assert ties["b"]


def test_the_prevalence_missing_scores_and_the_empty_batch() -> None:
    unsaid = rh.Review(cost_fn=3, max_cases=5)
    with pytest.warns(UserWarning, match="condition states no prevalence"):
        decided = BOTH.decide(NEW, unsaid, key=KEYS)
    stated = rh.Review(cost_fn=3, max_cases=5, prevalence=float(Y.mean()))
    np.testing.assert_array_equal(BOTH.decide(NEW, stated, key=KEYS), decided)
    estimated = BOTH.decide(NEW, unsaid, key=KEYS, prevalence="estimate")
    assert np.count_nonzero(estimated == "review") == 5
    gone = {**NEW, "b": np.where(KEYS < 10, np.nan, NEW["b"])}
    with pytest.warns(UserWarning, match=r"scores\['b'\] has 10 missing values"):
        decided = BOTH.decide(gone, TEAM, key=KEYS)
    assert set(decided[:10]) == {"negative"}
    assert np.count_nonzero(decided == "review") == 50
    assert BOTH.decide({"a": [], "b": []}, TEAM).tolist() == []
    low = rh.Policy.from_hull(rh.roc_hull(Y, -SCORES["b"], lower_is_positive=True))
    high = rh.Policy.from_hull(rh.roc_hull(Y, SCORES["b"]))
    np.testing.assert_array_equal(
        low.decide(-NEW["b"], TEAM, key=KEYS), high.decide(NEW["b"], TEAM, key=KEYS)
    )


@pytest.mark.parametrize("prevalence", [0, 1])
def test_of_one_class_nothing_is_reviewed(prevalence: int) -> None:
    team = rh.Review(prevalence=prevalence, max_cases=5)
    assert "review" not in BOTH.decide(NEW, team, key=KEYS)
    assert set(BOTH.rank(NEW, team, key=KEYS).probability) == {prevalence}
    assert set(BOTH.rank(NEW, rh.Capacity(cases=5, prevalence=prevalence)).probability) == {prevalence}


def test_what_is_refused() -> None:
    for name, value in (("max_share", 0.1), ("max_error", 0.1)):
        refuses(f"max_cases, .* and {name} exclude", rh.Review, max_cases=5, **{name: value})
    refuses("max_cases", rh.Review, max_cases=-1)
    refuses(r"max_cases=50 is kept by a batch as a whole .* give max_share", BOTH.at, TEAM)
    refuses(r"max_cases=50 is kept by a batch as a whole", BOTH.to_sql, TEAM, "duckdb")
    refuses(r"max_cases=50 is kept by a batch as a whole", rh.roc_hull(Y, SCORES["a"]).at, TEAM)
    refuses("order must be", BOTH.decide, NEW, TEAM, order="best")
    with pytest.raises(rh.ImpreciseConditionError):
        BOTH.decide(NEW, rh.Review(cost_review=(0.1, 0.2), max_cases=5, prevalence=0.3))
    assert "at most 50 cases of a batch reviewed" in TEAM.describe()
