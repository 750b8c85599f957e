"""The most that a rule can cost where likelihood ratios are wrong by up to a factor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from rochull._core import validation
from rochull._core.messages import refused
from rochull._core.results import Result
from rochull._core.validation import Array
from rochull.conditions.rules import OperatingPoint
from rochull.decisions.score_columns import ScoreColumns
from rochull.hull.hull import RocHull
from rochull.policies.performance import Deployment, ranges_of

_FAR = 1e6  # a factor beyond which nobody asks


@dataclass(frozen=True)
class WorstCase(Result):
    """Bounds of a rule's cost on a batch whose posterior odds are wrong by up to a factor.

    Attributes
    ----------
    factor : float
        By which the odds of each range of scores may be wrong, each in its own direction.
    expected_cost : float
        Per case, if they are right.
    low, high : float
        The least and the most that the rule can cost.
    regret : float
        The most that other decisions by the same scores can save.
    changes_at : float
        The least factor at which other decisions can save more than the margin; infinite if none does.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(4000) < 0.2
    >>> policy = rh.Policy.from_hull(rh.roc_hull(y, rng.normal(1.5 * y)))
    >>> batch = rng.normal(1.5 * (rng.random(2000) < 0.2))
    >>> found = policy.worst_case(batch, rh.ExpectedCost(cost_fn=5, prevalence=0.2), factor=2)
    >>> print(found)
    cost per case 0.4066; 0.26 to 0.6181 if odds are wrong by up to 2
    other decisions may be better from a factor of 1.32 on
    """

    factor: float
    expected_cost: float
    low: float
    high: float
    regret: float
    changes_at: float

    def __str__(self) -> str:
        far = "no factor" if math.isinf(self.changes_at) else f"a factor of {self.changes_at:.3g}"
        return (
            f"cost per case {self.expected_cost:.4g}; {self.low:.4g} to {self.high:.4g} if odds are wrong "
            f"by up to {self.factor:g}\nother decisions may be better from {far} on"
        )


def worst_case(
    hull: RocHull,
    point: OperatingPoint,
    condition: Any,
    columns: ScoreColumns,
    asked: tuple[float, float],
) -> WorstCase:
    """Find the bounds for a factor and a margin."""
    factor = validation.real(asked[0], "factor")
    if factor < 1:
        raise refused("factor", "must be at least 1, but is {}.", factor)
    margin = validation.non_negative(asked[1], "margin")
    deployment = Deployment(hull, point, condition)
    prices = deployment.prices
    if prices is None:
        raise refused("condition", "has no costs; give ExpectedCost(...).")
    ((_, ranges),) = ranges_of(hull, point, columns, deployment.stated()).items()
    cost_fp, cost_fn = float(prices[1]), float(prices[2])
    flagged, share, own = ranges.flagged_by(point), ranges.share, ranges.posterior

    def if_odds_are(times: Any) -> tuple[Array, Array]:
        """Costs of a range if it is passed and if it is flagged (k,), at so many times its odds."""
        p = own * times / (1 - own + own * times)
        return cost_fn * p, cost_fp * (1 - p)

    def cost(times: Any) -> float:
        passed, called = if_odds_are(times)
        return float(share @ (passed * (1 - flagged) + called * flagged))

    # A range costs more with more positives where it is not flagged, and with fewer where it is.
    rising = cost_fn * (1 - flagged) > cost_fp * flagged

    def regret(by: float) -> float:
        most = np.zeros(len(share))
        for passed, called in map(if_odds_are, (by, 1 / by)):
            spent = passed * (1 - flagged) + called * flagged
            most = np.maximum(most, spent - np.minimum(passed, called))
        return float(share @ most)

    expected = cost(1.0)
    low, high = 1.0, _FAR
    if regret(high) <= margin * expected:
        high = math.inf
    elif regret(low) > margin * expected:
        high = 1.0
    else:
        for _ in range(100):
            middle = math.sqrt(low * high)
            low, high = (low, middle) if regret(middle) > margin * expected else (middle, high)
    least, most = (cost(np.where(rising, way, 1 / way)) for way in (1 / factor, factor))
    return WorstCase(factor, expected, least, most, regret(factor), high)
