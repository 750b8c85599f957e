"""A scikit-learn classifier whose thresholds depend on auxiliary features, learnt out of fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from rochull._core import validation as _validation
from rochull._core.docstrings import described
from rochull._core.rows import refuse_other_order
from rochull._core.validation import Array
from rochull.conditions.base import Condition
from rochull.conditions.costs import Accuracy
from rochull.conditions.frontier import Choice
from rochull.conditions.keywords import takes_condition
from rochull.conditions.rules import ALWAYS, NEVER, OperatingPoint, Rule
from rochull.decisions.axes import Column
from rochull.estimators.aux_columns import AuxTable
from rochull.estimators.conditions import AtConditions
from rochull.estimators.out_of_fold import CONSTRUCTED, OnScores, weights_of
from rochull.estimators.training import share_of
from rochull.hull.blocks import cumulative, pool_points
from rochull.hull.hull import RocHull
from rochull.policies.policy import Policy
from rochull.segments.ranking import AuxiliaryRanking, rank_auxiliary_features
from rochull.segments.redistribution import ErrorRedistribution, rule_at

_RATIO = "ratio"  # what the new score is called in the policy that decides by it
_MOST_GAINS = 20  # features whose gain is measured, where none are named
_FARTHEST = 800.0  # beyond the logarithm of every number of float64
_CUTS = ("auto", "quantile", "uniform", "category")  # what a single column can be ranked by


@described(CONSTRUCTED)
class ErrorRedistributionClassifier(AtConditions, OnScores):
    """Binary classifier whose threshold depends on auxiliary features, which bends its ROC curve upwards.

    Every example is scored by a clone that was trained without its fold; an :class:`ErrorRedistribution`
    learns thresholds from all these scores and the auxiliary columns. Then the estimator is trained on all
    examples.

    Parameters
    ----------
    aux : str, int or list of them, optional
        The auxiliary columns of X: names, or positions. If not given, all columns are ranked by
        :func:`rank_auxiliary_features` on the out-of-fold scores, and the best is taken if its gain is more
        than its standard error; otherwise one threshold holds for all. An empty list: one threshold for all.
    aux_only : bool or list of str or int, default=False
        Columns that the estimator does not see, or all of `aux` with True.
    model, bins, n_bins, min_bin, shrinkage : see :class:`ErrorRedistribution`
        How the thresholds are learnt. The default "auto" keeps the one threshold unless another model is
        better in cross-validation by more than chance.
    condition : Condition, optional
        What plain `predict` decides under, with single numbers. Without it, errors are minimised at the
        training proportion of the classes.
    random_state : int, RandomState or None, default=0
        For folds within :class:`ErrorRedistribution`, and permutations.

    Attributes
    ----------
    redistribution_ : ErrorRedistribution
        The thresholds, and what else is known of them: ``redistribution_.thresholds(condition)``.
    hull_ : RocHull
        The bent curve's hull on the out-of-fold scores (in-sample).
    estimator_ : object
        The classifier trained on all examples, or the one that was given already fitted.
    aux_ : tuple of str or int
        The auxiliary columns that are used; none where one threshold holds for all.
    ranking_ : AuxiliaryRanking or None
        Where no columns were named.
    out_of_fold_scores_ : ndarray of shape (n,)
        What the thresholds were learnt from, in the order of the examples.
    condition_ : Condition
        What plain `predict` decides under: `condition`, or `Accuracy` at the training proportion.
    classes_ : ndarray of shape (2,)
        The labels, in the order of the columns of :meth:`predict_proba`.
    pos_label_ : object
        The positive label; None if nothing says which it is.
    n_features_in_, feature_names_in_ : int, ndarray
        Of X, with its auxiliary columns.

    Notes
    -----
    Thresholds are learnt from scores of classifiers that were trained without a fold, and applied to those
    of a classifier that was trained on all examples; both are on one scale only roughly.

    Sparse matrices, and kernels that are computed before, are not ranked: name `aux`.

    References
    ----------
    Richman & Mannor, Bending the Curve: Improving the ROC Curve Through Error Redistribution.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 6000)
    >>> size = rng.uniform(1, 5, 6000)
    >>> X = np.column_stack([rng.normal(size * y), size])  # the larger, the easier
    >>> bent = rh.ErrorRedistributionClassifier(LogisticRegression(), aux=[1], aux_only=True)
    >>> model = bent.fit(X[:4000], y[:4000])
    >>> plain = LogisticRegression().fit(X[:4000, :1], y[:4000])
    >>> round(float(rh.roc_auc(y[4000:], plain.decision_function(X[4000:, :1]))), 3)
    0.946
    >>> round(float(rh.roc_auc(y[4000:], model.decision_function(X[4000:]))), 3)
    0.971
    >>> dear = rh.ExpectedCost(cost_fp=9)
    >>> model.predict(X[4000:4006]).tolist(), model.predict(X[4000:4006], condition=dear).tolist()
    ([0, 1, 1, 0, 1, 1], [0, 1, 1, 0, 1, 0])
    """

    # Weights go to the estimator and the thresholds, which say themselves whether they want them.
    __metadata_request__fit = {"sample_weight": UNUSED}  # noqa: RUF012 - read by scikit-learn

    @takes_condition
    def __init__(
        self,
        estimator: Any,
        aux: Any = None,
        *,
        aux_only: Any = False,
        model: str = "auto",
        bins: Any = "auto",
        n_bins: int | Sequence[int] = 10,
        min_bin: int = 20,
        shrinkage: float | str | Sequence[float] = "cv",
        condition: Condition | None = None,
        cv: Any = 5,
        n_jobs: int | None = None,
        response_method: str = "auto",
        pos_label: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.aux = aux
        self.aux_only = aux_only
        self.model = model
        self.bins = bins
        self.n_bins = n_bins
        self.min_bin = min_bin
        self.shrinkage = shrinkage
        self.condition = condition
        self.cv = cv
        self.n_jobs = n_jobs
        self.response_method = response_method
        self.pos_label = pos_label
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, **params: Any) -> Self:
        """Train the estimator, and learn the thresholds out of fold.

        Returns
        -------
        self
            Fitted.

        Raises
        ------
        InfeasibleConditionError
            If no rule meets `condition`.
        ValueError
            If there are not two classes or `pos_label` is neither, if a column does not exist, if a training
            part lacks a class, if the test parts do not hold every example exactly once, or if a keyword
            has nowhere to go.
        """
        refuse_other_order({"X": X, "y": y, "sample_weight": sample_weight})
        X, labels = self._start(X, y)
        if self.condition is not None:
            self._check_asked(self.condition)
        table = AuxTable(X)
        named = self._named(table)
        self._hidden = self._unseen(table, named)
        validate_data(self, X, skip_check_array=True)
        passed = self._passed(labels, sample_weight, params)
        scores = self._trained(table.without(self._hidden), labels, passed)
        positive = labels == self.classes_[self._positive]
        self._learn(table, named, scores, positive, passed.calibrator.get("sample_weight"))
        return self

    def _routes(self) -> list[tuple[str, Any, str]]:
        template = self._template(5)
        if get_config().get("enable_metadata_routing"):
            template.set_fit_request(sample_weight=True)
        return [*super()._routes(), ("calibrator", template, "fit")]

    def get_metadata_routing(self) -> MetadataRouter:
        return super().get_metadata_routing().add_self_request(self)

    # --- columns and thresholds ------------------------------------------------------------------

    def _named(self, table: AuxTable) -> list[int] | None:
        """Where the auxiliary columns are; None if they are to be found by ranking."""
        return None if self.aux is None else table.positions(_listed(self.aux), "aux")

    def _unseen(self, table: AuxTable, named: list[int] | None) -> list[int]:
        """Where the columns are that the estimator does not see."""
        hidden = self.aux_only
        if isinstance(hidden, bool):
            if hidden and not named:
                raise ValueError("aux_only=True needs aux, the columns that the estimator does not see.")
            return list(named or ()) if hidden else []
        found = table.positions(_listed(hidden), "aux_only")
        useless = [j for j in found if named is not None and j not in named]
        if useless:
            raise ValueError(
                f"aux_only holds {table.label(useless[0])!r}, which aux does not: nobody would see it."
            )
        return found

    def _template(self, folds: int, **changes: Any) -> ErrorRedistribution:
        names = ("model", "bins", "n_bins", "min_bin", "shrinkage", "random_state")
        settings = {name: getattr(self, name) for name in names} | changes
        return ErrorRedistribution(cv=folds, **settings)

    def _learn(
        self, table: AuxTable, named: list[int] | None, scores: Array, positive: Array, weight: Any
    ) -> None:
        """Fit the thresholds to out-of-fold scores."""
        counted = positive if weight is None else positive[weight > 0]
        least = int(min(np.count_nonzero(counted), np.count_nonzero(~counted)))
        folds = max(2, min(5, least))
        self.ranking_: AuxiliaryRanking | None = None
        changes: dict[str, Any] = {}
        if named is None:
            named, changes = self._ranked(table, scores, positive, weight, folds)
        self._at = named
        self.aux_ = tuple(table.label(j) for j in named)
        if not named or (self.model == "auto" and least < folds):
            changes = {"model": "fixed", "bins": "auto"}
        self.redistribution_ = self._template(folds, **changes)
        self.redistribution_.fit(scores, positive, aux=self._columns(table), sample_weight=weight)
        self.hull_ = self.redistribution_.hull_
        asked: Condition = Accuracy(share_of(positive, weight)) if self.condition is None else self.condition
        self.condition_ = asked.at_prevalence(self.hull_.prevalence)
        self._serve(1.0 if weight is None else min(1.0, float(weight[weight > 0].mean())))

    def _ranked(
        self, table: AuxTable, scores: Array, positive: Array, weight: Array | None, folds: int
    ) -> tuple[list[int], dict[str, Any]]:
        """The column with the largest gain unless chance explains it; and how it is cut."""
        alone = get_tags(self.estimator).input_tags.pairwise or self.model == "fixed"
        columns = {} if alone else table.usable()
        if not columns or not np.isfinite(scores).all():
            return [], {}
        cut = self.bins if not isinstance(self.bins, str) or self.bins in _CUTS else "auto"
        sizes = self.n_bins if isinstance(self.n_bins, Sequence) else [self.n_bins]
        model, strength = ("pav", 100.0) if self.model == "auto" else (self.model, self.shrinkage)
        self.ranking_ = found = rank_auxiliary_features(
            positive, scores, columns, bins=cut, n_bins=sizes[0], min_bin=self.min_bin, gain=_MOST_GAINS,
            model=model, shrinkage=strength, cv=folds, sample_weight=weight, random_state=self.random_state,
        )  # fmt: skip
        best = found.names[0]
        if found.gain is None or found.gain_error is None or not found.gain[0] > found.gain_error[0]:
            return [], {}
        changes = {"bins": {best: cut[best]} if best in cut else "auto"} if isinstance(cut, Mapping) else {}
        return table.positions([best], "aux"), changes

    def _columns(self, table: AuxTable) -> dict[Column, Array]:
        """The auxiliary columns; where there are none, one that is the same for all."""
        if not self._at:
            return {"all": np.zeros(_num_samples(table.given))}
        return table.columns(self._at)

    def _serve(self, more: float) -> None:
        """Prepare decisions by the benefit-cost ratio, whose vertices are those of the bent curve.

        For probabilities an example of each class, of the weight `more`, is added at both ends.
        """
        hull, ratios = self.hull_, self.redistribution_.ratios_
        steps = (Rule("threshold", _RATIO, ratio) for ratio in ratios[1:-1].tolist())
        owners = ((NEVER,), *((rule,) for rule in steps), (ALWAYS,))
        bent = RocHull(
            hull.fp, hull.tp, hull.n_neg, hull.n_pos, hull.units,
            curves={_RATIO: self.redistribution_.curve_},
        )  # fmt: skip
        self._policy = Policy(bent.with_owners(owners))
        sums = []
        for found, unit in ((hull.tp, hull.units.pos), (hull.fp, hull.units.neg)):
            mass = np.diff(found)
            for end in (0, -1):
                mass[end] += max(1, round(more * unit))
            sums.append(cumulative(mass))
        edges = np.arange(len(hull) - 1)
        blocks = pool_points(edges, edges, sums[0], sums[1], hull.units)
        self._posterior = np.repeat(blocks.posterior, np.diff(blocks.low, prepend=-1))  # of each edge

    def _ratio(self, X: Any) -> Array:
        check_is_fitted(self)
        table = AuxTable(X)
        if table.width is not None:
            validate_data(self, X, reset=False, skip_check_array=True)
        table.positions([*self._hidden, *self._at][:1], "aux")  # only a table has columns
        scores = self._scores(self.estimator_, table.without(self._hidden))
        return self.redistribution_.transform(scores, aux=self._columns(table))

    # --- new cases -------------------------------------------------------------------------------

    def predict_ratio(self, X: Any) -> Array:
        """Compute the benefit-cost ratio: the new score, on one scale for all segments.

        Returns
        -------
        ndarray of shape (n,)
            From 0 to inf, of the positive class; of a model "fixed" the estimator's scores.
        """
        self._need_positive()
        return self._ratio(X)

    @takes_condition
    def decision_function(self, X: Any, condition: Condition | None = None) -> Array:
        """Compute a score that is above 0 exactly where `predict` gives ``classes_[1]``.

        Returns
        -------
        ndarray of shape (n,)
            Logarithm of the benefit-cost ratio over that at which `predict` begins to call cases
            positive; finite, as a ratio of 0 or inf has a logarithm beyond those of all numbers. Of a
            model "fixed" the score less its threshold. Its sign is turned if ``classes_[0]`` is positive.
        """
        return super().decision_function(X, condition)

    def _judged(self, X: Any, condition: Condition | None) -> tuple[Rule, Array, Array]:
        rule = self._point(condition).rules[0][0]
        return rule, self._ratio(X), self.redistribution_.ratios_[[-1, 1]]

    def _level(self, scores: Array) -> Array:
        if self.redistribution_.model_ == "fixed":
            return super()._level(scores)
        with np.errstate(divide="ignore"):
            return np.clip(np.log(scores), -_FARTHEST, _FARTHEST)

    def predict_proba(self, X: Any) -> Array:
        """Compute probabilities at the training proportion of the classes.

        Returns
        -------
        ndarray of shape (n, 2)
            Of ``classes_[0]`` and ``classes_[1]``: the PAV calibration of the benefit-cost ratio, which is
            the bent curve's hull, with an example of each class more at the highest and at the lowest ratio,
            so that no probability is 0 or 1. With "pav" and no shrinkage it is, but for these, the ratio
            times the odds in training, turned into a probability.
        """
        ratio = self._ratio(X)
        lows = self.redistribution_.ratios_[:0:-1]  # ascending
        at = np.maximum(np.searchsorted(lows, ratio, side="right") - 1, 0)
        return self._by_class(self._posterior[::-1][at])

    @takes_condition
    def decision_rule(self, condition: Condition | None = None, *, mixture: bool = False) -> OperatingPoint:
        point = self._point(condition, mixture)
        found = [
            (rule_at(self.redistribution_, rule.level) if rule.constant is None else rule, share)
            for rule, share in point.rules
        ]
        return replace(point, rules=tuple(found))

    @property
    def _hull(self) -> RocHull:
        return self.hull_

    def _point(self, condition: Condition | None, mixture: bool = False) -> OperatingPoint:
        """The threshold that decides, in terms of the ratio."""
        check_is_fitted(self)
        if condition is not None:
            self._check_asked(condition)
        elif self.condition is not None or mixture:
            condition = self.condition_
        if condition is not None:
            return self._policy.at(condition, not mixture)
        i = int(np.count_nonzero(self._posterior > 0.5))  # as predict_proba says; at a tie, not positive
        hull = self._policy.hull
        return OperatingPoint(*Choice(i).rates(hull.frontier), ((hull.owners[i][0], 1.0),))

    def _calls(self, X: Any, condition: Condition | None, mixture: bool, **how: Any) -> Array:
        point = self._point(condition, mixture)
        called: Array = self._policy.decide({_RATIO: self._ratio(X)}, point, on_misfit="ignore", **how)
        return called

    def _rates(self, X: Any, y: ArrayLike, sample_weight: Any, condition: Condition) -> tuple[float, float]:
        called = self._calls(X, condition, False)
        positive = _validation.binary_labels(y, self.pos_label_, "y") == 1
        given = weights_of(sample_weight, positive)
        weight = np.ones(called.size) if given is None else given
        fpr, tpr = (share_of(called[own], weight[own]) for own in (~positive, positive))
        return fpr, tpr


def _listed(columns: Any) -> list[Any]:
    """One column, or several, as a list."""
    return [columns] if isinstance(columns, str) or not np.iterable(columns) else list(columns)
