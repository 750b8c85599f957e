"""The distance of log-likelihood-ratios from those that PAV makes of them (devPAV)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from rochull._core.docstrings import described
from rochull.hull.hull import RocHull
from rochull.hull.sources import ArraySource
from rochull.scoring.ratios import labelled_llr
from rochull.scoring.scoring_rules import PARAMETERS


@described(PARAMETERS)
def devpav(
    y_true: ArrayLike,
    llr: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    as_llr: bool = False,
) -> float:
    """Compute devPAV: how far log10 LRs are from those that PAV makes of them, on average over their range.

    PAV's values over the LLRs are joined by straight lines, where they are finite; devPAV is the area between
    these and the identity, divided by the length of the range. 0 is perfect.

    Returns
    -------
    float
        In powers of ten. Infinite where PAV takes an infinite LLR for a finite one; NaN where it
        separates the classes, so that no value is finite.

    See Also
    --------
    decompose : Miscalibration by a proper scoring rule, in which every case counts the same.

    Notes
    -----
    PAV fits the same cases, so that devPAV is above 0 for perfect systems too.

    References
    ----------
    Vergeer, van Schaik & Sjerps 2021, Measuring calibration of likelihood-ratio systems: a comparison of four
    metrics, including a new metric devPAV.

    Examples
    --------
    >>> import math
    >>> import rochull as rh
    >>> tens = [-2.0, 1.0, -1.0, 2.0]  # powers of ten
    >>> rh.scoring.devpav([0, 0, 1, 1], [x * math.log(10) for x in tens])
    0.5
    """
    data = labelled_llr(y_true, llr, sample_weight, pos_label, as_llr)
    blocks = RocHull.from_source(ArraySource(data)).blocks
    assert blocks is not None
    some = np.isfinite(blocks.llr)
    x = np.column_stack([blocks.low, blocks.high]).astype(float)[some][::-1].ravel() / math.log(10)
    y = np.repeat(blocks.llr[some][::-1], 2) / math.log(10)
    if not x.size:
        return math.nan
    if np.isinf(x).any():
        return math.inf
    away, width = y - x, np.diff(x)
    if x[0] == x[-1]:
        return float(abs(away[0]))
    left, right = np.abs(away[:-1]), np.abs(away[1:])
    with np.errstate(invalid="ignore"):
        crossed = (left**2 + right**2) / (left + right)  # two triangles
    mean = np.where(away[:-1] * away[1:] < 0, crossed, left + right) / 2
    return float(mean @ width / (x[-1] - x[0]))
