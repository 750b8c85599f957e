"""The common part of displays of fold averages: an estimator is trained in a rotation."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from numpy.typing import ArrayLike

from rochull._core.docstrings import described
from rochull.averaging.operating_points import (
    OperatingPointAverage,
    cross_validate_roc,
    operating_point_average,
)
from rochull.plotting.base import ASKED, Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rochull.averaging.fold_rows import Points


class AverageDisplay(Display):
    """Base of the displays of an average over folds: `of_average` says what is read from one."""

    _drawn_by: ClassVar = {"compute": "from_predictions", "of_average": "from_average"}

    @classmethod
    @abstractmethod
    def of_average(cls, *average: Any, **options: Any) -> Self:
        """Take the numbers from an average that there is, without drawing them."""

    @classmethod
    def from_average(cls, average: OperatingPointAverage, *, ax: Axes | None = None, **options: Any) -> Self:
        """Draw an average that there is, whichever way it was made."""
        return cls._made_by(cls.of_average, (average,), ax, options)

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
        y_score : array-like of shape (n,)
            Out-of-fold scores, higher means more positive.
        **options : Any
            What `of_average` takes: a :class:`SignificanceDisplay` what is selected and tested, `point`,
            `measures`, `level`, `df`, `correction` and `adjust`; a :class:`MeanRocDisplay` nothing.
        """
        average = operating_point_average(
            y_true, y_score, folds, operating_points, sample_weight=sample_weight, pos_label=pos_label
        )
        return cls.of_average(average, name=name, **options)

    @classmethod
    @described(ASKED)
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
        cv : int, splitter or iterable of (train, test), default=10
            A number of stratified folds, or any scikit-learn splitter.
        groups : array-like of shape (n,), optional
            For a splitter that keeps groups together.
        n_jobs : int, optional
            Number of folds that are trained at once.
        sample_weight : array-like of shape (n,), optional
            For training, where `fit` takes it, and for averaging.
        response_method : str, default="auto"
            The method that gives the scores; "auto" is `decision_function`, else `predict_proba`.
        **options : Any
            Options of `from_average`.
        """
        average = cross_validate_roc(
            estimator, X, y, cv, operating_points=operating_points, groups=groups, n_jobs=n_jobs,
            sample_weight=sample_weight, pos_label=pos_label, response_method=response_method,
        )  # fmt: skip
        name = type(estimator).__name__ if name is None else name
        return cls.from_average(average, name=name, ax=ax, **options)
