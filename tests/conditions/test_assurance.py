"""Limits that the population keeps with a confidence: against a slow twin, and in simulation."""

import functools
import itertools
import math
from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from rochull.conditions.assurance import assured_points, first_tested
from rochull.conditions.frontier import Frontier
from rochull.hull.curve import RocCurve, single_thresholds

# --- the twin -------------------------------------------------------------------------------------


@functools.cache
def tail(errors: int, cases: int, share: F) -> F:
    """P(Binomial(cases, share) <= errors), added up."""
    terms = (math.comb(cases, j) * share**j * (1 - share) ** (cases - j) for j in range(errors + 1))
    return sum(terms, F(0))


def first_passes(y: list[list[int]], first: int, share: F, shortfall: F) -> set[bool]:
    """Whether the first so many cases pass, ties being shuffled: what can be."""
    top, i = [], 0
    while len(top) + len(y[i]) <= first:
        top, i = top + y[i], i + 1
    draws = list(itertools.combinations(y[i], first - len(top)))
    return {tail((top + list(d)).count(0), first, share) <= shortfall for d in draws}


def walk(y: list[list[int]], share: F, shortfall: F) -> list[set[int]]:
    """The thresholds that are assured a precision of 1 - share, as how many are called positive; all that can be."""
    total = sum(map(len, y))
    first = min(first_tested(share, shortfall), total - 1)
    begun = first_passes(y, first, share, shortfall)
    found, called = set(), []
    for group in y:
        called = called + group
        if len(called) > first:
            if tail(called.count(0), len(called), share) > shortfall:
                break
            found.add(len(called))
    return [found if passed else set() for passed in begun]


def frontier_of(y: list[list[int]]) -> tuple[Frontier, RocCurve]:
    labels = [label for group in y for label in group]
    scores = [-i for i, group in enumerate(y) for _ in group]
    curve = rh.roc_curve(labels, scores)
    return curve.frontier, curve


groups = st.lists(st.lists(st.sampled_from([1, 1, 1, 0]), min_size=1, max_size=4), min_size=4, max_size=14)


@given(y=groups, limit=st.sampled_from([0.3, 0.5, 0.6, 0.75]), confidence=st.sampled_from([0.5, 0.8, 0.9]))
def test_a_walk_against_the_twin(y: list[list[int]], limit: float, confidence: float) -> None:
    labels = [label for group in y for label in group]
    if not 0 < sum(labels) < len(labels):
        return
    frontier, curve = frontier_of(y)
    share, shortfall = 1 - F(str(limit)), 1 - F(str(confidence))
    precision = rh.Precision().at_prevalence(rh.RocHull.from_curve(curve).prevalence) >= limit
    try:
        found = assured_points([precision], frontier, confidence)
    except rh.InfeasibleConditionError:
        assert len(labels) <= math.log(shortfall) / math.log(limit) + 1
        return
    called = {int(frontier.fp[i] + frontier.tp[i]) for i in found}
    assert called in walk(y, share, shortfall)
    # The points that gain a positive, and those before them, are enough, if one lies beyond the first test.
    few = single_thresholds(curve).frontier
    best = max((int(few.tp[i]) for i in assured_points([precision], few, confidence)), default=0)
    assert best == max((int(frontier.tp[i]) for i in found), default=0) or best == 0


def test_the_first_test_is_made_where_it_can_pass() -> None:
    for share, shortfall in itertools.product(
        (F(1, 100), F(4, 10), F(9, 10), F(99, 100)), (F(1, 10), F(1, 1000))
    ):
        assert tail(0, first_tested(share, shortfall), share) <= shortfall


# --- each kind of limit ----------------------------------------------------------------------------


def sample(
    seed: int, n: int = 1000, prevalence: float = 0.3, digits: int = 9
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < prevalence).astype(int)
    return y, np.round(rng.normal(size=n) + 1.2 * y, digits)


def held(y: np.ndarray, score: np.ndarray) -> rh.RocHull:
    return rh.RocHull.from_curve(rh.roc_curve(y, score))


