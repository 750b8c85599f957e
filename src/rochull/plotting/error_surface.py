"""Errors of three classes in space: the operating points, their front and its hull."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rochull.plotting.base import COLOURS, style
from rochull.plotting.class_errors import DOMINATED, Errors, ErrorsDisplay, axis_name, front_of, plain_legend
from rochull.plotting.multiclass import IN_SAMPLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rochull._core.validation import Array


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
    ax_, figure_, line_ : matplotlib objects
        Where it was drawn; the points of the front.

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
        return cls(found.classes, found.errors, front, facets, found.point, found.alike, name, found.measured)

    def draw(self, ax: Axes, name: str | None, **kwargs: Any) -> None:
        """Draw the points in space.

        Parameters
        ----------
        **kwargs : Any
            For the points of the front, such as ``color``.

        Raises
        ------
        ValueError
            If the axes are flat.
        """
        space: Any = ax
        front, others = self.front, np.setdiff1d(np.arange(len(self.errors)), self.front)
        look = style(ax, kwargs, marker="o", markersize=4.5, linestyle="none", linewidth=0)
        label = "Pareto front" if not name else f"{name}: Pareto front"
        self.line_ = ax.plot(*self.errors[front].T, label=label, **look)[0]
        if others.size:
            ax.plot(*self.errors[others].T, **DOMINATED, label="dominated")
        self._surface(ax)
        self._mark(ax, *self.errors.T, sizes=(10, 9))
        for which, label in zip("xyz", self.classes, strict=True):
            getattr(space, f"set_{which}label")(axis_name(label), parse_math=False, labelpad=8)
            space.locator_params(axis=which, nbins=5)
        plain_legend(ax, loc="upper left", bbox_to_anchor=(0.02, 0.98), title=f"errors ({self.measured})")

    def _axes(self, plt: Any, options: Mapping[str, Any]) -> Any:
        figure = plt.figure(figsize=(6.4, 5.6))
        figure.subplots_adjust(left=0.02, right=0.94, bottom=0.03, top=1.0)
        space = figure.add_subplot(projection="3d", computed_zorder=False)
        space.view_init(elev=24, azim=38)  # the corner of no errors is the farthest
        space.set_box_aspect((1, 1, 0.85), zoom=0.92)
        return space

    def _within(self, ax: Axes) -> Axes:
        if ax.name != "3d":
            raise ValueError(
                "ax must be in space: plt.figure().add_subplot(projection='3d') makes such axes."
            )
        return ax

    def _surface(self, ax: Any) -> None:
        """The lower hull, as faint triangles."""
        if len(self.facets):
            from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

            corners = self.errors[self.facets]  # (f, 3 corners, 3 errors)
            look = {"alpha": 0.2, "facecolor": COLOURS[5], "edgecolor": COLOURS[0], "linewidth": 0.4}
            ax.add_collection3d(Poly3DCollection(corners, **look))


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
