"""Cost of a cascade against how often the later classifiers are asked, beside each classifier alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull.cascades.cascade import Cascade
from rochull.cascades.cascade_policy import CascadeFrontier
from rochull.cascades.held_out import BUDGETS, CascadeTrial
from rochull.conditions.base import Condition
from rochull.plotting.base import IN_SAMPLE, Display, grey, has_curve, ink, looks_of, padded, style, titled
from rochull.plotting.legends import legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False, repr=False)
class CascadeDisplay(Display):
    """Expected cost per case, calls included, against calls of classifiers beyond the first.

    Attributes
    ----------
    frontier : CascadeFrontier
        On the examples themselves (in-sample).
    trial : CascadeTrial
        What the same costs held out, with a standard error beside the first classifier alone, and what each
        classifier alone does, and all for every case.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> display = rh.plotting.CascadeDisplay.compute(
    ...     table["class"],
    ...     {name: table[name] for name in ("tree", "boosted")},
    ...     rh.ExpectedCost(1, 5),
    ...     cascade=rh.Cascade({"tree": 0, "boosted": 0.02}, n_strata=5, shrinkage=100, pos_label="bad"),
    ... )
    >>> display.trial.max_calls
    (0.05, 0.1, 0.2, 0.3, 0.5, None)
    """

    _size = (6.4, 4.6)

    frontier: CascadeFrontier
    trial: CascadeTrial
    name: str | None = None

    @classmethod
    def compute(
        cls,
        y_true: ArrayLike,
        scores: Any,
        condition: Condition,
        *,
        cascade: Cascade,
        sample_weight: ArrayLike | None = None,
        name: str | None = None,
    ) -> Self:
        """Compute the numbers without drawing them.

        Parameters
        ----------
        scores : data frame or mapping of str to array-like of shape (n,)
            A column of scores for each classifier of the cascade.
        condition : ExpectedCost
            In the unit of the prices.
        cascade : Cascade
            How it is learnt; it says which label is positive, and is not modified.
        """
        from sklearn.base import clone

        trial = cascade.held_out(scores, y_true, condition, max_calls=BUDGETS, sample_weight=sample_weight)
        made = clone(cascade).fit(scores, y_true, sample_weight=sample_weight)
        return cls(made.frontier(condition), trial, name)

    @classmethod
    def from_estimator(cls, *args: Any, **options: Any) -> Self:
        """Refuse: a cascade has the scores of several classifiers.

        Parameters
        ----------
        *args, **options : Any
            Whatever they are.

        Raises
        ------
        AttributeError
            Always.
        """
        raise AttributeError("a cascade has the scores of several classifiers: use from_predictions.")

    def draw(self, ax: Axes, name: str | None, **kwargs: Any) -> None:
        """Draw the frontier, the held-out costs with their errors, and what is beside the cascade."""
        frontier, trial = self.frontier, self.trial
        first = not has_curve(ax)
        looks = looks_of(ax, trial.alone)
        own = {"color": ink(ax)} if first else {}  # colours are those of the classifiers beside it
        look = style(ax, kwargs, by=name, label=titled(name, f"cascade ({IN_SAMPLE})"), **own)
        self.line_ = ax.plot(frontier.calls, frontier.cost, **{"ls": "--", **look})[0]
        order = np.argsort(trial.calls)
        colour, held = self.line_.get_color(), (trial.calls[order], trial.cost[order])
        ax.plot(*held, "o-", ms=5, color=colour, label=titled(name, "cascade, held out (± standard error)"))
        ax.errorbar(*held, trial.error[order], fmt="none", capsize=2, ecolor=colour)
        if first:
            self._beside(ax, looks)
        right = max(float(trial.calls.max()), float(frontier.calls[-1]), len(trial.alone) - 1.0)
        ax.set(
            xlim=padded(0, right), xlabel="calls beyond the first classifier, per case",
            ylabel="expected cost per case, calls included",
        )  # fmt: skip
        legend(ax, loc="best")

    def _beside(self, ax: Axes, looks: dict[str, dict[str, Any]]) -> None:
        """Each classifier alone, and all for every case, held out."""
        trial = self.trial
        for i, (name, cost) in enumerate(trial.alone.items()):
            said = f"{name} alone, held out: {cost:.4g}"
            colour = looks[name]["color"]
            look: dict[str, Any] = {"marker": "sDv^<>ph"[i % 8], "ls": "", "ms": 7, "clip_on": False}
            ax.plot([min(i, 1)], [cost], color=colour, label=said, **look)
            ax.axhline(cost, color=colour, lw=0.8, ls=":")
        ax.plot(
            [len(trial.alone) - 1], [trial.all], "X", color=grey(ax), ms=8, clip_on=False,
            label=f"all for every case, held out: {trial.all:.4g}",
        )  # fmt: skip
