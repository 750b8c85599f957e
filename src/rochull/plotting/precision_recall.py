"""Precision against recall, with what mixtures of thresholds achieve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull.plotting.base import (
    IN_SAMPLE,
    Display,
    apart,
    has_curve,
    in_percent,
    percent,
    reference,
    style,
    titled,
)
from rochull.plotting.legends import legend
from rochull.scoring.precision_recall import precision_recall_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rochull._core.validation import Array

_CELL = 5e-4
_POINTS = 1001  # of the line of what is achievable, besides the vertices


@dataclass(eq=False, repr=False)
class PrecisionRecallDisplay(Display):
    """Precision-recall curve: every threshold, and the best mixtures (Davis & Goadrich).

    Attributes
    ----------
    recall, precision : ndarray of shape (k,)
        Of the thresholds, from high scores to low; those closer than 0.0005 are left out.
    achievable_recall, achievable_precision : ndarray of shape (m,)
        The best mixtures, chosen on the same data (in-sample); curved between the vertices of the ROC hull.
    average_precision : float
        The sum of each threshold's precision times the recall that it adds.
    area : float
        Under what is achievable.
    prevalence : float
        Proportion of positives: the precision of chance.

    References
    ----------
    Davis & Goadrich 2006.

    Examples
    --------
    >>> import rochull as rh
    >>> display = rh.plotting.PrecisionRecallDisplay.compute([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> round(display.average_precision, 4), round(display.area, 4)
    (0.8333, 0.8873)
    """

    recall: Array
    precision: Array
    achievable_recall: Array
    achievable_precision: Array
    average_precision: float
    area: float
    prevalence: float
    name: str | None = None

    @classmethod
    def compute(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        prevalence: float | None = None,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        name: str | None = None,
    ) -> Self:
        """Compute the numbers without drawing them.

        Parameters
        ----------
        prevalence : float, optional
            Proportion of positives among the cases to be decided, strictly between 0 and 1; that of the data
            if not given.
        """
        curve = precision_recall_curve(
            y_true, y_score, prevalence=prevalence, sample_weight=sample_weight, pos_label=pos_label
        )
        points = np.stack([curve.recall, curve.precision])
        recall, precision = points[:, apart(points, _CELL)]
        grid = np.union1d(np.linspace(0, 1, _POINTS), curve.hull.tpr)
        best = np.stack([grid, curve.achievable(grid)])
        x, y = best[:, apart(best, _CELL)]
        return cls(recall, precision, x, y, curve.average_precision(), curve.area(), curve.prevalence, name)

    def draw(self, ax: Axes, name: str | None, *, achievable: bool = True, **kwargs: Any) -> None:
        """Draw the thresholds as steps, and what their mixtures achieve as a dashed line.

        Parameters
        ----------
        achievable : bool, default=True
            Draw the dashed line.
        """
        if not has_curve(ax):
            reference(ax, [0, 1], [self.prevalence] * 2, label=f"chance, {percent(self.prevalence)}")
        look = style(
            ax,
            kwargs,
            by=name,
            drawstyle="steps-pre",
            label=titled(name, f"average {self.average_precision:.3f}"),
        )
        self.line_ = ax.plot(self.recall, self.precision, **look)[0]
        if achievable:
            ax.plot(
                self.achievable_recall, self.achievable_precision, color=self.line_.get_color(), lw=1.1,
                ls=(0, (5, 2)), label=titled(name, f"mixtures ({IN_SAMPLE}), area {self.area:.3f}"),
            )  # fmt: skip
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xlabel="recall", ylabel="precision")
        in_percent(ax.xaxis, ax.yaxis)
        legend(ax, loc="lower left")
