"""How good likelihood-ratios and probabilities are, and how good a recalibration could make them.

Names say what a function takes: an `llr` is a log-likelihood-ratio (natural log), a `probability`
holds at the prevalence of the sample, and of a `y_score` only the order counts. What is called a
minimum is a property of the sample: the recalibration is chosen on the data that it is judged by.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import described, entries
from rochull._core.results import Result
from rochull._core.validation import Array
from rochull.conditions.bayes import log_of, raised
from rochull.conditions.ranges import exact
from rochull.hull.hull import RocHull, roc_hull
from rochull.hull.sources import ArraySource
from rochull.hull.tallies import Tally, tally_of
from rochull.scoring.one_class import is_one_class, judged
from rochull.scoring.ratios import labelled_llr
from rochull.scoring.scoring_rules import PARAMETERS, BetaScore, Brier, LogScore, ScoringRule, mean_loss

_ROUNDING = 1e-12
_COSTS = PARAMETERS | entries("""
prevalence : float or array-like of shape (m,)
    Proportion of positives among the cases to be decided, strictly between 0 and 1; many in any order.
cost_fp, cost_fn : float, default=1.0
    Cost of a false positive and of a false negative, positive.
normalise : bool, default=True
    Divide by ``min(cost_fn prevalence, cost_fp (1 - prevalence))``, the cost of the better of "never"
    and "always": 1 is then what LLRs of 0 get.
