"""Classifiers with calibrated probabilities: scikit-learn meta-estimators over the calibrators."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from rochull._core.docstrings import described
from rochull._core.rows import refuse_other_order
from rochull._core.validation import Array, truth
from rochull.calibration.base import Calibrator
from rochull.calibration.pav import PavCalibrator
from rochull.calibration.venn_abers import VennAbers, merge_folds
from rochull.conditions.bayes import decide_by_llr, llr_from_posterior
from rochull.conditions.costs import ExpectedCost, costs_of
from rochull.conditions.keywords import takes_condition
from rochull.estimators.out_of_fold import CONSTRUCTED, OnScores, Passed


@described(CONSTRUCTED)
class PavCalibratedClassifier(OnScores):
    """Binary classifier whose scores are calibrated on examples that it has not seen.

    Every example is scored by a clone that was trained without its fold. A calibrator learns from
    all these scores together; then the estimator is trained on all examples.

    Parameters
    ----------
    calibrator : Calibrator, optional
        Such as ``LogisticCalibrator()``; by default ``PavCalibrator(bound="laplace")``, whose LLRs are
        finite. Those of ``PavCalibrator()`` are infinite where a block at the end is pure, and so may
        the log loss of new cases be. One that reads several columns gets those of the estimator's
        ``transform``, as a ``StackingClassifier`` has it, whatever `response_method` is.
    ensemble : bool, default=False
        Keep the classifier of each fold with a calibrator of its own, fitted to the fold, and average their
        probabilities, as scikit-learn's ``CalibratedClassifierCV(ensemble=True)`` does. "prefit" has none.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels, in the order of the columns of :meth:`predict_proba`.
    pos_label_ : object
        The positive label; None if nothing says which it is.
    estimator_ : object
        The classifier trained on all examples, or the one that was given already fitted.
    calibrator_ : Calibrator
        Maps its scores to log-likelihood-ratios and posteriors.
    out_of_fold_scores_ : ndarray of shape (n,) or (n, k)
        What the calibrator was fitted on, in the order of the examples; absent with "prefit".
    estimators_, calibrators_ : list
        Those of the folds, in place of all of these, of an ensemble.
    n_features_in_, feature_names_in_ : int, ndarray
        Those of the estimator, if it has them.

    See Also
    --------
    PavCalibrator : Calibrates scores that you already have.
    VennAbersClassifier : Gives an interval for each probability.

    Notes
    -----
    PAV's map has steps. A linear model's score can differ in its last bit between a batch and a single row,
    as the order of its sums does; at the edge of a block it may then fall on the step below.

    References
    ----------
    Platt 1999, Probabilistic outputs for support vector machines: scores from cross-validation, because
    those of the training examples are biased. Zadrozny & Elkan 2002: PAV as the calibrator.

    Examples
    --------
    >>> import rochull as rh
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = make_classification(400, n_redundant=10, random_state=0)
    >>> X, y, X_new = X[:300], y[:300], X[300:]
    >>> model = rh.estimators.PavCalibratedClassifier(GaussianNB())
    >>> model.fit(X, y).predict_llr(X_new[:4]).round(1).tolist()
    [1.4, -2.6, 0.9, 0.9]
    >>> model.decide(X_new[:4], rh.ExpectedCost(cost_fn=5, prevalence=0.1)).tolist()
    [True, False, True, True]
    """

    # Weights go to the estimator and the calibrator, which say themselves whether they want them.
    __metadata_request__fit = {"sample_weight": UNUSED}  # noqa: RUF012 - read by scikit-learn

    def __init__(
        self,
        estimator: Any,
        *,
        cv: Any = 5,
        calibrator: Calibrator | None = None,
        n_jobs: int | None = None,
        response_method: str = "auto",
        pos_label: Any = None,
        ensemble: bool = False,
    ) -> None:
        self.estimator = estimator
        self.cv = cv
        self.calibrator = calibrator
        self.ensemble = ensemble
        self.n_jobs = n_jobs
        self.response_method = response_method
        self.pos_label = pos_label

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, **params: Any) -> Self:
        """Train the estimator and calibrate it out of fold.

        Returns
        -------
        self
            Fitted.

        Raises
        ------
        ValueError
            If there are not two classes or `pos_label` is neither, if a training part lacks one, if the
            test parts do not hold every example exactly once, or if a keyword has nowhere to go.
        """
        refuse_other_order({"X": X, "y": y, "sample_weight": sample_weight})
        X, labels = self._start(X, y)
        calibrator = clone(self._calibrator())
        passed = self._passed(labels, sample_weight, params)
        for name in ("estimators_", "calibrators_", "estimator_", "calibrator_", "out_of_fold_scores_"):
            self.__dict__.pop(name, None)  # of an earlier fit
        if truth(self.ensemble, "ensemble"):
            self._fit_folds(X, labels, passed)
            return self
        scores = self._trained(X, labels, passed)
        positive = labels == self.classes_[self._positive]
        self.calibrator_ = calibrator.fit(scores, positive, **passed.calibrator)
        self._copy_features(self.estimator_)
        return self

    def _fit_folds(self, X: Any, labels: Array, passed: Passed) -> None:
        """Train a classifier for each fold, and a calibrator on the fold."""
        if self._is_prefit:
            raise ValueError("ensemble: there are no folds of an estimator that is fitted already.")
        splits = self._splits(X, labels, passed)
        parts = self._rotate(X, labels, splits, passed, keep=True)
        positive = labels == self.classes_[self._positive]
        self.estimators_ = [estimator for estimator, _ in parts]
        self.calibrators_ = [
            clone(self._calibrator()).fit(
                scores, positive[test], **{name: value[test] for name, value in passed.calibrator.items()}
            )
            for (_, scores), (_, test) in zip(parts, splits, strict=True)
        ]
        self._copy_features(self.estimators_[0])

    def _routes(self) -> list[tuple[str, Any, str]]:
        return [*super()._routes(), ("calibrator", self._calibrator(), "fit")]

    def _calibrator(self) -> Any:
        """The calibrator's template."""
        if self.calibrator is None:
            default = PavCalibrator(bound="laplace")
            routing = get_config().get("enable_metadata_routing")
            return default.set_fit_request(sample_weight=True) if routing else default
        if not isinstance(self.calibrator, Calibrator):
            raise ValueError(
                f"calibrator must be one of rochull's, as PavCalibrator() is, but is {self.calibrator!r}."
            )
        if self.calibrator.pos_label is not None:
            raise ValueError(
                f"calibrator: its pos_label is {self.calibrator.pos_label!r}, but must be None: give the "
                "classifier's own pos_label."
            )
        return self.calibrator

    def _scores(self, fitted: Any, X: Any) -> Array:
        calibrator = self._calibrator()
        if calibrator.n_columns == 1:
            return super()._scores(fitted, X)
        if not hasattr(fitted, "transform"):
            raise ValueError(
                f"calibrator: {calibrator!r} reads several columns, which the estimator's transform gives "
                f"(StackingClassifier has one), but {type(fitted).__name__} has none."
            )
        return np.asarray(fitted.transform(X))

    def predict_llr(self, X: Any) -> Array:
        """Compute calibrated log-likelihood-ratios of the positive class against the other.

        Returns
        -------
        ndarray of shape (n,)
            Natural logs. They do not depend on the prior.
        """
        self._need_positive()
        if not hasattr(self, "calibrators_"):
            return np.asarray(self.calibrator_.llr(self._scores(self.estimator_, X)))
        return llr_from_posterior(self._posterior(X), self._prevalence())

    def predict_proba(self, X: Any) -> Array:
        check_is_fitted(self)
        return self._by_class(self._posterior(X))

    def _prevalence(self) -> float:
        """The mean over the calibrators of an ensemble."""
        return float(np.mean([each.prevalence_ for each in self.calibrators_]))

    def _posterior(self, X: Any) -> Array:
        if not hasattr(self, "calibrators_"):
            return np.asarray(self.calibrator_.posterior(self._scores(self.estimator_, X)))
        pairs = zip(self.calibrators_, self.estimators_, strict=True)
        return np.asarray(np.mean([made.posterior(self._scores(of, X)) for made, of in pairs], axis=0))

    @takes_condition
    def decide(self, X: Any, condition: ExpectedCost) -> Array:
        """Decide at least expected cost.

        Parameters
        ----------
        condition : ExpectedCost
            Costs and prevalence, each a single number. Give the prevalence of the cases to be decided;
            otherwise it is that of training.

        Returns
        -------
        ndarray of bool of shape (n,)
            True where calling the case positive costs less.
        """
        self._need_positive()
        if not hasattr(self, "calibrators_"):
            return np.asarray(self.calibrator_.decide(self._scores(self.estimator_, X), condition))
        if costs_of(condition) is not None:
            condition = condition.at_prevalence(self._prevalence())
        return decide_by_llr(self.predict_llr(X), condition)


