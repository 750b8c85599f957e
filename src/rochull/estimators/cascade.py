"""Classifiers in an order as one scikit-learn classifier, which asks a later one only where it pays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from rochull._core import validation
from rochull._core.docstrings import described, entries
from rochull._core.rows import same_rows
from rochull._core.validation import Array
from rochull.cascades.cascade import Cascade
from rochull.cascades.cascade_policy import CascadePoint, costs_like_prices
from rochull.cascades.held_out import BUDGETS, CascadeTrial, PricedExamples
from rochull.conditions.base import Condition
from rochull.conditions.costs import ExpectedCost
from rochull.conditions.keywords import takes_condition
from rochull.estimators.named import NamedEstimators
from rochull.estimators.out_of_fold import CONSTRUCTED, weights_of
from rochull.estimators.training import is_dropped, labels_in, share_of

Given = dict[str, Any]  # the first classifier's scores (n,), and functions that ask the others


@described(CONSTRUCTED)
class CascadeClassifier(NamedEstimators):
    """Classifiers in an order, each with a price per call, as one: the next is asked only where it pays.

    Every example is scored by clones that were trained without its fold. A :class:`Cascade` learns from these
    scores which cases are worth a call of the next classifier. Then all classifiers are trained on all
    examples, and a prediction calls a later one for the cases that need it.

    Parameters
    ----------
    estimators : list of (str, object, float)
        Names, scikit-learn classifiers, and what a call of each costs, in the unit of the costs of errors, in
        the order in which they are asked; the first is asked for every case. "drop" in place of a classifier
        leaves it out. A classifier with `predict` only has two scores. `FrozenEstimator` wraps one that is
        trained already, on other examples.
    condition : ExpectedCost, optional
        What plain `predict` decides under, with single numbers, in the unit of the prices. Without it each
        error costs 1, at the training proportion of the classes.
    max_calls : float or "cv", optional
        How many classifiers beyond the first are asked per case, on average, at most: with two, the share of
        the cases for which the second is asked. Without it, as many as pay on the out-of-fold scores. "cv"
        takes what is worth it held out, under `condition`: ``held_out().advised``, and perhaps no call.
    cv : int, splitter or iterable, default=5
        The folds: a number of stratified folds, a splitter, or its splits.
    response_method : {"auto", "decision_function", "predict_proba"}, default="auto"
        What the scores are. "auto" takes the first that a classifier has, and at last `predict`.
    pos_label : object, optional
        The label of the positive class. Without it 1 (True) is positive of {0, 1}, {-1, 1} or booleans; of
        other labels the second in their order, as in scikit-learn, and a warning says which.
    n_strata, n_cells, min_bin, shrinkage : see :class:`Cascade`
        How it is learnt where the next classifier is asked, and what its thresholds are.
    random_state : int, RandomState or None, default=0
        For the folds within :class:`Cascade`.

    Attributes
    ----------
    cascade_ : Cascade
        What was learnt from the out-of-fold scores; all its figures are in-sample.
    policy_ : CascadePolicy
        The same as a JSON document that decides from scores.
    estimators_ : dict of str to object
        The classifiers that were trained on all examples, by name.
    condition_ : ExpectedCost
        What plain `predict` decides under.
    max_calls_ : float or None
        Its budget.
    classes_ : ndarray of shape (2,)
        The labels.
    pos_label_ : object
        The positive label.
    out_of_fold_scores_ : dict of str to ndarray of shape (m,)
        What the cascade was learnt from.
    out_of_fold_rows_ : ndarray of shape (m,)
        The rows of these scores; all rows in order where the folds are a partition.
    splits_ : list of (ndarray, ndarray)
        Training and test part of each fold.
    n_features_in_, feature_names_in_ : int, ndarray
        Number and names of the features, if the examples have them.

    Notes
    -----
    Thresholds come from scores of classifiers that were trained without a fold, and are applied to those of
    classifiers that were trained on all examples; both are on one scale only roughly.

    There is no `decision_function` and no `predict_proba`: which classifier's score decides a case depends on
    the scores of those before it, and these scores have no scale in common.

    With scikit-learn's metadata routing enabled, ``set_predict_request(condition=True, max_calls=True)`` lets
    a `Pipeline` pass these on, and ``set_score_request(condition=True)`` lets `cross_validate` and searches
    judge by expected cost, calls included. The weights of `fit` are used for the cascade unless
    ``set_fit_request(sample_weight=False)``.

    Examples
    --------
    >>> import rochull as rh
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = make_classification(1200, n_informative=6, flip_y=0.05, random_state=4)
    >>> forest = RandomForestClassifier(30, random_state=0)
    >>> stages = [("bayes", GaussianNB(), 0), ("forest", forest, 0.02)]
    >>> model = rh.CascadeClassifier(stages, rh.ExpectedCost(cost_fn=2), cv=3).fit(X[:800], y[:800])
    >>> share = model.needs_score("forest", X[800:]).mean()
    >>> few = model.needs_score("forest", X[800:], max_calls=0.2).mean()
    >>> print(f"forest asked for {share:.0%} of new cases, on a budget for {few:.0%}")
    forest asked for 50% of new cases, on a budget for 19%
    >>> model.predict(X[800:806]).tolist()
    [0, 0, 1, 1, 1, 1]
    """

    parameters_told = entries("""
