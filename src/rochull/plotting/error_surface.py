"""Errors of three classes on a map: what limits on two of them leave of the third."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rochull.plotting.base import grey, has_curve, in_percent, ink, padded, style
from rochull.plotting.class_errors import Errors, ErrorsDisplay, axis_name, front_of
from rochull.plotting.legends import legend
from rochull.plotting.multiclass import IN_SAMPLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rochull._core.validation import Array

# Round errors between which a colour is the same; near 0 they are closer, where most of the map is.
_STEPS = 0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0
_COLOURS = 8
_BEYOND = 2.5
_LIGHTEST = 0.15  # of the blues: what is reached without error is not as white as what is not reached


@dataclass(eq=False, repr=False)
class ErrorSurfaceDisplay(ErrorsDisplay):
    """Per-class errors of operating points of three classes, their Pareto front and the hull of it.

    Attributes
    ----------
    classes : tuple
        The three classes.
    errors : ndarray of shape (k, 3)
        Per-class errors of the operating points; in-sample unless they are means over folds.
    front : ndarray of shape (m,)
        Indices of the points that no other one dominates in the errors of these classes.
    facets : ndarray of shape (f, 3)
        Indices of the corners of the triangles of the lower convex hull: what mixtures of points reach.
    least : tuple of ndarray of shapes (a,), (b,) and (a, b)
        Errors of the first class and of the second that occur on the front, and the least error of the third
        with which both are met; NaN where no point meets them.

    See Also
    --------
    PairwiseErrorDisplay : Any number of classes, two at a time.

    References
    ----------
    Paclík, Lai, Novovičová & Duin 2008, section 4.3 and Figure 3.

    Examples
    --------
    >>> import rochull as rh
    >>> y = ["a", "a", "b", "b", "c", "c"]
    >>> outputs = [[5, 1, 2], [3, 4, 1], [1, 6, 2], [2, 3, 3], [1, 2, 4], [2, 4, 3]]
    >>> display = rh.plotting.ErrorSurfaceDisplay.compute(
    ...     y, outputs, weights=[[1, 1, 1], [2, 1, 1], [1, 1, 2]]
    ... )
    >>> display.errors.tolist(), display.front.tolist(), display.point
    ([[0.5, 0.0, 0.5], [0.0, 0.5, 0.5], [0.5, 0.5, 0.0]], [0, 1, 2], 0)
    """

    classes: tuple[Any, ...]
    errors: Array
    front: Array
    facets: Array
    least: tuple[Array, Array, Array]
    point: int | None = None
    indistinguishable: Array | None = None
    name: str | None = None
    measured: str = IN_SAMPLE

    @classmethod
    def _from_errors(cls, found: Errors, name: str | None) -> Self:
        if len(found.classes) != 3:
            raise ValueError(
                f"an error surface has three classes, but there are {len(found.classes)}: choose three by "
                "classes=[...], or draw a PairwiseErrorDisplay."
            )
        front = front_of(found.errors)
        facets = lower_facets(found.errors, front)
        least = least_third(found.errors[front])
        return cls(
            found.classes, found.errors, front, facets, least, found.point, found.alike, name, found.measured
        )  # fmt: skip

    def draw(self, ax: Axes, name: str | None, **kwargs: Any) -> None:
        """Draw the front, and under it the third class's least error within limits on the others.

        The two axes are errors of the first two classes. The colour at a place is the least error of the
        third that an operating point has whose other errors are at most those of the place. Where no point is
        so good the map is empty. The picture ends at 2.5 times the least error that all three can have at
        once.

        Parameters
        ----------
        **kwargs : Any
            For the points of the front, such as ``marker``.
        """
        if not has_curve(ax):
            self._map(ax)
        label = "Pareto front" if not name else f"{name}: Pareto front"
        plain: dict[str, Any] = {
            "marker": "o",
            "markersize": 3.5,
            "linestyle": "none",
            "markeredgewidth": 0.4,
        }
        plain |= {"color": ink(ax), "markeredgecolor": ax.get_facecolor()}
        look = style(ax, kwargs, label=label, **plain)
        self.line_ = ax.plot(*self.errors[self.front, :2].T, **look)[0]
        self._mark(ax, *self.errors.T[:2], sizes=(10, 8))
        x, y = (axis_name(each) for each in self.classes[:2])
        ax.set_xlabel(x, parse_math=False)
        ax.set_ylabel(y, parse_math=False)
        legend(ax, loc="upper right", below=True, title=f"errors ({self.measured})")

    def _most(self) -> float:
        """The largest error in the picture: a multiple of the least that all three can have."""
        largest = self.errors[self.front].max(axis=1)
        return _BEYOND * float(largest.min()) or 1.0

    def _map(self, ax: Axes) -> None:
        """The least third error, as cells between errors that occur, and a bar that tells the colours."""
        import matplotlib as mpl
        from matplotlib.colors import BoundaryNorm, ListedColormap

        x, y, z = self.least
        if not z.size:
            return
        limits = [padded(0.0, min(float(edges[-1]), self._most()), 0.05) for edges in (x, y)]
        corners = [
            np.append(edges, max(limit[1], 1.05 * edges[-1]))
            for edges, limit in zip((x, y), limits, strict=True)
        ]
        seen = z[np.ix_(x <= limits[0][1], y <= limits[1][1])]
        top = int(np.searchsorted(_STEPS, max(float(np.nanmax(seen)), 0.01)))
        norm = BoundaryNorm([0.0, *_STEPS[max(1, top - _COLOURS + 1) : top + 1]], 256)
        blues = ListedColormap(mpl.colormaps["Blues"](np.linspace(_LIGHTEST, 1, 256)))
        look: dict[str, Any] = {"cmap": blues, "norm": norm, "zorder": 0.4}
        shades = ax.pcolormesh(*corners, z.T, rasterized=True, **look)
        ax.set(xlim=limits[0], ylim=limits[1])
        in_percent(ax.xaxis, ax.yaxis)
        bar = ax.figure.colorbar(shades, ax=ax)
        in_percent(bar.ax.yaxis)
        if np.isnan(seen).any() or min(x[0], y[0]) > 0:
            hollow: dict[str, Any] = {"mfc": ax.get_facecolor(), "mec": grey(ax), "gid": "rochull-reference"}
            ax.plot([], [], "s", ls="none", label="no point is as good", **hollow)
        bar.set_label(f"least {axis_name(self.classes[2])}", parse_math=False)


def least_third(errors: Array) -> tuple[Array, Array, Array]:
    """First errors (a,) and second errors (b,) that occur, and the least third (a, b) within both, or NaN."""
    x, y = np.unique(errors[:, 0]), np.unique(errors[:, 1])
    least = np.full((x.size, y.size), np.inf)
    at = np.searchsorted(x, errors[:, 0]), np.searchsorted(y, errors[:, 1])
    np.minimum.at(least, at, errors[:, 2])
    least = np.minimum.accumulate(np.minimum.accumulate(least, axis=0), axis=1)
    return x, y, np.where(np.isinf(least), np.nan, least)


def lower_facets(errors: Array, front: Array) -> Array:
    """Triangles (f, 3), by indices, of the lower hull of points (k, 3) in space."""
    from scipy.spatial import ConvexHull, QhullError

    base = errors[front]
    if len(base) < 3:
        return np.zeros((0, 3), np.intp)
    # With each point goes the point raised along each axis, so that the hull is never flat, and has no lower
    # facets but those between points.
    far = (base[:, None] + 2 * np.eye(3)).reshape(-1, 3)
    try:
        hull = ConvexHull(np.concatenate([base, far]))
    except QhullError:  # pragma: no cover - the raised points make a body of any points
        return np.zeros((0, 3), np.intp)
    lower = (hull.equations[:, :3] <= 1e-9).all(axis=1) & (hull.simplices < len(base)).all(axis=1)
    return np.asarray(front[hull.simplices[lower]])
