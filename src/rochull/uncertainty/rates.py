"""Exact and approximate intervals of rates at a fixed threshold; power and sample size for an AUC."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import described, entries
from rochull._core.first_use import one_ndtri
from rochull._core.messages import Parameter, Refusal, Setting, WrongType, refused
from rochull._core.results import Interval, Result
from rochull._core.validation import Array
from rochull.conditions.costs import ExpectedCost, costs_of
from rochull.conditions.keywords import takes_condition
from rochull.conditions.ranges import exact
from rochull.uncertainty.parameters import PARAMETERS

_RATE_METHODS = ("clopper-pearson", "wilson")
_VARIANCES = ("hanley-mcneil", "binormal", "obuchowski")
_MOST_EXAMPLES = 1 << 60
# What the plan of a study is made of.
PLANNED = entries("""
null : float, optional
    The area that is tested, strictly between 0 and 1; 0.5 if neither it nor `other` is given.
other : float, optional
    The true area of another classifier: the test is then whether both areas are equal.
correlation : float, default=0.0
    With `other`: the correlation of the two estimated areas, at least -1 and below 1; 0 for
    independent samples. On the same examples it is mostly between 0.3 and 0.8.
    :func:`auc_covariance` of a pilot study estimates it.
level : float, default=0.95
    One less the size of the test, strictly between 0 and 1.
variance : {"hanley-mcneil", "binormal", "obuchowski"}, default="hanley-mcneil"
    What the variance of an area is taken to be. "hanley-mcneil": that of exponential scores
    (Hanley & McNeil 1982, equation 1 with the approximations of Q1 and Q2), the most used and
    cautious near 1. "binormal": that of normal scores with equal variances, exactly. "obuchowski":
    the formula for ratings with an underlying binormal distribution, as pROC has it; it is 5 % too
    small at an area of 0.5, and cautious near 1.
