"""What displays of fold averages have in common: an estimator is trained in a rotation."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from rochull.averaging.operating_points import (
    OperatingPointAverage,
    cross_validate_roc,
    operating_point_average,
)
from rochull.plotting.base import Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rochull.averaging.fold_rows import Points


class AverageDisplay(Display):
    """Base of the displays of an average over folds."""

    @classmethod
    @abstractmethod
    def from_average(cls, average: OperatingPointAverage, **options: Any) -> Self:
        """Draw an average that there is."""

    @classmethod
    @abstractmethod
    def _of(cls, average: OperatingPointAverage, name: str | None, **options: Any) -> Self:
        """The numbers; the options are those of `from_average` that are not for drawing."""

    @classmethod
    def compute(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        folds: ArrayLike,
        *,
        operating_points: Points = 30,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Compute the numbers without drawing them.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            Binary labels; with `pos_label=None` they are {0, 1}, {-1, 1} or booleans.
        y_score : array-like of shape (n,)
            Out-of-fold scores, higher means more positive.
        folds : array-like of shape (n,)
            The fold of each example.
        operating_points : None, int, "hull" or array-like, default=30
            All distinct scores, so many of them, those of the hull, or given thresholds; see
            :func:`operating_point_average`.
        sample_weight : array-like of shape (n,), optional
            Finite and non-negative.
        pos_label : object, optional
            The label of the positive class.
        name : str, optional
            For the legend.
        **options : Any
            What `from_average` takes before it draws: a :class:`SignificanceDisplay` what is selected and
            tested, `point`, `measures`, `level`, `df`, `correction` and `adjust`; a :class:`MeanRocDisplay`
            nothing.

        Returns
        -------
        Self
            Not drawn yet.

        Raises
        ------
        ValueError
            As for :func:`operating_point_average` and `from_average`.
        """
        average = operating_point_average(
            y_true, y_score, folds, operating_points, sample_weight=sample_weight, pos_label=pos_label
        )
        return cls._of(average, name, **options)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        folds: ArrayLike,
        *,
        operating_points: Points = 30,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        name: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Compute and draw.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            Binary labels; with `pos_label=None` they are {0, 1}, {-1, 1} or booleans.
        y_score : array-like of shape (n,)
            Out-of-fold scores, higher means more positive.
        folds : array-like of shape (n,)
            The fold of each example.
        operating_points : None, int, "hull" or array-like, default=30
            All distinct scores, so many of them, those of the hull, or given thresholds; see
            :func:`operating_point_average`.
        sample_weight : array-like of shape (n,), optional
            Finite and non-negative.
        pos_label : object, optional
            The label of the positive class.
        name : str, optional
            For the legend.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure if not given.
        **options : Any
            Options of `from_average`.

        Returns
        -------
        Self
            The display.

        Raises
        ------
        ValueError
            As for :func:`operating_point_average` and `from_average`.
        """
        average = operating_point_average(
            y_true, y_score, folds, operating_points, sample_weight=sample_weight, pos_label=pos_label
        )
        return cls.from_average(average, name=name, ax=ax, **options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        cv: Any = 10,
        operating_points: Points = 30,
        groups: ArrayLike | None = None,
        n_jobs: int | None = None,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        response_method: str = "auto",
        name: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Train and score in a rotation, average and draw.

        Parameters
        ----------
        estimator : estimator
            A classifier or detector, see :func:`cross_validate_roc`. Unlike for other displays it need not
            be fitted: a clone is, in every fold.
        X : array-like or table of shape (n, n_features)
            The examples.
        y : array-like of shape (n,)
            Their labels.
        cv : int, splitter or iterable of (train, test), default=10
            A number of stratified folds, or any scikit-learn splitter.
        operating_points : None, int, "hull" or array-like, default=30
            All distinct scores, so many of them, those of the hull, or given thresholds; see
            :func:`operating_point_average`.
        groups : array-like of shape (n,), optional
            For a splitter that keeps groups together.
        n_jobs : int, optional
            Number of folds that are trained at once.
        sample_weight : array-like of shape (n,), optional
            For training, where `fit` takes it, and for averaging.
        pos_label : object, optional
            The label of the positive class.
        response_method : str, default="auto"
            The method that gives the scores; "auto" is `decision_function`, else `predict_proba`.
        name : str, optional
            For the legend; the estimator's class if not given.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure if not given.
        **options : Any
            Options of `from_average`.

        Returns
        -------
        Self
            The display.

        Raises
        ------
        ValueError
            As for :func:`cross_validate_roc` and `from_average`.
        """
        average = cross_validate_roc(
            estimator, X, y, cv, operating_points=operating_points, groups=groups, n_jobs=n_jobs,
            sample_weight=sample_weight, pos_label=pos_label, response_method=response_method,
        )  # fmt: skip
        name = type(estimator).__name__ if name is None else name
        return cls.from_average(average, name=name, ax=ax, **options)
