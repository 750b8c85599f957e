"""Splits that are refused, and one rotation for several classifiers; what it is used for is tested there."""

from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from rochull._core.rotation import Rotation, groups_for, held_out_rows, splits_of, stratified

Y = np.repeat([0, 1], [30, 10])
X = np.random.default_rng(0).normal(size=(40, 2)) + Y[:, None]


def test_each_is_held_out_once_and_weights_follow_their_rows() -> None:
    splits = splits_of(5, X, Y, {})
    weights = np.linspace(1, 2, Y.size)
    rotation = Rotation(X, Y, lambda fitted, part: fitted.predict_proba(part)[:, 1])
    templates = [GaussianNB(), DecisionTreeClassifier(max_depth=1)]
    first, second = rotation.held_out(templates, [{"sample_weight": weights}, {}], splits, keep=True)
    assert sorted(held_out_rows(splits)) == list(range(40))
    for (train, test), (fitted, scores), (other, _) in zip(splits, first, second, strict=True):
        by_hand = GaussianNB().fit(X[train], Y[train], sample_weight=weights[train])
        np.testing.assert_array_equal(scores, by_hand.predict_proba(X[test])[:, 1])
        assert (type(fitted), type(other)) == (GaussianNB, DecisionTreeClassifier)
    assert not any(hasattr(template, "classes_") for template in templates)
    assert all(fitted is None for fitted, _ in rotation.held_out(templates[:1], [{}], splits)[0])


def test_too_few_examples() -> None:
    with pytest.warns(
        UserWarning, match=r"in 12 folds needs 12 examples of each class, .* 10: 10 folds are made"
    ):
        assert len(splits_of(12, X, Y, {})) == 10
    with pytest.warns(
        UserWarning, match=r"in 12 folds needs 12 examples of each class, .* 10: 10 folds are made"
    ):
        assert len(stratified(Y, 12, 0)) == 10
    for split in (lambda y: splits_of(12, X, y, {}), lambda y: stratified(y, 12, 0)):
        with pytest.raises(
            ValueError, match=r"in 12 folds needs 12 examples of each class, but one class has 1\."
        ):
            split(np.arange(Y.size) == 3)


@pytest.mark.parametrize(
    ("cv", "how", "message"),
    [
        ([(np.arange(40), np.arange(5))], {}, "test parts of fold 0 share examples"),
        (KFold(4), {}, "the training part of fold 3 holds one class only; use fewer or stratified folds"),
        ([(np.arange(20, 40), np.arange(20))], {"least": 2}, "at least two splits, but makes 1"),
        (5, {"weight": (Y == 0).astype(float)}, "fold 0 holds no sample_weight for one class"),
    ],
)
def test_splits_that_are_refused(cv: Any, how: dict[str, Any], message: str) -> None:
    order = np.argsort(-Y, kind="stable") if isinstance(cv, KFold) else np.arange(40)
    labels = np.where(np.arange(40) < 30, 0, 1) if isinstance(cv, KFold) else Y[order]
    with pytest.raises(ValueError, match=message):
        splits_of(cv, X, labels, {}, **how)


def test_groups() -> None:
    groups = np.arange(40) // 2
    assert groups_for(5, None) == {}
    with pytest.raises(ValueError, match=r"groups: nothing takes them with cv=5; cv can be a splitter"):
        groups_for(5, groups)
    for _, test in splits_of(GroupKFold(5), X, Y[::-1].copy(), groups_for(GroupKFold(5), groups)):
        assert np.intersect1d(groups[test], np.delete(groups, test)).size == 0


def test_stratified_folds_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    for n, share, cv in ((30, 0.5, 5), (101, 0.2, 10), (1000, 0.9, 3)):
        labels = rng.random(n) < share
        for seed in (0, np.random.RandomState(7)):
            again = seed if isinstance(seed, int) else np.random.RandomState(7)
            theirs = StratifiedKFold(cv, shuffle=True, random_state=again).split(labels, labels)
            ours = stratified(labels, cv, seed)  # type: ignore[arg-type]
            assert [[p.tolist() for p in parts] for parts in ours] == [
                [p.tolist() for p in parts] for parts in theirs
            ]
