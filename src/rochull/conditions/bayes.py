"""Bayes' rule in log-odds, and the decisions that follow from it (Brümmer & du Preez 2013, equation 15).

Names say what a function takes: a posterior is a probability that holds at one prevalence, a
log-likelihood-ratio (natural log) holds at any.

What ties to rounding counts as a tie. A case whose two decisions cost the same must not be called
positive because a posterior was rounded up on its way. So thresholds are raised by 2**-44 of the
log-odds (6e-14; relative to them where they exceed 1), and by 4 units in the last place of a posterior.
This is more than what comes together on the way from counts to posteriors and LLRs and back: each
step rounds log-odds of size x by some x * 2**-53, and a posterior p, or a prevalence, leaves
2**-53 / (1 - p) of uncertainty in them. That is covered up to 0.99; nearer to 1, LLRs that are
made from posteriors have lost the digits that show a tie.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import described, entries
from rochull._core.first_use import expit
from rochull._core.messages import Parameter, WrongType
from rochull._core.validation import Array
from rochull.conditions.base import Condition
from rochull.conditions.costs import ExpectedCost, costs_of
from rochull.conditions.keywords import takes_condition
from rochull.conditions.ranges import ROUNDING, exact

_LEAST = Fraction(1, 2**1000)  # far from where a quotient under- or overflows
_LAST_PLACES = 4 * float(np.finfo(float).eps)  # of a posterior
_BELOW_1 = float(np.nextafter(1.0, 0.0))

_TOLD = entries("""
llr : array-like of shape (n,)
    Log-likelihood-ratios (natural log); infinite ones are legal.
posterior : array-like of shape (n,)
    Probabilities of the positive class.
prevalence : float
    The proportion of positives at which the posteriors hold, strictly between 0 and 1.
condition : ExpectedCost
    Costs and prevalence, each a single number.
