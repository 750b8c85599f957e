"""One question has several spellings, and all of them find bitwise the same point.

A name (`NeymanPearson`), a measure within a limit, a name within another, keywords of `at`, and a utility where it can say
the same; alone or within more limits; mixed or a single rule; of one classifier or of a hybrid. Tables have ties,
weights and infinite scores. What is compared is the point with its rules, where it is from, and its prevalence; or the kind
of error.
"""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from profiles import some, tries

pytestmark = pytest.mark.filterwarnings(
    "ignore:no rule is the best within"
)  # a precision is only come near to

RECALL, FPR = rh.Recall(), rh.FalsePositiveRate()
SHARES = st.sampled_from([0.0, 0.1, 0.25, 1 / 3, 0.5, 0.8, 1.0]) | st.floats(0, 1)
# Halves of halves, whose complement is exact: a utility states both shares.
PREVALENCES = st.sampled_from([0.125, 0.25, 0.5, 0.75])
SCORES = st.sampled_from([-math.inf, -1.0, 0.0, 0.5, 1.0, 2.0, math.inf]) | st.floats(-2, 2, width=32)
Spelling = tuple[Any, tuple[Any, ...]]


def as_utility(rate: float, a: float, b: float) -> list[Spelling]:
    """The limit as one on a utility, which sees rates as doubles: none that only fractions tell from 0."""
    return [(rh.Constrained(tpr_alone, a, b, rate), ())] if not rate or rate > 1e-9 else []


def tpr_alone(fpr: float, tpr: float) -> float:
    return tpr


def spellings(rate: float, prevalence: float) -> dict[str, list[Spelling]]:
    """What is asked for and within which limits, of each question."""
    precision, alarms = rh.Precision(prevalence) >= rate, rh.AlarmRate(prevalence) <= rate
    recall, few = rh.Recall() >= rate, rh.FalsePositiveRate() <= rate

    def all_ways(goal: Any, name: Any, limit: Any) -> list[Spelling]:
        ways = [(name, ()), (rh.Within(goal, limit), ()), (rh.Within(goal, name), ())]
        return [
            *ways,
            (rh.Within(name, limit), ()),
            (goal, (limit,)),
            (name, (limit,)),
            (goal, (name, limit)),
        ]

    return {
        "fpr": [
            *all_ways(RECALL, rh.NeymanPearson(rate), few),
            *as_utility(rate, 0, 1),
        ],
        "recall": all_ways(FPR, rh.MinimumRecall(rate), recall),
        "precision": all_ways(RECALL, rh.MinimumPrecision(rate, prevalence), precision),
        "precision of the data": all_ways(RECALL, rh.MinimumPrecision(rate), rh.Precision() >= rate),
        "capacity": [
            *all_ways(RECALL, rh.Capacity(fraction=rate, prevalence=prevalence), alarms),
            *as_utility(rate, prevalence, 1 - prevalence),
        ],
        "capacity of the data": all_ways(RECALL, rh.Capacity(fraction=rate), rh.AlarmRate() <= rate),
        "accuracy": [(rh.Accuracy(prevalence), ()), (rh.ExpectedCost(prevalence=prevalence), ())],
        "index": [(rh.Youden(), ()), (rh.BalancedAccuracy(), ()), (rh.ExpectedCost(prevalence=0.5), ())],
    }


LIMITS: dict[str, Any] = {
    "recall": (RECALL >= 0.5,),
    "alarms": (rh.AlarmRate(0.25) <= 0.5,),
    "precision": (rh.Precision(0.5) >= 0.4,),
    "cost": (rh.ExpectedCost(1, 2, 0.5) <= 0.6, FPR <= 0.75),
}


def found(holder: Any, spelling: Spelling, limits: tuple[Any, ...], deterministic: bool) -> tuple[Any, ...]:
    """The point, bit for bit, or the kind of error."""
    goal, own = spelling
    try:
        point = holder.at(goal, deterministic, subject_to=(*own, *limits))
    except ValueError as error:
        return (type(error),)
    rules = tuple((rule, share.hex()) for rule, share in point.rules)
    about = point.source, point.prevalence, point.prevalence_from
    return point.fpr.hex(), point.tpr.hex(), rules, point.classifiers, *about


