"""How the scores of a classifier lie: how many differ, and of each class the ends and the median."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from rochull._core.validation import Array
    from rochull.hull.curve import RocCurve


@dataclass(frozen=True)
class ScoreSpread:
    """Scores as one tells them of a column.

    Attributes
    ----------
    distinct : int
        How many scores differ.
    negatives, positives : tuple of (least, median, greatest)
        Of each class; half its weight is on either side of the median, which is the mean of the two in the
        middle where these differ.
    """

    distinct: int
    negatives: tuple[Any, Any, Any]
    positives: tuple[Any, Any, Any]


def spread_of(curve: RocCurve) -> ScoreSpread:
    """Read a complete curve, without a look at all of its points.

    Examples
    --------
    >>> import rochull as rh
    >>> spread_of(rh.roc_curve([0, 0, 1, 1, 0], [1, 2, 2, 7, 4]))
    ScoreSpread(distinct=4, negatives=(1, 2, 4), positives=(2, 4.5, 7))
    """
    score = 0 - curve.score if curve.lower_is_positive else curve.score

    def of(units: Array) -> tuple[Any, Any, Any]:
        total = int(units[-1])
        first, last = np.searchsorted(units, [1, total])
        above, below = np.searchsorted(units, [(total + 1) // 2, total // 2 + 1])
        a, b = (score[i - 1].item() for i in (above, below))
        least, greatest = sorted(score[i - 1].item() for i in (first, last))
        return least, a if a == b else a / 2 + b / 2, greatest

    return ScoreSpread(len(score), of(curve.fp_units), of(curve.tp_units))
