"""Nested cross-validation of a hybrid: hull and classifiers from one part, judged on the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import column_or_1d, indexable
from sklearn.utils.parallel import Parallel, delayed

from rochull._core.rotation import groups_for, splits_of
from rochull._core.rows import refuse_other_order
from rochull._core.validation import Array
from rochull.conditions.base import Condition
from rochull.conditions.keywords import takes_condition
from rochull.conditions.ranges import Proportion
from rochull.estimators.evaluation import EvaluationTable, conditions_of, short
from rochull.estimators.hybrid import RocchClassifier, evaluate_fold
from rochull.estimators.out_of_fold import positive_class, weights_of
from rochull.estimators.training import share_of


@dataclass(frozen=True, eq=False)
class RocchCrossValidation(EvaluationTable):
    """Held-out costs of a hybrid and of its classifiers, in k outer folds under m conditions.

    Attributes
    ----------
    conditions : tuple of Condition
        As given.
    fold_cost : ndarray of shape (k, m)
        What each condition minimises (see :class:`RocchEvaluation`), on the test part of each fold.
    fold_in_sample_cost : ndarray of shape (k, m)
        The same on the out-of-fold hull of the training part, which chose the rule.
    fold_alone : dict of str to ndarray of shape (k, m)
        Held-out costs of each classifier alone, at the threshold that its own scores chose.
    fold_fpr, fold_tpr : ndarray of shape (k, m)
        Held-out rates of the hybrid, which tell whether a limit was kept.
    fold_alone_fpr, fold_alone_tpr : dict of str to ndarray of shape (k, m)
        Held-out rates of each classifier alone.

    Notes
    -----
    A standard error is the standard deviation of the folds by the square root of their number. The training
    parts of the folds overlap, so it is somewhat too small.

    Examples
    --------
    >>> import rochull as rh
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = make_classification(900, weights=[0.8], random_state=4)
    >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    >>> model = rh.RocchClassifier([("bayes", GaussianNB()), ("tree", tree)])
    >>> found = rh.estimators.cross_validate_rocch(model, X, y, rh.ExpectedCost(cost_fn=20, prevalence=0.2))
    >>> print(found)
    Nested cross-validation: 5 outer folds; costs with their standard errors
      #  in-sample held-out cost           fpr   tpr best (in hindsight), less it
      1     0.3922 0.4919 ± 0.09432      0.366 0.950 bayes     0 ± 0
      1  ExpectedCost(cost_fp=1.0, cost_fn=20.0, prevalence=0.2), cost: expected
         cost per case
    alone, each at its best threshold, held out: cost (fpr, tpr), in this order:
         bayes: 0.4919 (0.366, 0.950)
         tree: 0.5521 (0.141, 0.890)
    """

    conditions: tuple[Condition, ...]
    fold_cost: Array
    fold_in_sample_cost: Array
    fold_alone: Mapping[str, Array]
    fold_fpr: Array
    fold_tpr: Array
    fold_alone_fpr: Mapping[str, Array]
    fold_alone_tpr: Mapping[str, Array]

    @property
    def fpr(self) -> Array:
        """Mean held-out false positive rate of the hybrid (m,)."""
        return np.asarray(self.fold_fpr.mean(axis=0))

    @property
    def tpr(self) -> Array:
        """Mean held-out true positive rate of the hybrid (m,)."""
        return np.asarray(self.fold_tpr.mean(axis=0))

    @property
    def alone_fpr(self) -> dict[str, Array]:
        """Mean held-out false positive rate (m,) of each classifier alone."""
        return {name: np.asarray(rates.mean(axis=0)) for name, rates in self.fold_alone_fpr.items()}

    @property
    def alone_tpr(self) -> dict[str, Array]:
        """Mean held-out true positive rate (m,) of each classifier alone."""
        return {name: np.asarray(rates.mean(axis=0)) for name, rates in self.fold_alone_tpr.items()}

    @property
    def cost(self) -> Array:
        """Mean held-out cost of the hybrid (m,)."""
        return np.asarray(self.fold_cost.mean(axis=0))

    @property
    def cost_error(self) -> Array:
        """Standard error of the mean cost (m,)."""
        return _error(self.fold_cost)

    @property
    def in_sample_cost(self) -> Array:
        """Mean in-sample cost of the hybrid (m,)."""
        return np.asarray(self.fold_in_sample_cost.mean(axis=0))

    @property
    def optimism(self) -> Array:
        """By how much the in-sample cost is too low on average (m,)."""
        return np.asarray(self.cost - self.in_sample_cost)

    @property
    def alone(self) -> dict[str, Array]:
        """Mean held-out cost (m,) of each classifier alone."""
        return {name: np.asarray(costs.mean(axis=0)) for name, costs in self.fold_alone.items()}

    @property
    def alone_error(self) -> dict[str, Array]:
        """Standard error (m,) of each of :attr:`alone`."""
        return {name: _error(costs) for name, costs in self.fold_alone.items()}

    @property
    def difference(self) -> dict[str, Array]:
        """Mean cost (m,) of the hybrid less that of each classifier: negative where the hybrid is better."""
        return {name: np.asarray((self.fold_cost - c).mean(axis=0)) for name, c in self.fold_alone.items()}

    @property
    def difference_error(self) -> dict[str, Array]:
        """Standard error (m,) of each of :attr:`difference`, from the differences within the folds."""
        return {name: _error(self.fold_cost - costs) for name, costs in self.fold_alone.items()}

    @property
    def best_alone(self) -> tuple[str, ...]:
        """The classifier with the least mean held-out cost under each condition, known in hindsight only."""
        names, costs = list(self.fold_alone), np.array(list(self.alone.values()))
        return tuple(names[i] for i in np.argmin(np.where(np.isnan(costs), np.inf, costs), axis=0))

    def to_dict(self) -> dict[str, Array]:
        """Give all numbers as columns of a table with a row for each condition.

        Returns
        -------
        dict of str to ndarray of shape (m,)
            ``measure`` says what the costs of a row are; ``alone:``, ``difference:`` and a name are of that
            classifier, ``alone_fpr:`` and ``alone_tpr:`` its rates; ``kept`` and ``alone_kept:`` are the
            share of the folds in which the held-out rates keep all limits of the condition, NaN where it has
            none; ``_error`` after a name is a standard error.
        """
        table = {
            **self._asked(),
            "fpr": self.fpr,
            "tpr": self.tpr,
            "cost": self.cost,
            "cost_error": self.cost_error,
            "in_sample_cost": self.in_sample_cost,
            "optimism": self.optimism,
            "best_alone": np.array(self.best_alone),
            "kept": self.kept,
        }
        of_each = ("alone", "alone_error", "difference", "difference_error", "alone_fpr", "alone_tpr")
        return table | self._by_name(*of_each, "alone_kept")

    def _held_out(self, classifier: str | None = None) -> tuple[Array, Array]:
        if classifier is not None:
            return self.fold_alone_fpr[classifier], self.fold_alone_tpr[classifier]
        return self.fold_fpr, self.fold_tpr

    def _lines(self) -> Iterator[str]:
        yield f"Nested cross-validation: {len(self.fold_cost)} outer folds; costs with their standard errors"
        yield "  #  in-sample held-out cost           fpr   tpr best (in hindsight), less it"
        table, best = self.to_dict(), self.best_alone
        for i, name in enumerate(best):
            cost = f"{short(table['cost'][i])} ± {short(table['cost_error'][i])}"
            apart = table[f"difference:{name}"][i], table[f"difference_error:{name}"][i]
            shown = name if len(name) <= 9 else f"{name[:8]}…"
            yield (
                f"{i + 1:>3} {short(table['in_sample_cost'][i]):>10} {cost:<21} {self.fpr[i]:.3f} "
                f"{self.tpr[i]:.3f} {shown:<9} {short(apart[0])} ± {short(apart[1])}"
            )
        yield from self._explained([""] * len(best))


def _by_name(folds: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    """Rows (k, m) of each classifier."""
    return {name: np.array([fold[name] for fold in folds]) for name in folds[0]}


def _error(values: Array) -> Array:
    """Standard error (m,) of the mean of rows (k, m)."""
    return np.asarray(values.std(axis=0, ddof=1) / np.sqrt(len(values)))


@takes_condition
def cross_validate_rocch(  # noqa: PLR0917 - the order of scikit-learn's cross_validate
    classifier: Any,
    X: Any,
    y: ArrayLike,
    conditions: Condition | Sequence[Condition],
    cv: Any = 5,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> RocchCrossValidation:
    """Estimate what a RocchClassifier costs on new data, beside each of its classifiers alone.

    In each outer fold the whole procedure, with its inner folds, sees the training part only.

    Parameters
    ----------
    classifier : RocchClassifier
        A template; it is not changed.
    X : array-like, sparse matrix or data frame of n examples
        As the classifiers take it.
    y : array-like of shape (n,)
        Labels of two classes.
    conditions : Condition or sequence of m of them
        With a single number for every parameter, within the range of the classifier's own `condition`.
    cv : int, splitter or iterable, default=5
        The outer folds; every test part holds both classes.
    sample_weight : array-like of shape (n,), optional
        Weights, for training and for the costs.
    groups : array-like of shape (n,), optional
        For the outer splitter, and for the classifier's own if that takes them.
    n_jobs : int, optional
        Number of outer folds at once.

    Returns
    -------
    RocchCrossValidation
        Means over the folds, standard errors, and paired differences.

    References
    ----------
    Varma & Simon 2006: nested cross-validation.

    Examples
    --------
    >>> import rochull as rh
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = make_classification(900, weights=[0.8], random_state=4)
    >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    >>> model = rh.RocchClassifier([("bayes", GaussianNB()), ("tree", tree)])
    >>> costs = [rh.ExpectedCost(cost_fn=cost, prevalence=0.2) for cost in (1, 5, 25)]
    >>> found = rh.estimators.cross_validate_rocch(model, X, y, costs)
    >>> found.cost.round(3).tolist(), found.best_alone
    ([0.122, 0.216, 0.542], ('tree', 'tree', 'bayes'))
    """
    if not isinstance(classifier, RocchClassifier):
        raise ValueError(f"classifier must be a RocchClassifier, but is {classifier!r}.")
    X, y, groups = indexable(X, y, groups)
    labels = column_or_1d(y, warn=True)
    refuse_other_order({"X": X, "y": y, "groups": groups, "sample_weight": sample_weight})
    weights = weights_of(sample_weight, labels)
    positive = positive_class(np.unique(labels), classifier.pos_label)
    share = None if positive is None else Proportion(Fraction(share_of(labels == positive, weights)))
    asked = conditions_of(conditions, share)
    splits = splits_of(cv, X, labels, groups_for(cv, groups), weights, least=2)
    for i, (_, test) in enumerate(splits):
        counted = test if weights is None else test[weights[test] > 0]
        if np.unique(labels[counted]).size < 2:
            raise ValueError(f"cv: the test part of fold {i} holds one class only; use fewer folds.")
    judge = delayed(evaluate_fold)
    found = Parallel(n_jobs=n_jobs)(
        judge(classifier, X, labels, split, conditions=asked, weights=weights, groups=groups)
        for split in splits
    )
    return RocchCrossValidation(
        asked,
        np.array([fold.cost.estimate for fold in found]),
        np.array([fold.in_sample_cost for fold in found]),
        _by_name([fold.alone for fold in found]),
        np.array([fold.fpr.estimate for fold in found]),
        np.array([fold.tpr.estimate for fold in found]),
        _by_name([fold.alone_fpr for fold in found]),
        _by_name([fold.alone_tpr for fold in found]),
    )
