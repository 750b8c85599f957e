"""A capacity in cases: exactly so many, best first, with ranks and probabilities."""

from typing import Any

import numpy as np
import pytest

import rochull as rh

RNG = np.random.default_rng(3)
Y = RNG.random(500) < 0.2
SCORE = np.round(RNG.normal(1.5 * Y), 1)
OTHER = np.round(RNG.normal(1.2 * Y), 1)
ONE = rh.Policy.from_hull(rh.roc_hull(Y, SCORE))
TWO = rh.Hybrid().add("a", Y, SCORE).add("b", Y, OTHER).policy()
NEW = {"a": np.round(RNG.normal(0.4, 1.3, 300), 1), "b": np.round(RNG.normal(0.4, 1.3, 300), 1)}
KEYS = list(range(300))


@pytest.mark.parametrize("k", [0, 1, 7, 30, 31, 32, 33, 150, 299, 300, 900])
def test_one_classifier_presents_its_best_scores(k: int) -> None:
    called = ONE.decide(NEW["a"], rh.Capacity(cases=k), key=KEYS)
    assert np.count_nonzero(called) == min(k, 300)
    if 0 < k < 300:
        assert NEW["a"][called].min() >= NEW["a"][~called].max()
    found = ONE.rank(NEW["a"], rh.Capacity(cases=k), key=KEYS)
    assert found.called.tolist() == called.tolist()
    assert sorted(found.rank.tolist()) == list(range(1, 301))
    in_order = np.argsort(found.rank)
    assert (np.diff(NEW["a"][in_order]) <= 0).all()
    assert (np.diff(found.probability[in_order]) <= 0).all()


def test_the_lottery_stays_by_choice() -> None:
    drawn = ONE.decide(NEW["a"], rh.Capacity(cases=33), key=KEYS, order="lot")
    assert np.count_nonzero(drawn) == 33
    assert NEW["a"][drawn].min() < NEW["a"][~drawn].max()
    assert ONE.rank(NEW["a"], rh.Capacity(cases=33), key=KEYS, order="lot").called.tolist() == drawn.tolist()
    with pytest.raises(
        ValueError, match=r'^order must be "score" or "lot", but is "best"'.replace('"best"', "'best'")
    ):
        ONE.decide(NEW["a"], rh.Capacity(cases=3), order="best")  # type: ignore[arg-type]


@pytest.mark.parametrize("order", ["score", "lot"])
def test_ranks_of_several_classifiers_agree_with_the_decisions(order: Any) -> None:
    for k in range(0, 301, 13):
        called = TWO.decide(NEW, rh.Capacity(cases=k), key=KEYS, order=order)
        found = TWO.rank(NEW, rh.Capacity(cases=k), key=KEYS, order=order)
        assert found.called.tolist() == called.tolist()
        assert np.count_nonzero(called) == k


def test_probabilities_are_those_of_the_blocks() -> None:
    condition = rh.Capacity(cases=50, prevalence=0.4)
    found = ONE.rank(NEW["a"], condition, key=KEYS)
    calibrator = rh.PavCalibrator().fit(SCORE, Y)
    assert found.probability == pytest.approx(calibrator.posterior(NEW["a"], 0.4))
    own = ONE.rank(NEW["a"], rh.Capacity(cases=50), key=KEYS)
    assert own.prevalence == Y.mean()
    assert own.probability == pytest.approx(calibrator.posterior(NEW["a"]))
    with pytest.raises(ValueError, match="must be a Capacity or a Review of so many cases"):
        ONE.rank(NEW["a"], rh.Accuracy())


def test_missing_scores_and_integers_come_in_their_order() -> None:
    hull = rh.roc_hull([0, 1, 0, 1], [1, 2, 3, 4])
    policy = rh.Policy.from_hull(hull)
    found = policy.rank([np.nan, 4.0, 1.0, 3.0], rh.Capacity(cases=2), key=[1, 2, 3, 4])
    assert found.rank.tolist() == [4, 1, 3, 2]
    wide = np.array([2**63 + 1, 2**63, 2, 2**64 - 1], np.uint64)
    assert policy.rank(wide, rh.Capacity(cases=2), key=[1, 2, 3, 4]).rank.tolist() == [2, 3, 4, 1]
