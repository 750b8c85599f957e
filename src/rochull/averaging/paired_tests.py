"""Tests on values that were measured in the same folds, one row for each fold.

They know nothing of curves: what is compared may be any measure of any number of classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rochull._core import validation
from rochull._core.validation import Array
from rochull.averaging.fold_tables import SLACK, ratio_moments

AUTO, CORRECTION = "auto", "nadeau-bengio"


class Outcome(NamedTuple):
    """One test for each column (k,). `df` is 0 where fewer than two folds are defined."""

    statistic: Array
    pvalue: Array
    estimate: Array
    df: Array


@dataclass(frozen=True)
class DependentTest:
    """The t-test for dependent samples (Paclík et al. 2008, equation 3).

    Attributes
    ----------
    df : degrees of freedom: "n-1", those of the dependent test, or "2n-2", those that the paper prints.
    overlap : size of a test part by that of its training part, by which Nadeau and Bengio (2003) enlarge
        the variance of the mean from ``1 / n`` to ``1 / n + overlap``; 0 for none.
    """

    df: str = "n-1"
    overlap: float = 0.0

    def __post_init__(self) -> None:
        if self.df not in ("n-1", "2n-2"):
            raise ValueError(f"df must be 'n-1' or '2n-2', but is {self.df!r}.")

    def __call__(self, first: Array, second: Array) -> Outcome:
        """Compare columns of `first` with those of `second`: (n_folds, k) or (n_folds, 1) each."""
        from scipy.special import stdtr

        apart = differences(first, second)
        defined = ~np.isnan(apart)
        mean, std, count = ratio_moments(np.where(defined, apart, 0.0), defined.astype(float), 0.0)
        safe = np.maximum(count, 2)
        with np.errstate(all="ignore"):
            error = std * np.sqrt(1 / safe + self.overlap)
            statistic = np.where(mean == 0, 0.0, mean / error)  # infinite where the folds do not vary
        tested = count > 1
        df = np.where(tested, safe - 1.0 if self.df == "n-1" else 2.0 * safe - 2.0, 0.0)
        statistic = np.where(tested, statistic, 0.0)
        pvalue = np.where(tested, 2 * stdtr(np.maximum(df, 1), -np.abs(statistic)), 1.0)
        return Outcome(statistic, pvalue, mean, df)


def differences(first: Array, second: Array) -> Array:
    """The excess of `first` in every fold (n_folds, k); NaN where one of the two is undefined.

    Equal differences are equal here; in floating point 0.3 - 0.2 and 0.4 - 0.3 are not.
    """
    apart = np.asarray(first - second)
    slack = SLACK * np.fmax.reduce(np.maximum(np.abs(first), np.abs(second)), axis=0, initial=0.0)
    apart[np.abs(apart) <= slack] = 0.0
    middle = _first_defined(apart)
    return np.where(np.abs(apart - middle) <= slack, middle, apart)


def _first_defined(values: Array) -> Array:
    """In each column (k,) the first entry that is not NaN, if there is one."""
    row = np.argmax(~np.isnan(values), axis=0)
    return np.asarray(np.take_along_axis(values, row[None], axis=0)[0])


def holm(pvalues: Array) -> Array:
    """P-values (m,) adjusted so that the chance of any false rejection is bounded (Holm 1979)."""
    order = np.argsort(pvalues, kind="stable")
    factor = np.arange(pvalues.size, 0, -1)
    raised = np.minimum(np.maximum.accumulate(pvalues[order] * factor), 1.0)
    adjusted = np.empty_like(raised)
    adjusted[order] = raised
    return adjusted


def overlap_of(correction: str | float | None, known: float, repeated: bool) -> float:
    """Size of a test part by that of its training part; `known` is that of the folds.

    `repeated` tells whether rows were tested more than once, so that "auto" means the correction.
    """
    if correction is None or (correction == AUTO and not repeated):
        return 0.0
    if isinstance(correction, str):
        if correction not in (AUTO, CORRECTION):
            raise ValueError(
                f"correction must be {AUTO!r}, None, {CORRECTION!r} or a ratio, but is {correction!r}."
            )
        return known
    return validation.non_negative(correction, "correction")


def accepted_by_all(pvalues: Sequence[Array], level: float) -> Array:
    """Where no test (k,) rejects at the confidence `level`: the paper's circles, its AND over measures."""
    return np.asarray(np.all([p > 1 - level for p in pvalues], axis=0))
