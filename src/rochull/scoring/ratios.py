"""Examples with log-likelihood-ratios, and whether these look like probabilities."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.validation import Labelled
from rochull._core.warned import warn

_NO_LLRS = math.log(1e3)  # what right LLRs of the negatives sum to in one of a thousand samples, at most
_FEWEST, _FITS_BETTER = 4, math.log(2.5)  # see `labelled_llr`


def labelled_llr(
    y_true: ArrayLike, llr: ArrayLike, sample_weight: ArrayLike | None, pos_label: object
) -> Labelled:
    """Validated examples whose scores are log-likelihood-ratios; a warning, if they look like probabilities.

    The mean likelihood ratio of negatives is 1, if ratios are right. So by Markov's inequality the LLRs of
    negatives, summed, exceed log(1/α) in a share of α of all samples at most: those between 0 and 1 that do
    are not LLRs, or bad ones. Likewise the labels are 2.5 times as likely by the same numbers read as
    probabilities in 4 of 10 samples at most; and right LLRs of four or more cases hardly all lie between 0
    and 1.
    """
    data = validation.labelled(y_true, llr, sample_weight, pos_label, name="llr")
    values = data.scores
    if values.min() >= 0 and values.max() <= 1:
        total = float(values[data.positive == 0].sum(dtype=float))
        why = f"those of negatives sum to {total:.4g}, which log-likelihood-ratios do not"
        if total <= _NO_LLRS:
            why = "as those they fit the labels better"
        if total > _NO_LLRS or _fit_as_probabilities(data):
            warn(
                f"llr: all values lie between 0 and 1, as if they were probabilities, and {why}; "
                "llr_from_posterior converts probabilities."
            )
    return data


def _fit_as_probabilities(data: Labelled) -> bool:
    """Whether numbers in [0, 1] make the labels clearly more likely as probabilities than as LLRs."""
    positive, n_pos = data.positive == 1, int(np.count_nonzero(data.positive == 1))
    if positive.size < _FEWEST:
        return False
    value = data.scores.astype(float)
    with np.errstate(divide="ignore"):
        probable = float(np.log(np.where(positive, value, 1 - value)).sum())
        odds = value + math.log(n_pos) - math.log(positive.size - n_pos)
    return probable + float(np.logaddexp(0, np.where(positive, -odds, odds)).sum()) > _FITS_BETTER
