"""The common part of displays of several classes: operating points, one of them marked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull._core.docstrings import described
from rochull._core.responses import class_outputs, classes_of
from rochull._core.rows import refuse_other_order
from rochull.multiclass.point import MulticlassPoint
from rochull.multiclass.points import MulticlassPoints
from rochull.multiclass.roc import MulticlassRoc
from rochull.plotting.base import ASKED, Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

    from rochull.multiclass.measures import Objective


class MulticlassDisplay(Display):
    """Base of the displays of weight vectors and what they reach: `of_points` says what is shown."""

    _drawn_by: ClassVar = {"compute": "from_predictions", "of_points": "from_points"}

    image_: AxesImage  # of those that draw one

    @classmethod
    @abstractmethod
    def of_points(cls, *points: Any, **options: Any) -> Self:
        """Take the numbers from operating points that there are, without drawing them."""

    @classmethod
    def from_points(cls, points: MulticlassPoints, *, ax: Axes | None = None, **options: Any) -> Self:
        """Draw operating points that there are."""
        return cls._made_by(cls.of_points, (points,), ax, options)

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
        **options : Any
            What `of_points` takes, and `name`. With ``in_sample=False`` the display says that the examples
            are other ones than those that chose the weights.
        """
        roc = MulticlassRoc(y_true, outputs, sample_weight, columns)
        return cls.of_points(_found(roc, weights, search), **options)

    @classmethod
    def _made_by(
        cls, numbers: Callable[..., Self], examples: tuple[Any, ...], ax: Axes | None, options: dict[str, Any]
    ) -> Self:
        known_options(options.keys() - signature(numbers).parameters)
        return super()._made_by(numbers, examples, ax, options)

    @classmethod
    @described(ASKED)
    def from_roc(cls, roc: MulticlassRoc, **options: Any) -> Self:
        """Draw the operating points that were found.

        Parameters
        ----------
        roc : MulticlassRoc
            Its `points` are drawn: those of a default search if there was none.
        **options : Any
            Those of `from_points`, which does the rest.
        """
        return cls.from_points(roc.points, **options)

    @classmethod
    @described(ASKED)
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

        Raises
        ------
        ValueError
            If the estimator has no `predict_proba` or is not fitted; or as `from_predictions` does.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(estimator)
        refuse_other_order({"X": X, "y": y, "sample_weight": sample_weight})
        kind = type(estimator).__name__
        if not hasattr(estimator, "predict_proba"):
            raise ValueError(f"estimator must have predict_proba, but {kind} has none.")
        labels = classes_of(estimator)
        outputs = class_outputs(estimator, X, "predict_proba", labels)
        return cls.from_predictions(
            y, outputs, columns=labels, sample_weight=sample_weight,
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
        raise ValueError("point is a mixture, which is not one of the points that are drawn.")
    if tuple(point.classes) == tuple(points.classes):
        same = (points.weights == point.weights).all(axis=1)
        if not same.any():
            same = (points.confusion == point.confusion).all(axis=(1, 2))
        if same.any():
            return int(same.argmax())
    raise ValueError("point is not one of the points that are drawn.")


def known_options(options: Collection[str]) -> None:
    """Raise for words of other parts of the library, before matplotlib gets them."""
    for name, instead in _INSTEAD.items():
        if name in options:
            raise TypeError(f"{name} is not an option of this display: {instead}.")


IN_SAMPLE, HELD_OUT = "in-sample", "held-out"  # what a legend or a title says of the numbers
_INSTEAD = {
    "minimise": "point= takes the objective whose best point is marked",
    "objective": "point= takes the objective whose best point is marked",
    "limits": "subject_to= takes the limits",
    "weights": "of points that there are, mc.points_at(weights) has those of given weights",
}
