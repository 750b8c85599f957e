"""Several classifiers as one scikit-learn classifier that decides under conditions given late."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from rochull._core.docstrings import described
from rochull._core.rows import refuse_other_order
from rochull._core.validation import Array
from rochull._core.warned import warn
from rochull.calibration.pav import PavCalibrator
from rochull.conditions.base import Condition
from rochull.conditions.costs import Accuracy, costs_alone, costs_of
from rochull.conditions.keywords import takes_condition
from rochull.conditions.question import Question
from rochull.conditions.rules import Action, OperatingPoint, Rule
from rochull.conditions.vertices import InfeasibleConditionError
from rochull.estimators.conditions import AtConditions, has_reviews
from rochull.estimators.evaluation import HeldOut, RocchEvaluation, alone, conditions_of, evaluation
from rochull.estimators.kept_back import KeepsBack
from rochull.estimators.out_of_fold import CONSTRUCTED, weights_of
from rochull.estimators.training import (
    glimpse,
    labels_in,
    repeats_in,
    takes_groups,
)
from rochull.hull.hull import RocHull
from rochull.hull.ways import Assured, AssuredOverRange, OverRange, ReviewsOverRange, WithReviews, way_of
from rochull.hybrid.assured import refuse_repeats
from rochull.hybrid.hybrid import Hybrid, holding, only
from rochull.hybrid.members import Members
from rochull.hybrid.regret import RegretTable, regret_table
from rochull.hybrid.sensitivity import potentially_optimal
from rochull.policies.policy import Policy

if TYPE_CHECKING:
    from rochull._core.rotation import Split


@described(CONSTRUCTED)
class RocchClassifier(AtConditions, KeepsBack):
    """Several classifiers as one, which decides by the best of them under any operating condition.

    Every example is scored by clones that were trained without its fold. The hull of all classifiers' scores
    together says which of them, at which threshold, is best under which condition. Only those that
    some condition of the stated range needs are then trained on all examples, and a prediction calls only
    those that its condition needs.

    Parameters
    ----------
    estimators : list of (str, object)
        Names and scikit-learn classifiers, as in `VotingClassifier`; "drop" in place of a classifier leaves
        it out. A classifier with `predict` only is a single point of ROC space. `FrozenEstimator` wraps one
        that is trained already, on other examples.
    condition : Condition, optional
        What plain `predict` decides under, and the range that is prepared for: with intervals only the
        classifiers that are optimal somewhere in it are trained on all examples. Without it, all on the
        hull are, and plain `predict` minimises errors at the training proportion of the classes.
    cv : int, splitter or iterable, default=5
        The folds: a number of stratified folds, a splitter, or its splits. A row that no test part holds
        adds nothing to the hull, and one that several hold counts several times: it is a weight then, and
        ``policy_.estimate_prevalence`` takes the ratios as known. Where `condition` states a confidence the
        first split alone is made, of shuffled folds for a number: its training part trains the classifiers
        that decide, its test part sets their thresholds. ``cv=2`` keeps half of the examples back.
    response_method : {"auto", "decision_function", "predict_proba"}, default="auto"
        What the scores are. "auto" takes the first that a classifier has, and at last `predict`.
    review_label : object, default="review"
        What `predict` gives for a case that is to be reviewed, under a :class:`Review`.
    pos_label : object, optional
        The label of the positive class. Without it 1 (True) is positive of {0, 1}, {-1, 1} or booleans; of
        other labels the second in their order, as in scikit-learn, and a warning says which.

    Attributes
    ----------
    hybrid_ : Hybrid
        The hulls of the out-of-fold scores. All its rates are in-sample: it chooses the rules by them.
    dominance_table_ : DominanceTable
        Which classifier is optimal at which slopes.
    policy_ : Policy
        The same rules as a JSON document that decides from scores: of the classifiers in `estimators_` under
        the conditions that were prepared for, of others on the hull elsewhere.
    estimators_ : dict of str to object
        The classifiers that decide, by name: trained on all examples, or with a confidence on a part.
    calibrators_ : dict of str to PavCalibrator
        What makes probabilities of their scores: PAV of the out-of-fold scores, and of an example of each
        class more at the highest and at the lowest of them, so that no probability is 0 or 1.
    condition_ : Condition
        What plain `predict` decides under: `condition`, or `Accuracy` at the training proportion.
    classes_ : ndarray of shape (2,)
        The labels, in the order of the columns of :meth:`predict_proba`.
    pos_label_ : object
        The positive label.
    out_of_fold_scores_ : dict of str to ndarray of shape (m,)
        What the hulls were made from.
    out_of_fold_rows_ : ndarray of shape (m,)
        The rows of these scores; all rows in order where the folds are a partition.
    splits_ : list of (ndarray, ndarray)
        Training and test part of each fold.
    n_features_in_, feature_names_in_ : int, ndarray
        Number and names of the features, if the examples have them.

    Notes
    -----
    A threshold comes from scores of classifiers that were trained without a fold, and is applied to those of
    a classifier that was trained on all examples. Both are on one scale only roughly: probabilities of
    forests or neighbours nearly so; the margins of a classifier that fits more tightly with more data may
    be wider. :meth:`evaluate` on other examples shows whether it matters. A confidence can be stated of a
    classifier only that set its threshold itself, on examples that did not train it. So a `condition` that
    states one keeps a part of the examples back, and nothing is trained again. Without that, and unless all
    classifiers are frozen, decisions under a condition with a confidence are refused.

    The default rule, and a condition without a stated mixture, is a single threshold, so that predictions are
    deterministic: under a limit the best point of the raw out-of-fold curves of the trained classifiers,
    which can be below the hull (``policy_`` has the hull's vertices only). Under an imprecise condition it is
    the rule of least worst-case regret: a vertex for costs, such a point for limits.

    The rules of a hybrid are of several classifiers, and need not be nested: a case can be called positive
    under a condition and negative under a more generous one. So no single score has the hybrid's hull as its
    ROC curve, and `decision_function` and `predict_proba` are those of the one classifier that decides under
    a condition: that of `predict`, if none is given. An area under the curve, such as that of
    ``scoring="roc_auc"``, is that classifier's, and is not a measure of the hybrid; an expected cost is, see
    :func:`cost_scorer`.

    A `Capacity` is kept on average, at its prevalence; ``policy_.decide`` presents exactly so many rows of a
    batch, from the scores of all classifiers on the hull. Under ``Review(max_cases=...)`` plain `predict`
    passes on at most so many rows of its batch, as ``policy_.decide`` does; no rule for one case
    does that, so that :meth:`decision_rule`, :meth:`score` and probabilities ask for `max_share` instead.

    `sample_weight` can be the cost of each example: counting an example in proportion to its cost is what
    Provost & Fawcett (2001) propose where costs depend on the example, and a whole weight is exactly as if
    the row was there so often.

    With scikit-learn's metadata routing enabled, ``set_predict_request(condition=True)`` lets a `Pipeline`
    pass a condition on (likewise to `predict_proba` and `decision_function`), and
    ``set_score_request(condition=True)`` lets `cross_validate` and searches judge by expected cost. The
    weights of `fit` are used for the hull unless ``set_fit_request(sample_weight=False)``.

    References
    ----------
    Provost & Fawcett 2001, sections 3 and 4.

    Examples
    --------
    >>> import rochull as rh
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = make_classification(900, weights=[0.8], random_state=4)
    >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    >>> model = rh.RocchClassifier([("bayes", GaussianNB()), ("tree", tree)]).fit(X[:600], y[:600])
    >>> print(model.dominance_table_)
               slope range  dominator
               [0, 0.4769]  bayes
           [0.4769, 4.878]  tree
              [4.878, inf]  bayes
    absolute dominator: none
    >>> dear = rh.ExpectedCost(cost_fn=20, prevalence=0.2)
    >>> print(model.decision_rule(dear))
    fpr 0.37, tpr 0.983: bayes >= 0.0142
    >>> model.predict(X[600:605], condition=dear).tolist(), model.predict(X[600:605]).tolist()
    ([0, 1, 0, 0, 0], [0, 0, 0, 0, 0])
    """

    # The hull uses the weights, whatever the classifiers do with them.
    __metadata_request__fit = {"sample_weight": True}  # noqa: RUF012 - read by scikit-learn

    @takes_condition
    def __init__(
        self,
        estimators: Any,
        condition: Condition | None = None,
        cv: Any = 5,
        n_jobs: int | None = None,
        *,
        response_method: str = "auto",
        pos_label: Any = None,
        review_label: Any = "review",
    ) -> None:
        self.estimators = estimators
        self.condition = condition
        self.cv = cv
        self.n_jobs = n_jobs
        self.response_method = response_method
        self.pos_label = pos_label
        self.review_label = review_label

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, **params: Any) -> Self:
        """Find the hull out of fold, and train the classifiers that are needed.

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
        InfeasibleConditionError
            If no rule meets `condition`.
        ValueError
            If there are not two classes or `pos_label` is neither, if a fold lacks one, for names or
            classifiers that are none, or if a keyword has nowhere to go.
        """
        self._train(X, y, sample_weight, params)
        return self

    def _train(
        self, X: Any, y: ArrayLike, sample_weight: Any, params: dict[str, Any], *, everything: bool = False
    ) -> dict[str, Any]:
        """Fit; give the trained classifiers, with `everything` also those that no condition needs."""
        templates, training = self._prepared(X, y, sample_weight, params)
        if self.condition is not None:
            refuse_repeats(self.condition.question, repeats_in(self.out_of_fold_rows_))
        self._glimpse = glimpse(training.rotation.X)
        scores, self._kept = training.out_of_fold(templates, self.splits_, keep=self._holds_back)
        hybrid = self._joined(holding(Members(repeats=repeats_in(self.out_of_fold_rows_))), scores)
        known = self._share = hybrid.hull.prevalence
        self._range = None if self.condition is None else self.condition.at_prevalence(known)
        self.condition_ = Accuracy(known) if self._range is None else self._range
        wanted = list(templates) if everything else self._feasible(partial(self._wanted, hybrid))
        fitted = self._deployed(training, {name: templates[name] for name in wanted})
        self.out_of_fold_scores_ = scores
        self._serve(hybrid, fitted)
        return fitted

    def _joined(self, hybrid: Hybrid, scores: dict[str, Array]) -> Hybrid:
        """The hybrid with more classifiers, from their out-of-fold scores."""
        positive, weights = self._held_out()
        for name, column in scores.items():
            hybrid.add(name, positive, column, sample_weight=weights, curve=True)
        return hybrid

    def _wanted(self, hybrid: Hybrid) -> list[str]:
        """The classifiers that the conditions of the range need, in the order of `estimators`."""
        question, hull = None if self._range is None else self._range.question, hybrid.hull
        if question is None or question.batch is not None:
            names = set(hull.classifiers)  # a batch needs them all
        elif costs_alone(question) is not None:
            names = set(potentially_optimal(question, hull))
        elif isinstance(way_of(question, deterministic=True), ReviewsOverRange):
            names = set(hybrid.hulls)  # who is best may change within the range
        else:
            ends = question.corners()
            points = [hybrid.at(end, deterministic) for end in ends for deterministic in (False, True)]
            names = {name for point in points for name in point.classifiers}
            match way_of(question, deterministic=True):
                case AssuredOverRange():
                    least = hybrid.regret(question.asked).minimax
                    names |= set(() if least is None else least.classifiers)
                case OverRange():
                    names |= set(potentially_optimal(question, hull))
        return [name for name in hybrid.hulls if name in names]

    def _serve(self, hybrid: Hybrid, fitted: dict[str, Any]) -> None:
        """Store what decides. Of several owners of a vertex, one that is trained is taken first."""
        self.hybrid_, self.dominance_table_ = hybrid, hybrid.dominance_table()
        wanted = self._wanted(hybrid)
        self.estimators_ = {name: fitted[name] for name in wanted}
        owners = tuple(
            tuple(sorted(rules, key=lambda rule: not {*rule.classifiers} <= {*wanted}))
            for rules in hybrid.hull.owners
        )
        self.policy_ = Policy.from_hull(hybrid.hull.with_owners(owners))
        positive, weights = self._held_out()
        self.calibrators_ = {
            name: PavCalibrator().fit(*_with_ends(self.out_of_fold_scores_[name], positive, weights))
            for name in wanted
        }

    # --- deciding ------------------------------------------------------------------------------

    @takes_condition
    def decision_rule(self, condition: Condition | None = None, *, mixture: bool = False) -> OperatingPoint:
        check_is_fitted(self)
        if condition is not None:
            self._check_asked(condition)
        asked: Condition = self.condition_ if condition is None else condition
        self._require_kept(asked.question)
        point = self._best(asked, mixture).under(asked.question)
        self._require_trained(point.classifiers, asked)
        return point

    def _require_trained(self, names: Sequence[str], asked: Condition) -> None:
        absent = [name for name in names if name not in self.estimators_]
        if absent:
            trained = ", ".join(map(repr, self.estimators_)) or "none"
            why = "those on the hull" if self._range is None else f"for {self._range!r}{_slopes(self._range)}"
            raise ValueError(
                f"condition: {asked!r} needs {', '.join(map(repr, absent))}, but trained on all examples "
                f"is only {trained} ({why}); fit with a condition whose range includes it."
            )

    @property
    def _hull(self) -> RocHull:
        return self.hybrid_.hull

    def _best(self, condition: Condition, mixture: bool) -> OperatingPoint:
        question = condition.question.at_prevalence(self._hull.prevalence)
        match way_of(question, not mixture):
            case AssuredOverRange():
                return _least(self.hybrid_.regret(question.asked), mixture)
            case Assured():
                return self.hybrid_.at(condition, not mixture)  # a policy has no examples
            case OverRange() | WithReviews():
                point = question.own_point(self._trained(), not mixture, minimax=True)
                return self._least_regret(question, mixture) if point is None else point
        return self.policy_.at(condition) if mixture else self._single(condition)

    def _trained(self) -> list[RocHull]:
        """The hulls of the classifiers that are trained; where no rule needs one, of all."""
        hulls = self.hybrid_.hulls
        return [hulls[name] for name in self.estimators_] or list(hulls.values())

    def _single(self, condition: Condition | Question) -> OperatingPoint:
        """The best single threshold of the classifiers that are trained.

        Where the range of `fit` was meant to have the best of all, but has not, it is that one.
        """
        best = self.hybrid_.at(condition, deterministic=True)
        if set(best.classifiers) <= self.estimators_.keys():
            return best
        try:
            own = only(self.hybrid_, list(self.estimators_)).at(condition, deterministic=True)
        except InfeasibleConditionError:
            return best
        same = (own.fpr, own.tpr) == (best.fpr, best.tpr)
        return own if same or self._range is None else best

    def _least_regret(self, question: Question, mixture: bool) -> OperatingPoint:
        """The rule of least worst-case regret under an imprecise condition."""

        def at(precise: Question, deterministic: bool, _: str | None) -> OperatingPoint:
            return self._single(precise) if deterministic else self.hybrid_.at(precise)

        # The vertices alone are looked at: no classifier's own.
        return _least(regret_table(question, self.policy_.hull, {}, at), mixture)

    def _calls(self, X: Any, condition: Condition | None, mixture: bool, **how: Any) -> Array:
        check_is_fitted(self)
        asked: Any = self.condition_ if condition is None else condition
        if not isinstance(asked, Condition) or asked.question.reviews_in_batch is None:
            return self._decide(X, self.decision_rule(condition, mixture=mixture), **how)
        self._check_asked(asked)
        self._require_trained(self.policy_.classifiers, asked)
        how |= {} if mixture else {"random_state": 0}  # equal scores are reviewed in an order that stays
        return self._decide(X, asked.at_prevalence(self._share), self.policy_.classifiers, **how)

    def _labelled(self, called: Array) -> Array:
        if called.dtype.kind == "b":
            return super()._labelled(called)
        if self.review_label in self.classes_.tolist():
            raise ValueError(f"review_label={self.review_label!r} is the label of a class; give another one.")
        labels, label = super()._labelled(called == Action.POSITIVE.word), np.asarray(self.review_label)
        if label.dtype.kind != labels.dtype.kind:
            labels, label = labels.astype(object), label.astype(object)
        return np.where(called == Action.REVIEW.word, label, labels)

    def _decide(
        self, X: Any, asked: Condition | OperatingPoint, names: Sequence[str] | None = None, **how: Any
    ) -> Array:
        """Whether each example (n,) is called positive, by a point or from scores of these classifiers."""
        names = asked.classifiers if isinstance(asked, OperatingPoint) else names or ()
        score = self._scorer()
        columns = {name: score(self.estimators_[name], X) for name in names}
        if not columns:  # constant rules: nobody else looks at the examples
            validate_data(self, X, reset=False, skip_check_array=True)
            columns = {"": np.zeros(_num_samples(X))}  # tells how many there are
        # Without a look at the batch: the policy was made from scores of other models, out of fold.
        called: Array = self.policy_.decide(columns, asked, on_misfit="ignore", **how)
        return called

    # --- scores and probabilities ----------------------------------------------------------------

    def _leading(self, condition: Condition | None) -> tuple[Rule, str | None]:
        """The single rule that decides, and its classifier; of a constant rule that of the next on the hull.

        None where no condition of the range needs any.
        """
        rule = self.decision_rule(condition).rules[0][0]
        if rule.classifiers:
            return rule, rule.classifiers[0]
        owners = self.policy_.hull.owners
        onwards = owners if rule.constant is Action.NEGATIVE else owners[::-1]
        names = (name for rules in onwards for one in rules for name in one.classifiers)
        return rule, next((name for name in names if name in self.estimators_), None)

    def _scores_of(self, name: str | None, X: Any) -> Array:
        """Scores (n,) of a trained classifier; of none, all alike."""
        if name is None:
            validate_data(self, X, reset=False, skip_check_array=True)
            return np.zeros(_num_samples(X))
        return np.asarray(self._scorer()(self.estimators_[name], X))

    def _judged(self, X: Any, condition: Condition | None) -> tuple[Rule, Array, Array]:
        rule, name = self._leading(condition)
        return rule, self._scores_of(name, X), self.out_of_fold_scores_.get(name or "", np.zeros(1))

    @takes_condition
    def predict_proba(self, X: Any, condition: Condition | None = None) -> Array:
        """Compute probabilities at the training proportion, by the classifier that decides under a condition.

        Returns
        -------
        ndarray of shape (n, 2)
            Of ``classes_[0]`` and ``classes_[1]``: the classifier's scores by its calibrator in
            ``calibrators_``. Where a constant rule decides, the classifier is that of the nearest rule on
            the hull; if no condition of the range needs any, the probability is the training proportion.
        """
        check_is_fitted(self)
        _, name = self._leading(condition)
        scores = self._scores_of(name, X)
        if name is None:
            return self._by_class(np.full(scores.size, self.hybrid_.prevalence))
        return self._by_class(self.calibrators_[name].posterior(scores))

    def _rates(self, X: Any, y: ArrayLike, sample_weight: Any, condition: Condition) -> tuple[float, float]:
        point = self.decision_rule(condition)
        return self._held(X, y, sample_weight).rates(point)

    def _cost(self, X: Any, y: ArrayLike, sample_weight: Any, condition: Any) -> float:
        if not has_reviews(condition):
            return super()._cost(X, y, sample_weight, condition)
        point, held = self.decision_rule(condition), self._held(X, y, sample_weight)
        cost: float = condition.cost_at(held.judged(point))
        return cost

    # --- one more --------------------------------------------------------------------------------

    def add_estimator(
        self,
        name: str,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        **params: Any,
    ) -> Self:
        """Add a classifier, given the same rows, labels and weights as `fit`, in the same order.

        Those that are trained are not trained again.

        Parameters
        ----------
        name : str
            Its name; must be new.
        estimator : object
            A classifier, not fitted.

        Returns
        -------
        self
            It is scored in the folds of `fit`. If it is dominated, nothing is trained on all examples, and
            the hull stays as it was. Otherwise it is; those that it has displaced from the hull, or from the
            range of `condition`, are dropped from ``estimators_``, as no condition needs them.

        Notes
        -----
        `estimators` becomes a longer list, so that a clone, or another `fit`, has the newcomer too. Under a
        constraint that is an interval, a newcomer can make a mixture possible whose other end is a
        classifier that was not needed before; that one is trained then.
        """
        check_is_fitted(self)
        before = self.estimators
        if name in dict(before) or name in self.hybrid_.hulls:
            raise ValueError(f"name {name!r} is taken: a classifier can be added once.")
        self.estimators = [*before, (name, estimator)]
        try:
            self._add(name, self._same_rows(X, y, sample_weight), sample_weight, params)
        except BaseException:
            self.estimators = before
            raise
        return self

    def _same_rows(self, X: Any, y: ArrayLike, sample_weight: Any) -> Any:
        """The examples, if labels and weights are those of `fit`."""
        labels = labels_in(y, self.classes_)
        refuse_other_order({"X": X, "y": y, "sample_weight": sample_weight})
        weights = weights_of(sample_weight, labels, some_of_each=False)
        same = np.array_equal(labels, self._labels)
        if same and self._weights is not None:
            same = weights is not None and np.array_equal(weights, self._weights)
        elif same and weights is not None:
            same = bool(self._get_metadata_request().fit.requests.get("sample_weight") is False)
        if not same or _num_samples(X) != labels.size:
            raise ValueError(
                "X, y or sample_weight is not that of fit: classifiers of one hybrid must be scored on the "
                "same examples in the same order."
            )
        validate_data(self, X, reset=False, skip_check_array=True)
        return X

    def _add(self, name: str, X: Any, sample_weight: Any, params: dict[str, Any]) -> None:
        templates = self._templates()
        params = {key: value for key, value in params.items() if key != "groups"}
        training, _, _ = self._passed(X, self._labels, sample_weight, params, told=self.hybrid_.hulls)
        scores, kept = training.out_of_fold({name: templates[name]}, self.splits_, keep=bool(self._kept))
        self._kept = self._kept | kept
        hybrid = self._joined(copy(self.hybrid_), scores)
        missing = [n for n in self._wanted(hybrid) if n not in self.estimators_]
        fitted = self._deployed(training, {n: templates[n] for n in missing})
        self.out_of_fold_scores_ = self.out_of_fold_scores_ | scores
        self._serve(hybrid, self.estimators_ | fitted)

    # --- judging -----------------------------------------------------------------------------------

    @takes_condition
    def evaluate(
        self,
        X: Any,
        y: ArrayLike,
        conditions: Condition | Sequence[Condition],
        sample_weight: ArrayLike | None = None,
        *,
        level: float = 0.95,
        method: str = "wilson",
    ) -> RocchEvaluation:
        """Measure the rules on examples that did not choose them.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of n examples
            Others than those of `fit`; a warning tells if they are the same.
        conditions : Condition or sequence of m of them
            With a single number for every parameter.
        sample_weight : array-like of shape (n,), optional
            Weights; the intervals are left out then.
        level : float, default=0.95
            Nominal coverage of each interval.
        method : {"clopper-pearson", "wilson"}, default="wilson"
            Kind of interval of the rates; see :func:`rate_interval`.

        Returns
        -------
        RocchEvaluation
            Each deterministic rule's rates and cost, in-sample and held out, beside those of the
            classifiers in ``estimators_`` alone; :func:`cross_validate_rocch` compares with all.
        """
        check_is_fitted(self)
        if np.array_equal(np.asarray(y), self._labels) and glimpse(X) == self._glimpse:
            warn(
                "X and y are those of fit: on the examples that trained the classifiers and chose the rules "
                "nothing is held out, and the costs come out too low."
            )
        return self._evaluation(
            X, y, conditions_of(conditions, self.hybrid_.hull.prevalence),
            sample_weight=sample_weight, fitted=self.estimators_, level=level, method=method,
        )  # fmt: skip

    def _evaluation(
        self,
        X: Any,
        y: ArrayLike,
        conditions: tuple[Condition, ...],
        *,
        sample_weight: Any,
        fitted: dict[str, Any],
        level: float = 0.95,
        method: str = "wilson",
    ) -> RocchEvaluation:
        """Beside the classifiers `fitted` alone."""
        points = tuple(self.decision_rule(condition) for condition in conditions)
        held = self._held(X, y, sample_weight, fitted)
        found = alone(self.hybrid_, list(fitted), conditions, held)
        single = {name: found[:, :, j] for j, name in enumerate(fitted)}
        return evaluation(conditions, points, held, single, level=level, method=method)

    def _held(
        self, X: Any, y: ArrayLike, sample_weight: Any, fitted: dict[str, Any] | None = None
    ) -> HeldOut:
        check_is_fitted(self)
        labels = labels_in(y, self.classes_)
        refuse_other_order({"X": X, "y": y, "sample_weight": sample_weight})
        if _num_samples(X) != labels.size:
            raise ValueError(
                f"X and y must have the same length, but have {_num_samples(X)} and {labels.size}."
            )
        score, classifiers = self._scorer(), self.estimators_ if fitted is None else fitted
        return HeldOut(
            labels == self.classes_[self._positive],
            weights_of(sample_weight, labels, some_of_each=False),
            lambda name: score(classifiers[name], X),
        )


def evaluate_fold(
    classifier: RocchClassifier,
    X: Any,
    labels: Array,
    split: Split,
    *,
    conditions: tuple[Condition, ...],
    weights: Array | None,
    groups: Any,
) -> RocchEvaluation:
    """Fit a clone to the training part of a split, and judge it, and each classifier alone, on the other."""
    train, test = split
    model: RocchClassifier = clone(classifier)
    X_train, y_train = _safe_split(model, X, labels, train)
    X_test, y_test = _safe_split(model, X, labels, test, train)
    params = {}
    if groups is not None and takes_groups(model.cv):
        params["groups"] = np.asarray(groups)[train]
    fitted = model._train(
        X_train, y_train, None if weights is None else weights[train], params, everything=True
    )
    tested = None if weights is None else weights[test]
    return model._evaluation(X_test, y_test, conditions, sample_weight=tested, fitted=fitted)


def _with_ends(scores: Array, positive: Array, weights: Array | None) -> tuple[Array, Array, Array | None]:
    """Examples with one more of each class at the highest score, and at the lowest.

    These weigh 1, so that a whole weight still is as if the row was there so often, or the mean weight where
    that is less: weights that add up to 1 must not be drowned.
    """
    top, bottom = scores.max(), scores.min()
    more = np.array([top, top, bottom, bottom], scores.dtype)
    labels = np.array([True, False, True, False])
    if weights is not None:
        least = min(1.0, float(weights[weights > 0].mean()))
        weights = np.concatenate([weights, np.full(4, least)])
    return np.concatenate([scores, more]), np.concatenate([positive, labels]), weights


def _least(table: RegretTable, mixture: bool) -> OperatingPoint:
    """The rule of least worst-case regret."""
    point = (table.least_worst if mixture else table.least_worst_single).point
    if point is None:
        raise ValueError(f"condition: under {table.condition!r} every rule can lose without bound.")
    return point


def _slopes(condition: Condition) -> str:
    """The range of iso-performance slopes, where there is one."""
    costs = costs_of(condition)
    if costs is None:
        return ""
    low, high = costs.slope_range
    return f", slopes {low:.4g} to {high:.4g}" if low < high else f", slope {low:.4g}"
