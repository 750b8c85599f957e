"""An ROC curve or its hull in a band that says how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull.hull.curve import RocCurve
from rochull.hull.hull import RocHull
from rochull.hull.tallies import tally
from rochull.plotting.base import IN_SAMPLE, Display, apart, roc_axes, style, titled
from rochull.plotting.legends import legend
from rochull.uncertainty.bands import RocBand, roc_band

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rochull._core.validation import Array

_CELL = 5e-4
_KINDS = {
    "simultaneous": "band of the whole curve",
    "pointwise": "interval at each FPR",
    "ks": "Kolmogorov–Smirnov band",
}


@dataclass(eq=False, repr=False)
class RocBandDisplay(Display):
    """ROC curve, or its convex hull, with a confidence band.

    Attributes
    ----------
    fpr, tpr : ndarray of shape (k,)
        The raw curve, of whose points those closer than 0.0005 are left out; or the hull's vertices.
    auc : float
        Area under the raw curve, or under the hull.
    band : RocBand
        False positive rates ``band.fpr``, and ``band.low`` and ``band.high``.

    References
    ----------
    Campbell 1994; Macskassy & Provost 2004, Confidence bands for ROC curves.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> display = rh.plotting.RocBandDisplay.compute(
    ...     table["class"], table["boosted"], method="ks", pos_label="bad"
    ... )
    >>> display.band.low[[10, 30]].round(2).tolist(), round(display.auc, 3)
    ([0.24, 0.56], 0.776)
    """

    fpr: Array
    tpr: Array
    auc: float
    band: RocBand
    name: str | None = None

    @classmethod
    def compute(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        method: str = "simultaneous",
        of: str = "curve",
        level: float = 0.95,
        n_resamples: int = 2000,
        clusters: ArrayLike | None = None,
        random_state: int | np.random.Generator | None = 0,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        name: str | None = None,
    ) -> Self:
        """Compute the numbers without drawing them.

        Parameters
        ----------
        method : {"simultaneous", "pointwise", "ks"}, default="simultaneous"
            A band that holds the whole curve at `level`, intervals that each hold one point, or the
            wide band of Kolmogorov and Smirnov; see :func:`roc_band`.
        of : {"curve", "hull"}, default="curve"
            The raw curve, or its hull, which is biased upwards (in-sample).
        level : float, default=0.95
            Nominal coverage, strictly between 0 and 1.
        n_resamples : int, default=2000
            Of the bootstrap.
        random_state : int, numpy Generator or None, default=0
            Seed of the bootstrap; None for another band in every call.
        sample_weight : array-like of shape (n,), optional
            Weights go with the examples that are drawn; not for "ks".
        """
        curve = RocCurve.from_tally(tally(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label))
        band = roc_band(
            y_true, y_score, method, of=of, level=level, n_resamples=n_resamples, clusters=clusters,
            sample_weight=sample_weight, pos_label=pos_label, random_state=random_state,
        )  # fmt: skip
        if of == "hull":
            hull = RocHull.from_curve(curve)
            return cls(hull.fpr, hull.tpr, hull.auc(), band, name)
        keep = apart(np.stack([curve.fpr, curve.tpr]), _CELL)
        return cls(curve.fpr[keep], curve.tpr[keep], curve.auc(), band, name)

    def draw(self, ax: Axes, name: str | None, **kwargs: Any) -> None:
        """Draw the curve over its band."""
        band = self.band
        roc_axes(ax)
        what = f"hull ({IN_SAMPLE})" if band.in_sample else "ROC curve"
        look = style(ax, kwargs, by=name, label=titled(name, f"{what}, AUC {self.auc:.3f}"))
        self.line_ = ax.plot(self.fpr, self.tpr, **look)[0]
        ax.fill_between(
            band.fpr, band.low, band.high, color=self.line_.get_color(), alpha=0.2, lw=0, zorder=0.5,
            label=f"{100 * band.level:g} % {_KINDS[band.method]}",
        )  # fmt: skip
        legend(ax, loc="lower right")
