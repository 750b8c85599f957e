"""Decision curves: the net benefit of acting on probabilities, against the threshold probability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull.plotting.base import IN_SAMPLE, Display, has_curve, looks_of, reference, style, titled
from rochull.plotting.legends import legend, name_ends
from rochull.uncertainty.decision_curves import DecisionCurve, decision_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LOWEST = -0.15  # of the axis, in prevalences: below "treat none" little is of interest
_WORTH = 0.01  # prevalences, above treating all or none
_BEYOND = 1.1


@dataclass(eq=False, repr=False)
class DecisionCurveDisplay(Display):
    """Decision curve: net benefit against the threshold probability, of one model or several.

    Attributes
    ----------
    curve : DecisionCurve
        Net benefits with intervals, that of treating all, and the most that any threshold has.

    References
    ----------
    Vickers & Elkin 2006.

    Examples
    --------
    >>> import rochull as rh
    >>> display = rh.plotting.DecisionCurveDisplay.compute(
    ...     [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], thresholds=[0.5]
    ... )
    >>> display.curve.net_benefit[None].estimate.tolist(), display.curve.best[None].tolist()
    ([0.25], [0.25])
    """

    _responses = ("predict_proba",)
    _size = (5.6, 4.2)

    curve: DecisionCurve
    name: str | None = None

    @classmethod
    def compute(
        cls,
        y_true: ArrayLike,
        probability: ArrayLike | Mapping[str, ArrayLike],
        *,
        thresholds: ArrayLike | None = None,
        prevalence: float | None = None,
        level: float = 0.95,
        harm: float | Mapping[str, float] = 0.0,
        sample_weight: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        pos_label: object = None,
        lower_is_positive: bool = False,
        name: str | None = None,
    ) -> Self:
        """Compute the numbers without drawing them.

        Parameters
        ----------
        probability : array-like of shape (n,), or mapping or table of such columns
            Probabilities of the positive class; several models by name.
        thresholds : array-like of shape (m,), optional
            In [0, 1); 0.01, 0.02, ..., 0.99 if not given.
        prevalence : float, optional
            Proportion of positives where the examples do not show it, strictly between 0 and 1.
        level : float, default=0.95
            Nominal coverage of the interval at each threshold, strictly between 0 and 1.
        harm : float, or mapping of str to float, default=0.0
            What it costs to use a model, in true positives per case, taken off its net benefits.
        clusters : array-like of shape (n,), optional
            Which cases belong together, such as patients: the intervals are wider by it.
        lower_is_positive : bool, default=False
            The probabilities are those of the negative class.
        """
        curve = decision_curve(
            y_true, probability, thresholds, prevalence=prevalence, level=level, harm=harm,
            sample_weight=sample_weight, clusters=clusters, pos_label=pos_label,
            lower_is_positive=lower_is_positive,
        )  # fmt: skip
        return cls(curve, name)

    def draw(
        self,
        ax: Axes,
        name: str | None,
        *,
        interval: bool | None = None,
        best: bool | None = None,
        **kwargs: Any,
    ) -> None:
        """Draw the net benefit of each model, and those of treating all and none.

        The picture ends a little beyond the last threshold probability at which a model is worth more than
        treating all or none.

        Parameters
        ----------
        interval : bool, optional
            Draw the band of the intervals; if not given, of a single model that is the first on the axes.
        best : bool, optional
            Draw the most that any threshold has, as a dashed line (in-sample); if not given, likewise.
        """
        is_first, is_alone = not has_curve(ax), len(self.curve.net_benefit) == 1
        curve, at = self.curve, self.curve.thresholds
        right, low, top = self._limits()
        if is_first:
            dashes = (0, (4, 2))  # these are not references: what a model competes with is not hidden
            reference(ax, [0, 1], [0, 0], label="treat none", gid="rochull-treat-none")
            reference(
                ax, at, curve.treat_all.estimate, label="treat all", linestyle=dashes, gid="rochull-treat-all"
            )
        else:
            right = max(right, ax.get_xlim()[1])
            low, top = min(low, ax.get_ylim()[0]), max(top, ax.get_ylim()[1])
        looks = {} if is_alone else looks_of(ax, map(str, curve.net_benefit))
        plain, drawn = is_first and is_alone, []
        for model, found in curve.net_benefit.items():
            told = name if model is None else titled(name, model)
            label = told if told and not is_alone else titled(told, "net benefit")
            look = style(ax, kwargs, by=told, label=label, **looks.get(str(model), {}))
            self.line_ = ax.plot(at, found.estimate, **look)[0]
            drawn.append(self.line_)
            colour = self.line_.get_color()
            if plain if interval is None else interval:
                ax.fill_between(at, found.low, found.high, color=colour, alpha=0.15, lw=0, zorder=0.5)
            if plain if best is None else best:
                said = titled(told, f"best threshold ({IN_SAMPLE})")
                ax.plot(at, curve.best[model], color=colour, lw=1.1, ls=(0, (5, 2)), label=said)
        ax.set(xlim=(0, right), ylim=(low, top), xlabel="threshold probability", ylabel="net benefit")
        name_ends(ax, drawn if is_first and not is_alone else ())
        legend(ax, loc="upper right")

    def _limits(self) -> tuple[float, float, float]:
        """The last threshold probability in the picture, and the net benefits."""
        curve = self.curve
        least = np.maximum(curve.treat_all.estimate, 0)
        worth = (
            np.stack([np.asarray(found.estimate) for found in curve.net_benefit.values()]).max(axis=0) - least
        )
        useful = curve.thresholds[worth > _WORTH * curve.prevalence]
        right = float(useful.max()) * _BEYOND if useful.size else 1.0
        highest = max(float(np.max(each)) for each in curve.best.values())
        return min(1.0, right), _LOWEST * curve.prevalence, max(1.1 * curve.prevalence, 1.1 * highest)
