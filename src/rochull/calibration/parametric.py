"""Parametric calibrators: logistic and beta calibration, behind the same interface as PAV.

They are what PAV is compared with. Both are logistic regressions on known functions of the score,
by scikit-learn, without a penalty.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rochull._core import validation
from rochull._core.messages import refused
from rochull._core.validation import Array, Labelled
from rochull._core.warned import warn
from rochull.calibration.base import Calibrator
from rochull.calibration.calibrator_schema import BETA, LOGISTIC
from rochull.calibration.logistic_fit import CrossEntropy, optimum, rising
from rochull.calibration.map_sql import MapSql
from rochull.hull.polarity import say_if_reversed
from rochull.hull.tallies import Tally, tally_of

if TYPE_CHECKING:
    from rochull.calibration.streamed import Survey
    from rochull.scanning.row_passes import RowPasses

_EPS = float(np.finfo(float).eps)
_PARAMETERS = ("abm", "am", "ab")
_INFINITE = "X has infinite scores, to which no line can be fitted; PavCalibrator takes them."
_FEWEST = 4  # different scores that hardly all lie between 0 and 1
_LOOKED_AT, _FAR_MORE_LIKELY = 1 << 14, math.log(20)


class _Parametric(Calibrator):
    """The common part of both."""

    keeps_order = True
    prevalence: float | None
    targets: str

    def steps(self) -> None:
        return None  # the map is smooth

    def _how_fitted(self) -> dict[str, Any]:
        return {"prevalence": self.prevalence_, "fitted_at": self.prevalence, "targets": self.targets}


class LogisticCalibrator(_Parametric):
    """Logistic calibration: a straight line from scores to log-likelihood-ratios.

    ``llr = slope_ * score + intercept_`` minimises the cross-entropy at a chosen prior π, with the
    positives weighing π together and the negatives 1 - π (Brümmer's prior-weighted linear
    calibration). At the training proportion it is Platt's method.

    Parameters
    ----------
    prevalence : float, optional
        The effective prior π, strictly between 0 and 1; the training proportion if not given. The
        map then does not depend on the training proportion.
    targets : {"labels", "platt"}, default="labels"
        "platt" regresses on (P + 1) / (P + 2) for positives and 1 / (N + 2) for negatives, where P
        and N are the classes' total weights. This keeps the slope finite where a threshold separates
        the classes. LLRs are relative to the mean target, see the notes.
    pos_label : object, optional
        The label of the positive class.
    lower_is_positive : bool, default=False
        Low scores mean positive, as those of a distance do.
    bound : {"laplace", "focal", "misleading", "elub", "invariance"}, optional
        LLRs are clipped to what the data bear out, by :func:`llr_bounds` of the examples' own LLRs.

    Attributes
    ----------
    slope_, intercept_ : float
        Of the line. A negative slope is legal: low scores then mean positive, of which a warning tells
        unless `lower_is_positive` declares it.
    prevalence_ : float
        Proportion of positives in the data that it was fitted on.

    See Also
    --------
    PavCalibrator : Makes no assumption on the shape of the map, other than that it rises.

    Notes
    -----
    Scores must be finite when fitting. A warning tells if they look like probabilities whose log-odds fit
    better. A new score of ±inf gets ±inf, or the intercept if the slope is zero. Scores that are all equal
    get a slope of zero, and the LLR 0.

    Platt's targets move the proportion of positives too: from π to their mean m = π (P + 1) / (P + 2) +
    (1 - π) / (N + 2). What he calls the posterior, the value of the fitted sigmoid, holds at m. So LLRs
    are its log-odds less those of m, and not of π: scores that say nothing get LLRs of 0. By Bayes'
    rule ``posterior(scores)`` holds at the training proportion all the same, and
    ``posterior(scores, prevalence=m)`` is the sigmoid's value.

    References
    ----------
    Brümmer & du Preez 2013, equation (16) with the logarithmic rule: the objective. Brümmer & du Preez
    2006, Application-independent evaluation of speaker detection: the line. Platt 1999, Probabilistic
    outputs for support vector machines: the line at the training proportion, and the targets.

    Examples
    --------
    >>> import rochull as rh
    >>> calibrator = rh.LogisticCalibrator(prevalence=0.5).fit([-1.0, 0.0, 0.5, 1.0], [0, 1, 0, 1])
    >>> calibrator.llr([-1.0, 0.5]).round(3).tolist()
    [-1.956, 0.571]
    """

    schema = LOGISTIC
    takes = "finite scores"

    def __init__(
        self,
        prevalence: float | None = None,
        targets: str = "labels",
        pos_label: object = None,
        lower_is_positive: bool = False,
        *,
        bound: str | None = None,
    ) -> None:
        self.prevalence = prevalence
        self.targets = targets
        self.pos_label = pos_label
        self.lower_is_positive = lower_is_positive
        self.bound = bound

    def _fit(self, data: Labelled) -> None:
        if not np.isfinite(data.scores).all():
            raise ValueError(_INFINITE)
        groups = tally_of(data)
        say_if_reversed(data, "X", groups)
        loss = _loss(groups, self.prevalence, self.targets)
        scores = groups.score.astype(float)
        slope, constant = 0.0, loss.prior
        if scores[0] > scores[-1]:
            self._refuse_separated(_ends(groups, scores))
            largest = float(np.abs(scores).max())
            with np.errstate(over="ignore", under="ignore"):
                slopes, constant = optimum((scores / largest)[:, None], loss)
                slope = float(slopes[0] / largest)
        self._learn(slope, constant, loss.prior)
        self.prevalence_ = _training_proportion(groups)
        self._say_if_probabilities(scores, slope * scores + constant, loss, data.scores.size)

    def _fit_rows(self, rows: RowPasses) -> Survey:
        from rochull.calibration.streamed import StreamedRegression, Survey, as_columns

        survey = Survey.of(rows, as_columns, _INFINITE)
        share, smoothed = _share(self.prevalence, survey.prevalence), _smoothed(self.targets)
        fit = StreamedRegression(rows, as_columns, survey, share, smoothed)
        slope, constant = 0.0, fit.prior
        if survey.ends.min() < survey.ends.max():
            self._refuse_separated(survey.ends)
            slopes, constant = fit.optimum([0])
            slope = float(slopes[0])
        self._learn(slope, constant, fit.prior)
        self.prevalence_ = survey.prevalence
        if fit.sampled is not None:
            (column,), loss = fit.sampled[0].T, fit.sampled[1]
            self._say_if_probabilities(column, slope * column + constant, loss, rows.count)
        return survey

    def _refuse_separated(self, ends: Array) -> None:
        if self.targets == "labels":
            _refuse_separated(ends)
            _refuse_separated(-ends)

    def _learn(self, slope: float, constant: float, prior: float) -> None:
        if not math.isfinite(slope):
            raise ValueError("X: its scores lie so close together that the slope overflows; scale them.")
        self.slope_ = 0 - slope if self._lower else slope
        self.intercept_ = constant - prior

    def _say_if_probabilities(self, scores: Array, fitted: Array, loss: CrossEntropy, rows: int) -> None:
        """Warn of probabilities (g,) whose log-odds fit better; `fitted` are the log-odds of the line."""
        probability = 0 - scores if self._lower else scores
        if probability.size >= _FEWEST and probability.min() >= 0 and probability.max() <= 1:
            _say_if_log_odds_fit(probability, fitted, loss, rows)

    def _llr(self, scores: Array) -> Array:
        if self.slope_ == 0:  # also of infinite scores
            return np.full(scores.shape, self.intercept_)
        with np.errstate(over="ignore"):
            slope = -self.slope_ if self._lower else self.slope_
            return np.asarray(slope * scores.astype(float) + self.intercept_)

    def _ratio_in_sql(self, sql: MapSql, scores: Sequence[Any]) -> Any:
        return sql.line(-self.slope_ if self._lower else self.slope_, scores[0], self.intercept_)

    def _document(self) -> dict[str, Any]:
        return {
            "kind": "logistic",
            "slope": self.slope_,
            "intercept": self.intercept_,
            **self._how_fitted(),
        }

    @classmethod
    def _restore(cls, fields: Mapping[str, Any]) -> Self:
        restored = cls(prevalence=fields["fitted_at"], targets=fields["targets"])
        restored.slope_ = fields["slope"]
        restored.intercept_, restored.prevalence_ = fields["intercept"], fields["prevalence"]
        return restored


class BetaCalibrator(_Parametric):
    """Beta calibration: from probabilities to log-likelihood-ratios, by three parameters.

    ``llr = a_ log p - b_ log(1 - p) + intercept_`` with a, b >= 0 minimises the cross-entropy at a
    chosen prior, as :class:`LogisticCalibrator` does. The family contains the identity, and maps
    that bend at either end.

    Parameters
    ----------
    parameters : {"abm", "am", "ab"}, default="abm"
        What is fitted: a, b and the midpoint m; "am" has a = b, and "ab" has m = 1/2, so that the
        probability 1/2 is kept at the prior (with Platt's targets, at their mean).
    prevalence : float, optional
        The effective prior, strictly between 0 and 1; the training proportion if not given.
    targets : {"labels", "platt"}, default="labels"
        As in :class:`LogisticCalibrator`: with "platt", too, LLRs are relative to the mean target.
    pos_label : object, optional
        The label of the positive class.
    lower_is_positive : bool, default=False
        The probabilities are of the negative class: p and 1 - p change places in the map.
    bound : {"laplace", "focal", "misleading", "elub", "invariance"}, optional
        LLRs are clipped to what the data bear out, by :func:`llr_bounds` of the examples' own LLRs.

    Attributes
    ----------
    a_, b_, intercept_ : float
        Of the map.
    prevalence_ : float
        Proportion of positives in the data that it was fitted on.

    See Also
    --------
    LogisticCalibrator : For scores that are not probabilities.

    Notes
    -----
    Probabilities are clipped to [ε, 1 - ε], fitted ones and new ones, with ε = 2.2e-16, as in the
    authors' package `betacal`; so LLRs are finite. The optimum under a, b >= 0 is exact. It differs
    from that of `betacal` where the probabilities are inverted: there the map is constant here, and
    falls there.

    References
    ----------
    Kull, Silva Filho & Flach 2017, Beta calibration: a well-founded and easily implemented improvement
    on logistic calibration for binary classifiers, AISTATS.

    Examples
    --------
    >>> import rochull as rh
    >>> p, y = [0.1, 0.3, 0.4, 0.6, 0.9, 0.95], [0, 0, 1, 0, 1, 1]
    >>> rh.BetaCalibrator("am").fit(p, y).posterior([0.3, 0.5, 0.9]).round(3).tolist()
    [0.199, 0.426, 0.927]
    """

    schema = BETA
    takes = "probabilities"

    def __init__(
        self,
        parameters: str = "abm",
        prevalence: float | None = None,
        targets: str = "labels",
        pos_label: object = None,
        lower_is_positive: bool = False,
        *,
        bound: str | None = None,
    ) -> None:
        self.parameters = parameters
        self.prevalence = prevalence
        self.targets = targets
        self.pos_label = pos_label
        self.lower_is_positive = lower_is_positive
        self.bound = bound

    def _fit(self, data: Labelled) -> None:
        self._check_parameters()
        groups = tally_of(data)
        say_if_reversed(data, "X", groups)
        loss = _loss(groups, self.prevalence, self.targets)
        probability = self._clipped(groups.score, "X")
        self._refuse_separated(_ends(groups, probability))
        self._learn(*rising(self._fitted_columns(probability), loss, intercept=self._constant), loss.prior)
        self.prevalence_ = _training_proportion(groups)

    def _fit_rows(self, rows: RowPasses) -> Survey:
        from rochull.calibration.streamed import StreamedRegression, Survey

        def columns(scores: Array) -> Array:
            return self._fitted_columns(self._clipped(scores, "X"))

        self._check_parameters()
        survey = Survey.of(rows, columns, None)  # columns refuse what is infinite
        self._refuse_separated(self._clipped(survey.ends, "X"))
        share, smoothed = _share(self.prevalence, survey.prevalence), _smoothed(self.targets)
        fit = StreamedRegression(rows, columns, survey, share, smoothed)
        self._learn(*fit.rising(intercept=self._constant), fit.prior)
        self.prevalence_ = survey.prevalence
        return survey

    def _check_parameters(self) -> None:
        if self.parameters not in _PARAMETERS:
            raise ValueError(f"parameters must be 'abm', 'am' or 'ab', but is {self.parameters!r}.")

    def _refuse_separated(self, ends: Array) -> None:
        """Raise if a steeper rising map is always better, by probabilities (2, 2) at the ends of classes."""
        if self.targets == "labels":  # in this direction only: the maps rise
            sign = -1 if self._lower else 1
            _refuse_separated(sign * ends, 0.5 * sign if self.parameters == "ab" else None)

    @property
    def _constant(self) -> bool:
        """Whether a constant is fitted."""
        return self.parameters != "ab"

    def _fitted_columns(self, probability: Array) -> Array:
        """The columns (n, 1) or (n, 2) of the regression."""
        columns = self._columns(probability)
        if self.parameters == "abm":
            return columns
        if self.parameters == "am":
            return np.asarray(columns.sum(axis=1)[:, None])
        return np.asarray(columns + np.log([2, 0.5]))  # zero at p = 1/2: log 2p and -log 2(1 - p)

    def _learn(self, slopes: Array, constant: float, prior: float) -> None:
        if self.parameters == "ab":
            constant = float(slopes @ np.log([2, 0.5]))
        self.a_, self.b_ = float(slopes[0]), float(slopes[-1])
        self.intercept_ = constant - prior

    def _clipped(self, scores: Array, name: str) -> Array:
        """The probabilities (n,) that were given, clipped."""
        return _clipped(0 - scores if self._lower else scores, name)

    def _columns(self, probability: Array) -> Array:
        """The two rising functions of the probability (n, 2); of 1 - p, which is not rounded, if p falls."""
        columns = _beta_columns(probability)
        return -columns[:, ::-1] if self._lower else columns

    def _llr(self, scores: Array) -> Array:
        columns = self._columns(self._clipped(scores, "scores"))
        return np.asarray(columns @ np.array([self.a_, self.b_]) + self.intercept_)

    def _in_sql(self, sql: MapSql, columns: Sequence[Any]) -> Any:
        p = sql.dialect.as_double(columns[0].copy())
        log_p, log_rest = sql.logs(p, _EPS)
        for_it, against = (log_rest, log_p) if self._lower else (log_p, log_rest)
        parts = [(self.a_, for_it), (-self.b_, against)]
        ratio = sql.sum(*(sql.product(*part) for part in parts if part[0]), sql.number(self.intercept_))
        return sql.where_between(p, 0.0, 1.0, sql.of_ratio(ratio))

    def _document(self) -> dict[str, Any]:
        return {
            "kind": "beta",
            "a": self.a_,
            "b": self.b_,
            "intercept": self.intercept_,
            **self._how_fitted(),
            "parameters": self.parameters,
        }

    @classmethod
    def _restore(cls, fields: Mapping[str, Any]) -> Self:
        restored = cls(fields["parameters"], prevalence=fields["fitted_at"], targets=fields["targets"])
        restored.a_, restored.b_ = fields["a"], fields["b"]
        restored.intercept_, restored.prevalence_ = fields["intercept"], fields["prevalence"]
        return restored


def _say_if_log_odds_fit(probability: Array, fitted: Array, loss: CrossEntropy, rows: int) -> None:
    """Warn if the log-odds of probabilities (g,) make the labels far more likely than a line in them does.

    Of many groups an even part tells.
    """
    part = slice(None, None, -(-probability.size // _LOOKED_AT))
    loss = CrossEntropy(loss.up[part], loss.down[part], loss.prior)
    column = _beta_columns(np.clip(probability[part], _EPS, 1 - _EPS)).sum(axis=1)[:, None]
    with suppress(ValueError, np.linalg.LinAlgError):  # no line may be best of log-odds
        slopes, constant = optimum(column, loss)
        gain = loss.at(fitted[part]) - loss.at(column @ slopes + constant)
        if rows * gain > _FAR_MORE_LIKELY:
            warn(
                "X: all scores lie between 0 and 1, as if they were probabilities, and their log-odds fit "
                "the labels better: give log(p / (1 - p)), or take BetaCalibrator('am'), which does."
            )


def _loss(groups: Tally, prevalence: float | None, targets: str) -> CrossEntropy:
    """The cross-entropy at the effective prior."""
    smoothed = _smoothed(targets)
    return CrossEntropy.of(groups, _share(prevalence, _training_proportion(groups)), smoothed=smoothed)


def _smoothed(targets: str) -> bool:
    if targets not in ("labels", "platt"):
        raise refused("targets", "must be 'labels' or 'platt', but is {}.", repr(targets))
    return targets == "platt"


def _share(prevalence: float | None, training: float) -> float:
    """The effective prior: the training proportion, if none is given."""
    return (
        training if prevalence is None else validation.probability(prevalence, "prevalence", open_ends=True)
    )


def _clipped(probability: Array, name: str) -> Array:
    """Probabilities (n,) inside [ε, 1 - ε]."""
    wrong = (probability < 0) | (probability > 1)
    if wrong.any():
        found = probability[np.argmax(wrong)].item()
        raise refused(name, "must be probabilities, between 0 and 1, but holds {}.", repr(found))
    return np.asarray(np.clip(probability.astype(float), _EPS, 1 - _EPS))


def _beta_columns(probability: Array) -> Array:
    """The two rising functions of the probability (n, 2): log p and -log(1 - p)."""
    return np.column_stack([np.log(probability), -np.log1p(-probability)])


def _training_proportion(groups: Tally) -> float:
    """The positives' share of the weight."""
    pos, neg = float(groups.pos.sum()), float(groups.neg.sum())
    return pos / (pos + neg)


def _ends(groups: Tally, scores: Array) -> Array:
    """The lowest and the highest score (2, 2) of the negatives and of the positives."""
    classes = (scores[groups.neg_units > 0], scores[groups.pos_units > 0])
    return np.array([(own.min(), own.max()) for own in classes])


def _refuse_separated(ends: Array, at: float | None = None) -> None:
    """Raise if no negative is above some threshold and no positive below: steeper is then better.

    Scores that are all equal are not separated. `at` is the only threshold that counts, if given.
    """
    highest_neg, lowest_pos = ends[0].max(), ends[1].min()
    threshold = lowest_pos if at is None else at
    if highest_neg <= threshold <= lowest_pos and ends.min() < ends.max():
        raise ValueError(
            "X: a threshold separates the classes, so that the cross-entropy has no finite optimum: a "
            "steeper map is always better; targets='platt' smooths the labels, which gives one."
        )
