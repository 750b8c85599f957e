"""How far the data tell operating points apart: a selected point, and its indistinguishable neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rochull.averaging.fold_average import indices_of
from rochull.averaging.fold_measures import RATES
from rochull.averaging.operating_points import OperatingPointAverage
from rochull.averaging.roc_average import as_measures
from rochull.conditions.base import Condition
from rochull.conditions.costs import costs_of
from rochull.conditions.error_rates import MinimumRecall
from rochull.conditions.frontier import Frontier
from rochull.conditions.objectives import Cost
from rochull.plotting.averaged import AverageDisplay
from rochull.plotting.base import STAR, ink, percent
from rochull.plotting.legends import legend
from rochull.plotting.mean_roc import draw_mean

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rochull._core.validation import Array
    from rochull.averaging.fold_measures import Measure

# Mean rates are read as decimals of so many digits: a limit that they reach on paper is reached.
_GRID = 10**15


@dataclass(eq=False, repr=False)
class SignificanceDisplay(AverageDisplay):
    """A selected operating point of a mean ROC curve, and the points that the data cannot tell from it.

    Attributes
    ----------
    average : OperatingPointAverage
        The mean curve.
    point : int
        The selected point.
    indistinguishable : ndarray of bool of shape (k,)
        The points at which no measure differs significantly from that at the selected point, which is
        one of them.
    measures : tuple
        What was tested.
    level : float
        Confidence of each test.
    in_sample : bool
        Whether the point was selected on these mean rates, which are then too good for it.

    Notes
    -----
    Along one curve the false (or true) positive rate never falls, so that the test of it describes the
    *resolution* of the data rather than a hypothesis; see :meth:`OperatingPointAverage.compare`.

    References
    ----------
    Paclík, Lai, Novovičová & Duin 2008, section 4.2 and Figure 2.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> display = rh.plotting.SignificanceDisplay.compute(
    ...     table["class"], table["boosted"], table["fold"], pos_label="bad"
    ... )
    >>> i = display.point
    >>> print(f"{display.average.tpr_mean[i]:.2f}", display.indistinguishable.nonzero()[0].tolist())
    0.91 [21]
    """

    average: OperatingPointAverage
    point: int
    indistinguishable: Array
    measures: tuple[Measure, ...] = ("fpr",)
    level: float = 0.95
    name: str | None = None
    in_sample: bool = False

    @classmethod
    def of_average(
        cls,
        average: OperatingPointAverage,
        *,
        point: int | Condition | None = None,
        measures: Measure | Sequence[Measure] = ("fpr",),
        level: float = 0.95,
        df: str = "n-1",
        correction: str | float | None = "auto",
        adjust: str | None = None,
        name: str | None = None,
    ) -> Self:
        """Test an average that there is, without drawing it.

        Parameters
        ----------
        average : OperatingPointAverage
            Of two folds at least.
        point : int or Condition, optional
            The selected point, or what the best of the points is selected for; the lowest false positive
            rate with a true positive rate of at least 0.9 if not given, as in the paper.
        measures : measure or sequence of measures, default=("fpr",)
            What is tested, see :class:`OperatingPointAverage`; a point is indistinguishable if it is so by
            all of them.
        level : float, default=0.95
            Confidence of each test, strictly between 0 and 1.
        df, correction, adjust : optional
            As in :meth:`OperatingPointAverage.compare`.
        """
        chosen = tuple(as_measures(measures))
        index = _selected(average, MinimumRecall(0.9) if point is None else point)
        alike = average.indistinguishable(index, chosen, level, df=df, correction=correction, adjust=adjust)
        by_condition = point is None or isinstance(point, Condition)
        return cls(average, index, alike, chosen, level, name, by_condition)

    def draw(self, ax: Axes, name: str | None, **kwargs: Any) -> None:
        """Draw the mean curve with its crosses, the selected point and the circles of its neighbours."""
        self.line_ = draw_mean(ax, self.average, kwargs, name=name, spread="sem", crosses=40)
        colour, i = self.line_.get_color(), self.point
        fpr, tpr = self.average.fpr_mean, self.average.tpr_mean
        neighbours = self.indistinguishable.copy()
        neighbours[i] = False
        tested = ", ".join(map(_written, self.measures))
        chosen = " (in-sample)" if self.in_sample else ""
        ax.plot(
            fpr[i], tpr[i], "x", ms=11, mew=2.6, color=colour, zorder=4, ls="none",
            label=f"selected{chosen}: FPR {percent(fpr[i])}, TPR {percent(tpr[i])}",
        )  # fmt: skip
        said = f"{tested} indistinguishable ({100 * self.level:g} %)"
        ax.plot(
            fpr[neighbours], tpr[neighbours], "o", ms=9, mfc=STAR, mec=ink(ax), mew=1.2, zorder=3.5,
            ls="none", label=said if neighbours.any() else "_nolegend_",
        )  # fmt: skip
        legend(ax, loc="lower right")


def _selected(average: OperatingPointAverage, point: int | Condition) -> int:
    """The index of the selected point, from 0; or of the best of the points under a condition."""
    if not isinstance(point, Condition):
        return int(indices_of([point], len(average), "point")[0])
    question = point.question
    question.refuse(
        confidence=ValueError("point must be a condition without confidence: it is selected on mean rates.")
    )
    costs = question.costs
    if costs is not None:
        return int(np.argmin(average.mean(costs)))
    fp, tp = (np.rint(rate * _GRID).astype(np.int64) for rate in (average.fpr_mean, average.tpr_mean))
    return question.best_single(Frontier(fp, tp, _GRID, _GRID))


def _written(measure: Measure) -> str:
    """Name a measure in the legend."""
    if isinstance(measure, str):
        return measure.upper() if measure in RATES else measure
    if costs_of(measure) is not None:
        return Cost.key
    return getattr(measure, "__name__", "measure")
