"""The mean ROC curve of a cross-validation, with crosses that say how sure each operating point is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rochull.averaging.operating_points import OperatingPointAverage
from rochull.plotting.averaged import AverageDisplay
from rochull.plotting.base import apart, ink, roc_axes, style, titled
from rochull.plotting.legends import legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from rochull._core.validation import Array

_CELL = 5e-4
_SPREADS = {"sem": "standard error", "std": "standard deviation of the folds"}


@dataclass(eq=False, repr=False)
class MeanRocDisplay(AverageDisplay):
    """Mean ROC curve over folds, with crosses of the standard deviation at its operating points.

    Attributes
    ----------
    average : OperatingPointAverage
        All that is drawn: ``fpr_mean``, ``tpr_mean`` and their standard deviations at the thresholds.

    References
    ----------
    Paclík, Lai, Novovičová & Duin 2008, Algorithm 1 and Figure 1.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> display = rh.plotting.MeanRocDisplay.compute(
    ...     table["class"], table["boosted"], table["fold"], pos_label="bad"
    ... )
    >>> display.average
    OperatingPointAverage(31 points, 10 folds, operating points)
    """

    average: OperatingPointAverage
    name: str | None = None

    @classmethod
    def of_average(cls, average: OperatingPointAverage, *, name: str | None = None) -> Self:
        """Take an average that there is, without drawing it.

        Parameters
        ----------
        average : OperatingPointAverage
            Also a vertical, threshold or pooled one; the last has no standard deviations, and no crosses.
        """
        return cls(average, name)

    def draw(
        self, ax: Axes, name: str | None, *, spread: str = "sem", crosses: int | None = 40, **kwargs: Any
    ) -> None:
        """Draw the mean curve, and crosses of one standard deviation to each side.

        Parameters
        ----------
        spread : {"sem", "std"}, default="sem"
            The standard deviation of the mean, or of the folds. The former is corrected where rows were
            tested more than once, and the legend says so; see :meth:`OperatingPointAverage.sem`.
        crosses : int or None, default=40
            At how many points there is one at most, evenly along the curve; at all for None.
        """
        self.line_ = draw_mean(ax, self.average, kwargs, name=name, spread=spread, crosses=crosses)
        legend(ax, loc="lower right")


def draw_mean(
    ax: Axes,
    average: OperatingPointAverage,
    given: dict[str, Any],
    *,
    name: str | None,
    spread: str,
    crosses: int | None,
) -> Line2D:
    """Draw a mean curve and its crosses; give the curve's line."""
    if spread not in _SPREADS:
        raise ValueError(f"spread must be one of {tuple(_SPREADS)}, but is {spread!r}.")
    if crosses is not None and crosses < 0:
        raise ValueError(f"crosses must not be negative, but is {crosses!r}.")
    roc_axes(ax)
    mean = np.stack([average.fpr_mean, average.tpr_mean])
    sds = np.stack([getattr(average, f"{rate}_{spread}") for rate in ("fpr", "tpr")])
    at = _evenly(mean, len(average) if crosses is None else crosses)
    at = at[np.isfinite(sds[:, at]).all(axis=0) & (sds[:, at] > 0).any(axis=0)]
    said = f"mean of {average.n_folds} folds" if average.n_folds > 1 else "all folds pooled"
    look = style(ax, given, by=name, label=titled(name, said))
    x, y = mean[:, apart(mean, _CELL)]
    line = ax.plot(x, y, **look)[0]
    if at.size:
        (x, y), (xerr, yerr) = mean[:, at], sds[:, at]
        colour, label = line.get_color(), f"± {_SPREADS[spread]}"
        if spread == "sem" and average.repeated:
            label += " (Nadeau-Bengio)"  # rows were tested more than once
        dark = ink(ax)  # a bar along the curve is not seen in the curve's colour
        ax.errorbar(x, y, yerr, xerr, fmt=".", ms=3, color=colour, ecolor=dark, elinewidth=0.9, zorder=3)
        if label not in ax.get_legend_handles_labels()[1]:  # said once for all displays
            ax.plot([], [], "+", ms=11, mew=0.9, color=dark, label=label)
    return line


def _evenly(mean: Array, wanted: int) -> Array:
    """Indices of at most so many of the points (2, k), evenly along the way through them."""
    if wanted >= mean.shape[1]:
        return np.arange(mean.shape[1])
    way = np.append(0, np.cumsum(np.abs(np.diff(mean)).sum(axis=0)))
    steps = (np.arange(wanted) + 0.5) / max(wanted, 1) * way[-1]
    return np.unique(np.searchsorted(way, steps))
