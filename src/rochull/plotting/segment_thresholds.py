"""Scores against an auxiliary feature, and thresholds that depend on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.table_errors import no_column
from rochull.conditions.base import Condition
from rochull.plotting.base import Display, grey, has_curve, is_curve, padded, style, titled
from rochull.plotting.legends import shortened
from rochull.plotting.segmented import DASHES, SegmentedExamples, legend_beside, named_conditions
from rochull.plotting.strips import feature_of, held_of, looked_up, strips_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from rochull._core.validation import Array
    from rochull.decisions.axes import Column
    from rochull.segments.redistribution import ErrorRedistribution

_FEW = 40  # different numbers that are told apart on an axis
_SPREAD = 0.3  # of the distance of neighbours, to each side
_HALF = 0.42  # of a strip
_TAIL = 0.002  # of the scores, that may be outside of the picture
_LANE = 0.022  # of the height, between two lines at an edge
_CLASSES = ((False, "negative", "0.62", "o", 7), (True, "positive", "#E69F00", "^", 9))
_ARROWS = {-np.inf: ("v", "all flagged"), np.inf: ("^", "none flagged")}
_BESIDE = 0.04  # of the width, between two arrows
_LETTER = 0.085  # inches
_ROOM = 0.8  # of the axes' width, when the legend beside them has taken its share
_NOTE = "rochull-note"

Conditions = Condition | Sequence[Condition] | Mapping[str, Condition] | None


@dataclass(eq=False, repr=False)
class SegmentThresholdDisplay(Display):
    """Scores of both classes against an auxiliary feature, with the thresholds of several operating points.

    Attributes
    ----------
    feature : str or int
        The column that is drawn.
    kind : {"bins", "continuous", "category"}
        A threshold for each bin of numbers, along the numbers, or for each category.
    places : ndarray
        The inner edges (m - 1,) of bins, numbers (m,), or names (m,) of categories.
    thresholds : dict of str to ndarray of shape (m,)
        For every condition, by its name; -inf where all cases are called positive, inf where none are.
    beside : dict of str to dict of str to float
        Thresholds beside the numbers, of missing values, for every condition.
    held : dict
        The values of the other columns for which the thresholds hold.
    position : ndarray of shape (k,)
        The feature of the cases that are drawn, or the index of their category; NaN if missing.
    score : ndarray of shape (k,)
        Their scores.
    positive : ndarray of bool of shape (k,)
        Their class.
    counts : tuple of int
        How many negatives and positives there are; of each class at most `max_points` are drawn.

    References
    ----------
    Richman & Mannor, Figures 2, 3 and 9.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> rng = np.random.default_rng(0)
    >>> size, y = rng.uniform(1, 5, 4000), rng.integers(0, 2, 4000)
    >>> display = rh.plotting.SegmentThresholdDisplay.compute(
    ...     y,
    ...     rng.normal(size * y),
    ...     {"size": size},
    ...     rh.NeymanPearson(0.1),
    ...     redistribution=rh.ErrorRedistribution("equal-variance", bins=[2, 3, 4]),
    ... )
    >>> display.places.tolist(), display.thresholds["FPR ≤ 10 %"].round(1).tolist()
    ([2.0, 3.0, 4.0], [0.7, 1.3, 1.7, 2.3])
    """

    _size = (7.4, 4.4)

    feature: Column
    kind: str
    places: Array
    thresholds: dict[str, Array]
    beside: dict[str, dict[str, float]]
    held: dict[Column, Any]
    position: Array
    score: Array
    positive: Array
    counts: tuple[int, int]
    name: str | None = field(default=None)

    @classmethod
    def compute(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        aux: Any,
        conditions: Conditions = None,
        *,
        redistribution: ErrorRedistribution | None = None,
        feature: Column | None = None,
        max_points: int = 400,
        random_state: int | None = 0,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        name: str | None = None,
    ) -> Self:
        """Compute the numbers without drawing them.

        Parameters
        ----------
        conditions : Condition, sequence or mapping of str to Condition, optional
            What the thresholds are for; false positive rates of at most 0.05, 0.2 and 0.5 if not given.
        redistribution : ErrorRedistribution, optional
            A fitted one, whose thresholds are drawn; one that is not is fitted to these examples, as is
            the model "pav" if none is given.
        feature : str or int, optional
            The column to draw; the first that the segments are made of if not given. Other columns are
            held at their median, or most frequent value.
        max_points : int, default=400
            At most so many cases of each class are drawn, chosen at random.
        random_state : int or None, default=0
            Seed of that choice.
        sample_weight : array-like of shape (n,), optional
            Finite and non-negative; for fitting, and examples of weight zero are left out.
        """
        most = validation.whole(max_points, "max_points", 0)
        examples = SegmentedExamples.of(y_true, y_score, aux, sample_weight, pos_label)
        named = named_conditions(conditions, examples.prevalence)
        model = examples.fitted(redistribution)
        feature = feature_of(model, feature)
        held = held_of(model, feature, examples.columns)
        if feature not in examples.columns:
            raise no_column("aux", feature, examples.columns)
        strips = strips_of(model, feature, examples.columns[feature])
        thresholds, beside = {}, {}
        for title, condition in named.items():
            thresholds[title] = looked_up(model, condition, feature, strips.values, held)
            beside[title] = {
                strip: float(looked_up(model, condition, feature, np.array([value]), held)[0])
                for strip, value in strips.extra.items()
            }
        positive = examples.data.positive == 1
        rows = _thinned(positive, most, random_state)
        return cls(
            feature=feature, kind=strips.kind, places=strips.places, thresholds=thresholds, beside=beside,
            held=held, position=strips.position[rows], score=examples.data.scores[rows].astype(float),
            positive=positive[rows], counts=(int((~positive).sum()), int(positive.sum())), name=name,
        )  # fmt: skip

    def draw(self, ax: Axes, name: str | None, **kwargs: Any) -> None:
        """Draw the cases, and the thresholds over them.

        Where the threshold of a segment is infinite its line runs along the upper edge (no case is called
        positive) or the lower edge (all are), with an arrow. Numbers of few different values are
        spread sideways. On axes with a display only the thresholds are added.
        """
        layout = _layout_of(self)
        if not has_curve(ax):
            _draw_cases(self, ax, layout)
        self.line_ = _draw_thresholds(self, ax, layout, name, kwargs)


def _thinned(positive: Array, most: int, random_state: int | None) -> Array:
    """Rows, ascending, of at most so many examples of each class."""
    rng = np.random.default_rng(random_state)
    parts = [np.flatnonzero(positive == label) for label in (False, True)]
    parts = [rows if rows.size <= most else rng.choice(rows, most, replace=False) for rows in parts]
    return np.sort(np.concatenate(parts))


# --- drawing -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Layout:
    """Where things are: x of the cases (k,), the ends (m, 2) of every threshold's line, the limits."""

    x: Array
    ends: Array
    xlim: tuple[float, float]
    ylim: tuple[float, float]
    strip: float  # the middle of the strip beside the numbers