""")


# --- rates --------------------------------------------------------------------------------------------


@described(PARAMETERS)
def rate_interval(
    successes: ArrayLike,
    trials: ArrayLike,
    method: str = "clopper-pearson",
    *,
    level: float = 0.95,
) -> Interval:
    """Compute a confidence interval of a rate from counts.

    Parameters
    ----------
    successes : array-like of int
        How often it happened: true positives, for instance.
    trials : array-like of int
        Out of how many, at least 1 and as many as `successes`. Shapes are broadcast.
    method : {"clopper-pearson", "wilson"}, default="clopper-pearson"
        The exact interval, which covers at least as often as `level` says; or Wilson's, which is
        shorter and covers about as often ("score" is another name for it).

    Returns
    -------
    Interval
        With floats for two numbers, else arrays.

    References
    ----------
    Clopper & Pearson 1934; Wilson 1927; Brown, Cai & DasGupta 2001.

    Examples
    --------
    >>> import rochull as rh
    >>> found = rh.rate_interval(81, 263)
    >>> round(found.low, 4), round(found.high, 4)
    (0.2527, 0.3676)
    >>> rh.rate_interval([0, 10], 10, "wilson").high.round(4).tolist()
    [0.2775, 1.0]
    """
    method = "wilson" if method == "score" else method  # as that of an area is called
    if method not in _RATE_METHODS:
        raise refused("method", 'must be "clopper-pearson" or "wilson", but is {}.', repr(method))
    level = validation.probability(level, "level", open_ends=True)
    k, n = _counts(successes, "successes"), _counts(trials, "trials")
    try:
        k, n = np.broadcast_arrays(k, n)
    except ValueError:
        raise refused(
            "successes", "and trials have shapes {} and {}, which do not fit.", k.shape, n.shape
        ) from None
    if not n.all():
        raise refused("trials", "must be positive, but is 0: there is no rate.")
    if (k > n).any():
        at = np.unravel_index(int(np.argmax(k > n)), k.shape)
        raise refused("successes", "must not exceed trials, but {} of {} do.", int(k[at]), int(n[at]))
    low, high = (_clopper_pearson if method == "clopper-pearson" else _wilson)(k, n, (1 - level) / 2)
    estimate = k / n
    if not k.ndim:
        return Interval(float(low), float(high), float(estimate), level, method)
    return Interval(low, high, estimate, level, method)


def _counts(values: ArrayLike, name: str) -> Array:
    """Whole numbers, zero or more, as int64 of any shape."""
    array = np.asarray(values)
    if array.dtype.kind not in "iuf" or array.size == 0:
        raise refused(name, "must be whole numbers, but is {}.", repr(values))
    wrong = ~((array >= 0) & (array < 2**53))
    if array.dtype.kind == "f":
        wrong |= np.floor(array) != array
    if wrong.any():
        found = array[np.unravel_index(int(np.argmax(wrong)), array.shape)]
        raise refused(name, "must be whole numbers from 0 on, but holds {}.", repr(found.item()))
    return array.astype(np.int64)


def _clopper_pearson(k: Array, n: Array, tail: float) -> tuple[Array, Array]:
    """The rates at which as many successes, or as few, have probability `tail`."""
    from scipy.special import betainccinv, betaincinv

    none, every = k == 0, k == n
    low = np.where(none, 0.0, betaincinv(np.where(none, 1, k), n - k + 1, tail))
    high = np.where(every, 1.0, betainccinv(k + 1, np.where(every, 1, n - k), tail))
    return low, high


def _wilson(k: Array, n: Array, tail: float) -> tuple[Array, Array]:
    """The rates that a score test does not reject."""
    z = -one_ndtri(tail)
    middle = (k + z**2 / 2) / (n + z**2)
    half = z / (n + z**2) * np.sqrt(k * ((n - k) / n) + z**2 / 4)
    low, high = np.maximum(middle - half, 0), np.minimum(middle + half, 1)
    return np.where(k == 0, 0.0, low), np.where(k == n, 1.0, high)


@dataclass(frozen=True, eq=False)
class ThresholdRates(Result):
    """Rates of the rule "score >= threshold", each with its interval.

    Attributes
    ----------
    threshold : float or ndarray of shape (m,)
        As given.
    tpr, fpr : Interval
        True and false positive rate, floats or arrays (m,).

    Examples
    --------
    >>> import rochull as rh
    >>> found = rh.uncertainty.rates_at_threshold([0, 0, 1, 1], [1, 2, 3, 4], [2, 4])
    >>> found.fpr.estimate.tolist(), found.tpr.estimate.tolist()
    ([0.5, 0.0], [1.0, 0.5])
    >>> cost = found.expected_cost(rh.ExpectedCost(cost_fn=2, prevalence=0.5))
    >>> cost.estimate.tolist(), cost.low.round(3).tolist()
    ([0.25, 0.5], [0.006, 0.013])
    """

    threshold: float | Array
    tpr: Interval
    fpr: Interval

    @takes_condition
    def expected_cost(self, condition: ExpectedCost) -> Interval:
        """Compute the expected cost per case of the rule, or of each rule, with its interval.

        Parameters
        ----------
        condition : ExpectedCost
            With a single number for every parameter.

        Returns
        -------
        Interval
            Put together from those of both rates, which are independent; of their kind and level.

        References
        ----------
        Zou & Donner 2008 (sums of independent estimates).
        """
        costs = costs_of(condition)
        if costs is None:
            raise WrongType("{} must be an ExpectedCost, but is {}.", Parameter("condition"), repr(condition))
        return costs.question.objective.interval(self.fpr, self.tpr)


@described(PARAMETERS)
def rates_at_threshold(
    y_true: ArrayLike,
    y_score: ArrayLike,
    threshold: ArrayLike,
    method: str = "clopper-pearson",
    *,
    level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> ThresholdRates:
    """Compute TPR and FPR of the rule "score >= threshold" with their intervals.

    They hold for a threshold that was fixed beforehand. Of a threshold that was chosen on these same
    examples the rates are too good, and the intervals do not cover.

    Parameters
    ----------
    threshold : float or array-like of shape (m,)
        The lowest score called positive; inf calls none positive unless its score is inf.
    method : {"clopper-pearson", "wilson"}, default="clopper-pearson"
        Kind of interval; see :func:`rate_interval`.
    sample_weight : array-like of shape (n,), optional
        Must not be given: these intervals are of counts.

    Returns
    -------
    ThresholdRates
        The intervals ``.tpr`` and ``.fpr``, with arrays (m,) if there are several thresholds.

    Examples
    --------
    >>> import rochull as rh
    >>> found = rh.uncertainty.rates_at_threshold([0, 0, 0, 1, 1, 1], [0.1, 0.4, 0.8, 0.3, 0.7, 0.9], 0.5)
    >>> round(found.tpr.low, 3), round(found.tpr.estimate, 3), round(found.tpr.high, 3)
    (0.094, 0.667, 0.992)
    >>> round(found.fpr.estimate, 3)
    0.333
    """
    if sample_weight is not None:
        raise refused(
            "sample_weight",
            "is not supported: binomial intervals are of counts; use bootstrap for weighted rates.",
        )
    from rochull.conditions.rules import threshold_in

    data = validation.labelled(y_true, y_score, None, pos_label)
    many: Any = threshold if np.ndim(threshold) else [threshold]
    thresholds = validation.scores_1d(many, "threshold")
    cuts = [threshold_in(data.scores.dtype, cut) for cut in thresholds.tolist()]
    intervals = []
    for label in (1, 0):
        scores = np.sort(data.scores[data.positive == label])
        called = [scores.size - int(np.searchsorted(scores, cut)) for cut in cuts]
        counts = called if np.ndim(threshold) else called[0]
        intervals.append(rate_interval(counts, scores.size, method, level=level))
    return ThresholdRates(thresholds if np.ndim(threshold) else thresholds[0].item(), *intervals)


# --- planning -------------------------------------------------------------------------------------------


@described(PLANNED)
def auc_power(
    auc: ArrayLike,
    n_pos: ArrayLike,
    n_neg: ArrayLike,
    *,
    null: float | None = None,
    other: float | None = None,
    correlation: float = 0.0,
    level: float = 0.95,
    variance: str = "hanley-mcneil",
) -> float | Array:
    """Compute how likely a two-sided test finds that an AUC differs from a value, or from another AUC.

    Parameters
    ----------
    auc : float or array-like
        The true area, strictly between 0 and 1.
    n_pos, n_neg : int or array-like
        How many examples of each class there are. Shapes are broadcast.

    Returns
    -------
    float or ndarray
        Probability that the test rejects.

    Notes
    -----
    The test's standard error is the one under the null hypothesis; of two classifiers that with both
    areas equal to their mean.

    References
    ----------
    Hanley & McNeil 1982; Hanley & McNeil 1983 (two classifiers); Obuchowski & McClish 1997; Obuchowski,
    Lieber & Wians 2004.

    Examples
    --------
    >>> import rochull as rh
    >>> round(rh.uncertainty.auc_power(0.73, 41, 72), 3)
    0.99
    >>> round(rh.uncertainty.auc_power(0.85, 100, 100, other=0.8, correlation=0.5), 3)
    0.395
    """
    plan = _Plan.of(null, other, correlation, level, variance)
    pos, neg = _counts(n_pos, "n_pos"), _counts(n_neg, "n_neg")
    if not (pos.all() and neg.all()):
        raise refused("n_pos", "and n_neg must be positive.")
    try:
        areas = np.asarray(auc, float)
    except (TypeError, ValueError):
        raise refused("auc", "must be a number, or an array of numbers, but is {}.", repr(auc)) from None
    if not ((areas > 0) & (areas < 1)).all():
        raise refused("auc", "must lie strictly between 0 and 1, but is {}.", repr(auc))
    try:
        np.broadcast_shapes(areas.shape, pos.shape, neg.shape)
    except ValueError:
        shapes = f"{areas.shape}, {pos.shape} and {neg.shape}"
        raise Refusal(
            "{}, n_pos and n_neg have shapes {}, which do not fit.", Parameter("auc"), shapes
        ) from None
    found = plan.power(areas, pos, neg)
    return float(found) if found.ndim == 0 else found


@dataclass(frozen=True)
class SampleSize(Result):
    """How many examples a study needs.

    Attributes
    ----------
    n_pos, n_neg : int
        Examples of each class.
    power : float
        Probability that the test rejects with so many.

    Examples
    --------
    >>> import rochull as rh
    >>> size = rh.uncertainty.auc_sample_size(0.75, power=0.9, ratio=3)
    >>> size.n_pos, size.n_neg, size.n
    (18, 54, 72)
    """

    n_pos: int
    n_neg: int
    power: float

    @property
    def n(self) -> int:
        """How many examples there are of both classes together (int)."""
        return self.n_pos + self.n_neg


@described(PLANNED)
def auc_sample_size(
    auc: float,
    *,
    power: float = 0.8,
    null: float | None = None,
    other: float | None = None,
    correlation: float = 0.0,
    ratio: float = 1.0,
    level: float = 0.95,
    variance: str = "hanley-mcneil",
) -> SampleSize:
    """Compute how many examples are needed to find that an AUC differs from a value, or from another AUC.

    Parameters
    ----------
    auc : float
        The true area, strictly between 0 and 1.
    power : float, default=0.8
        Wanted probability that the test rejects, strictly between 0 and 1.
    ratio : float, default=1.0
        Negatives per positive.

    Returns
    -------
    SampleSize
        The smallest `n_pos` (at least 2) that suffices with ``ratio * n_pos`` negatives, rounded up.

    Raises
    ------
    ValueError
        If none does, because the areas are equal or nearly so.

    References
    ----------
    Hanley & McNeil 1982; Obuchowski, Lieber & Wians 2004, Table 4.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.uncertainty.auc_sample_size(0.7, power=0.9)
    SampleSize(n_pos=41, n_neg=41, power=0.900...)
    >>> size = rh.uncertainty.auc_sample_size(0.85, other=0.8, correlation=0.5, ratio=2)
    >>> size.n_pos, size.n_neg
    (240, 480)
    """
    plan = _Plan.of(null, other, correlation, level, variance)
    area = validation.probability(auc, "auc", open_ends=True)
    wanted = validation.probability(power, "power", open_ends=True)
    share = exact(validation.positive(ratio, "ratio"))
    if area == plan.against:
        raise Refusal("{} is what is tested: no sample size finds a difference of 0.", Setting("auc", auc))

    def reached(n_pos: int) -> float:
        return float(plan.power(np.asarray(area), np.asarray(n_pos), np.asarray(negatives(n_pos))))

    def negatives(n_pos: int) -> int:
        return max(2, math.ceil(share * n_pos))

    enough = 2
    while reached(enough) < wanted:
        enough *= 2
        if enough > _MOST_EXAMPLES:
            raise Refusal(
                "{} is too near what is tested: no feasible sample size suffices.", Setting("auc", auc)
            )
    lacking = enough // 2 if enough > 2 else 1
    while enough - lacking > 1:
        middle = (lacking + enough) // 2
        if reached(middle) < wanted:
            lacking = middle
        else:
            enough = middle
    return SampleSize(enough, negatives(enough), reached(enough))


@dataclass(frozen=True)
class _Plan:
    """A two-sided test of an area.

    Attributes
    ----------
    against : the area that is tested, or that of another classifier.
    paired : whether it is that of another classifier.
    correlation : of the estimates, if so.
    z : how many standard errors away it rejects.
    variance : the name of the model.
    """

    against: float
    paired: bool
    correlation: float
    z: float
    variance: str

    @classmethod
    def of(
        cls, null: float | None, other: float | None, correlation: float, level: float, variance: str
    ) -> _Plan:
        """Validated."""
        from scipy.special import ndtri

        if variance not in _VARIANCES:
            known = ", ".join(f'"{name}"' for name in _VARIANCES)
            raise refused("variance", "must be one of {}, but is {}.", known, repr(variance))
        level = validation.probability(level, "level", open_ends=True)
        rho = validation.real(correlation, "correlation")
        if not -1 <= rho < 1:
            raise refused("correlation", "must be at least -1 and below 1, but is {}.", repr(correlation))
        if other is None and rho:
            raise refused("correlation", "needs other: it is that of two estimated areas.")
        if other is not None and null is not None:
            raise refused("null", "and other are both given; an area is tested against one of them.")
        name, value = ("null", 0.5 if null is None else null) if other is None else ("other", other)
        against = validation.probability(value, name, open_ends=True)
        return cls(against, other is not None, rho, -float(ndtri((1 - level) / 2)), variance)

    def power(self, area: Array, n_pos: Array, n_neg: Array) -> Array:
        """Probability that the test rejects, either way."""
        from scipy.special import ndtr

        def error(at: Any) -> Array:
            return np.sqrt(area_variance(np.asarray(at), n_pos, n_neg, self.variance))

        shift = np.abs(area - self.against)
        null, true = error(self.against), error(area)
        if self.paired:
            one, two, rho = true, null, self.correlation
            null = error((area + self.against) / 2) * math.sqrt(2 * (1 - rho))
            true = np.sqrt((one - two) ** 2 + 2 * (1 - rho) * one * two)
        return cast("Array", ndtr((shift - self.z * null) / true) + ndtr((-shift - self.z * null) / true))


def area_variance(area: Array, n_pos: Array, n_neg: Array, model: str) -> Array:
    """Variance of an estimated area, under one of the models of :func:`auc_power`."""
    from scipy.special import ndtr, ndtri, owens_t

    if model == "obuchowski":
        a = 1.414 * ndtri(area)  # as printed
        return np.asarray(0.0099 * np.exp(-(a**2) / 2) * ((5 * a**2 + 8) / n_pos + (a**2 + 8) / n_neg))
    if model == "binormal":
        # Two normal differences with correlation 1/2 are both positive.
        h = ndtri(area)
        q1 = q2 = ndtr(h) - 2 * owens_t(h, 1 / math.sqrt(3))
    else:
        q1, q2 = area / (2 - area), 2 * area**2 / (1 + area)
    pos, neg = n_pos.astype(float), n_neg.astype(float)
    spread = area * (1 - area) + (pos - 1) * (q1 - area**2) + (neg - 1) * (q2 - area**2)
    return np.asarray(spread / (pos * neg))
