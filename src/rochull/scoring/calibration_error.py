"""Expected calibration error: how far bins of forecasts are from what was observed, and how far by chance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import described
from rochull._core.results import Result
from rochull.hull.tallies import PARAMETERS


@dataclass(frozen=True)
class CalibrationError(Result):
    """Expected calibration error of forecasts in bins.

    Attributes
    ----------
    estimate : float
        Mean distance of the mean forecast from the share of positives in its bin, weighted by cases.
    if_calibrated : float
        What `estimate` would be on average if the forecasts were calibrated: its bias there.
    bins : int
        The number of bins that hold a forecast.

    Examples
    --------
    >>> import rochull as rh
    >>> y, p = [0, 0, 1, 1, 1], [0.25, 0.25, 0.55, 0.75, 0.75]
    >>> print(rh.scoring.expected_calibration_error(y, p, bins=2))
    0.29 in 2 bins; 0.224 would be usual of calibrated forecasts
    """

    estimate: float
    if_calibrated: float
    bins: int

    def __str__(self) -> str:
        usual = f"{self.if_calibrated:.3g} would be usual of calibrated forecasts"
        return f"{self.estimate:.3g} in {self.bins} bins; {usual}"


@described(PARAMETERS)
def expected_calibration_error(
    y_true: ArrayLike,
    probability: ArrayLike,
    bins: int = 15,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> CalibrationError:
    """Compute the expected calibration error (ECE), in bins of equal width.

    Parameters
    ----------
    probability : array-like of shape (n,)
        Probabilities of the positive class.
    bins : int, default=15
        Equal parts of [0, 1]; a forecast on a border belongs to the lower one.

    Returns
    -------
    CalibrationError
        The estimate and its bias.

    See Also
    --------
    decompose : Miscalibration without bins, by PAV, of any proper scoring rule.
    calibration_band : Where forecasts are surely off.

    Notes
    -----
    It depends on the bins, is 0 for a forecast that is always the prevalence, and is positive even of
    calibrated forecasts: chance moves the share of a bin by about ``sqrt(2 v / π) / n`` on average, with v
    the sum of p (1 - p) over its n cases. ``if_calibrated`` is the mean of that. More bins have more bias.

    References
    ----------
    Naeini, Cooper & Hauskrecht 2015, Obtaining well calibrated probabilities using Bayesian binning. Bröcker
    2012, Estimating reliability and resolution of probability forecasts, for the bias.

    Examples
    --------
    >>> import rochull as rh
    >>> found = rh.scoring.expected_calibration_error([0, 0, 1, 1, 1], [0.25, 0.25, 0.55, 0.75, 0.75], bins=2)
    >>> round(found.estimate, 12)
    0.29
    """
    size = validation.whole(bins, "bins", 1)
    data = validation.forecasts(y_true, probability, sample_weight, pos_label)
    p, weights = (
        data.scores.astype(float),
        np.ones(data.scores.size) if data.weights is None else data.weights,
    )
    where = np.maximum(np.ceil(p * size).astype(int) - 1, 0)
    mass = np.bincount(where, weights, size)
    off = np.bincount(where, weights * (data.positive - p), size)
    spread = np.sqrt(np.bincount(where, weights**2 * p * (1 - p), size))
    total = float(mass.sum())
    return CalibrationError(
        float(np.abs(off).sum() / total),
        float(spread.sum() * math.sqrt(2 / math.pi) / total),
        int(np.count_nonzero(mass)),
    )