def _layout_of(display: SegmentThresholdDisplay) -> _Layout:
    """Places of cases and thresholds."""
    y = display.score[np.isfinite(display.score)]
    found = np.concatenate(list(display.thresholds.values()))
    low, high = np.quantile(y, [_TAIL, 1 - _TAIL]) if y.size else (0.0, 0.0)
    inside = found[np.isfinite(found)]
    if y.size:
        inside = inside[(inside >= y.min()) & (inside <= y.max())]
    if inside.size:
        low, high = (
            (min(low, inside.min()), max(high, inside.max())) if y.size else (inside.min(), inside.max())
        )
    lanes = _LANE * (len(display.thresholds) + 1)
    ylim = padded(float(low), float(high), max(0.04, lanes))
    if display.kind == "category":
        m = len(display.places)
        middle = np.arange(m)
        rng = np.random.default_rng(0)
        x = display.position + rng.uniform(-_SPREAD, _SPREAD, display.position.size)
        ends = np.stack([middle - _HALF, middle + _HALF], axis=1)
        return _Layout(x, ends, (-0.6, m - 0.4), ylim, float(m))
    return _along_numbers(display, ylim)


def _along_numbers(display: SegmentThresholdDisplay, ylim: tuple[float, float]) -> _Layout:
    gone = np.isnan(display.position)
    known = np.unique(display.position[~gone])
    finite = known[np.isfinite(known)]
    inner = display.places[np.isfinite(display.places)]
    ends = [*finite[[0, -1]].tolist(), *inner.tolist()] if finite.size else inner.tolist()
    first, last = (min(ends), max(ends)) if ends else (0.0, 1.0)
    edges, spread = display.places, 0.0
    if 1 < finite.size <= _FEW:
        spread = _SPREAD * float(np.diff(finite).min())
        first, last = first - 1.3 * spread, last + 1.3 * spread
        if display.kind == "bins":  # where no case is: halfway to the number below
            below = finite[np.maximum(np.searchsorted(finite, edges) - 1, 0)]
            edges = np.where(below < edges, (below + np.minimum(edges, finite[-1])) / 2, edges)
    elif first == last:
        first, last = padded(first, last)
    rng = np.random.default_rng(0)
    width = last - first
    strip = last + 0.1 * width
    x = np.where(gone, strip, display.position)
    x = x + np.where(gone, 0.03 * width, spread) * rng.uniform(-1, 1, x.size)
    xlim = padded(first, strip + 0.045 * width if any(display.beside.values()) else last, 0.02)
    if display.kind == "bins":
        at = np.concatenate([[first], edges, [last]])
    else:
        at = np.append(display.places, last)
    return _Layout(x, np.stack([at[:-1], at[1:]], axis=1), xlim, ylim, strip)