@pytest.mark.parametrize("seed", range(3))
def test_limits_by_order_statistics(seed: int) -> None:
    y, score = sample(seed)
    made = held(y, score)
    n, negatives = len(y), int(np.sum(y == 0))
    point = made.at(rh.Capacity(fraction=0.1, confidence=0.9))
    called = int(np.sum(score >= point.rules[0][0].threshold))
    most = int(scipy.stats.binom.ppf(0.1, n, 0.1)) - 1
    assert called <= most
    assert np.sum(score >= np.sort(score)[::-1][most]) > most  # the next threshold calls too many
    # Limits that break in one order share nothing: each is as by itself.
    both = [rh.FalsePositiveRate() <= 0.05, rh.AlarmRate() <= 0.1]
    alone = [made.at(rh.Within(rh.Recall(), limit, 0.9)).tpr for limit in both]
    assert made.at(rh.Within(rh.Recall(), both, confidence=0.9)).tpr == min(alone)
    assert alone[0] == made.at(rh.NeymanPearson(0.05, confidence=0.9)).tpr
    # From two sides, each has one half of the shortfall.
    point = made.at(
        rh.Within(rh.FalsePositiveRate(), [rh.Recall() >= 0.3, rh.FalsePositiveRate() <= 0.3], 0.9)
    )
    assert point.tpr == made.at(rh.MinimumRecall(0.3, confidence=0.95)).tpr
    assert point.fpr * negatives <= rh.NeymanPearson(0.3, confidence=0.95).allowed_errors(negatives)


def test_what_is_no_share_of_the_examples_is_bounded_everywhere() -> None:
    y, score = sample(1, 20_000)
    made = held(y, score)
    n_pos, n_neg = int(y.sum()), int(np.sum(y == 0))
    off = math.sqrt(math.log(2 / 0.1) / 2)  # a rate too high and one too low
    fpr, tpr = made.curves[None].fpr, made.curves[None].tpr
    down, up = off / math.sqrt(n_pos), off / math.sqrt(n_neg)
    met = (0.2 * (tpr - down) * 0.5 >= 0.5 * 0.8 * (fpr + up)) & (fpr + tpr > 0)
    assert made.at(rh.MinimumPrecision(0.5, 0.2, confidence=0.9)).tpr == tpr[met].max()
    cost = rh.ExpectedCost(cost_fn=2, prevalence=0.2)
    met = 0.8 * (fpr + up) + 0.4 * (1 - tpr + down) <= 0.4
    found = made.at(rh.Within(rh.Recall(), cost.question.objective <= 0.4, confidence=0.9))
    assert found.tpr == tpr[met].max()
    down, up = (math.sqrt(math.log(3 / 0.1) / 2 / n) for n in (n_pos, n_neg))
    met = (0.2 * (tpr - down) * 0.5 >= 0.5 * 0.8 * (fpr + up)) & (fpr + tpr > 0)
    met &= 0.2 * (tpr + down) + 0.8 * (fpr + up) <= 0.3  # the true positive rate from both sides
    both = [rh.Precision(0.2) >= 0.5, rh.AlarmRate(0.2) <= 0.3]
    assert made.at(rh.Within(rh.Recall(), both, confidence=0.9)).tpr == tpr[met].max()
    with pytest.raises(rh.InfeasibleConditionError, match="no threshold is assured to keep it by these"):
        made.at(rh.Within(rh.Recall(), cost.question.objective <= 0.1, confidence=0.9))


