"""Rates where only some cases were verified, and which ones depends on the decision (Begg & Greenes 1983)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core.messages import Refusal, refused
from rochull._core.results import Interval, Result, table, written
from rochull._core.rows import refuse_other_order
from rochull._core.tables import some_labels, values_of
from rochull._core.validation import probability
from rochull.decisions.score_columns import same_size
from rochull.policies.performance import Assessor
from rochull.policies.prevalence import RatioLadder
from rochull.policies.shares import Ranges

_SHOWN = ("tpr", "fpr", "precision", "prevalence", "alarm_rate")
_BEFORE = "y_true has no verified case where {}: nothing tells how many of these {} cases are positive."


@dataclass(frozen=True)
class VerifiedRates(Result):
    """Rates of a rule on all cases, of which some were verified.

    Attributes
    ----------
    n, n_verified : int
    tpr, fpr, precision, prevalence, alarm_rate : Interval
    verified_alone : tuple of float
        The true and false positive rate among the verified, which are wrong where verification depends on the
        decision.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> flagged = np.repeat([True, False], [429, 221])  # a scan of the liver
    >>> diseased = np.repeat([1, 0, np.nan, 1, 0, np.nan], [231, 32, 166, 27, 54, 140])
    >>> found = rh.policies.partial_verification(flagged, diseased)
    >>> print(found.tpr)
    0.8365 (0.7818 to 0.8796; 95 % verification)
    >>> round(1 - found.fpr.estimate, 3)  # the specificity
    0.738
    """

    n: int
    n_verified: int
    tpr: Interval
    fpr: Interval
    precision: Interval
    prevalence: Interval
    alarm_rate: Interval
    verified_alone: tuple[float, float]

    def __str__(self) -> str:
        ends = {
            end: written([getattr(getattr(self, name), end) for name in _SHOWN])
            for end in ("estimate", "low", "high")
        }
        return table({"": list(_SHOWN), **ends})


def partial_verification(
    flagged: ArrayLike,
    y_true: ArrayLike,
    strata: ArrayLike | None = None,
    *,
    pos_label: object = None,
    level: float = 0.95,
) -> VerifiedRates:
    """Estimate the rates of a rule on all cases, where some were verified, by the decision and strata.

    Parameters
    ----------
    flagged : array-like of bool, shape (n,)
        What the rule decided.
    y_true : array-like of shape (n,)
        The truth, missing (None or NaN) where it was not verified.
    strata : array-like of shape (n,), optional
        What else verification depends on, such as ranges of the score or an age group.
    pos_label : object, optional
        The label of the positive class.
    level : float, default=0.95
        Of the intervals.

    Returns
    -------
    VerifiedRates
        If among the cases of one decision and stratum the verified are like the others.

    Raises
    ------
    ValueError
        If lengths differ, or nobody was verified in some stratum.

    Notes
    -----
    The share of positives among the verified of each decision and stratum is the posterior of all its
    cases, and the posteriors are averaged: what :meth:`Policy.performance` does under covariate shift with
    the posteriors of the policy, and without labels. Intervals carry the errors of these shares and of the
    numbers of cases.

    References
    ----------
    Begg & Greenes 1983, Assessment of diagnostic tests when disease verification is subject to selection
    bias.

    Examples
    --------
    >>> import rochull as rh
    >>> found = rh.policies.partial_verification([True, True, False, False, False], [1, None, 0, 1, None])
    >>> print(f"{found.tpr.estimate:.3f}")
    0.571
    """
    refuse_other_order({"flagged": flagged, "y_true": y_true, "strata": strata})
    truth, called = some_labels(y_true, pos_label, "y_true"), np.asarray(flagged)
    if called.dtype != bool:
        raise refused("flagged", "must hold truth values, as decisions are.")
    same_size(len(called), len(truth), "flagged", "y_true")
    names: Any = np.zeros(len(truth), int) if strata is None else values_of(strata)[0].astype(str)
    same_size(len(names), len(truth), "strata", "y_true")
    groups, place = np.unique(names, return_inverse=True)
    place = 2 * place + called
    used, place = np.unique(place, return_inverse=True)
    pos, neg = (np.bincount(place[truth == label], minlength=len(used)) for label in (1, 0))
    total = np.bincount(place, minlength=len(used))
    for i in np.flatnonzero(pos + neg == 0).tolist():
        what = "the rule flags" if used[i] % 2 else "the rule does not flag"
        where = what if strata is None else f"{what} and strata is {str(groups[used[i] // 2])!r}"
        raise Refusal(_BEFORE, where, int(total[i]))
    none = np.zeros(len(used))
    ladder = RatioLadder([], none, None, pos.astype(float), neg.astype(float))
    ranges = Ranges(ladder, total / total.sum(), len(truth), float(pos.sum() / (pos + neg).sum()))
    by_flag = (used % 2).astype(float)
    shares = ranges.covariate_shift(by_flag, none)
    sure = probability(level, "level", open_ends=True)
    figures = Assessor("verification", {}, Ranges.covariate_shift, None, sure).figures(shares)
    alone = tuple(float(own @ by_flag / own.sum()) if own.sum() else float("nan") for own in (pos, neg))
    rates = {name: figures[name] for name in _SHOWN}
    return VerifiedRates(len(truth), int((pos + neg).sum()), verified_alone=(alone[0], alone[1]), **rates)