""")


@described(_TOLD)
def posterior_from_llr(llr: ArrayLike, prevalence: float) -> Array:
    """Compute posteriors from log-likelihood-ratios.

    Returns
    -------
    ndarray of shape (n,)
        ``logit posterior = llr + logit prevalence``.

    Raises
    ------
    ValueError
        If an LLR is NaN, or the prevalence is not strictly between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> rh.conditions.posterior_from_llr([-np.inf, 0.0, np.log(9)], prevalence=0.1).round(12).tolist()
    [0.0, 0.1, 0.5]
    """
    ratio = validation.scores_1d(llr, "llr").astype(float)
    return expit(ratio + prior_log_odds(prevalence))


@described(_TOLD)
def llr_from_posterior(posterior: ArrayLike, prevalence: float) -> Array:
    """Compute log-likelihood-ratios from posteriors.

    Returns
    -------
    ndarray of shape (n,)
        Natural logs; -inf and +inf for the posteriors 0 and 1.

    Raises
    ------
    ValueError
        If a posterior is outside [0, 1], or the prevalence is not strictly between 0 and 1.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.conditions.llr_from_posterior([0.0, 0.1, 1.0], prevalence=0.1).tolist()
    [-inf, 0.0, inf]
    """
    from scipy.special import logit

    return np.asarray(logit(validation.rates_1d(posterior, "posterior")) - prior_log_odds(prevalence))


@described(_TOLD)
@takes_condition
def decide_by_llr(llr: ArrayLike, condition: ExpectedCost) -> Array:
    """Decide at least expected cost from calibrated log-likelihood-ratios.

    Returns
    -------
    ndarray of bool of shape (n,)
        True where calling the case positive costs less: ``llr > log(condition.slope)``. Where both
        decisions cost the same it is not called positive, as with :meth:`RocHull.at`. There is one
        exception, there too: where misses cost nothing, an LLR of +inf is called positive, though
        both decisions are free.

    Raises
    ------
    ValueError
        If an LLR is NaN.
    ImpreciseConditionError
        If a parameter of the condition is an interval.
    TypeError
        If the condition is of another kind: a limit on a rate needs a hull, see :meth:`RocHull.at`.

    Notes
    -----
    What ties to rounding counts as a tie: an LLR that exceeds the threshold t by no more than
    ``2**-44 * max(1, |t|)``. It is so that the decisions equal those of :meth:`RocHull.at` also after
    LLRs were turned into posteriors and back (up to posteriors of about 0.99, whose complement still
    has the digits).

    References
    ----------
    Brümmer & du Preez 2013, equation (15).

    Examples
    --------
    >>> import rochull as rh
    >>> rh.decide_by_llr([0.5, 3.0], rh.ExpectedCost(cost_fn=2, prevalence=0.1)).tolist()
    [False, True]
    """
    ratio = validation.scores_1d(llr, "llr").astype(float)  # float32 would be compared in float32
    slope = slope_of(condition)
    if slope is None:  # misses cost nothing, so only what no negative ever reaches may be called
        return np.asarray(ratio == np.inf)
    return np.asarray(ratio > raised(log_of(slope)))


@described(_TOLD)
@takes_condition
def decide_by_posterior(
    posterior: ArrayLike, condition: ExpectedCost, *, prevalence: float | None = None
) -> Array:
    """Decide at least expected cost from calibrated posterior probabilities.

    Parameters
    ----------
    prevalence : float, optional
        The proportion of positives at which the posteriors hold, such as that of the training data.
        If not given, they hold at the condition's own; and a condition that states none is about cases
        of the prevalence at which they hold.

    Returns
    -------
    ndarray of bool of shape (n,)
        As those of :func:`decide_by_llr`, with a posterior of 1 for an LLR of +inf.

    Raises
    ------
    ValueError
        If a posterior is outside [0, 1], or the prevalence is not strictly between 0 and 1; else as
        :func:`decide_by_llr`.

    Notes
    -----
    What ties to rounding counts as a tie: a posterior that exceeds the threshold t by no more than 4
    units in the last place, or whose log-odds do by no more than 2**-44 (relative, if they exceed 1).

    Examples
    --------
    >>> import rochull as rh
    >>> rh.decide_by_posterior([0.2, 0.6], rh.ExpectedCost(cost_fp=1, cost_fn=1)).tolist()
    [False, True]
    """
    probability = validation.rates_1d(posterior, "posterior")
    if costs_of(condition) is not None:  # a posterior holds at some prevalence, which drops out if it is both
        condition = condition.at_prevalence(0.5 if prevalence is None else prevalence)
    slope = slope_of(condition)
    if prevalence is not None:
        share = exact(validation.probability(prevalence, "prevalence", open_ends=True))
    elif slope is None or not 0 < condition.prevalence < 1:  # type: ignore[operator]
        share = Fraction(1, 2)
    else:
        share = exact(condition.prevalence)  # type: ignore[arg-type]
    if slope is None:
        return np.asarray(probability == 1)
    at_odds = slope * share / (1 - share)
    return np.asarray(
        probability > raised_posterior(float(at_odds / (1 + at_odds)), float(1 / (1 + at_odds)))
    )


def raised(threshold: ArrayLike) -> Array:
    """Thresholds on LLRs or log-odds (m,), above what ties with them to rounding."""
    at = np.asarray(threshold, float)
    with np.errstate(invalid="ignore"):
        return np.where(np.isinf(at), at, at + ROUNDING * np.maximum(1, np.abs(at)))


def raised_posterior(threshold: ArrayLike, rest: ArrayLike) -> Array:
    """Thresholds on posteriors (m,), given with their complements, likewise.

    One below 1 is not raised to it: certainty is above every threshold.
    """
    at, rest = np.asarray(threshold, float), np.asarray(rest, float)
    with np.errstate(divide="ignore", under="ignore"):
        size = np.clip(np.abs(np.log(at) - np.log(rest)), 1, 1000)  # of the log-odds
        raised_at = at + at * (rest * (ROUNDING * size) + _LAST_PLACES)
    return np.asarray(np.minimum(raised_at, _BELOW_1))


def prior_log_odds(prevalence: float) -> float:
    """The log-odds of a prevalence strictly between 0 and 1."""
    share = validation.probability(prevalence, "prevalence", open_ends=True)
    return log_of(exact(share) / (1 - exact(share)))


def log_of(ratio: Fraction) -> float:
    """The natural log of an exact ratio: equal ratios give equal logs, as in `Blocks.llr`."""
    if ratio == 0:
        return -np.inf
    if _LEAST <= ratio <= 1 / _LEAST:
        return float(np.log(ratio.numerator / ratio.denominator))  # the quotient is correctly rounded
    return math.log(ratio.numerator) - math.log(ratio.denominator)


def slope_of(condition: Condition) -> Fraction | None:
    """The exact slope of the iso-performance lines; None for infinity."""
    costs = costs_of(condition)
    if costs is None:
        raise WrongType(
            "{} must be an ExpectedCost or Accuracy, but is {}.", Parameter("condition"), repr(condition)
        )
    of_fpr, of_miss = costs.weights
    return of_fpr / of_miss if of_miss else None
