"""The common part of classifiers that decide under a condition given when they predict."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import accuracy_score

from rochull._core.docstrings import entries
from rochull._core.rows import refuse_other_order
from rochull._core.validation import Array
from rochull.conditions.base import Condition, no_condition
from rochull.conditions.costs import ExpectedCost, costs_of
from rochull.conditions.keywords import takes_condition
from rochull.conditions.review import Review
from rochull.conditions.rules import Action, OperatingPoint, Rule, Scores
from rochull.estimators.out_of_fold import TwoClasses
from rochull.hull.hull import RocHull
from rochull.hull.ways import WithReviews, way_of

_LARGEST = 1e300  # differences of two are finite


class Deciding(TwoClasses):
    """Labels under conditions, and what they cost, from the decisions that a subclass gives."""

    parameters_told = entries("""
condition : Condition, optional
    What to decide under. If not given, that of plain `predict`: ``condition_``.
mixture : bool, default=False
    Allow two rules that are mixed at random, where that is better.
""")

    @property
    @abstractmethod
    def _prevalence(self) -> float | None:
        """The proportion of positives in training."""

    @abstractmethod
    def _calls(self, X: Any, condition: Condition | None, mixture: bool, **how: Any) -> Array:
        """Whether each example (n,) is called positive; `how` goes to the policy."""

    @abstractmethod
    def _cost(self, X: Any, y: ArrayLike, sample_weight: Any, condition: Any) -> float:
        """The expected cost per case under a precise condition, on other examples."""

    def _check_asked(self, condition: Any) -> None:
        if not isinstance(condition, Condition):
            raise ValueError(no_condition(repr(condition)))
        self._need_positive()

    @takes_condition
    def predict(
        self,
        X: Any,
        condition: Condition | None = None,
        *,
        mixture: bool = False,
        random_state: Any = None,
        key: ArrayLike | None = None,
    ) -> Array:
        """Decide every example by the rule that is best under a condition.

        Parameters
        ----------
        mixture : bool, default=False
            Allow a mixture of two rules; see :meth:`decision_rule`.

        Returns
        -------
        ndarray of shape (n,)
            Labels.

        Raises
        ------
        ValueError
            As for :meth:`decision_rule`, or if `key` or `random_state` is given without `mixture`.
        """
        self._check_lots(X, mixture, key, random_state)
        return self._labelled(self._calls(X, condition, mixture, key=key, random_state=random_state))

    @staticmethod
    def _check_lots(X: Any, mixture: bool, key: Any, random_state: Any) -> None:
        refuse_other_order({"X": X, "key": key})
        if not mixture and (key is not None or random_state is not None):
            raise ValueError("key and random_state are of use with mixture=True only.")

    @takes_condition
    def score(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        condition: ExpectedCost | Review | None = None,
    ) -> float:
        """Compute the accuracy of plain `predict`, or minus the expected cost under a condition.

        Parameters
        ----------
        condition : ExpectedCost or Review, optional
            With a single number for every parameter. Its prevalence counts, or that of training if it
            states none; not that of `y`. If plain `predict` reviews some cases, that is the condition which
            stands for it.

        Returns
        -------
        float
            The larger, the better.
        """
        refuse_other_order({"X": X, "y": y, "sample_weight": sample_weight})
        own = getattr(self, "condition_", None)
        if condition is None and has_reviews(own):  # by which plain `predict` reviews cases
            condition = own
        if condition is None:
            return float(accuracy_score(y, self.predict(X), sample_weight=sample_weight))
        costs: Any = condition if has_reviews(condition) else costs_of(condition)
        if costs is None:
            raise ValueError(f"condition must be an ExpectedCost to score by, but is {condition!r}.")
        costs = costs.at_prevalence(self._prevalence)
        costs.question.require_precise()
        return -self._cost(X, y, sample_weight, costs)


def has_reviews(condition: object) -> bool:
    """Whether cases may be reviewed under a condition, if it is one."""
    if not isinstance(condition, Condition):
        return False
    return isinstance(way_of(condition.question, deterministic=True), WithReviews)


class AtConditions(Deciding):
    """Scores under conditions too, from the rule and the rates that a subclass gives."""

    @property
    @abstractmethod
    def _hull(self) -> RocHull:
        """The hull that decides."""

    @abstractmethod
    def _rates(self, X: Any, y: ArrayLike, sample_weight: Any, condition: Condition) -> tuple[float, float]:
        """False and true positive rate of the single best rule, on other examples."""

    @abstractmethod
    def decision_rule(self, condition: Condition | None = None, *, mixture: bool = False) -> OperatingPoint:
        """Tell what decides under a condition.

        Returns
        -------
        OperatingPoint
            Its rates are in-sample, of the out-of-fold scores.

        Raises
        ------
        InfeasibleConditionError
            If no rule meets the condition.
        ValueError
            If nothing says which class is positive, or the condition is not one that this classifier was
            prepared for.
        """

    @abstractmethod
    def _judged(self, X: Any, condition: Condition | None) -> tuple[Rule, Array, Array]:
        """The single rule that decides, the scores (n,) that it looks at, and those that it was made from.

        Of the last, the lowest and the highest are enough. A constant rule looks at the scores of the rules
        next to it.
        """

    def _level(self, scores: Array) -> Array:
        """The scale of `decision_function`, finite."""
        return np.asarray(np.clip(scores.astype(float), -_LARGEST, _LARGEST))

    @takes_condition
    def decision_function(self, X: Any, condition: Condition | None = None) -> Array:
        """Compute a score that is above 0 exactly where `predict` gives ``classes_[1]``.

        Returns
        -------
        ndarray of shape (n,)
            How far the score that decides is above its threshold, finite. Of a constant rule the threshold
            is beyond all training scores. The sign is turned if ``classes_[0]`` is positive.
        """
        rule, scores, known = self._judged(X, condition)
        level, tiny = self._level(scores), np.finfo(float).tiny
        apart = level - self._anchor(rule, self._level(known))
        passed = rule.passes(scores.size, lambda _: Scores(scores))
        apart = np.where(passed, np.maximum(apart, tiny), np.minimum(apart, -tiny))
        return np.asarray(apart if self._positive == 1 else -apart)

    def _anchor(self, rule: Rule, known: Array) -> float:
        """The level of a rule; beyond the known levels where it is constant."""
        if rule.constant is None:
            return float(self._level(np.array([rule.level]))[0])
        low, high = float(known.min()), float(known.max())
        beyond = high - low + 1.0
        return low - beyond if rule.constant is Action.POSITIVE else high + beyond

    @property
    def _prevalence(self) -> float | None:
        return self._hull.prevalence

    def _cost(self, X: Any, y: ArrayLike, sample_weight: Any, condition: Any) -> float:
        cost: float = condition.cost(*self._rates(X, y, sample_weight, condition))
        return cost
