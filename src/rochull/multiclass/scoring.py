"""How good log-likelihoods of several classes are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import described
from rochull._core.messages import refused
from rochull._core.rows import same_rows
from rochull._core.validation import Array
from rochull.multiclass.by_class import placed
from rochull.multiclass.coupling import relative
from rochull.multiclass.examples import class_codes, class_weights
from rochull.multiclass.inputs import EXAMPLES, unmasked


@described(EXAMPLES)
def multiclass_cllr(
    y_true: ArrayLike,
    llr: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    classes: Sequence[Any] | None = None,
) -> float:
    """Compute the cost of multi-class log-likelihood-ratios, Cllr.

    The mean over classes of the logarithmic score of their examples at even priors, in units of what LLRs
    of 0 get: ``mean over c of the mean over examples of c of -log softmax(llr)[c] / log C``.

    Parameters
    ----------
    llr : array-like of shape (n, C)
        Log-likelihoods of the classes (natural log), up to a constant of each example; -inf is legal where
        another class of the row is finite. The columns of a data frame that are called exactly like the
        classes (or like their text) are taken by name.

    Returns
    -------
    float
        0 is perfect, and 1 is what LLRs that say nothing get (log2 C bits in the paper). Infinite only if the
        true class of an example has -inf. Of two classes it is :func:`cllr` of the difference of the columns.

    References
    ----------
    Brümmer & van Leeuwen 2006, On calibration of language recognition scores, Odyssey.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.multiclass.multiclass_cllr(["a", "b", "c"], [[0, 0, 0], [0, 0, 0], [0, 0, 0]])
    1.0
    >>> round(rh.multiclass.multiclass_cllr(["a", "b", "c"], [[3, 0, 0], [0, 3, 0], [1, 0, 2]]), 3)
    0.181
    """
    values = _log_likelihoods(llr)
    codes, labels = class_codes(y_true, classes, values.shape[1])
    same_rows(y_true=y_true, llr=llr, sample_weight=sample_weight)
    values = values[:, placed(y_true, llr, values, codes, labels, name="llr", stated=classes is not None)]
    given = class_weights(sample_weight, codes, labels)
    weight = np.ones(codes.size) if given is None else given
    some = weight > 0  # an infinite loss of nobody counts nothing
    codes, weight, values = codes[some], weight[some], relative(values[some])
    loss = np.log(np.exp(values).sum(axis=1)) - values[np.arange(codes.size), codes]
    means = np.bincount(codes, weight * loss) / np.bincount(codes, weight)
    return float(means.mean() / math.log(len(labels)))


def _log_likelihoods(llr: ArrayLike) -> Array:
    """Checked log-likelihoods float64 (n, C)."""
    array = unmasked(llr, "llr")
    if array.ndim != 2 or array.shape[1] < 2:
        raise validation.wrong_shape("llr", "(n, C) with C of 2 or more", llr)
    columns = [validation.scores_1d(array[:, c], f"column {c} of llr") for c in range(array.shape[1])]
    values = np.column_stack(columns).astype(float)
    largest = values.max(axis=1)
    if np.isinf(largest).any():
        row = int(np.argmax(np.isinf(largest)))
        what = "+inf" if largest[row] > 0 else "-inf in every column"
        raise refused("llr", "has {} in row {}.", what, row)
    return values
