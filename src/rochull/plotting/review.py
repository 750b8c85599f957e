"""The benefit of reviews: the least expected cost against the share of cases that is reviewed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull.conditions.review import Review, ReviewFrontier
from rochull.conditions.review_rules import ReviewPoint
from rochull.hull.hull import roc_hull
from rochull.plotting.base import IN_SAMPLE, Display, apart, in_percent, padded, percent, style, titled
from rochull.plotting.legends import legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CELL = 5e-4


@dataclass(eq=False, repr=False)
class ReviewDisplay(Display):
    """Expected cost against the share of cases that is reviewed.

    Attributes
    ----------
    frontier : ReviewFrontier
        The least cost for every share (in-sample).
    point : ReviewPoint
        The best rule under the condition, with its limits.
    cost : float
        Its expected cost per case.

    References
    ----------
    Pietraszek 2005.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> review = rh.Review(cost_fn=5, cost_review=0.2, max_share=0.1)
    >>> display = rh.plotting.ReviewDisplay.compute(
    ...     table["class"], table["boosted"], review=review, pos_label="bad"
    ... )
    >>> display.point.review_rate, round(display.cost, 3), display.frontier.cost[0].round(3).item()
    (0.1, 0.484, 0.546)
    """

    _size = (5.6, 4.2)

    frontier: ReviewFrontier
    point: ReviewPoint
    cost: float
    name: str | None = None

    @classmethod
    def compute(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        review: Review | None = None,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        lower_is_positive: bool = False,
        name: str | None = None,
    ) -> Self:
        """Compute the numbers without drawing them.

        Parameters
        ----------
        review : Review, optional
            Costs and limits, each a single number; ``Review()`` if not given.
        """
        asked = Review() if review is None else review
        hull = roc_hull(
            y_true, y_score, sample_weight=sample_weight, pos_label=pos_label,
            lower_is_positive=lower_is_positive,
        )  # fmt: skip
        point = hull.at(asked)
        assert isinstance(point, ReviewPoint)  # as it was asked for
        return cls(hull.review_frontier(asked), point, point.expected_cost(asked), name)

    def draw(self, ax: Axes, name: str | None, **kwargs: Any) -> None:
        """Draw the frontier, and the best rule on it: a limit on errors may keep that above it."""
        share, cost = self.frontier.share, self.frontier.cost
        top = max(cost.max(), self.cost) or 1.0
        keep = apart(np.stack([share, cost / top]), _CELL)
        look = style(ax, kwargs, by=name, label=titled(name, f"least cost ({IN_SAMPLE})"))
        self.line_ = ax.plot(share[keep], cost[keep], **look)[0]
        said = f"best: {percent(self.point.review_rate)} reviewed, cost {self.cost:.4g}"
        ax.plot(
            [self.point.review_rate], [self.cost], "o", color=self.line_.get_color(), ms=6, clip_on=False,
            label=titled(name, said),
        )  # fmt: skip
        ax.set(xlim=padded(0, 1), xlabel="share of cases that is reviewed", ylabel="expected cost per case")
        ax.set_ylim(bottom=0)
        in_percent(ax.xaxis)
        legend(ax, loc="best")