def test_what_is_refused() -> None:
    y, score = sample(2, 60)
    with pytest.raises(ValueError, match=r"^confidence needs every threshold for a limit on the precision"):
        replace(rh.roc_hull(y, score), curves={}).at(rh.MinimumPrecision(0.5, confidence=0.9))
    made = held(y, score)
    with pytest.raises(
        rh.InfeasibleConditionError, match="with 60 examples: no number of examples is enough"
    ):
        made.at(rh.MinimumPrecision(1, confidence=0.9))
    with pytest.raises(rh.InfeasibleConditionError, match="with 60 examples: it takes at least 231"):
        made.at(rh.MinimumPrecision(0.99, confidence=0.9))
    for kind in (
        rh.MinimumPrecision(0.5),
        rh.Capacity(fraction=0.1),
        rh.Within(rh.Recall(), rh.Recall() >= 0.1),
    ):
        with pytest.raises(ValueError, match=r"^confidence must lie strictly between 0 and 1"):
            kind.question.with_confidence(1)
        weighted = rh.RocHull.from_curve(rh.roc_curve(y, score, sample_weight=np.ones(60)))
        with pytest.raises(ValueError, match=r"^confidence needs the hull of one classifier"):
            weighted.at(kind.question.with_confidence(0.9))
    with pytest.raises(ValueError, match="which a batch keeps"):
        rh.Capacity(cases=5, confidence=0.9)
    once = rh.Within(rh.Recall(), rh.Recall() >= 0.1, confidence=0.9)
    assert rh.Within(once, rh.FalsePositiveRate() <= 0.5).confidence == 0.9
    with pytest.raises(ValueError, match=r"^confidence is 0.8, but"):
        rh.Within(once, rh.FalsePositiveRate() <= 0.5, confidence=0.8)


# --- the promise ------------------------------------------------------------------------------------


def broken_by(point: Any, prevalence: float, limits: list[Any], shift: float = 1.2) -> bool:
    threshold = point.rules[0][0].threshold
    if threshold is None:
        return False
    rates = scipy.stats.norm.sf(threshold), scipy.stats.norm.sf(threshold - shift)
    return any(not limit.at_prevalence(prevalence).is_met(*map(F, map(float, rates))) for limit in limits)


CASES = {
    "precision": [rh.Precision() >= 0.6],
    "share": [rh.AlarmRate() <= 0.1],
    "precision and FPR": [rh.Precision() >= 0.6, rh.FalsePositiveRate() <= 0.08],
    "three": [rh.Precision() >= 0.5, rh.AlarmRate() <= 0.25, rh.Recall() >= 0.3],
}


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("classifiers", [1, 4])
def test_violations(name: str, classifiers: int) -> None:
    """Of the best of several classifiers too; continuous scores and rounded ones in turn."""
    rng, runs, limits = np.random.default_rng(3), 250, CASES[name]
    condition, broken = rh.Within(rh.Recall(), limits, confidence=0.9), 0
    for i in range(runs):
        y = (rng.random(500) < 0.3).astype(int)
        hybrid = rh.Hybrid()
        for j in range(classifiers):
            hybrid.add(f"c{j}", y, np.round(rng.normal(size=500) + 1.2 * y, 9 if i % 2 else 1))
        try:
            broken += broken_by(hybrid.at(condition), 0.3, limits)
        except rh.InfeasibleConditionError:
            continue
    assert broken <= runs * 0.1 + 3 * math.sqrt(runs * 0.09)


@pytest.mark.long
def test_violations_where_the_precision_goes_up_and_down() -> None:
    """The share of positives falls below the limit at the top and again further down; ties there or not."""
    rng, runs, n = np.random.default_rng(4), 3_000, 300
    chance, limit = np.array([0.55, 0.75, 0.45, 0.6, 0.3]), 0.6
    weight = np.array([0.1, 0.1, 0.2, 0.2, 0.4])
    for tied in (False, True):
        broken = 0
        for _ in range(runs):
            part = rng.choice(5, n, p=weight)
            depth = np.zeros(n) if tied else rng.random(n)
            y = (rng.random(n) < chance[part]).astype(int)
            try:
                point = held(y, -(part + depth)).at(rh.MinimumPrecision(limit, confidence=0.9))
            except rh.InfeasibleConditionError:
                continue
            end = -point.rules[0][0].threshold
            share = np.clip(end - np.arange(5) + tied, 0, 1) * weight
            broken += share @ chance / share.sum() < limit - 1e-12
        assert broken <= runs * 0.1 + 3 * math.sqrt(runs * 0.09)
