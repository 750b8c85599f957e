"""Scores against an auxiliary feature, and thresholds that depend on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.table_errors import no_column
from rochull.conditions.conditions import Condition
from rochull.plotting.base import Display, has_curve
from rochull.plotting.segmented import Examples, named_conditions
from rochull.plotting.strips import feature_of, held_of, looked_up, strips_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rochull._core.validation import Array
    from rochull.segments.columns import Column
    from rochull.segments.redistribution import ErrorRedistribution

Conditions = Condition | Sequence[Condition] | Mapping[str, Condition] | None


@dataclass(eq=False, repr=False)
class SegmentThresholdDisplay(Display):
    """Scores of both classes against an auxiliary feature, with the thresholds of several operating points.

    Make it by `from_predictions` or `from_estimator`, which draw it, or by `compute`, which does not.

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
    name : str or None
        For the legend.
    ax_, figure_, line_ : matplotlib objects
        Where it was drawn; the thresholds of the first condition.

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
    >>> display.places.tolist(), display.thresholds["FPR ≤ 0.1"].round(1).tolist()
    ([2.0, 3.0, 4.0], [0.7, 1.3, 1.7, 2.3])
    """

    _responses = ("decision_function", "predict_proba")

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
        max_points: int = 2000,
        random_state: int | None = 0,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        name: str | None = None,
    ) -> Self:
        """Compute the numbers without drawing them.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            Binary labels; with `pos_label=None` they are {0, 1}, {-1, 1} or booleans.
        y_score : array-like of shape (n,)
            Higher means more positive.
        aux : data frame, mapping of columns, or array-like of shape (n,) or (n, k)
            The auxiliary features.
        conditions : Condition, sequence or mapping of str to Condition, optional
            What the thresholds are for; false positive rates of at most 0.05, 0.2 and 0.5 if not given.
        redistribution : ErrorRedistribution, optional
            A fitted one, whose thresholds are drawn; one that is not is fitted to these examples, as is
            the model "pav" if none is given.
        feature : str or int, optional
            The column to draw; the first that the segments are made of if not given. Other columns are
            held at their median, or most frequent value.
        max_points : int, default=2000
            At most so many cases of each class are drawn, chosen at random.
        random_state : int or None, default=0
            Seed of that choice.
        sample_weight : array-like of shape (n,), optional
            Finite and non-negative; for fitting, and examples of weight zero are left out.
        pos_label : object, optional
            The label of the positive class.
        name : str, optional
            For the legend.

        Returns
        -------
        SegmentThresholdDisplay
            Not drawn yet.

        Raises
        ------
        ValueError
            For labels of one class only, NaN scores, bad weights, lengths that differ, a feature that the
            segments do not depend on, or as for :class:`ErrorRedistribution` and :meth:`RocHull.at`.
        """
        named, most = named_conditions(conditions), validation.whole(max_points, "max_points", 0)
        examples = Examples.of(y_true, y_score, aux, sample_weight, pos_label)
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

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        aux: Any,
        conditions: Conditions = None,
        *,
        redistribution: ErrorRedistribution | None = None,
        feature: Column | None = None,
        max_points: int = 2000,
        random_state: int | None = 0,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Compute and draw.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            Binary labels; with `pos_label=None` they are {0, 1}, {-1, 1} or booleans.
        y_score : array-like of shape (n,)
            Higher means more positive.
        aux : data frame, mapping of columns, or array-like of shape (n,) or (n, k)
            The auxiliary features.
        conditions : Condition, sequence or mapping of str to Condition, optional
            What the thresholds are for; false positive rates of at most 0.05, 0.2 and 0.5 if not given.
        redistribution : ErrorRedistribution, optional
            A fitted one, whose thresholds are drawn; one that is not is fitted to these examples, as is
            the model "pav" if none is given.
        feature : str or int, optional
            The column to draw; the first that the segments are made of if not given. Other columns are
            held at their median, or most frequent value.
        max_points : int, default=2000
            At most so many cases of each class are drawn, chosen at random.
        random_state : int or None, default=0
            Seed of that choice.
        sample_weight : array-like of shape (n,), optional
            Finite and non-negative; for fitting, and examples of weight zero are left out.
        pos_label : object, optional
            The label of the positive class.
        name : str, optional
            For the legend.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure if not given.
        **kwargs : Any
            Options of `plot`.

        Returns
        -------
        SegmentThresholdDisplay
            The display.

        Raises
        ------
        ValueError
            For labels of one class only, NaN scores, bad weights, lengths that differ, a feature that the
            segments do not depend on, or as for :class:`ErrorRedistribution` and :meth:`RocHull.at`.
        """
        display = cls.compute(
            y_true, y_score, aux, conditions, redistribution=redistribution, feature=feature,
            max_points=max_points, random_state=random_state, sample_weight=sample_weight,
            pos_label=pos_label, name=name,
        )  # fmt: skip
        return display.plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw the cases, and the thresholds over them.

        Where the threshold of a segment is infinite its line runs along the upper edge (no case is called
        positive) or the lower edge (all are), with an arrow. Numbers of few different values are
        spread sideways. On axes with a display only the thresholds are added.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure if not given. The legend is to the right of it.
        name : str, optional
            For the legend; the display's own if not given.
        **kwargs : Any
            For the lines of the thresholds, such as ``linewidth``.

        Returns
        -------
        SegmentThresholdDisplay
            The display itself.
        """
        from rochull.plotting.strip_drawing import draw_cases, draw_thresholds, layout_of

        ax = self._begin(ax, (7.4, 4.4))
        layout = layout_of(self)
        if not has_curve(ax):
            draw_cases(self, ax, layout)
        self.line_ = draw_thresholds(self, ax, layout, self.name if name is None else name, kwargs)
        return self


def _thinned(positive: Array, most: int, random_state: int | None) -> Array:
    """Rows, ascending, of at most so many examples of each class."""
    rng = np.random.default_rng(random_state)
    parts = [np.flatnonzero(positive == label) for label in (False, True)]
    parts = [rows if rows.size <= most else rng.choice(rows, most, replace=False) for rows in parts]
    return np.sort(np.concatenate(parts))
