"""The confusion matrix at an operating point, with the limits that it keeps or breaks."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from rochull._core.table_errors import a_type
from rochull.multiclass.inputs import index_of
from rochull.multiclass.measure import errors_of, rates_of
from rochull.multiclass.measures import Cell, Error, Limit, checked_limits
from rochull.multiclass.point import MulticlassPoint
from rochull.multiclass.points import MulticlassPoints
from rochull.plotting.base import colours, percent
from rochull.plotting.multiclass import HELD_OUT, IN_SAMPLE, MulticlassDisplay, marked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rochull._core.validation import Array
    from rochull.multiclass.measures import Objective

_LETTER, _PLACES, _TITLE = 0.085, 0.8, 13  # inches of a letter, share of the axes, letters in an inch
_CELL = 0.7  # inches of a cell in which texts are short
_WRAP, _MOST = 14, 44  # characters of a label in a line, and in all


@dataclass(eq=False, repr=False)
class MulticlassConfusionDisplay(MulticlassDisplay):
    """Confusion matrix at an operating point: the rates of each class, and the counts.

    Attributes
    ----------
    classes : tuple
        The C classes.
    confusion : ndarray of shape (C, C)
        ``confusion[i, j]`` is the weight of the examples of class i that are called j.
    limits : tuple of Limit
        Limits that are marked in the cells: a class's error in its cell on the diagonal.
    rules : tuple of (ndarray of shape (C,), float)
        Weight vectors and their probabilities; one unless the point is a mixture.
    name : str or None
        For the title.
    in_sample : bool
        Whether the examples are those that chose the point; the title says it. Of others say ``False``.
    rates : ndarray of shape (C, C)
        Rows divided by their sums.
    image_ : matplotlib.image.AxesImage
        The shaded cells.

    Examples
    --------
    >>> import rochull as rh
    >>> y = ["a", "a", "b", "b", "c", "c"]
    >>> outputs = [[5, 1, 2], [3, 4, 1], [1, 6, 2], [2, 3, 3], [1, 2, 4], [2, 4, 3]]
    >>> weights = [[1, 1, 1], [2, 1, 1], [1, 1, 2]]
    >>> limits = [rh.multiclass.Error("a") <= 0.2, rh.multiclass.Cell("c", "a") <= 0.1]
    >>> display = rh.plotting.MulticlassConfusionDisplay.compute(
    ...     y, outputs, weights=weights, point=1, subject_to=limits
    ... )
    >>> display.confusion.tolist(), [str(limit) for limit in display.broken]
    ([[2, 0, 0], [1, 1, 0], [1, 0, 1]], ["Cell('c', 'a') <= 0.1"])
    """

    _drawn_by: ClassVar = {**MulticlassDisplay._drawn_by, "of_point": "from_point"}

    classes: tuple[Any, ...]
    confusion: Array
    limits: tuple[Limit, ...]
    rules: tuple[tuple[Array, float], ...]
    name: str | None = None
    in_sample: bool = True

    @property
    def rates(self) -> Array:
        """The confusion matrix (C, C) with each row divided by its sum."""
        return rates_of(self.confusion)

    @property
    def broken(self) -> tuple[Limit, ...]:
        """The limits that the point breaks."""
        return tuple(limit for limit in self.limits if not self._met(limit))

    def _met(self, limit: Limit) -> bool:
        return bool(limit.met(self.confusion[None], self.classes)[0])

    @classmethod
    def of_points(
        cls,
        points: MulticlassPoints,
        *,
        point: int | Objective | MulticlassPoint = "max_error",
        subject_to: Limit | Sequence[Limit] = (),
        in_sample: bool = True,
        name: str | None = None,
    ) -> Self:
        """Take one of some operating points, without drawing it.

        Parameters
        ----------
        point : int, MulticlassPoint or objective, default="max_error"
            The point: its index, from 0, or itself, or the best by an objective.
        subject_to : Limit or sequence of Limit, optional
            Limits on the point that is chosen by an objective; they are marked, of a given point too.
        """
        if not isinstance(points, MulticlassPoints):
            raise ValueError(f"points must be MulticlassPoints, but is {a_type(points)}.")
        if isinstance(point, MulticlassPoint):
            chosen = point  # a mixture of the points too
            if tuple(chosen.classes) != tuple(points.classes):
                raise ValueError("point is of other classes than the points.")
        else:
            index = marked(point, points)
            chosen = points.at(point, subject_to) if index is None else points[index]  # type: ignore[arg-type]
        return cls.of_point(chosen, subject_to=subject_to, in_sample=in_sample, name=name)

    @classmethod
    def of_point(
        cls,
        point: MulticlassPoint,
        *,
        subject_to: Limit | Sequence[Limit] = (),
        in_sample: bool = True,
        name: str | None = None,
    ) -> Self:
        """Take one operating point, or mixture of some, without drawing it.

        Parameters
        ----------
        point : MulticlassPoint
            As :meth:`MulticlassPoints.at` gives it.
        subject_to : Limit or sequence of Limit, optional
            Limits to mark.
        """
        if not isinstance(point, MulticlassPoint):
            raise ValueError(f"point must be a MulticlassPoint, but is {a_type(point)}.")
        limits = checked_limits(subject_to)
        display = cls(tuple(point.classes), point.confusion, limits, point.rules, name, in_sample)
        _ = display.broken  # a limit on a class that is not among these fails here
        return display

    @classmethod
    def from_point(cls, point: MulticlassPoint, *, ax: Axes | None = None, **options: Any) -> Self:
        """Draw one operating point, or mixture of some."""
        return cls._made_by(cls.of_point, (point,), ax, options)

    def draw(self, ax: Axes, name: str | None, **kwargs: Any) -> None:
        """Draw the cells, shaded by their rates.

        A limit that is kept has a thin frame, one that is broken a thick dashed one and a cross.

        Parameters
        ----------
        name : str, optional
            For the title; the display's own if not given.
        **kwargs : Any
            For the image, such as ``cmap``.
        """
        size = len(self.classes)
        self.image_ = ax.imshow(self.rates, **{"cmap": "Blues", "vmin": 0, "vmax": 1, **kwargs})
        labels = [_wrapped(label) for label in self.classes]
        longest = max(len(line) for label in labels for line in label.splitlines())
        inches = ax.bbox.width / ax.figure.dpi
        is_long = longest * _LETTER * size > inches * _PLACES
        turned = (
            90
            if is_long or longest > (7 if size > 6 else _WRAP) or (size > 3 and "\n" in "".join(labels))
            else 0
        )
        ax.set_xticks(range(size), labels, rotation=turned, parse_math=False)
        ax.set_yticks(range(size), labels, parse_math=False)
        ax.tick_params(length=0)
        ax.set(xlabel="called", ylabel="examples of")
        ax.set_title(self._title(name, int(inches * _TITLE)), fontsize="medium", parse_math=False)
        ax.spines[:].set_visible(False)
        for i in range(size):
            for j in range(size):
                self._cell(ax, i, j)

    def _size_for(self, options: Mapping[str, Any]) -> tuple[float, float]:
        side = max(3.6, 1.6 + 0.92 * len(self.classes))
        return side + 0.4, side

    def _title(self, name: str | None, width: int) -> str:
        told = f"errors of at most {percent(float(np.nanmax(errors_of(self.confusion))))}"
        told += f" ({IN_SAMPLE if self.in_sample else HELD_OUT})"
        lines = [told if not name else f"{name}: {told}"]
        lines += [f"breaks {limit}" for limit in self.broken if not isinstance(limit.measure, Error | Cell)]
        return "\n".join(line for text in lines for line in textwrap.wrap(text, min(width, 48)))

    def _of_cell(self, i: int, j: int) -> list[Limit]:
        """The limits that are shown in a cell."""
        found = []
        for limit in self.limits:
            match limit.measure:
                case Error(label):
                    at = (index_of(label, self.classes, "limits"),) * 2
                case Cell(true, called):
                    at = (index_of(true, self.classes, "limits"), index_of(called, self.classes, "limits"))
                case _:
                    continue
            if at == (i, j):
                found.append(limit)
        return found

    def _cell(self, ax: Axes, i: int, j: int) -> None:
        """The texts of one cell, in black or white as its shade needs, and its frame."""
        from matplotlib.patches import Rectangle

        rate, limits = self.rates[i, j], self._of_cell(i, j)
        broken = [limit for limit in limits if not self._met(limit)]
        shade = [float(c) for c in self.image_.to_rgba(rate)[:3]]
        ink = "black" if _contrast(shade, 0.0) >= _contrast(shade, 1.0) else "white"
        is_tight = ax.bbox.width < _CELL * len(self.classes) * ax.figure.dpi
        said = f"{100 * rate:.{0 if is_tight else 1}f} %"
        lines = ["–" if np.isnan(rate) else said, f"{self.confusion[i, j]:.6g}"]
        for limit in limits:
            what = "error " if isinstance(limit.measure, Error) else ""
            sign = "≤" if limit.side == "<=" else "≥"
            lines.append(f"{'✗ ' if limit in broken else ''}{what}{sign} {percent(limit.limit)}")
        small: Any = 6 if is_tight else "small" if len(self.classes) <= 6 else "x-small"
        ax.text(j, i, "\n".join(lines), ha="center", va="center", color=ink, fontsize=small, linespacing=1.3)
        if limits:
            look: dict[str, Any] = {"edgecolor": ink, "linewidth": 1.2}
            if broken:
                look = {"edgecolor": colours()[1], "linewidth": 3.2, "linestyle": (0, (2.2, 1.2))}
            ax.add_patch(Rectangle((j - 0.46, i - 0.46), 0.92, 0.92, fill=False, **look))


def _contrast(shade: Sequence[float], ink: float) -> float:
    """The contrast of black (0) or white (1) with a colour, as WCAG 2 defines it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shade]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    low, high = sorted((light, ink))
    return (high + 0.05) / (low + 0.05)


def _wrapped(label: Any) -> str:
    """A label in lines, shortened if it is very long."""
    text = str(label)
    text = text if len(text) <= _MOST else text[: _MOST - 1].rstrip() + "…"
    return "\n".join(textwrap.wrap(text, _WRAP)) or text