""")


@described(PARAMETERS)
def cllr(
    y_true: ArrayLike,
    llr: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    as_llr: bool = False,
) -> float:
    """Compute the cost of log-likelihood-ratios, Cllr, in bits.

    ``mean over positives of log2(1 + exp(-llr)) / 2 + mean over negatives of log2(1 + exp(llr)) / 2``:
    the logarithmic score at even prior odds. 0 is perfect, and 1 is what LLRs of 0 get.

    Returns
    -------
    float
        Infinite only where an infinite LLR supports the wrong class.

    References
    ----------
    Brümmer & du Preez 2006; 2013, equation (16) with the logarithmic rule.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.cllr([1, 1, 0, 0], [0.0, 0.0, 0.0, 0.0])
    1.0
    >>> round(rh.cllr([1, 1, 0, 0], [2.0, 1.0, -730.0, 0.5]), 6)
    0.510089
    """
    score = LogScore().score_llr(y_true, llr, 0.5, sample_weight, pos_label=pos_label, as_llr=as_llr)
    return float(score / math.log(2))


@described(PARAMETERS)
def min_cllr(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    lower_is_positive: bool = False,
) -> float:
    """Compute the least Cllr that a monotone recalibration of the scores can have, in bits.

    It is that of PAV: what the scores' order is worth. ``cllr - min_cllr`` is the loss by bad
    calibration. In-sample by construction: PAV has seen the data that it is judged by. For a hull
    at hand, ``rh.LogScore().minimum(hull, 0.5) / log(2)`` is the same.

    Returns
    -------
    float
        Between 0 and 1.

    References
    ----------
    Brümmer & du Preez 2006; 2013, equation (21): PAV is optimal for every rule and prior.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.min_cllr([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    0.5
    """
    hull = roc_hull(
        y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, lower_is_positive=lower_is_positive
    )
    return float(LogScore().minimum(hull, 0.5) / math.log(2))


@described(PARAMETERS)
def eer(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    lower_is_positive: bool = False,
) -> float:
    """Compute the equal error rate: where the ROC convex hull meets fpr = 1 - tpr, exactly.

    In-sample by construction: each threshold is chosen on the data that it is judged by.

    Returns
    -------
    float
        Between 0 and 0.5. It is also the largest error rate of the best decisions over all priors.

    References
    ----------
    Brümmer & du Preez 2006.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.eer([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    0.25
    """
    return roc_hull(
        y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, lower_is_positive=lower_is_positive
    ).eer()


# --- costs of decisions -------------------------------------------------------------------------


@described(_COSTS)
def dcf(
    y_true: ArrayLike,
    llr: ArrayLike,
    prevalence: ArrayLike,
    *,
    cost_fp: float = 1.0,
    cost_fn: float = 1.0,
    normalise: bool = True,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    as_llr: bool = False,
) -> float | Array:
    """Compute the detection cost of the Bayes decisions that LLRs lead to.

    A case is called positive if ``llr > log(cost_fp (1 - prevalence) / (cost_fn prevalence))``, as by
    :func:`decide_by_llr`, and not if it ties to rounding; this costs
    ``cost_fn prevalence P_miss + cost_fp (1 - prevalence) P_fa``.

    Returns
    -------
    float or ndarray of shape (m,)
        One cost for each prevalence, in the order given.

    References
    ----------
    Brümmer & du Preez 2013, equation (15); the cost is that of NIST's speaker recognition evaluations.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.dcf([1, 1, 0, 0], [3.0, 1.0, 0.5, -2.0], 0.5)
    0.5
    >>> rh.dcf([1, 1, 0, 0], [3.0, 1.0, 0.5, -2.0], [0.1, 0.5, 0.1], normalise=False).tolist()
    [0.05, 0.25, 0.05]
    """
    costs = _Costs.of(prevalence, cost_fp, cost_fn)
    groups = tally_of(labelled_llr(y_true, llr, sample_weight, pos_label, as_llr))
    return costs.of_rates(*error_rates(groups, costs.thresholds), normalise)


@described(_COSTS)
def min_dcf(
    y_true: ArrayLike,
    y_score: ArrayLike,
    prevalence: ArrayLike,
    *,
    cost_fp: float = 1.0,
    cost_fn: float = 1.0,
    normalise: bool = True,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    lower_is_positive: bool = False,
) -> float | Array:
    """Compute the least detection cost that any threshold on the scores has, for each prevalence.

    In-sample by construction: each threshold is chosen on the data that it is judged by.

    Returns
    -------
    float or ndarray of shape (m,)
        One cost for each prevalence, in the order given; at most 1 if normalised.

    References
    ----------
    Brümmer & du Preez 2013, section 5; Provost & Fawcett 2001, section 3.1: the best threshold is a
    vertex of the ROC convex hull.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.min_dcf([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], [0.5, 0.9]).round(12).tolist()
    [0.5, 0.5]
    """
    costs = _Costs.of(prevalence, cost_fp, cost_fn)
    hull = roc_hull(
        y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, lower_is_positive=lower_is_positive
    )
    return costs.of_rates(*least_error_rates(hull, costs.thresholds), normalise)


@dataclass(frozen=True, eq=False)
class _Costs:
    """Conditions of the same costs: one for each prevalence, in the caller's order.

    Attributes
    ----------
    thresholds : (m,) the LLR above which a case is called positive.
    of_fa, of_miss : (m,) cost of P_fa = 1 and of P_miss = 1, each one exact number, rounded once.
    relative_fa, relative_miss : (m,) the same divided by the smaller one: 1 and a ratio, or the reverse.
    single : whether one number was given, and is wanted.
    """

    thresholds: Array
    of_fa: Array
    of_miss: Array
    relative_fa: Array
    relative_miss: Array
    single: bool

    @classmethod
    def of(cls, prevalence: ArrayLike, cost_fp: float, cost_fn: float) -> _Costs:
        """Check the conditions."""
        share = open_rates(prevalence, "prevalence")
        fp, fn = validation.positive(cost_fp, "cost_fp"), validation.positive(cost_fn, "cost_fn")
        pairs = [(exact(fp) * (1 - p), exact(fn) * p) for p in map(exact, share.tolist())]
        columns = (
            [log_of(fa / miss) for fa, miss in pairs],
            [float(fa) for fa, _ in pairs],
            [float(miss) for _, miss in pairs],
            [_at_least_1(fa / miss) for fa, miss in pairs],
            [_at_least_1(miss / fa) for fa, miss in pairs],
        )
        thresholds, of_fa, of_miss, relative_fa, relative_miss = map(np.array, columns)
        return cls(thresholds, of_fa, of_miss, relative_fa, relative_miss, np.ndim(prevalence) == 0)

    def of_rates(self, pfa: Array, pmiss: Array, normalise: bool) -> float | Array:
        """The cost at error rates (m,)."""
        of_fa, of_miss = self.of_fa, self.of_miss
        if normalise:
            of_fa, of_miss = self.relative_fa, self.relative_miss
        with np.errstate(invalid="ignore", over="ignore", under="ignore"):  # a rate of 0 costs nothing
            cost = np.where(pfa > 0, of_fa * pfa, 0.0) + np.where(pmiss > 0, of_miss * pmiss, 0.0)
        return float(cost[0]) if self.single else cost


def _at_least_1(ratio: Fraction) -> float:
    """The ratio as float64, if it is more than 1; infinite beyond its range."""
    try:
        return max(1.0, float(ratio))
    except OverflowError:
        return math.inf


def open_rates(values: ArrayLike, name: str) -> Array:
    """Rates float64 (m,), strictly between 0 and 1."""
    rates = validation.rates_1d(values, name)
    wrong = (rates == 0) | (rates == 1)
    if wrong.any():
        index = int(np.argmax(wrong))
        raise ValueError(
            f"{name} must lie strictly between 0 and 1, but holds {float(rates[index])!r} at index {index}."
        )
    return rates


def error_rates(groups: Tally, thresholds: Array) -> tuple[Array, Array]:
    """P_fa and P_miss (m,) of calling positive the LLRs above each threshold (m,), as by `decide_by_llr`."""
    ascending = groups.score[::-1].astype(float)
    refused = np.searchsorted(ascending, raised(thresholds), side="right")  # groups not above the threshold
    missed, rejected = (
        np.concatenate(([0], np.cumsum(units[::-1]))) for units in (groups.pos_units, groups.neg_units)
    )
    return (rejected[-1] - rejected[refused]) / rejected[-1], missed[refused] / missed[-1]


def least_error_rates(hull: RocHull, thresholds: Array) -> tuple[Array, Array]:
    """P_fa and P_miss (m,) of the vertex that is best at each log slope of iso-cost lines (m,)."""
    with np.errstate(divide="ignore"):
        falling = -np.log(hull.slopes)
    best = np.searchsorted(falling, -thresholds, side="left")  # as many edges are steeper
    return hull.fp[best] / hull.n_neg, (hull.n_pos - hull.tp[best]) / hull.n_pos


# --- whole families of costs --------------------------------------------------------------------


@described(PARAMETERS)
def h_measure(
    y_true: ArrayLike,
    y_score: ArrayLike,
    prior: str | Sequence[float] = "beta22",
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    lower_is_positive: bool = False,
) -> float:
    """Compute the H measure: the share of the expected least cost that the scores save.

    A false positive costs c and a miss 1 - c, where c is unknown and has the density of a Beta
    distribution. ``H = 1 - L / L_max``, where L is the expected cost of the best decisions that the
    scores' order allows for each c, and L_max that of deciding without scores.

    Parameters
    ----------
    prior : {"beta22", "hand-anagnostopoulos"} or (a, b), default="beta22"
        The density of c: Beta(2, 2); Beta(1 + π, 1 + 1 - π), with the mode at the sample's proportion
        of positives π; or Beta(a, b) with positive a and b.
    sample_weight : array-like of shape (n,), optional
        Finite and non-negative; an example of weight zero is left out. Weights change the proportion
        of positives.

    Returns
    -------
    float
        Between 0, for scores whose order is worth nothing, and 1. In-sample, like the hull.

    Notes
    -----
    The expected cost is the minimum of a proper scoring rule, written in the other form of Brümmer & du
    Preez 2013, Appendix A: the weight Beta(a, b) there is ``BetaScore(a + 1, b + 1)``, up to a factor.

    References
    ----------
    Hand 2009; Hand & Anagnostopoulos 2014.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.h_measure([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    0.5
    """
    hull = roc_hull(
        y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, lower_is_positive=lower_is_positive
    )
    share = prevalence_of(hull)
    a, b = _density(prior, share)
    rule = BetaScore(a + 1, b + 1)
    saved = 1 - float(rule.minimum(hull, share)) / float(rule.uncertainty(share))
    return min(1.0, max(0.0, saved))  # rounding apart


def _density(prior: str | Sequence[float], prevalence: float) -> tuple[float, float]:
    """The parameters of a named or given Beta distribution of costs."""
    if isinstance(prior, str):
        named = {"beta22": (2.0, 2.0), "hand-anagnostopoulos": (1 + prevalence, 2 - prevalence)}
        if prior in named:
            return named[prior]
    elif isinstance(prior, (tuple, list)) and len(prior) == 2:
        a, b = (validation.positive(value, "prior") for value in prior)
        return a, b
    raise ValueError(
        f"prior must be 'beta22', 'hand-anagnostopoulos' or a pair of positive numbers, but is {prior!r}."
    )


def prevalence_of(hull: RocHull) -> float:
    """The (weighted) proportion of positives in the data of a hull."""
    return float(hull.units.prevalence(hull.n_neg, hull.n_pos))


# --- decomposition ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Decomposition(Result):
    """A mean score in three parts: ``score = miscalibration - discrimination + uncertainty``.

    Attributes
    ----------
    score : float
        Mean loss of the probabilities; less is better.
    miscalibration : float
        What recalibration by PAV saves; 0 for probabilities that PAV leaves alone.
    discrimination : float
        What the recalibrated probabilities save against the constant forecast.
    uncertainty : float
        Loss of the constant forecast, which is the proportion of positives.

    Examples
    --------
    >>> import rochull as rh
    >>> print(rh.decompose([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    score 0.1875 = miscalibration 0.0625 - discrimination 0.125 + uncertainty 0.25 (in-sample)
    """

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float

    def __str__(self) -> str:
        return (
            f"score {self.score:.6g} = miscalibration {self.miscalibration:.6g} - "
            f"discrimination {self.discrimination:.6g} + uncertainty {self.uncertainty:.6g} (in-sample)"
        )


@described(PARAMETERS)
def decompose(
    y_true: ArrayLike,
    probability: ArrayLike,
    rule: ScoringRule | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> Decomposition:
    """Decompose the mean score of probabilities into miscalibration, discrimination and uncertainty.

    Miscalibration and discrimination are found by PAV on the same data: they are in-sample, and both
    are a little larger than in the population.

    Parameters
    ----------
    rule : ScoringRule, optional
        The proper scoring rule; :class:`Brier` if not given.

    Returns
    -------
    Decomposition
        The identity holds to 1e-12 of the parts; miscalibration and discrimination are not negative
        (what rounding leaves below zero is set to zero). If the score is infinite, so is the
        miscalibration, and the other parts are finite. Of examples of one class all of the score is
        miscalibration.

    References
    ----------
    Dimitriadis, Gneiting & Jordan 2021 (CORP); Brümmer & du Preez 2013 for rules other than those.

    Examples
    --------
    >>> import rochull as rh
    >>> parts = rh.decompose([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], rule=rh.Brier())
    >>> round(parts.miscalibration, 12), parts.discrimination, parts.uncertainty
    (0.0625, 0.125, 0.25)
    """
    rule = Brier() if rule is None else rule
    if not isinstance(rule, ScoringRule):
        raise TypeError(f"rule must be a ScoringRule, such as rochull.LogScore(), but is {rule!r}.")
    data = judged(y_true, probability, sample_weight, pos_label)
    score = mean_loss(rule, data)
    if is_one_class(data):
        return Decomposition(score, score, 0.0, 0.0)
    return decomposed(score, RocHull.from_source(ArraySource(data)), rule)


def decomposed(score: float, hull: RocHull, rule: ScoringRule) -> Decomposition:
    """The parts of a mean score of probabilities of which this is the hull."""
    share = prevalence_of(hull)
    least, uncertainty = float(rule.minimum(hull, share)), float(rule.uncertainty(share))
    return Decomposition(
        score,
        _not_negative(score - least, score),
        _not_negative(uncertainty - least, uncertainty),
        uncertainty,
    )


def _not_negative(difference: float, scale: float) -> float:
    """A difference of losses; one that is negative by rounding alone is zero."""
    return 0.0 if -_ROUNDING * max(1.0, scale) < difference < 0 else difference
