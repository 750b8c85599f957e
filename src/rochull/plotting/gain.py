"""Cumulative gain and lift against the share of cases that are called positive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull.plotting.base import Display, apart, has_curve, in_percent, reference, style, titled
from rochull.plotting.legends import legend
from rochull.scoring.gains import cumulative_gain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rochull._core.validation import Array

_CELL = 5e-4
_KINDS = ("gain", "lift")


@dataclass(eq=False, repr=False)
class GainDisplay(Display):
    """Cumulative gain: the share of the positives found, against the share of cases called; or the lift.

    Attributes
    ----------
    share : ndarray of shape (k,)
        Share of all cases that are called positive; points closer than 0.0005 are left out.
    value : ndarray of shape (k,)
        The gain, or the lift: the gain divided by the share.
    prevalence : float
        Proportion of positives: perfect scores have all of them at this share.
    kind : {"gain", "lift"}
        Which of the two.

    Examples
    --------
    >>> import rochull as rh
    >>> display = rh.plotting.GainDisplay.compute([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> display.share.tolist(), display.value.tolist()
    ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """

    share: Array
    value: Array
    prevalence: float
    kind: str = "gain"
    name: str | None = None

    @classmethod
    def compute(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        kind: str = "gain",
        prevalence: float | None = None,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        name: str | None = None,
    ) -> Self:
        """Compute the numbers without drawing them.

        Parameters
        ----------
        kind : {"gain", "lift"}, default="gain"
            The gain, or the lift.
        prevalence : float, optional
            Proportion of positives among the cases to be decided, strictly between 0 and 1; that of the data
            if not given.
        """
        if kind not in _KINDS:
            raise ValueError(f"kind must be one of {_KINDS}, but is {kind!r}.")
        curve = cumulative_gain(
            y_true, y_score, prevalence=prevalence, sample_weight=sample_weight, pos_label=pos_label
        )
        points = np.stack([curve.share, curve.gain] if kind == "gain" else [curve.share[1:], curve.lift])
        share, value = points[:, apart(points, _CELL)]
        return cls(share, value, curve.prevalence, kind, name)

    def draw(self, ax: Axes, name: str | None, **kwargs: Any) -> None:
        """Draw the curve, with those of chance and of perfect scores."""
        is_gain, p = self.kind == "gain", self.prevalence
        if not has_curve(ax):
            x = np.linspace(p, 1, 101)
            reference(ax, [0, 1], [0, 1] if is_gain else [1, 1], label="chance")
            reference(
                ax, [0, p, 1] if is_gain else [0, *x], [0, 1, 1] if is_gain else [1 / p, *(1 / x)],
                label="perfect scores", linestyle=(0, (4, 2)), gid="rochull-perfect",
            )  # fmt: skip
        look = style(ax, kwargs, by=name, label=titled(name, self.kind if is_gain else "lift"))
        self.line_ = ax.plot(self.share, self.value, **look)[0]
        top = 1.02 if is_gain else max(1.05 / p, 0 if not has_curve(ax) else ax.get_ylim()[1])
        ax.set(
            xlim=(-0.02, 1.02), ylim=(-0.02, top), xlabel="share of cases flagged",
            ylabel="share of positives found" if is_gain else "lift",
        )  # fmt: skip
        in_percent(ax.xaxis, *([ax.yaxis] if is_gain else []))
        legend(ax, loc="lower right" if is_gain else "upper right")