def differing(holder: Any, rate: float, prevalence: float, which: str) -> list[Any]:
    """The spellings that find something else than the first of their question."""
    others: list[Any] = []
    for question, ways in spellings(rate, prevalence).items():
        for limits in ((), LIMITS[which]):
            for single in (False, True):
                first, *rest = (found(holder, way, limits, single) for way in ways)
                others += [
                    (question, limits, single, way, each, first)
                    for way, each in zip(ways[1:], rest, strict=True)
                    if each != first
                ]
    return others


def holders(y: Any, columns: list[Any], weights: Any, lower: bool) -> tuple[rh.RocHull, rh.Hybrid]:
    """The hull of the first classifier with all its thresholds, and the hybrid of all."""
    curve = rh.roc_curve(y, columns[0], sample_weight=weights)
    hybrid = rh.Hybrid()
    for i, scores in enumerate(columns):
        hybrid.add("abc"[i], y, scores, sample_weight=weights, lower_is_positive=lower and i == 1, curve=True)
    return rh.RocHull.from_curve(curve), hybrid


@pytest.mark.long
@given(st.data())
@tries(30)
def test_one_question_has_one_answer(data: Any) -> None:
    n = data.draw(st.integers(2, 12))
    y = [0, 1, *data.draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))]
    columns = [
        data.draw(st.lists(SCORES, min_size=n, max_size=n)) for _ in range(data.draw(st.integers(1, 2)))
    ]
    weights = data.draw(st.none() | st.lists(st.sampled_from([0.1, 0.5, 1.0, 3.0]), min_size=n, max_size=n))
    asked = data.draw(SHARES), data.draw(PREVALENCES), data.draw(st.sampled_from(sorted(LIMITS)))
    for holder in holders(y, columns, weights, lower=False):
        assert differing(holder, *asked) == []


@pytest.mark.parametrize("seed", some(range(30), 2))
def test_one_question_has_one_answer_on_larger_tables(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(40) < rng.integers(1, 40)).astype(int)
    columns = [rng.normal(y).round(int(rng.integers(0, 3))) for _ in range(3)]
    columns[0][rng.random(40) < 0.1] = math.inf
    columns[2][rng.random(40) < 0.1] = -math.inf
    weights = [None, rng.integers(1, 4, 40), rng.random(40) + 0.01][seed % 3]
    for holder in holders(y, columns, weights, lower=True):
        # A rate that a vertex has is where a limit that is met and one that is not lie beside each other.
        hull = getattr(holder, "hull", holder)
        rate = float(rng.choice([rng.choice(hull.fpr), rng.choice(hull.tpr), rng.random()]))
        prevalence = float(rng.choice([0.125, 0.25, 0.5, 0.75]))
        assert differing(holder, rate, prevalence, str(rng.choice(sorted(LIMITS)))) == []


def test_a_limit_without_a_prevalence_takes_that_of_the_goal_alone() -> None:
    """So a name that is the goal brings its prevalence along, and one that is a limit does not."""
    hull = rh.roc_hull([0, 1], [0.0, 0.0])  # of which one half are positive
    limit, own = rh.Precision(0.125) >= 0.1, rh.Precision() >= 0.4
    named = rh.MinimumPrecision(0.1, 0.125)
    for ways in ((rh.Recall(), [limit, own]), (rh.Recall(), [named, own])):
        assert hull.at(rh.Within(*ways)).tpr == 1
    with pytest.raises(rh.InfeasibleConditionError):
        hull.at(rh.Within(named, own))


def test_what_the_complement_rounds_is_another_question() -> None:
    """`1 - prevalence` is a float of its own for whoever writes it, and exact for a capacity."""
    hull = rh.RocHull.from_curve(rh.roc_curve([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    prevalence = 0.1
    named = rh.Capacity(fraction=0.3, prevalence=prevalence)
    utility = rh.Constrained(tpr_alone, prevalence, 1 - prevalence, 0.3)
    assert hull.at(named).fpr == pytest.approx(hull.at(utility).fpr, abs=1e-15)
