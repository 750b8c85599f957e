"""The map from scores to log-likelihood-ratios that a calibrator has learned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation as _validation
from rochull._core.validation import Array, Labelled
from rochull.hull.hull import RocHull
from rochull.hull.sources import ArraySource
from rochull.plotting.base import (
    IN_SAMPLE,
    Display,
    base_name,
    grey,
    has_curve,
    in_base,
    ink,
    log_base,
    padded,
    percent,
    reference,
    style,
    titled,
)
from rochull.plotting.legends import legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_POINTS = 1001
_BINS = 60
_STRIP = 0.16  # of the height of the axes, at the bottom: for the histogram
_NARROW = 0.005  # of the width of the histogram: a line that is shorter would not be seen
_INFINITE = "infinite LLR"
_HISTOGRAM = "rochull-histogram"
_SHADES = {"negatives": grey, "positives": ink}


@dataclass(eq=False, repr=False)
class ScoreToLlrDisplay(Display):
    """Calibrated log-likelihood-ratio against score, for one calibrator or several.

    Attributes
    ----------
    score : ndarray of shape (m,)
        Ascending: 1001 scores from the lowest to the highest finite one, and both sides of every
        edge of a block, of PAV on the data and of the calibrators.
    llr : dict of str to ndarray of shape (m,)
        Log-likelihood-ratios (natural log) by each calibrator, infinite ones included.
    edges : ndarray of shape (61,)
        Of the bins of the histogram of finite scores.
    pos_share, neg_share : ndarray of shape (60,)
        Share of the positives and of the negatives in each bin, by weight.
    in_sample : tuple of str
        The calibrators that were fitted on the data shown.
    ax_, figure_, line_, lines_ : matplotlib objects
        Where it was drawn; the first map; all maps, by the name of the calibrator.

    References
    ----------
    Brümmer & du Preez 2013, section 5.

    Examples
    --------
    >>> import rochull as rh
    >>> display = rh.plotting.ScoreToLlrDisplay.compute([0, 1, 0, 1], [1.0, 2.0, 3.0, 4.0])
    >>> sorted(set(display.llr["PAV"].tolist()))
    [-inf, 0.0, inf]
    """

    _size = (5.6, 4.2)

    score: Array
    llr: dict[str, Array]
    edges: Array
    pos_share: Array
    neg_share: Array
    in_sample: tuple[str, ...] = ()
    name: str | None = None
    lines_: dict[str, Line2D] = field(init=False, default_factory=dict)

    @classmethod
    def compute(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        calibrators: Mapping[str, Any] | None = None,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        name: str | None = None,
    ) -> Self:
        """Compute the numbers without drawing them.

        Parameters
        ----------
        y_score : array-like of shape (n,)
            Higher means more positive; infinite ones are legal.
        calibrators : dict of str to calibrator, optional
            Anything with a method ``llr``, by its name in the legend; a :class:`PavCalibrator` if not
            given. Of those that are not fitted a copy is fitted to the data.
        sample_weight : array-like of shape (n,), optional
            Finite and non-negative. Calibrators that are fitted already do not see it.
        """
        data = _validation.labelled(y_true, y_score, sample_weight, pos_label)
        if calibrators is None:
            from rochull.calibration.pav import PavCalibrator

            calibrators = {"PAV": PavCalibrator()}
        if not isinstance(calibrators, Mapping):
            found = type(calibrators).__name__
            raise ValueError(
                f"calibrators must be a mapping of names to calibrators, but is of type {found}."
            )
        if not calibrators:
            raise ValueError("calibrators is empty: there is nothing to draw.")
        fitted = {key: _fitted(key, calibrator, data) for key, calibrator in calibrators.items()}
        finite = np.isfinite(data.scores) & (True if data.weights is None else data.weights > 0)
        if not finite.any():
            raise ValueError("y_score has no finite scores, so there is no axis to draw on.")
        grid = _grid(data, finite, fitted.values())
        edges = _between(grid[0], grid[-1], _BINS + 1)
        if (edges[1:] <= edges[:-1]).any():  # one score, or a few that no bins fit between
            width = max(1.0, abs(grid[0]) * 1e-6)
            most = np.finfo(float).max
            low, high = max(grid[0], width - most) - width, min(grid[-1], most - width) + width
            edges = _between(low, high, _BINS + 1)
        return cls(
            score=grid,
            llr={key: np.asarray(calibrator.llr(grid)) for key, calibrator in fitted.items()},
            edges=edges,
            pos_share=_shares(data, 1, finite, edges),
            neg_share=_shares(data, 0, finite, edges),
            in_sample=tuple(key for key in fitted if fitted[key] is not calibrators[key]),
            name=name,
        )

    def draw(
        self, ax: Axes, name: str | None, *, base: float = np.e, histogram: bool = True, **kwargs: Any
    ) -> None:
        """Draw the maps, and the scores of both classes in a strip below.

        Where an LLR is infinite, the map leaves the picture, and a bar with a triangle marks these
        scores on the border.

        Parameters
        ----------
        histogram : bool, default=True
            Draw the scores of both classes, each class on its own scale. It is drawn once on the
            same axes.
        **kwargs : Any
            For the lines of the maps, such as ``linewidth``.
        """
        base = log_base(base)
        is_first = not has_curve(ax)
        maps = {key: in_base(llr, base) for key, llr in self.llr.items()}
        finite = np.concatenate([llr[np.isfinite(llr)] for llr in maps.values()])
        low, high = padded(float(finite.min(initial=-1)), float(finite.max(initial=1)), 0.06)
        has_strip = histogram if is_first else any(area.get_gid() == _HISTOGRAM for area in ax.patches)
        strip = _STRIP if has_strip else 0.0
        if not is_first:
            bottom, top = ax.get_ylim()
            low, high = min(low, bottom + strip * (top - bottom)), max(high, top)
        for key, llr in maps.items():
            said = f"{key} ({IN_SAMPLE})" if key in self.in_sample else key
            look = style(ax, kwargs, by=name, label=titled(name, said))
            self.lines_[key] = self._plot_map(ax, llr, strip, look)
        for key, llr in maps.items():
            self._mark_infinite(ax, llr, strip, self.lines_[key])
        if is_first:
            reference(ax, self.edges[[0, -1]], [0, 0])
            if histogram:
                self._plot_histogram(ax)
        self.line_ = next(iter(self.lines_.values()))
        bottom = low - (high - low) * strip / (1 - strip)
        ax.set(xlabel="score", ylabel=f"{base_name(base)} likelihood ratio", ylim=(bottom, high))
        ax.margins(x=0.03)
        _tick_above(ax, low, high)
        legend(ax, loc="best")

    def _plot_map(self, ax: Axes, llr: Array, strip: float, look: dict[str, Any]) -> Line2D:
        """One map, above the strip of the histogram; a point if there is one score only."""
        from matplotlib.patches import Rectangle

        reach = 1e3 * (np.abs(llr[np.isfinite(llr)]).max(initial=1.0))
        width, shown = (np.ptp(x / 2) for x in (self.score, self.edges))  # halved: it may be beyond float64
        if width < _NARROW * shown:
            look = {"marker": "o", "markersize": 5.0, **look}
        line = ax.plot(self.score, np.clip(llr, -reach, reach), **look)[0]
        line.set_clip_path(Rectangle((0, strip), 1, 1 - strip, transform=ax.transAxes))
        return line

    def _mark_infinite(self, ax: Axes, llr: Array, strip: float, line: Line2D) -> None:
        """Bars on the borders over the scores of infinite LLRs, once in the legend."""
        for infinity, height, marker in ((np.inf, 1.0, "^"), (-np.inf, strip, "v")):
            scores = self.score[llr == infinity]
            if scores.size:
                is_new = _INFINITE not in ax.get_legend_handles_labels()[1]
                bar = scores[0], scores[0] / 2 + scores[-1] / 2, scores[-1]
                ax.plot(
                    bar, [height] * 3, marker=marker, markevery=[1], ms=7, lw=2.5, color=line.get_color(),
                    clip_on=False, zorder=3, transform=ax.get_xaxis_transform(),
                    label=_INFINITE if is_new else None,
                )  # fmt: skip

    def _plot_histogram(self, ax: Axes) -> None:
        """Both classes in a strip at the bottom of the same axes, wherever the axis is."""
        ax.plot([0, 1], [_STRIP] * 2, color=grey(ax), lw=0.6, transform=ax.transAxes, zorder=1)
        for share, (label, shade) in zip((self.neg_share, self.pos_share), _SHADES.items(), strict=True):
            if share.sum() < 1 - 1e-9:
                label += f", {percent(1 - share.sum(), 2)} infinite"
            is_filled = share is self.neg_share
            bars = 0.01 + (_STRIP - 0.03) * share / max(share.max(), np.finfo(float).tiny)
            ax.stairs(
                bars, self.edges, baseline=0.01, color=shade(ax), label=label,
                transform=ax.get_xaxis_transform(), zorder=0.5, fill=is_filled, lw=0 if is_filled else 1,
                gid=_HISTOGRAM,
            )  # fmt: skip


def _tick_above(ax: Axes, low: float, high: float) -> None:
    """Ticks of LLRs beside the maps; none beside the histogram, which has another scale."""
    from matplotlib.ticker import AutoLocator

    locator = AutoLocator()
    locator.set_axis(ax.yaxis)
    ticks = np.asarray(locator.tick_values(low, high))
    ax.set_yticks(ticks[(ticks >= low) & (ticks <= high)])


def _fitted(key: str, calibrator: Any, data: Labelled) -> Any:
    """The calibrator itself, or a copy that is fitted if it is not."""
    if not callable(getattr(calibrator, "llr", None)):
        raise ValueError(
            f"calibrators: {key!r} must have a method llr, but is of type {type(calibrator).__name__}."
        )
    if getattr(calibrator, "n_columns", 1) != 1:
        raise ValueError(
            f"calibrators: {key!r} reads several columns of scores, but what is drawn is a map of one score."
        )
    if not hasattr(calibrator, "fit"):
        return calibrator  # a map that somebody wrote down
    from sklearn.base import clone
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(calibrator)
    except NotFittedError:
        copy = clone(calibrator)
        if "pos_label" in copy.get_params():  # the labels are 0 and 1 by now
            copy.set_params(pos_label=None)
        weights = {} if data.weights is None else {"sample_weight": data.weights}
        return copy.fit(data.scores, data.positive, **weights)
    return calibrator


def _grid(data: Labelled, finite: Array, fitted: Iterable[Any]) -> Array:
    """Finite scores from end to end, ascending, with both sides of every edge at which a map may jump."""
    scores = data.scores[finite].astype(float)
    steps = [RocHull.from_source(ArraySource(data)).blocks]
    steps += [getattr(calibrator, "blocks_", None) for calibrator in fitted]
    ends = np.concatenate(
        [end for blocks in steps if blocks is not None for end in (blocks.low, blocks.high)]
    ).astype(float)
    ends = ends[np.isfinite(ends)]
    low, high = scores.min(), scores.max()
    with np.errstate(over="ignore", under="ignore"):  # of the lowest number that there is
        before = np.nextafter(ends, -np.inf)
    grid = np.concatenate([_between(low, high, _POINTS), ends, before])
    return np.unique(grid[(grid >= low) & (grid <= high)])


def _between(low: float, high: float, count: int) -> Array:
    """Evenly spaced numbers, ends included, of which the difference may be beyond float64."""
    share = np.linspace(0, 1, count)
    return np.asarray(low * (1 - share) + high * share)


def _shares(data: Labelled, label: int, finite: Array, edges: Array) -> Array:
    """Share of a class in every bin, by weight; that of infinite scores is missing."""
    is_class = data.positive == label
    chosen = is_class & finite
    weights = None if data.weights is None else data.weights[chosen]
    total = is_class.sum() if data.weights is None else data.weights[is_class].sum()
    counts = np.histogram(data.scores[chosen].astype(float), edges, weights=weights)[0]
    return np.asarray(counts / total)
