"""The expected maximum profit of scores, where what a hit brings is known when one decides."""

from __future__ import annotations

from numpy.typing import ArrayLike

from rochull._core.docstrings import described
from rochull.conditions.profits import MaximumProfit, StochasticProfit
from rochull.hull.hull import roc_hull
from rochull.scoring.scoring_rules import PARAMETERS


@described(PARAMETERS)
def expected_maximum_profit(
    y_true: ArrayLike,
    y_score: ArrayLike,
    condition: StochasticProfit,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> MaximumProfit:
    """Compute the expected maximum profit (EMP) of scores, exactly, over all thresholds and mixtures.

    What a hit brings is random. The profit is that of the best threshold for each value, on average. A single
    threshold that is chosen beforehand brings at most as much: that of ``hull.at(condition)`` brings
    ``condition.profit(point.fpr, point.tpr)``, the highest for one.

    Parameters
    ----------
    condition : ChurnProfit or CreditProfit
        A prevalence that it does not state is that of the data.

    Returns
    -------
    MaximumProfit
        The profit per case, and the share of cases called positive. In-sample: each threshold is chosen on
        the data that it is judged by.

    References
    ----------
    Verbraken, Verbeke & Baesens 2013; Verbraken, Bravo, Weber & Baesens 2014.

    Examples
    --------
    >>> import rochull as rh
    >>> y, scores = [0, 1, 0, 1, 0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.8, 0.9]
    >>> found = rh.scoring.expected_maximum_profit(y, scores, rh.conditions.ChurnProfit())
    >>> round(found.profit, 4), round(found.fraction, 4)
    (23.8756, 0.8744)
    """
    hull = roc_hull(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if not hasattr(condition, "expected_maximum"):
        raise TypeError(f"condition must be a ChurnProfit or a CreditProfit, but is {condition!r}.")
    return condition.at_prevalence(hull.prevalence).expected_maximum(hull.frontier)