def _draw_cases(display: SegmentThresholdDisplay, ax: Axes, layout: _Layout) -> None:
    """Points of both classes, and the axes."""
    for label, what, colour, marker, size in _CLASSES:
        own = display.positive == label
        total, shown = display.counts[int(label)], int(own.sum())
        count = f"{total:,}" if shown == total else f"{shown:,} of {total:,}"
        if shown:
            ax.scatter(
                layout.x[own], display.score[own], s=size, c=colour, marker=marker, alpha=0.45, lw=0,
                zorder=1 + int(label) / 10, rasterized=shown > 500,
            )  # fmt: skip
            # The points themselves are too small for a legend.
            key: dict[str, Any] = {"ms": 5, "mew": 0, "gid": _NOTE, "label": f"{what} ({count})"}
            ax.plot([], [], marker, color=colour, **key)
    held = ", ".join(f"{name} = {_written(value)}" for name, value in display.held.items())
    feature = str(display.feature) if isinstance(display.feature, str) else f"feature {display.feature}"
    ax.set(
        xlabel=shortened(f"{feature} ({held})", 60) if held else feature,
        ylabel="score", xlim=layout.xlim, ylim=layout.ylim,
    )  # fmt: skip
    if display.kind == "category":
        names = [shortened(str(name), 18) for name in display.places]
        room = _ROOM * ax.bbox.width / ax.figure.dpi / len(names)
        turn: dict[str, Any] = {}
        if _LETTER * (max(map(len, names)) + 2) > room:
            turn = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
        ax.set_xticks(range(len(names)), names, parse_math=False, **turn)
    elif any(display.beside.values()):
        _tick_beside(ax, layout)


