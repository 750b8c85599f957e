"""Tippett plot: how often log-likelihood-ratios exceed a value, for each class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull.hull.tallies import tally_of
from rochull.plotting.base import (
    Display,
    apart,
    base_name,
    has_curve,
    in_base,
    in_percent,
    log_base,
    padded,
    percent,
    reference,
    style,
    titled,
)
from rochull.plotting.legends import legend
from rochull.scoring.ratios import labelled_llr

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from rochull._core.validation import Array

_TAIL = 0.002  # of a class
_OTHER = {"linestyle": (0, (5, 2)), "gid": None}
_CELL = 1e-3  # in proportion: what lies closer is not told apart in print


@dataclass(eq=False, repr=False)
class TippettDisplay(Display):
    """Tippett plot: the proportion of log-likelihood-ratios above each value, for both classes.

    The positive class is the hypothesis H1, the negative one H2.

    Attributes
    ----------
    llr : ndarray of shape (k,)
        Log-likelihood-ratios (natural log) that occur, ascending and distinct, infinite ones
        included. Of many only those are kept at which a proportion passes a multiple of 0.001, and the
        ends.
    above_pos, above_neg : ndarray of shape (k,)
        Proportion of each class whose LLR is greater than ``llr[i]``: P(LLR > x | H1) and
        P(LLR > x | H2), for x from ``llr[i]`` up to the next one. To the left of all it is 1.
    misleading_pos, misleading_neg : float
        Rates of misleading evidence: P(LLR < 0 | H1) and P(LLR > 0 | H2).
    ax_, figure_, line_, neg_line_ : matplotlib objects
        Where it was drawn; the curve of H1; that of H2.

    References
    ----------
    Evett & Buckleton 1996, Statistical analysis of STR data; Tippett et al. 1968.

    Examples
    --------
    >>> import rochull as rh
    >>> display = rh.plotting.TippettDisplay.compute([1, 1, 0, 0], [2.0, -0.5, 0.5, -3.0])
    >>> display.llr.tolist(), display.above_pos.tolist(), display.misleading_neg
    ([-3.0, -0.5, 0.5, 2.0], [1.0, 0.5, 0.5, 0.0], 0.5)
    """

    _responses = ("predict_llr",)
    _size = (5.6, 4.2)

    llr: Array
    above_pos: Array
    above_neg: Array
    misleading_pos: float
    misleading_neg: float
    name: str | None = None

    @classmethod
    def compute(
        cls,
        y_true: ArrayLike,
        llr: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        as_llr: bool = False,
        name: str | None = None,
    ) -> Self:
        """Compute the numbers without drawing them.

        Parameters
        ----------
        pos_label : object, optional
            The label of the positive class, H1.
        """
        data = labelled_llr(y_true, llr, sample_weight, pos_label, as_llr)
        groups = tally_of(replace(data, scores=data.scores.astype(float)))  # what doubles join is one step
        value = groups.score[::-1]
        pos, neg = (
            (np.cumsum(units) - units)[::-1] / units.sum() for units in (groups.pos_units, groups.neg_units)
        )
        keep = apart(np.stack([pos, neg]), _CELL)
        return cls(
            llr=value[keep],
            above_pos=pos[keep],
            above_neg=neg[keep],
            misleading_pos=float(groups.pos_units[::-1][value < 0].sum() / groups.pos_units.sum()),
            misleading_neg=float(groups.neg_units[::-1][value > 0].sum() / groups.neg_units.sum()),
            name=name,
        )

    def draw(self, ax: Axes, name: str | None, *, base: float = np.e, **kwargs: Any) -> None:
        """Draw both curves, and name the rates of misleading evidence in the legend.

        Infinite LLRs are beyond the axes: a curve then does not reach 1 on the left or 0 on the
        right, and a triangle on the border marks where it stays.

        Parameters
        ----------
        **kwargs : Any
            For the line of H1, such as ``color``; that of H2 is of the same colour.
        """
        base = log_base(base)
        is_first = not has_curve(ax)
        finite = in_base(self.llr[np.isfinite(self.llr)], base)
        low, high = padded(*self._span(base))
        if is_first:
            reference(ax, [0, 0], [0, 1])
        look = style(ax, kwargs, by=name, drawstyle="steps-post")
        self.line_, self.neg_line_ = (
            self._plot_class(ax, finite, above, look | more, titled(name, label))
            for above, more, label in (
                (self.above_pos, {}, f"H1, {percent(self.misleading_pos)} misleading"),
                (self.above_neg, _OTHER, f"H2, {percent(self.misleading_neg)} misleading"),
            )
        )
        if not is_first:
            before = ax.get_xlim()
            low, high = min(low, before[0]), max(high, before[1])
        ax.set(xlim=(low, high), ylim=padded(0, 1), ylabel="proportion with LLR > x")
        in_percent(ax.yaxis)
        ax.set_xlabel(f"x ({base_name(base)} likelihood ratio)")
        legend(ax, loc="best")

    def _span(self, base: float) -> tuple[float, float]:
        """Where the curves run, but for the last of each tail, and a unit on both sides of 0 at least."""
        above = np.stack([self.above_pos, self.above_neg])
        inside = ((above >= _TAIL) & (above <= 1 - _TAIL)).any(axis=0) & np.isfinite(self.llr)
        seen = in_base(self.llr[inside], base)
        return float(seen.min(initial=-1.0)), float(seen.max(initial=1.0))

    def _plot_class(self, ax: Axes, finite: Array, above: Array, look: dict[str, Any], label: str) -> Line2D:
        """One curve, led far beyond both borders; `finite` are the finite LLRs as the axis shows them."""
        is_finite = np.isfinite(self.llr)
        below = above[0] if self.llr[0] == -np.inf else 1.0  # to the left of all finite ones
        beyond = above[np.flatnonzero(self.llr < np.inf)[-1]] if (self.llr < np.inf).any() else 1.0
        reach = 1e3 * (np.abs(finite).max(initial=1.0))
        x = np.concatenate([[-reach], finite, [reach]])
        y = np.concatenate([[below], above[is_finite], [beyond]])
        line = ax.plot(x, y, **{"label": label, **look})[0]
        for at, marker, height, end in ((0, "<", below, 1.0), (1, ">", beyond, 0.0)):
            if height != end:
                ax.plot(
                    at, height, marker, ms=6, color=line.get_color(), clip_on=False, zorder=3,
                    transform=ax.get_yaxis_transform(),
                )  # fmt: skip
        return line
