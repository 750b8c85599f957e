"""The one rotation over folds: classifiers are trained on all folds but one, and asked of the one."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core.messages import Advice, Message, Refusal
from rochull._core.warned import warn

if TYPE_CHECKING:
    from rochull._core.validation import Array

    Split = tuple[Array, Array]  # indices of the training and of the test part
    Trained = tuple[Any, Array]  # a classifier, if it is kept, and what it makes of the test part


# --- splits -------------------------------------------------------------------------------------


def groups_for(cv: Any, groups: Any, what: str | None = None) -> dict[str, Any]:
    """Keywords for a splitter; ValueError if it cannot keep groups together."""
    if groups is None:
        return {}
    if not hasattr(cv, "split"):
        raise ValueError(
            f"groups: nothing takes them with {what or f'cv={cv!r}'}; cv can be a splitter such as "
            "StratifiedGroupKFold(5)."
        )
    return {"groups": groups}


def splits_of(
    cv: Any,
    X: Any,
    labels: Array,
    passed: Mapping[str, Any],
    weight: Array | None = None,
    *,
    least: int = 1,
) -> list[Split]:
    """The (train, test) indices of every fold, in which all classes are trained on.

    `passed` goes to the splitter; `weight` is what the classifiers are trained with. There must be at `least`
    so many folds.
    """
    from sklearn.model_selection import check_cv

    classes, counts = np.unique(labels, return_counts=True)
    if isinstance(cv, numbers.Integral):
        cv = possible_folds(int(cv), int(counts.min()))
    rows = np.arange(labels.size)  # a part may be a mask
    splits = [
        (rows[train], rows[test])
        for train, test in check_cv(cv, labels, classifier=True).split(X, labels, **passed)
    ]
    if len(splits) < least:
        raise ValueError(f"cv must make at least two splits, but makes {len(splits)}.")
    counted = np.ones(labels.size, bool) if weight is None else np.asarray(weight) > 0
    for i, (train, test) in enumerate(splits):
        if np.intersect1d(train, test).size:
            raise ValueError(f"cv: the training and test parts of fold {i} share examples.")
        absent = np.setdiff1d(classes, labels[train][counted[train]])
        if absent.size:
            what = "sample_weight" if weight is not None else "example"
            held = "one class only" if weight is None else "no sample_weight for one class"
            if classes.size > 2:
                held = f"no {what} of class {absent.tolist()[0]!r}"
            raise ValueError(
                f"cv: the training part of fold {i} holds {held}; use fewer or stratified folds."
            )
    return splits


def possible_folds(cv: int, rarest: int, where: str = "") -> int:
    """How many stratified folds are made: as many as the rarest class has examples at most, and never one."""
    if rarest >= cv:
        return cv
    needed = "cross-validation {} in {} folds needs {} examples of each class{}, but one class has {}"
    short = Message(needed, Advice("cv", "(cv)"), cv, cv, where, rarest)
    if rarest < 2:
        raise Refusal("{}.", short)
    warn(Message("{}: {} folds are made.", short, rarest))
    return rarest


def stratified(positive: Array, cv: int, random_state: int | None) -> list[Split]:
    """Shuffled folds with as many examples of each class in all."""
    rarest = min(int(np.count_nonzero(positive == label)) for label in (0, 1))
    folds, rows = possible_folds(cv, rarest), np.arange(positive.size)
    # scikit-learn's StratifiedKFold, whose import takes a second: the same folds from the same seed.
    if isinstance(random_state, int):
        random = np.random.RandomState(random_state)
    else:
        from sklearn.utils import check_random_state

        random = check_random_state(random_state)
    own = positive != positive[0]  # which class comes first does not matter to it, but which row does
    in_order, fold = np.sort(own), np.empty(positive.size, int)
    for label in (False, True):
        sizes = [np.count_nonzero(in_order[k::folds] == label) for k in range(folds)]
        of_class = np.arange(folds).repeat(sizes)
        random.shuffle(of_class)
        fold[own == label] = of_class
    return [(rows[fold != k], rows[fold == k]) for k in range(folds)]


def held_out_rows(splits: Sequence[Split]) -> Array:
    """The rows (m,) of all test parts, one after the other."""
    return np.concatenate([test for _, test in splits])


# --- training -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Rotation:
    """Examples on which classifiers are trained and asked.

    Attributes
    ----------
    X : the examples, as given.
    labels : (n,)
    ask : what a fitted classifier makes of examples (m, ...).
    n_jobs : how many are trained at once.
    """

    X: Any
    labels: Array
    ask: Callable[[Any, Any], Array]
    n_jobs: int | None = None

    def held_out(
        self,
        templates: Sequence[Any],
        params: Sequence[Mapping[str, Any]],
        splits: Sequence[Split],
        *,
        keep: bool = False,
    ) -> list[list[Trained]]:
        """For each template what its clones, trained in each split with `params`, make of the test part.

        The clones are None unless they are to be kept.
        """
        tasks = [
            (template, own, split)
            for template, own in zip(templates, params, strict=True)
            for split in splits
        ]
        found = iter(self._in_parallel(self._trained, [(*task, keep) for task in tasks]))
        return [[next(found) for _ in splits] for _ in templates]

    def fitted(self, templates: Sequence[Any], params: Sequence[Mapping[str, Any]]) -> list[Any]:
        """A clone of each template, trained on all examples."""
        return self._in_parallel(self._fit, list(zip(templates, params, strict=True)))

    def _in_parallel(self, function: Callable[..., Any], tasks: list[tuple[Any, ...]]) -> list[Any]:
        from sklearn.utils.parallel import Parallel, delayed

        return list(Parallel(n_jobs=self.n_jobs)(delayed(function)(*task) for task in tasks))

    def _trained(self, template: Any, params: Mapping[str, Any], split: Split, keep: bool) -> Trained:
        from sklearn.base import clone
        from sklearn.utils.metaestimators import _safe_split
        from sklearn.utils.validation import _check_method_params

        train, test = split
        estimator = clone(template)
        X_train, y_train = _safe_split(estimator, self.X, self.labels, train)
        X_test, _ = _safe_split(estimator, self.X, None, test, train)
        estimator.fit(X_train, y_train, **_check_method_params(self.X, dict(params), train))
        return estimator if keep else None, self.ask(estimator, X_test)

    def _fit(self, template: Any, params: Mapping[str, Any]) -> Any:
        from sklearn.base import clone

        return clone(template).fit(self.X, self.labels, **params)
