"""Errors of any number of classes, two at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rochull.plotting.base import in_percent, padded, style
from rochull.plotting.class_errors import Errors, ErrorsDisplay, axis_name, dominated, front_of
from rochull.plotting.legends import lay_out, legend, legend_alone, shortened
from rochull.plotting.multiclass import IN_SAMPLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rochull._core.validation import Array

_MOST = 8  # classes
_TICK = 0.45  # inches, of a label such as "100 %" below an axis
_SMALL = 1.1  # inches: the side of a panel with room for the names of classes alone


@dataclass(eq=False, repr=False)
class PairwiseErrorDisplay(ErrorsDisplay):
    """Per-class errors of operating points, for every pair of classes, with the front of each pair.

    Attributes
    ----------
    classes : tuple
        The C classes that are drawn.
    errors : ndarray of shape (k, C)
        Per-class errors of the operating points; in-sample unless they are means over folds.
    fronts : dict of (int, int) to ndarray
        For each pair of classes i < j the points that no other one dominates in these two errors: indices.
    axes_ : ndarray of shape (C - 1, C - 1)
        Where it was drawn: in row j - 1 and column i the error of class j against that of class i; None above
        the diagonal.
    ax_, figure_, line_ : matplotlib objects
        The first of the axes, their figure, and the front that is drawn there.

    See Also
    --------
    ErrorSurfaceDisplay : Three classes on one map.

    Examples
    --------
    >>> import rochull as rh
    >>> y = ["a", "a", "b", "b", "c", "c"]
    >>> outputs = [[5, 1, 2], [3, 4, 1], [1, 6, 2], [2, 3, 3], [1, 2, 4], [2, 4, 3]]
    >>> display = rh.plotting.PairwiseErrorDisplay.compute(
    ...     y, outputs, weights=[[1, 1, 1], [2, 1, 1], [1, 1, 2]]
    ... )
    >>> display.fronts[1, 2].tolist()
    [0, 2]
    """

    classes: tuple[Any, ...]
    errors: Array
    fronts: dict[tuple[int, int], Array]
    point: int | None = None
    indistinguishable: Array | None = None
    name: str | None = None
    measured: str = IN_SAMPLE

    @classmethod
    def _from_errors(cls, found: Errors, name: str | None) -> Self:
        size = len(found.classes)
        if size > _MOST:
            raise ValueError(
                f"at most {_MOST} classes can be drawn, but there are {size}: choose some by classes=[...]."
            )
        fronts = {(i, j): front_of(found.errors[:, [i, j]]) for i, j in combinations(range(size), 2)}
        return cls(found.classes, found.errors, fronts, found.point, found.alike, name, found.measured)

    def draw(self, ax: Axes, name: str | None, **kwargs: Any) -> None:
        """Draw a panel for each pair of classes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Its place is divided among the pairs, and it is made invisible; a new figure if not given.
        """
        size = len(self.classes) - 1
        label = "front of the two classes" if not name else f"{name}: front of the two classes"
        spans = [_span(column) for column in self.errors.T]
        sides = self.axes_[0, 0].get_window_extent()
        self._small = min(sides.width, sides.height) < _SMALL * self.figure_.dpi
        across = min(4, max(1, int(sides.width / self.figure_.dpi / _TICK)))
        look = {"parse_math": False, "fontsize": "x-small" if self._small else "small"}
        for (i, j), front in self.fronts.items():
            panel = self.axes_[j - 1, i]
            line = self._draw_pair(panel, (i, j), front, label, **kwargs)
            if (i, j) == (0, 1):
                self.line_ = line
            panel.set(xlim=spans[i], ylim=spans[j])
            panel.locator_params("x", nbins=across)
            panel.locator_params("y", nbins=4)
            in_percent(panel.xaxis, panel.yaxis)
            panel.tick_params(labelsize=look["fontsize"], labelbottom=j == size, labelleft=i == 0)
            if j == size:
                panel.set_xlabel(self._named(i), **look)
            if i == 0:
                panel.set_ylabel(self._named(j), **look)
        if size > 1:  # where there is no panel is room for the legend
            handles, _ = self.ax_.get_legend_handles_labels()
            free = self.figure_.add_subplot(self._grid[0, 1:])
            lay_out(free)
            legend_alone(free, handles, f"errors ({self.measured})")
        else:
            legend(self.ax_, loc="upper right", title=f"errors ({self.measured})")

    def _axes(self, plt: Any, options: Mapping[str, Any]) -> Any:
        size = len(self.classes) - 1
        side = max(4.4, 1.1 + 1.9 * size)
        figure = plt.figure(figsize=(side, side), layout="constrained")
        return self._panels(figure, figure.add_gridspec(size, size))

    def _within(self, ax: Axes) -> Any:
        place = ax.get_subplotspec()
        if place is None:
            raise ValueError("ax must stand in a grid, as plt.subplots makes it: its place is divided.")
        ax.set_axis_off()
        size = len(self.classes) - 1
        return self._panels(ax.get_figure(root=False), place.subgridspec(size, size))

    def _panels(self, figure: Any, grid: Any) -> Any:
        """Make the axes of all pairs, None above the diagonal; the first of them."""
        size = len(self.classes) - 1
        self.axes_ = np.full((size, size), None, object)
        for j in range(size):
            for i in range(j + 1):
                self.axes_[j, i] = figure.add_subplot(grid[j, i])
        self._grid = grid
        return self.axes_[0, 0]

    def _named(self, i: int) -> str:
        """The name of an axis; the legend's title says "errors" where there is room for the class alone."""
        return shortened(str(self.classes[i]), 12) if self._small else axis_name(self.classes[i], 18)

    def _draw_pair(self, ax: Any, pair: tuple[int, int], front: Array, label: str, **kwargs: Any) -> Any:
        """One pair: all points, the front as steps, the marked point."""
        x, y = self.errors[:, list(pair)].T
        ax.plot(x, y, **dominated(ax) | ({"ms": 1} if self._small else {}), label="operating points")
        steps = front[np.argsort(x[front], kind="stable")]
        look = style(ax, kwargs, drawstyle="steps-post")
        line = ax.plot(x[steps], y[steps], label=label, **look)[0]
        self._mark(ax, x, y, sizes=(6, 4) if self._small else (9, 6))
        return line


def _span(errors: Array) -> tuple[float, float]:
    """The limits of an axis: from 0, unless that would press the points together."""
    low, high = float(np.nanmin(errors)), float(np.nanmax(errors))
    return padded(low if low > 0.5 * high else 0.0, max(high, 0.005), 0.05)
