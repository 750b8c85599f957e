"""Optimal error redistribution (Richman & Mannor): thresholds that depend on auxiliary features.

Every model maps a score and the segment of its case to one new score on a common scale, the benefit-cost
ratio. The ordinary ROC curve of the new score is the bent curve; everything else of the library reads it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from rochull._core import validation as _validation
from rochull._core.docstrings import Described
from rochull._core.messages import Message, Parameter, Refusal, refused
from rochull._core.rows import refuse_other_order, same_rows
from rochull._core.validation import Array, Labelled
from rochull._core.warned import warn
from rochull.conditions.base import Condition
from rochull.conditions.door import question_asked
from rochull.conditions.keywords import takes_condition
from rochull.conditions.rules import NEVER, OperatingPoint, Rule, SegmentedRule
from rochull.decisions.any_policy import DEPLOYED
from rochull.decisions.axes import UNSEEN, Bins, aux_columns
from rochull.hull.blocks import pool
from rochull.hull.curve import RocCurve, roc_curve
from rochull.hull.hull import RocHull, optimum, point_on_curve
from rochull.hull.polarity import say_if_reversed
from rochull.hull.tallies import Tally, tally_of
from rochull.hull.ways import OneThreshold, way_of
from rochull.scanning.readings import Scan
from rochull.segments.bins import fit_bins
from rochull.segments.choice import Candidate, candidates, choose
from rochull.segments.models.base import LevelSets, SegmentedScores, SegmentModel
from rochull.segments.models.continuous import ContinuousModel
from rochull.segments.rules import NOBODY
from rochull.segments.scanned import ScannedSegments, chosen_of, fitted
from rochull.segments.segment_policy import SegmentPolicy

_EXACT = 2**53
_RATIO = "benefit-cost ratio"


class ErrorRedistribution(Described, BaseEstimator):
    """Thresholds that vary with auxiliary features bend the ROC curve upwards, without retraining.

    Parameters
    ----------
    model : {"pav", "gaussian", "equal-variance", "logistic", "fixed", "auto", ...}, default="pav"
        How benefit and cost of a threshold are learned in a segment.
        "pav": the hull of the segment's ROC curve, the exact optimum on the training data.
        "gaussian": normal scores of each class in each segment; "equal-variance": with one variance
        for both classes. "logistic": a logistic regression whose slope and intercept depend on the
        segment, penalised. "fixed": one threshold for all, the baseline. "auto": the best of all in
        cross-validation, and the fixed threshold unless another is better by more than chance (at 5 %, over
        the folds).
        "constant-fpr" and "constant-tpr": the paper's other baselines, not among those of "auto": one
        offset from the mean of the segment's negatives, or positives.
    bins : str, sequence of float, int or mapping, default="auto"
        How the auxiliary columns make segments: "quantile", "uniform", "category", "tree" (of all
        columns together), edges of one numeric column, or a number of quantile bins; for several
        columns, whose bins are multiplied, a mapping of columns to such. "auto" is "quantile" for
        numbers and "category" for the rest. Missing values seen in training have a bin of their own, unless
        they are too few: then they are with the highest values.
        "continuous", with "equal-variance" only: no bins, mean, variance and prior are functions of the
        auxiliary features.
    n_bins : int or sequence of int, default=10
        Of "quantile", "uniform" and "tree"; of several, the best in cross-validation.
    min_bin : int, default=20
        A bin holds at least so many examples of each class. Bins of one ordered column with fewer are
        merged with the neighbour that holds fewer; of categories and of several columns they are
        together one bin "other", which takes the smallest others until it holds enough.
    shrinkage : float, "cv" or sequence of float, default="cv"
        Of "pav": how many examples like those of the whole population are added to every segment; 0
        is the exact optimum on the training data, inf a fixed threshold. "cv" chooses among 0, 30, 100,
        300, 1000 and inf in cross-validation.
    regressor, classifier : scikit-learn estimators, optional
        With "continuous": what learns the means of the classes' scores and their variance, and the ratio of
        the densities of the auxiliary features; additive splines if not given.
    cv : int, default=5
        Number of folds for every choice that is made in cross-validation.
    random_state : int, Generator, RandomState or None, default=0
        Shuffles the folds.
    pos_label : object, optional
        The label of the positive class.
    lower_is_positive : bool, default=False
        Low scores mean positive, as those of a distance do.

    Attributes
    ----------
    hull_ : RocHull
        The bent curve's hull on the training data (in-sample). A vertex's rule is a
        :class:`SegmentedRule`: a threshold for each segment. With "continuous" it is a lowest ratio.
    segments_ : tuple of str
        What the segments are called.
    model_ : str
        The model that was chosen.
    shrinkage_ : float
        What was chosen.
    n_bins_ : int
        The number of segments.
    choice_ : dict of str to list
        The candidates of the cross-validation, with the mean area under the held-out curves and its gain
        over the fixed threshold; empty if nothing was to choose.
    counts_ : dict of str to tuple of int
        Negatives and positives of each segment.

    Notes
    -----
    The new score, the benefit-cost ratio, is the price of a false positive, in true positives and both as
    rates of the whole population, below which the case is called positive. With "fixed" it is the score, with
    "constant-fpr" and "constant-tpr" the score minus the mean of the class in the segment.

    References
    ----------
    Richman & Mannor, Bending the Curve: Improving the ROC Curve Through Error Redistribution.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> rng = np.random.default_rng(0)
    >>> size, y = rng.uniform(1, 5, 4000), rng.integers(0, 2, 4000)
    >>> score = rng.normal(size * y)  # the larger, the easier
    >>> seg = rh.ErrorRedistribution("pav", n_bins=8, shrinkage=100).fit(score, y, aux={"size": size})
    >>> bool(seg.hull_.auc() > rh.roc_hull(y, score).auc() + 0.01)
    True
    >>> point = seg.at(rh.NeymanPearson(max_fpr=0.1))
    >>> len(point.rules[0][0].rules) == len(seg.segments_) + 1 == 9
    True
    """

    parameters_told = DEPLOYED
    bins_: Bins | None
    _model: SegmentModel

    def __init__(
        self,
        model: str = "pav",
        *,
        bins: Any = "auto",
        n_bins: int | Sequence[int] = 10,
        min_bin: int = 20,
        shrinkage: float | str | Sequence[float] = "cv",
        regressor: Any = None,
        classifier: Any = None,
        cv: int = 5,
        random_state: Any = 0,
        pos_label: object = None,
        lower_is_positive: bool = False,
    ) -> None:
        self.model = model
        self.bins = bins
        self.n_bins = n_bins
        self.min_bin = min_bin
        self.shrinkage = shrinkage
        self.regressor = regressor
        self.classifier = classifier
        self.cv = cv
        self.random_state = random_state
        self.pos_label = pos_label
        self.lower_is_positive = lower_is_positive

    def fit(self, X: ArrayLike, y: ArrayLike, *, aux: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the thresholds of every segment.

        Parameters
        ----------
        X : array-like of shape (n,) or (n, 1)
            Scores, best such that the classifier was not trained on these examples; higher means more
            positive, unless `lower_is_positive`.
        y : array-like of shape (n,)
            Binary labels; with `pos_label=None` they are {0, 1}, {-1, 1} or booleans.
        aux : data frame, mapping of columns, or array-like of shape (n,) or (n, k)
            Auxiliary features: numbers or categories, missing values allowed.
        sample_weight : array-like of shape (n,), optional
            Finite and non-negative; an example of weight zero is left out.

        Returns
        -------
        self
            Fitted.
        """
        lower = self._lower = _validation.truth(self.lower_is_positive, "lower_is_positive")
        positive = _validation.binary_labels(y, self.pos_label, "y")
        data = Labelled(positive, self._scores(X), None, lower_is_positive=lower)
        same_rows(X=X, y=y, sample_weight=sample_weight)
        _refuse_long_integers(data.scores)
        tried = candidates(self.model, self.n_bins, self.shrinkage, data.scores)
        if sample_weight is not None:
            weights = _validation.weights_1d(sample_weight)
            data = replace(data, weights=weights)
        only = list(self.bins) if isinstance(self.bins, Mapping) else None
        columns = aux_columns(aux, data.scores.size, only)
        refuse_other_order({"X": X, "y": y, "aux": aux, "sample_weight": sample_weight})
        if data.weights is not None and not data.weights.all():
            kept = data.weights > 0
            data = data.part(kept)
            columns = {name: column[kept] for name, column in columns.items()}
        say_if_reversed(data, "X")
        min_bin = _validation.whole(self.min_bin, "min_bin", 1)
        if isinstance(self.bins, str) and self.bins == "continuous":
            return self._learn_without_bins(data, columns)
        found, self.choice_ = choose(
            tried, data, columns,
            bins=self.bins, min_bin=min_bin, cv=self.cv, random_state=self.random_state,
        )  # fmt: skip
        self._learn(found, data, columns, min_bin)
        return self

    def fit_scan(
        self,
        scan: Scan,
        score: str | None = None,
        *,
        column: str | int | None = None,
        max_error: float = 1e-4,
    ) -> Self:
        """Learn the thresholds of the segments of a scan, which may be of more rows than memory holds.

        A choice by cross-validation divides counts of thinned groups (to 0.001) into folds at random; of
        weighted rows it is refused, for groups do not tell their weights apart.

        Parameters
        ----------
        scan : Scan
            What :func:`scan` gave, with `segment`.
        score : str, optional
            The column of scores; not needed where there is one.
        column : str or int, optional
            Under which name new cases will bring their segment; that of the scan's column if not given.
        max_error : float, default=1e-4
            How fine the curves are from which models other than the pure PAV learn; 0 for all rows.

        Returns
        -------
        self
            Fitted, as by :meth:`fit` with ``bins="category"`` on the column of segments. "pav" with a
            shrinkage of 0 or inf, and the hull of "fixed", are the same number by number; others to within
            what `max_error` leaves open.

        Examples
        --------
        >>> import rochull as rh
        >>> table = rh.datasets.load("german_credit_scores")
        >>> scan = rh.scan(table, label="class", scores="knn", segment="job", pos_label="bad")
        >>> seg = rh.ErrorRedistribution("pav", shrinkage=0).fit_scan(scan)
        >>> bool(seg.hull_.auc() > scan.roc_hulls()["knn"].auc())
        True
        """
        if not (isinstance(self.bins, str) and self.bins in ("auto", "category")):
            raise ValueError(f"bins={self.bins!r}: the bins of a scan are its segments; leave it at 'auto'.")
        name = column if column is not None else scan.segment_column
        if name is None:
            raise Refusal(
                "{}: the scan does not know what its segments are called; name the column.",
                Parameter("column"),
            )
        min_bin = _validation.whole(self.min_bin, "min_bin", 1)
        error = max_error and _validation.probability(max_error, "max_error", open_ends=True)
        data = ScannedSegments.of(scan, score, name, min_bin)
        self._lower = scan.direction_of(data.score, self.lower_is_positive)
        _refuse_long_integers(data.ends())
        tried = candidates(self.model, self.n_bins, self.shrinkage, data.ends())
        chosen, self.choice_ = chosen_of(tried, data, _validation.whole(self.cv, "cv", 2), self.random_state)
        self.bins_ = data.bins
        self._model, tally, points = fitted(chosen, data, error)
        self._keep(chosen, data.counts, tally, points)
        return self

    def _learn(self, chosen: Candidate, data: Labelled, columns: Any, min_bin: int) -> None:
        """Fit the chosen candidate to all examples."""
        positive = (data.positive == 1).astype(np.uint8)
        self.bins_ = fit_bins(
            columns, self.bins, positive, n_bins=chosen.n_bins, min_bin=min_bin, score=data.scores
        )
        segment = self.bins_.assign(columns)
        scores = SegmentedScores.of(data, segment, len(self.bins_))
        self._model = chosen.model().fit(scores)
        tally = self._model.tally(scores)
        self._keep(chosen, np.stack(scores.counts(), axis=1), tally, tally)

    def _keep(self, chosen: Candidate, counts: Array, tally: Tally, points: Tally) -> None:
        """Set the attributes: from the counts (s, 2) of the bins, and the examples by their ratio.

        The hull is that of `tally`, the curve goes through `points`.
        """
        assert self.bins_ is not None
        self.segments_ = self.bins_.labels
        self.model_, self.n_bins_, self.shrinkage_ = chosen.name, len(self.bins_), chosen.shrinkage
        self.counts_ = dict(zip(self.segments_, map(tuple, counts.tolist()), strict=True))
        self.curve_ = RocCurve.from_tally(points).thin()
        hull = RocHull.from_blocks(pool(tally))
        self.ratios_ = hull.thresholds
        owners = LevelSets(self._model, self.ratios_, (*self.segments_, NOBODY), self._lower)
        self.hull_ = RocHull(hull.fp, hull.tp, hull.n_neg, hull.n_pos, hull.units).with_owners(owners)

    def _learn_without_bins(self, data: Labelled, columns: Any) -> Self:
        """Remark 1 of the paper."""
        if self.model != "equal-variance":
            raise ValueError(f'bins="continuous" needs model="equal-variance", but model is {self.model!r}.')
        self.bins_, self.choice_, self.segments_, self.counts_ = None, {}, (), {}
        self.model_, self.n_bins_, self.shrinkage_ = "equal-variance", 0, 0.0
        self.continuous_ = ContinuousModel(self.regressor, self.classifier).fit(data, columns)
        ratio, _ = self.continuous_.ratio(data.scores.astype(float), columns)
        tally = tally_of(Labelled(data.positive, ratio, data.weights))
        self.curve_ = RocCurve.from_tally(tally).thin()
        hull = RocHull.from_blocks(pool(tally))
        self.ratios_, self.hull_ = hull.thresholds, hull.named(_RATIO)
        return self

    # --- new cases -----------------------------------------------------------------------------

    def _scores(self, X: ArrayLike) -> Array:
        """Validated scores, of which high ones are positive."""
        scores = _validation.scores_1d(X, "X")
        return _validation.negated(scores, "X") if self._lower else scores

    def segment(self, aux: Any) -> Array:
        """Find the segment of each case.

        Returns
        -------
        ndarray of int64 of shape (n,)
            Index into `segments_`; -1 for a value never seen in training, and for missing values where
            none were seen.
        """
        check_is_fitted(self)
        if self.bins_ is None:
            raise ValueError('bins="continuous" has no segments.')
        return self.bins_.assign(aux)

    def transform(self, X: ArrayLike, *, aux: Any) -> Array:
        """Turn scores into benefit-cost ratios, which are comparable between segments.

        Parameters
        ----------
        X : array-like of shape (n,) or (n, 1)
            Scores.

        Returns
        -------
        ndarray of shape (n,)
            From 0 to inf, higher means more positive; with the baselines on the scale of the scores (negated,
            if `lower_is_positive`). Cases
            whose segment was never seen are treated by the map of the whole population; a warning counts
            them.
        """
        check_is_fitted(self)
        refuse_other_order({"X": X, "aux": aux})
        scores = self._scores(X)
        _refuse_long_integers(scores)
        if self.bins_ is None:
            columns = aux_columns(aux, scores.size, self.continuous_.features.names)
            ratio, unseen = self.continuous_.ratio(scores.astype(float), columns)
            _warn_of(unseen)
            return ratio
        segment = self.bins_.assign(aux, scores.size)
        unseen = segment == UNSEEN
        _warn_of(unseen)
        segment = np.where(unseen, len(self.bins_), segment) if unseen.any() else segment
        return self._model.ratio(scores.astype(float), segment)

    def curve(
        self, y_true: ArrayLike, y_score: ArrayLike, *, aux: Any, sample_weight: ArrayLike | None = None
    ) -> RocCurve:
        """Compute the bent ROC curve of labelled examples.

        Returns
        -------
        RocCurve
            Of :meth:`transform`; on other examples than those of training it is an honest estimate.
        """
        refuse_other_order({"y_true": y_true, "y_score": y_score, "aux": aux, "sample_weight": sample_weight})
        return roc_curve(
            y_true, self.transform(y_score, aux=aux), sample_weight=sample_weight, pos_label=self.pos_label
        )

    # --- rules ---------------------------------------------------------------------------------

    @takes_condition
    def at(self, condition: Condition, deterministic: bool = False) -> OperatingPoint:
        """Find the best operating point under a condition; see :meth:`RocHull.at`.

        Parameters
        ----------
        deterministic : bool, default=False
            The best single level of the ratio instead of a mixture. A policy holds the vertices of `hull_`
            only; it decides at any point that it is given.

        Returns
        -------
        OperatingPoint
            Its rules are :class:`SegmentedRule`; its rates in-sample.
        """
        check_is_fitted(self)
        wanted = question_asked(condition)
        found = optimum(self.hull_, wanted, deterministic)
        question = wanted.at_prevalence(self.hull_.prevalence)
        if not isinstance(way_of(question, deterministic), OneThreshold):
            return found
        # Between the vertices there are other levels of the ratio: the best that keeps the limit.
        hull, curve = self.hull_, self.curve_
        at, i = question.best_of_singles([hull.frontier, curve.frontier], (hull.n_neg, hull.n_pos))
        if not at:
            return found
        rule = rule_at(self, float(curve.score[i - 1])) if i else NEVER
        return replace(point_on_curve(None, curve, i), rules=((rule, 1.0),)).under(wanted)

    @takes_condition
    def thresholds(self, condition: Condition, *, aux: Any = None) -> Any:
        """List the threshold of every segment, or of given cases, under a condition.

        Parameters
        ----------
        aux : data frame, mapping of columns, or array-like of shape (n,) or (n, k), optional
            Auxiliary features of cases whose thresholds are asked for.

        Returns
        -------
        dict of hashable to float, or ndarray of shape (n,)
            Of the best single rule: the lowest score that is called positive in each segment; -inf where
            every case is, inf where none is (or none but infinite scores). Under `None` that of cases whose
            segment was never seen. With `aux` the threshold of every case. If `lower_is_positive`, the
            highest score; inf where every case is, -inf where none is.
        """
        check_is_fitted(self)
        if self.bins_ is None:
            if aux is None:
                raise refused("aux", 'is needed: bins="continuous" has a threshold for every case.')
            price = self.at(condition, deterministic=True).rules[0][0].lowest
            columns = aux_columns(aux, only=self.continuous_.features.names)
            levels = self.continuous_.thresholds(price, columns)
            return 0 - levels if self._lower else levels
        found = self._of_segments(condition)
        if aux is None:
            return found
        listed = np.array([found[name] for name in (*self.segments_, NOBODY)])
        segment = self.bins_.assign(aux)
        _warn_of(segment == UNSEEN)
        return listed[segment]  # -1, for what was never seen, is the last

    def _of_segments(self, condition: Condition) -> dict[Hashable, float]:
        rule = self.at(condition, deterministic=True).rules[0][0]
        every = (*self.segments_, NOBODY)
        each = rule.rules if isinstance(rule, SegmentedRule) else (rule,) * len(every)
        lowest = [0 - own.lowest if self._lower else own.lowest for own in each]
        return dict(zip(every, lowest, strict=True))

    def policy(
        self, *, name: str = "score", salt: str = "", about: Mapping[str, str] | None = None
    ) -> SegmentPolicy:
        """Write down the rules of all segments, to be deployed.

        Parameters
        ----------
        name : str, default="score"
            What the classifier is called: the column of its scores.

        Returns
        -------
        SegmentPolicy
            With the vertices of `hull_`.

        Raises
        ------
        ValueError
            With `bins="continuous"`, whose regressors no document can hold, or if two segments have the same
            name.
        """
        check_is_fitted(self)
        if self.bins_ is None:
            raise ValueError(
                'bins="continuous" has a threshold for every case, by regressors that no policy can hold; '
                "use bins."
            )
        return SegmentPolicy.of_bins(self.hull_, self.bins_, salt, about, name=name)


def _warn_of(unseen: Array) -> None:
    count = int(np.count_nonzero(unseen))
    if count:
        warn(
            Message(
                "{}: {} of {} cases have values never seen in training; they are treated as those of the "
                "whole population.",
                Parameter("aux"),
                count,
                unseen.size,
            )
        )


def _refuse_long_integers(scores: Array) -> None:
    """Segments compare scores as float64: integers beyond 2**53 would be merged silently."""
    if scores.dtype.kind in "iu" and scores.size and max(-int(scores.min()), int(scores.max())) > _EXACT:
        raise ValueError("X holds integers beyond 2**53, which float64 cannot tell apart; rank them first.")


def rule_at(fitted: ErrorRedistribution, ratio: float) -> Rule:
    """The cases called positive at a ratio."""
    if fitted.bins_ is None:
        return Rule("threshold", _RATIO, ratio)
    ratios, names = np.array([np.inf, ratio, 0.0]), (*fitted.segments_, NOBODY)
    return LevelSets(fitted._model, ratios, names, fitted._lower)[1][0]
