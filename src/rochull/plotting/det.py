"""Detection error tradeoff: both error rates on probit axes, where two normal classes give a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull.hull.curve import roc_curve
from rochull.hull.hull import RocHull
from rochull.plotting.base import IN_SAMPLE, Display, apart, has_curve, percent, style, titled
from rochull.plotting.legends import legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from rochull._core.validation import Array

_DIGIT, _SPACE = 0.08, 0.1  # inches that a digit of a tick's label takes, and the space beside it
_CELL = 0.005  # in normal deviates: what lies closer is not told apart in print
# Stand for the rates of 0 and 1, which are infinitely far away on probit axes.
_LEAST, _MOST = 1e-300, 1 - 2**-53
# Those that come first are labelled where there is no room for all.
_TICKS = (
    0.01, 0.2, 0.05, 1e-3, 0.5, 0.8, 0.99, 0.95, 1e-4, 0.999, 1e-5, 1e-6, 1e-7, 0.9999, 0.4, 0.6, 0.1, 0.02,
    0.9, 0.98, 2e-3, 5e-4, 0.998, 0.9995,
)  # fmt: skip


@dataclass(eq=False, repr=False)
class DetDisplay(Display):
    """DET curve: false negative rate against false positive rate on probit axes, with the hull.

    Attributes
    ----------
    fpr, fnr : ndarray of shape (k,)
        Error rates of the raw curve, from (0, 1) to (1, 0). Of points closer than 0.005 normal
        deviates only the first is kept.
    hull_fpr, hull_fnr : ndarray of shape (h,)
        Error rates at the vertices of the ROC convex hull.
    eer : float
        Equal error rate of the hull (ROCCH-EER): where it meets fpr = fnr, perhaps on an edge.
    ax_, figure_, line_, hull_line_ : matplotlib objects
        Where it was drawn; the raw curve; the hull.

    References
    ----------
    Martin et al. 1997, The DET curve in assessment of detection task performance; Brümmer & du
    Preez 2013 for the hull.

    Examples
    --------
    >>> import rochull as rh
    >>> display = rh.plotting.DetDisplay.compute([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])
    >>> display.fpr.round(3).tolist(), round(display.eer, 3)
    ([0.0, 0.0, 0.0, 0.333, 0.333, 0.667, 1.0], 0.167)
    """

    fpr: Array
    fnr: Array
    hull_fpr: Array
    hull_fnr: Array
    eer: float
    name: str | None = None

    @classmethod
    def compute(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        lower_is_positive: bool = False,
        name: str | None = None,
    ) -> Self:
        """Compute the numbers without drawing them."""
        curve = roc_curve(
            y_true, y_score, sample_weight=sample_weight, pos_label=pos_label,
            lower_is_positive=lower_is_positive,
        )  # fmt: skip
        hull = RocHull.from_curve(curve)
        keep = _apart_on_probit(curve.fpr, _misses(curve.tp_units))
        return cls(
            fpr=curve.fpr[keep],
            fnr=_misses(curve.tp_units)[keep],
            hull_fpr=hull.fpr,
            hull_fnr=_misses(hull.tp),
            eer=hull.eer(),
            name=name,
        )

    def draw(self, ax: Axes, name: str | None, *, hull: bool = True, **kwargs: Any) -> None:
        """Draw the raw curve, the hull and its equal error rate.

        The axes are in normal deviates (as scikit-learn's are, so that its curves can be drawn on
        them) and labelled in per cent. A rate of 0 or 1 is infinitely far away: there the curve
        leaves the picture, whose limits hold every other point.

        Parameters
        ----------
        hull : bool, default=True
            Draw the hull and its equal error rate too.
        """
        is_first = not has_curve(ax)
        x, y = _on_probit(self.fpr, self.fnr)
        look = style(ax, kwargs, by=name, label=name or "DET curve")
        self.line_ = ax.plot(x, y, **look)[0]
        if hull:
            self.hull_line_ = self._plot_hull(ax, name)
        self._set_limits(ax, is_first)
        ax.set(xlabel="false positive rate (%)", ylabel="false negative rate (%)")
        legend(ax, loc="upper right")

    def _plot_hull(self, ax: Axes, name: str | None) -> Line2D:
        """The hull is straight between its vertices on the ROC plane, and therefore curved here."""
        from scipy.special import ndtri

        colour = self.line_.get_color()
        label = titled(name, f"hull ({IN_SAMPLE}), EER {percent(self.eer)}")
        x, y = _on_probit(self.hull_fpr, self.hull_fnr)
        line = ax.plot(x, y, color=colour, lw=0.9, ls=(0, (5, 2)), label=label)[0]
        if self.eer > 0:
            at = ndtri(self.eer)
            ax.plot(at, at, "o", ms=5, color=colour, clip_on=False)
        return line

    def _set_limits(self, ax: Axes, is_first: bool) -> None:
        """Show every point whose rates are neither 0 nor 1, and half as far again; both axes are alike."""
        from scipy.special import ndtri

        is_seen = (self.fpr > 0) & (self.fnr > 0) & (self.fpr < 1) & (self.fnr < 1)
        seen = np.concatenate([self.fpr[is_seen], self.fnr[is_seen], [0.3, 0.5, self.eer or 0.5]])
        low, high = float(ndtri(seen.min() / 2)), -float(ndtri((1 - seen.max()) / 2))
        if not is_first:
            low, high = min(low, *ax.get_xlim()), max(high, *ax.get_xlim())
        low, high = _round(low, -1), _round(high, 1)
        _label_in_per_cent(ax, low, high)
        ax.set(xlim=(low, high), ylim=(low, high))
        if self.eer == 0:
            ax.text(
                0.5, 0.5, "the classes are separated:\nan error rate of 0 is\nbeyond the axes",
                ha="center", va="center", transform=ax.transAxes,
            )  # fmt: skip


def _misses(tp: Array) -> Array:
    """False negative rate of each point, without the rounding of 1 - tpr."""
    return np.asarray((tp[-1] - tp) / tp[-1])


def _apart_on_probit(fpr: Array, fnr: Array) -> Array:
    """Which points to keep (k,): the first of every cell of the distance run through on probit axes."""
    from scipy.special import ndtri

    least = min(fpr[fpr > 0].min(), fnr[fnr > 0].min()) / 2
    x, y = (ndtri(np.clip(rate, least, 1 - least)) for rate in (fpr, fnr))
    return apart((x - y)[None], _CELL)


def _on_probit(fpr: Array, fnr: Array) -> tuple[Array, Array]:
    """Normal deviates along edges that are straight between the given rates."""
    from scipy.special import expit, ndtri

    # Dense near both ends of an edge, where a rate may go to 0 and its deviate to infinity.
    near = expit(np.linspace(-25, 25, 201))
    deviates = [ndtri(np.clip(rate, _LEAST, _MOST)) for rate in (fpr, fnr)]
    is_short = sum(np.abs(np.diff(deviate)) for deviate in deviates) < 10 * _CELL
    steps = np.where(is_short, 0, near.size)  # points to put into each edge
    start = np.repeat(np.arange(len(steps)), steps + 1)
    share = np.concatenate([np.append(0, near[:count]) for count in steps])
    lines = []
    for rate in (fpr, fnr):
        inner = rate[start] * (1 - share) + rate[start + 1] * share
        inner = np.where(rate[start] == rate[start + 1], rate[start], inner)
        lines.append(ndtri(np.clip(np.append(inner, rate[-1]), _LEAST, _MOST)))
    return lines[0], lines[1]


def _round(deviate: float, side: int) -> float:
    """The next round rate on a side, as a deviate, so that the axis ends at a number; else the same."""
    from scipy.special import ndtri

    ends = [end for end in map(float, ndtri(_TICKS)) if side * (end - deviate) >= 0]
    return min(ends, key=lambda end: side * end, default=deviate)


def _label_in_per_cent(ax: Axes, low: float, high: float) -> None:
    """The same ticks on both axes, at round rates between two deviates, none too near to another one."""
    from scipy.special import ndtri

    inch = (high - low) / (min(ax.bbox.width, ax.bbox.height) / ax.figure.dpi)
    chosen: dict[float, str] = {}

    def room(first: str, second: str) -> float:
        return max(0.06 * (high - low), inch * (_DIGIT * (len(first) + len(second)) / 2 + _SPACE))

    inside = [rate for rate in _TICKS if low <= ndtri(rate) <= high]
    for rate in (*([min(inside), max(inside)] if inside else []), *_TICKS):  # the ends are read first
        at, said = float(ndtri(rate)), np.format_float_positional(100 * rate, 6, trim="-")
        if low <= at <= high and all(abs(at - other) >= room(said, chosen[other]) for other in chosen):
            chosen[at] = said
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(list(chosen), list(chosen.values()))
