"""Reliability diagram by PAV (CORP): what forecasts should have been, and by how much they may be off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull.hull.hull import RocHull
from rochull.hull.sources import ArraySource
from rochull.plotting.base import (
    FIRST,
    IN_SAMPLE,
    Display,
    grey,
    has_curve,
    percent,
    reference,
    style,
    titled,
)
from rochull.plotting.consistency import ConsistencyBand, consistency_band
from rochull.plotting.legends import legend
from rochull.scoring.measures import Decomposition, decompose
from rochull.uncertainty.calibration_bands import CalibrationBand, band_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rochull._core.validation import Array

_BINS = 50
_STRIP = -0.18, 0.13  # where the histogram stands, below the axis, and how high it is
_SCORES = "rochull-scores"
_COLUMN = 7.8  # width of a column of scores, in units of the font's size
_NARROW = 0.005  # of the width of the axes: an area that is narrower would not be seen
_FEW = 40  # blocks up to which each is marked by a point


@dataclass(eq=False, repr=False)
class ReliabilityDisplay(Display):
    """CORP reliability diagram: recalibrated probability against forecast, by PAV.

    No bins are chosen: PAV finds them.

    Attributes
    ----------
    probability, calibrated : ndarray of shape (2 b,)
        The recalibrated curve at the lowest and the highest forecast of each of the b blocks,
        ascending: constant in a block, linear in between. In-sample.
    histogram : ndarray of shape (50,)
        Share of the forecasts, by weight, in equal bins of [0, 1].
    decomposition : Decomposition
        Of the Brier score: score = MCB - DSC + UNC.
    band : ConsistencyBand or None
        Consistency band: forecasts ``band.probability``, and ``band.low`` and ``band.high``,
        between which the curve lies with probability ``band.level`` at each of them, if the
        forecasts are calibrated. That of a constant forecast is drawn as an error bar.
    confidence_band : CalibrationBand or None
        Where the curve of the population lies, at all forecasts at once, if it rises; see
        :func:`calibration_band`.

    References
    ----------
    Dimitriadis, Gneiting & Jordan 2021, Stable reliability diagrams for probabilistic classifiers.

    Examples
    --------
    >>> import rochull as rh
    >>> display = rh.plotting.ReliabilityDisplay.compute([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.9], n_resamples=0)
    >>> display.probability.tolist(), display.calibrated.tolist()
    ([0.1, 0.1, 0.4, 0.4, 0.9, 0.9], [0.0, 0.0, 0.5, 0.5, 1.0, 1.0])
    >>> print(display.decomposition)
    score 0.135 = miscalibration 0.01 - discrimination 0.125 + uncertainty 0.25 (in-sample)
    """

    _responses = ("predict_proba",)

    probability: Array
    calibrated: Array
    histogram: Array
    decomposition: Decomposition
    band: ConsistencyBand | None = None
    name: str | None = None
    confidence_band: CalibrationBand | None = None

    @classmethod
    def compute(
        cls,
        y_true: ArrayLike,
        probability: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        n_resamples: int | None = 1000,
        level: float = 0.9,
        random_state: int | np.random.Generator | None = 0,
        confidence: float | None = None,
        name: str | None = None,
    ) -> Self:
        """Compute the numbers without drawing them.

        Parameters
        ----------
        probability : array-like of shape (n,)
            Probabilities of the positive class.
        n_resamples : int or None, default=1000
            How often labels are drawn for the consistency band; no band for 0 or None.
        level : float, default=0.9
            Pointwise probability of the band, strictly between 0 and 1.
        random_state : int, numpy Generator or None, default=0
            What the labels are drawn with; None for others in every call.
        confidence : float, optional
            That of a confidence band of the population's curve, such as 0.95, for examples without weights;
            none if not given.

        Notes
        -----
        The band keeps the forecasts and draws every label anew as 1 with the probability that was
        forecast, independently of the others; then PAV recalibrates. The result does not depend on
        the number of threads. Of more than 10,000 different forecasts, neighbours in rank are
        drawn together, at their mean. An example with a weight is one draw that counts as much as
        it weighs, and not as many draws as it weighs: repeating an example makes the band narrower,
        doubling its weight does not. For more than 100,000 weighted examples, equal forecasts are
        drawn as ``(sum of w)**2 / (sum of w**2)`` examples of equal weight, which have the same mean
        and variance.
        """
        data = validation.forecasts(y_true, probability, sample_weight, pos_label)
        values = data.scores
        level = validation.probability(level, "level", open_ends=True)
        draws = validation.non_negative(n_resamples or 0, "n_resamples")
        if draws != int(draws):
            raise ValueError(f"n_resamples must be a whole number, but is {n_resamples!r}.")
        blocks = RocHull.from_source(ArraySource(data)).blocks
        assert blocks is not None  # it is of one classifier
        histogram = np.histogram(values, _BINS, (0, 1), weights=data.weights)[0]
        band = consistency_band(values, data.weights, int(draws), level, random_state) if draws else None
        return cls(
            probability=np.column_stack([blocks.low, blocks.high])[::-1].ravel().astype(float),
            calibrated=np.repeat(blocks.posterior[::-1], 2),
            histogram=histogram / histogram.sum(),
            decomposition=decompose(data.positive, values, sample_weight=data.weights),
            band=band,
            name=name,
            confidence_band=None if confidence is None else band_of(data, confidence),
        )

    def draw(
        self, ax: Axes, name: str | None, *, histogram: bool = True, text: bool = True, **kwargs: Any
    ) -> None:
        """Draw the curve over its band, the histogram of forecasts below, and the scores.

        Parameters
        ----------
        histogram : bool, default=True
            Draw how often which forecast was given, in a strip below the curve.
        text : bool, default=True
            State the Brier score and its parts.
        """
        if not has_curve(ax):
            reference(ax, [0, 1], [0, 1])
        marks = {"marker": "o", "markersize": 3.5} if len(self.probability) <= 2 * _FEW else {}
        look = style(ax, kwargs, by=name, label=titled(name, f"PAV ({IN_SAMPLE})"), **marks)
        self.line_ = ax.plot(self.probability, self.calibrated, **look)[0]
        if self.band is not None:
            self._plot_band(ax, self.band)
        if self.confidence_band is not None:
            self._plot_confidence(ax, self.confidence_band)
        if histogram:
            self._plot_histogram(ax)
        if text:
            self._write_scores(ax)
        ax.set(xlim=(-0.02, 1.02), xlabel="forecast probability", ylabel="recalibrated probability")
        ax.set_ylim(min(ax.get_ylim()[0], -0.2) if histogram else -0.02, 1.02)
        ax.set_yticks(np.linspace(0, 1, 6))
        legend(ax, loc="lower right")

    def _plot_band(self, ax: Axes, band: ConsistencyBand) -> None:
        """An area, or a bar with caps where the forecasts are too close for one, as a constant one is."""
        look: dict[str, Any] = {"color": self.line_.get_color(), "zorder": 0.5}
        look["label"] = f"{percent(band.level, 6)} consistency band"
        if np.ptp(band.probability) >= _NARROW:
            ax.fill_between(band.probability, band.low, band.high, alpha=0.18, lw=0, **look)
            return
        at, ends = band.probability.mean(), [band.low.min(), band.high.max()]
        ax.plot([at, at], ends, marker="_", ms=12, mew=1.6, lw=1.6, alpha=0.5, **look)

    def _plot_confidence(self, ax: Axes, band: CalibrationBand) -> None:
        """The two ends as steps."""
        look: dict[str, Any] = {"color": self.line_.get_color(), "lw": 0.9, "ls": (0, (4, 2)), "zorder": 0.6}
        start, end = np.append(np.append(0, band.start), 1), np.append(np.append(0, band.end), 1)
        ax.step(end, np.append(np.append(0, band.low), band.low[-1]), where="post", **look)
        label = f"{percent(band.level, 6)} confidence band"
        ax.step(start, np.append(np.append(band.high[0], band.high), 1), where="pre", label=label, **look)

    def _plot_histogram(self, ax: Axes) -> None:
        """Bars in a strip of the same axes: nothing moves, whatever the layout of the figure is."""
        base, height = _STRIP
        edges = np.linspace(0, 1, len(self.histogram) + 1)
        bars = base + height * self.histogram / self.histogram.max()
        is_filled = self.line_.get_gid() == FIRST  # later ones in outline, so that all are seen
        ax.stairs(
            bars, edges, baseline=base, color=self.line_.get_color(),
            fill=is_filled, alpha=0.5 if is_filled else 1, lw=0 if is_filled else 0.9,
        )  # fmt: skip
        ax.plot([0, 1], [base, base], color=grey(ax), lw=0.6)

    def _write_scores(self, ax: Axes) -> None:
        """The Brier score and its parts, top left, where no curve of a useful forecast passes."""
        parts = self.decomposition
        rows = (
            ("Brier", parts.score),
            ("= MCB", parts.miscalibration),
            ("− DSC", parts.discrimination),
            ("+ UNC", parts.uncertainty),
        )
        written = sum(text.get_gid() == _SCORES for text in ax.texts)  # of displays drawn before
        is_crowded = ((self.probability < 0.35) & (self.calibrated > 0.75)).any()
        at, side, step = ((0.97, 0.62), "right", -_COLUMN) if is_crowded else ((0.03, 0.97), "left", _COLUMN)
        ax.annotate(
            "\n".join(f"{what} {value:.4f}" for what, value in rows),
            at, xycoords="axes fraction", xytext=(step * written, 0), textcoords="offset fontsize",
            ha=side, va="top", family="monospace", size="small", color=self.line_.get_color(), gid=_SCORES,
        )  # fmt: skip
