"""What a policy's hull says of the examples that it was made from."""

import numpy as np
import pytest

import rochull as rh
from rochull.policies.learnt import chain_of, kinds_of, promises_of


def test_counts_are_those_of_the_examples():
    rng = np.random.default_rng(0)
    y = rng.random(900) < 0.3
    scores = {"a": rng.normal(1.5 * y), "b": -rng.normal(1.2 * y)}
    hybrid = rh.Hybrid()
    hybrid.add("a", y, scores["a"])
    hybrid.add("b", y, scores["b"], lower_is_positive=True)
    hull = rh.Policy.from_json(hybrid.policy().to_json()).hull
    for kind in kinds_of(hull):
        assert (kind.n_pos, kind.n_neg) == (y.sum(), (~y).sum())
        for rule, pos, neg in zip(kind.rules, kind.pos, kind.neg, strict=True):
            called = scores[kind.classifier] >= rule.threshold
            if rule.lower_is_positive:
                called = scores[kind.classifier] <= rule.threshold
            assert (pos, neg) == (called[y].sum(), called[~y].sum())
    assert [kind.classifier for kind in kinds_of(hull)] == list(hull.classifiers)
    assert chain_of(hull, "c").rules == ()


def test_a_promise_is_of_the_prevalence_that_is_stated():
    hull = rh.roc_hull([1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    stated = rh.Capacity(fraction=0.5, prevalence=0.2)
    found = promises_of(hull, hull.at(stated), stated)["positive"]
    assert (found.prevalence, found.limited) == (0.2, True)
    assert found.pos == (pytest.approx(3 * hull.at(stated).tpr), 3)
    own = promises_of(hull, hull.at(rh.NeymanPearson(0.4)), rh.NeymanPearson(0.4))["positive"]
    assert (own.prevalence, own.limited) == (0.5, False)
    spans = rh.ExpectedCost(1, (2, 3), (0.1, 0.2))
    assert promises_of(hull, hull.at(rh.Youden()), spans)["positive"].prevalence is None


def test_weights_count_no_examples():
    hull = rh.roc_hull([1, 0, 1, 0], [4, 3, 2, 1], sample_weight=[0.5] * 4)
    assert kinds_of(hull) == ()
    assert promises_of(hull, hull.at(rh.NeymanPearson(0.5)), rh.NeymanPearson(0.5)) == {}
