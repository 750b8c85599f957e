"""What the displays of several classes have in common: operating points, one of them marked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull.multiclass.front import pareto
from rochull.multiclass.measures import Objective, checked_objective, index_of, smallest
from rochull.multiclass.points import MulticlassPoint, MulticlassPoints
from rochull.multiclass.roc import MulticlassRoc
from rochull.plotting._base import COLOURS, GREY, Display, legend, percent
from rochull.plotting._segmented import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

    from rochull._validation import Array
    from rochull.multiclass.measures import Limit

_LONGEST = 24  # characters of a class's name beside an axis


class MulticlassDisplay(Display):
    """Base of the displays of weight vectors and what they reach."""

    image_: AxesImage  # of those that draw one

    @classmethod
    @abstractmethod
    def _of(cls, points: MulticlassPoints, **options: Any) -> Self:
        """The numbers; the options are those of `from_points`."""

    @classmethod
    @abstractmethod
    def from_points(cls, points: MulticlassPoints, **options: Any) -> Self:
        """Draw operating points that there are."""

    @classmethod
    def compute(
        cls,
        y_true: ArrayLike,
        outputs: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        columns: Sequence[Any] | None = None,
        search: Mapping[str, Any] | None = None,
        sample_weight: ArrayLike | None = None,
        **options: Any,
    ) -> Self:
        """Compute the numbers without drawing them.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            Labels of any kind.
        outputs : array-like of shape (n, C)
            Non-negative outputs, a column for each class.
        weights : array-like of shape (k, C), optional
            The operating points; if not given, those of a search.
        columns : sequence, optional
            The labels of the columns; those that occur, sorted, if not given.
        search : mapping, optional
            Options of :meth:`MulticlassRoc.search`; if not given, the points of a search for the smallest
            largest error, and of 1,000 random weight vectors, are drawn.
        sample_weight : array-like of shape (n,), optional
            Finite and non-negative.
        **options : Any
            What `from_points` takes before it draws, and `name`. With ``in_sample=False`` the display says
            that the examples are other ones than those that chose the weights.

        Returns
        -------
        Self
            Not drawn yet.

        Raises
        ------
        ValueError
            As for :class:`MulticlassRoc`, its search, and `from_points`.
        """
        roc = MulticlassRoc(y_true, outputs, sample_weight, columns)
        return cls._of(_found(roc, weights, search), **options)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        outputs: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        columns: Sequence[Any] | None = None,
        search: Mapping[str, Any] | None = None,
        sample_weight: ArrayLike | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            Labels of any kind.
        outputs : array-like of shape (n, C)
            Non-negative outputs, a column for each class.
        weights : array-like of shape (k, C), optional
            The operating points; if not given, those of a search.
        columns : sequence, optional
            The labels of the columns; those that occur, sorted, if not given.
        search : mapping, optional
            Options of :meth:`MulticlassRoc.search`; if not given, the points of a search for the smallest
            largest error, and of 1,000 random weight vectors, are drawn.
        sample_weight : array-like of shape (n,), optional
            Finite and non-negative.
        **options : Any
            Those of `from_points`, which does the rest.

        Returns
        -------
        Self
            The display.

        Raises
        ------
        ValueError
            As for :class:`MulticlassRoc`, its search, and `from_points`.
        """
        roc = MulticlassRoc(y_true, outputs, sample_weight, columns)
        return cls.from_points(_found(roc, weights, search), **options)

    @classmethod
    def from_roc(cls, roc: MulticlassRoc, **options: Any) -> Self:
        """Draw the operating points that were found.

        Parameters
        ----------
        roc : MulticlassRoc
            Its `points` are drawn: those of a default search if there was none.
        **options : Any
            Those of `from_points`, which does the rest.

        Returns
        -------
        Self
            The display.

        Raises
        ------
        ValueError
            As for `from_points`.
        """
        return cls.from_points(roc.points, **options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw from what a fitted classifier says about examples.

        Parameters
        ----------
        estimator : estimator instance
            A fitted classifier with `predict_proba`, or a pipeline that ends in one.
        X : array-like or table of shape (n, n_features)
            The examples; best such that it was not fitted on.
        y : array-like of shape (n,)
            Their labels.
        sample_weight : array-like of shape (n,), optional
            Finite and non-negative.
        name : str, optional
            For the legend; the estimator's class if not given.
        **options : Any
            Options of `from_predictions`, which does the rest.

        Returns
        -------
        Self
            The display.

        Raises
        ------
        ValueError
            If the estimator has no `predict_proba` or is not fitted; or as `from_predictions` does.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(estimator)
        kind = type(estimator).__name__
        if not hasattr(estimator, "predict_proba"):
            raise ValueError(f"estimator must have predict_proba, but {kind} has none.")
        labels = np.asarray(estimator.classes_).tolist()
        return cls.from_predictions(
            y, estimator.predict_proba(X), columns=labels, sample_weight=sample_weight,
            name=kind if name is None else name, **options,
        )  # fmt: skip


def _found(
    roc: MulticlassRoc, weights: ArrayLike | None, search: Mapping[str, Any] | None
) -> MulticlassPoints:
    """Operating points of labelled outputs: given, or searched for."""
    if weights is None and search is None:
        return roc.points  # of a first search
    if weights is None:
        return roc.search(**{"random_state": 0, **(search or {})})
    if search is not None:
        raise ValueError("search has no effect on given weights: give one of the two.")
    return roc.points_at(weights)


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


def errors_of_points(
    points: MulticlassPoints,
    classes: Sequence[Any] | None,
    point: int | Objective | MulticlassPoint | None,
    subject_to: Limit | Sequence[Limit],
    in_sample: bool,
) -> Errors:
    """The errors of some of the classes; the marked point is given, or the best within limits."""
    if not isinstance(points, MulticlassPoints):
        raise ValueError(f"points must be MulticlassPoints, but is a {type(points).__name__}.")
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
    return Errors(chosen, points.errors[:, columns], index, None, IN_SAMPLE if in_sample else HELD_OUT)


def errors_of_average(
    average: Any,
    classes: Sequence[Any] | None,
    point: int | Objective | MulticlassPoint | None,
    test: Mapping[str, Any],
) -> Errors:
    """Mean errors over folds, and which points the folds cannot tell from the marked one."""
    index = marked(point, average.points)
    if point is not None and index is None:
        index = int(np.nanargmin(average.mean(checked_objective(point))))  # type: ignore[arg-type]
    alike = None if index is None else np.asarray(average.indistinguishable(index, **test))
    chosen, columns = chosen_classes(average.classes, classes)
    measured = f"means of {average.n_folds} folds"
    if average.method != "given weights":
        measured += "; points chosen in-sample"
    return Errors(chosen, np.asarray(average.errors_mean)[:, columns], index, alike, measured)


def marked(point: int | Objective | MulticlassPoint | None, points: MulticlassPoints) -> int | None:
    """The index of a given point, from 0; None if it is an objective or nothing."""
    size = len(points)
    if isinstance(point, MulticlassPoint):
        return _place(point, points)
    if not isinstance(point, int | np.integer):
        return None
    if not -size <= point < size:
        raise ValueError(f"point is {point}, but there are {size} points, from 0.")
    return int(point) % size


def _place(point: MulticlassPoint, points: MulticlassPoints) -> int:
    """Which of the points has the weights of a point, or else its confusion matrix."""
    if len(point.rules) > 1:
        raise ValueError("point is a mixture, which is none of the points that are drawn.")
    if tuple(point.classes) == tuple(points.classes):
        same = (points.weights == point.weights).all(axis=1)
        if not same.any():
            same = (points.confusion == point.confusion).all(axis=(1, 2))
        if same.any():
            return int(same.argmax())
    raise ValueError("point is none of the points that are drawn.")


def known_options(options: Mapping[str, Any]) -> None:
    """Raise for words of other parts of the library, before matplotlib gets them."""
    for name, instead in _INSTEAD.items():
        if name in options:
            raise TypeError(f"{name} is no option of this display: {instead}.")


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


def said(label: Any) -> str:
    """A class beside an axis."""
    return shortened(str(label), _LONGEST)


def axis_name(label: Any, line: int = 99) -> str:
    """The name of an axis of errors of a class; in two lines if one of so many characters is too short."""
    name = said(label)
    return f"error of{' ' if len(name) + 9 <= line else chr(10)}{name}"


def plain_legend(ax: Axes, **options: Any) -> None:
    """A legend in which names are text: a dollar sign begins no formula."""
    legend(ax, **options)
    shown = ax.get_legend()
    assert shown is not None
    for text in shown.get_texts():
        text.set_parse_math(False)


def marked_text(numbers: Errors | Any) -> str:
    """The marked point in the legend: its largest error."""
    worst = float(np.nanmax(numbers.errors[numbers.point]))
    return f"point {numbers.point}: errors of at most {percent(worst)}"


IN_SAMPLE, HELD_OUT = "in-sample", "held-out"  # what a legend or a title says of the numbers
_INSTEAD = {
    "minimise": "point= takes the objective whose best point is marked",
    "objective": "point= takes the objective whose best point is marked",
    "limits": "subject_to= takes the limits",
    "weights": "of points that there are, mc.points_at(weights) has those of given weights",
}
MARK: dict[str, Any] = {"marker": "X", "ms": 10, "mec": "white", "color": COLOURS[1], "ls": "none"}
ALIKE: dict[str, Any] = {"marker": "o", "ms": 9, "mfc": "none", "mec": COLOURS[1], "ls": "none"}
DOMINATED: dict[str, Any] = {"marker": "o", "ms": 2.5, "color": GREY, "alpha": 0.6, "ls": "none"}
