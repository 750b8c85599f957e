"""Examples with log-likelihood-ratios, and whether these look like probabilities."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import entries
from rochull._core.messages import Setting, refused
from rochull._core.validation import Labelled
from rochull._core.warned import warn

_NO_LLRS = math.log(1e3)  # what right LLRs of the negatives sum to in one of a thousand samples, at most
_FEWEST, _FITS_BETTER, _BEYOND_DOUBT = 4, math.log(2.5), math.log(1e6)  # see `labelled_llr`

# What the parameter of whoever takes LLRs means.
AS_LLR = entries("""
as_llr : bool, default=False
    The numbers are log-likelihood-ratios even where they look like probabilities: there is no warning, nor
    are they refused where all lie in [0, 1] and make the labels a million times as likely as probabilities.
""")


def labelled_llr(
    y_true: ArrayLike,
    llr: ArrayLike,
    sample_weight: ArrayLike | None,
    pos_label: object,
    as_llr: bool = False,
) -> Labelled:
    """Validated examples whose scores are log-likelihood-ratios; a warning, if they look like probabilities.

    They are refused if they are probabilities beyond doubt, unless the caller says what they are.

    The mean likelihood ratio of negatives is 1, if ratios are right. So by Markov's inequality the LLRs of
    negatives, summed, exceed log(1/α) in a share of α of all samples at most: those between 0 and 1 that do
    are not LLRs, or bad ones. Likewise the labels are 2.5 times as likely by the same numbers read as
    probabilities in 4 of 10 samples at most; and right LLRs of four or more cases hardly all lie between 0
    and 1. Beyond doubt is a million times as likely, of cases that count once.
    """
    data = validation.labelled(y_true, llr, sample_weight, pos_label, name="llr")
    values = data.scores
    if validation.truth(as_llr, "as_llr") or values.min() < 0 or values.max() > 1:
        return data
    total, gain = float(values[data.positive == 0].sum(dtype=float)), _gain_as_probabilities(data)
    if gain > _BEYOND_DOUBT and data.weights is None:
        raise refused(
            "llr",
            "are probabilities: all lie between 0 and 1, and as those they make the labels {} times as "
            "likely. Write llr_from_posterior(values, prevalence) of them; or {}, if they are "
            "log-likelihood-ratios.",
            f"{math.exp(min(gain, 700.0)):.0e}",
            Setting("as_llr", True),
        )
    if total > _NO_LLRS or gain > _FITS_BETTER:
        why = f"those of negatives sum to {total:.4g}, which log-likelihood-ratios do not"
        if total <= _NO_LLRS:
            why = "as those they fit the labels better"
        warn(
            f"llr: all values lie between 0 and 1, as if they were probabilities, and {why}; "
            "llr_from_posterior converts probabilities."
        )
    return data


def _gain_as_probabilities(data: Labelled) -> float:
    """How much more likely numbers in [0, 1] make the labels as probabilities than as LLRs, as a log."""
    positive, n_pos = data.positive == 1, int(np.count_nonzero(data.positive == 1))
    if positive.size < _FEWEST:
        return 0.0
    value = data.scores.astype(float)
    with np.errstate(divide="ignore"):
        probable = float(np.log(np.where(positive, value, 1 - value)).sum())
        odds = value + math.log(n_pos) - math.log(positive.size - n_pos)
    return probable + float(np.logaddexp(0, np.where(positive, -odds, odds)).sum())