def _tick_beside(ax: Axes, layout: _Layout) -> None:
    """Ticks of the numbers, and one of the strip beside them."""
    from matplotlib.ticker import MaxNLocator

    low, last = layout.xlim[0], layout.ends[-1, 1]
    ticks = np.asarray(MaxNLocator(6).tick_values(low, last))
    ticks = ticks[(ticks >= low) & (ticks <= last - 0.04 * (last - low))]
    ax.set_xticks([*ticks, layout.strip], [*(f"{tick:g}" for tick in ticks), "missing"])
    ax.axvline((last + layout.strip - 0.045 * (last - low)) / 2, color=grey(ax), lw=0.6, gid=_NOTE)


def _draw_thresholds(
    display: SegmentThresholdDisplay, ax: Axes, layout: _Layout, name: str | None, given: dict[str, Any]
) -> Line2D:
    """A line for every condition; the first is returned."""
    from matplotlib.patheffects import Normal, Stroke

    lines: list[Line2D] = []
    notes = set()
    low, high = layout.ylim
    begun = sum(map(is_curve, ax.lines))
    for i, (title, thresholds) in enumerate(display.thresholds.items()):
        lane = _LANE * (high - low) * (len(display.thresholds) - i)
        x, y = _polyline(display, layout, thresholds, title)
        shown = np.where(y == np.inf, high - lane, np.where(y == -np.inf, low + lane, y))
        halo = [Stroke(linewidth=4, foreground=ax.get_facecolor(), alpha=0.8), Normal()]
        look = {
            "linestyle": DASHES[(begun + i) % len(DASHES)],
            "zorder": 3,
            "path_effects": halo,
            "linewidth": 1.9,
        }
        lines += ax.plot(x, shown, **style(ax, given, label=titled(name, title), **look))
        for end, (marker, what) in _ARROWS.items():
            at = _sparse(_middles(x, y == end), _BESIDE * (layout.xlim[1] - layout.xlim[0]))
            if at.size:
                height = high - lane if end > 0 else low + lane
                colour = lines[-1].get_color()
                ax.plot(at, np.full(at.size, height), marker, ms=6, color=colour, zorder=4, gid=_NOTE)
                notes.add((marker, what))
    known = {line.get_label() for line in ax.lines}
    for marker, what in sorted(notes):
        if what not in known:  # said once for all displays
            ax.plot([], [], marker, ms=6, color=grey(ax), gid="rochull-reference-arrow", label=what)
    legend_beside(ax)
    return lines[0]


def _polyline(
    display: SegmentThresholdDisplay, layout: _Layout, thresholds: Array, title: str
) -> tuple[Array, Array]:
    """Steps that are joined along numbers, and apart between strips."""
    ends = layout.ends
    if display.kind == "continuous":
        x, y = display.places, thresholds
    elif display.kind == "bins":
        x, y = ends.ravel(), np.repeat(thresholds, 2)
        turns = 2 + 2 * np.flatnonzero(np.isinf(thresholds[1:]) | np.isinf(thresholds[:-1]))
        x, y = np.insert(x, turns, x[turns]), np.insert(y, turns, np.nan)  # no line from or to infinity
    else:
        x = np.concatenate([ends, ends[:, 1:]], axis=1).ravel()[:-1]
        y = np.stack([thresholds, thresholds, np.full(thresholds.size, np.nan)], axis=1).ravel()[:-1]
    for value in display.beside[title].values():
        wide = 0.45 * (layout.strip - ends[-1, 1])
        x = np.concatenate([x, [x[-1], layout.strip - wide, layout.strip + wide]])
        y = np.concatenate([y, [np.nan, value, value]])
    return x, y


def _middles(x: Array, is_there: Array) -> Array:
    """The middle of each run along a line."""
    turns = np.flatnonzero(np.diff(np.concatenate([[False], is_there, [False]]).astype(int)))
    return (x[turns[::2]] + x[turns[1::2] - 1]) / 2


def _sparse(x: Array, least: float) -> Array:
    """Ascending places without those that are too near the one before."""
    kept: list[float] = []
    for value in x.tolist():
        if not kept or value - kept[-1] >= least:
            kept.append(value)
    return np.array(kept)


def _written(value: Any) -> str:
    return "missing" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