max_calls : float, optional
    A budget of calls per case instead of the constructor's; with as many as there are later classifiers
    nothing is limited.
mixture : bool, default=False
    Allow that a stratum of which the budget affords a part only is asked by lot.
classifier : str
    One of the classifiers.
""")

    # The cascade uses the weights, whatever the classifiers do with them.
    __metadata_request__fit = {"sample_weight": True}  # noqa: RUF012 - read by scikit-learn
    _pairs = "_named"

    @takes_condition
    def __init__(
        self,
        estimators: Any,
        condition: ExpectedCost | None = None,
        max_calls: float | str | None = None,
        cv: Any = 5,
        n_jobs: int | None = None,
        *,
        n_strata: int | Sequence[int] | str = "auto",
        n_cells: int | None = 100,
        min_bin: int = 20,
        shrinkage: float | str | Sequence[float] = "cv",
        response_method: str = "auto",
        pos_label: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.estimators = estimators
        self.condition = condition
        self.max_calls = max_calls
        self.cv = cv
        self.n_jobs = n_jobs
        self.n_strata = n_strata
        self.n_cells = n_cells
        self.min_bin = min_bin
        self.shrinkage = shrinkage
        self.response_method = response_method
        self.pos_label = pos_label
        self.random_state = random_state

    @property
    def _named(self) -> Any:
        """Names and classifiers without prices, as scikit-learn sets them."""
        try:
            return [(name, estimator) for name, estimator, _ in self.estimators]
        except (TypeError, ValueError):  # said in `fit`
            return self.estimators

    @_named.setter
    def _named(self, pairs: Any) -> None:
        prices = [price for _, _, price in self.estimators]
        self.estimators = [(*pair, price) for pair, price in zip(pairs, prices, strict=True)]

    def _prices(self) -> dict[str, float]:
        """The price of a call of each classifier that is not dropped."""
        for item in self.estimators if isinstance(self.estimators, (list, tuple)) else ():
            if not isinstance(item, (list, tuple)) or len(item) != 3:
                raise ValueError(
                    f"estimators must hold triples (name, estimator, price of a call), but one is {item!r}."
                )
        kept = [(name, price) for name, made, price in self.estimators if not is_dropped(made)]
        if len(kept) < 2:
            raise ValueError(
                f"estimators must hold two or more: the cheap one first, then more expensive ones; but "
                f"{', '.join(repr(name) for name, _ in kept) or 'nothing'} is all."
            )
        return {name: validation.non_negative(p, f"estimators: the price of {name!r}") for name, p in kept}

    def _check_asked(self, condition: Any) -> None:
        super()._check_asked(condition)
        costs_like_prices(condition).at_prevalence(0.5).question.require_precise()

    def _templates(self) -> dict[str, Any]:
        if isinstance(self.estimators, (list, tuple)) and self.estimators:
            self._prices()
        return super()._templates()

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, **params: Any) -> Self:
        """Learn out of fold which cases are worth a call, and train all classifiers.

        Parameters
        ----------
        **params : dict
            `groups` goes to the splitter. With scikit-learn's metadata routing enabled, the requests of
            the classifiers and the splitter decide, over the weights too.

        Returns
        -------
        self
            Fitted.

        Raises
        ------
        ValueError
            If there are not two classes or `pos_label` is neither, if a fold lacks one, for names,
            classifiers or prices that are none, or if a keyword has nowhere to go.
        """
        if isinstance(self.max_calls, str):
            if self.max_calls != "cv":
                raise ValueError(f'max_calls must be a number or "cv", but is {self.max_calls!r}.')
        elif self.max_calls is not None:
            validation.non_negative(self.max_calls, "max_calls")
        templates, training = self._prepared(X, y, sample_weight, params)
        scores, _ = training.out_of_fold(templates, self.splits_)
        positive, weights = self._held_out()
        self._share = share_of(positive, weights)
        asked = ExpectedCost() if self.condition is None else self.condition
        self.condition_ = asked.at_prevalence(self._share)
        self.cascade_ = self._cascade(positive, weights).fit(scores, positive, sample_weight=weights)
        self.policy_ = self.cascade_.policy()
        self.estimators_ = training.fitted(templates)
        self.out_of_fold_scores_ = scores
        self.max_calls_: Any = self.max_calls
        if self.max_calls == "cv":
            self.max_calls_ = self.held_out(max_calls=BUDGETS).advised
        return self

    def _cascade(self, positive: Array, weights: Array | None) -> Cascade:
        """One that is not fitted, with as many folds as the examples are enough for."""
        counted = positive if weights is None else positive[weights > 0]
        least = int(min(np.count_nonzero(counted), np.count_nonzero(~counted)))
        names = "n_strata", "n_cells", "min_bin", "shrinkage", "random_state"
        settings = {name: getattr(self, name) for name in names}
        return Cascade(self._prices(), cv=max(2, min(5, least)), **settings)

    # --- deciding ------------------------------------------------------------------------------

    @property
    def _prevalence(self) -> float:
        return self._share

    @takes_condition
    def decision_rule(
        self,
        condition: ExpectedCost | None = None,
        *,
        max_calls: float | None = None,
        mixture: bool = False,
    ) -> CascadePoint:
        """Tell what decides under a condition, and for which share of the cases each classifier is asked.

        Returns
        -------
        CascadePoint
            Its figures are in-sample, of the out-of-fold scores.

        Raises
        ------
        ValueError
            If the condition is not an expected cost.
        """
        check_is_fitted(self)
        if condition is not None:
            self._check_asked(condition)
        asked = self.condition_ if condition is None else condition.at_prevalence(self._share)
        budget = self.max_calls_ if max_calls is None else max_calls
        return self.policy_.at(asked, budget, deterministic=not mixture)

    @takes_condition
    def predict(
        self,
        X: Any,
        condition: Condition | None = None,
        *,
        max_calls: float | None = None,
        mixture: bool = False,
        random_state: Any = None,
        key: ArrayLike | None = None,
    ) -> Array:
        """Decide every example; a later classifier is called for those that need it, and for them alone.

        Returns
        -------
        ndarray of shape (n,)
            Labels.

        Raises
        ------
        ValueError
            As for :meth:`decision_rule`, or if `key` or `random_state` is given without `mixture`.
        """
        how = {"key": key, "random_state": random_state}
        self._check_lots(X, mixture, **how)
        return self._labelled(self._calls(X, condition, mixture, max_calls=max_calls, **how))

    def _calls(
        self, X: Any, condition: Any, mixture: bool, max_calls: float | None = None, **how: Any
    ) -> Array:
        point = self.decision_rule(condition, max_calls=max_calls, mixture=mixture)
        return self.policy_.decide(self._given(X, point), point, on_misfit="ignore", **how)

    @takes_condition
    def needs_score(
        self,
        classifier: str,
        X: Any,
        condition: ExpectedCost | None = None,
        *,
        max_calls: float | None = None,
        mixture: bool = False,
        random_state: Any = None,
        key: ArrayLike | None = None,
    ) -> Array:
        """Tell for which examples `predict` calls a classifier; those after it are not called.

        Returns
        -------
        ndarray of bool, shape (n,)
            True where it is called.
        """
        how = {"key": key, "random_state": random_state}
        self._check_lots(X, mixture, **how)
        point = self.decision_rule(condition, max_calls=max_calls, mixture=mixture)
        return self.policy_.needs_score(classifier, self._given(X, point), point, **how)

    def _given(self, X: Any, point: CascadePoint, asked: dict[str, Array] | None = None) -> Given:
        """Scores for the policy; if `asked` is given, it holds the rows that a classifier is called for."""
        (X,) = indexable(X)
        score, (first, *others) = self._scorer(), self.policy_.classifiers

        def of(name: str) -> Callable[[Array], Array]:
            def ask(rows: Array) -> Array:
                if asked is not None:
                    asked[name] = rows
                return np.asarray(score(self.estimators_[name], _safe_indexing(X, rows)))

            return ask

        if first in point.plan.classifiers:
            every = np.asarray(score(self.estimators_[first], X))
        else:  # nobody looks at the examples
            validate_data(self, X, reset=False, skip_check_array=True)
            every = np.zeros(_num_samples(X))
        return {first: every, **{name: of(name) for name in others}}

    # --- judging -------------------------------------------------------------------------------

    def _cost(self, X: Any, y: ArrayLike, sample_weight: Any, condition: Any) -> float:
        labels, called = labels_in(y, self.classes_), dict[str, Array]()
        positive = (labels == self.classes_[self._positive]).astype(np.uint8)
        point = self.decision_rule(condition)
        decided = self.policy_.decide(self._given(X, point, called), point, on_misfit="ignore")
        same_rows(X=decided, y=labels)
        first, *prices = self._prices().items()
        paid = np.where(positive == 1, condition.cost_fn * ~decided, condition.cost_fp * decided) + first[1]
        for name, price in prices:
            paid[called.get(name, [])] += price
        weights = weights_of(sample_weight, labels)
        return float(paid @ PricedExamples({}, positive, weights, condition).masses())

    @takes_condition
    def held_out(
        self, condition: ExpectedCost | None = None, *, max_calls: Sequence[float | None] | None = None
    ) -> CascadeTrial:
        """Measure what the cascade costs on examples that it was not learnt from, by folds of the scores.

        Parameters
        ----------
        max_calls : sequence of float or None, optional
            The budgets to try; None is as many calls as pay. If not given, that of plain `predict`.

        Returns
        -------
        CascadeTrial
            Beside each classifier alone, and all for every case; see :meth:`Cascade.held_out`.
        """
        check_is_fitted(self)
        if condition is not None:
            self._check_asked(condition)
        asked = self.condition_ if condition is None else condition.at_prevalence(self._share)
        positive, weights = self._held_out()
        budgets = [self.max_calls_] if max_calls is None else list(max_calls)
        return self._cascade(positive, weights).held_out(
            self.out_of_fold_scores_, positive, asked, max_calls=budgets, sample_weight=weights
        )
