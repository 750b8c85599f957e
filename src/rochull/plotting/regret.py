"""Regrets over a range of conditions: how much each classifier may lose, on average and at worst."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull._core.tables import named_columns
from rochull.conditions.base import Condition
from rochull.hybrid.hybrid import Hybrid
from rochull.hybrid.regret import RegretTable
from rochull.plotting.base import IN_SAMPLE, Display, has_curve, padded, style, titled
from rochull.plotting.legends import legend, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rochull._core.validation import Array

_ONE = "score"
_ONE_RULE, _ALL = "one threshold of all", "least worst of all"
_BESIDE = 0.28  # rows, between two displays


@dataclass(eq=False, repr=False)
class RegretDisplay(Display):
    """Mean and largest regret over a range of conditions: of each classifier alone, and of all together.

    Attributes
    ----------
    names : tuple of str
        The classifiers; "one threshold of all", the single rule that risks least; and "least worst of all",
        which may be a mixture.
    mean, worst : ndarray of shape (k,)
        The regret of the best rule of each, on average and at worst (in-sample); infinite ones are left out
        of the picture.
    measure : str
        What regret is in.

    Examples
    --------
    >>> import rochull as rh
    >>> y = [1, 1, 0, 0]
    >>> scores = {"a": [4, 1, 3, 2], "b": [3, 2, 4, 1]}
    >>> display = rh.plotting.RegretDisplay.compute(y, scores, rh.Accuracy((0.3, 0.6)))
    >>> display.names, display.worst.round(3).tolist()
    (('a', 'b', 'one threshold of all', 'least worst of all'), [0.1, 0.2, 0.1, 0.067])
    """

    _size = (5.6, 3.2)
    _drawn_by: ClassVar = {"compute": "from_predictions", "of_table": "from_table"}

    names: tuple[str, ...]
    mean: Array
    worst: Array
    measure: str
    name: str | None = None

    @classmethod
    def compute(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike | Mapping[str, ArrayLike],
        condition: Condition,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        name: str | None = None,
    ) -> Self:
        """Compute the numbers without drawing them.

        Parameters
        ----------
        y_score : array-like of shape (n,), or mapping or table of such columns
            Scores, higher means more positive; several classifiers by name.
        condition : Condition
            With an interval for a number that is known roughly.
        """
        hybrid = Hybrid()
        for key, scores in (named_columns(y_score, "y_score") or {_ONE: y_score}).items():
            hybrid.add(str(key), y_true, scores, sample_weight=sample_weight, pos_label=pos_label)
        return cls.of_table(hybrid.regret(condition), name=name)

    @classmethod
    def of_table(cls, table: RegretTable, *, name: str | None = None) -> Self:
        """Take a table of regrets, without drawing it.

        Parameters
        ----------
        table : RegretTable
            See :meth:`Hybrid.regret`.
        """
        rows = [*table.alone.items(), (_ONE_RULE, table.least_worst_single), (_ALL, table.least_worst)]
        mean, worst = (np.array([getattr(row, what) for _, row in rows]) for what in ("mean", "worst"))
        return cls(tuple(key for key, _ in rows), mean, worst, table.measure, name)

    @classmethod
    def from_table(cls, table: RegretTable, *, ax: Axes | None = None, **options: Any) -> Self:
        """Draw a table of regrets."""
        return cls._made_by(cls.of_table, (table,), ax, options)

    def draw(self, ax: Axes, name: str | None, **kwargs: Any) -> None:
        """Draw a row for each: from the mean regret, a ring, to the largest one, a dot."""
        rows = np.arange(len(self.names)) + _BESIDE * sum(line.get_gid() == _MEAN for line in ax.lines)
        is_first, before = not has_curve(ax), ax.get_xlim()
        known = np.isfinite(self.worst)
        look = style(
            ax, kwargs, by=name, label=titled(name, f"largest regret ({IN_SAMPLE})"), marker="o",
            linestyle="none", markersize=6.5, zorder=3,
        )  # fmt: skip
        self.line_ = ax.plot(self.worst[known], rows[known], **look)[0]
        colour = self.line_.get_color()
        ax.hlines(rows[known], self.mean[known], self.worst[known], color=colour, lw=2.2, alpha=0.45)
        ax.plot(
            self.mean[known], rows[known], "o", ms=5.5, mfc=ax.get_facecolor(), mew=1.5, color=colour,
            gid=_MEAN, zorder=3, label=titled(name, "mean regret"),
        )  # fmt: skip
        low, high = padded(0.0, float(self.worst[known].max(initial=0.0)), 0.06)
        if not is_first:
            low, high = min(low, before[0]), max(high, before[1])
        ax.set(xlim=(low, high), ylim=(rows[-1] + 0.6, -0.6), xlabel=f"regret, in {self.measure}")
        ax.set_ylabel("classifier")
        ax.set_yticks(range(len(self.names)), [shortened(key, 24) for key in self.names], parse_math=False)
        legend(ax, loc="upper right", below=True)


_MEAN = "rochull-mean"
