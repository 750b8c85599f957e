"""The common part of displays of per-class errors: the errors, the marked point, and what is like it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from rochull._core.docstrings import entries
from rochull._core.table_errors import a_type
from rochull.multiclass.front import pareto
from rochull.multiclass.inputs import index_of
from rochull.multiclass.measures import Objective, checked_objective, smallest
from rochull.multiclass.point import MulticlassPoint
from rochull.multiclass.points import MulticlassPoints
from rochull.plotting.base import colours, grey, percent
from rochull.plotting.legends import shortened
from rochull.plotting.multiclass import HELD_OUT, IN_SAMPLE, MulticlassDisplay, marked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rochull._core.validation import Array
    from rochull.multiclass.measures import Limit

_LONGEST = 24  # characters of a class's name beside an axis
_MARK: dict[str, Any] = {"marker": "X", "ls": "none"}
_ALIKE: dict[str, Any] = {"marker": "o", "mfc": "none", "ls": "none"}

_ATTRIBUTES = entries("""
point : int or None
    The marked point.
indistinguishable : ndarray of bool of shape (k,), or None
    Of an average over folds, which points the folds cannot tell from the marked one.
measured : str
    "in-sample", "held-out", or of how many folds the errors are means; the title of the legend.
""")


@dataclass(frozen=True, eq=False)
class Errors:
    """Per-class errors (k, C) of operating points; one may be marked, with those that are like it (k,).

    `measured` says on what, for the legend.
    """

    classes: tuple[Any, ...]
    errors: Array
    point: int | None
    alike: Array | None
    measured: str


class ErrorsDisplay(MulticlassDisplay):
    """Base of the displays of the errors of operating points, one of them marked."""

    _drawn_by: ClassVar = {**MulticlassDisplay._drawn_by, "of_average": "from_average"}
    attributes_told = MulticlassDisplay.attributes_told | _ATTRIBUTES

    errors: Array
    point: int | None
    indistinguishable: Array | None
    _marked_as = ""  # of an average, what chose the point

    @classmethod
    @abstractmethod
    def _from_errors(cls, found: Errors, name: str | None) -> Self:
        """The numbers; raises unless so many classes can be drawn."""

    @classmethod
    def of_points(
        cls,
        points: MulticlassPoints,
        *,
        classes: Sequence[Any] | None = None,
        point: int | Objective | MulticlassPoint | None = "max_error",
        subject_to: Limit | Sequence[Limit] = (),
        in_sample: bool = True,
        name: str | None = None,
    ) -> Self:
        """Take the errors of operating points that there are, without drawing them.

        Parameters
        ----------
        subject_to : Limit or sequence of Limit, optional
            Limits on the point that is chosen by an objective; without such a point the display is refused.
        """
        if not isinstance(points, MulticlassPoints):
            raise ValueError(f"points must be MulticlassPoints, but is {a_type(points)}.")
        if not len(points):
            raise ValueError("points is empty: there is nothing to draw.")
        index = marked(point, points)
        if point is not None and index is None:
            objective = checked_objective(point)  # type: ignore[arg-type]
            within = np.flatnonzero(points.satisfying(subject_to))
            if not within.size:
                points.at(objective, subject_to)  # raises, and names the closest point
            found = smallest(objective, points.confusion[within], points.classes)
            index = int(within[found or 0])
        chosen, columns = chosen_classes(points.classes, classes)
        measured = IN_SAMPLE if in_sample else HELD_OUT
        return cls._from_errors(Errors(chosen, points.errors[:, columns], index, None, measured), name)

    @classmethod
    def of_average(
        cls,
        average: Any,
        *,
        classes: Sequence[Any] | None = None,
        point: int | Objective | MulticlassPoint | None = "max_error",
        test: dict[str, Any] | None = None,
        name: str | None = None,
    ) -> Self:
        """Take mean errors over folds, and the points that the folds cannot tell from the marked one.

        Parameters
        ----------
        average : MulticlassAverage
            Of two folds at least; see :func:`multiclass_average`. An objective marks the point that
            ``average.at(objective)`` chooses: the least mean over the folds.
        test : dict, optional
            Options of the average's `indistinguishable`.
        """
        index, said = marked(point, average.points), ""
        if point is not None and index is None:
            index = average.at(point)
            said = "least mean of the largest error" if point == "max_error" else f"least mean of {point}"
        alike = None if index is None else np.asarray(average.indistinguishable(index, **(test or {})))
        chosen, columns = chosen_classes(average.classes, classes)
        measured = f"means of {average.n_folds} folds"
        if average.method != "given weights":
            measured += "; points chosen in-sample"
        errors = np.asarray(average.errors_mean)[:, columns]
        made = cls._from_errors(Errors(chosen, errors, index, alike, measured), name)
        made._marked_as = said
        return made

    @classmethod
    def from_average(cls, average: Any, *, ax: Axes | None = None, **options: Any) -> Self:
        """Draw mean errors over folds, with the points that the folds cannot tell from the marked one."""
        return cls._made_by(cls.of_average, (average,), ax, options)

    def _mark(self, ax: Any, *rates: Array, sizes: tuple[float, float]) -> None:
        """The marked point, and circles around those that are like it; along each axis the errors (k,)."""
        if self.point is not None:
            at = [rate[[self.point]] for rate in rates]
            ground, colour = ax.get_facecolor(), colours()[1]
            said = _marked_text(self.errors, self.point, self._marked_as)
            ax.plot(*at, **_MARK, mec=ground, color=colour, ms=sizes[0], zorder=9, label=said)
        if self.indistinguishable is not None:
            alike = np.flatnonzero(self.indistinguishable)
            alike = alike[alike != self.point]
            if alike.size:
                at = [rate[alike] for rate in rates]
                ax.plot(*at, **_ALIKE, mec=colours()[1], ms=sizes[1], label="indistinguishable from it")


def chosen_classes(known: Sequence[Any], classes: Sequence[Any] | None) -> tuple[tuple[Any, ...], list[int]]:
    """The classes to be drawn, and their columns; all of them for None."""
    if classes is None:
        return tuple(known), list(range(len(known)))
    columns = [index_of(label, known, "classes") for label in classes]
    if len(set(columns)) < len(columns) or len(columns) < 2:
        raise ValueError(f"classes must name two or more different classes, but is {list(classes)!r}.")
    return tuple(known[column] for column in columns), columns


def front_of(errors: Array) -> Array:
    """The points (k, d) that no other one dominates: indices, ascending; points without an error left out."""
    known = np.flatnonzero(np.isfinite(errors).all(axis=1))
    return known[pareto(np.ascontiguousarray(errors[known]))] if known.size else known


def axis_name(label: Any, line: int = 99) -> str:
    """The name of an axis of errors of a class; in two lines if one of so many characters is too short."""
    name = shortened(str(label), _LONGEST)
    return f"error of{' ' if len(name) + 9 <= line else chr(10)}{name}"


def dominated(ax: Axes) -> dict[str, Any]:
    """The look of points that are of no use."""
    return {"marker": "o", "ms": 2.5, "color": grey(ax), "alpha": 0.6, "ls": "none"}


def _marked_text(errors: Array, point: int, marked_as: str) -> str:
    """The marked point in the legend: its largest error, and what it was chosen by."""
    said = f"point {point}: errors of at most {percent(float(np.nanmax(errors[point])))}"
    return f"{said} ({marked_as})" if marked_as else said
