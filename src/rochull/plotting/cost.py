"""Cost curve: the least expected cost under every operating condition, and the rules that reach it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull._core.messages import refused
from rochull.hull.hull import roc_hull
from rochull.hull.tallies import ratio
from rochull.plotting.base import IN_SAMPLE, Display, apart, has_curve, reference, style, titled
from rochull.plotting.legends import legend
from rochull.scoring.cost_curves import CostCurve, brier_curve, cost_curve
from rochull.scoring.measures import prevalence_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rochull._core.validation import Array

_CELL = 5e-4
_LABELS = {
    "cost": ("probability cost of the positive class", "normalised expected cost"),
    "brier": ("cost proportion of a false positive", "expected cost"),
}


@dataclass(eq=False, repr=False)
class CostCurveDisplay(Display):
    """Cost curve: a line for every rule of the hull, and their lower envelope; or the Brier curve.

    Attributes
    ----------
    curve : CostCurve
        The lower envelope: the least cost of any threshold, chosen on the same data (in-sample).
        For ``kind="brier"`` the Brier curve after PAV.
    actual : CostCurve or None
        For ``kind="brier"`` the cost of taking the probabilities at their word, else None.
    rule_cost : ndarray of shape (v, 2)
        Cost of the rule of each vertex of the hull at the conditions 0 and 1: a straight line. The
        first is "never", the last "always"; the less of the two is the triangle of the trivial
        classifiers.
    kind : {"cost", "brier"}
        What the axes are, see :class:`CostCurve`.

    References
    ----------
    Drummond & Holte 2006, Cost curves; Hernández-Orallo, Flach & Ferri 2011, Brier curves.

    Examples
    --------
    >>> import rochull as rh
    >>> display = rh.plotting.CostCurveDisplay.compute([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> display.curve.area(), display.rule_cost.tolist()
    (0.125, [[0.0, 1.0], [0.0, 0.5], [0.5, 0.0], [1.0, 0.0]])
    """

    _size = (5.6, 4.2)

    curve: CostCurve
    actual: CostCurve | None
    rule_cost: Array
    kind: str = "cost"
    name: str | None = None

    @classmethod
    def compute(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        kind: str = "cost",
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        lower_is_positive: bool = False,
        name: str | None = None,
    ) -> Self:
        """Compute the numbers without drawing them.

        Parameters
        ----------
        y_score : array-like of shape (n,)
            Higher means more positive; for ``kind="brier"`` probabilities of the positive class.
        kind : {"cost", "brier"}, default="cost"
            The normalised expected cost of the best threshold against the probability cost; or
            the cost of taking probabilities at their word against the cost proportion, at the
            data's own proportion of positives.
        lower_is_positive : bool, default=False
            Low scores mean positive; for ``kind="cost"`` only.
        """
        if kind not in _LABELS:
            raise ValueError(f"kind must be one of {tuple(_LABELS)}, but is {kind!r}.")
        if kind == "brier" and lower_is_positive:
            raise refused("lower_is_positive", "is of no use for probabilities of the positive class.")
        options: dict[str, Any] = {"sample_weight": sample_weight, "pos_label": pos_label}
        if kind == "cost":
            options["lower_is_positive"] = lower_is_positive
        hull = roc_hull(y_true, y_score, **options)
        rates = np.column_stack([hull.fpr, ratio(hull.n_pos - hull.tp, hull.n_pos)])
        if kind == "cost":
            return cls(cost_curve(y_true, y_score, **options), None, rates, kind, name)
        share = prevalence_of(hull)
        return cls(
            curve=brier_curve(y_true, y_score, recalibrated=True, **options),
            actual=brier_curve(y_true, y_score, **options),
            rule_cost=2 * rates[:, ::-1] * [share, 1 - share],
            kind=kind,
            name=name,
        )

    @classmethod
    def _responses_for(cls, options: Mapping[str, Any]) -> tuple[str, ...]:
        return ("predict_proba",) if options.get("kind") == "brier" else cls._responses

    def draw(self, ax: Axes, name: str | None, *, rules: bool = True, **kwargs: Any) -> None:
        """Draw the envelope over the lines of the rules and the triangle of the trivial classifiers.

        The area in the legend is the mean cost if all conditions are equally likely; under the
        Brier curve it is the Brier score.

        Parameters
        ----------
        rules : bool, default=True
            Draw a thin line for every vertex of the hull, where it costs less than "never" and "always".
        """
        from matplotlib.collections import LineCollection

        is_first = not has_curve(ax)
        least = f"hull ({IN_SAMPLE}), area {self.curve.area():.4f}"
        main = self.curve if self.actual is None else self.actual
        said = least if self.actual is None else f"as forecast, area {self.actual.area():.4f}"
        look = style(ax, kwargs, by=name, label=titled(name, said))
        self.line_ = ax.plot(*_polyline(main), **look)[0]
        colour = self.line_.get_color()
        if self.actual is not None:
            ax.plot(*_polyline(self.curve), color=colour, lw=1.1, ls=(0, (5, 2)), label=titled(name, least))
        if rules:
            thin: dict[str, Any] = {"colors": [colour], "linewidths": 0.6, "alpha": 0.35, "zorder": 1}
            ax.add_collection(LineCollection(self._useful(), **thin))
        x, y = self._trivial()
        if is_first:
            reference(ax, x, y, label="never or always positive")
        top = max(1.12 * y.max(), 1.05 * main.cost.max(), 0 if is_first else ax.get_ylim()[1])
        ax.set(
            xlim=(0, 1), ylim=(-0.02 * top, top), xlabel=_LABELS[self.kind][0], ylabel=_LABELS[self.kind][1]
        )
        legend(ax, loc="upper right")

    def _useful(self) -> list[Array]:
        """The part of each rule's line that is below those of "never" and "always"."""
        start, end = self.rule_cost[1:-1].T
        low, high = np.zeros(start.size), np.ones(start.size)
        for other_start, other_end in self.rule_cost[[0, -1]]:
            gap, slope = start - other_start, (end - start) - (other_end - other_start)
            with np.errstate(divide="ignore", invalid="ignore"):
                cross = -gap / slope
            low = np.where(slope < 0, np.fmax(low, cross), low)
            high = np.where(slope > 0, np.fmin(high, cross), high)
        ends = np.stack([low, high], axis=1)
        heights = start[:, None] + ends * (end - start)[:, None]
        return list(np.stack([ends, heights], axis=2)[low < high])

    def _trivial(self) -> tuple[Array, Array]:
        """The lower envelope (3,) of the lines of "never" and "always"."""
        (never_0, never_1), (always_0, always_1) = self.rule_cost[[0, -1]]
        x = (never_0 - always_0) / (never_0 - always_0 + always_1 - never_1)
        ends = min(never_0, always_0), never_0 + x * (never_1 - never_0), min(never_1, always_1)
        return np.array([0, x, 1]), np.array(ends)


def _polyline(curve: CostCurve) -> tuple[Array, Array]:
    points = np.stack([curve.probability_cost, curve.cost])
    x, y = points[:, apart(points, _CELL)]
    return x, y
