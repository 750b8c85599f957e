"""Expected cost against the operating condition: cost curves and Brier curves, as exact polylines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import described
from rochull._core.results import Result
from rochull._core.validation import Array
from rochull.hull.blocks import pool
from rochull.hull.hull import roc_hull
from rochull.hull.tallies import Units, ratio, tally_of
from rochull.scoring.scoring_rules import PARAMETERS


@dataclass(frozen=True, eq=False)
class CostCurve(Result):
    """A cost that is piecewise linear in the operating condition, by its breakpoints.

    Attributes
    ----------
    probability_cost : ndarray of shape (k,)
        The operating condition at each breakpoint, ascending from 0 to 1. For ``kind == "cost"`` the
        probability cost of the positive class, ``π cost_fn / (π cost_fn + (1 - π) cost_fp)``; for
        ``"brier"`` the cost proportion ``cost_fp / (cost_fp + cost_fn)`` at the sample's own π. Where the
        curve jumps, two breakpoints are at the same place.
    cost : ndarray of shape (k,)
        The cost there.
    kind : {"cost", "brier"}
        Which cost.

    Examples
    --------
    >>> import rochull as rh
    >>> curve = rh.scoring.cost_curve([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> curve.probability_cost.tolist(), curve.cost.tolist()
    ([0.0, 0.5, 1.0], [0.0, 0.25, 0.0])
    >>> curve.area()
    0.125
    """

    probability_cost: Array
    cost: Array
    kind: str

    def area(self) -> float:
        """Compute the area under the curve: the mean cost if all conditions are equally likely.

        Returns
        -------
        float
            Exact up to rounding, since the curve is piecewise linear.
        """
        return float(np.trapezoid(self.cost, self.probability_cost))

    def at(self, probability_cost: ArrayLike) -> Array:
        """Read the curve at operating conditions.

        Parameters
        ----------
        probability_cost : float or array-like of shape (m,)
            In [0, 1].

        Returns
        -------
        ndarray of shape (m,)
            The cost; at a jump that of the right branch, because a case whose probability equals the
            cost proportion is not called positive.
        """
        x = validation.rates_1d(probability_cost, "probability_cost")
        return np.interp(x, self.probability_cost, self.cost)  # of breakpoints at one place, the last


@described(PARAMETERS)
def cost_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    lower_is_positive: bool = False,
) -> CostCurve:
    """Compute the cost curve of a classifier: its least normalised expected cost under each condition.

    At the probability cost x an operating point costs ``x (1 - tpr) + (1 - x) fpr``, a line; the curve
    is the lower envelope of the lines of all thresholds. Its lines are the vertices of the ROC convex
    hull, and its breakpoints are the edges: 1 / (1 + slope).

    Returns
    -------
    CostCurve
        Of the kind "cost", from (0, 0) to (1, 0) and nowhere above ``min(x, 1 - x)``. In-sample: each
        threshold is chosen on the data that it is judged by.

    References
    ----------
    Drummond & Holte 2006.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.scoring.cost_curve([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]).at([0.25, 0.5]).tolist()
    [0.125, 0.25]
    """
    hull = roc_hull(
        y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, lower_is_positive=lower_is_positive
    )
    rise, run = ratio(np.diff(hull.tp), hull.n_pos), ratio(np.diff(hull.fp), hull.n_neg)
    x = run / (rise + run)  # where the lines of an edge's two ends cross
    false_alarms, missed = hull.fpr, ratio(hull.n_pos - hull.tp, hull.n_pos)
    cost = x * missed[:-1] + (1 - x) * false_alarms[:-1]
    inner = (x > 0) & (x < 1)  # an edge of one class ends the curve
    return CostCurve(_framed(x[inner]), np.concatenate(([0.0], cost[inner], [0.0])), "cost")


@described(PARAMETERS)
def brier_curve(
    y_true: ArrayLike,
    probability: ArrayLike,
    *,
    recalibrated: bool = False,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> CostCurve:
    """Compute the Brier curve: the cost of taking probabilities at their word, for each cost proportion.

    At the cost proportion c a false positive costs 2c and a miss 2(1 - c), and a case is called positive
    if its probability is greater than c. The curve jumps at the probabilities; the area under it is the
    Brier score.

    Parameters
    ----------
    recalibrated : bool, default=False
        The curve of the probabilities after PAV of the same data instead: it is the lower envelope of all
        thresholds, without jumps, and its area is the Brier score without the miscalibration. In-sample:
        PAV has seen the data that it is judged by.

    Returns
    -------
    CostCurve
        Of the kind "brier", ``2 (c (1 - π) fpr + (1 - c) π (1 - tpr))`` with the sample's π.

    References
    ----------
    Hernández-Orallo, Flach & Ferri 2011.

    Examples
    --------
    >>> import rochull as rh
    >>> curve = rh.scoring.brier_curve([1, 0], [0.75, 0.5])
    >>> curve.probability_cost.tolist(), curve.cost.tolist()
    ([0.0, 0.5, 0.5, 0.75, 0.75, 1.0], [0.0, 0.5, 0.0, 0.0, 0.25, 0.0])
    >>> curve.area()
    0.15625
    """
    groups = tally_of(validation.forecasts(y_true, probability, sample_weight, pos_label))
    if recalibrated:
        blocks = pool(groups)
        return _brier(blocks.posterior[::-1], blocks.pos_units[::-1], blocks.neg_units[::-1], groups.units)
    return _brier(groups.score[::-1], groups.pos_units[::-1], groups.neg_units[::-1], groups.units)


def _brier(probability: Array, pos_units: Array, neg_units: Array, units: Units) -> CostCurve:
    """The Brier curve of groups of cases (g,), ascending."""
    missed, rejected = (np.concatenate(([0], np.cumsum(u))) for u in (pos_units, neg_units))
    pos, neg = missed / units.pos, (rejected[-1] - rejected) / units.neg
    total = pos[-1] + neg[0]
    # Segment i lies between probabilities i - 1 and i, where the lower groups are not called positive.
    ends = _framed(probability)
    x = np.column_stack([ends[:-1], ends[1:]])
    cost = 2 * (x * (neg / total)[:, None] + (1 - x) * (pos / total)[:, None])
    if probability[0] == 0:  # no condition is below it
        x, cost = x[1:], cost[1:]
    return CostCurve(x.ravel(), cost.ravel(), "brier")


def _framed(inner: Array) -> Array:
    """Ascending places between 0 and 1, with both; neighbours that rounding has swapped become one."""
    return np.concatenate(([0.0], np.maximum.accumulate(inner), [1.0]))
