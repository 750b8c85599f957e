"""Costs of likelihood-ratios against the prior, on the axis of its log-odds.

Empirical cross-entropy (ECE), applied probability of error (APE) and normalised Bayes error-rate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull._core.docstrings import entries
from rochull.plotting.base import (
    IN_SAMPLE,
    Display,
    base_name,
    has_curve,
    in_base,
    log_base,
    padded,
    reference,
    short_number,
    style,
    titled,
)
from rochull.plotting.legends import legend
from rochull.scoring.prior_curves import PriorCurve, ape_curve, bayes_error_curve, ece_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from rochull._core.validation import Array


_DEFAULT = (-10.0, 10.0)  # priors, if none are given; most of them show nothing
_WORTH = 0.1  # of the most that scores are worth: less is not seen
_LEAST = 2.0  # log-odds on both sides, at least


@dataclass(eq=False, repr=False)
class PriorDisplay(Display):
    """Base of the displays with the prior on the axis."""

    attributes_told = Display.attributes_told | entries("""
ax_, figure_, line_, minimum_line_ : matplotlib objects
    Where it was drawn; the actual cost; the least one.
""")
    _responses = ("predict_llr",)
    _size = (5.6, 4.2)
    _curve_of: ClassVar[Callable[..., PriorCurve]]
    _ylabel: ClassVar[str]
    _unit: ClassVar[str] = ""
    _corner: ClassVar[str] = "upper right"  # where the curves leave room for the legend
    # The upper border of the picture, as a multiple of the highest reference: at least, at most.
    _headroom: ClassVar[tuple[float, float]] = (1.35, 1.35)

    curve: PriorCurve
    name: str | None = None

    @classmethod
    def compute(
        cls,
        y_true: ArrayLike,
        llr: ArrayLike,
        *,
        prior_log_odds: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        as_llr: bool = False,
        name: str | None = None,
    ) -> Self:
        """Compute the numbers without drawing them.

        Parameters
        ----------
        prior_log_odds : array-like of shape (m,), optional
            Natural log-odds of the priors, in the order in which they are joined; if not given, 201
            from -10 to 10.
        """
        curve = cls._curve_of(
            y_true, llr, prior_log_odds, sample_weight=sample_weight, pos_label=pos_label, as_llr=as_llr
        )
        return cls(curve, name)

    def draw(self, ax: Axes, name: str | None, *, base: float = np.e, **kwargs: Any) -> None:
        """Draw the actual cost, the least that a monotone recalibration reaches, and the reference.

        Where a cost is above the picture or infinite, as the ECE of infinitely misleading LLRs is, a
        triangle on the upper border says so, and the legend how high it is.
        """
        base = log_base(base)
        curve = self.curve
        x = in_base(curve.prior_log_odds, base)
        is_first = not has_curve(ax)
        top = max(0.0 if is_first else ax.get_ylim()[1], self._top())
        look = style(ax, kwargs, by=name, label=(name or "actual LLRs") + self._said_of_what_is_above(top))
        self.line_ = ax.plot(x, np.where(np.isinf(curve.actual), np.nan, curve.actual), **look)[0]
        self.minimum_line_ = ax.plot(
            x, curve.minimum, color=self.line_.get_color(), lw=1.1, ls=(0, (5, 2)),
            label=titled(name, f"PAV ({IN_SAMPLE})"),
        )[0]  # fmt: skip
        if is_first:
            # It is what the cost is compared with, so no legend may hide it.
            reference(ax, x, curve.reference, label="prior alone (LLR = 0)", gid="rochull-prior-alone")
        _mark_what_is_above(ax, x, curve.actual > top, self.line_)
        ax.set(xlabel=f"prior log-odds ({base_name(base)})", ylabel=self._ylabel, ylim=(-0.02 * top, top))
        first, last = in_base(np.array(self._span()), base).tolist()
        ends = padded(first, last, 0.02)
        before = ends if is_first else ax.get_xlim()
        ax.set_xlim(min(ends[0], before[0]), max(ends[1], before[1]))
        legend(ax, loc=self._corner)

    def _span(self) -> tuple[float, float]:
        """The priors at which a cost is far from that of the prior alone; all that were asked for."""
        x, curve = self.curve.prior_log_odds, self.curve
        ends = float(x.min()), float(x.max())
        if ends != _DEFAULT:
            return ends
        gap = np.fmax(curve.reference - curve.minimum, np.abs(curve.actual - curve.reference))
        least = _WORTH * float((curve.reference - curve.minimum).max())
        far = float(np.abs(x[gap > least]).max(initial=_LEAST))
        return -far, far

    def _top(self) -> float:
        """The upper border: room for the reference, and for the cost as long as it stays near it."""
        low, high = np.array(self._headroom) * self.curve.reference.max()
        return float(np.clip(1.05 * self.curve.actual.max(), low, high))

    def _said_of_what_is_above(self, top: float) -> str:
        """How high the actual cost is where the picture does not show it, for the legend."""
        highest = self.curve.actual.max()
        if highest <= top:
            return ""
        if highest == np.inf:
            return " (infinite)" if np.isinf(self.curve.actual).all() else " (up to infinity)"
        where = "outside, " if (self.curve.actual > top).all() else ""
        return f" ({where}up to {short_number(highest)}{self._unit})"


def _mark_what_is_above(ax: Axes, x: Array, is_above: Array, line: Line2D) -> None:
    """A triangle on the upper border in the middle of each run of points above it."""
    between = np.concatenate(([False], is_above, [False])).astype(int)
    starts, stops = (np.flatnonzero(np.diff(between) == step) for step in (1, -1))
    if starts.size == 0:
        return
    middle = x[(starts + stops - 1) // 2]
    ax.plot(
        middle, np.ones(middle.size), "^", ms=6, color=line.get_color(), clip_on=False, zorder=3,
        transform=ax.get_xaxis_transform(),
    )  # fmt: skip


class EceDisplay(PriorDisplay):
    """ECE plot: empirical cross-entropy of log-likelihood-ratios, in bits, against the prior log-odds.

    ECE is empirical cross-entropy here, as in forensic science; it is not the expected calibration
    error, which goes by the same letters. The lower, the better; at prior log-odds of 0 it is Cllr.

    Attributes
    ----------
    curve : PriorCurve
        The actual empirical cross-entropy, after PAV of the same data (in-sample), and of the prior alone.

    References
    ----------
    Ramos & Gonzalez-Rodriguez 2008, Cross-entropy analysis of the information in forensic speaker
    recognition; Ramos et al. 2013.

    Examples
    --------
    >>> import rochull as rh
    >>> display = rh.plotting.EceDisplay.compute([1, 0, 1, 0], [2.0, 1.0, 0.5, -1.0], prior_log_odds=[0.0])
    >>> display.curve.minimum.tolist(), display.curve.reference.tolist()
    ([0.5], [1.0])
    """

    _curve_of = staticmethod(ece_curve)
    _ylabel = "empirical cross-entropy (bits)"
    _unit = " bits"


class ApeDisplay(PriorDisplay):
    """APE plot: applied probability of error of log-likelihood-ratios against the prior log-odds.

    Attributes
    ----------
    curve : PriorCurve
        The actual error rate of Bayes decisions at equal costs, after PAV of the same data
        (in-sample), and of the prior alone.

    References
    ----------
    Brümmer & du Preez 2006, Application-independent evaluation of speaker detection.

    Examples
    --------
    >>> import rochull as rh
    >>> display = rh.plotting.ApeDisplay.compute([1, 0, 1, 0], [2.0, 1.0, 0.5, -1.0], prior_log_odds=[0.0])
    >>> display.curve.actual.tolist(), display.curve.reference.tolist()
    ([0.25], [0.5])
    """

    _curve_of = staticmethod(ape_curve)
    _ylabel = "probability of error"


class BayesErrorDisplay(PriorDisplay):
    """Normalised Bayes error-rate of log-likelihood-ratios against the prior log-odds.

    Above 1 deciding by the prior alone would be better.

    Attributes
    ----------
    curve : PriorCurve
        The error rate of Bayes decisions at equal costs, divided by that of the prior alone: as it
        is, and after PAV of the same data (in-sample).

    References
    ----------
    Brümmer & du Preez 2013, equation (15).

    Examples
    --------
    >>> import rochull as rh
    >>> display = rh.plotting.BayesErrorDisplay.compute(
    ...     [1, 0, 1, 0], [2.0, 1.0, 0.5, -1.0], prior_log_odds=[0.0]
    ... )
    >>> display.curve.actual.tolist(), display.curve.reference.tolist()
    ([0.5], [1.0])
    """

    _curve_of = staticmethod(bayes_error_curve)
    _headroom = (1.05, 1.25)
    _corner = "lower left"
    _ylabel = "normalised Bayes error-rate"