@described(CONSTRUCTED)
class VennAbersClassifier(OnScores):
    """Binary classifier with a Venn–Abers interval for each probability.

    A fold's classifier is trained on the other folds, and a :class:`VennAbers` predictor calibrates
    its scores on the fold. A new example gets the intervals of all folds, which are merged.

    Parameters
    ----------
    cv : int, splitter, iterable or "prefit", default=5
        The folds: a number of stratified folds, a splitter, or its splits. One split alone, such as of
        ``ShuffleSplit(n_splits=1, test_size=0.3)``, makes the inductive predictor: trained on one part,
        calibrated on the other. So does "prefit", or a `FrozenEstimator`: the estimator is fitted already,
        and all the data given calibrate it; it must not have been trained on them.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels, in the order of the columns of :meth:`predict_proba`.
    pos_label_ : object
        The positive label; None if nothing says which it is.
    estimators_ : list of object
        The classifier of each fold.
    venn_abers_ : list of VennAbers
        The predictor of each fold.
    inductive_ : bool
        Whether there is one predictor only, whose intervals have the guarantee of validity.
    n_features_in_, feature_names_in_ : int, ndarray
        Those of the estimator, if it has them.

    See Also
    --------
    VennAbers : Takes scores, and states the guarantee.
    PavCalibratedClassifier : One probability, and log-likelihood-ratios.

    Notes
    -----
    The inductive predictor's interval is valid if the calibration examples and the new one are exchangeable:
    of its two ends the one that belongs to the example's label is perfectly calibrated. Folds that are
    stratified by the label are exchangeable only nearly. *The cross predictor, of several folds, has no
    such guarantee*; it trains and calibrates with all examples, and its probabilities tend to be better.

    A score that ties with a calibration score has another interval than the scores just beside it, and those
    of linear models can differ in the last bit between a batch and a single row, as the order of their
    sums does. So rows that were used for calibration may get slightly different intervals when they are
    scored in a batch of another size: keep to one size, or round the scores in the estimator.

    References
    ----------
    Vovk, Petej & Fedorova 2015, Large-scale probabilistic predictors with and without guarantees of
    validity, sections 2 to 4.

    Examples
    --------
    >>> import rochull as rh
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = make_classification(400, n_redundant=10, random_state=0)
    >>> model = rh.estimators.VennAbersClassifier(GaussianNB()).fit(X[:300], y[:300])
    >>> low, high = model.predict_interval(X[300:303])
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([0.75, 0.0, 0.35], [1.0, 0.12, 0.7])
    >>> model.predict_proba(X[300:303])[:, 1].round(2).tolist()
    [0.78, 0.11, 0.51]
    """

    def __init__(
        self,
        estimator: Any,
        *,
        cv: Any = 5,
        n_jobs: int | None = None,
        response_method: str = "auto",
        pos_label: Any = None,
    ) -> None:
        self.estimator = estimator
        self.cv = cv
        self.n_jobs = n_jobs
        self.response_method = response_method
        self.pos_label = pos_label

    def fit(self, X: Any, y: ArrayLike, **params: Any) -> Self:
        """Train a classifier for each fold, and a predictor on its scores.

        Parameters
        ----------
        **params : dict
            `groups` goes to the splitter, everything else to the estimator's `fit`: a `sample_weight`
            trains only, as weighted examples would not be exchangeable. With scikit-learn's metadata
            routing enabled, the requests of estimator and splitter decide.

        Returns
        -------
        self
            Fitted.

        Raises
        ------
        ValueError
            If there are not two classes or `pos_label` is neither, if a part of a fold lacks one, or if a
            keyword has nowhere to go.
        """
        X, labels = self._start(X, y)
        passed = self._passed(labels, None, params)
        if self._is_prefit:
            fitted, everything = [(self.estimator, self._scores(self.estimator, X))], np.arange(labels.size)
            splits = [(everything[:0], everything)]
        else:
            if get_tags(self.estimator).input_tags.pairwise:
                raise ValueError("estimator: one that takes a precomputed kernel needs cv='prefit'.")
            splits = self._splits(X, labels, passed)
            for i, (_, test) in enumerate(splits):
                if np.unique(labels[test]).size < 2:
                    raise ValueError(f"cv: the test part of fold {i} holds one class only; use fewer folds.")
            fitted = self._rotate(X, labels, splits, passed, keep=True)
        self.estimators_ = [estimator for estimator, _ in fitted]
        positive = labels == self.classes_[self._positive]
        self.venn_abers_ = [
            VennAbers().fit(scores, positive[test])
            for (_, scores), (_, test) in zip(fitted, splits, strict=True)
        ]
        self.inductive_ = len(self.venn_abers_) == 1
        self._copy_features(self.estimators_[0])
        return self

    def _intervals(self, X: Any) -> tuple[Array, Array]:
        """The folds' intervals (k, n)."""
        check_is_fitted(self)
        pairs = zip(self.estimators_, self.venn_abers_, strict=True)
        ends = [predictor.interval(self._scores(estimator, X)) for estimator, predictor in pairs]
        return np.array([low for low, _ in ends]), np.array([high for _, high in ends])

    def predict_interval(self, X: Any) -> tuple[Array, Array]:
        """Compute an interval for the probability of the positive class.

        Returns
        -------
        low : ndarray of shape (n,)
            If `inductive_`, the lower end of the Venn–Abers interval, which has a guarantee of validity.
            Else a geometric mean: the odds low / (1 - low) of the folds are averaged, and turned back
            into a probability. Such an interval *has no guarantee*; it encloses :meth:`predict_proba`.
        high : ndarray of shape (n,)
            The upper end, likewise.
        """
        self._need_positive()
        lows, highs = self._intervals(X)
        if self.inductive_:
            return lows[0], highs[0]
        return _mean_odds(lows), _mean_odds(highs)

    def predict_proba(self, X: Any) -> Array:
        """Compute probabilities: the intervals merged into one number each.

        Returns
        -------
        ndarray of shape (n, 2)
            Of ``classes_[0]`` and ``classes_[1]``; that of the positive class is
            ``GM(high) / (GM(1 - low) + GM(high))``, GM being the geometric mean over the folds (Vovk et al.
            2015, section 4): minimax for log loss.
        """
        return self._by_class(merge_folds(*self._intervals(X)))


def _mean_odds(probability: Array) -> Array:
    """The geometric mean (n,) of the odds of k folds (k, n), as a probability."""
    from scipy.special import expit, logit

    return np.asarray(expit(logit(probability).mean(axis=0)))
