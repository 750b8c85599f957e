"""What classifiers share that decide under a condition which is given when they predict."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from numpy.typing import ArrayLike
from sklearn.metrics import accuracy_score

from rochull._core.docstrings import entries
from rochull._core.validation import Array
from rochull.conditions.base import Condition
from rochull.conditions.costs import ExpectedCost, costs_of
from rochull.conditions.rules import OperatingPoint
from rochull.estimators.out_of_fold import TwoClasses


class AtConditions(TwoClasses):
    """Labels and scores under conditions, from the decisions and the rates that a subclass gives."""

    parameters_told = TwoClasses.parameters_told | entries("""
condition : Condition, optional
    What to decide under. If not given, that of plain `predict`: ``condition_``.
mixture : bool, default=False
    Allow two rules that are mixed at random, where that is better.
""")

    @abstractmethod
    def _calls(self, X: Any, condition: Condition | None, mixture: bool, **how: Any) -> Array:
        """Whether each example (n,) is called positive; `how` goes to the policy."""

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

    def _check_asked(self, condition: Any) -> None:
        if not isinstance(condition, Condition):
            raise ValueError(f"condition must be an operating condition, but is {condition!r}.")
        self._need_positive()

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
        if not mixture and (key is not None or random_state is not None):
            raise ValueError("key and random_state are of use with mixture=True only.")
        return self._labelled(self._calls(X, condition, mixture, key=key, random_state=random_state))

    def score(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        condition: ExpectedCost | None = None,
    ) -> float:
        """Compute the accuracy of plain `predict`, or minus the expected cost under a condition.

        Parameters
        ----------
        condition : ExpectedCost, optional
            With a single number for every parameter. Its prevalence counts, not that of `y`.

        Returns
        -------
        float
            The larger, the better.
        """
        if condition is None:
            return float(accuracy_score(y, self.predict(X), sample_weight=sample_weight))
        costs = costs_of(condition)
        if costs is None:
            raise ValueError(f"condition must be an ExpectedCost to score by, but is {condition!r}.")
        costs.require_precise()
        return -costs.cost(*self._rates(X, y, sample_weight, costs))
