"""The worth of likelihood-ratios at every prior: ECE, applied probability of error, Bayes error-rates.

Each curve stands beside two others: what a monotone recalibration of the same data would reach, and
what the prior alone is worth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import described, entries
from rochull._core.results import Result
from rochull._core.threads import share_out
from rochull._core.validation import Array, Labelled
from rochull.hull.blocks import pool
from rochull.hull.hull import RocHull
from rochull.hull.tallies import tally_of
from rochull.scoring.measures import error_rates, least_error_rates
from rochull.scoring.ratios import labelled_llr
from rochull.scoring.scoring_rules import PARAMETERS

_ROWS = 1 << 13  # of one task: its arrays stay in the cache
_LARGEST = 700.0  # beyond, a prior and what is divided by it leave the range of float64

_PARAMETERS = PARAMETERS | entries("""
prior_log_odds : array-like of shape (m,), optional
    Natural log-odds of the priors, between -700 and 700; if not given, 201 from -10 to 10.
""")


@dataclass(frozen=True, eq=False)
class PriorCurve(Result):
    """A cost against the prior log-odds, with what is possible and what is trivial.

    Attributes
    ----------
    prior_log_odds : ndarray of shape (m,)
        Natural log-odds of the positive class, in the order given.
    actual : ndarray of shape (m,)
        The cost of the LLRs themselves.
    minimum : ndarray of shape (m,)
        The cost after PAV of the same data: the least that a monotone map reaches. In-sample.
    reference : ndarray of shape (m,)
        The cost of LLRs of 0, which leave the prior unchanged.
    kind : {"ece", "ape", "bayes_error"}
        Which cost.

    Examples
    --------
    >>> import rochull as rh
    >>> curve = rh.scoring.ape_curve([1, 0, 1, 0], [2.0, 1.0, 0.5, -1.0], [0.0, -1.5])
    >>> curve.actual.round(4).tolist(), curve.prior.round(4).tolist()
    ([0.25, 0.0912], [0.5, 0.1824])
    """

    prior_log_odds: Array
    actual: Array
    minimum: Array
    reference: Array
    kind: str

    @property
    def prior(self) -> Array:
        """The prior probability of the positive class (m,)."""
        from scipy.special import expit

        return np.asarray(expit(self.prior_log_odds))


@described(_PARAMETERS)
def ece_curve(
    y_true: ArrayLike,
    llr: ArrayLike,
    prior_log_odds: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    as_llr: bool = False,
) -> PriorCurve:
    """Compute the empirical cross-entropy of LLRs against the prior, in bits.

    ``ECE = π mean over positives of log2(1 + (1 - π) / (π LR)) + (1 - π) mean over negatives of
    log2(1 + LR π / (1 - π))``: the information that is still missing, on average, when a case has been
    judged by its LLR at the prior π.

    Returns
    -------
    PriorCurve
        `minimum` is the ECE of the PAV-calibrated LLRs, which do not depend on the prior; `reference` is
        the entropy of the prior. At log-odds 0 the ECE is the :func:`cllr`, up to rounding.

    References
    ----------
    Ramos & Gonzalez-Rodriguez 2008; Ramos et al. 2013. Brümmer & du Preez 2013, equation (21).

    Examples
    --------
    >>> import rochull as rh
    >>> curve = rh.scoring.ece_curve([1, 0, 1, 0], [2.0, 1.0, 0.5, -1.0], [0.0])
    >>> curve.actual.round(6).tolist(), curve.minimum.tolist(), curve.reference.tolist()
    ([0.803411], [0.5], [1.0])
    """
    from scipy.special import expit

    odds = _grid(prior_log_odds)
    groups = tally_of(labelled_llr(y_true, llr, sample_weight, pos_label, as_llr))
    blocks = pool(groups)
    actual, minimum = (
        _cross_entropy(values.astype(float), part.pos_units, part.neg_units, odds)
        for part, values in ((groups, groups.score), (blocks, blocks.llr))
    )
    reference = expit(odds) * np.logaddexp(0, -odds) + expit(-odds) * np.logaddexp(0, odds)
    return PriorCurve(odds, actual, minimum, reference / math.log(2), "ece")


@described(_PARAMETERS)
def ape_curve(
    y_true: ArrayLike,
    llr: ArrayLike,
    prior_log_odds: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    as_llr: bool = False,
) -> PriorCurve:
    """Compute the applied probability of error of LLRs against the prior.

    ``π P_miss + (1 - π) P_fa``, where a case is called positive if ``llr > -prior_log_odds``, the Bayes
    decision at equal costs; what ties to rounding is not, as by :func:`decide_by_llr`. (Other costs shift
    the log-odds by ``log(cost_fn / cost_fp)``.)

    Returns
    -------
    PriorCurve
        `minimum` is the least error rate of any threshold; `reference` is ``min(π, 1 - π)``. The largest
        minimum over all priors is the equal error rate.

    Notes
    -----
    The area under the actual curve, over all log-odds, is ``2 log(2) cllr``, and that under the minimum is
    ``2 log(2) min_cllr``.

    References
    ----------
    Brümmer & du Preez 2006; 2013, equation (15).

    Examples
    --------
    >>> import rochull as rh
    >>> rh.scoring.ape_curve([1, 0, 1, 0], [2.0, 1.0, 0.5, -1.0], [0.0]).actual.tolist()
    [0.25]
    """
    from scipy.special import expit

    odds, actual, minimum = _errors(
        labelled_llr(y_true, llr, sample_weight, pos_label, as_llr), prior_log_odds
    )
    return PriorCurve(odds, actual, minimum, expit(-np.abs(odds)), "ape")


@described(_PARAMETERS)
def bayes_error_curve(
    y_true: ArrayLike,
    llr: ArrayLike,
    prior_log_odds: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    as_llr: bool = False,
) -> PriorCurve:
    """Compute the normalised Bayes error-rate of LLRs against the prior.

    The applied probability of error, see :func:`ape_curve`, as a multiple of ``min(π, 1 - π)``. Where
    it is above 1, deciding by the prior alone would be better. At log-odds ``log(π / (1 - π))`` it is
    the normalised :func:`dcf` of equal costs.

    Returns
    -------
    PriorCurve
        `minimum` is at most 1, and `reference` is 1.

    References
    ----------
    Brümmer & du Preez 2006; 2013, equation (15).

    Examples
    --------
    >>> import rochull as rh
    >>> rh.scoring.bayes_error_curve([1, 0, 1, 0], [2.0, 1.0, 0.5, -1.0], [0.0]).actual.tolist()
    [0.5]
    """
    from scipy.special import expit

    odds, actual, minimum = _errors(
        labelled_llr(y_true, llr, sample_weight, pos_label, as_llr), prior_log_odds
    )
    least = expit(-np.abs(odds))
    return PriorCurve(odds, actual / least, minimum / least, np.ones_like(odds), "bayes_error")


def _grid(prior_log_odds: ArrayLike | None) -> Array:
    """Validated log-odds float64 (m,), a copy; the default ones if none are given."""
    if prior_log_odds is None:
        return np.linspace(-10.0, 10.0, 201)
    odds = np.array(validation.scores_1d(prior_log_odds, "prior_log_odds"), float)
    wrong = np.abs(odds) > _LARGEST
    if wrong.any():
        index = int(np.argmax(wrong))
        raise ValueError(
            f"prior_log_odds must lie between -{_LARGEST:g} and {_LARGEST:g}, but holds "
            f"{float(odds[index])!r} at index {index}."
        )
    return odds


def _errors(data: Labelled, prior_log_odds: ArrayLike | None) -> tuple[Array, Array, Array]:
    """Log-odds, and the actual and the least error rate (m,) of Bayes decisions at equal costs."""
    from scipy.special import expit

    odds, groups = _grid(prior_log_odds), tally_of(data)
    hull = RocHull.from_blocks(pool(groups))
    actual, minimum = (
        expit(-odds) * pfa + expit(odds) * pmiss
        for pfa, pmiss in (error_rates(groups, -odds), least_error_rates(hull, -odds))
    )
    return odds, actual, minimum


def _cross_entropy(llr: Array, pos_units: Array, neg_units: Array, odds: Array) -> Array:
    """Empirical cross-entropy (m,), in bits, of groups of cases (g,) with their LLRs."""
    from scipy.special import expit

    bits = np.zeros(odds.size)
    for units, against, logits in ((pos_units, -llr, -odds), (neg_units, llr, odds)):
        some = units > 0  # an infinite LLR counts only where there are cases
        nats = expit(-logits) * _mean_surprise(against[some], units[some] / units.sum(), logits)
        with np.errstate(over="ignore"):  # of LLRs near the end of float64: infinite bits
            bits += nats / math.log(2)
    return bits


def _mean_surprise(against: Array, share: Array, offsets: Array) -> Array:
    """The weighted mean (m,) of ``log(1 + exp(against + offset))`` over rows (r,), for each offset (m,)."""
    cuts = range(0, against.size, _ROWS)
    rows: Sequence[Array] = [against[i : i + _ROWS] for i in cuts]
    shares: Sequence[Array] = [share[i : i + _ROWS] for i in cuts]

    def part(x: Array, weight: Array) -> Array:
        out = np.empty(offsets.size)
        with np.errstate(over="ignore", under="ignore"):
            for j, offset in enumerate(offsets):
                log_odds = x + offset
                rest = np.log1p(np.exp(-np.abs(log_odds)))
                out[j] = ((np.maximum(log_odds, 0) + rest) * weight).sum()
        return out

    # Parts of a fixed size, added in their order: the same on any number of threads.
    with np.errstate(over="ignore"):
        return np.asarray(np.sum(share_out(part, rows, shares), axis=0))
